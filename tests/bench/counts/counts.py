#!/usr/bin/env python3
"""Counts the instructions of the bench's kernels on AArch64, beside those of gcc's loops, where no such CPU is at hand.

    counts.py [--build BUILD] [--qemu QEMU] [ARGUMENTS of bench ...]

Runs the bench of the folder BUILD (default: build/aarch64, which `cmake --preset aarch64` makes) under qemu-user with a
plugin that counts, which a C compiler of this machine makes first. A count says what a CPU is given to do, not how long
that takes; it is the same each time. Small sizes take seconds each, large ones minutes: `counts.py :small` leaves
these out."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/aarch64")
    parser.add_argument("--qemu", default="qemu-aarch64")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT / "build/root-aarch64-linux-gnu",
                        help="where the emulated program's libraries are")
    arguments, of_bench = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        plugin, counter = f"{folder}/count.so", f"{folder}/counter"
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-Wall", "-shared", "-fPIC", "-o", plugin,
                        pathlib.Path(__file__).with_name("plugin.c")], check=True)
        pathlib.Path(counter).write_bytes(bytes(8))
        return subprocess.run([arguments.qemu, "-L", arguments.root, "-plugin", f"{plugin},to={counter}",
                               arguments.build / "bin/bench", "--count", counter, *of_bench]).returncode


if __name__ == "__main__":
    sys.exit(main())
