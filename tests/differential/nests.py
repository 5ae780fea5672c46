"""Random loop nests, run by `tirb` and by Python itself: the loops of a TVMScript text are Python.

    nests.py [--tirb PATH] [--seed N] [--count N] [--keep FOLDER]

What the random programs of `differential` hardly have: indices that other loops stand in too, windows, diagonals,
counters taken apart by // and %, elements that are written again, statements between loops, recurrences, counters spelled by arithmetic that wraps. Each module of nests is
compiled once, for loops on several threads or not, and each nest is called under one instruction set with one or three
threads. All values are whole numbers that float32 holds; a nest whose values grow beyond them does not count. Ends with
`N passed, N failed`; exit status 1 on failure. Modules that fail are left in the folder that --keep names.
"""

import argparse
import collections
import itertools
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

from respell import respelled

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

ISAS = ("generic", "sse2", "avx2", "avx512", "neon")
EXTENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 20)
MOST_ITERATIONS = 3000
LARGEST = 2**20  # of what is stored; sums of a few such numbers are exact in each type
NESTS_PER_MODULE = 20


class Nest:
    """One function of random loops over random affine, divided and clamped indices."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"nest_{seed}"
        count = self.random.randint(1, 5)
        extents = [self.random.choice(EXTENTS) for _ in range(count)]
        while np.prod(extents) > MOST_ITERATIONS:
            extents[extents.index(max(extents))] = 2
        self.loops = dict(zip("ijklm", extents))
        self.written = ["O"] if self.random.random() < 0.7 else ["O", "P"]
        self.uses = collections.defaultdict(list)  # of each buffer: the indices of every access
        self.lines = []
        self.write_loops(self.random.random() < 0.25)
        if self.random.random() < 0.3:
            self.write_loops(False)
        self.shapes = {name: self.shape_of(uses) for name, uses in sorted(self.uses.items())}
        self.dtype = self.random.choice(["int32", "int32", "int64", "float32"])

    # ---- text

    def index(self, open_loops):
        pick, number = self.random.random(), self.random.randint
        v, w = self.random.choice(open_loops), self.random.choice(open_loops)
        if number(0, 7) == 0:
            return self.border_index(v, w)
        forms = [(0.32, v), (0.36, f"({v} + {number(1, 3)}) % {number(2, 3)}"), (0.42, f"{v} + {number(1, 3)}"), (0.50, f"{v} * {number(2, 3)}"),
                 (0.56, f"{self.loops[v] - 1} - {v}"), (0.62, f"{v} // {number(2, 4)}"), (0.68, f"{v} % {number(2, 5)}"),
                 (0.73, str(number(0, 2))), (0.80, f"{v} + {w}"), (0.90, f"{v} * {self.loops[w]} + {w}"),
                 (0.94, f"({v} * {self.loops[w]} + {w}) // {number(2, 5)}"),
                 (0.96, f"({v} * {self.loops[w]} + {w}) % {number(2, 5)}"), (0.98, f"T.max({v} - 1, 0)")]
        return next((text for limit, text in forms if pick < limit), str(number(0, 2)))

    def border_index(self, v, w):
        """Wrapped, clamped or reflected at the ends of a range."""
        n, c = self.loops[v], self.random.randint(0, 3)
        return self.random.choice([f"({v} + {self.random.randint(0, 2 * n)}) % {n}", f"({v} + {n - 1}) % {n}", f"T.min({v} + {c}, {n - 1})",
                                   f"T.min(T.max({v} + {w} - {c}, 0), {n - 1})", f"T.max({v} - {w}, 0)", f"T.abs({v} - {c})",
                                   f"{n - 1} - T.abs({n - 1} - T.abs({v} - {min(c, n - 1)}))", f"({v} + {w} + {n - 1}) % {n}",
                                   f"T.if_then_else({v} < {c}, {c} - {v}, {v})", f"({v} + {c}) // {n}"])

    def access(self, name, open_loops, like=None):
        """The text of an access, and its indices; at times those of `like`."""
        known = self.uses[name]
        dims = len(known[0]) if known else self.random.choice([1, 1, 2, 2, 3])
        if like and len(like) == dims and self.random.random() < 0.6:
            indices = like
        else:
            indices = [self.index(open_loops) for _ in range(dims)]
        known.append(indices)
        return f"{name}[{', '.join(indices)}]", indices

    def value(self, open_loops, target, depth=0):
        pick = self.random.random()
        if depth > 2 or pick < 0.35:
            return self.access(self.random.choice("AB"), open_loops)[0]
        if pick < 0.45:
            return str(self.random.randint(0, 9))
        if pick < 0.52:
            return self.random.choice(open_loops)
        if pick < 0.60:
            return self.access(self.random.choice(self.written), open_loops, target)[0]
        a, b = (self.value(open_loops, target, depth + 1) for _ in range(2))
        if pick < 0.90:
            return f"({a} {self.random.choice('+-')} {b})"
        if pick < 0.95:
            return f"T.max({a}, {b})"
        return f"T.if_then_else({self.condition(open_loops)}, {a}, {b})"

    def condition(self, open_loops):
        v, w = self.random.choice(open_loops), self.random.choice(open_loops)
        order, n = self.random.choice(["<", "<=", ">", ">=", "==", "!="]), self.random.randint(0, self.loops[v])
        term = self.random.choice([f"{v} {order} {n}"] * 3 + [f"{v} + {w} {order} {n}", f"{v} {order} {w}", f"{w} - {v} {order} {n - 2}",
                                                              f"({v} + {w}) % {self.random.randint(2, 3)} == {self.random.randint(0, 2)}"])
        if self.random.random() < 0.6:
            return term
        return f"{term} {self.random.choice(['and', 'or'])} {self.condition(open_loops)}"

    def write_window(self, open_loops, indent):
        """An update by the elements of a window that lie inside of a buffer."""
        v, w, c = self.random.choice(open_loops), self.random.choice(open_loops), self.random.randint(0, 2)
        target = self.access(self.random.choice(self.written), open_loops)[0]
        dims = len(self.uses["A"][0]) if self.uses["A"] else 1
        indices = [f"{v} + {w} - {c}"] + [self.random.choice([v, w, "0"]) for _ in range(dims - 1)]
        self.uses["A"].append(indices)
        inside = f"{v} + {w} >= {c} and {v} + {w} < {self.loops[v] + c}"
        self.lines += [" " * indent + f"if {inside}:", " " * indent + f"    {target} = {target} + A[{', '.join(indices)}]"]
        if self.random.random() < 0.3:
            self.lines += [" " * indent + "else:", " " * indent + f"    {target} = {self.value(open_loops, None)}"]

    def write_recurrence(self, open_loops, indent):
        """An element from the one that another iteration has stored, at times where a value says so."""
        name, v = self.random.choice(self.written), self.random.choice(open_loops)
        before = self.access(name, open_loops)[1]
        down = self.random.random() < 0.3
        at, at_before = (f"{self.loops[v] - 1} - {v}", f"{self.loops[v]} - {v}") if down else (f"{v} + 1", v)
        d = self.random.randrange(len(before))
        indices = [at if i == d else index for i, index in enumerate(before)]
        before = [at_before if i == d else index for i, index in enumerate(before)]
        self.uses[name].pop()
        self.uses[name] += [indices, before]
        old = f"{name}[{', '.join(before)}]"
        a, b, c = (self.value(open_loops, indices, 2) for _ in range(3))
        form = self.random.choice(["{0} + {1}", "{1} + {0}", "{1} - {0}", "T.max({0}, {1})", "{1} + {0} - {2} + {3}",
                                   "T.max({0} - {1}, {2})", "T.max({1}, T.max({0} + {2}, {3}))", "{1} - ({2} - {0})",
                                   "T.if_then_else({4} == 0, {1}, {0} + {2})", "{0}"])
        if self.random.random() < 0.25:
            self.lines.append(" " * indent + f"if {self.access('A', open_loops)[0]} > {self.random.randint(-30, 30)}:")
            indent += 4
            if self.random.random() < 0.5:
                indices = [self.random.choice(["0", "1"]) for _ in before]
                self.uses[name].append(indices)
                old = f"{name}[{', '.join(indices)}]"
        self.lines.append(" " * indent + f"{name}[{', '.join(indices)}] = " + form.format(old, a, b, c, v))

    def write_store(self, open_loops, indent):
        if self.random.random() < 0.25:
            self.write_recurrence(open_loops, indent)
            return
        if self.random.random() < 0.15:
            self.write_window(open_loops, indent)
            return
        text, indices = self.access(self.random.choice(self.written), open_loops)
        value = self.value(open_loops, indices)
        form = self.random.choice(["{0} = {1}", "{0} = {0} + {1}"] * 2 + ["{0} = T.max({0}, {1})"])
        if self.random.random() < 0.25:
            self.lines.append(" " * indent + f"if {self.condition(open_loops)}:")
            indent += 4
        self.lines.append(" " * indent + form.format(text, value))

    def write_loops(self, between):
        open_loops, indent = [], 4
        for name, extent in self.loops.items():
            kind = self.random.choice(["range"] * 8 + ["T.serial", "T.unroll"])
            self.lines.append(" " * indent + f"for {name} in {kind}({extent}):")
            open_loops, indent = open_loops + [name], indent + 4
            if between and self.random.random() < 0.4 and len(open_loops) < len(self.loops):
                self.write_store(open_loops, indent)
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            self.write_store(open_loops, indent)

    def shape_of(self, uses):
        points = list(itertools.product(*(range(extent) for extent in self.loops.values())))
        names = ", ".join(self.loops)
        largest = [0] * len(uses[0])
        for indices in uses:
            for d, text in enumerate(indices):
                at = eval(f"lambda {names}: {text}", {"T": PythonsT})
                largest[d] = max(largest[d], max(at(*point) for point in points))
        return [extent + 1 + self.random.choice([0, 0, 1, 3]) for extent in largest]

    def script(self):
        params = [f'{name}: T.Buffer({tuple(shape)}, "{self.dtype}")' for name, shape in self.shapes.items()]
        head = ["    @T.prim_func", f"    def {self.name}({', '.join(params)}):"]
        return respelled(self.name, "\n".join(head + ["    " + line for line in self.lines]))

    # ---- what it does

    def arguments(self):
        rng = np.random.default_rng(self.random.getrandbits(32))
        return {name: rng.integers(-50, 50, shape).astype(self.dtype) for name, shape in self.shapes.items()}

    def outputs(self):
        return [name for name in self.shapes if any(re.match(rf" +{name}\[", line) for line in self.lines)]

    def expected(self, arguments):
        """The arrays after the loops, by Python's numbers; None where they grow too large on the way."""
        arrays = {name: SmallNumbers(array) for name, array in arguments.items()}
        scope = {"T": PythonsT}
        exec(f"def nest({', '.join(arrays)}):\n" + "\n".join(self.lines), scope)
        try:
            scope["nest"](*arrays.values())
        except OverflowError:
            return None
        return {name: arrays[name].array.astype(self.dtype) for name in self.outputs()}


class SmallNumbers:
    """An array of Python's numbers that refuses large ones."""

    def __init__(self, array):
        self.array = array.astype(object)

    def __getitem__(self, at):
        return self.array[at]

    def __setitem__(self, at, value):
        if abs(value) >= LARGEST:
            raise OverflowError
        self.array[at] = value


class PythonsT:
    serial = unroll = range
    max = max
    min = min
    abs = abs

    @staticmethod
    def if_then_else(condition, yes, no):
        return yes if condition else no


def run(tirb, *words, isa=""):
    environment = dict(os.environ, TIRB_CACHE_DIR="", TIRB_ISA=isa)
    if not isa:
        del environment["TIRB_ISA"]
    return subprocess.run([*tirb, *words], capture_output=True, text=True, env=environment, timeout=120)


def check(tirb, bundle, nest, isas, folder):
    """What is wrong with one nest, or None; False where it does not count."""
    arguments = nest.arguments()
    expected = nest.expected(arguments)
    if expected is None:
        return False
    words = [str(bundle), "-f", nest.name, "--threads", nest.random.choice(["1", "3"])]
    for name, array in arguments.items():
        np.save(folder / f"{name}.npy", array)
        words.append(f"{name}=@{folder / name}.npy")
    for name in expected:
        words += ["-o", f"{name}=@{folder / name}.out.npy"]
    isa = nest.random.choice(isas)
    result = run(tirb, "run", *words, isa=isa)
    if result.returncode:
        return f"{isa}: {result.stderr.strip()}"
    for name, wanted in expected.items():
        found = np.load(folder / f"{name}.out.npy")
        if not np.array_equal(found, wanted):
            at = tuple(int(i) for i in np.argwhere(found != wanted)[0])
            return f"{isa}: {name}{list(at)} is {found[at]}, expected {wanted[at]}"
    return None


def check_module(tirb, seeds, isas, folder, keep):
    nests = [Nest(seed) for seed in seeds]
    source, bundle = folder / "nests.py", folder / "nests.tirb"
    head = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
    source.write_text(head + "\n\n".join(nest.script() for nest in nests) + "\n")
    parallel = nests[0].random.choice(["auto", "all", "off"])
    compiled = run(tirb, "compile", str(source), "-o", str(bundle), "--parallel", parallel)
    if compiled.returncode:
        failures = {"all": compiled.stderr.strip()}
        passed = 0
    else:
        found = {nest.name: check(tirb, bundle, nest, isas, folder) for nest in nests}
        failures = {name: wrong for name, wrong in found.items() if wrong}
        passed = sum(wrong is None for wrong in found.values())
    for name, wrong in failures.items():
        print(f"FAIL {name}: {wrong}", flush=True)
    if failures and keep:
        (keep / f"nests_{seeds[0]}.py").write_text(source.read_text())
    return passed, len(failures)


def check_all(description, default_count, at_once, check_some):
    """The command of a generator: check_some(tirb, seeds, isas, folder, keep) gives how many passed and failed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=default_count)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    tirb = shlex.split(options.tirb)  # an emulator that runs the command may stand before it, and takes its time
    count = options.count if len(tirb) == 1 else options.count // 10
    listed = run(tirb, "version").stdout
    isas = [isa for isa in ISAS if re.search(rf"\b{isa}\b", listed)] or ["generic"]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        end = options.seed + count
        for first in range(options.seed, end, at_once):
            seeds = range(first, min(first + at_once, end))
            good, bad = check_some(tirb, seeds, isas, pathlib.Path(folder), options.keep)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(check_all("Random loop nests against Python.", 400, NESTS_PER_MODULE, check_module))
