#include "compiler/optimize/nests/apart.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/distribute.h"

/* A nest, also one that a condition on sizes decides of, or all loops of which reduce. */
static bool is_nest(const tirbi_ls *s) {
    s = tirbi_only_part(s);
    return tirbi_is_guard(s) ? is_nest(s->as.if_.then_case) : s->kind == TIRBI_LS_LOOP || s->kind == TIRBI_LS_TREE;
}

/* Whether a nest gives the elements of a buffer their first values, and the next one goes on with them: that is one. */
static bool is_begun_by(const tirbi_ls *fill, const tirbi_ls *next) {
    while (fill->kind == TIRBI_LS_LOOP) fill = tirbi_only_part(fill->as.loop.body);
    return fill->kind == TIRBI_LS_STORE && fill->as.store.value->pure &&
           tirbi_stores_to(next, fill->as.store.access->buffer->root);
}

static bool is_around_nests(const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    if (loop->as.loop.parallel || body->kind != TIRBI_LS_SEQ || body->as.seq.n < 2) return false;
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        if (!is_nest(s) || (i > 0 && is_begun_by(body->as.seq.items[i - 1], s))) return false;
    }
    return true;
}

/* A loop all of which a condition decides of that does not know its variable, inside of that condition. */
static const tirbi_ls *behind_condition(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *guard = tirbi_only_part(loop->as.loop.body);
    if (!tirbi_is_guard(guard) || guard->as.if_.condition->traps ||
        tirbi_lx_depends_on(guard->as.if_.condition, loop->as.loop.var))
        return loop;
    const tirbi_ls *inside = tirbi_loop_like(pool, loop, NULL, guard->as.if_.then_case);
    const tirbi_ls *outside = tirbi_new_if(pool, loop->span, guard->as.if_.condition, inside, NULL);
    return outside ? outside : loop;
}

static const tirbi_ls *take_apart(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    tirbi_distribution nests;
    s = tirbi_replace_inside(pool, s, take_apart, pool);
    if (s->kind != TIRBI_LS_LOOP || !is_around_nests(s) || !tirbi_distribute_loop(pool, s, true, NULL, &nests))
        return s;
    for (uint32_t i = 0; i < nests.n; i++) nests.item[i] = behind_condition(pool, nests.item[i]);
    const tirbi_ls *apart = tirbi_new_sequence(pool, s->span, nests.item, nests.n);
    return apart ? apart : s;
}

const tirbi_ls *tirbi_take_nests_apart(tirbi_lx_pool *pool, const tirbi_ls *body) { return take_apart(pool, body); }
