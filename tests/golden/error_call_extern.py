# error: 7:47 argument 1 of the imported function 'puts' is a string: imports take scalars and buffers
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_extern("int32", "puts", "hello"))
