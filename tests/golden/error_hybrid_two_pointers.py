# error: 6:5 tir.allocate needs a pointer
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    p = tir.var("handle")
    tir.allocate(A.data, "float32", [16])
    tir.evaluate(0)
