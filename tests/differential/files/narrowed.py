# Elements whose index is a sum of casts that keep fewer bits than it has: they are those that another spelling stores.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def in_16_bits(A: T.Buffer((2,), "float32"), B: T.Buffer((16,), "float32"), O: T.Buffer((8, 257, 16), "float32")):
        for j, l, m in T.grid(2, 2, 16):
            O[4, 0, j + l] = T.max(
                O[4, 0, T.Cast("int32", T.Cast("int64", j) + T.int64(4294967296))
                  + T.Cast("int32", T.Cast("uint16", l + 65536))], B[m])
            if l < 1:
                O[0, m * 16, 0] = A[l]

    @T.prim_func
    def in_8_bits(A: T.Buffer((2,), "float32"), B: T.Buffer((16,), "float32"), O: T.Buffer((8, 257, 16), "float32")):
        for j, l, m in T.grid(2, 2, 16):
            O[4, 0, j + l] = T.max(
                O[4, 0, T.Cast("int32", T.Cast("int64", j) + T.int64(4294967296))
                  + T.Cast("int32", T.Cast("int8", l + 256))], B[m])
            if l < 1:
                O[0, m * 16, 0] = A[l]

    @T.prim_func
    def of_sums(A: T.Buffer((2,), "float32"), B: T.Buffer((16,), "float32"), O: T.Buffer((8, 257, 16), "float32")):
        for j, l, m in T.grid(2, 2, 16):
            O[4, 0, j + l] = T.max(
                O[4, 0, T.Cast("int32", T.Cast("int64", T.Cast("uint16", j + 65536) + T.Cast("uint16", l + 131072))
                               + T.int64(4294967296))], B[m])
            if l < 1:
                O[0, m * 16, 0] = A[l]

    @T.prim_func
    def by_symbols(n: T.int32, B: T.Buffer((16,), "float32"), O: T.Buffer((8, 257, 16), "float32")):
        for l, m in T.grid(2, 16):
            O[4, 0, l] = T.max(O[4, 0, T.Cast("int32", T.Cast("int64", T.Cast("uint16", l + (n & 1) * 65536))
                                              + T.int64(4294967296))], B[m])
            O[n & 3, m * 16, 0] = B[l]

    # Names of wide integers get narrower ones beside them: of bytes for one use, of words, which need the wide one, for
    # another.
    @T.prim_func(s_tir=True)
    def named_in_two_widths(A: T.Buffer((64,), "uint8"), B: T.Buffer((64,), "uint8"), Y: T.Buffer((64,), "int32"),
                            Z: T.Buffer((64,), "uint8")):
        for i in range(64):
            sum: T.int32 = T.Cast("int32", A[i]) + T.Cast("int32", B[i])
            product: T.int64 = T.Cast("int64", sum) * T.int64(5) + T.Cast("int64", A[i])
            Y[i] = T.Cast("int32", product * product + product)
            Z[i] = T.Cast("uint8", sum + 3)
