# expect: tiles(3x4xi32=1 2 3 4 5 6 7 8 9 10 11 12, 3xi32=0) -> 1 2 3 4 5 106 107 8 9 110 111 12, 57 0 21
# expect: column(3x4xi32=1 2 3 4 5 6 7 8 9 10 11 12, 3xi32=0) -> 1 2 103 4 5 6 107 8 9 10 111 12, 29 0 0
# expect: pointers(3x4xi32=1 2 3 4 5 6 7 8 9 10 11 12, 3xi32=0) -> 1 2 3 4 5 106 107 108 9 110 111 112, -108 0 0
# trap: behind(3x4xi32=1, 3xi32=0) -> 41 a slice of 7 elements
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer(("n", "m"), "int32", strides=("s", "t"), offset_factor=1), k: T.int32) -> T.int32:
        n, m, s, t = T.int32(), T.int32(), T.int32(), T.int32()
        total: T.int32 = 0
        for i, j in T.grid(n, m):
            total = total + A[i, j] * (j + 1)
            A[i, j] = A[i, j] + k
        return total

    @T.prim_func(private=True, s_tir=True)
    def add_tile(A: T.Buffer((2, 3), "int32", strides=(4, 1)), k: T.int32) -> T.int32:
        return M.add(A, k) - A[0, 2] - A[1, 2]

    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((3, 4), "int32"), O: T.Buffer((3,), "int32")):
        O[0] = M.add(A[1:3, 1:3], 100) + 5
        O[1] = M.add(A[1:1, 1:3], 100)
        turned = T.decl_buffer((4, 3), "int32", data=A.data, strides=(1, 4))
        O[2] = M.add(turned[0:1, 0:3], 0) - 17

    @T.prim_func(s_tir=True)
    def column(A: T.Buffer((3, 4), "int32"), O: T.Buffer((3,), "int32")):
        O[0] = M.add(A[0:3, 2:3], 100) + 8

    @T.prim_func(s_tir=True)
    def pointers(A: T.Buffer((3, 4), "int32"), O: T.Buffer((3,), "int32")):
        O[0] = M.add_tile(T.address_of(A[1, 1]), 100)

    @T.prim_func(s_tir=True)
    def behind(A: T.Buffer((3, 4), "int32"), O: T.Buffer((3,), "int32")):
        O[0] = M.add_tile(T.address_of(A[1, 2]), 100)
