import numpy as np

from reference import Programs

programs = Programs("wishes.tc")
VECTORS = ["N=1", "N=7", "N=100"]
programs("shifted_right", lambda I: I, ops="0", minima="O: 1")
programs("shifted_left", lambda I: I, ops="0", minima="O: -5")
programs("read_back", lambda I: (I, I[1:] + I[:-1]), ops="1", minima="O: 3; P: 3", sizes=["N=2", "N=7", "N=100"])
programs("inverted", lambda I: I[::-1], ops="0", minima="B: 11-N")
programs("partly", lambda I: I[3:-1], ops="0", minima="O: 3 0", sizes=["N=5 M=1", "N=12 M=9", "N=40 M=33"])
programs("partly_filled", lambda: np.full((4, 17), 3), out="int32", minima="O: 4 3")


@lambda formula: programs("rotated", formula, ops="0", minima="O: 0 20-min(N,20)", sizes=["N=19 M=20", "N=30 M=33", "N=20 M=15"])
def rotated(I):
    N, M = I.shape
    low, extent = 20 - min(N, 20), min(M - 10, 10) + min(N, 20) - 19
    i, j = np.ogrid[:10, low:low + extent]
    return I[10 + i - j, i + j]


programs("minima_in_values", lambda I: I * 100 + np.arange(2, 2 + len(I))[:, None] * 10 + np.arange(-3, -1), out="int32", minima="O: 2 -3")
programs("extents", lambda A, B: np.full(len(B) + 1, A.shape[0] * 100 + A.shape[1] * 10 + len(B)), out="int32")
programs("extent_of_result", lambda A: (A[::2], A[::2] + len(A[::2])), ops="1")
programs("bare_return", lambda A: A * 2, ops="0")
programs("nothing_given", lambda: np.add.outer(np.arange(3) * 10, np.arange(4)), out="int32")
programs("first_few", lambda A, k: A[:k], ops="0", sizes=["N=3", "N=50"], given={"k": lambda rng, s: 3})
programs("every", lambda A, s: A[::s], ops="0", given={"s": lambda rng, s: 3})
programs("from_to", lambda A, a, b: A[a:b], out="double", ops="0", minima="O: a", sizes=["N=9", "N=50"],
         given={"a": lambda rng, s: 2, "b": lambda rng, s: 8})
programs("scaled_by", lambda A, s, t: A * s + int(t), out="int32")
programs("twice", lambda a: 2 * a, ops="0")
programs("lets_in_lets", lambda A: A**4 + 1 + A**2, ops="64")
programs("let_bounds", lambda A: A[:len(A) // 2] * (len(A) // 2), ops="1", sizes=["N=2", "N=7", "N=100"])
programs("exists_only", lambda a: [4], ops="0")
programs("exists_of_sums", lambda A, B: np.arange(len(A) - len(B) + 1) * len(B), out="int32", sizes=["N=1 K=1", "N=2 K=2", "N=9 K=3"])
programs("counted_by_where", lambda A: A * 3, out="int32", sizes=VECTORS)
programs("let_of_bool", lambda A: np.where((A > 0.25) & (np.arange(len(A)) % 2 == 0), A, -A), ops="0")
programs("remainder_index", lambda a: a[np.arange(len(a)) % 3], ops="0", sizes=["N=3", "N=8", "N=100"])
programs("halves_index", lambda A: A[(np.arange(len(A))**2 + 1) % len(A)], ops="0")
programs("nested_sums", lambda I, A: sum(A[(I + k) % len(A)] for k in range(3)), ops="3")
programs("number_theory", lambda c: [sum(int(c[k]) for k in range(1, min(n + 1, len(c))) if n % k == 0) for n in range(1, 20)], out="int32",
         minima="D: 1", sizes=["C=2", "C=9", "C=40"])
programs("lazy", lambda A, I: np.where((I >= 0) & (I < len(A)), A[np.clip(I, 0, len(A) - 1)], -1), ops="0", sizes=VECTORS)
programs("lazy_or", lambda A, B: (B == 0) | (A // np.where(B == 0, 1, B) > 2), out="int32", sizes=VECTORS)
programs("guarded_division", lambda A, B: np.where(B != 0, A // np.where(B == 0, 1, B), -1), out="int32", sizes=VECTORS)
programs("padded", lambda A: np.pad(A, ((2, 2), (1, 1)), constant_values=-1), ops="0")
programs("padded_by", lambda A, v: np.pad(A * 2, 3, constant_values=v), out="int32", sizes=VECTORS)
programs("padded_neighbours", lambda A: np.convolve(A, [1, 1, 1], "full")[1:-1], ops="2")
programs("padded_by_neighbour", lambda A: np.append(A[1:], A[-1]), ops="0")
programs("kept_inside", lambda A: A / A.sum(), ops="2*N+8", given={"A": lambda rng, s: rng.uniform(1, 2, s["N"])})
programs("rewritten", lambda A: np.maximum((A + 1) * 3 - A, 4), out="int32", sizes=VECTORS)
programs("empty_list", lambda a, b: a * b, ops="1")
programs("library_call", lambda A, B: A @ B, ops="2*K")
