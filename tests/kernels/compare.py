"""Runs of cases.py: making them and comparing what came out with what NumPy expects."""

import zlib

import numpy as np

import cases_guards  # for what they register
import cases_language
import cases_searching
import cases_sorting
import cases_special
from cases import Bf16
from cases_tables import ALL

DEFAULT_RTOL = {np.dtype(np.float16): 1e-3, np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12}


def all_runs(seed, chosen=None):
    """Yields (file, function, number, run, tvm). The inputs of a function depend on its name and the seed alone."""
    for file, function, maker, tvm in ALL:
        if chosen and not any(word in f"{file}:{function}" for word in chosen):
            continue
        rng = np.random.default_rng([seed, zlib.crc32(f"{file}:{function}".encode())])
        for number, run in enumerate(maker(rng)):
            yield file, function, number, run, tvm


def difference(got, want, run):
    """None where `got` is what `want` asks for, else one line that says where it is not."""
    want = np.asarray(want.bits if isinstance(want, Bf16) else want)
    got = np.asarray(got)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.kind != "f":
        bad = got != want
    else:
        rtol = DEFAULT_RTOL[want.dtype] if run.rtol is None else run.rtol
        atol = rtol / 10 if run.atol is None else run.atol
        with np.errstate(invalid="ignore"):
            near = abs(got.astype(np.float64) - want) <= rtol * abs(want.astype(np.float64)) + atol
        bad = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not bad.any():
        return None
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{got[index]} instead of {want[index]} at {list(index)} ({int(bad.sum())} of {bad.size} differ)"
