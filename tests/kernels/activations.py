# Elementwise chains: activations of neural networks with scale, bias and clipping.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def relu(X: T.Buffer(("n", "m"), "float32"), Y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i0, i1 in T.grid(n, m):
            with T.sblock("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(X[v_i0, v_i1])
                T.writes(Y[v_i0, v_i1])
                Y[v_i0, v_i1] = T.max(X[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(s_tir=True)
    def relu6_chain(X: T.Buffer(("n", "m"), "float32"), scale: T.Buffer(("m",), "float32"), bias: T.Buffer(("m",), "float32"), Y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        scaled = T.sblock_alloc_buffer((n, m))
        shifted = T.sblock_alloc_buffer((n, m))
        for i, j in T.grid(n, m):
            with T.sblock("scaled"):
                vi, vj = T.axis.remap("SS", [i, j])
                scaled[vi, vj] = X[vi, vj] * scale[vj]
        for i, j in T.grid(n, m):
            with T.sblock("shifted"):
                vi, vj = T.axis.remap("SS", [i, j])
                shifted[vi, vj] = scaled[vi, vj] + bias[vj]
        for i, j in T.grid(n, m):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.min(T.max(shifted[vi, vj], T.float32(0)), T.float32(6))

    @T.prim_func(s_tir=True)
    def leaky_relu(X: T.Buffer(("n",), "float32"), alpha: T.float32, Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.Select(X[i] > T.float32(0), X[i], alpha * X[i])

    # Through the error function, as the paper has it.
    @T.prim_func(s_tir=True)
    def gelu(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("gelu"):
                vi = T.axis.spatial(n, i)
                Y[vi] = X[vi] * T.float32(0.5) * (T.float32(1) + T.erf(X[vi] * T.float32(0.70710678118654757)))

    @T.prim_func(s_tir=True)
    def gelu_tanh(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("gelu_tanh"):
                vi = T.axis.spatial(n, i)
                Y[vi] = X[vi] * T.float32(0.5) * (T.float32(1) + T.tanh(X[vi] * T.float32(0.79788456080286541) * (T.float32(1) + T.float32(0.044714999999999998) * X[vi] * X[vi])))

    @T.prim_func(s_tir=True)
    def silu(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = X[i] * T.sigmoid(X[i])

    # max(x, 0) + log(1 + exp(-|x|)), which overflows nowhere.
    @T.prim_func(s_tir=True)
    def softplus(X: T.Buffer(("n",), "float64"), Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.max(X[i], T.float64(0)) + T.log1p(T.exp(T.float64(0) - T.abs(X[i])))

    @T.prim_func(s_tir=True)
    def elu(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = X[i] if X[i] > 0 else T.exp(X[i]) - T.float32(1)
