# 2-D convolution over images of shape [batch, height, width, channels], with padding.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # 3 x 3, one pixel of zeros around the image: the padded image is a buffer of its own.
    @T.prim_func(s_tir=True)
    def conv2d_nhwc(Input: T.Buffer(("n", "h", "w", "ci"), "float32"), Weight: T.Buffer((3, 3, "ci", "co"), "float32"), Conv: T.Buffer(("n", "h", "w", "co"), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, h, w, ci, co = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        # with T.sblock("root"):
        PadInput = T.sblock_alloc_buffer((n, h + 2, w + 2, ci))
        for i0, i1, i2, i3 in T.grid(n, h + 2, w + 2, ci):
            with T.sblock("PadInput"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(Input[v_i0, v_i1 - 1, v_i2 - 1, v_i3])
                T.writes(PadInput[v_i0, v_i1, v_i2, v_i3])
                PadInput[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(1 <= v_i1 and v_i1 < h + 1 and 1 <= v_i2 and v_i2 < w + 1, Input[v_i0, v_i1 - 1, v_i2 - 1, v_i3], T.float32(0.0))
        for b, y, x, f, ry, rx, rc in T.grid(n, h, w, co, 3, 3, ci):
            with T.sblock("Conv"):
                v_b, v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [b, y, x, f, ry, rx, rc])
                T.reads(PadInput[v_b, v_y + v_ry, v_x + v_rx, v_rc], Weight[v_ry, v_rx, v_rc, v_f])
                T.writes(Conv[v_b, v_y, v_x, v_f])
                with T.init():
                    Conv[v_b, v_y, v_x, v_f] = T.float32(0.0)
                Conv[v_b, v_y, v_x, v_f] = Conv[v_b, v_y, v_x, v_f] + PadInput[v_b, v_y + v_ry, v_x + v_rx, v_rc] * Weight[v_ry, v_rx, v_rc, v_f]

    # The same without the padded copy: the condition stands inside the sum.
    @T.prim_func(s_tir=True)
    def conv2d_nhwc_inline(Input: T.Buffer(("n", "h", "w", "ci"), "float32"), Weight: T.Buffer((3, 3, "ci", "co"), "float32"), Conv: T.Buffer(("n", "h", "w", "co"), "float32")):
        n, h, w, ci, co = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for b, y, x, f, ry, rx, rc in T.grid(n, h, w, co, 3, 3, ci):
            with T.sblock("Conv"):
                v_b, v_y, v_x, v_f, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [b, y, x, f, ry, rx, rc])
                with T.init():
                    Conv[v_b, v_y, v_x, v_f] = T.float32(0.0)
                Conv[v_b, v_y, v_x, v_f] = Conv[v_b, v_y, v_x, v_f] + T.if_then_else(1 <= v_y + v_ry and v_y + v_ry < h + 1 and 1 <= v_x + v_rx and v_x + v_rx < w + 1, Input[v_b, v_y + v_ry - 1, v_x + v_rx - 1, v_rc], T.float32(0.0)) * Weight[v_ry, v_rx, v_rc, v_f]

    # Stride 2, window and sizes known, 64-bit indices: the operator library's form of a network's first layer.
    @T.prim_func(s_tir=True)
    def conv2d_nhwc_stride2(rxplaceholder: T.Buffer((T.int64(1), T.int64(15), T.int64(17), T.int64(3)), "float32"), rxplaceholder_1: T.Buffer((T.int64(5), T.int64(5), T.int64(3), T.int64(8)), "float32"), conv2d_nhwc: T.Buffer((T.int64(1), T.int64(8), T.int64(9), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((T.int64(1), T.int64(19), T.int64(21), T.int64(3)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(19), T.int64(21), T.int64(3)):
            with T.sblock("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(rxplaceholder[v_i0, v_i1 - T.int64(2), v_i2 - T.int64(2), v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(2) <= v_i1 and v_i1 < T.int64(17) and T.int64(2) <= v_i2 and v_i2 < T.int64(19), rxplaceholder[v_i0, v_i1 - T.int64(2), v_i2 - T.int64(2), v_i3], T.float32(0.0))
        for nn, yy, xx, ff, ry, rx, rc in T.grid(T.int64(1), T.int64(8), T.int64(9), T.int64(8), T.int64(5), T.int64(5), T.int64(3)):
            with T.sblock("conv2d_nhwc"):
                v_nn, v_yy, v_xx, v_ff, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [nn, yy, xx, ff, ry, rx, rc])
                T.reads(pad_temp[v_nn, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx, v_rc], rxplaceholder_1[v_ry, v_rx, v_rc, v_ff])
                T.writes(conv2d_nhwc[v_nn, v_yy, v_xx, v_ff])
                with T.init():
                    conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = T.float32(0.0)
                conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] + pad_temp[v_nn, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx, v_rc] * rxplaceholder_1[v_ry, v_rx, v_rc, v_ff]

    # What a convolution does the other way round: each element of the small image is added to a window of the large one.
    @T.prim_func(s_tir=True)
    def conv2d_nchw_grad(g: T.Buffer(("n", "o", "h", "w"), "float32"), weight: T.Buffer(("o", "c", 3, 3), "float32"), d: T.Buffer(("n", "c", "p", "q"), "float32")):
        n, o, c, h, w, p, q = T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for b, f, y, x, k, ky, kx in T.grid(n, o, h, w, c, 3, 3):
            d[b, k, y + ky, x + kx] = d[b, k, y + ky, x + kx] + g[b, f, y, x] * weight[f, k, ky, kx]

    # With stride 2 and a border that is left out; the channels are summed first.
    @T.prim_func(s_tir=True)
    def conv2d_nhwc_transposed(g: T.Buffer((7, 11, 6), "float32"), weight: T.Buffer((4, 4, 6, 5), "float32"), d: T.Buffer((14, 22, 5), "float32")):
        for y, x, ky, kx, k, f in T.grid(7, 11, 4, 4, 5, 6):
            if y * 2 + ky >= 1 and y * 2 + ky < 15 and x * 2 + kx >= 1 and x * 2 + kx < 23:
                d[y * 2 + ky - 1, x * 2 + kx - 1, k] = d[y * 2 + ky - 1, x * 2 + kx - 1, k] + g[y, x, f] * weight[ky, kx, f, k]
