#!/usr/bin/env python3
"""How many bytes of code libtirb has for each instruction set.

    text_size.py [BUILD] [--size PROGRAM]

Adds up what `size` says of the objects in the library of the folder BUILD (default: build); objects of one instruction
set have its name at the end of theirs. PROGRAM is that of a cross compiler: aarch64-linux-gnu-size."""
import argparse
import collections
import pathlib
import re
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", default="build", type=pathlib.Path)
    parser.add_argument("--size", default="size", metavar="PROGRAM")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.size, arguments.build / "lib/libtirb.a"], check=True, capture_output=True,
                            text=True).stdout
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for line in listed.splitlines()[1:]:
        text, data, _, _, _, name = line.split()[:6]
        found = re.match(r"(lanes|kernels|tiles)_(generic|sse2|avx2|avx512|neon)\.c\.o", name)
        row = rows[found.group(2) if found else "the rest"]
        row[0] += int(text)
        row[1] += int(data)
        if found:
            row[2] += int(text) if found.group(1) == "lanes" else 0
    print(f"{'':<10} {'text':>10} {'of it machine':>14} {'data':>10}")
    for name in sorted((name for name in rows if rows[name][0]), key=lambda name: -rows[name][0]):
        print(f"{name:<10} {rows[name][0]:>10} {rows[name][2] or '':>14} {rows[name][1]:>10}")
    print(f"{'all':<10} {sum(row[0] for row in rows.values()):>10} {'':>14} {sum(row[1] for row in rows.values()):>10}")


if __name__ == "__main__":
    main()
