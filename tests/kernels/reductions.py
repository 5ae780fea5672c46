# Reductions: sums, products, extremes and norms, of rows, columns and everything, with blocks and with plain loops.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # A 0-d result, as the operator library prints it.
    @T.prim_func(s_tir=True)
    def sum_all(A: T.Buffer(("n", "m"), "float32"), A_red: T.Buffer((), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, m = T.int32(), T.int32()
        # with T.sblock("root"):
        for k0, k1 in T.grid(n, m):
            with T.sblock("A_red"):
                v_k0, v_k1 = T.axis.remap("RR", [k0, k1])
                T.reads(A[v_k0, v_k1])
                T.writes(A_red[()])
                with T.init():
                    A_red[()] = T.float32(0.0)
                A_red[()] = A_red[()] + A[v_k0, v_k1]

    @T.prim_func(s_tir=True)
    def dot(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer((1,), "float32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("C"):
                vi = T.axis.reduce(n, i)
                with T.init():
                    C[0] = T.float32(0)
                C[0] = C[0] + A[vi] * B[vi]

    # In program order, with a returned value.
    @T.prim_func(s_tir=True)
    def dot_in_order(A: T.Buffer(("n",), "float64"), B: T.Buffer(("n",), "float64")) -> T.float64:
        n = T.int32()
        total: T.float64 = T.float64(0)
        for i in range(n):
            total += A[i] * B[i]
        return total

    @T.prim_func(s_tir=True)
    def row_norms(A: T.Buffer(("n", "m"), "float32"), norm: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        squares = T.sblock_alloc_buffer((n,))
        for i, j in T.grid(n, m):
            with T.sblock("squares"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    squares[vi] = T.float32(0)
                squares[vi] += A[vi, vj] * A[vi, vj]
        for i in range(n):
            with T.sblock("norm"):
                vi = T.axis.spatial(n, i)
                norm[vi] = T.sqrt(squares[vi])

    # Down the columns: the reduced axis is the outer one.
    @T.prim_func(s_tir=True)
    def column_sums(A: T.Buffer(("n", "m"), "float32"), total: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for j, i in T.grid(m, n):
            with T.sblock("total"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    total[vj] = T.float32(0)
                total[vj] = total[vj] + A[vi, vj]

    @T.prim_func(s_tir=True)
    def extremes(A: T.Buffer(("n", "m"), "float32"), low: T.Buffer(("n",), "float32"), high: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("low"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    low[vi] = T.float32("inf")
                low[vi] = T.min(low[vi], A[vi, vj])
        for i, j in T.grid(n, m):
            with T.sblock("high"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    high[vi] = T.float32("-inf")
                high[vi] = T.max(high[vi], A[vi, vj])

    @T.prim_func(s_tir=True)
    def product(A: T.Buffer(("n",), "float64"), out: T.Buffer((), "float64")):
        n = T.int32()
        for i in range(n):
            with T.sblock("out"):
                vi = T.axis.reduce(n, i)
                with T.init():
                    out[()] = T.float64(1)
                out[()] = out[()] * A[vi]

    @T.prim_func(s_tir=True)
    def sum_i32(A: T.Buffer(("n",), "int8"), out: T.Buffer((1,), "int32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("out"):
                vi = T.axis.remap("R", [i])
                with T.init():
                    out[0] = 0
                out[0] = out[0] + T.Cast("int32", A[vi])

    # The axis is split in a way that does not divide it; the predicate guards body and init.
    @T.prim_func(s_tir=True)
    def sum_split(A: T.Buffer(("n",), "int64"), out: T.Buffer((1,), "int64")):
        n = T.int32()
        for i_0, i_1 in T.grid((n + 9) // 10, 10):
            with T.sblock("out"):
                vi = T.axis.reduce(n, i_0 * 10 + i_1)
                T.where(i_0 * 10 + i_1 < n)
                with T.init():
                    out[0] = T.int64(0)
                out[0] = out[0] + A[vi]

    # Variance of channels over batch and pixels: two results of one block.
    @T.prim_func(s_tir=True)
    def channel_moments(A: T.Buffer(("n", "c", "h", "w"), "float32"), mean: T.Buffer(("c",), "float32"), variance: T.Buffer(("c",), "float32")):
        n, c, h, w = T.int32(), T.int32(), T.int32(), T.int32()
        total = T.sblock_alloc_buffer((c,))
        squares = T.sblock_alloc_buffer((c,))
        for k, b, i, j in T.grid(c, n, h, w):
            with T.sblock("moments"):
                vk, vb, vi, vj = T.axis.remap("SRRR", [k, b, i, j])
                with T.init():
                    total[vk] = T.float32(0)
                    squares[vk] = T.float32(0)
                total[vk] = total[vk] + A[vb, vk, vi, vj]
                squares[vk] = squares[vk] + A[vb, vk, vi, vj] * A[vb, vk, vi, vj]
        for k in range(c):
            with T.sblock("finish"):
                vk = T.axis.spatial(c, k)
                mean[vk] = total[vk] / T.Cast("float32", n * h * w)
                variance[vk] = squares[vk] / T.Cast("float32", n * h * w) - mean[vk] * mean[vk]

    # A sum in which only elements under a mask count, and their number.
    @T.prim_func(s_tir=True)
    def masked_mean(A: T.Buffer(("n", "m"), "float32"), mask: T.Buffer(("n", "m"), "bool"), mean: T.Buffer(("n",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            total: T.float32 = T.float32(0)
            count: T.int32 = 0
            for j in range(m):
                if mask[i, j]:
                    total += A[i, j]
                    count += 1
            mean[i] = T.if_then_else(count > 0, total / T.Cast("float32", count), T.float32(0))

    # max |A - B|
    @T.prim_func(s_tir=True)
    def distance(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), out: T.Buffer((), "float32")):
        n = T.int32()
        out[()] = T.float32(0)
        for i in range(n):
            out[()] = T.max(out[()], T.abs(A[i] - B[i]))
