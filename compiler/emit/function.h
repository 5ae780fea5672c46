/* Emission of one function of a module: from loop IR whose schedule is made to bytecode. */
#ifndef TIRB_COMPILER_EMIT_FUNCTION_H
#define TIRB_COMPILER_EMIT_FUNCTION_H

#include <tirb/compiler.h>

#include "compiler/loop/loop.h"
#include "compiler/optimize/schedule/schedule.h"
#include "compiler/source/index.h"

/* A growing table of strings; equal strings are one. */
typedef struct tirbi_string_table {
    tirbi_arena *arena;
    tirbi_string *items;
    uint32_t n, capacity;
    tirbi_index index;
    bool full;
} tirbi_string_table;

uint16_t tirbi_string_number(tirbi_string_table *table, const char *text);

/* Functions that forks run; they come behind the module's own. */
typedef struct tirbi_region_list {
    tirbi_function *items;
    uint32_t n, capacity;
} tirbi_region_list;

/* The constants of a program: buffers of the same bytes share one. */
typedef struct tirbi_constant_table {
    tirbi_arena *arena;
    tirbi_constant *items;
    uint32_t n, capacity;
} tirbi_constant_table;

/* What the functions of a module share while one after the other is emitted. */
typedef struct tirbi_emission {
    tirbi_arena *lasting; /* of what they become */
    tirbi_diagnostics *diagnostics;
    uint32_t disabled; /* a set of TIRB_PASS_* */
    tirbi_lmodule *module;
    tirbi_string_table strings;
    tirbi_constant_table constants;
    tirbi_region_list regions;
} tirbi_emission;

/* Marks the memory that each function of a module reads and writes, before the first one is emitted. */
void tirbi_find_access(tirbi_lmodule *module, tirbi_arena *arena);

/* Emits a function by its schedule; what is needed meanwhile is in the arena of the function's pool, which has failed
 * when memory ran out. Code that is too large is reported. `source` (NULL: none) is what line numbers are of. */
void tirbi_emit_function(tirbi_emission *emission, tirbi_lfunc *function, const tirbi_sched *schedule,
                         const tirbi_source *source, tirbi_function *out);

#endif
