"""The cache of compiled sources and `tirb cache`."""

import json
import os
import subprocess

from harness import FILES, PROGRAM, USAGE, expect

ADD = '''@T.prim_func
def add(A: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32")):
    n = T.int32()
    for i in range(n):
        C[i] = A[i] + T.float32(1)
'''
WARNS = '''@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), i: T.int32, j: T.int64):
    A[i, j] = T.float32(1)
'''
CALL = ("add.py", "3xf32=1,2,3")
SHOWN = "C: 3xf32 = 2, 3, 4\n"


def entries(t, **more):
    return json.loads(t.run("cache", "--json", **more).text)["entries"]


def is_cached(t, *words, **more):
    return json.loads(t.run("bench", *(words or CALL), "--runs", "1", "--json", **more).text)["cached"]


def test_compiles_once(t):
    t.write("add.py", ADD)
    expect(not t.cache.exists(), "a cache before the first compilation")
    t.run("run", *CALL, shows=SHOWN)
    expect([e["source"] for e in entries(t)] == ["add.py"], entries(t))
    expect(t.cache.stat().st_mode & 0o777 == 0o700, "the directory is open to others")
    expect(is_cached(t), "the second time is no hit")
    for command in ("check", "inspect", "dis"):
        fresh = t.run(command, "add.py", "--no-cache").out
        expect(t.run(command, "add.py").out == fresh, f"{command} differs")
    t.run("run", *CALL, shows=SHOWN)
    expect(len(entries(t)) == 1, "the same source has two entries")


def test_what_an_entry_depends_on(t):
    t.write("add.py", ADD)
    expect(not is_cached(t) and is_cached(t), "no hit")
    expect(not is_cached(t, *CALL, "--fp", "strict"), "another rounding")
    expect(not is_cached(t, *CALL, "--disable", "lanes"), "other passes")
    expect(is_cached(t, *CALL, "--disable", "lanes"), "the same passes again")
    expect(not is_cached(t, *CALL, "--max-errors", "3"), "another number of messages")
    t.write("add.py", ADD + "\n")
    expect(not is_cached(t), "another text")
    t.write("sub.py", ADD)
    expect(not is_cached(t, "sub.py", "3xf32=1"), "another name, which messages show")
    expect(is_cached(t, "sub.py", "3xf32=1"), "no hit")
    expect(len(entries(t)) == 6, entries(t))


def test_stdin_and_compile(t):
    t.run("compile", "-", "-o", "-", stdin=ADD.encode())
    expect(entries(t) == [], "compile keeps something")
    t.run("run", "-", CALL[1], shows=SHOWN, stdin=ADD.encode())
    t.run("run", "-", CALL[1], shows=SHOWN, stdin=ADD.encode())
    expect([e["source"] for e in entries(t)] == ["<stdin>"], entries(t))


def test_off(t):
    t.write("add.py", ADD)
    t.run("run", *CALL, "--no-cache", shows=SHOWN)
    t.run("run", *CALL, env={"TIRB_CACHE_DIR": ""}, shows=SHOWN)
    expect(not t.cache.exists(), "something was kept")
    t.run("cache", env={"TIRB_CACHE_DIR": ""}, shows="the cache is off")
    expect(json.loads(t.run("cache", "--json", env={"TIRB_CACHE_DIR": ""}).text)["directory"] is None, "a directory")
    t.run("cache", "clear", env={"TIRB_CACHE_DIR": ""}, shows="0 entries deleted")


def test_default_directory(t):
    t.write("add.py", ADD)
    base = {k: v for k, v in os.environ.items() if not k.startswith("TIRB_") and k not in ("XDG_CACHE_HOME", "HOME")}
    for settings, place in (({"XDG_CACHE_HOME": str(t.path("x"))}, "x/tirb"), ({"HOME": str(t.path("h"))}, "h/.cache/tirb"),
                            ({"XDG_CACHE_HOME": "relative", "HOME": str(t.path("h2"))}, "h2/.cache/tirb"), ({}, None)):
        done = subprocess.run([t.tirb, "check", "add.py"], cwd=t.folder, env={**base, **settings}, capture_output=True)
        expect(done.returncode == 0 and not done.stderr, done)
        expect(place is None or len(list(t.path(place).iterdir())) == 1, place)
    expect(t.files() == ["add.py", "h", "h2", "x"], t.files())


def test_wrong_programs_are_not_kept(t):
    t.write("bad.py", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = missing\n")
    for _ in range(2):
        t.run("check", "bad.py", code=PROGRAM, says="bad.py:3:12: error: ")
    expect(entries(t) == [], entries(t))


def test_warnings_are_said_again(t):
    t.write("warn.py", WARNS)
    first = t.run("check", "warn.py", says="warning: ")
    again = t.run("check", "warn.py")
    expect(len(entries(t)) == 1, entries(t))
    expect(again.err == first.err and again.out == first.out, f"{again}")
    expect(t.run("check", "warn.py", "--no-cache").err == first.err, "--no-cache says something else")


def test_damage_is_a_miss(t):
    t.write("add.py", ADD)
    t.run("run", *CALL)
    (entry,) = t.cache.iterdir()
    good = entry.read_bytes()
    for bad in (b"", good[:-1], good + b"x", good[:100] + bytes([good[100] ^ 1]) + good[101:], good[:60]):
        entry.write_bytes(bad)
        t.run("run", *CALL, shows=SHOWN, lines=0)
        expect(entry.read_bytes() == good, "the entry was not made anew")
    entry.write_bytes(b"junk")
    expect(entries(t)[0]["damaged"], "the damage is not shown")
    t.run("cache", shows="(damaged)")
    entry.unlink()
    t.write("elsewhere", good).chmod(0o600)
    entry.symlink_to(t.path("elsewhere"))
    expect(not is_cached(t), "a link was followed")
    expect(entry.is_file() and not entry.is_symlink() and t.path("elsewhere").read_bytes() == good, "the link was written through")


def test_directories_that_are_not_used(t):
    t.write("add.py", ADD)
    t.cache.mkdir(mode=0o755)
    t.cache.chmod(0o755)
    t.run("run", *CALL, shows=SHOWN, lines=0)
    expect(list(t.cache.iterdir()) == [], "an open directory is used")
    t.run("cache", code=FILES, says=["cache", "755"], lines=1)
    t.run("cache", "clear", code=FILES, lines=1)
    t.write("file", "")
    for place in (t.path("file"), "/proc/nowhere", "/dev/null/x"):
        t.run("run", *CALL, shows=SHOWN, lines=0, env={"TIRB_CACHE_DIR": str(place)})
    if os.geteuid() == 0:
        t.cache.chmod(0o700)
        os.chown(t.cache, 12345, -1)
        t.run("run", *CALL, shows=SHOWN, lines=0)
        expect(list(t.cache.iterdir()) == [], "somebody else's directory is used")
        t.run("cache", code=FILES, says="12345", lines=1)


def test_list_and_clear(t):
    t.run("cache", shows="0 of at most 1024 entries, 0 B of 256.0 MiB\n")
    expect(not t.cache.exists(), "listing makes the directory")
    for name in ("a.py", "b.py"):
        t.write(name, ADD)
        t.run("check", name)
    t.run("cache", shows=["a.py\n", "b.py\n", "2 of at most 1024 entries"])
    (t.cache / "notes.txt").write_text("not ours")
    (t.cache / "deadbeef.kept").write_text("not ours either")
    t.run("cache", "clear", shows="2 entries deleted")
    expect(sorted(p.name for p in t.cache.iterdir()) == ["deadbeef.kept", "notes.txt"], "what is not ours was deleted")
    t.run("cache", "clear", "--json", shows='{"cleared":0}')
    t.run("cache", "empty", code=USAGE, says="clear")


def test_budget(t):
    for i in range(4):
        t.write(f"k{i}.py", ADD + "#" * 2000 * (i + 1))
        t.run("check", f"k{i}.py", env={"TIRB_CACHE_SIZE": "16K"})
    expect([e["source"] for e in entries(t)] == ["k3.py", "k2.py"], entries(t))
    expect(sum(e["size"] for e in entries(t)) <= 16 << 10, entries(t))
    t.run("check", "k0.py", code=USAGE, says="TIRB_CACHE_SIZE", env={"TIRB_CACHE_SIZE": "lots"})


def test_two_at_once(t):
    t.write("add.py", ADD)
    environment = {**os.environ, "TIRB_CACHE_DIR": str(t.cache)}
    running = [subprocess.Popen([t.tirb, "run", *CALL], cwd=t.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT) for _ in range(8)]
    for process in running:
        out, _ = process.communicate(timeout=60)
        expect(process.returncode == 0 and out.decode() == SHOWN, out)
    expect(len(list(t.cache.iterdir())) == 1, list(t.cache.iterdir()))
