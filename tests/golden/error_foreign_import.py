# error: 9:12 `float32` of numpy is Python, which does not run in a kernel; write T.float32(...)
# error: 10:12 `math.exp` is not the same on every machine
import math
import numpy as np
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = np.float32(3)
    A[1] = math.exp(1.0)
