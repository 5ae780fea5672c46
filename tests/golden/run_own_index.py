# What a block's own variables hold may be an index: the elements that it reads are then any of their dimension.
# expect: first_to_all(2x4xi8=1 2 3 4 5 6 7 8) -> 1 1 1 1 5 5 5 5
# expect: of_rows(2x4xi8=1 2 3 4 5 6 7 8) -> 1 1 1 1 5 5 5 5
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def first_to_all(C: T.Buffer((2, 4), "int8")):
        for i in range(2):
            with T.sblock("b"):
                vi = T.axis.spatial(2, i)
                k: T.int32 = 0
                while k < 4:
                    C[vi, k] = C[vi, T.max(k - 1, 0)]
                    k = k + 1

    @T.prim_func(s_tir=True)
    def of_rows(C: T.Buffer((2, 4), "int8")):
        for i in range(2):
            with T.sblock("b"):
                V = T.match_buffer(C[i, 0:4], (4,), "int8", offset_factor=1)
                k: T.int32 = 0
                while k < 4:
                    V[k] = V[T.max(k - 1, 0)]
                    k = k + 1
