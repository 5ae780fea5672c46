# A decorator that was meant to be TVM's is no decorator of Python.
# error: 7:2 there is no `T.prim_fun`; did you mean `T.prim_func`?
# error: 12:2 `tri` is not defined
from tvm.script import tirx as T


@T.prim_fun
def f(A: T.Buffer((4,), "float32")):
    A[0] = 1


@tri.prim_func
def g(A: T.Buffer((4,), "float32")):
    A[0] = 1
