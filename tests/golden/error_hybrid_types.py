# error: 4:24 there is no type ty.float31
# error: 4:39 ty.Tuple is not supported
@tvm.hybrid.script
def f(a: ty.handle, b: ty.float31) -> ty.Tuple[ty.int32, ty.int32]:
    A = tir.buffer_bind(a, (16, 16))
