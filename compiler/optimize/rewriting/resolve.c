#include "compiler/optimize/rewriting/resolve.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

enum { MAX_RENAMED = 32 };

typedef struct resolver {
    const tirbi_given *facts;
    const tirbi_lvar *from;
    const tirbi_lx *value;
    tirbi_lvar *to;
    bool first;
    const tirbi_lvar *old[MAX_RENAMED]; /* variables of the body and those of the copy */
    const tirbi_lx *fresh[MAX_RENAMED];
    uint32_t n_renamed;
} resolver;

/* ---- Facts ------------------------------------------------------------------------------------------------------ */

void tirbi_add_fact(tirbi_given *facts, const tirbi_lx *x, const tirbi_lx *y, int64_t constant) {
    tirbi_sum sum = {.constant = constant};
    if (facts->n < TIRBI_MAX_GIVEN && tirbi_sum_of(&sum, x, 1) && tirbi_sum_of(&sum, y, -1))
        facts->item[facts->n++] = sum;
}

/* Whether the sum is not negative, by the ranges of its terms or as the sum of a fact and something. */
static bool not_negative(const tirbi_given *facts, const tirbi_sum *sum) {
    int64_t lo, hi;
    if (tirbi_sum_range(sum, &lo, &hi) && lo >= 0) return true;
    for (uint32_t i = 0; i < facts->n; i++) {
        tirbi_sum rest = *sum;
        if (tirbi_sum_add(&rest, &facts->item[i], -1) && tirbi_sum_range(&rest, &lo, &hi) && lo >= 0) return true;
    }
    return false;
}

/* Whether a - b >= least. */
static bool exceeds(const tirbi_given *facts, const tirbi_lx *a, const tirbi_lx *b, int64_t least) {
    tirbi_sum sum = {.constant = -least};
    return tirbi_sum_of(&sum, a, 1) && tirbi_sum_of(&sum, b, -1) && not_negative(facts, &sum);
}

int tirbi_decide(const tirbi_given *facts, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    switch (op) {
    case TIRB_OP_LT: return exceeds(facts, b, a, 1) ? 1 : exceeds(facts, a, b, 0) ? 0 : -1;
    case TIRB_OP_LE: return exceeds(facts, b, a, 0) ? 1 : exceeds(facts, a, b, 1) ? 0 : -1;
    case TIRB_OP_GT: return tirbi_decide(facts, TIRB_OP_LT, b, a);
    case TIRB_OP_GE: return tirbi_decide(facts, TIRB_OP_LE, b, a);
    case TIRB_OP_EQ:
    case TIRB_OP_NE: {
        bool differ = exceeds(facts, a, b, 1) || exceeds(facts, b, a, 1);
        if (differ) return op == TIRB_OP_NE;
        return exceeds(facts, a, b, 0) && exceeds(facts, b, a, 0) ? op == TIRB_OP_EQ : -1;
    }
    default: return -1;
    }
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static bool is_plain_int(uint8_t type) { return type == TIRB_I32 || type == TIRB_I64; }

static const tirbi_lx *number(const tirbi_rewrite *r, uint8_t type, int64_t value) {
    return tirbi_lx_int(r->pool, (tirbi_dtype)type, value);
}

/* x / divisor or x % divisor where the whole range of x has one quotient. */
static const tirbi_lx *divide(const tirbi_rewrite *r, const tirbi_division *d) {
    const resolver *v = r->context;
    const tirbi_lx *x = d->numerator;
    tirbi_sum sum = {.constant = 0};
    int64_t lo, hi;
    if (!is_plain_int(x->type) || !tirbi_sum_of(&sum, x, 1) || !tirbi_sum_range(&sum, &lo, &hi)) return NULL;
    int64_t quotient = lo / d->divisor - (lo % d->divisor < 0), start;
    tirbi_sum from = sum, below = {.n = 0}; /* x - start, start + divisor - 1 - x */
    if (!tirbi_mul_i64(quotient, d->divisor, &start) || !tirbi_sub_i64(from.constant, start, &from.constant) ||
        !tirbi_add_i64(start, d->divisor - 1, &below.constant) || !tirbi_sum_add(&below, &sum, -1) ||
        !not_negative(v->facts, &from) || !not_negative(v->facts, &below)) {
        return NULL;
    }
    if (!d->remainder) return number(r, x->type, quotient);
    return tirbi_lx_op(r->pool, TIRB_OP_ADD, (tirbi_dtype)x->type, TIRB_TYPE_NONE, x, number(r, x->type, -start), NULL);
}

static bool is_const(const tirbi_lx *x, bool value) { return x->kind == TIRBI_LX_CONST && (x->value != 0) == value; }

/* An operation on what its operands have become; NULL: as it was. */
static const tirbi_lx *simpler(const tirbi_rewrite *r, const tirbi_lx *x, const tirbi_lx *const *a) {
    const resolver *v = r->context;
    tirbi_division division;
    bool plain = x->n_args == 2 && is_plain_int(x->optype) && a[0]->pure && a[1]->pure && !a[0]->traps && !a[1]->traps;
    int known = plain ? tirbi_decide(v->facts, (tirbi_op)x->op, a[0], a[1]) : -1;
    if (known >= 0) return number(r, TIRB_BOOL, known);
    switch (x->op) {
    case TIRB_OP_MIN:
    case TIRB_OP_MAX:
        known = plain ? tirbi_decide(v->facts, TIRB_OP_LE, a[0], a[1]) : -1;
        return known < 0 ? NULL : a[(x->op == TIRB_OP_MIN) == (known == 1) ? 0 : 1];
    case TIRB_OP_ABS:
        if (!is_plain_int(x->optype) || !a[0]->pure) return NULL;
        known = tirbi_decide(v->facts, TIRB_OP_GE, a[0], number(r, x->optype, 0));
        if (known == 1) return a[0];
        if (known < 0) return NULL;
        return tirbi_lx_op(r->pool, TIRB_OP_SUB, (tirbi_dtype)x->optype, TIRB_TYPE_NONE, number(r, x->optype, 0), a[0],
                           NULL);
    case TIRB_OP_AND:
    case TIRB_OP_OR: {
        bool dominant = x->op == TIRB_OP_OR;
        if (x->optype != TIRB_BOOL || a[0]->traps || a[1]->traps) break;
        for (int i = 0; i < 2; i++) {
            if (is_const(a[i], dominant)) return a[i];
            if (is_const(a[i], !dominant)) return a[1 - i];
        }
        return NULL;
    }
    case TIRB_OP_NOT:
        return x->optype == TIRB_BOOL && a[0]->kind == TIRBI_LX_CONST ? number(r, TIRB_BOOL, !a[0]->value) : NULL;
    case TIRB_OP_SELECT:
        if (a[0]->kind != TIRBI_LX_CONST || a[1]->traps || a[2]->traps) return NULL;
        return a[0]->value ? a[1] : a[2];
    default: break;
    }
    const tirbi_lx *same = a[0] == x->args[0] && (x->n_args < 2 || a[1] == x->args[1])
                               ? x
                               : tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source,
                                             a[0], a[1], x->n_args > 2 ? a[2] : NULL);
    if (!same || x->n_args != 2 || !tirbi_is_division(same, &division)) return NULL;
    const tirbi_lx *quotient = divide(r, &division);
    if (!quotient) quotient = tirbi_simplify_division(r->pool, &division);
    return quotient ? quotient : tirbi_drop_multiples(r->pool, &division);
}

/* What is not evaluated is not looked at: it may make no sense there. */
static const tirbi_lx *lazily(tirbi_rewrite *r, const tirbi_lx *x) {
    const tirbi_lx *first = tirbi_rewrite_value(r, x->args[0]);
    if (!first) return NULL;
    if (x->kind == TIRBI_LX_COND) {
        if (first->kind == TIRBI_LX_CONST) return tirbi_rewrite_value(r, x->args[first->value ? 1 : 2]);
        return tirbi_lx_lazy(r->pool, TIRBI_LX_COND, first, tirbi_rewrite_value(r, x->args[1]),
                             tirbi_rewrite_value(r, x->args[2]));
    }
    bool dominant = x->kind == TIRBI_LX_OR;
    if (is_const(first, dominant)) return first;
    const tirbi_lx *second = tirbi_rewrite_value(r, x->args[1]);
    if (!second || is_const(first, !dominant)) return second;
    if (is_const(second, !dominant) || (is_const(second, dominant) && first->pure && !first->traps))
        return is_const(second, dominant) ? second : first;
    return tirbi_lx_lazy(r->pool, (tirbi_lx_kind)x->kind, first, second, NULL);
}

static const tirbi_lx *replace(tirbi_rewrite *r, const tirbi_lx *x) {
    const resolver *v = r->context;
    if (x->kind == TIRBI_LX_VAR) {
        if (x->var == v->from) return v->value;
        for (uint32_t i = 0; i < v->n_renamed; i++) {
            if (x->var == v->old[i]) return v->fresh[i];
        }
        return NULL;
    }
    if (x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR) return lazily(r, x);
    if (x->kind != TIRBI_LX_OP || x->addend_first || x->n_args == 0) return NULL;
    const tirbi_lx *a[3] = {NULL};
    for (int i = 0; i < x->n_args; i++) {
        a[i] = tirbi_rewrite_value(r, x->args[i]);
        if (!a[i]) return NULL;
    }
    const tirbi_lx *other = simpler(r, x, a);
    if (other) return other;
    return tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a[0], a[1], a[2]);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static bool rename(resolver *v, tirbi_lx_pool *pool, const tirbi_lvar *old, tirbi_lvar *fresh) {
    if (!fresh || v->n_renamed == MAX_RENAMED) return false;
    v->old[v->n_renamed] = old;
    v->fresh[v->n_renamed] = tirbi_lx_var(pool, fresh);
    return v->fresh[v->n_renamed++] != NULL;
}

static tirbi_lvar *variable_of(const resolver *v, tirbi_lvar *var) {
    for (uint32_t i = 0; i < v->n_renamed; i++) {
        if (var == v->old[i]) return v->fresh[i]->var;
    }
    return var;
}

static tirbi_lvar *copy_variable(tirbi_lx_pool *pool, const tirbi_lvar *var) {
    tirbi_lvar *fresh = TIRBI_NEW(pool->arena, tirbi_lvar);
    if (!fresh) return NULL;
    *fresh = *var;
    fresh->id = 0;
    return fresh;
}

bool tirbi_is_nothing(const tirbi_ls *s) { return tirbi_is_made_of(s, TIRBI_KIND(SEQ) | TIRBI_KIND(LOOP)); }

static const tirbi_ls *resolve(tirbi_rewrite *r, const tirbi_ls *s);

static const tirbi_ls *nothing(tirbi_rewrite *r, const tirbi_ls *like) {
    return tirbi_new_sequence(r->pool, like->span, NULL, 0);
}

static const tirbi_ls *resolve_sequence(tirbi_rewrite *r, const tirbi_ls *s, tirbi_ls *copy) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_ls *, s->as.seq.n + 1);
    uint32_t n = 0;
    if (!items) return NULL;
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        items[n] = resolve(r, s->as.seq.items[i]);
        if (!items[n]) return NULL;
        n += !tirbi_is_nothing(items[n]);
    }
    copy->as.seq.items = items;
    copy->as.seq.n = n;
    return n == 1 ? items[0] : copy;
}

static const tirbi_ls *resolve_loop(tirbi_rewrite *r, const tirbi_ls *s, tirbi_ls *copy) {
    tirbi_lvar *old = s->as.loop.var, *var = copy_variable(r->pool, old);
    if (!var) return NULL;
    var->min = tirbi_rewrite_value(r, old->min);
    var->extent = tirbi_rewrite_value(r, old->extent);
    var->below = old->below ? tirbi_rewrite_value(r, old->below) : NULL;
    if (!var->min || !var->extent || (old->below && !var->below) || !rename(r->context, r->pool, old, var)) return NULL;
    if (var->extent->hi <= 0) return nothing(r, s);
    copy->as.loop.var = var;
    copy->as.loop.body = resolve(r, s->as.loop.body);
    if (!copy->as.loop.body) return NULL;
    return tirbi_is_nothing(copy->as.loop.body) ? nothing(r, s) : copy;
}

/* The loops whose first iterations the copy of a condition asks for. */
static bool resolve_first(tirbi_rewrite *r, const tirbi_ls *s, tirbi_ls *copy) {
    resolver *v = r->context;
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(r->pool->arena, tirbi_lvar *, s->as.if_.n_first_of + 1);
    uint32_t n = 0;
    if (!loops) return false;
    for (uint32_t i = 0; i < s->as.if_.n_first_of; i++) {
        tirbi_lvar *var = s->as.if_.first_of[i];
        bool own = var == v->from;
        if (own && !v->first) { /* an ordinary condition */
            n = 0;
            break;
        }
        if (own && !v->to) continue;
        loops[n++] = own ? v->to : variable_of(v, var);
    }
    copy->as.if_.first_of = n > 0 ? loops : NULL;
    copy->as.if_.n_first_of = n;
    return true;
}

static const tirbi_ls *resolve_branch(tirbi_rewrite *r, const tirbi_ls *s, tirbi_ls *copy) {
    const tirbi_ls *no = s->as.if_.else_case;
    const tirbi_lx *condition = tirbi_rewrite_value(r, s->as.if_.condition);
    if (!condition) return NULL;
    if (condition->kind == TIRBI_LX_CONST) {
        if (condition->value) return resolve(r, s->as.if_.then_case);
        return no ? resolve(r, no) : nothing(r, s);
    }
    copy->as.if_.condition = condition;
    copy->as.if_.then_case = resolve(r, s->as.if_.then_case);
    copy->as.if_.else_case = no ? resolve(r, no) : NULL;
    if (!copy->as.if_.then_case || (no && !copy->as.if_.else_case)) return NULL;
    if (no && tirbi_is_nothing(copy->as.if_.else_case)) copy->as.if_.else_case = NULL;
    return !s->as.if_.first_of || resolve_first(r, s, copy) ? copy : NULL;
}

static const tirbi_ls *resolve(tirbi_rewrite *r, const tirbi_ls *s) {
    resolver *v = r->context;
    tirbi_ls *copy = TIRBI_NEW(r->pool->arena, tirbi_ls);
    if (!copy) return NULL;
    *copy = *s;
    switch (s->kind) {
    case TIRBI_LS_SEQ: return resolve_sequence(r, s, copy);
    case TIRBI_LS_LOOP: return resolve_loop(r, s, copy);
    case TIRBI_LS_IF: return resolve_branch(r, s, copy);
    case TIRBI_LS_STORE:
        copy->as.store.access = tirbi_rewrite_place(r, s->as.store.access);
        copy->as.store.value = tirbi_rewrite_value(r, s->as.store.value);
        return copy->as.store.access && copy->as.store.value ? copy : NULL;
    case TIRBI_LS_SET:
        copy->as.set.value = tirbi_rewrite_value(r, s->as.set.value);
        if (s->as.set.declares && !rename(v, r->pool, s->as.set.var, copy_variable(r->pool, s->as.set.var)))
            return NULL;
        copy->as.set.var = variable_of(v, s->as.set.var);
        return copy->as.set.value ? copy : NULL;
    default: return NULL;
    }
}

bool tirbi_can_resolve(const tirbi_ls *s) {
    tirbi_accesses all = {.rules = TIRBI_TAKE_INITS, .kinds = TIRBI_NESTS};
    return tirbi_find_accesses(&all, s);
}

const tirbi_ls *tirbi_resolve(tirbi_lx_pool *pool, const tirbi_given *facts, const tirbi_ls *body,
                              const tirbi_lvar *from, const tirbi_lx *value, tirbi_lvar *to, bool first) {
    resolver *v = TIRBI_NEW(pool->arena, resolver);
    if (!v || !value) return NULL;
    *v = (resolver){.facts = facts, .from = from, .value = value, .to = to, .first = first};
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace, .context = v};
    return resolve(&rewrite, body);
}
