"""`tirb profile`: what it counts. Times themselves are not judged."""

import json

from harness import CALL, USAGE, expect

SOURCE = """from tvm.script import tirx as T

@T.prim_func(private=True)
def square(x: T.float32) -> T.float32:
    return x * x

@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        B[i] = A[i] + 1.0
    for i in range(1, n):
        if i % 3 == 0:
            B[i] = B[i - 1] * 0.5 + square(A[i])
        else:
            B[i] = T.sqrt(B[i - 1] + 1.0)
"""


def profiled(t, *words):
    t.write("k.py", SOURCE)
    return json.loads(t.run("profile", "k.py", *words, "--json", "--time", "0.05").text)


def test_runs_of_every_line(t):
    found = profiled(t, "n=100")
    calls = found["calls"]
    runs = {(line["function"], line["line"]): line["runs"] for line in found["lines"]}
    expect(calls >= 1 and found["status"] == "OK", f"{found}")
    expect(runs[("main", 13)] == 99 * calls, f"the condition: {runs}")
    expect(runs[("main", 14)] == 33 * calls, f"one arm: {runs}")
    expect(runs[("main", 16)] == 66 * calls, f"the other arm: {runs}")
    expect(runs[("square", 5)] == 33 * calls, f"the callee: {runs}")


def test_shares(t):
    found = profiled(t, "n=20000")
    expect(found["samples"] == sum(line["samples"] for line in found["lines"]), "samples are those of the lines")
    if found["samples"]:
        expect(abs(sum(line["share"] for line in found["lines"]) - 1) < 1e-6, "shares make a whole")


def test_text(t):
    t.write("k.py", SOURCE)
    t.run("profile", "k.py", "n=100", "--time", "0.02", shows=["main: ", "runs/call", "square:", "14 |             B[i] = B["])
    t.run("compile", "k.py", "-o", "k.tirb")
    t.run("profile", "k.tirb", "n=100", "--time", "0.02", shows=["main: ", "14 | \n"])


FOUND = """from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")):
        k = T.int64()
        at = R.match_cast(R.nonzero(x), R.Tensor((2, k), "int64"))
        return (at, R.sum(x), R.unique(x))
"""


def test_results_as_large_as_the_data_say(t):
    """Each call makes them anew, and they are given back."""
    t.write("found.py", FOUND)
    found = json.loads(t.run("profile", "found.py", "5x8xf32", "--json", "--time", "0.05").text)
    expect(found["calls"] >= 1 and found["status"] == "OK", f"{found}")
    t.run("bench", "found.py", "5x8xf32", "--time", "0.05", shows="main: median")
    t.run("bench", "found.py", "n=5", "--time", "0.05", shows="main: median")


def test_a_call_that_traps(t):
    t.write("k.py", SOURCE)
    t.run("profile", "k.py", "100xf32", "99xf32", code=CALL, says="shape")
    t.run("profile", "k.py", "n=1000", "--fuel", "5", code=CALL, says="fuel")
    t.run("profile", "k.py", "--time", "never", code=USAGE, says="--time")
