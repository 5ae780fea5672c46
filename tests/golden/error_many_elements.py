from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((4,), "int32"), O: T.Buffer((2,), "int32")):
    A[0] = O + 1
    O = 1
# error: 6:12 the buffer `O` is used as a value
# error: 7:5 `O` is already defined
