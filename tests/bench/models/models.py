#!/usr/bin/env python3
"""Times whole models beside onnxruntime and TVM, and compares what they compute with NumPy.

    models.py [--tirb PATH] [--check] [--kernels] [--json] [--seconds S] [MODEL...]

The models are networks.py's, small ones with random weights as constants. Each is compiled by tirb, by TVM's default
pipeline for its LLVM target and by onnxruntime, where these are installed; all run in turn, best of several rounds, and
the columns beside tirb's time are theirs over it: above 1, tirb is faster. tirb and onnxruntime have one thread, then
two; TVM runs unscheduled loops on one.

Sizes: the bundle beside its weights; `first` is from a start of `tirb run` to its end with results, less the same of a
program without constants; `peak` what a call takes, beside the largest set of values that are in use at one time; with
--kernels, `sum` is the model's time over those of its operators, each by itself.

--check compares results at one and two threads and with each operator a function by itself, and temporaries with the largest live set of each element size, which
has a block of its own, and times nothing. The exit
status is 1 when something is wrong; times decide nothing."""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

import networks

TOLERANCE = {"float16": 2e-2}  # of 1 + |value|
USUAL_TOLERANCE = 2e-4
ROUNDS = 3
KERNEL_SECONDS = 0.1  # of each operator by itself, its compilation and inputs included
MOST = 1.1  # of the largest live set
SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
EMPTY = "from tvm.script import tirx as T\n\n@T.prim_func\ndef main(a: T.Buffer((1,), \"float32\")):\n    a[0] = T.float32(0)\n"


class Program:
    """A program in a folder: one function, its arguments (arrays by name) and what names its results."""

    def __init__(self, tirb, folder, name, text, arguments, results, function="main"):
        self.tirb, self.folder, self.name, self.function = tirb, folder, name, function
        self.source, self.bundle = folder / f"{name}.py", folder / f"{name}.tirb"
        self.source.write_text(text)
        for word, value in arguments.items():
            np.save(folder / f"{word}.npy", value)
        self.arguments = [f"{word}=@{folder / word}.npy" for word in arguments]
        self.files = {word: folder / f"result_{word}.npy" for word in results}
        self.compile()

    def compile(self, *words):
        self.run("compile", str(self.source), "-o", str(self.bundle), *words)

    def run(self, *words):
        done = subprocess.run([self.tirb, *words], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"tirb {words[0]}: {done.stderr.strip()[:500]}")
        return done.stdout

    def call(self, *words):
        """Runs the program once; its results are in files."""
        out = [word for result, path in self.files.items() for word in ("-o", f"{result}=@{path}")]
        return self.run("run", str(self.bundle), "-f", self.function, *self.arguments, *out, *words)

    def results(self, *words):
        stats = self.call("--stats", *words)
        self.peak = int(re.search(r"peak memory: (\d+)", stats).group(1))
        return [np.load(path) for path in self.files.values()]

    def bench(self, threads, seconds):
        found = self.run("bench", str(self.bundle), "-f", self.function, *self.arguments, "--threads", str(threads), "--json",
                         "--time", str(seconds))
        return json.loads(found)["min_ns"] / 1e9


class Model(Program):
    """A model in a folder of its own."""

    def __init__(self, tirb, folder, graph, name):
        self.graph = graph
        super().__init__(tirb, folder, name, graph.text(bound=True), {t.name: t.value for t in graph.inputs},
                         range(len(graph.outputs)))

    def temporaries(self):
        """Bytes that the function itself allocates; None where sizes are known when it is called."""
        first = self.run("explain", str(self.source), "--ir", "-f", "main").split("\n# ")[0]
        total = 0
        for extents, bits in re.findall(r"^  alloc \S+\[([^\]]*)\]: [a-z]+(\d+)", first, re.MULTILINE):
            if not re.fullmatch(r"[\d, ]*", extents):
                return None
            total += math.prod(int(n) for n in extents.split(",") if n.strip()) * SIZES[bits]
        return total


def best(call, seconds):
    start, found = time.perf_counter(), math.inf
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - before)
    return found


def wrong(graph, found, who):
    for t, y in zip(graph.outputs, found):
        if y.shape != t.shape or y.dtype != t.value.dtype:
            return f"{who} gives {y.dtype}{y.shape}, not {t.dtype}{t.shape}"
        off = np.abs(y.astype("float64") - t.value) / (1 + np.abs(t.value))
        if not (off <= TOLERANCE.get(str(t.value.dtype), USUAL_TOLERANCE)).all():
            return f"{who} is off by {off.max():.3g}"
    return None


def check(model):
    """What is wrong, or None; sets model.peak."""
    model.compile("--disable", "operators")
    apart = model.results()
    model.compile()
    one, two = model.results("--threads", "1"), model.results("--threads", "2")
    for other, what in ((two, "two threads give"), (apart, "operators that are functions each give")):
        if any(a.tobytes() != b.tobytes() for a, b in zip(one, other)):
            return f"{what} other bits"
    taken, live = model.temporaries(), sum(model.graph.largest_live_set(size) for size in (1, 2, 4, 8))
    if taken is not None and taken > MOST * live:
        return f"{taken} bytes of temporaries, where {live} are in use at one time"
    return wrong(model.graph, one, "tirb")


# ---- Peers ----------------------------------------------------------------------------------------------------------


def make_tvm(graph):
    """A call of the model as TVM compiles it, or None."""
    try:
        import tvm
        from tvm import relax
    except ImportError:
        return None
    if not tvm.runtime.enabled("llvm"):
        return None
    mod = tvm.script.from_source(graph.text(bound=False))
    mod = relax.transform.BindParams("main", {w.name: w.value for w in graph.weights})(mod)
    machine = relax.VirtualMachine(tvm.compile(mod, "llvm"), tvm.cpu())
    inputs = [tvm.runtime.tensor(t.value) for t in graph.inputs]

    def call():
        return machine["main"](*inputs)

    result = call()
    arrays = [r.numpy() for r in (result if len(graph.outputs) > 1 else [result])]
    return call, wrong(graph, arrays, "TVM")


def make_onnxruntime(graph, threads, judge=wrong):
    """A call of the model as onnxruntime compiles it and what is wrong with its results, or None."""
    try:
        import onnxruntime
        from onnx import helper, numpy_helper
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(graph.onnx(helper, numpy_helper).SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    inputs = {t.name: t.value for t in graph.inputs}

    def call():
        return session.run(None, inputs)

    return call, judge(graph, call(), "onnxruntime")


def missing():
    """The peers that are not here, each with what it needs."""
    found = []
    for name, package in (("tvm", "apache-tvm"), ("onnxruntime", "onnxruntime"), ("onnx", "onnx")):
        try:
            __import__(name)
        except ImportError:
            found.append(package)
    return found


# ---- Figures --------------------------------------------------------------------------------------------------------


def first_result(model, empty):
    """Seconds to a first result, files read and written, less what starting a program takes."""
    def start():
        model.run("run", str(empty), "-f", "main", "1xf32=1")

    return min(best(model.call, 0.2), best(model.call, 0.2)) - min(best(start, 0.2), best(start, 0.2))


def sum_of_kernels(tirb, folder, graph, seconds):
    """Of the operators each by itself, on one thread."""
    known, total = {}, 0.0
    for i, own in enumerate(graph.kernels()):
        op = own.ops[0]
        key = (op.text, tuple((t.shape, t.dtype, t.kind) for t in op.inputs))
        if key not in known:
            known[key] = Model(tirb, folder, own, f"op{i}").bench(1, seconds)
        total += known[key]
    return total


def measure(model, options, empty):
    graph, row = model.graph, {"model": model.name, "ops": len(model.graph.ops)}
    peers = {"tvm": make_tvm(graph), "ort": make_onnxruntime(graph, 1), "ort2": make_onnxruntime(graph, 2)}
    times = {name: math.inf for name in ("tirb", "tirb2", *peers)}
    for _ in range(ROUNDS):
        for threads, name in ((1, "tirb"), (2, "tirb2")):
            times[name] = min(times[name], model.bench(threads, options.seconds))
        for name, peer in peers.items():
            if peer:
                times[name] = min(times[name], best(peer[0], options.seconds))
    row["us"], row["us2"] = times["tirb"] * 1e6, times["tirb2"] * 1e6
    for name, base in (("tvm", "tirb"), ("ort", "tirb"), ("ort2", "tirb2")):
        row[name] = times[name] / times[base] if peers[name] and not peers[name][1] else None
        if peers[name] and peers[name][1]:
            print(f"{model.name}: {peers[name][1]}", file=sys.stderr)
    row["bundle"], row["weights"] = model.bundle.stat().st_size, graph.weight_bytes()
    row["first_ms"] = first_result(model, empty) * 1e3
    row["peak"], row["temporaries"], row["live"] = model.peak, model.temporaries(), graph.largest_live_set()
    row["sum"] = times["tirb"] / sum_of_kernels(model.tirb, model.folder, graph, KERNEL_SECONDS) if options.kernels else None
    return row


COLUMNS = (("ops", "{:5d}"), ("us", "{:9.1f}"), ("us2", "{:9.1f}"), ("tvm", "{:7.2f}"), ("ort", "{:6.2f}"), ("ort2", "{:6.2f}"),
           ("bundle", "{:9d}"), ("weights", "{:9d}"), ("first_ms", "{:8.2f}"), ("peak", "{:9d}"), ("temporaries", "{:11d}"),
           ("live", "{:9d}"), ("sum", "{:6.2f}"))


def width(form):
    return int(re.search(r":(\d+)", form).group(1))


def print_row(row):
    cells = [form.format(row[key]) if row[key] is not None else "-".rjust(width(form)) for key, form in COLUMNS]
    print(f"{row['model']:18}", *cells, flush=True)


def print_means(rows):
    for key in ("tvm", "ort", "ort2", "sum"):
        found = [row[key] for row in rows if row[key]]
        if found:
            print(f"geometric mean of {key}: {math.exp(sum(map(math.log, found)) / len(found)):.3f} ({len(found)} models)")


def main():
    parser = argparse.ArgumentParser(description="Times whole models, and checks them.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "build/release/bin/tirb"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    options = parser.parse_args()
    os.environ["TVM_NUM_THREADS"] = "1"
    rows, failed, passed = [], 0, 0
    if not options.check:
        for package in missing():
            print(f"{package} is not installed: no column of it", file=sys.stderr)
        print(" " * 18, *(key.rjust(width(form)) for key, form in COLUMNS))
    with tempfile.TemporaryDirectory(prefix="tirb_models_") as name:
        empty = pathlib.Path(name) / "empty.tirb"
        (pathlib.Path(name) / "empty.py").write_text(EMPTY)
        subprocess.run([options.tirb, "compile", str(empty.with_suffix(".py")), "-o", str(empty)], check=True)
        for make in networks.MODELS:
            if options.models and make.__name__ not in options.models:
                continue
            folder = pathlib.Path(name) / make.__name__
            folder.mkdir()
            graph, graph.outputs = make()
            try:
                model = Model(options.tirb, folder, graph, make.__name__)
                problem = check(model)
            except RuntimeError as error:
                problem = str(error)
            if problem:
                print(f"WRONG {make.__name__}: {problem}")
                failed += 1
                continue
            passed += 1
            if not options.check:
                rows.append(measure(model, options, empty))
                print_row(rows[-1])
    if options.json:
        print(json.dumps(rows))
    elif rows:
        print_means(rows)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
