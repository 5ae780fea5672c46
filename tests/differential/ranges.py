"""Ranges of Tensor Comprehensions: what `tirb inspect` says of shapes, minima and requirements, for all sizes, against the
rounds of compiler/tc/LANGUAGE.md on numbers.

    ranges.py [--tirb PATH] [--seed N] [--count N] [--keep FOLDER]

First the cases of the original's tests and documents, by the text of what is said; then random comprehensions, whose
sizes are drawn many times. Ends with `N passed, N failed`; exit status 1 on failure.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

# The def, and of its results in order "extents from minima"; None: an error of the compilation.
CASES = [
    ("float(M, N) A, float(M, N) B", "O(i, j) = A(i, j) + B(i, j)", ["[M, N]"]),
    ("float(B, N, M) X, float(B, M, K) Y", "Z(b, n, k) +=! X(b, n, m) * Y(b, m, k)", ["[B, N, K]"]),
    ("float(I) A", "O(i) = A(123 * i)", ["[(I + 122) // 123]"]),
    ("float(I) A", "O(i) = A(i - 1)", ["[I] from [1]"]),
    ("float(I) A", "O(i) = A(i + 5)", ["[I] from [-5]"]),
    ("float(N, C, H, W) I, float(M, C, KH, KW) W1", "O(n, m, h, w) +=! I(n, c, h + kh, w + kw) * W1(m, c, kh, kw)",
     ["[N, M, H - KH + 1, W - KW + 1]"]),
    ("float(N, M, OH, OW) d_O, float(M, C, KH, KW) W1, float(N, C, H, W) I",
     "d_I(n, c, h, w) +=! d_O(n, m, h - kh, w - kw) * W1(m, c, kh, kw)"
     " d_W1(m, c, kh, kw) +=! d_O(n, m, h - kh, w - kw) * I(n, c, h, w)",
     ["[N, C, OH - KH + 1, OW - KW + 1] from [0, 0, KH - 1, KW - 1]",
      "[M, C, OH - H + 1, OW - W + 1] from [0, 0, H - OH, W - OW]"]),
    ("float(H) I, float(KH) W1", "pad(h) = I(h - 2 - 3) tmp(h) +=! pad(2 * h + kh) * W1(kh)",
     ["[H] from [5]", "[(H - KH + 1) // 2] from [3]"]),
    ("float(H, W) I, float(KH, KW) W1", "O(h, w) +=! I(2 * h + 3 * w + kh, 2 * w + kw) * W1(kh, kw)",
     ["[(H - KH - (W - KW) // 2 * 3) // 2 + 1, (W - KW) // 2 + 1]"]),
    ("float(I0, I1, I2) I", "O(i, j, k) = I(j, i + j, k)", ["[I1 - I0 + 1, I0, I2]"]),
    ("float(A) X, float(B) Y, float(C) Z", "O(i) = X(i) + Y(i) + Z(i)", ["[min(min(A, B), C)]"]),
    ("float(A) X, float(B) Y", "O(i, j) = X(i + j) + Y(j) + X(j)", ["[A - min(B, A) + 1, min(B, A)]"]),
    ("float(N, M) I", "O(i, j) = I(10 + i - j, i + j) where i in 0:10",
     ["[10, min(N, 20) + min(20, M) - 29] from [0, 20 - min(N, 20)]"]),
    ("float(N) I", "O(i, j) = 3 where i in 4:8, j in 3:20", ["[4, 17] from [4, 3]"]),
    ("float(N) I", "O(i, j) = I(i + j) where i in 0:5", ["[5, N - 4]"]),
    ("float(N) I", "O(i) = I(i + 5) O(i) = O(i) + I(i + 6)", ["[N] from [-5]"]),
    ("float(M, N) A, float(M) B", "O(n, m) = A(m, n) O(n, m) = O(n, m) + B(m)", ["[N, M]"]),
    ("float(I) B", "O(i) = B(10 - i)", ["[I] from [11 - I]"]),
    ("float(I) B", "O(i) = B(2 * i)", ["[(I + 1) // 2]"]),
    ("float(I) B", "O(i) = B(2 * i) + B(2 * i + 1)", ["[I // 2]"]),
    ("float(I) B", "O(i) max=! B(2 * i + k) where k in 0:2", ["[I // 2]"]),
    ("float(N) A", "O(i) = A(i / 2)", ["[N * 2]"]),
    ("float(N) A", "O(i) = A(min(i + 1, N - 1)) where i in 0:N", ["[N]"]),
    ("float(N) A", "O(i) = A(max(i, 0)) where i in -3:N", ["[N + 3] from [-3]"]),
    ("float(N) A, int32(M) B", "O(i) = A(B(i))", ["[M]"]),
    ("float(E, D) LUT, int32(B, L) I", "O(b, d) +=! LUT(I(b, l), d)", ["[B, D]"]),
    ("float(N) A", "O(i) = 4.0 where exists A(i)", ["[N]"]),
    ("float(N) A", "O(i) = A(i) where i in 2:A.0 - 1", ["[N - 3] from [2]"]),
    ("float(H) I, float(K) W1, int32 s", "O(h) +=! I(s * h + k) * W1(k)", ["[(H - K) // s + 1]"]),
    ("float(5) X, float(2) K", "O(i, j) = X(i) * K(j + 3)", ["[5, 2] from [0, -3]"]),
    ("float(N) A", "O(i) +=! pad(A(i + k - 1), 0) where i in 0:N, k in 0:3", ["[N]"]),
    ("float(A, B) I", "O(i, j) = I(10 + i - j, i + j)", None),
    ("float(A) I", "O(i, j) = I(i + j)", None),
    ("float(A) I", "O(i) = I(i % 3)", None),
    ("float(A) I, int32(A) S", "O(i) = I(S(0) * i)", None),
    ("float(A) I", "O(i) +=! I(i + k)", None),
    ("float(A) I", "O(i) = I(min(i, 3))", None),
    ("float(5) I", "O(i) = I(i) where i in 0:6", None),
    ("float(5) I, float(3) J", "O(i) = I(i + 4) + J(i - 7)", None),
]


def def_of(params, body, results):
    return f"def f({params}) -> ({', '.join(results)}) {{ {body} }}\n"


class Tirb:
    def __init__(self, command, folder):
        self.command, self.folder = command.split(), pathlib.Path(folder)

    def inspect(self, text):
        """The function, and what the compiler says against it."""
        source, bundle = self.folder / "f.tc", self.folder / "f.tirb"
        source.write_text(text)
        compiled = subprocess.run([*self.command, "compile", str(source), "-o", str(bundle)], capture_output=True, text=True)
        if compiled.returncode:
            return None, compiled.stderr
        said = subprocess.run([*self.command, "inspect", "--json", str(bundle)], capture_output=True, text=True, check=True)
        return next(f for f in json.loads(said.stdout)["functions"] if f["name"] == "f"), compiled.stderr


def shown(parameter):
    extents, minima = ", ".join(parameter["extents"]), parameter["minima"]
    return f"[{extents}]" + (f" from [{', '.join(minima)}]" if any(m != "0" for m in minima) else "")


def check_case(tirb, case):
    params, body, wanted = case
    names = list(dict.fromkeys(re.findall(r"(\w+)\([\w, ]*\) (?:[+*]|max)?=", body)))
    found, messages = tirb.inspect(def_of(params, body, names))
    if wanted is None:
        return None if found is None else f"it compiles: {[shown(p) for p in found['parameters']]}"
    if found is None:
        return messages.strip()
    said = [shown(p) for p in found["parameters"][-len(names):]]
    return None if said == wanted else f"{said}, expected {wanted}"


# ---- The rounds, on numbers ------------------------------------------------------------------------------------------


class Refused(Exception):
    """Some sizes are: a range is less than empty, or a subscript leaves its dimension."""


class Unsolved(Exception):
    pass


def least(form, ranges):
    """The form at its least over the ranges that are known: a pair of factors by index and a constant."""
    factors, constant = {}, form[1]
    for v, factor in form[0].items():
        if v in ranges:
            constant += factor * ranges[v][0 if factor > 0 else 1]
        elif factor:
            factors[v] = factor
    return factors, constant


def solve(indices, ranges, demands):
    """`demands`: forms that are at least 0."""
    for low, high in ranges.values():
        if high - low + 1 < 0:
            raise Refused
    demands = [least(d, ranges) for d in demands]
    while len(ranges) < len(indices):
        solved, used = {}, []
        for v in (i for i in indices if i not in ranges):
            of_v = [d for d in demands if list(d[0]) == [v]]
            low = [-(d[1] // d[0][v]) for d in of_v if d[0][v] > 0]
            high = [d[1] // -d[0][v] for d in of_v if d[0][v] < 0]
            if low and high:
                solved[v] = max(low), min(high)
                used += of_v
        if not solved:
            raise Unsolved
        if any(high - low + 1 < 0 for low, high in solved.values()):
            raise Refused
        ranges.update(solved)
        demands = [least(d, ranges) for d in demands if d not in used]
    if any(constant < 0 for _, constant in demands):
        raise Refused
    return ranges


class Comprehension:
    """A random one of affine subscripts."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.sizes = "ABCDE"[: r.randint(1, 5)]
        self.indices = [f"i{k}" for k in range(r.randint(1, 4))]
        self.n_left = r.randint(1, len(self.indices))
        self.tensors = [[r.choice([*self.sizes, str(r.randint(1, 9))]) for _ in range(r.randint(1, 3))]
                        for _ in range(r.randint(1, 3))]
        self.where = {}
        for v in self.indices:
            if r.random() < 0.25:
                start = r.randint(-2, 3)
                self.where[v] = str(start), r.choice([str(start + r.randint(1, 6)), *(s + " + 1" for s in self.sizes)])
        self.reads = [(t, [self.subscript() for _ in tensor]) for t, tensor in enumerate(self.tensors)]
        # Most have a range from an own dimension; else nearly none would be solved.
        for v in self.indices:
            if v not in self.where and r.random() < 0.7:
                t, subscripts = r.choice(self.reads)
                subscripts[r.randrange(len(subscripts))] = ({v: r.choice([1, 1, 1, 2, -1])}, r.choice([0, 0, 1, -1]), None)
        mentioned = {v for _, subscripts in self.reads for s in subscripts for v in s[0]} | set(self.where)
        self.indices = [v for i, v in enumerate(self.indices) if v in mentioned or i < self.n_left]
        for v in self.indices:
            if v not in mentioned:
                self.where[v] = "0", "3"

    def subscript(self):
        r = self.random
        chosen = r.sample(self.indices, min(len(self.indices), r.choice([0, 1, 1, 2, 2, 3])))
        factors = {v: r.choice([1, 1, 1, 2, 3, -1, -2]) for v in chosen}
        return factors, r.randint(-2, 2), r.choice([None, None, *self.sizes])

    def text(self):
        def write(s):
            parts = [f"{factor} * {v}" for v, factor in s[0].items()] + [str(s[1])] + ([s[2]] if s[2] else [])
            return " + ".join(parts).replace("+ -", "- ")

        params = [f"float({', '.join(t)}) T{k}" for k, t in enumerate(self.tensors)]
        params += [f"float({s}) S{s}" for s in self.sizes]
        reads = " + ".join(f"T{t}({', '.join(write(s) for s in subscripts)})" for t, subscripts in self.reads)
        where = ", ".join(f"{v} in {a}:{b}" for v, (a, b) in self.where.items())
        body = f"O({', '.join(self.indices[: self.n_left])}) +=! {reads}" + (f" where {where}" if where else "")
        return def_of(", ".join(params), body, ["O"])

    def expected(self, sizes):
        demands = []
        for t, subscripts in self.reads:
            for (factors, constant, size), extent in zip(subscripts, self.tensors[t]):
                constant += sizes[size] if size else 0
                demands.append((dict(factors), constant))
                last = int(sizes.get(extent, extent if extent.isdigit() else 0)) - 1
                demands.append(({v: -factor for v, factor in factors.items()}, last - constant))
        ranges = {v: (eval(a, {}, sizes), eval(b, {}, sizes) - 1) for v, (a, b) in self.where.items()}
        ranges = solve(self.indices, ranges, demands)
        left = [ranges[v] for v in self.indices[: self.n_left]]
        return [high - low + 1 for low, high in left], [low for low, _ in left]


def check_random(tirb, comprehension):
    found, messages = tirb.inspect(comprehension.text())
    r = comprehension.random
    for _ in range(40):
        sizes = {s: r.choice([0, 1, 2, 3, 5, 8, 13, 21]) for s in comprehension.sizes}
        try:
            wanted = comprehension.expected(sizes)
        except Unsolved:
            told = found is None and ("could not infer" in messages or "is empty, whatever" in messages)
            return None if told else f"it is not solved, but {messages or found}"
        except Refused:
            wanted = None
        names = {**sizes, "min": min, "max": max}
        if found is None and "has more than 64 terms" in messages:
            return None
        if found is None:
            refused = wanted is None or 0 in wanted[0]
            if refused and "whatever the sizes" in messages:
                continue
            # Some range is less than empty before another one is found to be unsolved.
            if wanted is None and "could not infer" in messages:
                continue
            # That nothing is reduced, for all sizes, is an error too.
            if "is empty, whatever the sizes" in messages:
                continue
            return f"{sizes}: {messages}"
        if "..." in str([found["requires"], found["parameters"][-1]]):  # cut
            return None
        requires = all(eval(condition, {}, names) for condition in found["requires"])
        if requires != (wanted is not None):
            return f"{sizes}: expected {wanted}, it requires {found['requires']}"
        if not requires:
            continue
        O = found["parameters"][-1]
        said = [[eval(e, {}, names) for e in O[key]] for key in ("extents", "minima")]
        if said != list(wanted):
            return f"{sizes}: {said}, expected {list(wanted)}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    every = int(os.environ.get("TIRB_TEST_EVERY", "1"))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tirb = Tirb(options.tirb, folder)
        for case in CASES:
            wrong = check_case(tirb, case)
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong:
                print(f"FAIL {case[1]}: {wrong}")
        for seed in range(options.seed, options.seed + options.count, every):
            comprehension = Comprehension(seed)
            wrong = check_random(tirb, comprehension)
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong:
                print(f"FAIL {seed}: {comprehension.text()}    {wrong}")
                if options.keep:
                    (options.keep / f"ranges_{seed}.tc").write_text(comprehension.text())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
