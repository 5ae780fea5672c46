# error: 10:29 the format "03q" is not one for an integer
# error: 11:29 the text of an expression is not known while the text is read
# error: 12:29 the format "03q" is not one for an integer
# error: 13:29 the format "+5" is not one for a string
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), n: T.int64):
    assert A[0] > 0, f"bad {3:03q}"
    assert A[0] > 0, f"bad {n + 1:3}"
    assert A[0] > 0, f"bad {3:0{1 + 2}{'q'}}"
    assert A[0] > 0, f"bad {'a':+5}"
