# Layer normalisation over the last axis with scale and shift, and RMS normalisation.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # As TVM prints it: sum and sum of squares in one block, then the normalisation.
    @T.prim_func(s_tir=True)
    def layer_norm(A: T.Buffer(("n", "d"), "float32"), gamma: T.Buffer(("d",), "float32"), beta: T.Buffer(("d",), "float32"), T_layer_norm: T.Buffer(("n", "d"), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, d = T.int32(), T.int32()
        # with T.sblock("root"):
        A_red_temp_v0 = T.sblock_alloc_buffer((n,))
        A_red_temp_v1 = T.sblock_alloc_buffer((n,))
        for ax0, k1 in T.grid(n, d):
            with T.sblock("A_red_temp"):
                v_ax0, v_k1 = T.axis.remap("SR", [ax0, k1])
                T.reads(A[v_ax0, v_k1])
                T.writes(A_red_temp_v0[v_ax0], A_red_temp_v1[v_ax0])
                with T.init():
                    A_red_temp_v0[v_ax0] = T.float32(0.0)
                    A_red_temp_v1[v_ax0] = T.float32(0.0)
                v_A_red_temp_v0: T.let[T.float32] = A_red_temp_v0[v_ax0] + A[v_ax0, v_k1]
                v_A_red_temp_v1: T.let[T.float32] = A_red_temp_v1[v_ax0] + A[v_ax0, v_k1] * A[v_ax0, v_k1]
                A_red_temp_v0[v_ax0] = v_A_red_temp_v0
                A_red_temp_v1[v_ax0] = v_A_red_temp_v1
        for ax0, ax1 in T.grid(n, d):
            with T.sblock("T_layer_norm"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[v_ax0, v_ax1], A_red_temp_v0[v_ax0], A_red_temp_v1[v_ax0], gamma[v_ax1], beta[v_ax1])
                T.writes(T_layer_norm[v_ax0, v_ax1])
                T_layer_norm[v_ax0, v_ax1] = (A[v_ax0, v_ax1] - A_red_temp_v0[v_ax0] / T.Cast("float32", d)) * T.rsqrt(A_red_temp_v1[v_ax0] / T.Cast("float32", d) - A_red_temp_v0[v_ax0] / T.Cast("float32", d) * (A_red_temp_v0[v_ax0] / T.Cast("float32", d)) + T.float32(1.0000000000000001e-05)) * gamma[v_ax1] + beta[v_ax1]

    # Two passes, the numerically careful way: the mean first, then the squared distances from it.
    @T.prim_func(s_tir=True)
    def layer_norm_two_pass(X: T.Buffer(("n", "d"), "float32"), Y: T.Buffer(("n", "d"), "float32")):
        n, d = T.int32(), T.int32()
        mean = T.sblock_alloc_buffer((n,))
        variance = T.sblock_alloc_buffer((n,))
        for i, j in T.grid(n, d):
            with T.sblock("mean"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    mean[vi] = T.float32(0)
                mean[vi] += X[vi, vj] / T.Cast("float32", d)
        for i, j in T.grid(n, d):
            with T.sblock("variance"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    variance[vi] = T.float32(0)
                variance[vi] += (X[vi, vj] - mean[vi]) * (X[vi, vj] - mean[vi])
        for i, j in T.grid(n, d):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = (X[vi, vj] - mean[vi]) / T.sqrt(variance[vi] / T.Cast("float32", d) + T.float32(1e-5))

    @T.prim_func(s_tir=True)
    def rms_norm(X: T.Buffer(("n", "d"), "float32"), W: T.Buffer(("d",), "float32"), eps: T.float32, Y: T.Buffer(("n", "d"), "float32")):
        n, d = T.int32(), T.int32()
        for i in range(n):
            squares = T.float32(0)
            for j in range(d):
                squares += X[i, j] * X[i, j]
            for j in range(d):
                Y[i, j] = X[i, j] * T.rsqrt(squares / T.Cast("float32", d) + eps) * W[j]
