# Products of matrices, and what is one: convolutions, attention, dense layers.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def matmul(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func(s_tir=True)
    def matmul_f64(A: T.Buffer(("m", "k"), "float64"), B: T.Buffer(("k", "n"), "float64"), C: T.Buffer(("m", "n"), "float64")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float64(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func(s_tir=True)
    def matmul_f16(A: T.Buffer(("m", "k"), "float16"), B: T.Buffer(("k", "n"), "float16"), C: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])

    @T.prim_func(s_tir=True)
    def matmul_i8(A: T.Buffer(("m", "k"), "int8"), B: T.Buffer(("k", "n"), "int8"), C: T.Buffer(("m", "n"), "int32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = 0
                C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

    @T.prim_func(s_tir=True)
    def matmul_tn(A: T.Buffer(("k", "m"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vk, vi] * B[vk, vj]

    @T.prim_func(s_tir=True)
    def matmul_nt(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("n", "k"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @T.prim_func(s_tir=True)
    def matmul_batched(A: T.Buffer(("b", "m", "k"), "float32"), B: T.Buffer(("b", "k", "n"), "float32"), C: T.Buffer(("b", "m", "n"), "float32")):
        b, m, n, k = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j, p in T.grid(b, m, n, k):
            with T.sblock("C"):
                vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    C[vs, vi, vj] = T.float32(0)
                C[vs, vi, vj] = C[vs, vi, vj] + A[vs, vi, vk] * B[vs, vk, vj]

    @T.prim_func(s_tir=True)
    def gemv(A: T.Buffer(("m", "k"), "float32"), x: T.Buffer(("k",), "float32"), y: T.Buffer(("m",), "float32")):
        m, k = T.int32(), T.int32()
        for i, p in T.grid(m, k):
            with T.sblock("y"):
                vi, vk = T.axis.remap("SR", [i, p])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + A[vi, vk] * x[vk]

    # The transposed matrix times a vector.
    @T.prim_func(s_tir=True)
    def gemv_t(A: T.Buffer(("k", "m"), "float32"), x: T.Buffer(("k",), "float32"), y: T.Buffer(("m",), "float32")):
        m, k = T.int32(), T.int32()
        for i, p in T.grid(m, k):
            with T.sblock("y"):
                vi, vk = T.axis.remap("SR", [i, p])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + A[vk, vi] * x[vk]

    # 3 x 3 over a padded copy of the image.
    @T.prim_func(s_tir=True)
    def conv2d_nhwc(X: T.Buffer(("n", "h", "w", "ci"), "float32"), W: T.Buffer((3, 3, "ci", "co"), "float32"), Y: T.Buffer(("n", "h", "w", "co"), "float32")):
        n, h, w, ci, co = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        P = T.sblock_alloc_buffer((n, h + 2, w + 2, ci))
        for i0, i1, i2, i3 in T.grid(n, h + 2, w + 2, ci):
            with T.sblock("P"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                P[v0, v1, v2, v3] = T.if_then_else(1 <= v1 and v1 < h + 1 and 1 <= v2 and v2 < w + 1, X[v0, v1 - 1, v2 - 1, v3], T.float32(0))
        for b, y, x, f, ry, rx, rc in T.grid(n, h, w, co, 3, 3, ci):
            with T.sblock("Y"):
                vb, vy, vx, vf, vry, vrx, vrc = T.axis.remap("SSSSRRR", [b, y, x, f, ry, rx, rc])
                with T.init():
                    Y[vb, vy, vx, vf] = T.float32(0)
                Y[vb, vy, vx, vf] = Y[vb, vy, vx, vf] + P[vb, vy + vry, vx + vrx, vrc] * W[vry, vrx, vrc, vf]

    # 3 x 3 without padding, channels first.
    @T.prim_func(s_tir=True)
    def conv2d_nchw(X: T.Buffer(("n", "ci", "h + 2", "w + 2"), "float32"), W: T.Buffer(("co", "ci", 3, 3), "float32"), Y: T.Buffer(("n", "co", "h", "w"), "float32")):
        n, h, w, ci, co = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for b, f, y, x, rc, ry, rx in T.grid(n, co, h, w, ci, 3, 3):
            with T.sblock("Y"):
                vb, vf, vy, vx, vrc, vry, vrx = T.axis.remap("SSSSRRR", [b, f, y, x, rc, ry, rx])
                with T.init():
                    Y[vb, vf, vy, vx] = T.float32(0)
                Y[vb, vf, vy, vx] = Y[vb, vf, vy, vx] + X[vb, vrc, vy + vry, vx + vrx] * W[vf, vrc, vry, vrx]

    # The padding's condition inside of the sum.
    @T.prim_func(s_tir=True)
    def conv2d_padded(X: T.Buffer(("n", "h", "w", "ci"), "float32"), W: T.Buffer((3, 3, "ci", "co"), "float32"), Y: T.Buffer(("n", "h", "w", "co"), "float32")):
        n, h, w, ci, co = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for b, y, x, f, ry, rx, rc in T.grid(n, h, w, co, 3, 3, ci):
            with T.sblock("Y"):
                vb, vy, vx, vf, vry, vrx, vrc = T.axis.remap("SSSSRRR", [b, y, x, f, ry, rx, rc])
                with T.init():
                    Y[vb, vy, vx, vf] = T.float32(0)
                Y[vb, vy, vx, vf] = Y[vb, vy, vx, vf] + T.if_then_else(1 <= vy + vry and vy + vry < h + 1 and 1 <= vx + vrx and vx + vrx < w + 1, X[vb, vy + vry - 1, vx + vrx - 1, vrc], T.float32(0)) * W[vry, vrx, vrc, vf]

    @T.prim_func(s_tir=True)
    def depthwise(X: T.Buffer(("n", "h + 2", "w + 2", "c"), "float32"), W: T.Buffer((3, 3, "c"), "float32"), Y: T.Buffer(("n", "h", "w", "c"), "float32")):
        n, h, w, c = T.int32(), T.int32(), T.int32(), T.int32()
        for b, y, x, f, ry, rx in T.grid(n, h, w, c, 3, 3):
            with T.sblock("Y"):
                vb, vy, vx, vf, vry, vrx = T.axis.remap("SSSSRR", [b, y, x, f, ry, rx])
                with T.init():
                    Y[vb, vy, vx, vf] = T.float32(0)
                Y[vb, vy, vx, vf] = Y[vb, vy, vx, vf] + X[vb, vy + vry, vx + vrx, vf] * W[vry, vrx, vf]

    @T.prim_func(s_tir=True)
    def attention(Q: T.Buffer(("n", "d"), "float32"), K: T.Buffer(("m", "d"), "float32"), V: T.Buffer(("m", "d"), "float32"), O: T.Buffer(("n", "d"), "float32")):
        n, m, d = T.int32(), T.int32(), T.int32()
        S = T.sblock_alloc_buffer((n, m))
        top = T.sblock_alloc_buffer((n,))
        P = T.sblock_alloc_buffer((n, m))
        total = T.sblock_alloc_buffer((n,))
        R = T.sblock_alloc_buffer((n, d))
        for i, j, x in T.grid(n, m, d):
            with T.sblock("S"):
                vi, vj, vx = T.axis.remap("SSR", [i, j, x])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vx] * K[vj, vx]
        for i, j in T.grid(n, m):
            with T.sblock("top"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    top[vi] = T.min_value("float32")
                top[vi] = T.max(top[vi], S[vi, vj])
        for i, j in T.grid(n, m):
            with T.sblock("P"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = T.exp((S[vi, vj] - top[vi]) * T.float32(0.125))
        for i, j in T.grid(n, m):
            with T.sblock("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + P[vi, vj]
        for i, x, j in T.grid(n, d, m):
            with T.sblock("R"):
                vi, vx, vj = T.axis.remap("SSR", [i, x, j])
                with T.init():
                    R[vi, vx] = T.float32(0)
                R[vi, vx] = R[vi, vx] + P[vi, vj] * V[vj, vx]
        for i, x in T.grid(n, d):
            with T.sblock("O"):
                vi, vx = T.axis.remap("SS", [i, x])
                O[vi, vx] = R[vi, vx] / total[vi]

    @T.prim_func(s_tir=True)
    def dense_relu(X: T.Buffer(("m", "k"), "float32"), W: T.Buffer(("n", "k"), "float32"), bias: T.Buffer(("n",), "float32"), Y: T.Buffer(("m", "n"), "float32")):
        m, n, k = T.int32(), T.int32(), T.int32()
        Z = T.sblock_alloc_buffer((m, n))
        for i, j, p in T.grid(m, n, k):
            with T.sblock("Z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    Z[vi, vj] = T.float32(0)
                Z[vi, vj] = Z[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(m, n):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(Z[vi, vj] + bias[vj], T.float32(0))
