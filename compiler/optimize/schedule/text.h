/* Schedules as text for people, a node in a line with what is inside it below:
 *
 *   i: STEP                        a transformation (`interchange`, `peeling`, ..) of the loop over i made of it
 *   loop i = MIN, EXTENT           the iterations one after the other
 *   i: STEP in versions            `if CONDITION` what runs where that holds, `else` what runs where it does not
 *   region i, grain N              chunks for several threads; a line for each memory that they write parts of
 *   lanes i [inside j] [around k]  a lane loop: a line with its instructions, and one for each of its cursors
 *   tree k; search i               tree reductions, and the search for an iteration
 *   contract.f32, fold.f32         a line for each loop, and one for each operand
 *
 * and statements that stay as they are, as loop IR (compiler/loop/text.h). Elements are numbered as in the memory of
 * their buffer: `C: i * 128 + j` counts i and j from 0 on. */
#ifndef TIRB_COMPILER_OPTIMIZE_SCHEDULE_TEXT_H
#define TIRB_COMPILER_OPTIMIZE_SCHEDULE_TEXT_H

#include "compiler/optimize/schedule/schedule.h"
#include "loader/base/bytes.h"

/* "3 vfma.f32, 2 vload.f32, vstore.f32": how often each instruction stands in the body of a lane loop, in order of
 * appearance; as much as there is room for. */
void tirbi_list_operations(const tirbi_lane_plan *plan, char *text, size_t size);

/* Adds a function's schedule to `out`. False: out of memory (the arena's or the writer's). */
bool tirbi_print_schedule(const tirbi_lmodule *module, const tirbi_lfunc *function, const tirbi_sched *schedule,
                          tirbi_arena *arena, tirbi_writer *out);

#endif
