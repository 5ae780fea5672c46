#include "compiler/optimize/whiles/until.h"

#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/rewriting/iteration.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

/* Iterations that are looked at one by one first, where nothing else is done: a search takes longer. */
enum { NEAR = 16 };

typedef struct leaver {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_iteration *it;    /* without the item that leaves the loop, which stood ahead of its item `at` */
    const tirbi_ls *leaves;
} leaver;

static bool ends_in_break(const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SEQ && s->as.seq.n > 0) s = s->as.seq.items[s->as.seq.n - 1];
    return s->kind == TIRBI_LS_BREAK;
}

static bool find_items(leaver *v, const tirbi_ls *body);

/* if c: A else: B; break  is  if not c: B; break  and then A, and so it is the other way round. */
static bool find_items_of_branch(leaver *v, const tirbi_ls *branch) {
    const bool otherwise = ends_in_break(branch->as.if_.else_case);
    const tirbi_ls *last = otherwise ? branch->as.if_.else_case : branch->as.if_.then_case,
                   *rest = otherwise ? branch->as.if_.then_case : branch->as.if_.else_case;
    const tirbi_lx *condition = branch->as.if_.condition;
    if (otherwise) condition = tirbi_lx_not(v->pool, condition);
    const tirbi_ls *leaves = tirbi_new_if(v->pool, branch->span, condition, last, NULL);
    return leaves && find_items(v, leaves) && find_items(v, rest);
}

static bool find_items(leaver *v, const tirbi_ls *body) {
    for (uint32_t i = 0; body->kind == TIRBI_LS_SEQ && i < body->as.seq.n; i++)
        if (!find_items(v, body->as.seq.items[i])) return false;
    if (body->kind == TIRBI_LS_SEQ) return true;
    if (body->kind == TIRBI_LS_IF && body->as.if_.else_case &&
        ends_in_break(body->as.if_.then_case) != ends_in_break(body->as.if_.else_case))
        return find_items_of_branch(v, body);
    const bool leaves = body->kind == TIRBI_LS_IF && !body->as.if_.else_case &&
                        ends_in_break(body->as.if_.then_case);
    if (leaves && v->leaves) return false;
    if (leaves) {
        v->leaves = body;
        v->it->at = v->it->n;
        return true;
    }
    return tirbi_can_resolve(body) && tirbi_add_item(v->it, body);
}

/* What leaves the loop, of another variable. */
static const tirbi_lx *condition_of(const leaver *v, tirbi_lvar *var) {
    return tirbi_value_elsewhere(v->it, v->leaves->as.if_.condition, tirbi_lx_var(v->pool, var));
}

/* The search through what a variable counts for an iteration that leaves the loop, which sets `found`. */
static const tirbi_ls *search_for(const leaver *v, tirbi_lvar *var, tirbi_lvar *found) {
    return tirbi_new_search(v->pool, v->loop->span, var, condition_of(v, var), found);
}

/* The iterations before the one that is found. */
static const tirbi_ls *loop_before(const leaver *v, const tirbi_lx *found) {
    tirbi_lvar *var = tirbi_part_variable(v->pool, v->loop->as.loop.var, tirbi_lx_number(v->pool, 0), found);
    return tirbi_loop_of(v->pool, v->loop, var, tirbi_items(v->it, v->it->item, v->it->n));
}

/* What is done of the iteration that leaves the loop. */
static const tirbi_ls *last_one(leaver *v, const tirbi_lx *found) {
    const tirbi_lvar *old = v->loop->as.loop.var;
    const tirbi_ls *then = v->leaves->as.if_.then_case, *items[2 * TIRBI_MAX_ITEMS];
    uint32_t n = v->it->at;
    for (uint32_t i = 0; i < n; i++) items[i] = v->it->item[i];
    for (uint32_t i = 0; then->kind == TIRBI_LS_SEQ && i + 1 < then->as.seq.n; i++) {
        if (n == 2 * TIRBI_MAX_ITEMS) return NULL;
        items[n++] = then->as.seq.items[i];
    }
    for (uint32_t i = v->it->at; i < n; i++)
        if (!tirbi_can_resolve(items[i])) return NULL;
    return tirbi_new_if(v->pool, v->loop->span, tirbi_lx_wide(v->pool, TIRB_OP_LT, found, old->extent),
                        tirbi_iteration_at(v->pool, v->loop, tirbi_items(v->it, items, n), found), NULL);
}

/* `at` becomes the number of the first iteration where the condition holds, or that of all: the nearest ones are looked
 * at one by one. */
static const tirbi_ls *find_alone(leaver *v, tirbi_lvar *at, tirbi_lvar *found) {
    const tirbi_span span = v->loop->span;
    tirbi_lx_pool *pool = v->pool;
    const tirbi_lvar *var = v->loop->as.loop.var;
    const tirbi_lx *zero = tirbi_lx_number(pool, 0), *near = tirbi_lx_number(pool, NEAR),
                   *here = tirbi_lx_var(pool, at);
    if (!zero || !near || !here) return NULL;
    tirbi_lvar *close = tirbi_part_variable(pool, var, zero, tirbi_lx_wide(pool, TIRB_OP_MIN, var->extent, near)),
               *far = tirbi_part_variable(pool, var, near, var->extent);
    const tirbi_lx *holds = condition_of(v, close);
    const tirbi_ls *each[] = {
        tirbi_new_if(pool, span, holds, tirbi_new_stmt(pool, TIRBI_LS_BREAK, span), NULL),
        tirbi_new_set(pool, span, at, tirbi_lx_add(pool, here, tirbi_lx_number(pool, 1)), false),
    };
    const tirbi_ls *beyond[] = {
        search_for(v, far, found),
        tirbi_new_set(pool, span, at, tirbi_lx_add(pool, near, tirbi_lx_var(pool, found)), false),
    };
    const tirbi_lx *left = tirbi_lx_lazy(pool, TIRBI_LX_AND, tirbi_lx_wide(pool, TIRB_OP_EQ, here, near),
                                         tirbi_lx_wide(pool, TIRB_OP_LT, near, var->extent), NULL);
    const tirbi_ls *all[] = {
        tirbi_new_set(pool, span, at, zero, true),
        holds ? tirbi_new_loop(pool, span, close, tirbi_new_sequence(pool, span, each, 2)) : NULL,
        tirbi_new_if(pool, span, left, tirbi_new_sequence(pool, span, beyond, 2), NULL),
    };
    return tirbi_new_sequence(pool, span, all, 3);
}

/* Whether the iterations before the one that leaves only name values. */
static bool does_nothing_else(const leaver *v) {
    for (uint32_t i = 0; i < v->it->n; i++)
        if (v->it->item[i]->kind != TIRBI_LS_SET || !v->it->item[i]->as.set.declares) return false;
    return true;
}

bool tirbi_search_end(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi <= NEAR) return false;
    tirbi_iteration it;
    leaver leaves = {.pool = pool, .loop = loop, .it = &it}, *v = &leaves;
    tirbi_begin_iteration(&it, pool, loop);
    if (!find_items(v, loop->as.loop.body) || !v->leaves ||
        !tirbi_is_known_elsewhere(v->it, v->leaves->as.if_.condition))
        return false;
    tirbi_lvar *found = tirbi_new_variable(pool, TIRBI_LVAR_LET, "found", TIRB_I64, 0, var->extent->hi, loop->span);
    tirbi_lvar *at = tirbi_new_variable(pool, TIRBI_LVAR_LOCAL, "at", TIRB_I64, 0, var->extent->hi, loop->span);
    if (!found || !at) return false;
    const bool alone = does_nothing_else(v);
    const tirbi_lx *n = tirbi_lx_var(pool, alone ? at : found);
    const tirbi_ls *all[3];
    uint32_t k = 0;
    all[k++] = alone ? find_alone(v, at, found) : search_for(v, tirbi_variable_like(pool, var), found);
    if (!alone) all[k++] = loop_before(v, n);
    all[k++] = last_one(v, n);
    out->loop = alone ? NULL : all[1];
    out->stmt = tirbi_new_sequence(pool, loop->span, all, k);
    return out->stmt != NULL;
}
