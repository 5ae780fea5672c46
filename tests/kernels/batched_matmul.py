# Batched products, with either operand transposed, broadcast over the batch, and in tiles.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bmm_nn(A: T.Buffer(("b", "m", "k"), "float32"), B: T.Buffer(("b", "k", "n"), "float32"), C: T.Buffer(("b", "m", "n"), "float32")):
        b, m, k, n = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j, p in T.grid(b, m, n, k):
            with T.sblock("C"):
                vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    C[vs, vi, vj] = T.float32(0)
                C[vs, vi, vj] = C[vs, vi, vj] + A[vs, vi, vk] * B[vs, vk, vj]

    @T.prim_func(s_tir=True)
    def bmm_nt(A: T.Buffer(("b", "m", "k"), "float32"), B: T.Buffer(("b", "n", "k"), "float32"), C: T.Buffer(("b", "m", "n"), "float32")):
        b, m, k, n = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j, p in T.grid(b, m, n, k):
            with T.sblock("C"):
                vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    C[vs, vi, vj] = T.float32(0)
                C[vs, vi, vj] = C[vs, vi, vj] + A[vs, vi, vk] * B[vs, vj, vk]

    @T.prim_func(s_tir=True)
    def bmm_tn(A: T.Buffer(("b", "k", "m"), "float32"), B: T.Buffer(("b", "k", "n"), "float32"), C: T.Buffer(("b", "m", "n"), "float32")):
        b, m, k, n = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j, p in T.grid(b, m, n, k):
            with T.sblock("C"):
                vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    C[vs, vi, vj] = T.float32(0)
                C[vs, vi, vj] = C[vs, vi, vj] + A[vs, vk, vi] * B[vs, vk, vj]

    @T.prim_func(s_tir=True)
    def bmm_tt(A: T.Buffer(("b", "k", "m"), "float32"), B: T.Buffer(("b", "n", "k"), "float32"), C: T.Buffer(("b", "m", "n"), "float32")):
        b, m, k, n = T.int32(), T.int32(), T.int32(), T.int32()
        for s, i, j in T.grid(b, m, n):
            C[s, i, j] = T.float32(0)
            for p in T.serial(0, k):
                C[s, i, j] += A[s, p, i] * B[s, j, p]

    # One right operand for all of the batch, and alpha * A @ B + beta * C.
    @T.prim_func(s_tir=True)
    def gemm_broadcast(A: T.Buffer(("b", "m", "k"), "float64"), B: T.Buffer(("k", "n"), "float64"), C: T.Buffer(("b", "m", "n"), "float64"), alpha: T.float64, beta: T.float64):
        b, m, k, n = T.int32(), T.int32(), T.int32(), T.int32()
        product = T.sblock_alloc_buffer((b, m, n), "float64")
        for s, i, j, p in T.grid(b, m, n, k):
            with T.sblock("product"):
                vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    product[vs, vi, vj] = T.float64(0)
                product[vs, vi, vj] = product[vs, vi, vj] + A[vs, vi, vk] * B[vk, vj]
        for s, i, j in T.grid(b, m, n):
            with T.sblock("scaled"):
                vs, vi, vj = T.axis.remap("SSS", [s, i, j])
                C[vs, vi, vj] = alpha * product[vs, vi, vj] + beta * C[vs, vi, vj]

    # Tiles of 16 x 16 that leave a ragged edge, guarded by T.where.
    @T.prim_func(s_tir=True)
    def matmul_tiled(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for io, jo in T.grid((m + 15) // 16, (n + 15) // 16):
            for ii, ji, p in T.grid(16, 16, k):
                with T.sblock("C"):
                    vi = T.axis.spatial(m, io * 16 + ii)
                    vj = T.axis.spatial(n, jo * 16 + ji)
                    vk = T.axis.reduce(k, p)
                    T.where(io * 16 + ii < m and jo * 16 + ji < n)
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    # x^T A y, and A times its transpose (the lower triangle, mirrored).
    @T.prim_func(s_tir=True)
    def bilinear_form(x: T.Buffer(("m",), "float64"), A: T.Buffer(("m", "n"), "float64"), y: T.Buffer(("n",), "float64")) -> T.float64:
        m, n = T.int32(), T.int32()
        total: T.float64 = T.float64(0)
        for i, j in T.grid(m, n):
            total += x[i] * A[i, j] * y[j]
        return total

    @T.prim_func(s_tir=True)
    def syrk(A: T.Buffer(("n", "k"), "float32"), C: T.Buffer(("n", "n"), "float32")):
        n, k = T.int32(), T.int32()
        for i in range(n):
            for j in range(i + 1):
                dot: T.float32 = 0.0
                for p in range(k):
                    dot += A[i, p] * A[j, p]
                C[i, j] = dot
                C[j, i] = dot
