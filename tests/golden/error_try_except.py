# error: 8:5 'try' is not part of the language
# error: 12:12 `nothing` is not defined
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    try:
        B[0] = 1
    except ValueError:
        B[0] = 2
    B[1] = nothing
