/* Loops that touch parameters of a pair of tirb.may_alias, one of which is written.
 *
 * What planning knows of memory it knows of roots (tirbi_may_meet), so no plan is made that is wrong when such
 * parameters share memory. A lane plan of the loop, if there is one, is right when they begin at the same byte or share
 * nothing: the usual call in place. Otherwise the loop is compiled twice: once as if they shared nothing, and once in
 * program order; which one runs is looked up in the references. */
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

static void touch_value(touched *t, const tirbi_lx *x);

static void touch_place(touched *t, const tirbi_place *place, bool writes) {
    touch(t, place->buffer->root, writes);
    for (uint32_t i = 0; i < place->ndim; i++) touch_value(t, place->indices[i]);
}

static void touch_value(touched *t, const tirbi_lx *x) {
    if (!x || x->shared) return;
    if (x->kind == TIRBI_LX_LOAD) touch_place(t, x->access, false);
    if (x->kind == TIRBI_LX_CALL) {
        for (uint32_t i = 0; i < x->call->n_scalars; i++) touch_value(t, x->call->scalars[i]);
        for (uint32_t i = 0; i < x->call->n_refs; i++) touch(t, x->call->refs[i].buffer, true);
    }
    for (int i = 0; i < x->n_args; i++) touch_value(t, x->args[i]);
}

static void touch_stmt(touched *t, const tirbi_ls *s) {
    if (!s) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) touch_stmt(t, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP: {
        touch_value(t, s->as.loop.var->min);
        touch_value(t, s->as.loop.var->extent);
        touch_stmt(t, s->as.loop.body);
        return;
    }
    case TIRBI_LS_IF:
        touch_value(t, s->as.if_.condition);
        touch_stmt(t, s->as.if_.then_case);
        touch_stmt(t, s->as.if_.else_case);
        return;
    case TIRBI_LS_WHILE:
        touch_value(t, s->as.while_.condition);
        touch_stmt(t, s->as.while_.body);
        return;
    case TIRBI_LS_STORE:
        touch_place(t, s->as.store.access, true);
        touch_value(t, s->as.store.value);
        return;
    case TIRBI_LS_SET:
        touch_value(t, s->as.set.value);
        return;
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN:
        touch_value(t, s->as.eval.value);
        return;
    case TIRBI_LS_ASSERT:
        touch_value(t, s->as.assert_.condition);
        return;
    case TIRBI_LS_TREE:
        touch_stmt(t, s->as.tree.init);
        for (uint32_t i = 0; i < s->as.tree.n_lets; i++) touch_value(t, s->as.tree.lets[i]);
        for (uint32_t u = 0; u < s->as.tree.n_updates; u++) {
            touch_place(t, s->as.tree.updates[u].target, true);
            touch_value(t, s->as.tree.updates[u].value);
            touch_value(t, s->as.tree.updates[u].factor);
        }
        return;
    default:
        return;
    }
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
    if (p->function->ast->n_may_alias == 0 || mode == TIRBI_ALIAS_APART) return NULL;
    touch_stmt(&t, loop);
    if (!any_in_the_way(p, &t)) return NULL;
    tirbi_nest nest;
    const bool in_place = mode != TIRBI_ALIAS_CROSSED && tirbi_choose_lanes(p, loop, &nest);
    if (!in_place && mode != TIRBI_ALIAS_ANY) return tirbi_schedule_in_order(p, loop);
    return in_versions(p, loop, &t, in_place ? &nest : NULL);
}
