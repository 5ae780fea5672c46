/* Loop distribution: the statements of a body are nodes, and a statement depends on another one that reaches the same
 * element, or variable, before it; one of the two at least writes there. What depends on each other in a circle is one
 * loop (J. R. Allen and K. Kennedy, Automatic translation of FORTRAN programs to vector form, 1987). */
#include "compiler/optimize/nests/separate.h"

#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

#include <string.h>

enum { MAX_ROOTS = 32 };

typedef struct separator {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;    /* the loop's variable */
    tirbi_loop_set inside; /* those that the body sets */
    const tirbi_ls *nodes[TIRBI_MAX_SEPARATE];
    uint32_t n;
    tirbi_roots stored;                 /* the memory that it stores to */
    uint32_t after[TIRBI_MAX_SEPARATE]; /* the nodes that must come after a node, by bits */
    bool reloads;                       /* a variable is read from where it was stored */
} separator;

/* ---- The statements --------------------------------------------------------------------------------------------- */

/* Notes a variable that is set. */
static tirbi_step find_change(tirbi_walk *w, const tirbi_ls *stmt) {
    separator *s = w->context;
    if (stmt->kind != TIRBI_LS_SET && stmt->kind != TIRBI_LS_LOOP) return TIRBI_INTO;
    if (s->inside.n == TIRBI_MAX_AFFINE) return TIRBI_STOP;
    s->inside.var[s->inside.n++] = stmt->kind == TIRBI_LS_SET ? stmt->as.set.var : stmt->as.loop.var;
    return TIRBI_INTO;
}

/* Whether a node of a value may be another one elsewhere in the iteration. */
static bool changes(const void *context, const tirbi_lx *x) {
    const separator *s = context;
    if (x->kind == TIRBI_LX_LOAD) return tirbi_is_among(&s->stored, x->access->buffer->root);
    return x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, &s->inside));
}

static const tirbi_ls *under(const separator *s, const tirbi_lx *condition, const tirbi_ls *stmt) {
    return condition ? tirbi_new_if(s->pool, stmt->span, condition, stmt, NULL) : stmt;
}

/* The statements of a body. Those of a condition that stays what it is are as many with it as there are, for others may
 * stand between them then. */
static bool find_nodes(separator *s, const tirbi_ls *body, const tirbi_lx *condition) {
    if (body->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < body->as.seq.n; i++)
            if (!find_nodes(s, body->as.seq.items[i], condition)) return false;
        return true;
    }
    const tirbi_lx *own = body->kind == TIRBI_LS_IF && !body->as.if_.first_of ? body->as.if_.condition : NULL;
    if (own && !own->traps && own->size <= TIRBI_MAX_SHARED_SIZE &&
        tirbi_is_made_of(body, TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE)) &&
        !tirbi_any_expr(own, TIRBI_WALK_INDICES, changes, s)) {
        const tirbi_ls *no = body->as.if_.else_case;
        const tirbi_lx *yes = tirbi_lx_and(s->pool, condition, own);
        if (!yes || !find_nodes(s, body->as.if_.then_case, yes)) return false;
        if (!no) return true;
        const tirbi_lx *other = tirbi_lx_and(s->pool, condition, tirbi_lx_not(s->pool, own));
        return other && find_nodes(s, no, other);
    }
    if (s->n == TIRBI_MAX_SEPARATE) return false;
    s->nodes[s->n] = under(s, condition, body);
    return s->nodes[s->n++] != NULL;
}

/* ---- Which is first --------------------------------------------------------------------------------------------- */

/* Finds what must come after what, directly or by way of others. Who shares a variable stays together. */
static bool find_order(separator *s, bool loops) {
    uint32_t fails = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!tirbi_cannot_fail(s->nodes[i])) fails |= UINT32_C(1) << i;
    /* Loops inside may be better off together, for what they read of memory. */
    if (!s->reloads && (fails || (!loops && tirbi_has_kind(s->loop->as.loop.body, TIRBI_KIND(LOOP))))) return false;
    tirbi_dependences *graph = tirbi_find_dependences(s->pool, s->loop, s->nodes, s->n, NULL);
    if (!graph) return false;
    for (uint32_t i = 0; i < graph->n_edges; i++) {
        const tirbi_edge *e = &graph->edge[i];
        const uint32_t from = graph->access[e->from].at.part, to = graph->access[e->to].at.part;
        s->after[from] |= UINT32_C(1) << to;
        if (e->kind == TIRBI_SCALAR) s->after[to] |= UINT32_C(1) << from;
    }
    tirbi_forget_dependences(s->pool, graph);
    for (uint32_t i = 0; i < s->n; i++)
        if (fails >> i & 1) s->after[i] |= fails; /* which one fails first stays so */
    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t i = 0; i < s->n; i++)
            if (s->after[i] >> k & 1) s->after[i] |= s->after[k];
    return true;
}

/* ---- What is read from where it was stored ---------------------------------------------------------------------- */

/* Whether each iteration comes to an element of its own. */
static bool is_own(const separator *s, const tirbi_place *place) {
    tirbi_affine form;
    int64_t step;
    return tirbi_affine_number(s->pool, place, &s->own, &form) && !tirbi_mentions_loops(place->flat, &s->inside) &&
           tirbi_affine_constant(&form, 0, &step) && step != 0 && step != INT64_MIN;
}

/* What an iteration stores of an integer variable, to an element that is its own: it can be read from there. NULL for
 * other statements. */
static const tirbi_lx *kept_in_memory(separator *s, const tirbi_ls *stmt) {
    const tirbi_lx *value = stmt->kind == TIRBI_LS_STORE ? stmt->as.store.value : NULL;
    if (!value || value->kind != TIRBI_LX_VAR || !tirbi_dtype_is_int((tirbi_dtype)value->type)) return NULL;
    const tirbi_place *place = stmt->as.store.access;
    uint32_t stores = 0;
    for (uint32_t i = 0; i < s->stored.n; i++) stores += tirbi_may_meet(s->stored.item[i], place->buffer->root);
    const bool own = stores == 1 && !place->view && !place->buffer->overlaps && place->buffer->type == value->type &&
                     is_own(s, place);
    const tirbi_lx *load = own ? tirbi_lx_load(s->pool, place) : NULL;
    return load && !load->traps ? load : NULL;
}

/* o[i] = k; .. k .. as o[i] = k; .. o[i] .., so that what comes behind does not need the variable. */
static const tirbi_ls *reload(separator *s, const tirbi_ls *body) {
    const tirbi_given none = {.n = 0};
    if (body->kind != TIRBI_LS_SEQ || body->as.seq.n == 0) return body;
    const uint32_t n = body->as.seq.n;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_ls *, n);
    if (!items) return NULL;
    memcpy(items, body->as.seq.items, n * sizeof(*items));
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lx *load = kept_in_memory(s, items[i]);
        tirbi_lvar *var = load ? items[i]->as.store.value->var : NULL;
        for (uint32_t k = i + 1; load && k < n && !tirbi_may_set(items[k], var); k++) {
            if (!tirbi_code_uses(items[k], &var, 1)) continue;
            items[k] = tirbi_resolve(s->pool, &none, items[k], var, load, NULL, true);
            if (!items[k]) return NULL;
            s->reloads = true;
        }
    }
    return s->reloads ? tirbi_new_sequence(s->pool, body->span, items, n) : body;
}

/* ---- The loops -------------------------------------------------------------------------------------------------- */

/* The nodes that are in a circle with one, itself among them. */
static uint32_t circle_of(const separator *s, uint32_t node) {
    uint32_t circle = UINT32_C(1) << node;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->after[node] >> i & 1 && s->after[i] >> node & 1) circle |= UINT32_C(1) << i;
    return circle;
}

/* The first circle of those that are left which comes after no other one of them. */
static uint32_t next_circle(const separator *s, uint32_t left) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(left >> i & 1)) continue;
        const uint32_t circle = circle_of(s, i);
        bool waits = false;
        for (uint32_t k = 0; k < s->n; k++)
            waits = waits || (left >> k & 1 && !(circle >> k & 1) && s->after[k] & circle);
        if (!waits) return circle;
    }
    return left;
}

/* The loop with a variable of its own over some of the nodes, in their order. */
static const tirbi_ls *loop_over(const separator *s, uint32_t nodes) {
    const tirbi_ls *items[TIRBI_MAX_SEPARATE];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (nodes >> i & 1) items[n++] = s->nodes[i];
    const tirbi_ls *body = tirbi_new_sequence(s->pool, s->loop->span, items, n);
    return tirbi_loop_of(s->pool, s->loop, tirbi_variable_like(s->pool, s->own.var[0]), body, true);
}

/* Whether the loop runs over plain bounds, and its body is of statements that can be told apart. */
static bool read_loop(separator *s) {
    const tirbi_ls *body = s->loop->as.loop.body;
    tirbi_walk walk = {.context = s, .stmt = find_change};
    if (!tirbi_is_plain_loop(s->loop) || !tirbi_can_resolve(body) || !tirbi_walk_stmt(&walk, body) ||
        !tirbi_find_stored(&s->stored, body, MAX_ROOTS))
        return false;
    body = reload(s, body);
    return body && find_nodes(s, body, NULL) && s->n >= 2;
}

uint32_t tirbi_separate(tirbi_lx_pool *pool, const tirbi_ls *loop, bool loops,
                        const tirbi_ls *out[TIRBI_MAX_SEPARATE]) {
    if (loop->as.loop.body->kind != TIRBI_LS_SEQ && loop->as.loop.body->kind != TIRBI_LS_IF) return 0;
    separator *s = TIRBI_NEW(pool->arena, separator);
    if (!s) return 0;
    s->pool = pool;
    s->loop = loop;
    s->own = (tirbi_loop_set){.var = {loop->as.loop.var}, .n = 1};
    if (!read_loop(s) || !find_order(s, loops)) return 0;
    uint32_t left = (UINT32_C(1) << s->n) - 1, n = 0;
    if (circle_of(s, 0) == left) return 0;
    while (left) {
        const uint32_t circle = next_circle(s, left);
        out[n] = loop_over(s, circle);
        if (!out[n++]) return 0;
        left &= ~circle;
    }
    return n;
}
