# Conversions between every pair of machine types. What has no meaning in C has one here: a float that is out of range
# gives the nearest integer of the type, NaN gives 0.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def from_f32(X: T.Buffer(("n",), "float32"), i8: T.Buffer(("n",), "int8"), u8: T.Buffer(("n",), "uint8"), i16: T.Buffer(("n",), "int16"), u16: T.Buffer(("n",), "uint16"), i32: T.Buffer(("n",), "int32"), u32: T.Buffer(("n",), "uint32"), i64: T.Buffer(("n",), "int64"), u64: T.Buffer(("n",), "uint64"), f64: T.Buffer(("n",), "float64"), truth: T.Buffer(("n",), "bool")):
        n = T.int32()
        for i in range(n):
            i8[i] = T.Cast("int8", X[i])
            u8[i] = T.Cast("uint8", X[i])
            i16[i] = T.Cast("int16", X[i])
            u16[i] = T.Cast("uint16", X[i])
            i32[i] = T.Cast("int32", X[i])
            u32[i] = T.Cast("uint32", X[i])
            i64[i] = T.Cast("int64", X[i])
            u64[i] = T.Cast("uint64", X[i])
            f64[i] = T.Cast("float64", X[i])
            truth[i] = T.Cast("bool", X[i])

    @T.prim_func(s_tir=True)
    def from_f64(X: T.Buffer(("n",), "float64"), i8: T.Buffer(("n",), "int8"), u8: T.Buffer(("n",), "uint8"), i32: T.Buffer(("n",), "int32"), u32: T.Buffer(("n",), "uint32"), i64: T.Buffer(("n",), "int64"), u64: T.Buffer(("n",), "uint64"), f32: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            i8[i] = T.Cast("int8", X[i])
            u8[i] = T.Cast("uint8", X[i])
            i32[i] = T.Cast("int32", X[i])
            u32[i] = T.Cast("uint32", X[i])
            i64[i] = T.Cast("int64", X[i])
            u64[i] = T.Cast("uint64", X[i])
            f32[i] = T.Cast("float32", X[i])

    @T.prim_func(s_tir=True)
    def from_i64(X: T.Buffer(("n",), "int64"), i8: T.Buffer(("n",), "int8"), u8: T.Buffer(("n",), "uint8"), i16: T.Buffer(("n",), "int16"), u16: T.Buffer(("n",), "uint16"), i32: T.Buffer(("n",), "int32"), u32: T.Buffer(("n",), "uint32"), u64: T.Buffer(("n",), "uint64"), f32: T.Buffer(("n",), "float32"), f64: T.Buffer(("n",), "float64"), truth: T.Buffer(("n",), "bool")):
        n = T.int32()
        for i in range(n):
            i8[i] = T.Cast("int8", X[i])
            u8[i] = T.Cast("uint8", X[i])
            i16[i] = T.Cast("int16", X[i])
            u16[i] = T.Cast("uint16", X[i])
            i32[i] = T.Cast("int32", X[i])
            u32[i] = T.Cast("uint32", X[i])
            u64[i] = T.Cast("uint64", X[i])
            f32[i] = T.Cast("float32", X[i])
            f64[i] = T.Cast("float64", X[i])
            truth[i] = T.Cast("bool", X[i])

    @T.prim_func(s_tir=True)
    def from_u64(X: T.Buffer(("n",), "uint64"), i8: T.Buffer(("n",), "int8"), i32: T.Buffer(("n",), "int32"), u32: T.Buffer(("n",), "uint32"), i64: T.Buffer(("n",), "int64"), f32: T.Buffer(("n",), "float32"), f64: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            i8[i] = T.Cast("int8", X[i])
            i32[i] = T.Cast("int32", X[i])
            u32[i] = T.Cast("uint32", X[i])
            i64[i] = T.Cast("int64", X[i])
            f32[i] = T.Cast("float32", X[i])
            f64[i] = T.Cast("float64", X[i])

    @T.prim_func(s_tir=True)
    def from_small(A: T.Buffer(("n",), "int8"), B: T.Buffer(("n",), "uint8"), C: T.Buffer(("n",), "bool"), wide: T.Buffer(("n", 6), "int64"), real: T.Buffer(("n", 3), "float32")):
        n = T.int32()
        for i in range(n):
            wide[i, 0] = T.Cast("int64", A[i])
            wide[i, 1] = T.Cast("int64", B[i])
            wide[i, 2] = T.Cast("int64", C[i])
            wide[i, 3] = T.Cast("int64", T.Cast("uint8", A[i]))
            wide[i, 4] = T.Cast("int64", T.Cast("int8", B[i]))
            wide[i, 5] = T.Cast("int64", T.Cast("uint16", A[i]))
            real[i, 0] = T.Cast("float32", A[i])
            real[i, 1] = T.Cast("float32", B[i])
            real[i, 2] = T.Cast("float32", C[i])

    # Long loops of one operation each, which have no other extents in common.
    @T.prim_func(s_tir=True)
    def alone(X: T.Buffer((1301,), "int32"), F: T.Buffer((1301,), "float32"), G: T.Buffer((1301,), "float32"), u8: T.Buffer((1301,), "uint8"), i64: T.Buffer((1300,), "int64"), i32: T.Buffer((1300,), "int32"), real: T.Buffer((1299,), "float32"), f64: T.Buffer((1298,), "float64"), less: T.Buffer((1297,), "bool"), equal: T.Buffer((1296,), "uint8"), ones: T.Buffer((1295,), "uint16")):
        for i in range(1301):
            u8[i] = T.Cast("uint8", X[i])
        for i in range(1300):
            i64[i] = T.Cast("int64", X[i])
        for i in range(1299):
            real[i] = T.Cast("float32", X[i])
        for i in range(1300):
            i32[i] = T.Cast("int32", i64[i])
        for i in range(1298):
            f64[i] = T.Cast("float64", F[i])
        for i in range(1297):
            less[i] = F[i] < G[i]
        for i in range(1296):
            equal[i] = T.Cast("uint8", F[i] == G[i])
        for i in range(1295):
            ones[i] = T.uint16(1)
