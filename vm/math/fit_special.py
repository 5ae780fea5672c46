"""Fits the tables of gamma_tables.h, error_tables.h and bessel_tables.h and writes them beside itself (needs mpmath).

A table of pieces has a row for each interval: a center as a sum of two doubles, the function's value there as one, and
the coefficients of P, lowest first: the function is value + t P(t), t the distance from the center. Where the function
has a zero near an interval the center is that zero and the value is 0, so that the error is relative to what is left.
P is the Chebyshev interpolant in the interval, computed with many digits. Every table's error is asserted on a grid
finer than the interpolant's own, with the rounded coefficients, relative to the function's value.
"""

import contextlib
import os

import mpmath
from mpmath import mp, mpf

mp.dps = 45

def two(value):
    """Value as an unevaluated sum of two doubles."""
    high = float(value)
    return high, float(value - mpf(high))

def interpolant(g, low, high, n):
    """The coefficients, lowest first, of the polynomial of n terms that is g at the Chebyshev points."""
    return list(reversed(mpmath.chebyfit(g, [low, high], n)))

def horner(coefficients, t):
    p = mpf(0)
    for c in reversed(coefficients):
        p = p * t + mpf(c)
    return p

def say(text, worst, bits):
    reached = float(-mp.log(worst, 2)) if worst else 999.0
    assert reached > bits, (text, reached)
    print(f"\n/* {text}: error 2^-{reached:.1f} */")

def numbers(values, first="    ", end=","):
    line = first
    for i, v in enumerate(values):
        word = float(v).hex() + (end if i + 1 == len(values) else ",")
        if len(line) + len(word) > 119:
            print(line.rstrip())
            line = "     " if first != "    " else "    "
        line += word + " "
    print(line.rstrip())

def numbered(rows):
    for row in rows:
        numbers(row, "    {", "},")
    print("};")

def pieces(name, text, f, edges, terms, bits, zeros=(), centers=None):
    """A table with a row for each two neighbours of edges."""
    rows, worst = [], mpf(0)
    for i in range(len(edges) - 1):
        low, high = mpf(edges[i]), mpf(edges[i + 1])
        wide = (high - low) / 2
        center = mpf(centers[i]) if centers else (low + high) / 2
        for z in zeros:
            if low - wide < z < high + wide:
                center = z
        c = two(center)
        exact = center if center in zeros else mpf(c[0])
        value = mpf(0) if center in zeros else f(exact)
        if not center in zeros:
            c = (c[0], 0.0)
        g = lambda t: (f(exact + t) - value) / t if t else mpmath.diff(f, exact)
        p = [float(v) for v in interpolant(g, low - exact, high - exact, terms)]
        v = two(value)
        for k in range(2 * terms + 1):
            x = low + (high - low) * (mpf(k) + mpf("0.37")) / (2 * terms + 2)
            t = x - exact
            worst = max(worst, abs((mpf(v[0]) + v[1] + t * horner(p, t)) / f(x) - 1))
        rows.append([*c, *v, *p])
    say(text, worst, bits)
    print(f"enum {{ TIRBI_{name}_TERMS = {terms} }};")
    print(f"static const double tirbi_{name.lower()}_pieces[{len(rows)}][{terms + 4}] = {{")
    numbered(rows)

def polynomial(name, text, g, low, high, terms, bits, scale=None, twos=0):
    """P alone. Its error is relative to scale(x), or to g. The first coefficients may be sums of two."""
    low, high = mpf(low), mpf(high)
    exact = interpolant(g, low, high, terms)
    worst = mpf(0)
    tails = [float(c - mpf(float(c))) for c in exact[:twos]]
    p = [float(c) for c in exact]
    for k in range(3 * terms):
        x = low + (high - low) * (mpf(k) + mpf("0.37")) / (3 * terms)
        value = horner(p, x) + horner(tails, x)
        worst = max(worst, abs(value - g(x)) / abs(scale(x) if scale else g(x)))
    say(text, worst, bits)
    print(f"static const double tirbi_{name.lower()}[{terms}] = {{")
    numbers(p)
    print("};")
    if twos:
        print(f"static const double tirbi_{name.lower()}_tails[{twos}] = {{")
        numbers(tails)
        print("};")

def steps(low, high, width):
    n = int((high - low) / width)
    return [low + width * i for i in range(n + 1)]

def constant(name, value):
    high, low = two(value)
    print(f"#define TIRBI_{name}_1 {high.hex()}\n#define TIRBI_{name}_2 {low.hex()}")

# ---- The functions

def erfcx(x):
    with mpmath.workdps(60):
        return mpmath.erfc(x) * mpmath.exp(x * x)

def erfcx_tail(z): # (x sqrt(pi) erfcx(x) - 1) / z at z = 1 / x^2
    x = 1 / mp.sqrt(z)
    with mpmath.workdps(70):
        if x > 60:
            term = total = mpf(-1) / 2
            for k in range(2, 40):
                term *= -(2 * k - 1) * z / 2
                total += term
            return +total
        return (x * mp.sqrt(mp.pi) * mpmath.erfc(x) * mpmath.exp(x * x) - 1) / z

def inverse_erfc(y):
    """erfcinv for y in (0, 1)."""
    w = mp.sqrt(-mp.log(y))
    x = w - mp.log(w * 2 + 1) / (2 * w + 1) if w > 1 else (1 - y) * mpf("0.9")
    for _ in range(60):
        e = mpmath.erfc(x)
        step = (e - y) / (2 / mp.sqrt(mp.pi) * mpmath.exp(-x * x))
        step = step / (1 - x * step) if abs(x * step) < mpf("0.5") else step / 2
        x += step
        if abs(step) < mpf(10) ** (5 - mp.dps) * abs(x):
            break
    return x

def small_erfinv(z):
    """(erfinv(x) / x - sqrt(pi) / 2) / z at z = x^2."""
    with mpmath.workdps(70):
        x = mp.sqrt(z)
        return (mpmath.erfinv(x) / x - mp.sqrt(mp.pi) / 2) / z

def stirling(z): # x (lgamma(x) - (x - 1/2) log x + x - log(2 pi) / 2)
    with mpmath.workdps(90):
        x = 1 / mp.sqrt(z)
        return x * (mpmath.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)

def log_gamma(x):
    return mp.log(abs(mpmath.gamma(x)))

def log_gamma_zeros():
    """Both zeros between -k - 1 and -k, that near -k first."""
    for k in range(2, 17):
        for near, far in ((-mpf(k), -mpf(k) - mpf("0.58")), (-mpf(k) - 1, -mpf(k) - mpf("0.58"))):
            with mpmath.workdps(60):
                a, b = near + (far - near) * mpf(10) ** -25, far
                for _ in range(220):
                    middle = (a + b) / 2
                    if log_gamma(middle) > 0: a = middle
                    else: b = middle
                yield (a + b) / 2, abs(a - near)

def zeros_of(f, low, high):
    found, x = [], mpf(low)
    while x < high:
        y = x + mpf("0.25")
        if f(x) * f(y) < 0:
            a, b = x, y
            found.append(mpmath.findroot(f, (a, b), solver="anderson", tol=mpf(10) ** -80))
        x = y
    return found

def modulus_tail(order): # (M sqrt(pi x / 2) - 1) / z, z = 1 / x^2
    def g(z):
        with mpmath.workdps(70):
            x = 1 / mp.sqrt(z)
            m = mpmath.besselj(order, x) ** 2 + mpmath.bessely(order, x) ** 2
            return (mp.sqrt(m * mp.pi * x / 2) - 1) / z
    return g

def phase(order): # x times what the angle has over x - (2 order + 1) pi / 4
    def g(z):
        with mpmath.workdps(75):
            x = 1 / mp.sqrt(z)
            angle = mp.atan2(mpmath.bessely(order, x), mpmath.besselj(order, x))
            rest = (angle - (x - (2 * order + 1) * mp.pi / 4)) / (2 * mp.pi)
            return x * (rest - mp.nint(rest)) * 2 * mp.pi
    return g

def scaled_i(order):
    return lambda x: mpmath.besseli(order, x) * mpmath.exp(-x)

def scaled_i_tail(order): # (sqrt(2 pi x) e^-x I(x) - 1) / w, w = 1 / x
    def g(w):
        with mpmath.workdps(70):
            x = 1 / w
            return (mp.sqrt(2 * mp.pi * x) * mpmath.besseli(order, x) * mpmath.exp(-x) - 1) / w
    return g

def table(file):
    """Runs a function that prints what is in the file."""
    def run(fill):
        guard = f"TIRB_VM_MATH_{file.upper().replace('.', '_')}"
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
        with open(path, "w") as out, contextlib.redirect_stdout(out):
            print(f"/* {fill.__doc__} Generated by fit_special.py; do not edit. */")
            print(f"#ifndef {guard}\n#define {guard}\n")
            fill()
            print("\n#endif")
        return fill
    return run

@table("error_tables.h")
def error_functions():
    """Of the error functions."""
    constant("INVERSE_ROOT_PI", 1 / mp.sqrt(mp.pi))
    constant("ROOT_PI_HALF", mp.sqrt(mp.pi) / 2)
    constant("ROOT_HALF", mp.sqrt(mpf(1) / 2))
    pieces("ERFCX", "exp(x^2) erfc(x) for 0 <= x < 8, in quarters", erfcx, steps(mpf(0), 8, mpf(1) / 4), 12, 55)
    polynomial("ERFCX_TAIL", "(x sqrt(pi) exp(x^2) erfc(x) - 1) / z at z = 1 / x^2, x >= 8", erfcx_tail,
               "1e-30", mpf(1) / 64, 12, 48)
    polynomial("ERFINV_SMALL", "(erfinv(x) / x - sqrt(pi) / 2) / z at z = x^2, x <= 1/2", small_erfinv,
               "1e-30", mpf(1) / 4, 16, 51)
    binades = [mpf(2) ** e * (1 + mpf(j) / 8) for e in range(-1, 5) for j in range(8)]
    binades = [w for w in binades if mpf("0.75") <= w <= 28]
    pieces("ERFCINV", "erfcinv(exp(-w^2)), w from 3/4 to 28, an eighth of a binade each",
           lambda w: inverse_erfc(mpmath.exp(-w * w)), binades, 10, 54)

@table("gamma_tables.h")
def gamma_functions():
    """Of the gamma functions."""
    constant("LOG_PI", mp.log(mp.pi))
    constant("HALF_LOG_2_PI", mp.log(2 * mp.pi) / 2)
    nearest = lambda low, n: [mpf(low) + (mpf(i) - mpf(1) / 2) / 8 for i in range(n + 1)]
    middles = lambda low, n: [mpf(low) + mpf(i) / 8 for i in range(n)]
    pieces("GAMMA", "gamma(1 + f), nearest to f = 0, 1/8 .. 1", lambda f: mpmath.gamma(1 + f), nearest(0, 9), 12, 56,
           centers=middles(0, 9))
    pieces("LGAMMA", "lgamma(1 + f), nearest to f = -1/2, -3/8 .. 3/2", lambda f: mpmath.loggamma(1 + f),
           nearest(mpf(-1) / 2, 17), 14, 53, zeros=(mpf(0), mpf(1)), centers=middles(mpf(-1) / 2, 17))
    polynomial("STIRLING", "x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2) at 1 / x^2, x >= 12", stirling,
               "1e-6", mpf(1) / 144, 9, 48)
    rows, worst = [], mpf(0)
    for z, distance in log_gamma_zeros():
        reach = mpf(float(distance * mpf("0.3")))
        with mpmath.workdps(70):
            scale = mpf(2) ** -mp.floor(mp.log(distance, 2))
            g = lambda s: log_gamma(z + s / scale) / s
            p = [float(c) for c in interpolant(g, -reach * scale, reach * scale, 22)]
            for k in range(45):
                s = reach * scale * (mpf(k) - mpf("22.3")) / 22
                worst = max(worst, abs(horner(p, s) / g(s) - 1))
            rows.append([*two(z), reach, float(scale), *p])
    say("lgamma near its zeros, two above -k - 1, k = 2 .. 16: zero, reach, scale of t, and P of s P(s)", worst,
        52)
    print("enum { TIRBI_LGAMMA_ZERO_TERMS = 22 };")
    print(f"static const double tirbi_lgamma_zeros[{len(rows)}][26] = {{")
    numbered(rows)

@table("bessel_tables.h")
def bessel_functions():
    """Of the Bessel functions."""
    constant("TWO_OVER_PI_DD", 2 / mp.pi)
    constant("INVERSE_2_PI", 1 / (2 * mp.pi))
    for order in (0, 1):
        j = lambda x: mpmath.besselj(order, x)
        y = lambda x: mpmath.bessely(order, x)
        with mpmath.workdps(60):
            j_zeros = zeros_of(j, "0.5", 27) + ([mpf(0)] if order == 1 else [])
            y_zeros = zeros_of(y, "0.5", 27)
        pieces(f"J{order}", f"J{order}(x) for 0 <= x < 25, in halves", j, steps(mpf(0), 25, mpf(1) / 2), 12, 53, j_zeros,
               centers=None if order else [mpf(0)] + [mpf(i) / 2 + mpf(1) / 4 for i in range(1, 50)])
        pieces(f"Y{order}_NEAR", f"Y{order}(x) for 1/2 <= x < 2, in eighths", y, steps(mpf(1) / 2, 2, mpf(1) / 8), 14, 53,
               y_zeros)
        pieces(f"Y{order}", f"Y{order}(x) for 2 <= x < 25, in halves", y, steps(mpf(2), 25, mpf(1) / 2), 14, 53, y_zeros)
        if order == 0:
            def rest(z):
                with mpmath.workdps(60):
                    x = mp.sqrt(z)
                    return y(x) - 2 / mp.pi * mp.log(x) * j(x)
        else:
            def rest(z):
                with mpmath.workdps(60):
                    x = mp.sqrt(z)
                    return (y(x) - 2 / mp.pi * (mp.log(x) * j(x) - 1 / x)) / x
        polynomial(f"Y{order}_REST", f"what Y{order}(x) has besides its logarithm" + (" and pole, over x" if order else "") +
                   ", at x^2, x <= 1/2", rest, "1e-20", mpf(1) / 4, 9, 52, scale=lambda z: mpf("0.07"))
        polynomial(f"MODULUS{order}", f"(sqrt((J{order}^2 + Y{order}^2) pi x / 2) - 1) / z at z = 1 / x^2, x >= 25",
                   modulus_tail(order), "1e-7", mpf(1) / 625, 10, 44)
        polynomial(f"PHASE{order}", f"x (angle of (J{order}, Y{order}) - x + {2 * order + 1} pi/4) at 1 / x^2, x >= 25",
                   phase(order), "1e-7", mpf(1) / 625, 22, 98, twos=8)
        pieces(f"I{order}", f"exp(-x) I{order}(x) for 0 <= x < 16, in halves", scaled_i(order),
               steps(mpf(0), 16, mpf(1) / 2), 12, 53, (mpf(0),) if order else (),
               centers=[mpf(0)] + [mpf(i) / 2 + mpf(1) / 4 for i in range(1, 32)])
        polynomial(f"I{order}_TAIL", f"(sqrt(2 pi x) exp(-x) I{order}(x) - 1) / w at w = 1 / x, x >= 16",
                   scaled_i_tail(order), "1e-4", mpf(1) / 16, 14, 50)
