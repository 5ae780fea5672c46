# What people write first, each with what to write instead.
# error: 24:17 nothing goes over the elements of a buffer; write `for i in range(x.shape[0]):` and `x[i]`
# error: 26:14 nothing goes over the elements of a buffer; write `for i in range(x.shape[0]):` and `x[i]`
# error: 30:9 write `acc = T.alloc_buffer((4,), "float32")` and store its elements
# error: 32:12 `tanh` of numpy is Python, which does not run in a kernel; write T.tanh(...)
# error: 33:12 `maximum` of numpy is Python, which does not run in a kernel; write T.max(...)
# error: 34:9 `zeros` of numpy is Python, which does not run in a kernel; write T.alloc_buffer(shape, "float32")
# error: 35:9 `numpy` cannot be imported: a program is TVMScript alone
# error: 37:12 a function returns no buffer; make `own` a parameter, `own: T.Buffer(...)`, and store into that
# error: 42:5 `a` is a parameter, which cannot be assigned; give the value a name of its own, `a_1 = ...`
# error: 43:5 `b` is a parameter, which cannot be assigned; give the value a name of its own, `b_1 = ...`
# error: 44:17 there is no `T.girdd`; did you mean `T.grid`?
# error: 46:12 the caller sees what is stored into its parameter `x`; leave the return out
# error: 50:25 `n` is not defined; a size that the arguments decide is written in quotes
import numpy as np
from tvm.script import tirx as T

LISTS = [1.5] * 2 + [2.5]
NAME = "a" + "b"


@T.prim_func
def loops(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    for i, v in enumerate(x):
        y[i] = v
    for v in x:
        y[0] = v
    acc = [0.0] * 4
    for i in range(4):
        acc[i] = x[i]
        x[i] = acc[i] + LISTS[2]
    x[0] = np.tanh(x[0])
    x[1] = np.maximum(x[0], x[1])
    z = np.zeros((4,), "float32")
    w = np.load("x.npy")
    own = T.alloc_buffer((4,), "float32")
    return own


@T.prim_func
def parameters(a: T.float32, b: T.int32, x: T.Buffer((4,), "float32")):
    a = a * 2
    b += 1
    for i, j in T.girdd(2, 2):
        x[i] = x[j]
    return x


@T.prim_func
def shapes(x: T.Buffer((n,), "float32"), y: T.Buffer((n, n), "float32")):
    for i in range(n):
        x[i] = x[i]
