# Macros: arguments are evaluated with the caller's names, bodies with the names of where they were defined.
# expect: swapped(4xi32=1 2 3 4, 4xi32=5 6 7 8) -> 6 2 3 4, 2 6 7 8
# expect: scoped(4xi32=0 0 0 0) -> 7 2 7 5
# expect: gathered(4xi32=0 0 0 0) -> 3 6 11 1
from tvm.script import ir as I
from tvm.script import tirx as T

x = 7


@T.macro
def copy(A, B):
    A[0] = B[1]


@T.macro
def lexical(A, at):
    A[at] = x


@T.macro(hygienic=False)
def dynamic(A, at):
    A[at] = x


@T.inline
def late(A, at):
    A[at] = x


@T.macro
def gather(A, *values, scale=1, at, **others):
    for i in T.unroll(len(values)):
        A[at + i] = values[0] * scale + i * others["step"]


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def swapped(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        copy(B, A)
        copy(B=B, A=A)
        copy(B, B=A)

    @T.prim_func(s_tir=True)
    def scoped(A: T.Buffer((4,), "int32")):
        for x in range(2, 3):
            lexical(A, 0)
            dynamic(A, 1)
            late(A, 2)

            @T.inline
            def nested(at):
                A[at] = x + 3

            nested(3)

    @T.prim_func(s_tir=True)
    def gathered(A: T.Buffer((4,), "int32")):
        gather(A, 3, 1, 2, at=0, step=4, scale=1)
        gather(A, *(1,), at=3, step=0)
        A[1] = A[1] - 1
