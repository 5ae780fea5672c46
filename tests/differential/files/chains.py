# Sums of several terms in an iteration, as loops are that were unrolled by hand.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def chain_0(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float32")):
        s: T.float32 = T.float32(1)
        for i in range(0, k[0] % 92, 2):
            s = s + a[i] * b[i] + a[i + 1] * b[i + 1]
        out[0] = s
        for i in range(0, 90, 2):
            s = s + a[i] * b[i] + a[i + 1] * b[i + 1]
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_3(a: T.Buffer((100,), "float64"), b: T.Buffer((100,), "float64"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float64")):
        s: T.float64 = T.float64(1)
        for i in range(0, k[0] % 92, 5):
            s = s - a[i + 3] * b[i + 3] - a[i + 4] * b[i + 4] - a[i + 5] * b[i + 5] - a[i + 6] * b[i + 6] - a[i + 7] * b[i + 7]
        out[0] = s
        for i in range(0, 90, 5):
            s = s - a[i + 3] * b[i + 3] - a[i + 4] * b[i + 4] - a[i + 5] * b[i + 5] - a[i + 6] * b[i + 6] - a[i + 7] * b[i + 7]
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_6(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float32")):
        s: T.float32 = T.float32(1)
        for i in range(0, k[0] % 92, 5):
            s = s + a[i + 3] + a[i + 4] + a[i + 5] + a[i + 6] + a[i + 7]
        out[0] = s
        for i in range(0, 90, 5):
            s = s + a[i + 3] + a[i + 4] + a[i + 5] + a[i + 6] + a[i + 7]
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_8(a: T.Buffer((100,), "int32"), b: T.Buffer((100,), "int32"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "int32")):
        s: T.int32 = T.int32(1)
        for i in range(0, k[0] % 92, 5):
            s = s * a[i + 3] * a[i + 4] * a[i + 5] * a[i + 6] * a[i + 7]
        out[0] = s
        for i in range(0, 90, 5):
            s = s * a[i + 3] * a[i + 4] * a[i + 5] * a[i + 6] * a[i + 7]
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_11(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float32")):
        s: T.float32 = T.float32(1)
        for i in range(0, k[0] % 92, 5):
            s = T.max(T.max(T.max(T.max(T.max(s, a[i + 3]), a[i + 4]), a[i + 5]), a[i + 6]), a[i + 7])
        out[0] = s
        for i in range(0, 90, 5):
            s = T.max(T.max(T.max(T.max(T.max(s, a[i + 3]), a[i + 4]), a[i + 5]), a[i + 6]), a[i + 7])
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_14(a: T.Buffer((100,), "int64"), b: T.Buffer((100,), "int64"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "int64")):
        s: T.int64 = T.int64(1)
        for i in range(0, k[0] % 92, 3):
            s = T.min(T.min(T.min(s, a[i + 1] - b[i + 1]), a[i + 2] - b[i + 2]), a[i + 4] - b[i + 4])
        out[0] = s
        for i in range(0, 90, 3):
            s = T.min(T.min(T.min(s, a[i + 1] - b[i + 1]), a[i + 2] - b[i + 2]), a[i + 4] - b[i + 4])
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_16(a: T.Buffer((100,), "float16"), b: T.Buffer((100,), "float16"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float16")):
        s: T.float16 = T.float16(1)
        for i in range(0, k[0] % 92, 5):
            s = s + a[i + 3] + a[i + 4] + a[i + 5] + a[i + 6] + a[i + 7]
        out[0] = s
        for i in range(0, 90, 5):
            s = s + a[i + 3] + a[i + 4] + a[i + 5] + a[i + 6] + a[i + 7]
        out[1] = s

    @T.prim_func(s_tir=True)
    def chain_19(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32"),
                k: T.Buffer((1,), "int32"), out: T.Buffer((2,), "float32")):
        s: T.float32 = T.float32(1)
        for i in range(0, k[0] % 92, 3):
            s = s - T.abs(b[i + 1]) - T.abs(b[i + 2]) - T.abs(b[i + 4])
        out[0] = s
        for i in range(0, 90, 3):
            s = s - T.abs(b[i + 1]) - T.abs(b[i + 2]) - T.abs(b[i + 4])
        out[1] = s

    # An iteration computes with what the one before it has stored, in ways that no lanes have.
    @T.prim_func(s_tir=True)
    def recurrences(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32"), k: T.Buffer((1,), "int32"),
                    c: T.Buffer((100,), "int16"), d: T.Buffer((100,), "bool"), out: T.Buffer((2,), "float32")):
        n: T.let[T.int32] = k[0] % 50 + 45
        for i in range(1, n):
            a[i] = a[i - 1] * a[i - 1] + b[i]
        for i in range(2, n):
            b[i] = b[i - 1] * b[i - 1] - b[i - 2] * a[i]
        for i in range(n - 1):
            c[i + 1] = c[i] * c[i] + T.Cast("int16", i * 300)
        for i in range(1, n):
            d[i] = (d[i - 1] and d[i]) or (not d[i - 1] and a[i] > b[i])
        for i in range(1, n):
            a[i] = a[i - 1] * a[i - 1] * T.float32(0.5)
            b[i] = b[i - 1] * b[i - 1] + a[i - 1]
        for i in range(1, n):
            if a[i - 1] * a[i - 1] < b[i]:
                a[i] = a[i - 1] * b[i]
            else:
                a[i] = b[i] * b[i - 1]
            out[0] = out[0] * out[0] - a[i]
        for i in range(1, k[0] % 103):
            b[i] = b[i - 1] * b[i - 1]

    # Parts of a carried value that have names: asked for once or twice, of memory that is stored to in between, after
    # the variable has changed.
    @T.prim_func(s_tir=True)
    def sweeps(a: T.Buffer((9, 100), "float32"), b: T.Buffer((9, 100), "float32"), k: T.Buffer((1,), "int32")):
        n: T.let[T.int32] = k[0] % 50 + 46
        for i in range(1, 8):
            for j in range(1, n):
                r: T.float32 = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - b[i, j]
                q: T.float32 = T.float32(0.25) * r - a[i, j]
                a[i, j] = a[i, j] + T.float32(1.5) * q

    @T.prim_func(s_tir=True)
    def parts(a: T.Buffer((100,), "float64"), b: T.Buffer((100,), "float64"), d: T.Buffer((100,), "float64"),
              k: T.Buffer((1,), "int32"), out: T.Buffer((4,), "float64")):
        n: T.let[T.int32] = k[0] % 50 + 46
        s: T.float64 = T.float64(1)
        for i in range(1, n):
            twice: T.float64 = s * a[i]
            s = twice - b[i] * twice
        out[0] = s
        s = T.float64(2)
        for i in range(1, n):
            kept: T.float64 = s * b[i]
            b[i] = a[i] + s
            s = kept + b[i]
        out[1] = s
        s = T.float64(3)
        t: T.float64 = T.float64(0)
        for i in range(1, n):
            old: T.float64 = s * T.float64(0.5)
            s = s * a[i] + d[i]
            t = t * d[i] + old
        out[2] = s + t
        for i in range(1, n):
            before: T.float64 = s - a[i]
            d[i] = before
            s = before * T.float64(0.5)
        out[3] = s
