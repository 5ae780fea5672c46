# T.allocate_const, prefetches, which do nothing, and byte_offset.
# expect: f(4xi32=0) -> 11 22 0 44
# expect: g(8xi32=1 2 3 4 5 6 7 8, 3xi32=0) -> 3 4 5
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    K = T.allocate_const([1, 2, 0, 4], "int32", [2, 2])
    Kb = T.Buffer((2, 2), "int32", data=K)
    T.prefetch(A, [T.Range(0, 4)])
    for i in range(4):
        T.evaluate(T.prefetch(T.address_of(A[i]), 0, 3, 1))
        A[i] = Kb[i // 2, i % 2] * 11


@T.prim_func
def g(A: T.Buffer((8,), "int32"), B: T.Buffer((3,), "int32")):
    P = T.decl_buffer((3,), "int32", data=A.data, byte_offset=8)
    for i in range(3):
        B[i] = P[i]
