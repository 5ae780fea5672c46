/* Calls of functions that the host provides: scalars by value, buffers as views of their elements. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/anylist.h"
#include "compiler/ir/equal.h"
#include "compiler/lower/library.h"

enum { LONGEST_NAME = 1024 };

typedef struct import_site {
    tirbi_lowerer *l;
    const tirb_expr *call;
    const char *name;
    uint8_t access; /* what the function may do to buffers: nobody knows but the host */
    tirbi_import_param *params;
    const tirbi_lx **scalars;
    tirbi_lcall_ref *refs;
    uint32_t n_params, n_scalars, n_refs;
} import_site;

/* ---- The table of imports --------------------------------------------------------------------------------------- */

static bool same_import(const tirbi_limport *a, const tirbi_limport *b) {
    return strcmp(a->name, b->name) == 0 && a->returns == b->returns && a->n_params == b->n_params &&
           (!a->returns || a->return_type == b->return_type) &&
           (a->n_params == 0 || memcmp(a->params, b->params, a->n_params * sizeof(*a->params)) == 0);
}

/* The number of an import; UINT32_MAX when memory ran out. */
static uint32_t number_of(tirbi_lowerer *l, const tirbi_limport *import) {
    tirbi_lmodule *m = l->module;
    uint32_t hash = tirbi_text_hash(l->arena, import->name, strlen(import->name)), probe = 0, found;
    while ((found = tirbi_index_next(&m->import_index, hash, &probe)) != 0) {
        if (same_import(&m->imports[found - 1], import)) return found - 1;
    }
    if (m->n_imports == m->import_capacity) {
        uint32_t capacity = m->import_capacity ? 2 * m->import_capacity : 8;
        tirbi_limport *grown = TIRBI_NEW_ARRAY(l->arena, tirbi_limport, capacity);
        if (!grown) return UINT32_MAX;
        if (m->n_imports) memcpy(grown, m->imports, m->n_imports * sizeof(*grown));
        m->imports = grown;
        m->import_capacity = capacity;
    }
    if (!tirbi_index_add(&m->import_index, l->arena, hash, m->n_imports)) return UINT32_MAX;
    m->imports[m->n_imports] = *import;
    return m->n_imports++;
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

static bool refuse(import_site *c, const tirb_expr *arg, const char *what) {
    tirbi_report_error(c->l->diagnostics, TIRB_UNSUPPORTED, arg->kind == TIRB_EXPR_VAR ? c->call->span : arg->span,
                       "argument %u of the imported function '%s' is %s", (unsigned)c->n_params + 1, c->name, what);
    return false;
}

static void add_view(import_site *c, const tirbi_lbuf *buffer, const tirbi_place *start, const tirbi_lx *count) {
    c->params[c->n_params++] = (tirbi_import_param){.dtype = (uint8_t)buffer->type, .access = c->access};
    c->refs[c->n_refs++] = (tirbi_lcall_ref){.buffer = buffer->root, .start = start, .count = count};
}

static const tirbi_lx *element_count(tirbi_lowerer *l, const tirbi_lbuf *b) {
    const tirbi_lx *count = tirbi_lx_number(l->pool, 1);
    for (uint32_t i = 0; i < b->ndim && count; i++) count = tirbi_lx_mul(l->pool, count, b->shape[i]);
    return count;
}

/* The elements of the buffer in row-major order, from `start` (NULL: the first) to the last. */
static bool pass_view(import_site *c, const tirb_expr *arg, tirbi_lbuf *b, const tirbi_place *start) {
    tirbi_lowerer *l = c->l;
    if (b->local) return refuse(c, arg, "a buffer that is no memory");
    if (b->resized) return refuse(c, arg, "a view whose elements have another size than the memory's");
    if (!tirbi_is_row_major(l, b)) return refuse(c, arg, "a buffer whose elements do not lie behind each other");
    if (!start && b->root == b && !b->offset) {
        add_view(c, b, NULL, NULL);
        return true;
    }
    const tirbi_lx *first = b->offset ? b->offset : tirbi_lx_number(l->pool, 0);
    const tirbi_lx *count = element_count(l, b);
    if (!first || !count) return false;
    if (start) {
        count = tirbi_lx_sub(l->pool, tirbi_lx_add(l->pool, first, count), start->flat);
    } else {
        tirbi_place *place = TIRBI_NEW(l->arena, tirbi_place);
        if (!place) return false;
        *place = (tirbi_place){.buffer = b, .flat = first, .span = arg->span};
        start = place;
    }
    if (!count) return false;
    add_view(c, b, start, count);
    return true;
}

/* What a pointer leads to: the elements that it may reach, or all that follow in its memory. */
static bool pass_elements(import_site *c, const tirb_expr *arg) {
    tirbi_lowerer *l = c->l;
    tirbi_pointer pointer;
    tirbi_place *start = TIRBI_NEW(l->arena, tirbi_place);
    if (!start || !tirbi_lower_pointer(l, arg, c->call->span, &pointer)) return false;
    const tirbi_lx *count = pointer.count;
    if (!count) {
        const tirbi_lx *all = element_count(l, pointer.memory);
        count = all ? tirbi_lx_sub(l->pool, all, pointer.offset) : NULL;
    }
    *start = (tirbi_place){.buffer = pointer.memory, .flat = pointer.offset, .span = c->call->span};
    if (!count) return false;
    add_view(c, pointer.memory, start, count);
    return true;
}

static bool pass_pointer(import_site *c, const tirb_expr *arg) {
    tirbi_lowerer *l = c->l;
    bool builtin = arg->kind == TIRB_EXPR_CALL && !arg->as.call.function && arg->as.call.n_args == 1;
    if (builtin && arg->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF && arg->as.call.args[0]->kind == TIRB_EXPR_LOAD) {
        const tirb_expr *load = arg->as.call.args[0];
        const tirbi_place *start = tirbi_lower_place(l, load->as.load.buffer, load->as.load.indices,
                                                     load->as.load.n_indices, tirbi_lx_number(l->pool, 0), arg->span);
        return start && pass_view(c, arg, start->buffer, start);
    }
    const tirb_expr *data = builtin && arg->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA ? arg->as.call.args[0] : arg;
    if (data->kind != TIRB_EXPR_VAR || !data->as.var.data_of) return pass_elements(c, arg);
    tirbi_lbuf *b = tirbi_buffer_of(l, data->as.var.data_of, arg->span);
    return b && pass_view(c, arg, b, NULL);
}

static bool pass_argument(import_site *c, const tirb_expr *arg) {
    tirbi_dtype type;
    const tirb_expr *contents = tirbi_anylist_argument(c->l->arena, arg);
    if (contents) arg = contents;
    if (arg->kind == TIRB_EXPR_STRING_IMM) return refuse(c, arg, "a string: imports take scalars and buffers");
    if (arg->kind == TIRB_EXPR_CALL && arg->as.call.builtin == TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY) {
        const tirb_buffer *whole = tirbi_whole_array(arg);
        tirbi_lbuf *b = whole ? tirbi_buffer_of(c->l, whole, arg->span) : NULL;
        return b ? pass_view(c, arg, b, NULL)
                 : !whole && refuse(c, arg, "an array that is not all of a buffer of this function");
    }
    if (arg->dtype.code == TIRB_CODE_HANDLE) {
        const tirbi_lx *number = tirbi_handle_number(c->l, arg);
        if (!number) return pass_pointer(c, arg);
        c->params[c->n_params++] = (tirbi_import_param){.dtype = TIRB_I64};
        c->scalars[c->n_scalars++] = number;
        return true;
    }
    if (arg->dtype.lanes != 1) return refuse(c, arg, "a vector: imports take scalars and buffers");
    tirbi_mark mark = tirbi_mark_here(c->l);
    const tirbi_lx *value = tirbi_lower_expr(c->l, arg, NULL);
    for (uint32_t k = 0; k < c->n_scalars; k++) c->scalars[k] = tirbi_keep_order(c->l, mark, c->scalars[k], arg->span);
    if (!value || !tirbi_machine_type(c->l, arg->dtype, arg->span, &type)) return false;
    value = tirbi_lx_cast(c->l->pool, type, value);
    if (!value) return false;
    c->params[c->n_params++] = (tirbi_import_param){.dtype = (uint8_t)type};
    c->scalars[c->n_scalars++] = value;
    return true;
}

/* ---- The call --------------------------------------------------------------------------------------------------- */

/* Argument `at` is the name. */
static bool take_name(import_site *c, uint32_t at) {
    const tirb_expr *call = c->call;
    const char *builtin = tirb_builtins[call->as.call.builtin].name;
    const tirb_expr *first = call->as.call.n_args > at ? call->as.call.args[at] : NULL;
    if (!first || first->kind != TIRB_EXPR_STRING_IMM) {
        tirbi_report_error(c->l->diagnostics, TIRB_TYPE, call->span,
                           "%s needs the name of a function first, as a string", builtin);
        return false;
    }
    c->name = first->as.string.text;
    bool good = c->name[0] && strlen(c->name) <= LONGEST_NAME;
    for (const char *p = c->name; *p; p++) good = good && (unsigned char)*p > ' ' && *p != 0x7f;
    if (good) return true;
    tirbi_report_error(c->l->diagnostics, TIRB_TYPE, first->span,
                       "the name that %s calls has 1 to %d characters without spaces", builtin, LONGEST_NAME);
    return false;
}

/* A void call returns nothing; the type is then one that is never looked at. */
static bool take_return_type(import_site *c, tirbi_limport *import) {
    tirb_datatype type = c->call->dtype;
    import->return_type = TIRB_I32;
    import->returns = !(type.code == TIRB_CODE_HANDLE && type.bits == 0);
    if (!import->returns) return true;
    if (type.code == TIRB_CODE_HANDLE || type.lanes != 1) {
        char text[32];
        tirbi_report_error(c->l->diagnostics, TIRB_UNSUPPORTED, c->call->span,
                           "the imported function '%s' returns %s, expected a scalar or void", c->name,
                           tirb_datatype_text(type, text));
        return false;
    }
    return tirbi_machine_type(c->l, type, c->call->span, &import->return_type);
}

/* Of a view other calls have the memory, and those of Relax the elements. */
static bool pass_value(import_site *c, const tirb_expr *arg) {
    const bool names_view = arg->kind == TIRB_EXPR_CALL && !arg->as.call.function &&
                            arg->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA && arg->as.call.passed;
    const tirb_buffer *view = names_view ? arg->as.call.passed[0].buffer : NULL;
    if (!view) return pass_argument(c, arg);
    tirbi_lbuf *b = tirbi_buffer_of(c->l, view, arg->span);
    return b && pass_view(c, arg, b, NULL);
}

/* tirb.host(name, n, arguments..): what a Relax function calls, with n arguments that are only read. */
static bool pass_host_arguments(import_site *c) {
    const tirb_expr *const *args = c->call->as.call.args;
    const uint32_t n = c->call->as.call.n_args;
    if (!take_name(c, 1)) return false;
    const bool is_number = n > 2 && args[2]->kind == TIRB_EXPR_INT_IMM && args[2]->as.int_value >= 0;
    const uint64_t n_read = is_number ? (uint64_t)args[2]->as.int_value : 0;
    if (!is_number) {
        tirbi_report_error(c->l->diagnostics, TIRB_TYPE, c->call->span,
                           "'" TIRBI_HOST_NAME "' takes a name and how many arguments are only read");
        return false;
    }
    const uint8_t access = c->access;
    for (uint32_t i = 3; i < n; i++) {
        c->access = i - 3 < n_read ? TIRBI_READ : access;
        if (!pass_value(c, args[i])) return false;
    }
    return true;
}

/* tirb.result(number of the result, extents.., elements): what a Relax function hands out that decides its extents. */
static const tirbi_lx *lower_result(import_site *c, const tirb_expr *e) {
    tirbi_lowerer *l = c->l;
    const tirb_primfunc *f = l->function->ast;
    const uint32_t n = e->as.call.n_args;
    const tirb_expr *number = n >= 3 ? e->as.call.args[1] : NULL;
    const bool is_number = number && number->kind == TIRB_EXPR_INT_IMM && number->as.int_value >= 0 &&
                           number->as.int_value < f->n_results;
    const int64_t result = is_number ? number->as.int_value : 0;
    const uint32_t param = f->n_params - f->n_results + (uint32_t)result;
    if (!is_number || !f->is_open || !f->is_open[result] || n - 3 != f->buffers[param]->ndim) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span,
                           "'" TIRBI_RESULT_NAME "' is called with what is no result of %s whose extents it decides",
                           f->name);
        return NULL;
    }
    for (uint32_t i = 2; i < n; i++)
        if (!pass_value(c, e->as.call.args[i])) return NULL;
    tirbi_lcall *call = TIRBI_NEW(l->arena, tirbi_lcall);
    if (!call || c->n_refs != 1 || c->n_scalars != n - 3) return NULL;
    for (uint32_t i = 0; i < c->n_scalars; i++)
        if (!(c->scalars[i] = tirbi_lx_cast(l->pool, TIRB_I64, c->scalars[i]))) return NULL;
    *call = (tirbi_lcall){.op = TIRB_OP_RESULT, .acts = true, .function = param,
                          .scalars = c->scalars, .n_scalars = c->n_scalars, .refs = c->refs, .n_refs = 1};
    return tirbi_lx_call(l->pool, TIRB_I32, call);
}

const tirbi_lx *tirbi_lower_import(tirbi_lowerer *l, const tirb_expr *e) {
    if (tirbi_is_library_call(e)) {
        const tirb_expr *call = tirbi_library_call(l->module->ast, e, l->arena, l->diagnostics);
        return call ? tirbi_lower_call(l, call) : NULL;
    }
    uint32_t n = e->as.call.n_args;
    bool pure = tirb_builtins[e->as.call.builtin].effect == TIRB_EFFECT_PURE;
    import_site c = {.l = l, .call = e, .access = pure ? TIRBI_READ : TIRBI_READ | TIRBI_WRITE};
    tirbi_limport import = {0};
    if (!take_name(&c, 0) || !take_return_type(&c, &import)) return NULL;
    if (n - 1 > TIRBI_MAX_CALL_ARGS) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span, "the call of '%s' has %u arguments, at most %d",
                           c.name, (unsigned)n - 1, TIRBI_MAX_CALL_ARGS);
        return NULL;
    }
    c.params = TIRBI_NEW_ARRAY(l->arena, tirbi_import_param, n);
    c.scalars = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, n);
    c.refs = TIRBI_NEW_ARRAY(l->arena, tirbi_lcall_ref, n);
    tirbi_lcall *call = TIRBI_NEW(l->arena, tirbi_lcall);
    if (l->arena->failed) return NULL;
    if (strcmp(c.name, TIRBI_RESULT_NAME) == 0) {
        c.access = TIRBI_READ;
        return lower_result(&c, e);
    }
    const bool is_host = strcmp(c.name, TIRBI_HOST_NAME) == 0;
    if (is_host && !pass_host_arguments(&c)) return NULL;
    for (uint32_t i = 1; i < n && !is_host; i++)
        if (!pass_argument(&c, e->as.call.args[i])) return NULL;
    import.name = c.name;
    import.n_params = c.n_params;
    import.params = c.params;
    uint32_t number = number_of(l, &import);
    if (number == UINT32_MAX) return NULL;
    *call = (tirbi_lcall){.imported = true, .acts = tirbi_builtin_acts(e->as.call.builtin),
                          .function = number, .scalars = c.scalars, .n_scalars = c.n_scalars,
                          .refs = c.refs, .n_refs = c.n_refs};
    return tirbi_lx_call(l->pool, import.return_type, call);
}
