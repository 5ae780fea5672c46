/* Pointers that no buffer of the function names: parameters of packed functions, fields of structs, memory for calls.
 *
 * A handle is an int64 value, 0 for null. A struct is an array of 64-bit words, 16 for each tensor and one for each
 * argument, which the VM packs (vm/call/packed.h). What lies outside a struct, or in one that is not there, reads as 0:
 * a program checks what it was given after it has looked at it. */
#include <string.h>

#include "compiler/ir/anylist.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

/* TVM's StructFieldKind, as far as it has names here; 1 to 10 are fields of a tensor. */
enum {
    FIELD_ADDRESS = 0,
    FIELD_LAST_OF_TENSOR = 10,
    FIELD_VALUE = 12,
    FIELD_ANY_TYPE = 13,
    FIELD_ANY_PADDING = 14,
    FIELD_ANY_VALUE = 15,
    FIELD_WORD = 17
};
enum { STRUCT_WORDS = 16 };

static bool is_builtin(const tirb_expr *e, tirb_builtin builtin) {
    return e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
           e->as.call.builtin == builtin;
}

static tirbi_span place_of(const tirb_expr *e, const tirb_expr *inside) {
    return e->kind == TIRB_EXPR_VAR ? inside->span : e->span;
}

/* ---- Packed functions ------------------------------------------------------------------------------------------- */

static const tirbi_dtype packed_types[] = {TIRB_I64, TIRB_I32, TIRB_I32, TIRB_I64, TIRB_I32, TIRB_I64};
enum { PACKED_COUNT = 2 }; /* the parameter that is a scalar: how many arguments there are */

static bool has_packed_signature(const tirb_primfunc *f) {
    if (f->n_params != 5 && f->n_params != 6) return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        tirb_datatype type = f->params[i]->dtype;
        bool handle = type.code == TIRB_CODE_HANDLE,
             count = type.code == TIRB_CODE_INT && type.bits == 32 && type.lanes == 1;
        if (f->buffers[i] || (i == PACKED_COUNT ? !count : !handle)) return false;
    }
    return f->ret_type.kind == TIRB_TYPE_PRIM && f->ret_type.dtype.code == TIRB_CODE_INT &&
           f->ret_type.dtype.bits == 32;
}

/* Memory of which only the reference knows how much there is. */
static tirbi_lbuf *open_memory(tirbi_lowerer *l, const char *name, tirbi_dtype type) {
    tirbi_lbuf *b = TIRBI_NEW(l->arena, tirbi_lbuf);
    const tirbi_lx **sizes = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, 2);
    if (!b || !sizes) return NULL;
    sizes[0] = tirbi_lx_number(l->pool, TIRBI_POINTEE_EXTENT);
    sizes[1] = tirbi_lx_number(l->pool, 1);
    if (!sizes[0] || !sizes[1]) return NULL;
    *b = (tirbi_lbuf){
        .name = name, .type = type, .ndim = 1, .shape = sizes, .strides = sizes + 1, .param = -1};
    b->root = b;
    return b;
}

/* From here on the variable means the memory; a handle that it has stays what it is. */
static void point_to(tirbi_lowerer *l, const tirb_expr *var, tirbi_lbuf *memory, tirbi_stack_kind stack) {
    tirbi_pointer *p = TIRBI_NEW(l->arena, tirbi_pointer);
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0);
    if (!p || !zero || !memory || var->as.var.id >= l->n_vars) return;
    *p = (tirbi_pointer){.memory = memory, .offset = zero, .stack = stack};
    l->bindings[var->as.var.id].pointer = p;
}

bool tirbi_lower_packed_params(tirbi_lowerer *l, const tirb_primfunc *f) {
    if (!tirbi_is_packed(f)) return false;
    if (!has_packed_signature(f)) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, f->span,
                           "%s has calling_conv 1, so its parameters must be handle, handle, int32, handle, handle and "
                           "perhaps handle, or handle, handle, int32, handle, and it must return int32",
                           f->name);
        return true;
    }
    l->function->packed = true;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i == PACKED_COUNT) continue;
        tirbi_lbuf *b = open_memory(l, f->params[i]->as.var.name, packed_types[i]);
        if (!b) return true;
        b->param = (int32_t)i;
        l->function->param_buffers[i] = b;
        point_to(l, f->params[i], b, TIRBI_STACK_NONE);
    }
    return false;
}

/* ---- Instructions on references --------------------------------------------------------------------------------- */

/* ref.put and length as values. */
static const tirbi_lx *reference_value(tirbi_lowerer *l, tirbi_op op, tirbi_lbuf *root, const tirbi_place *start,
                                       const tirbi_lx *count) {
    tirbi_lcall *call = TIRBI_NEW(l->arena, tirbi_lcall);
    tirbi_lcall_ref *ref = TIRBI_NEW(l->arena, tirbi_lcall_ref);
    if (!call || !ref) return NULL;
    *ref = (tirbi_lcall_ref){.buffer = root, .start = start, .count = count};
    *call = (tirbi_lcall){.op = (uint8_t)op, .refs = ref, .n_refs = 1};
    return tirbi_lx_call(l->pool, TIRB_I64, call);
}

static void append_fetch(tirbi_lowerer *l, tirbi_lbuf *to, const tirbi_lx *handle, tirbi_span span) {
    to->fetched = true;
    tirbi_ls *fetch = tirbi_append(l, TIRBI_LS_FETCH, span);
    fetch->as.fetch.buffer = to;
    fetch->as.fetch.handle = handle;
}

void tirbi_fetch_memory(tirbi_lowerer *l, const tirb_expr *pointer, tirbi_dtype type, tirbi_span span) {
    if (pointer->kind != TIRB_EXPR_VAR || pointer->as.var.id >= l->n_vars) return;
    uint32_t id = pointer->as.var.id;
    const tirbi_lx *handle = l->bindings[id].value;
    if (!handle) return;
    tirbi_lbuf *b = l->fetched[id];
    if (!b) b = l->fetched[id] = open_memory(l, pointer->as.var.name, type);
    if (!b) return;
    append_fetch(l, b, handle, span);
    point_to(l, pointer, b, TIRBI_STACK_NONE);
}

/* ---- Handles as values ------------------------------------------------------------------------------------------ */

static const tirbi_lx *struct_field(tirbi_lowerer *l, const tirb_expr *e);

static const tirbi_lx *handle_of_memory(tirbi_lowerer *l, const tirb_expr *e, tirbi_span span) {
    tirbi_pointer p;
    if (!tirbi_lower_pointer(l, e, span, &p)) return NULL;
    if (p.memory->local || !p.offset) {
        tirbi_unsupported(l, span, "a pointer to no memory as a handle");
        return NULL;
    }
    if (!p.count && tirbi_lx_is_int(p.offset, 0)) return reference_value(l, TIRB_OP_REF_PUT, p.memory, NULL, NULL);
    tirbi_place *start = TIRBI_NEW(l->arena, tirbi_place);
    const tirbi_lx *length = reference_value(l, TIRB_OP_LENGTH, p.memory, NULL, NULL);
    const tirbi_lx *count = p.count ? p.count : length ? tirbi_lx_sub(l->pool, length, p.offset) : NULL;
    if (!start || !count) return NULL;
    *start = (tirbi_place){.buffer = p.memory, .flat = p.offset, .span = span};
    return reference_value(l, TIRB_OP_REF_PUT, p.memory, start, count);
}

/* The integer that an expression makes a handle of, or NULL. Only 0, the null pointer, leads anywhere by itself. */
static const tirb_expr *number_of_handle(const tirb_expr *e) {
    const tirb_expr *value = e->kind == TIRB_EXPR_CAST ? e->as.cast.value : NULL;
    if (is_builtin(e, TIRB_BUILTIN_REINTERPRET)) value = e->as.call.args[0];
    return value && (value->dtype.code == TIRB_CODE_INT || value->dtype.code == TIRB_CODE_UINT) ? value : NULL;
}

/* The handle that a cast, a reinterpretation, a choice or a step from it is one of, or NULL. */
static const tirb_expr *same_handle(const tirb_expr *e) {
    const tirb_expr *value = e->kind == TIRB_EXPR_CAST ? e->as.cast.value : NULL;
    if (is_builtin(e, TIRB_BUILTIN_REINTERPRET) || is_builtin(e, TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET))
        value = e->as.call.args[0];
    if (is_builtin(e, TIRB_BUILTIN_IF_THEN_ELSE)) value = e->as.call.args[2];
    return value && value->dtype.code == TIRB_CODE_HANDLE ? value : NULL;
}

/* A parameter that leads nowhere, of which the caller gave the number. */
static const tirbi_lx *opaque_parameter(const tirbi_lowerer *l, const tirb_expr *e) {
    const tirbi_lfunc *f = l->function;
    for (uint32_t i = 0; i < f->ast->n_params && e->kind == TIRB_EXPR_VAR; i++) {
        if (f->ast->params[i] == e && f->param_vars && f->param_vars[i]) return tirbi_lx_var(l->pool, f->param_vars[i]);
    }
    return NULL;
}

const tirbi_lx *tirbi_handle_number(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *number = number_of_handle(e);
    if (!number) return opaque_parameter(l, e);
    return number->kind == TIRB_EXPR_INT_IMM ? tirbi_lx_number(l->pool, number->as.int_value) : NULL;
}

bool tirbi_is_handle_value(const tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *inner;
    while ((inner = same_handle(e)) != NULL) e = inner;
    bool bound = e->kind == TIRB_EXPR_VAR && e->as.var.id < l->n_vars && l->bindings[e->as.var.id].value;
    return bound || is_builtin(e, TIRB_BUILTIN_TVM_STRUCT_GET) || number_of_handle(e);
}

/* A handle that has moved by bytes leads nowhere; where there is a choice it is not the one that a call chooses. */
static const tirbi_lx *derived_handle(tirbi_lowerer *l, const tirb_expr *e, const tirb_expr *inside) {
    const tirbi_lx *handle = tirbi_lower_handle(l, same_handle(e), inside);
    if (is_builtin(e, TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET)) {
        const tirbi_lx *bytes = tirbi_lower_index(l, e->as.call.args[1], NULL);
        return handle && bytes ? tirbi_lx_add(l->pool, handle, bytes) : NULL;
    }
    if (!is_builtin(e, TIRB_BUILTIN_IF_THEN_ELSE)) return handle;
    const tirbi_lx *condition = tirbi_lower_expr(l, e->as.call.args[0], NULL);
    const tirbi_lx *other = tirbi_lower_handle(l, e->as.call.args[1], inside);
    return condition && other && handle ? tirbi_lx_lazy(l->pool, TIRBI_LX_COND, condition, other, handle) : NULL;
}

const tirbi_lx *tirbi_lower_handle(tirbi_lowerer *l, const tirb_expr *e, const tirb_expr *inside) {
    tirbi_span span = place_of(e, inside);
    const tirb_expr *number = number_of_handle(e);
    if (number) {
        const tirbi_lx *value = tirbi_lower_expr(l, number, NULL);
        return value ? tirbi_lx_cast(l->pool, TIRB_I64, value) : NULL;
    }
    if (same_handle(e) && tirbi_is_handle_value(l, e)) return derived_handle(l, e, inside);
    if (e->kind == TIRB_EXPR_VAR && e->as.var.id < l->n_vars && l->bindings[e->as.var.id].value)
        return l->bindings[e->as.var.id].value;
    if (is_builtin(e, TIRB_BUILTIN_TVM_STRUCT_GET)) return struct_field(l, e);
    const tirbi_lx *parameter = opaque_parameter(l, e);
    if (parameter) return parameter;
    return handle_of_memory(l, e, span);
}

const tirbi_lx *tirbi_lower_null_test(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *pointer = e->as.call.args[0];
    bool known = pointer->kind == TIRB_EXPR_VAR && pointer->as.var.id < l->n_vars &&
                 !l->bindings[pointer->as.var.id].value && !opaque_parameter(l, pointer);
    known = known || is_builtin(pointer, TIRB_BUILTIN_ADDRESS_OF) || is_builtin(pointer, TIRB_BUILTIN_TVM_ACCESS_PTR);
    if (known) return tirbi_lx_int(l->pool, TIRB_BOOL, 0); /* memory of this function's, or a buffer's */
    const tirbi_lx *handle = tirbi_lower_handle(l, pointer, e);
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0);
    return tirbi_lx_wide(l->pool, TIRB_OP_EQ, handle, zero);
}

/* ---- Fields of structs ------------------------------------------------------------------------------------------ */

/* The words that a struct's base leads to: memory that the function has, or what was fetched when the base was
 * bound. */
static tirbi_lbuf *words_of(tirbi_lowerer *l, const tirb_expr *base, const tirb_expr *inside) {
    const tirbi_pointer *p = NULL;
    if (base->kind == TIRB_EXPR_VAR && base->as.var.id < l->n_vars) p = l->bindings[base->as.var.id].pointer;
    if (p && p->memory && tirbi_dtypes[p->memory->type].size == 8 && tirbi_lx_is_int(p->offset, 0)) return p->memory;
    tirbi_unsupported(l, place_of(base, inside), "a struct that is no variable, or a variable of another element size");
    return NULL;
}

/* Whether a struct's base is a stack of cells that have a type index and a value each. */
static bool is_any_stack(const tirbi_lowerer *l, const tirb_expr *base) {
    const tirbi_pointer *p =
        base->kind == TIRB_EXPR_VAR && base->as.var.id < l->n_vars ? l->bindings[base->as.var.id].pointer : NULL;
    return p && p->stack == TIRBI_STACK_ANY;
}

/* The number of the word that a field is; NULL after an error. */
static const tirbi_lx *word_index(tirbi_lowerer *l, const tirb_expr *call, int64_t *field) {
    const tirb_expr *kind = call->as.call.args[2];
    const tirbi_lx *index = tirbi_lower_index(l, call->as.call.args[1], NULL);
    *field = kind->kind == TIRB_EXPR_INT_IMM ? kind->as.int_value : -1;
    bool any = *field >= FIELD_ANY_TYPE && *field <= FIELD_ANY_VALUE;
    if (any && is_any_stack(l, call->as.call.args[0])) {
        const tirbi_lx *two = tirbi_lx_number(l->pool, 2), *value = tirbi_lx_number(l->pool, *field == FIELD_ANY_VALUE);
        return index && two && value ? tirbi_lx_add(l->pool, tirbi_lx_mul(l->pool, index, two), value) : NULL;
    }
    any = any && tirbi_codes_of(l->function->ast, call->as.call.args[0]);
    bool word = *field == FIELD_VALUE || *field == FIELD_WORD || any;
    if (*field < 0 || (*field > FIELD_LAST_OF_TENSOR && !word)) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, call->span,
                           "the field of %s must be a constant, 0 to 10 of a tensor, 12 or, with TVM 0.27's four "
                           "parameters and stacks, 13 "
                           "to 15 of an argument, or 17 of a shape",
                           tirb_builtins[call->as.call.builtin].name);
        return NULL;
    }
    if (!index || word) return index;
    const tirbi_lx *words = tirbi_lx_number(l->pool, STRUCT_WORDS), *at = tirbi_lx_number(l->pool, *field);
    return words && at ? tirbi_lx_add(l->pool, tirbi_lx_mul(l->pool, index, words), at) : NULL;
}

/* Element `index` of an array of structs, from which the callee reads on. */
static const tirbi_lx *struct_address(tirbi_lowerer *l, const tirb_expr *e, tirbi_lbuf *words, const tirbi_lx *at) {
    tirbi_place *start = TIRBI_NEW(l->arena, tirbi_place);
    const tirbi_lx *count = tirbi_lx_number(l->pool, STRUCT_WORDS);
    if (!start || !count) return NULL;
    *start = (tirbi_place){.buffer = words, .flat = at, .span = e->span};
    return reference_value(l, TIRB_OP_REF_PUT, words->root, start, count);
}

/* The type codes beside the values that a struct's base is. */
static tirbi_lbuf *codes_memory(const tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *codes = tirbi_codes_of(l->function->ast, e->as.call.args[0]);
    const tirbi_pointer *p = codes ? l->bindings[codes->as.var.id].pointer : NULL;
    return p ? p->memory : NULL;
}

static const tirbi_lx *struct_field(tirbi_lowerer *l, const tirb_expr *e) {
    int64_t field;
    tirbi_lbuf *words = words_of(l, e->as.call.args[0], e);
    const tirbi_lx *at = words ? word_index(l, e, &field) : NULL;
    if (!at) return NULL;
    if (field == FIELD_ADDRESS) return struct_address(l, e, words, at);
    if (field == FIELD_ANY_PADDING) return tirbi_lx_number(l->pool, 0);
    bool coded = field == FIELD_ANY_TYPE && !is_any_stack(l, e->as.call.args[0]);
    if (coded) words = codes_memory(l, e);
    if (!words) return NULL;
    const tirbi_place *place = tirbi_place_at(l, words, &at, e->span);
    const tirbi_lx *length = reference_value(l, TIRB_OP_LENGTH, words->root, NULL, NULL);
    const tirbi_lx *zero = tirbi_lx_number(l->pool, 0);
    if (!place || !length || !zero) return NULL;
    const tirbi_lx *there = tirbi_lx_wide(l->pool, TIRB_OP_LT, at, length);
    const tirbi_lx *value = tirbi_lx_load(l->pool, place);
    if (coded) value = value ? tirbi_lx_cast(l->pool, TIRB_I64, tirbi_index_of_code(l->pool, value)) : NULL;
    return there && value ? tirbi_lx_lazy(l->pool, TIRBI_LX_COND, there, value, zero) : NULL;
}

const tirbi_lx *tirbi_lower_struct_get(tirbi_lowerer *l, const tirb_expr *e) {
    tirbi_dtype type;
    const tirbi_lx *word = struct_field(l, e);
    if (!word || !tirbi_machine_type(l, e->dtype, e->span, &type)) return NULL;
    if (type == TIRB_F64) return tirbi_lx_op(l->pool, TIRB_OP_BITS, TIRB_F64, TIRB_I64, word, NULL, NULL);
    if (tirbi_dtype_is_int(type) || type == TIRB_BOOL) return tirbi_lx_cast(l->pool, type, word);
    tirbi_unsupported(l, e->span, "a field of this type");
    return NULL;
}

static void lower_struct_set(tirbi_lowerer *l, const tirb_expr *e) {
    int64_t field;
    const tirb_expr *given = e->as.call.args[3];
    tirbi_lbuf *words = words_of(l, e->as.call.args[0], e);
    const tirbi_lx *at = words ? word_index(l, e, &field) : NULL;
    if (!at) return;
    const bool pointer = given->dtype.code == TIRB_CODE_HANDLE;
    if (pointer && !(given = tirbi_settle_pointer(l, given))) return;
    const tirbi_lx *value = pointer ? tirbi_lower_handle(l, given, e) : tirbi_lower_expr(l, given, NULL);
    if (!value || field == FIELD_ADDRESS) {
        if (value) tirbi_unsupported(l, e->span, "setting an address");
        return;
    }
    if (tirbi_dtype_is_float((tirbi_dtype)value->type)) {
        value = tirbi_lx_cast(l->pool, TIRB_F64, value);
        value = value ? tirbi_lx_op(l->pool, TIRB_OP_BITS, TIRB_I64, TIRB_F64, value, NULL, NULL) : NULL;
    } else {
        value = tirbi_lx_cast(l->pool, TIRB_I64, value);
    }
    tirbi_know_cell(l, e->as.call.args[0], e->as.call.args[1], field, given);
    if (field == FIELD_ANY_PADDING) return;
    if (field == FIELD_ANY_TYPE && !is_any_stack(l, e->as.call.args[0])) {
        words = codes_memory(l, e);
        value = value ? tirbi_code_of_index(l->pool, tirbi_lx_cast(l->pool, TIRB_I32, value)) : NULL;
    }
    const tirbi_place *place = words ? tirbi_place_at(l, words, &at, e->span) : NULL;
    if (!value || !place) return;
    tirbi_ls *store = tirbi_append(l, TIRBI_LS_STORE, e->span);
    store->as.store.access = place;
    store->as.store.value = value;
}

/* ---- Lets of pointers ------------------------------------------------------------------------------------------- */

typedef struct base_search {
    tirbi_visitor visitor;
    const tirb_expr *var;
    bool found;
} base_search;

static void find_base(tirbi_visitor *visitor, const tirb_expr *e) {
    base_search *s = visitor->context;
    bool field = is_builtin(e, TIRB_BUILTIN_TVM_STRUCT_GET) || is_builtin(e, TIRB_BUILTIN_TVM_STRUCT_SET);
    if (field && e->as.call.args[0] == s->var) s->found = true;
    tirbi_visit_expr(visitor, e);
}

static bool is_struct_base(const tirb_expr *var, const tirb_stmt *body) {
    base_search s = {.var = var};
    s.visitor = (tirbi_visitor){.expr = find_base, .stmt = tirbi_visit_stmt, .context = &s};
    if (body) tirbi_visit_stmt(&s.visitor, body);
    return s.found;
}

void tirbi_store_any(tirbi_lowerer *l, const tirb_expr *stack, int64_t index, const tirbi_lx *type,
                     const tirbi_lx *value, tirbi_span span) {
    if (!is_any_stack(l, stack)) return;
    for (int k = 0; k < 2; k++) {
        const tirbi_lx *at = tirbi_lx_number(l->pool, 2 * index + k);
        const tirbi_place *place =
            at ? tirbi_place_at(l, l->bindings[stack->as.var.id].pointer->memory, &at, span) : NULL;
        if (!place) return;
        tirbi_ls *store = tirbi_append(l, TIRBI_LS_STORE, span);
        store->as.store.access = place;
        store->as.store.value = k ? value : type;
    }
}

/* tvm_stack_alloca("shape" | "arg_value" | "arg_tcode" | "array" | "tvm_ffi_any", n) */
static tirbi_lbuf *stack_memory(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *e, tirbi_stack_kind *stack) {
    const tirb_expr *what = e->as.call.args[0];
    const char *kind = what->kind == TIRB_EXPR_STRING_IMM ? what->as.string.text : "";
    bool codes = strcmp(kind, "arg_tcode") == 0, arrays = strcmp(kind, "array") == 0;
    bool any = strcmp(kind, "tvm_ffi_any") == 0;
    *stack = any ? TIRBI_STACK_ANY : TIRBI_STACK_WORDS;
    if (!codes && !arrays && !any && strcmp(kind, "arg_value") != 0 && strcmp(kind, "shape") != 0) {
        tirbi_report_error(
            l->diagnostics, TIRB_TYPE, e->span,
            "tvm_stack_alloca makes \"shape\", \"arg_value\", \"arg_tcode\", \"array\" or \"tvm_ffi_any\", not \"%s\"",
            kind);
        return NULL;
    }
    const tirbi_lx *count = tirbi_lower_index(l, e->as.call.args[1], NULL);
    if (count && (arrays || any))
        count = tirbi_lx_mul(l->pool, count, tirbi_lx_number(l->pool, any ? 2 : STRUCT_WORDS));
    return count ? tirbi_allocate_memory(l, var->as.var.name, codes ? TIRB_I32 : TIRB_I64, count, e->span) : NULL;
}

/* TVMBackendAllocWorkspace(device_type, device_id, bytes, type code, type bits) */
static tirbi_lbuf *workspace(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *e) {
    const tirb_expr *code = e->as.call.args[3], *bits = e->as.call.args[4];
    tirbi_dtype type;
    bool constant = code->kind == TIRB_EXPR_INT_IMM && bits->kind == TIRB_EXPR_INT_IMM;
    tirb_datatype element = {constant ? (uint8_t)code->as.int_value : 0, constant ? (uint8_t)bits->as.int_value : 0, 1,
                             false};
    if (!constant || !tirbi_machine_type(l, element, e->span, &type)) return NULL;
    const tirbi_lx *bytes = tirbi_lower_index(l, e->as.call.args[2], NULL);
    const tirbi_lx *size = tirbi_lx_number(l->pool, tirbi_dtypes[type].size);
    if (!bytes || !size) return NULL;
    const tirbi_lx *count = tirbi_lx_wide(l->pool, TIRB_OP_FLOORDIV, bytes, size);
    return count ? tirbi_allocate_memory(l, var->as.var.name, type, count, e->span) : NULL;
}

bool tirbi_lower_handle_let(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirb_expr *var = s->as.let.var, *value = s->as.let.value;
    uint32_t id = var->as.var.id;
    bool stack = is_builtin(value, TIRB_BUILTIN_TVM_STACK_ALLOCA);
    if (id >= l->n_vars || value->dtype.code != TIRB_CODE_HANDLE) return false;
    if (stack || is_builtin(value, TIRB_BUILTIN_BACKEND_ALLOC_WORKSPACE)) {
        tirbi_stack_kind kind = TIRBI_STACK_NONE;
        tirbi_lbuf *memory = stack ? stack_memory(l, var, value, &kind) : workspace(l, var, value);
        point_to(l, var, memory, kind);
        return true;
    }
    if (!tirbi_is_handle_value(l, value)) return false;
    const tirbi_lx *handle = tirbi_lower_handle(l, value, value);
    if (!handle) return true;
    tirbi_lower_bind(l, var, tirbi_hold(l, var->as.var.name, handle, s->span));
    if (is_struct_base(var, s->as.let.body)) tirbi_fetch_memory(l, var, TIRB_I64, s->span);
    return true;
}

const tirb_expr *tirbi_declared_pointer(tirbi_lowerer *l, const tirb_stmt *decl) {
    const tirb_expr *source = decl->as.decl.source, *data = decl->as.decl.buffer->data;
    if (!source) return data;
    bool stack = is_builtin(source, TIRB_BUILTIN_TVM_STACK_ALLOCA);
    if (source->kind == TIRB_EXPR_VAR || (!stack && !tirbi_is_handle_value(l, source))) return source;
    tirb_expr *var = tirbi_copy_expr(l->arena, data);
    if (!var) return NULL;
    var->as.var.data_of = NULL;
    if (stack) {
        tirbi_stack_kind kind;
        tirbi_lbuf *memory = stack_memory(l, var, source, &kind);
        point_to(l, var, memory, kind);
        return var;
    }
    const tirbi_lx *handle = tirbi_lower_handle(l, source, source);
    if (!handle) return NULL;
    tirbi_lower_bind(l, var, tirbi_hold(l, var->as.var.name, handle, decl->span));
    return var;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

bool tirbi_lower_packed_statement(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_stmt *plain = tirbi_anylist_statement(l->arena, e);
    if (plain) tirbi_lower_stmt(l, plain);
    if (plain) return true;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_TVM_STRUCT_SET: lower_struct_set(l, e); return true;
    case TIRB_BUILTIN_TVM_THROW_LAST_ERROR: {
        if (!l->function->returns || !l->function->packed) {
            tirbi_ls *raise = tirbi_append(l, TIRBI_LS_ASSERT, e->span);
            raise->as.assert_.condition = tirbi_lx_int(l->pool, TIRB_BOOL, 0);
            raise->as.assert_.error_kind = "RuntimeError";
            raise->as.assert_.message = "the program raises the last error";
            return true;
        }
        const tirbi_lx *failed = tirbi_lx_int(l->pool, TIRB_I32, -1);
        if (failed)
            tirbi_append(l, TIRBI_LS_RETURN, e->span)->as.eval.value =
                tirbi_lx_cast(l->pool, l->function->return_type, failed);
        return true;
    }
    case TIRB_BUILTIN_BACKEND_FREE_WORKSPACE: return true;
    default: return false;
    }
}
