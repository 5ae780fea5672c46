# error: 21:54 tirb.may_alias names 'X', but unknown has no such parameter
# error: 26:47 tirb.may_alias names 'n', which is no buffer
# error: 31:47 tirb.may_alias pairs 'A' with itself
# error: 36:41 must be a list of pairs of parameters, such as [["A", "B"]], not
# error: 41:40 must be a list of pairs of parameters, such as [["A", "B"]], not
# error: 46:47 must be a list of pairs of parameters, such as [["A", "B"]], not
# error: 52:9 the attribute "tirb.may_alias" is already set
from tvm.script import ir as I
from tvm.script import tirx as T

# The attribute names pairs of buffers that may share memory; buffers have their own names, or that of the parameter.


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def unknown(A: T.Buffer((4,), "float32"), b: T.handle, n: T.int32):
        B = T.match_buffer(b, (4,), "float32")
        T.evaluate(n)
        T.evaluate(n)
        T.func_attr({"tirb.may_alias": [["A", "b"], ["X", "B"]]})

    @T.prim_func(s_tir=True)
    def scalar(A: T.Buffer((4,), "float32"), n: T.int32):
        T.evaluate(n)
        T.func_attr({"tirb.may_alias": [["A", "n"]]})

    @T.prim_func(s_tir=True)
    def itself(A: T.Buffer((4,), "float32")):
        T.evaluate(0)
        T.func_attr({"tirb.may_alias": [["A", "A"]]})

    @T.prim_func(s_tir=True)
    def three(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.evaluate(0)
        T.func_attr({"tirb.may_alias": [["A", "B", "A"]]})

    @T.prim_func(s_tir=True)
    def flag(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.evaluate(0)
        T.func_attr({"tirb.may_alias": True})

    @T.prim_func(s_tir=True)
    def number(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.evaluate(0)
        T.func_attr({"tirb.may_alias": [["A", 1]]})

    @T.prim_func(s_tir=True)
    def again(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.evaluate(0)
        T.func_attr({"tirb.may_alias": [["A", "B"]]})
        T.func_attr({"tirb.may_alias": [["A", "B"]]})
