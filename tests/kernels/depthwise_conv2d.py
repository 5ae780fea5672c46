# Depthwise 2-D convolution: every channel has a filter of its own. Channels last with padding (classic spelling), and
# channels first without padding, whose output size is an expression of the input's.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def depthwise_nhwc(x: T.handle, w: T.handle, y: T.handle) -> None:
        n, h, width, c = T.int32(), T.int32(), T.int32(), T.int32()
        X = T.match_buffer(x, (n, h, width, c), "float32")
        W = T.match_buffer(w, (3, 3, c), "float32")
        Y = T.match_buffer(y, (n, h, width, c), "float32")
        P = T.alloc_buffer((n, h + 2, width + 2, c), "float32")
        for b, i, j, k in T.grid(n, h + 2, width + 2, c):
            with T.block("pad"):
                vb, vi, vj, vk = T.axis.remap("SSSS", [b, i, j, k])
                P[vb, vi, vj, vk] = T.if_then_else(
                    vi >= 1 and vi < h + 1 and vj >= 1 and vj < width + 1,
                    X[vb, vi - 1, vj - 1, vk],
                    T.float32(0),
                    dtype="float32",
                )
        for b, i, j, k, di, dj in T.grid(n, h, width, c, 3, 3):
            with T.block("depthwise"):
                vb, vi, vj, vk, vdi, vdj = T.axis.remap("SSSSRR", [b, i, j, k, di, dj])
                with T.init():
                    Y[vb, vi, vj, vk] = T.float32(0)
                Y[vb, vi, vj, vk] += P[vb, vi + vdi, vj + vdj, vk] * W[vdi, vdj, vk]

    @T.prim_func
    def depthwise_nchw(x: T.handle, w: T.handle, y: T.handle) -> None:
        n, c, h, width, kh, kw = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        X = T.match_buffer(x, (n, c, h, width), "float32")
        W = T.match_buffer(w, (c, kh, kw), "float32")
        Y = T.match_buffer(y, (n, c, h - kh + 1, width - kw + 1), "float32")
        for b, k, i, j, di, dj in T.grid(n, c, h - kh + 1, width - kw + 1, kh, kw):
            with T.block("depthwise"):
                vb, vk, vi, vj, vdi, vdj = T.axis.remap("SSSSRR", [b, k, i, j, di, dj])
                with T.init():
                    Y[vb, vk, vi, vj] = T.float32(0)
                Y[vb, vk, vi, vj] = Y[vb, vk, vi, vj] + X[vb, vk, vi + vdi, vj + vdj] * W[vk, vdi, vdj]
