# Truth values: comparisons stored as bool, masks combined, counted and applied.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def between(x: T.handle, low: T.float32, high: T.float32, m: T.handle) -> None:
        n = T.int32()
        X = T.match_buffer(x, (n,), "float32")
        M = T.match_buffer(m, (n,), "bool")
        for i in T.serial(n):
            with T.block("M"):
                vi = T.axis.S(n, i)
                M[vi] = X[vi] >= low and X[vi] < high

    @T.prim_func
    def combine(a: T.Buffer(("n",), "bool"), b: T.Buffer(("n",), "bool"), out: T.Buffer(("n", 4), "bool")) -> None:
        n = T.int32()
        for i in T.serial(n):
            out[i, 0] = a[i] and b[i]
            out[i, 1] = a[i] or b[i]
            out[i, 2] = not a[i]
            out[i, 3] = T.bitwise_xor(a[i], b[i])

    @T.prim_func
    def where(m: T.Buffer(("n",), "bool"), x: T.Buffer(("n",), "int32"), y: T.Buffer(("n",), "int32"), out: T.Buffer(("n",), "int32")) -> None:
        n = T.int32()
        for i in T.serial(n):
            with T.block("out"):
                vi = T.axis.spatial(n, i)
                out[vi] = T.Select(m[vi], x[vi], y[vi])

    @T.prim_func
    def count(m: T.Buffer(("n",), "bool"), total: T.Buffer((), "int64")) -> None:
        n = T.int32()
        for i in T.serial(n):
            with T.block("total"):
                vi = T.axis.reduce(n, i)
                with T.init():
                    total[()] = T.int64(0)
                total[()] += T.cast(m[vi], "int64")

    # Moves the elements under the mask to the front and gives their number.
    @T.prim_func
    def compact(x: T.Buffer(("n",), "float32"), m: T.Buffer(("n",), "bool"), out: T.Buffer(("n",), "float32"), size: T.Buffer((1,), "int32")) -> None:
        n = T.int32()
        size[0] = 0
        for i in T.serial(n):
            if m[i]:
                out[size[0]] = x[i]
                size[0] += 1

    @T.prim_func
    def classify(x: T.Buffer(("n",), "float32"), out: T.Buffer(("n",), "int8")) -> None:
        n = T.int32()
        for i in T.serial(n):
            if T.isnan(x[i]):
                out[i] = T.int8(4)
            elif T.isinf(x[i]):
                out[i] = T.int8(3)
            elif x[i] == T.float32(0):
                out[i] = T.int8(0)
            elif x[i] < T.float32(0):
                out[i] = T.int8(-1)
            else:
                out[i] = T.int8(1)
