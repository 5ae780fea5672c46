# Elements that are put between each other, taken apart, or picked at even steps, and nothing computed: of all sizes, of
# two to four places, some the same for all, in rows, in other orders, few and many.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def join_uint8_2(a: T.Buffer((9000,), "uint8"), b: T.Buffer((9000,), "uint8"), o: T.Buffer((18000,), "uint8")):
        for i in range(9000):
            o[2 * i + 0] = a[i]
            o[2 * i + 1] = b[i]

    @T.prim_func(s_tir=True)
    def part_uint8_2(x: T.Buffer((18000,), "uint8"), a: T.Buffer((9000,), "uint8"), b: T.Buffer((9000,), "uint8")):
        for i in range(9000):
            a[i] = x[2 * i + 1]
            b[i] = x[2 * i + 0]

    @T.prim_func(s_tir=True)
    def join_uint8_3(a: T.Buffer((130,), "uint8"), b: T.Buffer((130,), "uint8"), c: T.Buffer((130,), "uint8"),
            o: T.Buffer((390,), "uint8")):
        for i in range(130):
            o[3 * i + 1] = b[i]
            o[3 * i + 0] = a[i]
            o[3 * i + 2] = c[i]

    @T.prim_func(s_tir=True)
    def part_uint8_3(x: T.Buffer((390,), "uint8"), a: T.Buffer((130,), "uint8"), b: T.Buffer((130,), "uint8"),
            c: T.Buffer((130,), "uint8")):
        for i in range(130):
            a[i] = x[3 * i + 1]
            b[i] = x[3 * i + 2]
            c[i] = x[3 * i + 0]

    @T.prim_func(s_tir=True)
    def join_uint8_4(a: T.Buffer((31,), "uint8"), b: T.Buffer((31,), "uint8"), c: T.Buffer((31,), "uint8"),
            d: T.Buffer((31,), "uint8"), o: T.Buffer((124,), "uint8")):
        for i in range(31):
            o[4 * i + 0] = a[i]
            o[4 * i + 2] = c[i]
            o[4 * i + 1] = b[i]
            o[4 * i + 3] = d[i]

    @T.prim_func(s_tir=True)
    def part_uint8_4(x: T.Buffer((124,), "uint8"), a: T.Buffer((31,), "uint8"), b: T.Buffer((31,), "uint8"),
            c: T.Buffer((31,), "uint8"), d: T.Buffer((31,), "uint8")):
        for i in range(31):
            a[i] = x[4 * i + 1]
            b[i] = x[4 * i + 2]
            c[i] = x[4 * i + 3]
            d[i] = x[4 * i + 0]

    @T.prim_func(s_tir=True)
    def with_one_for_all_uint8(x: T.Buffer((3, 301), "uint8"), z: T.Buffer((2,), "uint8"),
            o: T.Buffer((301, 4), "uint8")):
        for i in range(301):
            o[i, 0] = x[2, i]
            o[i, 1] = x[1, i]
            o[i, 2] = x[0, i]
            o[i, 3] = z[1]

    @T.prim_func(s_tir=True)
    def with_a_constant_uint8(x: T.Buffer((530,), "uint8"), o: T.Buffer((530, 2), "uint8")):
        for i in range(530):
            o[i, 0] = x[i]
            o[i, 1] = T.uint8(7)

    @T.prim_func(s_tir=True)
    def in_rows_uint8(x: T.Buffer((7, 45), "uint8"), y: T.Buffer((7, 45), "uint8"), z: T.Buffer((7,), "uint8"),
            o: T.Buffer((7, 140), "uint8")):
        for i, j in T.grid(7, 45):
            o[i, 3 * j] = x[i, j]
            o[i, 3 * j + 1] = z[i]
            o[i, 3 * j + 2] = y[i, j]

    @T.prim_func(s_tir=True)
    def twice_uint8(x: T.Buffer((9, 41), "uint8"), o: T.Buffer((18, 82), "uint8")):
        for i, j in T.grid(18, 82):
            o[i, j] = x[i // 2, j // 2]

    @T.prim_func(s_tir=True)
    def beside_itself_uint8(x: T.Buffer((212,), "uint8"), o: T.Buffer((422,), "uint8")):
        for i in range(211):
            o[2 * i] = x[i]
            o[2 * i + 1] = x[i + 1]

    @T.prim_func(s_tir=True)
    def even_steps_uint8(x: T.Buffer((1204,), "uint8"), o: T.Buffer((602,), "uint8"), y: T.Buffer((301,), "uint8"),
            z: T.Buffer((301,), "uint8")):
        for i in range(301):
            o[2 * i] = x[4 * i]
            y[i] = x[4 * i + 1]
            o[2 * i + 1] = x[4 * i + 2]
            z[i] = x[4 * i + 3]

    @T.prim_func(s_tir=True)
    def steps_in_rows_uint8(x: T.Buffer((6, 96), "uint8"), o: T.Buffer((6, 31), "uint8"),
            y: T.Buffer((6, 24), "uint8"), z: T.Buffer((6, 19), "uint8")):
        for i, j in T.grid(6, 31):
            o[i, j] = x[i, 3 * j + 2]
        for i, j in T.grid(6, 24):
            y[i, j] = x[i, 95 - 4 * j]
        for i, j in T.grid(6, 19):
            z[i, j] = x[5 - i, 5 * j + 1]

    @T.prim_func(s_tir=True)
    def any_number_uint8(x: T.handle, y: T.handle, o: T.handle):
        n = T.int32()
        a = T.match_buffer(x, (n,), "uint8")
        b = T.match_buffer(y, (2 * n,), "uint8")
        c = T.match_buffer(o, (3 * n,), "uint8")
        for i in range(n):
            c[3 * i] = a[n - 1 - i]
            c[3 * i + 1] = b[2 * i]
            c[3 * i + 2] = b[2 * i + 1]

    @T.prim_func(s_tir=True)
    def join_int16_2(a: T.Buffer((5,), "int16"), b: T.Buffer((5,), "int16"), o: T.Buffer((10,), "int16")):
        for i in range(5):
            o[2 * i + 0] = a[i]
            o[2 * i + 1] = b[i]

    @T.prim_func(s_tir=True)
    def part_int16_2(x: T.Buffer((10,), "int16"), a: T.Buffer((5,), "int16"), b: T.Buffer((5,), "int16")):
        for i in range(5):
            a[i] = x[2 * i + 1]
            b[i] = x[2 * i + 0]

    @T.prim_func(s_tir=True)
    def join_int16_3(a: T.Buffer((67,), "int16"), b: T.Buffer((67,), "int16"), c: T.Buffer((67,), "int16"),
            o: T.Buffer((201,), "int16")):
        for i in range(67):
            o[3 * i + 1] = b[i]
            o[3 * i + 0] = a[i]
            o[3 * i + 2] = c[i]

    @T.prim_func(s_tir=True)
    def part_int16_3(x: T.Buffer((201,), "int16"), a: T.Buffer((67,), "int16"), b: T.Buffer((67,), "int16"),
            c: T.Buffer((67,), "int16")):
        for i in range(67):
            a[i] = x[3 * i + 1]
            b[i] = x[3 * i + 2]
            c[i] = x[3 * i + 0]

    @T.prim_func(s_tir=True)
    def join_int16_4(a: T.Buffer((1000,), "int16"), b: T.Buffer((1000,), "int16"), c: T.Buffer((1000,), "int16"),
            d: T.Buffer((1000,), "int16"), o: T.Buffer((4000,), "int16")):
        for i in range(1000):
            o[4 * i + 0] = a[i]
            o[4 * i + 2] = c[i]
            o[4 * i + 1] = b[i]
            o[4 * i + 3] = d[i]

    @T.prim_func(s_tir=True)
    def part_int16_4(x: T.Buffer((4000,), "int16"), a: T.Buffer((1000,), "int16"), b: T.Buffer((1000,), "int16"),
            c: T.Buffer((1000,), "int16"), d: T.Buffer((1000,), "int16")):
        for i in range(1000):
            a[i] = x[4 * i + 1]
            b[i] = x[4 * i + 2]
            c[i] = x[4 * i + 3]
            d[i] = x[4 * i + 0]

    @T.prim_func(s_tir=True)
    def with_one_for_all_int16(x: T.Buffer((3, 301), "int16"), z: T.Buffer((2,), "int16"),
            o: T.Buffer((301, 4), "int16")):
        for i in range(301):
            o[i, 0] = x[2, i]
            o[i, 1] = x[1, i]
            o[i, 2] = x[0, i]
            o[i, 3] = z[1]

    @T.prim_func(s_tir=True)
    def with_a_constant_int16(x: T.Buffer((530,), "int16"), o: T.Buffer((530, 2), "int16")):
        for i in range(530):
            o[i, 0] = x[i]
            o[i, 1] = T.int16(7)

    @T.prim_func(s_tir=True)
    def in_rows_int16(x: T.Buffer((7, 45), "int16"), y: T.Buffer((7, 45), "int16"), z: T.Buffer((7,), "int16"),
            o: T.Buffer((7, 140), "int16")):
        for i, j in T.grid(7, 45):
            o[i, 3 * j] = x[i, j]
            o[i, 3 * j + 1] = z[i]
            o[i, 3 * j + 2] = y[i, j]

    @T.prim_func(s_tir=True)
    def twice_int16(x: T.Buffer((9, 41), "int16"), o: T.Buffer((18, 82), "int16")):
        for i, j in T.grid(18, 82):
            o[i, j] = x[i // 2, j // 2]

    @T.prim_func(s_tir=True)
    def beside_itself_int16(x: T.Buffer((212,), "int16"), o: T.Buffer((422,), "int16")):
        for i in range(211):
            o[2 * i] = x[i]
            o[2 * i + 1] = x[i + 1]

    @T.prim_func(s_tir=True)
    def even_steps_int16(x: T.Buffer((1204,), "int16"), o: T.Buffer((602,), "int16"), y: T.Buffer((301,), "int16"),
            z: T.Buffer((301,), "int16")):
        for i in range(301):
            o[2 * i] = x[4 * i]
            y[i] = x[4 * i + 1]
            o[2 * i + 1] = x[4 * i + 2]
            z[i] = x[4 * i + 3]

    @T.prim_func(s_tir=True)
    def steps_in_rows_int16(x: T.Buffer((6, 96), "int16"), o: T.Buffer((6, 31), "int16"),
            y: T.Buffer((6, 24), "int16"), z: T.Buffer((6, 19), "int16")):
        for i, j in T.grid(6, 31):
            o[i, j] = x[i, 3 * j + 2]
        for i, j in T.grid(6, 24):
            y[i, j] = x[i, 95 - 4 * j]
        for i, j in T.grid(6, 19):
            z[i, j] = x[5 - i, 5 * j + 1]

    @T.prim_func(s_tir=True)
    def any_number_int16(x: T.handle, y: T.handle, o: T.handle):
        n = T.int32()
        a = T.match_buffer(x, (n,), "int16")
        b = T.match_buffer(y, (2 * n,), "int16")
        c = T.match_buffer(o, (3 * n,), "int16")
        for i in range(n):
            c[3 * i] = a[n - 1 - i]
            c[3 * i + 1] = b[2 * i]
            c[3 * i + 2] = b[2 * i + 1]

    @T.prim_func(s_tir=True)
    def join_float32_2(a: T.Buffer((5,), "float32"), b: T.Buffer((5,), "float32"), o: T.Buffer((10,), "float32")):
        for i in range(5):
            o[2 * i + 0] = a[i]
            o[2 * i + 1] = b[i]

    @T.prim_func(s_tir=True)
    def part_float32_2(x: T.Buffer((10,), "float32"), a: T.Buffer((5,), "float32"), b: T.Buffer((5,), "float32")):
        for i in range(5):
            a[i] = x[2 * i + 1]
            b[i] = x[2 * i + 0]

    @T.prim_func(s_tir=True)
    def join_float32_3(a: T.Buffer((67,), "float32"), b: T.Buffer((67,), "float32"), c: T.Buffer((67,), "float32"),
            o: T.Buffer((201,), "float32")):
        for i in range(67):
            o[3 * i + 1] = b[i]
            o[3 * i + 0] = a[i]
            o[3 * i + 2] = c[i]

    @T.prim_func(s_tir=True)
    def part_float32_3(x: T.Buffer((201,), "float32"), a: T.Buffer((67,), "float32"),
            b: T.Buffer((67,), "float32"), c: T.Buffer((67,), "float32")):
        for i in range(67):
            a[i] = x[3 * i + 1]
            b[i] = x[3 * i + 2]
            c[i] = x[3 * i + 0]

    @T.prim_func(s_tir=True)
    def join_float32_4(a: T.Buffer((1000,), "float32"), b: T.Buffer((1000,), "float32"),
            c: T.Buffer((1000,), "float32"), d: T.Buffer((1000,), "float32"), o: T.Buffer((4000,), "float32")):
        for i in range(1000):
            o[4 * i + 0] = a[i]
            o[4 * i + 2] = c[i]
            o[4 * i + 1] = b[i]
            o[4 * i + 3] = d[i]

    @T.prim_func(s_tir=True)
    def part_float32_4(x: T.Buffer((4000,), "float32"), a: T.Buffer((1000,), "float32"),
            b: T.Buffer((1000,), "float32"), c: T.Buffer((1000,), "float32"), d: T.Buffer((1000,), "float32")):
        for i in range(1000):
            a[i] = x[4 * i + 1]
            b[i] = x[4 * i + 2]
            c[i] = x[4 * i + 3]
            d[i] = x[4 * i + 0]

    @T.prim_func(s_tir=True)
    def with_one_for_all_float32(x: T.Buffer((3, 301), "float32"), z: T.Buffer((2,), "float32"),
            o: T.Buffer((301, 4), "float32")):
        for i in range(301):
            o[i, 0] = x[2, i]
            o[i, 1] = x[1, i]
            o[i, 2] = x[0, i]
            o[i, 3] = z[1]

    @T.prim_func(s_tir=True)
    def with_a_constant_float32(x: T.Buffer((530,), "float32"), o: T.Buffer((530, 2), "float32")):
        for i in range(530):
            o[i, 0] = x[i]
            o[i, 1] = T.float32(7)

    @T.prim_func(s_tir=True)
    def in_rows_float32(x: T.Buffer((7, 45), "float32"), y: T.Buffer((7, 45), "float32"),
            z: T.Buffer((7,), "float32"), o: T.Buffer((7, 140), "float32")):
        for i, j in T.grid(7, 45):
            o[i, 3 * j] = x[i, j]
            o[i, 3 * j + 1] = z[i]
            o[i, 3 * j + 2] = y[i, j]

    @T.prim_func(s_tir=True)
    def twice_float32(x: T.Buffer((9, 41), "float32"), o: T.Buffer((18, 82), "float32")):
        for i, j in T.grid(18, 82):
            o[i, j] = x[i // 2, j // 2]

    @T.prim_func(s_tir=True)
    def beside_itself_float32(x: T.Buffer((212,), "float32"), o: T.Buffer((422,), "float32")):
        for i in range(211):
            o[2 * i] = x[i]
            o[2 * i + 1] = x[i + 1]

    @T.prim_func(s_tir=True)
    def even_steps_float32(x: T.Buffer((1204,), "float32"), o: T.Buffer((602,), "float32"),
            y: T.Buffer((301,), "float32"), z: T.Buffer((301,), "float32")):
        for i in range(301):
            o[2 * i] = x[4 * i]
            y[i] = x[4 * i + 1]
            o[2 * i + 1] = x[4 * i + 2]
            z[i] = x[4 * i + 3]

    @T.prim_func(s_tir=True)
    def steps_in_rows_float32(x: T.Buffer((6, 96), "float32"), o: T.Buffer((6, 31), "float32"),
            y: T.Buffer((6, 24), "float32"), z: T.Buffer((6, 19), "float32")):
        for i, j in T.grid(6, 31):
            o[i, j] = x[i, 3 * j + 2]
        for i, j in T.grid(6, 24):
            y[i, j] = x[i, 95 - 4 * j]
        for i, j in T.grid(6, 19):
            z[i, j] = x[5 - i, 5 * j + 1]

    @T.prim_func(s_tir=True)
    def any_number_float32(x: T.handle, y: T.handle, o: T.handle):
        n = T.int32()
        a = T.match_buffer(x, (n,), "float32")
        b = T.match_buffer(y, (2 * n,), "float32")
        c = T.match_buffer(o, (3 * n,), "float32")
        for i in range(n):
            c[3 * i] = a[n - 1 - i]
            c[3 * i + 1] = b[2 * i]
            c[3 * i + 2] = b[2 * i + 1]

    @T.prim_func(s_tir=True)
    def join_float64_2(a: T.Buffer((5,), "float64"), b: T.Buffer((5,), "float64"), o: T.Buffer((10,), "float64")):
        for i in range(5):
            o[2 * i + 0] = a[i]
            o[2 * i + 1] = b[i]

    @T.prim_func(s_tir=True)
    def part_float64_2(x: T.Buffer((10,), "float64"), a: T.Buffer((5,), "float64"), b: T.Buffer((5,), "float64")):
        for i in range(5):
            a[i] = x[2 * i + 1]
            b[i] = x[2 * i + 0]

    @T.prim_func(s_tir=True)
    def join_float64_3(a: T.Buffer((67,), "float64"), b: T.Buffer((67,), "float64"), c: T.Buffer((67,), "float64"),
            o: T.Buffer((201,), "float64")):
        for i in range(67):
            o[3 * i + 1] = b[i]
            o[3 * i + 0] = a[i]
            o[3 * i + 2] = c[i]

    @T.prim_func(s_tir=True)
    def part_float64_3(x: T.Buffer((201,), "float64"), a: T.Buffer((67,), "float64"),
            b: T.Buffer((67,), "float64"), c: T.Buffer((67,), "float64")):
        for i in range(67):
            a[i] = x[3 * i + 1]
            b[i] = x[3 * i + 2]
            c[i] = x[3 * i + 0]

    @T.prim_func(s_tir=True)
    def join_float64_4(a: T.Buffer((1000,), "float64"), b: T.Buffer((1000,), "float64"),
            c: T.Buffer((1000,), "float64"), d: T.Buffer((1000,), "float64"), o: T.Buffer((4000,), "float64")):
        for i in range(1000):
            o[4 * i + 0] = a[i]
            o[4 * i + 2] = c[i]
            o[4 * i + 1] = b[i]
            o[4 * i + 3] = d[i]

    @T.prim_func(s_tir=True)
    def part_float64_4(x: T.Buffer((4000,), "float64"), a: T.Buffer((1000,), "float64"),
            b: T.Buffer((1000,), "float64"), c: T.Buffer((1000,), "float64"), d: T.Buffer((1000,), "float64")):
        for i in range(1000):
            a[i] = x[4 * i + 1]
            b[i] = x[4 * i + 2]
            c[i] = x[4 * i + 3]
            d[i] = x[4 * i + 0]

    @T.prim_func(s_tir=True)
    def with_one_for_all_float64(x: T.Buffer((3, 301), "float64"), z: T.Buffer((2,), "float64"),
            o: T.Buffer((301, 4), "float64")):
        for i in range(301):
            o[i, 0] = x[2, i]
            o[i, 1] = x[1, i]
            o[i, 2] = x[0, i]
            o[i, 3] = z[1]

    @T.prim_func(s_tir=True)
    def with_a_constant_float64(x: T.Buffer((530,), "float64"), o: T.Buffer((530, 2), "float64")):
        for i in range(530):
            o[i, 0] = x[i]
            o[i, 1] = T.float64(7)

    @T.prim_func(s_tir=True)
    def in_rows_float64(x: T.Buffer((7, 45), "float64"), y: T.Buffer((7, 45), "float64"),
            z: T.Buffer((7,), "float64"), o: T.Buffer((7, 140), "float64")):
        for i, j in T.grid(7, 45):
            o[i, 3 * j] = x[i, j]
            o[i, 3 * j + 1] = z[i]
            o[i, 3 * j + 2] = y[i, j]

    @T.prim_func(s_tir=True)
    def twice_float64(x: T.Buffer((9, 41), "float64"), o: T.Buffer((18, 82), "float64")):
        for i, j in T.grid(18, 82):
            o[i, j] = x[i // 2, j // 2]

    @T.prim_func(s_tir=True)
    def beside_itself_float64(x: T.Buffer((212,), "float64"), o: T.Buffer((422,), "float64")):
        for i in range(211):
            o[2 * i] = x[i]
            o[2 * i + 1] = x[i + 1]

    @T.prim_func(s_tir=True)
    def even_steps_float64(x: T.Buffer((1204,), "float64"), o: T.Buffer((602,), "float64"),
            y: T.Buffer((301,), "float64"), z: T.Buffer((301,), "float64")):
        for i in range(301):
            o[2 * i] = x[4 * i]
            y[i] = x[4 * i + 1]
            o[2 * i + 1] = x[4 * i + 2]
            z[i] = x[4 * i + 3]

    @T.prim_func(s_tir=True)
    def steps_in_rows_float64(x: T.Buffer((6, 96), "float64"), o: T.Buffer((6, 31), "float64"),
            y: T.Buffer((6, 24), "float64"), z: T.Buffer((6, 19), "float64")):
        for i, j in T.grid(6, 31):
            o[i, j] = x[i, 3 * j + 2]
        for i, j in T.grid(6, 24):
            y[i, j] = x[i, 95 - 4 * j]
        for i, j in T.grid(6, 19):
            z[i, j] = x[5 - i, 5 * j + 1]

    @T.prim_func(s_tir=True)
    def any_number_float64(x: T.handle, y: T.handle, o: T.handle):
        n = T.int32()
        a = T.match_buffer(x, (n,), "float64")
        b = T.match_buffer(y, (2 * n,), "float64")
        c = T.match_buffer(o, (3 * n,), "float64")
        for i in range(n):
            c[3 * i] = a[n - 1 - i]
            c[3 * i + 1] = b[2 * i]
            c[3 * i + 2] = b[2 * i + 1]
