# The kernels of PolyBench, written from their definitions, of double precision but for one filter.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def correlation(data: T.Buffer(("n", "m"), "float64"), mean: T.Buffer(("m",), "float64"), stddev: T.Buffer(("m",), "float64"), corr: T.Buffer(("m", "m"), "float64")):
        n, m = T.int32(), T.int32()
        centered = T.alloc_buffer((n, m), "float64")
        for j in range(m):
            mean[j] = T.float64(0)
            for i in range(n):
                mean[j] = mean[j] + data[i, j]
            mean[j] = mean[j] / T.Cast("float64", n)
        for j in range(m):
            stddev[j] = T.float64(0)
            for i in range(n):
                stddev[j] = stddev[j] + (data[i, j] - mean[j]) * (data[i, j] - mean[j])
            stddev[j] = T.sqrt(stddev[j] / T.Cast("float64", n))
            if stddev[j] <= T.float64(0.1):
                stddev[j] = T.float64(1)
        for i in range(n):
            for j in range(m):
                centered[i, j] = (data[i, j] - mean[j]) / (T.sqrt(T.Cast("float64", n)) * stddev[j])
        for i in range(m):
            corr[i, i] = T.float64(1)
            for j in range(i + 1, m):
                corr[i, j] = T.float64(0)
                for k in range(n):
                    corr[i, j] = corr[i, j] + centered[k, i] * centered[k, j]
                corr[j, i] = corr[i, j]

    @T.prim_func(s_tir=True)
    def covariance(data: T.Buffer(("n", "m"), "float64"), mean: T.Buffer(("m",), "float64"), cov: T.Buffer(("m", "m"), "float64")):
        n, m = T.int32(), T.int32()
        centered = T.alloc_buffer((n, m), "float64")
        for j in range(m):
            mean[j] = T.float64(0)
            for i in range(n):
                mean[j] = mean[j] + data[i, j]
            mean[j] = mean[j] / T.Cast("float64", n)
        for i in range(n):
            for j in range(m):
                centered[i, j] = data[i, j] - mean[j]
        for i in range(m):
            for j in range(i, m):
                cov[i, j] = T.float64(0)
                for k in range(n):
                    cov[i, j] = cov[i, j] + centered[k, i] * centered[k, j]
                cov[i, j] = cov[i, j] / (T.Cast("float64", n) - T.float64(1))
                cov[j, i] = cov[i, j]

    @T.prim_func(s_tir=True)
    def gemm(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "k"), "float64"), B: T.Buffer(("k", "m"), "float64"), C: T.Buffer(("n", "m"), "float64")):
        n, k, m = T.int32(), T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                C[i, j] = C[i, j] * beta
            for p in range(k):
                for j in range(m):
                    C[i, j] = C[i, j] + alpha * A[i, p] * B[p, j]

    @T.prim_func(s_tir=True)
    def gemver(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "n"), "float64"), u1: T.Buffer(("n",), "float64"), v1: T.Buffer(("n",), "float64"), u2: T.Buffer(("n",), "float64"), v2: T.Buffer(("n",), "float64"), y: T.Buffer(("n",), "float64"), z: T.Buffer(("n",), "float64"), x: T.Buffer(("n",), "float64"), w: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
        for i in range(n):
            x[i] = z[i]
            for j in range(n):
                x[i] = x[i] + beta * A[j, i] * y[j]
        for i in range(n):
            w[i] = T.float64(0)
            for j in range(n):
                w[i] = w[i] + alpha * A[i, j] * x[j]

    @T.prim_func(s_tir=True)
    def gesummv(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n", "n"), "float64"), x: T.Buffer(("n",), "float64"), y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            s: T.float64 = T.float64(0)
            t: T.float64 = T.float64(0)
            for j in range(n):
                s = s + A[i, j] * x[j]
                t = t + B[i, j] * x[j]
            y[i] = alpha * s + beta * t

    @T.prim_func(s_tir=True)
    def symm(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n", "m"), "float64"), C: T.Buffer(("n", "m"), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                t: T.float64 = T.float64(0)
                for k in range(i):
                    C[k, j] = C[k, j] + alpha * B[i, j] * A[i, k]
                    t = t + B[k, j] * A[i, k]
                C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * t

    @T.prim_func(s_tir=True)
    def syr2k(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "m"), "float64"), B: T.Buffer(("n", "m"), "float64"), C: T.Buffer(("n", "n"), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(i + 1):
                C[i, j] = C[i, j] * beta
            for k in range(m):
                for j in range(i + 1):
                    C[i, j] = C[i, j] + (A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k])

    @T.prim_func(s_tir=True)
    def syrk(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "m"), "float64"), C: T.Buffer(("n", "n"), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(i + 1):
                C[i, j] = C[i, j] * beta
            for k in range(m):
                for j in range(i + 1):
                    C[i, j] = C[i, j] + alpha * A[i, k] * A[j, k]

    @T.prim_func(s_tir=True)
    def trmm(alpha: T.float64, A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n", "m"), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                for k in range(i + 1, n):
                    B[i, j] = B[i, j] + A[k, i] * B[k, j]
                B[i, j] = alpha * B[i, j]

    @T.prim_func(s_tir=True)
    def two_products(alpha: T.float64, beta: T.float64, A: T.Buffer(("n", "k"), "float64"), B: T.Buffer(("k", "m"), "float64"), C: T.Buffer(("m", "l"), "float64"), D: T.Buffer(("n", "l"), "float64")):
        n, k, m, l = T.int32(), T.int32(), T.int32(), T.int32()
        t = T.alloc_buffer((n, m), "float64")
        for i in range(n):
            for j in range(m):
                t[i, j] = T.float64(0)
                for p in range(k):
                    t[i, j] = t[i, j] + alpha * A[i, p] * B[p, j]
        for i in range(n):
            for j in range(l):
                D[i, j] = D[i, j] * beta
                for p in range(m):
                    D[i, j] = D[i, j] + t[i, p] * C[p, j]

    @T.prim_func(s_tir=True)
    def three_products(A: T.Buffer(("n", "k"), "float64"), B: T.Buffer(("k", "m"), "float64"), C: T.Buffer(("m", "l"), "float64"), D: T.Buffer(("l", "n"), "float64"), E: T.Buffer(("n", "m"), "float64"), F: T.Buffer(("m", "n"), "float64"), G: T.Buffer(("n", "n"), "float64")):
        n, k, m, l = T.int32(), T.int32(), T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                E[i, j] = T.float64(0)
                for p in range(k):
                    E[i, j] = E[i, j] + A[i, p] * B[p, j]
        for i in range(m):
            for j in range(n):
                F[i, j] = T.float64(0)
                for p in range(l):
                    F[i, j] = F[i, j] + C[i, p] * D[p, j]
        for i in range(n):
            for j in range(n):
                G[i, j] = T.float64(0)
                for p in range(m):
                    G[i, j] = G[i, j] + E[i, p] * F[p, j]

    @T.prim_func(s_tir=True)
    def atax(A: T.Buffer(("m", "n"), "float64"), x: T.Buffer(("n",), "float64"), y: T.Buffer(("n",), "float64")):
        m, n = T.int32(), T.int32()
        t = T.alloc_buffer((m,), "float64")
        for i in range(n):
            y[i] = T.float64(0)
        for i in range(m):
            t[i] = T.float64(0)
            for j in range(n):
                t[i] = t[i] + A[i, j] * x[j]
            for j in range(n):
                y[j] = y[j] + A[i, j] * t[i]

    @T.prim_func(s_tir=True)
    def bicg(A: T.Buffer(("n", "m"), "float64"), p: T.Buffer(("m",), "float64"), r: T.Buffer(("n",), "float64"), s: T.Buffer(("m",), "float64"), q: T.Buffer(("n",), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(m):
            s[i] = T.float64(0)
        for i in range(n):
            q[i] = T.float64(0)
            for j in range(m):
                s[j] = s[j] + r[i] * A[i, j]
                q[i] = q[i] + A[i, j] * p[j]

    @T.prim_func(s_tir=True)
    def doitgen(A: T.Buffer(("r", "q", "p"), "float64"), C: T.Buffer(("p", "p"), "float64"), B: T.Buffer(("r", "q", "p"), "float64")):
        r, q, p = T.int32(), T.int32(), T.int32()
        for i in range(r):
            for j in range(q):
                for k in range(p):
                    B[i, j, k] = T.float64(0)
                    for s in range(p):
                        B[i, j, k] = B[i, j, k] + A[i, j, s] * C[s, k]

    @T.prim_func(s_tir=True)
    def mvt(A: T.Buffer(("n", "n"), "float64"), y1: T.Buffer(("n",), "float64"), y2: T.Buffer(("n",), "float64"), x1: T.Buffer(("n",), "float64"), x2: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                x1[i] = x1[i] + A[i, j] * y1[j]
        for i in range(n):
            for j in range(n):
                x2[i] = x2[i] + A[j, i] * y2[j]

    @T.prim_func(s_tir=True)
    def cholesky(A: T.Buffer(("n", "n"), "float64"), L: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                L[i, j] = A[i, j]
            L[i, i] = A[i, i] + T.Cast("float64", n)
        for i in range(n):
            for j in range(i):
                for k in range(j):
                    L[i, j] = L[i, j] - L[i, k] * L[j, k]
                L[i, j] = L[i, j] / L[j, j]
            for k in range(i):
                L[i, i] = L[i, i] - L[i, k] * L[i, k]
            L[i, i] = T.sqrt(L[i, i])

    @T.prim_func(s_tir=True)
    def durbin(scale: T.float64, r: T.Buffer(("n",), "float64"), y: T.Buffer(("n",), "float64")):
        n = T.int32()
        z = T.alloc_buffer((n,), "float64")
        alpha: T.float64 = T.float64(0) - r[0] * scale
        beta: T.float64 = T.float64(1)
        y[0] = alpha
        for k in range(1, n):
            beta = (T.float64(1) - alpha * alpha) * beta
            s: T.float64 = T.float64(0)
            for i in range(k):
                s = s + r[k - i - 1] * scale * y[i]
            alpha = T.float64(0) - (r[k] * scale + s) / beta
            for i in range(k):
                z[i] = y[i] + alpha * y[k - i - 1]
            for i in range(k):
                y[i] = z[i]
            y[k] = alpha

    @T.prim_func(s_tir=True)
    def gramschmidt(A: T.Buffer(("n", "m"), "float64"), B: T.Buffer(("n", "m"), "float64"), R: T.Buffer(("m", "m"), "float64"), Q: T.Buffer(("n", "m"), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                B[i, j] = A[i, j]
        for k in range(m):
            norm: T.float64 = T.float64(0)
            for i in range(n):
                norm = norm + B[i, k] * B[i, k]
            R[k, k] = T.sqrt(norm)
            for i in range(n):
                Q[i, k] = B[i, k] / R[k, k]
            for j in range(k + 1, m):
                R[k, j] = T.float64(0)
                for i in range(n):
                    R[k, j] = R[k, j] + Q[i, k] * B[i, j]
                for i in range(n):
                    B[i, j] = B[i, j] - Q[i, k] * R[k, j]

    @T.prim_func(s_tir=True)
    def lu(A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                B[i, j] = A[i, j]
            B[i, i] = A[i, i] + T.Cast("float64", n)
        for i in range(n):
            for j in range(i):
                for k in range(j):
                    B[i, j] = B[i, j] - B[i, k] * B[k, j]
                B[i, j] = B[i, j] / B[j, j]
            for j in range(i, n):
                for k in range(i):
                    B[i, j] = B[i, j] - B[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def ludcmp(A: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64"), B: T.Buffer(("n", "n"), "float64"), x: T.Buffer(("n",), "float64"), y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                B[i, j] = A[i, j]
            B[i, i] = A[i, i] + T.Cast("float64", n)
        for i in range(n):
            for j in range(i):
                w: T.float64 = B[i, j]
                for k in range(j):
                    w = w - B[i, k] * B[k, j]
                B[i, j] = w / B[j, j]
            for j in range(i, n):
                v: T.float64 = B[i, j]
                for k in range(i):
                    v = v - B[i, k] * B[k, j]
                B[i, j] = v
        for i in range(n):
            s: T.float64 = b[i]
            for j in range(i):
                s = s - B[i, j] * y[j]
            y[i] = s
        for i_back in range(n):
            i: T.let[T.int32] = n - 1 - i_back
            t: T.float64 = y[i]
            for j in range(i + 1, n):
                t = t - B[i, j] * x[j]
            x[i] = t / B[i, i]

    @T.prim_func(s_tir=True)
    def trisolv(L: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64"), x: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            x[i] = b[i]
            for j in range(i):
                x[i] = x[i] - L[i, j] * x[j]
            x[i] = x[i] / (L[i, i] + T.Cast("float64", n))

    @T.prim_func(s_tir=True)
    def deriche(a1: T.float32, a2: T.float32, a3: T.float32, a4: T.float32, b1: T.float32, b2: T.float32, x: T.Buffer(("w", "h"), "float32"), y: T.Buffer(("w", "h"), "float32")):
        w, h = T.int32(), T.int32()
        y1 = T.alloc_buffer((w, h), "float32")
        y2 = T.alloc_buffer((w, h), "float32")
        for i in range(w):
            p1: T.float32 = T.float32(0)
            p2: T.float32 = T.float32(0)
            q1: T.float32 = T.float32(0)
            for j in range(h):
                y1[i, j] = a1 * x[i, j] + a2 * q1 + b1 * p1 + b2 * p2
                q1 = x[i, j]
                p2 = p1
                p1 = y1[i, j]
        for i in range(w):
            p3: T.float32 = T.float32(0)
            p4: T.float32 = T.float32(0)
            q3: T.float32 = T.float32(0)
            q4: T.float32 = T.float32(0)
            for j_back in range(h):
                j: T.let[T.int32] = h - 1 - j_back
                y2[i, j] = a3 * q3 + a4 * q4 + b1 * p3 + b2 * p4
                q4 = q3
                q3 = x[i, j]
                p4 = p3
                p3 = y2[i, j]
        for i in range(w):
            for j in range(h):
                y[i, j] = y1[i, j] + y2[i, j]
        for j in range(h):
            p5: T.float32 = T.float32(0)
            p6: T.float32 = T.float32(0)
            q5: T.float32 = T.float32(0)
            for i in range(w):
                y1[i, j] = a1 * y[i, j] + a2 * q5 + b1 * p5 + b2 * p6
                q5 = y[i, j]
                p6 = p5
                p5 = y1[i, j]
        for j in range(h):
            p7: T.float32 = T.float32(0)
            p8: T.float32 = T.float32(0)
            q7: T.float32 = T.float32(0)
            q8: T.float32 = T.float32(0)
            for i_back in range(w):
                i: T.let[T.int32] = w - 1 - i_back
                y2[i, j] = a3 * q7 + a4 * q8 + b1 * p7 + b2 * p8
                q8 = q7
                q7 = y[i, j]
                p8 = p7
                p7 = y2[i, j]
        for i in range(w):
            for j in range(h):
                y[i, j] = y1[i, j] + y2[i, j]

    @T.prim_func(s_tir=True)
    def floyd_warshall_i32(path: T.Buffer(("n", "n"), "int32")):
        n = T.int32()
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    path[i, j] = T.min(path[i, j], path[i, k] + path[k, j])

    @T.prim_func(s_tir=True)
    def nussinov(seq: T.Buffer(("n",), "int32"), table: T.Buffer(("n", "n"), "int32")):
        n = T.int32()
        for i in range(n):
            for j in range(n):
                table[i, j] = 0
        for i_back in range(n):
            i: T.let[T.int32] = n - 1 - i_back
            for j in range(i + 1, n):
                table[i, j] = T.max(table[i, j], table[i, j - 1])
                if i + 1 < n:
                    table[i, j] = T.max(table[i, j], table[i + 1, j])
                    if i < j - 1:
                        if seq[i] + seq[j] == 3:
                            table[i, j] = T.max(table[i, j], table[i + 1, j - 1] + 1)
                        else:
                            table[i, j] = T.max(table[i, j], table[i + 1, j - 1])
                    else:
                        table[i, j] = T.max(table[i, j], table[i + 1, j - 1])
                for k in range(i + 1, j):
                    table[i, j] = T.max(table[i, j], table[i, k] + table[k + 1, j])

    @T.prim_func(s_tir=True)
    def adi(a: T.float64, b: T.float64, d: T.float64, e: T.float64, steps: T.int32, u: T.Buffer(("n", "n"), "float64"), v: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        p = T.alloc_buffer((n, n), "float64")
        q = T.alloc_buffer((n, n), "float64")
        for t in range(steps):
            for i in range(1, n - 1):
                v[0, i] = T.float64(1)
                p[i, 0] = T.float64(0)
                q[i, 0] = T.float64(1)
                for j in range(1, n - 1):
                    p[i, j] = (T.float64(0) - a) / (a * p[i, j - 1] + b)
                    q[i, j] = ((T.float64(0) - d) * u[j, i - 1] + (T.float64(1) + T.float64(2) * d) * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (a * p[i, j - 1] + b)
                v[n - 1, i] = T.float64(1)
                for j_back in range(n - 2):
                    j: T.let[T.int32] = n - 2 - j_back
                    v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
            for i in range(1, n - 1):
                u[i, 0] = T.float64(1)
                p[i, 0] = T.float64(0)
                q[i, 0] = T.float64(1)
                for j in range(1, n - 1):
                    p[i, j] = (T.float64(0) - d) / (d * p[i, j - 1] + e)
                    q[i, j] = ((T.float64(0) - a) * v[i - 1, j] + (T.float64(1) + T.float64(2) * a) * v[i, j] - a * v[i + 1, j] - d * q[i, j - 1]) / (d * p[i, j - 1] + e)
                u[i, n - 1] = T.float64(1)
                for j_back in range(n - 2):
                    j: T.let[T.int32] = n - 2 - j_back
                    u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]

    @T.prim_func(s_tir=True)
    def fdtd_2d(steps: T.int32, fict: T.Buffer(("t",), "float64"), ex: T.Buffer(("n", "m"), "float64"), ey: T.Buffer(("n", "m"), "float64"), hz: T.Buffer(("n", "m"), "float64")):
        t, n, m = T.int32(), T.int32(), T.int32()
        for t in range(steps):
            for j in range(m):
                ey[0, j] = fict[t]
            for i in range(1, n):
                for j in range(m):
                    ey[i, j] = ey[i, j] - T.float64(0.5) * (hz[i, j] - hz[i - 1, j])
            for i in range(n):
                for j in range(1, m):
                    ex[i, j] = ex[i, j] - T.float64(0.5) * (hz[i, j] - hz[i, j - 1])
            for i in range(n - 1):
                for j in range(m - 1):
                    hz[i, j] = hz[i, j] - T.float64(0.7) * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])

    @T.prim_func(s_tir=True)
    def heat_3d_steps(steps: T.int32, A: T.Buffer(("n", "n", "n"), "float64"), B: T.Buffer(("n", "n", "n"), "float64")):
        n = T.int32()
        for t in range(steps):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    for k in range(1, n - 1):
                        B[i, j, k] = T.float64(0.125) * (A[i + 1, j, k] - T.float64(2) * A[i, j, k] + A[i - 1, j, k]) + T.float64(0.125) * (A[i, j + 1, k] - T.float64(2) * A[i, j, k] + A[i, j - 1, k]) + T.float64(0.125) * (A[i, j, k + 1] - T.float64(2) * A[i, j, k] + A[i, j, k - 1]) + A[i, j, k]
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    for k in range(1, n - 1):
                        A[i, j, k] = T.float64(0.125) * (B[i + 1, j, k] - T.float64(2) * B[i, j, k] + B[i - 1, j, k]) + T.float64(0.125) * (B[i, j + 1, k] - T.float64(2) * B[i, j, k] + B[i, j - 1, k]) + T.float64(0.125) * (B[i, j, k + 1] - T.float64(2) * B[i, j, k] + B[i, j, k - 1]) + B[i, j, k]

    @T.prim_func(s_tir=True)
    def jacobi_1d_steps(steps: T.int32, A: T.Buffer(("n",), "float64"), B: T.Buffer(("n",), "float64")):
        n = T.int32()
        for t in range(steps):
            for i in range(1, n - 1):
                B[i] = T.float64(0.33333) * (A[i - 1] + A[i] + A[i + 1])
            for i in range(1, n - 1):
                A[i] = T.float64(0.33333) * (B[i - 1] + B[i] + B[i + 1])

    @T.prim_func(s_tir=True)
    def jacobi_2d_steps(steps: T.int32, A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for t in range(steps):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    B[i, j] = T.float64(0.2) * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    A[i, j] = T.float64(0.2) * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])

    @T.prim_func(s_tir=True)
    def seidel_2d(steps: T.int32, A: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for t in range(steps):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]) / T.float64(9)
