"""Tensor Comprehensions by brute force: what ranges a statement has for given sizes, and what it computes point by point.

Written from the language's semantics alone. Integers are Python's, wrapped to their type; floats are Python's too, and an
operation whose exact result its type does not hold raises Inexact: then roundings, and their order, cannot matter.
"""

import itertools
import math
import operator

import numpy as np

INT32_MAX = 2**31 - 1


class Refused(Exception):
    """The call must be refused, or trap: an empty range, a precondition that fails, an index, a division by zero."""


class Unsolved(Exception):
    """The program must not compile: no range can be inferred for the index."""


class Inexact(Exception):
    """A rounding would be visible: the program does not count."""


class OutOfBounds(Refused):
    pass


# ---- Types ----------------------------------------------------------------------------------------------------------


def is_float(dtype):
    return dtype.startswith("float")


def bits(dtype):
    return 1 if dtype == "bool" else int(dtype.lstrip("uintfloa"))


def match(a, b):
    """The type of an operation on two types."""
    if a == b:
        return a
    if is_float(a) or is_float(b):
        floats = [dtype for dtype in (a, b) if is_float(dtype)]
        return max(floats, key=bits)
    signed = not (a[0] in "ub" and b[0] in "ub")
    width = max(bits(a), bits(b))
    return ("int" if signed else "uint") + str(width) if width > 1 else "bool"


def fits(narrow, wide):
    """Whether a value of the first type may be stored in the second without a cast."""
    return match(narrow, wide) == wide


def limits(dtype):
    if dtype == "bool":
        return 0, 1
    info = np.finfo(dtype) if is_float(dtype) else np.iinfo(dtype)
    return (float(info.min), float(info.max)) if is_float(dtype) else (int(info.min), int(info.max))


def convert(dtype, value):
    """A value of some other type as this one; only between integers it may change."""
    if is_float(dtype):
        value = float(value)
        with np.errstate(over="ignore"):
            if not math.isfinite(value) or float(np.dtype(dtype).type(value)) != value:
                raise Inexact
        return value
    if dtype == "bool":
        return bool(value)
    value = int(value)
    if dtype[0] == "u":
        return value & (1 << bits(dtype)) - 1
    half = 1 << bits(dtype) - 1
    return (value + half) % (2 * half) - half


def cast(dtype, value):
    if isinstance(value, float) and not is_float(dtype) and dtype != "bool":
        low, high = limits(dtype)
        return min(max(math.trunc(value), low), high)
    return convert(dtype, value)


def floordiv(a, b):
    if isinstance(a, float):
        if b == 0 or (a / b) * b != a:
            raise Inexact
        return a / b
    if b == 0:
        raise Refused("division by zero")
    return a // b


def modulo(a, b):
    if b == 0:
        raise Inexact if isinstance(a, float) else Refused("division by zero")
    return math.fmod(a, b) if isinstance(a, float) else a % b


def exactly(operation, a, b):
    """On floats: nothing is lost when Python rounds to double, either."""
    result = operation(a, b)
    if isinstance(a, float) and (abs(result) > 2.0**14 or result * 64 != math.floor(result * 64)):
        raise Inexact
    return result


ARITHMETIC = {"+": lambda a, b: exactly(operator.add, a, b), "-": lambda a, b: exactly(operator.sub, a, b),
              "*": lambda a, b: exactly(operator.mul, a, b), "/": floordiv, "%": modulo, "min": min, "max": max}
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
REDUCTIONS = {"+": 0, "*": 1}


def identity(op, dtype):
    if op in REDUCTIONS:
        return convert(dtype, REDUCTIONS[op])
    return limits(dtype)[op == "min"]


# ---- Expressions ----------------------------------------------------------------------------------------------------

LEVELS = {"choice": 0, "||": 1, "&&": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5,
          "neg": 6, "!": 6}


class Node:
    """kind: number, index, size, scalar, let, dim, read, pad, cast, choice, neg, !, && ||, or an operator. `name` is what it
    names, `value` a number's, a dim's, or the expression of a let."""

    def __init__(self, kind, *args, name=None, value=None, dtype=None):
        self.kind, self.args, self.name, self.value = kind, args, name, value
        self.dtype = dtype or self.type_of()

    def type_of(self):
        if self.kind in COMPARISONS or self.kind in ("&&", "||", "!"):
            return "bool"
        if self.kind == "number":
            return "float32" if isinstance(self.value, float) else "int32"
        if self.kind in ("index", "size", "dim"):
            return "int32"
        if self.kind == "let":
            return self.value.dtype
        values = self.args[1:] if self.kind == "choice" else self.args
        dtype = values[0].dtype
        for value in values[1:]:
            dtype = match(dtype, value.dtype)
        return dtype

    def text(self, least=0):
        level = LEVELS.get(self.kind, 7)
        text = self.bare_text(level)
        return f"({text})" if level < least else text

    def bare_text(self, level):
        kind, args = self.kind, self.args
        if kind == "number":
            return repr(self.value)
        if kind == "dim":
            return f"{self.name}.{self.value}"
        if kind == "read":
            return f"{self.name}({', '.join(arg.text() for arg in args)})" if args else self.name
        if kind in ("pad", "min", "max"):
            return f"{kind}({', '.join(arg.text() for arg in args)})"
        if kind == "cast":
            return f"{self.dtype}({args[0].text()})"
        if kind == "choice":
            return f"{args[0].text(1)} ? {args[1].text()} : {args[2].text()}"
        if kind in ("neg", "!"):
            return {"neg": "-", "!": "!"}[kind] + args[0].text(6 if kind == "!" else 7)
        if level == 7:
            return self.name
        return f"{args[0].text(level)} {kind} {args[1].text(level + 1)}"

    def walk(self):
        """This and every node below, lets seen through."""
        yield self
        for arg in self.args if self.kind != "let" else (self.value,):
            yield from arg.walk()


def evaluate(node, scope):
    """`scope` has indices, sizes and scalars by name, and tensors."""
    kind, args = node.kind, node.args
    if kind == "number":
        return node.value
    if kind in ("index", "size", "scalar"):
        return scope[node.name]
    if kind == "let":
        return evaluate(node.value, scope)
    if kind == "dim":
        return scope[node.name].array.shape[node.value]
    if kind == "read":
        return scope[node.name].read([evaluate(arg, scope) for arg in args])
    if kind == "cast":
        return cast(node.dtype, evaluate(args[0], scope))
    if kind == "choice":
        return convert(node.dtype, evaluate(args[1] if evaluate(args[0], scope) else args[2], scope))
    if kind == "pad":
        try:
            value = evaluate(args[0], scope)
        except OutOfBounds:
            value = evaluate(args[1], scope)
        return convert(node.dtype, value)
    if kind == "&&":
        return evaluate(args[0], scope) and evaluate(args[1], scope)
    if kind == "||":
        return evaluate(args[0], scope) or evaluate(args[1], scope)
    if kind == "!":
        return not evaluate(args[0], scope)
    if kind == "neg":
        return convert(node.dtype, -evaluate(args[0], scope))
    dtype = match(args[0].dtype, args[1].dtype)
    a, b = (convert(dtype, evaluate(arg, scope)) for arg in args)
    if kind in COMPARISONS:
        return COMPARISONS[kind](a, b)
    return convert(dtype, ARITHMETIC[kind](a, b))


class Tensor:
    """Elements from `minima` on."""

    def __init__(self, dtype, array, minima=None):
        self.dtype, self.array, self.minima = dtype, array, minima or [0] * array.ndim

    def intervals(self):
        return [(low, low + extent - 1) for low, extent in zip(self.minima, self.array.shape)]

    def place(self, index):
        at = tuple(i - low for i, low in zip(index, self.minima))
        if not all(0 <= i < extent for i, extent in zip(at, self.array.shape)):
            raise OutOfBounds(f"index {index}")
        return at

    def read(self, index):
        return self.array[self.place(index)]


# ---- Ranges ---------------------------------------------------------------------------------------------------------


def affine(node, scope):
    """({index: factor}, constant), or None."""
    kind = node.kind
    if kind == "index":
        return {node.name: 1}, 0
    if kind in ("number", "size", "scalar", "dim"):
        value = evaluate(node, scope)
        return None if isinstance(value, float) else ({}, int(value))
    if kind == "let":
        return affine(node.value, scope)
    if kind not in ("+", "-", "*", "/", "%", "min", "max", "neg"):
        return None
    parts = [affine(arg, scope) for arg in node.args]
    if None in parts:
        return None
    if kind == "neg":
        parts, kind = [({}, 0), parts[0]], "-"
    (left, a), (right, b) = parts
    if kind == "*" and not (left and right):
        factors, by = (left, b) if left else (right, a)
        return {v: f * by for v, f in factors.items() if f * by}, a * b
    if kind in ("+", "-"):
        sign = 1 if kind == "+" else -1
        total = {v: left.get(v, 0) + sign * right.get(v, 0) for v in {**left, **right}}
        return {v: f for v, f in total.items() if f}, a + sign * b
    if left or right or kind in "/%" and b == 0:
        return None
    return {}, ARITHMETIC[kind](a, b)


def reads_of(node, lazy=False):
    """(read, whether only a choice evaluates it), but what stands inside of `pad`."""
    if node.kind == "let":
        yield from reads_of(node.value, lazy)
        return
    if node.kind == "read":
        yield node, lazy
    late = node.kind in ("choice", "&&", "||")
    for number, arg in enumerate(node.args):
        if node.kind != "pad" or number:
            yield from reads_of(arg, lazy or (late and number > 0))


class Constraint:
    """sum of factor * index + constant >= 0; a lazy one is checked where it is evaluated, not before."""

    def __init__(self, factors, constant, lazy):
        self.factors, self.constant, self.lazy = dict(factors), constant, lazy

    def eliminate(self, ranges):
        """Worst case over what is known."""
        for v in [v for v in self.factors if v in ranges]:
            factor = self.factors.pop(v)
            self.constant += factor * ranges[v][0 if factor > 0 else 1]
        if not self.factors and self.constant < 0 and not self.lazy:
            raise Refused("a precondition fails")


def own_read(statement, scope):
    """The target as what its subscripts read."""
    known = statement.target in scope
    return [(Node("read", *statement.subscripts, name=statement.target, dtype="int32"), False)] if known else []


def constraints_of(statement, scope):
    reads = [found for node in statement.exists + [statement.value] for found in reads_of(node)]
    reads += own_read(statement, scope) if statement.op else []
    for left in statement.subscripts:
        reads += list(reads_of(left)) if left.kind != "index" else []
    yield from constraints_of_reads(reads, scope)


def constraints_of_reads(reads, scope):
    for read, lazy in reads:
        for subscript, (low, high) in zip(read.args, scope[read.name].intervals()):
            sub = affine(subscript, scope)
            if sub:
                yield Constraint(sub[0], sub[1] - low, lazy)
                yield Constraint({v: -f for v, f in sub[0].items()}, high - sub[1], lazy)


def infer(statement, scope):
    """{index: (first, last)} of all indices of a statement."""
    ranges = {}
    for index, low, high in statement.ranges:
        first, last = evaluate(low, scope), evaluate(high, scope) - 1
        if first > last + 1:
            raise Refused(f"the range of {index} is negative")
        ranges[index] = (first, last)
    constraints = list(constraints_of(statement, scope))
    late = [] if statement.op else list(constraints_of_reads(own_read(statement, scope), scope))  # where nothing else solves
    for constraint in constraints:
        constraint.eliminate(ranges)
    unsolved = [index for index in statement.indices if index not in ranges]
    while unsolved:
        solved = {}
        for v in unsolved:
            own = [c for c in constraints if list(c.factors) == [v]]
            lows = [-(c.constant // c.factors[v]) for c in own if c.factors[v] > 0]
            highs = [c.constant // -c.factors[v] for c in own if c.factors[v] < 0]
            if lows and highs:
                if max(lows) > min(highs) + 1:
                    raise Refused(f"the range of {v} is negative")
                solved[v] = max(lows), min(highs)
        if not solved and late:
            for constraint in late:
                constraint.eliminate(ranges)
            constraints, late = constraints + late, []
            continue
        if not solved:
            raise Unsolved(unsolved[0])
        ranges.update(solved)
        unsolved = [v for v in unsolved if v not in solved]
        for constraint in constraints:
            constraint.eliminate(solved)
    return ranges


# ---- Statements -----------------------------------------------------------------------------------------------------


class Statement:
    """target(subscripts) op=[!] value where ...; `op` is None for a plain =. `ranges` has (index, low, high), `exists` and
    `lets` [(name, value)] expressions. `indices` are in loop order: those on the left, then those of reductions."""

    def __init__(self, target, subscripts, op, starts_over, value, ranges=(), exists=(), lets=()):
        self.target, self.subscripts, self.op, self.starts_over = target, list(subscripts), op, starts_over
        self.value, self.ranges, self.exists, self.lets = value, list(ranges), list(exists), list(lets)

    @property
    def left(self):
        return list(dict.fromkeys(node.name for sub in self.subscripts for node in sub.walk() if node.kind == "index"))

    @property
    def indices(self):
        used = [node.name for part in [self.value, *self.exists] for node in part.walk() if node.kind == "index"]
        return list(dict.fromkeys(self.left + used + [index for index, *_ in self.ranges]))

    @property
    def targets(self):
        return [self.target]

    def text(self):
        left = self.target + (f"({', '.join(node.text() for node in self.subscripts)})" if self.subscripts else "")
        op = {None: "=", "min": "min=", "max": "max="}.get(self.op, f"{self.op}=") + ("!" if self.starts_over else "")
        clauses = [f"{name} = {value.text()}" for name, value in self.lets]
        clauses += [f"{index} in {low.text(4)}:{high.text(4)}" for index, low, high in self.ranges]
        clauses += [f"exists {node.text()}" for node in self.exists]
        return f"{left} {op} {self.value.text()}" + (f"\n    where {', '.join(clauses)}" if clauses else "")


def run(statement, scope, dtype, most_points):
    """Changes the target in `scope`, which the first statement of a tensor makes. Returns None where there are too many
    points, else its ranges."""
    ranges = infer(statement, scope)
    spans = {index: range(first, last + 1) for index, (first, last) in ranges.items()}
    if math.prod(len(spans[index]) for index in statement.indices) > most_points:
        return None
    left = statement.left
    if statement.target not in scope:
        shape = [len(spans[node.name]) for node in statement.subscripts]
        minima = [spans[node.name].start for node in statement.subscripts]
        scope[statement.target] = Tensor(dtype, np.full(shape, convert(dtype, 0), object), minima)
    tensor = scope[statement.target]
    scatters = any(node.kind != "index" for node in statement.subscripts)
    if not scatters:
        for node in statement.subscripts:
            low, high = tensor.intervals()[statement.subscripts.index(node)]
            if spans[node.name].start < low or spans[node.name].stop - 1 > high:
                raise Refused("a range leaves the tensor")
    if statement.starts_over:
        if scatters:
            tensor.array[...] = identity(statement.op, tensor.dtype)
        else:
            for point in itertools.product(*(spans[index] for index in left)):
                tensor.array[tensor.place(list(point))] = identity(statement.op, tensor.dtype)
    for point in itertools.product(*(spans[index] for index in statement.indices)):
        scope.update(zip(statement.indices, point))
        at = tensor.place([evaluate(node, scope) for node in statement.subscripts])
        value = convert(tensor.dtype, evaluate(statement.value, scope))
        if statement.op:
            value = convert(tensor.dtype, ARITHMETIC[statement.op](tensor.array[at], value))
        tensor.array[at] = value
    for index in statement.indices:
        scope.pop(index, None)  # an empty range has set none
    return ranges
