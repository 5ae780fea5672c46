import numpy as np

from reference import Programs, softmax

programs = Programs("models.tc")


def relu(A):
    return np.maximum(A, 0)


def sigma(A):
    return 1 / (1 + np.exp(-A))


programs("fully_connected", lambda I, W, b: I @ W.T + b, ops="2*M+1")
programs("fcrelu", lambda I, W, b: relu(I @ W.T + b), ops="2*M+1")
programs("two_fcrelu", lambda I, W, b, V, c: (relu(I @ W.T + b), relu(relu(I @ W.T + b) @ V.T + c)), ops="8*(M+N)")
programs("mlp_1", lambda I, W, b: relu(I @ W + b), ops="2*M+1")


@lambda formula: programs("mlp_3", formula, ops="16*(N+O+P)")
def mlp_3(I, *layers):
    found = [I]
    for W, b in zip(layers[::2], layers[1::2]):
        found.append(relu(found[-1] @ W.T + b))
    return tuple(found[1:])


programs("layer", lambda I, W, b: relu(I @ W + b), ops="2*M+1")
programs("two_layers", lambda X, W, c, V, d: relu(relu(X @ W + c) @ V + d), ops="8*(M+N)")
programs("sum_and_squares", lambda A: (A.sum(1), (A * A).sum(1)), ops="2*M")
programs("normalised_by_calls", lambda A: (A - A.mean(1, keepdims=True)) / np.sqrt(A.var(1, keepdims=True) + 0.01), ops="64*M+64")


def attended(Q, K, V, scale, mask=0):
    return softmax(Q @ np.swapaxes(K, -1, -2) * scale + mask, -1) @ V


programs("attention", attended, ops="4*(D+M)+32", given={"scale": lambda rng, s: 0.25})
programs("causal_attention", lambda Q, K, V: attended(Q, K, V, 1, np.where(np.tri(Q.shape[1]) > 0, 0, -np.inf)), ops="8*(D+N)+64",
         sizes=["B=1 N=1 D=1", "B=2 N=5 D=3", "B=2 N=17 D=8"])
programs("gru_gate", lambda X, S, W, U, c: sigma(c + X @ W.T + S @ U.T), ops="2*(I+H)+8")


@lambda formula: programs("lstm_cell", formula, out="float float", ops="8*(I+H)+32")
def lstm_cell(X, h, c, W, U, bias):
    a = np.einsum("bi,gki->gbk", X, W) + np.einsum("bj,gkj->gbk", h, U) + bias[:, None]
    c1 = sigma(a[1]) * c + sigma(a[0]) * np.tanh(a[2])
    return sigma(a[3]) * np.tanh(c1), c1


programs("squeeze_excite", lambda I, W1, W2: I * sigma(relu(I.mean((2, 3)) @ W1.T) @ W2.T)[..., None, None], ops="2*(H*W+C+R)+16")


@lambda formula: programs("mobilenet_block", formula, ops="64*(C1+C2)+64", sizes=["C1=1 H=3 W=3 C2=1", "C1=3 H=5 W=8 C2=4", "C1=8 H=9 W=20 C2=6"])
def mobilenet_block(I, W1, W2, W3):
    first = relu(np.einsum("chw,dc->dhw", I, W1))
    windows = np.lib.stride_tricks.sliding_window_view(first, (3, 3), (1, 2))
    second = relu(np.einsum("chwyx,cyx->chw", windows, W2))
    return first, second, np.einsum("chw,dc->dhw", second, W3) + I[:, 1:-1, 1:-1]


@lambda formula: programs("wavenet", formula, minima="Skip: 0 0 R-16", ops="8*(RES+DIL)+32", sizes=["B=1 RES=2 R=16 DIL=2 SKIP=1 D=1", "B=2 RES=3 R=20 DIL=5 SKIP=4 D=4",
                                                                           "B=1 RES=8 R=33 DIL=6 SKIP=9 D=16"])
def wavenet(data, filter_w, filter_b, gate_w, gate_b, res_w, res_b, skip_w, skip_b, dilation):
    before = np.pad(data, ((0, 0), (0, 0), (len(dilation), 0)))[..., :data.shape[2]]

    def layer(w, b):
        return b[:, None] + np.einsum("brt,dr->bdt", data, w[..., 1]) + np.einsum("brt,dr->bdt", before, w[..., 0])

    filtered, gate = layer(filter_w, filter_b), layer(gate_w, gate_b)
    both = np.tanh(filtered) * sigma(gate)
    skip = np.einsum("bdt,sd->bst", both[..., -16:], skip_w) + skip_b[:, None]
    return filtered, gate, both, data + res_b[:, None] + np.einsum("bdt,rd->brt", both, res_w), skip


@lambda formula: programs("coherence", formula, ops="64*N+64", sizes=["N=1 D=1 K=2", "N=9 D=5 K=4", "N=40 D=16 K=7"],
                          given={"Idx": lambda rng, s: np.sort(rng.integers(0, s["N"] + 1, s["K"]))})
def coherence(V, Idx):
    unit = V / np.sqrt((V * V).sum(1, keepdims=True) + 1e-6)
    sums = np.concatenate((np.zeros((1, V.shape[1])), np.cumsum(unit, 0)))
    between = np.diff(sums[Idx], axis=0)
    return sums, between, (between**2).sum(1)


programs("power_iteration", lambda A, x: A @ x / np.linalg.norm(A @ x), out="double", ops="8*N+32")
programs("jacobi_step", lambda A, b, x: (b - A @ x + np.diag(A) * x) / np.diag(A), out="double", ops="8*N+32",
         given={"A": lambda rng, s: rng.standard_normal((s["N"], s["N"])) + 9 * np.eye(s["N"])})


@lambda formula: programs("k_means_step", formula, out="int32 float", ops="2*N+8")
def k_means_step(X, C):
    near = ((X[:, None] - C)**2).sum(2).argmin(1)
    means = np.array([X[near == k].mean(0) if (near == k).any() else np.zeros(X.shape[1]) for k in range(len(C))])
    return near, means


@lambda formula: programs("game_of_life", formula, out="int32", given={"A": lambda rng, s: rng.integers(0, 2, (s["H"], s["W"]))})
def game_of_life(A):
    total = sum(np.roll(A, (-y, -x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
    return (total == 3) | ((total == 4) & (A == 1))
