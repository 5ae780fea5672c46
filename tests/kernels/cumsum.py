# Scans: cumulative sums along either axis, one that begins anew, an exclusive scan, running extremes, a first-order recurrence.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def cumsum(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if i == 0:
                B[0] = A[0]
            else:
                B[i] = B[i - 1] + A[i]

    @T.prim_func(s_tir=True)
    def cumsum_i64(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int64")):
        n = T.int32()
        total: T.int64 = T.int64(0)
        for i in range(n):
            total = total + T.Cast("int64", A[i])
            B[i] = total

    @T.prim_func(s_tir=True)
    def cumsum_rows(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("scan"):
                vi = T.axis.spatial(n, i)
                vj = T.axis.scan(m, j)
                B[vi, vj] = T.if_then_else(vj == 0, T.float32(0), B[vi, vj - 1]) + A[vi, vj]

    @T.prim_func(s_tir=True)
    def cumsum_columns(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            B[i, j] = T.if_then_else(i == 0, T.float32(0), B[i - 1, j]) + A[i, j]

    @T.prim_func(s_tir=True)
    def exclusive_scan(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n + 1",), "int32")):
        n = T.int32()
        B[0] = 0
        for i in range(n):
            B[i + 1] = B[i] + A[i]

    @T.prim_func(s_tir=True)
    def running_maximum(A: T.Buffer(("n",), "float64"), B: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            B[i] = A[i]
            if i > 0:
                B[i] = T.max(B[i], B[i - 1])

    @T.prim_func(s_tir=True)
    def running_extremes(A: T.Buffer(("n",), "float32"), least: T.Buffer(("n",), "float32"), greatest: T.Buffer(("n",), "float32")):
        n = T.int32()
        low: T.float32 = T.infinity("float32")
        high: T.float32 = -T.infinity("float32")
        for i in range(n):
            low = T.min(low, A[i])
            least[i] = low
        for i in range(n):
            greatest[i] = high
            high = T.max(A[i], high)

    # A sum that begins anew where a flag is set.
    @T.prim_func(s_tir=True)
    def segmented_sum(A: T.Buffer(("n",), "int32"), begins: T.Buffer(("n",), "bool"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        total: T.int32 = 0
        for i in range(n):
            if begins[i]:
                total = 0
            total = total + A[i]
            B[i] = total

    # y[i] = a * y[i - 1] + (1 - a) * x[i], y[-1] = 0
    @T.prim_func(s_tir=True)
    def smooth(X: T.Buffer(("n",), "float32"), a: T.float32, Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        state = T.float32(0)
        for i in range(n):
            state = a * state + (T.float32(1) - a) * X[i]
            Y[i] = state

    # y[i] = a * y[i - 1] + x[i], and where the gate is open alone
    @T.prim_func(s_tir=True)
    def decay(X: T.Buffer(("n", "m"), "float64"), a: T.float64, gate: T.Buffer(("n", "m"), "uint8"),
              Y: T.Buffer(("n", "m"), "float64"), total: T.Buffer((2,), "float64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for j in range(m):
                if j == 0:
                    Y[i, j] = X[i, j]
                else:
                    Y[i, j] = a * Y[i, j - 1] + X[i, j]
        for i, j in T.grid(n, m):
            if gate[i, j] != T.uint8(0):
                total[1] = a * total[1] + X[i, j]

    # The sums of all elements above and to the left.
    @T.prim_func(s_tir=True)
    def summed_area(A: T.Buffer(("n", "m"), "int32"), S: T.Buffer(("n + 1", "m + 1"), "int32")):
        n, m = T.int32(), T.int32()
        for j in range(m + 1):
            S[0, j] = 0
        for i in range(n):
            S[i + 1, 0] = 0
            for j in range(m):
                S[i + 1, j + 1] = A[i, j] + S[i, j + 1] + S[i + 1, j] - S[i, j]

    # Along columns, which the outer loop goes through.
    @T.prim_func(s_tir=True)
    def down_columns(A: T.Buffer(("n", 40), "float32"), B: T.Buffer(("n + 1", 40), "float32")):
        n = T.int32()
        for j in range(40):
            B[0, j] = T.float32(0)
            for i in range(n):
                B[i + 1, j] = B[i, j] * T.float32(0.5) + A[i, j]

    @T.prim_func(s_tir=True)
    def edit_distance(a: T.Buffer(("n",), "uint8"), b: T.Buffer(("m",), "uint8"), D: T.Buffer(("n + 1", "m + 1"), "int32")):
        n, m = T.int32(), T.int32()
        for j in range(m + 1):
            D[0, j] = j
        for i in range(n):
            D[i + 1, 0] = i + 1
            for j in range(m):
                D[i + 1, j + 1] = T.min(T.min(D[i, j + 1], D[i + 1, j]) + 1, D[i, j] + T.if_then_else(a[i] == b[j], 0, 1))

    @T.prim_func(s_tir=True)
    def moving_average(A: T.Buffer(("n + 8",), "int32"), B: T.Buffer(("n",), "int32"), large: T.Buffer((1,), "int64")):
        n = T.int32()
        total: T.int32 = 0
        for i in range(8):
            total = total + A[i]
        for i in range(n):
            B[i] = total >> 3
            total = total + A[i + 8] - A[i]
        large[0] = T.int64(0)
        for i in range(n):
            if B[i] > 10:
                large[0] = large[0] + T.int64(1)
