"""Random Tensor Comprehensions, run by `tirb` and by brute force (tc_oracle.py).

    comprehensions.py [--tirb PATH] [--seed N] [--count N] [--full] [--keep FOLDER] [--show]

Programs of one to five statements over random sizes: affine, divided and nested subscripts, gathers, choices, `pad`, ranges from
reads, where, let, exists, T.n and scalars; reductions of all operators, updates, temporaries, scatters, outputs that begin behind or
before zero; all element types. Values, extents and minima of the outputs must be the oracle's; where no range can be inferred the
program must not compile, and where a range is empty, a precondition fails or an index is outside, the call must be refused. Each
program runs on one instruction set, with --full on each and with 1 and 2 threads. Ends with `N passed, N failed`; exit status 1 on
failure. Programs that fail are left in the folder that --keep names.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import sys
import tempfile

from nests import ISAS, run as run_tirb  # which is skipped without NumPy
import numpy as np

import tc_oracle as oracle
from tc_oracle import Inexact, Node, Refused, Statement, Tensor, Unsolved

MOST_POINTS, MOST_POINTS_OF_ALL = 1500, 4000
EXTENTS = (1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 12, 17)
DTYPES = ("int32",) * 6 + ("float32",) * 5 + ("int64", "uint8", "int8", "int16", "uint32", "float64", "float64", "bool", "uint16", "uint64", "float16")
EXIT_PROGRAM, EXIT_CALL = 1, 5


def number(value):
    return Node("number", value=value)


def values_of(rng, dtype, shape):
    if dtype == "bool":
        found = rng.integers(0, 2, shape)
    elif oracle.is_float(dtype):
        found = rng.integers(-16, 17, shape) / 2
    else:
        found = rng.integers(0 if dtype[0] == "u" else -9, 10, shape)
    return np.asarray(found).astype(dtype)


def stored(array):
    """As the oracle keeps them: Python's numbers."""
    found = np.empty(array.shape, object)
    found[...] = array.tolist()
    return found


class Program:
    """One def with arguments; after `write` its text, what must become of it and its outputs."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.name = f"random_{seed}"
        names = ["N", "M", "K"][:self.random.randint(1, 3)]
        self.sizes = {name: self.random.choice(EXTENTS) for name in names}
        self.scope = {}
        self.params, self.arguments, self.tensors = [], {}, {}
        self.gathers = {}  # an index tensor: the extent that its values stay below
        for name in "ABCD"[:self.random.choice([1, 2, 2, 3, 3, 4])]:
            self.add_tensor(name, self.random.choice(DTYPES), self.random.choice([1, 1, 1, 2, 2, 2, 3]))
        if self.random.random() < 0.4:
            self.add_indices()
        for name in "st"[:self.random.choice([0, 0, 1, 2])]:
            self.add_scalar(name)
        self.sizes = {name: size for name, size in self.sizes.items() if re.search(rf"\b{name}\b[^)]*\)", " ".join(self.params))}
        self.scope.update(self.sizes)
        self.statements, self.given, self.annotated = [], {}, {}
        self.expected, self.strictness, self.has_empty_range = "values", 0.93, False

    def add_tensor(self, name, dtype, rank, values=None):
        dims = [self.random.choice(list(self.sizes) + ([str(self.random.randint(2, 6))] if self.random.random() < 0.15 else []))
                for _ in range(rank)]
        shape = [self.sizes[dim] if dim in self.sizes else int(dim) for dim in dims]
        if np.prod(shape) > MOST_POINTS:
            dims, shape = dims[:1], shape[:1]
        array = values_of(self.rng, dtype, shape) if values is None else values(shape)
        self.params.append(f"{dtype}({', '.join(dims)}) {name}")
        self.arguments[name] = array
        self.scope[name] = Tensor(dtype, stored(array))

    def add_indices(self):
        extent = self.random.choice(list(self.sizes.values()))
        low, high = (0, extent) if self.random.random() < 0.93 else (-1, extent + 1)
        dtype = self.random.choice(["int32", "int32", "int64", "uint8", "int16"] if low == 0 else ["int32"])
        self.add_tensor("I", dtype, self.random.choice([1, 1, 2]), lambda shape: self.rng.integers(low, high, shape).astype(dtype))
        self.gathers["I"] = extent

    def add_scalar(self, name):
        dtype = self.random.choice(["int32", "int32", "int32", "int64", "float32"])
        value = float(self.random.randint(-8, 8)) / 2 if dtype == "float32" else self.random.randint(1, 4)
        self.params.append(f"{dtype} {name}")
        self.arguments[name] = np.array(value, dtype)
        self.scope[name] = value
        self.tensors[name] = dtype

    # ---- Expressions

    def named_tensors(self):
        return {name: tensor for name, tensor in self.scope.items() if isinstance(tensor, Tensor)}

    def whole_scalars(self):
        return [name for name, dtype in self.tensors.items() if dtype != "float32"]

    def constant(self):
        """An integer that a call knows before it infers ranges."""
        pick = self.random.random()
        if pick < 0.6 or not self.sizes:
            return number(self.random.randint(0, 4))
        if pick < 0.8 and self.sizes:
            return Node("size", name=self.random.choice(list(self.sizes)))
        if pick < 0.9 and self.whole_scalars():
            name = self.random.choice(self.whole_scalars())
            return Node("scalar", name=name, dtype=self.tensors[name])
        name = self.random.choice(list(self.arguments))
        if isinstance(self.scope[name], Tensor) and self.scope[name].array.ndim:
            return Node("dim", name=name, value=self.random.randrange(self.scope[name].array.ndim))
        return number(1)

    def subscript(self, depth):
        pick, index = self.random.random(), Node("index", name=self.pick_index())
        if pick < 0.5:
            return index
        if pick < 0.72:
            return Node(self.random.choice("+-"), index, number(self.random.randint(1, 3)))
        if pick < 0.78 and self.sizes:
            return Node("-", Node("-", Node("size", name=self.random.choice(list(self.sizes))), number(1)), index)
        if pick < 0.83:
            by = number(self.random.randint(2, 3)) if self.random.random() < 0.7 else self.constant()
            return Node("*", *self.random.choice([(by, index), (index, by)]))
        if pick < 0.91:
            return Node("+", index, Node("index", name=self.pick_index()))
        if pick < 0.94:
            return Node("+", Node("*", number(self.random.randint(2, 3)), index), Node("index", name=self.pick_index()))
        if pick < 0.96:
            return number(0)
        if pick < 0.98 and self.gathers and depth < 2:
            return self.read("I", depth + 1)
        return self.subscript(depth)

    def pick_index(self):
        if self.unused and self.random.random() < 0.75:
            name = self.random.choice(self.unused)
            self.unused.remove(name)
            return name
        return self.random.choice(self.names) if self.names else self.borrow()

    def borrow(self):
        """An index where the statement has none: of a reduction."""
        self.names.append("r")
        return "r"

    def read(self, name, depth=0):
        tensor = self.scope[name]
        args = []
        for d, extent in enumerate(tensor.array.shape):
            gather = depth < 1 and self.gathers.get("I") and self.gathers["I"] <= extent and not tensor.minima[d] and self.random.random() < 0.2
            args.append(self.read("I", depth + 1) if gather else self.subscript(depth))
        return Node("read", *args, name=name, dtype=tensor.dtype)

    def some_read(self):
        return self.read(self.random.choice(list(self.named_tensors())))

    def leaf(self):
        pick = self.random.random()
        if pick < 0.7:
            return self.some_read()
        if pick < 0.78:
            return number(self.random.choice([7, 1, 2, 3, 5, 0.5, 1.5, 2.0, 0.25]))
        if pick < 0.88 and self.names:
            return Node("index", name=self.pick_index())
        if pick < 0.93 and self.tensors:
            name = self.random.choice(list(self.tensors))
            return Node("scalar", name=name, dtype=self.tensors[name])
        if pick < 0.95 and self.lets:
            name, value = self.random.choice(self.lets)
            return Node("let", name=name, value=value)
        return self.constant()

    def numeric(self, node):
        return node if node.dtype != "bool" else Node("cast", node, dtype=self.random.choice(["int32", "int64", "float32", "uint8"]))

    def expression(self, depth=0):
        pick = self.random.random()
        if depth > 3 or pick < 0.25 + 0.15 * depth:
            return self.leaf()
        if pick < 0.72:
            a, b = (self.numeric(self.expression(depth + 1)) for _ in range(2))
            kind = self.random.choice(["+", "+", "+", "-", "-", "*", "*", "min", "max"])
            return Node(kind, a, b)
        if pick < 0.76:
            a = self.numeric(self.expression(depth + 1))
            return Node(self.random.choice("/%"), a, number(self.random.choice([2, 2, 3, 4, 5] if not oracle.is_float(a.dtype) else [2, 4])))
        if pick < 0.78:
            a, b = self.numeric(self.expression(depth + 1)), self.numeric(self.expression(depth + 1))
            if oracle.is_float(oracle.match(a.dtype, b.dtype)) or all(node.kind not in ("read", "index") for node in b.walk()):
                return Node("+", a, b)
            guard = Node("!=", b, number(0))
            return Node("choice", guard, Node(self.random.choice("/%"), a, b), number(self.random.randint(0, 3)))
        if pick < 0.88:
            return Node("choice", self.condition(depth + 1), *self.alike(self.expression(depth + 1), self.expression(depth + 1)))
        if pick < 0.92:
            return Node("neg", self.numeric(self.expression(depth + 1)))
        if pick < 0.95:
            return Node("cast", self.expression(depth + 1), dtype=self.random.choice(DTYPES))
        if pick < 0.975:
            return Node("pad", *self.alike(self.padded_value(), number(self.random.randint(0, 9))))
        return self.condition(depth + 1)

    def alike(self, a, b):
        return (a, b) if (a.dtype == "bool") == (b.dtype == "bool") else (self.numeric(a), self.numeric(b))

    def padded_value(self):
        node = self.some_read()
        if self.random.random() < 0.3:
            return Node(self.random.choice("+*"), self.numeric(node), self.numeric(self.some_read()))
        return node

    def condition(self, depth=0):
        pick = self.random.random()
        if pick < 0.2 and depth < 3:
            return Node(self.random.choice(["&&", "||"]), self.condition(depth + 1), self.condition(depth + 1))
        if pick < 0.27 and depth < 3:
            return Node("!", self.condition(depth + 1))
        a, b = self.numeric(self.leaf()), self.numeric(self.leaf())
        return Node(self.random.choice(list(oracle.COMPARISONS)), a, b)

    # ---- Statements

    def bounds(self):
        """Of a where clause."""
        low = self.random.choice([0, 0, 0, 0, 1, 2, -1])
        first = number(low) if low >= 0 else Node("neg", number(-low))
        pick = self.random.random()
        if pick < 0.45:
            return first, number(max(low, 0) + self.random.randint(1, 4))
        high = self.constant()
        if pick < 0.6:
            return first, Node(self.random.choice("+-"), high, number(1))
        return first, high

    def statement(self):
        self.lets = []
        known = [name for name in self.named_tensors() if name not in self.arguments]
        existing = self.random.choice(known) if known and self.random.random() < 0.4 else None
        rank = self.scope[existing].array.ndim if existing else self.random.choice([0, 1, 1, 1, 2, 2, 3])
        left = self.random.sample("ijklm", rank)
        reductions = list("rq"[:self.random.choice([0, 0, 1, 1, 2])])
        self.names = left + reductions
        self.unused = list(self.names)
        op = self.random.choice("++*") if self.random.random() < 0.7 else self.random.choice(["min", "max"])
        if not reductions and self.random.random() < (0.4 if existing else 0.85):
            op = None
        exists = []
        if self.random.random() < 0.2:
            self.lets.append(("x", self.expression(2)))
        value = self.expression()
        while self.unused and self.random.random() < 0.95:
            more = self.numeric(self.some_read())
            value = Node(self.random.choice("++-*"), self.numeric(value), more) if self.random.random() < 0.8 else value
            if self.random.random() < 0.2:
                exists.append(self.some_read())
        subscripts = [Node("index", name=name) for name in left]
        if existing and rank and self.random.random() < 0.15:
            op = op if self.random.random() < 0.8 or not op else None
            d = self.random.randrange(rank)
            subscripts[d] = Node("+", subscripts[d], number(self.random.randint(0, 1))) if self.random.random() < 0.6 else self.read("I", 1) \
                if self.gathers else number(0)
        starts_over = op is not None and (not existing or self.random.random() < 0.4)
        lets = [(name, let) for name, let in self.lets if any(node.kind == "let" for node in value.walk())]
        made = Statement(existing or self.new_name(), subscripts, op, starts_over, value, exists=exists, lets=lets)
        if op is None and set(made.indices) != set(made.left):
            made.op, made.starts_over = "+", not existing
        for index in made.indices:
            if self.random.random() < 0.15:
                made.ranges.append((index, *self.bounds()))
        return made

    def new_name(self):
        return f"{self.random.choice(['O', 'out', 'T', 'Y'])}{len(self.statements)}"

    def dtype_of(self, made):
        target = self.scope.get(made.target)
        if target is None:
            return made.value.dtype if made.value.dtype != "bool" or made.op in (None, "min", "max") else None
        if not oracle.fits(made.value.dtype, target.dtype) or (target.dtype == "bool" and made.op in ("+", "*")):
            return None
        return target.dtype

    def copy_of(self, name):
        tensor = self.scope.get(name)
        return None if tensor is None else Tensor(tensor.dtype, tensor.array.copy(), tensor.minima)

    def attempt(self, made):
        """Runs a statement. True: it counts; else nothing has changed. What cannot be inferred gets a where clause, mostly."""
        dtype = self.dtype_of(made)
        if dtype is None or (made.value.dtype == "float16" and made.op in ("+", "*")):
            return False
        before = self.copy_of(made.target)
        strict = self.random.random() < self.strictness
        good = False
        for _ in range(6):
            try:
                ranges = oracle.run(made, self.scope, dtype, MOST_POINTS)
                empty = ranges is not None and any(first > last for first, last in ranges.values())
                good = ranges is not None and (not empty or self.random.random() < 0.2)
                self.has_empty_range |= good and empty
                break
            except Unsolved as error:
                if not strict and self.random.random() < 0.5:
                    self.expected = "does not compile"
                    return True
                made.ranges.append((str(error), *self.bounds()))
            except Refused as error:
                if not strict:
                    self.expected, self.reason = "is refused", str(error)
                    return True
                break
            except (Inexact, OverflowError):
                break
        if not good:
            for index in made.indices:
                self.scope.pop(index, None)
            self.scope.pop(made.target, None)
            if before is not None:
                self.scope[made.target] = before
        return good

    def write(self):
        wanted = self.random.choice([1, 1, 2, 2, 3, 4, 5])
        for _ in range(60):
            made = self.call() if self.random.random() < 0.08 else self.statement()
            if made and (isinstance(made, Call) or self.attempt(made)):
                self.statements.append(made)
            if len(self.statements) == wanted or self.expected != "values":
                break
        if not self.statements:
            return False
        targets = list(dict.fromkeys(name for made in self.statements for name in made.targets))
        self.outputs = [name for name in targets if self.random.random() < 0.75] or [targets[-1]]
        self.random.shuffle(self.outputs)
        return True

    def call(self):
        """A def of its own that gets some of the tensors here, or None."""
        usable = {name: tensor for name, tensor in self.named_tensors().items() if not any(tensor.minima)}
        if not usable or isinstance(self, Callee):
            return None
        callee = Callee(self, self.random.sample(list(usable), min(len(usable), self.random.randint(1, 2))))
        if not callee.write() or any(any(callee.scope[name].minima) for name in callee.outputs):
            return None
        self.has_empty_range |= callee.has_empty_range
        targets = [f"r{len(self.statements)}{number}" for number in range(len(callee.outputs))]
        self.scope.update((target, callee.scope[name]) for target, name in zip(targets, callee.outputs))
        return Call(callee, targets)

    def text(self):
        called = "\n".join(made.callee.text() for made in self.statements if isinstance(made, Call))
        return called + self.own_text()

    def own_text(self):
        body = "\n".join("  " + made.text() for made in self.statements)
        return f"def {self.name}({', '.join(self.params)}) -> ({', '.join(self.outputs)}) {{\n{body}\n}}\n"


class Call:
    """`a, b = callee(x, y)`."""

    def __init__(self, callee, targets):
        self.callee, self.targets = callee, targets

    def text(self):
        return f"{', '.join(self.targets)} = {self.callee.name}({', '.join(self.callee.given_names)})"


class Callee(Program):
    """A def that another one calls with tensors of its own."""

    def __init__(self, caller, names):
        self.random, self.rng = caller.random, caller.rng
        self.name = f"{caller.name}_{len(caller.statements)}"
        self.sizes, self.scope, self.params, self.arguments, self.tensors, self.gathers = {}, {}, [], {}, {}, {}
        for name, own in zip(names, "VW"):
            tensor = caller.scope[name]
            dims = [self.size_named(extent) for extent in tensor.array.shape]
            self.params.append(f"{tensor.dtype}({', '.join(dims)}) {own}" if dims else f"{tensor.dtype} {own}")
            self.arguments[own] = tensor
            self.scope[own] = Tensor(tensor.dtype, tensor.array, [0] * tensor.array.ndim)
        self.scope.update(self.sizes)
        self.statements, self.expected, self.given_names, self.strictness, self.has_empty_range = [], "values", names, 1, False

    def size_named(self, extent):
        for name, known in self.sizes.items():
            if known == extent and self.random.random() < 0.7:
                return name
        name = f"S{len(self.sizes)}"
        self.sizes[name] = extent
        return name


# ---- Running ----------------------------------------------------------------------------------------------------------


def words_of(program, folder):
    words = []
    for name, array in program.arguments.items():
        if array.ndim:
            np.save(folder / f"{name}.npy", array)
            words.append(f"{name}=@{folder / name}.npy")
        else:
            words.append(f"{name}={array.item()!r}")
    return words


def difference(found, tensor):
    wanted = tensor.array.astype(tensor.dtype)
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return f"{found.dtype}{list(found.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if np.array_equal(found, wanted):
        return None
    at = tuple(int(i) for i in np.argwhere(found != wanted)[0])
    return f"{list(at)} is {found[at]}, expected {wanted[at]}"


def told(stderr):
    return " | ".join(stderr.strip().splitlines()[:5])


def check_run(tirb, program, bundle, isa, threads, folder):
    words = words_of(program, folder)
    for name in program.outputs:
        (folder / f"{name}.out.npy").unlink(missing_ok=True)
        words += ["-o", f"{name}=@{folder / name}.out.npy"]
    result = run_tirb(tirb, "run", str(bundle), "-f", program.name, *words, "--json", "--threads", str(threads), isa=isa)
    if program.expected == "is refused":
        right = result.returncode == EXIT_CALL
        return None if right else f"exit code {result.returncode} where {program.reason}: {told(result.stderr)}"
    if result.returncode:
        return f"exit code {result.returncode}: {told(result.stderr)}"
    minima = {output["name"]: output.get("minima") for output in json.loads(result.stdout)["outputs"]}
    for name in program.outputs:
        tensor = program.scope[name]
        problem = difference(np.load(folder / f"{name}.out.npy"), tensor)
        if problem:
            return f"{name}{problem}"
        if (minima[name] or [0] * tensor.array.ndim) != tensor.minima:
            return f"{name} has minima {minima[name]}, expected {tensor.minima}"
    return None


def check(tirb, program, isas, full, folder):
    """What is wrong with one program, or None."""
    source, bundle = folder / f"{program.name}.tc", folder / f"{program.name}.tirb"
    source.write_text(program.text())
    parallel = program.random.choice(["auto", "all", "off"])
    compiled = run_tirb(tirb, "compile", str(source), "-o", str(bundle), "--parallel", parallel)
    if program.expected == "does not compile" or (program.expected == "is refused" and compiled.returncode == EXIT_PROGRAM):
        right = compiled.returncode == EXIT_PROGRAM
        return None if right else f"compiles (exit code {compiled.returncode}) where an index has no range"
    if compiled.returncode == EXIT_PROGRAM and program.has_empty_range and re.search(r"error: the range of .* is empty", compiled.stderr):
        return None  # for all sizes
    if compiled.returncode:
        return f"does not compile: {told(compiled.stderr)}"
    runs = [(isa, threads) for isa in isas for threads in (1, 2)] if full else [(program.random.choice(isas), program.random.choice([1, 2]))]
    for isa, threads in runs:
        problem = check_run(tirb, program, bundle, isa, threads, folder)
        if problem:
            return f"{isa}, {threads} threads: {problem}"
    return None


def made(seed):
    program = Program(seed)
    return program if program.write() else None


def main():
    parser = argparse.ArgumentParser(description="Random Tensor Comprehensions against brute force.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="print the programs and do not run them")
    options = parser.parse_args()
    every = int(os.environ.get("TIRB_TEST_EVERY", "1"))  # of a build that is slow
    seeds = range(options.seed, options.seed + options.count, every)
    if options.show:
        for program in filter(None, map(made, seeds)):
            print(f"# {program.sizes} {program.expected}\n{program.text()}")
        return 0
    tirb = shlex.split(options.tirb)  # an emulator that runs the command may stand before it, and takes its time
    if len(tirb) > 1:
        seeds = seeds[:len(seeds) // 10]
    listed = run_tirb(tirb, "version").stdout
    isas = [isa for isa in ISAS if re.search(rf"\b{isa}\b", listed)] or ["generic"]
    passed = failed = 0

    def one(seed):
        program = made(seed)
        if program is None:
            return None, None
        with tempfile.TemporaryDirectory() as folder:
            return program, check(tirb, program, isas, options.full, pathlib.Path(folder))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, problem in pool.map(one, seeds):
            if problem:
                print(f"FAIL {program.name}: {problem}", flush=True)
                if options.keep:
                    (options.keep / f"{program.name}.tc").write_text(program.text())
            passed, failed = passed + (program is not None and not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
