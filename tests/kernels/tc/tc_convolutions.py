import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from reference import Programs

programs = Programs("convolutions.tc")
ONES = "N=1 C=1 H=1 W=1 M=1 KH=1 KW=1"
IMAGES = [ONES, "N=2 C=3 H=7 W=9 M=5 KH=3 KW=2", "N=1 C=4 H=12 W=33 M=8 KH=3 KW=3"]
PLANES = [size.replace("N=1 ", "").replace("N=2 ", "") for size in IMAGES]
GRADIENTS = ["N=1 C=1 H=1 W=1 M=1 KH=1 KW=1 OH=1 OW=1", "N=2 C=3 H=7 W=9 M=5 KH=3 KW=2 OH=5 OW=8",
             "N=1 C=2 H=10 W=20 M=3 KH=3 KW=5 OH=8 OW=16"]


def windows(I, extents, dilation=1):
    """The windows over I's last dimensions, whose places are last."""
    axes = tuple(range(I.ndim - len(extents), I.ndim))
    spans = tuple((extent - 1) * step + 1 for extent, step in zip(extents, np.broadcast_to(dilation, len(extents))))
    found = sliding_window_view(I, spans, axes)
    return found[(..., *(slice(None, None, int(step)) for step in np.broadcast_to(dilation, len(extents))))]


def conv(I, K, stride=(1, 1), dilation=1):
    return np.einsum("nchwyx,mcyx->nmhw", windows(I, K.shape[2:], dilation)[:, :, ::stride[0], ::stride[1]], K)


def conv_of_windows(text):
    rank = text.split(",")[1].split("->")[0]
    count = sum(letter in "zyx" for letter in rank)
    return lambda I, K: np.einsum(text, windows(I, K.shape[-count:]), K)


def padded(A, by, value=0):
    return np.pad(A, [(0, 0)] * (A.ndim - len(by)) + list(by), constant_values=value)


ROUNDINGS = "2*C*KH*KW+2"
programs("conv_1d", conv_of_windows("nx,x->n"), ops="2*K", sizes=["N=1 K=1", "N=7 K=3", "N=130 K=9", "N=5 K=5"])
programs("conv_1d_reversed", lambda A, B: np.convolve(A, B, "valid"), ops="2*N", sizes=["M=1 N=1", "M=9 N=4", "M=64 N=3"])
programs("conv_1d_channels", conv_of_windows("bcnx,mcx->bmn"), ops="2*C*K", sizes=["B=1 C=1 N=1 M=1 K=1", "B=2 C=3 N=9 M=5 K=4", "B=1 C=4 N=70 M=8 K=3"])
programs("conv_2d", conv, ops=ROUNDINGS, sizes=IMAGES)
programs("conv_2d_bias", lambda I, K, B: (conv(I, K), conv(I, K) + B[:, None, None]), ops=ROUNDINGS, sizes=IMAGES)
programs("conv_2d_relu", lambda I, K, B: np.maximum(conv(I, K) + B[:, None, None], 0), ops=ROUNDINGS, sizes=IMAGES)
programs("conv_2d_nhwc", lambda I, K: conv(I.transpose(0, 3, 1, 2), K.transpose(3, 2, 0, 1)).transpose(0, 2, 3, 1), ops=ROUNDINGS, sizes=IMAGES)
programs("conv_2d_i8", lambda I, K: conv(I.astype(int).transpose(0, 3, 1, 2), K.astype(int).transpose(3, 2, 0, 1)).transpose(0, 2, 3, 1),
         out="int32", sizes=IMAGES)
programs("conv_1x1", lambda I, K: np.einsum("nchw,mc->nmhw", I, K), ops="2*C")
programs("conv_3d", conv_of_windows("cdhwzyx,mczyx->mdhw"), ops="2*C*KD*KH*KW",
         sizes=["C=1 D=1 H=1 W=1 M=1 KD=1 KH=1 KW=1", "C=2 D=4 H=5 W=7 M=3 KD=2 KH=3 KW=2"])
programs("depthwise", conv_of_windows("nchwyx,cyx->nchw"), ops="2*KH*KW", sizes=[size.replace(" M=1", "").replace(" M=5", "").replace(" M=8", "") for size in IMAGES])
programs("separable", lambda I, D, P: np.einsum("nchwyx,cyx,mc->nmhw", windows(I, D.shape[1:]), D, P), ops="8*C*KH*KW+8", sizes=IMAGES)
programs("group_convolution", lambda I, K, B: np.einsum("ngchwyx,gfcyx->ngfhw", windows(I, K.shape[3:]), K) + B[..., None, None], ops=ROUNDINGS,
         sizes=["N=1 G=1 C=1 H=1 W=1 F=1 KH=1 KW=1", "N=2 G=3 C=2 H=6 W=7 F=4 KH=3 KW=2", "N=1 G=2 C=4 H=9 W=20 F=4 KH=3 KW=3"])
programs("dilated", lambda I, K: conv(I, K, dilation=(2, 3)), ops=ROUNDINGS, sizes=[ONES, "N=2 C=3 H=7 W=9 M=5 KH=3 KW=2", "N=1 C=2 H=12 W=33 M=4 KH=3 KW=3"])
for sh, sw in ((1, 1), (2, 1), (3, 2)):
    programs("strided", lambda I, K, sh, sw: conv(I, K, (sh, sw)), ops=ROUNDINGS, sizes=IMAGES,
             given={"sh": lambda rng, s, sh=sh: sh, "sw": lambda rng, s, sw=sw: sw})
programs("shifted_conv", lambda I, K: (I, conv(np.pad(I, ((0, 0), (0, 0), (5, 0), (7, 0)))[:, :, 6:, 9:], K, (2, 3))), ops=ROUNDINGS,
         minima="pad: 0 0 5 7; tmp: 0 0 3 3", sizes=["N=1 C=1 H=2 W=3 M=1 KH=1 KW=1", "N=2 C=3 H=9 W=12 M=5 KH=3 KW=2", "N=1 C=2 H=15 W=30 M=4 KH=2 KW=4"])


@lambda formula: programs("weird_conv", formula, ops="2*IP*KH*KW+2", sizes=["B=1 IP=1 H=1 W=1 OP=1 KH=1 KW=1", "B=2 IP=3 H=16 W=7 OP=4 KH=2 KW=3",
                                                                           "B=1 IP=2 H=30 W=9 OP=3 KH=1 KW=2"])
def weird_conv(I, K):
    (H, W), (KH, KW) = I.shape[2:], K.shape[2:]
    width = (W - KW) // 2 + 1
    height = (H - KH - (W - KW) // 2 * 3) // 2 + 1
    found = np.zeros((len(I), len(K), height, width))
    for h, w in np.ndindex(height, width):
        at = 2 * h + 3 * w
        found[:, :, h, w] = np.einsum("bcyx,ocyx->bo", I[:, :, at:at + KH, 2 * w:2 * w + KW], K)
    return found


def full_backward(K, dO):
    """What each element of an image gets from all windows it is in."""
    KH, KW = K.shape[2:]
    dI = np.zeros((len(dO), K.shape[1], dO.shape[2] + KH - 1, dO.shape[3] + KW - 1))
    for y, x in np.ndindex(KH, KW):
        dI[:, :, y:y + dO.shape[2], x:x + dO.shape[3]] += np.einsum("nmhw,mc->nchw", dO, K[:, :, y, x])
    return dI


def inner(dI, KH, KW):
    return dI[:, :, KH - 1:dI.shape[2] - KH + 1, KW - 1:dI.shape[3] - KW + 1]


programs("conv_backward", lambda I, K, dO: (inner(full_backward(K, dO), *K.shape[2:]), dO.sum((0, 2, 3))), ops="2*M*KH*KW+N*OH*OW",
         minima="dI: 0 0 KH-1 KW-1; dB: 0", sizes=GRADIENTS)
programs("conv_weights", lambda I, dO: np.einsum("nmhw,ncyxhw->mcyx", dO, windows(I, dO.shape[2:])), ops="2*N*OH*OW",
         sizes=[size.replace("KH=1 KW=1 ", "").replace("KH=3 KW=2 ", "").replace("KH=3 KW=5 ", "") for size in GRADIENTS])


def same_conv(I, K):
    KH, KW = K.shape[2:]
    return conv(padded(I[None], ((KH // 2, KH - 1 - KH // 2), (KW // 2, KW - 1 - KW // 2))), K)[0]


programs("same_conv", same_conv, ops=ROUNDINGS, sizes=PLANES)
programs("same_conv_guarded", lambda I, K: np.convolve(np.pad(I, 1), K[::-1], "valid"), ops="8", sizes=["N=1", "N=2", "N=130"])
programs("full_conv_backward", full_backward, ops="2*M*KH*KW", sizes=["M=1 C=1 KH=1 KW=1 N=1 OH=1 OW=1", "M=5 C=3 KH=3 KW=2 N=2 OH=4 OW=7"])
for step in (1, 4):
    programs("causal", lambda I, W, d: np.einsum("bct,fc->bft", I, W[..., 1]) +
             np.einsum("bct,fc->bft", np.pad(I, ((0, 0), (0, 0), (int(d), 0)))[..., :I.shape[2]], W[..., 0]), ops="4*C+2",
             given={"d": lambda rng, s, step=step: step})
programs("masked_conv", lambda I, K, mask: conv(np.maximum(I, 0), K * mask), ops=ROUNDINGS, sizes=IMAGES)
programs("perforated", lambda I, K, Y, X: np.einsum("ncpyx,mcyx->nmp", windows(I, K.shape[2:])[:, :, Y, X], K), ops=ROUNDINGS,
         sizes=[size + f" P={count}" for size, count in zip(IMAGES, (1, 7, 40))],
         given={"Y": lambda rng, s: rng.integers(0, s["H"] - s["KH"] + 1, s["P"]), "X": lambda rng, s: rng.integers(0, s["W"] - s["KW"] + 1, s["P"])})


@lambda formula: programs("transposed_1d", formula, ops="2*C*K+2", sizes=["C=1 N=1 M=1 K=1", "C=3 N=5 M=2 K=4", "C=4 N=33 M=6 K=3"])
def transposed_1d(I, W):
    found = np.zeros((W.shape[1], 2 * I.shape[1] + W.shape[2] - 2))
    for k in range(W.shape[2]):
        part = np.einsum("cn,cm->mn", I, W[:, :, k])
        found[:, k:k + 2 * I.shape[1]:2] += part[:, :found[:, k:k + 2 * I.shape[1]:2].shape[1]]
    return found
