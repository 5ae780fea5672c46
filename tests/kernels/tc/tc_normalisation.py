import numpy as np

from reference import Programs, softmax

programs = Programs("normalisation.tc")
ROWS = ["N=1 D=1", "N=3 D=7", "N=17 D=65"]
IMAGES = ["N=1 C=1 H=1 W=1", "N=2 C=3 H=5 W=7", "N=3 C=5 H=4 W=33"]


def softmax_parts(I):
    top = I.max(1)
    power = np.exp(I - top[:, None])
    return softmax(I, 1), top, power, power.sum(1)


def centered(A, axes, eps):
    return (A - A.mean(axes, keepdims=True)) / np.sqrt(A.var(axes, keepdims=True) + eps)


programs("softmax", softmax_parts, out="float float float float", ops="D+16", sizes=ROWS)
programs("softmax_in_place", lambda I: softmax(I, 1), ops="D+16", sizes=ROWS)
programs("log_softmax", lambda I: np.log(softmax(I, 1)), ops="D+16", sizes=ROWS)
programs("softmax_columns", lambda I: softmax(I, 0), ops="N+16", sizes=ROWS)
programs("layernorm", lambda I: (centered(I, 2, 1e-5), I.mean(2), I - I.mean(2, keepdims=True), I.var(2)), ops="8*C+500",
         sizes=["T=1 B=1 C=1", "T=3 B=2 C=7", "T=2 B=5 C=64"])
programs("batchnorm", lambda I, g, b: g[:, None, None] * centered(I, (0, 2, 3), 1e-5) + b[:, None, None], ops="8*N*H*W+500", sizes=IMAGES)


@lambda formula: programs("spatial_batch_norm", formula, ops="8*N*H*W+500", sizes=IMAGES,
                          given={"momentum": lambda rng, s: 0.1, "eps": lambda rng, s: 1e-3})
def spatial_batch_norm(momentum, eps, I, mean_in, var_in):
    mean, var = I.mean((0, 2, 3)), I.var((0, 2, 3))
    return (centered(I, (0, 2, 3), eps), (1 - momentum) * mean_in + momentum * mean, (1 - momentum) * var_in + momentum * var, mean,
            var * I[:, 0].size, var)


programs("group_norm", lambda I, gamma, beta: (I.sum((2, 3, 4)), (I * I).sum((2, 3, 4)), gamma[..., None, None] * centered(I, (2, 3, 4), 1e-5) +
                                               beta[..., None, None]), ops="16*D*H*W+2000",
         sizes=["N=2 G=3 D=2 H=5 W=4", "N=1 G=2 D=4 H=8 W=9", "N=2 G=1 D=3 H=1 W=7"])
programs("group_moments", lambda I: (I.mean(1), I.var(1)), ops="8*K+16")
programs("instance_norm", lambda I: centered(I, (2, 3), 1e-5), ops="8*H*W+500", sizes=IMAGES)
programs("rms_norm", lambda X, w: X / np.sqrt((X * X).mean(1, keepdims=True) + 1e-6) * w, ops="4*D+16", sizes=ROWS)
programs("unit_rows", lambda X: X / np.linalg.norm(X, axis=1, keepdims=True), out="double", ops="4*D+16", sizes=ROWS)
programs("standardised", lambda X: centered(X, 0, 0.001), out="double", ops="8*N+64", sizes=ROWS)
programs("covariance", lambda X: np.cov(X.T, bias=True).reshape(X.shape[1], -1), out="double", ops="8*N+16", sizes=ROWS)
programs("scaled_to_one", lambda X: (X - X.min(1, keepdims=True)) / np.maximum(np.ptp(X, 1, keepdims=True), 1e-30), ops="8", sizes=ROWS)
