"""Models: results that the call makes, names of fields, shapes and results, constants, --params."""

import base64
import json
import os
import re
import struct

import numpy as np

from harness import CALL, FILES, USAGE, expect

IMPORTS = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n\n"

MODEL = IMPORTS + """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), p: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))):
        with R.dataflow():
            y = R.add(x, p[0])
            z = R.add(y, y)
            R.output(y, z)
        return (y, (z, p[1]), R.multiply(z, z))
"""

SHAPE = IMPORTS + """@R.function
def main(x: R.Tensor(("a",), "float32"), s: R.Shape(["b", "c"]), k: R.Prim("int64")):
    return (s, k)
"""

SIZES = IMPORTS + """@R.function
def main(x: R.Tensor(("n",), "float32"), s: R.Shape([2, "m", "m", "n + 1"]),
         p: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Shape([2, 2]), R.Prim("int64")))):
    m = T.int64()
    return (R.reshape(p[0], p[1][0]), R.broadcast_to(x, R.shape([m, 2])), s, p[1][1])
"""

SIZES_OF_A_CALLEE = IMPORTS + """@I.ir_module
class Module:
    @R.function(private=True)
    def doubled(x: R.Tensor((4,), "float32"), s: R.Shape([2, 2])) -> R.Tensor((2, 2), "float32"):
        y = R.reshape(x, s)
        return R.add(y, y)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((2, 2), "float32"):
        cls = Module
        return cls.doubled(x, R.shape([2, 2]))
"""

LOCAL = IMPORTS + """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32"), k: R.Prim("int64")):
        n = T.int64()
        with R.dataflow():
            e = R.exp(R.multiply(w, R.const(0.0, "float32")))
            h = R.add(w, e)
            R.output(h)

        @R.function
        def add(q: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            with R.dataflow():
                a = R.add(q, h)
                b = R.multiply(a, R.const(2.0, "float32"))
                R.output(b)
            return b

        @R.function
        def twice(q: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return add(add(q))

        named = twice
        y = add(x)
        if k > 0:
            z = named(y)
        else:
            z = add(y)
        u = R.add(twice(z), h)
        return (u, y)

    @R.function
    def sizes(x: R.Tensor(("n", 2), "float32"), v: R.Tensor(("l",), "float32")):
        @R.function
        def total(q: R.Tensor(("m", 2), "float32"), j: R.Prim("int64")) -> R.Tensor(("m",), "float32"):
            m = T.int64()
            return R.add(R.sum(q, axis=[1]), R.full((m,), R.const(1.0, "float32"), "float32"))

        y = total(x, 3)
        return y
"""

SELF = IMPORTS + """@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    @R.function
    def again(q: R.Tensor((2,), "float32"), n: R.Prim("int64")) -> R.Tensor((2,), "float32"):
        if n <= 0:
            r = q
        else:
            r = again(R.add(q, q), n - 1)
        return r

    y = again(x, 3)
    return y
"""

CAST = IMPORTS + """@R.function
def main(x: R.Tensor(ndim=2, dtype="float32"), w: R.Tensor(("m",), "float32")):
    n = T.int64()
    y = R.match_cast(x, R.Tensor((n, 3), "float32"))
    z = R.match_cast(w, R.Tensor((n,), "float32"))
    u = R.sum(y, axis=[1])
    return R.add(u, z)
"""

NAMED = IMPORTS + """@R.function
def main(x: R.Tensor((2,), "float32")):
    R.func_attr({"tirb.results": "Y /layer/out:0 x a=b=c 5 Y 0 a=b"})
    y = R.add(x, x)
    return (y, (y, R.exp(x)), y, y, R.negative(x), y, x)
"""

WEIGHTS = IMPORTS + """@R.function
def main(x: R.Tensor((2,), "float32"), layer_0_weight: R.Tensor((2,), "float32"), b: R.Tensor((2,), "int32")):
    y = R.add(R.multiply(x, layer_0_weight), R.astype(b, "float32"))
    return y
"""


def model(t, text=MODEL):
    t.write("m.py", text)
    return "m.py"


def test_results_have_names_and_positions(t):
    m = model(t)
    t.run("run", m, "-f", "main", "x=1x4xf32=1,2,3,4", "p.0=4xf32=1", "p.1=4xf32=7", "-o", "0=@y.npy", "-o", "2=@p.npy",
          shows=["z: 1x4xf32 =\n  4, 6, 8, 10\n", "3: 1x4xf32 =\n  16, 36, 64, 100\n"])
    assert np.load(t.path("y.npy")).tolist() == [[2, 3, 4, 5]]
    assert np.load(t.path("p.npy")).tolist() == [7, 7, 7, 7]
    t.run("run", m, "-f", "main", "1x4xf32=1", "4xf32=1", "4xf32=7", "-o", "y=@y.npy", "--expect", "1=1x4xf32=4",
          shows="z: matches 1x4xf32=4 (4 values, exactly)")
    t.run("run", m, "-f", "main", "1x4xf32=1", "4xf32=1", "4xf32=7", "-o", "4=@y.npy", code=USAGE, says="no parameter '4'")
    t.run("run", m, "-f", "main", "1x4xf32=1", "4xf32=1", "p.2=4xf32=7", code=USAGE, says="no parameter 'p.2'")
    t.run("run", m, "-f", "main", "1x4xf32=1", "p=4xf32=1", code=USAGE, says="'p' is given by its fields: p.0, p.1, in main(")
    t.run("run", m, "-f", "main", "n=2", shows="y: 2x4xf32")
    t.run("bench", m, "-f", "main", "n=2", "--time", "0.01", shows="median")


def test_results_have_the_names_that_an_attribute_gives(t):
    """A name that is a parameter's, an earlier result's or another result's number is none."""
    m = model(t, NAMED)
    names = ["Y", "/layer/out:0", "2", "a=b=c", "4", "5", "6", "a=b"]
    types = ", ".join(f"{name}: Tensor([2], float32)" for name in names)
    t.run("inspect", m, shows=f"main(x: Tensor([2], float32)) -> ({types})")
    files = [word for i, name in enumerate(names) for word in ("-o", f"{name}=@{i}.npy")]
    t.run("compile", m)
    t.run("run", "m.tirb", "-f", "main", "x=2xf32=0,3", *files, "--threads", "1")
    for i, value in enumerate(([0, 6], [0, 6], None, [0, 6], [0, 6], [0, -3], [0, 6], [0, 3])):
        assert value is None or np.load(t.path(f"{i}.npy")).tolist() == value
    t.run("run", "m.tirb", "-f", "main", "2xf32=0,3", "--expect", "a=b=c=2xf32=0,6", "--expect", "1=2xf32=0,6",
          "--expect", "a=b=@7.npy", shows=["a=b=c: matches 2xf32=0,6", "/layer/out:0: matches", "a=b: matches @7.npy"])
    t.run("run", "m.tirb", "-f", "main", "2xf32=0,3", "-o", "/layer/out=@y.npy", code=USAGE,
          says=["no parameter '/layer/out'", "did you mean '/layer/out:0'?"])
    printed = t.run("fmt", m).text
    expect('R.func_attr({"tirb.results": "Y /layer/out:0 x a=b=c 5 Y 0 a=b"})' in printed, printed)
    t.run("check", model(t, NAMED.replace('"Y /layer/out:0 x a=b=c 5 Y 0 a=b"', "3")), code=1,
          says='"tirb.results" must be a string with a name for each result, between spaces')
    t.run("check", model(t, NAMED.replace("y, x)", "y)")), code=1,
          says='"tirb.results" has 8 names, and `main` gives 7 results')
    long = "n" * 2000
    t.run("check", model(t, NAMED.replace("Y 0 a=b", f"Y {long}")), code=1, says="longer than 1024 bytes")


def test_names_that_are_nearly_right(t):
    text = MODEL.replace("main(x:", "main(X:").replace("(x,", "(X,")
    assert text.count("X") > 1
    m = model(t, text)
    rest = ["-f", "main", "p.0=4xf32=1", "p.1=4xf32=7"]
    t.run("run", m, *rest, "x=1x4xf32=1", code=USAGE, says=["no parameter 'x'", "did you mean 'X'?"])
    t.run("run", m, *rest, "X=1x4xf32=1", "-o", "Y=@y.npy", code=USAGE, says="did you mean 'y'?")
    np.savez(t.path("w.npz"), x=np.ones((1, 4), "float32"))
    t.run("run", m, *rest, "--params", "w.npz", code=CALL, says=["it has 'x'", "did you mean 'X'?"])


def test_results_count_as_memory(t):
    m = model(t)
    t.run("run", m, "-f", "main", "4096x4xf32", "4xf32=1", "4xf32=7", "--max-memory", "100K", code=CALL,
          says="exceeds the memory limit of 102400")


def attention(b, h, n, m, d, heads, operator=False, more=""):
    """Scores, softmax and their product with values, as an operator or as a chain of them with a mask."""
    b, n, m = (repr(size) for size in (b, n, m))
    chain = """        t = R.permute_dims(k, axes=[0, 1, 3, 2])
        a = R.matmul(q, t)
        c = R.add(R.multiply(a, R.const(0.125, "float32")), mask)
        p = R.nn.softmax(c, axis=-1)
        y = R.matmul(p, v)
"""
    one, shape = f"        y = R.nn.attention(q, k, v{more})\n", "({0}, {1}, {2}, {3})"
    if operator:
        shape = "({0}, {2}, {1}, {3})"
    q, k, v = (shape.format(b, h if i == 0 else heads, n if i == 0 else m, d) for i in range(3))
    given = "" if operator else f', mask: R.Tensor(({b}, 1, {n}, {m}), "float32")'
    parameters = ", ".join(f'{name}: R.Tensor({size}, "float32")' for name, size in (("q", q), ("k", k), ("v", v)))
    return f"""from tvm.script import relax as R

@R.function
def main({parameters}{given}):
    with R.dataflow():
{one if operator else chain}        R.output(y)
    return y
"""


def test_attention_has_scores_of_some_rows(t):
    """What a block of queries does is what all do at once, in memory for the block."""
    cases = [("chain", attention(1, 4, 300, 280, 32, 4), 300, 280), ("shared", attention(2, 4, 150, 280, 32, 1), 150, 280),
             ("sizes", attention("b", 4, "n", "m", 32, 4), 300, 280), ("none", attention("b", 4, "n", "m", 32, 4), 30, 0),
             ("one", attention("b", 4, "n", "m", 32, 4), 1, 280),
             ("operator", attention(1, 4, 300, 300, 32, 4, operator=True), 300, 300),
             ("causal", attention(1, 4, 300, 300, 32, 4, operator=True, more=', causal_mask="TopLeft"'), 300, 300)]
    for name, text, n, m in cases:
        t.write(f"{name}.py", text)
        batch, heads = (2, 1) if name == "shared" else (1, 4)
        sizes = [f"{batch}x4x{n}x32xf32"] + [f"{batch}x{heads}x{m}x32xf32"] * 2 + [f"{batch}x1x{n}x{m}xf32"]
        if name in ("operator", "causal"):
            sizes = [f"1x{n}x4x32xf32"] * 3
        t.run("run", f"{name}.py", *sizes, "-o", "0=@y.npy", "--threads", "1", "--disable", "operators,fuse")
        for words in ([], ["--threads", "2"], ["--isa", "generic"], ["--disable", "contract"]):
            found = t.run("run", f"{name}.py", *sizes, "--expect", "0=@y.npy", "--threads", "1", "--stats", *words)
            if not words and n > 100:
                peak, scores = int(re.search(r"peak memory: (\d+)", found.text + found.reason).group(1)), batch * 4 * n * m * 4
                expect(peak < scores * 0.8, f"{name} takes {peak} bytes, and all scores would be {scores}")


def test_inspect_shows_types(t):
    m = model(t)
    signature = ("main(x: Tensor([n, 4], float32), p.0: Tensor([4], float32), p.1: Tensor([4], float32)) -> "
                 "(y: Tensor([n, 4], float32), z: Tensor([n, 4], float32), 2: Tensor([4], float32), 3: Tensor([n, 4], float32))")
    t.run("inspect", m, shows=signature)
    found = json.loads(t.run("inspect", m, "--json").text)
    function = [f for f in found["functions"] if f["name"] == "main"][0]
    assert [p.get("result") for p in function["parameters"]] == [False] * 3 + [True] * 4
    assert function["parameters"][3]["extents"] == ["n", "4"]


def test_shapes(t):
    m = model(t, SHAPE)
    t.run("run", m, "-f", "main", "x=2xf32=0", "s=3x5", "k=7", shows=["0: 2xi64 = 3, 5\n", "1: i64 = 7\n"])
    t.run("run", m, "-f", "main", "x=2xf32=0", "s=3", "k=7", code=USAGE, says="'s' has 2 dimensions, which 's=3' does not give")
    t.run("run", m, "-f", "main", "x=2xf32=0", "s=3x5x2", "k=7", code=USAGE, says="'s' has 2 dimensions")
    t.run("run", m, "-f", "main", "x=2xf32=0", "s=@s.npy", "k=7", code=USAGE, says="'s' is a shape: s=2x2, in main(")
    t.run("run", m, "-f", "main", "x=2xf32=0", "s=3x", "k=7", code=USAGE, says="is no shape such as 3x5")
    t.run("run", m, "-f", "main", "x=2xf32=0", "s.0=3", "s.1=5", "k=7", shows="0: 2xi64 = 3, 5\n")


def test_shapes_say_sizes(t):
    """A dimension of a shape that is a number, an expression or named before is compared with what is given."""
    m = model(t, SIZES)
    arguments = {"x": "2xf32=1,2", "s": "2x3x3x3", "p.0": "4xf32=1,2,3,4", "p.1.0": "2x2", "p.1.1": "9"}

    def run(changed=None, **what):
        given = dict(arguments, **(changed or {}))
        t.run("run", m, "-f", "main", *[f"{name}={value}" for name, value in given.items()], **what)

    run(shows=["0: 2x2xf32 =\n  1, 2\n  3, 4\n", "1: 3x2xf32 =\n  1, 2\n  1, 2\n  1, 2\n", "2: 4xi64 = 2, 3, 3, 3\n", "3: i64 = 9\n"])
    run({"s": "5x3x3x3"}, code=CALL, says="the argument `s`: shape[0] is 5, expected 2")
    run({"s": "2x3x4x3"}, code=CALL, says="the argument `s`: shape[2] is 4, expected 3")
    run({"s": "2x3x3x7"}, code=CALL, says="the argument `s`: shape[3] is 7, expected 3")
    run({"p.1.0": "2x3"}, code=CALL, says="the argument `p.1.0`: shape[1] is 3, expected 2")
    run({"p.0": "3xf32=1"}, code=CALL, says="shape[0] is 3, expected 4")
    t.run("run", model(t, SIZES_OF_A_CALLEE), "4xf32=1,2,3,4", shows="0: 2x2xf32 =\n  2, 4\n  6, 8\n")


def test_local_functions(t):
    """A closure is its body where it is called, in branches and by other names as well."""
    m = model(t, LOCAL)
    for k, u in ((1, "158, 316"), (0, "78, 156")):
        t.run("run", m, "-f", "main", "x=2xf32=1,2", "w=2xf32=1,3", f"k={k}", shows=[f"u: 2xf32 = {u}\n", "y: 2xf32 = 6, 12\n"])
    t.run("run", m, "-f", "sizes", "x=3x2xf32=1,2,3,4,5,6", "v=1xf32=0", shows="y: 3xf32 = 4, 8, 12\n")
    def chain(n):
        lines = ["@R.function", 'def main(x: R.Tensor((1,), "float32")) -> R.Tensor((1,), "float32"):']
        for i in range(n):
            body = f"f{i - 1}(q)" if i else "R.add(q, q)"
            lines += ["    @R.function", f'    def f{i}(q: R.Tensor((1,), "float32")) -> R.Tensor((1,), "float32"):',
                      f"        return {body}", ""]
        return IMPORTS + "\n".join(lines + [f"    y = f{n - 1}(x)", "    return y", ""])

    t.run("run", model(t, chain(150)), "1xf32=1", shows="y: 1xf32 = 2\n")
    t.run("run", model(t, chain(2000)), "1xf32=1", code=1,
          says="more than 200 branches and calls of local functions in each other")
    t.run("run", model(t, SELF), "2xf32=1,2", shows="y: 2xf32 = 8, 16\n")


CHOSEN = IMPORTS + """@I.ir_module
class Module:
    @R.function(private=True)
    def again(f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True),
              x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return f(f(x))

    @R.function
    def main(x: R.Tensor((2,), "float32"), c: R.Prim("bool"), d: R.Prim("bool")):
        cls = Module

        @R.function
        def more(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(a, x)

        @R.function
        def double(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(a, a)

        @R.function
        def negative(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.negative(a)

        if c:
            f = more
        else:
            f = double
        if d:
            g = negative
        else:
            g = f
        pair = (g, (x, f))
        inner = pair[1]
        h = inner[1]
        k = pair[0]
        with R.dataflow():
            y = k(x)
            z = R.subtract(y, x)
            R.output(y, z)
        return (y, z, h(y), cls.again(k, x))
"""

CAPTURED = IMPORTS + """@R.function
def main(x: R.Tensor((2,), "float32"), n: R.Prim("int64")):
    @R.function
    def more(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.add(a, x)

    @R.function
    def twice(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return more(more(a))

    @R.function
    def times(k: R.Prim("int64"), a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        if k <= 0:
            r = a
        else:
            r = times(k - 1, more(twice(a)))
        return r

    @R.function
    def outer(k: R.Prim("int64"), a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        if k <= 0:
            r = a
        else:
            r = outer(k - 1, times(k, twice(a)))
        return r

    return (times(n, x), outer(n, x))
"""


def test_functions_are_values(t):
    """A local function is called by what a tuple holds, what an `if` chooses and what a function was given; one that
    calls itself has others from around it."""
    m = model(t, CHOSEN)
    wanted = {(1, 1): ("-1, -2", "-2, -4", "0, 0", "1, 2"), (1, 0): ("2, 4", "1, 2", "3, 6", "3, 6"),
              (0, 1): ("-1, -2", "-2, -4", "-2, -4", "1, 2"), (0, 0): ("2, 4", "1, 2", "4, 8", "4, 8")}
    for (c, d), (y, z, last, again) in wanted.items():
        t.run("run", m, "-f", "main", "2xf32=1,2", f"c={c}", f"d={d}",
              shows=[f"y: 2xf32 = {y}\n", f"z: 2xf32 = {z}\n", f"2: 2xf32 = {last}\n", f"3: 2xf32 = {again}\n"])
    t.run("run", model(t, CAPTURED), "2xf32=1,2", "2", shows=["0: 2xf32 = 7, 14\n", "1: 2xf32 = 14, 28\n"])


POOLED = IMPORTS + """@R.function
def main(x: R.Tensor((1, 1, "h", 4), "float32")):
    return R.nn.max_pool2d(x, (2, 2), (2, 2), padding=1, ceil_mode=True)
"""


def choices(n):
    """A function that each of n `if`s in a row chooses from those before it."""
    arms = "".join(f"""
    if c:
        h{i} = h{i - 1}
    else:
        h{i} = {"g" if i == 1 else f"h{i - 1}"}""" for i in range(1, n + 1))
    local = "".join(f"""
    @R.function
    def {name}(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        z: R.Tensor((2,), "float32") = R.{op}(y, y)
        return z""" for name, op in (("h0", "add"), ("g", "multiply")))
    return IMPORTS + f"""@R.function
def main(x: R.Tensor((2,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2,), "float32"):{local}{arms}
    r: R.Tensor((2,), "float32") = h{n}(x)
    return r
"""


def test_choices_in_each_other(t):
    """Each doubles what stands in place of the call: there are as many as sources have, not as a stack does."""
    for n, c, result in [(1, 1, 6), (1, 0, 9), (4, 1, 6), (4, 0, 9)]:
        t.run("run", model(t, choices(n)), "2xf32=3", str(c), shows=f"2xf32 = {result}, {result}")
    for n, reason in [(17, "calls of closures are not lowered yet"), (3000, "more than 64 ways through branches")]:
        t.run("compile", model(t, choices(n)), "-o", "choices.tirb", code=1, says=reason)


def test_windows_begin_within_the_operand(t):
    """Also where the size that is rounded up is known only at run time."""
    m = model(t, POOLED)
    for h, windows in ((2, 2), (3, 2), (4, 3), (5, 3)):
        t.run("run", m, f"x=1x1x{h}x4xf32=1", shows=f"1x1x{windows}x3xf32")


SLICED = IMPORTS + """@R.function
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    return (R.strided_slice(x, (0,), (0,), (n - 3,)), R.strided_slice(x, (0,), (n - 4,), (n,)))
"""


def test_symbolic_ends_count_from_the_end(t):
    """Where they are below 0, as ends that are numbers do."""
    m = model(t, SLICED)
    t.run("run", m, "5xf32=0,1,2,3,4", shows=["0: 2xf32 = 0, 1\n", "1: 4xf32 = 1, 2, 3, 4\n"])
    t.run("run", m, "2xf32=0,1", shows=["0: 1xf32 = 0\n", "1: 2xf32 = 0, 1\n"])
    t.run("run", m, "3xf32=0,1,2", shows=["0: 0xf32", "1: 1xf32 = 2\n"])


NESTED = IMPORTS + """@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor(("m", "k"), "float32")):
        m, k = T.int64(), T.int64()
        return R.strided_slice(x, (0, 1), (0, 1), (m - 4, k - 3))

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), c: R.Tensor((), "bool")):
        n, m = T.int64(), T.int64()
        cls = Module
        a = R.strided_slice(x, (0, 1), (0, 1), (n - 2, m - 3))
        if c:
            y = cls.inner(cls.inner(a))
        else:
            y = cls.inner(cls.inner(cls.inner(cls.inner(cls.inner(cls.inner(a))))))
        z = R.exp(R.add(y, y))
        with R.dataflow():
            b = R.strided_slice(a, (1,), (0,), (m - 2,))
            d = R.strided_slice(b, (1,), (0,), (m - 5,))
            e = R.multiply(R.add(d, d), R.strided_slice(b, (1,), (0,), (m - 5,)))
            f = R.reshape(e, (-1,))
            g = R.concat((f, f), axis=0)
            R.output(e, g)
        return (z, e, (g, R.shape_of(e)))
"""


def from_the_end(array, *ends):
    for axis, (begin, end) in enumerate(ends):
        size = array.shape[axis]
        array = array.take(range(begin, min(max(end + size if end < 0 else end, 0), size)), axis)
    return array


def test_slices_of_slices(t):
    """A size that is a longer expression than a bundle has is a number that the function computes."""
    m = model(t, NESTED)
    for shape in ((5, 12), (20, 30), (64, 12), (9, 64)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 1000
        np.save(t.path("x.npy"), x)
        n, k = shape
        a = from_the_end(x, (0, n - 2), (1, k - 3))
        b = from_the_end(a, (0, len(a)), (0, k - 2))
        d = from_the_end(b, (0, len(a)), (0, k - 5))
        for c, times in ((1, 2), (0, 6)):
            y = a
            for _ in range(times):
                y = from_the_end(y, (0, y.shape[0] - 4), (min(1, y.shape[1]), y.shape[1] - 3))
            t.run("run", m, "-f", "main", "x=@x.npy", f"c={c}", *[p for i in range(4) for p in ("-o", f"{i}=@r{i}.npy")])
            e = (d + d) * d
            for i, wanted in enumerate([np.exp(y + y), e, np.concatenate([e.ravel()] * 2), np.array(e.shape)]):
                found = np.load(t.path(f"r{i}.npy"))
                expect(found.shape == wanted.shape and np.allclose(found, wanted), (shape, c, i, found, wanted))


SIZED_BY_NUMBERS = IMPORTS + """@I.ir_module
class Module:
    @R.function(private=True)
    def first(k: R.Prim("int64"), x: R.Tensor(("m",), "float32"), s: R.Shape(["j"])):
        m, j = T.int64(), T.int64()
        y = R.strided_slice(R.concat((x, x), axis=0), (0,), (0,), (k + m,))
        return (y, R.full((k, j), R.const(1.0, "float32"), "float32"))

    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Prim("int64")):
        n = T.int64()
        cls = Module
        y = cls.first(n // 2, x, R.shape([k]))
        return (R.add(y[0], y[0]), y[1])
"""


def test_sizes_of_a_call_are_what_its_numbers_say(t):
    t.run("run", model(t, SIZED_BY_NUMBERS), "4xf32=1,2,3,4", "3",
          shows=["0: 6xf32 = 2, 4, 6, 8, 2, 4\n", "1: 2x3xf32 =\n  1, 1, 1"])


DIVIDED = IMPORTS + """@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((4,), "float32"), k: R.Prim("int64")):
    n = T.int64()
    return (R.split(x, [3, 1], axis=0), R.split(x, [n - 5, k], axis=0), R.split(y, [3, 1], axis=0))
"""


def test_parts_begin_at_their_places(t):
    """Also behind the next one's, and where places are numbers of the call."""
    t.run("run", model(t, DIVIDED), "4xf32=0,1,2,3", "4xf32=4,5,6,7", "2",
          shows=["0: 3xf32 = 0, 1, 2\n", "1: 0xf32 =", "2: 3xf32 = 1, 2, 3\n", "3: 0xf32 =", "4: 2xf32 = 0, 1\n",
                 "5: 2xf32 = 2, 3\n", "6: 3xf32 = 4, 5, 6\n", "7: 0xf32 =", "8: 3xf32 = 5, 6, 7\n"])


PRINTED = IMPORTS + """@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")):
    R.print(x, format="x is {}")
    y = R.add(x, x)
    R.print(x, y)
    return y
"""


def test_printing_is_left_out(t):
    """A bundle has nowhere to print, and a model that does runs."""
    done = t.run("run", model(t, PRINTED), "2xf32=1,2", shows="2xf32 = 2, 4\n", says="a bundle prints nothing")
    expect(done.err.count(b"warning: ") == 2, done.err)


CHOSEN_AROUND = IMPORTS + """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",),"float32"), w: R.Tensor(("n",),"float32"), c: R.Tensor((),"bool"), d: R.Tensor((),"bool"), k: R.Prim("int64")) -> R.Tensor(("n",),"float32"):
        n = T.int64()
        @R.function
        def dbl(q: R.Tensor((n,),"float32")) -> R.Tensor((n,),"float32"):
            r = R.add(q, w)
            return r
        @R.function
        def sq(q: R.Tensor((n,),"float32")) -> R.Tensor((n,),"float32"):
            r = R.multiply(q, R.full((n,), R.const(3.0,"float32"), "float32"))
            return r
        @R.function
        def neg(q: R.Tensor((n,),"float32")) -> R.Tensor((n,),"float32"):
            r = R.negative(dbl(q))
            return r
        if c:
            f = dbl
        else:
            f = sq
        if d:
            g = f
        else:
            g = neg
        @R.function
        def rep(q: R.Tensor((n,),"float32"), i: R.Prim("int64")) -> R.Tensor((n,),"float32"):
            if i <= 0:
                s = q
            else:
                t = g(q)
                s = rep(t, i - 1)
            return s
        y = rep(x, k)
        return R.add(y, R.const(0.0,"float32"))
"""


def test_recursion_over_a_function_that_is_chosen(t):
    """The choice is made again in the function that calls itself, which gets what it depends on."""
    m = model(t, CHOSEN_AROUND)
    for c, d, k, wanted in [(1, 1, 3, "31, 62"), (0, 1, 3, "27, 54"), (1, 0, 3, "-11, -22"), (0, 0, 1, "-11, -22"),
                            (0, 0, 0, "1, 2")]:
        t.run("run", m, "-f", "main", "2xf32=1,2", "2xf32=10,20", str(c), str(d), str(k), shows=f"2xf32 = {wanted}\n")


MIXED = IMPORTS + """@R.function
def main(x: R.Tensor((3,), "float32"), b: R.Tensor((3,), "bool")):
    return (R.add(x, True), R.multiply(x, b), R.subtract(b, x), R.maximum(x, R.const(True)))
"""


def test_bools_go_with_any_type(t):
    """The first operand's type is the result's, as in TVM."""
    t.run("run", model(t, MIXED), "3xf32=3,0,1", "3xbool=1,1,0",
          shows=["0: 3xf32 = 4, 1, 2\n", "1: 3xf32 = 3, 0, 0\n", "2: 3xbool = true, true, true\n",
                 "3: 3xf32 = 3, 1, 1\n"])


MANY_CALLS = IMPORTS + """@I.ir_module
class Module:
    @R.function(private=True)
    def found(x: R.Tensor(("m",), "float32"), w: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        k = T.int64()
        at = R.match_cast(R.nonzero(x), R.Tensor((1, k), "int64"))
        return R.take(w, R.reshape(at, (k,)), axis=0)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((2, 3), "float32")):
        n = T.int64()
        cls = Module

        @R.function
        def total(q: R.Tensor(("m",), "float32"), j: R.Prim("int64")) -> R.Tensor(("m",), "float32"):
            m = T.int64()
            return R.add(R.add(q, R.full((m,), R.const(1.0, "float32"), "float32")), R.add(x_sum, R.full((m,), R.const(0.0, "float32"), "float32")))

        a = total(x, n)
        b = total(R.reshape(y, (6,)), n + 1)

        @R.function
        def twice(q: R.Tensor(("m",), "float32"), z: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
            @R.function
            def more(p: R.Tensor(("l",), "float32")) -> R.Tensor(("l",), "float32"):
                return total(total(p, 1), 2)

            return R.add(more(q), more(z))

        c = twice(a, x)
        d = cls.found(c, x)
        e = cls.found(R.reshape(y, (6,)), b)
        return (a, b, c, d, e, R.exp(d))

    @R.function
    def branch(x: R.Tensor(("n",), "float32"), y: R.Tensor(ndim=1, dtype="float32"), k: R.Prim("int64")):
        m = T.int64()
        z = R.match_cast(y, R.Tensor((m,), "float32"))
        if k > 0:
            x1 = R.match_cast(x, R.Tensor((m,), "float32"))
            r = R.sum(x1)
        else:
            r = R.sum(z)
        return r
"""


def test_functions_are_called_any_number_of_times(t):
    """Each call has sizes of its own; so has each call of a function that decides the sizes of its results."""
    m = model(t, MANY_CALLS.replace("x_sum", "h").replace("        n = T.int64()\n        cls", "        n = T.int64()\n        h = R.sum(x)\n        cls", 1))
    x = np.array([0, -1, 2, 0], np.float32)
    y = np.array([[1, 0, 2], [0, 0, 3]], np.float32)
    np.save(t.path("x.npy"), x)
    np.save(t.path("y.npy"), y)
    t.run("run", m, "-f", "main", "x=@x.npy", "y=@y.npy", *[part for i in range(6) for part in ("-o", f"{i}=@r{i}.npy")])
    h, flat = x.sum(), y.ravel()
    a, b = x + 1 + h, flat + 1 + h
    c = (a + 2 * (1 + h)) + (x + 2 * (1 + h))
    d, e = x[np.nonzero(c)], b[np.nonzero(flat)]
    for i, wanted in enumerate([a, b, c, d, e, np.exp(d)]):
        found = np.load(t.path(f"r{i}.npy"))
        expect(found.shape == wanted.shape and np.allclose(found, wanted), (i, found, wanted))
    t.run("run", m, "-f", "branch", "x=2xf32=1,2", "y=2xf32=3,4", "k=1", shows="f32 = 3\n")
    t.run("run", m, "-f", "branch", "x=3xf32=1", "y=2xf32=3,4", "k=1", code=CALL, says="shape[0] is 3, expected 2")


def test_casts(t):
    m = model(t, CAST)
    t.run("run", m, "-f", "main", "x=2x3xf32=1", "w=2xf32=10,20", shows="0: 2xf32 = 13, 23\n")
    t.run("run", m, "-f", "main", "x=2x4xf32=1", "w=2xf32=1", code=CALL, says="match_cast of `y`: shape[1] is 4, expected 3")
    t.run("run", m, "-f", "main", "x=2x3xf32=1", "w=5xf32=1", code=CALL, says="match_cast of `z`: shape[0] is 5, expected 2")


def test_views_of_memory(t):
    """The bits of a tensor in another type: those of its own memory, and no others."""
    def run(view, **what):
        text = f'@R.function\ndef main(x: R.Tensor((2, 4), "float32")):\n    y = R.add(x, x)\n    z = {view}\n    return z\n'
        t.run("run", model(t, IMPORTS + text), "2x4xf32=1,2,3,4,5,6,7,8", **what)

    run('R.memory.view(y, (2, 1), R.dtype("int32"), R.prim_value(24))', shows=f"z: 2x1xi32 =\n  {0x41600000}\n  {0x41800000}\n")
    run('R.memory.view(y, dtype=R.dtype("uint32"))', shows=f"z: 2x4xu32 =\n  {0x40000000}, ")
    run('R.memory.view(y, (2,), R.dtype("int32"), R.prim_value(28))', code=1, says="R.memory.view is not lowered yet beyond its operand")
    run("R.memory.view(y, (2, 5))", code=1, says="R.memory.view is not lowered yet beyond its operand")
    run('R.memory.view(y, (2,), R.dtype("int32"), R.prim_value(2))', code=1, says="from the middle of an element on")
    run('R.memory.view(y, (16,), R.dtype("int16"))', code=1, says="of elements that have another size")


def test_shapes_that_data_gives(t):
    m = model(t, IMPORTS + """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 3), "float32")):
        k = T.int64()
        at = R.nonzero(x)
        found = R.match_cast(at, R.Tensor((2, k), "int64"))
        rows = R.take(found, R.const(0, "int64"), axis=0)
        return (at, R.add(rows, rows), R.exp(R.take(x, rows, axis=0)))

    @R.function
    def different(x: R.Tensor(("m",), "float32")):
        u = R.unique(x, True, True, True, True)
        return (u, R.unique(x, False))

    @R.function
    def places(x: R.Tensor((6,), "float32")):
        return R.unique(x, True, False, True)

    @R.function
    def part(x: R.Tensor((4, 5), "float32"), b: R.Tensor((2,), "int64"), e: R.Tensor((2,), "int64"),
             s: R.Tensor((2,), "int64")):
        y = R.dynamic_strided_slice(x, b, e, s)
        return R.add(R.negative(y), y), R.sum(y, axis=[0])

    @R.function
    def boxes(x: R.Tensor((1, 3, 4), "float32"), s: R.Tensor((1, 1, 3), "float32")):
        with R.dataflow():
            t = R.vision.all_class_non_max_suppression(x, s, R.const(2, "int64"), R.const(0.5, "float32"), R.const(0.1, "float32"))
            rows = t[0]
            twice = R.add(rows, rows)
            more = R.negative(twice)
            R.output(t, rows, more)
        return (t, rows, more, R.sum(more, axis=[0]))

    @R.function
    def called(x: R.Tensor((1, 3, 4), "float32"), s: R.Tensor((1, 1, 3), "float32")):
        cls = Module
        b = cls.boxes(x, s)
        r = b[1]
        return R.add(r, r)

    @R.function
    def shaped(x: R.Tensor(("m",), "float32"), s: R.Tensor((2,), "int64")):
        return R.reshape(x, R.tensor_to_shape(s))
""".replace("return R.add(R.negative(y), y), R.sum(y, axis=[0])", "return (R.add(R.negative(y), y), R.sum(y, axis=[0]))"))
    x = np.array([[0, 1, 2], [0, 0, 0], [3, 0, 4]], np.float32)
    save = lambda name, a: np.save(t.path(name), np.asarray(a))
    save("x.npy", x)
    t.run("run", m, "-f", "main", "x=@x.npy", "-o", "0=@at.npy", "-o", "1=@twice.npy", "-o", "2=@rows.npy")
    at = np.stack(np.nonzero(x))
    for name, wanted in [("at", at), ("twice", 2 * at[0]), ("rows", np.exp(x[at[0]]))]:
        found = np.load(t.path(name + ".npy"))
        expect(found.shape == wanted.shape and np.allclose(found, wanted), (name, found, wanted))
    values = np.array([3, 1, 3, np.nan, -2, 1, np.nan], np.float32)
    save("v.npy", values)
    t.run("run", m, "-f", "different", "x=@v.npy", *[part for i in range(5) for part in ("-o", f"{i}=@u{i}.npy")])
    wanted = list(np.unique(values, return_index=True, return_inverse=True, return_counts=True))
    wanted.append(np.array([3, 1, np.nan, -2], np.float32))
    for i, w in enumerate(wanted):
        found = np.load(t.path(f"u{i}.npy"))
        expect(found.shape == w.shape and np.array_equal(found, w, equal_nan=True), (i, found, w))
    t.run("run", m, "-f", "places", "6xf32=3,1,3,2,1,0", shows=["0: 4xf32 = 0, 1, 2, 3\n", "1: 6xi64 = 3, 1, 3, 2, 1, 0\n"])
    y = np.arange(20, dtype=np.float32).reshape(4, 5)
    save("y.npy", y)
    for begin, end, step in [((0, 1), (4, 4), (1, 2)), ((-1, 4), (-9, 0), (-2, -1)), ((2, 0), (1, 5), (1, 1))]:
        for name, a in [("b", begin), ("e", end), ("s", step)]:
            save(name + ".npy", np.array(a, np.int64))
        t.run("run", m, "-f", "part", "x=@y.npy", "b=@b.npy", "e=@e.npy", "s=@s.npy", "-o", "0=@p.npy", "-o", "1=@q.npy")
        w = y[tuple(slice(b, e if e >= -5 else None, s) for b, e, s in zip(begin, end, step))]
        expect(np.load(t.path("p.npy")).shape == w.shape, (np.load(t.path("p.npy")), w))
        expect(np.array_equal(np.load(t.path("q.npy")), w.sum(axis=0)), (np.load(t.path("q.npy")), w))
    t.run("run", m, "-f", "boxes", "x=1x3x4xf32=0,0,1,1,0,0,1,0.9,5,5,6,6", "s=1x1x3xf32=0.5,0.9,0.3",
          shows=["2x3xi64 =\n  0, 0, 1\n  0, 0, 2\n", "1xi64 = 2\n", "2x3xi64 =\n  0, 0, -2\n  0, 0, -4\n", "3xi64 = 0, 0, -6\n"])
    t.run("run", m, "-f", "called", "x=1x3x4xf32=0,0,1,1,0,0,1,0.9,5,5,6,6", "s=1x1x3xf32=0.5,0.9,0.3",
          shows="0: 2x3xi64 =\n  0, 0, 2\n  0, 0, 4\n")
    save("n.npy", np.array([2, 3], np.int64))
    save("z.npy", np.arange(6, dtype=np.float32))
    t.run("run", m, "-f", "shaped", "x=@z.npy", "s=@n.npy", "-o", "0=@r.npy")
    expect(np.load(t.path("r.npy")).shape == (2, 3), "a shape that a tensor says")
    save("n.npy", np.array([2, 4], np.int64))
    t.run("run", m, "-f", "shaped", "x=@z.npy", "s=@n.npy", code=CALL, says="")


# ---- Memory ---------------------------------------------------------------------------------------------------------


PARTS = IMPORTS + """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_ten(a: T.handle):
        A = T.match_buffer(a, (4, 6), "float32")
        for i, j in T.grid(4, 6):
            A[i, j] = A[i, j] + T.float32(10)

    @R.function
    def main(a: R.Tensor((4, 6), "float32"), n: R.Tensor((1, 5, 3), "int8")):
        cls = Module
        x = R.multiply(a, a)
        s = R.split(x, 2, axis=0)
        t = R.squeeze(R.strided_slice(s[1], axes=[0], begin=[1], end=[2]), axis=[0])
        u = R.strided_slice(t, axes=[0], begin=[2], end=[5])
        m = R.split(R.negative(n), [2], axis=1)
        z = R.call_tir_inplace(cls.add_ten, (x,), inplace_indices=[0], out_ty=R.Tensor((4, 6), "float32"))
        return (R.negative(s[0]), R.negative(u), R.add(m[1], m[1]), R.sum(z))

    @R.function
    def columns(a: R.Tensor((4, 6), "float32")):
        s = R.split(R.negative(a), 2, axis=1)
        return R.add(s[0], s[1])
"""


def test_parts_in_one_piece_are_views(t):
    m = model(t, PARTS)
    numbers = ",".join(str(i) for i in range(24))
    t.run("run", m, "-f", "main", f"a=4x6xf32={numbers}", f"n=1x5x3xi8={','.join(str(i) for i in range(15))}",
          shows=["0: 2x6xf32 =\n  -0, -1, -4, -9, -16, -25\n  -36, -49, -64, -81, -100, -121\n", "1: 3xf32 = -400, -441, -484\n",
                 "2: 1x3x3xi8 =\n  -12, -14, -16\n  -18, -20, -22\n  -24, -26, -28\n", f"3: f32 = {sum(i * i + 10 for i in range(24))}\n"])
    t.run("run", m, "-f", "columns", f"a=4x6xf32={numbers}", shows="0: 4x3xf32 =\n  -3, -5, -7\n")
    listing = t.run("dis", m).text
    called = {line.split('"')[1] for line in listing.splitlines() if line.startswith(".function ")}
    assert {"copy", "part"} <= called and not any(name.startswith("slice") for name in called)  # of z, and of columns


JOINED = IMPORTS + """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 3), "float32"), y: R.Tensor((1, 1, 3), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.cumsum(y, axis=2)
            c = R.concat((a, b), axis=1)
            d = R.cumsum(a, axis=2)
            e = R.concat((c, d, R.reshape(d, R.shape([1, 2, 3])), a, y), axis=1)
            f = R.cumsum(e, axis=2)
            R.output(f)
        return f

    @R.function
    def apart(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 1), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.cumsum(y, axis=1)
            c = R.cumsum(R.concat((a, b), axis=1), axis=1)
            R.output(c)
        return c
"""


def test_parts_are_computed_where_they_are_joined(t):
    """Also parts of parts; what is a part twice, or has another name, is copied the second time."""
    m = model(t, JOINED)
    x, y = np.float32([[[1, 2, 3], [4, 5, 6]]]), np.float32([[[7, 8, 9]]])
    a, b = -x, np.cumsum(y, 2)
    d = np.cumsum(a, 2)
    np.save(t.path("joined.npy"), np.cumsum(np.concatenate((a, b, d, d, a, y), 1), 2).astype("float32"))
    words = ["run", m, "-f", "main", "x=1x2x3xf32=1,2,3,4,5,6", "y=1x1x3xf32=7,8,9", "--expect", "0=@joined.npy"]
    t.run(*words, shows="matches")
    t.run(*words, "--disable", "operators", shows="matches")
    t.run("explain", m, "-f", "main", shows=["   c: operator: its parts, 36 bytes at ", "   b: operator: cumsum, 12 bytes at 24 of 120 "])
    t.run("run", m, "-f", "apart", "x=2x3xf32=1,2,3,4,5,6", "y=2x1xf32=7,8", shows="-1, -3, -6, 1\n  -4, -9, -15, -7")
    large = JOINED.replace("(1, 2, 3)", "(1, 2, 3000)").replace("(1, 1, 3)", "(1, 1, 3000)").replace("[1, 2, 3]", "[1, 2, 3000]")
    assert temporaries(t, model(t, large)) == 10 * 12000  # e and nothing else
    chain = ["c0 = R.cumsum(x, axis=1)"]
    for i in range(1, 400):
        chain += [f"n{i} = R.cumsum(x, axis=1)", f"c{i} = R.concat((c{i - 1}, n{i}), axis=1)"]
    head = '@R.function\ndef main(x: R.Tensor((1, 3), "float32")):\n    with R.dataflow():\n'
    body = "".join(f"        {line}\n" for line in [*chain, "y = R.cumsum(c399, axis=1)", "R.output(y)"])
    m = model(t, f"{IMPORTS}{head}{body}    return y\n")
    t.run("run", m, "-f", "main", "x=1x3xf32=1,1,1", "--full", shows="2394, 2395, 2397, 2400")


ONE_BRANCH = IMPORTS + """@R.function
def main(x: R.Tensor(("n",), "float32"), d: R.Shape(["m"]), c: R.Tensor((), "bool")):
    n = T.int64()
    m = T.int64()
    if c:
        y = R.zeros(R.shape([n - 5, n // m]), "float32")
        r = R.sum(R.exp(R.exp(R.negative(R.permute_dims(R.exp(y))))))
    else:
        r = R.sum(R.negative(x))
    return r
"""


def test_branches_that_are_not_taken_have_no_sizes(t):
    m = model(t, ONE_BRANCH)
    t.run("run", m, "3xf32=1,2,3", "0", "false", shows="0: f32 = -6\n")
    t.run("run", m, "7xf32=1", "4", "true", shows="0: f32 = 2.88933")
    t.run("run", m, "3xf32=1,2,3", "1", "true", code=CALL, says="is negative")
    t.run("run", m, "7xf32=1", "0", "true", code=CALL, says="an integer is divided by zero")


FIRST_PARTS = IMPORTS + """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def bump(a: T.handle):
        A = T.match_buffer(a, (4,), "float32")
        for i in range(4):
            A[i] = A[i] + T.float32(100)

    @R.function
    def sliced(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.add(x, x)
        s = R.strided_slice(y, axes=[0], begin=[0], end=[2])
        z = R.call_tir_inplace(cls.bump, (y,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        return (R.negative(s), R.negative(z))

    @R.function
    def joined(x: R.Tensor((4,), "float32"), p: R.Tensor((1,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.add(x, x)
            c = R.concat((a, p))
            z = R.call_tir_inplace(cls.bump, (a,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
            d = R.negative(c)
            e = R.negative(z)
            R.output(d, e)
        return (d, e)

    @R.function(pure=False)
    def called(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.add(x, x)
        s = R.strided_slice(y, axes=[0], begin=[2], end=[4])
        t = R.strided_slice(y, axes=[0], begin=[0], end=[2])
        _ = cls.bump(y)
        return (R.negative(s), R.negative(t), R.negative(y))

    @R.function(private=True)
    def bumped(y: R.Tensor((4,), "float32")):
        cls = Module
        z = R.call_tir_inplace(cls.bump, (y,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        return R.negative(z)

    @R.function
    def within(x: R.Tensor((4,), "float32"), p: R.Tensor((1,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.add(x, x)
            c = R.concat((y, p))
            z = cls.bumped(y)
            d = R.negative(c)
            R.output(d, z)
        return (d, z)
"""


def test_what_writes_in_place_leaves_first_parts(t):
    """A part that begins where the whole does is one that may be read yet as well; so are all, where a call may write."""
    m = model(t, FIRST_PARTS)
    t.run("run", m, "-f", "sliced", "x=4xf32=1,2,3,4", shows=["0: 2xf32 = -2, -4\n", "1: 4xf32 = -102, -104, -106, -108\n"])
    t.run("run", m, "-f", "joined", "x=4xf32=1,2,3,4", "p=1xf32=5",
          shows=["d: 5xf32 = -2, -4, -6, -8, -5\n", "e: 4xf32 = -102, -104, -106, -108\n"])
    t.run("run", m, "-f", "called", "x=4xf32=1,2,3,4",
          shows=["0: 2xf32 = -6, -8\n", "1: 2xf32 = -2, -4\n", "2: 4xf32 = -102, -104, -106, -108\n"])
    t.run("run", m, "-f", "within", "x=4xf32=1,2,3,4", "p=1xf32=5",
          shows=["d: 5xf32 = -2, -4, -6, -8, -5\n", "z: 4xf32 = -102, -104, -106, -108\n"])


WRITES_BETWEEN = IMPORTS + """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def bump(a: T.handle):
        A = T.match_buffer(a, (4,), "float32")
        for i in range(4):
            A[i] = A[i] + T.float32(100)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            z = R.add(x, x)
            a = R.negative(z)
            b = R.call_tir_inplace(cls.bump, (z,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
            c = R.add(a, b)
            R.output(c)
        return c
"""


def test_operators_read_before_what_writes_in_place(t):
    m = model(t, WRITES_BETWEEN)
    t.run("run", m, "-f", "main", "x=4xf32=0,1,2,3", shows="c: 4xf32 = 100, 100, 100, 100\n")


def test_long_blocks(t):
    """What a group's function is made in is given back, so that memory does not grow with how many there are."""
    kinds = ["negative", "tanh", "sqrt", "exp"]
    lines = [f"        v{i} = R.{kinds[i % 4]}({f'v{i - 1}' if i else 'x'})\n" for i in range(20000)]
    head = '@R.function\ndef main(x: R.Tensor((64,), "float32")):\n    with R.dataflow():\n'
    m = model(t, f"{IMPORTS}{head}{''.join(lines)}        R.output(v19999)\n    return v19999\n")
    t.run("compile", m, "--compile-memory", "128M", "-o", "m.tirb")


def temporaries(t, m):
    """How many bytes of temporaries the function `main` has, by what it is before any pass."""
    size = {"8": 1, "16": 2, "32": 4, "64": 8}
    first = t.run("explain", m, "--ir", "-f", "main").text.split("\n# ")[0]
    sizes = []
    for line in first.splitlines():
        if line.startswith("  alloc "):
            extents, dtype = line.split("[")[1].split("]: ")
            sizes.append(int(np.prod([int(x) for x in extents.split(", ")])) * size[dtype.split(" ")[0].strip("fiub")])
    return sum(sizes)


def test_temporaries_share_memory(t):
    """A plan for the whole function: no larger than what is in use at one time, whatever the sizes are."""
    lines = []
    for i, n in enumerate([300, 100, 400, 200, 100, 500, 50]):
        lines += [f"    y{i} = R.matmul(x, R.const({[[1.0] * n]}, 'float32'))", f"    z{i} = R.sum(R.exp(y{i}))"]
    total = ["    s1 = R.add(z0, z1)"] + [f"    s{i} = R.add(s{i - 1}, z{i})" for i in range(2, 7)]
    text = IMPORTS + '@R.function\ndef main(x: R.Tensor((8, 1), "float32")):\n' + "\n".join([*lines, *total, "    return s6"])
    live = 4 * 8 * 2 * 500 + 4 * 5  # y5 and its power; the sums in front of it
    found = temporaries(t, model(t, text))
    assert live <= found <= 1.1 * live, (live, found)
    chain = "".join(f"    y{i} = R.exp({'x' if i == 0 else f'y{i - 1}'})\n" for i in range(9))
    text = IMPORTS + f'@R.function\ndef main(x: R.Tensor((100, 10), "float32")):\n{chain}    return R.sum(y8)\n'
    assert temporaries(t, model(t, text)) == 4032 + 4000  # the second begins at a multiple of 64 bytes


def test_sizes_of_a_call_share_memory(t):
    """Where the parameters say a size, what has the same takes its place, in another shape as well."""
    text = IMPORTS + """@R.function
def main(x: R.Tensor(("n", 6), "float32")):
    n = T.int64()
    a = R.exp(x)
    b = R.permute_dims(a)
    c = R.exp(b)
    d = R.reshape(c, R.shape([n, 2, 3]))
    e = R.permute_dims(d)
    return R.exp(R.exp(e))
"""
    first = t.run("explain", model(t, text), "--ir", "-f", "main").text.split("\n# ")[0]
    assert first.count("  alloc ") == 2, first


FUSED = IMPORTS + """@R.function
def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((8, 8), "float32"), b: R.Tensor((8,), "float32")):
    n = T.int64()
    with R.dataflow():
        a = R.matmul(x, w)
        y = R.nn.relu(R.add(a, b))
        z = R.add(y, R.multiply(x, R.const(0.5, "float32")))
        s = R.multiply(R.nn.softmax(R.subtract(z, b)), R.exp(b))
        u = R.sum(R.square(z), axis=[1])
        R.output(s, u, y)
    return (s, u, y)
"""


def test_operators_become_one_function(t):
    """What is elementwise joins what is elementwise or sums rows; a value that others use too stays."""
    m = model(t, FUSED)
    words = ["-f", "main", f"x=3x8xf32={','.join(str(i % 7) for i in range(24))}",
             f"w=8x8xf32={','.join(str(i % 5 / 8) for i in range(64))}", "b=8xf32=0.5,-0.5,1,0,0.25,2,-1,3"]
    listing = t.run("dis", m).text
    called = {line.split('"')[1].split(":")[0] for line in listing.splitlines() if line.startswith(".function ")}
    assert called == {"matmul", "fused_add_relu", "fused_multiply_add", "fused_subtract_softmax_exp_multiply",
                      "fused_square_sum", "main"}, called
    apart = t.run("dis", m, "--disable", "operators").text
    assert "fused" not in apart
    t.run("run", m, *words, "-o", "s=@s.npy", "-o", "u=@u.npy", "-o", "y=@y.npy")
    for name in "suy":
        assert np.isfinite(np.load(t.path(f"{name}.npy"))).all()
    t.run("run", m, *words, "--disable", "operators", "--expect", "s=@s.npy", "--expect", "u=@u.npy", "--expect", "y=@y.npy",
          shows=["s: matches", "u: matches", "y: matches"])


EXPLAINED = IMPORTS + """@R.function
def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 8), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.exp(a)
        c = R.negative(b)
        d = R.reshape(c, R.shape([8, 4]))
        e = R.permute_dims(d)
        f = R.permute_dims(e)
        R.output(f)
    return f
"""


def test_explain_shows_operators(t):
    m = model(t, EXPLAINED)
    t.run("explain", m, "-f", "main", shows=[
        "   a: operator: matmul, 128 bytes at 0 of 256 for elements of 4\n", "   b: operator: a part of fused_exp_negative\n",
        "   c: operator: fused_exp_negative, 128 bytes at 128 of 256 for elements of 4\n", "   d: operator: a view\n",
        "   e: operator: permute_dims, 128 bytes at 0 of 256 for elements of 4\n",
        "   f: operator: permute_dims1, in the memory of a result\n"])
    notes = json.loads(t.run("explain", m, "--json").text)
    assert [n["loop"] for n in notes if n["form"] == "operator"] == list("abcdef")
    t.run("explain", m, "-f", "main", "--disable", "operators", shows="   b: operator: exp, 128 bytes at ")


# ---- Constants ------------------------------------------------------------------------------------------------------


def test_constants(t):
    rows = [[(7 * i + j) % 5 for j in range(40)] for i in range(3)]
    m = model(t, IMPORTS + f'@R.function\ndef main(x: R.Tensor((3, 40), "float32")):\n    y = R.add(x, R.const({rows}, "float32"))\n'
                           '    return R.sum(y, axis=[1])\n')
    want = ", ".join(str(sum(row) + 40) for row in rows)
    t.run("compile", m)
    t.run("run", "m.tirb", "3x40xf32=1", shows=f"0: 3xf32 = {want}\n")
    t.run("inspect", "m.tirb", shows=["constants  ", "  k0: float32, 120 elements\n"])
    t.run("dis", "m.tirb", "-o", "m.tirs")
    t.run("asm", "m.tirs", "-o", "again.tirb")
    assert t.path("m.tirb").read_bytes() == t.path("again.tirb").read_bytes()


def test_many_constants(t):
    """A model has as many constants and views of them as it likes, and operators that are alike take no memory."""
    lines, last = [], "x"
    for i in range(3000):
        lines += [f"    w{i} = R.reshape(R.const([1.0, {i % 8}.0], \"float32\"), R.shape([2, 1]))", f"    y{i} = R.add({last}, w{i})"]
        last = f"y{i}"
    text = "\n".join([IMPORTS + '@R.function\ndef main(x: R.Tensor((2, 3), "float32")):', *lines, f"    return {last}"])
    t.run("run", model(t, text), "2x3xf32=0", shows="3000, 3000, 3000\n  10500, 10500, 10500")


SHARED = IMPORTS + """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_ten(a: T.handle):
        A = T.match_buffer(a, (3,), "float32")
        for i in range(3):
            A[i] = A[i] + T.float32(10)

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")):
        c = R.reshape(R.const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "float32"), R.shape([2, 3]))
        y = R.add(R.add(x, c), R.const([[1.0]], "float32"))
        return y

    @R.function
    def twice(x: R.Tensor((3,), dtype="float32")):
        cls = Module
        c = R.const([1.0, 2.0, 3.0], "float32")
        y = R.call_tir_inplace(cls.add_ten, (c,), inplace_indices=[0], out_ty=R.Tensor((3,), dtype="float32"))
        return (R.add(x, y), c)

    @R.function
    def branch(x: R.Tensor((2,), dtype="float32"), c: R.Tensor((), dtype="bool")):
        if c:
            y = R.add(x, R.const([10.0, 20.0], "float32"))
        else:
            y = R.add(x, R.const([5.0, 6.0], "float32"))
        return y
"""

WRITTEN = IMPORTS + """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def move(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (2,), "float32")
        B = T.match_buffer(b, (2,), "float32")
        for i in range(2):
            B[i] = A[i]
            A[i] = T.float32(0)

    @R.function
    def main() -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.move, (R.const([1.0, 2.0], "float32"),), out_ty=R.Tensor((2,), dtype="float32"))
        return y
"""


def test_constants_stay(t):
    """Views and branches name them, and what is done in place is done to a copy."""
    m = model(t, SHARED)
    t.run("run", m, "-f", "main", "2x3xf32=1", shows="y: 2x3xf32 =\n  3, 4, 5\n  6, 7, 8\n")
    t.run("run", m, "-f", "twice", "3xf32=0", shows="0: 3xf32 = 11, 12, 13\nc: 3xf32 = 1, 2, 3\n")
    t.run("run", m, "-f", "branch", "2xf32=1,2", "true", shows="0: 2xf32 = 11, 22\n")
    t.run("run", m, "-f", "branch", "2xf32=1,2", "false", shows="0: 2xf32 = 6, 8\n")
    t.run("check", model(t, WRITTEN), code=1, says="`main` writes a constant")


def graph(arrays, kind, field, change=None):
    """The metadata that TVM prints for constants, as a Python literal."""
    nodes = []

    def add(node_type, data):
        nodes.append({"type": node_type, "data": data})
        return len(nodes) - 1

    def tensor(a):
        code = {"i": 0, "u": 1, "f": 2}[a.dtype.kind]
        head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, a.ndim, code, a.dtype.itemsize * 8, 1)
        return base64.b64encode(head + struct.pack(f"<{a.ndim + 1}q", *a.shape, a.nbytes) + a.tobytes()).decode()

    constants = [add(kind, {"span": 0, "ty": 0, field: add("ffi.Tensor", tensor(a))}) for a in arrays]
    root = add("ffi.Map", [add("ffi.String", kind), add("ffi.Array", constants)])
    value = {"root_index": root, "nodes": nodes, "metadata": {"tvm_version": "0.27.0"}}
    if change:
        change(nodes, value)
    return json.dumps(value).replace('"', '\\"')


def metadata_source(t, kind="ir.GenericConst", field="value", change=None, index=1):
    arrays = [np.arange(6, dtype="float32").reshape(2, 3), np.array([7, 9, 250], "uint8"), np.zeros((0, 2), "int64")]
    body = (f'@R.function\ndef main(x: R.Tensor((2, 3), "float32")):\n    y = R.add(x, metadata["{kind}"][0])\n'
            f'    z = R.astype(metadata["{kind}"][{index}], "float32")\n    w = R.add(R.add(y, z), metadata["{kind}"][0])\n    return w\n')
    return model(t, f'metadata = tvm.ir.load_json("""{graph(arrays, kind, field, change)}""")\n' + IMPORTS + body)


def test_metadata(t):
    for kind, field in (("ir.GenericConst", "value"), ("relax.expr.Constant", "data")):
        m = metadata_source(t, kind, field)
        t.run("run", m, "2x3xf32=0", shows="w: 2x3xf32 =\n  7, 11, 254\n  13, 17, 260\n")
    m = metadata_source(t)
    t.run("compile", m)
    t.run("inspect", "m.tirb", shows="  k0: float32, 6 elements\n  k1: uint8, 3 elements\nfunctions:")
    t.run("fmt", m, "-o", "again.py")
    t.run("compile", "again.py")
    found = [t.run("run", name, "2x3xf32=0").text for name in ("m.tirb", "again.tirb")]
    expect(found[0] == found[1], f"the printed text is another program: {found}")


def test_damaged_metadata(t):
    deep = 0
    for _ in range(40):
        deep = [deep]
    changes = {"the metadata has no such constant": lambda nodes, value: value.update(root_index=99),
               "the metadata has no tensor there": lambda nodes, value: nodes[0].update(data="AAAA"),
               "the text of `metadata` is no JSON": lambda nodes, value: nodes[0].update(data=deep)}
    for reason, change in changes.items():
        t.run("run", metadata_source(t, change=change), "2x3xf32=0", code=1, says=reason)
    t.run("run", metadata_source(t, index=3), "2x3xf32=0", code=1, says="the metadata has no such constant")
    for cut in range(0, 90, 7):
        change = lambda nodes, value: nodes[0].update(data=nodes[0]["data"][:cut])
        t.run("run", metadata_source(t, change=change), "2x3xf32=0", code=1, says="the metadata has no tensor there")
    t.run("run", model(t, IMPORTS + '@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    return R.add(x, metadata["ir.GenericConst"][0])\n'),
          "2xf32=0", code=1, says="print it with show_meta=True")


# ---- --params -------------------------------------------------------------------------------------------------------


def safetensors(t, arrays, name="w.safetensors", change=None):
    types = {"float32": "F32", "int32": "I32", "float64": "F64"}
    header, data = {"__metadata__": {"format": "np"}}, b""
    for key, array in arrays.items():
        header[key] = {"dtype": types[str(array.dtype)], "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    if change:
        change(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    t.write(name, struct.pack("<Q", len(text)) + text + data)
    return name


ARRAYS = {"layer.0.weight": np.array([2, 3], "float32"), "b": np.array([10, 20], "int32")}


def run_weights(t, file, *more, **what):
    t.run("run", model(t, WEIGHTS), "-f", "main", "x=2xf32=1,2", "--params", file, *more, **what)


def test_safetensors(t):
    run_weights(t, safetensors(t, ARRAYS), shows="y: 2xf32 = 12, 26\n")


def test_npz(t):
    np.savez(t.path("w.npz"), **ARRAYS)
    run_weights(t, "w.npz", shows="y: 2xf32 = 12, 26\n")
    np.savez_compressed(t.path("w.npz"), **ARRAYS)
    run_weights(t, "w.npz", code=CALL, says="is compressed; numpy.savez writes what is not")
    np.savez(t.path("w.npz"), **ARRAYS)
    whole = t.path("w.npz").read_bytes()
    at = whole.index(ARRAYS["b"].tobytes())
    for bit in range(8):
        t.write("w.npz", whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1:])
        run_weights(t, "w.npz", code=CALL, says="'b.npy' is damaged: its checksum is not that of its bytes")
    for size in range(4, len(whole), 13):
        t.write("cut.npz", whole[:size])
        run_weights(t, "cut.npz", code=CALL)


def test_params_that_do_not_fit(t):
    run_weights(t, safetensors(t, {"b": ARRAYS["b"]}), code=CALL, says="the argument 'layer_0_weight' is missing, also in w.safetensors")
    run_weights(t, safetensors(t, dict(ARRAYS, c=ARRAYS["b"])), code=CALL, says="it has 'c', which is no parameter of main(")
    run_weights(t, safetensors(t, dict(ARRAYS, layer_0_weight=ARRAYS["layer.0.weight"])), code=CALL, says="one more array for the parameter 'layer_0_weight'")
    run_weights(t, safetensors(t, dict(ARRAYS, b=np.array([1, 2], "float32"))), code=CALL, says="'b' is 2xf32, and the parameter 'b' is no such tensor")
    run_weights(t, safetensors(t, dict(ARRAYS, b=np.array([[1, 2]], "int32"))), code=CALL, says="'b' is 1x2xi32, and the parameter 'b' is no such tensor")
    run_weights(t, safetensors(t, dict(ARRAYS, b=np.array([1, 2, 3], "int32"))), code=CALL, says="shape[0] is 3, expected 2")
    run_weights(t, safetensors(t, ARRAYS), "b=2xi32=1", code=USAGE, says="'b' is given twice")
    run_weights(t, "none.safetensors", code=FILES, says="none.safetensors")


def test_damaged_safetensors(t):
    whole = t.path(safetensors(t, ARRAYS)).read_bytes()
    for size in range(1, len(whole), 9):
        t.write("cut.safetensors", whole[:size])
        run_weights(t, "cut.safetensors", code=CALL)
    changes = {"its data_offsets lead out of the file": lambda h: h["b"].update(data_offsets=[8, 1 << 40]),
               "its data_offsets are not those of its dtype and shape": lambda h: h["b"].update(data_offsets=[8, 12]),
               "its data_offsets are not two whole numbers": lambda h: h["b"].update(data_offsets=[8.5, 16]),
               "it has no dtype": lambda h: h["b"].pop("dtype"),
               "its dtype is none that tirb has": lambda h: h["b"].update(dtype="F4"),
               "it has no shape": lambda h: h["b"].pop("shape"),
               "an extent is no whole number": lambda h: h["b"].update(shape=[-2]),
               "its elements are more than can be addressed": lambda h: h["b"].update(shape=[1 << 50, 1 << 50]),
               "it has too many dimensions": lambda h: h["b"].update(shape=[1] * 40)}
    for reason, change in changes.items():
        run_weights(t, safetensors(t, ARRAYS, change=change), code=CALL, says=reason)
    t.write("empty.safetensors", b"")
    run_weights(t, "empty.safetensors", code=FILES, says="empty.safetensors: it is empty")
    run_weights(t, os.devnull, code=FILES, says=f"{os.devnull}: it is no regular file")
    t.write("odd.safetensors", struct.pack("<Q", 4) + b"[1]\n")
    run_weights(t, "odd.safetensors", code=CALL, says="its header is no JSON object")
