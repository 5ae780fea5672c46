"""`tirb run`: how values reach parameters, what is printed, --expect, and limits. Programs are assembled here, so these
tests need no compiler."""

import json

import numpy as np

from harness import CALL, FILES, USAGE, axpb, expect


def echo(t, name):
    """A function that returns its one scalar parameter."""
    t.write("echo.tirs", f'.fp precise\n.function "echo" public returns {name}\n.scalars 1\n.scalar "x" {name} s0\n'
                         f'    ret.{name} s0\n.end\n')
    t.run("asm", "echo.tirs")
    return "echo.tirb"


def keep(t, name, ndim=1):
    """A function that reads and writes its one tensor and leaves it as it is."""
    variables = "".join(f'.var "n{i}" i64 s{i}\n' for i in range(ndim))
    t.write("keep.tirs", f'.fp precise\n.function "keep" public\n.scalars {max(ndim, 1)}\n.ref {name} writable\n{variables}'
                         f'.tensor "A" {name} r0 read write ({" ".join(f"${i}" for i in range(ndim))})\n    ret.void\n.end\n')
    t.run("asm", "keep.tirs")
    return "keep.tirb"


# ---- Which value is whose -------------------------------------------------------------------------------------------


def test_in_order(t):
    t.run("run", axpb(t), "-1.5", "2", "4xf32=1,2,3,-4", shows=["B: 4xf32 = -3, 0, 3, 0\n", "returned: f32 = -3\n"])


def test_by_name(t):
    bundle = axpb(t)
    want = "B: 4xf32 = -3, 0, 3, 0\n"
    t.run("run", bundle, "A=4xf32=1,2,3,4", "k=2", "x=-1.5", shows=want)
    t.run("run", bundle, "k=2", "-1.5", "4xf32=1,2,3,4", shows=want)
    t.run("run", bundle, "-1.5", "4xf32=1,2,3,4", "k=2", shows=want)


def test_skipping(t):
    bundle = axpb(t)
    t.run("run", bundle, "-1.5", "2", "4xf32=3", "_", shows="B: 4xf32 = -3, 0, 3, 0\n")
    t.run("run", bundle, "-1.5", "2", "_", "4xf32=9", code=CALL, says="'A' is missing", lines=1)
    t.run("run", bundle, "-1.5", "2", "B=_", "4xf32=3", shows="B: 4xf32 = -3, 0, 3, 0\n")


def test_a_given_output_keeps_what_is_not_written(t):
    t.run("run", axpb(t), "1", "0", "4xf32=7", "4xf32=9", shows="B: 4xf32 = 2, 9, 7, 9\n")


def test_options_anywhere_and_double_dash(t):
    bundle = axpb(t)
    t.run("run", "--stats", bundle, "-1.5", "--fuel", "1K", "2", "4xf32=3", shows=["B: 4xf32 = -3", "fuel: "])
    t.run("run", bundle, "--", "-1.5", "2", "4xf32=3", shows="B: 4xf32 = -3")


def test_counts(t):
    bundle = axpb(t)
    t.run("run", bundle, code=CALL, says=["missing", "axpb(x: float32"], lines=1)
    t.run("run", bundle, "1", "2", code=CALL, says="'A' is missing", lines=1)
    t.run("run", bundle, "1", "2", "4xf32=1", "4xf32=1", "5", code=CALL, says=["5 arguments", "axpb(x: float32"], lines=1)


def test_names_that_are_none(t):
    bundle = axpb(t)
    t.run("run", bundle, "1", "2", "4xf32=1", "C=3", code=USAGE, says="no parameter 'C'")
    t.run("run", bundle, "k=1", "k=2", code=USAGE, says="'k' is given twice")
    t.run("run", bundle, "-f", "axpa", code=USAGE, says="did you mean 'axpb'")


def test_shapes_and_types(t):
    bundle = axpb(t)
    t.run("run", bundle, "1", "2", "5xf32=1", code=CALL, says=["A", "5", "4"], lines=1)
    t.run("run", bundle, "1", "2", "2x2xf32=1", code=CALL, says="A", lines=1)
    t.run("run", bundle, "1", "2", "4xi32=1", code=CALL, says=["A", "int32", "float32"], lines=1)
    t.run("run", bundle, "4xf32=1", "2", "4xf32=1", code=CALL, says="'x' is a scalar", lines=1)
    t.run("run", bundle, "1", "2", "3", code=CALL, says="'A' is a tensor", lines=1)
    t.run("run", bundle, "1", "2.5", "4xf32=1", code=CALL, says=["'k'", "2.5"], lines=1)
    t.run("run", bundle, "1", "99999999999", "4xf32=1", code=CALL, says="not a value of int32", lines=1)


def test_function_choice(t):
    body = '{}\n.scalars 1\n.scalar "x" i32 s0\n    ret.i32 s0\n.end\n'
    two = ".fp precise\n" + "".join(body.format(f'.function "{n}" public returns i32') for n in ("one", "two"))
    t.write("two.tirs", two)
    t.run("asm", "two.tirs")
    t.run("run", "two.tirb", "1", code=USAGE, says=["-f", "one", "two"])
    t.run("run", "two.tirb", "-f", "two", "1", shows="returned: i32 = 1")
    t.run("run", "two.tirb", "--function=one", "1", shows="returned: i32 = 1")
    t.write("two.tirs", two.replace('"two"', '"main"'))
    t.run("asm", "two.tirs")
    t.run("run", "two.tirb", "1", shows="returned: i32 = 1")
    t.write("two.tirs", two.replace('"two" public', '"two"'))
    t.run("asm", "two.tirs")
    t.run("run", "two.tirb", "1", shows="returned: i32 = 1")
    t.run("run", "two.tirb", "-f", "two", "1", code=USAGE, says="private")


# ---- Values ---------------------------------------------------------------------------------------------------------


def test_integer_scalars(t):
    for name, bits in (("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)):
        bundle = echo(t, name)
        for value in (0, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))):
            t.run("run", bundle, value, shows=f"returned: {name} = {value}\n")
        for value in (2 ** (bits - 1), -(2 ** (bits - 1)) - 1):
            t.run("run", bundle, value, code=CALL, lines=1)
    for name, bits in (("u8", 8), ("u16", 16), ("u32", 32), ("u64", 64)):
        bundle = echo(t, name)
        for value in (0, 2**bits - 1):
            t.run("run", bundle, value, shows=f"returned: {name} = {value}\n")
        for value in (2**bits, -1):
            t.run("run", bundle, value, code=CALL, lines=1)
    t.run("run", echo(t, "i32"), "0x10", shows="= 16\n")
    t.run("run", echo(t, "i32"), "-0x10", shows="= -16\n")


def test_bool_scalars(t):
    bundle = echo(t, "bool")
    for text, value in (("true", "true"), ("false", "false"), ("1", "true"), ("0", "false")):
        t.run("run", bundle, text, shows=f"returned: bool = {value}\n")
    t.run("run", bundle, "2", code=CALL, lines=1)


def test_float_scalars(t):
    for name in ("f16", "bf16", "f32", "f64"):
        bundle = echo(t, name)
        for text, shown in (("-1.5", "-1.5"), ("1e2", "100"), ("-0.0", "-0"), ("inf", "inf"), ("-inf", "-inf"),
                            ("nan", "nan"), ("-.5", "-0.5"), ("3", "3"), ("0x1p-2", "0.25")):
            t.run("run", bundle, text, shows=f"returned: {name} = {shown}\n")
    t.run("run", echo(t, "f32"), "0.1", shows="= 0.1\n")
    t.run("run", echo(t, "f32"), "16777217", shows="= 16777216\n")
    t.run("run", echo(t, "f64"), "0.1", shows="= 0.1\n")
    t.run("run", echo(t, "f16"), "65519", shows="= 65504\n")
    t.run("run", echo(t, "f16"), "65520", shows="= inf\n")
    t.run("run", echo(t, "bf16"), "1.00390625", shows="= 1\n")  # a tie: to even


def test_values_that_are_none(t):
    bundle = echo(t, "f32")
    for text in ("abc", "1.5x", "1,2", "--1", "0x", "@", "4xf33=1", "4x=1", "xf32=1", "-4xf32=1", "4xf32", "nan(1)", " 1"):
        t.run("run", bundle, "--", text, code=USAGE)


def test_literals(t):
    t.run("run", keep(t, "f32"), "4xf32=1,2.5,-3,1e-3", shows="A: 4xf32 = 1, 2.5, -3, 0.001\n")
    t.run("run", keep(t, "i32", 2), "2x3xi32=0", shows="A: 2x3xi32 =\n  0, 0, 0\n  0, 0, 0\n")
    t.run("run", keep(t, "i32", 2), "2x3xint32=-7", shows="A: 2x3xi32 =\n  -7, -7, -7\n")
    t.run("run", keep(t, "bool"), "3xbool=true,false,1", shows="A: 3xbool = true, false, true\n")
    t.run("run", keep(t, "u64"), "2xu64=18446744073709551615,0", shows="= 18446744073709551615, 0\n")
    t.run("run", keep(t, "f16"), "3xf16=0.1,65520,6e-8", shows="= 0.1, inf, 6e-08\n")
    t.run("run", keep(t, "bf16"), "2xbf16=3.14,nan", shows="= 3.14, nan\n")
    t.run("run", keep(t, "f32"), "0xf32=", shows="A: 0xf32 =\n")
    t.run("run", keep(t, "f32", 0), "2.5", shows="A: f32 = 2.5\n")
    t.run("run", keep(t, "f32", 0), "f32=2.5", shows="A: f32 = 2.5\n")
    t.run("run", keep(t, "f32", 0), "A=f32=2.5", shows="A: f32 = 2.5\n")
    bundle = keep(t, "i8")
    for text in ("4xi8=1,2", "4xi8=1,2,3,4,5", "4xi8=", "4xi8=1,,2,3", "2xi8=1,", "4xi8=a", "99999999999999999999xi8=1"):
        t.run("run", bundle, text, code=USAGE)
    for text in ("2xi8=1,128", "2xi8=1.5,1", "2xi8=-129,0", "9999999999999999xi8=1"):
        t.run("run", bundle, text, code=CALL, lines=1)


def test_leading_values(t):
    result = t.run("run", keep(t, "i32"), "40xi32=5")
    expect(result.text == "A: 40xi32 = " + ", ".join(["5"] * 16) + ", ... (40 values; --full prints all)\n", result.text)


# ---- Outputs --------------------------------------------------------------------------------------------------------


def test_saving(t):
    bundle = axpb(t)
    result = t.run("run", bundle, "1", "0", "4xf32=7", "-o", "B=@b.npy")
    expect("B:" not in result.text and "returned: f32 = 2" in result.text, result.text)
    expect((np.load(t.path("b.npy")) == np.array([2, 0, 7, 0], np.float32)).all(), "B is not what was computed")
    t.run("run", bundle, "1", "0", "4xf32=7", "-o", "@c.npy")
    expect(t.path("b.npy").read_bytes() == t.path("c.npy").read_bytes(), "-o with and without a name differ")


def test_saving_what_is_not_there(t):
    bundle = axpb(t)
    arguments = (bundle, "1", "0", "4xf32=7")
    t.run("run", *arguments, "-o", "A=@x.npy", code=USAGE, says="'A' is not written")
    t.run("run", *arguments, "-o", "C=@x.npy", code=USAGE, says="no parameter 'C'")
    t.run("run", *arguments, "-o", "x.npy", code=USAGE, says="@FILE.npy")
    t.run("run", *arguments, "-o", "B=x.npy", code=USAGE, says="@FILE.npy")
    t.run("run", *arguments, "-o", "@x.npy", "-o", "@y.npy", code=USAGE, says="no written parameter is left")
    t.run("run", *arguments, "-o", "B=@x.npy", "-o", "B=@y.npy", code=USAGE, says="twice")
    expect(not any(name.endswith(".npy") for name in t.files()), f"files appeared: {t.files()}")


def test_no_partial_output(t):
    bundle = axpb(t)
    before = t.files()
    t.run("run", bundle, "1", "9", "4xf32=7", "-o", "B=@b.npy", code=CALL, lines=1)
    t.run("run", bundle, "1", "0", "4xf32=7", "-o", "B=@b.npy", "--expect", "B=4xf32=1", code=CALL, lines=1)
    t.run("run", bundle, "1", "0", "4xf32=7", "-o", "B=@none/b.npy", code=FILES, says="none/b.npy", lines=1)
    t.run("run", bundle, "1", "0", "4xf32=7", "-o", "B=@/dev/full", code=FILES, lines=1)
    expect(t.files() == before, f"files appeared: {t.files()}")
    t.write("b.npy", b"old")
    t.run("run", bundle, "1", "9", "4xf32=7", "-o", "B=@b.npy", code=CALL)
    expect(t.path("b.npy").read_bytes() == b"old", "a failed call touched the file")


def test_json(t):
    bundle = axpb(t)
    found = json.loads(t.run("run", bundle, "1", "0", "4xf32=7", "--json", "--stats").text)
    expect(found["status"] == "OK" and found["function"] == "axpb", f"{found}")
    expect(found["outputs"] == [{"name": "B", "type": "f32", "shape": [4], "values": [2, 0, 7, 0], "truncated": False}], f"{found}")
    expect(found["returned"] == {"type": "f32", "value": 2}, f"{found}")
    expect(found["stats"]["fuel"] > 0 and found["stats"]["time_ns"] > 0, f"{found}")
    found = json.loads(t.run("run", bundle, "inf", "0", "4xf32=nan", "--json", "-o", "@b.npy").text)
    expect(found["outputs"][0]["saved"] == "b.npy" and found["returned"]["value"] == "inf", f"{found}")
    found = json.loads(t.run("run", bundle, "1", "9", "4xf32=7", "--json", code=CALL, says="s.py:3:5: error:").text)
    expect(found["status"] == "BOUNDS" and found["error"]["line"] == 3 and found["error"]["file"] == "s.py", f"{found}")
    found = json.loads(t.run("run", keep(t, "i64"), "2xi64=9223372036854775807,-9223372036854775808", "--json").text)
    expect(found["outputs"][0]["values"] == [2**63 - 1, -(2**63)], f"{found}")


# ---- Comparing ------------------------------------------------------------------------------------------------------


def test_expect(t):
    bundle = axpb(t)
    arguments = (bundle, "1", "0", "4xf32=7")
    np.save(t.path("good.npy"), np.array([2, 0, 7, 0], np.float32))
    np.save(t.path("double.npy"), np.array([2, 0, 7, 0], np.float64))
    np.save(t.path("near.npy"), np.array([2, 0, 7.001, 0.001], np.float32))
    np.save(t.path("shape.npy"), np.zeros((2, 2), np.float32))
    t.run("run", *arguments, "--expect", "B=@good.npy")
    t.run("run", *arguments, "--expect", "B=@double.npy")
    t.run("run", *arguments, "--expect", "B=4xf32=2,0,7,0")
    t.run("run", *arguments, "--expect", "B=@near.npy", code=CALL, says=["'B' differs first at [2]", "found 7", "expected 7.001"], lines=1)
    t.run("run", *arguments, "--expect", "B=@near.npy", "--rtol", "0.01", code=CALL, says="[3]", lines=1)
    t.run("run", *arguments, "--expect", "B=@near.npy", "--rtol", "0.01", "--atol", "0.01")
    t.run("run", *arguments, "--expect", "B=@shape.npy", code=CALL, says=["4xf32", "2x2xf32"], lines=1)
    t.run("run", *arguments, "--expect", "B=@nowhere.npy", code=FILES, lines=1)
    t.run("run", *arguments, "--expect", "A=@good.npy", code=USAGE, says="'A' is not written")
    t.run("run", *arguments, "--expect", "@good.npy", code=USAGE)


def test_expect_index_and_nan(t):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    array[0, 1] = np.nan
    np.save(t.path("a.npy"), array)
    bundle = keep(t, "f32", 2)
    t.run("run", bundle, "@a.npy", "--expect", "A=@a.npy")
    array[1, 2] = 9
    np.save(t.path("b.npy"), array)
    t.run("run", bundle, "@a.npy", "--expect", "A=@b.npy", code=CALL, says=["[1, 2]", "found 5, expected 9"], lines=1)


# ---- Limits ---------------------------------------------------------------------------------------------------------

FOREVER = """.fp precise
.source "loop.py"
.function "forever" public
.scalars 2
.line 4 9
    const.i64 s1, 1
again:
    add.i64 s0, s0, s1
    back again
.end
"""

DEEPER = """.fp precise
.source "deep.py"
.function "deeper" public
.scalars 2
.scalar "n" i64 s0
.line 7 2
    call "deeper", s0, (s0), ()
    ret.void
.end
"""

LARGE = """.fp precise
.source "large.py"
.function "large" public
.scalars 1
.ref f32 writable
.scalar "n" i64 s0
.line 5 3
    alloc.f32 r0, s0
    ret.void
.end
"""


def program(t, name, text):
    t.write(f"{name}.tirs", text)
    t.run("asm", f"{name}.tirs")
    return f"{name}.tirb"


def test_fuel(t):
    bundle = program(t, "loop", FOREVER)
    for fuel in ("1", "1000", "10K"):
        t.run("run", bundle, "--fuel", fuel, code=CALL, says=["loop.py:4:9: error:", "fuel", "forever"], lines=1)
    t.run("run", axpb(t), "1", "0", "4xf32=7", "--fuel", "1M")


def test_timeout(t):
    t.run("run", program(t, "loop", FOREVER), "--timeout", "0.2", code=CALL, says=["loop.py:4:9: error:", "forever"], lines=1)
    t.run("run", axpb(t), "1", "0", "4xf32=7", "--timeout", "10")


def test_recursion(t):
    t.run("run", program(t, "deep", DEEPER), "1", code=CALL, says=["deep.py:7:2: error:", "deeper"], lines=1)


UNKNOWN_SIZES = """
from tvm.script import tirx as T

@T.prim_func
def waves(x: T.Buffer(("n", "m", "k"), "uint8"), o: T.Buffer(("n", "m", "k"), "uint8")):
    n, m, k = T.int32(), T.int32(), T.int32()
    for b, i, j in T.grid(n, m, k):
        wave: T.float32 = T.cos(T.Cast("float32", j) * T.exp(T.Cast("float32", i) * T.float32(-0.01)))
        o[b, i, j] = T.Cast("uint8", T.Cast("float32", x[b, i, j]) * T.abs(wave))

@T.prim_func
def sums(o: T.Buffer(("n",), "float32"), w: T.Buffer(("n", 16), "float32"), x: T.Buffer(("m", 16), "float32")):
    n, m = T.int32(), T.int32()
    for r in range(n):
        total: T.float32 = T.float32(0)
        for b in range(m):
            s: T.float32 = T.float32(0)
            for i in range(16):
                s = s + w[r, i] * x[b, i]
            total = total + s * s
        o[r] = total
"""


def test_memory_of_unknown_sizes(t):
    """What a plan takes memory for is small, or it computes without: no sizes make a call need what they are."""
    t.write("sizes.py", UNKNOWN_SIZES)
    t.run("run", "sizes.py", "-f", "waves", "n=1", "m=600", "k=600", "--max-memory", "1M")
    t.run("run", "sizes.py", "-f", "sums", "n=64", "m=100000", "--max-memory", "1M")


def test_memory(t):
    bundle = program(t, "large", LARGE)
    t.run("run", bundle, "1000", "--max-memory", "1M")
    t.run("run", bundle, "1000000", "--max-memory", "1M", code=CALL, says=["large.py:5:3: error:", "large"], lines=1)
    t.run("run", bundle, "9223372036854775807", code=CALL, says="large.py:5:3: error:", lines=1)
    t.run("run", bundle, "-1", code=CALL, says="large.py:5:3: error:", lines=1)


def test_threads(t):
    for threads in ("1", "2", "7"):
        t.run("run", axpb(t), "1", "0", "4xf32=7", "--threads", threads, shows="B: 4xf32 = 2, 0, 7, 0\n")


def test_stats(t):
    t.run("run", axpb(t), "1", "0", "4xf32=7", "--stats", shows=["fuel: ", "peak memory: ", "time: ", "isa: "])
