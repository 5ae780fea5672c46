# What programs seldom write: lets in expressions, views with strides, loops with steps, vectors with negative strides,
# shifts beyond the width, casts of what does not fit, blocks in blocks.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def nested_let(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            x: T.let = A[i] + T.float32(1)
            y: T.let = x * x
            with T.LetStmt(y + x) as z:
                B[i] = z * y - x

    @T.prim_func(s_tir=True)
    def let_expr(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in T.serial(16):
            v = T.float32()
            w = T.float32()
            B[i] = T.Let(T.Let(w * v, where={w: v + T.float32(2)}), where={v: A[i]})

    @T.prim_func(s_tir=True)
    def where_two(A: T.Buffer((5, 7), "float32"), B: T.Buffer((5, 7), "float32")):
        for i0, j0, i1, j1 in T.grid(2, 2, 3, 4):
            with T.sblock("b"):
                vi = T.axis.spatial(5, i0 * 3 + i1)
                vj = T.axis.spatial(7, j0 * 4 + j1)
                T.where(i0 * 3 + i1 < 5 and j0 * 4 + j1 < 7)
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] - T.Cast("float32", vi * vj)

    @T.prim_func(s_tir=True)
    def block_nested(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(2, 2):
            with T.sblock("outer"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                for a, b in T.grid(4, 4):
                    with T.sblock("inner"):
                        va, vb = T.axis.remap("SS", [a, b])
                        B[vi * 4 + va, vj * 4 + vb] = A[vi * 4 + vb, vj * 4 + va]

    @T.prim_func(s_tir=True)
    def reduce_argmax(A: T.Buffer((6, 9), "float32"), B: T.Buffer((6,), "int32"), V: T.Buffer((6,), "float32")):
        for i, k in T.grid(6, 9):
            with T.sblock("m"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = -1
                    V[vi] = T.min_value("float32")
                a: T.let = T.Select(V[vi] >= A[vi, vk], B[vi], vk)
                m: T.let = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
                B[vi] = a
                V[vi] = m

    @T.prim_func(s_tir=True)
    def where_reduce(A: T.Buffer((10,), "float32"), B: T.Buffer((1,), "float32")):
        for k0, k1 in T.grid(3, 4):
            with T.sblock("s"):
                v0 = T.axis.spatial(1, 0)
                vk = T.axis.reduce(10, k0 * 4 + k1)
                T.where(k0 * 4 + k1 < 10)
                with T.init():
                    B[v0] = T.float32(0)
                B[v0] = B[v0] + A[vk]

    @T.prim_func(s_tir=True)
    def match_region(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(2, 2):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                s0 = T.int32()
                s1 = T.int32()
                A0 = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "float32", strides=[s0, s1], offset_factor=1)
                t0 = T.int32()
                t1 = T.int32()
                B0 = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "float32", strides=[t0, t1], offset_factor=1)
                for x, y in T.grid(4, 4):
                    B0[x, y] = A0[3 - y, x] + T.Cast("float32", s0 * 10 + s1 + t0)

    @T.prim_func(s_tir=True)
    def decl_view(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        flat = T.decl_buffer((16,), "float32", data=A.data)
        out = T.decl_buffer((2, 8), "float32", data=B.data)
        for i, j in T.grid(2, 8):
            out[i, j] = flat[j * 2 + i]

    @T.prim_func(s_tir=True)
    def decl_strided(A: T.Buffer((24,), "float32"), B: T.Buffer((24,), "float32")):
        v = T.decl_buffer((3, 4), "float32", data=A.data, strides=[8, 2])
        for i, j in T.grid(3, 4):
            B[i * 4 + j] = v[i, j]
        for i in range(12):
            B[12 + i] = T.float32(i)

    @T.prim_func(s_tir=True)
    def decl_int_view(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        bits = T.decl_buffer((16,), "int32", data=A.data)
        outb = T.decl_buffer((16,), "int32", data=B.data)
        for i in range(16):
            outb[i] = bits[i] ^ 0x00400000

    @T.prim_func(s_tir=True)
    def reinterpret_vec(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "uint32")):
        for i in range(4):
            B[i * 4:i * 4 + 4] = T.reinterpret("uint32x4", A[i * 4:i * 4 + 4])

    @T.prim_func(s_tir=True)
    def serial_step(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in T.serial(16):
            B[i] = -1
        for i in T.serial(2, 15, step=4):
            for j in T.serial(i, 16, step=5):
                B[j] = B[j] + A[i]

    @T.prim_func(s_tir=True)
    def while_break(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(16):
            k: T.int32 = 0
            while k < 100:
                if A[(i + k) % 16] > 50:
                    break
                k += 1
                if k % 7 == 3:
                    continue
            B[i] = k

    @T.prim_func(s_tir=True)
    def for_continue(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(16):
            B[i] = 0
            for j in range(i):
                if A[j] % 3 == 0:
                    continue
                B[i] += A[j]

    @T.prim_func(s_tir=True)
    def neg_extent(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(16):
            B[i] = A[i]
            for j in range(i - 5):
                B[i] = B[i] + j

    @T.prim_func(s_tir=True)
    def thread_bind(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                B[bx * 16 + tx] = A[bx * 16 + tx] + T.Cast("float32", tx * bx)

    @T.prim_func(s_tir=True)
    def ramp_stride(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(4):
            B[T.Ramp(i, 4, 4)] = A[T.Ramp(i * 4 + 3, -1, 4)]

    @T.prim_func(s_tir=True)
    def shuffle(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(4):
            B[i * 4:i * 4 + 4] = T.Shuffle([A[i * 4:i * 4 + 4]], [3, 1, 2, 0])

    @T.prim_func(s_tir=True)
    def vector_if(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in T.vectorized(16):
            if A[i] > 0:
                B[i] = A[i] * 2
            else:
                B[i] = -A[i]

    @T.prim_func(s_tir=True)
    def bool_reduce(A: T.Buffer((4, 4), "bool"), B: T.Buffer((4,), "bool")):
        for i, k in T.grid(4, 4):
            with T.sblock("all"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.bool(True)
                B[vi] = B[vi] and A[vi, vk]

    @T.prim_func(s_tir=True)
    def overshift_int8(A: T.Buffer((64,), "int8"), C: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
        for i in range(64):
            B[i] = (A[i] << C[i]) ^ (A[i] >> C[63 - i])

    @T.prim_func(s_tir=True)
    def overshift_uint64(A: T.Buffer((64,), "uint64"), C: T.Buffer((64,), "uint64"), B: T.Buffer((64,), "uint64")):
        for i in range(64):
            B[i] = (A[i] << C[i]) ^ (A[i] >> C[63 - i])

    @T.prim_func(s_tir=True)
    def satcast_uint8(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint8")):
        for i in range(64):
            B[i] = T.Cast("uint8", A[i] * T.float32(1e5) * A[63 - i])

    @T.prim_func(s_tir=True)
    def specialcast_int64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "int64")):
        for i in range(64):
            x: T.let = T.Select(i % 4 == 0, T.float64("nan"), T.Select(i % 4 == 1, T.infinity("float64"), T.Select(i % 4 == 2, -T.infinity("float64"), A[i])))
            B[i] = T.Cast("int64", x)

    @T.prim_func(s_tir=True)
    def f8_float8_e4m3fn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e4m3fn"), D: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float8_e4m3fn", A[i])
        for i in range(64):
            D[i] = T.Cast("float32", B[i]) * T.float32(2)

    @T.prim_func(s_tir=True)
    def nan_minmax(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            x: T.let = T.Select(i % 3 == 0, T.float32("nan"), A[i])
            y: T.let = T.Select(i % 5 == 0, T.float32("nan"), A[63 - i])
            B[i] = T.max(x, y) + T.Select(T.isnan(x), T.float32(1), T.min(y, x))

    @T.prim_func(s_tir=True)
    def neg_zero(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            z: T.let = A[i] * T.float32(0)
            B[i] = T.reinterpret("int32", -z) ^ T.reinterpret("int32", T.float32(0) - z)

    @T.prim_func(s_tir=True)
    def cast_chain(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", T.Cast("int8", A[i])) + T.Cast("int32", T.Cast("uint8", A[i])) + T.Cast("int32", T.Cast("int16", T.Cast("uint16", A[i])))

    @T.prim_func(s_tir=True)
    def axis_offset(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(12):
            with T.sblock("x"):
                v = T.axis.spatial((2, 14), i + 2)
                B[v] = A[v - 2] + A[v + 1]
        for i in range(2):
            B[i] = i
            B[14 + i] = -i

    @T.prim_func(s_tir=True)
    def vec_of_let(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(4):
            v: T.let = A[i * 4:i * 4 + 4]
            B[i * 4:i * 4 + 4] = v * v + T.Broadcast(A[i], 4)

    # What only some iterations give a value is zero in the others.
    @T.prim_func(s_tir=True)
    def handed_on_at_times(a: T.Buffer((640,), "float32"), b: T.Buffer((640,), "float32"), o: T.Buffer((640,), "float32")):
        t = T.alloc_buffer((640,), "float32")
        for i in range(640):
            if a[i] > T.float32(0):
                t[i] = a[i] * b[i]
        for i in range(640):
            o[i] = t[i] + b[i]

    @T.prim_func(s_tir=True)
    def handed_on_and_used_at_times(a: T.Buffer((640,), "float32"), b: T.Buffer((640,), "float32"), n: T.int32, o: T.Buffer((640,), "float32")):
        t = T.alloc_buffer((640,), "float32")
        for i in range(640):
            if i < n:
                t[i] = a[i] * b[i]
        for i in range(640):
            if i < n:
                o[i] = t[i] + b[i]

    # Stores outside of a view's memory, and divisions by zero behind them.
    @T.prim_func(s_tir=True)
    def stored_over_outside(x: T.Buffer((10,), "int32"), a: T.Buffer((100,), "int32"), o: T.Buffer((100,), "int32")):
        v = T.decl_buffer((100,), "int32", data=x.data)
        for i in range(100):
            v[99] = i
            o[i] = a[i] // ((a[i] + i) % 32)

    @T.prim_func(s_tir=True)
    def stored_outside_before(x: T.Buffer((90,), "int32"), a: T.Buffer((100,), "int32"), o: T.Buffer((100,), "int32")):
        v = T.decl_buffer((100,), "int32", data=x.data)
        for i in range(100):
            v[i] = a[i] * 3
        for i in range(100):
            o[i] = a[i] // ((a[i] + i) % 2)

    # A view that is larger than its memory, of which nothing outside is stored to.
    @T.prim_func(s_tir=True)
    def summed_where_inside(x: T.Buffer((10,), "int32"), a: T.Buffer((100, 100), "int32"), n: T.int32):
        v = T.decl_buffer((100,), "int32", data=x.data)
        for i in range(100):
            for j in range(100):
                if i < 10 and j + i < 70:
                    v[i] = v[i] + a[i, j]

    @T.prim_func(s_tir=True)
    def largest_nowhere(x: T.Buffer((10,), "int32"), a: T.Buffer((100, 100), "int32")):
        v = T.decl_buffer((100,), "int32", data=x.data)
        for i in range(100):
            for j in range(100):
                if a[i, j] % 8 == 3 and a[i, j] % 4 == 1:
                    v[i] = T.max(v[i], a[i, j])

    @T.prim_func(s_tir=True)
    def loaded_nowhere(x: T.Buffer((10,), "float32"), a: T.Buffer((100, 100), "float32")):
        v = T.decl_buffer((100,), "float32", data=x.data)
        for i in range(100):
            for j in range(100):
                a[i, j] = T.if_then_else(a[i, j] > T.float32(1e30), v[j], a[i, j] + T.float32(1))

    @T.prim_func(s_tir=True)
    def loaded_where_inside(x: T.Buffer((10,), "int32"), a: T.Buffer((100,), "int32"), n: T.int32):
        v = T.decl_buffer((100,), "int32", data=x.data)
        t = T.alloc_buffer((100,), "int32")
        for i in range(100):
            t[i] = T.if_then_else(a[i] + i < 0 and i < T.min(n, 10), v[i], 0)
        for i in range(100):
            a[i] = a[i] + t[i]

    @T.prim_func(s_tir=True)
    def loaded_in_some_rounds(x: T.Buffer((90,), "int32"), a: T.Buffer((100,), "int32"), o: T.Buffer((100,), "int32")):
        v = T.decl_buffer((100,), "int32", data=x.data)
        for i in range(100):
            k = T.int32(0)
            s = T.int32(0)
            while k < a[i] % 3 and i < 80:
                s = s + v[i] * k
                k = k + 1
            if a[i] > 1000 and i < 90:
                s = s + v[i]
            o[i] = s

    # Blocks of which nothing is left, beside each other.
    @T.prim_func(s_tir=True)
    def sums_of_nothing(F: T.Buffer((6, 1), "int64"), R: T.Buffer((6,), "int64"), S: T.Buffer((6,), "int64")):
        for i in range(5):
            for j in range(1):
                with T.sblock("sum"):
                    vi = T.axis.spatial(5, i)
                    vj = T.axis.reduce(1, j)
                    T.where(j > 0)
                    with T.init():
                        S[vi] = T.int64(0)
                    S[vi] = S[vi] + F[vi, vj]
            for j in range(1):
                with T.sblock("most"):
                    vi = T.axis.spatial(5, i)
                    vj = T.axis.reduce(1, j)
                    T.where(j > 0)
                    with T.init():
                        R[vi] = T.int64(0)
                    R[vi] = T.max(R[vi], F[vi, vj])
