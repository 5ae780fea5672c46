/* p[i] = cond(v[i] > x[i, k] or v[i] == x[i, k] and p[i] < k, p[i], k) for int64 places p, as a tuple reduction has
 * them: what is stored is a number that int32 holds, or what one of the elements was. So memory of int32 will do, and
 * comparisons of its elements with such numbers: lanes of 32 bits are twice as many, and stay in registers. */
#include "compiler/optimize/normalise/narrow.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_LETS = 8 };

typedef struct narrowing {
    tirbi_lx_pool *pool;
    tirbi_lbuf *wide, *narrow;
    bool chooses;                    /* some element is stored anew as it was, or not */
    uint32_t loads, loaded;          /* of the wide memory, and which of them were replaced */
    const tirbi_lvar *let[MAX_LETS]; /* names of what is stored perhaps; and the narrower ones */
    tirbi_lvar *narrow_let[MAX_LETS];
    uint32_t n_lets;
    bool failed;
} narrowing;

static bool is_element(const narrowing *n, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && x->access->buffer == n->wide;
}

/* The number of a name, or n_lets. */
static uint32_t let_of(const narrowing *n, const tirbi_lvar *var) {
    uint32_t i = 0;
    while (i < n->n_lets && n->let[i] != var) i++;
    return i;
}

/* Whether int32 holds a value, if it holds all elements. */
static bool fits(const narrowing *n, const tirbi_lx *x) {
    if (is_element(n, x) || (x->kind == TIRBI_LX_VAR && let_of(n, x->var) < n->n_lets)) return true;
    if (tirbi_is_choice(x)) return fits(n, x->args[1]) && fits(n, x->args[2]);
    return x->type == TIRB_I64 && x->lo >= INT32_MIN && x->hi <= INT32_MAX;
}

static bool chooses(const narrowing *n, const tirbi_lx *x) {
    return tirbi_is_choice(x) && (is_element(n, x->args[1]) || is_element(n, x->args[2])) && fits(n, x);
}

/* ---- What is stored --------------------------------------------------------------------------------------------- */

/* A name of an element, as it was or another one. */
static void note_let(narrowing *n, const tirbi_ls *s) {
    tirbi_lvar *var = s->as.set.var;
    if (!s->as.set.declares || !s->as.set.value || var->kind != TIRBI_LVAR_LET || n->n_lets == MAX_LETS ||
        !chooses(n, s->as.set.value))
        return;
    n->let[n->n_lets++] = var;
    n->chooses = true;
}

static tirbi_step look_at_statement(tirbi_walk *w, const tirbi_ls *s) {
    narrowing *n = w->context;
    if (s->kind == TIRBI_LS_SET) note_let(n, s);
    if (s->kind != TIRBI_LS_STORE || s->as.store.access->buffer != n->wide) return TIRBI_INTO;
    const tirbi_lx *x = s->as.store.value;
    if (!fits(n, x)) return TIRBI_STOP;
    n->chooses = n->chooses || chooses(n, x);
    return TIRBI_INTO;
}

static bool look_at_access(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    narrowing *n = w->context;
    if (place->buffer->root != n->wide) return true;
    if (load) n->loads++;
    return place->buffer == n->wide && !place->view;
}

/* Whether all that the items behind an allocation do with its memory may be done with a narrower one. */
static bool may_be_narrow(narrowing *n, const tirbi_ls *seq, uint32_t alloc) {
    const tirbi_lbuf *b = n->wide;
    if (b->type != TIRB_I64 || b->local || b->param >= 0 || b->broadcasts || b->overlaps || b->constant || b->offset ||
        b->length || b->holds)
        return false;
    for (uint32_t i = alloc + 1; i < seq->as.seq.n; i++) {
        tirbi_walk walk = {.context = n,
                           .stmt = look_at_statement,
                           .expr = tirbi_stop_at_call,
                           .access = look_at_access,
                           .kinds = TIRBI_NESTS,
                           .reach = TIRBI_WALK_ALL};
        const tirbi_ls *s = seq->as.seq.items[i];
        if (tirbi_statement_uses(s, b) && !tirbi_walk_stmt(&walk, s)) return false;
    }
    return n->chooses;
}

/* ---- The narrower memory ---------------------------------------------------------------------------------------- */

static const tirbi_lx *load_narrow(narrowing *n, tirbi_rewrite *r, const tirbi_lx *x) {
    tirbi_place *place = (tirbi_place *)(uintptr_t)tirbi_rewrite_place(r, x->access);
    n->loaded++;
    if (!place) return NULL;
    place->buffer = n->narrow;
    return tirbi_lx_load(n->pool, place);
}

/* A value that int32 holds, as one. */
static const tirbi_lx *as_narrow(narrowing *n, tirbi_rewrite *r, const tirbi_lx *x) {
    if (is_element(n, x)) return load_narrow(n, r, x);
    const uint32_t let = x->kind == TIRBI_LX_VAR ? let_of(n, x->var) : n->n_lets;
    if (let < n->n_lets) return tirbi_lx_var(n->pool, n->narrow_let[let]);
    if (x->kind == TIRBI_LX_CONST) return tirbi_lx_int(n->pool, TIRB_I32, x->value);
    if (!tirbi_is_choice(x)) {
        const tirbi_lx *value = tirbi_rewrite_value(r, x);
        return tirbi_value_in_type(n->pool, TIRB_I32, value);
    }
    const tirbi_lx *when = tirbi_rewrite_value(r, x->args[0]), *then = as_narrow(n, r, x->args[1]),
                   *otherwise = as_narrow(n, r, x->args[2]);
    if (!when || !then || !otherwise) return NULL;
    if (x->kind == TIRBI_LX_COND) return tirbi_lx_lazy(n->pool, TIRBI_LX_COND, when, then, otherwise);
    return tirbi_lx_op(n->pool, TIRB_OP_SELECT, TIRB_I32, TIRB_TYPE_NONE, when, then, otherwise);
}

static const tirbi_lx *replace(tirbi_rewrite *r, const tirbi_lx *x) {
    narrowing *n = r->context;
    if (is_element(n, x) || (x->kind == TIRBI_LX_VAR && let_of(n, x->var) < n->n_lets)) {
        const tirbi_lx *value = as_narrow(n, r, x);
        return tirbi_lx_cast(n->pool, TIRB_I64, value);
    }
    if (!tirbi_is_comparison(x) || !(is_element(n, x->args[0]) || is_element(n, x->args[1])) || !fits(n, x->args[0]) ||
        !fits(n, x->args[1]))
        return NULL;
    const tirbi_lx *a = as_narrow(n, r, x->args[0]), *b = as_narrow(n, r, x->args[1]);
    return tirbi_lx_binary(n->pool, (tirbi_op)x->op, TIRB_I32, a, b);
}

static const tirbi_ls *narrow_store(narrowing *n, tirbi_rewrite *r, const tirbi_ls *s) {
    tirbi_place *place = (tirbi_place *)(uintptr_t)tirbi_rewrite_place(r, s->as.store.access);
    const tirbi_lx *value = as_narrow(n, r, s->as.store.value);
    if (!place || !value) return NULL;
    place->buffer = n->narrow;
    return tirbi_new_store(n->pool, s->span, place, value);
}

static const tirbi_ls *narrow_set(narrowing *n, tirbi_rewrite *r, const tirbi_ls *s) {
    const uint32_t let = let_of(n, s->as.set.var);
    if (let == n->n_lets) return s->as.set.value ? tirbi_rewrite_stmt(r, s) : s;
    const tirbi_lx *value = as_narrow(n, r, s->as.set.value);
    return tirbi_new_set(n->pool, s->span, n->narrow_let[let], value, true);
}

/* Makes the narrower memory and names; false where memory ran out. */
static bool make_narrow(narrowing *n) {
    n->narrow = tirbi_new_buffer(n->pool, n->wide->name, TIRB_I32, n->wide->ndim, n->wide->shape);
    for (uint32_t i = 0; n->narrow && i < n->n_lets; i++) {
        tirbi_lvar *var = n->narrow_let[i] = tirbi_variable_like(n->pool, n->let[i]);
        if (!var) return false;
        var->type = TIRB_I32;
        var->lo = INT32_MIN;
        var->hi = INT32_MAX;
    }
    return n->narrow != NULL;
}

static const tirbi_ls *narrow_statement(void *context, const tirbi_ls *s) {
    narrowing *n = context;
    tirbi_rewrite r = {.pool = n->pool, .replace = replace, .context = n};
    const tirbi_ls *other = NULL;
    if (s->kind == TIRBI_LS_STORE && s->as.store.access->buffer == n->wide) {
        other = narrow_store(n, &r, s);
    } else if (s->kind == TIRBI_LS_STORE) {
        other = tirbi_rewrite_stmt(&r, s);
    } else if (s->kind == TIRBI_LS_SET) {
        other = narrow_set(n, &r, s);
    } else {
        const tirbi_ls *inside = tirbi_replace_inside(n->pool, s, narrow_statement, n);
        tirbi_ls *copy = inside && s->kind == TIRBI_LS_IF ? TIRBI_NEW(n->pool->arena, tirbi_ls) : NULL;
        other = inside;
        if (copy) {
            *copy = *inside;
            copy->as.if_.condition = tirbi_rewrite_value(&r, s->as.if_.condition);
            other = copy->as.if_.condition ? copy : NULL;
        }
    }
    n->failed = n->failed || !other;
    return other ? other : s;
}

/* The sequence with narrower memory in place of what an item allocates, or itself. */
static const tirbi_ls *narrow_one(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t alloc) {
    narrowing n = {.pool = pool, .wide = seq->as.seq.items[alloc]->as.alloc.buffer};
    if (!may_be_narrow(&n, seq, alloc)) return seq;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, seq->as.seq.n);
    if (!make_narrow(&n) || !items) return seq;
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        const tirbi_ls *s = seq->as.seq.items[i];
        items[i] = i > alloc && tirbi_statement_uses(s, n.wide) ? narrow_statement(&n, s) : s;
    }
    items[alloc] = tirbi_new_alloc(pool, seq->as.seq.items[alloc]->span, n.narrow);
    if (n.failed || !items[alloc] || n.loads != n.loaded) return seq;
    return tirbi_new_sequence(pool, seq->span, items, seq->as.seq.n);
}

static const tirbi_ls *narrow_all(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    s = tirbi_replace_inside(pool, s, narrow_all, pool);
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++) {
        const tirbi_ls *made = tirbi_is_plain_allocation(s->as.seq.items[i]) ? narrow_one(pool, s, i) : s;
        s = made ? made : s;
    }
    return s;
}

const tirbi_ls *tirbi_narrow_temporaries(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? narrow_all(pool, body) : NULL;
}
