import numpy as np

from reference import Programs

programs = Programs("contractions.tc")
PRODUCT = ["M=1 K=1 N=1", "M=3 K=5 N=7", "M=1 K=70 N=9", "M=33 K=17 N=65"]


def einsum(text):
    return lambda *arrays: np.einsum(text, *arrays)


programs("mv", einsum("mk,k->m"), ops="2*K")
programs("vm", einsum("k,kn->n"), ops="2*K")
programs("mm", einsum("mk,kn->mn"), ops="2*K", sizes=PRODUCT + ["M=64 K=128 N=96"])
programs("tmm", einsum("mk,nk->mn"), ops="2*K", sizes=PRODUCT)
programs("mm_ta", einsum("km,kn->mn"), ops="2*K", sizes=PRODUCT)
programs("mm_tab", einsum("km,nk->mn"), ops="2*K", sizes=PRODUCT)
programs("mm_f64", einsum("mk,kn->mn"), ops="2*K", out="double", sizes=PRODUCT)
programs("mm_i32", einsum("mk,kn->mn"), out="int32", sizes=PRODUCT)
programs("mm_i8", lambda A, B: A.astype(int) @ B.astype(int), out="int32", sizes=PRODUCT)
programs("mm_f16", einsum("mk,kn->mn"), ops="K", sizes=PRODUCT)
programs("mm_plus", lambda A, B, c: A @ B + c, ops="2*K+1", sizes=PRODUCT)
programs("mm_into", lambda A, B, C: C + A @ B, updates="C", ops="2*K+1", sizes=PRODUCT)
programs("gemm", lambda a, A, B, b, C: a * (A @ B) + b * C, ops="4*K+8", sizes=PRODUCT)
programs("mm_backward", lambda A, B, dC: (dC @ B.T, A.T @ dC), ops="2*(M+N)", sizes=PRODUCT)
programs("bmm", einsum("bnr,brk->bnk"), ops="2*M")
programs("tbmm", einsum("bnm,bkm->bnk"), ops="2*M")
programs("two_products", lambda A, B, C: A @ B @ C, ops="8*(K+N)")
programs("gram", lambda X: X @ X.T, ops="2*K")
programs("outer", np.outer, ops="2")
programs("bilinear", einsum("i,ij,j->"), out="double", ops="4*N*M")
programs("bilinear_layer", einsum("bi,oij,bj->bo"), ops="8*I*J")
programs("tensordot", einsum("nabhw,nbchw->nachw"), ops="2*C2")
programs("c3", lambda I, W: I @ W.T, ops="2*WX")
programs("kronecker_full", einsum("ax,by,cz,mxyz->mabc"), ops="8*N0*N1*N2", sizes=["D0=1 N0=1 D1=1 N1=1 D2=1 N2=1 M=1", "D0=2 N0=3 D1=4 N1=5 D2=3 N2=2 M=7"])
programs("kronecker", lambda W0, W1, W2, X: (np.einsum("ax,by,cz,mxyz->mabc", W0, W1, W2, X), np.einsum("by,cz,mxyz->mxbc", W1, W2, X),
                                             np.einsum("cz,mxyz->mxyc", W2, X)), ops="16*N0*N1*N2",
         sizes=["D0=1 N0=1 D1=1 N1=1 D2=1 N2=1 M=1", "D0=2 N0=3 D1=4 N1=5 D2=3 N2=2 M=7"])
programs("kronecker_product", einsum("ab,cd->acbd"), out="int32")
programs("min_plus", lambda A, B: (A[:, :, None] + B).min(1), out="int32")
programs("max_plus", lambda A, B: (A[:, :, None] + B).max(1), ops="1")
programs("reachable", lambda A, B: (A[:, :, None] & B).any(1), out="bool")
programs("distances", lambda X, Y: ((X[:, None] - Y)**2).sum(2), ops="4*K")
programs("chebyshev", lambda X, Y: abs(X[:, None] - Y).max(2), ops="1")
programs("triangular_product", lambda L, U: np.tril(L) @ np.triu(U), ops="2*N")
programs("masked_product", lambda A, B, mask: (A * mask) @ B, ops="2*K", sizes=PRODUCT)
programs("block_diagonal", einsum("bnk,nkm->bnm"), ops="2*K")
programs("complex_product", lambda A, B: (lambda C: (C.real, C.imag))((A[..., 0] + 1j * A[..., 1]) @ (B[..., 0] + 1j * B[..., 1])), ops="8*K")
programs("quantised", lambda A, B, scale, zero: (A.astype(int) - zero) @ B.astype(int) * scale, ops="4", sizes=PRODUCT)
