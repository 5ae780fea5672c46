# error: 12:46 the module's global infos have no device "llvm:1"
# error: 17:9 the operands are on different devices
# error: 18:13 R.hint_on_device needs a device
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda")], "dummy": [I.dummy_global_info()]})
    @R.function
    def unknown(x: R.Tensor((4,), "float32", "llvm:1")):
        return x

    @R.function
    def main(x: R.Tensor((4,), "float32", "llvm"), y: R.Tensor((4,), "float32", "cuda")):
        a = R.add(x, y)
        b = R.hint_on_device(x, "llvm")
        return b
