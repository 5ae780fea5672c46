# from tvm.script import tirx as T

# A shape variable is quoted where it is first used and bare from then on, within one shape as well.
@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n", 16, n), "float32"), B: T.Buffer((n,), "float32")):
    n = T.int32()
    for i in range(n):
        B[i] = A[i, 0, i]
