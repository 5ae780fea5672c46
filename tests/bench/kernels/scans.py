# Scans: what goes from element to element.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def running_sum(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        total: T.float32 = T.float32(0)
        for i in range(n):
            total = total + A[i]
            B[i] = total

    @T.prim_func(s_tir=True)
    def running_sum_i64(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int64")):
        n = T.int32()
        total: T.int64 = T.int64(0)
        for i in range(n):
            total = total + T.Cast("int64", A[i])
            B[i] = total

    @T.prim_func(s_tir=True)
    def running_product(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        product: T.float32 = T.float32(1)
        for i in range(n):
            product = product * (A[i] * T.float32(0.001) + T.float32(1))
            B[i] = product

    @T.prim_func(s_tir=True)
    def running_max(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        largest: T.float32 = T.min_value("float32")
        for i in range(n):
            largest = T.max(largest, A[i])
            B[i] = largest

    @T.prim_func(s_tir=True)
    def running_min_i32(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        least: T.int32 = T.max_value("int32")
        for i in range(n):
            least = T.min(least, A[i])
            B[i] = least

    # Sums of segments: each begins where a flag is set.
    @T.prim_func(s_tir=True)
    def sum_with_reset(A: T.Buffer(("n",), "float32"), flag: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        total: T.float32 = T.float32(0)
        for i in range(n):
            total = T.Select(flag[i] == T.uint8(0), T.float32(0), total) + A[i]
            B[i] = total

    # How many elements in a row were not zero.
    @T.prim_func(s_tir=True)
    def run_lengths(A: T.Buffer(("n",), "uint8"), B: T.Buffer(("n",), "int32")):
        n = T.int32()
        length: T.int32 = 0
        for i in range(n):
            length = T.Select(A[i] == T.uint8(0), 0, length + 1)
            B[i] = length

    # A filter with one pole.
    @T.prim_func(s_tir=True)
    def smoothed(A: T.Buffer(("n",), "float32"), alpha: T.float32, B: T.Buffer(("n",), "float32")):
        n = T.int32()
        y: T.float32 = T.float32(0)
        for i in range(n):
            y = y + alpha * (A[i] - y)
            B[i] = y

    @T.prim_func(s_tir=True)
    def recurrence(A: T.Buffer(("n",), "float32"), X: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        y: T.float32 = T.float32(0)
        for i in range(n):
            y = A[i] * y + X[i]
            B[i] = y
