#!/usr/bin/env python3
"""Times peers on the benchmark's kernels: TVM on the same script, unscheduled; the C loops as WebAssembly with SIMD128 in
wasmtime; and NumPy and numexpr where one has the words.

    peers.py [--bench PATH] [--json] [--repeat N] [WORD...]

Runs `bench --json` with the WORDs, then each peer that is installed on the same kernels at the same sizes with one
thread, best of N rounds, and prints times relative to gcc -O3 (from the same machine, but not from the same process).
A peer's figure is left out where the peer cannot compute the kernel. The WebAssembly is made by clang with WASI's C
library (packages lld, wasi-libc and libclang-rt-dev-wasm32) and run by the Python package wasmtime."""
import argparse
import ctypes
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "TVM_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)
try:
    import tvm
except ImportError:
    tvm = None
try:
    import numexpr
except ImportError:
    numexpr = None
try:
    import wasmtime
except ImportError:
    wasmtime = None

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROUND = 0.01  # seconds that a round takes at least
MOST = 3.0  # seconds for all rounds of a kernel
PACKAGES = {"tvm": "apache-tvm", "wasm": "wasmtime"}


def softmax(a):
    power = np.exp(a - a.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def grouped(a, gamma, beta):
    """Sums, sums of squares, and what is normalised by them."""
    sums, squares, count = a.sum((2, 3, 4)), np.einsum("ngdhw,ngdhw->ng", a, a), a[0, 0].size
    mean = sums / count
    scale = 1 / np.sqrt(squares / count - mean * mean + np.float32(1e-5))
    centered = (a - mean[..., None, None, None]) * scale[..., None, None, None]
    return sums, squares, centered * gamma[..., None, None] + beta[..., None, None]


def perceptron(x, *layers):
    for w, b in zip(layers[::2], layers[1::2]):
        x = np.maximum(np.einsum("bi,oi->bo", x, w) + b, 0)
    return x


def kronecker(w0, w1, w2, x):
    xw2 = np.einsum("mxyz,fz->mxyf", x, w2, optimize=True)
    xw1 = np.einsum("mxyf,ey->mxef", xw2, w1, optimize=True)
    return np.einsum("mxef,dx->mdef", xw1, w0, optimize=True), xw1, xw2


def group_convolution(a, k, b):
    windows = np.lib.stride_tricks.sliding_window_view(a, k.shape[3:], (3, 4))
    return np.einsum("ngchwyx,gfcyx->ngfhw", windows, k, optimize=True) + b[..., None, None]


def causal(data, w, b, before):
    return np.einsum("bct,lc->blt", data, w[..., 1]) + np.einsum("bct,lc->blt", before, w[..., 0]) + b[:, None]


def wavenet(data, filter_w, filter_b, gate_w, gate_b, res_w, res_b, skip_w, skip_b, dilation):
    before = np.pad(data, ((0, 0), (0, 0), (len(dilation), 0)))[..., :data.shape[2]]
    filtered, gate = causal(data, filter_w, filter_b, before), causal(data, gate_w, gate_b, before)
    both = np.tanh(filtered) / (1 + np.exp(-gate))
    return filtered, gate, both, data + res_b[:, None] + res_w @ both, skip_w @ both + skip_b[:, None]


def normalised(a, gamma, beta):
    center = a - a.mean(axis=1, keepdims=True)
    return center / np.sqrt((center * center).mean(axis=1, keepdims=True) + 1e-5) * gamma + beta


# What NumPy users write, given the inputs and updated parameters in order.
NUMPY = {
    "saxpy": lambda a, x, y: np.add(np.multiply(x, np.float32(a)), y, out=y),
    "relu_affine": lambda x, s, t: np.maximum(x * s + t, 0),
    "chain8": lambda x, a, b: np.abs(np.square(np.clip((x + np.float32(a)) * np.float32(b) - x, -0.5, 0.75)) - np.float32(b)) + x,
    "scale_f16": lambda x: x * np.float16(0.75),
    "exp": np.exp,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "softmax": softmax,
    "layer_norm": normalised,
    "sum": np.sum,
    "dot": np.dot,
    "maximum": np.max,
    "argmax": lambda a: np.argmax(a, axis=1),
    "mean_variance": lambda a: (a.mean(axis=1), a.var(axis=1)),
    "row_sums": lambda a: a.sum(axis=1),
    "column_sums": lambda a: a.sum(axis=0),
    "matmul": np.matmul,
    "matmul_f64": np.matmul,
    "matmul_tn": lambda a, b: a.T @ b,
    "matmul_nt": lambda a, b: a @ b.T,
    "matmul_batched": np.matmul,
    "gemv": np.matmul,
    "gemv_t": lambda a, x: a.T @ x,
    "attention": lambda q, k, v: softmax(q @ k.T * np.float32(0.125)) @ v,
    "dense_relu": lambda x, w, b: np.maximum(x @ w.T + b, 0),
    "transpose": lambda a: np.ascontiguousarray(a.T),
    "transpose_4d": lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
    "nchw_to_nhwc": lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
    "nhwc_to_nchw": lambda a: np.ascontiguousarray(a.transpose(0, 3, 1, 2)),
    "pad": lambda a: np.pad(a, ((2, 2), (3, 3))),
    "concat": lambda a, b: np.concatenate((a, b), axis=1),
    "gather_rows": lambda table, ids: table[ids],
    "scatter_add": lambda rows, ids, out: np.add.at(out, ids, rows),
    "histogram": lambda a: np.bincount(a, minlength=256),
    "prefix_sum": lambda a: np.cumsum(a, dtype=np.int32),
    "insertion_sort": np.sort,
    "binary_search": np.searchsorted,
    "tmm": lambda a, b: np.einsum("mk,nk->mn", a, b, optimize=True),
    "tbmm": lambda x, y: np.einsum("bnm,bkm->bnk", x, y, optimize=True),
    "gconv": group_convolution,
    "lut_1": lambda table, ids: table[ids].sum(1),
    "lut_2": lambda table1, ids1, table2, ids2: (table1[ids1].sum(1), table2[ids2].sum(1)),
    "mlp_1": lambda x, w, b: np.maximum(np.einsum("bm,mn->bn", x, w, optimize=True) + b, 0),
    "mlp_3": perceptron,
    "c3": lambda x, w: np.einsum("bx,yx->by", x, w, optimize=True),
    "kronecker": kronecker,
    "group_norm": grouped,
    "moments": lambda a: (a.mean(1), np.einsum("nk,nk->n", a, a) / a.shape[1] - a.mean(1)**2),
    "wavenet": wavenet,
}

# numexpr: the names of the inputs in order, and the expression.
NUMEXPR = {
    "saxpy": ("a x y", "a * x + y"),
    "relu_affine": ("x s t", "where(x * s + t > 0, x * s + t, 0)"),
    "exp": ("x", "exp(x)"),
    "sigmoid": ("x", "1 / (1 + exp(-x))"),
    "tanh": ("x", "tanh(x)"),
}


def arguments(row):
    """Random values for the parameters, as the benchmark makes them but with other numbers."""
    rng = np.random.default_rng(1)
    made = []
    for param in row["params"]:
        if "shape" not in param:
            made.append(param["value"])
            continue
        shape, kind = param["shape"], np.dtype(param["type"])
        if param["role"] == "output":
            made.append(np.zeros(shape, kind))
        elif param["step"]:
            made.append((np.arange(math.prod(shape)) * param["step"]).astype(kind).reshape(shape))
        elif kind.kind == "f":
            made.append(rng.uniform(0 if param["range"] else -1, 1, shape).astype(kind))
        else:
            low = -128 if kind == np.int8 else 0
            made.append(rng.integers(low, low + (param["range"] or 256), shape).astype(kind))
    return made


def best_time(repeat, rounds, reset=None):
    """Seconds of one call, the best of some rounds; repeat(N) calls N times. With `reset`, which makes the arguments new,
    a round is one call."""

    def clocked(count):
        if reset:
            reset()
        start = time.perf_counter()
        repeat(count)
        return time.perf_counter() - start

    clocked(1)
    once = max(clocked(1), 1e-7)
    count = 1 if reset else max(1, int(ROUND / once))
    best = once
    for _ in range(max(2, min(rounds, int(MOST / (once * count))))):
        best = min(best, clocked(count) / count)
    return best


def called(function, *given):
    """function(*given), as `best_time` repeats it."""

    def repeat(count):
        for _ in range(count):
            function(*given)

    return repeat


class Wasm:
    """The C loops as a WebAssembly module, and the arguments of one kernel in its memory."""

    def __init__(self):
        compiler = shutil.which("clang")
        if not (wasmtime and compiler):
            raise OSError("wasmtime or clang is not installed")
        with tempfile.TemporaryDirectory() as folder:
            module = f"{folder}/twins.wasm"
            command = [compiler, "--target=wasm32-wasi", "-O3", "-msimd128", "-mexec-model=reactor", "-DTWIN_TABLE=twins",
                       "-I", ROOT, "-I", ROOT / "include", "-idirafter", "/usr/include", "-Wl,--max-memory=4294967296",
                       HERE / "wasm/module.c", HERE / "twins.c", "-o", module]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                raise OSError(next((line for line in done.stderr.splitlines() if "error" in line), "clang failed"))
            engine = wasmtime.Engine()
            linker = wasmtime.Linker(engine)
            linker.define_wasi()
            self.store = wasmtime.Store(engine)
            self.store.set_wasi(wasmtime.WasiConfig())
            self.exports = linker.instantiate(self.store, wasmtime.Module.from_file(engine, module)).exports(self.store)
        self.call("_initialize")

    def call(self, name, *given):
        return self.exports[name](self.store, *given)

    def put(self, address, data):
        base = ctypes.addressof(self.exports["memory"].data_ptr(self.store).contents)
        ctypes.memmove(base + address, data.ctypes.data, data.nbytes)

    def take(self, size):
        address = self.call("take", size) & 0xFFFFFFFF
        if not address:
            raise MemoryError("the module has no memory left")
        return address

    def time(self, twin, values, rounds, fresh):
        """Seconds of one call."""
        name = np.frombuffer(twin.encode() + b"\0", np.uint8)
        arrays = {param: value for param, value in enumerate(values) if isinstance(value, np.ndarray)}
        taken = [self.take(name.nbytes), self.take(2 * max(value.nbytes for value in arrays.values()) + 64)]
        self.put(taken[0], name)
        self.call("set_scratch", taken[1])
        addresses = {}
        try:
            for param, value in enumerate(values):
                if param not in arrays:
                    self.call("set_scalar", param, float(value))
                    continue
                addresses[param] = self.take(value.nbytes)
                taken.append(addresses[param])
                self.call("set_data", param, addresses[param])
                for dimension, extent in enumerate(value.shape):
                    self.call("set_extent", param, dimension, extent)

            def reset():
                for param, address in addresses.items():
                    self.put(address, arrays[param])

            reset()
            number = self.call("find", taken[0])
            return best_time(lambda count: self.call("repeat", number, count), rounds, reset if fresh else None)
        finally:
            for address in taken:
                self.call("give", address)


class Peers:
    def __init__(self, rounds):
        self.rounds = rounds
        self.modules, self.functions = {}, {}
        try:
            self.twins = Wasm()
        except OSError as error:
            self.twins = None
            print(f"no WebAssembly: {error}", file=sys.stderr)

    def tvm_function(self, row):
        file, name = row["class"].split(" ")[0], row["kernel"]
        if file not in self.modules:
            self.modules[file] = tvm.script.from_source((HERE / "kernels" / f"{file}.py").read_text())
        if (file, name) not in self.functions:
            function = self.modules[file][name]
            target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})
            function = function.with_attr("global_symbol", name)
            self.functions[file, name] = tvm.compile(tvm.IRModule({name: function}), target=target)[name]
        return self.functions[file, name]

    def tvm(self, row):
        function = self.tvm_function(row)
        values = arguments(row)
        made = [tvm.runtime.tensor(value) if isinstance(value, np.ndarray) else value for value in values]

        def reset():
            for tensor, value in zip(made, values):
                if isinstance(value, np.ndarray):
                    tensor.copyfrom(value)

        return best_time(called(function, *made), self.rounds, reset if row["fresh"] else None)

    def wasm(self, row):
        return self.twins.time(row["twin"], arguments(row), self.rounds, row["fresh"])

    def inputs(self, row):
        return [value for param, value in zip(row["params"], arguments(row)) if param["role"] != "output"]

    def numpy(self, row):
        call, inputs = NUMPY[row["kernel"]], self.inputs(row)
        return best_time(called(call, *inputs), self.rounds)

    def numexpr(self, row):
        names, expression = NUMEXPR[row["kernel"]]
        values = [np.float32(v) if isinstance(v, float) else v for v in self.inputs(row)]
        given = dict(zip(names.split(), values))
        return best_time(called(numexpr.evaluate, expression, given), self.rounds)

    def time(self, peer, row):
        try:
            return getattr(self, peer)(row)
        except KeyError:
            return None  # it has no words for the kernel
        except Exception as error:  # pylint: disable=broad-except
            print(f"{peer}: {row['kernel']}: {str(error).strip().splitlines()[-1:]}", file=sys.stderr)
            return None


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/release/bin/bench", metavar="PATH")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeat", type=int, default=7, metavar="N")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    done = subprocess.run([options.bench, "--json", *options.words], stdout=subprocess.PIPE, text=True)
    table = json.loads(done.stdout)
    peers = Peers(options.repeat)
    has = {"numpy": np, "tvm": tvm, "numexpr": numexpr, "wasm": peers.twins and wasmtime}
    names = [name for name, module in has.items() if module]
    for row in table["rows"]:
        for name in names:
            seconds = peers.time(name, row)
            if seconds:
                row[name] = {"best_ns": seconds * 1e9, "ratio": seconds * 1e9 / row["gcc_o3"]["best_ns"]}
    table["peers"] = {name: module and version(PACKAGES.get(name, name)) for name, module in has.items()}
    if options.json:
        json.dump(table, sys.stdout, indent=1)
        return 0
    columns = ["tirb", "gcc_ofast", "blas", *names]
    print("time relative to gcc -O3;", ", ".join(f"{name} {version or 'is not installed'}" for name, version in table["peers"].items()))
    print(f"{'kernel':<20}{'size':<7}", *(f"{column:>9}" for column in columns))

    def cell(value):
        return f"{value:>9.3f}" if value else " " * 9

    for row in table["rows"]:
        ratios = [row["tirb"]["best_ns"] / row["gcc_o3"]["best_ns"]]
        ratios += [row[c]["best_ns"] / row["gcc_o3"]["best_ns"] if c in row else None for c in columns[1:]]
        row["shown"] = ratios
        print(f"{row['kernel']:<20}{row['size'].split()[0]:<7}", *map(cell, ratios))
    for group in dict.fromkeys(row["class"] for row in table["rows"]):
        rows = [row["shown"] for row in table["rows"] if row["class"] == group]
        print(f"{group:<27}", *(cell(geomean([row[i] for row in rows if row[i]])) for i in range(len(columns))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
