"""check, inspect, dis, asm, and damaged bundles."""

import json

from harness import AXPB, CALL, FILES, PROGRAM, REJECTED, USAGE, axpb, expect, sampled


def test_asm_and_dis_round_trip(t):
    bundle = t.path(axpb(t)).read_bytes()
    listing = t.run("dis", "s.tirb").out
    expect(t.run("asm", "-", "-o", "-", stdin=listing).out == bundle, "asm(dis(bundle)) is not the bundle")
    t.run("dis", "s.tirb", "-o", "again.tirs")
    expect(t.path("again.tirs").read_bytes() == listing, "-o and stdout differ")


def test_asm_errors(t):
    t.write("bad.tirs", AXPB.replace("add.f32 s2", "frob.f32 s2"))
    t.run("asm", "bad.tirs", code=PROGRAM, says=["bad.tirs:12:", "error:", "frob"], lines=1)
    t.write("bad.tirs", AXPB.replace("store.f32 r1, 2", "store.f32 r0, 2"))
    t.run("asm", "bad.tirs", code=REJECTED, says=["bad.tirs", "axpb"], lines=1)
    expect("bad.tirb" not in t.files(), "a bundle was left behind")


def test_check(t):
    axpb(t)
    t.run("check", "s.tirb", shows="s.tirb: ok: 1 function,")
    t.run("check", "-", shows="<stdin>: ok:", stdin=t.path("s.tirb").read_bytes())


def test_inspect(t):
    bundle = t.path(axpb(t)).read_bytes()
    t.run("inspect", "s.tirb", shows=["sections:", "code", "functions:", "axpb(x: float32", "from s.py"])
    found = json.loads(t.run("inspect", "s.tirb", "--json").text)
    expect(found["size"] == len(bundle) and found["source"] == "s.py" and found["fp"] == "precise", f"{found}")
    (function,) = found["functions"]
    expect(function["name"] == "axpb" and function["public"] is True, f"{function}")
    names = [(p["name"], p["kind"], p["type"]) for p in function["parameters"]]
    expect(names == [("x", "scalar", "f32"), ("k", "scalar", "i32"), ("A", "tensor", "f32"), ("B", "tensor", "f32")], names)
    expect(function["parameters"][3]["written"] and not function["parameters"][3]["read"], "B is only written")
    expect(function["parameters"][2]["shape"] == [4], "A has 4 elements")
    expect(sum(s["size"] for s in found["sections"]) < len(bundle), "sections lie inside the bundle")


# b[0] = 2.5; b has H - k + 1 elements, of which the first has the index k - 1, and rows that begin at -2.
WINDOW = """.function "window" public
.scalars 6
.ref f32
.ref f32 writable
.var "H" i64 s0
.var "k" i32 s1 param 1
.tensor "a" f32 r0 read ($0)
.scalar "k" i32 s1
.tensor "b" f32 r1 write ({$0 $1 sub 1 add} 2) minima ({$1 1 sub} {-2})
.requires $1 <= $0
.requires {$0 2 floormod} == 0
const.f32 s3, 2.5
store.f32 r1, 0, s3
ret.void
.end
"""


def test_conditions_and_minima(t):
    """What a function requires, and extents and minima of outputs, as expressions of the sizes."""
    t.write("w.tirs", WINDOW)
    t.run("asm", "w.tirs")
    t.run("inspect", "w.tirb",
          shows=["    requires k <= H, H % 2 == 0\n", "    writes b: [H - k + 1, 2] from [k - 1, -2]\n"])
    (function,) = json.loads(t.run("inspect", "w.tirb", "--json").text)["functions"]
    expect(function["requires"] == ["k <= H", "H % 2 == 0"], f"{function}")
    a, k, b = function["parameters"]
    expect(a["extents"] == ["H"] and a["minima"] == ["0"] and "extents" not in k, f"{a} {k}")
    expect(b["extents"] == ["H - k + 1", "2"] and b["minima"] == ["k - 1", "-2"] and b["shape"] == [None, 2], f"{b}")
    t.run("dis", "w.tirb", "-o", "again.tirs")
    t.run("asm", "again.tirs")
    expect(t.path("again.tirb").read_bytes() == t.path("w.tirb").read_bytes(), "a round trip changes the bytes")
    t.run("run", "w.tirb", "4xf32=1", "3", shows="b (from [2, -2]): 2x2xf32 =\n  2.5, 0\n  0, 0\n")
    found = json.loads(t.run("run", "w.tirb", "4xf32=1", "3", "--json").text)
    expect(found["outputs"][0]["minima"] == [2, -2] and found["outputs"][0]["shape"] == [2, 2], f"{found}")
    t.run("run", "w.tirb", "4xf32=1", "7", code=CALL, lines=1,
          says="w.tirb: window(a: Tensor([H], float32), k: int32, b: Tensor([H - k + 1, 2], float32)) requires k <= H, "
               "and 7 <= 4 does not hold (k is 7, H is 4)")
    found = json.loads(t.run("run", "w.tirb", "4xf32=1", "7", "--json", code=CALL, says="requires k <= H").text)
    expect(found["status"] == "SHAPE" and "and 7 <= 4 does not hold" in found["error"]["message"], f"{found}")
    t.run("run", "w.tirb", "5xf32=1", "2", "4x2xf32=0", code=CALL, says="requires H % 2 == 0, and 1 == 0 does not hold")
    t.write("plain.tirs", WINDOW.replace(" minima ({$1 1 sub} {-2})", ""))
    t.run("asm", "plain.tirs")
    t.run("inspect", "plain.tirb", shows="    writes b: [H - k + 1, 2]\n")
    t.run("run", "plain.tirb", "4xf32=1", "3", shows="b: 2x2xf32 =\n")


def test_required_of_a_source(t):
    """The first assertions that tirb.requires counts; an output of no dimensions and one that is read are as others."""
    t.write("s.py", """from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def total(a: T.handle, s: T.Buffer((), "float32"), C: T.Buffer((2,), "float32"), k: T.int32, w: T.float32):
    T.func_attr({"tirb.requires": 1})
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    assert n > k, "too few"
    s[()] = A[k] * w
    C[0] = C[0] + A[0]
""")
    run = ("run", "s.py", "A=3xf32=1,2,4", "k=2", "w=1.5")
    t.run(*run, "C=2xf32=7,8", shows=["s: f32 = 6\n", "C: 2xf32 = 8, 8\n"])
    t.run(*run, code=CALL, says="'C' is missing", lines=1)
    t.run("run", "s.py", "A=3xf32=1,2,4", "k=3", "w=1.5", "C=2xf32=7", code=CALL,
          says="requires n > k, and 3 > 3 does not hold (n is 3, k is 3)")
    t.run("inspect", "s.py", shows=["    requires n > k\n", "    writes s: []\n", "    writes C: [2]\n"])
    t.run("fmt", "s.py", shows='T.func_attr({"tirb.requires": 1})')


def test_inspect_is_bounded(t):
    """Functions that share names of a thousand bytes: some are shown, and how many are not."""
    names = ["a" * 1000 + str(i) for i in range(20)]
    params = "".join(f'.scalar "{name}" i32 s{i}\n' for i, name in enumerate(names))
    text = "".join(f'.function "f{i}" public\n.scalars 20\n{params}ret.void\n.end\n' for i in range(1000))
    t.write("many.tirs", text)
    t.run("asm", "many.tirs")
    found = json.loads(t.run("inspect", "many.tirb", "--json").text)
    shown = len(found["functions"])
    expect(0 < shown < 1000 and found["functions_left_out"] == 1000 - shown, f"{shown} functions")
    expect(len(t.run("inspect", "many.tirb", "--json").out) < 8 << 20, "the bundle unpacks to less than 200 KB")
    text = "".join(f'.function "f{i}" public\n.scalars 1\n.scalar "{names[0]}" i32 s0\nret.void\n.end\n' for i in range(3000))
    t.write("more.tirs", text)
    t.run("asm", "more.tirs")
    t.run("inspect", "more.tirb", shows=["functions:", "  and ", " more"])


def test_every_truncation_is_rejected(t):
    bundle = t.path(axpb(t)).read_bytes()
    for size in sampled(range(len(bundle))):
        t.write("cut.tirb", bundle[:size])
        t.run("check", "cut.tirb", code=REJECTED, says="cut.tirb", lines=1)
    t.write("cut.tirb", bundle + b"\0")
    t.run("check", "cut.tirb", code=REJECTED, lines=1)


def test_every_altered_byte_is_rejected(t):
    bundle = t.path(axpb(t)).read_bytes()
    for at in sampled(range(len(bundle))):
        t.write("bent.tirb", bundle[:at] + bytes([bundle[at] ^ 0x41]) + bundle[at + 1:])
        t.run("check", "bent.tirb", code=REJECTED, lines=1)
    for command in (["run"], ["inspect"], ["dis"]):
        t.run(*command, "bent.tirb", code=REJECTED, lines=1)


def test_compile_refuses_a_bundle(t):
    axpb(t)
    t.run("compile", "s.tirb", "-o", "x.tirb", code=PROGRAM, says="bundle already")


def test_outputs_are_whole_or_absent(t):
    axpb(t)
    before = t.files()
    t.run("asm", "s.tirs", "-o", "nowhere/x.tirb", code=FILES, says="nowhere/x.tirb", lines=1)
    t.run("asm", "s.tirs", "-o", "/dev/full", code=FILES, lines=1)
    t.run("asm", "s.tirs", "-o", ".", code=FILES, lines=1)
    expect(t.files() == before, f"files appeared: {t.files()}")
    t.path("locked").mkdir()
    t.write("locked/x.tirb", b"old")
    t.run("asm", "s.tirs", "-o", "locked/x.tirb")
    expect(t.path("locked/x.tirb").read_bytes() == t.path("s.tirb").read_bytes(), "the file was not replaced")
    expect([p.name for p in t.path("locked").iterdir()] == ["x.tirb"], "a temporary was left behind")


def test_a_link_stays_a_link(t):
    axpb(t)
    t.write("target.tirb", b"old")
    t.path("link.tirb").symlink_to("target.tirb")
    t.run("asm", "s.tirs", "-o", "link.tirb")
    expect(t.path("link.tirb").is_symlink(), "the link was replaced")
    expect(t.path("target.tirb").read_bytes() == t.path("s.tirb").read_bytes(), "the target was not written")


def test_usage(t):
    axpb(t)
    t.run("dis", "s.tirb", "--nope", code=USAGE)


TYPES = ["bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
         "float16", "bfloat16", "float32", "float64"]


def loop(name, source, target, value):
    return f"""
@T.prim_func
def {name}(A: T.Buffer((100,), "{source}"), B: T.Buffer((100,), "{target}")):
    for i in range(100):
        B[i] = {value}
"""


def test_every_type_has_lanes(t):
    """Casts between all types and arithmetic of every type become lane loops, and no loop of single elements is left."""
    casts = [loop(f"cast{i}_{j}", source, target, f'T.Cast("{target}", A[i])')
             for i, source in enumerate(TYPES) for j, target in enumerate(TYPES) if i != j]
    sums = [loop(f"sum_{name}", name, name, "T.if_then_else(A[i] < B[i], A[i] * B[i] + A[i], T.min(A[i], B[i]))")
            for name in TYPES[1:]]
    masks = [loop(f"mask_{name}", name, "bool", "T.And(A[i] != A[i] + A[i], T.Not(B[i]))") for name in TYPES[1:]]
    mixed = [loop("mixed", "uint8", "uint8",
                  'T.Cast("uint8", T.Cast("float32", T.Cast("int32", A[i]) * 3 - 128) * T.float32(0.5))')]
    functions = casts + sums + masks + mixed
    t.write("k.py", "from tvm.script import tirx as T\n" + "".join(functions))
    t.run("compile", "k.py")
    lines = [line.split() for line in t.run("dis", "k.tirb").text.splitlines()]
    lanes = sum(1 for words in lines if words[:1] == ["lane"])
    scalars = sum(1 for words in lines if words[:1] == ["loop"])
    expect(lanes == len(functions) and scalars == 0, f"{len(functions)} loops: {lanes} of lanes, {scalars} of elements")


CHAIN = """from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n", 3), "float32"), w: R.Tensor((2, 3), "float32")):
    a = R.exp(x)
    b = R.exp(a)
    c = R.exp(w)
    d = R.exp(R.exp(c))
    return (b, d)
"""


def test_operators_are_shared(t):
    """An operator on the same types and shapes is one function, however often a model has it."""
    t.write("chain.py", CHAIN)
    t.run("compile", "chain.py")
    names = [line.split('"')[1] for line in t.run("dis", "chain.tirb").text.splitlines() if line.startswith(".function")]
    expect([name for name in names if ":" not in name] == ["exp", "exp1", "main"], f"{names}")
