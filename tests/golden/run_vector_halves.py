# A vector store reads all its lanes before it writes one, also where only some lanes of its value come from its buffer,
# and where its indices do.
# expect: combine(8xi32=1 2 3 4 5 6 7 8, 8xi32=10 20 30 40 50 60 70 80) -> 1 2 3 4 10 20 30 40
# expect: shuffle(4xi32=1 2 3 4, 4xi32=10 20 30 40) -> 4 1 20 10
# expect: index(4xi32=3 2 1 0) -> 7 7 7 7
# expect: swap(4xi32=1 0 3 2) -> 6 5 8 7
# expect: chosen(4xi32=1 2 3 4, 4xi32=10 20 30 40) -> 10 10 20 40
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def combine(A: T.Buffer((8,), "int32"), O: T.Buffer((8,), "int32")):
    O[0:8] = T.vectorcombine("int32x8", T.vectorlow("int32x4", A[0:8]), O[0:4])


@T.prim_func(s_tir=True)
def shuffle(A: T.Buffer((4,), "int32"), O: T.Buffer((4,), "int32")):
    O[0:4] = T.Shuffle([A[0:4], O[0:4]], [3, 0, 5, 4])


@T.prim_func(s_tir=True)
def index(O: T.Buffer((4,), "int32")):
    O[O[0:4]] = T.Broadcast(7, 4)


@T.prim_func(s_tir=True)
def swap(O: T.Buffer((4,), "int32")):
    O[O[0:4]] = T.Ramp(5, 1, 4) + T.Shuffle([O[0:4]], [0, 1, 2, 3]) - O[0:4]


@T.prim_func(s_tir=True)
def chosen(A: T.Buffer((4,), "int32"), O: T.Buffer((4,), "int32")):
    O[0:4] = T.Select(A[0:4] < T.Broadcast(2, 4), O[0:4], T.Select(A[0:4] < T.Broadcast(4, 4), O[T.Ramp(-1, 1, 4)], O[0:4]))
