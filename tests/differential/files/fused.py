# Multiply-adds among other operations, which machines without an instruction for them do by loops over strips: chains,
# trees, results that are read again, several stores, casts, scalars, in place, rows, and sizes around those of strips.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def horner_32(X: T.Buffer((1537,), "float32"), Y: T.Buffer((1537,), "float32")):
        for i in range(1537):
            Y[i] = (((((((((X[i] * X[i] + T.float32(0.1)) * X[i] + T.float32(0.2)) * X[i] + T.float32(0.3)) * X[i] + T.float32(0.4)) * X[i] + T.float32(0.5)) * X[i] + T.float32(0.6)) * X[i] + T.float32(0.7)) * X[i] + T.float32(0.8)) * X[i] + T.float32(0.9))

    @T.prim_func(s_tir=True)
    def tree_32(A: T.Buffer((777,), "float32"), B: T.Buffer((777,), "float32"), C: T.Buffer((777,), "float32"), D: T.Buffer((777,), "float32"), Y: T.Buffer((777,), "float32")):
        for i in range(777):
            a, b, c, d = A[i], B[i], C[i], D[i]
            Y[i] = ((a + b) * (c - d) + (a - c) * (b + d)) * ((a - d) * (b - c) + (a + c) * (b - d))

    @T.prim_func(s_tir=True)
    def shared_32(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            s = A[i] * B[i] + A[i]
            Y[i] = s * s + s - T.max(s, B[i]) * T.sqrt(T.abs(s))

    @T.prim_func(s_tir=True)
    def two_stores_32(R: T.Buffer((600,), "float32"), I: T.Buffer((600,), "float32"), P: T.Buffer((600,), "float32"), Q: T.Buffer((600,), "float32")):
        for i in range(600):
            a, b = R[i], I[i]
            P[i] = a * a - b * b + a
            Q[i] = T.float32(2) * a * b + b

    @T.prim_func(s_tir=True)
    def in_place_32(A: T.Buffer((500,), "float32"), B: T.Buffer((500,), "float32"), Y: T.Buffer((500,), "float32")):
        for i in range(500):
            Y[i] = (A[i] - Y[i]) * B[i] + Y[i] / (B[i] * B[i] + T.float32(1))

    @T.prim_func(s_tir=True)
    def kept_32(A: T.Buffer((400,), "float32"), B: T.Buffer((400,), "float32"), Y: T.Buffer((400,), "float32"), Z: T.Buffer((400,), "float32")):
        for i in range(400):
            s = A[i] * B[i] - T.float32(3)
            Y[i] = s
            Z[i] = s * A[i] + s

    @T.prim_func(s_tir=True)
    def scaled_32(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32"), a: T.float32, b: T.float32):
        n = T.int32()
        for i in range(n):
            Y[i] = a * X[i] + b - X[i] * (b - X[i] * a)

    @T.prim_func(s_tir=True)
    def stencil_32(X: T.Buffer((1030,), "float32"), Y: T.Buffer((1026,), "float32")):
        for i in range(1026):
            Y[i] = X[i] * T.float32(0.1) + X[i + 1] * T.float32(0.2) + X[i + 2] * T.float32(0.4) + X[i + 3] * T.float32(0.2) + X[i + 4] * T.float32(0.1)

    @T.prim_func(s_tir=True)
    def rows_32(A: T.Buffer((9, 131), "float32"), B: T.Buffer((9, 131), "float32"), w: T.Buffer((9,), "float32"), Y: T.Buffer((9, 140), "float32")):
        for i, j in T.grid(9, 131):
            Y[i, j] = A[i, j] * w[i] + B[i, j] * (A[i, j] - w[i]) + B[i, j]

    @T.prim_func(s_tir=True)
    def bytes_32(Q: T.Buffer((513,), "int8"), S: T.Buffer((513,), "float32"), Y: T.Buffer((513,), "float32")):
        for i in range(513):
            Y[i] = (T.Cast("float32", Q[i]) - T.float32(3)) * S[i] + T.float32(0.25)

    @T.prim_func(s_tir=True)
    def horner_64(X: T.Buffer((1537,), "float64"), Y: T.Buffer((1537,), "float64")):
        for i in range(1537):
            Y[i] = (((((((((X[i] * X[i] + T.float64(0.1)) * X[i] + T.float64(0.2)) * X[i] + T.float64(0.3)) * X[i] + T.float64(0.4)) * X[i] + T.float64(0.5)) * X[i] + T.float64(0.6)) * X[i] + T.float64(0.7)) * X[i] + T.float64(0.8)) * X[i] + T.float64(0.9))

    @T.prim_func(s_tir=True)
    def tree_64(A: T.Buffer((777,), "float64"), B: T.Buffer((777,), "float64"), C: T.Buffer((777,), "float64"), D: T.Buffer((777,), "float64"), Y: T.Buffer((777,), "float64")):
        for i in range(777):
            a, b, c, d = A[i], B[i], C[i], D[i]
            Y[i] = ((a + b) * (c - d) + (a - c) * (b + d)) * ((a - d) * (b - c) + (a + c) * (b - d))

    @T.prim_func(s_tir=True)
    def shared_64(A: T.Buffer(("n",), "float64"), B: T.Buffer(("n",), "float64"), Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            s = A[i] * B[i] + A[i]
            Y[i] = s * s + s - T.max(s, B[i]) * T.sqrt(T.abs(s))

    @T.prim_func(s_tir=True)
    def two_stores_64(R: T.Buffer((600,), "float64"), I: T.Buffer((600,), "float64"), P: T.Buffer((600,), "float64"), Q: T.Buffer((600,), "float64")):
        for i in range(600):
            a, b = R[i], I[i]
            P[i] = a * a - b * b + a
            Q[i] = T.float64(2) * a * b + b

    @T.prim_func(s_tir=True)
    def in_place_64(A: T.Buffer((500,), "float64"), B: T.Buffer((500,), "float64"), Y: T.Buffer((500,), "float64")):
        for i in range(500):
            Y[i] = (A[i] - Y[i]) * B[i] + Y[i] / (B[i] * B[i] + T.float64(1))

    @T.prim_func(s_tir=True)
    def kept_64(A: T.Buffer((400,), "float64"), B: T.Buffer((400,), "float64"), Y: T.Buffer((400,), "float64"), Z: T.Buffer((400,), "float64")):
        for i in range(400):
            s = A[i] * B[i] - T.float64(3)
            Y[i] = s
            Z[i] = s * A[i] + s

    @T.prim_func(s_tir=True)
    def scaled_64(X: T.Buffer(("n",), "float64"), Y: T.Buffer(("n",), "float64"), a: T.float64, b: T.float64):
        n = T.int32()
        for i in range(n):
            Y[i] = a * X[i] + b - X[i] * (b - X[i] * a)

    @T.prim_func(s_tir=True)
    def stencil_64(X: T.Buffer((1030,), "float64"), Y: T.Buffer((1026,), "float64")):
        for i in range(1026):
            Y[i] = X[i] * T.float64(0.1) + X[i + 1] * T.float64(0.2) + X[i + 2] * T.float64(0.4) + X[i + 3] * T.float64(0.2) + X[i + 4] * T.float64(0.1)

    @T.prim_func(s_tir=True)
    def rows_64(A: T.Buffer((9, 131), "float64"), B: T.Buffer((9, 131), "float64"), w: T.Buffer((9,), "float64"), Y: T.Buffer((9, 140), "float64")):
        for i, j in T.grid(9, 131):
            Y[i, j] = A[i, j] * w[i] + B[i, j] * (A[i, j] - w[i]) + B[i, j]

    @T.prim_func(s_tir=True)
    def bytes_64(Q: T.Buffer((513,), "int8"), S: T.Buffer((513,), "float64"), Y: T.Buffer((513,), "float64")):
        for i in range(513):
            Y[i] = (T.Cast("float64", Q[i]) - T.float64(3)) * S[i] + T.float64(0.25)
