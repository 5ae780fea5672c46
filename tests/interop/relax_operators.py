#!/usr/bin/env python3
"""Operators of Relax against TVM's own: every operator that is lowered, over element types, ranks and symbolic shapes.

    relax_operators.py TIRB [--seed N] [--every N] [name ...]

Each case is a function of one binding, which both compile and run. A case that TVM does not compile is left out and
counted."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import tvm
    from tvm import relax
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

FLOATS = ["float32", "float64", "float16"]
INTS = ["int8", "int32", "int64", "uint8"]

# Expression over the tensors a, b, ..; their shapes; element types.
CASES = []


def case(text, *shapes, types=("float32",), symbols=None, low=-3.0, high=3.0, kinds=None):
    for t in types:
        CASES.append(dict(text=text, shapes=shapes, type=t, symbols=symbols or {}, low=low, high=high,
                          kinds=kinds or {}))


for name in ["exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "atan", "asinh", "erf", "sigmoid"]:
    case(f"R.{name}(a)", (3, 5), types=["float32", "float64", "float16"], low=-0.9, high=0.9)
for name in ["log", "sqrt", "rsqrt", "acosh"]:
    case(f"R.{name}(a)", (3, 5), types=["float32", "float64"], low=1.1, high=9)
for name in ["acos", "atanh"]:
    case(f"R.{name}(a)", (3, 5), types=["float32"], low=-0.9, high=0.9)
for name in ["abs", "negative", "sign", "square"]:
    case(f"R.{name}(a)", (3, 5), types=FLOATS + ["int8", "int32", "int64"])
for name in ["ceil", "floor", "round", "trunc"]:
    case(f"R.{name}(a)", (3, 5), types=FLOATS)
for name in ["isnan", "isinf", "isfinite"]:
    case(f"R.{name}(a)", (7,), types=["float32"])
case("R.bitwise_not(a)", (9,), types=INTS)
case("R.logical_not(a)", (9,), types=["bool"])
case("R.clip(a, -1, 1)", (3, 5), types=FLOATS + ["int32"])
for to in ["float32", "float16", "float64", "int32", "int8", "bool", "int64"]:
    case(f'R.astype(a, "{to}")', (3, 4), types=["float32", "int32", "bool", "float16"])
for name in ["relu", "leakyrelu", "gelu", "gelu_tanh", "silu", "selu", "softplus"]:
    case(f"R.nn.{name}(a)", (4, 5), types=["float32", "float64"])
case("R.nn.relu(a)", (4, 5), types=["float16", "int32"])
case("R.nn.prelu(a, b, axis=1)", (2, 3, 4), (3,))
case("R.nn.prelu(a, b, axis=1)", (2, 3, 4), (1,))
case("R.nn.dropout(a)", (2, 3))

for name in ["add", "subtract", "multiply", "maximum", "minimum"]:
    case(f"R.{name}(a, b)", (3, 5), (3, 5), types=FLOATS + INTS)
    case(f"R.{name}(a, b)", (4, 1, 5), (3, 1))
    case(f"R.{name}(a, b)", (), (2, 3))
    case(f"R.{name}(a, b)", ("n", 4), (1, 4), symbols=dict(n=3))
    case(f"R.{name}(a, b)", ("n", "m"), ("n", "m"), symbols=dict(n=3, m=7))
    case(f"R.{name}(a, R.const(2, \"float32\"))", (3, 5))
for name in ["add", "multiply", "maximum", "less"]:
    case(f"R.{name}(a, 1.5)", (3, 5))
    case(f"R.{name}(a, 2)", (3, 5), types=["int32"])
case("R.power(2.0, a)", ("n", 5), symbols=dict(n=3))
case("R.bitwise_and(a, 3)", (9,), types=["int32"])
for name in ["divide", "floor_divide", "mod", "floor_mod"]:
    case(f"R.{name}(a, b)", (3, 5), (5,), types=["float32", "float64", "int32", "int64", "int8"], low=1, high=9,
         kinds=dict(b="positive"))
case("R.power(a, b)", (3, 5), (3, 5), low=0.1, high=3)
case("R.atan2(a, b)", (3, 5), (3, 5), low=0.1, high=3)
case("R.log_add_exp(a, b)", (3, 5), (3, 5))
for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    case(f"R.{name}(a, b)", (9,), (9,), types=INTS)
for name in ["logical_and", "logical_or", "logical_xor"]:
    case(f"R.{name}(a, b)", (9,), (9,), types=["bool"])
for name in ["left_shift", "right_shift"]:
    case(f"R.{name}(a, b)", (9,), (9,), types=["int32", "int64"], low=0, high=7)
for name in ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]:
    case(f"R.{name}(a, b)", (3, 5), (5,), types=["float32", "int32", "float16"])
case("R.where(c, a, b)", (3, 5), (5,), (3, 1), types=["float32", "int64"], kinds=dict(c="bool"))
case("R.broadcast_to(a, (4, 3, 5))", (3, 1))
case("R.broadcast_to(a, (n, 3))", ("n", 1), symbols=dict(n=4))

for name in ["sum", "prod", "max", "min", "mean"]:
    for args in ["", ", axis=[1]", ", axis=[0, 2]", ", axis=-1, keepdims=True", ", keepdims=True"]:
        case(f"R.{name}(a{args})", (3, 4, 5), types=["float32", "int32"], low=-2, high=2)
    case(f"R.{name}(a, axis=[1])", ("n", "m"), symbols=dict(n=3, m=6))
    case(f"R.{name}(a, axis=0)", (6, 5), types=["float64", "float16", "int64", "int8"], low=-2, high=2)
for name in ["variance", "std"]:
    case(f"R.{name}(a, axis=[1])", (3, 4, 5), types=["float32", "float64"])
    case(f"R.{name}(a, axis=[0, 2], keepdims=True)", (3, 4, 5))
# Of integers they are rounded towards 0; how many elements there are is more than fits the type.
for name in ["mean", "variance"]:
    for shape in [(200, 3), (256, 3)]:
        case(f"R.{name}(a, axis=0)", shape, types=["int8", "uint8"], low=0, high=1)
    case(f"R.{name}(a, axis=0)", (2, 30), types=["int8", "int32", "int64"], low=-11, high=11)
    case(f"R.{name}(a, axis=0)", ("n", 3), types=["int8"], symbols=dict(n=200), low=-1, high=0)
for pool in ["avg_pool2d(a, pool_size=(2, 3))", "avg_pool2d(a, pool_size=(2, 3), padding=(1, 0, 2, 1))",
             "adaptive_avg_pool2d(a, output_size=(3, 2))"]:
    case(f"R.nn.{pool}", (1, 2, 5, 6), types=["int8", "uint8", "int32", "int64"])
for pool in ["avg_pool2d(a, pool_size=(16, 16))", "adaptive_avg_pool2d(a, output_size=(1, 1))"]:
    case(f"R.nn.{pool}", (1, 1, 16, 16), types=["int8", "uint8"], low=0, high=1)
for name in ["argmax", "argmin"]:
    case(f"R.{name}(a, axis=1)", (3, 4, 5), types=["float32", "int32"])
    case(f"R.{name}(a, axis=-1, keepdims=True)", (3, 4, 5))
    case(f"R.{name}(a)", (3, 4))
    case(f"R.{name}(a, axis=0)", ("n", 4), symbols=dict(n=5))
for name in ["cumsum", "cumprod"]:
    case(f"R.{name}(a, axis=1)", (3, 4, 5), types=["float32", "int32"], low=-2, high=2)
    case(f"R.{name}(a, axis=0, exclusive=True)", (3, 4))
    case(f"R.{name}(a)", (3, 4))
    case(f'R.{name}(a, axis=0, dtype="int64")', (5, 2), types=["int32"])

case("R.reshape(a, (6, 4))", (2, 3, 4))
case("R.reshape(a, (n * 4,))", ("n", 4), symbols=dict(n=3))
case("R.flatten(a)", (2, 3))
case("R.expand_dims(a, axis=[0, 2])", (2, 3))
case("R.squeeze(a, axis=[1])", (2, 1, 3))
case("R.permute_dims(a)", (2, 3, 4), types=["float32", "int8"])
case("R.permute_dims(a, axes=[1, 2, 0])", (2, 3, 4))
case("R.permute_dims(a, axes=[1, 0])", ("n", "m"), symbols=dict(n=3, m=2))
case("R.concat((a, b), axis=1)", (2, 3), (2, 4), types=["float32", "int32"])
case("R.concat((a, b, c), axis=0)", (2, 3), (1, 3), (4, 3))
case("R.concat((a, b), axis=0)", ("n", 3), ("m", 3), symbols=dict(n=2, m=3))
case("R.stack((a, b), axis=1)", (2, 3), (2, 3))
case("R.split(a, 3, axis=1)", (2, 7))
case("R.split(a, [2, 5], axis=0)", (7, 2))
for n in [1, 4, 7]:
    case("R.split(a, [2, 5], axis=0)", ("n", 2), symbols=dict(n=n))
case("R.repeat(a, 3, axis=1)", (2, 3))
case("R.layout_transform(a, index_map=lambda i, j: (j, i))", (2, 3), types=["float32", "int8"])
case("R.layout_transform(a, index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))", (1, 8, 3, 2))
case("R.layout_transform(a, index_map=lambda i, j: (i, j // 4, j % 4), pad_value=2.0)", (3, 6))
case("R.repeat(a, 2)", (2, 3))
case("R.tile(a, (2, 1, 3))", (2, 3))
case("R.flip(a, axis=0)", (4, 3))
case("R.strided_slice(a, (0, 1), (1, 0), (4, 9), (2, 3))", (6, 9))
case("R.strided_slice(a, (1,), (-1,), (-5,), (-2,))", (2, 9))
case("R.strided_slice(a, (1,), (1,), (4,))", ("n", 6), symbols=dict(n=3))
case("R.strided_slice(a, (0, 1), (-2, 1), (9, -1))", ("n", 6), symbols=dict(n=3))
case("R.strided_slice(a, (0,), (-1,), (-100,), (-1,))", ("n", 6), symbols=dict(n=3))
case("R.strided_slice(a, (1,), (0,), (n,))", ("n", 6), symbols=dict(n=3))
case("R.strided_slice(a, (1,), (n,), (n + 2,), assume_inbound=True)", ("n", 6), symbols=dict(n=3))
# Ends that count from the end where they are below 0, on both sides of it.
for n in [0, 1, 2, 3, 5, 9]:
    case("R.strided_slice(a, (0,), (0,), (n - 3,))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (0,), (n - 8,), (n,))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (1,), (n - 9,), (6 - n,))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (0,), (1,), (n // 2 - 3,))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (0,), (-1,), (n - 7,), (-1,))", ("n", 6), symbols=dict(n=n))
# Several axes, strides and begins that are computed.
for n in [1, 2, 5, 9]:
    case("R.strided_slice(a, (0, 1), (n - 2, n - 7), (n, 9))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (0,), (3,), (-100,), (-1,))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (1, 0), (n - 3, 4), (-100, 0), (-3, -2))", ("n", 6), symbols=dict(n=n))
    case("R.strided_slice(a, (0,), (n - 4,), (n,), (2,))", ("n", 6), symbols=dict(n=n))
    case("R.exp(R.strided_slice(R.exp(a), (0,), (n - 1,), (n,)))", ("n", 6), symbols=dict(n=n))
case('R.arange(0, n, 1, dtype="int64")', ("n",), symbols=dict(n=5))
case('R.arange(0, n * 2, 2, dtype="float32")', ("n",), symbols=dict(n=5))
case("R.collapse_sum_to(a, (3, 1))", (2, 3, 4))
case("R.nn.pad(a, [1, 2, 0, 1], pad_mode=\"constant\", pad_value=2.0)", (3, 4))
for mode in ["reflect", "replicate", "circular"]:
    case(f'R.nn.pad(a, [0, 0, 0, 0, 1, 2, 2, 1], pad_mode="{mode}")', (1, 2, 4, 5))

for mode in ["fast", "clip", "wrap"]:
    case(f'R.take(a, b, axis=1, mode="{mode}")', (3, 6, 2), (4,), kinds=dict(b="index:6"), types=["float32", "int32"])
case("R.take(a, b, axis=0)", (6, 3), (2, 2), kinds=dict(b="index:6"))
case("R.take(a, b, axis=0)", ("n", 3), ("m",), kinds=dict(b="index:3"), symbols=dict(n=3, m=5))
case("R.gather_elements(a, b, axis=1)", (3, 6), (3, 2), kinds=dict(b="index:6"))
for how in ["update", "add", "mul", "min", "max"]:
    case(f'R.scatter_elements(a, b, c, axis=1, reduction="{how}")', (3, 6), (3, 2), (3, 2), kinds=dict(b="index:6"))
    case(f'R.scatter_elements(a, b, c, axis=0, reduction="{how}")', (6, 4), (3, 4), (3, 4), kinds=dict(b="index:6"))
    case(f'R.scatter_elements(a, b, c, axis=1, reduction="{how}")', (5, 6), (2, 3), (2, 3), kinds=dict(b="index:6"))
case("R.one_hot(b, R.prim_value(T.float32(2)), R.prim_value(T.float32(-1)), depth=5, axis=-1)", (1,), (3, 2),
     kinds=dict(b="index:5"))
case("R.one_hot(b, R.prim_value(T.float32(2)), R.prim_value(T.float32(-1)), depth=5, axis=0)", (1,), (3, 2),
     kinds=dict(b="index:5"))
case('R.full((2, 3), a, dtype="float32")', ())
case('R.zeros((2, 3), dtype="int32")', ())
case('R.ones((n, 3), dtype="float32")', ("n",), symbols=dict(n=2))
case("R.zeros_like(a)", (2, 3))
case("R.full_like(a, b)", (2, 3), ())
case('R.arange(2, 11, 3, dtype="int64")', ())
case('R.arange(0, 5, 1, dtype="float32")', ())
case('R.eye(4, 5, 1, dtype="float32")', ())
case("R.tril(a, 1)", (2, 4, 5))
case("R.triu(a, -1)", (4, 5))

case("R.matmul(a, b)", (3, 4), (4, 5), types=["float32", "float64", "int32"])
case("R.matmul(a, b)", (2, 3, 4), (4, 5))
case("R.matmul(a, b)", (2, 1, 3, 4), (6, 4, 5))
case("R.matmul(a, b)", (4,), (4, 5))
case("R.matmul(a, b)", (2, 3, 4), (4,))
case("R.matmul(a, b)", (4,), (4,))
case("R.matmul(a, b)", ("n", "m"), ("m", 5), symbols=dict(n=3, m=4))
case('R.matmul(a, b, out_dtype="float32")', (3, 4), (4, 5), types=["float16"])
case('R.matmul(a, b, out_dtype="int32")', (3, 4), (4, 5), types=["int8"])
case("R.outer(a, b)", (3,), (4,))
case("R.nn.conv2d(a, b)", (1, 3, 8, 9), (4, 3, 3, 2))
case("R.nn.conv2d(a, b, strides=2, padding=1)", (2, 3, 8, 9), (4, 3, 3, 3))
case("R.nn.conv2d(a, b, padding=(0, 1, 2, 1), dilation=(1, 2))", (1, 3, 8, 9), (4, 3, 3, 3))
case("R.nn.conv2d(a, b, groups=2, padding=1)", (1, 4, 6, 6), (6, 2, 3, 3))
case("R.nn.conv2d(a, b, groups=4, padding=1)", (1, 4, 6, 6), (4, 1, 3, 3))
case('R.nn.conv2d(a, b, data_layout="NHWC", kernel_layout="HWIO")', (1, 6, 7, 3), (3, 3, 3, 4))
case("R.nn.conv2d(a, b, padding=1)", ("n", 3, 6, 6), (4, 3, 3, 3), symbols=dict(n=2))
case("R.nn.conv1d(a, b, padding=1)", (1, 3, 9), (4, 3, 3))
case("R.nn.conv3d(a, b)", (1, 2, 4, 5, 6), (3, 2, 2, 3, 2))
case("R.nn.conv2d_transpose(a, b)", (1, 3, 4, 5), (3, 4, 3, 3))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=1, output_padding=1)", (1, 3, 4, 5), (3, 4, 3, 3))
case("R.nn.conv1d_transpose(a, b, strides=2)", (1, 3, 5), (3, 4, 3))
case("R.nn.conv2d_transpose(a, b, strides=(3, 2), padding=(1, 0, 2, 1))", (2, 3, 4, 5), (3, 4, 5, 4))
case("R.nn.conv2d_transpose(a, b, strides=3, output_padding=1)", (1, 3, 4, 5), (3, 4, 2, 1))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=1, groups=2)", (1, 4, 4, 5), (4, 3, 4, 4))
case("R.nn.conv2d_transpose(a, b, strides=(3, 2), padding=(1, -1, 1, 1), output_padding=1)", (1, 3, 3, 2), (3, 2, 2, 3))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=1)", (1, 20, 4, 5), (20, 4, 4, 4))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=1, output_padding=1, groups=4)", (2, 4, 4, 5), (4, 1, 3, 5))
case("R.nn.conv2d_transpose(a, b, padding=(1, 2))", (1, 20, 3, 4), (20, 2, 6, 5))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=2, dilation=2)", (1, 3, 4, 5), (3, 4, 3, 3))
case('R.nn.conv2d_transpose(a, b, strides=2, data_layout="NHWC", kernel_layout="HWIO")', (1, 4, 5, 3), (2, 2, 3, 4))
case("R.nn.conv2d_transpose(a, b, strides=2, padding=1)", ("n", 3, "h", "w"), (3, 4, 4, 4), symbols=dict(n=2, h=3, w=5))
# Images of few elements, gone through by channels; places of kernels that meet nothing but padding.
case("R.nn.conv2d(a, b, groups=17, padding=1)", (1, 17, 4, 6), (17, 1, 3, 3), types=["float32", "float16"])
case("R.nn.conv2d(a, b, groups=17, padding=(2, 1, 1, 3), strides=2)", (2, 17, 9, 8), (17, 1, 5, 3))
case("R.nn.conv2d(a, b, groups=16, padding=3)", (1, 16, 2, 1), (16, 1, 7, 7))
case("R.nn.conv2d(a, b, groups=16, padding=2, dilation=2)", ("n", 16, "h", 5), (16, 1, 3, 3), symbols=dict(n=2, h=4))
case("R.nn.conv1d(a, b, groups=16, padding=1)", (2, 16, 7), (16, 1, 3))
case("R.nn.conv2d(a, b, padding=1)", (2, 5, 2, 2), (17, 5, 3, 3))
case("R.nn.conv2d(a, b, padding=(0, 1, 1, 2), strides=(2, 1))", (1, 3, 5, 2), (16, 3, 3, 2))
case("R.nn.conv2d(a, b, padding=2, dilation=2)", ("n", 3, 2, 3), (16, 3, 3, 3), symbols=dict(n=2))
case("R.nn.conv2d(a, b, padding=3)", (1, 3, 2, 2), (4, 3, 7, 7))
case("R.nn.conv2d(a, b, padding=2, strides=5)", (1, 3, 1, 1), (4, 3, 3, 3))
case("R.nn.conv1d(a, b, padding=1)", (1, 3, 4), (16, 3, 3))
case("R.nn.max_pool2d(a, pool_size=3, strides=2, padding=1)", (2, 17, 7, 8), types=["float32", "float16", "int8"])
case("R.nn.max_pool2d(a, pool_size=3, strides=2, padding=1, ceil_mode=True)", (1, 16, 6, 8))
case("R.nn.max_pool2d(a, pool_size=2, dilation=2)", ("n", 16, "h", 6), symbols=dict(n=2, h=5))
for name in ["max", "avg"]:
    case(f"R.nn.{name}_pool2d(a, pool_size=2, strides=2)", (1, 2, 6, 7))
    case(f"R.nn.{name}_pool2d(a, pool_size=3, strides=2, padding=1)", (1, 2, 7, 8))
    case(f"R.nn.{name}_pool2d(a, pool_size=3, strides=2, padding=1, ceil_mode=True)", (1, 2, 6, 8))
    case(f'R.nn.{name}_pool2d(a, pool_size=2, layout="NHWC")', (1, 6, 7, 2))
    case(f"R.nn.{name}_pool1d(a, pool_size=3, strides=1, padding=1)", (1, 2, 6))
    case(f"R.nn.{name}_pool3d(a, pool_size=2)", (1, 2, 4, 4, 4))
case("R.nn.avg_pool2d(a, pool_size=3, strides=2, padding=1, count_include_pad=True)", (1, 2, 7, 8))
case("R.nn.adaptive_avg_pool2d(a, output_size=(3, 2))", (1, 2, 7, 8))
case("R.nn.adaptive_avg_pool2d(a, output_size=1)", (1, 2, 7, 8))
case("R.nn.adaptive_avg_pool1d(a, output_size=3)", (1, 2, 7))
case("R.nn.adaptive_avg_pool3d(a, output_size=2)", (1, 2, 4, 5, 6))
case("R.nn.conv3d_transpose(a, b, strides=2)", (1, 2, 3, 3, 3), (2, 3, 2, 2, 2))
case("R.collapse_sum_like(a, b)", (2, 3, 4), (3, 1))
case("R.ones_like(a)", (2, 3), types=["float16", "int64"])
case('R.image.resize3d(a, (3, 4, 7), method="nearest_neighbor", coordinate_transformation_mode="asymmetric", '
     'rounding_method="floor")', (1, 2, 4, 5, 6))
case("R.nn.softmax(a)", (3, 5), types=["float32", "float64", "float16"])
case("R.nn.softmax(a, axis=1)", (2, 3, 4))
case("R.nn.softmax(a)", ("n", 5), symbols=dict(n=3))
case("R.nn.log_softmax(a, axis=0)", (3, 5))
case("R.nn.layer_norm(a, b, c, axes=[-1])", (3, 8), (8,), (8,), types=["float32", "float16"])
case("R.nn.layer_norm(a, b, c, axes=[1, 2])", (3, 4, 5), (4, 5), (4, 5))
case("R.nn.rms_norm(a, b, axes=[-1])", (3, 8), (8,), types=["float32", "float16"])
case("R.nn.group_norm(a, b, c, num_groups=2, channel_axis=1, axes=[2, 3])", (2, 4, 3, 3), (4,), (4,))
case("R.nn.instance_norm(a, b, c, channel_axis=1, axes=[2, 3])", (2, 4, 3, 3), (4,), (4,))
case("R.nn.batch_norm(a, b, c, d, e, axis=1, training=False)", (2, 3, 4), (3,), (3,), (3,), (3,),
     kinds=dict(e="positive"))
case("R.nn.batch_norm(a, b, c, d, e, axis=1)", (2, 3, 4), (3,), (3,), (3,), (3,), kinds=dict(e="positive"))
case("R.nn.attention(a, b, c)", (1, 4, 2, 8), (1, 6, 2, 8), (1, 6, 2, 8))
case("R.nn.attention(a, b, c, d)", (1, 4, 2, 8), (1, 6, 2, 8), (1, 6, 2, 8), (1, 2, 4, 6))
case("R.nn.attention(a, b, c, d)", (2, 4, 2, 8), (2, 6, 2, 8), (2, 6, 2, 8), (2, 1, 4, 6))
case("R.nn.attention(a, b, c, d)", (2, 4, 2, 8), (2, 6, 2, 8), (2, 6, 2, 8), (1, 1, 1, 6))
case('R.nn.attention(a, b, c, causal_mask="TopLeft")', (1, 4, 2, 8), (1, 4, 2, 8), (1, 4, 2, 8))
case('R.nn.attention(a, b, c, causal_mask="BottomRight", scale=0.5)', (1, 4, 2, 8), (1, 6, 2, 8), (1, 6, 2, 8))
case("R.nn.cross_entropy_with_logits(a, b)", (3, 4), (3, 4))
case('R.quantize(a, b, c, axis=1, out_dtype="int8")', (3, 4), (4,), (4,), kinds=dict(b="positive", c="int8"))
case('R.quantize(a, b, c, out_dtype="int8")', (3, 4), (), (), kinds=dict(b="positive", c="int8"))
case('R.dequantize(a, b, c, axis=1)', (3, 4), (4,), (4,), types=["int8"], kinds=dict(b="float32", c="int8"))
case('R.einsum((a, b), subscripts="ij,jk->ik")', (3, 4), (4, 5))
case('R.einsum((a, b), subscripts="bij,bkj->bik")', (2, 3, 4), (2, 5, 4))
case('R.einsum((a,), subscripts="ij->j")', (3, 4))
case('R.einsum((a, b), subscripts="...ij,ij->...")', (2, 3, 4), (3, 4))
case('R.einsum((a, b), subscripts="...j,ij")', (2, 3, 4), (5, 4))
case('R.einsum((a, b, c), subscripts="ij,ik,il->jkl")', (3, 2), (3, 4), (3, 5))
case('R.einsum((a,), subscripts="i...j->j...i")', (3, 4, 5))
case('R.einsum((a,), subscripts="ba")', (3, 4))
case("R.tril(a, n - 4)", ("n", 5), symbols=dict(n=5))
case("R.triu(a, n - 4)", ("n", 5), symbols=dict(n=5))
case("R.clip(a, n - 6, n - 4)", ("n", 5), symbols=dict(n=5))
case("R.arange(n, 3 * n, n - 2)", ("n", 5), symbols=dict(n=5))
# Counting down, and nothing to count: TVM's types say otherwise.
for numbers in ["5, 0, -1", "10, 0, -2", "10, 0, -3", "5, 0", "0, 5, -1", "0, -7, -3"]:
    case(f"R.arange({numbers})", types=["int64"])
case("R.arange(n, 0, -1)", ("n",), symbols=dict(n=5))
case('R.add(R.arange(n, -3, -2), R.const(1, "int64"))', ("n",), symbols=dict(n=6))
case("R.nn.batch_flatten(a)", (2, 3, 4))
case("R.reverse_sequence(a, b, seq_axis=1, batch_axis=0)", (3, 5), (3,), kinds=dict(b="index:5"))
for name in ["sort", "argsort"]:
    case(f"R.{name}(a, axis=1)", (3, 6), types=["float32", "int32", "int64"])
    case(f"R.{name}(a, axis=0, descending=True)", (5, 2))
    case(f"R.{name}(a)", ("n", 6), symbols=dict(n=2))
for how in ["both", "values", "indices"]:
    case(f'R.topk(a, k=3, axis=-1, ret_type="{how}")', (3, 6), types=["float32", "int32"])
    case(f'R.topk(a, k=2, axis=0, ret_type="{how}", largest=False)', (4, 3))
    for k in [-1, 0]:  # all of them
        case(f'R.topk(a, k={k}, axis=1, ret_type="{how}")', ("n", 5), symbols=dict(n=3))
case("R.gather_nd(a, b)", (4, 4, 3), (2, 5, 2), kinds=dict(b="index:4"))
case("R.gather_nd(a, b, batch_dims=1)", (2, 4, 3), (2, 5, 1), kinds=dict(b="index:4"))
for how in ["update", "add", "mul", "min", "max"]:
    case(f'R.scatter_nd(a, b, c, reduction="{how}")', (4, 3), (2, 1), (2, 3), kinds=dict(b="index:4"))
case("R.bucketize(a, R.sort(b))", (3, 4), (5,))
case("R.bucketize(a, R.sort(b), out_int32=True, right=True)", (3, 4), (5,), types=["int32"])
for how in ["none", "sum", "mean"]:
    case(f'R.nn.nll_loss(a, b, c, reduction="{how}", ignore_index=1)', (3, 4, 2), (3, 2), (4,),
         kinds=dict(b="index:4", c="positive"))
    case(f'R.nn.nll_loss(a, b, reduction="{how}")', (3, 4), (3,), kinds=dict(b="index:4"))
    case(f'R.nn.nll_loss(a, b, c, reduction="{how}")', (4,), (), (4,), kinds=dict(b="index:4"))
case("R.index_tensor(a, (b, c))", (4, 4, 3), (2, 5), (5,), kinds=dict(b="index:4", c="index:4"),
     types=["float32", "int8"])
case("R.index_tensor(a, (b, c))", ("n", 4, "m"), (2, 1), (5,), kinds=dict(b="index:3", c="index:4"),
     symbols=dict(n=3, m=2))
for add in [True, False]:
    case(f"R.index_put(a, (b, c), d, accumulate={add})", (4, 4), (7,), (7,), (7,), kinds=dict(b="wrap:4", c="index:4"),
         types=["float32", "int32"])
case("R.index_put(a, (b, c), d, accumulate=True)", (4, 4), (2, 1), (3,), (2, 3), kinds=dict(b="index:4", c="index:4"))
case("R.index_put(a, (b,), c)", ("n",), (2,), (2,), kinds=dict(b="index:3"), symbols=dict(n=3))
case("R.slice_scatter(a, b, 1, 4, 1, axis=0)", (6, 3), (3, 3), types=["float32", "int32"])
case("R.slice_scatter(a, b, 1, 6, 2, axis=1)", (2, 7), (2, 3))
case('R.hamming_window(10, True, 0.54, 0.46, dtype="float32")', ())
case('R.hamming_window(7, False, 0.5, 0.5, dtype="float64")', ())
for axis in ["axis=1", "axis=-1, keepdims=True", "axis=0"]:
    case(f"R.median(a, {axis})", (3, 6, 5), types=["float32", "int32"])
case("R.median(a)", (3, 5))
case("R.median(a, axis=0)", ("n", 4), symbols=dict(n=6))
case("R.grad.take_backward(a, b, c, axis=0)", (3, 4), (5, 4), (3,), kinds=dict(c="index:5"))
case("R.grad.take_backward(a, b, c, axis=1)", (2, 3, 4), (2, 5, 4), (3,), kinds=dict(c="index:5"))
for how, shape in [("none", (6,)), ("sum", ()), ("mean", ())]:
    case(f'R.grad.nll_loss_backward(a, b, c, d, reduction="{how}", ignore_index=1)', shape, (6, 4), (6,), (4,),
         kinds=dict(c="index:4", d="positive"))
    case(f'R.grad.nll_loss_backward(a, b, c, reduction="{how}")', shape, (6, 4), (6,), kinds=dict(c="index:4"))
for name in ["max", "avg"]:
    case(f"R.grad.{name}_pool2d_backward(a, b, pool_size=(2, 2), strides=(2, 2), padding=(0, 0, 0, 0))", (1, 2, 3, 4), (1, 2, 6, 8))
    case(f"R.grad.{name}_pool2d_backward(a, b, pool_size=(3, 3), strides=(2, 2), padding=(1, 1, 1, 1))", (1, 2, 3, 4), (1, 2, 6, 8))
    case(f"R.grad.{name}_pool2d_backward(a, b, pool_size=(2, 3), strides=(1, 1), padding=(0, 0, 0, 0), count_include_pad=True)", (1, 2, 5, 6),
         (1, 2, 6, 8))
for ratio in [-1, 2]:
    for aligned in [True, False]:
        case(f'R.vision.roi_align(a, b, (3, 2), 0.5, sample_ratio={ratio}, aligned={aligned}, mode="max")', (2, 3, 8, 9),
             (4, 5), kinds=dict(b="regions"))
        case(f"R.vision.roi_align(a, b, (3, 2), 0.5, sample_ratio={ratio}, aligned={aligned})", (2, 3, 8, 9), (4, 5),
             kinds=dict(b="regions"))
case('R.vision.roi_align(a, b, (2, 2), 1.0, layout="NHWC")', (2, 8, 9, 3), (4, 5), kinds=dict(b="regions"))
case("R.vision.roi_pool(a, b, (3, 2), 0.5)", (2, 3, 8, 9), (4, 5), kinds=dict(b="regions"))
case("R.vision.roi_pool(a, b, (2, 2), 1.0)", (2, 3, "n", 9), ("m", 5), kinds=dict(b="regions"),
     symbols=dict(n=8, m=4))
case("R.vision.get_valid_counts(a, 0.5)", (2, 6, 6), low=-1, high=2)
case("R.vision.get_valid_counts(a, 0.5, id_index=-1, score_index=2)", (1, 5, 6), low=-1, high=2)
case("R.vision.multibox_transform_loc(a, b, c)", (2, 3, 5), (2, 20), (1, 5, 4))
case("R.vision.multibox_transform_loc(a, b, c, clip=True, threshold=0.3, variances=(0.1, 0.2, 0.3, 0.4), "
     "keep_background=False, apply_softmax=False)", (2, 3, 5), (2, 20), (1, 5, 4))
case("R.multinomial_from_uniform(a, b, c)", (3, 7), (6, 1), (6, 1), low=0, high=0.25, kinds=dict(c="index:3"))
case('R.multinomial_from_uniform(a, b, c, dtype="int32")', ("n", 4), ("m", 1), ("m", 1), low=0, high=0.4,
     kinds=dict(c="index:2"), symbols=dict(n=2, m=5))
case("R.meshgrid((a, b))", (3,), (4,))
case("R.memory.view(a, (8,))", (2, 4), types=["float32", "float16", "int8"])
case('R.memory.view(a, (3,), R.dtype("int32"), R.prim_value(8))', (2, 4))
case('R.memory.view(a, dtype=R.dtype("uint16"))', (2, 4), types=["float16", "int16"])
case('R.memory.view(R.add(a, a), (2, 2), R.dtype("int64"), R.prim_value(16))', (2, 4), types=["float64"])
case('R.meshgrid((a, b), indexing="xy")', (3,), (4,))
for mode in ["half_pixel", "align_corners", "asymmetric"]:
    for method in ["nearest_neighbor", "linear"]:
        case(f'R.image.resize2d(a, (7, 9), method="{method}", coordinate_transformation_mode="{mode}")', (1, 2, 4, 5))
    case(f'R.image.resize2d(a, (8, 10), method="nearest_neighbor", rounding_method="floor", '
         f'coordinate_transformation_mode="{mode}")', (1, 2, 4, 5))
case('R.image.resize2d(a, (8, 10), layout="NHWC")', (1, 4, 5, 2))
for rounding in ["round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", ""]:
    for mode in ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn"]:
        case(f'R.image.resize2d(a, (11, 6), method="nearest_neighbor", rounding_method="{rounding}", '
             f'coordinate_transformation_mode="{mode}")', (1, 2, 4, 9))
for mode in ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn"]:
    case(f'R.image.resize2d(a, (11, 4), method="cubic", coordinate_transformation_mode="{mode}")', (1, 2, 4, 9))
    case(f'R.image.resize3d(a, (3, 7, 4), method="linear", coordinate_transformation_mode="{mode}")', (1, 2, 4, 5, 6))
for roi in [(0.1, 0.2, 0.8, 0.9), (-0.1, 0.3, 0.7, 1.2), (0.9, 1.0, 0.0, 0.2), (0, 0, 1, 1)]:
    crop = f'roi={roi}, coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.0'
    for method in ["linear", "cubic"]:
        case(f'R.image.resize2d(a, (3, 6), method="{method}", {crop})', (2, 2, 4, 5))
    case(f'R.image.resize2d(a, (3, 6), method="cubic", cubic_exclude=1, layout="NHWC", {crop})', (1, 4, 5, 2))
    for rounding in ["round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", ""]:
        case(f'R.image.resize2d(a, (3, 6), method="nearest_neighbor", rounding_method="{rounding}", {crop})',
             (1, 2, 4, 5))
case('R.image.resize2d(a, (n + 2, 6), roi=(0.1, 0.2, 0.8, 0.9), coordinate_transformation_mode="tf_crop_and_resize")',
     (1, 2, "n", 5), types=["float32", "float16"], symbols=dict(n=4))
case('R.image.resize2d(a, (n * 2, 9), method="linear")', (1, 2, "n", 5), symbols=dict(n=4))
case('R.image.resize2d(a, (n * 2, 9), method="nearest_neighbor")', (1, 2, "n", 5), symbols=dict(n=4))
case("R.image.grid_sample(a, b)", (1, 3, "n", "m"), (1, 2, "k", 3), low=-1.2, high=1.2, symbols=dict(n=2, m=5, k=4))
case('R.image.resize2d(a, (9, 4), method="cubic", cubic_exclude=1, cubic_alpha=-0.5, layout="NHWC")', (1, 4, 9, 2))
case('R.image.resize2d(a, (7, 9), method="linear")', ("n", 2, 4, 5), symbols=dict(n=2))
case('R.image.resize3d(a, (3, 7, 4), method="cubic")', (1, 2, 4, 5, 6))
for method in ["bilinear", "nearest", "bicubic"]:
    for padding in ["zeros", "border", "reflection"]:
        for corners in [True, False]:
            how = f'method="{method}", padding_mode="{padding}", align_corners={corners}'
            case(f"R.image.grid_sample(a, b, {how})", (2, 3, 4, 5), (2, 2, 6, 3), low=-1.6, high=1.6)
            if method != "bicubic":
                case(f'R.image.grid_sample(a, b, layout="NCDHW", {how})', (1, 2, 3, 4, 5), (1, 3, 2, 3, 4), low=-1.6,
                     high=1.6)
case("R.image.grid_sample(a, b)", ("n", 3, 4, 5), ("n", 2, 6, 3), low=-1.2, high=1.2, symbols=dict(n=2))
for corners in [True, False]:
    case(f"R.image.affine_grid(a, (4, 5), align_corners={corners})", (2, 2, 3))
    case(f"R.image.affine_grid(a, (4, 5, 2), align_corners={corners})", (2, 3, 4))
for t in ["float32", "int32", "bool"]:
    for shape in [(7,), (3, 5), (2, 3, 4), ("n", 4)]:
        case("R.nonzero(a)", shape, kinds=dict(a="bool" if t == "bool" else "few"), types=[t],
             symbols=dict(n=3) if "n" in shape else None)
for flags in ["True", "False", "True, True, True, True", "False, True, True, True", "True, False, True, False"]:
    for shape in [(20,), (4, 5)]:
        case(f"R.unique(a, {flags})", shape, kinds=dict(a="few"), types=["float32", "int32", "int64"])
    case(f"R.unique(a, {flags}, axis=0)", (20,), kinds=dict(a="few"))
    for axis, shape in [(0, (20, 2)), (1, (2, 20)), (-1, (1, 2, 20)), (1, (2, 9, 1)), (0, (3, 1, 1)), (1, (4, 5))]:
        case(f"R.unique(a, {flags}, axis={axis})", shape, kinds=dict(a="few"), types=["float32", "int64"])
    case(f"R.unique(a, {flags}, axis=1)", ("n", "m"), kinds=dict(a="few"), symbols=dict(n=2, m=15))
for flags in ["True", "False, True, True, True"]:
    case(f"R.unique(a, {flags})", (3, 4), types=["bool"])
    case(f"R.unique(a, {flags}, axis=1)", ("n", 9), types=["bool"], symbols=dict(n=2))
for kinds in [dict(b="index:3", c="index:6", d="stride"), dict(b="index:6", c="index:3", d="back")]:
    case("R.dynamic_strided_slice(a, b, c, d)", (5, 6), (2,), (2,), (2,), kinds=kinds, types=["float32", "int32"])
    case("R.dynamic_strided_slice(a, b, c, d)", ("n", 6, 4), (3,), (3,), (3,), kinds=kinds, symbols=dict(n=5))
for most, overlap, least in [(3, 0.5, 0.1), (1, 0.2, 0.6), (9, 0.05, 0.0), (0, 0.5, 0.0), (9, 0.3, 2.0)]:
    limits = f'R.const({most}, "int64"), R.const({overlap}, "float32"), R.const({least}, "float32")'
    case(f"R.vision.all_class_non_max_suppression(a, b, {limits})", (2, 9, 4), (2, 3, 9), low=0.0, high=1.0)
for how in ["", "max_output_size=2", "force_suppress=True, iou_threshold=0.1", "top_k=4, id_index=-1", "iou_threshold=0.05",
            "coord_start=0, score_index=4, id_index=5, max_output_size=1"]:
    for given in ["", "return_indices=False", "return_indices=False, invalid_to_bottom=True"]:
        flags = ", ".join(f for f in [how, given] if f)
        case(f"R.vision.non_max_suppression(a, b, c, {flags})", (2, 9, 6), (2,), (2, 9),
             kinds=dict(a="boxes", b="narrow:10", c="narrow:9"))
for soft in ["soft_nms_sigma=0.5", "soft_nms_sigma=0.3, score_threshold=0.2, iou_threshold=0.8",
             "soft_nms_sigma=0.5, max_output_size=3, top_k=7, force_suppress=True",
             "soft_nms_sigma=0.5, return_indices=False, iou_threshold=0.4"]:
    case(f"R.vision.non_max_suppression(a, b, c, id_index=0, {soft})", (2, 9, 6), (2,), (2, 9),
         kinds=dict(a="boxes", b="narrow:10", c="narrow:9"))
    case(f"R.vision.non_max_suppression(a, b, c, id_index=-1, {soft})", ("n", 9, 6), ("n",), ("n", 9), symbols=dict(n=3),
         kinds=dict(a="boxes", b="narrow:10", c="narrow:9"))
case("R.vision.non_max_suppression(a, b, c)", ("n", "m", 6), ("n",), ("n", "m"), symbols=dict(n=2, m=12),
     kinds=dict(a="boxes", b="narrow:13", c="narrow:12"))
case("R.shape_to_tensor(R.shape_of(a))", ("n", 4), symbols=dict(n=3))
case("R.size(a)", (3, 4))

LETTERS = "abcdefgh"


def kind_of(c, i):
    return c["kinds"].get(LETTERS[i], "")


def type_of(c, i):
    kind = kind_of(c, i)
    if kind in ("bool", "int8", "float32"):
        return kind
    if kind.startswith("narrow"):
        return "int32"
    return "int64" if kind.startswith(("index", "wrap", "stride", "back")) else c["type"]


def text_of(c, name):
    def dims(shape):
        inner = ", ".join(f'"{d}"' if isinstance(d, str) else str(d) for d in shape)
        return f"({inner}{',' if len(shape) == 1 else ''})"
    params = ", ".join(f'{LETTERS[i]}: R.Tensor({dims(s)}, dtype="{type_of(c, i)}")' for i, s in enumerate(c["shapes"]))
    lines = ["    @R.function", f"    def {name}({params}):"]
    lines += [f"        {s} = T.int64()" for s in c["symbols"]]
    lines += [f"        gv = {c['text']}", "        return gv"]
    return "\n".join(lines)


IMPORTS = "from tvm.script import ir as I\nfrom tvm.script import tirx as T\nfrom tvm.script import relax as R\n\n"
MODULE = "@I.ir_module\nclass Module:\n"
HEADER = IMPORTS + MODULE


def value_of(c, i, rng):
    shape = tuple(c["symbols"].get(d, d) for d in c["shapes"][i])
    kind, t = kind_of(c, i), type_of(c, i)
    if t == "bool":
        return rng.random(shape) < 0.5
    if kind == "regions":  # of one of two images, some of it outside
        corners = rng.uniform(-2, 14, (shape[0], 2))
        return np.concatenate([rng.integers(0, 2, (shape[0], 1)), corners, corners + rng.uniform(0.1, 6, corners.shape)],
                              axis=1).astype(t)
    if kind == "boxes":  # of one of two classes, or of none; scores on both sides of 0, and equal ones
        boxes = rng.uniform(0, 1, shape).astype(t)
        boxes[..., 0] = rng.integers(-1, 2, shape[:-1])
        boxes[..., 1] = rng.integers(-2, 7, shape[:-1]) / 8
        return boxes
    if kind == "few":  # many equal ones, and zeros
        return rng.integers(-2, 3, shape).astype(t)
    if kind in ("stride", "back"):
        return (rng.integers(1, 3, shape) if kind == "stride" else rng.integers(-2, 0, shape)).astype(t)
    if kind.startswith("wrap:"):  # from the end as well
        return rng.integers(-int(kind[5:]), int(kind[5:]), shape).astype(t)
    if kind.startswith(("index:", "narrow:")):
        return rng.integers(0, int(kind.split(":")[1]), shape).astype(t)
    low, high = (0.5, 4.0) if kind == "positive" else (c["low"], c["high"])
    if np.dtype(t).kind in "iu":
        low = max(low, 1 if kind == "positive" else (0 if t.startswith("u") else low))
        return rng.integers(int(np.ceil(low)), int(high) + 1, shape).astype(t)
    return rng.uniform(low, high, shape).astype(t)


def flat(value):
    if isinstance(value, (tuple, list)) or type(value).__name__ == "Array":
        return [x for v in value for x in flat(v)]
    return [value.numpy()]


def tvm_results(c, inputs):
    mod = tvm.script.from_source(MODULE + text_of(c, "main") + "\n")
    vm = relax.VirtualMachine(tvm.compile(mod, "llvm"), tvm.cpu())
    return mod, flat(vm["main"](*[tvm.runtime.tensor(x) for x in inputs]))


def tirb_results(tirb, folder, text, inputs, n, flags=()):
    source = folder / "case.py"
    source.write_text(text)
    command = [tirb, "run", str(source), "-f", "main", *flags]
    for i, x in enumerate(inputs):
        np.save(folder / f"{LETTERS[i]}.npy", x)
        command.append(f"{LETTERS[i]}=@{folder}/{LETTERS[i]}.npy")
    for i in range(n):
        command += ["-o", f"{i}=@{folder}/out{i}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    return [np.load(folder / f"out{i}.npy") for i in range(n)], ""


def difference(wanted, found, text):
    averages = any(name in text for name in ["mean", "variance", "avg_pool"])
    if averages and wanted.dtype.kind == "i":  # TVM gives int64 or int32, and says otherwise
        wanted = wanted.astype(found.dtype)
    if "unique" in text and "axis" not in text and wanted.ndim > 1:  # TVM leaves NumPy's shape, and says that it has one dimension
        wanted = wanted.ravel()
    if wanted.shape != found.shape or wanted.dtype != found.dtype:
        return f"{wanted.dtype}{wanted.shape} wanted, {found.dtype}{found.shape} found"
    if wanted.dtype.kind not in "f":
        return "" if np.array_equal(wanted, found) else f"wanted {wanted.ravel()[:6]}, found {found.ravel()[:6]}"
    tolerance = {2: 1e-2, 4: 3e-5, 8: 1e-11}[wanted.dtype.itemsize]
    if np.allclose(wanted.astype("float64"), found.astype("float64"), rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"wanted {wanted.ravel()[:6]}, found {found.ravel()[:6]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tirb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="one case of so many, by the seed")
    parser.add_argument("names", nargs="*", help="only cases with one of these in their text")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    right = left_out = 0
    wrong = []
    operators = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, c in enumerate(CASES):
            if (number + options.seed) % options.every:
                continue
            if options.names and not any(n in c["text"] for n in options.names):
                continue
            label = f"{c['text']} {c['type']} {c['shapes']}"
            inputs = [value_of(c, i, rng) for i in range(len(c["shapes"]))]
            try:
                mod, wanted = tvm_results(c, inputs)
            except Exception as e:  # what TVM itself does not compile
                left_out += 1
                print(f"left out: {label}: {str(e).strip().splitlines()[-1][:100]}")
                continue
            found, message = tirb_results(options.tirb, folder, HEADER + text_of(c, "main") + "\n", inputs, len(wanted))
            problem = message or next((d for w, f in zip(wanted, found) if (d := difference(w, f, c["text"]))), "")
            if problem:
                wrong.append(f"{label}: {problem[:400]}")
            else:
                right += 1
                operators.update(re.findall(r"R\.([a-z_0-9.]+)\(", c["text"]))
    for line in wrong:
        print("WRONG", line)
    print(f"{len(operators)} names of operators, {left_out} cases that TVM does not compile")
    print(f"{right} passed, {len(wrong)} failed")
    return 1 if wrong or (not right and not options.names) else 0


if __name__ == "__main__":
    sys.exit(main())
