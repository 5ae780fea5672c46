"""Compares tirb with TVM on what TVM prints: a second, independent oracle.

    tvm_compare.py [--tirb PATH] [--seed N] [--sample N | --full] [--list] [WORD...]

For each operator of programs.py: TVM builds a PrimFunc and prints it; TVM's LLVM back end and `tirb run` on the printed
text compute it on the same random inputs. Integers must be equal, floats within a bound that grows with the length of
the sums. Counts how many texts were read, ran and gave the same, and names every failure with its cause. Operators of
KNOWN_GAPS may fail (and are said to be repaired when they do not); any other failure makes the exit status 1.
Exit status 77 when apache-tvm or NumPy is not installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings
import zlib

warnings.filterwarnings("ignore")
try:
    import numpy as np
    import tvm
except ImportError:
    print("apache-tvm or NumPy is not installed: skipped")
    sys.exit(77)

import programs

# Operators (or beginnings of their names) that tirb is known not to do yet.
KNOWN_GAPS = ()
PATIENCE = 60
SYMBOLIC_EXTENTS = (5, 8, 3, 7)


class Case:
    """One operator with its printed text, inputs and TVM's outputs; or the reason why TVM itself cannot give them."""

    def __init__(self, operator, seed):
        self.name, self.length, self.refused = operator.name, operator.length, None
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        try:
            function = operator.make().with_attr("global_symbol", "main")
            self.text = function.script()
            self.prepare(function, operator, rng)
        except Exception as error:  # TVM's own refusals come as many types
            self.refused = (str(error).strip() or repr(error)).splitlines()[-1][:200]

    def prepare(self, function, operator, rng):
        written = written_parameters(function, self.text)
        extents = {}
        self.arrays, self.outputs = [], []
        for index, param in enumerate(function.params):
            shape = [extent_of(extent, extents) for extent in param.ty.shape]
            dtype = str(param.ty.dtype)
            if index in written:
                self.outputs.append(index)
                self.arrays.append(np.zeros(shape, dtype))
            else:
                domain = operator.domain.get(index) or random_array
                self.arrays.append(np.asarray(domain(rng, shape, dtype)))
        tensors = [tvm.runtime.tensor(array) for array in self.arrays]
        if operator.reference:
            function = operator.reference().with_attr("global_symbol", "main")
        tvm.compile(tvm.IRModule({"main": function}), target="llvm")["main"](*tensors)
        self.expected = {index: tensors[index].numpy() for index in self.outputs}


def written_parameters(function, text):
    """The parameters that a statement of the printed text stores to, by number."""
    stored = set(re.findall(r"^\s*(\w+)\[.*?\] = ", text, flags=re.M))
    signature = re.search(r"^def \w+\((.*)\)(?: -> .*)?:$", text, flags=re.M).group(1)
    names = re.findall(r"(\w+): T\.", signature)
    if len(names) != len(function.params):
        raise ValueError("the signature was not understood")
    return {number for number, name in enumerate(names) if name in stored}


def extent_of(extent, extents):
    """The value of a shape's extent; every free variable of the function gets its own."""
    if isinstance(extent, tvm.tirx.IntImm):
        return int(extent)
    if isinstance(extent, tvm.tirx.Var) or hasattr(extent, 'name'):
        return extents.setdefault(extent.name, SYMBOLIC_EXTENTS[len(extents) % len(SYMBOLIC_EXTENTS)])
    if isinstance(extent, (tvm.tirx.Add, tvm.tirx.Mul)):
        a, b = extent_of(extent.a, extents), extent_of(extent.b, extents)
        return a + b if isinstance(extent, tvm.tirx.Add) else a * b
    raise ValueError(f"extent {extent}")


def random_array(rng, shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.standard_normal(shape).astype(dtype)
    low = 0 if dtype.startswith("u") else -60
    return rng.integers(low, 60, shape).astype(dtype)


def run_tirb(command, case, folder):
    """(stage, reason): stage is 'same', or what failed: 'read', 'run', 'differs'."""
    source = folder / "program.py"
    source.write_text(case.text)
    bundle = folder / "program.tirb"
    done = invoke([command, "compile", source, "-o", bundle])
    if done.returncode != 0:
        return "read", first_error(done.stderr)
    words, saves = [], []
    for index, array in enumerate(case.arrays):
        path = folder / f"{index}.npy"
        np.save(path, array)
        words.append(f"@{path}")
        if index in case.outputs:
            saves += ["-o", f"@{folder / f'out{index}.npy'}"]
    done = invoke([command, "run", bundle, "-f", "main", *words, *saves])
    if done.returncode != 0:
        return "run", first_error(done.stderr)
    for index in case.outputs:
        problem = difference(np.load(folder / f"out{index}.npy"), case.expected[index], case.length)
        if problem:
            return "differs", problem
    return "same", None


def invoke(words):
    try:
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"no end after {PATIENCE} s")


def first_error(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")[-200:]


def difference(got, want, length):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.kind != "f":
        bad = got != want
    else:
        # The two sides may fuse, order sums and compute functions differently: a few units, and one per term of a sum.
        unit = np.finfo(want.dtype).eps * (16 + length)
        with np.errstate(invalid="ignore"):
            near = abs(got - want) <= unit * (abs(want) + max(1.0, np.nanmax(abs(want), initial=0.0) * 0.125))
        bad = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not bad.any():
        return None
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{got[index]!r} instead of {want[index]!r} at {list(index)} ({int(bad.sum())} of {bad.size})"


def report(results, refused):
    counts = {stage: sum(1 for _, got, _ in results if got == stage) for stage in ("read", "run", "differs", "same")}
    known = [name for name, stage, _ in results if stage != "same" and name.startswith(KNOWN_GAPS)] if KNOWN_GAPS else []
    failures = [(name, stage, reason) for name, stage, reason in results if stage != "same"]
    for name, stage, reason in failures:
        label = "gap " if name in known else "FAIL"
        print(f"{label} {name} ({stage}): {reason}")
    for name, stage, _ in results:
        if stage == "same" and KNOWN_GAPS and name.startswith(KNOWN_GAPS):
            print(f"note: {name} works now, take it off the list of gaps")
    total = len(results)
    print(f"{total} operators, {refused} more that TVM itself refuses; read {total - counts['read']}, "
          f"ran {total - counts['read'] - counts['run']}, same {counts['same']}, known gaps {len(known)}")
    print(f"{counts['same']} passed, {len(failures) - len(known)} failed")
    return 1 if len(failures) > len(known) else 0


def main():
    parser = argparse.ArgumentParser(description="Compares tirb with TVM on what TVM prints.")
    os.environ["TIRB_CACHE_DIR"] = ""  # compile each time
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=120, help="how many operators (default 120)")
    parser.add_argument("--full", action="store_true", help="all operators")
    parser.add_argument("--list", action="store_true", help="print the texts and run nothing")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    operators = [op for op in programs.operators() if not options.words or any(word in op.name for word in options.words)]
    if not (options.full or options.words or options.list):
        operators = random.Random(options.seed).sample(operators, min(options.sample, len(operators)))
    refused, results = 0, []
    with tempfile.TemporaryDirectory(prefix="tirb_interop_") as folder, concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = []
        for number, operator in enumerate(operators):
            case = Case(operator, options.seed)
            if case.refused:
                refused += 1
                print(f"TVM refuses {case.name}: {case.refused}")
            elif options.list:
                print(f"# ---- {case.name}\n{case.text}")
            else:
                place = pathlib.Path(folder) / str(number)
                place.mkdir()
                waiting.append((case.name, pool.submit(run_tirb, options.tirb, case, place)))
        results = [(name, *future.result()) for name, future in waiting]
    return report(results, refused)


if __name__ == "__main__":
    sys.exit(main())
