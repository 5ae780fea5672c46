#!/usr/bin/env bash
# Unpacks the libraries that tirb needs, as Debian has them for another architecture, into build/root-TRIPLET, where the
# toolchain files beside this one look for them. apt runs with a state of its own: nothing is installed or changed in the
# system, and no privileges are needed.
#
#   bash tests/cross/root.sh arm64|s390x
#
# Exit status 77, with the reason in the last line, when the packages cannot be had.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

case ${1-} in
    arm64) triplet=aarch64-linux-gnu ;;
    s390x) triplet=s390x-linux-gnu ;;
    *) echo "usage: tests/cross/root.sh arm64|s390x" >&2; exit 2 ;;
esac
architecture=$1
root=$PWD/build/root-$triplet
# The C library to run with as well: the cross compiler's own hangs under qemu where a first thread is made.
wanted=(libc6 libgcc-s1 libcjson1 libcjson-dev libcmocka0 libcmocka-dev libdlpack-dev libpopt0 libpopt-dev libxxhash0
    libxxhash-dev libzstd1 libzstd-dev)
# What was unpacked is named in a file that is written last.
[ "$(cat "$root/packages" 2> /dev/null)" != "${wanted[*]}" ] || exit 0

command -v apt-get > /dev/null || { echo "no apt-get to fetch the libraries of $architecture with"; exit 77; }
rm -rf "$root"
mkdir -p "$root"/apt/{state/lists/partial,cache/archives/partial,packages}
: > "$root/apt/status"
apt() {
    apt-get -qq -o Dir::State="$root/apt/state" -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt/cache" \
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User= \
        -o Acquire::Languages=none "$@" 2>&1
}
log=$(apt update && cd "$root/apt/packages" && apt download "${wanted[@]}") || {
    printf '%s\n' "$log"
    echo "the Debian packages of $architecture cannot be had"
    exit 77
}
for package in "$root"/apt/packages/*.deb; do
    dpkg-deb -x "$package" "$root" || exit 1
done
rm -rf "$root/apt"
echo "${wanted[*]}" > "$root/packages"
