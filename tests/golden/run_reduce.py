# T.reduce: a sum with a condition, a pair of values (argmax), initial values, two axes.
# expect: total(6xi32=1 2 3 4 5 6, 1xi32=9) -> 12
# expect: argmax(5xf32=1 7 3 7 2, 1xi32=0) -> 1
# expect: table(2x3xi32=1 2 3 4 5 6, 1xi32=0) -> 121
# expect: until(4xi32=1 1 1 1) -> 7 1 1 1
# expect: named(4xi32=1 2 3 4, 1xi32=0) -> 10
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def total(A: T.Buffer((6,), "int32"), B: T.Buffer((1,), "int32")):
    k = T.int32()
    B[0] = T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 6), "CommReduce", "")], condition=k % 2 == 1, value_index=0)


@T.prim_func(s_tir=True)
def argmax(A: T.Buffer((5,), "float32"), B: T.Buffer((1,), "int32")):
    k = T.int32()
    B[0] = T.reduce(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 >= y1, x0, y0), T.Select(x1 >= y1, x1, y1)), [-1, T.float32("-inf")]), source=[k, A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 5), "CommReduce", "")], condition=T.bool(True), value_index=0)


@T.prim_func(s_tir=True)
def table(A: T.Buffer((2, 3), "int32"), B: T.Buffer((1,), "int32")):
    i = T.int32()
    j = T.int32()
    B[0] = T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[A[i, j]], init=[100], axis=[T.iter_var(i, T.Range(0, 2), "CommReduce", ""), T.iter_var(j, T.Range(0, 3), "CommReduce", "")], condition=T.bool(True), value_index=0)


@T.prim_func(s_tir=True)
def named(A: T.Buffer((4,), "int32"), B: T.Buffer((1,), "int32")):
    k = T.iter_var(T.int32(), T.Range(0, 4), "CommReduce", "")
    B[0] = T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[A[k.var]], init=[], axis=[k], condition=T.bool(True), value_index=0)


@T.prim_func(s_tir=True)
def until(A: T.Buffer((4,), "int32")):
    k = T.int32()
    while T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[A[k]], init=[], axis=[T.iter_var(k, T.Range(0, 4), "CommReduce", "")], condition=T.bool(True), value_index=0) < 10:
        A[0] = A[0] + 1
