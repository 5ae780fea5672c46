# Zero-dimensional buffers, scalar parameters of every kind, and values returned.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def add_scalars(A: T.Buffer((), "float32"), B: T.Buffer((), "float32"), T_add: T.Buffer((), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("T_add"):
            vi = T.axis.spatial(1, 0)
            T.reads(A[()], B[()])
            T.writes(T_add[()])
            T_add[()] = A[()] + B[()]

    @T.prim_func(s_tir=True)
    def broadcast(A: T.Buffer((), "int64"), B: T.Buffer(("n",), "int64")):
        n = T.int32()
        for i in range(n):
            B[i] = A[()] + T.Cast("int64", i)

    @T.prim_func(s_tir=True)
    def clamp_scale(X: T.Buffer(("n",), "float32"), low: T.float32, high: T.float32, scale: T.float64, shift: T.int8, enable: T.bool, Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            Y[i] = T.if_then_else(enable, T.Cast("float64", T.max(T.min(X[i], high), low)) * scale + T.Cast("float64", shift), T.Cast("float64", X[i]))

    @T.prim_func(s_tir=True)
    def hypotenuse(a: T.float64, b: T.float64) -> T.float64:
        return T.sqrt(a * a + b * b)

    @T.prim_func(s_tir=True)
    def days(year: T.int32, month: T.int32) -> T.int32:
        if month == 2:
            if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
                return 29
            else:
                return 28
        elif month == 4 or month == 6 or month == 9 or month == 11:
            return 30
        else:
            return 31

    @T.prim_func(s_tir=True)
    def is_leap(year: T.int64) -> T.bool:
        return year % T.int64(4) == T.int64(0) and (year % T.int64(100) != T.int64(0) or year % T.int64(400) == T.int64(0))

    # Newton's method for the square root, until it stands still.
    @T.prim_func(s_tir=True)
    def newton(a: T.float64) -> T.float64:
        x: T.float64 = T.max(a, T.float64(1))
        last: T.float64 = T.float64(0)
        while x != last:
            last = x
            x = T.min((x + a / x) * T.float64(0.5), x)
        return x
