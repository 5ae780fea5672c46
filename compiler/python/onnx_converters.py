"""Converters of ONNX's operators in place of those of TVM's front end that write loops where Relax has an operator, which
the compiler can join to others, and of operators that the front end lacks."""

import ast
import collections
import functools
import math
import operator

# Operands of R.einsum that the compiler lowers.
MOST_MULTIPLIED = 3


def is_tensor(value):
    from tvm import relax
    return isinstance(getattr(value, "ty", None), relax.TensorType)


def number(value):
    """The value of a constant that is one number, or None."""
    from tvm.ir import GenericConst
    array = value.value.numpy() if isinstance(value, GenericConst) else None
    return array.reshape(()) if array is not None and array.size == 1 else None


def bounded(front, bb, x, bound, is_lower):
    """A bound that is NaN, or absent, is none."""
    from tvm import relax
    value = number(bound)
    if bound is None or value is not None and value != value:
        return x
    if value is None:
        bound = front.Clip._sanitize_nan_clip_bound(bb, bound, for_min=is_lower)
    else:
        bound = relax.const(value, x.ty.dtype)
    return bb.normalize((relax.op.maximum if is_lower else relax.op.minimum)(x, bound))


def clip_of(front):
    from tvm import relax

    class Clip(front.Clip):
        @classmethod
        def _impl_v1(cls, bb, inputs, attr, params):
            kind = inputs[0].ty.dtype
            bounds = [relax.const(attr[name], kind) if name in attr else None for name in ("min", "max")]
            return cls._impl_v13(bb, [inputs[0], *bounds], attr, params)

        @classmethod
        def _impl_v13(cls, bb, inputs, attr, params):
            if not is_tensor(inputs[0]):
                return super()._impl_v13(bb, inputs, attr, params)
            x = bounded(front, bb, inputs[0], front.get_constant(inputs[1], params), True)
            return bounded(front, bb, x, front.get_constant(inputs[2], params), False)

    return Clip


def pairwise(front, kind):
    """Min, Max, Sum and Mean: one operand after the other, not a stack of them."""
    base = getattr(front, kind)

    class Pairwise(base):
        @classmethod
        def _impl_v1(cls, bb, inputs, attr, params):
            if number(inputs[0]) is not None or not all(map(is_tensor, inputs)):
                return super()._impl_v1(bb, inputs, attr, params)
            return cls._impl_dynamic(bb, inputs)

    return Pairwise


def pad_of(front):
    from tvm import relax

    class Pad(front.Pad):
        """Relax has the value as a double."""

        @classmethod
        def _lower_pad(cls, bb, inputs, attr, params, allowed_modes):
            before, after, value = cls._parse_pads_and_axes(inputs, params)
            if (attr.get("mode", b"constant") != b"constant" or min([*before, *after], default=0) < 0
                    or not math.isfinite(value) or float(value) != value):
                return super()._lower_pad(bb, inputs, attr, params, allowed_modes)
            return relax.op.nn.pad(inputs[0], [n for pair in zip(before, after) for n in pair], "constant", value)

    return Pad


def tile_of(front):
    from tvm import relax
    from tvm.ir import GenericConst

    class Tile(front.Tile):
        @classmethod
        def _impl_v13(cls, bb, inputs, attr, params):
            repeats = front.get_constant(inputs[1], params)
            if not isinstance(repeats, GenericConst) or not is_tensor(inputs[0]):
                return super()._impl_v13(bb, inputs, attr, params)
            return relax.op.tile(inputs[0], repeats.value.numpy().tolist())

    return Tile


def sizes_by_letter(equation, inputs):
    """The sizes that an equation of Einsum gives each letter; what dots stand for is counted from their end."""
    found = collections.defaultdict(list)
    for term, value in zip(equation.replace(" ", "").split("->")[0].split(","), inputs):
        first, dots, last = term.partition("...")
        n_between = value.ty.ndim - len(first) - len(last)
        letters = [*first, *(range(-n_between, 0) if dots else ()), *last]
        for letter, size in zip(letters, value.ty.shape):
            found[letter].append(size)
    return found.values()


def einsum_of(front):
    from tvm import relax
    from tvm_ffi import structural_equal

    class Einsum(front.Einsum):
        """Relax repeats no operands whose size is 1, and the compiler has its operator of few operands."""

        @classmethod
        def _impl_v12(cls, bb, inputs, attr, params):
            equation = attr["equation"].decode()
            known = all(is_tensor(value) and value.ty.shape is not None for value in inputs)
            letters = sizes_by_letter(equation, inputs) if known and len(inputs) <= MOST_MULTIPLIED else [()]
            if all(sizes and all(structural_equal(sizes[0], size) for size in sizes) for sizes in letters):
                return relax.op.einsum(list(inputs), equation)
            return super()._impl_v12(bb, inputs, attr, params)

    return Einsum


def along(front, base, makes):
    """CumSum and CumProd."""
    from tvm import relax

    class Along(base):
        @classmethod
        def _impl_v14(cls, bb, inputs, attr, params):
            axis = number(front.get_constant(inputs[1], params))
            if axis is None:
                raise ValueError("the axis is not known")
            turned = (lambda x: bb.normalize(relax.op.flip(x, int(axis)))) if attr.get("reverse", 0) else lambda x: x
            made = makes(turned(inputs[0]), int(axis), exclusive=bool(attr.get("exclusive", 0)))
            return turned(bb.normalize(made))

    return Along


def dropout_of(front):
    from tvm import relax

    class Dropout(front.Dropout):
        """Of a model that is not trained any more: nothing is dropped."""

        @classmethod
        def _impl_v1(cls, bb, inputs, attr, params):
            return relax.Tuple([inputs[0], bb.normalize(relax.op.ones_like(inputs[0], "bool"))])

        @classmethod
        def _impl_v12(cls, bb, inputs, attr, params):
            training, ratio = (number(front.get_constant(inputs[i], params)) for i in (2, 1))
            if inputs[2] is not None and (training is None or training and (inputs[1] is None or ratio != 0)):
                raise ValueError("it is in training mode, where what is dropped is random")
            return cls._impl_v1(bb, inputs, attr, params)

    return Dropout


def reshape_of(front):
    from tvm import relax
    from tvm.ir import GenericConst, PrimType

    class Reshape(front.Reshape):
        """A size, which the front end has as a number by itself, may become a row of one; a tensor that becomes a row is
        as long as it is, where its type says more: boxes that are selected."""

        @classmethod
        def _impl_v13(cls, bb, inputs, attr, params):
            shape = front.get_constant(inputs[1], params)
            if isinstance(inputs[0].ty, PrimType) and isinstance(shape, GenericConst):
                return relax.ShapeExpr([inputs[0]]) if shape.value.numpy().size else inputs[0]
            constants = [isinstance(value, GenericConst) for value in (inputs[0], shape)]
            if constants == [False, True] and is_tensor(inputs[0]) and shape.value.numpy().tolist() == [-1]:
                return relax.op.flatten(inputs[0])
            return super()._impl_v13(bb, inputs, attr, params)

    return Reshape


def expand_of(front):
    from tvm import relax
    from tvm.ir import GenericConst

    class Expand(front.Expand):
        @classmethod
        def _impl_v13(cls, bb, inputs, attr, params):
            data, shape = inputs[0], front.get_constant(inputs[1], params)
            if isinstance(shape, GenericConst) and any(not hasattr(size, "value") for size in data.ty.shape or ()):
                sizes = shape.value.numpy().tolist()
                shape = relax.ShapeExpr([1] * (data.ty.ndim - len(sizes)) + sizes)
            return super()._impl_v13(bb, [data, shape], attr, params)

    return Expand


def size_of(text, symbols):
    """A size that a model says in words, `past + 1`, as what symbols are made of; None where it is not known."""
    try:
        made = size_at(ast.parse(text, mode="eval").body, symbols)
    except (SyntaxError, ValueError, ArithmeticError, RuntimeError, MemoryError):  # the last two: it is nested too deep
        return None
    return None if isinstance(made, int) and not 0 <= made < 1 << 63 else made


def size_at(node, symbols):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name) and node.id in symbols:
        return symbols[node.id]
    operators = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}
    if isinstance(node, ast.BinOp) and type(node.op) in operators:
        return operators[type(node.op)](size_at(node.left, symbols), size_at(node.right, symbols))
    raise ValueError("no size")


def importer_of(front):
    """The front end's importer; what it loses track of the sizes of has those that the model says, which the call then
    compares. A node's name is that of its first result."""
    from tvm import relax, tirx

    class Importer(front.ONNXGraphImporter):
        def from_onnx(self, graph, opset):
            self.types = {info.name: info.type.tensor_type for info in (*graph.value_info, *graph.output)}
            self.symbols = {}
            return super().from_onnx(graph, opset)

        def _parse_graph_input(self, graph):
            super()._parse_graph_input(graph)
            for info in graph.input:
                shape = getattr(getattr(self._inputs.get(info.name), "ty", None), "shape", None)
                for dim, size in zip(info.type.tensor_type.shape.dim, shape or ()):
                    if dim.dim_param and isinstance(size, tirx.Var):
                        self.symbols.setdefault(dim.dim_param, size)

        def sizes(self, name):
            kind = self.types.get(name)
            if kind is None or not kind.HasField("shape"):
                return None
            found = [d.dim_value if d.dim_value > 0 else size_of(d.dim_param, self.symbols) for d in kind.shape.dim]
            return None if None in found else found

        def _convert_operator(self, op_name, inputs, attrs, opset):
            made = super()._convert_operator(op_name, inputs, attrs, opset)
            if not is_tensor(made) or made.ty.shape is not None:
                return made
            sizes = self.sizes(attrs["tvm_custom"]["name"])
            return made if sizes is None else self.bb.match_cast(made, relax.TensorType(sizes, made.ty.dtype))

    return Importer


def own_converters(front, known):
    """The front end's converters by their operators, and those above."""
    from tvm import relax
    own = {kind: pairwise(front, kind) for kind in ("Min", "Max", "Sum", "Mean")}
    own |= {"Clip": clip_of(front), "Pad": pad_of(front), "Tile": tile_of(front), "Einsum": einsum_of(front),
            "Reshape": reshape_of(front), "Expand": expand_of(front), "Dropout": dropout_of(front),
            "CumSum": along(front, front.CumSum, relax.op.cumsum), "CumProd": along(front, front.CumSum, relax.op.cumprod)}
    return known | own


@functools.cache
def register():
    """Makes them the front end's, once."""
    from tvm.relax.frontend.onnx import onnx_frontend as front
    converters = own_converters(front, front._get_convert_map())
    front._get_convert_map = lambda: dict(converters)
    front.ONNXGraphImporter = importer_of(front)
    return converters
