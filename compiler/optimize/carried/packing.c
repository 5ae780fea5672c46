#include "compiler/optimize/carried/packing.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ITEMS = 24, MAX_PLACES = 32, MAX_PUSHES = 4, MAX_SETS = 4 };
enum { ARMS = 2, YES = 0, NO = 1, BLOCK = 2048, LEAST = 16 };

/* A store of an arm. One that pushes goes on by one element wherever it is made. */
typedef struct push {
    const tirbi_ls *store;
    bool pushes;
    int64_t behind; /* the counter as it is before the iteration */
    tirbi_lbuf *kept;
} push;

/* What is done where the condition holds, or where it does not. */
typedef struct arm {
    tirbi_lvar *counter; /* NULL: it pushes nothing */
    int64_t by;          /* that it goes on by: 1 or -1 */
    push stores[MAX_ITEMS];
    uint32_t n, n_pushes;
    const tirbi_ls *sets[MAX_SETS]; /* of other variables, behind all else */
    uint32_t n_sets;
    tirbi_lvar *count; /* of the iterations of a block that pushed, so far and then in all */
    tirbi_lvar *total;
} arm;

typedef struct packer {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n, at; /* the condition is the item `at` */
    arm arms[ARMS];
    int64_t most;          /* iterations of a block */
    const tirbi_lx *room;  /* those that there are at most, in int64 */
    const tirbi_lx *first; /* iteration of the block, counted from 0 */
    tirbi_lvar *holds;     /* whether the condition does */
    bool shared;           /* one arm pushes from the front of some memory, the other one from its end */
} packer;

/* ---- What is pushed --------------------------------------------------------------------------------------------- */

/* A variable of whole numbers and what is added to it. */
static bool is_sum(const tirbi_lx *x, tirbi_lvar **var, int64_t *more) {
    x = tirbi_lx_before_cast(x);
    const bool adds = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_ADD && x->args[1]->kind == TIRBI_LX_CONST;
    *more = adds ? x->args[1]->value : 0;
    if (adds) x = x->args[0];
    if (x->kind != TIRBI_LX_VAR || x->var->kind != TIRBI_LVAR_LOCAL || *more != (int32_t)*more) return false;
    *var = x->var;
    return x->type == TIRB_I32 || x->type == TIRB_I64;
}

/* How often straight code adds one to a variable, or takes one from it; twice or more: it is set otherwise. */
static uint32_t counts_once(const tirbi_ls *s, const tirbi_lvar *counter, int64_t *by) {
    uint32_t n = 0;
    tirbi_lvar *var = NULL;
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++)
        n += counts_once(s->as.seq.items[i], counter, by);
    if (s->kind != TIRBI_LS_SET || s->as.set.var != counter) return n;
    const bool counts = !s->as.set.declares && is_sum(s->as.set.value, &var, by) && (*by == 1 || *by == -1) &&
                        var == counter && s->as.set.value->type == counter->type;
    return counts ? 1 : 2;
}

/* The counter that the arm steps by one where it pushes: the index of one of its stores. */
static void find_counter(arm *a, const tirbi_ls *arm_body, const tirbi_ls *s) {
    tirbi_lvar *var = NULL;
    int64_t more;
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n && !a->counter; i++)
        find_counter(a, arm_body, s->as.seq.items[i]);
    const tirbi_place *place = s->kind == TIRBI_LS_STORE ? s->as.store.access : NULL;
    if (place && place->ndim == 1 && is_sum(place->indices[0], &var, &more) &&
        counts_once(arm_body, var, &a->by) == 1)
        a->counter = var;
}

/* A variable that the arm sets once, with nothing behind that in it that asks for it. */
static bool find_set(arm *a, const tirbi_ls *s) {
    if (s->as.set.declares || s->as.set.var->kind != TIRBI_LVAR_LOCAL || a->n_sets == MAX_SETS || !tirbi_cannot_fail(s))
        return false;
    a->sets[a->n_sets++] = s;
    return true;
}

/* Whether a statement that stands behind the sets of an arm may as well stand ahead of them. */
static bool is_behind_sets(const arm *a, const tirbi_ls *s) {
    for (uint32_t i = 0; i < a->n_sets; i++) {
        const bool loads = !a->sets[i]->as.set.value->pure;
        if ((s->kind == TIRBI_LS_STORE && loads) || tirbi_code_uses(s, &a->sets[i]->as.set.var, 1)) return false;
    }
    return true;
}

static bool find_pushes(arm *a, const tirbi_ls *s, int64_t *counted) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++)
        if (!find_pushes(a, s->as.seq.items[i], counted)) return false;
    if (s->kind == TIRBI_LS_SEQ) return true;
    if ((s->kind != TIRBI_LS_SET && s->kind != TIRBI_LS_STORE) || !is_behind_sets(a, s)) return false;
    if (s->kind == TIRBI_LS_SET && s->as.set.var == a->counter) {
        *counted = a->by;
        return true;
    }
    if (s->kind == TIRBI_LS_SET) return !(a->counter && tirbi_code_uses(s, &a->counter, 1)) && find_set(a, s);
    const tirbi_place *place = s->as.store.access;
    tirbi_lvar *var = NULL;
    int64_t more;
    if (a->n == MAX_ITEMS) return false;
    if (!a->counter || !tirbi_code_uses(s, &a->counter, 1)) {
        a->stores[a->n++] = (push){.store = s};
        return tirbi_cannot_fail(s);
    }
    if (tirbi_lx_depends_on(s->as.store.value, a->counter) || s->as.store.value->traps || place->ndim != 1 ||
        place->view || place->buffer->local || place->buffer->overlaps || place->buffer->broadcasts ||
        !is_sum(place->indices[0], &var, &more) || var != a->counter || a->n_pushes++ == MAX_PUSHES)
        return false;
    a->stores[a->n++] = (push){.store = s, .pushes = true, .behind = more + *counted};
    return true;
}

static bool read_arm(packer *p, unsigned which, const tirbi_ls *s) {
    arm *a = &p->arms[which];
    int64_t counted = 0;
    find_counter(a, s, s);
    return find_pushes(a, s, &counted);
}

/* Whether the loop does nothing but to push values to the same memory in both arms, up in one and down in the other. */
static bool pushes_from_both_ends(const packer *p) {
    const arm *yes = &p->arms[YES], *no = &p->arms[NO];
    if (!yes->counter || !no->counter || yes->by == no->by || yes->n_sets + no->n_sets > 0) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_ls *s = p->items[i];
        if (i != p->at && (s->kind != TIRBI_LS_SET || s->as.set.var->kind != TIRBI_LVAR_LET)) return false;
    }
    return yes->n == 1 && no->n == 1 && yes->n_pushes == 1 && no->n_pushes == 1 &&
           yes->stores[0].store->as.store.access->buffer == no->stores[0].store->as.store.access->buffer;
}

/* Whether the memory that is pushed to is reached in no other way, and the counter is asked for by no one else. */
static bool is_alone(const packer *p, const tirbi_accesses *all) {
    const uint32_t once = p->shared ? 2 : 1;
    for (unsigned w = 0; w < ARMS; w++) {
        const arm *a = &p->arms[w];
        tirbi_lvar *counter = a->counter;
        if (!counter) continue;
        const tirbi_ls *branch = p->items[p->at];
        const tirbi_ls *other = w == YES ? branch->as.if_.else_case : branch->as.if_.then_case;
        if (tirbi_lx_depends_on(branch->as.if_.condition, counter) || (other && tirbi_code_uses(other, &counter, 1)))
            return false;
        for (uint32_t i = 0; i < p->n; i++)
            if (i != p->at && tirbi_code_uses(p->items[i], &counter, 1)) return false;
        for (uint32_t i = 0; i < a->n; i++) {
            const tirbi_lbuf *root = a->stores[i].store->as.store.access->buffer->root;
            uint32_t met = 0;
            for (uint32_t k = 0; k < all->n; k++) met += tirbi_may_meet(all->item[k].place->buffer->root, root);
            if (a->stores[i].pushes && met != once) return false;
        }
    }
    return true;
}

/* ---- The blocks ------------------------------------------------------------------------------------------------- */

static const tirbi_lx *wide(const packer *p, tirbi_lvar *var) {
    return tirbi_lx_cast(p->pool, TIRB_I64, tirbi_lx_var(p->pool, var));
}
static const tirbi_ls *set(const packer *p, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(p->pool, p->loop->span, var, value, declares);
}

static tirbi_lvar *new_var(const packer *p, const char *name, tirbi_lvar_kind kind, tirbi_dtype type, int64_t hi) {
    return tirbi_new_variable(p->pool, kind, name, type, 0, hi, p->loop->span);
}

/* A variable of a loop that counts up to an extent from 0 on. */
static tirbi_lvar *new_counter(const packer *p, const char *name, const tirbi_lx *extent, int64_t last) {
    tirbi_lvar *var = extent ? new_var(p, name, TIRBI_LVAR_LOOP, TIRB_I64, last) : NULL;
    if (!var) return NULL;
    var->min = tirbi_lx_number(p->pool, 0);
    var->extent = extent;
    return var->min ? var : NULL;
}

static const tirbi_ls *store_at(const packer *p, tirbi_lbuf *buffer, const tirbi_lx *index, const tirbi_lx *value,
                                tirbi_span span) {
    return tirbi_new_store(p->pool, span, tirbi_element_at(p->pool, buffer, index, span), value);
}

/* What an iteration does for an arm: what is not kept goes behind all that is. */
static bool keep(packer *p, arm *a, const tirbi_lx *holds, const tirbi_ls **items, uint32_t *n) {
    const tirbi_lx *to = tirbi_lx_lazy(p->pool, TIRBI_LX_COND, holds, tirbi_lx_var(p->pool, a->count),
                                       tirbi_lx_cast(p->pool, TIRB_I32, p->room));
    to = tirbi_lx_cast(p->pool, TIRB_I64, to);
    for (uint32_t i = 0; i < a->n; i++) {
        push *s = &a->stores[i];
        const tirbi_ls *store = s->store;
        if (!s->pushes) {
            items[(*n)++] = tirbi_new_if(p->pool, store->span, holds, store, NULL);
            continue;
        }
        s->kept =
            tirbi_new_row(p->pool, "kept", store->as.store.access->buffer->type, tirbi_lx_number(p->pool, p->most + 1));
        if (!s->kept) return false;
        s->kept->length = tirbi_lx_add(p->pool, p->room, tirbi_lx_number(p->pool, 1));
        items[(*n)++] = store_at(p, s->kept, to, store->as.store.value, store->span);
    }
    if (!a->counter) return true;
    const tirbi_lx *one = tirbi_lx_lazy(p->pool, TIRBI_LX_COND, holds, tirbi_lx_int(p->pool, TIRB_I32, 1),
                                        tirbi_lx_int(p->pool, TIRB_I32, 0));
    const tirbi_lx *next = tirbi_lx_binary(p->pool, TIRB_OP_ADD, TIRB_I32, tirbi_lx_var(p->pool, a->count), one);
    items[(*n)++] = set(p, a->count, next, false);
    return true;
}

/* The variables that arms set, each by one choice; false where one of them would be asked for behind its choice: an arm
 * has an order of its own. */
static bool set_others(packer *p, const tirbi_lx *holds, const tirbi_ls **items, uint32_t *n) {
    const arm *yes = &p->arms[YES], *no = &p->arms[NO];
    const tirbi_lvar *done[ARMS * MAX_SETS];
    uint32_t n_done = 0;
    for (unsigned w = 0; w < ARMS; w++) {
        const arm *a = &p->arms[w];
        for (uint32_t i = 0; i < a->n_sets; i++) {
            tirbi_lvar *var = a->sets[i]->as.set.var;
            const tirbi_lx *as_it_was = tirbi_lx_var(p->pool, var), *value[ARMS] = {as_it_was, as_it_was};
            bool is_set = false;
            for (uint32_t k = 0; k < yes->n_sets; k++)
                if (yes->sets[k]->as.set.var == var) value[YES] = yes->sets[k]->as.set.value, is_set = w == NO;
            for (uint32_t k = 0; k < no->n_sets; k++)
                if (no->sets[k]->as.set.var == var) value[NO] = no->sets[k]->as.set.value;
            const tirbi_lx *chosen = tirbi_lx_lazy(p->pool, TIRBI_LX_COND, holds, value[YES], value[NO]);
            if (!chosen) return false;
            if (is_set) continue;
            for (uint32_t k = 0; k < n_done; k++)
                if (tirbi_lx_depends_on(chosen, done[k])) return false;
            done[n_done++] = var;
            items[(*n)++] = set(p, var, chosen, false);
        }
    }
    return true;
}

/* The iterations of a block, in lanes. */
static const tirbi_ls *keep_block(packer *p) {
    const tirbi_lvar *old = p->loop->as.loop.var;
    const tirbi_lx *to = tirbi_lx_wide(p->pool, TIRB_OP_MIN, old->extent,
                                       tirbi_lx_add(p->pool, p->first, tirbi_lx_number(p->pool, p->most)));
    tirbi_lvar *var = tirbi_part_variable(p->pool, old, p->first, to);
    const tirbi_ls *items[3 * MAX_ITEMS + 2 * (MAX_PUSHES + MAX_SETS) + 8];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (i != p->at) {
            items[n++] = p->items[i];
            continue;
        }
        const tirbi_lx *holds = tirbi_lx_var(p->pool, p->holds);
        const tirbi_lx *fails = tirbi_lx_not(p->pool, holds);
        items[n++] = set(p, p->holds, p->items[i]->as.if_.condition, true);
        if (!fails || !keep(p, &p->arms[YES], holds, items, &n) || !keep(p, &p->arms[NO], fails, items, &n) ||
            !set_others(p, holds, items, &n))
            return NULL;
    }
    const tirbi_ls *body = tirbi_new_sequence(p->pool, p->loop->span, items, n);
    return tirbi_loop_of(p->pool, p->loop, var, body);
}

/* What was kept goes to where the counter stands. */
static const tirbi_ls *copy_kept(const packer *p, const arm *a, const push *from, tirbi_lvar *base) {
    tirbi_lvar *var = new_counter(p, "k", tirbi_lx_var(p->pool, a->total), p->most - 1);
    const tirbi_lx *k = tirbi_lx_var(p->pool, var);
    const tirbi_place *kept = tirbi_element_at(p->pool, from->kept, k, from->store->span);
    const tirbi_lx *first = tirbi_lx_add(p->pool, tirbi_lx_var(p->pool, base), tirbi_lx_number(p->pool, from->behind));
    const tirbi_lx *to = a->by > 0 ? tirbi_lx_add(p->pool, first, k) : tirbi_lx_sub(p->pool, first, k);
    return tirbi_new_loop(
        p->pool, p->loop->span, var,
        store_at(p, from->store->as.store.access->buffer, to, tirbi_lx_load(p->pool, kept), from->store->span));
}

/* What was kept of an arm goes to its place, and its counter goes on. */
static void put_kept(const packer *p, const arm *a, tirbi_lvar *base, const tirbi_ls **items, uint32_t *n) {
    const tirbi_dtype type = a->counter->type;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->stores[i].pushes) items[(*n)++] = copy_kept(p, a, &a->stores[i], base);
    const tirbi_lx *old = tirbi_lx_var(p->pool, a->counter),
                   *more = tirbi_lx_cast(p->pool, type, tirbi_lx_var(p->pool, a->total));
    const tirbi_lx *next = tirbi_lx_binary(p->pool, a->by > 0 ? TIRB_OP_ADD : TIRB_OP_SUB, type, old, more);
    items[(*n)++] = set(p, a->counter, next, false);
}

/* One after the last element that an arm would push to in a block, or its lowest one where it goes down. */
static const tirbi_lx *end_of(const packer *p, const arm *a, tirbi_lvar *base) {
    const int64_t more = a->stores[0].behind + (a->by < 0);
    const tirbi_lx *first = tirbi_lx_add(p->pool, tirbi_lx_var(p->pool, base), tirbi_lx_number(p->pool, more)),
                   *total = tirbi_lx_var(p->pool, a->total);
    return a->by > 0 ? tirbi_lx_add(p->pool, first, total) : tirbi_lx_sub(p->pool, first, total);
}

/* The iterations of a block one after the other. */
static const tirbi_ls *in_order(packer *p) {
    const tirbi_lx *to = tirbi_lx_wide(p->pool, TIRB_OP_MIN, p->loop->as.loop.var->extent,
                                       tirbi_lx_add(p->pool, p->first, tirbi_lx_number(p->pool, p->most)));
    tirbi_lvar *var = tirbi_part_variable(p->pool, p->loop->as.loop.var, p->first, to);
    const tirbi_ls *loop = tirbi_loop_of(p->pool, p->loop, var, p->loop->as.loop.body);
    tirbi_ls *kept = loop && loop->kind == TIRBI_LS_LOOP ? tirbi_same_stmt(p->pool, loop) : NULL;
    if (kept) kept->as.loop.blocks = true; /* it stays as it is */
    return kept;
}

/* A block: none is kept yet, all of it, copies, counters that go on; in order where both arms would reach the same. */
static const tirbi_ls *pack_block(packer *p, const tirbi_ls **keeps) {
    const tirbi_ls *items[2 * (2 * MAX_PUSHES + 4) + 1], *puts[2 * (MAX_PUSHES + 1)];
    tirbi_lvar *bases[ARMS];
    uint32_t n = 0, n_puts = 0;
    for (unsigned w = 0; w < ARMS; w++)
        if (p->arms[w].counter) items[n++] = set(p, p->arms[w].count, tirbi_lx_int(p->pool, TIRB_I32, 0), true);
    items[n++] = *keeps = keep_block(p);
    for (unsigned w = 0; w < ARMS && *keeps; w++) {
        arm *a = &p->arms[w];
        if (!a->counter) continue;
        tirbi_lvar *base = bases[w] = new_var(p, "base", TIRBI_LVAR_LET, TIRB_I64, a->counter->hi);
        if (!base) return NULL;
        base->lo = a->counter->lo;
        items[n++] = set(p, a->total, wide(p, a->count), true);
        items[n++] = set(p, base, wide(p, a->counter), true);
        put_kept(p, a, base, p->shared ? puts : items, p->shared ? &n_puts : &n);
    }
    if (p->shared && *keeps) {
        const unsigned up = p->arms[YES].by > 0 ? YES : NO, down = ARMS - 1 - up;
        const tirbi_lx *apart = tirbi_lx_wide(p->pool, TIRB_OP_LE, end_of(p, &p->arms[up], bases[up]),
                                              end_of(p, &p->arms[down], bases[down]));
        const tirbi_ls *otherwise = in_order(p);
        if (!otherwise) return NULL;
        items[n++] = tirbi_new_if(p->pool, p->loop->span, apart,
                                  tirbi_new_sequence(p->pool, p->loop->span, puts, n_puts), otherwise);
    }
    return *keeps ? tirbi_new_sequence(p->pool, p->loop->span, items, n) : NULL;
}

/* The memory for what is kept, and all blocks. */
static const tirbi_ls *pack(packer *p, const tirbi_ls **keeps) {
    const tirbi_ls *items[2 * MAX_PUSHES + 1];
    const tirbi_lx *extent = p->loop->as.loop.var->extent;
    tirbi_lvar *first = new_counter(p, "first", extent, extent->hi - 1);
    const bool many = extent->hi > p->most;
    uint32_t n = 0;
    p->first = !first ? NULL : many ? tirbi_lx_var(p->pool, first) : tirbi_lx_number(p->pool, 0);
    const tirbi_ls *block = p->first ? pack_block(p, keeps) : NULL;
    if (!block) return NULL;
    for (unsigned w = 0; w < ARMS; w++) {
        for (uint32_t i = 0; i < p->arms[w].n; i++) {
            const push *s = &p->arms[w].stores[i];
            if (s->pushes) items[n++] = tirbi_new_alloc(p->pool, p->loop->span, s->kept);
        }
    }
    const tirbi_lx *step = tirbi_lx_number(p->pool, p->most);
    items[n++] = many ? tirbi_new_blocks(p->pool, p->loop->span, first, step, block) : block;
    return tirbi_new_sequence(p->pool, p->loop->span, items, n);
}

/* The branch whose arms are packed, among statements that cannot fail. */
static bool find_branch(packer *p) {
    for (p->at = 0; p->at < p->n; p->at++) {
        const tirbi_ls *s = p->items[p->at], *no = s->kind == TIRBI_LS_IF ? s->as.if_.else_case : NULL;
        p->arms[YES] = p->arms[NO] = (arm){.counter = NULL};
        if (s->kind == TIRBI_LS_IF && !s->as.if_.condition->traps &&
            read_arm(p, YES, s->as.if_.then_case) && (!no || read_arm(p, NO, no)) &&
            (p->arms[YES].counter || p->arms[NO].counter))
            break;
    }
    for (uint32_t i = 0; i < p->n; i++)
        if (i != p->at && !tirbi_cannot_fail(p->items[i])) return false;
    return p->at < p->n;
}

static bool read_loop(packer *p) {
    tirbi_reached places[MAX_PLACES];
    tirbi_accesses all = {.item = places, .most = MAX_PLACES};
    const tirbi_ls *body = p->loop->as.loop.body;
    return tirbi_list_statements(body, p->items, &p->n, MAX_ITEMS) && tirbi_find_accesses(&all, body) &&
           find_branch(p) && ((p->shared = pushes_from_both_ends(p)), is_alone(p, &all));
}

static bool pack_elements(packer *p, tirbi_arranged *out) {
    p->holds = new_var(p, "holds", TIRBI_LVAR_LET, TIRB_BOOL, 1);
    const tirbi_lx *rounds = tirbi_lx_with(p->pool, TIRB_OP_MAX, p->loop->as.loop.var->extent, 0);
    p->room = tirbi_lx_with(p->pool, TIRB_OP_MIN, rounds, p->most);
    if (!p->holds || !p->room || !read_loop(p)) return false;
    for (unsigned w = 0; w < ARMS; w++) {
        p->arms[w].count = new_var(p, "count", TIRBI_LVAR_LOCAL, TIRB_I32, p->most);
        p->arms[w].total = new_var(p, "total", TIRBI_LVAR_LET, TIRB_I64, p->most);
        if (!p->arms[w].count || !p->arms[w].total) return false;
    }
    out->stmt = pack(p, &out->loop);
    return out->stmt != NULL;
}

bool tirbi_pack_elements(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi < LEAST || !tirbi_can_resolve(loop->as.loop.body))
        return false;
    packer *p = TIRBI_NEW(pool->arena, packer);
    if (!p) return false;
    *p = (packer){.pool = pool, .loop = loop, .most = var->extent->hi < BLOCK ? var->extent->hi : BLOCK};
    const bool packed = pack_elements(p, out);
    TIRBI_GIVE_BACK(pool->arena, p);
    return packed;
}
