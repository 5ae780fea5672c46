# Elements that rule out later ones, which a search finds one after the other where there are many.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def later_ones(a: T.Buffer(("k", "m"), "float32"), kept: T.Buffer(("k", "m"), "float32")):
        k, m = T.int32(), T.int32()
        for c in range(k):
            for i in range(m):
                if kept[c, i] > T.float32(0):
                    for j in range(m):
                        if i < j and a[c, i] <= a[c, j]:
                            kept[c, j] = T.float32(0)

    @T.prim_func
    def nearest_ones(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), kept: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            if kept[i] != 0:
                for j in range(i + 1, n):
                    if T.max(a[i], a[j]) < T.min(b[i], b[j]):
                        kept[j] = 0
