#!/usr/bin/env python3
"""Compiles each public header alone, twice in one file, as C11 and (where there is a C++ compiler) as C++17."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def main():
    c_compiler = sys.argv[1] if len(sys.argv) > 1 else "cc"
    cxx = next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)
    languages = [([c_compiler, "-std=c11"], ".c")] + ([([cxx, "-std=c++17"], ".cc")] if cxx else [])
    passed = failed = 0
    for header in sorted((ROOT / "include").rglob("*.h")):
        name = header.relative_to(ROOT / "include").as_posix()
        for command, suffix in languages:
            with tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder) / f"alone{suffix}"
                source.write_text(f"#include <{name}>\n#include <{name}>\nint tirb_alone;\n")
                run = subprocess.run(command + WARNINGS + [f"-I{ROOT / 'include'}", "-fsyntax-only", str(source)],
                                     capture_output=True, text=True)
            if run.returncode:
                failed += 1
                print(f"{name} as {suffix[1:]}:\n{run.stderr}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
