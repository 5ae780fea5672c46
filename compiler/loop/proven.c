/* Which indices are inside their dimension whatever the program is called with: sums of loop variables against extents
 * that are sums too, such as y + 2 below h + 2, or 2 * y + 1 below 2 * h where y runs below h - 1. */
#include "compiler/loop/loop.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/inside.h"

enum { MAX_TERMS = 6, MAX_STEPS = 40, MAX_FACTOR = 1 << 16 };

/* constant + sum of factor * term, in whole numbers. */
typedef struct sum {
    const tirbi_lx *term[MAX_TERMS];
    int64_t factor[MAX_TERMS], constant;
    uint32_t n, steps;
    bool exact; /* no part of what is added wraps, whatever its sign is */
} sum;

static bool add_constant(sum *s, int64_t value, int64_t factor) {
    int64_t v;
    return !__builtin_mul_overflow(value, factor, &v) && !__builtin_add_overflow(s->constant, v, &s->constant);
}

/* A variable is the same term where more is known of its range. */
static bool same_term(const tirbi_lx *a, const tirbi_lx *b) {
    return a == b || (a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->pure && a->var == b->var);
}

static bool add_term(sum *s, const tirbi_lx *term, int64_t factor) {
    uint32_t i = 0;
    while (i < s->n && !same_term(s->term[i], term)) i++;
    if (i == MAX_TERMS) return false;
    if (i == s->n) {
        s->term[s->n++] = term;
        s->factor[i] = 0;
    }
    s->factor[i] += factor;
    return s->factor[i] <= MAX_FACTOR && s->factor[i] >= -MAX_FACTOR;
}

/* Without the casts that keep an integer's value. */
static const tirbi_lx *without_casts(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->optype == TIRB_I64 && x->source != TIRB_U64 &&
           tirbi_dtype_is_int((tirbi_dtype)x->source))
        x = x->args[0];
    return x;
}

static bool is_counted(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && (x->optype == TIRB_I32 || x->optype == TIRB_I64);
}

/* Whether arithmetic has the value that whole numbers give, and so has each of its parts. */
static bool is_exact(const tirbi_lx *x, unsigned depth) {
    x = without_casts(x);
    if (!tirbi_is_arithmetic(x)) return true;
    return depth < MAX_TERMS && tirbi_is_exact(x, NULL) && is_exact(x->args[0], depth + 1) &&
           is_exact(x->args[1], depth + 1);
}

/* An index that is a sum of what is not negative, some of it many times: none of its parts is above the whole, so that
 * no part wraps where the whole is inside. */
static bool add_index(sum *s, const tirbi_lx *x, int64_t factor) {
    x = without_casts(x);
    if (++s->steps > MAX_STEPS || factor > MAX_FACTOR || factor < -MAX_FACTOR) return false;
    if (x->kind == TIRBI_LX_CONST) return (x->value >= 0 || s->exact) && add_constant(s, x->value, factor);
    if (is_counted(x) && x->op == TIRB_OP_ADD)
        return add_index(s, x->args[0], factor) && add_index(s, x->args[1], factor);
    if (is_counted(x) && x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST && x->args[1]->value > 0 &&
        x->args[1]->value <= MAX_FACTOR)
        return add_index(s, x->args[0], factor * x->args[1]->value);
    return x->kind == TIRBI_LX_VAR && x->lo >= 0 && add_term(s, x, factor);
}

/* An extent that is not negative: one term, or it and a constant, or it twice. Where such a sum does not fit its type,
 * it is negative, and what has that extent does not exist. */
static bool add_extent(sum *s, const tirbi_lx *x, int64_t factor) {
    x = without_casts(x);
    if (x->kind == TIRBI_LX_CONST) return add_constant(s, x->value, factor);
    if (is_counted(x) && x->op == TIRB_OP_ADD && x->args[1]->kind == TIRBI_LX_CONST) {
        const tirbi_lx *term = without_casts(x->args[0]);
        return term->kind == TIRBI_LX_VAR && term->lo >= 0 && add_constant(s, x->args[1]->value, factor) &&
               add_term(s, term, factor);
    }
    if (is_counted(x) && x->op == TIRB_OP_MUL && tirbi_lx_is_int(x->args[1], 2)) {
        const tirbi_lx *term = without_casts(x->args[0]);
        return term->kind == TIRBI_LX_VAR && term->lo >= 0 && add_term(s, term, 2 * factor);
    }
    return x->kind == TIRBI_LX_VAR && x->lo >= 0 && add_term(s, x, factor);
}

/* A sum whose parts have the values that whole numbers give; what is none, and is not negative, is a term. */
static bool add_exactly(sum *s, const tirbi_lx *x, int64_t factor) {
    x = without_casts(x);
    if (++s->steps > MAX_STEPS) return false;
    if (x->kind == TIRBI_LX_CONST) return add_constant(s, x->value, factor);
    if (is_counted(x) && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB)) {
        const int64_t second = x->op == TIRB_OP_ADD ? factor : -factor;
        return add_exactly(s, x->args[0], factor) && add_exactly(s, x->args[1], second);
    }
    return x->lo >= 0 && add_term(s, x, factor);
}

/* Puts the greatest value of a loop variable in its place; its factor is negative. Where that begins at a sum, and its
 * extent is one less that, as that of range(i + 1, n), the sums are what is left of both. */
static bool replace_by_most(sum *s, uint32_t i) {
    const tirbi_lvar *var = s->term[i]->var;
    const int64_t factor = s->factor[i];
    if (var->kind != TIRBI_LVAR_LOOP || !var->min || !var->extent) return false;
    s->factor[i] = 0;
    if (var->below) return add_constant(s, -1, factor) && add_extent(s, var->below, factor);
    if (var->min->kind == TIRBI_LX_CONST)
        return var->min->value >= 0 && add_constant(s, var->min->value - 1, factor) &&
               add_extent(s, var->extent, factor);
    return is_exact(var->min, 0) && is_exact(var->extent, 0) && add_constant(s, -1, factor) &&
           add_exactly(s, var->min, factor) && add_exactly(s, var->extent, factor);
}

static bool is_below(const tirbi_lx *index, const tirbi_lx *extent) {
    sum room = {.constant = -1, .exact = index->lo >= 0 && is_exact(index, 0)};
    if (!add_extent(&room, extent, 1) || !add_index(&room, index, -1)) return false;
    for (uint32_t i = 0; i < room.n; i++)
        if (room.factor[i] < 0 && (room.term[i]->kind != TIRBI_LX_VAR || !replace_by_most(&room, i))) return false;
    for (uint32_t i = 0; i < room.n; i++)
        if (room.factor[i] < 0) return false;
    return room.constant >= 0;
}

/* What an index is: of one that was computed before, that. */
static const tirbi_lx *meaning(const tirbi_lx *index) {
    const tirbi_lx *x = without_casts(index);
    return x->kind == TIRBI_LX_LOAD && x->access->buffer->holds ? x->access->buffer->holds : index;
}

bool tirbi_dim_proven(const tirbi_place *place, uint32_t d) {
    const tirbi_lx *index = meaning(place->indices[d]), *extent = place->buffer->shape[d];
    if (tirbi_index_proven(index, extent)) return true;
    if (!tirbi_has_whole_extents(place->buffer)) return false;
    return is_below(index, extent) || tirbi_known_inside(place->buffer->known, index, extent);
}
