"""Samples that differ from one commit to the next, and are the same for all who run a commit's tests."""

import pathlib
import subprocess


def number_of_commits():
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=pathlib.Path(__file__).resolve().parent, text=True,
                          capture_output=True)
    return int(done.stdout) if done.returncode == 0 else 1
