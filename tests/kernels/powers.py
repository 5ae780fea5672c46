# Quotients and remainders of powers of two, in lanes: of any signs, truncated and rounded down, of gathered elements too.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def int8(A: T.Buffer(("n",), "int8"), I: T.Buffer(("n",), "int32"), O: T.Buffer((6, "n"), "int8")):
        n = T.int32()
        for i in range(n):
            O[0, i] = T.truncdiv(A[i], T.int8(16))
            O[1, i] = T.truncmod(A[i], T.int8(16))
            O[2, i] = A[i] // T.int8(64)
            O[3, i] = A[i] % T.int8(64)
            O[4, i] = T.truncmod(T.truncmod(A[I[i]], T.int8(2)) + T.int8(2), T.int8(2))
            O[5, i] = T.truncdiv(A[i] + A[I[i]], T.int8(8))

    @T.prim_func(s_tir=True)
    def int64(A: T.Buffer(("n",), "int64"), I: T.Buffer(("n",), "int32"), O: T.Buffer((6, "n"), "int64")):
        n = T.int32()
        for i in range(n):
            O[0, i] = T.truncdiv(A[i], T.int64(16))
            O[1, i] = T.truncmod(A[i], T.int64(16))
            O[2, i] = A[i] // T.int64(4611686018427387904)
            O[3, i] = A[i] % T.int64(4611686018427387904)
            O[4, i] = T.truncmod(T.truncmod(A[I[i]], T.int64(2)) + T.int64(2), T.int64(2))
            O[5, i] = T.truncdiv(A[i] + A[I[i]], T.int64(8))

    @T.prim_func(s_tir=True)
    def uint32(A: T.Buffer(("n",), "uint32"), I: T.Buffer(("n",), "int32"), O: T.Buffer((6, "n"), "uint32")):
        n = T.int32()
        for i in range(n):
            O[0, i] = T.truncdiv(A[i], T.uint32(16))
            O[1, i] = T.truncmod(A[i], T.uint32(16))
            O[2, i] = A[i] // T.uint32(2147483648)
            O[3, i] = A[i] % T.uint32(2147483648)
            O[4, i] = T.truncmod(T.truncmod(A[I[i]], T.uint32(2)) + T.uint32(2), T.uint32(2))
            O[5, i] = T.truncdiv(A[i] + A[I[i]], T.uint32(8))
