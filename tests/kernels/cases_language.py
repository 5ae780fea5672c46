"""More cases, of what the language has: calls and recursion, memory that is not compact, conversions, scheduled and
vector code. Like cases.py; imported for what it registers."""

import math

import ml_dtypes
import numpy as np

from cases import OUT, Run, f32, f64, kernel, narrow, softmax_of, wide


# ---- calls and recursion -----------------------------------------------------------------------------------------


@kernel("recursion.py", "fibonacci", tvm=False)
def fibonacci(rng):
    for n, want in ((0, 0), (1, 1), (17, 1597)):
        yield Run({"n": n}, returns=want)


@kernel("recursion.py", "ackermann", tvm=False)
def ackermann(rng):
    yield Run({"m": 2, "n": 9}, returns=21)
    yield Run({"m": 3, "n": 3}, returns=61)


@kernel("recursion.py", "is_even", tvm=False)
def is_even(rng):
    for n in (0, 7, 100):
        yield Run({"n": n}, returns=n % 2 == 0)


@kernel("recursion.py", "binomial", tvm=False)
def binomial(rng):
    yield Run({"n": 30, "k": 12}, returns=float(math.comb(30, 12)), rtol=1e-12)


@kernel("recursion.py", "quicksort", tvm=False)
def quicksort(rng):
    for n in (0, 1, 2, 500):
        a = f32(rng, n)
        yield Run({"A": a}, {"A": np.sort(a)}, rtol=0, atol=0)


@kernel("recursion.py", "merge_sort", tvm=False)
def merge_sort(rng):
    for n in (0, 1, 333):
        a = rng.integers(-100, 100, n).astype(np.int32)
        yield Run({"A": a}, {"A": np.sort(a)})


@kernel("recursion.py", "flood_fill", tvm=False)
def flood_fill(rng):
    cells = (rng.random((14, 17)) < 0.4).astype(np.uint8)
    cells[6:9, 6:9] = 0
    want, todo = cells.copy(), [(7, 7)]
    while todo:
        y, x = todo.pop()
        if 0 <= y < 14 and 0 <= x < 17 and want[y, x] == 0:
            want[y, x] = 2
            todo += [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
    yield Run({"cells": cells, "y": 7, "x": 7, "old": 0, "new": 2}, {"cells": want})


@kernel("recursion.py", "hanoi", tvm=False)
def hanoi(rng):
    moves = []

    def move(disks, source, target, spare):
        if disks:
            move(disks - 1, source, spare, target)
            moves.append((source, target))
            move(disks - 1, spare, target, source)

    move(6, 0, 2, 1)
    args = {"disks": 6, "source": 0, "target": 2, "spare": 1, "moves": np.zeros((63, 2), np.int32), "count": np.zeros(1, np.int32)}
    yield Run(args, {"moves": np.array(moves, np.int32), "count": np.array([63], np.int32)})


@kernel("calls.py", "power_iteration", tvm=False)
def power_iteration(rng):
    basis, _ = np.linalg.qr(f64(rng, 9, 9))
    a = basis @ np.diag([8.0, 3, 2, 1, 1, 0.5, 0.25, 0.1, 0]) @ basis.T
    x = np.ones(9)
    want = x.copy()
    for _ in range(40):
        want = a @ want
        size = np.linalg.norm(want)
        want = want / size
    yield Run({"A": a, "x": x, "rounds": 40}, {"x": want}, returns=float(size), rtol=1e-10, atol=1e-12)


def positive_definite(rng, n):
    b = f64(rng, n, n)
    return b @ b.T + n * np.eye(n)


@kernel("calls.py", "cholesky")
def cholesky(rng):
    for n in (1, 2, 21):
        a = positive_definite(rng, n)
        yield Run({"A": a, "L": OUT}, {"L": np.linalg.cholesky(a)}, rtol=1e-11, atol=1e-12)


@kernel("calls.py", "solve", tvm=False)
def solve(rng):
    for n in (1, 20):
        a, b = positive_definite(rng, n), f64(rng, n)
        yield Run({"A": a, "b": b, "x": OUT}, {"x": np.linalg.solve(a, b)}, rtol=1e-10, atol=1e-12)


@kernel("calls.py", "attention", tvm=False)
def attention(rng):
    for n, d in ((1, 4), (19, 32)):
        q, k, v = (f32(rng, n, d) for _ in range(3))
        scores = wide(q) @ wide(k).T / math.sqrt(d)
        scores[np.triu_indices(n, 1)] = -np.inf
        yield Run({"Q": q, "K": k, "V": v, "out": OUT}, {"out": narrow(softmax_of(scores) @ wide(v))}, atol=1e-5)


# ---- memory that is not compact ----------------------------------------------------------------------------------


@kernel("strided.py", "double_strided")
def double_strided(rng):
    # A .npy file in Fortran order: the strides are those of the transpose.
    a = np.asfortranarray(f32(rng, 12, 35))
    yield Run({"A": a, "B": OUT}, {"B": a * 2}, rtol=0, atol=0)
    a = f32(rng, 5, 6)
    yield Run({"A": a, "B": OUT}, {"B": a * 2}, rtol=0, atol=0)


@kernel("strided.py", "interleave")
def interleave(rng):
    even, odd = (rng.integers(-99, 99, 8).astype(np.int32) for _ in range(2))
    yield Run({"even": even, "odd": odd, "out": OUT}, {"out": np.stack([even, odd], 1).ravel()})


@kernel("strided.py", "flatten")
def flatten(rng):
    a = f32(rng, 6, 7)
    yield Run({"A": a, "B": OUT}, {"B": a.ravel()}, rtol=0, atol=0)


@kernel("strided.py", "tile_sums")
def tile_sums(rng):
    a = rng.integers(-99, 99, (16, 12)).astype(np.int32)
    want = np.einsum("iyjx,yx->ij", a.reshape(4, 4, 3, 4), np.arange(16).reshape(4, 4)).astype(np.int32)
    yield Run({"A": a, "S": OUT}, {"S": want})


@kernel("strided.py", "float_bits")
def float_bits(rng):
    a = narrow([1, -1, 0.5, 3.25, -1e-20, 1e30, 0, np.inf])
    b = a.view(np.uint32).astype(np.int64)
    want = {"sign": b >> 31, "exponent": (b >> 23 & 255) - 127, "mantissa": b & 8388607}
    args = {"A": a, "sign": OUT, "exponent": OUT, "mantissa": OUT}
    yield Run(args, {name: value.astype(np.int32) for name, value in want.items()})


@kernel("scalars.py", "add_scalars")
def add_scalars(rng):
    a, b = np.asarray(np.float32(1.5)), np.asarray(np.float32(-4))
    yield Run({"A": a, "B": b, "T_add": OUT}, {"T_add": np.asarray(np.float32(-2.5))}, rtol=0, atol=0)


@kernel("scalars.py", "broadcast")
def broadcast(rng):
    yield Run({"A": np.asarray(np.int64(-7)), "B": np.zeros(10, np.int64)}, {"B": np.arange(10) - 7})


@kernel("scalars.py", "clamp_scale")
def clamp_scale(rng):
    x = f32(rng, 50)
    args = {"X": x, "low": -0.5, "high": 0.75, "scale": 0.1, "shift": -100, "enable": True, "Y": OUT}
    yield Run(args, {"Y": np.clip(wide(x), -0.5, 0.75) * 0.1 - 100})
    yield Run({**args, "enable": False}, {"Y": wide(x)}, rtol=0, atol=0)


@kernel("scalars.py", "hypotenuse")
def hypotenuse(rng):
    yield Run({"a": 3.0, "b": -4.0}, returns=5.0)


@kernel("scalars.py", "days")
def days(rng):
    for year, month, want in ((2024, 2, 29), (1900, 2, 28), (2000, 2, 29), (2023, 11, 30), (1, 12, 31)):
        yield Run({"year": year, "month": month}, returns=want)


@kernel("scalars.py", "is_leap")
def is_leap(rng):
    for year in (1900, 2000, 2024, 2026):
        yield Run({"year": year}, returns=year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


@kernel("scalars.py", "newton", tvm=False)
def newton(rng):
    for a in (2.0, 1e-3, 12345.678):
        yield Run({"a": a}, returns=math.sqrt(a), rtol=1e-15)


@kernel("masks.py", "between")
def between(rng):
    x = f32(rng, 99)
    yield Run({"x": x, "low": -0.5, "high": 0.5, "m": OUT}, {"m": (x >= -0.5) & (x < 0.5)})


@kernel("masks.py", "combine")
def combine(rng):
    a, b = (rng.random(70) < 0.5 for _ in range(2))
    yield Run({"a": a, "b": b, "out": OUT}, {"out": np.stack([a & b, a | b, ~a, a ^ b], 1)})


@kernel("masks.py", "where")
def where(rng):
    m, x, y = rng.random(70) < 0.5, np.arange(70, dtype=np.int32), -np.arange(70, dtype=np.int32)
    yield Run({"m": m, "x": x, "y": y, "out": OUT}, {"out": np.where(m, x, y)})


@kernel("masks.py", "count")
def count(rng):
    for n in (1, 1000):
        m = rng.random(n) < 0.5
        yield Run({"m": m, "total": OUT}, {"total": np.asarray(m.sum())})


@kernel("masks.py", "compact")
def compact(rng):
    x, m = f32(rng, 64), rng.random(64) < 0.5
    kept = x[m]
    args = {"x": x, "m": m, "out": np.zeros(64, np.float32), "size": OUT}
    want = np.concatenate([kept, np.zeros(64 - len(kept), np.float32)])
    yield Run(args, {"out": want, "size": np.array([len(kept)], np.int32)}, rtol=0, atol=0)


@kernel("masks.py", "classify")
def classify(rng):
    x = narrow([0, -0.0, 1, -2, np.nan, np.inf, -np.inf, 1e-45])
    yield Run({"x": x, "out": OUT}, {"out": np.array([0, 0, 1, -1, 4, 3, 3, 1], np.int8)})


# ---- conversions -------------------------------------------------------------------------------------------------


def saturated(x, dtype):
    """A float to an integer type: toward zero, the nearest of the type where it is out of range, 0 for NaN."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.array([0 if math.isnan(v) else low if v <= low else high if v >= high else int(v) for v in x.tolist()], dtype)


FLOATS = [0, -0.0, 0.5, -0.5, 1.9, -1.9, 127.5, -128.5, 255.9, 256, -1, 32768, 65536, 2147483648.0, -2147483904.0, 4294967296.0]
FLOATS += [9.3e18, 1.9e19, -1e19, 3e38, np.inf, -np.inf, np.nan, 1e-40]


@kernel("casts.py", "from_f32", tvm=False)
def from_f32(rng):
    x = np.concatenate([narrow(FLOATS), f32(rng, 100) * 300])
    names = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
    want = {name: saturated(x, dtype) for name, dtype in names.items()}
    want.update(f64=wide(x), truth=x != 0)
    yield Run({"X": x, **dict.fromkeys(want, OUT)}, want, rtol=0, atol=0)


@kernel("casts.py", "from_f64", tvm=False)
def from_f64(rng):
    x = np.concatenate([np.array(FLOATS + [1e300, -2147483649.0, 2147483647.5, 4294967295.5]), f64(rng, 100) * 3e9])
    names = {"i8": np.int8, "u8": np.uint8, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
    want = {name: saturated(x, dtype) for name, dtype in names.items()}
    with np.errstate(over="ignore"):
        want["f32"] = narrow(x)
    yield Run({"X": x, **dict.fromkeys(want, OUT)}, want, rtol=0, atol=0)


INTEGERS = [0, 1, -1, 127, 128, -129, 255, 256, 65535, -32769, 2**31, -2**31 - 1, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, -2**63, 16777217]


@kernel("casts.py", "from_i64")
def from_i64(rng):
    x = np.concatenate([np.array(INTEGERS), rng.integers(-2**63, 2**63, 100)])
    names = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}
    want = {name: x.astype(dtype) for name, dtype in names.items()}
    want["truth"] = x != 0
    yield Run({"X": x, **dict.fromkeys(want, OUT)}, want, rtol=0, atol=0)


@kernel("casts.py", "from_u64")
def from_u64(rng):
    x = np.concatenate([np.array(INTEGERS).astype(np.uint64), rng.integers(0, 2**64, 100, dtype=np.uint64)])
    names = {"i8": np.int8, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "f32": np.float32, "f64": np.float64}
    want = {name: x.astype(dtype) for name, dtype in names.items()}
    yield Run({"X": x, **dict.fromkeys(want, OUT)}, want, rtol=0, atol=0)


@kernel("casts.py", "from_small")
def from_small(rng):
    a, b, c = rng.integers(-128, 128, 90).astype(np.int8), rng.integers(0, 256, 90, dtype=np.uint8), rng.random(90) < 0.5
    columns = [a, b, c, a.view(np.uint8), b.view(np.int8), a.astype(np.uint16)]
    want = {"wide": np.stack([v.astype(np.int64) for v in columns], 1), "real": np.stack([narrow(v) for v in (a, b, c)], 1)}
    yield Run({"A": a, "B": b, "C": c, "wide": OUT, "real": OUT}, want, rtol=0, atol=0)


@kernel("casts.py", "alone")
def alone(rng):
    x = rng.integers(-2**31, 2**31, 1301).astype(np.int32)
    f, g = f32(rng, 1301), f32(rng, 1301)
    g[::7], f[3::11] = f[::7], np.nan
    want = {"u8": x.astype(np.uint8), "i64": x[:1300].astype(np.int64), "i32": x[:1300], "real": narrow(x[:1299]),
            "f64": wide(f[:1298]), "less": (f < g)[:1297], "equal": (f == g)[:1296].astype(np.uint8), "ones": np.ones(1295, np.uint16)}
    yield Run({"X": x, "F": f, "G": g, **dict.fromkeys(want, OUT)}, want, rtol=0, atol=0)


STORAGE = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
           "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")


def storage_values(codes, rng):
    """What the codes mean, the middles between them and what is beside those, values far outside, and random bits."""
    known = np.sort(codes[np.isfinite(codes)])
    middles = ((wide(known[1:]) + wide(known[:-1])) / 2).astype(np.float32)
    beside = [np.nextafter(middles, np.float32(way)) for way in (np.inf, -np.inf)]
    anything = rng.integers(0, 2**32, 3000, dtype=np.uint32).view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        halves = np.arange(0, 65536, 7, dtype=np.uint16).view(np.float16).astype(np.float32)
        return np.concatenate([codes, middles, *beside, known * np.float32(1.0625), known * np.float32(1e9), halves, anything])


def storage_case(name):
    def case(rng):
        dtype = np.dtype(getattr(ml_dtypes, name))
        codes = np.arange(2 ** ml_dtypes.finfo(dtype).bits, dtype=np.uint8)
        x = storage_values(codes.view(dtype).astype(np.float32), rng)
        if name.startswith(("float6", "float4")):  # without NaN of their own: what it becomes has no meaning
            x = x[~np.isnan(x)]
        with np.errstate(all="ignore"):
            one_nan = np.where(np.isnan(x), np.float32(np.nan), x)  # the sign of a NaN does not count
            encoded = one_nan.astype(dtype).view(np.uint8)
            if name == "float8_e8m0fnu":  # ml_dtypes before 0.7 took all of these for the second least code
                encoded[(x > 2.0**-127) & (x < 1.5 * 2.0**-127)] = 0
            want = {"encoded": encoded, "decoded": codes.view(dtype).astype(np.float32)}
        yield Run({"X": x, "codes": codes, "encoded": OUT, "decoded": OUT}, want, rtol=0, atol=0)

    return case


for storage_name in STORAGE:
    kernel("storage_types.py", storage_name, tvm=False)(storage_case(storage_name))


@kernel("storage_types.py", "scaled_product", tvm=False)
def scaled_product(rng):
    for m, n, k in ((1, 1, 1), (3, 5, 40)):
        a = f32(rng, m, k).astype(ml_dtypes.float8_e4m3fn)
        b = f32(rng, n, k).astype(ml_dtypes.float8_e5m2)
        scale = f32(rng, n)
        want = a.astype(np.float64) @ (b.astype(np.float64) * wide(scale)[:, None]).T
        yield Run({"A": a.view(np.uint8), "B": b.view(np.uint8), "scale": scale, "C": OUT}, {"C": narrow(want)}, rtol=1e-5, atol=1e-5)


@kernel("storage_types.py", "wrapping_int4", tvm=False)
def wrapping_int4(rng):
    a, b = (rng.integers(-8, 8, 70).astype(np.int8) for _ in range(2))
    want = (a.astype(np.int32) * b - a + 8) % 16 - 8
    yield Run({"A": a, "B": b, "C": OUT, "wide": OUT}, {"C": want.astype(np.int8), "wide": a.astype(np.int32) * b})


# ---- scheduled and vector code -----------------------------------------------------------------------------------


@kernel("schedules.py", "vector_loop")
def vector_loop(rng):
    a = f32(rng, 64)
    yield Run({"A": a, "B": OUT}, {"B": narrow(wide(a) ** 2 + 1)}, rtol=1e-6)


@kernel("schedules.py", "slices")
def slices(rng):
    a = f32(rng, 64)
    yield Run({"A": a, "B": OUT, "C": OUT, "D": OUT}, {"B": narrow(wide(a) ** 2 + 1), "C": a[::2].copy(), "D": a[::-1].copy()}, rtol=1e-6)


@kernel("schedules.py", "split")
def split(rng):
    for n, m in ((1, 1), (5, 13), (8, 32)):
        a = rng.integers(-99, 99, (n, m)).astype(np.int32)
        yield Run({"A": a, "B": OUT}, {"B": a * 2 + 1})


@kernel("schedules.py", "compute_at")
def compute_at(rng):
    a = f32(rng, 66)
    b = a * 2
    yield Run({"A": a, "C": OUT}, {"C": b[:-2] + b[1:-1] + b[2:]}, rtol=0, atol=0)


@kernel("schedules.py", "nested")
def nested(rng):
    a = f32(rng, 32, 32)
    want = a.reshape(4, 8, 4, 8)[:, ::-1, :, ::-1].reshape(32, 32).copy()
    yield Run({"A": a, "B": OUT}, {"B": want}, rtol=0, atol=0)


@kernel("schedules.py", "root")
def root(rng):
    a = np.arange(100, 120, dtype=np.int32)
    want = np.zeros(20, np.int32)
    want[5:15] = a[5:15] + np.arange(5, 15)
    yield Run({"A": a, "B": OUT}, {"B": want})


@kernel("schedules.py", "steps")
def steps(rng):
    for n in (0, 1, 2, 3, 20):
        a = np.arange(1, n + 1, dtype=np.int32)
        yield Run({"A": a, "B": OUT}, {"B": a * np.resize(np.array([1, 10, 100], np.int32), n)})


@kernel("schedules.py", "break_continue")
def break_continue(rng):
    yield Run({"A": np.array([3, -1, 4, 0, 5], np.int32)}, returns=7)
    yield Run({"A": np.array([3, -1, 4, 5], np.int32)}, returns=12)
    yield Run({"A": np.zeros(0, np.int32)}, returns=0)


@kernel("schedules.py", "triangle")
def triangle(rng):
    for n in (0, 1, 30):
        a = f64(rng, n, n)
        yield Run({"A": a, "B": OUT}, {"B": np.tril(a).sum(1)}, atol=1e-12)


@kernel("schedules.py", "odds_and_ends")
def odds_and_ends(rng):
    a = np.arange(-5, 15, dtype=np.int32)
    b = (a + 1) * (a + 1) + (a + 1) + ((a >= 0) & (a <= 9))
    yield Run({"A": a, "B": OUT}, {"B": np.where(a % 2 == 0, b, -b).astype(np.int32)})


@kernel("vectors.py", "scale_offset", tvm=False)
def scale_offset(rng):
    x = f32(rng, 256)
    yield Run({"x": x, "y": OUT, "s": 0.3}, {"y": narrow(wide(x) * wide(np.float32(0.3)) + 1)})


@kernel("vectors.py", "reverse", tvm=False)
def reverse(rng):
    x = np.arange(64, dtype=np.int32)
    yield Run({"x": x, "y": OUT}, {"y": x[::-1].copy()})


@kernel("vectors.py", "split_complex", tvm=False)
def split_complex(rng):
    z = f32(rng, 128)
    yield Run({"z": z, "re": OUT, "im": OUT}, {"re": z[::2].copy(), "im": z[1::2].copy()}, rtol=0, atol=0)


@kernel("vectors.py", "widen", tvm=False)
def widen(rng):
    x = rng.integers(0, 256, 96, dtype=np.uint8)
    yield Run({"x": x, "y": OUT}, {"y": narrow(x) / 2}, rtol=0, atol=0)


@kernel("vectors.py", "select", tvm=False)
def select(rng):
    x, y = f32(rng, 40), f32(rng, 40)
    yield Run({"x": x, "y": y, "out": OUT}, {"out": np.where(x < y, np.maximum(x, 0), y - x)}, rtol=0, atol=0)


@kernel("vectors.py", "fill", tvm=False)
def fill(rng):
    yield Run({"y": OUT, "value": -1234}, {"y": np.full(48, -1234, np.int16)})
