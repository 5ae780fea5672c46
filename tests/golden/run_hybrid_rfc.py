# expect: f(4xf32=1 2 3 4, 4xf32=0) -> 9 3 4 5
# The RFC's own way of writing what special statements make shorter: a variable with its name, a buffer with its ranges.
@tvm.hybrid.script
def f(a: ty.handle, c: ty.handle) -> None:
    A = tir.buffer_bind(a, [4], "float32", elem_offset=0, align=128, offset_factor=1)
    C = tir.buffer_bind(c, [4], "float32", elem_offset=0, align=128, offset_factor=1)
    with tir.allocate(tir.var(name_hint="packedB", dtype="handle"), "float32", [16, 16, 16], True):
        for i in tir.range(0, 4):
            C[i] = A[i] + tir.float32(1)
    with tir.realize(tir.Buffer([16, 14], elem_offset=0, align=128, offset_factor=1), [tir.Range(0, 16), tir.Range(0, 14)]):
        C[0] = tir.float32(9)
