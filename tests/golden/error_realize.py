# error: 8:47 the strides of 'W', which is realized, must be variables
# error: 10:5 has no memory here
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4,), "int32"), n: T.int32):
    W = T.buffer_decl((4,), "int32", strides=(n + 1,))
    T.realize(W[0:4], "", n > 0)
    W[0] = A[0]
