# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

n = TypeVar("n")
@I.ir_module
class Module:
    I.module_attrs({"opt": 1})

    @T.prim_func(private=True, s_tir=True)
    def softmax(x: T.Buffer((n, T.int64(8)), "float32"), out: T.Buffer((n, T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        maximum = T.sblock_alloc_buffer((n,))
        total = T.sblock_alloc_buffer((n,), "float32")
        for i, k in T.grid(n, T.int64(8)):
            with T.sblock("maximum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(x[vi, vk])
                T.writes(maximum[vi])
                with T.init():
                    maximum[vi] = T.float32(-340282346638528859811704183484516925440.0)
                maximum[vi] = T.max(maximum[vi], x[vi, vk])
        for i, k in T.grid(n, T.int64(8)):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0.0)
                total[vi] = total[vi] + T.exp(x[vi, vk] - maximum[vi])
        for i, k in T.grid(n, T.int64(8)):
            with T.sblock("out"):
                vi, vk = T.axis.remap("SS", [i, k])
                out[vi, vk] = T.exp(x[vi, vk] - maximum[vi]) / total[vi]

    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((n, T.int64(8)), "float32"), out: T.Buffer((n, T.int64(8)), "float32")):
        Module.softmax(x, out)
        Module.softmax(x.data, out)
