# A global that is no PrimFunc may be called in the text; only a call that comes there ends.
# expect: f(2xi32=1 2, 0) -> 2 3
# trap: f(2xi32=1 2, 1) -> 18 'sort' is no PrimFunc of this module
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    sort = R.ExternFunc("vendor.sort")

    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((2,), "int32"), n: T.int32):
        for i in range(2):
            A[i] = A[i] + 1
            if i < n:
                Module.sort(A, n)
