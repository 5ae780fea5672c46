# Names that nothing defines where they are used: what was meant, and what to write.
# error: 16:7 `i` is not defined; give it a value before this line, or make it a parameter, `i: T.int32`
# error: 22:16 `sqrt` is not defined; write T.sqrt(...)
# error: 27:14 `reversed` is not defined; write range(n - 1, -1, -1)
# error: 37:12 `x` is known in the block of line 34 alone; give it a first value before that block begins, `x = ..`
# error: 42:5 `g` is not defined: functions that call each other are a T.prim_func each, in one class under @I.ir_module, and are called as Module.name(...) with the name of the class
# error: 47:5 `self` is not defined: a module's functions have no object; write Module.name(...), with the name of the class
# error: 52:8 `f32` is not defined; write T.float32
# error: 57:20 `k` is used before line 59 defines it; move that line before this one
# error: 66:14 `j` is known in the loop of line 64 alone; use it there
from tvm.script import tirx as T


@T.prim_func
def f0(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[i] = 1.0


@T.prim_func
def f1(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        A[i] = sqrt(A[i])


@T.prim_func
def f2(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in reversed(range(8)):
        A[i] = 1.0


@T.prim_func
def f3(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if n > 0:
        x = 1
    else:
        x = 2
    B[0] = x


@T.prim_func
def f4(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    g(A)


@T.prim_func
def f5(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    self.g(A)


@T.prim_func
def f6(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x: f32 = 0.0


@T.prim_func
def f7(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(k):
        A[0] = 1.0
    k = T.int32()


@T.prim_func
def f8(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for j in range(8):
        A[j] = 1.0
    A[0] = A[j]
