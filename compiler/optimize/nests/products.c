#include "compiler/optimize/nests/products.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_FACTORS = 6, MAX_ROUNDS = 8, MAX_DEPTH = 64, MAX_ATTEMPTS = 16, MAX_KNOWN = 256, MAX_LETS = 32 };
enum { MAX_CONSTANT = 1 << 20, MAX_LET_SIZE = 32 };
static const int64_t MOST = INT32_MAX;

/* The sizes that are multiplied, and all constants among them. */
typedef struct product {
    const tirbi_lx *factor[MAX_FACTORS];
    uint32_t n;
    int64_t constant;
} product;

/* A value of which more is known than of others like it: where there are parts, the sum of loops' variables times
 * products. */
typedef struct known_value {
    const tirbi_lx *value;
    struct {
        tirbi_lvar *var;
        product unit;
    } parts[MAX_ROUNDS + 2];
    uint32_t n;
} known_value;

/* A loop, the product that it counts to, and that of the inner one of the two that it becomes. */
typedef struct splitting {
    tirbi_lx_pool *pool;
    const tirbi_lvar *counter;
    product all, unit;
    bool asked, divided; /* by all of it; by a part of it */
    tirbi_lvar *high, *low;
    const tirbi_lx *number; /* high * unit + low */
    const tirbi_lvar *made[2 * MAX_ROUNDS];
    uint32_t n_made;
    known_value *known[MAX_KNOWN];
    uint32_t n_known;
    struct {
        const tirbi_lvar *var;
        const tirbi_lx *value;
    } lets[MAX_LETS]; /* what is a value, now that it cannot fail */
    uint32_t n_lets;
    const tirbi_lx *condition;
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
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL)
        return add_factors(p, x->args[0]) && add_factors(p, x->args[1]);
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
        value = tirbi_lx_op(pool, TIRB_OP_MUL, type, TIRB_TYPE_NONE, value, tirbi_lx_cast(pool, type, p->factor[i]),
                            NULL);
    return tirbi_lx_op(pool, TIRB_OP_MUL, type, TIRB_TYPE_NONE, value, tirbi_lx_int(pool, type, p->constant), NULL);
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

/* The unit is the divisor with the fewest factors: what the others have beside it divides the outer loop's counter. */
static tirbi_step note_division(tirbi_walk *w, const tirbi_lx *x) {
    splitting *s = w->context;
    division d;
    product rest;
    if (!is_division(x, &d) || !is_counter(s, d.numerator) || !without(&s->all, &d.divisor, &rest)) return TIRBI_INTO;
    if (is_one(&rest)) {
        s->asked = true;
    } else if (d.divisor.n > 0 && (!s->divided || d.divisor.n < s->unit.n)) {
        s->divided = true;
        s->unit = d.divisor;
    }
    return TIRBI_INTO;
}

/* Whether a loop counts to a product by parts of which its body divides. */
static bool asks_for_parts(splitting *s, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    s->counter = var;
    s->asked = s->divided = false;
    if (loop->as.loop.step || loop->as.loop.blocks || loop->as.loop.rows || !tirbi_lx_is_int(var->min, 0) ||
        (var->type != TIRB_I32 && var->type != TIRB_I64) || !is_product(var->extent, &s->all) || s->all.n == 0)
        return false;
    tirbi_walk walk = {.context = s, .expr = note_division, .reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS};
    tirbi_walk_stmt(&walk, loop->as.loop.body);
    return s->asked || s->divided;
}

/* ---- Writing anew ----------------------------------------------------------------------------------------------- */

/* A value with what is known of it where the condition holds. */
static known_value *within(splitting *s, const tirbi_lx *x, int64_t lo, int64_t hi) {
    tirbi_lx *value = x && s->n_known < MAX_KNOWN ? TIRBI_NEW(s->pool->arena, tirbi_lx) : NULL;
    known_value *known = value ? TIRBI_NEW(s->pool->arena, known_value) : NULL;
    if (!known) return NULL;
    *value = *x;
    value->id = 0;
    value->lo = lo;
    value->hi = hi;
    *known = (known_value){.value = value};
    return s->known[s->n_known++] = known;
}

static const tirbi_lx *unit_of(splitting *s, const product *unit) {
    const known_value *known = within(s, value_of(s->pool, TIRB_I64, unit), 1, MOST);
    return known ? known->value : NULL;
}

/* The sum of the parts, which is a value of the counter. */
static known_value *sum_of(splitting *s, const known_value *parts, int64_t hi) {
    const tirbi_lx *sum = tirbi_lx_int(s->pool, TIRB_I64, 0);
    for (uint32_t i = 0; i < parts->n; i++) {
        const tirbi_lx *unit = unit_of(s, &parts->parts[i].unit);
        const tirbi_lx *var = tirbi_lx_cast(s->pool, TIRB_I64, tirbi_lx_var(s->pool, parts->parts[i].var));
        sum = sum && unit && var ? tirbi_lx_add(s->pool, sum, tirbi_lx_mul(s->pool, var, unit)) : NULL;
    }
    known_value *known = within(s, sum, 0, hi);
    if (!known) return NULL;
    for (; known->n < parts->n; known->n++) known->parts[known->n] = parts->parts[known->n];
    return known;
}

/* A known value where the counter is two, and loops have other variables. */
static const tirbi_lx *rewrite_known(tirbi_rewrite *rewrite, const known_value *old) {
    splitting *s = rewrite->context;
    known_value parts = {.n = 0};
    if (old->n == 0) return old->value;
    for (uint32_t i = 0; i < old->n; i++) {
        if (parts.n + 2 > sizeof(parts.parts) / sizeof(*parts.parts)) return NULL;
        parts.parts[parts.n] = old->parts[i];
        if (old->parts[i].var != s->counter || !s->divided) {
            const tirbi_lx *var = tirbi_rewrite_value(rewrite, tirbi_lx_var(rewrite->pool, old->parts[i].var));
            if (!var || var->kind != TIRBI_LX_VAR) return NULL;
            parts.parts[parts.n++].var = var->var;
            continue;
        }
        product *unit = &parts.parts[parts.n].unit;
        parts.parts[parts.n].var = s->high;
        parts.parts[parts.n + 1].var = s->low;
        parts.parts[parts.n + 1].unit = *unit;
        unit->constant *= s->unit.constant;
        for (uint32_t k = 0; k < s->unit.n; k++) {
            if (unit->n == MAX_FACTORS) return NULL;
            unit->factor[unit->n++] = s->unit.factor[k];
        }
        parts.n += 2;
    }
    known_value *known = sum_of(s, &parts, old->value->hi);
    return known ? known->value : NULL;
}

static const tirbi_lx *operation(const splitting *s, tirbi_op op, tirbi_dtype type, const tirbi_lx *a,
                                 const product *b) {
    return tirbi_lx_op(s->pool, op, type, TIRB_TYPE_NONE, a, value_of(s->pool, type, b), NULL);
}

/* (high * unit + low) divided by unit * rest. */
static const tirbi_lx *divided(const splitting *s, tirbi_dtype type, const product *rest, bool remainder) {
    const tirbi_lx *high = tirbi_lx_cast(s->pool, type, tirbi_lx_var(s->pool, s->high)),
                   *low = tirbi_lx_cast(s->pool, type, tirbi_lx_var(s->pool, s->low));
    if (is_one(rest)) return remainder ? low : high;
    if (!remainder) return operation(s, TIRB_OP_FLOORDIV, type, high, rest);
    const tirbi_lx *part = operation(s, TIRB_OP_FLOORMOD, type, high, rest);
    const tirbi_lx *scaled = part ? operation(s, TIRB_OP_MUL, type, part, &s->unit) : NULL;
    return tirbi_lx_op(s->pool, TIRB_OP_ADD, type, TIRB_TYPE_NONE, scaled, low, NULL);
}

static const tirbi_lx *in_parts(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    splitting *s = rewrite->context;
    const tirbi_dtype type = (tirbi_dtype)x->type;
    division d, inner;
    product rest, inner_rest;
    if (is_counter(s, x)) return s->number;
    for (uint32_t i = 0; i < s->n_lets && x->kind == TIRBI_LX_VAR; i++)
        if (s->lets[i].var == x->var) return s->lets[i].value;
    for (uint32_t i = 0; i < s->n_known; i++)
        if (s->known[i]->value == x) return rewrite_known(rewrite, s->known[i]);
    if (!is_division(x, &d)) return NULL;
    if (is_counter(s, d.numerator)) {
        if (without(&s->all, &d.divisor, &rest) && is_one(&rest))
            return d.remainder ? tirbi_lx_cast(s->pool, type, s->number) : tirbi_lx_int(s->pool, type, 0);
        return s->divided && without(&d.divisor, &s->unit, &rest) ? divided(s, type, &rest, d.remainder) : NULL;
    }
    /* i % (a * unit) // (b * unit) = high % a // b */
    if (!s->divided || d.remainder || !is_division(d.numerator, &inner) || !inner.remainder ||
        !is_counter(s, inner.numerator) || !without(&inner.divisor, &s->unit, &inner_rest) ||
        !without(&d.divisor, &s->unit, &rest) || is_one(&inner_rest))
        return NULL;
    const tirbi_lx *high = tirbi_lx_cast(s->pool, type, tirbi_lx_var(s->pool, s->high));
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
        !stmt->as.set.value || !stmt->as.set.value->pure || !stmt->as.set.value->traps || s->n_lets == MAX_LETS) {
        return NULL;
    }
    const tirbi_lx *value = tirbi_rewrite_value(rewrite, stmt->as.set.value);
    if (!value || !value->pure || value->traps || value->size > MAX_LET_SIZE) return NULL;
    s->lets[s->n_lets].var = stmt->as.set.var;
    s->lets[s->n_lets++].value = value;
    return tirbi_new_sequence(s->pool, stmt->span, NULL, 0);
}

static const tirbi_lx *both(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b) {
    return a ? tirbi_lx_op(pool, TIRB_OP_AND, TIRB_BOOL, TIRB_TYPE_NONE, a, b, NULL) : b;
}

static const tirbi_lx *compare(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_op(pool, op, TIRB_I64, TIRB_TYPE_NONE, a, b, NULL);
}

/* Adds to the condition that no size is below 1, and that the loop counts to their product: no part of that wraps. */
static bool ask_for_sizes(splitting *s) {
    tirbi_lx_pool *pool = s->pool;
    const tirbi_lx *one = tirbi_lx_int(pool, TIRB_I64, 1), *most = tirbi_lx_int(pool, TIRB_I64, MOST);
    const tirbi_lx *all = tirbi_lx_int(pool, TIRB_I64, s->all.constant);
    for (uint32_t i = 0; i < s->n_made; i++)
        if (s->made[i] == s->counter) return true; /* its product is a part of one that was asked for */
    for (uint32_t i = 0; i < s->all.n; i++) {
        const tirbi_lx *size = tirbi_lx_cast(pool, TIRB_I64, s->all.factor[i]);
        s->condition = both(pool, s->condition, compare(pool, TIRB_OP_GE, size, one));
        s->condition = both(pool, s->condition, compare(pool, TIRB_OP_LE, size, most));
        all = tirbi_lx_mul(pool, size, all);
        s->condition = both(pool, s->condition, compare(pool, TIRB_OP_LE, all, most));
        if (!s->condition) return false;
    }
    s->condition = both(pool, s->condition, compare(pool, TIRB_OP_EQ, all, s->counter->extent));
    return s->condition != NULL;
}

static tirbi_lvar *part_of(splitting *s, const product *extent) {
    tirbi_lvar *var = TIRBI_NEW(s->pool->arena, tirbi_lvar);
    if (!var) return NULL;
    *var = *s->counter;
    var->extent = value_of(s->pool, TIRB_I64, extent);
    var->below = NULL;
    var->id = 0;
    if (!var->extent) return NULL;
    if (var->extent->hi > 0 && var->extent->hi - 1 < var->hi) var->hi = var->extent->hi - 1;
    s->made[s->n_made++] = var;
    return var;
}

static const tirbi_ls *loop_over(const splitting *s, const tirbi_ls *like, tirbi_lvar *var, const tirbi_ls *body) {
    tirbi_ls *loop = body ? tirbi_new_stmt(s->pool, TIRBI_LS_LOOP, like->span) : NULL;
    if (!loop) return NULL;
    *loop = *like;
    loop->as.loop.var = var;
    loop->as.loop.body = body;
    return loop;
}

/* The loop as two, or without divisions by all that it counts to. */
static const tirbi_ls *split(splitting *s, const tirbi_ls *loop) {
    const tirbi_dtype type = s->counter->type;
    tirbi_rewrite rewrite = {
        .pool = s->pool, .replace = in_parts, .statement = without_let, .context = s, .loops = true, .lets = true};
    product outer;
    s->n_lets = 0;
    if (!ask_for_sizes(s)) return NULL;
    s->number = tirbi_lx_var(s->pool, loop->as.loop.var);
    if (!s->divided) return loop_over(s, loop, loop->as.loop.var, tirbi_rewrite_stmt(&rewrite, loop->as.loop.body));
    if (!without(&s->all, &s->unit, &outer)) return NULL;
    s->high = part_of(s, &outer);
    s->low = part_of(s, &s->unit);
    if (!s->high || !s->low) return NULL;
    const known_value parts = {
        .parts = {{.var = s->high, .unit = s->unit}, {.var = s->low, .unit = {.constant = 1}}}, .n = 2};
    const known_value *number = sum_of(s, &parts, s->counter->hi < MOST ? s->counter->hi : MOST);
    s->number = number ? tirbi_lx_cast(s->pool, type, number->value) : NULL;
    if (!s->number) return NULL;
    return loop_over(s, loop, s->high,
                     loop_over(s, loop, s->low, tirbi_rewrite_stmt(&rewrite, loop->as.loop.body)));
}

/* The statement with the first such loop in it split; NULL where there is none. */
static const tirbi_ls *split_first(splitting *s, const tirbi_ls *stmt, unsigned depth) {
    const tirbi_ls *part = NULL;
    tirbi_ls *copy;
    if (depth > MAX_DEPTH) return NULL;
    switch (stmt->kind) {
    case TIRBI_LS_LOOP:
        if (asks_for_parts(s, stmt)) return split(s, stmt);
        part = split_first(s, stmt->as.loop.body, depth + 1);
        return part ? loop_over(s, stmt, stmt->as.loop.var, part) : NULL;
    case TIRBI_LS_IF:
        if (!(copy = tirbi_new_stmt(s->pool, TIRBI_LS_IF, stmt->span))) return NULL;
        *copy = *stmt;
        if ((part = split_first(s, stmt->as.if_.then_case, depth + 1))) copy->as.if_.then_case = part;
        else if (stmt->as.if_.else_case && (part = split_first(s, stmt->as.if_.else_case, depth + 1)))
            copy->as.if_.else_case = part;
        return part ? copy : NULL;
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < stmt->as.seq.n; i++) {
            part = split_first(s, stmt->as.seq.items[i], depth + 1);
            if (!part) continue;
            const tirbi_ls **items = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_ls *, stmt->as.seq.n);
            for (uint32_t k = 0; items && k < stmt->as.seq.n; k++) items[k] = k == i ? part : stmt->as.seq.items[k];
            return items ? tirbi_new_sequence(s->pool, stmt->span, items, stmt->as.seq.n) : NULL;
        }
        return NULL;
    default: return NULL;
    }
}

static const tirbi_lx *unchanged(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    (void)rewrite, (void)x;
    return NULL;
}

static tirbi_step find_parts(tirbi_walk *w, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_LOOP && asks_for_parts(w->context, s) ? TIRBI_STOP : TIRBI_INTO;
}

/* Whether some loop of a nest asks for its parts. */
static bool has_parts(splitting *s, const tirbi_ls *nest) {
    tirbi_walk walk = {.context = s, .stmt = find_parts};
    return !tirbi_walk_stmt(&walk, nest);
}

/* A choice between the nest in parts and the loop as it is; NULL where it does not come apart. */
static const tirbi_ls *split_nest(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    splitting s = {.pool = pool};
    tirbi_rewrite copies = {.pool = pool, .replace = unchanged, .context = &s, .loops = true, .lets = true};
    const tirbi_ls *nest = tirbi_rewrite_stmt(&copies, loop);
    bool some = false;
    for (unsigned round = 0; nest && round < MAX_ROUNDS; round++) {
        const tirbi_ls *next = split_first(&s, nest, 0);
        if (!next) break;
        nest = next;
        some = true;
    }
    tirbi_ls *choice = nest && some ? tirbi_new_stmt(pool, TIRBI_LS_IF, loop->span) : NULL;
    if (!choice) return NULL;
    choice->as.if_.condition = s.condition;
    choice->as.if_.then_case = nest;
    choice->as.if_.else_case = loop;
    return choice;
}

typedef struct nests {
    tirbi_lx_pool *pool;
    unsigned depth;
    unsigned attempts; /* how many there may be yet that do not come apart, but for loops in them perhaps */
} nests;

static const tirbi_ls *split_all(void *context, const tirbi_ls *s) {
    nests *all = context;
    if (all->depth > MAX_DEPTH || all->attempts == 0) return s;
    if (s->kind == TIRBI_LS_LOOP) {
        splitting any = {.pool = all->pool};
        if (!has_parts(&any, s)) return s;
        const tirbi_ls *nest = split_nest(all->pool, s);
        if (nest) return nest;
        all->attempts--;
    }
    all->depth++;
    s = tirbi_replace_inside(all->pool, s, split_all, all);
    all->depth--;
    return s;
}

/* Whether something is divided by what is not constant. */
static bool has_divisor(const void *context, const tirbi_lx *x) {
    (void)context;
    const bool divides = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD ||
                                                    x->op == TIRB_OP_DIV || x->op == TIRB_OP_MOD);
    return divides && x->args[1]->kind != TIRBI_LX_CONST && tirbi_dtype_is_int((tirbi_dtype)x->type);
}

const tirbi_ls *tirbi_split_products(tirbi_lx_pool *pool, const tirbi_ls *body) {
    nests all = {.pool = pool, .attempts = MAX_ATTEMPTS};
    /* Programs that divide nothing so, which most are, are not copied. */
    const unsigned reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS;
    return body && tirbi_any_value(body, reach, has_divisor, NULL) ? split_all(&all, body) : body;
}
