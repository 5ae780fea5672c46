# Floats that change places are moved as bits, NaNs of all kinds among them, also in tiles of one element.
# expect: f(9xu16=32257 1 2 3 4 5 6 7 64769, 9xu16=11 12 13 14 32300 16 17 18 19) -> 11 12 13 14 32300 16 17 18 19, 32257 1 2 3 4 5 6 7 64769
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((9,), "uint16"), B: T.Buffer((9,), "uint16")):
    X = T.decl_buffer((9,), "float16", data=A.data)
    Y = T.decl_buffer((9,), "float16", data=B.data)
    for io in range(9):
        for ii in range(T.min(1, 9 - io)):
            t: T.let[T.float16] = X[io + ii]
            X[io + ii] = Y[io + ii]
            Y[io + ii] = t
