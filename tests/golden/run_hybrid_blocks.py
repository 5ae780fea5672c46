# Blocks whose heads name their iterators, as later versions have them; bound by tir.bind or to the loops around.
# expect: sums(2x3xi32=1 2 3 4 5 6, 2xi32=0) -> 6 15
# expect: copy(4xi32=1 2 3 4, 4xi32=0) -> 1 2 3 0
# expect: alone(2x3xi32=1 2 3 4 5 6, 2xi32=0) -> 12 130
import tvm.tir as tir
from tvm.hybrid import ty


@tvm.hybrid.script
def sums(a: ty.handle, b: ty.handle) -> None:
    n = tir.var("int32")
    m = tir.var("int32")
    A = tir.match_buffer(a, (n, m), "int32")
    B = tir.match_buffer(b, (n,), "int32")
    C = tir.buffer_allocate((n,), "int32")
    for i, k in tir.grid(n, m):
        with tir.block([n, tir.reduce_axis(0, m)], "sum") as [vi, vk]:
            tir.reads([A[vi:vi + 1, vk:vk + 1]])
            tir.writes([C[vi:vi + 1]])
            with tir.init():
                C[vi] = 0
            C[vi] = C[vi] + A[vi, vk]
    for i in tir.serial(0, n):
        with tir.block([n], "copy") as [vi]:
            tir.bind(vi, n - 1 - i)
            B[vi] = C[vi]


@tvm.hybrid.script
def copy(a: ty.handle, b: ty.handle) -> None:
    A = tir.match_buffer(a, (4,), "int32")
    B = tir.match_buffer(b, (4,), "int32")
    for i, j in tir.grid(2, 2):
        with tir.block([tir.range(0, 4)], "copy") as [v]:
            tir.bind(v, i * 2 + j)
            tir.where(i * 2 + j < 3)
            tir.block_attr({"note": 1})
            B[v] = A[v]


@tvm.hybrid.script
def alone(a: ty.handle, b: ty.handle) -> None:
    A = tir.match_buffer(a, (2, 3), "int32")
    B = tir.match_buffer(b, (2,), "int32")
    C = tir.buffer_allocate((2, 3), "int32")
    with tir.block([2, 3], "double") as [vi, vj]:
        C[vi, vj] = A[vi, vj] * 2
    with tir.block([2, tir.reduce_axis(0, 3)], "sum") as [vi, vk]:
        with tir.init():
            B[vi] = 0
        B[vi] = B[vi] + C[vi, vk]
    with tir.block([2], "last") as [vi]:
        tir.bind(vi, 1)
        B[vi] = B[vi] + 100
