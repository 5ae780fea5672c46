# What is kept is put together: runs, pairs, places; with variables that arms set beside what they keep.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def runs(x: T.Buffer(("n",), "int32"), value: T.Buffer(("n + 1",), "int32"), length: T.Buffer(("n + 1",), "int32"), size: T.Buffer((1,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        r: T.int32 = 1
        for i in range(1, n):
            if x[i] % 3 == x[i - 1] % 3:
                r = r + 1
            else:
                value[q] = x[i - 1]
                length[q] = r
                q = q + 1
                r = 1
        value[q] = r
        size[0] = q

    @T.prim_func(s_tir=True)
    def sums_of_runs(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n + 1",), "int32"), size: T.Buffer((2,), "int32")):
        n = T.int32()
        q: T.int32 = -1
        s: T.int32 = 0
        for i in range(n):
            if x[i] % 4 == 0:
                q = q + 1
                out[q] = s
                s = x[i]
            else:
                s = s + x[i]
        size[0] = q
        size[1] = s

    @T.prim_func(s_tir=True)
    def float_sums_of_runs(x: T.Buffer(("n",), "float32"), m: T.Buffer(("n",), "int32"), out: T.Buffer(("n + 1",), "float32"), last: T.Buffer((1,), "float32")):
        n = T.int32()
        q: T.int32 = 0
        s: T.float32 = T.float32(0)
        for i in range(n):
            if m[i] % 5 == 0:
                out[q] = s
                q = q + 1
                s = x[i]
            else:
                s = s + x[i]
        last[0] = s

    @T.prim_func(s_tir=True)
    def last_kept(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), size: T.Buffer((2,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        last: T.int32 = -7
        for i in range(n):
            if x[i] % 2 == 1:
                out[q] = last
                q = q + 1
                last = x[i]
        size[0] = q
        size[1] = last

    @T.prim_func(s_tir=True)
    def both_count(x: T.Buffer(("n",), "int32"), a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "int32"), size: T.Buffer((3,), "int32")):
        n = T.int32()
        p: T.int32 = 0
        q: T.int32 = 0
        t: T.int32 = 0
        for i in range(n):
            if x[i] % 3 > 0:
                a[p] = t
                p = p + 1
                t = t + x[i]
            else:
                b[q] = t
                q = q + 1
                t = t - 1
        size[0] = p
        size[1] = q
        size[2] = t

    @T.prim_func(s_tir=True)
    def marks_others(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), mark: T.Buffer(("n",), "int32"), size: T.Buffer((1,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        for i in range(n):
            if x[i] % 3 > 0:
                out[q] = i
                q = q + 1
            else:
                mark[i] = x[i]
        size[0] = q

    @T.prim_func(s_tir=True)
    def in_order(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), size: T.Buffer((2,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        t: T.int32 = 3
        for i in range(n):
            if x[i] % 3 > 0:
                t = y[i]
                y[i] = 0
                out[q] = x[i]
                q = q + 1
            y[i] = y[i] + t
        size[0] = q
        size[1] = t

    @T.prim_func(s_tir=True)
    def asks_the_new(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), size: T.Buffer((2,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        t: T.int32 = 3
        for i in range(n):
            if x[i] % 3 > 0:
                t = t + x[i]
                out[q] = t
                q = q + 1
            else:
                t = 0
        size[0] = q
        size[1] = t

    @T.prim_func(s_tir=True)
    def swaps(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), size: T.Buffer((3,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        a: T.int32 = 1
        b: T.int32 = 2
        for i in range(n):
            if x[i] % 3 > 0:
                out[q] = a
                q = q + 1
                a = b
                b = x[i]
            else:
                b = 0
        size[0] = q
        size[1] = a
        size[2] = b

    @T.prim_func(s_tir=True)
    def ends(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), o: T.Buffer((2,), "int32")):
        n = T.int32()
        low: T.int32 = 0
        high: T.int32 = n
        for i in range(n):
            if a[i] < T.float32(0):
                b[low] = a[i]
                low = low + 1
            else:
                high = high - 1
                b[high] = a[i]
        o[0] = low
        o[1] = high

    @T.prim_func(s_tir=True)
    def ends_meet(a: T.Buffer((5000,), "int32"), b: T.Buffer((1200,), "int32"), p: T.int32, o: T.Buffer((2,), "int32")):
        low: T.int32 = T.min(T.max(p, 0), 200)
        high: T.int32 = 1100
        for i in range(1000):
            if a[i * 5] < 10:
                high = high - 1
                b[high] = a[i] + i
            else:
                b[low] = a[i + 1]
                low = low + 1
        for i in range(900):
            if a[i] < 9:
                b[low + 1] = a[i]
                low = low + 1
            else:
                b[high - 2] = i
                high = high - 1
        o[0] = low
        o[1] = high

    @T.prim_func(s_tir=True)
    def down(a: T.Buffer(("n",), "int8"), b: T.Buffer(("n",), "int8"), at: T.Buffer(("n",), "int32"), o: T.Buffer((2,), "int64")):
        n = T.int32()
        high: T.int64 = T.Cast("int64", n)
        for i in range(n):
            if a[i] > T.int8(7):
                high = high - T.int64(1)
                b[high] = a[i]
                at[high] = i
        o[0] = high

    @T.prim_func(s_tir=True)
    def two_ways(a: T.Buffer((3000,), "float64"), b: T.Buffer((3000,), "float64"), c: T.Buffer((3000,), "float64"), first: T.int32, o: T.Buffer((2,), "int32")):
        m: T.int32 = 2999
        k: T.int32 = first
        s: T.int32 = 0
        for i in range(3000):
            if a[i] < T.float64(1):
                b[m] = a[i] * T.float64(2)
                m = m - 1
                s = i
            else:
                k = k - 1
                c[k] = a[i]
        o[0] = m + s
        o[1] = k

    # Arms that set two variables in another order: each reads what the other arm has set already.
    @T.prim_func(s_tir=True)
    def sets_in_two_orders(x: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32"), r: T.Buffer((3,), "int32")):
        n = T.int32()
        q: T.int32 = 0
        a: T.int32 = 0
        b: T.int32 = 0
        for i in range(n):
            if x[i] % 3 == 1:
                out[q] = x[i]
                q = q + 1
                a = 1
                b = x[i] - 1
            else:
                b = b + a
                a = a + x[i]
        r[0] = q
        r[1] = a
        r[2] = b
