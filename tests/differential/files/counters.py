# Nests of while loops, whose counters begin where others are, in memory, or at the top of the function, as in C.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def at_the_top(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"),
                   C: T.Buffer(("m", "n"), "float32")):
        m, k = T.int32(), T.int32()
        n = T.int32()
        i: T.int32 = 0
        j: T.int32 = 0
        p: T.int32 = 0
        while i < m:
            j = 0
            while j < n:
                C[i, j] = T.float32(0)
                p = 0
                while p < k:
                    C[i, j] = C[i, j] + A[i, p] * B[p, j]
                    p = p + 1
                j = j + 1
            i = i + 1

    @T.prim_func(s_tir=True)
    def again(a: T.handle, b: T.handle, last_: T.handle):
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, n), "float32")
        B = T.match_buffer(b, (m, n), "float32")
        last = T.match_buffer(last_, (4,), "int64")
        i: T.int64 = T.int64(0)
        j: T.int64 = T.int64(7)
        s: T.float32 = T.float32(0)
        while i < m:
            s = T.float32(0)
            j = T.int64(0)
            while j < n:
                s = s + A[i, j]
                j = j + 1
            last[1] = j
            j = T.int64(1)
            while j < n:
                B[i, j] = A[i, j] - s
                j = j + 1
            i = i + 1
        last[0] = i
        last[2] = j

    @T.prim_func(s_tir=True)
    def kept(a: T.handle, last_: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int64")
        last = T.match_buffer(last_, (2,), "int64")
        i: T.int64 = T.int64(0)
        j: T.int64 = T.int64(0)
        while i < n:
            while j < A[i]:
                last[0] = last[0] + j
                j = j + 1
            i = i + 1
        last[1] = j

    @T.prim_func(s_tir=True)
    def perhaps(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        i: T.int32 = 0
        j: T.int32 = 5
        while i < n:
            if A[i] > 0:
                j = 0
                while j < i:
                    B[i] = B[i] + A[j]
                    j = j + 1
            B[i] = B[i] + j
            i = i + 1

    @T.prim_func(s_tir=True)
    def triangle(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, n), "float64")
        k: T.int64 = T.int64(0)
        while k < n:
            i: T.int64 = k + 1
            while i < n:
                A[i, k] = A[i, k] * T.float64(0.5)
                j: T.int64 = k + 1
                while j < n:
                    A[i, j] = A[i, j] - A[i, k] * A[k, j]
                    j = j + 1
                i = i + 1
            k = k + 1

    @T.prim_func(s_tir=True)
    def far(a: T.int64, b: T.int64, c: T.int64, o: T.Buffer((4,), "int64")):
        i: T.int64 = T.int64(9223372036854775800) + T.min(T.max(a, T.int64(0)), T.int64(7))
        while i < T.int64(9223372036854775802) + T.min(T.max(b, T.int64(0)), T.int64(5)):
            o[0] = o[0] + 1
            o[1] = i
            i = i + 1
        o[2] = i
        k: T.int64 = T.int64(-9223372036854775807) + T.min(T.max(a, T.int64(0)), T.int64(7))
        while k < T.int64(-9223372036854775800) - T.min(T.max(c, T.int64(0)), T.int64(5)):
            o[3] = o[3] + k % 7
            k = k + 1
        o[1] = o[1] + k

    @T.prim_func(s_tir=True)
    def leaves(A: T.Buffer(("n",), "int32"), o: T.Buffer((3,), "int32")):
        n = T.int32()
        i: T.int32 = 0
        j: T.int32 = 0
        while i < n:
            j = 0
            while j < n:
                if A[j] == i:
                    break
                j = j + 1
            o[0] = o[0] + j
            j = i
            while j < n:
                o[1] = o[1] + A[j]
                j = j + 2
            if o[1] > 1000:
                break
            i = i + 1
        o[2] = i
