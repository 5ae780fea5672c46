/* Versions of a statement, one of which runs by a condition, or by how the memory of parameters meets. */
#include "compiler/emit/emit.h"

#include "compiler/loop/visit.h"

/* Jumps where some pair of parameters shares memory and, if the version is right in place, begins at different
 * bytes. */
static void branch_if_met(tirbi_emitter *e, const tirbi_version *version, tirbi_patch_list *list) {
    for (uint32_t i = 0; i < version->n_pairs; i++) {
        const tirb_param_pair *pair = &version->pairs[i];
        tirbi_scope scope = tirbi_scope_open(e);
        uint16_t met = tirbi_put_meet(e, tirbi_buffer_ref(e, e->function->param_buffers[pair->first]),
                                      tirbi_buffer_ref(e, e->function->param_buffers[pair->second]));
        if (version->in_place) {
            uint16_t one = tirbi_put_value(e, tirbi_lx_number(e->pool, 1));
            TIRBI_PUT(e, TIRB_OP_GT, TIRB_I64, met, met, one);
        }
        tirbi_put_jump(e, TIRB_OP_BRIF, met, list);
        tirbi_scope_close(e, scope);
    }
}

/* Variables of a statement that is emitted again get registers anew: what it declares, and those of its loops, which
 * the other version may have declared in their places. */
static tirbi_step forget_register(tirbi_walk *w, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SET && s->as.set.declares) tirbi_set_reg(w->context, s->as.set.var, -1);
    if (s->kind == TIRBI_LS_LOOP) tirbi_set_reg(w->context, s->as.loop.var, -1);
    return TIRBI_INTO;
}

void tirbi_put_version(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_version *version = node->as.version;
    tirbi_alias_mode *mode = &e->function->aliases.mode;
    const tirbi_alias_mode outer = *mode;
    tirbi_patch_list otherwise = {0}, end = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    if (version->check) tirbi_put_sched(e, version->check);
    if (version->condition)
        tirbi_put_branch_unless(e, version->condition, &otherwise);
    else
        branch_if_met(e, version, &otherwise);
    if (version->knows == TIRBI_KNOWN_IN_BOTH) scope = tirbi_scope_open(e);
    if (version->knows == TIRBI_KNOWN_IN_NONE) tirbi_scope_close(e, scope);
    for (uint32_t i = 0; i < version->n_narrow; i++)
        tirbi_set_reg(e, version->narrow[i], tirbi_reg_of(e, version->narrow[i]->as));
    *mode = version->mode[0];
    tirbi_put_sched(e, node->items[0]);
    tirbi_scope_close(e, scope);
    tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
    tirbi_land(e, &otherwise);
    *mode = version->mode[1];
    tirbi_walk_stmt(&(tirbi_walk){.context = e, .stmt = forget_register}, node->stmt);
    scope = tirbi_scope_open(e);
    tirbi_put_sched(e, node->items[1]);
    tirbi_scope_close(e, scope);
    *mode = outer;
    tirbi_land(e, &end);
}
