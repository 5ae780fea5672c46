# Buffers and views of broadcast type: a dimension of one element has that one, whatever the index.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def view_row(A: T.Buffer((40, 64), "float32"), O: T.Buffer((40, 64), "float32")):
        V = T.decl_buffer((1, 64), "float32", data=A.data, buffer_type="auto")
        for i, j in T.grid(40, 64):
            A[i, j] = V[i, j] * T.float32(0.5) + O[i, j]

    @T.prim_func(s_tir=True)
    def view_store(A: T.Buffer((40, 64), "float32"), O: T.Buffer((40, 64), "float32")):
        V = T.decl_buffer((40, 1), "float32", data=A.data, buffer_type="auto")
        for i, j in T.grid(40, 64):
            V[i, j] = V[i, j] + O[i, j]
        for i, j in T.grid(40, 64):
            O[i, j] = V[i, j] - A[i, 0]

    @T.prim_func(s_tir=True)
    def view_sym(A: T.Buffer(("n", "m"), "float32"), O: T.Buffer(("n", "m"), "float32"), p: T.int32):
        n, m = T.int32(), T.int32()
        V = T.decl_buffer((T.if_then_else(p % 2 == 0, 1, n), m), "float32", data=A.data, buffer_type="auto")
        for i, j in T.grid(n, m):
            O[i, j] = O[i, j] + V[i, j]
        for i in range(n):
            for j in range(m):
                V[i, j] = V[i, j] * O[i, j] + T.float32(1)

    @T.prim_func(s_tir=True)
    def sums(A: T.Buffer((24, 32), "float32"), B: T.Buffer((32, 40), "float32"), C: T.Buffer((1, 40), "float32", buffer_type="auto")):
        for i, j, k in T.grid(24, 40, 32):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def sums2(A: T.Buffer((1, 32), "float32", buffer_type="auto"), B: T.Buffer((32, 1), "float32", buffer_type="auto"), C: T.Buffer((24, 40), "float32")):
        for i, j in T.grid(24, 40):
            C[i, j] = T.float32(0)
            for k in range(32):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def par(A: T.Buffer(("n", "m"), "float32", buffer_type="auto"), O: T.Buffer((30, 50), "float32")):
        n, m = T.int32(), T.int32()
        for i in T.parallel(30):
            for j in range(50):
                O[i, j] = O[i, j] + A[T.if_then_else(n == 1, i, i % T.max(n, 1)), T.if_then_else(m == 1, j, j % T.max(m, 1))]

    @T.prim_func(s_tir=True)
    def scatter(A: T.Buffer((200,), "int32"), H: T.Buffer((1, 16), "int32", buffer_type="auto"), S: T.Buffer((1,), "int32", buffer_type="auto")):
        for i in range(200):
            H[i, A[i] % 16] = H[i, A[i] % 16] + 1
            S[i] = T.max(S[i], A[i])

    @T.prim_func(s_tir=True)
    def temp(A: T.Buffer((40, 64), "float32"), O: T.Buffer((40, 64), "float32")):
        t = T.alloc_buffer((64,), "float32")
        V = T.decl_buffer((1, 64), "float32", data=t.data, buffer_type="auto")
        for i in range(40):
            for j in range(64):
                V[i, j] = A[i, j] * T.float32(2)
            for j in range(64):
                O[i, j] = t[63 - j] + V[i, j]

    @T.prim_func(s_tir=True)
    def shift_window(P: T.Buffer((65,), "int32"), A: T.Buffer((65, 1, 8), "uint8", buffer_type="auto"), O: T.Buffer((64, 8, 8), "int32")):
        for i in range(64):
            for j in range(8):
                for k in range(8):
                    O[i, j, k] = T.Cast("int32", A[T.min(T.max(P[i], 0), 64), j, k]) + T.Cast("int32", A[i + 1, 7 - j, 7 - k])
