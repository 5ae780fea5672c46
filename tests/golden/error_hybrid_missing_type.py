# error: 6:15 tir.tvm_mma_fragment_exp
# error: 7:15 needs its type
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    A[0, 0] = tir.tvm_mma_fragment_exp(A[0, 0])
    A[0, 0] = tir.vectorlow(A[0, 0])
