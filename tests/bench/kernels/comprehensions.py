# What comprehensions.tc computes, written by hand.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tmm(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("n", "k"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vj, vp]

    @T.prim_func(s_tir=True)
    def tbmm(X: T.Buffer(("b", "n", "m"), "float32"), Y: T.Buffer(("b", "k", "m"), "float32"), Z: T.Buffer(("b", "n", "k"), "float32")):
        b, n, m, k = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j, p in T.grid(b, n, k, m):
            with T.sblock("Z"):
                vs, vi, vj, vp = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    Z[vs, vi, vj] = T.float32(0)
                Z[vs, vi, vj] = Z[vs, vi, vj] + X[vs, vi, vp] * Y[vs, vj, vp]

    @T.prim_func(s_tir=True)
    def gconv(A: T.Buffer(("n", "g", "c", "h0", "w0"), "float32"), K: T.Buffer(("g", "f", "c", "kh", "kw"), "float32"),
              B: T.Buffer(("g", "f"), "float32"), O: T.Buffer(("n", "g", "f", "h", "w"), "float32")):
        n, g, c, h0, w0 = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        f, kh, kw, h, w = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, s, o, y, x, p, r, q in T.grid(n, g, f, h, w, c, kh, kw):
            with T.sblock("O"):
                vi, vs, vo, vy, vx, vp, vr, vq = T.axis.remap("SSSSSRRR", [i, s, o, y, x, p, r, q])
                with T.init():
                    O[vi, vs, vo, vy, vx] = T.float32(0)
                O[vi, vs, vo, vy, vx] = O[vi, vs, vo, vy, vx] + A[vi, vs, vp, vy + vr, vx + vq] * K[vs, vo, vp, vr, vq]
        for i, s, o, y, x in T.grid(n, g, f, h, w):
            O[i, s, o, y, x] = O[i, s, o, y, x] + B[s, o]

    @T.prim_func(s_tir=True)
    def lut_1(LUT: T.Buffer(("e", "d"), "float32"), A: T.Buffer(("b", "l"), "int32"), O: T.Buffer(("b", "d"), "float32")):
        e, d, b, l = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(b, d, l):
            with T.sblock("O"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + LUT[A[vi, vp], vj]

    @T.prim_func(s_tir=True)
    def lut_2(LUT1: T.Buffer(("e1", "d"), "float32"), A1: T.Buffer(("b", "l1"), "int32"), LUT2: T.Buffer(("e2", "d"), "float32"),
              A2: T.Buffer(("b", "l2"), "int32"), O1: T.Buffer(("b", "d"), "float32"), O2: T.Buffer(("b", "d"), "float32")):
        e1, e2, d, b, l1, l2 = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(b, d, l1):
            with T.sblock("O1"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    O1[vi, vj] = T.float32(0)
                O1[vi, vj] = O1[vi, vj] + LUT1[A1[vi, vp], vj]
        for i, j, p in T.grid(b, d, l2):
            with T.sblock("O2"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    O2[vi, vj] = T.float32(0)
                O2[vi, vj] = O2[vi, vj] + LUT2[A2[vi, vp], vj]

    @T.prim_func(s_tir=True)
    def mlp_1(A: T.Buffer(("b", "m"), "float32"), W: T.Buffer(("m", "n"), "float32"), B: T.Buffer(("n",), "float32"), O: T.Buffer(("b", "n"), "float32")):
        b, m, n = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(b, n, m):
            with T.sblock("O"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + A[vi, vp] * W[vp, vj]
        for i, j in T.grid(b, n):
            O[i, j] = T.max(O[i, j] + B[j], T.float32(0))

    @T.prim_func(s_tir=True)
    def mlp_3(A: T.Buffer(("b", "n"), "float32"), W2: T.Buffer(("o", "n"), "float32"), B2: T.Buffer(("o",), "float32"),
              W3: T.Buffer(("p", "o"), "float32"), B3: T.Buffer(("p",), "float32"), W4: T.Buffer(("q", "p"), "float32"),
              B4: T.Buffer(("q",), "float32"), O2: T.Buffer(("b", "o"), "float32"), O3: T.Buffer(("b", "p"), "float32"),
              O4: T.Buffer(("b", "q"), "float32")):
        b, n, o, p, q = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, j, k in T.grid(b, o, n):
            with T.sblock("O2"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O2[vi, vj] = T.float32(0)
                O2[vi, vj] = O2[vi, vj] + A[vi, vk] * W2[vj, vk]
        for i, j in T.grid(b, o):
            O2[i, j] = T.max(O2[i, j] + B2[j], T.float32(0))
        for i, j, k in T.grid(b, p, o):
            with T.sblock("O3"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O3[vi, vj] = T.float32(0)
                O3[vi, vj] = O3[vi, vj] + O2[vi, vk] * W3[vj, vk]
        for i, j in T.grid(b, p):
            O3[i, j] = T.max(O3[i, j] + B3[j], T.float32(0))
        for i, j, k in T.grid(b, q, p):
            with T.sblock("O4"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O4[vi, vj] = T.float32(0)
                O4[vi, vj] = O4[vi, vj] + O3[vi, vk] * W4[vj, vk]
        for i, j in T.grid(b, q):
            O4[i, j] = T.max(O4[i, j] + B4[j], T.float32(0))

    @T.prim_func(s_tir=True)
    def c3(A: T.Buffer(("b", "x"), "float32"), W: T.Buffer(("y", "x"), "float32"), C: T.Buffer(("b", "y"), "float32")):
        b, x, y = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(b, y, x):
            with T.sblock("C"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * W[vj, vp]

    @T.prim_func(s_tir=True)
    def kronecker(W0: T.Buffer(("d0", "n0"), "float32"), W1: T.Buffer(("d1", "n1"), "float32"), W2: T.Buffer(("d2", "n2"), "float32"),
                  X: T.Buffer(("m", "n0", "n1", "n2"), "float32"), Y: T.Buffer(("m", "d0", "d1", "d2"), "float32"),
                  XW1: T.Buffer(("m", "n0", "d1", "d2"), "float32"), XW2: T.Buffer(("m", "n0", "n1", "d2"), "float32")):
        m, d0, d1, d2, n0, n1, n2 = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, a, b, c, r in T.grid(m, n0, n1, d2, n2):
            with T.sblock("XW2"):
                vi, va, vb, vc, vr = T.axis.remap("SSSSR", [i, a, b, c, r])
                with T.init():
                    XW2[vi, va, vb, vc] = T.float32(0)
                XW2[vi, va, vb, vc] = XW2[vi, va, vb, vc] + X[vi, va, vb, vr] * W2[vc, vr]
        for i, a, b, c, r in T.grid(m, n0, d1, d2, n1):
            with T.sblock("XW1"):
                vi, va, vb, vc, vr = T.axis.remap("SSSSR", [i, a, b, c, r])
                with T.init():
                    XW1[vi, va, vb, vc] = T.float32(0)
                XW1[vi, va, vb, vc] = XW1[vi, va, vb, vc] + XW2[vi, va, vr, vc] * W1[vb, vr]
        for i, a, b, c, r in T.grid(m, d0, d1, d2, n0):
            with T.sblock("Y"):
                vi, va, vb, vc, vr = T.axis.remap("SSSSR", [i, a, b, c, r])
                with T.init():
                    Y[vi, va, vb, vc] = T.float32(0)
                Y[vi, va, vb, vc] = Y[vi, va, vb, vc] + XW1[vi, vr, vb, vc] * W0[va, vr]

    @T.prim_func(s_tir=True)
    def group_norm(A: T.Buffer(("n", "g", "d", "h", "w"), "float32"), gamma: T.Buffer(("g", "d"), "float32"), beta: T.Buffer(("g", "d"), "float32"),
                   S: T.Buffer(("n", "g"), "float32"), Q: T.Buffer(("n", "g"), "float32"), O: T.Buffer(("n", "g", "d", "h", "w"), "float32")):
        n, g, d, h, w = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, s, c, y, x in T.grid(n, g, d, h, w):
            with T.sblock("S"):
                vi, vs, vc, vy, vx = T.axis.remap("SSRRR", [i, s, c, y, x])
                with T.init():
                    S[vi, vs] = T.float32(0)
                S[vi, vs] = S[vi, vs] + A[vi, vs, vc, vy, vx]
        for i, s, c, y, x in T.grid(n, g, d, h, w):
            with T.sblock("Q"):
                vi, vs, vc, vy, vx = T.axis.remap("SSRRR", [i, s, c, y, x])
                with T.init():
                    Q[vi, vs] = T.float32(0)
                Q[vi, vs] = Q[vi, vs] + A[vi, vs, vc, vy, vx] * A[vi, vs, vc, vy, vx]
        for i, s, c, y, x in T.grid(n, g, d, h, w):
            O[i, s, c, y, x] = gamma[s, c] * (A[i, s, c, y, x] - S[i, s] / T.Cast("float32", d * h * w)) * T.rsqrt(
                Q[i, s] / T.Cast("float32", d * h * w) - S[i, s] / T.Cast("float32", d * h * w) * (S[i, s] / T.Cast("float32", d * h * w))
                + T.float32(1e-5)) + beta[s, c]

    @T.prim_func(s_tir=True)
    def moments(A: T.Buffer(("n", "k"), "float32"), mean: T.Buffer(("n",), "float32"), var: T.Buffer(("n",), "float32")):
        n, k = T.int32(), T.int32()
        for i, j in T.grid(n, k):
            with T.sblock("mean"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    mean[vi] = T.float32(0)
                mean[vi] = mean[vi] + A[vi, vj]
        for i, j in T.grid(n, k):
            with T.sblock("var"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    var[vi] = T.float32(0)
                var[vi] = var[vi] + A[vi, vj] * A[vi, vj]
        for i in range(n):
            mean[i] = mean[i] / T.Cast("float32", k)
        for i in range(n):
            var[i] = var[i] / T.Cast("float32", k) - mean[i] * mean[i]

    @T.prim_func(s_tir=True)
    def wavenet(data: T.Buffer(("b", "c", "r"), "float32"), filter_w: T.Buffer(("l", "c", 2), "float32"), filter_b: T.Buffer(("l",), "float32"),
                gate_w: T.Buffer(("l", "c", 2), "float32"), gate_b: T.Buffer(("l",), "float32"), res_w: T.Buffer(("c", "l"), "float32"),
                res_b: T.Buffer(("c",), "float32"), skip_w: T.Buffer(("s", "l"), "float32"), skip_b: T.Buffer(("s",), "float32"),
                dilation: T.Buffer(("d",), "float32"), filtered: T.Buffer(("b", "l", "r"), "float32"), gate: T.Buffer(("b", "l", "r"), "float32"),
                both: T.Buffer(("b", "l", "r"), "float32"), res: T.Buffer(("b", "c", "r"), "float32"), skip: T.Buffer(("b", "s", "r"), "float32")):
        b, c, r, l, s, d = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, o, t in T.grid(b, l, r):
            filtered[i, o, t] = filter_b[o]
        for i, o, t, p in T.grid(b, l, r, c):
            filtered[i, o, t] = filtered[i, o, t] + (data[i, p, t] * filter_w[o, p, 1] + T.if_then_else(
                t - d >= 0, data[i, p, t - d] * filter_w[o, p, 0], T.float32(0)))
        for i, o, t in T.grid(b, l, r):
            gate[i, o, t] = gate_b[o]
        for i, o, t, p in T.grid(b, l, r, c):
            gate[i, o, t] = gate[i, o, t] + (data[i, p, t] * gate_w[o, p, 1] + T.if_then_else(
                t - d >= 0, data[i, p, t - d] * gate_w[o, p, 0], T.float32(0)))
        for i, o, t in T.grid(b, l, r):
            both[i, o, t] = T.tanh(filtered[i, o, t])
        for i, o, t in T.grid(b, l, r):
            both[i, o, t] = both[i, o, t] * (T.float32(1) / (T.float32(1) + T.exp(T.float32(0) - gate[i, o, t])))
        for i, o, t in T.grid(b, c, r):
            res[i, o, t] = data[i, o, t] + res_b[o]
        for i, o, t, p in T.grid(b, c, r, l):
            res[i, o, t] = res[i, o, t] + both[i, p, t] * res_w[o, p]
        for i, o, t, p in T.grid(b, s, r, l):
            with T.sblock("skip"):
                vi, vo, vt, vp = T.axis.remap("SSSR", [i, o, t, p])
                with T.init():
                    skip[vi, vo, vt] = T.float32(0)
                skip[vi, vo, vt] = skip[vi, vo, vt] + both[vi, vp, vt] * skip_w[vo, vp]
        for i, o, t in T.grid(b, s, r):
            skip[i, o, t] = skip[i, o, t] + skip_b[o]
