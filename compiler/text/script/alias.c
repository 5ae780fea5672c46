/* The function attribute tirb.may_alias: pairs of buffer parameters that may share memory.
 *
 * Its names are those of the buffers, which match_buffer may still have to give, or of the parameters: they are looked
 * up when the function's text has been read. */
#include "compiler/text/script/script.h"

#include <string.h>

static bool malformed(tirbi_script *s, const tirbi_value *v) {
    if (tirbi_is_error(v)) return false;
    tirbi_fail(s, TIRB_TYPE, v->node ? v->node->span : s->function->line->name_span,
               "tirb.may_alias must be a list of pairs of parameters, such as [[\"A\", \"B\"]], not %s",
               tirbi_value_text(v));
    return false;
}

/* The number of a buffer parameter; a buffer's name goes before a parameter's. */
static bool find_param(tirbi_script *s, const tirbi_value *v, uint32_t *out) {
    const tirb_primfunc *ir = s->function->ir;
    if (v->kind != TIRBI_VALUE_STRING) return malformed(s, v);
    const char *name = v->as.string.text;
    tirbi_span span = v->node ? v->node->span : s->function->line->name_span;
    for (uint32_t i = 0; i < ir->n_params; i++) {
        if (!ir->buffers[i] || strcmp(ir->buffers[i]->name, name) != 0) continue;
        *out = i;
        return true;
    }
    for (uint32_t i = 0; i < ir->n_params; i++) {
        if (!ir->params[i] || strcmp(ir->params[i]->as.var.name, name) != 0) continue;
        *out = i;
        if (ir->buffers[i]) return true;
        tirbi_fail(s, TIRB_TYPE, span, "tirb.may_alias names '%s', which is no buffer", name);
        return false;
    }
    tirbi_fail(s, TIRB_NOT_FOUND, span, "tirb.may_alias names '%s', but %s has no such parameter", name, ir->name);
    return false;
}

static bool read_pair(tirbi_script *s, const tirbi_value *v, tirb_param_pair *out) {
    if (v->kind != TIRBI_VALUE_TUPLE || v->as.sequence.n != 2) return malformed(s, v);
    const tirbi_value *names = v->as.sequence.items;
    if (!find_param(s, &names[0], &out->first) || !find_param(s, &names[1], &out->second)) return false;
    if (out->first != out->second) return true;
    tirbi_fail(s, TIRB_VALUE, names[1].node ? names[1].node->span : s->function->line->name_span,
               "tirb.may_alias pairs '%s' with itself", s->function->ir->buffers[out->first]->name);
    return false;
}

void tirbi_resolve_aliases(tirbi_script *s) {
    const tirbi_value *v = &s->function->may_alias;
    tirb_primfunc *ir = s->function->ir;
    if (!tirbi_given(v) || s->function->broken) return;
    if (v->kind != TIRBI_VALUE_TUPLE) {
        malformed(s, v);
        return;
    }
    if (ir->n_params > TIRBI_MAX_CALL_ARGS) return; /* refused by what compiles it */
    uint32_t n = v->as.sequence.n;
    tirb_param_pair *pairs = TIRBI_NEW_ARRAY(s->arena, tirb_param_pair, n);
    bool good = pairs != NULL;
    for (uint32_t i = 0; pairs && i < n; i++) good = read_pair(s, &v->as.sequence.items[i], &pairs[i]) && good;
    if (good) tirbi_function_set_aliases(ir, pairs, n);
}
