import numpy as np

from reference import Programs

programs = Programs("tables.tc")


def below(size, *shape, less=0):
    """Indices of an array of extent `size`."""
    return lambda rng, s: rng.integers(0, s[size] - less, tuple(s[extent] for extent in shape))


BAGS = ["E=1 D=1 B=1 L=1", "E=9 D=5 B=3 L=4", "E=100 D=33 B=8 L=12"]
programs("lut_1", lambda LUT, I: LUT[I].sum(1), ops="L", sizes=BAGS, given={"I": below("E", "B", "L")})
programs("lut_2", lambda A, I, B, J: (A[I].sum(1), B[J].sum(1)), ops="L1+L2", given={"I1": below("E1", "B", "L1"), "I2": below("E2", "B", "L2")})
programs("lut_weighted", lambda LUT, I, W: (LUT[I] * W[..., None]).sum(1), ops="2*L", sizes=BAGS, given={"I": below("E", "B", "L")})
programs("lut_shifted", lambda LUT, I: LUT[I + 1].sum(1), ops="L", sizes=["E=2 D=1 B=1 L=1"] + BAGS[1:], given={"I": below("E", "B", "L", less=1)})
programs("lut_max", lambda LUT, I: LUT[I].max(1), ops="0", sizes=BAGS, given={"I": below("E", "B", "L")})
programs("lut_concat", lambda LUT, I, X: np.concatenate((X, LUT[I].sum(1)), 1), ops="L", sizes=[size + " F=3" for size in BAGS], given={"I": below("E", "B", "L")})
programs("rows", lambda X, I: X[I], ops="0", given={"I": below("E", "N")})
programs("elements", lambda X, I: X[I], ops="0", given={"I": below("E", "N", "M")})
programs("element_of_each", lambda X, I: X[np.arange(len(I)), I], ops="0", given={"I": below("E", "N")})
programs("by_pairs", lambda X, Y, Z: X[Y, Z], ops="0", given={"Y": below("H", "N"), "Z": below("W", "N")})
programs("permuted", lambda X, P: X[:, P], ops="0", given={"P": lambda rng, s: rng.permutation(s["M"])})
programs("block_diagonal_permuted", lambda I, W, idx: np.einsum("bnk,nkm->bnm", I, W).reshape(len(I), -1)[:, idx], ops="2*K",
         given={"idx": lambda rng, s: rng.integers(0, s["N"] * s["M"], s["Q"])})
programs("gather_twice", lambda X, J, I: X[J[I]], ops="0", given={"J": below("E", "D"), "I": below("D", "N")})
programs("by_bytes", lambda LUT, A: LUT[A], ops="0", given={"A": lambda rng, s: rng.integers(0, 256, (s["H"], s["W"]))})
programs("by_value", lambda X, A: X[A.astype(int)], ops="0", given={"A": lambda rng, s: rng.random(s["N"]) * (s["E"] - 0.001)})
programs("segments", lambda A, first: np.array([A[a:b].sum(dtype=np.int32) for a, b in zip(first[:-1], first[1:])]), out="int32",
         sizes=["N=1 K=2", "N=9 K=4", "N=200 K=12"], given={"first": lambda rng, s: np.sort(rng.integers(0, s["N"] + 1, s["K"]))})
programs("one_hot", lambda I, classes: np.eye(classes)[I], ops="0", given={"I": lambda rng, s: rng.integers(0, 11, s["N"]), "classes": lambda rng, s: 11})
programs("bin_counts", lambda I, bins: np.bincount(I, minlength=bins), out="int32",
         given={"I": lambda rng, s: rng.integers(0, 11, s["N"]), "bins": lambda rng, s: 11})
programs("distance_tables", lambda C, q: ((C - q[:, None])**2).sum(2), ops="4*D")


def nearest(L, codes):
    S = L[..., np.arange(codes.shape[1]), codes].sum(-1)
    return S, S.min(-1), S.argmin(-1)


programs("min_distance", nearest, out="float float int32", ops="M", sizes=["M=1 K=1 N=1", "M=4 K=5 N=7", "M=8 K=16 N=100"], given={"codes": below("K", "N", "M")})
programs("min_distance_batched", lambda L, codes: nearest(L, codes)[1:], out="float int32", ops="M",
         sizes=["Q=1 M=1 K=1 N=1", "Q=3 M=4 K=5 N=7", "Q=5 M=8 K=16 N=60"], given={"codes": below("K", "N", "M")})


def added_at(into, at, values):
    found = np.array(into)
    np.add.at(found, at, values)
    return found


programs("histogram", lambda im: np.bincount(im.ravel(), minlength=256), sizes=["H=1 W=1", "H=3 W=7", "H=40 W=50"])
programs("histogram_from", lambda A: np.bincount(A, minlength=16), out="int32", sizes=["N=1", "N=7", "N=1000"],
         given={"A": lambda rng, s: rng.integers(0, 16, s["N"])})
programs("scatter_rows", lambda X, I, zero: added_at(zero, I, X), ops="N", given={"I": below("E", "N")})


@lambda formula: programs("scatter_last", formula, ops="0", given={"I": lambda rng, s: np.append(np.arange(8), rng.integers(0, 8, s["N"] - 8))},
                          sizes=["N=8", "N=17", "N=100"])
def scatter_last(X, I):
    found = np.zeros(8)
    for at, value in zip(I, X):
        found[at] = value
    return found


programs("inverse_permutation", np.argsort, given={"P": lambda rng, s: rng.permutation(s["N"])})
programs("lut_backward", lambda I, dO, LUT: added_at(np.zeros_like(LUT), I, np.repeat(dO[:, None], I.shape[1], 1)), ops="B*L",
         sizes=BAGS, given={"I": below("E", "B", "L")})
programs("first_row", lambda A: np.stack((A, np.zeros_like(A))), ops="0")


@lambda formula: programs("largest_by_bin", formula, ops="0", given={"I": lambda rng, s: rng.integers(0, 9, s["N"])})
def largest_by_bin(A, I):
    found = np.full(9, -1000.0)
    np.maximum.at(found, I, A)
    return found
