# Loops whose iterations meet or not, as strides, offsets and steps are at run time.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def strided_update(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        inc: T.let[T.int32] = k[0] % 9 - 4
        for i in range(40):
            a[200 + i * inc] = a[200 + i * inc] + b[i]

    @T.prim_func(s_tir=True)
    def two_strided_updates(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        inc: T.let[T.int32] = k[0] % 9 - 4
        for i in range(40):
            a[200 + i * inc] = a[200 + i * inc] + a[200 + inc * i] * b[i]
            a[200 + i * inc] = a[200 + i * inc] - b[i + 1]

    @T.prim_func(s_tir=True)
    def guarded_shift(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        inc: T.let[T.int32] = k[0] % 101 - 50
        for i in range(40):
            if b[i] > T.float32(0):
                a[200 + i] = a[200 + i + inc] + b[i]

    @T.prim_func(s_tir=True)
    def strided_rows(a: T.Buffer((400, 8), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        inc: T.let[T.int32] = k[0] % 9 - 4
        for i in range(40):
            a[200 + i * inc, 3] = a[200 + i * inc, 4] + a[200 + i * inc, 3] * b[i]

    @T.prim_func(s_tir=True)
    def step_at_run_time(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        step: T.let[T.int32] = k[0] % 9 + 1
        for i in range(1, 40, step):
            a[i] = a[i - 1] + b[i]

    @T.prim_func(s_tir=True)
    def steps_in_steps(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        step: T.let[T.int32] = k[0] % 9 + 1
        for i in range(1, 40, 3):
            for j in range(i, 50, 2):
                a[i + j * 3] = a[i + j * 3 + step] + b[j]

    @T.prim_func(s_tir=True)
    def renamed_variables(a: T.Buffer((400,), "float32"), b: T.Buffer((60,), "float32"), k: T.Buffer((1,), "int32")):
        s: T.float32 = T.float32(0)
        t: T.float32 = T.float32(1)
        for i in range(1, 40):
            t = b[i] * s
            s = b[i] + t
            t = s * s
            a[i] = a[i + 4] + t
            s = a[i - 1]
        a[0] = s + t

    # Views that begin elsewhere in each iteration of a loop that is cut, or that has one iteration.
    @T.prim_func(s_tir=True)
    def cut(A: T.Buffer((150,), "float32"), O: T.Buffer((400,), "float32")):
        for k in range(3):
            for i in range(40):
                V = T.decl_buffer((8,), "float32", data=O.data, elem_offset=i * 9)
                W = T.decl_buffer((8,), "float32", data=A.data, elem_offset=i * 3)
                for j in range(8):
                    if i == 0:
                        V[j] = T.float32(0)
                    V[j] = W[j] + V[j]

    @T.prim_func(s_tir=True)
    def once(A: T.Buffer((40,), "float32"), O: T.Buffer((40,), "float32")):
        for i in range(1):
            for j in range(11):
                V = T.decl_buffer((11,), "float32", data=A.data, elem_offset=i * 3)
                W = T.decl_buffer((11,), "float32", data=O.data, elem_offset=i * 3)
                W[0] = W[0] + V[j]
