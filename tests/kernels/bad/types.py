# Programs that can be read and make no sense. Several errors are reported in one run.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def mixed_comparison(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int64"), C: T.Buffer((4,), "bool")):
        C[0] = A[0] == B[0]  # error: int64

    @T.prim_func(s_tir=True)
    def rank(A: T.Buffer((4, 4), "int32")):
        A[0] = 1  # error: A

    @T.prim_func(s_tir=True)
    def undefined(A: T.Buffer((4,), "int32")):
        A[0] = missing + 1  # error: missing

    @T.prim_func(s_tir=True)
    def unknown_operator(A: T.Buffer((4,), "float32")):
        A[0] = T.expp(A[0])  # error: expp

    @T.prim_func(s_tir=True)
    def arity(A: T.Buffer((4,), "float32")):
        A[0] = T.pow(A[0])  # error: pow

    @T.prim_func(s_tir=True)
    def integer_division(A: T.Buffer((4,), "int32")):
        A[0] = A[0] / A[1]  # error: /

    @T.prim_func(s_tir=True)
    def float_index(A: T.Buffer((4,), "float32")):
        A[A[0]] = T.float32(1)  # error: ind

    @T.prim_func(s_tir=True)
    def unknown_function(A: T.Buffer((4,), "float32")):
        Module.nowhere(A)  # error: nowhere

    @T.prim_func(s_tir=True)
    def unknown_type(A: T.Buffer((4,), "flot32")):  # error: flot32
        A[0] = A[1]
