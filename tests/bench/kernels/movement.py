# Data movement: nothing is computed but where things go.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def transpose(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("m", "n"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(m, n):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

    # Heads out of the sequence: (b, s, h, d) to (b, h, d, s).
    @T.prim_func(s_tir=True)
    def transpose_4d(A: T.Buffer(("b", "s", "h", "d"), "float32"), B: T.Buffer(("b", "h", "d", "s"), "float32")):
        b, s, h, d = T.int32(), T.int32(), T.int32(), T.int32()
        for i0, i1, i2, i3 in T.grid(b, h, d, s):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                B[v0, v1, v2, v3] = A[v0, v3, v1, v2]

    @T.prim_func(s_tir=True)
    def nchw_to_nhwc(A: T.Buffer(("n", "c", "h", "w"), "float32"), B: T.Buffer(("n", "h", "w", "c"), "float32")):
        n, c, h, w = T.int32(), T.int32(), T.int32(), T.int32()
        for i0, i1, i2, i3 in T.grid(n, h, w, c):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                B[v0, v1, v2, v3] = A[v0, v3, v1, v2]

    @T.prim_func(s_tir=True)
    def nhwc_to_nchw(A: T.Buffer(("n", "h", "w", "c"), "float32"), B: T.Buffer(("n", "c", "h", "w"), "float32")):
        n, c, h, w = T.int32(), T.int32(), T.int32(), T.int32()
        for i0, i1, i2, i3 in T.grid(n, c, h, w):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                B[v0, v1, v2, v3] = A[v0, v2, v3, v1]

    @T.prim_func(s_tir=True)
    def pad(A: T.Buffer(("h", "w"), "float32"), B: T.Buffer(("h + 4", "w + 6"), "float32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h + 4, w + 6):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(2 <= vi and vi < h + 2 and 3 <= vj and vj < w + 3, A[vi - 2, vj - 3], T.float32(0))

    # Side by side.
    @T.prim_func(s_tir=True)
    def concat(A: T.Buffer(("n", "p"), "float32"), B: T.Buffer(("n", "q"), "float32"), C: T.Buffer(("n", "p + q"), "float32")):
        n, p, q = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, p + q):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.if_then_else(vj < p, A[vi, vj], B[vi, vj - p])

    @T.prim_func(s_tir=True)
    def gather_rows(table: T.Buffer(("v", "d"), "float32"), ids: T.Buffer(("n",), "int32"), B: T.Buffer(("n", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = table[ids[vi], vj]

    @T.prim_func(s_tir=True)
    def scatter_add(rows: T.Buffer(("n", "d"), "float32"), ids: T.Buffer(("n",), "int32"), B: T.Buffer(("v", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            B[ids[i], j] = B[ids[i], j] + rows[i, j]
