"""Runs the Tensor Comprehensions of tc/ through `tirb` and compares with NumPy.

    comprehensions.py [--tirb PATH] [--seed N] [--full] [WORD...]

Each file is compiled once. Each call of a program (tc/reference.py) is made on one instruction set, the last of a program, or with
--full each, on every one that `tirb version` lists, with 1 and 2 threads, with outputs that `tirb run` infers and with memory that
the caller gives: extents, minima and values must be right, and the bytes always the same. Then each file goes through `tirb fmt`,
whose text is its own canonical form and compiles to the same code, and through `tirb fmt --dialect tirx`, whose text computes the
same. WORDs choose the programs whose `file:name` contains one of them. Ends with `N passed, N failed`; exit status 1 on failure.
Needs NumPy and ml_dtypes.
"""

import argparse
import concurrent.futures
import importlib
import itertools
import json
import os
import pathlib
import sys
import tempfile

try:
    import ml_dtypes  # noqa: F401
    import numpy as np
except ImportError:
    print("NumPy or ml_dtypes is not installed: skipped")
    sys.exit(77)

from run import Failure, Tirb

HERE = pathlib.Path(__file__).resolve().parent / "tc"
sys.path.insert(0, str(HERE))
import reference  # noqa: E402


def programs(words):
    """All, file by file."""
    for path in sorted(HERE.glob("*.tc")):
        importlib.import_module(f"tc_{path.stem}")
    return [program for program in reference.ALL if not words or any(word in f"{program.file}:{program.name}" for word in words)]


def literal(value):
    value = value.item()
    return ("false", "true")[value] if isinstance(value, bool) else repr(value)


def difference(got, want, tolerance):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.kind != "f":
        bad = got != want
    else:
        with np.errstate(invalid="ignore"):
            bad = ~((np.abs(got.astype(np.float64) - want) <= tolerance) | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not bad.any():
        return None
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{got[index]} instead of {want[index]} at {list(index)} ({int(bad.sum())} of {bad.size} differ by more than {tolerance:.3g})"


def call(tirb, bundle, program, made, isa, threads, given, folder, in_order=False):
    """One call; {output: array}. `given`: the caller has the outputs' memory; `in_order`: it does not name parameters."""
    words = []
    memory = {name: np.full_like(want, 1) for name, want in made.want.items()} if given else {}
    for name, value in {**made.args, **memory, **made.before}.items():
        if value.ndim or name not in made.args:
            np.save(folder / f"{name}.npy", value)
            words.append(f"{name}=@{folder / name}.npy")
        else:
            words.append(f"{name}={literal(value)}")
    saves = [f"{name}=@{folder / name}.out.npy" for name in made.want]
    if in_order:
        words, saves = ([word.partition("=")[2] for word in named] for named in (words, saves))
    outputs = [word for save in saves for word in ("-o", save)]
    done = tirb("run", bundle, "-f", program.name, *words, *outputs, "--json", "--threads", threads, "--timeout", tirb.patience // 2, isa=isa)
    return {name: np.load(folder / f"{name}.out.npy") for name in made.want}, json.loads(done.stdout)


def wrong_minima(made, listing):
    for output in listing["outputs"]:
        zeros = [0] * len(output["shape"])
        minima, wanted = output.get("minima", zeros), made.minima.get(output["name"], zeros)
        if minima != wanted:
            return f"{output['name']} has the minima {minima} instead of {wanted}"
    return None


def check_call(tirb, bundle, program, made, runs, folder, in_order=False):
    """None or what is wrong."""
    first = None
    for isa, threads, given in runs:
        outputs, listing = call(tirb, bundle, program, made, isa, threads, given, folder, in_order)
        label = f"{isa}, --threads {threads}{', memory given' if given else ''}: "
        for name, want in made.want.items():
            problem = difference(outputs[name], want, made.tolerance[name])
            if problem:
                return f"{label}{name}: {problem}"
        problem = wrong_minima(made, listing)
        if problem and not given:
            return label + problem
        stamp = {name: array.tobytes() for name, array in outputs.items()}
        if first is None:
            first = (label, stamp)
        elif stamp != first[1]:
            return f"{label}other bytes than {first[0][:-2]}"
    return None


def runs_of(tirb, number, last, program):
    """(instruction set, threads, whether memory is given) of one call."""
    if last:
        return [(isa, 1, False) for isa in tirb.isas] + [(tirb.isas[-1], 2, True)]
    return [(tirb.isas[number % len(tirb.isas)], 1 + number % 2, number % 3 == 2)]


class Build:
    """The bundles of one file with one set of definitions."""

    def __init__(self, tirb, file, define, folder):
        self.tirb, self.file, self.folder = tirb, HERE / file, folder
        folder.mkdir()
        self.definitions = [word for pair in define for word in ("-D", pair)]
        self.bundle, self.problem = self.compiled("own", self.file, self.definitions)

    def compiled(self, name, source, more=()):
        bundle = self.folder / f"{name}.tirb"
        try:
            self.tirb("compile", source, "-o", bundle, "--parallel", "all", *more)
        except Failure as failure:
            return None, str(failure)
        return bundle, None

    def printed(self, name, source, *words):
        path = self.folder / f"{name}"
        path.write_text(self.tirb("fmt", source, *words).stdout)
        return path

    def check_canonical(self):
        """None or what is wrong with the canonical text."""
        text = self.printed("canonical.tc", self.file, *self.definitions)
        again = self.printed("again.tc", text)
        if text.read_text() != again.read_text():
            return "`tirb fmt` changes its own text"
        bundle, problem = self.compiled("canonical", text)
        if problem:
            return problem
        listings = [self.tirb("dis", path).stdout for path in (self.bundle, bundle)]
        return None if code_of(listings[0]) == code_of(listings[1]) else "the canonical text compiles to other code"

    def tirx(self):
        """The bundle of what it is in TVMScript, or None and the reason."""
        return self.compiled("tirx", self.printed("tirx.py", self.file, "--dialect", "tirx", *self.definitions))


def code_of(listing):
    """A listing without places and names of files."""
    return [line for line in listing.splitlines() if not line.lstrip().startswith((".string", ".source", ".line"))]


def check_files(tirb, chosen, builds):
    for (file, define), build in builds.items():
        label = f"{file} {' '.join(define)}".strip()
        if build.problem:
            yield label, build.problem
            continue
        try:
            yield f"{label} as canonical text", build.check_canonical()
            build.tirx_bundle, problem = build.tirx()
            yield f"{label} as TVMScript", problem
        except Failure as failure:
            yield label, str(failure)


def check_programs(tirb, chosen, builds, options, folder):
    def one(item):
        number, program = item
        build = builds[program.file, tuple(program.define)]
        label = f"{program.file}:{program.name}" + (f" {' '.join(program.define)}" if program.define else "")
        if build.problem:
            return label, "its file does not compile"
        place = folder / f"p{number}"
        place.mkdir()
        made = list(program.calls(options.seed))
        for index, each in enumerate(made):
            last = options.full or index == len(made) - 1
            try:
                problem = check_call(tirb, build.bundle, program, each, runs_of(tirb, number + index, last, program), place)
                if not problem and last and getattr(build, "tirx_bundle", None):
                    problem = check_call(tirb, build.tirx_bundle, program, each, [(tirb.isas[-1], 1, True)], place, in_order=True)
                    problem = problem and f"as TVMScript: {problem}"
            except Failure as failure:
                problem = str(failure)
            if problem:
                return label, f"{each.label}: {problem}"
        return label, None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(one, enumerate(chosen))


def main():
    parser = argparse.ArgumentParser(description="Runs Tensor Comprehensions and compares with NumPy.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="each call on every instruction set")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    every = int(os.environ.get("TIRB_TEST_EVERY", "1"))
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tirb_tc_") as folder:
        folder = pathlib.Path(folder)
        try:
            tirb = Tirb(options.tirb)
        except (Failure, OSError) as failure:
            print(f"FAIL {options.tirb} version: {failure}\n0 passed, 1 failed")
            return 1
        chosen = list(itertools.islice(programs(options.words), 0, None, every))
        wanted = dict.fromkeys((program.file, tuple(program.define)) for program in chosen)
        builds = {key: Build(tirb, *key, folder / f"f{number}") for number, key in enumerate(wanted)}
        for results in (check_files(tirb, chosen, builds), check_programs(tirb, chosen, builds, options, folder)):
            for name, problem in results:
                print(f"FAIL {name}: {problem}" if problem else f"ok {name}")
                passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
