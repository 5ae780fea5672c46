# Solving: Cholesky, LU with pivots, Gauss-Jordan inverse, Jacobi rotations, conjugate gradients, power iteration; sparse
# products in CSR, COO and ELL; determinants; prices of options.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def cholesky(A: T.Buffer(("n", "n"), "float64"), L: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for i, j in T.grid(n, n):
            L[i, j] = T.float64(0)
        for j in range(n):
            pivot: T.float64 = A[j, j]
            for k in range(j):
                pivot -= L[j, k] * L[j, k]
            L[j, j] = T.sqrt(pivot)
            for i in range(j + 1, n):
                rest: T.float64 = A[i, j]
                for k in range(j):
                    rest -= L[i, k] * L[j, k]
                L[i, j] = rest / L[j, j]

    # In place with row exchanges; returns the sign of the permutation, 0 for a singular matrix.
    @T.prim_func(s_tir=True)
    def lu(A: T.Buffer(("n", "n"), "float64"), perm: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        sign: T.int32 = 1
        for i in range(n):
            perm[i] = i
        for k in range(n):
            best: T.int32 = k
            for i in range(k + 1, n):
                if T.abs(A[i, k]) > T.abs(A[best, k]):
                    best = i
            if A[best, k] == T.float64(0):
                return 0
            if best != k:
                sign = -sign
                moved: T.let[T.int32] = perm[k]
                perm[k] = perm[best]
                perm[best] = moved
                for j in range(n):
                    held: T.let[T.float64] = A[k, j]
                    A[k, j] = A[best, j]
                    A[best, j] = held
            for i in range(k + 1, n):
                A[i, k] = A[i, k] / A[k, k]
                for j in range(k + 1, n):
                    A[i, j] = A[i, j] - A[i, k] * A[k, j]
        return sign

    @T.prim_func(s_tir=True)
    def determinant(A: T.Buffer(("n", "n"), "float64")) -> T.float64:
        n = T.int32()
        work = T.alloc_buffer((n, n), "float64")
        perm = T.alloc_buffer((n,), "int32")
        for i, j in T.grid(n, n):
            work[i, j] = A[i, j]
        result: T.float64 = T.Cast("float64", Module.lu(work, perm))
        for i in range(n):
            result *= work[i, i]
        return result

    @T.prim_func(s_tir=True)
    def gauss_jordan(A: T.Buffer(("n", "n"), "float32"), B: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        W = T.alloc_buffer((n, 2 * n), "float32")
        for i, j in T.grid(n, 2 * n):
            W[i, j] = T.if_then_else(j < n, A[i, j], T.Select(j - n == i, T.float32(1), T.float32(0)))
        for c in range(n):
            best: T.int32 = c
            for r in range(c, n):
                if T.abs(W[r, c]) > T.abs(W[best, c]):
                    best = r
            assert W[best, c] != T.float32(0), "the matrix is singular"
            for j in range(2 * n):
                held = W[c, j]
                W[c, j] = W[best, j]
                W[best, j] = held
            factor = T.float32(1) / W[c, c]
            for j in range(2 * n):
                W[c, j] = W[c, j] * factor
            for r in range(n):
                if r != c:
                    scale = W[r, c]
                    for j in range(2 * n):
                        W[r, j] = W[r, j] - scale * W[c, j]
        for i, j in T.grid(n, n):
            B[i, j] = W[i, j + n]

    # Eigenvalues of a symmetric matrix: cyclic Jacobi rotations, in place.
    @T.prim_func(s_tir=True)
    def jacobi_eigen(A: T.Buffer(("n", "n"), "float64"), sweeps: T.int32, values: T.Buffer(("n",), "float64")):
        n = T.int32()
        for sweep in range(sweeps):
            for p in range(n - 1):
                for q in range(p + 1, n):
                    if T.abs(A[p, q]) > T.float64(1e-300):
                        theta: T.let[T.float64] = (A[q, q] - A[p, p]) / (T.float64(2) * A[p, q])
                        t: T.let[T.float64] = T.if_then_else(theta >= T.float64(0), T.float64(1), T.float64(-1)) / (T.abs(theta) + T.sqrt(theta * theta + T.float64(1)))
                        c: T.let[T.float64] = T.float64(1) / T.sqrt(t * t + T.float64(1))
                        s: T.let[T.float64] = t * c
                        for k in range(n):
                            akp: T.let[T.float64] = A[k, p]
                            akq: T.let[T.float64] = A[k, q]
                            A[k, p] = c * akp - s * akq
                            A[k, q] = s * akp + c * akq
                        for k in range(n):
                            apk: T.let[T.float64] = A[p, k]
                            aqk: T.let[T.float64] = A[q, k]
                            A[p, k] = c * apk - s * aqk
                            A[q, k] = s * apk + c * aqk
        for i in range(n):
            values[i] = A[i, i]

    @T.prim_func(s_tir=True)
    def conjugate_gradients(A: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64"), x: T.Buffer(("n",), "float64"), tolerance: T.float64) -> T.int32:
        n = T.int32()
        r = T.alloc_buffer((n,), "float64")
        p = T.alloc_buffer((n,), "float64")
        Ap = T.alloc_buffer((n,), "float64")
        rr: T.float64 = T.float64(0)
        for i in range(n):
            x[i] = T.float64(0)
            r[i] = b[i]
            p[i] = b[i]
            rr += b[i] * b[i]
        rounds: T.int32 = 0
        while rr > tolerance * tolerance and rounds < 10 * n:
            for i in range(n):
                Ap[i] = T.float64(0)
                for j in range(n):
                    Ap[i] += A[i, j] * p[j]
            pAp: T.float64 = T.float64(0)
            for i in range(n):
                pAp += p[i] * Ap[i]
            alpha = rr / pAp
            new_rr: T.float64 = T.float64(0)
            for i in range(n):
                x[i] += alpha * p[i]
                r[i] -= alpha * Ap[i]
                new_rr += r[i] * r[i]
            for i in range(n):
                p[i] = r[i] + new_rr / rr * p[i]
            rr = new_rr
            rounds += 1
        return rounds

    @T.prim_func(s_tir=True)
    def csr_spmv(data: T.Buffer(("nnz",), "float32"), indices: T.Buffer(("nnz",), "int32"), indptr: T.Buffer(("rows + 1",), "int32"), x: T.Buffer(("cols",), "float32"), y: T.Buffer(("rows",), "float32")):
        nnz, rows, cols = T.int32(), T.int32(), T.int32()
        for r in range(rows):
            with T.sblock("row"):
                vr = T.axis.spatial(rows, r)
                y[vr] = T.float32(0)
                for e in range(indptr[vr + 1] - indptr[vr]):
                    with T.sblock("entry"):
                        ve = T.axis.opaque(indptr[vr + 1] - indptr[vr], e)
                        y[vr] = y[vr] + data[indptr[vr] + ve] * x[indices[indptr[vr] + ve]]

    @T.prim_func(s_tir=True)
    def csr_spmm(data: T.Buffer(("nnz",), "float32"), indices: T.Buffer(("nnz",), "int32"), indptr: T.Buffer(("rows + 1",), "int32"), X: T.Buffer(("cols", "k"), "float32"), Y: T.Buffer(("rows", "k"), "float32")):
        nnz, rows, cols, k = T.int32(), T.int32(), T.int32(), T.int32()
        for r in range(rows):
            for j in range(k):
                Y[r, j] = T.float32(0)
            for e in range(indptr[r], indptr[r + 1]):
                for j in range(k):
                    Y[r, j] += data[e] * X[indices[e], j]

    @T.prim_func(s_tir=True)
    def coo_to_dense(row: T.Buffer(("nnz",), "int64"), col: T.Buffer(("nnz",), "int64"), data: T.Buffer(("nnz",), "float32"), D: T.Buffer(("rows", "cols"), "float32")):
        nnz, rows, cols = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(rows, cols):
            D[i, j] = T.float32(0)
        for e in range(nnz):
            D[row[e], col[e]] += data[e]

    # A Black-Scholes price of a call and a put, and the call's delta.
    @T.prim_func(s_tir=True)
    def black_scholes(S: T.Buffer(("n",), "float32"), K: T.Buffer(("n",), "float32"), t: T.Buffer(("n",), "float32"), rate: T.float32, sigma: T.float32, call: T.Buffer(("n",), "float32"), put: T.Buffer(("n",), "float32"), delta: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            spread: T.let[T.float32] = sigma * T.sqrt(t[i])
            d1: T.let[T.float32] = (T.log(S[i] / K[i]) + (rate + T.float32(0.5) * sigma * sigma) * t[i]) / spread
            d2: T.let[T.float32] = d1 - spread
            n1: T.let[T.float32] = T.float32(0.5) + T.float32(0.5) * T.erf(d1 * T.float32(0.70710678118))
            n2: T.let[T.float32] = T.float32(0.5) + T.float32(0.5) * T.erf(d2 * T.float32(0.70710678118))
            discounted: T.let[T.float32] = K[i] * T.exp(-rate * t[i])
            call[i] = S[i] * n1 - discounted * n2
            put[i] = discounted * (T.float32(1) - n2) - S[i] * (T.float32(1) - n1)
            delta[i] = n1

    # An American put on a binomial tree, in one row that shrinks.
    @T.prim_func(s_tir=True)
    def american_put(spot: T.float64, strike: T.float64, rate: T.float64, sigma: T.float64, years: T.float64, steps: T.int32) -> T.float64:
        value = T.alloc_buffer((steps + 1,), "float64")
        dt: T.let[T.float64] = years / T.Cast("float64", steps)
        up: T.let[T.float64] = T.exp(sigma * T.sqrt(dt))
        chance: T.let[T.float64] = (T.exp(rate * dt) - T.float64(1) / up) / (up - T.float64(1) / up)
        for i in range(steps + 1):
            value[i] = T.max(strike - spot * T.pow(up, T.Cast("float64", 2 * i - steps)), T.float64(0))
        for back in range(steps):
            level = steps - 1 - back
            for i in range(level + 1):
                hold: T.let[T.float64] = T.exp(-rate * dt) * (chance * value[i + 1] + (T.float64(1) - chance) * value[i])
                value[i] = T.max(hold, strike - spot * T.pow(up, T.Cast("float64", 2 * i - level)))
        return value[0]

    # Of many matrices of 3 x 3, by their cofactors, for which there is one array.
    @T.prim_func(s_tir=True)
    def inverses(A: T.Buffer(("n", 3, 3), "float64"), B: T.Buffer(("n", 3, 3), "float64")):
        n = T.int32()
        c = T.alloc_buffer((3, 3), "float64")
        for i in range(n):
            for r, s in T.grid(3, 3):
                c[r, s] = A[i, (r + 1) % 3, (s + 1) % 3] * A[i, (r + 2) % 3, (s + 2) % 3] - A[i, (r + 1) % 3, (s + 2) % 3] * A[i, (r + 2) % 3, (s + 1) % 3]
            det: T.let[T.float64] = A[i, 0, 0] * c[0, 0] + A[i, 0, 1] * c[0, 1] + A[i, 0, 2] * c[0, 2]
            for r, s in T.grid(3, 3):
                B[i, s, r] = c[r, s] / det
