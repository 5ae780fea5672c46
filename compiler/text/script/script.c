/* Files and modules: imports, constants, declarations of functions, then their bodies. */
#include "compiler/text/script/script.h"

#include <string.h>

#include "compiler/text/text.h"

/* ---- Dialect ---------------------------------------------------------------------------------------------------- */

/* `tvm.hybrid`, or `ty.` before the name of a type; the token is followed by two others at least. */
static bool shows_hybrid(const tirbi_token *token) {
    tirb_datatype type;
    if (token[0].kind != TIRBI_TOKEN_NAME || token[1].kind != TIRBI_TOKEN_DOT || token[2].kind != TIRBI_TOKEN_NAME)
        return false;
    const char *name = token[2].as.text;
    if (strcmp(token->as.text, "tvm") == 0) return strcmp(name, "hybrid") == 0;
    if (strcmp(token->as.text, "ty") != 0) return false;
    return strcmp(name, "Ptr") == 0 || strcmp(name, "Tuple") == 0 || tirb_datatype_from_text(name, strlen(name), &type);
}

/* The dialect that a program's own names show, where nothing says it. */
static tirbi_dialect dialect_of_names(const tirbi_tokens *tokens) {
    static const struct {
        const char *name;
        tirbi_dialect dialect;
    } signs[] = {
        {"sblock", TIRBI_DIALECT_TIRX},
        {"sblock_attr", TIRBI_DIALECT_TIRX},
        {"sblock_alloc_buffer", TIRBI_DIALECT_TIRX},
        {"s_tir", TIRBI_DIALECT_TIRX},
        {"block", TIRBI_DIALECT_CLASSIC},
        {"block_attr", TIRBI_DIALECT_CLASSIC},
        {"allocate", TIRBI_DIALECT_CLASSIC},
        {"LetStmt", TIRBI_DIALECT_CLASSIC},
        {"allocate_const", TIRBI_DIALECT_CLASSIC},
        {"buffer_decl", TIRBI_DIALECT_CLASSIC},
    };
    for (uint32_t i = 0; i + 2 < tokens->n; i++)
        if (shows_hybrid(&tokens->items[i])) return TIRBI_DIALECT_HYBRID;
    tirbi_passage passage = {.end = 0}; /* names of other Python, and its keywords, say nothing */
    for (uint32_t i = 0; i + 1 < tokens->n; i++) {
        while (i >= passage.end && tirbi_next_passage(tokens->items, i, tokens->n, &passage))
            if (passage.kind != TIRBI_TOKEN_AT) i = passage.end;
        if (i + 1 >= tokens->n || i >= passage.end) break;
        const tirbi_token *token = &tokens->items[i];
        bool attribute = token->kind == TIRBI_TOKEN_NAME && i > 0 && token[-1].kind == TIRBI_TOKEN_DOT;
        bool keyword = token->kind == TIRBI_TOKEN_NAME && token[1].kind == TIRBI_TOKEN_ASSIGN;
        if (!attribute && !keyword) continue;
        for (size_t j = 0; j < sizeof signs / sizeof *signs; j++)
            if (strcmp(signs[j].name, token->as.text) == 0) return signs[j].dialect;
    }
    return TIRBI_DIALECT_UNKNOWN;
}

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool import_space(const tirbi_import *import, tirbi_namespace *space, tirbi_dialect *dialect) {
    static const struct {
        const char *name;
        tirbi_namespace space;
        tirbi_dialect dialect;
    } spaces[] = {
        {"tir", TIRBI_SPACE_TIR, TIRBI_DIALECT_CLASSIC},       {"tirx", TIRBI_SPACE_TIR, TIRBI_DIALECT_TIRX},
        {"ir", TIRBI_SPACE_IR, TIRBI_DIALECT_UNKNOWN},         {"relax", TIRBI_SPACE_RELAX, TIRBI_DIALECT_UNKNOWN},
        {"script", TIRBI_SPACE_SCRIPT, TIRBI_DIALECT_UNKNOWN},
    };
    for (size_t i = 0; import->name && i < sizeof spaces / sizeof *spaces; i++) {
        if (strcmp(spaces[i].name, import->name) != 0) continue;
        *space = spaces[i].space;
        *dialect = spaces[i].dialect;
        return true;
    }
    *space = TIRBI_SPACE_TVM;
    *dialect = TIRBI_DIALECT_UNKNOWN;
    return !import->name;
}

/* `import tvm.script.tirx as T` gives what `from tvm.script import tirx as T` gives. */
static tirbi_import as_from(const tirbi_import *import) {
    static const char script[] = "tvm.script.";
    tirbi_import from = *import;
    if (import->name || !starts_with(import->module, script) || strcmp(import->as, "tvm") == 0) return from;
    from.name = import->module + sizeof script - 1;
    return from;
}

/* `from tvm.hybrid import ty`, `from tvm import tir`, `import tvm.tir as tir` of Hybrid Script. */
static bool hybrid_space(const tirbi_import *import, tirbi_namespace *space) {
    const char *name = import->name ? import->name : import->module;
    bool tir = strcmp(name, "tir") == 0 || strcmp(name, "tvm.tir") == 0;
    *space = tir ? TIRBI_SPACE_HYBRID : TIRBI_SPACE_TYPES;
    return tir || strcmp(name, "ty") == 0 || strcmp(name, "tvm.hybrid.ty") == 0;
}

tirbi_value tirbi_import_value(tirbi_script *s, const tirbi_import *given) {
    const tirbi_import from = as_from(given), *import = &from;
    bool tvm = strcmp(import->module, "tvm") == 0 || starts_with(import->module, "tvm.");
    tirbi_namespace space;
    tirbi_dialect dialect;
    if (strcmp(import->module, "__future__") == 0 || strcmp(import->module, "typing") == 0)
        return (tirbi_value){.kind = TIRBI_VALUE_MISSING};
    if ((tvm && tirbi_hybrid(s) && hybrid_space(import, &space)) || (tvm && import_space(import, &space, &dialect)))
        return (tirbi_value){.kind = TIRBI_VALUE_NAMESPACE, .as.space = space};
    if (tvm && import->name) {
        const tirbi_entry *entry = tirbi_find_entry(TIRBI_SPACE_IR, import->name);
        if (!entry) entry = tirbi_find_entry(TIRBI_SPACE_TIR, import->name);
        tirbi_value v = {.kind = entry ? TIRBI_VALUE_ENTRY : TIRBI_VALUE_OPAQUE};
        tirb_datatype type;
        if (entry)
            v.as.entry = entry;
        else if (starts_with(import->module, "tvm.script.tir") && tirbi_type_of_name(import->name, &type) &&
                 !tirbi_type_is_handle(type))
            v = (tirbi_value){.kind = TIRBI_VALUE_DTYPE, .as.dtype = type};
        return v;
    }
    if (strcmp(import->module, "math") == 0 && import->name) {
        const tirbi_node place = {.span = import->span};
        return tirbi_math_member(s, &place, import->name);
    }
    /* What a file imports beside TVM matters where a program uses it. */
    return (tirbi_value){.kind = TIRBI_VALUE_IMPORTED, .as.name = import->module};
}

/* The dialect that the imports name: `import tirx`, `import tir as T` behind a `from`, of which the last one counts. */
static void find_imported_dialect(tirbi_script *s, const tirbi_tokens *tokens) {
    const tirbi_token *items = tokens->items;
    for (uint32_t i = 0; i < tokens->n && !tirbi_hybrid(s); i++) {
        const bool from = items[i].kind == TIRBI_KEYWORD_FROM, plain = items[i].kind == TIRBI_KEYWORD_IMPORT;
        if (!(from || plain) || items[i + 1].kind != TIRBI_TOKEN_NAME || strcmp(items[i + 1].as.text, "tvm") != 0)
            continue;
        for (i++; i < tokens->n && items[i].kind != TIRBI_TOKEN_NEWLINE; i++) {
            tirbi_token_kind before = items[i - 1].kind;
            bool first = before == TIRBI_KEYWORD_IMPORT || before == TIRBI_TOKEN_COMMA || before == TIRBI_TOKEN_LPAREN;
            bool last = before == TIRBI_TOKEN_DOT && items[i - 2].kind == TIRBI_TOKEN_NAME &&
                        strcmp(items[i - 2].as.text, "script") == 0;
            bool named = from ? first || (last && items[i + 1].kind == TIRBI_KEYWORD_IMPORT)
                              : last && items[i + 1].kind == TIRBI_KEYWORD_AS;
            tirbi_import import = {.module = "tvm.script", .name = items[i].as.text};
            tirbi_namespace space;
            tirbi_dialect dialect;
            if (!named || items[i].kind != TIRBI_TOKEN_NAME || !import_space(&import, &space, &dialect)) continue;
            if (dialect != TIRBI_DIALECT_UNKNOWN) s->dialect = dialect;
        }
    }
}

/* ---- Functions: declaration ------------------------------------------------------------------------------------- */

typedef struct function_options {
    bool is_private, s_tir;
} function_options;

static bool read_option(tirbi_script *s, const tirbi_node *node, function_options *options) {
    static const char *const ignored[] = {"check_well_formed", "persistent", "tirp", "is_stir"};
    if (node->kind != TIRBI_NODE_KEYWORD || node->items[0]->kind != TIRBI_NODE_BOOL) {
        tirbi_fail(s, TIRB_SYNTAX, node->span, "an option of T.prim_func is a keyword with True or False");
        return false;
    }
    bool value = node->items[0]->as.integer != 0;
    if (strcmp(node->name, "private") == 0) {
        options->is_private = value;
        return true;
    }
    if (strcmp(node->name, "s_tir") == 0) {
        options->s_tir = value;
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(node->name, ignored[i]) == 0) return true;
    tirbi_fail(s, TIRB_SYNTAX, node->span, "T.prim_func has no option `%s`", node->name);
    return false;
}

bool tirbi_is_hybrid_decorator(tirbi_script *s, const tirbi_node *node) {
    static const char *const names[] = {
        "tvm.hybrid.script", "hybrid.script", "tvm.hybrid.module",    "hybrid.module", "tvm.script.tir",
        "script.tir",        "script",        "tvm.tir.hybrid.script"};
    const char *name = tirbi_hybrid(s) ? tirbi_node_text(s, node) : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Hybrid Script's functions and classes are decorated with @tvm.hybrid.script or one of its other names, or not. */
static bool is_hybrid_decorated(tirbi_script *s, const tirbi_line *line, const tirbi_node **call) {
    if (!tirbi_hybrid(s) || line->n_decorators == 0) return tirbi_hybrid(s);
    const tirbi_node *node = line->decorators[line->n_decorators - 1];
    *call = node->kind == TIRBI_NODE_CALL ? node : NULL;
    return tirbi_is_hybrid_decorator(s, *call ? node->items[0] : node);
}

/* What the last decorator of a function or class is called; NULL after an error. */
static const char *decorator_name(tirbi_script *s, const tirbi_line *line, const tirbi_node **call) {
    if (is_hybrid_decorated(s, line, call)) return line->kind == TIRBI_LINE_CLASS ? "ir_module" : "prim_func";
    if (line->n_decorators == 0) {
        tirbi_fail(s, TIRB_SYNTAX, line->name_span,
                   line->kind == TIRBI_LINE_CLASS ? "the class `%s` needs the decorator @I.ir_module"
                                                  : "the function `%s` needs the decorator @T.prim_func",
                   line->name);
        return NULL;
    }
    const tirbi_node *node = line->decorators[line->n_decorators - 1];
    *call = node->kind == TIRBI_NODE_CALL ? node : NULL;
    tirbi_value v = tirbi_evaluate(s, *call ? node->items[0] : node);
    if (tirbi_is_error(&v)) return NULL;
    if (v.kind == TIRBI_VALUE_ENTRY) return v.as.entry->name;
    tirbi_fail(s, TIRB_SYNTAX, node->span, "%s is no decorator", tirbi_value_text(&v));
    return NULL;
}

tirbi_script_function *tirbi_find_function(const tirbi_script *s, const char *name) {
    tirbi_script_function *const *functions = s->functions.items;
    const uint32_t hash = tirbi_text_hash(s, name, strlen(name));
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&s->function_numbers, hash, &probe)) != 0)
        if (functions[found - 1]->line->name == name) return functions[found - 1];
    return NULL;
}

static bool is_new_name(tirbi_script *s, const char *name, tirbi_span span) {
    const tirb_extern *externs = s->externs.items;
    bool known = tirbi_find_function(s, name) != NULL;
    for (uint32_t i = 0; i < s->externs.n; i++) known = known || externs[i].name == name;
    const tirbi_value relax = known ? tirbi_value_none() : tirbi_find_relax(s, name, span);
    known = known || relax.kind != TIRBI_VALUE_MISSING;
    if (known) tirbi_fail(s, TIRB_TYPE, span, "function `%s` already exists", name);
    return !known;
}

static bool has_types(const tirbi_line *line) {
    for (uint32_t i = 0; i < line->n_parameters; i++)
        if (line->parameters[i].annotation) return true;
    return false;
}

static void add_function(tirbi_script *s, const tirbi_line *line, bool in_class) {
    if (line->n_decorators == 0 && !has_types(line) && tirbi_is_python_function(line)) {
        tirbi_bind(s, line->name, line->name_span, tirbi_python_function(s, line));
        return;
    }
    const tirbi_node *call = NULL;
    const char *decorator = decorator_name(s, line, &call);
    function_options options = {false, false};
    if (!decorator) {
        tirbi_bind(s, line->name, line->name_span, tirbi_value_error());
        return;
    }
    if (tirbi_is_macro(decorator)) {
        tirbi_define_macro(s, line, decorator, call);
        return;
    }
    if (strcmp(decorator, "function") == 0) {
        if (is_new_name(s, line->name, line->name_span)) tirbi_add_relax(s, line, in_class);
        return;
    }
    if (strcmp(decorator, "prim_func") != 0) {
        tirbi_fail(s, TIRB_UNSUPPORTED, line->name_span, "functions decorated with `%s` are not supported", decorator);
        return;
    }
    for (uint32_t i = 1; call && i < call->n_items; i++)
        if (!read_option(s, call->items[i], &options)) break;
    tirbi_script_function *function = TIRBI_NEW(s->arena, tirbi_script_function);
    tirb_primfunc *ir = TIRBI_NEW(s->arena, tirb_primfunc);
    if (!function || !ir) return;
    function->line = line;
    function->ir = ir;
    ir->name = line->name;
    ir->is_private = options.is_private;
    ir->global_symbol = options.is_private ? NULL : line->name;
    ir->classic = tirbi_classic(s);
    ir->hybrid = tirbi_hybrid(s);
    ir->s_tir = options.s_tir || ir->classic;
    ir->span = line->name_span;
    if (!tirbi_bind(s, line->name, line->name_span,
                    (tirbi_value){.kind = TIRBI_VALUE_FUNCTION, .as.function = function}))
        return;
    tirbi_script_function **slot = TIRBI_LIST_ADD(s->arena, &s->functions, tirbi_script_function *);
    if (!slot) return;
    *slot = function;
    tirbi_index_add(&s->function_numbers, s->arena, tirbi_text_hash(s, line->name, strlen(line->name)),
                    s->functions.n - 1);
}

static bool is_buffer_annotation(const tirbi_node *node) {
    if (node->kind == TIRBI_NODE_BINARY && node->op == TIRBI_TOKEN_BITOR) node = node->items[0];
    bool written = node->kind == TIRBI_NODE_CALL || node->kind == TIRBI_NODE_SUBSCRIPT;
    const tirbi_node_kind kind = written ? node->items[0]->kind : node->kind;
    if (!written || (kind != TIRBI_NODE_ATTRIBUTE && kind != TIRBI_NODE_NAME)) return false;
    const char *name = node->items[0]->name;
    return strcmp(name, "Buffer") == 0 || strcmp(name, "buffer") == 0 || strcmp(name, "buffer_decl") == 0;
}

/* A scalar or a handle. */
static const tirb_expr *declare_scalar(tirbi_script *s, const tirbi_parameter *p) {
    tirbi_value v = tirbi_evaluate(s, p->annotation);
    if (v.kind == TIRBI_VALUE_DTYPE) return tirbi_make_var(&s->builder, p->span, p->name, tirbi_prim_type(v.as.dtype));
    if (v.kind == TIRBI_VALUE_POINTER) return tirbi_make_var(&s->builder, p->span, p->name, v.as.type.type);
    if (!tirbi_is_error(&v))
        tirbi_fail(s, TIRB_TYPE, p->annotation->span,
                   "expected the type of a parameter, such as T.int32 or T.Buffer(...), found %s",
                   tirbi_value_text(&v));
    return NULL;
}

static const tirb_expr *declare_buffer(tirbi_script *s, const tirbi_parameter *p, const tirb_buffer **out) {
    const tirbi_node *annotation = p->annotation;
    if (annotation->kind == TIRBI_NODE_BINARY) annotation = annotation->items[0];
    if (annotation->kind == TIRBI_NODE_SUBSCRIPT) annotation = tirbi_subscript_call(s, annotation);
    if (!annotation) return NULL;
    tirbi_value v = tirbi_evaluate_named(s, annotation, p->name);
    if (v.kind != TIRBI_VALUE_BUFFER) return NULL;
    *out = v.as.buffer;
    return tirbi_make_var(&s->builder, p->span, p->name, tirbi_pointer_type(v.as.buffer->dtype, v.as.buffer->scope));
}

/* What to write for a parameter without a type. */
static const char *untyped_instead(tirbi_script *s, const tirbi_parameter *p) {
    const char *text =
        tirbi_hybrid(s)
            ? tirbi_arena_format(s->arena, ": write `%s: ty.handle` for what tir.buffer_bind binds, or `%s: ty.int32`",
                                 p->name, p->name)
            : tirbi_arena_format(s->arena, ": write `%s: T.Buffer((\"n\",), \"float32\")`, or `%s: T.int32`", p->name,
                                 p->name);
    return text ? text : "";
}

static bool is_plain_parameter(tirbi_script *s, const tirbi_parameter *p, bool reports) {
    const char *fault = NULL;
    if (p->kind != TIRBI_PARAMETER_PLAIN)
        fault = "stands at or behind a '*', which only macros may have";
    else if (!p->annotation)
        fault = "needs a type";
    else if (p->initial)
        fault = "has a default value, which is not part of the language";
    if (!fault || !reports) return !fault;
    const char *instead = p->kind == TIRBI_PARAMETER_PLAIN && !p->annotation ? untyped_instead(s, p) : "";
    tirbi_fail(s, TIRB_TYPE, p->span, "the parameter `%s` %s%s", p->name, fault, instead);
    tirbi_bind(s, p->name, p->span, tirbi_value_error());
    return false;
}

static bool declare_parameters(tirbi_script *s, tirbi_script_function *function) {
    const tirbi_line *line = function->line;
    uint32_t n = line->n_parameters;
    const tirb_expr **params = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    function->buffers = TIRBI_NEW_ARRAY(s->arena, const tirb_buffer *, n);
    if (!params || !function->buffers) return false;
    bool good = true;
    /* Scalars come first: a shape may mention one that stands behind it. */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            const tirbi_parameter *p = &line->parameters[i];
            if (!is_plain_parameter(s, p, pass == 0)) {
                good = false;
                continue;
            }
            if (is_buffer_annotation(p->annotation) != (pass == 1)) continue;
            params[i] = pass == 0 ? declare_scalar(s, p) : declare_buffer(s, p, &function->buffers[i]);
            tirbi_value v =
                pass == 0 || !params[i] ? tirbi_value_expr(params[i]) : tirbi_value_buffer(function->buffers[i]);
            good = params[i] && good;
            good = tirbi_bind(s, p->name, p->span, v) && good;
        }
    }
    function->ir->params = params;
    function->ir->buffers = function->buffers;
    function->ir->n_params = n;
    return good;
}

bool tirbi_set_return(tirb_primfunc *f, const tirbi_value *type) {
    f->says_void = type->kind == TIRBI_VALUE_DTYPE && tirb_datatype_equal(type->as.dtype, tirbi_type_void);
    if (f->says_void) return true;
    if (type->kind == TIRBI_VALUE_DTYPE)
        f->ret_type = tirbi_prim_type(type->as.dtype);
    else if (type->kind == TIRBI_VALUE_POINTER)
        f->ret_type = type->as.type.type;
    else
        return false;
    return true;
}

static bool declare_return(tirbi_script *s, tirbi_script_function *function) {
    const tirbi_node *annotation = function->line->annotation;
    function->ir->ret_type = (tirb_type){.kind = TIRB_TYPE_TUPLE, .dtype = tirbi_type_void, .scope = ""};
    if (!annotation) return true;
    tirbi_value v = tirbi_evaluate(s, annotation);
    function->return_known = true;
    if (tirbi_set_return(function->ir, &v)) return true;
    if (tirbi_is_error(&v)) return false;
    if (v.kind != TIRBI_VALUE_NONE) {
        tirbi_fail(s, TIRB_TYPE, annotation->span, "expected the type of the result, found %s%s", tirbi_value_text(&v),
                   v.kind == TIRBI_VALUE_BUFFER ? ": make it a parameter, and store into that" : "");
        return false;
    }
    return true;
}

void tirbi_declare_function(tirbi_script *s, tirbi_script_function *function) {
    uint32_t mark = tirbi_open_level(s);
    s->function = function;
    s->in_signature = true;
    for (uint32_t i = 0; i < function->line->n_type_parameters; i++) {
        const char *name = function->line->type_parameters[i];
        const tirb_expr *var =
            tirbi_make_var(&s->builder, function->line->name_span, name, tirbi_prim_type(tirbi_type_i64));
        if (var) tirbi_bind(s, name, function->line->name_span, tirbi_value_expr(var));
    }
    bool good = declare_parameters(s, function);
    good = declare_return(s, function) && good;
    function->broken = !good;
    uint32_t n = s->bindings.n - mark;
    function->bindings = TIRBI_NEW_ARRAY(s->arena, tirbi_binding, n);
    if (function->bindings) {
        function->n_bindings = n;
        if (n) memcpy(function->bindings, (tirbi_binding *)s->bindings.items + mark, n * sizeof *function->bindings);
    }
    s->in_signature = false;
    s->function = NULL;
    tirbi_close_level(s, mark);
}

/* ---- Functions: definition -------------------------------------------------------------------------------------- */

void tirbi_define_function(tirbi_script *s, tirbi_script_function *function) {
    uint32_t mark = tirbi_open_level(s);
    s->function = function;
    s->open_if = NULL;
    s->pointees.n = 0;
    s->scope_notes.n = 0;
    s->builder.frames.n = 0;
    s->builder.n_scopes = 0;
    s->builder.too_deep = false;
    for (uint32_t i = 0; i < function->n_bindings; i++) tirbi_push_binding(s, &function->bindings[i]);
    if (tirbi_frame_push(&s->builder, TIRBI_FRAME_FUNCTION, NULL, function->line->name_span)) {
        tirbi_run_lines(s, &function->line->body);
        function->ir->attrs = function->attrs.items;
        function->ir->n_attrs = function->attrs.n;
        tirbi_function_finish(&s->builder, function->ir);
    }
    tirbi_resolve_aliases(s);
    s->function = NULL;
    tirbi_close_level(s, mark);
}

/* ---- Modules ---------------------------------------------------------------------------------------------------- */

static void add_extern(tirbi_script *s, const tirbi_line *line, const char *symbol, bool in_class) {
    const char *name = line->target->name;
    if (!in_class) tirbi_fail(s, TIRB_TYPE, line->target->span, "`%s`: only a module has external functions", name);
    if (!in_class || !is_new_name(s, name, line->target->span)) return;
    tirb_extern *slot = TIRBI_LIST_ADD(s->arena, &s->externs, tirb_extern);
    if (slot) *slot = (tirb_extern){.name = name, .symbol = symbol};
}

/* A constant of a file or a class. */
static void run_constant(tirbi_script *s, const tirbi_line *line, bool in_class) {
    if (line->target->kind != TIRBI_NODE_NAME) {
        tirbi_fail(s, TIRB_SYNTAX, line->target->span, "only a name can be assigned outside a function");
        return;
    }
    if (tirbi_hybrid(s) && strcmp(line->target->name, "__tvm_meta__") == 0) {
        s->meta = line->value->kind == TIRBI_NODE_NONE ? NULL : tirbi_node_text(s, line->value);
        return;
    }
    if (strcmp(line->target->name, "metadata") == 0) {
        s->metadata = tirbi_node_text(s, line->value);
        s->metadata_node = line->value;
    }
    tirbi_value v = tirbi_evaluate_named(s, line->value, line->target->name);
    if (v.kind == TIRBI_VALUE_FORM || v.kind == TIRBI_VALUE_BUFFER || v.declares) {
        tirbi_fail(s, TIRB_TYPE, line->span, "%s is not possible outside a function", tirbi_value_text(&v));
        v = tirbi_value_error();
    }
    if (v.kind == TIRBI_VALUE_EXTERN) {
        add_extern(s, line, v.as.name, in_class);
        return;
    }
    const tirbi_binding *old = tirbi_lookup(s, line->target->name);
    if (old && old->level == 0)
        tirbi_rebind(s, line->target->name, v);
    else
        tirbi_bind(s, line->target->name, line->target->span, v);
}

static void collect_class(tirbi_script *s, const tirbi_line *line);

static void collect_line(tirbi_script *s, const tirbi_line *line, bool in_class) {
    switch (line->kind) {
    case TIRBI_LINE_DEF:
        add_function(s, line, in_class);
        return;
    case TIRBI_LINE_CLASS:
        if (in_class) break;
        collect_class(s, line);
        return;
    case TIRBI_LINE_ASSIGN:
        run_constant(s, line, in_class);
        return;
    case TIRBI_LINE_EXPR: {
        tirbi_value v = tirbi_evaluate(s, line->value);
        if (v.kind == TIRBI_VALUE_STRING || v.kind == TIRBI_VALUE_NONE || tirbi_is_error(&v)) return;
        break;
    }
    case TIRBI_LINE_IMPORT:
        if (in_class) break;
        return;
    case TIRBI_LINE_PASS:
        return;
    default:
        break;
    }
    tirbi_fail(s, TIRB_SYNTAX, line->span, "this statement is not possible %s",
               in_class ? "in a module" : "outside a function");
}

static void collect_class(tirbi_script *s, const tirbi_line *line) {
    const tirbi_node *call = NULL;
    const char *decorator = decorator_name(s, line, &call);
    if (decorator && strcmp(decorator, "ir_module") != 0)
        tirbi_fail(s, TIRB_UNSUPPORTED, line->name_span, "classes decorated with `%s` are not supported", decorator);
    if (s->module_name) tirbi_fail(s, TIRB_UNSUPPORTED, line->name_span, "a file has at most one module");
    s->module_name = line->name;
    tirbi_value module = {.kind = TIRBI_VALUE_MODULE};
    tirbi_bind(s, line->name, line->name_span, module);
    const char *self = tirbi_intern(&s->names, "cls", 3);
    if (self && !tirbi_lookup(s, self)) tirbi_bind(s, self, line->name_span, module);
    for (uint32_t i = 0; i < line->body.n; i++) collect_line(s, line->body.items[i], true);
}

void tirbi_collect_line(tirbi_script *s, const tirbi_line *line) { collect_line(s, line, false); }

static tirb_irmodule *finish_module(tirbi_script *s) {
    tirb_irmodule *module = TIRBI_NEW(s->arena, tirb_irmodule);
    tirb_primfunc **functions = TIRBI_NEW_ARRAY(s->arena, tirb_primfunc *, s->functions.n);
    if (!module || !functions) return NULL;
    tirbi_script_function **all = s->functions.items;
    for (uint32_t i = 0; i < s->functions.n; i++) {
        if (!all[i]->ir->body || all[i]->broken) {
            tirbi_report_unexplained(s->diagnostics, all[i]->line->name_span, "a function");
            continue;
        }
        all[i]->ir->index = module->n_functions;
        functions[module->n_functions++] = all[i]->ir;
    }
    module->name = s->module_name;
    module->functions = functions;
    module->externs = s->externs.items;
    module->n_externs = s->externs.n;
    module->attrs = s->module_attrs.items;
    module->n_attrs = s->module_attrs.n;
    module->meta = s->meta;
    tirbi_finish_relax(s, module);
    module->n_vars = s->builder.n_vars;
    module->n_buffers = s->builder.n_buffers;
    return module;
}

/* The tokens and the surface tree are in an arena of their own. */
static tirb_irmodule *parse(const tirb_irmodule *before, const tirbi_source *source, tirbi_arena *arena,
                            tirbi_arena *surface, tirbi_diagnostics *diagnostics) {
    tirbi_script *s = TIRBI_NEW(arena, tirbi_script);
    if (!s) return NULL;
    *s = (tirbi_script){.source = source, .arena = arena, .diagnostics = diagnostics, .names = {.arena = arena}};
    s->syntax = (tirbi_syntax){.names = &s->names, .arena = surface, .diagnostics = diagnostics};
    tirbi_builder_init(&s->builder, arena, diagnostics);
    s->builder.n_vars = before->n_vars;
    s->builder.n_buffers = before->n_buffers;
    tirbi_tokens tokens;
    if (!tirbi_lex(source, (tirbi_span){0, source->size}, false, &s->names, surface, diagnostics, &tokens)) return NULL;
    s->dialect = dialect_of_names(&tokens);
    if (tokens.comment_dialect != TIRBI_DIALECT_UNKNOWN) s->dialect = tokens.comment_dialect;
    find_imported_dialect(s, &tokens);
    tirbi_run_file(s, &tokens);
    return finish_module(s);
}

tirb_irmodule *tirbi_parse_behind(const tirb_irmodule *before, const tirbi_source *source, tirbi_arena *arena,
                                  tirbi_diagnostics *diagnostics) {
    tirbi_arena surface;
    tirbi_arena_init(&surface, arena->heap);
    surface.watch = arena->watch;
    tirb_irmodule *module = parse(before, source, arena, &surface, diagnostics);
    arena->failed |= surface.failed;
    tirbi_arena_destroy(&surface);
    return arena->failed ? NULL : module;
}

tirb_irmodule *tirbi_parse(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    return tirbi_parse_behind(&(tirb_irmodule){.n_vars = 0}, source, arena, diagnostics);
}
