# error: 31:9 R.call_tir: out_ty says R.Tensor(((n + 1),), "float32") for result 0 where `double` makes R.Tensor((n,), "float32")
# error: 37:9 R.call_tir: out_ty says R.Tensor((m,), "float32") for result 0 where `double` makes R.Tensor((n,), "float32")
# error: 42:9 R.call_tir: argument 1 is of type R.Tensor((3,), "float32") where the function takes R.Tensor((n,), "float32")
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i] * T.float32(2)

    @T.prim_func(private=True)
    def sum(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            C[i] = A[i] + B[i]

    @R.function
    def larger(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.call_tir(Module.double, (x,), out_ty=R.Tensor((n + 1,), "float32"))
        return y

    @R.function
    def other(x: R.Tensor(("n",), "float32"), z: R.Tensor(("m",), "float32")):
        m = T.int64()
        y = R.call_tir(Module.double, (x,), out_ty=R.Tensor((m,), "float32"))
        return y

    @R.function
    def apart(x: R.Tensor((2,), "float32"), z: R.Tensor((3,), "float32")):
        y = R.call_tir(Module.sum, (x, z), out_ty=R.Tensor((2,), "float32"))
        return y

    @R.function
    def allowed(x: R.Tensor(("n",), "float32"), z: R.Tensor(("m",), "float32"), w: R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        y = R.call_tir(Module.sum, (x, z), out_ty=R.Tensor((n,), "float32"))
        u = R.call_tir(Module.double, (w,), out_ty=R.Tensor((7,), "float32"))
        return (y, u)
