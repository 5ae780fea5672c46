# error: 10:9 returning a pointer that does not always lead into the same parameter's memory
# error: 11:5 returning a pointer that does not always lead into the same parameter's memory
from tvm.script import tirx as T


@T.prim_func
def either(p: T.handle("float32"), q: T.handle("float32"), n: T.int32) -> T.handle("float32"):
    P = T.decl_buffer((1,), "float32", data=p)
    if n > 0:
        return p
    return q
