# Tables that are filled row by row from elements that numbers name: of the row before, of a row further back, of the
# row itself; values of which several are handed from one iteration to the next in one buffer; what is appended range by
# range; and searches over elements in no order.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def named_before(p: T.Buffer((40,), "int32"), d: T.Buffer((9, 40), "int32")):
        for i, c in T.grid(8, 40):
            d[i + 1, c] = d[i, T.bitwise_and(p[c], 31)] + c


    @T.prim_func(s_tir=True)
    def named_out_of_it(p: T.Buffer((40,), "int32"), d: T.Buffer((9, 40), "int32")):
        for i, c in T.grid(8, 40):
            d[i + 1, c] = d[i, p[c]] + c

    @T.prim_func(s_tir=True)
    def named_by_itself(d: T.Buffer((6, 33), "int32")):
        for c in range(33):
            d[0, c] = T.bitwise_and(d[0, c], 31)
        for i, c in T.grid(5, 33):
            d[i + 1, c] = d[i, d[i, c]]

    @T.prim_func(s_tir=True)
    def named_further_back(p: T.Buffer((20,), "int32"), d: T.Buffer((9, 20), "float32")):
        for i, c in T.grid(7, 20):
            d[i + 2, c] = d[i, T.bitwise_and(p[c], 15)] * T.float32(0.5) + d[i + 1, T.bitwise_and(c * 3, 15)]

    @T.prim_func(s_tir=True)
    def named_behind(p: T.Buffer((20,), "int32"), d: T.Buffer((9, 20), "int16")):
        for i, c in T.grid(8, 20):
            d[7 - i, c] = d[8 - i, T.bitwise_and(p[c], 15)] + T.int16(1)

    @T.prim_func(s_tir=True)
    def named_in_the_row(p: T.Buffer((20,), "int32"), d: T.Buffer((9, 20), "int32")):
        for i, c in T.grid(9, 20):
            d[i, c] = d[i, T.bitwise_and(p[c], 15)] + 1

    @T.prim_func(s_tir=True)
    def named_in_some_row(p: T.Buffer((20,), "int32"), d: T.Buffer((9, 20), "int32")):
        for i, c in T.grid(8, 20):
            d[i + 1, c] = d[T.bitwise_and(p[c], 7), c] + 1

    @T.prim_func(s_tir=True)
    def two_rows(n: T.int32, p: T.Buffer((24,), "int32"), d: T.Buffer((2, 24), "int32")):
        for i, c in T.grid(n, 24):
            d[(i + 1) % 2, c] = d[i % 2, T.bitwise_and(p[c], 15)] + c

    @T.prim_func(s_tir=True)
    def planes(p: T.Buffer((6,), "int32"), d: T.Buffer((3, 5, 6), "int32")):
        for i, y, x in T.grid(2, 5, 6):
            d[i + 1, y, x] = d[i, T.bitwise_and(p[x], 3), x] + d[i, y, T.bitwise_and(p[x], 5)]

    @T.prim_func(s_tir=True)
    def flat_rows(n: T.int32, m: T.int32, p: T.Buffer(("m",), "int32"), d: T.Buffer(("n * m + m",), "int32")):
        for i, c in T.grid(n, m):
            d[(i + 1) * m + c] = d[i * m + T.min(T.max(p[c], 0), m - 1)] + 1

    @T.prim_func(s_tir=True)
    def clamped_by_number(w: T.Buffer((7,), "int32"), v: T.Buffer((7,), "int32"), d: T.Buffer((8, 50), "int32")):
        for i, c in T.grid(7, 50):
            d[i + 1, c] = T.if_then_else(w[i] <= c, T.max(d[i, c], d[i, T.max(c - w[i], 0)] + v[i]), d[i, c])


    @T.prim_func(s_tir=True)
    def clamped_by_small_number(w: T.Buffer((7,), "int32"), v: T.Buffer((7,), "int32"), d: T.Buffer((8, 50), "int32")):
        for i, c in T.grid(7, 50):
            less: T.int32 = T.bitwise_and(w[i], 31) - 2
            d[i + 1, c] = T.if_then_else(less <= c, T.max(d[i, c], d[i, T.max(c - less, 0)] + v[i]), d[i, c])

    @T.prim_func(s_tir=True)
    def clamped_both_ways(w: T.int32, d: T.Buffer((8, 50), "float32")):
        for i, c in T.grid(7, 50):
            d[i + 1, c] = d[i, T.min(T.max(c - w, 0), 49)] + d[i, T.min(T.max(c + w, 0), 49)]

    @T.prim_func(s_tir=True)
    def diffused(a: T.Buffer((9, 22), "int32"), o: T.Buffer((8, 20), "uint8")):
        for y, x in T.grid(8, 20):
            v: T.int32 = a[y, x + 1]
            q: T.int32 = T.if_then_else(v > 127, 255, 0)
            e: T.int32 = v - q
            o[y, x] = T.Cast("uint8", q)
            a[y, x + 2] = a[y, x + 2] + T.shift_right(e * 7, 4)
            a[y + 1, x] = a[y + 1, x] + T.shift_right(e * 3, 4)
            a[y + 1, x + 1] = a[y + 1, x + 1] + T.shift_right(e * 5, 4)
            a[y + 1, x + 2] = a[y + 1, x + 2] + T.shift_right(e, 4)

    @T.prim_func(s_tir=True)
    def handed_on_twice(a: T.Buffer((40,), "int32"), b: T.Buffer((40,), "int32")):
        for i in range(38):
            a[i + 1] = a[i] * 3 + b[i]
            a[i + 2] = a[i + 2] + a[i + 1]

    @T.prim_func(s_tir=True)
    def stored_over_before_it_is_read(a: T.Buffer((40,), "int32"), b: T.Buffer((40,), "int32")):
        for i in range(1, 39):
            a[i + 1] = b[i] + i
            a[i - 1] = b[i] - i
            b[i] = a[i] + a[i - 1]
            a[i] = a[i] * 5

    @T.prim_func(s_tir=True)
    def stored_over_by_another(k: T.int32, a: T.Buffer((60,), "int32"), b: T.Buffer((40,), "int32")):
        for i in range(40):
            b[i] = a[i] + i
            a[i + 1] = b[i] * 3
            if k >= 0 and k < 60:
                a[k] = i

    @T.prim_func(s_tir=True)
    def appended(n: T.Buffer((12,), "int32"), o: T.Buffer((64,), "int32"), e: T.Buffer((1,), "int32")):
        k: T.int32 = 0
        for v in range(12):
            for j in range(T.min(n[v], 5)):
                o[k] = v * 8 + j
                k = k + 1
        e[0] = k

    @T.prim_func(s_tir=True)
    def appended_by_ends(p: T.Buffer((12,), "int32"), x: T.Buffer((40,), "int32"), o: T.Buffer((90,), "int32"),
                         e: T.Buffer((1,), "int32")):
        k: T.int32 = 80
        for v in range(11):
            for j in range(p[v], T.min(p[v + 1], p[v] + 7)):
                o[k] = x[T.bitwise_and(j, 31)]
                k = k - 1
        e[0] = k

    @T.prim_func(s_tir=True)
    def appended_past_the_end(n: T.Buffer((12,), "int32"), o: T.Buffer((20,), "int32")):
        k: T.int32 = 0
        for v in range(12):
            for j in range(T.bitwise_and(n[v], 7)):
                o[k] = v
                k = k + 1

    @T.prim_func(s_tir=True)
    def counted_by_itself(o: T.Buffer((64,), "int32"), e: T.Buffer((1,), "int32")):
        k: T.int32 = 3
        for v in range(3):
            for j in range(k):
                o[k] = v
                k = k + 1
        e[0] = k

    @T.prim_func(s_tir=True)
    def from_both_ends(a: T.Buffer((90,), "float32"), e: T.Buffer((1,), "int32")):
        i: T.int32 = 0
        j: T.int32 = 89
        while i <= j:
            while i < 90 and a[T.min(i, 89)] < T.float32(0.5):
                i = i + 1
            while j >= 0 and a[T.max(j, 0)] > T.float32(0.5):
                j = j - 1
            if i <= j:
                t: T.float32 = a[i]
                a[i] = a[j]
                a[j] = t
                i = i + 1
                j = j - 1
        e[0] = i

    @T.prim_func(s_tir=True)
    def last_that_is_less(a: T.Buffer((300,), "int32"), b: T.Buffer((6,), "int32"), e: T.Buffer((6,), "int32")):
        for k in range(6):
            j: T.int32 = 299 - k
            while j >= 0 and a[T.max(j, 0)] > b[k]:
                j = j - 1
            e[k] = j

    @T.prim_func(s_tir=True)
    def least_under_conditions(a: T.Buffer((30,), "uint8"), b: T.Buffer((40,), "uint8"),
                               d: T.Buffer((31, 41), "int32")):
        for i, j in T.grid(30, 40):
            m: T.int32 = T.min(d[i, j + 1] + 1, d[i + 1, j] + 1)
            if T.bitwise_and(a[i], T.uint8(3)) == T.bitwise_and(b[j], T.uint8(3)):
                m = T.min(m, d[i, j])
            d[i + 1, j + 1] = m

    @T.prim_func(s_tir=True)
    def sum_under_conditions(a: T.Buffer((70,), "int32"), b: T.Buffer((70,), "uint32"), o: T.Buffer((70,), "uint32")):
        m: T.uint32 = T.uint32(5)
        for j in range(70):
            m = T.max(m * T.uint32(3), b[j])
            if T.bitwise_and(a[j], 1) == 0:
                m = m + b[j]
            o[j] = m

    @T.prim_func(s_tir=True)
    def least_of_what_fails(p: T.Buffer((20,), "int32"), a: T.Buffer((20,), "int32"), o: T.Buffer((20,), "int32")):
        m: T.int32 = 1000
        for j in range(20):
            m = T.min(m + 1, a[j])
            if p[j] > 0:
                m = T.min(m, a[p[j]])
            o[j] = m

    @T.prim_func(s_tir=True)
    def distance_by_choice(a: T.Buffer((30,), "uint8"), b: T.Buffer((40,), "uint8"), d: T.Buffer((31, 41), "int32")):
        for i, j in T.grid(30, 40):
            if T.bitwise_and(a[i], T.uint8(3)) == T.bitwise_and(b[j], T.uint8(3)):
                d[i + 1, j + 1] = d[i, j]
            else:
                d[i + 1, j + 1] = T.min(d[i, j + 1] + 1, d[i + 1, j] + 1)

    @T.prim_func(s_tir=True)
    def greatest_by_choice(a: T.Buffer((90,), "uint8"), b: T.Buffer((90,), "int64"), o: T.Buffer((90,), "int64")):
        m: T.int64 = T.int64(-7)
        for j in range(90):
            m = T.if_then_else(T.bitwise_and(a[j], T.uint8(3)) == T.uint8(0), b[j], T.max(m - T.int64(2), b[j] * b[j]))
            o[j] = m

    @T.prim_func(s_tir=True)
    def limits_unsigned(a: T.Buffer((90,), "uint8"), b: T.Buffer((90,), "uint32"), o: T.Buffer((90,), "uint32")):
        m: T.uint32 = T.uint32(7)
        for j in range(90):
            if T.bitwise_and(a[j], T.uint8(3)) != T.uint8(0):
                m = T.min(m + T.uint32(3), b[j])
            else:
                m = b[j]
            o[j] = m

    @T.prim_func(s_tir=True)
    def digits_anew(a: T.Buffer((90,), "uint8"), o: T.Buffer((90,), "int32")):
        m: T.int32 = 3
        for j in range(90):
            if T.bitwise_and(a[j], T.uint8(7)) == T.uint8(0):
                m = T.Cast("int32", a[j]) - 1
            else:
                m = m * 10 + T.Cast("int32", a[j])
            o[j] = m

    @T.prim_func(s_tir=True)
    def products_anew(a: T.Buffer((90,), "uint8"), b: T.Buffer((90,), "uint64"), o: T.Buffer((90,), "uint64")):
        m: T.uint64 = T.uint64(3)
        for j in range(90):
            m = T.if_then_else(a[j] > T.uint8(200), b[j] + T.uint64(1), m * b[j])
            o[j] = m

    @T.prim_func(s_tir=True)
    def distance_and_one(a: T.Buffer((30,), "uint8"), b: T.Buffer((40,), "uint8"), d: T.Buffer((31, 41), "int32")):
        for i, j in T.grid(30, 40):
            if T.bitwise_and(a[i], T.uint8(3)) == T.bitwise_and(b[j], T.uint8(3)):
                d[i + 1, j + 1] = d[i, j]
            else:
                d[i + 1, j + 1] = T.min(T.min(d[i, j + 1], d[i + 1, j]), d[i, j]) + 1

    @T.prim_func(s_tir=True)
    def greatest_and_more(a: T.Buffer((90,), "uint8"), b: T.Buffer((90,), "uint64"), o: T.Buffer((90,), "uint64")):
        m: T.uint64 = T.uint64(3)
        for j in range(90):
            m = T.if_then_else(a[j] > T.uint8(200), b[j], T.max(m, b[j] + T.uint64(9)) + b[j])
            o[j] = m

    # What ends the loop, or is compared in it, is an element whose place is stored to in it.
    @T.prim_func(s_tir=True)
    def place_of_bound(a: T.Buffer((1000,), "uint8"), t: T.Buffer((16,), "int32"), c: T.Buffer((1000,), "int32"), o: T.Buffer((1,), "int32")):
        c[0] = 0
        t[0] = 800
        t[5] = 4
        j: T.int32 = 0
        while j < t[T.bitwise_and(c[0], 15)] and T.Cast("int32", a[j]) < 256 + t[1] * 0:
            c[j] = T.bitwise_and(T.Cast("int32", a[j]), 0) + 5
            j = j + 1
        o[0] = j

    @T.prim_func(s_tir=True)
    def place_of_compared(a: T.Buffer((1000,), "uint8"), t: T.Buffer((16,), "int32"), c: T.Buffer((1000,), "int32"), o: T.Buffer((1,), "int32")):
        c[0] = 0
        t[0] = -1
        t[5] = 300
        j: T.int32 = 0
        while j < 900 and T.Cast("int32", a[j]) > t[T.bitwise_and(c[0], 15)]:
            c[j] = T.bitwise_and(T.Cast("int32", a[j]), 0) + 5
            j = j + 1
        o[0] = j

    # A place that each iteration has for itself: there is none before the loop.
    @T.prim_func(s_tir=True)
    def own_place(a: T.Buffer((256,), "int32"), o: T.Buffer((64,), "int32")):
        for i in range(64):
            k: T.uint8 = T.uint8(9)
            if a[k] > 1:
                k = T.uint8(7)
            o[i] = T.Cast("int32", k) + a[k]

    # Ranges that a variable goes through which another loop of the row has moved before.
    @T.prim_func(s_tir=True)
    def range_gone_through(x: T.Buffer((1000,), "float32"), p: T.Buffer((101,), "int32"), o: T.Buffer((100,), "float32"), b: T.Buffer((1000,), "float32")):
        for i in range(101):
            p[i] = i * 7 - i % 3
        for i in range(100):
            s: T.float32 = T.float32(0)
            k: T.int32 = p[i]
            for j in range(p[i], p[i + 1]):
                s = s + x[j]
                k = k + 1
            while k < p[i + 1]:
                b[k] = s
                k = k + 1
            o[i] = s
