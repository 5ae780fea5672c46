"""Operators of ONNX as what ONNX says that they are made of, which may depend on their attributes, on which operands they
have, and on these' types."""

import contextlib

# How often what an operator is made of is made of others.
DEPTH = 4
# The domains of functions that are on their way into the graph begin so.
OWN = "tirb.made_of"


def graphs_of(graph):
    """The graph, and those inside of its operators."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from graphs_of(inner)


def types_of(graph):
    """What is known of values' types, by their names."""
    from onnx import helper
    known = {t.name: helper.make_tensor_type_proto(t.data_type, t.dims) for t in graph.initializer}
    return known | {info.name: info.type for info in (*graph.input, *graph.value_info, *graph.output)}


def function_of(node, version, types):
    """What a node is made of, or None. Operands that it does not have are of no type."""
    from onnx import FunctionProto, TypeProto, defs
    if not defs.has(node.op_type, version, ""):
        return None
    schema = defs.get_schema(node.op_type, version, "")
    written = max((v for v in schema.all_function_opset_versions if v <= version), default=None)
    if written is None:
        return None
    if written in schema.context_dependent_function_opset_versions:
        given = [types.get(name, TypeProto()).SerializeToString() for name in node.input]
        function = schema.get_context_dependent_function_with_opset_version(written, node.SerializeToString(), given)
    else:
        function = schema.get_function_with_opset_version(written)
    function = FunctionProto.FromString(function if isinstance(function, bytes) else function.SerializeToString())
    said = {a.name for a in node.attribute}
    node.attribute.extend(a.default_value for name, a in schema.attributes.items()
                          if name not in said and a.default_value.name)
    return function


def made_of_others(model, is_wanted, version):
    """The model in which others stand for the operators that are wanted in others, as far as ONNX says which."""
    import onnx
    from onnx import helper, inliner
    for depth in range(DEPTH):
        domain = f"{OWN}.{depth}"
        if not any(is_wanted(node) for graph in graphs_of(model.graph) for node in graph.node):
            break
        with contextlib.suppress(Exception):  # of a model that is not in order, or too large for this
            model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        types, functions = {}, []
        for graph in graphs_of(model.graph):
            types |= types_of(graph)
        for node in (node for graph in graphs_of(model.graph) for node in graph.node if is_wanted(node)):
            with contextlib.suppress(Exception):  # what it is made of depends on what is not known
                function = function_of(node, version, types)
                if function is not None:
                    node.op_type, node.domain = f"{node.op_type}.{len(functions)}", domain
                    function.name, function.domain = node.op_type, domain
                    del function.opset_import[:]
                    function.opset_import.append(helper.make_opsetid("", version))
                    functions.append(function)
        if not functions:
            break
        model.functions.extend(functions)
        model.opset_import.append(helper.make_opsetid(domain, 1))
        model = inliner.inline_local_functions(model)
    return model
