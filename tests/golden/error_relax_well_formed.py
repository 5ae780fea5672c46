# error: 15:9 an impure call in the pure function `impure`: decorate it with @R.function(pure=False)
# error: 21:13 an impure call in a dataflow block
# error: 26:19 `n` has no value here: a parameter's shape or R.match_cast before it gives it one
# error: 30:9 relax.force_pure is set, but the function is impure
# error: 43:9 `k` has no value here: a parameter's shape or R.match_cast before it gives it one
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def impure(x: R.Tensor((4,), "float32")):
        z = R.call_packed("f", x, ty_args=R.Tensor)
        return z

    @R.function(pure=False)
    def inside(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            z = R.call_packed("f", x, ty_args=R.Tensor)
            R.output(z)
        return z

    @R.function
    def undefined(x: R.Tensor(("n + 1",), "float32")):
        return x

    @R.function(pure=False)
    def forced(x: R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        return x

    @R.function
    def allowed(x: R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        R.print(x)
        return x

    @R.function
    def late(x: R.Tensor, y: R.Tensor((4,), "float32")):
        k = T.int64()
        z = R.zeros((k,), "float32")
        w = R.match_cast(x, R.Tensor((k,), "float32"))
        return w
