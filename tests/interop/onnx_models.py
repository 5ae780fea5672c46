#!/usr/bin/env python3
"""`tirb import` of whole models, which are made here: tirb's results against those of ONNX's own reference evaluator.

    onnx_models.py TIRB [--light] [--tirb NAME=COMMAND]... [name ...]

What import prints is run, here and by each other COMMAND, which may begin with an emulator: the same bundle gives the
same bytes there. --light: the networks that the onnx package ships (with weights that are all the same), against the
outputs beside them."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import tvm  # noqa: F401: what import needs
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

PATIENCE = 120
CODE = 1 << 17  # bytes of a bundle besides its weights


class Graph:
    """A model under way: nodes, weights with random values, inputs."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.n = [], [], [], 0

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def weight(self, *shape, scale=0.3, value=None, name=None):
        array = (self.rng.standard_normal(shape) * scale).astype("float32") if value is None else np.asarray(value)
        self.n += 1
        self.weights.append(numpy_helper.from_array(array, name or f"layer.{self.n}.weight"))
        return self.weights[-1].name

    def add(self, kind, *operands, n_outputs=1, **attributes):
        self.n += 1
        outputs = [f"{kind.lower()}_{self.n}_{i}" for i in range(n_outputs)]
        self.nodes.append(helper.make_node(kind, list(operands), outputs, **attributes))
        return outputs[0] if n_outputs == 1 else outputs

    def model(self, version=19, **outputs):
        """Outputs are NAME=(value, rank, type)."""
        infos = []
        for name, (value, rank, kind) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [value], [name]))
            infos.append(helper.make_tensor_value_info(name, kind, [None] * rank))
        graph = helper.make_graph(self.nodes, "model", self.inputs, infos, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=9)


def mlp(g):
    """With a batch of any size."""
    x = g.input("x", ["1st class", 16])
    h = g.add("Relu", g.add("Gemm", x, g.weight(16, 32), g.weight(32)))
    y = g.add("Softmax", g.add("Gemm", h, g.weight(10, 32), g.weight(10), transB=1), axis=-1)
    return g.model(y=(y, 2, TensorProto.FLOAT)), {"x": (5, 16)}


def batch_norm(g, x, channels):
    return g.add("BatchNormalization", x, g.weight(channels), g.weight(channels), g.weight(channels),
                 g.weight(value=g.rng.uniform(0.5, 2, channels).astype("float32")))


def residual(g):
    x = g.input("image.0", ["batch", 3, 16, 16])
    h = g.add("Relu", batch_norm(g, g.add("Conv", x, g.weight(8, 3, 3, 3), pads=[1, 1, 1, 1]), 8))
    h = g.add("MaxPool", h, kernel_shape=[2, 2], strides=[2, 2])
    for channels, stride in ((8, 1), (16, 2)):
        into = {8: 8, 16: 8}[channels]
        deep = g.add("Conv", h, g.weight(channels, into, 3, 3), pads=[1, 1, 1, 1], strides=[stride, stride])
        deep = g.add("Relu", batch_norm(g, deep, channels))
        deep = batch_norm(g, g.add("Conv", deep, g.weight(channels, channels, 3, 3), pads=[1, 1, 1, 1]), channels)
        if stride > 1:
            h = g.add("Conv", h, g.weight(channels, into, 1, 1), strides=[stride, stride])
        h = g.add("Relu", g.add("Add", deep, h))
    h = g.add("Flatten", g.add("GlobalAveragePool", h))
    return (g.model(scores=(g.add("Gemm", h, g.weight(16, 10), g.weight(10)), 2, TensorProto.FLOAT)),
            {"image.0": (2, 3, 16, 16)})


def transformer(g):
    """One block of attention, with sequences of any length, and layer norms; Gelu as exporters write it."""
    width, heads = 32, 4
    x = g.input("x", ["T", "length of all", width])
    norm = lambda v: g.add("LayerNormalization", v, g.weight(width), g.weight(width), axis=-1)
    split = lambda v: g.add("Transpose", g.add("Reshape", v, g.weight(value=np.array([0, 0, heads, width // heads]))),
                            perm=[0, 2, 1, 3])
    q, k, v = (split(g.add("Add", g.add("MatMul", n, g.weight(width, width)), g.weight(width)))
               for n in [norm(x)] for _ in range(3))
    scores = g.add("Div", g.add("MatMul", q, g.add("Transpose", k, perm=[0, 1, 3, 2])),
                   g.weight(value=np.float32((width // heads) ** 0.5)))
    mixed = g.add("Transpose", g.add("MatMul", g.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    mixed = g.add("MatMul", g.add("Reshape", mixed, g.weight(value=np.array([0, 0, width]))), g.weight(width, width))
    h = g.add("Add", x, mixed)
    deep = g.add("MatMul", norm(h), g.weight(width, 64))
    half = g.add("Mul", deep, g.weight(value=np.float32(0.5)))
    erf = g.add("Erf", g.add("Div", deep, g.weight(value=np.float32(2 ** 0.5))))
    deep = g.add("Mul", half, g.add("Add", erf, g.weight(value=np.float32(1))))
    return (g.model(y=(g.add("Add", h, g.add("MatMul", deep, g.weight(64, width))), 3, TensorProto.FLOAT)),
            {"x": (2, 7, width)})


def embedding(g):
    """Tokens in, the best next one out."""
    tokens = g.input("tokens", ["batch", "length"], TensorProto.INT64)
    table = g.weight(50, 12)
    h = g.add("Gather", table, tokens)
    h = g.add("Tanh", g.add("MatMul", h, g.weight(12, 12)))
    logits = g.add("MatMul", h, g.add("Transpose", table, perm=[1, 0]))
    return (g.model(next=(g.add("ArgMax", logits, axis=-1, keepdims=0), 2, TensorProto.INT64)), {"tokens": (2, 5)})


def lstm_cells(g):
    """Three steps of a cell, written out."""
    x, h, c = g.input("x", [2, 3, 6]), g.input("h", [2, 8]), g.input("c", [2, 8])
    w, r, b = g.weight(6, 32), g.weight(8, 32), g.weight(32)
    steps = g.add("Split", x, axis=1, n_outputs=3)
    for step in steps:
        step = g.add("Squeeze", step, g.weight(value=np.array([1])))
        gates = g.add("Add", g.add("Add", g.add("MatMul", step, w), g.add("MatMul", h, r)), b)
        i, o, f, n = g.add("Split", gates, axis=-1, n_outputs=4)
        c = g.add("Add", g.add("Mul", g.add("Sigmoid", f), c), g.add("Mul", g.add("Sigmoid", i), g.add("Tanh", n)))
        h = g.add("Mul", g.add("Sigmoid", o), g.add("Tanh", c))
    return (g.model(h2=(h, 2, TensorProto.FLOAT), c2=(c, 2, TensorProto.FLOAT)),
            {"x": (2, 3, 6), "h": (2, 8), "c": (2, 8)})


def gru_cells(g):
    """Two steps of one that resets before it multiplies."""
    x, h = g.input("x", [2, 2, 6]), g.input("h", [2, 8])
    one = g.weight(value=np.float32(1))
    weights = [(g.weight(6, 8), g.weight(8, 8), g.weight(8)) for _ in range(3)]
    sums = lambda v, h, part: g.add("Add", g.add("Add", g.add("MatMul", v, part[0]), g.add("MatMul", h, part[1])), part[2])
    for step in range(2):
        v = g.add("Gather", x, g.weight(value=np.array(step)), axis=1)
        z, r = (g.add("Sigmoid", sums(v, h, part)) for part in weights[:2])
        n = g.add("Tanh", sums(v, g.add("Mul", r, h), weights[2]))
        h = g.add("Add", g.add("Mul", g.add("Sub", one, z), n), g.add("Mul", z, h))
    return g.model(h2=(h, 2, TensorProto.FLOAT)), {"x": (2, 2, 6), "h": (2, 8)}


def recurrent(g):
    """Layers as operators, of four steps."""
    x = g.input("x", [4, "batch", 6])
    h, last, _ = g.add("LSTM", x, g.weight(1, 32, 6), g.weight(1, 32, 8), g.weight(1, 64), n_outputs=3, hidden_size=8)
    h = g.add("Squeeze", h, g.weight(value=np.array([1])))
    h, _ = g.add("GRU", h, g.weight(1, 15, 8), g.weight(1, 15, 5), g.weight(1, 30), n_outputs=2,
                 hidden_size=5, linear_before_reset=1)
    _, end = g.add("RNN", g.add("Squeeze", h, g.weight(value=np.array([1]))), g.weight(1, 3, 5), g.weight(1, 3, 3),
                   n_outputs=2, hidden_size=3)
    return (g.model(end=(end, 3, TensorProto.FLOAT), last=(last, 3, TensorProto.FLOAT)),
            {"x": (4, 3, 6)})


def long_sequence(g):
    """Layers of many steps, which share their weights, and a loop whose body has some of its own."""
    x = g.input("x", [12, 1, 8])
    h, _ = g.add("LSTM", x, g.weight(1, 256, 8), g.weight(1, 256, 64), g.weight(1, 512), n_outputs=2, hidden_size=64)
    h = g.add("ReduceSum", h, g.weight(value=np.array([0, 1])), keepdims=0)
    value = lambda name, kind=TensorProto.FLOAT, shape=(1, 64): helper.make_tensor_value_info(name, kind, shape)
    own = numpy_helper.from_array((g.rng.standard_normal((64, 64)) * 0.1).astype("float32"), "own")
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "own"], ["next"]), helper.make_node("Identity", ["goes_on"], ["goes_on_then"])],
        "body", [value("i", TensorProto.INT64, ()), value("goes_on", TensorProto.BOOL, ()), value("state")],
        [value("goes_on_then", TensorProto.BOOL, ()), value("next")], [own])
    y = g.add("Loop", g.weight(value=np.array(20)), g.weight(value=np.array(True)), h, body=body)
    return g.model(y=(y, 2, TensorProto.FLOAT)), {"x": (12, 1, 8)}


def trained(g):
    """Batch norms in training: their running sums are results."""
    x = g.input("x", ["batch", 3, 4, 5])
    outputs = {}
    for i, momentum in enumerate((0.9, 0.25)):
        x, mean, variance = g.add("BatchNormalization", x, *(g.weight(3) for _ in range(3)),
                                  g.weight(value=g.rng.uniform(0.5, 2, 3).astype("float32")), n_outputs=3,
                                  training_mode=1, momentum=momentum, epsilon=0.01)
        outputs |= {f"mean{i}": (mean, 1, TensorProto.FLOAT), f"variance{i}": (variance, 1, TensorProto.FLOAT)}
    return g.model(y=(x, 4, TensorProto.FLOAT), **outputs), {"x": (2, 3, 4, 5)}


def quantised_operators(g):
    """A convolution of bytes with a scale for each channel, and a product of matrices."""
    x = g.input("x", ["batch", 4, 6, 6])
    scale, zero = g.weight(value=np.float32(0.03)), g.weight(value=np.uint8(120))
    x = g.add("QuantizeLinear", x, scale, zero)
    w = g.weight(value=g.rng.integers(-100, 100, (5, 4, 3, 3)).astype("int8"))
    h = g.add("QLinearConv", x, scale, zero, w, g.weight(value=g.rng.uniform(0.001, 0.01, 5).astype("float32")),
              g.weight(value=np.zeros(5, "int8")), scale, zero, g.weight(value=np.arange(5, dtype="int32") * 100))
    h = g.add("Flatten", h)
    w = g.weight(value=g.rng.integers(0, 255, (80, 7)).astype("uint8"))
    y = g.add("QLinearMatMul", h, scale, zero, w, g.weight(value=np.float32(0.002)), g.weight(value=np.uint8(128)), scale,
              zero)
    return g.model(y=(y, 2, TensorProto.UINT8)), {"x": (2, 4, 6, 6)}


def made_of_others(g):
    """Operators that the front end has not, and some that it has otherwise."""
    x = g.input("x", ["batch", 6])
    one = g.add("Constant", value_float=0.5)
    h = g.add("LpNormalization", g.add("Celu", g.add("Mul", x, one), alpha=0.7), axis=1, p=2)
    far = g.add("IsInf", g.add("Log", g.add("Relu", x)), detect_positive=0)
    return (g.model(y=(h, 2, TensorProto.FLOAT), far=(far, 2, TensorProto.BOOL)), {"x": (3, 6)})


def quantised(g):
    """Weights of int8 with a scale for each channel, activations through uint8."""
    x = g.input("x", ["class", 16])
    scale, zero = g.weight(value=np.float32(0.05)), g.weight(value=np.uint8(128))
    h = g.add("DequantizeLinear", g.add("QuantizeLinear", x, scale, zero), scale, zero)
    w = g.weight(value=g.rng.integers(-127, 128, (16, 24)).astype("int8"))
    w = g.add("DequantizeLinear", w, g.weight(value=g.rng.uniform(0.001, 0.01, 24).astype("float32")),
              g.weight(value=np.zeros(24, "int8")), axis=1)
    return g.model(y=(g.add("Clip", g.add("MatMul", h, w), g.weight(value=np.float32(-1)),
                            g.weight(value=np.float32(1))), 2, TensorProto.FLOAT)), {"x": (3, 16)}


def u_net(g):
    """Down and up again, with what was there before beside it."""
    x = g.input("x", [1, 2, 8, 8])
    top = g.add("LeakyRelu", g.add("Conv", x, g.weight(4, 2, 3, 3), g.weight(4), pads=[1, 1, 1, 1]), alpha=0.1)
    low = g.add("AveragePool", top, kernel_shape=[2, 2], strides=[2, 2])
    low = g.add("Conv", low, g.weight(8, 1, 3, 3), pads=[1, 1, 1, 1], group=4)
    up = g.add("ConvTranspose", low, g.weight(8, 4, 2, 2), strides=[2, 2])
    both = g.add("Concat", top, up, axis=1)
    wide = g.add("Resize", both, "", g.weight(value=np.array([1, 1, 2, 2], "float32")), mode="nearest",
                 coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    return g.model(y=(g.add("Sigmoid", g.add("Conv", wide, g.weight(1, 8, 1, 1))), 4, TensorProto.FLOAT)), {
        "x": (1, 2, 8, 8)}


def upsampled(g):
    """Images of any size, in twice that."""
    x = g.input("x", ["batch", 2, "height", "width"])
    h = g.add("Resize", g.add("Conv", x, g.weight(3, 2, 3, 3), pads=[1, 1, 1, 1]), "",
              g.weight(value=np.array([1, 1, 2, 2], "float32")), mode="linear")
    return g.model(y=(g.add("Relu", h), 4, TensorProto.FLOAT)), {"x": (2, 2, 5, 4)}


def small_images(g):
    """Kernels that are larger than the images that they meet, whose places do not all count; of one window, of two calls,
    of groups, dilated, in one dimension and in three."""
    x = g.input("x", [1, 24, 4, 4])
    h = g.add("Relu", g.add("Conv", x, g.weight(40, 24, 3, 3), g.weight(40), pads=[1] * 4, strides=[2, 2]))
    wide = g.add("Conv", h, g.weight(24, 40, 5, 5), pads=[2] * 4)
    far = g.add("Conv", wide, g.weight(24, 1, 5, 3), group=24, dilations=[2, 1], pads=[4, 1, 4, 1])
    one = g.add("Relu", g.add("Conv", far, g.weight(36, 24, 4, 3), g.weight(36), pads=[2, 1, 1, 1], strides=[2, 3]))
    shared = g.weight(36, 36, 3, 3, scale=0.1)
    for _ in range(2):
        one = g.add("Tanh", g.add("Conv", one, shared, pads=[1] * 4))
    row = g.add("Conv", g.add("Reshape", one, g.weight(value=np.array([1, 36, 1]))), g.weight(20, 36, 7), pads=[3, 3])
    cube = g.add("Reshape", g.add("Tanh", row), g.weight(value=np.array([1, 20, 1, 1, 1])))
    cube = g.add("Conv", cube, g.weight(6, 10, 3, 1, 3), group=2, pads=[1, 0, 2, 1, 0, 0])
    return (g.model(one=(one, 4, TensorProto.FLOAT), cube=(cube, 5, TensorProto.FLOAT), far=(far, 4, TensorProto.FLOAT)),
            {"x": (1, 24, 4, 4)})


def shapes(g):
    """Sizes that are computed from sizes, as exporters write `view`."""
    x = g.input("x", ["batch", 3, 4, "width"])
    size = g.add("Shape", x)
    first = g.add("Gather", size, g.weight(value=np.array(0)))
    wanted = g.add("Concat", g.add("Unsqueeze", first, g.weight(value=np.array([0]))), g.weight(value=np.array([-1])),
                   axis=0)
    flat = g.add("Reshape", x, wanted)
    return g.model(y=(g.add("ReduceMean", flat, g.weight(value=np.array([1])), keepdims=0), 1, TensorProto.FLOAT)), {"x": (2, 3, 4, 5)}


def mobile(g):
    """Depthwise convolutions, squeeze and excitation, hard activations."""
    x = g.input("x", ["batch", 3, 16, 16])
    h = g.add("HardSwish", batch_norm(g, g.add("Conv", x, g.weight(8, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1]), 8))
    deep = g.add("Relu", batch_norm(g, g.add("Conv", h, g.weight(16, 8, 1, 1)), 16))
    deep = batch_norm(g, g.add("Conv", deep, g.weight(16, 1, 3, 3), group=16, pads=[1, 1, 1, 1]), 16)
    gate = g.add("Relu", g.add("Conv", g.add("GlobalAveragePool", deep), g.weight(4, 16, 1, 1), g.weight(4)))
    gate = g.add("HardSigmoid", g.add("Conv", gate, g.weight(16, 4, 1, 1), g.weight(16)), alpha=1 / 6, beta=0.5)
    deep = g.add("Clip", g.add("Mul", deep, gate), g.weight(value=np.float32(0)), g.weight(value=np.float32(6)))
    h = g.add("Add", h, g.add("Conv", deep, g.weight(8, 16, 1, 1)))
    h = g.add("ReduceMean", h, g.weight(value=np.array([2, 3])), keepdims=0)
    return g.model(y=(g.add("Gemm", h, g.weight(8, 5), g.weight(5)), 2, TensorProto.FLOAT)), {"x": (2, 3, 16, 16)}


def decoder(g):
    """Tokens, their places, and a mask that hides what comes later."""
    width, heads, length = 16, 2, 6
    tokens = g.input("tokens", ["batch", length], TensorProto.INT64)
    h = g.add("Add", g.add("Gather", g.weight(50, width), tokens), g.weight(length, width))
    hidden = g.weight(value=np.triu(np.ones((1, 1, length, length), bool), 1))
    norm = g.add("LayerNormalization", h, g.weight(width), g.weight(width), axis=-1)
    qkv = g.add("Split", g.add("Add", g.add("MatMul", norm, g.weight(width, 3 * width)), g.weight(3 * width)), axis=-1,
                n_outputs=3, num_outputs=3)
    shape = g.weight(value=np.array([0, 0, heads, width // heads]))
    q, k, v = (g.add("Transpose", g.add("Reshape", part, shape), perm=[0, 2, 1, 3]) for part in qkv)
    scores = g.add("Mul", g.add("MatMul", q, g.add("Transpose", k, perm=[0, 1, 3, 2])), g.weight(value=np.float32(0.35)))
    scores = g.add("Where", hidden, g.weight(value=np.float32(-1e9)), scores)
    mixed = g.add("Transpose", g.add("MatMul", g.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    mixed = g.add("MatMul", g.add("Reshape", mixed, g.weight(value=np.array([0, 0, width]))), g.weight(width, width))
    h = g.add("Add", h, mixed)
    last = g.add("Slice", h, g.weight(value=np.array([-1])), g.weight(value=np.array([2 ** 62])),
                 g.weight(value=np.array([1])))
    return g.model(next=(g.add("MatMul", last, g.weight(width, 50)), 3, TensorProto.FLOAT)), {"tokens": (2, 6)}


def vision_transformer(g):
    """Patches, a token of the class before them for each image of the batch, places that are added."""
    width = 12
    x = g.input("x", ["batch", 3, 8, 8])
    patches = g.add("Conv", x, g.weight(width, 3, 4, 4), g.weight(width), strides=[4, 4])
    patches = g.add("Transpose", g.add("Reshape", patches, g.weight(value=np.array([0, width, -1]))), perm=[0, 2, 1])
    batch = g.add("Slice", g.add("Shape", x), g.weight(value=np.array([0])), g.weight(value=np.array([1])))
    wanted = g.add("Concat", batch, g.weight(value=np.array([1, width])), axis=0)
    token = g.add("Expand", g.weight(1, 1, width), wanted)
    h = g.add("Add", g.add("Concat", token, patches, axis=1), g.weight(1, 5, width))
    h = g.add("LayerNormalization", h, g.weight(width), g.weight(width), axis=-1)
    first = g.add("Gather", h, g.weight(value=np.array(0)), axis=1)
    return g.model(y=(g.add("Gemm", first, g.weight(width, 4), g.weight(4)), 2, TensorProto.FLOAT)), {"x": (2, 3, 8, 8)}


def detector(g):
    """Boxes from a grid of a map's size, and the best of their classes, of two maps."""
    x = g.input("x", ["batch", 3, 16, 16])
    found = []
    for stride in (4, 8):
        h = g.add("Sigmoid", g.add("Conv", x, g.weight(7, 3, stride, stride), strides=[stride, stride]))
        h = g.add("Transpose", g.add("Reshape", h, g.weight(value=np.array([0, 7, -1]))), perm=[0, 2, 1])
        n = 16 // stride
        grid = np.stack(np.meshgrid(np.arange(n), np.arange(n)), -1).reshape(1, n * n, 2).astype("float32")
        place, size, scores = g.add("Split", h, g.weight(value=np.array([2, 2, 3])), axis=2, n_outputs=3)
        place = g.add("Mul", g.add("Add", place, g.weight(value=grid)), g.weight(value=np.float32(stride)))
        size = g.add("Mul", g.add("Pow", size, g.weight(value=np.float32(2))), g.weight(value=np.float32(16)))
        found.append(g.add("Concat", place, size, scores, axis=2))
    everything = g.add("Concat", *found, axis=1)
    boxes, scores = g.add("Split", everything, g.weight(value=np.array([4, 3])), axis=2, n_outputs=2)
    best = g.add("ReduceMax", scores, g.weight(value=np.array([2])), keepdims=0)
    values, places = g.add("TopK", best, g.weight(value=np.array([5])), axis=1, n_outputs=2)
    chosen = g.add("GatherElements", g.add("ReduceSum", boxes, g.weight(value=np.array([2])), keepdims=0), places, axis=1)
    return (g.model(values=(values, 2, TensorProto.FLOAT), places=(places, 2, TensorProto.INT64),
                    chosen=(chosen, 2, TensorProto.FLOAT)), {"x": (2, 3, 16, 16)})


def older(g):
    """In a version of ONNX where slices and sizes are attributes."""
    x = g.input("x", ["batch", 2, 6, 5])
    h = g.add("Slice", x, starts=[1, -4], ends=[1000, 4], axes=[2, 3])
    h = g.add("Pad", g.add("Clip", h, min=-1.0, max=0.75), pads=[0, 0, 1, 0, 0, 0, 0, 2], value=0.5)
    h = g.add("Upsample", h, g.weight(value=np.array([1, 1, 2, 3], "float32")), mode="nearest")
    return g.model(version=9, y=(h, 4, TensorProto.FLOAT)), {"x": (2, 2, 6, 5)}


def sizes_given(g):
    """Sizes that are an input."""
    x, sizes = g.input("x", ["rows", 1]), g.input("sizes", [2], TensorProto.INT64)
    return g.model(y=(g.add("Expand", x, sizes), 2, TensorProto.FLOAT)), {"x": (3, 1), "sizes": (2,)}


def odd_names(g):
    """Results with names that no program could give them, of which one is an input's and one is another one's number."""
    x = g.input("x", ["batch", 3])
    y = g.add("Relu", x)
    return (g.model(**{"/layer/out:0": (y, 2, TensorProto.FLOAT), "two words": (g.add("Neg", x), 2, TensorProto.FLOAT),
                       "0": (g.add("Exp", x), 2, TensorProto.FLOAT), "é=1": (g.add("Abs", x), 2, TensorProto.FLOAT)}),
            {"x": (2, 3)})


def halved(g):
    """Sizes that are computed with, of images whose batch alone is not known; what a size decides of."""
    x = g.input("x", ["batch", 6, 8, 8])
    size = g.add("Shape", x)
    of = lambda i: g.add("Gather", size, g.weight(value=np.array([i])), axis=0)
    half = g.add("Div", of(1), g.weight(value=np.array([2])))
    front = g.add("Slice", x, g.weight(value=np.array([0])), half, g.weight(value=np.array([1])))
    wide = g.add("Concat", g.weight(value=np.array([-1])), half, g.add("Mul", of(2), of(3)), axis=0)
    flat = g.add("Reshape", front, wide)
    root = g.add("Sqrt", g.add("Cast", g.add("Slice", size, g.weight(value=np.array([-1])), g.weight(value=np.array([9]))),
                               to=TensorProto.FLOAT))
    flat = g.add("Div", flat, root)
    small = g.add("Less", g.add("Squeeze", of(2)), g.weight(value=np.array(9)))
    arm = lambda name, kind: helper.make_graph([helper.make_node(kind, [flat], [name])], name, [],
                                               [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
    y = g.add("If", small, then_branch=arm("then", "Relu"), else_branch=arm("else", "Neg"))
    return g.model(y=(y, 3, TensorProto.FLOAT)), {"x": (2, 6, 8, 8)}


def loops(g):
    """A loop of so many rounds, whose body has a choice that its round decides, and two along rows, one from their end."""
    value = lambda name, kind=TensorProto.FLOAT, shape=(2, 3): helper.make_tensor_value_info(name, kind, shape)
    node, x, rows = helper.make_node, g.input("x", [2, 3]), g.input("rows", [2, 4, 3])
    arms = [helper.make_graph([node(kind, ["state"], [name])], name, [], [value(name)])
            for kind, name in (("Exp", "grown"), ("Sin", "turned"))]
    one = numpy_helper.from_array(np.array(1), "one")
    body = helper.make_graph(
        [node("Less", ["i", "one"], ["early"]), node("If", ["early"], ["new"], then_branch=arms[0], else_branch=arms[1]),
         node("Cast", ["i"], ["float_i"], to=TensorProto.FLOAT), node("Add", ["new", "float_i"], ["next"]),
         node("Identity", ["goes_on"], ["goes_on_then"]), node("Neg", ["next"], ["seen"])],
        "body", [value("i", TensorProto.INT64, ()), value("goes_on", TensorProto.BOOL, ()), value("state")],
        [value("goes_on_then", TensorProto.BOOL, ()), value("next"), value("seen")], [one])
    last, seen = g.add("Loop", g.weight(value=np.array(3)), "", x, n_outputs=2, body=body)
    body = helper.make_graph([node("Add", ["sum", "row"], ["sum_then"]), node("Identity", ["sum_then"], ["kept"])], "sums",
                             [value("sum"), value("row")], [value("sum_then"), value("kept")])
    sums = [g.add("Scan", last, rows, n_outputs=2, body=body, num_scan_inputs=1, scan_input_axes=[1],
                  scan_input_directions=[way], scan_output_axes=[1], scan_output_directions=[1 - way]) for way in (0, 1)]

    def expected(x, rows):  # ONNX's evaluator takes rows of the first axis alone, and forwards
        seen, state = [], x
        for i in range(3):
            state = (np.exp(state) if i < 1 else np.sin(state)) + np.float32(i)
            seen.append(-state)
        kept = state[:, None] + np.cumsum(rows, 1)
        back = state[:, None] + np.cumsum(rows[:, ::-1], 1)
        return [np.stack(seen), kept[:, -1], kept[:, ::-1], back]

    return (g.model(seen=(seen, 3, TensorProto.FLOAT), end=(sums[0][0], 2, TensorProto.FLOAT),
                    kept=(sums[0][1], 3, TensorProto.FLOAT), back=(sums[1][1], 3, TensorProto.FLOAT)),
            {"x": (2, 3), "rows": (2, 4, 3)}, expected)


def recurrent_11(g):
    """A layer in a version of ONNX where axes are attributes."""
    x = g.input("x", [3, "batch", 6])
    h, last, _ = g.add("LSTM", x, g.weight(2, 32, 6), g.weight(2, 32, 8), g.weight(2, 64), n_outputs=3, hidden_size=8,
                       direction="bidirectional")
    h = g.add("LpNormalization", g.add("ReduceSum", h, axes=[1], keepdims=0), axis=2)
    return (g.model(version=11, y=(h, 3, TensorProto.FLOAT), last=(last, 3, TensorProto.FLOAT)), {"x": (3, 2, 6)})


def quantised_in_passing(g):
    """Activations whose scale is found where they are, as tools quantise what they have no samples for."""
    x = g.input("x", ["batch", 3, 6, 6])
    h, scale, zero = g.add("DynamicQuantizeLinear", x, n_outputs=3)
    w = g.weight(value=g.rng.integers(-100, 100, (4, 3, 3, 3)).astype("int8"))
    h = g.add("ConvInteger", h, w, zero, g.weight(value=np.int8(3)), pads=[1, 1, 1, 1])
    h = g.add("Relu", g.add("Mul", g.add("Cast", h, to=TensorProto.FLOAT), g.add("Mul", scale, g.weight(value=np.float32(0.01)))))
    h, scale, zero = g.add("DynamicQuantizeLinear", g.add("Flatten", h), n_outputs=3)
    w = g.weight(value=g.rng.integers(-100, 100, (144, 5)).astype("int8"))
    h = g.add("MatMulInteger", h, w, zero)
    y = g.add("Mul", g.add("Cast", h, to=TensorProto.FLOAT), g.add("Mul", scale, g.weight(value=np.float32(0.02))))
    return g.model(y=(y, 2, TensorProto.FLOAT)), {"x": (2, 3, 6, 6)}


def turned_rows(g):
    """Sequences of several lengths, from their ends on."""
    x = g.input("x", ["batch", 5, 3])
    y = g.add("ReverseSequence", x, g.weight(value=np.array([3, 5])), time_axis=1, batch_axis=0)
    return g.model(y=(y, 3, TensorProto.FLOAT)), {"x": (2, 5, 3)}


def constants(g):
    """What is made of constants alone: matrices by rows of results, one of them used as it is as well, a first state of
    zeros, positions for an image of another size; and bounds of one side."""
    x = g.input("x", ["batch", 12])
    table, pixels = g.weight(40, 12), g.weight(1, 12, 3, 3)
    h = g.add("Gemm", x, g.weight(16, 12), g.weight(16), transB=1)
    state = g.add("MatMul", g.weight(value=np.zeros((1, 8), "float32")), g.weight(8, 16))
    h = g.add("Clip", g.add("Add", h, state), g.weight(value=np.float32(0)))
    h = g.add("Max", g.add("Gemm", h, g.weight(12, 16), transB=1), g.weight(value=np.float32(-1)), g.weight(12))
    sized = g.add("Resize", pixels, "", "", g.weight(value=np.array([1, 12, 5, 2])), mode="cubic")
    places = g.add("ReduceMean", sized, g.weight(value=np.array([2, 3])), keepdims=0)
    h = g.add("Sum", h, places, g.add("Gather", table, g.weight(value=np.array([3]))))
    wide = g.add("Pad", g.add("Tile", h, g.weight(value=np.array([1, 2]))), g.weight(value=np.array([0, 1, 0, 2])))
    logits = g.add("MatMul", h, g.add("Transpose", table, perm=[1, 0]))
    return (g.model(logits=(logits, 2, TensorProto.FLOAT), wide=(wide, 2, TensorProto.FLOAT)), {"x": (3, 12)})


def exact(g):
    """Integers and doubles keep all of their bits, and what is made of constants has those of what is made of inputs."""
    x, n = g.add("Cast", g.input("x", [2, 4]), to=TensorProto.DOUBLE), g.add("Cast", g.input("n", [4]), to=TensorProto.INT64)
    large = g.weight(value=np.array(2**60 + 1))
    n = g.add("Clip", g.add("Mul", n, large), g.weight(value=np.array(-2**60 - 1)), large)
    n = g.add("Pad", n, g.weight(value=np.array([1, 1])), large)
    y = g.add("Elu", g.add("Clip", x, g.weight(value=np.array(-0.3)), g.weight(value=np.array(0.7))), alpha=1.5)
    y = g.add("Sub", g.add("Pow", y, g.weight(value=np.array(2))), g.weight(value=np.array(0.1)))
    c = g.weight(8, 8, scale=1)
    same = g.add("Add", c, g.add("Mul", g.add("Cast", g.add("ReduceMean", x), to=TensorProto.FLOAT),
                                 g.weight(value=np.float32(0))))
    ones, table = g.weight(1, 3, 4), g.weight(5, 4, 2)
    product = g.add("Einsum", g.add("Mul", ones, g.add("Cast", g.add("Gather", x, g.weight(value=np.array(0))),
                                                       to=TensorProto.FLOAT)), table, equation="...ij, ...jk -> ...ik")
    wide = g.add("Expand", g.add("ReduceMean", x), g.weight(value=np.array([300, 300])))
    eye = g.add("ReduceSum", g.add("EyeLike", wide, k=-1, dtype=TensorProto.INT32), keepdims=0)
    product = g.add("Einsum", product, *[g.weight(2)] * 3, equation="bij,j,j,j->ib")
    made = [[g.add("Tanh", v), g.add("Softmax", v), g.add("MatMul", v, v), g.add("Erf", v)] for v in (c, same)]
    bits = [g.add("Equal", a, b) for a, b in zip(*made)]
    outputs = {f"bits{i}": (b, 2, TensorProto.BOOL) for i, b in enumerate(bits)}
    return (g.model(n=(n, 1, TensorProto.INT64), y=(y, 2, TensorProto.DOUBLE), eye=(eye, 0, TensorProto.INT32),
                    product=(product, 2, TensorProto.FLOAT), **outputs), {"x": (2, 4), "n": (4,)})


def selected(g):
    """Boxes that are selected, as PyTorch's exporter writes it: their numbers become a row; and by scores below zero."""
    given, scores = g.input("boxes", [12, 4]), g.add("Sigmoid", g.input("scores", [12]))
    first, size = g.add("Split", given, axis=1, num_outputs=2, n_outputs=2)
    boxes = g.add("Concat", first, g.add("Add", first, g.add("Abs", size)), axis=1)
    both = [g.add("Unsqueeze", boxes, g.weight(value=np.array([0]))),
            g.add("Unsqueeze", scores, g.weight(value=np.array([0, 1])))]
    found = g.add("NonMaxSuppression", *both, g.weight(value=np.array([100])),
                  g.weight(value=np.array([0.3], "float32")))
    below = g.add("NonMaxSuppression", g.add("Slice", both[0], *(g.weight(value=np.array([n])) for n in (0, 6, 1))),
                  g.add("Neg", g.add("Slice", both[1], *(g.weight(value=np.array([n])) for n in (0, 6, 2)))),
                  g.weight(value=np.array([100])), g.weight(value=np.array([0.3], "float32")))
    column = g.add("Slice", found, *(g.weight(value=np.array([n])) for n in (2, 3, 1)))
    kept = g.add("Reshape", column, g.weight(value=np.array([-1])))
    return (g.model(boxes_kept=(g.add("Gather", boxes, kept), 2, TensorProto.FLOAT),
                    scores_kept=(g.add("Gather", scores, kept), 1, TensorProto.FLOAT),
                    below=(below, 2, TensorProto.INT64)), {"boxes": (12, 4), "scores": (12,)})


def sizes_said(g):
    """Sizes that the front end loses track of, and that the model says; a size by itself, as a row of one."""
    x = g.input("x", ["past", 4])
    size = g.add("Squeeze", g.add("Shape", x, start=0, end=1))
    more = g.add("Add", size, g.weight(value=np.array(1)))
    row = g.add("Reshape", more, g.weight(value=np.array([-1])))
    ones = g.add("ConstantOfShape", g.add("Concat", row, g.weight(value=np.array([4])), axis=0),
                 value=numpy_helper.from_array(np.array([0.5], "float32")))
    both = g.add("Concat", x, g.add("Slice", ones, g.weight(value=np.array([0])), g.weight(value=np.array([1])),
                                    g.weight(value=np.array([0]))), axis=0)
    y = g.add("Add", both, ones)
    flat = g.add("Reshape", y, g.weight(value=np.array([-1, 2])))
    wide = g.add("Expand", flat, g.weight(value=np.array([3, 1, 1])))
    return g.model(y=(y, 2, TensorProto.FLOAT), wide=(wide, 3, TensorProto.FLOAT)), {"x": (5, 4)}


MODELS = {"mlp": mlp, "residual": residual, "transformer": transformer, "embedding": embedding,
          "lstm_cells": lstm_cells, "gru_cells": gru_cells, "quantised": quantised,
          "recurrent": recurrent, "upsampled": upsampled, "quantised_operators": quantised_operators, "made_of_others": made_of_others,
          "u_net": u_net, "small_images": small_images, "shapes": shapes, "odd_names": odd_names, "older": older,
          "sizes_given": sizes_given, "halved": halved, "loops": loops, "recurrent_11": recurrent_11,
          "long_sequence": long_sequence, "trained": trained,
          "quantised_in_passing": quantised_in_passing, "turned_rows": turned_rows,
          "constants": constants, "exact": exact, "selected": selected, "sizes_said": sizes_said,
          "mobile": mobile, "decoder": decoder, "vision_transformer": vision_transformer, "detector": detector}


OPTIONS = {"mlp": ((), ("--params", "weights.npz")), "small_images": ((), ("--params", "weights.npz")),
           "transformer": (("--params", "weights.safetensors"),),
           "light_densenet121": (("--params", "weights.safetensors"),)}


def run(words, folder):
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, cwd=folder,
                          env=os.environ | {"TIRB_PYTHON": sys.executable})
    if done.returncode:
        raise ValueError(f"{' '.join(words[1:])}: {done.stderr.strip()[:600]}")
    return done.stdout


def results(tirb, folder, model, inputs, n, options=(), others=()):
    """Imports the model, and runs what that prints on the inputs, also elsewhere; results are taken by their names in
    the model where these can be theirs, or by their numbers."""
    onnx.save(model, folder / "model.onnx")
    printed = run([tirb, "import", "model.onnx", *options], folder)
    size, bound = (folder / "model.tirb").stat().st_size, 2 * (folder / "model.onnx").stat().st_size + CODE
    if size > bound:
        raise ValueError(f"the bundle has {size} bytes, more than {bound}")
    for word, value in zip((w for w in printed.split() if "=@" in w), inputs.values()):
        np.save(folder / word.partition("=@")[2], value)
    names = [output.name.replace(" ", "_") for output in model.graph.output]
    taken = [str(i) if i % 3 == 2 or name in {j.name for j in model.graph.input} else name for i, name in enumerate(names)]
    words = [*printed.split()[1:], *(word for i, name in enumerate(taken) for word in ("-o", f"{name}=@out{i}.npy"))]
    run([tirb, *words], folder)
    found = [folder.joinpath(f"out{i}.npy").read_bytes() for i in range(n)]
    for name, command in others:
        run([*command, *words], folder)
        if [folder.joinpath(f"out{i}.npy").read_bytes() for i in range(n)] != found:
            raise ValueError(f"other bytes on {name}")
    return [np.load(folder / f"out{i}.npy") for i in range(n)]


def light_models():
    """Name, model, inputs and outputs of the networks in the package; inputs are what its own runner makes."""
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for path in sorted(folder.glob("light_*.onnx")):
        model = onnx.load(path)
        known = {t.name for t in model.graph.initializer}
        inputs = {}
        for info in model.graph.input:
            shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
            if info.name not in known:
                n = int(np.prod(shape))
                inputs[info.name] = (np.arange(n).astype("float32") / n).reshape(shape)
        output = onnx.TensorProto()
        output.ParseFromString(path.with_name(path.stem + "_output_0.pb").read_bytes())
        yield path.stem, model, inputs, [numpy_helper.to_array(output)]


def made_models():
    for number, (name, build) in enumerate(MODELS.items()):
        graph = Graph(number)
        model, shapes_of_inputs, *expected = build(graph)
        special = {"sizes": lambda _: np.array([3, 4]), "tokens": lambda s: graph.rng.integers(0, 50, s)}
        inputs = {n: special.get(n, lambda s: graph.rng.standard_normal(s).astype("float32"))(s)
                  for n, s in shapes_of_inputs.items()}
        yield name, model, inputs, expected[0](**inputs) if expected else None


def said_of(tirb, model):
    """What import says of a model, whether it takes it or not."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        path.write_bytes(model.SerializeToString())
        done = subprocess.run([tirb, "import", path.name], capture_output=True, text=True, timeout=PATIENCE, cwd=folder,
                              env=os.environ | {"TIRB_PYTHON": sys.executable})
    return done.stderr


def small(*nodes, version=19, domain="", kind=TensorProto.FLOAT, weights=()):
    value = lambda name: helper.make_tensor_value_info(name, kind, [2, 2])
    graph = helper.make_graph(list(nodes), "small", [value("x")], [value("y")], list(weights))
    sets = [helper.make_opsetid("", version)] + [helper.make_opsetid(domain, 1)] * bool(domain)
    return helper.make_model(graph, opset_imports=sets, ir_version=9)


def odd_models():
    """Models that are not in order, or ask for what there is not, each with what import says of it."""
    relu = helper.make_node("Relu", ["x"], ["y"])
    yield small(helper.make_node("Relu", ["z"], ["y"])), "'z', which Relu 'y' reads, is given by nothing"
    yield small(helper.make_node("Relu", ["x"], ["z"])), "'y', a result, is given by nothing"
    yield small(helper.make_node("Fold", ["x"], ["y"], domain="com.example"), domain="com.example"), "no operator Fold"
    yield small(helper.make_node("Identity", ["x"], ["y"]), kind=TensorProto.STRING), "'x' is a tensor of texts"
    yield small(relu, version=999), "warning: its operators are of version 999, newer than"
    far = numpy_helper.from_array(np.zeros((2, 2), "float32"), "w")
    far.ClearField("raw_data")
    far.data_location = TensorProto.EXTERNAL
    far.external_data.add(key="location", value="gone.bin")
    yield small(helper.make_node("Add", ["x", "w"], ["y"]), weights=[far]), "its weights lie in gone.bin, which is not there"
    values = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in
              (("i", TensorProto.INT64, ()), ("on", TensorProto.BOOL, ()), ("s", TensorProto.FLOAT, (2, 2)),
               ("then", TensorProto.BOOL, ()), ("t", TensorProto.FLOAT, (2, 2)))]
    body = helper.make_graph([helper.make_node("Identity", ["on"], ["then"]), helper.make_node("Exp", ["s"], ["t"])],
                             "body", values[:3], values[3:])
    rounds = helper.make_node("Cast", ["sum"], ["rounds"], to=TensorProto.INT64)
    total = helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0)
    loop = helper.make_node("Loop", ["rounds", "", "x"], ["y"], body=body)
    yield small(total, rounds, loop), "Loop 'y' of a number of rounds that is not known"


def problem_of(wanted, found):
    if wanted.shape != found.shape or wanted.dtype != found.dtype:
        return f"{found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}"
    if wanted.dtype.kind in "biu":
        return "" if np.array_equal(wanted, found) else "other integers"
    near = (1e-4, 1e-5) if wanted.itemsize < 8 else (1e-14, 1e-14)
    return "" if np.allclose(wanted, found, *near) else f"off by {abs(wanted - found).max()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", metavar="TIRB")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--tirb", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("names", nargs="*")
    words = parser.parse_intermixed_args()
    tirb, wrong, right = os.path.abspath(words.host), 0, 0
    others = [(name, [os.path.abspath(word) if os.path.exists(word) else word for word in command.split()])
              for name, _, command in (machine.partition("=") for machine in words.tirb)]
    for name, model, inputs, wanted in light_models() if words.light else made_models():
        if words.names and name not in words.names:
            continue
        if wanted is None:
            wanted = ReferenceEvaluator(model).run(None, inputs)
        first = None
        for options in OPTIONS.get(name, ((),)):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found = results(tirb, pathlib.Path(folder), model, inputs, len(wanted), options, others)
                    problem = next((p for w, f in zip(wanted, found) if (p := problem_of(np.asarray(w), f))), "")
                    made = [f.tobytes() for f in found]
                    first = first or made
                    if made != first:
                        problem = problem or "weights beside the bundle give other bits"
                except ValueError as refused:
                    problem = str(refused)
            wrong, right = wrong + bool(problem), right + (not problem)
            if problem:
                print(f"WRONG {name} {' '.join(options)}: {problem}", flush=True)
    for model, wanted in () if words.light or (words.names and "odd" not in words.names) else odd_models():
        said = said_of(tirb, model)
        wrong, right = wrong + (wanted not in said), right + (wanted in said)
        if wanted not in said:
            print(f"WRONG not '{wanted}': {said.strip()[:300]}", flush=True)
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
