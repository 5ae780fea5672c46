# error: 10:1 this statement is not possible outside a function
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32):
    pass


if __name__ == "__main__":
    f(1)
