# Integers and bytes: CRC-32 by bit and by table, Adler-32, FNV, SHA-256, xorshift and PCG generators, murmur's mixing,
# base64, run lengths, UTF-8, big numbers.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def crc32_bitwise(data: T.Buffer(("n",), "uint8")) -> T.uint32:
        n = T.int32()
        crc: T.uint32 = T.uint32(0xFFFFFFFF)
        for i in range(n):
            crc = crc ^ T.Cast("uint32", data[i])
            for bit in range(8):
                crc = T.Select((crc & T.uint32(1)) != T.uint32(0), crc >> T.uint32(1) ^ T.uint32(0xEDB88320), crc >> T.uint32(1))
        return ~crc

    @T.prim_func(s_tir=True)
    def crc32_table(data: T.Buffer(("n",), "uint8")) -> T.uint32:
        n = T.int32()
        table = T.alloc_buffer((256,), "uint32")
        for v in range(256):
            c: T.uint32 = T.Cast("uint32", v)
            for bit in T.unroll(8):
                if (c & T.uint32(1)) == T.uint32(1):
                    c = T.uint32(0xEDB88320) ^ (c >> T.uint32(1))
                else:
                    c = c >> T.uint32(1)
            table[v] = c
        crc: T.uint32 = T.uint32(0xFFFFFFFF)
        for i in range(n):
            crc = table[(crc ^ data[i].astype("uint32")) & T.uint32(0xFF)] ^ (crc >> T.uint32(8))
        return crc ^ T.uint32(0xFFFFFFFF)

    @T.prim_func(s_tir=True)
    def adler32(data: T.Buffer(("n",), "uint8")) -> T.uint32:
        n = T.int32()
        a: T.uint32 = T.uint32(1)
        b: T.uint32 = T.uint32(0)
        for i in range(n):
            a = (a + T.Cast("uint32", data[i])) % T.uint32(65521)
            b = (b + a) % T.uint32(65521)
        return b << T.uint32(16) | a

    @T.prim_func(s_tir=True)
    def fnv1a(data: T.Buffer(("n",), "uint8")) -> T.uint64:
        n = T.int32()
        h: T.uint64 = T.uint64(0xCBF29CE4) << T.uint64(32) | T.uint64(0x84222325)
        for i in range(n):
            h = (h ^ T.Cast("uint64", data[i])) * T.uint64(0x100000001B3)
        return h

    # The bits of each number, counted as they are taken off it or shifted out.
    @T.prim_func(s_tir=True)
    def bits_set(numbers: T.Buffer(("n",), "int32"), taken: T.Buffer(("n",), "int32"), shifted: T.Buffer(("n",), "uint8"), left: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            v: T.int32 = numbers[i]
            count: T.int32 = 0
            while v != 0:
                v = v & (v - 1)
                count = count + 1
            taken[i] = count + v
            w: T.int32 = numbers[i]
            shifted[i] = T.uint8(0)
            while w > 0:
                shifted[i] = shifted[i] + T.Cast("uint8", w & 1)
                w = w >> 1
            left[i] = w

    @T.prim_func(private=True, s_tir=True)
    def rotate(x: T.uint32, by: T.uint32) -> T.uint32:
        return x >> by | x << (T.uint32(32) - by)

    # The constants are the fraction bits of cube roots of primes, handed in; the message is padded here.
    @T.prim_func(s_tir=True)
    def sha256(message: T.Buffer(("n",), "uint8"), K: T.Buffer((64,), "uint32"), state: T.Buffer((8,), "uint32")):
        n = T.int32()
        blocks: T.let[T.int32] = (n + 8) // 64 + 1
        padded = T.alloc_buffer((blocks * 64,), "uint8")
        w = T.alloc_buffer((64,), "uint32")
        v = T.alloc_buffer((8,), "uint32")
        for i in range(blocks * 64):
            padded[i] = T.uint8(0)
        for i in range(n):
            padded[i] = message[i]
        padded[n] = T.uint8(0x80)
        for i in range(8):
            padded[blocks * 64 - 1 - i] = T.Cast("uint8", T.Cast("uint64", n) * T.uint64(8) >> T.Cast("uint64", 8 * i) & T.uint64(255))
        for b in range(blocks):
            for t in range(16):
                w[t] = T.Cast("uint32", padded[b * 64 + t * 4]) << T.uint32(24) | T.Cast("uint32", padded[b * 64 + t * 4 + 1]) << T.uint32(16) | T.Cast("uint32", padded[b * 64 + t * 4 + 2]) << T.uint32(8) | T.Cast("uint32", padded[b * 64 + t * 4 + 3])
            for t in range(16, 64):
                s0: T.let[T.uint32] = Module.rotate(w[t - 15], T.uint32(7)) ^ Module.rotate(w[t - 15], T.uint32(18)) ^ (w[t - 15] >> T.uint32(3))
                s1: T.let[T.uint32] = Module.rotate(w[t - 2], T.uint32(17)) ^ Module.rotate(w[t - 2], T.uint32(19)) ^ (w[t - 2] >> T.uint32(10))
                w[t] = w[t - 16] + s0 + w[t - 7] + s1
            for i in range(8):
                v[i] = state[i]
            for t in range(64):
                S1 = (v[4] >> T.uint32(6) | v[4] << T.uint32(26)) ^ (v[4] >> T.uint32(11) | v[4] << T.uint32(21)) ^ (v[4] >> T.uint32(25) | v[4] << T.uint32(7))
                ch = (v[4] & v[5]) ^ (~v[4] & v[6])
                temp1 = v[7] + S1 + ch + K[t] + w[t]
                S0 = (v[0] >> T.uint32(2) | v[0] << T.uint32(30)) ^ (v[0] >> T.uint32(13) | v[0] << T.uint32(19)) ^ (v[0] >> T.uint32(22) | v[0] << T.uint32(10))
                maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
                v[7] = v[6]
                v[6] = v[5]
                v[5] = v[4]
                v[4] = v[3] + temp1
                v[3] = v[2]
                v[2] = v[1]
                v[1] = v[0]
                v[0] = temp1 + S0 + maj
            for i in range(8):
                state[i] += v[i]

    @T.prim_func(s_tir=True)
    def xorshift(seed: T.uint64, out: T.Buffer(("n",), "uint64")):
        n = T.int32()
        x: T.uint64 = seed
        for i in range(n):
            x ^= x << T.uint64(13)
            x ^= x >> T.uint64(7)
            x ^= x << T.uint64(17)
            out[i] = x

    @T.prim_func(s_tir=True)
    def pcg32(state: T.Buffer((1,), "uint64"), out: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            old: T.let[T.uint64] = state[0]
            state[0] = old * T.uint64(6364136223846793005) + T.uint64(1442695040888963407)
            mixed: T.let[T.uint32] = T.Cast("uint32", (old >> T.uint64(18) ^ old) >> T.uint64(27))
            turn: T.let[T.uint32] = T.Cast("uint32", old >> T.uint64(59))
            number: T.let[T.uint32] = mixed >> turn | mixed << (~turn + T.uint32(1) & T.uint32(31))
            out[i] = T.Cast("float32", number >> T.uint32(8)) * T.float32(5.9604644775390625e-08)

    @T.prim_func(s_tir=True)
    def murmur_mix(A: T.Buffer(("n",), "uint32"), B: T.Buffer(("n",), "uint32")):
        n = T.int32()
        for i in T.parallel(n):
            h0: T.let[T.uint32] = (A[i] ^ A[i] >> T.uint32(16)) * T.uint32(0x85EBCA6B)
            h1: T.let[T.uint32] = (h0 ^ h0 >> T.uint32(13)) * T.uint32(0xC2B2AE35)
            B[i] = h1 ^ h1 >> T.uint32(16)

    @T.prim_func(s_tir=True)
    def base64(data: T.Buffer(("n",), "uint8"), alphabet: T.Buffer((64,), "uint8"), text: T.Buffer(("(n + 2) // 3 * 4",), "uint8")):
        n = T.int32()
        for g in range((n + 2) // 3):
            three: T.int32 = 0
            for i in range(3):
                three = three << 8
                if g * 3 + i < n:
                    three = three | T.Cast("int32", data[g * 3 + i])
            for i in range(4):
                if g * 3 + i <= n:
                    text[g * 4 + i] = alphabet[three >> (18 - 6 * i) & 63]
                else:
                    text[g * 4 + i] = T.uint8(61)

    @T.prim_func(s_tir=True)
    def run_lengths(data: T.Buffer(("n",), "uint8"), value: T.Buffer(("n",), "uint8"), length: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        runs: T.int32 = 0
        at: T.int32 = 0
        while at < n:
            end: T.int32 = at + 1
            while end < n and data[end] == data[at]:
                end += 1
            value[runs] = data[at]
            length[runs] = end - at
            runs += 1
            at = end
        return runs

    @T.prim_func(s_tir=True)
    def decode_utf8(data: T.Buffer(("n",), "uint8"), points: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        count: T.int32 = 0
        at: T.int32 = 0
        while at < n:
            lead: T.let[T.int32] = T.Cast("int32", data[at])
            size: T.int32 = 1
            point: T.int32 = lead
            if lead >= 0xF0:
                size = 4
                point = lead & 7
            elif lead >= 0xE0:
                size = 3
                point = lead & 15
            elif lead >= 0xC0:
                size = 2
                point = lead & 31
            for i in range(1, size):
                point = point << 6 | T.Cast("int32", data[at + i]) & 63
            points[count] = point
            count += 1
            at += size
        return count

    # Little-endian words; the product has as many as both factors.
    @T.prim_func(s_tir=True)
    def big_multiply(a: T.Buffer(("n",), "uint32"), b: T.Buffer(("m",), "uint32"), c: T.Buffer(("n + m",), "uint32")):
        n, m = T.int32(), T.int32()
        for i in range(n + m):
            c[i] = T.uint32(0)
        for i in range(n):
            carry: T.uint64 = T.uint64(0)
            for j in range(m):
                word: T.let[T.uint64] = T.Cast("uint64", a[i]) * T.Cast("uint64", b[j]) + T.Cast("uint64", c[i + j]) + carry
                c[i + j] = T.Cast("uint32", word & T.uint64(0xFFFFFFFF))
                carry = word >> T.uint64(32)
            c[i + m] = T.Cast("uint32", carry)
