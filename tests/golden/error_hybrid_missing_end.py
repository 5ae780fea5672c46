# error: 5:14 tir.range misses the argument `end`
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.range(16):
        A[i, 0] = tir.float32(0)
