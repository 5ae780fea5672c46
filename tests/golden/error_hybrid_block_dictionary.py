# error: 5:21 `vi` is not defined
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    with tir.block({vi(0, 16): 3}, reads=A, name="b"):
        A[0, 0] = tir.float32(0)
