"""What of an ONNX graph follows from its text: sizes that are known, and what is computed of them. TVM's front end has
sizes as operands of few operators alone, and most models compute with theirs."""

import contextlib
import math

from onnx_control import MOST_WRITTEN, named, written_out

# What is computed of sizes.
COMPUTED = {"Abs", "Add", "And", "Cast", "CastLike", "Ceil", "Concat", "ConstantOfShape", "Div", "Equal", "Expand", "Flatten",
            "Floor", "Gather", "GatherElements", "Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Max", "Min",
            "Mod", "Mul", "Neg", "Not", "Or", "Pow", "Range", "Reciprocal", "ReduceMax", "ReduceMin", "ReduceProd",
            "ReduceSum", "Reshape", "ScatterElements", "Sign", "Slice", "Split", "Sqrt", "Squeeze", "Sub", "Tile", "Transpose",
            "Unsqueeze", "Where", "Xor"}
# Elements: weights are no sizes.
MOST = 4096
STANDARD = ("", "ai.onnx")
# How often sizes that have become known make others known.
ROUNDS = 8


def version_of(model):
    """The version of ONNX's operators that a model is written in."""
    return next((o.version for o in model.opset_import if o.domain in STANDARD), 1)


class Known:
    """Values of a graph that are known, and sizes of which some are."""

    def __init__(self, graph, opsets, version):
        from onnx import numpy_helper
        self.array, self.opsets = numpy_helper.to_array, opsets
        self.version = version
        self.tensors = {t.name: t for t in graph.initializer}
        self.dims = {info.name: dims_of(info.type.tensor_type) for info in (*graph.input, *graph.value_info, *graph.output)}
        self.room = MOST_WRITTEN - len(graph.node)
        self.parts = {}  # of vectors of sizes: a list with None for what is not known

    def value(self, name):
        """A small constant, or None."""
        tensor = self.tensors.get(name)
        if tensor is None or tensor.data_type == tensor.STRING or math.prod(tensor.dims) > MOST:
            return None
        return self.array(tensor)

    def note(self, name, value):
        from onnx import numpy_helper
        self.tensors[name] = numpy_helper.from_array(value, name)

    def results(self, node):
        """The values of a node, or None."""
        import numpy
        sizes = self.sizes(node)
        if sizes is not None:
            if None not in sizes:
                return [numpy.array(math.prod(sizes) if node.op_type == "Size" else sizes, "int64")]
            self.parts[node.output[0]] = sizes
            return None
        chosen = self.chosen(node)
        return [chosen] if chosen is not None else self.computed(node)

    def sizes_of(self, name):
        """All sizes of a value, None for each that is not known."""
        tensor = self.tensors.get(name)
        return list(tensor.dims) if tensor is not None else self.dims.get(name)

    def sizes(self, node):
        """Those that a node asks a value for."""
        if node.op_type not in ("Shape", "Size"):
            return None
        dims = self.sizes_of(node.input[0])
        if dims is None or node.op_type == "Size" and None in dims:
            return None
        ends = {a.name: a.i for a in node.attribute}
        return dims[ends.get("start", 0):ends.get("end", len(dims))]

    def chosen(self, node):
        """Known ones of sizes that are not all known, where a node takes only those."""
        import numpy
        part = self.parts.get(node.input[0]) if node.input else None
        operands = [self.value(name) for name in node.input[1:]]
        if part is None or any(value is None for value in operands):
            return None
        places = numpy.arange(len(part))
        if node.op_type == "Gather":
            at = operands[0]
            if (at < -len(part)).any() or (at >= len(part)).any():
                return None
        elif node.op_type == "Slice" and len(operands) >= 2 and all(value.size == 1 for value in operands):
            begin, end, _, step = [int(value.item()) for value in operands] + [0, 1][len(operands) - 2:]
            if step == 0:
                return None
            at = places[begin:end:step]
        else:
            return None
        taken = [part[i] for i in places[at].ravel()]
        return None if None in taken else numpy.array(taken, "int64").reshape(numpy.shape(at))

    def computed(self, node):
        import numpy
        import onnx
        from onnx import helper
        from onnx.reference import ReferenceEvaluator
        names = [name for name in node.input if name]
        values = [self.value(name) for name in names]
        if node.op_type not in COMPUTED or not names or any(value is None for value in values) or is_large(node, values):
            return None
        # Of negative numbers a quotient is what its users take it for.
        if node.op_type in ("Div", "Mod") and any((value < 0).any() for value in values):
            return None
        graph = helper.make_graph([node], "constant", [], [onnx.ValueInfoProto(name=name) for name in node.output],
                                  [self.tensors[name] for name in dict.fromkeys(names)])
        model = helper.make_model(graph, opset_imports=self.opsets)
        try:
            with numpy.errstate(all="ignore"):
                results = ReferenceEvaluator(model).run(None, {})
        except Exception:  # what is not in order the front end tells
            return None
        results = [numpy.asarray(value) for value in results]
        return results if all(value.size <= MOST and value.dtype.kind in "biuf" for value in results) else None


def dims_of(kind):
    """A tensor's sizes, None for those that are not known, which some exporters write as 0 or -1."""
    if not kind.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None for d in kind.shape.dim]


def is_large(node, values):
    """Whether an operator that makes many elements of few makes too many."""
    if node.op_type == "Range":
        first, last, step = (float(value.item()) for value in values)
        return not step or not abs(last - first) <= MOST * abs(step)
    made = {"ConstantOfShape": values[:1], "Expand": values[1:2], "Tile": values[1:2]}.get(node.op_type, ())
    return any(math.prod(max(int(n), 1) for n in value.ravel()) > MOST for value in made)


def fold(model):
    """Computes what is known; whether that changed anything."""
    graph = model.graph
    known = Known(graph, model.opset_import, version_of(model))
    nodes, changed = [], False
    for node in graph.node:
        standard = node.domain in STANDARD
        if standard and node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            known.tensors[node.output[0]] = named(node.attribute[0].t, node.output[0])
        written = written_out(node, known) if standard else None
        values = known.results(node) if standard and not written else None
        if written:
            nodes.extend(written[0])
            graph.initializer.extend(written[1])
        elif values is not None:
            for name, value in zip(node.output, values):
                known.note(name, value)
                graph.initializer.append(known.tensors[name])
        else:
            nodes.append(node)
        changed = changed or bool(written) or values is not None
    if changed:
        kept = [type(node).FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(kept)
    return changed


def constants_as_tensors(model):
    """Constants that are numbers by themselves: the front end has those that are tensors."""
    import numpy
    from onnx import helper, numpy_helper
    types = {"value_float": "float32", "value_floats": "float32", "value_int": "int64", "value_ints": "int64"}
    for node in model.graph.node:
        if node.op_type == "Constant" and len(node.attribute) == 1 and node.attribute[0].name in types:
            attribute = node.attribute[0]
            value = numpy.array(helper.get_attribute_value(attribute), types[attribute.name])
            attribute.CopyFrom(helper.make_attribute("value", numpy_helper.from_array(value)))


def folded(model):
    """The model, in which what follows from its text is computed."""
    import onnx
    for _ in range(ROUNDS):
        constants_as_tensors(model)
        with contextlib.suppress(Exception):  # of a model that is not in order, or too large for this
            model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        if not fold(model):
            break
    return model
