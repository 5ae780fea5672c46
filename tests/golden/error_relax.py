# error: 35:9 R.add: the shapes do not broadcast: 4 and 3 elements in dimension 1 from the last
# error: 40:9 R.add: the operands are of types float32 and float16; R.astype(x, ...) converts
# error: 45:9 R.sum: the axis 1 is out of range for a tensor of 1 dimensions
# error: 50:13 there is no `R.nn.softmx`; did you mean `R.nn.softmax`?
# error: 55:29 R.nn.softmax has no parameter `dim`
# error: 60:13 '+' of a tensor and a number: write R.const(1, "float32")
# error: 65:9 R.call_tir: R.Tensor((5,), "float32") does not fit the parameter `B` of `copy`
# error: 70:9 the branches end with bindings of `y` and of `z`: it must be one variable
# error: 78:9 an `if` of Relax needs an `else`: both bind one variable
# error: 84:9 the output `x` is no variable of this dataflow block
# error: 91:9 the value is of type R.Tensor((4,), "float32"), which is no R.Tensor((5,), "float32")
# error: 97:9 a function of Relax has one return
# error: 101:9 Relax has no loops
# error: 107:9 the value, of type R.Tensor((4,), "float32"), must be assigned to a variable
# error: 112:9 no value of type R.Tensor((4,), "float32") can be cast to R.Tensor((5,), "float32")
# error: 117:9 the function takes 1 argument, 2 given
# error: 122:13 R.Tensor((4,), "float32") cannot be indexed: only a tuple has items
# error: 127:9 R.reshape: R.Tensor((4,), "float32") has another number of elements than R.Shape([3, 2])
# error: 132:9 R.matmul: the inner dimensions differ: R.Tensor((4, 5), "float32") and R.Tensor((4, 5), "float32")
# error: 137:9 R.arange: the range has no length
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @R.function
    def broadcast(x: R.Tensor((4,), "float32"), y: R.Tensor((3,), "float32")):
        z = R.add(x, y)
        return z

    @R.function
    def dtypes(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float16")):
        z = R.exp(x) + y
        return z

    @R.function
    def axis(x: R.Tensor((4,), "float32")):
        z = R.sum(x, axis=1)
        return z

    @R.function
    def name(x: R.Tensor((4,), "float32")):
        z = R.nn.softmx(x)
        return z

    @R.function
    def keyword(x: R.Tensor((4,), "float32")):
        z = R.nn.softmax(x, dim=0)
        return z

    @R.function
    def number(x: R.Tensor((4,), "float32")):
        z = x + 1
        return z

    @R.function
    def rank(x: R.Tensor((4,), "float32")):
        z = R.call_tir(Module.copy, (x,), out_ty=R.Tensor((5,), "float32"))
        return z

    @R.function
    def branches(x: R.Tensor((4,), "float32")):
        if R.const(True):
            y = R.exp(x)
        else:
            z = R.exp(x)
        return x

    @R.function
    def alone(x: R.Tensor((4,), "float32")):
        if R.const(True):
            y = R.exp(x)
        return x

    @R.function
    def outputs(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            y = R.exp(x)
            R.output(x)
        return x

    @R.function
    def annotated(x: R.Tensor((4,), "float32")):
        y: R.Tensor((5,), "float32") = R.exp(x)
        return y

    @R.function
    def twice(x: R.Tensor((4,), "float32")):
        return x
        return x

    @R.function
    def loop(x: R.Tensor((4,), "float32")):
        for i in range(4):
            y = R.exp(x)
        return x

    @R.function
    def unused(x: R.Tensor((4,), "float32")):
        R.exp(x)
        return x

    @R.function
    def cast(x: R.Tensor((4,), "float32")):
        y = R.match_cast(x, R.Tensor((5,), "float32"))
        return y

    @R.function
    def arguments(x: R.Tensor((4,), "float32")):
        y = Module.axis(x, x)
        return y

    @R.function
    def item(x: R.Tensor((4,), "float32")):
        y = x[0]
        return y

    @R.function
    def reshaped(x: R.Tensor((4,), "float32")):
        y = R.reshape(x, (3, 2))
        return y

    @R.function
    def multiplied(x: R.Tensor((4, 5), "float32")):
        y = R.matmul(x, x)
        return y

    @R.function
    def too_long():
        x = R.arange(-9223372036854775807, 9223372036854775807)
        return x
