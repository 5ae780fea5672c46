#include "compiler/relax/infer/builder.h"

#include <string.h>

#include "compiler/relax/infer/infer.h"

void tirbi_relax_builder_init(tirbi_relax_builder *b, tirbi_builder *base) {
    *b = (tirbi_relax_builder){.base = base, .arena = base->arena, .diagnostics = base->diagnostics};
    b->dims.builder = base;
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

static tirb_relax_type *new_type(tirbi_relax_builder *b, tirb_relax_type_kind kind) {
    tirb_relax_type *t = TIRBI_NEW(b->arena, tirb_relax_type);
    if (t) *t = (tirb_relax_type){.kind = kind, .dtype = tirbi_type_void, .ndim = -1, .size = 1};
    return t;
}

const tirb_relax_type *tirbi_relax_any(tirbi_relax_builder *b) { return new_type(b, TIRB_RELAX_TYPE_ANY); }

const tirb_relax_type *tirbi_relax_text_type(tirbi_relax_builder *b) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_ANY);
    if (t) t->is_text = true;
    return t;
}

const tirb_relax_type *tirbi_relax_prim(tirbi_relax_builder *b, tirb_datatype dtype) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_PRIM);
    if (t) t->dtype = dtype;
    return t;
}

const tirb_relax_type *tirbi_relax_shape(tirbi_relax_builder *b, const tirb_expr *const *values, uint32_t n) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_SHAPE);
    if (!t) return NULL;
    t->ndim = (int32_t)n;
    t->has_shape = true;
    t->shape = values;
    return t;
}

const tirb_relax_type *tirbi_relax_shape_of_rank(tirbi_relax_builder *b, int32_t ndim) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_SHAPE);
    if (t) t->ndim = ndim;
    return t;
}

const tirb_relax_type *tirbi_relax_tensor(tirbi_relax_builder *b, const tirb_expr *const *dims, uint32_t n,
                                          tirb_datatype dtype) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_TENSOR);
    for (uint32_t i = 0; i < n; i++)
        if (!dims[i]) return NULL;
    if (!t) return NULL;
    t->ndim = (int32_t)n;
    t->has_shape = true;
    t->shape = dims;
    t->dtype = dtype;
    return t;
}

const tirb_relax_type *tirbi_relax_tensor_of_rank(tirbi_relax_builder *b, int32_t ndim, tirb_datatype dtype) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_TENSOR);
    if (!t) return NULL;
    t->ndim = ndim;
    t->dtype = dtype;
    return t;
}

const tirb_relax_type *tirbi_relax_with_dtype(tirbi_relax_builder *b, const tirb_relax_type *type,
                                              tirb_datatype dtype) {
    if (!type || tirb_datatype_equal(type->dtype, dtype)) return type;
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_TENSOR);
    if (!t) return NULL;
    *t = *type;
    t->dtype = dtype;
    return t;
}

/* Adds what a type is made of; false after reporting that it is too large. */
static bool enlarge(tirbi_relax_builder *b, tirb_relax_type *t, const tirb_relax_type *part) {
    if (!part) return false;
    t->size += part->size;
    if (t->size <= TIRBI_MAX_RELAX_TYPE) return true;
    tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, b->at, "a type has more than %d parts",
                       (int)TIRBI_MAX_RELAX_TYPE);
    return false;
}

const tirb_relax_type *tirbi_relax_tuple(tirbi_relax_builder *b, const tirb_relax_type *const *fields, uint32_t n) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_TUPLE);
    if (!t) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!enlarge(b, t, fields[i])) return NULL;
    if (!tirbi_arena_work(b->arena, t->size)) return NULL;
    t->fields = fields;
    t->n_fields = n;
    return t;
}

const tirb_relax_type *tirbi_relax_function_type(tirbi_relax_builder *b, const tirb_relax_type *const *params,
                                                 uint32_t n, const tirb_relax_type *ret, bool pure) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_FUNCTION);
    if (!t || !enlarge(b, t, ret)) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!enlarge(b, t, params[i])) return NULL;
    t->fields = params;
    t->n_fields = n;
    t->ret = ret;
    t->pure = pure;
    return t;
}

const tirb_relax_type *tirbi_relax_opaque_function(tirbi_relax_builder *b, const tirb_relax_type *ret, bool pure) {
    tirb_relax_type *t = new_type(b, TIRB_RELAX_TYPE_FUNCTION);
    if (!t || !enlarge(b, t, ret)) return NULL;
    t->ret = ret;
    t->pure = pure;
    t->opaque = true;
    return t;
}

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

tirb_relax_expr *tirbi_relax_make(tirbi_relax_builder *b, tirbi_span span, tirb_relax_expr_kind kind) {
    tirb_relax_expr *e = TIRBI_NEW(b->arena, tirb_relax_expr);
    if (e) *e = (tirb_relax_expr){.kind = kind, .span = span, .depth = 1};
    return e;
}

/* False after reporting that the expression is nested too deeply. */
static bool deepen(tirbi_relax_builder *b, tirb_relax_expr *e, const tirb_relax_expr *operand) {
    if (!operand) return false;
    if (operand->depth >= e->depth) e->depth = (uint16_t)(operand->depth + 1);
    if (e->depth <= TIRBI_MAX_RELAX_DEPTH) return true;
    tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, e->span, "this expression has more than %d levels",
                       (int)TIRBI_MAX_RELAX_DEPTH);
    return false;
}

const tirb_relax_expr *tirbi_relax_make_var(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_var *var) {
    if (!var) return NULL;
    if (var->scalar) return tirbi_relax_make_prim(b, span, var->scalar);
    tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_VAR);
    if (!e) return NULL;
    e->as.var = var;
    e->type = var->type;
    return e;
}

const tirb_relax_expr *tirbi_relax_make_prim(tirbi_relax_builder *b, tirbi_span span, const tirb_expr *value) {
    tirb_relax_expr *e = value ? tirbi_relax_make(b, span, TIRB_RELAX_PRIM) : NULL;
    if (!e) return NULL;
    e->as.prim = value;
    e->type = tirbi_relax_prim(b, value->dtype);
    return e->type ? e : NULL;
}

const tirb_relax_expr *tirbi_relax_make_tuple(tirbi_relax_builder *b, tirbi_span span,
                                              const tirb_relax_expr *const *items, uint32_t n) {
    tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_TUPLE);
    if (!e) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!deepen(b, e, items[i])) return NULL;
    e->as.tuple.items = items;
    e->as.tuple.n = n;
    return e;
}

const tirb_relax_expr *tirbi_relax_make_shape(tirbi_relax_builder *b, tirbi_span span, const tirb_expr *const *values,
                                              uint32_t n) {
    tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_SHAPE);
    if (!e) return NULL;
    e->as.shape.values = values;
    e->as.shape.n = n;
    e->type = tirbi_relax_shape(b, values, n);
    return e->type ? e : NULL;
}

const tirb_relax_expr *tirbi_relax_make_get(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_expr *tuple,
                                            uint32_t index) {
    tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_TUPLE_GET);
    if (!e || !deepen(b, e, tuple)) return NULL;
    e->as.get.tuple = tuple;
    e->as.get.index = index;
    return e;
}

static tirb_relax_expr *make_call(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_expr *const *args,
                                  uint32_t n_args, const tirb_relax_type *const *types, uint32_t n_types) {
    tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_CALL);
    if (!e) return NULL;
    for (uint32_t i = 0; i < n_args; i++)
        if (!deepen(b, e, args[i])) return NULL;
    e->as.call.args = args;
    e->as.call.n_args = n_args;
    e->as.call.types = types;
    e->as.call.n_types = n_types;
    return e;
}

const tirb_relax_expr *tirbi_relax_make_call(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_operator *op,
                                             const tirb_relax_expr *const *args, uint32_t n_args,
                                             const tirb_relax_attr *attrs, const tirb_relax_type *const *types,
                                             uint32_t n_types) {
    tirb_relax_expr *e = make_call(b, span, args, n_args, types, n_types);
    if (!e) return NULL;
    tirbi_relax_parameter parameters[TIRBI_MAX_RELAX_PARAMETERS];
    const uint32_t n = tirbi_relax_parameters(op, parameters);
    for (uint32_t i = 0; i < n; i++) e->as.call.n_attrs += tirbi_relax_is_attr(&parameters[i]);
    e->as.call.op = op;
    e->as.call.attrs = attrs;
    return e;
}

const tirb_relax_expr *tirbi_relax_make_function_call(tirbi_relax_builder *b, tirbi_span span,
                                                      const tirb_relax_expr *callee, const tirb_relax_expr *const *args,
                                                      uint32_t n_args, const tirb_relax_type *const *types,
                                                      uint32_t n_types) {
    tirb_relax_expr *e = make_call(b, span, args, n_args, types, n_types);
    if (!e || !deepen(b, e, callee)) return NULL;
    e->as.call.callee = callee;
    return e;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

const tirb_relax_var *tirbi_relax_new_var(tirbi_relax_builder *b, tirbi_span span, const char *name,
                                          const tirb_relax_type *type) {
    tirb_relax_var *var = type ? TIRBI_NEW(b->arena, tirb_relax_var) : NULL;
    if (!var) return NULL;
    *var = (tirb_relax_var){.name = name, .type = type, .id = b->n_vars++, .span = span};
    if (type->kind != TIRB_RELAX_TYPE_PRIM) return var;
    var->scalar = tirbi_make_var(b->base, span, name, tirbi_prim_type(type->dtype));
    const tirb_expr **slot = TIRBI_LIST_ADD(b->arena, &b->known, const tirb_expr *);
    if (slot) *slot = var->scalar;
    return var->scalar && slot ? var : NULL;
}

tirbi_relax_seq_frame *tirbi_relax_top(const tirbi_relax_builder *b) {
    return b->frames.n ? (tirbi_relax_seq_frame *)b->frames.items + b->frames.n - 1 : NULL;
}

tirbi_relax_seq_frame *tirbi_relax_open(tirbi_relax_builder *b, bool is_function) {
    if (b->frames.n >= TIRBI_MAX_RELAX_DEPTH) {
        tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, b->at,
                           "functions and branches are nested more than %d deep", (int)TIRBI_MAX_RELAX_DEPTH);
        return NULL;
    }
    tirbi_relax_seq_frame *frame = TIRBI_LIST_ADD(b->arena, &b->frames, tirbi_relax_seq_frame);
    if (!frame) return NULL;
    *frame = (tirbi_relax_seq_frame){.is_function = is_function, .first_known = b->known.n, .first_var = b->n_vars};
    frame->number = ++b->n_opened;
    return frame;
}

static void end_block(tirbi_relax_builder *b, tirbi_relax_seq_frame *frame) {
    if (frame->bindings.n == 0) return;
    tirb_relax_block *blocks = frame->blocks.items, *last = frame->blocks.n ? &blocks[frame->blocks.n - 1] : NULL;
    if (last && last->dataflow == frame->dataflow) {
        uint32_t n = last->n_bindings + frame->bindings.n;
        tirb_relax_binding *all = TIRBI_NEW_ARRAY(b->arena, tirb_relax_binding, n);
        if (!all) return;
        memcpy(all, last->bindings, last->n_bindings * sizeof *all);
        memcpy(all + last->n_bindings, frame->bindings.items, frame->bindings.n * sizeof *all);
        last->bindings = all;
        last->n_bindings = n;
    } else {
        tirb_relax_block *block = TIRBI_LIST_ADD(b->arena, &frame->blocks, tirb_relax_block);
        if (!block) return;
        *block = (tirb_relax_block){frame->dataflow, frame->bindings.items, frame->bindings.n};
    }
    frame->bindings = (tirbi_list){.n = 0};
}

void tirbi_relax_begin_block(tirbi_relax_builder *b, bool dataflow) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    if (!frame) return;
    end_block(b, frame);
    frame->dataflow = dataflow;
}

const tirb_relax_seq *tirbi_relax_close(tirbi_relax_builder *b, const tirb_relax_expr *body) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    tirb_relax_seq *seq = TIRBI_NEW(b->arena, tirb_relax_seq);
    if (!frame) return NULL;
    end_block(b, frame);
    if (seq) *seq = (tirb_relax_seq){frame->blocks.items, frame->blocks.n, body};
    b->known.n = frame->first_known;
    b->frames.n--;
    return body ? seq : NULL;
}

void tirbi_relax_define_dims(tirbi_relax_builder *b, const tirb_relax_type *type) {
    if (!type) return;
    for (uint32_t i = 0; type->kind == TIRB_RELAX_TYPE_TUPLE && i < type->n_fields; i++)
        tirbi_relax_define_dims(b, type->fields[i]);
    for (int32_t i = 0; type->has_shape && i < type->ndim; i++) {
        if (type->shape[i]->kind != TIRB_EXPR_VAR || tirbi_relax_knows(b, type->shape[i])) continue;
        const tirb_expr **slot = TIRBI_LIST_ADD(b->arena, &b->known, const tirb_expr *);
        if (slot) *slot = type->shape[i];
        tirbi_dim_is_natural(&b->dims, type->shape[i]);
    }
}

bool tirbi_relax_knows(const tirbi_relax_builder *b, const tirb_expr *var) {
    const tirb_expr *const *vars = b->known.items;
    for (uint32_t i = b->known.n; i > 0; i--)
        if (vars[i - 1] == var) return true;
    return false;
}

/* ---- Normal form ------------------------------------------------------------------------------------------------- */

/* The type without shapes of which a dimension is so large an expression that nobody reads it: those of operators on
 * what others give multiply. */
static const tirb_relax_type *bounded(tirbi_relax_builder *b, const tirb_relax_type *t) {
    enum { MAX_NODES = 10000 };
    if (t && t->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirb_relax_type **fields = NULL;
        for (uint32_t i = 0; i < t->n_fields; i++) {
            const tirb_relax_type *field = bounded(b, t->fields[i]);
            if (!field) return NULL;
            if (field == t->fields[i]) continue;
            if (!fields) {
                fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, t->n_fields);
                if (!fields) return NULL;
                memcpy(fields, t->fields, t->n_fields * sizeof *fields);
            }
            fields[i] = field;
        }
        return fields ? tirbi_relax_tuple(b, fields, t->n_fields) : t;
    }
    for (int32_t i = 0; t && t->kind == TIRB_RELAX_TYPE_TENSOR && t->has_shape && i < t->ndim; i++)
        if (t->shape[i]->size > MAX_NODES) return tirbi_relax_tensor_of_rank(b, t->ndim, t->dtype);
    return t;
}

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

static const tirb_relax_vdevice *device_of(const tirb_relax_type *t) {
    const tirb_relax_vdevice *found = t && t->kind == TIRB_RELAX_TYPE_TENSOR ? t->vdevice : NULL;
    for (uint32_t i = 0; t && !found && t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        found = device_of(t->fields[i]);
    return found;
}

static const tirb_relax_type *on_device(tirbi_relax_builder *b, const tirb_relax_type *t,
                                        const tirb_relax_vdevice *device) {
    if (t->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, t->n_fields);
        for (uint32_t i = 0; fields && i < t->n_fields; i++)
            if (!(fields[i] = on_device(b, t->fields[i], device))) return NULL;
        return fields ? tirbi_relax_tuple(b, fields, t->n_fields) : NULL;
    }
    if (t->kind != TIRB_RELAX_TYPE_TENSOR || t->vdevice) return t;
    tirb_relax_type *placed = TIRBI_NEW(b->arena, tirb_relax_type);
    if (placed) *placed = *t;
    if (placed) placed->vdevice = device;
    return placed;
}

/* Operators whose results TVM does not place, or not where their operands are on different devices. */
static const tirb_relax_op unplaced[] = {TIRB_RELAX_NN_PAD, TIRB_RELAX_OUTER, TIRB_RELAX_SIZE,
                                         TIRB_RELAX_NN_PIXEL_SHUFFLE};
static const tirb_relax_op joining[] = {TIRB_RELAX_CONCAT, TIRB_RELAX_STACK,     TIRB_RELAX_WHERE,   TIRB_RELAX_MATMUL,
                                        TIRB_RELAX_EINSUM, TIRB_RELAX_EWISE_FMA, TIRB_RELAX_MESHGRID};

static bool is_one_of(const tirb_relax_expr *call, const tirb_relax_op *ops, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (tirb_relax_is_call(call, ops[i])) return true;
    return false;
}

/* The devices of operands that must be on one: of two tensors that are combined element by element, or by windows. */
static bool needs_one_device(const tirb_relax_expr *call) {
    const tirb_relax_operator *op = call->as.call.op;
    return op->infer == tirbi_relax_infer_binary || op->infer == tirbi_relax_infer_comparison ||
           op->infer == tirbi_relax_infer_conv || op->infer == tirbi_relax_infer_cross_entropy;
}

/* Whether a tensor in the type is on another device. */
static bool is_elsewhere(const tirb_relax_type *t, const tirb_relax_vdevice *device) {
    bool found = t && t->kind == TIRB_RELAX_TYPE_TENSOR && t->vdevice && t->vdevice != device;
    for (uint32_t i = 0; t && t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        found = found || is_elsewhere(t->fields[i], device);
    return found;
}

/* What an operator gives is on the device of its operands, if its type does not say another. */
static const tirb_relax_type *placed(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_type *t) {
    const tirb_relax_vdevice *device = NULL;
    bool differ = false;
    if (!t || call->as.call.n_types > 0) return t;
    for (uint32_t i = 0; i < call->as.call.n_args; i++) {
        const tirb_relax_type *arg = call->as.call.args[i]->type;
        if (!device) device = device_of(arg);
        differ = differ || (device && is_elsewhere(arg, device));
    }
    if (differ && needs_one_device(call))
        return tirbi_relax_fail(b, call, "the operands are on different devices: see R.to_vdevice");
    if (differ && is_one_of(call, joining, sizeof joining / sizeof *joining)) return t;
    if (!device || is_one_of(call, unplaced, sizeof unplaced / sizeof *unplaced)) return t;
    return on_device(b, t, device);
}

static const tirb_relax_type *infer_call(tirbi_relax_builder *b, tirb_relax_expr *call) {
    const tirb_relax_operator *op = call->as.call.op;
    if (op) {
        if (op->prepare && !op->prepare(b, call)) return NULL;
        return op->infer ? bounded(b, placed(b, call, op->infer(b, call))) : NULL;
    }
    const tirb_relax_expr *callee = call->as.call.callee;
    if (!callee->type || callee->type->kind != TIRB_RELAX_TYPE_FUNCTION)
        return tirbi_relax_fail(b, call, "%s is no function",
                                callee->type ? tirbi_relax_type_text(b, callee->type) : "this");
    return bounded(b, tirbi_relax_call_type(b, call, callee->type));
}

static bool normalise_all(tirbi_relax_builder *b, const tirb_relax_expr *const **items, uint32_t n) {
    const tirb_relax_expr **leaves = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, n);
    if (!leaves) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(leaves[i] = tirbi_relax_normalise(b, (*items)[i]))) return false;
    *items = leaves;
    return true;
}

static const tirb_relax_expr *normalise_tuple(tirbi_relax_builder *b, const tirb_relax_expr *e) {
    tirb_relax_expr *copy = TIRBI_NEW(b->arena, tirb_relax_expr);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, e->as.tuple.n);
    if (!copy || !fields) return NULL;
    *copy = *e;
    if (!normalise_all(b, &copy->as.tuple.items, e->as.tuple.n)) return NULL;
    for (uint32_t i = 0; i < e->as.tuple.n; i++) fields[i] = copy->as.tuple.items[i]->type;
    copy->type = tirbi_relax_tuple(b, fields, e->as.tuple.n);
    copy->depth = e->depth;
    return copy->type ? copy : NULL;
}

static const tirb_relax_expr *normalise_get(tirbi_relax_builder *b, const tirb_relax_expr *e) {
    tirb_relax_expr *copy = TIRBI_NEW(b->arena, tirb_relax_expr);
    const tirb_relax_expr *tuple = tirbi_relax_normalise(b, e->as.get.tuple);
    if (!copy || !tuple) return NULL;
    if (tuple->type->kind != TIRB_RELAX_TYPE_TUPLE) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, e->span,
                           "%s cannot be indexed: only a tuple has items; write R.take or R.strided_slice for a tensor",
                           tirbi_relax_type_text(b, tuple->type));
        return NULL;
    }
    if (e->as.get.index >= tuple->type->n_fields) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, e->span, "the index %u is outside the tuple, which has %u items",
                           e->as.get.index, tuple->type->n_fields);
        return NULL;
    }
    *copy = *e;
    copy->as.get.tuple = tuple;
    copy->type = tuple->type->fields[e->as.get.index];
    return copy;
}

static const tirb_relax_expr *normalise_call(tirbi_relax_builder *b, const tirb_relax_expr *e) {
    tirb_relax_expr *copy = TIRBI_NEW(b->arena, tirb_relax_expr);
    if (!copy) return NULL;
    *copy = *e;
    if (copy->as.call.callee && !(copy->as.call.callee = tirbi_relax_normalise(b, copy->as.call.callee))) return NULL;
    if (!normalise_all(b, &copy->as.call.args, copy->as.call.n_args)) return NULL;
    copy->type = infer_call(b, copy);
    if (!copy->type) tirbi_report_unexplained(b->diagnostics, b->at, "a type");
    return copy->type ? copy : NULL;
}

const tirb_relax_expr *tirbi_relax_normalise_value(tirbi_relax_builder *b, const tirb_relax_expr *e) {
    if (!e) return NULL;
    switch (e->kind) {
    case TIRB_RELAX_TUPLE:
        return normalise_tuple(b, e);
    case TIRB_RELAX_TUPLE_GET:
        return normalise_get(b, e);
    case TIRB_RELAX_CALL:
        return e->type ? e : normalise_call(b, e);
    case TIRB_RELAX_VAR: /* what has no value is the empty tuple */
        if (tirbi_relax_is_void(e->type)) return normalise_tuple(b, tirbi_relax_make_tuple(b, e->span, NULL, 0));
        return e;
    default:
        return e;
    }
}

static bool is_open(const tirbi_relax_builder *b, uint32_t number) {
    const tirbi_relax_seq_frame *frames = b->frames.items;
    for (uint32_t i = 0; i < b->frames.n; i++)
        if (frames[i].number == number) return true;
    return false;
}

const tirb_relax_expr *tirbi_relax_normalise(tirbi_relax_builder *b, const tirb_relax_expr *e) {
    if (e && e->bound && is_open(b, e->bound_in)) return e->bound; /* an item of a list, say, that is used again */
    const tirb_relax_expr *value = tirbi_relax_normalise_value(b, e);
    if (!value || tirbi_relax_is_leaf(value)) return value;
    const tirb_relax_expr *leaf = tirbi_relax_make_var(b, e->span, tirbi_relax_emit(b, value, NULL, NULL));
    tirb_relax_expr *own = (tirb_relax_expr *)e;
    own->bound = leaf;
    own->bound_in = tirbi_relax_top(b) ? tirbi_relax_top(b)->number : 0;
    return leaf;
}

/* ---- Bindings ---------------------------------------------------------------------------------------------------- */

/* The next temporary's name; it counts also where another one replaces it. */
static const char *temporary(tirbi_relax_builder *b) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    bool dataflow = frame && frame->dataflow;
    uint32_t *counter = dataflow ? &b->counters.lv : &b->counters.gv;
    uint32_t number = (*counter)++;
    const char *base = dataflow ? "lv" : "gv";
    return number ? tirbi_arena_format(b->arena, "%s%u", base, number) : base;
}

static void add_binding(tirbi_relax_builder *b, tirb_relax_binding binding) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    tirb_relax_binding *slot = frame ? TIRBI_LIST_ADD(b->arena, &frame->bindings, tirb_relax_binding) : NULL;
    if (slot) *slot = binding;
}

void tirbi_relax_bind(tirbi_relax_builder *b, const tirb_relax_var *var, const tirb_relax_expr *value) {
    add_binding(b, (tirb_relax_binding){.kind = TIRB_RELAX_VAR_BINDING, .var = var, .value = value, .span = b->at});
}

static const tirb_relax_var *bound_var(tirbi_relax_builder *b, const char *name, const tirb_relax_type *type) {
    const char *next = temporary(b);
    tirb_relax_var *var = (tirb_relax_var *)tirbi_relax_new_var(b, b->at, name ? name : next, type);
    if (var) var->dataflow = tirbi_relax_top(b) && tirbi_relax_top(b)->dataflow;
    return var;
}

/* Whether a call's operands are leaves already. */
static bool is_normal(const tirb_relax_expr *e) {
    bool call = e->kind == TIRB_RELAX_CALL, tuple = e->kind == TIRB_RELAX_TUPLE;
    const tirb_relax_expr *const *operands = call ? e->as.call.args : e->as.tuple.items;
    uint32_t n = call ? e->as.call.n_args : tuple ? e->as.tuple.n : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_relax_is_leaf(operands[i]) || !is_normal(operands[i])) return false;
    return true;
}

const tirb_relax_var *tirbi_relax_emit(tirbi_relax_builder *b, const tirb_relax_expr *value, const char *name,
                                       const tirb_relax_type *annotation) {
    /* TVM makes a call anew whose operands are bound first, and forgets what was said of it. */
    const bool normal = value && is_normal(value);
    value = tirbi_relax_normalise_value(b, value);
    if (!value) return NULL;
    const tirb_relax_type *type = value->type;
    if (annotation && tirbi_relax_base_check(b, annotation, type) == TIRBI_RELAX_IMPOSSIBLE) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, b->at, "the value is of type %s, which is no %s",
                           tirbi_relax_type_text(b, type), tirbi_relax_type_text(b, annotation));
        return NULL;
    }
    if (annotation && normal && value->kind == TIRB_RELAX_CALL) {
        tirb_relax_expr *typed = TIRBI_NEW(b->arena, tirb_relax_expr);
        if (!typed) return NULL;
        *typed = *value;
        typed->type = type = annotation;
        value = typed;
    }
    const tirb_relax_var *var = bound_var(b, name, type);
    if (var) tirbi_relax_bind(b, var, value);
    return var;
}

const tirb_relax_var *tirbi_relax_emit_cast(tirbi_relax_builder *b, const tirb_relax_expr *value, const char *name,
                                            const tirb_relax_type *type) {
    value = tirbi_relax_normalise(b, value);
    if (!value || !type) return NULL;
    if (tirbi_relax_base_check(b, type, value->type) == TIRBI_RELAX_IMPOSSIBLE &&
        tirbi_relax_base_check(b, value->type, type) == TIRBI_RELAX_IMPOSSIBLE) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, b->at, "no value of type %s can be cast to %s",
                           tirbi_relax_type_text(b, value->type), tirbi_relax_type_text(b, type));
        return NULL;
    }
    tirbi_relax_define_dims(b, type);
    const tirb_relax_var *var = bound_var(b, name, type);
    if (var)
        add_binding(b, (tirb_relax_binding){
                           .kind = TIRB_RELAX_MATCH_CAST, .var = var, .value = value, .cast = type, .span = b->at});
    return var;
}

/* ---- Outputs ----------------------------------------------------------------------------------------------------- */

/* Which variables have another type, by number, from that of the block's first one on. */
typedef struct changes {
    bool *item;
    uint32_t first;
} changes;

static bool has_changed(const changes *c, const tirb_relax_expr *e) {
    if (e->kind == TIRB_RELAX_VAR) return e->as.var->id >= c->first && c->item[e->as.var->id - c->first];
    bool found = false;
    for (uint32_t i = 0; e->kind == TIRB_RELAX_TUPLE && i < e->as.tuple.n; i++)
        found = found || has_changed(c, e->as.tuple.items[i]);
    return found;
}

/* The operand with the types that its variables have now; itself where none of them has changed. */
static const tirb_relax_expr *with_types(tirbi_relax_builder *b, const tirb_relax_expr *e, const changes *c) {
    if (!has_changed(c, e)) return e;
    if (e->kind == TIRB_RELAX_VAR) return tirbi_relax_make_var(b, e->span, e->as.var);
    const tirb_relax_expr **items = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, e->as.tuple.n);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, e->as.tuple.n);
    tirb_relax_expr *own = TIRBI_NEW(b->arena, tirb_relax_expr);
    if (!items || !fields || !own) return NULL;
    for (uint32_t i = 0; i < e->as.tuple.n; i++) {
        if (!(items[i] = with_types(b, e->as.tuple.items[i], c))) return NULL;
        fields[i] = items[i]->type;
    }
    *own = *e;
    own->as.tuple.items = items;
    own->type = tirbi_relax_tuple(b, fields, e->as.tuple.n);
    return own->type ? own : NULL;
}

static const tirb_relax_expr *call_again(tirbi_relax_builder *b, const tirb_relax_expr *e, const changes *c) {
    const tirb_relax_operator *op = e->as.call.op;
    bool differs = false;
    for (uint32_t i = 0; i < e->as.call.n_args; i++) differs = differs || has_changed(c, e->as.call.args[i]);
    if (!differs || !op || !op->infer) return e;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, e->as.call.n_args);
    tirb_relax_expr *own = TIRBI_NEW(b->arena, tirb_relax_expr);
    if (!args || !own) return NULL;
    for (uint32_t i = 0; i < e->as.call.n_args; i++)
        if (!(args[i] = with_types(b, e->as.call.args[i], c))) return NULL;
    *own = *e;
    own->as.call.args = args;
    own->type = bounded(b, placed(b, own, op->infer(b, own)));
    return own->type ? own : NULL;
}

static const tirb_relax_expr *inferred_again(tirbi_relax_builder *b, const tirb_relax_expr *e, const changes *c) {
    if (e->kind == TIRB_RELAX_CALL) return call_again(b, e, c);
    if (e->kind != TIRB_RELAX_TUPLE_GET) return with_types(b, e, c);
    const tirb_relax_expr *tuple = with_types(b, e->as.get.tuple, c);
    if (!tuple || tuple == e->as.get.tuple) return tuple ? e : NULL;
    tirb_relax_expr *own = TIRBI_NEW(b->arena, tirb_relax_expr);
    if (!own) return NULL;
    *own = *e;
    own->as.get.tuple = tuple;
    own->type = tuple->type->fields[e->as.get.index];
    return own;
}

/* TVM puts other variables in place of the outputs, and infers the types of what uses them again, where it knows of no
 * size that it is not negative. */
void tirbi_relax_end_dataflow(tirbi_relax_builder *b) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    if (!frame || frame->bindings.n == 0 || !tirbi_arena_work(b->arena, frame->bindings.n)) return;
    tirb_relax_binding *bindings = frame->bindings.items;
    changes c = {.first = bindings[0].var->id};
    for (uint32_t i = 1; i < frame->bindings.n; i++)
        if (bindings[i].var->id < c.first) c.first = bindings[i].var->id;
    c.item = TIRBI_NEW_ARRAY(b->arena, bool, b->n_vars - c.first);
    if (!c.item) return;
    memset(c.item, 0, (b->n_vars - c.first) * sizeof *c.item);
    const uint32_t n_natural = b->dims.natural.n;
    b->dims.natural.n = 0;
    for (uint32_t i = 0; i < frame->bindings.n; i++) {
        tirb_relax_binding *bound = &bindings[i];
        tirb_relax_var *var = (tirb_relax_var *)bound->var;
        const bool is_cast = bound->kind == TIRB_RELAX_MATCH_CAST;
        const tirb_relax_expr *value = is_cast ? bound->value : inferred_again(b, bound->value, &c);
        if (!value) break;
        /* An output keeps its type: TVM refuses a program where it does not. */
        if (value != bound->value && var->dataflow && !tirb_relax_type_equal(value->type, var->type)) {
            bound->value = value;
            var->type = value->type;
            c.item[var->id - c.first] = true;
        }
        if (!var->dataflow) c.item[var->id - c.first] = true;
    }
    b->dims.natural.n = n_natural;
}
