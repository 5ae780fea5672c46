# Matrix product C[m, n] = A[m, k] B[k, n] in several loop orders, for any m, n, k. All of them update each C[i, j] in
# the same order of k, so all of them give the same bits.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # The textbook order: one dot product per element of C.
    @T.prim_func(s_tir=True)
    def matmul_ijk(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                T.reads(A[vi, vp], B[vp, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vp, vj]

    # Rows of B are added to rows of C.
    @T.prim_func(s_tir=True)
    def matmul_ikj(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for i, p, j in T.grid(m, k, n):
            with T.sblock("C"):
                vi, vp, vj = T.axis.remap("SRS", [i, p, j])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vp, vj]

    # The column order of Fortran and BLAS.
    @T.prim_func(s_tir=True)
    def matmul_jki(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for j, p, i in T.grid(n, k, m):
            with T.sblock("C"):
                vj, vp, vi = T.axis.remap("SRS", [j, p, i])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] += A[vi, vp] * B[vp, vj]

    # Plain loops, no block: the element of C is cleared by a statement of its own.
    @T.prim_func(s_tir=True)
    def matmul_loops(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for i in range(m):
            for j in range(n):
                C[i, j] = T.float32(0.0)
                for p in range(k):
                    C[i, j] = C[i, j] + A[i, p] * B[p, j]

    # Two nests: clear all of C, then accumulate.
    @T.prim_func(s_tir=True)
    def matmul_two_stage(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for i, j in T.grid(m, n):
            with T.sblock("C_init"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.writes(C[vi, vj])
                C[vi, vj] = T.float32(0.0)
        for i, p, j in T.grid(m, k, n):
            with T.sblock("C_update"):
                vi, vp, vj = T.axis.remap("SRS", [i, p, j])
                T.reads(C[vi, vj], A[vi, vp], B[vp, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vp, vj]

    # Tiles of 16 x 16 x 4; a predicate cuts the tiles that stick out.
    @T.prim_func(s_tir=True)
    def matmul_blocked(A: T.Buffer(("m", "k"), "float32"), B: T.Buffer(("k", "n"), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m = T.int32()
        n = T.int32()
        k = T.int32()
        for i_0, j_0, p_0, p_1, i_1, j_1 in T.grid((m + 15) // 16, (n + 15) // 16, (k + 3) // 4, 4, 16, 16):
            with T.sblock("C"):
                vi = T.axis.spatial(m, i_0 * 16 + i_1)
                vj = T.axis.spatial(n, j_0 * 16 + j_1)
                vp = T.axis.reduce(k, p_0 * 4 + p_1)
                T.where(i_0 * 16 + i_1 < m and j_0 * 16 + j_1 < n and p_0 * 4 + p_1 < k)
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vp] * B[vp, vj]

    # Rows in parallel, a local tile of C, lanes of four written as a vector loop. Sizes are constants.
    @T.prim_func(s_tir=True)
    def matmul_64(A: T.Buffer((64, 48), "float32"), B: T.Buffer((48, 64), "float32"), C: T.Buffer((64, 64), "float32")):
        T.func_attr({"tirx.noalias": True})
        C_local = T.sblock_alloc_buffer((64, 64), scope="local")
        for i in T.parallel(64):
            for j_0 in range(16):
                for p in range(48):
                    for j_1 in T.vectorized(4):
                        with T.sblock("C"):
                            vi = T.axis.spatial(64, i)
                            vj = T.axis.spatial(64, j_0 * 4 + j_1)
                            vp = T.axis.reduce(48, p)
                            T.reads(A[vi, vp], B[vp, vj])
                            T.writes(C_local[vi, vj])
                            with T.init():
                                C_local[vi, vj] = T.float32(0.0)
                            C_local[vi, vj] = C_local[vi, vj] + A[vi, vp] * B[vp, vj]
                for j_1 in T.vectorized(4):
                    with T.sblock("C_write"):
                        vi = T.axis.spatial(64, i)
                        vj = T.axis.spatial(64, j_0 * 4 + j_1)
                        T.reads(C_local[vi, vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = C_local[vi, vj]
