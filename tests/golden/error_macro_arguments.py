# error: 26:5 `copy` needs the argument `B`
# error: 27:16 `copy` has no parameter `C`, or has got it already
# error: 28:16 `copy` takes fewer arguments: there is no parameter for this
# error: 29:5 `later` needs the argument `B`
# error: 19:11 T.inline has no such option; T.macro has hygienic=True or False
from tvm.script import tirx as T


@T.macro
def copy(A, B):
    A[0] = B[1]


@T.inline
def later(A, *, B):
    A[0] = B[1]


@T.inline(hygienic=True)
def unknown(A):
    A[0] = 1


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    copy(A, A=A)
    copy(A, A, C=A)
    copy(A, A, A)
    later(A, A)
