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

# What objects are of: strip kernels, lane machines, and tiles of contractions.
KINDS = ("kernels", "lanes", "tiles")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", default="build", type=pathlib.Path)
    parser.add_argument("--size", default="size", metavar="PROGRAM")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.size, arguments.build / "lib/libtirb.a"], check=True, capture_output=True,
                            text=True).stdout
    rows = collections.defaultdict(collections.Counter)
    for line in listed.splitlines()[1:]:
        text, data, _, _, _, name = line.split()[:6]
        found = re.match(r"([a-z]+)\w*?_(generic|sse2|avx2|avx512|neon)\.c\.o", name)
        row = rows[found.group(2) if found else "the rest"]
        row["text"] += int(text)
        row["data"] += int(data)
        row[found.group(1) if found and found.group(1) in KINDS else "others"] += int(text)
    columns = ("text", *KINDS, "others", "data")
    print(f"{'':<10}", *(f"{column:>9}" for column in columns))
    for name in sorted((name for name in rows if rows[name]["text"]), key=lambda name: -rows[name]["text"]):
        print(f"{name:<10}", *(f"{rows[name][column]:>9}" for column in columns))
    print(f"{'all':<10}", *(f"{sum(row[column] for row in rows.values()):>9}" for column in columns))


if __name__ == "__main__":
    main()
