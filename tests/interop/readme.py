"""What README shows: its programs are imported by TVM unchanged, built and run by it, and give what tirb gives; its commands
print what stands below them. `readme.py [--tirb PATH]`; without TVM the first part is skipped and said so.

A program is an indented block of a page that imports TVMScript; the page names it `name.py` before. A comprehension is a
block that begins with `def`, behind `name.tc`; TVM does not read it. Commands are lines
`$ tirb ...`; `...` below them leaves lines out, and what bench prints is not compared."""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a page calls `the same with ...`, made from what it shows.
VARIANTS = {"off_by_one.py": ("saxpy.py", "X[i] +", "X[i + 1] +"), "bad.py": ("saxpy.py", "a * X[i]", "a * Z[i]")}


def blocks(page):
    """The indented blocks of a page, and the text before each."""
    lines, found, at = page.read_text(encoding="utf-8").split("\n"), [], 0
    while at < len(lines):
        begin = at
        while at < len(lines) and (lines[at].startswith("    ") or (at > begin and not lines[at])):
            at += 1
        if at > begin:
            found.append(("\n".join(lines[:begin]), "\n".join(line[4:] for line in lines[begin:at]).rstrip() + "\n"))
        at += at == begin
    return found


def programs(page):
    for before, text in blocks(page):
        if re.search(r"^from tvm\.script import|^import tvm", text, re.M):
            names = re.findall(r"`(\w+\.py)`", before)
            yield names[-1] if names else "unnamed.py", text


def comprehensions(page):
    for before, text in blocks(page):
        names = re.findall(r"`(\w+\.tc)`", before)
        if names and text.startswith("def ") and "->" in text.split("\n")[0]:
            yield names[-1], text


def run(tirb, words, folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TIRB_")} | {"TIRB_CACHE_DIR": ""}
    done = subprocess.run([tirb, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def matches(shown, printed):
    """Whether the lines that are shown stand in what was printed, in their order, without a gap but at `...`."""
    at, gap, printed = 0, False, printed.split("\n")
    for line in shown:
        if line.strip() == "...":
            gap = True
            continue
        while gap and at < len(printed) and printed[at] != line:
            at += 1
        if at == len(printed) or printed[at] != line:
            return False
        at, gap = at + 1, False
    return gap or not any(printed[at:])


def check_commands(tirb, page, folder):
    failed = 0
    for _, text in blocks(page):
        for command in re.split(r"^\$ ", text, flags=re.M)[1:]:
            first, *shown = command.rstrip("\n").split("\n")
            if not first.startswith("tirb ") or not shown and first.startswith("tirb completion"):
                continue
            words = first.split()[1:]
            printed = run(tirb, words, ROOT if "tests/" in first else folder)
            if words[0] == "bench":
                shown, printed = [line.split(":")[0] for line in shown], printed.split(":")[0]
            if not matches(shown, printed):
                failed += 1
                print(f"FAIL {page.name}: $ {first}\n{printed}")
    return failed


# ---- By TVM ---------------------------------------------------------------------------------------------------------


def import_program(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where TVM looks for a class's source
    spec.loader.exec_module(module)
    return module


NUMPY = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}


def arguments_of(tirb, path, name, rng):
    """Random values for the parameters of a function; sizes that it leaves open are 37."""
    functions = json.loads(run(tirb, ["inspect", str(path), "--json"], path.parent))["functions"]
    values = []
    for parameter in next(f for f in functions if f["name"] == name)["parameters"]:
        shape = [37 if extent is None else extent for extent in parameter.get("shape", [])]
        values.append((rng.random(shape) * 4 + 1).astype(NUMPY[parameter["type"]]) if shape else
                      np.asarray(rng.integers(1, 5), NUMPY[parameter["type"]]))
    return values


def check_model_by_tvm(tvm, tirb, path, module):
    """The function `main` of a Relax module on random values."""
    values = arguments_of(tirb, path, "main", np.random.default_rng(7))[:len(module["main"].params)]
    for i, value in enumerate(values):
        np.save(path.parent / f"in{i}.npy", value)
    printed = run(tirb, ["run", str(path), "-f", "main", *(f"@in{i}.npy" for i in range(len(values))), "-o", "@out.npy"],
                  path.parent)
    machine = tvm.relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    wanted = machine["main"](*[tvm.runtime.tensor(v) for v in values]).numpy()
    if np.allclose(wanted, np.load(path.parent / "out.npy"), rtol=1e-6):
        return 0
    print(f"FAIL {path.name}: main gives other values than under TVM\n{printed}")
    return 1


def check_by_tvm(tvm, tirb, path):
    rng, failed, n = np.random.default_rng(7), 0, 0
    for name, function in vars(import_program(path)).items():
        if isinstance(function, tvm.IRModule):
            n += 1
            failed += check_model_by_tvm(tvm, tirb, path, function)
        if not isinstance(function, tvm.tirx.PrimFunc):
            continue
        n += 1
        values = arguments_of(tirb, path, name, rng)
        words = ["run", str(path), "-f", name]
        for i, value in enumerate(values):
            if value.ndim:
                np.save(path.parent / f"in{i}.npy", value)
            words.append(f"@in{i}.npy" if value.ndim else str(value))
        printed = run(tirb, [*words, "-o", "@out.npy"], path.parent)
        given = [tvm.runtime.tensor(v) if v.ndim else v.item() for v in values]
        tvm.compile(tvm.IRModule({name: function.with_attr("global_symbol", name)}), target="llvm")[name](*given)
        changed = [t.numpy() for t, v in zip(given, values) if v.ndim and not np.array_equal(t.numpy(), v)]
        if len(changed) != 1 or not np.allclose(changed[0], np.load(path.parent / "out.npy"), rtol=1e-6):
            failed += 1
            print(f"FAIL {path.name}: {name} gives other values than under TVM\n{printed}")
    if n == 0:
        print(f"FAIL {path.name}: TVM finds no function")
    return failed + (n == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    tirb, failed, n = os.path.abspath(parser.parse_args().tirb), 0, 0
    try:
        import tvm
    except ImportError:
        tvm = None
        print("TVM is not installed: its part is skipped")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pages = [p for p in sorted(ROOT.rglob("*.md")) if "build" not in p.relative_to(ROOT).parts]
        for page in pages:
            for name, text in programs(page):
                n += 1
                (folder / name).write_text(text, encoding="utf-8")
                failed += tvm is not None and check_by_tvm(tvm, tirb, folder / name)
        for name, text in comprehensions(ROOT / "README.md"):
            (folder / name).write_text(text, encoding="utf-8")
        for name, (base, old, new) in VARIANTS.items():
            text = (folder / base).read_text(encoding="utf-8")
            failed += old not in text
            (folder / name).write_text(text.replace(old, new), encoding="utf-8")
        failed += check_commands(tirb, ROOT / "README.md", folder)
    print(f"{n} programs of the pages, {failed} failed")
    return failed > 0 or n == 0


if __name__ == "__main__":
    sys.exit(main())
