#!/usr/bin/env python3
"""What tirb costs beside the loops themselves, and TVM's figures from the same machine in the same run.

    costs.py [--costs PATH] [--json]

Runs `costs` over the kernels of tests/kernels and tests/bench, then measures for TVM with its LLVM back end, where it is
installed: compiling each function, source text to the end of the first call, opening a library, a call with one tensor and
with four, a parallel loop of two iterations with nothing to do, its workers awake and asleep, and two threads against one."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
os.environ["TVM_NUM_THREADS"] = "2"
try:
    import numpy as np
    import tvm
except ImportError:
    tvm = None

TESTS = pathlib.Path(__file__).resolve().parents[2]
ADDS = """@T.prim_func(s_tir=True)
def main(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), c: T.Buffer(("n",), "float32"),
         out: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        out[i] = a[i] + b[i] + c[i]
"""
COPIES = """@T.prim_func(s_tir=True)
def main(out: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        out[i] = out[i] * T.float32(0.5)
"""
FORKS = """@T.prim_func(s_tir=True)
def main(out: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in T.parallel(2):
        out[i] = 1.0
"""
WORKS = """@T.prim_func(s_tir=True)
def main(out: T.Buffer((32768,), "float32")):
    for i in %s(16):
        for j in range(2048):
            out[i * 2048 + j] = T.exp(T.sin(T.exp(T.sin(out[i * 2048 + j]))))
"""


def sources():
    files = sorted([*(TESTS / "kernels").glob("*.py"), *(TESTS / "bench/kernels").glob("*.py")])
    return [file for file in files if "@T.prim_func" in file.read_text() and "import numpy" not in file.read_text()]


def compiled(function):
    return tvm.compile(tvm.IRModule({"main": function.with_attr("global_symbol", "main")}), target={"kind": "llvm"})


def clocked(action):
    start = time.perf_counter()
    made = action()
    return time.perf_counter() - start, made


def best(action, rounds):
    return min(clocked(action)[0] for _ in range(rounds))


def call_seconds(text, n_tensors):
    """One call from Python, of a function that is packed once; the best of some thousand at a time."""
    function = compiled(tvm.script.from_source(text))["main"]
    tensors = [tvm.runtime.tensor(np.zeros(16, "float32")) for _ in range(n_tensors)]

    def calls():
        for _ in range(2000):
            function(*tensors)

    return best(calls, 20) / 2000


def parked_seconds(text):
    """One call after some milliseconds of rest."""
    function = compiled(tvm.script.from_source(text))["main"]
    tensor = tvm.runtime.tensor(np.zeros(16, "float32"))

    def rested():
        time.sleep(0.005)
        return clocked(lambda: function(tensor))[0]

    return min(rested() for _ in range(100))


def work_seconds(loop):
    function = compiled(tvm.script.from_source(WORKS % loop))["main"]
    tensor = tvm.runtime.tensor(np.zeros(32768, "float32"))
    return best(lambda: function(tensor), 50)


def compile_seconds(files):
    total = count = 0
    for file in files:
        try:
            module = tvm.script.from_source(file.read_text())
        except Exception:  # TVM's refusals come as many types
            continue
        functions = module.functions.values() if isinstance(module, tvm.IRModule) else [module]
        for function in functions:
            try:
                total += clocked(lambda function=function: compiled(function))[0]
                count += 1
            except Exception:  # TVM's refusals come as many types
                continue
    return total / count


def tvm_figures(files):
    tensors = [tvm.runtime.tensor(np.zeros(16, "float32")) for _ in range(4)]
    call_seconds(COPIES, 1)  # what TVM does once

    def first_call():
        compiled(tvm.script.from_source(ADDS))["main"](*tensors)

    with tempfile.TemporaryDirectory() as folder:
        opened = []
        for number in range(10):
            path = f"{folder}/{number}.so"
            compiled(tvm.script.from_source(ADDS)).export_library(path)
            opened.append(clocked(lambda path=path: tvm.runtime.load_module(path)["main"])[0])
    one, four, fork = call_seconds(COPIES, 1), call_seconds(ADDS, 4), call_seconds(FORKS, 1)
    return {"compile_function_us": compile_seconds(files) * 1e6, "text_to_first_call_us": best(first_call, 10) * 1e6,
            "bundle_to_callable_us": min(opened) * 1e6, "call_1_tensor_ns": one * 1e9, "call_4_tensors_ns": four * 1e9,
            "fork_join_hot_us": (fork - one) * 1e6, "fork_join_parked_us": (parked_seconds(FORKS) - parked_seconds(COPIES)) * 1e6,
            "two_threads_long": work_seconds("range") / work_seconds("T.parallel")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--costs", default="build/release/bin/costs", metavar="PATH")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = sources()
    done = subprocess.run([options.costs, "--json", *map(str, files)], stdout=subprocess.PIPE, text=True, check=True)
    figures = {name: {"tirb": value} for name, value in json.loads(done.stdout).items()}
    for name, value in (tvm_figures(files) if tvm else {}).items():
        figures[name]["tvm"] = value
    if options.json:
        json.dump(figures, sys.stdout, indent=1)
        return 0
    print(f"{'':<28}{'tirb':>12}{'TVM ' + tvm.__version__ if tvm else '':>16}   (TVM's calls are made from Python)")
    for name, pair in figures.items():
        print(f"{name:<28}{pair['tirb']:>12.4g}" + (f"{pair['tvm']:>16.4g}" if "tvm" in pair else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
