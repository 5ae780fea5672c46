# error: 7:12 the LLVM function 'llvm.x86.rdrand' cannot be compiled
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.call_llvm_pure_intrin("float32", "llvm.x86.rdrand", A[0])
