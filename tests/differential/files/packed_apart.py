# Short rows whose elements are stored apart, several rows in a block: rows that go on as they do in a row and rows that
# do not, beside what each row has for itself, in place, backwards, and more places than there are rows for.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def together_uint8_16_2(x: T.Buffer((40, 16), "uint8"), z: T.Buffer((40,), "uint8"),
            o: T.Buffer((1280,), "uint8")):
        for i, j in T.grid(40, 16):
            o[i * 32 + j * 2 + 0] = x[i, j] * z[i] + T.uint8(0)
            o[i * 32 + j * 2 + 1] = x[i, j] * z[i] + T.uint8(1)

    @T.prim_func(s_tir=True)
    def alone_uint8_16_2(x: T.Buffer((40, 16), "uint8"), z: T.Buffer((40,), "uint8"),
            o: T.Buffer((40, 16, 2), "uint8")):
        for i, j in T.grid(40, 16):
            o[i, j, 1] = x[i, j] * z[i] + T.uint8(3)

    @T.prim_func(s_tir=True)
    def with_gaps_uint8_16_2(x: T.Buffer((40, 16), "uint8"), z: T.Buffer((40,), "uint8"),
            o: T.Buffer((40, 35), "uint8")):
        for i, j in T.grid(40, 16):
            o[i, j * 2 + 0] = x[i, j] + z[i] * T.uint8(1)
            o[i, j * 2 + 1] = x[i, j] + z[i] * T.uint8(2)

    @T.prim_func(s_tir=True)
    def in_place_uint8_16_2(z: T.Buffer((40,), "uint8"), o: T.Buffer((40, 16, 2), "uint8")):
        for i, j in T.grid(40, 16):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_uint8_16_2(z: T.Buffer((40,), "uint8"), o: T.Buffer((41, 16, 2), "uint8")):
        for i, j in T.grid(40, 16):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_uint8_5_3(x: T.Buffer((37, 5), "uint8"), z: T.Buffer((37,), "uint8"),
            o: T.Buffer((555,), "uint8")):
        for i, j in T.grid(37, 5):
            o[i * 15 + j * 3 + 0] = x[i, j] * z[i] + T.uint8(0)
            o[i * 15 + j * 3 + 1] = x[i, j] * z[i] + T.uint8(1)
            o[i * 15 + j * 3 + 2] = x[i, j] * z[i] + T.uint8(2)

    @T.prim_func(s_tir=True)
    def alone_uint8_5_3(x: T.Buffer((37, 5), "uint8"), z: T.Buffer((37,), "uint8"),
            o: T.Buffer((37, 5, 3), "uint8")):
        for i, j in T.grid(37, 5):
            o[i, j, 2] = x[i, j] * z[i] + T.uint8(3)

    @T.prim_func(s_tir=True)
    def with_gaps_uint8_5_3(x: T.Buffer((37, 5), "uint8"), z: T.Buffer((37,), "uint8"),
            o: T.Buffer((37, 18), "uint8")):
        for i, j in T.grid(37, 5):
            o[i, j * 3 + 0] = x[i, j] + z[i] * T.uint8(1)
            o[i, j * 3 + 1] = x[i, j] + z[i] * T.uint8(2)

    @T.prim_func(s_tir=True)
    def in_place_uint8_5_3(z: T.Buffer((37,), "uint8"), o: T.Buffer((37, 5, 3), "uint8")):
        for i, j in T.grid(37, 5):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_uint8_5_3(z: T.Buffer((37,), "uint8"), o: T.Buffer((38, 5, 3), "uint8")):
        for i, j in T.grid(37, 5):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_int16_8_2(x: T.Buffer((33, 8), "int16"), z: T.Buffer((33,), "int16"),
            o: T.Buffer((528,), "int16")):
        for i, j in T.grid(33, 8):
            o[i * 16 + j * 2 + 0] = x[i, j] * z[i] + T.int16(0)
            o[i * 16 + j * 2 + 1] = x[i, j] * z[i] + T.int16(1)

    @T.prim_func(s_tir=True)
    def alone_int16_8_2(x: T.Buffer((33, 8), "int16"), z: T.Buffer((33,), "int16"),
            o: T.Buffer((33, 8, 2), "int16")):
        for i, j in T.grid(33, 8):
            o[i, j, 1] = x[i, j] * z[i] + T.int16(3)

    @T.prim_func(s_tir=True)
    def with_gaps_int16_8_2(x: T.Buffer((33, 8), "int16"), z: T.Buffer((33,), "int16"),
            o: T.Buffer((33, 19), "int16")):
        for i, j in T.grid(33, 8):
            o[i, j * 2 + 0] = x[i, j] + z[i] * T.int16(1)
            o[i, j * 2 + 1] = x[i, j] + z[i] * T.int16(2)

    @T.prim_func(s_tir=True)
    def in_place_int16_8_2(z: T.Buffer((33,), "int16"), o: T.Buffer((33, 8, 2), "int16")):
        for i, j in T.grid(33, 8):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_int16_8_2(z: T.Buffer((33,), "int16"), o: T.Buffer((34, 8, 2), "int16")):
        for i, j in T.grid(33, 8):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_int32_3_4(x: T.Buffer((29, 3), "int32"), z: T.Buffer((29,), "int32"),
            o: T.Buffer((348,), "int32")):
        for i, j in T.grid(29, 3):
            o[i * 12 + j * 4 + 0] = x[i, j] * z[i] + T.int32(0)
            o[i * 12 + j * 4 + 1] = x[i, j] * z[i] + T.int32(1)
            o[i * 12 + j * 4 + 2] = x[i, j] * z[i] + T.int32(2)
            o[i * 12 + j * 4 + 3] = x[i, j] * z[i] + T.int32(3)

    @T.prim_func(s_tir=True)
    def alone_int32_3_4(x: T.Buffer((29, 3), "int32"), z: T.Buffer((29,), "int32"),
            o: T.Buffer((29, 3, 4), "int32")):
        for i, j in T.grid(29, 3):
            o[i, j, 3] = x[i, j] * z[i] + T.int32(3)

    @T.prim_func(s_tir=True)
    def with_gaps_int32_3_4(x: T.Buffer((29, 3), "int32"), z: T.Buffer((29,), "int32"),
            o: T.Buffer((29, 15), "int32")):
        for i, j in T.grid(29, 3):
            o[i, j * 4 + 0] = x[i, j] + z[i] * T.int32(1)
            o[i, j * 4 + 1] = x[i, j] + z[i] * T.int32(2)

    @T.prim_func(s_tir=True)
    def in_place_int32_3_4(z: T.Buffer((29,), "int32"), o: T.Buffer((29, 3, 4), "int32")):
        for i, j in T.grid(29, 3):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_int32_3_4(z: T.Buffer((29,), "int32"), o: T.Buffer((30, 3, 4), "int32")):
        for i, j in T.grid(29, 3):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_float32_16_2(x: T.Buffer((32, 16), "float32"), z: T.Buffer((32,), "float32"),
            o: T.Buffer((1024,), "float32")):
        for i, j in T.grid(32, 16):
            o[i * 32 + j * 2 + 0] = x[i, j] * z[i] + T.float32(0)
            o[i * 32 + j * 2 + 1] = x[i, j] * z[i] + T.float32(1)

    @T.prim_func(s_tir=True)
    def alone_float32_16_2(x: T.Buffer((32, 16), "float32"), z: T.Buffer((32,), "float32"),
            o: T.Buffer((32, 16, 2), "float32")):
        for i, j in T.grid(32, 16):
            o[i, j, 1] = x[i, j] * z[i] + T.float32(3)

    @T.prim_func(s_tir=True)
    def with_gaps_float32_16_2(x: T.Buffer((32, 16), "float32"), z: T.Buffer((32,), "float32"),
            o: T.Buffer((32, 35), "float32")):
        for i, j in T.grid(32, 16):
            o[i, j * 2 + 0] = x[i, j] + z[i] * T.float32(1)
            o[i, j * 2 + 1] = x[i, j] + z[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def in_place_float32_16_2(z: T.Buffer((32,), "float32"), o: T.Buffer((32, 16, 2), "float32")):
        for i, j in T.grid(32, 16):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_float32_16_2(z: T.Buffer((32,), "float32"), o: T.Buffer((33, 16, 2), "float32")):
        for i, j in T.grid(32, 16):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_float32_5_2(x: T.Buffer((21, 5), "float32"), z: T.Buffer((21,), "float32"),
            o: T.Buffer((210,), "float32")):
        for i, j in T.grid(21, 5):
            o[i * 10 + j * 2 + 0] = x[i, j] * z[i] + T.float32(0)
            o[i * 10 + j * 2 + 1] = x[i, j] * z[i] + T.float32(1)

    @T.prim_func(s_tir=True)
    def alone_float32_5_2(x: T.Buffer((21, 5), "float32"), z: T.Buffer((21,), "float32"),
            o: T.Buffer((21, 5, 2), "float32")):
        for i, j in T.grid(21, 5):
            o[i, j, 1] = x[i, j] * z[i] + T.float32(3)

    @T.prim_func(s_tir=True)
    def with_gaps_float32_5_2(x: T.Buffer((21, 5), "float32"), z: T.Buffer((21,), "float32"),
            o: T.Buffer((21, 13), "float32")):
        for i, j in T.grid(21, 5):
            o[i, j * 2 + 0] = x[i, j] + z[i] * T.float32(1)
            o[i, j * 2 + 1] = x[i, j] + z[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def in_place_float32_5_2(z: T.Buffer((21,), "float32"), o: T.Buffer((21, 5, 2), "float32")):
        for i, j in T.grid(21, 5):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_float32_5_2(z: T.Buffer((21,), "float32"), o: T.Buffer((22, 5, 2), "float32")):
        for i, j in T.grid(21, 5):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_float32_2_3(x: T.Buffer((50, 2), "float32"), z: T.Buffer((50,), "float32"),
            o: T.Buffer((300,), "float32")):
        for i, j in T.grid(50, 2):
            o[i * 6 + j * 3 + 0] = x[i, j] * z[i] + T.float32(0)
            o[i * 6 + j * 3 + 1] = x[i, j] * z[i] + T.float32(1)
            o[i * 6 + j * 3 + 2] = x[i, j] * z[i] + T.float32(2)

    @T.prim_func(s_tir=True)
    def alone_float32_2_3(x: T.Buffer((50, 2), "float32"), z: T.Buffer((50,), "float32"),
            o: T.Buffer((50, 2, 3), "float32")):
        for i, j in T.grid(50, 2):
            o[i, j, 2] = x[i, j] * z[i] + T.float32(3)

    @T.prim_func(s_tir=True)
    def with_gaps_float32_2_3(x: T.Buffer((50, 2), "float32"), z: T.Buffer((50,), "float32"),
            o: T.Buffer((50, 9), "float32")):
        for i, j in T.grid(50, 2):
            o[i, j * 3 + 0] = x[i, j] + z[i] * T.float32(1)
            o[i, j * 3 + 1] = x[i, j] + z[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def in_place_float32_2_3(z: T.Buffer((50,), "float32"), o: T.Buffer((50, 2, 3), "float32")):
        for i, j in T.grid(50, 2):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_float32_2_3(z: T.Buffer((50,), "float32"), o: T.Buffer((51, 2, 3), "float32")):
        for i, j in T.grid(50, 2):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_float64_4_2(x: T.Buffer((19, 4), "float64"), z: T.Buffer((19,), "float64"),
            o: T.Buffer((152,), "float64")):
        for i, j in T.grid(19, 4):
            o[i * 8 + j * 2 + 0] = x[i, j] * z[i] + T.float64(0)
            o[i * 8 + j * 2 + 1] = x[i, j] * z[i] + T.float64(1)

    @T.prim_func(s_tir=True)
    def alone_float64_4_2(x: T.Buffer((19, 4), "float64"), z: T.Buffer((19,), "float64"),
            o: T.Buffer((19, 4, 2), "float64")):
        for i, j in T.grid(19, 4):
            o[i, j, 1] = x[i, j] * z[i] + T.float64(3)

    @T.prim_func(s_tir=True)
    def with_gaps_float64_4_2(x: T.Buffer((19, 4), "float64"), z: T.Buffer((19,), "float64"),
            o: T.Buffer((19, 11), "float64")):
        for i, j in T.grid(19, 4):
            o[i, j * 2 + 0] = x[i, j] + z[i] * T.float64(1)
            o[i, j * 2 + 1] = x[i, j] + z[i] * T.float64(2)

    @T.prim_func(s_tir=True)
    def in_place_float64_4_2(z: T.Buffer((19,), "float64"), o: T.Buffer((19, 4, 2), "float64")):
        for i, j in T.grid(19, 4):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_float64_4_2(z: T.Buffer((19,), "float64"), o: T.Buffer((20, 4, 2), "float64")):
        for i, j in T.grid(19, 4):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]

    @T.prim_func(s_tir=True)
    def together_float64_7_3(x: T.Buffer((11, 7), "float64"), z: T.Buffer((11,), "float64"),
            o: T.Buffer((231,), "float64")):
        for i, j in T.grid(11, 7):
            o[i * 21 + j * 3 + 0] = x[i, j] * z[i] + T.float64(0)
            o[i * 21 + j * 3 + 1] = x[i, j] * z[i] + T.float64(1)
            o[i * 21 + j * 3 + 2] = x[i, j] * z[i] + T.float64(2)

    @T.prim_func(s_tir=True)
    def alone_float64_7_3(x: T.Buffer((11, 7), "float64"), z: T.Buffer((11,), "float64"),
            o: T.Buffer((11, 7, 3), "float64")):
        for i, j in T.grid(11, 7):
            o[i, j, 2] = x[i, j] * z[i] + T.float64(3)

    @T.prim_func(s_tir=True)
    def with_gaps_float64_7_3(x: T.Buffer((11, 7), "float64"), z: T.Buffer((11,), "float64"),
            o: T.Buffer((11, 24), "float64")):
        for i, j in T.grid(11, 7):
            o[i, j * 3 + 0] = x[i, j] + z[i] * T.float64(1)
            o[i, j * 3 + 1] = x[i, j] + z[i] * T.float64(2)

    @T.prim_func(s_tir=True)
    def in_place_float64_7_3(z: T.Buffer((11,), "float64"), o: T.Buffer((11, 7, 3), "float64")):
        for i, j in T.grid(11, 7):
            o[i, j, 0] = o[i, j, 0] * z[i] + o[i, j, 1]
            o[i, j, 1] = o[i, j, 1] - z[i]

    @T.prim_func(s_tir=True)
    def next_row_float64_7_3(z: T.Buffer((11,), "float64"), o: T.Buffer((12, 7, 3), "float64")):
        for i, j in T.grid(11, 7):
            o[i + 1, j, 0] = o[i, j, 0] + z[i]
