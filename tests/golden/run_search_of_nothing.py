# Loops that an iteration leaves and that have none the second time: nothing is found then, as far as the first one went.
# expect: f(9xi32=0, 9xi32=0, 4) -> 5 5 5 5 10 10 10 10 10
# expect: f(9xi32=0, 9xi32=0, 9) -> 5 5 5 5 5 5 5 5 5
# expect: f(9xi32=0, 9xi32=0, 12) -> 5 5 5 5 5 5 5 5 5
# expect: f(9xi32=0, 9xi32=0 0 0 0 1 0 0 0 0, 9) -> 5 5 5 5 0 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(B: T.Buffer((9,), "int32"), I: T.Buffer((9,), "int32"), m: T.int32):
    for r in range(2):
        for i in range(r * T.max(m, 0), 9):
            if I[i] == 1:
                break
            B[i] = B[i] + 5
