/* for i, j: C[i, j] = 0; for k: C[i, j] += ..; C[i, j] = f(C[i, j]), and the same with a variable that holds the sum, are
 * cut into one nest per statement. That keeps every location's updates in program order when what two statements access,
 * and one of them writes, is the same element, which no other iteration of the common loops accesses. */
#include "compiler/optimize/distribute.h"

#include <string.h>

#include "compiler/optimize/injective.h"
#include "compiler/optimize/rewrite.h"

enum { MAX_ACCESSES = 64 };

typedef struct access {
    const tirbi_place *place;
    uint32_t part;
    bool write;
} access;

typedef struct distributor {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE]; /* the common loops */
    tirbi_loop_set loops;
    const tirbi_ls *parts[TIRBI_MAX_PARTS];
    uint32_t n_parts;
    access accesses[MAX_ACCESSES];
    uint32_t n_accesses;
} distributor;

static bool invariant(const distributor *d, const tirbi_lx *x) {
    return x->pure && !x->traps && !tirbi_mentions_loops(x, &d->loops);
}

/* The loops down to the first body that is more than a loop, and the statements of that body. */
static bool collect(distributor *d, const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_LOOP && !s->as.loop.step && d->loops.n < TIRBI_MAX_CONTRACT_LOOPS) {
        tirbi_lvar *var = s->as.loop.var;
        if (!invariant(d, var->min) || !invariant(d, var->extent)) return false;
        d->loop[d->loops.n] = s;
        d->loops.var[d->loops.n++] = var;
        s = s->as.loop.body;
    }
    if (s->kind != TIRBI_LS_SEQ || s->as.seq.n < 2 || s->as.seq.n > TIRBI_MAX_PARTS) return false;
    d->n_parts = s->as.seq.n;
    memcpy(d->parts, s->as.seq.items, d->n_parts * sizeof(*d->parts));
    return true;
}

static tirbi_ls *copy_of(distributor *d, const tirbi_ls *s) {
    tirbi_ls *copy = TIRBI_NEW(d->pool->arena, tirbi_ls);
    if (copy) *copy = *s;
    return copy;
}

/* ---- A sum in a variable -------------------------------------------------------------------------------------- */

typedef struct in_place {
    const tirbi_lvar *var;
    const tirbi_place *place; /* where the sum goes in the end */
} in_place;

static const tirbi_lx *replace_variable(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const in_place *to = rewrite->context;
    return x->kind == TIRBI_LX_VAR && x->var == to->var ? tirbi_lx_load(rewrite->pool, to->place) : NULL;
}

static const tirbi_ls *store_of(distributor *d, const tirbi_ls *s, const tirbi_lx *value, const in_place *to) {
    tirbi_rewrite rewrite = {.pool = d->pool, .replace = replace_variable, .context = (void *)(uintptr_t)to};
    tirbi_ls *store = TIRBI_NEW(d->pool->arena, tirbi_ls);
    if (!store || tirbi_may_read(value, to->place->buffer->root)) return NULL;
    store->kind = TIRBI_LS_STORE;
    store->span = s->span;
    store->as.store.access = to->place;
    store->as.store.value = tirbi_rewrite_value(&rewrite, value);
    return store->as.store.value ? store : NULL;
}

/* The loops around `var = value`, as loops around a store. */
static const tirbi_ls *update_in_place(distributor *d, const tirbi_ls *s, const in_place *to) {
    if (s->kind == TIRBI_LS_SET && s->as.set.var == to->var) return store_of(d, s, s->as.set.value, to);
    if (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) return update_in_place(d, s->as.seq.items[0], to);
    tirbi_ls *loop = s->kind == TIRBI_LS_LOOP ? copy_of(d, s) : NULL;
    if (!loop) return NULL;
    loop->as.loop.body = update_in_place(d, s->as.loop.body, to);
    return loop->as.loop.body ? loop : NULL;
}

static bool mentions(const tirbi_lx *x, const tirbi_lvar *var) {
    if (x->kind == TIRBI_LX_VAR) return x->var == var;
    for (int i = 0; i < x->n_args; i++) {
        if (mentions(x->args[i], var)) return true;
    }
    return false;
}

/* var = first; loops: var = ..; C[..] = f(var), with C in the variable's place. Nothing else may use the variable, which
 * then is never set. */
static bool use_place_of_sum(distributor *d) {
    uint32_t sets = 0;
    while (sets < d->n_parts && d->parts[sets]->kind == TIRBI_LS_SET) sets++;
    if (sets == 0) return true;
    if (sets + 2 != d->n_parts) return false;
    const tirbi_ls *last = d->parts[sets + 1];
    const tirbi_lvar *var = d->parts[0]->as.set.var;
    if (!d->parts[0]->as.set.declares || last->kind != TIRBI_LS_STORE || last->as.store.access->buffer->type != var->type) {
        return false;
    }
    for (uint32_t i = 0; i < sets; i++) {
        if (d->parts[i]->as.set.var != var || mentions(d->parts[i]->as.set.value, var)) return false;
    }
    in_place to = {.var = var, .place = last->as.store.access};
    for (uint32_t i = 0; i < to.place->ndim; i++) {
        if (mentions(to.place->indices[i], var) || !to.place->indices[i]->pure) return false;
    }
    bool as_is = last->as.store.value->kind == TIRBI_LX_VAR && last->as.store.value->var == var;
    d->parts[0] = store_of(d, d->parts[sets - 1], d->parts[sets - 1]->as.set.value, &to);
    d->parts[1] = update_in_place(d, d->parts[sets], &to);
    d->parts[2] = as_is ? NULL : store_of(d, last, last->as.store.value, &to);
    d->n_parts = as_is ? 2 : 3;
    return d->parts[0] && d->parts[1] && (as_is || d->parts[2]);
}

/* ---- Legality ------------------------------------------------------------------------------------------------- */

static bool note(distributor *d, const tirbi_place *place, uint32_t part, bool write) {
    if (d->n_accesses == MAX_ACCESSES) return false;
    d->accesses[d->n_accesses++] = (access){place, part, write};
    return true;
}

static bool note_value(distributor *d, const tirbi_lx *x, uint32_t part) {
    if (x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL)) return false;
    if (x->kind == TIRBI_LX_LOAD) {
        if (!note(d, x->access, part, false)) return false;
        for (uint32_t i = 0; i < x->access->ndim; i++) {
            if (!note_value(d, x->access->indices[i], part)) return false;
        }
    }
    for (int i = 0; i < x->n_args; i++) {
        if (!note_value(d, x->args[i], part)) return false;
    }
    return true;
}

/* Loops around one store, which cannot trap but by an index. */
static bool note_part(distributor *d, const tirbi_ls *s, uint32_t part, bool trapping) {
    while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
    if (s->kind != TIRBI_LS_STORE || (s->as.store.value->traps && !trapping)) return false;
    for (uint32_t i = 0; i < s->as.store.access->ndim; i++) {
        if (!note_value(d, s->as.store.access->indices[i], part)) return false;
    }
    return note(d, s->as.store.access, part, true) && note_value(d, s->as.store.value, part);
}

static bool same_place(const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->flat != b->flat) return false;
    for (uint32_t i = 0; i < a->ndim; i++) {
        if (a->indices[i] != b->indices[i]) return false;
    }
    return true;
}

/* Whether every iteration of the common loops has an element of its own. */
static bool own_element(distributor *d, const tirbi_place *place) {
    bool spatial[TIRBI_MAX_AFFINE];
    if (place->view || place->buffer->overlaps || !tirbi_spatial_loops(d->pool, &d->loops, place, spatial)) return false;
    for (uint32_t i = 0; i < d->loops.n; i++) {
        if (!spatial[i] && d->loops.var[i]->extent->hi > 1) return false;
    }
    return true;
}

static bool independent(distributor *d) {
    for (uint32_t i = 0; i < d->n_accesses; i++) {
        const access *w = &d->accesses[i];
        for (uint32_t k = 0; w->write && k < d->n_accesses; k++) {
            const access *other = &d->accesses[k];
            if (other->part == w->part || !tirbi_may_meet(other->place->buffer->root, w->place->buffer->root)) continue;
            if (!same_place(w->place, other->place) || !own_element(d, w->place)) return false;
        }
    }
    return true;
}

/* ---- The parts ------------------------------------------------------------------------------------------------ */

static const tirbi_ls *in_loops(distributor *d, const tirbi_ls *body) {
    for (uint32_t i = d->loops.n; body && i-- > 0;) {
        tirbi_ls *loop = copy_of(d, d->loop[i]);
        if (!loop) return NULL;
        loop->as.loop.body = body;
        body = loop;
    }
    return body;
}

/* Takes a constant that is stored right before the sum into the contraction, whose loops run for certain. */
static bool begins_with(const distributor *d, const tirbi_ls *store, tirbi_contract_plan *plan) {
    if (plan->first || plan->before || store->kind != TIRBI_LS_STORE || !invariant(d, store->as.store.value) ||
        !same_place(store->as.store.access, plan->operands[TIRBI_CONTRACT_C].place)) {
        return false;
    }
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        if (plan->reduces[i] && plan->loops.var[i]->extent->lo < 1) return false;
    }
    plan->first = store->as.store.value;
    return true;
}

bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_distribution *out) {
    distributor d = {.pool = pool};
    out->n_before = out->n_after = 0;
    if (!collect(&d, loop) || !use_place_of_sum(&d)) return false;
    uint32_t sum = 0;
    while (sum < d.n_parts && d.parts[sum]->kind != TIRBI_LS_LOOP) sum++;
    if (sum == d.n_parts) return false;
    for (uint32_t i = 0; i < d.n_parts; i++) {
        if (!note_part(&d, d.parts[i], i, i == sum)) return false;
    }
    const tirbi_ls *nest = in_loops(&d, d.parts[sum]);
    if (!nest || !independent(&d) || !tirbi_plan_contraction(pool, nest, &out->plan)) return false;
    uint32_t before = sum > 0 && begins_with(&d, d.parts[sum - 1], &out->plan) ? sum - 1 : sum;
    for (uint32_t i = 0; i < d.n_parts; i++) {
        if (i == sum || (i >= before && i < sum)) continue;
        const tirbi_ls *part = in_loops(&d, d.parts[i]);
        if (!part) return false;
        if (i < sum) out->before[out->n_before++] = part;
        else out->after[out->n_after++] = part;
    }
    return true;
}
