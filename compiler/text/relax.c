/* Relax functions of a module: tirb runs the PrimFuncs beside them, and keeps them as they are written. */
#include <string.h>

#include "compiler/text/script.h"

/* A name in the text of some Relax function. */
typedef struct word {
    const char *name; /* interned */
    bool is_member;   /* somewhere it stands behind a point */
} word;

typedef struct words {
    tirbi_list items; /* of word */
    tirbi_index numbers;
} words;

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

static word *find_word(const tirbi_script *s, const words *w, const char *name) {
    const uint32_t hash = tirbi_text_hash(s, name, strlen(name));
    word *items = w->items.items;
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&w->numbers, hash, &probe)) != 0)
        if (items[found - 1].name == name) return &items[found - 1];
    return NULL;
}

static void note_word(tirbi_script *s, words *w, const char *text, size_t size, bool is_member) {
    const char *name = tirbi_intern(&s->names, text, size);
    word *known = name ? find_word(s, w, name) : NULL;
    if (name && !known) {
        known = TIRBI_LIST_ADD(s->arena, &w->items, word);
        if (!known || !tirbi_index_add(&w->numbers, s->arena, tirbi_text_hash(s, name, size), w->items.n - 1)) return;
        *known = (word){.name = name};
    }
    if (known) known->is_member |= is_member;
}

static void note_words(tirbi_script *s, words *w, const char *text) {
    for (const char *at = text; *at;) {
        const char *begin = at;
        while (is_letter(*at)) at++;
        if (at == begin) at++;
        else note_word(s, w, begin, (size_t)(at - begin), begin > text && begin[-1] == '.');
    }
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
    words found = {.items = {.n = 0}};
    tirbi_list type_vars = {.n = 0};
    const tirb_extern *externs = s->externs.items;
    const tirbi_binding *bindings = s->bindings.items;
    tirbi_script_function **functions = s->functions.items;
    for (uint32_t i = 0; i < s->externs.n; i++)
        if (externs[i].text) note_words(s, &found, externs[i].text);
    const char *tir = tirbi_intern(&s->names, "T", 1), *metadata = tirbi_intern(&s->names, "metadata", 8);
    module->relax_has_tir = tir && find_word(s, &found, tir);
    bool mentioned = s->keeps_metadata || (metadata && find_word(s, &found, metadata));
    if (mentioned) module->metadata = s->metadata;
    module->omits_metadata = mentioned && !s->metadata;
    for (uint32_t i = 0; i < s->functions.n; i++) {
        const word *name = find_word(s, &found, functions[i]->line->name);
        if (name && name->is_member) functions[i]->ir->is_entry = true;
    }
    for (uint32_t i = 0; i < s->bindings.n; i++) {
        const tirbi_value *value = &bindings[i].value;
        if (value->kind != TIRBI_VALUE_TYPEVAR || !value->as.name || !find_word(s, &found, value->as.name)) continue;
        const char **slot = TIRBI_LIST_ADD(s->arena, &type_vars, const char *);
        if (slot) *slot = value->as.name;
    }
    module->type_vars = type_vars.items;
    module->n_type_vars = type_vars.n;
}
