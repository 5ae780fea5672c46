# Parameters that may be the same memory, at the same place or others: sums of blocks and windows, numbers, flat rows.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def first_values(A: T.Buffer((32, 16), "float32"), B: T.Buffer((16, 24), "float32"), C: T.Buffer((32, 24), "float32"), D: T.Buffer((32, 24), "float32"), E: T.Buffer((32, 24), "float32")):
        T.func_attr({"tirb.may_alias": [["C", "D"], ["C", "E"]]})
        for i, j in T.grid(32, 24):
            C[i, j] = T.float32(1)
            D[i, j] = E[i, j] + T.float32(1)
            for k in range(16):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]

    @T.prim_func(s_tir=True)
    def sums_of_blocks(A: T.Buffer((32, 16), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((32,), "float32")):
        T.func_attr({"tirb.may_alias": [["C", "D"], ["C", "E"]]})
        for i, k in T.grid(32, 16):
            with T.sblock("c"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
            with T.sblock("d"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    D[vi] = T.float32(1)
                D[vi] = D[vi] + A[vi, vk] * E[vi]

    @T.prim_func(s_tir=True)
    def extremes_of_blocks(A: T.Buffer((32, 16), "int32"), C: T.Buffer((32,), "int32"), D: T.Buffer((32,), "int32"), E: T.Buffer((32,), "int32")):
        T.func_attr({"tirb.may_alias": [["C", "D"], ["C", "E"]]})
        for i, k in T.grid(32, 16):
            with T.sblock("c"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = E[vi]
                C[vi] = T.max(C[vi], A[vi, vk])
            with T.sblock("d"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    D[vi] = E[vi]
                D[vi] = D[vi] + A[vi, vk]

    @T.prim_func(s_tir=True)
    def windows(A: T.Buffer((24, 24), "int32"), C: T.Buffer((22, 22), "int32"), D: T.Buffer((22, 22), "int32")):
        T.func_attr({"tirb.may_alias": [["C", "A"], ["C", "D"]]})
        for y, x in T.grid(22, 22):
            m: T.int32 = 0
            for i, j in T.grid(3, 3):
                if A[y + i, x + j] > m:
                    m = A[y + i, x + j]
            C[y, x] = m
            D[y, x] = C[y, x] + 1
        for y, x in T.grid(22, 22):
            C[y, x] = 0
            for i, j in T.grid(2, 2):
                if A[y + i, x + j] > D[y, x]:
                    C[y, x] = C[y, x] + A[y, x + j]

    @T.prim_func(s_tir=True)
    def numbers(X: T.Buffer((90,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((90,), "int32")):
        T.func_attr({"tirb.may_alias": [["X", "N"], ["N", "O"]]})
        for i in range(84):
            h: T.int32 = 0
            for q in range(5):
                h = h * 3 + X[i + q]
            h = T.bitwise_and(h, 63)
            N[h] = N[h] + 1
            O[i] = h
            N[i % 64] = h

    @T.prim_func(s_tir=True)
    def rows(A: T.Buffer((400,), "int32"), B: T.Buffer((400,), "int32")):
        T.func_attr({"tirb.may_alias": [["A", "B"]]})
        for i, j in T.grid(19, 20):
            if A[i * 20 + j] > B[i * 20 + j + 1]:
                B[i * 20 + j + 1] = A[i * 20 + j]
        for i, j in T.grid(18, 20):
            A[(i + 1) * 20 + j] = B[i * 20 + j] + A[i * 20 + j]
