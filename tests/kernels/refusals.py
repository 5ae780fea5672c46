"""What must be refused: the calls and files of bad/, each with its exit code, its reason and its place.

A line of a program that ends in `# here: NAME` is the place that the run-time error NAME must show; one that ends in
`# error: WORD` must get a compile error that contains WORD.
"""

import pathlib
import re

import numpy as np

BAD = pathlib.Path(__file__).resolve().parent / "bad"
DONE, PROGRAM, USAGE, FILES, REJECTED, CALL = 0, 1, 2, 3, 4, 5

ALL = []


class Refusal:
    """`words` are the arguments of `tirb run FILE` (arrays stand for files that hold them). The message must match each
    of the regular expressions `says`; `place` names the marked line that it must show."""

    def __init__(self, file, name, code, words, says=(), place=None, command="run"):
        self.file, self.name, self.code, self.words = file, name, code, words
        self.says, self.place, self.command = says, place, command
        ALL.append(self)


def marked_lines(file, kind):
    """{line number: what is written behind the mark}"""
    marks = {}
    for number, line in enumerate((BAD / file).read_text().splitlines(), 1):
        found = re.search(rf"# {kind}: (.*)$", line)
        if found:
            marks[number] = found.group(1).strip()
    return marks


def check(tirb, refusal, folder):
    """None or what is wrong with how `tirb` refuses."""
    if refusal.command == "compile":
        return check_diagnostics(tirb, refusal, folder)
    return check_call(tirb, refusal, folder)


def check_call(tirb, refusal, folder):
    target = folder / f"{refusal.file}.{refusal.name}.npy".replace("/", "_")
    words = []
    for index, word in enumerate(refusal.words):
        if isinstance(word, np.ndarray):
            path = folder / f"{index}.npy"
            np.save(path, word)
            word = f"@{path}"
        words.append(str(word).replace("TARGET", str(target)))
    reasons = {}
    for isa in tirb.isas:
        done = tirb("run", "-w", BAD / refusal.file, *words, isa=isa, check=False)
        problem = wrong_end(refusal, done, target)
        if problem:
            return f"{isa}: {problem}" if len(tirb.isas) > 1 else problem
        # Where a call is when its time is up is up to the clock.
        reasons[re.sub(r":\d+:\d+:", "", done.stderr) if "--timeout" in words else done.stderr] = isa
    if len(reasons) > 1:
        return f"the reason depends on the instruction set: {reasons}"
    return None


def wrong_end(refusal, done, target):
    if done.returncode != refusal.code:
        return f"exit code {done.returncode} instead of {refusal.code}: {done.stderr.strip()!r}"
    if refusal.code == DONE:
        return None
    if target.exists():
        return "an output file was left behind"
    if not done.stderr.strip():
        return "no reason was given"
    if refusal.code == CALL and len(done.stderr.strip().splitlines()) != 1:
        return f"more than one line: {done.stderr.strip()!r}"
    for pattern in refusal.says:
        if not re.search(pattern, done.stderr):
            return f"{done.stderr.strip()!r} does not say {pattern!r}"
    if refusal.place:
        numbers = [number for number, name in marked_lines(refusal.file, "here").items() if name == refusal.place]
        if not re.search(rf"{re.escape(refusal.file)}:{numbers[0]}\b", done.stderr):
            return f"{done.stderr.strip()!r} does not name line {numbers[0]}"
    return None


def check_diagnostics(tirb, refusal, folder):
    target = folder / "never.tirb"
    done = tirb("compile", BAD / refusal.file, "-o", target, check=False)
    if done.returncode != refusal.code:
        return f"exit code {done.returncode} instead of {refusal.code}: {done.stderr.strip()!r}"
    if target.exists():
        return "a bundle was left behind"
    errors = {}
    for line in done.stderr.splitlines():
        found = re.match(rf".*{re.escape(refusal.file)}:(\d+):(\d+): error: (.*)", line)
        if found:
            errors.setdefault(int(found.group(1)), []).append(found.group(3))
    for number, word in marked_lines(refusal.file, "error").items():
        if not any(word in message for message in errors.get(number, [])):
            return f"line {number}: no error says {word!r}, only {errors.get(number)}"
        del errors[number]
    if not errors and not marked_lines(refusal.file, "error"):
        return f"no diagnostic: {done.stderr.strip()!r}"
    if marked_lines(refusal.file, "error") and errors:
        return f"errors on lines that have none: {errors}"
    return None


def floats(*shape):
    return np.ones(shape, np.float32)


def ints(*shape):
    return np.ones(shape, np.int32)


def arguments():
    f = "arguments.py"
    scale, window = ("-f", "scale"), ("-f", "window")
    Refusal(f, "right", DONE, [*scale, floats(3, 4), 2, "_"])
    Refusal(f, "constant_extent", CALL, [*scale, floats(3, 5), 2, "_", "-o", "@TARGET"], ["'A'", r"shape\[1\]", r"\b5\b", r"\b4\b"])
    Refusal(f, "shared_extent", CALL, [*scale, floats(3, 4), 2, floats(2, 4), "-o", "@TARGET"], ["'B'", r"shape\[0\]", r"A\.shape\[0\]"])
    Refusal(f, "rank", CALL, [*scale, floats(12), 2, "_", "-o", "@TARGET"], ["'A'", "ndim", r"\b2\b"])
    Refusal(f, "dtype", CALL, [*scale, np.ones((3, 4)), 2, "_", "-o", "@TARGET"], ["'A'", "dtype", "float64", "float32"])
    Refusal(f, "tensor_for_scalar", CALL, [*scale, floats(3, 4), floats(1), "_", "-o", "@TARGET"], [r"\bf\b|#1"])
    Refusal(f, "scalar_for_tensor", CALL, [*scale, 1.5, 2, floats(3, 4), "-o", "@TARGET"], [r"\bA\b|#0"])
    Refusal(f, "too_many", CALL, [*scale, floats(3, 4), 2, floats(3, 4), 7, "-o", "@TARGET"], [r"\b3\b", "arguments"])
    Refusal(f, "too_few", CALL, [*scale, floats(3, 4), "-o", "@TARGET"], [r"\bf\b|\b3 arguments"])
    Refusal(f, "scalar_range", CALL, [*window, ints(5), 200, "_", "-o", "@TARGET"], [r"\bk\b|#1", "200|int8"])
    Refusal(f, "compound_extent", CALL, [*window, ints(5), 1, ints(4), "-o", "@TARGET"], [r"shape\[0\]"])
    Refusal(f, "negative_extent", CALL, [*window, ints(1), 1, "_", "-o", "@TARGET"], [r"shape"])
    Refusal(f, "no_such_function", USAGE, ["-f", "scales", floats(3, 4)], ["scales"])
    Refusal(f, "private_function", USAGE, ["-f", "hidden", ints(4)], ["hidden"])
    Refusal(f, "no_such_parameter", USAGE, [*scale, floats(3, 4), 2, "C=@x.npy"], ["C"])
    Refusal(f, "no_such_file", FILES, [*scale, "@/nowhere/a.npy", 2, "_"], ["/nowhere/a.npy"])
    Refusal(f, "no_such_folder", FILES, [*scale, floats(3, 4), 2, "_", "-o", "@/nowhere/b.npy"], ["/nowhere/b.npy"])
    Refusal(f, "function_needed", USAGE, [floats(3, 4)], ["-f|function"])


def bounds():
    f = "bounds.py"

    def refused(name, *words, says=()):
        Refusal(f, name, CALL, ["-f", name, *words, "-o", "@TARGET"] if name not in returning else ["-f", name, *words],
                ["out of bounds|out of range", *says], place=name)

    returning = {"next_row", "next_row_at", "local", "in_callee"}
    for n in (1, 64, 1000):
        refused("past_end", floats(n), "_")
        refused("before_start", floats(n), "_", says=["-1"])
    refused("next_row", ints(10, 100), says=[r"\b200\b", r"\b100\b"])
    refused("next_row_at", ints(10, 100), 100, says=[r"\b100\b"])
    refused("next_row_at", ints(10, 100), -1, says=["-1"])
    refused("diagonal", ints(8, 5), "_", says=[r"\b5\b"])
    refused("store_outside", np.ones(6, np.int64), 6, says=[r"\b6\b"])
    refused("store_outside", np.ones(6, np.int64), -2**63)
    refused("gather", floats(9), np.array([1, 8, 9, 2], np.int32), "_", says=[r"\b9\b"])
    refused("gather", floats(9), np.array([1, -2147483648], np.int32), "_")
    refused("scatter", np.array([0, 2**40]), np.zeros(4, np.int32))
    refused("vector", floats(63), "_")
    refused("local", 17, says=[r"\b16\b"])
    refused("in_callee", ints(2), says=[r"\b2\b"])
    Refusal(f, "guarded", DONE, ["-f", "guarded", ints(0), "_"])
    some, none = np.array([-1] * 40 + [0, -1], np.int32), np.array([-1] * 42, np.int32)
    for n in (0, 1):
        Refusal(f, f"chosen_none_of_{n}", DONE, ["-f", "chosen", floats(n), none, floats(42)])
    refused("chosen", floats(0), some, floats(42), says=[r"\b0\b"])
    refused("chosen", floats(3), some + 3, floats(42), says=[r"\b3\b"])
    Refusal(f, "local_inside", DONE, ["-f", "local", 16])
    Refusal(f, "in_callee_inside", DONE, ["-f", "in_callee", ints(3)])


def division():
    f = "division.py"
    for name, a, b in (("floor_division", 7, 0), ("floor_remainder", -7, 0), ("truncating", 1, 0), ("of_unsigned", 3, 0)):
        Refusal(f, name, CALL, ["-f", name, a, b], ["divi(sion|ded) by zero"], place=name)
        Refusal(f, f"{name}_right", DONE, ["-f", name, abs(a), 2])
    a, b = np.arange(100, dtype=np.int32), np.ones(100, np.int32)
    b[77] = 0
    words = ["-f", "elementwise", a, b, "_", "-o", "@TARGET"]
    Refusal(f, "elementwise", CALL, words, ["divi(sion|ded) by zero"], place="elementwise")
    Refusal(f, "guarded", DONE, ["-f", "guarded", a, b, "_"])
    Refusal(f, "selected", DONE, ["-f", "selected", a, b, "_"])
    Refusal(f, "wraps", DONE, ["-f", "wraps", -2**31, -1])


def runaway():
    f = "runaway.py"
    for name, words in (("forever", [ints(1)]), ("empty_forever", ["true"]), ("nested", ["1xi64=0"]), ("lanes", ["1024xf32=0"])):
        Refusal(f, f"{name}_fuel", CALL, ["-f", name, *words, "--fuel", 1000000], ["fuel"])
        Refusal(f, f"{name}_time", CALL, ["-f", name, *words, "--timeout", 0.2], ["deadline|time"])
    Refusal(f, "branching_fuel", CALL, ["-f", "branching", 60, "--fuel", 100000], ["fuel"])
    Refusal(f, "branching_time", CALL, ["-f", "branching", 60, "--timeout", 0.2], ["deadline|time"])
    Refusal(f, "recursion", CALL, ["-f", "recursion", 0], ["nested|depth"])
    Refusal(f, "ping_pong", CALL, ["-f", "ping", 0], ["nested|depth"])
    Refusal(f, "scratch", CALL, ["-f", "scratch", 1000, "--max-memory", "1M"], ["memory"], place="scratch")
    Refusal(f, "scratch_right", DONE, ["-f", "scratch", 1000, "--max-memory", "8M"])
    Refusal(f, "deep_scratch", CALL, ["-f", "deep_scratch", 100, "--max-memory", "10M"], ["memory"])
    Refusal(f, "deep_scratch_right", DONE, ["-f", "deep_scratch", 5, "--max-memory", "10M"])
    Refusal(f, "overflow", CALL, ["-f", "overflow", 1000], ["memory|overflow|size|large"], place="overflow")
    Refusal(f, "negative_scratch", CALL, ["-f", "scratch", -4], [], place="scratch")


def assertion():
    f = "assertion.py"
    Refusal(f, "positive", CALL, ["-f", "positive", 0], ["n must be positive"], place="positive")
    Refusal(f, "positive_right", DONE, ["-f", "positive", 1])
    Refusal(f, "in_parts", CALL, ["-f", "in_parts", ints(3)], ["the length must be even"], place="in_parts")


def programs():
    for file in ("python_only.py", "types.py", "shifts.py", "parenthesis.py", "indentation.py", "unfinished.py", "string.py"):
        Refusal(file, "compile", PROGRAM, [], command="compile")
    Refusal("nowhere.py", "run", FILES, ["1"], ["nowhere.py"])


for table in (arguments, bounds, division, runaway, assertion, programs):
    table()
