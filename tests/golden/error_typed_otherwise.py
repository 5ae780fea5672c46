# What other languages and word processors write, each with what to write instead.
# error: 12:59 this character is not part of the language; write "
# error: 12:67 this character is not part of the language; write "
# error: 13:17 this character is not part of the language; write -
# error: 14:11 this character is not part of the language; write a space
# error: 15:8 this character is not part of the language; write `not`
# error: 16:25 this character is not part of the language; write `x if condition else y`
from tvm.script import tirx as T


@T.prim_func
def signs(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), “float32”)):
    x[0] = x[1] − x[2]
    x[0] = x[1]
    if !(x[0] > x[1]):
        x[0] = x[1] > 0 ? x[1] : x[2]
