/* Planning regions: see regions.h. */
#include "compiler/optimize/threads/regions.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/rows.h"
#include "compiler/pipeline/switches.h"

#include <string.h>

/* A chunk of a loop that the program calls parallel may be smaller: its team is likely awake. In picoseconds. */
enum { MAX_PLACES = 256, MAX_ROOTS = 64, MAX_LIVE = 200, MAX_DECLARED = 256, MAX_NEST = 8 };
enum { CHUNK_COST = 12000000, PARALLEL_CHUNK_COST = 3000000 };
/* Each chunk of a contraction packs its operands anew: there are few. Where its loop is no matter to one of them, which
 * all chunks pack whole, a chunk has as many iterations as fill a tile. */
enum { CONTRACTION_CHUNKS = 4, TILE_ROWS = 16 };

typedef struct walk {
    tirbi_lx_pool *pool;
    const tirbi_lmodule *module;
    tirbi_lvar *nest[MAX_NEST]; /* the loops of the perfect nest whose bounds are known before it, outermost first */
    bool parallel[MAX_NEST]; /* the program says so */
    uint32_t n_nest;
    tirbi_loop_set loops; /* all of them */
    const tirbi_place *places[MAX_PLACES];
    uint32_t n_places;
    tirbi_region_root roots[MAX_ROOTS];
    uint32_t n_roots;
    tirbi_lbuf *own[MAX_ROOTS]; /* allocated inside */
    uint32_t n_own;
    tirbi_lvar *live[MAX_LIVE];
    uint32_t n_live;
    tirbi_lvar *declared[MAX_DECLARED]; /* inside, loops excepted */
    uint32_t n_declared;
    const char *irregular; /* why no loop of the nest can be a region's */
} walk;

/* ---- What a nest reaches -------------------------------------------------------------------------------------- */

static const char too_large[] = "it is too large to be looked through";

static void declare(walk *w, tirbi_lvar *var) {
    if (w->n_declared == MAX_DECLARED) w->irregular = too_large;
    else w->declared[w->n_declared++] = var;
}

static void declare_loop(walk *w, tirbi_lvar *var) {
    if (w->loops.n == TIRBI_MAX_AFFINE) w->irregular = too_large;
    else w->loops.var[w->loops.n++] = var;
}

static void use(walk *w, tirbi_lvar *var) {
    if (tirbi_is_listed(var, w->loops.var, w->loops.n) || tirbi_is_listed(var, w->declared, w->n_declared)) return;
    if (tirbi_is_listed(var, w->live, w->n_live)) return;
    if (w->n_live == MAX_LIVE) w->irregular = too_large;
    else w->live[w->n_live++] = var;
}

/* The row of a root; NULL for what the region allocates itself, and when there are too many. */
static tirbi_region_root *row_of(walk *w, tirbi_lbuf *root) {
    for (uint32_t i = 0; i < w->n_own; i++) {
        if (w->own[i] == root) return NULL;
    }
    for (uint32_t i = 0; i < w->n_roots; i++) {
        if (w->roots[i].root == root) return &w->roots[i];
    }
    if (w->n_roots == MAX_ROOTS) {
        w->irregular = too_large;
        return NULL;
    }
    w->roots[w->n_roots] = (tirbi_region_root){.root = root};
    return &w->roots[w->n_roots++];
}

static void note_place(walk *w, const tirbi_place *place, bool written) {
    tirbi_region_root *row = row_of(w, place->buffer->root);
    if (!row) return;
    row->written = row->written || written;
    for (uint32_t i = 0; i < w->n_places; i++) {
        if (w->places[i] == place) return;
    }
    if (w->n_places == MAX_PLACES) w->irregular = too_large;
    else w->places[w->n_places++] = place;
}

/* A sum in a variable is no memory. */
static bool come_to_place(tirbi_walk *v, const tirbi_place *place, const tirbi_lx *load) {
    walk *w = v->context;
    const tirbi_lvar *local = !load && v->at->kind == TIRBI_LS_TREE ? place->buffer->local : NULL;
    if (!local)
        note_place(w, place, !load);
    else if (!tirbi_is_listed(local, w->declared, w->n_declared))
        w->irregular = "its iterations pass a sum on";
    return !w->irregular;
}

/* Functions of the module may read what is not written here and do what they like with what is allocated here. What the
 * host's functions do nobody knows, and any function may call them. */
static void note_call(walk *w, const tirbi_lcall *call) {
    if (call->op) { /* handles belong to the call, of which a chunk is a part */
        if (call->op != TIRB_OP_TRAP) w->irregular = "it looks at references as values, or hands them out";
        return;
    }
    if (call->imported || w->module->n_imports > 0) {
        w->irregular = "it may call a function of the host";
        return;
    }
    const tirbi_lfunc *callee = &w->module->functions[call->function];
    uint32_t r = 0;
    for (uint32_t i = 0; i < callee->ast->n_params && r < call->n_refs; i++) {
        if (!callee->param_buffers[i]) continue;
        const tirbi_lcall_ref *ref = &call->refs[r++];
        if (ref->start) note_place(w, ref->start, callee->param_buffers[i]->written);
        if (row_of(w, ref->buffer) && (ref->buffer->written || callee->param_buffers[i]->written))
            w->irregular = "it calls a function with a buffer that is written";
    }
}

static tirbi_step come_to_value(tirbi_walk *v, const tirbi_lx *x) {
    walk *w = v->context;
    if (x->kind == TIRBI_LX_VAR) use(w, x->var);
    if (x->kind == TIRBI_LX_CALL) note_call(w, x->call);
    return w->irregular ? TIRBI_STOP : TIRBI_INTO;
}

static void note_set(walk *w, const tirbi_ls *s) {
    if (s->as.set.declares) declare(w, s->as.set.var);
    else if (!tirbi_is_listed(s->as.set.var, w->declared, w->n_declared))
        w->irregular = "its iterations pass a variable on";
}

static tirbi_step come_to_stmt(tirbi_walk *v, const tirbi_ls *s) {
    walk *w = v->context;
    switch (s->kind) {
    case TIRBI_LS_LOOP:
        declare_loop(w, s->as.loop.var);
        break;
    case TIRBI_LS_SET:
        note_set(w, s);
        break;
    case TIRBI_LS_ALLOC:
        if (w->n_own == MAX_ROOTS) w->irregular = too_large;
        else w->own[w->n_own++] = s->as.alloc.buffer;
        break;
    case TIRBI_LS_TREE:
        for (uint32_t i = 0; i < s->as.tree.n_loops; i++) declare_loop(w, s->as.tree.loops[i]);
        break;
    case TIRBI_LS_SEARCH:
    case TIRBI_LS_FETCH:
    case TIRBI_LS_RETURN:
        w->irregular = "it may be left early";
        break;
    default:
        break;
    }
    return w->irregular ? TIRBI_STOP : TIRBI_INTO;
}

/* The loops of the perfect nest whose bounds depend on none of them: any of them may be the region's. */
static void walk_nest(walk *w, const tirbi_ls *s) {
    tirbi_walk all = {
        .context = w, .stmt = come_to_stmt, .expr = come_to_value, .access = come_to_place, .reach = TIRBI_WALK_ALL};
    while (s->kind == TIRBI_LS_LOOP && !s->as.loop.step && w->n_nest < MAX_NEST) {
        tirbi_lvar *var = s->as.loop.var;
        if (!tirbi_is_bounded_before(&w->loops, var)) break;
        w->parallel[w->n_nest] = s->as.loop.parallel;
        w->nest[w->n_nest++] = var;
        tirbi_walk_expr(&all, var->min);
        tirbi_walk_expr(&all, var->extent);
        declare_loop(w, var);
        s = s->as.loop.body;
    }
    if (tirbi_walk_stmt(&all, s) && tirbi_leaves_loop(s)) w->irregular = "it may be left early";
}

/* ---- Parts by a dimension ------------------------------------------------------------------------------------- */

static bool is_varying(const void *context, const tirbi_lx *x) {
    const walk *w = context;
    if (x->kind == TIRBI_LX_VAR)
        return tirbi_is_listed(x->var, w->loops.var, w->loops.n) || tirbi_is_listed(x->var, w->declared, w->n_declared);
    return x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL;
}

static bool steady(const walk *w, const tirbi_lx *x) {
    return x->pure && !x->traps && x->size <= TIRBI_MAX_SHARED_SIZE && !tirbi_any_expr(x, 0, is_varying, w);
}

/* Whether a step in dimension d passes over all elements that the dimensions behind it reach. */
static bool nested(walk *w, const tirbi_lbuf *b, uint32_t d) {
    if (b->overlaps || b->ndim == 0 || !tirbi_lx_is_int(b->strides[b->ndim - 1], 1)) return false;
    for (uint32_t k = d; k + 1 < b->ndim; k++) {
        if (b->strides[k] != tirbi_lx_mul(w->pool, b->strides[k + 1], b->shape[k + 1])) return false;
    }
    return steady(w, b->strides[d]);
}

/* An index as start + offset + c * (iterations of the region's loop) + what other loops add, from low up to high. */
typedef struct slab {
    const tirbi_lx *start; /* NULL: 0 */
    int64_t low, high, c;
} slab;

/* Adds what a loop with coefficient c contributes. */
static bool widen(slab *s, const tirbi_lvar *var, int64_t c) {
    int64_t reach;
    if (var->extent->hi < 1) return true;
    return !__builtin_mul_overflow(var->extent->hi - 1, c, &reach) &&
           !__builtin_add_overflow(c < 0 ? s->low : s->high, reach, c < 0 ? &s->low : &s->high);
}

static bool slab_of(walk *w, const tirbi_place *place, uint32_t d, const tirbi_lvar *var, slab *out) {
    tirbi_affine form;
    *out = (slab){.start = NULL};
    if (place->indices[d]->lo < 0 || !tirbi_affine_index(w->pool, place, d, &w->loops, &form) ||
        !steady(w, form.start))
        return false;
    const tirbi_lx *start = form.start;
    if (start->kind == TIRBI_LX_CONST) {
        out->low = out->high = start->value;
    } else if (start->kind == TIRBI_LX_OP && start->op == TIRB_OP_ADD && start->args[1]->kind == TIRBI_LX_CONST) {
        out->start = start->args[0];
        out->low = out->high = start->args[1]->value;
    } else {
        out->start = start;
    }
    for (uint32_t i = 0; i < w->loops.n; i++) {
        int64_t c;
        if (!tirbi_affine_constant(&form, i, &c)) return false;
        if (w->loops.var[i] == var) out->c = c;
        else if (c != 0 && !widen(out, w->loops.var[i], c)) return false;
    }
    return out->c > 0;
}

/* The first dimension of a place that is not steady; ndim if there is none. What is behind it stays in the same slab,
 * for every index is checked against its own dimension. */
static uint32_t moving_dimension(walk *w, const tirbi_place *place) {
    uint32_t d = 0;
    while (d < place->ndim && steady(w, place->indices[d]) && place->indices[d]->lo >= 0) d++;
    return d;
}

static bool same_lead(const tirbi_place *a, const tirbi_place *b, uint32_t d) {
    for (uint32_t k = 0; k < d; k++) {
        if (a->indices[k] != b->indices[k]) return false;
    }
    return true;
}

/* Parts are slabs of one dimension: all accesses are in c rows of it, and c rows on are those of the next iteration. */
static bool by_dimension(walk *w, tirbi_region_root *row, const tirbi_lvar *var) {
    const tirbi_place *first = NULL;
    uint32_t d = 0;
    slab all = {.start = NULL};
    for (uint32_t i = 0; i < w->n_places; i++) {
        const tirbi_place *place = w->places[i];
        slab s;
        if (place->buffer->root != row->root) continue;
        if (!first) d = moving_dimension(w, place);
        if (d == place->ndim || (first && (place->buffer != first->buffer || moving_dimension(w, place) != d)) ||
            (first && !same_lead(place, first, d)) || !slab_of(w, place, d, var, &s)) {
            return false;
        }
        if (!first) {
            first = place;
            all = s;
        }
        if (s.start != all.start || s.c != all.c) return false;
        if (s.low < all.low) all.low = s.low;
        if (s.high > all.high) all.high = s.high;
    }
    int64_t rows;
    if (!first || !nested(w, first->buffer, d) || __builtin_sub_overflow(all.high, all.low, &rows) || rows >= all.c)
        return false;
    const tirbi_lbuf *b = first->buffer;
    tirbi_lx_pool *pool = w->pool;
    if (b->offset && (!steady(w, b->offset) || b->offset->lo < 0)) return false;
    const tirbi_lx *at = tirbi_lx_number(pool, all.low);
    if (all.start) at = tirbi_lx_add(pool, all.start, at);
    row->base = tirbi_lx_mul(pool, at, b->strides[d]);
    if (b->offset) row->base = tirbi_lx_add(pool, row->base, b->offset);
    for (uint32_t k = 0; k < d; k++)
        row->base = tirbi_lx_add(pool, row->base, tirbi_lx_mul(pool, first->indices[k], b->strides[k]));
    row->stride = tirbi_lx_mul(pool, tirbi_lx_number(pool, all.c), b->strides[d]);
    row->extent = tirbi_lx_mul(pool, tirbi_lx_number(pool, rows + 1), b->strides[d]);
    return row->base && row->stride && row->extent;
}

/* ---- Parts of flat memory ------------------------------------------------------------------------------------- */

/* Whether the terms of a form (those of `left`, bit per loop) reach less than c: the largest reaches just c and the
 * others less than its own step, or all are constants. */
static bool fits(walk *w, const tirbi_affine *form, uint64_t left, const tirbi_lx *c) {
    int64_t reach = 0;
    bool constants = c->kind == TIRBI_LX_CONST;
    for (uint32_t i = 0; i < w->loops.n && constants; i++) {
        int64_t step, way, extent = w->loops.var[i]->extent->hi;
        if (!(left >> i & 1)) continue;
        constants = tirbi_affine_constant(form, i, &step) && step >= 0 &&
                    !__builtin_mul_overflow(extent > 0 ? extent - 1 : 0, step, &way) &&
                    !__builtin_add_overflow(reach, way, &reach);
    }
    if (constants && reach < c->value) return true;
    if (left == 0) return c->lo >= 1;
    for (uint32_t i = 0; i < w->loops.n; i++) {
        if (!(left >> i & 1)) continue;
        const tirbi_lx *step = form->coefficient[i], *extent = w->loops.var[i]->extent;
        if (!steady(w, extent)) continue;
        bool whole = tirbi_lx_mul(w->pool, step, extent) == c || tirbi_lx_mul(w->pool, extent, step) == c;
        if (whole && fits(w, form, left & ~(UINT64_C(1) << i), step)) return true;
    }
    return false;
}

static bool by_memory(walk *w, tirbi_region_root *row, const tirbi_lvar *var) {
    tirbi_affine first = {.start = NULL};
    bool any = false;
    uint32_t own = 0;
    while (own < w->loops.n && w->loops.var[own] != var) own++;
    for (uint32_t i = 0; i < w->n_places; i++) {
        tirbi_affine form;
        uint64_t left = 0;
        if (w->places[i]->buffer->root != row->root) continue;
        if (!tirbi_affine_number(w->pool, w->places[i], &w->loops, &form)) return false;
        if (!form.coefficient[own] || !steady(w, form.start) || form.start->lo < 0) return false;
        for (uint32_t k = 0; k < w->loops.n; k++) {
            if (!form.coefficient[k] || k == own) continue;
            if (form.coefficient[k]->lo < 0 || tirbi_any_expr(form.coefficient[k], 0, is_varying, w)) return false;
            left |= UINT64_C(1) << k;
        }
        if (!any) first = form;
        any = true;
        if (form.start != first.start || form.coefficient[own] != first.coefficient[own]) return false;
        if (!steady(w, form.coefficient[own]) || !fits(w, &form, left, form.coefficient[own])) return false;
    }
    if (!any) return false;
    row->base = first.start;
    row->stride = row->extent = first.coefficient[own];
    return row->stride->lo >= 0;
}

/* ---- The plan ------------------------------------------------------------------------------------------------- */

/* NULL when what each iteration of a loop writes lies apart, else why that is not known. */
static const char *parts_of(walk *w, const tirbi_lvar *var) {
    bool writes = false;
    for (uint32_t i = 0; i < w->n_roots; i++) {
        tirbi_region_root *row = &w->roots[i];
        if (!row->written) continue;
        writes = true;
        for (uint32_t k = 0; k < w->n_roots; k++) {
            if (k != i && tirbi_may_meet(row->root, w->roots[k].root))
                return tirbi_arena_format(w->pool->arena, "'%s' and '%s' may share memory", row->root->name,
                                          w->roots[k].root->name);
        }
        if (!by_dimension(w, row, var) && !by_memory(w, row, var))
            return tirbi_arena_format(w->pool->arena, "its iterations are not known to have parts of '%s' of their own",
                                      row->root->name);
    }
    return writes ? NULL : "it writes no memory";
}

static void *copy_of(tirbi_arena *arena, const void *items, uint32_t n, size_t size) {
    void *copy = tirbi_arena_alloc(arena, n, size);
    if (copy && n) memcpy(copy, items, n * size);
    return copy;
}

static void keep_places(walk *w, tirbi_region_plan *plan) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_places; i++) {
        const tirbi_region_root *row = row_of(w, w->places[i]->buffer->root);
        if (row && row->written) w->places[n++] = w->places[i];
    }
    plan->places = copy_of(w->pool->arena, w->places, n, sizeof(w->places[0]));
    plan->n_places = n;
}

/* How many chunks a nest that costs enough for two is cut into: x / chunk, and an even number of them, for with 11 one
 * of two threads does 6 while the other waits. */
static const tirbi_lx *even_chunks(tirbi_lx_pool *pool, const tirbi_lx *x, int64_t chunk) {
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *even = tirbi_lx_number(pool, -2);
    const tirbi_lx *n = tirbi_lx_with(pool, TIRB_OP_DIV, x, chunk);
    if (n) n = tirbi_lx_wide(pool, TIRB_OP_ADD, n, one);
    return tirbi_lx_wide(pool, TIRB_OP_AND, n, even);
}

/* What the whole nest costs is known only when it runs: x * factor, where x is at least `enough` if the nest is worth
 * two chunks, so that neither needs the product. */
static bool judge_at_run_time(walk *w, const tirbi_lvar *var, const tirbi_lx *cost, int64_t chunk,
                              tirbi_region_plan *plan) {
    tirbi_lx_pool *pool = w->pool;
    const tirbi_lx *x = cost;
    int64_t enough = 2 * chunk;
    if (cost->kind == TIRBI_LX_OP && cost->op == TIRB_OP_MUL && cost->args[1]->kind == TIRBI_LX_CONST &&
        cost->args[1]->value > 0 && cost->args[1]->value <= chunk) {
        x = cost->args[0];
        enough = (enough - 1) / cost->args[1]->value + 1;
        chunk /= cost->args[1]->value;
    }
    plan->worth = tirbi_lx_with(pool, TIRB_OP_GE, x, enough);
    const tirbi_lx *chunks = even_chunks(pool, x, chunk);
    if (!chunks) return false;
    plan->grain = tirbi_lx_wide(pool, TIRB_OP_DIV, var->extent, chunks);
    return plan->worth && plan->grain;
}

/* Whether all iterations of a loop read the same elements of some array. */
static bool shares_operand(const walk *w, tirbi_lvar *var) {
    const tirbi_loop_set loop = {.var = {var}, .n = 1};
    for (uint32_t i = 0; i < w->n_places; i++)
        if (!tirbi_mentions_loops(w->places[i]->flat, &loop)) return true;
    return false;
}

/* Whether a loop is the innermost of rows. */
static bool is_last_of_rows(const tirbi_ls *loop, const tirbi_lvar *var) {
    for (uint32_t l = loop->as.loop.rows; l-- > 1 && loop->kind == TIRBI_LS_LOOP;) loop = loop->as.loop.body;
    return loop->kind == TIRBI_LS_LOOP && loop->as.loop.var == var;
}

static bool few_chunks(walk *w, const tirbi_ls *loop, tirbi_lvar *var, uint32_t disabled,
                       tirbi_region_plan *plan) {
    if (disabled & TIRB_PASS_CONTRACT) return plan->grain != NULL;
    if (loop->as.loop.rows && is_last_of_rows(loop, var)) {
        const int64_t least = tirbi_least_rows(w->pool, loop);
        if (least > 1)
            plan->grain = tirbi_lx_with(w->pool, TIRB_OP_MAX, plan->grain, least);
        return plan->grain && (least == 1 || var->extent->hi >= 2 * least);
    }
    if (!tirbi_contracts(w->pool, loop)) return plan->grain != NULL;
    const tirbi_lx *share = tirbi_lx_with(w->pool, TIRB_OP_DIV, var->extent, CONTRACTION_CHUNKS);
    plan->grain = tirbi_lx_wide(w->pool, TIRB_OP_MAX, plan->grain, share);
    if (plan->grain && var->extent->kind == TIRBI_LX_CONST && shares_operand(w, var)) {
        const int64_t half = var->extent->value / 2;
        const tirbi_lx *rows = tirbi_lx_number(w->pool, half < TILE_ROWS ? half : TILE_ROWS);
        plan->grain = tirbi_lx_wide(w->pool, TIRB_OP_MAX, plan->grain, rows);
    }
    return plan->grain != NULL;
}

/* Whether a loop's iterations are lanes that go through loops of their own. */
static bool are_lanes_of_rows(walk *w, const tirbi_ls *loop, const tirbi_lvar *var) {
    tirbi_nest nest;
    if (loop->as.loop.rows) return loop->as.loop.rows == 1 && !tirbi_has_kind(loop, TIRBI_KIND(TREE));
    if (!tirbi_plan_nest(w->pool, loop, TIRBI_NEST_INTERCHANGE, &nest))
        nest.plan = tirbi_has_kind(loop->as.loop.body, TIRBI_KIND(LOOP)) ? tirbi_plan_in_order(w->pool, loop) : NULL;
    const bool are = nest.plan && nest.plan->loops.var[0] == var && nest.plan->loops.n > 1;
    tirbi_drop_plan(w->pool, nest.plan);
    return are;
}

/* Few lanes take about as long as those that are done together: chunks are half of these at least. */
static bool long_chunks(walk *w, const tirbi_ls *loop, const tirbi_lvar *var, tirbi_region_plan *plan) {
    enum { LEAST = TIRBI_LANE_ROWS / 2 };
    tirbi_lx_pool *pool = w->pool;
    if (plan->grain->lo >= TIRBI_LANE_ROWS || !are_lanes_of_rows(w, loop, var)) return true;
    const int64_t rows = var->extent->lo >= 2 * TIRBI_LANE_ROWS ? TIRBI_LANE_ROWS : LEAST;
    const tirbi_lx *least = tirbi_lx_number(pool, rows);
    plan->grain = tirbi_lx_wide(pool, TIRB_OP_MAX, plan->grain, least);
    return plan->grain && var->extent->hi > LEAST;
}

/* Chunks take some time at least, the last ones of a nest excepted. False when that leaves one chunk, whatever runs. */
static bool judge(walk *w, const tirbi_ls *loop, tirbi_lvar *var, bool parallel, uint32_t disabled,
                  tirbi_region_plan *plan) {
    plan->worth = NULL;
    plan->grain = tirbi_lx_number(w->pool, 1);
    if (disabled & TIRB_PASS_GRAIN) return plan->grain && var->extent->hi > 1;
    int64_t chunk = parallel ? PARALLEL_CHUNK_COST : CHUNK_COST;
    const tirbi_lx *cost = tirbi_statement_cost(w->pool, loop, disabled);
    if (!cost || !steady(w, cost) || var->extent->hi < 2 || cost->hi / 2 < chunk) return false;
    if (cost->kind != TIRBI_LX_CONST || var->extent->kind != TIRBI_LX_CONST)
        return judge_at_run_time(w, var, cost, chunk, plan) && few_chunks(w, loop, var, disabled, plan) &&
               long_chunks(w, loop, var, plan);
    int64_t chunks = cost->value / chunk + (cost->value / chunk & 1);
    if (chunks < var->extent->value) plan->grain = tirbi_lx_number(w->pool, var->extent->value / chunks);
    return few_chunks(w, loop, var, disabled, plan) && long_chunks(w, loop, var, plan);
}

/* Chooses the outermost loop that can be. */
static bool choose(walk *w, const tirbi_ls *loop, uint32_t disabled, tirbi_region_plan *plan, const char **why) {
    bool parallel = false;
    for (uint32_t i = 0; i < w->n_nest; i++) parallel = parallel || w->parallel[i];
    for (uint32_t i = 0; i < w->n_nest; i++) {
        const bool in_order = i == 0 || tirbi_fails_alike(loop);
        const char *reason = in_order ? parts_of(w, w->nest[i]) : "what fails first in the loops around it tells";
        if (!reason && judge(w, loop, w->nest[i], parallel, disabled, plan)) {
            plan->loop = w->nest[i];
            return true;
        }
        if (!*why && w->parallel[i] == parallel) *why = reason ? reason : "it has too little work for two threads";
    }
    return false;
}

static bool finish(walk *w, tirbi_region_plan *plan) {
    tirbi_arena *arena = w->pool->arena;
    tirbi_walk all = {.context = w, .expr = come_to_value};
    for (uint32_t i = 0; i < w->n_roots; i++) {
        if (!w->roots[i].written) continue;
        tirbi_walk_expr(&all, w->roots[i].base);
        tirbi_walk_expr(&all, w->roots[i].stride);
    }
    keep_places(w, plan);
    plan->roots = copy_of(arena, w->roots, w->n_roots, sizeof(w->roots[0]));
    plan->n_roots = w->n_roots;
    plan->live = copy_of(arena, w->live, w->n_live, sizeof(w->live[0]));
    plan->n_live = w->n_live;
    plan->inner = copy_of(arena, w->declared, w->n_declared, sizeof(w->declared[0]));
    plan->n_inner = w->n_declared;
    plan->own = copy_of(arena, w->own, w->n_own, sizeof(w->own[0]));
    plan->n_own = w->n_own;
    return plan->places && plan->roots && plan->live && plan->inner && plan->own && !w->irregular;
}

static bool plan_region(walk *w, const tirbi_ls *loop, uint32_t disabled, tirbi_region_plan *plan, const char **why) {
    walk_nest(w, loop);
    if (w->irregular || w->n_nest == 0) {
        *why = w->irregular ? w->irregular : "its bounds are not known before it begins";
        return false;
    }
    if (!choose(w, loop, disabled, plan, why)) return false;
    bool done = finish(w, plan);
    *why = w->irregular;
    return done;
}

const tirbi_region_plan *tirbi_plan_region(tirbi_lx_pool *pool, const tirbi_lmodule *module, const tirbi_ls *loop,
                                           uint32_t disabled, const char **why) {
    walk *w = TIRBI_NEW(pool->arena, walk);
    tirbi_region_plan *plan = TIRBI_NEW(pool->arena, tirbi_region_plan);
    *why = NULL;
    if (!w || !plan) return NULL;
    w->pool = pool;
    w->module = module;
    const bool done = plan_region(w, loop, disabled, plan, why);
    TIRBI_GIVE_BACK(pool->arena, w);
    if (!done) TIRBI_GIVE_BACK(pool->arena, plan);
    return done ? plan : NULL;
}
