import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from reference import Programs

programs = Programs("templates.tc")


def windows(A, window, step):
    return sliding_window_view(A, window, (-2, -1))[..., ::step[0], ::step[1], :, :]


for sh, sw in ((1, 1), (2, 3)):
    strides = f"sh={sh} sw={sw}"
    programs("strided_conv", lambda I, K, step=(sh, sw): np.einsum("nchwyx,mcyx->nmhw", windows(I, K.shape[2:], step), K), ops="2*C*KH*KW",
             define=strides + " kh=2 kw=2", sizes=["N=1 C=1 H=1 W=1 M=1 KH=1 KW=1", "N=2 C=3 H=7 W=9 M=5 KH=3 KW=2"])
    programs("strided_group_conv", lambda I, K, step=(sh, sw): np.einsum("ngchwyx,gfcyx->ngfhw", windows(I, K.shape[3:], step), K), ops="2*C*KH*KW",
             define=strides + " kh=2 kw=2", sizes=["N=1 G=1 C=1 H=1 W=1 F=1 KH=1 KW=1", "N=2 G=3 C=2 H=7 W=9 F=4 KH=3 KW=2"])
    for kh, kw in ((2, 2), (1, 3)):
        define = f"{strides} kh={kh} kw={kw}"
        images = ["B=1 C=1 H=2 W=3", "B=2 C=3 H=5 W=8"]
        programs("average", lambda A, shape=(kh, kw), step=(sh, sw): windows(A, shape, step).mean((-2, -1)), ops="8", define=define, sizes=images)
        programs("largest", lambda A, shape=(kh, kw), step=(sh, sw): windows(A, shape, step).max((-2, -1)), ops="0", define=define, sizes=images)
