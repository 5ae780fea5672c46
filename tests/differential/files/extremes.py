# Extremes of rows: short ones, long ones, columns, beside zeros and NaNs.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ragged_max(A: T.Buffer(("n", 90), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            m: T.float32 = A[i, 0]
            for j in range(T.min(i * 7, 90)):
                m = T.max(m, A[i, j])
            Y[i] = m

    @T.prim_func(s_tir=True)
    def ragged_min(A: T.Buffer(("n", 90), "float64"), Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            m: T.float64 = T.float64(1)
            for j in range(T.min(i * 5, 90)):
                m = T.min(A[i, j], m)
            Y[i] = m

    @T.prim_func(s_tir=True)
    def greatest(A: T.Buffer(("n",), "float32"), Y: T.Buffer((2,), "float32")):
        n = T.int32()
        for i in range(n):
            Y[0] = T.max(Y[0], T.abs(A[i]))
        for i in range(n):
            Y[1] = T.min(A[i] * T.float32(2), Y[1])

    @T.prim_func(s_tir=True)
    def chosen(A: T.Buffer(("n",), "float64"), M: T.Buffer(("n",), "uint8"), Y: T.Buffer((1,), "float64")):
        n = T.int32()
        for i in range(n):
            if M[i] > T.uint8(40):
                Y[0] = T.max(Y[0], A[i])

    @T.prim_func(s_tir=True)
    def columns(A: T.Buffer((100, "n"), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            m: T.float32 = T.float32(0)
            for j in range(i + 65):
                if j < 100:
                    m = T.max(m, A[j, i])
            Y[i] = m

    @T.prim_func
    def places(x: T.Buffer((9, 21), "float32"), y: T.Buffer((9,), "int64"), z: T.Buffer((9,), "float32")):
        p = T.alloc_buffer((9,), "int64")
        v = T.alloc_buffer((9,), "float32")
        for i, k in T.grid(9, 21):
            if k == 0:
                p[i] = T.int64(-1)
                v[i] = T.float32(-3.0e38)
            at: T.let[T.int64] = T.Select(v[i] > x[i, k] or v[i] == x[i, k] and p[i] < T.Cast("int64", k), p[i], T.Cast("int64", k))
            best: T.let[T.float32] = T.Select(v[i] > x[i, k], v[i], x[i, k])
            p[i] = at
            v[i] = best
        for i in range(9):
            y[i] = p[i] * T.int64(4294967296) + p[i]
            z[i] = x[T.Cast("int64", i), T.max(p[i], T.int64(0))]

    @T.prim_func
    def far_places(x: T.Buffer((7, 12), "int32"), y: T.Buffer((7,), "int64")):
        p = T.alloc_buffer((7,), "int64")
        v = T.alloc_buffer((7,), "int32")
        for i, k in T.grid(7, 12):
            p[i] = T.if_then_else(v[i] >= x[i, k], p[i], T.Cast("int64", k) + T.int64(2147483640))
            v[i] = T.max(v[i], x[i, k])
        for i in range(7):
            y[i] = p[i]

    @T.prim_func
    def second_places(x: T.handle, y: T.handle):
        n, m = T.int32(), T.int32()
        X = T.match_buffer(x, (m, n), "int16")
        Y = T.match_buffer(y, (n, 2), "int64")
        p = T.alloc_buffer((n, 2), "int64")
        v = T.alloc_buffer((n, 2), "int16")
        for k, i in T.grid(m, n):
            if v[i, 0] < X[k, i]:
                v[i, 1] = v[i, 0]
                p[i, 1] = T.if_then_else(k > 0, p[i, 0], T.int64(-5))
                v[i, 0] = X[k, i]
                p[i, 0] = T.if_then_else(p[i, 0] == T.int64(7), p[i, 0], T.Cast("int64", k))
            else:
                p[i, 1] = T.if_then_else(v[i, 1] >= X[k, i] and p[i, 1] != T.int64(-2147483648), p[i, 1], T.Cast("int64", k))
                v[i, 1] = T.max(v[i, 1], X[k, i])
        for i, j in T.grid(n, 2):
            Y[i, j] = p[i, j]

    @T.prim_func(s_tir=True)
    def not_less(A: T.Buffer((33, 20), "float32"), O: T.Buffer((33,), "float32"), Q: T.Buffer((33,), "int32")):
        for i in range(33):
            b: T.float32 = A[i, 0]
            for j in range(20):
                if not (A[i, j] <= b):
                    b = A[i, j]
                    Q[i] = j
            O[i] = b

    @T.prim_func(s_tir=True)
    def not_less_of_floats(A: T.Buffer((33, 20), "float32"), O: T.Buffer((33,), "float32")):
        for i in range(33):
            b: T.float32 = T.float32(0)
            for j in range(20):
                if A[i, j] >= b:
                    b = A[i, j]
            O[i] = b

    @T.prim_func(s_tir=True)
    def halves_in_place(A: T.Buffer((33, 20), "float16"), O: T.Buffer((33,), "float16")):
        for i in range(33):
            O[i] = T.float16(0)
            for j in range(20):
                if O[i] < A[i, j]:
                    O[i] = A[i, j]

    @T.prim_func(s_tir=True)
    def wide_and_narrow(A: T.Buffer((33, 20), "uint64"), O: T.Buffer((33,), "uint64"), N: T.Buffer((33,), "uint8")):
        for i in range(33):
            for j in range(20):
                if O[i] <= A[i, j]:
                    O[i] = A[i, j]
                if T.Cast("uint8", A[i, j]) > N[i]:
                    N[i] = T.Cast("uint8", A[i, j])

    @T.prim_func(s_tir=True)
    def cast_values(A: T.Buffer((33, 20), "int8"), O: T.Buffer((33,), "int32")):
        for i in range(33):
            for j in range(20):
                if T.Cast("int32", A[i, j]) > O[i]:
                    O[i] = T.Cast("int32", A[i, j])

    @T.prim_func(s_tir=True)
    def bools(A: T.Buffer((33, 20), "bool"), O: T.Buffer((33,), "bool")):
        for i in range(33):
            for j in range(20):
                if A[i, j] > O[i]:
                    O[i] = A[i, j]

    @T.prim_func(s_tir=True)
    def in_parallel(A: T.Buffer((60,), "int32"), O: T.Buffer((60,), "int32")):
        for i in T.parallel(30):
            for j in range(20):
                if A[i + j] > O[i * 2]:
                    O[i * 2] = A[i + j]
                if A[i + j] < O[i * 2 + 1]:
                    O[i * 2 + 1] = A[i + j]

    @T.prim_func(s_tir=True)
    def sorted_in_place(A: T.Buffer((60,), "int32")):
        for i in range(59):
            if A[i] > A[i + 1]:
                A[i + 1] = A[i]
        for i in range(58):
            if A[i + 2] < A[i + 1]:
                A[i + 1] = A[i + 2]
        for i, j in T.grid(59, 59):
            if A[j] > A[j + 1]:
                t: T.int32 = A[j]
                A[j] = A[j + 1]
                A[j + 1] = t

    @T.prim_func(s_tir=True)
    def running(A: T.Buffer((40, 30), "float32"), O: T.Buffer((40, 30), "int32"), V: T.Buffer((40, 30), "float32")):
        for i in range(40):
            best: T.int32 = 0
            for j in range(30):
                if A[i, j] >= A[i, best]:
                    best = j
                O[i, j] = best
                V[i, j] = A[i, best]

    @T.prim_func(s_tir=True)
    def running_of_sizes(A: T.Buffer(("n", "m"), "int32"), O: T.Buffer(("n", "m"), "int32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            best: T.int32 = 0
            for j in range(m):
                if A[i, best] > A[i, j]:
                    best = j
                O[i, j] = best

    @T.prim_func(s_tir=True)
    def running_in_place(A: T.Buffer((40, 30), "int32")):
        for i in range(40):
            best: T.int32 = 0
            for j in range(30):
                if A[i, best] > A[i, j]:
                    best = j
                A[i, j] = best

    @T.prim_func(s_tir=True)
    def running_outside(A: T.Buffer((40, 30), "int32"), O: T.Buffer((40, 30), "int32"), first: T.int32):
        for i in range(40):
            best: T.int32 = first
            for j in range(30):
                O[i, j] = best
                if A[i, best] > A[i, j]:
                    best = j
