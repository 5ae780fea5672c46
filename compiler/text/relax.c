/* Relax functions of a module: tirb runs the PrimFuncs beside them, and keeps them as they are written. */
#include <string.h>

#include "compiler/text/script.h"

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the text has `name` as a word, behind a `before` unless that is 0. */
static bool mentions(const char *text, const char *name, char before) {
    size_t size = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        char previous = at == text ? '\n' : at[-1];
        if (!is_word(at[size]) && (before ? previous == before : !is_word(previous))) return true;
    }
    return false;
}

/* Where the last statement of a function ends. */
static uint32_t end_of(const tirbi_line *line) {
    uint32_t end = line->span.end;
    for (;;) {
        const tirbi_lines *inner = line->orelse.n ? &line->orelse : &line->body;
        if (line->value && line->value->span.end > end) end = line->value->span.end;
        if (line->span.end > end) end = line->span.end;
        if (inner->n == 0) return end;
        line = inner->items[inner->n - 1];
    }
}

/* The lines from the first decorator to the end of the body, without the indentation of the first. */
static const char *text_of(tirbi_script *s, const tirbi_line *line) {
    const char *source = s->source->text;
    uint32_t begin = line->decorators[0]->span.begin, end = end_of(line), indent = 0;
    while (begin > 0 && source[begin - 1] != '\n') begin--;
    while (end < s->source->size && source[end] != '\n') end++;
    while (source[begin + indent] == ' ' || source[begin + indent] == '\t') indent++;
    char *text = tirbi_arena_text(s->arena, source + begin, end - begin), *to = text;
    if (!text) return NULL;
    for (const char *from = text; *from;) {
        for (uint32_t i = 0; i < indent && (*from == ' ' || *from == '\t'); i++) from++;
        while (*from && *from != '\n') {
            if (*from != '\r') *to++ = *from;
            from++;
        }
        if (*from) *to++ = *from++;
    }
    *to = 0;
    return text;
}

void tirbi_keep_relax(tirbi_script *s, const tirbi_line *line) {
    const char *text = text_of(s, line);
    tirb_extern *slot = text ? TIRBI_LIST_ADD(s->arena, &s->externs, tirb_extern) : NULL;
    if (slot) *slot = (tirb_extern){.name = line->name, .text = text, .span = line->name_span};
}

void tirbi_finish_relax(tirbi_script *s, tirb_irmodule *module) {
    tirbi_list type_vars = {.n = 0};
    const tirbi_binding *bindings = s->bindings.items;
    for (uint32_t i = 0; i < s->externs.n; i++) {
        const char *text = ((const tirb_extern *)s->externs.items)[i].text;
        if (!text) continue;
        if (mentions(text, "T", 0)) module->relax_has_tir = true;
        if (s->metadata && mentions(text, "metadata", 0)) module->metadata = s->metadata;
        tirbi_script_function **functions = s->functions.items;
        for (uint32_t j = 0; j < s->functions.n; j++)
            if (mentions(text, functions[j]->line->name, '.')) functions[j]->ir->is_entry = true;
        for (uint32_t j = 0; j < s->bindings.n; j++) {
            if (bindings[j].value.kind != TIRBI_VALUE_TYPEVAR || !mentions(text, bindings[j].value.as.name, 0))
                continue;
            const char **slot = TIRBI_LIST_ADD(s->arena, &type_vars, const char *);
            if (slot) *slot = bindings[j].value.as.name;
        }
    }
    if (s->keeps_metadata) module->metadata = s->metadata;
    module->type_vars = type_vars.items;
    module->n_type_vars = type_vars.n;
}
