#include "vm/call/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tirb/dlpack.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/call/conditions.h"
#include "vm/call/number.h"
#include "vm/call/signature.h"

/* ---- Messages -------------------------------------------------------------------------------------------------- */

enum { MAX_DETAIL = 256, MAX_NAME = 48, MAX_CALLEE = 160 };

static const char *param_name(const tirbi_binding *b, uint32_t param) {
    return tirbi_program_text(b->program, b->function->params[param].name);
}

static const char *var_name(const tirbi_binding *b, int64_t var) {
    return tirbi_program_text(b->program, b->function->vars[var].name);
}

/* The cause stands last and must survive, so names and the signature are cut to leave it room. */
tirb_status tirbi_bind_refuse(const tirbi_binding *b, tirb_status code, uint32_t param, const char *format, ...) {
    if (!b->error) return code;
    char detail[MAX_DETAIL];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    const char *name = param_name(b, param), *callee = b->plan->signature;
    size_t callee_size = tirbi_text_cut(callee, MAX_CALLEE);
    return tirbi_error_set(b->error, code, "argument #%u '%.*s' of %.*s%s: %s", param,
                           (int)tirbi_text_cut(name, MAX_NAME), name, (int)callee_size, callee,
                           callee[callee_size] ? "..." : "", detail);
}

/* ---- Shape variables ------------------------------------------------------------------------------------------- */

typedef enum member { MEMBER_SHAPE, MEMBER_STRIDES, MEMBER_ELEM_OFFSET } member;

/* A place that has an extent's form: A.shape[1], A.strides[0], A.elem_offset. */
typedef struct place {
    uint32_t param;
    member member;
    unsigned index;
} place;

enum { MAX_MEMBER = 32 };

typedef struct place_text {
    char text[MAX_NAME + MAX_MEMBER];
} place_text;

static place_text describe(const place *at) {
    place_text result;
    if (at->member == MEMBER_ELEM_OFFSET) {
        snprintf(result.text, sizeof(result.text), "elem_offset");
    } else {
        snprintf(result.text, sizeof(result.text), "%s[%u]", at->member == MEMBER_SHAPE ? "shape" : "strides",
                 at->index);
    }
    return result;
}

static bool is_bare(const tirbi_dim *dim, int64_t var) {
    return dim->n_terms == 1 && dim->terms[0].op == TIRBI_DIM_VAR && dim->terms[0].value == var;
}

static bool given(const tirbi_binding *b, uint32_t param) {
    return b->args[param].kind != TIRB_ARG_NONE && !(b->partial && b->skipped == param);
}

/* The place that bound a variable: the first bare one, in the order of binding. */
static bool find_bare(const tirbi_binding *b, int64_t var, place *out) {
    for (uint32_t i = 0; i < b->function->n_params; i++) {
        const tirbi_param *param = &b->function->params[i];
        if (param->kind != TIRB_PARAM_TENSOR || !given(b, i)) continue;
        for (unsigned j = 0; j < param->ndim; j++) {
            *out = (place){i, MEMBER_SHAPE, j};
            if (is_bare(&param->shape[j], var)) return true;
        }
        for (unsigned j = 0; param->has_strides && j < param->ndim; j++) {
            *out = (place){i, MEMBER_STRIDES, j};
            if (is_bare(&param->strides[j], var)) return true;
        }
        *out = (place){i, MEMBER_ELEM_OFFSET, 0};
        if (param->has_elem_offset && is_bare(&param->elem_offset, var)) return true;
    }
    return false;
}

/* Who gave a variable its value: "A.shape[0]", or the scalar "n". */
static place_text describe_source(const tirbi_binding *b, int64_t var) {
    place_text result;
    place source;
    const char *name = var_name(b, var);
    if (!find_bare(b, var, &source)) {
        snprintf(result.text, sizeof(result.text), "%.*s", (int)tirbi_text_cut(name, MAX_NAME), name);
        return result;
    }
    name = param_name(b, source.param);
    snprintf(result.text, sizeof(result.text), "%.*s.%.*s", (int)tirbi_text_cut(name, MAX_NAME), name, MAX_MEMBER - 2,
             describe(&source).text);
    return result;
}

static bool var_fits(const tirbi_var *var, int64_t value) {
    bool positive_only = tirbi_dtypes[var->dtype].class == 'U';
    return tirbi_number_fits((tirbi_dtype)var->dtype, value) && !(positive_only && value < 0);
}

static tirb_status bind_var(tirbi_binding *b, int64_t var, int64_t value, const place *at) {
    tirbi_scratch *s = b->scratch;
    const tirbi_var *info = &b->function->vars[var];
    if (s->var_bound[var]) {
        if (s->var_values[var] == value) return TIRB_OK;
        return tirbi_bind_refuse(b, TIRB_SHAPE, at->param, "%s is %lld, expected %lld to match %s", describe(at).text,
                                 (long long)value, (long long)s->var_values[var], describe_source(b, var).text);
    }
    if (!var_fits(info, value)) {
        const char *name = var_name(b, var);
        return tirbi_bind_refuse(b, TIRB_SHAPE, at->param, "%s is %lld, which does not fit %.*s: %s", describe(at).text,
                                 (long long)value, (int)tirbi_text_cut(name, MAX_NAME), name,
                                 tirbi_dtypes[info->dtype].tvm_name);
    }
    s->var_values[var] = value;
    s->var_bound[var] = true;
    return TIRB_OK;
}

/* Binds or checks a single term; expressions wait until every variable is known. */
static tirb_status bind_dim(tirbi_binding *b, const tirbi_dim *dim, int64_t found, const place *at) {
    if (dim->n_terms != 1) return TIRB_OK;
    int64_t value = dim->terms[0].value;
    if (dim->terms[0].op == TIRBI_DIM_VAR) return bind_var(b, value, found, at);
    if (found == value) return TIRB_OK;
    return tirbi_bind_refuse(b, TIRB_SHAPE, at->param, "%s is %lld, expected %lld", describe(at).text, (long long)found,
                             (long long)value);
}

bool tirbi_bind_determines(const tirbi_binding *b, const tirbi_dim *dim) {
    for (unsigned i = 0; i < dim->n_terms; i++) {
        if (dim->terms[i].op == TIRBI_DIM_VAR && !b->scratch->var_bound[dim->terms[i].value]) return false;
    }
    return true;
}

static tirb_status check_expression(tirbi_binding *b, const tirbi_dim *dim, int64_t found, const place *at) {
    if (b->partial && !tirbi_bind_determines(b, dim)) return TIRB_OK;
    int64_t expected;
    const tirbi_scratch *s = b->scratch;
    tirb_status status = tirbi_dim_eval(dim, s->var_values, s->var_bound, &expected, NULL);
    if (status == TIRB_OK && found == expected) return TIRB_OK;
    char text[TIRBI_MAX_DIM_TEXT];
    tirbi_dim_format(b->program, b->function, dim, text, sizeof(text));
    if (status != TIRB_OK) {
        tirb_error reason = TIRB_ERROR_INIT;
        tirbi_dim_eval(dim, s->var_values, s->var_bound, &expected, &reason);
        return tirbi_bind_refuse(b, status, at->param, "%s must be %s: %s", describe(at).text, text, reason.message);
    }
    return tirbi_bind_refuse(b, TIRB_SHAPE, at->param, "%s is %lld, expected %lld (%s)", describe(at).text,
                             (long long)found, (long long)expected, text);
}

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

/* A bool parameter takes what frameworks export for one byte a bool: kDLBool of 8 or 1 bits, uint8 and uint1. Floats of
 * 8 bits are bytes to the machine, whose signatures say uint8. */
static bool type_matches(tirbi_dtype expected, DLDataType found) {
    const tirbi_dtype_info *info = &tirbi_dtypes[expected];
    if (found.lanes != 1) return false;
    if (found.code == info->dl_code && found.bits == info->bits) return true;
    bool float8 = found.code >= TIRB_DL_F8E3M4 && found.code <= TIRB_DL_F8E8M0FNU && found.bits == 8;
    if (float8) return expected == TIRB_U8;
    bool byte_bool = found.code == info->dl_code || found.code == kDLUInt;
    return expected == TIRB_BOOL && byte_bool && (found.bits == 8 || found.bits == 1);
}

/* Whether tirb.may_alias names a parameter at all. */
static bool is_named(const tirbi_function *f, uint32_t param) {
    for (unsigned i = 0; i < f->n_aliases; i++) {
        if (f->aliases[i].first == param || f->aliases[i].second == param) return true;
    }
    return false;
}

static tirb_status check_flags(const tirbi_binding *b, uint32_t i, const tirb_arg *arg) {
    enum { KNOWN = TIRB_ARG_READ_ONLY | TIRB_ARG_MAY_ALIAS };
    if (arg->flags & ~(uint32_t)KNOWN) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "its flags are 0x%x, this tirb knows 0x%x", (unsigned)arg->flags,
                                 (unsigned)KNOWN);
    }
    if ((arg->flags & TIRB_ARG_READ_ONLY) && (b->function->params[i].access & TIRBI_WRITE)) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is read-only, and the function writes it");
    }
    if ((arg->flags & TIRB_ARG_MAY_ALIAS) && !is_named(b->function, i)) {
        return tirbi_bind_refuse(b, TIRB_OVERLAP, i, "may share memory, and no pair of the function's tirb.may_alias "
                                                      "names it");
    }
    return TIRB_OK;
}

static tirb_status check_header(const tirbi_binding *b, uint32_t i, const tirb_arg *arg, DLTensor *out) {
    const tirbi_param *param = &b->function->params[i];
    if (arg->kind != TIRB_ARG_TENSOR) {
        const char *kind = arg->kind == TIRB_ARG_INT     ? "an integer"
                           : arg->kind == TIRB_ARG_FLOAT ? "a float"
                           : arg->kind == TIRB_ARG_NONE  ? "missing"
                           : arg->kind == TIRB_ARG_RESULT ? "left to the call, which makes results only"
                                                         : "of no known kind";
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is %s, expected a tensor", kind);
    }
    if (!arg->value.tensor) return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is NULL, expected a tensor");
    *out = *arg->value.tensor;
    if (out->device.device_type != kDLCPU && out->device.device_type != kDLCUDAHost) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "device type is %d, expected host memory (kDLCPU)",
                                 (int)out->device.device_type);
    }
    if (out->ndim != param->ndim) {
        return tirbi_bind_refuse(b, TIRB_SHAPE, i, "ndim is %d, expected %d", (int)out->ndim, param->ndim);
    }
    if (!type_matches((tirbi_dtype)param->dtype, out->dtype)) {
        char found[48];
        tirbi_dl_type_format(out->dtype, found);
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "dtype is %s, expected %s", found,
                                 tirbi_dtypes[param->dtype].tvm_name);
    }
    if (out->ndim > 0 && !out->shape) return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "shape is NULL");
    return check_flags(b, i, arg);
}

/* A dimension that no index can move along has no meaningful stride. */
static bool stride_counts(const tirbi_view *view, unsigned i) { return view->shape[i] != 1 && view->count != 0; }

static tirb_status bind_strides(tirbi_binding *b, uint32_t i, const tirbi_view *view) {
    const tirbi_param *param = &b->function->params[i];
    for (unsigned j = 0; j < param->ndim; j++) {
        const tirbi_dim *dim = &param->strides[j];
        bool free_var =
            dim->n_terms == 1 && dim->terms[0].op == TIRBI_DIM_VAR && !b->scratch->var_bound[dim->terms[0].value];
        if (!stride_counts(view, j) && !free_var) continue;
        if (stride_counts(view, j) && view->strides[j] < 0) {
            return tirbi_bind_refuse(b, TIRB_SHAPE, i,
                                     "strides[%u] is %lld, expected 0 or more where the parameter declares strides", j,
                                     (long long)view->strides[j]);
        }
        TIRBI_TRY(bind_dim(b, dim, view->strides[j], &(place){i, MEMBER_STRIDES, j}));
    }
    return TIRB_OK;
}

/* Strides in elements as the caller's NULL means them. */
static void fill_compact_strides(int64_t *strides, const int64_t *shape, int32_t ndim) {
    int64_t stride = 1;
    for (int32_t j = ndim - 1; j >= 0; j--) {
        strides[j] = stride;
        if (!tirbi_mul_i64(stride, shape[j], &stride)) stride = 0; /* only behind an extent of 0 */
    }
}

static tirb_status bind_offset(tirbi_binding *b, uint32_t i, tirbi_tensor *tensor, uint64_t byte_offset) {
    const tirbi_param *param = &b->function->params[i];
    if (byte_offset % tensor->view.item != 0 || byte_offset > INT64_MAX) {
        return tirbi_bind_refuse(b, TIRB_SHAPE, i, "byte_offset is %llu, expected a multiple of %u",
                                 (unsigned long long)byte_offset, tensor->view.item);
    }
    tensor->elem_offset = (int64_t)(byte_offset / tensor->view.item);
    return bind_dim(b, &param->elem_offset, tensor->elem_offset, &(place){i, MEMBER_ELEM_OFFSET, 0});
}

static tirb_status measure(const tirbi_binding *b, uint32_t i, tirbi_view *view, const DLTensor *source) {
    uintptr_t base;
    if (__builtin_add_overflow((uintptr_t)source->data, source->byte_offset, &base)) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "byte_offset %llu leads outside the address space",
                                 (unsigned long long)source->byte_offset);
    }
    view->base = (uint8_t *)base;
    if (!tirbi_view_measure(view)) {
        return tirbi_bind_refuse(b, TIRB_SHAPE, i, "its elements take more bytes than can be addressed");
    }
    if (!source->data && view->count != 0) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "data is NULL, expected memory for %llu elements",
                                 (unsigned long long)view->count);
    }
    return TIRB_OK;
}

static tirb_status bind_tensor(tirbi_binding *b, uint32_t i) {
    const tirbi_param *param = &b->function->params[i];
    tirbi_scratch *s = b->scratch;
    tirbi_tensor *tensor = &s->tensors[b->plan->slots[i]];
    tensor->param = i;
    tensor->packed = NULL;
    tensor->written = (param->access & TIRBI_WRITE) != 0;
    tensor->given = !b->partial || given(b, i);
    if (!tensor->given) return TIRB_OK;

    DLTensor source = {0};
    TIRBI_TRY(check_header(b, i, &b->args[i], &source));
    int64_t *shape = s->shapes + b->plan->first_dim[i];
    int64_t *strides = s->strides + b->plan->first_dim[i];
    for (unsigned j = 0; j < param->ndim; j++) {
        shape[j] = source.shape[j];
        if (shape[j] < 0) {
            return tirbi_bind_refuse(b, TIRB_SHAPE, i, "shape[%u] is %lld, expected 0 or more", j, (long long)shape[j]);
        }
        TIRBI_TRY(bind_dim(b, &param->shape[j], shape[j], &(place){i, MEMBER_SHAPE, j}));
    }
    tensor->view = (tirbi_view){.item = tirbi_dtypes[param->dtype].size, .ndim = param->ndim, .shape = shape};
    if (source.strides) {
        memcpy(strides, source.strides, param->ndim * sizeof(*strides));
        tensor->view.strides = strides;
    } else if (param->has_strides) {
        fill_compact_strides(strides, shape, param->ndim);
        tensor->view.strides = strides;
    }
    TIRBI_TRY(measure(b, i, &tensor->view, &source));
    if (param->has_strides) TIRBI_TRY(bind_strides(b, i, &tensor->view));
    if (param->has_elem_offset) TIRBI_TRY(bind_offset(b, i, tensor, source.byte_offset));
    tirbi_overlap overlap = tensor->written ? tirbi_view_overlaps_itself(&tensor->view) : TIRBI_APART;
    if (overlap == TIRBI_APART) return TIRB_OK;
    return tirbi_bind_refuse(b, TIRB_OVERLAP, i,
                             overlap == TIRBI_SHARED
                                 ? "is written, and its strides let elements overlap each other"
                                 : "is written, and from its strides it is too hard to tell whether "
                                   "elements overlap each other");
}

static tirb_status check_tensor_expressions(tirbi_binding *b, const tirbi_tensor *tensor) {
    uint32_t i = tensor->param;
    const tirbi_param *param = &b->function->params[i];
    for (unsigned j = 0; j < param->ndim; j++) {
        if (param->shape[j].n_terms == 1) continue;
        TIRBI_TRY(check_expression(b, &param->shape[j], tensor->view.shape[j], &(place){i, MEMBER_SHAPE, j}));
    }
    for (unsigned j = 0; param->has_strides && j < param->ndim; j++) {
        if (param->strides[j].n_terms == 1 || !stride_counts(&tensor->view, j)) continue;
        TIRBI_TRY(check_expression(b, &param->strides[j], tensor->view.strides[j], &(place){i, MEMBER_STRIDES, j}));
    }
    if (!param->has_elem_offset || param->elem_offset.n_terms == 1) return TIRB_OK;
    return check_expression(b, &param->elem_offset, tensor->elem_offset, &(place){i, MEMBER_ELEM_OFFSET, 0});
}

static tirb_status check_expressions(tirbi_binding *b) {
    for (uint32_t t = 0; t < b->plan->n_tensors; t++) {
        if (b->scratch->tensors[t].given) TIRBI_TRY(check_tensor_expressions(b, &b->scratch->tensors[t]));
    }
    return TIRB_OK;
}

/* ---- Scalars --------------------------------------------------------------------------------------------------- */

static tirb_status encode_float(const tirbi_binding *b, uint32_t i, tirbi_dtype type, uint64_t *out) {
    const tirb_arg *arg = &b->args[i];
    if (arg->kind == TIRB_ARG_FLOAT) {
        *out = tirbi_number_from_double(type, arg->value.f);
        return TIRB_OK;
    }
    if (tirbi_number_from_int(type, arg->value.i, out)) return TIRB_OK;
    return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is the integer %lld, which %s cannot hold exactly",
                             (long long)arg->value.i, tirbi_dtypes[type].tvm_name);
}

static tirb_status encode_int(const tirbi_binding *b, uint32_t i, tirbi_dtype type, uint64_t *out) {
    const tirb_arg *arg = &b->args[i];
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    if (arg->kind == TIRB_ARG_FLOAT) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is the float %.9g, expected %s", arg->value.f, info->tvm_name);
    }
    if (!tirbi_number_fits(type, arg->value.i)) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is %lld, which does not fit %s", (long long)arg->value.i,
                                 info->tvm_name);
    }
    *out = (uint64_t)arg->value.i; /* in range, so extended as registers hold it */
    return TIRB_OK;
}

static tirb_status bind_scalar(tirbi_binding *b, uint32_t i) {
    tirbi_dtype type = (tirbi_dtype)b->function->params[i].dtype;
    if (!given(b, i)) {
        if (b->partial) return TIRB_OK;
        uint16_t var = b->plan->scalar_vars[i];
        if (var != TIRBI_NO_REG && b->plan->inferable[var]) return TIRB_OK;
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is missing, and no tensor's shape determines it");
    }
    uint32_t kind = b->args[i].kind;
    if (kind != TIRB_ARG_INT && kind != TIRB_ARG_FLOAT) {
        return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is %s, expected %s",
                                 kind == TIRB_ARG_TENSOR ? "a tensor" : "of no known kind",
                                 tirbi_dtypes[type].tvm_name);
    }
    uint64_t *slot = &b->scratch->now->scalars[b->plan->slots[i]];
    return tirbi_dtype_is_float(type) ? encode_float(b, i, type, slot) : encode_int(b, i, type, slot);
}

/* A given scalar that is a shape variable binds it, or agrees with the tensor that did. */
static tirb_status bind_scalar_vars(tirbi_binding *b) {
    tirbi_scratch *s = b->scratch;
    for (uint32_t v = 0; v < b->function->n_vars; v++) {
        uint32_t i = b->function->vars[v].param;
        if (i == TIRBI_NO_REG || !given(b, i)) continue;
        int64_t value = b->args[i].value.i;
        if (s->var_bound[v] && s->var_values[v] != value) {
            return tirbi_bind_refuse(b, TIRB_SHAPE, i, "is %lld, expected %lld to match %s", (long long)value,
                                     (long long)s->var_values[v], describe_source(b, v).text);
        }
        if (!var_fits(&b->function->vars[v], value)) {
            return tirbi_bind_refuse(b, TIRB_SHAPE, i, "is %llu, which is too large for a shape variable",
                                     (unsigned long long)value);
        }
        s->var_values[v] = value;
        s->var_bound[v] = true;
    }
    return TIRB_OK;
}

static tirb_status store_vars(const tirbi_binding *b) {
    const tirbi_scratch *s = b->scratch;
    for (uint32_t v = 0; v < b->function->n_vars; v++) {
        if (!s->var_bound[v]) {
            const char *name = var_name(b, v);
            return tirbi_error_set(b->error, TIRB_SHAPE, "%.*s: no argument determines the shape variable '%.*s'",
                                   (int)tirbi_text_cut(b->plan->signature, MAX_CALLEE), b->plan->signature,
                                   (int)tirbi_text_cut(name, MAX_NAME), name);
        }
        s->now->scalars[b->plan->var_slots[v]] = (uint64_t)s->var_values[v];
    }
    return TIRB_OK;
}

tirb_status tirbi_bind_arguments(tirbi_binding *b) {
    const tirbi_function *f = b->function;
    if (f->n_vars) memset(b->scratch->var_bound, 0, f->n_vars * sizeof(bool));
    for (uint32_t i = 0; i < f->n_params; i++) {
        TIRBI_TRY(f->params[i].kind == TIRB_PARAM_TENSOR ? bind_tensor(b, i) : bind_scalar(b, i));
    }
    if (f->n_vars) TIRBI_TRY(bind_scalar_vars(b));
    if (f->n_conditions) TIRBI_TRY(tirbi_check_conditions(b));
    if (b->plan->has_compound) TIRBI_TRY(check_expressions(b));
    return b->partial || f->n_vars == 0 ? TIRB_OK : store_vars(b);
}

/* ---- References ------------------------------------------------------------------------------------------------ */

static tirb_status stopped(tirb_error *error, const atomic_uint *stop) {
    if (atomic_load_explicit(stop, memory_order_relaxed) == TIRBI_STOP_DEADLINE) {
        return tirbi_error_set(error, TIRB_DEADLINE, "the call ran past its time limit");
    }
    return tirbi_error_set(error, TIRB_CANCELLED, "the call was cancelled");
}

/* A parameter without declared strides sees an argument that is not compact through a copy. */
static bool is_copied(const tirbi_binding *b, const tirbi_tensor *tensor) {
    return !tensor->view.compact && !b->function->params[tensor->param].has_strides;
}

/* Two arguments share memory and one is written: fine where the function says so and sees the memory itself. */
static tirb_status judge_overlap(const tirbi_binding *b, const tirbi_tensor *x, const tirbi_tensor *y,
                                 tirbi_overlap overlap) {
    const tirbi_tensor *written = x->written ? x : y, *other = x->written ? y : x;
    const char *name = param_name(b, other->param), *why = "";
    if (tirbi_function_may_alias(b->function, x->param, y->param)) {
        bool read_only = b->args[other->param].flags & TIRB_ARG_READ_ONLY;
        if (!read_only && !is_copied(b, x) && !is_copied(b, y)) return TIRB_OK;
        why = read_only               ? ", which is read-only"
              : is_copied(b, written) ? ", for which it must be compact"
                                      : ", which must be compact for that";
    }
    return tirbi_bind_refuse(b, TIRB_OVERLAP, written->param, "is written and %s argument #%u '%.*s'%s",
                             overlap == TIRBI_SHARED ? "overlaps" : "may, for all that can be told, overlap",
                             other->param, (int)tirbi_text_cut(name, MAX_NAME), name, why);
}

static tirb_status check_overlap(const tirbi_binding *b, const atomic_uint *stop) {
    const tirbi_tensor *tensors = b->scratch->tensors;
    for (uint32_t i = 1; i < b->plan->n_tensors; i++) {
        const tirbi_tensor *x = &tensors[i];
        for (uint32_t j = 0; j < i; j++) {
            const tirbi_tensor *y = &tensors[j];
            if (x->view.low >= y->view.high || y->view.low >= x->view.high || !(x->written || y->written)) continue;
            tirbi_overlap overlap = tirbi_views_overlap(&x->view, &y->view);
            if (overlap != TIRBI_APART) TIRBI_TRY(judge_overlap(b, x, y, overlap));
            if (atomic_load_explicit(stop, memory_order_relaxed)) return stopped(b->error, stop);
        }
    }
    return TIRB_OK;
}

static tirb_status pack(tirbi_binding *b, tirbi_tensor *tensor, tirbi_spares *spares, tirbi_heap *heap,
                        const atomic_uint *stop) {
    b->packs = true;
    uint64_t size = tensor->view.count * tensor->view.item, total;
    const bool fits = tirbi_add_u64(size, sizeof(tirbi_block), &total) && total <= SIZE_MAX;
    tirbi_block *block = fits ? tirbi_block_take(spares, heap, (size_t)total) : NULL;
    if (!block) {
        if (atomic_load_explicit(stop, memory_order_relaxed)) return stopped(b->error, stop);
        tirb_status status = fits ? tirbi_heap_status(heap) : TIRB_NO_MEMORY;
        if (status == TIRB_NO_MEMORY) {
            return tirbi_bind_refuse(b, status, tensor->param, "out of memory for its compact copy of %llu bytes",
                                     (unsigned long long)size);
        }
        return tirbi_bind_refuse(b, status, tensor->param,
                                 "its compact copy of %llu bytes exceeds the memory limit of %llu",
                                 (unsigned long long)size, (unsigned long long)heap->budget);
    }
    block->total = (size_t)total;
    tensor->packed = (uint8_t *)(block + 1);
    return tirbi_view_pack(&tensor->view, tensor->packed, stop) ? TIRB_OK : stopped(b->error, stop);
}

tirb_status tirbi_bind_references(tirbi_binding *b, tirbi_spares *spares, tirbi_heap *heap, const atomic_uint *stop) {
    TIRBI_TRY(check_overlap(b, stop));
    for (uint32_t t = 0; t < b->plan->n_tensors; t++) {
        tirbi_tensor *tensor = &b->scratch->tensors[t];
        const tirbi_view *view = &tensor->view;
        const tirbi_param *param = &b->function->params[tensor->param];
        tirbi_ref *ref = &b->scratch->now->refs[t];
        *ref = (tirbi_ref){.data = view->base, .size = view->high - view->low, .type = param->dtype,
                            .writable = tensor->written};
        if (!param->has_strides && !view->compact) {
            TIRBI_TRY(pack(b, tensor, spares, heap, stop));
            ref->data = tensor->packed;
            ref->size = view->count * view->item;
        }
        if (param->is_open) ref->size = 0; /* `result` alone puts elements there, and may make other memory of it */
    }
    return TIRB_OK;
}

tirb_status tirbi_bind_copy_back(tirbi_binding *b, const atomic_uint *stop) {
    for (uint32_t t = 0; b->packs && t < b->plan->n_tensors; t++) {
        tirbi_tensor *tensor = &b->scratch->tensors[t];
        if (!tensor->packed || !tensor->written) continue;
        if (!tirbi_view_unpack(&tensor->view, tensor->packed, stop)) return stopped(b->error, stop);
    }
    return TIRB_OK;
}

void tirbi_bind_release(tirbi_binding *b, tirbi_spares *spares, tirbi_heap *heap) {
    for (uint32_t t = b->packs ? b->plan->n_tensors : 0; t-- > 0;) {
        tirbi_tensor *tensor = &b->scratch->tensors[t];
        if (tensor->packed) tirbi_block_leave(spares, heap, (tirbi_block *)(void *)tensor->packed - 1);
        tensor->packed = NULL;
    }
}
