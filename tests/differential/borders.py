"""Random stencils over sizes that are known at run time, run by `tirb` and by Python itself.

    borders.py [--tirb PATH] [--seed N] [--count N] [--keep FOLDER]

Neighbours that are wrapped, clamped, reflected or left out at the borders of arrays of symbolic shapes, windows of every
second, third or fourth element and what goes between these, elements that are spread by two or are there several times,
sums of what windows see, and windows, borders and numbers of elements behind conditions; in a loop for each dimension, or
in one for all. Arrays have one element or more, and bytes stay so small that no sum of them wraps. Ends with
`N passed, N failed`; exit status 1 on failure. Modules that fail are left in the folder that --keep names.
"""

import random
import sys

from nests import PythonsT, check_all, run  # which is skipped without NumPy
import numpy as np
from respell import respelled

SIZES = (1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 70)
STENCILS_PER_MODULE = 20


class Stencil:
    """One function with a loop for each dimension."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"stencil_{seed}"
        rank = self.random.choice([1, 2, 2, 3])
        self.sizes, self.loops = "hwd"[:rank], "ijk"[:rank]
        if self.random.random() < 0.2:
            self.sizes = "h" * rank
        self.dtype = self.random.choice(["int32", "int32", "float32", "uint8", "int8", "int16", "int64"])
        self.spreads = self.random.random() < 0.2
        self.grows = 0 if self.spreads or self.random.random() < 0.85 else self.random.choice([2, 2, 3, 4])
        self.margin = self.random.choice([0, 0, 0, 1, 2])
        self.apart = 0 if self.spreads or self.grows or self.random.random() < 0.75 else self.random.choice([2, 2, 3, 4])
        self.between = self.apart > 0 and self.random.random() < 0.4  # both arrays are larger, and loops go between
        own = not (self.spreads or self.grows or self.margin or self.apart)
        self.flat = own and rank > 1 and self.random.random() < 0.25  # one loop, whose counter is taken apart
        self.adds = own and self.dtype in ("int32", "int64", "float32") and self.random.random() < 0.15  # to neighbours
        self.lines = []
        self.write()

    def place(self, loop):
        """One of the elements that are `apart` for each iteration."""
        if self.between and self.random.random() < 0.7:
            return f"{loop} * {self.apart} + p{loop}"
        return f"{loop} * {self.apart} + {self.random.randrange(self.apart)}"

    def index(self, loop, size):
        if self.apart:
            return self.place(loop)
        c, n = self.random.randint(1, 3), size
        if self.random.random() < 0.5:
            return loop
        return self.random.choice([f"({loop} + 1) % {n}", f"({loop} + {n} - 1) % {n}", f"({loop} - 1) % {n}", f"({loop} + {c}) % {n}",
                                   f"({loop} + {n} - {c}) % {n}", f"T.max({loop} - {c}, 0)", f"T.min({loop} + {c}, {n} - 1)",
                                   f"T.min(T.max({loop} - {c}, 0), {n} - 1)", f"T.if_then_else({loop} == 0, 0, {loop} - 1)",
                                   f"T.if_then_else({loop} == {n} - 1, {loop}, {loop} + 1)", f"T.Select({loop} > 0, {loop} - 1, {n} - 1)",
                                   f"T.Select({loop} + 1 < {n}, {loop} + 1, 0)", f"{n} - 1 - {loop}"])

    def element(self):
        at = [self.index(loop, size) for loop, size in zip(self.loops, self.sizes)]
        if self.apart:
            d = self.random.randrange(len(at))
            if self.random.random() < 0.3:
                at[d] += " - 1"
                return f"T.if_then_else({self.loops[d]} > 0, A[{', '.join(at)}], {self.number(0)})"
        elif self.random.random() < 0.2:
            d = self.random.randrange(len(at))
            inside = self.random.choice([(f"{self.loops[d]} > 0", f"{self.loops[d]} - 1"),
                                         (f"{self.loops[d]} < {self.sizes[d]} - 1", f"{self.loops[d]} + 1")])
            at[d] = inside[1]
            return f"T.if_then_else({inside[0]}, A[{', '.join(at)}], {self.number(0)})"
        return f"A[{', '.join(at)}]"

    def number(self, n):
        return str(n) if self.dtype == "int32" else f"T.{self.dtype}({n})"

    def value(self):
        terms = [self.element() for _ in range(self.random.randint(1, 6))]
        text = terms[0]
        for term in terms[1:]:
            text = self.random.choice(["{} + {}"] * 4 + ["T.max({}, {})", "T.min({}, {})"]).format(text, term)
        return text

    def guarded(self, at):
        """Elements that are only there where a condition holds: of a window, of one of several borders, by number."""
        d = self.random.randrange(len(self.loops))
        loop, size, c = self.loops[d], self.sizes[d], self.random.randint(0, 3)
        near = lambda text: ", ".join(text if k == d else other for k, other in enumerate(self.loops))
        kind = self.random.choice(["window", "window", "borders", "number", "rounds"])
        if kind in ("window", "rounds"):
            inside = f"{loop} + r - {c} >= 0 and {loop} + r - {c} < {size}"
            if len(self.loops) > 1 and self.random.random() < 0.3:
                inside += f" and {self.loops[d - 1]} > 0"
            update = self.random.choice(["B[{}] + {}", "T.max(B[{}], {})"]).format(at, f"A[{near(f'{loop} + r - {c}')}]")
            if kind == "window":
                return [f"for r in range({2 * c + 1}):", f"    if {inside}:", f"        B[{at}] = {update}"]
            return [f"if A[{at}] > {self.number(4)}:", f"    for r in range({2 * c + 1}):",
                    f"        B[{at}] = B[{at}] + {self.number(1)}", f"        if {inside}:", f"            B[{at}] = {update}"]
        if kind == "borders":
            other, end = self.loops[d - 1], self.sizes[d - 1]
            return [f"if {loop} == 0 and {other} == {end} - 1:", f"    B[{at}] = {self.number(7)}",
                    f"elif {loop} == 0:", f"    B[{at}] = {self.value()}",
                    f"elif {loop} == {size} - 1 or {other} < {c}:", f"    B[{at}] = A[{near(f'{loop} - 1')}]",
                    "else:", f"    B[{at}] = A[{near(f'{loop} + 1')}] + A[{near(f'{loop} - 1')}]"]
        number = f"T.Cast(\"int32\", A[{at}]) - {c}"
        chosen = f"{number} >= 0 and {number} < {size}"
        if self.random.random() < 0.5:
            return [f"if {chosen}:", f"    B[{at}] = A[{near(number)}]"]
        return [f"B[{at}] = T.if_then_else({chosen}, A[{near(number)}], {self.number(2)}) + {self.value()}"]

    def write(self):
        at = ", ".join(self.loops)
        indent = 4
        for loop in self.loops if self.adds else ():
            self.lines.append(" " * indent + f"for p{loop} in range({self.random.choice([2, 3, 3, 4])}):")
            indent += 4
        if self.flat:
            self.lines.append(" " * indent + f"for q in range({' * '.join(self.sizes)}):")
            indent += 4
            for d, loop in enumerate(self.loops):
                inside = " * ".join(self.sizes[d + 1:])
                part = f"q // ({inside})" if inside else "q"
                self.lines.append(" " * indent + f"{loop}: T.let[T.int32] = {part}{f' % {self.sizes[d]}' if d else ''}")
        for loop, size in zip(self.loops, self.sizes) if not self.flat else ():
            extent = f"{self.grows} * {size}" if self.grows else size
            self.lines.append(" " * indent + f"for {loop} in range({extent}{f' - {self.margin}' if self.margin else ''}):")
            indent += 4
        for loop in self.loops if self.between else ():
            self.lines.append(" " * indent + f"for p{loop} in range({self.apart}):")
            indent += 4
        pad = " " * indent
        if self.adds:
            near = [f"{loop} + p{loop} - {self.random.randint(0, 2)}" for loop in self.loops]
            inside = " and ".join(f"{i} >= 0 and {i} < {size}" for i, size in zip(near, self.sizes))
            element = f"B[{', '.join(near)}]"
            self.lines += [pad + f"if {inside}:", pad + f"    {element} = {element} + A[{at}]"]
            return
        if self.between:
            at = ", ".join(f"{loop} * {self.apart} + p{loop}" for loop in self.loops)
        if self.apart:
            self.lines.append(pad + f"B[{at}] = {self.value()}")
            return
        if self.grows:
            near = ", ".join(f"{loop} // {self.grows}" for loop in self.loops)
            self.lines.append(pad + f"B[{at}] = A[{near}]" + self.random.choice(["", "", f" + {self.number(1)}"]))
            return
        if self.spreads:
            for part in self.random.sample(range(2 ** len(self.loops)), self.random.randint(1, 2 ** len(self.loops))):
                spread = ", ".join(f"{loop} * 2" + (" + 1" if part >> d & 1 else "") for d, loop in enumerate(self.loops))
                self.lines.append(pad + f"B[{spread}] = {self.value()}")
            return
        if self.random.random() < 0.25:
            self.lines += [pad + line for line in self.guarded(at)]
            return
        if self.random.random() < 0.3:
            self.lines += [pad + f"s: T.let[T.{self.dtype}] = {self.value()}",
                           pad + f"B[{at}] = T.if_then_else(s == {self.number(3)} or (s > {self.number(5)} and A[{at}] != {self.number(1)}), "
                                 f"s, {self.value()})"]
        else:
            before = f"B[{at}] + " if self.random.random() < 0.3 else ""  # which is 0
            self.lines.append(pad + f"B[{at}] = {before}{self.value()}")

    def times(self):
        """How many elements A and B have for each iteration."""
        return self.apart or 1, self.apart if self.between else self.grows or 1 + self.spreads

    def script(self):
        a, b = (", ".join(f'"{times} * {size}"' if times > 1 else f'"{size}"' for size in self.sizes) for times in self.times())
        names = sorted(set(self.sizes))
        sizes = ", ".join(f'"{size}"' for size in self.sizes)
        told = f', S: T.Buffer(({sizes},), "int8")' if self.between else ""  # no other shape tells the sizes
        head = ["    @T.prim_func(s_tir=True)",
                f'    def {self.name}(A: T.Buffer(({a},), "{self.dtype}"), B: T.Buffer(({b},), "{self.dtype}"){told}):',
                *(f"        {name} = T.int32()" for name in names)]
        return respelled(self.name, "\n".join(head + ["    " + line for line in self.lines]))

    def arguments(self):
        size = {name: self.random.choice(SIZES[:8] if len(self.loops) == 3 else SIZES) for name in self.sizes}
        rng = np.random.default_rng(self.random.getrandbits(32))
        a, b = ([size[name] * times for name in self.sizes] for times in self.times())
        return size, rng.integers(0, 9, a).astype(self.dtype), np.zeros(b, self.dtype)

    def expected(self, size, a, b):
        wanted = b.astype(object)
        scope = {"T": StencilsT, **size}
        exec("def stencil(A, B):\n" + "\n".join(self.lines), scope)
        scope["stencil"](Surrounded(a), wanted)
        return wanted.astype(self.dtype)


class Surrounded:
    """An array with zeros around it, which what a condition leaves out may ask for."""

    def __init__(self, array):
        self.array = array.astype(object)

    def __getitem__(self, at):
        at = at if isinstance(at, tuple) else (at,)
        inside = all(0 <= i < extent for i, extent in zip(at, self.array.shape))
        return self.array[at] if inside else 0


class StencilsT(PythonsT):
    Select = PythonsT.if_then_else
    float32 = uint8 = int8 = int16 = int64 = int

    @staticmethod
    def Cast(dtype, value):
        return int(value)


def check(tirb, bundle, stencil, isas, folder):
    """What is wrong with one stencil, or None."""
    size, a, b = stencil.arguments()
    words = [str(bundle), "-f", stencil.name, "--threads", stencil.random.choice(["1", "3"])]
    told = [("S", np.zeros([size[name] for name in stencil.sizes], "int8"))] if stencil.between else []
    for name, array in (("A", a), ("B", b), *told):
        np.save(folder / f"{name}.npy", array)
        words.append(f"{name}=@{folder / name}.npy")
    isa = stencil.random.choice(isas)
    result = run(tirb, "run", *words, "-o", f"B=@{folder / 'B'}.out.npy", isa=isa)
    if result.returncode:
        return f"{isa}: {size}: {result.stderr.strip()}"
    found, wanted = np.load(folder / "B.out.npy"), stencil.expected(size, a, b)
    if np.array_equal(found, wanted):
        return None
    at = tuple(int(i) for i in np.argwhere(found != wanted)[0])
    return f"{isa}: {size}: B{list(at)} is {found[at]}, expected {wanted[at]}"


def check_module(tirb, seeds, isas, folder, keep):
    stencils = [Stencil(seed) for seed in seeds]
    source, bundle = folder / "borders.py", folder / "borders.tirb"
    head = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
    source.write_text(head + "\n\n".join(stencil.script() for stencil in stencils) + "\n")
    parallel = stencils[0].random.choice(["auto", "all", "off"])
    compiled = run(tirb, "compile", str(source), "-o", str(bundle), "--parallel", parallel)
    if compiled.returncode:
        failures = {"all": compiled.stderr.strip()}
    else:
        found = {s.name: check(tirb, bundle, s, isas, folder) for s in stencils}
        failures = {name: wrong for name, wrong in found.items() if wrong}
    for name, wrong in failures.items():
        print(f"FAIL {name}: {wrong}", flush=True)
    if failures and keep:
        (keep / f"borders_{seeds[0]}.py").write_text(source.read_text())
    return len(stencils) - len(failures), len(failures)


if __name__ == "__main__":
    sys.exit(check_all("Random stencils against Python.", 200, STENCILS_PER_MODULE, check_module))
