/* What Python computes while TVM's parser runs: comprehensions, and the texts of f-strings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/text/decimal.h"
#include "compiler/text/script.h"

enum { MAX_ITEMS = 100000 };

static const tirbi_value *plain(const tirbi_value *v) {
    while (v->kind == TIRBI_VALUE_META) v = v->as.meta;
    return v;
}

/* ---- What can be iterated over ---------------------------------------------------------------------------------- */

static bool constant(const tirb_expr *e, int64_t *out) {
    if (!e || e->kind != TIRB_EXPR_INT_IMM) return false;
    *out = e->as.int_value;
    return true;
}

/* The numbers of range(...), which is a loop where a statement enters it. */
static bool numbers_of(tirbi_script *s, const tirbi_node *node, const tirbi_form *form, tirbi_value *out) {
    int64_t min, extent, step = 1;
    const tirb_stmt *loop = form->kind == TIRBI_FORM_LOOPS && form->n_stmts == 1 ? form->stmts[0] : NULL;
    if (!loop || loop->as.for_.kind != TIRB_FOR_SERIAL || !constant(loop->as.for_.min, &min) ||
        !constant(loop->as.for_.extent, &extent) || (loop->as.for_.step && !constant(loop->as.for_.step, &step)) || step < 1) {
        tirbi_fail(s, TIRB_TYPE, node->span, "a range of Python numbers has constant bounds and a positive step");
        return false;
    }
    int64_t n = extent > 0 ? (extent - 1) / step + 1 : 0;
    if (n > MAX_ITEMS) {
        tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "this has more than %d items", MAX_ITEMS);
        return false;
    }
    *out = (tirbi_value){.kind = TIRBI_VALUE_TUPLE, .node = node};
    out->as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, (size_t)n);
    if (!out->as.sequence.items) return false;
    out->as.sequence.n = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) {
        out->as.sequence.items[i] = tirbi_value_int(min + i * step);
        out->as.sequence.items[i].node = node;
    }
    return true;
}

bool tirbi_to_items(tirbi_script *s, const tirbi_node *node, const tirbi_value *v, tirbi_value *out) {
    v = plain(v);
    if (v->kind == TIRBI_VALUE_TUPLE) {
        *out = *v;
        return true;
    }
    if (v->kind == TIRBI_VALUE_FORM) return numbers_of(s, node, v->as.form, out);
    if (!tirbi_is_error(v))
        tirbi_fail(s, TIRB_TYPE, node->span, "%s has no items that are known while the text is read", tirbi_value_text(v));
    return false;
}

/* ---- Comprehensions --------------------------------------------------------------------------------------------- */

typedef struct comprehension {
    tirbi_script *s;
    const tirbi_node *node;
    tirbi_list items; /* of tirbi_value */
    uint32_t n_steps;
} comprehension;

static bool bind_target(tirbi_script *s, const tirbi_node *target, const tirbi_value *v) {
    if (target->kind == TIRBI_NODE_NAME) return tirbi_bind(s, target->name, target->span, *v);
    v = plain(v);
    bool tuple = target->kind == TIRBI_NODE_TUPLE || target->kind == TIRBI_NODE_LIST;
    if (!tuple || v->kind != TIRBI_VALUE_TUPLE || v->as.sequence.n != target->n_items) {
        tirbi_fail(s, TIRB_TYPE, target->span, "this name or these names cannot take %s", tirbi_value_text(v));
        return false;
    }
    for (uint32_t i = 0; i < target->n_items; i++)
        if (!bind_target(s, target->items[i], &v->as.sequence.items[i])) return false;
    return true;
}

/* Whether the conditions of a clause hold, which must be known. */
static bool conditions_hold(tirbi_script *s, const tirbi_node *clause, bool *out) {
    *out = true;
    for (uint32_t i = 2; i < clause->n_items && *out; i++) {
        tirbi_value v = tirbi_evaluate(s, clause->items[i]);
        const tirbi_value *known = plain(&v);
        if (tirbi_is_error(known)) return false;
        if (!tirbi_is_number(known)) {
            tirbi_fail(s, TIRB_TYPE, clause->items[i]->span, "the condition of a comprehension must be known while the text is read");
            return false;
        }
        *out = known->kind == TIRBI_VALUE_FLOAT ? known->as.real != 0
               : known->kind == TIRBI_VALUE_BOOL ? known->as.boolean : known->as.integer != 0;
    }
    return true;
}

static bool add_element(comprehension *c) {
    uint32_t n = c->node->name ? 2 : 1; /* of a dictionary: key and value */
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_node *element = n == 2 ? c->node->items[0]->items[i] : c->node->items[0];
        tirbi_value v = tirbi_evaluate(c->s, element);
        tirbi_value *slot = tirbi_is_error(&v) ? NULL : TIRBI_LIST_ADD(c->s->arena, &c->items, tirbi_value);
        if (!slot) return false;
        *slot = v;
        slot->node = element;
    }
    return true;
}

static bool run_clauses(comprehension *c, uint32_t at) {
    tirbi_script *s = c->s;
    if (at == c->node->n_items) return add_element(c);
    const tirbi_node *clause = c->node->items[at];
    tirbi_value v = tirbi_evaluate(s, clause->items[1]), all;
    if (!tirbi_to_items(s, clause->items[1], &v, &all)) return false;
    for (uint32_t i = 0; i < all.as.sequence.n; i++) {
        bool wanted;
        if (++c->n_steps > MAX_ITEMS) {
            tirbi_fail(s, TIRB_UNSUPPORTED, c->node->span, "this comprehension has more than %d steps", MAX_ITEMS);
            return false;
        }
        uint32_t mark = tirbi_open_level(s);
        bool good = bind_target(s, clause->items[0], &all.as.sequence.items[i]) && conditions_hold(s, clause, &wanted) &&
                    (!wanted || run_clauses(c, at + 1));
        tirbi_close_level(s, mark);
        if (!good) return false;
    }
    return true;
}

tirbi_value tirbi_evaluate_comprehension(tirbi_script *s, const tirbi_node *node) {
    comprehension c = {.s = s, .node = node};
    if (!run_clauses(&c, 1)) return tirbi_value_error();
    tirbi_value v = {.kind = node->name ? TIRBI_VALUE_DICT : TIRBI_VALUE_TUPLE};
    v.as.sequence.items = c.items.items;
    v.as.sequence.n = c.items.n;
    return v;
}

/* ---- f-strings -------------------------------------------------------------------------------------------------- */

/* printf's text with a point, whatever the locale says. */
static void print_float(char *text, size_t size, bool exponent, int digits, double value) {
    if (exponent) snprintf(text, size, "%.*e", digits, value);
    else snprintf(text, size, "%.*f", digits, value);
    for (char *c = text; *c; c++)
        if (!strchr("0123456789+-e", *c)) *c = '.';
}

/* A float as Python's str() has it: the fewest digits that read back, with a point or an exponent. */
static const char *float_text(tirbi_script *s, double value) {
    char text[40];
    if (isnan(value)) return "nan";
    if (isinf(value)) return value > 0 ? "inf" : "-inf";
    int digits = 1;
    do {
        print_float(text, sizeof text, true, digits - 1, fabs(value));
    } while (tirbi_decimal_to_double(text, strlen(text)) != fabs(value) && ++digits < 18);
    int exponent = atoi(strchr(text, 'e') + 1);
    bool wide = exponent < -4 || exponent >= 16;
    if (!wide) print_float(text, sizeof text, false, digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, fabs(value));
    return tirbi_arena_format(s->arena, "%s%s", signbit(value) ? "-" : "", text);
}

static const char *text_of(tirbi_script *s, const tirbi_node *node, const tirbi_value *v) {
    v = plain(v);
    switch (v->kind) {
    case TIRBI_VALUE_STRING: return v->as.string.text;
    case TIRBI_VALUE_INT:
        return tirbi_arena_format(s->arena, v->big ? "%llu" : "%lld", (unsigned long long)v->as.integer);
    case TIRBI_VALUE_BOOL: return v->as.boolean ? "True" : "False";
    case TIRBI_VALUE_NONE: return "None";
    case TIRBI_VALUE_FLOAT: return float_text(s, v->as.real);
    case TIRBI_VALUE_EXPR:
        if (v->as.expr->kind == TIRB_EXPR_VAR) return v->as.expr->as.var.name;
        if (v->as.expr->kind == TIRB_EXPR_INT_IMM)
            return tirbi_arena_format(s->arena, "%lld", (long long)v->as.expr->as.int_value);
        break;
    case TIRBI_VALUE_ERROR: return NULL;
    default: break;
    }
    tirbi_fail(s, TIRB_TYPE, node->span, "the text of %s is not known while the text is read", tirbi_value_text(v));
    return NULL;
}

tirbi_value tirbi_evaluate_format(tirbi_script *s, const tirbi_node *node) {
    const char *whole = "";
    for (uint32_t i = 0; i < node->n_items; i++) {
        tirbi_value v = tirbi_evaluate(s, node->items[i]);
        const char *part = text_of(s, node->items[i], &v);
        whole = part ? tirbi_arena_format(s->arena, "%s%s", whole, part) : NULL;
        if (!whole) return tirbi_value_error();
    }
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = whole;
    v.as.string.size = (uint32_t)strlen(whole);
    return v;
}
