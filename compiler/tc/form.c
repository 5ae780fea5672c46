#include "compiler/tc/form.h"

enum { MAX_FORM_TERMS = TIRBI_TC_MAX_INDICES + 8 };

/* ---- Makers ----------------------------------------------------------------------------------------------------- */

static const tirbi_tc_form *make_form(tirbi_tc_sizes *z, const tirbi_tc_sum *constant, const tirbi_tc_form_term *terms,
                                      uint32_t n) {
    tirbi_tc_form *form = TIRBI_NEW(z->arena, tirbi_tc_form);
    tirbi_tc_form_term *copy = TIRBI_NEW_ARRAY(z->arena, tirbi_tc_form_term, n);
    if (!form || !copy || !constant) return NULL;
    *form = (tirbi_tc_form){.constant = constant, .n = n, .terms = copy};
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = terms[i];
        if (terms[i].kind == TIRBI_TC_FORM_INDEX) form->vars |= UINT32_C(1) << terms[i].index;
        if (terms[i].a) form->vars |= terms[i].a->vars;
        if (terms[i].b) form->vars |= terms[i].b->vars;
    }
    return form;
}

const tirbi_tc_form *tirbi_tc_form_constant(tirbi_tc_sizes *z, const tirbi_tc_sum *constant) {
    return make_form(z, constant, NULL, 0);
}

const tirbi_tc_form *tirbi_tc_form_index(tirbi_tc_sizes *z, uint32_t index) {
    tirbi_tc_form_term term = {.kind = TIRBI_TC_FORM_INDEX, .index = index, .factor = tirbi_tc_constant(z, 1)};
    return term.factor ? make_form(z, tirbi_tc_constant(z, 0), &term, 1) : NULL;
}

static bool is_same_term(const tirbi_tc_form_term *x, const tirbi_tc_form_term *y) {
    return x->kind == y->kind && x->index == y->index && x->a == y->a && x->b == y->b && x->divisor == y->divisor;
}

/* Adds a term where it belongs, or to its like. */
static bool add_term(tirbi_tc_sizes *z, tirbi_tc_form_term *terms, uint32_t *n, tirbi_tc_form_term term) {
    uint32_t at = 0;
    for (; at < *n; at++) {
        if (is_same_term(&terms[at], &term)) {
            terms[at].factor = tirbi_tc_add(z, terms[at].factor, term.factor);
            return terms[at].factor != NULL;
        }
        bool behind =
            term.kind == TIRBI_TC_FORM_INDEX && (terms[at].kind != TIRBI_TC_FORM_INDEX || terms[at].index > term.index);
        if (behind) break;
    }
    if (*n == MAX_FORM_TERMS) return false;
    for (uint32_t i = (*n)++; i > at; i--) terms[i] = terms[i - 1];
    terms[at] = term;
    return true;
}

const tirbi_tc_form *tirbi_tc_form_add(tirbi_tc_sizes *z, const tirbi_tc_form *a, const tirbi_tc_form *b,
                                       const tirbi_tc_sum *factor) {
    tirbi_tc_form_term terms[MAX_FORM_TERMS] = {{0}};
    uint32_t n = 0, kept = 0;
    if (!a || !b || !factor || !tirbi_arena_work(z->arena, a->n + b->n + 1)) return NULL;
    for (; n < a->n; n++) terms[n] = a->terms[n];
    for (uint32_t i = 0; i < b->n; i++) {
        tirbi_tc_form_term term = b->terms[i];
        term.factor = tirbi_tc_mul(z, term.factor, factor);
        if (!term.factor || !add_term(z, terms, &n, term)) return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_tc_is(terms[i].factor, 0)) terms[kept++] = terms[i];
    return make_form(z, tirbi_tc_add(z, a->constant, tirbi_tc_mul(z, b->constant, factor)), terms, kept);
}

const tirbi_tc_form *tirbi_tc_form_divide(tirbi_tc_sizes *z, tirbi_tc_form_kind kind, const tirbi_tc_form *a,
                                          const tirbi_tc_sum *divisor) {
    if (!a || !divisor) return NULL;
    if (a->n == 0)
        return tirbi_tc_form_constant(z, kind == TIRBI_TC_FORM_DIV ? tirbi_tc_floordiv(z, a->constant, divisor)
                                                                   : tirbi_tc_floormod(z, a->constant, divisor));
    if (divisor->n > 0 || divisor->constant < 1) return NULL;
    if (divisor->constant == 1 && kind == TIRBI_TC_FORM_DIV) return a;
    tirbi_tc_form_term term = {.kind = kind, .factor = tirbi_tc_constant(z, 1), .a = a, .divisor = divisor->constant};
    return term.factor ? make_form(z, tirbi_tc_constant(z, 0), &term, 1) : NULL;
}

const tirbi_tc_form *tirbi_tc_form_extreme(tirbi_tc_sizes *z, tirbi_tc_form_kind kind, const tirbi_tc_form *a,
                                           const tirbi_tc_form *b) {
    if (!a || !b) return NULL;
    if (a->n == 0 && b->n == 0)
        return tirbi_tc_form_constant(
            z, tirbi_tc_extreme(z, kind == TIRBI_TC_FORM_MIN ? TIRBI_TC_ATOM_MIN : TIRBI_TC_ATOM_MAX, a->constant,
                                b->constant));
    tirbi_tc_form_term term = {.kind = kind, .factor = tirbi_tc_constant(z, 1), .a = a, .b = b};
    return term.factor ? make_form(z, tirbi_tc_constant(z, 0), &term, 1) : NULL;
}

bool tirbi_tc_form_is_affine(const tirbi_tc_form *a) {
    return a->n == 0 || a->terms[a->n - 1].kind == TIRBI_TC_FORM_INDEX;
}

/* ---- Of expressions --------------------------------------------------------------------------------------------- */

static const tirbi_tc_form *form_of_name(const tirbi_tc_forms *f, const tirbi_tc_expr *e) {
    const tirbi_tc_symbol *symbol = e->symbol;
    switch (symbol->kind) {
    case TIRBI_TC_SIZE:
        return tirbi_tc_form_constant(f->sizes, f->scope->sizes[symbol->number]);
    case TIRBI_TC_TENSOR:
        return tirbi_tc_form_constant(f->sizes, f->scope->tensors[symbol->number]->value);
    case TIRBI_TC_LET:
        return tirbi_tc_form_of(f, symbol->value);
    default:
        for (uint32_t i = 0; f->stmt && i < f->stmt->n_indices; i++)
            if (f->stmt->indices[i] == symbol) return tirbi_tc_form_index(f->sizes, i);
        return NULL;
    }
}

static const tirbi_tc_form *form_of_product(const tirbi_tc_forms *f, const tirbi_tc_form *a, const tirbi_tc_form *b) {
    const tirbi_tc_form *zero = tirbi_tc_form_constant(f->sizes, tirbi_tc_constant(f->sizes, 0));
    if (!a || !b || (a->n > 0 && b->n > 0)) return NULL;
    return b->n == 0 ? tirbi_tc_form_add(f->sizes, zero, a, b->constant)
                     : tirbi_tc_form_add(f->sizes, zero, b, a->constant);
}

static const tirbi_tc_form *form_of_operator(const tirbi_tc_forms *f, const tirbi_tc_expr *e) {
    tirbi_tc_sizes *z = f->sizes;
    const tirbi_tc_form *a = tirbi_tc_form_of(f, e->args[0]);
    const tirbi_tc_form *b = a ? tirbi_tc_form_of(f, e->args[1]) : NULL;
    if (!b) return NULL;
    switch (e->kind) {
    case TIRBI_TC_ADD:
        return tirbi_tc_form_add(z, a, b, tirbi_tc_constant(z, 1));
    case TIRBI_TC_SUB:
        return tirbi_tc_form_add(z, a, b, tirbi_tc_constant(z, -1));
    case TIRBI_TC_MUL:
        return form_of_product(f, a, b);
    case TIRBI_TC_DIV:
    case TIRBI_TC_MOD:
        if (b->n > 0) return NULL;
        return tirbi_tc_form_divide(z, e->kind == TIRBI_TC_DIV ? TIRBI_TC_FORM_DIV : TIRBI_TC_FORM_MOD, a, b->constant);
    default:
        return tirbi_tc_form_extreme(z, e->kind == TIRBI_TC_MIN ? TIRBI_TC_FORM_MIN : TIRBI_TC_FORM_MAX, a, b);
    }
}

/* Arithmetic of fewer bits, or without signs, wraps; the values of such inputs are what they are. */
static bool is_exact(const tirbi_tc_expr *e) {
    bool is_leaf = e->kind == TIRBI_TC_NAME || e->kind == TIRBI_TC_READ || e->kind == TIRBI_TC_INT;
    return e->dtype.code == TIRB_CODE_INT ? is_leaf || e->dtype.bits >= 32
                                          : is_leaf && e->dtype.code == TIRB_CODE_UINT && e->dtype.bits < 64;
}

const tirbi_tc_form *tirbi_tc_form_of(const tirbi_tc_forms *f, const tirbi_tc_expr *e) {
    tirbi_tc_sizes *z = f->sizes;
    if (!is_exact(e) || z->failure || !tirbi_arena_work(z->arena, 1)) return NULL;
    switch (e->kind) {
    case TIRBI_TC_INT:
        return tirbi_tc_form_constant(z, tirbi_tc_constant(z, e->int_value));
    case TIRBI_TC_NAME:
        return form_of_name(f, e);
    case TIRBI_TC_READ:
        return e->n_args == 0 ? form_of_name(f, e) : NULL;
    case TIRBI_TC_DIM:
        return tirbi_tc_form_constant(z, f->scope->tensors[e->symbol->number]->extent[e->int_value]);
    case TIRBI_TC_CAST:
        return tirbi_tc_form_of(f, e->args[0]);
    case TIRBI_TC_NEG: {
        const tirbi_tc_form *zero = tirbi_tc_form_constant(z, tirbi_tc_constant(z, 0));
        return tirbi_tc_form_add(z, zero, tirbi_tc_form_of(f, e->args[0]), tirbi_tc_constant(z, -1));
    }
    case TIRBI_TC_ADD:
    case TIRBI_TC_SUB:
    case TIRBI_TC_MUL:
    case TIRBI_TC_DIV:
    case TIRBI_TC_MOD:
    case TIRBI_TC_MIN:
    case TIRBI_TC_MAX:
        return form_of_operator(f, e);
    default:
        return NULL;
    }
}

const tirbi_tc_sum *tirbi_tc_sum_of(const tirbi_tc_forms *f, const tirbi_tc_expr *e) {
    const tirbi_tc_form *form = tirbi_tc_form_of(f, e);
    return form && form->n == 0 ? form->constant : NULL;
}
