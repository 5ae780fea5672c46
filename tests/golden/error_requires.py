# error: 14:39 tirb.requires must be the number of assertions, at the beginning of the body, that arguments must meet
# error: 19:39 tirb.requires must be the number of assertions, at the beginning of the body, that arguments must meet
# error: 24:39 tirb.requires must be the number of assertions, at the beginning of the body, that arguments must meet
# error: 30:9 the attribute "tirb.requires" is already set
from tvm.script import ir as I
from tvm.script import tirx as T

# What the attribute may be.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def words(n: T.int32):
        assert n > 0
        T.func_attr({"tirb.requires": "1"})

    @T.prim_func(s_tir=True)
    def zero(n: T.int32):
        assert n > 0
        T.func_attr({"tirb.requires": 0})

    @T.prim_func(s_tir=True)
    def flag(n: T.int32):
        assert n > 0
        T.func_attr({"tirb.requires": True})

    @T.prim_func(s_tir=True)
    def again(n: T.int32):
        assert n > 0
        T.func_attr({"tirb.requires": 1})
        T.func_attr({"tirb.requires": 1})
