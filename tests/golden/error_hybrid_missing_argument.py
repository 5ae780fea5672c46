# error: 4:9 binds parameters only
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind((16, 16), "float32")
