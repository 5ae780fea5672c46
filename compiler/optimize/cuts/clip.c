/* A condition of the body is a conjunction of terms c0 * k0 + c1 * k1 + .. + start >= 0, where ki counts the iterations
 * of loop i. Term by term: one that knows a single loop bounds its range. Of one that knows several, the outermost
 * spatial loop is cut in two, since the iterations of spatial loops may be taken in any order: in one part the term
 * holds whatever the others do; in the other that loop is put around all others, and the term knows one loop less. */
#include "compiler/optimize/cuts/clip.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/facts/predicates.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum { MAX_TERMS = 4, LARGEST_FACTOR = 1 << 20 };
#define MODERATE (INT64_C(1) << 60)

typedef struct term {
    int64_t c[TIRBI_MAX_AFFINE]; /* by the nest's original loops */
    const tirbi_lx *start;       /* int64 */
} term;

/* A nest on its way: what its loops have become, and the terms that are left. */
typedef struct clipped {
    const tirbi_free_nest *nest;
    tirbi_lvar *var[TIRBI_MAX_AFFINE];
    bool around[TIRBI_MAX_AFFINE]; /* put around the others, in the order of `outer` */
    uint32_t outer[TIRBI_MAX_AFFINE];
    uint32_t n_outer;
    bool depends[TIRBI_MAX_AFFINE]; /* its bounds are not the same in all iterations of others */
    term terms[MAX_TERMS];
    uint32_t n_terms;
} clipped;

typedef struct clipper {
    tirbi_lx_pool *pool;
    tirbi_loop_set loops;
    const tirbi_ls *body; /* under the condition */
    const tirbi_lx *rest; /* what is no term of the condition, or NULL */
    const tirbi_ls *parts[1 << MAX_TERMS];
    uint32_t n_parts;
} clipper;

/* ---- Terms ------------------------------------------------------------------------------------------------------ */

static bool is_moderate(const tirbi_lx *x) { return x->lo >= -MODERATE && x->hi <= MODERATE; }

/* a - b for a sum of loops with it that is compared with 0. Where one of the two may be anything, it counts as no more
 * than what the other, with loops that end, does not come to: the difference does not wrap. NULL: both may be anything,
 * or memory ran out. */
static const tirbi_lx *difference(const clipper *c, const tirbi_lx *a, const tirbi_lx *b) {
    const tirbi_lx **far = is_moderate(a) ? &b : &a;
    if (!is_moderate(a) && !is_moderate(b)) return NULL;
    if (!is_moderate(*far)) {
        *far = tirbi_lx_with(c->pool, TIRB_OP_MIN, *far, 4 * MODERATE);
        *far = *far ? tirbi_lx_with(c->pool, TIRB_OP_MAX, *far, -4 * MODERATE) : NULL;
    }
    return *far ? tirbi_lx_sub(c->pool, a, b) : NULL;
}

static bool make_term(const clipper *c, const tirbi_lx *x, term *out) {
    tirbi_predicate p;
    bool any = false;
    if (x->op == TIRB_OP_EQ || !tirbi_predicate_of(c->pool, x, &c->loops, &p)) return false;
    *out = (term){.start = difference(c, p.more, p.less)};
    for (uint32_t i = 0; i < c->loops.n; i++) {
        if (p.by[i] > LARGEST_FACTOR || p.by[i] < -LARGEST_FACTOR) return false;
        out->c[i] = p.by[i];
        any = any || p.by[i] != 0;
    }
    if (p.strict && out->start) out->start = tirbi_lx_sub(c->pool, out->start, tirbi_lx_number(c->pool, 1));
    return any && out->start;
}

static bool read_condition(clipper *c, const tirbi_lx *x, clipped *out) {
    if (tirbi_is_conjunction(x)) return read_condition(c, x->args[0], out) && read_condition(c, x->args[1], out);
    if (out->n_terms < MAX_TERMS && make_term(c, x, &out->terms[out->n_terms])) {
        out->n_terms++;
        return true;
    }
    if (!x->pure || x->traps) return false;
    c->rest = tirbi_lx_and(c->pool, c->rest, x);
    return c->rest != NULL;
}

/* ---- Ranges ----------------------------------------------------------------------------------------------------- */

/* x / by, rounded down; up. */
static const tirbi_lx *floor_of(const clipper *c, const tirbi_lx *x, int64_t by) {
    return by == 1 ? x : tirbi_lx_with(c->pool, TIRB_OP_FLOORDIV, x, by);
}
static const tirbi_lx *ceiling_of(const clipper *c, const tirbi_lx *x, int64_t by) {
    return x ? floor_of(c, tirbi_lx_add(c->pool, x, tirbi_lx_number(c->pool, by - 1)), by) : NULL;
}

/* The iterations first .. behind - 1 of a loop, of which these may be outside of its range, as a loop of its own. Its
 * count begins at 0 again. False: there are none, or memory ran out. */
static bool narrow(const clipper *c, clipped *x, uint32_t loop, const tirbi_lx *first, const tirbi_lx *behind) {
    const tirbi_lvar *old = x->var[loop];
    const tirbi_lx *zero = tirbi_lx_number(c->pool, 0);
    first = tirbi_lx_wide(c->pool, TIRB_OP_MIN, tirbi_lx_wide(c->pool, TIRB_OP_MAX, first, zero), old->extent);
    behind = tirbi_lx_wide(c->pool, TIRB_OP_MAX, tirbi_lx_wide(c->pool, TIRB_OP_MIN, behind, old->extent), first);
    tirbi_lvar *var = tirbi_part_variable(c->pool, old, first, behind);
    if (!var) return false;
    var->below = old->below; /* others decide of more than the loop's range */
    var->extent = tirbi_lx_wide(c->pool, TIRB_OP_MAX, var->extent, zero);
    if (!var->extent || var->extent->hi <= 0) return false;
    for (uint32_t i = 0; i < x->n_terms; i++) { /* k = first + the new count */
        if (x->terms[i].c[loop] == 0) continue;
        x->terms[i].start = tirbi_lx_add(c->pool, x->terms[i].start,
                                         tirbi_lx_mul(c->pool, first, tirbi_lx_number(c->pool, x->terms[i].c[loop])));
        if (!x->terms[i].start) return false;
    }
    x->var[loop] = var;
    return true;
}

static void drop_term(clipped *x, uint32_t at) { x->terms[at] = x->terms[--x->n_terms]; }

/* c * k + bound >= 0, as a range of k. */
static bool narrow_by(const clipper *c, clipped *x, uint32_t loop, int64_t factor, const tirbi_lx *bound) {
    if (!bound) return false;
    if (factor < 0) {
        const tirbi_lx *last = floor_of(c, bound, -factor);
        return last && narrow(c, x, loop, tirbi_lx_number(c->pool, 0),
                              tirbi_lx_add(c->pool, last, tirbi_lx_number(c->pool, 1)));
    }
    const tirbi_lx *negative = tirbi_lx_sub(c->pool, tirbi_lx_number(c->pool, 0), bound);
    return negative && narrow(c, x, loop, ceiling_of(c, negative, factor), x->var[loop]->extent);
}

/* The least or greatest value of a term without one of its loops. */
static const tirbi_lx *extreme(const clipper *c, const clipped *x, const term *t, uint32_t without, bool greatest) {
    const tirbi_lx *sum = t->start;
    for (uint32_t i = 0; i < c->loops.n && sum; i++) {
        if (i == without || t->c[i] == 0 || (t->c[i] > 0) != greatest) continue;
        const tirbi_lx *last = tirbi_lx_sub(c->pool, x->var[i]->extent, tirbi_lx_number(c->pool, 1));
        sum = tirbi_lx_add(c->pool, sum, tirbi_lx_mul(c->pool, last, tirbi_lx_number(c->pool, t->c[i])));
    }
    return sum;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static const tirbi_ls *loop_around(const clipper *c, const clipped *x, uint32_t i, const tirbi_ls *body) {
    return tirbi_loop_like(c->pool, x->nest->loops[i], x->var[i], body);
}

static bool add_part(clipper *c, const clipped *x) {
    tirbi_rewrite rewrite = {.pool = c->pool, .kinds = TIRBI_GUARDED_STORES};
    for (uint32_t i = 0; i < x->nest->n; i++)
        tirbi_bind_variable(&rewrite, x->nest->loops[i]->as.loop.var, tirbi_lx_var(c->pool, x->var[i]));
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, c->body);
    for (uint32_t i = x->nest->n; i-- > 0;) {
        if (!x->around[i]) body = loop_around(c, x, i, body);
    }
    for (uint32_t i = x->n_outer; i-- > 0;) body = loop_around(c, x, x->outer[i], body);
    if (!body || c->n_parts == sizeof(c->parts) / sizeof(c->parts[0])) return false;
    c->parts[c->n_parts++] = body;
    return true;
}

static bool clip(clipper *c, const clipped *given);

/* The term knows one loop. */
static bool bound_loop(clipper *c, const clipped *given, uint32_t at, uint32_t loop) {
    clipped x = *given;
    term t = x.terms[at];
    drop_term(&x, at);
    x.depends[loop] = x.depends[loop] || x.n_outer > 0;
    return !narrow_by(c, &x, loop, t.c[loop], t.start) ? !c->pool->arena->failed : clip(c, &x);
}

/* The term knows several loops, of which `loop` is cut. */
static bool cut_loop(clipper *c, const clipped *given, uint32_t at, uint32_t loop) {
    const term *t = &given->terms[at];
    for (uint32_t i = 0; i < c->loops.n; i++) {
        if (t->c[i] != 0 && given->depends[i]) return false;
    }
    const tirbi_lx *least = extreme(c, given, t, loop, false), *most = extreme(c, given, t, loop, true);
    clipped whole = *given, edge = *given;
    int64_t factor = t->c[loop];
    drop_term(&whole, at);
    if (narrow_by(c, &whole, loop, factor, least) && !clip(c, &whole)) return false;
    /* The edge: the least does not reach 0, but the most does. */
    const tirbi_lx *missing = tirbi_lx_sub(c->pool, tirbi_lx_number(c->pool, -1), least);
    if (!narrow_by(c, &edge, loop, -factor, missing)) return !c->pool->arena->failed;
    term *own = &edge.terms[at];
    const tirbi_lx *reach = own->start && most ? extreme(c, &edge, own, loop, true) : NULL;
    if (!narrow_by(c, &edge, loop, factor, reach)) return !c->pool->arena->failed;
    edge.around[loop] = true;
    edge.outer[edge.n_outer++] = loop;
    const tirbi_lx *count = tirbi_lx_sub(
        c->pool, tirbi_lx_cast(c->pool, TIRB_I64, tirbi_lx_var(c->pool, edge.var[loop])), edge.var[loop]->min);
    for (uint32_t i = 0; i < edge.n_terms; i++) {
        own = &edge.terms[i];
        if (own->c[loop] == 0) continue;
        own->start =
            tirbi_lx_add(c->pool, own->start, tirbi_lx_mul(c->pool, count, tirbi_lx_number(c->pool, own->c[loop])));
        own->c[loop] = 0;
        if (!own->start) return false;
    }
    return clip(c, &edge);
}

static bool clip(clipper *c, const clipped *given) {
    if (given->n_terms == 0) return add_part(c, given);
    const term *t = &given->terms[0];
    uint32_t loops = 0, spatial = 0, last = 0, cut = 0;
    for (uint32_t i = c->loops.n; i-- > 0;) {
        if (t->c[i] == 0) continue;
        loops++;
        last = i;
        if (!given->nest->spatial[i]) continue;
        spatial++;
        cut = i;
    }
    if (loops == 1) return bound_loop(c, given, 0, last);
    return loops > 1 && spatial > 0 && cut_loop(c, given, 0, cut);
}

/* ---- Nests ------------------------------------------------------------------------------------------------------ */

static bool runs_well(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, bool lanes) {
    tirbi_contract_plan *plan = TIRBI_NEW(pool->arena, tirbi_contract_plan);
    const bool contracts = plan && !(disabled & TIRB_PASS_CONTRACT) && tirbi_plan_contraction(pool, loop, plan);
    TIRBI_GIVE_BACK(pool->arena, plan);
    if (contracts) return true;
    return lanes && !(disabled & TIRB_PASS_LANES) &&
           (tirbi_nest_has_lanes(pool, loop, TIRBI_NEST_ANY) || tirbi_has_lanes(pool, loop));
}

static const tirbi_ls *clip_free_nest(clipper *c, const tirbi_free_nest *nest, clipped *x, const tirbi_ls *loop,
                                      uint32_t disabled) {
    tirbi_lx_pool *pool = c->pool;
    c->body = nest->body->as.if_.then_case;
    x->nest = nest;
    for (uint32_t i = 0; i < nest->n; i++) c->loops.var[c->loops.n++] = x->var[i] = nest->loops[i]->as.loop.var;
    if (!read_condition(c, nest->body->as.if_.condition, x) || x->n_terms == 0) return NULL;
    if (c->rest) {
        tirbi_ls *branch = TIRBI_NEW(pool->arena, tirbi_ls);
        if (!branch) return NULL;
        *branch = *nest->body;
        branch->as.if_.condition = c->rest;
        c->body = branch;
    }
    const tirbi_ls *free_of_it = tirbi_in_loops(pool, nest->loops, nest->n, c->body);
    if (!free_of_it || (!runs_well(pool, free_of_it, disabled, false) && runs_well(pool, loop, disabled, true)))
        return NULL;
    if (!clip(c, x) || c->n_parts == 0) return NULL;
    return tirbi_new_sequence(pool, loop->span, c->parts, c->n_parts);
}

const tirbi_ls *tirbi_clip_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled) {
    const tirbi_ls *parts = NULL;
    tirbi_free_nest *nest = TIRBI_NEW(pool->arena, tirbi_free_nest);
    clipper *c = TIRBI_NEW(pool->arena, clipper);
    clipped *x = TIRBI_NEW(pool->arena, clipped);
    if (nest && c && x && tirbi_find_free_nest(pool, loop, nest) && nest->n >= 2 && nest->body->kind == TIRBI_LS_IF &&
        !nest->body->as.if_.else_case) {
        c->pool = pool;
        parts = clip_free_nest(c, nest, x, loop, disabled);
    }
    TIRBI_GIVE_BACK(pool->arena, nest);
    TIRBI_GIVE_BACK(pool->arena, c);
    TIRBI_GIVE_BACK(pool->arena, x);
    return parts;
}

typedef struct nests {
    tirbi_lx_pool *pool;
    uint32_t disabled;
} nests;

static const tirbi_ls *clip_all(void *context, const tirbi_ls *s) {
    const nests *all = context;
    const tirbi_ls *other = s->kind == TIRBI_LS_LOOP ? tirbi_clip_nest(all->pool, s, all->disabled) : NULL;
    return other ? other : tirbi_replace_inside(all->pool, s, clip_all, context);
}

const tirbi_ls *tirbi_clip_nests(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    nests all = {.pool = pool, .disabled = disabled};
    return disabled & TIRB_PASS_INTERCHANGE ? body : clip_all(&all, body);
}
