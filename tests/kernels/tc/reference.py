"""What the programs of this folder compute, said in NumPy: one line for a program, beside the text of its file.

    programs = Programs("contractions.tc")
    programs("mm", lambda A, B: A @ B, ops="K")

A program's inputs are made from its signature: arrays of its sizes and types, floats from a normal distribution, integers
of -9 .. 9, scalars too. The formula gets the inputs in order, floats as float64, and gives the output or a tuple of them.
Options:
    sizes   what the size variables are, one string for each call: "N=1 M=3"; without it all are 1, then small and odd, then larger
    given   {parameter: function of the random generator and the dictionary of sizes}, for what may not be anything
    out     types of the outputs, for those that are no float32 and not annotated
    ops     roundings of one output element at most, an expression of the sizes: floats may differ by ops * eps * max |x|
    minima  of each output's dimensions, expressions of the sizes: "O: 0 KH-1"
    updates outputs that the caller fills before: the formula gets them behind the inputs
    define  what placeholders stand for: "sh=2 sw=1"
    tvm     False where TVM 0.27 cannot be asked
"""

import re
import pathlib
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SMALL, LARGER = (3, 5, 2, 7, 4), (17, 33, 9, 40, 6)
MOST_ELEMENTS = 60000
ALIASES = {"float": "float32", "double": "float64", "half": "float16", "int": "int32", "byte": "uint8", "long": "int64"}
PARAMETER = re.compile(r"(\w+)\s*(?:\(([^)]*)\))?\s+(\w+)")
ALL = []


class Parameter:
    def __init__(self, found):
        kind, sizes, self.name = found.groups()
        self.dtype = ALIASES.get(kind, kind)
        self.sizes = None if sizes is None else [size.strip() for size in sizes.split(",") if size.strip()]

    def shape(self, sizes):
        return tuple(int(size) if size.isdigit() else sizes[size] for size in self.sizes or ())


class Call:
    """One call: `args` in parameter order, `before` and `want` by output, how far floats may differ, the outputs' minima."""

    def __init__(self, label, args, before, want, tolerance, minima):
        self.label, self.args, self.before, self.want = label, args, before, want
        self.tolerance, self.minima = tolerance, minima


class Program:
    def __init__(self, file, name, formula, sizes=None, given=None, out="", ops="16", minima="", updates="", define="", tvm=True):
        self.file, self.name, self.formula, self.define, self.tvm = file, name, formula, define.split(), tvm
        text = re.sub(r"#.*", "", (HERE / file).read_text())
        header = re.search(rf"\bdef\s+{name}\s*\((.*?)\)\s*->\s*(\(.*?\)|\w+)\s*\{{", text, re.S)
        self.params = [Parameter(found) for found in PARAMETER.finditer(header.group(1))]
        annotated = {found.group(3): Parameter(found) for found in PARAMETER.finditer(header.group(2))}
        plain = re.sub(r"\([^()]*\)", "", header.group(2).strip("()") if header.group(2).startswith("(") else header.group(2))
        self.outputs = [part.split()[-1] for part in plain.split(",")]
        kinds = out.split() or ["float32"] * len(self.outputs)
        self.dtypes = {name: annotated[name].dtype if name in annotated else ALIASES.get(kind, kind)
                       for name, kind in zip(self.outputs, kinds, strict=True)}
        self.annotated, self.updates = annotated, updates.split()
        self.given, self.ops = given or {}, ops
        self.minima = {part.split(":")[0].strip(): part.split(":")[1].split() for part in minima.split(";") if part.strip()}
        names = list(dict.fromkeys(size for param in self.params for size in param.sizes or () if not size.isdigit()))
        self.sizes = [dict((pair.split("=")[0], int(pair.split("=")[1])) for pair in text.split()) for text in sizes] if sizes \
            else self.default_sizes(names)

    def default_sizes(self, names):
        larger = {name: LARGER[i % len(LARGER)] for i, name in enumerate(names)}
        while any(np.prod(param.shape(larger)) > MOST_ELEMENTS for param in self.params):
            larger[max(larger, key=larger.get)] //= 2
        found = [dict.fromkeys(names, 1), {name: SMALL[i % len(SMALL)] for i, name in enumerate(names)}, larger]
        return found if names else found[:1]

    def value(self, rng, param, sizes):
        if param.name in self.given:
            return np.asarray(self.given[param.name](rng, sizes)).astype(param.dtype)
        return random_values(rng, param.dtype, param.shape(sizes))

    def calls(self, seed):
        rng = np.random.default_rng([seed, zlib.crc32(f"{self.file}:{self.name}:{self.define}".encode())])
        for sizes in self.sizes:
            args = {param.name: self.value(rng, param, sizes) for param in self.params}
            before = {name: random_values(rng, self.dtypes[name], self.annotated[name].shape(sizes)) for name in self.updates}
            with np.errstate(all="ignore"):
                got = self.formula(*(widened(value) for value in (*args.values(), *before.values())))
                got = got if isinstance(got, tuple) else (got,)
                want = {name: np.asarray(value).astype(self.dtypes[name]) for name, value in zip(self.outputs, got, strict=True)}
            scope = {**sizes, **{name: int(value) for name, value in args.items() if value.ndim == 0 and value.dtype.kind in "iu"}}
            minima = {name: [eval(text, {"min": min, "max": max}, scope) for text in texts] for name, texts in self.minima.items()}
            tolerance = {name: self.tolerance(value, [*args.values(), *before.values(), value], scope) for name, value in want.items()}
            label = " ".join(f"{name}={size}" for name, size in sizes.items()) or "as it is"
            yield Call(label, args, before, want, tolerance, minima)

    def tolerance(self, want, values, scope):
        if want.dtype.kind != "f":
            return 0
        kinds = [v.dtype for v in values if v.dtype.kind == "f"]
        scale = max((np.abs(v.astype(np.float64)).max() for v in values if v.size and v.dtype.kind == "f"), default=1)
        return eval(self.ops, {}, dict(scope)) * max(np.finfo(kind).eps for kind in kinds) * max(scale, 1)


def softmax(A, axis):
    power = np.exp(A - A.max(axis, keepdims=True))
    return power / power.sum(axis, keepdims=True)


def widened(value):
    value = value.astype(np.float64) if value.dtype.kind == "f" else value
    return value if value.ndim else value[()]


def random_values(rng, dtype, shape):
    if dtype == "bool":
        return rng.random(shape) < 0.4
    if dtype.startswith("float"):
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    low, high = (0, 200) if dtype.startswith("u") else (-9, 10)
    return np.asarray(rng.integers(low, high, shape)).astype(dtype)


class Programs:
    """Registers the programs of one file."""

    def __init__(self, file):
        self.file = file

    def __call__(self, name, formula, **options):
        ALL.append(Program(self.file, name, formula, **options))
