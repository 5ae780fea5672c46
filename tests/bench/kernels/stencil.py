# Stencils: neighbours at fixed distances.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def jacobi_2d(A: T.Buffer(("h", "w"), "float32"), B: T.Buffer(("h", "w"), "float32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h - 2, w - 2):
            with T.sblock("B"):
                vi = T.axis.spatial((1, h - 1), i + 1)
                vj = T.axis.spatial((1, w - 1), j + 1)
                B[vi, vj] = (A[vi, vj] + A[vi - 1, vj] + A[vi + 1, vj] + A[vi, vj - 1] + A[vi, vj + 1]) * T.float32(0.2)

    @T.prim_func(s_tir=True)
    def blur3x3(A: T.Buffer(("h + 2", "w + 2"), "float32"), B: T.Buffer(("h", "w"), "float32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = (A[vi, vj] + A[vi, vj + 2] + A[vi + 2, vj] + A[vi + 2, vj + 2]) * T.float32(0.0625) + (A[vi, vj + 1] + A[vi + 1, vj] + A[vi + 1, vj + 2] + A[vi + 2, vj + 1]) * T.float32(0.125) + A[vi + 1, vj + 1] * T.float32(0.25)

    @T.prim_func(s_tir=True)
    def heat_3d(A: T.Buffer(("d", "h", "w"), "float32"), B: T.Buffer(("d", "h", "w"), "float32")):
        d, h, w = T.int32(), T.int32(), T.int32()
        for z, y, x in T.grid(d - 2, h - 2, w - 2):
            with T.sblock("B"):
                vz = T.axis.spatial((1, d - 1), z + 1)
                vy = T.axis.spatial((1, h - 1), y + 1)
                vx = T.axis.spatial((1, w - 1), x + 1)
                B[vz, vy, vx] = A[vz, vy, vx] + T.float32(0.125) * (A[vz + 1, vy, vx] - T.float32(2) * A[vz, vy, vx] + A[vz - 1, vy, vx]) + T.float32(0.125) * (A[vz, vy + 1, vx] - T.float32(2) * A[vz, vy, vx] + A[vz, vy - 1, vx]) + T.float32(0.125) * (A[vz, vy, vx + 1] - T.float32(2) * A[vz, vy, vx] + A[vz, vy, vx - 1])

    # 8-bit pixels, coordinates clamped at the border.
    @T.prim_func(s_tir=True)
    def blur_clamped(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            B[i, j] = T.Cast("uint8", T.shift_right(T.Cast("int32", A[T.max(i - 1, 0), j]) + T.Cast("int32", A[T.min(i + 1, h - 1), j]) + T.Cast("int32", A[i, T.max(j - 1, 0)]) + T.Cast("int32", A[i, T.min(j + 1, w - 1)]) + 2, 2))

    @T.prim_func(s_tir=True)
    def sobel(A: T.Buffer(("h + 2", "w + 2"), "uint8"), B: T.Buffer(("h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h, w):
            with T.sblock("B"):
                vy, vx = T.axis.remap("SS", [y, x])
                gx: T.let[T.int32] = A[vy, vx + 2].astype("int32") + 2 * A[vy + 1, vx + 2].astype("int32") + A[vy + 2, vx + 2].astype("int32") - A[vy, vx].astype("int32") - 2 * A[vy + 1, vx].astype("int32") - A[vy + 2, vx].astype("int32")
                gy: T.let[T.int32] = A[vy + 2, vx].astype("int32") + 2 * A[vy + 2, vx + 1].astype("int32") + A[vy + 2, vx + 2].astype("int32") - A[vy, vx].astype("int32") - 2 * A[vy, vx + 1].astype("int32") - A[vy, vx + 2].astype("int32")
                B[vy, vx] = T.min(T.abs(gx) + T.abs(gy), 255).astype("uint8")
