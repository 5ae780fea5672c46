/* Rows that numbers choose, one after the other: copied, or computed by one loop from memory to memory. */
#ifndef TIRB_VM_ENTER_LANE_LISTS_H
#define TIRB_VM_ENTER_LANE_LISTS_H

#include "loader/isa/reach.h"
#include "vm/machine/machine.h"

/* The types that numbers of rows have: a loop over numbers of one type looks only once which it is. */
#define TIRBI_LANE_NUMBERS(X) X(I8) X(I16) X(I32) X(I64) X(U8) X(U16) X(U32) X(U64)

/* Which rows of a cursor are meant, where numbers say so: they begin (number - least) * bytes from its start on. */
typedef struct tirbi_lane_rows {
    const tirbi_reach *numbers; /* NULL: all of them, in order */
    uint8_t type;
    int64_t least, most;
    int64_t bytes;
} tirbi_lane_rows;

/* What is written, and what is read. */
enum { TIRBI_LIST_SIDES = 4 };
typedef struct tirbi_lane_list {
    tirbi_lane_rows of[TIRBI_LIST_SIDES];
} tirbi_lane_list;

/* Whether the loop copies contiguous rows, some of them by number. */
bool tirbi_lane_list_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches);
tirb_status tirbi_lane_list_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const tirbi_lane_list *list);

/* Whether one loop from memory to memory does all of a row. */
bool tirbi_lane_row_stream_fits(const tirbi_lane_loop *loop, const tirbi_lane_row_stream *row,
                                const tirbi_reach *reaches);
tirb_status tirbi_lane_row_stream_run(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                      const tirbi_lane_row_stream *row, const tirbi_reach *reaches,
                                      const uint64_t *slots, const tirbi_lane_list *list);

#endif
