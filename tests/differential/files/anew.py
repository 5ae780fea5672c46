# Running values that begin anew where a condition says, in the spellings of that.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def anew_if(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            if M[i] == T.uint8(0):
                s = T.float32(0)
            s = s + A[i]
            B[i] = s

    @T.prim_func(s_tir=True)
    def anew_else(A: T.Buffer(("n",), "float64"), M: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "float64")):
        n = T.int32()
        s: T.float64 = T.float64(1)
        for i in range(n):
            if M[i] > 0:
                s = s * A[i]
            else:
                s = T.float64(1)
            B[i] = s

    @T.prim_func(s_tir=True)
    def anew_linear(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32"), E: T.Buffer((1,), "float32")):
        n = T.int32()
        for i in range(n):
            E[0] = T.Select(M[i] > T.uint8(99), A[i], E[0]) * T.float32(0.5) + A[i]
            B[i] = E[0]

    @T.prim_func(s_tir=True)
    def anew_max(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        m: T.float32 = T.float32(-3)
        for i in range(n):
            m = T.max(T.Select(M[i] > T.uint8(99), m, A[i] * T.float32(2)), A[i])
            B[i] = m

    @T.prim_func(s_tir=True)
    def copied(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            if M[i] > T.uint8(99):
                s = A[i]
            else:
                s = s + A[i]
            B[i] = s

    @T.prim_func(s_tir=True)
    def unseen(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), E: T.Buffer((1,), "float32")):
        n = T.int32()
        for i in range(n):
            E[0] = T.Select(M[i] > T.uint8(99), E[0] + A[i], T.float32(0.25))

    @T.prim_func(s_tir=True)
    def copied_element(A: T.Buffer(("n",), "float64"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float64"), E: T.Buffer((1,), "float64")):
        n = T.int32()
        for i in range(n):
            E[0] = T.if_then_else(M[i] > T.uint8(99), A[i], E[0] * T.float64(0.5) + A[i])
            B[i] = E[0]

    @T.prim_func(s_tir=True)
    def copied_before(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = A[0]
        for i in range(n):
            B[i] = s
            s = T.Select(M[i] > T.uint8(99), T.max(s, A[i]), A[i])

    @T.prim_func(s_tir=True)
    def computed_before(A: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = A[0]
        for i in range(n):
            B[i] = s
            s = T.Select(M[i] > T.uint8(99), s + A[i], A[i] * A[i])

    @T.prim_func(s_tir=True)
    def copied_choice(A: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32"), M: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = T.Select(M[i] > T.uint8(99), s + A[i], T.Select(M[i] > T.uint8(30), C[i], A[i] - C[i]))
            B[i] = s * T.float32(2) + s

    # How many rows are in a block is asked before the loop, where no row has a number yet.
    @T.prim_func(s_tir=True)
    def rows_as_long_as_numbered(A: T.Buffer(("n", "k"), "int8"), M: T.Buffer(("m",), "int8"), B: T.Buffer(("n",), "int8")):
        n, k, m = T.int32(), T.int32(), T.int32()
        for i in range(n):
            s: T.int8 = B[i]
            for r in range(k):
                for j in range(m):
                    if r <= i:
                        s = s + A[i, r]
            B[i] = s
