#include "compiler/optimize/rows/numbered.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/flatten.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/distribute.h"

enum { MAX_NUMBERS = 3, MAX_DEPTH = 48, MAX_ROW_LOOPS = 2, SOME_ROWS = 16, MOST_ROWS = 1 << 24, LONG_ROW = 16 };

/* A row's number by the indices of dimensions first .. last of a place, in one of the nest's loops. In memory of one
 * dimension it is the element that the row begins at, which two loops may choose: a bag of some rows for each i. */
typedef struct number {
    const tirbi_place *place;
    uint32_t first, last;
    uint32_t rows_in[MAX_ROW_LOOPS], n_loops; /* the loops, outermost first */
    tirbi_lvar *element; /* whose loop counts the elements of a row that begins so; NULL: the number is an index */
    tirbi_lbuf *buffer;  /* that they are computed into */
    tirbi_lbuf *rows;    /* the place's buffer, with these dimensions as one, or as rows that begin at each element */
} number;

typedef struct numberer {
    tirbi_lx_pool *pool;
    const tirbi_ls *around[TIRBI_MAX_AFFINE];
    tirbi_loop_set loops;  /* those around the store */
    tirbi_roots stored;    /* what it goes to, and what the nest ahead of it stores to */
    const tirbi_ls *first; /* that nest; NULL: there is none */
    bool chosen;           /* one number in memory chooses rows as it is */
    const tirbi_ls *store;
    number numbers[MAX_NUMBERS];
    uint32_t n;
} numberer;

/* First values of sums that the nest begins with, as a nest of their own. */
static bool take_first_values(numberer *s, const tirbi_ls *body) {
    tirbi_distribution parts;
    tirbi_loop_set inner;
    if (!tirbi_can_resolve(body) || !tirbi_distribute(s->pool, s->around, s->loops.n, body, &parts) || parts.n != 2)
        return false;
    s->first = parts.item[0];
    if (tirbi_only_part(s->first)->kind != TIRBI_LS_STORE) return false;
    for (uint32_t i = s->loops.n; s->first && i-- > 0;)
        s->first = tirbi_loop_of(s->pool, s->around[i], tirbi_variable_like(s->pool, s->loops.var[i]), s->first);
    s->store = tirbi_perfect_nest(tirbi_only_part(parts.item[1]), TIRBI_MAX_AFFINE - s->loops.n, s->around + s->loops.n,
                                  &inner);
    for (uint32_t i = 0; i < inner.n; i++) s->loops.var[s->loops.n++] = inner.var[i];
    return s->first && inner.n > 0;
}

static bool read_nest(numberer *s, const tirbi_ls *loop) {
    s->store = tirbi_perfect_nest(loop, TIRBI_MAX_AFFINE, s->around, &s->loops);
    if (s->loops.n >= 2 && s->store->kind == TIRBI_LS_SEQ && !take_first_values(s, s->store)) return false;
    return s->loops.n >= 2 && s->store->kind == TIRBI_LS_STORE && tirbi_find_stored(&s->stored, loop, TIRBI_MAX_ROOTS);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* Whether an index is made of what the nest leaves alone, and cannot fail. */
static bool is_known_before(const numberer *s, const tirbi_lx *x) {
    return !x->traps && tirbi_is_left_alone(x, &s->stored, &s->loops, NULL);
}

static bool is_load(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source) &&
           tirbi_dtypes[x->type].bits >= tirbi_dtypes[x->source].bits)
        x = x->args[0];
    return x->kind == TIRBI_LX_LOAD;
}

/* The loops of the nest, but that of a row's elements, that the indices depend on. */
static bool find_rows(const numberer *s, number *n) {
    const uint32_t most = n->element ? MAX_ROW_LOOPS : 1;
    n->n_loops = 0;
    for (uint32_t l = 0; l < s->loops.n; l++) {
        bool depends = false;
        for (uint32_t d = n->first; d <= n->last; d++)
            depends = depends || tirbi_lx_depends_on(n->place->indices[d], s->loops.var[l]);
        if (!depends || s->loops.var[l] == n->element) continue;
        if (n->n_loops == most) return false;
        n->rows_in[n->n_loops++] = l;
    }
    for (uint32_t i = 0; n->n_loops > 1 && i < n->n_loops; i++) {
        const tirbi_lvar *row = s->loops.var[n->rows_in[i]];
        if (tirbi_mentions_loops(row->min, &s->loops) || tirbi_mentions_loops(row->extent, &s->loops)) return false;
    }
    return n->n_loops > 0;
}

/* What is loaded for each row, as a variable. */
static const tirbi_lx *name_loaded(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_lvar *element = rewrite->context;
    if (tirbi_lx_depends_on(x, element) || x->pure) return NULL;
    tirbi_lvar *var = tirbi_variable_for(rewrite->pool, TIRBI_LVAR_LET, "row", x, (tirbi_span){0});
    return tirbi_lx_var(rewrite->pool, var);
}

/* Whether an index goes up by 1 from element to element of a row, modulo its type: then the row lies inside of its
 * memory, or the program comes to an index that does not. */
static bool steps_by_one(const numberer *s, const tirbi_lx *index, tirbi_lvar *element) {
    const tirbi_loop_set one = {.var = {element}, .n = 1};
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = name_loaded, .context = element};
    tirbi_affine form;
    int64_t step;
    if (!tirbi_lx_depends_on(index, element) || element->extent->hi < LONG_ROW) return false;
    index = tirbi_rewrite_value(&rewrite, tirbi_lx_before_cast(index));
    return index && tirbi_affine_modulo(s->pool, index, &one, &form) && tirbi_affine_constant(&form, 0, &step) &&
           step == 1 && (index->type == TIRB_I64 || (index->type == TIRB_I32 && element->extent->hi <= INT32_MAX));
}

static bool read_flat(const numberer *s, const tirbi_place *place, number *out) {
    const tirbi_lx *index = place->indices[0], *extent = place->buffer->shape[0];
    if (index->pure || !extent->pure || extent->traps || !is_known_before(s, index)) return false;
    for (uint32_t l = s->loops.n; l-- > 0;) {
        *out = (number){.place = place, .element = s->loops.var[l]};
        if (steps_by_one(s, index, out->element)) return find_rows(s, out);
    }
    return false;
}

static bool read_place(numberer *s, const tirbi_place *place, number *out) {
    const tirbi_lbuf *b = place->buffer;
    uint32_t n = 0;
    if (place->view || b->source || b->broadcasts || b->local || b->overlaps || b->offset ||
        (b->root != b && !b->covers) || place->flat->pure || place->ndim < 1 || !tirbi_is_compact(s->pool, b))
        return false;
    if (place->ndim == 1) return read_flat(s, place, out);
    *out = (number){.place = place};
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (!b->shape[d]->pure || b->shape[d]->traps || tirbi_mentions_loops(b->shape[d], &s->loops)) return false;
        if (place->indices[d]->pure) continue;
        if (!is_known_before(s, place->indices[d]) || (n > 0 && d != out->last + 1)) return false;
        if (n++ == 0) out->first = d;
        out->last = d;
    }
    if (n == 0 || out->last + 1 == place->ndim) return false;
    if (n == 1 && is_load(place->indices[out->first])) return s->chosen = true, false;
    return find_rows(s, out);
}

/* The numbers of a place; NULL: it has none. */
static number *find_number(numberer *s, const tirbi_place *place) {
    for (uint32_t i = 0; i < s->n; i++) {
        number *n = &s->numbers[i];
        bool same = n->place->buffer == place->buffer;
        for (uint32_t d = n->first; same && d <= n->last; d++)
            same = tirbi_same_value(n->place->indices[d], place->indices[d]);
        if (same) return n;
    }
    return NULL;
}

static bool note_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)load;
    numberer *s = w->context;
    number fresh;
    if (!read_place(s, place, &fresh) || find_number(s, place)) return true;
    if (s->n == MAX_NUMBERS) return false;
    s->numbers[s->n++] = fresh;
    return true;
}

/* ---- Their numbers ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *either(const numberer *s, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_both(s->pool, TIRB_OP_OR, a, b);
}

static tirbi_lvar *new_var(const numberer *s, const char *name, const tirbi_lvar *like) {
    return like ? tirbi_variable_like(s->pool, like)
                : tirbi_new_variable(s->pool, TIRBI_LVAR_LET, name, TIRB_I64, 0, INT64_MAX, s->store->span);
}

/* The row's number in loops of its own, and whether one of the indices that may be is outside of its dimension. */
static const tirbi_lx *number_in(const numberer *s, const number *n, tirbi_lvar *const *in, const tirbi_lx **outside) {
    tirbi_rewrite rewrite = {.pool = s->pool};
    for (uint32_t i = 0; i < n->n_loops; i++)
        tirbi_bind_variable(&rewrite, s->loops.var[n->rows_in[i]], tirbi_lx_var(s->pool, in[i]));
    if (n->element)
        tirbi_bind_variable(&rewrite, n->element, tirbi_lx_cast(s->pool, n->element->type, n->element->min));
    const tirbi_lx *zero = tirbi_lx_number(s->pool, 0), *value = NULL;
    *outside = tirbi_lx_int(s->pool, TIRB_BOOL, 0);
    if (!*outside) return NULL;
    for (uint32_t d = n->first; d <= n->last; d++) {
        const tirbi_lx *index = tirbi_rewrite_value(&rewrite, n->place->indices[d]),
                       *extent = n->place->buffer->shape[d];
        const tirbi_lx *is_out = either(s, tirbi_lx_wide(s->pool, TIRB_OP_LT, index, zero),
                                        tirbi_lx_wide(s->pool, TIRB_OP_GE, index, extent));
        if (!n->element && !tirbi_dim_proven(n->place, d))
            *outside = tirbi_lx_is_int(*outside, 0) ? is_out : either(s, *outside, is_out);
        value = d == n->first
                    ? index
                    : tirbi_lx_wide(s->pool, TIRB_OP_ADD, tirbi_lx_wide(s->pool, TIRB_OP_MUL, value, extent), index);
        if (!value || !*outside) return NULL;
    }
    return value;
}

/* How many rows the loops go through together. */
static const tirbi_lx *rows_of(const numberer *s, const number *n) {
    const tirbi_lx *all = s->loops.var[n->rows_in[0]]->extent;
    for (uint32_t i = 1; all && i < n->n_loops; i++)
        all = tirbi_lx_mul(s->pool, all, s->loops.var[n->rows_in[i]]->extent);
    return all;
}

/* Memory for the numbers of all rows that the loops go through, of a dimension for each. */
static tirbi_lbuf *new_buffer(const numberer *s, const number *n) {
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, n->n_loops);
    for (uint32_t i = 0; shape && i < n->n_loops; i++) shape[i] = s->loops.var[n->rows_in[i]]->extent;
    return shape ? tirbi_new_buffer(s->pool, "numbers", TIRB_I64, n->n_loops, shape) : NULL;
}

/* Where a row's number is, by variables of its loops. */
static const tirbi_place *number_place(const numberer *s, const number *n, tirbi_lvar *const *in) {
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, n->n_loops);
    if (!indices) return NULL;
    for (uint32_t i = 0; i < n->n_loops; i++) {
        const tirbi_lx *at = tirbi_lx_cast(s->pool, TIRB_I64, tirbi_lx_var(s->pool, in[i]));
        indices[i] = at ? tirbi_lx_sub(s->pool, at, s->loops.var[n->rows_in[i]]->min) : NULL;
        if (!indices[i]) return NULL;
    }
    return tirbi_place_in(s->pool, n->buffer, indices, s->store->span);
}

/* What looks for an index that is outside of its dimension, and in `condition` that there is none. */
static const tirbi_ls *new_check(const numberer *s, tirbi_lvar *looked, const tirbi_lx *outside, const tirbi_lx *extent,
                                 const tirbi_lx **condition) {
    tirbi_lvar *found = new_var(s, "inside", NULL);
    const tirbi_ls *search = tirbi_new_search(s->pool, s->store->span, looked, outside, found);
    if (!search) return NULL;
    *condition =
        tirbi_lx_and(s->pool, *condition, tirbi_lx_wide(s->pool, TIRB_OP_EQ, tirbi_lx_var(s->pool, found), extent));
    return *condition ? search : NULL;
}

/* Adds to a condition that an extent compares so; false: it does not. */
static bool holds(const numberer *s, tirbi_op compares, const tirbi_lx *extent, int64_t with_number,
                  const tirbi_lx **condition) {
    const tirbi_lx *part = tirbi_lx_with(s->pool, compares, extent, with_number);
    if (!part || tirbi_lx_is_int(part, 0)) return false;
    if (*condition && tirbi_lx_is_int(part, 1)) return true;
    *condition = tirbi_lx_and(s->pool, *condition, part);
    return *condition != NULL;
}

/* Whether the rows of all loops are some, and not too many for memory: neither each loop's nor all together. */
static bool are_some(const numberer *s, const number *n, const tirbi_lx **condition) {
    const tirbi_lx *rows = rows_of(s, n);
    for (uint32_t i = 0; n->n_loops > 1 && i < n->n_loops; i++) {
        const tirbi_lx *extent = s->loops.var[n->rows_in[i]]->extent;
        if (!holds(s, TIRB_OP_GE, extent, 1, condition) || !holds(s, TIRB_OP_LE, extent, MOST_ROWS, condition))
            return false;
    }
    return rows && holds(s, TIRB_OP_GE, rows, SOME_ROWS, condition) &&
           holds(s, TIRB_OP_LE, rows, MOST_ROWS, condition) &&
           (!n->element || holds(s, TIRB_OP_GE, n->element->extent, LONG_ROW, condition));
}

/* Whether rows that begin at an element have all of the memory that they are known to lie inside of, not a part. */
static bool is_whole(const numberer *s, const number *n, const tirbi_lx **condition) {
    const tirbi_lbuf *b = n->place->buffer, *root = b->root;
    const tirbi_lx *all = tirbi_lx_number(s->pool, 1);
    if (!n->element || root == b) return true;
    for (uint32_t d = 0; all && d < root->ndim; d++) all = tirbi_lx_mul(s->pool, all, root->shape[d]);
    const tirbi_lx *part = tirbi_lx_wide(s->pool, TIRB_OP_EQ, b->shape[0], all);
    if (root->length || !part || !part->pure || part->traps || tirbi_lx_is_int(part, 0)) return false;
    if (!tirbi_lx_is_int(part, 1)) *condition = tirbi_lx_and(s->pool, *condition, part);
    return tirbi_lx_is_int(part, 1) || *condition;
}

/* What computes a row's numbers, and what has to hold for that; `check` is NULL where no index can be bad. */
static bool make_numbers(numberer *s, number *n, const tirbi_ls **check, const tirbi_ls **alloc, const tirbi_ls **fill,
                         const tirbi_lx **condition) {
    tirbi_lvar *looked[MAX_ROW_LOOPS] = {NULL}, *counted[MAX_ROW_LOOPS] = {NULL};
    const tirbi_lx *outside, *ignored;
    for (uint32_t i = 0; i < n->n_loops; i++) {
        looked[i] = new_var(s, NULL, s->loops.var[n->rows_in[i]]);
        counted[i] = new_var(s, NULL, s->loops.var[n->rows_in[i]]);
        if (!looked[i] || !counted[i]) return false;
    }
    n->buffer = new_buffer(s, n);
    if (!n->buffer || !is_whole(s, n, condition) || !are_some(s, n, condition) || !number_in(s, n, looked, &outside))
        return false;
    *check = NULL;
    if (!tirbi_lx_is_int(outside, 0) &&
        !(*check = new_check(s, looked[0], outside, s->loops.var[n->rows_in[0]]->extent, condition)))
        return false;
    *alloc = tirbi_new_alloc(s->pool, s->store->span, n->buffer);
    *fill = tirbi_new_store(s->pool, s->store->span, number_place(s, n, counted), number_in(s, n, counted, &ignored));
    for (uint32_t i = n->n_loops; *fill && i-- > 0;) *fill = tirbi_new_loop(s->pool, s->store->span, counted[i], *fill);
    return *condition && *alloc && *fill;
}

/* ---- The nest --------------------------------------------------------------------------------------------------- */

/* The same memory as rows that begin at each of its elements. */
static tirbi_lbuf *view_rows(const numberer *s, const number *n) {
    tirbi_lbuf *buffer = TIRBI_NEW(s->pool->arena, tirbi_lbuf);
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, 2),
                   **strides = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, 2);
    if (!buffer || !shape || !strides) return NULL;
    shape[0] = n->place->buffer->shape[0];
    shape[1] = n->element->extent;
    strides[0] = strides[1] = tirbi_lx_number(s->pool, 1);
    *buffer = *n->place->buffer;
    buffer->ndim = 2;
    buffer->shape = shape;
    buffer->strides = strides;
    buffer->overlaps = true;
    return strides[0] ? buffer : NULL;
}

/* The place by its row's number. */
static const tirbi_place *by_number(const numberer *s, number *n, const tirbi_place *place) {
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, place->ndim + 1);
    tirbi_lvar *in[MAX_ROW_LOOPS] = {NULL};
    for (uint32_t i = 0; i < n->n_loops; i++) in[i] = s->loops.var[n->rows_in[i]];
    const tirbi_place *numbers = number_place(s, n, in);
    const tirbi_lx *row = tirbi_lx_load(s->pool, numbers);
    if (!n->rows) n->rows = n->element ? view_rows(s, n)
                                       : tirbi_join_dimensions(s->pool, n->place->buffer, n->first, n->last);
    if (!indices || !row || !n->rows) return NULL;
    if (n->element) {
        const tirbi_lx *element = tirbi_lx_cast(s->pool, TIRB_I64, tirbi_lx_var(s->pool, n->element));
        indices[0] = row;
        indices[1] = tirbi_lx_sub(s->pool, element, n->element->min);
        return indices[1] ? tirbi_place_in(s->pool, n->rows, indices, place->span) : NULL;
    }
    for (uint32_t d = 0; d < n->rows->ndim; d++)
        indices[d] = d == n->first ? row : place->indices[d < n->first ? d : d + n->last - n->first];
    return tirbi_place_in(s->pool, n->rows, indices, place->span);
}

static const tirbi_lx *load_by_number(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    numberer *s = rewrite->context;
    number *n = x->kind == TIRBI_LX_LOAD ? find_number(s, x->access) : NULL;
    const tirbi_place *place = n ? by_number(s, n, x->access) : NULL;
    if (x->kind != TIRBI_LX_LOAD) return NULL;
    return place ? tirbi_lx_load(rewrite->pool, place) : n ? NULL : x;
}

bool tirbi_number_rows(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    numberer s = {.pool = pool};
    if (!read_nest(&s, loop)) return false;
    tirbi_walk walk = {.context = &s, .access = note_place, .deepest = MAX_DEPTH};
    if (!note_place(&walk, s.store->as.store.access, NULL) || !tirbi_walk_expr(&walk, s.store->as.store.value) ||
        (s.n == 0 && !(s.first && s.chosen)))
        return false;
    const tirbi_ls *checks[MAX_NUMBERS], *items[2 * MAX_NUMBERS + 2];
    out->condition = NULL;
    uint32_t n_checks = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        if (!make_numbers(&s, &s.numbers[i], &checks[n_checks], &items[i], &items[s.n + i], &out->condition))
            return false;
        if (checks[n_checks]) n_checks++;
    }
    tirbi_rewrite rewrite = {.pool = pool, .replace = load_by_number, .context = &s};
    tirbi_ls *store = tirbi_same_stmt(pool, s.store);
    number *to = find_number(&s, s.store->as.store.access);
    if (to && to->element) return false; /* rows that overlap */
    if (!store) return false;
    store->as.store.value = tirbi_rewrite_value(&rewrite, s.store->as.store.value);
    if (to) store->as.store.access = by_number(&s, to, s.store->as.store.access);
    if (!store->as.store.value || !store->as.store.access) return false;
    uint32_t n = 2 * s.n;
    if (s.first) items[n++] = s.first;
    items[n++] = out->loop = tirbi_in_loops(pool, s.around, s.loops.n, store);
    out->check = n_checks > 0 ? tirbi_new_sequence(pool, loop->span, checks, n_checks) : NULL;
    out->stmt = tirbi_new_sequence(pool, loop->span, items, n);
    return out->loop && (out->check || n_checks == 0) && out->stmt;
}
