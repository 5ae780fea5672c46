# Conditions around a sync that read what a view or a region shows each thread: its own memory through a pointer, or its
# part of what all share.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pointer(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("r"):
                L = T.sblock_alloc_buffer((2,), "float32", scope="local")
                C = T.decl_buffer((2,), "float32", data=T.address_of(L[0]), scope="local")
                S = T.sblock_alloc_buffer((8,), "float32", scope="shared")
                L[0] = T.Cast("float32", tx)
                S[tx] = A[tx]
                if C[0] >= T.float32(0):
                    T.tvm_storage_sync("shared")
                    B[tx] = S[7 - tx] + C[0]

    @T.prim_func(s_tir=True)
    def region(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("r"):
                C = T.match_buffer(A[tx:tx + 1], (1,), "float32", offset_factor=1)
                S = T.sblock_alloc_buffer((8,), "float32", scope="shared")
                S[tx] = A[tx]
                if C[0] * C[0] >= T.float32(0):
                    T.tvm_storage_sync("shared")
                    B[tx] = S[7 - tx]

    @T.prim_func(s_tir=True)
    def view(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("r"):
                C = T.decl_buffer((1,), "float32", data=A.data, elem_offset=tx)
                S = T.sblock_alloc_buffer((8,), "float32", scope="shared")
                S[tx] = A[tx]
                if C[0] > T.float32(0.5):
                    T.tvm_storage_sync("shared")
                    B[tx] = S[7 - tx]
