# error: 14:9 passing a buffer with strides to a parameter without
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def g(A: T.Buffer((2, 2), "float32")):
        A[0, 0] = 1.0

    @T.prim_func
    def f(A: T.Buffer((4, 4), "float32")):
        M.g(A[0:2, 0:2])
