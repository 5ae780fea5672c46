# Right in itself; the calls that refusals.py makes are not.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scale(A: T.Buffer(("n", 4), "float32"), f: T.float32, B: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for i, j in T.grid(n, 4):
            B[i, j] = A[i, j] * f

    @T.prim_func(s_tir=True)
    def window(A: T.Buffer(("n + 2",), "int32"), k: T.int8, B: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            B[i] = A[i] + A[i + 2] + T.Cast("int32", k)

    @T.prim_func(private=True, s_tir=True)
    def hidden(A: T.Buffer((4,), "int32")):
        A[0] = 1

    @T.prim_func(s_tir=True)
    def caller(A: T.Buffer((4,), "int32")):
        Module.hidden(A)
