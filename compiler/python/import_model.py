"""A model of ONNX or PyTorch as a text of Relax and a file of weights, by TVM's own front ends.

    import_model.py MODEL WEIGHTS [--format F] [--shape NAME=D,D,..]... [--inside BYTES]

`tirb import` runs this, which is in the command, and compiles the text. It goes to stdout, behind a comment that names
the function's inputs and its weights, and has what is to be known of it; weights are parameters behind the inputs, and
go to WEIGHTS, whose format is safetensors or npz, where there are any. Constants of at most so many bytes stay in the
text. What goes wrong is a line on stdout and the exit status: 1 the model, 2 the options, 3 a file, 4 a package that is
not there."""

import argparse
import ast
import base64
import contextlib
import importlib.util
import io
import json
import keyword
import os
import re
import struct
import sys
import traceback
import warnings

import onnx_check
import onnx_converters
from constants import content, with_constants_computed
from onnx_constants import version_of
from onnx_operators import attributes_of, in_known_operators
from refusals import Refused

# What pip calls the packages that a front end needs.
PACKAGES = {"numpy": "numpy", "tvm": "'apache-tvm==0.27.*'", "onnx": "onnx", "torch": "torch"}


# What a size cannot be called in the text.
RESERVED = {*keyword.kwlist, "I", "R", "T", "TypeVar", "Module", "main", "metadata"}

# ---- The front ends -------------------------------------------------------------------------------------------------


def shapes_of(options):
    """NAME=D,D,.. as a dictionary; a dimension that is a word is the same size wherever that word stands."""
    from tvm import tirx
    symbols, shapes = {}, {}
    for option in options:
        name, equals, text = option.rpartition("=")
        dims = [d.strip() for d in text.split(",") if d.strip()]
        if not equals or not all(d.isdigit() or d.isidentifier() and d not in RESERVED for d in dims):
            raise Refused(2, f"--shape is NAME=D,D,.., each D a number or a name, not '{option}'")
        shapes[name] = [int(d) if d.isdigit() else symbols.setdefault(d, tirx.Var(d, "int64")) for d in dims]
    return shapes


# Slices, paddings, sizes of images and numbers of the greatest are inputs from here on.
OLDEST_KNOWN = 11


def read_onnx(path):
    import onnx
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as problem:
        raise Refused(3, problem.strerror or str(problem)) from problem
    except Exception as problem:  # protobuf's own class of errors is not the same in all of its versions
        raise Refused(1, f"it is no ONNX model: {problem}") from problem
    if not model.graph.output:
        raise Refused(1, "it is no ONNX model: there is no graph in it")
    onnx_check.read_weights(model, path)
    return model


def name_sizes(graph):
    """Sizes that no program can name (`batch size`, `1x`, `class`) get other names; the front end takes them apart at
    operators."""
    taken, names = set(RESERVED), {}
    for info in (*graph.input, *graph.output, *graph.value_info):
        for dim in info.type.tensor_type.shape.dim:
            if not dim.dim_param:
                continue
            parts = re.split(r"([-+*/]+)", dim.dim_param.replace(" ", ""))
            for i, part in enumerate(parts):
                if part and i % 2 == 0 and not part.isdigit():
                    names[part] = names.get(part) or identifier(part, taken)
                    parts[i] = names[part]
            dim.dim_param = "".join(parts)


def upgraded(model):
    """The model in a version of ONNX's operators that the front end knows, which reads older ones as this."""
    from onnx import helper, version_converter
    if version_of(model) >= OLDEST_KNOWN:
        return model
    try:
        model = version_converter.convert_version(model, OLDEST_KNOWN)
    except Exception:  # what no converter is written for, or a model that is not in order
        return model
    for node in model.graph.node:
        if node.op_type == "Resize":  # the converter does not say where the elements of older ones lie
            node.attribute.extend([helper.make_attribute("coordinate_transformation_mode", "asymmetric"),
                                   helper.make_attribute("nearest_mode", "floor")])
    return model


def with_shapes(model, shapes):
    """The inputs' sizes that the options say, where operators are looked at before the front end is asked."""
    for info in model.graph.input:
        dims = info.type.tensor_type.shape.dim
        for dim, size in zip(dims, shapes.get(info.name, ())):
            if isinstance(size, int):
                dim.dim_value = size


def converted_otherwise(model):
    """Operators whose results the front end makes of other numbers than the model has."""
    from onnx import numpy_helper
    weights = {t.name: t for t in model.graph.initializer}
    said = []
    for node in model.graph.node:
        if node.op_type == "RoiAlign" and attributes_of(node).get("mode") == "max":
            said.append("RoiAlign with the greatest sample, which it takes of other samples")
        if node.op_type not in ("Resize", "Upsample") or len(node.input) < 3 or node.input[2] not in weights:
            continue
        scales = [float(f) for f in numpy_helper.to_array(weights[node.input[2]])]
        if any(f % 1 and (1 / f) % 1 for f in scales):
            said.append(f"{node.op_type} by {max(scales, key=lambda f: f % 1):g}, which it takes for the quotient of"
                        " the sizes")
    return said


def from_onnx(model, shapes):
    """The module, the names of weights by what is in them, those of results, and what is to be said of it."""
    from onnx import numpy_helper
    from tvm.relax.frontend.onnx import from_onnx as convert
    names = {}
    for tensor in model.graph.initializer:
        try:
            names[content(numpy_helper.to_array(tensor))] = tensor.name.removeprefix("onnx::")
        except (ValueError, TypeError):
            continue  # of texts, or of a type that NumPy has not
    weights = {t.name for t in model.graph.initializer}
    inputs = [i.name for i in model.graph.input if i.name not in weights]
    for name in shapes:
        if name not in inputs:
            raise Refused(2, f"--shape names '{name}'; the inputs are {', '.join(inputs)}")
    for info in model.graph.input:
        known = info.type.tensor_type
        if info.name in shapes and known.HasField("shape") and len(known.shape.dim) != len(shapes[info.name]):
            raise Refused(2, f"--shape has {len(shapes[info.name])} dimensions for '{info.name}', which has "
                             f"{len(known.shape.dim)}")
    onnx_check.refuse_types(model)
    onnx_check.refuse_unknown_values(model.graph)
    remarks = [onnx_check.remark_on_version(model)]
    model = upgraded(model)
    name_sizes(model.graph)
    with_shapes(model, shapes)
    model = in_known_operators(model, onnx_converters.register())
    said = dict.fromkeys(converted_otherwise(model))
    remarks += [f"TVM's front end converts it otherwise: {', '.join(said)}"] if said else []
    remark = "; ".join(filter(None, remarks))
    return convert(model, shape_dict=shapes), names, [output.name for output in model.graph.output], remark


def read_torch(path):
    import torch
    try:
        return torch.export.load(path)
    except OSError as problem:
        raise Refused(3, problem.strerror or str(problem)) from problem
    except Exception as problem:  # whatever unpickling raises
        raise Refused(1, f"torch.export.load does not read it: {problem}") from problem


def names_of_leaves(spec):
    """What a program calls its results: where in dictionaries and objects they stand, nothing where they only have
    numbers."""
    from torch.utils import _pytree as pytree
    paths, _ = pytree.tree_flatten_with_path(pytree.tree_unflatten(range(spec.num_leaves), spec))
    words = [[getattr(key, "key", getattr(key, "name", getattr(key, "idx", None))) for key in path] for path,
             _ in paths]
    return ["" if all(isinstance(word, int) for word in path) else ".".join(map(str, path)) for path in words]


def array_of(tensor):
    """A tensor of PyTorch in NumPy, which has no bfloat16 and no floats of 8 bits: those are the types of ml_dtypes."""
    import numpy
    import torch
    tensor, name = tensor.detach().cpu().contiguous(), str(tensor.dtype).removeprefix("torch.")
    try:
        return tensor.numpy()
    except TypeError:
        return tensor.reshape(-1).view(torch.uint8).numpy().view(numpy.dtype(name)).reshape(tensor.shape)


def names_of_tensors(program):
    """What the model calls its weights and buffers, by what is in them."""
    import torch
    return {content(array_of(t)): name for name, t in {**program.constants, **program.state_dict}.items()
            if isinstance(t, torch.Tensor) and t.layout is torch.strided}


def decomposed(program):
    """The model in the operators that all others are made of, where PyTorch can say it so; the front end knows some of
    the others as well."""
    import torch
    tensors = [t for t in (*program.constants.values(), *program.state_dict.values()) if isinstance(t, torch.Tensor)]
    if any(t.layout is not torch.strided for t in tensors):
        return program
    try:
        made = program.run_decompositions()
    except Exception:  # of whatever class
        return program
    has_effects = any(spec.kind.name == "TOKEN" for spec in made.graph_signature.input_specs)
    return program if has_effects else made


def from_the_front(program):
    """What counts from the end (`x[:, -1]`) becomes a slice: the front end reads what is before the tensor."""
    import torch
    aten = torch.ops.aten
    for graph in (m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)):
        for node in list(graph.nodes):
            if node.target is not aten.select.int or not isinstance(node.args[2], int) or node.args[2] >= 0:
                continue
            tensor, dim, index = node.args
            with graph.inserting_before(node):
                part = graph.call_function(aten.slice.Tensor, (tensor, dim, index, index + 1 or sys.maxsize))
                made = graph.call_function(aten.squeeze.dim, (part, dim))
            made.meta = part.meta = node.meta
            node.replace_all_uses_with(made)
            graph.erase_node(node)


def halves_in_single(program):
    """The front end has products of float16 and bfloat16 as float32, and meets the types that PyTorch says at what
    follows: they are of float32 here, and cast, which is what PyTorch computes."""
    import torch
    aten, halves = torch.ops.aten, (torch.float16, torch.bfloat16)
    products = {aten.mm.default, aten.bmm.default, aten.addmm.default, aten.baddbmm.default, aten.convolution.default}
    for graph in (m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)):
        for node in list(graph.nodes):
            kind = getattr(node.meta.get("val"), "dtype", None)
            if node.target not in products or kind not in halves:
                continue
            with graph.inserting_before(node):
                node.args = tuple(graph.call_function(aten._to_copy.default, (a,), {"dtype": torch.float32})
                                  if isinstance(a, torch.fx.Node) and hasattr(a.meta.get("val"), "dtype") else a
                                  for a in node.args)
            with graph.inserting_after(node):
                made = graph.call_function(aten._to_copy.default, (node,), {"dtype": kind})
            made.meta = node.meta
            node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)


def without_state(program, results):
    """Makes results, behind the model's own, of the buffers and inputs that it changes, and inputs of those buffers:
    what all results are called. Inputs and results that torch.export has fixed, numbers and None, are none any more."""
    from torch.export import graph_signature as signature
    graph, inputs, outputs = program.graph, program.graph_signature.input_specs, program.graph_signature.output_specs
    nodes = {node.name: node for node in graph.nodes}
    changes = {signature.OutputKind.BUFFER_MUTATION, signature.OutputKind.USER_INPUT_MUTATION}
    changed = {spec.target for spec in outputs if spec.kind in changes}
    kept, state = [], []
    for spec in inputs:
        if spec.kind == signature.InputKind.BUFFER and spec.target in changed:
            node = nodes[spec.arg.name]
            node._rename(re.sub(r"\W", "_", spec.target))
            node.target = node.name
            program.constants.pop(spec.target, None)
            state.append(signature.InputSpec(signature.InputKind.USER_INPUT, signature.TensorArgument(node.name), None))
        elif not isinstance(spec.arg, signature.ConstantArgument) or nodes[spec.arg.name].users:
            kept.append(spec)
    inputs[:] = kept + state
    last, own = next(node for node in graph.nodes if node.op == "output"), iter(results)
    values, names, behind = [], [], []
    for value, spec in zip(last.args[0], outputs):
        if spec.kind in changes:
            behind.append((value, spec.target))
        else:
            name = next(own, "")
            if not isinstance(spec.arg, signature.ConstantArgument):
                values.append(value)
                names.append(name)
    if not values and not behind:
        raise Refused(1, "no result of it is a tensor")
    values += [value for value, _ in behind]
    last.args = (tuple(values),)
    outputs[:] = [signature.OutputSpec(signature.OutputKind.USER_OUTPUT, signature.TensorArgument(value.name), None)
                  for value in values]
    return names + [name for _, name in behind]


def sizes(shape):
    return "x".join(str(getattr(size, "value", size)) for size in shape)


def other_results(function, values):
    """Which results are not what they are in the model, as the front end makes them."""
    import torch
    parts = function.ret_ty.fields if hasattr(function.ret_ty, "fields") else [function.ret_ty]
    said = []
    for i, (part, value) in enumerate(zip(parts, values)):
        given = value.meta.get("val") if hasattr(value, "meta") else None
        if not isinstance(given, torch.Tensor) or not hasattr(part, "ndim"):
            continue
        wanted, found = str(given.dtype).removeprefix("torch."), str(part.dtype).removeprefix("T.")
        if found != wanted:
            said.append(f"result {i} is {found}, in PyTorch {wanted}")
        elif part.ndim not in (-1, given.ndim):
            said.append(f"result {i} has {part.ndim} dimensions, in PyTorch {given.ndim}")
        elif any(int(a) != b for a, b in zip(getattr(part.shape, "values", ()), given.shape)
                 if hasattr(a, "value") and isinstance(b, int)):
            said.append(f"result {i} is {sizes(part.shape.values)}, in PyTorch {sizes(given.shape)}")
    return said


def is_whole(a, b):
    return not (isinstance(a, int) and isinstance(b, int)) or a % b == 0 or b % a == 0


def other_operators(program):
    """Which operators the front end converts without looking at some of their arguments, which matter here."""
    said = []
    for node in program.graph.nodes:
        name, args = str(node.target), node.args
        ignored = ""
        if name.startswith("aten.elu.") and any(scale != 1 for scale in args[2:]):
            ignored = "the scales"
        elif name.startswith("aten._upsample_") and "_aa." in name:
            ignored = "antialias"
        elif name.startswith("aten.avg_pool") and len(args) > 6 and args[6] is not None:
            ignored = "divisor_override"
        elif name.startswith("aten.upsample_nearest") and not all(
                map(is_whole, node.meta["val"].shape[2:], args[0].meta["val"].shape[2:])):
            ignored = "how sizes that are no multiples are rounded"
        if ignored:
            said.append(f"{name} without {ignored}")
    return said


def from_torch(program, shapes):
    from tvm.relax.frontend.torch import from_exported_program
    if shapes:
        raise Refused(2, "--shape is for .onnx; torch.export has the shapes of its dynamic_shapes")
    names = names_of_tensors(program)
    results = names_of_leaves(program.call_spec.out_spec) if program.call_spec.out_spec else []
    program = decomposed(program)
    from_the_front(program)
    halves_in_single(program)
    results = without_state(program, results)
    module = from_exported_program(program, run_ep_decomposition=False)
    last = next(node for node in program.graph.nodes if node.op == "output")
    said = other_results(module["main"], last.args[0]) + other_operators(program)
    remark = f"TVM's front end converts it otherwise: {', '.join(dict.fromkeys(said))}" if said else ""
    return module, names, results, remark


FRONT_ENDS = {".onnx": (read_onnx, from_onnx, "onnx"), ".pt2": (read_torch, from_torch, "torch")}


def node_at(problem):
    """The operator of PyTorch's graph at which the front end came to grief, and the line of the model that it is of."""
    nodes = [frame.f_locals.get("node") for frame, _ in traceback.walk_tb(problem.__traceback__)]
    node = next((n for n in nodes if getattr(n, "op", "") == "call_function"), None)
    if node is None:
        return ""
    lines = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    lines = [line for line in lines if "/site-packages/torch/" not in line[0]] or lines
    return f"{node.target}" + (f" ({lines[-1][0]}:{lines[-1][1]})" if lines else "")


def convert(front, model, shapes):
    """As the front end converts it, whose errors have no common class; at which operator, it prints."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return front(model, shapes)
    except (Refused, ImportError):
        raise
    except Exception as problem:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip() and "Metadata omitted" not in line]
        said = lines[-1] if lines else "no message"
        missing = (re.fullmatch(r"Unsupported function types \[(.*)\]", said)
                   or re.fullmatch(r"The following operators are not supported for frontend ONNX: (.*)", said))
        if missing:
            names = sorted(missing[1].replace("'", "").split(", "))
            raise Refused(1, f"TVM's front end has no operator {', '.join(names)}") from problem
        operator = re.search(r"Error converting operator (\w+)", printed.getvalue())
        raise Refused(1, f"TVM's front end does not convert {operator[1] if operator else node_at(problem) or 'it'}: "
                         f"{type(problem).__name__}: {said}") from problem


# ---- Constants ------------------------------------------------------------------------------------------------------


def identifier(name, taken):
    """A name that no other parameter has, and that a program may have."""
    base = re.sub(r"\W", "_", name) or "w"
    if not (base[0].isalpha() or base[0] == "_"):
        base = "w_" + base
    number, found = 0, base
    while found in taken:
        number, found = number + 1, f"{base}_{number + 1}"
    taken.add(found)
    return found


# The longest name of a result that a bundle takes, in bytes.
LONGEST_NAME = 1024


def named_results(function, names):
    """The attribute that names a function's results, which are flattened tuples, as the model does; its names are
    without spaces and what else no name has, and a parameter's has `.new` behind it. None where that is not known. A
    result without a name has its number."""
    from tvm import relax
    kind, found, taken = function.ret_ty, [], {p.name for p in function.params}

    def add(part, name):
        if isinstance(part, relax.TupleType):
            for i, field in enumerate(part.fields):
                add(field, f"{name}.{i}" if name else "")
            return
        usable = re.sub(r"[^\x21-\x7e\u00a1-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "_", name)
        usable += ".new" if usable in taken else ""
        found.append(usable if 0 < len(usable.encode()) <= LONGEST_NAME else str(len(found)))

    parts = kind.fields if isinstance(kind, relax.TupleType) and len(names) != 1 else [kind]
    if isinstance(kind, relax.TupleType) and len(names) == len(kind.fields) == 1:
        parts = kind.fields
    if len(parts) != len(names):
        return None
    for part, name in zip(parts, names):
        add(part, name)
    return " ".join(found)


def scaled(size):
    """A size that the front end multiplies by a scale in float32, in integers."""
    from fractions import Fraction
    product = getattr(size, "value", None)
    factor, cast = getattr(product, "a", None), getattr(product, "b", None)
    if [type(e).__name__ for e in (size, product, factor, cast)] != ["Cast", "Mul", "FloatImm", "Cast"]:
        return size
    scale = Fraction(factor.value)
    return cast.value * scale.numerator // scale.denominator if scale.denominator < 1024 else size


def lift(module, names, most, results):
    """Constants of more than `most` bytes, if that is a number, become parameters of main: the module, and their values
    by name. `results`: what main's results are called."""
    import tvm
    from tvm import relax
    module = with_constants_computed(module, names)
    function = module["main"]
    taken = {p.name for p in function.params}
    lifted = {}  # by content: (parameter, value)

    @relax.expr_functor.mutator
    class Lift(relax.PyExprMutator):
        changes = False  # sizes

        def visit_generic_const_(self, op):
            value = op.value.numpy() if isinstance(op.value, tvm.runtime.Tensor) else None
            if value is None or most is None or value.nbytes <= most:
                return op
            key = content(value)
            if key not in lifted:
                name = identifier(names.get(key, "constant"), taken)
                lifted[key] = (relax.Var(name, relax.TensorType(value.shape, op.ty.dtype)), value)
            return lifted[key][0]

        def visit_shape_expr_(self, op):
            values = [scaled(v) for v in op.values]
            if all(a is b for a, b in zip(values, op.values)):
                return op
            self.changes = True
            return relax.ShapeExpr(values)

        def visit_call_(self, op):
            """The front end calls a function of TVM's machine where there is an operator."""
            call = super().visit_call_(op)
            if isinstance(call.op, relax.ExternFunc) and call.op.global_symbol == "vm.builtin.tensor_to_shape":
                return self.builder_.normalize(relax.op.tensor_to_shape(call.args[0]))
            return call

    lift_all = Lift(module)
    body = lift_all.visit_expr(function.body)
    parameters = [*function.params, *(var for var, _ in lifted.values())]
    built = relax.Function(parameters, body, None if lift_all.changes else function.ret_ty, function.is_pure)
    attributes = {"global_symbol": "main", "num_input": len(function.params)}
    if results:
        attributes["tirb.results"] = results
    module["main"] = built.with_attrs(attributes)
    return module, {var.name: value for var, value in lifted.values()}


def stands_by_itself(constant):
    """Whether TVM prints it where it is used."""
    value = constant.value.numpy()
    return value.ndim == 0 and str(value.dtype) in ("int8", "int16", "int32", "int64", "float16", "float32", "float64",
                                                    "bool")


def serialised(tensor):
    """A tensor as TVM's metadata has it: DLPack's type and shape before the elements, in base 64."""
    import numpy
    from tvm.runtime import DataType
    value, kind = tensor.numpy(), DataType(str(tensor.dtype))
    head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, value.ndim, int(kind.type_code), kind.bits, 1)
    sizes = struct.pack(f"<{value.ndim}qq", *value.shape, value.nbytes)
    little = value if sys.byteorder == "little" else value.byteswap()
    return base64.b64encode(head + sizes + numpy.ascontiguousarray(little).tobytes()).decode()


def metadata_of(constants):
    nodes = [{"type": "ffi.Map", "data": [1, 2]}, {"type": "ffi.String", "data": "ir.GenericConst"},
             {"type": "ffi.Array", "data": [3 + 2 * i for i in range(len(constants))]}]
    for i, constant in enumerate(constants):
        nodes += [{"type": "ir.GenericConst", "data": {"value": 4 + 2 * i}},
                  {"type": "ffi.Tensor", "data": serialised(constant.value)}]
    return json.dumps({"root_index": 0, "nodes": nodes, "metadata": {}})


def text_of(module):
    """The metadata with the constants, which are numbered as they first stand in the text, and that text."""
    from tvm import relax
    constants = []

    def note(e):
        if type(e).__name__ == "GenericConst" and not any(e.same_as(c) for c in constants) and not stands_by_itself(e):
            constants.append(e)

    relax.analysis.post_order_visit(module["main"], note)
    printed = re.sub(r"\n# Metadata omitted.*\n*\Z", "", module.script(show_meta=False))
    named = re.findall(r'metadata\["ir\.GenericConst"\]\[(\d+)\]', printed)
    if 1 + max(map(int, named), default=-1) != len(constants):
        raise Refused(1, "TVM's text names other constants than its module has")
    return f'metadata = tvm.ir.load_json("""{metadata_of(constants)}""")\n' if constants else "", printed


# ---- Weights --------------------------------------------------------------------------------------------------------

SAFE = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "int32": "I32", "uint32": "U32",
        "int64": "I64", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
        "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}


def safetensors(values):
    """The format's header and the values behind it, which begin at a multiple of 64 bytes."""
    header, at = {}, 0
    for name, value in values.items():
        if str(value.dtype) not in SAFE:
            raise Refused(1, f"safetensors has no type for the weight {name}, which is {value.dtype}")
        header[name] = {"dtype": SAFE[str(value.dtype)], "shape": list(value.shape),
                        "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    yield len(text).to_bytes(8, "little")
    yield text
    for value in values.values():
        little = value if sys.byteorder == "little" else value.byteswap()
        yield little.tobytes()


# Types that .npy files have no name for, as `tirb run` calls them behind a file's name.
RAW = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
       "float8_e8m0fnu": "f8e8m0fnu"}


def save(path, values, form):
    import numpy
    try:
        with open(path, "wb") as file:
            if form == "npz":
                numpy.savez(file, **values)
            else:
                file.writelines(safetensors(values))
    except OSError as problem:
        raise Refused(3, f"{path}: {problem.strerror}") from problem


# ---- The whole ------------------------------------------------------------------------------------------------------


def text_and_weights(module, names, results, remark, most):
    """The text of a module whose constants of more than `most` bytes (None: no constants) are weights, and these by
    their names."""
    results = named_results(module["main"], results)
    module, weights = lift(module, names, most, results)
    metadata, text = text_of(module)
    # TVM prints the bytes of characters that are not ASCII, each as a character of its own.
    text = re.sub(r'(?<="tirb\.results": )"(?:[^"\\]|\\.)*"', lambda _: json.dumps(results, ensure_ascii=False), text,
                  1)
    # The printer's names are the function's; it may have changed what stood twice.
    main = next(f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef) and f.name == "main")
    printed = [a.arg for a in main.args.args]
    inputs, last = printed[:len(printed) - len(weights)], printed[len(printed) - len(weights):]
    types = [str(getattr(p.ty, "dtype", "")).removeprefix("T.") for p in module["main"].params]
    named = [name + (f":{RAW[kind]}" if kind in RAW else "") for name, kind in zip(inputs, types)]
    comment = f"# inputs: {' '.join(named)}\n# weights: {' '.join(last)}\n"
    if remark:
        comment += f"# warning: {remark}\n"
    return f"{comment}{metadata}{text}\n", dict(zip(last, weights.values()))


def converted(path, options):
    if os.path.splitext(path)[1] not in FRONT_ENDS:
        raise Refused(2, "its name ends neither in .onnx nor in .pt2")
    if not os.path.exists(path):
        raise Refused(3, "No such file or directory")
    read, front, package = FRONT_ENDS[os.path.splitext(path)[1]]
    missing = [name for name in ("numpy", "tvm", package) if importlib.util.find_spec(name) is None]
    if missing:
        raise Refused(4, f"{sys.executable} has no {' and no '.join(missing)}: {sys.executable} -m pip install "
                         f"{' '.join(PACKAGES[name] for name in missing)}")
    module, names, results, remark = convert(front, read(path), shapes_of(options.shape))
    return text_and_weights(module, names, results, remark, 64 if options.weights else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--weights")
    parser.add_argument("--format", choices=("safetensors", "npz"), default="safetensors")
    parser.add_argument("--shape", action="append", default=[])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # What libraries print is not what is asked for.
    result = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    status = 0
    try:
        said, weights = converted(options.model, options)
        if weights:
            save(options.weights, weights, options.format)
    except Refused as refused:
        said, status = f"{refused}\n", refused.status
    except ImportError as problem:
        said, status = f"{sys.executable}: {problem}\n", 4
    except Exception as problem:  # of a module that the front end should not have made
        said, status = f"what TVM's front end makes of it is no program: {type(problem).__name__}: {problem}\n", 1
    result.write(said)
    result.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
