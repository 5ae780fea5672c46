/* Calls: arguments bound to the signature of a name of the language, and calls of PrimFuncs. */
#include <string.h>

#include "compiler/text/script/names.h"
#include "compiler/text/script/script.h"

enum { MAX_PARAMETERS = 20 };

typedef struct parameter {
    const char *name;
    size_t size;
    bool optional, rest;
} parameter;

static uint32_t read_signature(const char *signature, parameter *out) {
    uint32_t n = 0;
    while (*signature && n < MAX_PARAMETERS) {
        parameter *p = &out[n++];
        p->rest = *signature == '*';
        signature += p->rest;
        p->name = signature;
        p->size = strcspn(signature, " ?");
        signature += p->size;
        p->optional = *signature == '?';
        signature += p->optional;
        signature += *signature == ' ';
    }
    return n;
}

static bool add_argument(tirbi_script *s, tirbi_list *list, const char *name, const tirbi_node *node,
                         tirbi_value value) {
    tirbi_argument *slot = TIRBI_LIST_ADD(s->arena, list, tirbi_argument);
    if (!slot) return false;
    if (!value.node) value.node = node;
    *slot = (tirbi_argument){.name = name, .node = node, .value = value};
    return true;
}

bool tirbi_read_arguments(tirbi_script *s, const tirbi_node *node, tirbi_list *out) {
    bool good = true;
    for (uint32_t i = 1; i < node->n_items; i++) {
        const tirbi_node *item = node->items[i];
        bool named = item->kind == TIRBI_NODE_KEYWORD, starred = item->kind == TIRBI_NODE_STARRED;
        tirbi_value v = tirbi_evaluate(s, named || starred ? item->items[0] : item);
        if (tirbi_is_error(&v)) {
            good = false;
            continue;
        }
        if (starred && v.kind != TIRBI_VALUE_TUPLE) {
            tirbi_fail(s, TIRB_TYPE, item->span, "'*' needs a tuple, not %s", tirbi_value_text(&v));
            return false;
        }
        uint32_t n = starred ? v.as.sequence.n : 1;
        for (uint32_t j = 0; j < n; j++)
            if (!add_argument(s, out, named ? item->name : NULL, item, starred ? v.as.sequence.items[j] : v))
                return false;
    }
    return good;
}

static bool put_rest(tirbi_script *s, tirbi_value *tuple, const tirbi_argument *arguments, uint32_t n) {
    *tuple = (tirbi_value){.kind = TIRBI_VALUE_TUPLE};
    tuple->as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    if (!tuple->as.sequence.items) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!arguments[i].name) tuple->as.sequence.items[tuple->as.sequence.n++] = arguments[i].value;
    return true;
}

static bool put_keyword(tirbi_script *s, const char *name, const parameter *parameters, uint32_t n,
                        const tirbi_argument *a, tirbi_value *args) {
    tirbi_suggestion suggestion = {.wanted = a->name};
    for (uint32_t i = 0; i < n; i++) {
        if (parameters[i].rest) continue;
        if (strlen(a->name) == parameters[i].size && memcmp(a->name, parameters[i].name, parameters[i].size) == 0) {
            if (args[i].kind != TIRBI_VALUE_MISSING) {
                tirbi_fail(s, TIRB_TYPE, a->node->span, "%s gets the argument `%s` twice", name, a->name);
                return false;
            }
            args[i] = a->value;
            return true;
        }
        char *copy = tirbi_arena_text(s->arena, parameters[i].name, parameters[i].size);
        if (copy) tirbi_suggest(&suggestion, copy);
    }
    if (strcmp(a->name, "dtype") == 0 || strcmp(a->name, "span") == 0) return true;
    if (suggestion.best)
        tirbi_fail(s, TIRB_TYPE, a->node->span, "%s has no parameter `%s`; did you mean `%s`?", name, a->name,
                   suggestion.best);
    else
        tirbi_fail(s, TIRB_TYPE, a->node->span, "%s has no parameter `%s`", name, a->name);
    return false;
}

static bool bind_arguments(tirbi_script *s, const tirbi_node *node, const tirbi_entry *entry, const tirbi_list *given,
                           tirbi_value *args) {
    parameter parameters[MAX_PARAMETERS];
    uint32_t n = read_signature(entry->signature, parameters), next = 0;
    const char *name = tirbi_node_text(s, node->items[0]);
    const tirbi_argument *arguments = given->items;
    /* A type that stands first may be given as `dtype=` behind the others. */
    bool typed = n > 0 && parameters[0].size == 5 && memcmp(parameters[0].name, "dtype", 5) == 0;
    for (uint32_t i = 0; typed && i < given->n; i++)
        if (arguments[i].name && strcmp(arguments[i].name, "dtype") == 0) next = 1;
    for (uint32_t i = 0; i < given->n; i++) {
        if (arguments[i].name) continue;
        if (next < n && parameters[next].rest) {
            if (!put_rest(s, &args[next], arguments + i, given->n - i)) return false;
            break;
        }
        if (next == n) {
            tirbi_fail(s, TIRB_TYPE, arguments[i].node->span, "%s takes at most %u argument%s", name, n,
                       n == 1 ? "" : "s");
            return false;
        }
        args[next++] = arguments[i].value;
    }
    for (uint32_t i = 0; i < given->n; i++)
        if (arguments[i].name && !put_keyword(s, name, parameters, n, &arguments[i], args)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (parameters[i].rest && args[i].kind == TIRBI_VALUE_MISSING && !put_rest(s, &args[i], NULL, 0)) return false;
        if (args[i].kind != TIRBI_VALUE_MISSING || parameters[i].optional) continue;
        tirbi_fail(s, TIRB_TYPE, node->span, "%s needs the argument `%.*s`", name, (int)parameters[i].size,
                   parameters[i].name);
        return false;
    }
    return true;
}

tirbi_value tirbi_call_entry(tirbi_script *s, const tirbi_node *node, const tirbi_entry *entry,
                             const tirbi_value *object) {
    tirbi_call call = {
        .node = node, .entry = entry, .object = object, .hint = s->hint, .hints = s->hints, .n_hints = s->n_hints};
    s->hint = NULL;
    s->n_hints = 0;
    tirbi_list given = {.n = 0};
    tirbi_value args[MAX_PARAMETERS];
    memset(args, 0, sizeof args);
    call.args = args;
    if (!entry->handler)
        return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "`%s` is not supported%s%s",
                          tirbi_node_text(s, node->items[0]), entry->signature[0] ? ": " : "", entry->signature);
    if (!tirbi_read_arguments(s, node, &given) || !bind_arguments(s, node, entry, &given, args))
        return tirbi_value_error();
    return entry->handler(s, &call);
}

/* ---- Calls of PrimFuncs ----------------------------------------------------------------------------------------- */

/* The address of the first element of a region. */
static const tirb_expr *region_address(tirbi_script *s, const tirbi_node *node, const tirb_buffer_region *part) {
    const tirb_buffer *buffer = part->buffer;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, buffer->ndim);
    if (!indices) return NULL;
    for (uint32_t i = 0; i < buffer->ndim; i++) indices[i] = part->region[i].min;
    const tirb_expr *load = tirbi_make_load(&s->builder, node->span, buffer, indices, buffer->ndim, NULL);
    return tirbi_make_call(&s->builder, node->span, tirbi_type_handle, TIRB_BUILTIN_ADDRESS_OF, &load, 1);
}

static const tirb_expr *pass_argument(tirbi_script *s, const tirbi_node *node, const tirb_expr *param,
                                      const tirbi_value *v, tirb_buffer_region *passed) {
    char text[32];
    if (param && !tirbi_type_is_handle(param->dtype)) return tirbi_to_typed(s, v, param->dtype);
    if (v->kind == TIRBI_VALUE_BUFFER) {
        passed->buffer = v->as.buffer;
        return v->as.buffer->data;
    }
    if (v->kind == TIRBI_VALUE_REGION) {
        *passed = (tirb_buffer_region){v->as.region.buffer, v->as.region.ranges};
        return region_address(s, node, passed);
    }
    const tirb_expr *e = tirbi_to_expr(s, v);
    if (e && param && !tirbi_type_is_handle(e->dtype)) {
        tirbi_fail(s, TIRB_TYPE, node->span, "the parameter `%s` takes a buffer, not a value of type %s%s",
                   param->as.var.name, tirb_datatype_text(e->dtype, text),
                   e->kind == TIRB_EXPR_LOAD ? "; write T.address_of(...) for part of a buffer" : "");
        return NULL;
    }
    return e;
}

/* `function` NULL: a global that is no PrimFunc. */
static bool pass_arguments(tirbi_script *s, const tirbi_list *given, const tirb_primfunc *function,
                           const tirb_expr ***args, tirb_buffer_region **passed) {
    const tirbi_argument *arguments = given->items;
    *args = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, given->n);
    *passed = TIRBI_NEW_ARRAY(s->arena, tirb_buffer_region, given->n);
    if (!*args || !*passed) return false;
    for (uint32_t i = 0; i < given->n; i++) {
        if (arguments[i].name && function) {
            tirbi_fail(s, TIRB_TYPE, arguments[i].node->span, "a PrimFunc takes no keyword arguments");
            return false;
        }
        (*args)[i] = pass_argument(s, arguments[i].node, function ? function->params[i] : NULL, &arguments[i].value,
                                   &(*passed)[i]);
    }
    return true;
}

tirbi_value tirbi_call_function(tirbi_script *s, const tirbi_node *node, tirbi_script_function *function) {
    tirbi_list given = {.n = 0};
    if (!tirbi_read_arguments(s, node, &given) || function->broken) return tirbi_value_error();
    const tirb_primfunc *ir = function->ir;
    const tirb_expr **args;
    tirb_buffer_region *passed;
    if (!s->function) return tirbi_fail(s, TIRB_TYPE, node->span, "a PrimFunc is only called inside another one");
    if (given.n != ir->n_params)
        return tirbi_fail(s, TIRB_TYPE, node->span, "`%s` takes %u argument%s, %u given", function->line->name,
                          ir->n_params, ir->n_params == 1 ? "" : "s", given.n);
    if (!pass_arguments(s, &given, ir, &args, &passed)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_function_call(&s->builder, node->span, ir, args, passed, given.n));
}

/* Such a call gives no value: nothing says which type it would have. */
tirbi_value tirbi_call_extern(tirbi_script *s, const tirbi_node *node, const char *name) {
    tirbi_list given = {.n = 0};
    const tirb_expr **args;
    tirb_buffer_region *passed;
    if (!tirbi_read_arguments(s, node, &given)) return tirbi_value_error();
    if (!s->function) return tirbi_fail(s, TIRB_TYPE, node->span, "a function is only called inside another one");
    if (!pass_arguments(s, &given, NULL, &args, &passed)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_extern_call(&s->builder, node->span, name, args, passed, given.n));
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static const tirbi_entry *find_in(const tirbi_entry *entries, const char *name) {
    for (; entries->name; entries++)
        if (strcmp(entries->name, name) == 0) return entries;
    return NULL;
}

enum { MAX_TABLES = 6 };

static void tables_of(tirbi_namespace space, const tirbi_entry *out[MAX_TABLES + 1]) {
    memset(out, 0, (MAX_TABLES + 1) * sizeof *out);
    switch (space) {
    case TIRBI_SPACE_HYBRID:
        *out++ = tirbi_hybrid_names;
        __attribute__((fallthrough));
    case TIRBI_SPACE_TIR:
        out[0] = tirbi_expr_names;
        out[1] = tirbi_math_names;
        out[2] = tirbi_buffer_names;
        out[3] = tirbi_stmt_names;
        out[4] = tirbi_packed_names;
        break;
    case TIRBI_SPACE_AXIS:
        out[0] = tirbi_axis_names;
        break;
    case TIRBI_SPACE_IR:
        out[0] = tirbi_ir_names;
        break;
    case TIRBI_SPACE_RELAX:
        out[0] = tirbi_relax_names;
        break;
    case TIRBI_SPACE_PYTHON:
        out[0] = tirbi_python_names;
        break;
    default:
        break;
    }
}

const tirbi_entry *tirbi_find_entry(tirbi_namespace space, const char *name) {
    const tirbi_entry *tables[MAX_TABLES + 1];
    tables_of(space, tables);
    for (int i = 0; tables[i]; i++) {
        const tirbi_entry *entry = find_in(tables[i], name);
        if (entry) return entry;
    }
    return NULL;
}

const tirbi_entry *tirbi_find_method(const char *name) { return find_in(tirbi_method_names, name); }

void tirbi_suggest_entries(tirbi_namespace space, tirbi_suggestion *suggestion) {
    const tirbi_entry *tables[MAX_TABLES + 1];
    tables_of(space, tables);
    for (int i = 0; tables[i]; i++)
        for (const tirbi_entry *entry = tables[i]; entry->name; entry++) tirbi_suggest(suggestion, entry->name);
}
