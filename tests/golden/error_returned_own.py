# error: 8:5 returning a pointer that does not always lead into the same parameter's memory
from tvm.script import tirx as T


@T.prim_func
def own(A: T.Buffer((1,), "float32")) -> T.handle("float32"):
    B = T.alloc_buffer((4,), "float32")
    return B.data
