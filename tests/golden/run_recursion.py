# expect: factorial(5) -> 120
# expect: even(7) -> 0
# expect: even(8) -> 1
# trap: factorial(1000) -> 15 calls are nested more than 100 deep
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def factorial(n: T.int32) -> T.int32:
        if n <= 1:
            return 1
        return n * M.factorial(n - 1)

    @T.prim_func
    def even(n: T.int32) -> T.int32:
        if n == 0:
            return 1
        return M.odd(n - 1)

    @T.prim_func
    def odd(n: T.int32) -> T.int32:
        if n == 0:
            return 0
        return M.even(n - 1)
