# init runs where every reduce variable is at its minimum, so the row's first element does not matter.
# expect: f(2x3xi32=1 2 3 10 20 30, 2xi32=99) -> 6 60
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2, 3), "int32"), B: T.Buffer((2,), "int32")):
    for i, k in T.grid(2, 3):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi, vk]
