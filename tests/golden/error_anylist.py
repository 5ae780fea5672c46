# error: 9:35 anylist_getitem is for lists that are parameters, and a register is for calls of the host's functions
# error: 10:5 anylist_setitem_call_packed is for lists that are parameters
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(r: T.handle, A: T.Buffer((4,), "int64")):
    s: T.let[T.handle] = T.tvm_stack_alloca("arg_value", 2)
    A[0] = T.reinterpret("int64", T.anylist_getitem(r, 0))
    T.anylist_setitem_call_packed(s, 1, "sort", 2)
    T.anylist_resetitem(r, 2)
