# What is copied before an iteration stores over it is what every iteration reads: not what a condition keeps it from.
# expect: never(16xi32=3) -> 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
# expect: inner(16xi32=3, 0) -> 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def never(A: T.Buffer((16,), "int32")):
        for i in range(T.int64(16)):
            if i + (i + i) == T.int64(1):
                A[i] = A[T.cast(i % T.int64(8) + T.int64(14), "int32")] + 2

    @T.prim_func(s_tir=True)
    def inner(A: T.Buffer((16,), "int32"), n: T.int32):
        for i in range(16):
            for j in range(n):
                A[i] = A[i + 9] + 2
