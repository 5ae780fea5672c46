/* for i, j: C[i, j] = 0; for k: C[i, j] += ..; C[i, j] = f(C[i, j]), and the same with variables that hold sums, are
 * cut into one nest per statement. That keeps every location's updates in program order when what two statements
 * access, and one of them writes, are elements that no other iteration of the common loops accesses. A variable becomes
 * the element that it goes to in the end, or one of a buffer that has an element for each iteration of the common
 * loops. */
#include "compiler/optimize/contractions/distribute.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ACCESSES = 64, MAX_VARIABLES = 4, MAX_VALUE = 64 };

typedef struct distributor {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE]; /* the common loops */
    tirbi_loop_set loops;
    const tirbi_ls *parts[TIRBI_MAX_PARTS];
    uint32_t n_parts;
    const tirbi_lvar *variables[MAX_VARIABLES];
    const tirbi_lx *elements[MAX_VARIABLES]; /* what the variables become */
    tirbi_lbuf *temporaries[MAX_VARIABLES];
    uint32_t n_variables;
    tirbi_reached accesses[MAX_ACCESSES]; /* by part */
    uint32_t n_accesses;
} distributor;

static bool invariant(const distributor *d, const tirbi_lx *x) {
    return x->pure && !x->traps && !tirbi_mentions_loops(x, &d->loops);
}

/* The loops down to the first body that is more than a loop, and the statements of that body. */
static bool collect(distributor *d, const tirbi_ls *s) {
    s = tirbi_perfect_nest(s, TIRBI_MAX_CONTRACT_LOOPS, d->loop, &d->loops);
    if (s->kind != TIRBI_LS_SEQ || s->as.seq.n < 2 || s->as.seq.n > TIRBI_MAX_PARTS) return false;
    d->n_parts = s->as.seq.n;
    memcpy(d->parts, s->as.seq.items, d->n_parts * sizeof(*d->parts));
    return true;
}

/* ---- Values that have names ------------------------------------------------------------------------------------- */

static bool declares(const distributor *d, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < d->n_parts; i++) {
        const tirbi_ls *s = d->parts[i];
        if (s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.var == var) return true;
    }
    return false;
}

/* x = f(..); y = g(x); C[..] = h(x, y), at the end, as one store. */
static void store_at_once(distributor *d) {
    const tirbi_ls *last = d->parts[d->n_parts - 1];
    for (; d->n_parts >= 2 && last->kind == TIRBI_LS_STORE; d->parts[d->n_parts - 1] = last) {
        const tirbi_ls *set = d->parts[d->n_parts - 2];
        const bool known = set->kind == TIRBI_LS_SET && set->as.set.value && !set->as.set.value->traps;
        if (!known || !declares(d, set->as.set.var) || tirbi_place_depends_on(last->as.store.access, set->as.set.var))
            return;
        const tirbi_lx *value =
            tirbi_value_with(d->pool, last->as.store.value, set->as.set.var, set->as.set.value);
        tirbi_ls *store = value && value->size <= MAX_VALUE ? tirbi_same_stmt(d->pool, last) : NULL;
        if (!store) return;
        store->as.store.value = value;
        last = store;
        d->n_parts--;
    }
}

/* ---- A sum in a variable -------------------------------------------------------------------------------------- */

static bool may_load_from(const void *root, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_LOAD && tirbi_may_meet(x->access->buffer->root, root));
}

/* var = first; loops: var = ..; C[..] = f(var), with C in the variable's place. Nothing else may use the variable,
 * which then is never set. */
static bool use_place_of_sum(distributor *d, uint32_t sets) {
    if (sets + 2 != d->n_parts) return false;
    const tirbi_ls *last = d->parts[sets + 1];
    const tirbi_lvar *var = d->parts[0]->as.set.var;
    if (!d->parts[0]->as.set.declares || last->kind != TIRBI_LS_STORE ||
        last->as.store.access->buffer->type != var->type) {
        return false;
    }
    for (uint32_t i = 0; i < sets; i++) {
        if (d->parts[i]->as.set.var != var || tirbi_lx_mentions(d->parts[i]->as.set.value, var)) return false;
    }
    const tirbi_place *place = last->as.store.access;
    for (uint32_t i = 0; i < place->ndim; i++) {
        if (tirbi_lx_mentions(place->indices[i], var) || !place->indices[i]->pure) return false;
    }
    bool as_is = last->as.store.value->kind == TIRBI_LX_VAR && last->as.store.value->var == var;
    tirbi_rewrite rewrite = {.pool = d->pool, .kinds = TIRBI_NESTS, .stores = true};
    tirbi_bind_variable(&rewrite, var, tirbi_lx_load(d->pool, place));
    const tirbi_ls *made[3];
    const uint32_t n = as_is ? 2 : 3;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *s = d->parts[sets - 1 + i];
        if (tirbi_any_value(s, TIRBI_WALK_INDICES, may_load_from, place->buffer->root)) return false;
        made[i] = tirbi_rewrite_stmt(&rewrite, s);
        if (!made[i]) return false;
    }
    memcpy(d->parts, made, n * sizeof(*made));
    d->n_parts = n;
    return true;
}

/* ---- Several variables ---------------------------------------------------------------------------------------- */

static bool is_placed(const distributor *d, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < d->n_variables; i++)
        if (d->variables[i] == var) return true;
    return false;
}

/* A buffer with an element for every iteration of the common loops, for a variable of their body. */
static bool make_temporary(distributor *d, const tirbi_lvar *var) {
    tirbi_lx_pool *pool = d->pool;
    const uint32_t n = d->loops.n;
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, n);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, n);
    if (d->n_variables == MAX_VARIABLES || !shape || !indices) return false;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lvar *loop = d->loops.var[i];
        const tirbi_lx *counter = tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_var(pool, (tirbi_lvar *)(uintptr_t)loop));
        shape[i] = loop->extent;
        if (loop->extent->lo < 0)
            shape[i] = tirbi_lx_wide(pool, TIRB_OP_MAX, loop->extent, tirbi_lx_number(pool, 0));
        indices[i] = tirbi_lx_sub(pool, counter, loop->min);
    }
    tirbi_lbuf *b = tirbi_new_buffer(pool, var->name, var->type, n, shape);
    const tirbi_place *place = b ? tirbi_place_in(pool, b, indices, d->loop[0]->span) : NULL;
    d->temporaries[d->n_variables] = b;
    d->variables[d->n_variables] = var;
    /* the element is there, whatever the loops begin at */
    d->elements[d->n_variables] = tirbi_lx_inside(pool, tirbi_lx_load(pool, place));
    return d->elements[d->n_variables++] != NULL;
}

/* Whether a statement is none that elements are for variables in: in its bounds, or as it sets another one. */
static bool stays_variable(const void *context, const tirbi_ls *s) {
    const distributor *d = context;
    if (s->kind == TIRBI_LS_SET) return !is_placed(d, s->as.set.var);
    if (s->kind != TIRBI_LS_LOOP) return false;
    const tirbi_lvar *var = s->as.loop.var;
    for (uint32_t i = 0; i < d->n_variables; i++)
        if (tirbi_lx_mentions(var->min, d->variables[i]) || tirbi_lx_mentions(var->extent, d->variables[i]))
            return true;
    return s->as.loop.step != NULL;
}

/* Elements of buffers in place of all variables that the parts begin with. */
static bool use_temporaries(distributor *d, uint32_t sets) {
    for (uint32_t i = 0; i < sets; i++) {
        const tirbi_ls *set = d->parts[i];
        bool known = is_placed(d, set->as.set.var),
             begins = set->as.set.declares && set->as.set.var->kind == TIRBI_LVAR_LOCAL;
        if (!known && !(begins && make_temporary(d, set->as.set.var))) return false;
    }
    tirbi_rewrite rewrite = {.pool = d->pool, .kinds = TIRBI_NESTS & ~TIRBI_KIND(IF), .stores = true};
    for (uint32_t i = 0; i < d->n_variables; i++) tirbi_bind_variable(&rewrite, d->variables[i], d->elements[i]);
    for (uint32_t i = 0; i < d->n_parts; i++) {
        if (tirbi_any_stmt(d->parts[i], stays_variable, d)) return false;
        d->parts[i] = tirbi_rewrite_stmt(&rewrite, d->parts[i]);
        if (!d->parts[i]) return false;
    }
    return true;
}

/* Memory in the place of the variables that the parts begin with. */
static bool place_variables(distributor *d) {
    uint32_t sets = 0;
    while (sets < d->n_parts && d->parts[sets]->kind == TIRBI_LS_SET) sets++;
    return sets == 0 || use_place_of_sum(d, sets) || use_temporaries(d, sets);
}

/* ---- Sums side by side ---------------------------------------------------------------------------------------- */

static bool reads_or_writes(const tirbi_ls *store, const tirbi_lbuf *root) {
    return tirbi_may_meet(store->as.store.access->buffer->root, root) || tirbi_may_read(store->as.store.value, root);
}

/* Whether each statement is a store, to memory that none of the others accesses. */
static bool are_apart(const tirbi_ls *seq) {
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        const tirbi_ls *store = seq->as.seq.items[i];
        if (store->kind != TIRBI_LS_STORE) return false;
        for (uint32_t k = 0; k < store->as.store.access->ndim; k++) {
            if (!store->as.store.access->indices[k]->pure) return false;
        }
    }
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        for (uint32_t k = 0; k < seq->as.seq.n; k++) {
            const tirbi_lbuf *root = seq->as.seq.items[i]->as.store.access->buffer->root;
            if (i != k && reads_or_writes(seq->as.seq.items[k], root)) return false;
        }
    }
    return true;
}

static const tirbi_ls *innermost(const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
    return s;
}

static const tirbi_ls *around(const distributor *d, const tirbi_ls *nest, const tirbi_ls *body) {
    if (nest->kind != TIRBI_LS_LOOP) return body;
    return tirbi_loop_like(d->pool, nest, NULL, around(d, nest->as.loop.body, body));
}

/* A part that is loops around several such stores becomes one part for each. */
static bool split_parts(distributor *d) {
    for (uint32_t i = 0; i < d->n_parts; i++) {
        const tirbi_ls *nest = d->parts[i], *body = innermost(nest);
        if (nest->kind != TIRBI_LS_LOOP || body->kind != TIRBI_LS_SEQ || body->as.seq.n < 2 || !are_apart(body))
            continue;
        uint32_t more = body->as.seq.n - 1;
        if (more > TIRBI_MAX_PARTS - d->n_parts) return false;
        memmove(&d->parts[i + 1 + more], &d->parts[i + 1], (d->n_parts - i - 1) * sizeof(*d->parts));
        d->n_parts += more;
        for (uint32_t k = 0; k <= more; k++) {
            d->parts[i + k] = around(d, nest, body->as.seq.items[k]);
            if (!d->parts[i + k]) return false;
        }
        i += more;
    }
    return true;
}

/* ---- Legality ------------------------------------------------------------------------------------------------- */

/* Loops around one store, which cannot trap but by an index. */
static bool note_part(distributor *d, const tirbi_ls *s, uint32_t part, bool trapping) {
    while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
    if (s->kind != TIRBI_LS_STORE || (s->as.store.value->traps && !trapping)) return false;
    tirbi_accesses all = {.item = d->accesses,
                          .n = d->n_accesses,
                          .most = MAX_ACCESSES,
                          .part = (uint16_t)part,
                          .rules = TIRBI_TAKE_VIEWS | TIRBI_NO_VARIABLES};
    const bool found = tirbi_find_accesses(&all, s);
    d->n_accesses = all.n;
    return found;
}

static bool independent(distributor *d) {
    for (uint32_t i = 0; i < d->n_accesses; i++) {
        const tirbi_reached *w = &d->accesses[i];
        for (uint32_t k = 0; w->what != TIRBI_LOADS && k < d->n_accesses; k++) {
            const tirbi_reached *other = &d->accesses[k];
            if (other->part == w->part || !tirbi_may_meet(other->place->buffer->root, w->place->buffer->root)) continue;
            if (!tirbi_tell_iterations(d->pool, &d->loops, w->place, other->place)) return false;
        }
    }
    return true;
}

/* ---- The parts ------------------------------------------------------------------------------------------------ */

static const tirbi_ls *in_loops(distributor *d, const tirbi_ls *body) {
    for (uint32_t i = d->loops.n; body && i-- > 0;) {
        tirbi_ls *loop = tirbi_same_stmt(d->pool, d->loop[i]);
        if (!loop) return NULL;
        loop->as.loop.body = body;
        body = loop;
    }
    return body;
}

/* Takes a constant that is stored right before the sum into the contraction, whose loops run for certain. */
static bool begins_with(const distributor *d, const tirbi_ls *store, tirbi_contract_plan *plan) {
    if (plan->first || plan->before || store->kind != TIRBI_LS_STORE || !invariant(d, store->as.store.value) ||
        !tirbi_same_place(store->as.store.access, plan->operands[TIRBI_CONTRACT_C].place)) {
        return false;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        if (plan->reduces[i] && plan->loops.var[i]->extent->lo < 1) return false;
        n += plan->reduces[i];
    }
    if (plan->folds && n > 1) return false; /* each row would begin with it */
    plan->first = store->as.store.value;
    return true;
}

/* The first part that is a contraction in the common loops. */
static bool find_sum(distributor *d, tirbi_contract_plan *plan, uint32_t *sum) {
    for (uint32_t i = 0; i < d->n_parts; i++) {
        const tirbi_ls *nest = d->parts[i]->kind == TIRBI_LS_LOOP ? in_loops(d, d->parts[i]) : NULL;
        *sum = i;
        if (nest && tirbi_plan_contraction(d->pool, nest, plan)) return true;
    }
    return false;
}

/* The init of a place among those of a condition that stands before the updates; NULL: it has none. */
static const tirbi_ls *init_of(distributor *d, const tirbi_ls *branch, const tirbi_place *place) {
    const tirbi_ls *inits = branch->as.if_.then_case;
    uint32_t n = inits->kind == TIRBI_LS_SEQ ? inits->as.seq.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *store = inits->kind == TIRBI_LS_SEQ ? inits->as.seq.items[i] : inits;
        if (!tirbi_same_place(store->as.store.access, place)) continue;
        tirbi_ls *copy = tirbi_same_stmt(d->pool, branch);
        if (copy) copy->as.if_.then_case = store;
        return copy;
    }
    return NULL;
}

/* Whether the inits are one for each of the updates, or for none, and read nothing that is updated. */
static bool init_updates(const tirbi_ls *branch, const tirbi_ls *updates) {
    const tirbi_ls *inits = branch->as.if_.then_case;
    uint32_t n = inits->kind == TIRBI_LS_SEQ ? inits->as.seq.n : 1;
    if (n > updates->as.seq.n) return false;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *store = inits->kind == TIRBI_LS_SEQ ? inits->as.seq.items[i] : inits;
        uint32_t found = 0;
        if (store->kind != TIRBI_LS_STORE) return false;
        for (uint32_t k = 0; k < updates->as.seq.n; k++) {
            const tirbi_place *place = updates->as.seq.items[k]->as.store.access;
            found += tirbi_same_place(store->as.store.access, place);
            if (tirbi_may_read(store->as.store.value, place->buffer->root)) return false;
        }
        if (found != 1) return false;
    }
    return true;
}

/* A perfect nest of several sums into memory of their own, each with its init perhaps: a nest for each of them. */
static bool split_sums(distributor *d, tirbi_distribution *out) {
    const tirbi_ls *branch = d->parts[0]->kind == TIRBI_LS_IF && d->parts[0]->as.if_.first_of ? d->parts[0] : NULL;
    tirbi_ls updates = {.kind = TIRBI_LS_SEQ,
                        .as.seq = {.items = d->parts + (branch != NULL), .n = d->n_parts - (branch != NULL)}};
    if (updates.as.seq.n < 2 || !are_apart(&updates) ||
        (branch && (branch->as.if_.else_case || !init_updates(branch, &updates)))) {
        return false;
    }
    bool found = false;
    for (uint32_t i = 0; i < updates.as.seq.n; i++) {
        const tirbi_ls *update = updates.as.seq.items[i];
        const tirbi_ls *init = branch ? init_of(d, branch, update->as.store.access) : NULL;
        if (init) update = tirbi_new_sequence(d->pool, update->span, (const tirbi_ls *[]){init, update}, 2);
        const tirbi_ls *nest = update ? in_loops(d, update) : NULL;
        if (!nest) return false;
        if (found) out->after[out->n_after++] = nest;
        else if (tirbi_plan_contraction(d->pool, nest, &out->plan)) found = true;
        else out->before[out->n_before++] = nest;
    }
    return found;
}

bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_distribution *out) {
    distributor d = {.pool = pool};
    uint32_t sum;
    out->n_before = out->n_after = out->n_temporaries = 0;
    if (!collect(&d, loop)) return false;
    store_at_once(&d);
    if (split_sums(&d, out)) return true;
    out->n_before = out->n_after = 0;
    if (!place_variables(&d) || !split_parts(&d) || !find_sum(&d, &out->plan, &sum)) return false;
    for (uint32_t i = 0; i < d.n_parts; i++) {
        if (!note_part(&d, d.parts[i], i, i == sum)) return false;
    }
    if (!independent(&d)) return false;
    uint32_t before = sum > 0 && begins_with(&d, d.parts[sum - 1], &out->plan) ? sum - 1 : sum;
    for (uint32_t i = 0; i < d.n_parts; i++) {
        if (i == sum || (i >= before && i < sum)) continue;
        const tirbi_ls *part = in_loops(&d, d.parts[i]);
        if (!part) return false;
        if (i < sum) out->before[out->n_before++] = part;
        else out->after[out->n_after++] = part;
    }
    for (uint32_t i = 0; i < d.n_variables; i++) out->temporaries[out->n_temporaries++] = d.temporaries[i];
    return true;
}

bool tirbi_contracts(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_distribution *parts = TIRBI_NEW(pool->arena, tirbi_distribution);
    if (!parts) return false;
    const bool planned =
        tirbi_plan_contraction(pool, loop, &parts->plan) || tirbi_distribute_contraction(pool, loop, parts);
    TIRBI_GIVE_BACK(pool->arena, parts);
    return planned;
}
