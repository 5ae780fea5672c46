# Formats of f-strings are Python's.
# trap: f(1xi32=0) -> 12 [007|  ff|0b101|1,234,567|-3    |'a'|b..|True]
# trap: f(1xi32=1) -> 13 [3.14|1.5e+10|  25.0%|+0.100|00002.5|1e+02|7.0000e+00]
# trap: f(1xi32=2) -> 14 [     7|0007|    1.50|**a**]
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((1,), "int32")):
    for k in range(1):
        x = T.meta_var(7)
        assert A[0] != 0, f"[{x:03d}|{255:4x}|{5:#b}|{1234567:,}|{-3:<6}|{'a'!r}|{'b':.<3}|{True}]"
        assert A[0] != 1, f"[{3.14159:.2f}|{1.5e10:.1e}|{0.25:7.1%}|{0.1:+.3f}|{2.5:07}|{123.4:.1}|{x:.4e}]"
        assert A[0] != 2, f"[{x:{x - 1}}|{x:0{2 + 2}{'d'}}|{1.5:{'>'}{8}.{2}f}|{'a':{'*'}^{5:1}}]"
