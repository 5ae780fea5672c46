# LLVM's functions by name, with and without the number of their arguments.
# expect: f(4xf32=4 9 16 25, 4xi32=255 1 0 7) -> 6 12 20 30, 8 1 0 3
# expect: counted(4xf32=1 2 -3 0.5, 4xf32=0) -> 2 6 6 0.75
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        r: T.let = T.call_llvm_pure_intrin("float32", "llvm.sqrt", A[i])
        A[i] = T.call_llvm_intrin("float32", "llvm.fma.f32", T.uint32(3), r, r, r)
        B[i] = T.call_llvm_pure_intrin("int32", "llvm.ctpop.i32", T.uint32(1), B[i])
        T.call_llvm_intrin("int32", "llvm.prefetch", T.address_of(A[i]), 0, 3, 1)


# The number of arguments first, as texts of 2020 and 2021 have it, of any type.
@T.prim_func(s_tir=True)
def counted(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = T.call_llvm_pure_intrin("float32", "llvm.fmuladd", 3, A[i], A[i], A[i])
