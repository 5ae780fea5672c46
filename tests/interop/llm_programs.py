"""The kernels of TVM's language models: attention over ragged and paged caches, tree attention, rotary embeddings, the
bookkeeping of caches; those for a CPU, and those for threads with shared memory and syncs, which the CPU's judge."""

import importlib

import numpy as np
import tvm
from tvm import te, topi

HEADS, GROUPS, WIDTH, PAGE = 4, 2, 16, 16


def module(name):
    return importlib.import_module(f"tvm.relax.frontend.nn.llm.{name}")


def device():
    return tvm.target.Target({"kind": "cuda", "arch": "sm_80", "max_threads_per_block": 1024,
                              "max_shared_memory_per_block": 49152, "thread_warp_size": 32})


def given(values):
    """A domain of one value."""
    return lambda rng, shape, dtype: np.asarray(values, dtype).reshape(shape)


def distinct(limit):
    return lambda rng, shape, dtype: rng.permutation(limit)[:int(np.prod(shape))].reshape(shape).astype(dtype)


ATTENTION = {"causal": 1, "rotary_mode": 1, "rope_scale": 1.0, "rope_theta": 10000.0, "sm_scale": 0.25}
RAGGED = {"qo_len": 7, "batch_size": 2, "kv_len": 12, **ATTENTION}
PAGED = {"total_len": 7, "batch_size": 2, "B": 2, "max_num_pages": 6, "nnz_pages": 3, "total_tree_order_len": 32, **ATTENTION}
STARTS, PAGES, LAST, POSITIONS = [0, 3, 7], [0, 1, 3], [5, 9], [4, 5, 6, 20, 21, 22, 23]
WINDOW = [*LAST, 0, 3, 0, 2]
TREE = [0, 3, 1, 2, 2, 3, 0, 4, 1, 2, 2, 4, 3, 4, *[0] * 50]  # rows of padding: tiles read behind the last one
PAGE_TABLE = {1: given(STARTS), 3: given(PAGES), 4: given([4, 0, 2]), 5: given(LAST), 6: given([0, 0]), 7: given(POSITIONS)}


def programs(dtype):
    """(name, length of the sums, makes the function, makes one for a CPU that computes the same or None, extents, domains)"""
    prefill, decode, tree, page = module("_prefill_kernels"), module("_decode_kernels"), module("tree_attn"), module("_page_kernels")
    rope, target, plain = module("position_embedding"), device(), {}
    cpu = lambda: prefill._attention_prefill_ragged_cpu(GROUPS, HEADS, WIDTH, WIDTH, dtype, plain)
    ragged = {1: given(STARTS), 4: given([0, 5, 12]), 5: given(POSITIONS), 6: given([0, 0])}
    yield "ragged", 32, cpu, None, RAGGED, ragged
    yield ("ragged.threads", 32, lambda: prefill._attention_prefill_ragged(GROUPS, HEADS, WIDTH, WIDTH, dtype, plain, target), cpu,
           RAGGED, ragged)
    for sliding in (False, True):
        name = ".sliding" if sliding else ""
        table = {**PAGE_TABLE, 5: given(WINDOW)} if sliding else PAGE_TABLE
        cpu = lambda sliding=sliding: prefill._attention_prefill_cpu(GROUPS, HEADS, WIDTH, dtype, sliding, plain, PAGE)
        yield f"prefill{name}", 32, cpu, None, PAGED, table
        yield (f"prefill{name}.threads", 32, lambda sliding=sliding: prefill._attention_prefill(
            GROUPS, HEADS, WIDTH, dtype, sliding, plain, target, PAGE), cpu, PAGED, table)
    table = {2: given(PAGES), 3: given([4, 0, 2]), 4: given(WINDOW), 5: given([0, 0]), 6: given([4, 24])}
    yield ("decode.sliding", 32, lambda: decode._attention_decode_cpu(GROUPS, HEADS, WIDTH, dtype, True, plain, PAGE), None, PAGED, table)
    cpu = lambda: tree.tree_attn_cpu(GROUPS, HEADS, WIDTH, dtype, plain)
    table = {**ragged, 4: given(STARTS), 6: given(STARTS), 7: given(TREE)}
    extents = {**RAGGED, "kv_len": 7, "batch_size_plus_1": 3, "tree_size": 32}
    yield "tree", 32, cpu, None, extents, table
    yield "tree.threads", 32, lambda: tree.tree_attn(GROUPS, HEADS, WIDTH, dtype, plain, target), cpu, extents, table
    cpu = lambda: tree.tree_attn_with_paged_kv_cache_cpu(GROUPS, HEADS, WIDTH, dtype, plain)
    table = {**PAGE_TABLE, 14: given(STARTS), 15: given(TREE)}
    extents = {**PAGED, "rotary_mode": 0}  # TVM has no other one here
    yield "tree_paged", 32, cpu, None, extents, table
    yield ("tree_paged.threads", 32, lambda: tree.tree_attn_with_paged_kv_cache(GROUPS, HEADS, WIDTH, dtype, plain, target), cpu,
           extents, table)
    yield "merge", 4, lambda: decode._merge_state_inplace_cpu(dtype), None, {}, {0: None, 1: None}
    pages = {"num_pages": 4, "src_page_id": 1, "tgt_page_id": 3, "copy_length": 5, "batch_size": 2, "total_copy_length": 5}
    cpu = lambda: page._copy_single_page_cpu(GROUPS, PAGE, WIDTH, dtype)
    yield "copy_page", 1, cpu, None, pages, {0: None}
    yield "copy_page.threads", 1, lambda: page._copy_single_page(GROUPS, PAGE, WIDTH, dtype, target), cpu, pages, {0: None}
    cpu = lambda: page._compact_kv_copy_cpu(GROUPS, WIDTH, dtype, PAGE)
    moves = {0: None, 1: given([0, 2, 5]), 2: given([1, 2, 33, 34, 35, 17, 18, 3, 4, 5])}
    yield "compact", 1, cpu, None, pages, moves
    yield "compact.threads", 1, lambda: page._compact_kv_copy(GROUPS, WIDTH, dtype, target, PAGE), cpu, pages, moves
    extents = {"num_pages": 4, "ntoken": 9, "seqlen": 9, "page_size": PAGE, "layer_id": 1}
    places = {0: None, 3: distinct(4 * PAGE)}
    yield "append", 1, lambda: page._kv_cache_transpose_append(GROUPS, WIDTH, dtype, PAGE), None, extents, places
    yield "append_mla", 1, lambda: page._kv_cache_transpose_append_mla(WIDTH, dtype, PAGE), None, extents, {0: None, 2: distinct(4 * PAGE)}
    yield "debug", 1, lambda: page._kv_cache_debug_get_kv(2, GROUPS, WIDTH, dtype), None, extents, {1: distinct(4 * PAGE)}
    for kind, scaling in (("plain", {}), ("gptj", {"rope_type": "gptj"}),
                          ("llama3", {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                      "original_max_position_embeddings": 8192})):
        yield (f"rope.{kind}", 4, lambda scaling=scaling: rope.llama_rope_with_position_map(
            10000.0, 1.0, WIDTH, HEADS, GROUPS, dtype, scaling), None, {"seq_len": 5, "apply_rope": 1}, {1: distinct(40)})


def cumulative(rank):
    def make():
        extents = [te.var(name, "int64") for name in ("outer", "scan", "inner")[:rank]]
        a = te.placeholder(extents, "int32", "A")
        return te.create_prim_func([a, topi.cumsum(a, 1)])

    return make


def others():
    scans = importlib.import_module("tvm.relax.backend.gpu_generic.cumsum")
    sampling = importlib.import_module("tvm.relax.backend.gpu_generic.sampling")
    names = {"m": 3, "n": 300, "outer": 3, "scan": 130, "inner": 4}
    yield "cumsum.last.threads", 1, scans.gpu_2d_continuous_cumsum, None, names, {}
    yield "cumsum.middle.threads", 1, scans.gpu_3d_axis_1_cumsum, cumulative(3), names, {}
    probabilities = lambda rng, shape, dtype: np.cumsum(rng.dirichlet(np.ones(shape[-1]), shape[0]), -1).astype(dtype)
    yield ("sample", 1, sampling.generic_get_sample_index, None, {"batch": 3, "vocab_size": 40, "out_batch": 5},
           {0: probabilities, 1: lambda rng, shape, dtype: rng.random(shape).astype(dtype) * 0.9, 2: lambda rng, shape, dtype: rng.integers(0, 3, shape).astype(dtype)})


def llm_programs(operator_type):
    tables = [(f"{name}.{dtype}", *rest) for dtype in ("float32", "float16") for name, *rest in programs(dtype)]
    for name, length, make, reference, extents, domain in [*tables, *others()]:
        operator = operator_type(f"llm.{name}", make, length, {key: value for key, value in domain.items() if value})
        operator.reference, operator.extents = reference, extents
        operator.kept = [key for key, value in domain.items() if value is None]
        operator.only_text = ".threads" in name and reference is None
        yield operator
