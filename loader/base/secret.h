/* Numbers that whoever wrote a bundle could not know: what spreads by them spreads whatever the bundle says. */
#ifndef TIRB_LOADER_BASE_SECRET_H
#define TIRB_LOADER_BASE_SECRET_H

#include <stdint.h>

/* Another one each time: where memory lies and what the clock shows, mixed. Results must not depend on it. */
uint64_t tirbi_secret(const void *memory);

#endif
