#include "compiler/tc/infer.h"

#include <stdio.h>
#include <string.h>

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

static bool has_failed(const tirbi_tc_inference *x) { return x->diagnostics->n_errors > x->n_errors; }

/* `what` says what could not be computed. */
static bool fail_size(tirbi_tc_inference *x, tirbi_span span, const char *what) {
    if (!x->arena->failed && !has_failed(x))
        tirbi_report_error(x->diagnostics, TIRB_VALUE, span, "%s %s", what,
                           x->sizes->failure ? x->sizes->failure : "is too large");
    return false;
}

static bool add_condition(tirbi_tc_inference *x, tirbi_tc_condition condition) {
    tirbi_tc_condition *slot = TIRBI_LIST_ADD(x->arena, &x->conditions, tirbi_tc_condition);
    if (!slot || !condition.message) return false;
    *slot = condition;
    return true;
}

/* The number of a term that is a minimum with a positive factor, or a maximum with a negative one: for all arguments
 * the rest must hold. */
static uint32_t term_of_all(const tirbi_tc_sum *a) {
    uint32_t i = 0;
    for (; i < a->n; i++)
        if (a->terms[i].atom->kind == (a->terms[i].factor > 0 ? TIRBI_TC_ATOM_MIN : TIRBI_TC_ATOM_MAX)) break;
    return i;
}

static bool require_parts(tirbi_tc_inference *x, const tirbi_tc_sum *sum, tirbi_span span, const char *what,
                          uint32_t depth) {
    tirbi_tc_sizes *z = x->sizes;
    if (!sum) return fail_size(x, span, what);
    if (tirbi_tc_is_never_negative(z, sum)) return true;
    const uint32_t at = depth > 0 ? term_of_all(sum) : sum->n;
    if (at == sum->n) {
        const tirbi_tc_sum **fact = TIRBI_LIST_ADD(x->arena, &z->facts, const tirbi_tc_sum *);
        if (fact) *fact = sum;
        const char *message = tirbi_arena_text(x->arena, what, strlen(what));
        return fact && add_condition(x, (tirbi_tc_condition){.left = sum, .span = span, .message = message});
    }
    const tirbi_tc_term term = sum->terms[at];
    for (uint32_t i = 0; i < term.atom->n; i++) {
        const tirbi_tc_sum *others = tirbi_tc_without(z, sum, at);
        const tirbi_tc_sum *part = tirbi_tc_add(z, others, tirbi_tc_scale(z, term.atom->as.args[i], term.factor));
        if (!require_parts(x, part, span, what, depth - 1)) return false;
    }
    return true;
}

/* What never holds; by how much, where that is a number. */
static bool refuse(tirbi_tc_inference *x, const tirbi_tc_sum *short_by, tirbi_span span, const char *what) {
    char number[32] = "";
    if (tirbi_tc_is_constant(short_by)) snprintf(number, sizeof number, " by %lld", (long long)short_by->constant);
    tirbi_report_error(x->diagnostics, TIRB_VALUE, span, "%s%s, whatever the sizes", what, number);
    return false;
}

bool tirbi_tc_require(tirbi_tc_inference *x, const tirbi_tc_sum *sum, tirbi_span span, const char *what) {
    if (!sum) return fail_size(x, span, what);
    if (!tirbi_tc_is_negative(x->sizes, sum)) return require_parts(x, sum, span, what, 8);
    return refuse(x, tirbi_tc_scale(x->sizes, sum, -1), span, what);
}

bool tirbi_tc_require_equal(tirbi_tc_inference *x, const tirbi_tc_sum *a, const tirbi_tc_sum *b, tirbi_span span,
                            const char *what) {
    const tirbi_tc_sum *difference = tirbi_tc_sub(x->sizes, a, b);
    if (!difference) return fail_size(x, span, what);
    if (tirbi_tc_is(difference, 0)) return true;
    const tirbi_tc_sum *opposite = tirbi_tc_scale(x->sizes, difference, -1);
    const bool is_less = tirbi_tc_is_negative(x->sizes, difference);
    if (is_less || tirbi_tc_is_negative(x->sizes, opposite)) {
        const char *differ = tirbi_arena_format(x->arena, "%s differ", what);
        return differ && refuse(x, is_less ? opposite : difference, span, differ);
    }
    if (!tirbi_arena_work(x->arena, x->conditions.n)) return false;
    for (uint32_t i = 0; i < x->conditions.n; i++) {
        const tirbi_tc_condition *c = &((const tirbi_tc_condition *)x->conditions.items)[i];
        if (c->left == a && c->right == b) return true;
    }
    const tirbi_tc_sum **facts[2] = {TIRBI_LIST_ADD(x->arena, &x->sizes->facts, const tirbi_tc_sum *),
                                     TIRBI_LIST_ADD(x->arena, &x->sizes->facts, const tirbi_tc_sum *)};
    if (!facts[0] || !facts[1] || !opposite) return false;
    ((const tirbi_tc_sum **)x->sizes->facts.items)[x->sizes->facts.n - 2] = difference;
    ((const tirbi_tc_sum **)x->sizes->facts.items)[x->sizes->facts.n - 1] = opposite;
    const char *message = tirbi_arena_format(x->arena, "%s agree", what);
    return add_condition(x, (tirbi_tc_condition){.left = a, .right = b, .span = span, .message = message});
}

bool tirbi_tc_require_int32(tirbi_tc_inference *x, const tirbi_tc_sum *sum, tirbi_span span, const char *what) {
    tirbi_tc_sizes *z = x->sizes;
    if (!sum) return fail_size(x, span, what);
    if (tirbi_tc_fits_int32(sum)) return true;
    if (!tirbi_arena_work(x->arena, 1)) return false;
    for (uint32_t i = 0; i < sum->n; i++) {
        const tirbi_tc_atom *atom = sum->terms[i].atom;
        if (atom->kind == TIRBI_TC_ATOM_VAR || atom->kind == TIRBI_TC_ATOM_PRODUCT) continue;
        for (uint32_t k = 0; !atom->fits_int32 && k < atom->n; k++)
            if (!tirbi_tc_require_int32(x, atom->as.args[k], span, what)) return false;
    }
    return tirbi_tc_require(x, tirbi_tc_add_constant(z, tirbi_tc_scale(z, sum, -1), INT32_MAX), span, what) &&
           tirbi_tc_require(x, tirbi_tc_add_constant(z, sum, -(int64_t)INT32_MIN), span, what);
}

/* ---- Constraints ------------------------------------------------------------------------------------------------ */

/* That a form is at least 0, for a subscript stays in its dimension. */
typedef struct constraint {
    const tirbi_tc_form *form;
    tirbi_span span;
    const tirbi_tc_tensor *tensor;
    uint32_t dim;
    bool is_upper;   /* that the subscript is no larger than the last one */
    bool is_guarded; /* it is only read where a condition holds: it may leave the dimension elsewhere */
    bool is_late;    /* of a target: it is only solved where nothing else is left to be */
    bool is_rough;   /* it is more than the subscript needs: the access itself is checked */
    bool is_done;
} constraint;

typedef struct solver {
    tirbi_tc_inference *x;
    tirbi_tc_forms forms;
    const tirbi_tc_stmt *stmt;
    tirbi_tc_range *ranges;
    tirbi_list constraints;
    tirbi_index index; /* of affine ones */
    uint32_t known;    /* which indices have their range */
    bool uses_late;
} solver;

static bool add_constraint(solver *s, constraint c, uint32_t depth);

static uint32_t form_hash(solver *s, const tirbi_tc_form *form) {
    uint32_t hash = tirbi_text_hash(s->x->sizes, (const char *)&form->constant, sizeof form->constant);
    for (uint32_t i = 0; i < form->n; i++) {
        hash = hash * 31 + form->terms[i].index;
        hash ^= tirbi_text_hash(s->x->sizes, (const char *)&form->terms[i].factor, sizeof form->terms[i].factor);
    }
    return hash;
}

static bool is_same_affine(const tirbi_tc_form *a, const tirbi_tc_form *b) {
    if (a->constant != b->constant || a->n != b->n || !tirbi_tc_form_is_affine(b)) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].index != b->terms[i].index || a->terms[i].factor != b->terms[i].factor) return false;
    return true;
}

static bool keep_constraint(solver *s, const constraint *c) {
    constraint *items = s->constraints.items;
    uint32_t probe = 0, number, hash = 0;
    const bool affine = tirbi_tc_form_is_affine(c->form);
    if (affine) {
        hash = form_hash(s, c->form);
        while ((number = tirbi_index_next(&s->index, hash, &probe)) > 0) {
            constraint *like = &items[number - 1];
            if (!is_same_affine(c->form, like->form) || like->is_late != c->is_late || like->is_done) continue;
            if (like->is_rough != c->is_rough) continue;
            if (like->is_guarded && !c->is_guarded) {
                bool upper = like->is_upper;
                *like = *c;
                like->is_upper = upper;
            }
            return true;
        }
    }
    if (affine && !tirbi_index_add(&s->index, s->x->arena, hash, s->constraints.n)) return false;
    constraint *slot = TIRBI_LIST_ADD(s->x->arena, &s->constraints, constraint);
    if (slot) *slot = *c;
    return slot != NULL;
}

static const tirbi_tc_form *without_term(solver *s, const tirbi_tc_form *form, uint32_t at) {
    tirbi_tc_form one = {.constant = tirbi_tc_constant(s->x->sizes, 0), .n = 1, .terms = &form->terms[at]};
    return tirbi_tc_form_add(s->x->sizes, form, one.constant ? &one : NULL, tirbi_tc_constant(s->x->sizes, -1));
}

/* k * min(a, b) + rest is at least 0 where both k * a + rest and k * b + rest are. */
static bool add_both(solver *s, constraint c, uint32_t at, uint32_t depth) {
    const tirbi_tc_form_term term = c.form->terms[at];
    const tirbi_tc_form *rest = without_term(s, c.form, at);
    constraint first = c, second = c;
    first.form = tirbi_tc_form_add(s->x->sizes, rest, term.a, term.factor);
    second.form = tirbi_tc_form_add(s->x->sizes, rest, term.b, term.factor);
    return add_constraint(s, first, depth - 1) && add_constraint(s, second, depth - 1);
}

/* Where one of the two suffices: one that surely holds is enough, one that surely does not leaves the other. */
static bool add_either(solver *s, constraint c, uint32_t at, uint32_t depth) {
    const tirbi_tc_form_term term = c.form->terms[at];
    const tirbi_tc_form *rest = without_term(s, c.form, at);
    for (int second = 0; second < 2; second++) {
        const tirbi_tc_form *one = tirbi_tc_form_add(s->x->sizes, rest, second ? term.b : term.a, term.factor);
        if (!one || one->n > 0) continue;
        if (tirbi_tc_is_never_negative(s->x->sizes, one->constant)) return true;
        if (!tirbi_tc_is_negative(s->x->sizes, one->constant)) continue;
        c.form = tirbi_tc_form_add(s->x->sizes, rest, second ? term.a : term.b, term.factor);
        return add_constraint(s, c, depth - 1);
    }
    return keep_constraint(s, &c);
}

/* k * (a // d) + rest is at least 0: for a positive k where a is at least d * ceil(-rest / k), else where it is at most
 * d * floor(rest / -k) + d - 1. */
static bool add_quotient(solver *s, constraint c, uint32_t depth) {
    tirbi_tc_sizes *z = s->x->sizes;
    const tirbi_tc_form_term term = c.form->terms[0];
    const bool positive = term.factor->constant > 0;
    const tirbi_tc_sum *rest = tirbi_tc_scale(z, c.form->constant, positive ? -1 : 1);
    const tirbi_tc_sum *factor = positive ? term.factor : tirbi_tc_scale(z, term.factor, -1);
    const tirbi_tc_sum *bound = positive ? tirbi_tc_ceildiv(z, rest, factor) : tirbi_tc_floordiv(z, rest, factor);
    bound = tirbi_tc_scale(z, bound, term.divisor);
    if (!positive) bound = tirbi_tc_add_constant(z, bound, term.divisor - 1);
    const tirbi_tc_form *zero = tirbi_tc_form_constant(z, tirbi_tc_scale(z, bound, positive ? -1 : 1));
    c.form = tirbi_tc_form_add(z, zero, term.a, tirbi_tc_constant(z, positive ? 1 : -1));
    return add_constraint(s, c, depth - 1);
}

/* Takes quotients, minima and maxima apart where that is exact. */
static bool add_constraint(solver *s, constraint c, uint32_t depth) {
    if (!c.form) return fail_size(s->x, c.span, "this subscript");
    for (uint32_t i = 0; depth > 0 && i < c.form->n; i++) {
        const tirbi_tc_form_term *term = &c.form->terms[i];
        if (term->kind == TIRBI_TC_FORM_INDEX || term->factor->n > 0) continue;
        const bool positive = term->factor->constant > 0;
        if (term->kind == (positive ? TIRBI_TC_FORM_MIN : TIRBI_TC_FORM_MAX)) return add_both(s, c, i, depth);
        if (c.form->n > 1) continue;
        if (term->kind == TIRBI_TC_FORM_MIN || term->kind == TIRBI_TC_FORM_MAX) return add_either(s, c, i, depth);
        if (term->kind == TIRBI_TC_FORM_DIV) return add_quotient(s, c, depth);
    }
    return keep_constraint(s, &c);
}

/* That a subscript lies in a dimension of a tensor. */
static bool add_subscript(solver *s, const tirbi_tc_expr *e, const tirbi_tc_tensor *tensor, uint32_t dim,
                          bool is_guarded, bool is_late) {
    enum { DEPTH = 12 };
    tirbi_tc_sizes *z = s->x->sizes;
    const tirbi_tc_form *form = tirbi_tc_form_of(&s->forms, e);
    if (z->failure) return fail_size(s->x, e->span, "this subscript");
    if (!form) return !s->x->arena->failed;
    constraint c = {.span = e->span, .tensor = tensor, .dim = dim, .is_guarded = is_guarded, .is_late = is_late};
    const tirbi_tc_sum *high = tirbi_tc_add_constant(z, tirbi_tc_add(z, tensor->low[dim], tensor->extent[dim]), -1);
    const tirbi_tc_sum *from = tirbi_tc_scale(z, tensor->low[dim], -1);
    c.form = from ? tirbi_tc_form_add(z, form, tirbi_tc_form_constant(z, from), tirbi_tc_constant(z, 1)) : NULL;
    if (!add_constraint(s, c, DEPTH)) return false;
    c.is_upper = true;
    c.form = high ? tirbi_tc_form_add(z, tirbi_tc_form_constant(z, high), form, tirbi_tc_constant(z, -1)) : NULL;
    return add_constraint(s, c, DEPTH);
}

/* What all reads below an expression demand; not those that `pad` guards. */
static bool collect(solver *s, const tirbi_tc_expr *e, bool is_guarded) {
    if (!tirbi_arena_work(s->x->arena, 1)) return false;
    if (e->kind == TIRBI_TC_NAME) return e->symbol->kind != TIRBI_TC_LET || collect(s, e->symbol->value, is_guarded);
    if (e->kind == TIRBI_TC_PAD) return collect(s, e->args[1], true);
    const bool is_choice = e->kind == TIRBI_TC_CHOICE || e->kind == TIRBI_TC_AND || e->kind == TIRBI_TC_OR;
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (!collect(s, e->args[i], is_guarded || (is_choice && i > 0))) return false;
        if (e->kind == TIRBI_TC_READ &&
            !add_subscript(s, e->args[i], s->forms.scope->tensors[e->symbol->number], i, is_guarded, false))
            return false;
    }
    return true;
}

/* What the target demands: of an accumulator as of a read, of what is only assigned where nothing else does. */
static bool collect_target(solver *s) {
    const tirbi_tc_stmt *stmt = s->stmt;
    const tirbi_tc_tensor *target = s->forms.scope->tensors[stmt->target->number];
    const bool reads = stmt->assign != TIRBI_TC_SET && !stmt->defines;
    for (uint32_t i = 0; i < stmt->n_subscripts; i++) {
        if (!collect(s, stmt->subscripts[i], false)) return false;
        if (target->has_shape && !add_subscript(s, stmt->subscripts[i], target, i, false, !reads)) return false;
    }
    return true;
}

/* ---- Elimination ------------------------------------------------------------------------------------------------ */

/* A factor whose sign depends on sizes has that of its first term, which then is required. */
static bool is_positive_factor(solver *s, const tirbi_tc_sum *factor, tirbi_span span, int64_t at_least) {
    tirbi_tc_sizes *z = s->x->sizes;
    if (factor->n == 0) return factor->constant > 0;
    const tirbi_tc_sum *opposite = tirbi_tc_scale(z, factor, -1);
    bool negative = false;
    if (!tirbi_tc_is_never_negative(z, factor))
        negative = (opposite && tirbi_tc_is_never_negative(z, opposite)) || factor->terms[0].factor < 0;
    tirbi_tc_require(s->x, tirbi_tc_add_constant(z, negative ? opposite : factor, -at_least), span,
                     "the factor of an index is not positive");
    return !negative;
}

/* The form at its least, or at its most, over the ranges that are known. */
static const tirbi_tc_form *eliminate(solver *s, const tirbi_tc_form *form, bool most, constraint *c) {
    tirbi_tc_sizes *z = s->x->sizes;
    const tirbi_tc_form *out = form ? tirbi_tc_form_constant(z, form->constant) : NULL;
    for (uint32_t i = 0; out && i < form->n; i++) {
        tirbi_tc_form_term term = form->terms[i];
        tirbi_tc_form one = {.constant = tirbi_tc_constant(z, 0), .n = 1, .terms = &term};
        const uint32_t vars =
            term.kind == TIRBI_TC_FORM_INDEX ? UINT32_C(1) << term.index : term.a->vars | (term.b ? term.b->vars : 0);
        const tirbi_tc_form *by = &one;
        one.vars = vars;
        if (!one.constant) return NULL;
        if ((vars & s->known) != 0) {
            const bool high = is_positive_factor(s, term.factor, c->span, 0) == most;
            c->is_rough = c->is_rough || term.kind != TIRBI_TC_FORM_INDEX;
            if (term.kind == TIRBI_TC_FORM_INDEX)
                by = tirbi_tc_form_constant(z, high ? s->ranges[term.index].high : s->ranges[term.index].low);
            else if (term.kind == TIRBI_TC_FORM_MOD)
                by = (vars & ~s->known) ? &one
                                        : tirbi_tc_form_constant(z, tirbi_tc_constant(z, high ? term.divisor - 1 : 0));
            else if (term.kind == TIRBI_TC_FORM_DIV)
                by = tirbi_tc_form_divide(z, term.kind, eliminate(s, term.a, high, c),
                                          tirbi_tc_constant(z, term.divisor));
            else
                by = tirbi_tc_form_extreme(z, term.kind, eliminate(s, term.a, high, c), eliminate(s, term.b, high, c));
        }
        const bool same = by == &one;
        out = by ? tirbi_tc_form_add(z, out, by, same ? tirbi_tc_constant(z, 1) : term.factor) : NULL;
    }
    return out;
}

static bool eliminate_known(solver *s) {
    const uint32_t n = s->constraints.n;
    for (uint32_t i = 0; i < n; i++) {
        constraint c = ((const constraint *)s->constraints.items)[i];
        if (c.is_done || (c.form->vars & s->known) == 0 || (c.is_late && !s->uses_late)) continue;
        ((constraint *)s->constraints.items)[i].is_done = true;
        c.form = eliminate(s, c.form, false, &c);
        if (has_failed(s->x) || !add_constraint(s, c, 12)) return false;
    }
    return true;
}

/* ---- Rounds ----------------------------------------------------------------------------------------------------- */

static const tirbi_tc_form_term *only_term(const constraint *c, uint32_t index) {
    if (c->is_done || c->form->vars != UINT32_C(1) << index || c->form->n != 1) return NULL;
    return c->form->terms[0].kind == TIRBI_TC_FORM_INDEX ? &c->form->terms[0] : NULL;
}

/* What the constraints that mention no other index say of one; a bound that nothing says is NULL. */
static bool find_range(solver *s, uint32_t index, tirbi_tc_range *out) {
    tirbi_tc_sizes *z = s->x->sizes;
    *out = (tirbi_tc_range){NULL, NULL};
    if (!tirbi_arena_work(s->x->arena, s->constraints.n)) return false;
    for (uint32_t i = 0; i < s->constraints.n; i++) {
        const constraint *c = &((const constraint *)s->constraints.items)[i];
        const tirbi_tc_form_term *term = only_term(c, index);
        if (!term || (c->is_late && !s->uses_late)) continue;
        const bool positive = is_positive_factor(s, term->factor, c->span, 1);
        const tirbi_tc_sum *rest = tirbi_tc_scale(z, c->form->constant, positive ? -1 : 1);
        const tirbi_tc_sum *factor = positive ? term->factor : tirbi_tc_scale(z, term->factor, -1);
        const tirbi_tc_sum *bound = positive ? tirbi_tc_ceildiv(z, rest, factor) : tirbi_tc_floordiv(z, rest, factor);
        const tirbi_tc_sum **side = positive ? &out->low : &out->high;
        *side = *side ? tirbi_tc_extreme(z, positive ? TIRBI_TC_ATOM_MAX : TIRBI_TC_ATOM_MIN, *side, bound) : bound;
        if (!*side) return fail_size(s->x, c->span, "this subscript");
    }
    return !has_failed(s->x);
}

/* Ranges may be empty, but not less than that. */
static bool check_range(solver *s, uint32_t index, tirbi_span span) {
    tirbi_tc_sizes *z = s->x->sizes;
    const tirbi_tc_range *r = &s->ranges[index];
    const char *name = s->stmt->indices[index]->name;
    const tirbi_tc_sum *last = tirbi_tc_sub(z, r->high, r->low), *extent = tirbi_tc_add_constant(z, last, 1);
    if (extent && tirbi_tc_is_negative(z, extent)) {
        tirbi_report_error(s->x->diagnostics, TIRB_VALUE, span,
                           "the range of the index `%s` is empty, whatever the sizes", name);
        return false;
    }
    const char *what = tirbi_arena_format(s->x->arena, "the range of `%s` in %s ends before it begins", name,
                                          s->forms.scope->def->name);
    const char *wide =
        tirbi_arena_format(s->x->arena, "the range of `%s` in %s leaves int32", name, s->forms.scope->def->name);
    return what && wide && tirbi_tc_require(s->x, extent, span, what) &&
           tirbi_tc_require_int32(s->x, extent, span, wide) && tirbi_tc_require_int32(s->x, r->low, span, wide) &&
           tirbi_tc_require_int32(s->x, r->high, span, wide);
}

/* All that can be solved now, each from what was known before; returns which. */
static uint32_t solve_round(solver *s) {
    tirbi_tc_range found[TIRBI_TC_MAX_INDICES];
    uint32_t solved = 0;
    for (uint32_t v = 0; v < s->stmt->n_indices; v++) {
        if (s->known & UINT32_C(1) << v) continue;
        if (!find_range(s, v, &found[v])) return 0;
        if (found[v].low && found[v].high) solved |= UINT32_C(1) << v;
    }
    for (uint32_t v = 0; v < s->stmt->n_indices; v++) {
        if (!(solved & UINT32_C(1) << v)) continue;
        s->ranges[v] = found[v];
        if (!check_range(s, v, s->stmt->indices[v]->span)) return 0;
        for (uint32_t i = 0; i < s->constraints.n; i++) {
            constraint *c = &((constraint *)s->constraints.items)[i];
            if (only_term(c, v) && (!c->is_late || s->uses_late)) c->is_done = true;
        }
    }
    s->known |= solved;
    return solved;
}

static void report_unsolved(solver *s) {
    uint32_t v = 0;
    tirbi_tc_range r;
    while (s->known & UINT32_C(1) << v) v++;
    const char *name = s->stmt->indices[v]->name;
    if (!find_range(s, v, &r)) return;
    const char *missing = r.low ? "nothing bounds it from above" : "nothing bounds it from below";
    if (!r.low && !r.high) missing = "no subscript bounds it by itself";
    tirbi_report_error(s->x->diagnostics, TIRB_VALUE, s->stmt->indices[v]->span,
                       "could not infer the range of the index `%s`: %s; add `where %s in a:b`", name, missing, name);
}

static bool solve(solver *s) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << s->stmt->n_indices) - 1);
    if (!eliminate_known(s)) return false;
    while (s->known != all) {
        uint32_t solved = solve_round(s);
        if (has_failed(s->x) || s->x->arena->failed) return false;
        if (!solved && s->uses_late) {
            report_unsolved(s);
            return false;
        }
        if (!solved) s->uses_late = true;
        if (!eliminate_known(s)) return false;
    }
    return true;
}

/* ---- What is left to hold --------------------------------------------------------------------------------------- */

static bool require_rest(solver *s) {
    const tirbi_tc_tensor *target = s->forms.scope->tensors[s->stmt->target->number];
    for (uint32_t i = 0; i < s->constraints.n; i++) {
        const constraint *c = &((const constraint *)s->constraints.items)[i];
        if (c->is_done || c->is_rough || c->is_guarded || !tirbi_tc_form_is_affine(c->form)) continue;
        constraint end = *c;
        /* The extents of what is defined here are compared with its annotation by themselves. */
        if (c->is_late && s->stmt->defines && !s->stmt->is_scatter && c->tensor == target) continue;
        if (c->is_late && !s->uses_late) end.form = eliminate(s, c->form, false, &end);
        if (!end.form) return fail_size(s->x, c->span, "this subscript");
        if (end.form->n > 0 || end.is_rough) continue;
        const char *what = tirbi_arena_format(s->x->arena, "a subscript of `%s` in %s %s dimension %u",
                                              c->tensor->symbol->name, s->forms.scope->def->name,
                                              c->is_upper ? "runs past the end of" : "begins before", (unsigned)c->dim);
        if (!what || !tirbi_tc_require(s->x, end.form->constant, c->span, what)) return false;
    }
    return true;
}

/* ---- A statement ------------------------------------------------------------------------------------------------ */

static bool read_bounds(solver *s, const tirbi_tc_clause *clause) {
    tirbi_tc_sizes *z = s->x->sizes;
    uint32_t v = 0;
    while (v < s->stmt->n_indices && s->stmt->indices[v] != clause->symbol) v++;
    if (v == s->stmt->n_indices) return true;
    const tirbi_tc_sum *low = tirbi_tc_sum_of(&s->forms, clause->low), *end = tirbi_tc_sum_of(&s->forms, clause->high);
    if (!low || !end) {
        if (z->failure || s->x->arena->failed)
            return fail_size(s->x, low ? clause->high->span : clause->low->span, "this bound");
        tirbi_report_error(s->x->diagnostics, TIRB_UNSUPPORTED, low ? clause->high->span : clause->low->span,
                           "the bounds of a range are made with + - * / %% min max and casts to int32 or int64");
        return false;
    }
    s->ranges[v] = (tirbi_tc_range){low, tirbi_tc_add_constant(z, end, -1)};
    s->known |= UINT32_C(1) << v;
    return check_range(s, v, clause->span);
}

bool tirbi_tc_infer(tirbi_tc_inference *x, const tirbi_tc_scope *scope, const tirbi_tc_stmt *stmt,
                    tirbi_tc_range *ranges) {
    solver s = {.x = x, .forms = {x->sizes, scope, stmt}, .stmt = stmt, .ranges = ranges};
    for (uint32_t i = 0; i < stmt->n_clauses; i++) {
        const tirbi_tc_clause *clause = &stmt->clauses[i];
        if (clause->kind == TIRBI_TC_IN && !read_bounds(&s, clause)) return false;
        if (clause->kind == TIRBI_TC_EXISTS && !collect(&s, clause->low, false)) return false;
    }
    return collect(&s, stmt->value, false) && collect_target(&s) && solve(&s) && require_rest(&s);
}
