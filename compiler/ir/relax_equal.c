#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/relax.h"

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_types(const tirb_relax_type *const *a, const tirb_relax_type *const *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!tirb_relax_type_equal(a[i], b[i])) return false;
    return true;
}

bool tirb_relax_type_equal(const tirb_relax_type *a, const tirb_relax_type *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || !tirb_datatype_equal(a->dtype, b->dtype) || a->ndim != b->ndim ||
        a->has_shape != b->has_shape || a->shape_var != b->shape_var || a->vdevice != b->vdevice ||
        a->n_fields != b->n_fields || a->pure != b->pure || a->opaque != b->opaque)
        return false;
    for (int32_t i = 0; a->has_shape && i < a->ndim; i++)
        if (!tirbi_expr_equal(a->shape[i], b->shape[i])) return false;
    return same_types(a->fields, b->fields, a->n_fields) && (!a->ret || tirb_relax_type_equal(a->ret, b->ret));
}

bool tirb_relax_attr_equal(const tirb_relax_attr *a, const tirb_relax_attr *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case TIRB_RELAX_ATTR_NONE:
        return true;
    case TIRB_RELAX_ATTR_BOOL:
        return a->as.boolean == b->as.boolean;
    case TIRB_RELAX_ATTR_INT:
        return a->as.integer == b->as.integer;
    case TIRB_RELAX_ATTR_FLOAT:
        return memcmp(&a->as.real, &b->as.real, sizeof a->as.real) == 0;
    case TIRB_RELAX_ATTR_STRING:
        return same_text(a->as.text, b->as.text);
    case TIRB_RELAX_ATTR_DTYPE:
        return tirb_datatype_equal(a->as.dtype, b->as.dtype);
    case TIRB_RELAX_ATTR_EXPR:
        return tirbi_expr_equal(a->as.expr, b->as.expr);
    case TIRB_RELAX_ATTR_LIST:
        if (a->as.list.n != b->as.list.n) return false;
        for (uint32_t i = 0; i < a->as.list.n; i++)
            if (!tirb_relax_attr_equal(&a->as.list.items[i], &b->as.list.items[i])) return false;
        return true;
    case TIRB_RELAX_ATTR_MAP:
        if (a->as.map.n_vars != b->as.map.n_vars || a->as.map.n_indices != b->as.map.n_indices) return false;
        for (uint32_t i = 0; i < a->as.map.n_indices; i++)
            if (!tirbi_expr_equal(a->as.map.indices[i], b->as.map.indices[i])) return false;
        return true;
    case TIRB_RELAX_ATTR_VDEVICE:
        return a->as.vdevice == b->as.vdevice;
    }
    return false;
}
