# Special functions of C's library, which TVM calls and this compiler has itself, and those of CUDA's.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def c_functions_f32(X: T.Buffer(("n",), "float32"), Z: T.Buffer(("n",), "float32"), Y: T.Buffer(("n", 14), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i, 0] = T.call_pure_extern("float32", "cbrtf", X[i])
            Y[i, 1] = T.call_pure_extern("float32", "erfcf", X[i])
            Y[i, 2] = T.call_pure_extern("float32", "tgammaf", X[i])
            Y[i, 3] = T.call_pure_extern("float32", "lgammaf", X[i])
            Y[i, 4] = T.call_pure_extern("float32", "j0f", X[i])
            Y[i, 5] = T.call_pure_extern("float32", "j1f", X[i])
            Y[i, 6] = T.call_pure_extern("float32", "y0f", X[i])
            Y[i, 7] = T.call_pure_extern("float32", "y1f", X[i])
            Y[i, 8] = T.call_pure_extern("float32", "logbf", X[i])
            Y[i, 9] = T.call_pure_extern("float32", "roundf", X[i])
            Y[i, 10] = T.call_pure_extern("float32", "fdimf", Z[i], X[i])
            Y[i, 11] = T.call_pure_extern("float32", "fmaxf", Z[i], X[i])
            Y[i, 12] = T.call_pure_extern("float32", "fminf", Z[i], X[i])
            Y[i, 13] = T.call_pure_extern("float32", "remainderf", Z[i], X[i])

    @T.prim_func(s_tir=True)
    def cuda_functions_f32(X: T.Buffer(("n",), "float32"), P: T.Buffer(("n",), "float32"), Y: T.Buffer(("n", 15), "float32")):
        n = T.int32()
        for i in range(n):
            x: T.let[T.float32] = X[i]
            p: T.let[T.float32] = P[i]
            Y[i, 0] = T.call_pure_extern("float32", "sinpif", x)
            Y[i, 1] = T.call_pure_extern("float32", "cospif", x)
            Y[i, 2] = T.call_pure_extern("float32", "erfcxf", x)
            Y[i, 3] = T.call_pure_extern("float32", "normcdff", x)
            Y[i, 4] = T.call_pure_extern("float32", "cyl_bessel_i0f", x)
            Y[i, 5] = T.call_pure_extern("float32", "cyl_bessel_i1f", x)
            Y[i, 6] = T.call_pure_extern("float32", "rcbrtf", x)
            Y[i, 7] = T.call_pure_extern("float32", "erfinvf", p)
            Y[i, 8] = T.call_pure_extern("float32", "erfcinvf", p)
            Y[i, 9] = T.call_pure_extern("float32", "normcdfinvf", p)
            Y[i, 10] = T.call_pure_extern("float32", "rhypotf", x, p)
            Y[i, 11] = T.call_pure_extern("float32", "norm3df", x, p, x)
            Y[i, 12] = T.call_pure_extern("float32", "rnorm3df", x, p, p)
            Y[i, 13] = T.call_pure_extern("float32", "norm4df", x, p, x, p)
            Y[i, 14] = T.call_pure_extern("float32", "rnorm4df", p, x, x, x)

    @T.prim_func(s_tir=True)
    def c_functions_f64(X: T.Buffer(("n",), "float64"), Z: T.Buffer(("n",), "float64"), Y: T.Buffer(("n", 14), "float64")):
        n = T.int32()
        for i in range(n):
            Y[i, 0] = T.call_pure_extern("float64", "cbrt", X[i])
            Y[i, 1] = T.call_pure_extern("float64", "erfc", X[i])
            Y[i, 2] = T.call_pure_extern("float64", "tgamma", X[i])
            Y[i, 3] = T.call_pure_extern("float64", "lgamma", X[i])
            Y[i, 4] = T.call_pure_extern("float64", "j0", X[i])
            Y[i, 5] = T.call_pure_extern("float64", "j1", X[i])
            Y[i, 6] = T.call_pure_extern("float64", "y0", X[i])
            Y[i, 7] = T.call_pure_extern("float64", "y1", X[i])
            Y[i, 8] = T.call_pure_extern("float64", "logb", X[i])
            Y[i, 9] = T.call_pure_extern("float64", "round", X[i])
            Y[i, 10] = T.call_pure_extern("float64", "fdim", Z[i], X[i])
            Y[i, 11] = T.call_pure_extern("float64", "fmax", Z[i], X[i])
            Y[i, 12] = T.call_pure_extern("float64", "fmin", Z[i], X[i])
            Y[i, 13] = T.call_pure_extern("float64", "remainder", Z[i], X[i])

    @T.prim_func(s_tir=True)
    def cuda_functions_f64(X: T.Buffer(("n",), "float64"), P: T.Buffer(("n",), "float64"), Y: T.Buffer(("n", 15), "float64")):
        n = T.int32()
        for i in range(n):
            x: T.let[T.float64] = X[i]
            p: T.let[T.float64] = P[i]
            Y[i, 0] = T.call_pure_extern("float64", "sinpi", x)
            Y[i, 1] = T.call_pure_extern("float64", "cospi", x)
            Y[i, 2] = T.call_pure_extern("float64", "erfcx", x)
            Y[i, 3] = T.call_pure_extern("float64", "normcdf", x)
            Y[i, 4] = T.call_pure_extern("float64", "cyl_bessel_i0", x)
            Y[i, 5] = T.call_pure_extern("float64", "cyl_bessel_i1", x)
            Y[i, 6] = T.call_pure_extern("float64", "rcbrt", x)
            Y[i, 7] = T.call_pure_extern("float64", "erfinv", p)
            Y[i, 8] = T.call_pure_extern("float64", "erfcinv", p)
            Y[i, 9] = T.call_pure_extern("float64", "normcdfinv", p)
            Y[i, 10] = T.call_pure_extern("float64", "rhypot", x, p)
            Y[i, 11] = T.call_pure_extern("float64", "norm3d", x, p, x)
            Y[i, 12] = T.call_pure_extern("float64", "rnorm3d", x, p, p)
            Y[i, 13] = T.call_pure_extern("float64", "norm4d", x, p, x, p)
            Y[i, 14] = T.call_pure_extern("float64", "rnorm4d", p, x, x, x)
