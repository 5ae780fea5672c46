import numpy as np

from reference import Programs

programs = Programs("losses.tc")
SCORES = ["N=1 C=1", "N=3 C=7", "N=40 C=17"]


def labels(rng, s):
    return rng.integers(0, s["C"], s["N"])


def own(X, label):
    return np.take_along_axis(X, label[:, None], 1)[:, 0]


programs("mean_squared", lambda X, Y: ((X - Y)**2).mean(), ops="4*N*M")
programs("mean_absolute", lambda X, Y: abs(X - Y).mean(), ops="2*N")
programs("huber", lambda X, Y, delta: np.where(abs(X - Y) <= delta, (X - Y)**2 / 2, delta * (abs(X - Y) - delta / 2)).sum(), out="double", ops="8*N", given={"delta": lambda rng, s: 0.75})
programs("cross_entropy", lambda X, label: np.log(np.exp(X).sum(1)) - own(X, label), ops="C+16", sizes=SCORES, given={"label": labels})
programs("binary_cross_entropy", lambda P, Y: -np.log(np.where(Y > 0, P, 1 - P)).sum(), ops="8*N",
         given={"P": lambda rng, s: rng.uniform(0.05, 0.95, s["N"]), "Y": lambda rng, s: rng.integers(0, 2, s["N"])})
programs("hinge", lambda X, label: np.maximum(0, 1 + X - own(X, label)[:, None]).sum(1) - 1, ops="4*C", sizes=SCORES, given={"label": labels})
programs("divergence", lambda P, Q: (P * np.log(P / Q)).sum(1), out="double", ops="8*M",
         given={name: lambda rng, s: rng.uniform(0.1, 1, (s["N"], s["M"])) for name in "PQ"})
programs("cosine_similarity", lambda A, B: (A * B).sum(1) / (np.linalg.norm(A, axis=1) * np.linalg.norm(B, axis=1)), ops="4*N")
programs("accuracy", lambda X, label: (X.argmax(1) == label).sum(), out="int32", sizes=SCORES, given={"label": labels})


@lambda formula: programs("confusion", formula, out="int32", given={name: lambda rng, s: rng.integers(0, 5, s["N"]) for name in ("truth", "guess")})
def confusion(truth, guess):
    table = np.zeros((5, 5), int)
    np.add.at(table, (truth, guess), 1)
    return table


programs("hamming", lambda A, B: (A[:, None] != B).sum(2), out="int32", given={"A": lambda rng, s: rng.integers(0, 3, (s["N"], s["M"])),
                                                                              "B": lambda rng, s: rng.integers(0, 3, (s["K"], s["M"]))})
programs("gradient_of_squared", lambda X, Y: 2 * (X - Y) / X.size, ops="4")
