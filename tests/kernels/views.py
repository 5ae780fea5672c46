# Elements by other indices: other shapes of the same elements, positions that are computed from counters, elements of a row
# that another row names.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # Six rows of ten times 35, as 14 rows of 150, turned, and back.
    @T.prim_func
    def reshape(A: T.Buffer((6, 10, 35), "int32"), B: T.Buffer((14, 150), "int32"), C: T.Buffer((7, 5, 6, 10), "int32"), D: T.Buffer((6, 10, 35), "int32")):
        for i, j in T.grid(14, 150):
            B[i, j] = A[(i * 150 + j) // 350, (i * 150 + j) % 350 // 35, (i * 150 + j) % 35]
        for a, b, c, d in T.grid(7, 5, 6, 10):
            C[a, b, c, d] = B[(c * 350 + d * 35 + b * 7 + a) // 150, (c * 350 + d * 35 + b * 7 + a) % 150]
        for f in range(2100):
            D[f // 350, f // 35 % 10, f % 35] = B[f // 150, f % 150] + D[f // 350, f // 35 % 10, f % 35]

    # The nearest pixel, and the four around with their shares.
    @T.prim_func
    def resize(A: T.Buffer((3, 13, 9), "float32"), N: T.Buffer((3, 31, 27), "float32"), L: T.Buffer((3, 31, 27), "float32")):
        for c, y, x in T.grid(3, 31, 27):
            N[c, y, x] = A[c, T.max(T.min(T.Cast("int32", T.round((T.Cast("float32", y) + T.float32(0.5)) * T.float32(0.41935483) - T.float32(0.5))), 12), 0), T.max(T.min(T.Cast("int32", T.round((T.Cast("float32", x) + T.float32(0.5)) * T.float32(0.33333334) - T.float32(0.5))), 8), 0)]
        for c, y, x in T.grid(3, 31, 27):
            v = T.Cast("float32", y) * T.float32(0.4)
            u = T.Cast("float32", x) * T.float32(0.3)
            y0 = T.Cast("int32", T.floor(v))
            x0 = T.Cast("int32", T.floor(u))
            dy = v - T.Cast("float32", y0)
            dx = u - T.Cast("float32", x0)
            top = A[c, T.min(T.max(y0, 0), 12), T.min(T.max(x0, 0), 8)] * (T.float32(1) - dx) + A[c, T.min(T.max(y0, 0), 12), T.min(T.max(x0 + 1, 0), 8)] * dx
            low = A[c, T.min(T.max(y0 + 1, 0), 12), T.min(T.max(x0, 0), 8)] * (T.float32(1) - dx) + A[c, T.min(T.max(y0 + 1, 0), 12), T.min(T.max(x0 + 1, 0), 8)] * dx
            L[c, y, x] = top * (T.float32(1) - dy) + low * dy

    # The same columns of all rows, and others in each row.
    @T.prim_func
    def pick(a: T.handle, i: T.handle, j: T.handle, o: T.handle, p: T.handle):
        n, m, k = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        I = T.match_buffer(i, (k,), "int64")
        J = T.match_buffer(j, (n, k), "int32")
        O = T.match_buffer(o, (n, k), "float32")
        P = T.match_buffer(p, (n, k), "float32")
        for r, c in T.grid(n, k):
            O[r, c] = A[r, I[c]]
        for r, c in T.grid(n, k):
            P[r, c] = A[r, T.Cast("int64", J[r, c])] + O[r, c]
