# error: 6:5 this function is not read: kernels stand outside of functions, loops and conditions
from tvm.script import tirx as T


def outer(n):
    @T.prim_func
    def inner(A: T.Buffer((n,), "float32")):
        A[0] = 1

    return inner
