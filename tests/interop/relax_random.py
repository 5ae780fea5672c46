#!/usr/bin/env python3
"""Random Relax modules against TVM: its own text of what tirb prints is the same module, values are within its, and one
and two threads, and operators that are fused or not, give the same bits.

    relax_random.py TIRB [--seed N] [--count N] [--size N]

A module is a graph of operators over tensors of float32, int32 and bool whose dimensions are numbers or the sizes n and
m, with tuples, branches (whose arms may give tensors of other sizes), match_cast, functions that are called, and numbers
of its sizes. Ends with `N passed, N failed`; a case that TVM does not compile, or on
which it ends the process, is named, left out and counted."""
import argparse
import collections
import functools
import pathlib
import random
import subprocess
import sys
import tempfile

import relax_operators as operators  # and skips where TVM is not installed
import numpy as np
import tvm
import tvm_ffi
from tvm import relax

import workers

SIZES = {"n": 3, "m": 4}
PATIENCE = 300  # seconds for a module


class Value:
    """A variable of the text: its name, shape and element type; `low` and `high` bound what is in it."""

    def __init__(self, name, shape, dtype, bound=3.0):
        self.name, self.shape, self.dtype, self.bound = name, tuple(shape), dtype, bound

    @property
    def type(self):
        dims = ", ".join(str(d) for d in self.shape)
        return f'R.Tensor(({dims}{"," if len(self.shape) == 1 else ""}), dtype="{self.dtype}")'


class Program:
    """A function under way."""

    def __init__(self, rng, name):
        self.rng, self.name, self.lines, self.values, self.n = rng, name, [], [], 0

    def new_name(self):
        self.n += 1
        return f"v{self.n}"

    def let(self, text, shape, dtype, bound, indent=0):
        value = Value(self.new_name(), shape, dtype, bound)
        self.lines.append(f"{'    ' * indent}{value.name} = {text}")
        self.values.append(value)
        return value

    def pick(self, *dtypes, rank=None, bound=1e4):
        found = [v for v in self.values if v.dtype in dtypes and v.bound <= bound and
                 (rank is None or len(v.shape) in rank)]
        return self.rng.choice(found) if found else None

    def partner(self, a, bound=1e4):
        """Another value that broadcasts with it, and the shape of both."""
        found = [(b, shape) for b in self.values if b.dtype == a.dtype and b.bound <= bound
                 if (shape := broadcast(a.shape, b.shape)) is not None]
        return self.rng.choice(found)


def broadcast(a, b):
    """None where it is not known to hold."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        return None
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def shape_text(shape):
    return f"R.shape([{', '.join(str(d) for d in shape)}])"


# ---- What a binding may be: each takes the program and adds one, or gives up (None) -----------------------------------


def unary(p):
    a = p.pick("float32")
    name, bound = p.rng.choice([("R.tanh", 1), ("R.sigmoid", 1), ("R.nn.relu", a.bound), ("R.negative", a.bound),
                                ("R.abs", a.bound), ("R.sin", 1), ("R.floor", a.bound + 1), ("R.nn.gelu", a.bound),
                                ("R.nn.silu", a.bound)])
    return p.let(f"{name}({a.name})", a.shape, "float32", bound)


def binary(p):
    a = p.pick("float32", "int32", bound=100)
    if not a:
        return None
    b, shape = p.partner(a, 100)
    name, bound = p.rng.choice([("add", a.bound + b.bound), ("subtract", a.bound + b.bound),
                                ("multiply", a.bound * b.bound), ("maximum", max(a.bound, b.bound)),
                                ("minimum", max(a.bound, b.bound))])
    return p.let(f"R.{name}({a.name}, {b.name})", shape, a.dtype, bound)


def compare(p):
    a = p.pick("int32", "float32")
    b, shape = p.partner(a)
    return p.let(f"R.{p.rng.choice(['less', 'greater_equal', 'equal'])}({a.name}, {b.name})", shape, "bool", 1)


def where(p):
    c, a = p.pick("bool"), p.pick("float32", "int32")
    if not c:
        return None
    b, shape = p.partner(a)
    shape = broadcast(c.shape, shape)
    return shape and p.let(f"R.where({c.name}, {a.name}, {b.name})", shape, a.dtype, max(a.bound, b.bound))


def constant(p):
    a = p.pick("float32", bound=100)
    if not a:
        return None
    number = p.rng.choice([0.5, 2.0, -1.25, 3.0])
    name, bound = p.rng.choice([("multiply", a.bound * 3), ("add", a.bound + 3), ("divide", a.bound * 2)])
    return p.let(f'R.{name}({a.name}, R.const({number}, "float32"))', a.shape, "float32", bound)


def reduce(p):
    a = p.pick("float32", rank=(1, 2, 3))
    if not a:
        return None
    axes = sorted(p.rng.sample(range(len(a.shape)), p.rng.randint(1, len(a.shape))))
    keep = p.rng.random() < 0.5
    name = p.rng.choice(["mean", "max", "min"])
    shape = [1 if i in axes else d for i, d in enumerate(a.shape) if keep or i not in axes]
    return p.let(f"R.{name}({a.name}, axis={axes}, keepdims={keep})", shape, "float32", a.bound)


def softmax(p):
    a = p.pick("float32", rank=(1, 2, 3), bound=1000)
    return a and p.let(f"R.nn.{p.rng.choice(['softmax'])}({a.name}, axis={p.rng.randrange(len(a.shape))})", a.shape,
                       "float32", 1)


def transpose(p):
    a = p.pick("float32", "int32", "bool", rank=(2, 3))
    if not a:
        return None
    axes = p.rng.sample(range(len(a.shape)), len(a.shape))
    return p.let(f"R.permute_dims({a.name}, axes={axes})", [a.shape[i] for i in axes], a.dtype, a.bound)


def view(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3))
    if not a:
        return None
    if p.rng.random() < 0.4:
        axis = p.rng.randint(0, len(a.shape))
        return p.let(f"R.expand_dims({a.name}, axis=[{axis}])", [*a.shape[:axis], 1, *a.shape[axis:]][:4], a.dtype,
                     a.bound) if len(a.shape) < 3 else None
    if len(a.shape) < 2:
        return None
    return p.let(f"R.reshape({a.name}, {shape_text([1, *a.shape])})", [1, *a.shape], a.dtype, a.bound) if len(
        a.shape) < 3 else None


def concatenate(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3))
    if not a:
        return None
    axis = p.rng.randrange(len(a.shape))
    alike = [b for b in p.values if b.dtype == a.dtype and len(b.shape) == len(a.shape) and
             all(i == axis or x == y for i, (x, y) in enumerate(zip(a.shape, b.shape)))]
    b = p.rng.choice(alike)
    if not all(isinstance(v.shape[axis], int) for v in (a, b)):
        return None
    shape = [a.shape[i] + b.shape[i] if i == axis else d for i, d in enumerate(a.shape)]
    return p.let(f"R.concat(({a.name}, {b.name}), axis={axis})", shape, a.dtype, max(a.bound, b.bound))


def split(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3))
    axes = [i for i, d in enumerate(a.shape) if isinstance(d, int) and d >= 2] if a else []
    if not axes:
        return None
    axis = p.rng.choice(axes)
    at = p.rng.randint(1, a.shape[axis] - 1)
    name = p.new_name()
    p.lines.append(f"{name} = R.split({a.name}, [{at}], axis={axis})")
    which = p.rng.randint(0, 1)
    extent = at if which == 0 else a.shape[axis] - at
    return p.let(f"{name}[{which}]", [extent if i == axis else d for i, d in enumerate(a.shape)], a.dtype, a.bound)


def matmul(p):
    a = p.pick("float32", rank=(2, 3), bound=20)
    found = [b for b in p.values if a and b.dtype == "float32" and len(b.shape) == 2 and b.shape[0] == a.shape[-1] and
             b.bound <= 20]
    if not found:
        return None
    b = p.rng.choice(found)
    return p.let(f"R.matmul({a.name}, {b.name})", [*a.shape[:-1], b.shape[1]], "float32", a.bound * b.bound * 16)


def take(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3))
    axes = [i for i, d in enumerate(a.shape) if isinstance(d, int)] if a else []
    if not axes:
        return None
    axis = p.rng.choice(axes)
    number = p.rng.randint(1, a.shape[axis])
    places = p.new_name()
    p.lines.append(f'{places} = R.arange(0, {number}, 1, dtype="int64")')
    return p.let(f'R.take({a.name}, {places}, axis={axis}, mode="fast")',
                 [number if i == axis else d for i, d in enumerate(a.shape)], a.dtype, a.bound)


def scan(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3), bound=50)
    return a and p.let(f"R.cumsum({a.name}, axis={p.rng.randrange(len(a.shape))})", a.shape, a.dtype, a.bound * 20)


def sort(p):
    a = p.pick("float32", "int32", rank=(1, 2, 3))
    return a and p.let(f"R.sort({a.name}, axis={p.rng.randrange(len(a.shape))}, descending={p.rng.random() < 0.5})",
                       a.shape, a.dtype, a.bound)


def cast(p):
    a = p.pick("int32", "bool")
    return a and p.let(f'R.astype({a.name}, "float32")', a.shape, "float32", a.bound)


def norm(p):
    a = p.pick("float32", rank=(2, 3), bound=100)
    if not a or not isinstance(a.shape[-1], int):
        return None
    ones = f'R.ones({shape_text(a.shape[-1:])}, dtype="float32")'
    name = p.new_name()
    p.lines.append(f"{name} = {ones}")
    return p.let(f"R.nn.rms_norm({a.name}, {name}, axes=[-1], epsilon=0.1)", a.shape, "float32", 20)


def pad(p):
    a = p.pick("float32", rank=(1, 2))
    if not a or not all(isinstance(d, int) for d in a.shape):
        return None
    widths = [p.rng.randint(0, 2) for _ in range(2 * len(a.shape))]
    shape = [d + widths[2 * i] + widths[2 * i + 1] for i, d in enumerate(a.shape)]
    return p.let(f'R.nn.pad({a.name}, {widths}, pad_mode="constant", pad_value=1.0)', shape, "float32", a.bound + 1)


def branch(p):
    """Both arms are one operator, outside of dataflow."""
    c, a = p.pick("bool"), p.pick("float32", bound=50)
    if not c or not a:
        return None
    one = p.new_name()
    p.lines.append(f'{one} = R.max(R.astype({c.name}, "int32"))')
    result = Value(p.new_name(), a.shape, "float32", a.bound * 2 + 1)
    p.lines += [f"if {one}:", f"    {result.name} = R.add({a.name}, {a.name})", "else:",
                f"    {result.name} = R.tanh({a.name})"]
    p.values.append(result)
    return result


def call(p):
    """Of the module's other function, which takes a matrix of any size."""
    a = p.pick("float32", rank=(2,), bound=50)
    return a and p.let(f"cls.helper({a.name})", a.shape, "float32", a.bound + 2)


KINDS = [unary] * 4 + [binary] * 5 + [compare, where, constant, reduce, reduce, softmax, transpose, view, concatenate, split,
                                      matmul, matmul, take, scan, sort, cast, norm, pad, branch, call]

def sized_branch(p, sizes):
    """A value whose sizes the arms say, each others, and what is computed of it; their names."""
    c, a, b = p.pick("bool", "int32"), p.pick("float32", rank=(2,), bound=50), p.pick("float32", rank=(2,), bound=50)
    if not c or not a:
        return []
    one, t, u, v = (p.new_name() for _ in range(4))
    arms = [f"R.concat(({a.name}, {a.name}), axis={p.rng.randint(0, 1)})", f"R.tanh({b.name})",
            f"R.permute_dims({b.name})", f"R.expand_dims(R.flatten({a.name}), axis=[0])"]
    p.rng.shuffle(arms)
    p.lines += [f'{one} = R.max(R.astype({c.name}, "int32"))', f"if {one}:", f"    {t} = {arms[0]}", "else:"]
    if p.rng.random() < 0.5:
        two = p.new_name()
        p.lines += [f'    {two} = R.less(R.sum({b.name}), R.const(0, "float32"))', f"    if {two}:",
                    f"        {t} = {arms[1]}", "    else:", f"        {t} = {arms[2]}"]
    else:
        p.lines += [f"    {t} = {arms[1]}"]
    if p.rng.random() < 0.2:
        return [t]
    p.lines += [f"{u} = R.match_cast({t}, R.Tensor(({', '.join(sizes)}), dtype=\"float32\"))"]
    p.lines += [f"{v} = {p.rng.choice(['R.sum(%s, axis=[0])', 'R.concat((%s, %s), axis=0)', 'R.exp(R.negative(%s))'])}"
                .replace("%s", u)]
    return p.rng.sample([t, u, v], 2)


HELPER = '''
    @R.function
    def helper(x: R.Tensor(("k", "l"), dtype="float32")) -> R.Tensor(("k", "l"), dtype="float32"):
        k = T.int64()
        l = T.int64()
        y = R.tanh(x)
        z = R.add(x, y)
        return z
'''


def module_text(rng, size):
    """The text of a module, and what its parameters are."""
    p = Program(rng, "main")
    dims = [1, 2, 5, 8, "n", "m"]
    for i in range(rng.randint(2, 4)):
        shape = [rng.choice(dims) for _ in range(rng.randint(1, 3))] if i else ["n", "m"]
        p.values.append(Value("abcd"[i], shape, rng.choice(["float32", "float32", "int32"]) if i else "float32"))
    parameters = list(p.values)
    while len(p.values) < len(parameters) + size:
        rng.choice(KINDS)(p)
    results = [v.name for v in rng.sample(p.values[len(parameters):], min(3, size))]
    sizes = []
    for pair in ("pq", "rs"):
        named = sized_branch(p, pair) if rng.random() < 0.25 else []
        sizes += pair if named else []
        results += named
    quoted = [v.type.replace("(n", '("n"').replace("(m", '("m"').replace(" n", ' "n"').replace(" m", ' "m"')
              for v in parameters]
    body = list(p.lines)
    if rng.random() < 0.7 and not any(line.startswith("if ") for line in body):  # operators may be fused there
        outputs = ", ".join(dict.fromkeys(results))
        body = ["with R.dataflow():", *(f"    {line}" for line in body), f"    R.output({outputs})"]
    lines = [f"    def main({', '.join(f'{v.name}: {t}' for v, t in zip(parameters, quoted))}):", "        cls = Module",
             *(f"        {s} = T.int64()" for s in [*SIZES, *sizes]), *(f"        {line}" for line in body),
             f"        return ({', '.join(results)}{',' if len(results) == 1 else ''})"]
    return HELPER + "\n    @R.function\n" + "\n".join(lines) + "\n", parameters, len(results)


def same_module(tirb, module, text):
    """What is wrong with tirb's text of a module, as TVM reads it."""
    done = subprocess.run([tirb, "fmt", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        return f"fmt: {done.stderr[:300]}"
    try:
        again = tvm.script.from_source(done.stdout)
    except (Exception, SystemExit) as problem:  # TVM's errors have no common class
        return f"TVM does not read the text that is printed: {str(problem)[:300]}"
    return "" if tvm_ffi.structural_equal(module, again) else "the text that is printed is another module"


def judge(tirb, folder, seed, size):
    """What is wrong with a module; None: TVM cannot."""
    rng = random.Random(seed)
    text, parameters, n = module_text(rng, size)
    values = np.random.default_rng(seed)
    inputs = []
    for v in parameters:
        shape = [SIZES.get(d, d) for d in v.shape]
        drawn = values.uniform(-3, 3, shape)
        inputs.append(drawn.astype(v.dtype) if v.dtype == "float32" else np.rint(drawn).astype(v.dtype))
    try:
        module = tvm.script.from_source(operators.MODULE + text)
        machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
        wanted = operators.flat(machine["main"](*[tvm.runtime.tensor(x) for x in inputs]))
    except (Exception, SystemExit) as problem:  # TVM's errors have no common class
        return None, f"{(str(problem).strip().splitlines() or ['no message'])[-1][:200]}\n{text}"
    problem = same_module(tirb, module, operators.HEADER + text)
    bits = []
    for words in (["--threads", "1"], ["--threads", "2"], ["--disable", "operators"]):
        found, message = operators.tirb_results(tirb, folder, operators.HEADER + text, inputs, n, words)
        if message:
            return message, text
        bits.append([x.tobytes() for x in found])
        for w, f in zip(wanted, found):
            problem = problem or operators.difference(w, f, "mean" if w.dtype.kind == "i" else "")
    other = "two threads give" if bits[0] != bits[1] else "operators that are not fused give" if bits[0] != bits[2] else ""
    return problem or other and f"{other} other bits", text


def work(options, folder, seed, announce):
    announce(f"seed {seed}")
    yield judge(options.tirb, pathlib.Path(folder), seed, options.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tirb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--size", type=int, default=12, help="bindings of a module")
    options = parser.parse_args()
    right = wrong = left_out = ended = 0
    with tempfile.TemporaryDirectory() as folder:
        seeds = collections.deque(range(options.seed, options.seed + options.count))
        for seed, verdict in workers.run(seeds, functools.partial(work, options, folder), 1, PATIENCE):
            if isinstance(verdict, workers.Ended):
                ended += 1
                print(f"seed {seed} lost: {verdict.cause}", flush=True)
                continue
            problem, text = verdict
            left_out, right, wrong = left_out + (problem is None), right + (problem == ""), wrong + bool(problem)
            if problem is None:
                print(f"seed {seed} left out: {text.splitlines()[0]}", flush=True)
            if problem:
                print(f"WRONG seed {seed}: {problem}\n{text}", flush=True)
    print(f"{left_out} modules that TVM does not compile, {ended} that end its process")
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
