# Sorting in place: insertion, bubble, heap, and each row of a matrix by insertion with its permutation.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # `and` does not look at A[j] when j has left the array.
    @T.prim_func(s_tir=True)
    def insertion_sort(A: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(1, n):
            key: T.let[T.float32] = A[i]
            j: T.int32 = i - 1
            while j >= 0 and A[j] > key:
                A[j + 1] = A[j]
                j = j - 1
            A[j + 1] = key

    @T.prim_func(s_tir=True)
    def bubble_sort(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        swapped: T.bool = True
        while swapped:
            swapped = False
            for i in range(n - 1):
                if A[i] > A[i + 1]:
                    held: T.let[T.int32] = A[i]
                    A[i] = A[i + 1]
                    A[i + 1] = held
                    swapped = True

    @T.prim_func(s_tir=True)
    def heap_sort(A: T.Buffer(("n",), "int64")):
        n = T.int32()
        for step in range(n // 2 + T.max(n - 1, 0)):
            # The first n // 2 steps build the heap, the others take its top away.
            root: T.int32 = n // 2 - 1 - step
            end: T.int32 = n
            if root < 0:
                end = n - 1 - (step - n // 2)
                root = 0
                top: T.let[T.int64] = A[0]
                A[0] = A[end]
                A[end] = top
            child: T.int32 = 2 * root + 1
            while child < end:
                if child + 1 < end:
                    if A[child + 1] > A[child]:
                        child = child + 1
                if A[root] >= A[child]:
                    break
                down: T.let[T.int64] = A[root]
                A[root] = A[child]
                A[child] = down
                root = child
                child = 2 * root + 1

    # Stable, so that equal values keep their order: numpy.argsort(kind="stable") of each row.
    @T.prim_func(s_tir=True)
    def argsort_rows(A: T.Buffer(("n", "m"), "int32"), order: T.Buffer(("n", "m"), "int32")):
        n, m = T.int32(), T.int32()
        for r in range(n):
            for i in range(m):
                j: T.int32 = i
                while j > 0:
                    if A[r, order[r, j - 1]] <= A[r, i]:
                        break
                    order[r, j] = order[r, j - 1]
                    j -= 1
                order[r, j] = i
