"""Random arithmetic on bytes and words in wider integers, compared by `differential` with the oracle: on every instruction set,
with each pass off, with several threads.

    few_bits.py [--differential PATH] [--seed N] [--count N] [--print]

What is stored needs fewer bits than it is computed in: sums, products, shifts, quotients, limits, magnitudes and choices of what
is loaded from narrow memory, with names for some of it, over rows and over windows of images, under conditions at times; some of
it does need all bits. Ends with `N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

NARROW = ("uint8", "uint8", "uint8", "int8", "uint16", "int16")
WIDE = ("int32", "int32", "int32", "int64", "uint32")
FACTORS = (0, 1, 2, 3, 5, 7, 8, 16, 25, 29, 66, 77, 127, 128, 129, 150, 255, 256, 1000, 32767, 65535)
BELOW = (-1, -2, -3, -38, -74, -128, -256)
SMALL = (1, 1, 2, 3, 4, 5, 7, 16, 25, 29, 66, 77, 127, 128, 255)


class Arithmetic:
    """Values of one wide type, of places that are loaded."""

    def __init__(self, pick, f, places):
        self.pick, self.f, self.places, self.names = pick, f, places, []
        self.dtype = pick.choice(WIDE)
        self.tame = pick.random() < 0.7  # as filters of images are, most of which need 16 bits

    def cast(self, value, dtype=None):
        return f'T.Cast("{dtype or self.dtype}", {value})'

    def leaf(self):
        pick = self.pick
        how = pick.random()
        if how < 0.25:
            factors = FACTORS if self.dtype == "uint32" else FACTORS + BELOW
            return number(self.dtype, pick.choice(SMALL if self.tame else factors))
        if how < 0.29:
            return self.cast("p")
        return self.cast(pick.choice(self.names if self.names and how < 0.55 else self.places))

    def condition(self, depth):
        pick, how = self.pick, self.pick.random()
        if depth == 0 or how < 0.6:
            return f"({self.value(depth - 1)} {pick.choice(['<', '<=', '>', '>=', '==', '!='])} {self.value(depth - 1)})"
        if how < 0.85:
            return f"T.{pick.choice(['And', 'Or'])}({self.condition(depth - 1)}, {self.condition(depth - 1)})"
        return f"T.Not({self.condition(depth - 1)})"

    def choice(self, depth):
        """One of two values, or of one value and its limit, or its magnitude."""
        pick, a, b = self.pick, self.value(depth - 1), self.value(depth - 1)
        how = pick.random()
        if how < 0.2 and self.dtype != "uint32":
            zero = number(self.dtype, 0)
            return pick.choice([f"T.abs({a})", f"T.Select({a} < {zero}, {zero} - {a}, {a})", f"T.Select({a} > {zero}, {a}, -{a})"])
        if how < 0.4:
            first, second = pick.choice([(a, b), (b, a)])
            return f"T.Select({a} {pick.choice(['<', '>', '<=', '>='])} {b}, {first}, {second})"
        return f"T.{pick.choice(['Select', 'Select', 'if_then_else'])}({self.condition(depth - 1)}, {a}, {b})"

    def value(self, depth):
        pick = self.pick
        if depth <= 0:
            return self.leaf()
        if self.tame:
            return self.tame_value(depth)
        a, how = self.value(depth - 1), pick.random()
        if how < 0.42:
            return f"({a} {pick.choice('++--**')} {self.value(depth - 1)})"
        if how < 0.52:
            return f"({a} {pick.choice('&|^')} {self.value(depth - 1)})"
        if how < 0.67:
            return f"({a} {pick.choice(['>>', '>>', '<<'])} {number(self.dtype, pick.choice([0, 1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 24]))})"
        if how < 0.75:
            return f"T.{pick.choice(['min', 'max'])}({a}, {self.value(depth - 1)})"
        if how < 0.82:
            divide = pick.choice(["floordiv", "truncdiv", "floormod", "truncmod"])
            return f"T.{divide}({a}, {number(self.dtype, pick.choice([1, 2, 3, 5, 9, 255, 256]))})"
        if how < 0.93:
            return self.choice(depth)
        if how < 0.97:
            return self.cast(self.cast(a, pick.choice(NARROW)))
        return f"T.bitwise_not({a})"

    def tame_value(self, depth):
        pick, a, b = self.pick, self.value(depth - 1), self.value(depth - 2)
        how = pick.random()
        if how < 0.4:
            return f"({a} {pick.choice('++-')} {b})"
        if how < 0.6:
            return f"({a} * {pick.choice([self.leaf(), number(self.dtype, pick.choice(SMALL))])})"
        if how < 0.7:
            return f"({a} {pick.choice('&|^')} {b})"
        if how < 0.85:
            return f"({a} >> {number(self.dtype, pick.choice([1, 2, 3, 4, 8, 8, 9, 11]))})"
        if how < 0.95:
            return f"T.min(T.max({a}, {number(self.dtype, 0)}), {number(self.dtype, 255)})"
        return self.choice(depth - 1)

    def name_some(self, depth):
        """Gives some values names, which may be of other types."""
        for k in range(self.pick.choice([0, 0, 1, 2, 3])):
            dtype = self.pick.choice([self.dtype, self.dtype, self.dtype, "int64", "uint8", "int16"])
            self.f.add(depth, f"v{k}: T.{dtype} = {self.cast(self.value(self.pick.choice([1, 2, 3])), dtype)}")
            self.names.append(f"v{k}")

    def store(self, depth, out):
        """Stores to some places, which have a type each."""
        self.name_some(depth)
        for place, dtype in out:
            if self.pick.random() < 0.15:
                self.f.add(depth, f"if {self.condition(2)}:")
                self.f.add(depth + 1, f"{place} = {self.cast(self.value(3), dtype)}")
            else:
                self.f.add(depth, f"{place} = {self.cast(self.value(self.pick.choice([1, 2, 2, 3] if self.tame else [2, 3, 4, 5])), dtype)}")


def outputs(pick, f, shape, index):
    out = []
    for k in range(pick.choice([1, 1, 1, 2])):
        dtype = pick.choice(NARROW + NARROW + ("int32", "bool"))
        f.buffer(f"Y{k}", dtype, *shape)
        out.append((f"Y{k}[{index}]", dtype))
    return out


def rows(pick, f):
    n = pick.choice([1, 17, 100, 300])
    for name in "ABC":
        f.buffer(name, pick.choice(NARROW), n)
    out = outputs(pick, f, (n,), "i")
    f.scalar("p", "int32")
    f.add(0, f"for i in range({n}):")
    Arithmetic(pick, f, [f"{name}[i]" for name in "ABC"]).store(1, out)


def windows(pick, f):
    h, w = pick.choice([1, 3, 5]), pick.choice([1, 19, 70])
    f.buffer("A", pick.choice(NARROW), h + 2, w + 2)
    out = outputs(pick, f, (h, w), "y, x")
    f.scalar("p", "int32")
    f.add(0, f"for y, x in T.grid({h}, {w}):")
    Arithmetic(pick, f, [f"A[y + {dy}, x + {dx}]" for dy in range(3) for dx in range(3)]).store(1, out)


if __name__ == "__main__":
    sys.exit(main(maker("few_bits", Function, [rows, rows, windows]), __doc__, 60))
