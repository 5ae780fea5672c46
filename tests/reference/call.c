/* Calls: from outside with tensors, from inside with pointers; both bind a callee's parameters the same way. */
#include <stdlib.h>
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "tests/reference/machine.h"
#include "tests/reference/narrow.h"
#include "tests/reference/packed.h"
#include "tests/reference/value.h"
#include "tests/reference/writes.h"

enum { DEFAULT_DEPTH = 200 };

/* One argument as the callee gets it. */
typedef struct argument {
    bool given;
    tirbi_ref_value value;      /* a scalar, or where the buffer begins */
    const tirbi_ref_view *view; /* the shape and strides of the buffer, where they are known */
    bool is_pointer;            /* the shape need not be the parameter's */
} argument;

/* ---- Binding parameters --------------------------------------------------------------------------------------- */

static bool is_unbound(const tirbi_ref_machine *m, const tirb_expr *e) {
    return e->kind == TIRB_EXPR_VAR && m->frame->vars[e->as.var.id].type.lanes == 0;
}

static bool bind_size(tirbi_ref_machine *m, const tirb_expr *var, int64_t value) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, var->dtype, &type)) return false;
    bool too_large = !tirbi_dtype_is_signed(type) && value < 0;
    if (too_large || (int64_t)tirbi_ref_extend(type, (uint64_t)value) != value) {
        return tirbi_ref_fail(m, TIRB_SHAPE, "%lld does not fit %s: %s", (long long)value, var->as.var.name,
                              tirbi_dtypes[type].tvm_name);
    }
    tirbi_ref_bind_int(m, var, value);
    return true;
}

/* Binds the variables that stand alone in the shape, strides and offset of a parameter. */
static bool bind_shape_vars(tirbi_ref_machine *m, const tirb_buffer *buffer, const tirbi_ref_view *view,
                            int64_t elem_offset) {
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (is_unbound(m, buffer->shape[i]) && !bind_size(m, buffer->shape[i], view->shape[i])) return false;
    }
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) {
        if (is_unbound(m, buffer->strides[i]) && !bind_size(m, buffer->strides[i], view->strides[i])) return false;
    }
    if (buffer->elem_offset != NULL && is_unbound(m, buffer->elem_offset)) {
        return bind_size(m, buffer->elem_offset, elem_offset);
    }
    return true;
}

static bool expect(tirbi_ref_machine *m, const tirb_expr *e, int64_t actual, const char *what, uint32_t dim,
                   const tirb_buffer *buffer) {
    int64_t expected;
    if (!tirbi_ref_eval_int(m, e, &expected)) return false;
    if (expected == actual) return true;
    return tirbi_ref_fail(m, TIRB_SHAPE, "%s.%s[%u] is %lld, expected %lld", buffer->name, what, dim, (long long)actual,
                          (long long)expected);
}

static bool check_view(tirbi_ref_machine *m, const tirb_buffer *buffer, const tirbi_ref_view *view) {
    bool empty = false;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!expect(m, buffer->shape[i], view->shape[i], "shape", i, buffer)) return false;
        empty = empty || view->shape[i] == 0;
    }
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) {
        if (view->shape[i] == 1 || empty) continue;
        if (!expect(m, buffer->strides[i], view->strides[i], "strides", i, buffer)) return false;
    }
    return true;
}

static bool check_bound(tirbi_ref_machine *m, const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_shape_vars; i++) {
        if (is_unbound(m, f->shape_vars[i])) {
            return tirbi_ref_fail(m, TIRB_SHAPE, "no argument determines the shape variable %s",
                                  f->shape_vars[i]->as.var.name);
        }
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] == NULL && is_unbound(m, f->params[i])) {
            return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s is missing", f->params[i]->as.var.name);
        }
    }
    return true;
}

/* A buffer parameter over the memory of its argument. A part of a buffer, or a buffer of another rank, is taken as a
 * run of elements, of which there must be enough. */
static bool bind_buffer(tirbi_ref_machine *m, const tirb_buffer *buffer, const argument *arg) {
    tirbi_ref_value pointer = arg->value;
    const tirbi_ref_view *known = arg->view;
    if (known != NULL && known->ndim != buffer->ndim && tirbi_ref_compact(known)) known = NULL;
    if (known != NULL && buffer->strides == NULL && !tirbi_ref_compact(known)) {
        return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "a strided buffer is passed for %s, which has no strides",
                              buffer->name);
    }
    if (known != NULL && arg->is_pointer) known = NULL;
    if (known != NULL && !check_view(m, buffer, known)) return false;
    /* The pointer already stands at the first element: the declared offset must not move it again. */
    tirb_buffer *at_start = tirbi_ref_scratch(m, 1, sizeof *at_start);
    if (at_start == NULL) return false;
    *at_start = *buffer;
    at_start->elem_offset = NULL;
    if (!tirbi_ref_declare(m, at_start, pointer)) return false;
    const tirbi_ref_view *view = m->frame->views[buffer->id];
    if (known == NULL) {
        tirbi_dtype type;
        if (!tirbi_ref_element_type(m, buffer->dtype, &type)) return false;
        uint64_t bytes = (uint64_t)tirbi_dtypes[type].size * buffer->dtype.lanes;
        for (uint32_t i = 0; i < view->ndim; i++) {
            if (!tirbi_mul_u64(bytes, (uint64_t)view->shape[i], &bytes)) bytes = UINT64_MAX;
        }
        if (!tirbi_in_range(pointer.one, bytes, pointer.memory->size)) {
            return tirbi_ref_fail(m, TIRB_BOUNDS, "the argument for %s has fewer elements than its shape",
                                  buffer->name);
        }
    }
    return true;
}

static bool bind_params(tirbi_ref_machine *m, const argument *args, const int64_t *elem_offsets) {
    const tirb_primfunc *f = m->frame->function;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (args[i].given) tirbi_ref_bind(m, f->params[i], args[i].value);
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *buffer = f->buffers[i];
        if (buffer == NULL || args[i].view == NULL || args[i].view->ndim != buffer->ndim) continue;
        if (!bind_shape_vars(m, buffer, args[i].view, elem_offsets != NULL ? elem_offsets[i] : 0)) return false;
    }
    if (!check_bound(m, f)) return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] != NULL && !bind_buffer(m, f->buffers[i], &args[i])) return false;
    }
    return true;
}

/* The bytes that a parameter's elements lie in; false if it has none. */
static bool bytes_of(const tirbi_ref_machine *m, const tirb_buffer *buffer, const uint8_t **low, const uint8_t **high) {
    const tirbi_ref_view *view = m->frame->views[buffer->id];
    tirbi_dtype type;
    tirb_datatype element =
        tirbi_ref_is_narrow(buffer->dtype) ? (tirb_datatype){TIRB_CODE_UINT, 8, 1, false} : buffer->dtype;
    element.lanes = 1;
    if (!tirb_datatype_machine(element, &type)) return false;
    int64_t item = (int64_t)tirbi_dtypes[type].size * buffer->dtype.lanes;
    *low = view->memory->bytes + view->base;
    *high = *low + item;
    for (uint32_t i = 0; i < view->ndim; i++) {
        int64_t reach = (view->shape[i] - 1) * view->strides[i] * item;
        if (view->shape[i] == 0) return false;
        if (reach < 0) *low += reach;
        else *high += reach;
    }
    return true;
}

/* What holds for arguments from outside holds inside: one that is written overlaps no other, but for the pairs of
 * tirb.may_alias. */
static bool check_overlap(tirbi_ref_machine *m, const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const tirb_buffer *a = f->buffers[i];
            const tirb_buffer *b = f->buffers[j];
            const uint8_t *low_a, *high_a, *low_b, *high_b;
            if (a == NULL || b == NULL || tirbi_may_alias(f, i, j)) continue;
            if (!m->written[a->data->as.var.id] && !m->written[b->data->as.var.id]) continue;
            if (!bytes_of(m, a, &low_a, &high_a) || !bytes_of(m, b, &low_b, &high_b)) continue;
            if (low_a >= high_b || low_b >= high_a) continue;
            return tirbi_ref_fail(m, TIRB_OVERLAP, "'%s' and '%s' of %s overlap and it writes one of them", b->name,
                                  a->name, f->name);
        }
    }
    return true;
}

/* Runs a function in a frame of its own. */
static bool run_function(tirbi_ref_machine *m, const tirb_primfunc *f, const argument *args,
                         const int64_t *elem_offsets, tirbi_ref_value *out) {
    uint32_t max_depth = m->options.max_depth != 0 ? m->options.max_depth : DEFAULT_DEPTH;
    if (m->depth >= max_depth) return tirbi_ref_fail(m, TIRB_DEPTH, "calls are nested more than %u deep", max_depth);
    if (!tirbi_ref_step(m)) return false;
    tirbi_ref_frame *caller = m->frame;
    bool inside = caller != NULL;
    tirbi_ref_frame frame = {
        .function = f,
        .vars = tirbi_ref_scratch(m, m->module->n_vars, sizeof *frame.vars),
        .views = tirbi_ref_scratch(m, m->module->n_buffers, sizeof *frame.views),
    };
    if (frame.vars == NULL || frame.views == NULL) return false;
    m->frame = &frame;
    m->depth++;
    m->returned = (tirbi_ref_value){.type = {.lanes = 0}};
    bool done = bind_params(m, args, elem_offsets) && (!inside || check_overlap(m, f));
    if (done) done = tirbi_ref_run(m, f->body) != TIRBI_REF_FAILED;
    if (done && f->ret_type.kind == TIRB_TYPE_PRIM && m->returned.type.lanes == 0 && !tirbi_ref_is_packed(f)) {
        done = tirbi_ref_fail(m, TIRB_ASSERT, "RuntimeError: %s ends without returning a value", f->name);
    }
    m->depth--;
    m->frame = caller;
    *out = m->returned;
    m->returned = (tirbi_ref_value){.type = {.lanes = 0}};
    return done && m->status == TIRB_OK;
}

/* ---- Calls from inside ---------------------------------------------------------------------------------------- */

/* The buffer whose data an argument is: its view gives what the parameter's shape does not say. */
static const tirb_buffer *data_buffer(const tirb_expr *arg) {
    if (arg->kind == TIRB_EXPR_CALL && arg->as.call.function == NULL && arg->as.call.function_name == NULL &&
        arg->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA) {
        arg = arg->as.call.args[0];
    }
    return arg->kind == TIRB_EXPR_VAR ? arg->as.var.data_of : NULL;
}

/* What a pointer as a parameter leads to: all that follows in the buffer that is passed. */
static bool view_of_rest(tirbi_ref_machine *m, const tirb_buffer *formal, const tirb_expr *arg, argument *bound) {
    const tirb_expr *load = arg->kind == TIRB_EXPR_CALL && arg->as.call.function == NULL && arg->as.call.n_args == 1
                                ? arg->as.call.args[0]
                                : NULL;
    const tirbi_ref_view *of =
        load != NULL && load->kind == TIRB_EXPR_LOAD ? tirbi_ref_view_of(m, load->as.load.buffer) : bound->view;
    tirbi_ref_view *rest = tirbi_ref_scratch(m, 1, sizeof *rest);
    int64_t *extents = tirbi_ref_scratch(m, 2, sizeof *extents);
    tirbi_dtype type;
    if (rest == NULL || extents == NULL || bound->value.memory == NULL ||
        !tirbi_ref_element_type(m, formal->dtype, &type))
        return false;
    int64_t count = 1, item = tirbi_dtypes[type].size, start = (int64_t)bound->value.one;
    for (uint32_t i = 0; of != NULL && i < of->ndim; i++) count *= of->shape[i];
    int64_t end = of != NULL ? of->base + count * item : (int64_t)bound->value.memory->size;
    extents[0] = end > start ? (end - start) / item : 0;
    extents[1] = 1;
    *rest = (tirbi_ref_view){.buffer = formal,
                             .memory = bound->value.memory,
                             .base = start,
                             .ndim = 1,
                             .shape = extents,
                             .strides = extents + 1};
    bound->view = rest;
    return true;
}

/* The elements of a region, in the dimensions that it has more than one of, or in all if the parameter has as many. */
static bool view_of_part(tirbi_ref_machine *m, const tirb_buffer *formal, const tirb_buffer_region *part,
                         argument *bound) {
    const tirbi_ref_view *of = bound->view;
    tirbi_ref_view *view = tirbi_ref_scratch(m, 1, sizeof *view);
    int64_t *extents = tirbi_ref_scratch(m, 2 * (size_t)of->ndim, sizeof *extents);
    if (view == NULL || (extents == NULL && of->ndim != 0)) return false;
    *view = (tirbi_ref_view){
        .memory = of->memory, .base = (int64_t)bound->value.one, .shape = extents, .strides = extents + of->ndim};
    for (uint32_t d = 0; d < of->ndim; d++) {
        int64_t min, extent;
        if (!tirbi_ref_eval_int(m, part->region[d].min, &min) ||
            !tirbi_ref_eval_int(m, part->region[d].extent, &extent))
            return false;
        if (extent > of->shape[d] - min)
            return tirbi_ref_fail(m, TIRB_SHAPE, "a part of %s ends behind it", part->buffer->name);
        const tirb_expr *written = part->region[d].extent;
        if (of->ndim != formal->ndim && written->kind == TIRB_EXPR_INT_IMM && extent == 1) continue;
        view->shape[view->ndim] = extent;
        view->strides[view->ndim++] = of->strides[d];
    }
    bound->view = view;
    return true;
}

bool tirbi_ref_call(tirbi_ref_machine *m, const tirb_expr *call, tirbi_ref_value *out) {
    const tirb_primfunc *function = call->as.call.function;
    const tirb_expr *const *args = call->as.call.args;
    const tirb_buffer_region *passed = call->as.call.passed;
    uint32_t n_args = call->as.call.n_args;
    if (n_args != function->n_params) {
        return tirbi_ref_fail(m, TIRB_TYPE, "%s takes %u arguments, found %u", function->name, function->n_params,
                              n_args);
    }
    argument *bound = tirbi_ref_scratch(m, n_args, sizeof *bound);
    if (bound == NULL) return false;
    for (uint32_t i = 0; i < n_args; i++) {
        bound[i].given = true;
        if (!tirbi_ref_eval_argument(m, args[i], &bound[i].value)) return false;
        const tirb_buffer_region *named = passed != NULL && passed[i].buffer != NULL ? &passed[i] : NULL;
        const tirb_buffer *whole = function->buffers[i] == NULL ? NULL
                                   : named != NULL              ? named->buffer
                                                                : data_buffer(args[i]);
        bool implied = function->buffers[i] != NULL && function->buffers[i]->is_implied;
        bound[i].is_pointer = named == NULL;
        if (whole != NULL) {
            bound[i].view = tirbi_ref_view_of(m, whole);
            if (bound[i].view == NULL) return false;
            if (named != NULL && named->region != NULL && !view_of_part(m, function->buffers[i], named, &bound[i]))
                return false;
            bound[i].value.memory = bound[i].view->memory;
            bound[i].value.one = (uint64_t)bound[i].view->base;
        }
        if (implied && !view_of_rest(m, function->buffers[i], args[i], &bound[i])) return false;
    }
    return run_function(m, function, bound, NULL, out);
}

/* ---- Arguments from outside ----------------------------------------------------------------------------------- */

/* A tensor, as memory that the function sees. One that is not compact is packed first, unless the function declares
 * strides, and unpacked after the call. */
typedef struct outside {
    const DLTensor *tensor;
    tirbi_ref_memory memory;
    uint8_t *packed;
    uint64_t count;
    uint32_t item;
} outside;

static bool type_matches(tirbi_dtype expected, DLDataType found) {
    DLDataType wanted = tirbi_dtype_to_dl(expected);
    if (found.lanes != 1) return false;
    if (found.code == wanted.code && found.bits == wanted.bits) return true;
    return expected == TIRB_BOOL && (found.code == wanted.code || found.code == kDLUInt) &&
           (found.bits == 8 || found.bits == 1);
}

/* Copies between the tensor's places and packed memory, in row-major order. */
static void copy_elements(const outside *o, const tirbi_ref_view *view, bool pack) {
    uint8_t *base = (uint8_t *)o->tensor->data + o->tensor->byte_offset;
    for (uint64_t i = 0; i < o->count; i++) {
        uint64_t rest = i;
        int64_t at = 0;
        for (uint32_t d = view->ndim; d-- > 0;) {
            at += (int64_t)(rest % (uint64_t)view->shape[d]) * o->tensor->strides[d];
            rest /= (uint64_t)view->shape[d];
        }
        uint8_t *place = base + at * (int64_t)o->item;
        uint8_t *element = o->packed + i * o->item;
        memcpy(pack ? element : place, pack ? place : element, o->item);
    }
}

/* The shape and strides of a tensor, and the memory that its elements are in. */
static bool view_tensor(tirbi_ref_machine *m, const tirb_buffer *buffer, outside *o, tirbi_ref_view **out) {
    const DLTensor *t = o->tensor;
    tirbi_ref_view *view = tirbi_ref_scratch(m, 1, sizeof *view);
    if (view == NULL) return false;
    view->buffer = buffer;
    view->ndim = buffer->ndim;
    view->shape = tirbi_ref_scratch(m, view->ndim, sizeof *view->shape);
    view->strides = tirbi_ref_scratch(m, view->ndim, sizeof *view->strides);
    if (view->shape == NULL || view->strides == NULL) return false;
    int64_t stride = 1;
    int64_t low = 0;
    int64_t high = 0;
    o->count = 1;
    for (uint32_t i = view->ndim; i-- > 0;) {
        view->shape[i] = t->shape[i];
        if (t->shape[i] < 0) return tirbi_ref_fail(m, TIRB_SHAPE, "an extent of %s is negative", buffer->name);
        view->strides[i] = t->strides != NULL ? t->strides[i] : stride;
        stride *= t->shape[i];
        o->count *= (uint64_t)t->shape[i];
        int64_t reach = (t->shape[i] - 1) * view->strides[i];
        if (reach < 0) low += reach;
        if (reach > 0) high += reach;
    }
    uint8_t *base = (uint8_t *)t->data + t->byte_offset;
    if (o->count == 0) low = high = 0;
    o->memory.bytes = base + low * (int64_t)o->item;
    o->memory.size = o->count == 0 ? 0 : (uint64_t)(high - low + 1) * o->item;
    view->memory = &o->memory;
    view->base = -low * (int64_t)o->item;
    *out = view;
    if (buffer->strides != NULL || tirbi_ref_compact(view)) return true;
    o->packed = malloc(o->count * o->item + 1);
    if (o->packed == NULL) return tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
    copy_elements(o, view, true);
    o->memory = (tirbi_ref_memory){.bytes = o->packed, .size = o->count * o->item};
    view->base = 0;
    stride = 1;
    for (uint32_t i = view->ndim; i-- > 0;) {
        view->strides[i] = stride;
        stride *= view->shape[i];
    }
    return true;
}

static bool take_tensor(tirbi_ref_machine *m, const tirb_buffer *buffer, const tirb_arg *arg, outside *o,
                        argument *out, int64_t *elem_offset) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, buffer->dtype, &type)) return false;
    if (arg->kind != TIRB_ARG_TENSOR || arg->value.tensor == NULL) {
        return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s is no tensor", buffer->name);
    }
    const DLTensor *t = arg->value.tensor;
    o->tensor = t;
    const bool is_vector = buffer->dtype.lanes > 1; /* its lanes are one more dimension of the argument */
    const uint32_t ndim = buffer->ndim + is_vector;
    o->item = (uint32_t)tirbi_dtypes[type].size * buffer->dtype.lanes;
    if (t->device.device_type != kDLCPU && t->device.device_type != kDLCUDAHost) {
        return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s is not in host memory", buffer->name);
    }
    if (t->ndim < 0 || (uint32_t)t->ndim != ndim || (is_vector && t->strides != NULL)) {
        return tirbi_ref_fail(m, TIRB_SHAPE, "ndim of %s is %d, expected %u", buffer->name, (int)t->ndim, ndim);
    }
    if (is_vector && t->shape[ndim - 1] != buffer->dtype.lanes)
        return tirbi_ref_fail(m, TIRB_SHAPE, "elements of %s have other numbers of lanes", buffer->name);
    if (!type_matches(type, t->dtype)) {
        return tirbi_ref_fail(m, TIRB_ARGUMENT, "dtype of %s is not %s", buffer->name, tirbi_dtypes[type].tvm_name);
    }
    tirbi_ref_view *view = NULL;
    if (!view_tensor(m, buffer, o, &view)) return false;
    if (t->data == NULL && o->count != 0) {
        return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s has no data", buffer->name);
    }
    *elem_offset = (int64_t)(t->byte_offset / o->item);
    *out = (argument){.given = true,
                      .value = {.type = buffer->data->dtype, .one = (uint64_t)view->base, .memory = &o->memory},
                      .view = view};
    return true;
}

static bool take_scalar(tirbi_ref_machine *m, const tirb_expr *param, const tirb_arg *arg, argument *out) {
    tirbi_dtype type;
    const char *name = param->as.var.name;
    bool pointer = param->dtype.code == TIRB_CODE_HANDLE; /* that leads nowhere: a number */
    tirb_datatype number = {TIRB_CODE_INT, 64, 1, false};
    if (!tirbi_ref_element_type(m, pointer ? number : param->dtype, &type)) return false;
    if (arg->kind == TIRB_ARG_NONE) return true;
    bool is_float = tirbi_dtype_is_float(type);
    if (arg->kind != TIRB_ARG_INT && !(arg->kind == TIRB_ARG_FLOAT && is_float)) {
        return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s is no %s", name, tirbi_dtypes[type].tvm_name);
    }
    uint64_t bits;
    if (arg->kind == TIRB_ARG_FLOAT) {
        bits = tirbi_ref_from_double(type, arg->value.f);
    } else {
        bits = tirbi_ref_cast(type, TIRB_I64, (uint64_t)arg->value.i);
        uint64_t back = type == TIRB_U64 ? (uint64_t)arg->value.i : tirbi_ref_cast(TIRB_I64, type, bits);
        if (back != (uint64_t)arg->value.i) {
            return tirbi_ref_fail(m, TIRB_ARGUMENT, "argument %s is %lld, which %s does not hold", name,
                                  (long long)arg->value.i, tirbi_dtypes[type].tvm_name);
        }
    }
    *out = (argument){.given = true, .value = {.type = param->dtype, .one = bits}};
    return true;
}

static void give_result(const tirbi_ref_value *value, tirb_result *result) {
    tirbi_dtype type;
    *result = (tirb_result){.dtype = {.code = 0, .bits = 0, .lanes = 0}};
    tirb_datatype element =
        tirbi_ref_is_narrow(value->type) ? (tirb_datatype){TIRB_CODE_UINT, 8, 1, false} : value->type;
    if (value->type.lanes != 1 || !tirb_datatype_machine(element, &type)) return;
    result->dtype = tirbi_dtype_to_dl(type);
    if (tirbi_dtype_is_float(type)) {
        result->value.f = tirbi_ref_to_double(type, value->one);
    } else {
        result->value.i = (int64_t)value->one;
    }
}

static bool call_from_outside(tirbi_ref_machine *m, const tirb_primfunc *f, const tirb_arg *args, outside *tensors,
                              tirb_result *result) {
    argument *bound = tirbi_ref_scratch(m, f->n_params, sizeof *bound);
    int64_t *elem_offsets = tirbi_ref_scratch(m, f->n_params, sizeof *elem_offsets);
    if (bound == NULL || elem_offsets == NULL) return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        bool taken = f->buffers[i] != NULL
                         ? take_tensor(m, f->buffers[i], &args[i], &tensors[i], &bound[i], &elem_offsets[i])
                         : take_scalar(m, f->params[i], &args[i], &bound[i]);
        if (!taken) return false;
    }
    tirbi_ref_value value = {.type = {.lanes = 0}};
    if (!run_function(m, f, bound, elem_offsets, &value)) return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (tensors[i].packed != NULL) copy_elements(&tensors[i], bound[i].view, false);
    }
    if (value.type.code == TIRB_CODE_HANDLE && value.memory != NULL) { /* from the parameter's pointer on */
        uint32_t i = 0;
        while (i < f->n_params && bound[i].value.memory != value.memory) i++;
        uint64_t start = i < f->n_params ? bound[i].value.one : 0;
        value = (tirbi_ref_value){.type = {TIRB_CODE_INT, 64, 1, false}, .one = value.one - start};
    }
    if (result != NULL) give_result(&value, result);
    return true;
}

static bool call_packed(tirbi_ref_machine *m, const tirb_primfunc *f, const tirb_arg *args, uint32_t n_args,
                        tirb_result *result) {
    tirbi_ref_packed packed;
    tirbi_ref_value value = {.type = {.lanes = 0}};
    tirb_result ignored;
    argument *bound = tirbi_ref_scratch(m, f->n_params, sizeof *bound);
    if (bound == NULL || !tirbi_ref_pack(m, args, n_args, &packed)) return false;
    for (uint32_t i = 0; i < f->n_params && i < 6; i++) bound[i] = (argument){.given = true, .value = packed.params[i]};
    return run_function(m, f, bound, NULL, &value) &&
           tirbi_ref_packed_result(m, &packed, value.one, result != NULL ? result : &ignored);
}

static const tirb_primfunc *find_function(const tirb_irmodule *module, const char *name) {
    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
    }
    return NULL;
}

tirb_status tirb_reference_call(const tirb_irmodule *module, const char *name, const tirb_reference_options *options,
                                const tirb_arg *args, uint32_t n_args, tirb_result *result, tirb_error *error) {
    const tirb_primfunc *f = find_function(module, name);
    if (f == NULL) return tirbi_error_set(error, TIRB_NOT_FOUND, "no function is called %s", name);
    bool packed = tirbi_ref_is_packed(f);
    if (n_args != f->n_params && !packed) {
        return tirbi_error_set(error, TIRB_ARGUMENT, "%s takes %u arguments, found %u", name, f->n_params, n_args);
    }
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    tirbi_ref_trees trees;
    tirbi_ref_machine m = {.module = module, .arena = &arena, .trees = &trees, .error = error};
    if (options != NULL) m.options = *options;
    outside *tensors = calloc((size_t)n_args + 1, sizeof *tensors);
    if (tensors == NULL || !tirbi_ref_find_trees(module, m.options.fp == TIRB_FP_FAST, &arena, &trees)) {
        tirbi_ref_fail(&m, TIRB_NO_MEMORY, "out of memory");
    } else if ((m.written = tirbi_ref_find_writes(module, &arena)) == NULL) {
        tirbi_ref_fail(&m, TIRB_NO_MEMORY, "out of memory");
    } else if (packed) {
        call_packed(&m, f, args, n_args, result);
    } else {
        call_from_outside(&m, f, args, tensors, result);
    }
    for (uint32_t i = 0; tensors != NULL && i < n_args; i++) free(tensors[i].packed);
    free(tensors);
    tirbi_ref_scratch_destroy(&m);
    tirbi_arena_destroy(&arena);
    return m.status;
}
