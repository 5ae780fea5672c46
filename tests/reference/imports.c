/* Calls of the host's functions: scalars by value, pointers as views of the elements that follow. */
#include "tests/reference/imports.h"

#include <string.h>

#include "compiler/ir/anylist.h"
#include "compiler/ir/equal.h"
#include "tests/reference/packed.h"
#include "tests/reference/sorting.h"
#include "tests/reference/value.h"

static bool is_lowered(const tirb_expr *e) {
    return e->as.call.builtin == TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED ||
           e->as.call.builtin == TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED;
}

static bool is_import(const tirb_expr *e) {
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_CALL_EXTERN:
    case TIRB_BUILTIN_CALL_PURE_EXTERN:
    case TIRB_BUILTIN_CALL_PACKED:
    case TIRB_BUILTIN_CALL_CPACKED:
    case TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED:
    case TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED: return true;
    default: return false;
    }
}

static const tirb_import *find(const tirbi_ref_machine *m, const char *name) {
    for (uint32_t i = 0; i < m->options.n_imports; i++) {
        if (strcmp(m->options.imports[i].name, name) == 0) return &m->options.imports[i];
    }
    return NULL;
}

/* The buffer whose elements end a view: that of an address or of a data variable; NULL for any other pointer, which
 * reaches to the end of its memory. */
static const tirb_buffer *buffer_behind(const tirb_expr *e) {
    bool builtin = e->kind == TIRB_EXPR_CALL && e->as.call.function == NULL && e->as.call.n_args == 1;
    if (builtin && (e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF || e->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA)) {
        e = e->as.call.args[0];
    }
    if (e->kind == TIRB_EXPR_LOAD) return e->as.load.buffer;
    return e->kind == TIRB_EXPR_VAR ? e->as.var.data_of : NULL;
}

/* One argument's view, its extent and stride. */
typedef struct passed_view {
    DLTensor tensor;
    int64_t extent, stride;
} passed_view;

static bool pass_view(tirbi_ref_machine *m, const tirb_expr *e, bool pure, tirb_import_arg *out) {
    tirbi_ref_value pointer;
    tirbi_dtype type;
    const tirb_buffer *buffer = buffer_behind(e);
    if (tirbi_whole_array(e) != NULL) {
        buffer = tirbi_whole_array(e);
        e = buffer->data;
    }
    passed_view *passed = tirbi_ref_scratch(m, 1, sizeof *passed);
    if (passed == NULL || !tirbi_ref_eval_argument(m, e, &pointer)) return false;
    if (buffer == NULL)
        return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "a pointer whose elements have no type for an import");
    const tirbi_ref_view *view = tirbi_ref_view_of(m, buffer);
    if (view == NULL || !tirbi_ref_element_type(m, buffer->dtype, &type)) return false;
    if (!tirbi_ref_compact(view)) return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "a buffer with strides for an import");
    int64_t item = tirbi_dtypes[type].size;
    int64_t end = view->base;
    int64_t count = buffer->dtype.lanes;
    for (uint32_t i = 0; i < view->ndim; i++) count *= view->shape[i];
    end += count * item;
    /* A variable means where its buffer begins, which its declaration may have moved. */
    int64_t start =
        e->kind == TIRB_EXPR_CALL && e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF ? (int64_t)pointer.one : view->base;
    passed->extent = (end - start) / item;
    passed->stride = 1;
    passed->tensor = (DLTensor){.data = view->memory->bytes + start,
                                .device = {.device_type = kDLCPU, .device_id = 0},
                                .ndim = 1,
                                .dtype = tirbi_dtype_to_dl(type),
                                .shape = &passed->extent,
                                .strides = &passed->stride};
    *out = (tirb_import_arg){.kind = TIRB_ARG_TENSOR,
                             .flags = pure ? TIRB_ARG_READ_ONLY : 0,
                             .dtype = tirbi_dtype_to_dl(type),
                             .value = {.tensor = &passed->tensor}};
    return true;
}

/* A float as a double with the same value; a NaN keeps its sign and fraction, which C leaves to the machine. */
static double widened(tirbi_dtype type, uint64_t bits) {
    unsigned fraction_bits = type == TIRB_F16 ? 10 : type == TIRB_BF16 ? 7 : 23;
    double value = tirbi_ref_to_double(type, bits);
    if (type == TIRB_F64 || value == value) return value;
    uint64_t sign = bits >> (tirbi_dtypes[type].bits - 1) << 63;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t wide = sign | UINT64_C(0x7ff) << 52 | fraction << (52 - fraction_bits);
    memcpy(&value, &wide, sizeof value);
    return value;
}

static bool pass_scalar(tirbi_ref_machine *m, const tirb_expr *e, tirb_import_arg *out) {
    tirbi_ref_value value;
    tirbi_dtype type;
    if (!tirbi_ref_eval(m, e, NULL, &value) || !tirbi_ref_element_type(m, e->dtype, &type)) return false;
    *out =
        (tirb_import_arg){.kind = TIRB_ARG_INT, .dtype = tirbi_dtype_to_dl(type), .value = {.i = (int64_t)value.one}};
    if (!tirbi_dtype_is_float(type)) return true;
    out->kind = TIRB_ARG_FLOAT;
    out->value.f = widened(type, value.one);
    return true;
}

static bool take_result(tirbi_ref_machine *m, const char *name, tirbi_dtype type, const tirb_result *given,
                        uint64_t *bits) {
    if (tirbi_dtype_is_float(type)) {
        *bits = tirbi_ref_from_double(type, given->value.f);
        return true;
    }
    *bits = tirbi_ref_cast(type, TIRB_I64, (uint64_t)given->value.i);
    bool fits = type == TIRB_BOOL
                    ? (uint64_t)given->value.i <= 1
                    : type == TIRB_U64 || tirbi_ref_cast(TIRB_I64, type, *bits) == (uint64_t)given->value.i;
    if (fits) return true;
    return tirbi_ref_fail(m, TIRB_VALUE, "%s returned %lld, which is no %s", name, (long long)given->value.i,
                          tirbi_dtypes[type].tvm_name);
}

static bool call_import(tirbi_ref_machine *m, const tirb_expr *e, const char *name, tirbi_ref_value *out) {
    bool pure = tirb_builtins[e->as.call.builtin].effect == TIRB_EFFECT_PURE;
    uint32_t n_args = e->as.call.n_args - 1;
    bool lowered = is_lowered(e);
    tirb_import_arg *args = lowered ? NULL : tirbi_ref_scratch(m, n_args, sizeof *args);
    if (lowered ? !tirbi_ref_lowered_arguments(m, e, &args, &n_args) : args == NULL) return false;
    for (uint32_t i = 0; i < n_args && !lowered; i++) {
        const tirb_expr *arg = e->as.call.args[i + 1], *contents = tirbi_anylist_argument(m->arena, arg);
        if (contents != NULL) arg = contents;
        bool good =
            arg->dtype.code == TIRB_CODE_HANDLE ? pass_view(m, arg, pure, &args[i]) : pass_scalar(m, arg, &args[i]);
        if (!good) return false;
    }
    const tirb_import *import = find(m, name);
    if (import == NULL) return tirbi_ref_fail(m, TIRB_IMPORT, "the program calls %s, which nobody provides", name);
    bool returns = e->dtype.code != TIRB_CODE_HANDLE;
    tirbi_dtype type = TIRB_I32;
    if (returns && !tirbi_ref_element_type(m, e->dtype, &type)) return false;
    tirb_result result = {.dtype = {.bits = 0}};
    tirb_error said = TIRB_ERROR_INIT;
    if (returns) result.dtype = tirbi_dtype_to_dl(type);
    tirb_status status = import->function(import->context, args, n_args, &result, UINT64_MAX, &said);
    if (status != TIRB_OK) return tirbi_ref_fail(m, status, "%s: %s", name, said.message);
    *out = (tirbi_ref_value){.type = e->dtype};
    if (returns && !take_result(m, name, type, &result, &out->one)) return false;
    return !lowered || tirbi_ref_lowered_result(m, e, out);
}

bool tirbi_ref_eval_import(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out, bool *known) {
    *known = is_import(e);
    if (!*known) return true;
    const tirb_expr *first = e->as.call.n_args > 0 ? e->as.call.args[0] : NULL;
    if (first == NULL || first->kind != TIRB_EXPR_STRING_IMM) {
        return tirbi_ref_fail(m, TIRB_TYPE, "a call of the host without the name of a function");
    }
    bool sorts;
    sorts = false;
    if (!is_lowered(e) && !tirbi_ref_sort(m, e, first->as.string.text, &sorts)) return false;
    if (sorts) *out = (tirbi_ref_value){.type = e->dtype};
    return sorts || call_import(m, e, first->as.string.text, out);
}
