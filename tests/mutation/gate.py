#!/usr/bin/env python3
"""Is every check of the loader necessary? Switches off one at a time, in a build with -DTIRB_MUTATE=ON and sanitizers,
which see what reads past an end, and runs the loader's tests, one of which must fail:

    gate.py --build build/mutation                 all of them
    gate.py --build build/mutation --one-in 10     a seeded sample, the seed of which is the number of commits
    gate.py --build build/mutation --file pack.c   those of some files

What no test misses is shown, and fails the gate: it lacks a test, or it is no check. Ends with `N passed, N failed`."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The quick ones first: one that fails is enough.
TESTS = ("test_verify", "test_isa", "test_bundle", "test_malformed", "test_regions", "test_stored", "test_asm_programs",
         "test_api_sweep", "test_assembly", "test_load_limits", "test_hostile")
TIMEOUT = 120


def run(build, test, **more):
    """Whether `test` passes. A crash and a test that does not end are failures as others are."""
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0", **more)
    try:
        done = subprocess.run([build / "bin" / test], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def reached_by(build):
    """The numbers of the checks that each test asks."""
    reached = {}
    with tempfile.TemporaryDirectory() as folder:
        for test in TESTS:
            seen = pathlib.Path(folder) / test
            if not run(build, test, TIRB_MUTANTS_SEEN=str(seen)):
                sys.exit(f"{test} fails with all checks on")
            reached[test] = set(map(int, seen.read_text().split()))
    return reached


def killer(build, number, reached):
    """The first test that misses the check, or None."""
    for test in TESTS:
        if number in reached[test] and not run(build, test, TIRB_MUTANT=str(number)):
            return test
    return None


def number_of_commits():
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, text=True, capture_output=True)
    return int(done.stdout) if re.fullmatch(r"\d+\n", done.stdout) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    checks = json.loads((build / "mutation/checks.json").read_text())
    if arguments.file:
        checks = [check for check in checks if any(name in check["file"] for name in arguments.file)]
    in_all = len(checks)
    if arguments.one_in > 1:
        seed = number_of_commits() if arguments.seed is None else arguments.seed
        checks = random.Random(seed).sample(checks, -(-in_all // arguments.one_in))
        print(f"{len(checks)} of {in_all} checks, seed {seed}")
    reached = reached_by(build)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        killers = list(pool.map(lambda check: killer(build, check["number"], reached), checks))
    counts = collections.defaultdict(lambda: [0, 0])
    for check, test in zip(checks, killers):
        counts[check["file"]][test is None] += 1
        if test is None:
            untested = not any(check["number"] in numbers for numbers in reached.values())
            print(f"{check['file']}:{check['line']}: survives{', never reached' if untested else ''}: {check['text']}")
    for file, (killed, survived) in sorted(counts.items()):
        print(f"{file}: {killed} killed, {survived} survive")
    by_test = collections.Counter(killers)
    print(", ".join(f"{test}: {by_test[test]}" for test in TESTS if by_test[test]))
    failed = by_test[None]
    print(f"{len(checks) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
