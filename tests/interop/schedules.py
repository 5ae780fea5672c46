"""Programs as TVM's scheduler leaves them: operators transformed by random, seeded schedule primitives.

A schedule keeps what a program computes, so the program before the schedule gives the expected values.
"""

import importlib
import random

import tvm
from tvm import s_tir, te, topi
from tvm.s_tir import Schedule, TensorIntrin

VARIANTS = 12
STEPS = 7


def tensor(name, *shape, dtype="float32"):
    return te.placeholder(shape, dtype, name)


def matmul_relu():
    a, b = tensor("A", 30, 40), tensor("B", 40, 50)
    return [a, b, topi.nn.relu(topi.matmul(a, b))]


def conv2d():
    a, w = tensor("A", 1, 9, 10, 4), tensor("W", 3, 3, 4, 8)
    return [a, w, topi.nn.conv2d_nhwc(a, w, 1, 1, 1)]


def softmax():
    a = tensor("A", 12, 30)
    return [a, topi.nn.softmax(a, -1)]


def chain():
    a, b = tensor("A", 24, 36), tensor("B", 36)
    return [a, b, topi.tanh(topi.nn.relu(topi.add(topi.multiply(a, b), b)))]


def row_sums():
    a = tensor("A", 17, 64)
    return [a, topi.sum(topi.multiply(a, a), axis=1)]


def total():
    a = tensor("A", 300, dtype="int32")
    return [a, topi.sum(a)]


def transposed_product():
    a, b = tensor("A", 2, 20, 12), tensor("B", 2, 16, 12)
    return [a, b, topi.nn.batch_matmul(a, b)]


def pooling():
    a = tensor("A", 1, 3, 12, 14)
    return [a, topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "max", False, "NCHW", True)]


def bytes_chain():
    a, b = tensor("A", 50, 20, dtype="uint8"), tensor("B", 50, 20, dtype="uint8")
    return [a, b, topi.cast(topi.right_shift(topi.add(topi.cast(a, "int32"), topi.cast(b, "int32")), 1), "uint8")]


def symbolic_product():
    n = te.var("n", "int32")
    a, b = te.placeholder((n, 16), "float32", "A"), te.placeholder((16, 24), "float32", "B")
    return [a, b, topi.matmul(a, b)]


def byte_product():
    a, b = tensor("A", 12, 32, dtype="int8"), tensor("B", 20, 32, dtype="int8")
    return [a, b, topi.nn.dense(a, b, out_dtype="int32")]


# name: (makes the tensors, length of the longest sum)
BASES = {
    "matmul_relu": (matmul_relu, 40), "conv2d": (conv2d, 36), "softmax": (softmax, 30), "chain": (chain, 1),
    "row_sums": (row_sums, 64), "total": (total, 1), "transposed_product": (transposed_product, 12), "pooling": (pooling, 9),
    "bytes_chain": (bytes_chain, 1), "symbolic_product": (symbolic_product, 16), "byte_product": (byte_product, 1),
}


class Transformation:
    """Random primitives on one schedule. TVM refuses what a program does not allow; another one is tried then. Reindex, on
    which TVM 0.27 ends the process now and then, is only used by itself."""

    def __init__(self, function, rng):
        self.schedule = Schedule(function)
        self.rng = rng
        self.primitives = [
            self.split, self.split, self.split, self.fuse, self.reorder, self.vectorize, self.parallel, self.unroll, self.compute_at,
            self.reverse_compute_at, self.inline, self.cache_read, self.cache_write, self.decompose_reduction, self.rfactor,
            self.blockize, self.set_scope, self.add_unit_loop, self.transform_layout, self.storage_align,
            self.decompose_padding, self.pad_einsum, self.reverse_compute_inline, self.annotate, self.loop_partition, self.cache_inplace,
        ]

    def blocks(self):
        return self.schedule.get_child_blocks(self.schedule.get_sblock("root"))

    def block(self):
        return self.rng.choice(self.blocks())

    def loop(self):
        return self.rng.choice(self.schedule.get_loops(self.block()))

    def split(self):
        self.schedule.split(self.loop(), [None, self.rng.choice((2, 3, 4, 5, 8, 16))])

    def fuse(self):
        loops = self.schedule.get_loops(self.block())
        first = self.rng.randrange(len(loops) - 1)
        self.schedule.fuse(*loops[first:first + 2])

    def reorder(self):
        loops = list(self.schedule.get_loops(self.block()))
        self.schedule.reorder(*self.rng.sample(loops, min(len(loops), 3)))

    def vectorize(self):
        self.schedule.vectorize(self.schedule.get_loops(self.block())[-1])

    def parallel(self):
        self.schedule.parallel(self.schedule.get_loops(self.block())[0])

    def unroll(self):
        self.schedule.unroll(self.loop())

    def compute_at(self):
        self.schedule.compute_at(self.block(), self.loop())

    def reverse_compute_at(self):
        self.schedule.reverse_compute_at(self.block(), self.loop())

    def inline(self):
        self.schedule.compute_inline(self.block())

    def cache_read(self):
        self.schedule.cache_read(self.block(), 0, "local")

    def cache_write(self):
        self.schedule.cache_write(self.block(), 0, "local")

    def decompose_reduction(self):
        self.schedule.decompose_reduction(self.block(), self.loop())

    def rfactor(self):
        self.schedule.rfactor(self.loop(), 0)

    def blockize(self):
        self.schedule.blockize(self.loop())

    def set_scope(self):
        self.schedule.set_scope(self.block(), 0, "local")

    def add_unit_loop(self):
        self.schedule.add_unit_loop(self.block())

    def transform_layout(self):
        self.schedule.transform_layout(self.block(), ("write", 0), lambda *i: (*i[:-1], i[-1] // 2, i[-1] % 2))

    def reindex(self):
        self.schedule.reindex(self.block(), ("read", 0))

    def storage_align(self):
        self.schedule.storage_align(self.block(), 0, 0, 16, 4)

    def decompose_padding(self):
        self.schedule.decompose_padding(self.block(), self.loop())

    def pad_einsum(self):
        self.schedule.pad_einsum(self.block(), [8, 8, 8])

    def reverse_compute_inline(self):
        self.schedule.reverse_compute_inline(self.block())

    def annotate(self):
        self.schedule.annotate(self.loop(), "pragma_unroll_explicit", 1)

    def loop_partition(self):
        self.schedule.loop_partition(self.loop(), [5])

    def cache_inplace(self):
        self.schedule.cache_inplace(self.block(), 0, "local")

    def one(self, name):
        """The program after the first use of a primitive that TVM accepts."""
        for _ in range(40):
            try:
                getattr(self, name)()
                return self.schedule.mod["main"]
            except Exception:  # refused by TVM: any of its exception types
                pass
        raise ValueError(f"no use of {name} is possible")

    def run(self):
        done = 0
        for _ in range(STEPS * 6):
            try:
                self.rng.choice(self.primitives)()
                done += 1
            except Exception:  # refused by TVM: any of its exception types
                pass
            if done == STEPS:
                break
        return self.schedule.mod["main"]


INTRINSICS = ("x86.dot_16x4_vnni", "x86.dot_16x4_avx512", "arm_cpu.dot_4x4_i8i8s32_neon", "arm_cpu.dot_4x4_i8i8s32_sdot",
              "arm_cpu.dot_4x4_u8u8u32_udot", "arm_cpu.dot_4x4_u8u8i32_hdot")


def tensor_intrinsics(operator_type):
    """TVM's tensor intrinsics for processors, which call LLVM's functions for x86 and Arm; what they stand for is the reference."""
    for full in INTRINSICS:
        module, name = full.split(".")
        importlib.import_module(f"tvm.s_tir.tensor_intrin.{module}")
        intrinsic = TensorIntrin.get(name)
        operator = operator_type(f"intrinsic.{name}", lambda intrinsic=intrinsic: intrinsic.impl, 4)
        operator.reference = lambda intrinsic=intrinsic: intrinsic.desc
        operator.kept = (2,)
        if name.endswith("avx512"):
            operator.domain = {0: lambda rng, shape, dtype: rng.integers(0, 60, shape).astype(dtype)}  # no sum of two is limited
        yield operator


def reduced_by_threads(operator_type):
    """Sums and extremes over threads of a block: as a schedule leaves them, and as reductions by tvm_thread_allreduce."""
    tables = {"sum": (lambda: (a := tensor("A", 5, 48), topi.sum(a, axis=1)), 48), "max": (lambda: (a := tensor("A", 3, 70), topi.max(a, axis=1)), 1),
              "argmax": (lambda: (a := tensor("A", 4, 33), topi.argmax(a, axis=1)), 1)}
    for name, (tensors, length) in tables.items():
        for lowered in (False, True):

            def plain(tensors=tensors):
                return te.create_prim_func(list(tensors()))

            def make(plain=plain, lowered=lowered):
                schedule = Schedule(plain())
                block = next(b for b in schedule.get_child_blocks(schedule.get_sblock("root")) if "red" in schedule.get(b).name_hint)
                row, sum_ = schedule.get_loops(block)
                _, thread = schedule.split(sum_, [None, 16])
                schedule.bind(row, "blockIdx.x")
                schedule.bind(thread, "threadIdx.x")
                module = tvm.IRModule({"main": schedule.mod["main"]})
                return (s_tir.transform.LowerCrossThreadReduction()(module) if lowered else module)["main"]

            operator = operator_type(f"threads.{name}.{int(lowered)}", make, length)
            operator.reference = plain
            yield operator


PRIMITIVES = (
    "split", "fuse", "reorder", "vectorize", "parallel", "unroll", "compute_at", "reverse_compute_at", "inline", "cache_read", "cache_write",
    "decompose_reduction", "rfactor", "blockize", "set_scope", "add_unit_loop", "transform_layout", "reindex", "storage_align",
    "decompose_padding", "pad_einsum", "reverse_compute_inline", "annotate", "loop_partition", "cache_inplace",
)


def scheduled(operator_type):
    """Yields operators of `operator_type` with `make` for the scheduled program and `reference` for the plain one: each
    primitive by itself, and several after one another."""
    for name, (tensors, length) in BASES.items():

        def plain(tensors=tensors):
            return te.create_prim_func(tensors())

        for variant in (*PRIMITIVES, *range(VARIANTS)):
            full = f"{name}.{variant}"

            def make(plain=plain, full=full, variant=variant):
                transformation = Transformation(plain(), random.Random(full))
                return transformation.run() if isinstance(variant, int) else transformation.one(variant)

            operator = operator_type(f"schedule.{full}", make, length)
            operator.reference = plain
            operator.may_refuse = True
            yield operator
