# error: 9:8 the condition must be a scalar bool, not int32
# error: 11:12 the condition must be a scalar bool, not float32
# error: 15:21 the condition must be a scalar bool, not int32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    if 3:
        A[0] = 1.0
    assert 2.5, "a number is no condition"
    for i in range(8):
        with T.sblock("b"):
            v = T.axis.spatial(8, i)
            T.where(3)
            A[v] = 1.0
