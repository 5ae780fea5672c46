"""Random loops whose iterations meet at places of the text's choosing, compared by `differential` with the oracle: on every
instruction set, with each pass off, with several threads.

    meetings.py [--differential PATH] [--seed N] [--count N] [--print]

Loops over one array, or two that are the same memory, whose subscripts go up and down by steps, cross, meet in one iteration, at
diagonals, in rows and in columns; distances that have a common divisor, that are sizes or parts of them, or less than nothing;
extents of nothing and of one; conditions of sizes and of counters; subscripts of several types, near the ends of these. Ends with
`N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

TYPES = ("float32", "float32", "int32", "int64", "int8", "uint16", "float16", "float64")
COUNTERS = ("int32", "int32", "int64")


class Loops(Function):
    """A function with counters and elements of some type, whose subscripts may lie outside of their array."""

    def __init__(self, pick):
        super().__init__(pick)
        self.kind = pick.choice(COUNTERS)
        self.dtype = pick.choice(TYPES)
        self.traps = pick.random() < 0.1

    def n(self, value):
        return str(value) if self.kind == "int32" else number(self.kind, value)


def flat(pick, f):
    """One loop, one array."""
    size = pick.choice([0, 1, 2, 7, 8, 9, 16, 17, 33, 40, 64, 100])
    begin = pick.choice([0, 0, 0, 1, 2, -3, 5, size // 2])
    steps = []
    for _ in range(pick.choice([2, 2, 3, 3, 4])):
        step = pick.choice([1, 1, 1, 1, 1, 2, 3, -1, -1, -2, 0, 4, 6])
        offset = pick.choice([0, 0, 1, -1, 2, 3, 4, 5, 6, 8, -2, -3, 9, 12, 16, pick.randrange(-20, 40), size // 2, size - 1])
        steps.append((step, offset))
    last = begin + max(size - 1, 0)
    low = min(min(s * begin, s * last) + o for s, o in steps)
    high = max(max(s * begin, s * last) + o for s, o in steps)
    if f.traps:
        low, high = low + pick.choice([0, 1]), high - pick.choice([0, 1])
    extent = max(high - low + 1, 1)
    f.buffer("A", f.dtype, extent)
    f.buffer("C", f.dtype, max(size, 1))
    f.scalar("p", f.kind)

    def at(k):
        step, offset = steps[k % len(steps)]
        offset -= low
        loop = "i"
        text = {0: "", 1: loop, -1: ""}.get(step, f"{loop} * {f.n(step)}")
        if step == -1:
            return f"A[{f.n(offset)} - {loop}]"
        if step == 0:
            return f"A[{f.n(offset)}]"
        return f"A[{text} + {f.n(offset)}]" if offset >= 0 else f"A[{text} - {f.n(-offset)}]"

    own = f"C[i - {f.n(begin)}]" if begin >= 0 else f"C[i + {f.n(-begin)}]"
    one = number(f.dtype, 1)
    lines = []

    def statement(store):
        value = pick.choice([f"{at(1)} + {one}", f"{at(1)} + {own}", f"{at(1)} * {own} + {at(2)}", f"{at(2)}", f"{own}", f"T.max({at(1)}, {at(2)})",
                             f"T.if_then_else({own} > {one}, {at(1)}, {at(2)})", f'T.cast(i, "{f.dtype}")'])
        return f"{store} = {value}"

    conditions = [f"i < {f.n(begin + size // 2)}", f"i > {f.n(begin + size // 3)}", f"p > {f.n(3)}", f"{own} > {one}", f"i == {f.n(begin + size // 2)}",
                  f"i % {f.n(2)} == {f.n(0)}", f"i != {f.n(begin)}"]
    places = [at(0), at(0), at(0), at(1), at(3), own]
    for _ in range(pick.choice([1, 1, 2, 2, 3])):
        line = statement(pick.choice(places))
        if pick.random() < 0.2:
            lines += [f"if {pick.choice(conditions)}:", "    " + line]
        elif pick.random() < 0.12:
            lines += [f"v{len(lines)}: T.let[T.{f.dtype}] = {at(1)}", f"{at(0)} = v{len(lines)} + {at(2)}"]
        else:
            lines.append(line)
    f.add(0, f"for i in T.serial({f.n(begin)}, {f.n(begin + size)}):", *("    " + line for line in lines))


SYMBOLIC_OFFSETS = ("0", "0", "1", "2", "3", "n", "n - 1", "n // 2", "m", "m - 1", "n - m", "m * 2", "4", "6", "p", "q", "n // 3", "n % 4", "p - q")


def symbolic(pick, f):
    """One loop, over sizes that are not known until it runs; elements lie in the middle of an array that is three times as long."""
    kind = f.kind = "int32"
    f.add(0, f"n, m = T.{kind}(), T.{kind}()")
    f.buffer("S", "int8", '"n"'), f.buffer("M", "int8", '"m"')
    length = pick.choice(['"n * 8 + m * 6 + 24"', '"n * 8 + m * 6 + 24"', '"n * 4 + m * 2"', '"n"', '"n + m"'])
    f.buffer("A", f.dtype, length), f.buffer("C", f.dtype, '"n + 1"')
    f.scalar("p", kind), f.scalar("q", kind)
    origin = pick.choice(["n * 3 + m * 2 + 12", "n * 3 + m * 2 + 12", "n + m", "0"])

    def offset():
        text = pick.choice(SYMBOLIC_OFFSETS)
        for name in "pq":
            if text == name and pick.random() < 0.5:
                text = f"T.min(T.max({name}, {f.n(-3)}), {f.n(5)})"
        return text if kind == "int32" else " ".join(number(kind, int(word)) if word.isdigit() else word for word in text.split())

    def at(extra=()):
        step = pick.choice(["i", "i", "i", "i", f"i * {f.n(2)}", "-", "-", "", f"i * {f.n(3)}"])
        sign = pick.choice("++-")
        base = origin if kind == "int32" else " ".join(number(kind, int(word)) if word.isdigit() else word for word in origin.split())
        if step == "-":
            return f"A[{base} {sign} ({offset()}) - i]"
        return f"A[{base} {sign} ({offset()})" + (f" + {step}]" if step else "]")

    one = number(f.dtype, 1)
    places = [at() for _ in range(3)]
    own = pick.choice(["C[i]", one])
    extent = pick.choice(["n", "n", "n", f"n - {f.n(1)}", f"T.min(n, m)", "n - m", "m", f"n // {f.n(2)}"])
    begin = pick.choice([f.n(0), f.n(0), f.n(0), f.n(1), "m"])
    stop = extent if begin == f.n(0) else f"n + {begin}" if pick.random() < 0.3 else extent
    own = "C[T.min(i, n)]" if begin == "m" or extent == "m" else own
    lines = []
    for _ in range(pick.choice([1, 1, 2, 2, 3])):
        a, b = pick.choice(places), pick.choice(places)
        line = f"{pick.choice(places)} = " + pick.choice([f"{a} + {one}", f"{a} + {own}", f"{a} + {b}", own, a, f"T.max({a}, {b})"])
        if pick.random() < 0.3:
            condition = pick.choice(["n > m", "m >= n", f"p > {f.n(0)}", f"i < m", "i >= p", "i == q", f"i + i < n", "p < q", f"n % {f.n(2)} == {f.n(0)}"])
            lines += [f"if {condition}:", "    " + line]
            if pick.random() < 0.3:
                lines += ["else:", f"    {pick.choice(places)} = {b}"]
        else:
            lines.append(line)
    f.add(0, f"for i in range({begin}, {stop}):", *("    " + line for line in lines))


def nest(pick, f):
    """Two loops over one square: diagonals, transposed places, rows and columns of which one is met."""
    n, m = pick.choice([0, 1, 2, 5, 8, 9, 17, 33]), pick.choice([1, 2, 5, 8, 9, 17, 40])
    dynamic = pick.random() < 0.5 and n > 0
    f.kind = "int32" if dynamic else f.kind
    pad = pick.choice([0, 1, 1, 2, 3])
    side = max(n, m) + 2 * pad + pick.choice([0, 1, 3])
    rows, columns = str(n), str(m)
    if dynamic:
        f.add(0, f"n, m = T.{f.kind}(), T.{f.kind}()")
        f.buffer("S", "int8", '"n"'), f.buffer("M", "int8", '"m"')
        shape = (f'"n + m + {2 * pad + 3}"',) * 2
        rows, columns = "n", "m"
    else:
        shape = (side, side)
        rows, columns = f.n(n), f.n(m)
    f.buffer("A", f.dtype, *shape), f.scalar("p", f.kind), f.scalar("q", f.kind)
    low = lambda x: f"T.min(T.max({x}, {f.n(0)}), {f.n(min(n, m) - 1 if not dynamic and min(n, m) > 0 else 0)})"
    pd = [f.n(k) for k in range(0, 2 * pad + 1)]

    def index(loop, other, extent):
        return pick.choice([f"{loop} + {pick.choice(pd)}"] * 6 + [f"{other} + {pick.choice(pd)}"] * 3 +
                           [f"{extent} - {f.n(1)} - {loop} + {f.n(pad)}", pick.choice(pd), low("p"), low("q"), f"{loop} + {f.n(pad)}", f"{loop} + {f.n(pad)}"])

    def at():
        if pick.random() < 0.15 and not dynamic:
            return f"A[(i + j) // {f.n(2)} + {pick.choice(pd)}, {index('j', 'i', columns)}]"
        return f"A[{index('i', 'j', rows)}, {index('j', 'i', columns)}]"

    one = number(f.dtype, 1)
    places = [at() for _ in range(4)]
    lines = []
    for _ in range(pick.choice([1, 1, 1, 2, 2, 3])):
        a, b = pick.choice(places), pick.choice(places)
        line = f"{pick.choice(places[:3])} = " + pick.choice([f"{a} + {one}", f"{a} + {b}", f"{a} * {b} - {places[3]}", a, one, f"T.max({a}, {b})"])
        if pick.random() < 0.3:
            condition = pick.choice(["i < j", "i != j", "i == j", "i > p", "j >= q", "i + j > p", f"i > {f.n(1)}", "p > q", "j != p"])
            lines += [f"if {condition}:", "    " + line]
        else:
            lines.append(line)
    begin = pick.choice([f.n(0)] * 3 + ["i", f"i + {f.n(1)}"])
    end = pick.choice([columns] * 4 + [f"T.min({columns}, i + {f.n(1)})"])
    outer = f"for i in range({rows}):"
    if pick.random() < 0.2:
        f.add(0, "for t in range(2):")
        f.add(1, outer, f"    for j in range({begin}, {end}):", *("        " + line for line in lines))
    else:
        f.add(0, outer, f"    for j in range({begin}, {end}):", *("        " + line for line in lines))


def flattened_nest(pick, f):
    """Places that are numbers of elements of a matrix with rows of so many."""
    n, m = pick.choice([1, 2, 5, 9, 17]), pick.choice([1, 2, 5, 8, 16, 20])
    width = pick.choice([m, m, m + 1, m - 1, 2 * m, 0, 1, m // 2])
    steps = [(pick.choice([width, width, -width, width + 1, width - 1, 1]), pick.choice([1, 1, 1, -1, 2, 0]), pick.choice([0, 0, 1, -1, width, -width, 2, m, n])) for _ in range(3)]
    ends = [[(a * i + b * j + c) for i in (0, n - 1) for j in (0, m - 1)] for a, b, c in steps]
    low, high = min(map(min, ends)), max(map(max, ends))
    f.buffer("A", f.dtype, high - low + 1), f.buffer("C", f.dtype, m)

    def at(k):
        a, b, c = steps[k]
        return f"A[i * {f.n(a)} + j * {f.n(b)} + {f.n(c - low)}]"

    one = number(f.dtype, 1)
    lines = []
    for _ in range(pick.choice([1, 1, 2])):
        value = pick.choice([f"{at(1)} + {one}", f"{at(1)} + C[j]", f"{at(1)} + {at(2)}", f"T.max({at(0)}, {at(1)})", "C[j]"])
        lines.append(f"{at(pick.choice([0, 0, 1]))} = {value}")
        if pick.random() < 0.2:
            lines[-1:] = [f"if {pick.choice(['i > j', 'j > 0', 'i == 0', 'i != j'])}:", "    " + lines[-1]]
    f.add(0, f"for i in range({f.n(n)}):", f"    for j in range({f.n(m)}):", *("        " + line for line in lines))


def wrapping(pick, f):
    """Subscripts by arithmetic of narrow numbers that wraps, or nearly so."""
    kind = pick.choice(["int32", "int32", "uint8", "int8", "uint16", "uint32"])
    bits = int(kind.strip("uint"))
    size = pick.choice([2, 9, 40, 130, 255, 300])
    extent = pick.choice([256, 256, 300, size + 40])
    f.buffer("A", f.dtype, extent), f.buffer("C", f.dtype, size), f.scalar("p", kind)
    i = f'T.cast(i, "{kind}")'
    half = 1 << (bits - 1)
    top = 2 * half - 1 if kind.startswith("u") else half - 1
    big = number(kind, pick.choice([top, top - 3, half - 1, half // 2, 100, 7, 64, 128 if top > 128 else 3]))

    def at():
        value = pick.choice([i, f"({i} + {big})", f"({big} - {i})", f"({i} * {big})", f"({i} * {number(kind, 2)})", f"({i} + p)", f"({i} * p)",
                             f"({i} + {big} - {big})", f"({i} * {number(kind, 64)})", f"({i} * {number(kind, pick.choice([3, 5, 17]))} + {number(kind, 1)})"])
        wide = f'T.cast({value}, "int64")' if kind == "uint32" else f'T.cast({value}, "int32")'
        zero, last = (number("int64", 0), number("int64", extent - 1)) if kind == "uint32" else ("0", str(extent - 1))
        if pick.random() < 0.3 and kind in ("uint8",) and extent >= 256:
            return f"A[{wide}]"
        return f"A[T.min(T.max({wide}, {zero}), {last})]" if pick.random() < 0.7 else f"A[{wide} % {last}]"

    one = number(f.dtype, 1)
    a, b, c = at(), at(), at()
    f.add(0, f"for i in range({size}):")
    for line in pick.choice([[f"{a} = {b} + {one}"], [f"{a} = {b} + C[i]"], [f"{a} = C[i]", f"{b} = {c}"], [f"{a} = {a} + {b}"], [f"{a} = C[i]"], [f"C[i] = {a}", f"{b} = C[i] + {one}"]]):
        f.add(1, line)


def aliased(pick, f):
    """Two views of the same memory."""
    n, more = pick.choice([5, 9, 16, 33, 70]), pick.choice([0, 1, 4, 8, 20])
    total = 3 * n + more + 40
    f.buffer("A", f.dtype, total), f.buffer("C", f.dtype, n)
    begin = pick.choice([0, 1, 4, n, more])
    width = pick.choice([n, n + more])
    form = pick.random()
    if form < 0.4:
        f.add(0, f'B = T.decl_buffer(({width},), "{f.dtype}", data=A.data, elem_offset={begin})')
        b = lambda x: f"B[{x}]"
    elif form < 0.7:
        stride = pick.choice([1, 2, 3])
        width = min(width, (total - begin) // stride)
        f.add(0, f'B = T.decl_buffer(({width},), "{f.dtype}", data=A.data, elem_offset={begin}, strides=({stride},))')
        b = lambda x: f"B[{x}]"
    else:
        rows, columns = pick.choice([(2, n), (n, 2), (3, n)])
        f.add(0, f'B = T.decl_buffer(({rows}, {columns}), "{f.dtype}", data=A.data)')
        b = lambda x: f"B[{pick.randrange(rows)}, {x}]" if columns == n else f"B[{x}, {pick.randrange(columns)}]"
        width = n
    size = min(n, width)
    one = number(f.dtype, 1)

    def pick_a():
        return f"A[i * {pick.choice([1, 1, 1, 2])} + {pick.choice([0, 1, 2, begin, begin + 1, n])}]"

    def pick_b():
        return b(pick.choice(["i", "i", "i", f"{size - 1} - i", "0"]))

    x, y = (pick_a, pick_b) if pick.random() < 0.5 else (pick_b, pick_a)
    f.add(0, f"for i in range({size}):")
    f.add(1, *pick.choice([[f"{x()} = {y()} + {one}"], [f"{x()} = {y()} + C[i]", f"{y()} = {x()}"], [f"{x()} = C[i]", f"{y()} = {y()} + {one}"], [f"{x()} = {x()} + {y()}"]]))


def interleaved(pick, f):
    """Nests of two or three loops whose steps have a common divisor, or strips of their own that are next to each other."""
    sizes = [pick.choice([1, 2, 3, 4, 5, 8, 9, 17]) for _ in range(pick.choice([2, 2, 3]))]
    loops = "ijk"[:len(sizes)]
    base = pick.choice([2, 2, 3, 4, 4, 6, 8])
    steps = [[base * pick.choice([1, 1, 2, 3, size, sizes[0], -1, 0]) if pick.random() < 0.85 else pick.choice([1, -1, 3]) for size in sizes] for _ in range(2)]
    if pick.random() < 0.6:
        steps[1] = list(steps[0])
    if pick.random() < 0.4:  # rows of a matrix
        width = 1
        for d in range(len(sizes) - 1, -1, -1):
            steps[0][d] = steps[1][d] = base * width
            width *= sizes[d]
    shifts = [0, pick.choice([0, 1, 1, base - 1, base, base // 2, base * sizes[-1], base * 2 + 1, -1, -base, 3])]
    low = min(shift + sum(min(0, step * (size - 1)) for step, size in zip(row, sizes)) for row, shift in zip(steps, shifts))
    high = max(shift + sum(max(0, step * (size - 1)) for step, size in zip(row, sizes)) for row, shift in zip(steps, shifts))
    f.buffer("A", f.dtype, high - low + 1), f.buffer("C", f.dtype, *sizes)

    def at(k):
        return "A[" + " + ".join(f"{loop} * {f.n(step)}" for loop, step in zip(loops, steps[k])) + f" + {f.n(shifts[k] - low)}]"

    own, one = f"C[{', '.join(loops)}]", number(f.dtype, 1)
    lines = []
    for _ in range(pick.choice([1, 1, 2])):
        store, load = pick.choice([(0, 1), (0, 1), (1, 0), (0, 0)])
        lines.append(f"{at(store)} = " + pick.choice([f"{at(load)} + {one}", f"{at(load)} + {own}", f"{at(load)} * {at(store)}", own, at(load)]))
    order = list(zip(loops, sizes))
    if pick.random() < 0.4:
        pick.shuffle(order)
    for d, (loop, size) in enumerate(order):
        f.add(d, f"for {loop} in range({f.n(size)}):")
    f.add(len(order), *lines)


def beside(pick, f):
    """Variables that are carried, or that each iteration has, beside elements at distances."""
    size = pick.choice([1, 5, 9, 17, 40, 70])
    shifts = [pick.choice([0, 1, -1, 2, 3, 4, 6, 8, -2, 12, 16, 20]) for _ in range(4)]
    low = min(shifts)
    f.buffer("A", f.dtype, size + max(shifts) - low), f.buffer("B", f.dtype, size + max(shifts) - low), f.buffer("C", f.dtype, size)
    f.buffer("R", f.dtype, 1)
    at = lambda k, name="A": f"{name}[i + {f.n(shifts[k] - low)}]"
    one, begin = number(f.dtype, 1), f.n(0)
    lines = []
    terms = ["s", "s", at(1), at(2), at(3, "B"), at(0, "B"), "C[i]"]
    for _ in range(pick.choice([2, 3, 4])):
        a, b = pick.choice(terms), pick.choice(terms)
        line = pick.choice([f"s = {a}", f"s = s + {a}", f"{at(0)} = {a} + {b}", f"{at(pick.choice([0, 1]))} = {a}", f"{at(0, 'B')} = {a} + {one}", f"{at(2, 'B')} = s",
                            f"s = T.max(s, {a})", f"C[i] = {a} - {b}"])
        if pick.random() < 0.2:
            lines += [f"if {pick.choice([f'C[i] > {one}', f'i > {f.n(size // 2)}', f'i % {f.n(3)} == {f.n(0)}'])}:", "    " + line]
        else:
            lines.append(line)
    each = pick.random() < 0.5
    declared = f"s: T.{f.dtype} = {pick.choice([at(1), 'C[i]', one]) if each else 'R[0]'}"
    if not each:
        f.add(0, declared)
    how = pick.choice([f"{begin}, {f.n(size)}"] * 3 + [f"{begin}, {f.n(size)}, {f.n(2)}"])
    f.add(0, f"for i in range({how}):", *(["    " + declared] if each else []), *("    " + line for line in lines))
    if not each:
        f.add(0, "R[0] = s")


def stored_over(pick, f):
    """What one iteration stores the next one stores over, or nearly so: read before that, behind it, or not at all."""
    size = pick.choice([0, 1, 2, 7, 8, 9, 33, 255, 256, 257, 1023, 1024])
    step = pick.choice([1, 1, 1, 2, -1, 3])
    shifts = [0, step * pick.choice([1, 1, 1, 1, 2, -1, 0]), step * pick.choice([0, 1, 2, -1]), pick.choice([0, 1, 2, -1, step, -step])]
    ends = [step * i + shift for i in (0, max(size - 1, 0)) for shift in shifts]
    low, high = min(ends), max(ends)
    dynamic = pick.random() < 0.5 and step == 1
    if dynamic:
        f.kind = "int32"
        f.add(0, "n = T.int32()")
        f.buffer("C", f.dtype, '"n"')
    f.buffer("A", f.dtype, f'"n + {max(shifts) - low}"' if dynamic else high - low + 1)
    f.buffer("B", f.dtype, '"n"' if dynamic else max(size, 1))
    f.scalar("p", f.kind)
    at = lambda k: f"A[i * {f.n(step)} + {f.n(shifts[k] - low)}]"
    one, extent = number(f.dtype, 1), "n" if dynamic else f.n(size)
    values = [at(2), at(3), at(1), "B[i]", f"B[i] + {at(1)}", f"{at(3)} * B[i]", one, f'T.cast(i, "{f.dtype}")']
    lines = [[f"{at(0)} = {pick.choice(values)}"], [f"{at(1)} = {pick.choice(values)}"]]
    for _ in range(pick.choice([0, 1, 1, 2])):
        lines.append([f"{pick.choice(['B[i]', 'B[i]', 'B[i]', at(3)])} = {pick.choice(values)}"])
    pick.shuffle(lines)
    if pick.random() < 0.2:
        k = pick.randrange(len(lines))
        lines[k] = [f"if {pick.choice([f'B[i] > {one}', 'i > p', f'i == {f.n(size // 2)}'])}:", "    " + lines[k][0]]
    f.add(0, f"for i in range({extent}):", *("    " + line for part in lines for line in part))


def stepped(pick, f):
    """A step that is a size, or any number, and distances that are multiples of it, or nearly so."""
    f.kind = "int32"
    f.add(0, "n, m = T.int32(), T.int32()")
    f.buffer("S", "int8", '"n"'), f.buffer("M", "int8", '"m"')
    f.buffer("A", f.dtype, pick.choice(['"n * 6 + m * 8 + 9"', '"n * 6 + m * 8 + 9"', '"n + m * 3"', '"n"'])), f.buffer("C", f.dtype, '"n * 2 + m * 2 + 9"')
    f.scalar("p", f.kind)
    step = pick.choice(["m", "m", "m", "p", "n", "m + 1", "T.max(m, 1)"])
    first = pick.choice(["0", "0", "0", "1", "m", "p"])
    stop = pick.choice(["n", "n", "n * 2", f"n - {step}", f"n - 1 - {step}", "m"] if first in "01" else ["n", "n * 2"])
    shifts = ["", "", " + m", " + m", " + p", f" + {step}", f" + ({step}) * 2", " + m * 2 + 1", " + 1", f" + m * 2 - ({step})", " + n"]
    at = lambda name="A": f"{name}[i{pick.choice(shifts)}]"
    one = number(f.dtype, 1)
    lines = []
    for _ in range(pick.choice([1, 1, 2])):
        lines.append(f"{at()} = {pick.choice([at() + ' + C[i]', at() + ' + ' + one, 'C[i]', at(), at() + ' * ' + at()])}")
        if pick.random() < 0.2:
            lines[-1:] = [f"if {pick.choice(['i > p', 'p > m', 'n > m'])}:", "    " + lines[-1]]
    f.add(0, f"for i in range({first}, {stop}, {step}):", *("    " + line for line in lines))


SHAPES = (stored_over, stored_over, stepped, stepped, interleaved, interleaved, beside, beside, flat, flat, flat, flat, symbolic, symbolic, symbolic, nest, nest, nest, flattened_nest, wrapping, aliased)


if __name__ == "__main__":
    sys.exit(main(maker("meetings", Loops, SHAPES), __doc__, 100))
