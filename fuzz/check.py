#!/usr/bin/env python3
"""Runs the fuzz targets of a build over the seeds and the stored regressions:

    fuzz/check.py --build build/asan [--mutate N]     with fuzz_replay: the inputs, and N made from them
    fuzz/check.py --build build/fuzz --live SECONDS   with libFuzzer, so long for each target

An input that fails is left in BUILD/fuzz-work/. Ends with a line `N passed, N failed`."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGETS = ("text", "comprehensions", "run", "bundle", "assembly", "bind", "values", "cache")
DICTIONARIES = {"text": "tvmscript.dict", "comprehensions": "tc.dict", "assembly": ROOT / "fuzz/tirb.dict", "bundle": ROOT / "fuzz/tirb.dict",
                "run": ROOT / "fuzz/tirb.dict"}
# How much the mutated inputs of a target cost, against those of fuzz_run.
SHARE = {"text": 1, "comprehensions": 2, "run": 1, "bundle": 4, "assembly": 8, "bind": 50, "values": 50, "cache": 20}
SMALL = ("bind", "values", "cache")  # targets of little code, which are fuzzed for half the time
SEEDS_A_SECOND = 15  # that libFuzzer begins with: it goes through all of them first, however long that takes


def environment():
    chosen = dict(os.environ)
    chosen.setdefault("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=1")
    chosen.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    return chosen


def stored(target):
    folder = ROOT / "fuzz/regressions" / target
    return [str(folder)] if folder.is_dir() else []


def replay(target, arguments, work):
    folder = work / f"replay-{target}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(arguments.build / "bin/fuzz_replay"), target, "--mutate", str(arguments.mutate * SHARE[target]),
               "--seed", str(arguments.seed), str(work / "seeds" / target)] + stored(target)
    return subprocess.run(command, cwd=folder, env=environment(), text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def live(target, arguments, work):
    corpus = work / f"corpus-{target}"
    corpus.mkdir(parents=True, exist_ok=True)
    seconds = max(arguments.live // 2, 1) if target in SMALL else arguments.live
    seeds = sorted(map(str, (work / "seeds" / target).iterdir()))
    begin_with = work / f"begin-{target}"
    begin_with.write_text(",".join(seeds[::1 + len(seeds) // (seconds * SEEDS_A_SECOND)]))
    command = [str(arguments.build / "bin" / f"fuzz_{target}"), f"-max_total_time={seconds}", "-timeout=25",
               "-rss_limit_mb=4096", "-max_len=32768", "-print_final_stats=1", f"-artifact_prefix={work}/{target}-",
               f"-seed={arguments.seed}", f"-seed_inputs=@{begin_with}"]
    if target in DICTIONARIES:
        command.append(f"-dict={work / 'seeds' / DICTIONARIES[target]}")
    return subprocess.run(command + [str(corpus)] + stored(target), cwd=work, env=environment(), text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def summary(output):
    """libFuzzer's figures, or the line that fuzz_replay ends with."""
    found = dict(re.findall(r"stat::(\w+):\s+(\d+)", output))
    if not found:
        return output.strip().splitlines()[-1] if output.strip() else "no output"
    edges = re.findall(r"\bcov: (\d+) ft: (\d+)", output)
    return (f"{found['number_of_executed_units']} inputs, {found['average_exec_per_sec']} a second, "
            f"{edges[-1][0] if edges else '?'} edges, {edges[-1][1] if edges else '?'} features, "
            f"{found['new_units_added']} new")


def took_none(output):
    """Whether mutated inputs were run and every one was refused at the door: then nothing behind it was tried."""
    found = re.search(r"(\d+) mutated inputs, .*; \d+ and (\d+) were taken", output)
    return bool(found) and int(found[1]) > 0 and int(found[2]) == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--tirb", type=pathlib.Path, help="makes the seeds; by default that of the build")
    parser.add_argument("--mutate", type=int, default=0)
    parser.add_argument("--live", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    work = arguments.build / "fuzz-work"
    work.mkdir(exist_ok=True)
    made = subprocess.run([sys.executable, str(ROOT / "fuzz/seeds.py"), "--tirb", str(arguments.tirb or arguments.build / "bin/tirb"),
                           "--replay", str(arguments.build / "bin/fuzz_replay"), str(work / "seeds")], env=environment())
    if made.returncode != 0:
        print("0 passed, 1 failed")
        return 1
    run = live if arguments.live else replay
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        begun = {pool.submit(run, target, arguments, work): target for target in arguments.targets}
        for done in concurrent.futures.as_completed(begun):
            result, target = done.result(), begun[done]
            if result.returncode != 0:
                print(result.stdout[-6000:])
            none = result.returncode == 0 and took_none(result.stdout)
            failed += none or result.returncode != 0
            said = "failed" if result.returncode else summary(result.stdout) + ": failed, none" * none
            print(f"{target}: {said}", flush=True)
    print(f"{len(arguments.targets) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
