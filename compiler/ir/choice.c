/* The smaller and the larger of two sums, as TVM's simplifier writes them. What it would write in a way that is not
 * known here is refused, so that what is written is never anything else. */
#include "compiler/ir/choice.h"

#include "compiler/ir/equal.h"
#include "compiler/ir/fold.h"

static uint32_t count_terms(const tirbi_linear *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) n += l->factors[i] != 0;
    return n;
}

/* The one term of a sum of one, or NULL. */
static const tirb_expr *only_term(const tirbi_linear *l, int64_t *factor) {
    if (count_terms(l) != 1) return NULL;
    uint32_t i = 0;
    while (l->factors[i] == 0) i++;
    *factor = l->factors[i];
    return l->terms[i];
}

/* The choice that a sum is and nothing else, or NULL. */
static const tirb_expr *as_choice(const tirbi_linear *l) {
    int64_t factor;
    const tirb_expr *e = l->constant == 0 ? only_term(l, &factor) : NULL;
    return e && factor == 1 && (e->kind == TIRB_EXPR_MIN || e->kind == TIRB_EXPR_MAX) ? e : NULL;
}

static bool has_choice(const tirbi_linear *l) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->factors[i] != 0 && (l->terms[i]->kind == TIRB_EXPR_MIN || l->terms[i]->kind == TIRB_EXPR_MAX))
            return true;
    return false;
}

/* Whether two sums have a term in common, which TVM takes out of the choice. */
static bool share_terms(const tirbi_linear *a, const tirbi_linear *b) {
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++)
            if (a->factors[i] != 0 && a->factors[i] == b->factors[j] && tirbi_expr_equal(a->terms[i], b->terms[j]))
                return true;
    return false;
}

static bool compare(const tirbi_linear *a, const tirbi_linear *b, int64_t *difference) {
    tirbi_linear d = {.n = 0};
    tirbi_linear_add_scaled(&d, a, 1);
    tirbi_linear_add_scaled(&d, b, -1);
    *difference = d.constant;
    return count_terms(&d) == 0 && !d.overflow && tirbi_is_moderate(d.constant);
}

/* Whether a choice among choices is on its constants' side of `limit`, whatever its other parts are. */
static bool is_beyond(const tirb_expr *e, tirb_expr_kind kind, int64_t limit) {
    for (; e->kind == kind; e = e->as.binary.a) {
        const tirb_expr *parts[] = {e->as.binary.a, e->as.binary.b};
        for (int i = 0; i < 2; i++) {
            if (parts[i]->kind != TIRB_EXPR_INT_IMM) continue;
            if (kind == TIRB_EXPR_MIN ? parts[i]->as.int_value <= limit : parts[i]->as.int_value >= limit) return true;
        }
    }
    return false;
}

static tirbi_linear sum_of(const tirb_expr *e, int64_t factor, int64_t constant) {
    tirbi_linear l = {.constant = constant};
    tirbi_linear_add(&l, e, factor);
    return l;
}

/* A sum beside a choice that has it already: *settled with the choice. False where it has the sum plus a number. */
static bool join_part(tirb_expr_kind kind, const tirb_expr *choice, const tirbi_linear *y, tirbi_linear *out,
                      bool *settled) {
    for (const tirb_expr *e = choice; e->kind == kind; e = e->as.binary.a) {
        const tirb_expr *parts[] = {e->as.binary.a, e->as.binary.b};
        for (int i = 0; i < 2; i++) {
            int64_t distance;
            tirbi_linear part = sum_of(parts[i], 1, 0);
            if (parts[i]->kind == kind || parts[i]->kind == TIRB_EXPR_INT_IMM || !compare(&part, y, &distance))
                continue;
            *settled = distance == 0 && e == choice;
            *out = sum_of(choice, 1, 0);
            return *settled;
        }
    }
    return true;
}

/* Whether a sum is (x + 1) * factor or (x - 1) * factor, which TVM makes of it. */
static bool is_product(const tirbi_linear *l) {
    int64_t factor = 0;
    return only_term(l, &factor) && factor > 1 && (l->constant == factor || l->constant == -factor);
}

/* x * factor + constant beside a number; *settled where it is anything else than the choice of the two. */
static bool join_number(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_expr_kind kind,
                        const tirbi_linear *x, int64_t number, tirbi_linear *out, bool *settled) {
    int64_t factor;
    const tirb_expr *term = only_term(x, &factor);
    tirb_expr_kind other = kind == TIRB_EXPR_MIN ? TIRB_EXPR_MAX : TIRB_EXPR_MIN;
    if (!term) return true;
    if (x->constant == 0 && factor > 1 && number % factor == 0) {
        *out = sum_of(tirbi_make_raw_binary(b, span, kind, term, tirbi_make_int(b, span, type, number / factor)),
                      factor, 0);
        return *settled = true;
    }
    if ((x->constant == 0 && factor < 0) || (is_product(x) && number % factor == 0)) return false;
    if (x->constant > 0 && factor < 0 && number != 0) {
        if (factor != -1) return false;
        *out = sum_of(tirbi_make_raw_binary(b, span, other, term, tirbi_make_int(b, span, type, x->constant - number)),
                      -1, x->constant);
        return *settled = true;
    }
    return true;
}

static bool leads_with_number(const tirbi_linear *l) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->factors[i] > 0) return false;
    return true;
}

/* Numbers stand last in a choice, one of them alone: the choice of what else there is, and then the number. */
static bool choose_number_last(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirb_expr *choice,
                               const tirbi_linear *y, tirbi_linear *out) {
    tirb_expr_kind kind = choice->kind;
    tirbi_linear rest = sum_of(choice->as.binary.a, 1, 0), number = sum_of(choice->as.binary.b, 1, 0), both;
    if (count_terms(y) == 0)
        return tirbi_linear_choose(b, span, type, kind, &number, y, &both) &&
               tirbi_linear_choose(b, span, type, kind, &rest, &both, out);
    return tirbi_linear_choose(b, span, type, kind, &rest, y, &both) &&
           tirbi_linear_choose(b, span, type, kind, &both, &number, out);
}

static bool choose_less_constant(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_expr_kind kind,
                                 const tirbi_linear *x, const tirbi_linear *y, tirbi_linear *out) {
    tirbi_linear left = *x, right = *y;
    if (leads_with_number(x) || leads_with_number(y)) return false;
    left.constant = right.constant = 0;
    if (!tirbi_linear_choose(b, span, type, kind, &left, &right, out)) return false;
    out->constant += x->constant;
    return true;
}

bool tirbi_linear_choose(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_expr_kind kind,
                         const tirbi_linear *x, const tirbi_linear *y, tirbi_linear *out) {
    int64_t distance, left = 0, right = 0;
    bool settled = false, least = kind == TIRB_EXPR_MIN;
    if (compare(x, y, &distance)) {
        *out = (distance <= 0) == least || distance == 0 ? *x : *y;
        return true;
    }
    const tirb_expr *choice = as_choice(x), *a = tirbi_linear_canonical(b, span, type, x),
                    *c = tirbi_linear_canonical(b, span, type, y);
    if (!a || !c || a->depth > TIRBI_MAX_TERMS || has_choice(y) || (choice && choice->kind != kind) ||
        share_terms(x, y))
        return false;
    if (x->constant != 0 && x->constant == y->constant && count_terms(x) && count_terms(y))
        return choose_less_constant(b, span, type, kind, x, y, out);
    if (choice && !join_part(kind, choice, y, out, &settled)) return false;
    if (choice && !settled && c->kind == TIRB_EXPR_INT_IMM && is_beyond(choice, kind, c->as.int_value)) {
        *out = *x;
        settled = true;
    }
    if (settled) return true;
    if (!choice && has_choice(x) && count_terms(y) == 0) return false;
    if (choice && choice->as.binary.b->kind == TIRB_EXPR_INT_IMM)
        return choose_number_last(b, span, type, choice, y, out);
    const tirb_expr *p = only_term(x, &left), *q = only_term(y, &right);
    bool whole = (x->constant == 0 || is_product(x)) && (y->constant == 0 || is_product(y));
    if (p && q && whole && left == right && left != 1) return false;
    if (!choice && c->kind == TIRB_EXPR_INT_IMM && !join_number(b, span, type, kind, x, c->as.int_value, out, &settled))
        return false;
    if (!settled) *out = sum_of(tirbi_make_raw_binary(b, span, kind, a, c), 1, 0);
    return true;
}

/* Whether a part of a choice has the constant `constant`. */
static bool part_has(const tirb_expr *choice, int64_t constant) {
    tirbi_linear x = sum_of(choice->as.binary.a, 1, 0), y = sum_of(choice->as.binary.b, 1, 0);
    return (count_terms(&x) && x.constant == constant) || (count_terms(&y) && y.constant == constant);
}

/* Whether a choice in `l` has a term of the plain sum in one of its parts, which TVM moves the sum into. */
static bool chooses_terms_of(const tirbi_linear *l, const tirbi_linear *plain) {
    for (uint32_t i = 0; i < l->n; i++) {
        const tirb_expr *e = l->factors[i] != 0 ? l->terms[i] : NULL;
        for (; e && (e->kind == TIRB_EXPR_MIN || e->kind == TIRB_EXPR_MAX); e = e->as.binary.a) {
            tirbi_linear x = sum_of(e->as.binary.a, 1, 0), y = sum_of(e->as.binary.b, 1, 0);
            if (share_terms(plain, &x) || share_terms(plain, &y)) return true;
        }
    }
    return false;
}

bool tirbi_linear_length(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirbi_linear *min,
                         const tirbi_linear *max, tirbi_linear *out) {
    const tirb_expr *choice = as_choice(max);
    bool open = count_terms(min) != 0;
    if (!tirbi_is_moderate(min->constant)) return false;
    int64_t more = open ? 1 : 1 - min->constant;
    *out = *max;
    if (choice && more != 0 && part_has(choice, -more)) {
        tirbi_linear x = sum_of(choice->as.binary.a, 1, more), y = sum_of(choice->as.binary.b, 1, more);
        if (has_choice(&x) || !tirbi_linear_choose(b, span, type, choice->kind, &x, &y, out)) return false;
    } else {
        out->constant += more;
    }
    if (!open) return true;
    if (!has_choice(max) && chooses_terms_of(min, max)) return false;
    tirbi_linear_add_scaled(out, min, -1);
    return true;
}
