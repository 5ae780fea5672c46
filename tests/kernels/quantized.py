# Quantised networks: products of 8-bit integers summed in 32 bits, requantisation by multiplier and shift, a depthwise
# convolution, packed 4-bit weights.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def matmul_i8(A: T.Buffer(("m", "k"), "int8"), B: T.Buffer(("k", "n"), "int8"), C: T.Buffer(("m", "n"), "int32")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = 0
                C[vi, vj] += T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

    # Weights by row, as dense layers keep them; unsigned activations with a zero point.
    @T.prim_func(s_tir=True)
    def dense_u8i8(data: T.Buffer(("m", "k"), "uint8"), weight: T.Buffer(("n", "k"), "int8"), bias: T.Buffer(("n",), "int32"), zero: T.int32, out: T.Buffer(("m", "n"), "int32")):
        m, k, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(m, n):
            acc: T.int32 = bias[j]
            for p in range(k):
                acc += (data[i, p].astype("int32") - zero) * weight[j, p].astype("int32")
            out[i, j] = acc

    @T.prim_func(s_tir=True)
    def requantize(A: T.Buffer(("n", "c"), "int32"), multiplier: T.Buffer(("c",), "int32"), shift: T.Buffer(("c",), "int32"), zero: T.int32, B: T.Buffer(("n", "c"), "int8")):
        n, c = T.int32(), T.int32()
        for i, j in T.grid(n, c):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(A[vi, vj], multiplier[vj], 31, shift[vj]) + zero, 127), -128))

    # One multiplier and shift per element, a half by constants, and other constants.
    @T.prim_func(s_tir=True)
    def multiply_shift(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), s: T.Buffer(("n",), "int32"), each: T.Buffer(("n",), "int32"), half: T.Buffer(("n",), "int32"), fixed: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            each[i] = T.q_multiply_shift(x[i], y[i], 31, s[i])
            half[i] = T.q_multiply_shift(x[i], 1073741824, 31, -2)
            fixed[i] = T.q_multiply_shift(x[i], 1518500250, 30, 1)

    @T.prim_func(s_tir=True)
    def depthwise_i8(data: T.Buffer(("h", "w", "c"), "int8"), weight: T.Buffer((3, 3, "c"), "int8"), multiplier: T.Buffer(("c",), "int32"), out: T.Buffer(("h", "w", "c"), "int8")):
        h, w, c = T.int32(), T.int32(), T.int32()
        padded = T.sblock_alloc_buffer((h + 2, w + 2, c), "int16")
        conv = T.sblock_alloc_buffer((h, w, c), "int32")
        for y, x, ch in T.grid(h + 2, w + 2, c):
            with T.sblock("padded"):
                vy, vx, vc = T.axis.remap("SSS", [y, x, ch])
                padded[vy, vx, vc] = T.if_then_else(1 <= vy and vy < h + 1 and 1 <= vx and vx < w + 1, data[vy - 1, vx - 1, vc].astype("int16"), T.int16(0))
        for y, x, ch, dy, dx in T.grid(h, w, c, 3, 3):
            with T.sblock("conv"):
                vy, vx, vc, vdy, vdx = T.axis.remap("SSSRR", [y, x, ch, dy, dx])
                with T.init():
                    conv[vy, vx, vc] = 0
                conv[vy, vx, vc] = conv[vy, vx, vc] + T.Cast("int32", padded[vy + vdy, vx + vdx, vc]) * T.Cast("int32", weight[vdy, vdx, vc])
        for y, x, ch in T.grid(h, w, c):
            with T.sblock("out"):
                vy, vx, vc = T.axis.remap("SSS", [y, x, ch])
                scaled: T.let[T.int64] = T.shift_right(T.Cast("int64", conv[vy, vx, vc]) * T.Cast("int64", multiplier[vc]) + T.int64(1 << 30), T.int64(31))
                out[vy, vx, vc] = T.Cast("int8", T.min(T.max(scaled, T.int64(-128)), T.int64(127)))

    # Two 4-bit weights in a byte, the low half first.
    @T.prim_func(s_tir=True)
    def pack_int4(W: T.Buffer(("n", "k"), "int8"), P: T.Buffer(("n", "(k + 1) // 2"), "uint8")):
        n, k = T.int32(), T.int32()
        for i, j in T.grid(n, (k + 1) // 2):
            low: T.let[T.int32] = T.Cast("int32", W[i, j * 2]) & 15
            high: T.let[T.int32] = T.if_then_else(j * 2 + 1 < k, T.Cast("int32", W[i, j * 2 + 1]) & 15, 0)
            P[i, j] = T.Cast("uint8", low | high << 4)

    @T.prim_func(s_tir=True)
    def gemv_int4(P: T.Buffer(("n", "half"), "uint8"), x: T.Buffer(("half * 2",), "float32"), scale: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32")):
        n, half = T.int32(), T.int32()
        for i in range(n):
            total: T.float32 = 0.0
            for j in range(half):
                byte: T.let[T.int32] = P[i, j].astype("int32")
                low: T.let[T.int32] = ((byte & 15) ^ 8) - 8
                high: T.let[T.int32] = ((byte >> 4) ^ 8) - 8
                total = total + low.astype("float32") * x[2 * j]
                total = total + high.astype("float32") * x[2 * j + 1]
            y[i] = total * scale[i]

    @T.prim_func(s_tir=True)
    def pack_bits(A: T.Buffer(("n",), "bool"), B: T.Buffer(("(n + 31) // 32",), "uint32")):
        n = T.int32()
        for w in range((n + 31) // 32):
            word: T.uint32 = T.uint32(0)
            for b in range(32):
                if w * 32 + b < n:
                    if A[w * 32 + b]:
                        word = word | T.uint32(1) << T.Cast("uint32", b)
            B[w] = word

    @T.prim_func(s_tir=True)
    def unpack_bits(B: T.Buffer(("words",), "uint32"), A: T.Buffer(("words", 32), "bool")):
        words = T.int32()
        for w, b in T.grid(words, 32):
            A[w, b] = (B[w] >> T.Cast("uint32", b) & T.uint32(1)) != T.uint32(0)

    # The distance of bit vectors: binary networks and nearest neighbours.
    @T.prim_func(s_tir=True)
    def hamming(A: T.Buffer(("m", "w"), "uint32"), B: T.Buffer(("n", "w"), "uint32"), D: T.Buffer(("m", "n"), "int32")):
        m, n, w = T.int32(), T.int32(), T.int32()
        for i, j, k in T.grid(m, n, w):
            with T.sblock("D"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    D[vi, vj] = 0
                D[vi, vj] = D[vi, vj] + T.Cast("int32", T.popcount(A[vi, vk] ^ B[vj, vk]))
