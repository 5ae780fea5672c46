/* for i: { .. } with rows of i becomes for b, R rows at a time: for i from b on: the first statement; for i from b on:
 * the second one; and so on. Each statement is then a nest of its own: a lane loop or a fold over all rows of the
 * block, for what entering it once costs, and what it reads was left in a near cache by the one before.
 *
 * Memory of rows alone is memory of R rows: as the original buffer, but from the block's first row on. Terms of tree
 * reductions that are more than elements are written into such memory first, so that the reduction is of elements. */
#include "compiler/optimize/rows/rows.h"

#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/axes.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum { MAX_BUFFERS = 32, MAX_TERMS = 8, MAX_DEPTH = 64 };
/* Elements of the rows of a block, and those of a reduction whose terms are worth memory of their own: longer ones
 * enter a lane loop seldom enough. */
enum { BLOCK_ELEMENTS = 16384, SMALL_BLOCK = 48, LONGEST_SUM = 1024 };

typedef struct row_buffer {
    const tirbi_lbuf *old;
    tirbi_lbuf *block;
} row_buffer;

typedef struct blocker {
    tirbi_lx_pool *pool;
    uint32_t disabled;
    tirbi_notes *notes;
    tirbi_row_blocks *out;
    const tirbi_ls *loops[TIRBI_MAX_ROW_LOOPS];
    tirbi_loop_set rows;
    const tirbi_lx *first[TIRBI_MAX_ROW_LOOPS], *count[TIRBI_MAX_ROW_LOOPS]; /* of a block */
    tirbi_lvar *first_var[TIRBI_MAX_ROW_LOOPS]; /* NULL: all rows are one block */
    const tirbi_ls *set_count[TIRBI_MAX_ROW_LOOPS];
    row_buffer buffers[MAX_BUFFERS];
    uint32_t n_buffers;
    bool has_sums; /* that are contractions of rows */
    const tirbi_ls *before[2 * MAX_BUFFERS + TIRBI_MAX_ROW_LOOPS]; /* all blocks */
    uint32_t n_before;
    bool failed;
} blocker;

/* A variable of a block, set by the statement that is left in *set. */
static const tirbi_lx *in_variable(blocker *b, const char *name, const tirbi_lx *value, int64_t hi,
                                   const tirbi_ls **set) {
    tirbi_lvar *var = tirbi_new_variable(b->pool, TIRBI_LVAR_LET, name, TIRB_I64, 1, hi, b->loops[0]->span);
    *set = tirbi_new_set(b->pool, b->loops[0]->span, var, value, true);
    return *set ? tirbi_lx_var(b->pool, var) : NULL;
}

/* ---- How many rows -------------------------------------------------------------------------------------------- */

static bool stores_along(const void *var, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_STORE && tirbi_place_depends_on(s->as.store.access, var);
}

/* About how many elements a statement visits, or stores to where it is of sums; loops whose extents depend on others in
 * it count as one. */
static const tirbi_lx *length_of(const blocker *b, const tirbi_ls *s, tirbi_loop_set *inside, unsigned depth) {
    tirbi_lx_pool *pool = b->pool;
    const tirbi_lx *length = tirbi_lx_number(pool, 1);
    if (depth > MAX_DEPTH) return length;
    s = tirbi_behind_condition(s);
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n && length; i++) {
            const tirbi_lx *item = length_of(b, s->as.seq.items[i], inside, depth + 1);
            if (item != length) length = tirbi_lx_wide(pool, TIRB_OP_MAX, length, item);
        }
        return length;
    }
    if (s->kind == TIRBI_LS_SET && inside->n < TIRBI_MAX_AFFINE) inside->var[inside->n++] = s->as.set.var;
    uint32_t n = s->kind == TIRBI_LS_LOOP ? 1 : s->kind == TIRBI_LS_TREE ? s->as.tree.n_loops : 0;
    uint32_t outside = inside->n;
    for (uint32_t i = 0; i < n && length; i++) {
        tirbi_lvar *var = s->kind == TIRBI_LS_LOOP ? s->as.loop.var : s->as.tree.loops[i];
        if (inside->n == TIRBI_MAX_AFFINE) return length;
        const bool counts = !b->has_sums || tirbi_any_stmt(s, stores_along, var);
        if (counts && !tirbi_mentions_loops(var->extent, inside))
            length = tirbi_lx_mul(pool, length, var->extent);
        inside->var[inside->n++] = var;
    }
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_lx *body = length_of(b, s->as.loop.body, inside, depth + 1);
        length = tirbi_lx_mul(pool, length, body);
        inside->n = outside; /* of a sequence, declarations stay */
    }
    return length;
}

/* How many elements a row of sums reads at some place, borders and what strides pass over included: the most so far,
 * where that is known; and whether all rows read many that are the same. */
typedef struct row_reach {
    const tirbi_loop_set *rows;
    int64_t most;
    bool shares;
} row_reach;

static bool reach_of_row(tirbi_walk *walk, const tirbi_place *place, const tirbi_lx *load) {
    row_reach *reach = walk->context;
    int64_t n = 1, apart;
    bool is_of_row = false, is_known = true;
    (void)load;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = place->indices[d];
        if (tirbi_mentions_loops(index, reach->rows)) {
            is_of_row = is_of_row || tirbi_lx_depends_on(index, reach->rows->var[reach->rows->n - 1]);
            continue;
        }
        is_known = is_known && !__builtin_sub_overflow(index->hi, index->lo, &apart) && apart < BLOCK_ELEMENTS;
        n = is_known && n * (apart + 1) <= BLOCK_ELEMENTS ? n * (apart + 1) : BLOCK_ELEMENTS + 1;
    }
    const int64_t most = n < BLOCK_ELEMENTS ? n : BLOCK_ELEMENTS;
    if (is_of_row && is_known && most > reach->most) reach->most = most;
    reach->shares = reach->shares || (!is_of_row && n > BLOCK_ELEMENTS);
    return true;
}

static int64_t block_elements(const blocker *b) {
    return b->disabled & TIRB_PASS_GRAIN ? SMALL_BLOCK : BLOCK_ELEMENTS;
}

/* Loop l by blocks of as many iterations as make up `elements` elements, where each is *length, but at least `least`;
 * *length becomes all of it. */
static bool block_loop(blocker *b, uint32_t l, int64_t least, const tirbi_lx **length) {
    tirbi_lx_pool *pool = b->pool;
    tirbi_lvar *var = b->rows.var[l];
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *extent = var->extent;
    const tirbi_lx *fit = tirbi_lx_wide(pool, TIRB_OP_DIV, tirbi_lx_number(pool, block_elements(b)),
                                        tirbi_lx_wide(pool, TIRB_OP_MAX, *length, one));
    const tirbi_lx *rows = tirbi_lx_wide(pool, TIRB_OP_MIN, tirbi_lx_with(pool, TIRB_OP_MAX, fit, least),
                                         tirbi_lx_wide(pool, TIRB_OP_MAX, extent, one));
    *length = tirbi_lx_mul(pool, *length, extent);
    b->first[l] = var->min;
    b->count[l] = rows;
    if (!rows || !*length) return false;
    int64_t most = block_elements(b) < extent->hi ? block_elements(b) : extent->hi < 1 ? 1 : extent->hi;
    if (rows->kind != TIRBI_LX_CONST) {
        b->count[l] = in_variable(b, "rows", rows, most, &b->before[b->n_before]);
        b->n_before++;
    } else if (extent->kind == TIRBI_LX_CONST && rows->value >= extent->value) {
        return true;
    }
    tirbi_lvar *first = tirbi_new_variable(pool, TIRBI_LVAR_LOOP, var->name, TIRB_I64, var->lo, var->hi, var->span);
    if (!first || !b->count[l]) return false;
    first->min = var->min;
    first->extent = extent;
    b->first_var[l] = first;
    b->first[l] = tirbi_lx_var(pool, first);
    return true;
}

/* Makes a loop's variable run through the rows of a block. */
static bool enter_block(blocker *b, uint32_t l) {
    tirbi_lvar *var = b->rows.var[l];
    tirbi_row_blocks *out = b->out;
    const tirbi_lx *behind = tirbi_lx_add(b->pool, var->min, var->extent);
    out->var[l] = var;
    out->was[l] = *var;
    out->n = l + 1;
    if (!b->first_var[l]) return behind != NULL;
    const tirbi_lx *left = tirbi_lx_sub(b->pool, behind, b->first[l]);
    const tirbi_lx *count = in_variable(b, "count", tirbi_lx_wide(b->pool, TIRB_OP_MIN, b->count[l], left),
                                        b->count[l]->hi, &b->set_count[l]);
    if (!count) return false;
    if (!var->below && var->min->lo >= 0) var->below = behind;
    var->min = b->first[l];
    var->extent = count;
    return true;
}

void tirbi_restore_rows(const tirbi_row_blocks *blocks) {
    for (uint32_t i = 0; i < blocks->n; i++) *blocks->var[i] = blocks->was[i];
}

/* ---- Memory of rows --------------------------------------------------------------------------------------------- */

static bool allocate(blocker *b, tirbi_lbuf *buffer) {
    const tirbi_ls *alloc = tirbi_new_alloc(b->pool, b->loops[0]->span, buffer);
    if (!alloc || b->n_before == sizeof(b->before) / sizeof(b->before[0])) return false;
    b->before[b->n_before++] = alloc;
    return true;
}

/* Gives a buffer whose dimension row[l] is loop l's strides and an offset for the rows of a block alone; row[l] may be
 * ndim: it has no such dimension. */
static bool lay_out(blocker *b, tirbi_lbuf *buffer, const uint32_t *row) {
    tirbi_lx_pool *pool = b->pool;
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, buffer->ndim);
    const tirbi_lx *stride = tirbi_lx_number(pool, 1), *offset = tirbi_lx_number(pool, 0);
    if (!strides) return false;
    for (uint32_t d = buffer->ndim; d-- > 0;) {
        const tirbi_lx *extent = buffer->shape[d];
        strides[d] = stride;
        for (uint32_t l = 0; l < b->rows.n; l++) {
            if (row[l] != d) continue;
            extent = b->count[l];
            offset = tirbi_lx_sub(pool, offset, tirbi_lx_mul(pool, b->first[l], stride));
        }
        if (extent->lo < 0) extent = tirbi_lx_with(pool, TIRB_OP_MAX, extent, 0);
        stride = tirbi_lx_mul(pool, stride, extent);
    }
    buffer->strides = strides;
    buffer->offset = offset;
    buffer->length = stride;
    buffer->root = buffer;
    buffer->id = 0;
    return stride && offset;
}

/* The block's memory in the place of a buffer's, as one of its accesses shows which dimensions are rows. */
static tirbi_lbuf *block_buffer(blocker *b, const tirbi_place *place) {
    row_buffer *known = b->buffers;
    while (known < b->buffers + b->n_buffers && known->old != place->buffer) known++;
    if (known == b->buffers + b->n_buffers) return NULL;
    if (known->block) return known->block;
    uint32_t row[TIRBI_MAX_ROW_LOOPS];
    tirbi_lbuf *block = TIRBI_NEW(b->pool->arena, tirbi_lbuf);
    for (uint32_t l = 0; l < b->rows.n; l++) {
        for (row[l] = 0; row[l] < place->ndim; row[l]++) {
            const tirbi_lx *x = tirbi_lx_before_casts(place->indices[row[l]]);
            if (x->kind == TIRBI_LX_VAR && x->var == b->rows.var[l]) break;
        }
    }
    if (block) *block = *known->old;
    if (!block || !lay_out(b, block, row)) {
        b->failed = true;
        return NULL;
    }
    return known->block = block;
}

/* ---- What a block may find of the one before it ----------------------------------------------------------------- */

static bool loads_from(const tirbi_lx *x, const tirbi_lbuf *buffer) {
    return tirbi_any_expr(x, TIRBI_WALK_INDICES, tirbi_is_load_from, buffer);
}

static bool is_written_to(const void *buffer, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_updates; i++)
        if (s->as.tree.updates[i].target->buffer == buffer) return true;
    return s->kind == TIRBI_LS_STORE && s->as.store.access->buffer == buffer;
}

typedef enum filling {
    FILLS_NOT,  /* or not alike in all rows, or what it reads before */
    FILLS_ALIKE, /* the same elements in each row */
    FILLS_ALL
} filling;

static filling least(filling a, filling b) { return a < b ? a : b; }

static filling place_fills(const blocker *b, const tirbi_place *place) {
    filling found = FILLS_ALL;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = tirbi_lx_before_casts(place->indices[d]), *extent = place->buffer->shape[d];
        bool bare = index->kind == TIRBI_LX_VAR && index->var->kind == TIRBI_LVAR_LOOP;
        uint32_t l = 0;
        while (bare && l < b->rows.n && b->rows.var[l] != index->var) l++;
        if (bare && l < b->rows.n) continue;
        if (!index->pure || tirbi_mentions_loops(index, &b->rows)) return FILLS_NOT;
        bool all =
            (bare && tirbi_lx_is_int(index->var->min, 0) && index->var->extent == extent) || tirbi_lx_is_int(extent, 1);
        if (!all) found = FILLS_ALIKE;
    }
    return found;
}

/* Whether an init stores to a place, and reads nothing of its buffer. */
static bool initialises(const tirbi_ls *init, const tirbi_place *place) {
    bool found = false;
    for (uint32_t i = 0; init->kind == TIRBI_LS_SEQ && i < init->as.seq.n; i++)
        found = initialises(init->as.seq.items[i], place) || found;
    if (init->kind != TIRBI_LS_STORE || init->as.store.access->buffer != place->buffer) return found;
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (!tirbi_same_value(init->as.store.access->indices[d], place->indices[d])) return false;
    }
    return !loads_from(init->as.store.value, place->buffer);
}

static filling fills(const blocker *b, const tirbi_ls *s, const tirbi_lbuf *buffer);

/* Whether all accesses to the buffer of a place are to this place. */
static bool is_at_place(void *context, const tirbi_reached *a) {
    const tirbi_place *place = context;
    return a->place->buffer->root != place->buffer->root || tirbi_same_place(a->place, place);
}

/* A sequence whose first item stores an element, which the others may then read and store to: that and no other. */
static filling sequence_fills(const blocker *b, const tirbi_ls *seq, const tirbi_lbuf *buffer) {
    const tirbi_ls *first = seq->as.seq.items[0];
    if (first->kind != TIRBI_LS_STORE) return FILLS_NOT;
    tirbi_accesses all = {.kinds = TIRBI_NESTS, .access = is_at_place,
                          .context = (void *)(uintptr_t)first->as.store.access};
    for (uint32_t i = 1; i < seq->as.seq.n; i++)
        if (!tirbi_find_accesses(&all, seq->as.seq.items[i])) return FILLS_NOT;
    return fills(b, first, buffer);
}

/* Whether a value is another one in each block. */
static bool mentions_block(const blocker *b, const tirbi_lx *x) {
    for (uint32_t l = 0; l < b->rows.n; l++) {
        if (b->first_var[l] && (tirbi_lx_depends_on(x, b->first_var[l]) ||
                                tirbi_lx_depends_on(x, b->set_count[l]->as.set.var)))
            return true;
    }
    return false;
}

/* What a statement that is the first to access a buffer writes of it before it reads that. */
static filling fills(const blocker *b, const tirbi_ls *s, const tirbi_lbuf *buffer) {
    filling found = FILLS_ALIKE;
    bool writes = false;
    switch (s->kind) {
    case TIRBI_LS_LOOP: return fills(b, s->as.loop.body, buffer);
    case TIRBI_LS_IF: /* what is left out is alike where the condition is */
        if (s->as.if_.else_case || !s->as.if_.condition->pure || tirbi_mentions_loops(s->as.if_.condition, &b->rows))
            return FILLS_NOT;
        if (mentions_block(b, s->as.if_.condition)) return FILLS_NOT;
        return least(FILLS_ALIKE, fills(b, s->as.if_.then_case, buffer));
    case TIRBI_LS_SEQ:
        return s->as.seq.n == 1 ? fills(b, s->as.seq.items[0], buffer) : sequence_fills(b, s, buffer);
    case TIRBI_LS_STORE:
        if (s->as.store.access->buffer != buffer || loads_from(s->as.store.value, buffer)) return FILLS_NOT;
        return place_fills(b, s->as.store.access);
    case TIRBI_LS_TREE: /* its terms read nothing that it writes, and it writes nothing where it has none */
        for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
            const tirbi_update *update = &s->as.tree.updates[i];
            if (loads_from(update->value, buffer) || loads_from(update->factor, buffer)) return FILLS_NOT;
            if (update->target->buffer != buffer) continue;
            if (!s->as.tree.init || !initialises(s->as.tree.init, update->target)) return FILLS_NOT;
            found = least(found, place_fills(b, update->target));
            writes = true;
        }
        return writes ? found : FILLS_NOT;
    default: return FILLS_NOT;
    }
}

/* Whether something may read what the buffer holds when the block begins: zeros, then, and not what the block before it
 * has left there. What is written alike in all rows, by one statement, is written again before it is read, and the rest
 * never. */
static bool needs_zeros(const blocker *b, const tirbi_ls *const *items, uint32_t n, const tirbi_lbuf *buffer) {
    uint32_t first = 0;
    while (first < n && !tirbi_statement_uses(items[first], buffer)) first++;
    if (first == n) return false;
    filling found = fills(b, items[first], buffer);
    for (uint32_t i = first + 1; i < n; i++) {
        if (found != FILLS_ALL && tirbi_any_stmt(items[i], is_written_to, buffer)) return true;
    }
    return found == FILLS_NOT;
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* Gives an operand's buffer room for the largest block, where it lies alike in all of them. */
static bool make_room(blocker *b, tirbi_lbuf *buffer) {
    const tirbi_lx *length = tirbi_lx_number(b->pool, 1);
    for (uint32_t d = 0; d < buffer->ndim && length; d++) {
        const tirbi_lx *extent = buffer->shape[d];
        if (mentions_block(b, buffer->strides[d])) return false;
        for (uint32_t l = 0; l < b->rows.n; l++) {
            const tirbi_lvar *count = b->first_var[l] ? b->set_count[l]->as.set.var : NULL;
            if (count && extent->kind == TIRBI_LX_VAR && extent->var == count) extent = b->count[l];
        }
        if (mentions_block(b, extent)) return false;
        length = tirbi_lx_mul(b->pool, length, extent);
    }
    if (!length || buffer->length) return false;
    buffer->length = length;
    return true;
}

/* A nest behind what computes its operands: their memory is allocated once where each block leaves the same elements
 * as they are, which are zero then. */
static const tirbi_ls *allocate_operands(blocker *b, const tirbi_ls *s) {
    if (!s || s->kind != TIRBI_LS_SEQ) return s;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(b->pool->arena, const tirbi_ls *, s->as.seq.n);
    uint32_t n = 0;
    for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
        const tirbi_ls *const *item = &s->as.seq.items[i];
        tirbi_lbuf *buffer = (*item)->kind == TIRBI_LS_ALLOC ? (*item)->as.alloc.buffer : NULL;
        if (!buffer || needs_zeros(b, item + 1, s->as.seq.n - i - 1, buffer) || !make_room(b, buffer))
            items[n++] = *item;
        else if (!allocate(b, buffer))
            return NULL;
    }
    if (!items) return NULL;
    return tirbi_new_sequence(b->pool, s->span, items, n);
}

/* ---- Terms ------------------------------------------------------------------------------------------------------ */

static bool is_unsafe(const void *context, const tirbi_lx *x) {
    (void)context;
    if (x->traps || x->kind == TIRBI_LX_CALL) return true;
    return x->kind == TIRBI_LX_VAR ? x->var->kind == TIRBI_LVAR_LOCAL
                                   : x->kind == TIRBI_LX_LOAD && (x->access->view || x->access->buffer->broadcasts);
}

/* The tree reduction of a nest that counts from 0 on. */
static const tirbi_ls *find_tree(const tirbi_ls *s, tirbi_loop_set *loops) {
    const uint32_t rows = loops->n;
    const tirbi_ls *tree = tirbi_tree_nest(s, TIRBI_MAX_AFFINE, loops);
    for (uint32_t i = rows; tree && i < loops->n; i++)
        if (!tirbi_lx_is_int(loops->var[i]->min, 0)) return NULL;
    return tree;
}

/* An element that a fold takes as it is, where the last of the loops is its only axis. Truth is 0 or 1 where it was
 * computed, and any byte in memory. */
static bool is_element(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_dtype type, const tirbi_loop_set *loops,
                       uint32_t n_axes) {
    tirbi_affine form;
    int64_t step;
    return n_axes == 1 && type != TIRB_BOOL && x->kind == TIRBI_LX_LOAD && x->type == type &&
           tirbi_affine_number(pool, x->access, loops, &form) && tirbi_affine_constant(&form, loops->n - 1, &step) &&
           step == 1;
}

/* Of several axes that do not follow each other every element is put next to the one before it, like a term that is
 * computed. */
static bool is_computed(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_dtype type, const tirbi_loop_set *loops,
                        uint32_t n_axes) {
    if (!x || is_element(pool, x, type, loops, n_axes) || tirbi_any_expr(x, TIRBI_WALK_INDICES, is_unsafe, NULL))
        return false;
    return n_axes > 1 || tirbi_lx_depends_on(x, loops->var[loops->n - 1]);
}

bool tirbi_computes_terms(tirbi_lx_pool *pool, const tirbi_ls *nest, const tirbi_loop_set *rows) {
    tirbi_loop_set loops = *rows;
    const tirbi_ls *tree = find_tree(nest, &loops);
    for (uint32_t i = 0; tree && i < tree->as.tree.n_updates; i++) {
        const tirbi_update *update = &tree->as.tree.updates[i];
        tirbi_dtype type = update->target->buffer->type;
        const uint32_t n_axes = tree->as.tree.n_loops;
        if (is_computed(pool, update->value, type, &loops, n_axes) ||
            is_computed(pool, update->factor, type, &loops, n_axes))
            return true;
    }
    return false;
}

typedef struct term {
    const tirbi_lx *value, *element;
} term;

typedef struct term_list {
    term items[MAX_TERMS];
    uint32_t n;
    const tirbi_ls *fill[MAX_TERMS];
    const tirbi_lx *largest; /* row of terms */
    tirbi_loop_set loops;    /* those of rows, and the axes */
    uint32_t n_axes;
} term_list;

/* Whether there is a term of its own for each iteration of a loop. */
static bool has_terms(const term_list *terms, uint32_t i, const tirbi_lx *value) {
    return (terms->n_axes > 1 && i + terms->n_axes >= terms->loops.n) ||
           tirbi_lx_depends_on(value, terms->loops.var[i]);
}

/* Memory for the terms of a block of rows: a dimension for each loop that has terms of its own. */
static tirbi_lbuf *term_buffer(blocker *b, const tirbi_lx *value, tirbi_dtype type, const term_list *terms) {
    const tirbi_loop_set *loops = &terms->loops;
    tirbi_lx_pool *pool = b->pool;
    tirbi_lbuf *buffer = TIRBI_NEW(pool->arena, tirbi_lbuf);
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, loops->n);
    uint32_t row[TIRBI_MAX_ROW_LOOPS];
    if (!buffer || !shape) return NULL;
    *buffer = (tirbi_lbuf){.name = "terms", .type = type, .param = -1, .written = true};
    for (uint32_t i = 0; i < loops->n; i++) {
        const tirbi_lvar *var = loops->var[i];
        bool used = has_terms(terms, i, value);
        if (i < b->rows.n) row[i] = used ? buffer->ndim : UINT32_MAX;
        if (!used) continue;
        shape[buffer->ndim++] =
            i < b->rows.n && b->first_var[i] ? var->below : tirbi_lx_add(pool, var->min, var->extent);
        if (!shape[buffer->ndim - 1]) return NULL;
    }
    buffer->shape = shape;
    return lay_out(b, buffer, row) ? buffer : NULL;
}

/* The nest that computes them. */
static const tirbi_ls *filling_nest(blocker *b, const tirbi_place *place, const tirbi_lx *value,
                                    const term_list *terms) {
    const tirbi_ls *s = tirbi_new_store(b->pool, place->span, place, value);
    for (uint32_t i = terms->loops.n; s && i-- > 0;)
        if (has_terms(terms, i, value)) s = tirbi_new_loop(b->pool, place->span, terms->loops.var[i], s);
    return s;
}

/* The element that stands for a value, which is computed before. */
static const tirbi_lx *in_memory(blocker *b, const tirbi_lx *value, tirbi_dtype type, tirbi_span span,
                                 term_list *terms) {
    const tirbi_loop_set *loops = &terms->loops;
    for (uint32_t i = 0; i < terms->n; i++) {
        if (tirbi_same_value(terms->items[i].value, value)) return terms->items[i].element;
    }
    tirbi_lbuf *buffer = terms->n < MAX_TERMS ? term_buffer(b, value, type, terms) : NULL;
    const tirbi_lx **indices = buffer ? TIRBI_NEW_ARRAY(b->pool->arena, const tirbi_lx *, buffer->ndim) : NULL;
    const tirbi_lx *length = tirbi_lx_number(b->pool, 1);
    uint32_t d = 0;
    if (!indices) return NULL;
    for (uint32_t i = 0; i < loops->n; i++) {
        if (!has_terms(terms, i, value)) continue;
        indices[d++] = tirbi_lx_cast(b->pool, TIRB_I64, tirbi_lx_var(b->pool, loops->var[i]));
        if (i >= b->rows.n && length) length = tirbi_lx_mul(b->pool, length, loops->var[i]->extent);
    }
    const tirbi_place *place = tirbi_place_in(b->pool, buffer, indices, span);
    const tirbi_lx *element = tirbi_lx_load(b->pool, place);
    const tirbi_ls *fill = element && !element->traps ? filling_nest(b, place, value, terms) : NULL;
    if (!fill || !length) return NULL;
    terms->largest = terms->largest && terms->largest != length
                         ? tirbi_lx_wide(b->pool, TIRB_OP_MAX, terms->largest, length)
                         : length;
    terms->fill[terms->n] = fill;
    terms->items[terms->n++] = (term){value, element};
    return element;
}

/* The tree reduction of terms in memory, where several axes are one; NULL where it stays as it is. */
static const tirbi_ls *tree_of_elements(blocker *b, const tirbi_ls *tree, term_list *terms) {
    const tirbi_loop_set *loops = &terms->loops;
    tirbi_ls *copy = TIRBI_NEW(b->pool->arena, tirbi_ls);
    tirbi_update *updates = TIRBI_NEW_ARRAY(b->pool->arena, tirbi_update, tree->as.tree.n_updates);
    if (!copy || !updates) return NULL;
    *copy = *tree;
    copy->as.tree.updates = updates;
    for (uint32_t i = 0; i < tree->as.tree.n_updates; i++) {
        tirbi_dtype type = tree->as.tree.updates[i].target->buffer->type;
        const tirbi_lx **part[2] = {&updates[i].value, &updates[i].factor};
        updates[i] = tree->as.tree.updates[i];
        for (uint32_t k = 0; k < 2; k++) {
            if (!*part[k] || is_element(b->pool, *part[k], type, loops, terms->n_axes)) continue;
            if (!is_computed(b->pool, *part[k], type, loops, terms->n_axes)) return NULL;
            *part[k] = in_memory(b, *part[k], type, tree->span, terms);
            if (!*part[k]) return NULL;
        }
    }
    return terms->n > 0 ? tirbi_join_axes(b->pool, copy) : NULL;
}

static const tirbi_ls *around(blocker *b, const tirbi_ls *body, const tirbi_loop_set *loops, uint32_t n) {
    for (uint32_t i = n; body && i-- > 0;) body = tirbi_new_loop(b->pool, body->span, loops->var[i], body);
    return body;
}

/* A nest of rows whose terms are computed before; NULL where it stays as it is. */
static const tirbi_ls *with_terms(blocker *b, const tirbi_ls *body, const tirbi_ls *nest) {
    tirbi_loop_set loops = b->rows;
    term_list *terms = TIRBI_NEW(b->pool->arena, term_list);
    const tirbi_ls *tree = find_tree(body, &loops);
    if (!terms || !tree || (b->disabled & (TIRB_PASS_LANES | TIRB_PASS_CONTRACT))) return NULL;
    terms->loops = loops;
    terms->n_axes = tree->as.tree.n_loops;
    const tirbi_ls *sums = around(b, tree_of_elements(b, tree, terms), &loops, loops.n - terms->n_axes);
    tirbi_fold_plans *folds = TIRBI_NEW(b->pool->arena, tirbi_fold_plans);
    if (!sums || !folds || !tirbi_plan_folds(b->pool, sums, folds)) return NULL;
    const tirbi_ls *items[MAX_TERMS + 1];
    const tirbi_lx *few = tirbi_lx_with(b->pool, TIRB_OP_LE, terms->largest, BLOCK_ELEMENTS);
    const tirbi_lx *is_short = tirbi_lx_with(b->pool, TIRB_OP_LE, loops.var[loops.n - 1]->extent, LONGEST_SUM);
    if (!few || !is_short) return NULL;
    if (few != is_short) few = tirbi_lx_both(b->pool, TIRB_OP_AND, few, is_short);
    if (!few || tirbi_lx_is_int(few, 0)) return NULL;
    for (uint32_t i = 0; i < terms->n; i++) {
        if (!tirbi_nest_has_lanes(b->pool, terms->fill[i], TIRBI_NEST_ANY)) return NULL;
        items[i] = tirbi_compute_operands(b->pool, terms->fill[i], b->disabled, b->notes);
    }
    items[terms->n] = sums;
    for (uint32_t i = 0; i < terms->n; i++) {
        tirbi_lbuf *buffer = terms->items[i].element->access->buffer;
        const tirbi_lx *none = tirbi_lx_number(b->pool, 0);
        if (few->kind != TIRBI_LX_CONST)
            buffer->length = tirbi_lx_op(b->pool, TIRB_OP_SELECT, TIRB_I64, TIRB_TYPE_NONE, few, buffer->length, none);
        if (!buffer->length || !allocate(b, buffer)) return NULL;
    }
    for (uint32_t k = b->rows.n; k < loops.n; k++)
        tirbi_note_loop(b->notes, loops.var[k], tree->span, TIRB_FORM_OPERAND,
                        "its terms are computed before, for a block of rows");
    const tirbi_ls *seq = tirbi_new_sequence(b->pool, tree->span, items, terms->n + 1);
    if (few->kind == TIRBI_LX_CONST || !seq) return seq;
    return tirbi_new_if(b->pool, tree->span, few, seq, nest);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

static bool collect(blocker *b, const tirbi_ls *loop, const tirbi_ls **body) {
    uint32_t n = loop->as.loop.rows;
    if (n > TIRBI_MAX_ROW_LOOPS) return false;
    for (uint32_t l = 0; l < n; l++, loop = loop->as.loop.body) {
        if (loop->kind != TIRBI_LS_LOOP || loop->as.loop.step) return false;
        b->loops[l] = loop;
        b->rows.var[b->rows.n++] = loop->as.loop.var;
    }
    *body = loop;
    return true;
}

/* Whether some statement is a contraction of the rows. */
static bool has_sums(blocker *b, const tirbi_ls *body) {
    const uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    const tirbi_ls *const *items = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *item = tirbi_behind_condition(items[i]);
        if (item->kind != TIRBI_LS_LOOP) continue;
        const tirbi_ls *nest = around(b, item, &b->rows, b->rows.n);
        if (nest && (tirbi_contracts(b->pool, nest) || tirbi_contracts_operands(b->pool, nest))) return true;
    }
    return false;
}

static row_reach reach_of_sums(blocker *b, const tirbi_ls *body) {
    row_reach reach = {.rows = &b->rows, .most = 1};
    tirbi_walk walk = {.context = &reach, .access = reach_of_row};
    b->has_sums = has_sums(b, body);
    if (b->has_sums) tirbi_walk_stmt(&walk, body);
    return reach;
}

int64_t tirbi_least_rows(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    blocker *b = TIRBI_NEW(pool->arena, blocker);
    const tirbi_ls *body = NULL;
    if (!b) return 1;
    b->pool = pool;
    int64_t rows = 1;
    const row_reach reach = collect(b, loop, &body) ? reach_of_sums(b, body) : (row_reach){.most = 1};
    tirbi_loop_set inside = b->rows;
    const bool has_both = b->has_sums && tirbi_has_kind(body, TIRBI_KIND(TREE));
    const tirbi_lx *length = has_both ? length_of(b, body, &inside, 0) : NULL;
    if (length && length->kind == TIRBI_LX_CONST && length->value > 0) rows = BLOCK_ELEMENTS / length->value;
    TIRBI_GIVE_BACK(pool->arena, b);
    return reach.shares || rows > TIRBI_SHARING_ROWS ? TIRBI_SHARING_ROWS : rows > 1 ? rows : 1;
}

/* Chooses the blocks of all loops, the innermost first, and makes the variables theirs. */
static bool choose_blocks(blocker *b, const tirbi_ls *body) {
    const row_reach reach = reach_of_sums(b, body);
    const bool are_lanes = !b->has_sums && !tirbi_has_kind(body, TIRBI_KIND(TREE));
    const int64_t least_inside = reach.shares ? TIRBI_SHARING_ROWS : are_lanes ? TIRBI_LANE_ROWS : 1;
    tirbi_loop_set inside = b->rows;
    const tirbi_lx *length = length_of(b, body, &inside, 0);
    /* what sums read may be computed once for the block */
    if (length && reach.most > 1)
        length = tirbi_lx_wide(b->pool, TIRB_OP_MAX, length, tirbi_lx_number(b->pool, reach.most));
    for (uint32_t l = b->rows.n; l-- > 0;) {
        const int64_t least = l + 1 == b->rows.n ? least_inside : 1;
        if (!length || !block_loop(b, l, least, &length)) return false;
    }
    for (uint32_t l = 0; l < b->rows.n; l++) {
        if (!enter_block(b, l)) return false;
    }
    return true;
}

/* A place in the block's memory, where its buffer has some. */
static const tirbi_place *place_in_block(tirbi_rewrite *rewrite, const tirbi_place *place) {
    tirbi_lbuf *block = block_buffer(rewrite->context, place);
    const tirbi_place *other = tirbi_rewrite_subscripts(rewrite, place);
    return block && other ? tirbi_place_in(rewrite->pool, block, other->indices, place->span) : other;
}

/* A statement for all rows of a block. */
static const tirbi_ls *for_rows(blocker *b, const tirbi_ls *s) {
    const tirbi_ls *inside = tirbi_behind_condition(s);
    if (inside != s && !tirbi_mentions_loops(s->as.if_.condition, &b->rows)) {
        inside = for_rows(b, inside);
        return inside ? tirbi_new_if(b->pool, s->span, s->as.if_.condition, inside, NULL) : NULL;
    }
    tirbi_rewrite rewrite = {.pool = b->pool,
                             .place = place_in_block,
                             .context = b,
                             .kinds = TIRBI_NESTS | TIRBI_KIND(TREE),
                             .anew = TIRBI_SETS_ANEW};
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, s);
    const tirbi_ls *nest = body && !b->failed ? around(b, body, &b->rows, b->rows.n) : NULL;
    if (!nest) return NULL;
    const tirbi_ls *other = with_terms(b, body, nest);
    return other ? other : allocate_operands(b, tirbi_compute_operands(b->pool, nest, b->disabled, b->notes));
}

static const tirbi_ls *in_blocks(blocker *b, const tirbi_ls *s) {
    for (uint32_t l = b->rows.n; l-- > 0 && s;) {
        if (!b->first_var[l]) continue;
        const tirbi_ls *items[2] = {b->set_count[l], s};
        s = tirbi_new_blocks(b->pool, b->loops[l]->span, b->first_var[l], b->count[l],
                             tirbi_new_sequence(b->pool, s->span, items, 2));
    }
    return s;
}

static const tirbi_ls *build(blocker *b, const tirbi_ls *body) {
    uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1, n_items = 0;
    const tirbi_ls *const *from = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(b->pool->arena, const tirbi_ls *, n + MAX_BUFFERS);
    if (!items) return NULL;
    uint32_t first = 0;
    for (; first < n && from[first]->kind == TIRBI_LS_ALLOC; first++) {
        if (b->n_buffers == MAX_BUFFERS) return NULL;
        b->buffers[b->n_buffers++] = (row_buffer){.old = from[first]->as.alloc.buffer};
    }
    uint32_t room = b->n_buffers;
    for (uint32_t i = first; i < n; i++) {
        items[room + n_items] = for_rows(b, from[i]);
        if (!items[room + n_items++]) return NULL;
    }
    for (uint32_t i = 0; i < b->n_buffers; i++) {
        tirbi_lbuf *block = b->buffers[i].block;
        if (!block) continue;
        if (!needs_zeros(b, from + first, n - first, b->buffers[i].old)) {
            if (!allocate(b, block)) return NULL;
            continue;
        }
        items[--room] = tirbi_new_alloc(b->pool, body->span, block);
        n_items++;
    }
    return in_blocks(b, tirbi_new_sequence(b->pool, body->span, items + room, n_items));
}

bool tirbi_block_rows(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, tirbi_notes *notes,
                      tirbi_row_blocks *out) {
    blocker *b = TIRBI_NEW(pool->arena, blocker);
    const tirbi_ls *body = NULL;
    out->n = 0;
    if (!b) return false;
    b->pool = pool;
    b->disabled = disabled;
    b->notes = notes;
    b->out = out;
    bool chosen = collect(b, loop, &body) && choose_blocks(b, body);
    const tirbi_ls *blocks = chosen ? build(b, body) : NULL;
    if (blocks) b->before[b->n_before++] = blocks;
    out->stmt = blocks ? tirbi_new_sequence(pool, loop->span, b->before, b->n_before) : NULL;
    if (!out->stmt) tirbi_restore_rows(out);
    return out->stmt != NULL;
}
