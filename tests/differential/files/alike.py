# Places that are computed alike in many channels, as those of roi_align are, and choices that they decide, asked once:
# constants outside of what is read, in the first or the second branch, more choices than are asked, in none of which
# or in some of which places are as usual.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def outside(x: T.Buffer((33, 6, 7), "float32"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "float32")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.float32(0.0)
                o[vi, vc, vp, vq] = o[vi, vc, vp, vq] + T.if_then_else((b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) < T.float32(-1) or T.float32(6) < (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) or (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)) < T.float32(-1) or T.float32(7) < (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)), T.float32(0), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)] * (T.float32(1) - b[vi, 0]) + x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3] * b[vi, 0])

    @T.prim_func(s_tir=True)
    def inside(x: T.Buffer((33, 6, 7), "float32"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "float32")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.float32(-1000)
                o[vi, vc, vp, vq] = T.max(o[vi, vc, vp, vq], T.if_then_else(T.float32(-1) <= (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) and (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)) <= T.float32(7), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)] * b[vi, 0] + x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3], T.float32(-0.25)))

    @T.prim_func(s_tir=True)
    def of_channels(x: T.Buffer((33, 6, 7), "float32"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "float32")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.float32(0.0)
                o[vi, vc, vp, vq] = o[vi, vc, vp, vq] + T.if_then_else(T.float32(-1) <= (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) and (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)) <= T.float32(7), T.if_then_else(x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)] < b[vi, 0], T.float32(2), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]), T.float32(1))

    @T.prim_func(s_tir=True)
    def halves(x: T.Buffer((33, 6, 7), "float16"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "float16")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.float16(0.0)
                o[vi, vc, vp, vq] = o[vi, vc, vp, vq] + T.Select((b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) < T.float32(-1) or T.float32(6) < (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk)) or (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)) < T.float32(-1) or T.float32(7) < (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl)), T.float16(0), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)] + x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3])

    @T.prim_func(s_tir=True)
    def integers(x: T.Buffer((33, 6, 7), "int32"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "int32")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.int32(0)
                o[vi, vc, vp, vq] = o[vi, vc, vp, vq] + T.if_then_else(b[vi, 0] < T.float32(0), T.int32(-3), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)] + x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3])

    @T.prim_func(s_tir=True)
    def many(x: T.Buffer((33, 6, 7), "float32"), b: T.Buffer((2, 5), "float32"), o: T.Buffer((2, 33, 2, 4), "float32")):
        for i, c, p, q, k, l in T.grid(2, 33, 2, 4, 2, 1):
            with T.sblock("sum"):
                vi, vc, vp, vq, vk, vl = T.axis.remap("SSSSRR", [i, c, p, q, k, l])
                with T.init():
                    o[vi, vc, vp, vq] = T.float32(0.0)
                o[vi, vc, vp, vq] = o[vi, vc, vp, vq] + T.if_then_else(b[vi, 0] < T.float32(0), T.float32(0), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(1), T.float32(1), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 5), 0), T.max(T.min(T.Cast("int32", (b[vi, 2] + T.Cast("float32", vq) * b[vi, 4] / T.float32(4) + T.Cast("float32", vl))), 6), 0)]) + T.if_then_else(b[vi, 0] < T.float32(2), T.float32(2), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(3), T.float32(3), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(4), T.float32(4), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(5), T.float32(5), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(6), T.float32(6), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(7), T.float32(7), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(8), T.float32(8), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3]) + T.if_then_else(b[vi, 0] < T.float32(9), T.float32(9), x[vc, T.max(T.min(T.Cast("int32", (b[vi, 1] + T.Cast("float32", vp) * b[vi, 3] / T.float32(3) + T.Cast("float32", vk))), 4), 0) + 1, 3])
