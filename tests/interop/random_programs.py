"""Random programs, of the generator that the differential test has, for TVM to read and print as well. Their values are left
to the oracle: they read what nothing has written, convert what does not fit, and TVM's sums are others."""

import os
import pathlib
import re
import subprocess

import tvm

SEEDS = range(1, 401)


def differential(tirb):
    """The generator stands beside the command."""
    return pathlib.Path(tirb).with_name("differential")


def printed(tirb, seed):
    """What tirb prints for the program of a seed."""
    made = subprocess.run([differential(tirb), "--seed", str(seed), "--count", "1", "--print"], capture_output=True, text=True)
    text = re.sub(r"\n\d+ equal, .*\s*\Z", "\n", made.stdout[made.stdout.index("from tvm"):])
    done = subprocess.run([tirb, "fmt", "--dialect", "tirx", "-"], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def program(tirb, seed):
    made = tvm.script.from_source(printed(tirb, seed))
    if not isinstance(made, tvm.IRModule):
        return made
    if len(made.get_global_vars()) > 1:
        raise ValueError("a module of several functions")
    return made["main"]


def random_programs(operator_type, tirb):
    if not os.access(differential(tirb), os.X_OK):
        return
    for seed in SEEDS:
        made = operator_type(f"random.{seed}", lambda seed=seed: program(tirb, seed))
        made.only_text = made.may_refuse = True
        yield made
