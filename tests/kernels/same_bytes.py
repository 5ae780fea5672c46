"""Runs every kernel of this folder on every machine, instruction set and number of threads, and compares bytes.

    same_bytes.py [--tirb [NAME=]COMMAND]... [--threads N,N..] [--first] [--sample N] [--seed N] [--rows] [WORD...]

A COMMAND may begin with an emulator: --tirb 's390x=qemu-s390x -L ROOT build/s390x/bin/tirb'. The first command's bundles
are what all of them run, and each of the others must compile to the same bytes. The first command with generic kernels
and the first number of threads gives the bytes to compare with. --first takes only the first case of each function,
--sample N has the other machines, emulated ones, run each Nth case with the last number of threads alone. --rows prints
the whole table, not only its last line and the rows that differ. WORDs choose the cases whose
`file:function` contains one of them. Ends with `N passed, N failed`, where each place of the table counts; exit status
1 when bytes differ. Needs NumPy.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

from compare import all_runs
from run import Failure, Tirb, call, compile_all

SAME, DIFFERENT, LEFT_OUT = "same", "OTHER", "-"


def stamp(outputs, result):
    """Of the bytes of all outputs, and of the returned value."""
    digest = hashlib.sha256(repr(result).encode())
    for name in sorted(outputs):
        digest.update(name.encode() + str(outputs[name].dtype).encode() + outputs[name].tobytes())
    return digest.hexdigest()


class Column:
    """One machine with one instruction set and one number of threads, and which cases it runs."""

    def __init__(self, machine, tirb, isa, threads, every):
        self.title = f"{machine}{isa}/{threads}"
        self.tirb, self.isa, self.threads, self.every = tirb, isa, threads, every

    def run(self, index, bundle, function, run, folder):
        if index % self.every:
            return LEFT_OUT
        try:
            return stamp(*call(self.tirb, bundle, function, run, self.isa, folder, 1, threads=self.threads))
        except Failure as failure:
            return f"failed: {failure}"


def compile_row(machines, file, bundles):
    """Whether each machine's compiler makes the first one's bytes, by machine."""
    def content(of):
        return of if isinstance(of, str) else of.read_bytes()

    first = content(bundles[machines[0][0]][file])
    return [SAME if content(bundles[name][file]) == first else DIFFERENT for name, _ in machines]


def run_row(columns, index, bundle, function, run, folder):
    stamps = [column.run(index, bundle, function, run, folder) for column in columns]
    return [s if s == LEFT_OUT or s.startswith("failed") else SAME if s == stamps[0] else DIFFERENT for s in stamps]


def table(rows, columns, everything):
    """Prints the rows that are wanted and the counts below them; returns the numbers of same and other places."""
    width = max([len(name) for name, _ in rows] + [20])
    sizes = [max(len(title), 9) for title in columns]
    print(" " * width, *(title.rjust(size) for title, size in zip(columns, sizes)))
    for name, places in rows:
        if everything or any(place not in (SAME, LEFT_OUT) for place in places):
            shown = [place if len(place) < 9 else "failed" for place in places]
            print(name.ljust(width), *(place.rjust(size) for place, size in zip(shown, sizes)))
            for place in sorted({place for place in places if place.startswith("failed")}):
                print(f"    {place}")
    same = [sum(places[i] == SAME for _, places in rows) for i in range(len(columns))]
    print(f"same, of {len(rows)}".ljust(width), *(str(n).rjust(size) for n, size in zip(same, sizes)))
    return sum(same), sum(place not in (SAME, LEFT_OUT) for _, places in rows for place in places)


def main():
    parser = argparse.ArgumentParser(description="Compares the bytes that kernels give everywhere.")
    parser.add_argument("--tirb", action="append", metavar="[NAME=]COMMAND", help="default: $TIRB, then the path")
    parser.add_argument("--threads", default="1", help="numbers of threads, with commas between them (default: 1)")
    parser.add_argument("--first", action="store_true", help="only the first case of each function")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="the other machines run each Nth case only")
    parser.add_argument("--rows", action="store_true", help="print the rows that are the same as well")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    machines, columns = [], []
    try:
        for text in options.tirb or [os.environ.get("TIRB", "tirb")]:
            name, _, command = text.rpartition("=")
            tirb = Tirb(command)
            machines.append((name, tirb))
            threads, every = [int(n) for n in options.threads.split(",")], 1
            if options.sample and len(machines) > 1:
                threads, every = threads[-1:], options.sample
            columns += [Column(name and name + ":", tirb, isa, n, every) for isa in tirb.isas for n in threads]
    except (Failure, OSError) as failure:
        print(f"FAIL {failure}\n0 passed, 1 failed")
        return 1
    runs = [run for run in all_runs(options.seed, options.words) if run[2] == 0 or not options.first]
    files = sorted({file for file, *_ in runs})
    with tempfile.TemporaryDirectory(prefix="tirb_bytes_") as folder:
        folder = pathlib.Path(folder)
        bundles = {}
        for number, (name, tirb) in enumerate(machines):
            (folder / f"bundles{number}").mkdir()
            bundles[name] = compile_all(tirb, files, folder / f"bundles{number}")
        compiled = [(file, compile_row(machines, file, bundles)) for file in files]

        def one(item):
            index, (file, function, number, run, _) = item
            place = folder / str(index)
            place.mkdir()
            bundle = bundles[machines[0][0]][file]
            return f"{file}:{function} #{number}", run_row(columns, index, bundle, function, run, place)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = list(pool.map(one, enumerate(runs)))
    passed = failed = 0
    if len(machines) > 1:
        print("bundles compiled on each machine")
        passed, failed = table(compiled, [name for name, _ in machines], options.rows)
        print("what calls give, by machine, instruction set and threads")
    same, other = table(rows, [column.title for column in columns], options.rows)
    print(f"{passed + same} passed, {failed + other} failed")
    return 1 if failed + other else 0


if __name__ == "__main__":
    sys.exit(main())
