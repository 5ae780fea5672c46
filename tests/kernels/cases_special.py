"""More cases: special functions, by series and integrals of their own. Like cases.py; imported for what it registers."""

import math

import numpy as np

from cases import wide
from cases_tables import ALL, OUT, Run, kernel

__all__ = ["ALL"]

each = np.vectorize
# The mean of a periodic function over its period converges faster than any power.
TURN = (np.arange(256) + 0.5) * (2 * np.pi / 256)


def bessel_j(order, x):
    return np.cos(order * TURN - np.multiply.outer(x, np.sin(TURN))).mean(-1)


def bessel_i(order, x):
    return (np.exp(np.multiply.outer(x, np.cos(TURN))) * np.cos(order * TURN)).mean(-1)


def bessel_y0(x):
    """Neumann's series."""
    terms = sum((-1) ** (k + 1) * bessel_j(2 * k, x) / k for k in range(1, 40))
    return (2 * (np.log(x / 2) + np.euler_gamma) * bessel_j(0, x) + 4 * terms) / np.pi


def bessel_y1(x):
    """By the Wronskian, for x below the first zero of J0."""
    return (bessel_j(1, x) * bessel_y0(x) - 2 / (np.pi * x)) / bessel_j(0, x)


def round_away(x):
    return np.copysign(np.floor(abs(x) + 0.5), x)


def c_functions(name, dtype, tolerance):
    @kernel("special_functions.py", name)
    def runs(rng):
        for n in (1, 300):
            given, other = rng.uniform(0.1, 2.2, n).astype(dtype), rng.uniform(-20, 20, n).astype(dtype)
            x, z = wide(given), wide(other)
            columns = [
                np.cbrt(x), each(math.erfc)(x), each(math.gamma)(x), each(math.lgamma)(x), bessel_j(0, x), bessel_j(1, x),
                bessel_y0(x), bessel_y1(x), np.floor(np.log2(x)), round_away(x), np.maximum(z - x, 0), np.fmax(z, x),
                np.fmin(z, x), each(math.remainder)(z, x),
            ]
            want = np.stack(columns, 1).astype(dtype)
            yield Run({"X": given, "Z": other, "Y": OUT}, {"Y": want}, rtol=tolerance, atol=tolerance)


c_functions("c_functions_f32", np.float32, 1e-6)
c_functions("c_functions_f64", np.float64, 1e-13)


def cuda_functions(name, dtype, tolerance):
    @kernel("special_functions.py", name, tvm=False)  # no library on a CPU has them
    def runs(rng):
        for n in (1, 300):
            given = rng.uniform(-4, 4, n).astype(dtype)
            normcdf = each(lambda v: math.erfc(-v / math.sqrt(2)) / 2)
            # What an inverse gives is known where its argument is made from it.
            share = normcdf(rng.uniform(-2, 2, n)).astype(dtype)
            x, p = wide(given), wide(share)
            erfinv = newton(each(math.erf), p)
            columns = [
                np.sin(np.pi * x), np.cos(np.pi * x), each(lambda v: math.exp(v * v) * math.erfc(v))(x), normcdf(x),
                bessel_i(0, x), bessel_i(1, x), 1 / np.cbrt(x), erfinv, newton(each(math.erf), 1 - p),
                np.sqrt(2) * newton(each(math.erf), 2 * p - 1), 1 / np.hypot(x, p), np.sqrt(2 * x * x + p * p),
                1 / np.sqrt(x * x + 2 * p * p), np.sqrt(2 * x * x + 2 * p * p), 1 / np.sqrt(3 * x * x + p * p),
            ]
            want = np.stack(columns, 1).astype(dtype)
            yield Run({"X": given, "P": share, "Y": OUT}, {"Y": want}, rtol=tolerance, atol=tolerance)


def newton(erf, y):
    """Where erf is y, |y| < 0.98."""
    r = y.copy()
    for _ in range(30):
        r -= (erf(r) - y) * np.sqrt(np.pi) / 2 * np.exp(np.minimum(r * r, 4))
    return r


cuda_functions("cuda_functions_f32", np.float32, 2e-6)
cuda_functions("cuda_functions_f64", np.float64, 1e-12)
