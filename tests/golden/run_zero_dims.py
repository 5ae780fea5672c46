# expect: f(f64=2.5, f64=0) -> 6.25
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((), "float64"), B: T.Buffer((), "float64")):
    B[()] = A[()] * A[()]
