/* Buffers of the loop IR: parameters, allocations, views and matched regions, and the places in them. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/visit.h"
#include "compiler/lower/narrow.h"
#include "compiler/pipeline/switches.h"
#include "loader/base/checked.h"

/* ---- What becomes of buffers of one element --------------------------------------------------------------------- */

typedef struct pin_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_lowerer *l;
} pin_search;

static void count_store(tirbi_lowerer *l, const tirb_buffer *buffer) {
    if (buffer->id < l->n_buffers && l->stores[buffer->id] < 2) l->stores[buffer->id]++;
}

static void pin(tirbi_lowerer *l, const tirb_buffer *buffer) {
    if (buffer && buffer->id < l->n_buffers) l->pinned[buffer->id] = 1;
}

static bool all_zero(const tirb_expr *const *indices, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (indices[i]->kind != TIRB_EXPR_INT_IMM || indices[i]->as.int_value != 0) return false;
    }
    return true;
}

static void pin_in_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    tirbi_lowerer *l = ((pin_search *)visitor)->l;
    if (e->kind == TIRB_EXPR_VAR && e->as.var.data_of) pin(l, e->as.var.data_of);
    if (e->kind == TIRB_EXPR_CALL && !e->as.call.function &&
        e->as.call.builtin == TIRB_BUILTIN_ANYLIST_MOVE_FROM_RETURN)
        l->moves_results = true;
    if (e->kind == TIRB_EXPR_LOAD && !all_zero(e->as.load.indices, e->as.load.n_indices)) pin(l, e->as.load.buffer);
    if (e->kind == TIRB_EXPR_CALL && !e->as.call.function && e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF &&
        e->as.call.n_args == 1 && e->as.call.args[0]->kind == TIRB_EXPR_LOAD) {
        pin(l, e->as.call.args[0]->as.load.buffer);
    }
    tirbi_visit_expr(visitor, e);
}

static void pin_in_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    tirbi_lowerer *l = ((pin_search *)visitor)->l;
    if (s->kind == TIRB_STMT_STORE) count_store(l, s->as.store.buffer);
    if (s->kind == TIRB_STMT_STORE && !all_zero(s->as.store.indices, s->as.store.n_indices)) {
        pin(l, s->as.store.buffer);
    } else if (s->kind == TIRB_STMT_DECL_BUFFER) {
        const tirb_expr *data = s->as.decl.source ? s->as.decl.source : s->as.decl.buffer->data;
        if (data->kind == TIRB_EXPR_VAR) pin(l, data->as.var.data_of);
    } else if (s->kind == TIRB_STMT_BLOCK_REALIZE) {
        const tirb_block *block = s->as.block.block;
        for (uint32_t i = 0; i < block->n_matches; i++) pin(l, block->matches[i].source.buffer);
    }
    tirbi_visit_stmt(visitor, s);
}

void tirbi_find_pinned(tirbi_lowerer *l, const tirb_primfunc *function) {
    pin_search search = {.visitor = {.expr = pin_in_expr, .stmt = pin_in_stmt}, .l = l};
    for (uint32_t i = 0; i < function->n_params; i++) pin(l, function->buffers[i]);
    if (function->body) pin_in_stmt(&search.visitor, function->body);
}

/* ---- Declaring ------------------------------------------------------------------------------------------------ */

static const tirbi_lx **row_major(tirbi_lowerer *l, const tirbi_lx *const *shape, uint32_t ndim) {
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    const tirbi_lx *stride = tirbi_lx_number(l->pool, 1);
    if (!strides) return NULL;
    for (uint32_t i = ndim; i-- > 0;) {
        strides[i] = stride;
        stride = stride ? tirbi_lx_mul(l->pool, stride, shape[i]) : NULL;
    }
    return strides;
}

/* A size in vectors as a size in their lanes. */
static const tirbi_lx *in_lanes(tirbi_lowerer *l, const tirbi_lx *size, uint32_t lanes) {
    return size && lanes > 1 ? tirbi_lx_mul(l->pool, size, tirbi_lx_number(l->pool, lanes)) : size;
}

/* Strides as declared, in elements of the machine: of a buffer of vectors, its lanes. */
static const tirbi_lx **declared_strides(tirbi_lowerer *l, const tirb_buffer *buffer, uint32_t ndim) {
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    for (uint32_t i = 0; strides && i < ndim; i++) {
        strides[i] = i == buffer->ndim
                         ? tirbi_lx_number(l->pool, 1)
                         : in_lanes(l, tirbi_lower_index(l, buffer->strides[i], NULL), buffer->dtype.lanes);
        /* As with extents below. */
        if (l->out && strides[i] && !strides[i]->pure)
            strides[i] = tirbi_hold(l, buffer->name, strides[i], buffer->span);
        if (!strides[i]) return NULL;
    }
    return strides;
}

/* The lanes of vectors that are elements are one more dimension, the last. */
static tirbi_lbuf *new_buffer(tirbi_lowerer *l, const tirb_buffer *buffer) {
    tirbi_dtype type;
    uint32_t lanes = buffer->dtype.lanes, ndim = buffer->ndim + (lanes > 1);
    if (ndim > TIRBI_MAX_NDIM) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, buffer->span,
                           "buffer '%s' has %u dimensions, more than %d", buffer->name, (unsigned)ndim,
                           (int)TIRBI_MAX_NDIM);
        return NULL;
    }
    if (!tirbi_machine_type(l, tirbi_type_element(buffer->dtype), buffer->span, &type)) return NULL;
    tirbi_lbuf *b = TIRBI_NEW(l->arena, tirbi_lbuf);
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    if (!b || !shape) return NULL;
    for (uint32_t i = 0; i < ndim; i++) {
        shape[i] = i == buffer->ndim ? tirbi_lx_number(l->pool, lanes) : tirbi_lower_index(l, buffer->shape[i], NULL);
        if (!shape[i]) return NULL;
        /* What memory or a call gave stays the extent, whatever is stored there later. */
        if (l->out && !shape[i]->pure) shape[i] = tirbi_hold(l, buffer->name, shape[i], buffer->span);
        if (!shape[i]) return NULL;
    }
    *b = (tirbi_lbuf){.name = buffer->name, .type = type, .ndim = ndim, .shape = shape, .param = -1};
    b->broadcasts = buffer->auto_broadcast;
    b->root = b;
    b->strides = buffer->strides ? declared_strides(l, buffer, ndim) : row_major(l, shape, ndim);
    if (!b->strides) return NULL;
    if (buffer->id < l->n_buffers) l->buffers[buffer->id] = b;
    return b;
}

tirbi_lbuf *tirbi_declare_buffer(tirbi_lowerer *l, const tirb_buffer *buffer, int32_t param) {
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (b) b->param = param;
    return b;
}

static bool one_element(const tirbi_lbuf *b) {
    for (uint32_t i = 0; i < b->ndim; i++) {
        if (!tirbi_lx_is_int(b->shape[i], 1)) return false;
    }
    return true;
}

void tirbi_constant_buffer(tirbi_lowerer *l, const tirb_buffer *buffer, const uint8_t *bytes, uint64_t size) {
    tirbi_lfunc *f = l->function;
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (!b) return;
    if (f->n_constants == f->constant_capacity) {
        const uint32_t capacity = f->constant_capacity ? 2 * f->constant_capacity : 8;
        tirbi_lbuf **more = TIRBI_NEW_ARRAY(l->arena, tirbi_lbuf *, capacity);
        if (!more) return;
        if (f->n_constants) memcpy(more, f->constants, f->n_constants * sizeof(*more));
        f->constants = more;
        f->constant_capacity = capacity;
    }
    b->fetched = true;
    b->constant = bytes;
    b->constant_size = size;
    f->constants[f->n_constants++] = b;
}

void tirbi_allocate_buffer(tirbi_lowerer *l, const tirb_buffer *buffer) {
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (!b) return;
    bool promote = !(l->disabled & TIRB_PASS_PROMOTE);
    if (promote && one_element(b) && buffer->id < l->n_buffers && !l->pinned[buffer->id]) {
        b->local = tirbi_new_var(l, b->name, TIRBI_LVAR_LOCAL, b->type);
        const tirbi_lx *zero = tirbi_lx_bits(l->pool, b->type, 0);
        if (!b->local || !zero) return;
        tirbi_ls *set = tirbi_append(l, TIRBI_LS_SET, buffer->span);
        set->as.set.var = b->local;
        set->as.set.declares = true;
        set->as.set.value = zero;
        return;
    }
    tirbi_append(l, TIRBI_LS_ALLOC, buffer->span)->as.alloc.buffer = b;
}

tirbi_lbuf *tirbi_new_temporary(tirbi_lowerer *l, const char *name, tirbi_dtype type, uint32_t lanes, tirbi_span span) {
    const tirbi_lx *count = tirbi_lx_number(l->pool, lanes);
    return count ? tirbi_allocate_memory(l, name, type, count, span) : NULL;
}

tirbi_lbuf *tirbi_allocate_memory(tirbi_lowerer *l, const char *name, tirbi_dtype type, const tirbi_lx *count,
                                  tirbi_span span) {
    tirbi_lbuf *b = TIRBI_NEW(l->arena, tirbi_lbuf);
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, 1);
    if (!b || !shape) return NULL;
    shape[0] = count;
    *b = (tirbi_lbuf){.name = name, .type = type, .ndim = 1, .shape = shape, .root = b, .param = -1};
    b->strides = row_major(l, shape, 1);
    if (!b->strides) return NULL;
    tirbi_append(l, TIRBI_LS_ALLOC, span)->as.alloc.buffer = b;
    return b;
}

tirbi_lbuf *tirbi_allocate_parts(tirbi_lowerer *l, const tirb_buffer *buffer, const tirbi_lx *parts) {
    tirbi_lbuf *part = new_buffer(l, buffer), *all = TIRBI_NEW(l->arena, tirbi_lbuf);
    if (!part || !all || !parts) return NULL;
    uint32_t ndim = part->ndim + 1;
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    if (!shape) return NULL;
    if (ndim > TIRBI_MAX_NDIM) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, buffer->span,
                           "buffer '%s' of threads has %u dimensions, more than %d", buffer->name, (unsigned)part->ndim,
                           (int)TIRBI_MAX_NDIM - 1);
        return NULL;
    }
    shape[0] = parts;
    for (uint32_t i = 1; i < ndim; i++) shape[i] = part->shape[i - 1];
    *all = (tirbi_lbuf){.name = part->name, .type = part->type, .ndim = ndim, .shape = shape, .root = all, .param = -1};
    all->strides = row_major(l, shape, ndim);
    if (!all->strides) return NULL;
    tirbi_append(l, TIRBI_LS_ALLOC, buffer->span)->as.alloc.buffer = all;
    return all;
}

void tirbi_use_part(tirbi_lowerer *l, const tirb_buffer *buffer, tirbi_lbuf *memory, const tirbi_lx *number) {
    tirbi_lbuf *b = new_buffer(l, buffer);
    const tirbi_lx **mins = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, memory->ndim);
    if (!b || !mins || !number) return;
    mins[0] = number;
    for (uint32_t i = 1; i < memory->ndim; i++) mins[i] = tirbi_lx_number(l->pool, 0);
    b->root = memory;
    b->offset = tirbi_lx_mul(l->pool, number, memory->strides[0]);
    b->source = memory;
    b->source_mins = mins;
}

/* ---- Views ---------------------------------------------------------------------------------------------------- */

/* Whether constant strides keep the elements of a view apart: each steps over all that the smaller ones reach. */
static bool strides_apart(const tirbi_lbuf *b) {
    int64_t done = 0, reach = 0;
    for (uint32_t left = b->ndim; left > 0; left--) {
        int64_t least = INT64_MAX, span;
        const tirbi_lx *extent = NULL;
        for (uint32_t d = 0; d < b->ndim; d++) {
            const tirbi_lx *stride = b->strides[d];
            if (tirbi_lx_is_int(b->shape[d], 1)) continue;
            if (stride->lo != stride->hi) return false;
            if (stride->lo > done && stride->lo < least) {
                least = stride->lo;
                extent = b->shape[d];
            } else if (stride->lo <= 0 || (stride->lo == least && extent != NULL)) {
                return false;
            }
        }
        if (!extent) return true;
        if (least <= reach) return false;
        done = least;
        if (__builtin_mul_overflow(least, extent->hi > 0 ? extent->hi - 1 : 0, &span) ||
            __builtin_add_overflow(reach, span, &reach)) {
            reach = INT64_MAX;
        }
    }
    return true;
}

/* How many elements a buffer without gaps has, if that is a number; else -1. */
static int64_t count_elements(const tirbi_lbuf *b) {
    int64_t n = 1;
    for (uint32_t d = b->ndim; d-- > 0;) {
        const tirbi_lx *extent = b->shape[d];
        if (extent->kind != TIRBI_LX_CONST || extent->value < 1 || !tirbi_lx_is_int(b->strides[d], n) ||
            !tirbi_mul_i64(n, extent->value, &n))
            return -1;
    }
    return n;
}

/* Whether all elements of a view are elements of its memory, by their numbers alone. */
static bool covers_root(const tirbi_lbuf *b) {
    const tirbi_lbuf *root = b->root;
    if (root == b || b->offset || b->resized || b->broadcasts || root->offset || root->length || root->fetched ||
        root->local || root->broadcasts)
        return false;
    const int64_t own = count_elements(b);
    return own > 0 && own <= count_elements(root);
}

/* A buffer over the memory that a pointer points to, with its own shape, strides and offset. */
static tirbi_lbuf *declare_over(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *data, tirbi_span span) {
    tirbi_pointer pointer;
    if (!tirbi_lower_pointer(l, data, span, &pointer)) return NULL;
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (!b) return NULL;
    bool resized = tirbi_dtypes[b->type].size != tirbi_dtypes[pointer.memory->type].size;
    b->root = pointer.memory;
    b->offset = resized ? tirbi_lx_number(l->pool, 0) : pointer.offset;
    if (resized && !tirbi_resize_view(l, b, &pointer)) return NULL;
    b->overlaps = buffer->strides != NULL && !strides_apart(b);
    if (buffer->elem_offset) {
        const tirbi_lx *offset = in_lanes(l, tirbi_lower_index(l, buffer->elem_offset, NULL), buffer->dtype.lanes);
        b->offset = offset ? tirbi_lx_add(l->pool, b->offset, offset) : NULL;
    }
    b->offset = tirbi_hold(l, b->name, b->offset, span);
    if (b->offset && tirbi_lx_is_int(b->offset, 0)) b->offset = NULL;
    b->covers = covers_root(b);
    return b;
}

void tirbi_declare_view(tirbi_lowerer *l, const tirb_stmt *decl) {
    const tirb_buffer *buffer = decl->as.decl.buffer;
    const tirb_expr *data = tirbi_declared_pointer(l, decl);
    tirbi_dtype type;
    if (!data) return;
    if (tirbi_storage_type(tirbi_type_element(buffer->dtype), &type)) tirbi_fetch_memory(l, data, type, decl->span);
    declare_over(l, buffer, data, decl->span);
}

/* Whether a value is computed again at each use, and from what no statement sets. */
static bool is_computed(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return x->var->kind == TIRBI_LVAR_PARAM || x->var->kind == TIRBI_LVAR_LOOP;
    for (int i = 0; i < x->n_args; i++) {
        if (!is_computed(x->args[i])) return false;
    }
    return x->kind == TIRBI_LX_CONST || x->kind == TIRBI_LX_OP;
}

tirbi_lbuf *tirbi_buffer_of(tirbi_lowerer *l, const tirb_buffer *buffer, tirbi_span span) {
    tirbi_lbuf *b = buffer->id < l->n_buffers ? l->buffers[buffer->id] : NULL;
    if (b) return b;
    if (buffer->data->as.var.data_of != buffer) {
        b = declare_over(l, buffer, buffer->data, span);
        /* Where no statement declares it, a variable that holds its offset is set at this use alone; and between syncs
         * threads have loops of their own. */
        bool once = l->synchronises || (b && b->offset && !is_computed(b->offset));
        if (once && buffer->id < l->n_buffers) l->buffers[buffer->id] = NULL;
        return b;
    }
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, span, "buffer '%s' has no memory here that can be compiled",
                       buffer->name);
    return NULL;
}

static void bind_size(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *value) {
    tirbi_dtype type;
    if (value && tirbi_machine_type(l, var->dtype, var->span, &type))
        tirbi_lower_bind(l, var, tirbi_lx_cast(l->pool, type, value));
}

/* Binds the variables that a matched buffer's shape, strides and offset introduce. */
static void bind_if_free(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *value) {
    if (!e || e->kind != TIRB_EXPR_VAR || e->as.var.id >= l->n_vars || l->bindings[e->as.var.id].value) return;
    bind_size(l, e, value);
}

/* An extent of a region that the compiler cannot tell to be as its matched buffer says. */
static void check_extent(tirbi_lowerer *l, const tirb_match_buffer *match, uint32_t dim, const tirbi_lx *expected,
                         const tirbi_lx *actual, tirbi_span span) {
    const tirbi_lx *differs = tirbi_lx_wide(l->pool, TIRB_OP_NE, expected, actual);
    if (!differs || expected == actual || tirbi_lx_is_int(differs, 0)) return;
    const char *message =
        tirbi_arena_format(l->arena, "extent %u of the region that '%s' matches is not what its shape says",
                           (unsigned)dim, match->buffer->name);
    const tirbi_lx *trap = tirbi_lower_trap(l, TIRB_SHAPE, message, TIRB_I32);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    if (trap) tirbi_append(l, TIRBI_LS_EVAL, span)->as.eval.value = trap;
    l->out = outer;
    const tirbi_ls *then_case = tirbi_finish_list(l, &list, span);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, span);
    branch->as.if_.condition = differs;
    branch->as.if_.then_case = then_case;
}

void tirbi_match_region(tirbi_lowerer *l, const tirb_match_buffer *match, tirbi_span span) {
    const tirb_buffer *buffer = match->buffer, *from = match->source.buffer;
    tirbi_lbuf *source = tirbi_buffer_of(l, from, span);
    if (!source) return;
    uint32_t lead = from->ndim > buffer->ndim ? from->ndim - buffer->ndim : 0;
    const tirbi_lx **mins = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, source->ndim);
    if (!mins) return;
    for (uint32_t i = from->ndim; i < source->ndim; i++) mins[i] = tirbi_lx_number(l->pool, 0);
    const tirbi_lx *offset = source->offset ? source->offset : tirbi_lx_number(l->pool, 0);
    for (uint32_t i = 0; i < from->ndim; i++) {
        mins[i] = tirbi_lower_index(l, match->source.region[i].min, NULL);
        /* What memory gave is where the region stays, whatever is stored there later. */
        if (mins[i] && !mins[i]->pure) mins[i] = tirbi_hold(l, buffer->name, mins[i], span);
        if (!mins[i] || !offset) return;
        offset = tirbi_lx_add(l->pool, offset, tirbi_lx_mul(l->pool, mins[i], source->strides[i]));
        const tirbi_lx *extent = tirbi_lower_index(l, match->source.region[i].extent, NULL);
        if (extent && !extent->pure) extent = tirbi_hold(l, buffer->name, extent, span);
        if (i >= lead) bind_if_free(l, buffer->shape[i - lead], extent);
        const tirbi_lx *expected =
            i < lead ? tirbi_lx_number(l->pool, 1) : tirbi_lower_index(l, buffer->shape[i - lead], NULL);
        check_extent(l, match, i, expected, extent, span);
        if (i < lead) continue;
        if (buffer->strides) bind_if_free(l, buffer->strides[i - lead], source->strides[i]);
    }
    bind_if_free(l, buffer->elem_offset, offset);
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (!b) return;
    if (b->type != source->type) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, span, "'%s' has type %s but the region it matches is of '%s', %s",
                           b->name, tirbi_dtypes[b->type].tvm_name, source->name, tirbi_dtypes[source->type].tvm_name);
        return;
    }
    b->root = source->root;
    b->offset = offset;
    b->strides = source->strides + lead;
    b->overlaps = source->overlaps;
    b->resized = source->resized;
    b->source = source;
    b->source_mins = mins;
}

static bool is_param_buffer(const tirbi_lowerer *l, const tirb_buffer *buffer) {
    const tirb_primfunc *f = l->function->ast;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] == buffer) return true;
    }
    return false;
}

/* The variables of a realized buffer's strides and offset mean what its memory has; other strides are the program's
 * own, which nothing says how to keep memory for. */
static bool bind_realized(tirbi_lowerer *l, const tirb_stmt *realize, const tirbi_lbuf *memory) {
    const tirb_buffer *buffer = realize->as.realize.buffer;
    for (uint32_t i = 0; buffer->strides && i < buffer->ndim; i++) {
        const tirb_expr *stride = buffer->strides[i];
        if (stride->kind != TIRB_EXPR_VAR) {
            tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, stride->span,
                               "the strides of '%s', which is realized, must be variables: its memory is row-major",
                               buffer->name);
            return false;
        }
        bind_size(l, stride, memory->strides[i]);
    }
    if (buffer->elem_offset && buffer->elem_offset->kind == TIRB_EXPR_VAR)
        bind_size(l, buffer->elem_offset, tirbi_lx_number(l->pool, 0));
    return true;
}

/* The memory holds the region alone: the buffer is a view of it that is shifted by the region's mins. The condition is
 * no more than a hint. */
void tirbi_realize_buffer(tirbi_lowerer *l, const tirb_stmt *realize) {
    const tirb_buffer *buffer = realize->as.realize.buffer;
    uint32_t lanes = buffer->dtype.lanes, ndim = buffer->ndim + (lanes > 1);
    tirbi_dtype type;
    if (is_param_buffer(l, buffer)) return;
    if (!tirbi_machine_type(l, tirbi_type_element(buffer->dtype), buffer->span, &type)) return;
    tirbi_lbuf *memory = TIRBI_NEW(l->arena, tirbi_lbuf);
    const tirbi_lx **extents = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    const tirbi_lx **shifts = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, ndim);
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0), *offset = zero;
    const char *name = tirbi_arena_format(l->arena, "the realized region of %s", buffer->name);
    if (!memory || !extents || !shifts || !zero || !name) return;
    for (uint32_t i = 0; i < ndim; i++) {
        const tirb_range *bounds = i < buffer->ndim ? &realize->as.realize.bounds[i] : NULL;
        const tirbi_lx *min = bounds ? tirbi_lower_index(l, bounds->min, NULL) : zero;
        extents[i] = bounds ? tirbi_lower_index(l, bounds->extent, NULL) : tirbi_lx_number(l->pool, lanes);
        if (min && !min->pure) min = tirbi_hold(l, buffer->name, min, realize->span);
        if (extents[i] && !extents[i]->pure) extents[i] = tirbi_hold(l, buffer->name, extents[i], realize->span);
        shifts[i] = min ? tirbi_lx_sub(l->pool, zero, min) : NULL;
        if (!extents[i] || !shifts[i]) return;
    }
    *memory = (tirbi_lbuf){.name = name, .type = type, .ndim = ndim, .shape = extents, .param = -1};
    memory->root = memory;
    memory->strides = row_major(l, extents, ndim);
    if (!memory->strides || !bind_realized(l, realize, memory)) return;
    tirbi_lbuf *b = new_buffer(l, buffer);
    if (!b) return;
    for (uint32_t i = 0; i < ndim; i++) {
        offset = tirbi_lx_add(l->pool, offset, tirbi_lx_mul(l->pool, shifts[i], memory->strides[i]));
        if (!offset) return;
    }
    tirbi_append(l, TIRBI_LS_ALLOC, realize->span)->as.alloc.buffer = memory;
    b->root = memory;
    b->strides = memory->strides;
    b->offset = offset;
    b->source = memory;
    b->source_mins = shifts;
}

/* ---- Places --------------------------------------------------------------------------------------------------- */

/* Whether an element of a matched region is inside of that wherever it is inside of the source: each index is known to
 * be below its extent, or is the source's own, of a dimension that the region has all of. */
static bool is_inside_region(const tirbi_lbuf *region, const tirbi_lx *const *indices, const tirbi_lx *const *outer) {
    const uint32_t lead = region->source->ndim - region->ndim;
    if (region->broadcasts || region->resized) return false;
    for (uint32_t i = 0; i < region->ndim; i++) {
        const bool whole = region->shape[i] == region->source->shape[lead + i] && indices[i] == outer[lead + i];
        if (!whole && !tirbi_index_proven(indices[i], region->shape[i])) return false;
    }
    return true;
}

const tirbi_place *tirbi_place_at(tirbi_lowerer *l, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span) {
    tirbi_place *place = TIRBI_NEW(l->arena, tirbi_place);
    const tirbi_lx **copy = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, buffer->ndim);
    if (!place || !copy) return NULL;
    const tirbi_lx *flat = buffer->offset ? buffer->offset : tirbi_lx_number(l->pool, 0);
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!indices[i] || !flat) return NULL;
        copy[i] = indices[i];
        flat = tirbi_lx_add(l->pool, flat, tirbi_lx_mul(l->pool, indices[i], buffer->strides[i]));
    }
    if (!flat) return NULL;
    *place = (tirbi_place){.buffer = buffer, .ndim = buffer->ndim, .indices = copy, .flat = flat, .span = span};
    if (!buffer->source) return place;
    /* A matched region: the element of the source, with the indices as written checked as well. */
    tirbi_lbuf *source = buffer->source;
    uint32_t lead = source->ndim - buffer->ndim;
    const tirbi_lx *outer[TIRBI_MAX_NDIM];
    if (source->ndim > TIRBI_MAX_NDIM) return NULL;
    for (uint32_t i = 0; i < source->ndim; i++) {
        outer[i] = i < lead ? buffer->source_mins[i] : tirbi_lx_add(l->pool, buffer->source_mins[i], indices[i - lead]);
    }
    const tirbi_place *real = tirbi_place_at(l, source, outer, span);
    if (!real || is_inside_region(buffer, indices, outer)) return real;
    place->view = real->view;
    *((tirbi_place *)(uintptr_t)real) = (tirbi_place){.buffer = real->buffer,
                                                      .ndim = real->ndim,
                                                      .indices = real->indices,
                                                      .flat = flat,
                                                      .view = place,
                                                      .span = span};
    return real;
}

/* 0 where the extent is 1. */
static const tirbi_lx *broadcast_index(tirbi_lowerer *l, const tirbi_lx *index, const tirbi_lx *extent) {
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0), *one = tirbi_lx_number(l->pool, 1);
    if (!index || !zero || !one) return NULL;
    const tirbi_lx *single = tirbi_lx_wide(l->pool, TIRB_OP_EQ, extent, one);
    return single ? tirbi_lx_lazy(l->pool, TIRBI_LX_COND, single, zero, index) : NULL;
}

/* Loads in the indices of loads are in each place more than once, so that what they stand for grows by a factor at each
 * level: where it has grown so much, it is kept in a variable. */
static bool is_deep(const tirbi_lx *index) { return !index->shared && index->size > TIRBI_MAX_INDEX_SIZE; }

/* A vector of more neighbours than a row has cannot but leave it: it goes on in the next row. */
static void carry_rows(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *last, uint32_t n,
                       const tirbi_lx **lowered) {
    uint64_t lanes = last->dtype.lanes;
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0);
    if (last->kind != TIRB_EXPR_RAMP ||
        !(last->as.ramp.stride->kind == TIRB_EXPR_INT_IMM && last->as.ramp.stride->as.int_value == 1) ||
        buffer->auto_broadcast)
        return;
    for (uint32_t d = n - 1; d > 0 && zero; d--) {
        const tirb_expr *extent = buffer->shape[d];
        if (extent->kind != TIRB_EXPR_INT_IMM || extent->as.int_value < 1 || lanes <= (uint64_t)extent->as.int_value)
            return;
        const tirbi_lx *size = tirbi_lx_number(l->pool, extent->as.int_value);
        const tirbi_lx *place = tirbi_lx_wide(l->pool, TIRB_OP_MAX, lowered[d], zero);
        const tirbi_lx *rows = tirbi_lx_wide(l->pool, TIRB_OP_FLOORDIV, place, size);
        if (!rows) return;
        lowered[d] = tirbi_lx_sub(l->pool, lowered[d], tirbi_lx_mul(l->pool, rows, size));
        lowered[d - 1] = tirbi_lx_add(l->pool, lowered[d - 1], rows);
        lanes = lanes / (uint64_t)extent->as.int_value + 1;
    }
}

tirbi_lbuf *tirbi_lower_indices(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *const *indices,
                                uint32_t n, const tirbi_lx *lane, tirbi_span span,
                                const tirbi_lx *lowered[TIRBI_MAX_NDIM]) {
    tirbi_lbuf *b = tirbi_buffer_of(l, buffer, span);
    if (!b) return NULL;
    uint32_t lanes = buffer->dtype.lanes;
    tirbi_mark marks[TIRBI_MAX_NDIM];
    if (n + (lanes > 1) != b->ndim) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, span, "buffer '%s' has %u dimensions, got %u indices", b->name,
                           (unsigned)buffer->ndim, (unsigned)n);
        return NULL;
    }
    if (lanes > 1) { /* lane i of the value is lane i mod `lanes` of the vector at lane i / `lanes` of the index */
        const tirbi_lx *per = tirbi_lx_number(l->pool, lanes);
        if (!lane || !per) return NULL;
        lowered[n] = tirbi_lx_wide(l->pool, TIRB_OP_FLOORMOD, lane, per);
        lane = tirbi_lx_wide(l->pool, TIRB_OP_FLOORDIV, lane, per);
    }
    for (uint32_t i = 0; i < n; i++) {
        lowered[i] = tirbi_lower_index(l, indices[i], indices[i]->dtype.lanes > 1 ? lane : NULL);
        if (b->broadcasts) lowered[i] = broadcast_index(l, lowered[i], b->shape[i]);
        /* It is checked and then used. */
        lowered[i] = tirbi_settle(l, lowered[i], "a call with effects in an index of a vector or of a condition",
                                  indices[i]->span);
        if (!lowered[i]) return NULL;
        for (uint32_t k = 0; k < i; k++) lowered[k] = tirbi_keep_order(l, marks[k], lowered[k], indices[k]->span);
        if (is_deep(lowered[i]) && l->again == 0 && l->out)
            lowered[i] = tirbi_hold(l, b->name, lowered[i], indices[i]->span);
        marks[i] = tirbi_mark_here(l);
    }
    if (n > 1) carry_rows(l, buffer, indices[n - 1], n, lowered);
    for (uint32_t i = 0; i < b->ndim; i++)
        if (!lowered[i]) return NULL;
    return b;
}

const tirbi_place *tirbi_lower_place(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *const *indices,
                                     uint32_t n, const tirbi_lx *lane, tirbi_span span) {
    const tirbi_lx *lowered[TIRBI_MAX_NDIM];
    tirbi_lbuf *b = tirbi_lower_indices(l, buffer, indices, n, lane, span, lowered);
    return b ? tirbi_place_at(l, b, lowered, span) : NULL;
}

const tirbi_lx *tirbi_read_place(tirbi_lowerer *l, const tirbi_place *place) {
    if (place->buffer->settled) return place->buffer->settled;
    if (place->buffer->local) return tirbi_lx_var(l->pool, place->buffer->local);
    if (place->buffer->resized) return tirbi_read_resized(l, place);
    return tirbi_lx_load(l->pool, place);
}
