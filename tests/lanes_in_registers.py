"""The lane machine's banks stay in SIMD registers: a check of the object code.

Compiles each instruction set's lane machine to assembly with the flags of the build, finds every handler through the
dispatch table, and counts vector moves to and from the stack. The handlers that work on banks must have none, and each
must end in its own indirect jump.

    python3 tests/lanes_in_registers.py [CC] [MORE FLAGS..]
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=gnu11", "-O2", "-fno-gcse", "-fno-crossjumping", "-fno-schedule-insns", "-ffp-contract=off", "-fno-math-errno", "-fPIC",
         "-I", str(ROOT), "-I", str(ROOT / "include")]
# Handlers that call, or that copy bytes: nothing hot is in a bank there.
COLD = {"NEXT_BLOCK", "FINISH", "INNER", "INNER_END", "KERNEL", "RED", "REDMA", "FILL", "IOTA", "GATHER", "SCATTER",
        "COPY", "REST_FMA_F32_A", "REST_FMA_F32_B", "REST_FMA_F64_A", "REST_FMA_F64_B"}

# The lane machines by what the compiler compiles for.
ISAS = {"x86_64": ("generic", "sse2", "avx2", "avx512"), "aarch64": ("generic", "neon")}
MACHINE = ""


def handlers(compiler):
    """The handlers' names in the order of the dispatch table."""
    text = subprocess.run([compiler, "-E", "-P", "-I", str(ROOT), str(ROOT / "vm/lanes/forms.h")],
                          check=True, capture_output=True, text=True).stdout
    return re.findall(r"\bTIRBI_L_(\w+)", text)


def table(lines):
    """The labels of the dispatch table: the longest run of addresses of local labels."""
    best, run = [], []
    for line in lines:
        entry = re.match(r"\s+\.(?:quad|xword|long|8byte)\s+(\.L\w+)(?:-\S+)?$", line)
        if entry:
            run.append(entry.group(1))
        else:
            best, run = max(best, run, key=len), []
    return max(best, run, key=len)


def patterns(isa):
    """What a vector move to or from the stack, and what an indirect jump looks like."""
    if isa == "neon" or (isa == "generic" and MACHINE == "aarch64"):
        return re.compile(r"\s+(ld|st)[rpu]+\s+[qv]\d+.*\[(sp|x29)\b"), re.compile(r"\s+br\s+x\d+")
    # Where the function realigns its stack, its frame is addressed through rbp or r10 as well.
    frame = r"\((%rsp|%rbp)\)" if isa.startswith("avx") else r"\(%rsp\)"
    return re.compile(r"\s+v?mov\w*\s(?=.*" + frame + r").*%[xyz]mm\d+"), re.compile(r"\s+jmp\s+\*")


def check(compiler, isa, more):
    names = handlers(compiler)
    source = ROOT / f"vm/lanes/lanes_{isa}.c"
    assembly = subprocess.run([compiler, *FLAGS, *more, "-S", str(source), "-o", "-"],
                              check=True, capture_output=True, text=True).stdout.splitlines()
    labels = table(assembly)
    if len(labels) != len(names):
        print(f"lanes_in_registers: {isa}: {len(labels)} table entries for {len(names)} handlers")
        return False
    owner = dict(zip(labels, names))
    vector, jump = patterns(isa)
    spills, jumps, current = {}, 0, None
    for line in assembly:
        label = re.match(r"(\.?\w[\w.$]*):", line)
        if label:
            current = owner.get(label.group(1), current if label.group(1).startswith(".L") else None)
            continue
        if current is None:
            continue
        if jump.match(line):
            jumps += 1
        if vector.match(line):
            spills[current] = spills.get(current, 0) + 1
    hot = {name: count for name, count in spills.items() if name not in COLD}
    expected = len(names) - 1
    print(f"lanes_in_registers: {isa}: {len(names)} handlers, {jumps} indirect jumps, "
          f"{sum(hot.values())} vector moves to or from the stack in {len(hot)} bank handlers, "
          f"{sum(spills.values()) - sum(hot.values())} in the others")
    for name, count in sorted(hot.items(), key=lambda item: -item[1])[:10]:
        print(f"    {name}: {count}")
    return not hot and jumps >= expected


def main():
    compiler = sys.argv[1] if len(sys.argv) > 1 else "gcc"
    more = sys.argv[2:]
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    if "clang" in version:
        print("lanes_in_registers: skipped, the rules are gcc's")
        return 77
    global MACHINE
    MACHINE = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout.split("-")[0]
    if MACHINE not in ISAS:
        print(f"lanes_in_registers: skipped, there are no rules for {MACHINE}")
        return 77
    good = [check(compiler, isa, more) for isa in ISAS[MACHINE]]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
