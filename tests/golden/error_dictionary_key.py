# error: 9:22 the dictionary has no such key
from tvm.script import tirx as T

CONFIG = {"n": 4}


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(CONFIG["m"])
