"""TVM as the judge of tirb, on programs that TVM itself makes.

    tvm_compare.py [--tirb PATH] [--seed N] [--sample N | --full] [--jobs N] [--list] [--diff] [WORD...]

For each program of programs.py TVM prints its text, and
    read         `tirb fmt` reads it, and leaves its own text alone
    reread       TVM reads tirb's text and finds it structurally equal
    equal text   tirb's text is TVM's, byte for byte
    run          `tirb run` computes it on random inputs
    same         TVM's LLVM back end computes the same on these inputs: integers and bools exactly, floats within
                 c * eps * (sum of the terms' magnitudes) with c from the length of the sums, and 2 ULP per call of a
                 mathematical function
    tir, hybrid  printed in the other spellings it compiles to the same code section (spellings.py)
The report counts each stage and names every failure with its cause. A failure is a known gap where gaps.py names the
program, or where TVM itself is shown to be wrong: it does not read its own text, or computes something else for a scheduled
program than for the plain one. Exit status 1 when another program is not read, reread, run or the same, when one of gaps.py
works in full, or when less than 95 of 100 texts are equal; 77 when apache-tvm or NumPy is not installed. A program that ends
TVM's process is named and costs no other.
"""

import argparse
import ast
import collections
import difflib
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings
import zlib

warnings.filterwarnings("ignore")
try:
    import ml_dtypes
    import numpy as np
    import tvm
    import tvm.topi
except ImportError:
    print("apache-tvm or NumPy is not installed: skipped")
    sys.exit(77)

import gaps
import programs
import spellings
import workers

PATIENCE = 60
PATIENCE_WITH_TVM = 300
SYMBOLIC_EXTENTS = (5, 8, 3, 7)
LEAST_EQUAL = 0.95
STAGES = ("read", "reread", "equal text", "run", "same", *spellings.OTHERS)
# Functions of the mathematical library, as they stand in a text. Each may be 2 ULP off.
MATHEMATICS = re.compile(r"T\.(exp2?|exp10|log2?|log10|log1p|tanh?|sinh?|cosh?|asinh?|acosh?|atanh?|atan2|erf|pow|sigmoid|rsqrt)\(")


class Case:
    """One program with its printed text; after `prepare` with inputs and TVM's outputs, or the reason why TVM itself cannot
    give them."""

    def __init__(self, name, operator, function):
        self.name, self.operator, self.length = name, operator, operator.length
        self.function = function.with_attr("global_symbol", "main")
        self.text = self.function.script()
        self.refused = None

    def prepare(self, seed):
        try:
            self.compute_values(np.random.default_rng([seed, zlib.crc32(self.name.encode())]))
        except Exception as error:  # TVM's own refusals come as many types
            self.refused = last_line(error)

    def compute_values(self, rng):
        written = written_parameters(self.function, self.text)
        extents = dict(self.operator.extents)
        self.arrays, self.outputs = [], []
        for index, param in enumerate(self.function.params):
            if not hasattr(param.ty, "shape"):
                self.arrays.append(scalar_argument(param, extents))
                continue
            shape = [extent_of(extent, extents) for extent in param.ty.shape]
            dtype = str(param.ty.dtype)
            domain = self.operator.domain.get(index)
            if index in written:
                self.outputs.append(index)
            self.arrays.append(np.asarray(domain(rng, shape, dtype) if domain else
                                          np.zeros(shape, dtype) if index in written and index not in self.operator.kept else
                                          random_array(rng, shape, dtype)))
        if not self.outputs:
            raise ValueError("no parameter is written")
        function = self.function
        if self.operator.reference:
            function = self.operator.reference().with_attr("global_symbol", "main")
        self.expected = self.compute(function, self.arrays)
        terms = magnitudes(self.text) if "T.launch_thread" not in self.text and "T.thread_binding" not in self.text else None
        self.terms = self.compute(terms, [magnitude(array) for array in self.arrays]) if terms is not None else {}

    def compute(self, function, arrays):
        tensors = [tvm.runtime.tensor(array) if isinstance(array, np.ndarray) else array for array in arrays]
        tvm.compile(tvm.IRModule({"main": function}), target={"kind": "llvm"})["main"](*tensors)
        return {index: tensors[index].numpy() for index in self.outputs}


def last_line(error):
    """The last line of a message that is more than marks below a line of the source."""
    lines = [line.strip() for line in (str(error).strip() or repr(error)).splitlines()]
    return next((line for line in reversed(lines) if line.strip("|^~ ")), repr(error))[-200:]


VIEW = re.compile(r"^\s*(\w+) = (?:T\.match_buffer\((\w+)\[|T\.decl_buffer\(.*data=(\w+)\.data|(\w+)\.view\()", flags=re.M)


def written_parameters(function, text):
    """The parameters that a statement of the printed text stores to, by number."""
    stored = set(re.findall(r"^\s*(\w+)(?:\[.*?\] = |\.vstore\()", text, flags=re.M))
    for call in re.findall(r"T\.call_packed\((.*)\)$", text, flags=re.M):
        read_only = 1 if call.startswith('"tvm.contrib.sort.') else 0
        for array in call.split("T.tvm_stack_make_array(")[1 + read_only:]:
            stored |= set(re.findall(r"^\w+", array))
    for view in VIEW.finditer(text):
        if view.group(1) in stored:
            stored.add(next(filter(None, view.groups()[1:])))
    signature = re.search(r"^def \w+\((.*)\)(?: -> .*)?:$", text, flags=re.M).group(1)
    names = re.findall(r"(\w+): T\.", signature)
    if len(names) != len(function.params):
        raise ValueError("the signature was not understood")
    return {number for number, name in enumerate(names) if name in stored}


def value_of(var, extents):
    return extents.setdefault(var.name, SYMBOLIC_EXTENTS[len(extents) % len(SYMBOLIC_EXTENTS)])


def extent_of(extent, extents):
    """The value of a shape's extent; every free variable of the function gets its own."""
    tirx = tvm.tirx
    if isinstance(extent, tirx.IntImm):
        return int(extent)
    if isinstance(extent, tirx.Var):
        return value_of(extent, extents)
    if isinstance(extent, tirx.Cast):
        return extent_of(extent.value, extents)
    operations = {tirx.Add: int.__add__, tirx.Sub: int.__sub__, tirx.Mul: int.__mul__, tirx.FloorDiv: int.__floordiv__,
                  tirx.FloorMod: int.__mod__, tirx.Min: min, tirx.Max: max}
    return operations[type(extent)](extent_of(extent.a, extents), extent_of(extent.b, extents))


def scalar_argument(param, extents):
    return value_of(param, extents)


def random_array(rng, shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.standard_normal(shape).astype(dtype)
    low = 0 if dtype.startswith("u") else -60
    return rng.integers(low, 60, shape).astype(dtype)


# ---- How far floats may differ -----------------------------------------------------------------------------------------


class Magnitudes(ast.NodeTransformer):
    """Rewrites a program's text so that on |inputs| it computes the sums of its terms' magnitudes: it subtracts nothing and
    has no negative constant. `plain` becomes false where that is no bound: mathematics, division by what is no constant."""

    def __init__(self):
        self.plain = True

    def visit_Assign(self, node):
        if isinstance(node.targets[0], ast.Subscript):
            node.value = self.term(node.value)
        return node

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.term(node.value)
        return node

    def term(self, node):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            operator = ast.Mult() if isinstance(node.op, ast.Mult) else ast.Add()
            return ast.BinOp(self.term(node.left), operator, self.term(node.right))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and self.is_constant(node.right):
            return ast.BinOp(self.term(node.left), node.op, self.term(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self.call(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return ast.Constant(abs(node.value))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.term(node.operand)
        self.plain &= isinstance(node, (ast.Subscript, ast.Name))
        return node

    def call(self, node):
        name = node.func.attr
        if name in ("float32", "float64", "float16", "max", "min", "Broadcast", "Add"):
            node.args = [self.term(arg) if isinstance(arg, ast.expr) else arg for arg in node.args]
        elif name in ("Select", "if_then_else"):
            node.args[1:] = [self.term(arg) for arg in node.args[1:]]
        elif name != "Cast":  # of an integer; a cast float has its own rounding, which is far smaller than the narrow one's
            self.plain = False
        return node

    @staticmethod
    def is_constant(node):
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("float")


def magnitudes(text):
    """The program of the terms' magnitudes, or None."""
    rewriter = Magnitudes()
    try:
        tree = rewriter.visit(ast.parse(text))
        return tvm.script.from_source(ast.unparse(ast.fix_missing_locations(tree))) if rewriter.plain else None
    except Exception:  # TVM does not read every text of its own
        return None


def is_float(dtype):
    return dtype.kind == "f" or dtype.name == "bfloat16"


def magnitude(array):
    return np.asarray(abs(array)) if isinstance(array, np.ndarray) and is_float(array.dtype) else array


def difference(case, index, want, got):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if not is_float(want.dtype):
        bad = got != want
    else:
        eps, calls = float(ml_dtypes.finfo(want.dtype).eps), len(MATHEMATICS.findall(case.text))
        with np.errstate(invalid="ignore", over="ignore"):
            # Without a magnitude program: terms of about the size of the largest result, or of 1.
            terms = case.terms.get(index)
            if terms is None:
                terms = abs(want) + max(1.0, np.nanmax(abs(want), initial=0.0) * 0.125)
            limit = eps * ((16 + case.length) * terms.astype("float64") + 2 * calls * abs(want.astype("float64")))
            near = abs(got.astype("float64") - want.astype("float64")) <= limit
        bad = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not bad.any():
        return None
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{got[place]!r} instead of {want[place]!r} at {list(place)} ({int(bad.sum())} of {bad.size})"


# ---- The stages --------------------------------------------------------------------------------------------------------


def invoke(words, **more):
    try:
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"no end after {PATIENCE} s")


def first_error(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
    return re.sub(r"^\S*:(?=\d+:\d+: )", "", line)[-200:]


def formatted(command, text):
    done = invoke([command, "fmt", "-"], input=text)
    return (done.stdout, None) if done.returncode == 0 else (None, first_error(done.stderr))


class Excused(str):
    """A cause that TVM itself is shown to answer for, and why."""

    def __new__(cls, cause, why):
        made = super().__new__(cls, cause)
        made.why = why
        return made

    def __getnewargs__(self):
        return str(self), self.why


def reads_itself(case):
    try:
        tvm.script.from_source(case.text)
        return True
    except Exception:  # TVM's refusals come as many types
        return False


def text_failures(command, case, stage):
    """{stage: cause} of the stages that are about text, and the lines where the texts differ."""
    ours, problem = formatted(command, case.text)
    if problem is None:
        again, problem = formatted(command, ours)
        problem = problem or (None if again == ours else "the second text differs")
    if problem:
        return dict.fromkeys(("read", "reread", "equal text"), problem), ""
    failures, shown = {}, ""
    stage("rereading")
    try:
        reread = tvm.script.from_source(ours)
        try:
            tvm.ir.assert_structural_equal(reread, case.function)
        except Exception:
            # TVM finds not even its own text equal where shape variables are free: then its reading of that counts.
            tvm.ir.assert_structural_equal(reread, tvm.script.from_source(case.text))
    except Exception as error:  # TVM's refusals come as many types
        failures["reread"] = last_line(error) if reads_itself(case) else Excused(last_line(error), "TVM does not read its own text")
    if ours.rstrip("\n") != case.text.rstrip("\n"):
        lines = [line for line in difflib.unified_diff(case.text.splitlines(), ours.splitlines(), n=0, lineterm="")][3:]
        shown = "\n".join(lines[:12])
        failures["equal text"] = " | ".join(line.strip() for line in lines[:2])[:300]
    return failures, shown


def raw_suffix(array):
    """What .npy files cannot say of their type."""
    return ":bf16" if array.dtype.name == "bfloat16" else ""


def run_failures(command, case, folder):
    """{stage: cause} of the stages that are about values, and tirb's outputs, or None."""
    source, bundle = folder / "program.py", folder / "program.tirb"
    source.write_text(case.text)
    done = invoke([command, "compile", source, "-o", bundle])
    if done.returncode != 0:
        return dict.fromkeys(("run", "same"), first_error(done.stderr)), None
    words, saves = [], []
    for index, array in enumerate(case.arrays):
        path = folder / f"{index}.npy"
        if isinstance(array, np.ndarray):
            np.save(path, array)
        words.append(f"@{path}{raw_suffix(array)}" if isinstance(array, np.ndarray) else array)
        if index in case.outputs:
            saves += ["-o", f"@{folder / f'out{index}.npy'}{raw_suffix(array)}"]
    done = invoke([command, "run", bundle, "-f", "main", *words, *saves])
    if done.returncode != 0:
        return dict.fromkeys(("run", "same"), first_error(done.stderr)), None
    got = {index: np.load(folder / f"out{index}.npy").view(case.arrays[index].dtype) for index in case.outputs}
    problem = first_difference(case, case.expected, got)
    return {"same": problem} if problem else {}, got


def blame(command, case, failures, got):
    """TVM's scheduler gets some programs wrong. What counts then is what TVM computes for this very text; and where that is
    neither tirb's result nor the plain program's, the scheduled program has no meaning: it reads what nothing has written,
    or outside of its buffers."""
    try:
        # What is read and never written was written by the run before, which therefore has other inputs.
        case.compute(case.function, [other_array(array) for array in case.arrays])
        own = case.compute(case.function, case.arrays)
    except Exception:  # TVM's own refusals come as many types
        own = None
    if own and got and first_difference(case, own, got) is None:
        return {}
    if not got and reads_outside(command, case):
        return {stage: Excused(cause, "the scheduled program reads outside of its buffers, as the oracle finds") for stage, cause in failures.items()}
    if own and first_difference(case, case.expected, own):
        why = "TVM's scheduled program does not compute what the plain one does in TVM either"
    elif not own and not got and not reads_itself(case):
        why = "TVM neither compiles nor reads its scheduled program"
    else:
        return failures
    return {stage: Excused(cause, why) for stage, cause in failures.items()}


def reads_outside(command, case):
    """Whether the oracle of the differential test, which stands beside the command, ends the program as well."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(case.text)
        file.flush()
        done = invoke([pathlib.Path(command).with_name("differential"), file.name, "--passes", "one"])
    return done.stdout.startswith("0 equal, ") and ", 0 differ" in done.stdout and ", 0 trapped" not in done.stdout


def other_array(array):
    """Other values for a parameter: in reverse, and floats doubled."""
    if not isinstance(array, np.ndarray) or array.ndim == 0:
        return array
    other = array * array.dtype.type(2) if is_float(array.dtype) else array
    return np.ascontiguousarray(other.ravel()[::-1].reshape(array.shape))


def first_difference(case, expected, got):
    return next(filter(None, (difference(case, index, expected[index], got[index]) for index in case.outputs)), None)


def functions_of(operator):
    """[(name, PrimFunc)]"""
    made = operator.make()
    if not isinstance(made, list):
        return [(operator.name, made)]
    return [(f"{operator.name}.{number}" if len(made) > 1 else operator.name, function) for number, function in enumerate(made)]


class Verdict:
    """What came out for one program. `failures`: {stage: cause}; `note`: what TVM itself cannot do."""

    def __init__(self, name, failures=None, runs=False, note=None, shown="", compiles=False):
        self.name, self.failures, self.runs, self.note, self.shown = name, failures, runs, note, shown
        self.compiles = compiles

    def reached(self, stage):
        """Whether the program came as far as to be judged there."""
        return self.compiles if stage in spellings.OTHERS else self.runs if stage in gaps.VALUES else True


class Judge:
    """Judges one operator's programs in a worker. A task is (number of the operator, function to begin with, its last stage
    is `text` where TVM ended the process computing it)."""

    def __init__(self, options, chosen, folder):
        self.options, self.chosen, self.folder = options, chosen, folder

    def __call__(self, task, announce):
        number, first, only_text = task
        operator = self.chosen[number]
        announce(("making", operator.name, 0, 1))
        try:
            functions = functions_of(operator)
        except Exception as error:  # TVM's own refusals come as many types
            yield Verdict(operator.name, note=None if operator.may_refuse else f"TVM refuses {operator.name}: {last_line(error)}")
            return
        for at, (name, function) in enumerate(functions):
            if at < first:
                continue

            def stage(what, name=name, at=at):
                announce((what, name, at, len(functions)))

            stage("printing")
            case = Case(name, operator, function)
            if self.options.list:
                yield Verdict(name, {}, shown=f"# ---- {name}\n{case.text}")
            else:
                yield self.judge(case, stage, only_text and at == first)

    def judge(self, case, stage, only_text):
        failures, shown = text_failures(self.options.tirb, case, stage)
        respelled, _ = spellings.differences(self.options.tirb, case.text)
        failures |= respelled or {}
        more = {"shown": shown, "compiles": respelled is not None}
        if only_text or case.operator.only_text:
            return Verdict(case.name, failures, **more)
        stage("computing")
        case.prepare(self.options.seed)
        if case.refused:
            note = None if case.operator.may_refuse else f"TVM does not run {case.name}: {case.refused}"
            return Verdict(case.name, failures, note=note, **more)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            values, got = run_failures(self.options.tirb, case, pathlib.Path(folder))
        if values and case.operator.reference:
            values = blame(self.options.tirb, case, values, got)
        failures |= values
        return Verdict(case.name, failures, True, **more)


# ---- The report --------------------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.counts = collections.Counter()

    def add(self, verdict):
        if verdict.note:
            print(verdict.note, flush=True)
        if verdict.failures is None:
            self.counts["refused"] += verdict.note is not None
            return
        stages = [stage for stage in STAGES if stage not in verdict.failures and verdict.reached(stage)]
        counted = {"programs": 1, "runnable": int(verdict.runs), "compiled": int(verdict.compiles), self.outcome(verdict): 1}
        self.counts.update(counted, **dict.fromkeys(stages, 1))

    @staticmethod
    def outcome(verdict):
        """Names the failures, those with one cause in one line: passed, failed or gap."""
        known, reason = gaps.gap_of(verdict.name) or ((), None)
        causes, outcome = collections.defaultdict(list), "passed"
        for stage, cause in verdict.failures.items():
            why = cause.why if isinstance(cause, Excused) else reason if stage in known else None
            label = "differs" if stage == "equal text" else "gap" if why else "FAIL"
            causes[label, cause, why].append(stage)
        for (label, cause, why), stages in causes.items():
            if label != "differs" and outcome != "failed":
                outcome = "gap" if label == "gap" else "failed"
            print(f"{label} {verdict.name} ({', '.join(stages)}): {cause}{f' [{why}]' if why else ''}", flush=True)
        if reason and outcome == "passed" and (verdict.runs or not set(known) & set(gaps.VALUES)):
            print(f"FAIL {verdict.name}: works in full, and gaps.py says: {reason}", flush=True)
            return "failed"
        return outcome

    def finish(self):
        counts = self.counts
        few = counts["equal text"] < LEAST_EQUAL * counts["programs"]
        print(f"{counts['programs']} programs, {counts['refused']} operators that TVM refuses, {counts['ended']} programs that end TVM: "
              f"read {counts['read']}, equal text {counts['equal text']}, reread {counts['reread']}; "
              f"{counts['runnable']} that TVM runs: ran {counts['run']}, same result {counts['same']}; "
              f"{counts['compiled']} compile: same code from the classic spelling {counts['tir']}, from Hybrid Script {counts['hybrid']}")
        print(f"{counts['passed']} passed, {counts['failed'] + few} failed, {counts['gap']} known gaps")
        return 1 if counts["failed"] or few else 0


def settle_end(report, task, ended, tasks):
    """A worker has ended: says so, and puts what is left of its task back."""
    stage, name, at, n_functions = ended.phase or ("starting", "a worker", 0, 1)
    report.counts["ended"] += 1
    print(f"TVM, {stage} {name}: {ended.cause}", flush=True)
    if stage == "rereading":
        report.add(Verdict(name, {"reread": f"TVM: {ended.cause}"}))
    elif stage == "computing":
        tasks.append((task[0], at, True))
        return
    if at + 1 < n_functions:
        tasks.append((task[0], at + 1, False))


def main():
    parser = argparse.ArgumentParser(description="TVM as the judge of tirb.")
    os.environ["TIRB_CACHE_DIR"] = ""  # compile each time
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "tirb"), help="the command (default: $TIRB, then the path)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=60, help="how many operators (default 60)")
    parser.add_argument("--full", action="store_true", help="all operators")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time (default: one for each core)")
    parser.add_argument("--list", action="store_true", help="print the texts and judge nothing")
    parser.add_argument("--diff", action="store_true", help="show where texts differ")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only programs with this in their names")
    options = parser.parse_args()
    chosen = [op for op in programs.operators(options.tirb) if not options.words or any(word in op.name for word in options.words)]
    if not (options.full or options.words or options.list):
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    report, tasks = Report(), collections.deque((number, 0, False) for number in range(len(chosen)))
    with tempfile.TemporaryDirectory(prefix="tirb_interop_") as folder:
        for task, verdict in workers.run(tasks, Judge(options, chosen, folder), options.jobs, PATIENCE_WITH_TVM):
            if isinstance(verdict, workers.Ended):
                settle_end(report, task, verdict, tasks)
                continue
            if verdict.shown and (options.diff or options.list):
                print(verdict.shown)
            if not options.list:
                report.add(verdict)
    return 0 if options.list else report.finish()


if __name__ == "__main__":
    sys.exit(main())
