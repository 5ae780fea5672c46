"""Random loops over extents around those of vectors, blocks and strips, compared by `differential` with the oracle, or with the
generic instruction set where that takes too long: on every instruction set, and with every region on several threads.

    extents.py [--differential PATH] [--seed N] [--count N] [--print]

Elements of all types one after another, every second to eighth, downwards, woven, in place; casts and words of several widths
beside each other; conditions, masks and choices; sums, extremes, searches and counts of rows and columns; windows, tables,
histograms and what is kept of a list. The extents are numbers, or known when it runs. Ends with `N passed, N failed`; exit status
1 on failure."""

import sys

from irregular import Function, computed, main, maker, number

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TINY = ("float8_e4m3fn", "float8_e5m2", "bool")
ENDS = (16, 32, 64, 128, 255, 256, 1023, 1024, 4096)
ROWS = (1, 2, 3, 5, 9, 16, 17)


class Loop(Function):
    """A function with a loop of `n` elements."""

    def __init__(self, pick):
        super().__init__(pick)
        self.dtype = pick.choice(FLOATS + INTS)
        self.count = max(pick.choice(ENDS) + pick.choice([-3, -2, -1, 0, 1, 2, 3, 7, 9, 15, 17, 31, 33]), 1)
        self.is_symbolic = pick.random() < 0.35
        self.n = "n" if self.is_symbolic else str(self.count)
        if self.is_symbolic:
            self.add(0, "n = T.int32()")
            self.buffer("N", "int8", '"n"')

    def size(self, times=1, more=0):
        """So many times the extent, and so many more, as a dimension."""
        if not self.is_symbolic:
            return self.count * times + more
        return '"n' + (f" * {times}" if times > 1 else "") + (f" + {more}" if more else "") + '"'

    def arrays(self, names, dtype=None, times=1, more=0):
        for name in names:
            self.buffer(name, dtype or self.dtype, self.size(times, more))

    def type(self):
        """The loop's own type, or any other."""
        return self.pick.choice([self.dtype, self.pick.choice(FLOATS + INTS)])

    def value(self, *names, dtype=None, depth=None):
        """An expression of at least one of the names."""
        dtype, pick = dtype or self.dtype, self.pick
        first = pick.choice(names)
        return computed(pick, pick.choice([0, 1, 1, 2, 3]) if depth is None else depth, [first, first] + list(names), dtype)

    def stored(self, value, dtype, to):
        return value if dtype == to else cast(to, value)


def cast(dtype, value):
    return f'T.Cast("{dtype}", {value})'


def elements(pick, f):
    """Several stores one after another, each of which may read the one before."""
    f.arrays("ABCD")
    f.add(0, f"for i in range({f.n}):")
    for target, names in pick.sample([("C", "AB"), ("D", "ABC"), ("A", "BCD")], pick.choice([1, 1, 2, 3])):
        f.add(1, f"{target}[i] = {f.value(*(name + '[i]' for name in names))}")


def apart(pick, f):
    """Every second or third element, from its begin or its end, is read and written; the others stay."""
    to, between = (f.dtype, f.dtype) if pick.random() < 0.6 else (f.type(), f.type())
    read, write = pick.choice([1, 1, 1, 2, 3, 4, 5]), pick.choice([1, 2, 2, 3, 3, 4, 4, 5, 8])
    f.arrays("A", times=read), f.arrays("B"), f.arrays("C", to, times=write), f.scalar("s", f.dtype)
    sources = [f"A[i * {read} + {pick.randrange(read)}]", f"A[{f.n} * {read} - 1 - i * {read}]", "B[i]", "s"]
    names = [f.stored(source, f.dtype, between) for source in pick.sample(sources, pick.choice([1, 2, 3, 4]))]
    f.add(0, f"for i in range({f.n}):")
    for k in pick.sample(range(write), min(write, pick.choice([1, 1, 1, 1, 2, 3, 8]))):
        place = pick.choice([f"C[i * {write} + {k}]"] * 3 + [f"C[{f.n} * {write} - 1 - {k} - i * {write}]"])
        f.add(1, f"{place} = {f.stored(f.value(*names, dtype=between), between, to)}")


def casts(pick, f):
    """One type to another, by a third or not."""
    source, to = pick.choice(FLOATS + INTS + TINY), pick.choice(FLOATS + INTS + TINY[:2])
    f.arrays("A", source), f.arrays("C", to)
    way = pick.choice(("float32", "float16")) if source in TINY or to in TINY else f.dtype
    value = cast(way, "A[i]")
    if pick.random() < 0.5:
        value = f.value(value, dtype=way)
    f.add(0, f"for i in range({f.n}):", f"    C[i] = {cast(to, value)}")


def widths(pick, f):
    """Arrays of several types, and what is computed in one of them."""
    types = [f.type() for _ in "ABCD"]
    for name, dtype in zip("ABCD", types):
        f.arrays(name, dtype)
    f.add(0, f"for i in range({f.n}):")
    value = f.value(*(f.stored(f"{name}[i]", dtype, f.dtype) for name, dtype in zip("AB", types)))
    f.add(1, f"D[i] = {f.stored(value, f.dtype, types[3])}")
    if pick.random() < 0.6:
        f.add(1, f"C[i] = {f.stored(pick.choice(['D[i]', 'D[i]', 'A[i]']), types[3], types[2]) if types[0] == types[3] else f.stored('D[i]', types[3], types[2])}")


def guarded(pick, f):
    """Stores behind conditions, with or without another arm, and masks."""
    other = f.type()
    f.arrays("AB"), f.arrays("CD", other), f.arrays("M", "bool"), f.scalar("p", "int32")
    test = pick.choice([f"A[i] > {number(f.dtype, 1)}", f"i % {pick.choice([2, 3, 5])} == 0", "A[i] < B[i]", "A[i] == B[i] and i > 2", f"A[i] != B[i] or B[i] > {number(f.dtype, 2)}", "i < p", "M[i]"])
    f.add(0, f"for i in range({f.n}):")
    if pick.random() < 0.2:
        f.add(1, f"M[i] = {test}", f"C[i] = T.Select(M[i], C[i], D[i])")
        return
    f.add(1, f"if {test}:", f"    C[i] = {f.value('C[i]', 'D[i]', dtype=other)}")
    if pick.random() < 0.5:
        f.add(1, "else:", f"    C[i] = {f.value('C[i]', 'D[i]', dtype=other)}")


def folds(pick, f):
    """Sums, products and extremes of rows and of columns."""
    read, rows = f.type(), pick.choice(ROWS)
    by_rows = pick.random() < 0.6
    f.buffer("A", read, rows, f.size()), f.buffer("S", f.dtype, rows if by_rows else f.size())
    target, value = "S[i]" if by_rows else "S[j]", f.stored("A[i, j]", read, f.dtype)
    value = pick.choice([value, f"({value} * {value})", f"({value} - {number(f.dtype, 1)})"])
    ways = [f"{target} + {value}", f"{target} - {value}", f"{target} * {value}", f"T.max({target}, {value})", f"T.min({value}, {target})"]
    if f.dtype in INTS:
        ways += [f"{target} ^ {value}", f"{target} | {value}"]
    f.add(0, f"for i in range({rows}):", f"    for j in range({f.n}):", f"        {target} = {pick.choice(ways)}")


def searches(pick, f):
    """What is the largest, where it is, and how many are like it."""
    rows, at = pick.choice([1, 4, 17]), pick.choice(("int32", "int64", "uint8", "int16"))
    f.buffer("A", f.dtype, rows, f.size()), f.buffer("V", f.dtype, rows), f.buffer("X", at, rows)
    f.add(0, f"for i in range({rows}):", f"    for j in range({f.n}):")
    if pick.random() < 0.5:
        f.add(2, f"if A[i, j] {pick.choice(['>', '<', '>=', '<='])} V[i]:", "    V[i] = A[i, j]", f"    X[i] = {cast(at, 'j')}")
    else:
        f.add(2, f"if A[i, j] {pick.choice(['>', '==', '!='])} {pick.choice(['V[i]', number(f.dtype, 1)])}:", f"    X[i] = X[i] + {number(at, 1)}")


def scans(pick, f):
    """Elements made of the ones before, which begin anew at times."""
    rows = pick.choice([1, 3, 9])
    f.buffer("A", f.dtype, rows, f.size()), f.buffer("C", f.dtype, rows, f.size())
    f.add(0, f's = T.alloc_buffer((1,), "{f.dtype}")', f"for i in range({rows}):", f"    s[0] = {number(f.dtype, 0)}", f"    for j in range({f.n}):")
    if pick.random() < 0.5:
        test = pick.choice([f"A[i, j] == {number(f.dtype, 0)}", f"j % {pick.choice([3, 7, 16, 64])} == 0"])
        f.add(2, f"if {test}:", f"    s[0] = {number(f.dtype, 1)}")
    f.add(2, f"s[0] = {pick.choice(['s[0] + A[i, j]', 'T.max(s[0], A[i, j])', 'A[i, j] - s[0]'])}", "C[i, j] = s[0]")


def in_place(pick, f):
    """An array's elements of others of it, so many before or behind, and reversed."""
    by = pick.choice([1, 2, 3, 5, 8, 16, 64])
    f.arrays("A", more=by)
    line = pick.choice([f"A[i] = A[i + {by}]", f"A[i + {by}] = A[i]", f"A[i] = {f.value(f'A[i + {by}]', 'A[i]')}", f"A[i + {by}] = {f.value(f'A[i + {by}]', 'A[i]')}",
                        f"A[{f.n} - 1 - i] = A[i]", f"A[i] = A[{f.n} + {by - 1} - i]"])
    f.add(0, f"for i in range({f.n}):", f"    {line}")


def windows(pick, f):
    """Neighbours along a row, and elements of a row and those around them."""
    reach = pick.choice([1, 2, 3])
    if pick.random() < 0.5:
        f.arrays("C"), f.arrays("A", more=2 * reach)
        terms = [f"A[i + {k}]" + pick.choice(["", f" * {number(f.dtype, 2)}"]) for k in range(2 * reach + 1)]
        f.add(0, f"for i in range({f.n}):", f"    C[i] = {' + '.join(terms)}")
        return
    rows = pick.choice([3, 4, 9])
    f.buffer("A", f.dtype, rows, f.size(more=2)), f.buffer("C", f.dtype, rows, f.size(more=2))
    value = pick.choice(["A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]", "T.max(T.max(A[i - 1, j - 1], A[i + 1, j + 1]), A[i, j])"])
    f.add(0, f"for i in range(1, {rows - 1}):", f"    for j in range(1, {f.n} + 1):", f"        {pick.choice('CCCA')}[i, j] = {value}")


def channels(pick, f):
    """A few channels that lie together, and rows that do."""
    k, to = pick.choice([2, 3, 4, 5, 8]), f.type()
    if pick.random() < 0.5:
        f.buffer("A", f.dtype, k, f.size()), f.buffer("C", to, f.size(), k)
        f.add(0, f"for i in range({f.n}):", f"    for j in range({k}):", f"        C[i, j] = {f.stored('A[j, i]', f.dtype, to)}")
    else:
        f.buffer("A", f.dtype, f.size(), k), f.arrays("C", to)
        value = pick.choice([" + ".join(f"A[i, {j}]" for j in range(k)), f.value(*(f"A[i, {j}]" for j in range(k)))])
        f.add(0, f"for i in range({f.n}):", f"    C[i] = {f.stored(value, f.dtype, to)}")


def lists(pick, f):
    """Elements that a list names are read, counted and changed; and a list of those that are kept."""
    at, entries = pick.choice(("int32", "int64", "uint8", "int16")), pick.choice([1, 7, 64, 100])
    f.arrays("AB"), f.arrays("X", at), f.buffer("T0", f.dtype, entries), f.buffer("K", "int32", 1)
    named = f"T0[T.min(T.max(X[i], {number(at, 0)}), {number(at, entries - 1)})]"
    f.add(0, *(["K[0] = 0"]), f"for i in range({f.n}):")
    if pick.random() < 0.25:
        f.add(1, f"if A[i] {pick.choice(['>', '!=', '<='])} {number(f.dtype, pick.choice([0, 1, 3]))}:", "    B[K[0]] = A[i]", "    K[0] = K[0] + 1")
    else:
        f.add(1, pick.choice([f"B[i] = {f.value(named, 'B[i]')}", f"{named} = {named} + A[i]", f"{named} = T.max({named}, A[i])", f"{named} = {named} + {number(f.dtype, 1)}", f"{named} = A[i]"]))


def rounded(pick, f):
    """Floats as narrow integers within their ends, and back; means and products of integers in wider ones."""
    if pick.random() < 0.5:
        dtype, wide = pick.choice((("uint8", "uint16"), ("int8", "int16"), ("uint16", "uint32"), ("int16", "int32"), ("int32", "int64")))
        f.arrays("ABC", dtype)
        a, b = cast(wide, "A[i]"), cast(wide, "B[i]")
        value = pick.choice([f"({a} + {b} + {number(wide, 1)}) >> {number(wide, 1)}", f"({a} * {b}) >> {number(wide, 8)}", f"T.min({a} + {b}, {number(wide, 100)})"])
        f.add(0, f"for i in range({f.n}):", f"    C[i] = {cast(dtype, value)}")
        return
    dtype, (narrow, low, high) = pick.choice(FLOATS), pick.choice((("int8", -128, 127), ("uint8", 0, 255), ("int16", -30000, 30000)))
    f.arrays("A", dtype), f.arrays("Q", narrow), f.arrays("D", dtype)
    value = f"T.round(A[i] * {number(dtype, 16)}) + {number(dtype, 3)}"
    f.add(0, f"for i in range({f.n}):", f"    Q[i] = {cast(narrow, f'T.min(T.max({value}, {number(dtype, low)}), {number(dtype, high)})')}")
    f.add(0, f"for i in range({f.n}):", f"    D[i] = ({cast(dtype, 'Q[i]')} - {number(dtype, 3)}) / {number(dtype, 16)}")


def functions(pick, f):
    """What has kernels of its own: functions of floats, and quotients and shifts of integers."""
    dtype = pick.choice(("float32", "float64", "float16", "bfloat16")) if f.dtype in FLOATS else f.dtype
    f.arrays("ABC", dtype)
    if dtype in FLOATS:
        name = pick.choice(["sin", "tanh", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "erf", "sigmoid", "floor", "round", "trunc"])
        value = pick.choice([f"T.{name}(A[i])", f"T.{name}(A[i]) + B[i]", f"T.{pick.choice(['pow', 'atan2', 'fmod', 'copysign'])}(A[i], B[i])"])
    else:
        by = pick.choice([f"T.max(B[i], {number(dtype, 1)})", f"(B[i] | {number(dtype, 1)})", number(dtype, pick.choice([3, 7, 10, 100]))])
        value = pick.choice([f"A[i] // {by}", f"A[i] % {by}", f"T.truncdiv(A[i], {by})", f"T.truncmod(A[i], {by})", f"A[i] << (B[i] & {number(dtype, 7)})", f"A[i] >> (B[i] & {number(dtype, 7)})"])
    f.add(0, f"for i in range({f.n}):", f"    C[i] = {value}")


SHAPES = (elements, apart, apart, apart, casts, casts, widths, widths, guarded, folds, searches, scans, in_place, windows, channels, lists, rounded, functions)


if __name__ == "__main__":
    sys.exit(main(maker("extents", Loop, SHAPES), __doc__, 500, ["--passes", "few"]))
