# Counters whose way to the bound does not fit 64 bits.
# expect: f(-9223372036854775807) -> 9
# expect: f(0) -> 1
# expect: f(100) -> 0
# expect: f(9223372036854775807) -> 0
# expect: g(9223372036854775807) -> 9
# expect: g(100) -> 1
# expect: g(-100) -> 0
# expect: past(9223372036854775807) -> 0
# expect: past(-9) -> 4
# expect: below(-9223372036854775808) -> 0
# expect: below(9) -> 4
# expect: by_steps(9223372036854775807) -> 0
# expect: by_steps(-9) -> 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(begin: T.int64) -> T.int64:
    j = begin
    n = T.int64(0)
    while j < T.int64(100):
        n = n + T.int64(1)
        j = j + T.int64(1152921504606846976)
    return n


@T.prim_func(s_tir=True)
def g(begin: T.int64) -> T.int64:
    j = begin
    n = T.int64(0)
    while j > T.int64(-100):
        n = n + T.int64(1)
        j = j - T.int64(1152921504606846976)
    return n


@T.prim_func(s_tir=True)
def past(begin: T.int64) -> T.int64:
    j = begin
    n = T.int64(0)
    while j < T.int64(-5):
        n = n + T.int64(1)
        j = j + T.int64(1)
    return n


@T.prim_func(s_tir=True)
def below(begin: T.int64) -> T.int64:
    j = begin
    n = T.int64(0)
    while j > T.int64(5):
        n = n + T.int64(1)
        j = j - T.int64(1)
    return n


@T.prim_func(s_tir=True)
def by_steps(begin: T.int64) -> T.int64:
    j = T.max(begin, T.int64(-9))
    n = T.int64(0)
    while j < T.int64(-5):
        n = n + T.int64(1)
        j = j + T.int64(1152921504606846976)
    return n
