/* Values of attributes: numbers and strings are expressions; lists, dictionaries and what else annotations may hold
 * keep a text, written as TVM writes it. */
#include <math.h>
#include <string.h>

#include "compiler/text/script/names.h"
#include "compiler/text/text.h"

static tirbi_span place_of(const tirbi_value *v) { return v->node ? v->node->span : (tirbi_span){0, 0}; }

static const char *text_of(tirbi_script *s, const tirbi_value *v, tirbi_span span);

static const char *integer_text(tirbi_script *s, const tirb_expr *e) {
    char type[32];
    if (tirbi_type_is_bool(e->dtype)) return e->as.int_value ? "T.bool(True)" : "T.bool(False)";
    if (tirb_datatype_equal(e->dtype, tirbi_type_i32))
        return tirbi_arena_format(s->arena, "%lld", (long long)e->as.int_value);
    return tirbi_arena_format(s->arena, "T.%s(%lld)", tirb_datatype_text(e->dtype, type), (long long)e->as.int_value);
}

/* A finite number as TVM writes it. */
static const char *number_text(tirbi_script *s, double value) {
    return tirbi_arena_format(s->arena, value == floor(value) ? "%.1f" : "%.17g", value);
}

static const char *float_text(tirbi_script *s, const tirb_expr *e) {
    char type[32];
    return tirbi_arena_format(s->arena, "T.%s(%s)", tirb_datatype_text(e->dtype, type),
                              number_text(s, e->as.float_value));
}

static const char *key_of(const tirbi_value *items, uint32_t pair) {
    const tirbi_value *key = &items[2 * (size_t)pair];
    return key->kind == TIRBI_VALUE_STRING ? key->as.string.text : "";
}

/* The pairs of a dictionary in the order of their keys. */
static const uint32_t *sorted_pairs(tirbi_script *s, const tirbi_value *items, uint32_t n) {
    uint32_t *order = TIRBI_NEW_ARRAY(s->arena, uint32_t, n + 1);
    for (uint32_t i = 0; order && i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(key_of(items, order[at - 1]), key_of(items, i)) > 0; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

static const char *sequence_text(tirbi_script *s, const tirbi_value *v, tirbi_span span) {
    bool dict = v->kind == TIRBI_VALUE_DICT;
    const tirbi_value *items = v->as.sequence.items;
    uint32_t n = v->as.sequence.n, n_parts = 0;
    if (dict && n / 2 > TIRBI_MAX_ATTRIBUTES) {
        tirbi_fail(s, TIRB_VALUE, span, "more than %d attributes", TIRBI_MAX_ATTRIBUTES);
        return NULL;
    }
    const uint32_t *order = dict ? sorted_pairs(s, items, n / 2) : NULL;
    const char **parts = TIRBI_NEW_ARRAY(s->arena, const char *, 2 * (size_t)n + 2);
    if (!parts || (dict && !order)) return NULL;
    parts[n_parts++] = dict ? "{" : "[";
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_value *item = dict ? &items[2 * (size_t)order[i / 2] + i % 2] : &items[i];
        if (i) parts[n_parts++] = dict && i % 2 ? ": " : ", ";
        if (!(parts[n_parts++] = text_of(s, item, span))) return NULL;
    }
    parts[n_parts++] = dict ? "}" : "]";
    return tirbi_join_texts(s, span, parts, n_parts);
}

/* As TVM prints it; NULL after an error. */
static const char *text_of(tirbi_script *s, const tirbi_value *v, tirbi_span span) {
    while (v->kind == TIRBI_VALUE_META) v = v->as.meta;
    switch (v->kind) {
    case TIRBI_VALUE_ERROR: return NULL;
    case TIRBI_VALUE_TUPLE:
    case TIRBI_VALUE_DICT: return sequence_text(s, v, span);
    case TIRBI_VALUE_STRING: return tirbi_quoted(s->arena, v->as.string.text, v->as.string.size);
    case TIRBI_VALUE_NONE:
    case TIRBI_VALUE_INT:
    case TIRBI_VALUE_BOOL: return tirbi_python_text(s, v);
    case TIRBI_VALUE_FLOAT: return isfinite(v->as.real) ? number_text(s, v->as.real) : tirbi_python_text(s, v);
    case TIRBI_VALUE_EXPR:
        if (v->as.expr->kind == TIRB_EXPR_INT_IMM) return integer_text(s, v->as.expr);
        if (v->as.expr->kind == TIRB_EXPR_FLOAT_IMM && isfinite(v->as.expr->as.float_value))
            return float_text(s, v->as.expr);
        break;
    case TIRBI_VALUE_OPAQUE:
        if (v->as.name) return v->as.name;
        break;
    default: break;
    }
    return v->node ? tirbi_node_text(s, v->node) : "";
}

/* T.target(target, host). */
tirbi_value tirbi_target(tirbi_script *s, const tirbi_call *c) {
    tirbi_span span = c->node->span;
    const char *host = tirbi_given(&c->args[1]) ? text_of(s, &c->args[1], span) : "";
    const char *parts[] = {"T.target(", text_of(s, &c->args[0], span), *(host ? host : "") ? ", host=" : "", host, ")"};
    tirbi_value v = {.kind = TIRBI_VALUE_OPAQUE, .node = c->node};
    v.as.name = host && parts[1] ? tirbi_join_texts(s, span, parts, 5) : NULL;
    return v.as.name ? v : tirbi_value_error();
}

tirb_attr tirbi_to_attr(tirbi_script *s, const char *key, const tirbi_value *v) {
    tirb_attr attr = {.key = key};
    switch (v->kind) {
    case TIRBI_VALUE_FLOAT: /* with all of Python's digits */
        attr.value =
            tirbi_make_float(&s->builder, place_of(v), (tirb_datatype){TIRB_CODE_FLOAT, 64, 1, false}, v->as.real);
        attr.bare = true;
        break;
    case TIRBI_VALUE_INT:
    case TIRBI_VALUE_BOOL:
    case TIRBI_VALUE_STRING:
    case TIRBI_VALUE_EXPR:
        attr.value = tirbi_to_expr(s, v);
        attr.bare = tirbi_is_number(v);
        break;
    default:
        attr.text = text_of(s, v, place_of(v));
        break;
    }
    return attr;
}

bool tirbi_to_attrs(tirbi_script *s, const tirbi_value *dict, tirbi_list *out) {
    if (dict->kind == TIRBI_VALUE_ERROR) return false;
    if (dict->kind != TIRBI_VALUE_DICT) {
        tirbi_fail(s, TIRB_TYPE, place_of(dict), "expected a dictionary, {\"name\": value}, found %s",
                   tirbi_value_text(dict));
        return false;
    }
    if (out->n + dict->as.sequence.n / 2 > TIRBI_MAX_ATTRIBUTES) {
        tirbi_fail(s, TIRB_VALUE, place_of(dict), "more than %d attributes", TIRBI_MAX_ATTRIBUTES);
        return false;
    }
    for (uint32_t i = 0; i + 1 < dict->as.sequence.n; i += 2) {
        const tirbi_value *key = &dict->as.sequence.items[i];
        const char *name;
        if (!tirbi_to_text(s, key, "the key", &name)) return false;
        for (uint32_t j = 0; j < out->n; j++) {
            if (strcmp(((tirb_attr *)out->items)[j].key, name) != 0) continue;
            tirbi_fail(s, TIRB_VALUE, place_of(key), "the attribute \"%s\" is already set", name);
            return false;
        }
        tirb_attr *slot = TIRBI_LIST_ADD(s->arena, out, tirb_attr);
        if (!slot) return false;
        *slot = tirbi_to_attr(s, name, &dict->as.sequence.items[i + 1]);
    }
    return true;
}
