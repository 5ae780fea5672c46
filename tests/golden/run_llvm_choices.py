# Functions of LLVM that no builtin does alone.
# expect: floats(6xf32=nan 1 2 nan 0.5 -2.5, 6xf32=3 nan 1 nan -1.5 2.5, 6xf32=0, 6xf32=0) -> 3 1 1 nan -1.5 -2.5, 3 1 2 nan 0.5 2.5
# expect: rounds(7xf32=0.5 -0.5 1.5 2.5 0.49999997 -3.5 8388609) -> 1 -1 2 3 0 -4 8388609
# expect: ints(3xi32=-5 7 3, 3xi32=2 -9 3) -> 2 7 3, -5 -9 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def floats(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32"), L: T.Buffer((6,), "float32"), H: T.Buffer((6,), "float32")):
    for i in range(6):
        L[i] = T.call_llvm_pure_intrin("float32", "llvm.minnum.f32", A[i], B[i])
        H[i] = T.call_llvm_pure_intrin("float32", "llvm.maxnum", T.uint32(2), A[i], B[i])


@T.prim_func(s_tir=True)
def rounds(A: T.Buffer((7,), "float32")):
    for i in range(7):
        A[i] = T.call_llvm_pure_intrin("float32", "llvm.round", A[i])


@T.prim_func(s_tir=True)
def ints(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32")):
    for i in range(3):
        a: T.let = A[i]
        A[i] = T.call_llvm_pure_intrin("int32", "llvm.smax.i32", a, B[i])
        B[i] = T.call_llvm_pure_intrin("int32", "llvm.smin", a, B[i])
