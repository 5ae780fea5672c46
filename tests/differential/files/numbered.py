# Rows that numbers choose: short and long ones, of types that are cast or not, one or several of them, alone or in sums.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scaled_float32_5(W: T.Buffer((300, 5), "float32"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 5), "float32")):
        for n, d in T.grid(30, 5):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float32_20(W: T.Buffer((300, 20), "float32"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 20), "float32")):
        for n, d in T.grid(30, 20):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float32_70(W: T.Buffer((300, 70), "float32"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 70), "float32")):
        for n, d in T.grid(30, 70):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float32_200(W: T.Buffer((300, 200), "float32"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 200), "float32")):
        for n, d in T.grid(30, 200):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float16_5(W: T.Buffer((300, 5), "float16"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 5), "float32")):
        for n, d in T.grid(30, 5):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float16_20(W: T.Buffer((300, 20), "float16"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 20), "float32")):
        for n, d in T.grid(30, 20):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float16_70(W: T.Buffer((300, 70), "float16"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 70), "float32")):
        for n, d in T.grid(30, 70):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float16_200(W: T.Buffer((300, 200), "float16"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 200), "float32")):
        for n, d in T.grid(30, 200):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_int8_5(W: T.Buffer((300, 5), "int8"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 5), "float32")):
        for n, d in T.grid(30, 5):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_int8_20(W: T.Buffer((300, 20), "int8"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 20), "float32")):
        for n, d in T.grid(30, 20):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_int8_70(W: T.Buffer((300, 70), "int8"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 70), "float32")):
        for n, d in T.grid(30, 70):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_int8_200(W: T.Buffer((300, 200), "int8"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 200), "float32")):
        for n, d in T.grid(30, 200):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float64_5(W: T.Buffer((300, 5), "float64"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 5), "float32")):
        for n, d in T.grid(30, 5):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float64_20(W: T.Buffer((300, 20), "float64"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 20), "float32")):
        for n, d in T.grid(30, 20):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float64_70(W: T.Buffer((300, 70), "float64"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 70), "float32")):
        for n, d in T.grid(30, 70):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def scaled_float64_200(W: T.Buffer((300, 200), "float64"), I: T.Buffer((30,), "uint8"), Y: T.Buffer((30, 200), "float32")):
        for n, d in T.grid(30, 200):
            Y[n, d] = T.Cast("float32", W[T.Cast("int32", I[n]), d]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def two_float32_7(W: T.Buffer((256, 7), "float32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 7), "float32")):
        for n, d in T.grid(20, 7):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_float32_7(W: T.Buffer((256, 7), "float32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 7), "float32")):
        for b, d in T.grid(6, 7):
            Y[b, d] = T.Cast("float32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    @T.prim_func(s_tir=True)
    def two_float32_33(W: T.Buffer((256, 33), "float32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 33), "float32")):
        for n, d in T.grid(20, 33):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_float32_33(W: T.Buffer((256, 33), "float32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 33), "float32")):
        for b, d in T.grid(6, 33):
            Y[b, d] = T.Cast("float32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    @T.prim_func(s_tir=True)
    def two_float32_90(W: T.Buffer((256, 90), "float32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 90), "float32")):
        for n, d in T.grid(20, 90):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_float32_90(W: T.Buffer((256, 90), "float32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 90), "float32")):
        for b, d in T.grid(6, 90):
            Y[b, d] = T.Cast("float32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    @T.prim_func(s_tir=True)
    def two_int32_7(W: T.Buffer((256, 7), "int32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 7), "int32")):
        for n, d in T.grid(20, 7):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_int32_7(W: T.Buffer((256, 7), "int32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 7), "int32")):
        for b, d in T.grid(6, 7):
            Y[b, d] = T.Cast("int32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    @T.prim_func(s_tir=True)
    def two_int32_33(W: T.Buffer((256, 33), "int32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 33), "int32")):
        for n, d in T.grid(20, 33):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_int32_33(W: T.Buffer((256, 33), "int32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 33), "int32")):
        for b, d in T.grid(6, 33):
            Y[b, d] = T.Cast("int32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    @T.prim_func(s_tir=True)
    def two_int32_90(W: T.Buffer((256, 90), "int32"), I: T.Buffer((20,), "uint8"), J: T.Buffer((20,), "uint8"), Y: T.Buffer((20, 90), "int32")):
        for n, d in T.grid(20, 90):
            Y[n, d] = W[T.Cast("int32", I[n]), d] + W[T.Cast("int32", J[n]), d]

    @T.prim_func(s_tir=True)
    def bag_int32_90(W: T.Buffer((256, 90), "int32"), I: T.Buffer((6, 5), "uint8"), Y: T.Buffer((6, 90), "int32")):
        for b, d in T.grid(6, 90):
            Y[b, d] = T.Cast("int32", b)
            for k in range(5):
                Y[b, d] = Y[b, d] + W[T.Cast("int32", I[b, k]), d]

    # One of the numbers may be out of bounds.
    @T.prim_func(s_tir=True)
    def outside(W: T.Buffer((9, 64), "float32"), I: T.Buffer((40,), "uint8"), S: T.Buffer((40,), "float32"), Y: T.Buffer((64,), "float32")):
        for k, d in T.grid(40, 64):
            Y[d] = Y[d] + W[T.Cast("int32", I[k]), d] * S[k]

    # Rows that begin at an element, of bags: numbers of two loops, which may wrap, be out of bounds, or be none.
    @T.prim_func(s_tir=True)
    def flat_bag(W: T.Buffer((256 * 33,), "float32"), I: T.Buffer((6, 5), "uint8"), S: T.Buffer((6, 5), "float32"), Y: T.Buffer((6 * 33,), "float32")):
        for b, d in T.grid(6, 33):
            Y[b * 33 + d] = T.float32(0)
            for k in range(5):
                Y[b * 33 + d] = Y[b * 33 + d] + W[T.Cast("int32", I[b, k]) * 33 + d] * S[b, k]

    @T.prim_func(s_tir=True)
    def flat_bag_outside(W: T.Buffer((200 * 33,), "int32"), I: T.Buffer((40, 3), "uint8"), Y: T.Buffer((40, 33), "int32")):
        for b, d in T.grid(40, 33):
            Y[b, d] = b
            for k in range(3):
                Y[b, d] = Y[b, d] + W[T.Cast("int64", I[b, k]) * T.int64(33) + T.Cast("int64", d)]

    @T.prim_func(s_tir=True)
    def flat_bag_wraps(W: T.Buffer((64,), "int32"), I: T.Buffer((10, 3), "int32"), Y: T.Buffer((10, 20), "int32")):
        for b, d in T.grid(10, 20):
            Y[b, d] = d
            for k in range(3):
                Y[b, d] = Y[b, d] + W[I[b, k] * 1073741824 * 4 + d]

    @T.prim_func(s_tir=True)
    def flat_bags(W_handle: T.handle, I_handle: T.handle, Y_handle: T.handle, n: T.int32, k: T.int32, v: T.int32, m: T.int32):
        W = T.match_buffer(W_handle, (v * m,), "float32")
        I = T.match_buffer(I_handle, (n * k,), "uint8")
        Y = T.match_buffer(Y_handle, (n * m,), "float32")
        for b, r, d in T.grid(n, k, m):
            Y[b * m + d] = Y[b * m + d] + W[T.Cast("int32", I[b * k + r]) * m + d]

    @T.prim_func(s_tir=True)
    def pairs(X_handle: T.handle, C_handle: T.handle, Y_handle: T.handle):
        n, g, d = T.int32(), T.int32(), T.int32()
        X = T.match_buffer(X_handle, (n, g, 2 * d), "float32")
        C = T.match_buffer(C_handle, (n, d), "float32")
        Y = T.match_buffer(Y_handle, (n, g, 2 * d), "float32")
        for t, a, e in T.grid(n, g, d):
            Y[t, a, 2 * e] = X[t, a, 2 * e] * C[t, e] - X[t, a, 2 * e + 1]
            Y[t, a, 2 * e + 1] = X[t, a, 2 * e] + X[t, a, 2 * e + 1] * C[t, e]

    @T.prim_func(s_tir=True)
    def pairs_of_itself(Y_handle: T.handle):
        n, g, d = T.int32(), T.int32(), T.int32()
        Y = T.match_buffer(Y_handle, (n, g, 3 * d), "int32")
        for t, a, e in T.grid(n, g, d):
            Y[t, a, 3 * e] = Y[t, a, 3 * e] + Y[t, a, 3 * e + 1]
            Y[t, a, 3 * e + 1] = Y[t, a, 3 * e + 2] - Y[t, a, 3 * e]

    @T.prim_func(s_tir=True)
    def band_of_int32(A_handle: T.handle, X_handle: T.handle, Y_handle: T.handle):
        n = T.int32()
        A = T.match_buffer(A_handle, (n, 9), "float32")
        X = T.match_buffer(X_handle, (n,), "float32")
        Y = T.match_buffer(Y_handle, (n,), "float32")
        for i in range(n):
            Y[i] = T.float32(0)
            for r in range(9):
                if i + r >= 4 and i + r < n + 4:
                    Y[i] = Y[i] + A[i, r] * X[i + r - 4]

    # What the numbers are made of is stored by what stands ahead of the rows.
    @T.prim_func(s_tir=True)
    def flat_numbers_stored(X: T.Buffer((32 * 64,), "float32"), S: T.Buffer((20, 4), "int32"), I: T.Buffer((20, 4), "int32"), Y: T.Buffer((20, 4, 64), "float32")):
        for b, r in T.grid(20, 4):
            I[b, r] = T.bitwise_and(S[b, r], 31)
            for d in range(64):
                Y[b, r, d] = X[I[b, r] * 64 + d]

    # A part of what is there, behind which there is more: some rows end beyond the part.
    @T.prim_func(s_tir=True)
    def part_of_memory(X: T.Buffer((2000,), "float32"), I: T.Buffer((64,), "int32"), Y: T.Buffer((64, 32), "float32")):
        part = T.decl_buffer((40,), "float32", data=X.data)
        for b, d in T.grid(64, 32):
            Y[b, d] = part[T.bitwise_and(I[b], 15) + d]

    @T.prim_func(s_tir=True)
    def large_part_of_memory(X: T.Buffer((2000,), "float32"), I: T.Buffer((64,), "int32"), Y: T.Buffer((64, 32), "float32")):
        part = T.decl_buffer((47,), "float32", data=X.data)
        for b, d in T.grid(64, 32):
            Y[b, d] = part[T.bitwise_and(I[b], 15) + d]

    # Sums of rows that other loops choose, each element by itself, of as many columns as the call says.
    @T.prim_func(s_tir=True)
    def sums_of_chosen(start: T.Buffer((21,), "int32"), row: T.Buffer((40,), "int32"), A: T.Buffer((40,), "float32"), X: T.Buffer((30, "w"), "float32"), Y: T.Buffer((20, "w"), "float32")):
        w = T.int32()
        for i in range(21):
            start[i] = T.max(T.min(start[i], 40), 0)
        for k in range(40):
            row[k] = T.max(T.min(row[k], 30), 0)
        for i, j in T.grid(20, w):
            Y[i, j] = T.float32(0)
            for k in range(start[i], start[i + 1]):
                Y[i, j] = Y[i, j] + A[k] * X[row[k], j]

    @T.prim_func(s_tir=True)
    def sums_of_chosen_flat(last: T.Buffer((9,), "int32"), row: T.Buffer((40,), "int32"), X: T.Buffer(("30 * w",), "int32"), Y: T.Buffer(("9 * w",), "int32"), w: T.int32):
        for i in range(9):
            last[i] = T.max(T.min(last[i] + 2, 40), 0)
        for k in range(40):
            row[k] = T.max(T.min(row[k], 30), 0)
        for i, j in T.grid(9, w):
            for k in range(last[i]):
                Y[i * w + j] = T.max(Y[i * w + j], X[row[k] * w + j])

    @T.prim_func(s_tir=True)
    def sums_of_eight(start: T.Buffer((20,), "int32"), X: T.Buffer((60, 8), "float64"), Y: T.Buffer((19, 8), "float64")):
        for i, j in T.grid(19, 8):
            for k in range(T.max(start[i], 0) % 61, start[i + 1] % 61):
                Y[i, j] = Y[i, j] + X[k, j]
            Y[i, j] = Y[i, j] / T.Cast("float64", T.max(start[i + 1], 1))
