/* Rules about types that expressions and statements share. */
#include "compiler/check/checker.h"

tirbi_type_text tirbi_check_text(tirb_datatype type) {
    tirbi_type_text text;
    tirb_datatype_text(type, text.text);
    return text;
}

bool tirbi_check_is_int(tirb_datatype type) { return type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT; }

bool tirbi_check_is_float(tirb_datatype type) {
    return type.code == TIRB_CODE_FLOAT || type.code == TIRB_CODE_BFLOAT || tirb_datatype_is_narrow_float(type);
}

bool tirbi_check_is_bool(tirb_datatype type) {
    return type.code == TIRB_CODE_BOOL || (type.code == TIRB_CODE_UINT && type.bits == 1);
}

bool tirbi_check_int_scalar(tirbi_checker *c, const tirb_expr *e, const char *what) {
    if (tirbi_check_is_int(e->dtype) && e->dtype.lanes == 1) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, e), "%s must be an integer scalar, found %s",
                       what, tirbi_check_text(e->dtype).text);
    return false;
}

bool tirbi_check_bool_scalar(tirbi_checker *c, const tirb_expr *e, const char *what) {
    if (tirbi_check_is_bool(e->dtype) && e->dtype.lanes == 1) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, e), "%s must be a bool scalar, found %s", what,
                       tirbi_check_text(e->dtype).text);
    return false;
}

bool tirbi_check_same_type(tirbi_checker *c, tirbi_span span, const char *what, tirb_datatype found,
                           tirb_datatype expected) {
    if (tirb_datatype_equal(found, expected)) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "%s is %s, expected %s", what, tirbi_check_text(found).text,
                       tirbi_check_text(expected).text);
    return false;
}

void tirbi_check_buffer_type(tirbi_checker *c, const tirb_buffer *buffer) {
    const tirbi_span outer = c->at;
    c->at = buffer->span;
    if (buffer->data->as.var.type.kind != TIRB_TYPE_POINTER) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "the data of buffer '%s' must be a pointer, found %s", buffer->name,
                           tirbi_check_text(buffer->data->dtype).text);
    }
    if (buffer->dtype.code == TIRB_CODE_HANDLE) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span, "buffer '%s' cannot have elements of type %s",
                           buffer->name, tirbi_check_text(buffer->dtype).text);
    }
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        const tirb_expr *extent = buffer->shape[i];
        if (!tirbi_check_int_scalar(c, extent, "an extent of a buffer")) continue;
        if (extent->kind == TIRB_EXPR_INT_IMM && extent->dtype.code == TIRB_CODE_INT && extent->as.int_value < 0) {
            tirbi_report_error(c->diagnostics, TIRB_VALUE, tirbi_check_place(c, extent),
                               "extent %u of buffer '%s' is %lld, expected 0 or more", i, buffer->name,
                               (long long)extent->as.int_value);
        }
    }
    if (buffer->n_odd_strides > 0)
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span, "'%s' has %u dimensions and %u strides",
                           buffer->name, buffer->ndim, buffer->n_odd_strides);
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) {
        tirbi_check_int_scalar(c, buffer->strides[i], "a stride of a buffer");
        if (i > 0) {
            tirbi_check_same_type(c, tirbi_check_place(c, buffer->strides[i]), "the type of a stride",
                                  buffer->strides[i]->dtype, buffer->strides[0]->dtype);
        }
    }
    if (buffer->elem_offset != NULL) tirbi_check_int_scalar(c, buffer->elem_offset, "the elem_offset of a buffer");
    c->at = outer;
}
