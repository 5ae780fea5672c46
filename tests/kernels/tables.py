# Tables that are filled from their own entries: which things fit into a bag, ways to pay a sum, in which order to multiply
# matrices, the longest rising subsequence.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bag(weight: T.Buffer(("n",), "int32"), value: T.Buffer(("n",), "int32"), best: T.Buffer(("m",), "int32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for step in range(m):
                c: T.let[T.int32] = m - 1 - step
                if c >= weight[i]:
                    best[c] = T.max(best[c], best[c - weight[i]] + value[i])

    @T.prim_func(s_tir=True)
    def bag_table(weight: T.Buffer(("n",), "int32"), value: T.Buffer(("n",), "int32"), best: T.Buffer(("n + 1", "m"), "int32")):
        n, m = T.int32(), T.int32()
        for i, c in T.grid(n, m):
            if weight[i] <= c:
                best[i + 1, c] = T.max(best[i, c], best[i, c - weight[i]] + value[i])
            else:
                best[i + 1, c] = best[i, c]

    @T.prim_func(s_tir=True)
    def ways_to_pay(coin: T.Buffer(("n",), "int32"), ways: T.Buffer(("m",), "int64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            for a in range(coin[i], m):
                ways[a] = ways[a] + ways[a - coin[i]]

    @T.prim_func(s_tir=True)
    def matrix_chain(size: T.Buffer(("n + 1",), "int32"), cost: T.Buffer(("n", "n"), "int32")):
        n = T.int32()
        for length in range(1, n):
            for i in range(n - length):
                cost[i, i + length] = 2147483647
                for s in range(length):
                    both: T.let[T.int32] = cost[i, i + s] + cost[i + s + 1, i + length]
                    all: T.let[T.int32] = both + size[i] * size[i + s + 1] * size[i + length + 1]
                    if all < cost[i, i + length]:
                        cost[i, i + length] = all

    @T.prim_func(s_tir=True)
    def longest_rising(a: T.Buffer(("n",), "int32"), length: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            length[i] = 1
            for j in range(i):
                if a[j] < a[i]:
                    if length[j] + 1 > length[i]:
                        length[i] = length[j] + 1
