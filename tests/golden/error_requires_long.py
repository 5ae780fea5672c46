# error: 9:116 a side of a condition on arguments has more than 64 terms
from tvm.script import tirx as T


# A side of a condition is a program of 64 terms at most, as an extent is.
@T.prim_func(s_tir=True)
def long(n: T.int32, A: T.Buffer((4,), "int32")):
    T.func_attr({"tirb.requires": 1})
    assert n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n > -(
        n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n
    )
    A[0] = n
