# error: 10:9 the global_symbol of `main` is "other"
# error: 15:9 `alone` is private and has a global_symbol
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 3), "float32")):
        R.func_attr({"global_symbol": "other"})
        return x

    @R.function(private=True)
    def alone(x: R.Tensor((4, 3), "float32")):
        R.func_attr({"global_symbol": "alone"})
        return x
