# Indices that go around the ends of a dimension, once, twice, or where sums may wrap.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def roll(a: T.Buffer(("n",), "float32"), o: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            o[i] = a[(i + 7) % n]

    @T.prim_func(s_tir=True)
    def circ(a: T.Buffer(("n",), "float32"), k: T.Buffer((9,), "float32"), o: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            o[i] = T.float32(0)
            for j in range(9):
                o[i] = o[i] + a[(i + j) % n] * k[j]

    @T.prim_func(s_tir=True)
    def circm(a: T.Buffer(("n",), "float32"), k: T.Buffer((9,), "float32"), o: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            s: T.float32 = T.float32(0)
            for j in range(9):
                s = s + a[(i - j + n) % n] * k[j]
            o[i] = s

    @T.prim_func(s_tir=True)
    def circmat(a: T.Buffer(("n", "n"), "float32"), b: T.Buffer(("n", "n"), "float32"), o: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        for i, j in T.grid(n, n):
            o[i, j] = T.float32(0)
            for k in range(n):
                o[i, j] = o[i, j] + a[i, (k + j) % n] * b[k, j]

    @T.prim_func(s_tir=True)
    def life_sym(a: T.Buffer(("h", "w"), "uint8"), b: T.Buffer(("h", "w"), "uint8")):
        h = T.int32()
        w = T.int32()
        for y, x in T.grid(h, w):
            s: T.int32 = 0
            for dy, dx in T.grid(3, 3):
                if dy != 1 or dx != 1:
                    s = s + T.Cast("int32", a[(y + dy + h - 1) % h, (x + dx + w - 1) % w])
            b[y, x] = T.if_then_else(s == 3 or (s == 2 and a[y, x] == T.uint8(1)), T.uint8(1), T.uint8(0))

    @T.prim_func(s_tir=True)
    def lap_i64(a_: T.handle, o_: T.handle):
        p = T.int64()
        q = T.int64()
        a = T.match_buffer(a_, (p, q), "float32")
        o = T.match_buffer(o_, (p, q), "float32")
        for y, x in T.grid(p, q):
            o[y, x] = a[(y + p - T.int64(1)) % p, x] + a[(y + T.int64(1)) % p, x] + a[y, (x + q - T.int64(1)) % q] + a[y, (x + T.int64(1)) % q] - T.float32(4) * a[y, x]

    @T.prim_func(s_tir=True)
    def steps(u: T.Buffer(("n",), "float32"), v: T.Buffer(("n",), "float32")):
        n = T.int32()
        for t in range(20):
            for i in range(n):
                v[i] = u[i] + T.float32(0.25) * (u[(i + 1) % n] + u[(i + n - 1) % n] - T.float32(2) * u[i])
            for i in range(n):
                u[i] = v[i]

    @T.prim_func(s_tir=True)
    def wrow(a: T.Buffer(("h", "w"), "float32"), o: T.Buffer(("h", "w"), "float32")):
        h = T.int32()
        w = T.int32()
        for y, x in T.grid(h, w):
            o[y, x] = a[(y + h - 1) % h, x] + a[(y + 1) % h, x]

    @T.prim_func(s_tir=True)
    def wsum(a: T.Buffer(("h", "w"), "float32"), o: T.Buffer(("h",), "float32")):
        h = T.int32()
        w = T.int32()
        for y in range(h):
            o[y] = T.float32(0)
            for x in range(w):
                o[y] = o[y] + a[y, x] * a[y, (x + 1) % w]

    @T.prim_func(s_tir=True)
    def twice(a: T.Buffer(("n",), "int32"), o: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            o[i] = a[(i + n + n - 1) % n] + a[(i - n + 1) % n] + a[(i + 3 * n) % n]

    # By a number that is no size of these, and may be 0 or less.
    @T.prim_func(s_tir=True)
    def other(a: T.Buffer(("n",), "int32"), o: T.Buffer(("n",), "int32"), k: T.int32):
        n = T.int32()
        for i in range(n):
            o[i] = a[(i + 1) % k]

    @T.prim_func(s_tir=True)
    def far(a: T.Buffer(("n",), "int32"), o: T.Buffer(("n",), "int32"), k: T.int32):
        n = T.int32()
        for i in range(n):
            o[i] = a[(i + k) % n]

    @T.prim_func(s_tir=True)
    def in_place(a: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + a[(i + 1) % n]
