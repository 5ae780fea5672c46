# Transposes: a matrix, by tiles, the axes of a 4-D tensor (channels first to channels last), and in place.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def transpose(A: T.Buffer(("n", "m"), "float32"), T_transpose: T.Buffer(("m", "n"), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, m = T.int32(), T.int32()
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(m, n):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[v_ax1, v_ax0])
                T.writes(T_transpose[v_ax0, v_ax1])
                T_transpose[v_ax0, v_ax1] = A[v_ax1, v_ax0]

    @T.prim_func(s_tir=True)
    def transpose_tiled(A: T.Buffer(("n", "m"), "int64"), B: T.Buffer(("m", "n"), "int64")):
        n, m = T.int32(), T.int32()
        for i_0, j_0 in T.grid((n + 7) // 8, (m + 7) // 8):
            for i_1, j_1 in T.grid(8, 8):
                if i_0 * 8 + i_1 < n and j_0 * 8 + j_1 < m:
                    B[j_0 * 8 + j_1, i_0 * 8 + i_1] = A[i_0 * 8 + i_1, j_0 * 8 + j_1]

    @T.prim_func(s_tir=True)
    def nchw_to_nhwc(A: T.Buffer(("n", "c", "h", "w"), "uint8"), B: T.Buffer(("n", "h", "w", "c"), "uint8")):
        n, c, h, w = T.int32(), T.int32(), T.int32(), T.int32()
        for i0, i1, i2, i3 in T.grid(n, h, w, c):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                B[v0, v1, v2, v3] = A[v0, v3, v1, v2]

    @T.prim_func(s_tir=True)
    def transpose_square(A: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        for i in range(n):
            for j in range(i + 1, n):
                upper: T.let[T.float32] = A[i, j]
                A[i, j] = A[j, i]
                A[j, i] = upper
