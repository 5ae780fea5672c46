#include "compiler/optimize/facts/predicates.h"

bool tirbi_predicate_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_predicate *out) {
    if (x->kind != TIRBI_LX_OP || x->n_args != 2 || !x->pure || x->traps) return false;
    const bool rises = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE || x->op == TIRB_OP_EQ,
               falls = x->op == TIRB_OP_GT || x->op == TIRB_OP_GE;
    tirbi_affine more, less;
    if ((!rises && !falls) || !tirbi_affine_of(pool, x->args[rises], loops, &more) ||
        !tirbi_affine_of(pool, x->args[!rises], loops, &less))
        return false;
    for (uint32_t i = 0; i < loops->n; i++) {
        int64_t up, down;
        if (!tirbi_affine_constant(&more, i, &up) || !tirbi_affine_constant(&less, i, &down) ||
            __builtin_sub_overflow(up, down, &out->by[i]))
            return false;
    }
    out->more = more.start;
    out->less = less.start;
    out->strict = x->op == TIRB_OP_LT || x->op == TIRB_OP_GT;
    return true;
}

/* a - b, or where that would not fit its type, the number of the type that is nearest: iterations, which are counted
 * from 0, are on the same side of it. NULL: not known to be either, or memory ran out. */
static const tirbi_lx *saturating_difference(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b) {
    int64_t lo, hi, least, most;
    if (!__builtin_sub_overflow(a->lo, b->hi, &lo) && !__builtin_sub_overflow(a->hi, b->lo, &hi))
        return tirbi_lx_sub(pool, a, b);
    if (b->kind == TIRBI_LX_CONST) { /* a between them */
        least = b->value > 0 ? INT64_MIN + b->value : INT64_MIN;
        most = b->value < 0 ? INT64_MAX + b->value : INT64_MAX;
        a = tirbi_lx_with(pool, TIRB_OP_MAX, tirbi_lx_with(pool, TIRB_OP_MIN, a, most), least);
    } else if (a->kind == TIRBI_LX_CONST) { /* b between them */
        least = a->value >= 0 ? a->value - INT64_MAX : INT64_MIN;
        most = a->value < 0 ? a->value - INT64_MIN : INT64_MAX;
        b = tirbi_lx_with(pool, TIRB_OP_MAX, tirbi_lx_with(pool, TIRB_OP_MIN, b, most), least);
    } else {
        return NULL;
    }
    return tirbi_lx_sub(pool, a, b);
}

/* The iteration behind `root`; where that is the last number of all, no iteration is there. */
static const tirbi_lx *behind(tirbi_lx_pool *pool, const tirbi_lx *root) {
    if (root->hi == INT64_MAX) root = tirbi_lx_with(pool, TIRB_OP_MIN, root, INT64_MAX - 1);
    return tirbi_lx_with(pool, TIRB_OP_ADD, root, 1);
}

bool tirbi_iterations_where(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loop, const tirbi_lx **from,
                            const tirbi_lx **to) {
    tirbi_predicate p;
    *from = *to = NULL;
    if (!tirbi_predicate_of(pool, x, loop, &p) || (p.by[0] != 1 && p.by[0] != -1)) return false;
    const bool rises = p.by[0] == 1, equals = x->op == TIRB_OP_EQ;
    const tirbi_lx *root = rises ? saturating_difference(pool, p.less, p.more)
                                 : saturating_difference(pool, p.more, p.less);
    const tirbi_lx *next = root ? behind(pool, root) : NULL;
    if (!next) return false;
    if (rises || equals) *from = p.strict ? next : root;
    if (!rises || equals) *to = p.strict ? root : next;
    return true;
}
