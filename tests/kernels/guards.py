# What only some iterations may compute: elements that are only there, and quotients that only exist, where a condition holds.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class guards:
    @T.prim_func
    def sample(A: T.Buffer((3, 21, 19), "float32"), Y: T.Buffer((33, 70), "float32"), X: T.Buffer((33, 70), "float32"),
               O: T.Buffer((3, 33, 70), "float32")):
        for c, i, j in T.grid(3, 33, 70):
            O[c, i, j] = T.if_then_else(
                    T.Cast("int32", T.floor(Y[i, j])) >= 0 and T.Cast("int32", T.floor(Y[i, j])) < 21
                    and T.Cast("int32", T.floor(X[i, j])) >= 0 and T.Cast("int32", T.floor(X[i, j])) < 19,
                    A[c, T.Cast("int32", T.floor(Y[i, j])), T.Cast("int32", T.floor(X[i, j]))], T.float32(-1))

    @T.prim_func
    def known(A: T.Buffer((100,), "float64"), K: T.Buffer((500,), "int32"), J: T.Buffer((9,), "int8"), O: T.Buffer((500,), "float64")):
        for i in range(500):
            if K[i] >= 0:
                if K[i] < 9 and J[K[i]] > T.int8(3):
                    O[i] = A[T.Cast("int32", J[K[i]])]
                else:
                    O[i] = A[K[i]] * T.float64(2)

    @T.prim_func
    def ratios(A: T.Buffer((7, 100), "int32"), B: T.Buffer((100,), "int32"), O: T.Buffer((7, 100), "int32"), P: T.Buffer((7, 100), "int64")):
        for i, j in T.grid(7, 100):
            O[i, j] = T.if_then_else(B[j] != 0, A[i, j] // B[j] + A[i, j] % B[j], -1)
            P[i, j] = T.if_then_else(B[j] == 0 or A[i, j] % B[j] == 0, T.int64(1), T.Cast("int64", A[i, j]) // (T.Cast("int64", B[j]) * T.int64(3000000000)))

    @T.prim_func
    def digits(A: T.Buffer((8, 33), "float32"), C: T.Buffer((8, 20), "int64"), O: T.Buffer((8, 33), "float32"), P: T.Buffer((8, 20), "float32")):
        for i in range(T.int64(8)):
            for j in range(T.int64(20)):
                O[(i * T.int64(33) + C[i, j]) // T.int64(33), (i * T.int64(33) + C[i, j]) % T.int64(33)] = A[i, j]
        for i, j in T.grid(T.int64(8), T.int64(20)):
            P[i, j] = A[(C[i, j] * T.int64(8) + i) // T.int64(33), (C[i, j] * T.int64(8) + i) % T.int64(33)]

    # The number of the copy is never that of a NaN where what is chosen has been compared.
    @T.prim_func
    def leaky(A: T.Buffer((7, 33), "float32"), O: T.Buffer((7, 33), "float32"), P: T.Buffer((7, 33), "float32")):
        for i, j in T.grid(7, 33):
            O[i, j] = T.Select(T.float32(0) < A[i, j], A[i, j], A[i, j] * T.float32(0.25))
            P[i, j] = T.Select(A[i, j] < T.float32(0), A[i, j] * T.float32(0.25), A[i, j])

    # Sizes of run time: any of these arrays may be empty, and then no condition asks for its elements.
    @T.prim_func
    def named(A: T.Buffer(("h", "w"), "float32"), Y: T.Buffer(("n", "m"), "int32"), X: T.Buffer(("n", "m"), "int32"), O: T.Buffer(("n", "m"), "float32")):
        h, w, n, m = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, m):
            if Y[i, j] >= 0 and Y[i, j] < h and X[i, j] >= 0 and X[i, j] < w:
                O[i, j] = A[Y[i, j], X[i, j]]
            elif Y[i, j] < -2:
                O[i, j] = T.float32(-1)

    @T.prim_func
    def window(A: T.Buffer(("h", "w"), "uint8"), O: T.Buffer(("h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            O[i, j] = T.uint8(255)
            for p, q in T.grid(3, 5):
                if i + p >= 1 and i + p - 1 < h and j + q - 2 >= 0 and j + q - 2 < w:
                    O[i, j] = T.min(O[i, j], A[i + p - 1, j + q - 2])

    @T.prim_func
    def corners(A: T.Buffer(("h", "w"), "float32"), O: T.Buffer(("h", "w"), "float32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            d = T.float32(0)
            if i == 0 and j == 0:
                d = T.if_then_else(w > 1, A[i, T.min(j + 1, w - 1)], T.float32(3))
            elif i == 0:
                d = A[i, j - 1]
            elif j == 0 or i == h - 1:
                d = A[i - 1, j] - A[i, j]
            else:
                d = A[i + 1, j] + A[i, j - 1]
            O[i, j] = A[i, j] + d

    # A loop that only some iterations come to, alike in each of them.
    @T.prim_func
    def edges(N: T.Buffer(("n",), "int32"), V: T.Buffer(("m", 3), "float32"), O: T.Buffer((3, "n"), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            if N[i] >= 0:
                for q in range(3):
                    O[q, i] = O[q, i] + V[N[i], q]
            else:
                for q in range(2):
                    O[q, i] = T.float32(q)
