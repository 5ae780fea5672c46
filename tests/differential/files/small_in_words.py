# Integers of 8 and 16 bits among numbers of 32 and 64: bits, least and greatest of them, and shifts by constants,
# by what is in memory, by what each lane has, and by what changes in a loop around.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bits_uint8_int32(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"), o: T.Buffer((300,), "int32")):
        for i in range(300):
            o[i] = T.Cast("int32", x[i] & y[i]) + T.Cast("int32", x[i] | T.uint8(9)) + T.Cast("int32", x[i] ^ y[i]) + T.Cast("int32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint8_int32(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"),
            o: T.Buffer((300,), "int32"), q: T.Buffer((300,), "uint8")):
        for i in range(300):
            o[i] = T.Cast("int32", T.max(x[i], T.uint8(77))) * T.Cast("int32", x[i] >> T.uint8(3)) * T.Cast("int32", (x[i] & T.uint8(15)) >> T.uint8(7))
            q[i] = (x[i] >> T.uint8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_uint8_float32(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"),
            o: T.Buffer((300,), "float32")):
        for i in range(300):
            o[i] = T.Cast("float32", x[i] & y[i]) + T.Cast("float32", x[i] | T.uint8(9)) + T.Cast("float32", x[i] ^ y[i]) + T.Cast("float32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint8_float32(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"),
            o: T.Buffer((300,), "float32"), q: T.Buffer((300,), "uint8")):
        for i in range(300):
            o[i] = T.Cast("float32", T.max(x[i], T.uint8(77))) * T.Cast("float32", x[i] >> T.uint8(3)) * T.Cast("float32", (x[i] & T.uint8(15)) >> T.uint8(7))
            q[i] = (x[i] >> T.uint8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_uint8_float64(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"),
            o: T.Buffer((300,), "float64")):
        for i in range(300):
            o[i] = T.Cast("float64", x[i] & y[i]) + T.Cast("float64", x[i] | T.uint8(9)) + T.Cast("float64", x[i] ^ y[i]) + T.Cast("float64", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint8_float64(x: T.Buffer((300,), "uint8"), y: T.Buffer((300,), "uint8"),
            o: T.Buffer((300,), "float64"), q: T.Buffer((300,), "uint8")):
        for i in range(300):
            o[i] = T.Cast("float64", T.max(x[i], T.uint8(77))) * T.Cast("float64", x[i] >> T.uint8(3)) * T.Cast("float64", (x[i] & T.uint8(15)) >> T.uint8(7))
            q[i] = (x[i] >> T.uint8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def far_uint8(x: T.Buffer((200,), "uint8"), k: T.Buffer((2,), "uint8"), y: T.Buffer((200,), "uint8"), o: T.Buffer((200,), "int32"),
            q: T.Buffer((200,), "int32")):
        for i in range(200):
            o[i] = T.Cast("int32", x[i] >> k[0]) + T.Cast("int32", x[i] >> k[1])
            q[i] = T.Cast("int32", x[i] >> y[i]) - i

    @T.prim_func(s_tir=True)
    def around_uint8(x: T.Buffer((6, 150), "uint8"), k: T.Buffer((6,), "uint8"), o: T.Buffer((150,), "float32")):
        for i in range(150):
            o[i] = T.float32(0)
        for j, i in T.grid(6, 150):
            o[i] = o[i] + T.Cast("float32", x[j, i] >> k[j]) + T.Cast("float32", x[j, i] >> T.uint8(1))

    @T.prim_func(s_tir=True)
    def each_bit_uint8(x: T.Buffer((40,), "uint8"), o: T.Buffer((40, 8), "float32")):
        for i, b in T.grid(40, 8):
            o[i, b] = T.Cast("float32", (x[i] >> T.Cast("uint8", b)) & T.uint8(1))

    @T.prim_func(s_tir=True)
    def bits_int8_int32(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"), o: T.Buffer((300,), "int32")):
        for i in range(300):
            o[i] = T.Cast("int32", x[i] & y[i]) + T.Cast("int32", x[i] | T.int8(9)) + T.Cast("int32", x[i] ^ y[i]) + T.Cast("int32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int8_int32(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"), o: T.Buffer((300,), "int32"),
            q: T.Buffer((300,), "int8")):
        for i in range(300):
            o[i] = T.Cast("int32", T.max(x[i], T.int8(77))) * T.Cast("int32", x[i] >> T.int8(3)) * T.Cast("int32", (x[i] & T.int8(15)) >> T.int8(7))
            q[i] = (x[i] >> T.int8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_int8_float32(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"),
            o: T.Buffer((300,), "float32")):
        for i in range(300):
            o[i] = T.Cast("float32", x[i] & y[i]) + T.Cast("float32", x[i] | T.int8(9)) + T.Cast("float32", x[i] ^ y[i]) + T.Cast("float32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int8_float32(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"),
            o: T.Buffer((300,), "float32"), q: T.Buffer((300,), "int8")):
        for i in range(300):
            o[i] = T.Cast("float32", T.max(x[i], T.int8(77))) * T.Cast("float32", x[i] >> T.int8(3)) * T.Cast("float32", (x[i] & T.int8(15)) >> T.int8(7))
            q[i] = (x[i] >> T.int8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_int8_float64(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"),
            o: T.Buffer((300,), "float64")):
        for i in range(300):
            o[i] = T.Cast("float64", x[i] & y[i]) + T.Cast("float64", x[i] | T.int8(9)) + T.Cast("float64", x[i] ^ y[i]) + T.Cast("float64", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int8_float64(x: T.Buffer((300,), "int8"), y: T.Buffer((300,), "int8"),
            o: T.Buffer((300,), "float64"), q: T.Buffer((300,), "int8")):
        for i in range(300):
            o[i] = T.Cast("float64", T.max(x[i], T.int8(77))) * T.Cast("float64", x[i] >> T.int8(3)) * T.Cast("float64", (x[i] & T.int8(15)) >> T.int8(7))
            q[i] = (x[i] >> T.int8(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def far_int8(x: T.Buffer((200,), "int8"), k: T.Buffer((2,), "int8"), y: T.Buffer((200,), "int8"), o: T.Buffer((200,), "int32"),
            q: T.Buffer((200,), "int32")):
        for i in range(200):
            o[i] = T.Cast("int32", x[i] >> k[0]) + T.Cast("int32", x[i] >> k[1])
            q[i] = T.Cast("int32", x[i] >> y[i]) - i

    @T.prim_func(s_tir=True)
    def around_int8(x: T.Buffer((6, 150), "int8"), k: T.Buffer((6,), "int8"), o: T.Buffer((150,), "float32")):
        for i in range(150):
            o[i] = T.float32(0)
        for j, i in T.grid(6, 150):
            o[i] = o[i] + T.Cast("float32", x[j, i] >> k[j]) + T.Cast("float32", x[j, i] >> T.int8(1))

    @T.prim_func(s_tir=True)
    def each_bit_int8(x: T.Buffer((40,), "int8"), o: T.Buffer((40, 8), "float32")):
        for i, b in T.grid(40, 8):
            o[i, b] = T.Cast("float32", (x[i] >> T.Cast("int8", b)) & T.int8(1))

    @T.prim_func(s_tir=True)
    def bits_uint16_int32(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "int32")):
        for i in range(300):
            o[i] = T.Cast("int32", x[i] & y[i]) + T.Cast("int32", x[i] | T.uint16(9)) + T.Cast("int32", x[i] ^ y[i]) + T.Cast("int32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint16_int32(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "int32"), q: T.Buffer((300,), "uint16")):
        for i in range(300):
            o[i] = T.Cast("int32", T.max(x[i], T.uint16(77))) * T.Cast("int32", x[i] >> T.uint16(3)) * T.Cast("int32", (x[i] & T.uint16(15)) >> T.uint16(15))
            q[i] = (x[i] >> T.uint16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_uint16_float32(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "float32")):
        for i in range(300):
            o[i] = T.Cast("float32", x[i] & y[i]) + T.Cast("float32", x[i] | T.uint16(9)) + T.Cast("float32", x[i] ^ y[i]) + T.Cast("float32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint16_float32(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "float32"), q: T.Buffer((300,), "uint16")):
        for i in range(300):
            o[i] = T.Cast("float32", T.max(x[i], T.uint16(77))) * T.Cast("float32", x[i] >> T.uint16(3)) * T.Cast("float32", (x[i] & T.uint16(15)) >> T.uint16(15))
            q[i] = (x[i] >> T.uint16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_uint16_float64(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "float64")):
        for i in range(300):
            o[i] = T.Cast("float64", x[i] & y[i]) + T.Cast("float64", x[i] | T.uint16(9)) + T.Cast("float64", x[i] ^ y[i]) + T.Cast("float64", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_uint16_float64(x: T.Buffer((300,), "uint16"), y: T.Buffer((300,), "uint16"),
            o: T.Buffer((300,), "float64"), q: T.Buffer((300,), "uint16")):
        for i in range(300):
            o[i] = T.Cast("float64", T.max(x[i], T.uint16(77))) * T.Cast("float64", x[i] >> T.uint16(3)) * T.Cast("float64", (x[i] & T.uint16(15)) >> T.uint16(15))
            q[i] = (x[i] >> T.uint16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def far_uint16(x: T.Buffer((200,), "uint16"), k: T.Buffer((2,), "uint16"), y: T.Buffer((200,), "uint16"), o: T.Buffer((200,), "int32"),
            q: T.Buffer((200,), "int32")):
        for i in range(200):
            o[i] = T.Cast("int32", x[i] >> k[0]) + T.Cast("int32", x[i] >> k[1])
            q[i] = T.Cast("int32", x[i] >> y[i]) - i

    @T.prim_func(s_tir=True)
    def around_uint16(x: T.Buffer((6, 150), "uint16"), k: T.Buffer((6,), "uint16"),
            o: T.Buffer((150,), "float32")):
        for i in range(150):
            o[i] = T.float32(0)
        for j, i in T.grid(6, 150):
            o[i] = o[i] + T.Cast("float32", x[j, i] >> k[j]) + T.Cast("float32", x[j, i] >> T.uint16(1))

    @T.prim_func(s_tir=True)
    def each_bit_uint16(x: T.Buffer((40,), "uint16"), o: T.Buffer((40, 16), "float32")):
        for i, b in T.grid(40, 16):
            o[i, b] = T.Cast("float32", (x[i] >> T.Cast("uint16", b)) & T.uint16(1))

    @T.prim_func(s_tir=True)
    def bits_int16_int32(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"), o: T.Buffer((300,), "int32")):
        for i in range(300):
            o[i] = T.Cast("int32", x[i] & y[i]) + T.Cast("int32", x[i] | T.int16(9)) + T.Cast("int32", x[i] ^ y[i]) + T.Cast("int32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int16_int32(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"),
            o: T.Buffer((300,), "int32"), q: T.Buffer((300,), "int16")):
        for i in range(300):
            o[i] = T.Cast("int32", T.max(x[i], T.int16(77))) * T.Cast("int32", x[i] >> T.int16(3)) * T.Cast("int32", (x[i] & T.int16(15)) >> T.int16(15))
            q[i] = (x[i] >> T.int16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_int16_float32(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"),
            o: T.Buffer((300,), "float32")):
        for i in range(300):
            o[i] = T.Cast("float32", x[i] & y[i]) + T.Cast("float32", x[i] | T.int16(9)) + T.Cast("float32", x[i] ^ y[i]) + T.Cast("float32", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int16_float32(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"),
            o: T.Buffer((300,), "float32"), q: T.Buffer((300,), "int16")):
        for i in range(300):
            o[i] = T.Cast("float32", T.max(x[i], T.int16(77))) * T.Cast("float32", x[i] >> T.int16(3)) * T.Cast("float32", (x[i] & T.int16(15)) >> T.int16(15))
            q[i] = (x[i] >> T.int16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def bits_int16_float64(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"),
            o: T.Buffer((300,), "float64")):
        for i in range(300):
            o[i] = T.Cast("float64", x[i] & y[i]) + T.Cast("float64", x[i] | T.int16(9)) + T.Cast("float64", x[i] ^ y[i]) + T.Cast("float64", T.min(x[i], y[i]))

    @T.prim_func(s_tir=True)
    def shifts_int16_float64(x: T.Buffer((300,), "int16"), y: T.Buffer((300,), "int16"),
            o: T.Buffer((300,), "float64"), q: T.Buffer((300,), "int16")):
        for i in range(300):
            o[i] = T.Cast("float64", T.max(x[i], T.int16(77))) * T.Cast("float64", x[i] >> T.int16(3)) * T.Cast("float64", (x[i] & T.int16(15)) >> T.int16(15))
            q[i] = (x[i] >> T.int16(2)) ^ y[i]

    @T.prim_func(s_tir=True)
    def far_int16(x: T.Buffer((200,), "int16"), k: T.Buffer((2,), "int16"), y: T.Buffer((200,), "int16"), o: T.Buffer((200,), "int32"),
            q: T.Buffer((200,), "int32")):
        for i in range(200):
            o[i] = T.Cast("int32", x[i] >> k[0]) + T.Cast("int32", x[i] >> k[1])
            q[i] = T.Cast("int32", x[i] >> y[i]) - i

    @T.prim_func(s_tir=True)
    def around_int16(x: T.Buffer((6, 150), "int16"), k: T.Buffer((6,), "int16"), o: T.Buffer((150,), "float32")):
        for i in range(150):
            o[i] = T.float32(0)
        for j, i in T.grid(6, 150):
            o[i] = o[i] + T.Cast("float32", x[j, i] >> k[j]) + T.Cast("float32", x[j, i] >> T.int16(1))

    @T.prim_func(s_tir=True)
    def each_bit_int16(x: T.Buffer((40,), "int16"), o: T.Buffer((40, 16), "float32")):
        for i, b in T.grid(40, 16):
            o[i, b] = T.Cast("float32", (x[i] >> T.Cast("int16", b)) & T.int16(1))
