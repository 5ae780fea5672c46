# Short sums of windows whose first values are stored by a nest of their own, in any order of their loops; some fail.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pools(h: T.int32, w: T.int32, c: T.int32, X_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, (2 * h + 1, 2 * w + 1, c), "float32")
        Y = T.match_buffer(Y_handle, (h, w, c), "float32")
        for y, x, o in T.grid(h, w, c):
            Y[y, x, o] = T.min_value("float32")
        for o, r, s, y, x in T.grid(c, 3, 3, h, w):
            Y[y, x, o] = T.max(Y[y, x, o], X[2 * y + r, 2 * x + s, o])

    @T.prim_func(s_tir=True)
    def flat_pools(h: T.int64, w: T.int64, c: T.int64, X_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, ((2 * h + 1) * (2 * w + 1) * c,), "int16")
        Y = T.match_buffer(Y_handle, (h * w * c,), "int16")
        for o, y, x in T.grid(c, h, w):
            Y[(y * w + x) * c + o] = T.int16(-7)
        for r, s, y, x, o in T.grid(T.int64(3), T.int64(2), h, w, c):
            Y[(y * w + x) * c + o] = T.max(Y[(y * w + x) * c + o], X[((2 * y + r) * (2 * w + 1) + 2 * x + s) * c + o])

    @T.prim_func(s_tir=True)
    def clamped(X_handle: T.handle, Y_handle: T.handle):
        h, w = T.int64(), T.int64()
        X = T.match_buffer(X_handle, (h, w), "float32")
        Y = T.match_buffer(Y_handle, (h, w), "float32")
        for y, x in T.grid(h, w):
            Y[y, x] = T.float32(0)
        for y, r, s, x in T.grid(h, T.int64(3), T.int64(3), w):
            Y[y, x] = Y[y, x] + X[T.min(T.max(y + r - 1, 0), h - 1), T.min(T.max(x + s - 1, 0), w - 1)]

    @T.prim_func(s_tir=True)
    def chosen(n: T.int32, X_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, (n,), "int32")
        Y = T.match_buffer(Y_handle, (n,), "int32")
        for i in range(n):
            Y[i] = i
        for r, i in T.grid(3, n):
            if i + r < n:
                Y[i] = Y[i] * 2 + X[i + r]

    # The second nest reads beyond the rows, or divides by zero.
    @T.prim_func(s_tir=True)
    def fails(n: T.int32, m: T.int32, X_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, (m,), "int32")
        Y = T.match_buffer(Y_handle, (n,), "int32")
        for i in range(n):
            Y[i] = 3
        for i, r in T.grid(n, 3):
            Y[i] = Y[i] + T.truncdiv(T.int32(40), X[i + r])

    # Both nests may fail: the first one does so first.
    @T.prim_func(s_tir=True)
    def both_fail(n: T.int32, m: T.int32, X_handle: T.handle, W_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, (m,), "int32")
        W = T.match_buffer(W_handle, (n,), "int32")
        Y = T.match_buffer(Y_handle, (n,), "int32")
        for i in range(n):
            Y[i] = T.truncdiv(T.int32(100), W[i])
        for i, r in T.grid(n, 2):
            Y[i] = Y[i] + X[i + r]

    @T.prim_func(s_tir=True)
    def stored_between(n: T.int32, X_handle: T.handle, Y_handle: T.handle, Z_handle: T.handle):
        T.func_attr({"tirb.may_alias": [["X", "Y"]]})
        X = T.match_buffer(X_handle, (n + 2,), "float32")
        Y = T.match_buffer(Y_handle, (n,), "float32")
        Z = T.match_buffer(Z_handle, (n,), "float32")
        for i in range(n):
            Y[i] = T.float32(1)
        for i, r in T.grid(n, 3):
            Y[i] = Y[i] + X[i + r]
        for i in range(n):
            Z[i] = Y[i] * T.float32(2)

    # Two sums of one element, of which the second one begins with what the first one gave.
    @T.prim_func(s_tir=True)
    def twice(n: T.int32, X_handle: T.handle, Y_handle: T.handle):
        X = T.match_buffer(X_handle, (n, 4), "float32")
        Y = T.match_buffer(Y_handle, (n,), "float32")
        for i in range(n):
            Y[i] = T.float32(0)
        for r, i in T.grid(4, n):
            Y[i] = Y[i] + X[i, r]
        for i in range(n):
            Y[i] = Y[i] * T.float32(0.25)
        for r, i in T.grid(4, n):
            Y[i] = T.max(Y[i], X[i, r])
