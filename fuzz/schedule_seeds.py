#!/usr/bin/env python3
"""Seeds that TVM's own schedules make: what its primitives, its default schedules and its lowering leave of operators,
as TVM prints it.

    fuzz/schedule_seeds.py [--count N] OUT

writes N of these programs to OUT, chosen by the seed; none where apache-tvm is not installed."""
import argparse
import pathlib
import random
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import tvm
    from tvm import te
    from tvm.s_tir import dlight
except ImportError:
    print("0 programs: apache-tvm is not installed")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/interop"))
import lowered  # noqa: E402
import schedules  # noqa: E402

CPU = {"kind": "llvm", "num-cores": 4}
GPU = {"kind": "cuda", "max_shared_memory_per_block": 49152, "max_threads_per_block": 1024, "thread_warp_size": 32}
RULES = {
    "cpu": (CPU, (dlight.cpu.GEMV, dlight.cpu.Reduction)),
    "gpu": (GPU, (dlight.gpu.Matmul, dlight.gpu.GEMV, dlight.gpu.Reduction, dlight.gpu.GeneralReduction, dlight.gpu.Transpose,
                  dlight.gpu.Fallback)),
}


class Operator:
    """As much of one as tests/interop makes here: its name, and what makes its program."""

    def __init__(self, name, make, length=1):
        self.name, self.make = name, make


def module_of(tensors):
    return tvm.IRModule({"main": te.create_prim_func(tensors())})


def by_default(tensors, target, rules):
    with tvm.target.Target(target):
        return dlight.ApplyDefaultSchedule(*(rule() for rule in rules))(module_of(tensors))["main"]


def programs():
    """(name, what makes it) of all of them."""
    for table in (schedules.scheduled, schedules.reduced_by_threads, lowered.lowered):
        for operator in table(Operator):
            yield operator.name, operator.make
    for name, (tensors, _) in schedules.BASES.items():
        for kind, (target, rules) in RULES.items():
            yield f"default.{kind}.{name}", lambda tensors=tensors, target=target, rules=rules: by_default(tensors, target, rules)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    # One of each family after the other, so that few are of all of them.
    families, made, refused = {}, 0, 0
    for name, make in programs():
        family = ".".join(name.split(".")[:2 if name.startswith("default") else 1])
        families.setdefault(family, []).append((name, make))
    chosen = random.Random(arguments.seed)
    for members in families.values():
        chosen.shuffle(members)
    while made < arguments.count and any(families.values()):
        for members in families.values():
            if not members or made == arguments.count:
                continue
            name, make = members.pop()
            try:
                text = make().script()
            except Exception:  # refused by TVM: any of its exception types
                refused += 1
                continue
            (arguments.out / name).write_text(text)
            made += 1
    print(f"{made} programs; {refused} are refused by TVM")
    return 0


if __name__ == "__main__":
    sys.exit(main())
