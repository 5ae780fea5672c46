# Relax: what its text has beside operators, which tests/interop/relax_corpus.py lists.
from typing import TypeVar

from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

n = TypeVar("n")


@I.ir_module
class Module:
    I.module_attrs({"foo": 1})
    ext = R.ExternFunc("foo")

    @T.prim_func(private=True)
    def addone(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)

    @R.function
    def dataflow(x: R.Tensor((n, 4), "float32"), y: R.Tensor(("n * 2 + 1",), "float32"), k: R.Prim("int64")) -> R.Tensor:
        with R.dataflow():
            a = R.add(R.exp(x), x)
            b = R.split(a, 2, axis=1)
            c = R.concat((a, x, R.const(1.0, "float32") * x), axis=0)
            d = b[0]
            R.output(c, d)
        j = k + 1
        z = R.zeros((j, n), dtype="float32")
        u = R.call_tir(Module.addone, R.zeros((4,), "float32"), out_ty=R.Tensor((4,), "float32"))
        return (c, d, z, u, 3, R.shape([n, 3]), R.str("s"))

    @R.function
    def factorial(i: R.Prim("int64"), x: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
        if i <= 1:
            r = x
        else:
            r = Module.factorial(i - 1, R.multiply(x, x))
        return r

    @R.function(private=True)
    def types(t: R.Tuple(R.Tensor((2,), "float32"), R.Any), g: R.Callable, s: R.Shape(ndim=2),
              h: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True)):
        a, b = t
        c: R.Tensor(ndim=1) = h(a)
        m = T.int64()
        d = R.match_cast(b, R.Tensor((m, 2), "float32"))
        e = R.zeros(s, "int8")
        return (c, d, (a, (e,)), R.shape([m * 2]))

    @R.function
    def local(x: R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1, "d": {"b": 2, "a": 1}, "l": [1, 2.5, "s"]})

        @R.function
        def inner(q: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            r = R.nn.relu(q)
            return r

        y = inner(R.exp(x))
        return -inner(y)

    @R.function(pure=False)
    def packed(x: R.Tensor((2, 3), "float32")):
        R.print(x, format="x={}")
        y = R.call_packed("f", x, 3, R.dtype("int8"), ty_args=R.Tensor((2, 3), "float32"))
        z = R.call_pure_packed("g", y, ty_args=[R.Tensor((2,), "float32"), R.Shape([2])])
        w = R.call_dps_packed("h", (z[0],), out_sinfo=R.Tensor((4,), "float32"))
        v = Module.ext(w)
        return (w, v, R.nn.conv2d(R.zeros((1, 3, 8, 8), "float32"), R.ones((4, 3, 3, 3), "float32"), padding=1))
