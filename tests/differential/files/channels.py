# Recurrences of a few channels beside each other: each goes by itself, where it keeps to itself.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def running_sums(b: T.Buffer(("r + 1", 2), "float32"), a: T.Buffer(("r", 2), "float32")):
        r = T.int32()
        for i in range(r):
            for l in range(2):
                b[i + 1, l] = b[i, l] + a[i, l]

    @T.prim_func(s_tir=True)
    def smoothed(b: T.Buffer(("r", 3), "float32"), a: T.Buffer(("r", 3), "float32")):
        r = T.int32()
        for i in range(1, r):
            for l in range(3):
                b[i, l] = b[i - 1, l] * T.float32(0.9) + a[i, l] * T.float32(0.1)

    @T.prim_func(s_tir=True)
    def smoothed_long(b: T.Buffer((70, 3), "float32"), a: T.Buffer((70, 3), "float32")):
        for i in range(1, 70):
            for l in range(3):
                b[i, l] = b[i - 1, l] * T.float32(0.9) + a[i, l] * T.float32(0.1)

    @T.prim_func(s_tir=True)
    def downwards(b: T.Buffer((90, 4), "int32"), a: T.Buffer((90, 4), "int32")):
        for k in range(89):
            for l in range(4):
                b[88 - k, l] = T.max(b[89 - k, l] - 3, a[k, l])

    @T.prim_func(s_tir=True)
    def of_neighbours(b: T.Buffer((64, 4), "int32"), a: T.Buffer((64, 4), "int32")):
        for i in range(1, 64):
            for l in range(1, 4):
                b[i, l] = b[i - 1, l - 1] + b[i, l - 1] + a[i, l]

    @T.prim_func(s_tir=True)
    def in_one_row(b: T.Buffer((64, 4), "int32"), a: T.Buffer((4,), "int32")):
        for i in range(1, 64):
            for l in range(4):
                b[i, l] = b[i - 1, l] + a[l]

    @T.prim_func(s_tir=True)
    def flat(b: T.Buffer((140,), "int32"), a: T.Buffer((140,), "int32")):
        for i in range(1, 70):
            for l in range(2):
                b[2 * i + l] = b[2 * i - 2 + l] ^ a[2 * i + l]

    @T.prim_func(s_tir=True)
    def by_a_table(b: T.Buffer((80, 2), "int32"), a: T.Buffer((80, 2), "int32"), t: T.Buffer((100,), "int32")):
        for i in range(1, 80):
            for l in range(2):
                b[i, l] = b[i - 1, l] + t[a[i, l]]

    @T.prim_func(s_tir=True)
    def divided(b: T.Buffer((80, 2), "int32"), a: T.Buffer((80, 2), "int32")):
        for i in range(1, 80):
            for l in range(2):
                b[i, l] = b[i - 1, l] + 1000 // a[i, l]

    @T.prim_func(s_tir=True)
    def symbolic(b: T.Buffer(("r", "c"), "int32"), a: T.Buffer(("r", "c"), "int32")):
        r = T.int32()
        c = T.int32()
        for i in range(1, r):
            for l in range(T.min(c, 3)):
                b[i, l] = b[i - 1, l] + a[i, l]
