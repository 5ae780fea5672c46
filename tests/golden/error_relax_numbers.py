# error: 11:9 R.add: the operands are of types int32 and float32
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(k: R.Tensor((2,), "int32")):
        a = R.add(k, 0.5)
        return a
