"""Random expressions whose values have elements of different sizes, run on every instruction set.

    mixed.py [--tirb PATH] [--seed N] [--count N] [--keep FOLDER]

Comparisons of one type choose between values of another, casts go both ways between all integers and floats, operands are
elements, scalars, constants and counters; in loops that are shorter than a block, a little longer, and many blocks long. What
banks of registers, strips in memory and tails make of them is the generic machine's, bit for bit. Ends with `N passed, N failed`;
exit status 1 on failure. Modules that fail are left in the folder that --keep names."""

import random
import sys

from nests import check_all, run  # which is skipped without NumPy
import numpy as np

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
SIZES = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 33, 47, 63, 65, 100, 129, 300)
FUNCTIONS_PER_MODULE = 12


class Mixed:
    """One loop with one to three stores of random expressions."""

    def __init__(self, seed):
        self.random = random.Random(f"mixed {seed}")
        self.name = f"mixed_{seed}"
        self.types = self.random.sample(TYPES, self.random.randint(2, 4))
        self.inputs = [(f"A{i}", self.random.choice(self.types)) for i in range(self.random.randint(1, 4))]
        self.outputs = [(f"O{i}", self.random.choice(self.types)) for i in range(self.random.choice([1, 1, 1, 2, 3]))]
        self.scalar = self.random.choice(self.types)

    def constant(self, dtype):
        n = self.random.randint(0, 9) if dtype.startswith(("u", "f")) else self.random.randint(-9, 9)
        return f"T.{dtype}({n})"

    def leaf(self, dtype):
        pick = self.random.random()
        if pick < 0.12:
            return self.constant(dtype)
        name, own = self.random.choice(self.inputs + self.outputs if pick > 0.9 else self.inputs)
        text = f"{name}[i]"
        if pick < 0.3:
            text, own = "s", self.scalar
        elif pick < 0.36:
            text, own = "i", "int32"
        return text if own == dtype else f'T.Cast("{dtype}", {text})'

    def value(self, dtype, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(dtype)
        pick = self.random.random()
        if pick < 0.35:
            other = self.random.choice(self.types)
            order = self.random.choice(["<", "<=", "==", "!=", ">", ">="])
            condition = f"{self.value(other, depth - 1)} {order} {self.value(other, depth - 1)}"
            form = self.random.choice(["T.Select({}, {}, {})", "T.if_then_else({}, {}, {})"])
            return form.format(condition, self.value(dtype, depth - 1), self.value(dtype, depth - 1))
        if pick < 0.55:
            other = self.random.choice(self.types)
            # Floats beyond a type's range become what is nearest to it, on all machines.
            return f'T.Cast("{dtype}", {self.value(other, depth - 1)})'
        a, b = self.value(dtype, depth - 1), self.value(dtype, depth - 1)
        return self.random.choice(["({} + {})", "({} - {})", "({} * {})", "T.min({}, {})", "T.max({}, {})"]).format(a, b)

    def script(self):
        buffers = [f'{name}: T.Buffer(("n",), "{dtype}")' for name, dtype in self.inputs + self.outputs]
        lines = ["    @T.prim_func(s_tir=True)", f"    def {self.name}({', '.join(buffers)}, s: T.{self.scalar}):", "        n = T.int32()",
                 "        for i in range(n):"]
        for name, dtype in self.outputs:
            lines.append(f"            {name}[i] = {self.value(dtype, self.random.choice([2, 3, 3, 4]))}")
        return "\n".join(lines)


def numbers(rng, dtype, n):
    if dtype.startswith("float"):
        return rng.choice(np.array([0.0, 1.0, -1.0, 2.5, -7.25, 100.0, 1e4]), n).astype(dtype)
    return rng.integers(0 if dtype.startswith("u") else -9, 10, n).astype(dtype)


def check(tirb, bundle, function, isas, folder):
    """What is wrong with one function, or None."""
    rng = np.random.default_rng(function.random.getrandbits(32))
    for n in function.random.sample(SIZES, 3):
        words = [str(bundle), "-f", function.name, "--threads", function.random.choice(["1", "3"]), f"s={function.random.randint(0, 9)}"]
        for name, dtype in function.inputs + function.outputs:
            np.save(folder / f"{name}.npy", numbers(rng, dtype, n))
            words.append(f"{name}=@{folder / name}.npy")
        for name, _ in function.outputs:
            words += ["-o", f"{name}=@{folder / name}.out.npy"]
        wanted = None
        for isa in isas:
            result = run(tirb, "run", *words, isa=isa)
            if result.returncode:
                return f"{isa}: {result.stderr.strip()}"
            found = {name: np.load(folder / f"{name}.out.npy").tobytes() for name, _ in function.outputs}
            wanted = wanted or found
            if found != wanted:
                return f"{isa}: not the bytes of {isas[0]}, n = {n}: {', '.join(name for name in found if found[name] != wanted[name])}"
    return None


def check_module(tirb, seeds, isas, folder, keep):
    functions = [Mixed(seed) for seed in seeds]
    source, bundle = folder / "mixed.py", folder / "mixed.tirb"
    head = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
    source.write_text(head + "\n\n".join(function.script() for function in functions) + "\n")
    compiled = run(tirb, "compile", str(source), "-o", str(bundle))
    if compiled.returncode:
        failures = {"all": compiled.stderr.strip()}
    else:
        found = {function.name: check(tirb, bundle, function, isas, folder) for function in functions}
        failures = {name: wrong for name, wrong in found.items() if wrong}
    for name, wrong in failures.items():
        print(f"FAIL {name}: {wrong}", flush=True)
    if failures and keep:
        (keep / f"mixed_{seeds[0]}.py").write_text(source.read_text())
    return len(functions) - len(failures), len(failures)


if __name__ == "__main__":
    sys.exit(check_all("Random expressions of several sizes on every instruction set.", 60, FUNCTIONS_PER_MODULE, check_module))
