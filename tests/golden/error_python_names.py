# A name that a kernel needs and that cannot be evaluated is an error, once, at its first use.
# error: 57:20 `M` cannot be evaluated: `N` cannot be evaluated: `os`
# error: 59:12 `helper` cannot be evaluated: it is a function of Python that does more than return a value
# error: 60:12 `Config` cannot be evaluated: it is a class of Python
# error: 61:12 `ALIAS` cannot be evaluated: it is changed after its assignment
# error: 61:23 `q` cannot be evaluated: it is bound by a loop of Python
# error: 62:12 `J` cannot be evaluated: imaginary numbers are not part of the language
# error: 63:12 `und` is not defined
# error: 65:12 `CASE` cannot be evaluated: it is bound under a condition that is not known
# error: 66:12 `TRIED` cannot be evaluated: it is bound inside of `try`
# error: 67:12 `wrapped` cannot be evaluated: its decorator is none of TVM's
# error: 68:12 `walrus` cannot be evaluated
# error: 69:12 `BAD` cannot be evaluated: division by zero
# error: 70:5 `nodec` cannot be evaluated: the function needs the decorator @T.prim_func
import os
from tvm.script import tirx as T

N = int(os.environ.get("N", "4"))
M = N * 2
L = [1, 2]
ALIAS = L
L.append(3)
J = 2j
BAD = 1 // 0


def helper(x):
    y = x + 1
    return y


class Config:
    n = 4


for q in range(3):
    pass
if N > 3:
    CASE = 1
try:
    TRIED = 2
except ValueError:
    pass
print(walrus := 3)


@os.wrapper
def wrapped(x):
    return x


def nodec(A: T.Buffer((4,), "float32")):
    A[0] = 1

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(M):
        A[i] = T.float32(M) + T.float32(M)
    A[0] = helper(A[0])
    A[1] = Config.n
    A[2] = ALIAS[0] + q
    A[3] = J
    A[3] = und + und
    A[3] = und
    A[3] = CASE
    A[3] = TRIED
    A[3] = wrapped(1)
    A[3] = walrus
    A[3] = BAD
    nodec(A)
