/* An array or a variable belongs to an iteration where it is written as a whole before anything of it is read, and
 * nothing outside of the loop uses it. Statements may be taken one after the other, each for all iterations, where all
 * else that two of them access, and one writes, are elements that no other iteration accesses; and where none can
 * trap.
 *
 * Each statement may be done for a block of iterations that is chosen here, if it becomes a contraction; or the loops
 * are rows (rows/rows.c), if a sum along a row becomes lanes over the rows: each element keeps its order of updates
 * (R1). */
#include "compiler/optimize/nests/expand.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/nests/separate.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum {
    MAX_PARTS = 16,
    MAX_ARRAYS = 8,
    MAX_ACCESSES = 64,
    MAX_DEPTH = 32,
    MAX_WORK = 1 << 16,
    MAX_LOOKS = 4000,
    MAX_DEAD = 256
};

/* Bytes of what is expanded, so that it stays in the inner caches; of an array whose size is not known; and iterations
 * that are too few to gain by it. */
enum { BLOCK_BYTES = 1 << 17, UNKNOWN_BYTES = 4096, FEW_ITERATIONS = 8, MANY_ITERATIONS = 256 };

/* From so many products on, a contraction of matrices takes so long that others beside it gain nothing. */
enum { LARGE_CONTRACTION = 1 << 14 };

/* A sequence around the loop, and which of its statements that is in. */
typedef struct frame {
    const tirbi_ls *seq;
    uint32_t at;
    const struct frame *around;
} frame;

typedef struct expander {
    tirbi_lx_pool *pool;
    const frame *frames;
    const tirbi_lbuf *dead[MAX_DEAD]; /* their allocations are to go */
    uint32_t n_dead;
    uint32_t work, looks; /* that may still be done */
    bool by_rows;         /* the loops become rows, else loops for each statement */
} expander;

/* An array or a variable of each iteration, and what it becomes. */
typedef struct array {
    const tirbi_lbuf *buffer; /* or NULL */
    const tirbi_lvar *var;
    tirbi_lbuf *rows;
} array;

typedef struct nest {
    expander *x;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE]; /* the common loops, those from `first` on are distributed */
    uint32_t n_loops, first;
    tirbi_loop_set loops; /* the distributed ones */
    const tirbi_ls *parts[MAX_PARTS];
    uint32_t n_parts;
    const tirbi_lbuf *own[MAX_ARRAYS]; /* allocated in each iteration */
    uint32_t n_own;
    const tirbi_lvar *begun[MAX_ARRAYS]; /* variables that begin inside of the part at hand */
    uint32_t n_begun;
    array arrays[MAX_ARRAYS];
    uint32_t n_arrays;
    tirbi_reached accesses[MAX_ACCESSES]; /* by part */
    uint32_t n_accesses;
    const tirbi_lvar *inner[TIRBI_MAX_AFFINE]; /* the loops of a part around what is looked at */
    uint32_t n_inner;
    const tirbi_ls *first_of; /* the condition around it that some of them are at their first value, or NULL */
    tirbi_loop_set fresh;     /* what stands for `loops` in the part that is made */
} nest;

/* ---- The loops and their statements --------------------------------------------------------------------------- */

/* Whether a loop stores to elements that stand still in it, and to others. */
static bool stores_two_ways(const tirbi_ls *loop) {
    const tirbi_ls *items[MAX_PARTS];
    uint32_t n = 0;
    bool still = false, moves = false;
    if (loop->kind != TIRBI_LS_LOOP || !tirbi_list_statements(loop->as.loop.body, items, &n, MAX_PARTS)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const bool stores = items[i]->kind == TIRBI_LS_STORE;
        if (!stores && (items[i]->kind != TIRBI_LS_SET || items[i]->as.set.declares)) return false;
        if (stores && tirbi_place_depends_on(items[i]->as.store.access, loop->as.loop.var)) moves = true;
        else still = true;
    }
    return still && moves;
}

/* A statement in the loops; where they become rows, sums in it are apart from what else is stored. */
static bool add_part(nest *n, const tirbi_ls *s) {
    const tirbi_ls *apart[TIRBI_MAX_SEPARATE] = {s};
    uint32_t count = n->x->by_rows && stores_two_ways(s) ? tirbi_separate(n->x->pool, s, false, apart) : 0;
    if (count == 0) apart[count++] = s;
    if (count > MAX_PARTS - n->n_parts) return false;
    for (uint32_t i = 0; i < count; i++) n->parts[n->n_parts++] = apart[i];
    return true;
}

static bool collect(nest *n, const tirbi_ls *s) {
    enum { MOST = TIRBI_MAX_CONTRACT_LOOPS - 1 };
    tirbi_loop_set vars;
    s = tirbi_perfect_nest(s, MOST, n->loop, &vars);
    n->n_loops = vars.n;
    if (s->kind == TIRBI_LS_LOOP && vars.n < MOST) return false;
    const tirbi_ls *items[MAX_PARTS + MAX_ARRAYS];
    uint32_t n_items = 0;
    if (n->n_loops == 0 || !tirbi_list_statements(s, items, &n_items, MAX_PARTS + MAX_ARRAYS)) return false;
    for (uint32_t i = 0; i < n_items; i++) {
        if (tirbi_is_plain_allocation(items[i]) && n->n_own < MAX_ARRAYS)
            n->own[n->n_own++] = items[i]->as.alloc.buffer;
        else if (!add_part(n, items[i]))
            return false;
    }
    return n->n_parts >= 2;
}

static array *array_of(nest *n, const tirbi_lbuf *buffer, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < n->n_arrays; i++)
        if (n->arrays[i].buffer == buffer && n->arrays[i].var == var) return &n->arrays[i];
    return NULL;
}

static bool add_array(nest *n, const tirbi_lbuf *buffer, const tirbi_lvar *var) {
    if (array_of(n, buffer, var)) return true;
    if (n->n_arrays == MAX_ARRAYS) return false;
    n->arrays[n->n_arrays++] = (array){.buffer = buffer, .var = var};
    return true;
}

/* ---- What the statements access ------------------------------------------------------------------------------- */

static bool takes_value(void *context, const tirbi_lx *x) {
    nest *n = context;
    if (x->traps || n->x->work == 0) return false;
    n->x->work--;
    return true;
}

/* Whether a value needs a variable that becomes an array. */
static bool needs_array(const nest *n, const tirbi_lx *x) {
    for (uint32_t i = 0; i < n->n_arrays; i++)
        if (n->arrays[i].var && tirbi_lx_depends_on(x, n->arrays[i].var)) return true;
    return false;
}

/* What an array holds is not known to be a number of an element, as a variable's value may be. */
static bool takes_access(void *context, const tirbi_reached *a) {
    for (uint32_t d = 0; d < a->place->ndim; d++)
        if (needs_array(context, a->place->indices[d])) return false;
    return tirbi_is_proven(a->place);
}

static bool is_common(const nest *n, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < n->n_loops; i++)
        if (n->loop[i]->as.loop.var == var) return true;
    return false;
}

/* A variable begins in the part that sets it, or is an array. */
static bool takes_set(nest *n, const tirbi_ls *s) {
    bool known = array_of(n, NULL, s->as.set.var) != NULL;
    for (uint32_t i = 0; i < n->n_begun; i++) known = known || n->begun[i] == s->as.set.var;
    if (known || !s->as.set.declares) return known;
    if (n->n_begun == MAX_ARRAYS) return false;
    n->begun[n->n_begun++] = s->as.set.var;
    return true;
}

/* Statements that run to their end, in loops whose bounds are the same in all iterations. */
static bool takes_stmt(void *context, const tirbi_ls *s) {
    nest *n = context;
    if (s->kind == TIRBI_LS_LOOP) {
        tirbi_loop_set all = {.n = 0};
        for (uint32_t i = 0; i < n->n_loops; i++) all.var[all.n++] = n->loop[i]->as.loop.var;
        const tirbi_lvar *var = s->as.loop.var;
        return tirbi_is_plain_loop(s) && !tirbi_mentions_loops(var->min, &all) &&
               !tirbi_mentions_loops(var->extent, &all) && !needs_array(n, var->min) && !needs_array(n, var->extent);
    }
    for (uint32_t i = 0; s->kind == TIRBI_LS_IF && i < s->as.if_.n_first_of; i++)
        if (is_common(n, s->as.if_.first_of[i])) return false;
    return s->kind != TIRBI_LS_SET || takes_set(n, s);
}

static bool note_part(nest *n, uint32_t part) {
    tirbi_accesses all = {.item = n->accesses,
                          .n = n->n_accesses,
                          .most = MAX_ACCESSES,
                          .part = (uint16_t)part,
                          .rules = TIRBI_TAKE_INITS,
                          .deepest = MAX_DEPTH,
                          .kinds = TIRBI_NESTS,
                          .context = n,
                          .stmt = takes_stmt,
                          .value = takes_value,
                          .access = takes_access};
    const bool found = tirbi_find_accesses(&all, n->parts[part]);
    n->n_accesses = all.n;
    return found;
}

/* Variables that begin among the statements become arrays. */
static bool note_parts(nest *n) {
    for (uint32_t i = 0; i < n->n_parts; i++) {
        const tirbi_ls *s = n->parts[i];
        n->n_begun = 0;
        if (!note_part(n, i)) return false;
        if (s->kind == TIRBI_LS_SET && s->as.set.declares && !add_array(n, NULL, s->as.set.var)) return false;
    }
    return true;
}

/* ---- Whose memory it is ----------------------------------------------------------------------------------------- */

/* Whether nothing but the loop at hand uses a buffer. */
static bool is_used_here_alone(const nest *n, const tirbi_lbuf *buffer) {
    for (uint32_t i = 0; i < n->n_own; i++)
        if (n->own[i] == buffer) return true;
    for (const frame *f = n->x->frames; f; f = f->around) {
        bool allocates = false;
        for (uint32_t i = 0; i < f->seq->as.seq.n; i++) {
            const tirbi_ls *item = f->seq->as.seq.items[i];
            if (i == f->at) continue;
            if (tirbi_is_plain_allocation(item) && item->as.alloc.buffer == buffer)
                allocates = true;
            else if (n->x->looks == 0 || tirbi_statement_uses(item, buffer))
                return false;
            else
                n->x->looks--;
        }
        if (allocates) return true;
    }
    return false;
}

/* Whether the indices of a place are loops that go through all of the buffer. */
static bool is_whole(const nest *n, const tirbi_place *place) {
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = tirbi_lx_before_cast(place->indices[d]), *extent = place->buffer->shape[d];
        bool found = false;
        if (index->kind != TIRBI_LX_VAR) return false;
        for (uint32_t i = 0; i < n->n_inner && !found; i++) found = n->inner[i] == index->var;
        for (uint32_t k = 0; k < d; k++) found = found && tirbi_lx_before_cast(place->indices[k]) != index;
        if (!found || !tirbi_lx_is_int(index->var->min, 0)) return false;
        const bool same = index->var->extent == extent ||
                          (extent->kind == TIRBI_LX_CONST && index->var->extent->kind == TIRBI_LX_CONST &&
                           index->var->extent->value >= extent->value);
        if (!same) return false;
    }
    return true;
}

/* The first statement that has to do with a buffer, with the loops around it; NULL where it may not run. */
static const tirbi_ls *first_user(nest *n, const tirbi_ls *s, const tirbi_lbuf *buffer) {
    for (;;) {
        switch (s->kind) {
        case TIRBI_LS_SEQ: {
            uint32_t i = 0;
            while (i < s->as.seq.n && !tirbi_statement_uses(s->as.seq.items[i], buffer)) i++;
            if (i == s->as.seq.n) return NULL;
            s = s->as.seq.items[i];
            break;
        }
        case TIRBI_LS_LOOP:
            if (n->n_inner == TIRBI_MAX_AFFINE) return NULL;
            n->inner[n->n_inner++] = s->as.loop.var;
            s = s->as.loop.body;
            break;
        case TIRBI_LS_IF:
            if (!s->as.if_.first_of || s->as.if_.else_case || n->first_of) return NULL;
            n->first_of = s;
            s = s->as.if_.then_case;
            break;
        default:
            return s;
        }
    }
}

/* Whether each element of a buffer is stored to before it is read: by the first statement that uses it, which stores to
 * all of it, while the others of the same part are at the same element. */
static bool is_filled_first(nest *n, const tirbi_lbuf *buffer) {
    uint32_t part = 0;
    while (part < n->n_parts && !tirbi_statement_uses(n->parts[part], buffer)) part++;
    if (part == n->n_parts) return false;
    n->n_inner = 0;
    n->first_of = NULL;
    const tirbi_ls *store = first_user(n, n->parts[part], buffer);
    if (!store || store->kind != TIRBI_LS_STORE || store->as.store.access->buffer != buffer ||
        tirbi_may_read(store->as.store.value, buffer) || !is_whole(n, store->as.store.access))
        return false;
    for (uint32_t i = 0; i < n->n_inner; i++)
        if (!tirbi_place_depends_on(store->as.store.access, n->inner[i]) && n->inner[i]->extent->lo < 1) return false;
    for (uint32_t i = 0; n->first_of && i < n->first_of->as.if_.n_first_of; i++)
        if (tirbi_place_depends_on(store->as.store.access, n->first_of->as.if_.first_of[i])) return false;
    for (uint32_t i = 0; i < n->n_accesses; i++) {
        const tirbi_reached *a = &n->accesses[i];
        if (a->part == part && a->place->buffer == buffer && !tirbi_same_place(a->place, store->as.store.access))
            return false;
    }
    return true;
}

/* Buffers that are each iteration's own become arrays. */
static bool find_arrays(nest *n) {
    for (uint32_t i = 0; i < n->n_accesses; i++) {
        const tirbi_reached *a = &n->accesses[i];
        const tirbi_lbuf *b = a->place->buffer;
        if (a->what == TIRBI_LOADS || array_of(n, b, NULL) || b->root != b || b->param >= 0 || b->local ||
            b->overlaps || b->broadcasts || b->ndim == 0 || b->ndim >= TIRBI_MAX_NDIM || !is_used_here_alone(n, b))
            continue;
        for (uint32_t k = 0; k < n->n_accesses; k++)
            if (n->accesses[k].place->buffer->root == b && n->accesses[k].place->buffer != b) return false;
        if (n->x->by_rows && !is_filled_first(n, b)) continue; /* each iteration may have elements of its own there */
        if (!is_filled_first(n, b) || !add_array(n, b, NULL)) return false;
    }
    for (uint32_t i = 0; i < n->n_own; i++)
        if (!array_of(n, n->own[i], NULL)) return false;
    return n->n_arrays > 0 || n->x->by_rows;
}

/* ---- How many iterations at a time ------------------------------------------------------------------------------- */

static int64_t bytes_of(const array *a) {
    int64_t bytes = tirbi_dtypes[a->buffer ? a->buffer->type : a->var->type].size;
    for (uint32_t d = 0; a->buffer && d < a->buffer->ndim; d++) {
        const tirbi_lx *extent = a->buffer->shape[d];
        if (extent->kind != TIRBI_LX_CONST) return UNKNOWN_BYTES;
        if (__builtin_mul_overflow(bytes, extent->value, &bytes)) return INT64_MAX;
    }
    return bytes;
}

/* The iterations of the innermost common loop that are done together; the loops around it that are distributed with it,
 * as all of their iterations fit too. 0: too few. */
static int64_t choose_block(nest *n) {
    int64_t bytes = 1, most;
    for (uint32_t i = 0; i < n->n_arrays; i++)
        if (__builtin_add_overflow(bytes, bytes_of(&n->arrays[i]), &bytes)) return 0;
    most = BLOCK_BYTES / bytes;
    if (most < FEW_ITERATIONS) return 0;
    n->first = n->n_loops - 1;
    const tirbi_lx *extent = n->loop[n->first]->as.loop.var->extent;
    if (extent->hi < FEW_ITERATIONS && n->n_loops == 1) return 0;
    if (extent->kind != TIRBI_LX_CONST || extent->value > most) return most < MANY_ITERATIONS ? most : MANY_ITERATIONS;
    for (most /= extent->value > 0 ? extent->value : 1; n->first > 0; n->first--) {
        const tirbi_lx *outer = n->loop[n->first - 1]->as.loop.var->extent;
        if (outer->kind != TIRBI_LX_CONST || outer->value < 1 || outer->value > most) break;
        most /= outer->value;
    }
    return extent->value;
}

/* ---- Independence ------------------------------------------------------------------------------------------------ */

static bool independent(nest *n) {
    for (uint32_t i = 0; i < n->n_accesses; i++) {
        const tirbi_reached *w = &n->accesses[i];
        if (w->what == TIRBI_LOADS || array_of(n, w->place->buffer, NULL)) continue;
        for (uint32_t k = 0; k < n->n_accesses; k++) {
            const tirbi_reached *other = &n->accesses[k];
            if (other->part != w->part && tirbi_may_meet(other->place->buffer->root, w->place->buffer->root) &&
                !tirbi_tell_iterations(n->x->pool, &n->loops, w->place, other->place))
                return false;
        }
    }
    return true;
}

/* ---- Arrays with rows -------------------------------------------------------------------------------------------- */

/* The extents of the rows: of the distributed loops, the innermost one's in parts, then the array's own. */
static bool make_rows(nest *n, array *a, const tirbi_lx *innermost) {
    tirbi_lx_pool *pool = n->x->pool;
    const uint32_t own = a->buffer ? a->buffer->ndim : 0, ndim = n->loops.n + own;
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, ndim);
    if (!shape || ndim > TIRBI_MAX_NDIM) return false;
    for (uint32_t d = 0; d < ndim; d++) {
        if (d >= n->loops.n)
            shape[d] = a->buffer->shape[d - n->loops.n];
        else if (d + 1 == n->loops.n)
            shape[d] = innermost;
        else
            shape[d] = n->loops.var[d]->extent;
    }
    a->rows = tirbi_new_buffer(pool, a->buffer ? a->buffer->name : a->var->name,
                               a->buffer ? a->buffer->type : a->var->type, ndim, shape);
    return a->rows != NULL;
}

/* The element of the row of the iteration. */
static const tirbi_place *place_in_row(tirbi_rewrite *rewrite, const array *a, const tirbi_place *old,
                                       tirbi_span span) {
    const nest *n = rewrite->context;
    tirbi_lx_pool *pool = rewrite->pool;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, a->rows->ndim);
    const tirbi_lx *flat = tirbi_lx_number(pool, 0);
    tirbi_place *place = TIRBI_NEW(pool->arena, tirbi_place);
    if (!indices || !place) return NULL;
    for (uint32_t d = 0; d < a->rows->ndim; d++) {
        if (d < n->fresh.n) {
            tirbi_lvar *var = n->fresh.var[d];
            indices[d] = tirbi_lx_sub(pool, tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_var(pool, var)), var->min);
        } else {
            indices[d] = tirbi_rewrite_value(rewrite, old->indices[d - n->fresh.n]);
        }
        flat = tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, indices[d], a->rows->strides[d]));
    }
    *place = (tirbi_place){.buffer = a->rows, .ndim = a->rows->ndim, .indices = indices, .flat = flat, .span = span};
    return flat ? place : NULL;
}

/* The element that stands for a variable or an array's is there, whatever the loops begin at. */
static const tirbi_lx *replace_value(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    nest *n = rewrite->context;
    const array *a = NULL;
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < n->loops.n; i++)
            if (n->loops.var[i] == x->var) return tirbi_lx_var(rewrite->pool, n->fresh.var[i]);
        a = array_of(n, NULL, x->var);
    } else if (x->kind == TIRBI_LX_LOAD) {
        a = array_of(n, x->access->buffer, NULL);
    }
    const tirbi_place *place =
        a ? place_in_row(rewrite, a, x->access, x->access ? x->access->span : n->loop[0]->span) : NULL;
    return tirbi_lx_inside(rewrite->pool, tirbi_lx_load(rewrite->pool, place));
}

/* Stores to arrays, and to variables that became some; loops stay those that they are. */
static const tirbi_ls *replace_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    nest *n = rewrite->context;
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_ls *body = tirbi_rewrite_stmt(rewrite, s->as.loop.body);
        return tirbi_loop_like(rewrite->pool, s, NULL, body);
    }
    const array *a = s->kind == TIRBI_LS_STORE ? array_of(n, s->as.store.access->buffer, NULL)
                     : s->kind == TIRBI_LS_SET ? array_of(n, NULL, s->as.set.var)
                                               : NULL;
    if (!a) return NULL;
    const bool stores = s->kind == TIRBI_LS_STORE;
    const tirbi_place *place = place_in_row(rewrite, a, stores ? s->as.store.access : NULL, s->span);
    return tirbi_new_store(rewrite->pool, s->span, place,
                           tirbi_rewrite_value(rewrite, stores ? s->as.store.value : s->as.set.value));
}

/* ---- The parts --------------------------------------------------------------------------------------------------- */

/* A loop like another one, over a part of its range. */
static tirbi_lvar *fresh_loop(nest *n, const tirbi_lvar *old, const tirbi_lx *min, const tirbi_lx *extent) {
    tirbi_lvar *var = min && extent ? tirbi_variable_like(n->x->pool, old) : NULL;
    if (!var) return NULL;
    var->min = min;
    var->extent = extent;
    if (!var->below && old->min->lo >= 0) var->below = tirbi_lx_add(n->x->pool, old->min, old->extent);
    return var;
}

/* A part in loops of its own; `block` counts the blocks of the innermost one, or is NULL where there is but one. */
static const tirbi_ls *make_part(nest *n, uint32_t part, tirbi_lvar *block, int64_t size) {
    tirbi_lx_pool *pool = n->x->pool;
    n->fresh.n = 0;
    for (uint32_t i = 0; i < n->loops.n; i++) {
        const tirbi_lvar *old = n->loops.var[i];
        const tirbi_lx *min = old->min, *extent = old->extent;
        if (block && i + 1 == n->loops.n) {
            const tirbi_lx *all = tirbi_lx_number(pool, size);
            const tirbi_lx *done = tirbi_lx_mul(pool, tirbi_lx_var(pool, block), all);
            if (!done) return NULL;
            min = tirbi_lx_add(pool, old->min, done);
            extent = tirbi_lx_wide(pool, TIRB_OP_MIN, all, tirbi_lx_sub(pool, old->extent, done));
        }
        n->fresh.var[n->fresh.n++] = fresh_loop(n, old, min, extent);
        if (!n->fresh.var[i]) return NULL;
    }
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace_value, .statement = replace_stmt, .context = n};
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, n->parts[part]);
    for (uint32_t i = n->loops.n; body && i-- > 0;)
        body = tirbi_loop_like(pool, n->loop[n->first + i], n->fresh.var[i], body);
    return body;
}

/* ---- What is gained ---------------------------------------------------------------------------------------------- */

static bool is_matrix(const tirbi_contract_plan *plan, int64_t *products) {
    bool rows = false, columns = false;
    *products = 1;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const bool a = plan->operands[TIRBI_CONTRACT_A].form.coefficient[i] != NULL;
        const bool b = plan->operands[TIRBI_CONTRACT_B].form.coefficient[i] != NULL;
        const int64_t most = plan->loops.var[i]->extent->hi;
        if (__builtin_mul_overflow(*products, most, products)) *products = INT64_MAX;
        if (plan->reduces[i] || most <= 1) continue;
        rows = rows || (a && !b);
        columns = columns || (b && !a);
    }
    return !plan->folds && rows && columns;
}

static bool is_product(expander *x, const tirbi_ls *loop, int64_t *products) {
    tirbi_distribution *parts = loop->kind == TIRBI_LS_LOOP ? TIRBI_NEW(x->pool->arena, tirbi_distribution) : NULL;
    if (!parts) return false;
    const bool found =
        (tirbi_plan_contraction(x->pool, loop, &parts->plan) || tirbi_distribute_contraction(x->pool, loop, parts)) &&
        is_matrix(&parts->plan, products);
    TIRBI_GIVE_BACK(x->pool->arena, parts);
    return found;
}

/* Whether a part becomes a product of matrices, or a larger one. */
static bool gains(nest *n, uint32_t part, const tirbi_ls *made) {
    int64_t before = 0, after = 0;
    if (!is_product(n->x, made, &after)) return false;
    return !is_product(n->x, n->parts[part], &before) || before < LARGE_CONTRACTION;
}

/* Some of the common loops anew. */
static const tirbi_ls *around(const nest *n, uint32_t first, uint32_t behind, const tirbi_ls *body) {
    for (uint32_t i = behind; body && i-- > first;)
        body = tirbi_loop_like(n->x->pool, n->loop[i], NULL, body);
    return body;
}

/* Blocks of the parts, one after the other, in the loops that are not distributed: each of their iterations has rows of
 * its own, so that several threads can share them. */
static const tirbi_ls *arrange(nest *n, tirbi_lvar *block, const tirbi_ls *const *made) {
    tirbi_lx_pool *pool = n->x->pool;
    const tirbi_span span = n->loop[0]->span;
    const tirbi_ls *body = tirbi_new_sequence(pool, span, made, n->n_parts), *items[MAX_ARRAYS + 1];
    if (block) body = tirbi_new_loop(pool, span, block, body);
    for (uint32_t i = 0; i < n->n_arrays; i++) items[i] = tirbi_new_alloc(pool, span, n->arrays[i].rows);
    items[n->n_arrays] = body;
    return around(n, 0, n->first, body ? tirbi_new_sequence(pool, span, items, n->n_arrays + 1) : NULL);
}

/* Counts the blocks. */
static tirbi_lvar *make_block_loop(nest *n, int64_t size) {
    tirbi_lx_pool *pool = n->x->pool;
    const tirbi_lvar *inner = n->loops.var[n->loops.n - 1];
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *last = tirbi_lx_sub(pool, inner->extent, one);
    const tirbi_lx *blocks = tirbi_lx_wide(pool, TIRB_OP_FLOORDIV, last, tirbi_lx_number(pool, size));
    blocks = tirbi_lx_add(pool, blocks, one);
    tirbi_lvar *var = blocks ? fresh_loop(n, inner, tirbi_lx_number(pool, 0), blocks) : NULL;
    if (!var) return NULL;
    var->type = TIRB_I64;
    var->below = NULL;
    var->lo = 0;
    var->hi = blocks->hi > 0 ? blocks->hi - 1 : 0;
    return var;
}

static const tirbi_ls *distribute(nest *n) {
    const int64_t size = choose_block(n);
    const tirbi_ls *made[MAX_PARTS];
    if (size == 0) return NULL;
    for (uint32_t i = n->first; i < n->n_loops; i++) n->loops.var[n->loops.n++] = n->loop[i]->as.loop.var;
    if (!independent(n)) return NULL;
    const tirbi_lx *rows = tirbi_lx_number(n->x->pool, size);
    for (uint32_t i = 0; i < n->n_arrays; i++)
        if (!make_rows(n, &n->arrays[i], rows)) return NULL;
    const tirbi_lx *extent = n->loops.var[n->loops.n - 1]->extent;
    const bool whole = extent->kind == TIRBI_LX_CONST && extent->value <= size;
    tirbi_lvar *block = whole ? NULL : make_block_loop(n, size);
    bool gain = false;
    if (!whole && !block) return NULL;
    for (uint32_t i = 0; i < n->n_parts; i++) {
        made[i] = make_part(n, i, block, size);
        if (!made[i]) return NULL;
        gain = gain || gains(n, i, made[i]);
    }
    return gain ? arrange(n, block, made) : NULL;
}

/* ---- Sums of rows ------------------------------------------------------------------------------------------------ */

/* Whether functions of the mathematical library are computed in lanes: a call for some rows takes as long as one for
 * many, and there is one for each element of them. */
static bool calls_functions(const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const unsigned op = plan->ops[i].op - (unsigned)TIRB_OP_LANE_FORM;
        if (op >= TIRB_OP_RSQRT && op <= TIRB_OP_RHYPOT && !(op >= TIRB_OP_FLOOR && op <= TIRB_OP_ROUND)) return true;
    }
    return false;
}

/* What is gained where a statement is done for all rows. */
typedef enum gain { LOSES = -1, STAYS, GAINS } gain;

/* A loop that hands something on from iteration to iteration is no lanes, but those around it may be. */
static gain gain_of_rows(const nest *n, const tirbi_ls *part, const tirbi_ls *made) {
    tirbi_nest plan;
    const tirbi_ls *rows = part->kind == TIRBI_LS_LOOP ? around(n, n->first, n->n_loops, made) : NULL;
    if (!rows || tirbi_nest_has_lanes(n->x->pool, part, TIRBI_NEST_ANY) ||
        !tirbi_plan_nest(n->x->pool, rows, TIRBI_NEST_INTERCHANGE, &plan))
        return STAYS;
    const bool calls = calls_functions(plan.plan);
    tirbi_drop_plan(n->x->pool, plan.plan);
    return calls ? LOSES : GAINS;
}

/* The innermost common loops whose iterations are rows: there are some of them, in arrays that begin with the first. */
static bool find_rows(nest *n) {
    int64_t rows = 1;
    for (n->first = n->n_loops; n->first > 0 && n->n_loops - n->first < TIRBI_MAX_ROW_LOOPS; n->first--) {
        const tirbi_lvar *var = n->loop[n->first - 1]->as.loop.var;
        if (!tirbi_lx_is_int(var->min, 0)) break;
        if (rows < FEW_ITERATIONS) rows *= var->extent->hi < FEW_ITERATIONS ? var->extent->hi : FEW_ITERATIONS;
    }
    for (uint32_t i = n->first; i < n->n_loops; i++) n->loops.var[n->loops.n++] = n->loop[i]->as.loop.var;
    return n->loops.n > 0 && rows >= FEW_ITERATIONS && !tirbi_has_lanes(n->x->pool, n->loop[n->first]) &&
           !tirbi_nest_has_lanes(n->x->pool, n->loop[n->first], TIRBI_NEST_ANY);
}

/* Statements without loops that follow each other are one: they are lanes over the rows alone. */
static const tirbi_ls *join_parts(const nest *n, const tirbi_ls **made, uint32_t n_allocated) {
    uint32_t kept = n_allocated;
    for (uint32_t i = 0; i < n->n_parts; i++) {
        const tirbi_ls *s = made[n_allocated + i];
        const bool follows = i > 0 && n->parts[i]->kind != TIRBI_LS_LOOP && n->parts[i - 1]->kind != TIRBI_LS_LOOP;
        const tirbi_ls *both[2] = {follows ? made[kept - 1] : NULL, s};
        if (follows) made[kept - 1] = tirbi_new_sequence(n->x->pool, s->span, both, 2);
        else made[kept++] = s;
        if (!made[kept - 1]) return NULL;
    }
    return tirbi_new_sequence(n->x->pool, n->loop[n->first]->span, made, kept);
}

/* Each statement for many rows before the next one, where some of them become lanes over the rows. */
static const tirbi_ls *in_rows(nest *n) {
    const tirbi_ls *made[MAX_ARRAYS + MAX_PARTS];
    bool worth = false;
    if (!find_rows(n) || !independent(n)) return NULL;
    for (uint32_t i = 0; i < n->n_arrays; i++) {
        if (!make_rows(n, &n->arrays[i], n->loops.var[n->loops.n - 1]->extent)) return NULL;
        made[i] = tirbi_new_alloc(n->x->pool, n->loop[0]->span, n->arrays[i].rows);
        if (!made[i]) return NULL;
    }
    n->fresh = n->loops;
    tirbi_rewrite rewrite = {.pool = n->x->pool, .replace = replace_value, .statement = replace_stmt, .context = n};
    for (uint32_t i = 0; i < n->n_parts; i++) {
        const tirbi_ls *s = tirbi_rewrite_stmt(&rewrite, n->parts[i]);
        if (!s) return NULL;
        const gain found = gain_of_rows(n, n->parts[i], s);
        if (found == LOSES) return NULL;
        worth = worth || found == GAINS;
        made[n->n_arrays + i] = s;
    }
    const tirbi_ls *body = worth ? join_parts(n, made, n->n_arrays) : NULL;
    tirbi_ls *rows = (tirbi_ls *)(uintptr_t)around(n, n->first, n->n_loops, body);
    if (rows) rows->as.loop.rows = (uint8_t)n->loops.n;
    return around(n, 0, n->first, rows);
}

static const tirbi_ls *expand_loop(expander *x, const tirbi_ls *loop) {
    nest *n = TIRBI_NEW(x->pool->arena, nest);
    const tirbi_ls *made = NULL;
    if (!n) return NULL;
    n->x = x;
    if (collect(n, loop) && !tirbi_contracts(x->pool, loop) && note_parts(n) && find_arrays(n))
        made = x->by_rows ? in_rows(n) : distribute(n);
    for (uint32_t i = 0; made && i < n->n_arrays; i++)
        if (n->arrays[i].buffer) x->dead[x->n_dead++] = n->arrays[i].buffer;
    TIRBI_GIVE_BACK(x->pool->arena, n);
    return made;
}

/* ---- All loops --------------------------------------------------------------------------------------------------- */

static const tirbi_ls *expand(void *context, const tirbi_ls *s);

static bool is_dead(const expander *x, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_ALLOC && i < x->n_dead; i++)
        if (x->dead[i] == s->as.alloc.buffer) return true;
    return false;
}

static const tirbi_ls *expand_sequence(expander *x, const tirbi_ls *s) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(x->pool->arena, const tirbi_ls *, s->as.seq.n);
    frame here = {.seq = s, .around = x->frames};
    bool changed = false;
    uint32_t n = 0;
    if (!items) return s;
    x->frames = &here;
    for (here.at = 0; here.at < s->as.seq.n; here.at++) {
        items[here.at] = expand(x, s->as.seq.items[here.at]);
        changed = changed || items[here.at] != s->as.seq.items[here.at];
    }
    x->frames = here.around;
    if (!changed) return s;
    for (uint32_t i = 0; i < s->as.seq.n; i++)
        if (!is_dead(x, items[i])) items[n++] = items[i];
    const tirbi_ls *copy = tirbi_new_sequence(x->pool, s->span, items, n);
    return copy ? copy : s;
}

static bool may_expand(const expander *x, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_LOOP && x->work > 0 && x->n_dead + MAX_ARRAYS <= MAX_DEAD;
}

static const tirbi_ls *expand(void *context, const tirbi_ls *s) {
    expander *x = context;
    if (s->kind == TIRBI_LS_SEQ) return expand_sequence(x, s);
    const tirbi_ls *made = may_expand(x, s) ? expand_loop(x, s) : NULL;
    const bool rows = s->kind == TIRBI_LS_LOOP && s->as.loop.rows;
    return made ? made : rows ? s : tirbi_replace_inside(x->pool, s, expand, x);
}

const tirbi_ls *tirbi_expand_arrays(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    expander x = {.pool = pool, .work = MAX_WORK, .looks = MAX_LOOKS};
    return disabled & TIRB_PASS_CONTRACT ? body : expand(&x, body);
}

const tirbi_ls *tirbi_sum_many_rows(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    expander x = {.pool = pool, .work = MAX_WORK, .looks = MAX_LOOKS, .by_rows = true};
    return disabled & (TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE) ? body : expand(&x, body);
}
