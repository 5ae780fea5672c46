/* Of many inputs that are alike all are tried, or each so many-th where TIRB_TEST_EVERY says that they take long
 * here. */
#ifndef TIRB_TESTS_UNIT_SAMPLED_H
#define TIRB_TESTS_UNIT_SAMPLED_H

#include <stdlib.h>

static inline unsigned sampled_every(void) {
    const char *text = getenv("TIRB_TEST_EVERY");
    const int every = text ? atoi(text) : 1;
    return every > 1 ? (unsigned)every : 1;
}

#endif
