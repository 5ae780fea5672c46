# Programs that would not end, or would take all there is.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def forever(A: T.Buffer((1,), "int32")):
        A[0] = 0
        while A[0] >= 0:
            A[0] = A[0] ^ 1

    @T.prim_func(s_tir=True)
    def empty_forever(go: T.bool):
        while go:
            pass

    @T.prim_func(s_tir=True)
    def nested(A: T.Buffer((1,), "int64")):
        for i, j, k in T.grid(2000000, 2000000, 2000000):
            A[0] = A[0] ^ T.Cast("int64", i * 3 + j * 5 + k)

    @T.prim_func(s_tir=True)
    def lanes(A: T.Buffer((1024,), "float32")):
        for t, i in T.grid(2000000000, 1024):
            A[i] = A[i] * T.float32(0.5) + T.float32(1)

    @T.prim_func(s_tir=True)
    def recursion(n: T.int32) -> T.int32:
        return Module.recursion(n + 1) + 1

    @T.prim_func(s_tir=True)
    def ping(n: T.int32) -> T.int32:
        return Module.pong(n)

    @T.prim_func(s_tir=True)
    def pong(n: T.int32) -> T.int32:
        return Module.ping(n)

    # 2^n calls, never deeper than n.
    @T.prim_func(s_tir=True)
    def branching(n: T.int32) -> T.int32:
        if n == 0:
            return 1
        return Module.branching(n - 1) + Module.branching(n - 1)

    @T.prim_func(s_tir=True)
    def scratch(n: T.int32) -> T.float32:
        square = T.alloc_buffer((n, n))  # here: scratch
        square[n - 1, n - 1] = T.float32(1)
        return square[n - 1, n - 1]

    # A megabyte in each frame.
    @T.prim_func(s_tir=True)
    def deep_scratch(n: T.int32) -> T.int32:
        part = T.alloc_buffer((262144,), "int32")
        part[0] = n
        if n == 0:
            return part[0]
        return Module.deep_scratch(n - 1) + part[0]

    # n^8 elements: the product does not fit 64 bits.
    @T.prim_func(s_tir=True)
    def overflow(n: T.int64) -> T.int32:
        huge = T.alloc_buffer((n, n, n, n, n, n, n, n), "int32")  # here: overflow
        huge[0, 0, 0, 0, 0, 0, 0, 0] = 1
        return huge[0, 0, 0, 0, 0, 0, 0, 0]
