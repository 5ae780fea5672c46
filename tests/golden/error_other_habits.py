# Habits of C, of Python and of its arrays, each with what to write instead.
# error: 25:16 there is no `T.nan`; write T.float32("nan")
# error: 31:12 the condition must be a scalar bool, not float32: write `x != 0`
# error: 37:5 `A` is a buffer and cannot be changed; change its elements in a loop, x[i] += ..
# error: 42:9 a buffer has no attribute `sum`; write a loop that adds to one element
# error: 47:9 a buffer has no attribute `T`; write the indices in the other order
# error: 52:14 a 'for' statement goes over range, T.grid, T.serial and the like, not a tuple; write `for i in range(n)`, and choose by i
# error: 58:14 a 'for' statement goes over range, T.grid, T.serial and the like, not an integer; write `for i in range(8)`
# error: 64:9 2 names are given to the variable of range(8): write T.grid(m, n), one extent for each
# error: 70:8 expected a type such as T.int32 or T.let, found a function of the language; write T.int32
# error: 76:8 expected a type such as T.int32 or T.let, found a string; write T.float32
# error: 82:8 there is no `T.float`; write T.float32(...), or "float32" for a type
# error: 88:5 this changes nothing; write `x += 1`
# error: 93:24 expected a type such as "float32", found a function of the language; write "float32"
# error: 98:12 T.where is a block's predicate; write T.Select(condition, a, b), or T.if_then_else where an arm may not be evaluated
# error: 104:16 bitwise_xor needs integer operands, not float32: write T.reinterpret("uint32", x) for the bits of a float, or T.pow(x, y)
# error: 109:12 `not` needs a bool operand, not float32: write `x == 0` for whether x is 0
# error: 114:12 `and` needs bool operands, not int32: write `x != 0` for whether x is not 0
from tvm.script import tirx as T


@T.prim_func
def f0(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        A[i] = T.nan("float32")


@T.prim_func
def f1(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        if A[i]:
            A[i] = 0.0


@T.prim_func
def f2(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A += 1


@T.prim_func
def f3(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x = A.sum()


@T.prim_func
def f4(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x = A.T


@T.prim_func
def f5(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in [1, 2, 3]:
        A[i] = 1.0


@T.prim_func
def f6(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in 8:
        A[i] = 1.0


@T.prim_func
def f7(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i, j in range(8):
        A[i] = 1.0


@T.prim_func
def f8(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x: int = 0
    B[0] = x


@T.prim_func
def f9(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x: "float32" = 0.0
    A[0] = x


@T.prim_func
def f10(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    x: T.float = 0.0
    A[0] = x


@T.prim_func
def f11(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    ++n


@T.prim_func
def f12(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = A[1].astype(float)


@T.prim_func
def f13(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = T.where(n > 0, A[1], A[2])


@T.prim_func
def f14(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        A[i] = A[i] ^ 2


@T.prim_func
def f15(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = not A[1]


@T.prim_func
def f16(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    B[0] = B[1] and n
