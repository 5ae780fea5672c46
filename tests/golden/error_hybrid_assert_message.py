# error: 5:5 needs a message
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    assert 1 > 0
    A[0, 0] = tir.float32(0)
