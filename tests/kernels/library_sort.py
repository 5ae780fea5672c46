# The packed functions that sort, on rows of any length: short ones, long ones, and a few of many.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ascending_f32(A: T.Buffer(("m", "n"), "float32"), V: T.Buffer(("m", "n"), "float32")):
        T.call_packed("tvm.contrib.sort.sort", A, V, 1, T.bool(True))

    @T.prim_func(s_tir=True)
    def descending_f64(A: T.Buffer(("m", "n"), "float64"), N: T.Buffer(("m", "n"), "int64")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, 1, T.bool(False))

    @T.prim_func(s_tir=True)
    def columns_f16(A: T.Buffer(("m", "n"), "float16"), N: T.Buffer(("m", "n"), "int32")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, 0, T.bool(True))

    @T.prim_func(s_tir=True)
    def descending_i8(A: T.Buffer(("m", "n"), "int8"), N: T.Buffer(("m", "n"), "int32")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, -1, T.bool(False))

    @T.prim_func(s_tir=True)
    def ascending_u16(A: T.Buffer(("m", "n"), "uint16"), N: T.Buffer(("m", "n"), "int32")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, -1, T.bool(True))

    @T.prim_func(s_tir=True)
    def ascending_i64(A: T.Buffer(("m", "n"), "int64"), N: T.Buffer(("m", "n"), "int64")):
        T.call_packed("tvm.contrib.sort.argsort", A, N, 1, T.bool(True))

    @T.prim_func(s_tir=True)
    def best_f32(A: T.Buffer(("m", "n"), "float32"), V: T.Buffer(("m", 7), "float32"), N: T.Buffer(("m", 7), "int32")):
        T.call_packed("tvm.contrib.sort.topk", A, V, N, 7, 1, "both", T.bool(False))

    @T.prim_func(s_tir=True)
    def least_u64(A: T.Buffer(("m", "n"), "uint64"), V: T.Buffer(("m", 7), "uint64"), N: T.Buffer(("m", 7), "int64")):
        T.call_packed("tvm.contrib.sort.topk", A, V, N, 7, 1, "both", T.bool(True))

    @T.prim_func(s_tir=True)
    def best_i8(A: T.Buffer(("m", "n"), "int8"), N: T.Buffer(("m", 7), "int32")):
        T.call_packed("tvm.contrib.sort.topk", A, N, 7, 1, "indices", T.bool(False))

    @T.prim_func(s_tir=True)
    def some_i32(A: T.Buffer(("m", "n"), "int32"), C: T.Buffer(("m",), "int32"), N: T.Buffer(("m", "n"), "int32")):
        T.call_packed("tvm.contrib.sort.argsort_nms", A, C, N, 1, T.bool(True))
