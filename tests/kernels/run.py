"""Runs every kernel of this folder through `tirb` and compares with NumPy.

    run.py [--tirb PATH] [--seed N] [WORD...]

Each file is compiled once; each case of cases.py is called under every instruction set that `tirb version` lists, and
the bytes of all outputs must be the same under all of them, with 1, 2 and 7 threads. Unless --parallel says otherwise
every loop that may run on several threads does, however small. Then the programs of bad/ are run: each must end with its
exit code and say why in one line with its place; and the example embed.c. WORDs choose the cases whose `file:function` contains one of them.
Prints one line per case; ends with `N passed, N failed`; exit status 1 on failure. Needs NumPy and ml_dtypes.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

try:
    import ml_dtypes  # the cases need it
    import numpy as np
except ImportError:
    print("NumPy or ml_dtypes is not installed: skipped")
    sys.exit(77)

import refusals
from cases import OUT, Bf16
from compare import all_runs, difference

HERE = pathlib.Path(__file__).resolve().parent
ISAS = ("generic", "sse2", "avx2", "avx512", "neon")
THREADS = (2, 7, 1)
PATIENCE = 60  # seconds for one command


class Failure(Exception):
    pass


class Tirb:
    """The command under test; an emulator that runs it may stand before it."""

    def __init__(self, command):
        self.command = shlex.split(command)
        self.path = self.command[-1]
        self.patience = PATIENCE if len(self.command) == 1 else 5 * PATIENCE
        listed = self("version").stdout
        self.isas = [isa for isa in ISAS if re.search(rf"\b{isa}\b", listed)] or ["generic"]

    def __call__(self, *words, isa=None, check=True, cwd=None):
        environment = dict(os.environ)
        environment.pop("TIRB_ISA", None)
        environment["TIRB_CACHE_DIR"] = ""  # compile each time, and leave the user's cache alone
        if isa:
            environment["TIRB_ISA"] = isa
        try:
            done = subprocess.run(
                [*self.command, *map(str, words)],
                env=environment, cwd=cwd, capture_output=True, text=True, timeout=self.patience,
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"no end after {self.patience} s: tirb {' '.join(map(str, words))}") from None
        if check and done.returncode != 0:
            raise Failure(f"exit code {done.returncode}: {first_lines(done.stderr)}")
        return done


def first_lines(text):
    return " | ".join(text.strip().splitlines()[:4])


def literal(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def filled(want, fill):
    """Memory of the kind and shape of an output, full of something else."""
    if isinstance(want, Bf16):
        return Bf16(np.full(want.bits.shape, fill, np.uint16))
    want = np.asarray(want)
    return np.full(want.shape, fill, want.dtype)


def returned(stdout, want):
    """The returned value from the output of `tirb run --json`."""
    try:
        return type(want)(json.loads(stdout)["returned"]["value"])
    except (ValueError, KeyError) as error:
        raise Failure(f"no returned value in {stdout.strip()!r}") from error


def call(tirb, bundle, function, run, isa, folder, fill, threads=None):
    """One call. `fill` is None to leave out the parameters that are only written, else what they hold before."""
    words = []
    for name, value in run.args.items():
        if value is OUT:
            if fill is None:
                words.append("_")
                continue
            value = filled(run.outputs[name], fill)
        if isinstance(value, Bf16):
            path = folder / f"in_{name}.npy"
            np.save(path, value.bits)
            words.append(f"@{path}:bf16")
        elif isinstance(value, np.ndarray):
            path = folder / f"in_{name}.npy"
            np.save(path, value)
            words.append(f"@{path}")
        else:
            words.append(literal(value))
    paths = {name: folder / f"out_{name}_{isa}_{fill}.npy" for name in run.outputs}
    more = [] if threads is None else ["--threads", threads]
    saves = [word for path in paths.values() for word in ("-o", f"@{path}")]
    done = tirb("run", bundle, "-f", function, *words, *saves, "--json", "--timeout", tirb.patience // 2, *more, isa=isa)
    outputs = {name: np.load(path) for name, path in paths.items()}
    return outputs, None if run.returns is None else returned(done.stdout, run.returns)


def check_case(tirb, bundle, function, run, folder):
    """None or what is wrong. The first call leaves pure outputs out, the later ones pass memory full of ones; calls take
    turns with THREADS, and the last instruction set is called with all of them."""
    first = None
    calls = [(isa, THREADS[index % len(THREADS)], 1) for index, isa in enumerate(tirb.isas[:-1])]
    calls = [(tirb.isas[0], 1, None)] + calls + [(tirb.isas[-1], threads, 1) for threads in THREADS]
    for isa, threads, fill in calls:
        outputs, result = call(tirb, bundle, function, run, isa, folder, fill, threads=threads)
        label = f"{isa}, --threads {threads}: "
        for name, want in run.outputs.items():
            problem = difference(outputs[name], want, run)
            if problem:
                return f"{label}{name}: {problem}"
        if run.returns is not None:
            problem = difference(result, run.returns, run)
            if problem:
                return f"{label}returned {problem}"
        stamp = ({name: array.tobytes() for name, array in outputs.items()}, repr(result))
        if first is None:
            first = (label, stamp)
        elif stamp != first[1]:
            return f"{label}other bytes than {first[0][:-2]}"
    return None


def compile_all(tirb, files, folder, parallel="all"):
    """Compiles each file; returns {file: bundle or the reason why there is none}."""

    def one(file):
        bundle = folder / (file.replace("/", "_")[:-3] + ".tirb")
        try:
            tirb("compile", HERE / file, "-o", bundle, "--parallel", parallel)
        except Failure as failure:
            return str(failure)
        return bundle

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(files, pool.map(one, files)))


def run_kernels(tirb, options, folder):
    runs = list(all_runs(options.seed, options.words))
    bundles = compile_all(tirb, sorted({file for file, *_ in runs}), folder, options.parallel)

    def one(item):
        index, (file, function, number, run, _) = item
        name = f"{file}:{function} #{number}"
        bundle = bundles[file]
        if isinstance(bundle, str):
            return name, bundle
        place = folder / str(index)
        place.mkdir()
        try:
            return name, check_case(tirb, bundle, function, run, place)
        except Failure as failure:
            return name, str(failure)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(one, enumerate(runs))


def run_refusals(tirb, options, folder):
    place = folder / "refusals"
    place.mkdir()
    for refusal in refusals.ALL:
        if options.words and not any(word in f"bad/{refusal.file}:{refusal.name}" for word in options.words):
            continue
        try:
            problem = refusals.check(tirb, refusal, place)
        except Failure as failure:
            problem = str(failure)
        yield f"bad/{refusal.file}:{refusal.name}", problem


def run_damaged_bundles(tirb, options, folder):
    """A bundle that is cut or altered anywhere is rejected, and nothing is written."""
    if options.words:
        return
    bundle, damaged, target = folder / "whole.tirb", folder / "damaged.tirb", folder / "damaged.npy"
    tirb("compile", HERE / "vector_add.py", "-o", bundle)
    whole = bundle.read_bytes()
    spots = np.random.default_rng(options.seed).integers(0, len(whole), 24).tolist()
    kinds = [("empty", b""), ("text", b"no bundle at all\n" * 40), ("longer", whole + b"\0")]
    kinds += [(f"cut at {at}", whole[:at]) for at in sorted({1, 4, 16, len(whole) // 2, len(whole) - 1})]
    kinds += [(f"byte {at} altered", whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1:]) for at in sorted(set(spots))]
    for name, content in kinds:
        damaged.write_bytes(content)
        done = tirb("run", damaged, "-f", "vector_add", "3xf32=1", "3xf32=2", "_", "-o", f"@{target}", check=False)
        lines = done.stderr.strip().splitlines()
        if done.returncode != refusals.REJECTED or len(lines) != 1 or target.exists():
            yield f"bundle, {name}", f"exit code {done.returncode}, {lines}"
        else:
            yield f"bundle, {name}", None


def run_example(tirb, options, folder):
    """The C program that embeds the library, where the build has it beside the command."""
    program = pathlib.Path(tirb.path).parent / "example_embed"
    if program.exists() and not options.words:
        done = subprocess.run([program], capture_output=True, text=True, timeout=PATIENCE)
        right = done.returncode == 0 and done.stdout == "10.5 11 11.5 12 12.5\n"
        yield "embed.c", None if right else f"exit code {done.returncode}: {done.stdout.strip()!r} {first_lines(done.stderr)}"


def main():
    parser = argparse.ArgumentParser(description="Runs the kernels and compares with NumPy.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parallel", default="all", help="as of `tirb compile` (default: %(default)s)")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tirb_kernels_") as folder:
        try:
            tirb = Tirb(options.tirb)
        except (Failure, OSError) as failure:
            print(f"FAIL {options.tirb} version: {failure}\n0 passed, 1 failed")
            return 1
        folder = pathlib.Path(folder)
        for results in (run_kernels, run_refusals, run_damaged_bundles, run_example):
            for name, problem in results(tirb, options, folder):
                print(f"FAIL {name}: {problem}" if problem else f"ok {name}")
                passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
