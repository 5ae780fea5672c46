"""Random nests over a few arrays whose loops are spelled in all ways, compared by `differential` with the oracle: on every
instruction set, with each pass off, with several threads.

    spelled.py [--differential PATH] [--seed N] [--count N] [--print]

Loops up and down, by steps, as while loops, in tiles with least ends or guards, with counters of any integer type; in them shifts
in place, sums that go on, least and greatest elements and their places, histograms, exchanges, elements by two offsets, rows by
views with strides, early ends, minima of sums; several nests that read what the ones before have stored. Ends with
`N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

TYPES = ("float32", "float32", "int32", "int64", "int8", "uint8", "uint16", "float16", "float64")
COUNTERS = ("int32", "int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
SIZES = (0, 1, 2, 3, 5, 8, 9, 16, 17, 24, 33, 65)


class Nests(Function):
    def __init__(self, pick):
        super().__init__(pick)
        self.dtype = pick.choice(TYPES)
        self.symbolic = pick.random() < 0.4
        self.values = {name: pick.choice(SIZES) for name in "nm"}
        if self.symbolic:
            self.add(0, "n, m = T.int32(), T.int32()")
            self.buffer("N", "int8", '"n"'), self.buffer("M", "int8", '"m"')
        self.array("A", "n + 8"), self.array("B", "n + 8"), self.array("C", "n", "m"), self.array("D", "m", "n"), self.buffer("R", self.dtype, 4)
        self.buffer("I", "int32", 16), self.buffer("K", "uint8", self.shape("n + 8")), self.scalar("p", "int32"), self.scalar("q", "int32")
        self.names = 0

    def shape(self, size):
        return f'"{size}"' if self.symbolic else eval(size, dict(self.values))

    def array(self, name, *sizes):
        self.buffer(name, self.dtype, *(self.shape(size) for size in sizes))

    def size(self, name):
        return name if self.symbolic else str(self.values[name])

    def fresh(self):
        self.names += 1
        return f"v{self.names}"

    def loop(self, depth, n):
        """Opens a loop over 0 .. n - 1 in some order: the counter, how deep its body is, and what ends the body."""
        pick, i = self.pick, self.fresh()
        how = pick.choice(["for", "for", "for", "back", "up", "down", "tiles", "guarded", "typed", "typed", "late", "steps"])
        if how == "for":
            self.add(depth, f"for {i} in {pick.choice(['range', 'range', 'T.parallel', 'T.unroll' if n.isdigit() and int(n) < 20 else 'range'])}({n}):")
        elif how == "back":
            self.add(depth, f"for {i}b in range({n}):", f"    {i}: T.let[T.int32] = {n} - 1 - {i}b")
        elif how == "up":
            self.add(depth, f"{i}: T.int32 = 0", f"while {i} < {n}:")
            return i, depth + 1, [f"{i} = {i} + 1"]
        elif how == "down":
            self.add(depth, f"{i}: T.int32 = {n} - 1", f"while {pick.choice([f'{i} >= 0', f'0 <= {i}', f'{i} > -1'])}:")
            return i, depth + 1, [f"{i} = {i} - 1"]
        elif how in ("tiles", "guarded"):
            t = pick.choice([1, 2, 3, 4, 8, 16])
            tiles = f"({n} + {t - 1}) // {t}"
            if how == "tiles":
                self.add(depth, f"for {i}o in range({tiles}):", f"    for {i}i in range(T.min({t}, {n} - {i}o * {t})):", f"        {i}: T.let[T.int32] = {i}o * {t} + {i}i")
                return i, depth + 2, []
            self.add(depth, f"for {i}o, {i}i in T.grid({tiles}, {t}):", f"    if {i}o * {t} + {i}i < {n}:", f"        {i}: T.let[T.int32] = {i}o * {t} + {i}i")
            return i, depth + 2, []
        elif how == "typed":
            kind = pick.choice(COUNTERS)
            begin = 0 if kind.startswith("u") else pick.choice([0, 0, -1, -40 if kind == "int8" else -1000])
            self.add(depth, f"for {i}t in T.serial({number(kind, begin)}, T.cast({n} + {begin}, \"{kind}\")):", f"    {i}: T.let[T.int32] = T.cast({i}t, \"int32\") - {begin}")
        elif how == "late":
            b = pick.choice([1, 3, 7])
            self.add(depth, f"for {i}l in range({b}, {n} + {b}):", f"    {i}: T.let[T.int32] = {i}l - {b}")
        else:
            s = pick.choice([2, 3])
            self.add(depth, f"for {i}s in T.serial(0, {n} * {s}, step={s}):", f"    {i}: T.let[T.int32] = {i}s // {s}")
        return i, depth + 1, []

    def close(self, depth, ends):
        self.add(depth, *ends)

    def under(self, depth, i, *lines):
        pick = self.pick
        if pick.random() < 0.25:
            test = pick.choice([f"{i} > 2", f"{i} % 2 == 0", "p > q", f"{i} < p", f"{i} != q", f"A[{i}] > {number(self.dtype, 1)}", f"T.cast(K[{i}], \"int32\") > {i}", f"I[{i} % 16] > 3"])
            self.add(depth, f"if {test}:", *("    " + line for line in lines))
        else:
            self.add(depth, *lines)


def shifted(pick, f):
    """Elements that move within an array, or to another one, at offsets that may be the call's."""
    i, depth, ends = f.loop(0, f.size("n"))
    clamp = lambda x, most: f"T.min(T.max({x}, 0), {most})"
    offset = lambda: pick.choice(["0", "1", "2", "3", "8", clamp("p", 8), clamp("q", 8), clamp("p - q", 8), "7"])
    a, b = pick.choice([("A", "A"), ("A", "A"), ("A", "B"), ("B", "A")])
    at = lambda name: pick.choice([f"{name}[{i} + {offset()}]"] * 3 + [f"{name}[{f.size('n')} + 7 - {i}]", f"{name}[{f.size('n')} - 1 - {i}]", f"{name}[{i}]"])
    line = f"{at(a)} = " + pick.choice([at(b), f"{at(b)} + {number(f.dtype, 1)}", f"{at(a)} + {at(b)}", f"T.max({at(a)}, {at(b)})", f"{at(b)} * {at(b)} - {at(a)}"])
    lines = [line]
    if pick.random() < 0.25:
        x, y = at(a), at(b)
        lines = [f"t{f.names}: T.let[T.{f.dtype}] = {x}", f"{x} = {y}", f"{y} = t{f.names}"]
    elif pick.random() < 0.3:
        lines.append(f"{at(b)} = {at(a)}")
    f.under(depth, i, *lines)
    f.close(depth, ends)


def running(pick, f):
    """Sums and greatest elements that go on from element to element, in memory or in variables."""
    how = pick.choice(["memory", "variable", "place", "reset", "both"])
    s, at = f.fresh(), f.fresh()
    if how != "memory":
        f.add(0, f"{s}: T.{f.dtype} = {pick.choice([number(f.dtype, 0), 'R[0]', number(f.dtype, 3)])}", f"{at}: T.int32 = {pick.choice(['-1', '0', 'p'])}")
    i, depth, ends = f.loop(0, f.size("n"))
    term = pick.choice([f"A[{i}]", f"B[{i} + 1]", f"A[{i}] * B[{i}]", f'T.cast(K[{i}], "{f.dtype}")'])
    if how == "memory":
        f.under(depth, i, pick.choice([f"A[{i} + 1] = A[{i}] + B[{i}]", f"B[{i}] = B[T.max({i} - 1, 0)] + {term}", f"A[{i} + 2] = T.max(A[{i} + 1], A[{i}])", f"B[{i} + 1] = T.min(B[{i}], {term})"]))
    elif how == "place":
        compare = pick.choice(["<", ">", "<=", ">="])
        f.add(depth, f"if {term} {compare} {s}:", f"    {s} = {term}", f"    {at} = {i}")
    elif how == "reset":
        f.add(depth, f"{s} = T.if_then_else(T.cast(K[{i}], \"int32\") % 3 == 0, {number(f.dtype, 0)}, {s}) + {term}", f"{pick.choice(['A', 'B'])}[{i}] = {s}")
    else:
        line = pick.choice([f"{s} = {s} + {term}", f"{s} = T.max({s}, {term})", f"{s} = {s} * {number(f.dtype, 3)} + {term}", f"{s} = {term} - {s}"])
        f.under(depth, i, line)
        if how == "both":
            f.add(depth, f"{pick.choice(['B', 'A'])}[{i} + {pick.choice([0, 0, 1])}] = {s}")
    f.close(depth, ends)
    if how != "memory":
        f.add(0, f"R[{pick.choice([0, 1])}] = {s}", f"I[3] = {at}")


def counted(pick, f):
    """Histograms, lists of what holds, elements by numbers."""
    how = pick.choice(["histogram", "kept", "gathered", "scattered"])
    c = f.fresh()
    if how == "kept":
        f.add(0, f"{c}: T.int32 = 0")
    i, depth, ends = f.loop(0, f.size("n"))
    if how == "histogram":
        f.under(depth, i, pick.choice([f'I[T.cast(K[{i}], "int32") % 16] = I[T.cast(K[{i}], "int32") % 16] + 1', f'I[T.cast(K[{i}], "int32") & 15] = T.max(I[T.cast(K[{i}], "int32") & 15], {i})']))
    elif how == "kept":
        f.add(depth, f"if A[{i}] > {number(f.dtype, 2)}:", f"    B[{c}] = A[{i}]", f"    {c} = {c} + 1")
    elif how == "gathered":
        f.under(depth, i, f'A[{i}] = B[T.min(T.cast(K[{i}], "int32"), {f.size("n")} + 7)] + A[{i}]')
    else:
        f.under(depth, i, f'B[T.min(T.cast(K[{i}], "int32"), {f.size("n")} + 7)] = {pick.choice([f"A[{i}]", f"B[{i}] + A[{i}]"])}')
    f.close(depth, ends)
    if how == "kept":
        f.add(0, f"I[2] = {c}")


def nested(pick, f):
    """Rows and columns: sums, greatest elements and their places, minima of sums, rows less their greatest, in place."""
    square = pick.random() < 0.2
    i, depth, ends = f.loop(0, f.size("n"))
    s, at, how = f.fresh(), f.fresh(), pick.choice(["sum", "place", "softmax", "minimum", "update", "transpose", "seidel", "triangle", "early"])
    zero, one = number(f.dtype, 0), number(f.dtype, 1)
    inner = f.size("m") if how != "triangle" else f"T.min({f.size('m')}, {i} + 1)"
    c = lambda j: pick.choice([f"C[{i}, {j}]", f"C[{i}, {j}]", f"D[{j}, {i}]"])

    def body(*lines_of):
        j, deep, ending = f.loop(depth, inner)
        for line in lines_of:
            f.add(deep, *(text for text in line(j).split("\n")))
        f.close(deep, ending)

    if how in ("sum", "triangle"):
        f.add(depth, f"{s}: T.{f.dtype} = {pick.choice([zero, f'A[{i}]'])}")
        body(lambda j: f"{s} = {pick.choice([f'{s} + {c(j)}', f'T.max({s}, {c(j)})', f'{s} + {c(j)} * B[{i}]'])}")
        f.add(depth, f"A[{i}] = {s}")
    elif how == "place":
        f.add(depth, f"{s}: T.{f.dtype} = {zero}", f"{at}: T.int32 = -1")
        body(lambda j: f"if {c(j)} {pick.choice(['>', '<', '>='])} {s}:\n    {s} = C[{i}, {j}]\n    {at} = {j}")
        f.add(depth, f"B[{i}] = T.cast({at}, \"{f.dtype}\")", f"A[{i}] = {s}")
    elif how == "softmax":
        f.add(depth, f"{s}: T.{f.dtype} = {zero}")
        body(lambda j: f"{s} = T.max({s}, C[{i}, {j}])")
        body(lambda j: f"C[{i}, {j}] = C[{i}, {j}] - {s}")
        f.add(depth, f"A[{i}] = {zero}")
        body(lambda j: f"A[{i}] = A[{i}] + C[{i}, {j}]")
    elif how == "minimum":
        body(lambda j: f"B[{i}] = T.min(B[{i}], {c(j)} + D[{j}, {i}])")
    elif how == "update":
        body(lambda j: f"D[{j}, {i}] = D[{j}, {i}] + C[{i}, {j}]", lambda j: f"A[{i}] = A[{i}] + D[{j}, {i}]")
    elif how == "transpose":
        body(lambda j: f"D[{j}, {i}] = {pick.choice([f'C[{i}, {j}]', f'C[{i}, {f.size(chr(109))} - 1 - {j}]'])}")
    elif how == "seidel":
        body(lambda j: f"C[{i}, {j}] = {pick.choice([f'C[T.max({i} - 1, 0), {j}] + C[{i}, T.max({j} - 1, 0)]', f'C[T.max({i} - 1, 0), {j}] + {one}', f'C[{i}, T.max({j} - 1, 0)] + D[{j}, {i}]', f'T.max(C[T.max({i} - 1, 0), T.max({j} - 1, 0)], C[{i}, {j}])'])}")
    else:
        j = f.fresh()
        f.add(depth, f"for {j} in range({f.size('m')}):", f"    if C[{i}, {j}] > A[{i}]:", f"        {pick.choice(['break', 'continue'])}", f"    {pick.choice([f'A[{i}] = A[{i}] + C[{i}, {j}]', f'C[{i}, {j}] = B[{i}]'])}")
    f.close(depth, ends)


def viewed(pick, f):
    """Parts of arrays by views of other strides."""
    n, m = f.size("n"), f.size("m")
    i, depth, ends = f.loop(0, n)
    view = f"V{f.names}"
    how = pick.choice(["row", "column", "strided"])
    if how == "row":
        f.add(depth, f'with T.sblock("b{f.names}"):', f"    {view}s = T.int32()", f'    {view} = T.match_buffer(C[{i}, 0:{m}], ({m},), "{f.dtype}", strides=({view}s,), offset_factor=1)')
        j, deep, ending = f.loop(depth + 1, m)
        f.add(deep, pick.choice([f"{view}[{j}] = {view}[{j}] + A[{i}]", f"A[{i}] = A[{i}] + {view}[{j}]", f"{view}[{j}] = {view}[T.max({j} - 1, 0)]"]))
    elif how == "column":
        f.add(depth, f'with T.sblock("b{f.names}"):', f"    {view}s = T.int32()", f'    {view} = T.match_buffer(D[0:{m}, {i}:{i} + 1], ({m}, 1), "{f.dtype}", strides=({view}s, 1), offset_factor=1)')
        j, deep, ending = f.loop(depth + 1, m)
        f.add(deep, pick.choice([f"{view}[{j}, 0] = C[{i}, {j}]", f"A[{i}] = T.max(A[{i}], {view}[{j}, 0])", f"{view}[{j}, 0] = {view}[{j}, 0] * {number(f.dtype, 2)}"]))
    else:
        f.add(depth, f'{view} = T.decl_buffer(({n} // 2 + 4,), "{f.dtype}", data=A.data, elem_offset={pick.choice([0, 1])}, strides=(2,))' if n.isdigit() else f'{view} = T.decl_buffer(({n} + 8,), "{f.dtype}", data=A.data)')
        j, deep, ending = f.loop(depth, "4")
        f.add(deep, pick.choice([f"{view}[{j}] = {view}[{j}] + B[{i}]", f"B[{i}] = B[{i}] + {view}[{j}]", f"{view}[3 - {j}] = A[{i}]"]))
    f.close(deep, ending)
    f.close(depth, ends)


KINDS = (shifted, shifted, running, running, counted, nested, nested, nested, viewed)


def several(pick, f):
    for _ in range(pick.choice([1, 1, 2, 2, 3])):
        pick.choice(KINDS)(pick, f)


if __name__ == "__main__":
    sys.exit(main(maker("spelled", Nests, [several]), __doc__, 80))
