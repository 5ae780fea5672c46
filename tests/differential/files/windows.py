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
