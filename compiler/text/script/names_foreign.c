/* Names of accelerators: calls that are read, checked and printed, and that no CPU runs. A call keeps its name and its
 * arguments. */
#include <string.h>

#include "compiler/text/script/names.h"

/* Everything below these names: T.ptx.mma.sync(...). */
static const char *const spaces[] = {"ptx",     "ptx_legacy", "cuda", "nki",     "metal",
                                     "nvshmem", "webgpu",     "tile", "hexagon", "trn"};

static const char *const names[] = {
    "tvm_warp_shuffle",
    "tvm_warp_shuffle_up",
    "tvm_warp_shuffle_down",
    "tvm_warp_shuffle_xor",
    "tvm_warp_activemask",
    "tvm_global_barrier_kinit",
    "tvm_thread_allreduce",
    "tvm_load_matrix_sync",
    "tvm_mma_sync",
    "tvm_bmma_sync",
    "tvm_fill_fragment",
    "tvm_store_matrix_sync",
    "tvm_kernel_replace_point",
    "tvm_context_id",
    "thread_return",
    "filter",
    "selector",
    "dp4a",
    "atomic_add",
    "nd_mem_alloc_with_scope",
    "texture2d_load",
    "texture2d_store",
    "dma_copy",
    "dma_wait",
    "dma_start_group",
    "dma_end_group",
    "call_spirv_pure_glsl450",
    "mem_copy",
    "ptx_mma",
    "ptx_mma_sp",
    "ptx_wgmma_ss",
    "ptx_wgmma_rs",
    "ptx_ldmatrix",
    "ptx_cp_async",
    "ptx_cp_async_bulk",
    "ptx_commit_group",
    "ptx_wait_group",
    "ptx_cp_async_barrier",
    "ptx_init_barrier_thread_count",
    "ptx_arrive_barrier",
    "ptx_arrive_barrier_expect_tx",
    "ptx_wait_barrier",
    "ptx_ldg32",
    "create_barriers",
    "mma_store",
    "mma_fill",
    "make_filled_simdgroup_matrix",
    "simdgroup_load",
    "simdgroup_store",
    "simdgroup_multiply_accumulate",
    "cooperative_tensor_fill",
    "cooperative_tensor_load",
    "cooperative_tensor_store",
    "cooperative_tensor_multiply_accumulate",
    "vthread",
    "get_vtcm_allocation",
    "print_buffer",
};

static bool is_one_of(const char *name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

bool tirbi_is_foreign(const char *name) {
    return is_one_of(name, spaces, sizeof spaces / sizeof *spaces) ||
           is_one_of(name, names, sizeof names / sizeof *names);
}

tirbi_value tirbi_foreign(tirbi_script *s, const char *outer, const char *name) {
    tirbi_value v = {.kind = TIRBI_VALUE_FOREIGN};
    v.as.name = outer ? tirbi_arena_format(s->arena, "%s.%s", outer, name) : name;
    return v.as.name ? v : tirbi_value_error();
}

/* An argument as an expression: a buffer is its data, a region its first element's address. */
static const tirb_expr *to_argument(tirbi_script *s, const tirbi_value *v) {
    tirb_buffer_region region;
    if (v->kind == TIRBI_VALUE_DTYPE) {
        char text[32];
        const char *type = tirb_datatype_text(v->as.dtype, text);
        return tirbi_make_string(&s->builder, v->node->span, tirbi_arena_text(s->arena, type, strlen(type)),
                                 (uint32_t)strlen(type));
    }
    if (v->kind == TIRBI_VALUE_NONE) return tirbi_make_int(&s->builder, v->node->span, tirbi_type_i32, 0);
    if (v->kind == TIRBI_VALUE_BUFFER && !v->scalar) return v->as.buffer->data;
    if (v->kind != TIRBI_VALUE_REGION) return tirbi_to_expr(s, v);
    if (!tirbi_to_region(s, v, &region)) return NULL;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, region.buffer->ndim);
    if (!indices) return NULL;
    for (uint32_t i = 0; i < region.buffer->ndim; i++) indices[i] = region.region[i].min;
    return tirbi_make_load(&s->builder, v->node->span, region.buffer, indices, region.buffer->ndim, NULL);
}

static bool add_arguments(tirbi_script *s, tirbi_list *list, const tirbi_value *v) {
    if (v->kind == TIRBI_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->as.sequence.n; i++)
            if (!add_arguments(s, list, &v->as.sequence.items[i])) return false;
        return true;
    }
    const tirb_expr **slot = TIRBI_LIST_ADD(s->arena, list, const tirb_expr *);
    return slot && (*slot = to_argument(s, v)) != NULL;
}

tirbi_value tirbi_call_foreign(tirbi_script *s, const tirbi_node *node, const char *name) {
    tirbi_list args = {.n = 0};
    const tirb_expr **slot = TIRBI_LIST_ADD(s->arena, &args, const tirb_expr *);
    if (!slot || !(*slot = tirbi_make_string(&s->builder, node->span, name, (uint32_t)strlen(name))))
        return tirbi_value_error();
    tirb_datatype type = tirbi_type_i32, named;
    for (uint32_t i = 1; i < node->n_items; i++) {
        const tirbi_node *item = node->items[i];
        /* Hybrid Script names the type of every call, as older texts of TVMScript do. */
        if (item->kind == TIRBI_NODE_KEYWORD && strcmp(item->name, "dtype") == 0) continue;
        bool wrapped = item->kind == TIRBI_NODE_KEYWORD || item->kind == TIRBI_NODE_STARRED;
        tirbi_value v = tirbi_evaluate(s, wrapped ? item->items[0] : item);
        if (!v.node) v.node = item;
        if (tirbi_is_error(&v) || !add_arguments(s, &args, &v)) return tirbi_value_error();
        if (i == 1 && v.kind == TIRBI_VALUE_STRING &&
            tirb_datatype_from_text(v.as.string.text, v.as.string.size, &named))
            type = named;
    }
    return tirbi_value_expr(tirbi_make_call(&s->builder, node->span, type, TIRB_BUILTIN_FOREIGN, args.items, args.n));
}

static tirbi_value extern_function(tirbi_script *s, const tirbi_call *c) {
    tirbi_value v = {.kind = TIRBI_VALUE_EXTERN};
    return tirbi_to_text(s, &c->args[0], "the symbol", &v.as.name) ? v : tirbi_value_error();
}

const tirbi_entry tirbi_relax_names[] = {
    {"ExternFunc", extern_function, "global_symbol", 0},
    {"function", NULL, "it is only meaningful as a decorator", 0},
    {NULL, NULL, NULL, 0},
};
