# error: 9:16 argument 1 of the imported function 'g' is a buffer whose elements do not lie behind each other
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.handle):
    s = T.int32()
    A = T.match_buffer(a, (4,), "float32", strides=[s])
    T.evaluate(T.call_extern("int32", "g", A.data))
