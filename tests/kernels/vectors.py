# Vector code by hand in the classic spelling: slices on both sides, ramps, broadcasts, vector casts, lets of vectors,
# a buffer of vectors' worth of local memory.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def scale_offset(x: T.handle, y: T.handle, s: T.float32) -> None:
        X = T.match_buffer(x, (256,), "float32")
        Y = T.match_buffer(y, (256,), "float32")
        for i in T.serial(0, 32):
            Y[i * 8:i * 8 + 8] = X[i * 8:i * 8 + 8] * T.broadcast(s, 8) + T.broadcast(T.float32(1), 8)

    @T.prim_func
    def reverse(x: T.handle, y: T.handle) -> None:
        X = T.match_buffer(x, (64,), "int32")
        Y = T.match_buffer(y, (64,), "int32")
        for i in T.serial(0, 4):
            Y[T.ramp(i * 16, 1, 16)] = X[T.ramp(63 - i * 16, -1, 16)]

    @T.prim_func
    def split_complex(z: T.handle, re: T.handle, im: T.handle) -> None:
        Z = T.match_buffer(z, (128,), "float32")
        Re = T.match_buffer(re, (64,), "float32")
        Im = T.match_buffer(im, (64,), "float32")
        for i in range(16):
            Re[i * 4:i * 4 + 4] = Z[i * 8:i * 8 + 8:2]
            Im[i * 4:i * 4 + 4] = Z[i * 8 + 1:i * 8 + 9:2]

    @T.prim_func
    def widen(x: T.handle, y: T.handle) -> None:
        X = T.match_buffer(x, (96,), "uint8")
        Y = T.match_buffer(y, (96,), "float32")
        for i in range(6):
            Y[T.ramp(i * 16, 1, 16)] = T.Cast("float32x16", X[T.ramp(i * 16, 1, 16)]) * T.broadcast(T.float32(0.5), 16)

    @T.prim_func
    def select(x: T.handle, y: T.handle, out: T.handle) -> None:
        X = T.match_buffer(x, (40,), "float32")
        Y = T.match_buffer(y, (40,), "float32")
        Out = T.match_buffer(out, (40,), "float32")
        for i in T.serial(10):
            Out[T.ramp(i * 4, 1, 4)] = T.Select(
                X[T.ramp(i * 4, 1, 4)] < Y[T.ramp(i * 4, 1, 4)],
                T.max(X[T.ramp(i * 4, 1, 4)], T.broadcast(T.float32(0), 4)),
                Y[T.ramp(i * 4, 1, 4)] - X[T.ramp(i * 4, 1, 4)],
            )

    @T.prim_func
    def fill(y: T.handle, value: T.int16) -> None:
        Y = T.match_buffer(y, (48,), "int16")
        for i in T.serial(6):
            Y[i * 8:i * 8 + 8] = T.broadcast(value, 8)
