# What a condition compares may be as far apart as int64 goes: its difference is no bound of a loop.
# expect: main(5xi32=0, 5, -9223372036854775807) -> 3 3 3 3 3
# expect: main(5xi32=0, -9223372036854775807, 9223372036854775807) -> 0 0 0 0 0
# expect: main(5xi32=0, 9223372036854775800, 9223372036854775803) -> 0 0 0 3 3
# expect: clear(5xi32=0, 63xi32=0, 5, 1) -> 3 3 3 3 3
# expect: clear(5xi32=0, 63xi32=0, 9223372036854775807, 0) -> 3 3 3 3 3
# expect: below(5xi32=0, 2) -> 0 0 3 3 3
# expect: below(5xi32=0, -9223372036854775808) -> 3 3 3 3 3
# expect: below(5xi32=0, 9223372036854775807) -> 0 0 0 0 0
# expect: above(5xi32=0, 9223372036854775807) -> 3 3 3 3 3
# expect: above(5xi32=0, -9223372036854775808) -> 0 0 0 0 0
# expect: above(5xi32=0, 3) -> 3 3 3 0 0
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(O: T.Buffer((5,), "int32"), s: T.int64, t: T.int64):
        for i in range(T.int64(1)):
            for j in range(T.int64(5)):
                if i + i + j + T.max(s, T.max(s, T.int64(0))) >= t:
                    O[j] = 3

    @T.prim_func(s_tir=True)
    def clear(O: T.Buffer((5,), "int32"), A: T.Buffer((63,), "int32"), s: T.int64, k: T.int32):
        for i in range(T.Cast("int64", 1)):
            for j in range(5):
                if i + i + T.max(s, T.max(s, T.int64(0))) >= T.int64(-9223372036854775807):
                    O[j] = A[T.max(5 + k, 0)] + 3

    @T.prim_func(s_tir=True)
    def below(O: T.Buffer((5,), "int32"), n: T.int64):
        for i in range(T.int64(1)):
            for j in range(T.int64(5)):
                if n <= i + j:
                    O[j] = 3

    @T.prim_func(s_tir=True)
    def above(O: T.Buffer((5,), "int32"), n: T.int64):
        for i in range(T.int64(1)):
            for j in range(T.int64(5)):
                if i + j < n:
                    O[j] = 3
