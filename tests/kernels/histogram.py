# Histograms and other scatters: the place written depends on the data.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def histogram_u8(pixels: T.Buffer(("h", "w"), "uint8"), counts: T.Buffer((256,), "int32")):
        h, w = T.int32(), T.int32()
        for i in range(256):
            counts[i] = 0
        for i, j in T.grid(h, w):
            counts[pixels[i, j]] += 1

    # `bins` equal bins over [low, high); values outside are dropped.
    @T.prim_func(s_tir=True)
    def histogram_f32(X: T.Buffer(("n",), "float32"), low: T.float32, high: T.float32, counts: T.Buffer(("bins",), "int32")):
        n, bins = T.int32(), T.int32()
        for i in range(bins):
            counts[i] = 0
        for i in range(n):
            if X[i] >= low and X[i] < high:
                bin: T.let[T.int32] = T.Cast("int32", T.floor((X[i] - low) / (high - low) * T.Cast("float32", bins)))
                counts[T.min(bin, bins - 1)] = counts[T.min(bin, bins - 1)] + 1

    # A histogram of each row, whose bin is a variable of the inner loop.
    @T.prim_func(s_tir=True)
    def row_histograms(X: T.Buffer(("n", "m"), "float32"), counts: T.Buffer(("n", 16), "int32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, 16):
            counts[i, j] = 0
        for i, j in T.grid(n, m):
            bin: T.let[T.int32] = T.Cast("int32", X[i, j])
            counts[i, bin] += 1

    # The joint histogram of two labelings.
    @T.prim_func(s_tir=True)
    def confusion(truth: T.Buffer(("n",), "int32"), guess: T.Buffer(("n",), "int64"), table: T.Buffer(("k", "k"), "int32")):
        n, k = T.int32(), T.int32()
        for i, j in T.grid(k, k):
            table[i, j] = 0
        for i in range(n):
            table[truth[i], guess[i]] = table[truth[i], guess[i]] + 1

    # out[index[i], :] += rows[i, :], the gradient of an embedding.
    @T.prim_func(s_tir=True)
    def scatter_add(rows: T.Buffer(("n", "d"), "float32"), index: T.Buffer(("n",), "int32"), out: T.Buffer(("v", "d"), "float32")):
        n, d, v = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            out[index[i], j] = out[index[i], j] + rows[i, j]

    # A sparse matrix of coordinates times a dense one.
    @T.prim_func(s_tir=True)
    def sparse_rows(row: T.Buffer(("e",), "int32"), column: T.Buffer(("e",), "int64"), value: T.Buffer(("e",), "float32"), dense: T.Buffer(("k", "d"), "float32"), out: T.Buffer(("m", "d"), "float32")):
        e, k, d, m = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(e, d):
            out[row[i], j] = out[row[i], j] + value[i] * dense[column[i], j]

    # Counting sort of bytes: count, scan, fill.
    @T.prim_func(s_tir=True)
    def counting_sort(A: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "uint8")):
        n = T.int32()
        start = T.alloc_buffer((257,), "int32")
        for i in range(257):
            start[i] = 0
        for i in range(n):
            start[T.Cast("int32", A[i]) + 1] += 1
        for i in range(256):
            start[i + 1] += start[i]
        for i in range(n):
            B[start[A[i]]] = A[i]
            start[A[i]] += 1
