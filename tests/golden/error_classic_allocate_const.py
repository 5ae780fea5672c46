# error: 7:9 `T.allocate_const` is not supported: constant allocations
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = T.allocate_const([1, 2], "int32", [2])
