#include "compiler/optimize/carried/still.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_NAMED = 16, MAX_STORED = 8 };

typedef struct namer {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    bool nests, variables; /* of loops around loops; variables alone */
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    tirbi_roots stored; /* by the body */
    struct {
        const tirbi_lx *load;
        tirbi_lvar *var;
    } named[MAX_NAMED];
    uint32_t n;
} namer;

/* ---- What the body changes -------------------------------------------------------------------------------------- */

static bool is_of_rows(const void *context, const tirbi_ls *s) {
    (void)context;
    return s->kind == TIRBI_LS_LOOP && (s->as.loop.blocks || s->as.loop.rows);
}

static bool note_body(namer *m, const tirbi_ls *body) {
    return tirbi_find_variables(&m->own, body, m->nests ? TIRBI_NESTS : TIRBI_STRAIGHT) &&
           tirbi_find_stored(&m->stored, body, MAX_STORED) && !tirbi_any_stmt(body, is_of_rows, NULL);
}

/* Whether a load cannot fail and gives the same value in all iterations. */
static bool is_still(const namer *m, const tirbi_lx *x) {
    const tirbi_place *place = x->access;
    return x->kind == TIRBI_LX_LOAD && !x->traps && !place->buffer->local &&
           !tirbi_is_among(&m->stored, place->buffer->root) && tirbi_stands_still(place, &m->own);
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *name(namer *m, const tirbi_lx *x, const char *as) {
    for (uint32_t i = 0; i < m->n; i++) {
        if (tirbi_same_value(m->named[i].load, x)) return tirbi_lx_var(m->pool, m->named[i].var);
    }
    tirbi_lvar *var = m->n < MAX_NAMED ? tirbi_variable_for(m->pool, TIRBI_LVAR_LET, as, x, m->loop->span) : NULL;
    if (!var) return NULL;
    m->named[m->n].load = x;
    m->named[m->n++].var = var;
    return tirbi_lx_var(m->pool, var);
}

/* Whether it is a variable that may be set several times, but not in the loop. */
static bool stays(const namer *m, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL && !tirbi_mentions_loops(x, &m->own);
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    namer *m = rewrite->context;
    if (stays(m, x)) return name(m, x, x->var->name);
    return !m->variables && x->kind == TIRBI_LX_LOAD && is_still(m, x) ? name(m, x, x->access->buffer->name) : NULL;
}

/* A bound, which is computed before the loop as it is. */
static const tirbi_lx *bound(namer *m, const tirbi_lx *x, const char *as) {
    return x->pure && !x->traps ? x : name(m, x, as);
}

static const tirbi_ls *with_names(namer *m, const tirbi_ls *loop) {
    const tirbi_ls *items[MAX_NAMED + 1];
    for (uint32_t i = 0; i < m->n; i++)
        items[i] = tirbi_new_set(m->pool, m->loop->span, m->named[i].var, m->named[i].load, true);
    items[m->n] = loop;
    return tirbi_new_sequence(m->pool, m->loop->span, items, m->n + 1);
}

static tirbi_step find_in_subscript(tirbi_walk *w, const tirbi_lx *x) {
    return w->indexes && stays(w->context, x) ? TIRBI_STOP : TIRBI_INTO;
}

static bool subscripts_stay(namer *m, const tirbi_ls *body) {
    tirbi_walk walk = {.context = m, .expr = find_in_subscript, .reach = TIRBI_WALK_PLACES};
    return !tirbi_walk_stmt(&walk, body);
}

static const tirbi_ls *name_in(namer *m, const tirbi_ls *loop) {
    tirbi_lx_pool *const pool = m->pool;
    tirbi_lvar *old = loop->as.loop.var;
    tirbi_ls *fresh = tirbi_same_stmt(pool, loop);
    tirbi_lvar *var = tirbi_variable_like(pool, old);
    if (!fresh || !var) return NULL;
    const bool straight = note_body(m, loop->as.loop.body);
    if (m->variables && !(straight && subscripts_stay(m, loop->as.loop.body))) return NULL;
    if (!straight && !tirbi_can_resolve(loop->as.loop.body)) return NULL;
    var->min = bound(m, old->min, "first");
    var->extent = var->min ? bound(m, old->extent, "rounds") : NULL;
    if (!var->extent) return NULL;
    fresh->as.loop.var = var;
    if (!straight) {
        const tirbi_given none = {.n = 0};
        const tirbi_lx *renamed = tirbi_lx_var(pool, var);
        fresh->as.loop.body =
            m->n > 0 && renamed ? tirbi_resolve(pool, &none, loop->as.loop.body, old, renamed, var) : NULL;
        return fresh->as.loop.body ? with_names(m, fresh) : NULL;
    }
    const uint8_t anew = m->nests ? TIRBI_LOOPS_ANEW : 0;
    tirbi_rewrite loads = {.pool = pool, .replace = replace, .context = m, .anew = anew};
    const tirbi_ls *body = tirbi_rewrite_stmt(&loads, loop->as.loop.body);
    if (!body || m->n == 0) return NULL;
    tirbi_rewrite variable = {.pool = pool, .anew = anew};
    tirbi_bind_variable(&variable, old, tirbi_lx_var(pool, var));
    fresh->as.loop.body = tirbi_rewrite_stmt(&variable, body);
    return fresh->as.loop.body ? with_names(m, fresh) : NULL;
}

static namer *new_namer(tirbi_lx_pool *pool, const tirbi_ls *loop, bool nests, bool variables) {
    namer *m = loop->as.loop.blocks || loop->as.loop.rows ? NULL : TIRBI_NEW(pool->arena, namer);
    if (!m) return NULL;
    *m = (namer){.pool = pool, .loop = loop, .nests = nests, .variables = variables};
    m->own.var[m->own.n++] = loop->as.loop.var;
    return m;
}

const tirbi_ls *tirbi_name_still_loads(tirbi_lx_pool *pool, const tirbi_ls *loop, bool nests) {
    namer *m = new_namer(pool, loop, nests, false);
    return m ? name_in(m, loop) : NULL;
}

const tirbi_ls *tirbi_name_still_variables(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    namer *m = loop->as.loop.var->extent->hi > 1 ? new_namer(pool, loop, true, true) : NULL;
    return m ? name_in(m, loop) : NULL;
}
