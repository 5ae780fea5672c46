# Half precision: sums in the type itself, and sums in float32 over half storage.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def matmul_f16(A: T.Buffer(("m", "k"), "float16"), B: T.Buffer(("k", "n"), "float16"), C: T.Buffer(("m", "n"), "float16")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float16(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func(s_tir=True)
    def matmul_f16_f32(A: T.Buffer(("m", "k"), "float16"), B: T.Buffer(("k", "n"), "float16"), C: T.Buffer(("m", "n"), "float16")):
        m, k, n = T.int32(), T.int32(), T.int32()
        wide = T.sblock_alloc_buffer((m, n), "float32")
        for i, j, p in T.grid(m, n, k):
            with T.sblock("wide"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    wide[vi, vj] = T.float32(0)
                wide[vi, vj] = wide[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])
        for i, j in T.grid(m, n):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.Cast("float16", wide[vi, vj])

    @T.prim_func(s_tir=True)
    def matmul_bf16(A: T.Buffer(("m", "k"), "bfloat16"), B: T.Buffer(("k", "n"), "bfloat16"), C: T.Buffer(("m", "n"), "float32")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk].astype("float32") * B[vk, vj].astype("float32")

    @T.prim_func(s_tir=True)
    def axpy_bf16(a: T.float32, x: T.Buffer(("n",), "bfloat16"), y: T.Buffer(("n",), "bfloat16"), z: T.Buffer(("n",), "bfloat16")):
        n = T.int32()
        for i in range(n):
            z[i] = T.Cast("bfloat16", a) * x[i] + y[i]

    @T.prim_func(s_tir=True)
    def softmax_f16(A: T.Buffer(("n", "m"), "float16"), B: T.Buffer(("n", "m"), "float16")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            top: T.float32 = T.min_value("float32")
            for j in range(m):
                top = T.max(top, T.Cast("float32", A[i, j]))
            total: T.float32 = 0.0
            for j in range(m):
                total += T.exp(A[i, j].astype("float32") - top)
            for j in range(m):
                B[i, j] = (T.exp(A[i, j].astype("float32") - top) / total).astype("float16")

    @T.prim_func(s_tir=True)
    def gelu_f16(X: T.Buffer(("n",), "float16"), Y: T.Buffer(("n",), "float16")):
        n = T.int32()
        for i in T.parallel(n):
            x: T.let[T.float16] = X[i]
            inner: T.let[T.float16] = T.float16(0.79788456) * (x + T.float16(0.044715) * x * x * x)
            Y[i] = T.float16(0.5) * x * (T.float16(1) + T.tanh(inner))
