#!/usr/bin/env python3
"""Times the fused kernels of networks beside TVM and onnxruntime, and compares what they compute.

    fused.py [--tirb PATH] [--family NAME]... [--network NAME]... [--kernel NAME]... [--check] [--every N] [--json]
             [--seconds S] [--sample] [--keep FOLDER] [--list]

The networks are families.py's. TVM's Relax pipeline (DispatchSortScan, LegalizeOps, AnnotateTIROpPattern, FuseOps,
FuseTIR) leaves of each a sequence of PrimFuncs without a schedule; each that differs from all before it is a kernel
here, with the arguments that it has in its network, by what TVM computed so far. It is compiled by tirb from the text
that TVM prints, by TVM for LLVM as it stands, and onnxruntime has the same operators as a model, its weights as
constants. All run in turn on one thread, best of several rounds.

The figures are tirb's time over the others': below 1, tirb is faster. A call of onnxruntime from Python costs some
microseconds, which are in its time; `long` are the kernels where it takes 20 or more. Kernels that call a function of
the host (sorting) compute and are not timed; what is a part of an operator, whose rest is elsewhere, has no model, and
where onnxruntime computes other values than TVM that is said and its time left out.

--check compares tirb's results with TVM's and times nothing; --sample takes small networks alone. The exit status is 1
when something is wrong; times decide nothing."""
import argparse
import json
import math
import os
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import tvm
except ImportError:
    print("NumPy and TVM are not installed: skipped")
    sys.exit(77)

import families
import pipeline

import models

OVER, NEVER = 2.0, 4.0
LONG = 20e-6  # where what a call of onnxruntime costs is no matter
SAMPLE = ("adversarial_2", "flow", "lstm_2", "stepwise", "integer_residual_2", "half_token")
WORST = 20


class Compiled:
    """A kernel as TVM compiles it."""

    def __init__(self, kernel):
        self.call_packed = "call_packed" in kernel.text
        self.function = tvm.compile(kernel.module, pipeline.LLVM)["kernel"]

    def bind(self, arguments, results):
        tensors = [tvm.runtime.tensor(a) for a in arguments + results]
        return tensors[len(arguments):], lambda: self.function(*tensors)


class Walk:
    """The networks' kernels one after the other; those that are new are kept."""

    def __init__(self, options):
        self.options, self.known = options, {}

    def kernels(self, graph):
        """(kernel, its arguments, what TVM computes, TVM's call), for each that is new."""
        values = {t.name: t.value for t in graph.inputs + graph.weights}
        for kernel in pipeline.kernels_of(graph):
            arguments = [values[name] for name in kernel.inputs]
            new = kernel.text not in self.known
            if new:
                self.known[kernel.text] = Compiled(kernel)
            compiled = self.known[kernel.text]
            tensors, call = compiled.bind(arguments, kernel.zeros())
            call()
            results = [t.numpy() for t in tensors]
            values.update(zip(kernel.outputs, results))
            if new and not compiled.call_packed and self.is_chosen(kernel):
                yield kernel, arguments, results, call
        for t in graph.inputs + [op.output for op in graph.ops]:
            t.value = values.get(t.name, t.value)

    def is_chosen(self, kernel):
        return not self.options.kernel or kernel.name in self.options.kernel


def differs(found, expected, integers=0):
    """What is wrong, or None. Halves and floats by the models' tolerances, integers to the bit or by as many."""
    for y, value in zip(found, expected):
        if y.shape != value.shape or y.dtype != value.dtype:
            return f"{y.dtype}{list(y.shape)}, not {value.dtype}{list(value.shape)}"
        off = np.abs(y.astype("float64") - value.astype("float64"))
        if value.dtype.kind == "f":
            tolerance = models.TOLERANCE.get(str(value.dtype), models.USUAL_TOLERANCE)
            limit = tolerance * (1 + np.abs(value.astype("float64")))
        else:
            limit = integers
        same = (off <= limit) | (y == value) | ((y != y) & (value != value))
        if not same.all():
            at = tuple(int(i) for i in np.argwhere(~same)[0])
            return f"{list(at)} is {y[at]}, not {value[at]}: {(~same).sum()} of {same.size}"
    return None


def make_program(options, folder, kernel, arguments):
    names = kernel.parameters()
    results = names[len(arguments):]
    given = dict(zip(names, arguments + kernel.zeros()))
    return models.Program(options.tirb, folder, "kernel", kernel.text, given, results, function="kernel")


def make_onnxruntime(kernel):
    """(call, what is wrong with it); values of its operands are the network's."""
    if kernel.ops is None:
        return None, "a part of an operator"
    made = {op.output.name: op.output for op in kernel.ops}
    outputs = [made[name] for name in kernel.outputs if name in made]
    try:
        return models.make_onnxruntime(kernel.graph.some(kernel.ops, outputs), 1, wrong) or (None, "not installed")
    except Exception as error:  # pylint: disable=broad-exception-caught  # of onnxruntime's own kinds
        return None, str(error).splitlines()[0][:160]


def wrong(graph, found, _who):
    return differs(found, [t.value for t in graph.outputs], integers=1)


def measure(program, call, kernel, seconds):
    """Best times in seconds by who computes, and why onnxruntime does not."""
    ort, why = make_onnxruntime(kernel)
    times = {"tirb": math.inf, "tvm": math.inf, "ort": math.inf}
    for turn in range(2 * models.ROUNDS):
        if turn >= models.ROUNDS and times["tirb"] <= OVER * min(times["ort"], times["tvm"]):
            break  # what seems slow has more turns: another program may have taken the CPU
        times["tirb"] = min(times["tirb"], program.bench(1, seconds))
        times["tvm"] = min(times["tvm"], models.best(call, seconds))
        if ort and not why:
            times["ort"] = min(times["ort"], models.best(ort, seconds))
    return times, why


def run_network(family, name, graph, walk, options, folder):
    """Rows of the network's kernels, and what is wrong."""
    rows, failures, turns = [], [], []
    for number, (kernel, arguments, results, call) in enumerate(walk.kernels(graph)):
        if number % options.every:
            continue
        try:
            program = make_program(options, folder, kernel, arguments)
            problem = differs(program.results("--threads", "1"), results)
        except RuntimeError as error:
            problem = str(error)
        if problem:
            failures.append(f"{family}: {name}: {kernel.name}: {problem}")
            print("FAIL", failures[-1], flush=True)
        if options.keep:
            (pathlib.Path(options.keep) / f"{name}_{kernel.name[:100]}.py").write_text(kernel.text)
        row = {"family": family, "network": name, "kernel": kernel.name}
        rows.append(row)
        if not problem and not options.check:
            turns.append((row, kernel, arguments, call))
    for row, kernel, arguments, call in turns:
        times, row["no_ort"] = measure(make_program(options, folder, kernel, arguments), call, kernel, options.seconds)
        row.update(times)
        for peer in ("tvm", "ort"):
            row["to_" + peer] = times["tirb"] / times[peer] if times[peer] < math.inf else None
    return rows, failures


# ---- Figures --------------------------------------------------------------------------------------------------------


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def print_line(what, rows):
    ort, tvms = ([row[key] for row in rows if row.get(key)] for key in ("to_ort", "to_tvm"))
    long = [row["to_ort"] for row in rows if row.get("to_ort") and row["ort"] >= LONG]
    print(f"{what:<16}{len(rows):>8}{len(ort):>8}{geomean(ort):>9.2f}{sum(r > OVER for r in ort):>6}"
          f"{sum(r > NEVER for r in ort):>6}{max(ort, default=math.nan):>9.1f}{geomean(tvms):>10.3f}"
          f"{max(tvms, default=math.nan):>9.2f}{len(long):>8}{geomean(long):>9.2f}")


def print_report(rows):
    print(f"\n{'family':<16}{'kernels':>8}{'of both':>8}{'to ort':>9}{f'> {OVER:g}':>6}{f'> {NEVER:g}':>6}{'worst':>9}"
          f"{'to TVM':>10}{'worst':>9}{'long':>8}{'to ort':>9}")
    for family in dict.fromkeys(row["family"] for row in rows):
        print_line(family, [row for row in rows if row["family"] == family])
    print_line("all", rows)
    compared = [row for row in rows if row.get("to_ort")]
    print(f"\n{'us':>10}{'to ort':>8}{'to TVM':>8}  kernel, the worst first")
    for row in sorted(compared, key=lambda row: -row["to_ort"])[:WORST]:
        print(f"{row['tirb'] * 1e6:>10.1f}{row['to_ort']:>8.2f}{row['to_tvm']:>8.2f}"
              f"  {row['network']}: {row['kernel']}")
    without = [row for row in rows if row.get("no_ort")]
    if without:
        print(f"\nwithout onnxruntime ({len(without)}):")
        for row in without:
            print(f"  {row['network']}: {row['kernel'][:60]}: {row['no_ort']}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "build/release/bin/tirb"), metavar="PATH")
    parser.add_argument("--family", action="append", metavar="NAME", help="this family only (repeatable)")
    parser.add_argument("--network", action="append", metavar="NAME", help="this network only (repeatable)")
    parser.add_argument("--kernel", action="append", metavar="NAME", help="this kernel only (repeatable)")
    parser.add_argument("--sample", action="store_true", help="small networks alone")
    parser.add_argument("--check", action="store_true", help="compare, and time nothing")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth kernel of a network")
    parser.add_argument("--seconds", type=float, default=0.05, metavar="S", help="of one turn of one kernel")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the kernels' text here")
    parser.add_argument("--list", action="store_true", help="print the families and their networks")
    options = parser.parse_args()
    if options.sample:
        options.network = [*(options.network or ()), *SAMPLE]
    return options


def main():
    options = read_options()
    os.environ["TVM_NUM_THREADS"] = "1"
    rows, failures, walk = [], [], Walk(options)
    for family, networks in families.FAMILIES.items():
        for name, function, variant in networks:
            if (options.family and family not in options.family) or (options.network and name not in options.network):
                continue
            if options.list:
                print(f"{family}: {name}")
                continue
            with tempfile.TemporaryDirectory(prefix="tirb_networks_") as folder:
                found, wrongs = run_network(family, name, families.make(function, variant), walk, options,
                                            pathlib.Path(folder))
            rows, failures = rows + found, failures + wrongs
            if not options.check:
                print(f"{name}: {len(found)} kernels", file=sys.stderr, flush=True)
    if options.list:
        return 0
    if options.json:
        print(json.dumps(rows, indent=1))
    elif not options.check and rows:
        print_report(rows)
    if not options.json:
        print(f"{len(rows) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
