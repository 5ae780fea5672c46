# Scalar loops over integers of all types, whose values go from one iteration into the next: what is compared, shifted,
# masked, stored and carried between types is at the ends of these as well.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def unsigned_order(A: T.Buffer((40,), "uint32"), B: T.Buffer((40,), "uint8"), C: T.Buffer((40,), "uint32"), D: T.Buffer((4,), "int32")):
        last: T.uint32 = T.uint32(4294967295)
        ups: T.int32 = 0
        bytes: T.int32 = 0
        for i in range(40):
            if A[i] > last:
                ups = ups + 1
            if T.Cast("uint8", A[i]) >= B[i]:
                bytes = bytes + 3
            last = T.max(T.min(last, A[i]) - T.uint32(1), T.Cast("uint32", B[i]))
            C[i] = last
        D[0] = ups
        D[1] = bytes

    @T.prim_func(s_tir=True)
    def signed_order(A: T.Buffer((40,), "int8"), B: T.Buffer((40,), "int16"), C: T.Buffer((40,), "int64"), D: T.Buffer((2,), "int32")):
        low: T.int8 = T.int8(127)
        sum: T.int16 = T.int16(0)
        count: T.int32 = 0
        for i in range(40):
            low = T.min(low, A[i])
            sum = sum + B[i] * T.int16(3)
            if sum < B[i] and low != A[i]:
                count = count + T.Cast("int32", low)
            C[i] = T.bitwise_xor(C[i], T.Cast("int64", sum))
        D[0] = count

    @T.prim_func(s_tir=True)
    def mixed_casts(A: T.Buffer((40,), "int32"), C: T.Buffer((40,), "uint8"), D: T.Buffer((40,), "int16"), E: T.Buffer((1,), "uint64")):
        state: T.uint64 = T.uint64(88172645463325252)
        bits: T.int32 = 5
        for i in range(40):
            state = state * T.uint64(6364136223846793005) + T.Cast("uint64", A[i])
            state = T.bitwise_xor(state, T.shift_left(state, T.Cast("uint64", bits)))
            bits = T.Cast("int32", T.shift_right(state, T.uint64(58)))
            C[i] = T.Cast("uint8", T.bitwise_and(A[i] + bits, 255))
            D[i] = T.Cast("int16", T.bitwise_and(T.shift_right(A[i], T.Cast("int32", T.Cast("uint8", bits))), 65535))
            if C[i] > T.uint8(200) and D[i] < T.int16(0):
                bits = bits - 60
        E[0] = state

    @T.prim_func(s_tir=True)
    def amounts(A: T.Buffer((40,), "uint32"), B: T.Buffer((40,), "int8"), C: T.Buffer((40,), "uint32"), D: T.Buffer((40,), "int64")):
        x: T.uint32 = T.uint32(1)
        y: T.int64 = T.int64(-1)
        for i in range(40):
            x = T.bitwise_xor(T.shift_left(x, T.Cast("uint32", B[i])), T.shift_right(A[i], T.Cast("uint32", B[i])))
            y = T.shift_right(y - T.Cast("int64", A[i]), T.Cast("int64", T.bitwise_and(B[i], T.int8(7))))
            C[i] = x
            D[i] = y

    @T.prim_func(s_tir=True)
    def packed_bytes(A: T.Buffer((30,), "uint32"), B: T.Buffer((160,), "uint8"), C: T.Buffer((1,), "int32")):
        k: T.int32 = 0
        for i in range(30):
            v: T.uint32 = A[i]
            while v >= T.uint32(128):
                B[k] = T.Cast("uint8", T.bitwise_or(T.bitwise_and(v, T.uint32(127)), T.uint32(128)))
                k = k + 1
                v = T.shift_right(v, T.uint32(7))
            B[k] = T.Cast("uint8", v)
            k = k + 1
        C[0] = k

    @T.prim_func(s_tir=True)
    def products(A: T.Buffer((40,), "float32"), B: T.Buffer((40,), "float64"), C: T.Buffer((40,), "float32"), D: T.Buffer((40,), "float64")):
        x1: T.float32 = T.float32(0)
        x2: T.float32 = T.float32(0)
        y1: T.float64 = T.float64(0)
        y2: T.float64 = T.float64(0)
        for i in range(40):
            v: T.float32 = T.float32(0.5) * A[i] + T.float32(0.25) * x1 - T.float32(0.75) * x2
            w: T.float64 = T.float64(0.5) * B[i] - T.float64(0.25) * y1 - T.float64(0.125) * y2
            x2 = x1
            x1 = v
            y2 = y1
            y1 = w
            C[i] = v
            D[i] = w

    @T.prim_func(s_tir=True)
    def negated(A: T.Buffer((40,), "int32"), F: T.Buffer((40,), "float32"), B: T.Buffer((40,), "int32")):
        turns: T.int32 = 0
        for i in range(40):
            up: T.bool = T.bitwise_and(A[i], 4) == 0
            less: T.bool = F[i] < T.float32(0)
            if (up and A[i] > turns) or (not up and A[i] < turns):
                turns = turns + 1
            if not less and not up:
                turns = turns - A[i]
            B[i] = turns
        while not (turns <= 0 or turns > 100):
            turns = turns - 7
            B[0] = B[0] + turns
