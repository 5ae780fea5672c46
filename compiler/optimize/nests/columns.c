/* A loop whose iterations keep to columns of their own, around loops along these columns: recurrences down a matrix.
 * Every statement may then do all columns before the next one does any, so that the columns become lanes and each inner
 * loop runs once. Every element still receives its updates in program order (rule R1), for all are of one column. */
#include "compiler/optimize/nests/columns.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/distribute.h"

/* Columns that are lanes around a loop along them. Rows that are longer than a block of lanes are gone through in
 * parts, far from each other: only few of them, which stay in a near cache. */
enum { LEAST_ROWS = 4, MOST_COLUMNS = 512, BLOCK = 512, NEAR = 1 << 18 };
/* So few columns, as the channels of a sound or a pixel, are better gone down one by one, where they are long. */
enum { FEW_COLUMNS = 4, LONG_COLUMN = 32 };

typedef struct mover {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own; /* its variable */
    tirbi_roots stored; /* memory that it stores to */
    tirbi_inwards as;   /* what it has to become */
} mover;

/* ---- The iterations --------------------------------------------------------------------------------------------- */

/* What may fail in another way than by an index stays where it is: another error might be the first one. */
static bool may_move(void *context, const tirbi_lx *x) {
    (void)context;
    return !(x->kind == TIRBI_LX_OP && (tirbi_ops[x->op].flags & TIRBI_FLAG_TRAP) && x->traps &&
             !tirbi_dtype_is_float((tirbi_dtype)x->optype));
}

static bool is_of_columns(void *context, const tirbi_ls *s) {
    const mover *m = context;
    const tirbi_lvar *var = s->kind == TIRBI_LS_LOOP ? s->as.loop.var : NULL;
    if (var)
        return tirbi_has_plain_bounds(var) && !tirbi_mentions_loops(var->min, &m->own) &&
               !tirbi_mentions_loops(var->extent, &m->own);
    return s->kind != TIRBI_LS_SET ||
           (m->as == TIRBI_INWARDS_ALONG && s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET &&
            !tirbi_lx_depends_on(s->as.set.value, m->own.var[0]));
}

/* Whether the loop's iterations have columns of their own, which they write. */
static bool keeps_to_columns(mover *m) {
    const tirbi_ls *body = m->loop->as.loop.body;
    tirbi_accesses all = {
        .kinds = TIRBI_NESTS & ~TIRBI_KIND(IF), .context = m, .stmt = is_of_columns, .value = may_move};
    return tirbi_find_accesses(&all, body) && tirbi_find_stored(&m->stored, body, TIRBI_MAX_ROOTS) &&
           m->stored.n > 0 && tirbi_is_parallel(m->pool, m->loop);
}

/* ---- The loops anew ---------------------------------------------------------------------------------------------- */

static const tirbi_ls *around(mover *m, const tirbi_ls *loop, const tirbi_ls *body) {
    tirbi_ls *copy = tirbi_loop_like(m->pool, loop, NULL, body);
    if (!copy) return NULL;
    copy->as.loop.parallel = false; /* the loop itself was asked for chunks */
    return copy;
}

/* Whether lanes write one element after the other, and read along rows where that is asked for. */
static bool goes_along(const mover *m, const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *c = &plan->cursors[i];
        int64_t step;
        const bool known = tirbi_affine_constant(&c->form, 0, &step), writes = c->access & TIRBI_WRITE;
        if ((writes || m->as == TIRBI_INWARDS_ALONG) && !(known && (step == 1 || (step == 0 && !writes)))) return false;
    }
    return m->as != TIRBI_INWARDS_ALONG || !tirbi_lanes_do(plan, TIRB_OP_VLOADX);
}

/* A loop like this one with a variable of its own around a statement. */
static const tirbi_ls *with_own_variable(mover *m, const tirbi_ls *s) {
    tirbi_lvar *var = tirbi_can_resolve(s) ? tirbi_variable_like(m->pool, m->own.var[0]) : NULL;
    return tirbi_loop_of(m->pool, m->loop, var, s);
}

/* The columns as lanes around code, where that is worth it. */
static const tirbi_ls *in_lanes(mover *m, const tirbi_ls *code) {
    if (m->as == TIRBI_INWARDS_ANY) return with_own_variable(m, code);
    const tirbi_ls *loop = around(m, m->loop, code);
    const tirbi_lane_plan *plan = loop ? tirbi_plan_lanes(m->pool, loop) : NULL;
    return plan && goes_along(m, plan) ? loop : NULL;
}

static const tirbi_ls *inwards(mover *m, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SET) return s;
    if (!tirbi_has_kind(s, TIRBI_KIND(LOOP) | TIRBI_KIND(SET))) return in_lanes(m, s);
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_ls *body = inwards(m, s->as.loop.body);
        return body ? around(m, s, body) : NULL;
    }
    const tirbi_ls **items = TIRBI_NEW_ARRAY(m->pool->arena, const tirbi_ls *, s->as.seq.n + 1);
    for (uint32_t i = 0; i < s->as.seq.n && items; i++)
        if (!(items[i] = inwards(m, s->as.seq.items[i]))) return NULL;
    return items ? tirbi_new_sequence(m->pool, s->span, items, s->as.seq.n) : NULL;
}

/* What the loop's iterations have to do with each other; NULL where it is more than columns of their own. */
static mover *read_loop(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_inwards as) {
    tirbi_lvar *var = loop->as.loop.var;
    if (loop->as.loop.step || !tirbi_has_plain_bounds(var) || !tirbi_has_kind(loop->as.loop.body, TIRBI_KIND(LOOP)))
        return NULL;
    mover *m = TIRBI_NEW(pool->arena, mover);
    if (!m) return NULL;
    m->pool = pool;
    m->loop = loop;
    m->own = (tirbi_loop_set){.var = {var}, .n = 1};
    m->as = as;
    return keeps_to_columns(m) ? m : NULL;
}

const tirbi_ls *tirbi_move_inwards(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_inwards as) {
    mover *m = read_loop(pool, loop, as);
    return m ? inwards(m, loop->as.loop.body) : NULL;
}

/* Both conditions, or with OR one of them, of which either may be known; NULL when memory ran out. */
static const tirbi_lx *join(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    const int64_t neutral = op == TIRB_OP_AND;
    if (!a || !b || tirbi_lx_is_int(a, !neutral) || tirbi_lx_is_int(b, neutral)) return b ? a : NULL;
    return tirbi_lx_is_int(a, neutral) || tirbi_lx_is_int(b, !neutral) ? b : tirbi_lx_both(pool, op, a, b);
}

/* Whether lanes of columns are worth it: enough of each, and short rows, or as many as a near cache holds. Elements of
 * rows have so many bytes. */
static const tirbi_lx *is_worth(tirbi_lx_pool *pool, const tirbi_lx *columns, const tirbi_lx *rows, int64_t size) {
    const tirbi_lx *all = tirbi_lx_wide(pool, TIRB_OP_MUL, columns, rows);
    const tirbi_lx *some = join(pool, TIRB_OP_AND, tirbi_lx_with(pool, TIRB_OP_GE, columns, TIRBI_LEAST_COLUMNS),
                                tirbi_lx_with(pool, TIRB_OP_GE, rows, LEAST_ROWS));
    const tirbi_lx *near = join(pool, TIRB_OP_OR, tirbi_lx_with(pool, TIRB_OP_LE, columns, BLOCK / size),
                                tirbi_lx_with(pool, TIRB_OP_LE, all, NEAR / size));
    const tirbi_lx *few = join(pool, TIRB_OP_AND, tirbi_lx_with(pool, TIRB_OP_LE, columns, MOST_COLUMNS), near);
    return join(pool, TIRB_OP_AND, some, few);
}

static bool may_ask(const tirbi_lx_pool *pool, const tirbi_lx *x) {
    return x->pure && !x->traps && tirbi_is_available(pool, x);
}

/* Lanes of columns around a loop along them, in which each carries what the rows hand on; `loop` goes over columns. */
static bool down_columns(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_ls *rows = loop->as.loop.body;
    const tirbi_lx *columns = loop->as.loop.var->extent, *n_rows = rows->as.loop.var->extent;
    if (columns->hi < TIRBI_LEAST_COLUMNS || columns->lo > MOST_COLUMNS || n_rows->hi < LEAST_ROWS ||
        !may_ask(pool, columns) || !may_ask(pool, n_rows) || tirbi_has_kind(rows->as.loop.body, TIRBI_KIND(LOOP)))
        return false;
    mover *m = read_loop(pool, loop, TIRBI_INWARDS_UNIT);
    if (!m) return false;
    out->condition = is_worth(pool, columns, n_rows, tirbi_dtypes[m->stored.item[0]->type].size);
    if (!out->condition || tirbi_lx_is_int(out->condition, 0)) return false;
    const tirbi_extents *known = pool->positive;
    out->positive = (tirbi_extents){.item = {columns, n_rows}, .n = 2};
    pool->positive = &out->positive;
    const tirbi_ls *carried = tirbi_carry_rows(pool, rows);
    out->stmt = in_lanes(m, carried ? carried : rows);
    pool->positive = known;
    return out->stmt != NULL;
}

/* Columns that are too few to be lanes, each one after the other: what it carries goes from lane to lane of its own. */
static bool one_by_one(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_ls *rows = loop->as.loop.body;
    const tirbi_lx *columns = loop->as.loop.var->extent, *n_rows = rows->as.loop.var->extent;
    if (columns->hi > FEW_COLUMNS || n_rows->hi < LONG_COLUMN || !may_ask(pool, n_rows) ||
        tirbi_has_kind(rows->as.loop.body, TIRBI_KIND(LOOP)) || tirbi_has_lanes(pool, rows) ||
        !read_loop(pool, loop, TIRBI_INWARDS_UNIT) ||
        (!tirbi_has_lanes_in_order(pool, rows) && !tirbi_carry_elements(pool, rows)))
        return false;
    out->condition = tirbi_lx_with(pool, TIRB_OP_GE, n_rows, LONG_COLUMN);
    out->positive = (tirbi_extents){.item = {n_rows}, .n = 1};
    out->stmt = loop;
    return out->condition && !tirbi_lx_is_int(out->condition, 0);
}

bool tirbi_carry_columns(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_ls *inner = tirbi_only_part(loop->as.loop.body);
    if (inner->kind != TIRBI_LS_LOOP || inner->as.loop.step || loop->as.loop.step) return false;
    mover m = {.pool = pool, .own = {.var = {loop->as.loop.var}, .n = 1}};
    const tirbi_ls *nest = around(&m, loop, inner);
    if (nest && down_columns(pool, nest, out)) return true;
    const tirbi_lvar *var = inner->as.loop.var;
    if (!nest || tirbi_mentions_loops(var->min, &m.own) || tirbi_mentions_loops(var->extent, &m.own)) return false;
    const tirbi_ls *rows = around(&m, loop, inner->as.loop.body);
    nest = rows ? around(&m, inner, rows) : NULL;
    return nest && (down_columns(pool, nest, out) || one_by_one(pool, nest, out));
}

const tirbi_ls *tirbi_take_apart(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_distribution parts;
    if (!read_loop(pool, loop, TIRBI_INWARDS_UNIT) || !tirbi_distribute_loop(pool, loop, true, NULL, &parts))
        return NULL;
    for (uint32_t i = 0; i < parts.n; i++) {
        tirbi_nest nest;
        if (tirbi_has_kind(parts.item[i]->as.loop.body, TIRBI_KIND(LOOP)) &&
            (!tirbi_plan_nest(pool, parts.item[i], TIRBI_NEST_ANY, &nest) || nest.n_outer > 0))
            return NULL;
    }
    return tirbi_new_sequence(pool, loop->span, parts.item, parts.n);
}
