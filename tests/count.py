#!/usr/bin/env python3
"""Counts what ran in a ctest result: count.py RESULTS.xml prints "PASSED FAILED SKIPPED".

A test program counts as many tests as it says it ran (cmocka's closing lines, or `N passed, N failed`), else as one."""

import re
import sys
import xml.etree.ElementTree as ElementTree

OWN = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test", re.M)
CMOCKA_FAILED = re.compile(r"^\[  FAILED  \] (\d+) test", re.M)
# The differential test: one line for all its random programs.
COMPARED = re.compile(r"^(\d+) equal, (\d+) trapped alike, .*?(\d+) rejected, (\d+) differ", re.M)


def counts_of(case):
    """(passed, failed, skipped) of one test program."""
    status = case.get("status")
    if status == "disabled" or case.find("skipped") is not None:
        return 0, 0, 1
    output = case.findtext("system-out") or ""
    passed = failed = 0
    for own_passed, own_failed in OWN.findall(output):
        passed, failed = passed + int(own_passed), failed + int(own_failed)
    for equal, trapped, rejected, differ in COMPARED.findall(output):
        passed, failed = passed + int(equal) + int(trapped), failed + int(rejected) + int(differ)
    passed += sum(map(int, CMOCKA_PASSED.findall(output)))
    failed += sum(map(int, CMOCKA_FAILED.findall(output)))
    if status != "run" and failed == 0:
        failed = 1
    if status == "run" and passed == 0:
        passed = 1
    return passed, failed, 0


def main():
    cases = ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
    print(*map(sum, zip((0, 0, 0), *map(counts_of, cases))))


main()
