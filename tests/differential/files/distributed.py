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

    # Sums that conditions decide of, of loops around them: what the nest begins with is elsewhere,
    @T.prim_func(s_tir=True)
    def banded(n: T.int32, Q: T.Buffer(("n", 19), "float32"), K: T.Buffer(("n", 19), "float32"), S: T.Buffer(("n", "n"), "float32")):
        for i, j in T.grid(n, n):
            S[i, j] = T.float32(0.5)
            for p in range(19):
                if j <= i and i - j < 5:
                    S[i, j] = S[i, j] + Q[i, p] * K[j, p]

    @T.prim_func(s_tir=True)
    def causal(Q: T.Buffer((21, 17), "float32"), K: T.Buffer((33, 17), "float32"), S: T.Buffer((21, 33), "float32")):
        for i, j in T.grid(21, 33):
            S[i, j] = T.float32(0)
            if j <= i + 12:
                for p in range(17):
                    S[i, j] = S[i, j] + Q[i, p] * K[j, p]
            S[i, j] = S[i, j] * T.float32(0.25) + T.float32(1)

    # but for where it is asked for: some of it, or of what another iteration has stored.
    @T.prim_func(s_tir=True)
    def begun(A: T.Buffer((20, 18), "int32"), B: T.Buffer((18, 22), "int32"), C: T.Buffer((20, 22), "int32")):
        for i, j in T.grid(20, 22):
            if j < 15:
                C[i, j] = A[i, 0]
            if i >= 3:
                for k in range(18):
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def shifted(A: T.Buffer((20, 18), "int32"), B: T.Buffer((18, 22), "int32"), C: T.Buffer((21, 22), "int32")):
        for i, j in T.grid(20, 22):
            C[i + 1, j] = i * j
            if j <= i:
                for k in range(18):
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]

    # Elements that only the condition keeps inside.
    @T.prim_func(s_tir=True)
    def kept_inside(A: T.Buffer((12, 16), "float32"), B: T.Buffer((16, 20), "float32"), C: T.Buffer((20, 20), "float32")):
        for i, j in T.grid(20, 20):
            C[i, j] = T.float32(1)
            if i + j < 12:
                for k in range(16):
                    C[i, j] = C[i, j] + A[i + j, k] * B[k, j]

    # What is asked is in memory, or what the sum is over.
    @T.prim_func(s_tir=True)
    def asked(M: T.Buffer((18, 20), "bool"), A: T.Buffer((18, 16), "float32"), B: T.Buffer((16, 20), "float32"), C: T.Buffer((18, 20), "float32")):
        for i, j in T.grid(18, 20):
            C[i, j] = T.float32(0)
            if M[i, j]:
                for k in range(16):
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def narrowed(A: T.Buffer((18, 30), "float32"), B: T.Buffer((30, 20), "float32"), C: T.Buffer((18, 20), "float32")):
        for i, j in T.grid(18, 20):
            C[i, j] = T.float32(0)
            for k in range(30):
                if k <= i and j > 2:
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]

    # Conditions on what is added: adding +0 changes -0 alone.
    @T.prim_func(s_tir=True)
    def added(Q: T.Buffer((21, 17), "float32"), K: T.Buffer((23, 17), "float32"), S: T.Buffer((21, 23), "float32")):
        for i, j in T.grid(21, 23):
            S[i, j] = T.float32(0)
            for p in range(17):
                S[i, j] = S[i, j] + T.if_then_else(j <= i, Q[i, p] * K[j, p], T.float32(0))

    @T.prim_func(s_tir=True)
    def from_minus_zero(Q: T.Buffer((21, 17), "float32"), K: T.Buffer((23, 17), "float32"), S: T.Buffer((21, 23), "float32")):
        for i, j in T.grid(21, 23):
            S[i, j] = T.float32(-0.0)
            for p in range(17):
                S[i, j] = S[i, j] + T.if_then_else(j <= i, Q[i, p] * K[j, p], T.float32(0))

    @T.prim_func(s_tir=True)
    def minus_zero_added(Q: T.Buffer((21, 17), "float32"), K: T.Buffer((23, 17), "float32"), S: T.Buffer((21, 23), "float32")):
        for i, j in T.grid(21, 23):
            S[i, j] = T.float32(0)
            for p in range(17):
                S[i, j] = S[i, j] + T.if_then_else(j <= i, Q[i, p] * K[j, p], T.float32(-0.0))

    @T.prim_func(s_tir=True)
    def selected(n: T.int32, A: T.Buffer((19, "n"), "int32"), B: T.Buffer(("n", 25), "int32"), C: T.Buffer((19, 25), "int32"), D: T.Buffer((19, 25), "int32")):
        for i, j in T.grid(19, 25):
            D[i, j] = i
            for k in range(n):
                C[i, j] = C[i, j] + T.Select(j <= i + 3, A[i, k] * B[k, j], 0)

    # The sum stays, or is another one, whose elements may not be there.
    @T.prim_func(s_tir=True)
    def stays(A: T.Buffer((19, 18), "float32"), B: T.Buffer((18, 25), "float32"), C: T.Buffer((19, 25), "float32")):
        for i, j in T.grid(19, 25):
            C[i, j] = A[i, 0]
            for k in range(18):
                C[i, j] = T.if_then_else(j > i, C[i, j] + A[i, k] * B[k, j], C[i, j])

    @T.prim_func(s_tir=True)
    def lies_outside(A: T.Buffer((19, 18), "int32"), B: T.Buffer((18, 25), "int32"), C: T.Buffer((12, 25), "int32"), D: T.Buffer((19, 25), "int32")):
        for i, j in T.grid(19, 25):
            D[i, j] = i
            for k in range(18):
                C[i, j] = C[i, j] + T.if_then_else(i < 9, A[i, k] * B[k, j], 0)
