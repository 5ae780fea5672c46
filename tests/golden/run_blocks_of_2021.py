# Blocks whose iterators stand in their heads, as TVM 0.8 wrote them: bound by T.bind, to the loops around, or to loops of
# their own. A module may be imported twice.
# expect: matmul(2x3xf32=1 2 3 4 5 6, 2x3xf32=1 0 1 0 1 0, 2x2xf32=0) -> 4 2 10 5
# expect: tiles(6xi32=1 2 3 4 5 6, 6xi32=0) -> 2 4 6 8 10 0
# expect: sums(2x3xi32=1 2 3 4 5 6, 2xi32=7) -> 6 15
from tvm.script import tir as T
from tvm.script import tir as T


@T.prim_func
def matmul(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, [2, 3])
    B = T.match_buffer(b, [2, 3])
    C = T.match_buffer(c, [2, 2])
    with T.block([2, 2, T.reduce_axis(0, 3)], "update") as [vi, vj, vk]:
        with T.init():
            C[vi, vj] = 0.0
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]


@T.prim_func
def tiles(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (6,), "int32")
    B = T.match_buffer(b, (6,), "int32")
    for i_0, i_1 in T.grid(2, 3):
        with T.block([6], "double") as vi:
            T.bind(vi, i_0 * 3 + i_1)
            T.where(i_0 * 3 + i_1 < 5)
            B[vi] = A[vi] * 2


@T.prim_func
def sums(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (2, 3), "int32")
    B = T.match_buffer(b, (2,), "int32")
    for i, k in T.grid(2, 3):
        with T.block([2, T.reduce_axis(0, 3)], "sum") as [vi, vk]:
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi, vk]
