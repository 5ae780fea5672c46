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
    t.run("fmt", "--dialect", "hybrid", "k.py", code=USAGE, says="Hybrid Script")
    t.run("fmt", "--dialect", "c", "k.py", code=USAGE, says="tirx or tir")


def test_errors(t):
    t.write("k.py", "from tvm.script import tirx as T\n@T.prim_func\ndef f(:\n")
    t.run("fmt", "k.py", code=PROGRAM, says="k.py:3")
    t.run("fmt", "absent.py", code=FILES, says="absent.py")
