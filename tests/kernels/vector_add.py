# C = A + B over vectors of any length, as TVM prints it.
# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def vector_add(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer(("n",), "float32")):
    T.func_attr({"tirx.noalias": True})
    n = T.int32()
    # with T.sblock("root"):
    for i in range(n):
        with T.sblock("C"):
            v_i = T.axis.spatial(n, i)
            T.reads(A[v_i], B[v_i])
            T.writes(C[v_i])
            C[v_i] = A[v_i] + B[v_i]
