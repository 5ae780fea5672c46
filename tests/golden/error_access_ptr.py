# error: 7:35 tvm_access_ptr cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int64")):
    A[0] = T.reinterpret("int64", T.tvm_access_ptr(T.type_annotation("int64"), A.data, 0, 4, 1))
