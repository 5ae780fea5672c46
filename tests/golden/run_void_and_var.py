# expect: f(4xi32=0, 3) -> 12 0 0 0
# A function whose result is void gives nothing; T.Var makes a variable of a name and a type.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), k: T.int32) -> T.void:
    x = T.Var("x", "int32")
    A[0] = T.Let(x + x, where={x: k * 2})
