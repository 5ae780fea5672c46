"""Other spellings of counters: arithmetic that wraps, and comes back to what the counter was.

The text of a function stays what it was for whoever knows its values; what the compiler takes for linear, it has to find
exact first. A counter is respelled where its loop is of int32 and begins at 0, by forms that hold for what is below 65536.
"""

import random
import re

FORMS = (
    "({} + 2147483647 - 2147483647)",
    "({} - 2147483647 + 2147483647)",
    "(2147483647 - (2147483647 - {}))",
    "({0} * 1073741825 - {0} * 1073741824)",
    "({0} * 65537 - {0} * 65536)",
    'T.Cast("int32", T.Cast("int64", {}) + T.int64(4294967296))',
    'T.Cast("int32", T.Cast("int64", {}) * T.int64(1))',
    'T.Cast("int32", T.Cast("uint32", {} - 5) + T.uint32(5))',
    'T.Cast("int32", T.Cast("uint16", {} + 65536))',
    "T.min(T.max({}, 0), 2147483647)",
    "T.max({} + 2147483647 - 2147483647, 0)",
)

LOOP = re.compile(r"\s*for ([\w, ]+) in (?:range|T\.serial|T\.parallel|T\.grid)\((.*)\):$")


def counters(line):
    """The counters of a loop that begin at 0 and are of int32."""
    loop = LOOP.match(line)
    if not loop or "int64" in line or "uint" in line:
        return []
    names = [name.strip() for name in loop[1].split(",")]
    return names if len(names) > 1 or "," not in loop[2] else []


def respelled(seed, text, often=0.25):
    """The text, or in so many of all cases one in which some mentions of counters are respelled."""
    pick = random.Random(f"spelling {seed}")
    if pick.random() >= often:
        return text
    lines, known = text.split("\n"), []
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        known = [(name, at) for name, at in known if at < depth or not line.strip()]
        head, body = re.match(r"(\s*for .*? in \S*?\(|)(.*)", line, re.S).groups()
        for name in sorted({name for name, _ in known}) if "T.axis" not in line else ():
            body = re.sub(rf"(?<![\w.\"]){name}(?![\w\"]|\s*:|\s*=[^=])",
                          lambda found: pick.choice(FORMS).format(found[0]) if pick.random() < 0.3 else found[0], body)
        lines[number] = head + body
        known = [(name, at) for name, at in known if name not in counters(line)] + [(name, depth) for name in counters(line)]
    return "\n".join(lines)
