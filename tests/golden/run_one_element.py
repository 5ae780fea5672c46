from tvm.script import tirx as T


# The name of a buffer of shape (1,) means its element, as TVM prints it.
@T.prim_func
def count(A: T.Buffer((6,), "int32"), N: T.Buffer((1,), "int32"), B: T.Buffer((6,), "int32")):
    N = 0
    for i in range(6):
        if A[i] > 3:
            B[N] = A[i]
            N = N + 1
    N += 10
    N, B[5] = B[0], N


@T.prim_func
def copy(A: T.Buffer((1,), "int32"), O: T.Buffer((1,), "int32")):
    O = A
    A = 7
# expect: copy(1xi32=3, 1xi32=4) -> 7, 3
# expect: count(6xi32=1 5 2 7 9 3, 1xi32=4, 6xi32=0) -> 5, 5 7 9 0 0 13
