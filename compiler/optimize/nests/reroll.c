#include "compiler/optimize/nests/reroll.h"

#include "compiler/loop/sums.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

enum { MAX_ITEMS = 64, MAX_NAMES = 16, MAX_DEPTH = 48 };

/* A body as copies of its first statements: copy j does for place k + j what the first does for place k. */
typedef struct roller {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own; /* the loop's variable */
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n;
    int64_t copies, copy; /* how many there are, and which is compared with the first */
    const tirbi_lvar *first[MAX_NAMES], *other[MAX_NAMES]; /* variables that begin in the two */
    uint32_t n_names;
    const tirbi_lx *place; /* what the places are counted by when they are one loop */
    bool moves;            /* something is another place from copy to copy */
    bool failed;
} roller;

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

static bool is_int(const tirbi_lx *x) { return x->type == TIRB_I32 || x->type == TIRB_I64; }

/* Where an integer is in the loop's first iteration, and how far it goes from place to place. */
static bool pace_of(const roller *r, const tirbi_lx *x, const tirbi_lx **start, int64_t *pace) {
    tirbi_affine form;
    if (!tirbi_affine_of(r->pool, x, &r->own, &form) || !tirbi_affine_constant(&form, 0, pace) ||
        *pace % r->copies != 0)
        return false;
    *pace /= r->copies;
    *start = form.start;
    return true;
}

/* Whether two integers are the same one, a place or more apart. */
static bool match_counts(roller *r, const tirbi_lx *a, const tirbi_lx *b) {
    const tirbi_lx *from, *to;
    int64_t pace, other, by, expected;
    const bool match = pace_of(r, a, &from, &pace) && pace_of(r, b, &to, &other) && pace == other &&
                       tirbi_constant_difference(to, from, &by) && tirbi_mul_i64(pace, r->copy, &expected) &&
                       by == expected;
    r->moves = r->moves || (match && pace != 0);
    return match;
}

static bool match_variables(const roller *r, const tirbi_lvar *a, const tirbi_lvar *b) {
    for (uint32_t i = 0; i < r->n_names; i++)
        if (r->first[i] == a || r->other[i] == b) return r->first[i] == a && r->other[i] == b;
    return a == b;
}

static bool match_values(roller *r, const tirbi_lx *a, const tirbi_lx *b, unsigned depth);

static bool match_places(roller *r, const tirbi_place *a, const tirbi_place *b, unsigned depth) {
    if (a->buffer != b->buffer || a->view || b->view || tirbi_buffer_moves(a->buffer, &r->own)) return false;
    for (uint32_t d = 0; d < a->ndim; d++) {
        if (tirbi_depends_on_loops(a->buffer->shape[d], &r->own)) return false; /* it is the same for all copies */
        if (!match_values(r, a->indices[d], b->indices[d], depth + 1)) return false;
    }
    return true;
}

static bool match_values(roller *r, const tirbi_lx *a, const tirbi_lx *b, unsigned depth) {
    if (depth > MAX_DEPTH || a->kind != b->kind || a->type != b->type || a->kind == TIRBI_LX_CALL) return false;
    if (is_int(a) && a->pure && b->pure && tirbi_mentions_loops(a, &r->own) && match_counts(r, a, b)) return true;
    if (a->op != b->op || a->optype != b->optype || a->source != b->source || a->n_args != b->n_args ||
        a->addend_first != b->addend_first)
        return false;
    switch (a->kind) {
    case TIRBI_LX_CONST:
        return a == b;
    case TIRBI_LX_VAR:
        return a->var != r->own.var[0] && match_variables(r, a->var, b->var);
    case TIRBI_LX_LOAD:
        return match_places(r, a->access, b->access, depth);
    default:
        break;
    }
    for (int i = 0; i < a->n_args; i++)
        if (!match_values(r, a->args[i], b->args[i], depth + 1)) return false;
    return true;
}

/* A variable that begins in a copy is the one that begins in the first. */
static bool match_sets(roller *r, const tirbi_ls *a, const tirbi_ls *b, unsigned depth) {
    const tirbi_lvar *x = a->as.set.var, *y = b->as.set.var;
    if (!a->as.set.value || !b->as.set.value || a->as.set.declares != b->as.set.declares ||
        !match_values(r, a->as.set.value, b->as.set.value, depth))
        return false;
    if (!a->as.set.declares) return match_variables(r, x, y);
    if (x == y || r->n_names == MAX_NAMES || x->type != y->type || x->kind != y->kind || x->lo != y->lo ||
        x->hi != y->hi)
        return false;
    r->first[r->n_names] = x;
    r->other[r->n_names++] = y;
    return true;
}

static bool match_statements(roller *r, const tirbi_ls *a, const tirbi_ls *b, unsigned depth) {
    if (depth > MAX_DEPTH || a->kind != b->kind) return false;
    switch (a->kind) {
    case TIRBI_LS_SEQ:
        if (a->as.seq.n != b->as.seq.n) return false;
        for (uint32_t i = 0; i < a->as.seq.n; i++)
            if (!match_statements(r, a->as.seq.items[i], b->as.seq.items[i], depth + 1)) return false;
        return true;
    case TIRBI_LS_IF:
        if (!a->as.if_.else_case != !b->as.if_.else_case) return false;
        return match_values(r, a->as.if_.condition, b->as.if_.condition, depth) &&
               match_statements(r, a->as.if_.then_case, b->as.if_.then_case, depth + 1) &&
               (!a->as.if_.else_case || match_statements(r, a->as.if_.else_case, b->as.if_.else_case, depth + 1));
    case TIRBI_LS_STORE:
        return match_values(r, a->as.store.value, b->as.store.value, depth) &&
               match_places(r, a->as.store.access, b->as.store.access, depth);
    case TIRBI_LS_SET:
        return match_sets(r, a, b, depth);
    default:
        return false;
    }
}

static bool are_copies(roller *r) {
    const uint32_t each = r->n / (uint32_t)r->copies;
    r->moves = false;
    for (r->copy = 1; r->copy < r->copies; r->copy++) {
        r->n_names = 0;
        for (uint32_t i = 0; i < each; i++)
            if (!match_statements(r, r->items[i], r->items[(uint32_t)r->copy * each + i], 0)) return false;
    }
    return r->moves;
}

/* ---- Chains ----------------------------------------------------------------------------------------------------- */

/* The operand that an operation of a chain goes on from; -1: it is none. */
static int goes_on_from(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP) return -1;
    switch (x->op) {
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
    case TIRB_OP_MUL:
    case TIRB_OP_MIN:
    case TIRB_OP_MAX: return 0;
    case TIRB_OP_FMA:
    case TIRB_OP_FMS:
    case TIRB_OP_FNMA: return 2;
    default: return -1;
    }
}

/* s = f(g(s, x), y) as s = g(s, x); s = f(s, y), where that is all of the body. */
static void unchain(roller *r) {
    const tirbi_ls *s = r->items[0];
    if (r->n != 1 || s->kind != TIRBI_LS_SET || s->as.set.declares || !s->as.set.value) return;
    const tirbi_lx *links[MAX_ITEMS], *x = s->as.set.value, *before = tirbi_lx_var(r->pool, s->as.set.var);
    uint32_t n = 0;
    for (int from; (from = goes_on_from(x)) >= 0; x = x->args[from]) {
        if (n == MAX_ITEMS) return;
        for (int i = 0; i < x->n_args; i++)
            if (i != from && tirbi_any_expr(x->args[i], TIRBI_WALK_ALL, tirbi_is_var, s->as.set.var)) return;
        links[n++] = x;
    }
    if (n < 2 || !before || !tirbi_is_var(s->as.set.var, x)) return;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lx *link = links[n - 1 - i];
        const tirbi_op op = (tirbi_op)link->op;
        const tirbi_dtype type = (tirbi_dtype)link->optype;
        const tirbi_lx *value =
            link->n_args == 3
                ? tirbi_lx_fused(r->pool, op, type, link->args[0], link->args[1], before, link->addend_first)
                : tirbi_lx_op(r->pool, op, type, (tirbi_dtype)link->source, before, link->args[1], NULL);
        r->items[i] = value ? tirbi_with_value(r->pool, s, value) : NULL;
        if (!r->items[i]) return;
    }
    r->n = n;
}

/* ---- The loop over all places ----------------------------------------------------------------------------------- */

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    roller *r = rewrite->context;
    const tirbi_lx *start;
    int64_t pace;
    if (!is_int(x) || !x->pure || !tirbi_mentions_loops(x, &r->own)) return NULL;
    if (pace_of(r, x, &start, &pace)) {
        const tirbi_lx *way = tirbi_lx_mul(r->pool, r->place, tirbi_lx_number(r->pool, pace));
        return tirbi_lx_cast(r->pool, (tirbi_dtype)x->type, tirbi_lx_add(r->pool, start, way));
    }
    r->failed = r->failed || x->kind == TIRBI_LX_VAR;
    return NULL;
}

static tirbi_lvar *variable_of(const roller *r) {
    const tirbi_lvar *old = r->own.var[0];
    int64_t most, least;
    if (!tirbi_mul_i64(old->extent->hi, r->copies, &most) || !tirbi_mul_i64(old->extent->lo, r->copies, &least))
        return NULL;
    return tirbi_new_counter(r->pool, old, TIRB_I64,
                             tirbi_lx_mul(r->pool, old->extent, tirbi_lx_number(r->pool, r->copies)));
}

static const tirbi_ls *roll(roller *r) {
    tirbi_lvar *var = variable_of(r);
    tirbi_ls *loop = tirbi_new_stmt(r->pool, TIRBI_LS_LOOP, r->loop->span);
    const tirbi_ls *body = tirbi_new_sequence(r->pool, r->loop->span, r->items, r->n / (uint32_t)r->copies);
    tirbi_rewrite rewrite = {.pool = r->pool, .replace = replace, .context = r};
    r->place = tirbi_lx_var(r->pool, var);
    if (!loop || !body || !r->place) return NULL;
    if (body->as.seq.n == 1) body = body->as.seq.items[0];
    loop->as.loop.var = var;
    loop->as.loop.body = tirbi_rewrite_stmt(&rewrite, body);
    return loop->as.loop.body && !r->failed ? loop : NULL;
}

/* The loop over all places where its body is copies of each other, as many as there are: else NULL. */
static const tirbi_ls *roll_up(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    if ((body->kind != TIRBI_LS_SEQ && body->kind != TIRBI_LS_SET) || loop->as.loop.parallel ||
        !tirbi_is_plain_loop(loop))
        return NULL;
    roller *r = TIRBI_NEW(pool->arena, roller);
    if (!r) return NULL;
    *r = (roller){.pool = pool, .loop = loop, .own = {.var = {loop->as.loop.var}, .n = 1}};
    if (!tirbi_list_statements(body, r->items, &r->n, MAX_ITEMS)) return NULL;
    unchain(r);
    for (uint32_t copies = r->n; copies > 1; copies--) {
        if (r->n % copies != 0) continue;
        r->copies = copies;
        if (are_copies(r)) return roll(r);
    }
    return NULL;
}

static const tirbi_ls *roll_all(void *pool, const tirbi_ls *s) {
    const tirbi_ls *rolled = s->kind == TIRBI_LS_LOOP ? roll_up(pool, s) : NULL;
    return rolled ? rolled : tirbi_replace_inside(pool, s, roll_all, pool);
}

const tirbi_ls *tirbi_reroll(tirbi_lx_pool *pool, const tirbi_ls *s) { return roll_all(pool, s); }
