# error: 5:14 tir.const_range
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.const_range(0, 16):
        A[i, 0] = tir.float32(0)
