# Syntax of other languages, each with what to write instead.
# error: 24:13 expected 'in', found a name; write `for i in range(n):`
# error: 30:5 a function of the language is no statement: `int`
# error: 30:9 expected the end of the line, found a name; write `x: T.int32 = ..`
# error: 35:16 expected ':', found '{'; a block stands indented behind a ':', without braces
# error: 42:14 expected ':', found a name; leave it out
# error: 48:11 expected an expression, found '>'; write `!=`
# error: 54:10 the operator 'is' is not part of the language; write `==`, or `!=`
# error: 60:10 the operator 'in' is not part of the language; write `x == a or x == b`
# error: 66:5 'raise' is not part of the language; write `assert condition, "message"`
# error: 71:5 'match' is not part of the language; write `if` and `elif`
# error: 78:12 a number has no letters behind it; write 1, 1.0, or T.float32(1.0) for its type
# error: 83:17 expected the end of the line, found a name; an operator is missing before it
# error: 88:5 expected an expression, found '//'; a comment begins with #
# error: 93:12 expected an expression, found '&'; write T.address_of(x) for an address
# error: 98:12 expected an expression, found a function of the language: `(float)`
# error: 98:19 expected the end of the line, found a name; write T.float32(n)
# error: 103:12 this is not a number; a product is written with `*`
from tvm.script import tirx as T


@T.prim_func
def f0(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for int i = 0; i < 8; i++:
        A[i] = 1.0


@T.prim_func
def f1(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    int x = 0


@T.prim_func
def f2(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if (n > 0) {
        A[0] = 1.0
    }


@T.prim_func
def f3(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if n > 0 then:
        A[0] = 1.0


@T.prim_func
def f4(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if n <> 0:
        A[0] = 1.0


@T.prim_func
def f5(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if n is None:
        A[0] = 1.0


@T.prim_func
def f6(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    if n in (1, 2):
        A[0] = 1.0


@T.prim_func
def f7(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    raise ValueError("x")


@T.prim_func
def f8(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    match n:
        case 1:
            A[0] = 1.0


@T.prim_func
def f9(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = 1.0f


@T.prim_func
def f10(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = A[1] A[2]


@T.prim_func
def f11(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    // comment


@T.prim_func
def f12(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = &A[1]


@T.prim_func
def f13(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = (float)n


@T.prim_func
def f14(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), n: T.int32):
    A[0] = 2A[1]
