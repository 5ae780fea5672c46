# Lets inside lets that use their variable twice stand for 2^20 terms: large values are kept in variables. What an arm
# that is not chosen loads stays where it is.
# expect: doubled(2xi32=3 -5, 2xi32=0) -> 3145728 -5242880
# expect: chosen(2xi32=3 1, 2xi32=0) -> 0 1048576
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32")):
    x0 = T.int32()
    x1 = T.int32()
    x2 = T.int32()
    x3 = T.int32()
    x4 = T.int32()
    x5 = T.int32()
    x6 = T.int32()
    x7 = T.int32()
    x8 = T.int32()
    x9 = T.int32()
    x10 = T.int32()
    x11 = T.int32()
    x12 = T.int32()
    x13 = T.int32()
    x14 = T.int32()
    x15 = T.int32()
    x16 = T.int32()
    x17 = T.int32()
    x18 = T.int32()
    x19 = T.int32()
    x20 = T.int32()
    for i in range(2):
        B[i] = T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(x20, where={x20: x19 + x19}), where={x19: x18 + x18}), where={x18: x17 + x17}), where={x17: x16 + x16}), where={x16: x15 + x15}), where={x15: x14 + x14}), where={x14: x13 + x13}), where={x13: x12 + x12}), where={x12: x11 + x11}), where={x11: x10 + x10}), where={x10: x9 + x9}), where={x9: x8 + x8}), where={x8: x7 + x7}), where={x7: x6 + x6}), where={x6: x5 + x5}), where={x5: x4 + x4}), where={x4: x3 + x3}), where={x3: x2 + x2}), where={x2: x1 + x1}), where={x1: x0 + x0}), where={x0: A[i]})


@T.prim_func(s_tir=True)
def chosen(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32")):
    x0 = T.int32()
    x1 = T.int32()
    x2 = T.int32()
    x3 = T.int32()
    x4 = T.int32()
    x5 = T.int32()
    x6 = T.int32()
    x7 = T.int32()
    x8 = T.int32()
    x9 = T.int32()
    x10 = T.int32()
    x11 = T.int32()
    x12 = T.int32()
    x13 = T.int32()
    x14 = T.int32()
    x15 = T.int32()
    x16 = T.int32()
    x17 = T.int32()
    x18 = T.int32()
    x19 = T.int32()
    x20 = T.int32()
    for i in range(2):
        B[i] = T.if_then_else(A[i] < 2, T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(x20, where={x20: x19 + x19}), where={x19: x18 + x18}), where={x18: x17 + x17}), where={x17: x16 + x16}), where={x16: x15 + x15}), where={x15: x14 + x14}), where={x14: x13 + x13}), where={x13: x12 + x12}), where={x12: x11 + x11}), where={x11: x10 + x10}), where={x10: x9 + x9}), where={x9: x8 + x8}), where={x8: x7 + x7}), where={x7: x6 + x6}), where={x6: x5 + x5}), where={x5: x4 + x4}), where={x4: x3 + x3}), where={x3: x2 + x2}), where={x2: x1 + x1}), where={x1: x0 + x0}), where={x0: A[A[i]]}), 0)
