#!/usr/bin/env bash
# README's first command: builds tirb on a fresh Debian 12, compiles a TVMScript module that reads handwritten digits,
# runs it on real pictures, and prints some of them with the prediction beside the label.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/install.sh

install_packages cmake gcc libc6-dev libcjson-dev libcmocka-dev libdlpack-dev libpopt-dev libxxhash-dev libzstd-dev ninja-build \
    pkg-config python3
generator=()
[ -e build/release/CMakeCache.txt ] || generator=(-G Ninja)
echo "building"
mkdir -p build
if ! { cmake --preset release "${generator[@]}" &&
       cmake --build --preset release --target tirb_command; } > build/demo.log 2>&1; then
    tail -n 40 build/demo.log >&2
    exit 1
fi

tirb=build/release/bin/tirb
digits=tests/kernels/digits
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "\$ tirb compile $digits/digits.py -o digits.tirb"
"$tirb" compile "$digits/digits.py" -o "$out/digits.tirb"
"$tirb" check "$out/digits.tirb" | sed "s|$out/||"
echo "\$ tirb run digits.tirb -f predict @images.npy @w0.npy @b0.npy @w1.npy @b1.npy -o scores=@scores.npy --stats"
"$tirb" run "$out/digits.tirb" -f predict "@$digits/images.npy" "@$digits/w0.npy" "@$digits/b0.npy" \
    "@$digits/w1.npy" "@$digits/b1.npy" -o "scores=@$out/scores.npy" --stats | tee "$out/run.txt"
echo
python3 "$digits/show.py" "$out/scores.npy"
python3 - "$out/run.txt" "$digits/images.npy" << 'PYTHON'
import ast
import re
import sys

milliseconds = float(re.search(r"^time: ([\d.]+) ms", open(sys.argv[1]).read(), re.M).group(1))
header = open(sys.argv[2], "rb").read(256)
images = ast.literal_eval(header[10:10 + int.from_bytes(header[8:10], "little")].decode())["shape"][0]
print(f"{milliseconds / images * 1000:.2f} microseconds per image")
PYTHON
