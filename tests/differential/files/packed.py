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
