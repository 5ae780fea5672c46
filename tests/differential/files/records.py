# Rows of memory that iterations go through in an order, and rows that only seem to be their own.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bubble5(a: T.Buffer(("n", 5), "int32")):
        n = T.int32()
        for i in range(n):
            for p in range(4):
                for j in range(4 - p):
                    lo: T.int32 = T.min(a[i, j], a[i, j + 1])
                    hi: T.int32 = T.max(a[i, j], a[i, j + 1])
                    a[i, j] = lo
                    a[i, j + 1] = hi

    @T.prim_func(s_tir=True)
    def bubble_if(a: T.Buffer(("n", 6), "float32")):
        n = T.int32()
        for i in range(n):
            for p in range(5):
                for j in range(5):
                    if a[i, j] > a[i, j + 1]:
                        t: T.float32 = a[i, j]
                        a[i, j] = a[i, j + 1]
                        a[i, j + 1] = t

    @T.prim_func(s_tir=True)
    def lu3(a: T.Buffer(("n", 3, 3), "float32")):
        n = T.int32()
        for t in range(n):
            for k in range(3):
                for i in range(k + 1, 3):
                    a[t, i, k] = a[t, i, k] / a[t, k, k]
                    for j in range(k + 1, 3):
                        a[t, i, j] = a[t, i, j] - a[t, i, k] * a[t, k, j]

    @T.prim_func(s_tir=True)
    def chol4(a: T.Buffer((50, 4, 4), "float32")):
        for t in range(50):
            for j in range(4):
                for k in range(j):
                    for i in range(j, 4):
                        a[t, i, j] = a[t, i, j] - a[t, i, k] * a[t, j, k]
                a[t, j, j] = T.sqrt(T.abs(a[t, j, j]) + T.float32(1))
                for i in range(j + 1, 4):
                    a[t, i, j] = a[t, i, j] / a[t, j, j]

    @T.prim_func(s_tir=True)
    def prefix4(a: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for i in range(n):
            for j in range(3):
                a[i, j + 1] = a[i, j + 1] + a[i, j]

    @T.prim_func(s_tir=True)
    def fwdsub(l: T.Buffer(("n", 4, 4), "float32"), b: T.Buffer(("n", 4), "float32"), x: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for t in range(n):
            for i in range(4):
                x[t, i] = b[t, i]
                for k in range(i):
                    x[t, i] = x[t, i] - l[t, i, k] * x[t, k]
                x[t, i] = x[t, i] / (l[t, i, i] + T.float32(1))

    @T.prim_func(s_tir=True)
    def flat_bubble(a: T.Buffer((160,), "float32")):
        for i in range(40):
            for p in range(3):
                for j in range(3):
                    lo: T.float32 = T.min(a[i * 4 + j], a[i * 4 + j + 1])
                    hi: T.float32 = T.max(a[i * 4 + j], a[i * 4 + j + 1])
                    a[i * 4 + j] = lo
                    a[i * 4 + j + 1] = hi

    @T.prim_func(s_tir=True)
    def wht16(a: T.Buffer(("n", 16), "float32")):
        n = T.int32()
        for i in range(n):
            for s in range(4):
                for g in range(8):
                    p: T.int32 = g // T.shift_left(1, s) * T.shift_left(2, s) + g % T.shift_left(1, s)
                    u: T.float32 = a[i, p]
                    v: T.float32 = a[i, p + T.shift_left(1, s)]
                    a[i, p] = u + v
                    a[i, p + T.shift_left(1, s)] = u - v

    @T.prim_func(s_tir=True)
    def insertion6(a: T.Buffer(("n", 6), "int32")):
        n = T.int32()
        for i in range(n):
            for j in range(1, 6):
                for k in range(j):
                    x: T.int32 = a[i, j - k - 1]
                    y: T.int32 = a[i, j - k]
                    a[i, j - k - 1] = T.min(x, y)
                    a[i, j - k] = T.max(x, y)

    @T.prim_func(s_tir=True)
    def two_recs(a: T.Buffer(("n", 4), "float32"), v: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for i in range(n):
            for s in range(3):
                for j in range(4):
                    v[i, j] = v[i, j] + T.float32(0.1) * (a[i, (j + 1) % 4] - a[i, j])
                for j in range(4):
                    a[i, j] = a[i, j] + v[i, j]

    # The next row's, and by another buffer the same one.
    @T.prim_func(s_tir=True)
    def next_row(a: T.Buffer((33, 4), "float32")):
        for i in range(32):
            for j in range(3):
                a[i, j + 1] = a[i, j] + a[i + 1, j]

    @T.prim_func(s_tir=True)
    def may_share(a: T.Buffer(("n", 4), "float32"), b: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for i in range(n):
            for j in range(3):
                a[i, j + 1] = a[i, j] + b[i, j + 1]
                b[i, j] = a[i, j + 1]

    @T.prim_func(s_tir=True)
    def by_a_view(m: T.Buffer((24, 4), "int32")):
        v = T.decl_buffer((96,), "int32", data=m.data)
        for i in range(24):
            for j in range(3):
                m[i, j + 1] = m[i, j] + v[i * 4 + j + 1]

    # Rows that a table names, more than once, and rows that are not there.
    @T.prim_func(s_tir=True)
    def named_rows(a: T.Buffer((9, 4), "int32"), at: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            for j in range(3):
                a[at[i] % 9, j + 1] = a[at[i] % 9, j] + a[at[i] % 9, j + 1]

    @T.prim_func(s_tir=True)
    def not_there(a: T.Buffer((9, 4), "int32"), b: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            if b[i] > 40:
                for j in range(3):
                    a[i, j + 1] = a[i, j] + a[i, j + 1]

    @T.prim_func(s_tir=True)
    def outside(a: T.Buffer((12, 4), "int32")):
        for i in range(12):
            for j in range(4):
                a[i, j + 1] = a[i, j] + a[i, 0]

    @T.prim_func(s_tir=True)
    def divides(a: T.Buffer(("n", 4), "int32"), b: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            for j in range(3):
                a[i, j + 1] = a[i, j] + a[i, j + 1] // (b[i] % 8)

    # Some elements of a row, where a condition says so, and elements that stay what they are.
    @T.prim_func(s_tir=True)
    def some(a: T.Buffer(("n", 3, 2), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            for j in range(2):
                if b[i] > a[i, j, 0]:
                    a[i, j + 1, 0] = a[i, j, 0] + b[i]
                else:
                    b[i] = a[i, j, 0]

    # The row that all iterations share.
    @T.prim_func(s_tir=True)
    def shared_row(a: T.Buffer((1, 4), "int32"), b: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            for j in range(3):
                a[0, j + 1] = a[0, j] + b[i]

    # Memory that gets back what was there, beside a row.
    @T.prim_func(s_tir=True)
    def restored(a: T.Buffer(("n", 4), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            t: T.let[T.float32] = b[i]
            b[i] = T.float32(7)
            c[i] = b[i] + a[i, 0]
            for k in range(3):
                a[i, k + 1] = a[i, k] + a[i, k + 1]
            b[i] = t
