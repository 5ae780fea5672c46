/* The attribute tirb.requires: so many assertions that a body begins with are conditions on arguments. A bundle has
 * them as relations of extents and integers, which a call checks before it runs anything: they are comparisons of sums,
 * products and the like, and mention nothing but what a call binds. */
#include "compiler/check/checker.h"

/* Shape variables and integer parameters. */
static bool is_bound(const tirb_primfunc *f, const tirb_expr *var) {
    for (uint32_t i = 0; i < f->n_shape_vars; i++)
        if (f->shape_vars[i] == var) return true;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i] == var) return tirbi_check_param_buffer(f, i) == NULL;
    return false;
}

/* A cast that no value of its operand's type loses anything by. */
static bool widens(const tirb_expr *cast) {
    const tirb_datatype from = cast->as.cast.value->dtype, to = cast->dtype;
    return tirbi_check_is_int(from) && (to.bits > from.bits || (to.bits == from.bits && to.code == from.code));
}

/* The first part of a side that a condition cannot have, or NULL. */
static const tirb_expr *find_foreign(const tirb_primfunc *f, const tirb_expr *e) {
    if (!tirbi_check_is_int(e->dtype) || e->dtype.lanes != 1) return e;
    if (e->kind == TIRB_EXPR_INT_IMM) return NULL;
    if (e->kind == TIRB_EXPR_VAR) return is_bound(f, e) ? NULL : e;
    if (e->kind == TIRB_EXPR_CAST) return widens(e) ? find_foreign(f, e->as.cast.value) : e;
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_MAX) return e;
    const tirb_expr *left = find_foreign(f, e->as.binary.a);
    return left ? left : find_foreign(f, e->as.binary.b);
}

static void check_condition(tirbi_checker *c, const tirb_expr *e, const tirb_stmt *s) {
    if (e->kind == TIRB_EXPR_AND) {
        check_condition(c, e->as.binary.a, s);
        check_condition(c, e->as.binary.b, s);
        return;
    }
    if (e->kind == TIRB_EXPR_INT_IMM && tirbi_check_is_bool(e->dtype)) { /* of constants */
        if (e->as.int_value == 0)
            tirbi_report_error(c->diagnostics, TIRB_VALUE, e->span, "no arguments meet this condition: it is false");
        return;
    }
    const bool compares = e->kind >= TIRB_EXPR_EQ && e->kind <= TIRB_EXPR_GE;
    const tirb_expr *foreign = compares ? find_foreign(c->function, e->as.binary.a) : e;
    if (!foreign) foreign = find_foreign(c->function, e->as.binary.b);
    if (!foreign) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, foreign->kind == TIRB_EXPR_VAR ? s->span : foreign->span,
                       "an assertion that tirb.requires counts must compare integers that are made of shape variables, "
                       "integer parameters and constants");
}

void tirbi_check_required(tirbi_checker *c, const tirb_primfunc *f) {
    if (f->n_required && tirbi_is_packed(f)) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, f->span,
                           "%s is a packed function, which checks its arguments itself: it has no tirb.requires",
                           f->name);
        return;
    }
    const tirb_stmt *s = tirbi_first_required(f);
    for (uint32_t i = 0; i < f->n_required; i++, s = s->as.assert_.body) {
        if (!s || s->kind != TIRB_STMT_ASSERT) {
            tirbi_report_error(c->diagnostics, TIRB_VALUE, s ? s->span : f->span,
                               "tirb.requires is %u, but the body of %s begins with %u assertion%s", f->n_required,
                               f->name, i, i == 1 ? "" : "s");
            return;
        }
        check_condition(c, s->as.assert_.condition, s);
    }
}
