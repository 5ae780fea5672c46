# What others call otherwise, each with what to write.
# error: 42:20 `handle` is not defined; write T.handle
# error: 42:62 `float32` is not defined; write T.float32
# error: 42:46 `float32` of np is Python, which does not run in a kernel; write T.float32(...), or "float32" for a typ
# error: 23:12 there is no `T.relu`; write T.max(x, 0)
# error: 24:9 there is no `T.zeros`; write T.alloc_buffer(shape, "float32"), and store its elements
# error: 25:12 there is no `T.maximum`; write T.max(...)
# error: 26:12 `exp` of math is Python, which does not run in a kernel; write T.exp(...)
# error: 27:12 `relu` of torch is Python, which does not run in a kernel; write T.max(x, 0)
# error: 28:9 `zeros` of np is Python, which does not run in a kernel; write T.alloc_buffer(shape, "float32"), and sto
# error: 29:12 `sum` of np is Python, which does not run in a kernel; write a loop that adds to one element
# error: 30:5 `print` is not supported: a kernel stores what it computes, and `tirb run` prints that
# error: 31:12 '//' and '%' need integer operands, not float32: write T.floor(a / b), or T.fmod(a, b)
# error: 32:24 the shape comes first, then the type: (4, 8), "float32"
# error: 33:9 2 names are given to the variable of T.grid(4): write T.grid(m, n)
# error: 35:20 the index is outside the tuple, which has 1 item
# error: 37:14 range takes a begin, an end and a step
from tvm.script import tirx as T


@T.prim_func
def names(x: T.Buffer((4,), "float32")):
    x[0] = T.relu(x[0])
    z = T.zeros((4,), "float32")
    x[0] = T.maximum(x[0], x[1])
    x[0] = math.exp(x[0])
    x[0] = torch.relu(x[0])
    y = np.zeros((4,), "float32")
    x[0] = np.sum(x)
    print(x[0])
    x[0] = x[0] % T.float32(2)
    w = T.alloc_buffer("float32")
    for i, j in T.grid(4):
        x[i] = x[j]
    for i in range(x.shape[1]):
        x[i] = x[0]
    for i in range(0, 4, 1, 2):
        x[i] = x[0]


@T.prim_func
def annotations(a: handle, b: T.Buffer((4,), np.float32), n: float32):
    b[0] = n
