#!/usr/bin/env python3
"""Copies the loader's sources with a switch in each check, for the mutation gate (gate.py):

    instrument.py --root SOURCE --into FOLDER FILE...

A check is one of these, and off means what stands beside it:

    if (CONDITION) REFUSE;    never refuses; with `||`, each operand is a check of its own as well
    TIRBI_TRY(CALL);          the call is made, its status is not looked at
    return STATUS;            TIRB_OK instead of a call's or a choice's status

REFUSE ends with a `return` of something other than success, or says that a reader has failed. The switches are calls of
mutation_is_off(NUMBER), which tests/mutation/switch.c answers from the environment. FOLDER/checks.json lists the checks
by number: file, line, and the text that is switched off."""
import argparse
import json
import pathlib
import re

# What is code, and what only looks like it.
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*|\w+|\|\||&&|\S',
                   re.S | re.M)
# What a check ends with: a status that says why, no, or no length.
REFUSAL = re.compile(r"return (?:\w*(?:fail|error_set|too_large|report_)\w*\(.*|finish\(.*|false|0);$")
# Functions of isa.c that decode what is not verified yet; the others read tables of its own and verified code.
ONLY_IN = {"isa.c": re.compile(r"read_|tirbi_decode$"), "pack.c": re.compile(r"unpack_|tirbi_unpack"),
           "frame.c": re.compile(r"tirbi_frame_read$")}


def tokens_of(text):
    """(text, start, end) of all that is neither a comment nor a line of the preprocessor."""
    found = []
    for match in TOKEN.finditer(text):
        word = match.group()
        if word.startswith(("/*", "//")) or word.lstrip(" \t").startswith("#"):
            continue
        found.append((word, match.start(), match.end()))
    return found


def closing(tokens, at):
    """The place of the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i][0] in pairs:
            depth += 1
        elif tokens[i][0] in pairs.values():
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("a bracket is not closed")


def statement_end(tokens, at):
    """The place of the last token of the statement that begins at `at`."""
    if tokens[at][0] == "{":
        return closing(tokens, at)
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i][0] in "([{":
            depth += 1
        elif tokens[i][0] in ")]}":
            depth -= 1
        elif tokens[i][0] == ";" and depth == 0:
            return i
    raise ValueError("a statement does not end")


def operands(tokens, first, last):
    """Ranges of what the outermost `||` of tokens first .. last - 1 stand between; one range if there is none."""
    depth, starts = 0, [first]
    for i in range(first, last):
        if tokens[i][0] in "([{":
            depth += 1
        elif tokens[i][0] in ")]}":
            depth -= 1
        elif tokens[i][0] == "||" and depth == 0:
            starts.append(i + 1)
        elif tokens[i][0] == "?" and depth == 0:
            return [(first, last)]
    return [(start, (starts + [last + 1])[n + 1] - 1) for n, start in enumerate(starts)]


class Source:
    """One file: its text, the functions in it, and what is inserted where."""

    def __init__(self, name, text, first_number):
        self.name, self.text, self.tokens = name, text, tokens_of(text)
        self.inserts, self.checks, self.number = [], [], first_number

    def slice(self, first, last):
        return self.text[self.tokens[first][1]:self.tokens[last - 1][2]]

    def new_check(self, first, last):
        start = self.tokens[first][1]
        self.checks.append({"number": self.number, "file": self.name, "line": self.text.count("\n", 0, start) + 1,
                            "text": " ".join(self.slice(first, last).split())})
        self.number += 1
        return self.number - 1

    def insert(self, place, text):
        self.inserts.append((place, len(self.inserts), text))

    def switch_condition(self, first, last):
        """A condition, tokens first .. last - 1, that is false when it is off."""
        for begin, end in operands(self.tokens, first, last):
            number = self.new_check(begin, end)
            self.insert(self.tokens[begin][1], f"(!mutation_is_off({number}) && (")
            self.insert(self.tokens[end - 1][2], "))")

    def switch_status(self, first, last):
        number = self.new_check(first, last)
        self.insert(self.tokens[first][1], f"mutation_status({number}, ")
        self.insert(self.tokens[last - 1][2], ")")

    def refuses(self, first, last):
        """Whether the statement of tokens first .. last refuses at its end."""
        if self.tokens[first][0] == "{":
            if last - first < 2:
                return False
            begins = [first + 1] + [i + 1 for i in range(first + 1, last - 1) if self.tokens[i][0] == ";"]
            if len(begins) > 1 and self.tokens[begins[-1]][0] in ("return", "break"):
                if self.slice(begins[-2], begins[-1]).endswith("failed = true;"):
                    return True
            first, last = begins[-1], last - 1
        text = " ".join(self.slice(first, last + 1).split())
        if re.search(r"failed = true;$", text):
            return True
        return bool(REFUSAL.match(text))

    def functions(self):
        """(name, returns, first, last) of each function's body."""
        i = 0
        while i < len(self.tokens):
            if self.tokens[i][0] != "{":
                i += 1
                continue
            end = closing(self.tokens, i)
            if self.tokens[i - 1][0] == ")":
                opening, level = i - 1, 1
                while level > 0:
                    opening -= 1
                    level += (self.tokens[opening][0] == ")") - (self.tokens[opening][0] == "(")
                yield self.tokens[opening - 1][0], self.tokens[opening - 2][0], i + 1, end
            i = end

    def walk(self, returns, first, last):
        """Switches for all checks of a body."""
        skip = set()  # the `return` of a check's own refusal
        for i in range(first, last):
            word = self.tokens[i][0]
            if word == "if" and self.tokens[i + 1][0] == "(":
                end = closing(self.tokens, i + 1)
                stop = statement_end(self.tokens, end + 1)
                if self.refuses(end + 1, stop):
                    self.switch_condition(i + 2, end)
                    skip.update(range(end + 1, stop + 1))
            elif word == "TIRBI_TRY" and i not in skip:
                self.switch_status(i + 2, closing(self.tokens, i + 1))
            elif word == "return" and returns == "tirb_status" and i not in skip:
                end = statement_end(self.tokens, i)
                if "(" in self.slice(i + 1, end):
                    self.switch_status(i + 1, end)

    def instrumented(self):
        only = ONLY_IN.get(pathlib.Path(self.name).name)
        for name, returns, first, last in self.functions():
            if not only or only.match(name):
                self.walk(returns, first, last)
        # The switches stand between lines of the source, whose numbers the compiler goes on to tell.
        pieces, at = ['#include "tests/mutation/switch.h"\n#line 1 "', self.name, '"\n'], 0
        for place, _, text in sorted(self.inserts):
            pieces += [self.text[at:place], text]
            at = place
        return "".join(pieces + [self.text[at:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--into", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    checks = []
    for name in arguments.files:
        source = Source(name, (arguments.root / name).read_text(), len(checks) + 1)
        text = source.instrumented()
        copy = arguments.into / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
        checks += source.checks
    (arguments.into / "checks.json").write_text(json.dumps(checks, indent=1) + "\n")


if __name__ == "__main__":
    main()
