# error: 8:12 a pointer becomes a buffer by A = T.decl_buffer(shape, dtype, data=pointer)
# error: 9:5 a handle becomes a buffer by A = T.match_buffer(handle, shape, dtype)
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), h: T.handle):
    p: T.let[T.handle("float32", "global")] = A.data
    A[0] = p[1]
    h[0] = 1.0
