# Loops that are cut where a condition changes, by bounds at the limits of their type: one more would be another number.
# expect: largest(5xi32=1 2 3 4 5, 5xi32=0, 9223372036854775807) -> 5 2 2 2 2
# expect: largest(5xi32=1 2 3 4 5, 5xi32=0, 2) -> 3 4 5 5 5
# expect: largest(5xi32=1 2 3 4 5, 5xi32=0, -9223372036854775808) -> 2 3 5 5 5
# expect: above(5xi32=1 2 3 4 5, 5xi32=0, 9223372036854775807) -> 0 0 0 0 0
# expect: above(5xi32=1 2 3 4 5, 5xi32=0, -9223372036854775808) -> 1 2 3 4 5
# expect: below(5xi32=1 2 3 4 5, 5xi32=0, -9223372036854775808) -> 0 0 0 0 0
# expect: below(5xi32=1 2 3 4 5, 5xi32=0, 9223372036854775807) -> 0 2 3 4 5
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def largest(a: T.handle, b: T.handle, s: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(n):
            B[i] = A[T.min(T.max(T.max(s, i) + i, T.int64(1)), n - T.int64(1))]

    @T.prim_func
    def above(a: T.handle, b: T.handle, s: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(T.int64(-1), n):
            if i > s:
                B[T.max(i, T.int64(0))] = A[T.max(i, T.int64(0))]

    @T.prim_func
    def below(a: T.handle, b: T.handle, s: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(T.int64(1), n):
            if i < s:
                B[i] = A[i]
