#include "compiler/optimize/cuts/crossing.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

typedef struct crosser {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;  /* the loop's variable, then those that the body sets */
    const tirbi_lx *sum; /* iterations reach the same element, counted from 0, where their numbers have this sum */
} crosser;

/* Where a place is in the first iteration, if each goes on by one element, up (1) or down (-1). */
static bool follow(const crosser *c, const tirbi_place *place, const tirbi_lx **start, int64_t *step) {
    tirbi_loop_set one = {.var = {c->own.var[0]}, .n = 1}, others = c->own;
    tirbi_affine form;
    others.var[0] = others.var[--others.n];
    if (!place->flat->pure || tirbi_mentions_loops(place->flat, &others) || place->buffer->overlaps ||
        tirbi_buffer_moves(place->buffer, &c->own) || !tirbi_affine_number(c->pool, place, &one, &form) ||
        !tirbi_affine_constant(&form, 0, step) || (*step != 1 && *step != -1))
        return false;
    *start = form.start;
    return true;
}

/* Whether two places are the same one, or cross where all others do. */
static bool meet_at_crossing(crosser *c, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_lx *x, *y;
    int64_t up, other;
    if (a->buffer != b->buffer || !follow(c, a, &x, &up) || !follow(c, b, &y, &other)) return false;
    if (up == other) return x == y;
    const tirbi_lx *sum = up == 1 ? tirbi_lx_sub(c->pool, y, x) : tirbi_lx_sub(c->pool, x, y);
    if (!sum || (c->sum && c->sum != sum)) return false;
    c->sum = sum;
    return !sum->traps;
}

static bool find_crossing(crosser *c) {
    enum { MAX_PLACES = 32 };
    tirbi_reached places[MAX_PLACES];
    tirbi_accesses all = {.item = places, .most = MAX_PLACES, .sets = &c->own};
    if (!tirbi_find_accesses(&all, c->loop->as.loop.body)) return false;
    for (uint32_t i = 0; i < all.n; i++) {
        for (uint32_t k = 0; k < all.n && places[i].what != TIRBI_LOADS; k++) {
            const tirbi_place *a = places[i].place, *b = places[k].place;
            if (tirbi_may_meet(a->buffer->root, b->buffer->root) && !meet_at_crossing(c, a, b)) return false;
        }
    }
    return c->sum != NULL;
}

/* The iterations from .. to - 1, counted from 0. */
static const tirbi_ls *part(const crosser *c, const tirbi_lx *from, const tirbi_lx *to) {
    const tirbi_given none = {.n = 0};
    const tirbi_lvar *old = c->own.var[0];
    tirbi_lvar *var = TIRBI_NEW(c->pool->arena, tirbi_lvar);
    tirbi_ls *loop = tirbi_new_stmt(c->pool, TIRBI_LS_LOOP, c->loop->span);
    int64_t last;
    if (!var || !loop || !from || !to) return NULL;
    *var = *old;
    var->id = 0;
    var->min = tirbi_lx_add(c->pool, old->min, from);
    var->extent = tirbi_lx_sub(c->pool, to, from);
    if (!var->min || !var->extent) return NULL;
    if (!var->below && old->min->lo >= 0) var->below = tirbi_lx_add(c->pool, old->min, old->extent);
    if (var->min->lo > var->lo && var->min->lo <= var->hi) var->lo = var->min->lo;
    if (!__builtin_add_overflow(var->min->hi, var->extent->hi, &last) && last > INT64_MIN && last - 1 < var->hi &&
        last - 1 >= var->lo)
        var->hi = last - 1;
    var->apart = true;
    *loop = *c->loop;
    loop->as.loop.var = var;
    loop->as.loop.parallel = false; /* the loop itself was asked for chunks */
    loop->as.loop.body =
        tirbi_resolve(c->pool, &none, c->loop->as.loop.body, c->own.var[0], tirbi_lx_var(c->pool, var), var, false);
    return loop->as.loop.body ? loop : NULL;
}

/* The iteration that meets itself, if there is one. */
static const tirbi_ls *meeting(const crosser *c, const tirbi_lx *at, const tirbi_lx *behind) {
    const tirbi_given none = {.n = 0};
    const tirbi_lvar *old = c->own.var[0];
    tirbi_ls *branch = tirbi_new_stmt(c->pool, TIRBI_LS_IF, c->loop->span);
    const tirbi_lx *value = at ? tirbi_lx_cast(c->pool, old->type, tirbi_lx_add(c->pool, old->min, at)) : NULL;
    if (!branch || !value || !behind) return NULL;
    branch->as.if_.condition = tirbi_lx_wide(c->pool, TIRB_OP_LT, at, behind);
    branch->as.if_.then_case = tirbi_resolve(c->pool, &none, c->loop->as.loop.body, c->own.var[0], value, NULL, false);
    return branch->as.if_.condition && branch->as.if_.then_case ? branch : NULL;
}

/* A number of iterations, of those that there are. */
static const tirbi_lx *at_most_all(const crosser *c, const tirbi_lx *n) {
    return tirbi_lx_wide(c->pool, TIRB_OP_MAX, tirbi_lx_wide(c->pool, TIRB_OP_MIN, n, c->own.var[0]->extent),
                         tirbi_lx_number(c->pool, 0));
}

bool tirbi_split_at_crossing(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_crossing *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (var->apart || !tirbi_is_plain_loop(loop) || !tirbi_can_resolve(loop->as.loop.body))
        return false;
    crosser *c = TIRBI_NEW(pool->arena, crosser);
    if (!c) return false;
    *c = (crosser){.pool = pool, .loop = loop, .own = {.var = {loop->as.loop.var}, .n = 1}};
    if (!find_crossing(c)) {
        TIRBI_GIVE_BACK(pool->arena, c);
        return false;
    }
    /* Of two before half of the sum, or behind it, the sum is never that. */
    const tirbi_lx *half = tirbi_lx_wide(c->pool, TIRB_OP_FLOORDIV, c->sum, tirbi_lx_number(c->pool, 2));
    const tirbi_lx *reached =
        tirbi_lx_wide(c->pool, TIRB_OP_FLOORDIV, tirbi_lx_add(pool, c->sum, tirbi_lx_number(c->pool, 1)),
                      tirbi_lx_number(c->pool, 2));
    const tirbi_lx *first = at_most_all(c, reached),
                   *next = half ? at_most_all(c, tirbi_lx_add(pool, half, tirbi_lx_number(c->pool, 1))) : NULL;
    out->before = part(c, tirbi_lx_number(c->pool, 0), first);
    out->behind = part(c, next, var->extent);
    const tirbi_ls *parts[3] = {out->before, meeting(c, first, next), out->behind};
    out->stmt = tirbi_new_sequence(pool, loop->span, parts, 3);
    return out->stmt != NULL;
}
