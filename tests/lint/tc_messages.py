#!/usr/bin/env python3
"""Every error of the front end of Tensor Comprehensions has a golden file: fails on a message of compiler/tc that no
`# error:` comment of tests/golden/error_tc_*.tc shows.

A message is the format of a call that reports an error; what a `%` stands for may be anything."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("lexer.c", "parser.c", "check.c", "check_expr.c", "infer.c", "size.c", "lower.c", "lower_expr.c")
REPORTS = re.compile(r"\b(?:tirbi_report_error|fail|bad_token)\((.*?)\);", re.DOTALL)
LITERAL = r'"(?:[^"\\]|\\.)*"'
LITERALS = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
EXPECTED = re.compile(r"\b(?:expect|expect_close|read_name|fail_expected)\((.*?)\)[;,\s)&|]", re.DOTALL)
CONVERSION = re.compile(r"%(?:\.\*)?(?:ll)?[sdu]|%02x")


def texts_of(call):
    """The messages that a call may report: literals, neighbours as one, that say something."""
    for run in LITERALS.findall(call):
        text = re.sub(r'"\s*"', "", run)[1:-1].replace('\\"', '"')
        if len(text) > 3:
            yield text


def messages_of(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    for call in REPORTS.findall(text):
        for message in texts_of(call):
            if message not in ("%s", "this bracket is open"):
                yield message
    if path.name == "parser.c":
        for call in EXPECTED.findall(text):
            for what in texts_of(call):
                yield f"expected {what}, found %s"


def main():
    shown = "\n".join(line for golden in sorted((ROOT / "tests/golden").glob("error_tc_*.tc"))
                      for line in golden.read_bytes().decode(errors="replace").splitlines()
                      if line.startswith("# error:"))
    seen, missing = set(), []
    for name in SOURCES:
        for message in messages_of(ROOT / "compiler/tc" / name):
            pattern = ".*".join(re.escape(part) for part in CONVERSION.split(message.replace("%%", "%")))
            if message not in seen and not re.search(pattern, shown):
                missing.append(f"{name}: {message}")
            seen.add(message)
    for line in missing:
        print(f"no golden file shows {line}")
    print(f"{len(seen) - len(missing)} of {len(seen)} messages have a golden file")
    return 1 if missing or len(seen) < 60 else 0


sys.exit(main())
