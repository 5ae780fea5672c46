/* The switches that tests/mutation/instrument.py puts into copies of the loader's sources. */
#ifndef TIRB_TESTS_MUTATION_SWITCH_H
#define TIRB_TESTS_MUTATION_SWITCH_H

#include <stdbool.h>

#include <tirb/status.h>

/* Whether check `number` is switched off. */
bool mutation_is_off(unsigned number);

/* What the check `number` says, TIRB_OK if it is switched off. */
static inline tirb_status mutation_status(unsigned number, tirb_status status) {
    return mutation_is_off(number) ? TIRB_OK : status;
}

#endif
