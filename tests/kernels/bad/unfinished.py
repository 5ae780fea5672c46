@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    A[0] = 1 +
