# Integer programs: division and remainder of every kind, bits, hashing, saturating bytes, quantised products.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def divisions(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n", 4), "int32")):
        n = T.int32()
        for i in range(n):
            C[i, 0] = A[i] // B[i]
            C[i, 1] = A[i] % B[i]
            C[i, 2] = T.truncdiv(A[i], B[i])
            C[i, 3] = T.truncmod(A[i], B[i])

    # Indices split by a constant, as a scheduler leaves them: a power of two and one that is none, of negative numbers.
    @T.prim_func(s_tir=True)
    def by_constants(A: T.Buffer(("n",), "int64"), C: T.Buffer(("n", 6), "int64")):
        n = T.int32()
        for i in range(n):
            C[i, 0] = A[i] // T.int64(8)
            C[i, 1] = A[i] % T.int64(8)
            C[i, 2] = A[i] // T.int64(7)
            C[i, 3] = A[i] % T.int64(7)
            C[i, 4] = A[i] // T.int64(-3)
            C[i, 5] = A[i] % T.int64(-3)

    # Sums and products wrap around.
    @T.prim_func(s_tir=True)
    def wrapping(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n", 5), "int32"), D: T.Buffer(("n", 3), "int8")):
        n = T.int32()
        for i in range(n):
            C[i, 0] = A[i] + B[i]
            C[i, 1] = A[i] - B[i]
            C[i, 2] = A[i] * B[i]
            C[i, 3] = T.min(A[i], B[i])
            C[i, 4] = T.max(A[i], B[i])
            D[i, 0] = T.Cast("int8", A[i]) + T.Cast("int8", B[i])
            D[i, 1] = T.Cast("int8", A[i]) * T.Cast("int8", B[i])
            D[i, 2] = T.Cast("int8", A[i] - B[i])

    @T.prim_func(s_tir=True)
    def bits(A: T.Buffer(("n",), "uint32"), B: T.Buffer(("n",), "uint32"), C: T.Buffer(("n", 6), "uint32"), D: T.Buffer(("n", 2), "int32")):
        n = T.int32()
        for i in range(n):
            C[i, 0] = T.bitwise_and(A[i], B[i])
            C[i, 1] = A[i] | B[i]
            C[i, 2] = A[i] ^ B[i]
            C[i, 3] = ~A[i]
            C[i, 4] = T.shift_left(A[i], T.uint32(5))
            C[i, 5] = A[i] >> (B[i] & T.uint32(31))
            D[i, 0] = T.popcount(A[i])
            D[i, 1] = T.shift_right(T.Cast("int32", A[i]), 3)

    # a + b of bytes that stops at 255, and the mean of two pictures.
    @T.prim_func(s_tir=True)
    def blend_u8(A: T.Buffer(("n", "m"), "uint8"), B: T.Buffer(("n", "m"), "uint8"), total: T.Buffer(("n", "m"), "uint8"), mean: T.Buffer(("n", "m"), "uint8")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("blend"):
                vi, vj = T.axis.remap("SS", [i, j])
                total[vi, vj] = T.Cast("uint8", T.min(T.Cast("uint16", A[vi, vj]) + T.Cast("uint16", B[vi, vj]), T.uint16(255)))
                mean[vi, vj] = T.Cast("uint8", T.shift_right(T.Cast("uint16", A[vi, vj]) + T.Cast("uint16", B[vi, vj]) + T.uint16(1), T.uint16(1)))

    # int8 by int8 into int32, scaled back to int8 with zero points: a layer of a quantised network.
    @T.prim_func(s_tir=True)
    def quantised_dense(A: T.Buffer(("n", "k"), "int8"), W: T.Buffer(("m", "k"), "int8"), zero: T.int32, scale: T.float32, C: T.Buffer(("n", "m"), "int8")):
        n, m, k = T.int32(), T.int32(), T.int32()
        sums = T.sblock_alloc_buffer((n, m), "int32")
        for i, j, p in T.grid(n, m, k):
            with T.sblock("sums"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    sums[vi, vj] = 0
                sums[vi, vj] = sums[vi, vj] + (T.Cast("int32", A[vi, vp]) - zero) * T.Cast("int32", W[vj, vp])
        for i, j in T.grid(n, m):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.Cast("int8", T.max(T.min(T.round(T.Cast("float32", sums[vi, vj]) * scale), T.float32(127)), T.float32(-128)))

    # 64-bit FNV-1a of each row of bytes.
    @T.prim_func(s_tir=True)
    def fnv1a(text: T.Buffer(("n", "m"), "uint8"), hash: T.Buffer(("n",), "uint64")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            h: T.uint64 = T.shift_left(T.uint64(3421674724), T.uint64(32)) | T.uint64(2216829733)
            for j in range(m):
                h = T.bitwise_xor(h, T.Cast("uint64", text[i, j])) * T.uint64(1099511628211)
            hash[i] = h

    # The xorshift generator: state to state.
    @T.prim_func(s_tir=True)
    def xorshift(seed: T.uint32, out: T.Buffer(("n",), "uint32")):
        n = T.int32()
        x: T.uint32 = seed
        for i in range(n):
            x = x ^ (x << T.uint32(13))
            x = x ^ (x >> T.uint32(17))
            x = x ^ (x << T.uint32(5))
            out[i] = x

    # CRC-32 (IEEE) bit by bit.
    @T.prim_func(s_tir=True)
    def crc32(data: T.Buffer(("n",), "uint8"), crc: T.Buffer((1,), "uint32")):
        n = T.int32()
        c: T.uint32 = T.uint32(4294967295)
        for i in range(n):
            c = c ^ T.Cast("uint32", data[i])
            for bit in T.unroll(8):
                c = T.if_then_else(c % T.uint32(2) == T.uint32(1), (c >> T.uint32(1)) ^ T.uint32(3988292384), c >> T.uint32(1))
        crc[0] = c ^ T.uint32(4294967295)

    # Greatest common divisors by Euclid, and the length of the Collatz sequence.
    @T.prim_func(s_tir=True)
    def gcd(A: T.Buffer(("n",), "int64"), B: T.Buffer(("n",), "int64"), G: T.Buffer(("n",), "int64")):
        n = T.int32()
        for i in range(n):
            a: T.int64 = T.abs(A[i])
            b: T.int64 = T.abs(B[i])
            while b != 0:
                r: T.let[T.int64] = a % b
                a = b
                b = r
            G[i] = a

    @T.prim_func(s_tir=True)
    def collatz(start: T.Buffer(("n",), "int64"), length: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            x: T.int64 = start[i]
            count: T.int32 = 0
            while x > T.int64(1):
                if x % T.int64(2) == T.int64(0):
                    x = x // T.int64(2)
                else:
                    x = x * T.int64(3) + T.int64(1)
                count += 1
            length[i] = count

    # The sieve of Eratosthenes; a loop with a step that is not constant.
    @T.prim_func(s_tir=True)
    def sieve(prime: T.Buffer(("n",), "bool")):
        n = T.int32()
        for i in range(n):
            prime[i] = i >= 2
        i: T.int32 = 2
        while i * i < n:
            if prime[i]:
                for k in T.serial((n - i * i + i - 1) // i):
                    prime[i * i + k * i] = False
            i = i + 1
