#include "compiler/relax/lower/memory.h"

#include <stdlib.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/lower/lowering.h"
#include "loader/base/checked.h"

enum {
    ALIGNMENT = 64, /* bytes: of a temporary of at least LARGE bytes, so that aligning wastes a sixteenth at most */
    LARGE = 1024
};

int64_t tirbi_relax_count(const tirb_expr *const *shape, uint32_t n) {
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++)
        if (shape[i]->kind != TIRB_EXPR_INT_IMM || shape[i]->as.int_value < 0 ||
            !tirbi_mul_i64(count, shape[i]->as.int_value, &count))
            return -1;
    return count;
}

/* ---- Whose memory ------------------------------------------------------------------------------------------------ */

/* Which temporary a buffer is of, from 1 on; 0: none. */
static uint32_t owner_of(const tirbi_relax_memory *m, const tirb_buffer *buffer) {
    const uint32_t *owners = m->owners.items, at = buffer->id - m->first_buffer;
    return buffer->id >= m->first_buffer && at < m->owners.n ? owners[at] : 0;
}

static bool set_owner(tirbi_relax_lowering *l, const tirb_buffer *buffer, uint32_t owner) {
    tirbi_relax_memory *m = &l->memory;
    while (owner && m->owners.n <= buffer->id - m->first_buffer) {
        uint32_t *added = TIRBI_LIST_ADD(l->arena, &m->owners, uint32_t);
        if (!added) return false;
        *added = 0;
    }
    if (owner) ((uint32_t *)m->owners.items)[buffer->id - m->first_buffer] = owner;
    return true;
}

const tirbi_relax_temporary *tirbi_relax_temporary_of(const tirbi_relax_lowering *l, const tirb_buffer *buffer) {
    const uint32_t owner = owner_of(&l->memory, buffer);
    return owner ? &((const tirbi_relax_temporary *)l->memory.temporaries.items)[owner - 1] : NULL;
}

bool tirbi_relax_same_memory(const tirbi_relax_lowering *l, const tirb_buffer *a, const tirb_buffer *b) {
    return a->data == b->data && owner_of(&l->memory, a) == owner_of(&l->memory, b);
}

bool tirbi_relax_has_parts(const tirbi_relax_lowering *l, const tirb_buffer *buffer) {
    const tirbi_relax_slice *items = l->memory.slices.items;
    for (uint32_t i = 0; i < l->memory.slices.n; i++)
        if (tirbi_relax_same_memory(l, items[i].view, buffer)) return true;
    return false;
}

/* How many elements behind the beginning of its temporary a buffer begins. */
static int64_t behind_of(const tirbi_relax_lowering *l, const tirb_buffer *buffer) {
    const tirbi_relax_slice *slices = l->memory.slices.items;
    const tirbi_relax_temporary *t = tirbi_relax_temporary_of(l, buffer);
    if (t && t->offset == buffer->elem_offset) return 0;
    for (uint32_t i = l->memory.slices.n; i-- > 0;)
        if (slices[i].offset && slices[i].offset == buffer->elem_offset) return slices[i].behind;
    return 0;
}

bool tirbi_relax_begins_at(const tirbi_relax_lowering *l, const tirb_buffer *buffer, const tirb_buffer *of,
                           int64_t behind) {
    return tirbi_relax_same_memory(l, buffer, of) && behind_of(l, buffer) == behind_of(l, of) + behind;
}

void tirbi_relax_use_memory(tirbi_relax_lowering *l, const tirb_buffer *buffer, uint32_t last) {
    const uint32_t owner = owner_of(&l->memory, buffer);
    tirbi_relax_temporary *t = owner ? &((tirbi_relax_temporary *)l->memory.temporaries.items)[owner - 1] : NULL;
    if (t && t->last < last) t->last = last;
}

void tirbi_relax_count_steps(tirbi_relax_lowering *l) { l->memory.step = 1; }

void tirbi_relax_note_step(tirbi_relax_lowering *l, const tirbi_relax_held *const *met, uint32_t n) {
    tirbi_relax_temporary *items = l->memory.temporaries.items;
    if (l->memory.step == 0) return;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t owner = met[i]->buffer ? owner_of(&l->memory, met[i]->buffer) : 0;
        if (!owner) continue;
        tirbi_relax_temporary *t = &items[owner - 1];
        if (t->first == l->now && t->first_step == 0) t->first_step = l->memory.step;
        t->last_met = l->now;
        t->last_step = l->memory.step;
    }
    l->memory.step++;
}

void tirbi_relax_hold_memory(tirbi_relax_lowering *l) {
    tirbi_relax_temporary *items = l->memory.temporaries.items;
    for (uint32_t i = 0; i < l->memory.temporaries.n; i++)
        if (!items[i].offset && items[i].last == l->now) items[i].last = UINT32_MAX;
}

void tirbi_relax_leave_branch(tirbi_relax_lowering *l, uint32_t n_before) {
    tirbi_relax_temporary *items = l->memory.temporaries.items;
    for (uint32_t i = n_before; i < l->memory.temporaries.n; i++)
        if (!items[i].offset) items[i].last = UINT32_MAX;
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

static tirb_expr *number_to_be(tirbi_relax_lowering *l, tirbi_span span) {
    const tirb_expr *zero = tirbi_make_int(&l->b, span, tirbi_type_i64, 0);
    return zero ? tirbi_copy_expr(l->arena, zero) : NULL;
}

static bool begin_part(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *of, tirb_buffer *view,
                       const tirb_expr *begin) {
    const uint32_t owner = owner_of(&l->memory, of);
    const tirbi_relax_temporary *t = tirbi_relax_temporary_of(l, of);
    tirbi_relax_slice *slice = TIRBI_LIST_ADD(l->arena, &l->memory.slices, tirbi_relax_slice);
    if (!slice) return false;
    *slice = (tirbi_relax_slice){.view = view, .temporary = owner};
    if (tirbi_is_const_int(begin, 0)) return true;
    if (!t || !t->offset) {
        view->elem_offset =
            of->elem_offset ? tirbi_make_binary(&l->b, span, TIRB_EXPR_ADD, of->elem_offset, begin) : begin;
        return view->elem_offset != NULL;
    }
    slice->behind = behind_of(l, of) + begin->as.int_value;
    slice->offset = number_to_be(l, span);
    view->elem_offset = slice->offset;
    return slice->offset != NULL;
}

static tirb_buffer *make_part(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *buffer, tirb_datatype dtype,
                              const tirb_expr *const *shape, uint32_t ndim, const tirb_expr *begin) {
    tirb_buffer *view = tirbi_make_buffer(&l->b, span, buffer->name, dtype, shape, ndim, "global");
    if (!view) return NULL;
    view->data = buffer->data;
    view->elem_offset = buffer->elem_offset;
    if (!set_owner(l, view, owner_of(&l->memory, buffer))) return NULL;
    return !begin || begin_part(l, span, buffer, view, begin) ? view : NULL;
}

const tirb_buffer *tirbi_relax_part(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *buffer,
                                    tirb_datatype dtype, const tirb_expr *const *shape, uint32_t ndim,
                                    const tirb_expr *begin) {
    tirb_buffer *view = make_part(l, span, buffer, dtype, shape, ndim, begin);
    tirb_stmt *stmt = view ? tirbi_make_stmt(&l->b, span, TIRB_STMT_DECL_BUFFER) : NULL;
    if (!stmt) return NULL;
    if (buffer->data->as.var.data_of != buffer) view->over = buffer;
    stmt->as.decl.buffer = view;
    tirbi_relax_emit_scope(l, stmt, view);
    return view;
}

const tirb_buffer *tirbi_relax_room_in(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *temporary,
                                       const tirb_expr *const *shape, uint32_t ndim, const tirb_expr *begin) {
    return make_part(l, span, temporary, temporary->dtype, shape, ndim, begin);
}

/* ---- Allocations ------------------------------------------------------------------------------------------------- */

static bool same_shape(const tirb_expr *const *a, uint32_t n_a, const tirb_expr *const *b, uint32_t n_b) {
    if (n_a != n_b) return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (!tirbi_expr_equal(a[i], b[i])) return false;
    return true;
}

/* Whether two shapes have the same dimensions that are no numbers, in any order; *a_n and *b_n: the product of the
 * others. */
static bool same_sizes(const tirb_expr *const *a, uint32_t n_a, const tirb_expr *const *b, uint32_t n_b, int64_t *a_n,
                       int64_t *b_n) {
    uint64_t taken = 0;
    *a_n = *b_n = 1;
    for (uint32_t i = 0; i < n_a; i++) {
        if (a[i]->kind == TIRB_EXPR_INT_IMM) {
            if (!tirbi_mul_i64(*a_n, a[i]->as.int_value, a_n)) return false;
            continue;
        }
        uint32_t k = 0;
        while (k < n_b && k < 64 && ((taken >> k & 1) || !tirbi_expr_equal(a[i], b[k]))) k++;
        if (k == n_b || k == 64) return false;
        taken |= (uint64_t)1 << k;
    }
    for (uint32_t k = 0; k < n_b; k++) {
        if (b[k]->kind != TIRB_EXPR_INT_IMM && (k >= 64 || !(taken >> k & 1))) return false;
        if (b[k]->kind == TIRB_EXPR_INT_IMM && !tirbi_mul_i64(*b_n, b[k]->as.int_value, b_n)) return false;
    }
    return true;
}

/* The smallest allocation of the type that nothing uses any more and that is large enough, but not by far; its number
 * from 1 on, or 0. */
static uint32_t find_free(tirbi_relax_lowering *l, tirb_datatype dtype, const tirb_expr *const *shape, uint32_t ndim) {
    const tirbi_relax_temporary *items = l->memory.temporaries.items;
    int64_t best_size = INT64_MAX;
    uint32_t best = 0;
    for (uint32_t i = 0; i < l->memory.temporaries.n; i++) {
        const tirb_buffer *b = items[i].buffer;
        int64_t size, wanted;
        if (items[i].offset || items[i].last >= l->now || !tirb_datatype_equal(b->dtype, dtype)) continue;
        if (same_shape(b->shape, b->ndim, shape, ndim)) return i + 1;
        if (!same_sizes(b->shape, b->ndim, shape, ndim, &size, &wanted)) continue;
        if (wanted <= 0 || size < wanted || size / 2 > wanted || size >= best_size) continue;
        best = i + 1;
        best_size = size;
    }
    return best;
}

static tirbi_relax_temporary *add_temporary(tirbi_relax_lowering *l, const tirb_buffer *buffer) {
    tirbi_relax_temporary *t = TIRBI_LIST_ADD(l->arena, &l->memory.temporaries, tirbi_relax_temporary);
    if (!t || !set_owner(l, buffer, l->memory.temporaries.n)) return NULL;
    *t = (tirbi_relax_temporary){.buffer = buffer, .first = l->now, .last = l->now};
    return t;
}

/* The block that temporaries of this type are in. NULL when memory ran out. */
static tirb_buffer *block_of(tirbi_relax_lowering *l, tirbi_span span, tirb_datatype dtype, uint32_t *number) {
    const uint32_t bits = dtype.bits;
    tirbi_relax_memory *m = &l->memory;
    *number = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (m->blocks[*number]) return m->blocks[*number];
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 1);
    tirb_expr *size = number_to_be(l, span);
    if (!shape || !size) return NULL;
    shape[0] = m->sizes[*number] = size;
    return m->blocks[*number] = tirbi_make_buffer(&l->b, span, "temporaries", dtype, shape, 1, "global");
}

static const tirb_buffer *plan_later(tirbi_relax_lowering *l, tirbi_span span, tirb_buffer *buffer, int64_t size) {
    uint32_t number;
    const tirb_buffer *block = block_of(l, span, buffer->dtype, &number);
    tirbi_relax_temporary *t = block ? add_temporary(l, buffer) : NULL;
    if (!t) return NULL;
    t->size = size;
    t->block = number;
    t->offset = number_to_be(l, span);
    buffer->data = block->data;
    buffer->elem_offset = t->offset;
    return t->offset ? buffer : NULL;
}

const tirb_buffer *tirbi_relax_allocate(tirbi_relax_lowering *l, tirbi_span span, tirb_datatype dtype,
                                        const tirb_expr *const *shape, uint32_t ndim) {
    const int64_t count = tirbi_relax_count(shape, ndim);
    const bool planned = !l->group && count >= 0 && count <= INT64_MAX / 64 && dtype.lanes == 1 && dtype.bits <= 64;
    const uint32_t found = planned || l->group ? 0 : find_free(l, dtype, shape, ndim);
    if (found) {
        tirbi_relax_temporary *t = &((tirbi_relax_temporary *)l->memory.temporaries.items)[found - 1];
        t->last = l->now;
        return tirbi_relax_view(l, span, t->buffer, dtype, shape, ndim);
    }
    tirb_buffer *buffer = tirbi_make_buffer(&l->b, span, "lv", dtype, shape, ndim, "global");
    if (!buffer) return NULL;
    if (planned) return plan_later(l, span, buffer, count);
    const bool is_known = l->group || tirbi_relax_known_at_entry(l, shape, ndim);
    /* A branch that is not taken has no sizes: they may be too large there, or below 0. */
    if (!is_known || (!l->group && l->b.frames.n > 1)) {
        tirb_stmt *stmt = tirbi_make_stmt(&l->b, span, TIRB_STMT_ALLOCATE);
        if (!stmt || (is_known && !add_temporary(l, buffer))) return NULL;
        stmt->as.allocate.buffer = buffer;
        tirbi_relax_emit_scope(l, stmt, NULL);
        return buffer;
    }
    tirbi_frame *function = l->b.frames.items;
    const tirb_buffer **slot = TIRBI_LIST_ADD(l->arena, &function->allocs, const tirb_buffer *);
    if (!slot || (!l->group && !add_temporary(l, buffer))) return NULL;
    *slot = buffer;
    return buffer;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

/* A temporary on its way to a place in its block; all numbers are of elements, but times: a binding and a step of it.
 */
typedef struct placed {
    uint32_t number;
    uint64_t first, last;
    int64_t size, align, offset;
    int64_t key; /* those with larger ones are placed first */
} placed;

static int by_key(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int64_t align(int64_t offset, int64_t to) { return (offset + to - 1) / to * to; }

/* The smallest gap that is large enough between those of `in`, in order of their offsets, that live at the same time.
 */
static int64_t find_gap(const placed *p, const placed *const *in, uint32_t n) {
    int64_t end = 0, best = -1, best_room = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const placed *q = in[i];
        if (q->last < p->first || p->last < q->first) continue;
        const int64_t at = align(end, p->align), room = q->offset - at;
        if (room >= p->size && room < best_room) {
            best = at;
            best_room = room;
        }
        if (q->offset + q->size > end) end = q->offset + q->size;
    }
    return best >= 0 ? best : align(end, p->align);
}

/* Leaves out those that have ended before `first`. Returns how many are left. */
static uint32_t keep_living(const placed **in, uint32_t n, uint64_t first) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (in[i]->last >= first) in[kept++] = in[i];
    return kept;
}

/* Places all, one after the other; how large the block is then. `in` has room for all of them. */
static int64_t place_all(tirbi_relax_lowering *l, placed *items, uint32_t n, const placed **in, bool by_time) {
    int64_t total = 0;
    uint32_t n_in = 0;
    qsort(items, n, sizeof *items, by_key);
    for (uint32_t i = 0; i < n && tirbi_arena_work(l->arena, 1 + n_in / 16); i++) {
        placed *p = &items[i];
        if (by_time) n_in = keep_living(in, n_in, p->first);
        uint32_t at = n_in++;
        p->offset = find_gap(p, in, at);
        for (; at > 0 && in[at - 1]->offset > p->offset; at--) in[at] = in[at - 1];
        in[at] = p;
        if (p->offset + p->size > total) total = p->offset + p->size;
    }
    return total;
}

/* Orders in which greedy placing does well; the best of them for the function at hand is taken. Refs: Pisarchyk and
 * Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020. */
typedef enum plan_order { LARGEST_FIRST, LONGEST_FIRST, EARLIEST_FIRST, N_ORDERS } plan_order;

static int64_t key_of(const placed *p, plan_order order) {
    int64_t area;
    switch (order) {
    case LARGEST_FIRST:
        return p->size;
    case LONGEST_FIRST:
        return tirbi_mul_i64(p->size, (int64_t)(p->last >> 32) - (int64_t)(p->first >> 32) + 1, &area) ? area
                                                                                                       : INT64_MAX;
    default:
        return -(int64_t)p->first;
    }
}

/* The temporaries of a block. NULL when memory ran out, or when they are too many for 64 bits. */
static placed *list_block(tirbi_relax_lowering *l, uint32_t block, uint32_t *n) {
    const tirbi_relax_temporary *t = l->memory.temporaries.items;
    placed *items = TIRBI_NEW_ARRAY(l->arena, placed, l->memory.temporaries.n);
    int64_t sum = 0;
    *n = 0;
    for (uint32_t i = 0; items && i < l->memory.temporaries.n; i++) {
        if (!t[i].offset || t[i].block != block) continue;
        const int64_t bytes = 1 << block, to = t[i].size >= LARGE / bytes ? ALIGNMENT / bytes : 1;
        if (!tirbi_add_i64(sum, t[i].size + ALIGNMENT, &sum) || sum > INT64_MAX / 64) {
            tirbi_relax_refuse_here(l, t[i].buffer->span, "its temporaries have more bytes than 64 bits count");
            return NULL;
        }
        const bool ends = t[i].last_step && t[i].last_met == t[i].last;
        items[(*n)++] = (placed){.number = i,
                                 .first = (uint64_t)t[i].first << 32 | t[i].first_step,
                                 .last = (uint64_t)t[i].last << 32 | (ends ? t[i].last_step : UINT32_MAX),
                                 .size = t[i].size,
                                 .align = to};
    }
    return items;
}

static bool plan_block(tirbi_relax_lowering *l, uint32_t block) {
    enum { FEW = 4096 }; /* by time, those that have ended are out of the way; all others are in it for each other */
    uint32_t n;
    int64_t best = INT64_MAX;
    placed *items = list_block(l, block, &n);
    const placed **in = items ? TIRBI_NEW_ARRAY(l->arena, const placed *, n) : NULL;
    const tirbi_relax_temporary *t = l->memory.temporaries.items;
    for (int order = n <= FEW ? 0 : EARLIEST_FIRST; in && order < N_ORDERS; order++) {
        for (uint32_t i = 0; i < n; i++) items[i].key = key_of(&items[i], (plan_order)order);
        const int64_t total = place_all(l, items, n, in, order == EARLIEST_FIRST);
        if (total >= best) continue;
        best = total;
        for (uint32_t i = 0; i < n; i++) t[items[i].number].offset->as.int_value = items[i].offset;
    }
    if (!in || l->arena->failed) return false;
    l->memory.sizes[block]->as.int_value = best;
    tirbi_frame *function = l->b.frames.items;
    const tirb_buffer **slot = TIRBI_LIST_ADD(l->arena, &function->allocs, const tirb_buffer *);
    if (slot) *slot = l->memory.blocks[block];
    return slot != NULL;
}

void tirbi_relax_memory_begin(tirbi_relax_lowering *l) {
    l->memory = (tirbi_relax_memory){.first_buffer = l->b.n_buffers};
}

bool tirbi_relax_memory_finish(tirbi_relax_lowering *l) {
    for (uint32_t i = 0; i < TIRBI_RELAX_BLOCKS; i++)
        if (l->memory.blocks[i] && !plan_block(l, i)) return false;
    const tirbi_relax_temporary *t = l->memory.temporaries.items;
    const tirbi_relax_slice *slices = l->memory.slices.items;
    for (uint32_t i = 0; i < l->memory.slices.n; i++)
        if (slices[i].offset)
            slices[i].offset->as.int_value = t[slices[i].temporary - 1].offset->as.int_value + slices[i].behind;
    return true;
}
