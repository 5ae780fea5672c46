# from tvm.script import ir as I
# from tvm.script import tirx as T

# A written argument must not overlap another, inside a module as at a call from outside; arguments that are only read
# may.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(X: T.Buffer((4,), "int32"), Y: T.Buffer((4,), "int32"), Z: T.Buffer((4,), "int32")):
        for i in range(4):
            Z[i] = X[i] + Y[3 - i]

    # expect: good(4xi32=1 2 3 4, 4xi32=0) -> 5 5 5 5
    @T.prim_func(s_tir=True)
    def good(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        Module.add(A.data, A.data, B.data)

    # trap: bad(4xi32=1 2 3 4, 4xi32=0) -> 21 the same buffer
    @T.prim_func(s_tir=True)
    def bad(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        Module.add(A.data, B.data, B.data)
