# A step that is no constant is looked at when the loop begins, also where the loop has nothing to do.
# expect: every(10xi32=0, 0, 10, 3) -> 1 0 0 1 0 0 1 0 0 1
# expect: every(10xi32=0, 2, 9, 5) -> 0 0 1 0 0 0 0 1 0 0
# expect: every(10xi32=0, 4, 4, 2) -> 0 0 0 0 0 0 0 0 0 0
# trap: every(10xi32=0, 0, 10, 0) -> 13 the step of a loop is not positive
# trap: every(10xi32=0, 4, 4, -1) -> 13 the step of a loop is not positive
# expect: kept(10xi32=0, 4) -> 1 0 0 0 1 0 0 0 1 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def every(A: T.Buffer((10,), "int32"), low: T.int32, high: T.int32, step: T.int32):
    for i in T.serial(low, high, step=step):
        A[i] = A[i] + 1


@T.prim_func(s_tir=True)
def kept(A: T.Buffer((10,), "int32"), n: T.int32):
    step: T.int32 = n
    for i in T.serial(0, 10, step=step):
        step = step - 7
        A[i] = A[i] + 1
