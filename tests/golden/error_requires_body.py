# error: 23:9 tirb.requires is 2, but the body of short begins with 1 assertion
# error: 28:9 tirb.requires is 1, but the body of late begins with 0 assertions
# error: 32:9 tirb.requires is 1, but the body of nothing begins with 0 assertions
# error: 38:20 an assertion that tirb.requires counts must compare integers that are made of shape variables, integer
# error: 39:16 an assertion that tirb.requires counts must compare integers
# error: 40:9 an assertion that tirb.requires counts must compare integers
# error: 41:9 an assertion that tirb.requires counts must compare integers
# error: 42:26 an assertion that tirb.requires counts must compare integers
# error: 43:16 an assertion that tirb.requires counts must compare integers
# error: 47:9 packed is a packed function, which checks its arguments itself: it has no tirb.requires
# error: 57:16 no arguments meet this condition: it is false
from tvm.script import ir as I
from tvm.script import tirx as T


# Where the assertions must stand, and what their conditions may mention.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def short(n: T.int32, A: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.requires": 2})
        assert n > 0
        A[0] = n

    @T.prim_func(s_tir=True)
    def late(n: T.int32, A: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.requires": 1})
        A[0] = n
        assert n > 0

    @T.prim_func(s_tir=True)
    def nothing(n: T.int32):
        T.func_attr({"tirb.requires": 1})

    @T.prim_func(s_tir=True)
    def foreign(n: T.int32, flag: T.bool, x: T.float32, A: T.Buffer((4,), "int32")):
        T.func_attr({"tirb.requires": 6})
        assert n > A[0]
        assert n > 0 or n < -5
        assert flag
        assert x > T.float32(0)
        assert n > 3 and (n << 2) > 1
        assert T.Cast("int8", n) > T.int8(1)
        A[0] = n

    @T.prim_func
    def packed(args: T.handle, type_codes: T.handle, num_args: T.int32, ret: T.handle, ret_code: T.handle):
        T.func_attr({"calling_conv": 1, "tirb.requires": 1})
        assert num_args == 0
        T.evaluate(0)

    # What is true for constants alone is no condition.
    @T.prim_func(s_tir=True)
    def never(n: T.int32):
        T.func_attr({"tirb.requires": 3})
        assert n * 0 + 3 > 2 and 4 > 3, "fine"
        assert 3 < 2, "never"
        assert n > 0, "no size"
