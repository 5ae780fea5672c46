# What Python has and TVMScript has not: each is named where it stands.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def with_try(A: T.Buffer((4,), "int32")):
    try:  # error: try
        A[0] = 1
    except ValueError:
        A[0] = 2

@T.prim_func(s_tir=True)
def with_yield(A: T.Buffer((4,), "int32")):
    for i in range(4):
        yield A[i]  # error: yield

@T.prim_func(s_tir=True)
def with_comprehension(A: T.Buffer((4,), "int32"), n: T.int32):
    for i in T.grid(*[n for j in range(n)]):  # error: constant bounds
        A[i] = 1

@T.prim_func(s_tir=True)
def with_list_as_value(A: T.Buffer((4,), "int32")):
    A[0] = [A[i] for i in range(4)]  # error: expected an expression

@T.prim_func(s_tir=True)
def with_lambda(A: T.Buffer((4,), "int32")):
    f = lambda x: x + 1  # error: lambda
    A[0] = 1

@T.prim_func(s_tir=True)
def with_global(A: T.Buffer((4,), "int32")):
    global counter  # error: global
    A[0] = 1

@T.prim_func(s_tir=True)
def with_import(A: T.Buffer((4,), "int32")):
    import math  # error: import
    A[0] = 1

@T.prim_func(s_tir=True)
def with_raise(A: T.Buffer((4,), "int32")):
    raise ValueError  # error: raise

@T.prim_func(s_tir=True)
def with_del(A: T.Buffer((4,), "int32")):
    del A  # error: del

@T.prim_func(s_tir=True)
async def asynchronous(A: T.Buffer((4,), "int32")):  # error: async
    A[0] = 1
