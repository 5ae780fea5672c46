"""Random kernels whose indices count the elements of several dimensions, of sizes that are known at run time, run by `tirb`
and by Python, with integers that wrap as the program's do.

    flattened.py [--tirb PATH] [--seed N] [--count N] [--keep FOLDER]

Sums over products, windows, strided windows, borders behind conditions, transpositions and sums of neighbours; int32 and int64
sizes; indices by Horner's rule, by strides in any order, with parts in variables or in casts, in one dimension or several.
Each is called with sane sizes and with those that no version for sane sizes may run for: no element at all, one row of a huge
stride, strides that wrap back into the array, sizes below 0, rows that are longer than the stride. Ends with
`N passed, N failed`; exit status 1 on failure. Modules that fail are left in the folder that --keep names.
"""

import random
import sys

from nests import check_all, run  # which is skipped without NumPy
import numpy as np

KERNELS_PER_MODULE = 20
CALLS = 3


class Outside(Exception):
    """An index that is not inside of its array."""


class Number(int):
    """A whole number of the kernel's type: arithmetic wraps."""

    bits = 32

    @classmethod
    def wrap(cls, value):
        half = 1 << (cls.bits - 1)
        return cls((int(value) + half) % (2 * half) - half)

    def __add__(self, other):
        return self.wrap(int(self) + int(other))

    def __sub__(self, other):
        return self.wrap(int(self) - int(other))

    def __mul__(self, other):
        return self.wrap(int(self) * int(other))

    def __rsub__(self, other):
        return self.wrap(int(other) - int(self))

    __radd__, __rmul__ = __add__, __mul__


class Wide(Number):
    bits = 64


class Elements:
    """An array by the number of an element, or by indices."""

    def __init__(self, array):
        self.array = array

    def place(self, at):
        at = at if isinstance(at, tuple) else (at,)
        if any(not 0 <= i < n for i, n in zip(at, self.array.shape)):
            raise Outside
        return tuple(int(i) for i in at)

    def __getitem__(self, at):
        return int(self.array[self.place(at)])

    def __setitem__(self, at, value):
        self.array[self.place(at)] = value


class Kernel:
    def __init__(self, seed):
        self.random = pick = random.Random(seed)
        self.name = f"kernel_{seed}"
        self.type = pick.choice(["int32", "int64"])
        self.number = Number if self.type == "int32" else Wide
        self.buffers, self.sizes, self.lines = {}, [], []
        self.lengths = pick.random() < 0.3  # arrays have sizes of their own
        pick.choice([self.product, self.product, self.window, self.stencil, self.transposed, self.border, self.rows])()

    def size(self, name):
        if name not in self.sizes:
            self.sizes.append(name)
        return name

    def declare(self, name, shape):
        """An array, of all dimensions in one or each by itself."""
        one = len(shape) > 1 and self.random.random() < 0.85
        split = self.random.randrange(1, len(shape)) if one and len(shape) > 2 and self.random.random() < 0.2 else 0
        self.buffers[name] = (shape, one, split)

    def counted(self, shape, at):
        """The number of an element."""
        style = self.random.random()
        bracket = lambda x: x if x.isalnum() else f"({x})"
        if style < 0.45:
            text = bracket(at[0])
            for size, index in zip(shape[1:], at[1:]):
                text = f"{bracket(text)} * {bracket(size)} + {bracket(index)}"
            return text
        terms = []
        for d, index in enumerate(at):
            factors = [bracket(size) for size in shape[d + 1:]] + [bracket(index)]
            if style < 0.8:
                self.random.shuffle(factors)
            terms.append(" * ".join(factors))
        self.random.shuffle(terms)
        return " + ".join(terms)

    def element(self, name, *at):
        shape, one, split = self.buffers[name]
        groups = [(0, len(shape))] if one and not split else [(0, split), (split, len(shape))] if one else [(d, d + 1) for d in range(len(shape))]
        texts = [self.counted(shape[a:b], at[a:b]) for a, b in groups]
        if self.random.random() < 0.15:
            texts = [f'T.Cast("int64", {text})' for text in texts]
        return f"{name}[{', '.join(texts)}]"

    def loops(self, *pairs):
        pairs = list(pairs)
        for k, (loop, extent) in enumerate(pairs):
            self.lines.append("    " * k + f"for {loop} in range({extent}):")
        return "    " * len(pairs)

    def product(self):
        m, n, k = map(self.size, "MNK")
        self.declare("A", (m, k) if self.random.random() < 0.7 else (k, m))
        self.declare("B", (k, n) if self.random.random() < 0.7 else (n, k))
        self.declare("C", (m, n))
        order = [("i", m), ("j", n), ("k", k)]
        if self.random.random() < 0.4:
            self.random.shuffle(order)
        pad = self.loops(*order)
        at = {m: "i", n: "j", k: "k"}
        a, b, c = (self.element(x, *(at[s] for s in self.buffers[x][0])) for x in "ABC")
        self.lines.append(f"{pad}{c} = {self.element('C', 'i', 'j')} + {a} * {b}")

    def window(self):
        h, w, r, s = map(self.size, "HWRS")
        step = self.random.choice(["1", "1", "2", self.size("P")])
        times = lambda x, y: f"{x} + {y}" if step == "1" else f"{x} * {step} + {y}"
        y, x = self.size("Y"), self.size("X")
        self.declare("A", (h, w))
        self.declare("B", (r, s))
        self.declare("C", (y, x))
        order = [("y", y), ("x", x), ("r", r), ("s", s)]
        pad = self.loops(*order)
        c = self.element("C", "y", "x")
        self.lines.append(f"{pad}{c} = {c} + {self.element('A', times('y', 'r'), times('x', 's'))} * {self.element('B', 'r', 's')}")

    def stencil(self):
        rank = self.random.choice([2, 2, 3])
        shape = tuple(map(self.size, "HWD"[:rank]))
        margin = self.random.choice([0, 1, 2])
        self.declare("A", shape)
        self.declare("C", shape)
        loops = "yxz"[:rank]
        pad = self.loops(*((loop, f"{n} - {margin}" if margin else n) for loop, n in zip(loops, shape)))
        near = lambda: [f"{loop} + {c}" if (c := self.random.randint(0, margin)) else loop for loop in loops]
        value = " + ".join(self.element("A", *near()) for _ in range(self.random.randint(1, 4)))
        self.lines.append(f"{pad}{self.element('C', *near())} = {value}")

    def transposed(self):
        rank = self.random.choice([2, 3, 4])
        shape = tuple(map(self.size, "MNKL"[:rank]))
        order = list(range(rank))
        self.random.shuffle(order)
        self.declare("A", shape)
        self.declare("C", tuple(shape[d] for d in order))
        loops = "ijkl"
        pad = self.loops(*((loops[d], shape[d]) for d in self.random.sample(range(rank), rank)))
        self.lines.append(f"{pad}{self.element('C', *(loops[d] for d in order))} = {self.element('A', *loops[:rank])} + 1")

    def border(self):
        h, w = map(self.size, "HW")
        grown = (f"{h} + 2", f"{w} + 2")
        self.declare("A", (h, w))
        self.declare("C", grown)
        pad = self.loops(("y", grown[0]), ("x", grown[1]))
        inside = f"1 <= y and y < {h} + 1 and 1 <= x and x < {w} + 1"
        c = self.element("C", "y", "x")
        a = self.element("A", "y - 1", "x - 1")
        if self.random.random() < 0.5:
            self.lines += [f"{pad}{c} = 7", f"{pad}if {inside}:", f"{pad}    {c} = {a}"]
        else:
            self.lines.append(f"{pad}{c} = T.if_then_else({inside}, {a}, 7)")

    def rows(self):
        """Rows that lie a stride apart, which is a size of its own, behind a first element."""
        m, n, p = self.size("M"), self.size("N"), self.size("P")
        self.declare("A", (m, p))
        self.declare("C", (m, n))
        pad = self.loops(("i", m), ("j", n))
        shift = self.random.choice(["", "", " + Q"])
        if shift:
            self.size("Q")
        step, (one, split) = self.random.choice(["i * P + j", "j + P * i"]) + shift, self.buffers["A"][1:]
        a = f"A[{step}]" if one else f"A[i, j{shift}]"
        if self.random.random() < 0.3:
            self.lines.append(f"{pad}at: T.let[T.{self.type}] = {step}")
            a = "A[at]" if one else a
        self.lines.append(f"{pad}{self.element('C', 'i', 'j')} = {a} + {self.element('C', 'i', 'j')}")

    def extents(self, name):
        """The texts of the dimensions as declared."""
        shape, one, split = self.buffers[name]
        product = lambda part: " * ".join(s if s.isalnum() else f"({s})" for s in part)
        return [product(shape)] if one and not split else [product(shape[:split]), product(shape[split:])] if one else list(shape)

    def script(self):
        params = ", ".join([f"{x.lower()}: T.handle" for x in self.buffers] + [f"{s}: T.{self.type}" for s in self.sizes]
                           + ([f"L{x}{d}: T.{self.type}" for x in self.buffers for d in range(len(self.extents(x)))] if self.lengths else []))
        head = ["    @T.prim_func(s_tir=True)", f"    def {self.name}({params}):"]
        for x in self.buffers:
            shape = [f"L{x}{d}" for d in range(len(self.extents(x)))] if self.lengths else self.extents(x)
            head.append(f'        {x} = T.match_buffer({x.lower()}, ({", ".join(shape)},), "int32")')
        return "\n".join(head + ["        " + line for line in self.lines])

    def values(self, how):
        pick, size = self.random, {}
        for s in self.sizes:
            size[s] = pick.choice([1, 2, 3, 4, 5, 7, 8, 16, 17, 20] if len(self.sizes) < 5 else [1, 2, 3, 4, 5, 7])
        if "X" in size and how != "odd":
            step = size.get("P", 2 if "* 2" in self.lines[-1] else 1)
            size["H"], size["W"] = ((size[a] - 1) * step + size[b] for a, b in ("YR", "XS"))
        if "Q" in size:
            size["Q"] = pick.choice([0, 0, 1, -1])
        if "P" in size and "X" not in size:
            size["P"] = size["N"] + pick.choice([0, 0, 1, 3])
        if how == "odd":
            limit = 1 << (self.number.bits - 1)
            for s in pick.sample(self.sizes, pick.randint(1, 2)):
                size[s] = pick.choice([0, 0, 1, -1, -3, size[s] + 1, size[s] - 1, limit - 1, limit - 2, limit // 2, limit // 4 + 1, 1 << 16, (1 << 31) - 1, 1 << 31])
                size[s] = min(size[s], limit - 1)
            if pick.random() < 0.5:
                size[pick.choice(self.sizes)] = pick.choice([0, 1])
        return size

    def arrays(self, size):
        """Arguments, or None where there would be too many elements, or iterations."""
        rng = np.random.default_rng(self.random.getrandbits(32))
        scope, arrays, lengths = dict(size), {}, {}
        for x in self.buffers:
            dims = [eval(text, {}, scope) for text in self.extents(x)]
            if self.lengths:
                most = [max(0, min(n, 40)) for n in dims]
                dims = most if self.random.random() < 0.5 else [n + self.random.choice([0, 0, 1, 5]) for n in most]
            if any(n < 0 or n > 5000 for n in dims) or np.prod([n for n in dims], dtype=object) > 5000:
                return None
            if not self.lengths and any(eval(text, {}, {k: self.number(v) for k, v in size.items()}) != n for text, n in zip(self.extents(x), dims)):
                return None
            arrays[x] = rng.integers(0, 9, dims).astype("int32")
            lengths.update({f"L{x}{d}": n for d, n in enumerate(dims)} if self.lengths else {})
        loops = 1
        for line in self.lines:
            if line.strip().startswith("for "):
                loops *= max(1, int(eval(line.split("range(")[1][:-2], {}, {k: self.number(v) for k, v in size.items()})))
        return (arrays, lengths) if loops <= 20000 else None

    def expected(self, size, arrays):
        class PythonsT:
            if_then_else = staticmethod(lambda condition, yes, no: yes if condition else no)
            Cast = staticmethod(lambda type, value: Wide(value) if type == "int64" else Number.wrap(value))
            let = {"T.int32": None, "T.int64": None}

        lines = [line.replace("T.let[T.int32]", "object").replace("T.let[T.int64]", "object") for line in self.lines]
        # Only the chosen one of two values is computed.
        lines = [lazily(line) for line in lines]
        out = {x: a.astype(object) for x, a in arrays.items()}
        scope = {"T": PythonsT, **{k: self.number(v) for k, v in size.items()}, "range": lambda n: map(self.number, range(int(n)))}
        scope.update({x: Elements(a) for x, a in out.items()})
        try:
            exec("\n".join(lines), scope)
        except Outside:
            return None
        return out["C"].astype("int64").astype("int32")


def lazily(line):
    """A line with T.if_then_else(condition, yes, no) as Python's own choice."""
    head, found, rest = line.partition("T.if_then_else(")
    if not found:
        return line
    parts, depth, at = [""], 0, 0
    for at, c in enumerate(rest):
        if c == ")" and depth == 0:
            break
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return f"{head}({parts[1]} if {parts[0]} else {parts[2]}){rest[at + 1:]}"


def check(tirb, bundle, kernel, isas, folder):
    """What is wrong with one kernel, or None."""
    for call in range(CALLS):
        for _ in range(30):
            size = kernel.values("sane" if call == 0 else kernel.random.choice(["sane", "odd", "odd"]))
            made = kernel.arrays(size)
            if made:
                break
        else:
            continue
        arrays, lengths = made
        wanted = kernel.expected(size, arrays)
        words = [str(bundle), "-f", kernel.name, "--threads", kernel.random.choice(["1", "3"])]
        for x, array in arrays.items():
            np.save(folder / f"{x}.npy", array)
            words.append(f"{x}=@{folder / x}.npy")
        words += [f"{s}={n}" for s, n in {**size, **lengths}.items()] + ["-o", f"C=@{folder / 'C.out.npy'}"]
        isa = kernel.random.choice(isas)
        result = run(tirb, "run", *words, isa=isa)
        what = f"{isa}: {size} {[a.shape for a in arrays.values()]}: "
        if wanted is None:
            if "is out of bounds" not in result.stderr and "outside" not in result.stderr:
                return what + f"expected to fail, {result.stderr.strip() or 'did not'}"
            continue
        if result.returncode:
            return what + result.stderr.strip()
        found = np.load(folder / "C.out.npy")
        if not np.array_equal(found, wanted):
            at = tuple(int(i) for i in np.argwhere(found != wanted)[0])
            return what + f"C{list(at)} is {found[at]}, expected {wanted[at]}"
    return None


def check_module(tirb, seeds, isas, folder, keep):
    kernels = [Kernel(seed) for seed in seeds]
    source, bundle = folder / "kernels.py", folder / "kernels.tirb"
    head = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
    source.write_text(head + "\n\n".join(kernel.script() for kernel in kernels) + "\n")
    compiled = run(tirb, "compile", str(source), "-o", str(bundle), "--parallel", kernels[0].random.choice(["auto", "all", "off"]))
    if compiled.returncode:
        failures = {"all": compiled.stderr.strip()}
    else:
        found = {kernel.name: check(tirb, bundle, kernel, isas, folder) for kernel in kernels}
        failures = {name: wrong for name, wrong in found.items() if wrong}
    for name, wrong in failures.items():
        print(f"FAIL {name}: {wrong}", flush=True)
    if failures and keep:
        (keep / f"kernels_{seeds[0]}.py").write_text(source.read_text())
    return len(kernels) - len(failures), len(failures)


if __name__ == "__main__":
    sys.exit(check_all(__doc__, 200, KERNELS_PER_MODULE, check_module))
