# Pooling and resizing of images: maximum with padding, average, global average, nearest and bilinear scaling.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def max_pool2d(A: T.Buffer(("n", "c", "h * 2", "w * 2"), "float32"), n: T.int32, c: T.int32, h: T.int32, w: T.int32, pool_max: T.Buffer(("n", "c", "h", "w"), "float32")):
        for b, k, i, j, di, dj in T.grid(n, c, h, w, 3, 3):
            with T.sblock("pool_max"):
                vb, vk, vi, vj, vdi, vdj = T.axis.remap("SSSSRR", [b, k, i, j, di, dj])
                with T.init():
                    pool_max[vb, vk, vi, vj] = T.float32(-340282346638528859811704183484516925440.0)
                pool_max[vb, vk, vi, vj] = T.max(pool_max[vb, vk, vi, vj], T.if_then_else(1 <= vi * 2 + vdi and 1 <= vj * 2 + vdj, A[vb, vk, vi * 2 + vdi - 1, vj * 2 + vdj - 1], T.float32(-340282346638528859811704183484516925440.0)))

    @T.prim_func(s_tir=True)
    def avg_pool2d(A: T.Buffer((2, 3, 12, 10), "float32"), pool_avg: T.Buffer((2, 3, 6, 5), "float32")):
        pool_sum = T.sblock_alloc_buffer((2, 3, 6, 5))
        for b, k, i, j, di, dj in T.grid(2, 3, 6, 5, 2, 2):
            with T.sblock("pool_sum"):
                vb, vk, vi, vj, vdi, vdj = T.axis.remap("SSSSRR", [b, k, i, j, di, dj])
                with T.init():
                    pool_sum[vb, vk, vi, vj] = T.float32(0)
                pool_sum[vb, vk, vi, vj] += A[vb, vk, vi * 2 + vdi, vj * 2 + vdj]
        for b, k, i, j in T.grid(2, 3, 6, 5):
            with T.sblock("pool_avg"):
                vb, vk, vi, vj = T.axis.remap("SSSS", [b, k, i, j])
                pool_avg[vb, vk, vi, vj] = pool_sum[vb, vk, vi, vj] * T.float32(0.25)

    # Channels last, few of them: the greatest of each square, and the mean of three neighbours.
    @T.prim_func(s_tir=True)
    def colours(A: T.Buffer(("h * 2", 40, 3), "uint8"), B: T.Buffer(("h", 20, 3), "uint8"), C: T.Buffer(("h * 2", 38, 3), "uint8")):
        h = T.int32()
        for y, x, c in T.grid(h, 20, 3):
            B[y, x, c] = T.max(T.max(A[y * 2, x * 2, c], A[y * 2, x * 2 + 1, c]), T.max(A[y * 2 + 1, x * 2, c], A[y * 2 + 1, x * 2 + 1, c]))
        for y, x, c in T.grid(h * 2, 38, 3):
            C[y, x, c] = T.Cast("uint8", (T.Cast("int32", A[y, x, c]) + T.Cast("int32", A[y, x + 1, c]) + T.Cast("int32", A[y, x + 2, c])) // 3)

    @T.prim_func(s_tir=True)
    def vectors(A: T.Buffer(("n * 2 + 1", 4), "float32"), B: T.Buffer(("n", 4), "float32"), C: T.Buffer(("n", 2), "int16")):
        n = T.int32()
        for i, c in T.grid(n, 4):
            best: T.float32 = T.float32(-1)
            for r in range(3):
                best = T.max(best, A[i * 2 + r, c])
            B[i, c] = best
        for i, c in T.grid(n, 2):
            C[i, c] = T.Cast("int16", A[i * 2, c] * T.float32(100)) + T.Cast("int16", A[i * 2 + 1, c] * T.float32(100))

    @T.prim_func(s_tir=True)
    def global_average(A: T.Buffer(("n", "h", "w", "c"), "float32"), out: T.Buffer(("n", "c"), "float32")):
        n, h, w, c = T.int32(), T.int32(), T.int32(), T.int32()
        for b, k, i, j in T.grid(n, c, h, w):
            with T.sblock("out"):
                vb, vk, vi, vj = T.axis.remap("SSRR", [b, k, i, j])
                with T.init():
                    out[vb, vk] = T.float32(0)
                out[vb, vk] = out[vb, vk] + A[vb, vi, vj, vk] / T.Cast("float32", h * w)

    # The greatest of each of nine parts of an image, as ranges of loops that stand in a nest with those of the parts.
    @T.prim_func(s_tir=True)
    def pyramid(A: T.Buffer(("c", "h", "w"), "float32"), best: T.Buffer(("c", 3, 3), "float32")):
        c, h, w = T.int32(), T.int32(), T.int32()
        for k, i, j in T.grid(c, 3, 3):
            best[k, i, j] = T.min_value("float32")
            for y in range(i * h // 3, ((i + 1) * h + 2) // 3):
                for x in range(j * w // 3, ((j + 1) * w + 2) // 3):
                    best[k, i, j] = T.max(best[k, i, j], A[k, y, x])

    @T.prim_func(s_tir=True)
    def resize_nearest(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("p", "q"), "uint8")):
        h, w, p, q = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(p, q):
            B[i, j] = A[i * h // p, j * w // q]

    # Half-pixel centres, clamped at the border.
    @T.prim_func(s_tir=True)
    def resize_bilinear(A: T.Buffer(("h", "w"), "float32"), B: T.Buffer(("p", "q"), "float32")):
        h, w, p, q = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(p, q):
            y: T.let[T.float32] = (T.Cast("float32", i) + T.float32(0.5)) * (T.Cast("float32", h) / T.Cast("float32", p)) - T.float32(0.5)
            x: T.let[T.float32] = (T.Cast("float32", j) + T.float32(0.5)) * (T.Cast("float32", w) / T.Cast("float32", q)) - T.float32(0.5)
            y0: T.let[T.int32] = T.Cast("int32", T.floor(y))
            x0: T.let[T.int32] = T.Cast("int32", T.floor(x))
            fy: T.let[T.float32] = y - T.floor(y)
            fx: T.let[T.float32] = x - T.floor(x)
            top: T.let[T.float32] = A[T.max(y0, 0), T.max(x0, 0)] * (T.float32(1) - fx) + A[T.max(y0, 0), T.min(x0 + 1, w - 1)] * fx
            bottom: T.let[T.float32] = A[T.min(y0 + 1, h - 1), T.max(x0, 0)] * (T.float32(1) - fx) + A[T.min(y0 + 1, h - 1), T.min(x0 + 1, w - 1)] * fx
            B[i, j] = top * (T.float32(1) - fy) + bottom * fy
