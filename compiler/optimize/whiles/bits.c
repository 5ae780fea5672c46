#include "compiler/optimize/whiles/bits.h"

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/statements.h"

/* What integer casts around x are of. */
static const tirbi_lx *uncast(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->optype) &&
           tirbi_dtype_is_int((tirbi_dtype)x->source))
        x = x->args[0];
    return x;
}

static bool is_op(const tirbi_lx *x, tirbi_op op) {
    return x->kind == TIRBI_LX_OP && x->op == op && tirbi_dtype_is_int((tirbi_dtype)x->optype);
}

/* The number of which `term` is the bit that `place` counts; NULL: it is none. */
static const tirbi_lx *number_of_bit(const tirbi_lx *term, const tirbi_lvar *place) {
    const tirbi_lx *bit = uncast(term);
    if (!is_op(bit, TIRB_OP_AND)) return NULL;
    const bool first = tirbi_lx_is_int(bit->args[0], 1);
    if (!first && !tirbi_lx_is_int(bit->args[1], 1)) return NULL;
    const tirbi_lx *shifted = uncast(bit->args[first ? 1 : 0]);
    if (!is_op(shifted, TIRB_OP_SHR)) return NULL;
    const tirbi_lx *amount = uncast(shifted->args[1]);
    if (amount->kind != TIRBI_LX_VAR || amount->var != place) return NULL;
    return tirbi_lx_depends_on(shifted->args[0], place) ? NULL : shifted->args[0];
}

/* Whether it takes memory that may be a root's to find a place. */
static bool is_found_by(const tirbi_place *place, const tirbi_lbuf *root) {
    for (; place; place = place->view) {
        for (uint32_t d = 0; d < place->ndim; d++)
            if (tirbi_may_read(place->indices[d], root)) return true;
        if (tirbi_has_own_number(place) && tirbi_may_read(place->flat, root)) return true;
    }
    return false;
}

/* sum + the number of the lowest n bits that are set in `number`. */
static const tirbi_lx *count(tirbi_lx_pool *pool, const tirbi_lx *sum, const tirbi_lx *number, int64_t n) {
    const tirbi_dtype type = (tirbi_dtype)number->type;
    if (n < tirbi_dtypes[type].bits) {
        const tirbi_lx *mask = tirbi_lx_int(pool, type, (INT64_C(1) << n) - 1);
        number = tirbi_lx_binary(pool, TIRB_OP_AND, type, number, mask);
    }
    const tirbi_lx *bits = tirbi_lx_op(pool, TIRB_OP_POPCOUNT, type, TIRB_TYPE_NONE, number, NULL, NULL);
    const tirbi_lx *more = tirbi_lx_cast(pool, (tirbi_dtype)sum->type, bits);
    return tirbi_lx_binary(pool, TIRB_OP_ADD, (tirbi_dtype)sum->type, sum, more);
}

/* What a loop's body assigns, if it adds something to one sum; *added is that. */
static const tirbi_lx *sum_of(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lx **added) {
    const bool stores = s->kind == TIRBI_LS_STORE;
    if (!stores && (s->kind != TIRBI_LS_SET || s->as.set.declares)) return NULL;
    const tirbi_lx *sum = stores ? tirbi_lx_load(pool, s->as.store.access) : tirbi_lx_var(pool, s->as.set.var);
    const tirbi_lx *value = stores ? s->as.store.value : s->as.set.value;
    if (!sum || !is_op(value, TIRB_OP_ADD)) return NULL;
    const bool first = tirbi_same_value(value->args[0], sum);
    if (!first && !tirbi_same_value(value->args[1], sum)) return NULL;
    *added = value->args[first ? 1 : 0];
    return sum;
}

/* What replaces a loop; NULL: it counts no bits. */
static const tirbi_ls *counted(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (loop->as.loop.step || loop->as.loop.blocks || loop->as.loop.rows || loop->as.loop.parallel ||
        !tirbi_lx_is_int(var->min, 0) || var->extent->kind != TIRBI_LX_CONST || var->extent->value < 1)
        return NULL;
    const tirbi_ls *s = loop->as.loop.body;
    s = tirbi_only_part(s);
    const tirbi_lx *added = NULL, *sum = sum_of(pool, s, &added), *number = sum ? number_of_bit(added, var) : NULL;
    if (!number || var->extent->value > tirbi_dtypes[number->type].bits) return NULL;
    const bool stores = s->kind == TIRBI_LS_STORE;
    const tirbi_place *place = stores ? s->as.store.access : NULL;
    if (stores && (tirbi_place_depends_on(place, var) || tirbi_may_read(number, place->buffer->root) ||
                   is_found_by(place, place->buffer->root)))
        return NULL;
    if (!stores && tirbi_lx_depends_on(number, s->as.set.var)) return NULL;
    const tirbi_lx *value = count(pool, sum, number, var->extent->value);
    return tirbi_with_value(pool, s, value);
}

/* Whether x is v - 1. */
static bool is_one_less(const tirbi_lx *x, const tirbi_lx *v) {
    if (!is_op(x, TIRB_OP_SUB) && !is_op(x, TIRB_OP_ADD)) return false;
    return tirbi_same_value(x->args[0], v) && tirbi_lx_is_int(x->args[1], x->op == TIRB_OP_SUB ? 1 : -1);
}

/* What a while loop counts with, if its condition is that a variable is not 0, or above it (*above): the variable. */
static const tirbi_lx *runs_until_zero(const tirbi_lx *condition, bool *above) {
    if (!is_op(condition, TIRB_OP_NE) && !is_op(condition, TIRB_OP_GT)) return NULL;
    const tirbi_lx *v = condition->args[0];
    *above = condition->op == TIRB_OP_GT && v->lo < 0;
    return v->kind == TIRBI_LX_VAR && v->var->kind == TIRBI_LVAR_LOCAL && tirbi_lx_is_int(condition->args[1], 0) ? v
                                                                                                             : NULL;
}

/* Whether a statement that sets v to `next`, behind or before a sum of `added` or 1, goes through the bits of v: the
 * lowest one is taken off it, or it is shifted out. */
static bool takes_bit(const tirbi_lx *v, const tirbi_lx *next, const tirbi_lx *added, bool behind, bool above) {
    if (is_op(next, TIRB_OP_AND)) {
        const bool first = tirbi_same_value(next->args[0], v);
        return tirbi_lx_is_int(added, 1) && (first || tirbi_same_value(next->args[1], v)) &&
               is_one_less(next->args[first ? 1 : 0], v);
    }
    const tirbi_lx *bit = uncast(added);
    if (!is_op(next, TIRB_OP_SHR) || !is_op(bit, TIRB_OP_AND) || !behind) return false;
    const bool first = tirbi_same_value(uncast(bit->args[0]), v), ends = above || v->lo >= 0;
    return ends && tirbi_same_value(next->args[0], v) && tirbi_lx_is_int(uncast(next->args[1]), 1) &&
           (first || tirbi_same_value(uncast(bit->args[1]), v)) && tirbi_lx_is_int(bit->args[first ? 1 : 0], 1);
}

/* while v != 0: v = v & (v - 1); s = s + 1, or s = s + (v & 1); v = v >> 1, as s = s + popcount(v); v = 0. NULL for
 * other statements, and where s may be out of bounds, which nobody asks for while v is 0. */
static const tirbi_ls *counted_off(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.while_.body;
    bool above = false;
    const tirbi_lx *v = runs_until_zero(loop->as.while_.condition, &above), *added = NULL;
    if (!v || body->kind != TIRBI_LS_SEQ || body->as.seq.n != 2) return NULL;
    const bool behind = body->as.seq.items[1]->kind == TIRBI_LS_SET && body->as.seq.items[1]->as.set.var == v->var;
    const tirbi_ls *step = body->as.seq.items[behind ? 1 : 0], *adds = body->as.seq.items[behind ? 0 : 1];
    const tirbi_lx *sum = sum_of(pool, adds, &added);
    const tirbi_place *place = adds->kind == TIRBI_LS_STORE ? adds->as.store.access : NULL;
    if (!sum || sum->traps || step->kind != TIRBI_LS_SET || step->as.set.var != v->var || step->as.set.declares ||
        tirbi_lx_depends_on(sum, v->var) || !takes_bit(v, step->as.set.value, added, behind, above) ||
        (place && (tirbi_place_depends_on(place, v->var) || is_found_by(place, place->buffer->root))))
        return NULL;
    const tirbi_dtype type = (tirbi_dtype)v->type;
    const tirbi_lx *zero = tirbi_lx_int(pool, type, 0), *number = v, *left = zero;
    if (above && zero) {
        number = tirbi_lx_binary(pool, TIRB_OP_MAX, type, v, zero);
        left = tirbi_lx_binary(pool, TIRB_OP_MIN, type, v, zero);
    }
    const tirbi_lx *value = number && left ? count(pool, sum, number, tirbi_dtypes[type].bits) : NULL;
    tirbi_ls *copies = value ? TIRBI_NEW_ARRAY(pool->arena, tirbi_ls, 2) : NULL;
    if (!copies) return NULL;
    copies[0] = *adds;
    if (place) copies[0].as.store.value = value;
    else copies[0].as.set.value = value;
    copies[1] = *step;
    copies[1].as.set.value = left;
    const tirbi_ls *items[2] = {&copies[0], &copies[1]};
    return tirbi_new_sequence(pool, loop->span, items, 2);
}

static const tirbi_ls *count_all(void *pool, const tirbi_ls *s) {
    const tirbi_ls *out = s->kind == TIRBI_LS_LOOP    ? counted(pool, s)
                          : s->kind == TIRBI_LS_WHILE ? counted_off(pool, s)
                                                      : NULL;
    return out ? out : tirbi_replace_inside(pool, s, count_all, pool);
}

const tirbi_ls *tirbi_count_bits(tirbi_lx_pool *pool, const tirbi_ls *s) { return s ? count_all(pool, s) : NULL; }
