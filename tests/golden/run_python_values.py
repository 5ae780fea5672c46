# Dictionaries and tuples of Python's constants, indexed and sliced; T.meta_var of them.
# expect: f(2x4xi32=0) -> 3 3 3 3 3 3 3 3
from tvm.script import tirx as T

SHAPE = (7, 2, 4)
CONFIG = {"add": (1, 2), 5: 1}


@T.prim_func(s_tir=True)
def f(A: T.Buffer(SHAPE[1:], "int32")):
    d = T.meta_var({"k": CONFIG["add"]})
    for i, j in T.grid(*SHAPE[1:3]):
        A[i, j] = A[i, j] + d["k"][-1] + CONFIG[5]
