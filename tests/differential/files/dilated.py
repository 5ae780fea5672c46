# Sums over data with zeros between its elements: transposed convolutions, which go through phases; of floats only where
# that gives the same bits.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def image(x: T.Buffer((2, 3, 4, 5), "float32"), w: T.Buffer((3, 2, 3, 4), "float32"), y: T.Buffer((2, 2, 7, 14), "float32")):
        dilated = T.sblock_alloc_buffer((2, 3, 7, 13))
        padded = T.sblock_alloc_buffer((2, 3, 9, 17))
        turned = T.sblock_alloc_buffer((2, 3, 3, 4))
        for n, c, i, j in T.grid(2, 3, 7, 13):
            with T.sblock("dilated"):
                vn, vc, vi, vj = T.axis.remap("SSSS", [n, c, i, j])
                dilated[vn, vc, vi, vj] = T.if_then_else(vi % 2 == 0 and vj % 3 == 0, x[vn, vc, vi // 2, vj // 3], T.float32(0.0))
        for n, c, i, j in T.grid(2, 3, 9, 17):
            with T.sblock("padded"):
                vn, vc, vi, vj = T.axis.remap("SSSS", [n, c, i, j])
                padded[vn, vc, vi, vj] = T.if_then_else(1 <= vi and vi < 8 and 2 <= vj and vj < 15, dilated[vn, vc, vi - 1, vj - 2], T.float32(0.0))
        for o, c, i, j in T.grid(2, 3, 3, 4):
            with T.sblock("turned"):
                vo, vc, vi, vj = T.axis.remap("SSSS", [o, c, i, j])
                turned[vo, vc, vi, vj] = w[vc, vo, 2 - vi, 3 - vj]
        for n, o, i, j, c, p, q in T.grid(2, 2, 7, 14, 3, 3, 4):
            with T.sblock("sum"):
                vn, vo, vi, vj, vc, vp, vq = T.axis.remap("SSSSRRR", [n, o, i, j, c, p, q])
                with T.init():
                    y[vn, vo, vi, vj] = T.float32(0.0)
                y[vn, vo, vi, vj] = y[vn, vo, vi, vj] + padded[vn, vc, vi + vp, vj + vq] * turned[vo, vc, vp, vq]

    @T.prim_func
    def line(x: T.Buffer((9,), "float64"), w: T.Buffer((5,), "float64"), b: T.Buffer((1,), "float64"), y: T.Buffer((21,), "float64")):
        dilated = T.alloc_buffer((25,), "float64")
        for i in range(25):
            dilated[i] = T.if_then_else(i % 3 == 0, x[i // 3], T.float64(0))
        for i in range(21):
            y[i] = b[0]
            for k in range(5):
                y[i] = y[i] + dilated[i + k] * w[k]

    @T.prim_func
    def steps(x: T.Buffer((6, 8), "float16"), w: T.Buffer((7, 8), "float16"), y: T.Buffer((9,), "float16")):
        dilated = T.alloc_buffer((24, 8), "float16")
        for i, c in T.grid(24, 8):
            dilated[i, c] = T.if_then_else((i + 1) % 4 == 0, x[(i + 1) // 4 - 1, c], T.float16(0))
        for i in range(9):
            y[i] = T.float16(-0.0)
            for k, c in T.grid(7, 8):
                y[i] = y[i] + w[k, c] * dilated[i * 2 + k, c]

    @T.prim_func
    def integers(x: T.Buffer((4, 7), "int8"), w: T.Buffer((4, 5), "int8"), y: T.Buffer((9,), "int32")):
        dilated = T.alloc_buffer((4, 13), "int8")
        for c, i in T.grid(4, 13):
            dilated[c, i] = T.if_then_else(i % 2 == 0, x[c, i // 2], T.int8(0))
        for i in range(9):
            y[i] = 7
            for c, k in T.grid(4, 5):
                y[i] = y[i] + T.Cast("int32", dilated[c, i + k]) * T.Cast("int32", w[c, k])

    @T.prim_func
    def sizes(x: T.handle, w: T.Buffer((6, 3), "float32"), y: T.handle):
        n = T.int32()
        X = T.match_buffer(x, (n, 4), "float32")
        Y = T.match_buffer(y, (n, 6, 5), "float32")
        dilated = T.alloc_buffer((n, 7), "float32")
        for b, i in T.grid(n, 7):
            dilated[b, i] = T.if_then_else(i % 2 == 0, X[b, i // 2], T.float32(0))
        for b, o, i in T.grid(n, 6, 5):
            Y[b, o, i] = T.float32(0)
            for k in range(3):
                Y[b, o, i] = Y[b, o, i] + dilated[b, i + k] * w[o, k]

    @T.prim_func(s_tir=True)
    def one(x: T.Buffer((2, 3, 1, 2), "float32"), w: T.Buffer((3, 2, 3, 4), "float32"), y: T.Buffer((2, 2, 3, 7), "float32")):
        padded = T.sblock_alloc_buffer((2, 3, 5, 10))
        turned = T.sblock_alloc_buffer((2, 3, 3, 4))
        for n, c, i, j in T.grid(2, 3, 5, 10):
            with T.sblock("padded"):
                vn, vc, vi, vj = T.axis.remap("SSSS", [n, c, i, j])
                padded[vn, vc, vi, vj] = T.if_then_else(2 <= vi and vi < 3 and 3 <= vj and vj < 6 and (vj + 1) % 2 == 0, x[vn, vc, vi - 2, (vj - 3) // 2], T.float32(0.0))
        for o, c, i, j in T.grid(2, 3, 3, 4):
            with T.sblock("turned"):
                vo, vc, vi, vj = T.axis.remap("SSSS", [o, c, i, j])
                turned[vo, vc, vi, vj] = w[vc, vo, 2 - vi, 3 - vj]
        for n, o, i, j, c, p, q in T.grid(2, 2, 3, 7, 3, 3, 4):
            with T.sblock("sum"):
                vn, vo, vi, vj, vc, vp, vq = T.axis.remap("SSSSRRR", [n, o, i, j, c, p, q])
                with T.init():
                    y[vn, vo, vi, vj] = T.float32(0.0)
                y[vn, vo, vi, vj] = y[vn, vo, vi, vj] + padded[vn, vc, vi + vp, vj + vq] * turned[vo, vc, vp, vq]

    @T.prim_func
    def one_of_all(x: T.Buffer((9,), "float16"), w: T.Buffer((9, 20), "float16"), y: T.Buffer((5,), "float16")):
        padded = T.alloc_buffer((9, 39), "float16")
        for c, i in T.grid(9, 39):
            padded[c, i] = T.if_then_else(i < 20 and 18 < i, x[c], T.float16(0))
        for i in range(5):
            y[i] = T.float16(-0.0)
            for c, k in T.grid(9, 20):
                y[i] = y[i] + padded[c, i * 4 + k] * w[c, k]

    @T.prim_func
    def last(x: T.Buffer((3,), "float64"), w: T.Buffer((3, 17), "float64"), y: T.Buffer((17,), "float64")):
        padded = T.alloc_buffer((3, 33), "float64")
        for c, i in T.grid(3, 33):
            padded[c, i] = T.if_then_else(16 <= i and i <= 16, x[c], T.float64(0))
        for i in range(17):
            y[i] = T.float64(0)
            for c, k in T.grid(3, 17):
                y[i] = y[i] + padded[c, i + k] * w[c, k]

    @T.prim_func
    def beyond(x: T.Buffer((4,), "int8"), w: T.Buffer((4, 5), "int8"), y: T.Buffer((9,), "int32")):
        padded = T.alloc_buffer((4, 13), "int8")
        for c, i in T.grid(4, 13):
            padded[c, i] = T.if_then_else(3 <= i and i < 4, x[c], T.int8(0))
        for i in range(9):
            y[i] = 7
            for c, k in T.grid(4, 5):
                y[i] = y[i] + T.Cast("int32", padded[c, i + k]) * T.Cast("int32", w[c, k])

    @T.prim_func
    def twice(x: T.Buffer((4,), "int8"), w: T.Buffer((5,), "int8"), y: T.Buffer((5,), "int32")):
        padded = T.alloc_buffer((9, 9), "int8")
        for j, i in T.grid(9, 9):
            padded[j, i] = T.if_then_else(4 <= i and i < 5 and 3 <= j and j < 4, x[2], T.int8(0))
        for i in range(5):
            y[i] = 7
            for k in range(5):
                y[i] = y[i] + T.Cast("int32", padded[4 - i + k, i + k]) * T.Cast("int32", w[k])

    @T.prim_func
    def few(x: T.Buffer((8, 5), "float32"), w: T.Buffer((8, 6), "float32"), y: T.Buffer((4,), "float32")):
        dilated = T.alloc_buffer((8, 9), "float32")
        for c, i in T.grid(8, 9):
            dilated[c, i] = T.if_then_else(i % 2 == 0, x[c, i // 2], T.float32(0))
        for i in range(4):
            y[i] = T.float32(0)
            for c, k in T.grid(8, 6):
                y[i] = y[i] + dilated[c, i + k] * w[c, k]
