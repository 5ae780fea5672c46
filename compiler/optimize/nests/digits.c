#include "compiler/optimize/nests/digits.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/normalise/forward.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/divisor.h"

#include <stdio.h>
#include <string.h>

/* Each loop that has iterations left over has its body twice. */
enum { MAX_REMAINDERS = 8, MAX_PARTS = 64, LEAST_IN_CONDITION = 8 };

/* A counter that is a part of one in the program: name / unit, or name / unit % extent. */
typedef struct part {
    const tirbi_lvar *var;
    const char *name;
    int64_t unit;
    bool first; /* the slowest part */
} part;

typedef struct pass {
    tirbi_lx_pool *pool;
    bool tiles; /* only loops of constant extents, with no iterations left over */
    part parts[MAX_PARTS];
    uint32_t n_parts, n_remainders;
} pass;

/* ---- Looking for digits ---------------------------------------------------------------------------------------- */

/* The digits that indices of a loop's body ask for. */
typedef struct search {
    tirbi_lx_pool *pool; /* of tiles: what is divided may wrap, that is judged by sizes then */
    tirbi_loop_set counter; /* one loop; or none: whether there are divisions at all */
    const tirbi_ls *body;
    bool divisions;
    bool condition;    /* it is one that is looked at: a long enough digit is a loop's, others are parts of the loop */
    int64_t exact;     /* the smallest that divides the extent; 0: none yet */
    int64_t remaining; /* the largest that leaves iterations over */
} search;

/* A product that wraps is still a multiple of the powers of two that its factors are multiples of. */
static bool divides(const tirbi_lx *extent, int64_t digit) {
    while (extent->kind == TIRBI_LX_OP && extent->op == TIRB_OP_CAST && extent->source == TIRB_I32)
        extent = extent->args[0];
    if (extent->kind == TIRBI_LX_CONST) return extent->value % digit == 0;
    return extent->kind == TIRBI_LX_OP && extent->op == TIRB_OP_MUL && extent->args[1]->kind == TIRBI_LX_CONST &&
           extent->args[1]->value % digit == 0 && ((digit & (digit - 1)) == 0 || !tirbi_full_range(extent));
}

static void add_digit(search *s, int64_t digit) {
    const tirbi_lx *extent = s->counter.var[0]->extent;
    if (digit < 2 || extent->hi / 2 < digit) return;
    if (s->condition && (digit < LEAST_IN_CONDITION || !divides(extent, digit))) return;
    if (!divides(extent, digit))
        s->remaining = digit > s->remaining ? digit : s->remaining;
    else if (s->exact == 0 || digit < s->exact)
        s->exact = digit;
}

/* The same as `tirbi_division_digit`, of a sum beside the counter's term that may wrap. */
static int64_t loose_digit(const search *s, const tirbi_division *d) {
    tirbi_affine form;
    int64_t step;
    if (!tirbi_affine_modulo(s->pool, d->numerator, &s->counter, &form) || !tirbi_affine_constant(&form, 0, &step) ||
        step == 0)
        return 0;
    if (form.start->kind == TIRBI_LX_CONST) return tirbi_division_digit(d, s->counter.var[0]);
    return d->divisor / (int64_t)tirbi_common_divisor((uint64_t)d->divisor, tirbi_magnitude(step));
}

static void search_index(search *s, const tirbi_lx *x) {
    tirbi_division division;
    if (tirbi_is_division(x, &division)) {
        s->divisions = true;
        if (s->counter.n)
            add_digit(s, s->pool ? loose_digit(s, &division) : tirbi_division_digit(&division, s->counter.var[0]));
    }
    for (int i = 0; i < x->n_args; i++) search_index(s, x->args[i]);
}

static bool is_divided(const void *context, const tirbi_lx *x) {
    (void)context;
    tirbi_division division;
    return tirbi_is_division(x, &division);
}

/* Whether nothing but the number of the element is asked for, and that divides nothing. */
static bool is_numbered(const tirbi_place *place) {
    return tirbi_is_proven(place) && !tirbi_any_expr(place->flat, 0, is_divided, NULL);
}

/* Whether the loop stores to what is loaded by subscripts that divide: then these tell which iterations meet. */
static bool meets_stores(const search *s, const tirbi_place *place) {
    bool divides_some = false;
    if (!place->buffer->root->written) return false;
    for (uint32_t d = 0; d < place->ndim; d++)
        divides_some = divides_some || tirbi_any_expr(place->indices[d], 0, is_divided, NULL);
    return divides_some && tirbi_stores_to(s->body, place->buffer->root);
}

static bool search_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    for (const tirbi_place *v = place; v; v = v->view) {
        const bool numbered = is_numbered(v) && !(load && meets_stores(w->context, place));
        for (uint32_t i = 0; i < v->ndim && !numbered; i++) search_index(w->context, v->indices[i]);
    }
    return true;
}

/* What has a name only because computing it may fail is an index under that name. */
static void search_let(search *s, const tirbi_ls *set) {
    const tirbi_lx *value = set->as.set.value;
    if (set->as.set.declares && set->as.set.var->kind == TIRBI_LVAR_LET && value->pure && value->traps)
        search_index(s, value);
}

static tirbi_step search_choice(tirbi_walk *w, const tirbi_lx *x) {
    search *s = w->context;
    const tirbi_lx *condition = x->kind == TIRBI_LX_COND ? x->args[0] : w->at->kind == TIRBI_LS_IF ? x : NULL;
    if (!condition || !condition->pure) return TIRBI_INTO;
    s->condition = true;
    search_index(s, condition);
    s->condition = false;
    return x == condition ? TIRBI_PAST : TIRBI_INTO;
}

static tirbi_step search_stmt(tirbi_walk *w, const tirbi_ls *stmt) {
    if (stmt->kind == TIRBI_LS_SET) search_let(w->context, stmt);
    if (stmt->kind == TIRBI_LS_LOOP && stmt->as.loop.step) tirbi_walk_expr(w, stmt->as.loop.step);
    return TIRBI_INTO;
}

static void search_body(search *s, const tirbi_ls *body) {
    s->body = body;
    tirbi_walk walk = {.context = s,
                       .stmt = search_stmt,
                       .expr = search_choice,
                       .access = search_place,
                       .reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS};
    tirbi_walk_stmt(&walk, body);
}

/* ---- Writing anew ----------------------------------------------------------------------------------------------- */

/* counter = high * digit + low, where the last, incomplete round has the quotient for `high` and `rest` for `low`.
 * Without a counter only what stands there is simplified. */
typedef struct digits {
    pass *pass;
    tirbi_lx_pool *pool;
    const tirbi_lvar *counter;
    int64_t digit;
    tirbi_lvar *high, *low, *rest;
    const tirbi_lx *quotient;
} digits;

static const char *part_name(const digits *d, const part *p, int64_t modulo) {
    char text[128];
    int n = snprintf(text, sizeof(text), "%.*s", tirbi_beginning_of(p->name, 60), p->name);
    if (p->unit > 1 && n > 0) n += snprintf(text + n, sizeof(text) - (size_t)n, " / %lld", (long long)p->unit);
    if (!p->first && n > 0) snprintf(text + n, sizeof(text) - (size_t)n, " %% %lld", (long long)modulo);
    return tirbi_arena_text(d->pool->arena, text, strlen(text));
}

static tirbi_lvar *make_digit(digits *d, const tirbi_lx *extent, bool high) {
    tirbi_lvar *var = tirbi_counter_like(d->pool, d->counter, extent);
    part p = {.name = d->counter->name, .unit = 1, .first = true};
    for (uint32_t i = 0; i < d->pass->n_parts; i++) {
        if (d->pass->parts[i].var == d->counter) p = d->pass->parts[i];
    }
    p.var = var;
    p.first = p.first && high;
    if (high && __builtin_mul_overflow(p.unit, d->digit, &p.unit)) return NULL;
    if (!var) return NULL;
    var->name = part_name(d, &p, high ? extent->hi : d->digit);
    if (var->hi > d->counter->hi) var->hi = d->counter->hi;
    if (d->pass->n_parts < MAX_PARTS) d->pass->parts[d->pass->n_parts++] = p;
    return var->name ? var : NULL;
}

static const tirbi_lx *number(const digits *d, const tirbi_lx *high, tirbi_lvar *low) {
    tirbi_dtype type = d->counter->type;
    const tirbi_lx *scaled = tirbi_lx_binary(d->pool, TIRB_OP_MUL, type, tirbi_lx_cast(d->pool, type, high),
                                             tirbi_lx_int(d->pool, type, d->digit));
    return tirbi_lx_binary(d->pool, TIRB_OP_ADD, type, scaled, tirbi_lx_var(d->pool, low));
}

static bool make_digits(digits *d) {
    const tirbi_lx *extent = d->counter->extent;
    bool exact = divides(extent, d->digit);
    bool product = exact && extent->kind == TIRBI_LX_OP && extent->op == TIRB_OP_MUL && !tirbi_full_range(extent);
    if (!product && extent->lo < 0) extent = tirbi_lx_with(d->pool, TIRB_OP_MAX, extent, 0);
    d->quotient = !product ? tirbi_lx_with(d->pool, TIRB_OP_FLOORDIV, extent, d->digit)
                           : tirbi_lx_with(d->pool, TIRB_OP_MUL, extent->args[0], extent->args[1]->value / d->digit);
    d->high = make_digit(d, d->quotient, true);
    d->low = make_digit(d, tirbi_lx_number(d->pool, d->digit), false);
    d->rest = exact ? NULL : make_digit(d, tirbi_lx_with(d->pool, TIRB_OP_FLOORMOD, extent, d->digit), false);
    return d->high && d->low && (exact || d->rest);
}

static const tirbi_lx *in_digits(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    tirbi_division division;
    if (x->kind == TIRBI_LX_CALL) return x; /* only where there is no counter: the search lets none pass */
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_ADD && (x->type == TIRB_I64 || x->type == TIRB_I32)) {
        const tirbi_lx *a = tirbi_rewrite_value(rewrite, x->args[0]), *b = tirbi_rewrite_value(rewrite, x->args[1]);
        const tirbi_dtype type = (tirbi_dtype)x->type;
        const tirbi_lx *sum = tirbi_lx_binary(rewrite->pool, TIRB_OP_ADD, type, a, b);
        const tirbi_lx *joined = sum ? tirbi_join_quotients(rewrite->pool, sum) : NULL;
        return joined ? joined : sum;
    }
    if (!tirbi_is_division(x, &division)) return NULL;
    division.numerator = tirbi_rewrite_value(rewrite, division.numerator);
    if (!division.numerator) return NULL;
    const tirbi_lx *simpler = tirbi_simplify_division(rewrite->pool, &division);
    if (simpler) return simpler;
    /* Not NULL, for which the operands would be gone through once more: twice as much for each division in another one.
     */
    return tirbi_lx_op(rewrite->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source,
                       division.numerator, x->args[1], NULL);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

static bool counts_from_zero(const tirbi_lvar *var) { return tirbi_lx_is_int(var->min, 0) && var->type != TIRB_U64; }

/* The digits of a loop whose body asks for them; false when there are none. */
static bool find_digits(pass *p, tirbi_lvar *counter, const tirbi_ls *body, digits *out) {
    search s = {.pool = p->tiles ? p->pool : NULL, .counter = {.var = {counter}, .n = 1}};
    if (!counts_from_zero(counter) || !counter->extent->pure || counter->extent->traps) return false;
    if (p->tiles && counter->extent->kind != TIRBI_LX_CONST) return false;
    search_body(&s, body);
    bool remains = s.remaining && !p->tiles && body->kind != TIRBI_LS_TREE && p->n_remainders < MAX_REMAINDERS;
    int64_t digit = s.exact ? s.exact : remains ? s.remaining : 0;
    *out = (digits){.pass = p, .pool = p->pool, .counter = counter, .digit = digit};
    return digit && tirbi_may_recount(body, &s.counter) && make_digits(out);
}

static const tirbi_ls *rewritten(digits *d, const tirbi_ls *body, const tirbi_lx *high, tirbi_lvar *low) {
    const bool in_rest = low == d->rest;
    tirbi_lvar *counter = (tirbi_lvar *)(uintptr_t)d->counter, *loops[] = {d->high, d->low};
    tirbi_rewrite rewrite = {.pool = d->pool,
                             .replace = in_digits,
                             .kinds = TIRBI_ANY_CODE,
                             .anew = in_rest ? TIRBI_ALL_ANEW : 0, /* the body is there twice */
                             .from = &counter,
                             .n_from = 1,
                             .to = loops,
                             .n_to = in_rest ? 0 : 2};
    tirbi_bind_variable(&rewrite, counter, number(d, high, low));
    return tirbi_rewrite_stmt(&rewrite, body);
}

/* The nest of two loops that counts as this loop does, with a loop behind it for what the digit does not divide; or
 * NULL. */
static const tirbi_ls *split_loop(pass *p, const tirbi_ls *loop) {
    digits d;
    const tirbi_ls *body = loop->as.loop.body;
    if (loop->as.loop.step || !find_digits(p, loop->as.loop.var, body, &d)) return NULL;
    const tirbi_ls *round = rewritten(&d, body, tirbi_lx_var(d.pool, d.high), d.low);
    const tirbi_ls *nest = tirbi_loop_like(d.pool, loop, d.high, tirbi_loop_like(d.pool, loop, d.low, round));
    if (!nest || !d.rest) return nest;
    const tirbi_ls *rest = tirbi_loop_like(d.pool, loop, d.rest, rewritten(&d, body, d.quotient, d.rest));
    if (!rest) return NULL;
    p->n_remainders++;
    return tirbi_new_sequence(d.pool, loop->span, (const tirbi_ls *[]){nest, rest}, 2);
}

/* The same for one of the loops of a tree reduction: its elements keep their numbers. */
static const tirbi_ls *split_tree(pass *p, const tirbi_ls *tree) {
    for (uint32_t i = 0; i < tree->as.tree.n_loops; i++) {
        digits d;
        if (find_digits(p, tree->as.tree.loops[i], tree, &d)) {
            return rewritten(&d, tree, tirbi_lx_var(d.pool, d.high), d.low);
        }
    }
    return NULL;
}

static const tirbi_ls *split_all(void *context, const tirbi_ls *s) {
    pass *p = context;
    const tirbi_ls *split = s->kind == TIRBI_LS_LOOP   ? split_loop(p, s)
                            : s->kind == TIRBI_LS_TREE ? split_tree(p, s)
                                                       : NULL;
    return split ? split_all(p, split) : tirbi_replace_inside(p->pool, s, split_all, p);
}

static const tirbi_ls *split_in(tirbi_lx_pool *pool, const tirbi_ls *body, bool tiles) {
    search s = {.divisions = false};
    if (!body) return body;
    search_body(&s, body);
    if (!s.divisions) return body;
    pass *p = TIRBI_NEW(pool->arena, pass);
    if (!p) return body;
    *p = (pass){.pool = pool, .tiles = tiles};
    tirbi_rewrite rewrite = {.pool = pool, .replace = in_digits, .kinds = TIRBI_ANY_CODE};
    const tirbi_ls *simple = tirbi_rewrite_stmt(&rewrite, body);
    const tirbi_ls *split = split_all(p, simple ? simple : body);
    if (tiles) return p->n_parts > 0 ? split : body;
    /* Digits may count down, and tell a reduction from the elements that it is of. */
    return p->n_parts > 0 ? tirbi_forward_values(pool, split) : split;
}

const tirbi_ls *tirbi_split_digits(tirbi_lx_pool *pool, const tirbi_ls *body) { return split_in(pool, body, false); }

const tirbi_ls *tirbi_split_tiles(tirbi_lx_pool *pool, const tirbi_ls *body) { return split_in(pool, body, true); }
