/* What takes its time where it is much, in steps between which a stop word is looked at. */
#ifndef TIRB_VM_LIMITS_STEPS_H
#define TIRB_VM_LIMITS_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* No more is written between two looks: the first time that a page is written takes as long as clearing 64 KiB later,
 * and some pages ten times as long. */
enum { TIRBI_WRITE_STEP = 1 << 14 };

/* Writes zeroes. False: *stop has become non-zero, and the rest is as it was. */
bool tirbi_clear_in_steps(uint8_t *data, uint64_t size, const atomic_uint *stop);
/* memmove, in the same way. */
bool tirbi_move_in_steps(uint8_t *to, const uint8_t *from, uint64_t size, const atomic_uint *stop);

#endif
