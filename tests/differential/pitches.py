"""Random elementwise loops over rows that lie in wider arrays, compared by `differential` with the oracle: on every instruction
set, with each pass off, with several threads.

    pitches.py [--differential PATH] [--seed N] [--count N] [--print]

Rows of a lane and of some blocks, with or without gaps between them, in one array or another of a different pitch; one row or one
element for all rows, columns, every second or third element, backwards, triples of channels, borders; in place, and several
stores; elements of all types, wider and narrower casts, choices, and expressions so long that values are in registers. Ends with
`N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
FLOATS = ("float32", "float32", "float64", "float16")
WIDTHS = (1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40)
LONG = (64, 65, 100, 129, 200, 333)
HEIGHTS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 23, 40)


class Rows:
    """A loop's rows, and the arrays that it reads and writes."""

    def __init__(self, pick, f):
        self.pick, self.f = pick, f
        self.width = pick.choice(WIDTHS if pick.random() < 0.85 else LONG)
        self.height = pick.choice(HEIGHTS)
        self.planes = pick.choice([0, 0, 0, 1, 2, 3])
        self.pitch = self.width + pick.choice([0, 0, 1, 1, 2, 3, 4, 8, max(48 - self.width, 5)])
        self.margin = pick.choice([0, 0, 0, 1, 2])  # of rows and columns around those that are gone through
        self.types = [pick.choice(INTS + FLOATS) for _ in range(pick.choice([1, 1, 2, 2, 3]))]
        self.symbolic = pick.random() < 0.25
        self.alike = pick.random() < 0.4  # all arrays have rows of one pitch, and are mostly moved and converted
        if self.alike:
            self.height, self.types = pick.choice([5, 8, 9, 16, 23, 40]), [pick.choice(INTS + FLOATS) for _ in range(3)]
            self.pitch = self.width + pick.choice([1, 1, 2, 2, 3, 4, 8])
        self.reads, self.n_buffers = [], 0
        self.end = "w" if self.symbolic else str(self.width)
        if self.symbolic:
            f.add(0, "h, w = T.int32(), T.int32()")
            f.buffer("H", "int8", '"h"'), f.buffer("W", "int8", '"w"')

    def size(self, of, more=0, times=1):
        """A height or a width, as an expression."""
        if not self.symbolic:
            return (self.height if of == "h" else self.width) * times + more
        return of + (f" * {times}" if times > 1 else "") + (f" + {more}" if more else "")

    def buffer(self, dtype, shape):
        name = f"A{self.n_buffers}"
        self.n_buffers += 1
        self.f.buffer(name, dtype, *(f'"{size}"' if isinstance(size, str) else size for size in shape))
        return name

    def plane(self, *indices):
        return "[" + ", ".join((("b",) if self.planes else ()) + indices) + "]"

    def shape(self, *extents):
        return (self.planes,) * (self.planes > 0) + extents

    def row(self, by):
        return "i" if by == 0 else f"i + {by}"

    def whole(self, dtype, pitch):
        """An array of rows, and places in it."""
        pick, m = self.pick, self.margin
        extents = self.size("h", 2 * m), self.size("w", pitch - self.width + 2 * m)
        name = self.buffer(dtype, self.shape(*extents))
        return [(f"{name}{self.plane(self.row(di + m), self.row(dj + m).replace('i', 'j'))}", dtype) for di, dj in
                [(0, 0)] + ([(pick.randint(-m, m), pick.randint(-m, m)) for _ in range(pick.choice([1, 2, 4]))] if m else [])]

    def places(self, dtype, stored):
        """A new array's elements for the lanes of a row: one or some."""
        pick, w = self.pick, self.width
        way = 0 if self.alike and pick.random() < 0.9 else pick.random()
        if way < (0.7 if stored else 0.5):
            return self.whole(dtype, self.pitch if self.alike or pick.random() < 0.8 else w + pick.choice([0, 1, 5, 16]))
        if way < 0.76:
            step = pick.choice([2, 2, 3, 4])
            name = self.buffer(dtype, self.shape(self.size("h"), self.size("w", pick.choice([0, 0, 3]), step)))
            return [(f"{name}{self.plane('i', f'j * {step} + {k}')}", dtype) for k in pick.sample(range(step), pick.randint(1, step))]
        if way < 0.84:
            channels = pick.choice([2, 3, 3, 4])
            name = self.buffer(dtype, self.shape(self.size("h"), self.size("w", pick.choice([0, 1, 4])), channels))
            return [(f"{name}{self.plane('i', 'j', str(k))}", dtype) for k in range(channels)]
        if way < 0.9:
            name = self.buffer(dtype, self.shape(self.size("h"), self.size("w", self.pitch - w)))
            return [(f"{name}{self.plane('i', f'{self.end} - 1 - j')}", dtype)]
        if way < 0.92:
            name = self.buffer(dtype, self.shape(self.size("w"), self.size("h")))
            return [(f"{name}{self.plane('j', 'i')}", dtype)]
        if way < 0.94 or stored:
            pitch, more = f"({self.size('w', self.pitch - w)})", self.pitch - w
            all_of = f"{max(self.planes, 1)} * h * (w + {more})" if self.symbolic else max(self.planes, 1) * self.height * self.pitch
            name = self.buffer(dtype, (all_of,))
            plane = f"b * ({self.size('h')} * {pitch}) + " if self.planes else ""
            return [(f"{name}[{plane}i * {pitch} + j]", dtype)]
        if way < 0.97:
            name = self.buffer(dtype, (self.size("w"),))
            return [(f"{name}[j]", dtype)]
        if way < 0.985:
            name = self.buffer(dtype, (self.size("h"),))
            return [(f"{name}[i]", dtype)]
        name = self.f.scalar(f"s{len(self.f.params)}", dtype)
        return [(name, dtype)]

    def leaf(self, dtype):
        if self.pick.random() < 0.15:
            return number(dtype, self.pick.choice([0, 1, 2, 3, 7]))
        return self.cast(dtype, *self.pick.choice(self.reads))

    def cast(self, dtype, name, own):
        return name if own == dtype else f'T.Cast("{dtype}", {name})'

    def value(self, dtype, depth):
        pick = self.pick
        if depth == 0 or pick.random() < 0.1:
            return self.cast(dtype, *pick.choice(self.reads))
        way, a, divisor = pick.random(), self.value(dtype, depth - 1), pick.choice(self.reads)
        if way < 0.12:
            other = pick.choice(self.types)
            test = f"{self.value(other, depth - 2 if depth > 1 else 0)} {pick.choice(['<', '<=', '==', '!=', '>'])} {self.leaf(other)}"
            return f"{pick.choice(['T.Select', 'T.if_then_else'])}({test}, {a}, {self.value(dtype, depth - 1)})"
        if way < 0.22:
            return f'T.Cast("{dtype}", {self.value(pick.choice(self.types), depth - 1)})'
        if way < 0.34:
            return f"T.{pick.choice(['max', 'min'])}({a}, {self.leaf(dtype)})"
        if way < 0.42 and dtype in ("float32", "float64"):
            return pick.choice([f"T.sqrt(T.abs({a}))", f"T.abs({a})", f"T.floor({a})", f"({a} / {self.cast(dtype, *divisor)})"])
        if way < 0.5 and not dtype.startswith("float"):
            return pick.choice([f"({a} & {self.leaf(dtype)})", f"({a} ^ {self.leaf(dtype)})", f"({a} >> {number(dtype, 1)})", f"({a} << {number(dtype, 2)})",
                                f"T.abs({a})" if not dtype.startswith("u") else f"({a} | {self.leaf(dtype)})", f"({a} // {number(dtype, 3)})"])
        b = self.value(dtype, depth - 1) if pick.random() < 0.5 else self.leaf(dtype)
        return f"({a} {pick.choice('+-*')} {b})"

    def write(self):
        pick, f = self.pick, self.f
        for _ in range(pick.choice([1, 1, 2, 2, 3, 4])):
            self.reads += self.places(pick.choice(self.types), False)
        if not any(dtype in self.types for _, dtype in self.reads):
            self.reads += self.whole(self.types[0], self.pitch)
        stores = []
        for _ in range(pick.choice([1] if self.alike and pick.random() < 0.6 else [1, 1, 1, 2, 2, 3])):
            changed = [(place, dtype) for place, dtype in self.reads if self.margin == 0 and "i" in place and "[" in place and "j" in place]
            if changed and pick.random() < 0.25:
                stores.append(pick.choice(changed))  # in place
                continue
            dtype = pick.choice(self.types if pick.random() < 0.8 else INTS + FLOATS)
            places = self.places(dtype, True)
            stores += [places[0]] if len({place.split("[")[1] for place, _ in places}) > 1 and self.margin else places
        depth = 0
        if self.planes:
            f.add(0, f"for b in {pick.choice(['range', 'range', 'T.parallel'])}({self.planes}):")
            depth = 1
        if pick.random() < 0.15:
            f.add(depth, f"for i, j in T.grid({self.size('h')}, {self.size('w')}):")
            depth += 1
        else:
            f.add(depth, f"for i in range({self.size('h')}):", f"    for j in range({self.size('w')}):")
            depth += 2
        for place, dtype in stores:
            value = self.value(dtype, pick.choice([0, 0, 0, 1, 1, 2] if self.alike else [0, 1, 1, 2, 2, 3, 4, 5]))
            if pick.random() < 0.15:
                k = len(f.body)
                f.add(depth, f"v{k}: T.let[T.{dtype}] = {value}")
                value = f"v{k} + {self.leaf(dtype)}"
            if pick.random() < 0.08:
                f.add(depth, f"if {self.leaf(dtype)} > {number(dtype, 1)}:", f"    {place} = {value}")
            else:
                f.add(depth, f"{place} = {value}")


def rows(pick, f):
    Rows(pick, f).write()


if __name__ == "__main__":
    sys.exit(main(maker("pitches", Function, [rows]), __doc__, 60))
