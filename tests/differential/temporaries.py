"""Random chains of nests that hand temporaries on, compared by `differential` with the oracle: on every instruction set, with each
pass off, with several threads.

    temporaries.py [--differential PATH] [--seed N] [--count N] [--print]

Temporaries are copies, sums, choices, windows and quotients; they are read through slices, reshapes, transpositions, digits,
clamps, lists and conditions, in part, twice, in loops around, behind stores to what they were made of, through views of that, and
where none of their elements are. Elements are NaNs of any bits and numbers that every store rounds. Ends with
`N passed, N failed`; exit status 1 on failure."""

import random
import sys

from irregular import Function, main, number

TYPES = ("float32", "float32", "float16", "float64", "int32", "int8", "uint8", "int64", "bfloat16", "uint32")


class Chain(Function):
    """A function whose arrays have one of a few shapes."""

    def __init__(self, pick):
        super().__init__(pick)
        self.types = [pick.choice(TYPES)] * 2 + [pick.choice(TYPES)]
        self.symbolic = pick.random() < 0.35
        if self.symbolic:
            self.names = ["n", "m"]
            self.add(0, "n, m = T.int32(), T.int32()")
            self.buffer("N", "int8", '"n"'), self.buffer("M", "int8", '"m"')
        else:
            self.names = [str(pick.choice([0, 1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33])) for _ in "nm"]
            if "0" in self.names and pick.random() < 0.7:
                self.names = [name.replace("0", "6") for name in self.names]
        self.arrays, self.made = [], 0
        self.faults = pick.random() < 0.12

    def shape(self):
        """The extents of an array."""
        n, m = self.names
        if self.symbolic:
            return self.pick.choice([(n,), (n, m), (n, m), (m, n), (m,), (f"{n} * {m}",), (f"{n} + {m}",), (n, "4"), ("2", m)])
        i, j = int(n), int(m)
        return tuple(map(str, self.pick.choice([(i,), (i, j), (i, j), (j, i), (i * j,), (i + j,), (i, 4), (2, j), (1, i, j), (i, j, 2), (1,)])))

    def parameter(self, shape, dtype):
        name = f"X{len(self.arrays)}"
        self.buffer(name, dtype, *(f'"{extent}"' if self.symbolic and not extent.isdigit() else extent for extent in shape))
        self.arrays.append((name, shape, dtype))
        return self.arrays[-1]

    def number(self, dtype, value):
        return number(dtype, value)


def count_of(shape):
    return " * ".join(f"({extent})" for extent in shape)


def digits(number_of, shape):
    """The subscripts of the element with that number."""
    out = []
    for d in range(len(shape)):
        rest = " * ".join(f"({extent})" for extent in shape[d + 1:])
        text = f"({number_of}) // ({rest})" if rest else f"({number_of})"
        out.append(text if d == 0 else f"{text} % ({shape[d]})")
    return out


def at(pick, f, loops, shape):
    """Subscripts for an array by loops (name, extent) around, inside of it where no faults are wanted, and a condition."""
    conditions, extents = [], [extent for _, extent in loops]
    if len(loops) > 0 and pick.random() < 0.25 and "0" not in shape:  # by which nothing divides
        flat = "0"
        for loop, extent in loops:
            flat = f"({flat}) * ({extent}) + {loop}" if flat != "0" else loop
        places = digits(flat, shape)
        fits = extents == list(shape) if f.symbolic else eval(" * ".join(extents)) <= eval(count_of(shape))
        return places, f"{flat} < {count_of(shape)}" if not f.faults and (pick.random() < 0.4 or not fits) else None
    places, free = [], list(loops)
    for extent in shape:
        same = [loop for loop, size in free if size == extent] or [loop for loop, size in loops if size == extent]
        loop = pick.choice(same) if same and pick.random() < 0.85 else None
        any_loop = pick.choice(loops)[0] if loops else "0"
        free = [pair for pair in free if pair[0] != loop]
        how = pick.random()
        if loop and how < 0.5:
            places.append(loop)
        elif loop and how < 0.7:
            places.append(pick.choice([f"{extent} - 1 - {loop}", f"({loop} + 1) % ({extent})" if extent != "0" else loop, f"T.max({loop} - 1, 0)", f"T.min({loop} + 2, {extent} - 1)", f"{loop} // 2"]))
        elif loop and how < 0.85:
            k = pick.choice([1, 1, 2, 3])
            if pick.random() < 0.5:
                places.append(f"{loop} - {k}")
                conditions.append(pick.choice([f"{loop} >= {k}", f"{loop} - {k} >= 0", f"{k} <= {loop}", f"not ({loop} < {k})", f"{loop} > {k - 1}"]))
            else:
                places.append(f"{loop} + {k}")
                conditions.append(pick.choice([f"{loop} + {k} < {extent}", f"{loop} < {extent} - {k}", f"{extent} - {k} > {loop}", f"not ({loop} >= {extent} - {k})"]))
        elif how < 0.95:
            places.append(f"T.min(T.max({pick.choice([any_loop, any_loop + ' - 1', f'I[{any_loop} % 9]', 'p'])}, 0), {extent} - 1)")
            conditions.append(f"{extent} > 0")
        else:
            places.append("0")
            conditions.append(f"{extent} > 0")
    if f.faults and pick.random() < 0.3:
        conditions = []
    conditions = [c for c in conditions if f.symbolic or not (c.endswith("> 0") and c.split()[0].isdigit() and int(c.split()[0]) > 0)]
    return places, " and ".join(conditions) or None


def read(pick, f, loops, dtype, sources):
    """A value of a type."""
    name, shape, kind = pick.choice(sources)
    places, condition = at(pick, f, loops, shape)
    text = f"{name}[{', '.join(places)}]"
    if condition:
        other = f.number(kind, pick.choice([0, 1]))
        form = pick.random()
        if form < 0.8:
            text = f"T.if_then_else({condition}, {text}, {other})"
        else:
            negated = f"not ({condition})"
            text = f"T.if_then_else({negated}, {other}, {text})"
    return text if kind == dtype else f'T.cast({text}, "{dtype}")'


def value(pick, f, loops, dtype, sources):
    get = lambda: read(pick, f, loops, dtype, sources)
    is_float = "float" in dtype
    loop = pick.choice(loops)[0] if loops else "0"
    how = pick.random()
    if how < 0.4:
        return get()
    if how < 0.7:
        return pick.choice([f"{get()} + {f.number(dtype, 1)}", f"{get()} * {get()}", f"{get()} - {get()}", f"T.max({get()}, {f.number(dtype, 0)})",
                            f"{get()} * {f.number(dtype, 3)} + {get()}"])
    if how < 0.85:
        return f"T.{pick.choice(['if_then_else', 'Select'])}({pick.choice([f'{loop} < 2', f'{loop} % 2 == 0', f'{get()} > {f.number(dtype, 1)}', 'p > 3'])}, {get()}, {get()})"
    if is_float:
        return pick.choice([f"T.sqrt({get()})", f"T.exp({get()})", f"{get()} / {f.number(dtype, 3)}", f"{f.number(dtype, 0)} - {get()}"])
    return pick.choice([f"{get()} // {f.number(dtype, 3)}", f"{get()} % T.max({get()}, {f.number(dtype, 1)})"] + ([f"{get()} // {get()}"] if f.faults else []))


def nest(pick, f, indent, target, sources, whole=True):
    """A nest that stores to an array: to all of it, or to a part."""
    name, shape, dtype = target
    loops = [(f"l{f.made}_{d}", extent) for d, extent in enumerate(shape)]
    f.made += 1
    order = list(loops)
    if pick.random() < 0.15:
        pick.shuffle(order)
    if len(order) > 1 and pick.random() < 0.5:
        f.add(indent, f"for {', '.join(loop for loop, _ in order)} in T.grid({', '.join(extent for _, extent in order)}):")
        depth = indent + 1
    else:
        for d, (loop, extent) in enumerate(order):
            f.add(indent + d, f"for {loop} in {pick.choice(['range', 'range', 'range', 'T.parallel'])}({extent}):")
        depth = indent + len(order)
    if pick.random() < 0.1:
        f.add(depth, f"if {order[0][0]} {pick.choice(['>', '<', '=='])} 2:") if not whole else None
        depth += not whole and f.body[-1].strip().startswith("if")
    place = f"{name}[{', '.join(loop for loop, _ in loops)}]"
    if whole or pick.random() < 0.6:
        f.add(depth, f"{place} = {value(pick, f, loops, dtype, sources)}")
    else:
        places, condition = at(pick, f, loops, shape)
        line = f"{name}[{', '.join(places)}] = {value(pick, f, loops, dtype, sources)}"
        f.add(depth, *([f"if {condition}:", "    " + line] if condition else [line]))


def reduction(pick, f, indent, target, sources):
    name, shape, dtype = target
    loops = [(f"l{f.made}_{d}", extent) for d, extent in enumerate(shape)]
    f.made += 1
    inner = (f"r{f.made}", pick.choice(f.names + ["3"]))
    for d, (loop, extent) in enumerate(loops):
        f.add(indent + d, f"for {loop} in range({extent}):")
    depth = indent + len(loops)
    place = f"{name}[{', '.join(loop for loop, _ in loops)}]"
    f.add(depth, f"{place} = {f.number(dtype, 0)}", f"for {inner[0]} in range({inner[1]}):", f"    {place} = {place} + {read(pick, f, loops + [inner], dtype, sources)}")


def chain(pick, f):
    f.buffer("I", "int32", 9), f.scalar("p", "int32")
    for _ in range(pick.choice([1, 2, 2, 3])):
        f.parameter(f.shape(), pick.choice(f.types))
    params = list(f.arrays)
    indent = 0
    allocated = []

    def allocate(where):
        shape, dtype = pick.choice([f.shape(), pick.choice(f.arrays)[1]]), pick.choice(f.types)
        name = f"t{len(f.arrays)}"
        f.add(where, f'{name} = T.alloc_buffer(({", ".join(shape)},), "{dtype}")')
        f.arrays.append((name, shape, dtype))
        return f.arrays[-1]

    early = [allocate(0) for _ in range(pick.choice([0, 0, 1]))]
    if pick.random() < 0.15:
        f.add(0, f"for z in range({pick.choice([2, 3])}):")
        indent = 1
    ready = list(params)
    if pick.random() < 0.12:
        name, shape, dtype = pick.choice(params)
        f.add(indent, f'W = T.decl_buffer(({count_of(shape)},), "{dtype}", data={name}.data)')
        f.arrays.append(("W", (count_of(shape),), dtype))
        ready.append(f.arrays[-1])
        params.append(f.arrays[-1])
    temporaries = []
    for _ in range(pick.choice([2, 3, 3, 4, 6])):
        how = pick.random()
        recent = (temporaries[-2:] * 3 + ready) if temporaries else ready
        if how < 0.6:
            target = early.pop() if early else allocate(indent)
            (reduction if pick.random() < 0.12 else nest)(pick, f, indent, target, recent)
            temporaries.append(target)
            ready.append(target)
        elif how < 0.85:
            nest(pick, f, indent, pick.choice(params), recent, pick.random() < 0.5)
        elif temporaries:
            nest(pick, f, indent, pick.choice(temporaries), recent, pick.random() < 0.5)
    # What is computed has to come out.
    guarded = pick.random()
    for target in pick.sample(params, 1) + ([pick.choice(params)] if pick.random() < 0.3 else []):
        if guarded < 0.12:
            f.add(indent, f"if {pick.choice(['p > 3', 'I[0] > 2'])}:")
            nest(pick, f, indent + 1, target, temporaries or ready, pick.random() < 0.8)
        else:
            nest(pick, f, indent, target, temporaries or ready, pick.random() < 0.8)


def moved(pick, loops, shape, source_shape):
    """Subscripts of the element that a copy takes, and the conditions under which it is there."""
    extents, conditions, places = source_shape, [], []
    total = 1
    flat = "0"
    for loop, extent in zip(loops, shape):
        total *= extent
        flat = f"{flat} * {extent} + {loop}" if flat != "0" else loop
    size = 1
    for extent in extents:
        size *= extent
    if pick.random() < 0.35:  # by number
        shift = pick.choice([0, 0, 0, 1, 3, size // 2])
        number_of = flat if shift == 0 else f"{flat} + {shift}"
        if total + shift > size:
            if pick.random() < 0.5 and size > 0:
                number_of = f"({number_of}) % {size}"
            else:
                conditions.append(f"{number_of} < {size}")
        rest = size
        for d, extent in enumerate(extents):
            rest //= max(extent, 1)
            text = f"({number_of}) // {rest}" if rest > 1 else f"({number_of})"
            places.append(text if d == 0 else f"{text} % {extent}")
        return places, conditions
    for d, extent in enumerate(extents):
        k = pick.randrange(len(shape)) if pick.random() < 0.3 or d >= len(shape) else d
        loop, own = loops[k], shape[k]
        how = pick.choice(["as is", "as is", "as is", "back", "shift", "shift", "down", "half", "one", "clamp", "digits", "twice"])
        if how == "back":
            text, low, high = f"{own - 1} - {loop}", 0, own - 1
        elif how == "shift":
            c = pick.choice([1, 2, 3, max(extent - own, 0)])
            text, low, high = f"{loop} + {c}", c, own - 1 + c
        elif how == "down":
            c = pick.choice([1, 2, extent, own // 2])
            text, low, high = f"{loop} - {c}", -c, own - 1 - c
        elif how == "half":
            text, low, high = f"{loop} // 2", 0, (own - 1) // 2
        elif how == "twice":
            text, low, high = f"{loop} * 2", 0, 2 * own - 2
        elif how == "one":
            text = str(pick.randrange(extent))
            low = high = int(text)
        elif how == "clamp":
            text = f"T.min(T.max({loop} - {pick.choice([1, 2])}, 0), {extent - 1})"
            low, high = 0, extent - 1
        elif how == "digits":
            text, low, high = f"{loop} % {extent}", 0, extent - 1
        else:
            text, low, high = loop, 0, own - 1
        if low < 0:
            conditions.append(pick.choice([f"{text} >= 0", f"0 <= {text}", f"not ({text} < 0)", f"{text} > -1"]))
        if high >= extent:
            conditions.append(pick.choice([f"{text} < {extent}", f"{text} <= {extent - 1}", f"not ({text} >= {extent})", f"{extent} > {text}"]))
        places.append(text)
    return places, conditions


class Moves(Function):
    """Copies of parts of arrays after each other, whose elements may be operated on, and stores between them."""

    def __init__(self, pick):
        super().__init__(pick)
        self.sizes = [pick.choice([1, 2, 3, 4, 6, 8, 9, 16, 20]) for _ in range(3)]
        self.dtype = pick.choice(TYPES)
        self.other = pick.choice(TYPES) if pick.random() < 0.3 else self.dtype
        self.plain = pick.random() < 0.5
        self.loops = 0

    def shape(self):
        a, b, c = self.sizes
        return self.pick.choice([(a,), (a, b), (a, b), (b, a), (a * b,), (a + b,), (a, b + c), (a, b, c), (a, b * c), (b, c), (a * b, c), (a, 1, b), (a * b * c,), (1, a)])

    def taken(self, loops, shape, source, dtype):
        name, extents, kind = source
        places, conditions = moved(self.pick, loops, shape, extents)
        text = f"{name}[{', '.join(places)}]"
        if conditions:
            other = number(kind, self.pick.choice([0, 1]))
            text = f"T.if_then_else({' and '.join(conditions)}, {text}, {other})"
        return text if kind == dtype else f'T.cast({text}, "{dtype}")'

    def value(self, loops, shape, sources, dtype):
        pick = self.pick
        get = lambda: self.taken(loops, shape, pick.choice(sources), dtype)
        how = pick.random() * (0.7 if self.plain else 1)
        if how < 0.4:
            return get()
        if how < 0.7:
            k = pick.randrange(len(shape))
            where = pick.choice([f"{loops[k]} < {pick.randrange(shape[k] + 1)}", f"{loops[k]} >= {pick.randrange(shape[k] + 1)}", f"{loops[k]} % 2 == 0", f"{loops[k]} == 0"])
            return f"T.if_then_else({where}, {get()}, {get()})"
        if how < 0.95:
            return pick.choice([f"{get()} + {number(dtype, 1)}", f"{get()} * {number(dtype, 3)}", f"{get()} + {get()}", f"{get()} * {get()} + {get()}",
                                f"T.max({get()}, {number(dtype, 0)})", f"{get()} * {get()} - {get()}"])
        return f"T.exp({get()})" if dtype in FLOATING else f"{get()} // {number(dtype, 3)}"

    def nest(self, indent, target, sources):
        name, shape, dtype = target
        loops = [f"i{self.loops}_{d}" for d in range(len(shape))]
        self.loops += 1
        if self.pick.random() < 0.6:
            self.add(indent, f"for {', '.join(loops)} in T.grid({', '.join(map(str, shape))}):")
            depth = indent + 1
        else:
            for d, loop in enumerate(loops):
                self.add(indent + d, f"for {loop} in range({shape[d]}):")
            depth = indent + len(loops)
        self.add(depth, f"{name}[{', '.join(loops)}] = {self.value(loops, shape, sources, dtype)}")


FLOATING = ("float16", "bfloat16", "float32", "float64")


def moves(pick, f):
    inputs = []
    for k in range(pick.choice([1, 2, 2, 3])):
        shape, dtype = f.shape(), pick.choice([f.dtype, f.dtype, f.other])
        f.buffer(f"X{k}", dtype, *shape)
        inputs.append((f"X{k}", shape, dtype))
    outputs = []
    for k in range(pick.choice([1, 1, 2])):
        shape, dtype = f.shape(), pick.choice([f.dtype, f.dtype, f.other])
        f.buffer(f"Y{k}", dtype, *shape)
        outputs.append((f"Y{k}", shape, dtype))
    f.scalar("p", "int32")
    indent = 0
    temporaries, n, stores = [], pick.choice([1, 1, 2, 3, 4, 5]), pick.random() < 0.35
    allocated = [(f"t{k}", f.shape(), pick.choice([f.dtype, f.dtype, f.other])) for k in range(n)]
    before = pick.random() < 0.4
    around = pick.random() < 0.15
    if before:
        f.add(0, *(f'{name} = T.alloc_buffer({shape}, "{dtype}")' for name, shape, dtype in allocated))
    if around:
        f.add(0, "for z in range(2):")
        indent = 1
    if pick.random() < 0.08:
        name, shape, dtype = inputs[0]
        size = 1
        for extent in shape:
            size *= extent
        f.add(indent, f'W = T.decl_buffer(({size},), "{dtype}", data={name}.data)')
        inputs.append(("W", (size,), dtype))
    for k, target in enumerate(allocated):
        if not before:
            f.add(indent, f'{target[0]} = T.alloc_buffer({target[1]}, "{target[2]}")')
        f.nest(indent, target, temporaries[-1:] * 3 + temporaries + inputs)
        temporaries.append(target)
        if stores and pick.random() < 0.5:
            written = pick.choice(inputs + outputs + temporaries[:1])
            f.nest(indent, written, [pick.choice(inputs)] if written[0].startswith("t") else temporaries + inputs)
    for target in outputs:
        f.nest(indent, target, temporaries[-2:] * 2 + temporaries)


def make(seed):
    pick = random.Random(f"temporaries {seed}")
    if pick.random() < 0.75:
        f = Moves(pick)
        moves(pick, f)
    else:
        f = Chain(pick)
        chain(pick, f)
    return f.text(f"f{seed}")


if __name__ == "__main__":
    sys.exit(main(make, __doc__, 100))
