# error: 6:22 tir.no_such_thing
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.range(0, 16):
        tir.evaluate(tir.no_such_thing(i))
