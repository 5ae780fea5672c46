"""What Tensor Comprehensions infer, accept and reject: the cases that the language's own tests pin.

    comprehension_rules.py [--tirb PATH] [--seed N] [--count N]

Ranges: each program is called with random sizes; minima and extents of all outputs must be what its formula says, and so must be the
expressions that `tirb inspect` shows, and the call must be refused where the formula says that it has none. Accepted and rejected: small programs with small arguments,
each with the values or the message that must come. Ends with `N passed, N failed`; exit status 1 on failure.
"""

import argparse
import json
import os
import pathlib
import random
import re
import sys
import tempfile

try:
    import ml_dtypes  # noqa: F401
    import numpy as np
except ImportError:
    print("NumPy or ml_dtypes is not installed: skipped")
    sys.exit(77)

from run import Failure, Tirb

EXIT_DONE, EXIT_PROGRAM, EXIT_CALL = 0, 1, 5


# ---- Ranges ---------------------------------------------------------------------------------------------------------


class Range:
    """`outputs`: {name: function of the sizes giving a list of (minimum, extent)}. The call is refused for sizes that make an extent
    negative, and for those for which `holds` says so; None: the program must not compile, with a message that contains `says`."""

    ALL = []

    def __init__(self, name, text, outputs=None, holds=lambda **sizes: True, says="", least=None):
        self.name, self.text, self.outputs, self.holds, self.says = name, text, outputs, holds, says
        self.least = least or {}
        Range.ALL.append(self)

    def is_refused(self, sizes):
        extents = [extent for formula in self.outputs.values() for _, extent in formula(**sizes)]
        return min(extents) < 0 or not self.holds(**sizes)


def whole(*extents):
    return [(0, extent) for extent in extents]


Range("copy_1d", "def f(float(P) I) -> (O) { O(i) = I(i) }", {"O": lambda P: whole(P)})
Range("copy_2d", "def f(float(P, Q) I) -> (O) { O(i, j) = I(i, j) }", {"O": lambda P, Q: whole(P, Q)})
Range("transpose_2d", "def f(float(P, Q) I) -> (O) { O(i, j) = I(j, i) }", {"O": lambda P, Q: whole(Q, P)})
Range("transpose_4d", "def f(float(P, Q, R, S) I) -> (O) { O(i, j, l, k) = I(j, i, k, l) }", {"O": lambda P, Q, R, S: whole(Q, P, S, R)})
Range("transpose_5d", "def f(float(P, Q, R, S, T) I) -> (O) { O(i, j, k, l, m) = I(j, i, k, i, l) }", holds=None, says="m")
Range("scale_1d", "def f(float(P) I) -> (O) { O(i) = I(123 * i) }", {"O": lambda P: whole((P + 122) // 123)})
Range("shift_1d", "def f(float(P) I) -> (O) { O(i) = I(i - 1) }", {"O": lambda P: [(1, P)]})
Range("shift_1d_2", "def f(float(P) I) -> (O) { O(i) = I(i + 5) }", {"O": lambda P: [(-5, P)]})
Range("conv", """def f(float(N, C, H, W) I, float(M, C, KH, KW) F, float(M) B) -> (tmp, O) {
  tmp(n, m, h, w) +=! I(n, c, h + kh, w + kw) * F(m, c, kh, kw)
  O(n, m, h, w) +=! tmp(n, m, h, w) + B(m)
}""", {name: lambda N, C, H, W, M, KH, KW: whole(N, M, H - KH + 1, W - KW + 1) for name in ("tmp", "O")},
      least={"H": 2, "W": 2})
Range("conv_grad", """def f(float(N, C, H, W) I, float(M, C, KH, KW) F, float(N, M, OH, OW) dO) -> (dI, dF, dB) {
  dI(n, c, h, w) +=! dO(n, m, h - kh, w - kw) * F(m, c, kh, kw)
  dF(m, c, kh, kw) +=! dO(n, m, h - kh, w - kw) * I(n, c, h, w)
  dB(m) +=! dO(n, m, h, w)
}""", {"dI": lambda N, C, H, W, M, KH, KW, OH, OW: [(0, N), (0, C), (KH - 1, OH - KH + 1), (KW - 1, OW - KW + 1)],
       "dF": lambda N, C, H, W, M, KH, KW, OH, OW: [(0, M), (0, C), (H - OH, OH - H + 1), (W - OW, OW - W + 1)],
       "dB": lambda N, C, H, W, M, KH, KW, OH, OW: whole(M)},
      least={"OH": 6, "OW": 6})
Range("padded_conv", """def f(float(N, C, H, W) I, float(M, C, KH, KW) F, float(M) B) -> (pads, tmp) {
  pads(n, c, h, w) = I(n, c, h - 2 - 3, w - 3 - 4)
  tmp(n, m, h, w) +=! pads(n, c, 2 * h + kh, 3 * w + kw) * F(m, c, kh, kw)
}""", {"pads": lambda N, C, H, W, M, KH, KW: [(0, N), (0, C), (5, H), (7, W)],
       "tmp": lambda N, C, H, W, M, KH, KW: [(0, N), (0, M), (3, (H - KH + 1) // 2), (3, (W - KW + 1) // 3)]},
      least={"H": 4, "W": 5})
Range("weird_conv", """def f(float(B, C, H, W) I, float(P, C, KH, KW) F) -> (O) {
  O(b, p, h, w) +=! I(b, c, 2 * h + 3 * w + kh, 2 * w + kw) * F(p, c, kh, kw)
}""", {"O": lambda B, C, H, W, P, KH, KW: whole(B, P, (H - KH - (W - KW) // 2 * 3) // 2 + 1, (W - KW) // 2 + 1)},
      least={"H": 7})
Range("sum_on_a_diagonal", "def f(float(P, Q, R) I) -> (O) { O(i) +=! I(j, i + j, k) }", {"O": lambda P, Q, R: whole(Q - P + 1)})
Range("only_sums", "def f(float(P, Q, R) A) -> (O) { O(i) +=! A(i + j, i + j, i + j) }", holds=None, says="where")
Range("sum_beside_both", "def f(float(P, Q, R) I) -> (O) { O(i) +=! I(i, i + j, j) }", {"O": lambda P, Q, R: whole(P)}, lambda P, Q, R: P + R - 1 <= Q,
      least={"Q": 9})
Range("checked_sum", "def f(float(P, Q, R, S, T) I) -> (O) { O(i) +=! I(i, j, i, k, 2 * i + j) }", {"O": lambda P, Q, R, S, T: whole(min(P, R))},
      lambda P, Q, R, S, T: 2 * (min(P, R) - 1) + Q - 1 <= T - 1, least={"T": 12})
Range("checked_shifts", "def f(float(P, Q, R, S, T) I) -> (O) { O(i) +=! I(j, j + 1, i, i + 3, 2 * i + j + 0) }",
      {"O": lambda P, Q, R, S, T: whole(min(R, S - 3))},
      lambda P, Q, R, S, T: 2 * (min(R, S - 3) - 1) + min(P, Q - 1) - 1 <= T - 1, least={"T": 12, "S": 2})
CUBES = "float(A0, A1, A2) A, float(B0, B1, B2) B, float(C0, C1, C2) C"
Range("two_minima", f"""def f({CUBES}) -> (X, Y) {{
  X(j, k, l) +=! B(j, k, l) + A(i, j, k)
  Y(k, l, m) +=! C(k, l, m) + X(j, k, l)
}}""", {"X": lambda A0, A1, A2, B0, B1, B2, C0, C1, C2: whole(min(B0, A1), min(B1, A2), B2),
        "Y": lambda A0, A1, A2, B0, B1, B2, C0, C1, C2: whole(min(C0, B1, A2), min(C1, B2), C2)})
Range("three_minima", f"""def f({CUBES}) -> (X, Y, Z) {{
  X(i, j) +=! A(i, j, k)
  Y(j, k, l) +=! B(j, k, l) + X(i, j)
  Z(k, l, m) +=! C(k, l, m) + Y(j, k, l)
}}""", {"X": lambda A0, A1, A2, B0, B1, B2, C0, C1, C2: whole(A0, A1),
        "Y": lambda A0, A1, A2, B0, B1, B2, C0, C1, C2: whole(min(B0, A1), B1, B2),
        "Z": lambda A0, A1, A2, B0, B1, B2, C0, C1, C2: whole(min(C0, B1), min(C1, B2), C2)})
Range("partial_copy", "def f(float(N, M) I) -> (O) { O(i, j) = I(i, j) where i in 3:N - 1 }", {"O": lambda N, M: [(3, N - 4), (0, M)]})
Range("ambiguous_rotation", "def f(float(N, M) I) -> (O) { O(i, j) = I(10 + i - j, i + j) }", holds=None, says="where")
Range("rotation", "def f(float(N, M) I) -> (O) { O(i, j) = I(10 + i - j, i + j) where i in 0:10 }",
      {"O": lambda N, M: [(0, 10), (20 - min(N, 20), min(M - 10, 10) + min(N, 20) - 19)]},
      least={"N": 17, "M": 17})
Range("derived_size", "def f(float(N, P, M) I) -> (O) { O(i, j) = I(i, i + j, j) }", {"O": lambda N, P, M: whole(N, M)}, lambda N, P, M: N + M < P + 2, least={"P": 9})
Range("derived_size_known", "def f(float(10, 19, 10) I) -> (O) { O(i, j) = I(i, i + j, j) }", {"O": lambda: whole(10, 10)})
Range("without_where", "def f() -> (O) { O(i, j) = 3 }", holds=None, says="i")
Range("with_where", "def f() -> (O) { O(i, j) = 3 where i in 4:8, j in 3:20 }", {"O": lambda: [(4, 4), (3, 17)]})
Range("empty_where", "def f() -> (O) { O(i, j) = 3 where i in 8:4, j in 3:20 }", holds=None, says="empty")
Range("where_of_elements", "def f(float(N) size) -> (O) { O(i, j) = 3 where i in 0:size(0), j in 0:size(1) }", holds=None, says="tensor")
Range("where_of_indices", "def f(float(N) size) -> (O) { O(i, j) = 3 where i in 0:size(j), j in 0:size(i) }", holds=None)
Range("inverted", "def f(float(N) I) -> (O) { O(i) = I(10 - i) }", {"O": lambda N: [(11 - N, N)]})
Range("halved", "def f(float(N) I) -> (O) { O(i) = I(2 * i) + I(2 * i + 1) }", {"O": lambda N: whole(N // 2)})
Range("halved_by_where", "def f(float(N) I) -> (O) { O(i) +=! I(2 * i + k) where k in 0:2 }", {"O": lambda N: whole(N // 2)})
Range("factor_from_data", "def f(float(N) I, int32(N) S) -> (O) { O(i) = I(S(0) * i) }", holds=None, says="where")
Range("scalar_factor", "def f(float(N) I, int32(s) S) -> (O) { O(i) = I(S.0 * i) }", {"O": lambda N, s: whole((N + s - 1) // s)})


def size_names(text):
    header = text[:text.index("->")]
    return list(dict.fromkeys(name for dims in re.findall(r"\w+\(([^()]*)\)", header.split("(", 1)[1]) for name in re.findall(r"[A-Za-z]\w*", dims)))


def expressions(tirb, bundle):
    """{output: (minima, extents)} as `tirb inspect` says them."""
    (function,) = json.loads(tirb("inspect", bundle, "--json").stdout)["functions"]
    return {param["name"]: (param["minima"], param["extents"]) for param in function["parameters"] if "extents" in param}


def evaluated(texts, sizes):
    return [eval(text, {"min": min, "max": max}, sizes) for text in texts]


def check_range(tirb, case, bundle, shown, rng):
    """None or what is wrong at one set of sizes."""
    sizes = {name: rng.randint(case.least.get(name, 1), case.least.get(name, 1) + 5) for name in size_names(case.text)}
    words = []
    for dtype, dims, name in re.findall(r"(float|int32)\(([^()]*)\) (\w+)", case.text[:case.text.index("->")]):
        shape = "x".join(str(sizes.get(dim, dim)) for dim in dims.split(", "))
        words.append(f"{name}={shape}x{'f32' if dtype == 'float' else 'i32'}=1")
    done = tirb("run", bundle, "-f", "f", *words, "--json", check=False)
    if case.is_refused(sizes):
        return None if done.returncode == EXIT_CALL else f"{sizes}: exit code {done.returncode} instead of {EXIT_CALL}"
    if done.returncode != EXIT_DONE:
        return f"{sizes}: exit code {done.returncode}: {done.stderr.strip()[:300]}"
    found = {output["name"]: list(zip(output.get("minima", [0] * len(output["shape"])), output["shape"])) for output in json.loads(done.stdout)["outputs"]}
    for name, formula in case.outputs.items():
        if found[name] != formula(**sizes):
            return f"{sizes}: {name} has (minimum, extent) {found[name]} instead of {formula(**sizes)}"
        told = list(zip(*(evaluated(texts, sizes) for texts in shown[name])))
        if told != formula(**sizes):
            return f"{sizes}: inspect says {shown[name]} of {name}: {told} instead of {formula(**sizes)}"
    return None


def check_ranges(tirb, options, folder):
    for case in Range.ALL:
        source, bundle = folder / f"{case.name}.tc", folder / f"{case.name}.tirb"
        source.write_text(case.text + "\n")
        rng = random.Random(f"{options.seed} {case.name}")
        if case.holds is None:
            done = tirb("compile", source, "-o", bundle, check=False)
            good = done.returncode == EXIT_PROGRAM and case.says in done.stderr
            yield case.name, None if good else f"exit code {done.returncode}: {done.stderr.strip()[:300]}"
            continue
        tirb("compile", source, "-o", bundle)
        shown = expressions(tirb, bundle)
        problems = (check_range(tirb, case, bundle, shown, rng) for _ in range(options.count if size_names(case.text) else 1))
        yield case.name, next(filter(None, problems), None)


# ---- Accepted and rejected --------------------------------------------------------------------------------------------


class Corner:
    """A program with the words of a call: the values of its output, or the exit code and a word of the message."""

    ALL = []

    def __init__(self, name, text, words="", wanted=None, code=EXIT_DONE, says=""):
        self.name, self.text, self.words, self.wanted, self.code, self.says = name, text, words.split(), wanted, code, says
        Corner.ALL.append(self)


Corner("E1", " def f{} {}", code=EXIT_PROGRAM, says="expected '('")
Corner("E2", "def f(float(1) a) -> (b) { b(i) = a(i) }", "a=1xf32=2.5", [2.5])
Corner("E3", "def main(float(1) a) -> (b) { b(i) = a(i) }", "a=1xf32=2.5", [2.5])
Corner("E4", "def f(float a) -> (b) { b = a }", "a=0.75", 0.75)
Corner("E5", "def f() -> (b) { b(i) = 4 where i in 0:10 }", "", [4] * 10)
Corner("E6", "def f(float a) -> (b) { b(i) = a where i in 0:10 }", "a=1.5", [1.5] * 10)
Corner("E7", "def f(float a, float c) -> (b) { b(i) = a where i in 0:10 }", "a=1.5", code=EXIT_CALL, says="c")
Corner("E8", "def f(int32 a) -> (b) { b(i) = a where i in 0:10 }", "a=1.5", code=EXIT_CALL, says="int32")
Corner("E9", "def f(int32 a) -> (b) { b(i) = a where i in 0:10 }", "a=1x2xi32=1", code=EXIT_CALL, says="scalar")
Corner("E10", "def f(int32 a) -> (b) { b(i) = a where i in 0:10 }", "a=3", [3] * 10)
Corner("E11", "def f(int32(N) a) -> (b) { b(i) = a(i + .5) }", code=EXIT_PROGRAM, says="float")
# Scalars are bound before ranges are inferred: both of these have one.
Corner("E12", "def f(int32 a, float(N) b) -> (c) { c(i) +=! b(i + j) where j in 0:a, i in 0:10 }", "a=3 b=12xf32=1", [3] * 10)
Corner("E13", "def f(int32 a, float(N) b) -> (c) { c(i) +=! b(i + j) where j in 0:a }", "a=3 b=12xf32=1", [3] * 10)
Corner("E14", "def f(float(N) b) -> (c) { c(i) +=! b(i + j) where j in 0:(N * N - 142), i in 0:10 }", "b=12xf32=1", [2] * 10)
for op in ("<=", ">=", "==", "!=", "<", ">"):
    for a, b in ((0.25, 0.5), (0.5, 0.5), (0.75, 0.5)):
        Corner(f"E15 {a} {op} {b}", f"def f(float a, float b) -> (c) {{ c(i) = float(a {op} b) where i in 0:1 }}", f"a={a} b={b}",
               [float(eval(f"{a} {op} {b}"))])
for op, word in (("||", "or"), ("&&", "and")):
    for a, b in ((0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)):
        Corner(f"E16 {a} {op} {b}", f"def f(float a, float b) -> (c) {{ c(i) = float(!(a < .5) {op} b > .5) where i in 0:1 }}", f"a={a} b={b}",
               [float(eval(f"(not ({a} < .5)) {word} {b} > .5"))])
Corner("E17", "def f(float(1) a) -> (b) { b(i) = 4.0 where exists a(i) }", "a=1xf32=9", [4])
Corner("E18", "def f(float(1) a) -> (b) { b(i) = 2*foo where foo = a(i) }", "a=1xf32=9", [18])
Corner("E19", "def f(float(1) a) -> (b) { b(i) = 2*foo where foo = a(i), foo in 1:2 }", code=EXIT_PROGRAM, says="foo")
Corner("E20", "def f(float(1) a) -> (b) { c(i) = a(i) b(i) = c(i)  }", "a=1xf32=9", [9])  # temporaries are tirb's
Corner("E21", "def f(float(1) a, float(1) b) -> (c) { c(i) = max(a(i), b(i)) }", "a=1xf32=2 b=1xf32=3", [3])
Corner("E22", "def f(float(1) a, float(1) b) -> (c) { c(i) = min(a(i), b(i)) }", "a=1xf32=2 b=1xf32=3", [2])
Corner("E23", "def f(float(1) a, float(1) b, float(1) c) -> (d) { d(i) = min(a(i), max(b(i), c(i))) }", "a=1xf32=5 b=1xf32=3 c=1xf32=4", [4])
Corner("E24", "def f(float(1) a,\n float(1) b, float(1) c) -> (d) { d(i)\n = min(a(i),\n\n max(b(i), c(i))) + max(b\n(i), c(i)) }",
       "a=1xf32=5 b=1xf32=3 c=1xf32=4", [8])
Corner("E25", "def f(float(1) a) -> (float(M, N) b) { b(i) = a(i) }", code=EXIT_PROGRAM, says="2")
Corner("E26", "def f(int32(1) a, int32(1) b) -> (c) { c(i) = a(i) % b(i) }", "a=1xi32=1 b=1xi32=1", [0])


def check_corner(tirb, corner, source, target):
    name = re.search(r"def (\w+)", corner.text).group(1)
    output = re.search(r"-> \((\w+)\)", corner.text)
    save = ["-o", f"{output.group(1)}=@{target}"] if corner.wanted is not None else []
    done = tirb("run", source, "-f", name, *corner.words, *save, check=False)
    if done.returncode != corner.code or corner.says not in done.stderr:
        return f"exit code {done.returncode} instead of {corner.code}, {corner.says!r} in {done.stderr.strip()[:300]!r}"
    if corner.wanted is None:
        return None
    got, want = np.load(target), np.asarray(corner.wanted)
    return None if got.shape == want.shape and (got == want).all() else f"{got.tolist()} instead of {corner.wanted}"


def check_corners(tirb, _, folder):
    for number, corner in enumerate(Corner.ALL):
        source = folder / f"corner{number}.tc"
        source.write_text(corner.text + "\n")
        yield corner.name, check_corner(tirb, corner, source, folder / f"corner{number}.npy")


def main():
    parser = argparse.ArgumentParser(description="What Tensor Comprehensions infer, accept and reject.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=8, help="sets of sizes for each program (default: %(default)s)")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tirb_tc_rules_") as folder:
        for check in (check_ranges, check_corners):
            try:
                for name, problem in check(Tirb(options.tirb), options, pathlib.Path(folder)):
                    print(f"FAIL {name}: {problem}" if problem else f"ok {name}")
                    passed, failed = passed + (not problem), failed + bool(problem)
            except Failure as failure:
                print(f"FAIL {failure}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
