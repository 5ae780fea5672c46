# error: 7:30 conversions and formats in f-strings are not part of the language
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), n: T.int64):
    assert A[0] > 0, f"bad {n:03d}"
