"""Random reductions, compared by `differential` with the oracle: on every instruction set, with each pass off, with several threads.

    reductions.py [--differential PATH] [--seed N] [--count N] [--print]

Blocks that reduce one axis or several, in any order of the loops, of elements and of computed terms; places of extremes, by the best
value, by the place alone or chosen together with it; counts and whether any or all are; rows that are normalised; all rows with all of
another matrix; windows that overlap, of one channel each; memory that each iteration fills for itself. Rows are short and many, or long and few. Ends with `N passed, N failed`; exit status 1 on failure."""

import math
import sys

import irregular
from irregular import FLOATS, INTS, number

TYPES = FLOATS + FLOATS + INTS + ("float16",)


def extents(pick, n):
    """So many, of no more than some thousand elements together."""
    most = {1: (1, 3, 17, 100, 700), 2: (1, 2, 4, 7, 16, 17, 33, 66), 3: (1, 2, 3, 5, 8, 17)}.get(n, (1, 2, 3, 5))
    return [pick.choice(most) for _ in range(n)]


def blocks(pick, f):
    """A block with reduce axes: its loops in any order."""
    dtype = pick.choice(TYPES)
    n_spatial, n_reduce = pick.choice([(0, 1), (1, 1), (1, 1), (1, 2), (1, 2), (2, 1), (2, 2), (1, 3), (0, 2)])
    kinds = "S" * n_spatial + "R" * n_reduce
    sizes = extents(pick, len(kinds))
    axes = list(zip(kinds, (f"v{k}" for k in range(len(kinds))), sizes))
    if pick.random() < 0.4:
        pick.shuffle(axes)
    whole = pick.sample(axes, len(axes))
    spatial, reduce = [a for a in axes if a[0] == "S"], [a for a in axes if a[0] == "R"]
    loads = []
    for k in range(pick.choice([1, 2, 3])):
        over = whole if k == 0 else pick.choice([whole, reduce, pick.sample(axes, pick.randint(1, len(axes)))])
        f.buffer(f"A{k}", dtype, *[size for _, _, size in over])
        loads.append(f"A{k}[{', '.join(name for _, name, _ in over)}]")
    shape = [size for _, _, size in spatial] or [1]
    index = ", ".join(name for _, name, _ in spatial) or "0"
    results = [f"{f.buffer(f'R{k}', dtype, *shape)}[{index}]" for k in range(pick.choice([1, 1, 2]))]
    terms = [loads[0], f"{loads[0]} * {loads[-1]}", f"({loads[0]} - {loads[-1]})", f"T.abs({loads[0]})" if dtype != "uint8" else loads[0],
             f"{loads[0]} * {loads[-1]} * {loads[len(loads) // 2]}", f"({loads[0]} - {loads[-1]}) * ({loads[0]} - {loads[-1]})",
             f"T.Select({loads[0]} > {loads[-1]}, {loads[0]}, {number(dtype, 0)})",
             f"T.if_then_else({loads[0]} > {number(dtype, 1)}, {number(dtype, 1)}, {number(dtype, 0)})"]
    loops = ", ".join(f"l{k}" for k in range(len(axes)))
    f.add(0, f"for {loops} in T.grid({', '.join(str(size) for _, _, size in axes)}):", '    with T.sblock("S"):')
    f.add(2, f"{', '.join(name for _, name, _ in axes)} = T.axis.remap(\"{''.join(kind for kind, _, _ in axes)}\", [{loops}])")
    if pick.random() < 0.85:
        f.add(2, "with T.init():", *(f"    {result} = {number(dtype, pick.choice([0, 1, -1 if dtype[0] != 'u' else 3]))}" for result in results))
    for result in results:
        join = pick.choice(["{0} + {1}", "{0} + {1}", "{0} * {1}", "T.max({0}, {1})", "T.min({0}, {1})"])
        f.add(2, f"{result} = {join.format(result, pick.choice(terms))}")


def places(pick, f):
    """Where the extreme of a row is."""
    n, m, dtype = pick.choice([1, 4, 19]), pick.choice([1, 2, 7, 16, 40, 200]), pick.choice(FLOATS + FLOATS + INTS)
    f.buffer("A", dtype, n, m), f.buffer("P", "int32", n), f.buffer("V", dtype, n)
    order, first = pick.choice(["<", ">", "<=", ">="]), pick.choice([0, 0, 0, 1 % m, m - 1])
    begin = pick.choice([0, 0, 1 % m])
    in_memory = pick.random() < 0.3
    where = "P[i]" if in_memory else "w"
    best, other = f"A[i, {where}]", pick.choice(["A[i, k]", "A[i, k]", f"A[i, {m - 1} - k]", "A[n0 - 1 - i, k]".replace("n0", str(n))])
    condition = f"{other} {order} {best}" if pick.random() < 0.6 else f"{best} {order} {other}"
    f.add(0, f"for i in range({n}):")
    f.add(1, f"{where} = {first}", f"for k in range({begin}, {m}):")
    if pick.random() < 0.2:
        condition += pick.choice([" and k != 3", f" or k == {m // 2}", " and V[i] >= V[0]"])
    f.add(2, f"if {condition}:", f"    {where} = {pick.choice(['k', 'k', 'k', f'{m - 1} - k', 'k // 2'])}")
    if not in_memory:
        f.add(1, "P[i] = w")
    f.add(1, f"V[i] = {pick.choice([best, 'V[i] + ' + best])}")


def pairs(pick, f):
    """An extreme and its place, chosen together: the reducer of an argmax, or one that is nearly that."""
    n, m, dtype = pick.choice([1, 4, 19]), pick.choice([1, 7, 40, 100, 200, 200, 300]), pick.choice(FLOATS + INTS + ("float16", "int8", "int16"))
    index = pick.choice(["int32", "int32", "int64"])
    f.buffer("A", dtype, n, m), f.buffer("P", index, n), f.buffer("V", dtype, n)
    value = pick.choice(["A[vi, vk]", "A[vi, vk]", "A[vi, vk]", f"(A[vi, vk] * {number(dtype, 2)})", f"A[vi, {m - 1} - vk]"])
    if dtype.startswith("float") and pick.random() < 0.2:  # zeros of both signs
        f.add(0, f"for i, k in T.grid({n}, {m}):", f"    A[i, k] = A[i, k] * {number(dtype, 0)}")
    order, tie = pick.choice([">", ">", "<", "<", ">=", "<="]), pick.choice(["<", "<", "<", "<", ">", "<="])
    place = "vk" if index == "int32" else "T.int64(vk)"
    beats = f"V[vi] {order} {value}" if pick.random() < 0.7 else f"{value} {order.translate(str.maketrans('<>', '><'))} V[vi]"
    keeps = pick.choice([f"{beats} or V[vi] == {value} and P[vi] {tie} {place}"] * 5 + [beats])
    f.add(0, f"for i, k in T.grid({n}, {m}):", '    with T.sblock("S"):', '        vi, vk = T.axis.remap("SR", [i, k])')
    if pick.random() < 0.85:
        worst = f'T.{"min" if order[0] == ">" else "max"}_value("{dtype}")'
        f.add(2, "with T.init():", f"    P[vi] = {number(index, pick.choice([-1, -1, -1, 0, 5]))}",
              f"    V[vi] = {pick.choice([worst, worst, number(dtype, 0), number(dtype, 1)])}")
    f.add(2, f"p: T.let[T.{index}] = T.Select({keeps}, P[vi], {place})", f"v: T.let[T.{dtype}] = T.Select({beats}, V[vi], {value})",
          *pick.choice([("P[vi] = p", "V[vi] = v"), ("V[vi] = v", "P[vi] = p")]))


def counts(pick, f):
    """How many there are, and whether any or all."""
    n, m, dtype = pick.choice([1, 5, 18, 40]), pick.choice([1, 3, 16, 65, 300]), pick.choice(FLOATS + INTS)
    f.buffer("A", dtype, n, m), f.buffer("B", dtype, n, m), f.buffer("C", pick.choice(["int32", "int64", "uint8"]), n), f.buffer("D", "bool", n)
    to = f.params[2].split('"')[1]
    condition = pick.choice([f"A[i, k] > {number(dtype, 1)}", "A[i, k] != B[i, k]", f"A[i, k] < B[i, k] and B[i, k] > {number(dtype, 0)}",
                             f"A[i, k] == {number(dtype, 3)} or A[i, k] > B[i, k]"])
    f.add(0, f"for i in range({n}):")
    local = pick.random() < 0.5
    count, any_of = ("c", "d") if local else ("C[i]", "D[i]")
    f.add(1, f"{count} = {number(to, pick.choice([0, 0, 5]))}", f"{any_of} = T.bool({pick.choice(['True', 'False'])})")
    f.add(1, f"for k in range({m}):")
    what = pick.random()
    if what < 0.4:
        f.add(2, f"if {condition}:", f"    {count} = {count} + {number(to, pick.choice([1, 1, 2]))}")
    elif what < 0.6:
        f.add(2, f'{count} = {count} + T.Cast("{to}", {condition})')
    else:
        f.add(2, f"{any_of} = {pick.choice([f'{any_of} or {condition}', f'{any_of} and ({condition})', f'({condition}) or {any_of}'])}")
    if local:
        f.add(1, f"C[i] = {pick.choice([count, f'{count} * {number(to, 3)}'])}", f"D[i] = {any_of}")
    if pick.random() < 0.3:
        f.add(1, f"for k in range({m}):", "    B[i, k] = A[i, k]")


def normalised(pick, f):
    """Rows of which everything is divided by what the whole row gives: by variables, or elements that all rows use."""
    n, m, dtype = pick.choice([1, 5, 20, 70]), pick.choice([1, 3, 7, 16, 33, 200]), pick.choice(FLOATS)
    outer = pick.choice([0, 0, 2, 9])
    rows, row = ((outer, n), "h, i") if outer else ((n,), "i")
    f.buffer("A", dtype, *rows, m), f.buffer("B", dtype, *rows, m), f.buffer("S", dtype, *rows), f.buffer("W", dtype, m)
    at, shape = pick.choice([("", ()), ("[0]", (1,)), (f"[{row}]", rows)])
    s, x = f"s{at}", f"x{at}"
    if at:
        f.add(0, *(f'{name} = T.alloc_buffer({shape}, "{dtype}")' for name in "sx"))
    f.add(0, f"for {row} in T.grid({', '.join(map(str, rows))}):" if outer else f"for i in range({n}):")
    f.add(1, f"{s} = {number(dtype, pick.choice([0, 1]))}")
    if pick.random() < 0.4:
        f.add(1, f"{x} = {pick.choice([f'A[{row}, 0]', number(dtype, -3)])}", f"for k in range({m}):", f"    {x} = T.max({x}, A[{row}, k])")
    else:
        f.add(1, f"{x} = {number(dtype, 2)}")
    f.add(1, f"for k in range({m}):")
    if pick.random() < 0.3:
        f.add(2, f"B[{row}, k] = T.exp(A[{row}, k] - {x})", f"{s} = {s} + B[{row}, k]")
    else:
        term = pick.choice(["{1} * {1}", "{1}", "T.exp({1})", "({1} - {2})"]).format(s, f"A[{row}, k]", x)
        f.add(2, f"{s} = {pick.choice([f'{s} + {term}', f'{s} + {term}', f'T.max({s}, T.abs({term}))'])}")
        if pick.random() < 0.3:
            f.add(2, f"{x} = {x} + A[{row}, k] * {pick.choice([f'A[{row}, k]', s])}")
    if pick.random() < 0.3:
        f.add(1, f"S[{row}] = {s} * {x}")
    if pick.random() < 0.3:
        f.add(1, f"{s} = T.sqrt({s})" if pick.random() < 0.5 else f"t = {s} / {number(dtype, m)}")
    f.add(1, f"for k in range({m}):")
    other = pick.choice([f"A[{row}, k]", f"B[{row}, k]", "W[k]", f"A[{row.replace('i', f'{n} - 1 - i')}, k]"])
    f.add(2, f"{pick.choice(['B', 'B', 'A'])}[{row}, k] = {pick.choice([f'{other} / {s}', f'({other} - {x}) * {s}', f'{other} + S[{row}] * {s}'])}")


def triangles(pick, f):
    """Rows of a triangle, each of another length, of which a variable or an element has what comes of them in order."""
    n, dtype = pick.choice([3, 9, 20, 70]), pick.choice(FLOATS + FLOATS + INTS)
    f.buffer("A", dtype, n, n), f.buffer("B", dtype, n, n), f.buffer("X", dtype, n)
    rows, last = pick.choice([(f"range({n})", "i"), (f"range(1, {n})", "i"), (f"range({n})", f"{n} - i"), (f"range({n})", "i + 1")])
    first = "0" if last != "i" or pick.random() < 0.7 else f"T.min(i, {pick.choice([1, 2])})"
    f.add(0, f"for i in {rows}:")
    total = pick.choice(["s", "X[i]", "A[i, i]" if last == "i" else "s"])
    f.add(1, f"{total} = {pick.choice([number(dtype, 0), number(dtype, 2), 'X[i]', 'B[i, 0]'])}")
    x, y = pick.choice(["A[i, k]", "A[k, i]", "B[i, k]", "X[k]"]), pick.choice(["B[i, k]", "B[k, i]", f"B[i, {n - 1} - k]", "X[k]", "B[k, k]"])
    if last == "i" and pick.random() < 0.3:
        y = "X[i - 1 - k]"
    c = pick.choice([number(dtype, 3), "B[i, 0]"])
    term = pick.choice([x, y, f"{x} * {y}", f"{x} * {y}", f"({x} + {y})", f"({x} - {y})", f"{x} * {c}", f"({y} + {c})", f"{y} * {y}"])
    join = pick.choice(["{0} + {1}", "{0} - {1}", "{0} + {1}", "{0} - {1}", "T.max({0}, {1})", "T.min({1}, {0})", "{1} + {0}", "{0} * {1}", "{1} - {0}"])
    f.add(1, f"for k in range({first}, {last}):", f"    {total} = {join.format(total, term)}")
    if pick.random() < 0.5 and dtype in FLOATS:
        f.add(1, f"{total} = {total} / B[i, i]")
    if total != "X[i]":
        f.add(1, f"X[i] = {total}")


def symmetric(pick, f):
    """Halves of a square that is symmetric, of which an iteration fills both, or one from the other one."""
    n, m, dtype = pick.choice([1, 2, 9, 20, 40]), pick.choice([1, 3, 8]), pick.choice(FLOATS + INTS)
    f.buffer("A", dtype, n, m), f.buffer("C", dtype, n, n), f.buffer("D", dtype, n, n)
    outer, inner, around = pick.choice([("i", "j", "i"), ("i", "j", "i"), ("j", "i", "i")])
    inner_range = pick.choice([f"{outer}, {n}", f"{outer}, {n}", f"{outer} + 1, {n}", f"0, {outer} + 1", f"0, {outer}", f"{outer}, {outer} + 9"])
    if inner_range.endswith("+ 9"):
        inner_range = f"{outer}, T.min({outer} + 9, {n})"
    f.add(0, f"for {outer} in range({n}):", f"    for {inner} in range({inner_range}):")
    one, other = pick.choice([("C[i, j]", "C[j, i]"), ("C[j, i]", "C[i, j]")])
    if pick.random() < 0.5:
        f.add(2, f"{one} = {number(dtype, 0)}", f"for k in range({m}):", f"    {one} = {one} + A[i, k] * A[j, k]")
    else:
        f.add(2, f"{one} = {pick.choice([f'{one} + {other}', f'{other} * D[i, j]', 'A[i, 0] - A[j, 0]', one])}")
    if pick.random() < 0.3:
        f.add(2, f"D[{pick.choice(['i, j', 'j, i'])}] = {pick.choice([one, other, 'D[j, i]'])}")
    f.add(2, f"{other} = {pick.choice([one, one, f'{one} + {other}', f'D[i, j] + {one}', f'C[{around}, {around}]'])}")
    if pick.random() < 0.2:
        f.add(2, f"{pick.choice([one, 'C[i, i]'])} = {pick.choice([other, 'D[i, j]'])}")


def products(pick, f):
    """Every row of one matrix with every row or column of another one, by other operations than products that are added."""
    dtype = pick.choice(FLOATS + ("int32", "int32", "int64", "uint32", "float16"))
    n, m, p = pick.choice([1, 3, 17, 30]), pick.choice([2, 7, 16, 33, 40]), pick.choice([1, 2, 5, 33])
    narrow = pick.choice(["uint8", "int8"]) if dtype == "int32" and pick.random() < 0.3 else dtype
    f.buffer("C", dtype, n, m)
    a = pick.choice(["A[i, k]", "A[k, i]", "A[i + k]"])
    b = pick.choice(["B[k, j]", "B[j, k]", f"B[j, {p - 1} - k]"])
    f.buffer("A", narrow, *{"A[i, k]": (n, p), "A[k, i]": (p, n), "A[i + k]": (n + p,)}[a])
    f.buffer("B", narrow, *((p, m) if b == "B[k, j]" else (m, p)))
    if narrow != dtype:
        a, b = f'T.Cast("{dtype}", {a})', f'T.Cast("{dtype}", {b})'
    distance = f"T.abs({a} - {b})" if dtype[0] != "u" else f"({a} - {b})"
    term = pick.choice([distance, f"({a} - {b}) * ({a} - {b})", f"({a} - {b}) * ({b} - {a})", f"({a} + {b})", f"{a} * {b}", f"T.max({a}, {b})",
                        f"T.min({b}, {a})", f'T.Cast("{dtype}", {a} != {b})', f"T.max({a} - {b}, {number(dtype, 0)})"])
    joins = ["{0} + {1}", "{1} + {0}", "T.max({0}, {1})", "T.min({0}, {1})", "T.max({1}, {0})", "{0} - {1}"]
    if dtype.startswith(("int", "uint")):
        term, joins = pick.choice([term, f"({a} & {b})", f"({a} & {b})"]), joins + ["{0} | {1}", "{0} ^ {1}"]
    value = pick.choice(joins).format("C[i, j]", term)
    begin = number(dtype, pick.choice([0, 1, 100]))
    if pick.random() < 0.5:
        f.add(0, f"for i0, j0, k0 in T.grid({n}, {m}, {p}):", '    with T.sblock("S"):')
        f.add(2, 'i, j, k = T.axis.remap("SSR", [i0, j0, k0])', "with T.init():", f"    C[i, j] = {begin}", f"C[i, j] = {value}")
        return
    f.add(0, f"for i, j in T.grid({n}, {m}):")
    if pick.random() < 0.7:
        f.add(1, f"C[i, j] = {begin}")
    f.add(1, f"for k in range({p}):", f"    C[i, j] = {value}")
    if pick.random() < 0.3 and dtype in FLOATS:
        f.add(1, "C[i, j] = T.sqrt(C[i, j])")


def windows(pick, f):
    """Updates of windows that overlap, by loops in any order."""
    dtype, loops, index, sizes = pick.choice(FLOATS + FLOATS + INTS), {}, [], []
    for d in range(pick.choice([1, 2, 2])):
        n, k = pick.choice([1, 3, 9, 17]), pick.choice([1, 2, 3, 3, 5])
        s, t = pick.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 4), (3, 2)])
        loops.update({f"h{d}": n, f"k{d}": k})
        index.append(pick.choice([f"h{d} * {s} + k{d} * {t}"] * 3 + [f"h{d} * {s} + {(k - 1) * t} - k{d} * {t}"]))
        sizes.append((n - 1) * s + (k - 1) * t + 1)
    for name in pick.choice(["", "o", "c", "oc", "oc"]):
        loops[name] = pick.choice([2, 3, 7] if len(index) > 1 else [2, 7, 18])
        if name == "c":
            at = pick.choice([0, len(index)])
            index.insert(at, name), sizes.insert(at, loops[name])
    condition = pick.choice([""] * 3 + [f"{index[0]} > 1", f"{index[-1]} < {sizes[-1] - 1} and {index[0]} >= 1"])
    if pick.random() < 0.25:
        place = index[0]
        for one, size in zip(index[1:], sizes[1:]):
            place = f"({place}) * {size} + {one}"
        index, sizes = [place], [math.prod(sizes)]
    names = pick.sample(sorted(loops), len(loops))
    operands = []
    for k, over in enumerate(([n for n in names if n[0] in "ho"], [n for n in names if n[0] in "koc"])):
        over = over if over and pick.random() < 0.8 else names
        operands.append(f"{f.buffer(f'A{k}', dtype, *[loops[n] for n in over])}[{', '.join(over)}]")
    target = f"{f.buffer('D', dtype, *sizes)}[{', '.join(index)}]"
    term = pick.choice([f"{operands[0]} * {operands[1]}"] * 3 + [f"({operands[0]} - {operands[1]})"])
    value = pick.choice(["{0} + {1}", "{0} + {1}", "{0} - {1}", "{1} - {0}", "T.max({0}, {1})", "{0} * " + number(dtype, 3) + " + {1}"])
    f.add(0, f"for {', '.join(names)} in T.grid({', '.join(str(loops[n]) for n in names)}):" if len(names) > 1 else f"for {names[0]} in range({loops[names[0]]}):")
    if condition:
        f.add(1, f"if {condition}:")
    f.add(2 if condition else 1, f"{target} = {value.format(target, term)}")


def depthwise(pick, f):
    """Windows of one channel each, of elements or of what is left of them without a zero point, with rows or channels side by side."""
    dtype, narrow = pick.choice([("float32", "float32"), ("float32", "float32"), ("float64", "float64"), ("int32", "int8"), ("int32", "uint8"), ("int32", "int16"), ("int32", "int32")])
    c, h, w = pick.choice([1, 3, 16, 17, 33]), pick.choice([1, 2, 5, 9]), pick.choice([1, 4, 7, 16, 19])
    r, s, stride, dilation = pick.choice([1, 2, 3]), pick.choice([1, 3, 5]), pick.choice([1, 1, 2]), pick.choice([1, 1, 2])
    rows, columns = (h - 1) * stride + (r - 1) * dilation + 1, (w - 1) * stride + (s - 1) * dilation + 1
    last = pick.random() < 0.5
    f.buffer("A", narrow, *((rows, columns, c) if last else (c, rows, columns)))
    f.buffer("W", pick.choice([narrow, narrow, "int8" if dtype == "int32" else dtype]), *((r, s, c) if last else (c, r, s)))
    f.buffer("O", dtype, *((h, w, c) if last else (c, h, w)))
    data = f"A[{'{0}, {1}, c' if last else 'c, {0}, {1}'}]".format(f"y * {stride} + r * {dilation}", f"x * {stride} + s * {dilation}")
    weight, place = f"W[{'r, s, c' if last else 'c, r, s'}]", f"O[{'y, x, c' if last else 'c, y, x'}]"
    if dtype == "int32":
        data, weight = (f'T.cast({x}, "int32")' for x in (data, weight))
        data, weight = (pick.choice([x, x, f"({x} - {zero})"]) for x, zero in ((data, 128), (weight, 3)))
    terms = [data, weight]
    pick.shuffle(terms)
    f.add(0, f"for {'y, x, c' if last else 'c, y, x'} in T.grid({', '.join(map(str, (h, w, c) if last else (c, h, w)))}):")
    if pick.random() < 0.7:
        f.add(1, f"{place} = {number(dtype, pick.choice([0, 0, 1]))}")
    f.add(1, f"for r, s in T.grid({r}, {s}):", f"    {place} = {place} + {' * '.join(terms)}")


def strided(pick, f):
    """Windows of several channels whose places are some elements apart, for more outputs than one sweep takes."""
    dtype = pick.choice(["float32", "float32", "float64", "int32", "float16"])
    n, o, c = pick.choice([1, 1, 2]), pick.choice([9, 12, 17]), pick.choice([1, 2, 3])
    h, w, r, s = pick.choice([1, 3, 5]), pick.choice([2, 4, 8, 11, 16, 33]), pick.choice([1, 2, 3]), pick.choice([3, 5, 7])
    down, along, dilation = pick.choice([1, 2, 3]), pick.choice([2, 2, 2, 3, 4, 5]), pick.choice([1, 1, 2])
    rows, columns = (h - 1) * down + (r - 1) * dilation + pick.choice([1, 1, 2]), (w - 1) * along + (s - 1) * dilation + pick.choice([1, 1, 2])
    f.buffer("A", dtype, n, c, rows, columns)
    f.buffer("W", dtype, o, c, r, s)
    f.buffer("O", dtype, n, o, h, w)
    terms = [f"A[n, k, y * {down} + r * {dilation}, x * {along} + s * {dilation}]", "W[o, k, r, s]"]
    pick.shuffle(terms)
    f.add(0, f"for n, o, y, x in T.grid({n}, {o}, {h}, {w}):")
    if pick.random() < 0.7:
        f.add(1, f"O[n, o, y, x] = {number(dtype, pick.choice([0, 0, 1]))}")
    f.add(1, f"for k, r, s in T.grid({c}, {r}, {s}):", f"    O[n, o, y, x] = O[n, o, y, x] {pick.choice('+++-')} {' * '.join(terms)}")


def scratches(pick, f):
    """Loops whose iterations hand on what they compute in memory that each of them fills, or does not: rows of attention, of networks, small
    blocks that are multiplied twice."""
    dtype = pick.choice(FLOATS + FLOATS + ("int32",))
    n, m, p, q = pick.choice([1, 8, 9, 20, 300]), pick.choice([1, 3, 8, 17]), pick.choice([1, 4, 9]), pick.choice([1, 5, 16])
    square = pick.random() < 0.4  # a block of each iteration, not a row
    rows = pick.choice([1, 2, 3]) if square else 1
    if n == 300:
        m, p, q = pick.choice([1, 3]), pick.choice([1, 4]), pick.choice([1, 5])
    if pick.random() < 0.07:  # more than a block of rows
        n, m, p, q = 70, 900, pick.choice([1, 2]), 1
    outer = pick.choice(["", "", "h"]) if m < 900 else ""
    e = f"{outer}, " if outer else ""
    sizes = [2] * bool(outer)
    f.buffer("A", dtype, *sizes, n, rows, p), f.buffer("B", dtype, p, m), f.buffer("D", dtype, q, m), f.buffer("C", dtype, *sizes, n, rows, q)
    f.buffer("X", dtype, n)
    inside = pick.random() < 0.3
    alloc = [f't = T.alloc_buffer(({rows}, {m}), "{dtype}")'] + ([f'u = T.alloc_buffer(({m},), "{dtype}")'] if pick.random() < 0.3 else [])
    f.add(0, *([] if inside else alloc), *([f"for {outer} in range(2):"] if outer else []))
    d = int(bool(outer))
    f.add(d, f"for i in range({n}):")
    f.add(d + 1, *(alloc if inside else []))
    zero = number(dtype, pick.choice([0, 0, 1]))
    x = pick.choice([f"A[{e}i, r, k] * B[k, j]"] * 4 + ["X[i] * B[k, j]", f"(A[{e}i, r, k] - B[k, j])"])
    whole = f"{m}" if pick.random() < 0.85 else f"{max(m - 1, 1)}"
    f.add(d + 1, f"for r, j in T.grid({rows}, {whole}):")
    if pick.random() < 0.85:
        f.add(d + 2, f"t[r, j] = {zero}")
    f.add(d + 2, f"for k in range({p}):", f"    t[r, j] = t[r, j] + {x}")
    total = pick.choice(["", "s"])
    if total:
        f.add(d + 1, f"s = {number(dtype, pick.choice([0, 1]))}", f"for j in range({m}):")
        f.add(d + 2, *pick.choice([[f"s = s + t[{rows - 1}, j]"], [f"t[0, j] = t[0, j] * {number(dtype, 2)}", "s = s + t[0, j]"], ["s = T.max(s, t[0, j])"]]))
    if len(alloc) == 2:
        f.add(d + 1, f"for j in range({m}):", f"    u[j] = t[0, {pick.choice(['j', f'{m - 1} - j'])}] + {number(dtype, 1)}")
    y = pick.choice(["t[r, k]", "t[r, k]", f"t[r, {m - 1} - k]", "u[k]" if len(alloc) == 2 else "t[0, k]"])
    place = f"C[{e}{pick.choice(['i'] * 6 + [f'{n - 1} - i', '0'])}, r, l]"
    f.add(d + 1, f"for r, l in T.grid({rows}, {q}):")
    if pick.random() < 0.8:
        f.add(d + 2, f"{place} = {pick.choice([zero, zero, 'X[i]'])}")
    f.add(d + 2, f"for k in range({m}):", f"    {place} = {place} + {y} * D[l, k]")
    if total and dtype != "int32":
        f.add(d + 2, f"{place} = {place} / s")
    if pick.random() < 0.2:
        f.add(d + 1, pick.choice([f"X[i] = t[0, {m - 1}]", "X[0] = X[0] + t[0, 0]", f"A[{e}i, 0, 0] = t[0, 0]", f"B[0, 0] = {number(dtype, 1)}"]))
    if not inside and pick.random() < 0.15:
        f.add(0, "X[0] = t[0, 0]")


SHAPES = (depthwise, strided, scratches, scratches, blocks, blocks, blocks, places, pairs, counts, normalised, triangles, triangles, symmetric, products, products,
          windows, windows)


if __name__ == "__main__":
    sys.exit(irregular.main(irregular.maker("", irregular.Function, SHAPES), __doc__, 60))
