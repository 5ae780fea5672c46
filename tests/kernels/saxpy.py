# y = a * x + y, BLAS level 1, in the classic spelling: handles bound by match_buffer, a scalar parameter, a plain loop.
# `axpby` does it without writing its inputs, with a block.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def saxpy(a: T.float32, x: T.handle, y: T.handle) -> None:
        n = T.int32()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            Y[i] = a * X[i] + Y[i]

    @T.prim_func
    def axpby(a: T.float32, x: T.handle, b: T.float32, y: T.handle, z: T.handle) -> None:
        T.func_attr({"global_symbol": "axpby", "tir.noalias": True})
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        Z = T.match_buffer(z, (n,), "float32")
        for i in T.serial(0, n):
            with T.block("axpby"):
                vi = T.axis.spatial(n, i)
                T.reads(X[vi], Y[vi])
                T.writes(Z[vi])
                Z[vi] = a * X[vi] + b * Y[vi]
