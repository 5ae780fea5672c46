# What goes from one iteration to the next, in the order of the text: sums into one element, running values, and elements
# whose place is computed.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def sums(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float64"), S: T.Buffer((3,), "float32"), D: T.Buffer((1,), "float64")):
        n = T.int32()
        for i in range(n):
            S[0] = S[0] + A[i]
            S[1] = T.max(S[1], A[i])
            S[2] = A[i] * A[i] + S[2]
        for i in range(n):
            D[0] = D[0] - B[i]

    # What was summed up before each element.
    @T.prim_func(s_tir=True)
    def running(A: T.Buffer(("n",), "float32"), before: T.Buffer(("n",), "float32"), least: T.Buffer(("n",), "float32")):
        n = T.int32()
        total: T.float32 = T.float32(0.5)
        low: T.float32 = T.max_value("float32")
        for i in range(n):
            before[i] = total
            total = total + A[i]
            low = T.min(A[i], low)
            least[i] = low

    # Element j of row i, by tables of rows and columns.
    @T.prim_func(s_tir=True)
    def pick(A: T.Buffer(("n", "m"), "float64"), rows: T.Buffer(("k",), "int32"), columns: T.Buffer(("k",), "uint8"), B: T.Buffer(("k",), "float64")):
        n, m, k = T.int32(), T.int32(), T.int32()
        for i in range(k):
            B[i] = A[rows[i], T.Cast("int32", columns[i])] * T.float64(2)

    # The last one that is put somewhere stays there.
    @T.prim_func(s_tir=True)
    def put(where: T.Buffer(("n",), "int64"), A: T.Buffer(("n",), "float32"), B: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            B[where[i]] = A[i]

    @T.prim_func(s_tir=True)
    def weigh(where: T.Buffer(("n",), "int32"), A: T.Buffer(("n",), "float32"), B: T.Buffer(("m",), "float32"), most: T.Buffer(("m",), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            B[where[i]] = B[where[i]] + A[i]
        for i in range(n):
            most[where[i]] = T.max(most[where[i]], A[i])

    # Rows of different lengths: the product of a sparse matrix in compressed rows.
    @T.prim_func(s_tir=True)
    def ragged(first: T.Buffer(("n + 1",), "int32"), column: T.Buffer(("e",), "int32"), value: T.Buffer(("e",), "float64"), x: T.Buffer(("m",), "float64"), y: T.Buffer(("n",), "float64")):
        n, e, m = T.int32(), T.int32(), T.int32()
        for i in range(n):
            y[i] = T.float64(0)
            for k in range(first[i], first[i + 1]):
                y[i] = y[i] + value[k] * x[column[k]]
