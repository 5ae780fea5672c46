# Tensors in another shape, by the number of each element: sizes are known when the call comes.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def flatten(a: T.Buffer(("n", "m"), "float32"), b: T.Buffer(("n * m",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n * m):
            b[i] = a[i // m, i % m]

    @T.prim_func
    def flatten_three(a: T.Buffer(("n", "m", "k"), "int8"), b: T.Buffer(("n * m * k",), "int8")):
        n, m, k = T.int32(), T.int32(), T.int32()
        for i in range(n * m * k):
            b[i] = a[i // (m * k), i % (m * k) // k, i % k]

    @T.prim_func
    def swap_halves(a: T.Buffer(("n", "m * 2"), "float32"), w: T.Buffer(("m",), "float32"), b: T.Buffer(("n", "m * 2"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m * 2):
            b[i, j] = a[i, (1 - j // m) * m + j % m] * w[j % m]

    @T.prim_func
    def counted(n: T.int32, m: T.int32, b: T.Buffer((64,), "int32")):
        for i in range(n * m):
            if i < 64:
                b[i] = i // m * 1000 + i % m
