/* Whether strided views share elements: a search over sums of steps, exact unless it takes too long.
 *
 * Two views share a byte when some sum of their steps, each taken as often as its dimension allows, closes the distance
 * between them up to the width of an element. The search takes the largest step first, tries how often it can be taken,
 * and cuts branches that the rest can no longer close: by how far the remaining steps reach, and by their common
 * divisor. What remains dense (every multiple of the divisor within reach is a sum) is decided at once, so views made
 * by slicing, transposing and broadcasting take a handful of steps. */
#include "vm/call/strided.h"

#include "loader/base/divisor.h"
#include "loader/bundle/program.h"

enum { MAX_TERMS = 2 * TIRBI_MAX_NDIM, MAX_SEARCH = 20000 };

typedef struct term {
    int64_t step;  /* bytes, positive */
    int64_t times; /* it may be taken 0 .. times times; at least 1 */
} term;

/* Terms by falling step, and what those from each one on are together. tirbi_view_measure bounds what a view reaches by
 * a quarter of the range to each side, so that the sums of two views, or twice those of one, do not overflow. */
typedef struct search {
    int n;
    term terms[MAX_TERMS];
    int64_t reach[MAX_TERMS + 1];
    int64_t divisor[MAX_TERMS + 1]; /* 0: no terms */
    bool dense[MAX_TERMS + 1];
    int left; /* of MAX_SEARCH */
} search;

static void add_term(search *s, int64_t step, int64_t times) {
    int at = 0;
    while (at < s->n && s->terms[at].step > step) at++;
    if (at < s->n && s->terms[at].step == step) {
        s->terms[at].times += times;
        return;
    }
    for (int i = s->n++; i > at; i--) s->terms[i] = s->terms[i - 1];
    s->terms[at] = (term){step, times};
}

static void prepare(search *s) {
    s->reach[s->n] = s->divisor[s->n] = 0;
    s->dense[s->n] = true;
    for (int i = s->n; i-- > 0;) {
        const term *t = &s->terms[i];
        s->reach[i] = s->reach[i + 1] + t->step * t->times;
        s->divisor[i] = (int64_t)tirbi_common_divisor((uint64_t)t->step, (uint64_t)s->divisor[i + 1]);
        bool closes = s->divisor[i + 1] == 0 || s->reach[i + 1] >= t->step - s->divisor[i + 1];
        s->dense[i] = s->dense[i + 1] && closes && (s->divisor[i + 1] == 0 || s->divisor[i] == s->divisor[i + 1]);
    }
    s->left = MAX_SEARCH;
}

/* Whether the terms from `at` on have a sum in low .. high. Its depth is the number of terms. */
static tirbi_overlap find_sum(search *s, int at, int64_t low, int64_t high) {
    if (low < 0) low = 0;
    if (high > s->reach[at]) high = s->reach[at];
    if (low > high) return TIRBI_APART;
    if (low == 0) return TIRBI_SHARED;
    int64_t divisor = s->divisor[at]; /* not 0, for low > 0 is within reach */
    if (high / divisor * divisor < low) return TIRBI_APART;
    if (s->dense[at]) return TIRBI_SHARED;
    const term *t = &s->terms[at];
    int64_t rest = low - s->reach[at + 1];
    int64_t least = rest > 0 ? (rest - 1) / t->step + 1 : 0;
    int64_t most = high / t->step < t->times ? high / t->step : t->times;
    for (int64_t k = least; k <= most; k++) {
        if (s->left-- <= 0) return TIRBI_UNDECIDED;
        tirbi_overlap found = find_sum(s, at + 1, low - k * t->step, high - k * t->step);
        if (found != TIRBI_APART) return found;
    }
    return TIRBI_APART;
}

/* The dimensions that move, as terms taken `factor` times as often; false if one of them stands still. */
static bool add_terms(search *s, const tirbi_view *view, int64_t factor) {
    int64_t compact_step = view->item;
    for (int i = view->ndim - 1; i >= 0; i--) {
        int64_t extent = view->shape[i];
        if (extent == 1) continue;
        int64_t stride = view->compact ? 0 : view->strides[i];
        int64_t step = view->compact ? compact_step : (stride < 0 ? -stride : stride) * (int64_t)view->item;
        compact_step *= extent;
        if (step) add_term(s, step, factor * (extent - 1));
        else if (factor > 1) return false;
    }
    return true;
}

tirbi_overlap tirbi_views_overlap(const tirbi_view *a, const tirbi_view *b) {
    if (a->low >= b->high || b->low >= a->high) return TIRBI_APART;
    if (a->low == a->high || b->low == b->high) return TIRBI_APART;
    if (a->compact && b->compact) return TIRBI_SHARED;
    search s = {.n = 0};
    add_terms(&s, a, 1);
    add_terms(&s, b, 1);
    prepare(&s);
    /* a's elements upwards from its lowest, b's downwards from its highest: the sum of both closes the distance. */
    int64_t distance = (int64_t)(b->high - b->item - a->low);
    return find_sum(&s, 0, distance - (int64_t)a->item + 1, distance + (int64_t)b->item - 1);
}

/* Two different index tuples with one address differ by steps that add up to 0: let the largest step that differs be
 * taken once or more, and every smaller one as often as it may, up or down. Shifted to sums from 0 on, those are terms
 * of twice as many times. Steps of equal size are different dimensions here, and meet at once. */
tirbi_overlap tirbi_view_overlaps_itself(const tirbi_view *view) {
    if (view->compact || view->count == 0) return TIRBI_APART;
    search all = {.n = 0};
    int dimensions = 0;
    for (int i = 0; i < view->ndim; i++) dimensions += view->shape[i] != 1;
    if (!add_terms(&all, view, 2) || all.n < dimensions) return TIRBI_SHARED;
    prepare(&all);
    for (int i = 0; i + 1 < all.n; i++) {
        int64_t down = all.reach[i + 1] / 2;
        int64_t target = down - all.terms[i].step;
        if (target < 0) continue; /* it steps over everything below it */
        search s = all;
        s.terms[i].times = all.terms[i].times / 2 - 1;
        for (int64_t k = 0; k <= s.terms[i].times && k * s.terms[i].step <= target; k++) {
            if (all.left-- <= 0) return TIRBI_UNDECIDED;
            s.left = all.left;
            tirbi_overlap found = find_sum(&s, i + 1, target - k * s.terms[i].step, target - k * s.terms[i].step);
            all.left = s.left;
            if (found != TIRBI_APART) return found;
        }
    }
    return TIRBI_APART;
}
