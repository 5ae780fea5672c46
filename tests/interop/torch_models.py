#!/usr/bin/env python3
"""`tirb import` of models and functions that torch.export saves: tirb's results against PyTorch's.

    torch_models.py TIRB [--all] [name ...]

Those of torch_cases.py that are for the daily check, or all, on every instruction set of this machine. One goes
through the command as one would type it; for the others its script is called here, which saves loading PyTorch for
each."""
import argparse
import contextlib
import copy
import io
import os
import pathlib
import sys
import tempfile
import warnings

try:
    import ml_dtypes
    import numpy as np
    import torch
    import tvm  # noqa: F401: what import needs
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

sys.path.append(str(pathlib.Path(__file__).parents[2] / "compiler" / "python"))
import import_model
import torch_cases
from onnx_models import problem_of, run
from torch.utils import _pytree as pytree

BY_COMMAND = ("mlp",)


def array_of(value):
    """A number is an array without dimensions."""
    return import_model.array_of(torch.as_tensor(value))


def difference(wanted, found):
    """What is wrong with a result; those of 16 bits may differ by the roundings of a few operations."""
    if found.dtype == np.uint16 and wanted.dtype == ml_dtypes.bfloat16:  # raw, as such files have it
        found = found.view(ml_dtypes.bfloat16)
    halves = {"float16": 2e-3, "bfloat16": 2e-2}
    if wanted.dtype != found.dtype or wanted.shape != found.shape:
        return f"{found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}"
    if wanted.dtype.name in halves:
        close = np.allclose(*(a.astype("float32") for a in (found, wanted)), rtol=halves[wanted.dtype.name],
                            atol=halves[wanted.dtype.name], equal_nan=True)
        return "" if close else "off by more than some roundings"
    if wanted.dtype.kind == "f" and np.array_equal(np.isnan(wanted), np.isnan(found)):
        wanted, found = np.nan_to_num(wanted, nan=0.5), np.nan_to_num(found, nan=0.5)
        far = np.isinf(wanted)
        if not np.array_equal(wanted[far], found[far]):
            return "other infinities"
        return problem_of(wanted[~far], found[~far])
    return problem_of(wanted, found)


def converted(tirb, name, folder):
    """Makes model.tirb of model.pt2: the words that run it, and what was said of it."""
    if name in BY_COMMAND:
        return run([tirb, "import", "model.pt2", "--params", "weights.safetensors"], folder).split()[1:], ""
    options = argparse.Namespace(shape=[], weights=None)
    with contextlib.redirect_stderr(io.StringIO()):
        text, _ = import_model.converted(str(folder / "model.pt2"), options)
    (folder / "model.py").write_text(text)
    run([tirb, "compile", "model.py"], folder)
    comments = dict(line[2:].split(":", 1) for line in text.splitlines() if line.startswith("# ") and ":" in line)
    inputs = [word.partition(":") for word in comments["inputs"].split()]
    words = [f"{word}=@{word}.npy{colon}{kind}" for word, colon, kind in inputs]
    return ["run", "model.tirb", "-f", "main", *words], comments.get("warning", "").strip()


def isas(tirb):
    """What this machine has of the instruction sets that are built."""
    line = next(line for line in run([tirb, "version"], ".").splitlines() if line.startswith("isa: "))
    return line.split()[1:]


def call(tirb, words, case, live, inputs, folder):
    """Runs it on these inputs, beside PyTorch: what is wrong."""
    inputs = copy.deepcopy(inputs)
    tensors = pytree.tree_leaves((inputs, case.named))
    given = [t for t in tensors if isinstance(t, torch.Tensor)] + [live.get_buffer(b) for b in case.state]
    for word, tensor in zip((w for w in words if "=@" in w), given):
        np.save(folder / word.partition("=@")[2].partition(":")[0], array_of(tensor))
    wanted = [v for v in pytree.tree_leaves(live(*inputs, **case.named)) if isinstance(v, torch.Tensor)]
    wanted += [inputs[i] for i in case.changes] + [live.get_buffer(b) for b in case.state]
    wanted = [array_of(value) for value in wanted]
    names = case.names or [str(i) for i in range(len(wanted))]
    outputs = [word for i, part in enumerate(names) for word in ("-o", f"{part}=@out{i}.npy")]
    found = [folder / f"out{i}.npy" for i in range(len(wanted))]
    first = None
    for isa in isas(tirb):
        run([tirb, words[0], "--isa", isa, *words[1:], *outputs], folder)
        contents = [path.read_bytes() for path in found]
        if first is not None and first != contents:
            return f"other bytes on {isa}"
        first = contents
    problems = (difference(value, np.load(path)) for value, path in zip(wanted, found))
    return next((f"result {i}: {problem}" for i, problem in enumerate(problems) if problem), "")


def problem_with(tirb, name, case):
    case.model.eval()
    with torch.no_grad(), tempfile.TemporaryDirectory() as name_of_folder:
        folder = pathlib.Path(name_of_folder)
        with contextlib.redirect_stderr(io.StringIO()):
            program = torch.export.export(case.model, tuple(case.inputs), case.named, dynamic_shapes=case.dynamic)
            torch.export.save(program, folder / "model.pt2")
        try:
            words, remark = converted(tirb, name, folder)
        except import_model.Refused as refused:
            named = all(part in str(refused) for part in case.refused or ("nothing is refused of it",))
            return "" if named else str(refused)
        if case.refused:
            return f"is converted, though {' '.join(case.refused)} is known as refused"
        if remark != case.remark:
            return f"it says '{remark}', not '{case.remark}'"
        live = copy.deepcopy(case.model)
        problems = (call(tirb, words, case, live, inputs, folder) for inputs in [case.inputs, *case.others])
        return "" if case.remark else next(filter(None, problems), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", metavar="TIRB")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    words = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    tirb, wrong, right = os.path.abspath(words.host), 0, 0
    for name, build in torch_cases.CASES.items():
        torch.manual_seed(1)
        if name not in words.names if words.names else not (words.all or name in torch_cases.QUICK):
            continue
        try:
            problem = problem_with(tirb, name, build())
        except ValueError as refused:
            problem = str(refused)
        wrong, right = wrong + bool(problem), right + (not problem)
        if problem:
            print(f"WRONG {name}: {problem}", flush=True)
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
