# Views whose offset, strides or shape depend on the loops around them: which element an index means changes from
# iteration to iteration.
# expect: nested(2x4xi32=1 2 3 4 5 6 7 8, 2x4xi32=0) -> 2 3 6 7 10 11 14 15
# expect: overlapping(2x3xi32=1 2 3 4 5 6, 5xi32=0) -> 1 8 11 6 0
# expect: across(2x3xi32=1 2 3 4 5 6, 5xi32=0) -> 1 10 13 6 0
# expect: shift(5xi32=1 2 3 4 5) -> 2 3 4 5 5
# expect: strided(3xi32=1 2 3, 6xi32=0) -> 19 2 2 0 0 0
# expect: shrinking(3xi32=1 2 3, 3xi32=0) -> 1 2 3
# trap: shrinking(4xi32=1 2 3 4, 4xi32=0) -> 60 index 3
# expect: undeclared(4xi32=1 2 3 4, 2xi32=2 1, 4xi32=0) -> 13 4 12 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def nested(A: T.Buffer((2, 4), "int32"), B: T.Buffer((2, 4), "int32")):
    for i in range(2):
        for k in range(2):
            V = T.decl_buffer((2,), "int32", data=A.data, elem_offset=i * 4 + k * 2)
            for j in range(2):
                B[i, k * 2 + j] = V[j] + V[j // 2]


@T.prim_func(s_tir=True)
def overlapping(A: T.Buffer((2, 3), "int32"), B: T.Buffer((5,), "int32")):
    for i in range(2):
        W = T.decl_buffer((3,), "int32", data=B.data, elem_offset=i)
        for j in range(3):
            W[j] = W[j] * 2 + A[i, j]


@T.prim_func(s_tir=True)
def across(A: T.Buffer((2, 3), "int32"), B: T.Buffer((5,), "int32")):
    for j in range(3):
        for i in range(2):
            W = T.decl_buffer((3,), "int32", data=B.data, elem_offset=i)
            W[j] = W[j] * 2 + A[i, j]


@T.prim_func(s_tir=True)
def shift(A: T.Buffer((5,), "int32")):
    for i in range(4):
        W = T.decl_buffer((2,), "int32", data=A.data, elem_offset=i)
        W[0] = W[1]


@T.prim_func(s_tir=True)
def strided(A: T.Buffer((3,), "int32"), B: T.Buffer((6,), "int32")):
    for i in range(3):
        W = T.decl_buffer((3,), "int32", data=B.data, strides=[i])
        for j in range(2):
            W[j] = W[j] * 2 + A[j]


@T.prim_func(s_tir=True)
def shrinking(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
    n = T.int32()
    for i in range(n):
        for j in range(2):
            V = T.decl_buffer((5 - i,), "int32", data=A.data)
            B[i] = V[i]


@T.prim_func(s_tir=True)
def undeclared(A: T.Buffer((4,), "int32"), I: T.Buffer((2,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(2):
        V = T.Buffer((2,), "int32", data=A.data, elem_offset=I[i])
        for j in range(2):
            if j < 1:
                B[i * 2 + j] = V[j] + 10
            else:
                B[i * 2 + j] = V[j]
