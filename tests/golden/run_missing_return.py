# A function that is declared to return a value and ends without one.
# expect: f(3xi32=0 5 0) -> 1
# trap: f(3xi32=0 0 0) -> 7 RuntimeError: f ends without returning a value
from tvm.script import tirx as T
@T.prim_func(s_tir=True)

def f(A: T.Buffer((3,), "int32")) -> T.int32:
    for i in range(3):
        if A[i] > 0:
            return i
