# Matrix products in the classic spelling: square and constant, with the second operand transposed, batched, and a
# matrix-vector product.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def matmul(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, [128, 128])
        B = T.match_buffer(b, [128, 128])
        C = T.match_buffer(c, [128, 128])
        for i, j, k in T.grid(128, 128, 128):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def matmul_nt(a: T.handle, b: T.handle, c: T.handle) -> None:
        m = T.int32()
        n = T.int32()
        k = T.int32()
        A = T.match_buffer(a, (m, k), "float32")
        B = T.match_buffer(b, (n, k), "float32")
        C = T.match_buffer(c, (m, n), "float32")
        for i, j, p in T.grid(m, n, k):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                vp = T.axis.R(k, p)
                with T.init():
                    C[vi, vj] = 0.0
                C[vi, vj] += A[vi, vp] * B[vj, vp]

    @T.prim_func
    def batch_matmul(a: T.handle, b: T.handle, c: T.handle) -> None:
        batch, m, n, k = T.int32(), T.int32(), T.int32(), T.int32()
        A = T.match_buffer(a, (batch, m, k), "float64")
        B = T.match_buffer(b, (batch, k, n), "float64")
        C = T.match_buffer(c, (batch, m, n), "float64")
        for s, i, j, p in T.grid(batch, m, n, k):
            with T.block("C"):
                vs, vi, vj, vp = T.axis.remap("SSSR", [s, i, j, p])
                with T.init():
                    C[vs, vi, vj] = T.float64(0)
                C[vs, vi, vj] = C[vs, vi, vj] + A[vs, vi, vp] * B[vs, vp, vj]

    @T.prim_func
    def gemv(a: T.handle, x: T.handle, y: T.handle) -> None:
        m = T.int32()
        n = T.int32()
        A = T.match_buffer(a, (m, n), "float32")
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (m,), "float32")
        for i, j in T.grid(m, n):
            with T.block("Y"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Y[vi] = T.float32(0)
                Y[vi] = Y[vi] + A[vi, vj] * X[vj]
