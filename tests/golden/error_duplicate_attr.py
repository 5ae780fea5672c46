# error: 8:5 the attribute "a" is already set
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    T.func_attr({"a": 1})
    T.func_attr({"a": 2})
