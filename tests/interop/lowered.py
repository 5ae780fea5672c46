"""Programs on their way through TVM's CPU pipeline: the text of each base program after every pass that changes it."""

import tvm
from tvm import s_tir, te, tirx, topi

from schedules import tensor

# Up to where a function gets the packed calling convention. Each pass works on what the one before it left.
PASSES = (
    s_tir.transform.CanonicalizeLoop, s_tir.transform.LowerInitBlock, s_tir.transform.PlanAndUpdateBufferAllocationLocation,
    s_tir.transform.ConvertBlocksToOpaque, s_tir.transform.CompactBufferAllocation, s_tir.transform.LowerMatchBuffer,
    s_tir.transform.StmtSimplify, s_tir.transform.LowerOpaqueBlock, tirx.transform.FlattenBuffer, tirx.transform.BF16ComputeLegalize,
    lambda: tirx.transform.NarrowDataType(32), s_tir.transform.LoopPartition, lambda: tirx.transform.VectorizeLoop(True),
    s_tir.transform.InjectVirtualThread, tirx.transform.StorageRewrite, s_tir.transform.HoistIfThenElse, tirx.transform.UnrollLoop,
    s_tir.transform.RenormalizeSplitPattern, tirx.transform.StmtSimplify, tirx.transform.RemoveNoOp,
    s_tir.transform.RewriteUnsafeSelect, tirx.transform.CommonSubexprElim,
)
STARTS = 5


def split_conv():
    a, w = tensor("A", 1, 3, 9, 10), tensor("W", 4, 3, 3, 3)
    return [a, w, topi.nn.conv2d_nchw(a, w, 1, 1, 1)]


def half_chain():
    a = tensor("A", 5, 33, dtype="float16")
    return [a, topi.nn.relu(topi.add(topi.multiply(a, a), a))]


def symbolic_softmax():
    n = te.var("n", "int32")
    a = te.placeholder((n, 12), "float32", "A")
    return [a, topi.nn.softmax(a, -1)]


def padded():
    a = tensor("A", 7, 9)
    return [a, topi.nn.relu(topi.nn.pad(a, (1, 2), (0, 3), 1.0))]


def gathered():
    a, i = tensor("A", 40), tensor("I", 12, dtype="int32")
    return [a, i, topi.take(a, i, mode="clip")]


BASES = {"conv": (split_conv, 27), "half": (half_chain, 2), "softmax": (symbolic_softmax, 12), "padded": (padded, 1), "gathered": (gathered, 1)}


def vectorized(function, lanes):
    schedule = s_tir.Schedule(function)
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        loops = schedule.get_loops(block)
        reduce = [loop for loop in loops if "reduce" in str(loop)]
        if reduce:
            continue
        try:
            outer, inner = schedule.split(loops[-1], [None, lanes])
            schedule.vectorize(inner)
            schedule.parallel(loops[0] if len(loops) > 1 else outer)
        except Exception:  # refused by TVM: any of its exception types
            continue
    return schedule.mod["main"]


def stage(function, number):
    """The function after passes 0 .. number, or None where the last of them changes nothing."""
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    module = tirx.transform.BindTarget(tvm.target.Target({"kind": "llvm"}))(module)
    for make in PASSES[:number]:
        module = make()(module)
    after = PASSES[number]()(module)
    if after.script() == module.script():
        raise ValueError("this pass changes nothing")
    return after["main"].without_attr("target")


def lowered(operator_type):
    for name, (tensors, length) in BASES.items():
        for lanes in (0, 4, 16):

            def plain(tensors=tensors):
                return te.create_prim_func(tensors())

            def start(plain=plain, lanes=lanes):
                return vectorized(plain(), lanes) if lanes else plain()

            for number in range(len(PASSES)):
                operator = operator_type(f"lowered.{name}.{lanes}.{number}", lambda start=start, number=number: stage(start(), number), length)
                operator.reference = plain
                operator.may_refuse = True
                yield operator
