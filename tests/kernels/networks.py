# Layers: LSTM and GRU cells and a sequence of them, group norm, batch norm, GELU, Winograd convolution, convolution of
# groups with dilation, transposed convolution, cross entropy with its gradient, Adam.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # Gates in the order input, forget, cell, output.
    @T.prim_func(s_tir=True)
    def lstm_cell(x: T.Buffer(("b", "i"), "float32"), h: T.Buffer(("b", "n"), "float32"), c: T.Buffer(("b", "n"), "float32"), Wx: T.Buffer(("4 * n", "i"), "float32"), Wh: T.Buffer(("4 * n", "n"), "float32"), bias: T.Buffer(("4 * n",), "float32"), h_out: T.Buffer(("b", "n"), "float32"), c_out: T.Buffer(("b", "n"), "float32")):
        b, i, n = T.int32(), T.int32(), T.int32()
        gates_x = T.sblock_alloc_buffer((b, 4 * n))
        gates_h = T.sblock_alloc_buffer((b, 4 * n))
        for s, g, k in T.grid(b, 4 * n, i):
            with T.sblock("gates_x"):
                vs, vg, vk = T.axis.remap("SSR", [s, g, k])
                with T.init():
                    gates_x[vs, vg] = bias[vg]
                gates_x[vs, vg] = gates_x[vs, vg] + x[vs, vk] * Wx[vg, vk]
        for s, g, k in T.grid(b, 4 * n, n):
            with T.sblock("gates_h"):
                vs, vg, vk = T.axis.remap("SSR", [s, g, k])
                with T.init():
                    gates_h[vs, vg] = T.float32(0)
                gates_h[vs, vg] = gates_h[vs, vg] + h[vs, vk] * Wh[vg, vk]
        for s, j in T.grid(b, n):
            with T.sblock("state"):
                vs, vj = T.axis.remap("SS", [s, j])
                c_out[vs, vj] = T.sigmoid(gates_x[vs, vj + n] + gates_h[vs, vj + n]) * c[vs, vj] + T.sigmoid(gates_x[vs, vj] + gates_h[vs, vj]) * T.tanh(gates_x[vs, vj + 2 * n] + gates_h[vs, vj + 2 * n])
                h_out[vs, vj] = T.sigmoid(gates_x[vs, vj + 3 * n] + gates_h[vs, vj + 3 * n]) * T.tanh(c_out[vs, vj])

    @T.prim_func(s_tir=True)
    def lstm_sequence(X: T.Buffer(("t", "b", "i"), "float32"), Wx: T.Buffer(("4 * n", "i"), "float32"), Wh: T.Buffer(("4 * n", "n"), "float32"), bias: T.Buffer(("4 * n",), "float32"), H: T.Buffer(("t + 1", "b", "n"), "float32"), C: T.Buffer(("t + 1", "b", "n"), "float32")):
        t, b, i, n = T.int32(), T.int32(), T.int32(), T.int32()
        gates = T.alloc_buffer((4, n), "float32")
        for s, j in T.grid(b, n):
            H[0, s, j] = T.float32(0)
            C[0, s, j] = T.float32(0)
        for step, s in T.grid(t, b):
            for g, j in T.grid(4, n):
                total: T.float32 = bias[g * n + j]
                for k in range(i):
                    total += X[step, s, k] * Wx[g * n + j, k]
                for k in range(n):
                    total += H[step, s, k] * Wh[g * n + j, k]
                gates[g, j] = total
            for j in range(n):
                C[step + 1, s, j] = T.sigmoid(gates[1, j]) * C[step, s, j] + T.sigmoid(gates[0, j]) * T.tanh(gates[2, j])
                H[step + 1, s, j] = T.sigmoid(gates[3, j]) * T.tanh(C[step + 1, s, j])

    @T.prim_func(s_tir=True)
    def gru_cell(x: T.Buffer(("i",), "float64"), h: T.Buffer(("n",), "float64"), W: T.Buffer((3, "n", "i"), "float64"), U: T.Buffer((3, "n", "n"), "float64"), out: T.Buffer(("n",), "float64")):
        i, n = T.int32(), T.int32()
        wx = T.alloc_buffer((3, n), "float64")
        uh = T.alloc_buffer((3, n), "float64")
        for g, j in T.grid(3, n):
            wx[g, j] = T.float64(0)
            uh[g, j] = T.float64(0)
            for k in range(i):
                wx[g, j] += W[g, j, k] * x[k]
            for k in range(n):
                uh[g, j] += U[g, j, k] * h[k]
        for j in range(n):
            z: T.let[T.float64] = T.sigmoid(wx[0, j] + uh[0, j])
            r: T.let[T.float64] = T.sigmoid(wx[1, j] + uh[1, j])
            new: T.let[T.float64] = T.tanh(wx[2, j] + r * uh[2, j])
            out[j] = (T.float64(1) - z) * new + z * h[j]

    @T.prim_func(s_tir=True)
    def group_norm(X: T.Buffer(("n", "g", "c", "s"), "float32"), gamma: T.Buffer(("g", "c"), "float32"), beta: T.Buffer(("g", "c"), "float32"), Y: T.Buffer(("n", "g", "c", "s"), "float32")):
        n, g, c, s = T.int32(), T.int32(), T.int32(), T.int32()
        total = T.sblock_alloc_buffer((n, g))
        squares = T.sblock_alloc_buffer((n, g))
        for a, b, x, y in T.grid(n, g, c, s):
            with T.sblock("sums"):
                va, vb, vx, vy = T.axis.remap("SSRR", [a, b, x, y])
                with T.init():
                    total[va, vb] = T.float32(0)
                    squares[va, vb] = T.float32(0)
                total[va, vb] = total[va, vb] + X[va, vb, vx, vy]
                squares[va, vb] = squares[va, vb] + X[va, vb, vx, vy] * X[va, vb, vx, vy]
        for a, b, x, y in T.grid(n, g, c, s):
            with T.sblock("norm"):
                va, vb, vx, vy = T.axis.remap("SSSS", [a, b, x, y])
                mean: T.let[T.float32] = total[va, vb] / T.Cast("float32", c * s)
                variance: T.let[T.float32] = squares[va, vb] / T.Cast("float32", c * s) - mean * mean
                Y[va, vb, vx, vy] = (X[va, vb, vx, vy] - mean) * T.rsqrt(variance + T.float32(1e-5)) * gamma[vb, vx] + beta[vb, vx]

    # Statistics over batch and space, as in training; the running ones move in place.
    @T.prim_func(s_tir=True)
    def batch_norm_train(X: T.Buffer(("n", "c", "s"), "float32"), mean: T.Buffer(("c",), "float32"), var: T.Buffer(("c",), "float32"), momentum: T.float32, Y: T.Buffer(("n", "c", "s"), "float32")):
        n, c, s = T.int32(), T.int32(), T.int32()
        for ch in range(c):
            m: T.float32 = 0.0
            for a, x in T.grid(n, s):
                m += X[a, ch, x]
            m = m / T.Cast("float32", n * s)
            v: T.float32 = 0.0
            for a, x in T.grid(n, s):
                v += (X[a, ch, x] - m) * (X[a, ch, x] - m)
            v /= T.Cast("float32", n * s)
            for a, x in T.grid(n, s):
                Y[a, ch, x] = (X[a, ch, x] - m) / T.sqrt(v + T.float32(1e-5))
            mean[ch] = mean[ch] * (T.float32(1) - momentum) + m * momentum
            var[ch] = var[ch] * (T.float32(1) - momentum) + v * momentum

    @T.prim_func(s_tir=True)
    def gelu(X: T.Buffer(("n", "m"), "float32"), Y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("gelu"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] * T.float32(0.5) * (T.float32(1) + T.erf(X[vi, vj] * T.float32(0.70710678)))

    # F(2x2, 3x3): tiles of 4 x 4 inputs give 2 x 2 outputs.
    @T.prim_func(s_tir=True)
    def winograd(data: T.Buffer(("c", "h", "w"), "float32"), weight: T.Buffer(("k", "c", 3, 3), "float32"), out: T.Buffer(("k", "h - 2", "w - 2"), "float32")):
        c, h, w, k = T.int32(), T.int32(), T.int32(), T.int32()
        U = T.alloc_buffer((4, 4, k, c), "float32")
        V = T.alloc_buffer((4, 4, c, (h - 1) // 2, (w - 1) // 2), "float32")
        M = T.alloc_buffer((4, 4, k, (h - 1) // 2, (w - 1) // 2), "float32")
        G = T.alloc_buffer((4, 3), "float32")
        Bt = T.alloc_buffer((4, 4), "float32")
        At = T.alloc_buffer((2, 4), "float32")
        for i, j in T.grid(4, 3):
            G[i, j] = T.if_then_else(i == 0, T.Select(j == 0, T.float32(1), T.float32(0)), T.if_then_else(i == 3, T.Select(j == 2, T.float32(1), T.float32(0)), T.if_then_else(i == 2 and j == 1, T.float32(-0.5), T.float32(0.5))))
        for i, j in T.grid(4, 4):
            Bt[i, j] = T.float32(0)
        Bt[0, 0] = T.float32(1)
        Bt[0, 2] = T.float32(-1)
        Bt[1, 1] = T.float32(1)
        Bt[1, 2] = T.float32(1)
        Bt[2, 1] = T.float32(-1)
        Bt[2, 2] = T.float32(1)
        Bt[3, 1] = T.float32(1)
        Bt[3, 3] = T.float32(-1)
        for i, j in T.grid(2, 4):
            At[i, j] = T.Select(i == 0, T.Select(j == 3, T.float32(0), T.float32(1)), T.Select(j == 0, T.float32(0), T.Select(j == 1, T.float32(1), T.float32(-1))))
        for o, ch, u, v in T.grid(k, c, 4, 4):
            U[u, v, o, ch] = T.float32(0)
            for r, s in T.grid(3, 3):
                U[u, v, o, ch] += G[u, r] * weight[o, ch, r, s] * G[v, s]
        for ch, ty, tx, u, v in T.grid(c, (h - 1) // 2, (w - 1) // 2, 4, 4):
            V[u, v, ch, ty, tx] = T.float32(0)
            for r, s in T.grid(4, 4):
                if ty * 2 + r < h and tx * 2 + s < w:
                    V[u, v, ch, ty, tx] += Bt[u, r] * data[ch, ty * 2 + r, tx * 2 + s] * Bt[v, s]
        for u, v, o, ty, tx, ch in T.grid(4, 4, k, (h - 1) // 2, (w - 1) // 2, c):
            with T.sblock("M"):
                vu, vv, vo, vy, vx, vc = T.axis.remap("SSSSSR", [u, v, o, ty, tx, ch])
                with T.init():
                    M[vu, vv, vo, vy, vx] = T.float32(0)
                M[vu, vv, vo, vy, vx] = M[vu, vv, vo, vy, vx] + U[vu, vv, vo, vc] * V[vu, vv, vc, vy, vx]
        for o, y, x in T.grid(k, h - 2, w - 2):
            total: T.float32 = 0.0
            for u, v in T.grid(4, 4):
                total += At[y % 2, u] * M[u, v, o, y // 2, x // 2] * At[x % 2, v]
            out[o, y, x] = total

    # Groups, stride 2, dilation 2, padding 1.
    @T.prim_func(s_tir=True)
    def conv2d_groups(data: T.Buffer(("n", "g", "c", "h", "w"), "float32"), weight: T.Buffer(("g", "k", "c", 3, 3), "float32"), out: T.Buffer(("n", "g", "k", "(h - 3) // 2 + 1", "(w - 3) // 2 + 1"), "float32")):
        n, g, c, h, w, k = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for a, b, o, y, x, ch, dy, dx in T.grid(n, g, k, (h - 3) // 2 + 1, (w - 3) // 2 + 1, c, 3, 3):
            with T.sblock("conv"):
                va, vb, vo, vy, vx, vc, vdy, vdx = T.axis.remap("SSSSSRRR", [a, b, o, y, x, ch, dy, dx])
                with T.init():
                    out[va, vb, vo, vy, vx] = T.float32(0)
                out[va, vb, vo, vy, vx] = out[va, vb, vo, vy, vx] + T.if_then_else(
                    vy * 2 + vdy * 2 - 1 >= 0 and vy * 2 + vdy * 2 - 1 < h and vx * 2 + vdx * 2 - 1 >= 0 and vx * 2 + vdx * 2 - 1 < w,
                    data[va, vb, vc, vy * 2 + vdy * 2 - 1, vx * 2 + vdx * 2 - 1], T.float32(0)) * weight[vb, vo, vc, vdy, vdx]

    # Scatters each input into a 3 x 3 window of outputs two apart.
    @T.prim_func(s_tir=True)
    def conv_transpose(data: T.Buffer(("c", "h", "w"), "float32"), weight: T.Buffer(("c", "k", 3, 3), "float32"), out: T.Buffer(("k", "2 * h + 1", "2 * w + 1"), "float32")):
        c, h, w, k = T.int32(), T.int32(), T.int32(), T.int32()
        for o, y, x in T.grid(k, 2 * h + 1, 2 * w + 1):
            out[o, y, x] = T.float32(0)
        for ch, o, y, x, dy, dx in T.grid(c, k, h, w, 3, 3):
            out[o, y * 2 + dy, x * 2 + dx] += data[ch, y, x] * weight[ch, o, dy, dx]

    @T.prim_func(s_tir=True)
    def cross_entropy(logits: T.Buffer(("n", "c"), "float32"), labels: T.Buffer(("n",), "int64"), gradient: T.Buffer(("n", "c"), "float32")) -> T.float32:
        n, c = T.int32(), T.int32()
        loss: T.float32 = 0.0
        for i in range(n):
            top: T.float32 = logits[i, 0]
            for j in range(1, c):
                top = T.max(top, logits[i, j])
            total: T.float32 = 0.0
            for j in range(c):
                gradient[i, j] = T.exp(logits[i, j] - top)
                total += gradient[i, j]
            for j in range(c):
                gradient[i, j] = (gradient[i, j] / total - T.if_then_else(T.Cast("int64", j) == labels[i], T.float32(1), T.float32(0))) / T.Cast("float32", n)
            loss += T.log(total) + top - logits[i, labels[i]]
        return loss / T.Cast("float32", n)

    @T.prim_func(s_tir=True)
    def adam(w: T.Buffer(("n",), "float32"), g: T.Buffer(("n",), "float32"), m: T.Buffer(("n",), "float32"), v: T.Buffer(("n",), "float32"), lr: T.float32, step: T.int32):
        n = T.int32()
        for i in range(n):
            with T.sblock("adam"):
                vi = T.axis.spatial(n, i)
                m[vi] = T.float32(0.9) * m[vi] + T.float32(0.1) * g[vi]
                v[vi] = T.float32(0.999) * v[vi] + T.float32(0.001) * (g[vi] * g[vi])
                m_hat: T.let[T.float32] = m[vi] / (T.float32(1) - T.pow(T.float32(0.9), T.Cast("float32", step)))
                v_hat: T.let[T.float32] = v[vi] / (T.float32(1) - T.pow(T.float32(0.999), T.Cast("float32", step)))
                w[vi] = w[vi] - lr * m_hat / (T.sqrt(v_hat) + T.float32(1e-8))
