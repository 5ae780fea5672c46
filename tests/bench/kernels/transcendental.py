# Functions of the mathematical library, alone and with the reductions around them.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def exp(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.exp(X[i])

    @T.prim_func(s_tir=True)
    def sigmoid(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.float32(1) / (T.float32(1) + T.exp(T.float32(0) - X[i]))

    @T.prim_func(s_tir=True)
    def tanh(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.tanh(X[i])

    @T.prim_func(s_tir=True)
    def gelu(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = X[i] * T.float32(0.5) * (T.float32(1) + T.erf(X[i] * T.float32(0.70710678)))

    @T.prim_func(s_tir=True)
    def softmax(A: T.Buffer(("n", "m"), "float32"), Y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        largest = T.sblock_alloc_buffer((n,))
        power = T.sblock_alloc_buffer((n, m))
        total = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, m):
            with T.sblock("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.min_value("float32")
                largest[vi] = T.max(largest[vi], A[vi, vk])
        for i, j in T.grid(n, m):
            with T.sblock("power"):
                vi, vj = T.axis.remap("SS", [i, j])
                power[vi, vj] = T.exp(A[vi, vj] - largest[vi])
        for i, k in T.grid(n, m):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + power[vi, vk]
        for i, j in T.grid(n, m):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = power[vi, vj] / total[vi]

    # As TVM prints it: sum and sum of squares in one block, their new values in lets.
    @T.prim_func(s_tir=True)
    def layer_norm(A: T.Buffer(("n", "d"), "float32"), gamma: T.Buffer(("d",), "float32"), beta: T.Buffer(("d",), "float32"), Y: T.Buffer(("n", "d"), "float32")):
        n, d = T.int32(), T.int32()
        sums = T.sblock_alloc_buffer((n,))
        squares = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, d):
            with T.sblock("sums"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    sums[vi] = T.float32(0)
                    squares[vi] = T.float32(0)
                v_sum: T.let[T.float32] = sums[vi] + A[vi, vk]
                v_square: T.let[T.float32] = squares[vi] + A[vi, vk] * A[vi, vk]
                sums[vi] = v_sum
                squares[vi] = v_square
        for i, j in T.grid(n, d):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = (A[vi, vj] - sums[vi] / T.Cast("float32", d)) * T.rsqrt(squares[vi] / T.Cast("float32", d) - sums[vi] / T.Cast("float32", d) * (sums[vi] / T.Cast("float32", d)) + T.float32(1e-5)) * gamma[vj] + beta[vj]

    @T.prim_func(s_tir=True)
    def rms_norm(A: T.Buffer(("n", "d"), "float32"), W: T.Buffer(("d",), "float32"), Y: T.Buffer(("n", "d"), "float32")):
        n, d = T.int32(), T.int32()
        squares = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, d):
            with T.sblock("squares"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    squares[vi] = T.float32(0)
                squares[vi] = squares[vi] + A[vi, vk] * A[vi, vk]
        for i, j in T.grid(n, d):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = A[vi, vj] * T.rsqrt(squares[vi] / T.Cast("float32", d) + T.float32(1e-5)) * W[vj]

    @T.prim_func(s_tir=True)
    def log_sum_exp(A: T.Buffer(("n", "m"), "float32"), Y: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        largest = T.sblock_alloc_buffer((n,))
        total = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, m):
            with T.sblock("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.min_value("float32")
                largest[vi] = T.max(largest[vi], A[vi, vk])
        for i, k in T.grid(n, m):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(A[vi, vk] - largest[vi])
        for i in range(n):
            with T.sblock("Y"):
                vi = T.axis.spatial(n, i)
                Y[vi] = largest[vi] + T.log(total[vi])
