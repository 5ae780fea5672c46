"""Random loops that can fail in several ways, compared by `differential` with the oracle: on every instruction set, with each pass
off, with several threads.

    traps.py [--differential PATH] [--seed N] [--count N] [--print]

Divisions and remainders by elements that may be 0, subscripts by elements that may lie outside, places outside in some iterations,
assertions, extents and steps that may be less than they may be: which of them a call ends with is that of the program's order,
whatever becomes lanes, changes places, is computed ahead, taken apart or joined. In reductions in any order of their loops, blocks
with inits, lanes with loops of their own, chains of temporaries, scatters, searches, recurrences, under conditions. Ends with
`N passed, N failed`; exit status 1 on failure."""

import re
import sys

from irregular import Function, main, maker

EXTENTS = (1, 2, 3, 4, 5, 8, 8, 9, 16, 17, 20, 33)
TYPES = ("int32", "int32", "int64", "int8", "uint8", "int16")


class Failing(Function):
    """Arrays of small numbers by loops' names, and values of them that may fail."""

    def __init__(self, pick):
        super().__init__(pick)
        self.dtype = pick.choice(TYPES)
        self.size = {loop: pick.choice(EXTENTS) for loop in "ijk"}
        if pick.random() < 0.2:
            self.size[pick.choice("ijk")] = pick.choice([65, 100, 130, 300])
        self.symbolic = pick.random() < 0.25
        self.ways = pick.sample(["divide", "index", "place", "divide", "index"], pick.choice([2, 2, 3]))
        if self.symbolic:
            self.add(0, "n_i, n_j, n_k = T.int32(), T.int32(), T.int32()")
            for loop in "ijk":
                self.buffer(f"E{loop}", "int8", f'"n_{loop}"')

    def extent(self, loop):
        return f"n_{loop}" if self.symbolic else str(self.size[loop])

    def array(self, loops, dtype=None):
        """An element of an array of its own for the iterations of some loops."""
        name = f"A{len(self.params)}"
        shape = [f'"n_{loop}"' if self.symbolic else self.size[loop] for loop in loops] or [1]
        self.buffer(name, dtype or self.dtype, *shape)
        return f"{name}[{', '.join(loops) or '0'}]"

    def small(self, loops, types=("int8", "int8", "int32")):
        """A number of -19 to 19, or rarely any."""
        return f'T.cast({self.array(loops, self.pick.choice(types))}, "int32")'

    def number(self):
        name = self.scalar(f"p{len(self.params)}", "int32")
        return self.pick.choice([name, f"({name} // 2)", f"({name} + {self.pick.choice([0, 1])})", f"T.max({name}, 0)"])

    def cast(self, value):
        return value if self.dtype == "int32" else f'T.cast({value}, "{self.dtype}")'

    def outside(self, loops):
        """An element whose place lies outside in the last iterations, or nowhere."""
        name = f"A{len(self.params)}"
        if self.symbolic or not loops:
            return self.array(loops)
        shape = [max(self.size[loop] - self.pick.choice([0, 0, 0, 0, 1]), 1) for loop in loops]
        self.buffer(name, self.dtype, *shape)
        return f"{name}[{', '.join(loops)}]"

    def failing(self, loops, way=None):
        """A value that may fail in one way."""
        pick = self.pick
        used = "".join(loop for loop in loops if pick.random() < 0.8)
        way = way or pick.choice(self.ways)
        if pick.random() < 0.15:  # the same for all iterations, or for those of some loops
            divisor = pick.choice([self.number()] * 4 + list(used) + (["n_i"] if self.symbolic else []))
            return f"({self.array(used)} {pick.choice(['//', '%'])} {self.cast(divisor)})"
        rarely = pick.random() < 0.4
        if way == "divide":
            zero = f"{self.small(used)} * 32 + {self.small(loops)}" if rarely else f"{self.small(used)}"
            a, b = self.array(used), f"({zero} - {pick.choice([0, 0, 3, -2, 12])})"
            how = pick.choice(["//", "%", "truncdiv", "truncmod"])
            return f"({a} {how} {self.cast(b)})" if how in ("//", "%") else f"T.{how}({a}, {self.cast(b)})"
        if way == "index":
            name = f"X{len(self.params)}"
            self.buffer(name, self.dtype, pick.choice([76, 75]) if rarely else pick.choice([38, 38, 39, 36]))
            return f"{name}[{self.small(used)} + {f'{self.small(loops)} + 37' if rarely else pick.choice([19, 19, 18])}]"
        return self.outside(loops)

    def value(self, loops):
        pick = self.pick
        parts = [self.failing(loops) for _ in range(pick.choice([1, 2, 2, 2, 3]))]
        if pick.random() < 0.3:
            parts.insert(pick.randrange(len(parts) + 1), self.array(loops))
        if pick.random() < 0.2:
            k = pick.randrange(len(parts))
            choice = pick.choice(["T.if_then_else", "T.Select"])
            parts[k] = f"{choice}({self.condition(loops)}, {parts[k]}, {self.array(loops)})"
        text = parts[0]
        for part in parts[1:]:
            text = pick.choice([f"{text} + {part}", f"{text} * {part}", f"T.max({text}, {part})", f"{text} - {part}"])
        return text

    def condition(self, loops):
        pick = self.pick
        tests = [f"{self.small(loops)} > {pick.choice([-15, 0, 15])}", f"{self.array(loops)} != {self.array(loops)}"]
        tests += [f"{loop} {pick.choice(['<', '>', '!='])} {self.size[loop] // 2}" for loop in loops]
        if pick.random() < 0.3:
            tests.append(f"{self.failing(loops)} > {self.cast('2')}")
        return pick.choice(tests)

    def asserted(self, loops):
        return f'assert {self.small(loops)} != {self.pick.choice([5, -7, 0])}, "no such number"'

    def loops(self, depth, order, kinds=("range",)):
        for d, loop in enumerate(order):
            kind = self.pick.choice(kinds)
            self.add(depth + d, f"for {loop} in {'range' if self.symbolic and kind == 'T.vectorized' else kind}({self.extent(loop)}):")
        return depth + len(order)

    def under(self, depth, loops, *lines):
        """Lines, at times under a condition."""
        if self.pick.random() < 0.2:
            self.add(depth, f"if {self.condition(loops)}:", *("    " + line for line in lines))
        else:
            self.add(depth, *lines)


KINDS = ("range",) * 6 + ("T.parallel", "T.vectorized", "T.unroll")


def shuffled(pick, items):
    return "".join(pick.sample(items, len(items)))


def grown(pick, a, b):
    return pick.choice([f"{a} + {b}", f"{a} + {b}", f"T.max({a}, {b})", f"T.min({b}, {a})", f"{a} - ({b})"])


def updates(pick, f):
    """Elements that get updates from loops in any order, of which some tell the element."""
    loops = pick.choice(["ij", "ij", "ijk", "ik"])
    own = pick.choice([loops[:1], loops[:1], loops[1:], loops[:2]])
    target = f.array(own)
    depth = f.loops(0, shuffled(pick, loops), ("range",))
    if pick.random() < 0.3:
        f.add(depth, f"v: {pick.choice(['T.let[T.' + f.dtype + ']', 'T.' + f.dtype])} = {f.value(loops)}")
        f.under(depth, loops, f"{target} = {grown(pick, target, 'v')} + {f.failing(loops)}")
    else:
        f.under(depth, loops, f"{target} = {grown(pick, target, f.value(loops))}")
    if pick.random() < 0.15:
        f.add(depth, f.asserted(loops))


def block(pick, f):
    """The same with a block, its init and its predicate."""
    own = pick.choice(["i", "ij"])
    target, value, zero = f.array(own), f.value("ijk"[:len(own) + 1]), pick.choice([f.cast("0"), f.failing(own)])
    loops = "ijk"[:len(own) + 1]
    rename = {loop: f"v{loop}" for loop in loops}

    def renamed(text):
        for loop, name in rename.items():
            for before, after in (("[", "]"), ("[", ","), (" ", "]"), (" ", ","), (" ", " ")):
                text = text.replace(before + loop + after, before + name + after)
        return text.replace("(i ", "(vi ").replace("(j ", "(vj ").replace("(k ", "(vk ")

    depth = f.loops(0, shuffled(pick, loops), ("range",))
    f.add(depth, 'with T.sblock("b"):')
    for loop in loops:
        f.add(depth + 1, f"v{loop} = T.axis.{'spatial' if loop in own else 'reduce'}({f.extent(loop)}, {loop})")
    if pick.random() < 0.2:
        f.add(depth + 1, f"T.where({loops[0]} != {f.size[loops[0]] // 2})")
    f.add(depth + 1, "with T.init():", f"    {renamed(target)} = {renamed(zero)}", f"{renamed(target)} = {grown(pick, renamed(target), renamed(value))}")


def elementwise(pick, f):
    """Several stores in one nest, each with values of its own."""
    loops = pick.choice(["i", "i", "ij", "ijk"])
    depth = f.loops(0, shuffled(pick, loops), KINDS)
    stored = []
    for _ in range(pick.choice([1, 2, 2, 3])):
        target = f.array(loops)
        value = f.value(loops)
        if stored and pick.random() < 0.5:
            value = f"{value} + {pick.choice(stored)}"
        f.under(depth, loops, f"{target} = {value}")
        stored.append(target)
        if pick.random() < 0.15:
            f.add(depth, f.asserted(loops))


def inner(pick, f):
    """Sums in variables, in a loop of each iteration."""
    loops = pick.choice(["i", "i", "ij"])
    depth = f.loops(0, loops, KINDS[:-2])
    inside = "ijk"[len(loops)]
    target, within = f.array(loops), loops + inside
    f.add(depth, f"s: T.{f.dtype} = {pick.choice([f.cast('0'), f.value(loops), target])}")
    f.loops(depth, shuffled(pick, inside + (pick.choice(["", "", "ijk"[len(loops) + 1:]]))))
    deep = f.body[-1].index("for") // 4 + 1
    f.under(deep, within, f"s = {grown(pick, 's', f.value(within))}")
    if pick.random() < 0.3:
        f.add(depth, f"{f.array(loops)} = {f.value(loops)}")
    f.add(depth, f"{target} = s")


def chains(pick, f):
    """Temporaries that nests behind each other make and read."""
    loops = pick.choice(["i", "ij", "ij"])
    shape = ", ".join(f.extent(loop) for loop in loops)
    steps = pick.choice([2, 2, 3])
    scratch = []
    for d in range(steps):
        if d + 1 < steps or pick.random() < 0.2:
            f.add(0, f'W{d} = T.alloc_buffer(({shape},), "{f.dtype}")')
            target = f"W{d}[{', '.join(loops)}]"
        else:
            target = f.array(loops)
        value = f.value(loops) if pick.random() < 0.8 else f.array(loops)
        if scratch:
            value = f"{pick.choice(scratch)} + {value}"
        depth = f.loops(0, loops if pick.random() < 0.7 else shuffled(pick, loops), KINDS[:-2])
        f.under(depth, loops, f"{target} = {value}")
        if scratch and pick.random() < 0.2:
            f.add(depth, f"{scratch[-1]} = {scratch[-1]} + {f.failing(loops)}")
        scratch.append(target)
    if not target.startswith("A"):
        out = f.array(loops)
        f.add(f.loops(0, loops), f"{out} = {target}")


def scratch_of_iterations(pick, f):
    """An array that each iteration of a loop fills and reads."""
    f.add(0, f"for i in range({f.extent('i')}):", f'    W = T.alloc_buffer(({f.extent("j")},), "{f.dtype}")')
    f.add(1, f"for j in range({f.extent('j')}):", f"    W[j] = {f.value('ij')}")
    if pick.random() < 0.4:
        f.add(1, f"{f.array('i')} = {f.value('i')}")
    target, how = f.array("i"), pick.choice(["sum", "row", "shift"])
    if how == "sum":
        f.add(1, f"for j in range({f.extent('j')}):", f"    {target} = {grown(pick, target, 'W[j]')} + {f.failing('ij')}")
    elif how == "row":
        f.add(1, f"for j in range({f.extent('j')}):", f"    {f.array('ij')} = W[j] + {f.failing('ij')}")
    else:
        f.add(1, f"for j in range({f.extent('j')}):", f"    {f.array('ij')} = W[{f.extent('j')} - 1 - j] + {f.failing('ij')}")


def recurrences(pick, f):
    """What is carried from iteration to iteration beside what is not: the loop is taken apart."""
    loops = pick.choice(["i", "i", "ij"])
    last = loops[-1]
    depth = f.loops(0, loops)
    row = f.array(loops)
    before = row.replace(f"{last}]", f"T.max({last} - 1, 0)]")
    lines = [f"{row} = {before} + {f.value(loops)}", f"{f.array(loops)} = {f.value(loops)}", f"{f.array(loops)} = {row} * {f.failing(loops)}"]
    if pick.random() < 0.4:
        hit = f.array("")
        lines.append(f"{hit} = {grown(pick, hit, f.value(loops))}")
    if pick.random() < 0.4:
        f.buffer("H", f.dtype, 40)
        place = f"H[{f.small(loops)} + {pick.choice([20, 19])}]"
        lines.append(f"{place} = {place} + {f.failing(loops)}")
    for line in pick.sample(lines, min(len(lines), pick.choice([1, 2, 3]))):
        f.under(depth, loops, line)


def carried(pick, f):
    """Variables that a loop carries: the last value, a least one and its place, a count of what is stored."""
    n = f.extent("i")
    f.buffer("R", f.dtype, 4), f.buffer("P", "int32", 4)
    how = pick.choice(["last", "best", "pack", "while", "leave", "found"])
    value = f.value("i")
    if how == "last":
        f.add(0, "v: T." + f.dtype + " = R[0]", f"for i in range({n}):", f"    if {f.condition('i')}:", f"        v = {value}", f"    {f.array('i')} = {f.value('i')}", "R[1] = v")
    elif how == "best":
        f.add(0, f"b: T.{f.dtype} = R[0]", "p: T.int32 = 0", f"for i in range({n}):", f"    v: T.let[T.{f.dtype}] = {value}", f"    if v {pick.choice(['<', '>', '<='])} b:", "        b = v", "        p = i",
              "R[1] = b", "P[1] = p")
    elif how == "pack":
        f.add(0, "c: T.int32 = 0", f"for i in range({n}):", f"    if {f.condition('i')}:", f"        {f.array('i').split('[')[0]}[c] = {value}", "        c = c + 1", "P[0] = c")
    elif how == "while":
        counted = lambda text: re.sub(r"\bi\b", "c", text)
        f.add(0, "c: T.int32 = 0", f"while c < {n}:", f"    {counted(f.array('i'))} = {counted(value)}", "    c = c + 1")
    elif how == "leave":
        f.add(0, f"for i in range({n}):", f"    if {f.condition('i')}:", "        break", f"    {f.array('i')} = {value}", f"P[0] = 1")
    else:
        f.add(0, f"for i in range({n}):", "    c: T.int32 = 0", f"    while c < {f.extent('j')} and {f.failing('i')} < {f.cast('3')}:", "        c = c + 1", "    P[0] = P[0] + c",
              f"    {f.array('i')} = {f.value('i')}")


def products(pick, f):
    """Sums of products, with factors that may fail."""
    order = shuffled(pick, "ijk")
    target = f.array("ij")
    if pick.random() < 0.5:
        depth = f.loops(0, "ij")
        f.add(depth, f"{target} = {pick.choice([f.cast('0'), f.failing('ij')])}")
    depth = f.loops(0, order)
    a, b = pick.choice([f.failing("ik"), f.array("ik"), f.failing("i")]), pick.choice([f.failing("jk"), f.array("kj"), f.failing("j")])
    f.under(depth, "ijk", f"{target} = {target} + {a} * {b}")
    if pick.random() < 0.4:
        f.add(f.loops(0, "ij"), f"{target} = {target} + {f.failing('ij')}")


def sizes(pick, f):
    """Extents of what is allocated, steps of loops and parts of arrays that data choose."""
    how = pick.choice(["step", "alloc", "both", "bounds"])
    f.add(f.loops(0, "i"))
    step, extent = f"{f.small('i')} + {pick.choice([2, 19, 19])}", f"{f.small('i', ['int8'])} + {pick.choice([18, 19])}"
    first, last = f.array("i"), f.array("i")
    if pick.random() < 0.6:
        f.add(1, f"{first} = {f.failing('i')}")
    if how in ("alloc", "both"):
        f.add(1, f'W = T.alloc_buffer(({extent},), "{f.dtype}")', f"for j in range({f.extent('j')}):", f"    if j < {extent}:", f"        W[j] = {f.failing('ij')}", f"{f.array('i')} = W[{pick.choice(['0', '1'])}]")
    elif how == "bounds":
        f.add(1, f"for j in range({f.extent('j')} // ({f.small('i')} - 3)):", f"    {f.array('ij')} = {f.failing('i')}")
    if how in ("step", "both"):
        f.add(1, f"for j in T.serial(0, {f.extent('j')}, step={step}):", f"    {f.array('ij')} = {f.failing('ij')}")
    f.add(1, f"{last} = {f.failing('i')}")


SHAPES = (updates, updates, updates, block, elementwise, elementwise, inner, inner, chains, chains, scratch_of_iterations, recurrences, recurrences, carried, products, sizes)


if __name__ == "__main__":
    sys.exit(main(maker("traps", Failing, SHAPES), __doc__, 120))
