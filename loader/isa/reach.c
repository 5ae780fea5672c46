#include "loader/isa/reach.h"

#include "loader/base/divisor.h"

bool tirbi_reach_nested(const tirbi_reach *r, unsigned dimensions) {
    uint64_t span = r->size;
    unsigned done = 0;
    for (;;) {
        unsigned least = dimensions;
        for (unsigned d = 0; d < dimensions; d++)
            if (tirbi_reach_moves(r, d) && !(done >> d & 1) &&
                (least == dimensions || tirbi_magnitude(r->step[d]) < tirbi_magnitude(r->step[least])))
                least = d;
        if (least == dimensions) return true;
        if (tirbi_magnitude(r->step[least]) < span) return false;
        span += tirbi_magnitude(r->step[least]) * (uint64_t)(r->count[least] - 1);
        done |= 1u << least;
    }
}

static uint64_t spanned(const tirbi_reach *r, unsigned d) {
    return tirbi_magnitude(r->step[d]) * (uint64_t)(r->count[d] - 1);
}

bool tirbi_reach_tells(const tirbi_reach *r, unsigned dimension, unsigned dimensions) {
    unsigned order[TIRBI_REACH_DIMENSIONS], n = 0; /* those that move, the largest steps first */
    uint64_t span = r->size;
    if (!tirbi_reach_moves(r, dimension)) return r->count[dimension] <= 1;
    for (unsigned d = 0; d < dimensions; d++) {
        if (!tirbi_reach_moves(r, d)) continue;
        unsigned at = n++;
        for (; at > 0 && tirbi_magnitude(r->step[order[at - 1]]) < tirbi_magnitude(r->step[d]); at--)
            order[at] = order[at - 1];
        order[at] = d;
        span += spanned(r, d);
    }
    /* Dimensions whose steps have a common divisor that the others do not span all together are told by the element, as
     * a sum, and leave the question to the others. */
    uint64_t common = 0;
    for (unsigned i = 0; order[i] != dimension; i++) {
        common = tirbi_common_divisor(common, tirbi_magnitude(r->step[order[i]]));
        span -= spanned(r, order[i]);
        if (common >= span) common = 0;
    }
    return common == 0 && tirbi_magnitude(r->step[dimension]) >= span - spanned(r, dimension);
}

/* Where r lies modulo g: its lowest byte and how many bytes it spans. */
static uint64_t residue(const tirbi_reach *r, unsigned dimensions, uint64_t g, uint64_t *span) {
    uint64_t low = (uint64_t)(uintptr_t)r->start;
    *span = r->size;
    for (unsigned d = 0; d < dimensions; d++) {
        if (!tirbi_reach_moves(r, d) || tirbi_magnitude(r->step[d]) % g == 0) continue;
        uint64_t width = tirbi_magnitude(r->step[d]) * (uint64_t)(r->count[d] - 1);
        *span += width;
        if (r->step[d] < 0) low -= width;
    }
    return low;
}

static bool apart_modulo(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions, uint64_t g) {
    uint64_t span_a, span_b;
    uint64_t low_a = residue(a, dimensions, g, &span_a);
    uint64_t low_b = residue(b, dimensions, g, &span_b);
    uint64_t distance = low_b >= low_a ? (low_b - low_a) % g : (g - (low_a - low_b) % g) % g;
    return span_a <= distance && span_b <= g - distance;
}

/* Modulo the common divisors of the largest steps of both, for as many as there are: what these loops do leaves no
 * trace, as rows do not where columns tell two accesses apart. */
static bool apart_without_largest(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions) {
    uint64_t common = 0, last = UINT64_MAX;
    for (;;) {
        uint64_t largest = 0;
        for (unsigned d = 0; d < dimensions; d++) {
            uint64_t x = tirbi_reach_moves(a, d) ? tirbi_magnitude(a->step[d]) : 0;
            uint64_t y = tirbi_reach_moves(b, d) ? tirbi_magnitude(b->step[d]) : 0;
            if (x < last && x > largest) largest = x;
            if (y < last && y > largest) largest = y;
        }
        if (largest == 0) return false;
        common = tirbi_common_divisor(common, largest);
        last = largest;
        if (apart_modulo(a, b, dimensions, common)) return true;
    }
}

bool tirbi_reach_apart(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions) {
    if (a->high <= b->low || b->high <= a->low) return true;
    for (unsigned d = 0; d < dimensions; d++) {
        if (tirbi_reach_moves(a, d) && apart_modulo(a, b, dimensions, tirbi_magnitude(a->step[d]))) return true;
        if (tirbi_reach_moves(b, d) && apart_modulo(a, b, dimensions, tirbi_magnitude(b->step[d]))) return true;
    }
    return apart_without_largest(a, b, dimensions);
}

/* Where the elements of the first index lie: from *low up to *high. */
static void first_stretch(const tirbi_reach *r, unsigned dimensions, uint64_t *low, uint64_t *high) {
    *low = (uint64_t)(uintptr_t)r->start;
    *high = *low + r->size;
    for (unsigned d = 1; d < dimensions; d++) {
        if (!tirbi_reach_moves(r, d)) continue;
        if (r->step[d] < 0) *low -= spanned(r, d);
        else *high += spanned(r, d);
    }
}

bool tirbi_reach_in_stretches(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions) {
    uint64_t low, high, other_low, other_high;
    if (a->step[0] != b->step[0]) return false;
    first_stretch(a, dimensions, &low, &high);
    first_stretch(b, dimensions, &other_low, &other_high);
    if (other_low < low) low = other_low;
    if (other_high > high) high = other_high;
    return high - low <= tirbi_magnitude(a->step[0]);
}
