/* Values that are no arithmetic: conversions, vectors, lets, calls by name. */
#include <string.h>

#include "compiler/ir/c_functions.h"
#include "compiler/ir/llvm.h"
#include "compiler/text/script/names.h"

static const tirb_expr *arg(tirbi_script *s, const tirbi_call *c, int i) { return tirbi_to_expr(s, &c->args[i]); }

static tirbi_value cast(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *e = arg(s, c, 0);
    if (!tirbi_to_dtype(s, &c->args[1], &type)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_cast(&s->builder, c->node->span, type, e));
}

static tirbi_value raw_cast(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *e = arg(s, c, 1);
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_raw_cast(&s->builder, c->node->span, type, e));
}

static tirbi_value constant(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    int type_arg = c->entry->data;
    if (!tirbi_to_dtype(s, &c->args[type_arg], &type)) return tirbi_value_error();
    return tirbi_value_expr(
        tirbi_make_cast(&s->builder, c->node->span, type, tirbi_to_typed(s, &c->args[1 - type_arg], type)));
}

/* A constant whose type is of the kind that its node asks for. */
static tirbi_value typed_constant(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    char text[32];
    bool is_float = c->entry->data;
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    bool fits = is_float ? tirbi_type_is_float(type) : tirbi_type_is_int(type) || tirbi_type_is_bool(type);
    if (!fits || type.lanes != 1)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "%s makes %s scalars, not %s", c->entry->name,
                          is_float ? "float" : "integer", tirb_datatype_text(type, text));
    return tirbi_value_expr(tirbi_make_cast(&s->builder, c->node->span, type, tirbi_to_typed(s, &c->args[1], type)));
}

static tirbi_value string_imm(tirbi_script *s, const tirbi_call *c) {
    const char *text;
    if (!tirbi_to_text(s, &c->args[0], "the value", &text)) return tirbi_value_error();
    return c->args[0];
}

static tirbi_value select_value(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *condition = arg(s, c, 0), *x = arg(s, c, 1), *y = arg(s, c, 2);
    return tirbi_value_expr(tirbi_make_select(&s->builder, c->node->span, condition, x, y));
}

static tirbi_value if_then_else(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *condition = arg(s, c, 0), *x = arg(s, c, 1), *y = arg(s, c, 2);
    return tirbi_value_expr(tirbi_make_if_then_else(&s->builder, c->node->span, condition, x, y));
}

/* A constant, or of a scalable vector the multiple of T.vscale(). */
static bool to_lanes(tirbi_script *s, const tirbi_call *c, uint32_t i, tirbi_lanes *out) {
    const tirbi_value *given = &c->args[i];
    *out = (tirbi_lanes){0};
    if (given->kind != TIRBI_VALUE_EXPR) return tirbi_to_int(s, given, "the number of lanes", &out->n);
    if (given->as.expr && tirbi_lanes_of_expr(given->as.expr, out)) return true;
    if (given->as.expr)
        tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, given->as.expr),
                   "the number of lanes must be a constant, or of a scalable vector T.vscale() * a constant");
    return false;
}

static tirbi_value ramp(tirbi_script *s, const tirbi_call *c) {
    tirbi_lanes lanes;
    const tirb_expr *base = arg(s, c, 0), *stride = arg(s, c, 1);
    if (!to_lanes(s, c, 2, &lanes)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_ramp(&s->builder, c->node->span, base, stride, lanes));
}

static tirbi_value broadcast(tirbi_script *s, const tirbi_call *c) {
    tirbi_lanes lanes;
    const tirb_expr *value = arg(s, c, 0);
    if (!to_lanes(s, c, 1, &lanes)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_broadcast(&s->builder, c->node->span, value, lanes));
}

static tirbi_value shuffle(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *vectors, *const *indices;
    uint32_t n_vectors, n_indices;
    if (!tirbi_to_exprs(s, &c->args[0], &vectors, &n_vectors) || !tirbi_to_exprs(s, &c->args[1], &indices, &n_indices))
        return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_shuffle(&s->builder, c->node->span, vectors, n_vectors, indices, n_indices));
}

static tirbi_value let(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *where = &c->args[1];
    const tirb_expr *body = arg(s, c, 0);
    if (where->kind != TIRBI_VALUE_DICT || where->as.sequence.n != 2)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.Let needs where={variable: value} with one entry");
    const tirb_expr *var = tirbi_to_expr(s, &where->as.sequence.items[0]);
    if (!var || !body) return tirbi_value_error();
    if (var->kind != TIRB_EXPR_VAR)
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, var), "T.Let binds a variable, such as x = T.int32()");
    const tirb_expr *value = tirbi_to_typed(s, &where->as.sequence.items[1], var->dtype);
    char left[32], right[32];
    if (value && !tirb_datatype_equal(value->dtype, var->dtype))
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, value),
                          "`%s` is of type %s and is bound to a value of type %s", var->as.var.name,
                          tirb_datatype_text(var->dtype, left), tirb_datatype_text(value->dtype, right));
    return tirbi_value_expr(tirbi_make_let(&s->builder, c->node->span, var, value, body));
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* The type may be that of a pointer, which is the first argument then. */
static tirbi_value typed_pointer(tirbi_script *s, const tirbi_call *c, tirb_datatype type, const tirb_expr *call) {
    if (c->args[0].kind == TIRBI_VALUE_POINTER && tirbi_type_is_handle(type))
        call = tirbi_with_pointer(&s->builder, call, c->args[0].as.type.type);
    return tirbi_value_expr(call);
}

static tirbi_value emit_call(tirbi_script *s, const tirbi_call *c, tirb_datatype type, tirb_builtin builtin,
                             const tirb_expr *const *args, uint32_t n) {
    return typed_pointer(s, c, type, tirbi_make_call(&s->builder, c->node->span, type, builtin, args, n));
}

const tirb_buffer_region *tirbi_named_buffers(tirbi_script *s, const tirbi_value *arguments) {
    tirb_buffer_region *named = TIRBI_NEW_ARRAY(s->arena, tirb_buffer_region, arguments->as.sequence.n);
    for (uint32_t i = 0; named && i < arguments->as.sequence.n; i++) {
        tirbi_value *v = &arguments->as.sequence.items[i];
        if (v->kind != TIRBI_VALUE_BUFFER || v->declares || tirbi_is_element(v)) continue;
        named[i].buffer = v->as.buffer;
        v->as.expr = v->as.buffer->data;
        v->kind = TIRBI_VALUE_EXPR;
    }
    return named;
}

/* T.call_extern(dtype, "name", args...) */
static tirbi_value extern_call(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *const *args;
    uint32_t n;
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    const tirb_buffer_region *passed = tirbi_named_buffers(s, &c->args[1]);
    if (!passed || !tirbi_to_dtype(s, &c->args[0], &type) || !tirbi_to_exprs(s, &c->args[1], &args, &n))
        return tirbi_value_error();
    if (tirbi_is_c_function(type, args, n))
        return tirbi_value_expr(tirbi_make_c_call(&s->builder, c->node->span, type, builtin, args, n));
    const tirb_expr *call = tirbi_make_passing_call(&s->builder, c->node->span, type, builtin, args, passed, n);
    return typed_pointer(s, c, type, call);
}

/* The arguments of a call of LLVM's function with its bare name. */
static const tirb_expr *const *without_types(tirbi_script *s, const tirb_expr *const *args, uint32_t n) {
    const char *name = args[0]->as.string.text;
    size_t size = tirbi_llvm_name_size(name);
    if (size == strlen(name)) return args;
    const tirb_expr **bare = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    const char *text = tirbi_arena_text(s->arena, name, size);
    if (!bare || !text) return NULL;
    memcpy(bare, args, n * sizeof *bare);
    bare[0] = tirbi_make_string(&s->builder, args[0]->span, text, (uint32_t)size);
    return bare;
}

/* T.name(dtype, args...) */
static tirbi_value typed_call(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *const *args;
    uint32_t n;
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    if (!tirbi_to_dtype(s, &c->args[0], &type) || !tirbi_to_exprs(s, &c->args[1], &args, &n))
        return tirbi_value_error();
    bool llvm = builtin == TIRB_BUILTIN_CALL_LLVM_INTRIN || builtin == TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN;
    if (llvm && n && args[0]->kind == TIRB_EXPR_STRING_IMM) args = without_types(s, args, n);
    if (!args && n) return tirbi_value_error();
    int arity = tirb_builtins[builtin].arity;
    if (arity >= 0 && n != (uint32_t)arity)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s takes a type and %d argument%s", c->entry->name, arity,
                          arity == 1 ? "" : "s");
    return emit_call(s, c, type, builtin, args, n);
}

/* New TVMScript says of a synchronisation also whether one thread leads, and of how many: unless that is no and -1, it
 * is another one. */
static bool has_sync_defaults(const tirb_expr *const *args, uint32_t n) {
    return n == 3 && tirbi_type_is_bool(args[1]->dtype) && tirbi_is_const_int(args[1], 0) &&
           tirbi_is_const_int(args[2], -1);
}

/* T.tvm_access_ptr(T.type_annotation("int32"), A.data, ...): a pointer to what is annotated. */
static tirbi_value access_ptr(tirbi_script *s, const tirbi_call *c, const tirb_expr *const *args, uint32_t n) {
    const tirb_expr *call =
        tirbi_make_call(&s->builder, c->node->span, tirbi_type_handle, TIRB_BUILTIN_TVM_ACCESS_PTR, args, n);
    tirb_type type = tirbi_pointer_type(args[0]->dtype, tirbi_pointer_type_of(args[1]).scope);
    return tirbi_value_expr(args[0]->kind == TIRB_EXPR_CALL ? tirbi_with_pointer(&s->builder, call, type) : call);
}

/* The type of T.ptr_byte_offset(pointer, bytes, "float32") as the annotation that it is. */
static bool annotate_type(tirbi_script *s, const tirb_expr **args) {
    tirb_datatype type;
    if (args[2]->kind != TIRB_EXPR_STRING_IMM ||
        !tirb_datatype_from_text(args[2]->as.string.text, args[2]->as.string.size, &type))
        return true;
    args[2] = tirbi_make_call(&s->builder, args[2]->span, type, TIRB_BUILTIN_TYPE_ANNOTATION, NULL, 0);
    return args[2] != NULL;
}

/* T.name(args...) of a fixed type: data is the builtin. */
static tirbi_value plain_call(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *args;
    uint32_t n;
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    bool packed = builtin == TIRB_BUILTIN_CALL_PACKED || builtin == TIRB_BUILTIN_CALL_CPACKED;
    if (packed && !tirbi_pack_buffers(s, &c->args[0])) return tirbi_value_error();
    if (!tirbi_to_exprs(s, &c->args[0], &args, &n)) return tirbi_value_error();
    int arity = tirb_builtins[builtin].arity;
    if (arity >= 0 && n != (uint32_t)arity)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s takes %d argument%s, %u given", c->entry->name, arity,
                          arity == 1 ? "" : "s", n);
    if (builtin == TIRB_BUILTIN_TVM_STORAGE_SYNC && has_sync_defaults(args, n)) n = 1;
    if (builtin == TIRB_BUILTIN_TVM_ACCESS_PTR) return access_ptr(s, c, args, n);
    if (builtin == TIRB_BUILTIN_PTR_BYTE_OFFSET && !annotate_type(s, (const tirb_expr **)args))
        return tirbi_value_error();
    tirb_datatype type = tirbi_type_i32;
    if (builtin == TIRB_BUILTIN_BUFFER_DATA || builtin == TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET ||
        builtin == TIRB_BUILTIN_PTR_BYTE_OFFSET)
        type = tirbi_type_handle;
    if (builtin == TIRB_BUILTIN_Q_MULTIPLY_SHIFT_PER_AXIS)
        type = tirbi_type_with_lanes(type, tirbi_lanes_of(args[0]->dtype));
    if (tirb_builtins[builtin].effect == TIRB_EFFECT_ANNOTATION && n) type = args[0]->dtype;
    if (builtin == TIRB_BUILTIN_ISNULLPTR || builtin == TIRB_BUILTIN_ASSUME) type = tirbi_type_bool;
    if (builtin == TIRB_BUILTIN_RET) type = args[0]->dtype;
    if (builtin == TIRB_BUILTIN_BREAK_LOOP || builtin == TIRB_BUILTIN_CONTINUE_LOOP) type = tirbi_type_void;
    return emit_call(s, c, type, builtin, args, n);
}

static tirbi_value likely(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *e = arg(s, c, 0);
    if (!e || e->kind == TIRB_EXPR_INT_IMM) return tirbi_value_expr(e);
    return emit_call(s, c, e->dtype, TIRB_BUILTIN_LIKELY, &e, 1);
}

static tirbi_value reinterpret(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    char left[32], right[32];
    const tirb_expr *e = arg(s, c, 1);
    if (!tirbi_to_dtype(s, &c->args[0], &type) || !e) return tirbi_value_error();
    if (type.scalable != e->dtype.scalable ||
        (uint32_t)type.bits * type.lanes != (uint32_t)e->dtype.bits * e->dtype.lanes)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "cannot reinterpret %s as %s: the numbers of bits differ",
                          tirb_datatype_text(e->dtype, left), tirb_datatype_text(type, right));
    if (tirb_datatype_equal(type, e->dtype) && !tirbi_type_is_handle(type)) return tirbi_value_expr(e);
    return emit_call(s, c, type, TIRB_BUILTIN_REINTERPRET, &e, 1);
}

static tirbi_value address_of(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *e = NULL;
    tirb_buffer_region region;
    if (c->args[0].kind == TIRBI_VALUE_EXPR || c->args[0].kind == TIRBI_VALUE_ERROR || c->args[0].scalar) {
        e = arg(s, c, 0);
    } else if (tirbi_to_region(s, &c->args[0], &region)) {
        const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, region.buffer->ndim);
        if (!indices) return tirbi_value_error();
        for (uint32_t i = 0; i < region.buffer->ndim; i++) indices[i] = region.region[i].min;
        e = tirbi_make_load(&s->builder, c->node->span, region.buffer, indices, region.buffer->ndim, NULL);
    }
    if (!e) return tirbi_value_error();
    if (e->kind != TIRB_EXPR_LOAD && e->kind != TIRB_EXPR_VAR)
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, e), "T.address_of needs an element of a buffer");
    return emit_call(s, c, tirbi_type_handle, TIRB_BUILTIN_ADDRESS_OF, &e, 1);
}

static tirbi_value type_annotation(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    return emit_call(s, c, type, TIRB_BUILTIN_TYPE_ANNOTATION, NULL, 0);
}

/* New TVMScript's takes no type and is an int32; like its other functions it ignores `dtype=`. */
static tirbi_value undefined(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type = tirbi_type_i32;
    bool ignored = !tirbi_classic(s) && c->node->n_items > 1 && c->node->items[1]->kind == TIRBI_NODE_KEYWORD;
    if (!ignored && tirbi_given(&c->args[0]) && !tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    return emit_call(s, c, type, TIRB_BUILTIN_UNDEF, NULL, 0);
}

static tirbi_value large_uint_imm(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *rest = &c->args[0];
    tirb_datatype type = {TIRB_CODE_UINT, 64, 1, false};
    uint32_t first = rest->as.sequence.n == 3;
    int64_t low, high;
    if (rest->as.sequence.n != 2 + first)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.large_uint_imm takes the low and the high 32 bits");
    if (first && !tirbi_to_dtype(s, &rest->as.sequence.items[0], &type)) return tirbi_value_error();
    if (!tirbi_to_int(s, &rest->as.sequence.items[first], "the low half", &low) ||
        !tirbi_to_int(s, &rest->as.sequence.items[first + 1], "the high half", &high))
        return tirbi_value_error();
    uint64_t bits = (uint64_t)high << 32 | ((uint64_t)low & 0xFFFFFFFF);
    return tirbi_value_expr(tirbi_make_int(&s->builder, c->node->span, type, (int64_t)bits));
}

/* T.call_intrin of a masked access is the access. */
static tirbi_value masked_intrin(tirbi_script *s, const tirbi_call *c, bool load) {
    uint32_t n = c->args[2].as.sequence.n, n_first = load ? 1 : 2;
    tirbi_value *items = c->args[2].as.sequence.items, args[3] = {c->args[0]};
    if (n < n_first)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "a masked access takes a buffer, indices and a mask");
    for (uint32_t i = 0; i < n_first; i++) args[2 - n_first + i] = items[i];
    args[2] = (tirbi_value){.kind = TIRBI_VALUE_TUPLE};
    args[2].as.sequence.items = items + n_first;
    args[2].as.sequence.n = n - n_first;
    const tirbi_entry *entry = tirbi_find_entry(TIRBI_SPACE_TIR, load ? "masked_load" : "masked_store");
    const tirbi_call access = {.node = c->node, .entry = entry, .args = args};
    return entry->handler(s, &access);
}

/* T.Call("op", [args], ret_ty=...) and T.call_intrin(dtype, "op", args...): any builtin by its name. */
static tirbi_value call_by_name(tirbi_script *s, const tirbi_call *c) {
    const char *name;
    const tirb_expr *const *args;
    uint32_t n;
    bool intrin = c->entry->data;
    const tirbi_value *type_given = &c->args[intrin ? 0 : 3], *op = &c->args[intrin],
                      *operands = &c->args[intrin ? 2 : 1];
    if (!tirbi_to_text(s, op, "the name of the operator", &name)) return tirbi_value_error();
    const char *dot = strrchr(name, '.');
    const char *bare = dot ? dot + 1 : name;
    bool load = strcmp(bare, "masked_load") == 0;
    if (intrin && (load || strcmp(bare, "masked_store") == 0)) return masked_intrin(s, c, load);
    if (!tirbi_to_exprs(s, operands, &args, &n)) return tirbi_value_error();
    if (strncmp(bare, "tvm_call_", 9) == 0) bare += 4; /* T.call_packed is the operator tvm_call_packed */
    for (int i = 0; i < TIRB_N_BUILTINS; i++) {
        if (strcmp(tirb_builtins[i].name, bare) != 0) continue;
        tirb_datatype type = n ? args[0]->dtype : tirbi_type_void;
        if (tirbi_given(type_given) && !tirbi_to_dtype(s, type_given, &type)) return tirbi_value_error();
        if (tirb_builtins[i].arity >= 0 && n != (uint32_t)tirb_builtins[i].arity)
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "%s takes %d arguments, %u given", name,
                              tirb_builtins[i].arity, n);
        return emit_call(s, c, type, (tirb_builtin)i, args, n);
    }
    return tirbi_fail(s, TIRB_UNSUPPORTED, c->node->span, "the operator \"%s\" is not supported", name);
}

/* T.call_tir(Module.f, args...): the call. */
static tirbi_value call_tir(tirbi_script *s, const tirbi_call *c) {
    tirbi_node *call = TIRBI_NEW(s->arena, tirbi_node);
    if (!call) return tirbi_value_error();
    *call = *c->node;
    call->items++;
    call->n_items--;
    return tirbi_evaluate(s, call);
}

static tirbi_value opaque(tirbi_script *s, const tirbi_call *c) {
    (void)s;
    return (tirbi_value){.kind = TIRBI_VALUE_OPAQUE, .node = c->node};
}

static tirbi_value meta_var(tirbi_script *s, const tirbi_call *c) {
    tirbi_value *copy = TIRBI_NEW(s->arena, tirbi_value);
    if (!copy) return tirbi_value_error();
    *copy = c->args[0];
    return (tirbi_value){.kind = TIRBI_VALUE_META, .as.meta = copy};
}

static tirbi_value make_range(tirbi_script *s, const tirbi_call *c) {
    tirbi_value v = {.kind = TIRBI_VALUE_RANGE};
    const tirb_expr *begin = arg(s, c, 0);
    if (!begin) return tirbi_value_error();
    if (tirbi_given(&c->args[1])) {
        const tirb_expr *end = tirbi_to_typed(s, &c->args[1], begin->dtype);
        v.as.range.min = begin;
        v.as.range.extent = tirbi_make_domain(&s->builder, c->node->span, end, begin);
    } else {
        v.as.range.min = tirbi_make_int(&s->builder, c->node->span, begin->dtype, 0);
        v.as.range.extent = begin;
    }
    return v.as.range.min && v.as.range.extent ? v : tirbi_value_error();
}

static const tirb_buffer *accessed(tirbi_script *s, const tirbi_call *c, const tirbi_value *indices,
                                   const tirb_expr *const **out, uint32_t *n) {
    const tirbi_value *v = &c->args[0];
    if (tirbi_is_error(v)) return NULL;
    if (v->kind != TIRBI_VALUE_BUFFER) {
        tirbi_fail(s, TIRB_TYPE, c->node->span, "expected a buffer, found %s", tirbi_value_text(v));
        return NULL;
    }
    if (!tirbi_to_exprs(s, indices, out, n)) return NULL;
    if (*n == v->as.buffer->ndim) return v->as.buffer;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is %u-dimensional and cannot be indexed with %u indices",
               v->as.buffer->name, v->as.buffer->ndim, *n);
    return NULL;
}

static tirbi_value buffer_load(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices, *predicate = NULL;
    uint32_t n;
    const tirb_buffer *buffer = accessed(s, c, &c->args[1], &indices, &n);
    if (!buffer || (tirbi_given(&c->args[2]) && !(predicate = tirbi_to_expr(s, &c->args[2]))))
        return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_load(&s->builder, c->node->span, buffer, indices, n, predicate));
}

static tirbi_value buffer_store(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices, *predicate = NULL;
    uint32_t n;
    const tirb_buffer *buffer = accessed(s, c, &c->args[2], &indices, &n);
    const tirb_expr *value = buffer ? tirbi_to_typed(s, &c->args[1], tirbi_type_element(buffer->dtype)) : NULL;
    if (!value || (tirbi_given(&c->args[3]) && !(predicate = tirbi_to_expr(s, &c->args[3]))))
        return tirbi_value_error();
    tirbi_emit_store(&s->builder, c->node->span, buffer, value, indices, n, predicate);
    return tirbi_value_none();
}

const tirbi_entry tirbi_expr_names[] = {
    {"cast", cast, "value dtype", 0},
    {"Cast", raw_cast, "dtype value", 0},
    {"IntImm", typed_constant, "dtype value", false},
    {"FloatImm", typed_constant, "dtype value", true},
    {"const", constant, "value dtype", 1},
    {"StringImm", string_imm, "value", 0},
    {"Select", select_value, "condition true_value false_value", 0},
    {"if_then_else", if_then_else, "cond t f", 0},
    {"Ramp", ramp, "base stride lanes", 0},
    {"ramp", ramp, "base stride lanes", 0},
    {"Broadcast", broadcast, "value lanes", 0},
    {"broadcast", broadcast, "value lanes", 0},
    {"Shuffle", shuffle, "vectors indices", 0},
    {"Let", let, "expr where", 0},
    {"reinterpret", reinterpret, "dtype value", 0},
    {"likely", likely, "cond", 0},
    {"assume", plain_call, "*args", TIRB_BUILTIN_ASSUME},
    {"isnullptr", plain_call, "*args", TIRB_BUILTIN_ISNULLPTR},
    {"address_of", address_of, "obj", 0},
    {"type_annotation", type_annotation, "dtype", 0},
    {"tvm_access_ptr", plain_call, "*args", TIRB_BUILTIN_TVM_ACCESS_PTR},
    {"BufferLoad", buffer_load, "buffer indices predicate?", 0},
    {"buffer_store", buffer_store, "buffer value indices predicate?", 0},
    {"buffer_data", plain_call, "*args", TIRB_BUILTIN_BUFFER_DATA},
    {"undef", undefined, "dtype?", 0},
    {"large_uint_imm", large_uint_imm, "*args", 0},
    {"vectorlow", typed_call, "dtype *args", TIRB_BUILTIN_VECTORLOW},
    {"vectorhigh", typed_call, "dtype *args", TIRB_BUILTIN_VECTORHIGH},
    {"vectorcombine", typed_call, "dtype *args", TIRB_BUILTIN_VECTORCOMBINE},
    {"call_extern", extern_call, "dtype *args", TIRB_BUILTIN_CALL_EXTERN},
    {"call_pure_extern", extern_call, "dtype *args", TIRB_BUILTIN_CALL_PURE_EXTERN},
    {"llvm_lookup_intrinsic_id", string_imm, "name", 0}, /* its name is as good as its number */
    {"call_llvm_intrin", typed_call, "dtype *args", TIRB_BUILTIN_CALL_LLVM_INTRIN},
    {"call_llvm_pure_intrin", typed_call, "dtype *args", TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN},
    {"call_packed", plain_call, "*args", TIRB_BUILTIN_CALL_PACKED},
    {"tvm_call_packed", plain_call, "*args", TIRB_BUILTIN_CALL_PACKED},
    {"call_cpacked", plain_call, "*args", TIRB_BUILTIN_CALL_CPACKED},
    {"tvm_call_cpacked", plain_call, "*args", TIRB_BUILTIN_CALL_CPACKED},
    {"ret", plain_call, "*args", TIRB_BUILTIN_RET},
    {"break_loop", plain_call, "*args", TIRB_BUILTIN_BREAK_LOOP},
    {"continue_loop", plain_call, "*args", TIRB_BUILTIN_CONTINUE_LOOP},
    {"Call", call_by_name, "op args attrs? ret_ty?", 0},
    {"masked_load", tirbi_masked_load, "dtype buffer *indices", 0},
    {"masked_store", tirbi_masked_store, "buffer value *indices", 0},
    {"call_intrin", call_by_name, "dtype op *args", 1},
    {"Range", make_range, "begin end?", 0},
    {"meta_var", meta_var, "value", 0},
    {"comm_reducer", tirbi_comm_reducer, "combiner identity", 0},
    {"index_map", opaque, "*args", 0},
    {"call_tir", call_tir, "function *args", 0},
    {"target", tirbi_target, "target host?", 0},
    {"vscale", plain_call, "*args", TIRB_BUILTIN_VSCALE},
    {"get_active_lane_mask", typed_call, "dtype *args", TIRB_BUILTIN_GET_ACTIVE_LANE_MASK},
    {"handle_add_byte_offset", plain_call, "*args", TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET},
    {"ptr_byte_offset", plain_call, "*args", TIRB_BUILTIN_PTR_BYTE_OFFSET},
    {"q_multiply_shift_per_axis", plain_call, "*args", TIRB_BUILTIN_Q_MULTIPLY_SHIFT_PER_AXIS},
    {"ignore_loop_partition", plain_call, "*args", TIRB_BUILTIN_IGNORE_LOOP_PARTITION},
    {"tvm_thread_invariant", plain_call, "*args", TIRB_BUILTIN_TVM_THREAD_INVARIANT},
    {"start_profile_intrinsic", plain_call, "*args", TIRB_BUILTIN_START_PROFILE_INTRINSIC},
    {"end_profile_intrinsic", plain_call, "*args", TIRB_BUILTIN_END_PROFILE_INTRINSIC},
    {"tvm_storage_sync", plain_call, "*args", TIRB_BUILTIN_TVM_STORAGE_SYNC},
    {NULL, NULL, NULL, 0},
};
