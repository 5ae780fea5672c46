# Buffers that are not compact: arguments with strides and an offset, views of local memory, regions matched in blocks.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # Takes any strides, so a transposed or sliced array needs no copy.
    @T.prim_func(s_tir=True)
    def double_strided(a: T.handle, b: T.handle):
        n, m = T.int32(), T.int32()
        A = T.match_buffer(a, (n, m), "float32", strides=("s0", "s1"), offset_factor=1)
        B = T.match_buffer(b, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    # Every other element of a local buffer through a view with stride 2, the rest through one with an offset.
    @T.prim_func(s_tir=True)
    def interleave(even: T.Buffer((8,), "int32"), odd: T.Buffer((8,), "int32"), out: T.Buffer((16,), "int32")):
        both = T.alloc_buffer((16,), "int32")
        evens = T.decl_buffer((8,), "int32", data=both.data, strides=(2,))
        odds = T.decl_buffer((8,), "int32", data=both.data, strides=(2,), elem_offset=1)
        for i in range(8):
            evens[i] = even[i]
        for i in range(8):
            odds[i] = odd[i]
        for i in range(16):
            out[i] = both[i]

    # A flat view of a matrix.
    @T.prim_func(s_tir=True)
    def flatten(A: T.Buffer((6, 7), "float32"), B: T.Buffer((42,), "float32")):
        A_flat = T.decl_buffer((42,), data=A.data)
        for i in range(42):
            B[i] = A_flat[i]

    # A block that sees its 4 x 4 tile as a buffer of its own.
    @T.prim_func(s_tir=True)
    def tile_sums(A: T.Buffer((16, 12), "int32"), S: T.Buffer((4, 3), "int32")):
        for i, j in T.grid(4, 3):
            with T.sblock("tile"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                T.writes(S[vi, vj])
                tile = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "int32", strides=("t0", "t1"), offset_factor=1)
                S[vi, vj] = 0
                for y, x in T.grid(4, 4):
                    S[vi, vj] = S[vi, vj] + tile[y, x] * (y * 4 + x)

    # The bytes of integers: the same memory as another type.
    @T.prim_func(s_tir=True)
    def float_bits(A: T.Buffer(("n",), "float32"), sign: T.Buffer(("n",), "int32"), exponent: T.Buffer(("n",), "int32"), mantissa: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            bits: T.let[T.uint32] = T.reinterpret("uint32", A[i])
            sign[i] = T.Cast("int32", T.shift_right(bits, T.uint32(31)))
            exponent[i] = T.Cast("int32", T.bitwise_and(T.shift_right(bits, T.uint32(23)), T.uint32(255))) - 127
            mantissa[i] = T.Cast("int32", T.bitwise_and(bits, T.uint32(8388607)))
