# error: 2:8 `numpy` cannot be imported: a program is TVMScript alone
import numpy as np
from tvm.script import tirx as T


@T.prim_func
def f(n: T.int32):
    pass
