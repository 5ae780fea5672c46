"""Models of ONNX in operators that TVM's front end has: what it lacks, and what it takes otherwise than ONNX means it."""

import contextlib
import math

from constants import SMALL
from onnx_constants import STANDARD, dims_of, folded, version_of
from onnx_control import named
from onnx_functions import graphs_of, made_of_others
from refusals import Refused


class Rewriting:
    """A graph's nodes under way to others that compute the same."""

    def __init__(self, graph):
        from onnx import numpy_helper
        self.graph, self.nodes, self.n = graph, [], 0
        self.known = {t.name: t for t in graph.initializer}
        self.known |= {node.output[0]: a.t for node in graph.node if node.op_type == "Constant"
                       for a in node.attribute if a.name == "value"}
        self.array = lambda name: numpy_helper.to_array(self.known[name])
        self.types = {info.name: info.type.tensor_type
                      for info in (*graph.input, *graph.value_info, *graph.output)}

    def add(self, kind, *operands, n=1, outputs=(), **attributes):
        from onnx import helper
        self.n += 1
        made = list(outputs) or [f"tirb.{self.n}.{kind}.{i}" for i in range(n)]
        self.nodes.append(helper.make_node(kind, list(operands), made, **attributes))
        return made[0] if len(made) == 1 else made

    def constant(self, value):
        from onnx import numpy_helper
        self.n += 1
        tensor = numpy_helper.from_array(value, f"tirb.{self.n}.constant")
        self.graph.initializer.append(tensor)
        self.known[tensor.name] = tensor
        return tensor.name

    def ints(self, *values):
        import numpy
        return self.constant(numpy.array(values, "int64"))

    def computed(self, function, name, otherwise):
        """A constant that NumPy computes of another one, or what `otherwise` makes of a value."""
        import numpy
        if name not in self.known:
            return otherwise(name)
        return self.constant(numpy.ascontiguousarray(function(self.array(name))))

    def part(self, name, at):
        return self.computed(lambda a: a[at], name, lambda v: self.add("Squeeze", self.slice(v, 0, at, at + 1),
                                                                       self.ints(0)))

    def slice(self, name, axis, begin, end):
        return self.computed(lambda a: a.take(range(begin, end), axis), name,
                             lambda v: self.add("Slice", v, self.ints(begin), self.ints(end), self.ints(axis)))

    def turned(self, name):
        return self.computed(lambda a: a.T, name, lambda v: self.add("Transpose", v, perm=[1, 0]))

    def dims(self, name):
        """A value's sizes as far as they are known, None for those that are not."""
        if name in self.known:
            return list(self.known[name].dims)
        kind = self.types.get(name)
        return None if kind is None else dims_of(kind)


def attributes_of(node):
    from onnx import helper
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def operand(node, i):
    return node.input[i] if len(node.input) > i else ""


# Of a recurrent layer: how many gates a step has, and what their activations are.
GATES = {"LSTM": (4, ("Sigmoid", "Tanh", "Tanh")), "GRU": (3, ("Sigmoid", "Tanh")), "RNN": (1, ("Tanh",))}


class Layer:
    """One direction of a recurrent layer: its weights, and a step of it."""

    def __init__(self, r, node, attributes, direction):
        self.r, self.kind, self.size = r, node.op_type, attributes["hidden_size"]
        self.n, usual = GATES[node.op_type]
        names = [name.decode() if isinstance(name, bytes) else name for name in attributes.get("activations", ())]
        self.activations = names[direction * len(usual):(direction + 1) * len(usual)] or usual
        self.resets_last = attributes.get("linear_before_reset", 0)
        self.inward, self.onward = r.turned(r.part(node.input[1], direction)), r.part(node.input[2], direction)
        both = r.part(operand(node, 3), direction) if operand(node, 3) else ""
        self.added = [r.slice(both, 0, k * self.n * self.size, (k + 1) * self.n * self.size) if both else ""
                      for k in range(2)]
        holes = operand(node, 7) if self.kind == "LSTM" else ""
        self.holes = [self.gate(r.part(holes, direction), i, 0) if holes else "" for i in range(3)]
        self.turned = {}  # what all steps share: the gates' matrices and biases

    def gate(self, name, i, axis):
        return self.r.slice(name, axis, i * self.size, (i + 1) * self.size)

    def plus(self, a, b):
        return self.r.add("Add", a, b) if a and b else a or b

    def inputs(self, x):
        """What all steps' inputs add to their gates; of the biases all that is added there as well."""
        v = self.r.add("MatMul", x, self.inward)
        return self.plus(v, self.added[0])

    def step(self, v, h, c):
        """The state behind a step, of what its inputs give and the state before, if there is one."""
        return {"LSTM": self.lstm, "GRU": self.gru, "RNN": self.rnn}[self.kind](v, h, c)

    def recurrent(self, h, first, last):
        """What the state gives gates `first` to `last`, with its bias."""
        if (first, last) not in self.turned:
            part = lambda name: name and self.r.slice(name, 0, first * self.size, last * self.size)
            self.turned[first, last] = self.r.turned(part(self.onward)), part(self.added[1])
        matrix, bias = self.turned[first, last]
        return self.plus(self.r.add("MatMul", h, matrix) if h else "", bias)

    def lstm(self, v, h, c):
        add, (f, g, k) = self.r.add, self.activations
        v = self.plus(v, self.recurrent(h, 0, 4))
        i, o, forget, new = (self.gate(v, part, 1) for part in range(4))
        through = lambda gate, hole, state: self.plus(gate, add("Mul", hole, state) if hole and state else "")
        i, forget = through(i, self.holes[0], c), through(forget, self.holes[2], c)
        kept = add("Mul", add(f, forget), c) if c else ""
        c = self.plus(kept, add("Mul", add(f, i), add(g, new)))
        return add("Mul", add(f, through(o, self.holes[1], c)), add(k, c)), c

    def gru(self, v, h, _):
        import numpy
        add, (f, g) = self.r.add, self.activations
        gates = self.plus(self.slice_of(v, 0, 2), self.recurrent(h, 0, 2))
        z, reset = (add(f, self.gate(gates, part, 1)) for part in range(2))
        new = self.slice_of(v, 2, 3)
        if self.resets_last:
            state = self.recurrent(h, 2, 3)
            new = self.plus(new, add("Mul", reset, state) if state else "")
        else:
            new = self.plus(new, self.recurrent(add("Mul", reset, h) if h else "", 2, 3))
        one = self.r.constant(numpy.float32(1))
        new = add("Mul", add("Sub", add("CastLike", one, z), z), add(g, new))
        return self.plus(new, add("Mul", z, h) if h else ""), ""

    def slice_of(self, v, first, last):
        return self.r.slice(v, 1, first * self.size, last * self.size)

    def rnn(self, v, h, _):
        return self.r.add(self.activations[0], self.plus(v, self.recurrent(h, 0, 1))), ""


def recurrent_layer(r, node):
    """LSTM, GRU and RNN, step by step."""
    import numpy
    a = attributes_of(node)
    dims, by_batch = r.dims(node.input[0]), a.get("layout", 0)
    steps = dims[1 if by_batch else 0] if dims else None
    if not steps:
        raise Refused(1, f"{node.op_type} of a sequence whose length is not known: --shape says sizes of inputs")
    odd = [name for name in ("clip", "input_forget", "activation_alpha", "activation_beta") if a.get(name)]
    if odd:
        raise Refused(1, f"{node.op_type} with {odd[0]} is not converted")
    x = r.add("Transpose", node.input[0], perm=[1, 0, 2]) if by_batch else node.input[0]
    lengths, first = operand(node, 4), [operand(node, 5), operand(node, 6) if node.op_type == "LSTM" else ""]
    if by_batch:
        first = [r.add("Transpose", name, perm=[1, 0, 2]) if name else "" for name in first]
    ways = {"forward": (1,), "reverse": (-1,), "bidirectional": (1, -1)}[a.get("direction", "forward")]
    lengths = lengths and r.add("Unsqueeze", lengths, r.ints(1))
    zero = r.add("CastLike", r.constant(numpy.float32(0)), node.input[0])
    rows, last = [[] for _ in range(steps)], []
    for direction, way in enumerate(ways):
        layer = Layer(r, node, a, direction)
        given = layer.inputs(x)
        h, c = (r.part(name, direction) if name else "" for name in first)
        for t in range(steps)[::way]:
            v = r.add("Gather", given, r.constant(numpy.array(t)), axis=0)
            new_h, new_c = layer.step(v, h, c)
            out = new_h
            if lengths:
                goes_on = r.add("Greater", lengths, r.constant(numpy.array(t, "int32")))
                out = r.add("Where", goes_on, new_h, zero)
                new_h, new_c = (new and r.add("Where", goes_on, new, old or zero) for new, old in
                                ((new_h, h), (new_c, c)))
            h, c = new_h, new_c
            rows[t].append(r.add("Unsqueeze", out, r.ints(0, 1)))
        last.append((h, c))
    each = [r.add("Concat", *parts, axis=1) for parts in rows]
    states = [[pair[k] for pair in last] for k in range(2)]
    wanted = [list(node.output)[k] if len(node.output) > k else "" for k in range(3)]
    results = [r.add("Concat", *each, axis=0)]
    results += [r.add("Concat", *(r.add("Unsqueeze", s, r.ints(0)) for s in part), axis=0) if name else ""
                for part, name in zip(states, wanted[1:])]
    turned = ([2, 0, 1, 3], [1, 0, 2], [1, 0, 2])
    for name, value, perm in zip(wanted, results, turned):
        if name:
            r.add(*(("Transpose", value) if by_batch else ("Identity", value)), outputs=[name],
                  **({"perm": perm} if by_batch else {}))


def centred(r, name, zero, axes=""):
    """Integers less their zero as float32, in which they are exact; `axes` are put behind a zero of each channel."""
    from onnx import TensorProto
    value = r.add("Cast", name, to=TensorProto.FLOAT)
    if not zero:
        return value
    zero = r.add("Cast", zero, to=TensorProto.FLOAT)
    return r.add("Sub", value, r.add("Unsqueeze", zero, axes) if axes else zero)


def quantised_product(r, node):
    """QLinearConv and QLinearMatMul: sums of integers, in float32, which are exact up to 2^24 and rounded beyond it, and
    one factor for all three scales."""
    from onnx import TensorProto
    import numpy
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = node.input[:8]
    convolves = node.op_type == "QLinearConv"
    rank = len(r.dims(w) or ())
    channels = [s for s in (w_scale, w_zero) if r.dims(s) not in ([], [1])]
    if convolves and not rank or not convolves and channels:
        raise Refused(1, f"{node.op_type} with such scales is not converted")
    behind = r.ints(*range(1, rank)) if channels and convolves else ""
    a, b = centred(r, x, x_zero), centred(r, w, w_zero, behind)
    x_scale, w_scale, y_scale = (r.add("Cast", s, to=TensorProto.FLOAT) for s in (x_scale, w_scale, y_scale))
    factor = r.add("Div", r.add("Mul", x_scale, w_scale), y_scale)
    if convolves:
        bias = [r.add("Cast", node.input[8], to=TensorProto.FLOAT)] if operand(node, 8) else []
        product = r.add("Conv", a, b, *bias, **attributes_of(node))
        if channels:
            factor = r.add("Unsqueeze", factor, r.ints(*range(1, rank - 1)))
    else:
        product = r.add("MatMul", a, b)
    r.add("QuantizeLinear", r.add("Mul", product, factor), r.constant(numpy.float32(1)), y_zero, outputs=node.output)


def integer_convolution(r, node):
    """ConvInteger: sums of bytes less their zeros, in float32, which are exact up to 2^24."""
    from onnx import TensorProto
    x, w = node.input[:2]
    rank, w_zero = len(r.dims(w) or ()), operand(node, 3)
    channels = w_zero and r.dims(w_zero) not in ([], [1])
    if channels and not rank:
        raise Refused(1, "ConvInteger with zeros of channels is not converted: it is not known how many dimensions there are")
    a = centred(r, x, operand(node, 2))
    b = centred(r, w, w_zero, r.ints(*range(1, rank)) if channels else "")
    r.add("Cast", r.add("Conv", a, b, **attributes_of(node)), outputs=node.output, to=TensorProto.INT32)


def reversed_sequence(r, node):
    """ReverseSequence: the first elements of each row of a batch from their end on, by their number."""
    import numpy
    from onnx import TensorProto
    a, (x, lengths) = attributes_of(node), node.input[:2]
    time, batch, dims = a.get("time_axis", 0), a.get("batch_axis", 1), r.dims(node.input[0])
    if not dims or not dims[time]:
        raise Refused(1, "ReverseSequence of a sequence whose length is not known: --shape says sizes of inputs")
    place = lambda axis: [i for i in range(len(dims)) if i != axis]
    at = numpy.arange(dims[time]).reshape([-1 if i == time else 1 for i in range(len(dims))])
    at, lengths = r.constant(at), r.add("Unsqueeze", r.add("Cast", lengths, to=TensorProto.INT64), r.ints(*place(batch)))
    turned = r.add("Sub", r.add("Sub", lengths, r.ints(1)), at)
    at = r.add("Where", r.add("Less", at, lengths), turned, at)
    r.add("GatherElements", x, r.add("Expand", at, r.add("Shape", x)), outputs=node.output, axis=time)


def norm_of_power(r, node):
    import numpy
    a = attributes_of(node)
    axes = r.ints(a.get("axis", -1))
    norm = r.add("ReduceL1" if a.get("p", 2) == 1 else "ReduceL2", node.input[0], axes, keepdims=1)
    zero, one = (r.add("CastLike", r.constant(numpy.float32(x)), norm) for x in (0, 1))
    r.add("Div", node.input[0], r.add("Where", r.add("Equal", norm, zero), one, norm), outputs=node.output)


def infinite(r, node):
    """The front end does not look at signs."""
    import numpy
    a, x = attributes_of(node), node.input[0]
    wanted = [kind for kind, name in (("Greater", "detect_positive"), ("Less", "detect_negative")) if a.get(name, 1)]
    zero = r.add("CastLike", r.constant(numpy.float32(0)), x)
    found = r.add("IsInf", x, outputs=() if len(wanted) < 2 else node.output)
    if not wanted:
        r.add("Xor", found, found, outputs=node.output)
    elif len(wanted) < 2:
        r.add("And", found, r.add(wanted[0], x, zero), outputs=node.output)


def regions(r, node):
    """The front end takes half a pixel off the regions before they are scaled, and not behind that."""
    import numpy
    a, scale = attributes_of(node), attributes_of(node).get("spatial_scale", 1.0)
    rois = node.input[1]
    if a.get("coordinate_transformation_mode", "half_pixel") == "half_pixel" and scale != 1:
        half = r.add("CastLike", r.constant(numpy.float32(0.5 - 0.5 / scale)), rois)
        rois = r.add("Add", rois, half)
    r.add("RoiAlign", node.input[0], rois, *node.input[2:], outputs=node.output, **a)


def one_hot(r, node):
    """The front end wants a depth without dimensions, and has the values in float64."""
    depth, values = node.input[1], node.input[2]
    if depth in r.known and r.array(depth).size == 1:
        depth = r.constant(r.array(depth).reshape(()).astype("int64"))
    made = r.add("OneHot", node.input[0], depth, values, **attributes_of(node))
    r.add("CastLike", made, values, outputs=node.output)


def kind_of(r, name):
    """The type of a value's elements in NumPy, None where it is not known."""
    from onnx import helper
    kind = r.known[name].data_type if name in r.known else getattr(r.types.get(name), "elem_type", 0)
    return helper.tensor_dtype_to_np_dtype(kind) if kind else None


def power(r, node):
    """The front end has powers of two floats of one type."""
    from onnx import TensorProto
    (x, y), kinds = node.input, [kind_of(r, name) for name in node.input]
    if any(kind is None for kind in kinds) or kinds[0] == kinds[1] and kinds[0].kind == "f":
        r.nodes.append(node)
        return
    if kinds[0].kind not in "iu":
        r.add("Pow", x, r.add("CastLike", y, x), outputs=node.output)
        return
    made = r.add("Pow", r.add("Cast", x, to=TensorProto.DOUBLE), r.add("Cast", y, to=TensorProto.DOUBLE))
    r.add("CastLike", made, x, outputs=node.output)


def batch_norm(r, node):
    """In training the front end has other running sums: ONNX's momentum is the part of the old one that stays."""
    import numpy
    a, (x, scale, bias, old_mean, old_variance) = attributes_of(node), node.input
    dims = r.dims(x)
    if not a.get("training_mode", 0):
        r.nodes.append(node)
        return
    if not dims:
        raise Refused(1, "BatchNormalization in training is not converted: it is not known how many dimensions there are")
    others, momentum = [i for i in range(len(dims)) if i != 1], a.get("momentum", 0.9)
    number = lambda value, like: r.add("CastLike", r.constant(numpy.float32(value)), like)
    behind = r.ints(*range(1, len(dims) - 1)) if len(dims) > 2 else ""
    spread = lambda value: r.add("Unsqueeze", r.add("CastLike", value, x), behind) if behind else value
    mean = r.add("ReduceMean", x, r.ints(*others), keepdims=1)
    centred = r.add("Sub", x, mean)
    variance = r.add("ReduceMean", r.add("Mul", centred, centred), r.ints(*others), keepdims=1)
    deviation = r.add("Sqrt", r.add("Add", variance, number(a.get("epsilon", 1e-5), x)))
    normed = r.add("Mul", r.add("Div", centred, deviation), spread(scale))
    r.add("Add", normed, spread(bias), outputs=node.output[:1])
    for i, (found, old) in enumerate(((mean, old_mean), (variance, old_variance)), 1):
        if len(node.output) > i and node.output[i]:
            found = r.add("CastLike", r.add("Squeeze", found, r.ints(*others)), old)
            kept = r.add("Mul", old, number(momentum, old))
            r.add("Add", kept, r.add("Mul", found, number(1 - momentum, old)), outputs=[node.output[i]])


def exponential_unit(r, node):
    """The front end has it of float32."""
    import numpy
    from onnx import TensorProto
    x, kind = node.input[0], kind_of(r, node.input[0])
    if kind is None or kind == "float32":
        r.nodes.append(node)
        return
    if kind == "float64":
        zero, one, alpha = (r.constant(numpy.float64(n)) for n in (0, 1, attributes_of(node).get("alpha", 1.0)))
        below = r.add("Mul", alpha, r.add("Sub", r.add("Exp", r.add("Min", x, zero)), one))
        r.add("Where", r.add("Greater", x, zero), x, below, outputs=node.output)
        return
    made = r.add(node.op_type, r.add("Cast", x, to=TensorProto.FLOAT), **attributes_of(node))
    r.add("CastLike", made, x, outputs=node.output)


def diagonal(r, node):
    """EyeLike of a small matrix whose sizes are known is a constant."""
    import numpy
    from onnx import helper
    a, dims, kind = attributes_of(node), r.dims(node.input[0]), kind_of(r, node.input[0])
    if not dims or None in dims or kind is None:
        r.nodes.append(node)
        return
    wanted = a.get("dtype") or helper.np_dtype_to_tensor_dtype(kind)
    kind = helper.tensor_dtype_to_np_dtype(wanted)
    if math.prod(dims) * kind.itemsize > SMALL:  # the front end looks at the operand's type
        r.add("EyeLike", r.add("Cast", node.input[0], to=wanted), outputs=node.output, k=a.get("k", 0))
        return
    r.add("Identity", r.constant(numpy.eye(*dims, k=a.get("k", 0), dtype=kind)), outputs=node.output)


def suppressed(r, node):
    """NonMaxSuppression, for which the front end has thresholds of its own where there are none."""
    import numpy
    given = [operand(node, i) for i in range(5)]
    least = (0, numpy.finfo("float32").min)  # boxes that overlap at all, and any score
    given[3:] = [name or r.constant(numpy.array([value], "float32")) for name, value in zip(given[3:], least)]
    r.add("NonMaxSuppression", *given, outputs=node.output, **attributes_of(node))


REWRITTEN = {"LSTM": recurrent_layer, "GRU": recurrent_layer, "RNN": recurrent_layer, "BatchNormalization": batch_norm,
             "QLinearConv": quantised_product, "QLinearMatMul": quantised_product, "ConvInteger": integer_convolution,
             "ReverseSequence": reversed_sequence, "LpNormalization": norm_of_power, "IsInf": infinite,
             "RoiAlign": regions, "OneHot": one_hot, "Pow": power, "Elu": exponential_unit, "EyeLike": diagonal,
             "NonMaxSuppression": suppressed}
# What the front end knows under these names are operators of other domains.
OTHERS = {"Attention", "RotaryEmbedding"}


# From which version on axes are an operand; before it they are an attribute.
AXES_ARE_OPERANDS = {"Squeeze": 13, "Unsqueeze": 13, "ReduceSum": 13, "ReduceMean": 18, "ReduceL1": 18, "ReduceL2": 18}


def with_axes_where_they_belong(model):
    """What is written here has axes as operands, as the latest versions have them."""
    from onnx import helper, numpy_helper
    version = version_of(model)
    known = {t.name: t for t in model.graph.initializer}
    known |= {node.output[0]: named(a.t, node.output[0]) for node in model.graph.node if node.op_type == "Constant"
              for a in node.attribute if a.name == "value"}
    for node in model.graph.node:
        if node.domain not in STANDARD or len(node.input) != 2 or node.input[1] not in known:
            continue
        axes = numpy_helper.to_array(known[node.input[1]])
        if version < AXES_ARE_OPERANDS.get(node.op_type, 0):
            node.input.pop()
            node.attribute.append(helper.make_attribute("axes", [int(axis) for axis in axes.ravel()]))
        elif node.op_type in AXES_ARE_OPERANDS and axes.ndim == 0:  # the front end takes one axis in a row
            name = f"{node.input[1]}.row"
            if name not in known:
                known[name] = numpy_helper.from_array(axes.reshape(1), name)
                model.graph.initializer.append(known[name])
            node.input[1] = name


def is_made_of_others(node, known):
    """Whether the front end lacks the operator, or what this node asks of it."""
    return (node.op_type not in known or node.op_type in OTHERS
            or node.op_type == "LayerNormalization" and any(node.output[1:]))


def in_known_operators(model, known):
    """The model in operators that the front end has: others are what ONNX says that they are made of, or what is
    written here."""
    import onnx
    import onnx.inliner
    if model.functions:
        with contextlib.suppress(Exception):  # of a model that is not in order, which the front end tells
            model = onnx.inliner.inline_local_functions(model)
    model = made_of_others(model, lambda node: node.domain in STANDARD and node.op_type not in REWRITTEN
                           and is_made_of_others(node, known), version_of(model))
    model = folded(model)
    if any(node.op_type in REWRITTEN and node.domain in STANDARD for node in model.graph.node):
        with contextlib.suppress(Exception):  # of a model that is not in order, which the front end tells
            model = onnx.shape_inference.infer_shapes(model)
        r = Rewriting(model.graph)
        for node in model.graph.node:
            if node.op_type in REWRITTEN and node.domain in STANDARD:
                REWRITTEN[node.op_type](r, node)
            else:
                r.nodes.append(node)
        nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in r.nodes]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
    with_axes_where_they_belong(model)
    for node in model.graph.node:
        if node.op_type in ("Loop", "Scan") and node.domain in STANDARD:
            raise Refused(1, f"{node.op_type} '{node.name or node.output[0]}' of a number of rounds that is not known, or of"
                             " very many: --shape says sizes of inputs")
    for node in (node for graph in graphs_of(model.graph) for node in graph.node):
        node.name = node.output[0] if node.output else node.name
    return model
