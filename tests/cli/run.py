#!/usr/bin/env python3
"""Black-box tests of the `tirb` command.

    run.py [--tirb PATH] [WORD...]

WORDs choose the tests whose name contains one of them. Prints one line per failure; ends with `N passed, N failed`;
exit status 1 on failure. Needs NumPy."""

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
MODULES = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "harness"))


def main():
    parser = argparse.ArgumentParser(description="Black-box tests of the tirb command.")
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"))
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    passed = failed = 0
    for module in (importlib.import_module(name) for name in MODULES):
        for name, test in sorted(vars(module).items()):
            label = f"{module.__name__}.{name}"
            if not name.startswith("test_") or (options.words and not any(w in label for w in options.words)):
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
