"""TVM on what Tensor Comprehensions are in TVMScript.

    tvm_comprehensions.py [--tirb PATH] [--seed N] [--every N] [WORD...]

The text that `tirb fmt --dialect tirx` prints of the programs of tests/kernels/tc is read by TVM, compiled with its LLVM back end, and
must compute what NumPy does on the same inputs. Each Nth program is taken. WORDs choose the programs whose `file:name` contains one of
them. Ends with `N passed, N failed, N beyond TVM`; exit status 1 on failure, 77 when apache-tvm or NumPy is not installed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import numpy as np
    import tvm
except ImportError:
    print("apache-tvm or NumPy is not installed: skipped")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernels"))
import comprehensions as kernels  # noqa: E402


class Library:
    """Functions of the files' texts, compiled one at a time."""

    def __init__(self, tirb):
        self.tirb, self.modules = tirb, {}

    def function(self, program):
        key = program.file, tuple(program.define)
        if key not in self.modules:
            definitions = [word for pair in program.define for word in ("-D", pair)]
            done = subprocess.run([self.tirb, "fmt", str(kernels.HERE / program.file), "--dialect", "tirx", *definitions], capture_output=True,
                                  text=True, check=True)
            read = tvm.script.from_source(done.stdout)
            functions = read.functions.items() if isinstance(read, tvm.IRModule) else [(read.attrs["global_symbol"], read)]
            self.modules[key] = {getattr(name, "name_hint", name): function for name, function in functions}
        function = self.modules[key][program.name].with_attr("global_symbol", program.name)
        return tvm.compile(tvm.IRModule({program.name: function}), target="llvm")[program.name]


def check(function, made):
    """None or what is wrong with one call."""
    values = [value if value.ndim else value.item() for value in made.args.values()]
    outputs = {name: tvm.runtime.tensor(made.before.get(name, np.ones_like(want))) for name, want in made.want.items()}
    function(*(tvm.runtime.tensor(value) if isinstance(value, np.ndarray) else value for value in values), *outputs.values())
    for name, want in made.want.items():
        problem = kernels.difference(outputs[name].numpy(), want, made.tolerance[name])
        if problem:
            return f"{made.label}: {name}: {problem}"
    return None


def last_line(error):
    lines = [line for line in (str(error).strip() or repr(error)).splitlines() if line.strip("|^~ ")]
    return lines[-1][-200:]


def main():
    parser = argparse.ArgumentParser(description="TVM on what Tensor Comprehensions are in TVMScript.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    library = Library(options.tirb)
    passed = failed = beyond = 0
    for program in kernels.programs(options.words)[::options.every]:
        if not program.tvm:
            beyond += 1
            continue
        try:
            function = library.function(program)
            problem = next(filter(None, (check(function, made) for made in program.calls(options.seed))), None)
        except Exception as error:  # TVM's own refusals come as many types
            problem = last_line(error)
        if problem:
            print(f"FAIL {program.file}:{program.name}: {problem}")
        passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed, {beyond} beyond TVM")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
