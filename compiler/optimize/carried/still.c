#include "compiler/optimize/carried/still.h"

#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"

enum { MAX_NAMED = 16, MAX_STORED = 8, MAX_DEPTH = 64 };

typedef struct namer {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    bool nests;
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    const tirbi_lbuf *stored[MAX_STORED];
    uint32_t n_stored;
    struct {
        const tirbi_lx *load;
        tirbi_lvar *var;
    } named[MAX_NAMED];
    uint32_t n;
} namer;

/* ---- What the body changes -------------------------------------------------------------------------------------- */

static bool note_stmt(namer *m, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH) return false;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!note_stmt(m, s->as.seq.items[i], depth + 1)) return false;
        }
        return true;
    case TIRBI_LS_IF:
        return note_stmt(m, s->as.if_.then_case, depth + 1) &&
               (!s->as.if_.else_case || note_stmt(m, s->as.if_.else_case, depth + 1));
    case TIRBI_LS_SET:
        if (m->own.n == TIRBI_MAX_AFFINE) return false;
        m->own.var[m->own.n++] = s->as.set.var;
        return true;
    case TIRBI_LS_STORE:
        if (m->n_stored == MAX_STORED) return false;
        m->stored[m->n_stored++] = s->as.store.access->buffer->root;
        return true;
    case TIRBI_LS_LOOP:
        if (!m->nests || m->own.n == TIRBI_MAX_AFFINE || s->as.loop.blocks || s->as.loop.rows) return false;
        m->own.var[m->own.n++] = s->as.loop.var;
        return note_stmt(m, s->as.loop.body, depth + 1);
    default: return false;
    }
}

static bool changes(const namer *m, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < m->n_stored; i++) {
        if (tirbi_may_meet(m->stored[i], root)) return true;
    }
    return false;
}

/* Whether a load cannot fail and gives the same value in all iterations. */
static bool is_still(const namer *m, const tirbi_lx *x) {
    const tirbi_place *place = x->access;
    if (x->kind != TIRBI_LX_LOAD || x->traps || place->view || place->buffer->local || changes(m, place->buffer->root))
        return false;
    if (!place->flat->pure || tirbi_mentions_loops(place->flat, &m->own)) return false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (!place->indices[d]->pure || tirbi_mentions_loops(place->indices[d], &m->own)) return false;
    }
    return true;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *name(namer *m, const tirbi_lx *x, const char *as) {
    for (uint32_t i = 0; i < m->n; i++) {
        if (tirbi_same_value(m->named[i].load, x)) return tirbi_lx_var(m->pool, m->named[i].var);
    }
    tirbi_lvar *var = m->n < MAX_NAMED ? TIRBI_NEW(m->pool->arena, tirbi_lvar) : NULL;
    if (!var) return NULL;
    *var = (tirbi_lvar){.name = as,
                        .kind = TIRBI_LVAR_LET,
                        .type = (tirbi_dtype)x->type,
                        .lo = x->lo,
                        .hi = x->hi,
                        .span = m->loop->span};
    m->named[m->n].load = x;
    m->named[m->n++].var = var;
    return tirbi_lx_var(m->pool, var);
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    namer *m = rewrite->context;
    const bool stays = x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL && !tirbi_mentions_loops(x, &m->own);
    if (stays) return name(m, x, x->var->name);
    return x->kind == TIRBI_LX_LOAD && is_still(m, x) ? name(m, x, x->access->buffer->name) : NULL;
}

static const tirbi_lx *replace_variable(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    tirbi_lvar *const *names = rewrite->context; /* from, to */
    return x->kind == TIRBI_LX_VAR && x->var == names[0] ? tirbi_lx_var(rewrite->pool, names[1]) : NULL;
}

/* A bound, which is computed before the loop as it is. */
static const tirbi_lx *bound(namer *m, const tirbi_lx *x, const char *as) {
    return x->pure && !x->traps ? x : name(m, x, as);
}

static const tirbi_ls *with_names(namer *m, const tirbi_ls *loop) {
    tirbi_ls *whole = TIRBI_NEW(m->pool->arena, tirbi_ls), *sets = TIRBI_NEW_ARRAY(m->pool->arena, tirbi_ls, MAX_NAMED);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(m->pool->arena, const tirbi_ls *, m->n + 1);
    if (!whole || !sets || !items) return NULL;
    for (uint32_t i = 0; i < m->n; i++) {
        sets[i] = (tirbi_ls){.kind = TIRBI_LS_SET, .span = m->loop->span};
        sets[i].as.set.var = m->named[i].var;
        sets[i].as.set.value = m->named[i].load;
        sets[i].as.set.declares = true;
        items[i] = &sets[i];
    }
    items[m->n] = loop;
    *whole = (tirbi_ls){.kind = TIRBI_LS_SEQ, .span = m->loop->span};
    whole->as.seq.items = items;
    whole->as.seq.n = m->n + 1;
    return whole;
}

const tirbi_ls *tirbi_name_still_loads(tirbi_lx_pool *pool, const tirbi_ls *loop, bool nests) {
    tirbi_lvar *old = loop->as.loop.var;
    namer *m = TIRBI_NEW(pool->arena, namer);
    tirbi_ls *fresh = TIRBI_NEW(pool->arena, tirbi_ls);
    tirbi_lvar *var = TIRBI_NEW(pool->arena, tirbi_lvar);
    if (!m || !fresh || !var || loop->as.loop.blocks || loop->as.loop.rows) return NULL;
    m->pool = pool;
    m->loop = loop;
    m->nests = nests;
    m->own.var[m->own.n++] = old;
    const bool straight = note_stmt(m, loop->as.loop.body, 0);
    if (!straight && !tirbi_can_resolve(loop->as.loop.body)) return NULL;
    *var = *old;
    var->id = 0;
    var->min = bound(m, old->min, "first");
    var->extent = var->min ? bound(m, old->extent, "rounds") : NULL;
    if (!var->extent) return NULL;
    *fresh = *loop;
    fresh->as.loop.var = var;
    if (!straight) {
        const tirbi_facts none = {.n = 0};
        const tirbi_lx *renamed = tirbi_lx_var(pool, var);
        fresh->as.loop.body =
            m->n > 0 && renamed ? tirbi_resolve(pool, &none, loop->as.loop.body, old, renamed, var, true) : NULL;
        return fresh->as.loop.body ? with_names(m, fresh) : NULL;
    }
    tirbi_rewrite loads = {.pool = pool, .replace = replace, .context = m, .loops = nests};
    const tirbi_ls *body = tirbi_rewrite_assignments(&loads, loop->as.loop.body);
    if (!body || m->n == 0) return NULL;
    tirbi_lvar *names[2] = {old, var};
    tirbi_rewrite variable = {.pool = pool, .replace = replace_variable, .context = names, .loops = nests};
    fresh->as.loop.body = tirbi_rewrite_assignments(&variable, body);
    return fresh->as.loop.body ? with_names(m, fresh) : NULL;
}
