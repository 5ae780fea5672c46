# Devices are named and printed; what is on one is computed where the call is.
# expect: main(4xf32=1 2 3 4, 4xf32=1 1 1 1, 4xf32=0, 4xf32=0) -> 2 4 6 8, 3 5 7 9
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    I.module_attrs({"a": 1})
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice({"kind": "cuda", "arch": "sm_80"}, 1, "global")]})

    @R.function
    def main(x: R.Tensor((4,), "float32", "llvm"), w: R.Tensor((4,), "float32", vdevice="cuda:0")):
        y = R.add(x, x)
        z = R.to_vdevice(y, "cuda")
        h = R.hint_on_device(z, R.device(2, 0))
        v = R.add(h, w)
        return (y, v)
