# Sums whose terms, or whose other sums, are the same memory under another name: regions that an outer block matches, and
# views of pointers. They are no trees: what one step writes the next one reads. Nor are sums of sums.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def read(A: T.Buffer((64,), "float32")):
        with T.sblock("outer"):
            C = T.match_buffer(A[0:64], (64,), "float32")
            for i, k in T.grid(1, 64):
                with T.sblock("sum"):
                    vi = T.axis.spatial(1, i)
                    vk = T.axis.reduce(64, k)
                    A[vi + 33] = A[vi + 33] + C[vk]

    @T.prim_func(s_tir=True)
    def written(A: T.Buffer((64,), "float32")):
        with T.sblock("outer"):
            C = T.match_buffer(A[33:34], (1,), "float32", offset_factor=1)
            for i, k in T.grid(1, 64):
                with T.sblock("sum"):
                    vi = T.axis.spatial(1, i)
                    vk = T.axis.reduce(64, k)
                    C[vi] = T.max(C[vi], A[vk] * T.float32(2))

    @T.prim_func(s_tir=True)
    def both(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        with T.sblock("outer"):
            C = T.match_buffer(A[33:34], (1,), "float32", offset_factor=1)
            for i, k in T.grid(1, 64):
                with T.sblock("sum"):
                    vi = T.axis.spatial(1, i)
                    vk = T.axis.reduce(64, k)
                    C[vi] = C[vi] + B[vk]
                    A[vi + 33] = A[vi + 33] + B[vk] * T.float32(3)

    @T.prim_func(s_tir=True)
    def apart(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        with T.sblock("outer"):
            C = T.match_buffer(A[0:64], (64,), "float32")
            for i, k in T.grid(1, 64):
                with T.sblock("sum"):
                    vi = T.axis.spatial(1, i)
                    vk = T.axis.reduce(64, k)
                    C[vi] = C[vi] + B[vk]

    @T.prim_func(s_tir=True)
    def through(A: T.Buffer((64,), "float32")):
        C = T.decl_buffer((64,), "float32", data=T.address_of(A[0]))
        for i, k in T.grid(1, 64):
            with T.sblock("sum"):
                vi = T.axis.spatial(1, i)
                vk = T.axis.reduce(64, k)
                A[vi + 33] = A[vi + 33] + C[vk]

    @T.prim_func(private=True, s_tir=True)
    def count(N: T.Buffer((1,), "int32")) -> T.int32:
        N[0] = N[0] + 1
        return N[0]

    @T.prim_func(s_tir=True)
    def counted(A: T.Buffer((1,), "float32"), N: T.Buffer((1,), "int32"), B: T.Buffer((64,), "float32")):
        for i, k in T.grid(1, 64):
            with T.sblock("sum"):
                vi = T.axis.spatial(1, i)
                vk = T.axis.reduce(64, k)
                x: T.let[T.int32] = Module.count(N.data)
                A[vi] = A[vi] + B[vk]

    @T.prim_func(s_tir=True)
    def nested(A: T.Buffer((16, 4), "float32"), C: T.Buffer((2,), "float32")):
        j = T.int32()
        for i, k in T.grid(2, 16):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                C[vi] = C[vi] + T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), source=[A[vk, j]], init=[], axis=[T.iter_var(j, T.Range(0, 4), "CommReduce", "")], condition=T.bool(True), value_index=0)
