# Rows that the machine runs one after the other: what one row reads another one may write.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def from_the_row_above(A: T.Buffer((24, 24), "float32"), B: T.Buffer((24, 24), "float32")):
        for i in range(1, 24):
            for j in range(1, 24):
                A[i, j] = A[i - 1, j - 1] + B[i, j]

    @T.prim_func(s_tir=True)
    def from_the_row_below(A: T.Buffer((24, 24), "int32"), B: T.Buffer((24, 24), "int32"), k: T.Buffer((1,), "int32")):
        by: T.let[T.int32] = k[0] % 3 + 1
        for i in range(24 - by):
            for j in range(24 - by):
                A[i, j] = A[i + by, j + by] * 3 + B[i, j]

    @T.prim_func(s_tir=True)
    def from_a_column(A: T.Buffer((24, 24), "float32"), B: T.Buffer((24, 24), "float32")):
        for i in range(24):
            for j in range(i):
                A[i, j] = A[j, i] + B[i, j]

    @T.prim_func(s_tir=True)
    def to_a_column(A: T.Buffer((24, 24), "int16"), B: T.Buffer((24, 24), "int16")):
        for i in range(24):
            for j in range(i + 1, 24):
                A[j, i] = A[i, j] + B[i, j]

    @T.prim_func(s_tir=True)
    def backwards(A: T.Buffer((24, 24), "float64"), B: T.Buffer((24, 24), "float64")):
        for i in range(1, 24):
            for j in range(23):
                A[i, 22 - j] = A[i - 1, 23 - j] + B[i, j]

    # The rows come closer to what they read, and meet it.
    @T.prim_func(s_tir=True)
    def nearer(A: T.Buffer((2000,), "int32"), B: T.Buffer((40,), "int32"), k: T.Buffer((1,), "int32")):
        far: T.let[T.int32] = k[0] % 300
        for i in range(30):
            for j in range(20):
                A[i * 25 + j] = A[far + i * 20 + j] + B[j]

    @T.prim_func(s_tir=True)
    def of_lengths(A: T.Buffer((2000,), "int32"), B: T.Buffer((40,), "int32"), n: T.Buffer((40,), "int32")):
        for i in range(30):
            for j in range(n[i] % 31 + 1):
                A[i * 31 + 64 + j] = A[i * 31 + j] + B[j]

    @T.prim_func(s_tir=True)
    def at_a_distance(A: T.Buffer((2000,), "float32"), B: T.Buffer((2000,), "float32"), k: T.Buffer((1,), "int32")):
        n: T.let[T.int32] = k[0] % 1000
        for i in range(n):
            A[i + 12] = A[i] + B[i]
        for i in range(3, n):
            A[i + 64] = A[i] * B[i + 1]

    @T.prim_func(s_tir=True)
    def at_distances(A: T.Buffer((2000,), "float32"), B: T.Buffer((2000,), "float32"), k: T.Buffer((1,), "int32")):
        far: T.let[T.int32] = k[0] % 50 + 1
        for i in range(700):
            A[i + far] = A[i] + B[i]
        for i in range(700):
            A[2 * i + 40] = A[2 * i] - B[i + 1]

    @T.prim_func(s_tir=True)
    def at_remainders(A: T.Buffer((300,), "int32"), B: T.Buffer((300,), "int32"), k: T.Buffer((1,), "int32")):
        n: T.let[T.int32] = k[0] % 310
        for i in range(n):
            A[i + 4] = A[i] + B[i]
        for i in range(n):
            A[i] = A[i + 3] + A[i + 6]
