# Control flow that becomes lanes: swaps of pairs, extremes by comparison, of floats with NaNs among them.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def odd_even(A: T.Buffer(("n",), "float32")):
        n = T.int32()
        for p in range(n):
            for i in range((n - p % 2) // 2):
                if A[2 * i + p % 2] > A[2 * i + 1 + p % 2]:
                    t: T.float32 = A[2 * i + p % 2]
                    A[2 * i + p % 2] = A[2 * i + 1 + p % 2]
                    A[2 * i + 1 + p % 2] = t

    @T.prim_func(s_tir=True)
    def thirds(A: T.Buffer(("n",), "int32"), k: T.int32):
        n = T.int32()
        for i in range((n - k % 3) // 3):
            if A[3 * i + k % 3] < A[3 * i + k % 3 + 2]:
                A[3 * i + k % 3 + 1] = A[3 * i + k % 3]

    @T.prim_func(s_tir=True)
    def beyond(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range((n + 1) // 2):
            if A[2 * i] > 0:
                A[2 * i + 1] = A[2 * i]

    @T.prim_func(s_tir=True)
    def running_max(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        m: T.float32 = a[0]
        for i in range(n):
            if a[i] > m:
                m = a[i]
            b[i] = m

    @T.prim_func(s_tir=True)
    def running_both(a: T.Buffer(("n",), "float64"), b: T.Buffer(("n",), "float64")):
        n = T.int32()
        high: T.float64 = T.float64(0)
        low: T.float64 = a[n - 1]
        for i in range(n):
            if high < a[i]:
                high = a[i]
            if low > a[i]:
                low = a[i]
            b[i] = high - low

    @T.prim_func(s_tir=True)
    def running_max_or_equal(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        m: T.float32 = T.float32(0)
        for i in range(n):
            if a[i] >= m:
                m = a[i]
            b[i] = m

    @T.prim_func(s_tir=True)
    def running_max_anew(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        m: T.float32 = T.float32(-1)
        for i in range(n):
            if a[i] > m:
                m = a[i]
            b[i] = m
            if b[i] > T.float32(0.5):
                m = a[i] - T.float32(1)

    @T.prim_func(s_tir=True)
    def running_guarded(a: T.Buffer(("n",), "float32"), w: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        m: T.float32 = a[0]
        for i in range(n):
            if w[i] > 0 and a[i] < m:
                m = a[i]
            b[i] = a[i] - m

    @T.prim_func(s_tir=True)
    def running_half(a: T.Buffer(("n",), "float16"), b: T.Buffer(("n",), "float16")):
        n = T.int32()
        m: T.float16 = a[0]
        for i in range(n):
            if a[i] > m:
                m = a[i]
            b[i] = m

    @T.prim_func(s_tir=True)
    def swap_many(A: T.Buffer(("n",), "float32"), m: T.int32):
        n = T.int32()
        for i in range(m):
            if A[2 * i] > A[2 * i + 1]:
                t: T.float32 = A[2 * i]
                A[2 * i] = A[2 * i + 1]
                A[2 * i + 1] = t

    @T.prim_func(s_tir=True)
    def swap_far(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), m: T.int32, gap: T.int32):
        n = T.int32()
        for i in range(m):
            if A[i + gap] > B[i] and B[i] > 1:
                B[i] = A[i + gap] + 1

    @T.prim_func(s_tir=True)
    def chosen_row(W: T.Buffer(("n", "n"), "int32"), A: T.Buffer(("m",), "int32"), B: T.Buffer(("n",), "int32")):
        n, m = T.int32(), T.int32()
        u: T.int32 = 0
        for k in range(m):
            if A[k] > u:
                u = A[k]
        for v in range(n):
            if W[u, v] < B[v]:
                B[v] = W[u, v] - 1

    @T.prim_func(s_tir=True)
    def row_by_row(W: T.Buffer(("n", "n"), "int32"), A: T.Buffer(("m",), "int32"), B: T.Buffer(("n",), "int32")):
        n, m = T.int32(), T.int32()
        u: T.int32 = 0
        for k in range(m):
            for v in range(n):
                B[v] = B[v] + W[u, v] * A[k]
            u = A[k] + 1
            for v in range(n):
                if B[v] > 2:
                    B[v] = W[u - 1, v]

    @T.prim_func(s_tir=True)
    def knapsack(weight: T.Buffer(("n",), "int32"), value: T.Buffer(("n",), "int32"), best: T.Buffer(("w",), "int32")):
        n, w = T.int32(), T.int32()
        for i in range(n):
            for j_back in range(w):
                j: T.let[T.int32] = w - 1 - j_back
                if j >= weight[i]:
                    best[j] = T.max(best[j], best[j - weight[i]] + value[i])

    @T.prim_func(s_tir=True)
    def coins(coin: T.Buffer(("n",), "int32"), ways: T.Buffer(("w",), "int32")):
        n, w = T.int32(), T.int32()
        for i in range(n):
            for j in range(w):
                if j >= coin[i]:
                    ways[j] = ways[j] + ways[j - coin[i]]

    @T.prim_func(s_tir=True)
    def below(A: T.Buffer(("w",), "int32"), k: T.int32, far: T.int32):
        w = T.int32()
        for j in range(w):
            if j < w - k:
                if A[j] > 1:
                    A[j] = A[j + far]
