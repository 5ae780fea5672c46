/* What Python computes while TVM's parser runs: comprehensions. */
#include <string.h>

#include "compiler/text/script/script.h"

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
        !constant(loop->as.for_.extent, &extent) || (loop->as.for_.step && !constant(loop->as.for_.step, &step)) ||
        step == 0) {
        tirbi_fail(s, TIRB_TYPE, node->span, "a range of Python numbers has constant bounds and a constant step");
        return false;
    }
    bool runs = step > 0 ? extent > 0 : extent < 0;
    int64_t n = runs ? (step > 0 ? extent - 1 : extent + 1) / step + 1 : 0;
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

void tirbi_fail_buffer_loop(tirbi_script *s, const tirbi_node *node, const tirb_buffer *buffer) {
    tirbi_fail(s, TIRB_TYPE, node->span,
               "nothing goes over the elements of a buffer; write `for i in range(%s.shape[0]):` and `%s[i]`",
               buffer->name, buffer->name);
}

bool tirbi_to_items(tirbi_script *s, const tirbi_node *node, const tirbi_value *v, tirbi_value *out) {
    v = plain(v);
    if (v->kind == TIRBI_VALUE_TUPLE) {
        *out = *v;
        return true;
    }
    if (v->kind == TIRBI_VALUE_FORM) return numbers_of(s, node, v->as.form, out);
    if (v->kind == TIRBI_VALUE_BUFFER) tirbi_fail_buffer_loop(s, node, v->as.buffer);
    else if (!tirbi_is_error(v))
        tirbi_fail(s, TIRB_TYPE, node->span, "%s has no items that are known while the text is read",
                   tirbi_value_text(v));
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
            tirbi_fail(s, TIRB_TYPE, clause->items[i]->span,
                       "the condition of a comprehension must be known while the text is read");
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
        bool good = bind_target(s, clause->items[0], &all.as.sequence.items[i]) &&
                    conditions_hold(s, clause, &wanted) && (!wanted || run_clauses(c, at + 1));
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
