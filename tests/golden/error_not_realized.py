# error: 6:5 block 'b' is not realized: its axes have no values, so it cannot run
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    with T.sblock("b", no_realize=True):
        v = T.axis.spatial(8)
        w, x = T.axis.spatial(4), T.axis.reduce((1, 4))
        A[v + w + x] = 1.0
