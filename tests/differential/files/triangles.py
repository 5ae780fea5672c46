# Triangles and bands that are gone through along columns: their loops change places.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def lower(A: T.Buffer((40, 40), "float32"), B: T.Buffer((40, 40), "float32"), k: T.Buffer((2,), "int32")):
        n: T.let[T.int32] = k[0] % 20 + 21
        for j in range(n):
            for i in range(j, n):
                A[i, j] = B[i, j] + A[i, j]
        m: T.let[T.int32] = k[1] % 38 + 3
        for j in range(m):
            for i in range(j):
                A[i, j] = B[j, i] * A[i, j]

    @T.prim_func(s_tir=True)
    def offset(A: T.Buffer((40, 40), "int32"), B: T.Buffer((40, 40), "int32"), k: T.Buffer((2,), "int32")):
        n: T.let[T.int32] = k[0] % 15 + 16
        for j in range(5, n):
            for i in range(j + 2, 36):
                A[i, j - 5] = B[i, j] + i * 3 - j
        m: T.let[T.int32] = k[1] % 25 + 5
        for j in range(m):
            for i in range(3, j + 7):
                if B[i, j] > 0:
                    A[i, j] = A[i, j] + B[i, j]

    @T.prim_func(s_tir=True)
    def band(A: T.Buffer((50, 40), "float64"), B: T.Buffer((40, 40), "float64"), k: T.Buffer((2,), "int32")):
        w: T.let[T.int32] = k[0] % 11 - 2
        m: T.let[T.int32] = k[1] % 20 + 16
        for j in range(m):
            for i in range(j + 1, j + 1 + w):
                A[i, j] = A[i, j] + B[j, j]
        for j in range(30):
            for i in range(j + 2, j + 9):
                A[i, j + 3] = B[j, i] * B[j, 4]

    @T.prim_func(s_tir=True)
    def diagonals(A: T.Buffer((80, 40), "int16"), B: T.Buffer((40, 40), "int16"), k: T.Buffer((2,), "int32")):
        n: T.let[T.int64] = T.Cast("int64", k[0] % 19 + 21)
        for j in range(n):
            for i in range(n - j):
                A[i, j] = B[j, i] + A[i, j]
        for j in range(n):
            for i in range(2 * j, 2 * n):
                A[i, j] = B[j, j] - A[i, j]

    # What one iteration stores another one reads.
    @T.prim_func(s_tir=True)
    def carried(A: T.Buffer((40, 40), "float32"), B: T.Buffer((40, 40), "float32"), k: T.Buffer((2,), "int32")):
        n: T.let[T.int32] = k[0] % 19 + 21
        for j in range(n):
            for i in range(j, n):
                A[i, j] = B[i, j] + A[i + 1, j]
        for j in range(1, n):
            for i in range(j, n):
                A[i, j] = B[i, j] * A[i, j - 1]
        for j in range(n):
            for i in range(j, n):
                A[i, 3] = B[i, j] + A[i, 3]

    @T.prim_func(s_tir=True)
    def outside(A: T.Buffer((40, 40), "float32"), B: T.Buffer((40, 40), "float32"), k: T.Buffer((2,), "int32")):
        n: T.let[T.int32] = k[0] % 20 + 25
        m: T.let[T.int32] = k[1] % 20 + 23
        for j in range(n):
            for i in range(j, m):
                A[i, j] = B[i, j] + T.float32(1)

    # Their rows, or columns, in parts: of the same size, or the last one smaller.
    @T.prim_func(s_tir=True)
    def rows_in_parts(L: T.Buffer((48, 48), "float32"), X: T.Buffer((48,), "float32"), Y: T.Buffer((48,), "float32")):
        for i_0, i_1, j in T.grid(6, 8, 48):
            with T.sblock("Y"):
                vi = T.axis.spatial(48, i_0 * 8 + i_1)
                vj = T.axis.reduce(48, j)
                with T.init():
                    Y[vi] = T.float32(0)
                if vj <= vi:
                    Y[vi] = Y[vi] + L[vi, vj] * X[vj]

    @T.prim_func(s_tir=True)
    def columns_in_parts(n: T.int32, S: T.Buffer(("n", 32), "float32")):
        for i in range(n):
            for j_0 in range(4):
                for j_1 in range(T.min(8, 32 - j_0 * 8)):
                    if j_0 * 8 + j_1 <= i:
                        S[i, j_0 * 8 + j_1] = S[i, j_0 * 8 + j_1] * T.float32(0.125)
                    else:
                        S[i, j_0 * 8 + j_1] = T.float32(-1000)

    @T.prim_func(s_tir=True)
    def tiles(m: T.int32, k: T.int32, A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", 21), "float32"), C: T.Buffer(("m", 21), "float32")):
        for i_0, j_0, p_0, p_1, i_1, j_1 in T.grid((m + 7) // 8, 3, (k + 3) // 4, 4, 8, 8):
            with T.sblock("C"):
                vi = T.axis.spatial(m, i_0 * 8 + i_1)
                vj = T.axis.spatial(21, j_0 * 8 + j_1)
                vp = T.axis.reduce(k, p_0 * 4 + p_1)
                T.where(i_0 * 8 + i_1 < m and j_0 * 8 + j_1 < 21 and p_0 * 4 + p_1 < k)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vp, vj]
