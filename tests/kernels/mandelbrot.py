# How many iterations of z = z * z + c stay within the circle of radius 2, for each point of a grid in the complex
# plane: a while loop per pixel.
# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def mandelbrot(count: T.Buffer(("h", "w"), "int32"), left: T.float32, top: T.float32, step: T.float32, limit: T.int32):
    h, w = T.int32(), T.int32()
    for i, j in T.grid(h, w):
        cr: T.let[T.float32] = left + T.Cast("float32", j) * step
        ci: T.let[T.float32] = top + T.Cast("float32", i) * step
        zr: T.float32 = T.float32(0)
        zi: T.float32 = T.float32(0)
        n: T.int32 = 0
        while n < limit and zr * zr + zi * zi <= T.float32(4):
            t: T.let[T.float32] = zr * zr - zi * zi + cr
            zi = T.float32(2) * zr * zi + ci
            zr = t
            n = n + 1
        count[i, j] = n
