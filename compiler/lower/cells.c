/* Calls of the host's functions as compilers leave them: the program writes each argument into a cell of a stack, its
 * type beside its value, and the call names the cells. An import's types are part of the bundle, so what stands in the
 * cells must be known here: types are the constants that were written last on every way to the call, values are read
 * from the stack when it happens. TVM 0.27 has one stack of values with type indices; before it there were two, of
 * values and of codes. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

enum { MAX_LOOKBACK = 4096 }; /* cells that are looked at before one counts as unknown */
enum {
    FIELD_DATA = 1,
    FIELD_SHAPE = 2,
    FIELD_STRIDES = 3,
    FIELD_NDIM = 4,
    FIELD_CODE = 5,
    FIELD_BITS = 6,
    FIELD_LANES = 7,
    FIELD_OFFSET = 8
};
enum { FIELD_VALUE = 12, FIELD_ANY_TYPE = 13, FIELD_ANY_VALUE = 15, FIELD_TYPE_CODE = 100 };
enum { ALL = -1 }; /* every cell of a stack */

typedef enum argument_kind { KIND_NULL, KIND_INT, KIND_FLOAT, KIND_POINTER, KIND_TENSOR, KIND_UNKNOWN } argument_kind;

static bool is_builtin(const tirb_expr *e, tirb_builtin builtin) {
    return e && e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
           e->as.call.builtin == builtin;
}

/* ---- What is known of the cells --------------------------------------------------------------------------------- */

static void put_cell(tirbi_lowerer *l, tirbi_cell what) {
    tirbi_cell *cell = TIRBI_NEW(l->arena, tirbi_cell);
    if (!cell) return;
    what.next = l->cells;
    *cell = what;
    l->cells = cell;
}

static void add_cell(tirbi_lowerer *l, const tirb_expr *stack, int64_t index, int64_t field, const tirb_expr *value) {
    put_cell(l, (tirbi_cell){.stack = stack, .index = index, .field = field, .value = value});
}

/* NULL where the value is not known. */
static const tirbi_cell *known_cell(const tirbi_cell *cells, const tirb_expr *stack, int64_t index, int64_t field) {
    int seen = 0;
    for (const tirbi_cell *c = cells; c && seen < MAX_LOOKBACK; c = c->next, seen++) {
        if (c->stack == stack && ((c->index == index && c->field == field) || c->index == ALL))
            return c->value ? c : NULL;
    }
    return NULL;
}

static const tirb_expr *find_cell(const tirbi_cell *cells, const tirb_expr *stack, int64_t index, int64_t field) {
    const tirbi_cell *cell = known_cell(cells, stack, index, field);
    return cell ? cell->value : NULL;
}

static bool is_stack(const tirbi_lowerer *l, const tirb_expr *e) {
    const tirbi_pointer *p =
        e->kind == TIRB_EXPR_VAR && e->as.var.id < l->n_vars ? l->bindings[e->as.var.id].pointer : NULL;
    return p && p->stack != TIRBI_STACK_NONE;
}

void tirbi_know_cell(tirbi_lowerer *l, const tirb_expr *stack, const tirb_expr *index, int64_t field,
                     const tirb_expr *value) {
    if (!is_stack(l, stack)) return;
    if (index->kind == TIRB_EXPR_INT_IMM && index->as.int_value >= 0)
        add_cell(l, stack, index->as.int_value, field, value);
    else add_cell(l, stack, ALL, field, NULL);
}

void tirbi_know_code(tirbi_lowerer *l, const tirb_stmt *store) {
    const tirb_buffer *buffer = store->as.store.buffer;
    if (store->as.store.n_indices == 1)
        tirbi_know_cell(l, buffer->data, store->as.store.indices[0], FIELD_TYPE_CODE, store->as.store.value);
}

typedef struct write_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_lowerer *l;
} write_search;

static void forget_in_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    tirbi_lowerer *l = ((write_search *)visitor)->l;
    if (is_builtin(e, TIRB_BUILTIN_TVM_STRUCT_SET) && e->as.call.n_args == 4 && is_stack(l, e->as.call.args[0])) {
        add_cell(l, e->as.call.args[0], ALL, 0, NULL);
    }
    tirbi_visit_expr(visitor, e);
}

static void forget_in_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_STORE) {
        tirb_stmt unknown = *s;
        unknown.as.store.value = NULL;
        tirbi_know_code(((write_search *)visitor)->l, &unknown);
    }
    tirbi_visit_stmt(visitor, s);
}

void tirbi_forget_cells(tirbi_lowerer *l, const tirb_stmt *body) {
    write_search s = {.visitor = {.expr = forget_in_expr, .stmt = forget_in_stmt}, .l = l};
    if (l->cells && body) forget_in_stmt(&s.visitor, body);
}

static bool is_number(const tirb_expr *e) { return e->kind == TIRB_EXPR_INT_IMM; }

/* The pointer that is null where the condition holds, or, with `*where` 1, where it does not; NULL: it says no such. */
static const tirb_expr *null_pointer(const tirb_expr *condition, int *where) {
    *where = condition->kind == TIRB_EXPR_NOT;
    if (*where) condition = condition->as.cast.value;
    return is_builtin(condition, TIRB_BUILTIN_ISNULLPTR) ? condition->as.call.args[0] : NULL;
}

static bool same_pointer(const tirb_expr *a, const tirb_expr *b) {
    return a == b || (a && b && tirbi_expr_equal(a, b));
}

/* What is known behind two branches, of which `branches[null]` runs where `pointer` is null. The type of a pointer that
 * may be null is written in two branches: for nothing, and for what it is. */
static tirbi_cell either(const tirbi_cell *const branches[2], const tirb_expr *pointer, int null) {
    const tirbi_cell *a = branches[0], *b = branches[1];
    if (!a || !b) return (tirbi_cell){.value = NULL};
    if (same_pointer(a->pointer, b->pointer) && tirbi_expr_equal(a->value, b->value)) return *a;
    const tirbi_cell *nothing = branches[null], *something = branches[!null];
    if (!pointer || a->pointer || b->pointer || a->field != FIELD_ANY_TYPE || !is_number(a->value) ||
        !is_number(b->value) || nothing->value->as.int_value != 0) {
        return (tirbi_cell){.value = NULL};
    }
    tirbi_cell merged = *something;
    merged.pointer = pointer;
    return merged;
}

void tirbi_merge_cells(tirbi_lowerer *l, const tirb_expr *condition, const tirbi_cell *before,
                       const tirbi_cell *then_cells) {
    const tirbi_cell *else_cells = l->cells;
    int null;
    const tirb_expr *pointer = null_pointer(condition, &null);
    l->cells = before;
    for (int branch = 0; branch < 2; branch++) {
        for (const tirbi_cell *c = branch ? else_cells : then_cells; c && c != before; c = c->next) {
            const tirbi_cell *const branches[2] = {known_cell(then_cells, c->stack, c->index, c->field),
                                                   known_cell(else_cells, c->stack, c->index, c->field)};
            tirbi_cell merged = either(branches, pointer, null);
            merged.stack = c->stack;
            merged.index = c->index;
            merged.field = c->field;
            put_cell(l, merged);
        }
    }
}

void tirbi_leave_cells(tirbi_lowerer *l, const tirb_expr *condition, const tirbi_cell *before) {
    const tirbi_cell *inside = l->cells;
    l->cells = before;
    if (inside != before) tirbi_merge_cells(l, condition, before, inside);
}

/* ---- Pointers that stay what they are --------------------------------------------------------------------------- */

/* A variable that no other expression of the program names. */
static tirb_expr *new_variable(tirbi_lowerer *l, const tirb_expr *like) {
    if (l->n_vars >= l->var_capacity) {
        const uint32_t capacity = 2 * l->n_vars + 8;
        tirbi_binding *bindings = TIRBI_NEW_ARRAY(l->arena, tirbi_binding, capacity);
        tirbi_lbuf **fetched = TIRBI_NEW_ARRAY(l->arena, tirbi_lbuf *, capacity);
        if (!bindings || !fetched) return NULL;
        memcpy(bindings, l->bindings, l->n_vars * sizeof(*bindings));
        memcpy(fetched, l->fetched, l->n_vars * sizeof(tirbi_lbuf *));
        l->bindings = bindings;
        l->fetched = fetched;
        l->var_capacity = capacity;
    }
    tirb_expr *var = TIRBI_NEW(l->arena, tirb_expr);
    if (!var) return NULL;
    *var = (tirb_expr){.kind = TIRB_EXPR_VAR, .dtype = like->dtype, .span = like->span, .depth = 1, .size = 1};
    var->as.var.name = "settled";
    var->as.var.id = l->n_vars++;
    return var;
}

static const tirb_expr *settle_number(tirbi_lowerer *l, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_INT_IMM || e->kind == TIRB_EXPR_VAR) return e;
    const tirbi_lx *value = tirbi_hold(l, "index", tirbi_lower_expr(l, e, NULL), e->span);
    tirb_expr *var = value ? new_variable(l, e) : NULL;
    if (var) tirbi_lower_bind(l, var, value);
    return var;
}

/* The address of the same element of the same buffer, by indices that do not change. */
static const tirb_expr *settle_address(tirbi_lowerer *l, const tirb_expr *address) {
    const tirb_expr *load = address->as.call.args[0];
    tirb_expr *settled = TIRBI_NEW(l->arena, tirb_expr), *settled_load = TIRBI_NEW(l->arena, tirb_expr);
    const tirb_expr **args = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 1);
    const tirb_expr **indices = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, load->as.load.n_indices);
    if (!settled || !settled_load || !args || !indices) return NULL;
    for (uint32_t i = 0; i < load->as.load.n_indices; i++) {
        if (!(indices[i] = settle_number(l, load->as.load.indices[i]))) return NULL;
    }
    *settled = *address;
    *settled_load = *load;
    settled->as.call.args = args;
    settled_load->as.load.indices = indices;
    args[0] = settled_load;
    return settled;
}

static bool is_scalar_load(const tirb_expr *e) {
    for (uint32_t i = 0; e->kind == TIRB_EXPR_LOAD && i < e->as.load.n_indices; i++)
        if (e->as.load.indices[i]->dtype.lanes != 1) return false;
    return e->kind == TIRB_EXPR_LOAD;
}

const tirb_expr *tirbi_settle_pointer(tirbi_lowerer *l, const tirb_expr *pointer) {
    if (pointer->kind == TIRB_EXPR_VAR || is_builtin(pointer, TIRB_BUILTIN_BUFFER_DATA) ||
        tirbi_is_handle_value(l, pointer)) {
        return pointer;
    }
    if (is_builtin(pointer, TIRB_BUILTIN_ADDRESS_OF) && is_scalar_load(pointer->as.call.args[0]))
        return settle_address(l, pointer);
    tirb_expr *var = new_variable(l, pointer);
    if (var) tirbi_bind_pointer(l, var, pointer, pointer->span);
    return var;
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

typedef struct lowered_call {
    tirbi_lowerer *l;
    const tirb_expr *call, *values, *codes; /* codes NULL: types and values are in one stack */
    const tirb_expr **args;
    uint32_t n_args;
} lowered_call;

static tirb_expr *node(const lowered_call *c, tirb_expr_kind kind, tirb_datatype type) {
    tirb_expr *e = TIRBI_NEW(c->l->arena, tirb_expr);
    if (!e) return NULL;
    *e = (tirb_expr){.kind = kind, .dtype = type, .span = c->call->span, .depth = 1, .size = 1};
    return e;
}

static const tirb_expr *number(const lowered_call *c, int64_t value) {
    tirb_expr *e = node(c, TIRB_EXPR_INT_IMM, (tirb_datatype){TIRB_CODE_INT, 64, 1, false});
    if (e) e->as.int_value = value;
    return e;
}

static const tirb_expr *binary(const lowered_call *c, tirb_expr_kind kind, const tirb_expr *a, const tirb_expr *b) {
    tirb_expr *e = a && b ? node(c, kind, a->dtype) : NULL;
    if (!e) return NULL;
    e->as.binary.a = a;
    e->as.binary.b = b;
    e->size = a->size + b->size + 1;
    return e;
}

static const tirb_expr *builtin_call(const lowered_call *c, tirb_builtin builtin, tirb_datatype type,
                                     const tirb_expr *const *args, uint32_t n) {
    tirb_expr *e = node(c, TIRB_EXPR_CALL, type);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(c->l->arena, const tirb_expr *, n);
    if (!e || !copy) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!args[i]) return NULL;
        copy[i] = args[i];
    }
    e->as.call.builtin = builtin;
    e->as.call.args = copy;
    e->as.call.n_args = n;
    return e;
}

static const tirb_expr *field_of(const lowered_call *c, const tirb_expr *stack, int64_t index, int64_t field,
                                 tirb_datatype type) {
    const tirb_expr *const args[] = {stack, number(c, index), number(c, field)};
    return builtin_call(c, TIRB_BUILTIN_TVM_STRUCT_GET, type, args, 3);
}

static const tirb_expr *unknown(const lowered_call *c, int64_t index, const char *what) {
    tirbi_report_error(c->l->diagnostics, TIRB_UNSUPPORTED, c->call->span, "%s: cell %lld holds %s",
                       tirb_builtins[c->call->as.call.builtin].name, (long long)index, what);
    return NULL;
}

static bool constant_of(const tirb_expr *value, int64_t *out) {
    while (value && value->kind == TIRB_EXPR_CAST) value = value->as.cast.value;
    if (!value || value->kind != TIRB_EXPR_INT_IMM) return false;
    *out = value->as.int_value;
    return true;
}

static bool constant_field(const lowered_call *c, const tirb_expr *stack, int64_t index, int64_t field, int64_t *out) {
    return constant_of(find_cell(c->l->cells, stack, index, field), out);
}

/* How many elements the array's shape says: the product of `ndim` extents from the address on that the struct has. */
static const tirb_expr *extent_of(const lowered_call *c, const tirb_expr *shape, int64_t ndim) {
    const tirb_expr *product = number(c, 1);
    const tirb_expr *first = is_builtin(shape, TIRB_BUILTIN_ADDRESS_OF) ? shape->as.call.args[0] : NULL;
    if (ndim == 0) return product;
    if (!first || first->kind != TIRB_EXPR_LOAD || first->as.load.n_indices != 1) return NULL;
    for (int64_t d = 0; d < ndim; d++) {
        tirb_expr *load = node(c, TIRB_EXPR_LOAD, first->dtype);
        const tirb_expr **index = TIRBI_NEW_ARRAY(c->l->arena, const tirb_expr *, 1);
        if (!load || !index) return NULL;
        tirb_expr *offset = node(c, TIRB_EXPR_INT_IMM, first->as.load.indices[0]->dtype);
        if (!offset) return NULL;
        offset->as.int_value = d;
        index[0] = binary(c, TIRB_EXPR_ADD, first->as.load.indices[0], offset);
        load->span = first->span;
        load->depth = first->depth;
        load->size = first->size;
        load->as.load = first->as.load;
        load->as.load.indices = index;
        product = d == 0 ? load : binary(c, TIRB_EXPR_MUL, product, load);
    }
    return product;
}

/* The elements of an array that struct number `at` of a stack of structs describes, as a pointer that says how many. */
static const tirb_expr *array_argument(const lowered_call *c, const tirb_expr *structs, int64_t at, int64_t cell) {
    const tirbi_cell *known = c->l->cells;
    const tirb_expr *data = find_cell(known, structs, at, FIELD_DATA),
                    *strides = find_cell(known, structs, at, FIELD_STRIDES);
    int64_t code, bits, lanes, ndim, bytes;
    if (!data || !constant_field(c, structs, at, FIELD_CODE, &code) ||
        !constant_field(c, structs, at, FIELD_BITS, &bits) || !constant_field(c, structs, at, FIELD_LANES, &lanes) ||
        !constant_field(c, structs, at, FIELD_NDIM, &ndim)) {
        return unknown(c, cell, "an array whose data, type or rank is not known here");
    }
    tirb_datatype type = {code == TIRB_CODE_UINT && bits == 1 ? TIRB_CODE_BOOL : (uint8_t)code,
                          bits == 1 ? 8 : (uint8_t)bits, 1, false};
    tirbi_dtype machine;
    bool null = strides && (strides->kind == TIRB_EXPR_CAST || is_builtin(strides, TIRB_BUILTIN_REINTERPRET));
    if (!null || lanes != 1 || ndim < 0 || ndim > TIRBI_MAX_NDIM || !tirb_datatype_machine(type, &machine))
        return unknown(c, cell, "an array with strides, or of a type that imports do not take");
    const tirb_expr *extent = extent_of(c, find_cell(known, structs, at, FIELD_SHAPE), ndim);
    if (!extent) return unknown(c, cell, "an array whose shape is no part of a buffer");
    tirb_datatype i64 = {TIRB_CODE_INT, 64, 1, false}, handle = {TIRB_CODE_HANDLE, 64, 1, false};
    const tirb_expr *offset = number(c, 0);
    if (!constant_field(c, structs, at, FIELD_OFFSET, &bytes) || bytes != 0)
        offset = binary(c, TIRB_EXPR_FLOORDIV, field_of(c, structs, at, FIELD_OFFSET, i64),
                        number(c, tirbi_dtypes[machine].size));
    const tirb_expr *const args[] = {builtin_call(c, TIRB_BUILTIN_TYPE_ANNOTATION, type, NULL, 0), data, offset, extent,
                                     number(c, 3)};
    return builtin_call(c, TIRB_BUILTIN_TVM_ACCESS_PTR, handle, args, 5);
}

static argument_kind kind_of(const lowered_call *c, int64_t index) {
    static const int8_t of_index[] = {KIND_NULL,    KIND_INT,     KIND_INT,     KIND_FLOAT,
                                      KIND_POINTER, KIND_UNKNOWN, KIND_UNKNOWN, KIND_TENSOR};
    static const int8_t of_code[] = {KIND_INT,  KIND_INT,     KIND_FLOAT,   KIND_POINTER,
                                     KIND_NULL, KIND_UNKNOWN, KIND_UNKNOWN, KIND_TENSOR};
    int64_t type;
    const tirbi_cell *cell = known_cell(c->l->cells, c->codes ? c->codes : c->values, index,
                                        c->codes ? FIELD_TYPE_CODE : FIELD_ANY_TYPE);
    if (!cell || !constant_of(cell->value, &type) || type < 0 || type >= 8) return KIND_UNKNOWN;
    /* Nothing or a pointer is what the pointer says itself, if it is the one that was asked. */
    if (cell->pointer && !same_pointer(cell->pointer, find_cell(c->l->cells, c->values, index, FIELD_ANY_VALUE)))
        return KIND_UNKNOWN;
    return (argument_kind)(c->codes ? of_code : of_index)[type];
}

static const tirb_expr *argument(const lowered_call *c, int64_t index) {
    tirb_datatype i64 = {TIRB_CODE_INT, 64, 1, false}, f64 = {TIRB_CODE_FLOAT, 64, 1, false};
    int64_t field = c->codes ? FIELD_VALUE : FIELD_ANY_VALUE;
    const tirb_expr *value = find_cell(c->l->cells, c->values, index, field);
    switch (kind_of(c, index)) {
    case KIND_NULL: return number(c, 0);
    case KIND_INT: return field_of(c, c->values, index, field, i64);
    case KIND_FLOAT: return field_of(c, c->values, index, field, f64);
    case KIND_POINTER: return value ? value : unknown(c, index, "a pointer that is not known here");
    case KIND_TENSOR: break;
    default: return unknown(c, index, "an argument whose type is no constant here, or none that imports take");
    }
    const tirb_expr *at =
        is_builtin(value, TIRB_BUILTIN_TVM_STRUCT_GET) && value->as.call.n_args == 3 ? value->as.call.args[1] : NULL;
    bool address = at && at->kind == TIRB_EXPR_INT_IMM && value->as.call.args[2]->kind == TIRB_EXPR_INT_IMM &&
                   value->as.call.args[2]->as.int_value == 0;
    if (!address) return unknown(c, index, "an array that is no struct of this function");
    return array_argument(c, value->as.call.args[0], at->as.int_value, index);
}

/* ---- The call --------------------------------------------------------------------------------------------------- */

/* What comes back is in the cell behind the last argument as well, unless this may happen more than once. */
static const tirbi_lx *store_result(tirbi_lowerer *l, const lowered_call *c, const tirbi_lx *x, int64_t end) {
    bool integer = !tirbi_dtype_is_float((tirbi_dtype)x->type);
    if (c->codes || l->again > 0 || l->in_lanes > 0 || !tirbi_lx_acts(x)) return x;
    const tirbi_lx *kept = tirbi_settle(l, x, "a call", c->call->span);
    const tirbi_lx *word = kept ? tirbi_lx_cast(l->pool, integer ? TIRB_I64 : TIRB_F64, kept) : NULL;
    if (word && !integer) word = tirbi_lx_op(l->pool, TIRB_OP_BITS, TIRB_I64, TIRB_F64, word, NULL, NULL);
    const tirbi_lx *kind = tirbi_lx_number(l->pool, integer ? 1 : 3);
    if (word && kind) tirbi_store_any(l, c->values, end, kind, word, c->call->span);
    add_cell(l, c->values, end, FIELD_ANY_TYPE, number(c, integer ? 1 : 3));
    return kept;
}

const tirbi_lx *tirbi_lower_lowered_call(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *const *args = e->as.call.args;
    uint32_t n = e->as.call.n_args;
    bool two = n == 5;
    lowered_call c = {.l = l, .call = e};
    if ((n != 4 && n != 5) || args[1]->kind != TIRB_EXPR_VAR || (two && args[2]->kind != TIRB_EXPR_VAR) ||
        args[n - 2]->kind != TIRB_EXPR_INT_IMM || args[n - 1]->kind != TIRB_EXPR_INT_IMM) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, e->span,
                           "%s takes the name of a function, a stack of values, perhaps one of type codes, and the "
                           "constant numbers of "
                           "the first cell and of the one behind the last",
                           tirb_builtins[e->as.call.builtin].name);
        return NULL;
    }
    int64_t begin = args[n - 2]->as.int_value, end = args[n - 1]->as.int_value;
    c.values = args[1];
    c.codes = two ? args[2] : NULL;
    if (begin < 0 || end < begin || end - begin > TIRBI_MAX_CALL_ARGS) {
        tirbi_report_error(
            l->diagnostics, TIRB_VALUE, e->span, "%s has the cells %lld to %lld as arguments, expected 0 to %d of them",
            tirb_builtins[e->as.call.builtin].name, (long long)begin, (long long)end, TIRBI_MAX_CALL_ARGS);
        return NULL;
    }
    c.args = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (size_t)(end - begin) + 1);
    if (!c.args) return NULL;
    c.args[c.n_args++] = args[0];
    for (int64_t i = begin; i < end; i++) {
        if (!(c.args[c.n_args++] = argument(&c, i))) return NULL;
    }
    bool in_c = e->as.call.builtin == TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED;
    tirb_datatype i64 = {TIRB_CODE_INT, 64, 1, false};
    const tirb_expr *call = builtin_call(&c, in_c ? TIRB_BUILTIN_CALL_CPACKED : TIRB_BUILTIN_CALL_PACKED,
                                         l->moves_results ? i64 : e->dtype, c.args, c.n_args);
    const tirbi_lx *x = call ? tirbi_lower_import(l, call) : NULL;
    return x && e->dtype.code != TIRB_CODE_HANDLE ? store_result(l, &c, x, end) : x;
}
