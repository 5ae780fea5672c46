# Loops of which few iterations do anything, and what the others compute may fail.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def named(A: T.Buffer((190,), "float32"), B: T.Buffer((200,), "float32"), O: T.Buffer((2,), "float32")):
        best: T.float32 = T.float32(1)
        for i in range(200):
            v: T.float32 = A[i]
            if B[i] > best + T.float32(100):
                best = B[i] + v
        O[0] = best

    @T.prim_func(s_tir=True)
    def named_and_stored(A: T.Buffer((190,), "float32"), B: T.Buffer((200,), "float32"), O: T.Buffer((200,), "float32")):
        for i in range(199):
            v: T.float32 = A[i]
            if O[i] > B[i] + T.float32(100):
                O[i + 1] = B[i] + v

    @T.prim_func(s_tir=True)
    def chosen(A: T.Buffer((190,), "float32"), B: T.Buffer((200,), "float32"), O: T.Buffer((2,), "float32")):
        best: T.float32 = T.float32(1)
        for i in range(200):
            best = T.Select(B[i] > best + T.float32(100), A[i], best)
        O[0] = best

    @T.prim_func(s_tir=True)
    def moved_by_what_changes(A: T.Buffer((200,), "int32"), O: T.Buffer((2,), "int32")):
        m: T.int32 = 5
        for i in range(200):
            if A[i + m] > 1000:
                m = m - 1
            if A[i] > 18 and m > 0:
                m = 0
        O[0] = m

    @T.prim_func(s_tir=True)
    def index_is_stored(A: T.Buffer((300,), "int32"), C: T.Buffer((300,), "int32"), O: T.Buffer((300,), "int32")):
        for i in range(299):
            C[i] = T.min(T.max(C[i], 0), 299)
        C[200] = 1000
        for i in range(299):
            if A[C[i]] == 7:
                C[200] = 0
                O[i] = C[i + 1]

    @T.prim_func(s_tir=True)
    def reached_and_stored(A: T.Buffer(("n",), "int32"), O: T.Buffer((300,), "int32"), C: T.Buffer((300,), "int32")):
        n = T.int32()
        for i in range(300):
            v: T.int32 = A[i]
            if v == 19 and O[i] < C[A[i]]:
                O[T.min(i + 2, 299)] = 1000
                C[v] = 3

    @T.prim_func(s_tir=True)
    def word_may_be_empty(text: T.Buffer((300,), "uint8"), word: T.Buffer(("k",), "uint8"), O: T.Buffer((300,), "int32")):
        k = T.int32()
        m: T.int32 = 0
        for i in range(300 - k):
            same: T.int32 = 0
            while same < k and text[i + T.min(same, k - 1)] == word[T.min(same, k - 1)]:
                same = same + 1
            if same == k:
                O[m] = i
                m = m + 1
