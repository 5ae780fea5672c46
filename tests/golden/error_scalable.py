# A scalable vector is no vector of as many lanes, and its lanes are a constant times T.vscale().
# error: 18:39 a value of type float32x4 is stored where `B` takes float32xvscalex4
# error: 19:39 mismatched numbers of lanes: float32xvscalex4 and float32x4
# error: 20:39 mismatched numbers of lanes: float32xvscalex4 and float32xvscalex8
# error: 21:39 cannot cast int32xvscalex4 to float32x4
# error: 22:21 a vector of vscale x 1 lanes; there may be 2 to 4096
# error: 23:20 the number of lanes must be a constant, or of a scalable vector T.vscale() * a constant
# error: 24:50 a shuffle takes vectors of a fixed length, not float32xvscalex4
# error: 25:39 cannot reinterpret int32x4 as float32xvscalex4
# error: 26:5 a scalable vector of elements that are float32xvscalex4
# error: 27:23 there is no type "float32xvscalex1"
# error: 28:7 the length of this slice is not a constant
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((4,), "float32xvscalex4")):
    B[T.Ramp(0, 1, 4 * T.vscale())] = A[T.Ramp(0, 1, 4)]
    B[T.Ramp(0, 1, T.vscale() * 4)] = A[T.Ramp(0, 1, T.vscale() * 4)] + T.Broadcast(T.float32(1), 4)
    B[T.Ramp(0, 1, T.vscale() * 4)] = A[T.Ramp(0, 1, T.vscale() * 4)] + A[T.Ramp(0, 1, T.vscale() * 8)]
    B[T.Ramp(0, 1, T.vscale() * 4)] = T.Cast("float32x4", T.Broadcast(1, T.vscale() * 4))
    B[0] = A[0] + A[T.Ramp(0, 1, T.vscale())]
    B[T.Ramp(0, 1, T.vscale() + 3)] = T.float32(1)
    B[T.Ramp(0, 1, T.vscale() * 4)] = T.Shuffle([A[T.Ramp(0, 1, 4 * T.vscale())]], [0, 1, 2, 3])
    B[T.Ramp(0, 1, T.vscale() * 4)] = T.reinterpret("float32xvscalex4", T.Broadcast(1, 4))
    C[T.Ramp(0, 1, T.vscale() * 2)] = T.float32(1)
    T.evaluate(T.Cast("float32xvscalex1", 1))
    B[0:T.vscale() * 3:2] = T.float32(1)
