import numpy as np

from reference import Programs

programs = Programs("types.tc")
VECTORS = ["N=1", "N=7", "N=100"]
KINDS = {"u": "uint", "i": "int", "f": "float"}


def whole_range(name, dtype):
    limits = np.iinfo(dtype)
    return {name: lambda rng, s: rng.integers(limits.min, limits.max, s["N"], dtype=dtype, endpoint=True)}


programs("copy_bool", lambda A: A, out="bool", sizes=VECTORS)
for kind, bits in (("u", 8), ("u", 16), ("u", 32), ("u", 64), ("i", 8), ("i", 16), ("i", 32), ("i", 64), ("f", 16), ("f", 32), ("f", 64)):
    dtype = f"{KINDS[kind]}{bits}"
    programs(f"copy_{kind}{bits}", lambda A: A, out=dtype, ops="0", sizes=VECTORS, given={} if kind == "f" else whole_range("A", dtype))
for name, dtype in (("sum_u16", "uint16"), ("sum_u64", "uint64"), ("sum_i8", "int8")):
    programs(name, lambda A: [A.sum(dtype=A.dtype)], out=dtype, sizes=VECTORS, given=whole_range("A", dtype))
programs("aliases", lambda A, B, C, D: (A + B.astype(int), C + A, D + D), out="int32 int64 float16", ops="1", sizes=VECTORS)
programs("signs_mix", lambda A, B, C, D: ((A.astype(np.int64) + B).astype(np.int32), C.astype(np.int64) - D), out="int32 int64", sizes=VECTORS,
         given={**whole_range("A", "uint32"), **whole_range("B", "int32"), **whole_range("C", "uint64"), **whole_range("D", "int8")})
programs("widths_mix", lambda A, B, C: (A * B, (A.astype(int) - C)), out="uint16 int16", sizes=VECTORS,
         given={**whole_range("A", "uint8"), **whole_range("B", "uint16"), **whole_range("C", "int16")})
programs("floats_mix", lambda A, B, C: (A + B, C * A), out="double float", ops="4", sizes=VECTORS)
programs("truncated", lambda A: int(A + 4), out="int32", given={"A": lambda rng, s: 1.5})
programs("to_int", lambda A: np.trunc(A * 1), out="int32", sizes=VECTORS, given={"A": lambda rng, s: rng.uniform(-100, 100, s["N"])})
programs("to_byte", lambda A: A, out="uint8", sizes=VECTORS, given=whole_range("A", "int32"))
programs("to_float", lambda A: A, ops="0", sizes=VECTORS, given=whole_range("A", "int64"))
programs("to_half", lambda A: A, out="float16", ops="0", sizes=VECTORS)
programs("to_double", lambda A: A * A, out="double", ops="0", sizes=VECTORS)
programs("to_bool", lambda A: A != 0, out="bool", sizes=VECTORS, given={"A": lambda rng, s: rng.integers(-1, 2, s["N"]) * 256})
programs("from_bool", lambda A: A * 3, out="int32", sizes=VECTORS)
DIVISORS = {"B": lambda rng, s: rng.choice([-7, -3, -2, -1, 1, 2, 3, 5, 100], s["N"]), "A": lambda rng, s: rng.integers(-50, 50, s["N"])}
programs("floor_of", lambda A, B: (A // B, A % B), out="int32 int32", sizes=VECTORS, given=DIVISORS)
programs("floor_by_constants", lambda A: (A // 7, A % 5), out="int32 int32", sizes=VECTORS, given=whole_range("A", "int32"))
programs("float_remainder", np.fmod, ops="4", sizes=VECTORS)
SMALL = {name: lambda rng, s: rng.integers(-2, 3, s["N"]) for name in "abc"}
programs("compared", lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b), out="bool float int8 bool bool bool", ops="0", sizes=VECTORS,
         given={name: SMALL[name] for name in "ab"})
for a, b in ((0.25, 0.25), (0.5, 0.25), (0.25, 0.75), (0.75, 0.75)):
    programs("logic", lambda a, b: (not a < 0.5 or b > 0.5, not a < 0.5 and b > 0.5), out="float float", ops="0",
             given={"a": lambda rng, s, a=a: a, "b": lambda rng, s, b=b: b})
programs("logic_in_words", lambda A, B: (A & ~B, A), out="bool bool", sizes=VECTORS)
programs("integer_extrema", lambda a, b, c: (np.minimum(a, np.maximum(b, c)), np.minimum(a, np.maximum(b, c)) + np.maximum(b, c)),
         out="int32 int32", sizes=VECTORS)
programs("negated", lambda A: (-A).astype(int) - 1, out="int32", sizes=VECTORS, given=whole_range("A", "int8"))
programs("chosen", lambda A: np.where(A > 0, 1, 0.5), ops="0", sizes=VECTORS)
programs("annotated_wider", lambda A: (A, A * A), ops="0", sizes=VECTORS)
programs("literals", lambda A: (A * 1e-2 + 3e2 - 0.5, A * 3 + 8), out="float int32", ops="4", sizes=VECTORS)
programs("precedence", lambda A: (-3 % 2 + 27 - A, np.select([A <= -5, A < 0, A > 5], [2, 1, 3], 4)), out="int32 int32", sizes=VECTORS)
programs("half_product", lambda A, B: A * B + A, out="float16", ops="2", sizes=VECTORS)
