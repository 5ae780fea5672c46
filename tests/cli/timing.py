"""`tirb bench`: what it calls, what it makes up, what it reports. Times themselves are not judged."""

import json

from harness import CALL, USAGE, expect

# A[0] becomes 0; a second call with that value traps.
ONCE = """.fp precise
.source "once.py"
.function "once" public
.scalars 2
.ref i32 writable
.tensor "A" i32 r0 read write (1)
    load.i32 s0, r0, 0
    assert s0, "ValueError", "A[0] was not restored"
    const.i32 s1, 0
    store.i32 r0, 0, s1
    ret.void
.end
"""


def source(t):
    t.write("shift.py", """from tvm.script import tirx as T

@T.prim_func
def shift(x: T.float32, A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        B[i] = A[i] + x
""")
    return "shift.py"


def test_text(t):
    t.run("bench", source(t), "--time", "0.01", "0.5", "100xf32",
          shows=["shift: median ", "minimum ", " runs of ", "1 thread\n"])


def test_json(t):
    done = t.run("bench", source(t), "--runs", "7", "--json", "A=100xf32=1")
    report = json.loads(done.text)
    expect(report["runs"] == 7, report)
    expect(0 <= report["min_ns"] <= report["median_ns"], report)
    expect(report["threads"] == 1 and report["function"] == "shift" and report["status"] == "OK", report)


def test_threads(t):
    done = t.run("bench", source(t), "--runs", "5", "--json", "--threads", "2", "A=100xf32")
    expect(json.loads(done.text)["threads"] == 2, done)


def test_extents_by_name(t):
    report = json.loads(t.run("bench", source(t), "n=100", "--runs", "1", "--json").text)
    expect(report["bytes"] == 800, report)
    t.run("bench", "shift.py", "n=100", "A=100xf32", "--runs", "1")
    t.run("bench", "shift.py", "n=100", "A=99xf32", "--runs", "1", code=CALL, says=["100", "99"], lines=1)
    t.run("bench", "shift.py", "n=0", "--runs", "1", shows="shift: median")
    for value in ("-1", "1.5", "x", "", "99999999999999999999"):
        t.run("bench", "shift.py", f"n={value}", code=USAGE, says=["'n'"])
    t.run("bench", "shift.py", "n=1", "n=1", code=USAGE, says="twice")
    t.run("bench", "shift.py", "n=4000000000000000000", code=CALL, says="memory", lines=1)
    t.run("bench", "shift.py", "m=1", code=USAGE, says="'m'")


def test_computed_extents(t):
    t.write("pad.py", """from tvm.script import tirx as T

@T.prim_func
def pad(n: T.int32, m: T.int32, k: T.int32, A: T.Buffer((n, m), "float32"), B: T.Buffer((n * 2 + k, m), "float32")):
    for i, j in T.grid(n, m):
        B[i + k, j] = A[i, j]
""")
    report = json.loads(t.run("bench", "pad.py", "n=10", "m=3", "k=2", "--runs", "1", "--json").text)
    expect(report["bytes"] == 4 * (30 + 22 * 3), report)


def test_undetermined_shape(t):
    t.run("bench", source(t), "0.5", code=CALL, says=["n"], lines=1)


def test_bad_numbers(t):
    for option, value in (("--runs", "0"), ("--runs", "x"), ("--time", "0"), ("--time", "-1"), ("--time", "1e9"), ("--threads", "0")):
        t.run("bench", source(t), f"{option}={value}", "1", "4xf32", code=USAGE, says=[option[2:], "Try 'tirb help bench'"])


def test_time_is_of_the_whole_command(t):
    """A call that takes longer than the time is made once, to warm up, and counts; shorter ones are made some times."""
    report = json.loads(t.run("bench", source(t), "0.5", "3000000xf32", "--time", "1e-6", "--json").text)
    expect(report["runs"] == 1 and report["calls_per_run"] == 1, report)
    report = json.loads(t.run("bench", source(t), "0.5", "10xf32", "--time", "0.05", "--json").text)
    expect(report["runs"] * report["calls_per_run"] > 1, report)


def test_values_are_restored(t):
    t.write("once.tirs", ONCE)
    t.run("asm", "once.tirs")
    t.run("bench", "once.tirb", "1xi32=5", "--runs", "20", "--time", "0.01")


def test_traps_are_reported(t):
    t.write("once.tirs", ONCE)
    t.run("asm", "once.tirs")
    t.run("bench", "once.tirb", "1xi32=0", code=CALL, says="A[0] was not restored")
    done = t.run("bench", "once.tirb", "1xi32=0", "--json", code=CALL)
    expect(json.loads(done.text)["status"] == "ASSERT", done)


def test_limits_hold(t):
    t.run("bench", source(t), "0.5", "100000xf32", "--fuel", "10", code=CALL, says="fuel")
