/* What rules of operators have to do with: what is given to texts, what is asked of operands, tensors on the way. */
#include "compiler/relax/lower/legal.h"

#include <string.h>

/* ---- What is given ---------------------------------------------------------------------------------------------- */

const char *tirbi_legal_text_of(tirbi_legal *g, const char *name, size_t size) {
    return tirbi_arena_format(g->l->arena, "%.*s", (int)size, name);
}

static tirbi_relax_given *give(tirbi_legal *g, const char *name, tirbi_relax_given_kind kind) {
    tirbi_relax_given *items = g->given.items;
    for (uint32_t i = 0; i < g->given.n; i++)
        if (strcmp(items[i].name, name) == 0) {
            items[i].kind = kind;
            return &items[i];
        }
    tirbi_relax_given *added = TIRBI_LIST_ADD(g->l->arena, &g->given, tirbi_relax_given);
    if (added) *added = (tirbi_relax_given){.name = name, .kind = kind};
    return added;
}

bool tirbi_legal_give_integer(tirbi_legal *g, const char *name, int64_t value) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_INTEGER);
    if (it) it->as.integer = value;
    return it != NULL;
}

bool tirbi_legal_give_real(tirbi_legal *g, const char *name, double value) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_REAL);
    if (it) it->as.real = value;
    return it != NULL;
}

bool tirbi_legal_give_type(tirbi_legal *g, const char *name, tirb_datatype type) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_TYPE);
    if (it) it->as.type = type;
    return it != NULL;
}

bool tirbi_legal_give_list(tirbi_legal *g, const char *name, const int64_t *items, uint32_t n) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_LIST);
    int64_t *copy = TIRBI_NEW_ARRAY(g->l->arena, int64_t, n);
    if (!it || !copy) return false;
    if (n) memcpy(copy, items, n * sizeof *copy);
    it->as.list.items = copy;
    it->as.list.n = n;
    return true;
}

bool tirbi_legal_give_sizes(tirbi_legal *g, const char *name, const tirb_expr *const *items, uint32_t n) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_SIZES);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!it || !copy) return false;
    if (n) memcpy(copy, items, n * sizeof *copy);
    it->as.sizes.items = copy;
    it->as.sizes.n = n;
    return true;
}

bool tirbi_legal_give_size(tirbi_legal *g, const char *name, const tirb_expr *size) {
    return tirbi_legal_give_sizes(g, name, &size, 1) && give(g, name, TIRBI_RELAX_GIVEN_SIZE);
}

bool tirbi_legal_give_number(tirbi_legal *g, const char *name, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_INT_IMM) return tirbi_legal_give_integer(g, name, e->as.int_value);
    const bool is_single = tirb_datatype_equal(e->dtype, tirbi_type_f32);
    if (e->kind == TIRB_EXPR_FLOAT_IMM)
        return tirbi_legal_give_real(g, name, is_single ? (double)(float)e->as.float_value : e->as.float_value);
    tirbi_legal_computed *added = TIRBI_LIST_ADD(g->l->arena, &g->computed, tirbi_legal_computed);
    const tirbi_relax_held *value = added ? tirbi_legal_scalar(g, e) : NULL;
    if (value) *added = (tirbi_legal_computed){name, value};
    return value != NULL;
}

bool tirbi_legal_give_attr(tirbi_legal *g, const char *name, const tirb_relax_attr *a) {
    tirbi_relax_given *it;
    int64_t items[TIRBI_LEGAL_RANK];
    switch (a->kind) {
    case TIRB_RELAX_ATTR_BOOL:
        return tirbi_legal_give_integer(g, name, a->as.boolean);
    case TIRB_RELAX_ATTR_INT:
        return tirbi_legal_give_integer(g, name, a->as.integer);
    case TIRB_RELAX_ATTR_FLOAT:
        return tirbi_legal_give_real(g, name, a->as.real);
    case TIRB_RELAX_ATTR_EXPR:
        return tirbi_legal_give_number(g, name, a->as.expr);
    case TIRB_RELAX_ATTR_DTYPE:
        return tirbi_legal_give_type(g, name, a->as.dtype);
    case TIRB_RELAX_ATTR_NONE:
    case TIRB_RELAX_ATTR_STRING:
        it = give(g, name, TIRBI_RELAX_GIVEN_TEXT);
        if (it) it->as.text = a->kind == TIRB_RELAX_ATTR_STRING ? a->as.text : "none";
        return it != NULL;
    case TIRB_RELAX_ATTR_LIST:
        for (uint32_t i = 0; i < a->as.list.n; i++) {
            if (i >= TIRBI_LEGAL_RANK || a->as.list.items[i].kind != TIRB_RELAX_ATTR_INT) return true;
            items[i] = a->as.list.items[i].as.integer;
        }
        return tirbi_legal_give_list(g, name, items, a->as.list.n);
    default:
        return true;
    }
}

bool tirbi_legal_give_text(tirbi_legal *g, const char *name, const char *text) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_TEXT);
    if (it) it->as.text = text;
    return it != NULL;
}

/* ---- What rules ask --------------------------------------------------------------------------------------------- */

bool tirbi_legal_refuse(tirbi_legal *g, const char *what) {
    return tirbi_relax_refuse_here(g->l, g->span, "R.%s is not lowered yet %s", g->call->as.call.op->name, what);
}

/* The integers of a list, negative ones counted from `rank`. */
uint32_t tirbi_legal_axes_of(const tirb_relax_attr *a, uint32_t rank, int64_t out[TIRBI_LEGAL_RANK]) {
    uint32_t n = 0;
    if (a->kind == TIRB_RELAX_ATTR_INT) out[n++] = a->as.integer < 0 ? a->as.integer + rank : a->as.integer;
    for (uint32_t i = 0; a->kind == TIRB_RELAX_ATTR_LIST && i < a->as.list.n && n < TIRBI_LEGAL_RANK; i++) {
        const int64_t v = a->as.list.items[i].as.integer;
        out[n++] = v < 0 ? v + rank : v;
    }
    for (uint32_t i = 0; a->kind == TIRB_RELAX_ATTR_NONE && i < rank && i < TIRBI_LEGAL_RANK; i++) out[n++] = i;
    return n;
}

static bool has(const int64_t *items, uint32_t n, int64_t value) {
    for (uint32_t i = 0; i < n; i++)
        if (items[i] == value) return true;
    return false;
}

/* The tensor with another shape of as many elements. */
const tirbi_relax_held *tirbi_legal_reshaped(tirbi_legal *g, const tirbi_relax_held *h, const tirb_expr *const *shape,
                                             uint32_t n) {
    tirbi_relax_held *view = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TENSOR);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!view || !copy) return NULL;
    if (n) memcpy(copy, shape, n * sizeof *copy);
    view->buffer = tirbi_relax_view(g->l, g->span, h->buffer, h->buffer->dtype, copy, n);
    return view->buffer ? view : NULL;
}

const tirb_expr *tirbi_legal_number(tirbi_legal *g, int64_t value) {
    return tirbi_make_int(&g->l->b, g->span, tirbi_type_i64, value);
}

const tirb_expr *tirbi_legal_count_of(tirbi_legal *g, const tirb_buffer *b) {
    const tirb_expr *n = tirbi_legal_number(g, 1);
    for (uint32_t i = 0; i < b->ndim; i++) n = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_MUL, n, b->shape[i]);
    return n;
}

/* Input `i` as a row, for what has no axis. */
bool tirbi_legal_flatten_input(tirbi_legal *g, uint32_t i) {
    const tirb_expr *n = tirbi_legal_count_of(g, tirbi_legal_tensor(g, i));
    g->inputs[i] = n ? tirbi_legal_reshaped(g, g->inputs[i], &n, 1) : NULL;
    return g->inputs[i] && tirbi_legal_give_integer(g, "axis", 0);
}

/* `kept` and `reduced`: which dimensions of the operand the result has. */
bool tirbi_legal_give_reduced(tirbi_legal *g, const int64_t *axes, uint32_t n_axes, uint32_t rank, bool keepdims) {
    int64_t kept[TIRBI_LEGAL_RANK], reduced[TIRBI_LEGAL_RANK];
    uint32_t n_kept = 0, n_reduced = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const bool is_reduced = has(axes, n_axes, i);
        if (is_reduced) reduced[n_reduced++] = i;
        if (!is_reduced || keepdims) kept[n_kept++] = is_reduced ? -1 : (int64_t)i;
    }
    return tirbi_legal_give_list(g, "kept", kept, n_kept) && tirbi_legal_give_list(g, "reduced", reduced, n_reduced);
}

/* A number that the text has for an operand: what is no size of a tensor is none of its function's. */
const tirbi_relax_held *tirbi_legal_scalar(tirbi_legal *g, const tirb_expr *value) {
    tirbi_relax_held *h = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
    if (h) h->scalar = value;
    return h;
}

/* A tensor that the operator needs on its way. */
const tirbi_relax_held *tirbi_legal_scratch(tirbi_legal *g, tirb_datatype dtype, const tirb_expr *const *shape,
                                            uint32_t n) {
    tirb_relax_type *t = TIRBI_NEW(g->l->arena, tirb_relax_type);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!t || !copy) return NULL;
    if (n) memcpy(copy, shape, n * sizeof *copy);
    *t = (tirb_relax_type){
        .kind = TIRB_RELAX_TYPE_TENSOR, .dtype = dtype, .has_shape = true, .ndim = (int32_t)n, .shape = copy};
    return tirbi_relax_make_room(g->l, g->span, t, NULL);
}
