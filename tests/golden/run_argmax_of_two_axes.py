# The place of the greatest element of a whole matrix: the init of two reduce loops stands before them.
# expect: main(3x20xf32=0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 nan, 1xi32=0) -> 24
# expect: main(3x20xf32=-1 -2 -3 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1, 1xi32=0) -> 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 20), "float32"), O: T.Buffer((1,), "int32")):
    place = T.sblock_alloc_buffer((), "int32")
    most = T.sblock_alloc_buffer((), "float32")
    for i, j in T.grid(3, 20):
        with T.sblock("most"):
            vi, vj = T.axis.remap("RR", [i, j])
            with T.init():
                place[()] = -1
                most[()] = T.min_value("float32")
            better: T.let[T.bool] = A[vi, vj] > most[()]
            place[()] = T.Select(better, vi * 20 + vj, place[()])
            most[()] = T.Select(better, A[vi, vj], most[()])
    O[0] = place[()]
