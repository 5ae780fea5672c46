# An index that is a constant without a sign is told as it is written.
# trap: f(4xi32=0) -> 13 index 9223372036854775809 is out of bounds for dimension 0 of A, whose extent is 4
# trap: g(4xi32=0) -> 17 index -1 is out of bounds for dimension 0 of A, whose extent is 4
# trap: h(4xi32=0) -> 22 index 18446744073709551615 is out of bounds for dimension 0 of A, whose extent is 4
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "int32")):
        A[T.uint64(9223372036854775809)] = 1

    @T.prim_func(s_tir=True)
    def g(A: T.Buffer((4,), "int32")):
        A[T.int64(-1)] = 1

    @T.prim_func(s_tir=True)
    def h(A: T.Buffer((4,), "int32")):
        for i in range(2):
            A[T.uint64(18446744073709551615)] = A[i]
