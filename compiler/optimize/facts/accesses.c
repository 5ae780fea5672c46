#include "compiler/optimize/facts/accesses.h"

enum { MAX_DEPTH = 48 };

static bool add_place(tirbi_accesses *out, const tirbi_place *place, bool stored) {
    if (out->n == TIRBI_MAX_ACCESSES || place->view) return false;
    out->item[out->n++] = (tirbi_reached){.place = place, .stored = stored};
    return true;
}

static bool add_value(tirbi_accesses *out, const tirbi_lx *x, unsigned depth) {
    if (!x || depth > MAX_DEPTH || x->kind == TIRBI_LX_CALL) return false;
    if (x->kind == TIRBI_LX_LOAD) {
        for (uint32_t d = 0; d < x->access->ndim; d++)
            if (!add_value(out, x->access->indices[d], depth + 1)) return false;
        return add_place(out, x->access, false);
    }
    for (int i = 0; i < x->n_args; i++)
        if (!add_value(out, x->args[i], depth + 1)) return false;
    return true;
}

static bool add_stmt(tirbi_accesses *out, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH) return false;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!add_stmt(out, s->as.seq.items[i], depth + 1)) return false;
        return true;
    case TIRBI_LS_IF:
        return !s->as.if_.first_of && add_value(out, s->as.if_.condition, 0) &&
               add_stmt(out, s->as.if_.then_case, depth + 1) &&
               (!s->as.if_.else_case || add_stmt(out, s->as.if_.else_case, depth + 1));
    case TIRBI_LS_STORE:
        for (uint32_t d = 0; d < s->as.store.access->ndim; d++)
            if (!add_value(out, s->as.store.access->indices[d], 0)) return false;
        return add_value(out, s->as.store.value, 0) && add_place(out, s->as.store.access, true);
    case TIRBI_LS_SET:
        if (out->sets.n == TIRBI_MAX_AFFINE) return false;
        out->sets.var[out->sets.n++] = s->as.set.var;
        return add_value(out, s->as.set.value, 0);
    default:
        return false;
    }
}

bool tirbi_find_accesses(tirbi_accesses *out, const tirbi_ls *stmt) { return add_stmt(out, stmt, 0); }
