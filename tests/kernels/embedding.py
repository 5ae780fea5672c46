# Gathers: rows of a table by index, elements along an axis, indices that are data of data.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def embedding(table: T.Buffer(("v", "d"), "float32"), ids: T.Buffer(("n",), "int32"), out: T.Buffer(("n", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            with T.sblock("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(table[ids[vi], vj], ids[vi])
                T.writes(out[vi, vj])
                out[vi, vj] = table[ids[vi], vj]

    # A batch of sequences, 64-bit ids, plus a position's row.
    @T.prim_func(s_tir=True)
    def embed_positions(table: T.Buffer(("v", "d"), "float32"), positions: T.Buffer(("length", "d"), "float32"), ids: T.Buffer(("batch", "length"), "int64"), out: T.Buffer(("batch", "length", "d"), "float32")):
        v, d, length, batch = T.int32(), T.int32(), T.int32(), T.int32()
        for b, i, j in T.grid(batch, length, d):
            with T.sblock("out"):
                vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                out[vb, vi, vj] = table[ids[vb, vi], vj] + positions[vi, vj]

    # numpy.take_along_axis(A, index, axis=1)
    @T.prim_func(s_tir=True)
    def gather_elements(A: T.Buffer(("n", "m"), "int32"), index: T.Buffer(("n", "k"), "int32"), out: T.Buffer(("n", "k"), "int32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, k):
            with T.sblock("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = A[vi, index[vi, vj]]

    # Follows links from a start for `steps` hops and records the way.
    @T.prim_func(s_tir=True)
    def chase(next: T.Buffer(("n",), "int32"), start: T.int32, way: T.Buffer(("steps",), "int32")):
        n, steps = T.int32(), T.int32()
        at: T.int32 = start
        for i in range(steps):
            way[i] = at
            at = next[at]

    # The first place where each key could be inserted into the sorted list: numpy.searchsorted(side="left").
    @T.prim_func(s_tir=True)
    def search_sorted(sorted: T.Buffer(("n",), "float32"), keys: T.Buffer(("k",), "float32"), place: T.Buffer(("k",), "int32")):
        n, k = T.int32(), T.int32()
        for i in range(k):
            low: T.int32 = 0
            high: T.int32 = n
            while low < high:
                middle: T.let[T.int32] = (low + high) // 2
                if sorted[middle] < keys[i]:
                    low = middle + 1
                else:
                    high = middle
            place[i] = low
