"""More cases: programs that count, and that fill tables from their own entries. Like cases.py; imported for what it registers."""

import itertools

import numpy as np

from cases import f32
from cases_applications import ALL, OUT, Run, kernel

__all__ = ["ALL"]


@kernel("histogram.py", "histogram_u8")
def histogram_u8(rng):
    for h, w in ((0, 5), (1, 1), (40, 50)):
        pixels = rng.integers(0, 256, (h, w), dtype=np.uint8)
        yield Run({"pixels": pixels, "counts": OUT}, {"counts": np.bincount(pixels.ravel(), minlength=256).astype(np.int32)})


@kernel("histogram.py", "histogram_f32")
def histogram_f32(rng):
    for n, bins in ((0, 4), (1000, 16)):
        # Multiples of 1/64 and a power of two of bins: every bin's border is exact.
        x = (rng.integers(-80, 80, n) / 64).astype(np.float32)
        counts, _ = np.histogram(x[x < 1], bins=bins, range=(-1.0, 1.0))
        args = {"X": x, "low": -1.0, "high": 1.0, "counts": np.zeros(bins, np.int32)}
        yield Run(args, {"counts": counts.astype(np.int32)})


@kernel("histogram.py", "row_histograms")
def row_histograms(rng):
    for n, m in ((0, 5), (1, 0), (1, 1), (37, 50)):
        x = rng.uniform(0, 16, (n, m)).astype(np.float32)
        counts = np.array([np.bincount(row, minlength=16) for row in x.astype(np.int64)], np.int32).reshape(n, 16)
        yield Run({"X": x, "counts": OUT}, {"counts": counts})


@kernel("histogram.py", "confusion")
def confusion(rng):
    truth, guess = rng.integers(0, 5, 200).astype(np.int32), rng.integers(0, 5, 200)
    table = np.zeros((5, 5), np.int32)
    np.add.at(table, (truth, guess), 1)
    yield Run({"truth": truth, "guess": guess, "table": np.full((5, 5), 9, np.int32)}, {"table": table})


@kernel("histogram.py", "scatter_add")
def scatter_add(rng):
    for width in (17, 48, 64):
        rows, index, out = f32(rng, 60, width), rng.integers(0, 9, 60).astype(np.int32), f32(rng, 9, width)
        want = out.copy()
        np.add.at(want, index, rows)
        yield Run({"rows": rows, "index": index, "out": out}, {"out": want}, rtol=0, atol=0)


@kernel("histogram.py", "sparse_rows")
def sparse_rows(rng):
    for width in (5, 32, 48):
        row, column = rng.integers(0, 7, 300).astype(np.int32), rng.integers(0, 20, 300)
        value, dense, out = rng.integers(-9, 9, 300), rng.integers(-9, 9, (20, width)), rng.integers(-9, 9, (7, width))
        value, dense, out = (a.astype(np.float32) for a in (value, dense, out))
        want = out.copy()
        np.add.at(want, row, value[:, None] * dense[column])
        yield Run({"row": row, "column": column, "value": value, "dense": dense, "out": out}, {"out": want}, rtol=0, atol=0)


@kernel("histogram.py", "counting_sort")
def counting_sort(rng):
    for n in (0, 1, 2000):
        a = rng.integers(0, 256, n, dtype=np.uint8)
        yield Run({"A": a, "B": OUT}, {"B": np.sort(a)})


def bags(rng):
    """Weights (also of more than the bag holds), values, and the best that fits into bags of every size."""
    for n, m in ((1, 1), (3, 7), (12, 40), (30, 700), (9, 5000)):
        weight, value = rng.integers(1, m + 3, n).astype(np.int32), rng.integers(1, 100, n).astype(np.int32)
        rows = np.zeros((n + 1, m), np.int32)
        for i in range(n):
            rows[i + 1] = rows[i]
            if weight[i] < m:
                rows[i + 1, weight[i] :] = np.maximum(rows[i, weight[i] :], rows[i, : m - weight[i]] + value[i])
        yield weight, value, rows


@kernel("tables.py", "bag")
def bag(rng):
    for weight, value, rows in bags(rng):
        yield Run({"weight": weight, "value": value, "best": np.zeros_like(rows[0])}, {"best": rows[-1]})


@kernel("tables.py", "bag_table")
def bag_table(rng):
    for weight, value, rows in bags(rng):
        yield Run({"weight": weight, "value": value, "best": np.zeros_like(rows)}, {"best": rows})


@kernel("tables.py", "ways_to_pay")
def ways_to_pay(rng):
    for coins, m in (([1], 5), ([1, 2, 5], 20), ([1, 9, 31, 7, 64], 900), ([3, 1000, 2000], 7000)):
        coin, ways = np.array(coins, np.int32), np.zeros(m, np.int64)
        ways[0] = 1
        series = [1] + [0] * (m - 1)
        for c in coins:
            for a in range(c, m):
                series[a] += series[a - c]
        yield Run({"coin": coin, "ways": ways}, {"ways": np.array(series, np.int64)})


@kernel("tables.py", "matrix_chain")
def matrix_chain(rng):
    for n in (1, 2, 3, 17, 40):
        size, want = rng.integers(1, 30, n + 1).astype(np.int32), np.zeros((n, n), np.int32)
        for length, i in itertools.product(range(1, n), range(n)):
            if i + length < n:
                s = np.arange(length)
                want[i, i + length] = (want[i, i + s] + want[i + s + 1, i + length] + size[i] * size[i + s + 1] * size[i + length + 1]).min()
        yield Run({"size": size, "cost": np.zeros((n, n), np.int32)}, {"cost": want})


@kernel("tables.py", "longest_rising")
def longest_rising(rng):
    for n in (1, 2, 9, 100, 500):
        a, want = rng.integers(0, n, n).astype(np.int32), np.ones(n, np.int32)
        for i in range(1, n):
            want[i] = 1 + max(want[:i][a[:i] < a[i]], default=0)
        yield Run({"a": a, "length": OUT}, {"length": want})


SHAPES = ((1, 1, 1), (1, 7, 3), (5, 1, 2), (4, 6, 1), (0, 3, 2), (3, 0, 2), (9, 20, 70), (200, 3, 2))


@kernel("reshapes.py", "flatten")
def flatten(rng):
    for n, m, _ in SHAPES:
        a = rng.standard_normal((n, m)).astype(np.float32)
        yield Run({"a": a, "b": OUT}, {"b": a.reshape(-1)})


@kernel("reshapes.py", "flatten_three")
def flatten_three(rng):
    for shape in SHAPES:
        a = rng.integers(-100, 100, shape).astype(np.int8)
        yield Run({"a": a, "b": OUT}, {"b": a.reshape(-1)})


@kernel("reshapes.py", "swap_halves")
def swap_halves(rng):
    for n, m, _ in SHAPES:
        a = rng.standard_normal((n, m * 2)).astype(np.float32)
        w = rng.standard_normal(m).astype(np.float32)
        yield Run({"a": a, "w": w, "b": OUT}, {"b": np.roll(a, m, 1) * np.tile(w, 2)})


@kernel("reshapes.py", "counted")
def counted(rng):
    """Sizes below 1, and a product that its type does not hold."""
    for n, m in ((3, 5), (-3, -5), (-2, 4), (0, 0), (65536, 65537), (65536, 65536)):
        i = np.arange(64)
        runs = i < (n * m + 2**31) % 2**32 - 2**31
        want = np.where(runs, i // (m or 1) * 1000 + i % (m or 1), 0)
        yield Run({"n": n, "m": m, "b": np.zeros(64, np.int32)}, {"b": want.astype(np.int32)})


def windows_of(x):
    """For each channel and each place of a window of 3 x 3, the plane that is seen through it."""
    c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.stack([padded[:, a:a + h, b:b + w] for a in range(3) for b in range(3)], 1).reshape(c, 3, 3, h, w)


@kernel("reshapes.py", "columns_of_windows")
def columns_of_windows(rng):
    for c, h, w in SHAPES[:4] + SHAPES[6:]:
        x = rng.standard_normal((c, h, w)).astype(np.float32)
        yield Run({"x": x, "o": OUT}, {"o": windows_of(x).reshape(c * 9, h * w)})


@kernel("reshapes.py", "sums_of_windows")
def sums_of_windows(rng):
    for c, h, w in SHAPES:
        o, want = rng.integers(-100, 100, (c, 3, 3, h, w)).astype(np.int32), np.zeros((c, h + 2, w + 2), np.int32)
        for a, b in itertools.product(range(3), range(3)):
            want[:, a:a + h, b:b + w] += o[:, a, b]
        yield Run({"o": o, "x": np.zeros((c, h, w), np.int32)}, {"x": want[:, 1:-1, 1:-1]})


@kernel("reshapes.py", "mirrored")
def mirrored(rng):
    for shape in SHAPES[:4] + SHAPES[6:]:
        a = rng.integers(-100, 100, shape).astype(np.int32)
        want = np.diff(a, axis=1, prepend=np.zeros_like(a[:, :1]))[:, ::-1]
        yield Run({"a": a, "b": OUT}, {"b": want.transpose(2, 1, 0)})


LENGTHS = ((1, 1), (3, 4), (40, 16), (70, 65), (400, 130), (9, 2000))


@kernel("gathered.py", "three_tables")
def three_tables(rng):
    for n, d in LENGTHS:
        words, places, kinds = (rng.standard_normal((k, d)).astype(np.float32) for k in (50, n, 2))
        ids, kind = rng.integers(0, 50, (2, n)).astype(np.int32), rng.integers(0, 2, (2, n)).astype(np.int32)
        args = {"words": words, "ids": ids, "places": places, "kinds": kinds, "kind": kind, "out": OUT}
        yield Run(args, {"out": words[ids] + places + kinds[kind]})


@kernel("gathered.py", "scaled_rows")
def scaled_rows(rng):
    for n, d in LENGTHS:
        table, scale = rng.integers(-100, 100, (30, d)).astype(np.int8), rng.standard_normal(30).astype(np.float32)
        ids = rng.integers(0, 30, n).astype(np.int32)
        want = table[ids].astype(np.float32) * scale[ids][:, None]
        yield Run({"table": table, "scale": scale, "ids": ids, "out": OUT}, {"out": want}, rtol=0, atol=0)


@kernel("gathered.py", "two_numbers")
def two_numbers(rng):
    for n, d in LENGTHS:
        a, at = rng.standard_normal((7, 5, d)).astype(np.float16), rng.integers(0, 5, (n, 2)).astype(np.int32)
        yield Run({"a": a, "at": at, "out": OUT}, {"out": a[at[:, 0], at[:, 1]] + np.float16(1)})


@kernel("gathered.py", "rows_or_not")
def rows_or_not(rng):
    for n, d in LENGTHS:
        a, at = rng.standard_normal((20, d)).astype(np.float32), rng.integers(-3, 20, n).astype(np.int32)
        yield Run({"a": a, "at": at, "out": OUT}, {"out": np.where(at[:, None] < 0, 0, a[at] * np.float32(2))})


@kernel("gathered.py", "mirrored_sum")
def mirrored_sum(rng):
    for b, n in ((1, 1), (2, 9), (1, 70), (3, 150)):
        a = rng.standard_normal((b, n, n)).astype(np.float32)
        yield Run({"a": a, "out": OUT}, {"out": (a + a.transpose(0, 2, 1)) * np.float32(0.5)}, rtol=0, atol=0)


@kernel("gathered.py", "turned_and_cast")
def turned_and_cast(rng):
    for n, m in LENGTHS:
        a, offset = rng.integers(0, 256, (n, m)).astype(np.uint8), rng.integers(0, 9, m).astype(np.int32)
        yield Run({"a": a, "offset": offset, "out": OUT}, {"out": a.T.astype(np.int32) - offset[:, None]})


@kernel("gathered.py", "turned_onto")
def turned_onto(rng):
    for n, m in LENGTHS:
        a, out = rng.standard_normal((n, m)).astype(np.float32), rng.standard_normal((m, n)).astype(np.float32)
        yield Run({"a": a, "out": out}, {"out": out * np.float32(3) - a.T})


def cache_of_pages(rng, *rest):
    for n, d in LENGTHS:
        cache = rng.standard_normal((4, 6, *rest, d)).astype(np.float32)
        rows = rng.standard_normal((n, *rest, d)).astype(np.float32)
        yield cache, rng.integers(0, 4, n).astype(np.int32), rng.integers(0, 6, n).astype(np.int32), rows


@kernel("gathered.py", "pages")
def pages(rng):
    for cache, page, slot, rows in cache_of_pages(rng, 3):
        want = cache.copy()
        for p, s, row in zip(page, slot, rows):
            want[p, s] = row
        yield Run({"cache": cache, "page": page, "slot": slot, "rows": rows}, {"cache": want})


@kernel("gathered.py", "pages_add")
def pages_add(rng):
    for cache, page, slot, rows in cache_of_pages(rng):
        want = cache.copy()
        for p, s, row in zip(page, slot, rows):
            want[p, s] += row
        yield Run({"cache": cache, "page": page, "slot": slot, "rows": rows}, {"cache": want}, rtol=0, atol=0)


@kernel("gathered.py", "next_row")
def next_row(rng):
    for n, d in LENGTHS:
        a, at = rng.standard_normal((20, d)).astype(np.float32), rng.integers(0, 20, n).astype(np.int32)
        yield Run({"a": a, "at": at, "out": OUT}, {"out": a[(at + 1) % 20]})


@kernel("gathered.py", "pages_of_batches")
def pages_of_batches(rng):
    for n, d in LENGTHS:
        cache = rng.standard_normal((4, 6, d)).astype(np.float32)
        page, slot = (rng.integers(0, most, (3, n)).astype(np.int32) for most in (4, 6))
        yield Run({"cache": cache, "page": page, "slot": slot, "out": OUT}, {"out": cache[page, slot]})


@kernel("gathered.py", "row_around")
def row_around(rng):
    for n, d in LENGTHS:
        a, at = rng.standard_normal((20, d)).astype(np.float32), rng.integers(-99, 99, n).astype(np.int32)
        yield Run({"a": a, "at": at, "out": OUT}, {"out": a[(at + 1) % 20]})


@kernel("gathered.py", "crops")
def crops(rng):
    for c, h, w, n in ((1, 5, 7, 1), (3, 20, 17, 4), (16, 9, 30, 2)):
        image = rng.standard_normal((c, h, w)).astype(np.float32)
        corner = np.stack([rng.integers(0, h - 4, n), rng.integers(0, w - 6, n)], axis=1).astype(np.int32)
        want = np.stack([image[:, y:y + 5, x:x + 7] for y, x in corner])
        yield Run({"image": image, "corner": corner, "out": OUT}, {"out": want}, rtol=0, atol=0)
