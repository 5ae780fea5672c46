# Nothing is bound here: a program runs until it calls what the host does not provide. C's math functions of other types
# than C's are imports like any other.
# expect: f(4xi32=1 2 3 4, 0) -> 1 2 3 4
# trap: f(4xi32=1 2 3 4, 1) -> 14 the program calls print(int32[], int32) -> int32, which the host does not provide
# trap: g(4xi32=1 2 3 4) -> 18 the program calls sinf(int32) -> float32, which
from tvm.script import tirx as T
from tvm.script import ir as I

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "int32"), n: T.int32):
        for i in range(n):
            T.evaluate(T.call_packed("print", A.data, i))

    @T.prim_func(s_tir=True)
    def g(A: T.Buffer((4,), "int32")):
        A[0] = T.cast(T.call_pure_extern("float32", "sinf", A[1]), "int32")
