"""Operators of networks beside those of bench/models: Relax text and nodes of ONNX, with shapes alone, for TVM computes
the values."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
from graph import Graph  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

CODES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10}  # of ONNX's types


def pair(names, out, first, second, attributes=None, more=()):
    """Two nodes, one behind the other: the first of the operands, the second of its result and `more`."""
    return [(first, names, [out + "t"], attributes or {}), (second, [out + "t", *more], [out], {})]


class Layers(Graph):
    """A network under way."""

    shapes_only = True

    def shaped(self, text, inputs, shape, onnx, dtype=None):
        return self.op(text, inputs, np.zeros(shape, dtype or inputs[0].dtype), onnx)

    def number(self, value, dtype=None):
        return self.weight(np.asarray(value, dtype or self.dtype))

    def of_onnx(self, value):
        """An operand of an ONNX node that Relax has as an attribute."""
        tensor = self.weight(np.asarray(value))
        self.weights.pop()
        return tensor

    # ---- Element by element -----------------------------------------------------------------------------------------

    def sub(self, a, b):
        return self.binary("subtract", "Sub", np.subtract, a, b)

    def div(self, a, b):
        return self.shaped("R.divide({0}, {1})", [a, b], np.broadcast_shapes(a.shape, b.shape), ("Div", {}))

    def leaky(self, a, slope=0.1):
        return self.shaped(f"R.nn.leakyrelu({{0}}, {slope})", [a], a.shape, ("LeakyRelu", {"alpha": slope}))

    def prelu(self, a):
        slope = self.random(a.shape[1], scale=0.1, around=0.2)
        shaped = self.of_onnx(slope.value.reshape(-1, 1, 1))
        return self.shaped("R.nn.prelu({0}, {1}, axis=1)", [a, slope], a.shape,
                           lambda names, out: [("PRelu", [names[0], shaped], [out], {})])

    def hard_sigmoid(self, a):
        return self.relu6(a + self.number(3)) * self.number(1 / 6)

    def hard_swish(self, a):
        return a * self.hard_sigmoid(a)

    def softplus(self, a):
        return self.shaped("R.nn.softplus({0})", [a], a.shape, ("Softplus", {}))

    def gelu_erf(self, a):
        return self.shaped("R.nn.gelu({0})", [a], a.shape, ("Gelu", {}))

    def square(self, a):
        return a * a

    def cast(self, a, dtype):
        return self.shaped(f'R.astype({{0}}, "{dtype}")', [a], a.shape, ("Cast", {"to": CODES[dtype]}), dtype)

    def select(self, condition, a, b):
        return self.shaped("R.where({0}, {1}, {2})", [condition, a, b],
                           np.broadcast_shapes(condition.shape, a.shape, b.shape), ("Where", {}), a.dtype)

    def less(self, a, b):
        return self.shaped("R.less({0}, {1})", [a, b], np.broadcast_shapes(a.shape, b.shape), ("Less", {}), "bool")

    # ---- Windows ----------------------------------------------------------------------------------------------------

    def conv_transpose(self, a, outs, kernel, stride=2, pad=0, bias=True):
        w = self.random(a.shape[1], outs, kernel, kernel)
        n, _, height, width = a.shape
        size = [(d - 1) * stride - 2 * pad + kernel for d in (height, width)]
        out = self.shaped(f"R.nn.conv2d_transpose({{0}}, {{1}}, strides={stride}, padding={pad})", [a, w],
                          (n, outs, *size),
                          ("ConvTranspose", {"strides": [stride] * 2, "pads": [pad] * 4, "kernel_shape": [kernel] * 2}))
        return out + self.random(1, outs, 1, 1, scale=0.1) if bias else out

    def conv1d(self, a, outs, kernel, stride=1, dilation=1, groups=1, causal=False):
        """Over (n, c, time)."""
        reach = dilation * (kernel - 1)
        pads = [reach, 0] if causal else [reach // 2] * 2
        w = self.random(outs, a.shape[1] // groups, kernel, scale=(kernel * a.shape[1] // groups) ** -0.5)
        length = (a.shape[2] + sum(pads) - reach - 1) // stride + 1
        out = self.shaped(f"R.nn.conv1d({{0}}, {{1}}, strides={stride}, padding={pads}, dilation={dilation}, "
                          f"groups={groups})", [a, w], (a.shape[0], outs, length),
                          ("Conv", {"strides": [stride], "pads": pads, "dilations": [dilation], "group": groups}))
        return out + self.random(1, outs, 1, scale=0.1)

    def pool(self, a, kind, size, stride, pad=0):
        shape = [(d + 2 * pad - size) // stride + 1 for d in a.shape[2:]]
        name, onnx = {"max": ("max_pool2d", "MaxPool"), "avg": ("avg_pool2d", "AveragePool")}[kind]
        return self.shaped(f"R.nn.{name}({{0}}, pool_size={size}, strides={stride}, padding={pad})", [a],
                           (*a.shape[:2], *shape),
                           (onnx, {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [pad] * 4}))

    def adaptive_pool(self, a, size):
        """Where the extents are multiples of `size`."""
        window = [d // size for d in a.shape[2:]]
        return self.shaped(f"R.nn.adaptive_avg_pool2d({{0}}, output_size={size})", [a], (*a.shape[:2], size, size),
                           ("AveragePool", {"kernel_shape": window, "strides": window}))

    def pooled(self, a):
        """(n, c, 1, 1)"""
        return self.shaped("R.mean({0}, axis=[2, 3], keepdims=True)", [a], (*a.shape[:2], 1, 1),
                           ("GlobalAveragePool", {}))

    def bilinear(self, a, factor):
        n, c, height, width = a.shape
        size = (height * factor, width * factor)
        scales = self.of_onnx(np.array([1, 1, factor, factor], "float32"))
        return self.shaped(f'R.image.resize2d({{0}}, R.shape({list(size)}), layout="NCHW", method="linear", '
                           'coordinate_transformation_mode="half_pixel")', [a], (n, c, *size),
                           lambda names, out: [("Resize", [names[0], "", scales], [out],
                                                {"mode": "linear", "coordinate_transformation_mode": "half_pixel"})])

    def pixel_shuffle(self, a, factor):
        n, c, height, width = a.shape
        y = self.transpose(self.reshape(a, n, c // factor ** 2, factor, factor, height, width), 0, 1, 4, 2, 5, 3)
        return self.reshape(y, n, c // factor ** 2, height * factor, width * factor)

    def pad(self, a, pads, mode="constant"):
        """`pads`: before and behind each dimension."""
        before, behind = pads[::2], pads[1::2]
        both = self.of_onnx(np.array(before + behind, "int64"))
        return self.shaped(f'R.nn.pad({{0}}, pad_width={pads}, pad_mode="{mode}")', [a],
                           [b + d + e for b, d, e in zip(before, a.shape, behind)],
                           lambda names, out: [("Pad", [names[0], both], [out], {"mode": mode})])

    def roi_align(self, a, rois, size, scale):
        """`rois`: (number of the image, x, y, x, y) of each."""
        image, begin, end, axis, all_of = (self.of_onnx(np.array([v], "int64")) for v in (0, 1, 5, 1, -1))

        def onnx(names, out):
            return [("Slice", [names[1], begin, end, axis], [out + "b"], {}),
                    ("Gather", [names[1], image], [out + "g"], {"axis": 1}),
                    ("Reshape", [out + "g", all_of], [out + "r"], {}), ("Cast", [out + "r"], [out + "i"], {"to": 7}),
                    ("RoiAlign", [names[0], out + "b", out + "i"], [out],
                     {"output_height": size, "output_width": size, "spatial_scale": scale, "sampling_ratio": 2,
                      "coordinate_transformation_mode": "output_half_pixel"})]

        return self.shaped(f"R.vision.roi_align({{0}}, {{1}}, pooled_size={size}, spatial_scale={scale}, "
                           "sample_ratio=2, aligned=False)", [a, rois], (rois.shape[0], a.shape[1], size, size), onnx)

    def grid_sample(self, a, grid):
        """`grid`: (n, 2, height, width), as TVM has it."""
        n, _, height, width = grid.shape
        return self.shaped('R.image.grid_sample({0}, {1}, method="bilinear", padding_mode="zeros", align_corners=True)',
                           [a, grid], (n, a.shape[1], height, width),
                           lambda names, out: [("Transpose", [names[1]], [out + "g"], {"perm": [0, 2, 3, 1]}),
                                               ("GridSample", [names[0], out + "g"], [out],
                                                {"mode": "linear", "padding_mode": "zeros", "align_corners": 1})])

    # ---- Norms ------------------------------------------------------------------------------------------------------

    def per_channel(self, channels):
        return self.random(channels, scale=0.1, around=1.0), self.random(channels, scale=0.1)

    def batch_norm(self, a):
        c = a.shape[1]
        (gamma, beta), mean = self.per_channel(c), self.random(c, scale=0.1)
        variance = self.weight(self.rng.uniform(0.5, 1.5, c).astype(self.dtype))
        return self.shaped("R.nn.batch_norm({0}, {1}, {2}, {3}, {4}, axis=1, training=False)[0]",
                           [a, gamma, beta, mean, variance], a.shape, ("BatchNormalization", {"epsilon": 1e-5}))

    def group_norm(self, a, groups):
        gamma, beta = self.per_channel(a.shape[1])
        axes = list(range(2, len(a.shape)))
        target, own = (self.of_onnx(np.array(v, "int64")) for v in ((0, groups, -1), a.shape))
        ones, zeros = (self.of_onnx(np.full(groups, v, self.dtype)) for v in (1, 0))
        scale, shift = (self.of_onnx(t.value.reshape(-1, 1, 1)) for t in (gamma, beta))

        def onnx(names, out):
            return [("Reshape", [names[0], target], [out + "r"], {}),
                    ("InstanceNormalization", [out + "r", ones, zeros], [out + "n"], {"epsilon": 1e-5}),
                    ("Reshape", [out + "n", own], [out + "b"], {}), ("Mul", [out + "b", scale], [out + "s"], {}),
                    ("Add", [out + "s", shift], [out], {})]

        return self.shaped(f"R.nn.group_norm({{0}}, {{1}}, {{2}}, num_groups={groups}, channel_axis=1, axes={axes})",
                           [a, gamma, beta], a.shape, onnx)

    def instance_norm(self, a):
        gamma, beta = self.per_channel(a.shape[1])
        return self.shaped("R.nn.instance_norm({0}, {1}, {2}, channel_axis=1, axes=[2, 3])", [a, gamma, beta], a.shape,
                           ("InstanceNormalization", {"epsilon": 1e-5}))

    def rms_norm(self, a):
        w = self.random(a.shape[-1], scale=0.1, around=1.0)
        axis, small = self.of_onnx(np.array([-1], "int64")), self.of_onnx(np.asarray(1e-5, a.dtype))

        def onnx(names, out):
            return [("Mul", [names[0], names[0]], [out + "q"], {}), ("ReduceMean", [out + "q", axis], [out + "m"], {}),
                    ("Add", [out + "m", small], [out + "e"], {}), ("Sqrt", [out + "e"], [out + "s"], {}),
                    ("Div", [names[0], out + "s"], [out + "d"], {}), ("Mul", [out + "d", names[1]], [out], {})]

        return self.shaped("R.nn.rms_norm({0}, {1}, axes=[-1], epsilon=1e-5)", [a, w], a.shape, onnx)

    # ---- Places -----------------------------------------------------------------------------------------------------

    def argmax(self, a, axis):
        shape = [d for i, d in enumerate(a.shape) if i != axis % len(a.shape)]
        return self.shaped(f"R.argmax({{0}}, axis={axis})", [a], shape, ("ArgMax", {"axis": axis, "keepdims": 0}),
                           "int64")

    def topk_values(self, a, k):
        many = self.of_onnx(np.array([k], "int64"))
        return self.shaped(f'R.topk({{0}}, k={k}, axis=-1, ret_type="values")', [a], (*a.shape[:-1], k),
                           lambda names, out: [("TopK", [names[0], many], [out, out + "i"], {})])

    def topk_places(self, a, k):
        many = self.of_onnx(np.array([k], "int64"))
        return self.shaped(f'R.topk({{0}}, k={k}, axis=-1, ret_type="indices", dtype="int64")', [a], (*a.shape[:-1], k),
                           lambda names, out: [("TopK", [names[0], many], [out + "v", out], {})], "int64")

    def cumsum(self, a, axis):
        along = self.of_onnx(np.asarray(axis, "int64"))
        return self.shaped(f"R.cumsum({{0}}, axis={axis})", [a], a.shape,
                           lambda names, out: [("CumSum", [names[0], along], [out], {})])

    def broadcast(self, a, *shape):
        target = self.of_onnx(np.array(shape, "int64"))
        return self.shaped(f"R.broadcast_to({{0}}, R.shape({list(shape)}))", [a], shape,
                           lambda names, out: [("Expand", [names[0], target], [out], {})])

    def sum(self, a, axis):
        shape = [d for i, d in enumerate(a.shape) if i != axis % len(a.shape)]
        along = self.of_onnx(np.array([axis], "int64"))
        return self.shaped(f"R.sum({{0}}, axis={axis})", [a], shape,
                           lambda names, out: [("ReduceSum", [names[0], along], [out], {"keepdims": 0})])

    # ---- Integers of 8 bits -----------------------------------------------------------------------------------------

    def dequantise(self, a, scale):
        step, zero = self.weight(np.float32(scale)), self.weight(np.zeros((), a.dtype))
        return self.shaped('R.dequantize({0}, {1}, {2}, axis=-1, out_dtype="float32")', [a, step, zero], a.shape,
                           ("DequantizeLinear", {}), "float32")

    def integer_conv(self, a, outs, kernel, stride=1, groups=1):
        pad = kernel // 2
        w = self.weight(self.rng.integers(-127, 128, (outs, a.shape[1] // groups, kernel, kernel)).astype("int8"))
        shape = [(d + 2 * pad - kernel) // stride + 1 for d in a.shape[2:]]
        return self.shaped(f"R.nn.conv2d({{0}}, {{1}}, strides={stride}, padding={pad}, groups={groups}, "
                           'out_dtype="int32")', [a, w], (a.shape[0], outs, *shape),
                           ("ConvInteger", {"strides": [stride] * 2, "pads": [pad] * 4, "group": groups}), "int32")

    def requantise(self, a, scale, dtype="uint8"):
        """int32 to 8 bits, as quantised networks do between two convolutions."""
        low, high = (0, 255) if dtype == "uint8" else (-128, 127)
        y = self.cast(a, "float32") * self.number(scale, "float32")
        y = self.shaped("R.round({0})", [y], y.shape, ("Round", {}))
        least, most = (self.of_onnx(np.float32(v)) for v in (low, high))
        y = self.shaped(f"R.clip({{0}}, {low}, {high})", [y], y.shape,
                        lambda names, out: [("Clip", [names[0], least, most], [out], {})])
        return self.cast(y, dtype)
