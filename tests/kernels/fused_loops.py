# Loops whose counters are taken apart by division and remainder, as schedules leave them.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # (2, 12, 5, 7) to (2, 3, 10, 14): channels become pixels.
    @T.prim_func(s_tir=True)
    def pixel_shuffle(A: T.Buffer((2, 12, 5, 7), "float32"), O: T.Buffer((2, 3, 10, 14), "float32")):
        for n, c, h, w in T.grid(2, 3, 10, 14):
            with T.sblock("O"):
                vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
                T.reads(A[vn, vc * 4 + vh % 2 * 2 + vw % 2, vh // 2, vw // 2])
                T.writes(O[vn, vc, vh, vw])
                O[vn, vc, vh, vw] = A[vn, vc * 4 + vh % 2 * 2 + vw % 2, vh // 2, vw // 2]

    # Three loops fused into one, which two threads' worth of chunks then share.
    @T.prim_func
    def transpose_fused(A: T.Buffer((6, 10, 8), "int32"), B: T.Buffer((8, 6, 10), "int32")):
        for f in T.parallel(480):
            B[f % 8, f // 80, f % 80 // 8] = A[f // 80, f // 8 % 10, f % 8]

    # The same by shifts and masks, in any extent of the slowest loop.
    @T.prim_func
    def unpack_bits(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "uint32")
        B = T.match_buffer(b, (n * 32,), "int8")
        for f in range(n * 32):
            B[f] = T.Cast("int8", T.bitwise_and(T.shift_right(A[T.shift_right(f, 5)], T.Cast("uint32", T.bitwise_and(f, 31))), T.uint32(1)))

    # Weights of 4 bits with a scale for each 16 of them, and the sum over them in one loop.
    @T.prim_func(s_tir=True)
    def dequantized_gemv(W: T.Buffer((20, 8), "uint32"), S: T.Buffer((20, 4), "float32"), X: T.Buffer((64,), "float32"), Y: T.Buffer((20,), "float32")):
        D = T.sblock_alloc_buffer((20, 64), "float32")
        for f in range(1280):
            with T.sblock("D"):
                v_i = T.axis.spatial(20, f // 64)
                v_k = T.axis.spatial(64, f % 64)
                T.reads(W[v_i, v_k // 8], S[v_i, v_k // 16])
                T.writes(D[v_i, v_k])
                D[v_i, v_k] = (T.Cast("float32", T.bitwise_and(T.shift_right(W[v_i, v_k // 8], T.Cast("uint32", v_k % 8 * 4)), T.uint32(15))) - T.float32(7)) * S[v_i, v_k // 16]
        for i, k in T.grid(20, 64):
            with T.sblock("Y"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(D[vi, vk], X[vk])
                T.writes(Y[vi])
                with T.init():
                    Y[vi] = T.float32(0)
                Y[vi] = Y[vi] + D[vi, vk] * X[vk]

    # A sum over a window that one reduction axis counts.
    @T.prim_func(s_tir=True)
    def window_sums(A: T.Buffer((12, 12), "float32"), W: T.Buffer((3, 3), "float32"), O: T.Buffer((10, 10), "float32")):
        for i, j, r in T.grid(10, 10, 9):
            with T.sblock("O"):
                vi, vj, vr = T.axis.remap("SSR", [i, j, r])
                T.reads(A[vi + vr // 3, vj + vr % 3], W[vr // 3, vr % 3])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + A[vi + vr // 3, vj + vr % 3] * W[vr // 3, vr % 3]

    # A tree reduction over a fused axis: its elements keep their numbers.
    @T.prim_func(s_tir=True)
    def fused_sum(A: T.Buffer((24, 30), "float32"), S: T.Buffer((), "float32")):
        for f in range(720):
            with T.sblock("S"):
                vf = T.axis.reduce(720, f)
                T.reads(A[vf // 30, vf % 30])
                T.writes(S[()])
                with T.init():
                    S[()] = T.float32(0)
                S[()] = S[()] + A[vf // 30, vf % 30]

    # Divisions that no loop in digits makes affine: an extent that is no multiple, a counter that is shifted, one that is
    # negative, a break in the loop.
    @T.prim_func
    def uneven(A: T.Buffer((9, 5), "int32"), B: T.Buffer((43,), "int32"), C: T.Buffer((43,), "int32"), D: T.Buffer((43,), "int32"), E: T.Buffer((40,), "int32")):
        for f in range(43):
            B[f] = A[f // 5, f % 5]
        for f in range(43):
            C[f] = A[(f + 1) // 5, (f + 1) % 5]
        for f in range(-20, 23):
            D[f + 20] = A[T.truncdiv(f, 5) + 4, T.floormod(f, 5)]
        for f in range(40):
            if A[f // 5, f % 5] > 900:
                break
            E[f] = A[f // 5, f % 5]

    # A guard on a part of the counter, and a local buffer in each iteration.
    @T.prim_func
    def guarded(A: T.Buffer((6, 8), "float32"), O: T.Buffer((48,), "float32")):
        for f in range(48):
            best = T.alloc_buffer((2,), "float32")
            best[0] = A[f // 8, f % 8]
            best[1] = T.float32(0)
            if f % 8 > 0:
                best[1] = A[f // 8, f % 8 - 1]
            O[f] = T.max(best[0], best[1])
