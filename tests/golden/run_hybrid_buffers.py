# A matrix product as after schedule normalisation: the parameter's buffer keeps the caller's memory when it is realized.
# expect: product(2x3xi32=1 2 3 4 5 6, 3x2xi32=1 0 0 1 2 2, 2x2xi32=9) -> 7 8 16 17
# A realized region has memory of its own, and indices are those of the whole buffer.
# expect: window(8xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 0 0 30 40 50 0 0 0
# trap: outside(8xi32=1 2 3 4 5 6 7 8) -> 37 index 3 is out of bounds for dimension 0 of the realized region of W
@tvm.hybrid.script
class Module:
    def product(A: ty.handle, B: ty.handle, C: ty.handle) -> None:
        tir.func_attr({"global_symbol": "product", "tir.noalias": True})
        A_1 = tir.buffer_bind(A, [2, 3], "int32", elem_offset=0, align=128, offset_factor=1)
        B_1 = tir.buffer_bind(B, [3, 2], "int32", elem_offset=0, align=128, offset_factor=1)
        C_1 = tir.buffer_bind(C, [2, 2], "int32", elem_offset=0, align=128, offset_factor=1)
        tir.attr(C_1, "realize_scope", "")
        tir.realize(C_1[0:2, 0:2])
        for x in tir.range(0, 2):
            for y in tir.range(0, 2, "parallel"):
                C_1[x, y] = 0
                for k in tir.range(0, 3, "unroll"):
                    C_1[x, y] = (C_1[x, y] + (A_1[x, k]*B_1[k, y]))

    def window(a: ty.handle, b: ty.handle) -> None:
        A = tir.buffer_bind(a, (8,), "int32")
        B = tir.buffer_bind(b, (8,), "int32")
        W = tir.buffer_decl([8], "int32")
        tir.attr(W, "realize_scope", "local")
        with tir.realize(W[2:5]):
            for i in tir.range(2, 5):
                W[i] = A[i] * 10
            for i in tir.range(2, 5):
                B[i] = B[i] + W[i]

    def outside(a: ty.handle) -> None:
        A = tir.buffer_bind(a, (8,), "int32")
        W = tir.buffer_decl([8], "int32")
        tir.realize(W[2:5], "local")
        for i in tir.range(2, 6):
            W[i] = A[i]
