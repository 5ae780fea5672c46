# Nests whose statements may have loops of their own, or may not: sums with what stands before and behind them, in rows
# that read what other rows have written, of variables and of arrays of an iteration's own.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # All else may be done ahead of the sums,
    @T.prim_func(s_tir=True)
    def ahead(A: T.Buffer((21, 18), "float32"), B: T.Buffer((18, 17), "float32"), C: T.Buffer((22, 17), "float32")):
        for i in range(21):
            for j in range(17):
                C[i + 1, j] = C[i + 1, j] * T.float32(2)
            for k, j in T.grid(18, 17):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]

    # or behind them,
    @T.prim_func(s_tir=True)
    def behind(A: T.Buffer((21, 18), "float32"), B: T.Buffer((18, 17), "float32"), C: T.Buffer((22, 17), "float32")):
        for i in range(21):
            for j in range(17):
                C[i, j] = C[i, j] * T.float32(2)
            for k, j in T.grid(18, 17):
                C[i + 1, j] = C[i + 1, j] + A[i, k] * B[k, j]

    # or neither.
    @T.prim_func(s_tir=True)
    def circle(A: T.Buffer((21, 18), "float32"), B: T.Buffer((18, 17), "float32"), C: T.Buffer((22, 17), "float32")):
        for i in range(21):
            for j in range(17):
                C[i + 1, j] = C[i, j] * T.float32(0.5)
            for k, j in T.grid(18, 17):
                C[i + 1, j] = C[i + 1, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def gated(A: T.Buffer((19, 23), "float32"), B: T.Buffer((23, 18), "float32"), D: T.Buffer((23, 18), "float32"), C: T.Buffer((19, 18), "float32")):
        for i, j in T.grid(19, 18):
            g: T.float32 = T.float32(0)
            u: T.float32 = T.float32(1)
            for k in range(23):
                g += A[i, k] * B[k, j]
                u += A[i, k] * D[k, j]
            C[i, j] = T.max(g, T.float32(0)) * u + C[i, j]

    # One sum is made of the other.
    @T.prim_func(s_tir=True)
    def chained(A: T.Buffer((19, 23), "float32"), B: T.Buffer((23, 18), "float32"), C: T.Buffer((19, 18), "float32")):
        for i, j in T.grid(19, 18):
            g: T.float32 = T.float32(0)
            u: T.float32 = T.float32(1)
            for k in range(23):
                g += A[i, k] * B[k, j]
                u += g * B[k, j]
            C[i, j] = g * u

    @T.prim_func(s_tir=True)
    def two_sums(A: T.Buffer((17, 20), "int32"), B: T.Buffer((20, 19), "int32"), C: T.Buffer((17, 19), "int32"), E: T.Buffer((17, 19), "int32")):
        for i, j, k in T.grid(17, 19, 20):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0
                    E[vi, vj] = 1
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
                E[vi, vj] = E[vi, vj] - A[vi, vk] * B[vk, vj]

    # Of elements that lie across, the last of each two stays.
    @T.prim_func(s_tir=True)
    def across(A: T.Buffer((24, 18), "int32"), C: T.Buffer((24, 24), "int32")):
        for i, j in T.grid(24, 24):
            dot: T.int32 = 0
            for k in range(18):
                dot += A[i, k] * A[j, k]
            C[i, j] = dot // 3
            C[j, i] = dot + i

    @T.prim_func(s_tir=True)
    def in_rows(A: T.Buffer((40, 20), "float32"), W: T.Buffer((18, 20), "float32"), V: T.Buffer((17, 18), "float32"), C: T.Buffer((40, 17), "float32")):
        for i in range(40):
            t = T.alloc_buffer((18,), "float32")
            for j in range(18):
                t[j] = T.float32(0)
                for k in range(20):
                    t[j] = t[j] + A[i, k] * W[j, k]
            for l in range(17):
                C[i, l] = T.float32(0)
                for j in range(18):
                    C[i, l] = C[i, l] + t[j] * V[l, j]

    # Each row reads the last one's results.
    @T.prim_func(s_tir=True)
    def row_by_row(A: T.Buffer((40, 18), "float32"), W: T.Buffer((18, 18), "float32"), C: T.Buffer((41, 18), "float32")):
        for i in range(40):
            t = T.alloc_buffer((18,), "float32")
            for j in range(18):
                t[j] = A[i, j]
                for k in range(18):
                    t[j] = t[j] + C[i, k] * W[j, k]
            for j in range(18):
                C[i + 1, j] = T.max(t[j], T.float32(0)) * T.float32(0.25)

    # What a row keeps while it goes through others.
    @T.prim_func(s_tir=True)
    def kept(Q: T.Buffer((33, 16), "float32"), K: T.Buffer((21, 16), "float32"), O: T.Buffer((33, 16), "float32")):
        for i in range(33):
            acc = T.alloc_buffer((16,), "float32")
            top: T.float32 = T.float32(-100)
            for x in range(16):
                acc[x] = T.float32(0)
            for j in range(21):
                dot: T.float32 = T.float32(0)
                for x in range(16):
                    dot += Q[i, x] * K[j, x]
                for x in range(16):
                    acc[x] = acc[x] * T.float32(0.5) + T.max(top, dot) * K[j, x]
                top = T.max(top, dot)
            for x in range(16):
                O[i, x] = acc[x] + top

    # Arms that wait for each other, and others that do not.
    @T.prim_func(s_tir=True)
    def arms(A: T.Buffer((90,), "int32"), B: T.Buffer((91,), "int32"), C: T.Buffer((91,), "int32")):
        for i in range(90):
            if A[i] > 3:
                B[i + 1] = C[i] + A[i]
            else:
                C[i] = A[i] - 1
            C[i + 1] = A[i] * 2

    # A store over all rows, ahead of which some index may lie outside.
    @T.prim_func(s_tir=True)
    def outside(A: T.Buffer((60,), "int32"), X: T.Buffer((60,), "int32"), B: T.Buffer((60,), "int32"), C: T.Buffer((60,), "int32")):
        for i in range(60):
            B[i] = A[X[i]]
            C[i] = A[i] + B[i]
