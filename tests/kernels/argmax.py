# Arg-reductions: the position of an extreme value.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # As TVM prints it: a reduction of (index, value) pairs; the first of equal values wins.
    @T.prim_func(s_tir=True)
    def argmax(A: T.Buffer(("n", "m"), "float32"), A_red: T.Buffer(("n",), "int32")):
        T.func_attr({"tirx.noalias": True})
        n, m = T.int32(), T.int32()
        # with T.sblock("root"):
        A_red_temp_v0 = T.sblock_alloc_buffer((n,), "int32")
        A_red_temp_v1 = T.sblock_alloc_buffer((n,))
        for ax0, k1 in T.grid(n, m):
            with T.sblock("A_red_temp"):
                v_ax0, v_k1 = T.axis.remap("SR", [ax0, k1])
                T.reads(A[v_ax0, v_k1])
                T.writes(A_red_temp_v0[v_ax0], A_red_temp_v1[v_ax0])
                with T.init():
                    A_red_temp_v0[v_ax0] = -1
                    A_red_temp_v1[v_ax0] = T.float32(-340282346638528859811704183484516925440.0)
                v_A_red_temp_v0: T.let[T.int32] = T.Select(A_red_temp_v1[v_ax0] > A[v_ax0, v_k1] or A_red_temp_v1[v_ax0] == A[v_ax0, v_k1] and A_red_temp_v0[v_ax0] < v_k1, A_red_temp_v0[v_ax0], v_k1)
                v_A_red_temp_v1: T.let[T.float32] = T.Select(A_red_temp_v1[v_ax0] > A[v_ax0, v_k1], A_red_temp_v1[v_ax0], A[v_ax0, v_k1])
                A_red_temp_v0[v_ax0] = v_A_red_temp_v0
                A_red_temp_v1[v_ax0] = v_A_red_temp_v1
        for ax0 in range(n):
            with T.sblock("A_red"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(A_red_temp_v0[v_ax0])
                T.writes(A_red[v_ax0])
                A_red[v_ax0] = A_red_temp_v0[v_ax0]

    # Along the first axis, with the value as well.
    @T.prim_func(s_tir=True)
    def argmin_columns(A: T.Buffer(("n", "m"), "int16"), where: T.Buffer(("m",), "int64"), least: T.Buffer(("m",), "int16")):
        n, m = T.int32(), T.int32()
        for j in range(m):
            where[j] = T.int64(0)
            least[j] = A[0, j]
        for i, j in T.grid(n, m):
            if A[i, j] < least[j]:
                least[j] = A[i, j]
                where[j] = T.Cast("int64", i)

    @T.prim_func(s_tir=True)
    def argmax_1d(A: T.Buffer(("n",), "float64")) -> T.int32:
        n = T.int32()
        best: T.int32 = 0
        for i in range(n):
            if A[i] > A[best]:
                best = i
        return best
