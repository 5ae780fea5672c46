# Functions of C's and CUDA's libraries that TVM has no name for, and what they are of special values.
# expect: f32s(6xf32=27 -2.5 2.5 0.5 nan 4) -> 3 -3 3 0 4 0
# expect: f64s(6xf64=5 7 2 inf 0 3) -> 24 -1 0 0 1 5
# expect: f16s(2xf32=-8 0.5) -> -2 -0.5
# expect: bits(3xi32=-1 2139095041 1065353216, 3xi32=0) -> 2143289344 1065353216 1065353216
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f32s(A: T.Buffer((6,), "float32")):
        A[0] = T.call_pure_extern("float32", "cbrtf", A[0])
        A[1] = T.call_pure_extern("float32", "roundf", A[1])
        A[2] = T.call_pure_extern("float32", "roundf", A[2])
        A[3] = T.call_pure_extern("float32", "normcdfinvf", A[3])
        A[4] = T.call_pure_extern("float32", "fmaxf", A[4], A[5])
        A[5] = T.call_pure_extern("float32", "fdimf", A[1], A[5])

    @T.prim_func(s_tir=True)
    def f64s(A: T.Buffer((6,), "float64")):
        A[0] = T.call_pure_extern("float64", "tgamma", A[0])
        A[1] = T.call_pure_extern("float64", "remainder", A[1], A[2])
        A[2] = T.call_pure_extern("float64", "lgamma", A[2])
        A[3] = T.call_pure_extern("float64", "j0", A[3])
        A[5] = T.call_pure_extern("float64", "norm4d", A[5], A[4], T.float64(4.0), A[4])
        A[4] = T.call_pure_extern("float64", "cyl_bessel_i0", A[4])

    @T.prim_func(s_tir=True)
    def f16s(A: T.Buffer((2,), "float32")):
        A[0] = T.Cast("float32", T.call_pure_extern("float16", "cbrt", T.Cast("float16", A[0])))
        A[1] = T.Cast("float32", T.call_pure_extern("float16", "fdivide", T.Cast("float16", A[1]), T.float16(-1.0)))

    # A NaN that fmax gives is canonical; beside a number, which may be a constant, the number comes out.
    @T.prim_func(s_tir=True)
    def bits(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32")):
        for i in range(3):
            x = T.reinterpret("float32", A[i])
            B[i] = T.reinterpret("int32", T.call_pure_extern("float32", "fmaxf", x, T.if_then_else(i == 0, x, T.float32(1.0))))
        B[2] = T.reinterpret("int32", T.call_pure_extern("float32", "fmaxf", T.reinterpret("float32", A[1]), T.float32(1.0)))
