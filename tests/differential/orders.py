"""Random spellings of one nest, compared by `differential` with the oracle: on every instruction set, with each pass off, with
several threads.

    orders.py [--differential PATH] [--seed N] [--count N] [--print]

Values that have names, which stores and loops between their names and their uses may change; sums in variables and in elements,
whose loops lie in any order around those that tell the elements, with inits of blocks, conditions, bounds that are other loops'
counters or values with names, and extents of nothing; loops and while loops that go down. Ends with `N passed, N failed`; exit
status 1 on failure."""

import sys

from irregular import Function, main, maker, number

TYPES = ("float32", "float32", "float16", "int32", "int64", "int8", "float64", "uint8")
ORDERS = ("+", "+", "+", "*", "-", "max", "min")


def grown(how, a, b):
    return f"T.{how}({a}, {b})" if how in ("max", "min") else f"{a} {how} {b}"


class Nest(Function):
    """Extents of loops by name: `n`, `m` and `k`, some of which are known only when it runs."""

    def __init__(self, pick):
        super().__init__(pick)
        self.dtype = pick.choice(TYPES)
        self.symbolic = pick.random() < 0.4
        self.values = {name: pick.choice([0, 1, 1, 2, 3, 5, 8, 9, 17]) for name in "nmk"}
        if self.symbolic:
            self.add(0, "n, m, k = T.int32(), T.int32(), T.int32()")
            for name in "nmk":
                self.buffer(name.upper(), "int8", f'"{name}"')

    def size(self, name):
        return name if self.symbolic else str(self.values[name])

    def array(self, name, *sizes):
        self.buffer(name, self.dtype, *(f'"{s}"' if self.symbolic else self.values[s] for s in sizes))


def reductions(pick, f):
    """Elements that get updates in loops of any order."""
    f.array("A", "n", "k"), f.array("B", "k", "m"), f.array("C", "n", "m"), f.array("D", "n"), f.scalar("p", "int32"), f.buffer("R", f.dtype, 3)
    target, own = pick.choice([("C[i, j]", "ij"), ("C[i, j]", "ij"), ("D[i]", "i"), ("R[0]", "")])
    how = pick.choice(ORDERS)
    loops = {"i": "n", "j": "m", "r": "k"}
    order = list("ijr")
    pick.shuffle(order)
    term = pick.choice(["A[i, r] * B[r, j]", "A[i, r] * B[r, j]", "A[i, r]", "B[r, j]", f"A[i, r] + {number(f.dtype, 1)}", f'T.cast(j + r, "{f.dtype}")', "A[i, r] * D[i]", "A[i, r] - R[1]"])
    condition = pick.choice([None] * 5 + ["i < 3", "r > 1", "j != 2", "r <= i", "p > 3", "j + r > 2"])
    zero = pick.choice([number(f.dtype, 0), number(f.dtype, 2), "D[i]" if own and target != "D[i]" else number(f.dtype, 1), "R[2]"])
    form = pick.choice(["plain", "plain", "block", "block", "variable", "init", "named"])
    if form in ("variable", "init", "named") and pick.random() < 0.8:  # loops that tell the elements lie outside
        order.sort(key=lambda loop: loop not in own)
    bounds = {loop: f.size(size) for loop, size in loops.items()}
    if pick.random() < 0.3:
        inner, outer = order[2], order[0]
        bounds[inner] = f"T.min({bounds[inner]}, {outer} + 1)" if pick.random() < 0.6 else bounds[inner]
    if pick.random() < 0.2:
        f.add(0, f"e: T.int32 = {pick.choice([f.size('k') + ' - 1', 'T.max(p, 0)', f.size('k')])}")
        bounds["r"] = f"T.min(e, {f.size('k')})"
    if form == "block":
        for d, loop in enumerate(order):
            f.add(d, f"for {loop} in range({bounds[loop]}):")
        f.add(3, *([f"if {condition}:"] if condition and pick.random() < 0.3 else []))
        depth = 3 + f.body[-1].strip().startswith("if")
        names = {loop: f"v{loop}" for loop in "ijr"}
        rename = lambda text: text.replace("[i", "[vi").replace("j]", "vj]").replace("[r", "[vr").replace("r]", "vr]").replace("(j + r", "(vj + vr")
        f.add(depth, 'with T.sblock("b"):')
        for loop in "ijr":
            f.add(depth + 1, f"v{loop} = T.axis.{'spatial' if loop in own else 'reduce'}({f.size(loops[loop])}, {loop})")
        if pick.random() < 0.8:
            f.add(depth + 1, "with T.init():", f"    {rename(target)} = {rename(zero)}")
        f.add(depth + 1, f"{rename(target)} = {grown(how, rename(target), rename(term))}")
        return
    at = len(own)
    if form == "variable" and all(loop in own for loop in order[:at]):
        for d, loop in enumerate(order[:at]):
            f.add(d, f"for {loop} in range({bounds[loop]}):")
        f.add(at, f"s: T.{f.dtype} = {pick.choice([zero, target, zero])}")
        for d, loop in enumerate(order[at:]):
            f.add(at + d, f"for {loop} in range({bounds[loop]}):")
        line = f"s = {grown(how, 's', term)}"
        f.add(3, *([f"if {condition}:", "    " + line] if condition else [line]))
        f.add(at, pick.choice([f"{target} = s", f"{target} = s", f"{target} = {target} + s", f"{target} = s * {number(f.dtype, 2)}"]))
        return
    for d, loop in enumerate(order):
        if form == "init" and d == at and all(other in own for other in order[:at]):
            f.add(d, f"{target} = {zero}")
        f.add(d, f"for {loop} in range({bounds[loop]}):")
    lines = [f"{target} = {grown(how, target, term)}"]
    if form == "named":
        lines = [f"x: T.let[T.{f.dtype}] = {term}", f"{target} = {grown(how, target, 'x')}"]
        if pick.random() < 0.3:
            lines = [f"y: T.let[T.{f.dtype}] = {target}", f"x: T.{f.dtype} = {term}", f"{target} = {grown(how, 'y', 'x')}"]
    f.add(3, *([f"if {condition}:"] + ["    " + line for line in lines] if condition else lines))


def named(pick, f):
    """Straight code of names, stores and conditions in a loop or two."""
    f.array("A", "n"), f.array("B", "n"), f.array("C", "n", "m"), f.buffer("I", "int32", 9), f.scalar("p", "int32"), f.buffer("R", f.dtype, 3)
    deep = pick.random() < 0.4
    f.add(0, f"for i in range({f.size('n')}):")
    depth = 1
    names, kinds = [], {}
    elements = ["A[i]", "B[i]", "A[i]", "R[0]", f"A[{f.size('n')} - 1 - i]", "B[T.max(i - 1, 0)]"] + ([] if pick.random() < 0.8 else ["A[i + 1]"])

    def value():
        a, b = pick.choice(elements + names * 2), pick.choice(elements + names * 2 + [number(f.dtype, 1)])
        return pick.choice([a, a, f"{a} + {b}", f"{a} * {b}", f"T.max({a}, {b})", f"T.if_then_else({a} > {b}, {b}, {a})"])

    def block(indent, steps):
        kept = list(names)
        for _ in range(steps):
            how = pick.random()
            if how < 0.4:
                name = f"v{len(f.body)}"
                f.add(indent, f"{name}: {pick.choice([f'T.let[T.{f.dtype}]', f'T.let[T.{f.dtype}]', f'T.{f.dtype}'])} = {value()}")
                kinds[name] = "let" not in f.body[-1]
                names.append(name)
            elif how < 0.7:
                f.add(indent, f"{pick.choice(elements[:3] + ['R[0]'])} = {value()}")
            elif how < 0.8 and any(kinds[name] for name in names):
                f.add(indent, f"{pick.choice([name for name in names if kinds[name]])} = {value()}")
            elif how < 0.9 and indent < 4:
                f.add(indent, f"if {pick.choice(['p > 3', 'I[i % 9] > 4', f'{value()} > {number(f.dtype, 1)}', 'i > 2'])}:")
                block(indent + 1, pick.choice([1, 2]))
                if pick.random() < 0.4:
                    f.add(indent, "else:")
                    block(indent + 1, 1)
            elif indent < 3:
                f.add(indent, f"for j{indent} in range({f.size('m')}):")
                elements.append(f"C[i, j{indent}]")
                f.add(indent + 1, f"C[i, j{indent}] = {value()}")
                block(indent + 1, pick.choice([0, 1, 2]))
                elements.remove(f"C[i, j{indent}]")
            else:
                f.add(indent, f"R[1] = {value()}")
        names[:] = kept

    block(depth, pick.choice([3, 4, 6, 8]))
    f.add(depth, f"B[i] = {value()}")


def bounds(pick, f):
    """Loops whose bounds have names, and loops that go down."""
    f.array("A", "n"), f.array("C", "n", "m"), f.buffer("I", "int32", 9), f.scalar("p", "int32"), f.buffer("S", "int32", 4)
    n, m = f.size("n"), f.size("m")
    f.add(0, f"for i in range({n}):")
    f.add(1, f"b: {pick.choice(['T.let[T.int32]', 'T.int32'])} = {pick.choice(['T.max(i - 2, 0)', 'i // 2', '0', 'T.max(I[i % 9], 0)', 'T.max(p, 0)'])}")
    f.add(1, f"e: {pick.choice(['T.let[T.int32]', 'T.int32'])} = {pick.choice([m, f'T.min(i + 3, {m})', f'T.min(b + 4, {m})', f'T.min(p, {m})', f'T.min(I[0], {m})'])}")
    body = pick.choice([["C[i, j] = A[i]"], ["C[i, j] = C[i, j] + A[i]"], ["A[i] = A[i] + C[i, j]"], ["A[i] = C[i, j]"], ["A[i] = T.max(A[i], C[i, j])", "C[i, j] = A[i]"],
                        [f"if j > i:", f"    C[i, j] = A[i]", "else:", f"    C[i, j] = C[i, j] * {number(f.dtype, 2)}"], ["C[i, j] = C[i, T.max(j - 1, 0)]"], [f"C[i, j] = C[i, T.min(j + 1, {m} - 1)] + A[i]"]])
    how = pick.choice(["for", "for", "up", "down", "down", "back"])
    if how == "for":
        f.add(1, "for j in range(b, e):", *("    " + line for line in body))
    elif how == "back":
        f.add(1, "for t in range(e - b):", "    j: T.let[T.int32] = e - 1 - t", *("    " + line for line in body))
    elif how == "up":
        f.add(1, "j: T.int32 = b", f"while j < {pick.choice(['e', m])}:", *("    " + line for line in body), f"    j = j + {pick.choice([1, 1, 2])}")
    else:
        f.add(1, f"j: T.int32 = {pick.choice(['e - 1', m + ' - 1'])}", f"while j {pick.choice(['>= b', '> b', '>= 0'])}:", *("    " + line for line in body), f"    j = j - {pick.choice([1, 1, 2])}")
    if how in ("up", "down"):
        f.add(1, "S[0] = j")


SHAPES = (reductions, reductions, named, named, bounds)


if __name__ == "__main__":
    sys.exit(main(maker("orders", Nest, SHAPES), __doc__, 100))
