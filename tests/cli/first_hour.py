"""What a newcomer meets in the first hour: what the command takes, what it says, and when."""

import json

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
