# Scalable vectors run as if the machine's scale were 1, and T.vscale() is that 1.
# expect: masked(8xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 1 2 3 4 5 6 0 0
# expect: slices(16xf32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 16xf32=0) -> 0 0 4 0 0 3 0 9 0 15 0 21 0 0 0 0
# expect: held(4xf32=0.5 1.5 -2.5 3.5, 4xf32=0, 4xi32=0) -> 2 3 -3 8, 0 1 -2 3
# expect: sized(4xf32=1 2 3 4, 2xf32=0) -> 10 0
# expect: counted(6xi64=0) -> 1 4 2 1 1 0
# expect: vectors(1x4xf32=1 2 3 4, 1x4xf32=0) -> 2 4 6 8
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def masked(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2):
        mask: T.let = T.get_active_lane_mask("uint1xvscalex4", i * 4, 6)
        B.vstore([T.Ramp(i * 4, 1, 4 * T.vscale())], A.vload([T.Ramp(i * 4, 1, T.vscale() * 4)], predicate=mask), predicate=mask)


@T.prim_func(s_tir=True)
def slices(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(1):
        B[i + 5:i + 5 + T.vscale() * 8:2] = A[T.ramp(i + 1, 2, 4 * T.vscale())] * T.float32(3)
        B[T.Ramp(0, 2, 2 * T.vscale())] = A[i:i + 2 * T.vscale()] * T.Broadcast(T.float32(4), T.vscale() * 2)


@T.prim_func(s_tir=True)
def held(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32")):
    x: T.let[T.float32xvscalex4] = A[T.Ramp(0, 1, T.vscale() * 4)]
    y = T.Cast("int32xvscalex4", x)
    C[0:T.vscale() * 4] = y
    B[0:T.vscale() * 4] = T.Select(x > T.float32(0), T.Broadcast(T.float32(1.5), T.vscale() * 4) + x, T.Cast("float32xvscalex4", y) - T.float32(1))
    if B[3] > T.float32(4):
        B[3] = B[3] + T.float32(3)


@T.prim_func(s_tir=True)
def sized(A: T.Buffer((T.vscale() * 4,), "float32"), B: T.Buffer((2,), "float32")):
    C = T.alloc_buffer((T.vscale() * 4,), "float32")
    for i in T.vectorized(T.vscale() * 4):
        C[i] = A[i]
    for i in range(0, 4, T.vscale()):
        with T.sblock("sum"):
            vi = T.axis.reduce(T.vscale() * 4, i)
            B[0] = B[0] + C[vi]


@T.prim_func(s_tir=True)
def counted(A: T.Buffer((6,), "int64")):
    A[0] = T.Cast("int64", T.vscale())
    A[T.vscale()] = T.vscale() * T.int64(4)
    A[2] = T.Cast("int64", 4 // T.vscale() - 2 * T.vscale())
    A[3] = T.Cast("int64", T.Call("prim.vscale", [], ret_ty="int32"))
    if T.vscale() == 1:
        A[4] = T.int64(1)
    A[5] = T.Cast("int64", T.vscale() - T.vscale())


@T.prim_func(s_tir=True)
def vectors(A: T.Buffer((T.vscale(),), "float32xvscalex4"), B: T.Buffer((1,), "float32xvscalex4")):
    B[0] = A[0] * T.float32(2)
