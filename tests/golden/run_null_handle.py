# expect: f(2xi32=5 5) -> 1 0
# An integer that is cast to a handle is a pointer, and 0 is null; as a statement it does nothing.
from tvm.script import tir as T

@T.prim_func
def f(B: T.Buffer((2,), "int32")):
    T.evaluate(T.Cast("handle", 0))
    B[0] = T.Cast("int32", T.isnullptr(T.Cast("handle", 0)))
    B[1] = T.Cast("int32", T.isnullptr(B.data))
