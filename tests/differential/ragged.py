"""Random loops over rows of few elements, each row of another length, compared by `differential` with the oracle: on every
instruction set, with each pass off, with several threads.

    ragged.py [--differential PATH] [--seed N] [--count N] [--print]

Triangles, bands and rows whose lengths are in memory, of no element up to some blocks; updates in place by other rows, columns
and scalars of the row, forwards, backwards, by steps and by index; sums, products and extremes of a row; at times beyond the end
of an array. Ends with `N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import FLOATS, INTS, Function, computed, inside, main, maker, number


class Rows:
    """Loops over rows, and what is read and written in them."""

    def __init__(self, pick, f):
        self.pick, self.f = pick, f
        self.n = pick.choice([6, 9, 12, 17, 24, 40])
        self.dtype = pick.choice(["float32", "float32", "float64", "int32"] + list(FLOATS + INTS))
        self.beyond = pick.random() < 0.08
        more, is_symbolic = pick.choice([0, 0, 3]), pick.random() < 0.3
        f.add(0, "n = T.int32()" if is_symbolic else f"n: T.let[T.int32] = {self.n}")
        n, pitch = ('"n"', f'"n + {more}"') if is_symbolic else (self.n, self.n + more)
        for name, shape in (("A", (n, pitch)), ("B", (n, pitch)), ("x", (n,)), ("y", (n,))):
            f.buffer(name, self.dtype, *shape)
        f.buffer("L", "int32", self.n), f.buffer("N", "int8", n)

    def end(self, row):
        """Behind how many elements a row ends."""
        more = " + 1" if self.beyond else ""
        return self.pick.choice([row, f"{row} + 1{more}", f"n - {row}{more}", f"T.min({row}, 7)", f"T.min({row} % 5 + 1, n)", f"T.min(n, {row} + 3)",
                                 f"T.min(T.max(L[{inside(row, self.n)}] * 3, 0), n)", f"T.min(L[{inside(row, self.n)}] & 15, n)"])

    def element(self, row, lane):
        return self.pick.choice([f"A[{row}, {lane}]", f"B[{row}, {lane}]", f"B[{row}, {lane}]", f"x[{lane}]", f"x[{lane}]", f"y[{row}]", f"B[{lane}, {row}]",
                                 f"x[n - 1 - {lane}]", f"B[{row}, n - 1 - {lane}]", f"x[T.min(T.max(L[{inside(lane, self.n)}], 0), n - 1)]"])

    def value(self, row, lane):
        names = [self.element(row, lane) for _ in range(self.pick.choice([1, 2, 2, 3, 4]))]
        return computed(self.pick, self.pick.choice([1, 1, 2, 3, 5]), names, self.dtype)

    def lanes(self, depth, row, others):
        """A loop over the lanes of a row; `others`: rows that are read as well."""
        pick, f, lane = self.pick, self.f, "k"
        begin = pick.choice(["", "", "", f"T.max({row} - 3, 0), ", f"{row}, "])
        way = pick.random()
        if way < 0.3:
            f.add(depth, f"y[{row}] = {number(self.dtype, 0)}") if pick.random() < 0.7 else None
            f.add(depth, f"for {lane} in range({begin}{self.end(row)}):")
            value = self.value(pick.choice(others), lane).replace(f"y[{row}]", f"x[{lane}]")
            how = pick.choice([f"y[{row}] + {value}", f"y[{row}] - {value}", f"T.max(y[{row}], {value})", f"T.min({value}, y[{row}])"])
            f.add(depth + 1, f"y[{row}] = {how}")
            return
        f.add(depth, f"for {lane} in range({begin}{self.end(row)}):")
        for _ in range(pick.choice([1, 1, 1, 2])):
            place = pick.choice([f"A[{row}, {lane}]"] * 4 + [f"A[{lane}, {row}]", f"A[{row}, n - 1 - {lane}]"])
            value = self.value(pick.choice(others), lane)
            if pick.random() < 0.5:
                value = f"{place} {pick.choice('+-*')} {value}"
            f.add(depth + 1, f"{place} = {value}")

    def write(self):
        pick, f = self.pick, self.f
        f.add(0, "for i in range(n):")
        if pick.random() < 0.5:
            self.lanes(1, "i", ["i"])
            return
        f.add(1, f"for j in range({pick.choice(['i', 'i + 1', 'i, n', 'n', 'T.min(n, 4)'])}):")
        self.lanes(2, pick.choice(["i", "i", "j"]), ["i", "j", "j"])


def rows(pick, f):
    Rows(pick, f).write()


if __name__ == "__main__":
    sys.exit(main(maker("ragged", Function, [rows]), __doc__, 60))
