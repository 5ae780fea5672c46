# Two-dimensional stencils: Jacobi iteration for the heat equation, a 3 x 3 blur of 8-bit pixels, Sobel edges, and
# Conway's game of life on a torus.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # `steps` sweeps over the interior; the border is held. Each sweep reads U and writes V, then copies back.
    @T.prim_func(s_tir=True)
    def jacobi(U: T.Buffer(("h", "w"), "float32"), steps: T.int32):
        h, w = T.int32(), T.int32()
        V = T.sblock_alloc_buffer((h, w))
        for s in range(steps):
            for i, j in T.grid(h - 2, w - 2):
                with T.sblock("sweep"):
                    vi = T.axis.spatial((1, h - 1), i + 1)
                    vj = T.axis.spatial((1, w - 1), j + 1)
                    V[vi, vj] = (U[vi - 1, vj] + U[vi + 1, vj] + U[vi, vj - 1] + U[vi, vj + 1]) * T.float32(0.25)
            for i, j in T.grid(h - 2, w - 2):
                with T.sblock("back"):
                    vi = T.axis.spatial((1, h - 1), i + 1)
                    vj = T.axis.spatial((1, w - 1), j + 1)
                    U[vi, vj] = V[vi, vj]

    # Binomial 1-2-1 weights with rounding; coordinates are clamped at the border.
    @T.prim_func(s_tir=True)
    def blur_u8(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            up: T.let[T.int32] = T.max(i - 1, 0)
            down: T.let[T.int32] = T.min(i + 1, h - 1)
            left: T.let[T.int32] = T.max(j - 1, 0)
            right: T.let[T.int32] = T.min(j + 1, w - 1)
            corners: T.let[T.int32] = T.Cast("int32", A[up, left]) + T.Cast("int32", A[up, right]) + T.Cast("int32", A[down, left]) + T.Cast("int32", A[down, right])
            edges: T.let[T.int32] = T.Cast("int32", A[up, j]) + T.Cast("int32", A[down, j]) + T.Cast("int32", A[i, left]) + T.Cast("int32", A[i, right])
            B[i, j] = T.Cast("uint8", T.shift_right(corners + edges * 2 + T.Cast("int32", A[i, j]) * 4 + 8, 4))

    # Gradient magnitude; the result is two pixels smaller each way.
    @T.prim_func(s_tir=True)
    def sobel(A: T.Buffer(("h + 2", "w + 2"), "float32"), G: T.Buffer(("h", "w"), "float32")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            with T.sblock("G"):
                vi, vj = T.axis.remap("SS", [i, j])
                gx: T.let[T.float32] = A[vi, vj + 2] - A[vi, vj] + T.float32(2) * (A[vi + 1, vj + 2] - A[vi + 1, vj]) + A[vi + 2, vj + 2] - A[vi + 2, vj]
                gy: T.let[T.float32] = A[vi + 2, vj] - A[vi, vj] + T.float32(2) * (A[vi + 2, vj + 1] - A[vi, vj + 1]) + A[vi + 2, vj + 2] - A[vi, vj + 2]
                G[vi, vj] = T.sqrt(gx * gx + gy * gy)

    @T.prim_func(s_tir=True)
    def life(now: T.Buffer(("h", "w"), "bool"), then: T.Buffer(("h", "w"), "bool")):
        h, w = T.int32(), T.int32()
        for i, j in T.grid(h, w):
            count: T.int32 = 0
            for di, dj in T.grid(3, 3):
                if di != 1 or dj != 1:
                    if now[(i + di - 1 + h) % h, (j + dj - 1 + w) % w]:
                        count = count + 1
            then[i, j] = count == 3 or (count == 2 and now[i, j])

    # What Harris asks of each corner: sums of products of two gradients in a window.
    @T.prim_func
    def corners(X: T.Buffer((21, 50), "int32"), Y: T.Buffer((21, 50), "int32"), R: T.Buffer((19, 48), "int32")):
        for i, j in T.grid(19, 48):
            xx: T.int32 = 0
            yy: T.int32 = 0
            xy: T.int32 = 0
            for u, v in T.grid(3, 3):
                xx = xx + X[i + u, j + v] * X[i + u, j + v]
                yy = yy + Y[i + u, j + v] * Y[i + u, j + v]
                xy = xy + X[i + u, j + v] * Y[i + u, j + v]
            R[i, j] = xx * yy - xy * xy - T.shift_right((xx + yy) * (xx + yy), 4)
