# Numerical methods built from PrimFuncs that call each other with buffers, local buffers and scalars.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def gemv(A: T.Buffer(("n", "m"), "float64"), x: T.Buffer(("m",), "float64"), y: T.Buffer(("n",), "float64")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    y[vi] = T.float64(0)
                y[vi] += A[vi, vj] * x[vj]

    @T.prim_func(private=True, s_tir=True)
    def norm(x: T.Buffer(("n",), "float64")) -> T.float64:
        n = T.int32()
        total: T.float64 = T.float64(0)
        for i in range(n):
            total += x[i] * x[i]
        return T.sqrt(total)

    # The dominant eigenvector of A from a start vector, `rounds` times y = A x / |A x|; returns the eigenvalue's size.
    @T.prim_func(s_tir=True)
    def power_iteration(A: T.Buffer(("n", "n"), "float64"), x: T.Buffer(("n",), "float64"), rounds: T.int32) -> T.float64:
        n = T.int32()
        y = T.alloc_buffer((n,), "float64")
        size: T.float64 = T.float64(0)
        for r in range(rounds):
            Module.gemv(A, x, y)
            size = Module.norm(y)
            for i in range(n):
                x[i] = y[i] / size
        return size

    # The factor L of A = L L^T for a positive definite A.
    @T.prim_func(s_tir=True)
    def cholesky(A: T.Buffer(("n", "n"), "float64"), L: T.Buffer(("n", "n"), "float64")):
        n = T.int32()
        for i, j in T.grid(n, n):
            if j > i:
                L[i, j] = T.float64(0)
            else:
                total: T.float64 = A[i, j]
                for k in range(j):
                    total -= L[i, k] * L[j, k]
                if i == j:
                    L[i, j] = T.sqrt(total)
                else:
                    L[i, j] = total / L[j, j]

    @T.prim_func(private=True, s_tir=True)
    def solve_lower(L: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            for k in range(i):
                b[i] = b[i] - L[i, k] * b[k]
            b[i] = b[i] / L[i, i]

    @T.prim_func(private=True, s_tir=True)
    def solve_upper_of_lower(L: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64")):
        n = T.int32()
        for step in range(n):
            i: T.let[T.int32] = n - 1 - step
            for k in range(i + 1, n):
                b[i] = b[i] - L[k, i] * b[k]
            b[i] = b[i] / L[i, i]

    # x = A^-1 b
    @T.prim_func(s_tir=True)
    def solve(A: T.Buffer(("n", "n"), "float64"), b: T.Buffer(("n",), "float64"), x: T.Buffer(("n",), "float64")):
        n = T.int32()
        L = T.alloc_buffer((n, n), "float64")
        Module.cholesky(A, L)
        for i in range(n):
            x[i] = b[i]
        Module.solve_lower(L, x)
        Module.solve_upper_of_lower(L, x)

    # One head of attention: softmax(Q K^T / sqrt(d)) V with a causal mask.
    @T.prim_func(s_tir=True)
    def attention(Q: T.Buffer(("n", "d"), "float32"), K: T.Buffer(("n", "d"), "float32"), V: T.Buffer(("n", "d"), "float32"), out: T.Buffer(("n", "d"), "float32")):
        n, d = T.int32(), T.int32()
        scores = T.alloc_buffer((n, n))
        Module.scaled_products(Q, K, scores)
        Module.causal_softmax(scores)
        for i, j, k in T.grid(n, d, n):
            with T.sblock("out"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    out[vi, vj] = T.float32(0)
                out[vi, vj] += scores[vi, vk] * V[vk, vj]

    @T.prim_func(private=True, s_tir=True)
    def scaled_products(Q: T.Buffer(("n", "d"), "float32"), K: T.Buffer(("n", "d"), "float32"), S: T.Buffer(("n", "n"), "float32")):
        n, d = T.int32(), T.int32()
        for i, j, k in T.grid(n, n, d):
            with T.sblock("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] += Q[vi, vk] * K[vj, vk] * T.rsqrt(T.Cast("float32", d))

    @T.prim_func(private=True, s_tir=True)
    def causal_softmax(S: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        for i in range(n):
            largest: T.float32 = S[i, 0]
            for j in range(i + 1):
                largest = T.max(largest, S[i, j])
            total: T.float32 = T.float32(0)
            for j in range(i + 1):
                S[i, j] = T.exp(S[i, j] - largest)
                total += S[i, j]
            for j in range(n):
                S[i, j] = T.Select(j <= i, S[i, j] / total, T.float32(0))
