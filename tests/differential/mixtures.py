"""Random loop nests on elements of every type, compared by `differential` with the oracle: on every instruction set, with each
pass off, with several threads.

    mixtures.py [--differential PATH] [--seed N] [--count N] [--print]

Straight code of loads, casts, comparisons and choices between all types in nests of one to four loops, whose extents are odd
numbers or variables; indices that are reversed, clamped, wrapped, strided or stand still; stores under conditions, several to one
element, and sums, extremes and their places over inner loops; long rows with one or two operations; then sorts. Ends with `N passed, N failed`; exit status 1 on failure."""

import math
import random
import re
import sys

import irregular

SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
INTS, FLOATS = SIGNED + UNSIGNED, ("float16", "bfloat16", "float32", "float64")
NUMBERS = INTS + FLOATS
NARROW = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32")
EXTENTS = (1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 63, 65, 100, 130)
MOST_ITERATIONS = 4000


def bits_of(dtype):
    return int(re.sub(r"\D", "", dtype))


def number(pick, dtype):
    if dtype == "bool":
        return pick.choice(["T.bool(True)", "T.bool(False)"])
    if dtype in FLOATS:
        return f"T.{dtype}({pick.choice([0, 1, -1, 0.5, 2, 3, -0.25, 7, 100, 255])})"
    top = bits_of(dtype) - (dtype in SIGNED)
    values = [0, 1, 2, 3, 5, 7, 8, 100, (1 << top) - 1] + ([-1, -3, -(1 << top), 1 - (1 << top)] if dtype in SIGNED else [1 << (top - 1)])
    return f"T.{dtype}({pick.choice(values)})"


class Nest:
    """One function: buffers of random types, and random statements in a nest of loops over them."""

    def __init__(self, seed):
        self.pick = pick = random.Random(seed)
        self.name = f"f{seed}"
        depth = pick.choice([1, 1, 2, 2, 2, 3, 4])
        self.extents = [pick.choice(EXTENTS) for _ in range(depth)]
        while math.prod(self.extents) > MOST_ITERATIONS:
            self.extents[self.extents.index(max(self.extents))] = pick.choice([1, 2, 3, 5, 7])
        self.symbols = {k: f"n{k}" for k in range(depth) if pick.random() < 0.25}
        self.loops = [(f"i{k}", self.symbols.get(k, str(extent))) for k, extent in enumerate(self.extents)]
        some = pick.choice([NUMBERS, NARROW, NARROW, FLOATS + ("int32",), pick.sample(NUMBERS, 2)])
        self.types = [pick.choice(some) for _ in range(pick.choice([2, 3, 3, 4, 5]))]
        if pick.random() < 0.3:
            self.types[0] = "bool"
        self.buffers = []  # name, type, the loops that its dimensions belong to
        for k, dtype in enumerate(self.types):
            whole = list(range(depth))
            over = whole if k == len(self.types) - 1 or pick.random() < 0.6 else pick.sample(whole, pick.randint(1, depth))
            self.buffers.append((f"B{k}", dtype, over))
        self.lines, self.variables, self.names = [], 0, []

    # ---- values

    def index(self, k, plain):
        pick, (v, n) = self.pick, self.loops[k]
        if plain or pick.random() < 0.7:
            return v
        c = pick.choice([1, 1, 2, 3])
        return pick.choice([f"({n} - 1 - {v})", f"T.min({v} + {c}, {n} - 1)", f"T.max({v} - {c}, 0)", f"T.min(T.max({v} + {c}, 0), {n} - 1)",
                            f"({v} + {c}) % {n}", f"{v} // {c + 1}", "0", f"({n} - 1)", f"({v} * {c}) % {n}", f"T.if_then_else({v} < {c}, 0, {v} - {c})"])

    def place(self, buffer, plain):
        name, _, over = buffer
        return f"{name}[{', '.join(self.index(k, plain) for k in over)}]"

    def load(self, dtype):
        """An element or a variable, converted where no buffer has the type."""
        pick = self.pick
        names = [name for name, of in self.names if of == dtype]
        if names and pick.random() < 0.4:
            return pick.choice(names)
        fitting = [b for b in self.buffers if b[1] == dtype]
        buffer = pick.choice(fitting) if fitting and pick.random() < 0.8 else pick.choice(self.buffers)
        text = self.place(buffer, pick.random() < 0.7)
        return text if buffer[1] == dtype else f'T.cast({text}, "{dtype}")'

    def condition(self, depth):
        pick, how = self.pick, self.pick.random()
        if depth > 0 and how < 0.25:
            return f"({self.condition(depth - 1)}) {pick.choice(['and', 'or'])} ({self.condition(depth - 1)})"
        if how < 0.35:
            return f"not ({self.condition(max(depth - 1, 0))})"
        if how < 0.5:
            (v, n), order = pick.choice(self.loops), pick.choice(["<", ">=", "==", "!="])
            return f"{v} {order} {pick.choice(['1', '3', f'{n} - 1', f'{n} // 2'])}"
        if how < 0.55:
            return self.load("bool")
        if how < 0.6:
            return f"T.isnan({self.value(pick.choice(FLOATS), depth - 1)})"
        dtype = pick.choice(self.types[1:])
        return f"{self.value(dtype, depth - 1)} {pick.choice(['<', '<=', '>', '>=', '==', '!='])} {self.value(dtype, depth - 1)}"

    def value(self, dtype, depth, known=True):
        """`known`: it may be a constant, which the compiler computes with and may have to refuse."""
        pick, how = self.pick, self.pick.random()
        if dtype == "bool":
            return self.condition(depth) if how < 0.7 else self.load("bool")
        if depth <= 0 or how < 0.1:
            return self.load(dtype) if how < 0.85 or not known else number(pick, dtype)
        a = self.value(dtype, depth - 1, False)
        if how < 0.25:
            return f'T.cast({self.value(pick.choice(NUMBERS + tuple(self.types) * 3), depth - 1, False)}, "{dtype}")'
        if how < 0.4:
            choose = pick.choice(["T.Select", "T.Select", "T.if_then_else"])
            return f"{choose}({self.condition(depth - 1)}, {a}, {self.value(dtype, depth - 1)})"
        if how < 0.47:
            return f"T.{pick.choice(['min', 'max'])}({a}, {self.value(dtype, depth - 1)})"
        if how < 0.7:
            return f"({a} {pick.choice('+-*')} {self.value(dtype, depth - 1)})"
        return self.of_floats(dtype, a, depth) if dtype in FLOATS else self.of_integers(dtype, a, depth)

    def of_floats(self, dtype, a, depth):
        pick = self.pick
        b = self.value(dtype, depth - 1, False)
        return pick.choice([f"({a} / {b})", f"T.floor({a})", f"T.ceil({a})", f"T.trunc({a})", f"T.round({a})", f"T.fabs({a})", f"T.sqrt({a})", f"T.exp({a})",
                            f"T.sigmoid({a})", f"T.tanh({a})", f"T.log({a})", f"T.fma({a}, {b}, {self.load(dtype)})", f"T.copysign({a}, {b})", f"(-{a})",
                            f"T.pow({a}, {b})", f'T.reinterpret("{dtype}", {self.value(pick.choice([t for t in INTS if bits_of(t) == bits_of(dtype)]), depth - 1)})'])

    def of_integers(self, dtype, a, depth):
        pick, b = self.pick, self.value(dtype, depth - 1, False)
        bits = bits_of(dtype)
        amount = f"({b} + {self.load(dtype)})"  # no constant, which has to be below the bits
        nonzero = f"T.max({b}, T.{dtype}(1))" if pick.random() < 0.7 else f"T.{dtype}({pick.choice([1, 2, 3, 7, 16, 100])})"
        halves = [t for t in FLOATS if bits_of(t) == bits]
        choices = [f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"(~{a})", f"({a} << {amount})", f"({a} >> {amount})", f"({a} >> T.{dtype}({pick.randrange(bits)}))",
                   f"({a} << T.{dtype}({pick.randrange(bits)}))", f"({a} // {nonzero})", f"({a} % {nonzero})", f"T.truncdiv({a}, {nonzero})",
                   f"T.truncmod({a}, {nonzero})", f"T.popcount({a})", f"T.abs({a})" if dtype in SIGNED else f"({a} + {b})"]
        if halves:
            choices.append(f'T.reinterpret("{dtype}", {self.value(halves[0], depth - 1)})')
        if dtype in SIGNED:
            choices += [f"({a} // T.{dtype}(-1))", f"({a} // T.{dtype}(-3))", f"({a} % T.{dtype}(-4))", f"(-{a})"]
        return pick.choice(choices)

    # ---- statements

    def target(self, plain=True):
        """An element of its own for each iteration, most of the time."""
        whole = [b for b in self.buffers if len(b[2]) == len(self.loops)]
        buffer = self.pick.choice(whole if self.pick.random() < 0.9 else self.buffers)
        return self.place(buffer, plain or self.pick.random() < 0.7), buffer[1]

    def statement(self, depth, indent):
        pick = self.pick
        text, dtype = self.target()
        how, pad = pick.random(), "    " * indent
        if how < 0.5:
            self.lines.append(f"{pad}{text} = {self.value(dtype, depth)}")
        elif how < 0.65:
            self.variables += 1
            name, of = f"x{self.variables}", pick.choice(self.types)
            self.lines.append(f"{pad}{name}: T.let = {self.value(of, depth)}")
            self.names.append((name, of))
            self.statement(depth, indent)
        elif how < 0.85 or indent > len(self.loops) + 1:
            self.lines += [f"{pad}if {self.condition(depth)}:"]
            known = len(self.names)
            self.statement(depth - 1, indent + 1)
            del self.names[known:]
            if pick.random() < 0.4:
                self.lines.append(f"{pad}else:")
                self.statement(depth - 1, indent + 1)
                del self.names[known:]
        else:
            self.reduction(depth, indent)

    def reduction(self, depth, indent):
        """A loop in the body that folds what it computes into an element."""
        pick, pad = self.pick, "    " * indent
        text, dtype = self.target()
        if dtype == "bool":
            self.lines.append(f"{pad}{text} = {self.condition(depth)}")
            return
        n, v = pick.choice(["2", "3", "5", "9", "20", self.loops[0][1]]), f"r{indent}"
        if pick.random() < 0.5:
            self.lines.append(f"{pad}{text} = {number(pick, dtype)}")
        self.lines.append(f"{pad}for {v} in range({n}):")
        known = len(self.names)
        self.names.append((f'T.cast({v}, "{dtype}")', dtype))
        term = self.value(dtype, depth - 1)
        slid = [b for b in self.buffers if b[1] == dtype]
        if slid and pick.random() < 0.7:
            name, _, over = pick.choice(slid)
            k = pick.choice(over)
            other = pick.choice([f"T.min({self.loops[k][0]} + {v}, {self.loops[k][1]} - 1)", f"T.min({v}, {self.loops[k][1]} - 1)", f"T.max({self.loops[k][0]} - {v}, 0)"])
            element = f"{name}[{', '.join(other if d == k else self.loops[d][0] for d in over)}]"
            term = pick.choice([element, f"({element} * {term})", f"({element} + {term})"])
        fold = pick.choice([f"{text} + {term}", f"{text} + {term}", f"T.max({text}, {term})", f"T.min({term}, {text})", f"{text} - {term}"])
        if pick.random() < 0.3:
            self.lines += [f"{pad}    if {self.condition(depth - 1)}:", f"{pad}        {text} = {fold}"]
        else:
            self.lines.append(f"{pad}    {text} = {fold}")
        del self.names[known:]

    def text(self):
        pick = self.pick
        kinds = ["T.serial", "T.serial", "T.serial", "T.parallel", "T.vectorized", "T.unroll"]
        for group in range(pick.choice([1, 1, 2])):
            for k, (v, n) in enumerate(self.loops):
                kind = pick.choice(kinds) if k == 0 or pick.random() < 0.2 else "T.serial"
                if kind in ("T.vectorized", "T.unroll") and (not n.isdigit() or int(n) > 20):
                    kind = "T.serial"
                self.lines.append("    " * k + f"for {v} in {kind}({n}):")
            self.names = [(f'T.cast({v}, "{t}")', t) for v, _ in self.loops for t in pick.sample(NUMBERS, 2)]
            for _ in range(pick.choice([1, 1, 2, 3, 4])):
                self.statement(pick.choice([1, 2, 2, 3, 4]), len(self.loops))
        params = []
        for name, dtype, over in self.buffers:
            shape = ", ".join(f'"{self.loops[k][1]}"' if k in self.symbols else self.loops[k][1] for k in over)
            params.append(f'{name}: T.Buffer(({shape},), "{dtype}")')
        named = sorted({self.symbols[k] for _, _, over in self.buffers for k in over if k in self.symbols})
        declared = [f"        {', '.join(named)} = {', '.join(['T.int32()'] * len(named))}"] if named else []
        return "\n".join([f"    @T.prim_func(s_tir=True)\n    def {self.name}({', '.join(params)}):"] + declared + ["        " + line for line in self.lines]) + "\n"


def sorts(seed):
    """A sort of rows of any type, along any axis, at times in place."""
    pick = random.Random(seed)
    shape = [pick.choice([1, 2, 3, 9, 40, 65, 70, 130]) for _ in range(pick.choice([1, 2, 2, 3]))]
    while math.prod(shape) > MOST_ITERATIONS:
        shape[shape.index(max(shape))] = pick.choice([1, 2, 5])
    axis, up = pick.randrange(len(shape)), pick.choice(["True", "False"])
    dtype, numbers = pick.choice(NUMBERS), pick.choice(["int32", "int64", "float32"])
    k = pick.choice([1, 2, 5, shape[axis], max(shape[axis] // 8, 1)])
    k = min(k, shape[axis])
    kept = [k if d == axis else n for d, n in enumerate(shape)]
    text = lambda s: ", ".join(map(str, s))
    how = pick.choice(["sort", "argsort", "topk", "topk", "same"])
    if how == "topk":
        params = f'A: T.Buffer(({text(shape)},), "{dtype}"), V: T.Buffer(({text(kept)},), "{dtype}"), N: T.Buffer(({text(kept)},), "{numbers}")'
        call = f'T.call_packed("tvm.contrib.sort.topk", A, V, N, {k}, {axis}, "both", T.bool({up}))'
    elif how == "argsort":
        params = f'A: T.Buffer(({text(shape)},), "{dtype}"), N: T.Buffer(({text(shape)},), "{numbers}")'
        call = f'T.call_packed("tvm.contrib.sort.argsort", A, N, {axis}, T.bool({up}))'
    else:
        params = f'A: T.Buffer(({text(shape)},), "{dtype}"), V: T.Buffer(({text(shape)},), "{dtype}")'
        call = f'T.call_packed("tvm.contrib.sort.sort", A, {"A" if how == "same" else "V"}, {axis}, T.bool({up}))'
    return f"    @T.prim_func(s_tir=True)\n    def f{seed}({params}):\n        T.evaluate({call})\n"


def rows(seed):
    """Short rows of elements that are some apart: samples, windows and channels of any type, with what is the same in a row."""
    pick = random.Random(seed)
    extents = [pick.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 20, 33]) for _ in range(pick.choice([2, 3, 3]))]
    steps = [pick.choice([1, 1, 2, 2, 3, 4, 5]) if k > 0 else 1 for k in range(len(extents))]
    more = [pick.choice([0, 1, 2, 3]) if k > 0 else 0 for k in range(len(extents))]
    margin = [pick.choice([0, 0, 0, 1, 2]) for _ in extents]
    if pick.random() < 0.4:  # an image with its channels last
        extents[-2:] = [pick.choice([8, 9, 16, 31, 33, 70]), pick.choice([2, 3, 4])]
        steps[-1], more[-1], margin[-1] = 1, 0, 0
        if len(extents) == 2:
            steps[0], more[0] = pick.choice([1, 2]), pick.choice([0, 1, 2])
    dtype, to = pick.choice(NARROW), pick.choice(NUMBERS)
    to = pick.choice([dtype, dtype, to])
    names, order = [f"i{k}" for k in range(len(extents))], list(range(len(extents)))
    if pick.random() < 0.3:
        pick.shuffle(order)
    shape = [n * s + m for n, s, m in zip(extents, steps, more)]

    def element(at=None):
        at = at or [pick.randint(0, m) for m in more]
        return f"A[{', '.join(f'{names[k]} * {steps[k]} + {at[k]}' for k in order)}]"

    def value(depth):
        if depth == 0:
            return pick.choice([element(), element(), element(), f"W[{names[0]}]", f"W[{names[-1]}]", number(pick, dtype)])
        a, b = value(depth - 1), value(pick.choice([0, depth - 1]))
        forms = [f"T.max({a}, {b})", f"T.min({a}, {b})", f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"T.if_then_else({a} < {b}, {element()}, {b})"]
        if dtype in INTS:
            forms += [f"({a} & {b})", f"({a} ^ {b})", f"T.shift_right({a}, {b} + {element()})", f"T.shift_left({a}, T.{dtype}({pick.randint(0, 7)}))", f"T.shift_right({a}, T.{dtype}({pick.randint(0, 7)}))"]
        if dtype in INTS and bits_of(dtype) < 32:
            forms += [f'T.cast((T.cast({a}, "int32") * {pick.choice([1, 3, 77, 255])} + T.cast({b}, "int32") + {pick.choice([0, 1, 128])}) >> {pick.choice([0, 1, 2, 8])}, "{dtype}")'] * 3
        return pick.choice(forms)

    target = f"O[{', '.join(f'{v} + {m}' if m else v for v, m in zip(names, margin))}]"
    body = [f"for {v} in range({n}):" for v, n in zip(names, extents)]
    pad = ["    " * k + line for k, line in enumerate(body)]
    inside = "    " * len(names)
    if pick.random() < 0.4 and max(more) > 0:
        windows = [k for k, m in enumerate(more) if m > 0]
        at = [f"r{k}" if k in windows else 0 for k in range(len(extents))]
        pad.append(f"{inside}{target} = {number(pick, to)}")
        for depth, k in enumerate(windows):
            pad.append(f"{inside}{'    ' * depth}for r{k} in range({more[k] + 1}):")
        fold = pick.choice(["T.max({0}, {1})", "T.min({0}, {1})", "{0} + {1}"])
        pad.append(f"{inside}{'    ' * len(windows)}{target} = " + fold.format(target, f'T.cast({element(at)}, "{to}")'))
    else:
        pad.append(f'{inside}{target} = T.cast({value(pick.choice([1, 1, 2, 3]))}, "{to}")')
    text = lambda s: ", ".join(map(str, s))
    params = f'A: T.Buffer(({text([shape[k] for k in order])},), "{dtype}"), W: T.Buffer(({max(extents)},), "{dtype}"), '
    params += f'O: T.Buffer(({text([n + 2 * m for n, m in zip(extents, margin)])},), "{to}")'
    return f"    @T.prim_func(s_tir=True)\n    def f{seed}({params}):\n" + "".join(f"        {line}\n" for line in pad)


def plain(seed):
    """Rows of many elements with one or two operations in the body, which the machine has loops of its own for."""
    pick = random.Random(seed)
    height, width = pick.choice([1, 1, 2, 3]), pick.choice([pick.randint(1, 130), pick.randint(130, 1000), 128 * pick.randint(1, 8) + pick.randint(0, 9)])
    dtype, to = pick.choice(NUMBERS), pick.choice(NUMBERS + ("bool",))
    a, b, c = "A[i, j]", "B[i, j]", "C[i, j]"
    other = pick.choice([c, c, "k", number(pick, dtype)])
    how = pick.random()
    if how < 0.2:
        value = f'T.Cast("{to}", {a})'
    elif how < 0.35:
        value, to = f"{a} {pick.choice(['<', '<=', '==', '!=', '>', '>='])} {other}", "bool"
    else:
        first = pick.choice([f"({a} + {other})", f"({a} - {other})", f"({other} - {a})", f"({a} * {other})", f"T.max({a}, {other})", f"T.min({a}, {other})"])
        last = pick.choice([b, b, "k", first, number(pick, dtype)])
        forms = [first, f"{first} + {last}", f"{last} - {first}", f"{first} * {last}", f"T.max({first}, {last})", f"T.min({last}, {first})",
                 f"T.Select({a} < {other}, {first}, {last})"]
        if dtype in INTS:
            forms += [f"{first} & {last}", f"{first} ^ {last}", f"{first} >> T.{dtype}({pick.randrange(bits_of(dtype))})"]
        value, to = pick.choice(forms), dtype
    shape = f"({height}, {width})"
    params = ", ".join([f'A: T.Buffer({shape}, "{dtype}")', f'B: T.Buffer({shape}, "{to}")', f'C: T.Buffer({shape}, "{dtype}")', f"k: T.{dtype}"])
    return f"    @T.prim_func(s_tir=True)\n    def f{seed}({params}):\n        for i, j in T.grid{shape}:\n            {b} = {value}\n"


def make(seed):
    return sorts(seed) if seed % 16 == 9 else rows(seed) if seed % 4 == 2 else plain(seed) if seed % 8 == 5 else Nest(seed).text()


if __name__ == "__main__":
    sys.exit(irregular.main(make, __doc__, 25))
