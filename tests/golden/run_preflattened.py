# Texts of 2022, which name the shape that a parameter had before it was flattened: callers pass that one.
# expect: f(2x3xf32=1 2 3 4 5 6, 2x3xf32=0) -> 2 3 4 5 6 7
# expect: g(2x2xi32=1 2 3 4) -> 4 3 2 1
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer[(6,), "float32"], B: T.Buffer[(6,), "float32"]):
    T.func_attr({"global_symbol": "f", "tir.noalias": True})
    T.preflattened_buffer(A, [2, 3], dtype="float32", data=A.data)
    T.preflattened_buffer(B, [2, 3], dtype="float32", data=B.data)
    for i in T.serial(6):
        B[i] = A[i] + T.float32(1)


@T.prim_func
def g(a: T.handle):
    A = T.match_buffer(a, [4], dtype="int32")
    T.preflattened_buffer(A, (2, 2), "int32", data=A.data)
    for i in T.serial(2):
        x = A[i]
        A[i] = A[3 - i]
        A[3 - i] = x
