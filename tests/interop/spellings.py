"""A program compiles to the same code in whichever spelling tirb prints it.

    spellings.py [--tirb PATH] [FILE...]

Each FILE (default: the programs of tests/kernels) is printed as new TVMScript, as classic TVMScript and as Hybrid Script, and
the three are compiled: the sections for imports and code must be the same bytes. The first is a printed text as well, because
functions print in the order of their names. Ends with `N passed, N failed`; exit status 1 on failure.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

OTHERS = ("tir", "hybrid")
HEADER, N_SECTIONS_AT = 28, 14
COMPARED = {2: "imports", 4: "code"}
PATIENCE = 60


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def sections(bundle):
    """The bytes of the compared sections as they are stored: equal exactly where what they hold is equal."""
    at, sizes, found = HEADER, [], {}
    for _ in range(bundle[N_SECTIONS_AT]):
        key, at = varint(bundle, at)
        size, at = varint(bundle, at)
        if key & 2:
            _, at = varint(bundle, at)
        sizes.append((key >> 2, size))
    for kind, size in sizes:
        if kind in COMPARED:
            found[kind] = bundle[at:at + size]
        at += size
    return found


def output(words, text):
    """(stdout, None) or (None, the first line of what was said)"""
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, timeout=PATIENCE)
    if done.returncode == 0:
        return done.stdout, None
    return None, (done.stderr.decode().strip().splitlines() or ["no message"])[0]


def compiled(tirb, text):
    bundle, problem = output([tirb, "compile", "-", "-o", "-"], text)
    return (None, problem) if problem else (sections(bundle), None)


def differences(tirb, text):
    """({spelling: cause} of the other spellings that are not the same, or None where the program does not compile, and why)"""
    modern, problem = output([tirb, "fmt", "--dialect", "tirx", "-"], text.encode())
    if problem is None:
        modern, problem = compiled(tirb, modern)
    if problem is not None:
        return None, problem
    failures = {}
    for dialect in OTHERS:
        printed, problem = output([tirb, "fmt", "--dialect", dialect, "-"], text.encode())
        if problem is None:
            other, problem = compiled(tirb, printed)
        if problem is None:
            unlike = [name for kind, name in COMPARED.items() if other.get(kind) != modern.get(kind)]
            problem = f"other {' and '.join(unlike)}" if unlike else None
        if problem is not None:
            failures[dialect] = problem
    return failures, None


def is_program(text):
    """Programs stand beside scripts, which import what Python has."""
    return "@T.prim_func" in text and not re.search(r"^import ", text, flags=re.M)


def main():
    parser = argparse.ArgumentParser(description="The same code from every spelling.")
    os.environ["TIRB_CACHE_DIR"] = ""  # compile each time
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("files", nargs="*", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    kernels = pathlib.Path(__file__).resolve().parents[1] / "kernels"
    files = options.files or [path for path in sorted(kernels.glob("*.py")) if is_program(path.read_text())]
    n_failed = 0
    for path in files:
        failures, problem = differences(options.tirb, path.read_text())
        for what, cause in (failures if failures is not None else {"modern": problem}).items():
            print(f"FAIL {path} ({what}): {cause}")
        n_failed += failures != {}
    print(f"{len(files) - n_failed} passed, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
