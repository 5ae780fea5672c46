# error: 12:13 the block has a T.where already
# error: 8:14 T.thread_binding needs the thread, such as "threadIdx.x"
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    for i in T.thread_binding(4, 4):
        with T.sblock():
            v = T.axis.spatial(4, i)
            T.where(1)
            T.where(0)
            A[v] = 1
