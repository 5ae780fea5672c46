# What is padded, or computed, for windows that read it: made ahead of them for some channels at a time.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def depthwise(o: T.Buffer((12, 7, 9), "float32"), x: T.Buffer((12, 7, 9), "float32"), w: T.Buffer((12, 3, 3), "float32")):
        pad = T.alloc_buffer((12, 9, 11))
        for c, y, i in T.grid(12, 9, 11):
            pad[c, y, i] = T.if_then_else(1 <= y and y < 8 and 1 <= i and i < 10, x[c, y - 1, i - 1], T.float32(0))
        for c, y, i in T.grid(12, 7, 9):
            o[c, y, i] = T.float32(0)
            for r, s in T.grid(3, 3):
                o[c, y, i] = o[c, y, i] + pad[c, y + r, i + s] * w[c, r, s]

    @T.prim_func(s_tir=True)
    def depthwise_with_bias(o: T.Buffer((12, 8, 8), "float32"), x: T.Buffer((12, 16, 16), "float32"), w: T.Buffer((12, 3, 3), "float32"), b: T.Buffer((12,), "float32")):
        pad = T.alloc_buffer((12, 18, 18))
        sums = T.alloc_buffer((12, 8, 8))
        for c, y, i in T.grid(12, 18, 18):
            pad[c, y, i] = T.if_then_else(1 <= y and y < 17 and 1 <= i and i < 17, x[c, y - 1, i - 1], T.float32(0))
        for c, y, i in T.grid(12, 8, 8):
            sums[c, y, i] = T.float32(0)
            for r, s in T.grid(3, 3):
                sums[c, y, i] = sums[c, y, i] + pad[c, y * 2 + r, i * 2 + s] * w[c, r, s]
        for c, y, i in T.grid(12, 8, 8):
            o[c, y, i] = T.max(sums[c, y, i] + b[c], T.float32(0))

    @T.prim_func(s_tir=True)
    def pool(o: T.Buffer((2, 9, 6, 7), "float32"), x: T.Buffer((2, 9, 6, 7), "float32")):
        pad = T.alloc_buffer((2, 9, 8, 9))
        for n, c, y, i in T.grid(2, 9, 8, 9):
            pad[n, c, y, i] = T.if_then_else(1 <= y and y < 7 and 1 <= i and i < 8, x[n, c, y - 1, i - 1], T.float32(-100))
        for n, c, y, i in T.grid(2, 9, 6, 7):
            o[n, c, y, i] = T.float32(-100)
            for r, s in T.grid(3, 3):
                o[n, c, y, i] = T.max(o[n, c, y, i], pad[n, c, y + r, i + s])

    @T.prim_func(s_tir=True)
    def rows_of_any_number(o: T.Buffer(("n", 30), "float32"), x: T.Buffer(("n", 32), "float32")):
        n = T.int32()
        t = T.alloc_buffer((n, 32))
        for c, i in T.grid(n, 32):
            t[c, i] = T.exp(x[c, i])
        for c, i in T.grid(n, 30):
            o[c, i] = t[c, i] + t[c, i + 1] * T.float32(2) + t[c, i + 2]

    @T.prim_func(s_tir=True)
    def in_the_next_row(o: T.Buffer((15, 30), "float32"), x: T.Buffer((16, 32), "float32")):
        t = T.alloc_buffer((16, 32))
        for c, i in T.grid(16, 32):
            t[c, i] = T.exp(x[c, i])
        for c, i in T.grid(15, 30):
            o[c, i] = t[c, i] + t[c + 1, i + 2]

    @T.prim_func(s_tir=True)
    def read_elsewhere(o: T.Buffer((16, 30), "float32"), q: T.Buffer((16,), "float32"), x: T.Buffer((16, 32), "float32")):
        t = T.alloc_buffer((16, 32))
        for c, i in T.grid(16, 32):
            t[c, i] = x[c, i] * x[c, i]
        for c, i in T.grid(16, 30):
            o[c, i] = t[c, i] + t[c, i + 1] + t[c, i + 2]
        for c in range(16):
            q[c] = t[15 - c, 31]

    @T.prim_func(s_tir=True)
    def beyond_the_image(o: T.Buffer((17, 5, 6), "float32"), x: T.Buffer((6, 5, 6), "float32"), w: T.Buffer((17, 6, 3, 3), "float32")):
        for k, y, i in T.grid(17, 5, 6):
            o[k, y, i] = T.float32(0)
            for c, r, s in T.grid(6, 3, 3):
                o[k, y, i] = o[k, y, i] + T.if_then_else(8 <= y + r * 8 and y + r * 8 < 13 and 8 <= i + s * 8 and i + s * 8 < 14, x[c, y + r * 8 - 8, i + s * 8 - 8], T.float32(0)) * w[k, c, r, s]

    @T.prim_func(s_tir=True)
    def apart_by_more_than_there_are(o: T.Buffer((9, 4, 3), "float32"), x: T.Buffer((5, 40, 29), "float32"), w: T.Buffer((9, 5, 3, 2), "float32")):
        for k, y, i in T.grid(9, 4, 3):
            o[k, y, i] = T.float32(0)
            for c, r, s in T.grid(5, 3, 2):
                o[k, y, i] = o[k, y, i] + T.exp(x[c, y + r * 12, i + s * 20]) * w[k, c, r, s]

    @T.prim_func(s_tir=True)
    def small_images(o: T.Buffer((45, 2, 2), "float32"), x: T.Buffer((45, 2, 2), "float32"), w: T.Buffer((45, 3, 3), "float32")):
        for c, y, i in T.grid(45, 2, 2):
            o[c, y, i] = T.float32(0)
            for r, s in T.grid(3, 3):
                o[c, y, i] = o[c, y, i] + T.if_then_else(1 <= y + r and y + r < 3 and 1 <= i + s and i + s < 3, x[c, y + r - 1, i + s - 1], T.float32(0)) * w[c, r, s]

    @T.prim_func(s_tir=True)
    def small_images_by_steps(o: T.Buffer((70, 3, 3), "int32"), x: T.Buffer((70, 7, 7), "int8"), w: T.Buffer((70, 3, 3), "int8")):
        for c, y, i in T.grid(70, 3, 3):
            o[c, y, i] = 0
            for r, s in T.grid(3, 3):
                o[c, y, i] = o[c, y, i] + T.Cast("int32", x[c, y * 2 + r, i * 2 + s]) * T.Cast("int32", w[c, r, s])
