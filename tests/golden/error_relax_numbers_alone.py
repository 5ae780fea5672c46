# error: 10:13 R.add is not lowered yet of numbers alone
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(k: R.Prim("int64")):
        a = R.add(k, k)
        return a
