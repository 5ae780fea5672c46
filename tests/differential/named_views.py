"""Random programs with views whose extents, strides and places are names of an iteration, compared by `differential` with the
oracle: on every instruction set, with each pass off, with several threads.

    named_views.py [--differential PATH] [--seed N] [--count N] [--print]

A loop names how wide the rows of its views are, how far apart and where they begin, from what memory says or by arithmetic; its
nests read and store through them: copies, sums, products, temporaries, windows, choices, whiles, parts of rows, in one loop
or two, with breaks. Ends with `N passed, N failed`; exit status 1 on failure."""

import random
import sys

from irregular import main, number

ROWS, LEAST, SPREAD = 5, 6, 5  # rows of a view; its least width, and by how many elements it may be wider
TYPES = ("int32", "int32", "float32", "int8", "uint8", "int64", "float64")


class Program:
    """A function of arrays without shape, seen through views that each iteration lays out anew."""

    def __init__(self, seed):
        self.pick = pick = random.Random(f"named views {seed}")
        self.name, self.lines, self.n = f"f{seed}", [], 0
        self.outer = pick.choice([1, 2, 3, 7, 16, 17, 40, 64])
        self.dtype = pick.choice(TYPES)
        self.second = pick.choice([self.dtype, pick.choice(TYPES)])
        self.symbolic = pick.random() < 0.25
        self.width = pick.choice([LEAST, LEAST, 4, 3])  # of rows, in loops that all views have room for
        self.views, self.values = [], []

    def fresh(self, stem):
        self.n += 1
        return f"{stem}{self.n}"

    def add(self, depth, *lines):
        self.lines += ["        " + "    " * depth + line for line in lines]

    def width_of(self, counter):
        """How wide a view is: from LEAST to LEAST + SPREAD - 1."""
        pick = self.pick
        at = pick.choice([counter, counter, f"(63 - {counter})", f"({counter} * 5 + 3) % 64"])
        return pick.choice([f"N[{at}] % {SPREAD} + {LEAST}", f"T.max(T.min(N[{at}], {SPREAD - 1}), 0) + {LEAST}",
                            f"T.Cast(\"int32\", M[{at}]) % {SPREAD} + {LEAST}", f"{counter} % {SPREAD} + {LEAST}",
                            f"T.if_then_else(N[{at}] > 3, {LEAST}, {LEAST + SPREAD - 1})"])

    def lay_out(self, depth, counter, memory, dtype, stores):
        """A view of ROWS rows, of which all views have LEAST elements."""
        pick, wide, view = self.pick, self.fresh("k"), self.fresh("V")
        self.add(depth, f"{wide}: T.let[T.int32] = {self.width_of(counter)}")
        shape, more = pick.choice([f"({ROWS}, {wide})"] * 4 + [f"({wide}, {wide})", f"({ROWS}, {LEAST})"]), ""
        how = pick.random()
        if how < 0.2 or shape.endswith(f"{LEAST})"):
            far = pick.choice([wide, f"{wide} + 2", f"{LEAST + 2}"])
            more = f", strides=[{far}, {pick.choice(['1', '1', '2'])}]"
        if pick.random() < 0.15:  # the bits of its elements as another type
            dtype = pick.choice(TYPES)
        if pick.random() < 0.35:
            more += f", elem_offset={pick.choice([counter, wide, f'{counter} * 3', f'{counter} * {wide}'])}"
        self.add(depth, f'{view} = T.decl_buffer({shape}, "{dtype}", data={memory}.data{more})')
        self.views.append((view, dtype, wide, stores))
        self.values.append((wide, "int32"))

    def own_memory(self, depth):
        """Memory as large as a view is wide, which nests have filled before they read it."""
        pick = self.pick
        name, wide, j, dtype = self.fresh("T"), pick.choice(self.views)[2], self.fresh("j"), pick.choice([self.dtype, self.second])
        self.add(depth, f'{name} = T.alloc_buffer(({ROWS}, {wide}), "{dtype}")')
        self.add(depth, f"for {j} in range({ROWS}):", f"    for {j}x in range({wide}):")
        self.add(depth + 2, f"{name}[{j}, {j}x] = {self.value(dtype, [(j, ROWS)], 1)}")
        self.views.append((name, dtype, wide, pick.random() < 0.5))

    def region(self, depth, counter):
        """A part of what an iteration stores to, matched under a name."""
        pick, name = self.pick, self.fresh("R")
        first = pick.choice([0, 0, 1])
        rows = ROWS - first
        self.add(depth, 'with T.sblock("part"):')
        self.add(depth + 1, f'{name} = T.match_buffer(O[{counter}, {first}:{ROWS}, 0:{LEAST}], ({rows}, {LEAST}), "{self.second}", strides=["{name}s", 1], offset_factor=1)')
        j, x = self.fresh("j"), self.fresh("j")
        self.add(depth + 1, f"for {j} in range({rows}):", f"    for {x} in range({self.width}):")
        counters = [(j, rows), (x, self.width)]
        self.add(depth + 3, f"{name}[{j}, {x}] = {name}[{self.place([(j, rows)], rows)}, {x}] + {self.value(self.second, counters)}")

    def as_type(self, text, have, want):
        return text if have == want else f'T.Cast("{want}", {text})'

    def element(self, dtype, row, column):
        view, of, _, _ = self.pick.choice(self.views)
        return self.as_type(f"{view}[{row}, {column}]", of, dtype)

    def place(self, counters, extent):
        """A subscript below `extent`."""
        pick = self.pick
        known = [name for name, below in counters if below <= extent]
        how = pick.random()
        if known and how < 0.75:
            name = pick.choice(known)
            below = dict(counters)[name]
            return pick.choice([name, name, f"{below - 1} - {name}", f"({name} + 1) % {extent}"])
        if how < 0.85:
            return f"N[{pick.randrange(64)}] % {extent}"
        return str(pick.randrange(extent))

    def value(self, dtype, counters, depth=2):
        pick, how = self.pick, self.pick.random()
        if depth == 0 or how < 0.4:
            return self.element(dtype, self.place(counters, ROWS), self.place(counters, LEAST))
        if how < 0.5:
            name, have = pick.choice(self.values)
            return self.as_type(name, have, dtype)
        if how < 0.55:
            return self.as_type(f"A[{self.place(counters, 6)}]", self.dtype, dtype)
        if how < 0.62:
            return number(dtype, pick.choice([0, 1, 2, 3, 5]))
        a, b = self.value(dtype, counters, depth - 1), self.value(dtype, counters, depth - 1)
        if how < 0.72:
            return f"T.{pick.choice(['if_then_else', 'Select'])}({a} < {b}, {a}, {self.value(dtype, counters, 0)})"
        if how < 0.8:
            return f"T.{pick.choice(['min', 'max'])}({a}, {b})"
        return f"({a} {pick.choice(['+', '+', '-', '*'])} {b})"

    def target(self, counter, counters):
        """What is stored to: a place of the output of this iteration, or of a view of it."""
        stored = [(view, of) for view, of, _, stores in self.views if stores]
        row, column = self.place(counters, ROWS), self.place(counters, LEAST)
        if stored and self.pick.random() < 0.45:
            view, of = self.pick.choice(stored)
            return f"{view}[{row}, {column}]", of
        return f"O[{counter}, {row}, {column}]", self.second

    def nest(self, depth, counter, outside=()):
        """Loops around stores."""
        pick, counters = self.pick, list(outside)
        for _ in range(pick.choice([1, 1, 2, 2, 3]) - len(outside)):
            name, extent = self.fresh("j"), pick.choice([self.width, ROWS, 2, 3])
            bound = str(extent)
            if extent == self.width == LEAST and pick.random() < 0.3:
                bound = pick.choice([f"{view[2]} - {pick.choice([0, 1, 5])}" for view in self.views])
            kind = pick.choice(["range"] * 7 + ["T.unroll" if bound == str(extent) else "range"])
            self.add(depth, f"for {name} in {kind}({bound}):")
            counters.append((name, extent if bound == str(extent) else LEAST + SPREAD))
            depth += 1
        for _ in range(pick.choice([1, 1, 1, 2])):
            place, dtype = self.target(counter, counters)
            value = self.value(dtype, counters)
            if pick.random() < 0.4:
                value = f"{place} {pick.choice(['+', '+', '-'])} {value}"
            if pick.random() < 0.15:
                self.add(depth, f"if {self.value('int32', counters, 1)} > {pick.choice([0, 2, 7])}:", f"    {place} = {value}")
            else:
                self.add(depth, f"{place} = {value}")
        if counters and not outside and pick.random() < 0.05:
            self.add(depth, f"if {self.value('int32', counters, 0)} == 5:", "    break")

    def scalar(self, depth, counter):
        """A sum in a variable, or a temporary that two nests share."""
        pick = self.pick
        name, dtype = self.fresh("t"), pick.choice([self.dtype, self.second])
        j, place = self.fresh("j"), None
        if pick.random() < 0.5:
            self.add(depth, f"{name}: T.{dtype} = {self.value(dtype, [], 0)}", f"for {j} in range({self.width}):")
            value = self.value(dtype, [(j, self.width)], 1)
            self.add(depth + 1, f"{name} = " + pick.choice([f"{name} + {value}", f"T.max({name}, {value})"]))
            place, have = self.target(counter, [])
            self.add(depth, f"{place} = {self.as_type(name, dtype, have)}")
            return
        i = self.fresh("j")
        self.add(depth, f'{name} = T.alloc_buffer(({self.width},), "{dtype}")', f"for {j} in range({self.width}):")
        self.add(depth + 1, f"{name}[{j}] = {self.value(dtype, [(j, self.width)])}")
        self.add(depth, f"for {i} in range({self.width}):")
        place, have = self.target(counter, [(i, self.width)])
        used = self.as_type(f"{name}[{self.place([(i, self.width)], self.width)}]", dtype, have)
        self.add(depth + 1, f"{place} = {used} + {self.value(have, [(i, self.width)], 1)}")

    def counted(self, depth, counter):
        """A while loop over a row."""
        name = self.fresh("w")
        wide = self.pick.choice(self.views)[2]
        place, have = self.target(counter, [])
        self.add(depth, f"{name}: T.int32 = 0", f"while {name} < {wide} - 1:")
        self.add(depth + 1, f"{place} = {place} + {self.element(have, self.pick.randrange(ROWS), f'{name} % {LEAST}')}", f"{name} = {name} + 1")

    def body(self, depth, counter):
        pick = self.pick
        for _ in range(pick.choice([1, 1, 2, 3])):
            stores = pick.random() < 0.3
            if self.views and pick.random() < 0.1:  # a view of a view
                view, of, _, stores = pick.choice(self.views)
                self.lay_out(depth, counter, view, of, stores)
                continue
            memory, dtype = ("O", self.second) if stores else pick.choice([("A", self.dtype), ("B", self.second)])
            self.lay_out(depth, counter, memory, dtype, stores)
        if pick.random() < 0.2:
            self.own_memory(depth)
        for _ in range(pick.choice([1, 1, 2, 3])):
            how = pick.random()
            if how < 0.08:
                self.region(depth, counter)
            elif how < 0.6:
                self.nest(depth, counter)
            elif how < 0.85:
                self.scalar(depth, counter)
            elif how < 0.92:
                self.counted(depth, counter)
            else:
                self.add(depth, f"if {self.value('int32', [], 1)} > 3:")
                self.nest(depth + 1, counter)
                self.add(depth, "else:")
                self.nest(depth + 1, counter)

    def text(self):
        pick = self.pick
        extent = "n" if self.symbolic else str(self.outer)
        depth = pick.choice([0, 0, 0, 0, 1])
        if depth:
            self.add(0, "for b in range(2):")
        head = len(self.lines)
        self.add(depth, f"for i in range({extent}):")
        self.body(depth + 1, "i")
        if not any(stores for _, _, _, stores in self.views) and pick.random() < 0.25:  # no iteration sees another one's stores
            self.lines[head] = self.lines[head].replace("range", "T.parallel")
        sizes = f'"n", {ROWS}, {LEAST}' if self.symbolic else f"{max(self.outer, 14)}, {ROWS}, {LEAST}"
        params = [f'A: T.Buffer((900,), "{self.dtype}")', f'B: T.Buffer((900,), "{self.second}")', 'N: T.Buffer((64,), "int32")',
                  'M: T.Buffer((64,), "uint8")', f'O: T.Buffer(({sizes}), "{self.second}")']
        head = [f"    @T.prim_func(s_tir=True)\n    def {self.name}({', '.join(params)}):"]
        if self.symbolic:
            head.append("        n = T.int32()")
        return "\n".join(head + self.lines) + "\n"


def make(seed):
    return Program(seed).text()


if __name__ == "__main__":
    sys.exit(main(make, __doc__, 60))
