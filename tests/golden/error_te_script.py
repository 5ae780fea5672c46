# error: 4:1 the script of te (untyped parameters, output_tensor, const_range) is not read
import tvm

@tvm.te.hybrid.script
def outer_product(a, b):
    c = output_tensor((100, 99), "float32")
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            c[i, j] = a[i] * b[j]
    return c
