"""The banks of the lane machine and of the register machine stay in SIMD registers: a check of the object code.

Takes each instruction set's lane machine out of the library as it was built, finds every handler through the dispatch
table, and counts vector moves to and from the stack. The handlers that work on banks must have none, and each must end
in its own indirect jump, but for those that go on to the next block. A machine returns from those that it does without.

    python3 tests/lanes_in_registers.py CC LIBRARY ISAS

CC made the static LIBRARY, with lanes for ISAS: all, or names with spaces between them. AR, OBJDUMP and READELF in the
environment name the tools for its machine.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Handlers that call, or that copy bytes: nothing hot is in a bank there.
COLD = {"NEXT_BLOCK", "FINISH", "INNER", "INNER_END", "KERNEL", "KERNEL_WIDE", "CLEAR", "RED", "REDMA", "SEQUENCE", "OWN", "OWN_WHILE", "OWN_AGAIN", "LOAD_OWN", "STORE_OWN", "IOTA_OWN", "FILL", "IOTA",
        "GATHER", "COLUMN", "SCATTER", "COPY", "PULL", "STREAM", "REGISTERS", "LOOPS",
        "PART_A", "PART_B", "PART_F32_A", "PART_F32_B", "PART_F64_A", "PART_F64_B",
        "REST_FMA_F32_A", "REST_FMA_F32_B", "REST_FMA_F64_A", "REST_FMA_F64_B"}

# What no body of rows has.
NOT_BY_ROWS = COLD - {"NEXT_BLOCK", "FINISH", "INNER", "INNER_END", "COPY", "PULL"} - {f"PART_{t}{d}" for t in ("", "F32_", "F64_") for d in "AB"}
NOT_BY_ROWS |= {f"IOTA{size}_{d}" for size in "48" for d in "AB"}
NOT_BY_ROWS |= {f"LOOP_FMA_{t}_{d}" for t in ("F32", "F64") for d in "AB"}
# Stores that go on to NEXT_BLOCK.
GO_ON = {f"LAST{what}_{bank}" for what in ("", "_F32", "_F64", "2_8", "4_8", "4_16") for bank in "AB"}

# Forms that multiply and add, where there is no instruction for it, and those of vm/lanes/apart.h but shifts of all lanes
# by as many places: all go to one place, which does them in memory.
APART = re.findall(r"#define APART_(\w+)\s+~", (ROOT / "vm/lanes/apart.h").read_text(encoding="utf-8"))
FUSED = re.compile(rf"(FMA|FMS|FNMA)_|({'|'.join(APART)})_(?!(?<=SH._.\d\d_)[AB][ABM]K$)")
DOES_NOT_FUSE = {"generic", "sse2"}
MANY_OF_A_FORM = {"avx2"}

# A scalar shifted by as many places as each lane says: where that is done bit by bit, it needs one register too many.
SHIFTED_SCALAR = re.compile(r"SH[LR]_[IU]16_([AB])K\1$")

# The lane machines by what the compiler compiles for.
ISAS = {"x86_64": ("generic", "sse2", "avx2", "narrow_avx2", "avx512", "middle_avx512", "narrow_avx512",
                   "four_rows_avx512", "registers_avx512"),
        "aarch64": ("generic", "neon")}
MACHINE = ""


def handlers(compiler, header, prefix):
    """The handlers' names in the order of the dispatch table."""
    text = subprocess.run([compiler, "-E", "-P", "-I", str(ROOT), str(ROOT / header)],
                          check=True, capture_output=True, text=True).stdout
    return re.findall(rf"\b{prefix}(\w+)", text)


def tool(name, *words):
    return subprocess.run([os.environ.get(name) or name.lower(), *map(str, words)], check=True,
                          capture_output=True).stdout


def table(symbols, relocations):
    """The addresses of the handlers in the order of the dispatch table, a static array called `targets`."""
    found = re.search(r"^\s*\d+: ([0-9a-f]+)\s+(\d+) OBJECT .* targets\b", symbols, re.M)
    if not found:
        return []
    start, size = int(found.group(1), 16), int(found.group(2))
    # Other arrays of addresses are in the same section, which is the first that has relocations of data.
    section = relocations[relocations.index("'.rela.data"):]
    section = section[:section.find("Relocation section", 1)] if "Relocation section" in section[1:] else section
    entries = {int(at, 16): int(where, 16) for at, where in
               re.findall(r"^([0-9a-f]+)\s+[0-9a-f]+\s+R_\w+\s+[0-9a-f]+\s+\.text \+ ([0-9a-f]+)$", section, re.M)}
    return [entries.get(start + 8 * i) for i in range(size // 8)]


def patterns(isa):
    """What a vector move to or from the stack, and what an indirect jump looks like."""
    if isa == "neon" or (isa == "generic" and MACHINE == "aarch64"):
        return re.compile(r"\s+(ld|st)[rpu]+\s+[qv]\d+.*\[(sp|x29)\b"), re.compile(r"\s+br\s+x\d+")
    # Where the function realigns its stack, its frame is addressed through rbp or r10 as well.
    frame = r"\((%rsp|%rbp)\)" if "avx" in isa else r"\(%rsp\)"
    return re.compile(r"\s+v?mov\w*\s(?=.*" + frame + r").*%[xyz]mm\d+"), re.compile(r"\s+jmp\s+\*")


def instructions(listing, function):
    """Of a function, each with its address, as text that begins with a blank."""
    body = listing[listing.index(f"<{function}>:"):]
    body = body[:body.find("\n\n")] if "\n\n" in body else body
    for line in body.splitlines()[1:]:
        found = re.match(r"\s*([0-9a-f]+):(\s.*)$", line)
        if found:
            yield int(found.group(1), 16), found.group(2)


def owned(code, handler_at, jump, function):
    """Each instruction of `code` with the handler that it belongs to. What stands behind a jump of a handler and before
    the next handler was moved out of line: it belongs to the handler that branches there."""
    branch = re.compile(rf"\s+[a-z][\w.]*\s+(?:.*,\s*)?([0-9a-f]+) <{function}")
    away = re.compile(rf"\s+(jmp|b)\s+[0-9a-f]+ <{function}")
    owner = {}
    while True:
        before, current, came_from = len(owner), None, {}
        for address, text in code:
            target = branch.match(text)
            if target and address in owner:
                came_from.setdefault(int(target.group(1), 16), owner[address])
        for address, text in code:
            current = handler_at.get(address) or current or came_from.get(address)
            if current:
                owner.setdefault(address, current)
            if jump.match(text) or away.match(text):
                current = None
        if len(owner) == before:
            return [(owner[address], text) for address, text in code if address in owner]


def check(compiler, library, isa):
    is_held = isa.startswith("registers_")
    function = f"tirbi_{isa}" if is_held else "run"
    names = handlers(compiler, *(("vm/lanes/register_forms.h", "TIRBI_R_") if is_held else ("vm/lanes/forms.h", "TIRBI_L_")))
    with tempfile.TemporaryDirectory(prefix="tirb_lanes_") as folder:
        member = pathlib.Path(folder) / f"lanes_{isa}.o"
        member.write_bytes(tool("AR", "p", library, f"lanes_{isa}.c.o"))
        listing = tool("OBJDUMP", "-d", "--no-show-raw-insn", member).decode()
        addresses = table(tool("READELF", "-sW", member).decode(), tool("READELF", "-rW", member).decode())
    if len(addresses) != len(names) or None in addresses:
        print(f"lanes_in_registers: {isa}: {len(addresses)} table entries for {len(names)} handlers")
        return False
    vector, jump = patterns(isa)
    code = list(instructions(listing, function))
    spills, jumps = {}, sum(1 for _, text in code if jump.match(text))
    for owner, text in owned(code, dict(zip(addresses, names)), jump, function):
        if vector.match(text):
            spills[owner] = spills.get(owner, 0) + 1
    fused = {name for name in names if isa in DOES_NOT_FUSE and FUSED.match(name)}
    cold = COLD | fused | {name for name in names if fused and name.startswith("LOOP_FMA_")}
    # No bank is live around a stream: where registers are few, it may have what it computes on the stack. AVX2 has no
    # instruction for 64-bit integers of floats, and SSE2 none for floats of these: what such steps take beside two banks,
    # they save and bring back.
    left_out = {"sse2": ("STREAM_", "FLOAT_I64_"), "avx2": ("TO_I64_F64_",)}.get(isa, ())
    hot = {name: count for name, count in spills.items() if name not in cold and not name.startswith(left_out)
           and not ("avx512" not in isa and SHIFTED_SCALAR.match(name))}
    # Elements that are apart are picked and spread by AVX-512 alone, and integers divided and elements taken by numbers,
    # but not in rows.
    missing = [] if "avx512" in isa else [name for name in names if name.startswith(("PICK", "SPREAD"))]
    if "avx512" not in isa or "rows" in isa:
        missing += [name for name in names if re.match(r"(DIV|MOD|FLOORDIV|FLOORMOD)_[IU]\d+_|(INDEX|TAKE)\d_", name)]
    # Machines for short rows have no rare forms, whose handlers are behind one that none has, and those of wide vectors
    # none of small elements, behind another.
    if not is_held:
        small = names[names.index("SMALL"):names.index("RARE")]
        missing += small if isa in ("narrow_avx512", "middle_avx512") else small[:1]
        rare = names[names.index("RARE"):]
        missing += rare if re.match("narrow_|middle_|.*rows_", isa) else rare[:1]
    # What moves bits is one handler for all types where no operand is a scalar.
    missing += [name for name in names if re.match(r"(AND|OR|XOR)_I(8|16|64)_[ABM]+$|SELECT_I(32|64)_[ABM]+$", name)]
    # Machines that make one handler of a form have it in the place of all.
    if isa not in MANY_OF_A_FORM:
        missing += [name for name in names if re.search(r"_[23]$", name) and name not in fused]
    if is_held:
        missing = []
    expected = len(names) - 1 - len(GO_ON) - (len(NOT_BY_ROWS) if "rows" in isa else 0) - len(missing) - len(fused)
    print(f"lanes_in_registers: {isa}: {len(names)} handlers, {jumps} indirect jumps, "
          f"{sum(hot.values())} vector moves to or from the stack in {len(hot)} bank handlers, "
          f"{sum(spills.values()) - sum(hot.values())} in the others")
    for name, count in sorted(hot.items(), key=lambda item: -item[1])[:10]:
        print(f"    {name}: {count}")
    return not hot and jumps >= expected


def main():
    compiler, library, wanted = sys.argv[1:4]
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    if "clang" in version:
        print("lanes_in_registers: skipped, the rules are gcc's")
        return 77
    global MACHINE
    MACHINE = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout.split("-")[0]
    if MACHINE not in ISAS:
        print(f"lanes_in_registers: skipped, there are no rules for {MACHINE}")
        return 77
    isas = [isa for isa in ISAS[MACHINE]
            if isa == "generic" or wanted == "all" or isa.split("_")[-1] in wanted.split()]
    good = [check(compiler, library, isa) for isa in isas]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
