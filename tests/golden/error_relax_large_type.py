# error: 11:5 a type has more than 20000 parts
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), "float32")):
    a = (x, x, x, x, x, x, x, x)
    b = (a, a, a, a, a, a, a, a)
    c = (b, b, b, b, b, b, b, b)
    d = (c, c, c, c, c, c, c, c)
    e = (d, d, d, d, d, d, d, d)
    return e
