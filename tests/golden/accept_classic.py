from tvm.script import ir as I
from tvm.script import tir as T

SIZE = 4 * 16


@I.ir_module
class Module:
    """Everything that the classic spelling has of its own."""

    @T.prim_func
    def tiles(a: T.handle, b: T.handle, scale: T.float32) -> None:
        T.func_attr({"global_symbol": "tiles", "tir.noalias": True})
        n = T.int32()
        A = T.match_buffer(a, (n, SIZE), "float32", offset_factor=1)
        B = T.match_buffer(b, (n, SIZE), dtype="float32", strides=("s0", 1))
        C = T.alloc_buffer((n, SIZE))
        for i0, j in T.grid(T.ceildiv(n, 4), SIZE):
            for i1 in T.unroll(4):
                with T.block("copy"):
                    vi = T.axis.S(n, i0 * 4 + i1)
                    vj = T.axis.S(SIZE, j)
                    T.where(i0 * 4 + i1 < n)
                    T.block_attr({"unit": True})
                    factor = A[vi, vj] * scale
                    C[vi, vj] = factor + 1.0
        for i, j in T.grid(n, SIZE):
            with T.block():
                vi, vj = T.axis.remap("SS", [i, j])
                row = T.match_buffer(C[vi, 0:SIZE], (SIZE,), offset_factor=1)
                B[vi, vj] = row[vj]

    @T.prim_func
    def flat(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        x: T.int32 = 3
        with T.let(T.int32(), 4):
            T.evaluate(0)
        with T.allocate([16], "float32", "global") as p:
            C = T.decl_buffer((16,), data=p)
            for i in T.serial(0, 16):
                C[i] = A[i] + T.Cast("float32", x)
            for i in range(4):
                B[i * 4:i * 4 + 4] = C[i * 4:i * 4 + 4] * T.float32(2)
        q = T.allocate((4,), "int32", "local")
        q[0] = 1
        with T.LetStmt(q[0] + 1) as y:
            assert y == 2, "two"
        if A[0] > 0.0 and B[0] < 1.0:
            B[0] = T.if_then_else(A[0] > 1.0, A[1], 0.0)
        elif A[0] == 0.0:
            T.evaluate(T.call_extern("int32", "nothing", B.data))
        else:
            pass

    @T.prim_func
    def result(x: T.int32) -> T.int32:
        if x > 100:
            T.ret(x)
        T.evaluate(T.ret(Module.result(x * 2)))
