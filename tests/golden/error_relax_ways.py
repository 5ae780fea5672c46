# error: 38:9 more than 64 ways through branches that give values of unknown sizes
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(v0: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool")):
        if c:
            v1 = R.concat((v0, v0), axis=0)
        else:
            v1 = R.tanh(v0)
        if c:
            v2 = R.concat((v1, v1), axis=0)
        else:
            v2 = R.tanh(v1)
        if c:
            v3 = R.concat((v2, v2), axis=0)
        else:
            v3 = R.tanh(v2)
        if c:
            v4 = R.concat((v3, v3), axis=0)
        else:
            v4 = R.tanh(v3)
        if c:
            v5 = R.concat((v4, v4), axis=0)
        else:
            v5 = R.tanh(v4)
        if c:
            v6 = R.concat((v5, v5), axis=0)
        else:
            v6 = R.tanh(v5)
        if c:
            v7 = R.concat((v6, v6), axis=0)
        else:
            v7 = R.tanh(v6)
        if c:
            v8 = R.concat((v7, v7), axis=0)
        else:
            v8 = R.tanh(v7)
        return v8
