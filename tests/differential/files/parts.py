# Rows of many lengths that end in parts of blocks: updates in place beside a row that all of them read, which ends where
# its buffer does, and may change from one time to the next; and several stores in one row.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def in_place_1(a: T.Buffer((9, 1), "float32"), b: T.Buffer((9,), "float32"), c: T.Buffer((1,), "float32")):
        for i, j in T.grid(9, 1):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_7(a: T.Buffer((5, 7), "float64"), b: T.Buffer((5,), "float64"), c: T.Buffer((7,), "float64")):
        for i, j in T.grid(5, 7):
            a[i, j] = a[i, j] * T.float64(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_8(a: T.Buffer((4, 8), "int32"), b: T.Buffer((4,), "int32"), c: T.Buffer((8,), "int32")):
        for i, j in T.grid(4, 8):
            a[i, j] = a[i, j] * T.int32(3) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_15(a: T.Buffer((9, 15), "float32"), b: T.Buffer((9,), "float32"), c: T.Buffer((15,), "float32")):
        for i, j in T.grid(9, 15):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_16(a: T.Buffer((4, 16), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((16,), "float32")):
        for i, j in T.grid(4, 16):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_17(a: T.Buffer((6, 17), "int32"), b: T.Buffer((6,), "int32"), c: T.Buffer((17,), "int32")):
        for i, j in T.grid(6, 17):
            a[i, j] = a[i, j] * T.int32(3) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_31(a: T.Buffer((5, 31), "float32"), b: T.Buffer((5,), "float32"), c: T.Buffer((31,), "float32")):
        for i, j in T.grid(5, 31):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_33(a: T.Buffer((4, 33), "float64"), b: T.Buffer((4,), "float64"), c: T.Buffer((33,), "float64")):
        for i, j in T.grid(4, 33):
            a[i, j] = a[i, j] * T.float64(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_47(a: T.Buffer((4, 47), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((47,), "float32")):
        for i, j in T.grid(4, 47):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_49(a: T.Buffer((7, 49), "float32"), b: T.Buffer((7,), "float32"), c: T.Buffer((49,), "float32")):
        for i, j in T.grid(7, 49):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_64(a: T.Buffer((5, 64), "float32"), b: T.Buffer((5,), "float32"), c: T.Buffer((64,), "float32")):
        for i, j in T.grid(5, 64):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_100(a: T.Buffer((4, 100), "int32"), b: T.Buffer((4,), "int32"), c: T.Buffer((100,), "int32")):
        for i, j in T.grid(4, 100):
            a[i, j] = a[i, j] * T.int32(3) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_128(a: T.Buffer((5, 128), "float32"), b: T.Buffer((5,), "float32"), c: T.Buffer((128,), "float32")):
        for i, j in T.grid(5, 128):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_130(a: T.Buffer((4, 130), "float64"), b: T.Buffer((4,), "float64"), c: T.Buffer((130,), "float64")):
        for i, j in T.grid(4, 130):
            a[i, j] = a[i, j] * T.float64(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_200(a: T.Buffer((4, 200), "uint8"), b: T.Buffer((4,), "uint8"), c: T.Buffer((200,), "uint8")):
        for i, j in T.grid(4, 200):
            a[i, j] = a[i, j] * T.uint8(3) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_96(a: T.Buffer((3, 96), "float32"), b: T.Buffer((3,), "float32"), c: T.Buffer((96,), "float32")):
        for i, j in T.grid(3, 96):
            a[i, j] = a[i, j] * T.float32(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def in_place_72(a: T.Buffer((4, 72), "float16"), b: T.Buffer((4,), "float16"), c: T.Buffer((72,), "float16")):
        for i, j in T.grid(4, 72):
            a[i, j] = a[i, j] * T.float16(0.5) + b[i] * c[j]

    @T.prim_func(s_tir=True)
    def halves_5(x: T.Buffer((3, 4, 10), "float32"), c: T.Buffer((3, 5), "float32"), s: T.Buffer((3, 5), "float32"), y: T.Buffer((3, 4, 10), "float32")):
        for t, h, d in T.grid(3, 4, 5):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 5] * s[t, d]
            y[t, h, d + 5] = x[t, h, d + 5] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def halves_16(x: T.Buffer((3, 3, 32), "float32"), c: T.Buffer((3, 16), "float32"), s: T.Buffer((3, 16), "float32"), y: T.Buffer((3, 3, 32), "float32")):
        for t, h, d in T.grid(3, 3, 16):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 16] * s[t, d]
            y[t, h, d + 16] = x[t, h, d + 16] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def halves_32(x: T.Buffer((3, 8, 64), "float32"), c: T.Buffer((3, 32), "float32"), s: T.Buffer((3, 32), "float32"), y: T.Buffer((3, 8, 64), "float32")):
        for t, h, d in T.grid(3, 8, 32):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 32] * s[t, d]
            y[t, h, d + 32] = x[t, h, d + 32] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def halves_33(x: T.Buffer((3, 8, 66), "int32"), c: T.Buffer((3, 33), "int32"), s: T.Buffer((3, 33), "int32"), y: T.Buffer((3, 8, 66), "int32")):
        for t, h, d in T.grid(3, 8, 33):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 33] * s[t, d]
            y[t, h, d + 33] = x[t, h, d + 33] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def halves_24(x: T.Buffer((3, 5, 48), "float64"), c: T.Buffer((3, 24), "float64"), s: T.Buffer((3, 24), "float64"), y: T.Buffer((3, 5, 48), "float64")):
        for t, h, d in T.grid(3, 5, 24):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 24] * s[t, d]
            y[t, h, d + 24] = x[t, h, d + 24] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def halves_50(x: T.Buffer((3, 4, 100), "float32"), c: T.Buffer((3, 50), "float32"), s: T.Buffer((3, 50), "float32"), y: T.Buffer((3, 4, 100), "float32")):
        for t, h, d in T.grid(3, 4, 50):
            y[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, d + 50] * s[t, d]
            y[t, h, d + 50] = x[t, h, d + 50] * c[t, d] + x[t, h, d] * s[t, d]

    @T.prim_func(s_tir=True)
    def again_9(a: T.Buffer((5, 9), "float32"), c: T.Buffer((9,), "float32")):
        for t in range(4):
            for i, j in T.grid(5, 9):
                a[i, j] = a[i, j] - c[j] * T.float32(0.5)
            for j in range(9):
                c[j] = c[j] + a[t % 5, j]

    @T.prim_func(s_tir=True)
    def again_40(a: T.Buffer((6, 40), "float32"), c: T.Buffer((40,), "float32")):
        for t in range(4):
            for i, j in T.grid(6, 40):
                a[i, j] = a[i, j] - c[j] * T.float32(0.5)
            for j in range(40):
                c[j] = c[j] + a[t % 6, j]

    @T.prim_func(s_tir=True)
    def again_65(a: T.Buffer((4, 65), "int32"), c: T.Buffer((65,), "int32")):
        for t in range(4):
            for i, j in T.grid(4, 65):
                a[i, j] = a[i, j] - c[j] * T.int32(3)
            for j in range(65):
                c[j] = c[j] + a[t % 4, j]

    @T.prim_func(s_tir=True)
    def again_20(a: T.Buffer((4, 20), "float64"), c: T.Buffer((20,), "float64")):
        for t in range(4):
            for i, j in T.grid(4, 20):
                a[i, j] = a[i, j] - c[j] * T.float64(0.5)
            for j in range(20):
                c[j] = c[j] + a[t % 4, j]

    @T.prim_func(s_tir=True)
    def two_still_20(a: T.Buffer((4, 20), "float32"), c: T.Buffer((20,), "float32"), d: T.Buffer((2, 20), "float32"), m: T.Buffer((20,), "uint8")):
        for i, j in T.grid(4, 20):
            if m[j] > T.uint8(100):
                a[i, j] = a[i, j] * d[1, j] + c[j]

    @T.prim_func(s_tir=True)
    def two_still_70(a: T.Buffer((5, 70), "float32"), c: T.Buffer((70,), "float32"), d: T.Buffer((2, 70), "float32"), m: T.Buffer((70,), "uint8")):
        for i, j in T.grid(5, 70):
            if m[j] > T.uint8(100):
                a[i, j] = a[i, j] * d[1, j] + c[j]

    @T.prim_func(s_tir=True)
    def nine_still(a: T.Buffer((6, 20), "float32"), c0: T.Buffer((20,), "float32"), c1: T.Buffer((20,), "float32"), c2: T.Buffer((20,), "float32"), c3: T.Buffer((20,), "float32"), c4: T.Buffer((20,), "float32"), c5: T.Buffer((20,), "float32"), c6: T.Buffer((20,), "float32"), c7: T.Buffer((20,), "float32"), c8: T.Buffer((20,), "float32")):
        for i, j in T.grid(6, 20):
            a[i, j] = a[i, j] * c0[j] + c1[j] * c2[j] + c3[j] * c4[j] + c5[j] * c6[j] + c7[j] * c8[j]
