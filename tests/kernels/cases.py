"""The kernels of this folder with inputs, and the outputs that NumPy computes for them by its own means.

Every entry is a generator that yields Run objects: one call of one function. `ALL` lists them in order.
"""

import math

import numpy as np

ALL = []


class Out:
    """A parameter that the function only writes: the caller may leave it out of the call."""


OUT = Out()


class Bf16:
    """An array of bfloat16 by its bits."""

    def __init__(self, bits):
        self.bits = bits


class Run:
    """One call: `args` in parameter order (arrays, Python scalars, or OUT), `outputs` the written parameters' expected
    contents in parameter order, `returns` the expected return value. Integers must be equal; floats may differ by
    rtol * |expected| + atol."""

    def __init__(self, args, outputs=None, returns=None, rtol=None, atol=None):
        self.args = args
        self.outputs = outputs or {}
        self.returns = returns
        self.rtol = rtol
        self.atol = atol


def kernel(file, function, tvm=True):
    """Registers a generator of runs. `tvm` is False where TVM 0.27 itself cannot read, compile or define the program."""

    def register(maker):
        ALL.append((file, function, maker, tvm))
        return maker

    return register


def f32(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def f64(rng, *shape):
    return rng.standard_normal(shape)


def wide(a):
    return a.astype(np.float64)


def narrow(a):
    return np.asarray(a).astype(np.float32)


# ---- vectors -----------------------------------------------------------------------------------------------------


@kernel("vector_add.py", "vector_add")
def vector_add(rng):
    for n in (0, 1, 7, 16, 63, 64, 65, 1000, 100003):
        a, b = f32(rng, n), f32(rng, n)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": a + b}, rtol=0, atol=0)


@kernel("saxpy.py", "saxpy")
def saxpy(rng):
    for n in (0, 1, 5, 64, 1021):
        x, y = f32(rng, n), f32(rng, n)
        yield Run({"a": -1.5, "x": x, "y": y}, {"y": narrow(-1.5 * wide(x) + y)})


@kernel("saxpy.py", "axpby")
def axpby(rng):
    for n in (1, 33, 4096):
        x, y = f32(rng, n), f32(rng, n)
        yield Run({"a": 0.25, "x": x, "b": 3.0, "y": y, "z": OUT}, {"z": narrow(0.25 * wide(x) + 3.0 * wide(y))})


# ---- products ----------------------------------------------------------------------------------------------------

MATMUL_SIZES = ((1, 1, 1), (2, 3, 4), (16, 16, 16), (17, 5, 33), (1, 70, 9), (64, 1, 3), (50, 65, 129))


def matmul(name, sizes):
    @kernel("matmul.py", name)
    def runs(rng):
        for m, n, k in sizes:
            a, b = f32(rng, m, k), f32(rng, k, n)
            yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow(wide(a) @ wide(b))}, atol=2e-6 * k)


for order in ("ijk", "ikj", "jki", "loops", "two_stage", "blocked"):
    matmul(f"matmul_{order}", MATMUL_SIZES if order != "loops" else MATMUL_SIZES + ((4, 5, 0), (3, 0, 2)))
matmul("matmul_64", ((64, 64, 48),))


@kernel("matmul_classic.py", "matmul")
def matmul_classic(rng):
    a, b = f32(rng, 128, 128), f32(rng, 128, 128)
    yield Run({"a": a, "b": b, "c": OUT}, {"c": narrow(wide(a) @ wide(b))}, atol=1e-4)


@kernel("matmul_classic.py", "matmul_nt")
def matmul_nt(rng):
    for m, n, k in MATMUL_SIZES:
        a, b = f32(rng, m, k), f32(rng, n, k)
        yield Run({"a": a, "b": b, "c": OUT}, {"c": narrow(wide(a) @ wide(b).T)}, atol=2e-6 * k)


@kernel("matmul_classic.py", "batch_matmul")
def batch_matmul(rng):
    for s, m, n, k in ((1, 2, 3, 4), (3, 9, 17, 11)):
        a, b = f64(rng, s, m, k), f64(rng, s, k, n)
        yield Run({"a": a, "b": b, "c": OUT}, {"c": a @ b}, atol=1e-13 * k)


@kernel("matmul_classic.py", "gemv")
def gemv(rng):
    for m, n in ((1, 1), (5, 64), (33, 100), (3, 40000)):
        a, x = f32(rng, m, n), f32(rng, n)
        yield Run({"a": a, "x": x, "y": OUT}, {"y": narrow(wide(a) @ wide(x))}, atol=3e-6 * math.sqrt(n))


# ---- normalisation -----------------------------------------------------------------------------------------------


def softmax_of(x):
    power = np.exp(x - x.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


@kernel("softmax.py", "softmax")
def softmax(rng):
    for n, m in ((1, 1), (4, 10), (31, 129), (2, 5000), (520, 505)):
        a = f32(rng, n, m) * 5
        yield Run({"A": a, "T_softmax_norm": OUT}, {"T_softmax_norm": narrow(softmax_of(wide(a)))})


@kernel("softmax.py", "log_softmax")
def log_softmax(rng):
    for n, m in ((1, 1), (7, 33), (3, 1000)):
        x = f32(rng, n, m) * 3
        yield Run({"X": x, "Y": OUT}, {"Y": narrow(np.log(softmax_of(wide(x))))}, atol=1e-5)


def normalised(x, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


@kernel("layer_norm.py", "layer_norm")
def layer_norm(rng):
    for n, d in ((1, 2), (5, 64), (3, 129), (9, 768), (263, 997)):
        a, gamma, beta = f32(rng, n, d), f32(rng, d), f32(rng, d)
        want = normalised(wide(a), 1e-5) * gamma + beta
        yield Run({"A": a, "gamma": gamma, "beta": beta, "T_layer_norm": OUT}, {"T_layer_norm": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("layer_norm.py", "layer_norm_two_pass")
def layer_norm_two_pass(rng):
    for n, d in ((2, 3), (6, 100)):
        x = f32(rng, n, d) + 100
        yield Run({"X": x, "Y": OUT}, {"Y": narrow(normalised(wide(x), 1e-5))}, rtol=1e-3, atol=1e-3)


@kernel("layer_norm.py", "rms_norm")
def rms_norm(rng):
    for n, d in ((1, 1), (4, 77)):
        x, w = f32(rng, n, d), f32(rng, d)
        want = wide(x) / np.sqrt((wide(x) ** 2).mean(-1, keepdims=True) + 1e-6) * w
        yield Run({"X": x, "W": w, "eps": 1e-6, "Y": OUT}, {"Y": narrow(want)}, atol=1e-5)


# ---- convolution -------------------------------------------------------------------------------------------------


def conv_nhwc(x, w, stride, pad):
    x = np.pad(wide(x), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[:2], axis=(1, 2))[:, ::stride, ::stride]
    return narrow(np.einsum("nyxcab,abcf->nyxf", windows, wide(w)))


def conv2d(name):
    @kernel("conv2d.py", name)
    def runs(rng):
        for n, h, w, ci, co in ((1, 1, 1, 1, 1), (1, 5, 4, 3, 2), (2, 8, 9, 4, 17)):
            x, weight = f32(rng, n, h, w, ci), f32(rng, 3, 3, ci, co)
            yield Run({"Input": x, "Weight": weight, "Conv": OUT}, {"Conv": conv_nhwc(x, weight, 1, 1)}, atol=1e-4)


conv2d("conv2d_nhwc")
conv2d("conv2d_nhwc_inline")


@kernel("conv2d.py", "conv2d_nhwc_stride2")
def conv2d_stride2(rng):
    x, w = f32(rng, 1, 15, 17, 3), f32(rng, 5, 5, 3, 8)
    args = {"rxplaceholder": x, "rxplaceholder_1": w, "conv2d_nhwc": OUT}
    yield Run(args, {"conv2d_nhwc": conv_nhwc(x, w, 2, 2)}, atol=1e-4)


def spread_nchw(g, w, stride, into):
    """Adds every element of g, times the weights, to a window of a copy of `into`."""
    d = wide(into).copy()
    for ky, kx in np.ndindex(w.shape[2:]):
        rows, columns = slice(ky, ky + stride * g.shape[2], stride), slice(kx, kx + stride * g.shape[3], stride)
        d[:, :, rows, columns] += np.einsum("noyx,oc->ncyx", wide(g), wide(w)[:, :, ky, kx])
    return narrow(d)


@kernel("conv2d.py", "conv2d_nchw_grad")
def conv2d_nchw_grad(rng):
    for n, o, c, h, width in ((1, 1, 1, 1, 1), (2, 3, 5, 4, 19), (1, 4, 2, 9, 33)):
        g, w, d = f32(rng, n, o, h, width), f32(rng, o, c, 3, 3), f32(rng, n, c, h + 2, width + 2)
        yield Run({"g": g, "weight": w, "d": d}, {"d": spread_nchw(g, w, 1, d)}, atol=1e-4)


@kernel("conv2d.py", "conv2d_nhwc_transposed")
def conv2d_nhwc_transposed(rng):
    g, w, d = f32(rng, 7, 11, 6), f32(rng, 4, 4, 6, 5), f32(rng, 14, 22, 5)
    large = np.pad(d, ((1, 1), (1, 1), (0, 0))).transpose(2, 0, 1)[None]
    whole = spread_nchw(g.transpose(2, 0, 1)[None], w.transpose(2, 3, 0, 1), 2, large)
    yield Run({"g": g, "weight": w, "d": d}, {"d": whole[0].transpose(1, 2, 0)[1:-1, 1:-1]}, atol=1e-4)


@kernel("depthwise_conv2d.py", "depthwise_nhwc")
def depthwise_nhwc(rng):
    for n, h, width, c in ((1, 1, 1, 1), (2, 7, 6, 5), (1, 10, 3, 70)):
        x, w = f32(rng, n, h, width, c), f32(rng, 3, 3, c)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(wide(x), ((0, 0), (1, 1), (1, 1), (0, 0))), (3, 3), axis=(1, 2))
        yield Run({"x": x, "w": w, "y": OUT}, {"y": narrow(np.einsum("nyxcab,abc->nyxc", windows, wide(w)))}, atol=1e-5)


@kernel("depthwise_conv2d.py", "depthwise_nchw")
def depthwise_nchw(rng):
    for n, c, h, width, kh, kw in ((1, 1, 3, 3, 3, 3), (2, 4, 9, 12, 2, 5)):
        x, w = f32(rng, n, c, h, width), f32(rng, c, kh, kw)
        windows = np.lib.stride_tricks.sliding_window_view(wide(x), (kh, kw), axis=(2, 3))
        yield Run({"x": x, "w": w, "y": OUT}, {"y": narrow(np.einsum("ncyxab,cab->ncyx", windows, wide(w)))}, atol=1e-5)


# ---- stencils ----------------------------------------------------------------------------------------------------


@kernel("stencil.py", "jacobi")
def jacobi(rng):
    for h, w, steps in ((2, 2, 3), (3, 3, 1), (20, 33, 0), (17, 70, 5)):
        u = f32(rng, h, w)
        want = u.copy()
        for _ in range(steps):
            around = want[:-2, 1:-1] + want[2:, 1:-1] + want[1:-1, :-2] + want[1:-1, 2:]
            want[1:-1, 1:-1] = around * np.float32(0.25)
        yield Run({"U": u, "steps": steps}, {"U": want}, rtol=0, atol=0)


@kernel("stencil.py", "blur_u8")
def blur_u8(rng):
    for h, w in ((1, 1), (1, 9), (30, 41)):
        a = rng.integers(0, 256, (h, w), dtype=np.uint8)
        p = np.pad(a.astype(np.int32), 1, mode="edge")
        total = sum(p[dy:dy + h, dx:dx + w] * (2 - abs(dy - 1)) * (2 - abs(dx - 1)) for dy in range(3) for dx in range(3))
        yield Run({"A": a, "B": OUT}, {"B": ((total + 8) >> 4).astype(np.uint8)})


@kernel("stencil.py", "sobel")
def sobel(rng):
    for h, w in ((1, 1), (13, 20)):
        a = f32(rng, h + 2, w + 2)
        v = np.lib.stride_tricks.sliding_window_view(wide(a), (3, 3))
        kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
        yield Run({"A": a, "G": np.zeros((h, w), np.float32)}, {"G": narrow(np.hypot((v * kx).sum((2, 3)), (v * kx.T).sum((2, 3))))}, atol=1e-5)


@kernel("stencil.py", "life")
def life(rng):
    for h, w in ((3, 3), (16, 31)):
        now = rng.random((h, w)) < 0.4
        around = sum(np.roll(now, (dy, dx), (0, 1)).astype(int) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
        yield Run({"now": now, "then": OUT}, {"then": (around == 3) | ((around == 2) & now)})


@kernel("stencil.py", "corners")
def corners(rng):
    x, y = (rng.integers(-9, 10, (21, 50), dtype=np.int32) for _ in range(2))
    xx, yy, xy = (np.lib.stride_tricks.sliding_window_view(p, (3, 3)).sum((2, 3)) for p in (x * x, y * y, x * y))
    yield Run({"X": x, "Y": y, "R": OUT}, {"R": (xx * yy - xy * xy - ((xx + yy) ** 2 >> 4)).astype(np.int32)})


# ---- movement ----------------------------------------------------------------------------------------------------


@kernel("transpose.py", "transpose")
def transpose(rng):
    for n, m in ((1, 1), (3, 70), (65, 64)):
        a = f32(rng, n, m)
        yield Run({"A": a, "T_transpose": OUT}, {"T_transpose": a.T.copy()}, rtol=0, atol=0)


@kernel("transpose.py", "transpose_tiled")
def transpose_tiled(rng):
    for n, m in ((1, 9), (8, 16), (19, 30)):
        a = rng.integers(-2**62, 2**62, (n, m))
        yield Run({"A": a, "B": OUT}, {"B": a.T.copy()})


@kernel("transpose.py", "nchw_to_nhwc")
def nchw_to_nhwc(rng):
    for shape in ((1, 3, 5, 7), (2, 16, 4, 9)):
        a = rng.integers(0, 256, shape, dtype=np.uint8)
        yield Run({"A": a, "B": OUT}, {"B": a.transpose(0, 2, 3, 1).copy()})


@kernel("transpose.py", "transpose_square")
def transpose_square(rng):
    for n in (0, 1, 2, 37):
        a = f32(rng, n, n)
        yield Run({"A": a}, {"A": a.T.copy()}, rtol=0, atol=0)


@kernel("embedding.py", "embedding")
def embedding(rng):
    for v, d, n in ((1, 1, 1), (10, 64, 7), (100, 33, 50)):
        table, ids = f32(rng, v, d), rng.integers(0, v, n).astype(np.int32)
        yield Run({"table": table, "ids": ids, "out": OUT}, {"out": table[ids]}, rtol=0, atol=0)


@kernel("embedding.py", "embed_positions")
def embed_positions(rng):
    table, positions, ids = f32(rng, 20, 24), f32(rng, 6, 24), rng.integers(0, 20, (3, 6))
    args = {"table": table, "positions": positions, "ids": ids, "out": OUT}
    yield Run(args, {"out": table[ids] + positions}, rtol=0, atol=0)


@kernel("embedding.py", "gather_elements")
def gather_elements(rng):
    a, index = rng.integers(-99, 99, (9, 13)).astype(np.int32), rng.integers(0, 13, (9, 20)).astype(np.int32)
    yield Run({"A": a, "index": index, "out": OUT}, {"out": np.take_along_axis(a, index, 1)})


@kernel("embedding.py", "chase")
def chase(rng):
    following, way, at = rng.permutation(50).astype(np.int32), [], 7
    for _ in range(120):
        way.append(at)
        at = following[at]
    yield Run({"next": following, "start": 7, "way": np.zeros(120, np.int32)}, {"way": np.array(way, np.int32)})


@kernel("embedding.py", "search_sorted")
def search_sorted(rng):
    for n, k in ((0, 3), (1, 5), (100, 60)):
        data, keys = np.sort(f32(rng, n)), f32(rng, k)
        yield Run({"sorted": data, "keys": keys, "place": OUT}, {"place": np.searchsorted(data, keys).astype(np.int32)})


# ---- scans, scatters, orders -------------------------------------------------------------------------------------


def sequential_sum(a, axis=0):
    return np.add.accumulate(a, axis=axis, dtype=a.dtype)


@kernel("cumsum.py", "cumsum")
def cumsum(rng):
    for n in (0, 1, 2, 1000):
        a = f32(rng, n)
        yield Run({"A": a, "B": OUT}, {"B": sequential_sum(a)}, rtol=0, atol=0)


@kernel("cumsum.py", "cumsum_i64")
def cumsum_i64(rng):
    a = rng.integers(-2**31, 2**31, 777).astype(np.int32)
    yield Run({"A": a, "B": OUT}, {"B": np.cumsum(a, dtype=np.int64)})


@kernel("cumsum.py", "cumsum_rows")
def cumsum_rows(rng):
    for n, m in ((1, 1), (20, 33)):
        a = f32(rng, n, m)
        yield Run({"A": a, "B": np.zeros_like(a)}, {"B": sequential_sum(a, 1)}, rtol=0, atol=0)


@kernel("cumsum.py", "cumsum_columns")
def cumsum_columns(rng):
    for n, m in ((1, 1), (20, 70)):
        a = f32(rng, n, m)
        yield Run({"A": a, "B": np.zeros_like(a)}, {"B": sequential_sum(a)}, rtol=0, atol=0)


@kernel("cumsum.py", "exclusive_scan")
def exclusive_scan(rng):
    for n in (0, 1, 100):
        a = rng.integers(-9, 9, n).astype(np.int32)
        yield Run({"A": a, "B": OUT}, {"B": np.concatenate([[0], np.cumsum(a)]).astype(np.int32)})


@kernel("cumsum.py", "running_maximum")
def running_maximum(rng):
    for n in (0, 1, 300):
        a = f64(rng, n)
        yield Run({"A": a, "B": OUT}, {"B": np.maximum.accumulate(a)}, rtol=0, atol=0)


@kernel("cumsum.py", "smooth")
def smooth(rng):
    x, y, state = f32(rng, 200), [], 0.0
    for value in x.tolist():
        state = 0.875 * state + 0.125 * value
        y.append(state)
    yield Run({"X": x, "a": 0.875, "Y": OUT}, {"Y": narrow(y)})


@kernel("argmax.py", "argmax")
def argmax(rng):
    for n, m in ((1, 1), (9, 10), (4, 333)):
        a = rng.integers(-5, 5, (n, m)).astype(np.float32)
        yield Run({"A": a, "A_red": OUT}, {"A_red": a.argmax(1).astype(np.int32)})


@kernel("argmax.py", "argmin_columns")
def argmin_columns(rng):
    for n, m in ((1, 3), (50, 40)):
        a = rng.integers(-30, 30, (n, m)).astype(np.int16)
        yield Run({"A": a, "where": OUT, "least": OUT}, {"where": a.argmin(0), "least": a.min(0)})


@kernel("argmax.py", "argmax_1d")
def argmax_1d(rng):
    for n in (1, 500):
        a = f64(rng, n)
        yield Run({"A": a}, returns=int(a.argmax()))


@kernel("sort.py", "insertion_sort")
def insertion_sort(rng):
    for n in (0, 1, 2, 200):
        a = f32(rng, n)
        yield Run({"A": a}, {"A": np.sort(a)}, rtol=0, atol=0)


@kernel("sort.py", "bubble_sort")
def bubble_sort(rng):
    for n in (0, 1, 60):
        a = rng.integers(-50, 50, n).astype(np.int32)
        yield Run({"A": a}, {"A": np.sort(a)})


@kernel("sort.py", "heap_sort")
def heap_sort(rng):
    for n in (0, 1, 2, 3, 500):
        a = rng.integers(-2**60, 2**60, n)
        yield Run({"A": a}, {"A": np.sort(a)})


@kernel("sort.py", "argsort_rows")
def argsort_rows(rng):
    a = rng.integers(0, 6, (7, 40)).astype(np.int32)
    yield Run({"A": a, "order": np.zeros_like(a)}, {"order": np.argsort(a, 1, kind="stable").astype(np.int32)})


# ---- loops that end when the data says so ------------------------------------------------------------------------


@kernel("mandelbrot.py", "mandelbrot", tvm=False)
def mandelbrot(rng):
    # Steps of 1/16 and few iterations: rounding may move a count only for points on the very border.
    h, w, limit = 33, 49, 12
    c = (-2.25 + np.arange(w) / 16)[None, :] + 1j * (-1.0 + np.arange(h) / 16)[:, None]
    z, count = np.zeros_like(c), np.zeros((h, w), np.int32)
    for _ in range(limit):
        inside = z.real**2 + z.imag**2 <= 4
        count += inside
        z = np.where(inside, z * z + c, z)
    args = {"count": np.zeros((h, w), np.int32), "left": -2.25, "top": -1.0, "step": 0.0625, "limit": limit}
    yield Run(args, {"count": count})


# ---- elementwise -------------------------------------------------------------------------------------------------


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(wide(x))


@kernel("activations.py", "relu")
def relu(rng):
    for n, m in ((1, 1), (0, 4), (13, 77)):
        x = f32(rng, n, m)
        yield Run({"X": x, "Y": OUT}, {"Y": np.maximum(x, np.float32(0))}, rtol=0, atol=0)


@kernel("activations.py", "relu6_chain")
def relu6_chain(rng):
    for n, m in ((1, 1), (13, 77)):
        x, scale, bias = f32(rng, n, m) * 5, f32(rng, m), f32(rng, m)
        args = {"X": x, "scale": scale, "bias": bias, "Y": OUT}
        yield Run(args, {"Y": np.clip(x * scale + bias, 0, 6)}, rtol=0, atol=0)


@kernel("activations.py", "leaky_relu")
def leaky_relu(rng):
    x = f32(rng, 201)
    yield Run({"X": x, "alpha": 0.125, "Y": OUT}, {"Y": np.where(x > 0, x, x / 8)}, rtol=0, atol=0)


def activation(name, reference, dtype=np.float32):
    @kernel("activations.py", name)
    def runs(rng):
        for n in (1, 16, 335):
            x = (rng.standard_normal(n) * 3).astype(dtype)
            yield Run({"X": x, "Y": OUT}, {"Y": reference(wide(x)).astype(dtype)}, rtol=1e-5 if dtype == np.float32 else 1e-13)


activation("gelu", lambda x: x * 0.5 * (1 + erf(x * math.sqrt(0.5))))
activation("gelu_tanh", lambda x: x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
activation("silu", lambda x: x / (1 + np.exp(-x)))
activation("softplus", lambda x: np.logaddexp(0, x), np.float64)
activation("elu", lambda x: np.where(x > 0, x, np.expm1(x)))


def math_table(name, dtype, rtol):
    @kernel("math_functions.py", name, tvm=dtype == np.float32)  # TVM's exp10 is too coarse for float64
    def runs(rng):
        for n in (1, 500):
            given = (rng.standard_normal(n) * 2).astype(dtype)
            x = wide(given)
            # p and u as the kernel's own arithmetic rounds them.
            p, u = wide(abs(given) + dtype(0.125)), wide(given / (abs(given) + dtype(1)))
            columns = [
                np.exp(x), np.exp2(x), 10**x, np.log(p), np.log2(p), np.log10(p), np.log1p(p), np.sin(x), np.cos(x),
                np.tan(u), np.arcsin(u), np.arccos(u), np.arctan(x), np.sinh(x), np.cosh(x), np.tanh(x), np.arcsinh(x),
                np.arccosh(wide((abs(given) + dtype(0.125)) + dtype(1))), np.arctanh(u), 1 / (1 + np.exp(-x)), erf(x),
                np.sqrt(p), 1 / np.sqrt(p), abs(x),
            ]
            yield Run({"X": given, "Y": OUT}, {"Y": np.stack(columns, 1).astype(dtype)}, rtol=rtol, atol=rtol / 10)


math_table("table_f32", np.float32, 1e-6)
math_table("table_f64", np.float64, 1e-13)


@kernel("math_functions.py", "two_arguments")
def two_arguments(rng):
    x, z = f32(rng, 300), f32(rng, 300)
    a, b = wide(x), wide(z)
    columns = [
        abs(a) ** b, np.arctan2(a, b), np.hypot(a, b), np.copysign(a, b), np.nextafter(x, z), np.minimum(a, b), np.maximum(a, b),
    ]
    yield Run({"X": x, "Z": z, "Y": OUT}, {"Y": narrow(np.stack(columns, 1))}, rtol=1e-6, atol=1e-7)


@kernel("math_functions.py", "roundings")
def roundings(rng):
    x = np.concatenate([f32(rng, 100) * 10, np.arange(-4, 4.5, 0.5, np.float32), narrow([-0.0, 8388607.5, 1e9, -1e9])])
    want = np.stack([np.floor(x), np.ceil(x), np.trunc(x), np.round(x), np.round(x)], 1)
    yield Run({"X": x, "Y": OUT, "whole": OUT}, {"Y": want, "whole": x.astype(np.int32)}, rtol=0, atol=0)


@kernel("math_functions.py", "polynomial")
def polynomial(rng):
    coefficients, x = f64(rng, 8), f64(rng, 40)
    args = {"coefficients": coefficients, "X": x, "Y": OUT}
    yield Run(args, {"Y": np.polyval(coefficients, x)}, rtol=1e-11, atol=1e-12)


# ---- integers ----------------------------------------------------------------------------------------------------


@kernel("integers.py", "divisions")
def divisions(rng):
    a = rng.integers(-1000, 1000, 300).astype(np.int32)
    b = rng.integers(1, 40, 300).astype(np.int32) * rng.choice([-1, 1], 300).astype(np.int32)
    toward_zero = np.trunc(a / b).astype(np.int32)
    yield Run({"A": a, "B": b, "C": OUT}, {"C": np.stack([a // b, a % b, toward_zero, a - toward_zero * b], 1)})


@kernel("integers.py", "by_constants")
def by_constants(rng):
    a = np.concatenate([np.arange(-20, 20), rng.integers(-2**62, 2**62, 100)])
    yield Run({"A": a, "C": OUT}, {"C": np.stack([a // 8, a % 8, a // 7, a % 7, a // -3, a % -3], 1)})


@kernel("integers.py", "wrapping")
def wrapping(rng):
    a, b = (rng.integers(-2**31, 2**31, 257).astype(np.int32) for _ in range(2))
    with np.errstate(over="ignore"):
        c = np.stack([a + b, a - b, a * b, np.minimum(a, b), np.maximum(a, b)], 1)
        d = np.stack([a.astype(np.int8) + b.astype(np.int8), a.astype(np.int8) * b.astype(np.int8), (a - b).astype(np.int8)], 1)
    yield Run({"A": a, "B": b, "C": OUT, "D": OUT}, {"C": c, "D": d})


@kernel("integers.py", "bits")
def bits(rng):
    a, b = (rng.integers(0, 2**32, 129, dtype=np.uint32) for _ in range(2))
    c = np.stack([a & b, a | b, a ^ b, ~a, a << np.uint32(5), a >> (b & np.uint32(31))], 1)
    d = np.stack([np.array([int(v).bit_count() for v in a], np.int32), a.view(np.int32) >> 3], 1)
    yield Run({"A": a, "B": b, "C": OUT, "D": OUT}, {"C": c, "D": d})


@kernel("integers.py", "blend_u8")
def blend_u8(rng):
    for n, m in ((1, 1), (20, 131)):
        a, b = (rng.integers(0, 256, (n, m), dtype=np.uint8) for _ in range(2))
        total = a.astype(int) + b
        want = {"total": np.minimum(total, 255).astype(np.uint8), "mean": ((total + 1) // 2).astype(np.uint8)}
        yield Run({"A": a, "B": b, "total": OUT, "mean": OUT}, want)


@kernel("integers.py", "quantised_dense")
def quantised_dense(rng):
    for n, m, k in ((1, 1, 1), (5, 17, 64)):
        a, w = (rng.integers(-128, 128, s).astype(np.int8) for s in ((n, k), (m, k)))
        sums = (a.astype(np.int64) - 3) @ w.T.astype(np.int64)
        want = np.clip(np.round(sums.astype(np.float32) * np.float32(0.001953125)), -128, 127).astype(np.int8)
        yield Run({"A": a, "W": w, "zero": 3, "scale": 0.001953125, "C": OUT}, {"C": want})


@kernel("integers.py", "fnv1a")
def fnv1a(rng):
    text, hashes = rng.integers(0, 256, (6, 30), dtype=np.uint8), []
    for row in text:
        h = 0xCBF29CE484222325
        for byte in row.tolist():
            h = ((h ^ byte) * 0x100000001B3) % 2**64
        hashes.append(h)
    yield Run({"text": text, "hash": OUT}, {"hash": np.array(hashes, np.uint64)})


@kernel("integers.py", "xorshift")
def xorshift(rng):
    x, out = 2463534242, []
    for _ in range(100):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        out.append(x)
    yield Run({"seed": 2463534242, "out": np.zeros(100, np.uint32)}, {"out": np.array(out, np.uint32)})


@kernel("integers.py", "crc32")
def crc32(rng):
    import zlib

    for n in (0, 9, 500):
        data = rng.integers(0, 256, n, dtype=np.uint8)
        yield Run({"data": data, "crc": OUT}, {"crc": np.array([zlib.crc32(data.tobytes())], np.uint32)})


@kernel("integers.py", "gcd")
def gcd(rng):
    a, b = (rng.integers(-10**6, 10**6, 60) for _ in range(2))
    a[:3] = 0, 5, 0
    b[:3] = 0, 0, 7
    yield Run({"A": a, "B": b, "G": OUT}, {"G": np.gcd(a, b)})


@kernel("integers.py", "collatz")
def collatz(rng):
    start, length = np.arange(1, 60), []
    for x in start.tolist():
        count = 0
        while x > 1:
            x, count = (x * 3 + 1 if x % 2 else x // 2), count + 1
        length.append(count)
    yield Run({"start": start, "length": OUT}, {"length": np.array(length, np.int32)})


@kernel("integers.py", "sieve")
def sieve(rng):
    for n in (0, 2, 3, 1000):
        prime = np.array([v >= 2 and all(v % d for d in range(2, math.isqrt(v) + 1)) for v in range(n)], bool)
        yield Run({"prime": np.zeros(n, bool)}, {"prime": prime})


# ---- reductions --------------------------------------------------------------------------------------------------


@kernel("reductions.py", "sum_all")
def sum_all(rng):
    for n, m in ((1, 1), (7, 9), (64, 300)):
        a = f32(rng, n, m)
        yield Run({"A": a, "A_red": OUT}, {"A_red": narrow(wide(a).sum())}, atol=1e-6 * n * m)


@kernel("reductions.py", "dot")
def dot(rng):
    for n in (1, 63, 64, 65, 1000, 16384, 40001):
        a, b = f32(rng, n), f32(rng, n)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow([wide(a) @ wide(b)])}, atol=1e-6 * n)


@kernel("reductions.py", "dot_in_order")
def dot_in_order(rng):
    for n in (0, 1, 1000):
        a, b = f64(rng, n), f64(rng, n)
        yield Run({"A": a, "B": b}, returns=float(math.fsum(a * b)), atol=1e-12)


@kernel("reductions.py", "row_norms")
def row_norms(rng):
    for n, m in ((1, 1), (6, 100), (2, 20000)):
        a = f32(rng, n, m)
        yield Run({"A": a, "norm": OUT}, {"norm": narrow(np.sqrt((wide(a) ** 2).sum(1)))})


@kernel("reductions.py", "column_sums")
def column_sums(rng):
    for n, m in ((1, 1), (50, 77)):
        a = f32(rng, n, m)
        yield Run({"A": a, "total": OUT}, {"total": narrow(wide(a).sum(0))}, atol=1e-5)


@kernel("reductions.py", "extremes")
def extremes(rng):
    for n, m in ((1, 1), (8, 130)):
        a = f32(rng, n, m)
        yield Run({"A": a, "low": OUT, "high": OUT}, {"low": a.min(1), "high": a.max(1)}, rtol=0, atol=0)


@kernel("reductions.py", "product")
def product(rng):
    a = 1 + f64(rng, 100) / 10
    yield Run({"A": a, "out": OUT}, {"out": np.asarray(np.prod(a))})


@kernel("reductions.py", "sum_i32")
def sum_i32(rng):
    for n in (1, 100, 5000):
        a = rng.integers(-128, 128, n).astype(np.int8)
        yield Run({"A": a, "out": OUT}, {"out": np.array([a.sum(dtype=np.int32)])})


@kernel("reductions.py", "sum_split")
def sum_split(rng):
    for n in (1, 10, 77):
        a = rng.integers(-2**60, 2**60, n)
        yield Run({"A": a, "out": OUT}, {"out": np.array([a.sum()])})


@kernel("reductions.py", "channel_moments")
def channel_moments(rng):
    a = f32(rng, 3, 5, 6, 7)
    want = {"mean": narrow(wide(a).mean((0, 2, 3))), "variance": narrow(wide(a).var((0, 2, 3)))}
    yield Run({"A": a, "mean": OUT, "variance": OUT}, want)


@kernel("reductions.py", "masked_mean")
def masked_mean(rng):
    a, mask = f32(rng, 9, 50), rng.random((9, 50)) < 0.5
    mask[4] = False
    want = np.where(mask, wide(a), 0).sum(1) / np.maximum(mask.sum(1), 1)
    yield Run({"A": a, "mask": mask, "mean": OUT}, {"mean": narrow(want)})


@kernel("reductions.py", "distance")
def distance(rng):
    for n in (0, 1, 500):
        a, b = f32(rng, n), f32(rng, n)
        yield Run({"A": a, "B": b, "out": OUT}, {"out": np.asarray(abs(a - b).max(initial=np.float32(0)))}, rtol=0, atol=0)


@kernel("pooling.py", "max_pool2d")
def max_pool2d(rng):
    for n, c, h, w in ((1, 1, 1, 1), (2, 3, 5, 4)):
        a = f32(rng, n, c, 2 * h, 2 * w)
        padded = np.pad(a, ((0, 0), (0, 0), (1, 0), (1, 0)), constant_values=-np.inf)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
        yield Run({"A": a, "n": n, "c": c, "h": h, "w": w, "pool_max": OUT}, {"pool_max": windows.max((4, 5))}, rtol=0, atol=0)


@kernel("pooling.py", "avg_pool2d")
def avg_pool2d(rng):
    a = f32(rng, 2, 3, 12, 10)
    yield Run({"A": a, "pool_avg": OUT}, {"pool_avg": narrow(wide(a).reshape(2, 3, 6, 2, 5, 2).mean((3, 5)))})


@kernel("pooling.py", "colours")
def colours(rng):
    for h in (1, 17):
        a = rng.integers(0, 256, (2 * h, 40, 3), dtype=np.uint8)
        mean = (a[:, :-2].astype(np.int32) + a[:, 1:-1] + a[:, 2:]) // 3
        yield Run({"A": a, "B": np.zeros((h, 20, 3), np.uint8), "C": OUT}, {"B": a.reshape(h, 2, 20, 2, 3).max((1, 3)), "C": mean.astype(np.uint8)})


@kernel("pooling.py", "vectors")
def vectors(rng):
    for n in (0, 1, 15, 300):
        a = f32(rng, 2 * n + 1, 4)
        best = np.maximum(np.maximum(a[:-2:2], a[1:-1:2]), np.maximum(a[2::2], -1)).astype(np.float32)
        cents = (a * np.float32(100)).astype(np.int16)[:, :2]
        yield Run({"A": a, "B": np.zeros((n, 4), np.float32), "C": OUT}, {"B": best, "C": cents[:-2:2] + cents[1:-1:2]}, rtol=0, atol=0)


@kernel("pooling.py", "global_average")
def global_average(rng):
    a = f32(rng, 2, 5, 6, 33)
    yield Run({"A": a, "out": OUT}, {"out": narrow(wide(a).mean((1, 2)))})


@kernel("pooling.py", "pyramid")
def pyramid(rng):
    for c, h, w in ((1, 3, 3), (2, 5, 7), (9, 160, 153)):
        a = f32(rng, c, h, w)
        cut = [[slice(i * n // 3, ((i + 1) * n + 2) // 3) for i in range(3)] for n in (h, w)]
        best = np.array([[[plane[y, x].max() for x in cut[1]] for y in cut[0]] for plane in a])
        yield Run({"A": a, "best": OUT}, {"best": best}, rtol=0, atol=0)


@kernel("pooling.py", "resize_nearest")
def resize_nearest(rng):
    for h, w, p, q in ((4, 5, 9, 3), (10, 10, 10, 10)):
        a = rng.integers(0, 256, (h, w), dtype=np.uint8)
        want = a[(np.arange(p) * h // p)[:, None], np.arange(q) * w // q]
        yield Run({"A": a, "B": np.zeros((p, q), np.uint8)}, {"B": want})


@kernel("pooling.py", "resize_bilinear")
def resize_bilinear(rng):
    for h, w, p, q in ((4, 5, 8, 10), (9, 7, 5, 20)):
        a = f32(rng, h, w)
        y, x = (np.arange(p) + 0.5) * h / p - 0.5, (np.arange(q) + 0.5) * w / q - 0.5
        across = np.stack([np.interp(x, np.arange(w), row) for row in wide(a)])
        want = np.stack([np.interp(y, np.arange(h), column) for column in across.T], 1)
        yield Run({"A": a, "B": np.zeros((p, q), np.float32)}, {"B": narrow(want)}, atol=1e-5)


# ---- sequences ---------------------------------------------------------------------------------------------------


@kernel("sequences.py", "edit_distance")
def edit_distance(rng):
    for a, b, want in (("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2)):
        pair = {name: np.frombuffer(text.encode(), np.uint8).copy() for name, text in (("a", a), ("b", b))}
        yield Run(pair, returns=want)


@kernel("sequences.py", "knapsack")
def knapsack(rng):
    weight, value = rng.integers(1, 12, 10).astype(np.int32), rng.integers(1, 100, 10)
    subsets = np.arange(1024)[:, None] >> np.arange(10) & 1
    best = (subsets @ value)[subsets @ weight <= 30].max()
    yield Run({"weight": weight, "value": value, "capacity": 30}, returns=int(best))


@kernel("sequences.py", "n_body")
def n_body(rng):
    state, mass = f64(rng, 5, 6), abs(f64(rng, 5)) + 0.1
    want = state.copy()
    for _ in range(4):
        for i in range(5):
            for j in range(5):
                if i != j:
                    d = want[j, :3] - want[i, :3]
                    r2 = d @ d + 0.01
                    want[i, 3:] += d * mass[j] * 0.01 / (r2 * math.sqrt(r2))
        want[:, :3] += want[:, 3:] * 0.01
    yield Run({"state": state, "mass": mass, "dt": 0.01, "steps": 4}, {"state": want}, rtol=1e-11, atol=1e-12)


@kernel("sequences.py", "dft")
def dft(rng):
    for n in (1, 2, 30):
        re, im = f64(rng, n), f64(rng, n)
        want = np.fft.fft(re + 1j * im)
        yield Run({"re": re, "im": im, "Re": OUT, "Im": OUT}, {"Re": want.real.copy(), "Im": want.imag.copy()}, atol=1e-12)


@kernel("sequences.py", "k_means")
def k_means(rng):
    points, centres = f32(rng, 60, 3), f32(rng, 4, 3)
    label = ((wide(points)[:, None] - wide(centres)) ** 2).sum(2).argmin(1)
    moved = np.stack([wide(points)[label == c].mean(0) if (label == c).any() else np.zeros(3) for c in range(4)])
    args = {"points": points, "centres": centres, "label": OUT, "moved": OUT}
    yield Run(args, {"label": label.astype(np.int32), "moved": narrow(moved)}, atol=1e-5)


# ---- folds -------------------------------------------------------------------------------------------------------


@kernel("folds.py", "sums")
def sums(rng):
    for n in (0, 1, 7, 33, 100, 1500):
        a, b = f32(rng, n), f64(rng, n)
        s, d = f32(rng, 3), f64(rng, 1)
        want, down = s.copy(), d.copy()
        for x in a:
            want[0] += x
            want[1] = max(want[1], x)
            want[2] = np.float32(np.float64(x) * x + want[2])
        for x in b:
            down[0] -= x
        yield Run({"A": a, "B": b, "S": s, "D": d}, {"S": want, "D": down}, rtol=1e-6)


@kernel("folds.py", "running")
def running(rng):
    for n in (0, 1, 7, 33, 100, 1500):
        a = f32(rng, n)
        total = np.add.accumulate(np.concatenate([np.float32([0.5]), a]), dtype=np.float32)
        yield Run({"A": a, "before": OUT, "least": OUT}, {"before": total[:-1].copy(), "least": np.minimum.accumulate(a)})


@kernel("folds.py", "pick")
def pick(rng):
    for k in (0, 1, 7, 100):
        a = f64(rng, 9, 5)
        rows, columns = rng.integers(0, 9, k).astype(np.int32), rng.integers(0, 5, k).astype(np.uint8)
        yield Run({"A": a, "rows": rows, "columns": columns, "B": OUT}, {"B": a[rows, columns] * 2})


@kernel("folds.py", "put")
def put(rng):
    for n in (0, 1, 33, 500):
        where, a, b = rng.integers(0, 40, n), f32(rng, n), f32(rng, 40)
        want = b.copy()
        for i in range(n):
            want[where[i]] = a[i]
        yield Run({"where": where, "A": a, "B": b}, {"B": want})


@kernel("folds.py", "weigh")
def weigh(rng):
    for n in (0, 1, 33, 500):
        where, a, b = rng.integers(0, 12, n).astype(np.int32), f32(rng, n), f32(rng, 12)
        total, most = b.copy(), b.copy()
        np.add.at(total, where, a)
        np.maximum.at(most, where, a)
        yield Run({"where": where, "A": a, "B": b, "most": b.copy()}, {"B": total, "most": most})


@kernel("folds.py", "ragged")
def ragged(rng):
    for n in (0, 1, 7, 100):
        first = np.concatenate([[0], np.cumsum(rng.integers(0, 9, n))]).astype(np.int32)
        column, value = rng.integers(0, 20, first[-1]).astype(np.int32), f64(rng, first[-1])
        x = f64(rng, 20)
        want = np.array([value[a:b] @ x[column[a:b]] for a, b in zip(first, first[1:])], np.float64)
        yield Run({"first": first, "column": column, "value": value, "x": x, "y": np.zeros(n)}, {"y": want}, rtol=1e-12, atol=1e-12)


# ---- the digits network ------------------------------------------------------------------------------------------


@kernel("digits/digits.py", "predict", tvm=False)
def predict(rng):
    import pathlib

    folder = pathlib.Path(__file__).resolve().parent / "digits"
    names = ("images", "w0", "b0", "w1", "b1")
    given = {name: np.load(folder / f"{name}.npy") for name in names}
    for n in (1, 10, len(given["images"])):
        images = given["images"][:n]
        hidden = np.maximum(wide(images).reshape(n, 64) / 16 @ wide(given["w0"]) + given["b0"], 0)
        scores = softmax_of(hidden @ wide(given["w1"]) + given["b1"])
        args = {**given, "images": images, "scores": OUT, "digit": OUT}
        yield Run(args, {"scores": narrow(scores), "digit": scores.argmax(1).astype(np.int32)}, atol=1e-5)


# ---- loops that indices take apart ---------------------------------------------------------------------------


@kernel("fused_loops.py", "pixel_shuffle")
def pixel_shuffle(rng):
    a = f32(rng, 2, 12, 5, 7)
    shuffled = a.reshape(2, 3, 2, 2, 5, 7).transpose(0, 1, 4, 2, 5, 3).reshape(2, 3, 10, 14)
    yield Run({"A": a, "O": OUT}, {"O": shuffled}, rtol=0, atol=0)


@kernel("fused_loops.py", "transpose_fused")
def transpose_fused(rng):
    a = rng.integers(-1000, 1000, (6, 10, 8)).astype(np.int32)
    yield Run({"A": a, "B": OUT}, {"B": a.transpose(2, 0, 1)})


@kernel("fused_loops.py", "unpack_bits")
def unpack_bits(rng):
    for n in (1, 7):
        a = rng.integers(0, 2**32, n).astype(np.uint32)
        bits = (a[:, None] >> np.arange(32, dtype=np.uint32)) & 1
        yield Run({"A": a, "B": OUT}, {"B": bits.reshape(-1).astype(np.int8)})


@kernel("fused_loops.py", "dequantized_gemv")
def dequantized_gemv(rng):
    w = rng.integers(0, 2**32, (20, 8)).astype(np.uint32)
    s, x = f32(rng, 20, 4), f32(rng, 64)
    nibbles = ((w[:, :, None] >> (4 * np.arange(8, dtype=np.uint32))) & 15).reshape(20, 64).astype(np.float32)
    d = (nibbles - 7) * np.repeat(s, 16, axis=1)
    yield Run({"W": w, "S": s, "X": x, "Y": OUT}, {"Y": narrow(wide(d) @ wide(x))}, rtol=1e-5, atol=1e-4)


@kernel("fused_loops.py", "window_sums")
def window_sums(rng):
    a, w = f32(rng, 12, 12), f32(rng, 3, 3)
    o = sum(wide(w)[r, s] * wide(a)[r:r + 10, s:s + 10] for r in range(3) for s in range(3))
    yield Run({"A": a, "W": w, "O": OUT}, {"O": narrow(o)}, rtol=1e-5, atol=1e-5)


@kernel("fused_loops.py", "fused_sum")
def fused_sum(rng):
    a = f32(rng, 24, 30)
    yield Run({"A": a, "S": OUT}, {"S": np.asarray(np.float32(wide(a).sum()))}, rtol=1e-5, atol=1e-4)


@kernel("fused_loops.py", "uneven")
def uneven(rng):
    a = rng.integers(-500, 500, (9, 5)).astype(np.int32)
    a[6, 2] = 1000
    flat, f = a.reshape(-1), np.arange(-20, 23)
    e = np.full(40, -1, np.int32)
    e[:32] = flat[:32]
    d = a[np.trunc(f / 5).astype(int) + 4, f % 5]
    yield Run({"A": a, "B": OUT, "C": OUT, "D": OUT, "E": np.full(40, -1, np.int32)}, {"B": flat[:43], "C": flat[1:44], "D": d, "E": e})


@kernel("fused_loops.py", "guarded")
def guarded(rng):
    a = f32(rng, 6, 8)
    before = np.concatenate([np.zeros((6, 1), np.float32), a[:, :-1]], axis=1)
    yield Run({"A": a, "O": OUT}, {"O": np.maximum(a, before).reshape(-1)}, rtol=0, atol=0)
