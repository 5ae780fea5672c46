"""Random arithmetic on elements that lie apart, compared by `differential` with the oracle: on every instruction set, with each
pass off, with several threads.

    apart.py [--differential PATH] [--seed N] [--count N] [--print]

Rows, short ones more often than long, read elements some step from each other, forwards and backwards, beside what each row and
each column has for itself; and store to elements between each other, with gaps or without, of other types than are computed in.
Ends with `N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

SMALL = ("uint8", "int8", "uint16", "int16", "int32", "uint32")
ALL = SMALL + ("int64", "float32", "float64")
SHORT = (1, 2, 3, 4, 5, 8, 13, 16, 17, 31, 32, 48, 64, 97, 130)
LONG = (1, 5, 33, 64, 97, 100, 193, 300, 777)


def is_float(dtype):
    return dtype.startswith("float")


def bits(dtype):
    return int(dtype.strip("uint"))


def cast(value, dtype, to):
    return value if dtype == to else f'T.Cast("{to}", {value})'


class Rows:
    """What a function reads and stores, row by row."""

    def __init__(self, pick, f):
        self.pick, self.f, self.loads = pick, f, []
        self.rows = pick.choice([1, 1, 3, 7, 20, 33])
        self.columns = pick.choice(SHORT if self.rows > 1 else LONG)

    def any_type(self, often):
        return self.pick.choice(SMALL if self.pick.random() < often else ALL)

    def read(self, name):
        dtype, shape = self.any_type(0.75), self.pick.random()
        if shape < 0.2:
            self.loads.append((f"{self.f.buffer(name, dtype, self.rows)}[i]", dtype))
            return
        if shape < 0.4:
            self.loads.append((f"{self.f.buffer(name, dtype, self.columns)}[j]", dtype))
            return
        step, first, more = self.pick.choice([1, 1, 2, 2, 3, 4, 5, -1, -2]), self.pick.randint(0, 2), self.pick.choice([0, 1, 3])
        last = (self.columns - 1) * abs(step)
        self.f.buffer(name, dtype, self.rows, first + last + 1 + more)
        index = f"j * {step} + {first}" if step > 0 else f"{first + last} - j * {-step}"
        self.loads += [(f"{name}[i, {index} + {k}]", dtype) for k in range(min(more, 1) + 1)]

    def value(self, dtype, depth):
        pick, kind = self.pick, self.pick.random()
        if depth == 0 or kind < 0.15:
            if pick.random() < 0.2:
                return number(dtype, pick.choice([1, 2, 3, 7, 77]))
            return cast(*pick.choice(self.loads), dtype)
        a, b = self.value(dtype, depth - 1), self.value(dtype, depth - 1)
        if kind < 0.5:
            return f"({a} {pick.choice('+-*')} {b})"
        if kind < 0.6:
            return f"T.{pick.choice(['min', 'max'])}({a}, {b})"
        if kind < 0.75 and not is_float(dtype):
            return f"({a} {pick.choice('&|^')} {b})"
        if kind < 0.85 and not is_float(dtype):
            return f"({a} >> {number(dtype, pick.randint(0, min(bits(dtype) - 1, 9)))})"
        if kind < 0.92:
            c = self.value(dtype, depth - 1)
            return f"T.Select({a} {pick.choice(['<', '<=', '==', '!='])} {b}, {c}, {a})"
        other = pick.choice([t for t in ALL if is_float(dtype) or not is_float(t)])
        return cast(self.value(other, depth - 1), other, dtype)

    def stores(self, name):
        """To one to four elements of each column, which lie between each other."""
        pick, dtype = self.pick, self.any_type(0.7)
        several, gap, behind = pick.choice([1, 1, 2, 2, 3, 4]), pick.choice([0, 0, 0, 1, 2]), pick.choice([0, 0, 0, 3])
        step = several + gap
        self.f.buffer(name, dtype, self.rows, step * self.columns + behind)
        computed = dtype if is_float(dtype) else pick.choice([dtype, dtype, "int16", "uint16", "int32", "float32"])
        for k in pick.sample(range(several), several):
            place = f"{name}[i, j * {step} + {k}]"
            value = self.value(computed, pick.randint(0, 3))
            if pick.random() < 0.1:
                value = f"{cast(place, dtype, computed)} + {value}"
            if computed != dtype and is_float(computed):  # what no integer is has no meaning
                value = f'T.Cast("int32", T.max(T.min({value}, T.float32(20000)), T.float32(-20000)))'
                yield f"{place} = {cast(value, 'int32', dtype)}"
            else:
                yield f"{place} = {cast(value, computed, dtype)}"


def rows(pick, f):
    r = Rows(pick, f)
    for k in range(pick.randint(1, 3)):
        r.read(f"a{k}")
    stores = [store for k in range(pick.randint(1, 2)) for store in r.stores(f"o{k}")]
    if pick.random() < 0.3:
        pick.shuffle(stores)
    f.add(0, f"for i, j in T.grid({r.rows}, {r.columns}):")
    f.add(1, *stores)


if __name__ == "__main__":
    sys.exit(main(maker("apart", Function, [rows]), __doc__, 60))
