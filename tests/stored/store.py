#!/usr/bin/env python3
"""A bundle as text, for tests/stored: store.py --tirb TIRB SOURCE [OPTIONS...] > tests/stored/VERSION/NAME.hex

SOURCE is an assembly listing, whose expectations are kept with the bundle, or a TVMScript source, which is kept as a
comment. OPTIONS go to the compiler. What is stored is never made anew: later versions must load these very bytes.
"""
import argparse
import pathlib
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--tirb", required=True)
parser.add_argument("source", type=pathlib.Path)
args, options = parser.parse_known_args()
text = args.source.read_text(encoding="utf-8")
listing = args.source.suffix == ".tirs"
with tempfile.TemporaryDirectory() as folder:
    bundle = pathlib.Path(folder) / "bundle.tirb"
    subprocess.run([args.tirb, "asm" if listing else "compile", args.source, *options, "-o", bundle], check=True)
    data = bundle.read_bytes()
for line in text.splitlines():
    if not listing:
        print(("# " + line).rstrip())
    elif line.startswith(("; expect ", "; trap ")):  # fuel is what this version charges
        print(line)
for at in range(0, len(data), 32):
    print(data[at:at + 32].hex(" "))
