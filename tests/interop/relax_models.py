#!/usr/bin/env python3
"""Whole models in Relax against TVM: tirb runs the same text, with the same bits on every instruction set and number of
threads.

    relax_models.py TIRB"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import relax_operators as operators  # and skips where TVM is not installed
import numpy as np
import tvm
from tvm import relax

MLP = ('''
    @R.function
    def main(a: R.Tensor(("n", 16), dtype="float32"), b: R.Tensor((16, 32), dtype="float32"),
             c: R.Tensor((32,), dtype="float32"), d: R.Tensor((32, 10), dtype="float32"),
             e: R.Tensor((10,), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv = R.matmul(a, b)
            lv1 = R.add(lv, c)
            lv2 = R.nn.relu(lv1)
            lv3 = R.matmul(lv2, d)
            lv4 = R.add(lv3, e)
            gv = R.nn.softmax(lv4, axis=-1)
            R.output(gv)
        return gv
''', [(5, 16), (16, 32), (32,), (32, 10), (10,)])

CNN = ('''
    @R.function
    def main(a: R.Tensor((2, 3, 16, 16), dtype="float32"), b: R.Tensor((8, 3, 3, 3), dtype="float32"),
             c: R.Tensor((8,), dtype="float32"), d: R.Tensor((8, 8, 3, 3), dtype="float32"),
             e: R.Tensor((8, 10), dtype="float32")):
        with R.dataflow():
            lv = R.nn.conv2d(a, b, padding=1)
            lv1 = R.reshape(c, (1, 8, 1, 1))
            lv2 = R.add(lv, lv1)
            lv3 = R.nn.relu(lv2)
            lv4 = R.nn.max_pool2d(lv3, pool_size=2, strides=2)
            lv5 = R.nn.conv2d(lv4, d, padding=1)
            lv6 = R.nn.batch_norm(lv5, c, c, c, R.abs(c), axis=1, training=False)
            lv7 = lv6[0]
            lv8 = R.add(lv7, lv4)
            lv9 = R.nn.adaptive_avg_pool2d(lv8, output_size=1)
            lv10 = R.squeeze(lv9, axis=[2, 3])
            gv = R.matmul(lv10, e)
            R.output(gv)
        return (gv, c)
''', [(2, 3, 16, 16), (8, 3, 3, 3), (8,), (8, 8, 3, 3), (8, 10)])

TRANSFORMER = ('''
    @R.function
    def main(a: R.Tensor((2, "s", 32), dtype="float32"), b: R.Tensor((32, 96), dtype="float32"),
             c: R.Tensor((32, 32), dtype="float32"), d: R.Tensor((32,), dtype="float32"),
             e: R.Tensor((32, 64), dtype="float32"), f: R.Tensor((64, 32), dtype="float32")):
        s = T.int64()
        with R.dataflow():
            lv = R.nn.layer_norm(a, d, d, axes=[-1])
            lv1 = R.matmul(lv, b)
            lv2 = R.split(lv1, 3, axis=-1)
            lv3 = R.reshape(lv2[0], (2, s, 4, 8))
            lv4 = R.reshape(lv2[1], (2, s, 4, 8))
            lv5 = R.reshape(lv2[2], (2, s, 4, 8))
            lv6 = R.nn.attention(lv3, lv4, lv5, causal_mask="TopLeft")
            lv7 = R.reshape(lv6, (2, s, 32))
            lv8 = R.matmul(lv7, c)
            lv9 = R.add(lv8, a)
            lv10 = R.nn.rms_norm(lv9, d, axes=[-1])
            lv11 = R.matmul(lv10, e)
            lv12 = R.nn.gelu(lv11)
            lv13 = R.matmul(lv12, f)
            gv = R.add(lv13, lv9)
            R.output(gv)
        return gv
''', [(2, 7, 32), (32, 96), (32, 32), (32,), (32, 64), (64, 32)])

BRANCHES = ('''
    @R.function
    def double(a: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        gv = R.add(a, a)
        return gv

    @R.function
    def main(a: R.Tensor((3,), dtype="float32"), b: R.Tensor((3,), dtype="float32")):
        cls = Module
        lv = R.less(R.sum(a), R.sum(b))
        if lv:
            r = cls.double(a)
        else:
            r1 = R.multiply(b, R.const(3, "float32"))
            r = R.exp(r1)
        gv = R.add(r, a)
        return gv
''', [(3,), (3,)])

MODELS = {"mlp": MLP, "cnn": CNN, "transformer": TRANSFORMER, "branches": BRANCHES}


def main():
    tirb, wrong, runs = sys.argv[1], 0, 0
    rng = np.random.default_rng(7)
    listed = subprocess.run([tirb, "version"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model, (text, shapes) in MODELS.items():
            inputs = [(rng.standard_normal(s) * 0.3).astype("float32") for s in shapes]
            mod = tvm.script.from_source(operators.MODULE + text)
            vm = relax.VirtualMachine(tvm.compile(mod, "llvm"), tvm.cpu())
            wanted = operators.flat(vm["main"](*[tvm.runtime.tensor(x) for x in inputs]))
            bits = []
            isas = ["", *re.findall(r"\b(generic|sse2|avx2|avx512|neon)\b", listed)]
            for isa in isas:
                for threads in ("1", "2"):
                    os.environ["TIRB_ISA"] = isa
                    if not isa:
                        del os.environ["TIRB_ISA"]
                    found, message = operators.tirb_results(tirb, folder, operators.HEADER + text, inputs, len(wanted),
                                                            ["--threads", threads])
                    if message:
                        print(f"WRONG {model}: {message}")
                        wrong += 1
                        break
                    bits.append([x.tobytes() for x in found])
                    problem = next((p for w, f in zip(wanted, found) if (p := operators.difference(w, f, ""))), "")
                    if problem or bits[-1] != bits[0]:
                        print(f"WRONG {model} {isa} {threads}: {problem or 'other bits'}")
                        wrong += 1
            runs += len(bits)
            print(f"{model}: {len(bits)} runs")
    print(f"{runs - wrong} passed, {wrong} failed")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
