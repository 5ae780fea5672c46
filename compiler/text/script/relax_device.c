/* Global infos of a module: devices, which types and operators name. They say where something is computed elsewhere;
 * here it is computed where the call is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/text/script/names.h"
#include "compiler/text/script/relax.h"

enum { MAX_INFOS = 256 }; /* under one key, and keys */

/* A name that stands between quotes and colons in the text of a type. */
static bool is_word(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return *text && text[strspn(text, letters)] == 0;
}

static tirbi_value info_value(const tirb_relax_vdevice *vdevice) {
    return (tirbi_value){.kind = TIRBI_VALUE_GLOBAL_INFO, .as.vdevice = vdevice};
}

tirbi_value tirbi_dummy_info(tirbi_script *s, const tirbi_call *c) {
    (void)s;
    (void)c;
    return info_value(NULL);
}

static const tirbi_value *entry_of(const tirbi_value *dict, const char *key) {
    for (uint32_t i = 0; i + 1 < dict->as.sequence.n; i += 2) {
        const tirbi_value *name = &dict->as.sequence.items[i];
        if (name->kind == TIRBI_VALUE_STRING && strcmp(name->as.string.text, key) == 0)
            return &dict->as.sequence.items[i + 1];
    }
    return NULL;
}

static tirbi_value string_of(const char *text) {
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = text;
    v.as.string.size = (uint32_t)strlen(text);
    return v;
}

/* The keys that TVM gives a target which has none: what its kind is, in general. */
static tirbi_value keys_of(tirbi_script *s, const char *kind) {
    const bool is_cpu = strcmp(kind, "llvm") == 0 || strcmp(kind, "c") == 0, is_hexagon = strcmp(kind, "hexagon") == 0;
    tirbi_value *items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, 2), v = {.kind = TIRBI_VALUE_TUPLE};
    if (!items) return tirbi_value_error();
    items[0] = string_of(is_cpu ? "cpu" : kind);
    items[1] = string_of(is_hexagon ? "cpu" : "gpu");
    v.as.sequence.items = items;
    v.as.sequence.n = is_cpu ? 1 : 2;
    return v;
}

/* The target as TVM prints it: a dictionary that says its keys and its tag, and so does its host's. */
static bool complete_target(tirbi_script *s, const tirbi_value *target, uint32_t depth, const char **name,
                            tirbi_value *out) {
    enum { MAX_HOSTS = 8 }; /* of a host, and so on */
    tirbi_value dict = {.kind = TIRBI_VALUE_DICT, .node = target->node};
    const bool is_dict = target->kind == TIRBI_VALUE_DICT && depth < MAX_HOSTS;
    const uint32_t n = is_dict ? target->as.sequence.n : 0;
    const tirbi_value *kind = is_dict ? entry_of(target, "kind") : target;
    tirbi_value *items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, (size_t)n + 6);
    if (!items) return false;
    if (!kind || kind->kind != TIRBI_VALUE_STRING || !is_word(kind->as.string.text)) {
        tirbi_fail(s, TIRB_TYPE, target->node ? target->node->span : (tirbi_span){0, 0},
                   "a target is the name of a kind, \"llvm\", or a dictionary that has one, {\"kind\": \"llvm\"}");
        return false;
    }
    const char *ignored;
    uint32_t m = n;
    *name = kind->as.string.text;
    if (n) memcpy(items, target->as.sequence.items, n * sizeof *items);
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        const tirbi_value host = items[i + 1];
        const bool is_host = items[i].kind == TIRBI_VALUE_STRING && strcmp(items[i].as.string.text, "host") == 0;
        if (is_host && !complete_target(s, &host, depth + 1, &ignored, &items[i + 1])) return false;
    }
    if (!is_dict) items[m] = string_of("kind"), items[m + 1] = *kind, m += 2;
    if (!is_dict || !entry_of(target, "keys")) items[m] = string_of("keys"), items[m + 1] = keys_of(s, *name), m += 2;
    if (!is_dict || !entry_of(target, "tag")) items[m] = string_of("tag"), items[m + 1] = string_of(""), m += 2;
    dict.as.sequence.items = items;
    dict.as.sequence.n = m;
    *out = dict;
    return true;
}

static bool read_target(tirbi_script *s, const tirbi_value *target, tirb_relax_vdevice *out) {
    tirbi_value whole;
    if (!complete_target(s, target, 0, &out->kind, &whole)) return false;
    out->target = tirbi_to_attr(s, "target", &whole).text;
    return out->target != NULL;
}

tirbi_value tirbi_vdevice(tirbi_script *s, const tirbi_call *c) {
    tirb_relax_vdevice *v = TIRBI_NEW(s->arena, tirb_relax_vdevice);
    if (!v || !read_target(s, &c->args[0], v)) return tirbi_value_error();
    v->scope = "global";
    if (tirbi_given(&c->args[1]) && !tirbi_to_int(s, &c->args[1], "the device's number", &v->id))
        return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !tirbi_to_text(s, &c->args[2], "the memory scope", &v->scope))
        return tirbi_value_error();
    if (!is_word(v->scope)) return tirbi_fail(s, TIRB_TYPE, c->node->span, "\"%s\" is no memory scope", v->scope);
    return info_value(v);
}

/* The devices of an entry, numbered among those of their kind. */
static bool read_infos(tirbi_script *s, const tirbi_value *list, tirb_global_info *out) {
    const bool is_list = list->kind == TIRBI_VALUE_TUPLE;
    const uint32_t n = is_list ? list->as.sequence.n : 0;
    const tirb_relax_vdevice **items = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_vdevice *, (size_t)n + 1);
    bool good = is_list && items && n <= MAX_INFOS;
    for (uint32_t i = 0; good && i < n; i++) {
        const tirbi_value *v = &list->as.sequence.items[i];
        good = v->kind == TIRBI_VALUE_GLOBAL_INFO;
        tirb_relax_vdevice *own = good && v->as.vdevice ? TIRBI_NEW(s->arena, tirb_relax_vdevice) : NULL;
        if (!own) continue;
        *own = *v->as.vdevice;
        for (uint32_t k = 0; k < i; k++) own->index += items[k] && strcmp(items[k]->kind, own->kind) == 0;
        items[i] = own;
    }
    out->items = items;
    out->n = n;
    return good;
}

tirbi_value tirbi_global_infos(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *dict = &c->args[0];
    struct tirbi_relax *r = tirbi_relax_state(s);
    if (!r || dict->kind == TIRBI_VALUE_ERROR) return tirbi_value_error();
    for (uint32_t i = 0; dict->kind == TIRBI_VALUE_DICT && i + 1 < dict->as.sequence.n; i += 2) {
        tirb_global_info info = {.key = NULL};
        const tirbi_value *list = &dict->as.sequence.items[i + 1];
        if (!tirbi_to_text(s, &dict->as.sequence.items[i], "the key", &info.key)) return tirbi_value_error();
        if (!read_infos(s, list, &info))
            return tirbi_fail(s, TIRB_TYPE, c->node->span,
                              "the global infos of \"%s\" are a list of I.vdevice(...), at most %d", info.key,
                              (int)MAX_INFOS);
        if (r->infos.n == MAX_INFOS) return tirbi_fail(s, TIRB_VALUE, c->node->span, "too many global infos");
        tirb_global_info *added = TIRBI_LIST_ADD(s->arena, &r->infos, tirb_global_info), *items = r->infos.items;
        if (!added) return tirbi_value_error();
        uint32_t at = r->infos.n - 1;
        for (; at > 0 && strcmp(items[at - 1].key, info.key) > 0; at--) items[at] = items[at - 1];
        items[at] = info;
    }
    if (dict->kind != TIRBI_VALUE_DICT)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "expected a dictionary, found %s", tirbi_value_text(dict));
    return tirbi_value_none();
}

bool tirbi_to_vdevice(tirbi_script *s, const tirbi_value *v, const tirb_relax_vdevice **out) {
    const tirb_global_info *infos = s->relax->infos.items;
    const tirbi_span span = v->node ? v->node->span : (tirbi_span){0, 0};
    const char *name;
    *out = NULL;
    if (!tirbi_to_text(s, v, "the device", &name)) return false;
    const size_t size = strcspn(name, ":");
    const long index = name[size] ? strtol(name + size + 1, NULL, 10) : 0;
    bool is_kind = false;
    for (uint32_t i = 0; i < s->relax->infos.n; i++)
        for (uint32_t k = 0; k < infos[i].n; k++) {
            const tirb_relax_vdevice *d = infos[i].items[k];
            if (strcmp(infos[i].key, "vdevice") != 0 || !d || strlen(d->kind) != size ||
                memcmp(d->kind, name, size) != 0)
                continue;
            is_kind = true;
            if ((long)d->index == index) *out = d;
        }
    if (s->relax->infos.n && (*out || !is_kind)) return true;
    tirbi_fail(s, TIRB_TYPE, span, "the module's global infos have no device \"%s\"", name);
    return false;
}

tirbi_value tirbi_relax_device(tirbi_script *s, const char *name, const tirbi_value *first, const tirbi_value *second) {
    static const struct {
        const char *name;
        int64_t type; /* of DLPack */
    } kinds[] = {{"device", -1}, {"cpu", 1}, {"ext_dev", 12}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        int64_t numbers[2] = {kinds[i].type, 0};
        const bool is_any = kinds[i].type < 0;
        if (tirbi_given(first) && !tirbi_to_int(s, first, name, &numbers[!is_any])) return tirbi_value_error();
        if (is_any && tirbi_given(second) && !tirbi_to_int(s, second, name, &numbers[1])) return tirbi_value_error();
        tirbi_value v = {.kind = TIRBI_VALUE_TUPLE}, *items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, 2);
        if (!items) return tirbi_value_error();
        for (int k = 0; k < 2; k++) items[k] = (tirbi_value){.kind = TIRBI_VALUE_INT, .as.integer = numbers[k]};
        v.as.sequence.items = items;
        v.as.sequence.n = 2;
        return v;
    }
    return (tirbi_value){.kind = TIRBI_VALUE_MISSING};
}
