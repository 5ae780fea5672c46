#include "compiler/optimize/whiles/skips.h"

#include "compiler/optimize/rewriting/statements.h"

enum { MOST = 8 /* one branch inside another */ };

static bool is_skip(const tirbi_ls *s) { return s->kind == TIRBI_LS_CONTINUE; }

/* Whether a statement is a branch that ends in skipping the rest. */
static bool skips_rest(const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_IF || s->as.if_.first_of || s->as.if_.else_case) return false;
    const tirbi_ls *then = s->as.if_.then_case;
    if (then->kind == TIRBI_LS_SEQ && then->as.seq.n > 0) then = then->as.seq.items[then->as.seq.n - 1];
    return is_skip(then);
}

/* The branch with all that stands behind it. */
static const tirbi_ls *make_branch(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_ls *rest) {
    const tirbi_ls *then = s->as.if_.then_case;
    const uint32_t n = is_skip(then) ? 0 : then->as.seq.n - 1;
    const tirbi_lx *condition = s->as.if_.condition;
    if (n == 0) return tirbi_new_if(pool, s->span, tirbi_lx_opposite(pool, condition), rest, NULL);
    return tirbi_new_if(pool, s->span, condition, tirbi_new_sequence(pool, then->span, then->as.seq.items, n), rest);
}

static const tirbi_ls *without_skips(tirbi_lx_pool *pool, const tirbi_ls *body, unsigned depth);

/* What an iteration ends with: skips in its branches skip no more than the rest of these. */
static const tirbi_ls *without_skips_inside(tirbi_lx_pool *pool, const tirbi_ls *s, unsigned depth) {
    if (s->kind != TIRBI_LS_IF || s->as.if_.first_of) return s;
    const tirbi_ls *yes = without_skips(pool, s->as.if_.then_case, depth + 1), *no = s->as.if_.else_case;
    if (no) no = without_skips(pool, no, depth + 1);
    if (yes == s->as.if_.then_case && no == s->as.if_.else_case) return s;
    const tirbi_ls *made = tirbi_new_if(pool, s->span, s->as.if_.condition, yes, no);
    return made ? made : s;
}

/* A sequence up to an item, and another one in its place; `body` where memory ran out. */
static const tirbi_ls *ended_by(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t at, const tirbi_ls *last) {
    const tirbi_ls **items = last ? TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, at + 1) : NULL;
    if (!items) return body;
    for (uint32_t i = 0; i < at; i++) items[i] = body->as.seq.items[i];
    items[at] = last;
    const tirbi_ls *out = tirbi_new_sequence(pool, body->span, items, at + 1);
    return out ? out : body;
}

/* The body of a loop without skips, or as it was. */
static const tirbi_ls *without_skips(tirbi_lx_pool *pool, const tirbi_ls *body, unsigned depth) {
    if (depth == MOST) return body;
    if (body->kind != TIRBI_LS_SEQ) return without_skips_inside(pool, body, depth);
    uint32_t at = 0, n = body->as.seq.n;
    if (n == 0) return body;
    while (at < n && !skips_rest(body->as.seq.items[at])) at++;
    if (at + 1 >= n) {
        const tirbi_ls *last = body->as.seq.items[n - 1], *inside = without_skips_inside(pool, last, depth);
        return inside == last ? body : ended_by(pool, body, n - 1, inside);
    }
    const tirbi_ls *rest = tirbi_new_sequence(pool, body->span, body->as.seq.items + at + 1, n - at - 1);
    rest = rest ? without_skips(pool, rest, depth + 1) : NULL;
    return ended_by(pool, body, at, rest ? make_branch(pool, body->as.seq.items[at], rest) : NULL);
}

static const tirbi_ls *in_branches(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    const tirbi_ls *made = tirbi_replace_inside(pool, s, in_branches, pool);
    if (made->kind != TIRBI_LS_LOOP && made->kind != TIRBI_LS_WHILE) return made;
    const tirbi_ls *old = made->kind == TIRBI_LS_LOOP ? made->as.loop.body : made->as.while_.body,
                   *body = without_skips(pool, old, 0);
    tirbi_ls *copy = body != old ? tirbi_same_stmt(pool, made) : NULL;
    if (!copy) return made;
    if (copy->kind == TIRBI_LS_LOOP) copy->as.loop.body = body;
    else copy->as.while_.body = body;
    return copy;
}

const tirbi_ls *tirbi_skip_in_branches(tirbi_lx_pool *pool, const tirbi_ls *stmt) { return in_branches(pool, stmt); }
