# Pointers that lets bind: an element's address, a buffer's data under another type, tvm_access_ptr, bytes added.
# expect: f(4x4xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 12xi32=0) -> 8 9 10 11 5 6 12 13 3 4 5 6
# expect: g(4xf32=1 2 3 4, 4xi32=0) -> 1065353216 1073741824 1077936128 1082130432
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "int32"), B: T.Buffer((12,), "int32")):
    p: T.let[T.handle("int32", "global")] = T.address_of(A[2, 0])
    P = T.decl_buffer((4,), "int32", data=p)
    q: T.let[T.handle("int32")] = T.tvm_access_ptr(T.type_annotation("int32"), A.data, 5, 2, 1)
    Q = T.decl_buffer((2,), "int32", data=q)
    r: T.let[T.handle] = T.handle_add_byte_offset(p, 16)
    R = T.decl_buffer((2,), "int32", data=r)
    V = A.view(16)
    for i in range(4):
        B[i] = P[i]
        B[i + 8] = V[i + 3]
    for i in range(2):
        B[i + 4] = Q[i]
        B[i + 6] = R[i]


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    bits: T.let[T.handle("int32", "global")] = A.data
    Bits = T.decl_buffer((4,), "int32", data=bits)
    for i in range(4):
        B[i] = Bits[i]
