# Indices that leave their buffer. Each is judged against its own dimension, not against the memory.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def past_end(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            B[i] = A[i + 1]  # here: past_end

    @T.prim_func(s_tir=True)
    def before_start(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            with T.sblock("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi - 1]  # here: before_start

    @T.prim_func(s_tir=True)
    def next_row(A: T.Buffer((10, 100), "int32")) -> T.int32:
        return A[0, 200]  # here: next_row

    @T.prim_func(s_tir=True)
    def next_row_at(A: T.Buffer((10, 100), "int32"), column: T.int32) -> T.int32:
        return A[0, column]  # here: next_row_at

    @T.prim_func(s_tir=True)
    def diagonal(A: T.Buffer(("n", "m"), "int32"), B: T.Buffer(("n",), "int32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            B[i] = A[i, i]  # here: diagonal

    @T.prim_func(s_tir=True)
    def store_outside(A: T.Buffer(("n",), "int64"), at: T.int64):
        n = T.int32()
        A[at] = T.int64(1)  # here: store_outside

    @T.prim_func(s_tir=True)
    def gather(A: T.Buffer(("n",), "float32"), index: T.Buffer(("k",), "int32"), B: T.Buffer(("k",), "float32")):
        n, k = T.int32(), T.int32()
        for i in range(k):
            with T.sblock("B"):
                vi = T.axis.spatial(k, i)
                B[vi] = A[index[vi]]  # here: gather

    @T.prim_func(s_tir=True)
    def scatter(index: T.Buffer(("k",), "int64"), B: T.Buffer(("n",), "int32")):
        n, k = T.int32(), T.int32()
        for i in range(k):
            B[index[i]] = i  # here: scatter

    @T.prim_func(s_tir=True)
    def vector(A: T.Buffer(("n",), "float32"), B: T.Buffer((64,), "float32")):
        n = T.int32()
        for i in range(8):
            B[i * 8:i * 8 + 8] = A[T.Ramp(i * 8, 1, 8)]  # here: vector

    @T.prim_func(s_tir=True)
    def local(n: T.int32) -> T.int32:
        squares = T.alloc_buffer((16,), "int32")
        for i in range(n):
            squares[i] = i * i  # here: local
        return squares[3]

    # Never reached when n is 0, so no trap either.
    @T.prim_func(s_tir=True)
    def guarded(A: T.Buffer(("n",), "int32"), B: T.Buffer((1,), "int32")):
        n = T.int32()
        B[0] = -1
        if n > 3:
            B[0] = A[3]

    # The callee's buffer ends before the caller's does.
    @T.prim_func(private=True, s_tir=True)
    def third(x: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        return x[2]  # here: in_callee

    @T.prim_func(s_tir=True)
    def in_callee(A: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        return Module.third(A)

    @T.prim_func(s_tir=True)
    def chosen(A: T.Buffer(("m",), "float32"), I: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "float32")):
        m, n = T.int32(), T.int32()
        for i in range(n):
            if I[i] >= 0:
                B[i] = A[I[i]]  # here: chosen
