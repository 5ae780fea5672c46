#!/usr/bin/env python3
"""Which room may include which: fails on the first line that breaks the order of rooms.

    loader/base <- loader/isa <- the rest of loader <- vm
    loader (never vm) <- compiler <- compiler/driver (sees vm as well) <- tests, fuzz
    the machine's rooms: each sees those that VM_SEES names
    the compiler's rooms: each sees those that COMPILER_SEES names
    rooms within a room: each sees those before it (INNER_ORDER); emission sees EMISSION_SEES of the optimizer's
    <zstd.h> only in loader/bundle, <xxhash.h> only in loader/bundle and loader/cache

Run with --self-test it checks that each rule can fail."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("include", "loader", "vm", "compiler", "tests", "fuzz")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# The first matching prefix of the including file decides which prefixes its quoted includes may have.
MAY_INCLUDE = (
    ("include/", ()),
    ("loader/base/", ("loader/base/",)),
    ("loader/isa/", ("loader/base/", "loader/isa/")),
    ("loader/", ("loader/",)),
    ("vm/", ("loader/", "vm/")),
    ("compiler/driver/", ("loader/", "vm/", "compiler/")),
    ("compiler/", ("loader/", "compiler/")),
    ("tests/", ("loader/", "vm/", "compiler/", "tests/")),
    ("fuzz/", ("loader/", "vm/", "compiler/", "tests/", "fuzz/")),
)

# The rooms of the machine, and what each sees beside itself. A program is translated (translate) into code that frames of a
# machine (machine) run: dispatch (exec) goes through scalar words, and entering a lane loop (enter) sets up what its lanes
# go through (lanes).
VM_SEES = {
    "math": (),
    "team": (),
    "limits": (),
    "lanes": ("math",),
    "contract": ("math", "lanes"),
    "machine": ("team", "limits", "lanes"),
    "enter": ("math", "lanes", "machine"),
    "translate": ("math", "lanes", "contract", "machine", "enter"),
    "exec": ("math", "limits", "lanes", "contract", "machine", "enter"),
    "call": ("limits", "lanes", "machine", "translate", "exec"),
    "host": ("limits", "call"),
}

# The rooms of the compiler, and what each sees beside itself. Languages make an AST (ir); lowering makes loop IR (loop) of
# it, which the optimizer changes and emission turns into code; the pipeline runs them all.
COMPILER_SEES = {
    "source": (),
    "ir": ("source",),
    "text": ("source", "ir", "relax"),
    "tc": ("source", "ir", "text"),
    "relax": ("source", "ir", "tc"),
    "check": ("source", "ir", "relax"),
    "loop": ("source", "ir"),
    "lower": ("source", "ir", "text", "loop"),
    "optimize": ("loop",),
    "emit": ("source", "ir", "loop", "optimize"),
    "pipeline": ("source", "ir", "text", "tc", "relax", "check", "loop", "lower", "optimize", "emit"),
    "driver": ("source", "ir", "pipeline"),
}
# What of a room those below it may see: a table of names.
SEEN_FROM_BELOW = ("compiler/pipeline/switches.h",)

# The rooms within a room; those on one line do not see each other.
OPTIMIZER = "compiler/optimize/"
INNER_ORDER = {
    OPTIMIZER: (("facts",), ("schedule",), ("analysis",), ("rewriting",), ("transform",), ("normalise",), ("lanes",),
                ("contractions",), ("nests", "cuts"), ("carried",), ("rows",), ("whiles", "threads"), ("plan",)),
    "compiler/text/": (("syntax", "print"), ("script",)),
    "compiler/relax/": (("infer", "expand"), ("lower",)),
}

# Libraries that only some rooms may see.
SYSTEM_ONLY_IN = {
    "zstd.h": ("loader/bundle/",),
    "zdict.h": ("loader/bundle/",),
    "xxhash.h": ("loader/bundle/", "loader/cache/"),
    "popt.h": ("compiler/driver/",),
    "cJSON.h": ("compiler/driver/",),
    "cjson/cJSON.h": ("compiler/driver/",),
}
# What libtirb and libtirbc must not know of: control flow that skips cleanup.
LIBRARY_NEVER = ("setjmp.h", "assert.h")
PUBLIC_MAY = re.compile(r"^(tirb/\w+\.h|dlpack/dlpack\.h|std(int|def|bool)\.h)$")


def is_hidden(path, name):
    """Whether a room of the compiler, or of the machine, includes another one that it does not see."""
    for part, sees in (("vm/", VM_SEES), ("compiler/", COMPILER_SEES)):
        rooms = [where.split("/")[1] for where in (path, name) if where.startswith(part)]
        if len(rooms) == 2 and rooms[0] != rooms[1] and name not in SEEN_FROM_BELOW:
            return rooms[1] not in sees.get(rooms[0], ())
    return False


# Emission runs schedules: it sees what they are made of, and nothing that makes them.
EMISSION_SEES = ("facts", "schedule")


def decides(path, name):
    """Whether emission includes what plans."""
    return path.startswith("compiler/emit/") and name.startswith(OPTIMIZER) and \
        name[len(OPTIMIZER):].rpartition("/")[0] not in EMISSION_SEES


def is_above(path, name):
    """Whether one room within another includes one that is not below it."""
    for outer, order in INNER_ORDER.items():
        rooms = [where[len(outer):].rpartition("/")[0] for where in (path, name) if where.startswith(outer)]
        if len(rooms) == 2 and "" not in rooms and rooms[0] != rooms[1]:
            levels = [next((i for i, level in enumerate(order) if room in level), None) for room in rooms]
            return None in levels or levels[1] >= levels[0]
    return False


def problems_of(path, text, exists):
    """Yields (line, message) for one file; `exists(name)` tells whether a quoted include is there."""
    allowed = next((may for prefix, may in MAY_INCLUDE if path.startswith(prefix)), None)
    if allowed is None:
        return
    library = path.startswith(("loader/", "vm/", "compiler/")) and not path.startswith("compiler/driver/")
    own_header = path[:-2] + ".h" if path.endswith(".c") else None
    first = True
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, name = match.group(1) == '"', match.group(2)
        if own_header and exists(own_header) and first and name != own_header:
            yield number, f'the first include must be "{own_header}"'
        first = False
        if not quoted:
            only_in = SYSTEM_ONLY_IN.get(name)
            if only_in and not path.startswith(only_in):
                yield number, f"<{name}> may be included only in {', '.join(only_in)}"
            if library and name in LIBRARY_NEVER:
                yield number, f"<{name}> has no place in a library"
            if path.startswith("include/") and not PUBLIC_MAY.match(name):
                yield number, f"a public header may not include <{name}>"
        elif not name.startswith(allowed):
            where = ", ".join(allowed) if allowed else "nothing"
            yield number, f'"{name}" is out of reach here (allowed: {where})'
        elif name.startswith("compiler/driver/") and not path.startswith(("compiler/driver/", "tests/", "fuzz/")):
            yield number, f'"{name}": the command is above every library'
        elif is_hidden(path, name):
            yield number, f'"{name}" is in no room that this one sees'
        elif decides(path, name):
            yield number, f'"{name}": emission includes nothing that plans'
        elif is_above(path, name):
            yield number, f'"{name}" is not below this room'
        elif not exists(name):
            yield number, f'"{name}" does not exist (includes are relative to the root)'


def self_test():
    cases = (
        ("loader/base/a.c", '#include "loader/isa/isa.h"'),
        ("loader/isa/a.c", '#include "loader/bundle/program.h"'),
        ("loader/verify/a.c", '#include "vm/exec/execute.h"'),
        ("vm/exec/a.c", '#include "compiler/ir/ir.h"'),
        ("vm/machine/a.c", '#include "vm/enter/own.h"'),
        ("vm/enter/a.c", '#include "vm/translate/own.h"'),
        ("vm/exec/a.c", '#include "vm/translate/own.h"'),
        ("vm/new/a.c", '#include "vm/machine/own.h"'),
        ("compiler/emit/a.c", '#include "vm/exec/execute.h"'),
        ("compiler/emit/a.c", '#include "compiler/driver/npy.h"'),
        ("compiler/emit/a.c", '#include "ir.h"'),
        ("compiler/loop/a.c", '#include "compiler/lower/own.h"'),
        ("compiler/lower/a.c", '#include "compiler/optimize/facts/own.h"'),
        ("compiler/optimize/lanes/a.c", '#include "compiler/pipeline/own.h"'),
        ("compiler/emit/a.c", '#include "compiler/pipeline/own.h"'),
        ("compiler/emit/a.c", '#include "compiler/optimize/lanes/own.h"'),
        ("compiler/driver/a.c", '#include "compiler/loop/own.h"'),
        ("compiler/new/a.c", '#include "compiler/loop/own.h"'),
        ("compiler/optimize/facts/a.c", '#include "compiler/optimize/rewriting/own.h"'),
        ("compiler/optimize/cuts/a.c", '#include "compiler/optimize/nests/own.h"'),
        ("compiler/optimize/new/a.c", '#include "compiler/optimize/facts/own.h"'),
        ("compiler/text/print/a.c", '#include "compiler/text/syntax/own.h"'),
        ("compiler/text/syntax/a.c", '#include "compiler/text/script/own.h"'),
        ("vm/exec/a.c", "#include <zstd.h>"),
        ("loader/verify/a.c", "#include <xxhash.h>"),
        ("compiler/text/a.c", "#include <popt.h>"),
        ("vm/exec/a.c", "#include <setjmp.h>"),
        ("include/tirb/a.h", "#include <stdio.h>"),
        ("include/tirb/a.h", '#include "loader/base/alloc.h"'),
        ("vm/exec/own.c", '#include <stdio.h>\n#include "vm/exec/own.h"'),
    )
    for path, text in cases:
        if not list(problems_of(path, text, lambda name: "/" in name and name.endswith(("own.h", "npy.h", "isa.h")))):
            sys.exit(f"include_order: self-test: nothing found in {path}: {text}")
    print(f"{len(cases)} passed, 0 failed")


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    files = sorted(p for room in ROOMS for p in (ROOT / room).rglob("*") if p.suffix in (".c", ".h", ".inc", ".def"))
    failed = 0
    for file in files:
        path = file.relative_to(ROOT).as_posix()
        found = list(problems_of(path, file.read_text(encoding="utf-8"), lambda name: (ROOT / name).is_file()))
        for number, message in found:
            print(f"{path}:{number}: {message}")
        failed += bool(found)
    print(f"include order: {len(files)} files, {failed} with problems")
    sys.exit(failed != 0)


main()
