# error: 7:5 the function has a name already, `f`, from its definition
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    T.func_name("g")
    A[0] = 1.0
