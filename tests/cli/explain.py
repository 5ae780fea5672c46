"""`tirb explain`: every form that a loop takes, reasons, JSON, and what cannot be explained."""

import json

from harness import FILES, PROGRAM, USAGE, expect

HEAD = "from tvm.script import tirx as T\n@T.prim_func\n"

MATMUL = HEAD + """def matmul(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    for i, j, k in T.grid(32, 32, 32):
        with T.sblock("c"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"""

# Each body, and the reason that must be given for the loop over i.
SCALAR = {
    "    for i in range(1, 64):\n        A[i] = T.sqrt(A[i - 1])\n": "may meet in A",
    "    for i in range(64):\n        A[0] = T.sqrt(A[0]) + B[i]\n": "same element of A",
    "    for i in range(64):\n        A[T.cast(B[i], \"int32\")] = A[i]\n": "depend on the iteration",
    "    for i in range(2):\n        A[i] = 1.0\n": "fewer than 4 iterations",
    "    for i in range(64):\n        for j in range(i):\n            A[i] = A[i] + B[j]\n": "over j in it does not run alike",
}


def explained(t, source, *options):
    t.write("k.py", source)
    return json.loads(t.run("explain", "k.py", "--json", *options).text)


def test_steps(t):
    body = "    for i in range(%s):\n        A[i] = 1.0\n"
    head = HEAD + 'def f(A: T.Buffer((64,), "float32"), s: T.int32):\n'
    for bounds in "0, 64, 2", "0, 64, s", "63, -1, -1":
        texts = [note["text"] for note in explained(t, head + body % bounds)]
        expect(texts == ["vsplat.f32, vstore.f32"], f"range({bounds}): {texts}")


def forms(notes):
    return {note["loop"]: note["form"] for note in notes}


def test_nest(t):
    notes = explained(t, MATMUL)
    found = forms(notes)
    expect(found == {loop: "contraction" for loop in "ijk"}, f"not every loop is told of: {found}")
    texts = {note["loop"]: note["text"] for note in notes}
    expect(texts["k"] == "contract.f32: sums the products" and "rows" in texts["i"] and "columns" in texts["j"], f"{texts}")
    expect(all(note["function"] == "matmul" and note["line"] == 4 for note in notes), "wrong places")
    expect([note["column"] for note in notes] == [9, 12, 15], "each loop has the column of its variable")


def test_operand(t):
    text = MATMUL.replace("A[vi, vk] *", "T.max(A[vi, vk], 0.0) *")
    notes = explained(t, text)
    operand = {note["loop"] for note in notes if note["form"] == "operand"}
    expect(operand == {"i", "k"}, f"the axes of the operand: {notes}")
    expect({note["loop"] for note in notes if note["form"] == "contraction"} == set("ijk"), f"the product: {notes}")


# Crops from corners that are in memory.
CROPS = HEAD + """def crops(a: T.Buffer((16, 40, 40), "float32"), corner: T.Buffer((4, 2), "int32"), b: T.Buffer((4, 16, 14, 14), "float32")):
    for r, k, y, x in T.grid(4, 16, 14, 14):
        b[r, k, y, x] = a[k, corner[r, 0] + y, corner[r, 1] + x]
"""


def test_positions_behind_elements(t):
    found = forms(explained(t, CROPS))
    expect(found == {"r": "outer", "k": "inner", "y": "inner", "x": "lanes"}, f"rows of an image: {found}")


def test_bits_of_positions(t):
    rows = HEAD + """def rows(a: T.Buffer((4096,), "float32"), row: T.Buffer((64,), "int32"), b: T.Buffer((4096,), "float32")):
    for i, j in T.grid(64, 64):
        b[i * 64 + j] = a[INDEX]
"""
    sums = explained(t, rows.replace("INDEX", "row[i] * 64 + j"))
    for index in "row[i] << 6 | j", "(row[i] << 6) + j", "j ^ row[i] << 6", "row[i] * 64 | j":
        expect(explained(t, rows.replace("INDEX", index)) == sums, f"{index} is a row and a column")


# A convolution whose window reads zeros around the image.
PADDED = """def conv(X: T.Buffer((SIZE, SIZE, 8), "float32"), W: T.Buffer((3, 3, 8, 8), "float32"), Y: T.Buffer((SIZE, SIZE, 8), "float32")):
    for y, x, f, r, s, c in T.grid(SIZE, SIZE, 8, 3, 3, 8):
        with T.sblock("c"):
            vy, vx, vf, vr, vs, vc = T.axis.remap("SSSRRR", [y, x, f, r, s, c])
            with T.init():
                Y[vy, vx, vf] = T.float32(0)
            Y[vy, vx, vf] = Y[vy, vx, vf] + T.if_then_else(1 <= vy + vr and vy + vr <= SIZE and 1 <= vx + vs and vx + vs <= SIZE, X[vy + vr - 1, vx + vs - 1, vc], T.float32(0)) * W[vr, vs, vc, vf]
"""


def test_padded_operand(t):
    for text in PADDED.replace("SIZE", "16"), PADDED.replace(")):\n", ")):\n    n = T.int32()\n").replace("SIZE", '"n"', 4).replace("SIZE", "n"):
        notes = explained(t, HEAD + text)
        contracted = {note["loop"] for note in notes if note["form"] == "contraction"}
        expect(contracted == set("yxfrsc"), f"the whole convolution: {notes}")
        expect(not any(note["form"] == "scalar" for note in notes), f"its borders are no nests of their own: {notes}")


# Bounds and indices that a variable names; here it has two values, and one without the last line.
INTERVALS = HEAD + """def f(t: T.Buffer((40, 40), "int32"), s: T.Buffer((40,), "int32"), w: T.Buffer((40,), "int32")):
    for ii in range(40):
        i = 39 - ii
        m: T.int32 = w[ii]
        for j in range(i + 1, 40):
            s[i] = s[i] + t[i, j] * m
        for k in range(i + 1, 40):
            t[i, k] = t[i, k] + s[k]
        i = i + 1
"""


def test_variable_of_one_value(t):
    once = INTERVALS.replace("        i = i + 1\n", "")
    found = forms(explained(t, once))
    expect(found["j"] == "lanes" and found["k"] == "lanes", f"bounds that a variable names: {found}")
    t.write("once.py", once)
    t.write("twice.py", INTERVALS)
    given = ("t=40x40xi32=3", "s=40xi32=1", "w=40xi32=2")
    results = [t.run("run", name, *given).text for name in ("once.py", "twice.py")]
    expect(results[0] == results[1], f"a variable that is set again once it is used: {results}")


SWEEP = HEAD + """def f(a: T.handle, n: T.int32, m: T.int32):
    A = T.match_buffer(a, (n, m), "float32")
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            A[i, j] = (A[i, j - 1] + A[i - 1, j] + A[i + 1, j] + A[i, j + 1]) / T.float32(4)
"""


def test_sweep_in_place(t):
    texts = [note["text"] for note in explained(t, SWEEP) if note["loop"] == "j"]
    expect(any("vscan.f32" in text for text in texts), f"what the element before has become is not carried: {texts}")


STATEMENTS = HEAD + """def f(A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32"), C: T.Buffer((100,), "float32")):
    x: T.float32 = T.float32(7)
    for i in range(1, 99):
        A[i] = B[i - 1] + C[i]
        B[i] = B[i + 1] - C[i]
    for j in range(100):
        A[j] = A[j] + x
        x = C[j]
"""


def test_statements_apart(t):
    notes = explained(t, STATEMENTS)
    for loop, reason in ("i", "for statements apart"), ("j", "behind its first iteration"):
        texts = [note["text"] for note in notes if note["loop"] == loop]
        expect(reason in texts[0] and any("vadd.f32" in text for text in texts), f"loop {loop}: {texts}")


COUNTED = HEAD + """def f(A: T.Buffer((900,), "float32"), B: T.Buffer((20, 30), "float32")):
    k: T.int32 = 7
    for i in range(20):
        for j in range(30):
            A[k] = B[i, j] + T.float32(1)
            k = k + 1
        k = k + 2
"""


def test_counted_variable(t):
    found = explained(t, COUNTED)
    expect(any(note["form"] == "lanes" and "vadd.f32" in note["text"] for note in found), f"what k counts is not known: {found}")


# Loops over i, and what must be told of each: those that become lanes in the end.
ARRANGED = {
    "        A[4 * i] = B[4 * i] + C[2]\n        A[4 * i + 1] = B[4 * i + 1] + C[2]\n"
    "        A[4 * i + 2] = B[4 * i + 2] + C[2]\n        A[4 * i + 3] = B[4 * i + 3] + C[2]\n": "",
    "        A[i] = A[24 - i] - B[i]\n": "crosses",
    "        A[i] = A[0] + B[i]\n": "that others meet",
    "        if B[i] > T.float32(0):\n            A[i + 1] = C[i]\n        else:\n            C[i] = A[i] + B[i]\n": "apart",
    "        A[i] = A[i] + B[i]\n        x = B[i] + C[i]\n        if x > T.float32(5):\n            C[1] = A[i]\n            break\n"
    "        A[i + 40] = x\n": "leaves it",
    "        C[3] = B[i] + B[i]\n        A[i] = C[3] - A[i]\n": "alone stores",
    "        if B[i] > T.float32(0):\n            s = B[i] + C[i]\n        A[i] = s\n": "vscan",
    "        if B[i] > T.float32(0):\n            A[j] = B[i]\n            j = j + 1\n": "put together",
}


def test_arranged(t):
    head = HEAD + 'def f(A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32"), C: T.Buffer((100,), "float32")):\n'
    for body, how in ARRANGED.items():
        start = "    s: T.float32 = T.float32(1)\n    j: T.int32 = 0\n    for i in range(25):\n"
        notes = [note["text"] for note in explained(t, head + start + body)]
        expect(any(how in text for text in notes) and any("vstore" in text for text in notes), f"{body}: {notes}")
    counted = head + "    k: T.int32 = 1\n    for i in range(25):\n        j = k + 1\n        A[j] = B[k] + C[i]\n        k = j + 1\n"
    notes = explained(t, counted)
    expect(forms(notes) == {"i": "lanes"}, f"a counter by way of another one: {notes}")


# Bounds of j, and what is stored on both sides of the diagonal.
MIRRORED = {"i, 40": "C[i, j] = A[i] - A[j]", "i + 1": "C[j, i] = C[i, j] + A[j]", "i, T.min(i + 20, 40)": "C[i, j] = A[i] * A[j]"}


def test_diagonal(t):
    head = HEAD + 'def f(A: T.Buffer((40,), "float32"), C: T.Buffer((40, 40), "float32")):\n    for i in range(40):\n'
    for bounds, store in MIRRORED.items():
        body = f"        for j in range({bounds}):\n            {store}\n            C[{'j, i' if store[2] == 'i' else 'i, j'}] = A[j]\n"
        notes = [note["text"] for note in explained(t, head + body)]
        expect(any("that others meet" in text for text in notes), f"{body}: {notes}")


LAST = HEAD + """def f(A: T.Buffer((100,), "float32"), B: T.Buffer((1,), "int32")):
    x: T.int32 = -1
    for i in range(100):
        if A[i] > T.float32(0):
            x = i
    B[0] = x
"""


def test_last(t):
    found = explained(t, LAST)
    expect([note["form"] for note in found] == ["searched"], f"the last iteration is not searched for: {found}")


TILED = HEAD + """def f(A: T.Buffer((20, 22), "float32"), B: T.Buffer((22, 21), "float32"), C: T.Buffer((20, 21), "float32")):
    for i_0, j_0, k_0, i_1, k_1, j_1 in T.grid(3, 3, 3, 8, 8, 8):
        with T.sblock("c"):
            T.where(i_0 * 8 + i_1 < 20 and j_0 * 8 + j_1 < 21 and k_0 * 8 + k_1 < 22)
            vi = T.axis.spatial(20, i_0 * 8 + i_1)
            vj = T.axis.spatial(21, j_0 * 8 + j_1)
            vk = T.axis.reduce(22, k_0 * 8 + k_1)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"""


def test_splits(t):
    found = forms(explained(t, TILED))
    expect(found == {loop: "contraction" for loop in ("i_0, i_1", "j_0, j_1", "k_0, k_1")}, f"joined again: {found}")
    # Another reduction between the parts of one: they keep their places.
    between = TILED.replace("(22, 21)", "(66, 21)").replace("A[vi, vk] * B[vk, vj]", "A[vi, vk] * B[vr * 22 + vk, vj]")
    between = between.replace("k_0, i_1, k_1", "k_0, r, i_1, k_1").replace("3, 3, 3,", "3, 3, 3, 3,")
    between = between.replace("            with T.init", "            vr = T.axis.reduce(3, r)\n            with T.init")
    found = forms(explained(t, between))
    expect("i_0, i_1" in found and "k_0, k_1" not in found, f"in the order of the text: {found}")


def test_long_names(t):
    """A loop made of two is called by the beginnings of their names, which are no halves of characters."""
    name = "x" + "\u00e4" * 40
    notes = explained(t, TILED.replace("i_0", name + "_0").replace("i_1", name + "_1"))
    expect(any(note["loop"] == name[:20] + ", " + name[:20] for note in notes), f"{notes}")


VECTOR = HEAD + """def f(x: T.Buffer((1, 1, 64), "float32"), W: T.Buffer((64, 64), "float32"), y: T.Buffer((1, 1, 64), "float32")):
    for i, k in T.grid(64, 64):
        y[0, 0, i] = y[0, 0, i] + x[0, 0, k] * W[i, k]
"""


def test_vectors(t):
    expect(forms(explained(t, VECTOR)) == {"i": "contraction", "k": "contraction"}, "rows of the matrix lie along the sum")
    columns = forms(explained(t, VECTOR.replace("W[i, k]", "W[k, i]")))
    expect(columns["i"] == "lanes", f"rows of the matrix lie along the result: {columns}")


EACH_ROW = HEAD + """def f(A: T.Buffer((40, 24), "float32"), B: T.Buffer((24, 32), "float32"), D: T.Buffer((12, 32), "float32"), C: T.Buffer((40, 12), "float32")):
    t = T.alloc_buffer((32,))
    for i in range(40):
        for j in range(32):
            t[j] = T.float32(0)
            for k in range(24):
                t[j] = t[j] + A[i, k] * B[k, j]
        for l in range(12):
            C[i, l] = T.float32(0)
            for m in range(32):
                C[i, l] = C[i, l] + t[m] * D[l, m]
"""


def test_rows_of_their_own(t):
    found = forms(explained(t, EACH_ROW))
    expect(found == {loop: "contraction" for loop in "ijklm"}, f"each row's memory is a row of a matrix: {found}")
    kept = forms(explained(t, EACH_ROW.replace("            t[j] = T.float32(0)\n", "")))
    expect(kept["i"] == "scalar", f"every row goes on with what the one before has left: {kept}")
    block = """            with T.sblock("b"):
                vj = T.axis.remap("R", [j])
                with T.init():
                    t[vj] = T.float32(0)
                t[vj] = t[vj] + A[i, vj % 24]
"""
    begin, end = EACH_ROW.index("            t[j] = T.float32(0)"), EACH_ROW.index("        for l in")
    kept = forms(explained(t, EACH_ROW[:begin] + block + EACH_ROW[end:]))
    expect(kept["i"] == "scalar", f"only the first element is begun anew: {kept}")
    notes = explained(t, HEAD + """def f(A: T.Buffer((64, 300, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((64, 300, 32), "float32")):
    X = T.alloc_buffer((32,), "float32")
    for b in range(64):
        for i in range(300):
            for k in range(32):
                X[k] = A[b, i, k] + T.float32(1)
            for j in range(32):
                C[b, i, j] = T.float32(0)
                for m in range(32):
                    C[b, i, j] = C[b, i, j] + X[m] * B[m, j]
""")
    expect({("i", "contraction"), ("b", "threads")} <= {(note["loop"], note["form"]) for note in notes},
           f"a matrix for each of the threads: {notes}")


def test_loop_ir(t):
    t.write("k.py", EACH_ROW)
    whole = t.run("explain", "k.py", "--ir").text
    expect(t.run("explain", "--ir", "k.py").text == whole, "what follows --ir is the file")
    expect(whole.startswith('# as lowered\nfunction "f"\n  parameter A[40, 24]: f32 read\n'), f"begins as lowered: {whole[:200]}")
    expect("# after expand: " in whole and "# after fuse" not in whole, "only passes that change something are shown")
    stages = t.run("explain", "k.py", "--ir=expand", "-f", "f").text
    before, after = stages.split("# after expand: ")
    expect(before.startswith("# before expand: ") and before.split("\n", 1)[1] != after.split("\n", 1)[1], "what it changes")
    same = t.run("explain", "k.py", "--ir=fuse").text.split("# after fuse: ")
    expect(same[0].split("\n", 1)[1] == same[1].split("\n", 1)[1], "a pass that is asked for is shown either way")
    t.run("explain", "k.py", "--ir=fusion", code=USAGE, says="the passes are branches, privatise,")
    t.run("explain", "k.py", "--ir", "--json", code=USAGE, says="--ir prints text, not JSON")
    t.run("explain", "k.py", "--ir", "-f", "g", code=USAGE, says="there is no function of that name")


def test_passes_left_out(t):
    def compiled(*options):
        return t.run("compile", "k.py", "-o", "-", *options).out

    expect(forms(explained(t, MATMUL, "--disable", "contract")) != forms(explained(t, MATMUL)), "contractions are off")
    notes = explained(t, MATMUL, "--disable=contract,lanes")
    expect("lane loops are switched off" in [note["text"] for note in notes], f"lanes are off, too: {notes}")
    expect(compiled("--disable", "all") != compiled() and compiled("--disable", "reroll") == compiled(), "what is left out")
    for command in ("compile", "check", "explain", "inspect", "dis", "run", "bench", "profile"):
        t.run(command, "k.py", "--disable", "lanes,fusion", code=USAGE, says="there is no pass 'fusion': what can be left")
    t.run("compile", "k.py")
    t.run("check", "k.tirb", "--disable", "lanes", code=USAGE, says="--disable is for sources")


STEPPED = HEAD + """def f(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), s: T.int32):
    n = T.int32()
    for i in range(0, n - s, s):
        A[i] = A[i + s] + B[i]
"""


def test_step_that_is_a_size(t):
    """The name of a step means what the step is, and so a distance that is a step is one iteration."""
    t.write("k.py", STEPPED)
    text = t.run("explain", "k.py", "--plan").text
    expect("  i.1: strip-mining\n" in text and "copy" not in text, f"what lies one step ahead is loaded first: {text}")


NUMBERED_ROWS = HEAD + """def f(row: T.Buffer(("n",), "int32"), X: T.Buffer(("m * w",), "float32"), Y: T.Buffer(("n * w",), "float32"),
      n: T.int32, m: T.int32, w: T.int32):
    for i in range(n):
        for j in range(w):
            Y[i * w + j] = X[row[i] * w + j]
"""


def test_rows_that_memory_numbers(t):
    """No row's place wraps to one that is there, as memory has no more elements than int32 numbers."""
    t.write("k.py", NUMBERED_ROWS)
    text = t.run("explain", "k.py", "--plan").text
    expect("vloadx" not in text and text.count("reads X") >= 1, f"the elements of a row follow each other: {text}")


def test_plan(t):
    t.write("k.py", EACH_ROW)
    text = t.run("explain", "k.py", "--plan").text
    expect(text.startswith('# schedule\nfunction "f"\n'), f"begins with the function: {text[:200]}")
    expect("i: strip-mining\n" in text and "  contract.f32 i rows, j columns, k reduced\n" in text, f"says what loops became: {text}")
    expect(t.run("explain", "k.py", "--plan", "-f", "f").text == text, "the one function is all")
    t.run("explain", "k.py", "--plan", "-f", "g", code=USAGE, says="there is no function of that name")
    t.run("explain", "k.py", "--plan", "--json", code=USAGE, says="--plan prints text, not JSON")
    t.run("explain", "k.py", "--plan", "--ir", code=USAGE, says="--ir and --plan do not go together")


BORDERED = HEAD + """def f(A: T.Buffer(("h + 2", "w"), "float32"), B: T.Buffer(("h", "w"), "float32")):
    h, w = T.int32(), T.int32()
    for y, x in T.grid(h, w - 2):
        B[y, x + 1] = T.if_then_else(A[y, x] > T.float32(0), A[y + 2, x + 2], A[y + 1, x])
"""


def test_sums_as_extents(t):
    def lanes(text):
        return [note["text"] for note in explained(t, text) if note["loop"] == "x" and note["form"] == "lanes"]

    inside = lanes(BORDERED)
    expect(inside and "vindex" not in inside[0], f"y + 2 is below h + 2, and x + 2 below w: {inside}")
    for index in ("y + 3, x", "y, x + 3"):
        beside = lanes(BORDERED.replace("y + 2, x + 2", index))
        expect(beside and "vindex" in beside[0], f"[{index}] may be outside: {beside}")


def test_bounds_of_batches(t):
    mask = HEAD + """def f(A: T.Buffer((16, 100, 8), "float32"), L: T.Buffer((16,), "int32"), B: T.Buffer((16, 100, 8), "float32")):
    for b, s, c in T.grid(16, 100, 8):
        B[b, s, c] = T.if_then_else(s < L[b], A[b, s, c], T.float32(0))
"""
    for text, loop in ((mask, "s"), (mask.replace("s < L[b]", "s <= b"), "s"), (mask.replace("s < L[b]", "s < L[3]"), "s")):
        notes = explained(t, text)
        expect("split" in {note["form"] for note in notes if note["loop"] == loop or note["loop"] == "b"}, f"{notes}")
        expect(not any("vselect" in note["text"] for note in notes), f"copied and filled: {notes}")


def test_elements_that_count(t):
    notes = explained(t, HEAD + """def f(A: T.Buffer((999,), "float32"), B: T.Buffer((999,), "float32"), N: T.Buffer((1,), "int32")):
    N[0] = 0
    for i in range(999):
        if A[i] > T.float32(1):
            B[N[0]] = A[i]
            N[0] = N[0] + 1
""")
    expect("lanes" in {note["form"] for note in notes if note["loop"] == "i"}, f"what is kept: {notes}")


def test_short_lists(t):
    head = HEAD + """def f(A: T.Buffer((64, 64), "float32"), I: T.Buffer((64, 4), "int32"), B: T.Buffer((64, 64), "float32"), \\
      C: T.Buffer((64, 4), "float32")):
    for i, k in T.grid(64, 4):
        """
    for body in ("B[i, I[i, k]] = A[i, I[i, k]]", "B[i, I[i, k]] = B[i, I[i, k]] + C[i, k]", "C[i, k] = A[i, I[i, k]]"):
        notes = explained(t, head + body + "\n")
        expect([note["form"] for note in notes] == ["lanes"], f"{body}: {notes}")


def test_split_and_tree(t):
    text = HEAD + """def f(A: T.Buffer((64,), "float32"), B: T.Buffer((66,), "float32"), S: T.Buffer((1,), "float32")):
    for i in range(66):
        B[i] = T.if_then_else(1 <= i and i < 65, A[i - 1], 0.0)
    for r in range(64):
        with T.sblock("s"):
            vr = T.axis.reduce(64, r)
            with T.init():
                S[0] = T.float32(0)
            S[0] = S[0] + A[vr]
    while S[0] > 1.0:
        S[0] = S[0] * 0.5
"""
    notes = explained(t, text)
    expect({"split", "lanes"} <= {note["form"] for note in notes if note["loop"] == "i"}, f"the padding: {notes}")
    found = forms(notes)
    expect(found["r"] == "tree" and found["while"] == "scalar", f"{found}")


def test_sums_of_many_rows(t):
    body = """    s = T.alloc_buffer((1,), "float32")
    for i in range(40):
        s[0] = T.float32(0)
        for k in range(33):
            B[i, k] = T.exp(A[i, k])
            s[0] = s[0] + B[i, k]
        for j in range(33):
            B[i, j] = B[i, j] / s[0]
"""
    notes = explained(t, HEAD + 'def f(A: T.Buffer((40, 33), "float32"), B: T.Buffer((40, 33), "float32")):\n' + body)
    sums = [note for note in notes if note["loop"] == "i" and note["form"] == "lanes" and "vadd" in note["text"]]
    expect(len(sums) == 1 and not any("vscan" in note["text"] for note in notes), f"{notes}")


def test_sums_of_chosen_rows(t):
    text = HEAD + """def f(P: T.Buffer((21,), "int32"), I: T.Buffer((99,), "int32"), W: T.Buffer((50, 32), "float32"), \\
      O: T.Buffer((20, 32), "float32")):
    for i, j in T.grid(20, 32):
        s: T.float32 = T.float32(0)
        for k in range(P[i], P[i + 1]):
            s = s + W[I[k], j]
        O[i, j] = s / T.Cast("float32", P[i + 1] - P[i] + 1)
"""

    def along_rows(text):
        lanes = [note["text"] for note in explained(t, text) if note["loop"] == "j" and note["form"] == "lanes"]
        return any("vadd.f32" in ops for ops in lanes) and not any("vloadx" in ops for ops in lanes)

    expect(along_rows(text), "the sums are in their elements, and rows are added as they are")
    named = text.replace("s = s + W[I[k], j]", "r: T.int32 = I[k]\n            s = s + W[r, j]")
    expect(named != text and along_rows(named), "what is the same in all columns may have a name")
    for old, new in (("W[I[k], j]", "W[I[k], j] * O[i, j]"), ("O[i, j] =", "O[i, 0] ="), ("I[k], j", "j, I[k] % 32")):
        expect(not along_rows(text.replace(old, new)), f"{new}: each column for itself")


def test_reasons(t):
    head = HEAD + 'def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):\n'
    for body, reason in SCALAR.items():
        notes = [note for note in explained(t, head + body) if note["loop"] == "i"]
        expect(len(notes) == 1 and notes[0]["form"] == "scalar" and reason in notes[0]["text"], f"{body}: {notes}")


def test_text_shows_the_source(t):
    t.write("k.py", MATMUL)
    t.run("explain", "k.py", shows=["matmul:", "     4 |     for i, j, k in T.grid(32, 32, 32):", "|   j: "])


def test_one_function(t):
    second = MATMUL.replace("def matmul", "def other")
    t.write("k.py", MATMUL + second[second.index("@"):])
    both = {note["function"] for note in explained(t, MATMUL + second[second.index("@"):])}
    expect(both == {"matmul", "other"}, f"{both}")
    only = {note["function"] for note in explained(t, MATMUL + second[second.index("@"):], "-f", "other")}
    expect(only == {"other"}, f"{only}")
    t.run("explain", "k.py", "-f", "absent", code=USAGE, says="absent")


def test_no_loops(t):
    t.write("k.py", HEAD + 'def f(A: T.Buffer((4,), "float32")):\n    A[0] = T.float32(1)\n')
    t.run("explain", "k.py", shows="no loops")
    expect(explained(t, HEAD + 'def f(A: T.Buffer((4,), "float32")):\n    A[0] = T.float32(1)\n') == [], "JSON of none")


def test_errors(t):
    t.write("k.py", HEAD + "def f(:\n")
    t.run("explain", "k.py", code=PROGRAM, says="k.py:3")
    t.run("explain", "absent.py", code=FILES, says="absent.py")
    t.write("m.py", MATMUL)
    t.run("compile", "m.py", "-o", "m.tirb")
    t.run("explain", "m.tirb", code=PROGRAM, says="source")
