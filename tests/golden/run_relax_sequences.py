# Attention within each of two sequences that lie one behind the other: queries of 0 see all keys alike.
# expect: main(1x4x1x1xf32=0, 1x6x1x1xf32=1 2 3 4 5 6, 1x6x1x1xf32=0 0 0 8 4 8, 3xi32=0 2 4, i32=2, 3xi32=0 4 6, i32=4, 1x4x1x1xf32=0, 1x4x1x1xf32=0, 1x4x1x1xf32=0) -> 2 2 6 6, 0 0 4 6, 0 2 4 6
# The same of one sequence that ends before the last query.
# expect: main(1x4x1x1xf32=0, 1x6x1x1xf32=1, 1x6x1x1xf32=0 0 0 8 4 8, 2xi32=0 3, i32=3, 2xi32=4 6, i32=2, 1x4x1x1xf32=1, 1x4x1x1xf32=1, 1x4x1x1xf32=1) -> 6 6 6 0, 4 6 6 0, 6 6 6 0
from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        q: R.Tensor((1, "n", 1, 1), "float32"),
        k: R.Tensor((1, "m", 1, 1), "float32"),
        v: R.Tensor((1, "m", 1, 1), "float32"),
        start_q: R.Tensor(("s",), "int32"),
        most_q: R.Tensor((), "int32"),
        start_k: R.Tensor(("s",), "int32"),
        most_k: R.Tensor((), "int32"),
    ):
        a = R.nn.attention_var_len(q, k, v, start_q, most_q, start_k, most_k)
        b = R.nn.attention_var_len(q, k, v, start_q, most_q, start_k, most_k, causal_mask="TopLeft")
        c = R.nn.attention_var_len(q, k, v, start_q, most_q, start_k, most_k, causal_mask="BottomRight")
        return (a, b, c)
