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

    # While loops of which only bounds and steps in memory tell that their counters do not wrap.
    @T.prim_func(s_tir=True)
    def knapsack(w: T.Buffer((12,), "int32"), v: T.Buffer((12,), "int32"), best: T.Buffer(("n",), "int32"), last: T.Buffer((12,), "int32")):
        n = T.int32()
        for i in range(12):
            j: T.int32 = n - 1
            while j >= w[i]:
                best[j] = T.max(best[j], best[j - w[i]] + v[i])
                j = j - 1
            last[i] = j

    @T.prim_func(s_tir=True)
    def knapsack_int64(w: T.Buffer((12,), "int64"), v: T.Buffer((12,), "int64"), best: T.Buffer((200,), "int64"), last: T.Buffer((12,), "int64"), c: T.int64):
        for i in range(12):
            j: T.int64 = c
            while j > w[i]:
                best[j] = T.max(best[j], best[j - w[i]] + v[i])
                j = j - 1
            last[i] = j

    @T.prim_func(s_tir=True)
    def up_to_scalar(a: T.Buffer((60,), "int32"), m: T.int32, s: T.int32, last: T.Buffer((2,), "int32")):
        j: T.int32 = 1
        while j <= m:
            a[j] = a[j] + j
            j = j + 1
        last[0] = j
        j = m
        while j < 60:
            a[j] = a[j] - j
            j = j + s
        last[1] = j

    # Bounds at the ends of the type: the counter goes around, and on until there is no element.
    @T.prim_func(s_tir=True)
    def goes_around_below(a: T.Buffer((40,), "int32"), ends: T.Buffer((1,), "int32")):
        ends[0] = T.min_value("int32")
        j: T.int32 = T.min_value("int32") + 20
        k: T.int32 = 0
        while j >= ends[0]:
            a[k] = j
            k = k + 1
            j = j - 1

    @T.prim_func(s_tir=True)
    def goes_around_above(a: T.Buffer((40,), "int32"), ends: T.Buffer((2,), "int32")):
        ends[0] = T.max_value("int32") - 2
        ends[1] = 5
        j: T.int32 = T.max_value("int32") - 18
        k: T.int32 = 0
        while j < ends[0]:
            a[k] = j
            k = k + 1
            j = j + ends[1]

    @T.prim_func(s_tir=True)
    def stands_or_goes_down(a: T.Buffer((40,), "int32"), steps: T.Buffer((3,), "int32")):
        j: T.int32 = 3
        k: T.int32 = 0
        while j < 9:
            a[k] = j
            k = k + 1
            j = j + steps[0] % 4 - 2
