# error: 7:16 tvm_storage_sync cannot be compiled
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.tvm_storage_sync("shared"))
