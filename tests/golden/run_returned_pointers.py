# A function that returns a pointer returns how far into one of its parameters it leads; from outside, in bytes.
# expect: main(6xf32=1 2 3 4 5 6, 2) -> 1 2 10 20 5 6
# expect: twice(4xi32=1 2 3 4) -> 1 2 3 9
# expect: later(6xf32=1 2 3 4 5 6, 3) -> 12
# expect: first(2xf32=1 2) -> 0
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def later(p: T.handle("float32"), n: T.int32) -> T.handle("float32"):
        P = T.decl_buffer((6,), "float32", data=p)
        if P[0] > T.float32(0):
            return T.address_of(P[n])
        return p

    @T.prim_func
    def first(A: T.Buffer((2,), "float32")) -> T.handle("float32"):
        return A.data

    @T.prim_func(private=True)
    def next(n: T.int32, p: T.handle("int32")) -> T.handle("int32"):
        q = T.handle_add_byte_offset(p, n * 4)
        return q

    @T.prim_func
    def main(A: T.Buffer((6,), "float32"), n: T.int32):
        q = Module.later(A.data, n)
        B = T.decl_buffer((2,), "float32", data=q)
        B[0] = T.float32(10)
        B[1] = B[0] * T.float32(2)

    @T.prim_func
    def twice(A: T.Buffer((4,), "int32")):
        p = Module.next(1, A.data)
        q = Module.next(2, p)
        B = T.decl_buffer((1,), "int32", data=q)
        B[0] = 9
