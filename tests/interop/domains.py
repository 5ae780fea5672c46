"""Random inputs within what an operator is defined for: functions of (rng, shape, dtype)."""

import numpy as np


def positive(rng, shape, dtype):
    return (rng.random(shape) * 4 + 0.125).astype(dtype)


def unit(rng, shape, dtype):
    return (rng.random(shape) * 1.9 - 0.95).astype(dtype)


def above_one(rng, shape, dtype):
    return (rng.random(shape) * 4 + 1.01).astype(dtype)


def near_one(rng, shape, dtype):
    return rng.uniform(0.9, 1.1, shape).astype(dtype)


def below(limit):
    return lambda rng, shape, dtype: rng.integers(0, limit, shape).astype(dtype)


def nonzero(rng, shape, dtype):
    values = rng.integers(1, 20, shape)
    if np.dtype(dtype).kind == "i":
        values = values * rng.choice([-1, 1], shape)
    return values.astype(dtype)


def distinct(rng, shape, dtype):
    return rng.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)
