# expect: window(4xi32=1 2 3 4, 2xi32=0, 3xi32=9) -> 3 5 7
# trap: window(2xi32=1, 3xi32=0, 1xi32=9) -> 0 requires K <= H, and 3 <= 2 does not hold (K is 3, H is 2)
# trap: window(2xi32=1, 1xi32=0, 1xi32=9) -> 0 shape[0] is 1, expected 2 (H - K + 1)
# expect: scaled(4xi32=1 2 3 4, 1, 3) -> 4
# expect: scaled(6xi32=1 2 3 4 5 6, 3, 2) -> 6
# trap: scaled(4xi32=1 2 3 4, 1, 5) -> 0 requires n - k >= 0, and -1 >= 0 does not hold (n is 4, k is 5)
# trap: scaled(4xi32=1 2 3 4, 0, 2) -> 0 requires m != 0, and 0 != 0 does not hold (m is 0)
# trap: scaled(4xi32=1 2 3 4, 3, 3) -> 0 requires n % m == 0, and 1 == 0 does not hold (n is 4, m is 3)
# trap: scaled(2xi32=1, 1, 2) -> 0 requires min(n, k) > m * 2 - (max(m, 1) - 1) * 9, and 2 > 2 does not hold (n is 2, k is 2, m is 1)
# trap: product(2xi32=0, 4611686018427387904) -> 0 requires n * k < 100, whose arithmetic overflows or divides by zero (
# trap: product(2xi32=0, 50) -> 0 requires n * k < 100, and 100 < 100 does not hold (n is 2, k is 50)
# expect: product(2xi32=0, 49) -> 7
# trap: product(3xi32=0, 1) -> 64 not two
# expect: through(3xi32=1 2 3, 3) -> 3
# trap: through(3xi32=1 2 3, 2) -> 0 requires m >= n, and 2 >= 3 does not hold (m is 2, n is 3)
# trap: outer(3xi32=1 2 3, 2) -> 73 the callee wants more
# expect: outer(3xi32=1 2 3, 4) -> 4
# trap: hidden_by(2xi32=1, -3) -> 86 not positive
# expect: hidden_by(2xi32=1, 5) -> 5
# expect: constants(2) -> 2
# trap: constants(1) -> 0 requires m > 1, and 1 > 1 does not hold (m is 1)
from tvm.script import ir as I
from tvm.script import tirx as T


# The first assertions that tirb.requires counts are conditions on arguments: a call checks them before anything else,
# and shows the inequality. Where the module itself calls such a function, they are assertions.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def window(a: T.handle, k: T.handle, c: T.handle):
        T.func_attr({"tirb.requires": 1, "tirb.minima": "C: [K - 1]"})
        H = T.int64()
        K = T.int64()
        A = T.match_buffer(a, (H,), "int32")
        B = T.match_buffer(k, (K,), "int32")
        C = T.match_buffer(c, (H - K + 1,), "int32")
        assert K <= H, "the window is larger than its input"
        for i, j in T.grid(H - K + 1, K):
            with T.sblock("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    C[vi] = B[0]
                C[vi] = C[vi] + A[vi + vj] + B[vj]

    # Conjunctions are one condition for each part. They are checked in their order.
    @T.prim_func(s_tir=True)
    def scaled(a: T.handle, m: T.int32, k: T.int64) -> T.int32:
        T.func_attr({"tirb.requires": 3})
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        assert n - k >= 0, "too short"
        assert m != 0 and n % T.Cast("int64", m) == 0, "no whole number of parts"
        assert T.min(n, k) > T.Cast("int64", m) * 2 - T.Cast("int64", T.max(m, 1) - 1) * 9, "not enough"
        return T.Cast("int32", n)

    # An assertion behind those that are counted is one like others. Arithmetic is checked.
    @T.prim_func(s_tir=True)
    def product(a: T.handle, k: T.int64) -> T.int32:
        T.func_attr({"tirb.requires": 1})
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        assert n * k < T.int64(100), "too much"
        assert n == 2, "not two"
        return 7

    # It calls one and is called.
    @T.prim_func(s_tir=True)
    def through(a: T.handle, m: T.int64) -> T.int64:
        T.func_attr({"tirb.requires": 1})
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        assert m >= n, "the callee wants more"
        return m

    @T.prim_func(s_tir=True)
    def outer(a: T.handle, m: T.int64) -> T.int64:
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        return Module.through(A.data, m)

    # A private function has no calls from outside.
    @T.prim_func(private=True, s_tir=True)
    def hidden(m: T.int64) -> T.int64:
        T.func_attr({"tirb.requires": 1})
        assert m > T.int64(0), "not positive"
        return m

    @T.prim_func(s_tir=True)
    def hidden_by(A: T.Buffer((2,), "int32"), m: T.int64) -> T.int64:
        return Module.hidden(m)

    # Constants that are true are no conditions.
    @T.prim_func(s_tir=True)
    def constants(m: T.int32) -> T.int32:
        T.func_attr({"tirb.requires": 2})
        assert 4 > 3, "fine"
        assert m > 1 and 4 > 3, "too small"
        return m
