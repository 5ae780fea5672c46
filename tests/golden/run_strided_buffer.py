# expect: f(4xi32=1 2 3 4, 2xi32=0) -> 2 4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((2,), "int32")):
    E = T.decl_buffer((2,), "int32", data=A.data, strides=(2,), elem_offset=1)
    for i in range(2):
        B[i] = E[i]
