# What a call is given by name has the shape of that view or part; a pointer has none, and stands where its buffer begins.
# trap: main(4x4xi32=0, 4) -> 36 dimension 1 of the part of
# expect: main(4x4xi32=0, 3) -> 1 10 100 100 0 0 7 7 7 0 0 1 1000 1000 1000 1
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func(private=True)
    def one(X: T.Buffer((4,), "int32"), at: T.int32):
        X[at] = X[at] + 1

    @T.prim_func(private=True)
    def fill(x: T.handle, value: T.int32):
        n = T.int32()
        X = T.match_buffer(x, (n,), "int32")
        for i in range(n):
            X[i] = value

    @T.prim_func(private=True)
    def corner(X: T.Buffer((2, 2), "int32"), value: T.int32):
        X[0, 1] = value

    @T.prim_func
    def main(A: T.Buffer((4, 4), "int32"), n: T.int32):
        flat = T.decl_buffer((4,), "int32", data=A.data, elem_offset=8)
        square = A.view(8, 2)
        over = T.decl_buffer((2, 2), "int32", data=square.data)
        M.one(A.data, 0)
        M.one(flat, 3)
        M.one(flat.data, 1)
        M.one(A[3, 0:4], 3)
        M.corner(over, 9)
        M.one(over.data, 1)
        M.fill(A[0:1, 2:n + 1], 100)
        M.fill(A[1, n - 1:n + 1], 7)
        M.fill(flat[0:1], 7)
        M.fill(A[3, 0:n], 1000)
