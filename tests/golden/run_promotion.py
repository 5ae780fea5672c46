# expect: f(100, 2.5) -> 350.25
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.int8, x: T.float64) -> T.float64:
    y: T.let = a + T.int32(200)
    return T.Cast("float64", y) / T.float64(1) + x * 20.0 + 0.25
