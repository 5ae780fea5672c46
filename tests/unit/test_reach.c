/* What the rules of loader/isa/reach.h promise of boxes of elements, against going through all of their elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loader/isa/reach.h"

enum { MEMORY = 8192, MIDDLE = 4096, ROUNDS = 60000, NOBODY = -1 };

static uint64_t state = 88172645463325252u;

static int64_t below(int64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state >> 20) % n;
}

static void set_range(tirbi_reach *r, unsigned dimensions) {
    r->low = (uintptr_t)r->start;
    r->high = r->low + r->size;
    for (unsigned d = 0; d < dimensions; d++) {
        int64_t far = r->step[d] * (r->count[d] - 1);
        if (far < 0) r->low += (uintptr_t)far;
        else r->high += (uintptr_t)far;
    }
}

static tirbi_reach make_reach(unsigned dimensions) {
    tirbi_reach r = {.size = UINT64_C(1) << below(4), .reached = true};
    bool wide = below(2) != 0;
    for (unsigned d = 0; d < dimensions; d++) {
        r.count[d] = 1 + below(4);
        r.step[d] = (wide ? below(40) - 10 : below(12) - 3) * (int64_t)r.size;
        if (d == 0 && below(3) == 0) r.step[d] = (below(80) - 40) * (int64_t)r.size;
    }
    r.start = (uint8_t *)(uintptr_t)(MIDDLE + below(60) * (int64_t)(below(3) != 0 ? r.size : 1));
    set_range(&r, dimensions);
    return r;
}

typedef struct walk {
    int owner[MEMORY]; /* by byte: the index in `dimension` of who has it, or NOBODY */
    unsigned dimension;
} walk;

static bool own_bytes(walk *w, const tirbi_reach *r, uintptr_t at, const int64_t *index) {
    for (uint64_t i = 0; i < r->size; i++) {
        int *owner = &w->owner[at + i];
        if (*owner != NOBODY && *owner != (int)index[w->dimension]) return false;
        *owner = (int)index[w->dimension];
    }
    return true;
}

static bool bytes_are_own(walk *w, const tirbi_reach *r, uintptr_t at, const int64_t *index) {
    for (uint64_t i = 0; i < r->size; i++) {
        int owner = w->owner[at + i];
        if (owner != NOBODY && owner != (int)index[w->dimension]) return false;
    }
    return true;
}

static bool take_bytes(walk *w, const tirbi_reach *r, uintptr_t at, const int64_t *index) {
    for (uint64_t i = 0; i < r->size; i++) w->owner[at + i] = (int)index[0];
    return true;
}

static bool bytes_are_free(walk *w, const tirbi_reach *r, uintptr_t at, const int64_t *index) {
    (void)index;
    for (uint64_t i = 0; i < r->size; i++)
        if (w->owner[at + i] != NOBODY) return false;
    return true;
}

/* Visits each iteration's element, until a visit says false. */
static bool each_element(walk *w, const tirbi_reach *r, unsigned dimensions,
                         bool (*visit)(walk *, const tirbi_reach *, uintptr_t, const int64_t *)) {
    int64_t index[TIRBI_REACH_DIMENSIONS] = {0};
    for (;;) {
        uintptr_t at = (uintptr_t)r->start;
        for (unsigned d = 0; d < dimensions; d++) at += (uintptr_t)(index[d] * r->step[d]);
        if (!visit(w, r, at, index)) return false;
        unsigned d = 0;
        for (; d < dimensions && ++index[d] == r->count[d]; d++) index[d] = 0;
        if (d == dimensions) return true;
    }
}

static walk fresh_walk(unsigned dimension) {
    walk w;
    memset(w.owner, 0xFF, sizeof w.owner);
    w.dimension = dimension;
    return w;
}

static void test_elements_tell_an_index(void **unused) {
    (void)unused;
    int told = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned dimensions = 1 + (unsigned)below(5), dimension = (unsigned)below(dimensions);
        tirbi_reach r = make_reach(dimensions);
        if (!tirbi_reach_tells(&r, dimension, dimensions)) continue;
        walk w = fresh_walk(dimension);
        assert_true(each_element(&w, &r, dimensions, own_bytes));
        told++;
    }
    assert_true(told > ROUNDS / 20);
}

static void test_boxes_apart(void **unused) {
    (void)unused;
    int apart = 0, stretches = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned dimensions = 1 + (unsigned)below(5);
        tirbi_reach a = make_reach(dimensions), b = make_reach(dimensions);
        for (unsigned d = 0; d < dimensions && below(2) != 0; d++) {
            b.step[d] = a.step[d];
            b.count[d] = a.count[d];
        }
        set_range(&b, dimensions);
        walk w = fresh_walk(0);
        if (tirbi_reach_apart(&a, &b, dimensions)) {
            each_element(&w, &a, dimensions, take_bytes);
            assert_true(each_element(&w, &b, dimensions, bytes_are_free));
            apart++;
        }
        if (a.count[0] == b.count[0] && tirbi_reach_in_stretches(&a, &b, dimensions)) {
            w = fresh_walk(0);
            assert_true(each_element(&w, &a, dimensions, own_bytes));
            assert_true(each_element(&w, &b, dimensions, bytes_are_own));
            stretches++;
        }
    }
    assert_true(apart > ROUNDS / 20 && stretches > ROUNDS / 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_tell_an_index),
        cmocka_unit_test(test_boxes_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
