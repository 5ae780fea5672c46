"""`tirb fmt`: canonical text, dialects, --check, and what cannot be read."""

from harness import DONE, FILES, PROGRAM, USAGE, expect

SOURCE = """from tvm.script import tirx as T
# a comment
@T.prim_func
def double(A: T.Buffer((8,), "float32")):
    for i in T.serial(8):
        A[i] = (A[i]  *  2.0)
"""
CANONICAL = """# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def double(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = A[i] * T.float32(2.0)
"""
HYBRID = """@tvm.hybrid.script
def double(var_A: ty.Ptr[ty.float32, "global"]) -> None:
    A = tir.buffer_bind(var_A, (8,), "float32")
    for i in tir.range(0, 8):
        A[i] = A[i] * tir.float32(2.0)
"""


def test_canonical_text(t):
    t.write("k.py", SOURCE)
    expect(t.run("fmt", "k.py").text == CANONICAL, "the text is not canonical")
    t.run("fmt", "k.py", "-o", "c.py")
    expect(t.run("fmt", "c.py").text == CANONICAL, "the canonical text changes")


def test_check(t):
    t.write("k.py", SOURCE)
    t.write("c.py", CANONICAL)
    t.run("fmt", "--check", "k.py", code=PROGRAM, says="canonical")
    t.run("fmt", "--check", "c.py", code=DONE)


def test_dialects(t):
    t.write("k.py", SOURCE)
    t.run("fmt", "--dialect", "tir", "k.py", shows="# from tvm.script import tir as T")
    hybrid = t.run("fmt", "--dialect", "hybrid", "k.py").text
    expect(hybrid == HYBRID, "the Hybrid Script is not canonical")
    t.write("h.py", hybrid)
    expect(t.run("fmt", "h.py").text == HYBRID, "the Hybrid Script changes")
    t.run("fmt", "--dialect", "tirx", "h.py", shows='def double(A: T.Buffer((8,), "float32")):')
    t.run("fmt", "--dialect", "c", "k.py", code=USAGE, says="tirx, tir or hybrid")


def test_errors(t):
    t.write("k.py", "from tvm.script import tirx as T\n@T.prim_func\ndef f(:\n")
    t.run("fmt", "k.py", code=PROGRAM, says="k.py:3")
    t.run("fmt", "absent.py", code=FILES, says="absent.py")
    t.write("good.py", SOURCE)
    t.run("compile", "good.py")
    t.run("fmt", "good.tirb", code=PROGRAM, says="a bundle has instructions, not text")
