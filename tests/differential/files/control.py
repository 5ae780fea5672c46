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

    @T.prim_func(s_tir=True)
    def first_beyond(a: T.Buffer(("n",), "float32"), t: T.float32, at: T.Buffer((2,), "int32"), v: T.Buffer((1,), "float32")):
        n = T.int32()
        found: T.int32 = 0 - 2
        for i in range(n):
            if a[i] > t:
                found = i
                v[0] = a[i]
                break
        at[1] = found

    @T.prim_func(s_tir=True)
    def first_pair(a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "int32"), first: T.int32, at: T.Buffer((1,), "int64")):
        n = T.int32()
        for i in range(T.max(first, 0), n):
            s: T.int32 = a[i] * 3 - b[i]
            if s > 0 and a[i] != b[i]:
                at[0] = T.cast(i, "int64") + T.cast(s, "int64")
                break

    @T.prim_func(s_tir=True)
    def first_in_rows(A: T.Buffer(("m", "n"), "int8"), k: T.int8, at: T.Buffer(("m",), "int32")):
        m = T.int32()
        n = T.int32()
        for i in range(m):
            at[i] = n
            for j in range(i, n):
                if A[i, j] == k:
                    at[i] = j
                    break

    @T.prim_func(s_tir=True)
    def sum_until(a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "int32"), t: T.int32, out: T.Buffer((3,), "int32")):
        n = T.int32()
        for i in range(n):
            if a[i] < t:
                out[0] = out[0] + b[i]
            else:
                out[1] = i
                break
        for i in range(n):
            if a[i] > t:
                out[2] = i
                break
            else:
                b[i] = b[i] + 1

    @T.prim_func(s_tir=True)
    def last_negative(a: T.Buffer(("n",), "float32"), at: T.Buffer((1,), "int32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n):
            if a[i] < T.float32(0):
                j = i
        at[0] = j

    @T.prim_func(s_tir=True)
    def last_stored(a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "float64"), first: T.int32, k: T.int32, v: T.Buffer((4,), "float64"), at: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(T.max(first, 0), n):
            if a[i] == k:
                v[2] = b[i] + T.float64(1)
                at[n - 1] = i

    @T.prim_func(s_tir=True)
    def last_of_rows(A: T.Buffer(("m", "n"), "uint8"), k: T.uint8, at: T.Buffer(("m",), "int64")):
        m = T.int32()
        n = T.int32()
        for i in range(m):
            for j in range(n - i):
                if A[i, j] < k:
                    at[i] = T.cast(j, "int64")

    @T.prim_func(s_tir=True)
    def last_that_others_read(a: T.Buffer(("n",), "int32"), v: T.Buffer((1,), "int32")):
        n = T.int32()
        for i in range(n):
            if a[i] > v[0]:
                v[0] = i

    @T.prim_func(s_tir=True)
    def largest_apart(a: T.Buffer(("n",), "float32"), step: T.int32, largest: T.Buffer((1,), "float32"), at: T.Buffer((1,), "int32")):
        n = T.int32()
        k: T.int32 = 0
        index: T.int32 = 0
        x: T.float32 = T.abs(a[0])
        k = k + step
        for i in range(1, n):
            if T.abs(a[k]) > x:
                index = i
                x = T.abs(a[k])
            k = k + step
        largest[0] = x
        at[0] = index + k

    @T.prim_func(s_tir=True)
    def counted_by_another(a: T.Buffer(("n",), "int32"), step: T.int32, b: T.Buffer(("m",), "int32")):
        n = T.int32()
        m = T.int32()
        j: T.int32 = step
        k: T.int32 = j - 1
        k = k + j
        for i in range(m):
            b[i] = a[k] + k
            k = k - j

    @T.prim_func(s_tir=True)
    def never_under_the_condition(a: T.Buffer((40,), "int32"), b: T.Buffer((16,), "int32")):
        for i in range(2):
            for j in range(16):
                if i > 1:
                    a[1 - i] = 5
                a[j + 1] = a[j] * 3 - b[j]
                a[j + 20] = a[j + 2] ^ a[j]

    @T.prim_func(s_tir=True)
    def now_and_then(a: T.Buffer((40,), "int32"), b: T.Buffer((16,), "int32"), n: T.Buffer((2,), "int32")):
        for i in range(16):
            if b[i] > n[1]:
                n[0] = n[0] + 1
                a[T.max(T.min(n[0], 39), 0)] = b[i]
            else:
                a[T.max(T.min(n[0], 39), 0)] = a[T.max(T.min(n[0], 39), 0)] - 1

    @T.prim_func(s_tir=True)
    def counted_in_while(a: T.Buffer((50,), "int16"), b: T.Buffer((50,), "int16"), c: T.Buffer((50,), "int16")):
        for i in range(50):
            k: T.int32 = 0
            while k < 3 and b[i] > T.int16(1):
                k = k + 1
                for j in range(5):
                    a[i] = a[i] + c[j]

    @T.prim_func(s_tir=True)
    def last_in_while(a: T.Buffer((5,), "int16"), b: T.Buffer((5,), "bool")):
        for i in T.parallel(5):
            k: T.uint64 = T.uint64(0)
            while k < T.uint64(3) and b[i]:
                k = k + T.uint64(1)
                for j in range(5):
                    a[i] = T.cast(b[4 - j], "int16")

    @T.prim_func(s_tir=True)
    def nested_in_while(a: T.Buffer((70,), "float32"), b: T.Buffer((70,), "int32"), c: T.Buffer((3, 4), "float32")):
        for i in range(70):
            x: T.float32 = a[i]
            k: T.int32 = 0
            while k < T.min(b[i], 9):
                for j in range(3):
                    for l in range(4):
                        x = T.max(x * T.float32(0.5), c[j, l])
                k = k + 1
                while x > T.float32(4):
                    for j in range(2):
                        x = x - T.float32(1)
            a[i] = x
