#!/usr/bin/env python3
"""Listings with mistakes in them: what `tirb dis` prints of the test programs, with operands, opcodes, types or lines
changed. What assembles and verifies is run with random data under a deadline, on every instruction set and with one and
four threads: it ends by the deadline, without a fault, and everywhere with the same outputs, fuel or trap.

    listings.py [--tirb PATH] [--seed N] [--count N] [--jobs N] [--keep FOLDER] [--function NAME] [SOURCE...]

A listing that fails is left in FOLDER. Ends with `N passed, N failed`."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
SOURCES = sorted(TESTS.glob("kernels/*.py")) + sorted(TESTS.glob("bench/kernels/*.py")) + sorted(TESTS.glob("kernels/tc/*.tc"))
TYPES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()
NUMBERS = [-16384, -129, -64, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 100, 255, 256, 1023, 1024, 16383]
WIDE = [-2**63, -2**63 + 1, -2**40, -2**31, 2**15, 2**24, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1]
SCALARS = [-1, 0, 1, 2, 3, 5, 7, 16, 50, 1000, 2**31 - 1]
EXTENTS = [0, 1, 2, 3, 5, 8, 16, 17, 33, 64, 100, 130, 257, 1025, 2050]
MOST_ELEMENTS = 5000  # of a tensor
TIMEOUT = 0.25  # of a call
SLACK = 20.0  # of a process beside it: other processes may have the CPUs
OUTCOMES = (0, 5)


def call(command, **options):
    return subprocess.run([str(word) for word in command], text=True, errors="replace", capture_output=True, check=False, **options)


# ---- Changes ---------------------------------------------------------------------------------------------------------

def change_operand(rng, lines, at):
    """A register, a number, a label."""
    words = list(re.finditer(r"(?<![\w.\"%$])([svrcqlL]?)(-?\d+|(?<=L)[0-9a-f]+)\b(?![^\"]*\"\s*$)", lines[at]))
    if not words:
        return
    word = rng.choice(words)
    kind, number = word.group(1), word.group(2)
    if kind == "L":
        labels = [line[:-1] for line in lines if re.fullmatch(r"L[0-9a-f]+:", line)]
        new = rng.choice(labels or [kind + number])
    elif kind:
        new = f"{kind}{max(0, int(number) + rng.choice((-2, -1, 1, 2, 3)))}"
    else:
        new = str(rng.choice(WIDE if lines[at].lstrip().startswith("const") and rng.random() < 0.5 else NUMBERS))
    lines[at] = lines[at][:word.start()] + new + lines[at][word.end():]


def change_opcode(rng, lines, at, opcodes):
    found = re.match(r"(\s+)([a-z0-9]+)(\.\w+)?(.*)", lines[at])
    if not found:
        return
    shape = re.sub(r"-?\d+", "#", found.group(4))
    lines[at] = found.group(1) + rng.choice(sorted(opcodes.get(shape, {found.group(2)}))) + (found.group(3) or "") + found.group(4)


def change_type(rng, lines, at):
    words = list(re.finditer(r"\b(?:" + "|".join(TYPES) + r")\b", lines[at]))
    if words:
        word = rng.choice(words)
        lines[at] = lines[at][:word.start()] + rng.choice(TYPES) + lines[at][word.end():]


def mutate(rng, lines, first, last, opcodes):
    """Some changes between two lines, of which the last is moved where lines come or go."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(first + 1, last)
        kind = rng.random()
        if kind < 0.5:
            change_operand(rng, lines, at)
        elif kind < 0.7:
            change_opcode(rng, lines, at, opcodes)
        elif kind < 0.8:
            change_type(rng, lines, at)
        elif kind < 0.87:
            lines.insert(at, lines[rng.randrange(first + 1, last)])
            last += 1
        elif kind < 0.94 and last - first > 3:
            del lines[at]
            last -= 1
        else:
            other = rng.randrange(first + 1, last)
            lines[at], lines[other] = lines[other], lines[at]


def opcodes_of(listings):
    """The mnemonics that have operands of one shape."""
    found = {}
    for lines in listings:
        for line in lines:
            word = re.match(r"\s+([a-z0-9]+)(\.\w+)?(.*)", line)
            if word:
                found.setdefault(re.sub(r"-?\d+", "#", word.group(3)), set()).add(word.group(1))
    return found


# ---- Calls -----------------------------------------------------------------------------------------------------------

def arguments_of(rng, function):
    """Extents and scalars; tensors are random."""
    names, given, fixed = set(), [], True
    for parameter in function["parameters"]:
        if parameter["kind"] == "scalar":
            if not parameter.get("inferable"):
                value = rng.choice(SCALARS)
                given.append(f"{parameter['name']}={value if parameter['type'] != 'bool' else value & 1}")
            continue
        for extent in parameter["extents"]:
            names |= set(re.findall(r"[A-Za-z_]\w*", extent))
            fixed = fixed and not re.search(r"[A-Za-z_]", extent)
    scalars = {parameter["name"] for parameter in function["parameters"] if parameter["kind"] == "scalar"}
    if fixed:
        for parameter in function["parameters"]:
            if parameter["kind"] == "tensor":
                shape = "x".join(str(extent) for extent in parameter["shape"])
                given.append(f"{parameter['name']}={shape + 'x' if shape else ''}{parameter['type']}")
    dimensions = max((len(p["extents"]) for p in function["parameters"] if p["kind"] == "tensor"), default=0)
    few = [extent for extent in EXTENTS if extent ** max(dimensions, 1) <= MOST_ELEMENTS]
    return given + [f"{name}={rng.choice(few)}" for name in sorted(names - scalars)]


def outcome(done):
    """What every call has to give alike; None: a deadline, which comes when it comes."""
    if not done.stdout:
        return done.stderr  # it refuses its arguments
    found = json.loads(done.stdout)
    for varies in ("time_ns", "peak_memory", "isa", "threads"):
        found.get("stats", {}).pop(varies, None)
    return None if found["status"] == "DEADLINE" else json.dumps(found)


def difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 200):at + 100]}\n---\n{other[max(0, at - 200):at + 100]}"


def run(tirb, isas, bundle, function, given):
    """Why it fails, or None."""
    first = None
    for isa in isas:
        for threads in (1, 4):
            where = f"{isa}, {threads} threads, {' '.join(given)}"
            command = [tirb, "run", bundle, "-f", function, "--isa", isa, "--threads", threads, "--timeout", TIMEOUT,
                       "--max-memory", "64M", "--full", "--json", "--stats", *given]
            try:
                done = call(command, timeout=TIMEOUT + SLACK)
            except subprocess.TimeoutExpired:
                return f"{where}: no end {SLACK:.0f} s behind the deadline"
            if done.returncode == 2:
                return None  # the arguments are none for it
            if done.returncode not in OUTCOMES:
                return f"{where}: exit status {done.returncode}\n{done.stderr[-3000:]}"
            found = outcome(done)
            if found is None:
                return None
            first = first or (where, found)
            if found != first[1]:
                return f"{where}, gives other than {first[0]}:\n{difference(first[1], found)}"
    return None


# ---- Everything ------------------------------------------------------------------------------------------------------

def attempt(options, isas, listings, opcodes, number):
    """(whether it verified, why it fails or None)."""
    rng = random.Random(f"{options.seed}/{number}")
    lines = list(rng.choice(listings))
    starts = [i for i, line in enumerate(lines) if line.startswith(f'.function "{options.function}')]
    first = rng.choice(starts)
    last = next(i for i in range(first, len(lines)) if lines[i] == ".end")
    name = re.search(r'"([^":]*)', lines[first]).group(1)
    mutate(rng, lines, first, last, opcodes)
    listing, bundle = options.keep / f"{number}.tirs", options.keep / f"{number}.tirb"
    listing.write_text("\n".join(lines) + "\n")
    try:
        made = call([options.tirb, "asm", listing, "-o", bundle], timeout=SLACK)
        if made.returncode not in (0, 1, 4):
            return False, f"{number}: asm: exit status {made.returncode}\n{made.stderr[-3000:]}"
        if made.returncode != 0:
            listing.unlink()
            return False, None
        functions = json.loads(call([options.tirb, "inspect", "--json", bundle]).stdout)["functions"]
        why = None
        for function in functions:
            if function["name"] == name and function["public"] and not why:
                given = arguments_of(rng, function)
                why = run(options.tirb, isas, bundle, name, given)
    finally:
        bundle.unlink(missing_ok=True)
    if not why:
        listing.unlink()
    return True, f"{listing}, {name}: {why}" if why else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tirb", type=pathlib.Path, default=os.environ.get("TIRB"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--function", default="", help="changes only this one, and the regions of its loops")
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    temporary = tempfile.TemporaryDirectory(prefix="tirb_listings_")
    options.keep = options.keep or pathlib.Path(temporary.name)
    options.keep.mkdir(parents=True, exist_ok=True)
    sources = options.sources or random.Random(options.seed).sample(SOURCES, 12)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ways = [(source, parallel) for source in sources for parallel in ("auto", "all")]
        texts = list(pool.map(lambda way: call([options.tirb, "dis", "-w", "--parallel", way[1], way[0]]), ways))
        listings = [done.stdout.splitlines() for done in texts if done.returncode == 0]
        if not listings:
            print("no listings\n0 passed, 1 failed")
            return 1
        version = call([options.tirb, "version"]).stdout
        isas = [isa for isa in ("generic", "sse2", "avx2", "avx512", "neon") if re.search(rf"\b{isa}\b", version)]
        opcodes = opcodes_of(listings)
        results = list(pool.map(lambda number: attempt(options, isas, listings, opcodes, number), range(options.count)))
    failures = [why for _, why in results if why]
    for why in failures:
        print(why)
    print(f"{sum(verified for verified, _ in results)} of {len(results)} listings verified, on {', '.join(isas)}")
    print(f"{len(results) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
