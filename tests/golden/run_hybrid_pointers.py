# Loads and stores through bare pointers, the first version's order of arguments.
# expect: scale(4xf32=1 2 3 4, 4xf32=0) -> 2.5 4.5 6.5 8.5
# expect: bits(2xf32=1 -2, 2xi32=0) -> 1065353216 -1073741824
# expect: masked(4xi32=1 2 3 4, 4xi32=7) -> 11 7 13 7
# expect: branches(2xi32=3 0, 2xi32=0) -> 3 -1
# expect: scratch(4xi32=1 2 3 4, i32=0) -> 20
# expect: divide(2xi32=-7 7, 2xi32=0) -> -3 3
# trap: far(4xi32=1 2 3 4, 4) -> 51 store of element 4 is outside
@tvm.hybrid.script
class Module:
    def scale(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [4])
        B = tir.buffer_bind(b, [4])
        for i in tir.range(0, 4):
            half: ty.float32 = tir.float32(0.5)
            B.data[i] = ((A.data[i]*tir.float32(2)) + half)

    def bits(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [2])
        B = tir.buffer_bind(b, [2], "int32")
        for i in tir.serial(0, 2):
            B[i] = tir.load("int32", A.data, i)

    def masked(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [4], "int32")
        B = tir.buffer_bind(b, [4], "int32")
        tir.store(B.data, tir.ramp(0, 2, 2), (tir.load("int32x2", A.data, tir.ramp(0, 2, 2), tir.broadcast(True, 2)) + tir.broadcast(10, 2)), tir.broadcast(True, 2))

    def branches(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [2], "int32")
        B = tir.buffer_bind(b, [2], "int32")
        for i in tir.range(0, 2):
            if A[i] > 0:
                B[i] = A[i]
            else:
                B.data[i] = (tir.load("int32", A.data, i) - 1)

    def scratch(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [4], "int32")
        B = tir.buffer_bind(b, [], "int32")
        twice = tir.var("handle")
        tir.attr(twice, "storage_scope", "global")
        with tir.allocate(twice, "int32", [4], True):
            for i in tir.range(0, 4):
                twice[i] = tir.load("int32", A.data, i)*2
            for i in tir.range(0, 4):
                B[()] = B[()] + tir.load("int32", twice, i)

    def far(a: ty.handle, i: ty.int32) -> None:
        A = tir.buffer_bind(a, [4], "int32")
        A.data[i] = 1

    def divide(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, [2], "int32")
        B = tir.buffer_bind(b, [2], "int32")
        for i in grid(2):
            B[i] = tir.cast("int32", tir.cast(A[i], "int64")) / 2
