# A call passes whole buffers or contiguous regions as references.
# expect: main(2x3xi32=1 2 3 4 5 6, 2xi32=0) -> 6 15
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func(private=True)
    def add_up(n: T.int32, row: T.Buffer((3,), "int32")) -> T.int32:
        total = T.int32(0)
        for i in range(n):
            total = total + row[i]
        return total

    @T.prim_func
    def main(A: T.Buffer((2, 3), "int32"), B: T.Buffer((2,), "int32")):
        for i in range(2):
            B[i] = M.add_up(3, A[i, 0:3])
