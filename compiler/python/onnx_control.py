"""Choices and loops of ONNX whose course is known, written out: TVM's front end has no loops."""

# Operators that a model may have for what loops become.
MOST_WRITTEN = 20000


class Body:
    """A graph inside of an operator, which may be written out several times: each time under other names."""

    def __init__(self, graph, name):
        self.graph, self.name, self.n = graph, name, 0

    def write(self, given):
        """Its nodes and its initial values, and the names of its results, where its inputs are what is given. Initial
        values are the same each time, and come the first time."""
        self.n += 1
        mark = f"{self.name}.{self.n}."
        names = {info.name: value for info, value in zip(self.graph.input, given)}
        own = [t for t in self.graph.initializer if t.name not in names]
        names |= {t.name: f"{self.name}.initial.{t.name}" for t in own}
        initial = [named(t, names[t.name]) for t in own] if self.n == 1 else []
        nodes = renamed(self.graph.node, names, mark)
        return nodes, initial, [names.get(result.name, result.name) for result in self.graph.output]


def named(tensor, name):
    """A tensor under the name of its value: those of attributes have others, or none."""
    copy = type(tensor).FromString(tensor.SerializeToString())
    copy.name = name
    return copy


def renamed(nodes, names, mark):
    """Copies of nodes, in which others stand for the names that are known; results get the mark and become known."""
    copies = []
    for node in nodes:
        copy = type(node).FromString(node.SerializeToString())
        copy.input[:] = [names.get(name, name) for name in node.input]
        names |= {name: mark + name for name in node.output if name}
        copy.output[:] = [names.get(name, name) for name in node.output]
        for attribute in copy.attribute:
            if attribute.HasField("g"):
                rename_inside(attribute.g, dict(names), mark)
        copies.append(copy)
    return copies


def rename_inside(graph, names, mark):
    for info in [*graph.input, *graph.initializer]:
        names[info.name] = mark + info.name
        info.name = names[info.name]
    nodes = renamed(graph.node, names, mark)
    del graph.node[:]
    graph.node.extend(nodes)
    for result in graph.output:
        result.name = names.get(result.name, result.name)


def written_out(node, known):
    """The nodes and initial values that an operator is, or None where its course is not known."""
    from onnx import helper
    course = {"If": choice, "Loop": loop, "Scan": scan}.get(node.op_type)
    if course is None:
        return None
    written = course(node, {a.name: helper.get_attribute_value(a) for a in node.attribute}, known)
    known.room -= count(written[0]) if written else 0
    return written


def count(nodes):
    """How many there are, with those inside of others."""
    return sum(1 + sum(count(a.g.node) for a in node.attribute if a.HasField("g")) for node in nodes)


def same(value, name):
    from onnx import helper
    return helper.make_node("Identity", [value], [name])


def choice(node, attributes, known):
    condition = known.value(node.input[0])
    if condition is None or condition.size != 1:
        return None
    arm = attributes["then_branch" if condition.item() else "else_branch"]
    nodes, initial, results = Body(arm, node.output[0]).write([])
    return nodes + [same(value, name) for value, name in zip(results, node.output) if name], initial


def goes_on(body, known):
    """Whether a loop's body has nothing to say against another round."""
    name = body.output[0].name
    made = {output: inner for inner in body.node for output in inner.output}
    while name in made and made[name].op_type == "Identity":
        name = made[name].input[0]
    if len(body.input) > 1 and name == body.input[1].name:
        return True
    constants = [t for t in body.initializer if t.name == name]
    constants += [a.t for a in made[name].attribute if a.name == "value"] if name in made else []
    value = known.array(constants[0]) if constants else known.value(name)
    return value is not None and value.size == 1 and bool(value.item())


def loop(node, attributes, known):
    """A loop of so many rounds."""
    import numpy
    body = attributes["body"]
    rounds = known.value(node.input[0]) if node.input[0] else None
    begins = known.value(node.input[1]) if len(node.input) > 1 and node.input[1] else numpy.array(True)
    if rounds is None or rounds.size != 1 or begins is None or not begins.all() or not goes_on(body, known):
        return None
    n = int(rounds.item())
    if not 1 <= n <= known.room // (count(body.node) + 1):
        return None
    writer = Writer(Body(body, node.output[0]), node)
    condition = writer.constant(numpy.array(True))
    states = list(node.input[2:])
    for i in range(n):
        _, *results = writer.round([writer.constant(numpy.array(i)), condition, *states])
        states = results[:len(states)]
        writer.keep(results[len(states):])
    return writer.finish(states)


def scan(node, attributes, known):
    """A loop along an axis of its operands."""
    import numpy
    body, n_along = attributes["body"], attributes["num_scan_inputs"]
    if known.version < 9:
        return None
    along, states = node.input[-n_along:], list(node.input[:len(node.input) - n_along])
    axes = attributes.get("scan_input_axes", [0] * n_along)
    backwards = attributes.get("scan_input_directions", [0] * n_along)
    dims = known.sizes_of(along[0])
    n = dims[axes[0]] if dims else None
    if not n or n > known.room // (count(body.node) + n_along + 1):
        return None
    n_results = len(node.output) - len(states)
    writer = Writer(Body(body, node.output[0]), node)
    writer.axes = attributes.get("scan_output_axes", [0] * n_results)
    writer.backwards = attributes.get("scan_output_directions", [0] * n_results)
    for i in range(n):
        given = [writer.add("Gather", value, writer.constant(numpy.array(n - 1 - i if turned else i)), axis=axis)
                 for value, axis, turned in zip(along, axes, backwards)]
        results = writer.round([*states, *given])
        states = results[:len(states)]
        writer.keep(results[len(states):])
    return writer.finish(states)


class Writer:
    """A loop under way to the nodes of all its rounds."""

    def __init__(self, body, node):
        self.body, self.node, self.n = body, node, 0
        self.nodes, self.initial, self.kept = [], [], []
        self.axes, self.backwards = (), ()  # of what all rounds give, along the first axis and forwards else

    def name(self, kind):
        self.n += 1
        return f"{self.body.name}.{kind}.{self.n}"

    def constant(self, value):
        from onnx import numpy_helper
        self.initial.append(numpy_helper.from_array(value, self.name("constant")))
        return self.initial[-1].name

    def add(self, kind, *operands, result=None, **attributes):
        from onnx import helper
        result = result or self.name(kind)
        self.nodes.append(helper.make_node(kind, list(operands), [result], **attributes))
        return result

    def round(self, given):
        nodes, initial, results = self.body.write(given)
        self.nodes += nodes
        self.initial += initial
        return results

    def keep(self, results):
        self.kept.append(results)

    def finish(self, states):
        """All of it, under the names of the operator's results."""
        import numpy
        names = list(self.node.output)
        for value, name in zip(states, names):
            if name:
                self.add("Identity", value, result=name)
        for k, name in enumerate(names[len(states):]):
            axis = self.axes[k] if k < len(self.axes) else 0
            at = self.constant(numpy.array([axis]))
            each = [self.add("Unsqueeze", results[k], at) for results in self.kept] if name else []
            if k < len(self.backwards) and self.backwards[k]:
                each.reverse()
            if name:
                self.add("Concat", *each, axis=axis, result=name)
        return self.nodes, self.initial
