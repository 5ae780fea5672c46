# A choice whose operands all have to be widened, of fewer elements than a block has: each has memory of its own there.
# expect: chosen(5xi64=1 0 0 0 0, 5xi16=59 73 16 -92 -81, 5xi64=0 0 1 0 0, -11) -> -11 0 -11 -92 -81
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def chosen(a: T.handle, b: T.handle, o: T.handle, s: T.int32):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int64")
    B = T.match_buffer(b, (n,), "int16")
    O = T.match_buffer(o, (n,), "int64")
    for i in range(n):
        O[i] = T.min(O[i], T.Cast("int64", T.if_then_else(A[i] == O[i], T.Cast("int32", B[i]), s)))
