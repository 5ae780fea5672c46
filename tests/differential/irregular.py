"""Random functions of the shapes that the compiler's passes for irregular loops look for, compared by `differential` with the
oracle: on every instruction set, with each pass off, with several threads.

    irregular.py [--differential PATH] [--seed N] [--count N] [--print]

While loops that count up and down, to the ends of their types; ranges of rows; elements behind conditions; digits of numbers as
indices; folds of rows; moves backwards, by steps and by lists; narrow integers as indices; lanes with loops of their own, or with
columns; lanes of several types; bits taken off numbers; sums that begin anew; numbers that are found, stored and counted; tables that are filled from themselves;
arms that change what is read again; conditions on what stands still; loops that are left, searched and cut; iterations of which few do anything; while loops that go on as long
as elements say; scratch in front of all loops; arrays of a few elements; windows of channels at places that are computed. In a quarter of them counters are spelled by arithmetic that wraps. Ends with `N passed, N failed`; exit status 1 on failure."""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

from respell import respelled, with_parameters

FLOATS, INTS, COUNTS = ("float32", "float64"), ("int32", "int64", "uint32", "int8", "uint8", "int16"), ("int32", "int64")
HEAD = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
STORED = FLOATS + INTS + ("float16", "uint16", "uint64")
ENDS = {"int8": 1 << 7, "uint8": 1 << 8, "int16": 1 << 15, "int32": 1 << 31, "uint32": 1 << 32, "int64": 1 << 63}


class Function:
    """A function's parameters and statements."""

    def __init__(self, pick):
        self.pick, self.params, self.body, self.extents = pick, [], [], []
        self.dynamic = pick.random() < 0.3

    def buffer(self, name, dtype, *shape):
        self.params.append(f'{name}: T.Buffer(({", ".join(map(str, shape))},), "{dtype}")')
        return name

    def scalar(self, name, dtype):
        self.params.append(f"{name}: T.{dtype}")
        return name

    def add(self, depth, *lines):
        self.body += ["    " * depth + line for line in lines]

    def text(self, name):
        return (f"    @T.prim_func(s_tir=True)\n    def {name}({', '.join(self.params)}):\n" +
                "".join(f"        {line}\n" for line in self.body))


def number(dtype, value):
    return f"T.{dtype}({value})"


def any_type(pick):
    return pick.choice(FLOATS + INTS)


def inside(expression, extent):
    return f"T.min(T.max({expression}, 0), {extent - 1})"


def longer(pick, term, dtype):
    """At times the term with so much arithmetic that lanes are in registers."""
    if pick.random() < 0.6:
        return term
    factors = [f"({term} {pick.choice('+-')} {number(dtype, k)})" for k in range(1, pick.choice([3, 5, 7]))]
    return " * ".join(factors)


def computed(pick, depth, names, dtype):
    """An expression of values that have names."""
    if depth == 0 or pick.random() < 0.2:
        return pick.choice(names + [number(dtype, pick.choice([0, 1, 2, 3, 7]))])
    a, b = computed(pick, depth - 1, names, dtype), pick.choice(names)
    how = pick.random()
    if how < 0.6:
        return f"({a} {pick.choice('+-*')} {b})"
    if how < 0.75:
        return f"T.{pick.choice(['max', 'min'])}({a}, {b})"
    if how < 0.9:
        other = computed(pick, depth - 1, names, dtype)
        return f"T.Select({a} {pick.choice(['<', '>', '==', '<='])} {b}, {other}, {pick.choice(names)})"
    if "float" in dtype:
        return f"T.{pick.choice(['floor', 'fabs'])}({a})"
    return pick.choice([f"({a} // {number(dtype, 3)})", f"({a} % {number(dtype, 5)})", f"({a} & {b})", f"({a} >> {number(dtype, 1)})"])


def near_an_end(pick, dtype):
    end = ENDS[dtype]
    return pick.choice([end - 1, end - 2, end - 40, -end, -end + 1, -end + 37, end // 2, -(end // 2), end // 4, -(end // 4)])


# ---- Loops that count -----------------------------------------------------------------------------------------------


def counting(pick, f):
    """A while loop whose variable counts, in a loop or alone, with anything as its begin, bound and step."""
    kind, dtype, n = pick.choice(COUNTS), any_type(pick), pick.choice([5, 40, 70])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("S", kind, 8), f.scalar("p", kind), f.scalar("q", kind)
    depth = 0
    if pick.random() < 0.5:
        f.add(0, f"for i in range({pick.choice([3, 8])}):")
        depth = 1
    i = f"T.cast(i, \"{kind}\")" if depth else number(kind, 3)
    up, far = pick.random() < 0.5, pick.random() < 0.4
    by = pick.choice([1, 1, 1, 2, 3, 7])
    step = pick.choice([number(kind, by), number(kind, by), f"T.max({number(kind, 1)}, T.min(p, {number(kind, 9)}))"])
    if far:
        begin, distance = near_an_end(pick, kind), pick.choice([0, 1, 9, 33]) * by
        bound = begin + (distance if up else -distance) + pick.choice([-1, 0, 0, 1])
        if pick.random() < 0.2:
            begin, bound = bound, begin
        low, high = -ENDS[kind], ENDS[kind] - 1
        begin, bound = min(max(begin, low), high), min(max(bound, low), high)
        origin = begin
        begin, bound = number(kind, begin), number(kind, bound)
        begin = pick.choice([begin, f"T.max({begin}, S[0])", f"T.min({begin}, S[1])"])
    else:
        origin = 0
        ends = [number(kind, 0), i, f"S[{'i' if depth else 2}]", "p"], [number(kind, n), "q", f"T.min(q, {number(kind, n)})", f"{i} + {number(kind, 20)}"]
        begin, bound = pick.choice(ends[not up]), pick.choice(ends[up])
    if kind == "int64" and pick.random() < 0.15:
        step = number(kind, 1 << pick.choice([58, 60, 61]))
    less = pick.choice(["<", "<", "<="] if up else [">", ">", ">="])
    test = f"j {less} {bound}" if pick.random() < 0.7 else f"{bound} {less.translate(str.maketrans('<>', '><'))} j"
    place = inside(f"j - {number(kind, origin)}" if origin else pick.choice(["j", f"{number(kind, n - 1)} - j", f"j * {number(kind, 2)}"]), n)
    statements = [f"B[{place}] = A[{place}] + B[{place}]", f"B[{place}] = A[{place}]", "s = s + j", "s = T.max(s, j)",
                  f"if A[{place}] > B[{place}]:\n    B[{place}] = A[{place}]", f"s = s + T.cast(A[{place}], \"{kind}\")", f"B[0] = B[0] + A[{place}]"]
    f.add(depth, f"j = {begin}", f"s = {number(kind, 1)}", f"while {test}:")
    for statement in pick.sample(statements, pick.choice([1, 1, 2])):
        f.add(depth + 1, *statement.split("\n"))
    f.add(depth + 1, f"j = j {'+' if up else '-'} {step}")
    if pick.random() < 0.6:
        f.add(depth, "S[3] = S[3] + s", "S[4] = j")


def far_loops(pick, f):
    """Loops whose variables are near the ends of their types, with conditions on them."""
    kind, dtype, n = pick.choice(COUNTS), any_type(pick), pick.choice([9, 40, 130])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n)
    begin = pick.choice([ENDS[kind] - n, -ENDS[kind], ENDS[kind] // 2 - 3, (1 << 31) - 7 if kind == "int64" else 0, -5, (1 << 32) - 9 if kind == "int64" else 5])
    begin = min(begin, ENDS[kind] - n)
    parallel = pick.choice(["T.serial", "T.serial", "T.parallel"])
    f.add(0, f"for i in {parallel}({number(kind, begin)}, {number(kind, begin + n - (begin + n == ENDS[kind]))}):")
    at = f"i - {number(kind, begin)}" if begin >= 0 else f"i + {number(kind, -begin)}" if begin > -ENDS[kind] else f"(i - {number(kind, begin)})"
    other = f"{number(kind, n - 1)} - ({at})"
    middle = number(kind, min(begin + pick.randrange(n + 1), ENDS[kind] - 1))
    condition = pick.choice([f"i < {middle}", f"i == {middle}", f"i % {number(kind, pick.choice([2, 3, 4]))} == {number(kind, 1)}",
                             f"i >= {middle} and i < {number(kind, min(begin + n // 2, ENDS[kind] - 1))}", f"i // {number(kind, 5)} > {number(kind, begin // 5)}"])
    body = [f"B[{at}] = A[{at}]", f"B[{at}] = A[{other}] + A[{at}]", f"B[{at}] = B[{at}] + T.cast(i, \"{dtype}\")"]
    if pick.random() < 0.6:
        f.add(1, f"if {condition}:", f"    {pick.choice(body)}")
        if pick.random() < 0.5:
            f.add(1, "else:", f"    {pick.choice(body)}")
    else:
        f.add(1, f"B[{at}] = T.if_then_else({condition}, A[{at}], A[{other}])")


def lane_loops(pick, f):
    """While loops that each lane has of its own."""
    kind, dtype, n = pick.choice(COUNTS), pick.choice(FLOATS + COUNTS), pick.choice([3, 17, 70, 150, 700])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("C", kind, n)
    f.add(0, f"for i in range({n}):", f"    x = A[i]", f"    k = {number(kind, 0)}")
    most = pick.choice([5, 30])
    grow = pick.choice([f"x = x + {number(dtype, 3)}", "x = x + A[i]", f"x = x * {number(dtype, 2)} + {number(dtype, 1)}", f"x = x - B[i]"])
    f.add(1, pick.choice([f"while x < {number(dtype, 40)} and k < {number(kind, most)}:", f"while k < {number(kind, most)} and x != B[i]:",
                          f"while k < T.min(C[i], {number(kind, most)}):"]))
    if pick.random() < 0.3:
        bounds = pick.choice(["2", "5", "1, 7", "i % 4", "i % 4 - 1", "i % 3, 5", f"T.min(C[i], {number(kind, 4)})", f"{number(kind, 1)}, {number(kind, 4)}"])
        f.add(2, f"for j in range({bounds}):")
        f.add(3, *pick.sample([grow, f'x = x + T.cast(j, "{dtype}")', f"B[i] = B[i] + {number(dtype, 1)}", "x = T.max(x, A[0])", "C[i] = k"], pick.choice([1, 1, 2])))
    else:
        f.add(2, grow)
    if pick.random() < 0.4:
        f.add(2, f"if x > {number(dtype, 9)}:", f"    x = x - {number(dtype, 4)}")
    f.add(2, f"k = k + {number(kind, 1)}")
    f.add(1, "B[i] = x", "C[i] = k")


def lanes_of_types(pick, f):
    """The same with values of several types, of those some from in front of the loop that are read in it, or only behind it;
    loops that lanes break off."""
    types, n = [pick.choice(STORED) for _ in range(pick.choice([2, 2, 3]))], pick.choice([3, 70, 150, 300, 700])
    names = [f.buffer(f"A{k}", dtype, n) for k, dtype in enumerate(types)]
    outs = [f.buffer(f"B{k}", dtype, n) for k, dtype in enumerate(types)]
    f.add(0, f"for i in range({n}):", "    k: T.int32 = 0", *(f"    x{k}: T.{dtype} = {name}[i]" for k, (dtype, name) in enumerate(zip(types, names))))
    t = pick.randrange(len(types))
    f.add(1, f"y: T.{types[t]} = {names[t]}[i] {pick.choice('+*')} {number(types[t], pick.choice([1, 3]))}")

    def term(to):
        k = pick.randrange(len(types))
        value = pick.choice([f"x{k}", f"x{k}", f"{names[k]}[i]", "y" if k == t else f"x{k}"])
        return value if k == to else f'T.cast({value}, "{types[to]}")' if not types[k].startswith("f") or types[to].startswith("f") else f"x{to}"

    def test():
        k = pick.randrange(len(types))
        return f"{term(k)} {pick.choice(['<', '<=', '!=', '>'])} {pick.choice([term(k), number(types[k], pick.choice([0, 5, 60]))])}"

    bound = pick.choice(["5", "9", "30", "i % 7"])
    breaks, ends = pick.choice([0, 0, 0.3, 0.6]), "break"
    if breaks > 0 and pick.random() < 0.5:
        f.add(1, f"for j in range({bound}):")
        ends = pick.choice(["break", "break", "continue"])
    else:
        f.add(1, f"while k < {bound} and {pick.choice([test(), test(), f'({test()} or {test()})'])}:")
    for _ in range(pick.choice([1, 2, 3, 5])):
        k = pick.randrange(len(types))
        a, b = term(k), term(k)
        line = f"x{k} = " + pick.choice([f"{a} {pick.choice('+-*')} {b}", f"T.max({a}, {b})", f"T.if_then_else({test()}, {a}, {b})", a])
        form = pick.random()
        if form < 0.3:
            f.add(2, f"if {test()}:", f"    {line}")
        elif form < 0.4:
            f.add(2, f"{outs[k]}[i] = {term(k)}")
        else:
            f.add(2, line)
        if pick.random() < breaks:
            leaves = pick.choice([[ends], [line, ends], [f"if {test()}:", f"    {ends}"], [f"if {test()}:", f"    {line}", "else:", f"    {ends}"]])
            f.add(2, f"if {test()}:", *(f"    {text}" for text in leaves))
            if pick.random() < 0.2:
                f.add(2, "else:", f"    {line}")
    f.add(2, "k = k + 1")
    f.add(1, *(f"{out}[i] = {pick.choice([f'x{k}', f'x{k}', term(k)])}" for k, out in enumerate(outs)))


def bits_off(pick, f):
    """While loops that take the bits of a number off it, or nearly so, in each iteration or alone."""
    dtype, kind, n = pick.choice(INTS + ("uint64", "uint16")), pick.choice(COUNTS + ("uint8", "float32")), pick.choice([1, 40, 150])
    f.buffer("A", dtype, n), f.buffer("B", kind, n), f.buffer("C", dtype, n)
    one, signed = number(dtype, 1), not dtype.startswith("u")
    f.add(0, f"for i in range({n}):", f"    v: T.{dtype} = A[i]", f"    k: T.{kind} = {number(kind, pick.choice([0, 3]))}")
    place = pick.choice(["k", "k", "B[i]", f"B[{n - 1}]"])
    shifts = pick.random() < 0.5
    ends = pick.choice(["v > 0", "v != 0"]) if not (shifts and signed) else "v > 0"
    f.add(1, f"while {ends.replace('0', number(dtype, 0))}:")
    added = f"T.cast(v & {one}, \"{kind}\")" if shifts and pick.random() < 0.8 else number(kind, pick.choice([1, 1, 1, 2]))
    lines = [f"{place} = {place} + {added}",
             pick.choice([f"v = v >> {one}", f"v = v // {number(dtype, 2)}"]) if shifts else f"v = v & (v - {one})"]
    if pick.random() < 0.3:
        lines.reverse()
    f.add(2, *lines)
    if pick.random() < 0.5:
        f.add(1, "C[i] = v")
    f.add(1, "B[i] = k")


def resets(pick, f):
    """Running values that begin anew, or that grow only, of numbers with zeros of both signs and NaNs."""
    dtype, n = pick.choice(FLOATS + COUNTS), pick.choice([5, 70, 300])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("F", "uint8", n)
    f.add(0, f"x: T.{dtype} = {pick.choice(['A[0]', number(dtype, 0)])}", f"for i in range({n}):")
    a = "A[i]"
    if dtype.startswith("float"):
        a = pick.choice(["A[i]", "A[i] * A[i]", f"A[i] * {number(dtype, 0)}", f"T.sqrt(A[i])"])
    grows = pick.choice([f"x + {a}", f"x - {a}", f"T.max(x, {a})", f"T.min(x, {a})", f"T.max({a}, x)", f"T.min({a}, x)", f"x * {a}"])
    if pick.random() < 0.6:
        condition = pick.choice([f"F[i] > {number('uint8', 40)}", "A[i] > B[i]", f"x > {number(dtype, 7)}"])
        f.add(1, f"if {condition}:", f"    x = {pick.choice([number(dtype, 0), 'A[i]', number(dtype, 5), f'x + {number(dtype, 1)}'])}")
    lines = [f"x = {grows}", "B[i] = x"]
    f.add(1, *(lines if pick.random() < 0.7 else lines[::-1]))


def chosen(pick, f):
    """Sums and extremes of the elements that a condition chooses, zeros of both signs and NaNs among them."""
    dtype, rows, n = pick.choice(FLOATS + FLOATS + COUNTS), pick.choice([1, 3]), pick.choice([5, 70, 200, 700])
    f.buffer("A", dtype, rows, n), f.buffer("B", dtype, n), f.buffer("F", "uint8", n), f.buffer("C", dtype, rows)
    a = "A[r, i]"
    if dtype.startswith("float"):
        a = pick.choice([a, f"{a} * B[i]", f"{a} * {number(dtype, 0)}", f"T.sqrt({a})"])
    begin, condition = pick.choice(["C[r]", number(dtype, 0)]), pick.choice([f"F[i] > {number('uint8', 40)}", "A[r, i] > B[i]", "i % 9 == 4"])
    grows = pick.choice([f"x + {a}", f"x - {a}", f"x * {a}"] + [f"T.{m}({o})" for m in ("max", "min") for o in (f"x, {a}", f"{a}, x")])
    f.add(0, f"for r in range({rows}):", f"    x: T.{dtype} = {begin}", f"    for i in range({n}):", f"        if {condition}:", f"            x = {grows}",
          "    C[r] = x")


def lanes_of_columns(pick, f):
    """Loops inside lanes that read, again and again, what lies in columns; sums of rows that lists of them choose."""
    dtype, n, m, w = pick.choice(FLOATS + COUNTS), pick.choice([3, 20, 140]), pick.choice([1, 4, 9]), pick.choice([1, 3, 5])
    f.buffer("A", dtype, n, w), f.buffer("B", dtype, m, w), f.buffer("C", dtype, n)
    if pick.random() < 0.5:
        f.add(0, f"for i in range({n}):", f"    s: T.{dtype} = {pick.choice(['C[i]', number(dtype, 0)])}", f"    for j in range({m}):")
        f.add(2, f"d: T.{dtype} = A[i, {pick.randrange(w)}] - B[j, {pick.randrange(w)}]", f"e: T.{dtype} = A[i, {pick.randrange(w)}]")
        term = pick.choice(["d * d", "d * e", "T.max(d, e)"])
        if pick.random() < 0.5:
            f.add(2, f"if {pick.choice(['d < e', 'i != j', 's < d'])}:", f"    s = s + {term}")
        else:
            f.add(2, f"s = s + {term}")
        f.add(1, "C[i] = s")
        return
    rows, wide = pick.choice([2, 6]), pick.choice([3, 16, 40])
    f.buffer("P", "int32", rows + 1), f.buffer("I", "int32", 12), f.buffer("X", dtype, 12), f.buffer("Y", dtype, 5, wide), f.buffer("Z", dtype, rows, wide)
    f.add(0, f"for i in range({rows}):", f"    for k in range({inside('P[i]', 5)}, {inside('P[i + 1]', 13)}):", f"        for j in range({wide}):")
    f.add(3, f"Z[i, j] = Z[i, j] + X[k] * Y[{pick.choice(['I[k]', inside('I[k]', 5), inside('I[k]', 5)])}, j]")


def sums_of_rows(pick, f):
    """Sums along columns of rows that lists or ranges choose, in variables that are stored at the end, or nearly so."""
    dtype, rows = pick.choice(FLOATS + COUNTS + ("float16", "int8")), pick.choice([1, 6])
    wide, odd = pick.choice([7, 16, 16, 40]), pick.random() < 0.5
    f.buffer("P", pick.choice(COUNTS), rows + 1), f.buffer("I", "int32", 12), f.buffer("X", dtype, 12)
    f.buffer("Y", dtype, 12, wide), f.buffer("Z", dtype, rows, wide)
    f.buffer("W", pick.choice([dtype, dtype, "float32"]), rows, wide)

    def either(often, seldom):
        return pick.choice(seldom if odd and pick.random() < 0.3 else often)

    row = either(["k", inside("I[k]", 12), inside("I[k]", 12)], ["I[k]"])
    term = either([f"Y[{row}, j]", f"X[k] * Y[{row}, j]"], [f"Y[k, {wide - 1} - j]", f"Y[{row}, j] * Z[i, j]"])
    grows = either([f"s + {term}", f"s + {term}", f"s - {term}", f"T.max(s, {term})", f"T.min({term}, s)"],
                   [f"{term} + s * {number(dtype, 2)}"])
    two = pick.random() < 0.4
    f.add(0, f"for i in range({rows}):", f"    for j in range({wide}):")
    f.add(2, f"s: T.{dtype} = {either([number(dtype, 0), number(dtype, 1)], ['Z[i, j]', f'Y[0, {wide - 1} - j]'])}")
    if two:
        f.add(2, f"t: T.{dtype} = {either([number(dtype, 0)], ['s'])}")
    begin, to = inside('P[i]', 5), inside('P[i + 1]', 13)
    over = either([f"{begin}, {to}"], [f"P[i], {to}", f"j % 2, {to}", "7"])
    f.add(2, f"for k in range({over}):")
    if pick.random() < 0.4:
        f.add(3, f"r: T.int32 = {row}", f"x: T.{dtype} = {either(['X[k]'], ['Z[i, k]', 'Y[k, j]'])}")
        grows = grows.replace(f"Y[{row}", f"Y[{either(['r'], ['r % 12'])}").replace("X[k]", "x")
    f.add(3, f"s = {grows}")
    if two:
        f.add(3, either(["t = t + X[k]", f"t = t - Y[{row}, j]", "t = t + s"], ["t = s", "t = X[k]"]))
    if odd and pick.random() < 0.3:
        f.add(3, pick.choice(["Z[i, j] = X[k]", f"Z[i, {wide - 1} - j] = X[0]", "X[k] = s", "I[k] = I[k] + 1"]))
    f.add(2, either(["Z[i, j] = s", "Z[i, j] = s", f"Z[i, j] = s * {number(dtype, 3)}", "Z[i, j] = s - X[0]"],
                    ["Z[i, 0] = s", "Z[0, j] = s", f"Z[i, {wide - 1} - j] = s", "Z[i, j] = Z[i, j] + s"]))
    if two:
        f.add(2, either(["W[i, j] = t", "W[i, j] = T.max(t, s)"], ["W[0, j] = t", "X[j % 12] = t"]))


def chosen_and_counted(pick, f):
    """A number that each iteration finds, stores, and goes on with: as an index, in loops, in what is changed."""
    dtype, n, m = pick.choice(FLOATS + COUNTS), pick.choice([4, 30, 130]), pick.choice([1, 3, 6])
    f.buffer("A", dtype, n, m), f.buffer("C", dtype, 5, m), f.buffer("O", "int32", n), f.buffer("N", "int32", 5), f.buffer("S", dtype, 5, m)
    f.add(0, f"for i in range({n}):", f"    best: T.{dtype} = {number(dtype, 100)}", f"    k: T.int32 = {pick.choice(['0', 'i % 5', 'N[0] % 5'])}")
    f.add(1, "for c in range(5):", f"    s: T.{dtype} = {number(dtype, 0)}", f"    for d in range({m}):")
    f.add(3, f"s = s + (A[i, d] - {pick.choice(['C', 'C', 'S'])}[c, d]) * (A[i, d] - C[c, d])")
    f.add(2, "if s < best:", "    best = s", "    k = c")
    f.add(1, f"O[{pick.choice(['i', 'i', 'i', '0'])}] = k")
    if pick.random() < 0.2:
        f.add(1, "k = T.min(k + 1, 4)")
    f.add(1, *pick.sample(["N[k] = N[k] + 1", "N[k] = N[k] + O[i]", f"O[{pick.choice(['i', 'n - 1'])}] = k".replace("n", str(n)), "S[k, 0] = S[k, 0] + best"],
                          pick.choice([1, 1, 2])))
    f.add(1, f"for d in range({m}):", f"    S[{pick.choice(['k', 'k', 'k + 1'])}, d] = S[k, d] + A[i, d]")


def counted_by_memory(pick, f):
    """While loops whose begin, bound and step are in memory, which their bodies may change."""
    kind, dtype, n = pick.choice(COUNTS), pick.choice(FLOATS + COUNTS), pick.choice([5, 40, 70])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("S", kind, 8), f.scalar("p", kind)
    one, up = number(kind, 1), pick.random() < 0.6
    step = pick.choice([one, number(kind, 2), f"T.max(S[5], {one})", f"T.min(T.max(S[i], {one}), {number(kind, 4)})"])
    bound = pick.choice(["S[1]", "S[i + 2]", f"T.min(S[1], {number(kind, n)})", "S[1] + p", f"S[{inside('S[6]', 8)}]"])
    f.add(0, "for i in range(4):", f"    j = {pick.choice(['S[0]', 'p', number(kind, 0 if up else n)])}", f"    while j {'<' if up else '>'} {bound}:")
    f.add(2, pick.choice([f"B[{inside('j', n)}] = A[{inside('j', n)}]", f"B[0] = B[0] + A[{inside('j', n)}]", "S[7] = j",
                          f"S[1] = S[1] {'-' if up else '+'} {one}", "S[3] = S[3] + j"]))
    f.add(2, f"j = j {'+' if up else '-'} {step}")
    f.add(1, "S[4] = S[4] + j")


def nested_lane_loops(pick, f):
    """Loops that each lane has of its own, with others inside, choices and loads."""
    n, dtype, kind = pick.choice([3, 17, 70, 150]), pick.choice(FLOATS + COUNTS), pick.choice(COUNTS)
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("C", kind, n), f.buffer("D", dtype, 64)
    names = ["x", "y", "A[i]", "B[i]", "D[3]"]
    f.add(0, f"for i in range({n}):", "    x = A[i]", f"    y = {number(dtype, 1)}", f"    k = {number(kind, 0)}", f"    m = {number(kind, 0)}")
    more = pick.choice([" and x != y", f" and x < {number(dtype, 50)}"])
    f.add(1, f"while k < T.min(C[i], {number(kind, pick.choice([2, 7, 20]))}){more}:")
    for _ in range(pick.choice([1, 2, 3])):
        value, variable = computed(pick, pick.choice([1, 2]), names, dtype), pick.choice("xy")
        f.add(2, *pick.choice([[f"{variable} = {value}"], [f"{variable} = {variable} + D[{inside('k', 64)}]"], [f"B[i] = {value}"],
                               [f"if {value} > {number(dtype, 2)}:", f"    {variable} = {computed(pick, 1, names, dtype)}", "else:",
                                f"    y = y + {number(dtype, 1)}"]]))
    if pick.random() < 0.4:
        f.add(2, f"m = {number(kind, 0)}", f"while m < {number(kind, 3)} and y < {number(dtype, 30)}:", "    y = y + x", f"    m = m + {number(kind, 1)}")
    f.add(2, f"k = k + {number(kind, 1)}")
    f.add(1, "B[i] = x + y", "C[i] = k + m")


# ---- Ranges and rows ------------------------------------------------------------------------------------------------


def ranges(pick, f):
    """Rows of entries between numbers that follow each other, most of the time."""
    n, width, counts, dtype = pick.choice([1, 6, 33]), pick.choice([1, 3, 9]), pick.choice(COUNTS), pick.choice(FLOATS + COUNTS)
    m = n * width + 4
    f.buffer("L", counts, n + 1), f.buffer("P", counts, n + 1), f.buffer("C", "int32", m), f.buffer("V", dtype, m)
    f.buffer("X", dtype, 11), f.buffer("Y", dtype, n), f.buffer("O", dtype, m)
    one = number(counts, 1)
    f.add(0, f"for e in range({m}):", f"    C[e] = {inside('C[e]', 11)}" if pick.random() < 0.9 else "    C[e] = C[e] % 14")
    f.add(0, f"P[0] = {number(counts, pick.choice([0, 0, 2, -1]))}", f"for i in range({n}):")
    f.add(1, f"P[i + 1] = P[i] + T.min(T.max(L[i], {number(counts, pick.choice([0, 0, 0, -1]))}), {number(counts, width)})")
    over, place = pick.choice([("range(P[i], P[i + 1])", "k"), ("range(P[i + 1] - P[i])", "P[i] + k")])
    if pick.random() < 0.25:
        over, place = None, "k"
    term = pick.choice([f"V[{place}] * X[C[{place}]]", f"V[{place}]", f"V[{place}] - X[C[{place}]] * V[{place}]", f"X[C[{place}]]"])
    term = longer(pick, term, dtype)
    kind = pick.choice(["sum", "local", "both", "scatter", "out"])
    f.add(0, f"for i in range({n}):")
    if kind in ("local", "both"):
        f.add(1, f"s = {number(dtype, 1)}")
    elif kind != "out":
        f.add(1, f"Y[i] = {number(dtype, 0)}")
    if over:
        f.add(1, f"for k in {over}:")
    else:
        f.add(1, "k = P[i]", "while k < P[i + 1]:")
    update = {"sum": f"Y[i] = Y[i] + {term}", "local": f"s = {pick.choice(['T.max(s, ', 's - (', 's + ('])}{term})", "both": f"s = s + {term}",
              "scatter": f"X[C[{place}]] = X[C[{place}]] + {longer(pick, f'V[{place}]', dtype)}", "out": f"O[{place}] = {term}"}[kind]
    f.add(2, update)
    if pick.random() < 0.3:
        f.add(2, f"O[{place}] = V[{place}]" if kind != "out" else f"Y[i] = Y[i] + V[{place}]")
    if not over:
        f.add(2, f"k = k + {one}")
    if kind in ("local", "both"):
        f.add(1, "Y[i] = s")
    if kind == "both" and over:
        f.add(1, f"for k in {over}:", f"    O[{place}] = V[{place}] - s")


def folds(pick, f):
    """Sums and extremes of rows, one or two in a pass, in any place of memory."""
    n, m, dtype = pick.choice([1, 5, 12]), pick.choice([1, 7, 16, 33, 90]), pick.choice(FLOATS + FLOATS + INTS)
    f.buffer("A", dtype, n, m), f.buffer("B", dtype, n, m), f.buffer("X", dtype, m), f.buffer("Y", dtype, n), f.buffer("Z", dtype, n)
    terms = ["A[i, k]", "A[i, k] * X[k]", "A[i, k] * B[i, k]", f"A[i, {m - 1} - k]", "A[i, k] * A[i, k]", "A[i, k] - X[k]", "A[i, k] * X[0]"]
    joins = ["{0} = {0} + {1}", "{0} = {1} + {0}", "{0} = {0} - {1}", "{0} = T.max({0}, {1})", "{0} = T.min({1}, {0})", "{0} = {0} * {1}"]
    f.add(0, f"for i in range({n}):")
    local = pick.random() < 0.4
    names = ["s", "t"] if local else ["Y[i]", "Z[i]"]
    count = pick.choice([1, 1, 2])
    if local or pick.random() < 0.7:
        f.add(1, *(f"{name} = {number(dtype, pick.choice([0, 1]))}" for name in names))
    first, last = pick.choice([0, 0, 1 % m]), pick.choice([m, m, m, "i + 1" if n <= m else m])
    f.add(1, f"for k in range({first}, {last}):")
    for name in names[:count]:
        f.add(2, pick.choice(joins).format(name, longer(pick, pick.choice(terms), dtype)))
    if pick.random() < 0.2:
        f.add(2, f"B[i, k] = {names[0]}")
    if local:
        f.add(1, "Y[i] = s", "Z[i] = t")
    if pick.random() < 0.4:
        f.add(1, f"for k in range({m}):", f"    B[i, k] = {pick.choice(['A[i, k] - Y[i]', 'A[i, k] * Z[i]', 'T.max(A[i, k], Y[i])'])}")


# ---- Elements somewhere ---------------------------------------------------------------------------------------------


def guarded(pick, f):
    """Elements and quotients behind conditions, by indices of any width and sign."""
    n, m, rows, columns = pick.choice([1, 4, 17]), pick.choice([3, 20, 70]), pick.choice([1, 4, 9]), pick.choice([1, 7, 20])
    dtype, index = any_type(pick), pick.choice(INTS)
    f.buffer("A", dtype, rows, columns), f.buffer("Y", index, n, m), f.buffer("X", index, n, m), f.buffer("O", dtype, n, m)
    wide = lambda x: f"T.cast({x}, \"int32\")" if index in ("uint32", "int8", "uint8", "int16") else x
    y, x = pick.choice(["Y[i, j]", "Y[i, 0]", "X[i, j]"]), pick.choice(["X[i, j]", f"X[i, j] + {number(index, 3)}", f"X[i, j] * {number(index, 2)}"])
    y, x = wide(y), wide(x)
    far = f"({y} * {columns} + {x})"
    body = pick.choice([
        [f"if {y} >= 0 and {y} < {rows} and {x} >= 0 and {x} < {columns}:", f"    O[i, j] = A[{y}, {x}]"],
        [f"O[i, j] = T.if_then_else({y} >= 0 and {y} < {rows}, A[{inside(y, rows)}, 0], A[0, {inside(x, columns)}])"],
        [f"if {far} >= 0 and {far} < {rows * columns}:", f"    O[i, j] = A[{far} // {columns}, {far} % {columns}]"],
        [f"if {y} != 0:", f"    O[i, j] = T.cast({x} // {y}, \"{dtype}\")", "else:", f"    O[i, j] = T.cast({x}, \"{dtype}\")"],
        [f"if {y} != 0 and {x} % {y} == 1:", "    O[i, j] = A[0, 0]"],
        [f"O[i, j] = A[{inside(y, rows)}, {inside(x, columns)}]"],
        [f"if {y} < {rows} and {x} < {columns}:", f"    O[i, j] = A[{y}, {x}]"]])
    f.add(0, f"for i in range({n}):", f"    for j in range({m}):", *("        " + line for line in body))


def scattered(pick, f):
    """Elements that lanes name are written, counted and updated; whole rows are taken by number."""
    n, m, rows, dtype, index = pick.choice([1, 7, 40, 90]), pick.choice([1, 5, 40]), pick.choice([1, 6, 19]), any_type(pick), pick.choice(INTS)
    f.buffer("I", index, n), f.buffer("A", dtype, n, m), f.buffer("O", dtype, rows, m), f.buffer("H", "int32", rows)
    f.buffer("D", dtype, rows), f.buffer("W", dtype, n)
    f.add(0, f"for i in range({n}):", f"    I[i] = {inside('I[i]', rows)}" if pick.random() < 0.85 else f"    I[i] = I[i]")
    for _ in range(pick.choice([1, 2])):
        update = pick.choice([f"O[I[i], j] = A[i, j]", "O[I[i], j] = O[I[i], j] + A[i, j]", "A[i, j] = O[I[i], j]", "O[I[i], j] = O[I[i], j] + A[i, j] * W[i]",
                              "H[I[i]] = H[I[i]] + 1", "D[I[i]] = W[i]", "D[I[i]] = D[I[i]] + W[i]", "D[I[i]] = T.max(D[I[i]], W[i])",
                              "D[I[i]] = D[I[i]] + W[i] * A[i, 0]", "W[i] = D[I[i]]", "W[i] = W[i] - D[I[i]] * A[i, 0]", "D[I[i]] = W[i] - D[I[i]]"])
        f.add(0, f"for i in {pick.choice(['range', 'range', 'T.parallel'] if update[0] in 'AW' else ['range'])}({n}):")
        if ", j]" in update:
            f.add(1, f"for j in range({m}):")
        f.add(2 if ", j]" in update else 1, update)
    if pick.random() < 0.4:
        f.buffer("P", dtype, 3, rows, m), f.buffer("Q", dtype, 3, n, m), f.buffer("R", dtype, rows, 3, m), f.buffer("S", dtype, n, 3, m)
        around = [f"for k in range({pick.choice([0, 1, 3])}):", f"for i in range({n}):"]
        pick.shuffle(around)
        f.add(0, around[0], "    " + around[1], f"        for j in range({m}):",
              "            " + pick.choice(["Q[k, i, j] = P[k, I[i], j]", "P[k, I[i], j] = Q[k, i, j]", "P[k, I[i], j] = A[i, j]", "Q[k, i, j] = O[I[i], j]",
                                            "P[k, I[i], j] = P[k, I[i], j] + A[i, j]", "Q[k, i, j] = P[I[k] % 3, I[i], j]",
                                            "S[i, k, j] = R[I[i], k, j]", "R[I[i], k, j] = S[i, k, j]", "S[i, k, j] = P[k, I[i], j]"]))


def moved(pick, f):
    """Copies and casts that go backwards, by steps, from and to any dimension."""
    n, m, source, target = pick.choice([1, 6, 40]), pick.choice([2, 9, 33]), any_type(pick), any_type(pick)
    if pick.random() < 0.6:
        target = source
    a, b = pick.choice([1, 1, 2, 3, 4]), pick.choice([1, 1, 2, 3])
    f.buffer("A", source, n * a, m * 4), f.buffer("B", target, n * b, m * 4), f.buffer("F", source, n * m * a), f.buffer("G", target, n * m * b)
    i, j = pick.choice(["i", f"({n - 1} - i)"]), pick.choice(["j", f"({m - 1} - j)", "j * 2", f"({m - 1} - j) * 3", "j * 4 + 1"])
    load = pick.choice([f"A[{i} * {a}, {j}]", f"F[({i} * {m} + {pick.choice(['j', f'({m - 1} - j)'])}) * {a}]", f"F[j * {n} + i]",
                        f"F[(i * {m} + j) * {a}]"])
    store = pick.choice([f"B[i * {b}, {pick.choice(['j', f'({m - 1} - j)', 'j * 3', 'j + 2'])}]", f"G[(i * {m} + j) * {b}]", f"G[{n * m * b - 1} - (i * {m} + j) * {b}]",
                         f"G[j * {n} + i]", f"G[({n - 1} - i) * {m} + j]"])
    value = load if source == target else f"T.cast({load}, \"{target}\")"
    if pick.random() < 0.3:
        value = longer(pick, pick.choice([f"{value} + {store}", f"{value} * {number(target, 3)}", f"T.max({value}, {store})"]), target)
    f.add(0, f"for i in {pick.choice(['range', 'range', 'T.parallel'])}({n}):", f"    for j in range({m}):", f"        {store} = {value}")


def digits(pick, f):
    """Indices that are quotients and remainders of one number, right or nearly right ones."""
    shape = [pick.choice([1, 2, 3, 5, 8]) for _ in range(pick.choice([2, 3]))]
    size, dtype, kind = 1, any_type(pick), pick.choice(COUNTS)
    for extent in shape:
        size *= extent
    f.buffer("A", dtype, *shape), f.buffer("B", dtype, size), f.buffer("I", kind, size), f.scalar("p", kind)
    number_of = pick.choice(["e", f"{size - 1} - e", f"e * 2 % {size}", f"({size} + e - 3) % {size}", inside("I[e]", size), "(e + p)", "e * 3"])
    wrong = pick.random() < 0.15
    indices, unit = [], 1
    for d in reversed(range(len(shape))):
        quotient = f"({number_of}) // {unit}" if unit > 1 else f"({number_of})"
        bounded = d > 0 or pick.random() < 0.3
        indices.insert(0, f"{quotient} % {shape[d] + (wrong and d == 1)}" if bounded else quotient)
        unit *= shape[d]
    place = f"A[{', '.join(indices)}]"
    over = f"T.serial({number(kind, 0)}, {number(kind, size)})" if kind == "int64" else f"range({size})"
    number_of = number_of if kind == "int32" else re.sub(r"\b(\d+)\b", r"\1", number_of)
    f.add(0, f"for e in {over}:", f"    {pick.choice([f'B[e] = {place}', f'{place} = B[e]', f'{place} = {place} + B[e]', f'B[e] = B[e] - {place}'])}")


def windows(pick, f):
    """Sums over windows with borders, whose conditions decide at the edges."""
    n, m, w, dtype = pick.choice([1, 6, 20]), pick.choice([5, 30, 150]), pick.choice([1, 2, 3, 5]), pick.choice(FLOATS + COUNTS)
    f.buffer("A", dtype, n, m), f.buffer("B", dtype, n, m), f.buffer("K", dtype, w)
    at = pick.choice([f"j + k - {w // 2}", f"j - k", f"(j + k) % {m}", f"j * 2 + k - 3", f"{m - 1} - j + k"])
    condition = f"{at} >= 0 and {at} < {m}"
    f.add(0, f"for i in range({n}):", f"    for j in range({m}):", f"        B[i, j] = {number(dtype, 0)}", f"        for k in range({w}):")
    f.add(3, *pick.choice([[f"if {condition}:", f"    B[i, j] = B[i, j] + A[i, {at}] * K[k]"], [f"B[i, j] += T.if_then_else({condition}, A[i, {inside(at, m)}], {number(dtype, 0)})"],
                           [f"B[i, j] = T.max(B[i, j], A[i, {inside(at, m)}])"], [f"B[i, j] = B[i, j] + A[i, T.abs({at}) % {m}]"],
                           [f"if (j + k) % 2 == 0:", f"    B[i, j] = B[i, j] - A[i, {inside(at, m)}]"]]))


def sampled(pick, f):
    """Short windows of channels at places that are computed, mostly alike in all channels; sums of some at each place."""
    n, c, w, m, dtype = pick.choice([1, 2]), pick.choice([8, 17, 64, 64, 70]), pick.choice([3, 4, 5, 7, 7]), pick.choice([4, 9]), pick.choice(FLOATS + ("float16", "int32"))
    loops = pick.choice(["icjk", "icjk", "cijk", "ick", "ijck"])
    f.buffer("R", "float32", n, 4), f.buffer("X", dtype, c, m, m), f.buffer("Y", dtype, n, c, w, w), f.buffer("Q", "float32", c)
    j = "j" if "j" in loops else str(w - 1)

    def at(place, r):
        scale = pick.choice([f"R[i, {r}]", f"R[i, {r}]", f"R[i, {r + 1}] * T.float32(0.25)", "Q[k]", "Q[c]" if pick.random() < 0.1 else "Q[0]"])
        value = f'T.cast({place}, "float32") / ({scale} + T.float32(3)) + T.cast(t, "float32") / T.float32(2) - R[i, {r}] / T.float32(7)'
        whole = pick.choice([value, f"T.floor({value})", f"T.sqrt(T.abs({value}))"])
        return f'T.cast({pick.choice([inside(whole, m), inside(whole, m), inside(whole, m), whole])}, "int32")'

    terms = [f"X[c, {at(j, 0)}, {at('k', 2)}]" for _ in range(pick.choice([1, 2, 3]))]
    if pick.random() < 0.4:
        test = pick.choice([f"R[i, 0] / T.float32({w}) < T.float32(1)", "T.float32(0) < Q[k]", "c != 3" if pick.random() < 0.3 else f"{at('k', 0)} < {m - 1}"])
        terms[0] = f"T.if_then_else({test}, {terms[0]}, {number(dtype, 0)})"
    if pick.random() < 0.15:
        terms.append(pick.choice(["Y[i, 0, 0, 0]", f"Y[i, {c - 1} - c, {j}, k]", "Q[c]" if dtype == "float32" else "X[c, 0, 0]"]))
    extents = {"i": n, "c": c, "j": w, "k": w}
    for d, loop in enumerate(loops):
        f.add(d, f"for {loop} in range({extents[loop]}):")
    place, sums = f"Y[i, c, {j}, k]", pick.random() < 0.7
    if sums and pick.random() < 0.8:
        f.add(len(loops), f"{place} = {number(dtype, 0)}")
    f.add(len(loops), f"for t in range({pick.choice([1, 2, 4]) if sums else 1}):")
    f.add(len(loops) + 1, f"{place} = {f'{place} + ' if sums else ''}{pick.choice([' * ', ' + ']).join(terms)}")


def carried(pick, f):
    """Elements that iterations hand on, and choices of what they become."""
    n, dtype = pick.choice([2, 18, 80]), pick.choice(FLOATS + ("int32", "int64", "uint32"))
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("D", dtype, 4), f.buffer("H", "int32", n)
    first = pick.choice(["0", "1"])
    c = number(dtype, pick.choice([1, 2, 3]))
    body = pick.choice([
        ["B[i] = B[i - 1] + A[i]"], ["B[i] = T.max(B[i - 1], A[i])"], [f"B[i] = B[i - 1] * {c} + A[i]"],
        ["if A[i] > D[0]:", "    D[0] = A[i]", "    H[0] = i"], ["if A[i] > D[0]:", "    D[0] = A[i]", "else:", f"    D[0] = D[0] - {c}"],
        ["if A[i] > B[i]:", "    D[1] = D[1] + A[i]"], [f"if A[i] == {c}:", f"    D[2] = {number(dtype, 0)}", "else:", f"    D[2] = D[2] + {c}", "B[i] = D[2]"],
        ["D[0] = D[0] + A[i]", "B[i] = D[0]"], ["B[i] = D[0]", "D[0] = D[0] - A[i]"], ["D[1] = A[i] - D[1]"],
        ["D[0] = T.min(D[0], A[i])", "D[1] = T.max(D[1], A[i])", "D[2] = D[2] + A[i] * B[i]"], ["B[i] = A[i]", "D[3] = B[i] + D[3]"]])
    first = "1" if any("i - 1" in line for line in body) else first
    f.add(0, f"for i in range({first}, {n}):", *("    " + line for line in body))


def tables(pick, f):
    """Elements of an array from those at a distance, which is a number or a variable, ahead or behind."""
    n, dtype, kind, step = pick.choice([5, 20, 64, 200, 700]), pick.choice(FLOATS + COUNTS), pick.choice(COUNTS), pick.choice([1, 1, 1, 2, 3])
    f.buffer("B", dtype, n), f.buffer("A", dtype, n), f.buffer("D", "int32", 4), f.scalar("d", kind), f.scalar("e", kind)
    far = pick.choice(["d", "e", number(kind, pick.choice([1, 2, 8, 9, 17, 33])), f"(d + {number(kind, 8)})", f"T.max(d, {number(kind, 1)})",
                       f'T.cast(D[0], "{kind}")', f"(d * {number(kind, 2)} + {number(kind, 1)})"])
    sign, end = pick.choice("+-"), number(kind, n)
    at = f"i * {number(kind, step)}" if step > 1 else "i"
    at = f"{number(kind, n - 1)} - {at}" if pick.random() < 0.3 else at
    other, own = f"B[{at} {sign} {far}]", f"B[{at}]"
    f.add(0, f"for i in T.serial({number(kind, 0)}, {number(kind, n // step)}):")
    update = pick.choice([f"{own} = {other}", f"{own} = {other} + A[i]", f"{own} = T.max({own}, {other})", f"{own} = {own} + {other}",
                          f"{own} = {computed(pick, 2, [own, other, 'A[i]'], dtype)}", f"{own} = {other} + B[0]"])
    if pick.random() < 0.8:
        f.add(1, f"if {at} {sign} {far} >= {number(kind, 0)} and {at} {sign} {far} < {end}:", f"    {update}")
    else:
        f.add(1, update)


def still(pick, f):
    """Conditions on memory that stands still, or does not, and extremes by comparison."""
    n, dtype = pick.choice([5, 20, 64, 200]), pick.choice(FLOATS + INTS)
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("D", "int32", 8), f.buffer("S", dtype, 4)
    f.add(0, f"for i in range({n}):")
    if pick.random() < 0.4:
        target, value = pick.choice(["S[0]", "B[i]"]), pick.choice(["A[i]", "A[i] * A[i]", number(dtype, 3)])
        sides = pick.sample([target, value], 2)
        f.add(1, f"if {sides[0]} {pick.choice(['<', '>', '<=', '>='])} {sides[1]}:", f"    {target} = {value}")
        return
    f.add(1, f"if {pick.choice(['i < D[0]', 'i >= D[1] and i < D[2] + 9', 'D[3] == i', 'i % 2 == D[0] % 2', 'A[i] < S[0]', 'i + D[0] < D[1] * 3'])}:")
    f.add(2, *pick.choice([["B[i] = A[i]"], ["B[i] = A[i] + S[1]"], ["S[2] = S[2] + A[i]"], ["D[4] = i"], ["D[0] = i"], ["S[0] = A[i]"],
                           ["if A[i] > S[3]:", "    S[3] = A[i]"], ["B[D[5] % 4] = A[i]"]]))
    if pick.random() < 0.4:
        f.add(1, "else:", "    B[i] = A[i] - S[1]")


def rearranged(pick, f):
    """Blocks that load, swap, choose and leave: what one statement has loaded, the next ones may still know, or not."""
    n, dtype, kind = pick.choice([3, 9, 24]), pick.choice(FLOATS + ("int32", "int64", "uint8")), pick.choice(COUNTS)
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("P", kind, n), f.buffer("S", kind, 4)
    one, zero = number(kind, 1), number(kind, 0)
    places = ["j", "k", inside("j + 1", n), inside(f"j - {one}", n), inside("P[j]", n), "i" if kind == "int32" else inside("k", n)]
    element = lambda: f"{pick.choice('AB')}[{pick.choice(places)}]"

    def condition():
        one_of = lambda: pick.choice([f"{element()} {pick.choice(['<', '>', '<=', '=='])} {element()}", f"j {pick.choice(['<', '!='])} k", f"P[{inside('k', n)}] > {zero}"])
        return f" {pick.choice(['and', 'and', 'or'])} ".join(one_of() for _ in range(pick.choice([1, 1, 2, 3])))

    def block(depth, names):
        f.add(depth, f"{element()} = {pick.choice(names)}")
        for _ in range(pick.choice([1, 2, 3])):
            how = pick.random()
            if how < 0.2:
                name = f"t{len(f.body)}"
                f.add(depth, f"{name}{pick.choice(['', f': T.let[T.{dtype}]'])} = {element()}", f"{element()} = {element()}", f"{element()} = {name}")
                names = names + [name]
            elif how < 0.35:
                f.add(depth, f"{element()} = {pick.choice(names + [element()])} {pick.choice(['+', '-'])} {element()}")
            elif how < 0.5:
                variable = pick.choice("jk")
                f.add(depth, f"{variable} = {inside(pick.choice([f'j + {one}', f'k - {one}', 'P[k]', f'j + k']), n)}")
            elif how < 0.6:
                f.add(depth, f"P[{pick.choice('jk')}] = {pick.choice(['j', 'k', 'P[j] + ' + one])}", f"S[1] = S[1] + {one}")
            elif how < 0.75 and depth > 2:
                f.add(depth, f"if {condition()}:", f"    {pick.choice(['break', 'continue', 'break'])}")
            elif depth < 5:
                f.add(depth, f"if {condition()}:")
                block(depth + 1, names)
                if pick.random() < 0.4:
                    f.add(depth, "else:")
                    block(depth + 1, names)

    f.add(0, f"for i in range({n}):", f"    j = {zero}", f"    k = {pick.choice([one, zero, inside('P[i]', n)])}", f"    steps = {zero}")
    f.add(1, f"while steps < {number(kind, pick.choice([2, 9]))}{pick.choice(['', f' and {condition()}'])}:", f"    steps = steps + {one}")
    f.add(2, f"if {condition()}:", f"    j = {inside(f'j + {one}', n)}")
    block(2, ["A[0]"])
    if pick.random() < 0.5:
        f.add(1, f"for e in range({n}):", f"    {pick.choice(['A[e] = A[e] + B[e]', f'B[e] = A[{inside(chr(106), n)}]', 'A[j] = A[j] + B[e]', f'j = {inside(chr(80) + chr(91) + chr(101) + chr(93), n)}'])}")
        block(1, ["B[0]"])
    f.add(1, "S[2] = S[2] + j * k + steps")


def rearranged_loops(pick, f):
    """Loops that are left, searched, counted by bits and cut: variables that some iterations set, elements that each one overwrites,
    elements that tell which one is next, bits that are summed, squares that meet their diagonal, both ends of an array."""
    n, dtype, kind = pick.choice([9, 16, 40, 100]), pick.choice(FLOATS + INTS + ("float16",)), pick.choice(("int32", "int32", "int64", "uint32", "int8", "uint8"))
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("I", "int32", n), f.buffer("K", kind, n), f.buffer("S", dtype, 4), f.buffer("R", kind, 4)
    f.buffer("D", dtype, n, n), f.scalar("p", "int32")
    extent = pick.choice([str(n), str(n), f"T.min(p & 127, {n})", "p & 7"])
    first = pick.choice(["0", "0", "1", f"T.min(p & 15, {n})"])
    values = ["A[i]", "B[i]", "S[1]", "S[p & 3]", "A[I[i] & 7]"]
    value = lambda more=(): computed(pick, pick.choice([0, 1, 2]), values + list(more), dtype)
    condition = lambda more=(): pick.choice([f"A[i] {pick.choice(['<', '>', '!='])} {pick.choice(['B[i]', number(dtype, 3), 'S[0]'])}", "I[i] > p", "(I[i] & 3) == 1",
                                             f"{value(more)} > {number(dtype, 1)}"])
    element = lambda: pick.choice(["A[i]", "B[i]", "S[0]", f"S[p & 3]", "A[I[0] & 7]", "B[I[i] & 7]", f"A[{n - 1} - i]", f"D[i, {n - 1} - i]", "I_"])
    store = lambda more=(): "I[i] = I[i] ^ p" if (to := element()) == "I_" else f"{to} = {value(more)}"

    def bits():
        width = {"int8": 8, "uint8": 8, "int64": 64}.get(kind, 32)
        source = pick.choice(["K[i]", "(K[i] ^ K[0])", "R[1]", "(K[i] + R[0])"])
        target = pick.choice(["R[0]", "R[2]", "K[i]", "K[I[i] & 7]", "R[T.cast(R[0], \"int32\") & 3]", "R[T.cast(R[3], \"int32\") & 3]", "x"])
        term = f"(({source} >> T.cast(b, \"{kind}\")) & {number(kind, 1)})"
        f.add(0, f"x: T.{kind} = R[3]", f"for i in range({first}, {n}):")
        f.add(1, f"for b in range({pick.choice([width, width, 3, width // 2])}):", f"    {target} = {pick.choice([f'{target} + {term}', f'{term} + {target}'])}")
        f.add(1, f"K[i] = K[i] ^ x" if pick.random() < 0.5 else "R[3] = x")

    def leaving():
        f.add(0, f"x: T.{dtype} = S[2]", f"for i in range({first}, {extent}):")
        before = [store(["x"]) for _ in range(pick.choice([0, 1, 2]))]
        if pick.random() < 0.3:
            before.insert(0, f"y: T.let[T.{dtype}] = {value()}")
        f.add(1, *before, f"if {condition(['y'] if before and before[0].startswith('y') else ['x'] if pick.random() < 0.2 else ())}:")
        f.add(2, *pick.choice([[], [store()], ["S[3] = x", store()], [f"x = {value()}"]]), "break")
        f.add(1, *[store(["x"]) for _ in range(pick.choice([1, 2]))], *pick.choice([[], [], [f"x = {value()}"]]))
        f.add(0, "S[1] = x")

    def sampled():
        f.add(0, f"x: T.{dtype} = S[2]", "t: T.int32 = p & 7", f"for i in {pick.choice(['range', 'range', 'T.parallel'])}({first}, {extent}):")
        uses = [store(["x"]), store(["x"]), "I[i] = t", "B[t] = A[i]", f"A[i] = B[t] + x"]
        f.add(1, *pick.sample(uses, pick.choice([0, 1])), f"if {condition()}:", *["    " + line for line in pick.sample([f"x = {value()}", "t = i", "t = (i + I[i]) & 7"], pick.choice([1, 2]))])
        f.add(1, *pick.sample(uses, pick.choice([1, 2])))
        f.add(0, "S[3] = x", "I[0] = t")

    def overwritten():
        to = pick.choice(["S[0]", "S[p & 3]", "S[I[0] & 3]", "A[p & 7]", "D[p & 7, 1]"])
        f.add(0, f"for i in range({first}, {extent}):")
        f.add(1, *[store() for _ in range(pick.choice([0, 0, 1]))], f"{to} = {value()}", f"{pick.choice(['B[i]', 'A[i]', 'D[i, 0]', 'D[p & 7, i]'])} = {value([to, to])}",
              *pick.choice([[], [], [store([to])], ["I[i] = p"]]))

    def diagonal():
        a, b = pick.choice([("D[i, j]", "D[j, i]"), ("D[i, j]", "D[j, j]"), ("D[j, j]", "D[j, i]"), ("D[j, i]", "D[i, i]"), (f"D[i, j]", f"D[{n - 1} - j, i]")])
        bounds = pick.choice([f"i, {n}", "i + 1", str(n), f"i + 1, {n}", "i", f"{n} - i"])
        f.add(0, f"for i in range({n}):", f"    for j in range({bounds}):", f"        {a} = {computed(pick, 1, [b, a, 'A[j]', 'S[0]'], dtype)}")
        if pick.random() < 0.5:
            f.add(2, pick.choice([f"{b} = {a}", f"A[j] = {b}", f"{b} = A[j] + {a}"]))

    def chosen():
        zero = pick.choice([f"T.Select(A[i] > {number(dtype, 3)}, {number(dtype, 0)}, {number(dtype, '-0.0' if dtype.startswith('float') else 0)})", "A[i]", "A[i]", "B[I[i] & 7]"])
        less, tie = pick.choice(["<", ">"]), pick.choice(["<", "<", "<=", ">"])
        f.add(0, f"best: T.{dtype} = {pick.choice(['S[0]', number(dtype, -9 if dtype[0] != 'u' else 9), number(dtype, 99)])}", f"at: T.int32 = {pick.choice(['-1', 'p', '0', '1'])}",
              f"for i in range({first}, {pick.choice([str(n), extent])}):")
        keeps = f"best {less} {zero} or (best == {zero} and at {tie} i)"
        f.add(1, f"w: T.let[T.int32] = T.Select({keeps}, at, i)", f"v: T.let[T.{dtype}] = T.Select(best {less}{pick.choice(['', '', '='])} {zero}, best, {zero})",
              *pick.sample(["at = w", "best = v"], 2))
        f.add(0, "S[1] = best", "I[1] = at")

    pick.choice([bits, leaving, leaving, sampled, sampled, overwritten, overwritten, diagonal, chosen])()


def mixed(pick, f):
    """Straight code on elements of several types, in place, with choices and short loops."""
    n, m, types = pick.choice([1, 3, 20]), pick.choice([2, 9, 37, 100]), [pick.choice(STORED) for _ in range(pick.choice([1, 2, 3]))]
    buffers = [(f.buffer(f"B{k}", dtype, n, m), dtype) for k, dtype in enumerate(pick.choices(types, k=pick.choice([2, 3, 4])))]
    f.add(0, f"for i in range({n}):", f"    for j in range({m}):")
    for k in range(pick.choice([1, 2, 3, 5])):
        target, dtype = pick.choice(buffers)
        names = [f"{name}[i, j]" if of == dtype else f'T.cast({name}[i, j], "{dtype}")' for name, of in buffers] + [f'T.cast(j, "{dtype}")']
        value, own = computed(pick, pick.choice([1, 2, 3]), names, dtype), f"{target}[i, j]"
        f.add(2, *pick.choice([[f"{own} = {value}"], [f"x{k} = {value}", f"{own} = x{k} + x{k}"], [f"if {names[0]} > {number(dtype, 2)}:", f"    {own} = {value}"],
                               [f"for k{k} in range({pick.choice([2, 3, 5])}):", f"    {own} = {own} {pick.choice('+-')} {value}"]]))


def idle(pick, f):
    """Iterations of which few do anything: that store where later ones look, have loops in them, or while loops; conditions and
    indices that they change, or that may fail."""
    n, dtype, kind = pick.choice([130, 200, 600, "n"]), pick.choice(FLOATS + INTS), pick.choice(COUNTS)
    size = 400 if n == "n" else n
    f.buffer("A", dtype, size), f.buffer("B", dtype, size), f.buffer("C", "int32", size), f.buffer("D", dtype, size, 4)
    f.buffer("E", dtype, pick.choice([size, size, size - 1])), f.buffer("s", "int32", 4), f.scalar("p", "int32")
    if n == "n":
        f.scalar("n", "int32")
        n = pick.choice([f"T.min(n, {size})", f"T.min(n * 37, {size})", "n"])
    rare = pick.choice([f"A[i] == {number(dtype, pick.choice([3, 7]))}", f"C[i] == {pick.choice([0, 5, 19])}", "C[i] == p", "C[i] > m"])
    other = pick.choice(["C[i] < m + 3", f"B[i] < A[i]", f"D[i, p % 4] < A[i]", "E[i] < A[i]", f"E[i + m] < A[i]", "E[C[i]] < A[i]", "C[C[i]] == 2",
                         "p > 3", "i > m", f"B[{size - 1} - i] < A[i]", "m < 40"])
    condition = pick.choice([rare, rare, rare, other, f"{rare} and {other}", f"{other} and {rare}", f"{rare} or ({rare} and {other})"])
    acts = pick.choice([["O[i] = A[i]"], ["A[i] = A[i] + B[i]", f"C[{inside('i + p', size)}] = {pick.choice([0, 5])}"],
                        [f"O[{inside('m', size)}] = A[i]", "m = m + 1", "s[1] = i"], ["for j in range(4):", "    D[i, j] = D[i, j] + A[i]", "m = i"],
                        ["for j in range(i, i + 5):", f"    O[{inside('j', size)}] = A[i]"], ["m = m - 1", "E[C[i]] = A[i]"]])
    f.buffer("O", dtype, size)
    f.add(0, f"m: T.int32 = {pick.choice(['0', '1', 'p'])}", f"for i in {'range' if kind == 'int32' else 'T.serial'}({'' if kind == 'int32' else 'T.int64(0), '}{n if kind == 'int32' else f'T.cast({n}, ' + chr(34) + 'int64' + chr(34) + ')'}):")
    if kind == "int64":
        f.body = [line.replace("range(i, i + 5)", "T.serial(i, i + T.int64(5))") for line in f.body]
        acts = [re.sub(r"\b(m|s\[1\]) = i", r'\1 = T.cast(i, "int32")', line).replace("range(i, i + 5)", "T.serial(i, i + T.int64(5))") for line in acts]
        condition = condition.replace("i > m", 'T.cast(i, "int32") > m')
    named = pick.random()
    if named < 0.2:
        f.add(1, f"v: T.{dtype} = {pick.choice(['E[i]', 'B[i]'])}")
        acts = acts + ["O[i] = v"]
    if named > 0.7:
        f.add(1, "w: T.int32 = 0", f"while w < {pick.choice([4, 'p', 'p % 4', 'm'])} and {condition}:",
              f"    {pick.choice(['O[i] = A[i]', 's[0] = s[0] + 1', 'm = m + 0'])}", "    w = w + 1", f"if w {pick.choice(['>', '=='])} 1:")
    else:
        f.add(1, f"if {condition}:")
    f.add(2, *acts)
    if pick.random() < 0.2:
        f.add(1, f"elif {rare}:", "    O[i] = B[i]")
    f.add(0, "s[2] = m")


def steered(pick, f):
    """Variables and elements that the arms of branches change, which are read again before, in and behind them."""
    n, dtype = pick.choice([4, 9, 30]), pick.choice(("int32", "int32", "int64", "float32", "uint8"))
    names = [f.buffer(f"B{k}", dtype, n) for k in range(2)]
    places = lambda: f"{pick.choice(names)}[{pick.choice(['i', 'j', 'i', 'j', 'k', 'i + 1', f'{n - 1} - j'])}]"
    value = lambda: pick.choice([places(), f"{places()} + {places()}", number(dtype, 1), f"T.max({places()}, {places()})"])
    test = lambda: pick.choice([f"{places()} < {places()}", f"i < {n - 1}", f"j >= {n // 2}", f"k == {pick.randrange(8)}"])

    def condition():
        joined = test()
        for _ in range(pick.choice([0, 0, 1, 2])):
            joined = pick.choice([f"{joined} and {test()}", f"{joined} or ({test()})", f"({joined}) and ({test()} or {test()})"])
        return joined

    def block(depth, indent):
        for _ in range(pick.choice([1, 2, 3])):
            kind = pick.choice("abcdefgw" if depth else "abcd")
            if kind in "ab":
                f.add(indent, f"{places()} = {value()}")
            elif kind == "c":
                f.add(indent, pick.choice([f"i = (i + {pick.randrange(1, 4)}) % {n - 1}", f"j = (j * 3 + 1) % {n}", "j = i"]))
            elif kind == "d":
                place = places()
                f.add(indent, f"{place} = {value()}", f"{places()} = {place} + {place}")
            elif kind == "w":
                f.add(indent, f"w{depth} = 0", f"while w{depth} < 3 and ({condition()}):", f"    w{depth} = w{depth} + 1")
                block(depth - 1, indent + 1)
            else:
                f.add(indent, f"if {condition()}:")
                block(depth - 1, indent + 1)
                if pick.random() < 0.25:
                    f.add(indent + 1, pick.choice(["continue", "break"]))
                if pick.random() < 0.6:
                    f.add(indent, "else:")
                    block(depth - 1, indent + 1)

    f.add(0, "i: T.int32 = 0", f"j: T.int32 = {n // 2}", *(f"w{k}: T.int32 = 0" for k in (1, 2, 3)), f"for k in range({pick.choice([3, n])}):")
    block(3, 1)


def run_ahead(pick, f):
    """While loops that go on as long as elements say: moves of those that are greater, searches, up and down, near the ends."""
    kind, dtype, n = pick.choice(COUNTS + ("int32",)), any_type(pick), pick.choice([12, 40, 70, 200])
    f.buffer("A", dtype, n), f.buffer("B", dtype, n), f.buffer("S", kind, 8), f.scalar("p", dtype), f.scalar("q", kind)
    if pick.random() < 0.8:
        f.add(0, f"for i in range({n}):", f"    A[i] = T.cast({pick.choice(['i', f'{n - 1} - i', f'{n - 1} - i', 'i // 9', '7'])}, \"{dtype}\")")
        f.add(0, *(f"A[{pick.randrange(n)}] = {pick.choice(['p', number(dtype, 3)])}" for _ in range(pick.choice([0, 1, 2]))))
    down, depth = pick.random() < 0.6, pick.choice([0, 1, 1])
    if depth:
        f.add(0, f"for i in range({pick.choice([0, 1, 1])}, {n}):", f"    key: T.{dtype} = {pick.choice(['A[i]', 'A[i]', 'B[i]'])}")
    i, key = (f'T.cast(i, "{kind}")', ["key", "key", number(dtype, 2)]) if depth else (number(kind, n // 2), ["p", "B[1]", number(dtype, 5)])
    last = pick.choice([n - 1, n - 1, n - 1, n - 2, n])
    begin = pick.choice([f"{i} - {number(kind, 1)}", f"{i} - {number(kind, 1)}", i, number(kind, last), "q"] if down else [i, number(kind, 0), number(kind, 1), "q"])
    bound = pick.choice(["j >= 0", "j >= 0", "j > 0", "j >= 1", "j > S[1]", "0 <= j"] if down else [f"j <= {last}", f"j < {last}", f"j < {n}", "j <= q", f"{n} > j"])
    at = lambda choices: f"j {pick.choice(choices)}".replace("j 0", "j")
    near = ["0", "0", "0", "+ 1", "- 1"]
    order = pick.choice([">", ">", "<", "!=", ">=", "=="])
    clamp = pick.choice(["{}"] * 4 + ["T.max({}, %s)" % number(kind, pick.choice([0, 0, 1])), "T.min({}, %s)" % number(kind, n - 1),
                                      "T.min({}, q)", "T.min({}, S[1])"])
    terms = [bound, f"A[{clamp.format(at(near))}] {order} {pick.choice(key)}"]
    if pick.random() < 0.2:
        terms.append(f"{pick.choice('AB')}[{at(near)}] != {pick.choice(key + ['A[' + at(near) + ']'])}")
    stores = [f"A[{at(['+ 1', '+ 1', '- 1', '0', '+ 2'])}] = {pick.choice(['A', 'A', 'B'])}[{at(near)}]", f"B[{at(near)}] = {pick.choice(['A[j]', 'A[j] + B[j]', number(dtype, 1)])}"]
    f.add(depth, f"j: T.{kind} = {begin}", f"while {' and '.join(terms)}:")
    f.add(depth + 1, *pick.choice([stores[:1], stores[:1], stores[:1], stores[1:], stores, []]), f"j = j {'-' if down else '+'} 1")
    f.add(depth, "S[3] = S[3] + j", *([f"A[{inside('j + 1', n)}] = key"] if depth else []))


def scratch(pick, f):
    """Elements that are allocated in front of all loops, set and read anywhere in them, and perhaps behind them."""
    dtype, n, m = pick.choice(("int32", "int32", "float32", "int64")), pick.choice([1, 4, 9, 20]), pick.choice([1, 3, 17, 40])
    f.buffer("A", dtype, n, m), f.buffer("B", dtype, n, m), f.buffer("C", "int8", n, m)
    names = [f"x{k}" for k in range(pick.choice([1, 2, 3]))]
    f.add(0, *(f'{name} = T.alloc_buffer((1,), "{dtype}")' for name in names))

    def scratched():
        return f"{pick.choice(names)}[0]"

    def value(loops):
        i, j = (pick.choice([loop for loop, size in loops if size <= extent] or ["0"]) for extent in (n, m))
        element = f"A[{i}, {j}]" if pick.random() < 0.7 else f'T.cast(C[{i}, {j}], "{dtype}")'
        return pick.choice([number(dtype, 0), element, element, scratched(), f"{scratched()} + {element}", f"T.max({scratched()}, {element})"])

    def block(indent, loops):
        for _ in range(pick.choice([1, 2, 3])):
            kind = pick.choice("sssuuwwlllibr")
            x, i, j = scratched(), pick.choice([loop for loop, size in loops if size <= n] or ["0"]), pick.choice([loop for loop, size in loops if size <= m] or ["0"])
            condition = f"{pick.choice([loop for loop, _ in loops] or ['0'])} {pick.choice(['<', '==', '>='])} {pick.choice([0, 1, 2])}"
            if kind in "sb" and not (kind == "b" and loops):
                f.add(indent, f"{x} = {value(loops)}")
            elif kind == "u":
                f.add(indent, f"{x} = {x} + {value(loops)}")
            elif kind == "w":
                f.add(indent, f"B[{i}, {j}] = {value(loops)} + {x}")
            elif kind == "l" and len(loops) < 3:
                size, loop = pick.choice([n, m, m, 2]), f"k{len(loops)}"
                f.add(indent, f"for {loop} in range({pick.choice([size, size, size, f'T.min({i} + 1, {size})'])}):")
                block(indent + 1, loops + [(loop, size)])
            elif kind == "i":
                f.add(indent, f"if {condition}:")
                block(indent + 1, loops)
            elif kind == "b":
                f.add(indent, f"if {condition}:", f"    {pick.choice(['break', 'continue'])}")
            elif kind == "r" and len(loops) < 3:
                f.add(indent, f"for r in range({m}):", "    with T.sblock():", f"        vr = T.axis.reduce({m}, r)", "        with T.init():",
                      f"            {x} = {number(dtype, 3)}", f"        {x} = {pick.choice([x, x, scratched()])} + A[{pick.randrange(n)}, vr]")
            else:
                f.add(indent, f"{x} = {value(loops)}", f"B[{i}, {j}] = {x} * {number(dtype, 3)}")

    f.add(0, f"for k0 in range({pick.choice([n, m])}):")
    block(1, [("k0", m if n < m else n)])
    if pick.random() < 0.2:
        f.add(0, f"B[0, 0] = {scratched()}")



def small_arrays(pick, f):
    """Arrays of a few elements, which each iteration has for itself or finds as they are, and short loops that choose among them."""
    dtype, n, m = pick.choice(("int32", "float32", "float32", "uint8", "int64", "float16")), pick.choice([3, 8, 17, 40, 70]), pick.choice([2, 3, 5, 9])
    far = pick.random() < 0.05
    f.buffer("A", dtype, n, m), f.buffer("B", dtype, n, m), f.buffer("C", "uint8", n), f.scalar("p", "int32")
    arrays = {}

    def allocate(indent):
        name = f"t{len(arrays)}"
        arrays[name] = pick.choice([(2,), (3,), (4,), (9,), (2, 2), (3, 3), (16,)])
        f.add(indent, f'{name} = T.alloc_buffer({arrays[name]}, "{dtype}")')

    def index(extent, loops):
        loop, size = pick.choice(loops or [("0", 1)])
        ways = [f"({loop} + {pick.randrange(extent)}) % {extent}", f"T.min({loop}, {extent - 1})", str(pick.randrange(extent))]
        if size <= extent:
            ways += [loop, loop, f"{size - 1} - {loop}"]
        if far:
            ways += [f"{loop} + 1", "T.cast(C[0], \"int32\")", "T.min(T.max(p, 0), 1)"]
        return pick.choice(ways)

    def element(name, loops):
        return f"{name}[{', '.join(index(extent, loops) for extent in arrays[name])}]"

    def value(loops, known):
        """Reads of arrays and of memory."""
        terms = [f"A[i, {index(m, loops)}]"] + [element(pick.choice(known), loops)] * 3 + [number(dtype, pick.choice([0, 1, 3]))]
        a, b = pick.choice(terms), pick.choice(terms)
        condition = f"{pick.choice([loop for loop, _ in loops] or ['i'])} {pick.choice(['<', '==', '>='])} {pick.choice([0, 1, 2])}"
        return pick.choice([a, a, f"{a} + {b}", f"{a} * {b} - {pick.choice(terms)}", f"T.max({a}, {b})", f"T.if_then_else({condition}, {a}, {b})",
                            f"T.Select({a} < {b}, {b}, {a})"])

    def block(indent, loops, known):
        known = list(known)
        for _ in range(pick.choice([1, 2, 3, 3])):
            kind, place = pick.choice("ssssuwwllllrivca"), element(pick.choice(known), loops)
            if kind == "s":
                f.add(indent, f"{place} = {value(loops, known)}")
            elif kind == "u":
                f.add(indent, f"{place} += {value(loops, known)}")
            elif kind == "w":
                f.add(indent, f"B[i, {index(m, loops)}] = {value(loops, known)}")
            elif kind in "lr" and indent < 5:
                loop, size = f"k{indent}", pick.choice([2, 3, 4])
                first = pick.choice(["", "", "1, "]) if kind == "l" else ""
                bound = size if kind == "l" else pick.choice([size, 20, f"T.min(p % {size}, {size - 1})", "i % 3"])
                f.add(indent, f"for {loop} in {pick.choice(['range', 'range', 'T.unroll'])}({first}{bound}):")
                block(indent + 1, loops + ([(loop, size)] if kind == "l" else []), known)
            elif kind == "i":
                f.add(indent, f"if {pick.choice([loop for loop, _ in loops] or ['i'])} {pick.choice(['<', '=='])} 1:")
                block(indent + 1, loops, known)
            elif kind == "c":
                f.add(indent, f"if C[i] > {number('uint8', pick.choice([2, 99]))}:", f"    {place} = {value(loops, known)}")
                if pick.random() < 0.5:
                    f.add(indent, "else:", f"    {element(pick.choice(known), loops)} = {value(loops, known)}")
            elif kind == "a" and len(arrays) < 4:
                allocate(indent)
                known.append(list(arrays)[-1])
            else:
                name = f"v{len(f.body)}"
                f.add(indent, f"{name}: T.let[T.{dtype}] = {value(loops, known)}", f"{place} = {name} + {value(loops, known)}",
                      f"B[i, {index(m, loops)}] = {name} - {element(pick.choice(known), loops)}")

    if pick.random() < 0.4:
        allocate(0)
    f.add(0, f"for i in {pick.choice(['range', 'range', 'T.parallel'])}({n}):")
    if not arrays or pick.random() < 0.5:
        allocate(1)
    for name in list(arrays):
        if pick.random() < 0.6:
            loops = [(f"e{d}", extent) for d, extent in enumerate(arrays[name])]
            f.add(1, f"for {', '.join(loop for loop, _ in loops)} in T.grid({', '.join(str(size) for _, size in loops)}):",
                  f"    {name}[{', '.join(loop for loop, _ in loops)}] = A[i, {index(m, loops)}] + {number(dtype, 2)}")
    block(1, [], list(arrays))
    f.add(1, f"B[i, 0] = {value([], [name for name in arrays][:1])}")
    if "t0 =" in f.body[0] and pick.random() < 0.1:
        f.add(0, f"B[0, 0] = {element('t0', [])}")


SHAPES = (small_arrays, small_arrays, scratch, run_ahead, run_ahead, counting, counting, far_loops, lane_loops,
          lanes_of_types, ranges, ranges, folds, bits_off, resets, resets, lanes_of_columns, chosen, chosen_and_counted, guarded, scattered, moved, digits, windows, sampled, sampled, carried,
          sums_of_rows, counted_by_memory, nested_lane_loops, tables, still, steered, idle, idle, mixed, mixed, rearranged, rearranged, rearranged_loops, rearranged_loops, rearranged_loops)


def maker(word, kind, shapes):
    """What makes a function of a seed: of `kind`, with one of some shapes in it; `word` tells its numbers from those of others."""

    def make(seed):
        pick = random.Random(f"{word} {seed}" if word else seed)
        f = kind(pick)
        pick.choice(shapes)(pick, f)
        return f.text(f"f{seed}")

    return make


make = maker("", Function, SHAPES)


def main(make, about, count, arguments=()):
    """Compares functions that `make` makes of seeds, one in four with --stir and some with parameters that share memory or
    broadcast; `arguments` are more of the program that compares."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--differential", default="differential")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=max(count // int(os.environ.get("TIRB_TEST_EVERY", "1")), 1))
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    tally, failed = {"equal": 0, "trapped alike": 0}, 0
    for seed in range(options.seed, options.seed + options.count):
        text = HEAD + with_parameters(seed, respelled(seed, make(seed)))
        if options.print:
            print(text)
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            stirred = ["--stir"] if seed % 4 == 0 else []
            done = subprocess.run([options.differential, file.name, "--seed", str(seed), *stirred, *arguments], capture_output=True, text=True, check=False)
        last = done.stdout.splitlines()[-1] if done.stdout else ""
        counts = {what: int(n) for n, what in re.findall(r"(\d+) (equal|trapped alike|refused|unsupported|rejected|differ)", last)}
        for what in tally:
            tally[what] += counts.get(what, 0)
        if done.returncode != 0 or counts.get("unsupported", 1):
            failed += 1
            print(f"seed {seed}:\n{text}\n{done.stdout[-3000:]}{done.stderr[-3000:]}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in tally.items()), file=sys.stderr)
    print(f"{options.count - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(make, __doc__, 150))
