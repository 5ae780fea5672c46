"""The PrimFuncs that tvm_compare.py has TVM print: a list of named operators, in several shapes and types.

Five sources: TVM's operator library (topi through te.create_prim_func), Relax operators after LegalizeOps
(relax_programs.py), programs after random schedules (schedules.py), programs between the passes of TVM's CPU
pipeline (lowered.py), and the kernels of its language models (llm_programs.py).
"""

import tvm
from tvm import te, topi

from domains import above_one, below, nonzero, positive, unit
from llm_programs import llm_programs
from lowered import lowered
from random_programs import random_programs
from relax_programs import relax_operators
from scheduled_random import scheduled_random
from schedules import reduced_by_threads, scheduled, tensor_intrinsics
from spelt import spelt


class Operator:
    """`make` builds the PrimFunc, or a list of them. `length`: how many terms the longest sum has, for the tolerance.
    `domain` limits the random inputs: {parameter index: function of (rng, shape, dtype)}. With `may_refuse`, TVM's saying
    no is not worth a line; with `only_text`, nothing is computed."""

    def __init__(self, name, make, length=1, domain=None):
        self.name, self.make, self.length, self.domain = name, make, length, domain or {}
        self.reference = None  # makes a plainer program with the same values
        self.extents = {}  # values of scalars and of variables in shapes, by name
        self.kept = ()  # parameters that are read before they are written
        self.may_refuse = self.only_text = False


def from_te(*tensors):
    return te.create_prim_func(list(tensors))


def elementwise():
    unary = {
        "exp": None, "tanh": None, "sigmoid": None, "sqrt": positive, "rsqrt": positive, "log": positive, "log2": positive,
        "log10": positive, "cos": None, "sin": None, "tan": unit, "cosh": None, "sinh": None, "acos": unit, "asin": unit,
        "atan": None, "acosh": above_one, "asinh": None, "atanh": unit, "erf": None, "floor": None, "ceil": None,
        "round": None, "trunc": None, "abs": None, "negative": None, "sign": None, "isnan": None, "isinf": None,
        "isfinite": None, "identity": None,
    }
    for name, domain in unary.items():
        for dtype in ("float32", "float64"):
            if dtype == "float64" and name in ("isinf", "isfinite"):
                continue

            def make(name=name, dtype=dtype):
                a = te.placeholder((7, 13), dtype, "A")
                return from_te(a, getattr(topi, name)(a))

            yield Operator(f"{name}.{dtype}", make, domain={0: domain} if domain else {})
    for name in ("nn.relu", "nn.fast_tanh", "nn.fast_erf", "fast_exp"):
        function = topi
        for part in name.split("."):
            function = getattr(function, part, None)
        if function is None:
            continue

        def make(function=function):
            a = te.placeholder((5, 33), "float32", "A")
            return from_te(a, function(a))

        yield Operator(name, make)
    for name in ("clip", "leaky_relu", "prelu"):

        def make(name=name):
            a = te.placeholder((2, 6, 5), "float32", "A")
            if name == "clip":
                return from_te(a, topi.clip(a, -0.5, 0.75))
            if name == "leaky_relu":
                return from_te(a, topi.nn.leaky_relu(a, 0.1))
            s = te.placeholder((6,), "float32", "S")
            return from_te(a, s, topi.nn.prelu(a, s, axis=1))

        yield Operator(name, make)


def binary():
    shapes = [((4, 9), (4, 9)), ((4, 9), (9,)), ((3, 1, 5), (4, 1)), ((1,), (6, 2)), ((), (5,))]
    for name in ("add", "subtract", "multiply", "maximum", "minimum"):
        for dtype in ("float32", "float64", "int32", "int64", "int8", "uint8", "uint32"):
            for number, (left, right) in enumerate(shapes if dtype in ("float32", "int32") else shapes[:2]):

                def make(name=name, dtype=dtype, left=left, right=right):
                    a, b = te.placeholder(left, dtype, "A"), te.placeholder(right, dtype, "B")
                    return from_te(a, b, getattr(topi, name)(a, b))

                yield Operator(f"{name}.{dtype}.{number}", make)
    for name, dtypes, domain in (
        ("divide", ("float32", "float64"), positive), ("floor_divide", ("int32", "int64", "uint8"), nonzero),
        ("floor_mod", ("int32", "int64", "uint8"), nonzero), ("mod", ("int32",), nonzero), ("power", ("float32",), positive),
        ("left_shift", ("int32", "uint32"), below(8)), ("right_shift", ("int32", "uint32", "int64"), below(8)),
        ("bitwise_and", ("int32", "uint8", "bool"), None), ("bitwise_or", ("int32", "bool"), None),
        ("bitwise_xor", ("int64", "bool"), None), ("logical_and", ("bool",), None), ("logical_or", ("bool",), None),
        ("logical_xor", ("bool",), None), ("equal", ("float32", "int32"), None), ("not_equal", ("float32", "int64"), None),
        ("less", ("float32", "uint8"), None), ("less_equal", ("float64", "int8"), None), ("greater", ("float32",), None),
        ("greater_equal", ("int32",), None),
    ):
        for dtype in dtypes:

            def make(name=name, dtype=dtype):
                a, b = te.placeholder((6, 7), dtype, "A"), te.placeholder((6, 7), dtype, "B")
                return from_te(a, b, getattr(topi, name)(a, b))

            domains = {}
            if domain:
                domains[1] = domain
            if name == "power":
                domains[0] = positive
            yield Operator(f"{name}.{dtype}", make, domain=domains)
    for name in ("bitwise_not", "logical_not"):

        def make(name=name):
            a = te.placeholder((11,), "int32" if name == "bitwise_not" else "bool", "A")
            return from_te(a, getattr(topi, name)(a))

        yield Operator(name, make)

    def where():
        c, a, b = te.placeholder((4, 5), "bool", "C"), te.placeholder((4, 5), "float32", "A"), te.placeholder((5,), "float32", "B")
        return from_te(c, a, b, topi.where(c, a, b))

    yield Operator("where", where)
    types = ("float32", "float64", "int8", "uint8", "int32", "int64", "bool", "uint16")
    for source in types:
        for target in types:
            if source == target:
                continue

            def make(source=source, target=target):
                a = te.placeholder((19,), source, "A")
                return from_te(a, topi.cast(a, target))

            # A float stays in the target's range: out of it LLVM's result has no meaning.
            in_range = (lambda rng, shape, dtype: rng.uniform(0, 100, shape).astype(dtype)) if source.startswith("float") else None
            yield Operator(f"cast.{source}.{target}", make, domain={0: in_range} if in_range else {})


def reductions():
    for name in ("sum", "max", "min", "prod", "argmax", "argmin"):
        for dtype in ("float32", "int32") if name != "prod" else ("float32",):
            for axis in (None, 1, 0, (0, 2), -1):
                if isinstance(axis, tuple) and name.startswith("arg"):
                    continue

                def make(name=name, dtype=dtype, axis=axis):
                    a = te.placeholder((5, 6, 7), dtype, "A")
                    return from_te(a, getattr(topi, name)(a, axis=axis))

                domain = {0: lambda rng, shape, dtype: rng.uniform(0.9, 1.1, shape).astype(dtype)} if name == "prod" else {}
                yield Operator(f"{name}.{dtype}.{axis}", make, length=210, domain=domain)
    for name in ("all", "any"):

        def make(name=name):
            a = te.placeholder((4, 9), "bool", "A")
            return from_te(a, getattr(topi, name)(a, axis=1))

        yield Operator(name, make)
    for name in ("cumsum", "cumprod"):
        for axis in (0, 1):

            def make(name=name, axis=axis):
                a = te.placeholder((4, 20), "float32", "A")
                return from_te(a, getattr(topi, name)(a, axis=axis))

            yield Operator(f"{name}.{axis}", make, length=20)


def contractions():
    for m, n, k in ((1, 1, 1), (7, 12, 33), (16, 16, 16)):
        for ta in (False, True):
            for tb in (False, True):

                def make(m=m, n=n, k=k, ta=ta, tb=tb):
                    a = te.placeholder((k, m) if ta else (m, k), "float32", "A")
                    b = te.placeholder((n, k) if tb else (k, n), "float32", "B")
                    return from_te(a, b, topi.matmul(a, b, ta, tb))

                yield Operator(f"matmul.{m}.{n}.{k}.{'T' if ta else 'N'}{'T' if tb else 'N'}", make, length=k)

    def dense():
        a, w, b = te.placeholder((5, 40), "float32", "A"), te.placeholder((9, 40), "float32", "W"), te.placeholder((9,), "float32", "B")
        return from_te(a, w, b, topi.nn.dense(a, w, b))

    def dense_i8():
        a, w = te.placeholder((5, 40), "int8", "A"), te.placeholder((9, 40), "int8", "W")
        return from_te(a, w, topi.nn.dense(a, w, out_dtype="int32"))

    def batch_matmul():
        a, b = te.placeholder((3, 5, 8), "float32", "A"), te.placeholder((3, 6, 8), "float32", "B")
        return from_te(a, b, topi.nn.batch_matmul(a, b))

    def tensordot():
        a, b = te.placeholder((3, 4, 5), "float32", "A"), te.placeholder((4, 5, 6), "float32", "B")
        return from_te(a, b, topi.tensordot(a, b, axes=2))

    def einsum():
        a, b = te.placeholder((3, 4, 5), "float32", "A"), te.placeholder((5, 4), "float32", "B")
        return from_te(a, b, topi.einsum("ijk,kl->ijl", a, b))

    yield Operator("dense", dense, length=40)
    yield Operator("dense.int8", dense_i8, length=40)
    yield Operator("batch_matmul", batch_matmul, length=8)
    yield Operator("tensordot", tensordot, length=20)
    yield Operator("einsum", einsum, length=5)
    for layout in ("nchw", "nhwc"):
        for stride, pad, dilation in ((1, 0, 1), (2, 1, 1), (1, 2, 2)):

            def make(layout=layout, stride=stride, pad=pad, dilation=dilation):
                if layout == "nchw":
                    a, w = te.placeholder((2, 3, 9, 8), "float32", "A"), te.placeholder((4, 3, 3, 3), "float32", "W")
                    return from_te(a, w, topi.nn.conv2d_nchw(a, w, stride, pad, dilation))
                a, w = te.placeholder((2, 9, 8, 3), "float32", "A"), te.placeholder((3, 3, 3, 4), "float32", "W")
                return from_te(a, w, topi.nn.conv2d_nhwc(a, w, stride, pad, dilation))

            yield Operator(f"conv2d.{layout}.{stride}.{pad}.{dilation}", make, length=27)
    for layout in ("nchw", "nhwc"):

        def make(layout=layout):
            if layout == "nchw":
                a, w = te.placeholder((1, 6, 8, 8), "float32", "A"), te.placeholder((6, 1, 3, 3), "float32", "W")
                return from_te(a, w, topi.nn.depthwise_conv2d_nchw(a, w, 1, 1, 1))
            a, w = te.placeholder((1, 8, 8, 6), "float32", "A"), te.placeholder((3, 3, 6, 1), "float32", "W")
            return from_te(a, w, topi.nn.depthwise_conv2d_nhwc(a, w, 1, 1, 1))

        yield Operator(f"depthwise_conv2d.{layout}", make, length=9)

    def group_conv2d():
        a, w = te.placeholder((1, 4, 7, 7), "float32", "A"), te.placeholder((6, 2, 3, 3), "float32", "W")
        return from_te(a, w, topi.nn.group_conv2d_nchw(a, w, 1, 1, 1, 2))

    def conv2d_transpose():
        a, w = te.placeholder((1, 3, 5, 5), "float32", "A"), te.placeholder((3, 4, 3, 3), "float32", "W")
        return from_te(a, w, topi.nn.conv2d_transpose_nchw(a, w, (2, 2), (1, 1), "float32", (0, 0)))

    def conv1d():
        a, w = te.placeholder((2, 3, 20), "float32", "A"), te.placeholder((4, 3, 5), "float32", "W")
        return from_te(a, w, topi.nn.conv1d_ncw(a, w, 1, 2, 1))

    def conv3d():
        a, w = te.placeholder((1, 2, 5, 6, 7), "float32", "A"), te.placeholder((3, 2, 3, 3, 3), "float32", "W")
        return from_te(a, w, topi.nn.conv3d_ncdhw(a, w, 1, 1, 1, 1))

    yield Operator("group_conv2d", group_conv2d, length=18)
    yield Operator("conv2d_transpose", conv2d_transpose, length=27)
    yield Operator("conv1d", conv1d, length=15)
    yield Operator("conv3d", conv3d, length=54)
    for kind in ("max", "avg"):
        for ceil in (False, True):

            def make(kind=kind, ceil=ceil):
                a = te.placeholder((1, 3, 9, 10), "float32", "A")
                return from_te(a, topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), kind, ceil, "NCHW", False))

            yield Operator(f"pool2d.{kind}.{ceil}", make, length=9)

        def globally(kind=kind):
            a = te.placeholder((2, 3, 6, 5), "float32", "A")
            return from_te(a, topi.nn.global_pool(a, kind))

        def adaptively(kind=kind):
            a = te.placeholder((1, 3, 7, 9), "float32", "A")
            return from_te(a, topi.nn.adaptive_pool(a, (3, 4), kind))

        yield Operator(f"global_pool.{kind}", globally, length=30)
        yield Operator(f"adaptive_pool.{kind}", adaptively, length=30)


def normalisations():
    def one(name, function, *shapes, length=64):
        def make():
            tensors = [te.placeholder(shape, "float32", f"A{i}") for i, shape in enumerate(shapes)]
            result = function(*tensors)
            return from_te(*tensors, *([result] if isinstance(result, te.Tensor) else result))

        return Operator(name, make, length=length)

    yield one("softmax", lambda a: topi.nn.softmax(a, -1), (4, 10))
    yield one("softmax.0", lambda a: topi.nn.softmax(a, 0), (4, 10))
    yield one("log_softmax", topi.nn.log_softmax, (4, 10))
    yield one("layer_norm", lambda a, g, b: topi.nn.layer_norm(a, g, b, [1], 1e-5), (4, 33), (33,), (33,))
    yield one("rms_norm", lambda a, g: topi.nn.rms_norm(a, g, [1], 1e-5), (4, 33), (33,))
    yield one("group_norm", lambda a, g, b: topi.nn.group_norm(a, g, b, 2, 1, [2, 3], 1e-5), (2, 4, 5, 3), (4,), (4,))
    yield one("instance_norm", lambda a, g, b: topi.nn.instance_norm(a, g, b, 1, [2, 3], 1e-5), (2, 4, 5, 3), (4,), (4,))
    yield one("lrn", lambda a: topi.nn.lrn(a, 5), (1, 8, 4, 4))
    yield one("batch_flatten", topi.nn.flatten, (2, 3, 4))
    yield one("pad", lambda a: topi.nn.pad(a, (0, 1, 2), (1, 0, 1), 3.0), (2, 3, 4))
    yield one("mirror_pad", lambda a: topi.nn.mirror_pad(a, (1, 2), (0, 1), "REFLECT"), (5, 6))
    yield one("space_to_depth", lambda a: topi.nn.space_to_depth(a, 2), (1, 2, 4, 6))
    yield one("depth_to_space", lambda a: topi.nn.depth_to_space(a, 2), (1, 8, 3, 2))
    yield one("dilate", lambda a: topi.nn.dilate(a, (2, 3)), (3, 4))


def movement():
    def one(name, function, *shapes, dtype="float32"):
        def make():
            tensors = [te.placeholder(shape, dtype, f"A{i}") for i, shape in enumerate(shapes)]
            result = function(*tensors)
            return from_te(*tensors, *([result] if isinstance(result, te.Tensor) else result))

        return Operator(name, make)

    yield one("transpose", topi.transpose, (5, 7))
    yield one("transpose.axes", lambda a: topi.transpose(a, (2, 0, 3, 1)), (2, 3, 4, 5))
    yield one("reshape", lambda a: topi.reshape(a, (6, 10)), (3, 4, 5))
    yield one("expand_dims", lambda a: topi.expand_dims(a, 1, 2), (3, 4))
    yield one("squeeze", lambda a: topi.squeeze(a, 1), (3, 1, 4))
    yield one("broadcast_to", lambda a: topi.broadcast_to(a, (4, 3, 5)), (3, 1))
    yield one("concatenate", lambda a, b, c: topi.concatenate((a, b, c), 1), (2, 3), (2, 1), (2, 5))
    yield one("stack", lambda a, b: topi.stack((a, b), 1), (2, 3), (2, 3))
    yield one("split", lambda a: topi.split(a, [2, 5], 1), (3, 9))
    yield one("flip", lambda a: topi.flip(a, 1), (3, 7))
    yield one("tile", lambda a: topi.tile(a, (2, 3)), (3, 4))
    yield one("repeat", lambda a: topi.repeat(a, 3, 1), (3, 4))
    yield one("strided_slice", lambda a: topi.strided_slice(a, [1, 8], [5, 1], [2, -2]), (6, 9))
    yield one("full_like", lambda a: topi.full_like(a, 2.5), (3, 4))
    yield one("trilu", lambda a: topi.trilu(a, tvm.tirx.const(0, "int64"), False), (5, 5))
    yield one("matrix_diag", topi.matrix_set_diag, (3, 3), (3,)) if hasattr(topi, "matrix_set_diag") else one("copy", topi.identity, (3,))
    yield one("layout_transform", lambda a: topi.layout_transform(a, "NCHW", "NCHW4c"), (1, 8, 3, 5))

    def indexed(name, function, data, index, limit, itype="int32", dtype="float32"):
        def make():
            a, i = te.placeholder(data, dtype, "A"), te.placeholder(index, itype, "I")
            return from_te(a, i, function(a, i))

        return Operator(name, make, domain={1: below(limit)})

    yield indexed("take.flat", lambda a, i: topi.take(a, i, mode="clip"), (4, 5), (7,), 20)
    yield indexed("take.0", lambda a, i: topi.take(a, i, axis=0, mode="fast"), (6, 5), (3, 2), 6, "int64")
    yield indexed("take.1.wrap", lambda a, i: topi.take(a, i, axis=1, mode="wrap"), (6, 5), (4,), 50)
    yield indexed("gather", lambda a, i: topi.gather(a, 1, i), (4, 6), (4, 3), 6)
    yield indexed("gather_nd", topi.gather_nd, (4, 5, 3), (2, 6), 4)
    yield indexed("one_hot", lambda a, i: topi.one_hot(i, tvm.tirx.const(1, "float32"), tvm.tirx.const(0, "float32"), 6, -1, "float32"), (1,), (5,), 6)
    yield indexed("sequence_mask", lambda a, i: topi.sequence_mask(a, i, 0.0, 0), (6, 3), (3,), 6)

    def arange():
        return from_te(topi.arange(tvm.tirx.const(3, "int32"), tvm.tirx.const(20, "int32"), tvm.tirx.const(2, "int32"), "int32"))

    def full():
        return from_te(topi.full((3, 4), "float32", 1.5))

    def resize(method):
        def make():
            a = te.placeholder((1, 2, 5, 6), "float32", "A")
            return from_te(a, topi.image.resize2d(a, (0.0, 0.0, 0.0, 0.0), (8, 9), method=method, layout="NCHW"))

        return make

    yield Operator("arange", arange)
    yield Operator("full", full)
    for method in ("nearest_neighbor", "linear", "cubic"):
        yield Operator(f"resize2d.{method}", resize(method), length=16)


def symbolic():
    def one(name, function, rank):
        def make():
            extents = [te.var(f"n{i}", "int32" if "32" in name else "int64") for i in range(rank)]
            a = te.placeholder(extents, "float32", "A")
            return from_te(a, function(a))

        return Operator(name, make, length=100)

    for width in ("32", "64"):
        yield one(f"symbolic{width}.relu", topi.nn.relu, 2)
        yield one(f"symbolic{width}.sum", lambda a: topi.sum(a, 1), 2)
        yield one(f"symbolic{width}.softmax", lambda a: topi.nn.softmax(a, -1), 2)
        yield one(f"symbolic{width}.transpose", topi.transpose, 2)


def operators(tirb):
    """All operators; `tirb` is the command, beside which other programs of its build stand."""
    for table in (elementwise, binary, reductions, contractions, normalisations, movement, symbolic):
        yield from table()
    yield from relax_operators(Operator)
    yield from scheduled(Operator)
    yield from scheduled_random(Operator)
    yield from tensor_intrinsics(Operator)
    yield from reduced_by_threads(Operator)
    yield from lowered(Operator)
    yield from llm_programs(Operator)
    yield from spelt(Operator)
    yield from random_programs(Operator, tirb)
