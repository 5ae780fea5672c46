/* Loops that touch parameters of a pair of tirb.may_alias, one of which is written.
 *
 * What planning knows of memory it knows of roots (tirbi_may_meet), so no plan is made that is wrong when such
 * parameters share memory. A lane plan of the loop, if there is one, is right when they begin at the same byte or share
 * nothing: the usual call in place. Otherwise the loop is compiled twice: once as if they shared nothing, and once in
 * program order; which one runs is looked up in the references. */
#include "compiler/emit/emit.h"

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
    case TIRBI_LS_SET: touch_value(t, s->as.set.value); return;
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN: touch_value(t, s->as.eval.value); return;
    case TIRBI_LS_ASSERT: touch_value(t, s->as.assert_.condition); return;
    case TIRBI_LS_TREE:
        touch_stmt(t, s->as.tree.init);
        for (uint32_t i = 0; i < s->as.tree.n_lets; i++) touch_value(t, s->as.tree.lets[i]);
        for (uint32_t u = 0; u < s->as.tree.n_updates; u++) {
            touch_place(t, s->as.tree.updates[u].target, true);
            touch_value(t, s->as.tree.updates[u].value);
            touch_value(t, s->as.tree.updates[u].factor);
        }
        return;
    default: return;
    }
}

static bool has(const uint64_t *set, uint32_t param) { return set[param / 64] >> (param % 64) & 1; }

static bool is_in_the_way(const touched *t, const tirb_param_pair *pair) {
    bool both = has(t->any, pair->first) && has(t->any, pair->second);
    return both && (has(t->written, pair->first) || has(t->written, pair->second));
}

static bool any_in_the_way(const tirbi_emitter *e, const touched *t) {
    const tirb_primfunc *f = e->function->ast;
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        if (is_in_the_way(t, &f->may_alias[i])) return true;
    }
    return false;
}

/* Jumps where some pair shares memory and, with `crossed`, begins at different bytes. */
static void branch_if_met(tirbi_emitter *e, const touched *t, bool crossed, tirbi_patch_list *list) {
    const tirb_primfunc *f = e->function->ast;
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        const tirb_param_pair *pair = &f->may_alias[i];
        if (!is_in_the_way(t, pair)) continue;
        tirbi_scope scope = tirbi_scope_open(e);
        uint16_t met = tirbi_put_meet(e, tirbi_buffer_ref(e, e->function->param_buffers[pair->first]),
                                      tirbi_buffer_ref(e, e->function->param_buffers[pair->second]));
        if (crossed) {
            uint16_t one = tirbi_put_value(e, tirbi_lx_int(e->pool, TIRB_I64, 1));
            TIRBI_PUT(e, TIRB_OP_GT, TIRB_I64, met, met, one);
        }
        tirbi_put_jump(e, TIRB_OP_BRIF, met, list);
        tirbi_scope_close(e, scope);
    }
}

void tirbi_forget_registers(tirbi_emitter *e, const tirbi_ls *s) {
    if (!s) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_forget_registers(e, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP: tirbi_forget_registers(e, s->as.loop.body); return;
    case TIRBI_LS_IF:
        tirbi_forget_registers(e, s->as.if_.then_case);
        tirbi_forget_registers(e, s->as.if_.else_case);
        return;
    case TIRBI_LS_WHILE: tirbi_forget_registers(e, s->as.while_.body); return;
    case TIRBI_LS_SET:
        if (s->as.set.declares) tirbi_set_reg(e, s->as.set.var, -1);
        return;
    case TIRBI_LS_TREE: tirbi_forget_registers(e, s->as.tree.init); return;
    default: return;
    }
}

bool tirbi_put_aliased_loop(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_aliases *aliases = &e->function->aliases;
    touched t = {.any = {0}};
    if (e->function->ast->n_may_alias == 0 || aliases->mode == TIRBI_ALIAS_APART) return false;
    touch_stmt(&t, loop);
    if (!any_in_the_way(e, &t)) return false;
    tirbi_alias_mode outer = aliases->mode;
    tirbi_nest nest;
    tirbi_patch_list in_order = {0}, end = {0};
    bool in_place = outer != TIRBI_ALIAS_CROSSED && tirbi_choose_lanes(e, loop, &nest);
    if (!in_place && outer != TIRBI_ALIAS_ANY) {
        tirbi_put_loop_in_order(e, loop);
        return true;
    }
    branch_if_met(e, &t, in_place, &in_order);
    tirbi_scope scope = tirbi_scope_open(e);
    if (in_place) {
        tirbi_put_nest(e, &nest);
    } else {
        aliases->mode = TIRBI_ALIAS_APART;
        tirbi_put_stmt(e, loop);
    }
    tirbi_scope_close(e, scope);
    tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
    tirbi_land(e, &in_order);
    aliases->mode = in_place ? TIRBI_ALIAS_CROSSED : TIRBI_ALIAS_MET;
    tirbi_forget_registers(e, loop);
    scope = tirbi_scope_open(e);
    tirbi_put_loop_in_order(e, loop);
    tirbi_scope_close(e, scope);
    aliases->mode = outer;
    tirbi_land(e, &end);
    return true;
}
