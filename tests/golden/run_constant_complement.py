# A complement of a constant stays an operation, in every spelling.
# expect: f(3xi32=0) -> -128 -6 251
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.Buffer((3,), "int32")):
    a[0] = T.bitwise_not(127)
    a[1] = T.Cast("int32", ~T.int8(5))
    a[2] = T.Cast("int32", T.bitwise_not(T.uint8(4)))
