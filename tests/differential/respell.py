"""Other spellings of counters, arithmetic that wraps and comes back to what the counter was; and other parameters: some that
may be the same memory, some of which one element is all of a dimension.

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


HEADER = re.compile(r"( *)def \w+\((.*)\)[^)]*:$")
PARAMETER = re.compile(r'(\w+): T\.Buffer\(\(([^()]*)\), "(\w+)"\)')


def shared(pick, header):
    """The header of a function with pairs of parameters that may be the same memory, more often than not of one type."""
    arrays = [(name, dtype) for name, _, dtype in PARAMETER.findall(header)]
    pairs = set()
    for name, dtype in pick.sample(arrays, min(len(arrays), pick.choice([1, 1, 2]))):
        others = [other for other in arrays if other[0] != name]
        alike = [other for other in others if other[1] == dtype]
        if others:
            other = pick.choice(alike if alike and pick.random() < 0.8 else others)
            pairs.add(tuple(sorted((name, other[0]))))
    pad = HEADER.match(header)[1]
    return header + (f'\n{pad}    T.func_attr({{"tirb.may_alias": {[list(pair) for pair in sorted(pairs)]}}})' if pairs else "")


def spread(pick, header):
    """The header with parameters whose dimensions have one element at times, whatever the index."""

    def wider(found):
        if pick.random() < 0.4:
            return found[0]
        extents = [extent.strip() for extent in found[2].split(",") if extent.strip()]
        some = [("1" if extent.isdigit() and pick.random() < 0.4 else extent) for extent in extents]
        return f'{found[1]}: T.Buffer(({", ".join(some)},), "{found[3]}", buffer_type="auto")'

    return PARAMETER.sub(wider, header)


def with_parameters(seed, text, often=0.2):
    """The text, or in so many of all cases one whose functions have such parameters."""
    pick = random.Random(f"parameters {seed}")
    if pick.random() >= often or "func_attr" in text:
        return text
    change = shared if "match_buffer" in text else pick.choice([shared, spread])  # whose memory has to be all there
    return "\n".join(change(pick, line) if HEADER.match(line) else line for line in text.split("\n"))
