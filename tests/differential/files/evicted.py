# Bytes that are stored apart from lanes of 16 bits, while what other lanes still mean has to be settled before the
# store, which takes the banks.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def both(X: T.Buffer((1000,), "uint8"), Y: T.Buffer((1000,), "int16"), Z: T.Buffer((1000,), "int16"), O: T.Buffer((5000,), "uint8")):
        for i in range(1000):
            x: T.int16 = T.Cast("int16", X[i])
            a: T.int16 = (x + Y[i]) * (Z[i] - Y[i])
            O[i * 5] = T.Cast("uint8", a * a + Z[i])
            O[i * 5 + 1] = T.Cast("uint8", x * T.int16(5) + Y[i])

    @T.prim_func(s_tir=True)
    def mixed(X: T.Buffer((1000,), "uint8"), Y: T.Buffer((1000,), "int16"), Z: T.Buffer((1000,), "int16"), O: T.Buffer((5000,), "uint8"), P: T.Buffer((1000,), "int16")):
        for i in range(1000):
            x: T.int16 = T.Cast("int16", X[i])
            a: T.int16 = (x + Y[i]) * (Z[i] - Y[i])
            O[i * 5] = T.Cast("uint8", a * a + Z[i])
            P[i] = x * T.int16(5)

    @T.prim_func(s_tir=True)
    def two_bytes(X: T.Buffer((1000,), "uint8"), W: T.Buffer((1000,), "uint8"), Y: T.Buffer((1000,), "int16"), O: T.Buffer((5000,), "uint8"), P: T.Buffer((1000,), "int16")):
        for i in range(1000):
            x: T.int16 = T.Cast("int16", X[i])
            w: T.int16 = T.Cast("int16", W[i])
            O[i * 5] = T.Cast("uint8", (x + w) * (x - w) + Y[i])
            P[i] = x * w + Y[i]

    @T.prim_func(s_tir=True)
    def picked(X: T.Buffer((2000,), "int16"), W: T.Buffer((2000,), "int16"), Y: T.Buffer((1000,), "int16"), O: T.Buffer((5000,), "uint8"), P: T.Buffer((1000,), "int16")):
        for i in range(1000):
            x: T.int16 = X[i * 2]
            w: T.int16 = W[i * 2]
            O[i * 5] = T.Cast("uint8", (x + w) * (x - w) + Y[i])
            P[i] = x * w + Y[i]

    @T.prim_func(s_tir=True)
    def blend(A: T.Buffer((1000,), "uint8"), C: T.Buffer((1000, 3), "uint8"), B: T.Buffer((1000, 3), "uint8"), O: T.Buffer((1000, 3), "uint8")):
        for i in range(1000):
            a: T.int16 = T.Cast("int16", A[i])
            O[i, 0] = T.Cast("uint8", (T.Cast("int16", C[i, 0]) * a + T.Cast("int16", B[i, 0]) * (T.int16(255) - a)) // T.int16(4))
            O[i, 1] = T.Cast("uint8", (T.Cast("int16", C[i, 1]) * a + T.Cast("int16", B[i, 1]) * (T.int16(255) - a)) // T.int16(4))
            O[i, 2] = T.Cast("uint8", (T.Cast("int16", C[i, 2]) * a + T.Cast("int16", B[i, 2]) * (T.int16(255) - a)) // T.int16(4))
