# What Python computes while the text is read: comprehensions, generators, f-strings, zip and enumerate.
# expect: f(2x3xi32=1 2 3 4 5 6, 6xi32=0) -> 12 14 16 18 20 22
# expect: g(4xi32=0) -> 10 21 13 40
# trap: h(0) -> 31 n must be above 2.5, not -1e-07 (True)
from tvm.script import tirx as T

shape = [n for n in (2, 3)]
scale = {name: 2 * i for i, name in enumerate(["zero", "two", "four"])}


@T.prim_func(s_tir=True)
def f(A: T.Buffer(tuple(n for n in shape), "int32"), B: T.Buffer((sum(n for n in range(4)),), "int32")):
    for i, j in T.grid(*[n for n in shape]):
        with T.sblock(f"copy_{shape[0]}x{shape[1]}"):
            vi, vj = T.axis.remap("S" "S", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi * 3 + vj])
            B[vi * 3 + vj] = A[vi, vj] * scale["two"] + len([0 for a in range(10) if a % 2 == 0 for b in range(2)])


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "int32")):
    A[0] = sum(i * j for i, j in zip(range(1, 4), [3, 2, 1]))
    A[1] = sum([a + b for a in (1, 2) for b in (3, 4)]) + 1
    A[2] = max(x for x in range(2, 20, 3) if x < 15) - 1
    A[3] = [10 * x for x in range(5)][4]


@T.prim_func(s_tir=True)
def h(n: T.int32):
    assert n > 2, f"{'n'} must be above {2.5}, not {-1e-07}" f" ({True})"
