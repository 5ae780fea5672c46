#include "compiler/optimize/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/optimize/schedule/text.h"

enum { MAX_TEXT = 400 };

static bool is_known(const tirbi_notes *notes, const tirb_loop_note *fresh) {
    for (uint32_t i = notes->n; i-- > 0;) {
        const tirb_loop_note *known = &notes->items[i];
        if (known->line == fresh->line && known->column == fresh->column && known->form == fresh->form &&
            strcmp(known->function, fresh->function) == 0 && strcmp(known->variable, fresh->variable) == 0 &&
            strcmp(known->text, fresh->text) == 0) {
            return true;
        }
    }
    return false;
}

static tirb_loop_note *new_note(tirbi_notes *notes) {
    if (notes->n == notes->capacity) {
        uint32_t capacity = notes->capacity ? notes->capacity * 2 : 16;
        tirb_loop_note *items = TIRBI_NEW_ARRAY(notes->arena, tirb_loop_note, capacity);
        if (!items) return NULL;
        if (notes->n) memcpy(items, notes->items, notes->n * sizeof(*items));
        notes->items = items;
        notes->capacity = capacity;
    }
    return &notes->items[notes->n++];
}

static const char *copy_of(const tirbi_notes *notes, const char *text) {
    return tirbi_arena_text(notes->arena, text, strlen(text));
}

/* Names may be a builder's, which is gone before the notes are. Those of one function share its name. */
static void keep(tirbi_notes *notes, const tirb_loop_note *fresh) {
    const tirb_loop_note *last = notes->n ? &notes->items[notes->n - 1] : NULL;
    tirb_loop_note copy = *fresh;
    copy.function =
        last && strcmp(last->function, fresh->function) == 0 ? last->function : copy_of(notes, fresh->function);
    copy.variable = copy_of(notes, fresh->variable);
    copy.text = copy_of(notes, fresh->text);
    tirb_loop_note *kept = copy.function && copy.variable && copy.text ? new_note(notes) : NULL;
    if (kept) *kept = copy;
}

void tirbi_note_loop(tirbi_notes *notes, const tirbi_lvar *var, tirbi_span span, tirb_loop_form form,
                     const char *format, ...) {
    if (!notes) return;
    char text[MAX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tirb_loop_note fresh = {.function = notes->function, .variable = var ? var->name : "", .form = form, .text = text};
    if (var) span = var->span;
    if (notes->source) tirbi_source_locate(notes->source, span.begin, &fresh.line, &fresh.column);
    if (!is_known(notes, &fresh)) keep(notes, &fresh);
}

/* ---- Lane loops ----------------------------------------------------------------------------------------------- */

void tirbi_note_lanes(tirbi_notes *notes, const tirbi_lane_plan *plan) {
    if (!notes) return;
    const tirbi_lvar *lane = plan->loops.var[0];
    char text[MAX_TEXT];
    tirbi_list_operations(plan, text, sizeof(text));
    tirbi_note_loop(notes, lane, lane->span, TIRB_FORM_LANES, "%s", text);
    for (uint32_t i = 1; i < plan->loops.n; i++) {
        tirbi_note_loop(notes, plan->loops.var[i], lane->span, TIRB_FORM_INNER,
                        "runs inside the lane loop over %s, alike in all lanes", lane->name);
    }
    for (uint32_t i = 0; i < plan->n_single; i++) {
        tirbi_note_loop(notes, plan->single[i], lane->span, TIRB_FORM_INNER,
                        "has one iteration, which runs inside the lane loop over %s", lane->name);
    }
}
