# What fails where it is not used: values that others replace, conditions whose arms agree, variables of no use; arrays that are
# too small for what is sorted.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def replaced(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            m: T.int32 = 0
            for j in range(3):
                m = A[y, x + j] // (B[j] // 9)
            m = A[y, x]
            for j in range(3):
                m = m + A[y + j, x]
            O[y, x] = m

    @T.prim_func(s_tir=True)
    def condition_of_nothing(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            m: T.int32 = 0
            for j in range(3):
                if A[y, x + j] // (B[j] // 9) > 2:
                    m = m
                if A[y, x + j] > 2:
                    m = m + A[y, x + j]
            O[y, x] = m

    @T.prim_func(s_tir=True)
    def no_use(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            O[y, x] = 1
            for j in range(3):
                t: T.int32 = A[y, x + j] // (B[j] // 9)
                if A[y, x + j] > 2:
                    O[y, x] = O[y, x] + A[y, x + j]

    @T.prim_func(s_tir=True)
    def in_an_arm(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            O[y, x] = 1
            for j in range(3):
                if A[y, x + j] > 2:
                    O[y, x] = O[y, x] + A[y, x + j] // (B[j] // 9)
                else:
                    O[y, x] = 4

    @T.prim_func(s_tir=True)
    def in_an_arm_replaced(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            O[y, x] = 1
            for j in range(3):
                if A[y, x + j] > 2:
                    O[y, x] = A[y + j, x] // (B[j] // 9)
                if A[y, x + j] > 3:
                    O[y, x] = 4

    @T.prim_func(s_tir=True)
    def stored_over(A: T.Buffer((40, 40), "int32"), B: T.Buffer((3,), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            O[y, x] = 1
            for j in range(3):
                O[y, x] = A[y + j, x] // (B[j] // 9)
            O[y, x] = 4

    @T.prim_func(s_tir=True)
    def arms_agree(A: T.Buffer((40, 40), "int32"), O: T.Buffer((30, 30), "int32")):
        for y, x in T.grid(30, 30):
            O[y, x] = 1
            for j in range(3):
                if A[y + 11, x + j] > 3:
                    O[y, x] = 4
                else:
                    O[y, x] = 4

    # What is left of a division is the same whatever some of its terms are.
    @T.prim_func(s_tir=True)
    def remainder_by_one(A: T.Buffer((300,), "uint8"), B: T.Buffer((300,), "uint8"), C: T.Buffer((300,), "int64")):
        for i in range(300):
            C[i * 3 % 300] = C[i // 3]
            A[i] = T.floormod(T.truncdiv(A[i], B[i]), T.bitwise_or(T.uint8(1), T.uint8(1)))

    @T.prim_func(s_tir=True)
    def multiples_dropped(A: T.Buffer((60,), "int32"), B: T.Buffer((3,), "int32"), C: T.Buffer((60,), "int32")):
        for i in range(60):
            C[i // 3] = C[i] + (T.bitwise_and(A[i] // B[i % 3], 15) * 4 + i % 3) % 4
            A[i] = (T.bitwise_and(A[i] // (B[i // 20] - 7), 3) + i * 4) // 4

    @T.prim_func(s_tir=True)
    def below_a_multiple(A: T.Buffer((60,), "int32"), B: T.Buffer((3,), "int32"), n: T.int32):
        for i in range(60):
            if i * 4 + T.bitwise_and(A[i] // (B[i % 3] - 2), 3) < n * 4:
                A[i // 2] = i

    @T.prim_func(s_tir=True)
    def few_values(A: T.Buffer((65,), "uint16"), V: T.Buffer((64,), "uint16"), N: T.Buffer((1,), "float32")):
        T.evaluate(T.call_packed("tvm.contrib.sort.topk", A, V, N, 65, 0, "both", T.bool(False)))

    @T.prim_func(s_tir=True)
    def few_numbers(A: T.Buffer((5, 7), "float32"), N: T.Buffer((5, 6), "int32")):
        T.evaluate(T.call_packed("tvm.contrib.sort.argsort", A, N, 1, T.bool(True)))

    @T.prim_func(s_tir=True)
    def few_counts(A: T.Buffer((5, 7), "float32"), K: T.Buffer((4,), "int32"), N: T.Buffer((5, 7), "int32")):
        T.evaluate(T.call_packed("tvm.contrib.sort.argsort_nms", A, K, N, 1, T.bool(True)))
