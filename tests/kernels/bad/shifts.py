# Constants that cannot be: found when the program is compiled.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def shift(a: T.int32) -> T.int32:
        return T.shift_left(a, 32)  # error: 32

    @T.prim_func(s_tir=True)
    def zero(a: T.int32) -> T.int32:
        return a // 0  # error: zero

    @T.prim_func(s_tir=True)
    def literal(A: T.Buffer((1,), "uint8")):
        A[0] = T.uint8(256)  # error: 256
