#!/usr/bin/env python3
"""Kernels among other Python, which is passed over.

    @T.prim_func
    def none_of_them(A: T.Buffer((4,), "float32")):
"""
# expect: k(1x16xf32=1, 1x16xf32=0) -> 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43
# expect: constants(12xf32=0) -> 1 16 4 2 7 7 4 8 5 6 0.5 3
# expect: later(5xf32=1) -> 5 5 5 5 5
# expect: inside_with(2xf32=1 2) -> 2 3
from __future__ import annotations
import argparse, sys
import math
from typing import List, TYPE_CHECKING
from dataclasses import dataclass
from . import neighbour
from elsewhere import *
try:
    import numpy as np
    from tvm.script import tirx as T
except (ImportError, ValueError) as error:
    T = np = None
finally:
    pass

N, C = 1, 16
BLOCK: int = 4
HALF = BLOCK // 2
(FIRST, [SECOND, *_]) = (1, [2, 3])
SHAPE = [N, C]
a = b = 7
ROOT = math.sqrt(BLOCK * 4.0)
COUNT = len(SHAPE) + max(1, 3, *(2, 1))
COUNT += 1
HALVED = 0 or 0.5
type Alias[U] = list[U]
bytes_of_python = b"\xff" + rb'\d'
imaginary = 3j + 0xFFFFFFFFFFFFFFFFFFFFFFFF
text = f"{imaginary!r:>{BLOCK}} {"nested" + f'{'deeper'}'} {'\n'.join([])}" "\N{BULLET} \ud800"
continued = 1 + \
    2
square = lambda x, /, y=2, *rest, key=None, **others: x ** y
matrix = np.zeros((4, 4)) @ np.ones(4); matrix @= 2
del text, bytes_of_python

match BLOCK:
    case 4 | 5 if HALF:
        print("four")
    case [x, *_] | {"key": x, **others}:
        raise ValueError(x)

if TYPE_CHECKING:
    from somewhere import Something

if BLOCK > 2 and HALF == 2:
    WIDE = 8
elif BLOCK: WIDE = 4
else:
    WIDE = 1

assert WIDE, "wide"
while (line := sys.stdin.readline()): print(line, end="")
else:
    pass

for i, (q, r) in enumerate(zip([1], [2])):
    if i: break
    else: continue


class Config[U](dict, metaclass=type):
    """A class of Python."""
    size: int = 4

    def kernel(self, A: "T.Buffer") -> int:
        return self.size


@dataclass(frozen=True)
class Data:
    value: int


@contextmanager
async def driver(x: int | None = None, /, *args: int, **options) -> None:
    global argv
    async with open(x) as y, y as z:
        await z
    async for w in z:
        yield w
    try:
        nonlocal_ = [v async for v in z if v]
    except* OSError as e:
        raise RuntimeError from e


def scaled(x, y: float = 2.0) -> float:
    """The sum of
    a product."""
    return x * y + \
        N


@T.prim_func
def k(A: T.Buffer((N, C), "float32"), B: T.Buffer(SHAPE, "float32")):
    for i, j in T.grid(N, C):
        B[i, j] = scaled(A[i, j], y=T.float32(HALF)) * T.float32(WIDE) + T.float32(a + b + 5)


@T.prim_func
def constants(A: T.Buffer((12,), "float32")):
    A[0] = N
    A[1] = C
    A[2] = BLOCK
    A[3] = HALF
    A[4] = a
    A[5] = b
    A[6] = ROOT
    A[7] = WIDE
    A[8] = COUNT - 1
    A[9] = COUNT
    A[10] = HALVED
    A[11] = continued


# What a name meant where a kernel stands is what it sees.
SHAPE.append(3)
k = [k, constants]
N = 5


@T.prim_func
def later(A: T.Buffer((N,), "float32")):
    for i in range(N):
        A[i] = A[i] + T.float32(ROOT)


with open("/dev/null") as sink, sink:
    INNER = 2

    @T.prim_func
    def inside_with(A: T.Buffer((INNER,), "float32")):
        for i in range(INNER):
            A[i] = A[i] + T.float32(1)

if __name__ == "__main__":
    N = int(sys.argv[1])
    later.compile()(N)
