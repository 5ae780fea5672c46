# Scalable vectors are as long as if the machine's scale were 1; get_active_lane_mask masks lanes past the limit.
# expect: f(8xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 1 2 3 4 5 6 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2):
        mask: T.let = T.get_active_lane_mask("uint1xvscalex4", i * 4, 6)
        B.vstore([T.Ramp(i * 4, 1, 4 * T.vscale())], A.vload([T.Ramp(i * 4, 1, T.vscale() * 4)], predicate=mask), predicate=mask)
