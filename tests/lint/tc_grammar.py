#!/usr/bin/env python3
"""compiler/tc/tc.tmLanguage.json, the grammar that editors colour Tensor Comprehensions by, is what the tables of the
front end make it: fails where it is not, or where LANGUAGE.md lacks a word. `--write` writes it."""
import json
import pathlib
import re
import sys

ROOM = pathlib.Path(__file__).resolve().parents[2] / "compiler/tc"
GRAMMAR = ROOM / "tc.tmLanguage.json"


def words(file, macro):
    return re.findall(rf'(?m)^{macro}\((?:\w+, )?"([^"]+)"', (ROOM / file).read_text())


def pattern(names, scope, before=r"\b", after=r"\b"):
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return {"name": f"{scope}.tc", "match": f"{before}(?:{'|'.join(map(re.escape, ordered))}){after}"}


def grammar():
    keywords = words("token.def", "TIRBI_TC_KEYWORD")
    constants = [word for word in keywords if word in ("true", "false")]
    functions = [word for word in keywords if word in ("min", "max")]
    types = words("token.def", "TIRBI_TC_TYPE") + words("token.def", "TIRBI_TC_ALIAS")
    signs = [sign for sign in words("token.def", "TIRBI_TC_PUNCT") if sign not in "(){}," and sign not in ("..", "...")]
    return {
        "name": "Tensor Comprehensions",
        "scopeName": "source.tc",
        "fileTypes": ["tc"],
        "patterns": [
            {"name": "comment.line.number-sign.tc", "match": "#.*$"},
            {"match": r"\b(def)\s+([A-Za-z_]\w*)",
             "captures": {"1": {"name": "keyword.control.tc"}, "2": {"name": "entity.name.function.tc"}}},
            {"name": "variable.parameter.placeholder.tc", "match": r"\$\{[A-Za-z_]\w*\}"},
            {"name": "variable.other.dimension.tc", "match": r"(?<=\w)\.\d+\b"},
            {"name": "constant.numeric.tc", "match": r"(?<!\w)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\b"},
            pattern([s for s in signs if s.endswith(("=", "=!")) and s not in ("==", "!=", "<=", ">=")],
                    "keyword.operator.assignment", before="", after="(?!=)"),
            pattern(constants, "constant.language"),
            pattern([w for w in keywords if w not in constants + functions], "keyword.control"),
            pattern(types, "storage.type"),
            pattern(words("builtins.def", "TIRBI_TC_BUILTIN") + functions + ["pad"], "support.function",
                    after=r"(?=\s*\()"),
            pattern(signs, "keyword.operator", before="", after=""),
        ],
    }


def main():
    text = json.dumps(grammar(), indent=2) + "\n"
    if "--write" in sys.argv[1:]:
        GRAMMAR.write_text(text)
    wrong = [] if GRAMMAR.exists() and GRAMMAR.read_text() == text else [f"{GRAMMAR.name} is not what the tables say"]
    language = re.findall(r"\w+|[^\w\s]+", (ROOM / "LANGUAGE.md").read_text())
    told = set(language) | {sign for line in (ROOM / "LANGUAGE.md").read_text().split() for sign in line.split("`")}
    for file, macro in (("token.def", "TIRBI_TC_KEYWORD"), ("token.def", "TIRBI_TC_TYPE"), ("token.def", "TIRBI_TC_ALIAS"),
                        ("token.def", "TIRBI_TC_PUNCT"), ("builtins.def", "TIRBI_TC_BUILTIN")):
        wrong += [f"LANGUAGE.md lacks {word}" for word in words(file, macro)
                  if word not in told and word != "..."]  # of Relax's operators alone (compiler/relax/OPERATORS.md)
    print("\n".join(wrong) if wrong else "the grammar and LANGUAGE.md have every word of the tables")
    return 1 if wrong else 0


sys.exit(main())
