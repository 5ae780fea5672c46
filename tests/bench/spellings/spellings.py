#!/usr/bin/env python3
"""Times kernels in many spellings: is what a loop costs a matter of what it computes, or of how it is written?

    spellings.py [--tirb PATH] [--isa NAME[,NAME...]] [--kernel NAME]... [--quick] [--check] [--every N]
                 [--random N [--seed N]] [--json] [--runs N] [--keep FOLDER] [--list]

Each kernel of kernels.py is described once; generate.py writes it in each of its spellings: sizes that are constants or
symbols, of int32 or int64, and with each of these four meanings: buffers of all dimensions, flat ones, flat aliases or views of
rows; orders of loops; guards by if, ifs in each other, T.if_then_else, T.Select or T.where, or that skip the rest of an
iteration; values with names or without, indices in the other type of integers, or in other sums; loops or blocks; loops split
by a factor, with a guard or up to T.min, or fused; loops that count up, down, or by themselves in a while.

Each spelling's results are compared with NumPy's, and with those of the spellings that add in the same order (RULES.md,
R3): these have the same bits, with whatever sizes and on each instruction set. Then `tirb bench` times each spelling, the
best of two turns, or of three where it seems slow. A group is what has one meaning and one order of sums; a spelling's
figure is its time divided by the time of the fastest in its group.

--quick takes symbolic sizes of int32 alone, each choice by itself and small sizes. --check compares at small sizes and times
nothing; --every N takes every Nth spelling of a kernel; --random N compares as many that nobody chose, at random sizes.
The exit status is 1 when a spelling is refused or computes something else; times decide nothing."""
import argparse
import collections
import dataclasses
import itertools
import json
import math
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

import generate
import kernels

TOLERANCE = 2e-4  # of 1 + |value|: of float32 sums in another order than NumPy's
WITHIN, OVER = 1.25, 2.0
PATIENCE = 60
TURNS = 10
WARM_UP = "0.05"  # seconds of which `tirb bench` takes a tenth to warm up
WORST = 25
RANDOM_SIZES, MOST_ITERATIONS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 33, 64, 65, 100), 40000


@dataclasses.dataclass
class Row:
    kernel: str
    program: generate.Program
    ns: float = math.inf
    ratio: float = 1.0  # to the fastest of its group

    @property
    def spelling(self):
        return self.program.spelling

    @property
    def group(self):
        trees = self.program.order_of_sums()
        return (self.kernel, self.spelling.sizes, self.spelling.index, "tree" if any(trees) else "in order")


class Failure(Exception):
    """What a spelling did instead of computing what it should."""


class Runner:
    """Calls the command for the spellings of one kernel at one choice of sizes."""

    def __init__(self, command, folder, kernel, sizes):
        self.command, self.folder, self.kernel, self.sizes = command, pathlib.Path(folder), kernel, sizes
        shapes = {name: [eval(extent, {}, dict(sizes)) for extent in extents]  # pylint: disable=eval-used
                  for name, extents in generate.buffers_of(kernel.inputs + " " + kernel.outputs).items()}
        inputs = generate.buffers_of(kernel.inputs)
        self.inputs = kernels.inputs_of(kernel, {name: shapes[name] for name in inputs}, sizes)
        self.outputs = [name for name in shapes if name not in inputs]
        self.expected = kernels.expected_of(kernel, self.inputs, sizes)
        for index in ("int32", "int64"):
            for name, shape in shapes.items():
                dtype = "float32" if name.isupper() else index
                value = np.asarray(self.inputs.get(name, np.zeros(shape)), dtype)
                np.save(self.folder / f"{name}_{index}.npy", value)
                np.save(self.folder / f"{name}_{index}_flat.npy", value.ravel())
        self.bits = {}  # of the outputs, by order of sums

    def call(self, program, command, *options):
        source = self.folder / f"{self.kernel.name}.py"
        source.write_text(program.text)
        kind = program.spelling.index + ("_flat" if program.spelling.storage == "flat" else "")
        arguments = [f"{name}=@{self.folder / f'{name}_{kind}.npy'}" for name in [*self.inputs, *self.outputs]]
        arguments += [f"{name}={self.sizes[name]}" for name in program.scalars]
        try:
            done = subprocess.run([*self.command, command, "--no-cache", *options, str(source), *arguments],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"took more than {PATIENCE} seconds") from None
        if done.returncode:
            raise Failure((done.stderr.strip() or f"status {done.returncode}").splitlines()[0])
        return done.stdout

    def check(self, program, isa, *more):
        saved = [self.folder / f"out_{name}.npy" for name in self.outputs]
        options = [f"-o{name}=@{path}" for name, path in zip(self.outputs, saved)]
        self.call(program, "run", "--isa", isa, *(more or ("--threads", "1")), *options)
        given = [np.load(path).reshape(expected.shape) for path, expected in zip(saved, self.expected)]
        for name, value, expected in zip(self.outputs, given, self.expected):
            wrong = ~(np.abs(value - expected) <= TOLERANCE * (1 + np.abs(expected)))
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise Failure(f"{isa}: {name}{list(at)} is {value[at]}, not {expected[at]}: {wrong.sum()} of {wrong.size}")
        bits = [value.astype(np.int64).tobytes() if value.dtype.kind == "i" else value.tobytes() for value in given]
        first, same = self.bits.setdefault(program.order_of_sums(), (program.spelling, bits))
        if bits != same:
            differing = next(name for name, a, b in zip(self.outputs, bits, same) if a != b)
            raise Failure(f"{isa}: the bits of {differing} are not those of: {first}")

    def time(self, program, isa, runs):
        """The best time of one call in nanoseconds: of a number of runs, for time that a machine is busy with other things
        passes without any."""
        options = ["--json", "--isa", isa, "--time", WARM_UP, "--runs", str(runs)]
        return json.loads(self.call(program, "bench", *options))["min_ns"]


# ---- What is taken --------------------------------------------------------------------------------------------------


def chosen_programs(kernel, options, sizes):
    found = []
    for meaning in itertools.product(("constant", "symbolic"), ("int32", "int64")):
        if options.quick and meaning != ("symbolic", "int32"):
            continue
        base = generate.Spelling(*meaning)
        for program in generate.programs_of(kernel, generate.spellings_of(kernel, meaning), sizes):
            if not options.quick or len(changes(program.spelling, base)) < 2:
                found.append(program)
    return found[::options.every]


def changes(spelling, base):
    """The axes on which two spellings differ."""
    return [axis for axis in generate.CHOICES if getattr(spelling, axis) != getattr(base, axis)]


def run_kernel(kernel, options, failures):
    """The rows of a kernel; what fails is told and has none."""
    sizes = kernel.small if options.check or options.quick else kernel.sizes
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.command, folder, kernel, sizes)
        rows = check_programs(runner, chosen_programs(kernel, options, sizes), options, failures)
        if not options.check:
            time_rows(rows, runner, options)
    return rows


def check_programs(runner, programs, options, failures, *more):
    """The rows of the programs that compute what they should."""
    rows, name = [], runner.kernel.name
    for program in programs:
        try:
            for isa in options.isa:
                runner.check(program, isa, *more)
            rows.append(Row(name, program))
        except Failure as failure:
            failures.append((name, str(program.spelling), str(failure)))
            sizes = ", ".join(f"{size}={value}" for size, value in runner.sizes.items())
            print(f"FAIL {name} of {sizes}: {program.spelling}: {failure}", flush=True)
            if options.keep:
                file = f"{name}_{str(program.spelling).replace(' ', '_')}.py"
                (pathlib.Path(options.keep) / file).write_text(program.text)
    return rows


def run_at_random(chosen, options, failures):
    """The rows of random spellings at random sizes, some on several threads."""
    draw, rows, tried = random.Random(options.seed), [], 0
    while tried < options.random:
        kernel = draw.choice(chosen)
        sizes = {name: draw.choice(RANDOM_SIZES) for name in kernel.sizes}
        if math.prod(sizes.values()) > MOST_ITERATIONS:
            continue
        programs = generate.programs_of(kernel, generate.random_spellings(draw, 12), sizes)
        tried += len(programs)
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(options.command, folder, kernel, sizes)
            more = draw.choice(((), (), ("--threads", "3"), ("--threads", "3", "--parallel", "all")))
            rows += check_programs(runner, programs, options, failures, *more)
    return rows


def time_rows(rows, runner, options):
    """Two turns, and some for what seems slow: the fastest of a group may have met a moment in which the CPU was faster."""
    for turn in range(TURNS):
        for row in rows:
            if row.ratio > WITHIN or turn < 2:
                row.ns = min(row.ns, runner.time(row.program, options.isa[0], options.runs))
        relate(rows)


# ---- Figures --------------------------------------------------------------------------------------------------------


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def groups_of(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    return groups


def relate(rows):
    for group in groups_of(rows).values():
        fastest = min(row.ns for row in group)
        for row in group:
            row.ratio = row.ns / fastest


def alone(rows):
    """Of each choice, how the time of a spelling with it relates to that of the same spelling without it: of the plain
    spelling, and of the flat one."""
    found = collections.defaultdict(list)
    for group in groups_of(rows).values():
        times = {row.spelling: row.ns for row in group}
        for spelling, ns in times.items():
            for axis, choices in generate.CHOICES.items():
                plain = dataclasses.replace(spelling, **{axis: choices[0]})
                if plain != spelling and plain in times:
                    found[axis, getattr(spelling, axis)].append(ns / times[plain])
    return found


def summary(rows):
    within = sum(row.ratio <= WITHIN for row in rows) / len(rows)
    return {"spellings": len(rows), "geomean": geomean(row.ratio for row in rows), "within": within,
            "over": sum(row.ratio > OVER for row in rows), "worst": max(row.ratio for row in rows)}


def print_line(name, rows, extra=""):
    figures = summary(rows)
    print(f"{name:<32}{figures['spellings']:>6}{figures['geomean']:>9.2f}{100 * figures['within']:>8.0f}%"
          f"{figures['over']:>6}{figures['worst']:>10.1f}{extra}")


def print_head(what, extra=""):
    print(f"\n{what:<32}{'number':>6}{'geomean':>9}{f'<= {WITHIN}':>9}{f'> {OVER:g}':>6}{'worst':>10}{extra}")


def print_report(rows):
    print_head("kernel")
    for name in dict.fromkeys(row.kernel for row in rows):
        print_line(name, [row for row in rows if row.kernel == name])
    print_head("meaning")
    for meaning in dict.fromkeys((row.spelling.sizes, row.spelling.index) for row in rows):
        print_line(" ".join(meaning), [row for row in rows if (row.spelling.sizes, row.spelling.index) == meaning])
    print_head("choice", "   by itself")
    by_itself = alone(rows)
    for axis, choices in generate.CHOICES.items():
        for choice in choices:
            chosen = [row for row in rows if getattr(row.spelling, axis) == choice]
            pairs = by_itself.get((axis, choice))
            if chosen:
                print_line(f"{axis}: {choice}", chosen, f"{geomean(pairs):>12.2f}" if pairs else "")
    print_head("all")
    print_line("", rows)
    print(f"\n{'time':>10} {'/ fastest':>9}  kernel and spelling, the worst first")
    for row in sorted(rows, key=lambda row: -row.ratio)[:WORST]:
        print(f"{row.ns / 1e3:>7.1f} us {row.ratio:>9.2f}  {row.kernel}: {row.spelling}"
              + (" (tree)" if row.group[-1] == "tree" else ""))


def json_of(rows, failures):
    by_itself = {f"{axis}: {choice}": geomean(pairs) for (axis, choice), pairs in alone(rows).items()}
    return {"rows": [{"kernel": row.kernel, "spelling": dataclasses.asdict(row.spelling), "order": row.group[-1],
                      "ns": row.ns, "ratio": row.ratio} for row in rows],
            "all": summary(rows), "by_itself": by_itself,
            "failures": [dict(zip(("kernel", "spelling", "what"), failure)) for failure in failures]}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "build/release/bin/tirb"), metavar="PATH")
    parser.add_argument("--isa", default="auto", metavar="NAMES", help="instruction sets to compare; the first is timed")
    parser.add_argument("--kernel", action="append", metavar="NAME", help="this kernel only (repeatable)")
    parser.add_argument("--quick", action="store_true", help="one meaning, each choice by itself, small sizes")
    parser.add_argument("--check", action="store_true", help="compare at small sizes, and time nothing")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="compare some N random spellings at random sizes")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of --random")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth spelling of a kernel")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="timings in one turn of one spelling")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the programs that fail here")
    parser.add_argument("--list", action="store_true", help="print the names of the kernels")
    options = parser.parse_args()
    known = [kernel.name for kernel in kernels.KERNELS]
    for name in options.kernel or ():
        if name not in known:
            parser.error(f"there is no kernel {name}; known are {', '.join(known)}")
    if options.every < 1:
        parser.error("--every is 1 or more")
    options.every *= int(os.environ.get("TIRB_TEST_EVERY", "1"))  # of a build that is slow
    options.check = options.check or options.random > 0
    options.command, options.isa = shlex.split(options.tirb), options.isa.split(",")
    return options


def main():
    options = read_options()
    chosen = [kernel for kernel in kernels.KERNELS if not options.kernel or kernel.name in options.kernel]
    if options.list:
        print("\n".join(kernel.name for kernel in chosen))
        return 0
    rows, failures = [], []
    if options.random:
        rows = run_at_random(chosen, options, failures)
    for kernel in chosen if not options.random else ():
        rows += run_kernel(kernel, options, failures)
        if not options.check:
            print(f"{kernel.name}: {sum(row.kernel == kernel.name for row in rows)} spellings", file=sys.stderr, flush=True)
    if not options.check and rows:
        if options.json:
            print(json.dumps(json_of(rows, failures), indent=1))
        else:
            print_report(rows)
    if not options.json:
        print(f"{len(rows)} passed, {len(failures)} failed")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
