# Fourier transforms: radix 2 in place with the complex numbers as two arrays, its inverse, and a convolution by them;
# the number-theoretic transform; the discrete cosine transform of 8 x 8 blocks.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fft(re: T.Buffer(("n",), "float64"), im: T.Buffer(("n",), "float64"), inverse: T.bool):
        n = T.int32()
        j: T.int32 = 0
        for i in range(1, n):
            bit: T.int32 = n >> 1
            while (j & bit) != 0:
                j = j ^ bit
                bit = bit >> 1
            j = j | bit
            if i < j:
                held_re = re[i]
                held_im = im[i]
                re[i] = re[j]
                im[i] = im[j]
                re[j] = held_re
                im[j] = held_im
        half: T.int32 = 1
        while half < n:
            for block in range(n // (half * 2)):
                for k in range(half):
                    turn: T.let[T.float64] = T.Cast("float64", k) / T.Cast("float64", half) * T.if_then_else(inverse, T.float64(3.141592653589793), T.float64(-3.141592653589793))
                    c: T.let[T.float64] = T.cos(turn)
                    s: T.let[T.float64] = T.sin(turn)
                    a: T.let[T.int32] = block * half * 2 + k
                    b: T.let[T.int32] = a + half
                    t_re: T.let[T.float64] = re[b] * c - im[b] * s
                    t_im: T.let[T.float64] = re[b] * s + im[b] * c
                    re[b] = re[a] - t_re
                    im[b] = im[a] - t_im
                    re[a] = re[a] + t_re
                    im[a] = im[a] + t_im
            half = half * 2
        if inverse:
            for i in range(n):
                re[i] = re[i] / T.Cast("float64", n)
                im[i] = im[i] / T.Cast("float64", n)

    # Stockham's order needs no bit reversal; the factors come from a table.
    @T.prim_func(s_tir=True)
    def fft_stockham(x: T.Buffer(("n", 2), "float32"), y: T.Buffer(("n", 2), "float32")):
        n = T.int32()
        table = T.alloc_buffer((n, 2), "float32")
        other = T.alloc_buffer((n, 2), "float32")
        for k in range(n):
            table[k, 0] = T.Cast("float32", T.cos(T.float64(-6.283185307179586) * T.Cast("float64", k) / T.Cast("float64", n)))
            table[k, 1] = T.Cast("float32", T.sin(T.float64(-6.283185307179586) * T.Cast("float64", k) / T.Cast("float64", n)))
        for i, c in T.grid(n, 2):
            y[i, c] = x[i, c]
        length: T.int32 = n
        stride: T.int32 = 1
        while length > 1:
            m = length // 2
            for p in range(m):
                for q in range(stride):
                    a_re = y[q + stride * p, 0]
                    a_im = y[q + stride * p, 1]
                    b_re = y[q + stride * (p + m), 0]
                    b_im = y[q + stride * (p + m), 1]
                    other[q + stride * 2 * p, 0] = a_re + b_re
                    other[q + stride * 2 * p, 1] = a_im + b_im
                    other[q + stride * (2 * p + 1), 0] = (a_re - b_re) * table[p * stride, 0] - (a_im - b_im) * table[p * stride, 1]
                    other[q + stride * (2 * p + 1), 1] = (a_re - b_re) * table[p * stride, 1] + (a_im - b_im) * table[p * stride, 0]
            for i, c in T.grid(n, 2):
                y[i, c] = other[i, c]
            length = m
            stride = stride * 2

    # The circular convolution of two real signals.
    @T.prim_func(s_tir=True)
    def convolve(a: T.Buffer(("n",), "float64"), b: T.Buffer(("n",), "float64"), out: T.Buffer(("n",), "float64")):
        n = T.int32()
        work = T.alloc_buffer((4, n), "float64")
        a_re = T.alloc_buffer((n,), "float64")
        a_im = T.alloc_buffer((n,), "float64")
        b_re = T.alloc_buffer((n,), "float64")
        b_im = T.alloc_buffer((n,), "float64")
        for i in range(n):
            a_re[i] = a[i]
            b_re[i] = b[i]
        Module.fft(a_re, a_im, T.bool(False))
        Module.fft(b_re, b_im, T.bool(False))
        for i in range(n):
            work[0, i] = a_re[i] * b_re[i] - a_im[i] * b_im[i]
            work[1, i] = a_re[i] * b_im[i] + a_im[i] * b_re[i]
        for i in range(n):
            a_re[i] = work[0, i]
            a_im[i] = work[1, i]
        Module.fft(a_re, a_im, T.bool(True))
        for i in range(n):
            out[i] = a_re[i]

    # a^e mod p for the transform modulo 998244353, whose root of unity is 3.
    @T.prim_func(s_tir=True)
    def power_mod(a: T.uint64, e: T.uint64, p: T.uint64) -> T.uint64:
        result: T.uint64 = T.uint64(1)
        base: T.uint64 = a % p
        left: T.uint64 = e
        while left > T.uint64(0):
            if (left & T.uint64(1)) == T.uint64(1):
                result = result * base % p
            base = base * base % p
            left = left >> T.uint64(1)
        return result

    @T.prim_func(s_tir=True)
    def ntt(A: T.Buffer(("n",), "uint32"), B: T.Buffer(("n",), "uint32")):
        n = T.int32()
        root: T.let[T.uint64] = Module.power_mod(T.uint64(3), T.uint64(998244352) // T.Cast("uint64", n), T.uint64(998244353))
        for k in range(n):
            factor: T.uint64 = T.uint64(1)
            step: T.let[T.uint64] = Module.power_mod(root, T.Cast("uint64", k), T.uint64(998244353))
            total: T.uint64 = T.uint64(0)
            for i in range(n):
                total = (total + factor * T.Cast("uint64", A[i])) % T.uint64(998244353)
                factor = factor * step % T.uint64(998244353)
            B[k] = T.Cast("uint32", total)

    @T.prim_func(s_tir=True)
    def dct_8x8(A: T.Buffer(("h", "w", 8, 8), "float32"), B: T.Buffer(("h", "w", 8, 8), "float32")):
        h, w = T.int32(), T.int32()
        basis = T.sblock_alloc_buffer((8, 8))
        rows = T.sblock_alloc_buffer((h, w, 8, 8))
        for u, x in T.grid(8, 8):
            with T.sblock("basis"):
                vu, vx = T.axis.remap("SS", [u, x])
                basis[vu, vx] = T.cos(T.Cast("float32", (2 * vx + 1) * vu) * T.float32(0.19634954)) * T.if_then_else(vu == 0, T.float32(0.35355339), T.float32(0.5))
        for a, b, y, u, x in T.grid(h, w, 8, 8, 8):
            with T.sblock("rows"):
                va, vb, vy, vu, vx = T.axis.remap("SSSSR", [a, b, y, u, x])
                with T.init():
                    rows[va, vb, vy, vu] = T.float32(0)
                rows[va, vb, vy, vu] = rows[va, vb, vy, vu] + A[va, vb, vy, vx] * basis[vu, vx]
        for a, b, v, u, y in T.grid(h, w, 8, 8, 8):
            with T.sblock("B"):
                va, vb, vv, vu, vy = T.axis.remap("SSSSR", [a, b, v, u, y])
                with T.init():
                    B[va, vb, vv, vu] = T.float32(0)
                B[va, vb, vv, vu] = B[va, vb, vv, vu] + rows[va, vb, vy, vu] * basis[vv, vy]
