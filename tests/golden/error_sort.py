# error: 11:5 a wrong list of arguments: 'tvm.contrib.sort.sort' takes data, values, axis, is_ascend
# error: 12:5 an axis that is no constant below the rank
# error: 13:5 values of another type than the data
# error: 14:5 a wrong list of arguments: 'tvm.contrib.sort.topk' takes data, the arrays, k, axis, "both" or
# error: 15:5 counts that are not int32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "float32"), N: T.Buffer((4, 4), "int64"), V: T.Buffer((4, 4), "float32")):
    T.call_packed("tvm.contrib.sort.sort", A, V, 0)
    T.call_packed("tvm.contrib.sort.sort", A, V, 2, T.bool(True))
    T.call_packed("tvm.contrib.sort.sort", A, N, 0, T.bool(True))
    T.call_packed("tvm.contrib.sort.topk", A, V, 2, 0, "all", T.bool(True))
    T.call_packed("tvm.contrib.sort.argsort_nms", A, N, N, 0, T.bool(True))
