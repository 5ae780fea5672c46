/* The statements are nodes, and an edge of the dependence graph leads from one to another that has to come after it:
 * which reaches the same element, or variable, one of the two at least writing there. What is in a circle stays
 * together (J. R. Allen and K. Kennedy, Automatic translation of FORTRAN programs to vector form, 1987). */
#include "compiler/optimize/transform/distribute.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

typedef struct distributor {
    tirbi_lx_pool *pool;
    tirbi_loop_set inside; /* the variables that the body sets */
    tirbi_roots stored;    /* the memory that it stores to */
    const tirbi_ls *node[TIRBI_MAX_DISTRIBUTED];
    uint32_t n;
    uint32_t after[TIRBI_MAX_DISTRIBUTED]; /* the nodes that must come after a node, by bits */
    bool reads_back; /* a variable is read from where it was stored */
} distributor;

/* ---- The statements --------------------------------------------------------------------------------------------- */

/* Whether a node of a value may be another one elsewhere in the iteration. */
static bool changes(const void *context, const tirbi_lx *x) {
    const distributor *d = context;
    if (x->kind == TIRBI_LX_LOAD) return tirbi_is_among(&d->stored, x->access->buffer->root);
    return x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, &d->inside));
}

/* Whether a condition asks the same for each of the statements that it decides of. */
static bool is_divisible(const distributor *d, const tirbi_ls *branch) {
    const tirbi_lx *x = branch->as.if_.condition;
    return !branch->as.if_.sizes && !x->traps &&
           x->size <= TIRBI_MAX_SHARED_SIZE &&
           tirbi_is_made_of(branch, TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE)) &&
           !tirbi_any_expr(x, TIRBI_WALK_INDICES, changes, d);
}

/* A condition around what is inside of one, and around a statement. */
typedef struct around {
    const tirbi_ls *branch;
    bool holds;
    const struct around *outer;
} around;

static const tirbi_ls *under(const distributor *d, const around *a, const tirbi_ls *stmt) {
    for (; a && stmt; a = a->outer) {
        tirbi_ls *copy = tirbi_same_stmt(d->pool, a->branch);
        if (!copy) return NULL;
        if (!a->holds) copy->as.if_.condition = tirbi_lx_not(d->pool, a->branch->as.if_.condition);
        copy->as.if_.then_case = stmt;
        copy->as.if_.else_case = NULL;
        stmt = copy->as.if_.condition ? copy : NULL;
    }
    return stmt;
}

/* The statements of a body. Those of a condition that stays what it is are as many with it as there are, for others may
 * stand between them then. */
static bool find_nodes(distributor *d, const tirbi_ls *s, const around *outer) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!find_nodes(d, s->as.seq.items[i], outer)) return false;
        return true;
    }
    if (s->kind == TIRBI_LS_IF && is_divisible(d, s)) {
        const tirbi_ls *no = s->as.if_.else_case;
        return find_nodes(d, s->as.if_.then_case, &(around){s, true, outer}) &&
               (!no || find_nodes(d, no, &(around){s, false, outer}));
    }
    if (d->n == TIRBI_MAX_DISTRIBUTED) return false;
    d->node[d->n] = under(d, outer, s);
    return d->node[d->n++] != NULL;
}

/* ---- Which is first --------------------------------------------------------------------------------------------- */

/* Nodes that may fail, where the order of these tells something, by bits. */
static uint32_t find_failing(const distributor *d, const tirbi_ls *nest) {
    uint32_t fails = 0;
    if (tirbi_fails_alike(nest)) return 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (!tirbi_cannot_fail(d->node[i])) fails |= UINT32_C(1) << i;
    return fails;
}

/* Finds what must come after what, directly or by way of others. Who shares a variable stays together. */
static bool find_order(distributor *d, const tirbi_ls *const *loops, uint32_t n_loops) {
    const uint32_t fails = find_failing(d, loops[0]);
    const tirbi_asked asked = {.carriers = UINT32_MAX, .alike = true, .parts = true};
    tirbi_dependences *graph = tirbi_find_nest_dependences(d->pool, loops, n_loops, d->node, d->n, &asked);
    if (!graph) return false;
    for (uint32_t i = 0; i < graph->n_edges; i++) {
        const tirbi_edge *e = &graph->edge[i];
        const uint32_t from = graph->access[e->from].at.part, to = graph->access[e->to].at.part;
        d->after[from] |= UINT32_C(1) << to;
        if (e->kind == TIRBI_SCALAR) d->after[to] |= UINT32_C(1) << from;
    }
    tirbi_forget_dependences(d->pool, graph);
    for (uint32_t i = 0; i < d->n; i++)
        if (fails >> i & 1) d->after[i] |= fails; /* which one fails first stays so */
    for (uint32_t k = 0; k < d->n; k++)
        for (uint32_t i = 0; i < d->n; i++)
            if (d->after[i] >> k & 1) d->after[i] |= d->after[k];
    return true;
}

/* The nodes that are in a circle with one, itself among them. */
static uint32_t circle_of(const distributor *d, uint32_t node) {
    uint32_t circle = UINT32_C(1) << node;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->after[node] >> i & 1 && d->after[i] >> node & 1) circle |= UINT32_C(1) << i;
    return circle;
}

/* The first circle of those that are left which comes after no other one of them. */
static uint32_t next_circle(const distributor *d, uint32_t left) {
    for (uint32_t i = 0; i < d->n; i++) {
        if (!(left >> i & 1)) continue;
        const uint32_t circle = circle_of(d, i);
        bool waits = false;
        for (uint32_t k = 0; k < d->n; k++)
            waits = waits || (left >> k & 1 && !(circle >> k & 1) && d->after[k] & circle);
        if (!waits) return circle;
    }
    return left;
}

/* ---- What is read from where it was stored ---------------------------------------------------------------------- */

/* Whether each iteration comes to an element of its own. */
static bool is_own(const distributor *d, const tirbi_ls *loop, const tirbi_place *place) {
    const tirbi_loop_set own = {.var = {loop->as.loop.var}, .n = 1};
    tirbi_affine form;
    int64_t step;
    return tirbi_affine_number(d->pool, place, &own, &form) && !tirbi_mentions_loops(place->flat, &d->inside) &&
           tirbi_affine_constant(&form, 0, &step) && step != 0 && step != INT64_MIN;
}

/* What an iteration stores of an integer variable, to an element that is its own: it can be read from there. NULL for
 * other statements. */
static const tirbi_lx *kept_in_memory(const distributor *d, const tirbi_ls *loop, const tirbi_ls *stmt) {
    const tirbi_lx *value = stmt->kind == TIRBI_LS_STORE ? stmt->as.store.value : NULL;
    if (!value || value->kind != TIRBI_LX_VAR || !tirbi_dtype_is_int((tirbi_dtype)value->type)) return NULL;
    const tirbi_place *place = stmt->as.store.access;
    uint32_t stores = 0;
    for (uint32_t i = 0; i < d->stored.n; i++) stores += tirbi_may_meet(d->stored.item[i], place->buffer->root);
    const bool own = stores == 1 && !place->view && !place->buffer->overlaps && place->buffer->type == value->type &&
                     is_own(d, loop, place);
    const tirbi_lx *load = own ? tirbi_lx_load(d->pool, place) : NULL;
    return load && !load->traps ? load : NULL;
}

/* o[i] = k; .. k .. as o[i] = k; .. o[i] .., so that what comes behind does not need the variable. What begins there is
 * another variable, for all statements behind. */
static void read_from(distributor *d, tirbi_lvar *var, const tirbi_lx *load, const tirbi_ls **items, uint32_t n) {
    tirbi_rewrite rewrite = {.pool = d->pool, .kinds = TIRBI_NESTS | TIRBI_KIND(TREE), .anew = TIRBI_ALL_ANEW};
    uint32_t used = 0;
    while (used < n && !tirbi_may_set(items[used], var) && !tirbi_names(items[used], &var, 1)) used++;
    if (used == n || tirbi_may_set(items[used], var)) return;
    tirbi_bind_variable(&rewrite, var, load);
    for (bool reads = true; used < n; used++) {
        if (reads && tirbi_may_set(items[used], var)) {
            tirbi_bind_variable(&rewrite, var, tirbi_lx_var(d->pool, var));
            reads = false;
        }
        items[used] = tirbi_rewrite_stmt(&rewrite, items[used]);
    }
    d->reads_back = true;
}

static const tirbi_ls *read_back(distributor *d, const tirbi_ls *loop, const tirbi_ls *body) {
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED];
    uint32_t n = 0;
    if (!tirbi_list_statements(body, items, &n, TIRBI_MAX_DISTRIBUTED)) return body;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lx *load = kept_in_memory(d, loop, items[i]);
        if (load) read_from(d, items[i]->as.store.value->var, load, items + i + 1, n - i - 1);
        for (uint32_t k = i + 1; k < n; k++)
            if (!items[k]) return NULL;
    }
    return d->reads_back ? tirbi_new_sequence(d->pool, body->span, items, n) : body;
}

/* ---- The groups ------------------------------------------------------------------------------------------------- */

static const tirbi_ls *group_of(const distributor *d, uint32_t nodes) {
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (nodes >> i & 1) items[n++] = d->node[i];
    return tirbi_new_sequence(d->pool, items[0]->span, items, n);
}

static bool look_at(distributor *d, const tirbi_ls *body) {
    return (body->kind == TIRBI_LS_SEQ || body->kind == TIRBI_LS_IF) && tirbi_find_variables(&d->inside, body, 0) &&
           tirbi_find_stored(&d->stored, body, TIRBI_MAX_ROOTS);
}

static bool distribute(distributor *d, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *body,
                       tirbi_distribution *out) {
    if (!find_nodes(d, body, NULL) || d->n < 2 || !find_order(d, loops, n_loops)) return false;
    uint32_t left = (UINT32_C(1) << d->n) - 1;
    if (circle_of(d, 0) == left) return false;
    for (out->n = 0; left;) {
        const uint32_t circle = next_circle(d, left);
        out->item[out->n] = group_of(d, circle);
        if (!out->item[out->n++]) return false;
        left &= ~circle;
    }
    return true;
}

bool tirbi_distribute(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *body,
                      tirbi_distribution *out) {
    distributor *d = TIRBI_NEW(pool->arena, distributor);
    if (!d) return false;
    d->pool = pool;
    const bool distributed = look_at(d, body) && distribute(d, loops, n_loops, body, out);
    TIRBI_GIVE_BACK(pool->arena, d);
    return distributed;
}

/* The same of one loop, whose variables are read from where they were stored. */
static bool distribute_one(tirbi_lx_pool *pool, const tirbi_ls *loop, bool around_loops, tirbi_distribution *out) {
    distributor *d = TIRBI_NEW(pool->arena, distributor);
    const tirbi_ls *body = loop->as.loop.body;
    if (!d) return false;
    d->pool = pool;
    const bool looks = look_at(d, body);
    if (looks) body = read_back(d, loop, body);
    const bool distributed = looks && body &&
                             (around_loops || d->reads_back || !tirbi_has_kind(body, TIRBI_KIND(LOOP))) &&
                             distribute(d, &loop, 1, body, out);
    TIRBI_GIVE_BACK(pool->arena, d);
    return distributed;
}

static const tirbi_ls *loop_over(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *group) {
    return tirbi_loop_of(pool, loop, tirbi_variable_like(pool, loop->as.loop.var), group);
}

/* Straight groups that follow each other as one, as long as the loop over them suits. */
static void join_groups(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_joins *joins, tirbi_distribution *out) {
    uint32_t n = 1;
    for (uint32_t i = 1; i < out->n; i++) {
        const tirbi_ls *groups[] = {out->item[n - 1], out->item[i]};
        const tirbi_ls *both = tirbi_new_sequence(pool, loop->span, groups, 2);
        const bool straight = both && !tirbi_has_kind(both, TIRBI_KIND(LOOP));
        const tirbi_ls *joined = straight ? loop_over(pool, loop, both) : NULL;
        if (joined && joins->suits(joins->context, joined))
            out->item[n - 1] = both;
        else
            out->item[n++] = out->item[i];
    }
    out->n = n;
}

bool tirbi_distribute_loop(tirbi_lx_pool *pool, const tirbi_ls *loop, bool around_loops, const tirbi_joins *joins,
                           tirbi_distribution *out) {
    if (!tirbi_is_plain_loop(loop) || !tirbi_can_resolve(loop->as.loop.body) ||
        !distribute_one(pool, loop, around_loops, out))
        return false;
    if (joins) join_groups(pool, loop, joins, out);
    for (uint32_t i = 0; i < out->n; i++)
        if (!(out->item[i] = loop_over(pool, loop, out->item[i]))) return false;
    return out->n > 1;
}
