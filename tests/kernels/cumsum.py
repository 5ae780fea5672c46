# Scans: cumulative sums along either axis, an exclusive scan, a running maximum, a first-order recurrence.
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

    # y[i] = a * y[i - 1] + (1 - a) * x[i], y[-1] = 0
    @T.prim_func(s_tir=True)
    def smooth(X: T.Buffer(("n",), "float32"), a: T.float32, Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        state = T.float32(0)
        for i in range(n):
            state = a * state + (T.float32(1) - a) * X[i]
            Y[i] = state
