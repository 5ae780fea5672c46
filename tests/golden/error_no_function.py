# error: 1:1 the file has no function decorated with @T.prim_func
from tvm.script import tirx as T

N = 4
