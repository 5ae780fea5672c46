#!/usr/bin/env bash
# Installs both forms of the libraries and builds a host program against each by find_package and by pkg-config, and
# once by add_subdirectory; compares the exported symbols with exports.txt. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
work=$root/build/abi
passed=0 failed=0

check() {
    local name=$1 log=$work/log
    shift
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 30 "$log"
    fi
}

consume() { # consume BUILD OPTIONS...: configure, build and run the host program
    local build=$1
    shift
    rm -rf "$build"
    cmake -S tests/abi/consumer -B "$build" -G Ninja "$@" && cmake --build "$build" &&
        "$build/consumer" && "$build/runtime_only"
}

by_pkg_config() { # by_pkg_config PREFIX static|shared
    local prefix=$1 flags
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tirb.pc)")
    export PKG_CONFIG_PATH
    if [ "$2" = static ]; then
        flags=$(pkg-config --static --cflags --libs tirbc) || return 1
    else
        flags=$(pkg-config --cflags --libs tirbc) || return 1
    fi
    # shellcheck disable=SC2086
    cc tests/abi/consumer/main.c -o "$work/by_pkg_config_$2" $flags &&
        LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$work/by_pkg_config_$2"
}

exports_match() {
    local library=$1
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBR]/ {print $3}' | sort | diff - "$2"
}

install_form() { # install_form static|shared
    local shared=OFF
    [ "$1" = shared ] && shared=ON
    cmake -S . -B "$work/$1" -G Ninja -DBUILD_SHARED_LIBS=$shared -DTIRB_BUILD_TESTS=OFF -DTIRB_BUILD_CLI=OFF \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/prefix-$1" &&
        cmake --build "$work/$1" && rm -rf "$work/prefix-$1" && cmake --install "$work/$1"
}

mkdir -p "$work"
for form in static shared; do
    check "install ($form)" install_form "$form"
    check "find_package ($form)" consume "$work/consumer-$form" -DCMAKE_PREFIX_PATH="$work/prefix-$form"
    check "pkg-config ($form)" by_pkg_config "$work/prefix-$form" "$form"
done
check "add_subdirectory" consume "$work/consumer-source" -DTIRB_SOURCE="$root" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)"
for library in tirb tirbc; do
    expected=tests/abi/exports.txt
    [ "$library" = tirb ] || expected=tests/abi/exports-$library.txt
    check "exports of lib$library" exports_match "$(find "$work/prefix-shared" -name "lib$library.so")" "$expected"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
