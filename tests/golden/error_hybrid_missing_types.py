# error: 4:7 the parameter `a` needs a type: write `a: ty.handle` for what tir.buffer_bind binds, or `a: ty.int32`
# error: 4:10 the parameter `b` needs a type
@tvm.hybrid.script
def f(a, b):
    A = tir.buffer_bind(a, (8,), "float32")
    B = tir.buffer_bind(b, (8,), "float32")
    for i in tir.grid(8):
        B[i] = A[i] + 1
