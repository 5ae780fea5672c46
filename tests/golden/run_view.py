# expect: f(2x3xi32=1 2 3 4 5 6, 6xi32=0) -> 6 5 4 3 2 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2, 3), "int32"), B: T.Buffer((6,), "int32")):
    F = T.decl_buffer((6,), "int32", data=A.data)
    for i in range(6):
        B[i] = F[5 - i]
