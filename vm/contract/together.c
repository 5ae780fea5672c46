/* Data whose elements are a few steps apart along C's, as those of strided convolutions, are brought together before
 * they are multiplied: all first ones, then all second ones, and so on. */
#include <string.h>

#include "vm/contract/contract.h"

#define COPY_APART(T)                                                                                                  \
    static void copy_apart_##T(uint8_t *to, const uint8_t *from, size_t n, size_t apart) {                             \
        for (size_t j = 0; j < n; j++) memcpy(to + j * sizeof(T), from + j * apart * sizeof(T), sizeof(T));            \
    }
COPY_APART(uint8_t)
COPY_APART(uint16_t)
COPY_APART(uint32_t)
COPY_APART(uint64_t)

static void copy_apart(const tirbi_tile_set *set, uint8_t *to, const uint8_t *from, size_t n, size_t apart,
                       size_t size) {
    static const int64_t here = 0;
    if (apart == 2 && size == set->picked) set->every_second(to, 0, from, &here, 1, n);
    else if (size == 1) copy_apart_uint8_t(to, from, n, apart);
    else if (size == 2) copy_apart_uint16_t(to, from, n, apart);
    else if (size == 4) copy_apart_uint32_t(to, from, n, apart);
    else copy_apart_uint64_t(to, from, n, apart);
}

/* Elements of all first ones, of all second ones, .. */
static size_t in_each(size_t elements, size_t apart) { return (elements - 1) / apart + 1; }

bool tirbi_bring_together(const tirbi_contraction *x, uint8_t *to, const uint8_t *from, size_t elements, size_t apart,
                          size_t size) {
    enum { AT_ONCE = 1 << 13 };
    const tirbi_tile_set *const set = tirbi_contract_set(x);
    for (size_t i = 0; i < apart && i < elements; i++, to += in_each(elements, apart) * size) {
        const size_t n = in_each(elements - i, apart);
        for (size_t at = 0; at < n; at += AT_ONCE) {
            if (tirbi_must_stop(x)) return false;
            copy_apart(set, to + at * size, from + (i + at * apart) * size, n - at < AT_ONCE ? n - at : AT_ONCE, apart,
                       size);
        }
    }
    return true;
}

int64_t tirbi_place_together(int64_t place, int64_t elements, int64_t apart, int64_t size) {
    const int64_t element = place / size;
    return (element % apart * (int64_t)in_each((size_t)elements, (size_t)apart) + element / apart) * size;
}

/* What a group reaches from its first element on; -1 where a step is none of whole `units`. */
static int64_t reach_of(const tirbi_contract_group *g, unsigned operand, int64_t unit) {
    int64_t reach = 0;
    for (unsigned i = 0; i < g->n; i++) {
        const int64_t step = g->step[operand][i];
        if (step < 0 || step % unit != 0) return -1;
        reach += step * (g->extent[i] - 1);
    }
    return reach;
}

int64_t tirbi_contract_apart(const tirbi_contraction *x, const tirbi_contract_shape *s, int64_t *elements) {
    const tirbi_contract_group *const columns = &s->columns;
    const int64_t size = tirbi_dtypes[x->type].size, step = columns->n > 0 ? columns->step[s->b][columns->n - 1] : 0;
    int64_t products;
    *elements = 0;
    if (s->direct || s->sweeps || x->operand[s->b].type != x->type) return 0;
    if (step <= size || step % size != 0 || step / size > TIRBI_MOST_APART) return 0;
    const int64_t of_columns = reach_of(columns, s->b, step), of_k = reach_of(&s->k, s->b, size);
    if (of_columns < 0 || of_k < 0 || of_columns + of_k >= TIRBI_MOST_TOGETHER) return 0;
    *elements = (of_columns + of_k) / size + 1;
    const bool many = __builtin_mul_overflow(columns->total, s->k.total, &products) || products / 2 >= *elements;
    return many ? step / size : 0;
}
