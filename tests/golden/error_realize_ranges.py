# error: 5:10 `C` is 1-dimensional and is realized over 2 ranges
@tvm.hybrid.script
def f(c: ty.handle) -> None:
    C = tir.buffer_bind(c, [4], "int32")
    with tir.realize(C, [tir.Range(0, 4), tir.Range(0, 4)]):
        tir.evaluate(0)
