"""Compiles every source of the tests and some random ones by several builds of `tirb`, and compares the bundles' bytes.

    same_bundles.py [--count N] [--seed N] TIRB TIRB...

What the compiler decides must not depend on which C compiler built it: an order in which arguments are evaluated shows here first.
A source that one build refuses, all must refuse. Ends with `N passed, N failed`; exit status 1 when bytes differ."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "differential"))
import irregular  # noqa: E402


def sources(folder, seed, count):
    texts = [(path, path.read_text(errors="replace")) for path in sorted(TESTS.rglob("*"))
             if path.suffix in (".py", ".tc", ".tirs") and path.is_file()]
    yield from (path for path, text in texts if path.suffix != ".py" or "prim_func" in text or "@tvm" in text or "hybrid" in text)
    for number in range(seed, seed + count):
        path = folder / f"random{number}.py"
        path.write_text(irregular.HEAD + irregular.make(number))
        yield path


def bundle(tirb, source, folder):
    """The bytes that one build makes of a source, or None."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        made = pathlib.Path(place) / "made.tirb"
        command = "asm" if source.suffix == ".tirs" else "compile"
        done = subprocess.run([tirb, command, str(source), "-o", str(made)], capture_output=True, check=False)
        return made.read_bytes() if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tirb", nargs="+")
    options = parser.parse_args()
    passed = failed = refused = 0
    with tempfile.TemporaryDirectory(prefix="tirb_bundles_") as folder:
        folder = pathlib.Path(folder)
        listed = list(sources(folder, options.seed, options.count))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda source: [bundle(tirb, source, folder) for tirb in options.tirb], listed)
            for source, bundles in zip(listed, made):
                same = all(other == bundles[0] for other in bundles)
                passed += same and bundles[0] is not None
                refused += same and bundles[0] is None
                failed += not same
                if not same:
                    print(f"{source}: {', '.join('refused' if b is None else f'{len(b)} bytes' for b in bundles)}")
    print(f"{refused} sources that are refused by all")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
