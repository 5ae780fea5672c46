# While loops over ranges that int64 memory says, wherever they begin and end; loops that double, and int64 loops whose
# iterations meet in memory.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ranges(starts: T.handle, values: T.handle, sums: T.handle, ends: T.handle):
        n = T.int64()
        begins = T.match_buffer(starts, (n,), "int64")
        terms = T.match_buffer(values, (n,), "float32")
        C = T.match_buffer(sums, (n,), "float32")
        last = T.match_buffer(ends, (1,), "int64")
        i: T.int64 = T.int64(0)
        while i + 1 < n:
            at: T.int64 = begins[i]
            while at < begins[i + 1]:
                C[i] = C[i] + terms[T.max(T.min(at, n - 1), T.int64(0))]
                at = at + 1
            last[0] = at
            i = i + 1

    @T.prim_func(s_tir=True)
    def butterflies(A: T.Buffer((512,), "float32")):
        for s in range(9):
            for b in range(T.shift_left(1, 8 - s)):
                for k in range(T.shift_left(1, s)):
                    t: T.float32 = A[T.shift_left(b, s + 1) + k + T.shift_left(1, s)]
                    A[T.shift_left(b, s + 1) + k + T.shift_left(1, s)] = A[T.shift_left(b, s + 1) + k] - t
                    A[T.shift_left(b, s + 1) + k] = A[T.shift_left(b, s + 1) + k] + t

    @T.prim_func(s_tir=True)
    def closest(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, n), "int32")
        for k, i, j in T.grid(n, n, n):
            if A[i, k] + A[k, j] < A[i, j]:
                A[i, j] = A[i, k] + A[k, j]
