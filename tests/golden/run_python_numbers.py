# Python's own functions of numbers that floats cannot tell apart, that need all 64 bits, of bools and of a negative 0;
# formats of characters, and of what is no number.
# expect: f(10xi64=0) -> 9007199254740992 9007199254740993 9007199254740993 2 1 1 7 11 2 5
# expect: g(2xu64=0) -> 9223372036854775809 9223372036854775808
# expect: h(2xf64=0) -> 1 3
import math
from tvm.script import tirx as T

ODD, EVEN = 2**53 + 1, 2**53
PARTS = f"{abs(True)}{round(True)}{math.floor(False)}"
TEXTS = f"{'é中':>3}{'é中':.1}{float('inf'):E}{float('nan'):5F}"


@T.prim_func(s_tir=True)
def f(A: T.Buffer((10,), "int64")):
    A[0] = min(ODD, EVEN)
    A[1] = max(EVEN, ODD)
    A[2] = max([EVEN, ODD, EVEN])
    A[3] = len("é中")
    A[4] = abs(-1)
    A[5] = min(True, 2)
    A[6] = int(7.9)
    A[7] = 11 if PARTS == "110" else 0
    A[8] = round(2.5)
    A[9] = 5 if TEXTS == " é中éINF  NAN" else 0


@T.prim_func(s_tir=True)
def g(A: T.Buffer((2,), "uint64")):
    A[0] = T.uint64(max(2**63 + 1, 5))
    A[1] = T.uint64(math.gcd(2**63, 0))


@T.prim_func(s_tir=True)
def h(A: T.Buffer((2,), "float64")):
    A[0] = T.copysign(T.float64(1), T.float64(abs(-0.0)))
    A[1] = abs(-3.0)
