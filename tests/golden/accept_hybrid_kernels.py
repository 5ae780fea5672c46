# What a CPU cannot run is read and printed: tensor cores, thread axes by iter_var, attributes of lists of buffers.
@tvm.hybrid.script
class Module:
    __tvm_meta__ = {"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Target", "attrs": {"keys": "2 3"}}]}

    def conv(a: ty.handle, w: ty.handle) -> None:
        tir.func_attr({"target": meta[Target][0], "global_symbol": "conv"})
        A = tir.buffer_bind(a, [16, 16], "float16")
        W = tir.buffer_bind(w, [16, 16], "float16")
        threadIdx_x = tir.var("int32")
        tir.attr(tir.iter_var(threadIdx_x, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 16)
        A[threadIdx_x, 0] = W[0, threadIdx_x]

    def fragment(a: ty.handle) -> None:
        A = tir.buffer_bind(a, [16, 16], "float16")
        F = tir.buffer_decl([16, 16], "float16", scope="wmma.matrix_a", align=32, offset_factor=256)
        tir.attr([F, A], "buffer_bind_scope", tir.tvm_tuple(0, 16, 0, 16, dtype="handle"))
        f = tir.var("handle")
        tir.attr(f, "storage_scope", "wmma.accumulator")
        tir.allocate(f, "float32", [256])
        tir.evaluate(tir.tvm_fill_fragment(f, 16, 16, 16, 0, tir.float32(0), dtype="handle"))
        tir.evaluate(tir.tvm_mma_sync(f, 0, f, 0, f, 0, f, 0, dtype="handle"))
