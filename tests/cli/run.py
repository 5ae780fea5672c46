#!/usr/bin/env python3
"""Black-box tests of the `tirb` command.

    run.py [--tirb PATH] [--one-in N] [WORD...]

WORDs choose the tests whose name contains one of them, --one-in N each Nth: of which, the number of commits says.
Prints one line per failure; ends with `N passed, N failed`; exit status 1 on failure. Needs NumPy."""

import argparse
import importlib
import os
import pathlib
import sys
import tempfile
import traceback

try:
    import numpy  # noqa: F401
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

from harness import Bench, Failed

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from commits import number_of_commits  # noqa: E402

MODULES = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "harness"))


def main():
    parser = argparse.ArgumentParser(description="Black-box tests of the tirb command.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("--one-in", type=int, default=1, metavar="N")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    passed = failed = number = 0
    first = number_of_commits() % options.one_in
    for module in (importlib.import_module(name) for name in MODULES):
        for name, test in sorted(vars(module).items()):
            label = f"{module.__name__}.{name}"
            if not name.startswith("test_") or (options.words and not any(w in label for w in options.words)):
                continue
            number += 1
            if number % options.one_in != first:
                continue
            with tempfile.TemporaryDirectory(prefix="tirb_cli_") as folder:
                try:
                    test(Bench(os.path.abspath(options.tirb), pathlib.Path(folder)))
                    passed += 1
                except Failed as failure:
                    failed += 1
                    print(f"FAIL {label}: {failure}")
                except Exception:
                    failed += 1
                    print(f"FAIL {label}:\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
