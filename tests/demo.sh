#!/usr/bin/env bash
# README's first command: builds the tirb command on a fresh Debian 12 for this CPU, compiles a TVMScript module that
# reads handwritten digits, runs it on real pictures, and prints some of them with the prediction beside the label.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/install.sh

# The lanes of one instruction set are a fifth of the work of all; those of generic C are always there. AVX-512's take
# twice as long to compile as AVX2's, and the demo is done with digits in a millisecond either way.
lanes_of_this_cpu() {
    has() { ! grep -m 1 '^flags' /proc/cpuinfo | grep -qvw "$1"; }
    case $(uname -m) in
    aarch64) echo neon ;;
    x86_64)
        if has avx2; then echo avx2; else echo sse2; fi
        ;;
    *) echo generic ;;
    esac
}

install_packages cmake gcc libc6-dev libcjson-dev libdlpack-dev libpopt-dev libxxhash-dev libzstd-dev ninja-build \
    pkg-config python3
build=build/demo
generator=()
[ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
echo "building in $build"
# TIRB_DEMO_OPTIONS: of a build whose objects ccache knows (tests/check.sh). A compiler that is optimized less takes
# milliseconds longer over the digits, and seconds less to compile.
read -ra options <<< "${TIRB_DEMO_OPTIONS:--DTIRB_LANE_ISAS=$(lanes_of_this_cpu) -DTIRB_COMPILER_LEVEL=-O1}"
cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DTIRB_BUILD_TESTS=OFF "${options[@]}" > /dev/null
cmake --build "$build" --target tirb_command

tirb=$build/bin/tirb
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
