# error: 5:7 the class `Module` needs the decorator @I.ir_module
from tvm.script import tirx as T


class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = 1
