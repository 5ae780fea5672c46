"""A model as a list of operators, each of which is Relax text, a NumPy function and nodes of ONNX."""

import base64
import json
import struct

import numpy as np

HEADER = ("from tvm.script import ir as I\nfrom tvm.script import relax as R\n"
          "from tvm.script import tirx as T\n")
KIND = "ir.GenericConst"


def metadata(arrays):
    """Constants as TVM prints them, as a Python literal."""
    nodes = []

    def add(kind, data):
        nodes.append({"type": kind, "data": data})
        return len(nodes) - 1

    def tensor(a):
        code = {"i": 0, "u": 1, "f": 2}[a.dtype.kind]
        head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, a.ndim, code, a.dtype.itemsize * 8, 1)
        return base64.b64encode(head + struct.pack(f"<{a.ndim + 1}q", *a.shape, a.nbytes) + a.tobytes()).decode()

    constants = [add(KIND, {"span": 0, "ty": 0, "value": add("ffi.Tensor", tensor(a))}) for a in arrays]
    root = add("ffi.Map", [add("ffi.String", KIND), add("ffi.Array", constants)])
    text = json.dumps({"root_index": root, "nodes": nodes, "metadata": {"tvm_version": "0.27.0"}})
    return 'metadata = tvm.ir.load_json("""' + text.replace('"', '\\"') + '""")\n'


class Tensor:
    """A value of the model: its array for the inputs at hand, and what it is a view of (itself where it is none)."""

    def __init__(self, graph, name, value, kind, of=None):
        self.graph, self.name, self.value, self.kind, self.of = graph, name, value, kind, of or self

    @property
    def shape(self):
        return self.value.shape

    @property
    def dtype(self):
        return str(self.value.dtype)

    def __add__(self, other):
        return self.graph.binary("add", "Add", np.add, self, other)

    def __mul__(self, other):
        return self.graph.binary("multiply", "Mul", np.multiply, self, other)


class Op:
    """One binding: `text` and `onnx` are made from the names of its operands. `keeps`: dimension 0 is the batch's."""

    def __init__(self, text, inputs, output, onnx):
        self.text, self.inputs, self.output, self.onnx = text, inputs, output, onnx


class Graph:
    """A model under way. `batch` is the name of dimension 0 of inputs and of what is made of them, where it has one;
    `dtype` the type of numbers that are not said to have another. `shapes_only`: values of the dearest operators are
    zeros, for somebody else computes them."""

    shapes_only = False

    def __init__(self, seed, batch=None, dtype="float32"):
        self.rng, self.dtype = np.random.default_rng(seed), dtype
        self.batch, self.ops, self.inputs, self.weights, self.outputs, self.n = batch, [], [], [], [], 0

    # ---- Tensors ----------------------------------------------------------------------------------------------------

    def new_name(self, kind):
        self.n += 1
        return f"{kind}{self.n}"

    def input(self, *shape, low=-1.0, high=1.0, dtype=None):
        value = self.rng.uniform(low, high, shape).astype(dtype or self.dtype)
        self.inputs.append(Tensor(self, self.new_name("x"), value, "input"))
        return self.inputs[-1]

    def weight(self, value):
        self.weights.append(Tensor(self, self.new_name("w"), np.ascontiguousarray(value), "weight"))
        return self.weights[-1]

    def random(self, *shape, scale=None, around=0.0):
        fan = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
        value = self.rng.standard_normal(shape) * (scale if scale else 1 / np.sqrt(fan)) + around
        return self.weight(value.astype(self.dtype))

    def op(self, text, inputs, value, onnx, view=False):
        """`text`: with {0}, {1} .. for operands; `onnx`: (type, attributes), or a function of operands and the result."""
        out = Tensor(self, self.new_name("v"), np.asarray(value), "value", inputs[0].of if view else None)
        self.ops.append(Op(text, inputs, out, onnx))
        return out

    def dims(self, shape, keeps):
        return [self.batch if keeps and i == 0 and self.batch else str(d) for i, d in enumerate(shape)]

    # ---- Operators --------------------------------------------------------------------------------------------------

    def binary(self, name, onnx, function, a, b):
        return self.op(f"R.{name}({{0}}, {{1}})", [a, b], function(a.value, b.value), (onnx, {}))

    def unary(self, name, onnx, function, a, **attributes):
        return self.op(f"R.{name}({{0}})", [a], function(a.value).astype(a.value.dtype), (onnx, attributes))

    def relu(self, a):
        return self.unary("nn.relu", "Relu", lambda x: np.maximum(x, 0), a)

    def sigmoid(self, a):
        return self.unary("sigmoid", "Sigmoid", lambda x: 1 / (1 + np.exp(-x)), a)

    def tanh(self, a):
        return self.unary("tanh", "Tanh", np.tanh, a)

    def exp(self, a):
        return self.unary("exp", "Exp", np.exp, a)

    def silu(self, a):
        def onnx(names, out):
            return [("Sigmoid", names, [out + "s"], {}), ("Mul", [names[0], out + "s"], [out], {})]
        return self.op("R.nn.silu({0})", [a], a.value / (1 + np.exp(-a.value)), onnx)

    def gelu(self, a):
        x = a.value.astype("float64")
        cubic = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
        return self.op("R.nn.gelu_tanh({0})", [a], cubic.astype(a.value.dtype), ("Gelu", {"approximate": "tanh"}))

    def relu6(self, a):
        def onnx(names, out):
            return [("Clip", [names[0], "zero", "six"], [out], {})]
        return self.op("R.clip({0}, 0, 6)", [a], np.clip(a.value, 0, 6), onnx)

    def conv(self, a, outs, kernel, stride=1, groups=1, bias=True, dilation=1):
        """`kernel`: a side, or height and width; padded so that a stride of 1 keeps the size."""
        sides = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        pads = [dilation * (side // 2) for side in sides]
        w = self.random(outs, a.shape[1] // groups, *sides)
        out = self.op(f"R.nn.conv2d({{0}}, {{1}}, strides={stride}, padding={pads}, dilation={dilation}, groups={groups})",
                      [a, w], self.conv_value(a, w, stride, pads, groups, dilation),
                      ("Conv", {"strides": [stride] * 2, "pads": pads * 2, "group": groups, "kernel_shape": sides,
                                "dilations": [dilation] * 2}))
        return out + self.random(1, outs, 1, 1, scale=0.1) if bias else out

    def conv_value(self, a, w, stride, pads, groups, dilation):
        (n, c, *_), (outs, _, *sides) = a.shape, w.shape
        x = np.pad(a.value, ((0, 0), (0, 0), (pads[0],) * 2, (pads[1],) * 2))
        spans = [(side - 1) * dilation + 1 for side in sides]
        windows = np.lib.stride_tricks.sliding_window_view(x, spans, (2, 3))[:, :, ::stride, ::stride, ::dilation, ::dilation]
        if self.shapes_only:
            return np.zeros((n, outs, *windows.shape[2:4]), self.dtype)
        parts = windows.reshape(n, groups, c // groups, *windows.shape[2:])
        value = np.einsum("ngchwij,gocij->ngohw", parts, w.value.reshape(groups, outs // groups, c // groups, *sides),
                          optimize=True)
        return value.reshape(n, outs, *windows.shape[2:4])

    def max_pool(self, a, size=2):
        n, c, h, w = a.shape
        value = a.value.reshape(n, c, h // size, size, w // size, size).max((3, 5))
        return self.op(f"R.nn.max_pool2d({{0}}, pool_size={size}, strides={size})", [a], value,
                       ("MaxPool", {"kernel_shape": [size] * 2, "strides": [size] * 2}))

    def global_pool(self, a):
        return self.op("R.mean({0}, axis=[2, 3])", [a], a.value.mean((2, 3)),
                       lambda names, out: [("GlobalAveragePool", names, [out + "p"], {}), ("Flatten", [out + "p"], [out], {})])

    def resize(self, a):
        value = a.value.repeat(2, 2).repeat(2, 3)
        size = f"R.shape([{value.shape[2]}, {value.shape[3]}])"
        return self.op('R.image.resize2d({0}, ' + size + ', layout="NCHW", method="nearest_neighbor", '
                       'coordinate_transformation_mode="asymmetric", rounding_method="floor")', [a], value,
                       lambda names, out: [("Resize", [names[0], "", "twice"], [out],
                                            {"mode": "nearest", "nearest_mode": "floor",
                                             "coordinate_transformation_mode": "asymmetric"})])

    def matmul(self, a, b):
        return self.op("R.matmul({0}, {1})", [a, b], self.product(a.value, b.value), ("MatMul", {}))

    def product(self, a, b):
        if self.shapes_only and a.ndim > 1:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            return np.zeros((*batch, a.shape[-2], b.shape[-1]), a.dtype)
        return a @ b

    def linear(self, a, outs, bias=True):
        out = self.matmul(a, self.random(a.shape[-1], outs))
        return out + self.random(outs, scale=0.1) if bias else out

    def softmax(self, a):
        power = np.exp(a.value - a.value.max(-1, keepdims=True))
        return self.op("R.nn.softmax({0}, axis=-1)", [a], power / power.sum(-1, keepdims=True), ("Softmax", {"axis": -1}))

    def layer_norm(self, a):
        d = a.shape[-1]
        gamma, beta = self.random(d, scale=0.1, around=1.0), self.random(d, scale=0.1)
        mean, variance = a.value.mean(-1, keepdims=True), a.value.var(-1, keepdims=True)
        value = (a.value - mean) / np.sqrt(variance + 1e-5) * gamma.value + beta.value
        return self.op("R.nn.layer_norm({0}, {1}, {2}, axes=[-1])", [a, gamma, beta], value.astype(a.value.dtype),
                       ("LayerNormalization", {"axis": -1, "epsilon": 1e-5}))

    def reshape(self, a, *shape, keeps=False):
        """`keeps`: dimension 0 is the batch's."""
        dims = ", ".join(self.dims(shape, keeps))
        target = self.weight(np.array([0 if keeps and self.batch and i == 0 else d for i, d in enumerate(shape)], "int64"))
        self.weights.pop()  # of ONNX alone
        return self.op(f"R.reshape({{0}}, R.shape([{dims}]))", [a], a.value.reshape(shape),
                       lambda names, out: [("Reshape", [names[0], target], [out], {})], view=True)

    def transpose(self, a, *axes):
        return self.op(f"R.permute_dims({{0}}, axes={list(axes)})", [a], np.ascontiguousarray(a.value.transpose(axes)),
                       ("Transpose", {"perm": list(axes)}))

    def concat(self, axis, *parts):
        names = ", ".join(f"{{{i}}}" for i in range(len(parts)))
        return self.op(f"R.concat(({names}), axis={axis})", list(parts), np.concatenate([p.value for p in parts], axis),
                       ("Concat", {"axis": axis}))

    def part(self, a, axis, begin, end):
        value = np.ascontiguousarray(a.value.take(range(begin, end), axis))
        in_one_piece = all(d == 1 for d in a.shape[:axis])
        numbers = [self.weight(np.array([n], "int64")) for n in (begin, end, axis)]
        del self.weights[-3:]
        return self.op(f"R.strided_slice({{0}}, axes=[{axis}], begin=[{begin}], end=[{end}])", [a], value,
                       lambda names, out: [("Slice", [names[0], *numbers], [out], {})], view=in_one_piece)

    def take(self, table, indices):
        return self.op("R.take({0}, {1}, axis=0)", [table, indices], table.value[indices.value], ("Gather", {"axis": 0}))

    # Integers of 8 bits with a scale for a tensor, as quantised models have them.

    def quantise(self, a, scale):
        step, zero = self.weight(np.float32(scale)), self.weight(np.int8(0))
        value = np.clip(np.rint(a.value / np.float32(scale)), -128, 127).astype("int8")
        return self.op('R.quantize({0}, {1}, {2}, axis=-1, out_dtype="int8")', [a, step, zero], value,
                       lambda names, out: [("QuantizeLinear", names, [out], {})])

    def integer_matmul(self, a, outs):
        w = self.weight(self.rng.integers(-127, 128, (a.shape[-1], outs)).astype("int8"))
        return self.op('R.matmul({0}, {1}, out_dtype="int32")', [a, w], a.value.astype("int32") @ w.value.astype("int32"),
                       ("MatMulInteger", {}))

    def as_float(self, a):
        return self.op('R.astype({0}, "float32")', [a], a.value.astype("float32"), ("Cast", {"to": 1}))

    # ---- What comes out ---------------------------------------------------------------------------------------------

    def annotation(self, t):
        shape = ", ".join(f'"{d}"' if not d.isdigit() else d for d in self.dims(t.shape, t.kind == "input"))
        return f'{t.name}: R.Tensor(({shape}{"," if len(t.shape) == 1 else ""}), dtype="{t.dtype}")'

    def text(self, bound):
        """The model in Relax, its weights as constants (`bound`); or as parameters behind the inputs and without imports, as
        TVM reads it."""
        names = {t.name: t.name for t in self.inputs + self.weights}
        if bound:
            names.update((w.name, f'metadata["{KIND}"][{i}]') for i, w in enumerate(self.weights))
        lines = [metadata([w.value for w in self.weights]), HEADER + "\n"] if bound else []
        params = ", ".join(self.annotation(t) for t in self.inputs + ([] if bound else self.weights))
        lines += ["@I.ir_module\nclass Module:\n    @R.function", f"    def main({params}):"]
        if self.batch:
            lines.append(f"        {self.batch} = T.int64()")
        lines.append("        with R.dataflow():")
        for op in self.ops:
            operands = [names.get(t.name, t.name) for t in op.inputs]
            lines.append(f"            {op.output.name} = {op.text.format(*operands)}")
        results = ", ".join(t.name for t in self.outputs)
        lines += [f"            R.output({results})", f"        return {results}", ""]
        return "\n".join(lines)

    def onnx(self, helper, numpy_helper):
        nodes, extra = [], {"zero": np.zeros((), self.dtype), "six": np.full((), 6, self.dtype), "twice": np.array([1, 1, 2, 2], "float32")}
        for op in self.ops:
            names = [t.name for t in op.inputs]
            made = op.onnx(names, op.output.name) if callable(op.onnx) else [(op.onnx[0], names, [op.output.name], op.onnx[1])]
            for kind, inputs, outputs, attributes in made:
                extra.update((t.name, t.value) for t in inputs if isinstance(t, Tensor))
                nodes.append(helper.make_node(kind, [getattr(t, "name", t) for t in inputs], outputs, **attributes))

        def info(t):
            shape = [self.batch if self.batch and i == 0 else d for i, d in enumerate(t.shape)]
            return helper.make_tensor_value_info(t.name, helper.np_dtype_to_tensor_dtype(t.value.dtype), shape)

        constants = {**extra, **{w.name: w.value for w in self.weights}}
        graph = helper.make_graph(nodes, "model", [info(t) for t in self.inputs], [info(t) for t in self.outputs],
                                  [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def largest_live_set(self, size=None):
        """Bytes of values that are in use at one time, each operator by itself: a view is what it is of, and results have
        memory of the caller's. `size`: of those alone whose elements have as many bytes."""
        last = {}
        for i, op in enumerate(self.ops):
            for t in op.inputs:
                last[t.of.name] = i
        most, live = 0, {}
        for i, op in enumerate(self.ops):
            t = op.output
            if t.of is t and t not in self.outputs and size in (None, t.value.itemsize):
                live[t.name] = t.value.nbytes
                last.setdefault(t.name, i)
            most = max(most, sum(live.values()))
            live = {name: size for name, size in live.items() if last[name] > i}
        return most

    def weight_bytes(self):
        return sum(w.value.nbytes for w in self.weights)

    def some(self, ops, outputs):
        """Some of the operators as a model of its own, whose inputs are operands from elsewhere that are no weights."""
        own = Graph(0, dtype=self.dtype)
        made = {op.output for op in ops}
        operands = [t for t in dict.fromkeys(t for op in ops for t in op.inputs) if t not in made]
        own.n, own.ops, own.outputs = self.n, ops, outputs
        own.weights = [t for t in operands if t.kind == "weight"]
        own.inputs = [Tensor(own, t.name, t.value, "input") for t in operands if t.kind != "weight"]
        return own

    def kernels(self):
        """Each operator as a model of its own."""
        for op in self.ops:
            if op.output.of is op.output:
                yield self.some([op], [op.output])
