"""Cases of guards.py: what only some iterations may compute."""

import numpy as np

from cases import OUT, Run, f32, f64, kernel, narrow


@kernel("guards.py", "sample")
def sample(rng):
    a = f32(rng, 3, 21, 19)
    y, x = narrow(rng.random((33, 70)) * 30 - 4), narrow(rng.random((33, 70)) * 30 - 5)
    y[3, 5], x[7, 1] = 1e30, np.nan
    i = np.floor(np.clip(y, -9, 99)).astype(int)
    j = np.floor(np.nan_to_num(np.clip(x, -9, 99))).astype(int)
    inside = (i >= 0) & (i < 21) & (j >= 0) & (j < 19)
    want = np.where(inside, a[:, np.clip(i, 0, 20), np.clip(j, 0, 18)], np.float32(-1))
    yield Run({"A": a, "Y": y, "X": x, "O": OUT}, {"O": want}, rtol=0, atol=0)


@kernel("guards.py", "known")
def known(rng):
    a, o = f64(rng, 100), f64(rng, 500)
    k, j = rng.integers(-50, 100, 500).astype(np.int32), rng.integers(-100, 100, 9).astype(np.int8)
    want = o.copy()
    for i in np.flatnonzero(k >= 0):
        by = k[i] < 9 and j[k[i]] > 3
        want[i] = a[j[k[i]]] if by else a[k[i]] * 2
    yield Run({"A": a, "K": k, "J": j, "O": o}, {"O": want}, rtol=0, atol=0)


@kernel("guards.py", "ratios")
def ratios(rng):
    a, b = rng.integers(-1000, 1000, (7, 100)).astype(np.int32), rng.integers(-3, 4, 100).astype(np.int32)
    safe = np.where(b == 0, 1, b)
    o = np.where(b != 0, a // safe + a % safe, -1)
    p = np.where((b == 0) | (a % safe == 0), 1, a.astype(np.int64) // (safe.astype(np.int64) * 3000000000))
    yield Run({"A": a, "B": b, "O": OUT, "P": OUT}, {"O": o.astype(np.int32), "P": p})


@kernel("guards.py", "digits")
def digits(rng):
    a, c = f32(rng, 8, 33), np.argsort(rng.random((8, 32)))[:, :20]
    o, flat = np.zeros((8, 33), np.float32), a.reshape(-1)
    np.put_along_axis(o, c, a[:, :20], 1)
    yield Run({"A": a, "C": c, "O": np.zeros((8, 33), np.float32), "P": OUT}, {"O": o, "P": flat[c * 8 + np.arange(8)[:, None]]}, rtol=0, atol=0)


@kernel("guards.py", "leaky")
def leaky(rng):
    a = f32(rng, 7, 33)
    a[2, 3:6] = np.array([0xFFC12345, 0x7FC00000, 0x80000000], np.uint32).view(np.float32)
    o = np.where(a > 0, a, a * np.float32(0.25))
    yield Run({"A": a, "O": OUT, "P": OUT}, {"O": o, "P": o}, rtol=0, atol=0)


@kernel("guards.py", "named")
def named(rng):
    for h, w, n, m in ((9, 7, 12, 35), (0, 7, 5, 40), (9, 0, 5, 40), (4, 3, 0, 8), (1, 1, 3, 1)):
        a, o = f32(rng, h, w), f32(rng, n, m)
        y, x = (rng.integers(-5, size + 5, (n, m)).astype(np.int32) for size in (h, w))
        inside = (y >= 0) & (y < h) & (x >= 0) & (x < w)
        want = np.where(~inside & (y < -2), np.float32(-1), o)
        want[inside] = a[y[inside], x[inside]]
        yield Run({"A": a, "Y": y, "X": x, "O": o}, {"O": want}, rtol=0, atol=0)


@kernel("guards.py", "window")
def window(rng):
    for h, w in ((1, 1), (2, 3), (11, 70), (0, 4)):
        a = rng.integers(0, 256, (h, w)).astype(np.uint8)
        far = np.pad(a, ((1, 1), (2, 2)), constant_values=255)
        want = np.min([far[p : p + h, q : q + w] for p in range(3) for q in range(5)], axis=0)
        yield Run({"A": a, "O": OUT}, {"O": want})


@kernel("guards.py", "corners")
def corners(rng):
    for h, w in ((1, 1), (1, 2), (2, 1), (7, 45)):
        a = f32(rng, h, w)
        d = np.zeros_like(a)
        for i, j in np.ndindex(h, w):
            if i == 0 and j == 0:
                d[i, j] = a[0, 1] if w > 1 else 3
            elif i == 0:
                d[i, j] = a[i, j - 1]
            elif j == 0 or i == h - 1:
                d[i, j] = a[i - 1, j] - a[i, j]
            else:
                d[i, j] = a[i + 1, j] + a[i, j - 1]
        yield Run({"A": a, "O": OUT}, {"O": a + d}, rtol=0, atol=0)


@kernel("guards.py", "edges")
def edges(rng):
    for n, m in ((50, 9), (7, 0), (1, 1)):
        number = rng.integers(-3, max(m, 0), n).astype(np.int32)
        v, o = f32(rng, m, 3), f32(rng, 3, n)
        want = o.copy()
        want[:, number >= 0] += v[number[number >= 0]].T
        want[:2, number < 0] = np.array([[0], [1]], np.float32)
        yield Run({"N": number, "V": v, "O": o}, {"O": want}, rtol=0, atol=0)
