/* What names mean while a text is read: bindings, the latest last, and a table that leads from a name to its latest
 * one. Names are interned, so that they are equal where their addresses are. */
#include <string.h>

#include "compiler/text/script/script.h"

static uint32_t *place_of(const tirbi_name_table *table, const char *name) {
    uint64_t hash = (uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(hash >> 32) & (table->capacity - 1);
    while (table->names[at] && table->names[at] != name) at = (at + 1) & (table->capacity - 1);
    return &table->latest[at];
}

static bool grow(tirbi_script *s) {
    tirbi_name_table old = s->bound, *table = &s->bound;
    uint32_t capacity = old.capacity ? old.capacity * 2 : 256;
    const char **names = TIRBI_NEW_ARRAY(s->arena, const char *, capacity);
    uint32_t *latest = TIRBI_NEW_ARRAY(s->arena, uint32_t, capacity);
    if (!names || !latest) return false;
    *table = (tirbi_name_table){.names = names, .latest = latest, .n = old.n, .capacity = capacity};
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (!old.names[i]) continue;
        uint32_t *place = place_of(table, old.names[i]);
        names[place - latest] = old.names[i];
        *place = old.latest[i];
    }
    return true;
}

static bool is_visible(const tirbi_scope *scope, uint32_t level) {
    for (; scope && level < scope->high; scope = scope->outer)
        if (level > scope->low) return false;
    return true;
}

/* The latest binding that can be seen from here. */
static tirbi_binding *binding_of(const tirbi_script *s, const char *name) {
    uint32_t number = s->bound.capacity ? *place_of(&s->bound, name) : 0;
    tirbi_binding *bindings = s->bindings.items;
    while (number && !is_visible(s->scope, bindings[number - 1].level)) number = bindings[number - 1].hidden;
    return number ? &bindings[number - 1] : NULL;
}

const tirbi_binding *tirbi_lookup(const tirbi_script *s, const char *name) { return binding_of(s, name); }

bool tirbi_push_binding(tirbi_script *s, const tirbi_binding *binding) {
    if (2 * s->bound.n >= s->bound.capacity && !grow(s)) return false;
    tirbi_binding *slot = TIRBI_LIST_ADD(s->arena, &s->bindings, tirbi_binding);
    if (!slot) return false;
    uint32_t *place = place_of(&s->bound, binding->name);
    const char **key = &s->bound.names[place - s->bound.latest];
    s->bound.n += *key == NULL;
    *key = binding->name;
    *slot = *binding;
    slot->hidden = *place;
    *place = s->bindings.n;
    return true;
}

bool tirbi_is_parameter(const tirbi_script *s, const tirb_expr *e) {
    const tirb_primfunc *ir = s->function && !s->in_signature ? s->function->ir : NULL;
    for (uint32_t i = 0; ir && i < ir->n_params; i++)
        if (ir->params[i] == e) return true;
    return false;
}

void tirbi_fail_parameter(tirbi_script *s, tirbi_span span, const char *name) {
    tirbi_fail(s, TIRB_TYPE, span,
               "`%s` is a parameter, which cannot be assigned; give the value a name of its own, `%s_1 = ...`", name,
               name);
}

bool tirbi_bind(tirbi_script *s, const char *name, tirbi_span span, tirbi_value value) {
    tirbi_binding *old = binding_of(s, name);
    bool here = old && old->level == s->level;
    if (here && strcmp(name, "_") != 0 && !tirbi_is_error(&old->value)) {
        if (old->value.kind == TIRBI_VALUE_EXPR && tirbi_is_parameter(s, old->value.as.expr))
            tirbi_fail_parameter(s, span, name);
        else if (old->value.kind == TIRBI_VALUE_BUFFER && value.kind != TIRBI_VALUE_BUFFER)
            tirbi_fail(s, TIRB_TYPE, span,
                       "`%s` is already defined in this scope, as a buffer: its elements are assigned, `%s[...] = ...`",
                       name, name);
        else
            tirbi_fail(s, TIRB_TYPE, span, "`%s` is already defined in this scope; give the value a name of its own",
                       name);
        return false;
    }
    tirbi_binding binding = {.name = name, .value = value, .level = s->level};
    /* A use of the name is a use: `x = i` makes a variable x, not another name of i. */
    if (value.kind == TIRBI_VALUE_EXPR) binding.value.declares = false;
    if (!here) return tirbi_push_binding(s, &binding);
    old->value = binding.value;
    return true;
}

void tirbi_rebind(tirbi_script *s, const char *name, tirbi_value value) {
    tirbi_binding *binding = binding_of(s, name);
    if (binding) binding->value = value;
}

uint32_t tirbi_open_level(tirbi_script *s) {
    s->level++;
    return s->bindings.n;
}

/* Names that are bound no more stay in the table, for they may be bound again. */
void tirbi_close_level(tirbi_script *s, uint32_t mark) {
    const tirbi_binding *bindings = s->bindings.items;
    s->level--;
    while (s->bindings.n > mark) {
        const tirbi_binding *last = &bindings[--s->bindings.n];
        *place_of(&s->bound, last->name) = last->hidden;
    }
}
