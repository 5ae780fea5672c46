"""Relax modules print as TVM 0.27 prints them, byte for byte: names, types that are inferred, and their shapes.

    relax_text.py [--tirb PATH]

Each program of relax_corpus.py is printed by TVM. tirb must print the same, from the program as it is written and from
TVM's text of it. Ends with `N passed, N failed`; exit status 1 on failure.
"""

import argparse
import contextlib
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile

from relax_corpus import CASES, MODULES, PARAMETERS

HEADER = "from typing import TypeVar\nfrom tvm.script import ir as I, tirx as T, relax as R\n\n"
IMPURE = re.compile("call_packed|R.print|assert_op|ctx|alloc")
PATIENCE = 60


def around(expression):
    """A module whose function returns the expression."""
    used = [f"{name}: {kind}" for name, kind in PARAMETERS.items() if re.search(rf"\b{name}\b", expression)]
    impure = "(pure=False)" if IMPURE.search(expression) else ""
    return (f"@I.ir_module\nclass Module:\n    @R.function{impure}\n    def main({', '.join(used)}):\n"
            f"        r = {expression}\n        return r\n")


def printed_by_tvm(path, number):
    """The text of the module, or the only function, in a file that is run."""
    name = f"relax_case_{number}"
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = loaded = importlib.util.module_from_spec(spec)
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(loaded)
    return next(getattr(loaded, name) for name in ("Module", "main", "f") if hasattr(loaded, name)).script().strip()


def printed_by_tirb(tirb, text):
    done = subprocess.run([tirb, "fmt", "-", "-o", "-"], input=text, capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout.strip() if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no message"])[0]


def first_difference(wanted, found):
    pairs = zip(wanted.splitlines() + [""] * 99, found.splitlines() + [""] * 99)
    return next(((x, y) for x, y in pairs if x != y), ("", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tirb", default="build/release/bin/tirb")
    arguments = parser.parse_args()
    programs = [around(line) for line in CASES.strip().splitlines()] + MODULES
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, program in enumerate(programs):
            path = pathlib.Path(folder) / f"case{number}.py"
            path.write_text(HEADER + program)
            try:
                wanted = printed_by_tvm(path, number)
            except Exception as problem:  # TVM's own errors have no common class
                print(f"{number}: TVM refuses it: {str(problem).splitlines()[-1:]}\n{program}")
                failed += 1
                continue
            for what, text in (("the program", HEADER + program), ("TVM's text", wanted)):
                if text is wanted and "metadata[" in wanted:
                    continue  # TVM's text leaves out what the constants are
                found = printed_by_tirb(arguments.tirb, text)
                passed, failed = passed + (found == wanted), failed + (found != wanted)
                if found != wanted:
                    print(f"{number}: {what} differs\n  TVM:  {first_difference(wanted, found)[0]}\n"
                          f"  tirb: {first_difference(wanted, found)[1]}\n{program}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
