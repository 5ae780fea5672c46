"""What a newcomer meets in the first hour: what the command takes, what it says, and when."""

import json
import resource

import numpy as np

from harness import CALL, DONE, FILES, PROGRAM, USAGE, axpb, expect

SAXPY = """from tvm.script import tirx as T


@T.prim_func
def saxpy(a: T.float32, x: T.handle, y: T.handle):
    n = T.int32()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, (n,), "float32")
    for i in range(n):
        Y[i] = a * X[i] + Y[i]


@T.prim_func
def iota(k: T.int32, y: T.handle):
    n = T.int32()
    Y = T.match_buffer(y, (n,), "int32")
    for i in range(n):
        Y[i] = i + k
"""

MATRICES = """from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((12, 20), "int32")):
    for i, j in T.grid(12, 20):
        A[i, j] = i * 20 + j


@T.prim_func
def g(A: T.Buffer((2, 2, 3), "int32")):
    for i, j, k in T.grid(2, 2, 3):
        A[i, j, k] = i * 100 + j * 10 + k
"""

LOSSY = """from tvm.script import tirx as T


@T.prim_func
def f(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "int32")):
    for i in range(4):
        y[i] = x[i]
"""


# ---- Arguments ------------------------------------------------------------------------------------------------------


def test_extents_and_random_tensors(t):
    t.write("saxpy.py", SAXPY)
    by_extent = t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "n=7").text
    by_types = t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "7xf32", "7xf32").text
    expect(by_extent == by_types and by_extent.startswith("Y: 7xf32 = "), f"{by_extent}{by_types}")
    t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "n=3", "3xf32=2", "3xf32=1", shows="Y: 3xf32 = 2, 2, 2\n")
    t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "n=4", "3xf32=2", "3xf32=1", shows="Y: 3xf32 = 2, 2, 2\n")
    t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "n=4", "3xf32=2", code=CALL, says="shape[0]", lines=1)
    t.run("run", "saxpy.py", "-f", "saxpy", "0.5", code=CALL, says="'X' is missing", lines=1)
    t.run("run", "saxpy.py", "-f", "saxpy", "0.5", "m=4", code=USAGE, says="no parameter 'm'")


def test_names_of_nothing(t):
    """A shell's variable that is not set."""
    t.write("matrices.py", MATRICES)
    t.run("compile", "", code=FILES, says="tirb compile: '': No such file or directory", lines=1)
    t.run("compile", "matrices.py", "-o", "", code=FILES, says="tirb compile: '': No such file or directory", lines=1)


def test_values_of_no_use(t):
    """A tensor that the call refuses is not filled: 4 GiB would take its time."""
    t.write("matrices.py", MATRICES)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    for given, reason in [("1073741824xi32", "ndim is 1"), ("12x89478485xi32", "shape[1] is 89478485, expected 20"),
                          ("12x20xf32", "dtype is float32")]:
        t.run("run", "matrices.py", "-f", "f", given, code=CALL, says=reason, lines=1)
    more = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before
    expect(more < 2 << 20, f"{more} KiB more")


def test_extent_that_no_argument_determines(t):
    t.write("saxpy.py", SAXPY)
    t.run("run", "saxpy.py", "-f", "iota", "10", "n=4", shows="Y: 4xi32 = 10, 11, 12, 13\n")
    t.run("run", "saxpy.py", "-f", "iota", "10", "n=0", shows="Y: 0xi32 =\n")
    t.run("run", "saxpy.py", "-f", "iota", "10", code=CALL, lines=1)
    t.run("run", "saxpy.py", "-f", "iota", "10", "n=-4", code=USAGE, says="'n' is an extent")


def test_integers(t):
    t.write("saxpy.py", SAXPY)
    for words in (["k=7.0"], ["7.0"]):
        t.run("run", "saxpy.py", "-f", "iota", *words, "n=4", code=CALL, says="was given the float 7.0; write k=7,", lines=1)
    t.run("run", "saxpy.py", "-f", "iota", "7.5", "n=4", code=CALL, says="an integer, and was given 7.5", lines=1)
    t.run("run", "saxpy.py", "-f", "iota", "1e30", "n=4", code=CALL, says="an integer, and was given", lines=1)


def test_fuel_counts_in_thousands(t):
    t.write("saxpy.py", SAXPY)
    arguments = ("run", "saxpy.py", "-f", "iota", "0", "n=2", "--fuel")
    for text, number in {"1": 1, "2k": 2000, "1K": 1000, "1.5M": 1500000, "10M": 10000000, "0.001k": 1}.items():
        t.run(*arguments, text, "--stats", code=DONE if number >= 1000 else CALL,
              says=() if number >= 1000 else f"the fuel of {number} units")
    for text in ("1.5", "0.0001k", "1.", ".5M", "1.5.5M", "10 M"):
        t.run(*arguments, text, code=USAGE, says="10M is ten million")


# ---- Outputs --------------------------------------------------------------------------------------------------------


def test_outputs_are_opened_first(t):
    bundle = axpb(t)
    # The call would trap: its index is outside.
    t.run("run", bundle, "1", "9", "4xf32=7", code=CALL)
    for target in ("none/b.npy", ".", "/dev"):
        t.run("run", bundle, "1", "9", "4xf32=7", "-o", f"B=@{target}", code=FILES, says=target, lines=1)
    before = t.files()
    t.run("run", bundle, "1", "9", "4xf32=7", "-o", "B=@b.npy", code=CALL)
    expect(t.files() == before, f"files appeared: {t.files()}")
    t.write("bad.py", "this is no program\n")
    t.run("compile", "bad.py", "-o", "none/bad.tirb", code=FILES, says="none/bad.tirb", lines=1)
    t.run("fmt", "bad.py", "-o", "none/bad.py", code=FILES, says="none/bad.py", lines=1)


def test_matches_are_said(t):
    bundle = axpb(t)
    arguments = ("run", bundle, "1", "0", "4xf32=7")
    t.run(*arguments, "--expect", "B=4xf32=2,0,7,0", shows="B: matches 4xf32=2,0,7,0 (4 values, exactly)\n")
    t.run(*arguments, "--expect", "B=4xf32=2,0,7,0.5", "--atol", "1", shows="(4 values; rtol 0, atol 1)\n")
    done = t.run(*arguments, "--expect", "B=4xf32=2,0,7,0", "--json")
    expect(json.loads(done.text)["outputs"][0]["matches"] is True, done.text)
    expect("matches" not in t.run(*arguments).text, "nothing is expected")


def test_matrices_are_rows(t):
    t.write("matrices.py", MATRICES)
    rows = [", ".join(str(i * 20 + j) for j in range(20)) for i in range(12)]
    cut = [", ".join(row.split(", ")[:16]) + ", ..." for row in rows[:8]]
    text = t.run("run", "matrices.py", "-f", "f").text
    expect(text == "A: 12x20xi32 =\n" + "".join(f"  {r}\n" for r in cut) + "  ... (240 values; --full prints all)\n", text)
    text = t.run("run", "matrices.py", "-f", "f", "--full").text
    expect(text == "A: 12x20xi32 =\n" + "".join(f"  {r}\n" for r in rows), text)
    text = t.run("run", "matrices.py", "-f", "g").text
    expect(text == "A: 2x2x3xi32 =\n  0, 1, 2\n  10, 11, 12\n\n  100, 101, 102\n  110, 111, 112\n", text)
    t.write("saxpy.py", SAXPY)
    text = t.run("run", "saxpy.py", "-f", "iota", "0", "n=40", "--full").text
    expect(text == "Y: 40xi32 = " + ", ".join(map(str, range(40))) + "\n", text)
    values = json.loads(t.run("run", "saxpy.py", "-f", "iota", "0", "n=1500", "--full", "--json").text)["outputs"][0]
    expect(values["values"] == list(range(1500)) and values["truncated"] is False, "not all values")


# ---- Warnings -------------------------------------------------------------------------------------------------------


def test_lossy_stores_warn(t):
    t.write("lossy.py", LOSSY)
    says = ["lossy.py:7:16: warning:", "storing float32 there loses its fraction; write T.int32(...)"]
    t.run("compile", "lossy.py", says=says, lines=3)
    t.run("check", "lossy.py", "--no-cache", says=says, lines=3)
    t.run("check", "lossy.py", "-w", lines=0)
    done = t.run("check", "lossy.py", "--diagnostics=json", says='"severity":"warning"', lines=1)
    expect(json.loads(done.reason)["line"] == 7, done.reason)
    t.run("check", "lossy.py", "-Werror", code=PROGRAM, says=[*says, "-Werror"], lines=4)
    t.run("compile", "lossy.py", "-Werror", "-o", "none.tirb", code=PROGRAM, says=says)
    expect("none.tirb" not in t.files(), "a refused source became a bundle")
    t.run("run", "lossy.py", "4xf32=1.5", "-Werror", code=PROGRAM, says=says)
    t.run("check", "lossy.py", "-Wall", code=USAGE, says="-Werror")


def test_warnings_are_said_once(t):
    t.write("lossy.py", LOSSY)
    t.run("run", "lossy.py", "4xf32=1.5", says="warning:", shows="y: 4xi32 = 1, 1, 1, 1\n")
    t.run("run", "lossy.py", "4xf32=1.5", lines=0)
    t.run("check", "lossy.py", says="warning:")


BOUNDS = """from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def certain(x: T.Buffer((4,), "float32"), y: T.Buffer((4, 3), "int32")):
    x[4] = 1.0
    for i in range(5):
        y[i, 0] = 3
    y[-1, 2] = 2
    for i, j in T.grid(4, 3):
        y[i, j + 1] = 2
        y[3 - i, 2 * j - 4] = 2
    for i in range(4):
        with T.sblock("s"):
            v = T.axis.spatial(4, i)
            x[v] = x[4 - v]
    x[T.ramp(0, 2, 4)] = T.broadcast(T.float32(0), 4)


@T.prim_func
def perhaps(n: T.int32, x: T.Buffer((4,), "float32"), y: T.Buffer(("m",), "float32")):
    for i in range(n):
        x[7] = 0.0
    for i in range(4):
        if i > 0:
            x[i] = x[i - 1]
        x[i] = x[3 - i] + T.if_then_else(i < 3, x[i + 1], T.float32(0))
        if i > 1 and x[i - 2] > 0.0:
            x[i] = y[i + 100]
    for i in range(0):
        x[i + 9] = 1.0
    while x[0] > 1.0:
        x[9] = 1.0


@T.prim_func
def leaves(n: T.int32, x: T.Buffer((4,), "float32")):
    for i in range(10):
        if i == n:
            break
        x[i] = 1.0
"""


def test_certain_bounds_warn(t):
    t.write("bounds.py", BOUNDS)
    done = t.run("check", "bounds.py", "--diagnostics=json")
    found = [(d["line"], d["message"].split(" is out of bounds for ")[0]) for d in map(json.loads, done.reason.splitlines())]
    expect(found == [(6, "index 4"), (8, "an index here that becomes 4"), (9, "index -1"),
                     (11, "an index here that becomes 3"), (12, "an index here that becomes -4"),
                     (16, "an index here that becomes 4"), (17, "an index here that becomes 6")], found)
    t.run("check", "bounds.py", "-Werror", code=PROGRAM, says="dimension 0 of `x`, whose extent is 4")


# ---- What a terminal is given ---------------------------------------------------------------------------------------

# Names may have no control characters, and still turn the direction of writing; other texts may have anything.
HOSTILE = rb""".fp precise
.source "evil\x1b]0;pwned\x07\xe2\x80\xae.py"
.function "f\xe2\x80\xaeg" public
.scalars 1
.ref i32 writable
.scalar "n" i64 s0
.tensor "A\xe2\x81\xa6" i32 r0 write (1)
.line 1 1
    assert s0, "A\x1b[31m", "B\xc2\x9b\n"
    ret.void
.end
"""


def harmless(text):
    """Whether it is text without characters that a terminal obeys."""
    shown = text.decode("utf-8")  # no replacement: other bytes raise
    return not any(c < " " and c != "\n" or "\x7f" <= c < "\xa0" or c in "\u200e\u200f\u061c\u2028\u2029"
                   or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" for c in shown)


def test_what_a_bundle_holds_is_shown_harmless(t):
    t.write("hostile.tirs", HOSTILE)
    t.run("asm", "hostile.tirs")
    calls = [("inspect", "hostile.tirb"), ("inspect", "hostile.tirb", "--json"), ("dis", "hostile.tirb", "-o", "-"),
             ("run", "hostile.tirb", "1"), ("run", "hostile.tirb", "1", "--expect", "A\u2066=1xi32=0"),
             ("run", "hostile.tirb", "1", "--json"), ("bench", "hostile.tirb", "1", "--runs", "1"),
             ("profile", "hostile.tirb", "1", "--time", "0.001"), ("check", "hostile.tirb")]
    for words in calls:
        done = t.run(*words)
        json_text = json.loads(done.text) and b"" if "--json" in words else done.out
        expect(harmless(json_text) and harmless(done.err), done)
    for words, code in [(("run", "hostile.tirb", "0"), CALL), (("run", "hostile.tirb", "0", "--json"), CALL),
                        (("run", "hostile.tirb", "1", "2", "3"), CALL), (("run", "hostile.tirb", "-f", "\u202e"), USAGE),
                        (("run", "no\u202e\x1b.tirb"), FILES)]:
        done = t.run(*words, code=code)
        expect(harmless(done.err) and ("--json" in words or harmless(done.out)), done)
    t.run("dis", "hostile.tirb", "-o", "again.tirs")
    t.run("asm", "again.tirs")
    expect(t.path("again.tirb").read_bytes() == t.path("hostile.tirb").read_bytes(), "dis and asm changed the bundle")


def test_what_a_source_holds_is_shown_harmless(t):
    t.write("hostile.py", SAXPY.replace("saxpy", "s\u202ey").replace("i in range(n):", "i\u2066 in range(n):  # \x1b[31m \x9b \u202e", 1)
            .split("\n\n\n@T.prim_func\ndef iota")[0].replace("[i]", "[i\u2066]") + "\n")
    for words in [("explain", "hostile.py"), ("profile", "hostile.py", "-f", "s\u202ey", "n=3", "--time", "0.001"),
                  ("inspect", "hostile.py")]:
        done = t.run(*words)
        expect(harmless(done.out) and harmless(done.err), done)
    t.write("bad.py", "from tvm.script import tirx as T\n@T.prim_func\ndef f(x: T.int32):\n    y\u202e = x\x1b + z\u2066  # \x9b\n")
    done = t.run("check", "bad.py", code=PROGRAM)
    expect(harmless(done.err), done)


def test_what_is_no_program(t):
    """Arrays and archives in the place of the program say where they go."""
    t.write("x.npy", b"\x93NUMPY\x01\x00")
    t.write("p.npz", b"PK\x03\x04\x14\x00")
    for name, says in (("x.npy", "which is an argument: @FILE.npy"), ("p.npz", "arrays of an .npz file are --params")):
        for command in ("run", "check"):
            t.run(command, name, code=PROGRAM, says=says, lines=1)


def test_modules_imported_whole(t):
    """`import a.b as c` names the module that `from a import b as c` names, as in Python."""
    for line, name in (("import tvm.script.tirx as T", "T"), ("import tvm.script.tirx as tx", "tx"),
                       ("import tvm.script.tir as T", "T"), ("import tvm", "tvm.script.tirx")):
        t.write("whole.py", f"{line}\n\n\n@{name}.prim_func\ndef f(x: {name}.Buffer((4,), \"float32\")):\n"
                            f"    x[0] = {name}.float32(1)\n")
        t.run("check", "whole.py", code=DONE)
    t.write("names.py", "from tvm.script.tirx import Buffer, float32, parallel, prim_func\n\n\n@prim_func\n"
                        "def f(a: float32, x: Buffer((4,), \"float32\")):\n    for i in parallel(4):\n"
                        "        x[i] = a + float32(1)\n")
    t.run("run", "names.py", "2", "4xf32=0", code=DONE)


def test_fractions_in_integers_warn(t):
    t.write("fraction.py", "from tvm.script import tirx as T\n\n\n@T.prim_func\ndef f(x: T.Buffer((4,), \"int32\")):\n"
                           "    x[0] = 1.5\n    x[1] = 2.0\n")
    said = t.run("check", "fraction.py", code=DONE).reason
    expect(said.count("warning") == 1 and "fraction.py:6:12: warning: `x` is int32" in said, said)


def test_what_stands_in_a_wrong_place(t):
    t.write("saxpy.py", SAXPY)
    np.save(t.path("x.npy"), np.zeros(3, "float32"))
    np.save(t.path("wide.npy"), np.zeros(3))
    np.savez(t.path("all.npz"), x=np.zeros(3))
    np.save(t.path("complex.npy"), np.zeros(3, "complex64"))
    t.write("table.csv", "1, 2, 3, 4\n")
    run = ("run", "saxpy.py", "-f", "saxpy", "1", "@x.npy")
    for given, code, says in [("x.npy", USAGE, "'x.npy' is no value, but a file: write @x.npy"),
                              ("@wide.npy", CALL, 'NumPy makes it so with Y.astype("float32")'),
                              ("@all.npz", CALL, "--params takes a .npz"),
                              ("@complex.npy", CALL, "bool, integers and floats of up to 64 bits are"),
                              ("@table.csv", CALL, 'np.save("x.npy", x)')]:
        t.run(*run, given, code=code, says=says)
    t.run("run", "saxpy.py", "-f", "saxpi", code=USAGE, says="did you mean 'saxpy'?")
    t.run("run", "saxpy.py", "-f", "other", code=USAGE, says="no function 'other' (it has saxpy, iota)")
    t.run("run", "saxpy.py", "-f", "saxpy", "iota", "1", "@x.npy", "@x.npy", code=CALL, says="write -f iota", lines=1)
    t.run("verify", "saxpy.py", code=USAGE, says="did you mean 'check'?")
    t.run("saxpy.py", code=USAGE, says="write tirb run saxpy.py")
