#include "tests/differential/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t tirbi_random_next(tirbi_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint32_t tirbi_random_below(tirbi_random *r, uint32_t n) { return (uint32_t)((tirbi_random_next(r) >> 32) * n >> 32); }

bool tirbi_random_chance(tirbi_random *r, uint32_t percent) { return tirbi_random_below(r, 100) < percent; }

void tirbi_text_add(tirbi_text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length >= 0 && !t->failed) {
        size_t needed = t->size + (size_t)length + 1;
        if (needed > t->capacity) {
            size_t capacity = needed * 2;
            char *data = realloc(t->data, capacity);
            if (data == NULL) {
                t->failed = true;
            } else {
                t->data = data;
                t->capacity = capacity;
            }
        }
        if (!t->failed) {
            vsnprintf(t->data + t->size, t->capacity - t->size, format, again);
            t->size += (size_t)length;
        }
    }
    va_end(again);
}

void tirbi_text_free(tirbi_text *t) {
    free(t->data);
    *t = (tirbi_text){.data = NULL};
}
