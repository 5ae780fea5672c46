"""Programs that are given as text: what the language has and TVM's operators, schedules and passes do not make."""

from tvm.script import from_source

HEAD = '@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32"), n: T.int32):\n'

# name: a body below HEAD, or a whole function
TEXTS = {
    "attributes": '''T.func_attr({"a": True, "b": T.bool(True), "c": 1.5, "d": T.float32(0.1), "e": 5000000000, "f": T.int64(3)})
T.func_attr({"g": [True, T.bool(False), 0.1, T.float32(1)], "h": {"x": T.int64(3), "w": 1e30}})
B[0] = 1''',
    "loop annotations": '''for i in T.serial(16, annotations={"a": T.bool(True), "b": True, "c": T.float32(2)}):
    B[i] = i''',
    "range annotations": '''for i in range(2, 16, 3, annotations={"a": 1}):
    B[i] = i
for i in range(4, unroll=True):
    A[i] = T.float32(1)''',
    "allocation annotations": '''C = T.alloc_buffer((4,), "int32", annotations={"a": True, "b": 1.5, "c": [1, True]})
for i in range(4):
    C[i] = i
for i in range(4):
    B[i] = C[i]''',
    "nested attributes": '''T.attr({"b": 1, "a": True})
T.attr({"c": "x", "a0": T.int64(2)})
B[0] = 1''',
    "device entry": '''T.device_entry()
for i in range(16):
    B[i] = i''',
    "div": '''for i in range(16):
    B[i] = tvm.tirx.div(i - n, 3)
    A[i] = tvm.tirx.div(A[i] + T.float32(2), T.float32(3))''',
    "float remainder": '''for i in range(16):
    A[i] = T.truncmod(A[i] * T.float32(10), T.float32(3))''',
    "usual widths": '''@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float"), B: T.Buffer((4,), "int")):
    for i in range(4):
        A[i] = T.Cast("float", B[i]) + T.cast(i, "f32")''',
    "wide integers": '''@T.prim_func(s_tir=True)
def main(A: T.Buffer((2,), "uint64"), B: T.Buffer((2,), "uint64")):
    A[0] = B[0] + T.uint64((1 << 62) + 123)
    A[1] = B[1] - T.uint64(((1 << 63) + 5) >> 1)''',
    "own strides": '''@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4), "float32", strides=("s", 1)), B: T.Buffer((4, 4), "float32", strides=("s", 1))):
    for i, j in T.grid(4, 4):
        A[i, j] = B[i, j] + T.float32(1)''',
    "shared strides": '''@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle):
    t = T.int32()
    s = T.int32()
    A = T.match_buffer(a, (4, 4), "float32", strides=[s, t])
    B = T.match_buffer(b, (4, 4), "float32", strides=[s, t])
    for i, j in T.grid(4, 4):
        A[i, j] = B[i, j] + T.float32(1)''',
    "matched strides": '''@T.prim_func(s_tir=True)
def main(X: T.Buffer((8, 8), "float32"), Y: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(2, 2):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(Y[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
            T.writes(X[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
            s1 = T.int32()
            s0 = T.int32()
            A = T.match_buffer(X[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "float32", strides=[s0, s1], offset_factor=1)
            B = T.match_buffer(Y[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "float32", strides=["s0", "s1"], offset_factor=1)
            for k, l in T.grid(4, 4):
                A[k, l] = B[k, l] * T.float32(2)''',
    "counting down": '''for i in range(n - 1, -1, -1):
    B[i] = i
for i in T.serial(15, 3, step=-4):
    A[i] = T.float32(1)''',
    "integer conditions": '''if n % 2:
    B[0] = 1
elif B[1]:
    B[2] = 3''',
    "undefined values": '''B[0] = T.undef()''',
    "scalable vectors": '''for i in range(2):
    A[T.Ramp(i * 4, 1, T.vscale() * 4)] = A[T.Ramp(i * 4, 2, 4 * T.vscale())] + T.float32(1)
for i in T.vectorized(T.vscale() * 4):
    B[i + T.vscale()] = T.vscale() - i
A[0:T.vscale() * 8:2] = T.Select(A[T.Ramp(0, 1, T.vscale() * 4)] > T.Broadcast(T.float32(1), T.vscale() * 4), A[T.Ramp(0, 1, T.vscale() * 4)], T.Broadcast(T.float32(3), T.vscale() * 4))''',
    "scalable buffers": '''@T.prim_func(s_tir=True)
def main(a: T.handle, B: T.Buffer((T.vscale() * 8,), "float32"), D: T.Buffer((4,), "float32xvscalex4")):
    A = T.match_buffer(a, (T.vscale() * 8,), "float32")
    C = T.alloc_buffer((T.vscale() * 4,), "float32")
    x = T.alloc_local((1,), "float32xvscalex4")
    x[0] = A[T.Ramp(2, 1, T.vscale() * 4)]
    B[0:T.vscale() * 4] = x[0]
    C[0:T.vscale() * 4] = T.masked_load("float32xvscalex4", A, T.Ramp(0, 1, T.vscale() * 4), T.get_active_lane_mask("uint1xvscalex4", 1, 3))
    T.masked_store(B, C[T.Ramp(0, 1, T.vscale() * 4)], T.Ramp(4, 1, T.vscale() * 4), T.get_active_lane_mask("uint1xvscalex4", 1, 3))
    D[0] = D[1] * T.float32(2)''',
    "odd strides": '''@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4), "float32", strides=(4,)), B: T.Buffer((4, 4), "float32", strides=(16, 4, 1))):
    A[0, 0] = B[0, 0]''',
}


def spelt(operator_type):
    for name, text in TEXTS.items():

        def make(text=text):
            body = "".join(f"    {line}\n" for line in text.splitlines())
            return from_source(text if text.startswith("@") else HEAD + body)

        operator = operator_type(f"spelt.{name.replace(' ', '_')}", make, 1)
        operator.extents = {"n": 11}
        yield operator
