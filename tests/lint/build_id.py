"""The id of a build, by which caches know what compiled an entry, changes with every file that decides what is compiled:
an operator's text as well as C.

    build_id.py ROOT
"""

import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path("loader/cmake/build_id.cmake")


def identify(root, tree):
    out = tree / "id.c"
    subprocess.run(["cmake", f"-DROOT={tree}", f"-DOUTPUT={out}", "-P", root / SCRIPT], check=True)
    return out.read_text()


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    rooms = ("include", "loader", "vm", "compiler")
    names = [p.relative_to(root).as_posix() for room in rooms for p in (root / room).rglob("*") if p.is_file()]
    kinds = {(name.split("/")[0], pathlib.Path(name).suffix): name for name in sorted(names)}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for name in kinds.values():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("before")
        before = identify(root, tree)
        for (_, kind), name in kinds.items():
            (tree / name).write_text("after")
            if (identify(root, tree) != before) != (kind != ".md"):
                wrong.append(name)
            (tree / name).write_text("before")
    for name in wrong:
        print(f"{name}: the id of a build does not tell whether it changed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
