/* What became of every loop, and why: kept for `tirb explain` where the caller of the compiler asks for it. */
#ifndef TIRB_COMPILER_OPTIMIZE_NOTES_H
#define TIRB_COMPILER_OPTIMIZE_NOTES_H

#include "compiler/optimize/lanes/lanes.h"

typedef struct tirbi_notes {
    tirbi_arena *arena;
    const tirbi_source *source;
    const char *function; /* that is being compiled */
    tirb_loop_note *items;
    uint32_t n, capacity;
} tirbi_notes;

/* Notes that the loop over `var` (NULL: a while loop at `span`) took this form. A loop that is emitted in several parts
 * has a note for each form of part; the same note twice is one. Does nothing when `notes` is NULL. */
void tirbi_note_loop(tirbi_notes *notes, const tirbi_lvar *var, tirbi_span span, tirb_loop_form form,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The loops of a lane plan: the lane loop with its operations, and what runs inside it. */
void tirbi_note_lanes(tirbi_notes *notes, const tirbi_lane_plan *plan);

#endif
