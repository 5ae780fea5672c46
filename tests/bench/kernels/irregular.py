# Irregular: what is done depends on the data.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def histogram(A: T.Buffer(("n",), "uint8"), counts: T.Buffer((256,), "int32")):
        n = T.int32()
        for v in range(256):
            counts[v] = 0
        for i in range(n):
            counts[A[i]] += 1

    @T.prim_func(s_tir=True)
    def prefix_sum(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        total: T.int32 = 0
        for i in range(n):
            total = total + A[i]
            B[i] = total

    @T.prim_func(s_tir=True)
    def spmv(data: T.Buffer(("e",), "float32"), indices: T.Buffer(("e",), "int32"), indptr: T.Buffer(("n + 1",), "int32"), x: T.Buffer(("m",), "float32"), y: T.Buffer(("n",), "float32")):
        e, n, m = T.int32(), T.int32(), T.int32()
        for i in range(n):
            y[i] = T.float32(0)
            for k in range(indptr[i + 1] - indptr[i]):
                y[i] = y[i] + data[indptr[i] + k] * x[indices[indptr[i] + k]]

    @T.prim_func(s_tir=True)
    def mandelbrot(left: T.float32, top: T.float32, step: T.float32, limit: T.int32, count: T.Buffer(("h", "w"), "int32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            cr: T.let[T.float32] = left + T.Cast("float32", j) * step
            ci: T.let[T.float32] = top + T.Cast("float32", i) * step
            zr: T.float32 = T.float32(0)
            zi: T.float32 = T.float32(0)
            n: T.int32 = 0
            while n < limit and zr * zr + zi * zi <= T.float32(4):
                t: T.let[T.float32] = zr * zr - zi * zi + cr
                zi = T.float32(2) * zr * zi + ci
                zr = t
                n = n + 1
            count[i, j] = n

    @T.prim_func(s_tir=True)
    def floyd_warshall(D: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        for k, i, j in T.grid(n, n, n):
            D[i, j] = T.min(D[i, j], D[i, k] + D[k, j])

    # The boxes come sorted by score; one that overlaps a kept one too much goes.
    @T.prim_func(s_tir=True)
    def nms(boxes: T.Buffer(("n", 4), "float32"), kept: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            kept[i] = 1
            for k in range(i):
                if kept[k] == 1 and kept[i] == 1:
                    wide: T.let[T.float32] = T.min(boxes[i, 0], boxes[k, 0]) + T.float32(0.4) - T.max(boxes[i, 0], boxes[k, 0])
                    high: T.let[T.float32] = T.min(boxes[i, 1], boxes[k, 1]) + T.float32(0.4) - T.max(boxes[i, 1], boxes[k, 1])
                    both: T.let[T.float32] = T.max(wide, T.float32(0)) * T.max(high, T.float32(0))
                    if both > T.float32(0.5) * (T.float32(0.32) - both):
                        kept[i] = 0

    @T.prim_func(s_tir=True)
    def insertion_sort(A: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            key: T.let[T.float32] = A[i]
            j: T.int32 = i - 1
            while j >= 0 and A[j] > key:
                A[j + 1] = A[j]
                j = j - 1
            A[j + 1] = key

    # Where each key would go: the first element that is not less.
    @T.prim_func(s_tir=True)
    def binary_search(sorted: T.Buffer(("n",), "float32"), keys: T.Buffer(("k",), "float32"), place: T.Buffer(("k",), "int32")):
        n, k = T.int32(), T.int32()
        for i in range(k):
            low: T.int32 = 0
            high: T.int32 = n
            while low < high:
                middle: T.let[T.int32] = (low + high) // 2
                if sorted[middle] < keys[i]:
                    low = middle + 1
                else:
                    high = middle
            place[i] = low
