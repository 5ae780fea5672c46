# Declarations that are almost right, each with what to write instead.
# error: 11:14 a shape is one tuple: write T.Buffer((4, 4), "float32")
# error: 16:45 expected the type of the result, found a buffer: make it a parameter, and store into that
# error: 22:5 only elements of buffers can be assigned to, not of an expression: a handle becomes a buffer by A = T.match_b
# error: 24:9 `i` is already defined in this scope; give the value a name of its own
# error: 25:14 T.parallel takes a begin and an end; a step is named, step=2, or range's third argument
from tvm.script import tirx as T


@T.prim_func
def shape(x: T.Buffer(4, 4, "float32")):
    x[0, 0] = T.float32(1)


@T.prim_func
def result(x: T.Buffer((4,), "float32")) -> T.Buffer((4,), "float32"):
    x[0] = T.float32(1)


@T.prim_func
def statements(a: T.handle, x: T.Buffer((4,), "float32")):
    a[0] = T.float32(1)
    for i in range(4):
        i = i + 1
    for i in T.parallel(0, 4, 2):
        x[i] = x[i]
