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

    @T.prim_func
    def columns_of_windows(x: T.Buffer(("c", "h", "w"), "float32"), o: T.Buffer(("c * 9", "h * w"), "float32")):
        c, h, w = T.int32(), T.int32(), T.int32()
        for r, q in T.grid(c * 9, h * w):
            ch: T.let[T.int32] = r // 9
            dy: T.let[T.int32] = r % 9 // 3 - 1
            dx: T.let[T.int32] = r % 3 - 1
            y: T.let[T.int32] = q // w + dy
            z: T.let[T.int32] = q % w + dx
            o[r, q] = T.if_then_else(y >= 0 and y < h and z >= 0 and z < w, x[ch, y, z], T.float32(0))

    @T.prim_func
    def sums_of_windows(o: T.Buffer(("c", 3, 3, "h", "w"), "int32"), x: T.Buffer(("c", "h", "w"), "int32")):
        c, h, w = T.int32(), T.int32(), T.int32()
        for r, a, b, i, j in T.grid(c, 3, 3, h, w):
            if i + a - 1 >= 0 and i + a - 1 < h and j + b - 1 >= 0 and j + b - 1 < w:
                x[r, i + a - 1, j + b - 1] += o[r, a, b, i, j]

    @T.prim_func
    def mirrored(a: T.Buffer(("n", "m", "k"), "int32"), b: T.Buffer(("k", "m", "n"), "int32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        for i in range(n * m * k):
            row: T.let[T.int32] = i % (m * k) // k
            last: T.let[T.int32] = m - 1 - row
            if row > 0:
                above: T.let[T.int32] = row - 1
                b[i % k, last, i // (m * k)] = a[i // (m * k), row, i % k] - a[i // (m * k), above, i % k]
            else:
                b[i % k, last, i // (m * k)] = a[i // (m * k), row, i % k]
