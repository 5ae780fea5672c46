#include "compiler/optimize/rows/staged.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/rows.h"
#include "compiler/pipeline/switches.h"

enum { MAX_STAGED = 4, MAX_DEPTH = 48, LEAST_ELEMENTS = 256, NEAR_STEPS = 4 };

/* Elements of longer rows are in no near cache any more. To enter a row by its number takes as long as to copy so many
 * bytes of it, or three times as many where lanes of other types are made of them. */
enum { LONGEST_ROW = 1024, BYTES_BY_NUMBER = 128 };

typedef struct staged_load {
    const tirbi_lx *load, *in_place;
    const tirbi_ls *fill;
} staged_load;

typedef struct stager {
    tirbi_lx_pool *pool;
    const tirbi_ls *loops[TIRBI_MAX_ROW_LOOPS + 1];
    tirbi_loop_set all, lane; /* the last of all loops is that of lanes */
    const tirbi_ls *store;
    staged_load loads[MAX_STAGED];
    const tirbi_ls *allocs[MAX_STAGED];
    uint32_t n, n_by_number;
} stager;

/* ---- The nest --------------------------------------------------------------------------------------------------- */

static bool read_nest(stager *s, const tirbi_ls *loop) {
    loop = tirbi_perfect_nest(loop, TIRBI_MAX_ROW_LOOPS + 1, s->loops, &s->all);
    if (s->all.n < 2 || loop->kind != TIRBI_LS_STORE || loop->as.store.value->kind == TIRBI_LX_LOAD) return false;
    s->store = loop;
    s->lane = (tirbi_loop_set){.var = {s->all.var[s->all.n - 1]}, .n = 1};
    const tirbi_place *to = loop->as.store.access;
    tirbi_affine form;
    int64_t step;
    return tirbi_lx_is_int(s->lane.var[0]->min, 0) && !to->view && !to->buffer->local &&
           tirbi_affine_number(s->pool, to, &s->all, &form) && tirbi_affine_constant(&form, s->all.n - 1, &step) &&
           step == 1;
}

/* ---- What is read ----------------------------------------------------------------------------------------------- */

/* Whether a value is made of what the nest leaves alone. */
static bool is_apart(const stager *s, const tirbi_lx *x) {
    const tirbi_roots stored = {.item = {s->store->as.store.access->buffer->root}, .n = 1};
    return tirbi_is_left_alone(x, &stored, &s->all, NULL);
}

/* Whether lanes read columns, of which the elements of a row are side by side. */
static bool reads_columns(const stager *s, const tirbi_affine *form) {
    const uint32_t last = s->all.n - 1;
    int64_t step;
    const bool is_constant = tirbi_affine_constant(form, last, &step);
    if (!form->coefficient[last] || (is_constant && step <= NEAR_STEPS && step >= -NEAR_STEPS)) return false;
    for (uint32_t i = 0; i < last; i++)
        if (form->coefficient[i] && tirbi_affine_constant(form, i, &step) && step == 1) return true;
    return false;
}

/* Whether memory tells where a row is, whose elements lanes read as they follow each other, or one of them. */
static bool reads_by_number(const stager *s, const tirbi_place *place) {
    const tirbi_lvar *lane = s->lane.var[0];
    for (uint32_t d = 0; d < place->ndim; d++) {
        tirbi_affine form;
        int64_t step;
        if (!tirbi_lx_depends_on(place->indices[d], lane)) continue;
        if (!tirbi_affine_index(s->pool, place, d, &s->all, &form) ||
            !tirbi_affine_constant(&form, s->all.n - 1, &step) || step != 1 ||
            !tirbi_lx_is_int(place->buffer->strides[d], 1))
            return false;
    }
    return true;
}

static bool is_staged(const stager *s, const tirbi_lx *load) {
    tirbi_affine form;
    const tirbi_place *place = load->access;
    if (load->type == TIRB_BOOL || load->type != place->buffer->type || !is_apart(s, load)) return false;
    if (tirbi_affine_number(s->pool, place, &s->all, &form)) return reads_columns(s, &form);
    return !place->flat->pure && reads_by_number(s, place);
}

/* ---- Memory for it ---------------------------------------------------------------------------------------------- */

/* A dimension for each loop around the lanes, and for the lanes where there is an element for each. */
static tirbi_lbuf *new_buffer(const stager *s, tirbi_dtype type, uint32_t ndim) {
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, ndim);
    for (uint32_t d = 0; shape && d < ndim; d++) {
        const tirbi_lvar *var = s->all.var[d];
        shape[d] = d + 1 == s->all.n ? var->extent : tirbi_lx_add(s->pool, var->min, var->extent);
    }
    return shape ? tirbi_new_buffer(s->pool, "staged", type, ndim, shape) : NULL;
}

/* A loop of the nest around another body. */
static tirbi_ls *loop_around(const stager *s, uint32_t l, const tirbi_ls *body) {
    return tirbi_loop_like(s->pool, s->loops[l], NULL, body);
}

/* What stands for a load, whose copy is made before. */
static const tirbi_lx *stage(stager *s, const tirbi_lx *load) {
    for (uint32_t i = 0; i < s->n; i++)
        if (tirbi_same_value(s->loads[i].load, load)) return s->loads[i].in_place;
    const bool in_lanes = tirbi_place_depends_on(load->access, s->lane.var[0]);
    const uint32_t ndim = s->all.n - !in_lanes;
    tirbi_lbuf *buffer = s->n < MAX_STAGED ? new_buffer(s, (tirbi_dtype)load->type, ndim) : NULL;
    const tirbi_lx **indices = buffer ? TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_lx *, ndim) : NULL;
    if (!indices) return NULL;
    for (uint32_t d = 0; d < ndim; d++)
        indices[d] = tirbi_lx_cast(s->pool, TIRB_I64, tirbi_lx_var(s->pool, s->all.var[d]));
    const tirbi_place *place = tirbi_place_in(s->pool, buffer, indices, s->store->span);
    const tirbi_lx *in_place = tirbi_lx_load(s->pool, place);
    const tirbi_ls *alloc = tirbi_new_alloc(s->pool, s->store->span, buffer);
    const tirbi_ls *store = tirbi_new_store(s->pool, s->store->span, place, load);
    const tirbi_ls *fill = in_lanes ? loop_around(s, s->all.n - 1, store) : store;
    if (!in_place || in_place->traps || !fill || !alloc) return NULL;
    s->n_by_number += !load->access->flat->pure;
    s->allocs[s->n] = alloc;
    s->loads[s->n++] = (staged_load){load, in_place, fill};
    return in_place;
}

/* Notes what is staged of a value: what is computed in every iteration may fail earlier. */
static bool note_load(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)place;
    stager *s = w->context;
    return (w->guarded && load->traps) || !is_staged(s, load) || stage(s, load);
}

static const tirbi_lx *in_place_of(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const stager *s = rewrite->context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && i < s->n; i++)
        if (tirbi_same_value(s->loads[i].load, x)) return s->loads[i].in_place;
    return x->kind == TIRBI_LX_LOAD ? x : NULL;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

/* Whether copies are more work than entering rows by their numbers, which the lanes can do themselves: copies of
 * several, or for sums, which are in memory that is near anyway. */
static bool copies_too_much(const stager *s) {
    if (s->n_by_number < s->n) return false;
    bool sums = false;
    for (uint32_t i = 0; i + 1 < s->all.n; i++)
        sums = sums || !tirbi_place_depends_on(s->store->as.store.access, s->all.var[i]);
    return sums || s->n > 1;
}

static const tirbi_lx *is_worth_it(const stager *s, int64_t least) {
    tirbi_lx_pool *pool = s->pool;
    const tirbi_dtype type = (tirbi_dtype)s->loads[0].load->type;
    const int64_t bytes = BYTES_BY_NUMBER * (type == s->store->as.store.access->buffer->type ? 1 : 3),
                  longest = s->n_by_number == s->n ? bytes / tirbi_dtypes[type].size : LONGEST_ROW;
    const tirbi_lx *row = s->lane.var[0]->extent, *all = row;
    for (uint32_t i = 0; i + 1 < s->all.n && all; i++) all = tirbi_lx_mul(pool, all, s->all.var[i]->extent);
    if (!all) return NULL;
    const tirbi_lx *is_short = tirbi_lx_with(pool, TIRB_OP_LE, row, longest);
    const tirbi_lx *are_some = tirbi_lx_with(pool, TIRB_OP_GE, all, least);
    if (!is_short || !are_some) return NULL;
    if (tirbi_lx_is_int(is_short, 1)) return are_some;
    if (tirbi_lx_is_int(are_some, 1)) return is_short;
    return tirbi_lx_both(pool, TIRB_OP_AND, is_short, are_some);
}

bool tirbi_stage_loads(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, tirbi_arranged *out) {
    stager s = {.pool = pool};
    if (!read_nest(&s, loop)) return false;
    tirbi_walk walk = {.context = &s, .access = note_load, .deepest = MAX_DEPTH};
    if (!tirbi_walk_expr(&walk, s.store->as.store.value) || s.n == 0 || copies_too_much(&s)) return false;
    tirbi_rewrite rewrite = {.pool = pool, .replace = in_place_of, .context = &s};
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, s.store->as.store.value);
    if (!value || value->traps) return false;
    const tirbi_ls *store = tirbi_new_store(pool, s.store->span, s.store->as.store.access, value);
    if (!store) return false;
    const tirbi_ls *items[2 * MAX_STAGED + 1];
    for (uint32_t i = 0; i < s.n; i++) {
        items[i] = s.allocs[i];
        items[s.n + i] = s.loads[i].fill;
    }
    items[2 * s.n] = loop_around(&s, s.all.n - 1, store);
    const tirbi_ls *rows = tirbi_new_sequence(pool, loop->span, items, 2 * s.n + 1);
    for (uint32_t l = s.all.n - 1; l-- > 0 && rows;) {
        tirbi_ls *around = loop_around(&s, l, rows);
        if (around && l == 0) around->as.loop.rows = (uint8_t)(s.all.n - 1);
        rows = around;
    }
    out->condition = is_worth_it(&s, disabled & TIRB_PASS_GRAIN ? 1 : LEAST_ELEMENTS);
    out->stmt = rows;
    return rows && out->condition && !tirbi_lx_is_int(out->condition, 0);
}
