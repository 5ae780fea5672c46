# error: 3:7 needs a type
@tvm.hybrid.script
def f(a) -> None:
    tir.evaluate(0)
