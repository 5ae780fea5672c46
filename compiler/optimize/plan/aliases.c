/* Loops that touch parameters of a pair of tirb.may_alias, one of which is written.
 *
 * What planning knows of memory it knows of roots (tirbi_may_meet), so no plan is made that is wrong when such
 * parameters share memory. A lane plan of the loop, if there is one, is right when they begin at the same byte or share
 * nothing: the usual call in place. Otherwise the loop is compiled twice: once as if they shared nothing, and once in
 * program order; which one runs is looked up in the references. */
#include "compiler/loop/visit.h"
#include "compiler/optimize/plan/planner.h"

enum { WORDS = (TIRBI_MAX_CALL_ARGS + 63) / 64 };

/* Parameters of pairs, bit per number, and what a statement does to them. */
typedef struct touched {
    uint64_t any[WORDS], written[WORDS];
} touched;

static void touch(touched *t, const tirbi_lbuf *root, bool writes) {
    if (!root->aliases || root->param < 0 || root->param >= TIRBI_MAX_CALL_ARGS) return;
    uint64_t bit = UINT64_C(1) << (root->param % 64);
    t->any[root->param / 64] |= bit;
    if (writes) t->written[root->param / 64] |= bit;
}

static bool touch_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    touch(w->context, place->buffer->root, !load);
    return true;
}

/* A function may write to what it is called with. */
static tirbi_step touch_arguments(tirbi_walk *w, const tirbi_lx *x) {
    for (uint32_t i = 0; x->kind == TIRBI_LX_CALL && i < x->call->n_refs; i++)
        touch(w->context, x->call->refs[i].buffer, true);
    return TIRBI_INTO;
}

static bool has(const uint64_t *set, uint32_t param) { return set[param / 64] >> (param % 64) & 1; }

static bool is_in_the_way(const touched *t, const tirb_param_pair *pair) {
    bool both = has(t->any, pair->first) && has(t->any, pair->second);
    return both && (has(t->written, pair->first) || has(t->written, pair->second));
}

static bool any_in_the_way(const tirbi_scheduler *p, const touched *t) {
    const tirb_primfunc *f = p->function->ast;
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        if (is_in_the_way(t, &f->may_alias[i])) return true;
    }
    return false;
}

/* The pairs that are in the way; false when memory ran out. */
static bool list_pairs(tirbi_scheduler *p, const touched *t, tirbi_version *out) {
    const tirb_primfunc *f = p->function->ast;
    tirb_param_pair *pairs = TIRBI_NEW_ARRAY(p->pool->arena, tirb_param_pair, f->n_may_alias);
    for (uint32_t i = 0; pairs && i < f->n_may_alias; i++) {
        if (is_in_the_way(t, &f->may_alias[i])) pairs[out->n_pairs++] = f->may_alias[i];
    }
    out->pairs = pairs;
    return pairs != NULL;
}

/* The loop in two versions; `nest` is its lanes, or NULL. */
static tirbi_sched *in_versions(tirbi_scheduler *p, const tirbi_ls *loop, const touched *t, const tirbi_nest *nest) {
    tirbi_alias_mode *mode = &p->function->aliases.mode;
    const tirbi_alias_mode outer = *mode;
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, loop, 2) : NULL;
    if (!node || !list_pairs(p, t, version)) return NULL;
    node->as.version = version;
    version->in_place = nest != NULL;
    version->knows = TIRBI_KNOWN_IN_BOTH;
    version->mode[0] = nest ? outer : TIRBI_ALIAS_APART;
    version->mode[1] = nest ? TIRBI_ALIAS_CROSSED : TIRBI_ALIAS_MET;
    *mode = version->mode[0];
    node->items[0] = nest ? tirbi_sched_lanes(p, nest) : tirbi_schedule(p, loop);
    *mode = version->mode[1];
    tirbi_forget_declared(p, loop);
    node->items[1] = tirbi_schedule_in_order(p, loop);
    *mode = outer;
    return node->items[0] && node->items[1] ? node : NULL;
}

tirbi_sched *tirbi_schedule_aliased(tirbi_scheduler *p, const tirbi_ls *loop) {
    const tirbi_alias_mode mode = p->function->aliases.mode;
    touched t = {.any = {0}};
    tirbi_walk walk = {.context = &t,
                       .expr = touch_arguments,
                       .access = touch_place,
                       .reach = TIRBI_WALK_PLACES | TIRBI_WALK_BOUNDS | TIRBI_WALK_CALLS | TIRBI_WALK_IMPURE};
    if (p->function->ast->n_may_alias == 0 || mode == TIRBI_ALIAS_APART) return NULL;
    tirbi_walk_stmt(&walk, loop);
    if (!any_in_the_way(p, &t)) return NULL;
    tirbi_nest nest;
    const bool in_place = mode != TIRBI_ALIAS_CROSSED && tirbi_choose_lanes(p, loop, &nest);
    if (!in_place && mode != TIRBI_ALIAS_ANY) return tirbi_schedule_in_order(p, loop);
    return in_versions(p, loop, &t, in_place ? &nest : NULL);
}
