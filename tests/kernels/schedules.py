# What schedules leave behind: vector, parallel and unrolled loops, slices and ramps, splits with predicates, steps,
# nested blocks, break and continue, an explicit root, buffers inside loops.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def vector_loop(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i_0 in T.parallel(4):
            for i_1 in T.unroll(2):
                for i_2 in T.vectorized(8):
                    with T.sblock("B"):
                        vi = T.axis.spatial(64, i_0 * 16 + i_1 * 8 + i_2)
                        T.reads(A[vi])
                        T.writes(B[vi])
                        B[vi] = A[vi] * A[vi] + T.float32(1.0)

    # The same after vectorisation: slices, a broadcast and a strided ramp.
    @T.prim_func(s_tir=True)
    def slices(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((64,), "float32")):
        for i in range(8):
            B[i * 8:i * 8 + 8] = A[T.Ramp(i * 8, 1, 8)] * A[T.Ramp(i * 8, 1, 8)] + T.Broadcast(T.float32(1.0), 8)
        for i in range(8):
            C[i * 4:i * 4 + 4] = A[T.Ramp(i * 8, 2, 4)]
        for i in range(4):
            D[i * 16:i * 16 + 16] = A[T.Ramp(63 - i * 16, -1, 16)]

    @T.prim_func(s_tir=True)
    def split(A: T.Buffer(("n", "m"), "int32"), B: T.Buffer(("n", "m"), "int32")):
        n, m = T.int32(), T.int32()
        for fused_0 in range((n * m + 31) // 32):
            for fused_1 in range(32):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, (fused_0 * 32 + fused_1) // m)
                    vj = T.axis.spatial(m, (fused_0 * 32 + fused_1) % m)
                    T.where(fused_0 * 32 + fused_1 < n * m)
                    B[vi, vj] = A[vi, vj] * 2 + 1

    # A producer computed tile by tile inside its consumer's loop.
    @T.prim_func(s_tir=True)
    def compute_at(A: T.Buffer((66,), "float32"), C: T.Buffer((64,), "float32")):
        B = T.sblock_alloc_buffer((66,))
        for i_0 in range(8):
            for k in range(10):
                with T.sblock("B"):
                    vk = T.axis.spatial(66, i_0 * 8 + k)
                    T.reads(A[vk])
                    T.writes(B[vk])
                    B[vk] = A[vk] * T.float32(2)
            for i_1 in range(8):
                with T.sblock("C"):
                    vi = T.axis.spatial(64, i_0 * 8 + i_1)
                    T.reads(B[vi:vi + 3])
                    T.writes(C[vi])
                    C[vi] = B[vi] + B[vi + 1] + B[vi + 2]

    # Blocks inside a block, with a buffer that lives for one tile.
    @T.prim_func(s_tir=True)
    def nested(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
        for i, j in T.grid(4, 4):
            with T.sblock("outer"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 8:vi * 8 + 8, vj * 8:vj * 8 + 8])
                T.writes(B[vi * 8:vi * 8 + 8, vj * 8:vj * 8 + 8])
                tile = T.sblock_alloc_buffer((8, 8))
                for y, x in T.grid(8, 8):
                    with T.sblock("load"):
                        vy, vx = T.axis.remap("SS", [y, x])
                        tile[vy, vx] = A[vi * 8 + vy, vj * 8 + vx]
                for y, x in T.grid(8, 8):
                    with T.sblock("flip"):
                        vy, vx = T.axis.remap("SS", [y, x])
                        B[vi * 8 + vy, vj * 8 + vx] = tile[7 - vy, 7 - vx]

    # The root block written out; offsets of loops; an annotation.
    @T.prim_func(s_tir=True)
    def root(A: T.Buffer((20,), "int32"), B: T.Buffer((20,), "int32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in T.serial(0, 20, annotations={"note": 1}):
                with T.sblock("clear"):
                    vi = T.axis.spatial(20, i)
                    B[vi] = 0
            for i in T.serial(5, 15):
                with T.sblock("middle"):
                    vi = T.axis.spatial((5, 15), i)
                    B[vi] = A[vi] + vi

    @T.prim_func(s_tir=True)
    def steps(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(0, n, 3):
            B[i] = A[i]
        for i in range(1, n, 3):
            B[i] = A[i] * 10
        for i in T.serial(2, n, step=3):
            B[i] = A[i] * 100

    # The sum of the positive numbers before the first zero.
    @T.prim_func(s_tir=True)
    def break_continue(A: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        total: T.int32 = 0
        for i in range(n):
            if A[i] == 0:
                break
            if A[i] < 0:
                continue
            total += A[i]
        return total

    # A triangular loop: the inner extent depends on the outer variable.
    @T.prim_func(s_tir=True)
    def triangle(A: T.Buffer(("n", "n"), "float64"), B: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            B[i] = T.float64(0)
            for j in range(i + 1):
                B[i] = B[i] + A[i, j]

    # Let expressions, chained comparisons, conditions as values, attributes, an assertion.
    @T.prim_func(s_tir=True)
    def odds_and_ends(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        assert n >= 0, "the length is not negative"
        x = T.int32()
        with T.attr(0, "pragma_note", 1):
            for i in range(n):
                B[i] = T.Let(x * x + x, where={x: A[i] + 1}) + T.if_then_else(0 <= A[i] <= 9, 1, 0)
                if A[i] % 2 == 0:
                    pass
                else:
                    B[i] = -B[i]

    # A product whose three axes are cut by 8, which divides none of them, parts of the sum outside of parts of C.
    @T.prim_func(s_tir=True)
    def tiled_product(A: T.Buffer((20, 22), "float32"), B: T.Buffer((22, 21), "float32"), C: T.Buffer((20, 21), "float32")):
        for i_0, j_0, k_0, i_1, k_1 in T.grid(3, 3, 3, 8, 8):
            for j_1 in T.vectorized(8):
                with T.sblock("C"):
                    T.where(i_0 * 8 + i_1 < 20 and j_0 * 8 + j_1 < 21 and k_0 * 8 + k_1 < 22)
                    vi = T.axis.spatial(20, i_0 * 8 + i_1)
                    vj = T.axis.spatial(21, j_0 * 8 + j_1)
                    vk = T.axis.reduce(22, k_0 * 8 + k_1)
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    # Axes cut twice, by what divides the inner part only; indices that a simplifier has taken apart; one part of the
    # sum's axis under a condition of its own.
    @T.prim_func(s_tir=True)
    def tiled_twice(A: T.Buffer((210,), "float32"), B: T.Buffer((14,), "float32"), C: T.Buffer((15,), "float32")):
        for i_0, k_0, i_1, i_2, k_1 in T.grid(3, 3, 2, 3, 5):
            if i_0 * 6 + i_1 * 3 + i_2 < 15 and k_0 * 5 + k_1 < 14:
                if k_0 == 0 and k_1 == 0:
                    C[i_0 * 6 + i_1 * 3 + i_2] = T.float32(0)
                C[i_0 * 6 + i_1 * 3 + i_2] = C[i_0 * 6 + i_1 * 3 + i_2] + A[i_0 * 84 + i_1 * 42 + i_2 * 14 + k_0 * 5 + k_1] * B[k_0 * 5 + k_1]

    # Partial sums along an axis that is C's fastest and no operand's.
    @T.prim_func(s_tir=True)
    def factored(A: T.Buffer((9, 20), "float32"), B: T.Buffer((20, 11), "float32"), C: T.Buffer((9, 11, 4), "float32")):
        for k_1, i, j, k_0 in T.grid(4, 9, 11, 5):
            with T.sblock("C"):
                vk_1, vi, vj, vk_0 = T.axis.remap("SSSR", [k_1, i, j, k_0])
                with T.init():
                    C[vi, vj, vk_1] = T.float32(0)
                C[vi, vj, vk_1] = C[vi, vj, vk_1] + A[vi, vk_0 * 4 + vk_1] * B[vk_0 * 4 + vk_1, vj]

    # A matrix times a vector in the shape that inference has it: one token of one batch.
    @T.prim_func(s_tir=True)
    def token(x: T.Buffer((1, 1, "k"), "float32"), W: T.Buffer(("n", "k"), "float32"), y: T.Buffer((1, 1, "n"), "float32")):
        n, k = T.int32(), T.int32()
        for a, b, i, r in T.grid(1, 1, n, k):
            with T.sblock("y"):
                va, vb, vi, vr = T.axis.remap("SSSR", [a, b, i, r])
                with T.init():
                    y[va, vb, vi] = T.float32(0)
                y[va, vb, vi] = y[va, vb, vi] + x[va, vb, vr] * W[vi, vr]

    # Two nests in the rows of one loop, as BLAS has them: C = beta * C + alpha * A @ B.
    @T.prim_func(s_tir=True)
    def scaled_rows(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32"), alpha: T.float32, beta: T.float32):
        m, n, k = T.int32(), T.int32(), T.int32()
        for i in range(m):
            for j in range(n):
                C[i, j] = C[i, j] * beta
            for r in range(k):
                for j in range(n):
                    C[i, j] += alpha * A[i, r] * B[r, j]

    # Two sums in variables, used together, with what the place that they go to held before.
    @T.prim_func(s_tir=True)
    def gated(A: T.Buffer((7, 33), "float32"), B: T.Buffer((33, 20), "float32"), D: T.Buffer((33, 20), "float32"), C: T.Buffer((7, 20), "float32")):
        for i, j in T.grid(7, 20):
            g: T.float32 = T.float32(0)
            u: T.float32 = T.float32(1)
            for r in range(33):
                g += A[i, r] * B[r, j]
                u += A[i, r] * D[r, j]
            C[i, j] = T.max(g, T.float32(0)) * u + C[i, j]

    # Sums of both axes of a matrix in one nest.
    @T.prim_func(s_tir=True)
    def both_ways(A: T.Buffer((40, 30), "float64"), p: T.Buffer((30,), "float64"), r: T.Buffer((40,), "float64"), s: T.Buffer((30,), "float64"), q: T.Buffer((40,), "float64")):
        for j in range(30):
            s[j] = T.float64(0)
        for i in range(40):
            q[i] = T.float64(0)
            for j in range(30):
                s[j] = s[j] + r[i] * A[i, j]
                q[i] = q[i] + A[i, j] * p[j]

    # A block of two sums.
    @T.prim_func(s_tir=True)
    def two_sums(A: T.Buffer((9, 12), "float32"), B: T.Buffer((12, 21), "float32"), D: T.Buffer((12, 21), "float32"), C: T.Buffer((9, 21), "float32"), E: T.Buffer((9, 21), "float32")):
        for i, j, k in T.grid(9, 21, 12):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                    E[vi, vj] = T.float32(1)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
                E[vi, vj] = E[vi, vj] - A[vi, vk] * D[vk, vj]
