#!/usr/bin/env python3
"""Habits that a script can check: sizes of files and lines, the agreed top level, words that say something is unfinished,
calls that have no place in a library, header guards, and text that belongs in no file."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOP_LEVEL = {"vm", "compiler", "loader", "include", "tests", "fuzz", "CMakeLists.txt", "CMakePresets.json", "LICENSE",
             "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"}
LIMIT, DISPATCH_LIMIT, OPTIMIZER_LIMIT = 1500, 2500, 800
COLUMNS = 120
# Tables of which each row is a line.
WIDE = {"loader/bundle/dictionary.c", "loader/isa/opcodes.def", "vm/math/coefficients.h"}
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
# What may be wider: of a page the rows of tables and what commands print, of a test the texts of programs.
NO_PROSE, IN_TEST = re.compile(r"\||    "), re.compile(r'.*"')
NOT_IN_LIBRARIES = re.compile(r"(?<![\w.>])(abort|exit|_exit|printf|puts|putchar|setjmp|longjmp|system|assert)\s*\(")
NOT_IN_VM_OR_LOADER = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup)\s*\(")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def tracked():
    """Files under version control where there is one (a release archive has none), else all but build/."""
    try:
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
    return sorted(n for n in names if not n.startswith(("build/", ".git/")) and (ROOT / n).is_file())


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def problems_of(name):
    top = name.split("/")[0]
    if top not in TOP_LEVEL and not top.startswith("."):
        yield 1, f"'{top}' is outside the agreed top level"
    if not name.endswith((".c", ".h", ".inc", ".def", ".py", ".sh", ".txt", ".md", ".cmake")):
        return
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = text.splitlines()
    limit = DISPATCH_LIMIT if name.startswith("vm/exec/") else \
        OPTIMIZER_LIMIT if name.startswith(("compiler/optimize/", "compiler/emit/")) else LIMIT
    if name.endswith((".c", ".h", ".inc", ".def", ".py")) and len(lines) > limit:
        yield len(lines), f"{len(lines)} lines: the limit is {limit}"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not name.endswith(".md"):
            yield number, "space at the end of the line"
        if len(line) > COLUMNS and name.endswith((".c", ".h", ".inc", ".def", ".md")) and name not in WIDE \
                and not (name.endswith(".md") and NO_PROSE.match(line)) \
                and not (top == "tests" and IN_TEST.match(line)):
            yield number, f"{len(line)} columns: the limit is {COLUMNS}"
        if "\t" in line and name.endswith((".c", ".h", ".inc", ".def", ".py", ".sh")):
            yield number, "a tab"
        if UNFINISHED.search(line):
            yield number, f"an unfinished place: {UNFINISHED.search(line).group(0)}"
    if name.endswith((".c", ".h", ".inc")) and name.startswith(("loader/", "vm/", "compiler/")):
        yield from library_problems(name, text)
    if name.endswith(".h") and name.startswith(("loader/", "vm/", "compiler/", "tests/", "include/")):
        stem = name[len("include/"):] if name.startswith("include/") else "tirb/" + name
        guard = re.sub(r"\W", "_", stem).upper()
        if f"#ifndef {guard}\n#define {guard}\n" not in text:
            yield 1, f"the header guard is not {guard}"


def library_problems(name, text):
    if name.startswith("compiler/driver/"):
        return
    code = COMMENT_OR_STRING.sub(blank, text)
    for number, line in enumerate(code.splitlines(), 1):
        match = NOT_IN_LIBRARIES.search(line)
        if match:
            yield number, f"{match.group(1)}() has no place in a library"
        match = NOT_IN_VM_OR_LOADER.search(line)
        if match and name != "loader/base/alloc.c":
            yield number, f"{match.group(1)}(): memory comes from a tirbi_heap or an arena"


def main():
    names = tracked()
    failed = 0
    for name in names:
        found = list(problems_of(name))
        for number, message in found:
            print(f"{name}:{number}: {message}")
        failed += bool(found)
    print(f"files: {len(names)} checked, {failed} with problems")
    sys.exit(failed != 0)


main()
