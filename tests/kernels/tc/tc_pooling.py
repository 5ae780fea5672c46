import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from reference import Programs

programs = Programs("pooling.tc")
PLANES = ["H=3 W=3", "H=8 W=9", "H=20 W=67"]


def pooled(A, window, step):
    return sliding_window_view(A, window, (-2, -1))[..., ::step[0], ::step[1], :, :]


programs("avgpool", lambda A: pooled(A, (2, 2), (1, 1)).mean((-2, -1)), sizes=["B=1 C=1 H=2 W=2", "B=2 C=3 H=5 W=8", "B=1 C=4 H=17 W=40"])
programs("maxpool", lambda A: pooled(A, (2, 2), (2, 2)).max((-2, -1)), ops="0", sizes=["B=1 C=1 H=2 W=2", "B=2 C=3 H=5 W=8", "B=1 C=4 H=17 W=41"])
programs("minpool", lambda A: pooled(A, (3, 3), (2, 3)).min((-2, -1)), out="int32", sizes=PLANES)
programs("l2_pool", lambda A: np.sqrt((pooled(A, (2, 2), (2, 2))**2).sum((-2, -1))), sizes=["C=1 H=2 W=2", "C=3 H=5 W=8"])
programs("global_avgpool", lambda A: A.mean((2, 3)), ops="H*W+2")
for k in (1, 2, 3):
    programs("pooled_by", lambda A, k: pooled(A, (k, k), (k, k)).max((-2, -1)), ops="0", sizes=PLANES, given={"k": lambda rng, s, k=k: k})
programs("unpooled", lambda A: A.repeat(2, 0).repeat(2, 1), ops="0")


@lambda formula: programs("maxpool_places", formula, out="float int32", ops="0", sizes=["H=2 W=2", "H=5 W=8", "H=16 W=40"])
def maxpool_places(A):
    found = pooled(A, (2, 2), (2, 2))
    first = found.reshape(*found.shape[:2], 4).argmax(-1)
    y, x = np.indices(first.shape)
    return found.max((-2, -1)), (2 * y + first // 2) * A.shape[1] + 2 * x + first % 2


programs("moving_average", lambda A: np.convolve(A, np.full(5, 0.2), "valid"), out="double", sizes=["N=5", "N=6", "N=133"])
programs("padded_maxpool", lambda A: pooled(np.pad(A, 1, constant_values=-1000), (3, 3), (1, 1)).max((-2, -1)), ops="0",
         sizes=["H=1 W=1", "H=3 W=7", "H=16 W=33"])
programs("bilinear_doubled", lambda A: (np.repeat(A, 2) + np.append(np.repeat(A, 2)[1:], A[-1])) / 2, ops="2")
