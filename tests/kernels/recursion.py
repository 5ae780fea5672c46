# PrimFuncs that call themselves and each other: Fibonacci, Ackermann, parity, binomials, quicksort and merge sort on
# a buffer, flood fill, the towers of Hanoi.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fibonacci(n: T.int32) -> T.int64:
        if n < 2:
            return T.Cast("int64", n)
        return Module.fibonacci(n - 1) + Module.fibonacci(n - 2)

    @T.prim_func(s_tir=True)
    def ackermann(m: T.int32, n: T.int32) -> T.int32:
        if m == 0:
            return n + 1
        if n == 0:
            return Module.ackermann(m - 1, 1)
        return Module.ackermann(m - 1, Module.ackermann(m, n - 1))

    @T.prim_func(s_tir=True)
    def is_even(n: T.int32) -> T.bool:
        if n == 0:
            return T.bool(True)
        return Module.is_odd(n - 1)

    @T.prim_func(s_tir=True)
    def is_odd(n: T.int32) -> T.bool:
        if n == 0:
            return T.bool(False)
        return Module.is_even(n - 1)

    @T.prim_func(s_tir=True)
    def binomial(n: T.int32, k: T.int32) -> T.float64:
        if k == 0 or k == n:
            return T.float64(1)
        return Module.binomial(n - 1, k - 1) * T.Cast("float64", n) / T.Cast("float64", k)

    @T.prim_func(private=True, s_tir=True)
    def quicksort_range(A: T.Buffer(("n",), "float32"), low: T.int32, high: T.int32):
        n = T.int32()
        if low < high:
            pivot: T.let[T.float32] = A[(low + high) // 2]
            i: T.int32 = low
            j: T.int32 = high
            while i <= j:
                while A[i] < pivot:
                    i = i + 1
                while A[j] > pivot:
                    j = j - 1
                if i <= j:
                    held: T.let[T.float32] = A[i]
                    A[i] = A[j]
                    A[j] = held
                    i = i + 1
                    j = j - 1
            Module.quicksort_range(A, low, j)
            Module.quicksort_range(A, i, high)

    @T.prim_func(s_tir=True)
    def quicksort(A: T.Buffer(("n",), "float32")):
        n = T.int32()
        Module.quicksort_range(A, 0, n - 1)

    # Sorts A[low:high] with scratch memory that one allocation of the caller lends to all calls.
    @T.prim_func(private=True, s_tir=True)
    def merge_range(A: T.Buffer(("n",), "int32"), scratch: T.Buffer(("n",), "int32"), low: T.int32, high: T.int32):
        n = T.int32()
        if high - low > 1:
            middle: T.let[T.int32] = (low + high) // 2
            Module.merge_range(A, scratch, low, middle)
            Module.merge_range(A, scratch, middle, high)
            i: T.int32 = low
            j: T.int32 = middle
            for k in range(low, high):
                if j == high or (i < middle and A[i] <= A[j]):
                    scratch[k] = A[i]
                    i = i + 1
                else:
                    scratch[k] = A[j]
                    j = j + 1
            for k in range(low, high):
                A[k] = scratch[k]

    @T.prim_func(s_tir=True)
    def merge_sort(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        scratch = T.alloc_buffer((n,), "int32")
        Module.merge_range(A, scratch, 0, n)

    # Gives the cells that are connected with (y, x) and of its colour a new one.
    @T.prim_func(s_tir=True)
    def flood_fill(cells: T.Buffer(("h", "w"), "uint8"), y: T.int32, x: T.int32, old: T.uint8, new: T.uint8):
        h, w = T.int32(), T.int32()
        if y >= 0 and y < h and x >= 0 and x < w:
            if cells[y, x] == old:
                cells[y, x] = new
                Module.flood_fill(cells, y - 1, x, old, new)
                Module.flood_fill(cells, y + 1, x, old, new)
                Module.flood_fill(cells, y, x - 1, old, new)
                Module.flood_fill(cells, y, x + 1, old, new)

    @T.prim_func(s_tir=True)
    def hanoi(disks: T.int32, source: T.int32, target: T.int32, spare: T.int32, moves: T.Buffer(("n", 2), "int32"), count: T.Buffer((1,), "int32")):
        n = T.int32()
        if disks > 0:
            Module.hanoi(disks - 1, source, spare, target, moves, count)
            moves[count[0], 0] = source
            moves[count[0], 1] = target
            count[0] = count[0] + 1
            Module.hanoi(disks - 1, spare, target, source, moves, count)
