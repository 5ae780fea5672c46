#!/usr/bin/env bash
# README's second command: installs what is missing, builds every configuration and runs every test, the long ones with
# a seeded sample. Ends with a line `N passed, N failed`; exit status 1 when something failed.
#
#   bash tests/check.sh           half an hour on two cores that have compiled none of it before
#   bash tests/check.sh --full    everything long as well
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/install.sh

full=0
for argument in "$@"; do
    case $argument in
        --full) full=1 ;;
        *) echo "usage: tests/check.sh [--full]" >&2; exit 2 ;;
    esac
done

passed=0 failed=0 skipped=0 failures=()
jobs=$(nproc)

note() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

# one NAME COMMAND...: a step that counts as one test.
one() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAILED: $name"
    fi
}

# tally NAME LOG STATUS SECONDS: counts what a step has done that ends with a line `N passed, N failed`.
tally() {
    local name=$1 log=$2 status=$3 line
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ "$status" -eq 77 ]; then
        echo "skipped: $name: $(tail -n 1 "$log")"
        skipped=$((skipped + 1))
    elif [ -n "$line" ]; then
        local p=${line%% passed*} f=${line#*, }
        f=${f%% failed*}
        [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
        passed=$((passed + p)) failed=$((failed + f))
        [ "$f" -eq 0 ] || { failures+=("$name"); cat "$log"; }
        echo "$name: $line ($4 s)"
    else
        failed=$((failed + 1))
        failures+=("$name")
        tail -n 60 "$log"
        echo "FAILED: $name (status $status)"
    fi
}

# counted NAME COMMAND...: such a step.
counted() {
    later "$@"
    together
}

# later NAME COMMAND...: such a step, which leaves a core to another one; together: those put off so, as many at once as
# there are cores.
later_name=() later_command=()
# passes COMMAND...: such a step's command, which counts as one test.
passes() { "$@" && echo "1 passed, 0 failed"; }

later() {
    later_name+=("$1")
    shift
    later_command+=("$(printf '%q ' "$@")")
}

together() {
    local i logs status begin end running=()
    logs=$(mktemp -d)
    for i in "${!later_name[@]}"; do
        while [ "$(find "$logs" -name '*.end' | wc -l)" -le $((i - jobs)) ]; do sleep 0.2; done
        (
            begin=$SECONDS
            eval "${later_command[i]}" > "$logs/$i" 2>&1 < /dev/null
            echo "$? $begin $SECONDS" > "$logs/$i.end"
        ) &
        running+=($!)
    done
    wait "${running[@]}"
    for i in "${!later_name[@]}"; do
        read -r status begin end < "$logs/$i.end"
        tally "${later_name[i]}" "$logs/$i" "$status" $((end - begin))
    done
    rm -rf "$logs"
    later_name=() later_command=()
}

# build NAME PRESET OPTIONS...: configures and builds into build/NAME, all of it or what `targets` names; a build that
# fails is one failed test.
targets=()
build() {
    local name=$1 preset=$2 log only=()
    shift 2
    [ ${#targets[@]} -eq 0 ] || only=(--target "${targets[@]}")
    note "build $name"
    log=build/check-$name.log
    local generator=()
    [ -e "build/$name/CMakeCache.txt" ] || generator=(-G Ninja)
    if cmake --preset "$preset" -B "build/$name" "${generator[@]}" -DTIRB_WERROR=ON -DTIRB_TEST_PYTHON="$python" "$@" \
        > "$log" 2>&1 && cmake --build "build/$name" -j "$jobs" "${only[@]}" -- -k 0 >> "$log" 2>&1; then
        return 0
    fi
    grep -E -A 5 'error: |CMake Error|undefined reference|multiple definition' "$log" | head -n 80
    failed=$((failed + 1))
    failures+=("build $name")
    return 1
}

# tests NAME CTEST-OPTIONS...
tests() {
    local name=$1 results p f s
    shift
    note "test $name"
    results=$PWD/build/check-$name.xml
    rm -f "$results"
    ctest --test-dir "build/$name" -j "$jobs" --output-on-failure --no-tests=ignore --output-junit "$results" \
        --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@"
    if ! read -r p f s < <("$python" tests/count.py "$results"); then
        p=0 f=1 s=0
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    [ "$f" -eq 0 ] || failures+=("tests of $name")
    echo "$name: $p passed, $f failed, $s skipped"
}

# The compilers, the emulator and the libraries of other machines, one after the other: apt runs once at a time. Of each,
# build/check-root-NAME.log tells, and is done where the file .status beside it holds 0.
fetch_machines() {
    local name architecture
    while read -r name architecture; do
        { install_packages "gcc-$name-linux-gnu" "libc6-dev-$architecture-cross" qemu-user &&
            bash tests/cross/root.sh "$architecture"; } > "build/check-root-$name.log" 2>&1 < /dev/null
        echo $? > "build/check-root-$name.status"
    done
}

# cross NAME: builds for the machine NAME, and runs its tests under qemu-user. Where the compiler or the libraries cannot be
# had, that is said and counts as skipped.
cross() {
    local name=$1 leave_out=()
    wait "$fetching"
    if [ "$(cat "build/check-root-$name.status")" != 0 ]; then
        echo "skipped: $name: $(tail -n 1 "build/check-root-$name.log")"
        skipped=$((skipped + 1))
        return 0
    fi
    build "$name" "$name" "${benches[@]}" || return 0
    # The accuracy of the kernels is measured natively, and so is what inputs may cost, and what the compiler and the
    # verifier make of a text is the same everywhere; here bits are compared.
    local long='test_math|test_accuracy|math_sweep|test_hostile|test_compile_limits|test_load_limits|test_passes|trace'
    long+="|test_verify|test_api_sweep|test_golden|test_dialects|test_print|test_no_memory|test_footprint|test_stops|test_looks"
    long+="|nests|updates|borders|ranges|flattened|comprehensions|mixed|$generated"
    [ "$full" -eq 1 ] || leave_out=(-E "^($long)\$")
    [ ${#targets[@]} -eq 0 ] || leave_out=(-R "^($(IFS='|'; echo "${targets[*]}"))\$")
    tests "$name" -L 'unit|differential|object' "${leave_out[@]}"
    machines+=(--tirb "$name=qemu-$name -L $PWD/build/root-$name-linux-gnu build/$name/bin/tirb")
}

has_modules() { "$1" -c 'import numpy, ml_dtypes, tvm, onnx' 2> /dev/null; }

# Python for NumPy, ml_dtypes and TVM: the one that has them, or that of a virtual environment of our own.
find_python() {
    python=$(command -v python3)
    has_modules "$python" && return 0
    if [ ! -x build/venv/bin/python3 ]; then
        /usr/bin/python3 -m venv build/venv || return 1
    fi
    python=$PWD/build/venv/bin/python3
}

# Without TVM the comparison with it is left out, and said so. No newer release of an oracle than these agrees for sure.
install_modules() {
    has_modules "$python" && return 0
    "$python" -m pip install -q --disable-pip-version-check 'numpy<2.5' 'ml_dtypes<0.8' || return 1
    "$python" -m pip install -q --disable-pip-version-check apache-tvm-ffi || echo "no tvm_ffi: not exchanged with it"
    "$python" -m pip install -q --disable-pip-version-check 'apache-tvm==0.27.*' || echo "no TVM: not compared with it"
    "$python" -m pip install -q --disable-pip-version-check 'onnx<1.24' || echo "no onnx: no models are imported"
}

mkdir -p build
note "install"
mapfile -t packages < <(grep -v '^#' tests/packages.txt)
install_packages "${packages[@]}" || exit 1
find_python || { echo "no Python for a virtual environment"; exit 1; }
# What waits for the network, and not for a core, while the first build runs.
install_modules &
installing=$!
rm -f build/check-root-*.status
fetch_machines <<< $'aarch64 arm64\ns390x s390x' &
fetching=$!

# What only --full does in other builds than the release: what finds wrong values alone, what is counted rather than looked
# at, and programs that are like those of `differential`.
values='math_sweep|test_accuracy|mixed|bench_spellings|random_spellings'
counts='test_compile_limits|test_load_limits|spellings|namespace'
generated='irregular|mixtures|reductions|meetings|temporaries|orders|traps|pitches|ragged|spelled|epilogues|relax_memory'
generated+='|halves|extents|crossings|flat|few_bits|named_views|apart|differential_.*'
similar="$generated|nests|updates|borders|flattened|ranges|comprehensions"
once=(-E "^($counts|$similar|$values)\$")
[ "$full" -eq 0 ] || once=()

# Benches are built, and compute what they should, in the release build, beside C for this machine.
benches=(-DTIRB_BUILD_BENCH=OFF) loops=(-DTIRB_BENCH_NATIVE_ALONE=ON)
[ "$full" -eq 0 ] || benches=() loops=()

# A quarter of the random programs that `ctest` alone compares, and half of the mutated inputs, which the sanitized build has
# alone.
sampled=(-DTIRB_DIFFERENTIAL_COUNT=250) unmutated=(-LE fuzz) mutated=(-DTIRB_FUZZ_COUNT=150)
[ "$full" -eq 0 ] || sampled=() unmutated=() mutated=()
# The compiler is named by CC, which counts when a folder is first configured: naming another by option later would make
# CMake forget every option.
CC=gcc build release release -DTIRB_MUTATE=ON "${sampled[@]}" "${loops[@]}"
release=$?
wait "$installing" || { echo "no Python with NumPy"; exit 1; }
if [ "$release" -eq 0 ]; then
    tests release "${unmutated[@]}"
    note "bytes of libtirb's code"
    "$python" tests/bench/text_size.py build/release
    # Each check of the loader is missed by a test when it is gone; a tenth of them today, others tomorrow.
    note "mutation gate"
    gate=(--one-in 10)
    [ "$full" -eq 0 ] || gate=()
    counted "mutation gate" "$python" tests/mutation/gate.py --build build/release --jobs "$jobs" "${gate[@]}"
    # Most of it is CMake's, one step after the other: it takes one core while the others run below.
    later "consumers" env CC=gcc bash tests/abi/run.sh
    later "judged by TVM" "$python" tests/interop/tvm_compare.py --tirb build/release/bin/tirb
    later "Relax by TVM" "$python" tests/interop/relax_text.py --tirb build/release/bin/tirb
    later "comprehensions by TVM" "$python" tests/interop/tvm_comprehensions.py --every 16 --tirb build/release/bin/tirb
    later "Relax operators by TVM" "$python" tests/interop/relax_operators.py build/release/bin/tirb --every 6
    later "Relax models by TVM" "$python" tests/interop/relax_models.py build/release/bin/tirb
    later "random Relax modules" "$python" tests/interop/relax_random.py build/release/bin/tirb --count 8
    later "whole models" "$python" tests/bench/models/models.py --tirb build/release/bin/tirb --check
    later "kernels of networks" "$python" tests/bench/networks/fused.py --tirb build/release/bin/tirb --check --sample
    later "models of ONNX" "$python" tests/interop/onnx_models.py build/release/bin/tirb mlp transformer quantised
    later "models of PyTorch" "$python" tests/interop/torch_models.py build/release/bin/tirb
    later "operators of ONNX" "$python" tests/interop/onnx_nodes.py build/release/bin/tirb --every 40
    later "demo" passes env CC=gcc TIRB_DEMO_OPTIONS="-DTIRB_LANE_ISAS=all -DTIRB_WERROR=ON" bash tests/demo.sh
    note "consumers of what is installed, beside TVM and onnxruntime"
    together
fi
# clang's build and the fuzzed one dispatch by switch as well.
if [ "$full" -eq 1 ] && CC=gcc build switch-dispatch switch-dispatch -DTIRB_DIFFERENTIAL_COUNT=300; then
    tests switch-dispatch -L 'unit|kernels|differential' "${once[@]}"
fi
# clang takes minutes for a lane machine with computed gotos, and seconds with a switch. --full has AVX-512's as well.
clang_isas=sse2
[ "$full" -eq 0 ] || clang_isas='sse2;avx512'
# Nobody debugs this build: the asserts instead of what debuggers read. -O2 takes clang twice as long. What the compiler
# decides must not depend on how it was compiled: its bundles are compared, and for that it need not be optimized.
clang_level=-O1 clang_compiler=-O0 clang_count=200
[ "$full" -eq 0 ] || clang_level=-O2 clang_compiler='' clang_count=300
# Nor is looked at again what the compiler makes of texts, and what inputs may cost.
clang_leaves=(-E "^($counts|$similar|$values|test_passes|test_no_memory|test_hostile)\$")
[ "$full" -eq 0 ] || clang_leaves=()
if CC=clang build clang dev -DTIRB_SWITCH_DISPATCH=ON -DTIRB_LANE_ISAS="$clang_isas" -DTIRB_DIFFERENTIAL_COUNT="$clang_count" \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="$clang_level" -DTIRB_COMPILER_LEVEL="$clang_compiler" "${benches[@]}"; then
    counted "the bundles of gcc's tirb and of clang's" "$python" tests/same_bundles.py build/release/bin/tirb build/clang/bin/tirb
    tests clang -L 'unit|differential' "${clang_leaves[@]}"
fi
# gcc warns of more, wrongly, in code that its sanitizers have been through.
# The presets with sanitizers have the lanes of some instruction sets beside generic, here AVX2 and, where this CPU has it,
# AVX-512; --full has them all.
isas=()
build/release/bin/tirb --version | grep -qw avx512 || isas=(-DTIRB_LANE_ISAS='avx2;neon')
[ "$full" -eq 0 ] || isas=(-DTIRB_LANE_ISAS=all)
# Lines, without variables: programs are a third of the size, and there are a hundred of them.
sanitized='-O1 -g1 -fno-var-tracking'
if CC=gcc build asan asan -DTIRB_WERROR=OFF -DTIRB_DIFFERENTIAL_COUNT=120 "${mutated[@]}" "${isas[@]}" "${benches[@]}" \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="$sanitized" -DTIRB_SEED_COMMAND="$PWD/build/release/bin/tirb"; then
    if [ "$(uname -m)" = x86_64 ] && ! build/asan/bin/tirb --version | grep -qw avx512; then
        echo "skipped: the lanes of AVX-512 with sanitizers: this CPU has no AVX-512"
        skipped=$((skipped + 1))
    fi
    tests asan -L 'unit|cli|differential|fuzz' "${once[@]}"
fi
# Live fuzzing and what threads share go through plain C's lanes; the sanitized build has replayed the fuzzers' inputs
# through AVX2's.
plain=(-DTIRB_LANE_ISAS=generic)
[ "$full" -eq 0 ] || plain=(-DTIRB_LANE_ISAS=all)
# clang optimizes what both sanitizers have checked for five times as long as it takes to compile it, and compiles what
# UndefinedBehaviorSanitizer has checked for twice as long: what is undefined, the replayed inputs find.
watched=(-DTIRB_SANITIZE=address)
[ "$full" -eq 0 ] || watched=()
if CC=clang build fuzz fuzz "${plain[@]}" "${watched[@]}" -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g1'; then
    note "fuzz"
    counted "fuzz, live" "$python" fuzz/check.py --build build/fuzz --tirb build/release/bin/tirb --live 4 --jobs "$jobs"
fi
# What threads share: the team, regions, engines, caches, cancels. --full has all of the unit tests. (The compiler is one
# thread's: its objects are those of the release build, which ccache has.)
threaded=(test_team test_threads test_regions test_asm_programs test_exec test_api_call test_api_import test_cache)
[ "$full" -eq 1 ] || targets=("${threaded[@]}" differential)
if CC=gcc build tsan tsan -DTIRB_DIFFERENTIAL_COUNT=60 "${plain[@]}" "${benches[@]}" \
    -DCMAKE_BUILD_TYPE=Release -DTIRB_SANITIZE_ALL=OFF; then
    pattern=$(IFS='|'; echo "${threaded[*]}|differential")
    [ "$full" -eq 0 ] || pattern='test_.*|checkasm|differential.*'
    tests tsan -R "^($pattern)\$"
fi
targets=()
machines=(--tirb "$(uname -m)=build/release/bin/tirb")
cross aarch64
# What NEON's lanes reach, in random programs and random bytecode.
targets=(differential bytecode)
if [ -x build/aarch64/bin/tirb ] && build aarch64-asan aarch64-asan "${benches[@]}"; then
    tests aarch64-asan -R '^(differential|bytecode)$'
fi
targets=()
# A machine of the other byte order, after aarch64: what reads bytes and what computes.
read -ra targets <<< "tirb_command differential bytecode test_api_bind test_api_import test_api_tensor test_asm_programs \
    test_bundle test_constants test_disk_cache test_exec test_fused test_kernel_blocks test_lane_copy test_lane_nans \
    test_lanes test_malformed test_odd_addresses test_packed test_reference test_relax test_special test_streams test_threads"
[ "$full" -eq 0 ] || targets=()
cross s390x
targets=()
some=(--first --sample 5)
[ "$full" -eq 0 ] || some=()
later "same bytes" "$python" tests/kernels/same_bytes.py "${some[@]}" --threads 1,2,7 "${machines[@]}"
# The way from a model to another machine: imported here, run there.
later "imported here, run elsewhere" "$python" tests/interop/onnx_models.py build/release/bin/tirb "${machines[@]}" \
    mlp quantised detector
note "the same bytes everywhere"
together
if [ "$full" -eq 1 ]; then
    note "long tests"
    tests asan -L kernels
    counted "judged by TVM, all" "$python" tests/interop/tvm_compare.py --full --tirb build/release/bin/tirb
    counted "models of ONNX, all" "$python" tests/interop/onnx_models.py build/release/bin/tirb
    counted "models of PyTorch, all" "$python" tests/interop/torch_models.py build/release/bin/tirb --all
    counted "operators of ONNX, all" "$python" tests/interop/onnx_nodes.py build/release/bin/tirb
    counted "random Relax modules, long" "$python" tests/interop/relax_random.py build/release/bin/tirb --seed 1000 \
        --count 300 --size 25
    counted "Relax operators by TVM, all" "$python" tests/interop/relax_operators.py build/release/bin/tirb
    counted "comprehensions by TVM, all" "$python" tests/interop/tvm_comprehensions.py --every 1 --tirb build/release/bin/tirb
    counted "comprehensions, long" "$python" tests/kernels/comprehensions.py --full --tirb build/release/bin/tirb
    counted "random comprehensions, long" "$python" tests/differential/comprehensions.py --full --seed 10000 --count 4000 \
        --tirb build/release/bin/tirb
    note "how many instructions NEON is given to execute, beside gcc's loops"
    one "instructions on AArch64" "$python" tests/bench/counts/counts.py --isa neon :L1 :small
    note "what a load takes, up to 16 MiB of code"
    one "load limits" build/release/bin/test_load_limits --full
    note "the mathematical functions on every float32"
    one "math sweep" timeout 14400 build/release/bin/math_sweep --full
    one "multiply-adds" timeout 7200 build/release/bin/fma_sweep --full
    one "the same on every instruction set" timeout 7200 build/release/bin/checkasm --sweep 7
    one "the same without fused multiply-add" timeout 7200 build/release/bin/checkasm --sweep 1 \
        exp exp2 exp10 expm1 tanh sigmoid log log2 log10 erf
    counted "fuzz, long" "$python" fuzz/check.py --build build/fuzz --tirb build/release/bin/tirb --live 600 --jobs "$jobs"
    one "differential, long" build/release/bin/differential --seed 1000 --count 20000
    counted "random bytecode, long" build/release/bin/bytecode --seed 100000 --count 50000
    counted "memory of Relax functions, long" env TIRB=build/release/bin/tirb "$python" tests/differential/relax_memory.py \
        --seed 100000 --count 5000
    counted "listings with mistakes, long" "$python" tests/bytecode/listings.py --tirb build/release/bin/tirb \
        --seed 100000 --count 20000
    counted "random bytecode past the caches, long" build/release/bin/bytecode --far --seed 100000 --count 300
fi

note "done"
[ ${#failures[@]} -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
