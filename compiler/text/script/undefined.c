/* Names that nothing has defined where they are used: what was meant, and what to write. */
#include <string.h>

#include "compiler/text/script/names.h"
#include "compiler/text/script/relax.h"
#include "compiler/text/script/script.h"

/* ---- Where else the function defines it -------------------------------------------------------------------------- */

static bool target_binds(const tirbi_node *target, const char *name) {
    if (!target) return false;
    if (target->kind == TIRBI_NODE_NAME) return strcmp(target->name, name) == 0;
    const bool several =
        target->kind == TIRBI_NODE_TUPLE || target->kind == TIRBI_NODE_LIST || target->kind == TIRBI_NODE_STARRED;
    for (uint32_t i = 0; several && i < target->n_items; i++)
        if (target_binds(target->items[i], name)) return true;
    return false;
}

static bool line_binds(const tirbi_line *line, const char *name) {
    const bool assigns = line->kind == TIRBI_LINE_ASSIGN || line->kind == TIRBI_LINE_ANNOTATED ||
                         line->kind == TIRBI_LINE_FOR || line->kind == TIRBI_LINE_WITH;
    return assigns && target_binds(line->target, name);
}

/* The first line of these, and of the blocks in them, that binds a name; NULL: none. Blocks nest as deep as the parser
 * lets them. */
static const tirbi_line *binding_line(const tirbi_lines *lines, const char *name) {
    for (uint32_t i = 0; i < lines->n; i++) {
        const tirbi_line *line = lines->items[i];
        if (line_binds(line, name)) return line;
        if (line->kind == TIRBI_LINE_DEF || line->kind == TIRBI_LINE_CLASS) continue;
        const tirbi_line *inner = binding_line(&line->body, name);
        if (!inner) inner = binding_line(&line->orelse, name);
        if (inner) return inner;
    }
    return NULL;
}

static bool defined_elsewhere(tirbi_script *s, const tirbi_node *node) {
    uint32_t at, column;
    const tirbi_line *line = s->function && !s->in_signature && tirbi_may_explain(s->diagnostics, s->source->n_lines)
                                 ? binding_line(&s->function->line->body, node->name)
                                 : NULL;
    if (!line || (line->span.begin <= node->span.begin && node->span.begin < line->span.end)) return false;
    tirbi_source_locate(s->source, line->span.begin, &at, &column);
    if (line->span.begin > node->span.begin)
        tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is used before line %u defines it; move that line before this one",
                   node->name, at);
    else if (line->kind == TIRBI_LINE_FOR)
        tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is known in the loop of line %u alone; use it there", node->name,
                   at);
    else
        tirbi_fail(s, TIRB_TYPE, node->span,
                   "`%s` is known in the block of line %u alone; give it a first value before that block begins, "
                   "`%s = ..`",
                   node->name, at, node->name);
    return true;
}

/* ---- What other languages call so -------------------------------------------------------------------------------- */

static const char *type_of_c(const char *name) {
    static const char *const types[][2] = {
        {"double", "float64"},  {"half", "float16"},  {"long", "int64"},  {"short", "int16"}, {"char", "int8"},
        {"unsigned", "uint32"}, {"size_t", "uint64"}, {"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"},
        {"bf16", "bfloat16"},   {"i8", "int8"},       {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},
        {"u8", "uint8"},        {"u16", "uint16"},    {"u32", "uint32"},  {"u64", "uint64"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i][0], name) == 0) return types[i][1];
    return NULL;
}

/* What Python has and no kernel: what to write. */
static const char *instead_of_python(const char *name) {
    static const char *const names[][2] = {
        {"reversed", "range(n - 1, -1, -1)"},
        {"sorted", "loops that compare and exchange elements"},
        {"map", "a loop"},
        {"filter", "a loop with an `if`"},
        {"any", "a loop that stores T.bool(True) where it finds one"},
        {"all", "a loop that stores T.bool(False) where it finds one"},
        {"pow", "T.pow(x, y)"},
        {"divmod", "T.floordiv(a, b) and T.floormod(a, b)"},
        {"open", "a parameter, and give the array to `tirb run` as NAME=@file.npy"},
        {"input", "a parameter"},
        {"str", "numbers: a kernel has no texts"},
        {"set", "a buffer"},
        {"dict", "a buffer"},
        {"isinstance", "the type: each value has one"},
        {"true", "T.bool(True)"},
        {"false", "T.bool(False)"},
        {"NULL", "0, or leave it out"},
        {"printf", "to a buffer: `tirb run` prints what a kernel stores"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0) return names[i][1];
    return NULL;
}

static bool known_elsewhere(tirbi_script *s, const tirbi_node *node) {
    tirb_datatype type;
    char text[64], said[128];
    const char *name = node->name, *c_type = type_of_c(name);
    const char *instead = instead_of_python(name);
    const bool is_type = strcmp(name, "handle") == 0 || tirb_datatype_from_text(name, strlen(name), &type);
    if (is_type || c_type)
        tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is not defined; write %s.%s", name, tirbi_hybrid(s) ? "ty" : "T",
                   c_type ? c_type : name);
    else if (strcmp(name, "self") == 0 || strcmp(name, "cls") == 0)
        tirbi_fail(s, TIRB_TYPE, node->span,
                   "`%s` is not defined: a module's functions have no object; write Module.name(...), with the name of "
                   "the class",
                   name);
    else if (instead || (instead = tirbi_written_in_tir(name, text)))
        tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is not defined; write %s", name,
                   tirbi_in_dialect(s, instead, said));
    else
        return false;
    return true;
}

/* ---- The message ------------------------------------------------------------------------------------------------- */

static tirbi_value undefined_in_shape(tirbi_script *s, const tirbi_node *node) {
    const char *name = node->name;
    if (tirbi_relax_type_vars(s))
        return tirbi_fail(s, TIRB_TYPE, node->span,
                          "`%s` is not defined; a size that the arguments decide is written in quotes, "
                          "R.Tensor((\"%s\",), ...)",
                          name, name);
    return tirbi_fail(s, TIRB_TYPE, node->span,
                      "`%s` is not defined; a size that the arguments decide is written in quotes, "
                      "T.Buffer((\"%s\",), ...), or `%s = T.int32()` before T.match_buffer(handle, (%s,), ...)",
                      name, name, name, name);
}

/* Said once: from there on the name is bound to the error, as far as the block goes. */
tirbi_value tirbi_fail_undefined(tirbi_script *s, const tirbi_node *node) {
    tirbi_suggestion suggestion = {.wanted = node->name};
    const tirbi_binding *bindings = s->bindings.items;
    const uint32_t n = tirbi_may_explain(s->diagnostics, s->bindings.n) ? s->bindings.n : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_is_error(&bindings[i].value)) tirbi_suggest(&suggestion, bindings[i].name);
    tirbi_suggest_entries(TIRBI_SPACE_PYTHON, &suggestion);
    if (s->function) tirbi_bind(s, node->name, node->span, tirbi_value_error());
    if (tirbi_relax_hides(s, node->name))
        return tirbi_fail(s, TIRB_TYPE, node->span,
                          "`%s` is known inside of its dataflow block alone: name it in R.output(%s)", node->name,
                          node->name);
    if (defined_elsewhere(s, node) || known_elsewhere(s, node)) return tirbi_value_error();
    if (suggestion.best)
        return tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is not defined; did you mean `%s`?", node->name,
                          suggestion.best);
    if (s->in_signature) return undefined_in_shape(s, node);
    const char follows = node->span.end < s->source->size ? s->source->text[node->span.end] : 0;
    if (s->function && !s->relax && (follows == '(' || follows == '.'))
        return tirbi_fail(s, TIRB_TYPE, node->span,
                          "`%s` is not defined: functions that call each other are a T.prim_func each, in one class "
                          "under @I.ir_module, and are called as Module.name(...) with the name of the class",
                          node->name);
    if (s->function && !s->relax && follows == '[')
        return tirbi_fail(s, TIRB_TYPE, node->span,
                          "`%s` is not defined; make it a parameter, `%s: T.Buffer((\"n\",), \"float32\")`, or a "
                          "T.alloc_buffer",
                          node->name, node->name);
    if (s->function && !s->relax)
        return tirbi_fail(
            s, TIRB_TYPE, node->span,
            "`%s` is not defined; give it a value before this line, or make it a parameter, `%s: %s.int32`", node->name,
            node->name, tirbi_hybrid(s) ? "ty" : "T");
    return tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is not defined", node->name);
}
