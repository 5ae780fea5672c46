# What the checker sees where nodes were made one by one.
# error: 8:25 the condition of Select is boolx4, expected bool with one lane or those of its values, float32xvscalex4
# error: 9:96 the predicate of an access is boolx4, expected boolxvscalex4
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.evaluate(T.Select(T.Broadcast(T.bool(True), 4), A[T.Ramp(0, 1, T.vscale() * 4)], A[T.Ramp(0, 1, T.vscale() * 4)]))
    T.masked_store(B, T.Broadcast(T.float32(1), 4 * T.vscale()), T.Ramp(0, 1, 4 * T.vscale()), T.Broadcast(True, 4))
