#!/usr/bin/env python3
"""Random Relax functions in which memory is shared: beside an evaluation by NumPy, with operators fused and not.

    relax_memory.py [--seed N] [--count N]

Tensors of int32 whose sizes are numbers or n, often 0 or 1, or what the data say; parts and views of them, branches in
branches, tuples in tuples, local functions that capture values, call each other and are called again with other sizes,
what is written in place, and results that are given twice or are parameters. Values are whole numbers, so that all is
exact. TIRB names the command. Ends with `N passed, N failed`."""
import argparse
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import numpy as np

N = 3  # what the size n is in a call
INDENT = "    "


class Value:
    """A variable of the text: `at` gives it from the values of a run; `root` tells whose memory it may be in."""

    def __init__(self, name, shape, root=None):
        self.name, self.shape, self.root = name, tuple(shape), root or name


class Text:
    """A function under way. Each line is written with what it does to the values of a run."""

    def __init__(self, rng):
        self.rng, self.n, self.functions, self.sized = rng, 0, [], []

    def name(self, letter="v"):
        self.n += 1
        return f"{letter}{self.n}"


def run_block(steps, values):
    for step in steps:
        step(values)


def numbers(shape):
    return [N if d == "n" else d for d in shape]


def tensor_type(shape):
    dims = ", ".join(f'"{d}"' if d == "n" else str(d) for d in shape)
    return f'R.Tensor(({dims}{"," if len(shape) == 1 else ""}), "int32")'


def unary(t, scope, lines, steps, pad):
    a, name = t.rng.choice(scope), t.name()
    function = t.rng.choice([("R.negative", np.negative), ("R.abs", np.abs)])
    lines.append(f"{pad}{name} = {function[0]}({a.name})")
    steps.append(lambda v, a=a, f=function[1]: v.__setitem__(name, f(v[a.name])))
    return [Value(name, a.shape)]


def binary(t, scope, lines, steps, pad):
    a, name = t.rng.choice(scope), t.name()
    b = t.rng.choice([x for x in scope if x.shape == a.shape])
    function = t.rng.choice([("R.add", np.add), ("R.subtract", np.subtract), ("R.maximum", np.maximum)])
    lines.append(f"{pad}{name} = {function[0]}({a.name}, {b.name})")
    steps.append(lambda v: v.__setitem__(name, function[1](v[a.name], v[b.name])))
    return [Value(name, a.shape)]


def split(t, scope, lines, steps, pad):
    found = [(a, i) for a in scope for i, d in enumerate(a.shape) if isinstance(d, int) and d >= 2]
    if not found:
        return []
    (a, axis), name, one, two = t.rng.choice(found), t.name("t"), t.name(), t.name()
    at = t.rng.randint(1, a.shape[axis] - 1)
    lines += [f"{pad}{name} = R.split({a.name}, [{at}], axis={axis})", f"{pad}{one} = {name}[0]", f"{pad}{two} = {name}[1]"]

    def step(v):
        v[one], v[two] = (x.copy() for x in np.split(v[a.name], [at], axis=axis))

    steps.append(step)
    return [Value(x, [s if i == axis else d for i, d in enumerate(a.shape)], a.root)
            for x, s in ((one, at), (two, a.shape[axis] - at))]


def slice_of(t, scope, lines, steps, pad):
    found = [(a, i) for a in scope for i, d in enumerate(a.shape) if isinstance(d, int)]
    if not found:
        return []
    (a, axis), name = t.rng.choice(found), t.name()
    begin = t.rng.randint(0, a.shape[axis])
    end = t.rng.randint(begin, a.shape[axis])
    lines.append(f"{pad}{name} = R.strided_slice({a.name}, axes=[{axis}], begin=[{begin}], end=[{end}])")
    steps.append(lambda v: v.__setitem__(name, np.take(v[a.name], range(begin, end), axis=axis)))
    return [Value(name, [end - begin if i == axis else d for i, d in enumerate(a.shape)], a.root)]


def reshape(t, scope, lines, steps, pad):
    a, name = t.rng.choice(scope), t.name()
    shape = [1, *a.shape] if len(a.shape) < 3 else None
    if all(isinstance(d, int) for d in a.shape) and t.rng.random() < 0.5:
        shape = [int(np.prod(a.shape))]
    if shape is None or 0 in shape:  # which stands for a dimension of the operand
        return []
    lines.append(f"{pad}{name} = R.reshape({a.name}, R.shape([{', '.join(map(str, shape))}]))")
    steps.append(lambda v: v.__setitem__(name, v[a.name].reshape(numbers(shape)).copy()))
    return [Value(name, shape, a.root)]


def in_place(t, scope, lines, steps, pad):
    """What is written has no other name that is read later: it is made here. Ahead of that it is read, or a part is
    taken of it, which stays as it was."""
    a, fresh, name = t.rng.choice(scope), t.name(), t.name()
    if len(a.shape) != 1:
        return []
    reader, both = t.name(), t.name()
    is_known = isinstance(a.shape[0], int) and a.shape[0] > 1
    takes_part = is_known and t.rng.random() < 0.5
    begin, end = sorted(t.rng.sample(range(a.shape[0] + 1), 2)) if takes_part else (0, None)
    shape = [end - begin] if takes_part else a.shape
    read = f"R.strided_slice({fresh}, axes=[0], begin=[{begin}], end=[{end}])" if takes_part else f"R.abs({fresh})"
    lines += [f"{pad}{fresh} = R.add({a.name}, {a.name})", f"{pad}{reader} = {read}",
              f"{pad}{name} = R.call_tir_inplace(cls.bump, ({fresh},), inplace_indices=[0], "
              f"out_ty=R.Tensor(({a.shape[0]},), \"int32\"))"]
    joins = t.rng.random() < 0.7  # so that the reader has no other use: it may be fused with this, or be a view until here
    if joins:
        lines.append(f"{pad}{both} = {f'R.negative({reader})' if takes_part else f'R.add({reader}, {name})'}")

    def step(v):
        made = v[a.name] + v[a.name]
        v[reader] = made[begin:end].copy() if takes_part else np.abs(made)
        v[name] = made + 100
        v[both] = -v[reader] if takes_part else v[reader] + v[name]

    steps.append(step)
    if joins:
        return [Value(name, a.shape), Value(both, shape)]
    return [Value(reader, shape), Value(name, a.shape)]


def branch(t, scope, lines, steps, pad):
    a, c, name = t.rng.choice(scope), t.rng.randrange(2), t.name()
    arms = []
    for _ in range(2):
        inner, todo = [], []
        values = list(scope) + block(t, scope, inner, todo, pad + INDENT, t.rng.randint(1, 4))
        last = t.rng.choice([x for x in values if x.shape == a.shape])
        inner.append(f"{pad}{INDENT}{name} = R.negative({last.name})")
        todo.append(lambda v, last=last: v.__setitem__(name, -v[last.name]))
        arms.append((inner, todo))
    lines += [f"{pad}if c{c}:", *arms[0][0], f"{pad}else:", *arms[1][0]]
    steps.append(lambda v: run_block(arms[0 if v[f"c{c}"] else 1][1], v))
    return [Value(name, a.shape)]


def call_local(t, scope, lines, steps, pad):
    """A function of the same function, known where it is called, which captures a value."""
    found = [f for f in t.functions if any(x.name == f[2].name for x in scope)]
    a = t.rng.choice(scope)
    if not all(isinstance(d, int) for d in a.shape):
        return []
    if not found or t.rng.random() < 0.5:
        captured = t.rng.choice([x for x in scope if x.shape == a.shape])
        f, p, q, r = t.name("f"), t.name("p"), t.name("q"), t.name("q")
        lines += [f"{pad}@R.function(pure=True)", f"{pad}def {f}({p}: {tensor_type(a.shape)}) -> {tensor_type(a.shape)}:",
                  f"{pad}{INDENT}{q} = R.add({p}, {captured.name})", f"{pad}{INDENT}{r} = R.add({q}, {q})",
                  f"{pad}{INDENT}return {r}"]
        chosen = (f, a.shape, captured)
        t.functions.append(chosen)
    else:
        chosen = t.rng.choice(found)
    f, shape, captured = chosen
    args = [x for x in scope if x.shape == shape]
    made = []
    for _ in range(t.rng.randint(1, 2)):
        x, name = t.rng.choice(args), t.name()
        lines.append(f"{pad}{name} = {f}({x.name})")
        steps.append(lambda v, x=x, name=name: v.__setitem__(name, 2 * (v[x.name] + v[captured.name])))
        made.append(Value(name, shape))
    return made


def tuples(t, scope, lines, steps, pad):
    """Fields of a tuple in a tuple are the values themselves."""
    a, b, outer, inner, one, two = t.rng.choice(scope), t.rng.choice(scope), *(t.name(x) for x in "ttvv")
    lines += [f"{pad}{outer} = ({a.name}, ({b.name}, {a.name}))", f"{pad}{inner} = {outer}[1]",
              f"{pad}{one} = {inner}[0]", f"{pad}{two} = {outer}[0]"]

    def step(v):
        v[one], v[two] = v[b.name].copy(), v[a.name].copy()

    steps.append(step)
    return [Value(one, b.shape, b.root), Value(two, a.shape, a.root)]


def found_by_data(t, scope, lines, steps, pad):
    """As many elements as are not 0, between two values whose sizes are known."""
    found = [x for x in scope if len(x.shape) == 1]
    if not found:
        return []
    a, at, row, taken, name, size = t.rng.choice(found), *(t.name(x) for x in "vvvvk")
    lines += [f"{pad}{size} = T.int64()", f"{pad}{at} = R.match_cast(R.nonzero({a.name}), R.Tensor((1, {size}), \"int64\"))",
              f"{pad}{row} = R.reshape({at}, R.shape([{size}]))", f"{pad}{taken} = R.take({a.name}, {row}, axis=0)",
              f"{pad}{name} = R.sum(R.add({taken}, {taken}), axis=[0], keepdims=True)"]
    steps.append(lambda v: v.__setitem__(name, (2 * v[a.name]).sum(keepdims=True).astype(np.int32)))
    return [Value(name, (1,))]


def call_with_sizes(t, scope, lines, steps, pad):
    """A function for any size, that may call another such one."""
    found = [x for x in scope if len(x.shape) == 1]
    if not found:
        return []
    if not t.sized or t.rng.random() < 0.4:
        f, p, q, r, s, m = t.name("f"), t.name("p"), t.name("p"), t.name("q"), t.name("q"), t.name("m")
        inner = t.rng.choice(t.sized) if t.sized else None
        shape = f'R.Tensor(("{m}",), "int32")'
        lines += [f"{pad}@R.function(pure=True)", f"{pad}def {f}({p}: {shape}, {q}: {shape}) -> {shape}:",
                  f"{pad}{INDENT}{r} = {f'{inner[0]}({q}, {p})' if inner else f'R.subtract({p}, {q})'}",
                  f"{pad}{INDENT}{s} = R.maximum(R.add({r}, {q}), {p})", f"{pad}{INDENT}return {s}"]
        t.sized.append((f, lambda x, y, g=inner: np.maximum((g[1](y, x) if g else x - y) + y, x)))
    f, compute = t.rng.choice(t.sized)
    made = []
    for _ in range(t.rng.randint(1, 3)):
        a, name = t.rng.choice(found), t.name()
        b = t.rng.choice([x for x in found if x.shape == a.shape])
        lines.append(f"{pad}{name} = {f}({a.name}, {b.name})")
        steps.append(lambda v, a=a, b=b, name=name: v.__setitem__(name, compute(v[a.name], v[b.name])))
        made.append(Value(name, a.shape))
    return made


KINDS = [unary, unary, binary, binary, split, slice_of, slice_of, reshape, in_place, in_place, branch, call_local,
         tuples, found_by_data, call_with_sizes]
CALLS = (branch, call_local, call_with_sizes)


def block(t, scope, lines, steps, pad, n):
    """Adds n bindings; their values."""
    made = []
    n_functions, n_sized = len(t.functions), len(t.sized)
    for _ in range(n):
        kinds = KINDS if len(pad) < 5 * len(INDENT) else [k for k in KINDS if k not in CALLS]
        made += t.rng.choice(kinds)(t, list(scope) + made, lines, steps, pad)
    del t.functions[n_functions:], t.sized[n_sized:]
    return made


HEAD = '''from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def bump(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        for i in range(n):
            A[i] = A[i] + 100

    @R.function
'''


def module(rng, size):
    t, lines, steps = Text(rng), [], []
    shapes = [[rng.choice([0, 1, 4, 6, 9, "n"]) for _ in range(rng.randint(1, 2))] for _ in range(rng.randint(1, 3))]
    params = [Value(name, shape) for name, shape in zip("abd", shapes)]
    dataflow = rng.random() < 0.5
    pad = 2 * INDENT
    if dataflow:  # neither branches nor functions of its own
        lines.append(f"{pad}with R.dataflow():")
        plain = [k for k in KINDS if k not in CALLS]
        made = []
        for _ in range(size):
            made += rng.choice(plain)(t, params + made, lines, steps, pad + INDENT)
    else:
        made = block(t, params, lines, steps, pad, size)
    results = [rng.choice(params + made if not dataflow else made or params) for _ in range(rng.randint(1, 3))]
    if dataflow:
        outputs = ", ".join(dict.fromkeys(r.name for r in results if r in made))
        lines += [f"{pad}{INDENT}R.output({outputs})"] if outputs else [f"{pad}{INDENT}z = R.negative(a)", f"{pad}{INDENT}R.output(z)"]
    listed = ", ".join(f"{p.name}: {tensor_type(p.shape)}" for p in params)
    text = HEAD + f'    def main({listed}, c0: R.Tensor((), "bool"), c1: R.Tensor((), "bool")):\n'
    text += f"{pad}cls = Module\n{pad}n = T.int64()\n" if any("n" in p.shape for p in params) else f"{pad}cls = Module\n"
    return text + "\n".join(lines) + f"\n{pad}return ({', '.join(r.name for r in results)},)\n", params, results, steps


def problem_of(tirb, folder, seed):
    """What is wrong with a module; None: nothing is."""
    rng = random.Random(seed)
    text, params, results, steps = module(rng, rng.randint(2, 14))
    path = folder / "m.py"
    path.write_text(text)
    values = np.random.default_rng(seed)
    given = {p.name: values.integers(-50, 50, numbers(p.shape)).astype(np.int32) for p in params}
    given |= {c: np.array(values.integers(0, 2) == 1) for c in ("c0", "c1")}
    for name, array in given.items():
        np.save(folder / f"{name}.npy", array)
    want = {name: array.copy() for name, array in given.items()}
    run_block(steps, want)
    for options in [], ["--disable", "operators"], ["--disable", "all"]:
        outputs = [x for i in range(len(results)) for x in ("-o", f"{i}=@{folder}/r{i}.npy")]
        done = subprocess.run([*tirb, "run", str(path), "-f", "main", *(f"{n}=@{folder}/{n}.npy" for n in given), *options,
                               *outputs], capture_output=True, text=True)
        if done.returncode:
            return f"{options}: {done.stderr[:400]}\n{text}"
        for i, r in enumerate(results):
            got = np.load(folder / f"r{i}.npy")
            if got.shape != want[r.name].shape or not (got == want[r.name]).all():
                return f"{options}: result {i} is\n{got}\nand not\n{want[r.name]}\n{text}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=80)
    options = parser.parse_args()
    tirb = shlex.split(os.environ.get("TIRB", "tirb"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            problem = problem_of(tirb, pathlib.Path(folder), seed)
            failed += problem is not None
            if problem:
                print(f"seed {seed}: {problem}")
    print(f"{options.count - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
