"""Runs the kernels through TVM itself (apache-tvm 0.27), so that sources and expected values are known to be right.

    tvm_oracle.py [--seed N] [WORD...]

TVM reads the new spelling only: classic text is respelled first, and import lines are left out. Functions that the
table of cases marks as beyond TVM are counted as skipped. Needs apache-tvm; no test depends on it.
"""

import argparse
import pathlib
import re
import sys

import numpy as np

from cases import OUT
from compare import all_runs, difference

HERE = pathlib.Path(__file__).resolve().parent


def respelled(text):
    classic = "tir as T" in text and "tirx as T" not in text and "s_tir=True" not in text
    text = re.sub(r"^from tvm\.script import .*$", "", text, flags=re.M)
    if classic:
        text = text.replace("T.block", "T.sblock").replace("T.alloc_buffer", "T.sblock_alloc_buffer")
        text = text.replace("@T.prim_func\n", "@T.prim_func(s_tir=True)\n").replace('"tir.noalias"', '"tirx.noalias"')
    return text


class Library:
    """Functions compiled one at a time, so that one which TVM refuses does not take the others with it."""

    def __init__(self):
        self.modules, self.compiled = {}, {}

    def function(self, file, name):
        import tvm

        if file not in self.modules:
            source = tvm.script.from_source(respelled((HERE / file).read_text()))
            if not isinstance(source, tvm.IRModule):
                source = tvm.IRModule({name: source})
            self.modules[file] = {var.name_hint: func for var, func in source.functions.items()}
        if (file, name) not in self.compiled:
            func = self.modules[file][name].with_attr("global_symbol", name)
            self.compiled[file, name] = tvm.compile(tvm.IRModule({name: func}), target="llvm")[name]
        return self.compiled[file, name]


def call(function, run):
    import tvm

    tensors, args = {}, []
    for name, value in run.args.items():
        if value is OUT:
            value = np.full_like(run.outputs[name], 1)
        if isinstance(value, np.ndarray):
            value = tensors[name] = tvm.runtime.tensor(np.ascontiguousarray(value).reshape(value.shape))
        args.append(value)
    returned = function(*args)
    return {name: tensors[name].numpy() for name in run.outputs}, returned


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    library, passed, failed, skipped = Library(), 0, 0, 0
    for file, name, number, run, tvm_can in all_runs(options.seed, options.words):
        if not tvm_can:
            skipped += 1
            continue
        problem = None
        try:
            outputs, returned = call(library.function(file, name), run)
        except Exception as error:  # whatever TVM throws is this case's result
            problem = (str(error).strip() or repr(error)).splitlines()[-1]
        else:
            for output, want in run.outputs.items():
                problem = problem or difference(outputs[output], want, run)
            if run.returns is not None:
                problem = problem or difference(type(run.returns)(returned), run.returns, run)
        if problem:
            failed += 1
            print(f"FAIL {file}:{name} #{number}: {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
