# error: 6:9 `C` is not defined
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.range(0, 16):
        C[i, 0] = A[i, 0]
