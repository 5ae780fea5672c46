# from tvm.script import ir as I
# from tvm.script import tirx as T

# Arguments of a pair of tirb.may_alias may be one memory, and then every store is seen by the loads behind it.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def spread(X: T.Buffer((4,), "int32"), Y: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.may_alias": [["Y", "X"]]})
        for i in range(3):
            Y[i + 1] = X[i] + 1

    @T.prim_func(private=True, s_tir=True)
    def reverse(X: T.Buffer((4,), "int32"), Y: T.Buffer((4,), "int32")):
        for i in range(4):
            Y[i] = X[3 - i]

    # expect: same(4xi32=5 0 0 9) -> 5 6 7 8
    @T.prim_func(s_tir=True)
    def same(A: T.Buffer((4,), "int32")):
        Module.spread(A.data, A.data)

    # expect: part(8xi32=5 0 0 0 0 0 0 9) -> 5 0 6 1 7 0 0 9
    @T.prim_func(s_tir=True)
    def part(A: T.Buffer((8,), "int32")):
        Module.spread(T.address_of(A[0]), T.address_of(A[1]))

    # expect: apart(4xi32=5 0 0 9, 4xi32=1) -> 1 6 1 1
    @T.prim_func(s_tir=True)
    def apart(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.may_alias": [["A", "B"]]})
        Module.spread(A.data, B.data)

    # expect: onward(4xi32=1 2 3 4, 4xi32=0) -> 4 3 2 1
    @T.prim_func(s_tir=True)
    def onward(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.may_alias": [["A", "B"]]})
        Module.reverse(A.data, B.data)

    # trap: twice(4xi32=1 2 3 4) -> 43 the same buffer
    @T.prim_func(s_tir=True)
    def twice(A: T.Buffer((4,), "int32")):
        Module.reverse(A.data, A.data)
