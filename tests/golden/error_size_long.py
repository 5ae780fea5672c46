# error: 22:13 a size of a parameter has more than 64 terms
from tvm.script import ir as I
from tvm.script import tirx as T


# A size of a parameter is a program of 64 terms at most: n and 31 sums with it are 63 of them, 32 sums 65.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fits(x: T.Buffer(("n",), "float32"), y: T.handle):
        n = T.int32()
        Y = T.match_buffer(y, (
            n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n
            + n + n + n + n + n + n + n + n,
        ), "float32")
        Y[0] = x[0]

    @T.prim_func(s_tir=True)
    def long(x: T.Buffer(("n",), "float32"), y: T.handle):
        n = T.int32()
        Y = T.match_buffer(y, (
            n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n
            + n + n + n + n + n + n + n + n + n,
        ), "float32")
        Y[0] = x[0]
