/* The builtins of the packed calling convention: fields of structs that hold arguments, memory for them, calls. */
#include "compiler/text/script/names.h"

/* The type of a call where the text gives none. */
static tirb_datatype usual_type(tirb_builtin builtin) {
    switch (builtin) {
    case TIRB_BUILTIN_TVM_STACK_ALLOCA:
    case TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE:
    case TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY:
    case TIRB_BUILTIN_TVM_THROW_LAST_ERROR:
    case TIRB_BUILTIN_TVM_TUPLE:
    case TIRB_BUILTIN_ANYLIST_GETITEM:
    case TIRB_BUILTIN_BACKEND_ALLOC_WORKSPACE: return tirbi_type_handle;
    default: return tirbi_type_i32;
    }
}

/* T.name(args..), of the usual type unless `dtype=` says another; T.tvm_struct_get has it as its fourth argument. */
static tirbi_value packed_call(tirbi_script *s, const tirbi_call *c) {
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    tirb_datatype type = usual_type(builtin);
    const tirb_expr *const *args;
    uint32_t n;
    tirbi_value all = c->args[0];
    const tirbi_value *dtype = &c->args[1];
    if (builtin == TIRB_BUILTIN_TVM_STRUCT_GET && all.as.sequence.n == 4)
        dtype = &all.as.sequence.items[--all.as.sequence.n];
    if (tirbi_given(dtype) && !tirbi_to_dtype(s, dtype, &type)) return tirbi_value_error();
    if (!tirbi_to_exprs(s, &all, &args, &n)) return tirbi_value_error();
    int arity = tirb_builtins[builtin].arity;
    if (arity >= 0 && n != (uint32_t)arity)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "%s takes %d argument%s, %u given", c->entry->name, arity,
                          arity == 1 ? "" : "s", n);
    const tirb_expr *call = tirbi_make_call(&s->builder, c->node->span, type, builtin, args, n);
    if (dtype->kind == TIRBI_VALUE_POINTER) call = tirbi_with_pointer(&s->builder, call, dtype->as.type.type);
    return tirbi_value_expr(call);
}

static const tirb_expr *make_shape(tirbi_script *s, tirbi_span span, const tirb_expr *const *sizes, uint32_t n) {
    return tirbi_make_call(&s->builder, span, tirbi_type_handle, TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE, sizes, n);
}

/* T.tvm_stack_make_array(data, shape, strides or 0, ndim, a zero of the type, offset), as TVM writes it. */
static const tirb_expr *make_array(tirbi_script *s, tirbi_span span, const tirb_buffer *buffer) {
    tirbi_builder *b = &s->builder;
    tirb_datatype index_type = buffer->ndim ? buffer->shape[0]->dtype : tirbi_type_i64;
    const tirb_expr *zero = tirbi_make_int(b, span, tirbi_type_i32, 0);
    const tirb_expr *args[6] = {tirbi_make_data(b, span, buffer),
                                make_shape(s, span, buffer->shape, buffer->ndim),
                                buffer->strides ? make_shape(s, span, buffer->strides, buffer->ndim) : zero,
                                tirbi_make_int(b, span, tirbi_type_i32, buffer->ndim),
                                tirbi_make_cast(b, span, buffer->dtype, zero),
                                buffer->elem_offset ? buffer->elem_offset : tirbi_make_int(b, span, index_type, 0)};
    for (int i = 0; i < 6; i++)
        if (!args[i]) return NULL;
    return tirbi_make_call(b, span, tirbi_type_handle, TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY, args, 6);
}

bool tirbi_pack_buffers(tirbi_script *s, const tirbi_value *arguments) {
    for (uint32_t i = 0; arguments->kind == TIRBI_VALUE_TUPLE && i < arguments->as.sequence.n; i++) {
        tirbi_value *v = &arguments->as.sequence.items[i];
        if (v->kind != TIRBI_VALUE_BUFFER || v->scalar) continue;
        const tirbi_node *node = v->node;
        const tirb_expr *array = make_array(s, node ? node->span : (tirbi_span){0, 0}, v->as.buffer);
        if (!array) return false;
        *v = tirbi_value_expr(array);
        v->node = node;
    }
    return true;
}

const tirbi_entry tirbi_packed_names[] = {
    {"tvm_struct_get", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_STRUCT_GET},
    {"tvm_struct_set", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_STRUCT_SET},
    {"tvm_stack_alloca", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_STACK_ALLOCA},
    {"tvm_stack_make_shape", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE},
    {"tvm_stack_make_array", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY},
    {"tvm_throw_last_error", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_THROW_LAST_ERROR},
    {"TVMBackendAnyListSetPackedArg", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_SET_PACKED_ARG},
    {"TVMBackendAnyListMoveFromPackedReturn", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_MOVE_FROM_RETURN},
    {"TVMBackendAnyListResetItem", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_RESET},
    {"call_packed_lowered", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED},
    {"call_cpacked_lowered", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED},
    {"tvm_call_packed_lowered", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED},
    {"tvm_call_cpacked_lowered", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED},
    {"anylist_getitem", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_GETITEM},
    {"anylist_resetitem", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_RESETITEM},
    {"anylist_setitem_call_packed", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_SETITEM_CALL_PACKED},
    {"anylist_setitem_call_cpacked", packed_call, "*args dtype?", TIRB_BUILTIN_ANYLIST_SETITEM_CALL_CPACKED},
    {"tvm_tuple", packed_call, "*args dtype?", TIRB_BUILTIN_TVM_TUPLE},
    {"TVMBackendAllocWorkspace", packed_call, "*args dtype?", TIRB_BUILTIN_BACKEND_ALLOC_WORKSPACE},
    {"TVMBackendFreeWorkspace", packed_call, "*args dtype?", TIRB_BUILTIN_BACKEND_FREE_WORKSPACE},
    {NULL, NULL, NULL, 0},
};
