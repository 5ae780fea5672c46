#include "compiler/optimize/cuts/diagonal.h"

#include "compiler/loop/sums.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_PLACES = 24 };

typedef struct visitor {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;
    struct {
        const tirbi_place *place;
        bool stored;
    } places[MAX_PLACES];
    uint32_t n;
} visitor;

/* ---- What the body reaches -------------------------------------------------------------------------------------- */

static bool note_place(void *context, const tirbi_reached *a) {
    visitor *v = context;
    const tirbi_place *place = a->place;
    const bool stored = a->what != TIRBI_LOADS;
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->places[i].place->buffer != place->buffer || v->places[i].place->flat != place->flat) continue;
        v->places[i].stored |= stored;
        return true;
    }
    if (v->n == MAX_PLACES) return false;
    v->places[v->n].place = place;
    v->places[v->n++].stored = stored;
    return true;
}

/* Of statements that tirbi_resolve copies. */
static bool note_body(visitor *v, const tirbi_ls *body) {
    tirbi_accesses all = {.context = v, .access = note_place, .rules = TIRBI_TAKE_INITS, .kinds = TIRBI_NESTS};
    return tirbi_find_accesses(&all, body);
}

/* ---- Where it is ------------------------------------------------------------------------------------------------ */

/* Whether an index that moves and one that stands still are the same in the first iteration, or in the last one, and in
 * no other. */
static bool meet_at(const visitor *v, const tirbi_place *a, const tirbi_place *b, uint32_t d, bool last) {
    tirbi_affine x, y;
    int64_t step, by;
    if (!tirbi_affine_index(v->pool, a, d, &v->own, &x) ||
        !tirbi_affine_index(v->pool, b, d, &v->own, &y) || y.coefficient[0] ||
        !tirbi_affine_constant(&x, 0, &step) || (step != 1 && step != -1))
        return false;
    const tirbi_lx *more = tirbi_lx_sub(v->pool, v->own.var[0]->extent, tirbi_lx_number(v->pool, 1));
    const tirbi_lx *at = !last ? x.start : step > 0 ? tirbi_lx_add(v->pool, x.start, more)
                                                    : tirbi_lx_sub(v->pool, x.start, more);
    return at && tirbi_constant_difference(at, y.start, &by) && by == 0;
}

/* Whether some store meets another place of its buffer in the first iteration, or the last. */
static bool meets(const visitor *v, bool last) {
    for (uint32_t i = 0; i < v->n; i++) {
        for (uint32_t k = 0; k < v->n && v->places[i].stored; k++) {
            const tirbi_place *a = v->places[i].place, *b = v->places[k].place;
            if (a->buffer != b->buffer) continue;
            for (uint32_t d = 0; d < a->ndim; d++)
                if (meet_at(v, a, b, d, last)) return true;
        }
    }
    return false;
}

/* The iteration that is `at` from the first one on. */
static const tirbi_ls *iteration(const visitor *v, const tirbi_lx *at, bool first) {
    const tirbi_given none = {.n = 0};
    const tirbi_lvar *var = v->own.var[0];
    const tirbi_lx *value = at ? tirbi_lx_cast(v->pool, var->type, tirbi_lx_add(v->pool, var->min, at)) : NULL;
    return value ? tirbi_resolve(v->pool, &none, v->loop->as.loop.body, var, value, NULL, first) : NULL;
}

/* All other ones. */
static const tirbi_ls *others(const visitor *v, bool last) {
    const tirbi_given none = {.n = 0};
    const tirbi_lx *one = tirbi_lx_number(v->pool, 1);
    const tirbi_lvar *old = v->own.var[0];
    tirbi_lvar *var = TIRBI_NEW(v->pool->arena, tirbi_lvar);
    tirbi_ls *loop = tirbi_new_stmt(v->pool, TIRBI_LS_LOOP, v->loop->span);
    if (!var || !loop || !one) return NULL;
    *var = *old;
    var->id = 0;
    if (!last) var->min = tirbi_lx_add(v->pool, old->min, one);
    if (!last && var->lo < var->hi) var->lo++;
    var->extent = tirbi_lx_sub(v->pool, old->extent, one);
    const tirbi_lx *fresh = tirbi_lx_var(v->pool, var);
    if (!var->min || !var->extent || !fresh) return NULL;
    *loop = *v->loop;
    loop->as.loop.var = var;
    loop->as.loop.parallel = false; /* the loop itself was asked for chunks */
    loop->as.loop.body = tirbi_resolve(v->pool, &none, v->loop->as.loop.body, old, fresh, var, false);
    return loop->as.loop.body ? loop : NULL;
}

bool tirbi_leave_diagonal(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_diagonal *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || !tirbi_can_resolve(loop->as.loop.body))
        return false;
    visitor *v = TIRBI_NEW(pool->arena, visitor);
    if (!v) return false;
    *v = (visitor){.pool = pool, .loop = loop, .own = {.var = {loop->as.loop.var}, .n = 1}};
    const bool noted = note_body(v, loop->as.loop.body), first = noted && meets(v, false);
    if (!noted || (!first && !meets(v, true))) {
        TIRBI_GIVE_BACK(pool->arena, v);
        return false;
    }
    const tirbi_lx *zero = tirbi_lx_number(pool, 0), *one = tirbi_lx_number(pool, 1);
    const tirbi_ls *rest = others(v, !first), *parts[2];
    parts[first ? 0 : 1] = iteration(v, first ? zero : tirbi_lx_sub(pool, var->extent, one), first);
    parts[first ? 1 : 0] = rest;
    tirbi_ls *branch = tirbi_new_stmt(pool, TIRBI_LS_IF, loop->span);
    if (!branch || !rest) return false;
    branch->as.if_.condition = tirbi_lx_wide(pool, TIRB_OP_GT, var->extent, zero);
    branch->as.if_.then_case = tirbi_new_sequence(pool, loop->span, parts, 2);
    *out = (tirbi_diagonal){.stmt = branch, .rest = rest};
    return branch->as.if_.condition && branch->as.if_.then_case;
}
