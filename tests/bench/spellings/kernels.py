"""The kernels that are spelled in many ways, each described once.

A step is "AXES | ASSIGNMENTS" or "AXES | ASSIGNMENTS | GUARD": the axes with their extents, outermost first; what is done
for each iteration; and when. An axis that stands in no index of what is assigned is one of reduction: `+=` begins with 0,
`max=` with the lowest float, and the iterations of these axes keep their order in each spelling. Values, indices and
conditions are Python's expressions; a value `A if C else B` is a guard as well. Sizes are names in extents and shapes."""

import dataclasses
import types
from collections.abc import Callable

import numpy as np

LOWEST = float(np.finfo(np.float32).min)


@dataclasses.dataclass
class Kernel:
    name: str
    sizes: dict  # what is timed
    small: dict  # what the quick checks take
    inputs: str  # "A[m, k] B[k, n]"; of floats, where the name is in capitals, and of indices below `below` else
    outputs: str
    steps: list
    expected: Callable  # the outputs of float64 inputs, and of sizes as attributes
    temporaries: str = ""
    below: str = ""  # what the elements of input indices are below
    whole: bool = False  # what is guarded may be evaluated where the guard does not hold: it may be a Select


def windows(data, shape, axes, step=1):
    """Windows of a shape over some axes, at each `step`-th place; the axes within the windows come last."""
    view = np.lib.stride_tricks.sliding_window_view(data, shape, axes)
    for axis in axes:
        view = np.take(view, np.arange(0, view.shape[axis], step), axis)
    return view


def exponentials(x):
    power = np.exp(x - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


def normalised(x, gain, bias):
    center = x - x.mean(1, keepdims=True)
    return center / np.sqrt((center * center).mean(1, keepdims=True) + 1e-5) * gain + bias


def gelu(x):
    return x * 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def inner(n):
    """Of n elements, those that are neither the first nor the last."""
    return (np.arange(n) > 0) & (np.arange(n) < n - 1)


def im2col(x, s):
    return windows(x, (3, 3), (0, 1)).transpose(0, 1, 3, 4, 2).reshape(s.h, s.w, 9 * s.c)


def band_of_scores(q, k, n):
    """Row i's products with the rows i, i - 1, .. of the other matrix, n of them."""
    scores = np.zeros((len(q), n))
    for r in range(min(n, len(q))):
        scores[r:, r] = (q[r:] * k[:len(q) - r]).sum(1)
    return scores


def dilated(x, r, s):
    """What a tap of a 3 x 3 window with holes sees of an image with zeros around it."""
    height, width = x.shape[1:]
    return np.pad(x, ((0, 0), (2, 2), (2, 2)))[:, 2 * r:2 * r + height, 2 * s:2 * s + width]


def doubled(x):
    """An image of twice the height and width, with what is between two pixels halfway between their values."""
    for axis in (0, 1):
        following = np.take(x, np.minimum(np.arange(x.shape[axis]) + 1, x.shape[axis] - 1), axis)
        x = np.stack((x, (x + following) / 2), axis + 1).reshape(*x.shape[:axis], 2 * x.shape[axis], *x.shape[axis + 1:])
    return x


def attended(q, k, v):
    """What heads read of a cache whose heads four of them share."""
    return np.einsum("aj,jae->ae", exponentials(np.einsum("ae,jae->aj", q, k.repeat(4, 1)) * 0.125), v.repeat(4, 1))


def least(d):
    return d.min(1), d.argmin(1)


def turned(x, c, s):
    even, odd = x[..., ::2], x[..., 1::2]
    return np.stack((even * c[:, None] - odd * s[:, None], even * s[:, None] + odd * c[:, None]), -1).reshape(x.shape)


KERNELS = [
    Kernel("conv1d", dict(n=128, c=16, f=32), dict(n=13, c=3, f=5), "X[n + 4, c] W[5, c, f]", "Y[n, f]",
           ["x:n o:f r:5 i:c | Y[x, o] += X[x + r, i] * W[r, i, o]"],
           lambda s, x, w: np.einsum("xir,rio->xo", windows(x, 5, (0,)), w)),
    Kernel("conv2d", dict(h=16, w=16, c=16, f=16), dict(h=5, w=7, c=3, f=4), "X[h + 2, w + 2, c] W[3, 3, c, f]",
           "Y[h, w, f]", ["y:h x:w o:f r:3 s:3 i:c | Y[y, x, o] += X[y + r, x + s, i] * W[r, s, i, o]"],
           lambda s, x, w: np.einsum("yxirs,rsio->yxo", windows(x, (3, 3), (0, 1)), w)),
    Kernel("conv2d_padded", dict(h=16, w=16, c=16, f=16), dict(h=5, w=7, c=3, f=4), "X[h, w, c] W[3, 3, c, f]",
           "Y[h, w, f]",
           ["y:h x:w o:f r:3 s:3 i:c | Y[y, x, o] += X[y + r - 1, x + s - 1, i] * W[r, s, i, o]"
            " | y + r >= 1 and y + r <= h and x + s >= 1 and x + s <= w"],
           lambda s, x, w: np.einsum("yxirs,rsio->yxo",
                                     windows(np.pad(x, ((1, 1), (1, 1), (0, 0))), (3, 3), (0, 1)), w)),
    Kernel("conv2d_strided", dict(h=14, w=14, c=8, f=16), dict(h=3, w=5, c=3, f=4),
           "X[c, 2 * h + 1, 2 * w + 1] W[f, c, 3, 3]", "Y[f, h, w]",
           ["o:f y:h x:w i:c r:3 s:3 | Y[o, y, x] += X[i, 2 * y + r, 2 * x + s] * W[o, i, r, s]"],
           lambda s, x, w: np.einsum("iyxrs,oirs->oyx", windows(x, (3, 3), (1, 2), 2), w)),
    Kernel("conv2d_groups", dict(g=8, c=8, h=14, w=14), dict(g=2, c=3, h=4, w=5),
           "X[g, c, h + 2, w + 2] W[g, c, c, 3, 3]", "Y[g, c, h, w]",
           ["b:g o:c y:h x:w i:c r:3 s:3 | Y[b, o, y, x] += X[b, i, y + r, x + s] * W[b, o, i, r, s]"],
           lambda s, x, w: np.einsum("giyxrs,goirs->goyx", windows(x, (3, 3), (2, 3)), w)),
    Kernel("conv3d", dict(c=4, d=6, h=8, w=8, f=8), dict(c=2, d=3, h=4, w=5, f=3),
           "X[c, d + 2, h + 2, w + 2] W[f, c, 3, 3, 3]", "Y[f, d, h, w]",
           ["o:f z:d y:h x:w i:c q:3 r:3 s:3 | Y[o, z, y, x] += X[i, z + q, y + r, x + s] * W[o, i, q, r, s]"],
           lambda s, x, w: np.einsum("izyxqrs,oiqrs->ozyx", windows(x, (3, 3, 3), (1, 2, 3)), w)),
    Kernel("depthwise", dict(h=24, w=24, c=32), dict(h=5, w=7, c=5), "X[h + 2, w + 2, c] W[3, 3, c]", "Y[h, w, c]",
           ["y:h x:w o:c r:3 s:3 | Y[y, x, o] += X[y + r, x + s, o] * W[r, s, o]"],
           lambda s, x, w: np.einsum("yxors,rso->yxo", windows(x, (3, 3), (0, 1)), w)),
    Kernel("im2col", dict(h=24, w=24, c=16), dict(h=5, w=7, c=3), "X[h + 2, w + 2, c]", "P[h, w, 9 * c]",
           ["y:h x:w r:3 s:3 i:c | P[y, x, (r * 3 + s) * c + i] = X[y + r, x + s, i]"],
           lambda s, x: im2col(x, s)),
    Kernel("matmul", dict(m=96, n=96, k=96), dict(m=7, n=13, k=9), "A[m, k] B[k, n]", "C[m, n]",
           ["i:m j:n p:k | C[i, j] += A[i, p] * B[p, j]"], lambda s, a, b: a @ b),
    Kernel("matvec", dict(m=256, k=256), dict(m=7, k=37), "A[m, k] X[k]", "Y[m]",
           ["i:m p:k | Y[i] += A[i, p] * X[p]"], lambda s, a, x: a @ x),
    Kernel("batched_matmul", dict(b=8, m=40, n=40, k=40), dict(b=2, m=5, n=7, k=9), "A[b, m, k] B[b, k, n]",
           "C[b, m, n]", ["s:b i:m j:n p:k | C[s, i, j] += A[s, i, p] * B[s, p, j]"], lambda s, a, b: a @ b),
    Kernel("attention_scores", dict(g=4, n=64, d=32), dict(g=2, n=7, d=5), "Q[g, n, d] K[g, n, d]", "S[g, n, n]",
           ["a:g i:n j:n e:d | S[a, i, j] += Q[a, i, e] * K[a, j, e]",
            "a:g i:n j:n | S[a, i, j] = S[a, i, j] * 0.125"],
           lambda s, q, k: np.einsum("aie,aje->aij", q, k) * 0.125),
    Kernel("causal_scores", dict(g=4, n=64, d=32), dict(g=2, n=7, d=5), "Q[g, n, d] K[g, n, d]", "S[g, n, n]",
           ["a:g i:n j:n e:d | S[a, i, j] += Q[a, i, e] * K[a, j, e]",
            "a:g i:n j:n | S[a, i, j] = S[a, i, j] * 0.125 if j <= i else -1e9"],
           lambda s, q, k: np.where(np.tri(s.n, dtype=bool), np.einsum("aie,aje->aij", q, k) * 0.125, -1e9),
           whole=True),
    Kernel("banded_scores", dict(n=160, d=32), dict(n=9, d=5), "Q[n, d] K[n, d]", "S[n, n]",
           ["i:n j:n e:d | S[i, j] += Q[i, e] * K[j, e] | j <= i and i - j < 24"],
           lambda s, q, k: np.where(np.tri(s.n, dtype=bool) & ~np.tri(s.n, k=-24, dtype=bool), q @ k.T, 0), whole=True),
    Kernel("attention_values", dict(g=4, n=64, d=32), dict(g=2, n=7, d=5), "P[n, g, n] V[n, g, d]", "O[n, g, d]",
           ["i:n a:g e:d j:n | O[i, a, e] += P[i, a, j] * V[j, a, e]"],
           lambda s, p, v: np.einsum("iaj,jae->iae", p, v)),
    Kernel("triangular_matmul", dict(m=96, n=96), dict(m=7, n=13), "L[m, m] B[m, n]", "C[m, n]",
           ["i:m j:n p:m | C[i, j] += L[i, p] * B[p, j] | p <= i"], lambda s, l, b: np.tril(l) @ b, whole=True),
    Kernel("triangular_matvec", dict(m=256), dict(m=37), "L[m, m] X[m]", "Y[m]",
           ["i:m j:m | Y[i] += L[i, j] * X[j] | j <= i"], lambda s, l, x: np.tril(l) @ x, whole=True),
    Kernel("outer_product", dict(m=200, n=240), dict(m=7, n=13), "X[m] Y[n]", "A[m, n]",
           ["i:m j:n | A[i, j] = X[i] * Y[j]"], lambda s, x, y: np.outer(x, y)),
    Kernel("softmax", dict(n=64, m=256), dict(n=7, m=37), "X[n, m]", "Y[n, m]",
           ["i:n j:m | M[i] max= X[i, j]", "i:n j:m | Y[i, j] = exp(X[i, j] - M[i])", "i:n j:m | S[i] += Y[i, j]",
            "i:n j:m | Y[i, j] = Y[i, j] / S[i]"], lambda s, x: exponentials(x), temporaries="M[n] S[n]"),
    Kernel("layer_norm", dict(n=64, m=256), dict(n=7, m=37), "X[n, m] G[m] B[m]", "Y[n, m]",
           ["i:n j:m | S[i] += X[i, j]", "i:n | S[i] = S[i] / float(m)",
            "i:n j:m | V[i] += (X[i, j] - S[i]) * (X[i, j] - S[i])",
            "i:n j:m | Y[i, j] = (X[i, j] - S[i]) / sqrt(V[i] / float(m) + 1e-5) * G[j] + B[j]"],
           lambda s, x, g, b: normalised(x, g, b), temporaries="S[n] V[n]"),
    Kernel("batch_norm_relu", dict(c=32, h=28, w=28), dict(c=5, h=3, w=7), "X[c, h, w] U[c] V[c] G[c] B[c]",
           "Y[c, h, w]",
           ["o:c y:h x:w | Y[o, y, x] = max((X[o, y, x] - U[o]) / sqrt(V[o] * V[o] + 1e-5) * G[o] + B[o], 0)"],
           lambda s, x, u, v, g, b: np.maximum(
               ((x.T - u) / np.sqrt(v * v + 1e-5) * g + b).T, 0)),
    Kernel("blur", dict(h=126, w=126), dict(h=5, w=13), "X[h + 2, w + 2]", "Y[h, w]",
           ["y:h x:w | Y[y, x] = (X[y, x] + X[y, x + 1] + X[y, x + 2] + X[y + 1, x] + X[y + 1, x + 1]"
            " + X[y + 1, x + 2] + X[y + 2, x] + X[y + 2, x + 1] + X[y + 2, x + 2]) * 0.11111111"],
           lambda s, x: windows(x, (3, 3), (0, 1)).sum((2, 3)) * 0.11111111),
    Kernel("blur_clamped", dict(h=96, w=96), dict(h=5, w=13), "X[h, w]", "Y[h, w]",
           ["y:h x:w r:3 s:3 | Y[y, x] += X[min(max(y + r - 1, 0), h - 1), min(max(x + s - 1, 0), w - 1)]"],
           lambda s, x: windows(np.pad(x, 1, "edge"), (3, 3), (0, 1)).sum((2, 3))),
    Kernel("jacobi", dict(h=128, w=128), dict(h=5, w=13), "X[h, w]", "Y[h, w]",
           ["i:h j:w | Y[i, j] = 0.2 * (X[i, j] + X[i, j - 1] + X[i, j + 1] + X[i - 1, j] + X[i + 1, j])"
            " if i >= 1 and i < h - 1 and j >= 1 and j < w - 1 else X[i, j]"],
           lambda s, x: np.where(np.outer(inner(s.h), inner(s.w)),
                                 0.2 * (x + np.roll(x, 1, 1) + np.roll(x, -1, 1) + np.roll(x, 1, 0)
                                        + np.roll(x, -1, 0)), x)),
    Kernel("upsampling", dict(h=24, w=24, c=16), dict(h=3, w=5, c=3), "X[h, w, c]", "Y[2 * h, 2 * w, c]",
           ["y:2*h x:2*w o:c | Y[y, x, o] = X[y // 2, x // 2, o]"], lambda s, x: x.repeat(2, 0).repeat(2, 1)),
    Kernel("transpose", dict(m=160, n=200), dict(m=7, n=13), "A[m, n]", "B[n, m]",
           ["i:n j:m | B[i, j] = A[j, i]"], lambda s, a: a.T),
    Kernel("packed_layout", dict(q=4, h=28, w=28), dict(q=2, h=3, w=5), "X[8 * q, h, w]", "Y[q, h, w, 8]",
           ["o:q y:h x:w i:8 | Y[o, y, x, i] = X[o * 8 + i, y, x]"],
           lambda s, x: x.reshape(s.q, 8, s.h, s.w).transpose(0, 2, 3, 1)),
    Kernel("pad", dict(h=120, w=120), dict(h=5, w=13), "X[h, w]", "Y[h + 4, w + 6]",
           ["i:h+4 j:w+6 | Y[i, j] = X[i - 2, j - 3] if i >= 2 and i < h + 2 and j >= 3 and j < w + 3 else 0"],
           lambda s, x: np.pad(x, ((2, 2), (3, 3)))),
    Kernel("concat", dict(n=96, p=40, q=72), dict(n=5, p=7, q=4), "A[n, p] B[n, q]", "C[n, p + q]",
           ["i:n j:p+q | C[i, j] = A[i, j] if j < p else B[i, j - p]"], lambda s, a, b: np.concatenate((a, b), 1)),
    Kernel("row_sums", dict(n=96, m=200), dict(n=7, m=37), "X[n, m]", "Y[n]", ["i:n j:m | Y[i] += X[i, j]"],
           lambda s, x: x.sum(1)),
    Kernel("column_sums", dict(n=200, m=96), dict(n=7, m=37), "X[n, m]", "Y[m]", ["j:m i:n | Y[j] += X[i, j]"],
           lambda s, x: x.sum(0)),
    Kernel("argmax", dict(n=96, m=128), dict(n=7, m=37), "X[n, m]", "V[n] at[n]",
           [f"i:n | V[i] = {LOWEST}; at[i] = 0", "i:n j:m | at[i] = j; V[i] = X[i, j] | X[i, j] > V[i]"],
           lambda s, x: (x.max(1), x.argmax(1)), whole=True),
    Kernel("cumulative_sum", dict(n=96, m=128), dict(n=7, m=37), "X[n, m]", "Y[n, m]",
           ["i:n >j:m | Y[i, j] = Y[i, j - 1] + X[i, j] if j > 0 else X[i, j]"], lambda s, x: x.cumsum(1)),
    Kernel("max_pool", dict(h=24, w=24, c=32), dict(h=3, w=5, c=5), "X[2 * h + 1, 2 * w + 1, c]", "Y[h, w, c]",
           ["y:h x:w o:c r:3 s:3 | Y[y, x, o] max= X[2 * y + r, 2 * x + s, o]"],
           lambda s, x: windows(x, (3, 3), (0, 1), 2).max((3, 4))),
    Kernel("gather_rows", dict(n=200, v=300, d=64), dict(n=7, v=11, d=5), "X[v, d] ids[n]", "Y[n, d]",
           ["i:n j:d | Y[i, j] = X[ids[i], j]"], lambda s, x, ids: x[ids], below="v"),
    Kernel("elementwise_chain", dict(m=100, n=200), dict(m=7, n=13), "X[m, n] Y[m, n]", "Z[m, n]",
           ["i:m j:n | R[i, j] = X[i, j] * 0.5 + Y[i, j]", "i:m j:n | U[i, j] = max(R[i, j], 0)",
            "i:m j:n | Z[i, j] = U[i, j] * U[i, j] - X[i, j]"],
           lambda s, x, y: np.maximum(x * 0.5 + y, 0)**2 - x, temporaries="R[m, n] U[m, n]"),
    Kernel("bias_gelu", dict(m=64, n=128), dict(m=7, n=13), "X[m, n] B[n]", "Y[m, n]",
           ["i:m j:n | R[i, j] = X[i, j] + B[j]",
            "i:m j:n | Y[i, j] = R[i, j] * 0.5"
            " * (1 + tanh(0.7978845608 * (R[i, j] + 0.044715 * R[i, j] * R[i, j] * R[i, j])))"],
           lambda s, x, b: gelu(x + b), temporaries="R[m, n]"),
    Kernel("rotary", dict(n=64, g=4, d=32), dict(n=3, g=2, d=5), "X[n, g, 2 * d] C[n, d] S[n, d]", "Y[n, g, 2 * d]",
           ["t:n a:g e:d | Y[t, a, e] = X[t, a, e] * C[t, e] - X[t, a, e + d] * S[t, e]",
            "t:n a:g e:d | Y[t, a, e + d] = X[t, a, e] * S[t, e] + X[t, a, e + d] * C[t, e]"],
           lambda s, x, c, i: np.concatenate((x[..., :s.d] * c[:, None] - x[..., s.d:] * i[:, None],
                                              x[..., :s.d] * i[:, None] + x[..., s.d:] * c[:, None]), 2)),
    Kernel("group_norm", dict(g=8, c=4, h=16, w=16), dict(g=2, c=3, h=4, w=5), "X[g, c, h, w] G[g, c] B[g, c]",
           "Y[g, c, h, w]",
           ["b:g o:c y:h x:w | S[b] += X[b, o, y, x]", "b:g | S[b] = S[b] / (float(c) * float(h) * float(w))",
            "b:g o:c y:h x:w | V[b] += (X[b, o, y, x] - S[b]) * (X[b, o, y, x] - S[b])",
            "b:g | V[b] = sqrt(V[b] / (float(c) * float(h) * float(w)) + 1e-5)",
            "b:g o:c y:h x:w | Y[b, o, y, x] = (X[b, o, y, x] - S[b]) / V[b] * G[b, o] + B[b, o]"],
           lambda s, x, g, b: ((x - x.mean((1, 2, 3), keepdims=True)) / np.sqrt(x.var((1, 2, 3), keepdims=True) + 1e-5)
                               * g[..., None, None] + b[..., None, None]), temporaries="S[g] V[g]"),
    Kernel("squeeze_excite", dict(c=32, h=20, w=20), dict(c=5, h=3, w=4), "X[c, h, w] W[c, c]", "Y[c, h, w]",
           ["i:c y:h x:w | M[i] += X[i, y, x]", "o:c i:c | E[o] += W[o, i] * M[i]",
            "o:c | E[o] = max(E[o] / (float(h) * float(w)), 0)",
            "o:c y:h x:w | Y[o, y, x] = X[o, y, x] * E[o]"],
           lambda s, x, w: x * np.maximum(w @ x.sum((1, 2)) / (s.h * s.w), 0)[:, None, None], temporaries="M[c] E[c]"),
    Kernel("average_pool_padded", dict(c=16, h=24, w=24), dict(c=2, h=4, w=5), "X[c, h, w]", "Y[c, h, w]",
           ["o:c y:h x:w r:3 s:3 | Y[o, y, x] += X[o, y + r - 1, x + s - 1]"
            " | y + r >= 1 and y + r <= h and x + s >= 1 and x + s <= w",
            "o:c y:h x:w | Y[o, y, x] = Y[o, y, x] * 0.11111111"],
           lambda s, x: windows(np.pad(x, ((0, 0), (1, 1), (1, 1))), (3, 3), (1, 2)).sum((3, 4)) * 0.11111111),
    Kernel("pixel_shuffle", dict(c=8, h=24, w=24), dict(c=2, h=3, w=5), "X[4 * c, h, w]", "Y[c, 2 * h, 2 * w]",
           ["o:c y:2*h x:2*w | Y[o, y, x] = X[(o * 2 + y % 2) * 2 + x % 2, y // 2, x // 2]"],
           lambda s, x: x.reshape(s.c, 2, 2, s.h, s.w).transpose(0, 3, 1, 4, 2).reshape(s.c, 2 * s.h, 2 * s.w)),
    Kernel("grouped_products", dict(n=96, b=12, e=32), dict(n=5, b=3, e=4), "W[n, b, e] X[b, e] V[n, b]", "Y[n]",
           ["i:n g:b j:e | S[i, g] += W[i, g, j] * X[g, j]", "i:n g:b | Y[i] += S[i, g] * V[i, g]"],
           lambda s, w, x, v: (np.einsum("igj,gj->ig", w, x) * v).sum(1), temporaries="S[n, b]"),
    Kernel("covariance", dict(n=200, d=40), dict(n=9, d=5), "X[n, d]", "C[d, d]",
           ["o:d i:n | M[o] += X[i, o]", "o:d | M[o] = M[o] / float(n)",
            "j:d k:d i:n | C[j, k] += (X[i, j] - M[j]) * (X[i, k] - M[k])"],
           lambda s, x: (x - x.mean(0)).T @ (x - x.mean(0)), temporaries="M[d]"),
    Kernel("distances", dict(m=64, n=64, d=16), dict(m=5, n=7, d=3), "A[m, d] B[n, d]", "D[m, n]",
           ["i:m j:n k:d | D[i, j] += (A[i, k] - B[j, k]) * (A[i, k] - B[j, k])", "i:m j:n | D[i, j] = sqrt(D[i, j])"],
           lambda s, a, b: np.sqrt(((a[:, None] - b) ** 2).sum(2))),
    Kernel("column_prefix", dict(n=128, m=96), dict(n=9, m=13), "X[n, m]", "Y[n, m]",
           [">i:n j:m | Y[i, j] = Y[i - 1, j] + X[i, j] if i > 0 else X[i, j]"], lambda s, x: x.cumsum(0)),
    Kernel("filter", dict(n=4000, k=31), dict(n=37, k=5), "X[n + k] H[k]", "Y[n]",
           ["i:n j:k | Y[i] += X[i + j] * H[j]"], lambda s, x, h: windows(x, s.k, (0,))[:s.n] @ h),
    Kernel("sums_and_shift", dict(h=64, w=64), dict(h=5, w=7), "X[h + 2, w + 2] Y[h + 2, w + 2]", "Z[h, w]",
           ["y:h x:w r:3 s:3 | P[y, x] += X[y + r, x + s] * X[y + r, x + s]",
            "y:h x:w r:3 s:3 | Q[y, x] += X[y + r, x + s] * Y[y + r, x + s]",
            "y:h x:w | Z[y, x] = P[y, x] * Q[y, x] - 0.04 * P[y, x]"],
           lambda s, x, y: windows(x * x, (3, 3), (0, 1)).sum((2, 3)) * windows(x * y, (3, 3), (0, 1)).sum((2, 3))
           - 0.04 * windows(x * x, (3, 3), (0, 1)).sum((2, 3)), temporaries="P[h, w] Q[h, w]"),
    Kernel("conv2d_dilated", dict(h=16, w=16, c=8, f=16), dict(h=5, w=7, c=3, f=4), "X[c, h, w] W[f, c, 3, 3]",
           "Y[f, h, w]",
           ["o:f y:h x:w i:c r:3 s:3 | Y[o, y, x] += X[i, y + 2 * r - 2, x + 2 * s - 2] * W[o, i, r, s]"
            " | y + 2 * r >= 2 and y + 2 * r < h + 2 and x + 2 * s >= 2 and x + 2 * s < w + 2"],
           lambda s, x, w: sum(np.einsum("iyx,oi->oyx", dilated(x, r, q), w[:, :, r, q])
                               for r in range(3) for q in range(3))),
    Kernel("banded_matvec", dict(n=1000), dict(n=13), "A[n, 9] X[n]", "Y[n]",
           ["i:n r:9 | Y[i] += X[i + r - 4] * A[i, r] | i + r >= 4 and i + r < n + 4"],
           lambda s, a, x: (a * windows(np.pad(x, 4), 9, (0,))).sum(1)),
    Kernel("window_scores", dict(n=200, w=32, d=32), dict(n=9, w=4, d=5), "Q[n, d] K[n, d]", "S[n, w]",
           ["i:n r:w e:d | S[i, r] += K[i - r, e] * Q[i, e] | i >= r"], lambda s, q, k: band_of_scores(q, k, s.w)),
    Kernel("response_norm", dict(c=24, h=20, w=20), dict(c=5, h=3, w=4), "X[c, h, w]", "Y[c, h, w]",
           ["y:h o:c x:w | Q[o, y, x] = X[o, y, x] * X[o, y, x]",
            "o:c y:h x:w r:5 | S[o, y, x] += Q[o + r - 2, y, x] | o + r >= 2 and o + r < c + 2",
            "o:c y:h x:w | Y[o, y, x] = X[o, y, x] / sqrt(1.0 + S[o, y, x] * 0.01)"],
           lambda s, x: x / np.sqrt(1 + windows(np.pad(x * x, ((2, 2), (0, 0), (0, 0))), 5, (0,)).sum(3) * 0.01),
           temporaries="Q[c, h, w] S[c, h, w]"),
    Kernel("log_likelihood", dict(n=64, m=256), dict(n=5, m=37), "X[n, m] ids[n]", "L[n]",
           ["i:n j:m | M[i] max= X[i, j]", "i:n j:m | S[i] += exp(X[i, j] - M[i])",
            "i:n | L[i] = M[i] + log(S[i]) - X[i, ids[i]]"],
           lambda s, x, ids: -np.log(exponentials(x)[np.arange(s.n), ids]), temporaries="M[n] S[n]", below="m"),
    Kernel("grouped_heads", dict(h=4, n=200, d=32), dict(h=2, n=7, d=5), "Q[4 * h, d] K[n, h, d] V[n, h, d]",
           "O[4 * h, d]",
           ["a:4*h j:n e:d | S[a, j] += Q[a, e] * K[j, a // 4, e]", "a:4*h j:n | M[a] max= S[a, j] * 0.125",
            "a:4*h j:n | S[a, j] = exp(S[a, j] * 0.125 - M[a])", "a:4*h j:n | Z[a] += S[a, j]",
            "a:4*h e:d j:n | O[a, e] += S[a, j] / Z[a] * V[j, a // 4, e]"],
           lambda s, q, k, v: attended(q, k, v), temporaries="S[4 * h, n] M[4 * h] Z[4 * h]"),
    Kernel("rotary_pairs", dict(n=64, g=4, d=16), dict(n=3, g=2, d=5), "X[n, g, 2 * d] C[n, d] S[n, d]",
           "Y[n, g, 2 * d]",
           ["t:n a:g e:d | Y[t, a, 2 * e] = X[t, a, 2 * e] * C[t, e] - X[t, a, 2 * e + 1] * S[t, e];"
            " Y[t, a, 2 * e + 1] = X[t, a, 2 * e] * S[t, e] + X[t, a, 2 * e + 1] * C[t, e]"],
           lambda s, x, c, i: turned(x, c, i)),
    Kernel("bags_of_rows", dict(n=64, k=8, v=200, d=64), dict(n=5, k=3, v=11, d=5), "X[v, d] W[n, k] ids[n, k]",
           "Y[n, d]", ["b:n j:d r:k | Y[b, j] += X[ids[b, r], j] * W[b, r]"],
           lambda s, x, w, ids: np.einsum("brj,br->bj", x[ids], w), below="v"),
    Kernel("sparse_product", dict(n=100, k=8, m=100, d=32), dict(n=9, k=3, m=7, d=5), "V[n, k] X[m, d] ids[n, k]",
           "Y[n, d]", ["i:n r:k j:d | Y[i, j] += V[i, r] * X[ids[i, r], j]"],
           lambda s, v, x, ids: np.einsum("ir,irj->ij", v, x[ids]), below="m"),
    Kernel("linear_resizing", dict(h=24, w=24, c=16), dict(h=3, w=5, c=3), "X[h, w, c]", "Y[2 * h, 2 * w, c]",
           ["y:2*h x:2*w o:c | Y[y, x, o] ="
            " (X[y // 2, x // 2, o] * (0.5 if x % 2 == 1 else 1)"
            " + X[y // 2, min(x // 2 + 1, w - 1), o] * (0.5 if x % 2 == 1 else 0)) * (0.5 if y % 2 == 1 else 1)"
            " + (X[min(y // 2 + 1, h - 1), x // 2, o] * (0.5 if x % 2 == 1 else 1)"
            " + X[min(y // 2 + 1, h - 1), min(x // 2 + 1, w - 1), o] * (0.5 if x % 2 == 1 else 0))"
            " * (0.5 if y % 2 == 1 else 0)"], lambda s, x: doubled(x)),
    Kernel("pad_mirrored", dict(h=96, w=96), dict(h=5, w=13), "X[h, w]", "Y[h + 2, w + 2]",
           ["i:h+2 j:w+2 | Y[i, j] = X[min(max(i - 1, 0 - i), 2 * h - i), min(max(j - 1, 0 - j), 2 * w - j)]"],
           lambda s, x: np.pad(x, 1, "symmetric")),
    Kernel("tile", dict(h=40, w=40), dict(h=3, w=5), "X[h, w]", "Y[2 * h, 3 * w]",
           ["i:2*h j:3*w | Y[i, j] = X[i % h, j % w]"], lambda s, x: np.tile(x, (2, 3))),
    Kernel("nearest", dict(m=64, n=64, d=8), dict(m=5, n=7, d=3), "A[m, d] B[n, d]", "V[m] at[m]",
           ["i:m j:n k:d | D[i, j] += (A[i, k] - B[j, k]) * (A[i, k] - B[j, k])", "i:m | V[i] = 1e30; at[i] = 0",
            "i:m j:n | at[i] = j; V[i] = D[i, j] | D[i, j] < V[i]"],
           lambda s, a, b: least(((a[:, None] - b)**2).sum(2)), temporaries="D[m, n]", whole=True),
    Kernel("group_norm_last", dict(h=12, w=12, g=8, c=8), dict(h=3, w=4, g=2, c=3), "X[h, w, g, c] G[g, c] B[g, c]",
           "Y[h, w, g, c]",
           ["b:g y:h x:w o:c | S[b] += X[y, x, b, o]; V[b] += X[y, x, b, o] * X[y, x, b, o]",
            "b:g | S[b] = S[b] / (float(c) * float(h) * float(w))",
            "b:g | V[b] = sqrt(V[b] / (float(c) * float(h) * float(w)) - S[b] * S[b] + 1e-5)",
            "y:h x:w b:g o:c | Y[y, x, b, o] = (X[y, x, b, o] - S[b]) / V[b] * G[b, o] + B[b, o]"],
           lambda s, x, g, b: (x - x.mean((0, 1, 3), keepdims=True))
           / np.sqrt(x.var((0, 1, 3), keepdims=True) + 1e-5) * g + b, temporaries="S[g] V[g]"),
]


def inputs_of(kernel, shapes, sizes):
    """Values of the inputs by name, the same at each call; indices as int64."""
    rng = np.random.default_rng(1)
    return {name: rng.uniform(-1, 1, shapes[name]).astype(np.float32) if name.isupper() else
            rng.integers(0, sizes[kernel.below], shapes[name]) for name in shapes}


def expected_of(kernel, inputs, sizes):
    """The outputs in order, computed by NumPy in float64."""
    given = [value.astype(np.float64) if value.dtype.kind == "f" else value for value in inputs.values()]
    result = kernel.expected(types.SimpleNamespace(**sizes), *given)
    return result if isinstance(result, tuple) else (result,)
