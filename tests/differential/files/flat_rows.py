# Rows of a constant length in memory of one dimension that is read where it is stored to, some of which overlap; planes
# that take turns; numbers that several statements use; and windows whose elements a condition takes.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def paths(d: T.Buffer((256,), "int32")):
        for k, i, j in T.grid(16, 16, 16):
            if d[i * 16 + k] + d[k * 16 + j] < d[i * 16 + j]:
                d[i * 16 + j] = d[i * 16 + k] + d[k * 16 + j]

    @T.prim_func(s_tir=True)
    def overlapping(A: T.Buffer((300,), "float32"), B: T.Buffer((32,), "float32")):
        for i, j in T.grid(12, 20):
            A[i * 12 + j] = A[(i + 1) * 12 + j + 1] + B[i]
            B[j] = A[i * 12 + (19 - j)]

    @T.prim_func(s_tir=True)
    def table(A: T.Buffer((440,), "int64")):
        for i, j in T.grid(19, 21):
            A[(i + 1) * 22 + j + 1] = T.max(A[i * 22 + j + 1], A[(i + 1) * 22 + j]) + A[i * 22 + j]

    @T.prim_func(s_tir=True)
    def by_number(X: T.Buffer((20,), "int64"), A: T.Buffer((96,), "float32"), O: T.Buffer((20, 8), "float32")):
        for i, j in T.grid(20, 8):
            O[i, j] = O[i, j] + A[X[i] * 8 + j]

    @T.prim_func(s_tir=True)
    def planes(P: T.Buffer((2, 14, 14), "float32"), Q: T.Buffer((3, 40), "int32")):
        for t in range(5):
            for i, j in T.grid(12, 12):
                P[(t + 1) % 2, i + 1, j + 1] = P[t % 2, i + 1, j] + P[t % 2, i, j + 2]
        for t in range(7):
            for i in range(38):
                Q[(t + 2) % 3, i + 1] = Q[t % 3, i] + Q[(t + 1) % 3, i + 2]

    @T.prim_func(s_tir=True)
    def numbers(X: T.Buffer((96,), "uint8"), C: T.Buffer((64, 3), "float32"), N: T.Buffer((64,), "int32"),
                B: T.Buffer((3,), "float32")):
        for i in range(90):
            h: T.int32 = 0
            for q in range(5):
                h = h * 3 + T.Cast("int32", X[i + q])
            h = T.bitwise_and(h, 63)
            N[h] = N[h] + 1
            for d in range(3):
                C[h, d] = C[h, d] + B[d]

    @T.prim_func(s_tir=True)
    def numbers_of_numbers(X: T.Buffer((70,), "int32"), C: T.Buffer((16,), "int32"), Y: T.Buffer((64,), "int32")):
        for i in range(64):
            h: T.int32 = 1
            for q in range(5):
                h = h * 3 + X[i + q]
            g: T.int32 = T.bitwise_and(h, 15)
            X[i] = g
            Y[i] = g
            C[g] = Y[i]

    @T.prim_func(s_tir=True)
    def windows(A: T.Buffer((26, 26), "float32"), O: T.Buffer((24, 24), "float32"), N: T.Buffer((24, 24), "int32")):
        for y, x in T.grid(24, 24):
            m: T.float32 = T.float32(0)
            for i, j in T.grid(3, 3):
                if A[y + i, x + j] > m:
                    m = A[y + i, x + j]
            O[y, x] = m
        for y, x in T.grid(24, 24):
            n: T.int32 = 0
            for i, j in T.grid(3, 3):
                if A[y + i, x + j] >= A[y + 1, x + 1]:
                    n = n * 2 + 1
                else:
                    n = n * 2
            N[y, x] = n
