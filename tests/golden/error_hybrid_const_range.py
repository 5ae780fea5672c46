# error: 6:14 `const_range` is not defined; write tir.unroll(n)
# error: 8:14 there is no `tir.const_range`; write tir.unroll(n)
@tvm.hybrid.script
def f(c: ty.handle) -> None:
    C = tir.buffer_bind(c, [4], "int32")
    for i in const_range(4):
        C[i] = 1
    for i in tir.const_range(4):
        C[i] = 1
