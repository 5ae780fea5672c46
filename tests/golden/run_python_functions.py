# Functions of Python that return one value, lambdas and `math` belong to what is known while the text is read; what a file
# imports beside that does not matter until it is used.
# expect: main(8xf32=-1 2 -3 4 0 0 0 0, 9) -> 2 0.5 12 16 3 8 -2 2.5
import math
import numpy as np
from math import ceil, gcd as divisor
from tvm.script import tirx as T


def relu(x, lo=0.0):
    """Not below `lo`."""
    return T.max(x, T.float32(lo))


twice = lambda f, x: f(f(x))
N = (lambda a, b: a * b + 1)(1, 2)
SCALE = 1 / math.sqrt(16.0)


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), h: T.int32):
    A[0] = relu(A[0], lo=2.0)
    A[1] = A[1] * T.float32(SCALE)
    A[2] = twice(lambda v: v * T.float32(2), relu(A[2], lo=N))
    A[3] = twice(lambda v: v * T.float32(2), A[3])
    A[4] = math.log2(8)
    A[h % divisor(12, 18) + 2] = math.floor(2.5) + divisor(-12, 18)
    A[6] = math.trunc(-2.5)
    A[7] = T.min(T.float32(2.5), T.float32(math.inf)) * T.Select(h > ceil(8.5), T.float32(1), T.float32(1))
