# Steps of the Collatz sequence.
# expect: f(6) -> 8
# expect: f(1) -> 0
# expect: f(27) -> 111
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(start: T.int32) -> T.int32:
    x = start
    steps = T.int32(0)
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps = steps + 1
    return steps
