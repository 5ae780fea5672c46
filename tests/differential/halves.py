"""Random sums of products of 16-bit floats, compared by `differential` with the oracle: on every instruction set, with each pass
off, with several threads.

    halves.py [--differential PATH] [--seed N] [--count N] [--print]

Matrices times matrices and vectors in any layout, batches, windows of convolutions with steps and dilation, one channel at a time
or all; from zero, from a value or from what was there, subtracted or added, fused or rounded between; then at times with a bias, a
factor and a lower end. Ends with `N passed, N failed`; exit status 1 on failure."""

import sys

from irregular import Function, main, maker, number

TYPES = ("float16", "float16", "bfloat16")
EXTENTS = (1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 23, 24, 33, 40, 65)


class Sum:
    """C[spatial] += A[..] * B[..] over the rest; loops are letters with extents."""

    def __init__(self, pick, f):
        self.pick, self.f = pick, f
        self.dtype = pick.choice(TYPES)
        self.extents = {}

    def loop(self, name, extents=EXTENTS):
        self.extents[name] = self.pick.choice(extents)
        return name

    def buffer(self, name, dims):
        """A buffer with those dimensions: expressions and how many values each has."""
        self.f.buffer(name, self.dtype, *(extent for _, extent in dims))
        return f"{name}[{', '.join(index for index, _ in dims)}]"

    def plain(self, name, loops):
        loops = self.pick.sample(loops, len(loops)) if self.pick.random() < 0.5 else loops
        return self.buffer(name, [(loop, self.extents[loop] + (self.pick.random() < 0.1)) for loop in loops])

    def write(self, spatial, reduced, a, b):
        pick, f = self.pick, self.f
        c = self.buffer("C", [(loop, self.extents[loop]) for loop in spatial])
        if pick.random() < 0.4:
            a, b = b, a
        product = f"{a} * {b}"
        if pick.random() < 0.15:
            f.buffer("one", self.dtype, 1)
            product = f"{a} * ({b} * one[0])"
        update = f"{c} = {pick.choice([f'{c} + {product}'] * 4 + [f'{c} - {product}', f'{product} + {c}'])}"
        start = pick.choice([None, number(self.dtype, 0), number(self.dtype, 0), number(self.dtype, 0.5)])
        order = spatial + reduced
        if start and pick.random() < 0.6:
            extents = ", ".join(str(self.extents[loop]) for loop in order)
            axes = ", ".join(f"v{loop}" for loop in order)
            kinds = "S" * len(spatial) + "R" * len(reduced)
            f.add(0, f"for {', '.join('l' + loop for loop in order)} in T.grid({extents}):", '    with T.sblock("sum"):',
                  f'        {axes} = T.axis.remap("{kinds}", [{", ".join("l" + loop for loop in order)}])')
            named = {loop: f"v{loop}" for loop in order}
            f.add(2, "with T.init():", f"    {self.renamed(f'{c} = {start}', named)}", self.renamed(update, named))
        else:
            depth = 0
            for loop in spatial:
                f.add(depth, f"for {loop} in range({self.extents[loop]}):")
                depth += 1
            if start:
                f.add(depth, f"{c} = {start}")
            for loop in reduced:
                f.add(depth, f"for {loop} in range({self.extents[loop]}):")
                depth += 1
            f.add(depth, update)
        if pick.random() < 0.4:
            self.finish(spatial, c)

    def renamed(self, text, names):
        """With other names for loops, each of which is one letter that stands by itself."""
        return "".join(names.get(letter, letter) if not (text[i - 1:i] + text[i + 1:i + 2]).strip(" []+*,()") else letter
                       for i, letter in enumerate(text))

    def finish(self, spatial, c):
        """What networks do with sums."""
        bias = self.buffer("bias", [(spatial[-1], self.extents[spatial[-1]])])
        value = self.pick.choice([f"{c} + {bias}", f"T.max({c} + {bias}, {number(self.dtype, 0)})", f"{c} * {bias}"])
        extents = ", ".join(str(self.extents[loop]) for loop in spatial)
        out = self.buffer("D", [(loop, self.extents[loop]) for loop in spatial])
        if len(spatial) == 1:
            self.f.add(0, f"for {spatial[0]} in range({extents}):", f"    {out} = {value}")
        else:
            self.f.add(0, f"for {', '.join(spatial)} in T.grid({extents}):", f"    {out} = {value}")


def matrices(pick, f):
    s = Sum(pick, f)
    batch = [s.loop("b", (2, 3))] if pick.random() < 0.3 else []
    rows = [s.loop("i")] if pick.random() < 0.7 else []
    s.loop("j"), s.loop("k", EXTENTS + (100, 300))
    a = s.plain("A", batch + rows + ["k"])
    b = s.plain("B", (batch if pick.random() < 0.7 else []) + ["k", "j"])
    s.write(batch + rows + ["j"], ["k"], a, b)


def windows(pick, f):
    s = Sum(pick, f)
    step, dilation = pick.choice([1, 1, 2, 2, 3]), pick.choice([1, 1, 1, 2])
    own = pick.random() < 0.5  # weights of a channel by itself
    s.loop("o", (1, 2, 3, 5, 8, 16, 17)), s.loop("c", (1, 2, 3, 5)), s.loop("y", (1, 3, 4, 6))
    s.loop("x", EXTENTS), s.loop("r", (1, 3)), s.loop("q", (1, 2, 3, 5))
    height, width = ((s.extents[at] - 1) * step + (s.extents[by] - 1) * dilation + 1 for at, by in ("yr", "xq"))
    where = [(f"y * {step} + r * {dilation}", height), (f"x * {step} + q * {dilation}", width + pick.choice([0, 0, 1, 5]))]
    channel = "o" if own else "c"
    a = s.buffer("A", [(channel, s.extents[channel])] + where)
    b = s.plain("B", ["o"] + ([] if own else ["c"]) + ["r", "q"])
    s.write(["o", "y", "x"], ([] if own else ["c"]) + ["r", "q"], a, b)


if __name__ == "__main__":
    sys.exit(main(maker("halves", Function, [matrices, windows]), __doc__, 60))
