# Loads and stores of some lanes, as TVM 0.27 spells them; jumps by their names.
# expect: masked(4xf32=1 2 3 4, 2x4xf32=9, 3) -> 9 9 9 9 1 2 3 9
# expect: by_name(4xf32=1 2 3 4, 2x4xf32=9) -> 1 0 3 0 5 9 5 9
# expect: jumps(6xi32=1 0 1 0 5 1) -> 2 0 2 0 5 1
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def masked(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 4), "float32"), n: T.int32):
        T.masked_store(
            B,
            T.masked_load("float32x4", A, T.Ramp(0, 1, 4), T.Broadcast(T.bool(True), 4)),
            1,
            T.Ramp(0, 1, 4),
            T.Ramp(0, 1, 4) < T.Broadcast(n, 4),
        )

    @T.prim_func(s_tir=True)
    def by_name(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 4), "float32")):
        odd = T.meta_var(T.Ramp(0, 1, 4) % T.Broadcast(2, 4) == T.Broadcast(0, 4))
        B[0, 0:4] = T.call_intrin("float32x4", "tirx.masked_load", A, T.Ramp(0, 1, 4), odd)
        T.evaluate(T.call_intrin("void", "tirx.masked_store", B, T.Broadcast(T.float32(5), 4), 1, T.Ramp(0, 1, 4), odd))

    @T.prim_func(s_tir=True)
    def jumps(A: T.Buffer((6,), "int32")):
        T.static_assert(3 > 2, "no need to say")
        for i in range(6):
            if A[i] > 3:
                T.Break()
            if A[i] == 0:
                T.Continue()
            A[i] = 2
