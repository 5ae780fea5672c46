# Division and remainder by zero, of every kind.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def floor_division(a: T.int32, b: T.int32) -> T.int32:
        return a // b  # here: floor_division

    @T.prim_func(s_tir=True)
    def floor_remainder(a: T.int64, b: T.int64) -> T.int64:
        return a % b  # here: floor_remainder

    @T.prim_func(s_tir=True)
    def truncating(a: T.int8, b: T.int8) -> T.int8:
        return T.truncdiv(a, b)  # here: truncating

    @T.prim_func(s_tir=True)
    def of_unsigned(a: T.uint32, b: T.uint32) -> T.uint32:
        return T.truncmod(a, b)  # here: of_unsigned

    @T.prim_func(s_tir=True)
    def elementwise(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("C"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] // B[vi]  # here: elementwise

    # The condition keeps the division from running.
    @T.prim_func(s_tir=True)
    def guarded(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            C[i] = T.if_then_else(B[i] != 0, T.truncdiv(A[i], B[i]), 0)

    @T.prim_func(s_tir=True)
    def selected(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            C[i] = T.Select(B[i] != 0, T.truncdiv(A[i], T.Select(B[i] != 0, B[i], 1)), 0)

    # The least integer by minus one wraps around.
    @T.prim_func(s_tir=True)
    def wraps(a: T.int32, b: T.int32) -> T.int32:
        return T.truncdiv(a, b) + T.truncmod(a, b)
