# Sums of sums: what an inner loop adds up is scaled and added to what the loop around it adds up.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scaled(o: T.Buffer((20,), "float32"), w: T.Buffer((20, 96), "float32"), x: T.Buffer((96,), "float32"),
               v: T.Buffer((20, 6), "float32")):
        for r in range(20):
            total: T.float32 = T.float32(0)
            for b in range(6):
                s: T.float32 = T.float32(0)
                for i in range(16):
                    s = s + w[r, b * 16 + i] * x[b * 16 + i]
                total = total + s * v[r, b]
            o[r] = total * T.float32(3)

    @T.prim_func(s_tir=True)
    def quantised(o: T.Buffer(("n",), "float32"), w: T.Buffer(("n", "m * 32"), "int8"), x: T.Buffer(("m * 32",), "int8"),
                  v: T.Buffer(("n", "m"), "float32"), u: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for r in range(n):
            total: T.float32 = T.float32(0)
            for b in range(m):
                s: T.int32 = 0
                for i in range(32):
                    s = s + T.Cast("int32", w[r, b * 32 + i]) * T.Cast("int32", x[b * 32 + i])
                total = total + T.Cast("float32", s) * (v[r, b] * u[b])
            o[r] = total

    # Two sums in an iteration, one of which the other's scale needs.
    @T.prim_func(s_tir=True)
    def two(o: T.Buffer((17, 9), "float32"), a: T.Buffer((17, 5, 12), "float32"), c: T.Buffer((9, 5, 12), "float32"),
            d: T.Buffer((5, 12), "float32")):
        for r, q in T.grid(17, 9):
            o[r, q] = T.float32(1)
            for b in range(5):
                s: T.float32 = T.float32(0)
                t: T.float32 = T.float32(0.5)
                for i in range(12):
                    s = s + a[r, b, i] * c[q, b, i]
                    t = t + d[b, i] * a[r, b, i]
                o[r, q] = o[r, q] + s / (t + T.float32(10))

    # The inner sums start from what the outer one has come to: they cannot be apart.
    @T.prim_func(s_tir=True)
    def chained(o: T.Buffer((20,), "float32"), w: T.Buffer((20, 6, 16), "float32"), x: T.Buffer((6, 16), "float32")):
        for r in range(20):
            total: T.float32 = T.float32(0)
            for b in range(6):
                s: T.float32 = total * T.float32(0.5)
                for i in range(16):
                    s = s + w[r, b, i] * x[b, i]
                total = total * T.float32(0.25) + s
            o[r] = total

    # Rows that later ones read, a triangle of groups, and memory of the function's that is used behind it.
    @T.prim_func(s_tir=True)
    def read_back(o: T.Buffer((24,), "float32"), w: T.Buffer((24, 6, 8), "float32"), k: T.Buffer((1,), "int32")):
        s = T.alloc_buffer((6,), "float32")
        for r in range(24):
            total: T.float32 = T.float32(0)
            for b in range(6):
                s[b] = T.float32(0)
                for i in range(8):
                    s[b] = s[b] + w[r, b, i] * o[(r * 5 + b) % 24]
                total = total + s[b]
            o[r] = total + s[k[0] % 6]
        o[0] = s[k[0] % 6]

    @T.prim_func(s_tir=True)
    def triangle(o: T.Buffer((24,), "float64"), w: T.Buffer((24, 24, 8), "float64"), x: T.Buffer((24, 8), "float64")):
        for r in range(24):
            total: T.float64 = T.float64(0)
            for b in range(r + 1):
                s: T.float64 = T.float64(0)
                for i in range(8):
                    s = s + w[r, b, i] * x[b, i]
                total = total + s * s
            o[r] = total
