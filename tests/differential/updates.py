"""Loops that carry more than sums, run by `tirb` and by Python itself: the loops of a TVMScript text are Python.

    updates.py [--tirb PATH] [--seed N] [--count N]

Extremes with the place where they are, chosen together or not, and other guarded updates, over rows of any length with ties, zeros of both signs and
NaNs; nests that read a row and a column which some of their iterations write; rows of entries, as of sparse matrices; and
elements and quotients that only some iterations may compute; arrays that are made of their own elements at a distance; sweeps in
place over neighbours; loops of several statements that need each other in
part; variables that loops count; loops that are unrolled, or nearly so; loops that go through an array from both ends; and
loops that keep some of their elements, or the last of some; rows that are computed from those before them; and rows of a few
elements that numbers choose.
Each is compiled and called under one instruction set. Ends with `N passed, N failed`; exit status 1 on failure, with the texts that failed.
"""

import argparse
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
HEAD = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n"


class Tir:
    """What the loops need of T, in Python."""

    int32 = int64 = int8 = int
    serial = range
    Cast = staticmethod(lambda dtype, x: x)
    float32 = np.float32
    float64 = np.float64

    class let:
        def __class_getitem__(cls, item):
            return cls

    @staticmethod
    def Select(condition, yes, no):
        return yes if condition else no

    @staticmethod
    def max(a, b):
        return a if a > b else b

    @staticmethod
    def min(a, b):
        return a if a < b else b


def shape(dynamic, *names):
    return "(" + ", ".join(f'"{n}"' if dynamic else n for n in names) + ",)"


def values(pick, generator, size, dtype):
    data = generator.integers(-40, 40, size).astype(dtype)
    how = pick.choice(["ties", "same", "sorted", "any", "nan"])
    if how == "same":
        data[:] = 3
    elif how == "sorted":
        data = np.sort(data, axis=-1)
    elif dtype.startswith("float") and how != "ties":
        data = generator.standard_normal(size).astype(dtype)
        if how == "nan":
            for value in (np.nan, -0.0, 0.0):
                data[generator.random(size) < 0.1] = value
    return data


def guarded(pick, generator):
    """Rows of A update V, W and U."""
    n, m = pick.choice([1, 3, 17, 20]), pick.choice([1, 8, 9, 30, 48, 100, 513, 800, 1500, 2600])
    dtype, dynamic = pick.choice(["float32", "float64", "int32", "int64", "int8"]), pick.random() < 0.6
    rows, columns = ("n", "m") if dynamic else (str(n), str(m))
    value, order = pick.choice(["A[i, k]", "A[i, k] + A[i, k]"]), pick.choice([">", "<", ">=", "<="])
    body = pick.choice([
        [f"if {value} {order} V[i]:", f"    V[i] = {value}", "    W[i] = k"],
        [f"if {value} {order} V[i] and k > 2:", "    W[i] = k + 1", f"    V[i] = {value}"],
        [f"w: T.let[T.int32] = T.Select(V[i] {order} {value} or (V[i] == {value} and W[i] < k), W[i], k)",
         f"v: T.let[T.{dtype}] = T.Select(V[i] {order} {value}, V[i], {value})", "W[i] = w", "V[i] = v"],
        [f"V[i] = T.max(V[i], {value})", f"if {value} == V[i]:", "    W[i] = k"],
        [f"if {value} {order} V[i]:", "    U[i] = V[i]", f"    V[i] = {value}", f"elif {value} {order} U[i]:",
         f"    U[i] = {value}"],
        ["if W[i] < 0:", f"    if {value} {order} V[i]:", "        W[i] = k"],
        [f"if {value} {order} V[i]:", f"    V[i] = {value}"],
        [f"if A[0, k] < A[i, 0] and {value} {order} V[i]:", f"    V[i] = {value}"],
        [f"if A[0, k] != A[i, 0]:", f"    if V[i] {order} {value}:", f"        V[i] = {value}"],
        [f"if {value} {order} best:", f"    best = {value}", "    at = k"],
        [f"if A[0, k] != A[i, 0] and {value} {order} best:", f"    best = {value}", "    at = k"],
        [f"if A[i, k] {order} A[i, at]:", "    at = k"],
        [f"if A[0, k] != A[i, 0] and A[i, at] {order} A[i, k]:", "    at = k"]])
    local = "at = k" in body[-1]
    loops = [f"for i in range({rows}):"]
    loops += [f"    best: T.{dtype} = V[i]", "    at: T.int32 = T.max(W[i], 0)"] if local else []
    loops += [f"    for k in range({pick.choice([0, 0, 2])}, {columns}):"] + ["        " + line for line in body]
    loops += ["    V[i] = best", "    W[i] = at"] if local else []
    text = f"""    def f(A: T.Buffer({shape(dynamic, rows, columns)}, "{dtype}"), V: T.Buffer({shape(dynamic, rows)}, "{dtype}"), \
W: T.Buffer({shape(dynamic, rows)}, "int32"), U: T.Buffer({shape(dynamic, rows)}, "{dtype}")):\n"""
    text += "        n, m = T.int32(), T.int32()\n" if dynamic else ""
    start = generator.integers(-5, 5, n).astype(dtype)
    arrays = {"A": values(pick, generator, (n, m), dtype), "V": start, "W": np.full(n, -1, "int32"), "U": start.copy()}
    return text, loops, arrays, {"n": n, "m": m}


def paired(pick, generator):
    """An extreme and its place that are chosen together, of which zeros, NaNs and what the pair begins with may be any."""
    n, m = pick.choice([1, 5]), pick.choice([7, 8, 13, 20, 33, 48, 63, 64, 200])
    dtype, order, kind = pick.choice(["float32", "float32", "float64", "int32"]), pick.choice("<>"), pick.choice(["int32", "int32", "int64"])
    place = "k" if kind == "int32" else 'T.Cast("int64", k)'
    keeps = f"best {order} A[i, k] or (best == A[i, k] and at < {place})"
    loops = [f"for i in range({n}):", f"    best: T.{dtype} = V[i]", f"    at: T.{kind} = W[i]", f"    for k in range({pick.choice([0, 0, 1, 3])}, {m}):",
             f"        w: T.let[T.{kind}] = T.Select({keeps}, at, {place})", f"        v: T.let[T.{dtype}] = T.Select(best {order}{pick.choice(['', '='])} A[i, k], best, A[i, k])",
             *pick.sample(["        at = w", "        best = v"], 2), "    V[i] = best", "    W[i] = at"]
    text = f'    def f(A: T.Buffer(({n}, {m}), "{dtype}"), V: T.Buffer(({n},), "{dtype}"), W: T.Buffer(({n},), "{kind}")):\n'
    data = pick.choice([values(pick, generator, (n, m), dtype), generator.choice(np.array([0.0, -0.0, pick.choice([0, -3 if order == ">" else 3])]).astype(dtype), (n, m))])
    start = generator.choice(np.array([0.0, -0.0, pick.choice([-9, 9]), 3 if dtype.startswith("int") else np.nan]).astype(dtype), n)
    if pick.random() < 0.8:
        start[:] = 100 if order == "<" else -100
    return text, loops, {"A": data, "V": start, "W": generator.choice([-1, -1, -1, -1, 0, 500], n).astype(kind)}, {}


def crossed(pick, generator):
    """D[i, j] from its row and column `k` and others that stand still."""
    n, m = pick.choice([5, 7, 17, 33]), pick.choice([5, 8, 19, 40])
    dtype, dynamic = pick.choice(["float32", "int32", "int64", "int8"]), pick.random() < 0.5
    rows, columns = ("n", "m") if dynamic else (str(n), str(m))
    row, column = pick.choice(["k", "k", "0", str(n - 1)]), pick.choice(["k", "k", "1", str(m - 1)])
    still = " + ".join(pick.sample([f"D[i, {column}]", f"D[{row}, j]", f"D[{row}, {column}]"], pick.randint(1, 3)))
    body = pick.choice([[f"D[i, j] = T.min(D[i, j], {still})"], [f"D[i, j] = D[i, j] - ({still})"],
                        [f"if {still} < D[i, j]:", f"    D[i, j] = {still}"]])
    nest = [f"for i in range({pick.choice([0, 1])}, {rows}):", f"for j in range({pick.choice([0, 2])}, {columns}):"]
    if pick.random() < 0.3:
        nest.reverse()
    loops = ["for k in range(2):", "    " + nest[0], "        " + nest[1]] + ["            " + line for line in body]
    text = f'    def f(D: T.Buffer({shape(dynamic, rows, columns)}, "{dtype}")):\n'
    text += "        n, m = T.int32(), T.int32()\n" if dynamic else ""
    return text, loops, {"D": generator.integers(-9, 9, (n, m)).astype(dtype)}, {"n": n, "m": m}


def ranges(pick, generator):
    """Rows of entries, which follow each other more often than not, in any spelling."""
    n = pick.choice([1, 3, 17, 200, 1100])
    dtype, counts, dynamic = pick.choice(["float32", "float64", "int32"]), pick.choice(["int32", "int32", "int64"]), pick.random() < 0.5
    lengths = generator.integers(0, pick.choice([1, 3, 9, 40]), n) * (generator.random(n) < pick.choice([1, 0.6]))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(counts) + pick.choice([0, 0, 2])
    entries = int(starts.max()) + 3
    if pick.random() < 0.25:
        generator.shuffle(starts)
    columns = pick.choice([1, 7, 60])
    begin = pick.choice(["P[i]", "first"])
    lets = [f"first: T.let[T.{counts}] = P[i]"] if begin == "first" else []
    over, place = pick.choice([(f"range({begin}, P[i + 1])", "k"), (f"range(P[i + 1] - {begin})", f"{begin} + k")])
    term = pick.choice([f"V[{place}] * X[C[{place}]]", f"V[{place}]", f"V[{place}] - X[C[{place}]] * V[{place}]"])
    plain = [
        ["Y[i] = T.{d}(1)", ":", "    Y[i] = Y[i] + {t}"],
        ["best: T.{d} = T.{d}(2)", ":", "    best = T.max(best, {t})", "Y[i] = best"],
        ["s: T.{d} = T.{d}(1)", ":", "    s = s + {t}", "Y[i] = s", ":", "    O[{p}] = {t} - s"],
        ["Y[i] = T.{d}(0)", ":", "    Y[i] += {t}", "if P[i + 1] - P[i] > 2:", "    Y[i] = Y[i] - T.{d}(2)"],
        [":", "    O[{p}] = X[0] + {t}"],
        ["s: T.{d} = T.{d}(0)", "m: T.{d} = T.{d}(1)", ":", "    m = T.min(m, {t})", ":", "    s = s - (V[{p}] - m)", "Y[i] = s + m"],
        ["Y[i] = T.{d}(0)", ":", "    Z[C[{p}]] = Z[C[{p}]] + {t}", "    Y[i] = Y[i] + V[{p}]"]]
    counted = pick.random() < 0.3
    if counted:
        place, term = "k", term.replace(place, "k")
    body, opened = list(lets), False
    for line in pick.choice(plain):
        if line == ":":
            body += [f"k: T.{counts} = P[i]" if not opened else "k = P[i]", "while k < P[i + 1]:"] if counted else [f"for k in {over}:"]
            if counted and opened:
                return ranges(pick, generator)
            opened = True
        else:
            body.append(line.format(d=dtype, t=term, p=place))
            last_of_while = counted and line.startswith("    ") and "if" not in body[-2]
            if last_of_while and body[-2].startswith("while"):
                body.append("    k = k + 1") if "C[{p}]] =" not in line else None
            elif last_of_while and "Y[i] + V" in line:
                body.append("    k = k + 1")
    loop = "T.serial(T.int64(%d))" % n if counts == "int64" and not dynamic else "range(n)" if dynamic else f"range({n})"
    loops = [f"for i in {loop}:"] + ["    " + line for line in body]
    extent = lambda name, size: f'"{name}"' if dynamic else str(size)
    shapes = {"P": (extent("n + 1", n + 1), counts), "C": (extent("e", entries), "int32"), "V": (extent("e", entries), dtype),
              "X": (extent("m", columns), dtype), "Y": (extent("n", n), dtype), "O": (extent("e", entries), dtype),
              "Z": (extent("m", columns), dtype)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer(({size},), "{kind}")' for name, (size, kind) in shapes.items()) + "):\n"
    text += "        n, e, m = T.int32(), T.int32(), T.int32()\n" if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    arrays = {"P": starts, "C": generator.integers(0, columns, entries).astype("int32"), "V": small(entries), "X": small(columns),
              "Y": small(n), "O": small(entries), "Z": small(columns)}
    return text, loops, arrays, {"n": n, "e": entries, "m": columns}


def chosen(pick, generator):
    """Elements that are only there, and quotients that only exist, where a condition holds; digits of one number as indices."""
    n, m, rows, columns = pick.choice([1, 3, 17]), pick.choice([5, 33, 70, 600]), pick.choice([1, 4, 9]), pick.choice([1, 7, 20])
    dtype, index = pick.choice(["float32", "float64", "int32", "int64", "int8"]), pick.choice(["int32", "int64"])
    dynamic = pick.random() < 0.3
    high, low = ("n", "m") if dynamic else (str(n), str(m))
    y, x = pick.choice(["Y[i, j]", "Y[i, 0]", "X[i, j]"]), pick.choice(["X[i, j]", "X[i, j] + i", "X[i, j] - j"])
    inside = f"{y} >= 0 and {y} < {rows} and {x} >= 0 and {x} < {columns}"
    far = f"{y} * {columns} + {x}"
    digits = f"A[({far}) // {columns}, ({far}) % {columns}]"
    body = pick.choice([
        [f"if {inside}:", f"    O[i, j] = A[{y}, {x}]"],
        [f"if {inside}:", f"    O[i, j] = A[{y}, {x}]", "else:", "    O[i, j] = O[i, j] + O[i, j]"],
        [f"if {y} >= 0 and {y} < {rows}:", f"    if {x} >= 0 and {x} < {columns} and A[{y}, {x}] > A[0, 0]:", f"        O[i, j] = A[{y}, {x}]",
         "    else:", f"        O[i, j] = A[{y}, 0]"],
        [f"if {far} >= 0 and {far} < {rows * columns}:", f"    O[i, j] = {digits} - A[0, 0]"],
        [f"if {y} == 0 or ({y} > 0 and {x} // {y} % 3 == 1):", "    O[i, j] = A[0, 0]", f"elif {y} != 0:", f"    P[i, j] = {x} % {y} - ({x} // {y})"],
        [f"v: T.let[T.{index}] = Y[i, j]", f"if v >= 0 and v < {rows}:", f"    for k in range({columns}):", "        O[i, j] = O[i, j] + A[v, k]"]])
    loops = [f"for i in range({high}):", f"    for j in range({low}):"] + ["        " + line for line in body]
    shapes = {"A": (f"({rows}, {columns})", dtype), "Y": (shape(dynamic, high, low), index), "X": (shape(dynamic, high, low), index),
              "O": (shape(dynamic, high, low), dtype), "P": (shape(dynamic, high, low), index)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({size}, "{kind}")' for name, (size, kind) in shapes.items()) + "):\n"
    text += "        n, m = T.int32(), T.int32()\n" if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    arrays = {"A": small((rows, columns)), "Y": generator.integers(-3, rows + 2, (n, m)).astype(index),
              "X": generator.integers(-9, columns + 9, (n, m)).astype(index), "O": small((n, m)), "P": np.zeros((n, m), index)}
    return text, loops, arrays, {"n": n, "m": m}


def distant(pick, generator):
    """Elements that others of the same array make, at distances that memory tells or the text."""
    rows, n = pick.choice([1, 4, 9]), pick.choice([5, 30, 64, 200, 700, 5000])
    dtype, dynamic = pick.choice(["float32", "float64", "int32", "int64", "int8"]), pick.random() < 0.4
    width = "n" if dynamic else str(n)
    at = pick.choice(["k", "k", f"{n - 1} - k", f"2 * k"])
    step, two = pick.choice(["w[i]", "w[i]", "-w[i]", "1", "-3", "9", "-20", "600"]), pick.random() < 0.3
    place = (lambda x: f"D[i, {x}]") if two else (lambda x: f"B[{x}]")
    other, more = f"{at} + {step}", pick.choice([f"{at} + w[0]", f"{at} - 40", at])
    inside = lambda x: f"{x} >= 0 and {x} < {width}"
    a, b, c = place(at), place(other), place(more)
    body = pick.choice([
        [f"if {inside(other)}:", f"    {a} = T.max({a}, {b} + v[i])"],
        [f"if {inside(other)}:", f"    {a} = {b} - v[i]", "else:", f"    {a} = v[i]"],
        [f"if {inside(other)}:", f"    if {b} + v[i] < {a}:", f"        {a} = {b} + v[i]"],
        [f"if {inside(other)} and {inside(more)}:", f"    {a} = {b} - {c}"],
        [f"if {inside(other)}:", f"    {a} = v[i] - {a}", f"    C[k] = {b} + {a}"],
        [f"if {inside(other)}:", f"    {b} = {a} - v[i]", f"    C[k] = {b}"]])
    if at == "2 * k":
        body = [f"if {inside(at)}:"] + ["    " + line for line in body]
    loops = [f"for i in range({rows}):", f"    for k in range({width}):"] + ["        " + line for line in body]
    shapes = {"D": (f'({rows}, "n")' if dynamic else f"({rows}, {n})", dtype), "B": (shape(dynamic, width), dtype), "C": (shape(dynamic, width), dtype),
              "w": (f"({rows},)", pick.choice(["int32", "int64"])), "v": (f"({rows},)", dtype)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({size}, "{kind}")' for name, (size, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    far = pick.choice([3, 30, n + 2])
    arrays = {"D": small((rows, n)), "B": small(n), "C": small(n), "v": small(rows),
              "w": generator.integers(pick.choice([-far, 0, 1]), far + 1, rows).astype(shapes["w"][1])}
    return text, loops, arrays, {"n": n}


def in_place(pick, generator):
    """Sweeps that compute each element from its neighbours, some of them new and some old."""
    rank, dynamic = pick.choice([1, 2, 2]), pick.random() < 0.5
    n, m = (pick.choice([4, 5, 9, 40]), pick.choice([5, 8, 13, 60, 300])) if rank == 2 else (1, pick.choice([5, 8, 60, 300, 5000]))
    dtype, names = pick.choice(["float32", "float64", "int32", "int8"]), ("n", "m")[2 - rank:]
    size = dict(zip("nm", names if dynamic else (str(n), str(m)))) if rank == 2 else {"m": "m" if dynamic else str(m)}
    number = lambda x: f"T.{dtype}({x})"
    at = [pick.choice(["i", "i", f"{size['n']} - 1 - i"])] if rank == 2 else []
    at.append(pick.choice(["j", "j", "j", f"{size['m']} - 1 - j"]))

    def element():
        by = [pick.choice([-1, 0, 0, 1]) for _ in at[:-1]] + [pick.choice([-2, -1, -1, -1, 0, 0, 1, 1, 2])]
        return "A[" + ", ".join(x if d == 0 else f"{x} {'+' if d > 0 else '-'} {abs(d)}" for x, d in zip(at, by)) + "]"

    terms = [pick.choice([element(), element(), element(), "B[j]"]) for _ in range(pick.choice([2, 3, 4, 5]))]
    value = terms[0]
    for term in terms[1:]:
        value = pick.choice([f"{value} + {term}", f"{value} + {term}", f"{value} - {term}", f"T.max({value}, {term})"])
    if dtype[0] == "f":
        value = pick.choice([f"({value}) / {number(3)}", f"{number(0.25)} * ({value})"])
    here = f"A[{', '.join(at)}]"
    body = pick.choice([[f"{here} = {value}"], [f"{here} = {value}"], [f"{here} = {value}", f"B[j] = {here}"],
                        [f"p = {at[-1]}", f"{here} = {value}".replace(at[-1], "p")]])
    if pick.random() < 0.3:
        inside = " and ".join(f"{loop} > 1 and {loop} < {size[name]} - 2" for loop, name in zip("ij"[2 - rank:], names))
        loops = [f"for {loop} in range({size[name]}):" for loop, name in zip("ij"[2 - rank:], names)]
        body = [f"if {inside}:"] + ["    " + line for line in body]
    else:
        loops = [f"for {loop} in range(2, {size[name]} - 2):" for loop, name in zip("ij"[2 - rank:], names)]
    loops = ["for t in range(3):", *loops, *body]
    depths = [0] + list(range(1, rank + 1)) + [rank + 1] * len(body)
    loops = ["    " * depth + line for depth, line in zip(depths, loops)]
    extents = {"n": n, "m": m}
    shapes = ({"A": (shape(dynamic, *[size[name] for name in names]), dtype), "B": (shape(dynamic, size["m"]), dtype)})
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "".join(f"        {name} = T.int32()\n" for name in names) if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    return text, loops, {"A": small([extents[name] for name in names]), "B": small(m)}, extents


def statements(pick, generator):
    """Loops of several statements, which read what others of them store, now or in other iterations."""
    rows, n, dynamic = pick.choice([1, 1, 3]), pick.choice([6, 9, 40, 300, 3000]), pick.random() < 0.4
    dtype, size = pick.choice(["float32", "float64", "int32"]), "n" if dynamic else str(n)
    number = lambda x: f"T.{dtype}({x})"
    names, back = ["A", "B", "C", "D"], pick.random() < 0.25
    known = ["x", "y"][:pick.choice([0, 0, 1, 1, 2])]
    begun = [f"{name}: T.{dtype} = {number(k + 2)}" for k, name in enumerate(known)]

    def element():
        d = pick.choice([-2, -1, -1, 0, 0, 0, 1, 1, 2])
        at = f"{size} - 1 - i" if back else "i"
        return f"{pick.choice(names)}[{at if d == 0 else f'{at} {chr(43) if d > 0 else chr(45)} {abs(d)}'}]"

    def value(more):
        text = element()
        for _ in range(pick.choice([0, 1, 1, 2])):
            term = pick.choice([element(), element(), number(3), *more])
            text = pick.choice([f"{text} + {term}", f"{text} - {term}", f"T.max({text}, {term})"])
        return text

    body, local = [], []
    for k in range(pick.choice([2, 2, 3, 4, 5])):
        kind = pick.random()
        if kind < 0.12:
            body.append(f"s{k} = {value(known + local)}")
            local.append(f"s{k}")
            body += [f"{element()} = s{k}"] * pick.choice([0, 1])
        elif kind < 0.18:
            first = element()
            body += [f"if {element()} > {number(1)}:", f"    {first} = {value(known + local)}", f"    {element()} = {value(known + local + [first])}",
                     "else:", f"    {first} = {value(known + local)}"]
        elif kind < 0.25:
            body += [f"if {element()} > {number(1)}:"] + [f"    {element()} = {value(known + local)}" for _ in range(pick.choice([1, 1, 2]))]
            if pick.random() < 0.5:
                body += ["else:"] + [f"    {element()} = {value(known + local)}" for _ in range(pick.choice([1, 1, 2]))]
        elif kind < 0.28:
            body += [f"if {element()} > {number(pick.choice([5, 7, 8]))}:"] + [f"    {element()} = {value(known + local)}"] * pick.choice([0, 0, 1])
            body.append("    break")
        elif kind < 0.4 and known:
            name = pick.choice(known)
            body.append(f"{name} = {pick.choice([value(local), value(local), name + ' + ' + element(), element()])}")
        else:
            body.append(f"{element()} = {value(known + local)}")
    loops = begun + [f"for t in range({rows}):", f"    for i in range(2, {size} - 2):"] + ["        " + line for line in body]
    loops += [f"E[{k}] = {name}" for k, name in enumerate(known)]
    shapes = {name: (shape(dynamic, size), dtype) for name in names} | {"E": ("(2,)", dtype)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    arrays = {name: generator.integers(-9, 9, n).astype(dtype) for name in names}
    return text, loops, arrays | {"E": np.zeros(2, dtype)}, {"n": n}


def counted(pick, generator):
    """Variables that loops count beside their own, here and there by more than one, and elements by their numbers."""
    rows, n, dynamic = pick.choice([0, 1, 3, 7]), pick.choice([1, 5, 9, 40, 300]), pick.random() < 0.4
    dtype, kind, size = pick.choice(["float32", "int32", "int8"]), pick.choice(["int32", "int32", "int64"]), "n" if dynamic else str(n)
    first, lines, total = pick.choice([0, 0, 1, 6]), {"before": [], "inside": [], "behind": []}, 0

    def element():
        at = pick.choice(["k", "k", "k + 1", f"k + {first + 2}"])
        return f"{pick.choice(['A', 'A', 'B'])}[{at}]" if pick.random() < 0.7 else "R[j]"

    for where, times in ("before", rows), ("inside", rows * n), ("behind", rows):
        for _ in range(pick.choice([1, 2, 3]) if where == "inside" else pick.choice([0, 0, 1])):
            by, what = pick.choice([1, 1, 1, 2, 3]), pick.random()
            if what < 0.55:
                lines[where].append(f"k = k + {by}")
                total += by * times
            elif what < 0.6 and where == "inside":
                lines[where] += [f"p = k + {by}", f"A[p] = R[j]", f"B[k] = {element()}", f"k = p + {pick.choice([0, 1, 2])}", f"A[{pick.choice('pk')}] = R[j]"]
                total += (by + 2) * times
            elif what < 0.65 and where == "inside":
                lines[where] += [f"if R[j] > T.{dtype}(0):", "    A[k] = R[j]", f"    k = k + {by}", "else:", f"    k = k + {by}"]
                total += by * times
            elif what < 0.7:
                lines[where] += [f"if R[{'j' if where == 'inside' else 0}] > T.{dtype}(0):", f"    k = k + {by}"]
                total += by * times
            elif where == "inside":
                lines[where].append(f"{element()} = {element()} + {element()}")
            else:
                lines[where].append(f"B[k] = A[k]")
    start = pick.choice([f"k: T.{kind} = {first if kind == 'int32' else f'T.int64({first})'}"])
    inner = pick.choice([size, size, size, f"T.min({'k' if kind == 'int32' else 'T.Cast(' + chr(34) + 'int32' + chr(34) + ', k)'} % 3, {size})", "T.min(i, 1)"])
    total += 2 * rows * (2 if inner != size else 0) * 9
    fix = lambda text: re.sub(r"\b([kp]) \+ (\d+)", r"\1 + T.int64(\2)", text) if kind == "int64" else text
    loops = [start, f"for i in range({rows}):", *["    " + fix(line) for line in lines["before"]], f"    for j in range({inner}):"]
    loops += ["        " + fix(line) for line in lines["inside"]] + ["    " + fix(line) for line in lines["behind"]]
    loops.append(f"E[0] = {'T.Cast(' + chr(34) + 'int32' + chr(34) + ', k)' if kind == 'int64' else 'k'}")
    most = total + 2 * first + 8
    shapes = {"A": (f"({most},)", dtype), "B": (f"({most},)", dtype), "R": (shape(dynamic, size), dtype), "E": ("(1,)", "int32")}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    return text, loops, {"A": small(most), "B": small(most), "R": small(n), "E": np.zeros(1, "int32")}, {"n": n}


def rolled(pick, generator):
    """Bodies of the same statements for places that follow each other; now and then one of them is another one."""
    copies, rounds, dynamic = pick.choice([2, 3, 4, 4, 5, 8]), pick.choice([1, 3, 9, 40, 300]), pick.random() < 0.4
    dtype, times, first = pick.choice(["float32", "float64", "int32", "int8"]), "n" if dynamic else str(rounds), pick.choice([0, 0, 0, 2])
    number, differs = lambda x: f"T.{dtype}({x})", pick.random() < 0.35
    scale, size = pick.choice([1, 1, 1, 1, 2]), 0
    at = pick.choice([f"{copies * scale} * i + {{p}}", f"i * {copies * scale} + {{p}}", f"{{p}} + {copies * scale} * i"])

    def element(stored=False):
        name = pick.choice(["A", "A", "B", "C"] if stored else ["A", "B", "C", "V", "R"])
        if name == "R":
            return "R[i]" if pick.random() < 0.2 else "R[0]"
        place = f"{name}[{at.replace('{p}', '{' + str(pick.choice([0, 0, 0, 1, 2, 3])) + '}')}]"
        return f"C[V[{at.replace('{p}', '{0}')}]]" if name == "V" else place

    def value():
        text = element()
        for _ in range(pick.choice([0, 1, 1, 2])):
            text = pick.choice([f"{text} + {element()}", f"{text} - {element()}", f"T.max({text}, {element()})", f"{text} + {number(3)}"])
        return text

    kinds = [pick.random() for _ in range(pick.choice([1, 1, 1, 2, 3]))]
    lines = []
    for k, kind in enumerate(kinds):
        if kind < 0.15:
            lines += [f"t{k}_@ = {value()}", f"{element(True)} = t{k}_@ + t{k}_@"]
        elif kind < 0.3:
            lines += [f"if {element()} > {number(1)}:", f"    {element(True)} = {value()}"]
        elif kind < 0.4:
            lines += [f"s = s + {element()}"]
        elif kind < 0.45:
            lines += [f"{element(True)} = T.Cast({chr(34)}{dtype}{chr(34)}, {at.replace('{p}', '{0}')})" if dtype != "int8" else "s = s"]
        else:
            lines += [f"{element(True)} = {value()}"]
    body = []
    for j in range(copies):
        for line in lines:
            far = j + (pick.choice([-1, 1, 2]) if differs and j > 0 and pick.random() < 0.3 else 0)
            far = max(far, 0)
            body.append(line.replace("@", str(j)).format(*[scale * far + d for d in range(4)]))
            size = max(size, scale * far + 4)
    size += copies * scale * (rounds + first)
    loops = [f"s: T.{dtype} = {number(1)}", "for r in range(2):", f"    for i in range({first}, {times}{f' + {first}' if first else ''}):"]
    loops += ["        " + line for line in body] + ["E[0] = s"]
    shapes = {name: (f"({size},)", dtype) for name in "ABC"} | {"V": (f"({size},)", "int32"), "R": (shape(dynamic, times), dtype), "E": ("(1,)", dtype)}
    if dynamic:
        shapes["R"] = ('("n",)', dtype)
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    if "R[i]" in "".join(loops):
        loops = [line.replace("R[i]", f"R[i - {first}]") for line in loops]
    arrays = {name: generator.integers(-9, 9, size).astype(dtype) for name in "ABC"}
    return text, loops, arrays | {"V": generator.integers(0, size, size).astype("int32"), "R": np.ones(rounds, dtype), "E": np.zeros(1, dtype)}, {"n": rounds}


def mirrored(pick, generator):
    """Arrays that are read, and stored to, from both of their ends."""
    n, dynamic = pick.choice([1, 2, 5, 8, 9, 40, 41, 300, 3001]), pick.random() < 0.5
    dtype, size = pick.choice(["float32", "float64", "int32", "int8"]), "n" if dynamic else str(n)
    low, high = pick.choice([0, 0, 3]), pick.choice([0, 0, 4])
    up, down = f"A[i + {low}]", f"A[{size} - {1 - pick.choice([0, low, low + high])} - i]"
    if pick.random() < 0.4:
        up, down = down, up
    body = pick.choice([
        [f"{up} = {down} + B[i]"], [f"{up} = {up} - {down}", f"B[i] = {up}"], [f"t = {up}", f"{up} = {down}", f"{down} = t + B[i]"],
        [f"x = {down} + B[i]", f"{up} = x - B[i] - x", "B[i] = x"], [f"if B[i] > T.{dtype}(0):", f"    {up} = {down} - {up}"],
        [f"B[i] = {down}", f"{up} = B[i] + {up}", f"{down} = {up}"], [f"{up} = A[{pick.choice(['0', '3', size + ' - 1'])}] + B[i]"],
        [f"R[0] = {down} - B[i]", f"{up} = R[0] + R[0]"], [f"R[0] = B[i]", f"if B[i] > T.{dtype}(0):", f"    B[i] = R[0] + R[1]"]])
    loops = ["for r in range(2):", f"    for i in range({size}):"] + ["        " + line for line in body]
    extra = 8 + low + high
    shapes = {"A": (f'({f"{chr(34)}n + {extra}{chr(34)}" if dynamic else n + extra},)', dtype), "B": (shape(dynamic, size), dtype), "R": ("(2,)", dtype)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    return text, loops, {"A": generator.integers(-9, 9, n + extra).astype(dtype), "B": generator.integers(-9, 9, n).astype(dtype), "R": np.ones(2, dtype)}, {"n": n}


def kept(pick, generator):
    """Elements that go one after the other where a condition holds, and variables that some iterations set."""
    rows, n, dynamic = pick.choice([1, 1, 2, 5]), pick.choice([1, 5, 16, 40, 300, 2048, 2500, 4100]), pick.random() < 0.4
    dtype, kind, size = pick.choice(["float32", "float64", "int32", "int8"]), pick.choice(["int32", "int32", "int64"]), "n" if dynamic else str(n)
    first, low, number = pick.choice([0, 0, -1, 3]), pick.choice([0, 0, 1]), lambda x: f"T.{dtype}({x})"
    count = lambda x: f"T.int64({x})" if kind == "int64" else str(x)
    condition = pick.choice([f"A[i] > {number(pick.choice([-8, 0, 0, 5]))}", "A[i] > B[i]", f"A[i] > {number(0)} and B[i] < {number(4)}"])
    value = lambda: pick.choice(["A[i]", "B[i]", "A[i] + B[i]", f"B[i] - {number(2)}", "T.max(A[i], B[i])"])

    def pushes(counter, names):
        lines, more = [], pick.choice([0, 0, 0, 1])
        for name in names:
            lines.append(f"{name}[{counter}{f' + {count(more + 2)}' if more + 2 else ''}] = {value()}")
        lines.insert(pick.choice([0, len(lines), len(lines)]), f"{counter} = {counter} + {count(pick.choice([1, 1, 1, 1, 2]))}")
        if pick.random() < 0.2:
            lines.append(f"{pick.choice(['D', 'D', 'B'])}[i] = {value()}")
        return lines

    def samples():
        return pick.sample([f"s = {value()}", "t = " + pick.choice(["i", "i + 3", "C[i]"])], pick.choice([1, 2]))

    one = pick.choice([["P"], ["P"], ["P", "Q"]])
    body = pick.choice([
        [f"if {condition}:", *["    " + line for line in pushes("j", one)]],
        [f"if {condition}:", *["    " + line for line in pushes("j", ["P"])], "else:", *["    " + line for line in pushes("k", ["Q"])]],
        [f"if {condition}:", *["    " + line for line in samples()], f"D[i] = s + {value()}", "C[i] = t" if pick.random() < 0.2 else "E[i] = t"],
        [f"D[i] = s", f"if {condition}:", *["    " + line for line in samples()], "E[i] = t - i"]])
    if pick.random() < 0.25:
        body.insert(0, f"{pick.choice(['D', 'B'])}[i] = {value()}")
    if pick.random() < 0.15:
        body.append(f"s = s + {value()}")
    loops = [f"j: T.{kind} = {count(first)}", f"k: T.{kind} = {count(first)}", f"s: T.{dtype} = {number(7)}", "t: T.int32 = 9",
             f"for r in range({rows}):", f"    for i in range({low}, {size}):"] + ["        " + line for line in body]
    cast = (lambda x: f"T.Cast({chr(34)}int32{chr(34)}, {x})") if kind == "int64" else str
    loops += [f"F[0] = {cast('j')}", f"F[1] = {cast('k')}", "F[2] = t", "G[0] = s"]
    if kind == "int32" and pick.random() < 0.35: # an element counts
        loops = [re.sub(r"\bj\b", "F[0]", line.replace("j: T.int32", "j")) for line in loops]
    most = 2 * rows * n + 16
    shapes = {name: (shape(dynamic, size), dtype) for name in "ABD"} | {name: (shape(dynamic, size), "int32") for name in "CE"}
    shapes |= {"P": (f"({most},)", dtype), "Q": (f"({most},)", dtype), "F": ("(3,)", "int32"), "G": ("(1,)", dtype)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({s}, "{kind}")' for name, (s, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    small = lambda size: generator.integers(-9, 9, size).astype(dtype)
    return text, loops, {name: small(n) for name in "ABD"} | {name: generator.integers(0, 9, n).astype("int32") for name in "CE"} | {
        "P": small(most), "Q": small(most), "F": np.zeros(3, "int32"), "G": np.zeros(1, dtype)}, {"n": n}


def handed_on(pick, generator):
    """Rows that are computed from those before them: states over time, sums down a matrix."""
    rows, columns = pick.choice([1, 3, 4, 9, 40]), pick.choice([5, 16, 17, 48, 130, 300, 600])
    dtype, back = pick.choice(["float32", "float32", "float64", "int32", "int8"]), pick.random() < 0.3
    at = f"{rows + 3} - i" if back else "i"
    number = lambda x: f"T.{dtype}({x})"

    def element():
        row = pick.choice([at, at, f"{at} - 1", f"{at} - 1", f"{at} - 1", f"{at} + 1", f"{at} - 2", "0"])
        return pick.choice([f"A[{row}, j]"] * 4 + [f"B[{row}, j]"] * 2 + [f"B[{at}, j + 1]", f"A[{at} - 1, j + 1]", "S[j]", "S[j]", "V[i]"])

    def value():
        text = element()
        for _ in range(pick.choice([0, 1, 1, 1, 2])):
            text = pick.choice([f"{text} + {element()}", f"{text} - {element()}", f"T.max({text}, {element()})",
                                f"T.Select({element()} > {number(0)}, {text}, {element()})"])
        return text

    target = lambda: pick.choice([f"A[{at}, j]", f"A[{at}, j]", f"A[{at}, j]", f"B[{at}, j]", "S[j]", f"A[{at} + 1, j]"])
    body = []
    for k in range(pick.choice([1, 1, 2, 2, 3])):
        line = f"{target()} = {value()}"
        body += [f"if {element()} > {number(1)}:", f"    {line}"] if pick.random() < 0.15 else [line]
    loops = [f"for i in range(2, {rows + 2}):", f"for j in range({columns}):"]
    if pick.random() < 0.3:
        loops.reverse()
    loops = [loops[0], "    " + loops[1]] + ["        " + line for line in body]
    shapes = {"A": (rows + 4, columns + 1), "B": (rows + 4, columns + 1), "S": (columns,), "V": (rows + 4,)}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({size}, "{dtype}")' for name, size in shapes.items()) + "):\n"
    return text, loops, {name: values(pick, generator, size, dtype) for name, size in shapes.items()}, {}


def listed(pick, generator):
    """Rows of a few elements that numbers choose: gathers, scatters and updates of short lists, as of top-k and sparse rows."""
    batches, rows, count, width = pick.choice([1, 1, 1, 3]), pick.choice([1, 2, 7, 33, 64]), pick.choice([2, 3, 4, 5, 8, 16, 17, 40]), pick.choice([4, 9, 40])
    dtype, kind = pick.choice(["float32", "float32", "float64", "int32", "int8", "uint8"]), pick.choice(["int32", "int32", "int64", "int8", "uint8"])
    first, dynamic = pick.choice([0, 0, 0, 2]), pick.random() < 0.3
    row, total = pick.choice(["i", "i", "i", f"{rows + first - 1 + first} - i"]), rows + first
    chosen = pick.choice(["I[b, i, k]"] * 4 + ["I[b, i, k] // 2", "P[k]", "P[k]", f"I[b, i, {count - 1} - k]"])
    element = lambda: pick.choice(["U[b, i, k]", "U[b, i, k]", f"A[b, i, {chosen}]", f"A[b, {row}, {chosen}]", "A[b, i, P[k]]", "V[k]", "W[i]", "W[i + 1]"])
    value = pick.choice([element(), element(), f"{element()} + {element()}", f"T.max({element()}, {element()})"])
    target = pick.choice([f"B[b, i, {chosen}]", f"B[b, i, {chosen}]", f"B[b, {row}, {chosen}]", "C[b, i, k]", f"C[b, i, {count - 1} - k]", f"B[0, 0, {chosen}]"])
    line = pick.choice([f"{target} = {value}", f"{target} = {value}", f"{target} = {target} + {value}", f"{target} = T.max({target}, {value})"])
    body = pick.choice([[line], [line], [line], ["if U[b, i, k] > V[k]:", "    " + line], [line, f"C[b, i, k] = {element()}"]])
    last, lengths = ("n", f"({batches}, n, %d)") if dynamic else (total, f"({batches}, {total}, %d)")
    loops = [f"for b in range({batches}):", f"    for i in range({first}, {last}):", f"        for k in range({count}):"] + ["            " + x for x in body]
    shapes = {"A": ((batches, total, width), dtype), "B": ((batches, total, width), dtype), "U": ((batches, total, count), dtype),
              "C": ((batches, total, count), dtype), "V": ((count,), dtype), "W": ((total + 1,), dtype),
              "I": ((batches, total, count), kind), "P": ((count,), kind)}
    written = {name: lengths.replace("n,", '"n",') % size[2] if len(size) == 3 else size for name, (size, _) in shapes.items()}
    text = "    def f(" + ", ".join(f'{name}: T.Buffer({written[name]}, "{kind}")' for name, (_, kind) in shapes.items()) + "):\n"
    text += "        n = T.int32()\n" if dynamic else ""
    numbers = {"I", "P"}
    return text, loops, {name: generator.integers(0, width, size).astype(kind) if name in numbers else values(pick, generator, size, kind)
                         for name, (size, kind) in shapes.items()}, {"n": total}


def same(got, wanted):
    if wanted.dtype.kind != "f":
        return np.array_equal(got, wanted)
    known = ~np.isnan(wanted)
    return np.array_equal(np.isnan(got), ~known) and got[known].tobytes() == wanted[known].tobytes()


def run(tirb, isas, folder, seed):
    """What went wrong, or None."""
    pick, generator = random.Random(seed), np.random.default_rng(seed)
    text, loops, arrays, extents = pick.choice([guarded, guarded, paired, paired, crossed, ranges, chosen, distant, distant, in_place, in_place, statements, statements, counted, rolled, rolled,
                                           mirrored, kept, handed_on, handed_on, listed, listed])(pick, generator)
    text = HEAD + text + respelled(seed, "".join(f"        {line}\n" for line in loops))
    (folder / "f.py").write_text(text)
    written = [name for name in arrays if any(re.match(rf"\s*{name}\[.*\] \+?= ", line) for line in loops)]
    words = [*tirb, "run", str(folder / "f.py"), "--no-cache", "--isa", pick.choice(isas), "--parallel",
             pick.choice(["auto", "off", "all"])]
    for name, data in arrays.items():
        np.save(folder / f"{name}.npy", data)
        words += [f"{name}=@{folder}/{name}.npy"]
    for name in written:
        words += ["-o", f"{name}=@{folder}/{name}_out.npy"]
    with np.errstate(all="ignore"):
        exec("\n".join(loops), {"T": Tir, **arrays, **extents})
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{text}{done.stderr}"
    wrong = [name for name in written if not same(np.load(folder / f"{name}_out.npy"), arrays[name])]
    return f"{text}{' '.join(words)}\nother values in {wrong}" if wrong else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    options = parser.parse_args()
    failed, tirb = 0, shlex.split(options.tirb)  # an emulator that runs the command may stand before it, and takes its time
    count = options.count if len(tirb) == 1 else options.count // 10
    known = subprocess.run([*tirb, "version"], capture_output=True, text=True, check=True).stdout.split()
    isas = [isa for isa in ISAS if isa in known] or ["auto"]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + count):
            wrong = run(tirb, isas, pathlib.Path(folder), seed)
            failed += wrong is not None
            if wrong:
                print(f"seed {seed}:\n{wrong}")
    print(f"{count - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
