# error: 11:20 this tvm_storage_sync cannot be compiled: where a part of memory lies is read around it, from what is stored to behind that
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((64,), "int32"), N: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for t in T.thread_binding(4, thread="threadIdx.x"):
        V = T.decl_buffer((4,), "int32", data=A.data, elem_offset=N[t])
        B[t] = V[0]
        N[t] = 2
        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
        B[3 - t] = V[1]
