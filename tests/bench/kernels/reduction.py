# Reductions, written with reduce axes, and their twins (_plain) in plain loops, whose order is the program's.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def sum(A: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        for k in range(n):
            with T.sblock("S"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    S[0] = T.float32(0)
                S[0] = S[0] + A[vk]

    @T.prim_func(s_tir=True)
    def sum_plain(A: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        S[0] = T.float32(0)
        for k in range(n):
            S[0] = S[0] + A[k]

    @T.prim_func(s_tir=True)
    def dot(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        for k in range(n):
            with T.sblock("S"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    S[0] = T.float32(0)
                S[0] = S[0] + A[vk] * B[vk]

    @T.prim_func(s_tir=True)
    def dot_plain(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        S[0] = T.float32(0)
        for k in range(n):
            S[0] = S[0] + A[k] * B[k]

    @T.prim_func(s_tir=True)
    def maximum(A: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        for k in range(n):
            with T.sblock("S"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    S[0] = T.min_value("float32")
                S[0] = T.max(S[0], A[vk])

    @T.prim_func(s_tir=True)
    def maximum_plain(A: T.Buffer(("n",), "float32"), S: T.Buffer((1,), "float32")):
        n = T.int32()
        S[0] = T.min_value("float32")
        for k in range(n):
            S[0] = T.max(S[0], A[k])

    # As TVM prints it: a reduction of (index, value) pairs.
    @T.prim_func(s_tir=True)
    def argmax(A: T.Buffer(("n", "m"), "float32"), where: T.Buffer(("n",), "int32"), largest: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i, k in T.grid(n, m):
            with T.sblock("argmax"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    where[vi] = -1
                    largest[vi] = T.min_value("float32")
                v_where: T.let[T.int32] = T.Select(largest[vi] > A[vi, vk] or largest[vi] == A[vi, vk] and where[vi] < vk, where[vi], vk)
                v_largest: T.let[T.float32] = T.Select(largest[vi] > A[vi, vk], largest[vi], A[vi, vk])
                where[vi] = v_where
                largest[vi] = v_largest

    @T.prim_func(s_tir=True)
    def argmax_plain(A: T.Buffer(("n", "m"), "float32"), where: T.Buffer(("n",), "int32"), largest: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            where[i] = -1
            largest[i] = T.min_value("float32")
            for k in range(m):
                if A[i, k] > largest[i]:
                    where[i] = k
                    largest[i] = A[i, k]

    @T.prim_func(s_tir=True)
    def mean_variance(A: T.Buffer(("n", "m"), "float32"), mean: T.Buffer(("n",), "float32"), variance: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        total = T.sblock_alloc_buffer((n,))
        squares = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, m):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + A[vi, vk]
        for i in range(n):
            with T.sblock("mean"):
                vi = T.axis.spatial(n, i)
                mean[vi] = total[vi] / T.Cast("float32", m)
        for i, k in T.grid(n, m):
            with T.sblock("squares"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    squares[vi] = T.float32(0)
                squares[vi] = squares[vi] + (A[vi, vk] - mean[vi]) * (A[vi, vk] - mean[vi])
        for i in range(n):
            with T.sblock("variance"):
                vi = T.axis.spatial(n, i)
                variance[vi] = squares[vi] / T.Cast("float32", m)

    @T.prim_func(s_tir=True)
    def mean_variance_plain(A: T.Buffer(("n", "m"), "float32"), mean: T.Buffer(("n",), "float32"), variance: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            total = T.float32(0)
            for k in range(m):
                total += A[i, k]
            mean[i] = total / T.Cast("float32", m)
            squares = T.float32(0)
            for k in range(m):
                squares += (A[i, k] - mean[i]) * (A[i, k] - mean[i])
            variance[i] = squares / T.Cast("float32", m)

    @T.prim_func(s_tir=True)
    def row_sums(A: T.Buffer(("n", "m"), "float32"), S: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i, k in T.grid(n, m):
            with T.sblock("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]

    @T.prim_func(s_tir=True)
    def row_sums_plain(A: T.Buffer(("n", "m"), "float32"), S: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            S[i] = T.float32(0)
            for k in range(m):
                S[i] = S[i] + A[i, k]

    @T.prim_func(s_tir=True)
    def column_sums(A: T.Buffer(("n", "m"), "float32"), S: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for j, k in T.grid(m, n):
            with T.sblock("S"):
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    S[vj] = T.float32(0)
                S[vj] = S[vj] + A[vk, vj]

    @T.prim_func(s_tir=True)
    def column_sums_plain(A: T.Buffer(("n", "m"), "float32"), S: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for j in range(m):
            S[j] = T.float32(0)
            for k in range(n):
                S[j] = S[j] + A[k, j]
