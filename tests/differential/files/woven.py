# Stores of elements apart, two to four, that lie between each other or not: in any order, of all sizes, with loads
# between them, in place, in rows and backwards.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def all_uint8_2(x: T.Buffer((200,), "uint8"), z: T.Buffer((4,), "uint8"), y: T.Buffer((400,), "uint8")):
        for i in range(200):
            v: T.let[T.uint8] = x[i]
            y[2 * i + 1] = v + z[0]
            y[2 * i + 0] = v + z[1]

    @T.prim_func(s_tir=True)
    def all_uint8_3(x: T.Buffer((70,), "uint8"), z: T.Buffer((4,), "uint8"), y: T.Buffer((210,), "uint8")):
        for i in range(70):
            v: T.let[T.uint8] = x[i]
            y[3 * i + 0] = v + z[0]
            y[3 * i + 2] = v + z[1]
            y[3 * i + 1] = v + z[2]

    @T.prim_func(s_tir=True)
    def all_uint8_4(x: T.Buffer((97,), "uint8"), z: T.Buffer((4,), "uint8"), y: T.Buffer((388,), "uint8")):
        for i in range(97):
            v: T.let[T.uint8] = x[i]
            y[4 * i + 3] = v + z[0]
            y[4 * i + 0] = v + z[1]
            y[4 * i + 1] = v + z[2]
            y[4 * i + 2] = v + z[3]

    @T.prim_func(s_tir=True)
    def all_int16_2(x: T.Buffer((200,), "int16"), z: T.Buffer((4,), "int16"), y: T.Buffer((400,), "int16")):
        for i in range(200):
            v: T.let[T.int16] = x[i]
            y[2 * i + 1] = v * T.int16(3) + z[0]
            y[2 * i + 0] = v * T.int16(3) + z[1]

    @T.prim_func(s_tir=True)
    def all_int16_3(x: T.Buffer((70,), "int16"), z: T.Buffer((4,), "int16"), y: T.Buffer((210,), "int16")):
        for i in range(70):
            v: T.let[T.int16] = x[i]
            y[3 * i + 0] = v * T.int16(3) + z[0]
            y[3 * i + 2] = v * T.int16(3) + z[1]
            y[3 * i + 1] = v * T.int16(3) + z[2]

    @T.prim_func(s_tir=True)
    def all_int16_4(x: T.Buffer((97,), "int16"), z: T.Buffer((4,), "int16"), y: T.Buffer((388,), "int16")):
        for i in range(97):
            v: T.let[T.int16] = x[i]
            y[4 * i + 3] = v * T.int16(3) + z[0]
            y[4 * i + 0] = v * T.int16(3) + z[1]
            y[4 * i + 1] = v * T.int16(3) + z[2]
            y[4 * i + 2] = v * T.int16(3) + z[3]

    @T.prim_func(s_tir=True)
    def all_int32_2(x: T.Buffer((200,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((400,), "int32")):
        for i in range(200):
            v: T.let[T.int32] = x[i]
            y[2 * i + 1] = v * 3 + z[0]
            y[2 * i + 0] = v * 3 + z[1]

    @T.prim_func(s_tir=True)
    def all_int32_3(x: T.Buffer((70,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((210,), "int32")):
        for i in range(70):
            v: T.let[T.int32] = x[i]
            y[3 * i + 0] = v * 3 + z[0]
            y[3 * i + 2] = v * 3 + z[1]
            y[3 * i + 1] = v * 3 + z[2]

    @T.prim_func(s_tir=True)
    def all_int32_4(x: T.Buffer((97,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((388,), "int32")):
        for i in range(97):
            v: T.let[T.int32] = x[i]
            y[4 * i + 3] = v * 3 + z[0]
            y[4 * i + 0] = v * 3 + z[1]
            y[4 * i + 1] = v * 3 + z[2]
            y[4 * i + 2] = v * 3 + z[3]

    @T.prim_func(s_tir=True)
    def all_float32_2(x: T.Buffer((200,), "float32"), z: T.Buffer((4,), "float32"), y: T.Buffer((400,), "float32")):
        for i in range(200):
            v: T.let[T.float32] = x[i]
            y[2 * i + 1] = v * T.float32(1.5) + z[0]
            y[2 * i + 0] = v * T.float32(1.5) + z[1]

    @T.prim_func(s_tir=True)
    def all_float32_3(x: T.Buffer((70,), "float32"), z: T.Buffer((4,), "float32"), y: T.Buffer((210,), "float32")):
        for i in range(70):
            v: T.let[T.float32] = x[i]
            y[3 * i + 0] = v * T.float32(1.5) + z[0]
            y[3 * i + 2] = v * T.float32(1.5) + z[1]
            y[3 * i + 1] = v * T.float32(1.5) + z[2]

    @T.prim_func(s_tir=True)
    def all_float32_4(x: T.Buffer((97,), "float32"), z: T.Buffer((4,), "float32"), y: T.Buffer((388,), "float32")):
        for i in range(97):
            v: T.let[T.float32] = x[i]
            y[4 * i + 3] = v * T.float32(1.5) + z[0]
            y[4 * i + 0] = v * T.float32(1.5) + z[1]
            y[4 * i + 1] = v * T.float32(1.5) + z[2]
            y[4 * i + 2] = v * T.float32(1.5) + z[3]

    @T.prim_func(s_tir=True)
    def all_float64_2(x: T.Buffer((200,), "float64"), z: T.Buffer((4,), "float64"), y: T.Buffer((400,), "float64")):
        for i in range(200):
            v: T.let[T.float64] = x[i]
            y[2 * i + 1] = v * T.float64(1.5) + z[0]
            y[2 * i + 0] = v * T.float64(1.5) + z[1]

    @T.prim_func(s_tir=True)
    def all_float64_3(x: T.Buffer((70,), "float64"), z: T.Buffer((4,), "float64"), y: T.Buffer((210,), "float64")):
        for i in range(70):
            v: T.let[T.float64] = x[i]
            y[3 * i + 0] = v * T.float64(1.5) + z[0]
            y[3 * i + 2] = v * T.float64(1.5) + z[1]
            y[3 * i + 1] = v * T.float64(1.5) + z[2]

    @T.prim_func(s_tir=True)
    def all_float64_4(x: T.Buffer((97,), "float64"), z: T.Buffer((4,), "float64"), y: T.Buffer((388,), "float64")):
        for i in range(97):
            v: T.let[T.float64] = x[i]
            y[4 * i + 3] = v * T.float64(1.5) + z[0]
            y[4 * i + 0] = v * T.float64(1.5) + z[1]
            y[4 * i + 1] = v * T.float64(1.5) + z[2]
            y[4 * i + 2] = v * T.float64(1.5) + z[3]

    @T.prim_func(s_tir=True)
    def all_float16_2(x: T.Buffer((200,), "float16"), z: T.Buffer((4,), "float16"), y: T.Buffer((400,), "float16")):
        for i in range(200):
            v: T.let[T.float16] = x[i]
            y[2 * i + 1] = v * T.float16(1.5) + z[0]
            y[2 * i + 0] = v * T.float16(1.5) + z[1]

    @T.prim_func(s_tir=True)
    def all_float16_3(x: T.Buffer((70,), "float16"), z: T.Buffer((4,), "float16"), y: T.Buffer((210,), "float16")):
        for i in range(70):
            v: T.let[T.float16] = x[i]
            y[3 * i + 0] = v * T.float16(1.5) + z[0]
            y[3 * i + 2] = v * T.float16(1.5) + z[1]
            y[3 * i + 1] = v * T.float16(1.5) + z[2]

    @T.prim_func(s_tir=True)
    def all_float16_4(x: T.Buffer((97,), "float16"), z: T.Buffer((4,), "float16"), y: T.Buffer((388,), "float16")):
        for i in range(97):
            v: T.let[T.float16] = x[i]
            y[4 * i + 3] = v * T.float16(1.5) + z[0]
            y[4 * i + 0] = v * T.float16(1.5) + z[1]
            y[4 * i + 1] = v * T.float16(1.5) + z[2]
            y[4 * i + 2] = v * T.float16(1.5) + z[3]

    @T.prim_func(s_tir=True)
    def all_bfloat16_2(x: T.Buffer((200,), "bfloat16"), z: T.Buffer((4,), "bfloat16"), y: T.Buffer((400,), "bfloat16")):
        for i in range(200):
            v: T.let[T.bfloat16] = x[i]
            y[2 * i + 1] = v * T.bfloat16(1.5) + z[0]
            y[2 * i + 0] = v * T.bfloat16(1.5) + z[1]

    @T.prim_func(s_tir=True)
    def all_bfloat16_3(x: T.Buffer((70,), "bfloat16"), z: T.Buffer((4,), "bfloat16"), y: T.Buffer((210,), "bfloat16")):
        for i in range(70):
            v: T.let[T.bfloat16] = x[i]
            y[3 * i + 0] = v * T.bfloat16(1.5) + z[0]
            y[3 * i + 2] = v * T.bfloat16(1.5) + z[1]
            y[3 * i + 1] = v * T.bfloat16(1.5) + z[2]

    @T.prim_func(s_tir=True)
    def all_bfloat16_4(x: T.Buffer((97,), "bfloat16"), z: T.Buffer((4,), "bfloat16"), y: T.Buffer((388,), "bfloat16")):
        for i in range(97):
            v: T.let[T.bfloat16] = x[i]
            y[4 * i + 3] = v * T.bfloat16(1.5) + z[0]
            y[4 * i + 0] = v * T.bfloat16(1.5) + z[1]
            y[4 * i + 1] = v * T.bfloat16(1.5) + z[2]
            y[4 * i + 2] = v * T.bfloat16(1.5) + z[3]

    @T.prim_func(s_tir=True)
    def all_int64_2(x: T.Buffer((200,), "int64"), z: T.Buffer((4,), "int64"), y: T.Buffer((400,), "int64")):
        for i in range(200):
            v: T.let[T.int64] = x[i]
            y[2 * i + 1] = v * T.int64(3) + z[0]
            y[2 * i + 0] = v * T.int64(3) + z[1]

    @T.prim_func(s_tir=True)
    def all_int64_3(x: T.Buffer((70,), "int64"), z: T.Buffer((4,), "int64"), y: T.Buffer((210,), "int64")):
        for i in range(70):
            v: T.let[T.int64] = x[i]
            y[3 * i + 0] = v * T.int64(3) + z[0]
            y[3 * i + 2] = v * T.int64(3) + z[1]
            y[3 * i + 1] = v * T.int64(3) + z[2]

    @T.prim_func(s_tir=True)
    def all_int64_4(x: T.Buffer((97,), "int64"), z: T.Buffer((4,), "int64"), y: T.Buffer((388,), "int64")):
        for i in range(97):
            v: T.let[T.int64] = x[i]
            y[4 * i + 3] = v * T.int64(3) + z[0]
            y[4 * i + 0] = v * T.int64(3) + z[1]
            y[4 * i + 1] = v * T.int64(3) + z[2]
            y[4 * i + 2] = v * T.int64(3) + z[3]

    @T.prim_func(s_tir=True)
    def loads_between(x: T.Buffer((300,), "float32"), c: T.Buffer((100,), "float32"), y: T.Buffer((300,), "float32")):
        for i in range(100):
            y[3 * i] = x[3 * i] + c[i]
            y[3 * i + 1] = x[3 * i + 1] * c[i]
            y[3 * i + 2] = x[3 * i + 2] - x[3 * i]

    @T.prim_func(s_tir=True)
    def in_place(a: T.Buffer((200,), "float32"), c: T.Buffer((100,), "float32")):
        for i in range(100):
            t: T.let[T.float32] = a[2 * i]
            a[2 * i] = a[2 * i + 1] * c[i]
            a[2 * i + 1] = t + a[2 * i]

    @T.prim_func(s_tir=True)
    def with_gaps(x: T.Buffer((100,), "int32"), y: T.Buffer((500,), "int32")):
        for i in range(100):
            y[5 * i] = x[i] + 1
            y[5 * i + 1] = x[i] * 2
            y[5 * i + 4] = x[i] - 3

    @T.prim_func(s_tir=True)
    def three_of_four(x: T.Buffer((100,), "uint8"), y: T.Buffer((400,), "uint8")):
        for i in range(100):
            y[4 * i] = x[i] + T.uint8(1)
            y[4 * i + 1] = x[i] + T.uint8(2)
            y[4 * i + 2] = x[i] + T.uint8(3)

    @T.prim_func(s_tir=True)
    def five(x: T.Buffer((60,), "float32"), y: T.Buffer((300,), "float32")):
        for i in range(60):
            y[5 * i + 0] = x[i] + T.float32(0)
            y[5 * i + 1] = x[i] + T.float32(1)
            y[5 * i + 2] = x[i] + T.float32(2)
            y[5 * i + 3] = x[i] + T.float32(3)
            y[5 * i + 4] = x[i] + T.float32(4)

    @T.prim_func(s_tir=True)
    def backwards(x: T.Buffer((100,), "float32"), y: T.Buffer((200,), "float32")):
        for i in range(100):
            y[198 - 2 * i] = x[i] + T.float32(1)
            y[199 - 2 * i] = x[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def two_buffers(x: T.Buffer((100,), "float32"), y: T.Buffer((200,), "float32"), z: T.Buffer((200,), "float32")):
        for i in range(100):
            y[2 * i] = x[i] + T.float32(1)
            z[2 * i + 1] = x[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def rows_5(x: T.Buffer((6, 10), "float32"), c: T.Buffer((5,), "float32"), y: T.Buffer((6, 10), "float32")):
        for h, d in T.grid(6, 5):
            y[h, 2 * d] = x[h, 2 * d] * c[d] - x[h, 2 * d + 1]
            y[h, 2 * d + 1] = x[h, 2 * d + 1] * c[d] + x[h, 2 * d]

    @T.prim_func(s_tir=True)
    def rows_32(x: T.Buffer((6, 64), "float32"), c: T.Buffer((32,), "float32"), y: T.Buffer((6, 64), "float32")):
        for h, d in T.grid(6, 32):
            y[h, 2 * d] = x[h, 2 * d] * c[d] - x[h, 2 * d + 1]
            y[h, 2 * d + 1] = x[h, 2 * d + 1] * c[d] + x[h, 2 * d]

    @T.prim_func(s_tir=True)
    def rows_33(x: T.Buffer((6, 66), "float32"), c: T.Buffer((33,), "float32"), y: T.Buffer((6, 66), "float32")):
        for h, d in T.grid(6, 33):
            y[h, 2 * d] = x[h, 2 * d] * c[d] - x[h, 2 * d + 1]
            y[h, 2 * d + 1] = x[h, 2 * d + 1] * c[d] + x[h, 2 * d]

    @T.prim_func(s_tir=True)
    def rows_50(x: T.Buffer((6, 100), "float32"), c: T.Buffer((50,), "float32"), y: T.Buffer((6, 100), "float32")):
        for h, d in T.grid(6, 50):
            y[h, 2 * d] = x[h, 2 * d] * c[d] - x[h, 2 * d + 1]
            y[h, 2 * d + 1] = x[h, 2 * d + 1] * c[d] + x[h, 2 * d]

    @T.prim_func(s_tir=True)
    def at_run_time(x: T.Buffer((100,), "float32"), y: T.Buffer((400,), "float32"), k: T.Buffer((2,), "int32")):
        s: T.let[T.int32] = k[0] % 3 + 1
        o: T.let[T.int32] = k[1] % 3
        for i in range(100):
            y[s * i] = x[i] + T.float32(1)
            y[s * i + o] = x[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def other_types(x: T.Buffer((100,), "float32"), y: T.Buffer((200,), "uint8")):
        for i in range(100):
            y[2 * i] = T.cast(T.max(T.min(x[i], T.float32(100)), T.float32(0)), "uint8")
            y[2 * i + 1] = T.cast(T.max(T.min(x[i] * T.float32(3), T.float32(200)), T.float32(0)), "uint8")
