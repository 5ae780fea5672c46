#include "compiler/optimize/carried/behind.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_STORES = 16, MAX_SIZE = 64 };

typedef struct viewer {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *set; /* of the variable */
    uint32_t at;         /* where it stands in the body */
    tirbi_roots stored;  /* by the body */
} viewer;

/* ---- Which variable --------------------------------------------------------------------------------------------- */

/* The value of a variable that is set once in the body, for good, ahead of `at`; NULL where it is no such one. */
static const tirbi_lx *value_of(const viewer *v, const tirbi_lvar *var) {
    const tirbi_ls *body = v->loop->as.loop.body;
    for (uint32_t i = 0; i < v->at && var->kind == TIRBI_LVAR_LET; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        if (s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.var == var) return s->as.set.value;
    }
    return NULL;
}

/* Whether a node of a value cannot be computed an iteration later as well: it may fail, or loads what the loop stores
 * to. */
static bool passes(const void *context, const tirbi_lx *x) {
    const viewer *v = context;
    if (x->traps || x->kind == TIRBI_LX_CALL || x->size > MAX_SIZE) return true;
    if (x->kind == TIRBI_LX_LOAD) return x->access->view || tirbi_is_among(&v->stored, x->access->buffer->root);
    if (x->kind != TIRBI_LX_VAR || !tirbi_sets(v->loop->as.loop.body, x->var)) return false;
    const tirbi_lx *value = value_of(v, x->var);
    return !value || tirbi_any_expr(value, TIRBI_WALK_INDICES, passes, v);
}

/* The first statement of the body that sets a variable for the iterations behind, and nothing else does. */
static bool find_set(viewer *v) {
    const tirbi_ls *body = v->loop->as.loop.body;
    if (!tirbi_is_made_of(body, TIRBI_STRAIGHT) || !tirbi_find_stored(&v->stored, body, MAX_STORES)) return false;
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        if (s->kind != TIRBI_LS_SET || s->as.set.declares || s->as.set.var->kind != TIRBI_LVAR_LOCAL ||
            tirbi_lx_depends_on(s->as.set.value, s->as.set.var))
            continue;
        bool again = false, read = false;
        tirbi_lvar *var = s->as.set.var;
        for (uint32_t k = 0; k < body->as.seq.n; k++) {
            const tirbi_ls *other = body->as.seq.items[k];
            again = again || (k != i && tirbi_sets(other, var));
            read = read || (k > i && tirbi_names(other, &var, 1));
        }
        v->set = s;
        v->at = i;
        if (!again && !read && !tirbi_any_expr(s->as.set.value, TIRBI_WALK_INDICES, passes, v)) return true;
    }
    return false;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace_name(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_lx *value = x->kind == TIRBI_LX_VAR ? value_of(rewrite->context, x->var) : NULL;
    return tirbi_rewrite_value(rewrite, value);
}

/* What was set in the iteration that `now` stands for. */
static const tirbi_lx *value_at(viewer *v, const tirbi_lx *now) {
    tirbi_rewrite rewrite = {.pool = v->pool, .replace = replace_name, .context = v};
    tirbi_bind_variable(&rewrite, v->loop->as.loop.var, now);
    return now ? tirbi_rewrite_value(&rewrite, v->set->as.set.value) : NULL;
}

/* The body without the statement, where the variable is what it was set to before. */
static const tirbi_ls *body_without(viewer *v, const tirbi_lx *before) {
    const tirbi_ls *body = v->loop->as.loop.body;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_ls *, body->as.seq.n);
    uint32_t n = 0;
    if (!items) return NULL;
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        if (i == v->at) continue;
        items[n] = tirbi_code_with(v->pool, body->as.seq.items[i], v->set->as.set.var, before);
        if (!items[n++]) return NULL;
    }
    return tirbi_new_sequence(v->pool, v->loop->span, items, n);
}

/* The iterations behind the first one. */
static const tirbi_ls *loop_behind(viewer *v) {
    const tirbi_lvar *old = v->loop->as.loop.var;
    tirbi_lvar *var = tirbi_part_variable(v->pool, old, tirbi_lx_number(v->pool, 1), old->extent);
    const tirbi_lx *then = tirbi_lx_binary(v->pool, TIRB_OP_SUB, old->type, tirbi_lx_var(v->pool, var),
                                           tirbi_lx_int(v->pool, old->type, 1));
    return then ? tirbi_loop_of(v->pool, v->loop, var, body_without(v, value_at(v, then)), false) : NULL;
}

static const tirbi_ls *last_value(viewer *v) {
    const tirbi_lvar *old = v->loop->as.loop.var;
    const tirbi_lx *one = tirbi_lx_number(v->pool, 1);
    const tirbi_lx *last = tirbi_lx_sub(v->pool, tirbi_lx_add(v->pool, old->min, old->extent), one);
    const tirbi_lx *value = last ? value_at(v, tirbi_lx_cast(v->pool, old->type, last)) : NULL;
    return tirbi_new_set(v->pool, v->loop->span, v->set->as.set.var, value, false);
}

bool tirbi_look_behind(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_behind *out) {
    const tirbi_ls *body = loop->as.loop.body;
    if (body->kind != TIRBI_LS_SEQ || body->as.seq.n < 2 || !tirbi_is_plain_loop(loop) || !tirbi_can_resolve(body))
        return false;
    viewer *v = TIRBI_NEW(pool->arena, viewer);
    if (!v) return false;
    v->pool = pool;
    v->loop = loop;
    if (!find_set(v)) return false;
    const tirbi_lx *zero = tirbi_lx_number(pool, 0);
    const tirbi_ls *rest = loop_behind(v),
                   *all[3] = {tirbi_iteration_at(pool, loop, body, zero, true), rest, last_value(v)};
    out->rest = rest;
    out->stmt = tirbi_new_if(pool, loop->span, tirbi_lx_wide(pool, TIRB_OP_GT, loop->as.loop.var->extent, zero),
                             tirbi_new_sequence(pool, loop->span, all, 3), NULL);
    return out->stmt != NULL;
}
