/* Calls of functions whose types are written, and values of the host. */
#include <string.h>

#include "compiler/relax/infer/infer.h"

typedef const tirb_relax_type *type;

type tirbi_relax_infer_typed_call(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t n = call->as.call.n_types;
    if (n == 0) return tirbi_relax_any(b);
    return n == 1 ? call->as.call.types[0] : tirbi_relax_tuple(b, call->as.call.types, n);
}

type tirbi_relax_infer_any(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    (void)call;
    return tirbi_relax_any(b);
}

type tirbi_relax_infer_nothing(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    (void)call;
    return tirbi_relax_tuple(b, NULL, 0);
}

/* ---- Calls of PrimFuncs ------------------------------------------------------------------------------------------ */

static bool fits(tirbi_relax_builder *b, const tirb_relax_expr *call, type t, const tirb_primfunc *f, uint32_t i) {
    char text[32];
    const tirb_buffer *buffer = f->buffers[i];
    const char *name = f->params[i]->as.var.name;
    if (t->kind == TIRB_RELAX_TYPE_PRIM) {
        if (!buffer && tirb_datatype_equal(t->dtype, f->params[i]->dtype)) return true;
        tirbi_relax_fail(b, call, "`%s` takes %s for its parameter `%s`, not %s", f->name,
                         buffer ? "a tensor" : tirb_datatype_text(f->params[i]->dtype, text), name,
                         tirbi_relax_type_text(b, t));
        return false;
    }
    if (t->kind != TIRB_RELAX_TYPE_TENSOR) return true;
    if (!buffer && tirbi_type_is_handle(f->params[i]->dtype)) return true;
    bool good = buffer && (!tirb_relax_knows_dtype(t) || tirb_datatype_equal(t->dtype, buffer->dtype)) &&
                (t->ndim < 0 || (uint32_t)t->ndim == buffer->ndim);
    for (uint32_t d = 0; good && t->has_shape && d < buffer->ndim; d++) {
        int64_t x, y;
        good = !tirbi_dim_const(t->shape[d], &x) || !tirbi_dim_const(buffer->shape[d], &y) || x == y;
    }
    if (!good)
        tirbi_relax_fail(b, call, "%s does not fit the parameter `%s` of `%s`", tirbi_relax_type_text(b, t), name,
                         f->name);
    return good;
}

static bool is_output(const tirb_relax_attr *inplace, uint32_t i) {
    return tirbi_relax_is_none(inplace) || inplace->as.list.items[i].as.integer < 0;
}

static bool read_inplace(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_attr *inplace,
                         uint32_t n_args) {
    uint32_t n = inplace->as.list.n;
    bool some = false;
    if (n != call->as.call.n_types) {
        tirbi_relax_fail(b, call, "inplace_indices has %u numbers for %u results", n, call->as.call.n_types);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t at = inplace->as.list.items[i].as.integer;
        bool good = at >= -1 && at < n_args;
        for (uint32_t j = 0; j < i; j++) good = good && (at < 0 || inplace->as.list.items[j].as.integer != at);
        some |= at >= 0;
        if (good) continue;
        tirbi_relax_fail(b, call, "inplace_indices has %lld for %u arguments", (long long)at, n_args);
        return false;
    }
    if (!some) tirbi_relax_fail(b, call, "no result is in place; write R.call_tir");
    return some;
}

/* What a result overwrites has its type. */
static bool is_overwritten(tirbi_relax_builder *b, const tirb_relax_expr *call, type given, type result) {
    bool good = given->kind == TIRB_RELAX_TYPE_TENSOR && given->has_shape && given->ndim == result->ndim &&
                tirb_datatype_equal(given->dtype, result->dtype);
    for (int32_t i = 0; good && i < result->ndim; i++)
        good = tirbi_dim_equal(&b->dims, given->shape[i], result->shape[i]);
    if (!good)
        tirbi_relax_fail(b, call, "the result %s cannot be written in place of %s", tirbi_relax_type_text(b, result),
                         tirbi_relax_type_text(b, given));
    return good;
}

/* The type of a parameter of a PrimFunc; without a shape where not all of its sizes are numbers and int64. */
static type parameter_type(tirbi_relax_builder *b, const tirb_primfunc *f, uint32_t i) {
    const tirb_buffer *buffer = f->buffers[i];
    const tirb_datatype dtype = f->params[i]->dtype;
    if (!buffer) return tirbi_type_is_handle(dtype) ? tirbi_relax_any(b) : tirbi_relax_prim(b, dtype);
    const tirb_expr **dims = tirbi_relax_new_dims(b, buffer->ndim);
    for (uint32_t d = 0; dims && d < buffer->ndim; d++) {
        int64_t value;
        if (tirbi_dim_const(buffer->shape[d], &value))
            dims[d] = tirbi_dim(&b->dims, value);
        else if (tirb_datatype_equal(buffer->shape[d]->dtype, tirbi_type_i64))
            dims[d] = buffer->shape[d];
        else
            return tirbi_relax_tensor_of_rank(b, (int32_t)buffer->ndim, buffer->dtype);
        if (!dims[d]) return NULL;
    }
    return dims ? tirbi_relax_tensor(b, dims, buffer->ndim, buffer->dtype) : NULL;
}

/* Whether the results are what the function makes of these arguments, as far as these say its sizes. */
static bool makes_results(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_primfunc *f,
                          const tirb_relax_attr *inplace) {
    const tirb_relax_expr *args = call->as.call.args[1];
    const uint32_t n = args->as.tuple.n, n_results = f->n_params - n;
    type *params = TIRBI_NEW_ARRAY(b->arena, type, n), *results = TIRBI_NEW_ARRAY(b->arena, type, n_results);
    tirb_relax_expr applied = {.kind = TIRB_RELAX_CALL, .span = call->span};
    applied.as.call.op = call->as.call.op;
    applied.as.call.args = args->as.tuple.items;
    applied.as.call.n_args = n;
    for (uint32_t i = 0; params && i < n; i++)
        if (!(params[i] = parameter_type(b, f, i))) return false;
    for (uint32_t i = 0; results && i < n_results; i++)
        if (!(results[i] = parameter_type(b, f, n + i))) return false;
    type all = params && results ? tirbi_relax_tuple(b, results, n_results) : NULL;
    type function = all ? tirbi_relax_function_type(b, params, n, all, true) : NULL;
    type made = function ? tirbi_relax_call_type(b, &applied, function) : NULL;
    for (uint32_t i = 0, at = 0; made && i < call->as.call.n_types; i++) {
        if (!is_output(inplace, i)) continue;
        type said = call->as.call.types[i], found = made->fields[at++];
        if (tirbi_relax_is_base_of(b, found, said)) continue;
        tirbi_relax_fail(b, call, "out_ty says %s for result %u where `%s` makes %s", tirbi_relax_type_text(b, said), i,
                         f->name, tirbi_relax_type_text(b, found));
        return false;
    }
    return made != NULL;
}

/* Arguments, results, and the function's parameters agree. */
bool tirbi_relax_prepare_call_tir(tirbi_relax_builder *b, tirb_relax_expr *call) {
    const tirb_relax_expr *callee = call->as.call.args[0], *args = call->as.call.args[1];
    const tirb_relax_attr *inplace = tirbi_relax_attr_of(call, "inplace_indices");
    if (args->kind != TIRB_RELAX_TUPLE) {
        tirbi_relax_fail(b, call, "the arguments must be a tuple");
        return false;
    }
    for (uint32_t i = 0; i < call->as.call.n_types; i++) {
        type t = call->as.call.types[i];
        if (t->kind == TIRB_RELAX_TYPE_TENSOR && t->has_shape && tirb_relax_knows_dtype(t)) continue;
        tirbi_relax_fail(b, call, "out_ty must be tensors of known shape and type, not %s",
                         tirbi_relax_type_text(b, t));
        return false;
    }
    const tirb_primfunc *f = callee->as.global.primfunc;
    if (callee->kind != TIRB_RELAX_GLOBAL || !f) {
        tirbi_relax_fail(b, call, "only a PrimFunc is called so");
        return false;
    }
    uint32_t n = args->as.tuple.n, fresh = 0;
    if (!tirbi_relax_is_none(inplace) && !read_inplace(b, call, inplace, n)) return false;
    for (uint32_t i = 0; i < call->as.call.n_types; i++) fresh += is_output(inplace, i);
    if (n + fresh != f->n_params) {
        tirbi_relax_fail(b, call, "`%s` has %u parameters, which %u arguments and %u results do not make", f->name,
                         f->n_params, n, fresh);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!fits(b, call, args->as.tuple.items[i]->type, f, i)) return false;
    uint32_t at = n;
    for (uint32_t i = 0; i < call->as.call.n_types; i++) {
        type t = call->as.call.types[i];
        const bool is_fresh = is_output(inplace, i);
        if (is_fresh ? !fits(b, call, t, f, at++)
                     : !is_overwritten(b, call, args->as.tuple.items[inplace->as.list.items[i].as.integer]->type, t))
            return false;
    }
    return makes_results(b, call, f, inplace);
}

/* ---- Values of the host ------------------------------------------------------------------------------------------ */

/* The format is the first argument; of assert_op the second, behind the condition. */
bool tirbi_relax_prepare_print(tirbi_relax_builder *b, tirb_relax_expr *call) {
    if (!tirb_relax_is_call(call, TIRB_RELAX_ASSERT_OP)) return true;
    type condition = call->as.call.args[0]->type;
    bool good = tirb_datatype_equal(condition->dtype, tirbi_type_bool) &&
                (condition->kind == TIRB_RELAX_TYPE_PRIM ||
                 (condition->kind == TIRB_RELAX_TYPE_TENSOR && condition->ndim <= 0));
    if (!good)
        tirbi_relax_fail(b, call, "the condition must be a bool without dimensions, not %s",
                         tirbi_relax_type_text(b, condition));
    return good;
}

static type tensor_of(tirbi_relax_builder *b, const tirb_relax_expr *shape, const tirb_relax_expr *dtype) {
    tirb_datatype element = dtype->kind == TIRB_RELAX_DTYPE ? dtype->as.dtype : tirbi_type_void;
    if (shape->kind == TIRB_RELAX_SHAPE)
        return tirbi_relax_tensor(b, shape->as.shape.values, shape->as.shape.n, element);
    return tirbi_relax_tensor_of_rank(b, shape->type->kind == TIRB_RELAX_TYPE_SHAPE ? shape->type->ndim : -1, element);
}

type tirbi_relax_infer_alloc_tensor(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tensor_of(b, call->as.call.args[0], call->as.call.args[1]);
}

type tirbi_relax_infer_storage_tensor(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tensor_of(b, call->as.call.args[2], call->as.call.args[3]);
}

type tirbi_relax_infer_to_vdevice(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    tirb_relax_type *t = TIRBI_NEW(b->arena, tirb_relax_type);
    if (!x || !t) return NULL;
    *t = *x;
    t->vdevice = tirbi_relax_attr_of(call, "dst_vdevice")->as.vdevice;
    return t;
}
