# What takes long and is the same in many iterations, which memory keeps: positions of resized images in sizes that are
# parameters of both types, also such that are outside; angles of positions and channels; windows; a division that fails.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def nearest(a: T.Buffer(("h", "w", 3), "uint8"), o: T.Buffer(("p", "q", 3), "uint8")):
        h, w, p, q = T.int32(), T.int32(), T.int32(), T.int32()
        for y, x, c in T.grid(p, q, 3):
            o[y, x, c] = a[y * h // p, x * w // q, c]

    @T.prim_func
    def nearest_of_channels(a_handle: T.handle, o_handle: T.handle):
        c, h, w, p, q = T.int64(), T.int64(), T.int64(), T.int64(), T.int64()
        a = T.match_buffer(a_handle, (c, h, w), "float32")
        o = T.match_buffer(o_handle, (c, p, q), "float32")
        for k, y, x in T.grid(c, p, q):
            o[k, y, x] = a[k, T.truncdiv(y * h, p), T.truncdiv(x * w, q)]

    @T.prim_func
    def nearest_of_sizes(a: T.Buffer((40, 50), "float32"), o: T.Buffer((70, 90), "float32"), p: T.int32, q: T.int32):
        for y, x in T.grid(70, 90):
            o[y, x] = a[y * 40 // p, x * 50 // q]

    @T.prim_func
    def nearest_constant(a: T.Buffer((30, 40, 3), "uint8"), o: T.Buffer((50, 75, 3), "uint8")):
        for y, x, c in T.grid(50, 75, 3):
            o[y, x, c] = a[y * 30 // 50, x * 40 // 75, c]

    @T.prim_func
    def beyond(a: T.Buffer(("n",), "int32"), o: T.Buffer(("m", "q"), "int32")):
        n, m, q = T.int32(), T.int32(), T.int32()
        for y, x in T.grid(m, q):
            o[y, x] = a[(x * n + n - 1) // q] + a[x * (n + 1) // q]

    @T.prim_func
    def rotated(x: T.Buffer((2, "t", 4, 64), "float32"), p: T.Buffer(("t",), "int32"), o: T.Buffer((2, "t", 4, 64), "float32")):
        t = T.int32()
        for b, s, h, d in T.grid(2, t, 4, 64):
            angle: T.float32 = T.Cast("float32", p[s]) * T.exp(T.Cast("float32", d % 32) * T.float32(-0.28782314))
            other: T.float32 = T.if_then_else(d < 32, -x[b, s, h, d + 32], x[b, s, h, d - 32])
            o[b, s, h, d] = x[b, s, h, d] * T.cos(angle) + other * T.sin(angle)

    @T.prim_func
    def rotated_in_place(x: T.Buffer(("n", 8, 64), "float32")):
        n = T.int32()
        for s, h, d in T.grid(n, 8, 32):
            angle: T.float32 = T.Cast("float32", s) * T.pow(T.float32(10000), T.Cast("float32", d) * T.float32(-0.03125))
            a: T.float32 = x[s, h, d]
            b: T.float32 = x[s, h, d + 32]
            x[s, h, d] = a * T.cos(angle) - b * T.sin(angle)
            x[s, h, d + 32] = a * T.sin(angle) + b * T.cos(angle)

    @T.prim_func
    def windowed(x: T.Buffer(("n", "m"), "float64"), o: T.Buffer(("n", "m"), "float64")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            o[i, j] = x[i, j] * (T.float64(0.5) - T.float64(0.5) * T.cos(T.Cast("float64", j) * T.float64(0.0245)))

    @T.prim_func
    def scaled(x: T.Buffer((8, 64, 32), "float32"), g: T.Buffer((32,), "float32"), v: T.Buffer((32,), "float32"), o: T.Buffer((8, 64, 32), "float32")):
        for b, p, c in T.grid(8, 64, 32):
            o[b, p, c] = x[b, p, c] * (g[c] / T.sqrt(v[c] + T.float32(1e-5)))

    @T.prim_func
    def divided(x: T.Buffer((64, 64), "int32"), d: T.Buffer((64,), "int32"), o: T.Buffer((64, 64), "int32")):
        for i, j in T.grid(64, 64):
            o[i, j] = x[i, j] + 1000 // d[j]
