# Calls of a function that takes a pointer: all of a buffer, or what follows one of its elements.
# expect: main(4xf32=0, 2x4xf32=0) -> 2 2 1 0, 2 1 0 0 2 1 0 0
# expect: other(0, 3xf32=5) -> 6 6 5
from tvm.script import ir as I
from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(p: T.handle, n: T.int32):
        P = T.decl_buffer((3,), "float32", data=p)
        for i in range(n):
            P[i] = P[i] + T.float32(1)
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 4), "float32")):
        Module.f(A.data, 2)
        Module.f(A, 3)
        for i in range(2):
            Module.f(T.address_of(B[i, 0]), 1)
            Module.f(B[i, 0:4], 2)
    @T.prim_func(s_tir=True)
    def other(h: T.handle, g: T.handle("float32")):
        Module.f(g, 2)
