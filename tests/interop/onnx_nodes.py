#!/usr/bin/env python3
"""ONNX's own tests of its operators, through TVM's front end: what TVM itself gets right, tirb must get right.

    onnx_nodes.py TIRB [--every N] [--seed N] [--verbose] [name ...]

Each is a model of one operator (or few) with inputs and outputs, which the onnx package has. A case is passed where
tirb gives the outputs within the test's tolerance. Where it does not, TVM is asked: what TVM does not convert, compile
or get right is counted as beyond TVM; what it gets right is beyond tirb, if it is listed below, or has failed. Ends with
`N passed, N failed`."""
import argparse
import collections
import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
try:
    import ml_dtypes  # noqa: F401: types that NumPy has not
    import numpy as np
    import onnx
    import onnx.reference
    import tvm
    from onnx import TensorProto, helper
    from tvm import relax
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "compiler" / "python"))
import import_model  # noqa: E402: lies beside the compiler

# What tirb cannot do and TVM can, by the beginnings of the cases' names; and what TVM gets right by chance.
BEYOND = {
    "operands of unknown type": ("optional",),
    "bfloat16 that is two units in the last place off, as TVM's is elsewhere in it": (
        "attention_3d_causal_bf16", "attention_4d_padded_kv_bf16"),
    "shifts by a type's width or more, or back, which TVM leaves open": ("bitshift_left_int8_", "bitshift_right_int8_"),
}
PATIENCE = 60


# Operators as older versions of ONNX have them: kind, version, shapes of inputs, numbers of outputs, attributes.
OLDER = [
    ("Slice", 9, [(4, 5, 6)], 1, {"starts": [1, -3], "ends": [4, 1000], "axes": [1, 2]}),
    ("Slice", 7, [(4, 5)], 1, {"starts": [1, 0], "ends": [3, -1]}),
    ("Pad", 9, [(2, 3, 4)], 1, {"pads": [0, 1, 2, 0, 0, 1], "mode": "constant", "value": 1.5}),
    ("Pad", 7, [(2, 3, 4)], 1, {"pads": [0, 1, 2, 0, 0, 1], "mode": "reflect"}),
    ("Clip", 9, [(2, 3)], 1, {"min": -0.5, "max": 0.5}),
    ("Clip", 6, [(2, 3)], 1, {"max": 0.5}),
    ("TopK", 9, [(3, 6)], 2, {"axis": -1, "k": 2}),
    ("Softmax", 9, [(2, 12)], 1, {}),
    ("LogSoftmax", 8, [(2, 3, 4)], 1, {"axis": 2}),
    ("Split", 9, [(2, 6)], 2, {"axis": 1, "split": [2, 4]}),
    ("Squeeze", 9, [(2, 1, 3)], 1, {"axes": [1]}),
    ("Unsqueeze", 9, [(2, 3)], 1, {"axes": [0, 3]}),
    ("ReduceSum", 9, [(2, 3, 4)], 1, {"axes": [1], "keepdims": 0}),
    ("ReduceMax", 11, [(2, 3, 4)], 1, {"axes": [-1]}),
    ("Flatten", 9, [(2, 3, 4)], 1, {"axis": 2}),
    ("Gemm", 9, [(2, 3), (4, 3), (4,)], 1, {"transB": 1, "alpha": 0.5}),
    ("MaxPool", 9, [(1, 2, 5, 6)], 1, {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("Conv", 9, [(1, 2, 5, 6), (3, 2, 3, 3)], 1, {"pads": [1, 1, 1, 1]}),
    ("PRelu", 9, [(2, 3, 4), (3, 1)], 1, {}),
    ("Dropout", 9, [(2, 3)], 1, {"ratio": 0.5}),
    ("ArgMax", 9, [(3, 4)], 1, {"axis": 1, "keepdims": 0}),
]


def older_cases():
    rng = np.random.default_rng(7)
    for number, (kind, version, shapes, n_outputs, attributes) in enumerate(OLDER):
        arrays = [rng.uniform(-2, 2, shape).astype("float32") for shape in shapes]
        names = [f"x{i}" for i in range(len(arrays))], [f"y{i}" for i in range(n_outputs)]
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in zip(names[0], arrays)]
        graph = helper.make_graph([helper.make_node(kind, *names, **attributes)], "older", inputs,
                                  [onnx.ValueInfoProto(name=name) for name in names[1]])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=7)
        model = onnx.shape_inference.infer_shapes(model)
        outputs = onnx.reference.ReferenceEvaluator(model).run(None, dict(zip(names[0], arrays)))
        yield f"older_{kind.lower()}_{number}", model, (arrays, outputs), 1e-3, 1e-6


def cases():
    """Name, model, inputs and outputs, tolerances."""
    yield from older_cases()
    from onnx.backend.test.case.node import collect_testcases
    from onnx.backend.test.loader import load_model_tests
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        collected = collect_testcases(None)
    for case in collected:
        yield case.name, case.model, case.data_sets[0], case.rtol, case.atol
    for kind in ("pytorch-operator", "pytorch-converted", "simple"):
        for case in load_model_tests(kind=kind):
            folder = pathlib.Path(case.model_dir)
            yield case.name, folder / "model.onnx", folder / "test_data_set_0", case.rtol, case.atol


def tensor_of(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return onnx.numpy_helper.to_array(tensor)


def loaded(model, data):
    """The same for what lies in files."""
    if not isinstance(model, pathlib.Path):
        return model, [[onnx.numpy_helper.to_array(v) if isinstance(v, TensorProto) else v for v in side] for side in data]
    sides = [[tensor_of(data / f"{side}_{i}.pb") for i in range(len(list(data.glob(f"{side}_*"))))]
             for side in ("input", "output")]
    return onnx.load(model), sides


def is_tensor(value):
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "OUSM"


def with_constants(model, inputs):
    """The model whose inputs that are small rows of integers, or numbers, are constants, as models have them."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    given = list(model.graph.input)
    left = []
    del model.graph.input[:]
    for i, (info, value) in enumerate(zip(given, inputs)):
        if (i > 0 or value.ndim == 0) and value.ndim <= 1 and value.size <= 16 and (value.ndim == 0 or value.dtype == "int64"):
            model.graph.initializer.append(onnx.numpy_helper.from_array(value, info.name))
        else:
            model.graph.input.append(info)
            left.append(value)
    return model, left


def run_by_tirb(tirb, folder, text, values, n):
    """The results, or None and why there are none."""
    source = folder / "case.py"
    source.write_text(text, encoding="utf-8")
    command = [tirb, "run", str(source), "-f", "main"]
    for i, value in enumerate(values):
        kind = import_model.RAW.get(str(value.dtype))
        np.save(folder / f"{i}.npy", value.view(f"uint{8 * value.itemsize}") if kind else value)
        command.append(f"@{folder}/{i}.npy" + (f":{kind}" if kind else ""))
    for i in range(n):
        command += ["-o", f"{i}=@{folder}/out{i}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return None, next((line for line in lines if "warning:" in line or "error:" in line), lines[0])
    return [np.load(folder / f"out{i}.npy") for i in range(n)], ""


def flat(value):
    if isinstance(value, (tuple, list)) or type(value).__name__ in ("Array", "ShapeTuple", "Shape"):
        return [x for v in value for x in flat(v)]
    return [value.numpy() if hasattr(value, "numpy") else np.asarray(value)]


def run_by_tvm(module, inputs):
    try:
        machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
        return flat(machine["main"](*[tvm.runtime.tensor(x) for x in inputs])), ""
    except Exception as problem:  # TVM's errors have no common class
        return None, (str(problem).strip().splitlines() or ["no message"])[-1]


def difference(wanted, found, rtol, atol):
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for i, (w, f) in enumerate(zip(wanted, found)):
        if w.dtype.itemsize == 2 and f.dtype.kind in "uV" and w.dtype != f.dtype:
            f = f.view(w.dtype)
        if w.shape != f.shape or w.dtype != f.dtype:
            return f"result {i} is {f.dtype}{f.shape}, not {w.dtype}{w.shape}"
        least = 1e-2 if w.dtype.itemsize == 2 and w.dtype.kind in "fV" else 1e-4
        plain = w.dtype.kind in "biu"
        a, b = (w, f) if plain else (w.astype("float64"), f.astype("float64"))
        if not np.allclose(a, b, rtol=max(rtol, least), atol=max(atol, least / 100), equal_nan=True):
            return f"result {i} is {f.ravel()[:6]}, not {w.ravel()[:6]}"
    return ""


def judge(tirb, model, inputs, outputs, rtol, atol):
    """One of passed, tvm, tirb and wrong, and why."""
    try:
        module, names, results, remark = import_model.convert(import_model.from_onnx, model, {})
        asked = module
        text, weights = import_model.text_and_weights(module, names, results, remark, 64)
    except import_model.Refused as refused:
        return "tvm", str(refused)
    with tempfile.TemporaryDirectory() as folder:
        found, reason = run_by_tirb(tirb, pathlib.Path(folder), text, [*inputs, *weights.values()], len(outputs))
    problem = difference(outputs, found, rtol, atol) if found else reason
    if not problem:
        return "passed", ""
    by_tvm, refusal = run_by_tvm(asked, [*inputs, *weights.values()])
    if by_tvm is None:
        return "tvm", refusal
    beyond = difference(outputs, by_tvm, rtol, atol)
    if beyond:
        return "tvm", f"TVM's is wrong: {beyond}"
    return ("wrong" if found else "tirb"), problem


def judge_both(tirb, model, data, rtol, atol):
    """What TVM cannot do with inputs it may do with constants."""
    model, (inputs, outputs) = loaded(model, data)
    if not all(is_tensor(v) for v in [*inputs, *outputs]):
        return "tvm", "sequences, optionals and texts"
    inputs, outputs = ([np.asarray(v) for v in side] for side in (inputs, outputs))
    kind, why = judge(tirb, model, inputs, outputs, rtol, atol)
    model, left = with_constants(model, inputs)
    if kind == "tvm" and len(left) < len(inputs):
        kind, why = judge(tirb, model, left, outputs, rtol, atol)
    return kind, why


def apart(work, *arguments):
    """What it returns, in a process of its own: TVM may crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.alarm(2 * PATIENCE)
        try:
            kind, why = work(*arguments)
        except BaseException as problem:  # the process ends here
            kind, why = "wrong", f"{type(problem).__name__}: {problem}"
        os.write(write, f"{kind}\n{why}".encode()[:60000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        text = stream.read().decode("utf-8", "replace")
    status = os.waitpid(child, 0)[1]
    return text.split("\n", 1) if "\n" in text else ("tvm", f"the process ended with {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tirb")
    parser.add_argument("--every", type=int, default=1, help="one case of so many, by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="say what became of each case")
    parser.add_argument("names", nargs="*", help="only cases with one of these in their name")
    options = parser.parse_args()
    counts, reasons = collections.Counter(), collections.defaultdict(list)
    for number, (name, model, data, rtol, atol) in enumerate(cases()):
        if (number + options.seed) % options.every or (options.names and not any(n in name for n in options.names)):
            continue
        kind, why = apart(judge_both, options.tirb, model, data, rtol, atol)
        counts[kind] += 1
        reasons[kind].append((name, why))
        if options.verbose:
            print(f"{kind:7}{name}: {why}", flush=True)
    failed, listed = 0, collections.Counter()
    for name, why in [*reasons["tirb"], *reasons["wrong"]]:
        reason = next((r for r, words in BEYOND.items() if name.removeprefix("test_").startswith(words)), None)
        listed[reason] += reason is not None
        failed += reason is None
        if reason is None:
            print(f"FAILED {name}: {why[:300]}")
    print(f"{sum(counts.values())} cases: {counts['tvm']} beyond TVM, {sum(listed.values())} beyond tirb alone")
    for reason, number in listed.items():
        if number:
            print(f"  {number} for {reason}")
    print(f"{counts['passed']} passed, {failed} failed")
    return 1 if failed or (not counts["passed"] and not options.names) else 0


if __name__ == "__main__":
    sys.exit(main())
