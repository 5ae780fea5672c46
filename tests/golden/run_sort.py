# The packed functions of TVM's run time that sort: stable both ways, NaN last, along any axis, in place.
# expect: ascending(7xf32=3 nan 1 3 -inf 2 1, 7xi32=0) -> 4 2 6 5 0 3 1
# expect: descending(7xf32=3 nan 1 3 -inf 2 1, 7xi64=0) -> 0 3 5 2 6 4 1
# expect: columns(3x2xi8=5 -1 -128 4 127 4) -> -128 -1 5 4 127 4
# expect: some(2x4xf32=4 3 2 1 4 3 2 1, 2xi32=3 -1, 2x4xi32=9) -> 2 1 0 3 0 1 2 3
# expect: best(2x4xu64=1 9 9 3 0 18446744073709551615 2 2, 2x2xu64=0, 2x2xi32=0) -> 9 9 18446744073709551615 2, 1 2 1 2
# expect: all_of(4xf64=2 1 4 3, 4xf64=0) -> 1 2 3 4
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ascending(A: T.Buffer((7,), "float32"), N: T.Buffer((7,), "int32")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, 0, T.bool(True))

    @T.prim_func(s_tir=True)
    def descending(A: T.Buffer((7,), "float32"), N: T.Buffer((7,), "int64")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, -1, T.bool(False))

    @T.prim_func(s_tir=True)
    def columns(A: T.Buffer((3, 2), "int8")):
        T.call_packed("tvm.contrib.sort.sort", A, A, 0, T.bool(True))

    @T.prim_func(s_tir=True)
    def some(A: T.Buffer((2, 4), "float32"), C: T.Buffer((2,), "int32"), N: T.Buffer((2, 4), "int32")):
        T.call_packed("tvm.contrib.sort.argsort_nms", A, C, N, 1, T.bool(True))

    @T.prim_func(s_tir=True)
    def best(A: T.Buffer((2, 4), "uint64"), V: T.Buffer((2, 2), "uint64"), N: T.Buffer((2, 2), "int32")):
        T.call_packed("tvm.contrib.sort.topk", A, V, N, 2, -1, "both", T.bool(False))

    @T.prim_func(s_tir=True)
    def all_of(A: T.Buffer((4,), "float64"), V: T.Buffer((4,), "float64")):
        T.call_packed("tvm.contrib.sort.topk", A, V, 0, 0, "values", T.bool(True))
