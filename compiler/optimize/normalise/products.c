#include "compiler/optimize/normalise/products.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_FACTORS = 6, MAX_DEPTH = 64, MAX_CONSTANT = 1 << 20, MAX_LET_SIZE = 32 };

/* The sizes that are multiplied, and all constants among them. */
typedef struct product {
    const tirbi_lx *factor[MAX_FACTORS];
    uint32_t n;
    int64_t constant;
} product;

/* A loop, the product that it counts to, and that of the inner one of the two that it becomes. */
typedef struct splitting {
    tirbi_lx_pool *pool;
    tirbi_split_sizes *sizes;
    unsigned depth;
    tirbi_lvar *counter;
    product all, unit;
    bool asked, divided; /* by all of it; by a part of it */
    tirbi_lvar *high, *low;
    const tirbi_lx *number; /* high * unit + low */
} splitting;

/* ---- Products --------------------------------------------------------------------------------------------------- */

static bool is_not_given(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR ? x->var->kind != TIRBI_LVAR_PARAM
                                   : x->kind != TIRBI_LX_CONST && x->kind != TIRBI_LX_OP;
}

/* Whether the parameters of the call alone say what it is. */
static bool is_given(const tirbi_lx *x) { return !tirbi_any_expr(x, 0, is_not_given, NULL); }

static bool add_factors(product *p, const tirbi_lx *x) {
    x = tirbi_lx_before_cast(x);
    if (x->type != TIRB_I32 && x->type != TIRB_I64) return false;
    if (x->kind == TIRBI_LX_CONST) {
        if (x->value < 1 || x->value > MAX_CONSTANT) return false;
        p->constant *= x->value;
        return p->constant <= MAX_CONSTANT;
    }
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL) return add_factors(p, x->args[0]) && add_factors(p, x->args[1]);
    if (p->n == MAX_FACTORS) return false;
    p->factor[p->n++] = x;
    return true;
}

static bool is_product(const tirbi_lx *x, product *out) {
    *out = (product){.constant = 1};
    return x->pure && !x->traps && x->size <= TIRBI_MAX_SHARED_SIZE && is_given(x) && add_factors(out, x);
}

/* What is left of a product without those factors; false where it does not have them all. */
static bool without(const product *all, const product *some, product *rest) {
    *rest = *all;
    if (all->constant % some->constant != 0) return false;
    rest->constant /= some->constant;
    for (uint32_t i = 0; i < some->n; i++) {
        uint32_t at = 0;
        while (at < rest->n && rest->factor[at] != some->factor[i]) at++;
        if (at == rest->n) return false;
        for (rest->n--; at < rest->n; at++) rest->factor[at] = rest->factor[at + 1];
    }
    return true;
}

static bool is_one(const product *p) { return p->n == 0 && p->constant == 1; }

static const tirbi_lx *value_of(tirbi_lx_pool *pool, tirbi_dtype type, const product *p) {
    const tirbi_lx *value = p->n == 0 ? tirbi_lx_int(pool, type, 1) : tirbi_lx_cast(pool, type, p->factor[0]);
    for (uint32_t i = 1; i < p->n && value; i++)
        value = tirbi_lx_binary(pool, TIRB_OP_MUL, type, value, tirbi_lx_cast(pool, type, p->factor[i]));
    return tirbi_lx_binary(pool, TIRB_OP_MUL, type, value, tirbi_lx_int(pool, type, p->constant));
}

/* ---- Divisions of the counter ----------------------------------------------------------------------------------- */

/* x = numerator / divisor or the remainder, rounded down. */
typedef struct division {
    const tirbi_lx *numerator;
    product divisor;
    bool remainder;
} division;

static bool is_division(const tirbi_lx *x, division *out) {
    if (x->kind != TIRBI_LX_OP || x->type != x->optype || (x->type != TIRB_I32 && x->type != TIRB_I64)) return false;
    const bool truncates = x->op == TIRB_OP_DIV || x->op == TIRB_OP_MOD;
    if ((!truncates && x->op != TIRB_OP_FLOORDIV && x->op != TIRB_OP_FLOORMOD) || (truncates && x->args[0]->lo < 0))
        return false;
    out->numerator = tirbi_lx_before_cast(x->args[0]);
    out->remainder = x->op == TIRB_OP_MOD || x->op == TIRB_OP_FLOORMOD;
    return is_product(x->args[1], &out->divisor);
}

static bool is_counter(const splitting *s, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && x->var == s->counter;
}

/* Whether x counts the iterations from the last one on: extent - 1 - counter. */
static bool is_mirrored(const splitting *s, const tirbi_lx *x) {
    const tirbi_loop_set one = {.var = {s->counter}, .n = 1};
    tirbi_affine form;
    int64_t step;
    if (x->kind != TIRBI_LX_OP || !tirbi_affine_modulo(s->pool, x, &one, &form) ||
        !tirbi_affine_constant(&form, 0, &step) || step != -1)
        return false;
    const tirbi_lx *last = tirbi_lx_before_cast(form.start);
    const tirbi_dtype type = (tirbi_dtype)last->type;
    const tirbi_lx *all = tirbi_lx_binary(s->pool, TIRB_OP_ADD, type, last, tirbi_lx_int(s->pool, type, 1));
    product p, rest;
    return tirbi_dtypes[type].bits >= tirbi_dtypes[s->counter->type].bits && all && is_product(all, &p) &&
           without(&s->all, &p, &rest) && is_one(&rest);
}

/* Whether x is the counter, or what is left behind it. */
static bool is_counted(const splitting *s, const tirbi_lx *x) { return is_counter(s, x) || is_mirrored(s, x); }

static bool is_smaller(const product *a, const product *b) {
    return a->n < b->n || (a->n == b->n && a->constant < b->constant);
}

/* The unit is the divisor with the fewest factors: what the others have beside it divides the outer loop's counter. */
static tirbi_step note_division(tirbi_walk *w, const tirbi_lx *x) {
    splitting *s = w->context;
    division d;
    product rest;
    if (!is_division(x, &d) || !is_counted(s, d.numerator) || !without(&s->all, &d.divisor, &rest)) return TIRBI_INTO;
    if (is_one(&rest)) {
        s->asked = true;
    } else if (!is_one(&d.divisor) && (!s->divided || is_smaller(&d.divisor, &s->unit))) {
        s->divided = true;
        s->unit = d.divisor;
    }
    return TIRBI_INTO;
}

/* Whether a variable counts to a product by parts of which a body divides. */
static bool asks_for_parts(splitting *s, tirbi_lvar *var, const tirbi_ls *body) {
    s->counter = var;
    s->asked = s->divided = false;
    if (!tirbi_lx_is_int(var->min, 0) || (var->type != TIRB_I32 && var->type != TIRB_I64) ||
        !is_product(var->extent, &s->all) || s->all.n == 0)
        return false;
    tirbi_walk walk = {.context = s, .expr = note_division, .reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS};
    tirbi_walk_stmt(&walk, body);
    const tirbi_loop_set counter = {.var = {var}, .n = 1};
    return (s->asked || s->divided) && tirbi_may_recount(body, &counter);
}

/* ---- Writing anew ----------------------------------------------------------------------------------------------- */

static const tirbi_lx *operation(const splitting *s, tirbi_op op, tirbi_dtype type, const tirbi_lx *a,
                                 const product *b) {
    return tirbi_lx_binary(s->pool, op, type, a, value_of(s->pool, type, b));
}

/* A part of the counter, or of what is left behind it. */
static const tirbi_lx *part_in(const splitting *s, tirbi_dtype type, tirbi_lvar *part, bool mirrored) {
    const tirbi_lx *x = tirbi_lx_cast(s->pool, type, tirbi_lx_var(s->pool, part));
    product all;
    if (!mirrored || !is_product(part->extent, &all)) return mirrored ? NULL : x;
    const tirbi_lx *last = operation(s, TIRB_OP_SUB, type, value_of(s->pool, type, &all), &(product){.constant = 1});
    return tirbi_lx_binary(s->pool, TIRB_OP_SUB, type, last, x);
}

/* (high * unit + low) divided by unit * rest. */
static const tirbi_lx *divided(const splitting *s, const tirbi_lx *x, const division *d, const product *rest) {
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const bool mirrored = !is_counter(s, d->numerator), remainder = d->remainder;
    const tirbi_lx *high = part_in(s, type, s->high, mirrored), *low = part_in(s, type, s->low, mirrored);
    if (is_one(rest)) return remainder ? low : high;
    if (!remainder) return operation(s, TIRB_OP_FLOORDIV, type, high, rest);
    const tirbi_lx *part = operation(s, TIRB_OP_FLOORMOD, type, high, rest);
    const tirbi_lx *scaled = part ? operation(s, TIRB_OP_MUL, type, part, &s->unit) : NULL;
    return tirbi_lx_binary(s->pool, TIRB_OP_ADD, type, scaled, low);
}

static const tirbi_lx *in_parts(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    splitting *s = rewrite->context;
    const tirbi_dtype type = (tirbi_dtype)x->type;
    division d, inner;
    product rest, inner_rest;
    if (is_counter(s, x)) return s->number;
    if (!is_division(x, &d)) return NULL;
    if (is_counted(s, d.numerator)) {
        if (without(&s->all, &d.divisor, &rest) && is_one(&rest))
            return d.remainder ? tirbi_lx_cast(s->pool, type, tirbi_rewrite_value(rewrite, d.numerator))
                               : tirbi_lx_int(s->pool, type, 0);
        return s->divided && without(&d.divisor, &s->unit, &rest) ? divided(s, x, &d, &rest) : NULL;
    }
    /* i % (a * unit) // (b * unit) = high % a // b */
    if (!s->divided || d.remainder || !is_division(d.numerator, &inner) || !inner.remainder ||
        !is_counted(s, inner.numerator) || !without(&inner.divisor, &s->unit, &inner_rest) ||
        !without(&d.divisor, &s->unit, &rest) || is_one(&inner_rest))
        return NULL;
    const tirbi_lx *high = part_in(s, type, s->high, !is_counter(s, inner.numerator));
    if (!without(&s->all, &inner.divisor, &inner_rest) || !is_one(&inner_rest)) {
        without(&inner.divisor, &s->unit, &inner_rest);
        high = operation(s, TIRB_OP_FLOORMOD, type, high, &inner_rest);
    }
    return is_one(&rest) ? high : operation(s, TIRB_OP_FLOORDIV, type, high, &rest);
}

/* A variable that is set once, to what could fail as long as it divided by a size, is its value. */
static const tirbi_ls *without_let(tirbi_rewrite *rewrite, const tirbi_ls *stmt) {
    splitting *s = rewrite->context;
    if (stmt->kind != TIRBI_LS_SET || !stmt->as.set.declares || stmt->as.set.var->kind != TIRBI_LVAR_LET ||
        !stmt->as.set.value || !stmt->as.set.value->pure || !stmt->as.set.value->traps) {
        return NULL;
    }
    const tirbi_lx *value = tirbi_rewrite_value(rewrite, stmt->as.set.value);
    if (!value || !value->pure || value->traps || value->size > MAX_LET_SIZE) return NULL;
    tirbi_bind_variable(rewrite, stmt->as.set.var, value);
    return tirbi_new_sequence(s->pool, stmt->span, NULL, 0);
}

static tirbi_lvar *part_of(splitting *s, const product *extent) {
    tirbi_lvar *var = tirbi_counter_like(s->pool, s->counter, value_of(s->pool, TIRB_I64, extent));
    if (var && (var->hi > s->counter->hi || var->extent->hi <= 0)) var->hi = s->counter->hi;
    return var;
}

/* The two variables that count as the counter does, and the number that they are together. */
static bool make_parts(splitting *s) {
    const tirbi_dtype type = s->counter->type;
    product outer;
    s->number = tirbi_lx_var(s->pool, s->counter);
    if (!s->divided) return s->number != NULL;
    if (!without(&s->all, &s->unit, &outer)) return false;
    s->high = part_of(s, &outer);
    s->low = part_of(s, &s->unit);
    if (!s->high || !s->low) return false;
    const tirbi_lx *scaled = operation(s, TIRB_OP_MUL, type, tirbi_lx_var(s->pool, s->high), &s->unit);
    s->number = tirbi_lx_binary(s->pool, TIRB_OP_ADD, type, scaled, tirbi_lx_var(s->pool, s->low));
    return s->number != NULL;
}

/* Notes what has to hold; false: that is too much. */
static bool note_sizes(splitting *s) {
    tirbi_split_sizes *sizes = s->sizes;
    if (sizes->n + s->all.n + 1 > TIRBI_MAX_SPLIT_SIZES) return false;
    sizes->value[sizes->n++] = s->counter->extent;
    for (uint32_t i = 0; i < s->all.n; i++) sizes->value[sizes->n++] = s->all.factor[i];
    return true;
}

/* A body, or a tree of which it is a loop, with the counter in parts; NULL: it cannot be written so. */
static const tirbi_ls *in_two(splitting *s, const tirbi_ls *body) {
    tirbi_lvar *parts[] = {s->high, s->low};
    tirbi_rewrite rewrite = {.pool = s->pool,
                             .replace = in_parts,
                             .statement = without_let,
                             .context = s,
                             .kinds = TIRBI_ANY_CODE,
                             .from = &s->counter,
                             .to = parts,
                             .n_from = s->divided ? 1 : 0,
                             .n_to = s->divided ? 2 : 0};
    return tirbi_rewrite_stmt(&rewrite, body);
}

/* A loop as two, or without divisions by all that it counts to; NULL: it stays. */
static const tirbi_ls *split_loop(splitting *s, const tirbi_ls *loop) {
    if (loop->as.loop.step || loop->as.loop.blocks || loop->as.loop.rows ||
        !asks_for_parts(s, loop->as.loop.var, loop->as.loop.body) || !make_parts(s))
        return NULL;
    const tirbi_ls *body = in_two(s, loop->as.loop.body);
    if (!body || !note_sizes(s)) return NULL;
    return s->divided
               ? tirbi_loop_like(s->pool, loop, s->high, tirbi_loop_like(s->pool, loop, s->low, body))
               : tirbi_loop_like(s->pool, loop, s->counter, body);
}

/* The same for the first such loop of a tree reduction: its elements keep their numbers. */
static const tirbi_ls *split_tree(splitting *s, const tirbi_ls *tree) {
    for (uint32_t i = 0; i < tree->as.tree.n_loops; i++) {
        if (!asks_for_parts(s, tree->as.tree.loops[i], tree) || !make_parts(s)) continue;
        const tirbi_ls *made = in_two(s, tree);
        return made && note_sizes(s) ? made : NULL;
    }
    return NULL;
}

static const tirbi_ls *split_all(void *context, const tirbi_ls *stmt) {
    splitting *s = context;
    if (s->depth > MAX_DEPTH) return stmt;
    const tirbi_ls *made = stmt->kind == TIRBI_LS_LOOP   ? split_loop(s, stmt)
                           : stmt->kind == TIRBI_LS_TREE ? split_tree(s, stmt)
                                                         : NULL;
    s->depth++;
    stmt = made ? split_all(s, made) : tirbi_replace_inside(s->pool, stmt, split_all, s);
    s->depth--;
    return stmt;
}

/* Whether something is divided. */
static bool divides(const void *context, const tirbi_lx *x) {
    (void)context;
    division d;
    return is_division(x, &d);
}

const tirbi_ls *tirbi_split_products(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_split_sizes *sizes) {
    splitting s = {.pool = pool, .sizes = sizes};
    /* Programs that divide nothing so, which most are, are not gone through. */
    const unsigned reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS;
    return tirbi_any_value(body, reach, divides, NULL) ? split_all(&s, body) : body;
}
