/* An array or a variable belongs to an iteration where it is written as a whole before anything of it is read, and
 * nothing outside of the loop uses it. The loops become rows (rows/rows.c), for a block of which each statement is done
 * before the next one is, where the dependence graph allows that and some statement becomes a contraction of matrices,
 * or a sum along a row becomes lanes over the rows: each element keeps its order of updates (R1). */
#include "compiler/optimize/nests/expand.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/rewriting/fill.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/expand.h"
#include "compiler/pipeline/switches.h"

enum {
    MAX_PARTS = TIRBI_MAX_DISTRIBUTED,
    MAX_ARRAYS = TIRBI_MAX_EXPANDED,
    MAX_ACCESSES = 64,
    MAX_DEPTH = 32,
    MAX_WORK = 1 << 16,
    MAX_LOOKS = 4000,
    MAX_DEAD = 256
};

/* Iterations that are too few to gain by it. */
enum { FEW_ITERATIONS = 8 };

/* Iterations of a loop in a row that have memory for themselves, for many rows at once. */
enum { MOST_INSIDE = 1 << 14 };

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
    const tirbi_lx *few;  /* asks whether loops inside have few iterations, as each row has memory for all; or NULL */
    uint32_t disabled;
} expander;

typedef struct nest {
    expander *x;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE]; /* the common loops, those from `first` on are rows */
    uint32_t n_loops, first;
    tirbi_loop_set loops; /* those of rows */
    const tirbi_ls *parts[MAX_PARTS];
    uint32_t n_parts;
    bool in_sums, has_sums;            /* sums are parts by themselves; there are such */
    const tirbi_lbuf *own[MAX_ARRAYS]; /* allocated in each iteration */
    uint32_t n_own;
    const tirbi_lvar *begun[MAX_ARRAYS]; /* variables that begin inside of the part at hand */
    uint32_t n_begun;
    tirbi_expansion arrays;
    tirbi_reached accesses[MAX_ACCESSES]; /* by part */
    uint32_t n_accesses;
    tirbi_loop_set inner; /* the loops of a part around what is looked at */
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
        if (stores && tirbi_place_depends_on(items[i]->as.store.access, loop->as.loop.var))
            moves = true;
        else
            still = true;
    }
    return still && moves;
}

/* A statement in the loops; or where they are to be apart, the sums in it and what else it stores. */
static bool add_part(nest *n, const tirbi_ls *s) {
    tirbi_distribution parts;
    if (n->in_sums && stores_two_ways(s) && tirbi_distribute_loop(n->x->pool, s, true, NULL, &parts))
        n->has_sums = true;
    else
        parts = (tirbi_distribution){.item = {s}, .n = 1};
    if (parts.n > MAX_PARTS - n->n_parts) return false;
    for (uint32_t i = 0; i < parts.n; i++) n->parts[n->n_parts++] = parts.item[i];
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
    return n->n_parts >= 2 && n->has_sums == n->in_sums;
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
    for (uint32_t i = 0; i < n->arrays.n; i++)
        if (n->arrays.item[i].var && tirbi_lx_depends_on(x, n->arrays.item[i].var)) return true;
    return false;
}

/* What an array holds is not known to be a number of an element, as a variable's value may be. */
static bool takes_access(void *context, const tirbi_reached *a) {
    for (uint32_t d = 0; d < a->place->ndim; d++)
        if (needs_array(context, a->place->indices[d])) return false;
    return tirbi_is_proven(a->place);
}

/* A variable begins in the part that sets it, or is an array. */
static bool takes_set(nest *n, const tirbi_ls *s) {
    bool known = tirbi_is_expanded(&n->arrays, NULL, s->as.set.var);
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
    return s->kind != TIRBI_LS_SET || takes_set(n, s);
}

static bool note_part(nest *n, uint32_t part) {
    tirbi_accesses all = {.item = n->accesses,
                          .n = n->n_accesses,
                          .most = MAX_ACCESSES,
                          .part = (uint16_t)part,
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
        const bool begins = s->kind == TIRBI_LS_SET && s->as.set.declares;
        if (begins && !tirbi_add_expanded(&n->arrays, NULL, s->as.set.var)) return false;
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
            if (n->inner.n == TIRBI_MAX_AFFINE) return NULL;
            n->inner.var[n->inner.n++] = s->as.loop.var;
            s = s->as.loop.body;
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
    uint32_t dimension[TIRBI_MAX_AFFINE];
    n->inner.n = 0;
    const tirbi_ls *store = first_user(n, n->parts[part], buffer);
    if (!store || store->kind != TIRBI_LS_STORE || store->as.store.access->buffer != buffer ||
        tirbi_may_read(store->as.store.value, buffer) ||
        !tirbi_is_each_element(store->as.store.access, &n->inner, dimension))
        return false;
    for (uint32_t i = 0; i < n->inner.n; i++)
        if (dimension[i] == buffer->ndim && n->inner.var[i]->extent->lo < 1) return false;
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
        if (a->what == TIRBI_LOADS || tirbi_is_expanded(&n->arrays, b, NULL) || b->root != b || b->param >= 0 ||
            b->local || b->overlaps || b->broadcasts || b->ndim == 0 || b->ndim >= TIRBI_MAX_NDIM ||
            !is_used_here_alone(n, b))
            continue;
        for (uint32_t k = 0; k < n->n_accesses; k++)
            if (n->accesses[k].place->buffer->root == b && n->accesses[k].place->buffer != b) return false;
        if (!is_filled_first(n, b)) continue; /* each iteration may have elements of its own there */
        if (!tirbi_add_expanded(&n->arrays, b, NULL)) return false;
    }
    for (uint32_t i = 0; i < n->n_own; i++)
        if (!tirbi_is_expanded(&n->arrays, n->own[i], NULL)) return false;
    return true;
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

static bool is_product(expander *x, const tirbi_ls *s, int64_t *products) {
    tirbi_contract_plan plan;
    tirbi_distribution parts;
    if (s->kind != TIRBI_LS_LOOP) return false;
    if (tirbi_plan_contraction(x->pool, s, &plan)) return is_matrix(&plan, products);
    bool found = false;
    const uint32_t n = tirbi_distribute_contraction(x->pool, s, &parts) ? parts.n : 0;
    for (uint32_t i = 0; i < n && !found; i++)
        found = tirbi_plan_contraction(x->pool, parts.item[i], &plan) && is_matrix(&plan, products);
    return found;
}

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
static gain gain_of_lanes(expander *x, const tirbi_ls *part, const tirbi_ls *rows) {
    tirbi_nest plan;
    if ((x->disabled & (TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE)) || part->kind != TIRBI_LS_LOOP ||
        tirbi_nest_has_lanes(x->pool, part, TIRBI_NEST_ANY) ||
        !tirbi_plan_nest(x->pool, rows, TIRBI_NEST_INTERCHANGE, &plan))
        return STAYS;
    const bool calls = calls_functions(plan.plan);
    tirbi_drop_plan(x->pool, plan.plan);
    return calls ? LOSES : GAINS;
}

/* Whether a part becomes a product of matrices, or a larger one. */
static bool becomes_product(expander *x, const tirbi_ls *part, const tirbi_ls *rows) {
    int64_t before = 0, after = 0;
    return !(x->disabled & TIRB_PASS_CONTRACT) && is_product(x, rows, &after) &&
           (!is_product(x, part, &before) || before < LARGE_CONTRACTION);
}

static bool gains(const nest *n, const tirbi_distribution *parts) {
    bool lanes = false, calls = false, products = false;
    for (uint32_t i = 0; i < parts->n && !products; i++) {
        const tirbi_ls *rows = tirbi_in_loops(n->x->pool, n->loop + n->first, n->loops.n, parts->item[i]);
        if (!rows) return false;
        products = becomes_product(n->x, parts->item[i], rows);
        const gain found = gain_of_lanes(n->x, parts->item[i], rows);
        lanes = lanes || found == GAINS;
        calls = calls || found == LOSES;
    }
    return products || (lanes && !calls);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static bool is_of_loop(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOOP;
}

/* The innermost common loops whose iterations are rows: there are some of them, in arrays that begin with the first. Of
 * a triangle, rows are few for each iteration around it. */
static bool find_rows(nest *n) {
    int64_t rows = 1;
    for (n->first = n->n_loops; n->first > 0 && n->n_loops - n->first < TIRBI_MAX_ROW_LOOPS; n->first--) {
        const tirbi_lvar *var = n->loop[n->first - 1]->as.loop.var;
        if (!tirbi_lx_is_int(var->min, 0) || tirbi_any_expr(var->extent, TIRBI_WALK_INDICES, is_of_loop, NULL)) break;
        if (rows < FEW_ITERATIONS) rows *= var->extent->hi < FEW_ITERATIONS ? var->extent->hi : FEW_ITERATIONS;
    }
    for (uint32_t i = n->first; i < n->n_loops; i++) n->loops.var[n->loops.n++] = n->loop[i]->as.loop.var;
    return n->loops.n > 0 && rows >= FEW_ITERATIONS && !tirbi_has_lanes(n->x->pool, n->loop[n->first]) &&
           !tirbi_nest_has_lanes(n->x->pool, n->loop[n->first], TIRBI_NEST_ANY);
}

/* The parts behind the allocations. Those without loops that follow each other are one: they are lanes over the rows
 * alone. */
static const tirbi_ls *join_parts(const nest *n, const tirbi_distribution *parts) {
    const tirbi_ls *items[MAX_ARRAYS + MAX_PARTS], *last = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->arrays.n; i++)
        items[count++] = tirbi_new_alloc(n->x->pool, n->loop[0]->span, n->arrays.item[i].rows);
    for (uint32_t i = 0; i < parts->n; last = parts->item[i++]) {
        const tirbi_ls *s = parts->item[i];
        const bool follows = last && s->kind != TIRBI_LS_LOOP && last->kind != TIRBI_LS_LOOP;
        if (follows) s = tirbi_new_sequence(n->x->pool, s->span, (const tirbi_ls *[]){items[--count], s}, 2);
        items[count++] = s;
    }
    return tirbi_new_sequence(n->x->pool, n->loop[n->first]->span, items, count);
}

/* Each statement for many rows before the next one. */
static const tirbi_ls *in_rows(nest *n) {
    tirbi_lx_pool *pool = n->x->pool;
    tirbi_distribution parts;
    if (!find_rows(n) || !tirbi_make_rows(&n->arrays)) return NULL;
    for (uint32_t i = 0; i < n->n_parts; i++)
        if (!(n->parts[i] = tirbi_use_rows(&n->arrays, n->parts[i]))) return NULL;
    const tirbi_ls *body = tirbi_new_sequence(pool, n->loop[0]->span, n->parts, n->n_parts);
    if (!body || !tirbi_distribute(pool, n->loop + n->first, n->loops.n, body, &parts) || !gains(n, &parts))
        return NULL;
    tirbi_ls *rows = (tirbi_ls *)(uintptr_t)tirbi_in_loops(pool, n->loop + n->first, n->loops.n, join_parts(n, &parts));
    if (rows) rows->as.loop.rows = (uint8_t)n->loops.n;
    return tirbi_in_loops(pool, n->loop, n->first, rows);
}

/* What is made of the loops of a nest whose arrays are known. */
typedef const tirbi_ls *maker(nest *n);

static const tirbi_ls *make_nest(expander *x, const tirbi_ls *loop, bool in_sums, maker *make) {
    nest *n = TIRBI_NEW(x->pool->arena, nest);
    const tirbi_ls *made = NULL;
    if (!n) return NULL;
    n->x = x;
    n->in_sums = in_sums;
    n->arrays = (tirbi_expansion){.pool = x->pool, .loops = &n->loops};
    if (collect(n, loop) && !tirbi_contracts(x->pool, loop) && note_parts(n) && find_arrays(n)) made = make(n);
    for (uint32_t i = 0; made && i < n->arrays.n; i++)
        if (n->arrays.item[i].buffer) x->dead[x->n_dead++] = n->arrays.item[i].buffer;
    TIRBI_GIVE_BACK(x->pool->arena, n);
    return made;
}

/* The loop as rows, as it stands or with its sums as parts of their own. */
static const tirbi_ls *expand_loop(expander *x, const tirbi_ls *loop, bool in_sums) {
    return make_nest(x, loop, in_sums, in_rows);
}

/* ---- Loops in loops --------------------------------------------------------------------------------------------- */

/* One part in loops of its own. */
static const tirbi_ls *part_alone(const nest *n, const tirbi_ls *part) {
    tirbi_lx_pool *pool = n->x->pool;
    for (uint32_t i = n->n_loops; part && i-- > 0;)
        part = tirbi_loop_of(pool, n->loop[i], tirbi_variable_like(pool, n->loop[i]->as.loop.var), part);
    return part;
}

static bool asks_for_few(expander *x, const tirbi_lx *extent) {
    const tirbi_lx *few = tirbi_lx_with(x->pool, TIRB_OP_LE, extent, MOST_INSIDE);
    if (!few || tirbi_lx_is_int(few, 0)) return false;
    if (tirbi_lx_is_int(few, 1)) return true;
    x->few = x->few ? tirbi_lx_both(x->pool, TIRB_OP_AND, x->few, few) : few;
    return x->few != NULL;
}

/* Whether a part is the first value of what the next one sums. */
static bool begins_sum(const tirbi_ls *part, const tirbi_ls *next) {
    part = tirbi_only_part(part);
    next = tirbi_only_part(next);
    if (part->kind != TIRBI_LS_STORE || next->kind != TIRBI_LS_LOOP) return false;
    while (next->kind == TIRBI_LS_LOOP) next = tirbi_only_part(next->as.loop.body);
    return next->kind == TIRBI_LS_STORE && tirbi_same_place(next->as.store.access, part->as.store.access);
}

/* Each statement in loops of its own, with arrays of all that their iterations have for themselves. */
static const tirbi_ls *in_parts(nest *n) {
    tirbi_lx_pool *pool = n->x->pool;
    tirbi_distribution parts;
    const tirbi_ls *items[MAX_ARRAYS + MAX_PARTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->n_loops; i++) {
        tirbi_lvar *var = n->loop[i]->as.loop.var;
        if (!tirbi_lx_is_int(var->min, 0) || tirbi_any_expr(var->extent, TIRBI_WALK_INDICES, is_of_loop, NULL))
            return NULL;
        n->loops.var[n->loops.n++] = var;
        if (!asks_for_few(n->x, var->extent)) return NULL;
    }
    if (n->arrays.n == 0 || !tirbi_make_rows(&n->arrays)) return NULL;
    for (uint32_t i = 0; i < n->n_parts; i++)
        if (!(n->parts[i] = tirbi_use_rows(&n->arrays, n->parts[i]))) return NULL;
    const tirbi_ls *body = tirbi_new_sequence(pool, n->loop[0]->span, n->parts, n->n_parts);
    if (!body || !tirbi_distribute(pool, n->loop, n->n_loops, body, &parts)) return NULL;
    for (uint32_t i = 0; i < n->arrays.n; i++)
        items[count++] = tirbi_new_alloc(pool, n->loop[0]->span, n->arrays.item[i].rows);
    for (uint32_t i = 0; i < parts.n; i++) {
        const tirbi_ls *part = parts.item[i];
        if (i + 1 < parts.n && begins_sum(part, parts.item[i + 1])) {
            const tirbi_ls *both[] = {part, parts.item[++i]};
            part = tirbi_new_sequence(pool, part->span, both, 2);
        }
        if (!(items[count++] = part_alone(n, part))) return NULL;
    }
    return tirbi_new_sequence(pool, n->loop[0]->span, items, count);
}

static bool has_sums_inside(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_LOOP && s->as.loop.body->kind == TIRBI_LS_SEQ &&
           tirbi_has_kind(s->as.loop.body, TIRBI_KIND(LOOP));
}

/* The loops as rows, of which each has loops that do several things in each iteration: these are taken apart before. */
static const tirbi_ls *expand_in_parts(expander *x, const tirbi_ls *loop) {
    const tirbi_ls *loops[TIRBI_MAX_AFFINE], *items[MAX_PARTS];
    tirbi_loop_set vars;
    uint32_t n = 0;
    bool apart = false;
    const uint32_t dead = x->n_dead;
    x->few = NULL;
    const tirbi_ls *body = tirbi_perfect_nest(loop, TIRBI_MAX_AFFINE, loops, &vars);
    if (vars.n == 0 || !tirbi_list_statements(body, items, &n, MAX_PARTS) || n < 2) return NULL;
    body = tirbi_new_sequence(x->pool, body->span, items, n);
    frame here = {.seq = body, .around = x->frames};
    if (!body) return NULL;
    x->frames = &here;
    for (here.at = 0; here.at < n; here.at++) {
        const tirbi_ls *made = has_sums_inside(items[here.at]) ? make_nest(x, items[here.at], false, in_parts) : NULL;
        if (!made) continue;
        items[here.at] = made;
        apart = true;
    }
    x->frames = here.around;
    body = apart ? tirbi_new_sequence(x->pool, body->span, items, n) : NULL;
    const tirbi_ls *made = body ? expand_loop(x, tirbi_in_loops(x->pool, loops, vars.n, body), false) : NULL;
    if (made && x->few) {
        tirbi_lvar *fresh = tirbi_can_resolve(loop) ? tirbi_variable_like(x->pool, loop->as.loop.var) : NULL;
        const tirbi_ls *plain = fresh ? tirbi_loop_of(x->pool, loop, fresh, loop->as.loop.body) : NULL;
        made = plain ? tirbi_new_if(x->pool, loop->span, x->few, made, plain) : NULL;
    }
    if (!made || x->few) x->n_dead = dead; /* the loop as it was has them as they were */
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
    const tirbi_ls *made = NULL;
    for (int in_sums = 0; in_sums < 2 && !made && may_expand(x, s); in_sums++) made = expand_loop(x, s, in_sums);
    if (!made && may_expand(x, s)) made = expand_in_parts(x, s);
    const bool rows = s->kind == TIRBI_LS_LOOP && s->as.loop.rows;
    return made ? made : rows ? s : tirbi_replace_inside(x->pool, s, expand, x);
}

const tirbi_ls *tirbi_expand_arrays(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    expander x = {.pool = pool, .work = MAX_WORK, .looks = MAX_LOOKS, .disabled = disabled};
    return expand(&x, body);
}
