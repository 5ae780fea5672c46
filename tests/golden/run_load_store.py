# Load and Store, deprecated: elements behind a pointer, in a vector, under a predicate.
# expect: f(8xf32=1 2 3 4 5 6 7 8, 8xf32=0) -> 2 3 4 0 5 6 7 8
# expect: g(4xi32=0) -> 7 0 7 0
from tvm.script import tir as T


@T.prim_func
def f(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (8,), "float32")
    B = T.match_buffer(b, (8,), "float32")
    for i in T.serial(0, 4):
        T.store(B.data, i, T.load("float32", A.data, i) + T.float32(1), i < 3)
    T.store(B.data, T.ramp(4, 1, 4), T.load("float32x4", A.data, T.ramp(4, 1, 4), T.broadcast(True, 4)), T.broadcast(True, 4))


@T.prim_func
def g(B: T.Buffer((4,), "int32")):
    C = T.allocate([16], "int32", "global")
    T.store(C, 3, 7)
    T.store(B.data, T.ramp(0, 2, 2), T.broadcast(T.load("int32", C, 3), 2))
