"""Sources: compiling, diagnostics, running a .py file directly, run-time errors with their line, rounding modes."""

import json

import numpy as np

from harness import CALL, FILES, PROGRAM, ROOT, USAGE, expect

ADD = '''# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def add(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        C[i] = A[i] + B[i]
'''

TWO_ERRORS = '''@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = missing
    for i in range(4):
        A[i] = absent
'''


def test_compile_and_run(t):
    t.write("add.py", ADD)
    expect(t.run("compile", "add.py").out == b"", "compile is silent")
    expect(t.files() == ["add.py", "add.tirb"], f"{t.files()}")
    t.run("run", "add.tirb", "3xf32=1,2,3", "3xf32=10", shows="C: 3xf32 = 11, 12, 13\n")
    t.run("run", "add.py", "3xf32=1,2,3", "3xf32=10", shows="C: 3xf32 = 11, 12, 13\n")
    t.run("check", "add.py", shows="add.py: ok: 1 function")
    t.run("check", "add.tirb", shows="add.tirb: ok: 1 function")
    t.run("inspect", "add.py", shows="add(A: ")


def test_the_same_bytes_each_time(t):
    t.write("add.py", ADD)
    t.run("compile", "add.py", "-o", "a.tirb")
    t.run("compile", "add.py", "-o", "b.tirb")
    expect(t.path("a.tirb").read_bytes() == t.path("b.tirb").read_bytes(), "two compilations differ")


def test_standard_streams(t):
    bundle = t.run("compile", "-", "-o", "-", stdin=ADD.encode()).out
    expect(bundle[:4] == b"TIRB", "stdout is no bundle")
    expect(t.run("compile", "-", stdin=ADD.encode()).out == bundle, "the default output of - is -")
    t.run("check", "-", shows="<stdin>: ok", stdin=bundle)
    t.run("check", "-", shows="<stdin>: ok", stdin=ADD.encode())
    t.run("run", "-", "2xf32=1", "2xf32=2", shows="C: 2xf32 = 3, 3\n", stdin=ADD.encode())
    t.run("run", "-", "2xf32=1", "2xf32=2", shows="C: 2xf32 = 3, 3\n", stdin=bundle)


def test_the_device_of_stdout(t):
    t.write("add.py", ADD)
    bundle = t.run("compile", "add.py", "-o", "-").out
    expect(t.run("compile", "add.py", "-o", "/dev/stdout").out == bundle, "/dev/stdout got another bundle")


def test_a_source_is_not_replaced_by_what_is_made_of_it(t):
    source = t.write("add.py", ADD)
    (t.folder / "link").symlink_to("add.py")
    for to in ["add.py", "./add.py", "link"]:
        t.run("compile", "add.py", "-o", to, code=USAGE, says=f"{to} would be replaced")
    t.run("dis", "add.py", "-o", "add.py", code=USAGE, says="would be replaced")
    expect(source.read_text() == ADD, "the source is another one")
    t.run("dis", "add.py", "-o", "listing.tirb")
    t.run("asm", "listing.tirb", code=USAGE, says="listing.tirb would be replaced")


def test_dis_of_a_source_assembles_to_its_bundle(t):
    t.write("add.py", ADD)
    t.run("compile", "add.py")
    t.run("dis", "add.py", "-o", "add.tirs")
    t.run("asm", "add.tirs", "-o", "again.tirb")
    expect(t.path("add.tirb").read_bytes() == t.path("again.tirb").read_bytes(), "the bundles differ")


def test_diagnostics(t):
    t.write("bad.py", TWO_ERRORS)
    for command in ("compile", "check", "run", "inspect", "dis"):
        result = t.run(command, "bad.py", code=PROGRAM, says=["bad.py:4:16: error: ", "bad.py:6:16: error: ", "        A[i] = missing"])
        caret = result.reason.splitlines()[2]
        expect(caret.startswith(" " * 15 + "^"), f"no caret below the name: {result.reason!r}")
    expect(t.files() == ["bad.py"], f"files appeared: {t.files()}")
    one = t.run("compile", "bad.py", "--max-errors", "1", code=PROGRAM, says="bad.py:4:16: error: ")
    expect("bad.py:6:16" not in one.reason, "--max-errors 1 gave more")
    t.write("empty.py", "\n")
    empty = t.run("check", "empty.py", code=PROGRAM, says="empty.py:1:1: error: ")
    expect(len(empty.reason.splitlines()) == 1, f"a line without text is shown: {empty.reason!r}")


def test_diagnostics_as_json(t):
    t.write("bad.py", TWO_ERRORS)
    for command in ("compile", "check", "run", "fmt", "inspect", "dis", "explain", "bench", "profile"):
        result = t.run(command, "bad.py", "--diagnostics=json", code=PROGRAM)
        found = [json.loads(line) for line in result.reason.splitlines()]
        expect([(one["line"], one["column"], one["end_column"]) for one in found] == [(4, 16, 23), (6, 16, 22)], f"{command}: {found}")
        expect(found[0]["severity"] == "error" and found[0]["status"] == "TYPE" and found[0]["file"] == "bad.py", f"{found}")
        expect("missing" in found[0]["message"] and found[0]["source_line"] == "        A[i] = missing", f"{found}")
    t.write("bytes.py", b"\xff\xfe\n")
    found = [json.loads(line) for line in t.run("fmt", "bytes.py", "--diagnostics", "json", code=PROGRAM).reason.splitlines()]
    expect("\ufffd" in found[0]["source_line"], f"{found}")
    found = json.loads(t.run("run", "none.py", "--diagnostics=json", code=FILES).reason)
    expect(found["exit_code"] == FILES and found["command"] == "run" and "none.py" in found["message"], f"{found}")
    t.write("traps.py", TRAPS)
    found = json.loads(t.run("run", "traps.py", "-f", "divide", "1", "0", "--diagnostics=json", code=CALL).reason)
    expect((found["line"], found["status"], found["file"]) == (9, "DIVIDE", "traps.py"), f"{found}")
    t.run("compile", "bad.py", "--diagnostics=xml", code=USAGE, says=["text or json", "xml"])


def test_warnings_as_json_come_from_the_cache_too(t):
    t.write("warn.py", ADD.replace("B[i]", "T.float16(0.5) * B[i]").replace("T.float16(0.5)", 'T.Cast("float32", T.bfloat16(3.4e38))'))
    for _ in range(2):
        text = t.run("check", "warn.py").reason
        found = json.loads(t.run("check", "warn.py", "--diagnostics=json").reason)
        expect("warning:" in text and found["severity"] == "warning" and "status" not in found, f"{text} {found}")


def test_an_old_bundle_survives_a_failed_compilation(t):
    t.write("bad.py", TWO_ERRORS)
    t.write("bad.tirb", b"old")
    t.run("compile", "bad.py", code=PROGRAM)
    expect(t.path("bad.tirb").read_bytes() == b"old", "the output was touched")


def test_syntax_errors(t):
    for text in ("def f(:\n", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    try:\n        pass\n", "\x00", "(" * 5000,
                 "@T.prim_func\ndef f():\n  " + "-" * 100000 + "1\n", "if True:\n" * 3000, "\xff\xfe"):
        t.write("bad.py", text.encode("latin-1"))
        t.run("compile", "bad.py", code=PROGRAM, says="bad.py:")
    expect(t.files() == ["bad.py"], f"files appeared: {t.files()}")


def test_empty_sources(t):
    for text in ("", "\n\n# nothing here\n"):
        t.write("empty.py", text)
        result = t.run("check", "empty.py", code=PROGRAM)
        expect("empty.py" in result.reason, result.reason)


def test_shape_errors(t):
    t.write("add.py", ADD)
    t.run("run", "add.py", "3xf32=1", "4xf32=1", code=CALL, says=["B", "4", "3"], lines=1)
    t.run("run", "add.py", "3xf32=1", "3xf64=1", code=CALL, says=["B", "float64", "float32"], lines=1)
    t.run("run", "add.py", "3xf32=1", code=CALL, says="missing", lines=1)
    t.run("run", "add.py", "0xf32=", "0xf32=", shows="C: 0xf32 =\n")


TRAPS = '''@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def outside(A: T.Buffer((10, 100), "int32"), i: T.int32) -> T.int32:
        return A[0, i]

    @T.prim_func(s_tir=True)
    def divide(a: T.int32, b: T.int32) -> T.int32:
        return a // b

    @T.prim_func(s_tir=True)
    def forever(A: T.Buffer((1,), "int32")):
        while A[0] >= 0:
            A[0] = 1

    @T.prim_func(s_tir=True)
    def deep(n: T.int32) -> T.int32:
        return Module.deep(n + 1)

    @T.prim_func(s_tir=True)
    def large(n: T.int64):
        A = T.alloc_buffer((n,), "float32")
        A[0] = T.float32(1)

    @T.prim_func(s_tir=True)
    def positive(n: T.int32):
        assert n > 0, "n must be positive"
'''


def test_run_time_errors_name_their_line(t):
    t.write("traps.py", TRAPS)
    t.run("compile", "traps.py")
    for file in ("traps.py", "traps.tirb"):
        for words, line, says in (
            (["-f", "outside", "10x100xi32=1", "200"], 5, ["200", "100"]),
            (["-f", "outside", "10x100xi32=1", "-1"], 5, ["-1", "100"]),
            (["-f", "divide", "1", "0"], 9, ["zero"]),
            (["-f", "forever", "1xi32=0", "--fuel", "100K"], None, ["fuel", "forever"]),
            (["-f", "forever", "1xi32=0", "--timeout", "0.2"], None, ["forever"]),
            (["-f", "deep", "1"], 18, ["deep"]),
            (["-f", "large", "100000000", "--max-memory", "16M"], None, ["large"]),
            (["-f", "positive", "-3"], 27, ["n must be positive"]),
        ):
            place = f"traps.py:{line}:" if line else "traps.py:"
            t.run("run", file, *words, code=CALL, says=[place, "error: ", *says], lines=1)
    t.run("run", "traps.py", "-f", "divide", "-7", "2", shows="returned: i32 = -4\n")
    t.run("run", "traps.py", "1", code=USAGE, says=["-f", "outside"])


AHEAD = """from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def ahead(A: T.Buffer((64, 64), "int32"), D: T.Buffer((64,), "int32"), B: T.Buffer((64, 64)), C: T.Buffer((64, 64))):
    for i in range(64):
        for k in range(64):
            for j in range(64):
                C[i, j] = C[i, j] + T.cast(A[i, k] // D[k], "float32") * B[k, j]
"""


def test_what_is_computed_ahead_fails_where_it_stands(t):
    """An operand of the products is computed before the loops, and its failure is told at the statement."""
    t.write("ahead.py", AHEAD)
    words = ["64x64xi32=1", "64xi32=0", "64x64xf32=1", "64x64xf32=1"]
    t.run("run", "ahead.py", *words, code=CALL, says=["ahead.py:9:17: error: ", "zero"])


def test_rounding_modes(t):
    t.write("fma.py", '@T.prim_func(s_tir=True)\ndef f(a: T.float32, b: T.float32, c: T.float32) -> T.float32:\n'
                      '    return a * b + c\n')
    a = np.float32(1) + np.finfo(np.float32).eps
    words = (repr(float(a)), repr(float(a)), repr(-float(np.float32(a * a))))
    fused = t.run("run", "fma.py", *words).text
    expect(fused != "returned: f32 = 0\n", "the default does not fuse")
    t.run("run", "fma.py", *words, "--fp", "strict", shows="returned: f32 = 0\n")
    t.run("run", "fma.py", *words, "--fp=fast", shows=fused)
    t.run("compile", "fma.py", "--fp", "strict")
    t.run("run", "fma.tirb", *words, shows="returned: f32 = 0\n")
    t.run("inspect", "fma.tirb", shows="fp strict")
    t.run("run", "fma.tirb", *words, "--fp", "fast", code=USAGE, says="--fp")


def test_the_same_bytes_on_every_isa(t):
    t.write("add.py", ADD)
    random = np.random.default_rng(3)
    np.save(t.path("a.npy"), random.normal(size=1000).astype(np.float32))
    listed = t.run("version").text.split("isa:")[1].split("\n")[0].split()
    results = set()
    for isa in listed:
        t.run("run", "add.py", "@a.npy", "@a.npy", "-o", "@c.npy", "--isa", isa)
        results.add(t.path("c.npy").read_bytes())
    expect(len(results) == 1, f"{listed} give {len(results)} results")


def test_limits_of_compiling(t):
    t.write("add.py", ADD)
    run = ("run", "add.py", "2xf32=1", "2xf32=2")
    for words in (("compile", "add.py"), ("check", "add.py"), ("explain", "add.py"), ("fmt", "add.py"), ("dis", "add.py"),
                  ("inspect", "add.py"), run, ("bench", *run[1:], "--runs", "1")):
        t.run(*words, "--compile-timeout", "1e-9", code=PROGRAM, says="compiling 'add.py' takes longer than it may (--compile-timeout allows more)",
              lines=1)
        t.run(*words, "--compile-memory", "4K", code=PROGRAM, says="more than 4096 bytes of memory (--compile-memory allows more)", lines=1)
        t.run(*words, "--compile-work", "1", code=PROGRAM, says="more than 4 steps, 4 times what its plans may take (--compile-work allows more)",
              lines=1)
        t.run(*words, "--compile-timeout", "60", "--compile-memory", "64M", "--compile-work", "1M")
    t.run("explain", "add.py", shows="i: lanes")
    t.run("explain", "add.py", "--compile-work", "500", shows="i: scalar: compiling has taken the work")
    t.run(*run, "--compile-work", "500", shows="C: 2xf32 = 3, 3\n")


def test_hostile_text(t):
    t.write("nul.py", "\0" * 10_000_000)
    t.run("check", "nul.py", code=PROGRAM)
    t.write("wide.py", ADD + "        C[i] = A[i]\n" * 300_000)
    t.run("check", "wide.py", code=PROGRAM)


def test_digits(t):
    digits = ROOT / "tests/kernels/digits"
    t.run("compile", digits / "digits.py", "-o", "digits.tirb")
    names = [f"@{digits}/{n}.npy" for n in ("images", "w0", "b0", "w1", "b1")]
    t.run("run", "digits.tirb", "-f", "predict", *names, "-o", "scores=@scores.npy", shows="digit: ")
    scores, labels = np.load(t.path("scores.npy")), np.load(digits / "labels.npy")
    expect(scores.shape == (len(labels), 10), f"{scores.shape}")
    expect((scores.argmax(axis=1) == labels).mean() > 0.9, "fewer than nine of ten digits are right")


def test_unwritable_output(t):
    t.write("add.py", ADD)
    t.run("compile", "add.py", "-o", "nowhere/add.tirb", code=FILES, lines=1)
    t.run("compile", "add.py", "-o", "/dev/full", code=FILES, lines=1)
    for command in ("compile add.py -o -", "dis add.py", "fmt add.py", "inspect add.py", "help", "version"):
        with open("/dev/full", "wb") as full:
            t.run(*command.split(), code=FILES, says="No space left on device", lines=1, stdout=full)
