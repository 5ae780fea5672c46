# A decorator that cannot be read is wrong by itself: the function behind it does not vanish.
# error: 8:20 expected an expression
# error: 9:5 needs the decorator
from tvm.script import tirx as T


# the rest is as it should be
@T.prim_func(s_tir=, check=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(2)
