# Bits that are read as a float stay what they are: the sign of a NaN among them is there to be copied.
# expect: f(4xf32=1 2 3 4, 4xi32=-5 -2147483648 2143289344 2147483647) -> -1 -2 3 4
# expect: h(f32=2, i32=-5) -> -2
# expect: g(4xf32=1 2 3 4, 4xi16=-5 -32768 32256 32767, 4xf32=0) -> -1 -2 3 4
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            A[i] = T.copysign(A[i], T.reinterpret("float32", B[i]))

    @T.prim_func(s_tir=True)
    def g(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int16"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = T.Cast("float32", T.copysign(T.Cast("float16", A[i]), T.reinterpret("float16", B[i])))

    @T.prim_func(s_tir=True)
    def h(A: T.Buffer((), "float32"), B: T.Buffer((), "int32")):
        A[()] = T.copysign(A[()], T.reinterpret("float32", B[()]))
