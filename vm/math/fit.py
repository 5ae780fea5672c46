"""Fits the polynomials of coefficients.h and prints that file: python3 fit.py > coefficients.h (needs mpmath).

Each in double is the Chebyshev interpolant of a smooth function g, computed with 80 digits, then rounded to double. The
tolerance is asserted against the error on a fine grid with the rounded coefficients (evaluated exactly).

Those in float have few terms and coarse coefficients: they are near the least largest error under a weight, and each
coefficient is rounded, lowest first, before the ones above it are fitted."""

import struct

from mpmath import mp, mpf, sqrt, exp, sin, cos, atan, asin, atanh, tanh, erf, erfc, log, pi, chebyfit

mp.dps = 80

def fit(name, text, g, low, high, degree, bits):
    low, high = mpf(low), mpf(high)
    coefficients = [float(c) for c in reversed(chebyfit(g, [low, high], degree + 1))]
    worst = largest = mpf(0)
    for i in range(401):
        x = low + (high - low) * (mpf(i) + mpf("0.5")) / 401
        p = mpf(0)
        for c in reversed(coefficients):
            p = p * x + mpf(c)
        worst = max(worst, abs(p - g(x)))
        largest = max(largest, abs(g(x)))
    reached = float(-log(worst / largest, 2))
    assert reached > bits, (name, reached)
    print(f"/* {text}: error 2^-{reached:.1f} of the largest value */")
    print(f"TIRBI_MATH double tirbi_poly_{name}(double x) {{")
    print(f"    double p = {coefficients[-1].hex()};")
    for c in reversed(coefficients[:-1]):
        print(f"    p = tirbi_double_fma(p, x, {c.hex()});")
    print("    return p;\n}\n")

def to_float(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]

def short_hex(value):
    digits, exponent = float(value).hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + exponent + "f"

def solve(rows):
    """The solution of linear equations, each given as its coefficients and then its value (Gauss)."""
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            k = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= k * rows[i][c]
    x = [mpf(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x

def near_minimax(points, values, weights, powers, rounds=30):
    """Coefficients of these powers by least squares whose weights grow where the error is large (Lawson)."""
    n, best, least = len(powers), None, None
    grown = [mpf(1)] * len(points)
    terms = [[x ** p for p in powers] for x in points]
    for _ in range(rounds):
        w = [g * v * v for g, v in zip(grown, weights)]
        c = solve([[sum(v * t[i] * t[k] for v, t in zip(w, terms)) for k in range(n)] +
                   [sum(v * t[i] * y for v, t, y in zip(w, terms, values))] for i in range(n)])
        errors = [abs(y - sum(k * u for k, u in zip(c, t))) * v for t, y, v in zip(terms, values, weights)]
        if least is None or max(errors) < least:
            least, best = max(errors), c
        grown = [g * e for g, e in zip(grown, errors)]
        total = sum(grown)
        grown = [g / total for g in grown]
    return best

def fit_float(name, text, g, low, high, degree, bits, weight):
    low, high = mpf(low), mpf(high)
    n = 6 * (degree + 1)
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    weights = [weight(x) for x in points]
    values = [g(x) for x in points]
    coefficients = []
    for p in range(degree + 1):
        coefficients.append(to_float(near_minimax(points, values, weights, range(p, degree + 1))[0]))
        values = [v - coefficients[-1] * x ** p for v, x in zip(values, points)]
    worst = mpf(0)
    for i in range(401):
        x = low + (high - low) * (mpf(i) + mpf("0.5")) / 401
        p = mpf(0)
        for c in reversed(coefficients):
            p = p * x + mpf(c)
        worst = max(worst, abs(p - g(x)) * weight(x))
    reached = float(-log(worst, 2))
    assert reached > bits, (name, reached)
    print(f"/* {text}: error 2^-{reached:.1f} */")
    print(f"TIRBI_MATH float tirbi_poly_{name}(float x) {{")
    print(f"    float p = {short_hex(coefficients[-1])};")
    for c in reversed(coefficients[:-1]):
        print(f"    p = tirbi_float_fma(p, x, {short_hex(c)});")
    print("    return p;\n}\n", flush=True)

PIECES, PIECE_TERMS = 32, 6

def center_of(f, at, width):
    """A float about there whose value is very near to a float, and that float. Where f is flat there may be none."""
    best = None
    for i in range(4001):
        c = mpf(to_float(at + (i + 1) // 2 * (-1) ** i * width / 8000))
        value = f(c)
        off = abs(value - mpf(to_float(value))) / value
        if best is None or off < best[0]:
            best = (off, c, to_float(value))
        if off < mpf(2) ** -33:
            break
    return best[1], best[2]

def fit_pieces(name, text, f, limit, scale, degree, direct, bits):
    """An odd function for 0 <= x <= limit, in pieces about the multiples of 1 / scale: value + t P(t) at t = x - center.
    Of the first pieces, `direct` of them, center is 0 and value is x itself. See pieces.h."""
    assert limit * scale < PIECES - 1 + mpf("0.5")
    rows, worst = [], mpf(0)
    for k in range(PIECES):
        low, high = max((k - mpf("0.5")) / scale, mpf("1e-9")), min((k + mpf("0.5")) / scale, mpf(limit))
        if k < direct:
            center, base, value = mpf(0), lambda x: x, 0.0
        else:
            center, value = center_of(f, mpf(k) / scale, 1 / mpf(scale))
            base = lambda x, v=f(center): v
        n = 3 * (degree + 1)
        points = [(low + high) / 2 + (high - low) / 2 * mp.cos(pi * (2 * i + 1) / (2 * n)) - center for i in range(n)]
        weights = [abs(t / f(center + t)) + mpf("1e-6") for t in points]
        values = [(f(center + t) - base(center + t)) / t for t in points]
        row = []
        for power in range(degree + 1):
            row.append(to_float(near_minimax(points, values, weights, range(power, degree + 1), 8)[0]))
            values = [v - row[-1] * t ** power for v, t in zip(values, points)]
        for i in range(101):
            t = low + (high - low) * (mpf(i) + mpf("0.5")) / 101 - center
            p = mpf(0)
            for c in reversed(row):
                p = p * t + mpf(c)
            worst = max(worst, abs((base(center + t) + t * p) / f(center + t) - 1))
        rows.append([float(center), value] + row + [0.0] * (PIECE_TERMS - len(row)))
    reached = float(-log(worst, 2))
    assert reached > bits, (name, reached)
    print(f"/* {text}, in pieces: error 2^-{reached:.1f} of the value. ROW(center, value, coefficients downwards) */")
    print(f"#define TIRBI_PIECES_{name.upper()}(ROW) \\")
    for row in rows:
        print("    ROW(" + ", ".join(short_hex(v) for v in row[:2] + row[:1:-1]) + (") \\" if row is not rows[-1] else ")"))
    print(f"#define TIRBI_PIECES_{name.upper()}_TERMS {degree + 1}")
    print(f"#define TIRBI_PIECES_{name.upper()}_SCALE {short_hex(scale)}")
    print(f"#define TIRBI_PIECES_{name.upper()}_LIMIT {short_hex(limit)}")
    print(f"#define TIRBI_PIECES_{name.upper()}_DIRECT {short_hex(to_float((direct - mpf('0.5')) / scale))}\n", flush=True)

def constant_float(name, value, bits=24):
    """A constant as the sum of two floats, the first one of so many bits."""
    rest = mpf(value)
    scale = mpf(2) ** (bits - 1 - int(mp.floor(log(abs(rest), 2))))
    first = to_float((mp.nint if bits == 24 else mp.floor)(rest * scale) / scale)
    print(f"#define TIRBI_{name}_F32_1 {short_hex(first)}")
    print(f"#define TIRBI_{name}_F32_2 {short_hex(to_float(rest - first))}")

def constant_floats(name, value, parts):
    """The leading parts of a constant in float: of so many bits each, rounded where it is all 24."""
    rest = mpf(value)
    for i, bits in enumerate(parts):
        scale = mpf(2) ** (bits - 1 - int(mp.floor(log(abs(rest), 2))))
        part = to_float((mp.nint if bits == 24 else mp.floor)(rest * scale) / scale)
        rest -= part
        print(f"#define TIRBI_{name}_F32_{i + 1} {short_hex(part)}")

def constant(name, value, parts):
    """Prints the leading parts of a constant: of so many bits each, 53 for a whole double."""
    rest = mpf(value)
    for i, bits in enumerate(parts):
        scale = mpf(2) ** (bits - 1 - int(mp.floor(log(abs(rest), 2))))
        part = mp.nint(rest * scale) / scale if bits == 53 else mp.floor(rest * scale) / scale
        rest -= part
        suffix = "" if len(parts) == 1 else f"_{i + 1}"
        print(f"#define TIRBI_{name}{suffix} {float(part).hex()}")

def two_over_pi():
    """2/pi as 64-bit words, most significant first, for the reduction of large angles."""
    mp.prec = 1500
    rest = 2 / pi
    print("static const uint64_t tirbi_two_over_pi[20] = {")
    words = []
    for _ in range(20):
        rest *= mpf(2) ** 64
        word = int(mp.floor(rest))
        rest -= word
        words.append(f"0x{word:016X}u")
    for i in range(0, 20, 4):
        print("    " + ", ".join(words[i:i + 4]) + ("," if i < 16 else ""))
    print("};\n")

half_ln2 = log(2) / 2 * mpf("1.0001")
log_limit = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.0001")
angle_limit = (pi / 4) ** 2 * mpf("1.0001")

print("""/* Polynomials and constants, made by fit.py. Each polynomial approximates the function named above it. */
#ifndef TIRB_VM_MATH_COEFFICIENTS_H
#define TIRB_VM_MATH_COEFFICIENTS_H

#include "vm/math/core.h"

/* Constants as sums of parts: part 1 has spare bits at its end, so that small integers times it are exact. */""")
constant("LN2", log(2), [32, 53])
constant("LN2_FULL", log(2), [53, 53])
constant("LOG2_E", 1 / log(2), [53, 53])
constant("LOG10_E", 1 / log(10), [53, 53])
constant("LOG10_2", log(2) / log(10), [32, 53])
constant("LOG2_10", log(10) / log(2), [53])
constant("LN10", log(10), [53, 53])
constant("LN2_DD", log(2), [42, 53])
constant("TWO_OVER_PI", 2 / pi, [53])
constant("PI_HALF", pi / 2, [53, 53, 53])
constant("PI_HALF_DD", pi / 2, [53, 53])
constant("PI_DD", pi, [53, 53])
constant("PI_QUARTER_DD", pi / 4, [53, 53])
constant("ATAN_HALF_DD", atan(mpf("0.5")), [53, 53])
constant("ATAN_3_HALVES_DD", atan(mpf("1.5")), [53, 53])
constant("TWO_THIRDS_DD", mpf(2) / 3, [53, 53])
constant_float("LN2_SHORT", log(2), 15)
constant_float("LOG2_E", 1 / log(2))
constant_float("LOG10_E", 1 / log(10))
constant_float("LOG10_2_SHORT", log(2) / log(10), 15)
constant_float("LOG2_10", log(10) / log(2))
constant_float("LN10", log(10))
constant_floats("TWO_OVER_PI", 2 / pi, [24])
constant_floats("PI_HALF", pi / 2, [12, 12, 12, 24])
print()
two_over_pi()
mp.dps = 80

def exp_tail(r): return (exp(r) - 1 - r) / r ** 2 if r != 0 else mpf(1) / 2
def log_tail(z): return (2 * atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z) ** 3
def log_tail2(z): return (2 * atanh(sqrt(z)) - 2 * sqrt(z) - 2 * sqrt(z) ** 3 / 3) / sqrt(z) ** 5
def sin_tail(z): return (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3
def cos_tail(z): return (cos(sqrt(z)) - 1 + z / 2) / z ** 2
def atan_tail(z): return (atan(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3
def asin_tail(z): return (asin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3

fit("exp_short", "(exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2", exp_tail, -half_ln2, half_ln2, 6, 34)
fit("log_short", "(2 atanh(s) - 2 s) / s^3 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1)", log_tail, 0, log_limit, 5, 40)
fit("sin_short", "(sin(r) - r) / r^3 at x = r^2, r <= pi / 4", sin_tail, 0, angle_limit, 4, 38)
fit("cos_short", "(cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4", cos_tail, 0, angle_limit, 4, 38)
fit("atan_short", "(atan(t) - t) / t^3 at x = t^2, t <= tan(pi / 8)", atan_tail, 0, mpf("0.1717"), 7, 34)
fit("asin_short", "(asin(t) - t) / t^3 at x = t^2, t <= 1 / 2", asin_tail, 0, mpf("0.2501"), 8, 30)
fit("erf_short", "erf(t) / t at x = t^2 / 8 - 1, t <= 4", lambda u: erf(sqrt(8 * u + 8)) / sqrt(8 * u + 8), -1, 1, 20, 34)

def log_tail_float(f): return (log(1 + f) - f) / f ** 2 if abs(f) > mpf("1e-30") else -mpf(1) / 2
def relative_log(f): return abs(f ** 2 / log(1 + f)) + mpf("1e-4")
low_log, high_log = sqrt(mpf("0.5")) - 1, sqrt(mpf(2)) - 1
tiny = mpf("1e-20")

fit_float("exp_f32", "(exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2, of exp(x)", exp_tail, -half_ln2, half_ln2, 4, 28,
          lambda r: r ** 2 / exp(r) + mpf("1e-4"))
fit_float("exp2_f32", "(2^x - 1) / x, |x| <= 1/2, of 2^x", lambda r: (mpf(2) ** r - 1) / r if r != 0 else log(mpf(2)),
          mpf("-0.5"), mpf("0.5"), 5, 28, lambda r: abs(r) / mpf(2) ** r + mpf("1e-4"))
fit_float("expm1_f32", "the same with one term more", exp_tail, -half_ln2, half_ln2, 5, 30, lambda r: r ** 2 + mpf("1e-4"))
fit_float("log_f32", "(log(1 + x) - x) / x^2, sqrt(1/2) <= 1 + x <= sqrt(2), of log(1 + x)", log_tail_float, low_log,
          high_log, 8, 27, relative_log)
fit_float("log2_f32", "the same over ln(2)", lambda f: log_tail_float(f) / log(2), low_log, high_log, 9, 29,
          relative_log)
fit_float("log10_f32", "the same over ln(10)", lambda f: log_tail_float(f) / log(10), low_log, high_log, 8, 28,
          relative_log)
fit_float("sin_f32", "(sin(r) - r) / r^3 at x = r^2, r <= pi / 4, of sin(r)", sin_tail, tiny, angle_limit, 2, 27,
          lambda z: z * sqrt(z) / sin(sqrt(z)) + mpf("1e-4"))
fit_float("cos_f32", "(cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4, of cos(r)", cos_tail, tiny, angle_limit, 2, 32,
          lambda z: z ** 2 / cos(sqrt(z)) + mpf("1e-4"))
mp.dps = 40
fit_pieces("tanh", "tanh(x), 0 <= x <= 9.2", tanh, 9.1875, 3.40625, 5, 2, 27.5)
fit_pieces("erf", "erf(x), 0 <= x <= 4", erf, 4.0, 7.84375, 4, 2, 28)
mp.dps = 80

fit("exp_f64", "(exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2", exp_tail, -half_ln2, half_ln2, 10, 52)
fit("exp2_f64", "(2^x - 1) / x, |x| <= 1/2", lambda r: (mpf(2) ** r - 1) / r if r != 0 else log(mpf(2)), mpf("-0.5001"),
    mpf("0.5001"), 11, 52)
fit("log_f64", "(2 atanh(s) - 2 s) / s^3 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1)", log_tail, 0, log_limit, 7, 50)
fit("log_dd", "(2 atanh(s) - 2 s - 2 s^3 / 3) / s^5 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1)", log_tail2, 0, log_limit, 8, 52)
fit("sin_f64", "(sin(r) - r) / r^3 at x = r^2, r <= pi / 4", sin_tail, 0, angle_limit, 6, 52)
fit("cos_f64", "(cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4", cos_tail, 0, angle_limit, 6, 52)
fit("atan_f64", "(atan(t) - t) / t^3 at x = t^2, t <= 7 / 16", atan_tail, 0, mpf("0.1916"), 11, 50)
fit("asin_f64", "(asin(t) - t) / t^3 at x = t^2, t <= 1 / 2", asin_tail, 0, mpf("0.2501"), 13, 49)
fit("erf_f64", "erf(t) / t - 1 at x = t^2, t <= 7 / 8", lambda z: erf(sqrt(z)) / sqrt(z) - 1, 0, mpf("0.766"), 12, 50)
fit("erfc_f64", "exp(t^2) erfc(t) at x = (t - 2) / (t + 2), 7 / 8 <= t <= 6",
    lambda u: exp((2 * (1 + u) / (1 - u)) ** 2) * erfc(2 * (1 + u) / (1 - u)),
    (mpf("0.875") - 2) / mpf("2.875"), mpf("0.5"), 16, 50)
print("#endif")
