# A.access_ptr begins at the buffer's first element, wherever that is behind its pointer; A.offset_of counts from the pointer.
# expect: offsets(2x3xi32=0, 4xi32=0) -> 9 23 1 3
# expect: taken(8xf32=0 1 2 3 4 5 6 7, 2xf32=0) -> 5 3
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def offsets(A: T.Buffer((2, 3), "int32"), B: T.Buffer((4,), "int32")):
        V = T.decl_buffer((4, 5), "int32", data=A.data, strides=(7, 1), elem_offset=2)
        B[0] = V.offset_of([1, 0])[0]
        B[1] = V.offset_of((3, 0))[0]
        B[2] = A.offset_of([0, 1])[0]
        B[3] = A.offset_of([1, 0])[0]

    @T.prim_func(s_tir=True)
    def taken(A: T.Buffer((8,), "float32"), B: T.Buffer((2,), "float32")):
        V = T.decl_buffer((4,), data=A.data, elem_offset=3)
        p: T.let[T.handle("float32", "global")] = V.access_ptr("r", offset=2)
        q: T.let[T.handle("float32", "global")] = V.access_ptr(1)
        P = T.decl_buffer((1,), data=p)
        Q = T.decl_buffer((1,), data=q)
        B[0] = P[0]
        B[1] = Q[0]
