"""Running `tirb` and saying what it should have done. Each test is a function `test_...(t)` of a module of this folder;
`t` runs the command in a folder of its own and collects what was wrong."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DONE, PROGRAM, USAGE, FILES, REJECTED, CALL, INTERNAL = 0, 1, 2, 3, 4, 5, 70
PATIENCE = 60


def sampled(sizes):
    """All of them, or each so many-th where TIRB_TEST_EVERY says that a process is dear here (under sanitizers)."""
    return sizes[::int(os.environ.get("TIRB_TEST_EVERY", 1))]


# B[0] = x + x, B[2] = A[k]; returns x + x. k leaves A from 4 on.
AXPB = """.fp precise
.source "s.py"
.function "axpb" public returns f32
.scalars 4
.ref f32
.ref f32 writable
.scalar "x" f32 s0
.scalar "k" i32 s1
.tensor "A" f32 r0 read (4)
.tensor "B" f32 r1 write (4)
.line 3 5
    add.f32 s2, s0, s0
    load.f32 s3, r0, s1
    store.f32 r1, 2, s3
    store.f32 r1, 0, s2
    ret.f32 s2
.end
"""


def axpb(t):
    """The name of a bundle with that function."""
    t.write("s.tirs", AXPB)
    t.run("asm", "s.tirs")
    return "s.tirb"


class Failed(Exception):
    pass


class Result:
    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def reason(self):
        return self.err.decode("utf-8", "replace")

    def __str__(self):
        return f"tirb {' '.join(map(str, self.words))}\n    exit {self.code}\n    stdout {self.text[:500]!r}\n    stderr {self.reason[:500]!r}"


class Bench:
    """A folder, a command, and a cache of the test's own beside the folder."""

    def __init__(self, tirb, folder):
        self.tirb, self.folder = tirb, folder / "work"
        self.cache = folder / "cache"
        self.folder.mkdir()

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        path = self.folder / name
        if isinstance(text, str):
            path.write_text(text, encoding="utf-8")
        else:
            path.write_bytes(text)
        return path

    def run(self, *words, code=DONE, says=(), shows=(), lines=None, stdin=b"", env=None,
            stdout=subprocess.PIPE):
        """Runs the command in the folder and checks its exit code, what stderr and stdout contain, and how many lines
        stderr has."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TIRB_")}
        environment["TIRB_CACHE_DIR"] = str(self.cache)
        environment.update(env or {})
        try:
            done = subprocess.run([self.tirb, *map(str, words)], cwd=self.folder, env=environment, input=stdin,
                                  stdout=stdout, stderr=subprocess.PIPE, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {PATIENCE} s: tirb {' '.join(map(str, words))}") from None
        # A sanitizer says in a line of its own that it refused memory, which the command then reports.
        reason = b"".join(l for l in done.stderr.splitlines(keepends=True) if b"AddressSanitizer failed to allocate" not in l)
        result = Result(words, done.returncode, done.stdout or b"", reason)
        if result.code != code:
            raise Failed(f"exit code {result.code} instead of {code}: {result}")
        for text in [says] if isinstance(says, str) else says:
            if text not in result.reason:
                raise Failed(f"stderr does not say {text!r}: {result}")
        for text in [shows] if isinstance(shows, str) else shows:
            if text not in result.text:
                raise Failed(f"stdout does not show {text!r}: {result}")
        if code != DONE and not result.reason.strip():
            raise Failed(f"no reason: {result}")
        if lines is not None and len(result.reason.splitlines()) != lines:
            raise Failed(f"stderr has {len(result.reason.splitlines())} lines instead of {lines}: {result}")
        return result

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())


def expect(condition, message):
    if not condition:
        raise Failed(message)
