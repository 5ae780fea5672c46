"""Random functions over flat rows, numbers that are kept, few products and windows with conditions, compared by `differential`
with the oracle: on every instruction set, with each pass off, with several threads.

    flat.py [--differential PATH] [--seed N] [--count N] [--print]

Rows of one memory that overlap, that go up and down by steps which are the row's length or one more or less, of sizes that the call
chooses, at places that other memory says; extremes and their places by conditions, with arms for what is none; numbers that loops
make and statements use; sums of so few products that they are written out, in loops whose ranges memory says; windows whose
elements conditions take; clamps that conditions make needless, of counters that wrap; blocks that begin several sums; what is
computed ahead of windows, read again elsewhere; loops in while loops of lanes. Ends with `N passed, N failed`; exit status 1 on
failure."""

import sys

import irregular
from irregular import Function, number
from mixtures import FLOATS, INTS, NUMBERS, bits_of

EXTENTS = (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65)
LONG = (255, 256, 257, 1023, 1024, 1025)
FEW = (1, 2, 3, 4, 5, 7, 8, 9)
PLACES = ("int32", "int32", "int64", "uint8", "int8", "int16", "uint16", "uint32", "uint64")


def extent_of(pick, most=4000):
    return pick.choice([n for n in EXTENTS + (LONG if pick.random() < 0.3 else ()) if n <= most])


def of_type(dtype, value):
    if dtype == "bool":
        return f"T.bool({value > 0})"
    return number(dtype, value if dtype not in ("uint8", "uint16", "uint32", "uint64") else abs(value))


def cast(text, to, dtype):
    return text if to == dtype else f'T.Cast("{to}", {text})'


def joined(pick, a, b, dtype):
    """Two values of a type as one."""
    how = [f"{a} + {b}", f"{a} + {b}", f"{a} - {b}", f"T.max({a}, {b})", f"T.min({a}, {b})", f"T.Select({a} < {b}, {b}, {a})", f"{a} * {b} + {a}",
           f"T.if_then_else({a} <= {b}, {a}, {of_type(dtype, 2)})"]
    if dtype in FLOATS:
        how += [f"{a} * {b}", f"T.fma({a}, {b}, {a})"]
    return pick.choice(how)


def guarded(pick, condition, place, value, other=None):
    lines = [f"if {condition}:", f"    {place} = {value}"]
    return lines + (["else:", f"    {other}"] if other and pick.random() < 0.4 else [])


# ---- Rows of one memory

def multiple(pick, v, stride):
    """What a loop's counter steps by."""
    if isinstance(stride, int) and stride > 0 and stride & (stride - 1) == 0 and pick.random() < 0.2:
        return f"T.shift_left({v}, {stride.bit_length() - 1})"
    return pick.choice([f"{v} * {stride}", f"{v} * {stride}", f"{stride} * {v}", f"({v} + 1) * {stride} - {stride}"])


def overlapping_rows(pick, f):
    """One memory, read and stored to by rows: all indices stay inside, most of the time."""
    dtype, loops = pick.choice(NUMBERS), pick.choice([1, 2, 2, 2, 3])
    extents = [extent_of(pick, 20 if loops > 1 else 1100) for _ in range(loops)]
    inner = max(extents[-1], 1)
    pitch = pick.choice([inner, inner, inner + 1, max(inner - 1, 1), inner + 2, 2 * inner, 1, 16, 8])
    references, least, most = [], 0, 0
    for _ in range(pick.choice([2, 2, 3, 4])):
        strides = [pick.choice([1, 1, 1, 1, 2, -1, 3, 0])]
        for _ in range(loops - 1):
            strides.insert(0, pick.choice([pitch, pitch, pitch, pitch, pitch + 1, pitch - 1, -pitch, 2 * pitch, 0]))
        shift = pick.choice([0, 0, 1, -1, pitch, -pitch, pitch + 1, pitch - 1, 2, 7])
        ends = [(s * max(n - 1, 0)) for s, n in zip(strides, extents)]
        least = min(least, shift + sum(min(e, 0) for e in ends))
        most = max(most, shift + sum(max(e, 0) for e in ends))
        references.append((strides, shift))
    size = most - least + 1 - (pick.random() < 0.04)
    f.buffer("A", dtype, max(size, 1))
    other = pick.choice([dtype, dtype, pick.choice(NUMBERS)])
    f.buffer("B", other, max(extents[-1], 1))
    index_type = pick.choice(["int32", "int32", "int64"])
    names = [f"i{k}" for k in range(loops)]

    def place(reference):
        strides, shift = reference
        terms = [f"{'- ' if s < 0 else '+ '}{multiple(pick, v, abs(s)) if abs(s) != 1 else v}" for v, s in zip(names, strides) if s]
        pick.shuffle(terms)
        shift -= least
        text = f"{shift} {' '.join(terms)}" if shift or not terms else " ".join(terms).removeprefix("+ ").replace("- ", "0 - ", 1 if terms[0][0] == "-" else 0)
        if index_type == "int64":
            for v in names:
                text = text.replace(v, f"T.int64({v})") if False else text
        return f"A[{text}]"

    places = [place(r) for r in references]
    target, sources = places[0], places[1:]
    b = cast(f"B[{names[-1]}]", dtype, other)
    value = sources[0] if len(sources) == 1 else joined(pick, sources[0], sources[-1], dtype)
    if pick.random() < 0.7:
        value = joined(pick, value, pick.choice([b, target, of_type(dtype, 3)]), dtype)
    depth, nested = 0, pick.random() < 0.5
    if pick.random() < 0.2:
        f.add(0, f"for t in range({pick.choice([1, 2, 3])}):")
        depth = 1
    if nested:
        for v, n in zip(names, extents):
            f.add(depth, f"for {v} in range({n}):")
            depth += 1
    else:
        f.add(depth, f"for {', '.join(names)} in T.grid({', '.join(map(str, extents))}):")
        depth += 1
    how = pick.random()
    if how < 0.5:
        f.add(depth, f"{target} = {value}")
    elif how < 0.8:
        order = pick.choice(["<", ">", "<=", ">="])
        f.add(depth, *guarded(pick, f"{value} {order} {pick.choice([target, target, b])}", target, pick.choice([value, value, b]), f"{sources[0]} = {b}"))
    else:
        f.add(depth, f"x: T.let = {value}", f"{target} = {pick.choice(['x', joined(pick, 'x', target, dtype)])}")
    if pick.random() < 0.35:
        f.add(depth, f"{pick.choice([f'B[{names[-1]}]', sources[-1]])} = {cast(target, other, dtype) if pick.random() < 0.5 else 'B[0]'}"
              if other == dtype else f"B[{names[-1]}] = {cast(target, other, dtype)}")


def sized_rows(pick, f):
    """Rows of sizes that the call chooses, in memory of one dimension."""
    dtype, kind, other = pick.choice(NUMBERS), pick.choice(["int32", "int32", "int64"]), pick.choice(["n", "m"])
    size = pick.choice(["n * m", "n * m", "(n + 1) * m", "n * (m + 1)", "n * m + m", "n * m + 1"])
    f.params += ["a: T.handle", "b: T.handle"]
    f.add(0, f"n, m = T.{kind}(), T.{kind}()", f'B = T.match_buffer(b, (n, m), "{pick.choice([dtype, "int32"])}")', f'A = T.match_buffer(a, ({size},), "{dtype}")')
    width = pick.choice(["m", "m", "m", "(m + 1)", "(m - 1)"])
    outer, inner = pick.choice(["n", "n", "n - 1", "n - 2"]), pick.choice(["m", "m", "m - 1", "m - 2", str(pick.choice(FEW))])
    base = pick.choice(["i", "i", "(n - 1 - i)", "(i + 1)"])
    offset = pick.choice(["j", "j", "(m - 1 - j)", "j + 1", "j + 2"])
    target, source = f"A[{pick.choice(['i', base])} * {width} + {pick.choice(['j', offset])}]", f"A[{base} * {pick.choice([width, 'm'])} + {offset}]"
    again = pick.choice([f"A[i * m + {pick.choice(['j', '0', 'm - 1'])}]", f"A[j * {other} + i]", "A[(i + 1) * m + j]"])
    value = joined(pick, source, pick.choice([again, again, of_type(dtype, 3)]), dtype)
    if kind == "int32" and pick.random() < 0.4:
        value = joined(pick, value, f'T.Cast("{dtype}", B[i, j])', dtype)
    f.add(0, f"for i in range({outer}):", f"    for j in range({inner}):")
    if pick.random() < 0.6:
        f.add(2, f"{target} = {value}")
    else:
        f.add(2, *guarded(pick, f"{value} {pick.choice(['<', '>='])} {target}", target, value))


def rows_by_number(pick, f):
    """Rows at places that memory says, read and stored to."""
    dtype, kind = pick.choice(NUMBERS), pick.choice(PLACES)
    n, width, rows = pick.choice([1, 7, 20, 33, 65]), pick.choice(FEW + (16, 17, 40)), 24
    pitch = pick.choice([width, width, width + 1, max(width - 1, 1)])
    f.buffer("X", kind, n)
    f.buffer("A", dtype, rows * pitch + width)
    f.buffer("O", dtype, n * width)
    most = f"T.{kind}({rows - 1})"
    at = pick.choice([f"T.max(T.min(X[i], {most}), T.{kind}(0))"] * 3 + [f"T.floormod(X[i], {most})", "X[i]"])
    if pick.random() < 0.7 or kind not in ("int32", "int64"):
        at = f'T.Cast("{pick.choice(["int32", "int64"])}", {at})'
    row = f"A[{at} * {pitch} + j]"
    own = f"O[i * {width} + j]"
    f.add(0, f"for i in range({n}):", f"    for j in range({width}):")
    how = pick.random()
    if how < 0.4:
        f.add(2, f"{own} = {joined(pick, own, row, dtype)}")
    elif how < 0.7:
        f.add(2, f"{row} = {joined(pick, row, own, dtype)}")
    elif how < 0.85:
        f.add(2, *guarded(pick, f"{row} {pick.choice(['<', '>='])} {own}", own, row, f"{row} = {own}"))
    else:
        f.add(2, f"{own} = {row}", f"{row} = {of_type(dtype, 1)} + {own}")


def planes(pick, f):
    """Planes that take turns."""
    dtype, of = pick.choice(NUMBERS), pick.choice([2, 2, 3, 4])
    n, m = pick.choice(FEW + (16,)), pick.choice(FEW + (17, 33))
    flat, rounds = pick.random() < 0.4, pick.choice([1, 2, 5, 7])
    if flat:
        f.buffer("P", dtype, of * (n + 2) * (m + 2))
    else:
        f.buffer("P", dtype, of, n + 2, m + 2)

    def element(plane, y, x):
        return f"P[{plane} * {(n + 2) * (m + 2)} + ({y}) * {m + 2} + {x}]" if flat else f"P[{plane}, {y}, {x}]"

    turn = [f"((t + {k}) % {of})" if k else f"(t % {of})" for k in range(of)]
    if of == 2 and pick.random() < 0.3:
        turn[1] = "(1 - t % 2)"
    around = [element(pick.choice(turn[:-1] if pick.random() < 0.85 else turn), f"i + {pick.choice([0, 1, 1, 2])}", f"j + {pick.choice([0, 1, 1, 2])}") for _ in range(3)]
    f.add(0, f"for t in range({pick.choice([rounds, f'1, {rounds + 1}'])}):", f"    for i, j in T.grid({n}, {m}):")
    value = joined(pick, joined(pick, around[0], around[1], dtype), around[2], dtype)
    target = element(turn[-1], "i + 1", "j + 1")
    if pick.random() < 0.75:
        f.add(2, f"{target} = {value}")
    else:
        f.add(2, *guarded(pick, f"{around[0]} < {around[1]}", target, value, f"{target} = {around[2]}"))


# ---- Extremes by conditions

def extremes(pick, f):
    """Extremes and what goes with them, of elements and of variables, in all ways to say so."""
    dtype = pick.choice(NUMBERS + ("bool",))
    n, m = pick.choice([1, 3, 17, 33]), extent_of(pick, 300)
    f.buffer("A", dtype, n, max(m, 1))
    f.buffer("O", dtype, n)
    f.buffer("Q", "int32", n)
    in_element, with_place = pick.random() < 0.4, pick.random() < 0.5
    order = pick.choice(["<", ">", "<=", ">="])
    of = pick.choice(["A[i, j]", "A[i, j]", f"A[i, {max(m, 1)} - 1 - j]", f"(A[i, j] + {of_type(dtype, 1)})" if dtype != "bool" else "A[i, j]"])
    v, best = of, "O[i]" if in_element else "b"
    sides = (v, best) if pick.random() < 0.5 else (best, v)
    condition = f"{sides[0]} {order} {sides[1]}"
    if pick.random() < 0.25:
        condition = pick.choice([f"j % 2 == 0 and {condition}", f"A[i, 0] != {v} and {condition}", f"{condition} or j == 0", f"not ({condition})"])
    value = pick.choice([v] * 5 + [best, of_type(dtype, 1)])
    first = pick.choice([of_type(dtype, 0), "A[i, 0]", of_type(dtype, -100)])
    loop = pick.choice(["range", "range", "T.serial", "T.unroll" if m < 20 else "range"])
    f.add(0, f"for i in range({n}):")
    if not in_element:
        f.add(1, f"b: T.{dtype} = {first}")
    elif pick.random() < 0.6:
        f.add(1, f"O[i] = {first}")
    if with_place:
        f.add(1, pick.choice(["Q[i] = -1", "Q[i] = 0"]))
    f.add(1, f"for j in {loop}({pick.choice([m, f'1, {max(m, 1)}'])}):", f"    if {condition}:")
    lines = [f"        {best} = {value}"] + [f"        Q[i] = {pick.choice(['j', 'j', 'Q[i] + 1'])}"] * with_place
    if with_place and pick.random() < 0.4:
        lines.reverse()
    f.add(1, *lines)
    if pick.random() < 0.25:
        f.add(2, "else:", f"    {pick.choice([f'{best} = {v}', 'Q[i] = Q[i] + 2', f'{best} = {of_type(dtype, 1)}'])}")
    if not in_element:
        f.add(1, "O[i] = b")


def windows(pick, f):
    """Short windows whose elements a condition takes, or not."""
    dtype, count = pick.choice(NUMBERS), pick.choice(["int32", "int32", "int64", "uint8", "int16"])
    kh, kw, step = pick.choice([1, 2, 3, 3]), pick.choice([1, 2, 3, 3, 5]), pick.choice([1, 1, 2])
    h, w = pick.choice([1, 3, 24]), pick.choice([1, 7, 24, 33])
    f.buffer("A", dtype, h * step + kh, w * step + kw)
    f.buffer("O", dtype, h, w)
    f.buffer("N", count, h, w)
    tap = f"A[y * {step} + i, x * {step} + j]" if step > 1 else "A[y + i, x + j]"
    centre = f"A[y * {step} + {kh // 2}, x * {step} + {kw // 2}]"
    order = pick.choice(["<", ">", "<=", ">=", "==", "!="])
    counts, in_element = pick.random() < 0.5, pick.random() < 0.35
    best = ("N[y, x]" if counts else "O[y, x]") if in_element else "m"
    of, start = (count, of_type(count, 0)) if counts else (dtype, pick.choice([of_type(dtype, 0), of_type(dtype, -3), "A[y, x]"]))
    one, two = of_type(of, 1), of_type(of, 2)
    condition = f"{tap} {order} {pick.choice([centre, best if not counts else centre, of_type(dtype, 2), 'A[y, x]'])}"
    if pick.random() < 0.3:
        condition += pick.choice([" and (i != 1 or j != 1)", f" or {tap} == {centre}", " and x + j > 1", f" and {tap} < {of_type(dtype, 100)}"])
    if counts:
        value, other = pick.choice([f"{best} + {one}", f"{best} * {two} + {one}", f"{best} * {two}"]), pick.choice([f"{best} = {best} * {two}", f"{best} = {best} - {one}"])
    else:
        value, other = pick.choice([tap, tap, f"{best} + {tap}", f"T.max({best}, {tap})"]), pick.choice([f"{best} = {best} + {one}", f"{best} = {tap}"])
    f.add(0, f"for y, x in T.grid({h}, {w}):")
    f.add(1, f"{best} = {start}" if in_element else f"m: T.{of} = {start}")
    f.add(1, f"for i, j in T.grid({kh}, {kw}):" if pick.random() < 0.6 else f"for j, i in T.grid({kw}, {kh}):")
    f.add(2, *guarded(pick, condition, best, value, other))
    if pick.random() < 0.2:
        f.add(2, f"if {tap} < {centre}:", f"    {pick.choice(['break' if False else 'O[y, x] = ' + tap, 'N[y, x] = ' + of_type(count, 3)])}")
    if not in_element:
        f.add(1, f"{'N' if counts else 'O'}[y, x] = m")


# ---- Numbers that are kept

def numbers(pick, f):
    """Numbers that a loop of each iteration makes, and several statements use."""
    n = pick.choice([1, 63, 64, 65, 90, 128, 255, 300])
    kind, data, dtype = pick.choice(PLACES), pick.choice(("uint8", "int8", "int32", "float32")), pick.choice(NUMBERS)
    q, room, d = pick.choice([0, 1, 3, 5]), pick.choice([16, 64]), pick.choice([1, 3, 8])
    symbolic = pick.random() < 0.3
    f.buffer("X", data, f'"n + {q + 1}"' if symbolic else n + q + 1)
    f.buffer("C", dtype, room, d)
    f.buffer("N", "int32", room)
    f.buffer("Y", dtype, '"n"' if symbolic else n)
    if symbolic:
        f.add(0, "n = T.int32()")
    h = pick.choice(["h", "h", "k0"])
    f.add(0, f"for i in range({'n' if symbolic else n}):")
    f.add(1, f"{h}: T.{kind} = {of_type(kind, pick.choice([0, 1, 5]))}")
    f.add(1, f"for q in range({q}):", f"    {h} = {h} * {of_type(kind, pick.choice([2, 3]))} + {cast('X[i + q]', kind, data)}")
    at = f"T.Cast(\"int32\", {h})" if kind != "int32" else h
    inside = pick.choice([f"T.bitwise_and({at}, {room - 1})", f"T.floormod({at}, {room})", f"T.max(T.min({at}, {room - 1}), 0)"])
    if pick.random() < 0.5:
        f.add(1, f"g: T.int32 = {inside}")
        inside = "g"
    statements = [[f"N[{inside}] = N[{inside}] + 1"],
                  [f"for d in range({d}):", f"    C[{inside}, d] = C[{inside}, d] + {of_type(dtype, 2)}"],
                  [f"Y[i] = {cast(inside, dtype, 'int32')}"],
                  [f"Y[i] = C[{inside}, 0]"],
                  [f"if {inside} > 3:", f"    N[{inside}] = N[{inside}] * 2", "else:", "    N[0] = N[0] + i"],
                  [f"for d in range({inside} % 4):", f"    N[d] = N[d] + {inside}"],
                  [f"C[{inside}, {d - 1}] = Y[i]"],
                  [f"X[i] = {cast(inside, data, 'int32')}"]]
    if inside == "g":
        statements += [["g = g // 2"], ["g = T.max(g - 1, 0)"], [f"if X[i] > {of_type(data, 3)}:", "    g = 0"]]
    for lines in pick.sample(statements, pick.choice([2, 3, 4, 5])):
        f.add(1, *lines)


# ---- Few products, and sums of blocks

def few_products(pick, f):
    """Sums of so few products that these are written out; some in loops whose ranges memory says."""
    dtype, k = pick.choice(FLOATS + ("float32", "float32", "float64", "int32", "int64")), pick.choice(FEW)
    wide = {"float16": ["float32"], "bfloat16": ["float32"]}.get(dtype, [])
    of = pick.choice([dtype, dtype] + wide)
    n, m = pick.choice([1, 8, 9, 33, 64, 65, 257]), pick.choice(FEW)
    across = pick.random() < 0.3
    f.buffer("A", dtype, *((k, n) if across else (n, k)))
    many = pick.random() < 0.5
    f.buffer("B", dtype, *((k, m) if many else (k,)))
    f.buffer("O", of, *((n, m) if many else (n,)))
    place = "O[i, j]" if many else "O[i]"
    a, b = ("A[k, i]" if across else "A[i, k]"), ("B[k, j]" if many else "B[k]")
    product = pick.choice([f"{cast(a, of, dtype)} * {cast(b, of, dtype)}"] * 3 + [f"({cast(a, of, dtype)} - {cast(b, of, dtype)}) * ({cast(a, of, dtype)} - {cast(b, of, dtype)})"])
    ranged = pick.random() < 0.35
    f.buffer("P", "int32", 6)
    depth = 0
    if ranged:
        f.add(0, "for r in range(5):", f"    for i in range(T.max(T.min(P[r], {n}), 0), T.max(T.min(P[r + 1], {n}), 0)):")
        depth = 2
    else:
        f.add(0, f"for i in {pick.choice(['range', 'range', 'T.parallel'])}({n}):")
        depth = 1
    if many:
        f.add(depth, f"for j in range({m}):")
        depth += 1
    in_variable = pick.random() < 0.4
    total = "s" if in_variable else place
    if in_variable:
        f.add(depth, f"s: T.{of} = {pick.choice([of_type(of, 0), place, of_type(of, 1)])}")
    elif pick.random() < 0.6:
        f.add(depth, f"{place} = {pick.choice([of_type(of, 0), of_type(of, 3)])}")
    f.add(depth, f"for k in range({k}):", f"    {total} = {total} {pick.choice(['+', '+', '-'])} {product}")
    if in_variable:
        f.add(depth, f"{place} = {pick.choice(['s', f's * {of_type(of, 2)}', f'T.max(s, {of_type(of, 0)})', f'{place} + s'])}")


def several_blocks(pick, f):
    """Blocks in one body that begin sums, some of them where a predicate holds."""
    dtype = pick.choice(NUMBERS)
    n, m = extent_of(pick, 40), extent_of(pick, 40)
    f.buffer("A", dtype, max(n, 1), max(m, 1))
    f.buffer("O", dtype, max(n, 1))
    f.buffer("Q", dtype, max(n, 1))
    first, tiles = pick.random() < 0.5, pick.choice([1, 3, 4])
    order = pick.choice(["i, j", "j, i"])
    where = None
    if pick.random() < 0.4 and m > 0:
        f.add(0, f"for i, jo, ji in T.grid({n}, {(m + tiles - 1) // tiles}, {tiles}):" if order[0] == "i" else f"for jo, ji, i in T.grid({(m + tiles - 1) // tiles}, {tiles}, {n}):")
        j, where = f"jo * {tiles} + ji", f"jo * {tiles} + ji < {m}"
    else:
        f.add(0, f"for {order} in T.grid({', '.join(str(n if v == 'i' else m) for v in order.split(', '))}):")
        j = "j"
    def block(name, place, init, value):
        f.add(1, f'with T.sblock("{name}"):', f'    v{name}i = T.axis.spatial({n}, i)', f"    v{name}j = T.axis.reduce({m}, {j})")
        if where:
            f.add(2, f"T.where({where})")
        f.add(2, "with T.init():", f"    {place} = {init}", f"{place} = {value}")

    def update(place, element):
        return pick.choice([f"{place} + {element}", f"T.max({place}, {element})", f"T.min({place}, {element})", f"{place} * {element}", f"T.Select({element} < {place}, {element}, {place})"])

    block("b", "O[vbi]", of_type(dtype, pick.choice([0, 1, 7])), update("O[vbi]", "A[vbi, vbj]"))
    if pick.random() < 0.7:
        source = pick.choice(["A[vci, vcj]", f"(A[vci, vcj] * {of_type(dtype, 2)})"] + (["O[vci]"] if first else []))
        block("c", "Q[vci]", pick.choice([of_type(dtype, 0), "A[vci, 0]", "O[vci]"]), update("Q[vci]", source))


# ---- Clamps and conditions

def clamps(pick, f):
    """Elements behind conditions that make their clamps needless, or nearly so, of counters that may wrap."""
    dtype, n, kind = pick.choice(NUMBERS), pick.choice([1, 5, 8, 33, 70]), pick.choice(["int32", "int32", "int64"])
    f.buffer("A", dtype, n)
    f.buffer("O", dtype, n)
    f.buffer("K", kind, n)
    top = (1 << (bits_of(kind) - 1)) - 1
    c, e = pick.choice([0, 1, 2, -1, -3]), pick.choice([0, 0, 1, -1])
    base = pick.choice(["i", "i", "K[i]", "K[i]", f"(K[i] + i)", f"(K[i] - {number(kind, top) if kind == 'int64' else top - 5})"])
    if kind == "int64":
        base = base.replace("i)", 'T.Cast("int64", i))').replace("K[T", "K[T") if base == "(K[i] + i)" else base if "K" in base else 'T.Cast("int64", i)'

    def value(v):
        return number(kind, v) if kind == "int64" else str(v)

    at = f"({base} + {value(c)})" if c else base
    low = pick.choice([f"{at} >= {value(0)}", f"{at} > {value(-1)}", f"{value(0)} <= {at}", f"{base} >= {value(-c)}", f"{base} > {value(-c - 1)}", f"{at} >= {value(e)}"])
    high = pick.choice([f"{at} < {value(n)}", f"{at} <= {value(n - 1)}", f"{value(n)} > {at}", f"{base} < {value(n - c)}", f"{at} < {value(n + e)}"])
    clamped = pick.choice([f"T.max(T.min({at}, {value(n - 1)}), {value(0)})", f"T.min(T.max({at}, {value(0)}), {value(n - 1)})", f"T.min(T.max({base} + {value(c)}, {value(0)}), {value(n - 1)})"])
    element = f"A[{clamped}]"
    test = pick.choice([f"{low} and {high}", f"{high} and {low}", f"{low}", f"not ({low}) or {high}"])
    form = pick.random()
    f.add(0, f"for i in range({n}):")
    if form < 0.3:
        f.add(1, f"O[i] = T.if_then_else({test}, {element}, {of_type(dtype, 1)})")
    elif form < 0.5:
        f.add(1, f"if {test} and {element} > {of_type(dtype, 0)}:", f"    O[i] = {joined(pick, element, 'O[i]', dtype)}")
    elif form < 0.7:
        f.add(1, f"if {test}:", f"    O[i] = {element}", *(["else:", f"    O[i] = O[i] + {element}"] if pick.random() < 0.5 else []))
    elif form < 0.85:
        f.add(1, f"O[i] = T.Select({test}, {element}, O[i])")
    else:
        f.add(1, f"if {test} or {element} < O[i]:", f"    O[i] = {element}")


# ---- Windows of what is computed ahead

def ahead_of_windows(pick, f):
    """What is computed, or padded, for windows that read it; at times read elsewhere too, or in place."""
    dtype = pick.choice(("float32", "float32", "float64", "int32", "uint8", "float16", "int64"))
    c, h, w, kh, kw = pick.choice([1, 3, 12]), pick.choice([1, 5, 9, 30]), pick.choice([1, 7, 9, 33]), pick.choice([1, 3]), pick.choice([1, 3, 5])
    step, apart, symbolic = pick.choice([1, 1, 2]), pick.choice([1, 1, 2]), pick.random() < 0.3
    rows, columns = (h - 1) * step + (kh - 1) * apart + 1, (w - 1) * step + (kw - 1) * apart + 1
    pads = pick.random() < 0.5
    x = (max(rows - 2, 1), max(columns - 2, 1)) if pads else (rows, columns)
    channels = "n" if symbolic else str(c)
    quoted = '"n"' if symbolic else channels
    in_place = pick.random() < 0.15 and not pads
    f.buffer("o", dtype, quoted, h, w)
    f.buffer("x", dtype, quoted, *x)
    f.buffer("w", dtype, quoted, kh, kw)
    if symbolic:
        f.add(0, "n = T.int32()")
    extra = pick.choice([0, 0, 1])
    f.add(0, f't = T.alloc_buffer(({channels}, {rows + extra}, {columns}), "{dtype}")')
    value = pick.choice(["x[c, y, i]", "x[c, y, i] * x[c, y, i]", f"T.max(x[c, y, i], {of_type(dtype, 0)})"])
    if pads:
        value = f"T.if_then_else(1 <= y and y < {x[0] + 1} and 1 <= i and i < {x[1] + 1}, x[c, y - 1, i - 1], {of_type(dtype, pick.choice([0, 0, -100, 1]))})"
    f.add(0, f"for c, y, i in T.grid({channels}, {rows}, {columns}):", f"    t[c, y, i] = {value}")
    tap = "t[c, y{} + r{}, i{} + s{}]".format(*[f" * {v}" if v > 1 else "" for v in (step, apart, step, apart)])
    place = "o[c, y, i]"
    op = pick.choice([f"{place} + {tap} * w[c, r, s]", f"{place} + {tap} * w[c, r, s]", f"T.max({place}, {tap})", f"{place} + {tap}", f"T.min({tap}, {place})"])
    form = pick.random()
    loops = f"for c, y, i in T.grid({channels}, {h}, {w}):"
    if form < 0.65:
        f.add(0, loops, f"    {place} = {of_type(dtype, pick.choice([0, 0, -100]))}")
        if pick.random() < 0.3:
            f.add(0, loops)
        f.add(1, f"for r, s in T.grid({kh}, {kw}):", f"    {place} = {op}")
        if pick.random() < 0.4:
            f.add(0, loops, f"    {place} = T.max({place} + w[c, 0, 0], {of_type(dtype, 0)})")
    else:
        taps = [tap.replace("r", str(r)).replace(" s", f" {s}").replace("+ s", f"+ {s}") for r in range(kh) for s in range(kw)][:4]
        f.add(0, loops, f"    {place} = {' + '.join(taps)}")
        if in_place:
            f.add(1, f"x[c, y, i] = {place}")
    if pick.random() < 0.25:
        f.add(0, f"for c in range({channels}):", f"    o[c, 0, 0] = o[c, 0, 0] + {pick.choice([f't[c, {rows - 1}, 0]', f't[{channels} - 1 - c, 0, {columns - 1}]', f't[c, {rows + extra - 1}, {columns - 1}]'])}")


# ---- Loops of lanes' own

def loops_of_lanes(pick, f):
    """Counted loops in while loops, and while loops in counted ones, of each element's own."""
    dtype, n = pick.choice(("int32", "int32", "int64", "uint8", "int16", "uint32", "float32")), pick.choice([1, 8, 9, 33, 65, 257])
    m = pick.choice(FEW)
    f.buffer("A", dtype, n)
    f.buffer("B", dtype, m)
    f.buffer("O", "int32", n)
    small = {"float32": "T.min(T.max(A[i], T.float32(0)), T.float32(20))"}.get(dtype, f"T.bitwise_and(A[i], {of_type(dtype, 31)})")
    f.add(0, f"for i in range({n}):", f"    a: T.{dtype} = {small}", "    c: T.int32 = 0")
    steps = [f"a = a - {of_type(dtype, 1)}", f"a = a - {of_type(dtype, 2)}"] + ([f"a = a // {of_type(dtype, 2)}"] if dtype != "float32" else ["a = a * T.float32(0.5) - T.float32(1)"])
    signed = dtype not in ("uint8", "uint32")
    f.add(1, f"while a > {of_type(dtype, 0 if signed else 1)}{pick.choice(['', '', ' and c < 9'])}:")
    inner = [[f"for k in range({m}):", f"    if a < B[k]:", f"        c = c + {pick.choice(['1', 'k', 'k * i'])}"],
             [f"for k in range({m}):", f"    c = c + {pick.choice(['k', '1', 'c % 3'])}"],
             [f"for k in range({pick.choice(['c % 4', 'i % 3', 'T.min(c, 5)'])}):", "    c = c + 1"],
             [f"for k in range({m}):", f"    a = {pick.choice([f'T.min(a, B[k])', f'a'])}"] if dtype != "float32" else ["c = c + 2"],
             ["c = c * 3 + i"],
             ["if c > 20:", "    break"] if pick.random() < 0.4 else ["c = c + 1"]]
    for lines in pick.sample(inner, pick.choice([1, 2, 2])):
        f.add(2, *lines)
    f.add(2, pick.choice(steps))
    f.add(1, pick.choice(["O[i] = c", f"O[i] = c + {cast('a', 'int32', dtype)}", "O[i] = O[i] + c"]))


# ---- What fails and is not used

def unused(pick, f):
    """Values that may fail, and that others replace, or that only some iterations take, or none."""
    dtype, n, m = pick.choice(("int32", "int32", "int64", "uint8", "int16")), pick.choice([1, 8, 24, 33]), pick.choice([1, 24, 33, 70])
    k = pick.choice([1, 2, 3, 4])
    f.buffer("A", dtype, n + 4, m + 4)
    f.buffer("B", dtype, k)
    f.buffer("O", dtype, n, m)
    f.buffer("Q", dtype, m)
    element, tap = pick.choice(["O[y, x]", "O[y, x]", "m", "m", "Q[x]"]), pick.choice(["A[y + j, x]", "A[y, x + j]", "A[y + j, x + j]"])
    divided = [f"{tap} // B[j]", f"T.truncmod({tap}, B[j] // {of_type(dtype, 4)})", f"A[y, x] // (B[j] // {of_type(dtype, 9)})"]
    outside = [f"A[y + 3, x + j + {pick.choice([0, 4, m + 4])}]", f"A[y + j + {pick.choice([1, 4])}, x]", "A[T.Cast(\"int32\", B[j]), x]" if k else "A[y, x]"]
    fails = pick.choice(divided if pick.random() < 0.7 else outside)
    three = of_type(dtype, 3)
    condition = pick.choice([f"{tap} > {three}", f"{fails} > {three}", f"{element} < {tap}", f"j == 0 or {fails} > {element}"])
    parts = [[f"{element} = {fails}"], [f"{element} = {three}"], [f"{element} = {element} + {tap}"], [f"{element} = T.max({element}, {tap})"],
             [f"if {condition}:", f"    {element} = {pick.choice([element, three, fails, tap])}"],
             [f"if {condition}:", f"    {element} = {pick.choice([three, tap])}", "else:", f"    {element} = {pick.choice([three, tap, element, fails])}"],
             [f"t: T.{dtype} = {fails}"], [f"t: T.{dtype} = {fails}", f"if {condition}:", f"    {element} = {element} + t"],
             [f"t: T.let = {fails}", f"{element} = {pick.choice(['t', 't + t', three])}"],
             [f"{element} = T.Select({tap} > {three}, {fails}, {element})"], [f"{element} = T.if_then_else({tap} > {three}, {fails}, {element}) * {of_type(dtype, 0)}"]]
    f.add(0, f"for y, x in T.grid({n}, {m}):" if pick.random() < 0.7 else f"for y in range({n}):")
    depth = 1
    if f.body[-1].startswith("for y in"):
        f.add(1, f"for x in range({m}):")
        depth = 2
    if element == "m":
        f.add(depth, f"m: T.{dtype} = {pick.choice([of_type(dtype, 0), 'A[y, x]', 'O[y, x]'])}")
    elif pick.random() < 0.7:
        f.add(depth, f"{element} = {pick.choice([of_type(dtype, 0), 'A[y, x]'])}")
    named = False
    for _ in range(pick.choice([1, 1, 2])):
        f.add(depth, f"for j in {pick.choice(['range', 'range', 'T.unroll'])}({k}):")
        for lines in pick.sample(parts, pick.choice([1, 2, 3])):
            if lines[0].startswith("t:") and named:
                continue
            named = named or lines[0].startswith("t:")
            f.add(depth + 1, *lines)
        named = False
    if element == "m":
        f.add(depth, pick.choice(["O[y, x] = m", "O[y, x] = m", f"O[y, x] = {three}", "Q[x] = Q[x] + m"]))
    elif pick.random() < 0.3:
        f.add(depth, f"{element} = {three}")


SHAPES = (overlapping_rows, overlapping_rows, overlapping_rows, sized_rows, sized_rows, rows_by_number, planes, extremes, extremes, windows, windows, numbers,
          numbers, few_products, few_products, several_blocks, clamps, clamps, ahead_of_windows, ahead_of_windows, loops_of_lanes, unused, unused)


def sharing(shape):
    """The shape with parameters that may be the same memory, at times."""

    def made(pick, f):
        shape(pick, f)
        names = [p.split(":")[0] for p in f.params if "T.Buffer" in p]
        if len(names) > 1 and pick.random() < 0.2:
            pairs = {tuple(sorted(pick.sample(names, 2))) for _ in range(pick.choice([1, 1, 2]))}
            f.body.insert(0, f'T.func_attr({{"tirb.may_alias": {[list(pair) for pair in sorted(pairs)]}}})')

    return made


make = irregular.maker("flat", Function, [sharing(shape) for shape in SHAPES])

if __name__ == "__main__":
    sys.exit(irregular.main(make, __doc__, 120))
