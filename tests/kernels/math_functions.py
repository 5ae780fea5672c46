# Every one-argument mathematical function over a vector, then the two-argument ones, powers and roundings.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def table_f32(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n", 24), "float32")):
        n = T.int32()
        for i in range(n):
            x: T.let[T.float32] = X[i]
            p: T.let[T.float32] = T.abs(x) + T.float32(0.125)
            u: T.let[T.float32] = x / (T.abs(x) + T.float32(1.0))
            Y[i, 0] = T.exp(x)
            Y[i, 1] = T.exp2(x)
            Y[i, 2] = T.exp10(x)
            Y[i, 3] = T.log(p)
            Y[i, 4] = T.log2(p)
            Y[i, 5] = T.log10(p)
            Y[i, 6] = T.log1p(p)
            Y[i, 7] = T.sin(x)
            Y[i, 8] = T.cos(x)
            Y[i, 9] = T.tan(u)
            Y[i, 10] = T.asin(u)
            Y[i, 11] = T.acos(u)
            Y[i, 12] = T.atan(x)
            Y[i, 13] = T.sinh(x)
            Y[i, 14] = T.cosh(x)
            Y[i, 15] = T.tanh(x)
            Y[i, 16] = T.asinh(x)
            Y[i, 17] = T.acosh(p + T.float32(1.0))
            Y[i, 18] = T.atanh(u)
            Y[i, 19] = T.sigmoid(x)
            Y[i, 20] = T.erf(x)
            Y[i, 21] = T.sqrt(p)
            Y[i, 22] = T.rsqrt(p)
            Y[i, 23] = T.fabs(x)

    @T.prim_func(s_tir=True)
    def table_f64(X: T.Buffer(("n",), "float64"), Y: T.Buffer(("n", 24), "float64")):
        n = T.int32()
        for i in range(n):
            x: T.let[T.float64] = X[i]
            p: T.let[T.float64] = T.abs(x) + T.float64(0.125)
            u: T.let[T.float64] = x / (T.abs(x) + T.float64(1.0))
            Y[i, 0] = T.exp(x)
            Y[i, 1] = T.exp2(x)
            Y[i, 2] = T.exp10(x)
            Y[i, 3] = T.log(p)
            Y[i, 4] = T.log2(p)
            Y[i, 5] = T.log10(p)
            Y[i, 6] = T.log1p(p)
            Y[i, 7] = T.sin(x)
            Y[i, 8] = T.cos(x)
            Y[i, 9] = T.tan(u)
            Y[i, 10] = T.asin(u)
            Y[i, 11] = T.acos(u)
            Y[i, 12] = T.atan(x)
            Y[i, 13] = T.sinh(x)
            Y[i, 14] = T.cosh(x)
            Y[i, 15] = T.tanh(x)
            Y[i, 16] = T.asinh(x)
            Y[i, 17] = T.acosh(p + T.float64(1.0))
            Y[i, 18] = T.atanh(u)
            Y[i, 19] = T.sigmoid(x)
            Y[i, 20] = T.erf(x)
            Y[i, 21] = T.sqrt(p)
            Y[i, 22] = T.rsqrt(p)
            Y[i, 23] = T.fabs(x)

    @T.prim_func(s_tir=True)
    def two_arguments(X: T.Buffer(("n",), "float32"), Z: T.Buffer(("n",), "float32"), Y: T.Buffer(("n", 7), "float32")):
        n = T.int32()
        for i in range(n):
            Y[i, 0] = T.pow(T.abs(X[i]), Z[i])
            Y[i, 1] = T.atan2(X[i], Z[i])
            Y[i, 2] = T.hypot(X[i], Z[i])
            Y[i, 3] = T.copysign(X[i], Z[i])
            Y[i, 4] = T.nextafter(X[i], Z[i])
            Y[i, 5] = T.min(X[i], Z[i])
            Y[i, 6] = T.max(X[i], Z[i])

    @T.prim_func(s_tir=True)
    def roundings(X: T.Buffer(("n",), "float32"), Y: T.Buffer(("n", 5), "float32"), whole: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            Y[i, 0] = T.floor(X[i])
            Y[i, 1] = T.ceil(X[i])
            Y[i, 2] = T.trunc(X[i])
            Y[i, 3] = T.round(X[i])
            Y[i, 4] = T.nearbyint(X[i])
            whole[i] = T.Cast("int32", X[i])

    # Horner's rule; with fused multiply-add in the first column, which the language lets be exact.
    @T.prim_func(s_tir=True)
    def polynomial(coefficients: T.Buffer(("k",), "float64"), X: T.Buffer(("n",), "float64"), Y: T.Buffer(("n",), "float64")):
        k, n = T.int32(), T.int32()
        for i in range(n):
            value: T.float64 = T.float64(0)
            for j in range(k):
                value = T.fma(value, X[i], coefficients[j])
            Y[i] = value
