# Loops of the Test Suite for Vectorizing Compilers, written from their definitions; each has the name that it has there.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def s000(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = b[i] + T.float32(1)

    @T.prim_func(s_tir=True)
    def s111(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n, 2):
            a[i] = a[i - 1] + b[i]

    @T.prim_func(s_tir=True)
    def s1111(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n // 2):
            a[2 * i] = c[i] * b[i] + d[i] * b[i] + c[i] * c[i] + d[i] * b[i] + d[i] * c[i]

    @T.prim_func(s_tir=True)
    def s112(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i_back in range(n - 1):
            i: T.let[T.int32] = n - 2 - i_back
            a[i + 1] = a[i] + b[i]

    @T.prim_func(s_tir=True)
    def s1112(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i_back in range(n):
            i: T.let[T.int32] = n - 1 - i_back
            a[i] = b[i] + T.float32(1)

    @T.prim_func(s_tir=True)
    def s113(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            a[i] = a[0] + b[i]

    @T.prim_func(s_tir=True)
    def s1113(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[n // 2] + b[i]

    @T.prim_func(s_tir=True)
    def s114(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(i):
                aa[i, j] = aa[j, i] + bb[i, j]

    @T.prim_func(s_tir=True)
    def s115(a: T.Buffer(("m",), "float32"), s: T.float32, aa: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for j in range(m):
            for i in range(j + 1, m):
                a[i] = a[i] - aa[j, i] * s * a[j]

    @T.prim_func(s_tir=True)
    def s1115(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(m):
                aa[i, j] = aa[i, j] * cc[j, i] + bb[i, j]

    @T.prim_func(s_tir=True)
    def s116(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(0, n - 5, 5):
            a[i] = a[i + 1] * a[i]
            a[i + 1] = a[i + 2] * a[i + 1]
            a[i + 2] = a[i + 3] * a[i + 2]
            a[i + 3] = a[i + 4] * a[i + 3]
            a[i + 4] = a[i + 5] * a[i + 4]

    @T.prim_func(s_tir=True)
    def s118(a: T.Buffer(("m",), "float32"), s: T.float32, bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(i):
                a[i] = a[i] + bb[j, i] * s * a[i - j - 1]

    @T.prim_func(s_tir=True)
    def s119(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(1, m):
                aa[i, j] = aa[i - 1, j - 1] + bb[i, j]

    @T.prim_func(s_tir=True)
    def s1119(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(m):
                aa[i, j] = aa[i - 1, j] + bb[i, j]

    @T.prim_func(s_tir=True)
    def s121(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = a[i + 1] + b[i]

    @T.prim_func(s_tir=True)
    def s122(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), first: T.int32, step: T.int32):
        n = T.int32()
        for i in range((n - first + step - 1) // step):
            a[first - 1 + i * step] = a[first - 1 + i * step] + b[n - 1 - i]

    @T.prim_func(s_tir=True)
    def s123(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n // 2):
            j = j + 1
            a[j] = b[i] + d[i] * e[i]
            if c[i] > T.float32(0):
                j = j + 1
                a[j] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s124(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n):
            if b[i] > T.float32(0):
                j = j + 1
                a[j] = b[i] + d[i] * e[i]
            else:
                j = j + 1
                a[j] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s125(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32"), flat: T.Buffer(("m * m",), "float32")):
        m = T.int32()
        k: T.int32 = 0 - 1
        for i in range(m):
            for j in range(m):
                k = k + 1
                flat[k] = aa[i, j] + bb[i, j] * cc[i, j]

    @T.prim_func(s_tir=True)
    def s126(bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32"), flat: T.Buffer(("m * m",), "float32")):
        m = T.int32()
        k: T.int32 = 1
        for i in range(m):
            for j in range(1, m):
                bb[j, i] = bb[j - 1, i] + flat[k - 1] * cc[j, i]
                k = k + 1
            k = k + 1

    @T.prim_func(s_tir=True)
    def s127(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n // 2):
            j = j + 1
            a[j] = b[i] + c[i] * d[i]
            j = j + 1
            a[j] = b[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s128(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n // 2):
            k: T.int32 = j + 1
            a[i] = b[k] - d[i]
            j = k + 1
            b[k] = a[i] + c[k]

    @T.prim_func(s_tir=True)
    def s131(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), shift: T.int32):
        n = T.int32()
        for i in range(n - 1):
            a[i] = a[i + shift] + b[i]

    @T.prim_func(s_tir=True)
    def s132(aa: T.Buffer(("m", "m"), "float32"), b: T.Buffer(("m",), "float32"), c: T.Buffer(("m",), "float32")):
        m = T.int32()
        for i in range(1, m):
            aa[0, i] = aa[1, i - 1] + b[i] * c[1]

    @T.prim_func(s_tir=True)
    def s141(bb: T.Buffer(("m", "m"), "float32"), flat: T.Buffer(("m * m",), "float32")):
        m = T.int32()
        for i in range(m):
            k: T.int32 = (i + 1) * i // 2 + i
            for j in range(i, m):
                flat[k] = flat[k] + bb[j, i]
                k = k + j + 1

    @T.prim_func(s_tir=True)
    def s152(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            b[i] = d[i] * e[i]
            a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s161(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            if b[i] < T.float32(0):
                c[i + 1] = a[i] + d[i] * d[i]
            else:
                a[i] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s1161(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            if c[i] < T.float32(0):
                b[i] = a[i] + d[i] * d[i]
            else:
                a[i] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s162(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), k: T.int32):
        n = T.int32()
        if k > 0:
            for i in range(n - k):
                a[i] = a[i + k] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s171(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), inc: T.int32):
        n = T.int32()
        for i in range(n):
            a[i * inc] = a[i * inc] + b[i]

    @T.prim_func(s_tir=True)
    def s172(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), first: T.int32, step: T.int32):
        n = T.int32()
        for i in range(first - 1, n, step):
            a[i] = a[i] + b[i]

    @T.prim_func(s_tir=True)
    def s173(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        k: T.int32 = n // 2
        for i in range(n // 2):
            a[i + k] = a[i] + b[i]

    @T.prim_func(s_tir=True)
    def s175(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), inc: T.int32):
        n = T.int32()
        for i in range(0, n - 1 - inc, inc):
            a[i] = a[i + inc] + b[i]

    @T.prim_func(s_tir=True)
    def s176(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for j in range(n // 2):
            for i in range(n // 2):
                a[i] = a[i] + b[i + n // 2 - j - 1] * c[j]

    @T.prim_func(s_tir=True)
    def s211(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n - 1):
            a[i] = b[i - 1] + c[i] * d[i]
            b[i] = b[i + 1] - e[i] * d[i]

    @T.prim_func(s_tir=True)
    def s212(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = a[i] * c[i]
            b[i] = b[i] + a[i + 1] * d[i]

    @T.prim_func(s_tir=True)
    def s1213(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n - 1):
            a[i] = b[i - 1] + c[i]
            b[i] = a[i + 1] * d[i]

    @T.prim_func(s_tir=True)
    def s221(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            a[i] = a[i] + c[i] * d[i]
            b[i] = b[i - 1] + a[i] + d[i]

    @T.prim_func(s_tir=True)
    def s1221(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(4, n):
            b[i] = b[i - 4] + a[i]

    @T.prim_func(s_tir=True)
    def s222(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            a[i] = a[i] + b[i] * c[i]
            e[i] = e[i - 1] * e[i - 1]
            a[i] = a[i] - b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s231(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(1, m):
                aa[j, i] = aa[j - 1, i] + bb[j, i]

    @T.prim_func(s_tir=True)
    def s232(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), s: T.float32):
        m = T.int32()
        for j in range(1, m):
            for i in range(1, j + 1):
                aa[j, i] = aa[j, i - 1] * aa[j, i - 1] * s + bb[j, i]

    @T.prim_func(s_tir=True)
    def s1232(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for j in range(m):
            for i in range(j, m):
                aa[i, j] = bb[i, j] + cc[i, j]

    @T.prim_func(s_tir=True)
    def s233(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(1, m):
                aa[j, i] = aa[j - 1, i] + cc[j, i]
            for j in range(1, m):
                bb[j, i] = bb[j, i - 1] + cc[j, i]

    @T.prim_func(s_tir=True)
    def s2233(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(1, m):
                aa[j, i] = aa[j - 1, i] + cc[j, i]
            for j in range(1, m):
                bb[i, j] = bb[i - 1, j] + cc[i, j]

    @T.prim_func(s_tir=True)
    def s235(a: T.Buffer(("m",), "float32"), aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), b: T.Buffer(("m",), "float32"), c: T.Buffer(("m",), "float32")):
        m = T.int32()
        for i in range(m):
            a[i] = a[i] + b[i] * c[i]
            for j in range(1, m):
                aa[j, i] = aa[j - 1, i] + bb[j, i] * a[i]

    @T.prim_func(s_tir=True)
    def s241(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = b[i] * c[i] * d[i]
            b[i] = a[i] * a[i + 1] * d[i] + T.float32(0.5)

    @T.prim_func(s_tir=True)
    def s242(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), s: T.float32, t: T.float32):
        n = T.int32()
        for i in range(1, n):
            a[i] = a[i - 1] + s + t + b[i] + c[i] + d[i]

    @T.prim_func(s_tir=True)
    def s243(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = b[i] + c[i] * d[i]
            b[i] = a[i] + d[i] * e[i]
            a[i] = b[i] + a[i + 1] * d[i]

    @T.prim_func(s_tir=True)
    def s244(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = b[i] + c[i] * d[i]
            b[i] = c[i] + b[i]
            a[i + 1] = b[i] + a[i + 1] * d[i]

    @T.prim_func(s_tir=True)
    def s1244(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i] = b[i] + c[i] * c[i] + b[i] * b[i] + c[i]
            d[i] = a[i] + a[i + 1]

    @T.prim_func(s_tir=True)
    def s2244(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i + 1] = b[i] + e[i]
            a[i] = b[i] + c[i]

    @T.prim_func(s_tir=True)
    def s251(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = b[i] + c[i] * d[i]
            a[i] = s * s

    @T.prim_func(s_tir=True)
    def s1251(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = b[i] + c[i]
            b[i] = a[i] + d[i]
            a[i] = s * e[i]

    @T.prim_func(s_tir=True)
    def s2251(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            a[i] = s * e[i]
            s = b[i] + c[i]
            b[i] = a[i] + d[i]

    @T.prim_func(s_tir=True)
    def s3251(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            a[i + 1] = b[i] + c[i]
            b[i] = c[i] * e[i]
            d[i] = a[i] * e[i]

    @T.prim_func(s_tir=True)
    def s252(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        t: T.float32 = T.float32(0)
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = b[i] * c[i]
            a[i] = s + t
            t = s

    @T.prim_func(s_tir=True)
    def s253(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            if a[i] > b[i]:
                s = a[i] - b[i] * d[i]
                c[i] = c[i] + s
                a[i] = s

    @T.prim_func(s_tir=True)
    def s254(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        x: T.float32 = b[n - 1]
        for i in range(n):
            a[i] = (b[i] + x) * T.float32(0.5)
            x = b[i]

    @T.prim_func(s_tir=True)
    def s255(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        x: T.float32 = b[n - 1]
        y: T.float32 = b[n - 2]
        for i in range(n):
            a[i] = (b[i] + x + y) * T.float32(0.333)
            y = x
            x = b[i]

    @T.prim_func(s_tir=True)
    def s256(a: T.Buffer(("m",), "float32"), aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), d: T.Buffer(("m",), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(1, m):
                a[j] = T.float32(1) - a[j - 1]
                aa[j, i] = a[j] + bb[j, i] * d[j]

    @T.prim_func(s_tir=True)
    def s257(a: T.Buffer(("m",), "float32"), aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(1, m):
            for j in range(m):
                a[i] = aa[j, i] - a[i - 1]
                aa[j, i] = a[i] + bb[j, i]

    @T.prim_func(s_tir=True)
    def s258(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), f: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            if a[i] > T.float32(0):
                s = d[i] * d[i]
            b[i] = s * c[i] + d[i]
            e[i] = (s + T.float32(1)) * f[i]

    @T.prim_func(s_tir=True)
    def s261(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            t: T.float32 = a[i] + b[i]
            a[i] = t + c[i - 1]
            t = c[i] * d[i]
            c[i] = t

    @T.prim_func(s_tir=True)
    def s271(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if b[i] > T.float32(0):
                a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s272(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), t: T.float32):
        n = T.int32()
        for i in range(n):
            if e[i] >= t:
                a[i] = a[i] + c[i] * d[i]
                b[i] = b[i] + c[i] * c[i]

    @T.prim_func(s_tir=True)
    def s273(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + d[i] * e[i]
            if a[i] < T.float32(0):
                b[i] = b[i] + d[i] * e[i]
            c[i] = c[i] + a[i] * d[i]

    @T.prim_func(s_tir=True)
    def s274(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = c[i] + e[i] * d[i]
            if a[i] > T.float32(0):
                b[i] = a[i] + b[i]
            else:
                a[i] = d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s275(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            if aa[0, i] > T.float32(0):
                for j in range(1, m):
                    aa[j, i] = aa[j - 1, i] + bb[j, i] * cc[j, i]

    @T.prim_func(s_tir=True)
    def s2275(a: T.Buffer(("m",), "float32"), aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32"), b: T.Buffer(("m",), "float32"), c: T.Buffer(("m",), "float32"), d: T.Buffer(("m",), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(m):
                aa[j, i] = aa[j, i] + bb[j, i] * cc[j, i]
            a[i] = b[i] + c[i] * d[i]

    @T.prim_func(s_tir=True)
    def s276(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if i + 1 < n // 2:
                a[i] = a[i] + b[i] * c[i]
            else:
                a[i] = a[i] + b[i] * d[i]

    @T.prim_func(s_tir=True)
    def s277(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n - 1):
            if a[i] < T.float32(0):
                if b[i] < T.float32(0):
                    a[i] = a[i] + c[i] * d[i]
                b[i + 1] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s278(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if a[i] > T.float32(0):
                c[i] = d[i] * e[i] - c[i]
            else:
                b[i] = d[i] * e[i] - b[i]
            a[i] = b[i] + c[i] * d[i]

    @T.prim_func(s_tir=True)
    def s279(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if a[i] > T.float32(0):
                c[i] = e[i] * e[i] - c[i]
            else:
                b[i] = d[i] * d[i] - b[i]
                if b[i] > a[i]:
                    c[i] = c[i] + d[i] * e[i]
            a[i] = b[i] + c[i] * d[i]

    @T.prim_func(s_tir=True)
    def s1279(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if a[i] < T.float32(0):
                if b[i] > a[i]:
                    c[i] = c[i] + d[i] * e[i]

    @T.prim_func(s_tir=True)
    def s2710(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), x: T.float32):
        n = T.int32()
        for i in range(n):
            if a[i] > b[i]:
                a[i] = a[i] + b[i] * d[i]
                if x > T.float32(0.25):
                    c[i] = c[i] + d[i] * d[i]
                else:
                    c[i] = d[i] * e[i] + T.float32(1)
            else:
                b[i] = a[i] + e[i] * e[i]
                if x > T.float32(0):
                    c[i] = a[i] + d[i] * d[i]
                else:
                    c[i] = c[i] + e[i] * e[i]

    @T.prim_func(s_tir=True)
    def s2711(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if b[i] != T.float32(0):
                a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s2712(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if a[i] > b[i]:
                a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s281(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            x: T.float32 = a[n - i - 1] + b[i] * c[i]
            a[i] = x - T.float32(1)
            b[i] = x

    @T.prim_func(s_tir=True)
    def s1281(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            x: T.float32 = b[i] * c[i] + a[i] * d[i] + e[i]
            a[i] = x - T.float32(1)
            b[i] = x

    @T.prim_func(s_tir=True)
    def s291(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        before: T.int32 = n - 1
        for i in range(n):
            a[i] = (b[i] + b[before]) * T.float32(0.5)
            before = i

    @T.prim_func(s_tir=True)
    def s292(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        before: T.int32 = n - 1
        twice: T.int32 = n - 2
        for i in range(n):
            a[i] = (b[i] + b[before] + b[twice]) * T.float32(0.333)
            twice = before
            before = i

    @T.prim_func(s_tir=True)
    def s293(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[0]

    @T.prim_func(s_tir=True)
    def s2101(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), cc: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            aa[i, i] = aa[i, i] + bb[i, i] * cc[i, i]

    @T.prim_func(s_tir=True)
    def s2102(aa: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for i in range(m):
            for j in range(m):
                aa[j, i] = T.float32(0)
            aa[i, i] = T.float32(1)

    @T.prim_func(s_tir=True)
    def s2111(aa: T.Buffer(("m", "m"), "float32")):
        m = T.int32()
        for j in range(1, m):
            for i in range(1, m):
                aa[j, i] = (aa[j, i - 1] + aa[j - 1, i]) / T.float32(1.9)

    @T.prim_func(s_tir=True)
    def s311(a: T.Buffer(("n",), "float32"), sum: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + a[i]
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s31111(a: T.Buffer(("n",), "float32"), sum: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(0, n - 3, 4):
            s = s + (a[i] + a[i + 1] + a[i + 2] + a[i + 3])
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s312(a: T.Buffer(("n",), "float32"), product: T.Buffer((1,), "float32")):
        n = T.int32()
        p: T.float32 = T.float32(1)
        for i in range(n):
            p = p * (T.float32(1) + a[i] * T.float32(0.01))
        product[0] = p

    @T.prim_func(s_tir=True)
    def s313(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), dot: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + a[i] * b[i]
        dot[0] = s

    @T.prim_func(s_tir=True)
    def s314(a: T.Buffer(("n",), "float32"), largest: T.Buffer((1,), "float32")):
        n = T.int32()
        x: T.float32 = a[0]
        for i in range(n):
            if a[i] > x:
                x = a[i]
        largest[0] = x

    @T.prim_func(s_tir=True)
    def s315(a: T.Buffer(("n",), "float32"), largest: T.Buffer((1,), "float32"), at: T.Buffer((1,), "int32")):
        n = T.int32()
        x: T.float32 = a[0]
        index: T.int32 = 0
        for i in range(n):
            if a[i] > x:
                x = a[i]
                index = i
        largest[0] = x
        at[0] = index

    @T.prim_func(s_tir=True)
    def s316(a: T.Buffer(("n",), "float32"), least: T.Buffer((1,), "float32")):
        n = T.int32()
        x: T.float32 = a[0]
        for i in range(1, n):
            if a[i] < x:
                x = a[i]
        least[0] = x

    @T.prim_func(s_tir=True)
    def s317(power: T.Buffer((1,), "float32"), count: T.int32):
        q: T.float32 = T.float32(1)
        for i in range(count // 2):
            q = q * T.float32(0.9995)
        power[0] = q

    @T.prim_func(s_tir=True)
    def s318(a: T.Buffer(("n",), "float32"), inc: T.int32, largest: T.Buffer((1,), "float32"), at: T.Buffer((1,), "int32")):
        n = T.int32()
        k: T.int32 = 0
        index: T.int32 = 0
        x: T.float32 = T.abs(a[0])
        k = k + inc
        for i in range(1, n):
            if T.abs(a[k]) > x:
                index = i
                x = T.abs(a[k])
            k = k + inc
        largest[0] = x
        at[0] = index

    @T.prim_func(s_tir=True)
    def s319(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), sum: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            a[i] = c[i] + d[i]
            s = s + a[i]
            b[i] = c[i] + e[i]
            s = s + b[i]
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s3110(aa: T.Buffer(("m", "m"), "float32"), largest: T.Buffer((1,), "float32"), at: T.Buffer((2,), "int32")):
        m = T.int32()
        x: T.float32 = aa[0, 0]
        row: T.int32 = 0
        column: T.int32 = 0
        for i in range(m):
            for j in range(m):
                if aa[i, j] > x:
                    x = aa[i, j]
                    row = i
                    column = j
        largest[0] = x
        at[0] = row
        at[1] = column

    @T.prim_func(s_tir=True)
    def s3111(a: T.Buffer(("n",), "float32"), sum: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            if a[i] > T.float32(0):
                s = s + a[i]
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s3112(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + a[i]
            b[i] = s

    @T.prim_func(s_tir=True)
    def s3113(a: T.Buffer(("n",), "float32"), largest: T.Buffer((1,), "float32")):
        n = T.int32()
        x: T.float32 = T.abs(a[0])
        for i in range(n):
            if T.abs(a[i]) > x:
                x = T.abs(a[i])
        largest[0] = x

    @T.prim_func(s_tir=True)
    def s321(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            a[i] = a[i] + a[i - 1] * b[i]

    @T.prim_func(s_tir=True)
    def s322(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), s: T.float32):
        n = T.int32()
        for i in range(2, n):
            a[i] = a[i] * s + a[i - 1] * b[i] * s + a[i - 2] * c[i] * s

    @T.prim_func(s_tir=True)
    def s323(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            a[i] = b[i - 1] + c[i] * d[i]
            b[i] = a[i] + c[i] * e[i]

    @T.prim_func(s_tir=True)
    def s331(a: T.Buffer(("n",), "float32"), at: T.Buffer((1,), "int32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n):
            if a[i] < T.float32(0):
                j = i
        at[0] = j

    @T.prim_func(s_tir=True)
    def s332(a: T.Buffer(("n",), "float32"), t: T.float32, at: T.Buffer((1,), "int32"), value: T.Buffer((1,), "float32")):
        n = T.int32()
        index: T.int32 = 0 - 2
        x: T.float32 = T.float32(0) - T.float32(1)
        for i in range(n):
            if a[i] > t:
                index = i
                x = a[i]
                break
        at[0] = index
        value[0] = x

    @T.prim_func(s_tir=True)
    def s341(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n):
            if b[i] > T.float32(0):
                j = j + 1
                a[j] = b[i]

    @T.prim_func(s_tir=True)
    def s342(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), mask: T.Buffer(("n",), "float32")):
        n = T.int32()
        j: T.int32 = 0 - 1
        for i in range(n):
            if mask[i] > T.float32(0):
                j = j + 1
                a[i] = b[j]

    @T.prim_func(s_tir=True)
    def s343(aa: T.Buffer(("m", "m"), "float32"), bb: T.Buffer(("m", "m"), "float32"), flat: T.Buffer(("m * m",), "float32")):
        m = T.int32()
        k: T.int32 = 0 - 1
        for i in range(m):
            for j in range(m):
                if bb[j, i] > T.float32(0):
                    k = k + 1
                    flat[k] = aa[j, i]

    @T.prim_func(s_tir=True)
    def s351(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(0, n - 4, 5):
            a[i] = a[i] + c[0] * b[i]
            a[i + 1] = a[i + 1] + c[0] * b[i + 1]
            a[i + 2] = a[i + 2] + c[0] * b[i + 2]
            a[i + 3] = a[i + 3] + c[0] * b[i + 3]
            a[i + 4] = a[i + 4] + c[0] * b[i + 4]

    @T.prim_func(s_tir=True)
    def s1351(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = b[i] + c[i]

    @T.prim_func(s_tir=True)
    def s352(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), dot: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(0, n - 4, 5):
            s = s + a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4]
        dot[0] = s

    @T.prim_func(s_tir=True)
    def s353(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(0, n - 4, 5):
            a[i] = a[i] + c[0] * b[ip[i]]
            a[i + 1] = a[i + 1] + c[0] * b[ip[i + 1]]
            a[i + 2] = a[i + 2] + c[0] * b[ip[i + 2]]
            a[i + 3] = a[i + 3] + c[0] * b[ip[i + 3]]
            a[i + 4] = a[i + 4] + c[0] * b[ip[i + 4]]

    @T.prim_func(s_tir=True)
    def s422(flat: T.Buffer(("n + 8",), "float32"), a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            flat[i] = flat[i + 8] + a[i]

    @T.prim_func(s_tir=True)
    def s424(flat: T.Buffer(("n + 64",), "float32"), a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            flat[i + 64] = flat[i] + a[i]

    @T.prim_func(s_tir=True)
    def s431(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), k: T.int32):
        n = T.int32()
        for i in range(n):
            a[i] = a[i + k] + b[i]

    @T.prim_func(s_tir=True)
    def s441(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if d[i] < T.float32(0):
                a[i] = a[i] + b[i] * c[i]
            elif d[i] == T.float32(0):
                a[i] = a[i] + b[i] * b[i]
            else:
                a[i] = a[i] + c[i] * c[i]

    @T.prim_func(s_tir=True)
    def s442(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), which: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            if which[i] == 0:
                a[i] = a[i] + b[i] * b[i]
            elif which[i] == 1:
                a[i] = a[i] + c[i] * c[i]
            elif which[i] == 2:
                a[i] = a[i] + d[i] * d[i]
            else:
                a[i] = a[i] + e[i] * e[i]

    @T.prim_func(s_tir=True)
    def s443(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if d[i] <= T.float32(0):
                a[i] = a[i] + b[i] * c[i]
            else:
                a[i] = a[i] + b[i] * b[i]

    @T.prim_func(s_tir=True)
    def s451(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = T.sin(b[i]) + T.cos(c[i])

    @T.prim_func(s_tir=True)
    def s452(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = b[i] + c[i] * T.Cast("float32", i + 1)

    @T.prim_func(s_tir=True)
    def s453(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + T.float32(2)
            a[i] = s * b[i]

    @T.prim_func(s_tir=True)
    def s481(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if d[i] < T.float32(0):
                break
            a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def s482(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), s: T.float32):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + b[i] * s
            if c[i] > b[i]:
                break

    @T.prim_func(s_tir=True)
    def s491(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a[ip[i]] = b[i] + c[i] * d[i]

    @T.prim_func(s_tir=True)
    def s4112(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32"), s: T.float32):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + b[ip[i]] * s

    @T.prim_func(s_tir=True)
    def s4113(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a[ip[i]] = b[ip[i]] + c[i]

    @T.prim_func(s_tir=True)
    def s4114(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32"), first: T.int32):
        n = T.int32()
        for i in range(first - 1, n):
            k: T.int32 = ip[i]
            a[i] = b[i] + c[n - k - 1] * d[i]

    @T.prim_func(s_tir=True)
    def s4115(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), ip: T.Buffer(("n",), "int32"), sum: T.Buffer((1,), "float32")):
        n = T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + a[i] * b[ip[i]]
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s4116(a: T.Buffer(("n",), "float32"), sum: T.Buffer((1,), "float32"), ip: T.Buffer(("n",), "int32"), aa: T.Buffer(("m", "m"), "float32")):
        n, m = T.int32(), T.int32()
        s: T.float32 = T.float32(0)
        for i in range(n):
            s = s + a[i] * aa[m - 1, ip[i]]
        sum[0] = s

    @T.prim_func(s_tir=True)
    def s4117(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = b[i] + c[i // 2] * d[i]

    @T.prim_func(s_tir=True)
    def s4121(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + b[i] * c[i]

    @T.prim_func(s_tir=True)
    def va(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = b[i]

    @T.prim_func(s_tir=True)
    def vif(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            if b[i] > T.float32(0):
                a[i] = b[i]

    @T.prim_func(s_tir=True)
    def vpv(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + b[i]

    @T.prim_func(s_tir=True)
    def vtv(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] * b[i]

    @T.prim_func(s_tir=True)
    def vpvts(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), s: T.float32):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + b[i] * s

    @T.prim_func(s_tir=True)
    def vpvpv(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] + (b[i] + c[i])

    @T.prim_func(s_tir=True)
    def vtvtv(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a[i] = a[i] * b[i] * c[i]

    @T.prim_func(s_tir=True)
    def vbor(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"), d: T.Buffer(("n",), "float32"), e: T.Buffer(("n",), "float32"), x: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            p: T.float32 = b[i] * c[i] + b[i] * d[i] + b[i] * e[i] + b[i] * x[i]
            q: T.float32 = c[i] * d[i] + c[i] * e[i] + c[i] * x[i] + d[i] * e[i]
            r: T.float32 = d[i] * x[i] + e[i] * x[i]
            a[i] = p * q * r
