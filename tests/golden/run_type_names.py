# Types whose width is left out have the usual one, and short forms may stand in strings, as TVM reads them.
# expect: usual(3xf32=1.5 2.5 3.5, 3xi32=1 2 3, 3xu32=4 5 6) -> 1 2 3, 2 3 4, 1 2 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def usual(A: T.Buffer((3,), "float"), B: T.Buffer((3,), "int"), C: T.Buffer((3,), "uint")):
    D = T.alloc_buffer((3,), "f32")
    for i in range(3):
        D[i] = T.Cast("float", B[i])
    for i in range(3):
        B[i] = T.cast(A[i] + T.float32(1), "i32")
        C[i] = T.Cast("uint", D[i])
        A[i] = D[i]
