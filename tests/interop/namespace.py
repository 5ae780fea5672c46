"""Every name that TVM's `T` has is taken, or refused by a message that names it.

    namespace.py [--tirb PATH]

Each is called without arguments, as a value and as a statement of its own, in a kernel: TVM's own namespaces say which names there
are. Ends with `N passed, N failed`; exit status 1 on failure, 77 where TVM is not installed."""

import argparse
import concurrent.futures
import importlib
import os
import subprocess
import sys

KERNEL = """from tvm.script import {module} as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    {statement}
"""
# What a message says instead of the name: the statement that it is, or the name that TVM prints.
ALSO = {"break_loop": "break", "continue_loop": "continue", "bf16": "bfloat16", "boolean": "bool",
        "sblock": "a block is entered with 'with'", "tvm_call_packed": "call_packed",
        "tvm_call_cpacked": "call_cpacked", "tvm_call_packed_lowered": "call_packed_lowered",
        "tvm_call_cpacked_lowered": "call_cpacked_lowered",
        **{f"{short}{bits}": f"{long}{bits}" for short, long in (("i", "int"), ("u", "uint"), ("f", "float"))
           for bits in (8, 16, 32, 64)}}


def check(tirb, module, name, statement):
    """What is odd about the answer to a statement, or None."""
    text = KERNEL.format(module=module, statement=statement.format(name))
    done = subprocess.run([*tirb, "check", "-"], input=text, text=True, capture_output=True)
    if done.returncode == 0:
        return None
    message = done.stderr.partition("error: ")[2].partition("\n")[0]
    words = {name.lower(), ALSO.get(name, name)}
    if done.returncode == 1 and any(word in message.lower() for word in words):
        return None
    return f"{module}: {statement.format(name)}: {message or f'status {done.returncode}'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tirb", default=os.environ.get("TIRB", "build/release/bin/tirb"))
    tirb = parser.parse_args().tirb.split()
    cases = []
    for module in ("tirx", "tir"):
        try:
            namespace = importlib.import_module(f"tvm.script.{module}")
        except ImportError:
            continue
        names = [name for name in dir(namespace) if not name.startswith("_")]
        cases += [(module, name, statement) for name in names for statement in ("T.evaluate(T.{}())", "T.{}()")]
    if not cases:
        print("no TVM")
        return 77
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        odd = [answer for answer in pool.map(lambda case: check(tirb, *case), cases) if answer]
    print(*odd, sep="\n")
    print(f"{len(cases) - len(odd)} passed, {len(odd)} failed")
    return len(odd) > 0


if __name__ == "__main__":
    sys.exit(main())
