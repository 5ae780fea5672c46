""".npy files, read and written: every type, both orders, odd headers, and files that are not right. The program of
these tests hands its argument back, so what is compared has gone through the reader and the writer."""

import itertools
import struct

import numpy as np

from harness import CALL, FILES, USAGE, expect, sampled

TYPES = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
         "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}


def same(t, name, ndim):
    """A bundle whose `same` reads and writes one tensor and leaves it as it is."""
    path = f"same_{name}_{ndim}.tirb"
    if not t.path(path).exists():
        shape = " ".join(f"${i}" for i in range(ndim))
        variables = "".join(f'.var "n{i}" i64 s{i}\n' for i in range(ndim))
        t.write("same.tirs", f'.fp precise\n.function "same" public\n.scalars {max(ndim, 1)}\n.ref {name} writable\n'
                             f'{variables}.tensor "A" {name} r0 read write ({shape})\n    ret.void\n.end\n')
        t.run("asm", "same.tirs", "-o", path)
    return path


def there_and_back(t, array, name):
    np.save(t.path("in.npy"), array)
    t.run("run", same(t, name, array.ndim), "@in.npy", "-o", "@out.npy")
    out = np.load(t.path("out.npy"))
    expect(out.dtype == array.dtype.newbyteorder("="), f"{array.dtype} came back as {out.dtype}")
    expect(out.shape == array.shape, f"{array.shape} came back as {out.shape}")
    expect(np.ascontiguousarray(out).tobytes() == np.ascontiguousarray(array.astype(out.dtype)).tobytes(),
           f"{array.dtype} {array.shape}: the values came back changed")


def sample(dtype, shape):
    random = np.random.default_rng(7)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(np.bool_)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return random.normal(size=shape).astype(dtype)


def test_every_type_and_shape(t):
    shapes = ((), (1,), (5,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (0,), (2, 0, 3))
    for name, shape in sampled(list(itertools.product(TYPES, shapes))):
        there_and_back(t, np.asarray(sample(TYPES[name], shape)), name)


def test_byte_orders_and_fortran_order(t):
    for name in sampled(list(TYPES)):
        dtype = TYPES[name]
        array = sample(dtype, (3, 4, 2))
        there_and_back(t, array.astype(np.dtype(dtype).newbyteorder(">")), name)
        there_and_back(t, np.asfortranarray(array), name)
        there_and_back(t, np.asfortranarray(array.astype(np.dtype(dtype).newbyteorder(">"))), name)
    there_and_back(t, np.asfortranarray(np.zeros((0, 3), np.float32)), "f32")


def test_special_values_keep_their_bits(t):
    bits = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00123, 0x7F800001, 1], np.uint32)
    there_and_back(t, bits.view(np.float32), "f32")


def header(text, version=1):
    body = text.encode("latin-1")
    width = "<H" if version == 1 else "<I"
    body += b" " * (-(10 + len(body) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(body)) + body


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
DATA = np.array([1, 2, 3], np.float32).tobytes()


def test_headers_that_are_fine(t):
    bundle = same(t, "f32", 1)
    for text in (
        GOOD,
        "{'shape': (3,), 'fortran_order': False, 'descr': '<f4'}",
        '{"descr":"<f4","fortran_order":False,"shape":(3,)}',
        "{'descr': '<f4', 'fortran_order': True, 'shape': (3L,), }",
        "  {'descr' :\t'=f4' , 'fortran_order' : False ,\n'shape' : ( 3 , ) }  ",
    ):
        for version in (1, 2, 3):
            t.write("x.npy", header(text, version) + DATA)
            t.run("run", bundle, "@x.npy", shows="A: 3xf32 = 1, 2, 3")


def test_headers_that_are_not(t):
    bundle = same(t, "f32", 1)
    for text in (
        "",
        "{",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'shape': (3,)}",
        GOOD[:-1],
        GOOD + "x",
        GOOD.replace("False", "Maybe"),
        GOOD.replace("(3,)", "(-3,)"),
        GOOD.replace("(3,)", "(3"),
        GOOD.replace("(3,)", "[3]"),
        GOOD.replace("(3,)", "(99999999999999999999,)"),
        GOOD.replace("(3,)", "(9223372036854775807, 9223372036854775807)"),
        GOOD.replace("(3,)", "(0, 9223372036854775807, 9223372036854775807)"),
        GOOD.replace("(3,)", "(" + "1," * 40 + ")"),
        GOOD.replace("<f4", "<c8"),
        GOOD.replace("<f4", "|O"),
        GOOD.replace("<f4", "f4"),
        GOOD.replace("<f4", ""),
        GOOD.replace("<f4", "<f16"),
        GOOD.replace("<f4", "<M8[ns]"),
        GOOD.replace("'<f4'", "[('a', '<f4')]"),
        GOOD.replace("'descr'", "'descr': '<f4', 'descr'"),
        GOOD.replace("'descr'", "'other'"),
        GOOD.replace("<f4", "<f4\\'"),
    ):
        t.write("x.npy", header(text) + DATA)
        t.run("run", bundle, "@x.npy", "-o", "@out.npy", code=CALL, says="x.npy", lines=1)
    expect("out.npy" not in t.files(), "an output was left behind")


def test_files_that_are_not_npy(t):
    bundle = same(t, "f32", 1)
    for content in (b"", b"\x93NUM", b"PK\x03\x04" + b"\0" * 100, b"\x93NUMPY\x04\x00\x00\x00" + b"\0" * 100,
                    b"\x93NUMPY\x01\x01\x10\x00", b"\x93NUMPY\x02\x00\xff\xff\xff\xff", b"\x93NUMPY\x01\x00\xff\xff{"):
        t.write("x.npy", content)
        t.run("run", bundle, "@x.npy", code=CALL, says="x.npy", lines=1)


def test_every_truncation(t):
    bundle = same(t, "f32", 1)
    whole = header(GOOD) + DATA
    for size in sampled(range(len(whole))):
        t.write("x.npy", whole[:size])
        t.run("run", bundle, "@x.npy", code=CALL, says="x.npy", lines=1)
    t.write("x.npy", whole + b"!")
    t.run("run", bundle, "@x.npy", code=CALL, says="goes on", lines=1)


def test_a_lying_header_takes_no_memory(t):
    t.write("x.npy", header(GOOD.replace("(3,)", "(1000000000000,)")) + DATA)
    t.run("run", same(t, "f32", 1), "@x.npy", code=CALL, says="cut short", lines=1)


def test_raw_sixteen_bit_data(t):
    values = np.array([0x3F80, 0xC000, 0x7F80, 0x0001], np.uint16)  # 1, -2, inf, the smallest subnormal
    bundle = same(t, "bf16", 1)
    for array in (values, values.view("V2"), values.astype(">u2")):
        np.save(t.path("x.npy"), array)
        t.run("run", bundle, "@x.npy:bf16", shows="A: 4xbf16 = 1, -2, inf, ")
    t.run("run", bundle, "@x.npy:bf16", "-o", "@out.npy:bf16")
    expect((np.load(t.path("out.npy")) == values).all(), "bf16 came back changed")
    t.run("run", bundle, "@x.npy", code=CALL)
    np.save(t.path("v.npy"), values.view("V2"))
    t.run("run", bundle, "@v.npy", code=CALL, says="raw", lines=1)
    t.run("run", bundle, "@x.npy:f32", code=CALL, lines=1)
    t.run("run", bundle, "@x.npy:bf16", "-o", "@y.npy:f16", code=CALL, lines=1)
    half = np.array([1.5, -0.25], np.float16)
    np.save(t.path("h.npy"), half.view(np.uint16))
    t.run("run", same(t, "f16", 1), "@h.npy:f16", "-o", "@raw.npy:f16")
    raw = np.load(t.path("raw.npy"))
    expect(raw.dtype == np.uint16 and (raw.view(np.float16) == half).all(), "f16 as raw data came back changed")


NARROW = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
          "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")


def test_floats_of_a_byte(t):
    """A literal holds what a program's cast makes of the same numbers."""
    values = "0,-0,1,-1,inf,-inf,1e30,-1e30,1e-30,448,464,465,480,7.5,7.75,28,30,6,7,5,2.5,3.5,0.0625,-0.03125,1.5e-38,0.3"
    n = len(values.split(","))
    for name in NARROW:
        short = name.replace("loat", "").replace("_", "")
        t.write("cast.py", "from tvm.script import tirx as T\n@T.prim_func\n"
                           f'def f(A: T.Buffer(({n},), "{name}"), B: T.Buffer(({n},), "float32"), C: T.Buffer(({n},), "{name}")):\n'
                           f'    for i in range({n}):\n        C[i] = T.Cast("{name}", B[i])\n'
                           f'        B[i] = T.Cast("float32", A[i])\n')
        t.run("run", "cast.py", f"A={n}x{short}={values}", f"B={n}xf32={values}", "-o", "C=@c.npy",
              "--expect", f"C={n}x{short}={values}")
        t.run("run", "cast.py", f"A=@c.npy:{short}", f"B={n}xf32=0", "-o", "B=@b.npy", shows="C: ")
        t.run("run", "cast.py", f"A={n}x{short}={values}", f"B={n}xf32=0", "--expect", "B=@b.npy")


def test_raw_bytes_as_floats(t):
    codes = np.array([0x38, 0xC0, 0x7E, 0x7F, 0x01], np.uint8)  # 1, -2, 448, NaN and the least of f8e4m3fn
    bundle = same(t, "u8", 1)
    for array in (codes, codes.view("V1")):
        np.save(t.path("x.npy"), array)
        t.run("run", bundle, "@x.npy:f8e4m3fn", shows="A: 5xf8e4m3fn = 1, -2, 448, nan, 0.001953125")
    t.run("run", bundle, "@x.npy:f8e4m3fn", "-o", "@out.npy:f8e4m3fn")
    expect((np.load(t.path("out.npy")) == codes).all(), "f8 came back changed")
    t.write("f1.npy", t.path("x.npy").read_bytes().replace(b"'|V1'", b"'<f1'"))  # as ml_dtypes writes float8_e5m2
    t.run("run", bundle, "@f1.npy:f8e5m2", shows="A: 5xf8e5m2 = 0.5, -2, nan, nan, ")
    t.run("run", bundle, "@f1.npy", code=CALL, says="raw", lines=1)
    t.run("run", bundle, "5xf8e4m3fn=1,2,3", code=USAGE, says="its shape needs 5")
    np.save(t.path("w.npy"), np.zeros(5, np.uint16))
    t.run("run", bundle, "@w.npy:f8e4m3fn", code=CALL, lines=1)


def test_a_suffix_that_is_no_type_is_a_name(t):
    np.save(t.path("x:y.npy"), np.arange(3, dtype=np.float32))
    t.run("run", same(t, "f32", 1), "@x:y.npy", "-o", "@a:b.npy")
    expect("a:b.npy" in t.files(), f"{t.files()}")


def test_standard_streams(t):
    np.save(t.path("x.npy"), np.arange(3, dtype=np.float32))
    result = t.run("run", same(t, "f32", 1), "@-", "-o", "@-", "--stats", stdin=t.path("x.npy").read_bytes(), says="fuel:")
    expect(result.out == t.path("x.npy").read_bytes() or result.out[:6] == b"\x93NUMPY", "stdout is the array")
    t.write("back.npy", result.out)
    expect((np.load(t.path("back.npy")) == np.arange(3)).all(), "the array came back changed")


def test_files_that_cannot_be_read(t):
    bundle = same(t, "f32", 1)
    t.run("run", bundle, "@nowhere.npy", code=FILES, says="nowhere.npy", lines=1)
    t.run("run", bundle, "@.", code=FILES, lines=1)
