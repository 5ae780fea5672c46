"""What is wrong with a model of ONNX, in its own words, before a front end is asked: a front end's own errors name what it
stumbled on, and not what is to be done."""

from onnx_constants import version_of
from refusals import Refused


def read_weights(model, path):
    """Those that lie in files beside the model, which may be gone."""
    import os
    from onnx import external_data_helper
    try:
        external_data_helper.load_external_data_for_model(model, os.path.dirname(os.path.abspath(path)))
    except Exception as problem:  # onnx has a class of its own for each kind of place
        places = {e.value for t in external_data_helper._get_all_tensors(model) for e in t.external_data
                  if e.key == "location"}
        gone = [place for place in sorted(places)
                if not os.path.isfile(os.path.join(os.path.dirname(os.path.abspath(path)), place))]
        what = f"its weights lie in {', '.join(gone)}, which is not there" if gone else f"its weights: {problem}"
        raise Refused(3, what) from problem


def refuse_types(model):
    """Floats of 8 bits without a negative zero, which the front end takes for those with one; and what is no tensor of
    numbers."""
    from onnx import TensorProto
    for info in (*model.graph.input, *model.graph.output):
        kind = info.type.WhichOneof("value")
        if kind in ("sequence_type", "map_type", "sparse_tensor_type"):
            raise Refused(1, f"'{info.name}' is no tensor, but of {kind.removesuffix('_type').replace('_', ' ')} type")
        if info.type.tensor_type.elem_type == TensorProto.STRING:
            raise Refused(1, f"'{info.name}' is a tensor of texts, of which no program can have any")
    odd = {TensorProto.FLOAT8E4M3FNUZ: "float8_e4m3fnuz", TensorProto.FLOAT8E5M2FNUZ: "float8_e5m2fnuz"}
    kinds = [info.type.tensor_type.elem_type for info in (*model.graph.input, *model.graph.output)]
    kinds += [t.data_type for t in model.graph.initializer]
    kinds += [a.i if a.name == "to" else a.t.data_type for node in model.graph.node for a in node.attribute
              if node.op_type in ("Cast", "Constant")]
    for kind in kinds:
        if kind in odd:
            raise Refused(1, f"TVM's front end has no type {odd[kind]}")


def refuse_unknown_values(graph, outer=frozenset()):
    """Every value is given before it is used, as ONNX wants it."""
    known = {*outer, *(info.name for info in graph.input), *(t.name for t in graph.initializer),
             *(t.values.name for t in graph.sparse_initializer)}
    for node in graph.node:
        for name in node.input:
            if name and name not in known:
                raise Refused(1, f"'{name}', which {node.op_type} '{node.name or node.output[0]}' reads, is given by nothing"
                                 " in front of it")
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                refuse_unknown_values(inner, known)
        known.update(node.output)
    for info in graph.output:
        if info.name not in known:
            raise Refused(1, f"'{info.name}', a result, is given by nothing")


def remark_on_version(model):
    """Operators newer than the onnx package are read as the newest that it knows."""
    from onnx import defs
    version = version_of(model)
    if version <= defs.onnx_opset_version():
        return ""
    return (f"its operators are of version {version}, newer than the onnx package here, which knows them up to"
            f" {defs.onnx_opset_version()}")
