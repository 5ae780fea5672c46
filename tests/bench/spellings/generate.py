"""TVMScript of a kernel in one of its spellings."""

import ast
import copy
import dataclasses
import itertools
import random
import re
import zlib

FACTOR = 8  # of a split loop
FUNCTIONS = {"max": "T.max", "min": "T.min", "exp": "T.exp", "log": "T.log", "sqrt": "T.sqrt", "tanh": "T.tanh"}


@dataclasses.dataclass(frozen=True)
class Spelling:
    """What is written of a kernel where its meaning leaves a choice; the first two say what it means."""
    sizes: str = "constant"  # or symbolic
    index: str = "int32"  # or int64
    storage: str = "dimensions"  # flat: one dimension and A[i * n + j]; alias: a flat view; rows: views of rows
    order: str = "given"  # of the loops
    guard: str = "if"  # or if_then_else, Select, T.where; continue: what the iteration leaves out is skipped; nested: an
    # if for each of the conditions
    values: str = "inline"  # lets: loads and indices have names, and sums are kept in a variable; mixed: indices have
    # names, and the other type of integers; sums: flat indices in another order, i + i * (n - 1) for i * n among them
    form: str = "loops"  # or blocks
    tiling: str = "none"  # split: a loop by a factor; min: by one, up to what is left; fused: neighbours to one, taken
    # apart by // and %
    counting: str = "up"  # down: iterations whose order is free, from the last one on; while: loops that count on their own

    def __str__(self):
        return " ".join(getattr(self, axis) for axis in AXES)


AXES = tuple(field.name for field in dataclasses.fields(Spelling))
MEANING = AXES[:2]
CHOICES = {"storage": ("dimensions", "flat", "alias", "rows"),
           "order": ("given", "reversed", "rotated", "reduction first", "reduction between", "shared"),
           "guard": ("if", "if_then_else", "Select", "T.where", "continue", "nested"),
           "values": ("inline", "lets", "mixed", "sums"),
           "form": ("loops", "blocks"), "tiling": ("none", "split", "min", "fused"), "counting": ("up", "down", "while")}
OTHER = {"int32": "int64", "int64": "int32"}


class NotOffered(Exception):
    """The kernel has no such spelling."""


# ---- Descriptions ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Axis:
    name: str
    extent: str
    kind: str  # spatial, reduce or scan


@dataclasses.dataclass
class Assignment:
    target: ast.Subscript
    operation: str  # "", "+" or "max"
    value: ast.expr


class Step:
    def __init__(self, text):
        axes, assignments, *guard = (part.strip() for part in text.split(" | "))
        self.assignments = [self.assignment(part) for part in assignments.split(";")]
        self.guard = expression(guard[0]) if guard else None
        stored = {name for a in self.assignments for name in names_in(a.target.slice)}
        self.axes = []
        for part in axes.split():
            name, extent = part.lstrip(">").split(":")
            kind = "scan" if part[0] == ">" else "spatial" if name in stored else "reduce"
            self.axes.append(Axis(name, extent, kind))

    @staticmethod
    def assignment(text):
        target, operation, value = re.match(r"\s*([^=]*?) (\+|max|)= (.*)", text).groups()
        return Assignment(expression(target), operation, expression(value))

    @property
    def reduces(self):
        """Whether its targets have first values."""
        return any(a.operation for a in self.assignments)

    def names(self, kind):
        return [axis.name for axis in self.axes if (axis.kind == "reduce") == (kind == "reduce")]


def expression(text):
    return ast.parse(text.strip(), mode="eval").body


def renamed(text, names):
    return re.sub(r"\w+", lambda found: names.get(found[0], found[0]), text)


def names_in(node):
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def buffers_of(text):
    """Extents, as texts, by name."""
    return {name: [extent.strip() for extent in shape.split(",")] for name, shape in re.findall(r"(\w+)\[([^]]*)\]", text)}


def indices_of(access):
    return access.slice.elts if isinstance(access.slice, ast.Tuple) else [access.slice]


def accesses(step):
    """Each access of a step to a buffer."""
    nodes = [node for a in step.assignments for node in (a.target, a.value)] + ([step.guard] if step.guard else [])
    return [inner for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Subscript)]


def has_guard(step):
    return step.guard is not None or any(isinstance(n, ast.IfExp) for a in step.assignments for n in ast.walk(a.value))


# ---- Expressions ----------------------------------------------------------------------------------------------------


class Writer(ast.NodeTransformer):
    """Rewrites a description's expressions as TVMScript's; the names that it gives to loads and indices are in `lets`."""

    def __init__(self, program, axes, views, index_of_value):
        self.program, self.axes, self.views = program, axes, views
        self.index_of_value = index_of_value  # the values are indices, not floats
        self.in_index, self.guarded = 0, 0
        self.lets, self.known = [], {}

    def text(self, node):
        return ast.unparse(ast.fix_missing_locations(self.visit(copy.deepcopy(node))))

    def index_text(self, node):
        self.in_index += 1
        text = self.text(node)
        self.in_index -= 1
        return text

    def let(self, stem, text, dtype):
        if text not in self.known:
            self.known[text] = f"{stem}_{next(self.program.numbers)}"
            self.lets.append(f"{self.known[text]}: T.let[T.{dtype}] = {text}")
        return expression(self.known[text])

    def visit_Name(self, node):
        if node.id in self.axes:
            return expression(self.axes[node.id])
        return expression(self.program.extent(node.id, bare=True)) if node.id in self.program.kernel.sizes else node

    def visit_Constant(self, node):
        if self.in_index:
            return node
        return expression(self.program.literal(node.value) if self.index_of_value else f"T.float32({node.value!r})")

    def visit_Compare(self, node):
        self.in_index += 1
        node = ast.Compare(self.visit(node.left), node.ops, [self.visit(c) for c in node.comparators])
        self.in_index -= 1
        return node

    def visit_Call(self, node):
        if node.func.id == "float":
            return expression(self.program.as_float(ast.unparse(node.args[0])))
        return ast.Call(expression(FUNCTIONS[node.func.id]), [self.visit(a) for a in node.args], [])

    def visit_IfExp(self, node):
        name = "T.Select" if self.program.spelling.guard == "Select" else "T.if_then_else"
        condition = self.visit(node.test)
        self.guarded += 1
        call = ast.Call(expression(name), [condition, self.visit(node.body), self.visit(node.orelse)], [])
        self.guarded -= 1
        return call

    def visit_Subscript(self, node):
        name = node.value.id
        dtype = self.program.dtypes[name]
        access = self.access(node)
        named = self.program.spelling.values == "lets" and not self.guarded and name in self.program.inputs
        return self.let(f"{name.lower()}_at", access, dtype) if named else expression(access)

    def access(self, node):
        """The text of an access."""
        name, indices = node.value.id, indices_of(node)
        if name in self.views:
            name, indices = self.views[name], indices[1:]
        elif self.program.is_flat and name not in self.program.kernel_temporaries:
            flat = indices[0]
            for index, extent in zip(indices[1:], map(expression, self.program.shapes[name][1:])):
                flat = self.as_sum(flat, extent, index, flat is indices[0])
            name, indices = self.program.flat_name(name), [flat]
        texts = [self.index_text(index) for index in indices]
        if self.program.spelling.values == "lets":
            texts = [text if re.fullmatch(r"\w+", text) else ast.unparse(self.let("at", text, self.program.spelling.index))
                     for text in texts]
        if self.program.spelling.values == "mixed" and not self.in_index:
            texts = [text if text.isdigit() else self.in_other_type(index) for text, index in zip(texts, indices)]
        return f"{name}[{', '.join(texts)}]"


    def as_sum(self, rows, extent, index, innermost):
        """rows * extent + index, or the same in another spelling."""
        if self.program.spelling.values != "sums":
            return ast.BinOp(ast.BinOp(rows, ast.Mult(), extent), ast.Add(), index)
        all_rows = ast.BinOp(extent, ast.Mult(), rows)
        if innermost:
            less = ast.BinOp(extent, ast.Sub(), ast.Constant(1))
            all_rows = ast.BinOp(rows, ast.Add(), ast.BinOp(rows, ast.Mult(), less))
        return ast.BinOp(index, ast.Add(), all_rows)

    def in_other_type(self, index):
        """The name of an index that is computed in the other type, but for what its last term is."""
        dtype = OTHER[self.program.spelling.index]
        if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add):
            first, last = self.index_text(index.left), self.index_text(index.right)
            text = f"T.Cast('{dtype}', {first}) + T.Cast('{dtype}', {last})"
        else:
            text = f"T.Cast('{dtype}', {self.index_text(index)})"
        return ast.unparse(self.let("at", text, dtype))


# ---- Programs -------------------------------------------------------------------------------------------------------


def indented(lines, levels=1):
    return ["    " * levels + line for line in lines]


@dataclasses.dataclass
class Loops:
    """Loops over some axes: their headers, what the axes are in them, and what must hold."""
    loops: list  # of variables and texts of extents
    values: dict
    conditions: list
    tiled: bool = False
    down: tuple = ()  # variables of the loops whose order is free
    counting: str = "up"
    index: str = "int32"

    def lines(self, inner):
        """The loops around some lines; a grid where their extents are known before them all."""
        variables = [variable for variable, _ in self.loops]
        if self.counting == "up" and len(self.loops) > 1 and not any(
                names_in(expression(extent)) & set(variables) for _, extent in self.loops):
            extents = [extent for _, extent in self.loops]
            return [f"for {', '.join(variables)} in T.grid({', '.join(extents)}):", *indented(inner)]
        for variable, extent in self.loops[::-1]:
            inner = self.loop(variable, extent, inner)
        return inner

    def loop(self, variable, extent, inner):
        if self.counting == "while":
            first, step = ("T.int64(0)", "T.int64(1)") if self.index == "int64" else ("0", "1")
            return [f"{variable}: T.{self.index} = {first}", f"while {variable} < {extent}:",
                    *indented([*inner, f"{variable} = {variable} + {step}"])]
        if self.counting == "down" and variable in self.down:
            last = f"{extent} - 1 - {variable}_back"
            return [f"for {variable}_back in range({extent}):",
                    *indented([f"{variable}: T.let[T.{self.index}] = {last}", *inner])]
        return [f"for {variable} in range({extent}):", *indented(inner)]


class Program:
    """A kernel in one spelling at some sizes; NotOffered where there is no such one."""

    def __init__(self, kernel, spelling, sizes):
        self.kernel, self.spelling, self.sizes = kernel, spelling, sizes
        self.constant = spelling.sizes == "constant"
        self.is_flat = spelling.storage in ("flat", "alias")
        self.inputs, self.outputs = buffers_of(kernel.inputs), buffers_of(kernel.outputs)
        self.kernel_temporaries = buffers_of(kernel.temporaries)
        self.shapes = {**self.inputs, **self.outputs, **self.kernel_temporaries}
        self.dtypes = {name: "float32" if name.isupper() else spelling.index for name in self.shapes}
        self.steps = [Step(text) for text in kernel.steps]
        self.numbers = itertools.count()  # of the names that are made up
        self.refuse_what_is_not_offered()
        self.text = self.write()

    def refuse_what_is_not_offered(self):
        spelling, guards = self.spelling, [step for step in self.steps if has_guard(step)]
        refused = spelling.guard != "if" and not guards
        refused |= spelling.guard == "Select" and not self.kernel.whole
        refused |= spelling.guard == "T.where" and (spelling.form != "blocks" or not all(
            step.guard and not any(isinstance(node, ast.Subscript) for node in ast.walk(step.guard)) for step in guards))
        refused |= spelling.guard == "continue" and (spelling.form != "loops" or spelling.counting == "while"
                                                     or not any(step.guard for step in guards))
        refused |= spelling.guard == "nested" and not any(isinstance(step.guard, ast.BoolOp) for step in guards)
        refused |= spelling.values == "sums" and not self.is_flat
        refused |= spelling.counting == "while" and spelling.form != "loops"
        refused |= spelling.storage == "rows" and (spelling.form != "loops" or spelling.order != "given"
                                                   or not any(map(self.views_of, self.steps)))
        first = {(step.axes[0].name, step.axes[0].extent, step.axes[0].kind) for step in self.steps}
        refused |= spelling.order == "shared" and (len(self.steps) < 2 or len(first) > 1)
        if refused:
            raise NotOffered(spelling)

    # ---- sizes

    def literal(self, number):
        return f"T.int64({number})" if self.spelling.index == "int64" else str(number)

    def extent(self, text, bare=False):
        """The text of an extent: a number of the type of indices, or with `bare` in an expression that has it already."""
        names = names_in(expression(text))
        if names and not self.constant:
            return ast.unparse(expression(text))
        number = eval(text, {}, dict(self.sizes))  # pylint: disable=eval-used
        return str(number) if bare else self.literal(number)

    def as_float(self, text):
        return f"T.float32({float(self.sizes[text])})" if self.constant else f"T.Cast('float32', {text})"

    def shape_text(self, name, flat):
        extents = self.shapes[name]
        if flat:
            extents = [" * ".join(f"({e})" if re.search(r"\W", e) else e for e in extents)]
        return f"({', '.join(self.extent(e) for e in extents)},)"

    def flat_name(self, name):
        return f"{name}_flat" if self.spelling.storage == "alias" else name

    # ---- loops

    def ordered(self, step, axes):
        """The axes in the spelling's order; those of reduction keep theirs."""
        spatial = [axis for axis in axes if axis.kind != "reduce"]
        reduced = [axis for axis in axes if axis.kind == "reduce"]
        if self.spelling.order == "reversed":
            return spatial[::-1] + reduced
        if self.spelling.order == "rotated":
            return spatial[-1:] + reduced + spatial[:-1]
        if self.spelling.order == "reduction first":
            return reduced + spatial
        if self.spelling.order == "reduction between":
            return spatial[:-1] + reduced + spatial[-1:]
        return axes

    def loops_over(self, axes, tiling=None):
        """Loops over axes, in the spelling's tiling or another one."""
        tiling = tiling or self.spelling.tiling
        made = Loops([(axis.name, self.extent(axis.extent)) for axis in axes], {axis.name: axis.name for axis in axes}, [])
        free = {axis.name for axis in axes if axis.kind == "spatial"}
        if tiling in ("split", "min"):
            self.split(axes, made)
        if tiling == "fused":
            made = self.fused(axes)
        if self.spelling.counting == "while":  # whose counters are variables, none of them twice
            again = {variable: f"{variable}_{next(self.numbers)}" for variable, _ in made.loops}
            made.loops = [(again[variable], renamed(extent, again)) for variable, extent in made.loops]
            made.values = {name: renamed(value, again) for name, value in made.values.items()}
            made.conditions = [renamed(condition, again) for condition in made.conditions]
        made.down = tuple(variable for variable, _ in made.loops
                          if all(name in free for name, value in made.values.items() if variable in names_in(expression(value))))
        made.counting, made.index = self.spelling.counting, self.spelling.index
        return made

    @staticmethod
    def split_axis(axes):
        """The one that is split: the last spatial one that has a size."""
        sized = [axis for axis in axes if names_in(expression(axis.extent))]
        return next((axis for axis in sized[::-1] if axis.kind != "reduce"), sized[-1] if sized else None)

    def split(self, axes, plain):
        chosen = self.split_axis(axes)
        if chosen is None:
            return
        name, at = chosen.name, axes.index(chosen)
        outer = self.extent(f"({chosen.extent} + {FACTOR - 1}) // {FACTOR}")
        plain.loops[at:at + 1] = [(f"{name}_0", outer), (f"{name}_1", self.literal(FACTOR))]
        plain.values[name] = f"{name}_0 * {FACTOR} + {name}_1"
        plain.tiled = True
        if self.spelling.tiling == "min":
            left = f"{self.extent(chosen.extent, bare=True)} - {name}_0 * {FACTOR}"
            plain.loops[at + 1] = (f"{name}_1", f"T.min({self.literal(FACTOR)}, {left})")
        elif not self.constant or eval(chosen.extent, {}, dict(self.sizes)) % FACTOR:  # pylint: disable=eval-used
            plain.conditions.append(f"{plain.values[name]} < {self.extent(chosen.extent, bare=True)}")

    def fused(self, axes):
        made = Loops([], {}, [])
        for _, group in itertools.groupby(axes, lambda axis: axis.kind == "reduce"):
            group = list(group)
            variable = "_".join(axis.name for axis in group)
            made.loops.append((variable, self.extent(" * ".join(f"({axis.extent})" for axis in group))))
            for at, axis in enumerate(group):
                inner = " * ".join(f"({self.extent(a.extent, bare=True)})" for a in group[at + 1:])
                value = f"{variable} // ({inner})" if inner else variable
                made.values[axis.name] = f"{value} % ({self.extent(axis.extent, bare=True)})" if at else value
        return made

    def whole(self, name):
        """All of a buffer, as a region."""
        return f"{name}[{', '.join(f'0:{self.extent(extent, bare=True)}' for extent in self.shapes[name])}]"

    # ---- steps

    def views_of(self, step):
        """The buffers of which a step, in each access, takes elements of the row that its first axis names."""
        first, found = step.axes[0], {}
        if first.kind == "reduce" or len(step.axes) == 1:
            return set()
        for access in accesses(step):
            indices = indices_of(access)
            own = isinstance(indices[0], ast.Name) and indices[0].id == first.name and len(indices) > 1
            own = own and not any(first.name in names_in(index) for index in indices[1:])
            found[access.value.id] = found.get(access.value.id, True) and own
        return {name for name, own in found.items() if own and len(self.shapes[name]) > 1}

    def first_value(self, assignment):
        return "T.float32(0)" if assignment.operation == "+" else "T.min_value('float32')"

    def writer(self, step, axes, views):
        return Writer(self, axes, views, self.dtypes[step.assignments[0].target.value.id] != "float32")

    def updated(self, assignment, writer, target, value):
        old = writer.text(target) if not isinstance(target, str) else target
        value = writer.text(value)
        if assignment.operation == "max":
            return f"T.max({old}, {value})"
        return f"{old} + {value}" if assignment.operation == "+" else value

    def assign(self, step, axes, views, kept):
        """The assignments of one iteration, under the guard. `kept` has the names of variables that sums are kept in."""
        guard = None if self.spelling.guard == "T.where" else step.guard
        in_branches = self.spelling.guard in ("if", "continue", "nested")
        as_values = guard is not None and not in_branches
        lines = []
        for assignment in step.assignments:
            value = assignment.value
            if as_values:
                value = self.guarded_value(assignment, guard)
            if isinstance(value, ast.IfExp) and in_branches:
                writer = self.writer(step, axes, views)
                condition = writer.index_text(value.test)
                lines += [*writer.lets, f"if {condition}:",
                          *indented(self.store(step, assignment, value.body, axes, views, kept)),
                          "else:", *indented(self.store(step, assignment, value.orelse, axes, views, kept))]
            else:
                lines += self.store(step, assignment, value, axes, views, kept)
        if guard is not None and not as_values:
            writer = self.writer(step, axes, views)
            condition = writer.index_text(guard)
            if self.spelling.guard == "continue":
                return [*writer.lets, f"if not ({condition}):", "    continue", *lines]
            if self.spelling.guard == "nested" and isinstance(guard, ast.BoolOp):
                for part in guard.values[::-1]:
                    lines = [f"if {writer.index_text(part)}:", *indented(lines)]
                return [*writer.lets, *lines]
            return [*writer.lets, f"if {condition}:", *indented(lines)]
        return lines

    @staticmethod
    def guarded_value(assignment, guard):
        """The value where the guard holds, else one that changes nothing: of a product's first factor, 0."""
        value = assignment.value
        if not assignment.operation:
            return ast.IfExp(guard, value, assignment.target)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
            return ast.BinOp(ast.IfExp(guard, value.left, ast.Constant(0)), value.op, value.right)
        return ast.IfExp(guard, value, ast.Constant(0))

    def store(self, step, assignment, value, axes, views, kept):
        writer = Writer(self, axes, views, self.dtypes[assignment.target.value.id] != "float32")
        target = kept.get(assignment.target.value.id) or writer.access(assignment.target)
        value = self.updated(assignment, writer, target, value)
        return [*writer.lets, f"{target} = {value}"]

    def first_values(self, step, axes, views):
        lines = []
        for assignment in step.assignments:
            writer = self.writer(step, axes, views)
            target = writer.access(assignment.target)
            lines += [*writer.lets, f"{target} = {self.first_value(assignment)}"]
        return lines

    def in_variables(self, step, axes, views, reduction):
        """A reduction whose sums are kept in variables until they are done."""
        kept = {a.target.value.id: f"kept_{next(self.numbers)}" for a in step.assignments}
        first = [f"{kept[a.target.value.id]}: T.float32 = {self.first_value(a)}" for a in step.assignments]
        inner = reduction(self.assign(step, axes, views, kept))
        last = []
        for assignment in step.assignments:
            writer = self.writer(step, axes, views)
            target = writer.access(assignment.target)
            last += [*writer.lets, f"{target} = {kept[assignment.target.value.id]}"]
        return first + inner + last

    @staticmethod
    def when(conditions, lines):
        return [f"if {' and '.join(conditions)}:", *indented(lines)] if conditions else lines

    def plain_loops(self, step, axes, outer, views):
        """The nest of a step, without the loops over what `outer` has values of."""
        spatial = [axis for axis in axes if axis.kind != "reduce"]
        reduced = [axis for axis in axes if axis.kind == "reduce"]
        if step.reduces and axes == spatial + reduced:
            around, within = self.loops_over(spatial), self.loops_over(reduced)
            if around.tiled:  # by which the other ones are not
                within = self.loops_over(reduced, "none")
            values = {**outer, **around.values, **within.values}

            def reduction(lines):
                return within.lines(self.when(within.conditions, lines))

            if self.spelling.values == "lets":
                lines = self.in_variables(step, values, views, reduction)
            else:
                lines = self.first_values(step, values, views) + reduction(self.assign(step, values, views, {}))
            return around.lines(self.when(around.conditions, lines))
        lines = []
        if step.reduces:
            first = self.loops_over(spatial)
            lines += first.lines(self.when(first.conditions, self.first_values(step, {**outer, **first.values}, views)))
        nest = self.loops_over(axes)
        return lines + nest.lines(self.when(nest.conditions, self.assign(step, {**outer, **nest.values}, views, {})))

    def block(self, step, number, axes, outer, lines_of, when, first=None):
        """A block in its loops; `outer` are the axes whose loops are around all of it."""
        nest = self.loops_over(axes)
        bound = [axis for axis in step.axes if axis.name in nest.values or axis.name in outer]
        lines = [f"v{axis.name} = T.axis.{axis.kind}({self.extent(axis.extent)}, "
                 f"{nest.values.get(axis.name) or outer[axis.name]})" for axis in bound]
        values = {axis.name: f"v{axis.name}" for axis in bound}
        conditions = nest.conditions + [self.writer(step, {**outer, **nest.values}, {}).index_text(c) for c in when]
        if conditions:
            lines.append(f"T.where({' and '.join(conditions)})")
        if first:
            lines += ["with T.init():", *indented(first(values))]
        return nest.lines([f"with T.sblock('step_{number}'):", *indented(lines + lines_of(values))])

    def blocks(self, step, number, axes, outer):
        when = [step.guard] if self.spelling.guard == "T.where" and step.guard is not None else []

        def first(values):
            return self.first_values(step, values, {})

        lines = []
        if step.reduces and when:
            spatial = [axis for axis in axes if axis.kind != "reduce"]
            lines += self.block(step, f"{number}_init", spatial, outer, first, [])
        return lines + self.block(step, number, axes, outer, lambda values: self.assign(step, values, {}, {}), when,
                                  first if step.reduces and not when else None)

    def one_step(self, number, step, axes, outer):
        axes = self.ordered(step, axes)
        if self.spelling.form == "blocks":
            return self.blocks(step, number, axes, outer)
        return self.plain_loops(step, axes, outer, {})

    def rows(self, number, step):
        """A step in a block that has views of the rows which its first axis names."""
        first, views = step.axes[0], {}
        lines = [f"v{first.name} = T.axis.{first.kind}({self.extent(first.extent)}, {first.name})"]
        for name in sorted(self.views_of(step)):
            views[name] = f"{name}_row"
            extents = [self.extent(extent) for extent in self.shapes[name][1:]]
            region = ", ".join(f"0:{self.extent(extent, bare=True)}" for extent in self.shapes[name][1:])
            lines.append(f"{name}_row = T.match_buffer({name}[v{first.name}, {region}], ({', '.join(extents)},), "
                         f"'{self.dtypes[name]}')")
        if not views:
            return self.one_step(number, step, step.axes, {})
        read = dict.fromkeys(access.value.id for access in accesses(step))
        written = dict.fromkeys(assignment.target.value.id for assignment in step.assignments)
        lines[1:1] = [f"T.{what}({', '.join(map(self.whole, names))})" for what, names in (("reads", read), ("writes", written))]
        lines += self.plain_loops(step, step.axes[1:], {first.name: f"v{first.name}"}, views)
        return [f"for {first.name} in range({self.extent(first.extent)}):",
                *indented([f"with T.sblock('rows_{number}'):", *indented(lines)])]

    def body(self):
        if self.spelling.storage == "rows":
            return [line for number, step in enumerate(self.steps) for line in self.rows(number, step)]
        if self.spelling.order != "shared":
            return [line for number, step in enumerate(self.steps) for line in self.one_step(number, step, step.axes, {})]
        first = self.steps[0].axes[0]
        lines = [line for number, step in enumerate(self.steps)
                 for line in self.one_step(number, step, step.axes[1:], {first.name: first.name})]
        return [f"for {first.name} in range({self.extent(first.extent)}):", *indented(lines)]

    # ---- the whole

    @property
    def scalars(self):
        """Sizes that are parameters: where no shape says them by itself."""
        return [] if self.constant or self.spelling.storage != "flat" else list(self.kernel.sizes)

    def write(self):
        outer = {**self.inputs, **self.outputs}
        parameters = [f"{name}: T.{self.spelling.index}" for name in self.scalars] + \
            [f"{name}_handle: T.handle" for name in outer]
        lines = []
        if not self.constant and not self.scalars:
            sizes = list(self.kernel.sizes)
            lines.append(f"{', '.join(sizes)} = {', '.join(f'T.{self.spelling.index}()' for _ in sizes)}")
        for name in outer:
            shape = self.shape_text(name, self.spelling.storage == "flat")
            lines.append(f"{name} = T.match_buffer({name}_handle, {shape}, '{self.dtypes[name]}')")
        for name in outer if self.spelling.storage == "alias" else ():
            lines.append(f"{name}_flat = T.decl_buffer({self.shape_text(name, True)}, '{self.dtypes[name]}', data={name}.data)")
        for name in self.kernel_temporaries:
            lines.append(f"{name} = T.alloc_buffer({self.shape_text(name, False)}, '{self.dtypes[name]}')")
        lines += self.body()
        return "\n".join(["# from tvm.script import tirx as T", "", "@T.prim_func(s_tir=True)",
                          f"def {self.kernel.name}({', '.join(parameters)}):", *indented(lines), ""])

    def order_of_sums(self):
        """Which sums are added as trees, as RULES.md says (R3), and not in the order of their iterations."""
        return tuple(self.is_tree(step) for step in self.steps if any(a.operation == "+" for a in step.assignments))

    def is_tree(self, step):
        spelling = self.spelling
        if spelling.form != "blocks" or (step.guard is not None and spelling.guard in ("if", "nested", "continue")):
            return False
        if spelling.values == "mixed":  # an init names its indices by itself: they are not those of the update
            return False
        reduced, spatial, sets = set(step.names("reduce")), set(step.names("spatial")), []
        if step.guard is not None and spelling.guard == "T.where" and names_in(step.guard) & reduced:
            return False
        if not self.has_bare_loops(step):
            return False
        for access in [node for a in step.assignments for node in ast.walk(a.value) if isinstance(node, ast.Subscript)]:
            indices = indices_of(access)
            if not any(names_in(index) & reduced for index in indices):
                continue
            flat = self.is_flat and access.value.id not in self.kernel_temporaries
            if names_in(access.slice if flat else indices[-1]) & spatial:
                return False
            sets.append(names_in(access.slice) & spatial)
        return all(a <= b or b <= a for a, b in itertools.combinations(sets, 2))

    def has_bare_loops(self, step):
        """Whether the loops from the first one of reduction inwards are axes, and spatial ones indices as they are."""
        axes = step.axes[1:] if self.spelling.order == "shared" else self.ordered(step, step.axes)
        inner = axes[next(n for n, axis in enumerate(axes) if axis.kind == "reduce"):]
        spatial = [axis for axis in inner if axis.kind != "reduce"]
        if self.spelling.tiling in ("split", "min") and self.split_axis(axes) in inner:
            return False
        if self.spelling.counting == "down" and any(axis.kind == "spatial" for axis in inner):
            return False
        if self.spelling.tiling == "fused" and (len(spatial) > 1 or len(inner) - len(spatial) > 1):
            return False
        return not (spatial and self.is_flat and len(indices_of(step.assignments[0].target)) > 1)


def spellings_of(kernel, meaning):
    """The spellings of a kernel that are looked at: each choice alone, those that are common together, and some at random."""
    base = Spelling(*meaning)
    alone = [{axis: choice} for axis, choices in CHOICES.items() for choice in choices[1:]]
    wanted = [{}, *alone]
    wanted += [{"storage": "flat", **other} for other in alone]
    wanted += [{"form": "blocks", **other} for other in alone]
    wanted += [{"storage": "flat", "form": "blocks", "tiling": tiling} for tiling in ("split", "fused")]
    draw = random.Random(zlib.crc32(kernel.name.encode()))
    wanted += [{axis: draw.choice(choices) for axis, choices in CHOICES.items()} for _ in range(12)]
    return list(dict.fromkeys(dataclasses.replace(base, **choices) for choices in wanted))


def random_spellings(draw, count):
    """Spellings of any meaning; of sizes that are constant fewer."""
    return [Spelling(draw.choice(("constant", "symbolic", "symbolic")), draw.choice(("int32", "int64")),
                     *map(draw.choice, CHOICES.values())) for _ in range(count)]


def programs_of(kernel, spellings, sizes):
    """The programs of a kernel in some spellings, none twice."""
    found = {}
    for spelling in spellings:
        try:
            program = Program(kernel, spelling, sizes)
        except NotOffered:
            continue
        found.setdefault(program.text, program)
    return list(found.values())
