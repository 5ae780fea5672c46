# Pointers as parameters lead to all that their arguments have.
# expect: scale(4xf32=1 2 3 4, 6xf32=0) -> 0 2 4 6 8 0
# expect: typed(3xi32=5 6 7, 2xi32=0 0) -> 7 5
# expect: unused(0, 2xi32=1 2) -> 2 2
# trap: scale(4xf32=1 2 3 4, 3xf32=0) -> 18 store of element 3 is outside of its 3 elements
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def scale(a: T.handle, b: T.handle):
    A = T.decl_buffer((2, 2), "float32", data=a)
    B = T.decl_buffer((6,), "float32", data=b)
    for i, j in T.grid(2, 2):
        with T.sblock("scale"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi * 2 + vj + 1])
            B[vi * 2 + vj + 1] = A[vi, vj] * T.float32(2)


@T.prim_func(s_tir=True)
def typed(p: T.handle("int32"), q: T.handle("int32", "global")):
    P = T.decl_buffer((3,), "int32", data=p)
    Q = T.decl_buffer((2,), "int32", data=q)
    Q[0] = P[2]
    Q[1] = P[0]


@T.prim_func(s_tir=True)
def unused(h: T.handle, A: T.Buffer((2,), "int32")):
    A[0] = A[1]
