# Elementwise: each output element from the elements beside it.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def saxpy(a: T.float32, X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i] = a * X[i] + Y[i]

    @T.prim_func(s_tir=True)
    def relu_affine(X: T.Buffer(("n", "m"), "float32"), scale: T.Buffer(("m",), "float32"), shift: T.Buffer(("m",), "float32"), Y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(X[vi, vj] * scale[vj] + shift[vj], T.float32(0))

    # Eight operations, each a nest of its own with a buffer between, as an operator library writes them.
    @T.prim_func(s_tir=True)
    def chain8(X: T.Buffer(("n",), "float32"), a: T.float32, b: T.float32, Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        t0 = T.sblock_alloc_buffer((n,))
        t1 = T.sblock_alloc_buffer((n,))
        t2 = T.sblock_alloc_buffer((n,))
        t3 = T.sblock_alloc_buffer((n,))
        t4 = T.sblock_alloc_buffer((n,))
        t5 = T.sblock_alloc_buffer((n,))
        t6 = T.sblock_alloc_buffer((n,))
        for i in range(n):
            with T.sblock("t0"):
                vi = T.axis.spatial(n, i)
                t0[vi] = X[vi] + a
        for i in range(n):
            with T.sblock("t1"):
                vi = T.axis.spatial(n, i)
                t1[vi] = t0[vi] * b
        for i in range(n):
            with T.sblock("t2"):
                vi = T.axis.spatial(n, i)
                t2[vi] = t1[vi] - X[vi]
        for i in range(n):
            with T.sblock("t3"):
                vi = T.axis.spatial(n, i)
                t3[vi] = T.max(t2[vi], T.float32(-0.5))
        for i in range(n):
            with T.sblock("t4"):
                vi = T.axis.spatial(n, i)
                t4[vi] = T.min(t3[vi], T.float32(0.75))
        for i in range(n):
            with T.sblock("t5"):
                vi = T.axis.spatial(n, i)
                t5[vi] = t4[vi] * t4[vi]
        for i in range(n):
            with T.sblock("t6"):
                vi = T.axis.spatial(n, i)
                t6[vi] = T.abs(t5[vi] - b)
        for i in range(n):
            with T.sblock("Y"):
                vi = T.axis.spatial(n, i)
                Y[vi] = t6[vi] + X[vi]

    # The same eight operations in one statement.
    @T.prim_func(s_tir=True)
    def chain8_fused(X: T.Buffer(("n",), "float32"), a: T.float32, b: T.float32, Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            t = T.min(T.max((X[i] + a) * b - X[i], T.float32(-0.5)), T.float32(0.75))
            Y[i] = T.abs(t * t - b) + X[i]

    @T.prim_func(s_tir=True)
    def polynomial10(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            x = X[i]
            Y[i] = (((((((((x * T.float32(0.1) + T.float32(0.2)) * x - T.float32(0.3)) * x + T.float32(0.4)) * x - T.float32(0.5)) * x + T.float32(0.6)) * x - T.float32(0.7)) * x + T.float32(0.8)) * x - T.float32(0.9)) * x + T.float32(1)) * x

    # Requantised: a 7-bit fixed-point scale, rounded, clipped to int8.
    @T.prim_func(s_tir=True)
    def clip_scale_i8(X: T.Buffer(("n",), "int8"), scale: T.int32, Y: T.Buffer(("n",), "int8")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.Cast("int8", T.max(T.min(T.shift_right(T.Cast("int32", X[i]) * scale + 64, 7), 127), -128))

    @T.prim_func(s_tir=True)
    def scale_f16(X: T.Buffer(("n",), "float16"), Y: T.Buffer(("n",), "float16")):
        n = T.int32()
        for i in range(n):
            Y[i] = X[i] * T.float16(0.75)

    @T.prim_func(s_tir=True)
    def blend_u8(A: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "uint8"), alpha: T.Buffer(("n",), "uint8"), Y: T.Buffer(("n",), "uint8")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.Cast("uint8", T.shift_right(T.Cast("int32", A[i]) * T.Cast("int32", alpha[i]) + T.Cast("int32", B[i]) * (255 - T.Cast("int32", alpha[i])) + 128, 8))
