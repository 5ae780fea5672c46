# Functions of C's library with the types that they have there are builtins: no host has to provide them.
# expect: f32s(4xf32=2 3 0.5 -1) -> 8 1.5 0 -0.5
# expect: f64s(3xf64=9 -2.5 2.5) -> 3 -2 2.5
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f32s(A: T.Buffer((4,), "float32")):
        x = A[2]
        A[0] = T.call_pure_extern("float32", "powf", A[0], A[1])
        A[1] = T.call_extern("float32", "fmodf", A[1] + 1.5, A[1])
        A[3] = T.call_pure_extern("float32", "copysignf", x, A[3])
        A[2] = T.call_pure_extern("float32", "floorf", x)

    @T.prim_func(s_tir=True)
    def f64s(A: T.Buffer((3,), "float64")):
        A[0] = T.call_pure_extern("float64", "sqrt", A[0])
        A[2] = T.call_extern("float64", "fabs", A[1])
        A[1] = T.call_pure_extern("float64", "rint", A[1])
