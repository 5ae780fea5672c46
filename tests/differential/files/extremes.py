# Extremes of rows: short ones, long ones, columns, beside zeros and NaNs.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ragged_max(A: T.Buffer(("n", 90), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            m: T.float32 = A[i, 0]
            for j in range(T.min(i * 7, 90)):
                m = T.max(m, A[i, j])
            Y[i] = m

    @T.prim_func(s_tir=True)
    def ragged_min(A: T.Buffer(("n", 90), "float64"), Y: T.Buffer(("n",), "float64")):
        n = T.int32()
        for i in range(n):
            m: T.float64 = T.float64(1)
            for j in range(T.min(i * 5, 90)):
                m = T.min(A[i, j], m)
            Y[i] = m

    @T.prim_func(s_tir=True)
    def greatest(A: T.Buffer(("n",), "float32"), Y: T.Buffer((2,), "float32")):
        n = T.int32()
        for i in range(n):
            Y[0] = T.max(Y[0], T.abs(A[i]))
        for i in range(n):
            Y[1] = T.min(A[i] * T.float32(2), Y[1])

    @T.prim_func(s_tir=True)
    def chosen(A: T.Buffer(("n",), "float64"), M: T.Buffer(("n",), "uint8"), Y: T.Buffer((1,), "float64")):
        n = T.int32()
        for i in range(n):
            if M[i] > T.uint8(40):
                Y[0] = T.max(Y[0], A[i])

    @T.prim_func(s_tir=True)
    def columns(A: T.Buffer((100, "n"), "float32"), Y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            m: T.float32 = T.float32(0)
            for j in range(i + 65):
                if j < 100:
                    m = T.max(m, A[j, i])
            Y[i] = m
