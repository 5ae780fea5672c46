# error: 6:43 T.sblock_alloc_buffer allocates memory, which is possible only in a function
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((4,), "float32"), W: T.sblock_alloc_buffer((4,), "float32")):
    X[0] = T.float32(1)
