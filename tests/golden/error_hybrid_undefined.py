# What is undefined in Hybrid Script says what to write in its own names.
# error: 10:16 `exp` is not defined; write tir.exp(...)
# error: 11:16 there is no `tir.nan`; write tir.float32("nan")
# error: 12:16 `x` is not defined; give it a value before this line, or make it a parameter, `x: ty.int32`
# error: 13:8 `f32` is not defined; write ty.float32
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.match_buffer(a, (8,), "float32")
    for i in tir.range(0, 8):
        A[i] = exp(A[i])
        A[i] = tir.nan
        A[i] = x
    k: f32 = 1.0
