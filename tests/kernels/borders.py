# What happens at the ends of loops: windows that reach out of an image, wrapping around, reflections, pieces of rows.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def average_inside(A: T.Buffer((3, 19, 23), "float32"), O: T.Buffer((3, 19, 23), "float32")):
        for c, y, x in T.grid(3, 19, 23):
            s = T.alloc_buffer((1,), "float32", scope="local")
            n = T.alloc_buffer((1,), "int32", scope="local")
            s[0] = T.float32(0)
            n[0] = 0
            for r, q in T.grid(3, 5):
                if y + r - 1 >= 0 and y + r - 1 < 19 and x + q - 2 >= 0 and x + q - 2 < 23:
                    s[0] = s[0] + A[c, y + r - 1, x + q - 2]
                    n[0] = n[0] + 1
            O[c, y, x] = s[0] / T.Cast("float32", n[0])

    @T.prim_func
    def depthwise_padded(A: T.Buffer((5, 17, 20), "float32"), W: T.Buffer((5, 3, 3), "float32"), O: T.Buffer((5, 17, 20), "float32")):
        for c, y, x in T.grid(5, 17, 20):
            O[c, y, x] = T.float32(0)
            for r, s in T.grid(3, 3):
                O[c, y, x] = O[c, y, x] + T.if_then_else(y + r >= 1 and y + r < 18 and x + s >= 1 and x + s < 21, A[c, y + r - 1, x + s - 1], T.float32(0)) * W[c, r, s]

    @T.prim_func
    def life(A: T.Buffer((24, 31), "uint8"), O: T.Buffer((24, 31), "uint8")):
        for i, j in T.grid(24, 31):
            n = T.alloc_buffer((1,), "int32", scope="local")
            n[0] = 0
            for di, dj in T.grid(3, 3):
                if di != 1 or dj != 1:
                    n[0] = n[0] + T.Cast("int32", A[(i + di + 23) % 24, (j + dj + 30) % 31])
            O[i, j] = T.if_then_else(n[0] == 3 or (n[0] == 2 and A[i, j] == T.uint8(1)), T.uint8(1), T.uint8(0))

    @T.prim_func
    def reflect(A: T.Buffer((9, 21), "int16"), O: T.Buffer((13, 27), "int16")):
        for i, j in T.grid(13, 27):
            O[i, j] = A[8 - T.abs(8 - T.abs(i - 2)), T.if_then_else(j < 3, 3 - j, T.if_then_else(j >= 24, 43 - j, j - 3))]

    @T.prim_func
    def replicate(A: T.Buffer((12, 15), "float64"), O: T.Buffer((16, 21), "float64")):
        for i, j in T.grid(16, 21):
            O[i, j] = A[T.min(T.max(i - 2, 0), 11), T.min(T.max(j - 3, 0), 14)]

    @T.prim_func
    def roll(A: T.Buffer((18, 33), "int32"), O: T.Buffer((18, 33), "int32")):
        for i, j in T.grid(18, 33):
            O[i, j] = A[(i + 5) % 18, (j + 29) % 33]

    @T.prim_func
    def pieces(A: T.Buffer((11, 7), "float32"), B: T.Buffer((11, 30), "float32"), C: T.Buffer((11, 4), "float32"), O: T.Buffer((11, 41), "float32")):
        for i, j in T.grid(11, 41):
            if j < 7:
                O[i, j] = A[i, j]
            elif j < 37:
                O[i, j] = B[i, j - 7]
            else:
                O[i, j] = C[i, j - 37]

    @T.prim_func
    def heat_with_walls(A: T.Buffer((16, 16, 18), "float32"), O: T.Buffer((16, 16, 18), "float32")):
        for i, j, k in T.grid(16, 16, 18):
            if i > 0 and i < 15 and j > 0 and j < 15 and k > 0 and k < 17:
                O[i, j, k] = (A[i - 1, j, k] + A[i + 1, j, k] + A[i, j - 1, k] + A[i, j + 1, k] + A[i, j, k - 1] + A[i, j, k + 1]) * T.float32(0.125)
            else:
                O[i, j, k] = A[i, j, k]

    @T.prim_func
    def red_black(U: T.Buffer((35, 34), "float32")):
        for c in range(2):
            for i, j in T.grid(33, 32):
                if (i + j) % 2 == c:
                    U[i + 1, j + 1] = (U[i, j + 1] + U[i + 2, j + 1] + U[i + 1, j] + U[i + 1, j + 2]) * T.float32(0.25)

    @T.prim_func
    def transposed_convolution(A: T.Buffer((4, 9, 10), "float32"), W: T.Buffer((4, 3, 3, 3), "float32"), O: T.Buffer((3, 19, 21), "float32")):
        for c, y, x in T.grid(3, 19, 21):
            O[c, y, x] = T.float32(0)
            for i, r, s in T.grid(4, 3, 3):
                if y - r >= 0 and (y - r) % 2 == 0 and (y - r) // 2 < 9 and x - s >= 0 and (x - s) % 2 == 0 and (x - s) // 2 < 10:
                    O[c, y, x] = O[c, y, x] + A[i, (y - r) // 2, (x - s) // 2] * W[i, c, r, s]

    @T.prim_func
    def in_turns(A: T.Buffer((601,), "int32"), O: T.Buffer((601,), "int32")):
        for i in range(601):
            if i % 3 == 1:
                O[i] = A[i] * 2
            else:
                O[i] = A[600 - i]

    @T.prim_func
    def crossing(B: T.Buffer((26, 3), "int64"), O: T.Buffer((8, 8, 23), "int64")):
        for j in range(5):
            for k in range(3):
                O[2, j, k * 4] = O[2, j, k * 4] + B[k, 0]
                O[j, 2 - k, 6] = O[j, 2 - k, 6] + B[j * 5 + j, k]

    @T.prim_func
    def lengths(A: T.Buffer((4, 9), "int32"), N: T.Buffer((8, 6), "int32"), O: T.Buffer((8, 6), "int32")):
        for i, j in T.grid(8, 6):
            for k in range(N[i, j]):
                O[i, j] = O[i, j] + A[i % 4, k] * (j % 3)
