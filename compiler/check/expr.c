/* The rules of the specification, "Rules for Assigning Datatypes to PrimExprs", in its order. */
#include <math.h>

#include "compiler/check/checker.h"

/* ---- Constants ------------------------------------------------------------------------------------------------ */

static void check_var(tirbi_checker *c, const tirb_expr *e) {
    const tirb_type *type = &e->as.var.type;
    tirbi_check_use_var(c, e, c->at);
    if (type->kind == TIRB_TYPE_PRIM) {
        tirbi_check_same_type(c, c->at, "the type of a variable", e->dtype, type->dtype);
    } else if (type->kind == TIRB_TYPE_POINTER && e->dtype.code != TIRB_CODE_HANDLE) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, c->at, "pointer '%s' has type %s, expected handle",
                           e->as.var.name, tirbi_check_text(e->dtype).text);
    }
}

static bool int_fits(tirb_datatype type, int64_t value) {
    if (tirbi_check_is_bool(type) || type.bits == 1) return value == 0 || value == 1;
    if (type.bits >= 64) return true;
    int64_t bound = (int64_t)1 << (type.code == TIRB_CODE_UINT ? type.bits : type.bits - 1);
    return value < bound && value >= (type.code == TIRB_CODE_UINT ? 0 : -bound);
}

static void check_int_imm(tirbi_checker *c, const tirb_expr *e) {
    bool is_int = tirbi_check_is_int(e->dtype) || tirbi_check_is_bool(e->dtype);
    if (!is_int || e->dtype.lanes != 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span,
                           "an integer constant must be an integer scalar, found %s", tirbi_check_text(e->dtype).text);
    } else if (!int_fits(e->dtype, e->as.int_value)) {
        tirbi_report_error(c->diagnostics, TIRB_VALUE, e->span, "the constant %lld does not fit type %s",
                           (long long)e->as.int_value, tirbi_check_text(e->dtype).text);
    }
}

/* TVM prints the largest float32 as bfloat16 as well, where it rounds to infinity. */
static double largest_constant(tirb_datatype type) {
    return type.code == TIRB_CODE_BFLOAT ? 0x1.fffffep127 : tirb_datatype_max(type);
}

static void check_float_imm(tirbi_checker *c, const tirb_expr *e) {
    double value = e->as.float_value;
    if (!tirbi_check_is_float(e->dtype) || e->dtype.lanes != 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "a float constant must be a float scalar, found %s",
                           tirbi_check_text(e->dtype).text);
    } else if (isfinite(value) && fabs(value) > largest_constant(e->dtype)) {
        tirbi_report_error(c->diagnostics, TIRB_VALUE, e->span, "the constant %g exceeds the maximum %g of type %s",
                           value, tirb_datatype_max(e->dtype), tirbi_check_text(e->dtype).text);
    }
}

/* ---- Operators ------------------------------------------------------------------------------------------------ */

static void check_cast(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *value = e->as.cast.value;
    tirbi_check_expr(c, value);
    bool from_handle = value->dtype.code == TIRB_CODE_HANDLE;
    bool to_handle = e->dtype.code == TIRB_CODE_HANDLE;
    if (!tirbi_lanes_equal(tirbi_lanes_of(value->dtype), tirbi_lanes_of(e->dtype))) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "cannot cast %s to %s: the numbers of lanes differ",
                           tirbi_check_text(value->dtype).text, tirbi_check_text(e->dtype).text);
    } else if ((from_handle && !to_handle) || (to_handle && !from_handle && !tirbi_check_is_int(value->dtype))) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "cannot cast %s to %s",
                           tirbi_check_text(value->dtype).text, tirbi_check_text(e->dtype).text);
    }
}

static void check_select(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *condition = e->as.select.condition;
    const tirb_expr *t = e->as.select.true_value;
    const tirb_expr *f = e->as.select.false_value;
    tirbi_check_expr(c, condition);
    tirbi_check_expr(c, t);
    tirbi_check_expr(c, f);
    if (!tirbi_check_is_bool(condition->dtype)) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, condition),
                           "the condition of Select must be bool, found %s", tirbi_check_text(condition->dtype).text);
    } else if (condition->dtype.lanes != 1 &&
               !tirbi_lanes_equal(tirbi_lanes_of(condition->dtype), tirbi_lanes_of(t->dtype))) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, condition),
                           "the condition of Select is %s, expected bool with one lane or those of its values, %s",
                           tirbi_check_text(condition->dtype).text, tirbi_check_text(t->dtype).text);
    }
    tirbi_check_same_type(c, tirbi_check_place(c, f), "the second value of Select", f->dtype, t->dtype);
    tirbi_check_same_type(c, e->span, "the type of Select", e->dtype, t->dtype);
}

static void check_arithmetic(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *a = e->as.binary.a;
    const tirb_expr *b = e->as.binary.b;
    tirbi_check_expr(c, a);
    tirbi_check_expr(c, b);
    if (!tirbi_check_same_type(c, e->span, "the right operand", b->dtype, a->dtype)) return;
    if (a->dtype.code == TIRB_CODE_HANDLE) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "arithmetic on %s: handles have none",
                           tirbi_check_text(a->dtype).text);
    } else if (e->kind == TIRB_EXPR_MOD && tirbi_check_is_bool(a->dtype)) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "Mod needs numbers as operands, found %s",
                           tirbi_check_text(a->dtype).text);
    }
    tirbi_check_same_type(c, e->span, "the type of the operation", e->dtype, a->dtype);
}

static void check_result_bool(tirbi_checker *c, const tirb_expr *e, const tirb_expr *operand) {
    const tirb_datatype expected = {TIRB_CODE_BOOL, 8, operand->dtype.lanes, operand->dtype.scalable};
    tirbi_check_same_type(c, e->span, "the type of the operation", e->dtype, expected);
}

static void check_comparison(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *a = e->as.binary.a;
    const tirb_expr *b = e->as.binary.b;
    tirbi_check_expr(c, a);
    tirbi_check_expr(c, b);
    if (!tirbi_check_same_type(c, e->span, "the right operand of a comparison", b->dtype, a->dtype)) return;
    if (a->dtype.code == TIRB_CODE_HANDLE) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "handles cannot be compared");
    }
    check_result_bool(c, e, a);
}

static bool check_logical_operand(tirbi_checker *c, const tirb_expr *e, const char *op) {
    tirbi_check_expr(c, e);
    if (tirbi_check_is_bool(e->dtype)) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "%s needs bool operands, found %s", op,
                       tirbi_check_text(e->dtype).text);
    return false;
}

static void check_logical(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *a = e->as.binary.a;
    const tirb_expr *b = e->as.binary.b;
    const char *op = e->kind == TIRB_EXPR_AND ? "And" : "Or";
    bool good = check_logical_operand(c, a, op);
    if (!check_logical_operand(c, b, op) || !good) return;
    tirbi_check_same_type(c, e->span, "the right operand", b->dtype, a->dtype);
    check_result_bool(c, e, a);
}

static void check_not(tirbi_checker *c, const tirb_expr *e) {
    if (check_logical_operand(c, e->as.cast.value, "Not")) check_result_bool(c, e, e->as.cast.value);
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* An index needs a width: the specification wants one type for all of them, TVM does not. */
static void warn_index_widths(tirbi_checker *c, tirbi_span span, const tirb_expr *const *indices, uint32_t n) {
    for (uint32_t i = 1; i < n && !c->warned_index_widths; i++) {
        if (indices[i]->dtype.code == indices[0]->dtype.code && indices[i]->dtype.bits == indices[0]->dtype.bits)
            continue;
        tirbi_report_warning(c->diagnostics, span, "indices of different types, %s and %s: the specification wants one",
                             tirbi_check_text(indices[0]->dtype).text, tirbi_check_text(indices[i]->dtype).text);
        c->warned_index_widths = true;
    }
}

bool tirbi_check_indices(tirbi_checker *c, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *const *indices,
                         uint32_t n, tirb_datatype *type) {
    bool good = true;
    tirbi_check_exprs(c, indices, n);
    if (n != buffer->ndim) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "buffer '%s' has %u dimensions, found %u indices",
                           buffer->name, buffer->ndim, n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!tirbi_check_is_int(indices[i]->dtype)) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, indices[i]),
                               "index %u of '%s' must be an integer, found %s", i, buffer->name,
                               tirbi_check_text(indices[i]->dtype).text);
            good = false;
        } else if (i + 1 < n && indices[i]->dtype.lanes != 1) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, indices[i]),
                               "index %u of '%s' is the vector %s: only the last index may be one", i, buffer->name,
                               tirbi_check_text(indices[i]->dtype).text);
            good = false;
        }
    }
    if (!good) return false;
    warn_index_widths(c, span, indices, n);
    *type = tirbi_type_with_lanes(buffer->dtype, tirbi_access_lanes(buffer, indices, n));
    return true;
}

void tirbi_check_predicate(tirbi_checker *c, const tirb_expr *predicate, tirb_datatype type) {
    if (predicate == NULL) return;
    const tirb_datatype expected = {TIRB_CODE_BOOL, 8, type.lanes, type.scalable};
    tirbi_check_expr(c, predicate);
    tirbi_check_same_type(c, tirbi_check_place(c, predicate), "the predicate of an access", predicate->dtype, expected);
}

static void check_load(tirbi_checker *c, const tirb_expr *e) {
    const tirb_buffer *buffer = e->as.load.buffer;
    tirbi_check_use_buffer(c, buffer, e->span);
    tirb_datatype type;
    if (!tirbi_check_indices(c, e->span, buffer, e->as.load.indices, e->as.load.n_indices, &type)) return;
    tirbi_check_same_type(c, e->span, "the type of a load", e->dtype, type);
    tirbi_check_predicate(c, e->as.load.predicate, type);
}

/* ---- Vectors and lets ----------------------------------------------------------------------------------------- */

static void check_lanes(tirbi_checker *c, const tirb_expr *e, const char *node, tirb_datatype element) {
    if (e->dtype.lanes < 2) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "%s makes %u lanes, expected 2 or more", node,
                           e->dtype.lanes);
    }
    tirb_datatype expected = tirbi_type_with_lanes(element, tirbi_lanes_of(e->dtype));
    tirbi_check_same_type(c, e->span, "the type of the vector", e->dtype, expected);
}

static void check_ramp(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *base = e->as.ramp.base;
    const tirb_expr *stride = e->as.ramp.stride;
    tirbi_check_expr(c, base);
    tirbi_check_expr(c, stride);
    bool good = tirbi_check_int_scalar(c, base, "the base of Ramp");
    if (!tirbi_check_int_scalar(c, stride, "the stride of Ramp") || !good) return;
    tirbi_check_same_type(c, tirbi_check_place(c, stride), "the stride of Ramp", stride->dtype, base->dtype);
    check_lanes(c, e, "Ramp", base->dtype);
}

static void check_broadcast(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *value = e->as.broadcast.value;
    tirbi_check_expr(c, value);
    if (value->dtype.lanes != 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, value),
                           "the value of Broadcast must be a scalar, found %s", tirbi_check_text(value->dtype).text);
        return;
    }
    check_lanes(c, e, "Broadcast", value->dtype);
}

static void check_let(tirbi_checker *c, const tirb_expr *e) {
    const tirb_expr *var = e->as.let.var;
    tirbi_check_expr(c, e->as.let.value);
    tirbi_check_same_type(c, tirbi_check_place(c, e->as.let.value), "the value of a let", e->as.let.value->dtype,
                          var->dtype);
    tirbi_check_bind_var(c, var, e->span);
    tirbi_check_expr(c, e->as.let.body);
    tirbi_check_leave_var(c, var);
    tirbi_check_same_type(c, e->span, "the type of a let", e->dtype, e->as.let.body->dtype);
}

/* Indexes the concatenation of its vectors, so that it may have fewer or more lanes than they (a deviation). */
static void check_shuffle(tirbi_checker *c, const tirb_expr *e) {
    tirbi_check_exprs(c, e->as.shuffle.vectors, e->as.shuffle.n_vectors);
    tirbi_check_exprs(c, e->as.shuffle.indices, e->as.shuffle.n_indices);
    if (e->as.shuffle.n_vectors == 0 || e->as.shuffle.n_indices == 0) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, e->span, "Shuffle needs at least one vector and one index");
        return;
    }
    tirb_datatype first = e->as.shuffle.vectors[0]->dtype;
    uint32_t total = 0;
    for (uint32_t i = 0; i < e->as.shuffle.n_vectors; i++) {
        tirb_datatype type = e->as.shuffle.vectors[i]->dtype;
        total += type.lanes;
        if (type.scalable) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, e->as.shuffle.vectors[i]),
                               "Shuffle takes vectors of a fixed length, not %s", tirbi_check_text(type).text);
        }
        if (type.code == first.code && type.bits == first.bits) continue;
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, e->as.shuffle.vectors[i]),
                           "the vectors of Shuffle have element types of %s and %s, expected one",
                           tirbi_check_text(first).text, tirbi_check_text(type).text);
    }
    for (uint32_t i = 0; i < e->as.shuffle.n_indices; i++) {
        const tirb_expr *index = e->as.shuffle.indices[i];
        if (!tirbi_check_int_scalar(c, index, "an index of Shuffle") || index->kind != TIRB_EXPR_INT_IMM) continue;
        if (index->as.int_value >= 0 && index->as.int_value < total) continue;
        tirbi_report_error(c->diagnostics, TIRB_VALUE, tirbi_check_place(c, index),
                           "index %lld of Shuffle is outside its %u lanes", (long long)index->as.int_value, total);
    }
    tirb_datatype expected = tirbi_type_with_lanes(first, (tirbi_lanes){e->as.shuffle.n_indices, false});
    tirbi_check_same_type(c, e->span, "the type of Shuffle", e->dtype, expected);
}

/* ---- The expression switch ------------------------------------------------------------------------------------ */

void tirbi_check_exprs(tirbi_checker *c, const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) tirbi_check_expr(c, items[i]);
}

void tirbi_check_buffer_exprs(tirbi_checker *c, const tirb_buffer *buffer) {
    tirbi_check_exprs(c, buffer->shape, buffer->ndim);
    if (buffer->strides != NULL) tirbi_check_exprs(c, buffer->strides, buffer->ndim);
    if (buffer->elem_offset != NULL) tirbi_check_expr(c, buffer->elem_offset);
}

/* The axes are in scope in the source and the condition, the combiner's variables in its results. */
static void check_reduce(tirbi_checker *c, const tirb_reduce *r) {
    tirbi_check_exprs(c, r->identity, r->n_values);
    if (r->init != NULL) tirbi_check_exprs(c, r->init, r->n_values);
    for (uint32_t i = 0; i < r->n_axis; i++) {
        tirbi_check_expr(c, r->axis[i].dom.min);
        tirbi_check_expr(c, r->axis[i].dom.extent);
        tirbi_check_int_scalar(c, r->axis[i].dom.extent, "the extent of a reduction axis");
        tirbi_check_bind_var(c, r->axis[i].var, r->axis[i].var->span);
    }
    tirbi_check_exprs(c, r->source, r->n_values);
    if (r->condition != NULL) {
        tirbi_check_expr(c, r->condition);
        tirbi_check_bool_scalar(c, r->condition, "the condition of a reduction");
    }
    for (uint32_t i = 0; i < r->n_axis; i++) tirbi_check_leave_var(c, r->axis[i].var);
    for (uint32_t i = 0; i < r->n_values; i++) {
        tirbi_check_bind_var(c, r->lhs[i], r->lhs[i]->span);
        tirbi_check_bind_var(c, r->rhs[i], r->rhs[i]->span);
    }
    tirbi_check_exprs(c, r->result, r->n_values);
    for (uint32_t i = 0; i < r->n_values; i++) {
        tirbi_check_same_type(c, tirbi_check_place(c, r->result[i]), "the result of a combiner", r->result[i]->dtype,
                              r->source[i]->dtype);
        tirbi_check_leave_var(c, r->lhs[i]);
        tirbi_check_leave_var(c, r->rhs[i]);
    }
}

void tirbi_check_expr(tirbi_checker *c, const tirb_expr *e) {
    const tirbi_span outer = c->at;
    c->at = tirbi_check_place(c, e);
    switch (e->kind) {
    case TIRB_EXPR_VAR: check_var(c, e); break;
    case TIRB_EXPR_INT_IMM: check_int_imm(c, e); break;
    case TIRB_EXPR_FLOAT_IMM: check_float_imm(c, e); break;
    case TIRB_EXPR_STRING_IMM: break;
    case TIRB_EXPR_CAST: check_cast(c, e); break;
    case TIRB_EXPR_SELECT: check_select(c, e); break;
    case TIRB_EXPR_LOAD: check_load(c, e); break;
    case TIRB_EXPR_RAMP: check_ramp(c, e); break;
    case TIRB_EXPR_BROADCAST: check_broadcast(c, e); break;
    case TIRB_EXPR_LET: check_let(c, e); break;
    case TIRB_EXPR_CALL: tirbi_check_call(c, e); break;
    case TIRB_EXPR_SHUFFLE: check_shuffle(c, e); break;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
    case TIRB_EXPR_MUL:
    case TIRB_EXPR_DIV:
    case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD:
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX: check_arithmetic(c, e); break;
    case TIRB_EXPR_EQ:
    case TIRB_EXPR_NE:
    case TIRB_EXPR_LT:
    case TIRB_EXPR_LE:
    case TIRB_EXPR_GT:
    case TIRB_EXPR_GE: check_comparison(c, e); break;
    case TIRB_EXPR_AND:
    case TIRB_EXPR_OR: check_logical(c, e); break;
    case TIRB_EXPR_NOT: check_not(c, e); break;
    case TIRB_EXPR_REDUCE: check_reduce(c, e->as.reduce); break;
    }
    c->at = outer;
}
