# Storage types: floats of 8, 6 and 4 bits and integers of 4 are a byte each, and computed with as float32 and int8.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def float8_e3m4(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e3m4"), encoded: T.Buffer(("n",), "float8_e3m4"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e3m4", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e4m3(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e4m3"), encoded: T.Buffer(("n",), "float8_e4m3"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e4m3", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e4m3b11fnuz(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e4m3b11fnuz"), encoded: T.Buffer(("n",), "float8_e4m3b11fnuz"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e4m3b11fnuz", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e4m3fn(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e4m3fn"), encoded: T.Buffer(("n",), "float8_e4m3fn"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e4m3fn", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e4m3fnuz(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e4m3fnuz"), encoded: T.Buffer(("n",), "float8_e4m3fnuz"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e4m3fnuz", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e5m2(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e5m2"), encoded: T.Buffer(("n",), "float8_e5m2"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e5m2", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e5m2fnuz(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e5m2fnuz"), encoded: T.Buffer(("n",), "float8_e5m2fnuz"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e5m2fnuz", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float8_e8m0fnu(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float8_e8m0fnu"), encoded: T.Buffer(("n",), "float8_e8m0fnu"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float8_e8m0fnu", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float6_e2m3fn(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float6_e2m3fn"), encoded: T.Buffer(("n",), "float6_e2m3fn"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float6_e2m3fn", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float6_e3m2fn(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float6_e3m2fn"), encoded: T.Buffer(("n",), "float6_e3m2fn"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float6_e3m2fn", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    @T.prim_func(s_tir=True)
    def float4_e2m1fn(X: T.Buffer(("n",), "float32"), codes: T.Buffer(("m",), "float4_e2m1fn"), encoded: T.Buffer(("n",), "float4_e2m1fn"), decoded: T.Buffer(("m",), "float32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            encoded[i] = T.Cast("float4_e2m1fn", X[i])
        for i in range(m):
            decoded[i] = T.Cast("float32", codes[i])

    # Scaled rows in float8, summed in float32.
    @T.prim_func(s_tir=True)
    def scaled_product(A: T.Buffer(("m", "k"), "float8_e4m3fn"), B: T.Buffer(("n", "k"), "float8_e5m2"), scale: T.Buffer(("n",), "float32"), C: T.Buffer(("m", "n"), "float32")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(m, n):
            for p in range(k):
                with T.sblock("C"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * (T.Cast("float32", B[vj, vk]) * scale[vj])

    @T.prim_func(s_tir=True)
    def wrapping_int4(A: T.Buffer(("n",), "int4"), B: T.Buffer(("n",), "int4"), C: T.Buffer(("n",), "int4"), wide: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            C[i] = A[i] * B[i] - A[i]
            wide[i] = T.Cast("int32", A[i]) * T.Cast("int32", B[i])
