# A name among strides that is a string is a variable of its own: both buffers have strides, and `s` is a size.
# expect: copied(4xf32=0, 4xf32=1 2 3 4, 2) -> 1 2 3 4
# expect: moved(16xf32=0) -> 0 0 0 0 0 1 1 0 0 1 1 0 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def copied(A: T.Buffer(("m",), "float32", strides=("s",)), B: T.Buffer(("m",), "float32", strides=("s",)), s: T.int32):
    for i in range(A.shape[0]):
        A[i] = B[i] + T.Cast("float32", s - 2)


@T.prim_func(s_tir=True)
def moved(X: T.Buffer((16,), "float32")):
    Y = T.decl_buffer((4, 4), "float32", data=X.data)
    for i in range(2):
        with T.sblock("b"):
            vi = T.axis.spatial(2, i)
            A = T.match_buffer(Y[vi + 1:vi + 2, 1:3], (1, 2), "float32", strides=["s", "t"], offset_factor=1)
            with T.sblock("c"):
                B = T.match_buffer(A[0:1, 0:2], (1, 2), "float32", strides=["s", "t"], offset_factor=1)
                for j in range(2):
                    B[0, j] = T.Cast("float32", T.Select(A.strides[0] == 4, B.strides[1], 9))
