# error: 6:9 `vi` of the block needs a tir.bind
@tvm.hybrid.script
def f(a: ty.handle) -> None:
    A = tir.buffer_bind(a, (16, 16))
    for i in tir.range(0, 16):
        with tir.block([16, 16], "b") as [vi, vj]:
            A[vi, vj] = tir.float32(0)
