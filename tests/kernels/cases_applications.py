"""More cases, of whole applications: quantised and half-precision networks, transformers, images, transforms, linear
algebra, bytes. Like cases.py; imported for what it registers."""

import base64
import hashlib
import itertools
import math
import zlib

import numpy as np

from cases import ALL, OUT, Bf16, Run, f32, f64, kernel, narrow, softmax_of, wide

__all__ = ["ALL"]

SIZES = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (17, 33, 9), (5, 64, 100))


def i8(rng, *shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


def text(rng, n, letters=4):
    return rng.integers(97, 97 + letters, n).astype(np.uint8)


# ---- quantised ---------------------------------------------------------------------------------------------------


@kernel("quantized.py", "matmul_i8")
def matmul_i8(rng):
    for m, n, k in SIZES:
        a, b = i8(rng, m, k), i8(rng, k, n)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": a.astype(np.int32) @ b.astype(np.int32)})


@kernel("quantized.py", "dense_u8i8")
def dense_u8i8(rng):
    for m, n, k in SIZES:
        data, weight = rng.integers(0, 256, (m, k)).astype(np.uint8), i8(rng, n, k)
        bias = rng.integers(-1000, 1000, n).astype(np.int32)
        want = (data.astype(np.int32) - 128) @ weight.astype(np.int32).T + bias
        yield Run({"data": data, "weight": weight, "bias": bias, "zero": 128, "out": OUT}, {"out": want.astype(np.int32)})


@kernel("quantized.py", "requantize", tvm=False)
def requantize(rng):
    for n, c in ((1, 1), (7, 5), (33, 64)):
        a = rng.integers(-(1 << 20), 1 << 20, (n, c)).astype(np.int32)
        multiplier = rng.integers(1 << 29, (1 << 31) - 1, c).astype(np.int32)
        shift = rng.integers(-12, 1, c).astype(np.int32)
        by = 31 - shift.astype(np.int64)
        want = (a.astype(np.int64) * multiplier + (np.int64(1) << (by - 1))) >> by
        yield Run({"A": a, "multiplier": multiplier, "shift": shift, "zero": -3, "B": OUT},
                  {"B": np.clip(want.astype(np.int32) - 3, -128, 127).astype(np.int8)})


@kernel("quantized.py", "multiply_shift", tvm=False)
def multiply_shift(rng):
    for n in (1, 40, 300):
        x = rng.integers(-(1 << 31), 1 << 31, n).astype(np.int32)
        y = rng.choice([1 << 30, (1 << 30) + 1, 3, 1234567890, -5], n).astype(np.int32)
        s = rng.integers(-10, 6, n).astype(np.int32)

        def one(x, y, s, q=31):
            x, y, s = int(x), int(y), int(s)
            if y == 1 << 30 and s > 1:
                return x << (s - 1)
            if y == 1 << 30:
                return x if s == 1 else (x + (1 << -s)) >> (1 - s)
            left, right = max(s, 0), max(-s, 0)
            product = ((x << left) * y + (1 << (right + q - 1)) + (1 << 63)) % (1 << 64) - (1 << 63)
            return product >> (right + q)

        def column(values):
            return np.array([(v + (1 << 31)) % (1 << 32) - (1 << 31) for v in values], np.int32)

        yield Run({"x": x, "y": y, "s": s, "each": OUT, "half": OUT, "fixed": OUT}, {
            "each": column(map(one, x, y, s)),
            "half": column(one(v, 1 << 30, -2) for v in x),
            "fixed": column(one(v, 1518500250, 1, 30) for v in x)})


@kernel("quantized.py", "depthwise_i8")
def depthwise_i8(rng):
    for h, w, c in ((1, 1, 1), (5, 7, 3), (9, 4, 32)):
        data, weight = i8(rng, h, w, c), i8(rng, 3, 3, c)
        multiplier = rng.integers(1 << 20, 1 << 24, c).astype(np.int32)
        padded = np.pad(data.astype(np.int64), ((1, 1), (1, 1), (0, 0)))
        conv = sum(padded[y:y + h, x:x + w] * weight[y, x] for y in range(3) for x in range(3))
        want = np.clip((conv * multiplier + (1 << 30)) >> 31, -128, 127).astype(np.int8)
        yield Run({"data": data, "weight": weight, "multiplier": multiplier, "out": OUT}, {"out": want})


@kernel("quantized.py", "pack_int4")
def pack_int4(rng):
    for n, k in ((1, 1), (3, 8), (5, 13)):
        w = rng.integers(-8, 8, (n, k)).astype(np.int8)
        even = np.pad(w, ((0, 0), (0, k % 2))) & 15
        yield Run({"W": w, "P": OUT}, {"P": (even[:, ::2] | even[:, 1::2] << 4).astype(np.uint8)})


@kernel("quantized.py", "gemv_int4")
def gemv_int4(rng):
    for n, half in ((1, 1), (5, 16), (9, 65)):
        p, x, scale = rng.integers(0, 256, (n, half)).astype(np.uint8), f32(rng, half * 2), f32(rng, n)
        w = np.stack([((p & 15) ^ 8).astype(int) - 8, ((p >> 4) ^ 8).astype(int) - 8], -1).reshape(n, -1)
        yield Run({"P": p, "x": x, "scale": scale, "y": OUT}, {"y": narrow(w @ wide(x) * scale)}, rtol=1e-4, atol=1e-4)


@kernel("quantized.py", "pack_bits")
def pack_bits(rng):
    for n in (1, 31, 32, 33, 1000):
        a = rng.random(n) < 0.5
        packed = np.packbits(np.pad(a, (0, -n % 32)), bitorder="little").view("<u4")
        yield Run({"A": a, "B": OUT}, {"B": packed.astype(np.uint32)})


@kernel("quantized.py", "unpack_bits")
def unpack_bits(rng):
    for n in (1, 5):
        b = rng.integers(0, 1 << 32, n).astype(np.uint32)
        yield Run({"B": b, "A": OUT}, {"A": (b[:, None] >> np.arange(32, dtype=np.uint32) & 1).astype(bool)})


@kernel("quantized.py", "hamming")
def hamming(rng):
    for m, n, w in ((1, 1, 1), (4, 5, 3), (10, 33, 8)):
        a, b = (rng.integers(0, 1 << 32, (rows, w)).astype(np.uint32) for rows in (m, n))
        bits = np.unpackbits((a[:, None] ^ b[None]).view(np.uint8), axis=-1).sum(-1)
        yield Run({"A": a, "B": b, "D": OUT}, {"D": bits.astype(np.int32)})


# ---- half precision ----------------------------------------------------------------------------------------------


def f16(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16)


@kernel("half.py", "matmul_f16", tvm=False)  # TVM rounds the product as well
def matmul_f16(rng):
    for m, n, k in SIZES:
        a, b = f16(rng, m, k), f16(rng, k, n)
        c = np.zeros((m, n), np.float16)
        for p in range(k):  # a product that is not rounded, a sum that is
            c = (wide(a[:, p, None]) * wide(b[None, p]) + wide(c)).astype(np.float32).astype(np.float16)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": c}, rtol=0, atol=0)


@kernel("half.py", "matmul_f16_f32")
def matmul_f16_f32(rng):
    for m, n, k in SIZES:
        a, b = f16(rng, m, k), f16(rng, k, n)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": (wide(a) @ wide(b)).astype(np.float16)}, atol=1e-3)


def to_bf16(x):
    """The nearest bfloat16 of each float32, ties to even, as bits."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


@kernel("half.py", "matmul_bf16", tvm=False)
def matmul_bf16(rng):
    for m, n, k in SIZES:
        a, b = to_bf16(f32(rng, m, k)), to_bf16(f32(rng, k, n))
        yield Run({"A": Bf16(a), "B": Bf16(b), "C": OUT}, {"C": narrow(wide(from_bf16(a)) @ wide(from_bf16(b)))}, atol=2e-6 * k)


@kernel("half.py", "axpy_bf16", tvm=False)
def axpy_bf16(rng):
    for n in (1, 17, 1000):
        x, y = to_bf16(f32(rng, n)), to_bf16(f32(rng, n))
        want = narrow(1.5 * wide(from_bf16(x)) + wide(from_bf16(y)))
        yield Run({"a": 1.5, "x": Bf16(x), "y": Bf16(y), "z": OUT}, {"z": Bf16(to_bf16(want))})


@kernel("half.py", "softmax_f16")
def softmax_f16(rng):
    for n, m in ((1, 1), (3, 10), (5, 200)):
        a = f16(rng, n, m)
        yield Run({"A": a, "B": OUT}, {"B": softmax_of(wide(a)).astype(np.float16)}, atol=1e-4)


@kernel("half.py", "gelu_f16", tvm=False)
def gelu_f16(rng):
    for n in (1, 33, 500):
        x = f16(rng, n)
        want = 0.5 * wide(x) * (1 + np.tanh(0.79788456 * (wide(x) + 0.044715 * wide(x) ** 3)))
        yield Run({"X": x, "Y": OUT}, {"Y": want.astype(np.float16)}, rtol=1e-2, atol=4e-3)


# ---- batched products --------------------------------------------------------------------------------------------


def batched(name, turn_a, turn_b):
    @kernel("batched_matmul.py", name)
    def runs(rng):
        for s, (m, n, k) in zip((1, 2, 3, 2, 1), SIZES):
            a, b = f32(rng, s, m, k), f32(rng, s, k, n)
            given_a = np.ascontiguousarray(a.transpose(0, 2, 1)) if turn_a else a
            given_b = np.ascontiguousarray(b.transpose(0, 2, 1)) if turn_b else b
            yield Run({"A": given_a, "B": given_b, "C": OUT}, {"C": narrow(wide(a) @ wide(b))}, atol=2e-6 * k)


for turn_a, turn_b in itertools.product((False, True), repeat=2):
    batched("bmm_" + "nt"[turn_a] + "nt"[turn_b], turn_a, turn_b)


@kernel("batched_matmul.py", "gemm_broadcast")
def gemm_broadcast(rng):
    for s, (m, n, k) in zip((1, 2, 3, 2, 1), SIZES):
        a, b, c = f64(rng, s, m, k), f64(rng, k, n), f64(rng, s, m, n)
        yield Run({"A": a, "B": b, "C": c, "alpha": 0.5, "beta": -2.0}, {"C": 0.5 * (a @ b) - 2 * c}, atol=1e-12)


@kernel("batched_matmul.py", "matmul_tiled")
def matmul_tiled(rng):
    for m, n, k in SIZES:
        a, b = f32(rng, m, k), f32(rng, k, n)
        yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow(wide(a) @ wide(b))}, atol=2e-6 * k)


@kernel("batched_matmul.py", "bilinear_form")
def bilinear_form(rng):
    for m, n in ((1, 1), (7, 3), (20, 65)):
        x, a, y = f64(rng, m), f64(rng, m, n), f64(rng, n)
        yield Run({"x": x, "A": a, "y": y}, returns=float(x @ a @ y), atol=1e-11)


@kernel("batched_matmul.py", "syrk")
def syrk(rng):
    for n, k in ((1, 1), (7, 3), (20, 65)):
        a = f32(rng, n, k)
        yield Run({"A": a, "C": OUT}, {"C": narrow(wide(a) @ wide(a).T)}, atol=2e-6 * k)


# ---- transformers ------------------------------------------------------------------------------------------------


@kernel("attention.py", "attention")
def attention(rng):
    for n, m, d, e in ((1, 1, 1, 1), (5, 7, 8, 3), (17, 33, 16, 16)):
        q, k, v = f32(rng, n, d), f32(rng, m, d), f32(rng, m, e)
        want = softmax_of(wide(q) @ wide(k).T / math.sqrt(d)) @ wide(v)
        yield Run({"Q": q, "K": k, "V": v, "O": OUT}, {"O": narrow(want)}, rtol=1e-4, atol=1e-5)


def causal(q, k, v):
    """Heads first: (..., s, d)."""
    s, d = q.shape[-2:]
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(d)
    return softmax_of(np.where(np.tri(s, dtype=bool), scores, -np.inf)) @ v


@kernel("attention.py", "causal_heads")
def causal_heads(rng):
    for b, s, h, d in ((1, 1, 1, 1), (2, 9, 3, 8), (1, 33, 2, 16)):
        q, k, v = (f32(rng, b, s, h, d) for _ in range(3))
        want = causal(*(wide(x).swapaxes(1, 2) for x in (q, k, v))).swapaxes(1, 2)
        yield Run({"q": q, "k": k, "v": v, "o": OUT}, {"o": narrow(want)}, rtol=1e-4, atol=1e-5)


@kernel("attention.py", "causal_blocks")
def causal_blocks(rng):
    for h, s, d in ((1, 1, 1), (3, 9, 8), (2, 33, 16)):
        q, k, v = (f32(rng, h, s, d) for _ in range(3))
        yield Run({"Q": q, "K": k, "V": v, "O": OUT}, {"O": narrow(causal(wide(q), wide(k), wide(v)))}, rtol=1e-4, atol=1e-5)


@kernel("attention.py", "flash_attention", tvm=False)
def flash_attention(rng):
    for n, m in ((1, 1), (5, 7), (9, 100)):
        q, k, v = f32(rng, n, 32), f32(rng, m, 32), f32(rng, m, 32)
        want = softmax_of(wide(q) @ wide(k).T / math.sqrt(32)) @ wide(v)
        yield Run({"Q": q, "K": k, "V": v, "O": OUT}, {"O": narrow(want)}, rtol=1e-4, atol=1e-5)


@kernel("attention.py", "rope")
def rope(rng):
    for s, h, d in ((1, 1, 2), (5, 3, 8), (7, 2, 64)):
        x = f32(rng, s, h, d)
        power = 10000.0 ** (np.arange(d) % (d // 2) * -2 / d)
        angle = ((np.arange(s) + 11)[:, None] * power)[:, None]
        turned = np.concatenate([-wide(x)[..., d // 2:], wide(x)[..., :d // 2]], -1)
        yield Run({"X": x, "start": 11, "Y": OUT}, {"Y": narrow(np.cos(angle) * x + np.sin(angle) * turned)}, rtol=1e-4, atol=1e-4)


@kernel("attention.py", "top_k")
def top_k(rng):
    for n, m, k in ((1, 1, 1), (5, 20, 3), (3, 100, 100)):
        x = rng.integers(-20, 20, (n, m)).astype(np.float32)
        order = np.argsort(-x, axis=1, kind="stable")[:, :k]
        given = {"values": np.zeros((n, k), np.float32), "places": np.zeros((n, k), np.int64)}
        yield Run({"X": x, **given}, {"values": np.take_along_axis(x, order, 1), "places": order.astype(np.int64)})


@kernel("attention.py", "kv_cache_append")
def kv_cache_append(rng):
    cache, new, table = f32(rng, 6, 16, 5), f32(rng, 20, 5), rng.permutation(6)[:4].astype(np.int32)
    want = cache.copy()
    for i in range(20):
        want[table[(i + 9) // 16], (i + 9) % 16] = new[i]
    yield Run({"cache": cache, "table": table, "length": 9, "new": new}, {"cache": want})


# ---- boxes -------------------------------------------------------------------------------------------------------


def boxes_of(rng, n):
    corner = rng.random((n, 2)) * 20
    return np.concatenate([corner, corner + rng.random((n, 2)) * 10 + 0.5], 1).astype(np.float32)


def iou_of(a, b):
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), -1)
    areas = [np.prod(x[:, 2:] - x[:, :2], -1) for x in (a, b)]
    return both, areas[0][:, None] + areas[1][None] - both


@kernel("detection.py", "box_iou")
def box_iou(rng):
    for n, m in ((1, 1), (9, 20)):
        a, b = boxes_of(rng, n), boxes_of(rng, m)
        both, union = iou_of(wide(a), wide(b))
        yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow(both / union)}, rtol=1e-4, atol=1e-6)


@kernel("detection.py", "nms")
def nms(rng):
    for n in (1, 10, 60):
        boxes, scores = boxes_of(rng, n), rng.random(n).astype(np.float32)
        both, union = iou_of(wide(boxes), wide(boxes))
        gone, kept = scores < np.float32(0.1), []
        for i in np.argsort(-scores, kind="stable"):
            if not gone[i]:
                kept.append(i)
                gone = gone | (both[i] > 0.3 * union[i])
        yield Run({"boxes": boxes, "scores": scores, "threshold": 0.3, "least": 0.1, "kept": OUT},
                  {"kept": np.array(kept + [-1] * (n - len(kept)), np.int32)}, returns=len(kept))


@kernel("detection.py", "decode_boxes")
def decode_boxes(rng):
    for n in (1, 37):
        anchors, deltas = boxes_of(rng, n), f32(rng, n, 4) / 2
        a, d = wide(anchors), wide(deltas)
        size = a[:, 2:] - a[:, :2]
        centre, new = a[:, :2] + size / 2 + d[:, :2] * size, size * np.exp(d[:, 2:])
        want = np.concatenate([centre - new / 2, centre + new / 2], 1)
        yield Run({"anchors": anchors, "deltas": deltas, "out": OUT}, {"out": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("detection.py", "roi_max_pool")
def roi_max_pool(rng):
    data = f32(rng, 3, 12, 15)
    rois = np.array([[0, 0, 12, 15], [2, 3, 7, 8], [5, 5, 6, 6], [1, 0, 4, 9]], np.int32)
    want = np.empty((4, 3, 2, 2), np.float32)
    for r, (y0, x0, y1, x1) in enumerate(rois):
        h, w = y1 - y0, x1 - x0
        for p, q in itertools.product(range(2), repeat=2):
            part = data[:, y0 + p * h // 2:y0 + -(-(p + 1) * h // 2), x0 + q * w // 2:x0 + -(-(q + 1) * w // 2)]
            want[r, :, p, q] = part.max((1, 2))
    yield Run({"data": data, "rois": rois, "out": OUT}, {"out": want})


# ---- borders -----------------------------------------------------------------------------------------------------

@kernel("borders.py", "average_inside")
def average_inside(rng):
    a = f32(rng, 3, 19, 23)
    inside = np.pad(np.ones((19, 23)), ((1, 1), (2, 2)))
    padded, n = np.pad(wide(a), ((0, 0), (1, 1), (2, 2))), sum(inside[r : r + 19, q : q + 23] for r in range(3) for q in range(5))
    want = sum(padded[:, r : r + 19, q : q + 23] for r in range(3) for q in range(5)) / n
    yield Run({"A": a, "O": np.zeros_like(a)}, {"O": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("borders.py", "depthwise_padded")
def depthwise_padded(rng):
    a, w = f32(rng, 5, 17, 20), f32(rng, 5, 3, 3)
    padded = np.pad(wide(a), ((0, 0), (1, 1), (1, 1)))
    want = sum(padded[:, r : r + 17, s : s + 20] * wide(w)[:, r, s, None, None] for r in range(3) for s in range(3))
    yield Run({"A": a, "W": w, "O": np.zeros_like(a)}, {"O": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("borders.py", "life")
def life(rng):
    a = rng.integers(0, 2, (24, 31)).astype(np.uint8)
    n = sum(np.roll(a, (i, j), (0, 1)).astype(int) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    want = ((n == 3) | ((n == 2) & (a == 1))).astype(np.uint8)
    yield Run({"A": a, "O": np.zeros_like(a)}, {"O": want})


@kernel("borders.py", "reflect")
def reflect(rng):
    a = rng.integers(-99, 99, (9, 21)).astype(np.int16)
    want = np.pad(a, ((2, 2), (3, 3)), mode="reflect")
    yield Run({"A": a, "O": np.zeros_like(want)}, {"O": want})


@kernel("borders.py", "replicate")
def replicate(rng):
    a = rng.standard_normal((12, 15))
    want = np.pad(a, ((2, 2), (3, 3)), mode="edge")
    yield Run({"A": a, "O": np.zeros_like(want)}, {"O": want})


@kernel("borders.py", "roll")
def roll(rng):
    a = rng.integers(-99, 99, (18, 33)).astype(np.int32)
    yield Run({"A": a, "O": np.zeros_like(a)}, {"O": np.roll(a, (-5, -29), (0, 1))})


@kernel("borders.py", "pieces")
def pieces(rng):
    a, b, c = f32(rng, 11, 7), f32(rng, 11, 30), f32(rng, 11, 4)
    yield Run({"A": a, "B": b, "C": c, "O": np.zeros((11, 41), np.float32)}, {"O": np.concatenate([a, b, c], axis=1)})


@kernel("borders.py", "heat_with_walls")
def heat_with_walls(rng):
    a = f32(rng, 16, 16, 18)
    x, want = wide(a), wide(a).copy()
    around = x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:]
    want[1:-1, 1:-1, 1:-1] = around * 0.125
    yield Run({"A": a, "O": np.zeros_like(a)}, {"O": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("borders.py", "red_black")
def red_black(rng):
    u = f32(rng, 35, 34)
    want = wide(u).copy()
    for c in range(2):
        for i in range(1, 34):
            for j in range(1 + (i - 1 + c) % 2, 33, 2):
                want[i, j] = (want[i - 1, j] + want[i + 1, j] + want[i, j - 1] + want[i, j + 1]) * 0.25
    yield Run({"U": u}, {"U": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("borders.py", "transposed_convolution")
def transposed_convolution(rng):
    a, w = f32(rng, 4, 9, 10), f32(rng, 4, 3, 3, 3)
    want = np.zeros((3, 19, 21))
    for r in range(3):
        for s in range(3):
            want[:, r : r + 17 : 2, s : s + 19 : 2] += np.einsum("iyx,ic->cyx", wide(a), wide(w)[:, :, r, s])
    yield Run({"A": a, "W": w, "O": np.zeros((3, 19, 21), np.float32)}, {"O": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("borders.py", "in_turns")
def in_turns(rng):
    a = rng.integers(-99, 99, 601).astype(np.int32)
    yield Run({"A": a, "O": np.zeros_like(a)}, {"O": np.where(np.arange(601) % 3 == 1, a * 2, a[::-1])})


@kernel("borders.py", "crossing")
def crossing(rng):
    b, o = rng.integers(-99, 99, (26, 3)), rng.integers(-99, 99, (8, 8, 23))
    want = o.copy()
    for j in range(5):
        for k in range(3):
            want[2, j, k * 4] += b[k, 0]
            want[j, 2 - k, 6] += b[j * 6, k]
    yield Run({"B": b, "O": o}, {"O": want})


@kernel("borders.py", "lengths")
def lengths(rng):
    a, n = rng.integers(-99, 99, (4, 9)).astype(np.int32), rng.integers(0, 10, (8, 6)).astype(np.int32)
    sums = np.pad(np.cumsum(a, 1), ((0, 0), (1, 0)))
    want = np.take_along_axis(np.tile(sums, (2, 1)), n, 1) * (np.arange(6) % 3)
    yield Run({"A": a, "N": n, "O": np.zeros((8, 6), np.int32)}, {"O": want.astype(np.int32)})


# ---- images ------------------------------------------------------------------------------------------------------

RESIZES = ((1, 1, 1, 1), (4, 6, 8, 12), (9, 7, 5, 3), (5, 5, 13, 11))


def u8(rng, *shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


@kernel("images.py", "nearest")
def nearest(rng):
    for h, w, oh, ow in RESIZES:
        a = u8(rng, 3, h, w)
        want = a[:, np.arange(oh) * h // oh][:, :, np.arange(ow) * w // ow]
        yield Run({"A": a, "B": np.zeros_like(want)}, {"B": want})


def bilinear(a, fy, fx):
    """Of (h, w, ...) at the float places fy x fx."""
    y0, x0 = np.floor(fy).astype(int), np.floor(fx).astype(int)
    shape = (-1, 1) + (1,) * (a.ndim - 2), (1, -1) + (1,) * (a.ndim - 2)
    ay, ax = (fy - y0).reshape(shape[0]), (fx - x0).reshape(shape[1])
    at = lambda y, x: a[np.clip(y, 0, a.shape[0] - 1)][:, np.clip(x, 0, a.shape[1] - 1)]
    upper = at(y0, x0) * (1 - ax) + at(y0, x0 + 1) * ax
    return upper * (1 - ay) + (at(y0 + 1, x0) * (1 - ax) + at(y0 + 1, x0 + 1) * ax) * ay


@kernel("images.py", "bilinear_corners", tvm=False)
def bilinear_corners(rng):
    for h, w, oh, ow in RESIZES:
        a = f32(rng, h, w, 3)
        want = bilinear(wide(a), np.arange(oh) * ((h - 1) / max(oh - 1, 1)), np.arange(ow) * ((w - 1) / max(ow - 1, 1)))
        yield Run({"A": a, "B": np.zeros(want.shape, np.float32)}, {"B": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("images.py", "bilinear_half_pixel")
def bilinear_half_pixel(rng):
    for h, w, oh, ow in RESIZES:
        a = f32(rng, 2, h, w)
        fy, fx = (np.arange(oh) + 0.5) * (h / oh) - 0.5, (np.arange(ow) + 0.5) * (w / ow) - 0.5
        want = bilinear(wide(a).transpose(1, 2, 0), fy, fx).transpose(2, 0, 1)
        yield Run({"A": a, "B": np.zeros(want.shape, np.float32)}, {"B": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("images.py", "shrink")
def shrink(rng):
    for h, w, k in ((1, 1, 1), (8, 12, 4), (7, 10, 3)):
        a = u8(rng, h, w)
        oh, ow = -(-h // k), -(-w // k)
        want = np.empty((oh, ow), np.uint8)
        for y, x in np.ndindex(oh, ow):
            part = a[y * k:y * k + k, x * k:x * k + k].astype(int)
            want[y, x] = (part.sum() + part.size // 2) // part.size
        yield Run({"A": a, "k": k, "B": np.zeros_like(want)}, {"B": want})


@kernel("images.py", "bilateral")
def bilateral(rng):
    for h, w in ((1, 1), (6, 9)):
        a = f32(rng, h, w)
        total, weights = np.zeros((h, w)), np.zeros((h, w))
        padded = np.pad(wide(a), 2, constant_values=np.nan)
        for dy, dx in itertools.product(range(-2, 3), repeat=2):
            near = padded[2 + dy:2 + dy + h, 2 + dx:2 + dx + w]
            weight = np.where(np.isnan(near), 0, np.exp(-(dx * dx + dy * dy) / (2 * 1.5 ** 2) - (near - a) ** 2 / (2 * 0.7 ** 2)))
            total, weights = total + weight * np.nan_to_num(near), weights + weight
        yield Run({"A": a, "B": OUT, "space": 1.5, "value": 0.7}, {"B": narrow(total / weights)}, rtol=1e-4, atol=1e-5)


@kernel("images.py", "equalize")
def equalize(rng):
    for h, w in ((1, 1), (8, 8), (31, 17)):
        a = (u8(rng, h, w) // 3 + 20).astype(np.uint8)
        below = np.bincount(a.ravel(), minlength=256).cumsum()
        first = np.bincount(a.ravel())[a.min()]
        rest = max(h * w - first, 1)
        yield Run({"A": a, "B": OUT}, {"B": (((below[a] - first) * 255 + rest // 2) // rest).astype(np.uint8)})


@kernel("images.py", "sobel")
def sobel(rng):
    for h, w in ((3, 3), (10, 37)):
        a = u8(rng, h, w)
        x = a.astype(int)
        smooth = x[:-2] + 2 * x[1:-1] + x[2:]
        gx = smooth[:, 2:] - smooth[:, :-2]
        smooth = x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]
        want = np.minimum(abs(gx) + abs(smooth[2:] - smooth[:-2]), 255).astype(np.uint8)
        yield Run({"A": a, "B": OUT}, {"B": want})


@kernel("images.py", "dither")
def dither(rng):
    for h, w in ((1, 1), (6, 11)):
        a = rng.integers(0, 256, (h, w)).astype(np.int32)
        level, want = np.zeros((h + 1, w + 2), int), np.zeros((h, w), bool)
        level[:h, 1:w + 1] = a * 16
        for y, x in np.ndindex(h, w):
            want[y, x] = level[y, x + 1] >= 2048
            error = level[y, x + 1] - 4080 * want[y, x]
            for dy, dx, part in ((0, 2, 7), (1, 0, 3), (1, 1, 5), (1, 2, 1)):
                level[y + dy, x + dx] += error * part // 16
        yield Run({"A": a, "B": OUT}, {"B": want})


@kernel("images.py", "integral_image")
def integral_image(rng):
    for h, w in ((1, 1), (13, 9)):
        a = u8(rng, h, w)
        yield Run({"A": a, "S": OUT}, {"S": np.pad(a.astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))})


@kernel("images.py", "rgb_to_yuv")
def rgb_to_yuv(rng):
    for h, w in ((1, 1), (7, 19)):
        rgb = u8(rng, h, w, 3)
        table = np.array([[66, 129, 25], [-38, -74, 112], [112, -94, -18]])
        want = ((rgb.astype(int) @ table.T + 128) >> 8) + np.array([16, 128, 128])
        yield Run({"rgb": rgb, "yuv": OUT}, {"yuv": np.ascontiguousarray(want.transpose(2, 0, 1)).astype(np.uint8)})


@kernel("images.py", "median")
def median(rng):
    for h, w in ((3, 3), (9, 75)):
        a = u8(rng, h, w)
        windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3)).reshape(h - 2, w - 2, 9)
        yield Run({"A": a, "B": OUT}, {"B": np.sort(windows)[:, :, 4]})


# ---- transforms --------------------------------------------------------------------------------------------------


@kernel("fourier.py", "fft", tvm=False)
def fft(rng):
    for n, inverse in itertools.product((1, 2, 8, 256), (False, True)):
        re, im = f64(rng, n), f64(rng, n)
        want = (np.fft.ifft if inverse else np.fft.fft)(re + 1j * im)
        yield Run({"re": re, "im": im, "inverse": inverse}, {"re": want.real, "im": want.imag}, rtol=1e-10, atol=1e-10)


@kernel("fourier.py", "fft_stockham")
def fft_stockham(rng):
    for n in (1, 2, 16, 512):
        x = f32(rng, n, 2)
        want = np.fft.fft(wide(x)[:, 0] + 1j * wide(x)[:, 1])
        yield Run({"x": x, "y": OUT}, {"y": narrow(np.stack([want.real, want.imag], 1))}, rtol=1e-4, atol=1e-4)


@kernel("fourier.py", "convolve", tvm=False)
def convolve(rng):
    for n in (1, 64):
        a, b = f64(rng, n), f64(rng, n)
        want = np.array([sum(a[j] * b[(i - j) % n] for j in range(n)) for i in range(n)])
        yield Run({"a": a, "b": b, "out": OUT}, {"out": want}, rtol=1e-10, atol=1e-10)


@kernel("fourier.py", "power_mod", tvm=False)
def power_mod(rng):
    for a, e, p in ((0, 0, 7), (3, 200, 13), (123456789, 987654321, 998244353)):
        yield Run({"a": a, "e": e, "p": p}, returns=pow(a, e, p))


@kernel("fourier.py", "ntt", tvm=False)
def ntt(rng):
    p = 998244353
    for n in (1, 8, 32):
        a = rng.integers(0, p, n).astype(np.uint32)
        root = pow(3, (p - 1) // n, p)
        want = [sum(int(a[i]) * pow(root, i * k, p) for i in range(n)) % p for k in range(n)]
        yield Run({"A": a, "B": OUT}, {"B": np.array(want, np.uint32)})


@kernel("fourier.py", "dct_8x8")
def dct_8x8(rng):
    u = np.arange(8)
    basis = np.cos((2 * u[None] + 1) * u[:, None] * np.pi / 16) * np.where(u == 0, math.sqrt(1 / 8), 0.5)[:, None]
    for h, w in ((1, 1), (3, 5)):
        a = f32(rng, h, w, 8, 8)
        yield Run({"A": a, "B": OUT}, {"B": narrow(basis @ wide(a) @ basis.T)}, rtol=1e-4, atol=1e-4)


# ---- layers ------------------------------------------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, h, c, wx, wh, bias):
    i, f, g, o = np.split(x @ wx.T + h @ wh.T + bias, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@kernel("networks.py", "lstm_cell")
def lstm_cell(rng):
    for b, i, n in ((1, 1, 1), (3, 7, 5), (2, 30, 64)):
        x, h, c, wx, wh, bias = (f32(rng, *s) for s in ((b, i), (b, n), (b, n), (4 * n, i), (4 * n, n), (4 * n,)))
        h_out, c_out = lstm_step(*map(wide, (x, h, c, wx, wh, bias)))
        yield Run({"x": x, "h": h, "c": c, "Wx": wx, "Wh": wh, "bias": bias, "h_out": OUT, "c_out": OUT},
                  {"h_out": narrow(h_out), "c_out": narrow(c_out)}, rtol=1e-4, atol=1e-5)


@kernel("networks.py", "lstm_sequence")
def lstm_sequence(rng):
    for t, b, i, n in ((1, 1, 1, 1), (6, 2, 5, 8)):
        x, wx, wh, bias = (f32(rng, *s) / 2 for s in ((t, b, i), (4 * n, i), (4 * n, n), (4 * n,)))
        hs, cs = [np.zeros((b, n))], [np.zeros((b, n))]
        for step in range(t):
            h, c = lstm_step(wide(x[step]), hs[-1], cs[-1], wide(wx), wide(wh), wide(bias))
            hs, cs = hs + [h], cs + [c]
        yield Run({"X": x, "Wx": wx, "Wh": wh, "bias": bias, "H": OUT, "C": OUT},
                  {"H": narrow(np.stack(hs)), "C": narrow(np.stack(cs))}, rtol=1e-3, atol=1e-4)


@kernel("networks.py", "gru_cell")
def gru_cell(rng):
    for i, n in ((1, 1), (7, 20)):
        x, h, w, u = f64(rng, i), f64(rng, n), f64(rng, 3, n, i), f64(rng, 3, n, n)
        wx, uh = w @ x, u @ h
        z, r = sigmoid(wx[0] + uh[0]), sigmoid(wx[1] + uh[1])
        yield Run({"x": x, "h": h, "W": w, "U": u, "out": OUT}, {"out": (1 - z) * np.tanh(wx[2] + r * uh[2]) + z * h}, rtol=1e-9, atol=1e-11)


@kernel("networks.py", "group_norm")
def group_norm(rng):
    for n, g, c, s in ((1, 1, 1, 2), (2, 3, 4, 9), (3, 2, 5, 64)):
        x, gamma, beta = f32(rng, n, g, c, s), f32(rng, g, c), f32(rng, g, c)
        wx = wide(x)
        norm = (wx - wx.mean((2, 3), keepdims=True)) / np.sqrt(wx.var((2, 3), keepdims=True) + 1e-5)
        yield Run({"X": x, "gamma": gamma, "beta": beta, "Y": OUT},
                  {"Y": narrow(norm * gamma[None, ..., None] + beta[None, ..., None])}, rtol=1e-3, atol=1e-3)


@kernel("networks.py", "batch_norm_train")
def batch_norm_train(rng):
    for n, c, s in ((2, 1, 3), (4, 5, 20)):
        x, mean, var = f32(rng, n, c, s) + 3, f32(rng, c), abs(f32(rng, c))
        m, v = wide(x).mean((0, 2)), wide(x).var((0, 2))
        yield Run({"X": x, "mean": mean, "var": var, "momentum": 0.1, "Y": OUT},
                  {"mean": narrow(0.9 * mean + 0.1 * m), "var": narrow(0.9 * var + 0.1 * v),
                   "Y": narrow((wide(x) - m[:, None]) / np.sqrt(v[:, None] + 1e-5))}, rtol=1e-4, atol=1e-4)


@kernel("networks.py", "gelu")
def gelu(rng):
    for n, m in ((1, 1), (9, 33)):
        x = f32(rng, n, m)
        erf = np.vectorize(math.erf)
        yield Run({"X": x, "Y": OUT}, {"Y": narrow(wide(x) / 2 * (1 + erf(wide(x) / math.sqrt(2))))}, atol=1e-6)


def windows(x, size):
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), (-2, -1))


@kernel("networks.py", "winograd")
def winograd(rng):
    for c, h, w, k in ((1, 3, 3, 1), (3, 8, 10, 4), (2, 9, 7, 5)):
        data, weight = f32(rng, c, h, w), f32(rng, k, c, 3, 3)
        want = np.einsum("chwyx,kcyx->khw", windows(wide(data), 3), wide(weight))
        yield Run({"data": data, "weight": weight, "out": OUT}, {"out": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("networks.py", "conv2d_groups")
def conv2d_groups(rng):
    for n, g, c, h, w, k in ((1, 1, 1, 3, 3, 1), (2, 3, 2, 9, 8, 4)):
        data, weight = f32(rng, n, g, c, h, w), f32(rng, g, k, c, 3, 3)
        padded = np.pad(wide(data), ((0, 0),) * 3 + ((1, 1),) * 2)
        part = windows(padded, 5)[..., ::2, ::2, ::2, ::2]
        want = np.einsum("ngchwyx,gkcyx->ngkhw", part, wide(weight))
        yield Run({"data": data, "weight": weight, "out": OUT}, {"out": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("networks.py", "conv_transpose")
def conv_transpose(rng):
    for c, h, w, k in ((1, 1, 1, 1), (3, 5, 4, 2)):
        data, weight = f32(rng, c, h, w), f32(rng, c, k, 3, 3)
        want = np.zeros((k, 2 * h + 1, 2 * w + 1))
        for y, x in itertools.product(range(3), repeat=2):
            want[:, y:y + 2 * h:2, x:x + 2 * w:2] += np.einsum("chw,ck->khw", wide(data), wide(weight)[..., y, x])
        yield Run({"data": data, "weight": weight, "out": OUT}, {"out": narrow(want)}, rtol=1e-4, atol=1e-5)


@kernel("networks.py", "cross_entropy")
def cross_entropy(rng):
    for n, c in ((1, 2), (9, 10), (33, 100)):
        logits, labels = f32(rng, n, c), rng.integers(0, c, n)
        p = softmax_of(wide(logits))
        loss = -np.log(p[np.arange(n), labels]).mean()
        p[np.arange(n), labels] -= 1
        yield Run({"logits": logits, "labels": labels, "gradient": OUT}, {"gradient": narrow(p / n)}, returns=float(loss), rtol=1e-4, atol=1e-5)


@kernel("networks.py", "adam")
def adam(rng):
    for n in (1, 100):
        w, g, m, v = f32(rng, n), f32(rng, n), f32(rng, n), abs(f32(rng, n))
        new_m, new_v = 0.9 * wide(m) + 0.1 * wide(g), 0.999 * wide(v) + 0.001 * wide(g) ** 2
        want = w - 0.01 * (new_m / (1 - 0.9 ** 3)) / (np.sqrt(new_v / (1 - 0.999 ** 3)) + 1e-8)
        yield Run({"w": w, "g": g, "m": m, "v": v, "lr": 0.01, "step": 3},
                  {"w": narrow(want), "m": narrow(new_m), "v": narrow(new_v)}, rtol=1e-4, atol=1e-5)


# ---- linear algebra ----------------------------------------------------------------------------------------------


def positive(rng, n):
    a = f64(rng, n, n)
    return a @ a.T + n * np.eye(n)


@kernel("linear_algebra.py", "cholesky")
def cholesky(rng):
    for n in (1, 2, 17, 50):
        a = positive(rng, n)
        yield Run({"A": a, "L": OUT}, {"L": np.linalg.cholesky(a)}, rtol=1e-9, atol=1e-9)


@kernel("linear_algebra.py", "lu")
def lu(rng):
    for n in (1, 5, 30):
        a = f64(rng, n, n)
        want, perm, sign = a.copy(), np.arange(n), 1
        for k in range(n):
            best = k + abs(want[k:, k]).argmax()
            if best != k:
                want[[k, best]], perm[[k, best]], sign = want[[best, k]], perm[[best, k]], -sign
            want[k + 1:, k] /= want[k, k]
            want[k + 1:, k + 1:] -= np.outer(want[k + 1:, k], want[k, k + 1:])
        yield Run({"A": a, "perm": OUT}, {"A": want, "perm": perm.astype(np.int32)}, returns=sign, rtol=1e-8, atol=1e-8)
    yield Run({"A": np.zeros((3, 3)), "perm": OUT}, {"A": np.zeros((3, 3)), "perm": np.arange(3, dtype=np.int32)}, returns=0)


@kernel("linear_algebra.py", "determinant", tvm=False)
def determinant(rng):
    for n in (1, 6, 12):
        a = f64(rng, n, n)
        yield Run({"A": a}, returns=float(np.linalg.det(a)), rtol=1e-9)


@kernel("linear_algebra.py", "gauss_jordan")
def gauss_jordan(rng):
    for n in (1, 4, 25):
        a = narrow(positive(rng, n))[rng.permutation(n)]
        yield Run({"A": a, "B": OUT}, {"B": narrow(np.linalg.inv(wide(a)))}, rtol=1e-3, atol=1e-4)


@kernel("linear_algebra.py", "jacobi_eigen")
def jacobi_eigen(rng):
    for n in (1, 2, 8):
        a = f64(rng, n, n)
        a = (a + a.T) / 2 + np.diag(np.arange(n) * 20.0)
        yield Run({"A": a, "sweeps": 10, "values": OUT}, {"A": np.diag(np.linalg.eigvalsh(a)), "values": np.linalg.eigvalsh(a)}, rtol=1e-10, atol=1e-10)


@kernel("linear_algebra.py", "conjugate_gradients")
def conjugate_gradients(rng):
    a, b = np.diag([1.0, 2.0, 3.0, 2.0, 1.0]), f64(rng, 5)
    yield Run({"A": a, "b": b, "x": OUT, "tolerance": 1e-12}, {"x": np.linalg.solve(a, b)}, returns=3, rtol=1e-9, atol=1e-9)
    a, b = np.eye(40) * 2, f64(rng, 40)
    yield Run({"A": a, "b": b, "x": OUT, "tolerance": 1e-10}, {"x": b / 2}, returns=1)


def csr_of(rng, rows, cols, density=0.2):
    dense = f32(rng, rows, cols) * (rng.random((rows, cols)) < density)
    row, col = np.nonzero(dense)
    indptr = np.searchsorted(row, np.arange(rows + 1)).astype(np.int32)
    return dense, dense[row, col].astype(np.float32), row, col.astype(np.int32), indptr


@kernel("linear_algebra.py", "csr_spmv")
def csr_spmv(rng):
    for rows, cols in ((1, 1), (9, 13), (60, 40)):
        dense, data, _, col, indptr = csr_of(rng, rows, cols)
        x = f32(rng, cols)
        yield Run({"data": data, "indices": col, "indptr": indptr, "x": x, "y": np.ones(rows, np.float32)}, {"y": narrow(wide(dense) @ wide(x))}, atol=1e-5)


@kernel("linear_algebra.py", "csr_spmm")
def csr_spmm(rng):
    for rows, cols, k in ((1, 1, 1), (9, 13, 33)):
        dense, data, _, col, indptr = csr_of(rng, rows, cols)
        x = f32(rng, cols, k)
        yield Run({"data": data, "indices": col, "indptr": indptr, "X": x, "Y": np.ones((rows, k), np.float32)}, {"Y": narrow(wide(dense) @ wide(x))}, atol=1e-5)


@kernel("linear_algebra.py", "coo_to_dense")
def coo_to_dense(rng):
    for rows, cols in ((1, 2), (9, 13)):
        dense, data, row, col, _ = csr_of(rng, rows, cols, 0.5)
        yield Run({"row": row.astype(np.int64), "col": col.astype(np.int64), "data": data, "D": np.zeros_like(dense)}, {"D": dense})


@kernel("linear_algebra.py", "black_scholes")
def black_scholes(rng):
    for n in (1, 65, 1000):
        s, k, t = (narrow(rng.uniform(*range_, n)) for range_ in ((50, 150), (50, 150), (0.1, 2)))
        spread = 0.3 * np.sqrt(wide(t))
        d1 = (np.log(wide(s) / k) + (0.02 + 0.045) * t) / spread
        phi = np.vectorize(lambda x: 0.5 + 0.5 * math.erf(x / math.sqrt(2)))
        n1, n2, paid = phi(d1), phi(d1 - spread), k * np.exp(-0.02 * wide(t))
        yield Run({"S": s, "K": k, "t": t, "rate": 0.02, "sigma": 0.3, "call": OUT, "put": OUT, "delta": OUT},
                  {"call": narrow(s * n1 - paid * n2), "put": narrow(paid * (1 - n2) - s * (1 - n1)), "delta": narrow(n1)}, rtol=1e-3, atol=1e-4)


@kernel("linear_algebra.py", "inverses")
def inverses(rng):
    for n in (0, 1, 100):
        a = f64(rng, n, 3, 3) + 4 * np.eye(3)
        yield Run({"A": a, "B": OUT}, {"B": np.linalg.inv(a)}, rtol=1e-9, atol=1e-12)


@kernel("linear_algebra.py", "american_put", tvm=False)
def american_put(rng):
    spot, strike, rate, sigma, years, steps = 100.0, 105.0, 0.03, 0.25, 1.0, 60
    dt = years / steps
    up = math.exp(sigma * math.sqrt(dt))
    chance = (math.exp(rate * dt) - 1 / up) / (up - 1 / up)
    value = np.maximum(strike - spot * up ** (2.0 * np.arange(steps + 1) - steps), 0)
    for level in reversed(range(steps)):
        hold = math.exp(-rate * dt) * (chance * value[1:] + (1 - chance) * value[:-1])
        value = np.maximum(hold, strike - spot * up ** (2.0 * np.arange(level + 1) - level))
    yield Run({"spot": spot, "strike": strike, "rate": rate, "sigma": sigma, "years": years, "steps": steps}, returns=float(value[0]), rtol=1e-10)


# ---- bytes -------------------------------------------------------------------------------------------------------


def of_bytes(name, expected, lengths=(0, 1, 3, 64, 1000), tvm=True):
    @kernel("bits.py", name, tvm=tvm)
    def runs(rng):
        for n in lengths:
            data = u8(rng, n)
            yield Run({"data": data}, returns=expected(data.tobytes()))


def fnv_of(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return h


of_bytes("crc32_bitwise", zlib.crc32)
of_bytes("crc32_table", zlib.crc32)
of_bytes("adler32", zlib.adler32)
of_bytes("fnv1a", fnv_of, tvm=False)


def sha_constants():
    primes = [p for p in range(2, 312) if all(p % d for d in range(2, p))]
    root = lambda p, k: int(math.floor((p ** (1 / k) % 1) * (1 << 32)))
    return np.array([root(p, 3) for p in primes], np.uint32), np.array([root(p, 2) for p in primes[:8]], np.uint32)


@kernel("bits.py", "sha256", tvm=False)
def sha256(rng):
    constants, start = sha_constants()
    for n in (0, 3, 55, 56, 64, 200):
        message = u8(rng, n)
        want = np.frombuffer(hashlib.sha256(message.tobytes()).digest(), ">u4").astype(np.uint32)
        yield Run({"message": message, "K": constants, "state": start}, {"state": want})


@kernel("cumsum.py", "running_extremes", tvm=False)
def running_extremes(rng):
    for n in (0, 1, 15, 300):
        a = rng.choice(np.array([-np.inf, -2, -0.0, 0.0, 1, 3, np.inf, np.nan], np.float32), n, p=[.02, .2, .2, .2, .2, .1, .02, .06])
        least, greatest, low, high = np.zeros_like(a), np.zeros_like(a), np.float32(np.inf), np.float32(-np.inf)
        for i, x in enumerate(a):
            low = least[i] = low if low < x else x
            greatest[i] = high
            high = x if x > high else high
        yield Run({"A": a, "least": OUT, "greatest": OUT}, {"least": least, "greatest": greatest}, rtol=0, atol=0)


@kernel("cumsum.py", "segmented_sum")
def segmented_sum(rng):
    for n in (0, 1, 300):
        a, begins, want, total = rng.integers(-9, 9, n).astype(np.int32), rng.random(n) < 0.1, np.zeros(n, np.int32), 0
        for i in range(n):
            total = (0 if begins[i] else total) + a[i]
            want[i] = total
        yield Run({"A": a, "begins": begins, "B": OUT}, {"B": want})


@kernel("bits.py", "bits_set")
def bits_set(rng):
    for n in (0, 1, 200):
        numbers = rng.integers(-2**31, 2**31, n).astype(np.int32)
        numbers[:n // 4] %= 3
        counts = np.array([bin(x & 0xFFFFFFFF).count("1") for x in numbers.tolist()], np.int32)
        args = {"numbers": numbers, "taken": OUT, "shifted": OUT, "left": OUT}
        yield Run(args, {"taken": counts, "shifted": np.where(numbers > 0, counts, 0).astype(np.uint8), "left": np.minimum(numbers, 0)})


@kernel("bits.py", "xorshift")
def xorshift(rng):
    for n in (1, 50):
        x, want = 88172645463325252, []
        for _ in range(n):
            x ^= x << 13 & (1 << 64) - 1
            x ^= x >> 7
            x ^= x << 17 & (1 << 64) - 1
            want.append(x)
        yield Run({"seed": 88172645463325252, "out": np.zeros(n, np.uint64)}, {"out": np.array(want, np.uint64)})


@kernel("bits.py", "pcg32")
def pcg32(rng):
    state, want = 42, []
    for _ in range(40):
        old, state = state, (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        mixed, turn = ((old >> 18 ^ old) >> 27) % (1 << 32), old >> 59
        number = (mixed >> turn | mixed << (-turn & 31)) % (1 << 32)
        want.append((number >> 8) / (1 << 24))
    yield Run({"state": np.array([42], np.uint64), "out": np.zeros(40, np.float32)}, {"state": np.array([state], np.uint64), "out": narrow(want)})


@kernel("bits.py", "murmur_mix")
def murmur_mix(rng):
    for n in (1, 77):
        a = rng.integers(0, 1 << 32, n).astype(np.uint32)
        h = (a ^ a >> 16) * np.uint32(0x85EBCA6B)
        h = (h ^ h >> 13) * np.uint32(0xC2B2AE35)
        yield Run({"A": a, "B": OUT}, {"B": h ^ h >> 16})


@kernel("bits.py", "base64")
def base64_text(rng):
    alphabet = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
    for n in (1, 2, 3, 100):
        data = u8(rng, n)
        want = np.frombuffer(base64.b64encode(data.tobytes()), np.uint8)
        yield Run({"data": data, "alphabet": alphabet, "text": OUT}, {"text": want})


@kernel("bits.py", "run_lengths")
def run_lengths(rng):
    for n in (1, 60):
        data = text(rng, n, 2)
        runs = [(value, len(list(run))) for value, run in itertools.groupby(data)]
        value, length = np.zeros(n, np.uint8), np.zeros(n, np.int32)
        value[:len(runs)], length[:len(runs)] = zip(*runs)
        yield Run({"data": data, "value": np.zeros(n, np.uint8), "length": np.zeros(n, np.int32)},
                  {"value": value, "length": length}, returns=len(runs))


@kernel("bits.py", "decode_utf8")
def decode_utf8(rng):
    for string in ("a", "grüße, 世界 🌍!"):
        data = np.frombuffer(string.encode(), np.uint8)
        points = np.zeros(len(data), np.int32)
        points[:len(string)] = [ord(c) for c in string]
        yield Run({"data": data, "points": np.zeros(len(data), np.int32)}, {"points": points}, returns=len(string))


@kernel("bits.py", "big_multiply")
def big_multiply(rng):
    for n, m in ((1, 1), (5, 3), (9, 12)):
        a, b = (rng.integers(0, 1 << 32, size).astype(np.uint32) for size in (n, m))
        number = lambda words: sum(int(w) << 32 * i for i, w in enumerate(words))
        product = number(a) * number(b)
        yield Run({"a": a, "b": b, "c": OUT}, {"c": np.array([product >> 32 * i & 0xFFFFFFFF for i in range(n + m)], np.uint32)})


# ---- simulation --------------------------------------------------------------------------------------------------


@kernel("simulation.py", "forces")
def forces(rng):
    for n in (1, 5, 16, 67):
        p, m = f32(rng, n, 3), f32(rng, n)
        way = wide(p)[None, :, :] - wide(p)[:, None, :]
        near = (way**2).sum(axis=2) + 0.01
        f = (way * (wide(m)[None, :] / near**1.5)[:, :, None]).sum(axis=1)
        yield Run({"P": p, "M": m, "F": OUT}, {"F": narrow(f)}, rtol=1e-3, atol=1e-3 * np.abs(f).max())


@kernel("simulation.py", "wave")
def wave(rng):
    for n, m in ((3, 3), (5, 40), (20, 19)):
        u = f32(rng, 3, n, m)
        planes = [wide(plane) for plane in u]
        for t in range(10):
            now, after = planes[(t + 1) % 3], planes[(t + 2) % 3]
            around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
            after[1:-1, 1:-1] = 1.5 * now[1:-1, 1:-1] - planes[t % 3][1:-1, 1:-1] + 0.125 * around
        yield Run({"U": u}, {"U": narrow(np.stack(planes))}, rtol=1e-4, atol=1e-4)


@kernel("simulation.py", "solve")
def solve(rng):
    for n, m in ((1, 1), (4, 3), (33, 20)):
        lower = np.tril(f64(rng, n, n)) + n * np.eye(n)
        b = f64(rng, n, m)
        yield Run({"L": lower, "B": b, "X": OUT}, {"X": np.linalg.solve(lower, b)}, rtol=1e-9, atol=1e-9)


# ---- products after schedules ------------------------------------------------------------------------------------


@kernel("schedules.py", "tiled_product")
def tiled_product(rng):
    a, b = f32(rng, 20, 22), f32(rng, 22, 21)
    yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow(wide(a) @ wide(b))}, rtol=1e-4, atol=1e-4)


@kernel("schedules.py", "tiled_twice")
def tiled_twice(rng):
    a, b = f32(rng, 15, 14), f32(rng, 14)
    yield Run({"A": a.reshape(-1), "B": b, "C": OUT}, {"C": narrow(wide(a) @ wide(b))}, rtol=1e-4, atol=1e-4)


@kernel("schedules.py", "factored")
def factored(rng):
    a, b = f32(rng, 9, 20), f32(rng, 20, 11)
    want = np.einsum("ikp,kpj->ijp", wide(a).reshape(9, 5, 4), wide(b).reshape(5, 4, 11))
    yield Run({"A": a, "B": b, "C": OUT}, {"C": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("schedules.py", "token")
def token(rng):
    for n, k in ((1, 1), (3, 300), (33, 5), (70, 64)):
        x, w = f32(rng, 1, 1, k), f32(rng, n, k)
        yield Run({"x": x, "W": w, "y": OUT}, {"y": narrow(wide(x) @ wide(w).T)}, rtol=1e-4, atol=1e-4)


@kernel("schedules.py", "scaled_rows")
def scaled_rows(rng):
    for m, n, k in ((1, 1, 1), (5, 33, 7), (20, 16, 40)):
        a, b, c = f32(rng, m, k), f32(rng, k, n), f32(rng, m, n)
        want = wide(a) @ wide(b) * 0.5 + wide(c) * 0.25
        yield Run({"A": a, "B": b, "C": c, "alpha": 0.5, "beta": 0.25}, {"C": narrow(want)}, rtol=1e-4, atol=1e-4)


@kernel("schedules.py", "gated")
def gated(rng):
    a, b, d, c = f32(rng, 7, 33), f32(rng, 33, 20), f32(rng, 33, 20), f32(rng, 7, 20)
    want = np.maximum(wide(a) @ wide(b), 0) * (1 + wide(a) @ wide(d)) + wide(c)
    yield Run({"A": a, "B": b, "D": d, "C": c}, {"C": narrow(want)}, rtol=1e-4, atol=1e-3)


@kernel("schedules.py", "both_ways")
def both_ways(rng):
    a, p, r = f64(rng, 40, 30), f64(rng, 30), f64(rng, 40)
    yield Run({"A": a, "p": p, "r": r, "s": OUT, "q": OUT}, {"s": r @ a, "q": a @ p}, rtol=1e-10, atol=1e-10)


@kernel("schedules.py", "two_sums")
def two_sums(rng):
    a, b, d = f32(rng, 9, 12), f32(rng, 12, 21), f32(rng, 12, 21)
    yield Run({"A": a, "B": b, "D": d, "C": OUT, "E": OUT},
              {"C": narrow(wide(a) @ wide(b)), "E": narrow(1 - wide(a) @ wide(d))}, rtol=1e-4, atol=1e-4)


# ---- views -------------------------------------------------------------------------------------------------------


@kernel("views.py", "reshape")
def reshape(rng):
    a, d = (rng.integers(-1000, 1000, (6, 10, 35)).astype(np.int32) for _ in range(2))
    turned = a.reshape(6, 10, 5, 7).transpose(3, 2, 0, 1)
    yield Run({"A": a, "B": OUT, "C": OUT, "D": d}, {"B": a.reshape(14, 150), "C": turned, "D": a + d})


@kernel("views.py", "resize")
def resize(rng):
    a = f32(rng, 3, 13, 9)
    single = np.float32
    nearest = [np.clip(np.rint((np.arange(n, dtype=single) + single(0.5)) * single(s) - single(0.5)).astype(int), 0, most)
               for n, s, most in ((31, 0.41935483, 12), (27, 0.33333334, 8))]
    v, u = np.arange(31, dtype=single) * single(0.4), np.arange(27, dtype=single) * single(0.3)
    y, x = np.floor(v).astype(int), np.floor(u).astype(int)
    dy, dx = (v - y)[None, :, None], (u - x)[None, None, :]
    at = lambda i, j: wide(a)[:, np.clip(i, 0, 12)][:, :, np.clip(j, 0, 8)]
    linear = (at(y, x) * (1 - dx) + at(y, x + 1) * dx) * (1 - dy) + (at(y + 1, x) * (1 - dx) + at(y + 1, x + 1) * dx) * dy
    yield Run({"A": a, "N": OUT, "L": OUT}, {"N": a[:, nearest[0]][:, :, nearest[1]], "L": narrow(linear)}, rtol=1e-4, atol=1e-4)


@kernel("views.py", "pick")
def pick(rng):
    for n, m, k in ((1, 1, 1), (5, 9, 40), (33, 70, 7), (12, 300, 130)):
        a, i = f32(rng, n, m), rng.integers(0, m, k)
        j = rng.integers(0, m, (n, k)).astype(np.int32)
        picked = a[:, i]
        yield Run({"A": a, "I": i, "J": j, "O": OUT, "P": OUT}, {"O": picked, "P": np.take_along_axis(a, j, 1) + picked})


def powers(dtype, large):
    def truncated(a, by):
        return np.where(a < 0, -(-a.astype(object) // by), a.astype(object) // by).astype(dtype)

    def runs(rng):
        limits = np.iinfo(dtype)
        for n in (1, 7, 300):
            a = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
            a = np.where(rng.random(n) < 0.3, rng.choice(np.array([limits.min, limits.max, 0, 1, 15, 16], dtype), n), a)
            i = rng.integers(0, n, n).astype(np.int32)
            remainder = lambda x, by: (x - truncated(x, by) * x.dtype.type(by)).astype(dtype)
            two = np.dtype(dtype).type(2)
            yield Run({"A": a, "I": i, "O": OUT}, {"O": np.stack([
                truncated(a, 16), remainder(a, 16), a // np.dtype(dtype).type(large), a % np.dtype(dtype).type(large),
                remainder(remainder(a[i], 2) + two, 2), truncated(a + a[i], 8)])})

    kernel("powers.py", dtype)(runs)


for type_name, power in (("int8", 64), ("int64", 2**62), ("uint32", 2**31)):
    powers(type_name, power)
