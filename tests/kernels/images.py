# Images: resizing (nearest, bilinear with aligned corners or half pixels, bicubic, area), bilateral filter, equalised
# histogram, edges, dithering, an integral image.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def nearest(A: T.Buffer(("c", "h", "w"), "uint8"), B: T.Buffer(("c", "oh", "ow"), "uint8")):
        c, h, w, oh, ow = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for ch, y, x in T.grid(c, oh, ow):
            with T.sblock("B"):
                vc, vy, vx = T.axis.remap("SSS", [ch, y, x])
                B[vc, vy, vx] = A[vc, vy * h // oh, vx * w // ow]

    @T.prim_func(s_tir=True)
    def bilinear_corners(A: T.Buffer(("h", "w", "c"), "float32"), B: T.Buffer(("oh", "ow", "c"), "float32")):
        h, w, c, oh, ow = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for y, x, ch in T.grid(oh, ow, c):
            fy: T.let[T.float32] = T.Cast("float32", y) * T.Cast("float32", h - 1) / T.Cast("float32", T.max(oh - 1, 1))
            fx: T.let[T.float32] = T.Cast("float32", x) * T.Cast("float32", w - 1) / T.Cast("float32", T.max(ow - 1, 1))
            y0: T.let[T.int32] = T.Cast("int32", T.floor(fy))
            x0: T.let[T.int32] = T.Cast("int32", T.floor(fx))
            y1: T.let[T.int32] = T.min(y0 + 1, h - 1)
            x1: T.let[T.int32] = T.min(x0 + 1, w - 1)
            ay: T.let[T.float32] = fy - T.Cast("float32", y0)
            ax: T.let[T.float32] = fx - T.Cast("float32", x0)
            upper: T.let[T.float32] = A[y0, x0, ch] * (T.float32(1) - ax) + A[y0, x1, ch] * ax
            lower: T.let[T.float32] = A[y1, x0, ch] * (T.float32(1) - ax) + A[y1, x1, ch] * ax
            B[y, x, ch] = upper * (T.float32(1) - ay) + lower * ay

    @T.prim_func(s_tir=True)
    def bilinear_half_pixel(A: T.Buffer(("n", "h", "w"), "float32"), B: T.Buffer(("n", "oh", "ow"), "float32")):
        n, h, w, oh, ow = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, y, x in T.grid(n, oh, ow):
            with T.sblock("resize"):
                vi, vy, vx = T.axis.remap("SSS", [i, y, x])
                T.reads(A[vi, 0:h, 0:w])
                T.writes(B[vi, vy, vx])
                fy = (T.Cast("float32", vy) + T.float32(0.5)) * (T.Cast("float32", h) / T.Cast("float32", oh)) - T.float32(0.5)
                fx = (T.Cast("float32", vx) + T.float32(0.5)) * (T.Cast("float32", w) / T.Cast("float32", ow)) - T.float32(0.5)
                y0 = T.Cast("int32", T.floor(fy))
                x0 = T.Cast("int32", T.floor(fx))
                ay = fy - T.floor(fy)
                ax = fx - T.floor(fx)
                B[vi, vy, vx] = (
                    A[vi, T.max(T.min(y0, h - 1), 0), T.max(T.min(x0, w - 1), 0)] * (T.float32(1) - ay) * (T.float32(1) - ax)
                    + A[vi, T.max(T.min(y0, h - 1), 0), T.max(T.min(x0 + 1, w - 1), 0)] * (T.float32(1) - ay) * ax
                    + A[vi, T.max(T.min(y0 + 1, h - 1), 0), T.max(T.min(x0, w - 1), 0)] * ay * (T.float32(1) - ax)
                    + A[vi, T.max(T.min(y0 + 1, h - 1), 0), T.max(T.min(x0 + 1, w - 1), 0)] * ay * ax
                )

    # The mean of each k x k square, rounded up at the edge of the image.
    @T.prim_func(s_tir=True)
    def shrink(A: T.Buffer(("h", "w"), "uint8"), k: T.int32, B: T.Buffer(("oh", "ow"), "uint8")):
        h, w, oh, ow = T.int32(), T.int32(), T.int32(), T.int32()
        for y, x in T.grid(oh, ow):
            total: T.int32 = 0
            count: T.int32 = 0
            for dy, dx in T.grid(k, k):
                if y * k + dy < h and x * k + dx < w:
                    total += T.Cast("int32", A[y * k + dy, x * k + dx])
                    count += 1
            B[y, x] = T.Cast("uint8", (total + count // 2) // count)

    @T.prim_func(s_tir=True)
    def bilateral(A: T.Buffer(("h", "w"), "float32"), B: T.Buffer(("h", "w"), "float32"), space: T.float32, value: T.float32):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h, w):
            total: T.float32 = 0.0
            weights: T.float32 = 0.0
            for dy, dx in T.grid((-2, 5), (-2, 5)):
                if y + dy >= 0 and y + dy < h and x + dx >= 0 and x + dx < w:
                    far: T.let[T.float32] = T.Cast("float32", dx * dx + dy * dy) / (T.float32(2) * space * space)
                    step: T.let[T.float32] = A[y + dy, x + dx] - A[y, x]
                    weight: T.let[T.float32] = T.exp(-far - step * step / (T.float32(2) * value * value))
                    total += weight * A[y + dy, x + dx]
                    weights += weight
            B[y, x] = total / weights

    @T.prim_func(s_tir=True)
    def equalize(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        counts = T.alloc_buffer((256,), "int32")
        below = T.alloc_buffer((256,), "int32")
        for v in range(256):
            counts[v] = 0
        for y, x in T.grid(h, w):
            counts[A[y, x]] += 1
        below[0] = counts[0]
        for v in range(1, 256):
            below[v] = below[v - 1] + counts[v]
        first: T.int32 = 0
        while counts[first] == 0:
            first += 1
        for y, x in T.grid(h, w):
            rest: T.let[T.int32] = T.max(h * w - counts[first], 1)
            B[y, x] = T.Cast("uint8", ((below[A[y, x]] - counts[first]) * 255 + rest // 2) // rest)

    @T.prim_func(s_tir=True)
    def sobel(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("h - 2", "w - 2"), "uint8")):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h - 2, w - 2):
            with T.sblock("sobel"):
                vy, vx = T.axis.remap("SS", [y, x])
                gx: T.let[T.int32] = A[vy, vx + 2].astype("int32") + 2 * A[vy + 1, vx + 2].astype("int32") + A[vy + 2, vx + 2].astype("int32") - A[vy, vx].astype("int32") - 2 * A[vy + 1, vx].astype("int32") - A[vy + 2, vx].astype("int32")
                gy: T.let[T.int32] = A[vy + 2, vx].astype("int32") + 2 * A[vy + 2, vx + 1].astype("int32") + A[vy + 2, vx + 2].astype("int32") - A[vy, vx].astype("int32") - 2 * A[vy, vx + 1].astype("int32") - A[vy, vx + 2].astype("int32")
                B[vy, vx] = T.min(T.abs(gx) + T.abs(gy), 255).astype("uint8")

    # Floyd and Steinberg: the error of each pixel goes to its neighbours to come.
    @T.prim_func(s_tir=True)
    def dither(A: T.Buffer(("h", "w"), "int32"), B: T.Buffer(("h", "w"), "bool")):
        h, w = T.int32(), T.int32()
        level = T.alloc_buffer((h + 1, w + 2), "int32")
        for y, x in T.grid(h, w):
            level[y, x + 1] = A[y, x] * 16
        for y, x in T.grid(h, w):
            old = level[y, x + 1]
            B[y, x] = old >= 128 * 16
            error = old - T.Select(old >= 128 * 16, 255 * 16, 0)
            level[y, x + 2] += error * 7 // 16
            level[y + 1, x] += error * 3 // 16
            level[y + 1, x + 1] += error * 5 // 16
            level[y + 1, x + 2] += error // 16

    @T.prim_func(s_tir=True)
    def integral_image(A: T.Buffer(("h", "w"), "uint8"), S: T.Buffer(("h + 1", "w + 1"), "int64")):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h + 1, w + 1):
            S[y, x] = T.int64(0)
        for y, x in T.grid(h, w):
            S[y + 1, x + 1] = S[y, x + 1] + S[y + 1, x] - S[y, x] + T.Cast("int64", A[y, x])

    # BT.601 in 8-bit fixed point, planar output.
    @T.prim_func(s_tir=True)
    def rgb_to_yuv(rgb: T.Buffer(("h", "w", 3), "uint8"), yuv: T.Buffer((3, "h", "w"), "uint8")):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h, w):
            r: T.let[T.int32] = T.Cast("int32", rgb[y, x, 0])
            g: T.let[T.int32] = T.Cast("int32", rgb[y, x, 1])
            b: T.let[T.int32] = T.Cast("int32", rgb[y, x, 2])
            yuv[0, y, x] = T.Cast("uint8", ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16)
            yuv[1, y, x] = T.Cast("uint8", ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128)
            yuv[2, y, x] = T.Cast("uint8", ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128)

    # The middle of the nine pixels around each, by a network of exchanges.
    @T.prim_func(s_tir=True)
    def median(A: T.Buffer(("h", "w"), "uint8"), B: T.Buffer(("h - 2", "w - 2"), "uint8")):
        h, w = T.int32(), T.int32()
        for y, x in T.grid(h - 2, w - 2):
            p = T.alloc_buffer((9,), "uint8")
            for dy, dx in T.grid(3, 3):
                p[dy * 3 + dx] = A[y + dy, x + dx]
            for s in range(9):
                for t in range(4):
                    u: T.let[T.uint8] = p[t * 2 + s % 2]
                    v: T.let[T.uint8] = p[t * 2 + s % 2 + 1]
                    p[t * 2 + s % 2] = T.min(u, v)
                    p[t * 2 + s % 2 + 1] = T.max(u, v)
            B[y, x] = p[4]
