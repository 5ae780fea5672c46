# Choices among the statements of a loop that its bounds decide: each part is a loop without them.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def window_sum(x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32"), r: T.int32):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + x[i]
            if i >= r:
                s = s - x[i - r]
            y[i] = s

    @T.prim_func(s_tir=True)
    def window_sum_of_rows(x: T.Buffer(("h * w",), "float32"), y: T.Buffer(("h * w",), "float32"), h: T.int32, w: T.int32, r: T.int32):
        for i in range(h):
            s: T.float32 = T.float32(0)
            for j in range(w):
                s = s + x[i * w + j]
                if j >= r:
                    s = s - x[i * w + j - r]
                y[i * w + j] = s

    @T.prim_func(s_tir=True)
    def window_of_both_ends(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), r: T.int32):
        n = T.int32()
        s: T.int32 = 0
        for i in range(n):
            if i + r < n:
                s = s + x[i + r]
            if i > r:
                s = s - x[i - r - 1]
            y[i] = s

    @T.prim_func(s_tir=True)
    def echoes(x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32"), r: T.int32):
        n = T.int32()
        for i in range(n):
            s: T.float32 = x[i]
            if i >= r:
                s = s + x[i - r]
            if i >= 2 * r:
                s = s + x[i - 2 * r]
            y[i] = s

    @T.prim_func(s_tir=True)
    def in_place(x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32"), r: T.int32):
        n = T.int32()
        for i in range(n):
            y[i] = y[i] * T.float32(2)
            if i < n - r:
                y[i] = y[i] - x[i + r]
            else:
                y[i] = y[i] + x[i]
            y[i] = T.sqrt(T.abs(y[i]))

    @T.prim_func(s_tir=True)
    def one_iteration(x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32"), at: T.int32):
        n = T.int32()
        s: T.float32 = T.float32(1)
        for i in range(n):
            s = s + x[i]
            if i == at:
                s = s * T.float32(0.5)
            y[i] = s

    @T.prim_func(s_tir=True)
    def all_but_one(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), at: T.int32):
        n = T.int32()
        s: T.int32 = 1
        for i in range(n):
            if i != at:
                s = s + x[i]
            y[i] = s

    @T.prim_func(s_tir=True)
    def outside(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), a: T.int32, b: T.int32):
        n = T.int32()
        s: T.int32 = 0
        for i in range(n):
            if i < a or i >= b:
                s = s + x[i]
            y[i] = s - x[i]

    @T.prim_func(s_tir=True)
    def fails_behind(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), d: T.Buffer((4,), "int32"), r: T.int32):
        n = T.int32()
        s: T.int32 = 0
        for i in range(n):
            y[i] = s
            if i >= r:
                s = s + x[i] // d[0]
            y[i] = y[i] + s

    @T.prim_func(s_tir=True)
    def backwards(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), r: T.int32):
        n = T.int32()
        s: T.int32 = 0
        for k in range(n):
            s = s + x[n - 1 - k]
            if n - 1 - k < r:
                s = s - x[k]
            y[n - 1 - k] = s

    @T.prim_func(s_tir=True)
    def counts(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n + 1",), "int32"), r: T.int32):
        n = T.int32()
        q: T.int32 = 0
        for i in range(n):
            if i >= r:
                q = q + 1
            y[q] = y[q] + x[i]
