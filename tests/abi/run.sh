#!/usr/bin/env bash
# Installs both forms of the libraries, moves the installed tree, and builds host programs in C and C++ against each by
# find_package and by pkg-config, and once by add_subdirectory and by FetchContent; compares the exported symbols with
# exports.txt, and looks at sonames, installed headers and what the package files name. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
work=$root/build/abi
passed=0 failed=0
# As tests/check.sh builds what is shipped, so that ccache knows the sources.
options=(-DCMAKE_BUILD_TYPE=Release -DTIRB_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)")

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
    cmake -S tests/abi/consumer -B "$build" -G Ninja "${options[@]}" "$@" && cmake --build "$build" &&
        "$build/consumer" && "$build/runtime_only" && "$build/from_cxx"
}

by_pkg_config() { # by_pkg_config PREFIX static|shared: with and without --static, libtirbc and libtirb alone
    local prefix=$1 kind package source flags
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tirb.pc)")
    export PKG_CONFIG_PATH
    for kind in "" --static; do
        [ "$2" = static ] || [ -z "$kind" ] || continue
        for package in tirbc:main tirb:runtime_only; do
            source=${package#*:}
            # shellcheck disable=SC2086
            flags=$(pkg-config $kind --cflags --libs "${package%:*}") || return 1
            # shellcheck disable=SC2086
            cc "tests/abi/consumer/$source.c" -o "$work/by_pkg_config_$2" $flags &&
                LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$work/by_pkg_config_$2" || return 1
        done
    done
}

optimised_inside() { # optimised_inside HOW: without a build type, the sources of tirb are optimised and no others
    local build=$work/unnamed-$1 sources
    rm -rf "$build"
    cmake -S tests/abi/consumer -B "$build" -G Ninja -DTIRB_"$1"="$root" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON || return 1
    sources=$(grep '"command"' "$build/compile_commands.json")
    grep -q vm/exec <<< "$sources" && ! grep -v tests/abi/consumer <<< "$sources" | grep -v -e '-O3 -DNDEBUG' &&
        ! grep tests/abi/consumer/ <<< "$sources" | grep -e ' -O'
}

exports_match() {
    local library=$1
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBR]/ {print $3}' | sort | diff - "$2"
}

install_form() { # install_form static|shared
    local shared=OFF
    [ "$1" = shared ] && shared=ON
    cmake -S . -B "$work/$1" -G Ninja -DBUILD_SHARED_LIBS=$shared -DTIRB_BUILD_TESTS=OFF -DTIRB_BUILD_CLI=OFF \
        "${options[@]}" -DCMAKE_INSTALL_PREFIX="$work/prefix-$1" &&
        cmake --build "$work/$1" && rm -rf "$work/prefix-$1" && cmake --install "$work/$1"
}

move_prefix() { # move_prefix static|shared: what was installed must work from anywhere
    rm -rf "$work/moved-$1" && mv "$work/prefix-$1" "$work/moved-$1"
}

names_no_tree() { # names_no_tree PREFIX: no package file names a folder of this machine that a consumer may not have
    ! grep -rn --include='*.pc' --include='*.cmake' -e "$root" "$1"
}

has_soname() { readelf -d "$1" | grep -qF "Library soname: [$2]"; }

headers_alone() { # headers_alone PREFIX: each installed header by itself, in C11 and in C++17
    local header
    while read -r header; do
        echo "#include <$header>" | cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$1/include" -fsyntax-only -xc - &&
            echo "#include <$header>" |
            c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$1/include" -fsyntax-only -xc++ - || return 1
    done < <(cd "$1/include" && find tirb -name '*.h')
}

mkdir -p "$work"
for form in static shared; do
    check "install ($form)" install_form "$form"
    check "moving ($form)" move_prefix "$form"
    check "find_package ($form)" consume "$work/consumer-$form" -DCMAKE_PREFIX_PATH="$work/moved-$form"
    check "pkg-config ($form)" by_pkg_config "$work/moved-$form" "$form"
    check "folders in package files ($form)" names_no_tree "$work/moved-$form"
done
check "installed headers" headers_alone "$work/moved-shared"
check "add_subdirectory" consume "$work/consumer-source" -DTIRB_SOURCE="$root"
check "FetchContent" consume "$work/consumer-fetched" -DTIRB_FETCH="$root"
check "no build type (add_subdirectory)" optimised_inside SOURCE
check "no build type (FetchContent)" optimised_inside FETCH
for library in tirb tirbc; do
    expected=tests/abi/exports.txt
    [ "$library" = tirb ] || expected=tests/abi/exports-$library.txt
    file=$(find "$work/moved-shared" -name "lib$library.so")
    check "exports of lib$library" exports_match "$file" "$expected"
    check "soname of lib$library" has_soname "$file" "lib$library.so.0"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
