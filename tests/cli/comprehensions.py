"""Tensor Comprehensions: --language, placeholders and -D, canonical text, and messages with their place."""

import json

from harness import DONE, PROGRAM, USAGE, expect

MM = "# a product\ndef mm(float(M,K) A, float(K,N) B) -> (C) { C(m,n) +=! A(m,k) * B(k,n) } # done\n"
CANONICAL = """# a product
def mm(float(M, K) A, float(K, N) B) -> (C) {
    C(m, n) +=! A(m, k) * B(k, n)
}  # done
"""
STRIDED = """# ${not_here} is a comment's
def f(float(N) A) -> (O) {
    O(i) = A(${s} * i) * <f> + {f} where i in 0:${n}
}
"""
WRONG = "def f(float(N) A) -> (O) {\n    O(i) = A(i, 0)\n    O(i) = sqr(A(i))\n}\n"


def test_canonical_text(t):
    t.write("mm.tc", MM)
    expect(t.run("fmt", "mm.tc").text == CANONICAL, "the text is not canonical")
    t.run("fmt", "mm.tc", "-o", "c.tc")
    expect(t.run("fmt", "c.tc").text == CANONICAL, "the canonical text changes")
    t.run("fmt", "--check", "mm.tc", code=PROGRAM, says="canonical")
    t.run("fmt", "--check", "c.tc", code=DONE)


def test_language(t):
    t.write("mm.txt", MM)
    expect(t.run("fmt", "--language", "tc", "mm.txt").text == CANONICAL, "--language is not heard")
    expect(t.run("fmt", "--language", "tc", "-", stdin=MM.encode()).text == CANONICAL, "--language is for stdin too")
    t.write("mm.tc", MM)
    t.run("fmt", "--language", "tvmscript", "mm.tc", code=PROGRAM, says="mm.tc:2")
    t.run("fmt", "mm.txt", code=PROGRAM, says="mm.txt:2")
    t.run("fmt", "--language", "halide", "mm.tc", code=USAGE, says="--language is tvmscript or tc, not 'halide'")


def test_completions(t):
    for shell in ("bash", "zsh", "fish"):
        t.run("completion", shell, shows=("tvmscript tc", "define"))


def test_messages(t):
    t.write("w.tc", WRONG)
    failed = t.run("check", "w.tc", code=PROGRAM, says="w.tc:2:12: error: `A` has 1 dimension, and 2 subscripts here")
    expect("    O(i) = A(i, 0)\n           ^~~~~~~\n" in failed.reason, "the place is not shown")
    expect("w.tc:3:12: error: `sqr` is not defined; did you mean `sqrt`?" in failed.reason, "one error is said")
    lines = t.run("check", "--diagnostics", "json", "w.tc", code=PROGRAM).reason.splitlines()
    expect([json.loads(line)["line"] for line in lines] == [2, 3], "the diagnostics are not JSON")


def test_definitions(t):
    t.write("s.tc", STRIDED)
    given = ("-D", "s=2", "-D", "f=1.5", "--define", "n=N / 2")
    found = t.run("fmt", *given, "s.tc").text
    expect("    O(i) = A(2 * i) * 1.5 + 1.5 where i in 0:N / 2\n" in found, f"{found}")
    expect("# ${not_here} is a comment's\n" in found, "what stands in comments stays")
    expect("A(3 * i)" in t.run("fmt", *given, "-Ds=3", "s.tc").text, "the last definition of a name holds")
    t.run("check", "-D", "s=2", "s.tc", code=PROGRAM,
          says="s.tc:3:49: error: the placeholder ${n} has no value: give it with -D n=VALUE")
    found = t.run("check", "-D", "s=2", "s.tc", code=PROGRAM)
    expect(found.reason.rstrip().endswith("\n" + " " * 48 + "^~~~"), f"a line below shows the place: {found.reason}")
    t.run("fmt", "-D", "s=2", "-D", "n=4", "s.tc", code=PROGRAM, says="s.tc:3")


def test_definitions_that_are_none(t):
    t.write("s.tc", STRIDED)
    t.write("k.py", "")
    for wrong in ("s", "=2", "2s=2", "s s=2", ""):
        t.run("fmt", "-D", wrong, "s.tc", code=USAGE, says="-D is NAME=VALUE")
    t.run("fmt", "-D", "s=1\n2", "s.tc", code=USAGE, says="a value is one line")
    t.run("fmt", "-D", "s=1", "k.py", code=USAGE, says="tvmscript has none")
    t.run("fmt", *["-Ds=1"] * 257, "s.tc", code=USAGE, says="more than 256 times")
    t.write("b.tc", "def f() -> (O) { O = 1 }\n")
    t.run("fmt", "-D", "x=1", "b.tc", code=DONE)


def test_what_is_no_placeholder(t):
    """Signs of the language beside names that are defined."""
    t.write("c.tc", "def f(float(N) a, float(N) b) -> (O) {O(i) = a(i) <b(i) && b(i)> 0 ? 1 : 0}\n")
    found = t.run("fmt", "-D", "b=7", "-D", "O=7", "c.tc").text
    expect("O(i) = a(i) < b(i) && b(i) > 0 ? 1 : 0\n" in found, f"{found}")


def test_compile_and_run(t):
    t.write("mm.tc", MM)
    expect(t.run("compile", "mm.tc").out == b"", "compile is silent")
    expect(t.files() == ["mm.tc", "mm.tirb"], f"{t.files()}")
    for file in ("mm.tc", "mm.tirb"):
        t.run("run", file, "A=2x2xf32=1,2,3,4", "B=2x2xf32=1", shows="C: 2x2xf32 =\n  3, 3\n  7, 7\n")
        t.run("check", file, shows=f"{file}: ok: 1 function")
    t.run("compile", "mm.tc", "-o", "mm.tc", code=USAGE, says="would be replaced")
    expect(t.path("mm.tc").read_text() == MM, "the source is written over")
    t.run("run", "--language", "tc", "-", "2x2xf32=1,2,3,4", "2x2xf32=1", stdin=MM.encode(), shows="3, 3")
    t.run("explain", "mm.tc", shows="C(m,n) +=! A(m,k) * B(k,n)")
    t.run("run", "-D", "x=1", "mm.tirb", code=USAGE, says="--define is for sources")


def test_the_cache_knows_definitions_and_language(t):
    t.write("s.tc", "def f(float(N) A) -> (O) { O(i) = A(i) * ${x} }\n")
    for x in (2, 3, 2):
        t.run("run", "-D", f"x={x}", "s.tc", "2xf32=1,10", shows=f"O: 2xf32 = {x}, {x}0\n")
    t.write("mm.txt", MM)
    t.run("check", "--language", "tc", "mm.txt", shows="ok")
    t.run("check", "mm.txt", code=PROGRAM, says="mm.txt:2")
