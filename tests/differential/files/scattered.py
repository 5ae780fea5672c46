# Sums that loops scatter: transposed convolutions with steps of 1 to 4, with kernels that these divide and do not, in
# several orders of loops, padded, dilated, into more elements than they reach and into what was there; columns that
# become images again; extremes; sizes that are parameters; and what stays as it is: indices that may lie outside, an
# element that another one is made of, more updates of an element than are worth it.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def of_two(x: T.Buffer((2, 6, 7), "float32"), w: T.Buffer((2, 2, 4, 4), "float32"), o: T.Buffer((2, 14, 16), "float32")):
        for f, y, z in T.grid(2, 14, 16):
            o[f, y, z] = T.float32(0)
        for c, y, z in T.grid(2, 6, 7):
            for f, i, j in T.grid(2, 4, 4):
                o[f, y * 2 + i, z * 2 + j] += x[c, y, z] * w[c, f, i, j]

    @T.prim_func
    def of_two_by_three(x: T.Buffer((2, 6, 7), "float32"), w: T.Buffer((2, 2, 3, 5), "float32"), o: T.Buffer((2, 15, 24), "float32")):
        for f, y, z in T.grid(2, 15, 24):
            o[f, y, z] = T.float32(1.5)
        for y, c, i, f, z, j in T.grid(6, 2, 3, 2, 7, 5):
            o[f, y * 2 + i, z * 3 + j] = o[f, y * 2 + i, z * 3 + j] + x[c, y, z] * w[c, f, i, j]

    @T.prim_func
    def padded(x: T.Buffer((2, 8, 8), "float32"), w: T.Buffer((2, 2, 3, 3), "float32"), o: T.Buffer((2, 15, 15), "float32")):
        for f, y, z in T.grid(2, 15, 15):
            o[f, y, z] = T.float32(0)
        for f, c, y, z, i, j in T.grid(2, 2, 8, 8, 3, 3):
            if y * 2 + i - 1 >= 0 and y * 2 + i - 1 < 15 and 1 <= z * 2 + j and z * 2 + j - 1 < 15:
                o[f, y * 2 + i - 1, z * 2 + j - 1] += x[c, y, z] * w[c, f, i, j]

    @T.prim_func
    def padded_partly(x: T.Buffer((2, 8, 8), "float32"), w: T.Buffer((2, 2, 3, 3), "float32"), o: T.Buffer((2, 10, 10), "float32")):
        for f, c, y, z, i, j in T.grid(2, 2, 8, 8, 3, 3):
            if y + i > 0 and z + j - 1 >= 0 and (y + i) % 3 != 1:
                o[f, y + i - 1, z + j - 1] += x[c, y, z] * w[c, f, i, j]

    @T.prim_func
    def columns(c: T.Buffer((18, 80), "float32"), o: T.Buffer((2, 10, 12), "float32")):
        for i, y, x in T.grid(2, 10, 12):
            o[i, y, x] = T.float32(0)
        for i, dy, dx, y, x in T.grid(2, 3, 3, 8, 10):
            o[i, y + dy, x + dx] = o[i, y + dy, x + dx] + c[i * 9 + dy * 3 + dx, y * 10 + x]

    @T.prim_func
    def columns_of_sizes(ch: T.handle, oh: T.handle):
        n, h, w = T.int64(), T.int64(), T.int64()
        c = T.match_buffer(ch, (n, 3, 3, h, w), "float64")
        o = T.match_buffer(oh, (n, h + 2, w + 2), "float64")
        for i, y, x in T.grid(n, h + 2, w + 2):
            o[i, y, x] = T.float64(0)
        for i, y, x, dy, dx in T.grid(n, h, w, T.int64(3), T.int64(3)):
            o[i, y + dy, x + dx] = o[i, y + dy, x + dx] + c[i, dy, dx, y, x]

    @T.prim_func
    def flat(x: T.Buffer((48,), "float32"), w: T.Buffer((9,), "float32"), o: T.Buffer((80,), "float32")):
        for y in range(80):
            o[y] = T.float32(0)
        for y, z, i, j in T.grid(6, 8, 3, 3):
            o[(y + i) * 10 + z + j] += x[y * 8 + z] * w[i * 3 + j]

    @T.prim_func
    def dilated(x: T.Buffer((3, 20), "float32"), w: T.Buffer((3, 5), "float32"), o: T.Buffer((40,), "float32")):
        for y in range(40):
            o[y] = T.float32(0)
        for c, k, t in T.grid(3, 5, 20):
            o[t + k * 3 + 2] += x[c, t] * w[c, k]

    @T.prim_func
    def of_what_was_there(x: T.Buffer(("n",), "float32"), w: T.Buffer((4,), "float32"), o: T.Buffer(("n + 3",), "float32")):
        n = T.int32()
        for t, k in T.grid(n, 4):
            o[t + k] = o[t + k] + x[t] * w[k]

    @T.prim_func
    def greatest(x: T.Buffer((12, 13), "int32"), w: T.Buffer((3, 2), "int32"), o: T.Buffer((28, 27), "int32")):
        for y, z in T.grid(28, 27):
            o[y, z] = -100
        for y, z, i, j in T.grid(12, 13, 3, 2):
            o[y * 2 + i + 1, z * 2 + j] = T.max(o[y * 2 + i + 1, z * 2 + j], x[y, z] - w[i, j])

    @T.prim_func
    def in_an_order(x: T.Buffer((12,), "float32"), o: T.Buffer((30,), "float32")):
        for t, k in T.grid(12, 5):
            o[t * 2 + k] = o[t * 2 + k] * T.float32(0.5) - x[t] * T.Cast("float32", k + 1)

    @T.prim_func
    def channels_last(x: T.Buffer((1, 5, 6, 2), "float32"), w: T.Buffer((3, 3, 3, 2), "float32"), o: T.Buffer((1, 11, 13, 3), "float32")):
        for n, y, z, f in T.grid(1, 11, 13, 3):
            o[n, y, z, f] = T.float32(0)
        for n, y, z, i, j, f, c in T.grid(1, 5, 6, 3, 3, 3, 2):
            o[n, y * 2 + i, z * 2 + j, f] += x[n, y, z, c] * w[i, j, f, c]

    @T.prim_func
    def depthwise(x: T.Buffer((2, 4, 5), "float32"), w: T.Buffer((2, 4, 4), "float32"), o: T.Buffer((2, 16, 20), "float32")):
        for c, y, z in T.grid(2, 16, 20):
            o[c, y, z] = T.float32(0)
        for c, y, z, i, j in T.grid(2, 4, 5, 4, 4):
            o[c, y * 4 + i, z * 4 + j] += x[c, y, z] * w[c, i, j]

    @T.prim_func
    def outside(x: T.Buffer((10,), "float32"), w: T.Buffer((3,), "float32"), o: T.Buffer((11,), "float32")):
        for t, k in T.grid(10, 3):
            o[t + k] = o[t + k] + x[t] * w[k]

    @T.prim_func
    def of_other_elements(x: T.Buffer((10,), "float32"), o: T.Buffer((13,), "float32")):
        for t, k in T.grid(10, 3):
            o[t + k] = o[t + k] + x[t] * o[t + k + 1]

    @T.prim_func
    def guarded_below(x: T.Buffer((10,), "float32"), w: T.Buffer((3,), "float32"), o: T.Buffer((11,), "float32"), m: T.int32):
        for t, k in T.grid(10, 3):
            if t + k < m:
                o[t + k] = o[t + k] + x[t] * w[k]

    # Fills of more than the sum updates, and sums that something may keep from being come to.
    @T.prim_func
    def filled_beyond(x: T.Buffer((2, 12), "float32"), w: T.Buffer((2, 2, 3), "float32"), o: T.Buffer((4, 14),
                      "float32")):
        for f, y in T.grid(4, 14):
            o[f, y] = T.float32(0)
        for f, c, y, i in T.grid(2, 2, 12, 3):
            o[f, y + i] = o[f, y + i] + x[c, y] * w[c, f, i]

    @T.prim_func
    def filled_around(x: T.Buffer((2, 12), "float32"), w: T.Buffer((2, 2, 3), "float32"), o: T.Buffer((4, 14),
                      "float32")):
        for f, y in T.grid(4, 14):
            o[f, y] = T.float32(0)
        for c, f, y, i in T.grid(2, 2, 12, 3):
            o[f + 1, y + i] = o[f + 1, y + i] + x[c, y] * w[c, f, i]

    @T.prim_func
    def filled_rows(xh: T.handle, w: T.Buffer((2, 2, 3), "float32"), oh: T.handle, n: T.int32, m: T.int32):
        c_ = T.int32()
        x = T.match_buffer(xh, (2, 12), "float32")
        o = T.match_buffer(oh, (m, 14), "float32")
        for f, y in T.grid(m, 14):
            o[f, y] = T.float32(0)
        for f, c, y, i in T.grid(n, 2, 12, 3):
            o[f, y + i] = o[f, y + i] + x[c, y] * w[c, 0, i]

    @T.prim_func
    def left_between(x: T.Buffer((2, 12), "int32"), w: T.Buffer((2, 2, 3), "int32"), o: T.Buffer((2, 14),
                     "int32"), q: T.Buffer((4,), "int32")):
        for r in range(4):
            for f, y in T.grid(2, 14):
                o[f, y] = r * 0 + 1
            if q[r] > 0:
                break
            for f, c, y, i in T.grid(2, 2, 12, 3):
                o[f, y + i] = o[f, y + i] + x[c, y] * w[c, f, i]

    @T.prim_func
    def filled_beside(x: T.Buffer((2, 12), "float32"), w: T.Buffer((2, 2, 3), "float32"), o: T.Buffer((4, 3,
                      14), "float32")):
        for f, g, y in T.grid(4, 3, 14):
            o[f, g, y] = T.float32(0)
        for f, c, y, i in T.grid(4, 2, 12, 3):
            o[f, 2, y + i] = o[f, 2, y + i] + x[c, y] * w[c, 1, i]

    @T.prim_func
    def counted_between(x: T.Buffer((2, 12), "int32"), w: T.Buffer((2, 2, 3), "int32"), o: T.Buffer((2, 14),
                        "int32"), q: T.Buffer((4,), "int32")):
        r: T.int32 = 0
        while r < 4:
            for f, y in T.grid(2, 14):
                o[f, y] = 1
            r = r + 1
            if q[r - 1] > 0:
                continue
            if r == 3:
                break
            for f, c, y, i in T.grid(2, 2, 12, 3):
                o[f, y + i] = o[f, y + i] + x[c, y] * w[c, f, i]
