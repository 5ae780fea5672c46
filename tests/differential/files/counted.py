# Counters of loops that nobody knows the beginning of: packed triangles, rows behind each other, counts that go on.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def packed_product(ap: T.Buffer(("n * (n + 1) // 2",), "float32"), x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32"), n: T.int32):
        k: T.int32 = 0
        for j in range(n):
            s: T.float32 = T.float32(0)
            for i in range(j + 1):
                s = s + ap[k] * x[i]
                k = k + 1
            y[j] = s

    @T.prim_func(s_tir=True)
    def packed_update(ap: T.Buffer(("n * (n + 1) // 2",), "float32"), x: T.Buffer(("n",), "float32"), n: T.int32, last: T.Buffer((1,), "int32")):
        k: T.int32 = 0
        for j in range(n):
            for i in range(j + 1):
                ap[k] = ap[k] + x[i] * x[j]
                k = k + 1
        last[0] = k

    @T.prim_func(s_tir=True)
    def rows_of_lengths(x: T.Buffer(("n", "m"), "int32"), length: T.Buffer(("n",), "int32"), out: T.Buffer(("n * m",), "int32"), last: T.Buffer((1,), "int32")):
        n = T.int32()
        m = T.int32()
        q: T.int32 = 0
        for i in range(n):
            for j in range(T.max(T.min(length[i] - 20, m), 0)):
                out[q] = x[i, j]
                q = q + 1
        last[0] = q

    @T.prim_func(s_tir=True)
    def may_not_run(x: T.Buffer(("n", "m"), "int32"), length: T.Buffer(("n",), "int32"), out: T.Buffer(("n * m",), "int32"), last: T.Buffer((1,), "int32")):
        n = T.int32()
        m = T.int32()
        q: T.int32 = 0
        for i in range(n):
            if length[i] % 2 == 0:
                for j in range(length[i] % 7 - 3):
                    if q < n * m:
                        out[q] = x[i, 0]
                    q = q + 1
        last[0] = q

    @T.prim_func(s_tir=True)
    def by_two_down(x: T.Buffer(("n", "m"), "int32"), first: T.Buffer(("n",), "int32"), out: T.Buffer(("n * m",), "int32"), last: T.Buffer((1,), "int32")):
        n = T.int32()
        m = T.int32()
        for i in range(n):
            q: T.int32 = n * m - 1
            if first[i] > 50:
                q = q - 1
            for j in range(m // 2):
                out[q] = out[q] + x[i, j]
                q = q - 2
            last[0] = q

    @T.prim_func(s_tir=True)
    def by_a_size(x: T.Buffer(("n", "m"), "int32"), start: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32")):
        n = T.int32()
        m = T.int32()
        q: T.int32 = 5
        for i in range(n):
            s: T.int32 = 0
            for j in range(m):
                s = s + x[i, j] * q
                q = q + n
            out[i] = s + q
            q = start[i]

    @T.prim_func(s_tir=True)
    def wraps(x: T.Buffer(("n",), "int32"), start: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32")):
        n = T.int32()
        q: T.int32 = 0
        for i in range(n):
            q = start[i] * 100000000
            for j in range(n):
                out[j] = out[j] ^ (q // 2 + x[j])
                q = q + 123456789

    @T.prim_func(s_tir=True)
    def leaves_memory(x: T.Buffer(("n",), "int32"), start: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32")):
        n = T.int32()
        q: T.int32 = 0
        for i in range(n):
            if start[i] % 3 == 0:
                q = start[i] // 8
            for j in range(n // 2):
                out[q] = x[j]
                q = q + 1
