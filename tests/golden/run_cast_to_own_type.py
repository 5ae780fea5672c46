# A cast to the type that a value has is the value, whose NaN keeps its bits; one to another type makes it canonical.
# expect: single(4290772993) -> 4290772993
# expect: half(64769) -> 64769
# expect: brain(65440) -> 65440
# expect: other(65440) -> 2143289344
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def single(bits: T.uint32) -> T.uint32:
    return T.reinterpret("uint32", T.Cast("float32", T.reinterpret("float32", bits)))


@T.prim_func(s_tir=True)
def half(bits: T.uint16) -> T.uint16:
    return T.reinterpret("uint16", T.Cast("float16", T.reinterpret("float16", bits)))


@T.prim_func(s_tir=True)
def brain(bits: T.uint16) -> T.uint16:
    return T.reinterpret("uint16", T.Cast("bfloat16", T.reinterpret("bfloat16", bits)))


@T.prim_func(s_tir=True)
def other(bits: T.uint16) -> T.uint32:
    return T.reinterpret("uint32", T.Cast("float32", T.reinterpret("bfloat16", bits)))
