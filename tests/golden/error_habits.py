# error: 11:15 expected an expression, found '&'; write `and`
# error: 13:15 expected an expression, found '|'; write `or`
# error: 15:10 expected ':', or '==' for equal values, found '='
# error: 19:10 expected ':', or 'elif', found 'if'
# error: 21:8 expected an expression, found the end of the line; write `+= 1`
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    if n > 0 && n < 3:
        A[0] = T.float32(1)
    if n > 0 || n < 3:
        A[0] = T.float32(1)
    if n = 0:
        A[0] = T.float32(1)
    if n > 0:
        A[0] = T.float32(1)
    else if n < 0:
        A[0] = T.float32(1)
    n++
