# A tree reduction of terms that only some iterations may compute: which matrix is read, memory says, and not where no term is.
# expect: main(2x3x8xf32=1 2 3 4 5 6 7 8 9 8 7 6 5 4 3 2 -1 -2 -3 -4 -5 -6 -7 -8 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 30, 4xi32=0 1 1 9, 4xi32=1 0 2 3, 4xi32=4 8 7 8, 4xf32=0) -> 9 30 3 -inf
# trap: main(2x3x8xf32=1 2 3 4 5 6 7 8 9 8 7 6 5 4 3 2 -1 -2 -3 -4 -5 -6 -7 -8 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 30, 4xi32=0 1 1 2, 4xi32=1 0 2 2, 4xi32=4 8 7 1, 4xf32=0) -> 9 index 2 is out of bounds for dimension 0 of X
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(X: T.Buffer((2, 3, 8), "float32"), which: T.Buffer((4,), "int32"), first: T.Buffer((4,), "int32"), end: T.Buffer((4,), "int32"), O: T.Buffer((4,), "float32")):
    for i, r0, r1 in T.grid(4, 3, 8):
        with T.sblock("most"):
            vi, v0, v1 = T.axis.remap("SRR", [i, r0, r1])
            with T.init():
                O[vi] = -T.infinity("float32")
            O[vi] = T.max(O[vi], T.if_then_else(first[vi] <= v0 and v1 < end[vi], X[which[vi], v0, v1], -T.infinity("float32")))
