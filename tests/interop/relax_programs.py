"""Relax operators, legalised to PrimFuncs by TVM: every operator that LegalizeOps lowers on a CPU, in one form or more."""

import numpy as np
import tvm
from tvm import relax

from domains import above_one, below, distinct, near_one, nonzero, positive, unit


def tensor(*shape, dtype="float32"):
    return relax.TensorType(shape, dtype) if hasattr(relax, "TensorType") else relax.TensorStructInfo(shape, dtype)


def legalise(function, types):
    """The PrimFuncs that `function` of parameters of `types` becomes, in the order of their names."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", info) for i, info in enumerate(types)]
    with builder.function("main", params):
        with builder.dataflow():
            out = builder.emit_output(builder.normalize(function(*params)))
        builder.emit_func_output(out)
    with tvm.target.Target({"kind": "llvm"}):
        module = relax.transform.LegalizeOps()(relax.backend.DispatchSortScan()(builder.get()))
    functions = sorted((var.name_hint, f) for var, f in module.functions.items() if isinstance(f, tvm.tirx.PrimFunc))
    if not functions:
        raise ValueError("no PrimFunc")
    return [function for _, function in functions]


# ---- Tables: rows are (name, function, types, length of the longest sum, domains of inputs) --------------------------


def binary_rows():
    op = relax.op
    n, m = tvm.tirx.Var("n", "int64"), tvm.tirx.Var("m", "int64")
    pairs = {
        "same": (tensor(4, 6), tensor(4, 6)), "broadcast": (tensor(5, 1, 3), tensor(7, 1)), "scalar": (tensor(3, 5), tensor()),
        "symbolic": (tensor(n, m), tensor(m)), "int32": (tensor(9, dtype="int32"), tensor(9, dtype="int32")),
        "float16": (tensor(4, 9, dtype="float16"), tensor(9, dtype="float16")), "int8": (tensor(33, dtype="int8"), tensor(33, dtype="int8")),
        "uint8": (tensor(33, dtype="uint8"), tensor(33, dtype="uint8")), "float64": (tensor(5, dtype="float64"), tensor(5, dtype="float64")),
    }
    for name in ("add", "subtract", "multiply", "maximum", "minimum"):
        for kind, types in pairs.items():
            yield f"{name}.{kind}", getattr(op, name), types, 1, {}
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for kind in ("same", "broadcast", "symbolic", "int8", "float64"):
            yield f"{name}.{kind}", getattr(op, name), pairs[kind], 1, {}
    for kind in ("same", "broadcast", "scalar", "symbolic", "float16", "float64"):
        yield f"divide.{kind}", op.divide, pairs[kind], 1, {1: positive}
    for name in ("floor_divide", "floor_mod", "mod"):
        for kind in ("int32", "uint8", "int8"):
            yield f"{name}.{kind}", getattr(op, name), pairs[kind], 1, {1: nonzero}
    for kind in ("same", "symbolic", "float64"):
        yield f"power.{kind}", op.power, pairs[kind], 1, {0: positive}
        yield f"atan2.{kind}", op.atan2, pairs[kind], 1, {}
        yield f"log_add_exp.{kind}", op.log_add_exp, pairs[kind], 4, {}
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        for kind in ("int32", "uint8"):
            yield f"{name}.{kind}", getattr(op, name), pairs[kind], 1, {}
    for name in ("left_shift", "right_shift"):
        for kind in ("int32", "uint8"):
            yield f"{name}.{kind}", getattr(op, name), pairs[kind], 1, {1: below(7)}
    bools = (tensor(4, 5, dtype="bool"), tensor(5, dtype="bool"))
    for name in ("logical_and", "logical_or", "logical_xor"):
        yield name, getattr(op, name), bools, 1, {}


def unary_rows():
    op = relax.op
    n = tvm.tirx.Var("n", "int64")
    domains = {
        "abs": None, "acos": unit, "acosh": above_one, "asin": unit, "asinh": None, "atan": None, "atanh": unit, "ceil": None, "cos": None,
        "cosh": None, "erf": None, "exp": None, "floor": None, "isfinite": None, "isinf": None, "isnan": None, "log": positive,
        "negative": None, "round": None, "rsqrt": positive, "sigmoid": None, "sign": None, "sin": None, "sinh": None, "sqrt": positive,
        "square": None, "tan": unit, "tanh": None, "trunc": None,
    }
    for name, domain in domains.items():
        kinds = {"f32": tensor(4, 7), "f64": tensor(11, dtype="float64"), "sym": tensor(n, 3), "f16": tensor(3, 17, dtype="float16")}
        for kind, info in kinds.items():
            yield f"{name}.{kind}", getattr(op, name), (info,), 1, {0: domain} if domain else {}
    for name in ("abs", "negative", "sign", "square"):
        yield f"{name}.i32", getattr(op, name), (tensor(19, dtype="int32"),), 1, {}
    yield "bitwise_not", op.bitwise_not, (tensor(7, dtype="int8"),), 1, {}
    yield "logical_not", op.logical_not, (tensor(7, dtype="bool"),), 1, {}
    yield "clip", lambda a: op.clip(a, -0.5, 0.75), (tensor(4, 6),), 1, {}
    yield "clip.i32", lambda a: op.clip(a, -3, 5), (tensor(30, dtype="int32"),), 1, {}
    yield "where", op.where, (tensor(4, 1, dtype="bool"), tensor(4, 6), tensor(6)), 1, {}
    for source in ("float32", "float16", "int8", "uint8", "int32", "int64", "bool", "float64"):
        for target in ("float32", "float16", "int32", "uint8", "bool", "int64"):
            if source != target:
                domain = {0: lambda rng, shape, dtype: rng.uniform(0, 100, shape).astype(dtype)} if source.startswith("float") else {}
                yield f"astype.{source}.{target}", lambda a, t=target: op.astype(a, t), (tensor(5, 7, dtype=source),), 1, domain


def creation_rows():
    op = relax.op
    n = tvm.tirx.Var("n", "int64")
    x = tensor(4, 6)
    yield "full", lambda a: op.full((3, 5), a, "float32"), (tensor(),), 1, {}
    yield "full_like", lambda a: op.full_like(a, relax.const(3.0)), (x,), 1, {}
    yield "ones", lambda a: op.add(a, op.ones((4, 6), "float32")), (x,), 1, {}
    yield "zeros", lambda a: op.add(a, op.zeros((4, 6), "float32")), (x,), 1, {}
    yield "ones_like", op.ones_like, (tensor(n, 3, dtype="int8"),), 1, {}
    yield "zeros_like", op.zeros_like, (tensor(n, 3),), 1, {}
    yield "arange", lambda a: op.add(a, op.arange(3, 17, 2, dtype="int64")), (tensor(7, dtype="int64"),), 1, {}
    yield "eye", lambda a: op.add(a, op.eye(4, 6, 1, "float32")), (x,), 1, {}
    yield "eye_like", lambda a: op.eye_like(a, -1), (x,), 1, {}
    for k in (-1, 0, 2):
        yield f"tril.{k}", lambda a, k=k: op.tril(a, k), (tensor(2, 5, 6),), 1, {}
        yield f"triu.{k}", lambda a, k=k: op.triu(a, k), (tensor(n, n),), 1, {}
    yield "hamming_window", lambda a: op.add(a, op.hamming_window(12, True, 0.54, 0.46, "float32")), (tensor(12),), 4, {}
    yield "one_hot", lambda i: op.one_hot(i, relax.prim_value(1), relax.prim_value(0), 6), (tensor(5, dtype="int32"),), 1, {0: below(6)}
    yield "one_hot.axis", lambda i: op.one_hot(i, relax.prim_value(2.5), relax.prim_value(-1.0), 4, 0), (tensor(3, 2, dtype="int64"),), 1, {0: below(4)}
    yield "shape_to_tensor", lambda a: op.shape_to_tensor(op.shape_of(a)), (tensor(n, 3),), 1, {}
    yield "meshgrid", lambda a, b: op.meshgrid((a, b), "ij"), (tensor(3), tensor(5)), 1, {}
    yield "bucketize", lambda a, b: op.bucketize(a, b), (tensor(4, 6), tensor(5)), 1, {1: lambda rng, s, d: np.sort(rng.standard_normal(s)).astype(d)}


def index_rows():
    op = relax.op
    n = tvm.tirx.Var("n", "int64")
    x = tensor(4, 6)
    for mode in ("fast", "clip", "wrap"):
        yield f"take.{mode}", lambda a, i, mode=mode: op.take(a, i, 1, mode), (x, tensor(5, dtype="int32")), 1, {1: below(6)}
    yield "take.flat", lambda a, i: op.take(a, i), (tensor(9), tensor(2, 3, dtype="int64")), 1, {1: below(9)}
    yield "take.symbolic", lambda a, i: op.take(a, i, 0), (tensor(n, 3), tensor(4, dtype="int32")), 1, {1: below(5)}
    yield "strided_slice", lambda a: op.strided_slice(a, [0, 1], [1, 0], [4, 6], [2, 1]), (x,), 1, {}
    yield "strided_slice.negative", lambda a: op.strided_slice(a, [1], [5], [0], [-2]), (x,), 1, {}
    yield "dynamic_strided_slice", op.dynamic_strided_slice, (x,) + (tensor(2, dtype="int64"),) * 3, 1, {
        1: lambda r, s, d: np.array([0, 1], d), 2: lambda r, s, d: np.array([3, 5], d), 3: lambda r, s, d: np.array([1, 2], d)}
    yield "gather_elements", lambda a, i: op.gather_elements(a, i, 1), (x, tensor(4, 3, dtype="int64")), 1, {1: below(6)}
    yield "gather_nd", lambda a, i: op.gather_nd(a, i), (tensor(4, 5, 3), tensor(6, 2, dtype="int64")), 1, {1: below(4)}
    yield "gather_nd.batch", lambda a, i: op.gather_nd(a, i, 1), (tensor(2, 5, 3), tensor(2, 6, 1, dtype="int64")), 1, {1: below(5)}
    yield "index_tensor", lambda a, i, j: op.index_tensor(a, (i, j)), (tensor(4, 5, 3), tensor(6, dtype="int64"), tensor(6, dtype="int64")), 1, {1: below(4), 2: below(5)}
    yield "index_put", lambda a, i, v: op.index_put(a, (i,), v), (tensor(7), tensor(3, dtype="int64"), tensor(3)), 1, {1: lambda r, s, d: r.permutation(7)[:3].astype(d)}
    yield "index_put.add", lambda a, i, v: op.index_put(a, (i,), v, True), (tensor(7), tensor(9, dtype="int64"), tensor(9)), 9, {1: below(7)}
    for reduction in ("update", "add", "mul", "max", "min"):
        domain = below(4) if reduction != "update" else lambda r, s, d: np.stack([r.permutation(4)[: s[0]] for _ in range(s[1])], 1).astype(d)
        yield f"scatter_elements.{reduction}", lambda a, i, u, r=reduction: op.scatter_elements(a, i, u, 0, r), (x, tensor(2, 6, dtype="int64"), tensor(2, 6)), 4, {1: domain}
        yield f"scatter_nd.{reduction}", lambda a, i, u, r=reduction: op.scatter_nd(a, i, u, r), (tensor(9), tensor(4, 1, dtype="int64"), tensor(4)), 4, {1: lambda r, s, d: r.permutation(9)[: s[0]].reshape(s).astype(d)}
    yield "slice_scatter", lambda a, u: op.slice_scatter(a, u, 0, 3, 1, 0), (x, tensor(3, 6)), 1, {}
    yield "masked_fill", lambda a, m: op.masked_fill(a, m, relax.const(2.0)), (x, tensor(4, 6, dtype="bool")), 1, {}


def movement_rows():
    op = relax.op
    n, m = tvm.tirx.Var("n", "int64"), tvm.tirx.Var("m", "int64")
    x = tensor(4, 6)
    yield "broadcast_to", lambda a: op.broadcast_to(a, (3, 4, 6)), (x,), 1, {}
    yield "broadcast_to.symbolic", lambda a: op.broadcast_to(a, (3, n, m)), (tensor(n, m),), 1, {}
    yield "concat", lambda a, b, c: op.concat((a, b, c), 0), (x, tensor(1, 6), tensor(3, 6)), 1, {}
    yield "concat.symbolic", lambda a, b: op.concat((a, b), 0), (tensor(n, 3), tensor(m, 3)), 1, {}
    yield "expand_dims", lambda a: op.expand_dims(a, [0, 2]), (x,), 1, {}
    yield "flatten", op.flatten, (tensor(2, 3, 4),), 1, {}
    yield "flatten.symbolic", op.flatten, (tensor(n, m, 4),), 1, {}
    yield "permute_dims", lambda a: op.permute_dims(a, (2, 0, 1)), (tensor(3, 4, 5),), 1, {}
    yield "permute_dims.symbolic", op.permute_dims, (tensor(n, m),), 1, {}
    yield "reshape", lambda a: op.reshape(a, (2, 12)), (x,), 1, {}
    yield "reshape.symbolic", lambda a: op.reshape(a, (n * m,)), (tensor(n, m),), 1, {}
    yield "reshape.split", lambda a: op.reshape(a, (n, 2, 3)), (tensor(n, 6),), 1, {}
    yield "split", lambda a: op.split(a, [1, 4], 1), (x,), 1, {}
    yield "squeeze", lambda a: op.squeeze(a, [0, 2]), (tensor(1, 4, 1, 5),), 1, {}
    yield "stack", lambda a, b: op.stack((a, b), 1), (x, x), 1, {}
    yield "repeat", lambda a: op.repeat(a, 2, 1), (x,), 1, {}
    yield "repeat.flat", lambda a: op.repeat(a, 3), (x,), 1, {}
    yield "tile", lambda a: op.tile(a, (2, 3, 1)), (x,), 1, {}
    yield "flip", lambda a: op.flip(a, 1), (x,), 1, {}
    yield "reverse_sequence", lambda a, s: op.reverse_sequence(a, s, 1, 0), (x, tensor(4, dtype="int32")), 1, {1: lambda r, s, d: r.integers(1, 7, s).astype(d)}
    yield "layout_transform", lambda a: op.layout_transform(a, lambda i, j: (j // 2, i, j % 2)), (x,), 1, {}
    yield "layout_transform.pad", lambda a: op.layout_transform(a, lambda i: (i // 4, i % 4), pad_value=2.0), (tensor(14),), 1, {}
    yield "collapse_sum_to", lambda a: op.collapse_sum_to(a, (1, 6)), (x,), 4, {}
    yield "size", op.size, (x,), 1, {}
    for dtype in ("int8", "float16", "bool", "int64"):
        yield f"permute_dims.{dtype}", lambda a: op.permute_dims(a, (1, 0)), (tensor(5, 7, dtype=dtype),), 1, {}
        yield f"concat.{dtype}", lambda a, b: op.concat((a, b), 1), (tensor(2, 3, dtype=dtype), tensor(2, 4, dtype=dtype)), 1, {}


def reduction_rows():
    op = relax.op
    n = tvm.tirx.Var("n", "int64")
    for name in ("sum", "mean", "max", "min", "prod", "variance", "std"):
        domain = {0: near_one} if name == "prod" else {}
        function = getattr(op, name)
        yield f"{name}.all", function, (tensor(4, 6),), 24, domain
        yield f"{name}.last", lambda a, f=function: f(a, -1), (tensor(5, 37),), 37, domain
        yield f"{name}.first", lambda a, f=function: f(a, 0, True), (tensor(5, 37),), 5, domain
        yield f"{name}.two", lambda a, f=function: f(a, [0, 2]), (tensor(3, 4, 5),), 15, domain
        yield f"{name}.symbolic", lambda a, f=function: f(a, 1), (tensor(4, n),), 8, domain
        yield f"{name}.f64", lambda a, f=function: f(a, 1), (tensor(4, 9, dtype="float64"),), 9, domain
        if name != "prod":
            yield f"{name}.f16", lambda a, f=function: f(a, 1), (tensor(4, 9, dtype="float16"),), 9, domain
    for name in ("sum", "max", "min"):
        for dtype in ("int32", "int8", "uint8", "int64"):
            yield f"{name}.{dtype}", lambda a, f=getattr(op, name): f(a, 1), (tensor(6, 9, dtype=dtype),), 1, {}
    for name in ("argmax", "argmin"):
        for axis in (None, 0, 1):
            yield f"{name}.{axis}", lambda a, f=getattr(op, name), axis=axis: f(a, axis), (tensor(5, 7),), 1, {}
    yield "median", lambda a: op.median(a, 1), (tensor(4, 7),), 1, {}
    for name in ("cumsum", "cumprod"):
        for axis in (0, 1):
            yield f"{name}.{axis}", lambda a, f=getattr(op, name), axis=axis: f(a, axis), (tensor(4, 9),), 9, {0: near_one}


def linear_rows():
    op = relax.op
    n, m = tvm.tirx.Var("n", "int64"), tvm.tirx.Var("m", "int64")
    yield "matmul", op.matmul, (tensor(5, 7), tensor(7, 3)), 7, {}
    yield "matmul.batched", op.matmul, (tensor(2, 1, 5, 7), tensor(3, 7, 4)), 7, {}
    yield "matmul.vector", op.matmul, (tensor(7), tensor(7)), 7, {}
    yield "matmul.left", op.matmul, (tensor(7), tensor(7, 5)), 7, {}
    yield "matmul.symbolic", op.matmul, (tensor(n, 8), tensor(8, m)), 8, {}
    yield "matmul.inner", op.matmul, (tensor(3, n), tensor(n, 5)), 8, {}
    yield "matmul.f16", op.matmul, (tensor(5, 9, dtype="float16"), tensor(9, 6, dtype="float16")), 9, {}
    yield "matmul.f16.f32", lambda a, b: op.matmul(a, b, "float32"), (tensor(5, 9, dtype="float16"), tensor(9, 6, dtype="float16")), 9, {}
    yield "matmul.i8", lambda a, b: op.matmul(a, b, "int32"), (tensor(5, 9, dtype="int8"), tensor(9, 6, dtype="int8")), 9, {}
    yield "einsum", lambda a, b: op.einsum((a, b), "ij,jk->ik"), (tensor(5, 7), tensor(7, 3)), 7, {}
    yield "einsum.batch", lambda a, b: op.einsum((a, b), "bij,bkj->bik"), (tensor(2, 5, 7), tensor(2, 3, 7)), 7, {}
    yield "einsum.trace", lambda a: op.einsum((a,), "ii->i"), (tensor(5, 5),), 1, {}
    yield "outer", op.outer, (tensor(5), tensor(7)), 1, {}
    yield "linear", lambda a, w, b: op.linear(a, w, b), (tensor(5, 7), tensor(3, 7), tensor(3)), 7, {}


def pooling_rows():
    nn = relax.op.nn
    shapes = {1: (1, 3, 11), 2: (1, 3, 8, 9), 3: (1, 2, 6, 7, 5)}
    for rank, shape in shapes.items():
        for kind in ("max", "avg"):
            pool = getattr(nn, f"{kind}_pool{rank}d")
            yield f"{kind}_pool{rank}d", lambda a, f=pool, r=rank: f(a, (2,) * r, (2,) * r), (tensor(*shape),), 8, {}
            yield f"{kind}_pool{rank}d.padded", lambda a, f=pool, r=rank: f(a, (3,) * r, (2,) * r, (1,) * r), (tensor(*shape),), 27, {}
            yield f"{kind}_pool{rank}d.ceil", lambda a, f=pool, r=rank: f(a, (3,) * r, (2,) * r, (1,) * r, ceil_mode=True), (tensor(*shape),), 27, {}
        adaptive = getattr(nn, f"adaptive_avg_pool{rank}d")
        yield f"adaptive_avg_pool{rank}d", lambda a, f=adaptive, r=rank: f(a, (3,) * r), (tensor(*shape),), 64, {}
    yield "avg_pool2d.count", lambda a: nn.avg_pool2d(a, (3, 3), (2, 2), (1, 1), count_include_pad=True), (tensor(1, 3, 8, 8),), 9, {}
    yield "max_pool2d.dilated", lambda a: nn.max_pool2d(a, (3, 3), (1, 1), (0, 0), (2, 2)), (tensor(1, 3, 9, 9),), 1, {}
    yield "max_pool2d.nhwc", lambda a: nn.max_pool2d(a, (2, 2), (2, 2), layout="NHWC"), (tensor(1, 8, 8, 3),), 1, {}


def convolution_rows():
    nn = relax.op.nn
    n = tvm.tirx.Var("n", "int64")
    yield "conv1d", lambda a, w: nn.conv1d(a, w, padding=1), (tensor(2, 3, 13), tensor(4, 3, 3)), 9, {}
    yield "conv1d.nwc", lambda a, w: nn.conv1d(a, w, 2, data_layout="NWC", kernel_layout="WIO"), (tensor(2, 13, 3), tensor(3, 3, 4)), 9, {}
    yield "conv1d.groups", lambda a, w: nn.conv1d(a, w, groups=2), (tensor(1, 4, 13), tensor(6, 2, 3)), 6, {}
    for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), (1, 2, 2), (3, (1, 0), 1)):
        yield f"conv2d.{stride}.{dilation}.{str(padding)[0]}", lambda a, w, s=stride, p=padding, d=dilation: nn.conv2d(a, w, s, p, d), (tensor(1, 3, 9, 10), tensor(4, 3, 3, 3)), 27, {}
    yield "conv2d.nhwc", lambda a, w: nn.conv2d(a, w, strides=2, data_layout="NHWC", kernel_layout="HWIO"), (tensor(1, 9, 9, 3), tensor(3, 3, 3, 4)), 27, {}
    yield "conv2d.groups", lambda a, w: nn.conv2d(a, w, groups=2), (tensor(1, 4, 7, 7), tensor(6, 2, 3, 3)), 18, {}
    yield "conv2d.depthwise", lambda a, w: nn.conv2d(a, w, padding=1, groups=4), (tensor(1, 4, 7, 7), tensor(4, 1, 3, 3)), 9, {}
    yield "conv2d.f16", lambda a, w: nn.conv2d(a, w, out_dtype="float32"), (tensor(1, 3, 7, 7, dtype="float16"), tensor(4, 3, 3, 3, dtype="float16")), 27, {}
    yield "conv2d.i8", lambda a, w: nn.conv2d(a, w, out_dtype="int32"), (tensor(1, 3, 7, 7, dtype="int8"), tensor(4, 3, 3, 3, dtype="int8")), 27, {}
    yield "conv2d.symbolic", lambda a, w: nn.conv2d(a, w, padding=1), (tensor(n, 3, 7, 7), tensor(4, 3, 3, 3)), 27, {}
    yield "conv3d", lambda a, w: nn.conv3d(a, w, padding=1), (tensor(1, 2, 5, 6, 7), tensor(3, 2, 3, 3, 3)), 54, {}
    yield "conv1d_transpose", lambda a, w: nn.conv1d_transpose(a, w, 2, 1), (tensor(1, 3, 7), tensor(3, 4, 3)), 9, {}
    yield "conv2d_transpose", lambda a, w: nn.conv2d_transpose(a, w, 2, 1, 1), (tensor(1, 3, 5, 5), tensor(3, 4, 3, 3)), 27, {}
    yield "conv2d_transpose.groups", lambda a, w: nn.conv2d_transpose(a, w, groups=2), (tensor(1, 4, 5, 5), tensor(4, 3, 3, 3)), 18, {}
    yield "conv3d_transpose", lambda a, w: nn.conv3d_transpose(a, w, 2), (tensor(1, 2, 3, 3, 3), tensor(2, 3, 2, 2, 2)), 16, {}


def network_rows():
    op, nn = relax.op, relax.op.nn
    n, m = tvm.tirx.Var("n", "int64"), tvm.tirx.Var("m", "int64")
    x = tensor(4, 6)
    for name in ("relu", "relu6", "gelu", "gelu_tanh", "selu", "silu", "softplus"):
        if hasattr(nn, name):
            yield name, getattr(nn, name), (x,), 1, {}
            yield f"{name}.symbolic", getattr(nn, name), (tensor(n, m),), 1, {}
    yield "leakyrelu", lambda a: nn.leakyrelu(a, 0.2), (x,), 1, {}
    yield "prelu", lambda a, b: nn.prelu(a, b, 1), (x, tensor(6)), 1, {}
    for name in ("softmax", "log_softmax"):
        for axis in (0, -1):
            yield f"{name}.{axis}", lambda a, f=getattr(nn, name), axis=axis: f(a, axis), (tensor(5, 33),), 33, {}
        yield f"{name}.symbolic", getattr(nn, name), (tensor(n, m),), 8, {}
        yield f"{name}.f16", getattr(nn, name), (tensor(3, 9, dtype="float16"),), 9, {}
    yield "pad", lambda a: nn.pad(a, (1, 1, 2, 0)), (x,), 1, {}
    yield "pad.value", lambda a: nn.pad(a, (1, 1, 2, 0), "constant", 4.0), (tensor(n, 6),), 1, {}
    for mode in ("reflect", "replicate", "circular"):
        yield f"pad.{mode}", lambda a, mode=mode: nn.pad(a, (1, 1, 2, 0), mode), (x,), 1, {}
    yield "layer_norm", lambda a, g, b: nn.layer_norm(a, g, b, -1), (tensor(4, 33), tensor(33), tensor(33)), 33, {}
    yield "layer_norm.symbolic", lambda a, g, b: nn.layer_norm(a, g, b, -1), (tensor(n, 33), tensor(33), tensor(33)), 33, {}
    yield "layer_norm.two", lambda a, g, b: nn.layer_norm(a, g, b, [-2, -1]), (tensor(4, 3, 5), tensor(3, 5), tensor(3, 5)), 15, {}
    yield "group_norm", lambda a, g, b: nn.group_norm(a, g, b, 2, 1, [2, 3]), (tensor(2, 4, 5, 3), tensor(4), tensor(4)), 30, {}
    yield "instance_norm", lambda a, g, b: nn.instance_norm(a, g, b, 1, [2, 3]), (tensor(2, 4, 5, 3), tensor(4), tensor(4)), 15, {}
    yield "rms_norm", lambda a, g: nn.rms_norm(a, g, -1), (tensor(4, 33), tensor(33)), 33, {}
    yield "rms_norm.f16", lambda a, g: nn.rms_norm(a, g, -1), (tensor(4, 33, dtype="float16"), tensor(33, dtype="float16")), 33, {}
    yield "batch_norm", lambda a, g, b, c, d: nn.batch_norm(a, g, b, c, d, 1)[0], (tensor(2, 3, 4, 5),) + (tensor(3),) * 4, 40, {4: positive}
    yield "dropout", lambda a: nn.dropout(a, 0.5)[0], (x,), 1, {}
    yield "cross_entropy_with_logits", nn.cross_entropy_with_logits, (tensor(3, 5), tensor(3, 5)), 15, {}
    yield "nll_loss", lambda a, t, w: nn.nll_loss(a, t, w), (tensor(6, 5), tensor(6, dtype="int64"), tensor(5)), 6, {1: below(5), 2: positive}
    yield "nll_loss.none", lambda a, t: nn.nll_loss(a, t, reduction="none"), (tensor(6, 5), tensor(6, dtype="int64")), 6, {1: below(5)}
    yield "batch_flatten", nn.batch_flatten, (tensor(2, 3, 4),), 1, {}
    q, k = tensor(1, 5, 2, 8), tensor(1, 7, 2, 8)
    yield "attention", lambda a, b, c: nn.attention(a, b, c), (q, k, k), 40, {}
    yield "attention.causal", lambda a, b, c: nn.attention(a, b, c, causal_mask="TopLeft"), (q, k, k), 40, {}
    yield "attention_bias", lambda a, b, c, d: nn.attention(a, b, c, d), (q, k, k, tensor(1, 2, 5, 7)), 40, {}


def other_rows():
    op = relax.op
    x = tensor(1, 2, 5, 6)
    for method in ("nearest_neighbor", "linear", "cubic"):
        for mode in ("half_pixel", "align_corners", "asymmetric"):
            yield f"resize2d.{method}.{mode}", lambda a, method=method, mode=mode: op.image.resize2d(
                a, (8, 9), method=method, coordinate_transformation_mode=mode, rounding_method="round"), (x,), 16, {}
    yield "resize3d", lambda a: op.image.resize3d(a, (4, 5, 6), method="linear"), (tensor(1, 2, 3, 4, 5),), 8, {}
    for method in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            yield f"grid_sample.{method}.{padding}", lambda a, g, m=method, p=padding: op.image.grid_sample(a, g, m, "NCHW", p), (x, tensor(1, 2, 4, 5)), 16, {1: unit}
    yield "affine_grid", lambda a: op.image.affine_grid(a, (4, 5)), (tensor(2, 2, 3),), 4, {}
    boxes = lambda r, s, d: np.abs(r.standard_normal(s)).astype(d)
    yield "roi_align", lambda a, b: op.vision.roi_align(a, b, (3, 3), 1.0, 2), (x, tensor(2, 5)), 16, {
        1: lambda r, s, d: np.array([[0, 0.5, 0.5, 3, 4], [0, 1, 0, 4.5, 3]], d)}
    yield "roi_pool", lambda a, b: op.vision.roi_pool(a, b, (2, 2), 1.0), (x, tensor(2, 5)), 1, {
        1: lambda r, s, d: np.array([[0, 0, 0, 3, 4], [0, 1, 0, 4, 3]], d)}
    yield "get_valid_counts", lambda a: op.vision.get_valid_counts(a, 0.5), (tensor(1, 6, 6),), 1, {0: boxes}
    yield "multibox_transform_loc", lambda a, b, c: op.vision.multibox_transform_loc(a, b, c), (tensor(1, 3, 4), tensor(1, 16), tensor(1, 4, 4)), 4, {}
    yield "max_pool2d_backward", lambda g, a: op.grad.max_pool2d_backward(g, a, (2, 2), (2, 2)), (tensor(1, 2, 4, 4), tensor(1, 2, 8, 8)), 4, {1: distinct}
    yield "avg_pool2d_backward", lambda g, a: op.grad.avg_pool2d_backward(g, a, (2, 2), (2, 2)), (tensor(1, 2, 4, 4), tensor(1, 2, 8, 8)), 4, {}
    yield "nll_loss_backward", lambda g, a, t: op.grad.nll_loss_backward(g, a, t, reduction="none"), (tensor(6), tensor(6, 5), tensor(6, dtype="int64")), 4, {2: below(5)}
    yield "take_backward", lambda g, a, i: op.grad.take_backward(g, a, i, 0), (tensor(3, 4), tensor(5, 4), tensor(3, dtype="int32")), 4, {2: below(5)}
    for dtype in ("int8", "uint8"):
        yield f"quantize.{dtype}", lambda a, s, z, dtype=dtype: op.quantize(a, s, z, 1, dtype), (tensor(4, 6), tensor(6), tensor(6, dtype="int8")), 1, {1: positive, 2: below(5)}
        yield f"dequantize.{dtype}", lambda a, s, z: op.dequantize(a, s, z, 1, "float32"), (tensor(4, 6, dtype=dtype), tensor(6), tensor(6, dtype="int8")), 1, {1: positive, 2: below(5)}
    yield "sort", lambda a: op.sort(a, 1), (tensor(3, 9),), 1, {}
    yield "argsort", lambda a: op.argsort(a, 1), (tensor(3, 9),), 1, {}
    yield "topk", lambda a: op.topk(a, 3), (tensor(3, 9),), 1, {}
    few = {0: below(4)}  # many that are equal
    for axis in (0, 1, -1):
        yield f"sort.descending.{axis}", lambda a, axis=axis: op.sort(a, axis, True), (tensor(5, 6, 4),), 1, few
        yield f"argsort.{axis}", lambda a, axis=axis: op.argsort(a, axis, axis == 1, "int64"), (tensor(5, 6, 4, dtype="int32"),), 1, few
        yield f"median.{axis}", lambda a, axis=axis: op.median(a, axis, True), (tensor(4, 7, 3),), 1, few
    for kind in ("values", "indices"):
        yield f"topk.{kind}", lambda a, kind=kind: op.topk(a, 4, 0, kind, True), (tensor(9, 5, dtype="int64"),), 1, few
    yield "sort.symbolic", lambda a: op.sort(a, 1), (tensor(3, tvm.tirx.Var("n", "int64")),), 1, few


TABLES = (binary_rows, unary_rows, creation_rows, index_rows, movement_rows, reduction_rows, linear_rows, pooling_rows, convolution_rows,
          network_rows, other_rows)


# Extents that depend on the values of the inputs.
EXTENTS = {"dynamic_strided_slice": {"s_1": 3, "s": 2}}


def relax_operators(operator_type):
    for table in TABLES:
        for name, function, types, length, domain in table():
            operator = operator_type(f"relax.{name}", lambda f=function, t=types: legalise(f, t), length, domain)
            operator.extents = EXTENTS.get(name, {})
            yield operator
