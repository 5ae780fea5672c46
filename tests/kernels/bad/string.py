@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    assert A[0] == 0, "no end
