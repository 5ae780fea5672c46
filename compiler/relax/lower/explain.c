#include "compiler/relax/lower/explain.h"

#include <tirb/compiler.h>

#include "compiler/relax/lower/lowering.h"

void tirbi_relax_note(tirbi_relax_lowering *l, tirbi_relax_outcome outcome) {
    tirbi_relax_outcome *added = l->notes ? TIRBI_LIST_ADD(l->arena, &l->outcomes, tirbi_relax_outcome) : NULL;
    if (added) *added = outcome;
}

static const char *place_of(tirbi_relax_lowering *l, const tirbi_relax_outcome *o) {
    const tirbi_relax_held *h = o->value;
    const tirbi_relax_temporary *t = tirbi_relax_temporary_of(l, h->buffer);
    if (tirb_relax_is_call(o->binding->value, TIRB_RELAX_CALL_TIR_INPLACE)) return "in place";
    if (l->destinations[o->binding->var->id] == h) return "in the memory of a result";
    if (!t || !t->offset) return "memory that is as large as a call says";
    const uint32_t size = 1U << t->block;
    const int64_t count = tirbi_relax_count(h->buffer->shape, h->buffer->ndim);
    return tirbi_arena_format(l->arena, "%lld bytes at %lld of %lld for elements of %u", (long long)(count * size),
                              (long long)(h->buffer->elem_offset->as.int_value * size),
                              (long long)(l->memory.sizes[t->block]->as.int_value * size), (unsigned)size);
}

static const char *text_of(tirbi_relax_lowering *l, const tirbi_relax_outcome *o) {
    if (!o->value) return tirbi_arena_format(l->arena, "a part of %s", o->called);
    if (o->value->kind == TIRBI_RELAX_HELD_TUPLE) return o->called ? o->called : "views";
    if (o->value->kind != TIRBI_RELAX_HELD_TENSOR) return o->called ? o->called : "known without a call";
    const tirbi_relax_temporary *t = tirbi_relax_temporary_of(l, o->value->buffer);
    const bool joins = tirb_relax_is_call(o->binding->value, TIRB_RELAX_CONCAT);
    if (!o->called && !joins && !(t && t->buffer == o->value->buffer)) return "a view";
    const char *place = place_of(l, o);
    const char *called = o->called ? o->called : joins ? "its parts" : NULL;
    return place && called ? tirbi_arena_format(l->arena, "%s, %s", called, place) : place;
}

void tirbi_relax_explain(tirbi_relax_lowering *l) {
    const tirbi_relax_outcome *items = l->outcomes.items;
    for (uint32_t i = 0; i < l->outcomes.n; i++) {
        const char *text = text_of(l, &items[i]);
        tirb_loop_note *note = text ? TIRBI_LIST_ADD(l->arena, l->notes, tirb_loop_note) : NULL;
        if (!note) return;
        *note = (tirb_loop_note){.function = l->function->name,
                                 .variable = items[i].binding->var->name,
                                 .form = TIRB_FORM_OPERATOR,
                                 .text = text};
        if (l->diagnostics->source && l->diagnostics->source->size)
            tirbi_source_locate(l->diagnostics->source, items[i].binding->span.begin, &note->line, &note->column);
    }
}
