"""Random programs in which unlike parts of the language meet, compared by `differential` with the oracle: on every instruction set,
with each pass off, with several threads.

    crossings.py [--differential PATH] [--seed N] [--count N] [--print]

Loops up, down, by steps, parallel, unrolled and vectorized, while loops with counters of any width, in each other; state of narrow
types that iterations hand on; memory that each iteration allocates, in parallel loops too; parameters whose strides are variables;
vectors with strides of either sign; stores behind conditions of data, state and places; sums, extremes and choices in elements of
every type, bools and small floats among them; leaving and going on; over a few elements, or more than threads and strips
share. Ends with `N passed, N failed`; exit status 1 on failure."""

import math
import random
import sys

import irregular
from mixtures import FLOATS, INTS, NUMBERS, UNSIGNED, Nest, number

SMALL_FLOATS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e8m0fnu")
EXTENTS = (1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 64, 65, 100)
LONG = (1023, 1025, 4097, 16383, 16385, 20011, 33000)
COUNTERS = ("int32", "int32", "int64", "uint8", "int8", "uint16", "int16", "uint32", "uint64")
MOST_DEPTH, MOST_LINES = 4, 28
LONG_SHARE = 0.12  # of the programs: over more than threads and strips share


class Program(Nest):
    """A function of a few arrays over the extents n and m, and a tree of statements."""

    def __init__(self, seed):
        self.pick = pick = random.Random(f"crossings {seed}")
        self.name = f"f{seed}"
        self.long = pick.random() < LONG_SHARE
        self.sizes = {"n": pick.choice(LONG if self.long else EXTENTS), "m": pick.choice((1, 2, 3) if self.long else EXTENTS)}
        self.symbolic = pick.random() < 0.35
        if self.symbolic and not self.long:  # the call chooses, and numbers of its choice are larger
            self.sizes = {"n": 40, "m": 40}
        some = pick.choice([NUMBERS, ("int8", "uint8", "bool", "int16"), ("uint8", "int32", "float16"), FLOATS + ("uint8",), pick.sample(NUMBERS, 2)])
        self.types = ["bool"] * (pick.random() < 0.3) + [pick.choice(some) for _ in range(pick.choice([2, 3, 4]))]
        self.lines, self.names, self.params, self.strides, self.arrays, self.made = [], [], [], [], [], 0
        self.counters = []  # expressions of int32 with how large they can get, and as which extent
        for k, dtype in enumerate(self.types + [pick.choice(SMALL_FLOATS)] * (pick.random() < 0.15)):
            self.parameter(f"B{k}", dtype, pick.choice([("n",), ("n",), ("n", "m"), ("n", "m"), ("m",), ("m", "n")]))
        self.packs = []  # arrays whose elements are vectors
        if pick.random() < 0.12:
            lanes, dtype = pick.choice([2, 4, 8]), pick.choice([t for t in self.types if t != "bool"] or ["int8"])
            self.packs = [("P", dtype, lanes), ("Q", pick.choice([dtype, dtype, pick.choice(NUMBERS)]), lanes)]
            for name, of, _ in self.packs:
                self.params.append(f'{name}: T.Buffer((5,), "{of}x{lanes}")')
        if self.symbolic:
            self.parameter("E", "int8", ("n", "m"))
        self.state = [(f"z{k}", pick.choice(self.types)) for k in range(pick.choice([0, 1, 1, 2]))]
        self.faults = pick.random() < 0.06

    def extent(self, name):
        return name if self.symbolic else str(self.sizes[name])

    def parameter(self, name, dtype, dims):
        """An array; at times its strides are what the call gives it."""
        shape = ", ".join(f'"{d}"' if self.symbolic else str(self.sizes[d]) for d in dims)
        strides = ""
        if self.pick.random() < 0.15:
            steps = [f"{name}_s{d}" for d in range(len(dims))]
            if len(dims) > 1 and self.pick.random() < 0.4:
                steps[-1] = "1"
            strides = f", strides=({', '.join(s if s == '1' else chr(34) + s + chr(34) for s in steps)},)"
        self.params.append(f'{name}: T.Buffer(({shape},), "{dtype}"{strides})')
        self.arrays.append((name, dtype, dims))

    # ---- values: those of Nest, with places in these arrays

    def index(self, dim, plain=False):
        """A place within an extent."""
        pick, n, size = self.pick, self.extent(dim), self.sizes[dim]
        fitting = [text for text, most, of in self.counters if of == dim or (not self.symbolic and most < size)]
        if fitting and (plain or pick.random() < 0.65):
            return pick.choice(fitting)
        v = pick.choice([text for text, _, _ in self.counters] or ["0"])
        if self.faults and pick.random() < 0.05:
            return f"{v} + 1"
        if pick.random() < 0.2:
            v = self.number_of(pick.choice(INTS))
        c = pick.choice([1, 1, 2, 7])
        return pick.choice([f"T.min(T.max({v} - {c}, 0), {n} - 1)", f"T.floormod({v} + {c}, {n})", f"T.min(T.abs({v}) // {c + 1} % {n}, {n} - 1)",
                            f"({n} - 1 - T.min(T.max({v}, 0), {n} - 1))", f"T.min(({v} & {c}), {n} - 1)", "0", f"({n} - 1)"])

    def number_of(self, dtype):
        """What an element or a variable of that type, or another one, is as an int32."""
        names = [name for name, of in self.names if of == dtype]
        value = self.pick.choice(names) if names else self.load(dtype)
        return f'T.cast({value}, "int32")' if dtype != "int32" else value

    def place(self, buffer, plain):
        name, _, dims = buffer
        return f"{name}[{', '.join(d if isinstance(d, int) and plain else self.index(d, plain) if isinstance(d, str) else self.within(d) for d in dims)}]"

    def within(self, size):
        """A place within so few elements of memory of an iteration's own."""
        v = self.pick.choice([text for text, _, _ in self.counters] or ["0"])
        return self.pick.choice([f"T.floormod({v}, {size})", str(self.pick.randrange(size)), f"T.min(T.max({v}, 0), {size - 1})"])

    @property
    def buffers(self):
        return self.arrays

    @property
    def loops(self):
        return [(text, self.extent(of or "n")) for text, _, of in self.counters] or [("0", self.extent("n"))]

    def load(self, dtype):
        pick = self.pick
        names = [name for name, of in self.names if of == dtype]
        if names and pick.random() < 0.45:
            return pick.choice(names)
        fitting = [b for b in self.arrays if b[1] == dtype]
        buffer = pick.choice(fitting) if fitting and pick.random() < 0.85 else pick.choice(self.arrays)
        text = f"{buffer[0]}[{', '.join(self.index(d) if isinstance(d, str) else self.within(d) for d in buffer[2])}]"
        return text if buffer[1] == dtype else f'T.cast({text}, "{dtype}")'

    def value(self, dtype, depth, known=True):
        return f"({super().value(dtype, depth, known)})" if dtype == "bool" else super().value(dtype, depth, known)

    # ---- statements

    def add(self, depth, *lines):
        self.lines += ["    " * depth + line for line in lines]

    def fresh(self, letter):
        self.made += 1
        return f"{letter}{self.made}"

    def target(self, plain=True):
        """Where a statement writes, as text and type."""
        pick = self.pick
        variables = [v for v in self.state if v in self.names]
        if variables and pick.random() < 0.3:
            return pick.choice(variables)
        buffer = pick.choice(self.arrays)
        text = f"{buffer[0]}[{', '.join(self.index(d, plain or pick.random() < 0.7) if isinstance(d, str) else self.within(d) for d in buffer[2])}]"
        return text, buffer[1]

    def cast(self, value, dtype, of):
        return value if dtype == of else f'T.cast({value}, "{dtype}")'

    def assigned(self, depth):
        pick = self.pick
        text, dtype = self.target(pick.random() < 0.8)
        if dtype in SMALL_FLOATS:
            value = f'T.cast({self.value("float32", 1)}, "{dtype}")'
        elif dtype == "bool":
            value = pick.choice([self.condition(1), f"{text} {pick.choice(['and', 'or'])} ({self.condition(0)})", f"not {text}", f"T.Select({text}, {self.load('bool')}, {self.condition(0)})"])
        elif pick.random() < 0.45:
            term = self.value(dtype, pick.choice([0, 1, 2]))
            value = pick.choice([f"{text} + {term}", f"{text} + {term}", f"{term} - {text}", f"T.max({text}, {term})", f"T.min({term}, {text})", f"{text} * {term} + {self.load(dtype)}",
                                 f"T.Select({self.condition(0)}, {term}, {text})"])
        else:
            value = self.value(dtype, pick.choice([1, 2, 3]))
        self.add(depth, f"{text} = {value}")

    def guarded(self, depth):
        self.add(depth, f"if {self.condition(1)}:")
        self.block(depth + 1, 1)
        if self.pick.random() < 0.4:
            self.add(depth, "else:")
            self.block(depth + 1, 1)

    def let(self, depth):
        name, dtype = self.fresh("x"), self.pick.choice(self.types)
        self.add(depth, f"{name}: T.let = {self.value(dtype, 2)}")
        self.names.append((name, dtype))

    def memory(self, depth):
        """Memory of this iteration, which begins as zeros."""
        pick = self.pick
        name, dtype, size = self.fresh("L"), pick.choice(self.types + [pick.choice(SMALL_FLOATS)] * (pick.random() < 0.1)), pick.choice([1, 2, 4, 9, 16])
        self.add(depth, f'{name} = T.alloc_buffer(({size},), "{dtype}")')
        self.arrays.append((name, dtype, (size,)))
        if pick.random() < 0.6:
            v = self.fresh("i")
            self.add(depth, f"for {v} in range({size}):")
            self.counters.append((v, size - 1, None))
            value = f'T.cast({self.value("float32", 1)}, "{dtype}")' if dtype in SMALL_FLOATS else self.value(dtype, 1)
            self.add(depth + 1, f"{name}[{v}] = {value}")
            self.counters.pop()

    def counted(self, depth):
        """A for loop over an extent, or a part of it."""
        pick = self.pick
        dim, v = pick.choice("nnm"), self.fresh("i")
        n, size = self.extent(dim), self.sizes[dim]
        if self.long and dim == "n" and self.inside_long:
            dim, n, size = "m", self.extent("m"), self.sizes["m"]
        self.inside_long += self.long and dim == "n"
        if self.cost * size > (60000 if self.long else 6000):
            n, size, dim = str(pick.choice([1, 2, 3])), 2, None
        kind, place = pick.choice(["range", "range", "range", "T.serial", "T.parallel" if depth == 0 or pick.random() < 0.15 else "range"]), v
        if n.isdigit() and int(n) <= 16 and pick.random() < 0.15:
            kind = pick.choice(["T.unroll", "T.vectorized" if depth > 0 else "T.unroll"])
        form = pick.random()
        bounds = n
        if form < 0.15:
            place = f"({n} - 1 - {v})"
        elif form < 0.25 and kind in ("range", "T.serial"):
            bounds = f"{pick.choice([0, 1])}, {n}, {'step=' if kind == 'T.serial' else ''}{pick.choice([2, 3])}"
        elif form < 0.33 and kind != "T.vectorized":
            bounds = f"{pick.choice(['1', f'T.min({self.number_of(pick.choice(self.types))} & 7, {n})', f'{n} // 2'])}, {n}"
        elif form < 0.4 and kind not in ("T.vectorized", "T.unroll"):
            bounds = f"T.min(T.max({self.number_of(pick.choice(self.types))}, 0), {n})"
        elif form < 0.47 and kind in ("range", "T.serial"):
            bounds, place = f"T.int64(0), T.cast({n}, \"int64\")", f'T.cast({v}, "int32")'
        self.add(depth, f"for {v} in {kind}({bounds}):")
        self.nested(depth, place, size, dim, kind)
        self.inside_long -= self.long and dim == "n"

    def nested(self, depth, place, size, dim, kind="range"):
        known, arrays, state = len(self.names), len(self.arrays), self.leaves
        self.cost *= max(size, 1)
        self.counters.append((place, size - 1, dim))
        self.leaves = kind in ("range", "T.serial")
        hidden = []
        if kind in ("T.parallel", "T.vectorized"):
            hidden = [v for v in self.names if v in self.state]
            self.names = [v for v in self.names if v not in self.state]
            known = len(self.names)
        if kind == "T.vectorized":  # no while loop stands in it
            self.assigned(depth + 1)
            if self.pick.random() < 0.4:
                self.add(depth + 1, f"if {self.condition(1)}:")
                self.assigned(depth + 2)
        else:
            self.block(depth + 1, self.pick.choice([1, 2, 2, 3]))
        self.leaves = state
        self.counters.pop()
        self.cost //= max(size, 1)
        del self.names[known:], self.arrays[arrays:]
        self.names += hidden

    def searched(self, depth):
        """A while loop with a counter of any width, and at times another condition."""
        pick = self.pick
        kind, k = pick.choice(COUNTERS), self.fresh("k")
        step, most = pick.choice([1, 1, 2, 3]), pick.choice([3, 7, 20])
        if self.cost * most > 20000:
            most = 2
        up = pick.random() < 0.7
        test = f"{k} < {irregular.number(kind, most)}" if up else f"{k} > {irregular.number(kind, 0)}" if kind not in UNSIGNED or step == 1 else f"{k} >= {irregular.number(kind, step)}"
        self.add(depth, f"{k}: T.{kind} = {irregular.number(kind, 0 if up else most)}")
        if pick.random() < 0.4:
            test += f" and {self.condition(0)}"
        self.add(depth, f"while {test}:")
        first = pick.random() < 0.5
        change = f"{k} = {k} {'+' if up else '-'} {irregular.number(kind, step)}"
        if first:
            self.add(depth + 1, change)
        place = f"T.max({self.cast(k, 'int32', kind)}, 0)"
        self.nested(depth, place, most + 3, None, "range" if first else "while")  # who goes on must have counted
        if not first:
            self.add(depth + 1, change)

    def left(self, depth):
        if self.leaves and depth > 1:
            self.add(depth, f"if {self.condition(0)}:", f"    {self.pick.choice(['break', 'continue', 'continue'])}")
        else:
            self.assigned(depth)

    def vectors(self, depth):
        """Lanes that lie one after another, apart or backwards."""
        pick, lanes = self.pick, self.pick.choice([2, 3, 4, 8, 16])
        if self.packs and pick.random() < 0.7:
            return self.packed(depth)
        flat = [b for b in self.arrays if len(b[2]) == 1 and b[1] not in SMALL_FLOATS + ("bool",)
                and (b[2][0] if isinstance(b[2][0], int) else self.sizes[b[2][0]]) >= lanes and (isinstance(b[2][0], int) or not self.symbolic)]
        if not flat:
            return self.assigned(depth)
        to = pick.choice(flat)
        dtype = to[1]

        def ramp(b):
            size = b[2][0] if isinstance(b[2][0], int) else self.sizes[b[2][0]]
            step = pick.choice([s for s in (1, 1, 2, -1, -2, 3) if abs(s) * (lanes - 1) < size])
            reach = abs(step) * (lanes - 1)
            v = pick.choice([text for text, _, _ in self.counters] or ["0"])
            base = f"T.min(T.max({v}, 0), {size - 1 - reach})"
            return f"{b[0]}[T.Ramp({base}{f' + {reach}' if step < 0 else ''}, {step}, {lanes})]"

        same = [b for b in flat if b[1] == dtype]
        a, c = ramp(pick.choice(same)), ramp(pick.choice(flat if pick.random() < 0.4 else same))
        c = c if any(c.startswith(b[0] + "[") for b in same) else f'T.Cast("{dtype}x{lanes}", {c})'
        value = pick.choice([f"{a} + {c}", f"T.max({a}, {c})", f"T.Select({a} < {c}, {c}, {a})", f"{a} * T.Broadcast({self.load(dtype)}, {lanes})", a, f"{c} - {a}"])
        self.add(depth, f"{ramp(to)} = {value}")

    def packed(self, depth):
        """Elements that are vectors."""
        pick, (name, dtype, lanes) = self.pick, self.pick.choice(self.packs)
        other = next(p for p in self.packs if p[0] != name)
        a, b = f"{name}[{self.within(5)}]", f"{other[0]}[{self.within(5)}]"
        b = self.cast(b, f"{dtype}x{lanes}", f"{other[1]}x{lanes}")
        x = f"T.Broadcast({self.load(dtype)}, {lanes})"
        value = pick.choice([f"{a} + {b}", f"T.max({b}, {x})", f"T.Select({a} < {b}, {b}, {x})", f"{b} * {x} + {a}", f"{x} - {b}", b])
        self.add(depth, f"{name}[{self.within(5)}] = {value}")

    def folded(self, depth):
        """A block with a reduction of narrow or wide elements."""
        pick = self.pick
        to = [b for b in self.arrays if b[2] == ("n",) or b[2] == ("m",)]
        if self.counters or not to or self.long:
            return self.assigned(depth)
        name, dtype, (dim,) = pick.choice(to)
        if dtype in SMALL_FLOATS + ("bool",):
            return self.assigned(depth)
        other = "m" if dim == "n" else "n"
        i, j, b = self.fresh("i"), self.fresh("j"), self.fresh("b")
        loops = pick.choice([f"{i}, {j} in T.grid({self.extent(dim)}, {self.extent(other)})", f"{j}, {i} in T.grid({self.extent(other)}, {self.extent(dim)})"])
        self.add(depth, f"for {loops}:", f'    with T.sblock("{b}"):', f'        v{i}, v{j} = T.axis.remap("SR", [{i}, {j}])')
        place = f"{name}[v{i}]"
        op = pick.choice(["{0} + {1}", "{0} + {1}", "T.max({0}, {1})", "T.min({0}, {1})", "{0} * {1}"])
        if pick.random() < 0.7:
            self.add(depth + 2, "with T.init():", f"    {place} = {number(pick, dtype)}")
        self.counters = [(f"v{i}", self.sizes[dim] - 1, dim), (f"v{j}", self.sizes[other] - 1, other)]
        self.add(depth + 2, f"{place} = {op.format(place, self.value(dtype, pick.choice([0, 1, 2])))}")
        self.counters = []

    def block(self, depth, count):
        known, arrays = len(self.names), len(self.arrays)
        for _ in range(count):
            pick, how = self.pick, self.pick.random()
            if depth >= MOST_DEPTH or len(self.lines) > MOST_LINES:
                self.assigned(depth)
            elif how < (0.5 if depth == 0 else 0.2):
                self.counted(depth)
            elif how < (0.55 if depth == 0 else 0.3):
                self.searched(depth)
            elif how < 0.6 and depth == 0:
                self.folded(depth)
            elif how < 0.7:
                self.assigned(depth)
            elif how < 0.8:
                self.guarded(depth)
            elif how < 0.85:
                self.let(depth)
            elif how < 0.91:
                self.memory(depth)
            elif how < (0.99 if self.packs else 0.95):
                self.vectors(depth)
            else:
                self.left(depth)
        del self.names[known:], self.arrays[arrays:]

    def text(self):
        pick = self.pick
        self.cost, self.inside_long, self.leaves = 1, 0, False
        for name, dtype in self.state:
            self.add(0, f"{name}: T.{dtype} = {number(pick, dtype)}")
            self.names.append((name, dtype))
        self.block(0, pick.choice([1, 2, 2, 3]))
        for name, dtype in self.state:
            to = [b for b in self.arrays if b[1] == dtype]
            if to:
                self.add(0, f"{to[0][0]}[{', '.join('0' for _ in to[0][2])}] = {name}")
        head = [f"    @T.prim_func(s_tir=True)\n    def {self.name}({', '.join(self.params)}):"]
        if self.symbolic:
            head.append("        n, m = T.int32(), T.int32()")
        return "\n".join(head + ["        " + line for line in self.lines or ["pass"]]) + "\n"


def make(seed):
    return Program(seed).text()


if __name__ == "__main__":
    sys.exit(irregular.main(make, __doc__, 120))
