/* The order in which the terms of an element's number are added: what changes seldom comes first, so that sums of it
 * are known before the loops that change the rest, and are the same for neighbouring elements. */
#include "compiler/emit/emit.h"

#include "compiler/loop/sums.h"

/* The highest register of a term's variables: those of inner loops are above those of outer ones, or not there yet. */
static int64_t latest(const tirbi_emitter *e, const tirbi_lx *x) {
    const int32_t own = x->kind == TIRBI_LX_VAR ? tirbi_reg_of(e, x->var) : 0;
    if (x->kind == TIRBI_LX_VAR) return own < 0 ? INT64_MAX : own;
    int64_t most = -1;
    for (int i = 0; i < x->n_args; i++) {
        const int64_t reg = latest(e, x->args[i]);
        if (reg > most) most = reg;
    }
    return most;
}

static void sort_terms(const tirbi_emitter *e, tirbi_sum *sum) {
    int64_t order[TIRBI_SUM_TERMS];
    for (uint32_t i = 0; i < sum->n; i++) {
        const tirbi_lx *term = sum->term[i];
        const int64_t factor = sum->factor[i], when = latest(e, term);
        uint32_t k = i;
        for (; k > 0 && order[k - 1] > when; k--) {
            order[k] = order[k - 1];
            sum->term[k] = sum->term[k - 1];
            sum->factor[k] = sum->factor[k - 1];
        }
        order[k] = when;
        sum->term[k] = term;
        sum->factor[k] = factor;
    }
}

const tirbi_lx *tirbi_address(const tirbi_emitter *e, const tirbi_place *place) {
    tirbi_sum sum = {.constant = 0};
    const tirbi_lx *flat = place->flat, *all = NULL;
    if (!flat->shared || flat->traps || flat->type != TIRB_I64 || flat->size > TIRBI_MAX_SHARED_SIZE ||
        !tirbi_sum_of(&sum, flat, 1) || (sum.n < 2 && !sum.cancels))
        return flat;
    sort_terms(e, &sum);
    for (uint32_t i = 0; i < sum.n; i++) {
        const tirbi_lx *term = tirbi_lx_cast(e->pool, TIRB_I64, sum.term[i]);
        if (term && sum.factor[i] != 1) term = tirbi_lx_mul(e->pool, term, tirbi_lx_number(e->pool, sum.factor[i]));
        all = !all ? term : term ? tirbi_lx_add(e->pool, all, term) : NULL;
        if (!all) return flat;
        if (sum.constant != 0) all = tirbi_lx_add(e->pool, all, tirbi_lx_number(e->pool, sum.constant));
        if (!all) return flat;
        sum.constant = 0;
    }
    return all ? all : flat;
}
