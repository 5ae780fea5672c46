# Assertions: the message and its place come out.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def positive(n: T.int32) -> T.int32:
        assert n > 0, "n must be positive"  # here: positive
        return n * 2

    @T.prim_func(s_tir=True)
    def in_parts(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        assert n % 2 == 0, ("ValueError", ["the length ", "must be even"])  # here: in_parts
        for i in range(n):
            A[i] = 0
