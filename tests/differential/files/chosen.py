# Variables of lanes that arms set one way or the other, again and again: each lane has one choice.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def digits(s: T.Buffer(("n",), "uint8"), out: T.Buffer(("n",), "uint8")):
        n = T.int32()
        for i in range(n):
            h: T.int32 = T.Cast("int32", s[i])
            if h >= 97:
                h = h - 87
            elif h >= 65:
                h = h - 55
            else:
                h = h - 48
            out[i] = T.Cast("uint8", h & 255)

    @T.prim_func(s_tir=True)
    def without_last_arm(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            h: T.int32 = x[i]
            if h > 50:
                h = h * 3
            elif h > 20:
                if h % 2 == 0:
                    h = h + 7
            h = h - y[i]
            y[i] = h * h

    @T.prim_func(s_tir=True)
    def floats(x: T.Buffer(("n",), "float32"), y: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            a: T.float32 = x[i]
            if y[i] > T.float32(0.5):
                a = y[i]
            elif y[i] > T.float32(0):
                a = -a
            y[i] = a
            a = a + x[i]
            x[i] = a * y[i]

    @T.prim_func(s_tir=True)
    def both_ways(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a: T.int32 = x[i]
            b: T.int32 = y[i]
            if a > b:
                t: T.int32 = a
                a = b
                b = t
            x[i] = a
            y[i] = b
            if a + b > 100:
                a = 0
            else:
                b = 1
            x[i] = x[i] + a * b

    @T.prim_func(s_tir=True)
    def in_a_loop(x: T.Buffer(("n", 5), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a: T.int32 = y[i]
            a = a + 1
            for j in range(5):
                if x[i, j] > a:
                    a = a + x[i, j]
                elif x[i, j] > 20:
                    a = a - 1
                else:
                    a = a ^ x[i, j]
            a = a * 2
            if a > 200:
                a = 200
            y[i] = a

    @T.prim_func(s_tir=True)
    def divides(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a: T.int32 = 1
            if x[i] % 5 != 0:
                a = y[i] // (x[i] % 5)
            else:
                a = y[i] - 2
            y[i] = a

    @T.prim_func(s_tir=True)
    def own_rounds(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            a: T.int32 = x[i]
            k: T.int32 = 0
            a = T.max(a, 1)
            while a > 1 and k < 40:
                if a % 2 == 0:
                    a = a // 2
                else:
                    a = a * 3 + 1
                k = k + 1
            if k > 9:
                k = k - 9
            elif k > 3:
                k = 3
            y[i] = k

    @T.prim_func(s_tir=True)
    def carried(x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32")):
        n = T.int32()
        r: T.int32 = 0
        for i in range(n):
            a: T.int32 = x[i]
            if a % 3 == 0:
                a = 7
            elif a % 3 == 1:
                a = a + 1
            else:
                a = 0
            if a > 5:
                r = r + a
            else:
                r = 0
            y[i] = r
