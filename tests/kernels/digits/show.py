"""Prints handwritten digits as text with the prediction beside the label, and the accuracy over all of them.

    show.py SCORES.npy [COUNT]

SCORES.npy holds what `predict` wrote (float32, N x 10). Images and labels are read from this script's folder. Needs
nothing but Python.
"""

import ast
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHADES = " .:-=+*#%@"
ACROSS = 6


def read_npy(path):
    """The shape and the flat list of values of a C-ordered .npy file of u1, i4 or f4."""
    data = pathlib.Path(path).read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise SystemExit(f"show.py: {path} is not a .npy file")
    length, start = (struct.unpack_from("<H", data, 8)[0], 10) if data[6] == 1 else (struct.unpack_from("<I", data, 8)[0], 12)
    header = ast.literal_eval(data[start:start + length].decode("latin-1"))
    code = {"|u1": "B", "<i4": "i", "<f4": "f"}.get(header["descr"])
    if code is None or header["fortran_order"]:
        raise SystemExit(f"show.py: {path} holds {header['descr']}, expected u1, i4 or f4 in C order")
    count = 1
    for extent in header["shape"]:
        count *= extent
    return header["shape"], struct.unpack_from(f"<{count}{code}", data, start + length)


def caption(label, scores):
    digit = max(range(10), key=lambda d: scores[d])
    mark = " " if digit == label else "!"
    return digit, f"{mark}{digit} {scores[digit]:4.0%} is {label}"


def main(arguments):
    if len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    (n, _), flat = read_npy(arguments[0])
    wanted = int(arguments[1]) if len(arguments) == 2 else 12
    (pictures, height, width), images = read_npy(HERE / "images.npy")
    _, labels = read_npy(HERE / "labels.npy")
    if n != pictures:
        raise SystemExit(f"show.py: {arguments[0]} holds {n} rows, expected {pictures}")
    scores = [flat[i * 10:i * 10 + 10] for i in range(n)]
    results = [caption(labels[i], scores[i]) for i in range(n)]
    wrong = [i for i in range(n) if results[i][0] != labels[i]]
    # Some of the first pictures, and at the end one that was taken for another digit.
    shown = list(range(min(wanted, n)))
    if wrong and shown and wrong[0] not in shown:
        shown[-1] = wrong[0]
    for first in range(0, len(shown), ACROSS):
        row = shown[first:first + ACROSS]
        for y in range(height):
            lines = []
            for i in row:
                pixels = images[(i * height + y) * width:(i * height + y + 1) * width]
                lines.append("".join(SHADES[min(p, 16) * (len(SHADES) - 1) // 16] * 2 for p in pixels))
            print("  ".join(lines).rstrip())
        print("  ".join(results[i][1].center(2 * width) for i in row).rstrip())
        print()
    print(f"{n - len(wrong)} of {n} right: {(n - len(wrong)) / n:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
