# error: 5:14 unknown kind of loop "sequential"
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.range(0, 16, "sequential"):
        A[i, 0] = tir.float32(0)
