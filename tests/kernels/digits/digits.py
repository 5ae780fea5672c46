# Classifies pictures of handwritten digits, 8 x 8 pixels of 0 .. 16, with a small multi-layer perceptron: one hidden
# layer of rectified units. Every step is a PrimFunc; `predict` calls them and is the only public one.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Digits:
    @T.prim_func(private=True, s_tir=True)
    def flatten(images: T.Buffer(("n", 8, 8), "uint8"), x: T.Buffer(("n", 64), "float32")):
        n = T.int32()
        for i, y_, x_ in T.grid(n, 8, 8):
            with T.sblock("flatten"):
                vi, vy, vx = T.axis.remap("SSS", [i, y_, x_])
                x[vi, vy * 8 + vx] = T.Cast("float32", images[vi, vy, vx]) * T.float32(0.0625)

    @T.prim_func(private=True, s_tir=True)
    def dense(x: T.Buffer(("n", "k"), "float32"), w: T.Buffer(("k", "m"), "float32"), y: T.Buffer(("n", "m"), "float32")):
        n, k, m = T.int32(), T.int32(), T.int32()
        for i, j, p in T.grid(n, m, k):
            with T.sblock("dense"):
                vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] += x[vi, vp] * w[vp, vj]

    @T.prim_func(private=True, s_tir=True)
    def bias(y: T.Buffer(("n", "m"), "float32"), b: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("bias"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = y[vi, vj] + b[vj]

    @T.prim_func(private=True, s_tir=True)
    def relu(y: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("relu"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.max(y[vi, vj], T.float32(0))

    @T.prim_func(private=True, s_tir=True)
    def softmax(y: T.Buffer(("n", "m"), "float32"), scores: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        largest = T.sblock_alloc_buffer((n,))
        power = T.sblock_alloc_buffer((n, m))
        total = T.sblock_alloc_buffer((n,))
        for i, j in T.grid(n, m):
            with T.sblock("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], y[vi, vj])
        for i, j in T.grid(n, m):
            with T.sblock("power"):
                vi, vj = T.axis.remap("SS", [i, j])
                power[vi, vj] = T.exp(y[vi, vj] - largest[vi])
        for i, j in T.grid(n, m):
            with T.sblock("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + power[vi, vj]
        for i, j in T.grid(n, m):
            with T.sblock("scores"):
                vi, vj = T.axis.remap("SS", [i, j])
                scores[vi, vj] = power[vi, vj] / total[vi]

    @T.prim_func(private=True, s_tir=True)
    def argmax(y: T.Buffer(("n", "m"), "float32"), digit: T.Buffer(("n",), "int32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            best: T.int32 = 0
            for j in range(1, m):
                if y[i, j] > y[i, best]:
                    best = j
            digit[i] = best

    # images -> probabilities of the ten digits, and the most probable one. h hidden units.
    @T.prim_func(s_tir=True)
    def predict(images: T.Buffer(("n", 8, 8), "uint8"), w0: T.Buffer((64, "h"), "float32"), b0: T.Buffer(("h",), "float32"), w1: T.Buffer(("h", 10), "float32"), b1: T.Buffer((10,), "float32"), scores: T.Buffer(("n", 10), "float32"), digit: T.Buffer(("n",), "int32")):
        n, h = T.int32(), T.int32()
        x = T.sblock_alloc_buffer((n, 64))
        hidden = T.sblock_alloc_buffer((n, h))
        logits = T.sblock_alloc_buffer((n, 10))
        Digits.flatten(images, x)
        Digits.dense(x, w0, hidden)
        Digits.bias(hidden, b0)
        Digits.relu(hidden)
        Digits.dense(hidden, w1, logits)
        Digits.bias(logits, b1)
        Digits.softmax(logits, scores)
        Digits.argmax(logits, digit)
