#!/usr/bin/env python3
"""Is every check of the loader necessary? Switches off one at a time, in a build with -DTIRB_MUTATE=ON, and runs the
loader's tests, one of which must fail:

    gate.py --build build/release                 all of them
    gate.py --build build/release --one-in 10     a seeded sample, the seed of which is the number of commits
    gate.py --build build/release --file pack.c   those of some files

What no test misses is shown, and fails the gate: it lacks a test, or it is no check. Ends with a table, and
`N passed, N failed`."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from commits import number_of_commits  # noqa: E402


def run(program, seconds=600, **more):
    """Whether a test passes. A crash and a test that does not end are failures as others are; the first one that is
    reported ends the test."""
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0", **more)
    test = subprocess.Popen([program], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    patience = threading.Timer(seconds, test.kill)
    patience.start()
    with test, test.stderr:
        if any(line.startswith(b"ERROR") or b"FAILED" in line for line in test.stderr):
            test.kill()
    patience.cancel()
    return test.returncode == 0


def reached_by(program):
    """The numbers of the checks that a test asks, and the seconds that it may take without one."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen = pathlib.Path(folder) / "seen"
        if not run(program, TIRB_MUTANTS_SEEN=str(seen)):
            sys.exit(f"{program.name} fails with all checks on")
        return set(map(int, seen.read_text().split())), 10 + 10 * (time.monotonic() - begin)


def killer(programs, check, reached):
    """The first test that misses the check, that of its room before all others, or None."""
    room = pathlib.PurePath(check["file"]).parent.name
    for program in sorted(programs, key=lambda program: program.name != f"test_{room}"):
        asked, seconds = reached[program]
        if check["number"] in asked and not run(program, seconds, TIRB_MUTANT=str(check["number"])):
            return program
    return None


def print_table(checks, killers):
    counts = collections.defaultdict(lambda: [0, 0])
    for check, program in zip(checks, killers):
        counts[check["file"]][program is None] += 1
    print(f"{'file':28} {'deletions':>9} {'killed':>9} {'survive':>9}")
    for file, (killed, survive) in [*sorted(counts.items()), ("all", map(sum, zip(*counts.values())))]:
        print(f"{file:28} {killed + survive:9} {killed:9} {survive:9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    folder = arguments.build.resolve() / "mutation"
    programs = [folder / "bin" / name for name in (folder / "tests.txt").read_text().split()]
    checks = json.loads((folder / "checks.json").read_text())
    if arguments.file:
        checks = [check for check in checks if any(name in check["file"] for name in arguments.file)]
    in_all, sample = len(checks), ""
    if arguments.one_in > 1:
        seed = number_of_commits() if arguments.seed is None else arguments.seed
        checks = random.Random(seed).sample(checks, -(-in_all // arguments.one_in))
        sample = f" ({len(checks)} of {in_all} checks, seed {seed})"
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reached = dict(zip(programs, pool.map(reached_by, programs)))
        killers = list(pool.map(lambda check: killer(programs, check, reached), checks))
    for check, program in zip(checks, killers):
        if program is None:
            untested = not any(check["number"] in numbers for numbers, _ in reached.values())
            print(f"{check['file']}:{check['line']}: survives{', never reached' if untested else ''}: {check['text']}")
    print_table(checks, killers)
    by_test = collections.Counter(killers)
    print(", ".join(f"{program.name}: {by_test[program]}" for program in programs if by_test[program]))
    failed = by_test[None]
    print(f"{len(checks) - failed} passed, {failed} failed{sample}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
