"""More cases, of searches: in tables, graphs, texts and grids. Like cases.py; imported for what it registers."""

import numpy as np

from cases import OUT, Run, f32, kernel, wide
from cases_applications import text


# ---- searching ---------------------------------------------------------------------------------------------------


@kernel("searching.py", "floyd_warshall")
def floyd_warshall(rng):
    for n in (1, 8, 40):
        d = rng.integers(1, 100, (n, n)).astype(np.float32)
        d[rng.random((n, n)) < 0.5] = np.inf
        np.fill_diagonal(d, 0)
        want = d.copy()
        for k in range(n):
            want = np.minimum(want, want[:, k, None] + want[None, k])
        yield Run({"D": d}, {"D": want})


@kernel("searching.py", "floyd_warshall_paths")
def floyd_warshall_paths(rng):
    for n in (1, 8, 25):
        d = rng.integers(1, 100, (n, n)).astype(np.int32)
        np.fill_diagonal(d, 0)
        want, via = d.copy(), np.full((n, n), -1, np.int32)
        for k in range(n):
            through = want[:, k, None] + want[None, k]
            via[through < want] = k
            want = np.minimum(want, through)
        yield Run({"D": d, "via": OUT}, {"D": want, "via": via})


@kernel("searching.py", "breadth_first")
def breadth_first(rng):
    for n, e in ((1, 1), (20, 30), (100, 150)):
        edges = np.sort(rng.integers(0, n, e))
        indices = rng.integers(0, n, e).astype(np.int32)
        indptr = np.searchsorted(edges, np.arange(n + 1)).astype(np.int32)
        depth, front = np.full(n, -1, np.int32), {0}
        for level in range(n):
            for v in front:
                depth[v] = level
            front = {w for v in front for w in indices[indptr[v]:indptr[v + 1]] if depth[w] < 0}
        yield Run({"indptr": indptr, "indices": indices, "source": 0, "depth": np.zeros(n, np.int32)}, {"depth": depth})


@kernel("searching.py", "bellman_ford")
def bellman_ford(rng):
    for n, e in ((1, 1), (12, 40)):
        tail, head, cost = rng.integers(0, n, e), rng.integers(0, n, e), rng.random(e)
        dist = np.full(n, np.inf)
        dist[0] = 0
        for _ in range(n):
            for a in range(e):
                dist[head[a]] = min(dist[head[a]], dist[tail[a]] + cost[a])
        yield Run({"source": 0, "tail": tail.astype(np.int32), "head": head.astype(np.int32), "cost": cost, "dist": np.zeros(n)}, {"dist": dist}, returns=True)


@kernel("searching.py", "life")
def life(rng):
    for h, w, steps in ((3, 3, 1), (8, 13, 4), (20, 64, 3)):
        cells = (rng.random((h, w)) < 0.4).astype(np.uint8)
        want = cells.copy()
        for _ in range(steps):
            around = sum(np.roll(want, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)
            want = ((around == 3) | ((around == 2) & (want == 1))).astype(np.uint8)
        yield Run({"cells": cells, "steps": steps}, {"cells": want})


@kernel("searching.py", "queens", tvm=False)
def queens(rng):
    for n, count in ((1, 1), (4, 2), (6, 4), (8, 92)):
        yield Run({"all_columns": (1 << n) - 1, "columns": 0, "left": 0, "right": 0}, returns=count)


@kernel("searching.py", "first_queens")
def first_queens(rng):
    yield Run({"n": 8, "place": OUT}, {"place": np.array([0, 4, 7, 5, 2, 6, 1, 3], np.int32)}, returns=True)
    yield Run({"n": 4, "place": OUT}, {"place": np.array([1, 3, 0, 2], np.int32)}, returns=True)
    yield Run({"n": 3, "place": OUT}, {"place": np.array([3, 3, 3], np.int32)}, returns=False)


@kernel("searching.py", "find_all")
def find_all(rng):
    for n, m in ((5, 1), (100, 3), (64, 64), (3, 9)):
        data = text(rng, n, 2)
        word = data[-m:] if m <= n else text(rng, m, 2)
        at = [data[i:i + m].tobytes() == word.tobytes() for i in range(n)]
        yield Run({"text": data, "word": word, "found": OUT}, {"found": np.array(at)}, returns=sum(at))


@kernel("searching.py", "find_first")
def find_first(rng):
    for n, m in ((5, 1), (200, 5), (64, 64), (3, 9)):
        data, word = text(rng, n, 2), text(rng, m, 2)
        yield Run({"text": data, "word": word}, returns=data.tobytes().find(word.tobytes()))


@kernel("searching.py", "search_sorted")
def search_sorted(rng):
    for n, m, right in ((1, 3, False), (50, 60, False), (50, 60, True)):
        a, keys = np.sort(rng.integers(0, 30, n)).astype(np.float32), rng.integers(-2, 33, m).astype(np.float32)
        want = np.searchsorted(a, keys, "right" if right else "left").astype(np.int64)
        yield Run({"A": a, "keys": keys, "right": right, "places": OUT}, {"places": want})


@kernel("searching.py", "bitonic_sort", tvm=False)
def bitonic_sort(rng):
    for n in (1, 2, 64, 256):
        a = rng.integers(-1000, 1000, n).astype(np.int32)
        yield Run({"A": a}, {"A": np.sort(a)})


@kernel("cumsum.py", "decay")
def decay(rng):
    for n, m in ((0, 4), (2, 1), (7, 33)):  # eighths, which sums hold exactly
        x, gate = rng.integers(-9, 9, (n, m)) / 8.0, rng.integers(0, 2, (n, m)).astype(np.uint8)
        y, total = np.array(x), np.array([7.0, 2.0])
        for j in range(1, m):
            y[:, j] = 0.5 * y[:, j - 1] + x[:, j]
        for value in x[gate != 0]:
            total[1] = 0.5 * total[1] + value
        yield Run({"X": x, "a": 0.5, "gate": gate, "Y": np.zeros_like(x), "total": np.array([7.0, 2.0])},
                  {"Y": y, "total": total}, rtol=1e-15, atol=1e-15)


@kernel("cumsum.py", "summed_area")
def summed_area(rng):
    for n, m in ((1, 1), (12, 75)):
        a = rng.integers(-2**30, 2**30, (n, m)).astype(np.int32)
        sums = np.zeros((n + 1, m + 1), np.int32)
        sums[1:, 1:] = np.cumsum(np.cumsum(a, 0, dtype=np.int32), 1, dtype=np.int32)
        yield Run({"A": a, "S": OUT}, {"S": sums})


@kernel("cumsum.py", "down_columns")
def down_columns(rng):
    for n in (0, 1, 30):
        a = (rng.integers(-9, 9, (n, 40))).astype(np.float32)
        b = np.zeros((n + 1, 40), np.float32)
        for i in range(n):
            b[i + 1] = (b[i].astype(np.float64) * 0.5 + a[i]).astype(np.float32)
        yield Run({"A": a, "B": OUT}, {"B": b}, rtol=0, atol=0)


@kernel("cumsum.py", "edit_distance")
def edit_distance(rng):
    for n, m in ((1, 1), (9, 70), (40, 3)):
        a, b = (rng.integers(97, 100, k).astype(np.uint8) for k in (n, m))
        d = np.zeros((n + 1, m + 1), np.int32)
        d[0], d[:, 0] = np.arange(m + 1), np.arange(n + 1)
        for i, j in np.ndindex(n, m):
            d[i + 1, j + 1] = min(d[i, j + 1] + 1, d[i + 1, j] + 1, d[i, j] + (a[i] != b[j]))
        yield Run({"a": a, "b": b, "D": OUT}, {"D": d})


@kernel("cumsum.py", "moving_average")
def moving_average(rng):
    for n in (0, 1, 300):
        a = rng.integers(-40, 60, n + 8).astype(np.int32)
        b = np.array([a[i : i + 8].sum() >> 3 for i in range(n)], np.int32)
        yield Run({"A": a, "B": np.zeros_like(b), "large": OUT}, {"B": b, "large": np.array([(b > 10).sum()])})


@kernel("searching.py", "scan_doubling")
def scan_doubling(rng):
    for n in (1, 2, 63, 300):
        a = rng.integers(-1000, 1000, n)
        yield Run({"A": a, "B": OUT}, {"B": a.cumsum()})


@kernel("searching.py", "scan_exclusive")
def scan_exclusive(rng):
    for n in (1, 2, 256):
        a = rng.integers(-1000, 1000, n).astype(np.int32)
        yield Run({"A": a}, {"A": (a.cumsum() - a).astype(np.int32)})


@kernel("searching.py", "radix_sort")
def radix_sort(rng):
    for n in (0, 1, 500):
        a = rng.integers(0, 1 << 32, n).astype(np.uint32)
        yield Run({"A": a, "B": OUT}, {"B": np.sort(a)})


@kernel("searching.py", "compact")
def compact(rng):
    for n in (1, 100):
        a = f32(rng, n)
        want, kept = np.zeros(n, np.float32), a[a >= 0]
        want[:len(kept)] = kept
        yield Run({"A": a, "least": 0.0, "B": np.zeros(n, np.float32)}, {"B": want}, returns=len(kept))


@kernel("searching.py", "sieve")
def sieve(rng):
    for n in (1, 2, 3, 100, 1000):
        yield Run({"prime": np.zeros(n, bool)}, {"prime": np.array([v > 1 and all(v % d for d in range(2, v)) for v in range(n)])})


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, row = row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (x != y)))
    return row[-1]


@kernel("searching.py", "levenshtein")
def levenshtein(rng):
    for n, m in ((0, 5), (1, 1), (30, 41)):
        a, b = text(rng, n), text(rng, m)
        yield Run({"a": a, "b": b}, returns=edits(a, b))


@kernel("searching.py", "longest_common")
def longest_common(rng):
    for n, m in ((0, 5), (1, 1), (30, 41)):
        a, b = text(rng, n), text(rng, m)
        table = np.zeros((n + 1, m + 1), int)
        for i, j in np.ndindex(n, m):
            table[i + 1, j + 1] = table[i, j] + 1 if a[i] == b[j] else max(table[i, j + 1], table[i + 1, j])
        yield Run({"a": a, "b": b}, returns=int(table[n, m]))


@kernel("searching.py", "matrix_chain")
def matrix_chain(rng):
    for n in (1, 2, 12):
        sizes, cost = rng.integers(1, 50, n + 1), np.zeros((n, n), np.int64)
        for length in range(2, n + 1):
            for i in range(n - length + 1):
                j = i + length - 1
                cost[i, j] = min(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j))
        yield Run({"sizes": sizes, "cost": np.zeros((n, n), np.int64)}, {"cost": cost})


@kernel("searching.py", "viterbi")
def viterbi(rng):
    for s, t in ((1, 1), (3, 8), (5, 6)):
        start, move, emit = f32(rng, s), f32(rng, s, s), f32(rng, t, s)
        score, back = wide(start) + emit[0], []
        for step in range(1, t):
            total = score[:, None] + move
            back.append(total.argmax(0))
            score = total.max(0) + emit[step]
        path = [int(score.argmax())]
        for choice in reversed(back):
            path.append(int(choice[path[-1]]))
        yield Run({"start": start, "move": move, "emit": emit, "path": OUT}, {"path": np.array(path[::-1], np.int32)}, returns=float(score.max()), rtol=1e-5, atol=1e-5)


SUDOKU = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@kernel("searching.py", "sudoku", tvm=False)
def sudoku(rng):
    grid, solved = (np.array(list(s), np.int32).reshape(9, 9) for s in (SUDOKU, SOLVED))
    yield Run({"grid": grid, "cell": 0}, {"grid": solved}, returns=True)


@kernel("searching.py", "collatz", tvm=False)
def collatz(rng):
    for n, steps in ((1, 0), (27, 111), (837799, 524)):
        yield Run({"n": n}, returns=steps)


@kernel("searching.py", "any_and_all")
def any_and_all(rng):
    for n, above in ((1, 3), (700, 255), (700, 254), (2500, 100), (300, 0)):
        a = rng.integers(1, 256, n).astype(np.uint8)
        seen = np.array([above in a, a.max()], np.int32)
        yield Run({"A": a, "above": above, "some": OUT, "every": OUT, "seen": np.zeros(2, np.int32)},
                  {"some": np.array([(a > above).any()]), "every": np.array([(a > above).all()]), "seen": seen})


@kernel("searching.py", "julia")
def julia(rng):
    for h, w in ((1, 1), (9, 14)):
        y, x = np.mgrid[:h, :w]
        z = (2 * x - w) * 1.5 / w + 1j * ((2 * y - h) * 1.5 / h)
        count = np.zeros((h, w), np.int32)
        for _ in range(50):
            inside = z.real ** 2 + z.imag ** 2 <= 4
            count[inside] += 1
            z = np.where(inside, z * z + (-0.7 + 0.27j), z)
        yield Run({"h": h, "w": w, "c_re": -0.7, "c_im": 0.27, "limit": 50, "out": np.zeros((h, w), np.int32)}, {"out": count})
