/* An element may hold what a variable does where it cannot fail, stays the same one throughout the iteration, and is
 * not reached but by the store at the end: then nobody sees what is in it before, and it has the variable's type. */
#include "compiler/optimize/normalise/targets.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_STATEMENTS = 16, MAX_WORK = 512 };

static const uint32_t KINDS = TIRBI_NESTS;

typedef struct keeper {
    tirbi_lx_pool *pool;
    const tirbi_ls *items[MAX_STATEMENTS]; /* the loop's body */
    uint32_t n;
    tirbi_lvar *var;
    const tirbi_ls *last; /* the store of what became of it */
    const tirbi_lx *element;
    tirbi_loop_set sets; /* the variables that the body sets */
    uint32_t work;       /* that may still be done */
} keeper;

/* ---- What reaches the element ----------------------------------------------------------------------------------- */

static bool place_is_apart(void *context, const tirbi_reached *a) {
    const keeper *k = context;
    if (a->stmt == k->last && a->what != TIRBI_LOADS) return true;
    return !tirbi_may_meet(a->place->buffer->root, k->last->as.store.access->buffer->root) &&
           !tirbi_place_depends_on(a->place, k->var);
}

static bool value_is_apart(void *context, const tirbi_lx *x) {
    (void)x;
    keeper *k = context;
    if (k->work == 0) return false;
    k->work--;
    return true;
}

static bool loop_is_apart(void *context, const tirbi_ls *s) {
    const keeper *k = context;
    return s->kind != TIRBI_LS_LOOP ||
           (!tirbi_lx_depends_on(s->as.loop.var->min, k->var) && !tirbi_lx_depends_on(s->as.loop.var->extent, k->var) &&
            (!s->as.loop.var->below || !tirbi_lx_depends_on(s->as.loop.var->below, k->var)));
}

/* Loops, stores and assignments none of which has to do with the element. */
static bool is_apart(keeper *k, const tirbi_ls *s) {
    tirbi_accesses all = {.context = k,
                          .stmt = loop_is_apart,
                          .value = value_is_apart,
                          .access = place_is_apart,
                          .kinds = KINDS,
                          .sets = &k->sets,
                          .loops = &k->sets};
    return tirbi_find_accesses(&all, s);
}

/* Whether a statement of the kinds above needs a variable. */
static bool needs(const tirbi_ls *s, tirbi_lvar *var) {
    return !tirbi_is_made_of(s, KINDS) || tirbi_sets(s, var) || tirbi_names(s, &var, 1);
}

static bool stands_still(const keeper *k, const tirbi_place *place) {
    return !place->buffer->local && tirbi_is_proven(place) && tirbi_stands_still(place, &k->sets);
}

/* Whether what the variable that item `at` declares holds may be in an element. */
static bool find_target(keeper *k, uint32_t at) {
    const tirbi_ls *begin = k->items[at];
    if (begin->kind != TIRBI_LS_SET || !begin->as.set.declares || begin->as.set.var->kind != TIRBI_LVAR_LOCAL)
        return false;
    k->var = begin->as.set.var;
    k->sets.n = 0;
    uint32_t last = k->n - 1;
    while (last > at && !needs(k->items[last], k->var)) last--;
    k->last = k->items[last];
    if (k->last->kind != TIRBI_LS_STORE || k->last->as.store.access->buffer->type != k->var->type) return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!is_apart(k, k->items[i])) return false;
    if (!stands_still(k, k->last->as.store.access)) return false;
    k->element = tirbi_lx_load(k->pool, k->last->as.store.access);
    return k->element && !k->element->traps;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

/* The body with the element in place of the variable, which need not be stored as it is at the end. */
static bool replace_variable(keeper *k) {
    tirbi_rewrite rewrite = {.pool = k->pool, .stores = true, .anew = TIRBI_LOOPS_ANEW};
    tirbi_bind_variable(&rewrite, k->var, k->element);
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_lx *stored = k->items[i] == k->last ? k->last->as.store.value : NULL;
        if (stored && stored->kind == TIRBI_LX_VAR && stored->var == k->var) continue;
        k->items[n] = tirbi_rewrite_stmt(&rewrite, k->items[i]);
        if (!k->items[n++]) return false;
    }
    k->n = n;
    return true;
}

const tirbi_ls *tirbi_keep_in_targets(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    keeper k = {.pool = pool, .work = MAX_WORK};
    bool found = false;
    if (!tirbi_list_statements(loop->as.loop.body, k.items, &k.n, MAX_STATEMENTS)) return NULL;
    for (uint32_t i = 0; i + 1 < k.n; i++) {
        if (!find_target(&k, i)) continue;
        found = true;
        if (!replace_variable(&k)) return NULL;
    }
    const tirbi_ls *body = found ? tirbi_new_sequence(pool, loop->span, k.items, k.n) : NULL;
    return tirbi_loop_like(pool, loop, NULL, body);
}
