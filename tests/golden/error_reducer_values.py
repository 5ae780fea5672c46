# error: 7:36 the combiner takes 3 values, a reduction of 1 needs 2
from tvm.script import tirx as T
@T.prim_func(s_tir=True)

def f(A: T.Buffer((4,), "float32")):
    k = T.int32()
    A[0] = T.reduce(T.comm_reducer(lambda x, y, z: x + y, [T.float32(0)]), source=[A[k]], axis=[T.iter_var(k, T.Range(0, 4), "CommReduce", "")])
