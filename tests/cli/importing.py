"""`tirb import`: what it makes of what its Python says. The front ends themselves are tested where TVM is
(interop/onnx_models.py); here a script stands for that Python."""

import sys

from harness import FILES, PROGRAM, USAGE, expect

TEXT = """# inputs: x
# weights: w
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), w: R.Tensor((2,), dtype="float32")):
        y = R.add(x, w)
        return y
"""


def python(t, body):
    """A Python that does this with the script's arguments, which are in `words`."""
    path = t.write("python", f"#!{sys.executable}\nimport sys\nwords = sys.argv[3:]\n{body}\n")
    path.chmod(0o755)
    return {"TIRB_PYTHON": str(path)}


def converts(t, text=TEXT):
    return python(t, f"if '--weights' in words: open(words[words.index('--weights') + 1], 'w').write('weights')\n"
                     f"print({text!r}, end='')")


def test_import_writes_bundle_and_weights(t):
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", "--params", "m.safetensors", env=converts(t),
          shows="tirb run m.tirb -f main x=@x.npy --params m.safetensors\n")
    expect(t.path("m.safetensors").read_text() == "weights", "the weights are what the script has written")
    t.run("run", "m.tirb", "-f", "main", "2xf32=1,2", "2xf32=10", shows="11, 12")
    t.run("import", "m.onnx", "-o", "n.tirb", "--params", "w.npz", "--text", "n.py", env=converts(t),
          shows="--params w.npz")
    expect(t.path("n.py").read_text() == TEXT, "the text is kept")
    expect(not [name for name in t.files() if name.count(".") > 1], f"nothing else is left behind: {t.files()}")


def test_import_keeps_weights_in_the_bundle(t):
    text = TEXT.replace("# weights: w", "# weights: ").replace("R.add(x, w)", "R.add(x, x)")
    t.write("m.onnx", "model")
    for options in ((), ("--params", "m.safetensors")):  # of which there may be none that are large
        printed = t.run("import", "m.onnx", *options, env=converts(t, text)).text
        expect(printed == "tirb run m.tirb -f main x=@x.npy\n", printed)
        expect("m.safetensors" not in t.files(), "there are no weights")


def test_import_keeps_names_of_results(t):
    text = TEXT.replace("        y = R.add", '        R.func_attr({"tirb.results": "/layer/out:0"})\n        y = R.add')
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env=converts(t, text))
    t.run("inspect", "m.tirb", shows="-> (/layer/out:0: Tensor([2], float32))")
    t.run("run", "m.tirb", "-f", "main", "2xf32=1,2", "2xf32=10", "-o", "/layer/out:0=@y.npy")
    t.run("run", "m.tirb", "-f", "main", "2xf32=1,2", "2xf32=10", "--expect", "0=@y.npy", shows="/layer/out:0: matches")


def test_import_hands_options_on(t):
    t.write("m.onnx", "model")
    environment = python(t, "print(*words)\nsys.exit(1)")
    t.run("import", "m.onnx", "--shape", "x=1,3", "--shape", "y=n", "--params", "w.npz", env=environment,
          code=PROGRAM, says=["--weights w.npz.", "--format npz --shape x=1,3 --shape y=n -- m.onnx"])
    t.run("import", "m.onnx", env=environment, code=PROGRAM, says="m.onnx: -- m.onnx")
    expect("w.npz" not in t.files(), "what failed leaves no weights behind")


def test_import_says_what_the_script_says(t):
    t.write("m.onnx", "model")
    for status, code in ((1, PROGRAM), (2, USAGE), (3, FILES), (4, USAGE)):
        t.run("import", "m.onnx", env=python(t, f"print('what is wrong')\nsys.exit({status})"), code=code,
              says="what is wrong", lines=1)
    t.run("import", "m.onnx", env=python(t, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), code=PROGRAM,
          says="crashed")
    t.run("import", "m.onnx", "--diagnostics", "json", env=python(t, "print('a word')\nsys.exit(1)"), code=PROGRAM,
          says='"message":"m.onnx: a word"')


def test_import_says_what_is_to_be_known_of_a_model(t):
    text = TEXT.replace("# weights: w\n", "# weights: w\n# warning: it is another one\n")
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env=converts(t, text), shows="tirb run m.tirb", says="m.onnx: warning: it is another one",
          lines=1)
    t.run("import", "m.onnx", "--diagnostics", "json", env=converts(t, text), says='"severity":"warning"')


def test_import_prints_types_of_raw_data(t):
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env=converts(t, TEXT.replace("# inputs: x\n", "# inputs: x:bf16\n")),
          shows="-f main x=@x.npy:bf16\n")


def test_import_of_a_text_that_is_too_large(t):
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env=python(t, "for _ in range(513): print('#' * (1 << 20))"), code=PROGRAM,
          says="leave them beside it with --params", lines=1)


def test_import_without_python(t):
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env={"TIRB_PYTHON": "no-python-of-this-name"}, code=USAGE,
          says=["no-python-of-this-name", "apache-tvm", "TIRB_PYTHON"], lines=1)


def test_import_of_what_cannot_be_lowered(t):
    call = 'R.memory.view(x, R.shape([1]), R.dtype("float64"), R.prim_value(0))'
    text = TEXT.replace("R.add(x, w)", call)
    t.write("m.onnx", "model")
    t.run("import", "m.onnx", env=converts(t, text), code=PROGRAM, says=["m.onnx:10:13: error: R.memory.view"])
    other = text + "    @R.function\n    def other(x: R.Tensor((2,), 'float32')):\n        return R.add(x, x)\n"
    t.run("import", "m.onnx", env=converts(t, other), code=PROGRAM,
          says=["m.onnx:10:13: warning", "`main` is left out (see above)"])
    expect("m.tirb" not in t.files() and "m.safetensors" not in t.files(), "nothing is written")


def test_import_of_weights_that_were_not_asked_for(t):
    """Whatever TIRB_PYTHON says."""
    t.write("m.onnx", "model")
    done = t.run("import", "m.onnx", env=converts(t))
    expect(done.text == "tirb run m.tirb -f main x=@x.npy\n", done.text)


def test_import_options(t):
    t.run("import", "m.onnx", "--params", "w.bin", code=USAGE, says=".safetensors or .npz")
    t.run("import", code=USAGE, says="MODEL")
    t.run("import", "m.onnx", "-o", "nowhere/m.tirb", code=FILES, says="nowhere/m.tirb")
