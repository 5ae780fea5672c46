"""Random contractions and what is made of their sums, compared by `differential` with the oracle: on every instruction set, with
each pass off, with several threads.

    epilogues.py [--differential PATH] [--seed N] [--count N] [--print]

Products of matrices, convolutions of windows, of groups, of single channels, padded, with strides and dilation, of few products and
of many; their sums in a temporary or more, or an argument, begin with a number, an element or what the nest before left; behind
them come nests that add rows, columns and other tensors, that read the sums at their place, at others, twice or in part, and store
them where they read, in a result or in what was read before. Ends with `N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

TYPES = ("float32", "float32", "float32", "float64", "int32", "float16")


class Sums:
    """A contraction with spatial loops b, o, i, j and what follows it."""

    def __init__(self, pick, f):
        self.pick, self.f, self.dtype = pick, f, pick.choice(TYPES)
        self.batch, self.rows = pick.choice([1, 1, 2, 3]), pick.choice([1, 2, 5, 8, 19, 33, 64])
        self.height, self.width = pick.choice([1, 3, 8, 13, 32]), pick.choice([1, 4, 7, 16, 33])
        self.symbolic = pick.random() < 0.25
        self.made = 0
        if self.symbolic:
            f.add(0, "n = T.int32()")
            f.buffer("N", "int8", '"n"')

    def shape(self):
        return ['"n"' if self.symbolic else self.batch, self.rows, self.height, self.width]

    def loops(self, depth=0):
        f, (b, *rest) = self.f, self.shape()
        for name, extent in zip("boij", (str(b).strip('"'), *rest)):
            f.add(depth, f"for {name} in range({extent}):")
            depth += 1
        return depth

    def tensor(self, *shape):
        self.made += 1
        return self.f.buffer(f"A{self.made}", self.dtype, *shape)

    def temporary(self, name):
        extents = ", ".join(str(extent).strip('"') for extent in self.shape())
        self.f.add(0, f'{name} = T.alloc_buffer(({extents}), "{self.dtype}")')
        return name

    def product(self):
        """The loops of a sum, as (name, extent), and its term."""
        pick, (b, *_) = self.pick, self.shape()
        if pick.random() < 0.4:  # a product of matrices
            k = pick.choice([1, 3, 16, 24, 130])
            x, w = self.tensor(b, k, self.height, self.width), self.tensor(self.rows, k)
            return [("k", k)], f"{x}[b, k, i, j] * {w}[o, k]"
        window, stride, dilation = pick.choice([1, 2, 3, 5]), pick.choice([1, 1, 2]), pick.choice([1, 1, 1, 2])
        padding = pick.choice([0, 1, 1, 2]) if window > 1 else 0
        height, width = ((extent - 1) * stride + (window - 1) * dilation + 1 - 2 * padding for extent in (self.height, self.width))
        if height < 1 or width < 1:
            padding, height, width = 0, height + 2 * padding, width + 2 * padding
        single = pick.random() < 0.6
        channels = 1 if single else pick.choice([1, 2, 3, 16])
        x = self.tensor(b, self.rows if single else channels, height, width)
        w = self.tensor(self.rows, channels, window, window)
        y, z = f"i * {stride} + q * {dilation} - {padding}", f"j * {stride} + r * {dilation} - {padding}"
        element = f"{x}[b, {'o' if single else 'k'}, {y}, {z}]"
        if padding:
            inside = f"{y} >= 0 and {y} < {height} and {z} >= 0 and {z} < {width}"
            value = number(self.dtype, pick.choice([0, 0, 0, 1]))
            element = f"T.if_then_else({inside}, {element}, {value})"
        loops = [("k", channels), ("q", window), ("r", window)]
        if pick.random() < 0.3:
            loops = loops[1:] + loops[:1]
        return loops, f"{element} * {w}[o, k, q, r]"

    def contract(self, to, begins):
        pick, f = self.pick, self.f
        loops, term = self.product()
        depth = self.loops()
        if begins:
            bias = pick.random() < 0.15
            f.add(depth, f"{to}[b, o, i, j] = " + (f"{self.tensor(self.rows)}[o]" if bias else number(self.dtype, pick.choice([0, 0, 0, 2]))))
        for name, extent in loops:
            f.add(depth, f"for {name} in range({extent}):")
            depth += 1
        f.add(depth, f"{to}[b, o, i, j] = {to}[b, o, i, j] + {term}")

    def follow(self, sums, to):
        """A nest that makes something of the sums."""
        pick, f = self.pick, self.f
        depth, places = self.loops(), ["[b, o, i, j]"]
        if pick.random() < 0.12:
            places += [f"[b, {self.rows - 1} - o, i, j]", f"[b, o, i, {self.width - 1} - j]", "[b, o, i, 0]", "[0, o, i, j]"]
        value = f"{sums}{pick.choice(places)}"
        for _ in range(pick.choice([1, 1, 2, 3])):
            way = pick.random()
            if way < 0.3:
                other = f"{self.tensor(self.rows)}[o]"
            elif way < 0.4:
                other = f"{self.tensor(self.width)}[j]"
            elif way < 0.6:
                other = f"{self.tensor(*self.shape())}[b, o, i, j]"
            elif way < 0.7:
                other = f"{pick.choice([sums, to])}{pick.choice(places)}"
            else:
                other = number(self.dtype, pick.choice([0, 1, 3, 6]))
            value = pick.choice([f"({value} + {other})", f"({value} - {other})", f"({value} * {other})", f"T.max({value}, {other})",
                                 f"T.min({value}, {other})"])
        f.add(depth, f"{to}[b, o, i, j] = {value}")

    def write(self):
        pick, f = self.pick, self.f
        for name in ("Y", "Z"):
            f.buffer(name, self.dtype, *self.shape())
        sums = [self.temporary(f"t{k}") for k in range(pick.choice([1, 1, 1, 2]))]
        if pick.random() < 0.1:
            sums[0] = "Z"
        for name in sums:
            self.contract(name, pick.random() < 0.9)
        last = sums[0]
        for _ in range(pick.choice([1, 1, 2, 3])):
            to = pick.choice([last, "Y", "Y", "Y", "Z", *sums])
            self.follow(pick.choice([last, *sums]), to)
            last = to
        if pick.random() < 0.15:
            self.contract(pick.choice(["Y", "Z"]), pick.random() < 0.5)
        if last not in ("Y", "Z"):
            self.follow(last, "Y")


def one(pick, f):
    Sums(pick, f).write()


make = maker("epilogues", Function, (one,))


if __name__ == "__main__":
    sys.exit(main(make, __doc__, 60))
