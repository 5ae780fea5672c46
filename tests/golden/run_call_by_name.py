# Builtins by their operators' names; functions of an internal calling convention; hints to an optimizer; steps of loops.
# expect: named(4xi32=12 7 0 0) -> 12 7 4 3
# expect: internal(1xf32=0) -> 42
# expect: hinted(2xi32=5 0) -> 5 5
# expect: steps(8xi32=0) -> 1 2 0 2 1 2 0 2
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def named(A: T.Buffer((4,), "int32")):
        A[2] = T.call_intrin("int32", "tirx.bitwise_and", A[0], 6)
        A[3] = T.Call("tirx.popcount", [A[1]], ret_ty="int32")

    @T.prim_func(s_tir=True)
    def internal(A: T.Buffer((1,), "float32")):
        Module.callee(A.data)

    @T.prim_func(s_tir=True)
    def callee(p: T.handle("float32")):
        T.func_attr({"calling_conv": -1})
        A = T.decl_buffer((1,), data=p)
        A[0] = 42.0

    @T.prim_func(s_tir=True)
    def hinted(A: T.Buffer((2,), "int32")):
        T.call_llvm_intrin("", "llvm.assume", A[0] > 0)
        T.evaluate(A.data)
        T.evaluate(T.address_of(A[1]))
        A[1] = A[0]

    @T.prim_func(s_tir=True)
    def steps(A: T.Buffer((8,), "int32")):
        for i in T.serial(0, 8, step=4, annotations={"a": 1}):
            A[i] = 1
        for i in T.parallel(1, 8, step=2):
            A[i] = 2
