# error: 10:20 T.masked_load of `A` takes 1 indices and a mask
# error: 11:25 T.masked_load loads float32x4 here, not float32x8
# error: 12:5 T.masked_store takes a buffer, not an expression
# error: 13:5 the assertion does not hold: never
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    B = T.meta_var((T.masked_load("float32x4", A, T.Broadcast(T.bool(True), 4))))
    A[0:8] = T.meta_var(T.masked_load("float32x8", A, T.Ramp(0, 1, 4), T.Broadcast(T.bool(True), 4)))
    T.masked_store(A[0], T.Broadcast(T.float32(1), 4), T.Ramp(0, 1, 4), T.Broadcast(T.bool(True), 4))
    T.static_assert(2 > 3, "never")
