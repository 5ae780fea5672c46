"""Random kernels as TVM's scheduler leaves them: a few stages that are mapped, shifted, padded, transposed and reduced, then
random schedule primitives. The kernel before the schedule gives the expected values."""

import random

import tvm
from tvm import te

from schedules import Transformation

SEEDS = range(1, 201)
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 33)
TYPES = ("float32", "float32", "int32", "int32", "int8", "uint8", "int16", "int64", "float64")
MOST_ELEMENTS = 6000


class Kernel:
    """Stages over inputs of one type; `length` is that of the longest sum."""

    def __init__(self, seed):
        self.rng = rng = random.Random(f"kernel {seed}")
        self.dtype, self.length = rng.choice(TYPES), 1
        self.is_float = self.dtype.startswith("float")
        rank = rng.choice((1, 2, 2, 3))
        shape = [rng.choice(EXTENTS) for _ in range(rank)]
        while prod(shape) > MOST_ELEMENTS:
            shape[rng.randrange(rank)] = rng.choice(EXTENTS[:6])
        self.inputs = [te.placeholder(shape, self.dtype, "A")]
        for name in "BC"[:rng.choice((0, 1, 2))]:
            dims = shape if rng.random() < 0.6 else shape[rng.randrange(rank):]
            self.inputs.append(te.placeholder(dims, self.dtype, name))
        self.last = self.inputs[0]
        kinds = [self.mapped] * 4 + [self.shifted, self.padded, self.transposed, self.windows, self.product, self.reversed]
        for number in range(rng.choice((1, 2, 3, 3, 4))):
            self.name = f"s{number}"
            self.last = rng.choice(kinds)()
        if rng.random() < 0.4:
            self.name = "total"
            self.last = self.reduced()
        if self.last in self.inputs:
            self.last = self.mapped()

    @property
    def shape(self):
        return [int(extent) for extent in self.last.shape]

    def number(self, value):
        return tvm.tirx.const(value, self.dtype)

    def other(self, indices):
        """An element of an input that has these dimensions, or the last of them; else a number."""
        shape = self.shape
        fitting = [i for i in self.inputs if [int(e) for e in i.shape] == shape[len(shape) - len(i.shape):]]
        if not fitting:
            return self.number(3)
        chosen = self.rng.choice(fitting)
        return chosen(*indices[len(shape) - len(chosen.shape):])

    def value(self, x, y):
        rng = self.rng
        ways = [lambda: x + y, lambda: x - y, lambda: x * y, lambda: te.max(x, y), lambda: te.min(x, y),
                lambda: tvm.tirx.Select(x < y, y, x), lambda: tvm.tirx.if_then_else(x >= self.number(2), x - y, y), lambda: te.max(x * self.number(2), self.number(0))]
        return rng.choice(ways)()

    def mapped(self):
        source = self.last
        return te.compute(source.shape, lambda *i: self.value(source(*i), self.other(i)), self.name)

    def shifted(self):
        source, shape, by = self.last, self.shape, self.rng.choice((1, 2))
        if shape[-1] <= by:
            return self.mapped()
        return te.compute([*shape[:-1], shape[-1] - by], lambda *i: source(*i) - source(*i[:-1], i[-1] + by), self.name)

    def padded(self):
        source, shape = self.last, self.shape
        at = self.rng.randrange(len(shape))
        wider = [e + 2 * (k == at) for k, e in enumerate(shape)]

        def element(*i):
            j = [v - (k == at) for k, v in enumerate(i)]
            return tvm.tirx.if_then_else(tvm.tirx.all(i[at] >= 1, i[at] < shape[at] + 1), source(*j), self.number(self.padding))

        self.padding = self.rng.choice((0, 0, 1))
        return te.compute(wider, element, self.name)

    def transposed(self):
        source, shape = self.last, self.shape
        return te.compute(shape[::-1], lambda *i: source(*i[::-1]), self.name)

    def reversed(self):
        source, shape = self.last, self.shape
        return te.compute(shape, lambda *i: source(*i[:-1], shape[-1] - 1 - i[-1]), self.name)

    def windows(self):
        source, shape, size = self.last, self.shape, self.rng.choice((2, 3))
        if shape[-1] < size:
            return self.mapped()
        r = te.reduce_axis((0, size), "r")
        self.length *= size
        how = self.rng.choice((te.sum, te.max, te.min))
        step = self.rng.choice((1, 1, 2))
        return te.compute([*shape[:-1], (shape[-1] - size) // step + 1], lambda *i: how(source(*i[:-1], i[-1] * step + r), axis=r), self.name)

    def product(self):
        """With itself, transposed: rows with rows."""
        source, shape = self.last, self.shape
        if len(shape) != 2 or shape[0] * shape[0] > MOST_ELEMENTS:
            return self.mapped()
        k = te.reduce_axis((0, shape[1]), "k")
        self.length *= shape[1]
        return te.compute((shape[0], shape[0]), lambda i, j: te.sum(source(i, k) * source(j, k), axis=k), self.name)

    def reduced(self):
        source, shape = self.last, self.shape
        at = self.rng.randrange(len(shape))
        k = te.reduce_axis((0, shape[at]), "k")
        self.length *= shape[at]
        how = self.rng.choice((te.sum, te.sum, te.max, te.min))
        rest = shape[:at] + shape[at + 1:]
        return te.compute(rest or (1,), lambda *i: how(source(*(i[:at] if rest else ()), k, *(i[at:] if rest else ())), axis=k), self.name)

    def function(self):
        return te.create_prim_func([*self.inputs, self.last])


def prod(shape):
    result = 1
    for extent in shape:
        result *= extent
    return result


def scheduled_random(operator_type):
    for seed in SEEDS:

        def plain(seed=seed):
            return Kernel(seed).function()

        def make(plain=plain, seed=seed):
            transformation = Transformation(plain(), random.Random(f"schedule {seed}"))
            transformation.primitives.remove(transformation.pad_einsum)  # what it pads here, it reads outside of the buffer
            return transformation.run()

        operator = operator_type(f"scheduled_random.{seed}", make, Kernel(seed).length)
        operator.reference = plain
        operator.may_refuse = True
        yield operator
