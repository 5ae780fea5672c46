# An integer may be cast to a handle: 0 is the null pointer, and no other number leads to memory.
# expect: null(2xi32=0 0) -> 1 1
# expect: retyped(4xf32=1 2 3 4) -> 1 2 7 4
# trap: forged(4xf32=1 2 3 4, 0) -> 28 load of element 3 is outside of its 0 elements
# trap: forged(4xf32=1 2 3 4, 5) -> 28 load of element 3 is outside of its 0 elements
# trap: forged(4xf32=1 2 3 4, 4611686018427387905) -> 28 load of element 3 is outside of its 0 elements
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def null(A: T.Buffer((2,), "int32")):
        p: T.let[T.handle] = T.Cast("handle", T.int64(0))
        A[0] = T.Cast("int32", T.isnullptr(p))
        A[1] = T.Cast("int32", T.isnullptr(T.Cast("handle", T.uint8(0))))

    @T.prim_func(s_tir=True)
    def retyped(A: T.Buffer((4,), "float32")):
        p: T.let[T.handle("float32")] = T.Cast("handle", A.data)
        B = T.decl_buffer((4,), "float32", data=p)
        B[2] = T.float32(7)

    @T.prim_func(s_tir=True)
    def forged(A: T.Buffer((4,), "float32"), n: T.int64):
        p: T.let[T.handle("float32")] = T.Cast("handle", n)
        B = T.decl_buffer((4,), "float32", data=p)
        A[0] = B[3]
