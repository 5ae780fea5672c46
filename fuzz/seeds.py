#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets out of the tests' programs:

    fuzz/seeds.py --tirb build/bin/tirb --replay build/bin/fuzz_replay OUT

writes OUT/TARGET/ for each target, OUT/tvmscript.dict and OUT/tc.dict. Nothing of it is stored in the repository."""
import argparse
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/differential"))
import crossings  # noqa: E402
import irregular  # noqa: E402
import mixtures  # noqa: E402

LARGEST = 24_000  # a seed's bytes: larger ones slow every mutation down
SCHEDULED = 40  # programs that TVM's schedules make, where TVM is installed
RANDOM = 150  # random functions: of all types, of the shapes that passes look for, and in which unlike parts meet


def sources():
    names = [p for p in sorted((ROOT / "tests/kernels").glob("*.py")) if "@T.prim_func" in p.read_text()]
    return names + sorted((ROOT / "tests/golden").glob("*.py")) + sorted((ROOT / "tests/differential/files").glob("*.py"))


def functions_of(text):
    """Each function of a module by itself, behind what stands before the first: smaller seeds, easier to change."""
    if "@I.ir_module" not in text:
        return
    head, _, body = text.partition("@I.ir_module")
    parts = re.split(r"(?m)^(?=    @T\.prim_func)", body)
    for part in parts[1:]:
        yield "\n".join(line for line in head.splitlines() if "import" in line) + \
            "\n\n@I.ir_module\nclass Module:\n" + part


def elementwise_of(text):
    """The two programs of each line `; elementwise OP.TYPE [from SOURCE]: A B = RESULT | ..`, one on registers and one
    on lanes, a few lines in one text."""
    made = []
    for op, kind, source, operands in re.findall(r"(?m)^; elementwise (\w+)\.(\w+)(?: from (\w+))?: ([^=]*)=", text):
        arity = len(operands.split())
        types = [source or kind] * arity
        if op == "select":
            types[0] = "bool"
        result = "bool" if op in ("eq", "ne", "lt", "le", "gt", "ge", "isnan") else kind
        n, tail = len(made), f", {source}" if source else ""
        listed = list(enumerate(types))

        def names(file):
            return "".join(f", {file}{i}" for i, _ in listed) + tail
        made.append(
            f".function \"s{n}\" public returns {result}\n.scalars 4\n" +
            "".join(f".scalar \"{'abc'[i]}\" {t} s{i}\n" for i, t in listed) +
            f"    {op}.{kind} s3{names('s')}\n    ret.{result} s3\n.end\n" +
            f".function \"v{n}\" public\n.scalars 1\n.lanes 4\n" + "".join(f".ref {t}\n" for t in types) +
            f".ref {result} writable\n.var \"n\" i64 s0\n" +
            "".join(f".tensor \"{'abc'[i]}\" {t} r{i} read ($0)\n" for i, t in listed) +
            f".tensor \"d\" {result} r{arity} write ($0)\n    lane s0, done\n" +
            "".join(f"    .cursor r{i} {t} read 0 0 1\n" for i, t in listed) +
            f"    .cursor r{arity} {result} write 0 0 1\n" +
            "".join(f"    vload.{t} v{i}, c{i}\n" for i, t in listed) +
            f"    v{op}.{kind} v3{names('v')}\n    vstore.{result} c{arity}, v3\ndone:\n    lane.end\n    ret.void\n.end\n")
    return ["".join(made[i:i + 5]) for i in range(0, len(made), 5)]


class Seeds:
    def __init__(self, arguments):
        self.out, self.tirb = arguments.out, arguments.tirb
        self.count = 0
        self.refused = 0  # assembly that is made here must assemble

    def write(self, target, name, data):
        if len(data) <= LARGEST:
            folder = self.out / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
            self.count += 1

    def bundle(self, name, path, command):
        made = self.out / "made.tirb"
        done = subprocess.run([self.tirb, command, str(path), "-o", str(made)], capture_output=True)
        if done.returncode == 0:
            data = made.read_bytes()
            self.write("bundle", name, data)
            self.write("run", name, data + struct.pack("<Q", self.count))
            if command == "compile" and len(data) < 2000:
                listed = subprocess.run([self.tirb, "dis", str(made)], capture_output=True)
                self.write("assembly", name, listed.stdout)
            made.unlink()
        else:
            self.refused += command == "asm"

    def scripts(self):
        one = self.out / "one.py"
        for path in sources():
            text = path.read_text()
            self.write("text", path.name, text.encode())
            parts = list(functions_of(text))
            for i, part in enumerate(parts):
                name = f"{path.stem}_{i}"
                self.write("text", name, part.encode())
                one.write_text(part)
                self.bundle(name, one, "compile")
            if not parts or len(text) < LARGEST:
                self.bundle(path.stem, path, "compile")
        scheduled = self.out / "scheduled"
        subprocess.run([sys.executable, str(ROOT / "fuzz/schedule_seeds.py"), "--count", str(SCHEDULED), str(scheduled)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in sorted(scheduled.glob("*")):
            self.write("text", path.name, path.read_bytes())
            self.bundle(path.name, path, "compile")
        shutil.rmtree(scheduled, ignore_errors=True)
        for seed in range(RANDOM):
            text = irregular.HEAD + (mixtures, irregular, crossings)[seed % 3].make(seed)
            self.write("text", f"random_{seed}", text.encode())
            one.write_text(text)
            self.bundle(f"random_{seed}", one, "compile")
        one.unlink(missing_ok=True)

    def comprehensions(self):
        """Texts, and each def of them by itself; bundles of what compiles."""
        one = self.out / "one.tc"
        for path in sorted((ROOT / "tests/kernels/tc").glob("*.tc")) + sorted((ROOT / "tests/golden").glob("*.tc")):
            text = path.read_bytes()
            code = b"".join(line + b"\n" for line in text.splitlines() if not line.startswith(b"#"))
            defs = re.split(rb"(?m)^(?=def )", code)[1:]
            for i, part in enumerate([text] + (defs if len(defs) > 1 else [])):
                name = f"{path.stem}_{i}"
                self.write("comprehensions", name, part)
                if i > 0 or len(defs) == 1:
                    one.write_bytes(part)
                    self.bundle(f"tc_{name}", one, "compile")
        one.unlink(missing_ok=True)

    def assembly(self):
        one = self.out / "one.tirs"
        for path in sorted((ROOT / "tests/asm").glob("*.tirs")):
            text = path.read_text()
            # What a test expects stands in comments, which say nothing to the assembler.
            code = "".join(line + "\n" for line in text.splitlines() if not line.startswith(";"))
            for i, part in enumerate([code] * bool(code) + elementwise_of(text)):
                name = f"asm_{path.stem}_{i}"
                one.write_text(part)
                self.write("assembly", name, part.encode())
                self.bundle(name, one, "asm")
        one.unlink(missing_ok=True)
        for path in sorted((ROOT / "tests/malformed").glob("*.hex")):
            digits = "".join(re.sub(r"[#;].*", "", line) for line in path.read_text().splitlines()[1:])
            try:
                self.write("bundle", f"malformed_{path.stem}", bytes.fromhex(digits))
            except ValueError:
                pass

    def arguments(self):
        choose = random.Random(1)
        for i in range(60):
            data = bytes([i % 5] + [choose.choice((0, 1, 2, 3, 5, 16, 48, 210, choose.randrange(256))) for _ in range(120)])
            self.write("bind", f"random_{i}", data)

    def caches(self):
        choose = random.Random(2)
        for i in range(20):
            self.write("cache", f"memory_{i}", bytes([i]) + bytes(choose.randrange(256) for _ in range(60)))
        identity, content = b"identity", b"the content"  # the target's key
        for i, (label, value) in enumerate([(b"label", b"value"), (b"", b""), (b"a\x1b[2J" * 9, bytes(300))]):
            entry = struct.pack("<IIQQQ", 1, len(label), len(identity), len(content), len(value)) + label + identity + \
                content + value
            # The checksum is wrong: the mutator puts it right.
            self.write("cache", f"disk_{i}", b"\xff" + b"TIRBKEPT" + bytes(16) + entry)

    def values(self):
        literals = ["1", "-1.5", "true", "0x7f", "inf", "nan", "4xf32=1,2,3,4", "2x3xi32=0", "f16=1.5", "0xf32=",
                    "3xbool=true,false,1", "2xu64=18446744073709551615,0", "2xbf16=1e38,-0.0", "A=4xf32=1", "4xf8e4m3fn=1,448,nan,-0.001", "1e400"]
        for i, text in enumerate(literals):
            self.write("values", f"literal_{i}", b"\x80" + text.encode())
        for i, (descr, size) in enumerate([("<f4", 4), (">f8", 8), ("|b1", 1), ("<i2", 2), ("|u1", 1), ("<u8", 8),
                                           ("<f2", 2), ("|V2", 2)]):
            for order, shape, n in (("False", "()", 1), ("True", "(2, 3)", 6), ("False", "(3,)", 3), ("False", "(0, 5)", 0)):
                header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
                for version in (1, 2, 3):
                    width = 2 if version == 1 else 4
                    text = header + " " * (-(len(header) + 7 + width + 1) % 64) + "\n"
                    data = b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text.encode()
                    kind = 64 + 9 if descr in ("<f2", "|V2") and version == 2 else version
                    self.write("values", f"npy_{i}_{shape}_{version}".replace(" ", ""),
                               bytes([kind]) + data + bytes(range(n * size)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tirb", required=True)
    parser.add_argument("--replay", required=True)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    for target in ("text", "comprehensions", "assembly", "bundle", "run", "bind", "values", "cache"):
        shutil.rmtree(arguments.out / target, ignore_errors=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    seeds = Seeds(arguments)
    seeds.scripts()
    seeds.comprehensions()
    seeds.assembly()
    seeds.arguments()
    seeds.values()
    seeds.caches()
    words = 0
    for name, language in (("tvmscript.dict", []), ("tc.dict", ["tc"])):
        listed = subprocess.run([arguments.replay, "--dictionary", *language], capture_output=True, check=True).stdout
        (arguments.out / name).write_bytes(listed)
        words += listed.count(10)
    print(f"{seeds.count} seeds, {words} words")
    if seeds.refused > 0:
        print(f"{seeds.refused} seeds do not assemble")
    return 0 if seeds.count > 0 and seeds.refused == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
