# Registers: some twenty instructions on four to ten values that are live at once.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # A balanced tree: no value is used twice but the leaves.
    @T.prim_func(s_tir=True)
    def tree(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32"), D: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a, b, c, d = A[i], B[i], C[i], D[i]
            Y[i] = T.max((a + b) * (c - d), (a - c) * (b + d)) + T.min((a - d) * (b - c), (a + c) * (b - d)) * (T.max(a - b, c + d) - T.min(a + d, b + c))

    @T.prim_func(s_tir=True)
    def tree_f64(A: T.Buffer(("n",), "float64"), B: T.Buffer(("n",), "float64"), C: T.Buffer(("n",), "float64"), D: T.Buffer(("n",), "float64"), Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            a, b, c, d = A[i], B[i], C[i], D[i]
            Y[i] = T.max((a + b) * (c - d), (a - c) * (b + d)) + T.min((a - d) * (b - c), (a + c) * (b - d)) * (T.max(a - b, c + d) - T.min(a + d, b + c))

    # All terms of x and y to the third degree.
    @T.prim_func(s_tir=True)
    def bicubic_polynomial(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32"), Z: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            x, y = X[i], Y[i]
            p0: T.let[T.float32] = ((T.float32(0.1) * x - T.float32(0.7)) * x + T.float32(0.3)) * x + T.float32(0.9)
            p1: T.let[T.float32] = ((T.float32(0.2) * x + T.float32(0.5)) * x - T.float32(0.6)) * x + T.float32(0.4)
            p2: T.let[T.float32] = ((T.float32(0.8) * x - T.float32(0.2)) * x + T.float32(0.1)) * x - T.float32(0.3)
            p3: T.let[T.float32] = ((T.float32(0.6) * x + T.float32(0.4)) * x - T.float32(0.8)) * x + T.float32(0.5)
            Z[i] = ((p3 * y + p2) * y + p1) * y + p0

    # (a b + c d) as complex numbers, real and imaginary parts apart.
    @T.prim_func(s_tir=True)
    def complex_products(AR: T.Buffer(("n",), "float32"), AI: T.Buffer(("n",), "float32"), BR: T.Buffer(("n",), "float32"), BI: T.Buffer(("n",), "float32"), CR: T.Buffer(("n",), "float32"), CI: T.Buffer(("n",), "float32"), R: T.Buffer(("n",), "float32"), J: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            ar, ai, br, bi, cr, ci = AR[i], AI[i], BR[i], BI[i], CR[i], CI[i]
            tr: T.let[T.float32] = ar * br - ai * bi + cr
            ti: T.let[T.float32] = ar * bi + ai * br + ci
            R[i] = tr * tr - ti * ti + ar
            J[i] = T.float32(2) * tr * ti + ai

    @T.prim_func(s_tir=True)
    def complex_division(AR: T.Buffer(("n",), "float32"), AI: T.Buffer(("n",), "float32"), BR: T.Buffer(("n",), "float32"), BI: T.Buffer(("n",), "float32"), R: T.Buffer(("n",), "float32"), J: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            ar, ai, br, bi = AR[i], AI[i], BR[i], BI[i]
            scale: T.let[T.float32] = T.float32(1) / (br * br + bi * bi + T.float32(0.5))
            R[i] = (ar * br + ai * bi) * scale
            J[i] = (ai * br - ar * bi) * scale

    @T.prim_func(s_tir=True)
    def quaternion(A0: T.Buffer(("n",), "float32"), A1: T.Buffer(("n",), "float32"), A2: T.Buffer(("n",), "float32"), A3: T.Buffer(("n",), "float32"), B0: T.Buffer(("n",), "float32"), B1: T.Buffer(("n",), "float32"), B2: T.Buffer(("n",), "float32"), B3: T.Buffer(("n",), "float32"), C0: T.Buffer(("n",), "float32"), C1: T.Buffer(("n",), "float32"), C2: T.Buffer(("n",), "float32"), C3: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a0, a1, a2, a3 = A0[i], A1[i], A2[i], A3[i]
            b0, b1, b2, b3 = B0[i], B1[i], B2[i], B3[i]
            C0[i] = a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3
            C1[i] = a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2
            C2[i] = a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1
            C3[i] = a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0

    @T.prim_func(s_tir=True)
    def ycbcr(R: T.Buffer(("n",), "float32"), G: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32"), U: T.Buffer(("n",), "float32"), V: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            r, g, b = R[i], G[i], B[i]
            Y[i] = T.float32(0.299) * r + T.float32(0.587) * g + T.float32(0.114) * b
            U[i] = T.float32(-0.168736) * r - T.float32(0.331264) * g + T.float32(0.5) * b + T.float32(0.5)
            V[i] = T.float32(0.5) * r - T.float32(0.418688) * g - T.float32(0.081312) * b + T.float32(0.5)

    # The same of bytes, in fixed point.
    @T.prim_func(s_tir=True)
    def ycbcr_u8(R: T.Buffer(("n",), "uint8"), G: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "uint8"), Y: T.Buffer(("n",), "uint8"), U: T.Buffer(("n",), "uint8"), V: T.Buffer(("n",), "uint8")):
        n = T.int32()
        for i in range(n):
            r: T.let[T.int32] = T.Cast("int32", R[i])
            g: T.let[T.int32] = T.Cast("int32", G[i])
            b: T.let[T.int32] = T.Cast("int32", B[i])
            Y[i] = T.Cast("uint8", T.shift_right(77 * r + 150 * g + 29 * b + 128, 8))
            U[i] = T.Cast("uint8", T.shift_right(127 * b - 43 * r - 84 * g + 32896, 8))
            V[i] = T.Cast("uint8", T.shift_right(127 * r - 106 * g - 21 * b + 32896, 8))

    @T.prim_func(s_tir=True)
    def determinant(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32"), D: T.Buffer(("n",), "float32"), E: T.Buffer(("n",), "float32"), F: T.Buffer(("n",), "float32"), G: T.Buffer(("n",), "float32"), H: T.Buffer(("n",), "float32"), K: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a, b, c, d, e, f, g, h, k = A[i], B[i], C[i], D[i], E[i], F[i], G[i], H[i], K[i]
            Y[i] = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)

    # Catmull and Rom's curve through four points.
    @T.prim_func(s_tir=True)
    def spline(P0: T.Buffer(("n",), "float32"), P1: T.Buffer(("n",), "float32"), P2: T.Buffer(("n",), "float32"), P3: T.Buffer(("n",), "float32"), S: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a, b, c, d, t = P0[i], P1[i], P2[i], P3[i], S[i]
            c3: T.let[T.float32] = T.float32(3) * (b - c) + d - a
            c2: T.let[T.float32] = T.float32(2) * a - T.float32(5) * b + T.float32(4) * c - d
            Y[i] = T.float32(0.5) * (((c3 * t + c2) * t + (c - a)) * t + T.float32(2) * b)

    # Jenkins's mix of three words.
    @T.prim_func(s_tir=True)
    def mixed_words(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n",), "int32"), Y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a: T.int32 = A[i]
            b: T.int32 = B[i]
            c: T.int32 = C[i]
            a = T.bitwise_xor(a - b - c, T.shift_right(c, 13))
            b = T.bitwise_xor(b - c - a, T.shift_left(a, 8))
            c = T.bitwise_xor(c - a - b, T.shift_right(b, 13))
            a = T.bitwise_xor(a - b - c, T.shift_right(c, 12))
            b = T.bitwise_xor(b - c - a, T.shift_left(a, 16))
            c = T.bitwise_xor(c - a - b, T.shift_right(b, 5))
            Y[i] = T.bitwise_xor(T.bitwise_xor(a, b), c)
