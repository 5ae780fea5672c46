"""The fused kernels of a network, as TVM's Relax pipeline leaves them, each with its place in the network."""

import dataclasses
import re

import numpy as np
import tvm
from tvm import relax

LLVM = tvm.target.Target("llvm")
BEFORE = tvm.ir.transform.Sequential([relax.backend.DispatchSortScan(), relax.transform.LegalizeOps(),
                                      relax.transform.AnnotateTIROpPattern()])


@dataclasses.dataclass
class Kernel:
    """A fused PrimFunc; `ops` are the network's operators that it is, or None where it is a part of one."""
    name: str
    function: tvm.tirx.PrimFunc
    graph: object
    ops: list
    inputs: list  # names of values
    outputs: list
    types: list  # of the outputs

    def __post_init__(self):
        self.module = tvm.IRModule({"kernel": self.function.with_attr("global_symbol", "kernel")})
        self.text = self.module.script()

    def parameters(self):
        """Names of the PrimFunc's parameters as they are printed, results last."""
        head = next(line for line in self.text.splitlines() if "def kernel(" in line)
        return re.findall(r"(\w+): T\.Buffer\(", head)

    def zeros(self):
        """What results are written to."""
        return [np.zeros([int(d) for d in t.shape], str(t.dtype)) for t in self.types]


def bindings_of(function):
    for block in function.body.blocks:
        yield from block.bindings


def name_of(e):
    return getattr(e, "name_hint", None) or getattr(e, "name", None) or str(e)


class Values:
    """Names of values: an operator's result has the name that the network gives it, wherever it is bound."""

    def __init__(self, legal):
        self.known, self.order = {}, []
        names = {}
        for binding in bindings_of(legal):
            key = self.key(binding.value, names)
            names[binding.var] = self.known.setdefault(key, binding.var.name)
            self.order.append(names[binding.var])

    @staticmethod
    def key(value, names):
        """What a binding computes: its function and operands."""
        def name(e):
            if isinstance(e, relax.Tuple):
                return tuple(name(field) for field in e.fields)
            return names.get(e) or name_of(e)

        if isinstance(value, relax.Call):
            return (name_of(value.op), *(name(a) for a in value.args))
        if isinstance(value, relax.TupleGetItem):
            return (name(value.tuple_value), value.index)
        return name(value)

    def name(self, binding, names):
        key = self.key(binding.value, names)
        return key if isinstance(key, str) else self.known.get(key, binding.var.name)


def leaves(ty):
    return [leaf for field in ty.fields for leaf in leaves(field)] if isinstance(ty, relax.TupleType) else [ty]


def kernels_of(graph):
    """The kernels in the order of the network."""
    with LLVM:
        legal = BEFORE(tvm.script.from_source(graph.text(bound=False)))
    grouped = relax.transform.FuseOps()(legal)
    fused = relax.transform.FuseTIR()(grouped)
    values, found = Values(legal["main"]), []
    functions = {var.name_hint: function for var, function in fused.functions.items()}
    groups = {var.name_hint: function for var, function in grouped.functions.items()}
    owner = owners(graph, values)
    names, tuples = {}, {}
    for binding in bindings_of(grouped["main"]):
        value = binding.value
        if not isinstance(value, relax.Call):
            several = tuples.get(value.tuple_value) if isinstance(value, relax.TupleGetItem) else None
            names[binding.var] = several[value.index] if several else values.name(binding, names)
            continue
        is_group = isinstance(value.op, tvm.ir.GlobalVar)
        called = value.op if is_group else value.args[0]
        operands = list(value.args) if is_group else list(value.args[1].fields)
        operands = [names.get(a) or name_of(a) for a in operands]
        if is_group:
            inner, results = inside(groups[called.name_hint], operands, values)
        else:
            inner = results = [values.name(binding, names)]
        names[binding.var] = results[0]
        if len(results) > 1:
            tuples[binding.var] = results
        name = called.name_hint
        found.append(Kernel(name, functions[name], graph, operators(graph, owner, inner), operands, results,
                            leaves(binding.var.ty)))
    return found


def inside(group, operands, values):
    """Names of what a group computes, and of its results."""
    names, inner = dict(zip(group.params, operands)), []
    for binding in bindings_of(group):
        names[binding.var] = values.name(binding, names)
        inner.append(names[binding.var])
    body = group.body.body
    return inner, [names[e] for e in (body.fields if isinstance(body, relax.Tuple) else [body])]


def owners(graph, values):
    """Of each value the operator that it is, or a part of: what has no name is a part of what comes next."""
    made, found, waiting = {op.output.name: op for op in graph.ops}, {}, []
    for name in values.order:
        waiting.append(name)
        if name in made:
            found.update((part, made[name]) for part in waiting)
            waiting = []
    return found


def operators(graph, owner, inner):
    """The operators that the values are, all of each; None where a part of one is elsewhere."""
    ops = {id(owner[name]) for name in inner if name in owner}
    whole = all(name in inner for name, op in owner.items() if id(op) in ops)
    return [op for op in graph.ops if id(op) in ops] if whole and ops else None

