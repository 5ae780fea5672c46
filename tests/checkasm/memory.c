/* Memory that ends where none follows, with patterns around what is written. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/checkasm/checkasm.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATTERN = 0xA5, BEFORE = 64 };

static bool open_area(area *a) {
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *memory = mmap(NULL, AREA_SIZE + 2 * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, AREA_SIZE, PROT_READ | PROT_WRITE) != 0) return false;
    a->begin = memory + page;
    a->end = a->begin + AREA_SIZE;
    return true;
}

bool open_checker(checker *c) {
    static uint8_t kept[N_AREAS * AREA_SIZE];
    *c = (checker){.random = UINT64_C(0x2545F4914F6CDD1D), .kept = kept};
    bool ready = true;
    for (unsigned k = 0; k < N_AREAS; k++) ready = ready && open_area(&c->areas[k]);
    return ready;
}

uint8_t *place(const area *a, size_t size, size_t n, size_t behind) {
    uint8_t *start = a->end - behind - n * size;
    memset(start - BEFORE, PATTERN, BEFORE);
    memset(start + n * size, PATTERN, behind);
    return start;
}

bool untouched(const uint8_t *start, size_t bytes, size_t behind) {
    for (size_t i = 0; i < BEFORE; i++)
        if (start[-1 - (ptrdiff_t)i] != PATTERN) return false;
    for (size_t i = 0; i < behind; i++)
        if (start[bytes + i] != PATTERN) return false;
    return true;
}

uint64_t next_random(checker *c) {
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random;
}

void put_any(checker *c, void *to, tirbi_dtype type) {
    if (next_random(c) % 4 == 0)
        put_special(to, type, (unsigned)(next_random(c) % n_specials(type)));
    else
        put_random(to, type, next_random(c));
}
