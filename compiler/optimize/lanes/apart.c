/* Whether the lanes of a plan keep apart: what one of them writes, no other one reads or writes. */
#include "compiler/loop/sums.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "loader/base/divisor.h"
#include "loader/isa/reach.h"

/* Whether each loop is in at most one index. With compact buffers too, the machine's own test of two boxes of elements
 * finds them apart wherever an index tells them apart. */
static bool are_loops_apart(const planner *p, const tirbi_place *place) {
    const tirbi_loop_set *loops = &p->plan->loops;
    for (uint32_t i = 0; i < loops->n; i++) {
        tirbi_loop_set one = {.var = {loops->var[i]}, .n = 1};
        uint32_t indices = 0;
        for (uint32_t d = 0; d < place->ndim; d++) indices += tirbi_mentions_loops(place->indices[d], &one);
        if (indices > 1) return false;
    }
    return true;
}

static bool is_plain(planner *p, const tirbi_place *place) {
    return are_loops_apart(p, place) && tirbi_is_compact(p->pool, place->buffer);
}

/* Whether the machine finds the lanes of a store apart by its steps, which must be known for that where a loop stands
 * in more than one index, unless nothing but the lane moves it. */
static bool steps_tell_lane(planner *p, const tirbi_place *place) {
    const tirbi_loop_set *loops = &p->plan->loops;
    tirbi_reach reach = {.size = 1, .reached = true};
    tirbi_affine form;
    bool others = false, known = true;
    if (are_loops_apart(p, place)) return true;
    if (loops->n > TIRBI_REACH_DIMENSIONS) return false;
    if (!tirbi_affine_number(p->pool, place, loops, &form)) return false;
    for (uint32_t i = 0; i < loops->n; i++) {
        const tirbi_lx *extent = loops->var[i]->extent;
        others = others || (i > 0 && form.coefficient[i]);
        known = known && tirbi_affine_constant(&form, i, &reach.step[i]) && extent->kind == TIRBI_LX_CONST;
        reach.count[i] = extent->value;
    }
    return !others || (known && tirbi_reach_tells(&reach, 0, loops->n));
}

/* Whether different lanes have different indices, whatever the other loops do: they leave it alone, or keep out of the
 * lane's way. The machine sees this in the steps. */
static bool tells_lane(planner *p, const tirbi_affine *form, bool plain) {
    const tirbi_loop_set *loops = &p->plan->loops;
    bool in_index[TIRBI_MAX_AFFINE] = {false}, alone = true;
    int64_t c;
    if (!form->coefficient[0] || (form->coefficient[0]->lo <= 0 && form->coefficient[0]->hi >= 0)) return false;
    for (uint32_t i = 1; i < loops->n; i++) alone = alone && !form->coefficient[i];
    return alone || (plain && tirbi_affine_constant(form, 0, &c) && tirbi_form_tells(loops, form, in_index));
}

/* Whether each lane has rows of its own, which neither access leaves: the index that tells the lane is the same in both
 * and in no other loop's way, and those before it stand still. */
static bool have_rows(const planner *p, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_loop_set *loops = &p->plan->loops;
    for (uint32_t d = 0; d < a->ndim; d++) {
        tirbi_affine form;
        if (a->indices[d] != b->indices[d]) return false;
        if (!tirbi_mentions_loops(a->indices[d], loops)) continue;
        if (!tirbi_affine_index(p->pool, a, d, loops, &form) || !form.coefficient[0]) return false;
        for (uint32_t i = 1; i < loops->n; i++) {
            if (form.coefficient[i]) return false;
        }
        return true;
    }
    return false;
}

/* Whether both are the same element in every iteration, by its number where dimensions have been put together, and a
 * different one in each lane. */
static bool numbers_apart(planner *p, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_loop_set *loops = &p->plan->loops;
    tirbi_affine x, y;
    bool in_index[TIRBI_MAX_AFFINE] = {false};
    return tirbi_affine_number(p->pool, a, loops, &x) && tirbi_affine_number(p->pool, b, loops, &y) &&
           tirbi_affine_equal(&x, &y, loops->n) && x.coefficient[0] && tirbi_form_tells(loops, &x, in_index) &&
           steps_tell_lane(p, a);
}

static bool reach_of(planner *p, const tirbi_affine *form, int64_t start, tirbi_reach *out) {
    const tirbi_loop_set *loops = &p->plan->loops;
    int64_t low = 0, high = 1;
    *out = (tirbi_reach){.size = 1, .reached = true};
    for (uint32_t i = 0; i < loops->n; i++) {
        const tirbi_lx *extent = loops->var[i]->extent;
        if (!tirbi_affine_constant(form, i, &out->step[i]) || extent->kind != TIRBI_LX_CONST) return false;
        out->count[i] = extent->value;
        if (!tirbi_reach_widen(out->step[i], out->count[i], &low, &high)) return false;
    }
    if (low < -start || high > INTPTR_MAX - start) return false;
    out->start = (uint8_t *)(uintptr_t)start;
    out->low = (uintptr_t)(start + low);
    out->high = (uintptr_t)(start + high);
    return true;
}

/* Whether all steps of two accesses have a common divisor that does not divide what is between them. */
static bool interleave(const tirbi_loop_set *loops, const tirbi_affine *x, const tirbi_affine *y, int64_t between) {
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < loops->n; i++) {
        if (x->coefficient[i]) divisor = tirbi_common_divisor(divisor, tirbi_divisor_of(x->coefficient[i]));
        if (y->coefficient[i]) divisor = tirbi_common_divisor(divisor, tirbi_divisor_of(y->coefficient[i]));
    }
    return divisor > 0 && tirbi_magnitude(between) % divisor != 0;
}

/* Whether the machine, which knows no indices, finds two boxes apart too, as it does whatever they are where one index
 * of these is always less than the other. */
static bool machine_tells(planner *p, const tirbi_place *a, const tirbi_place *b, uint32_t d) {
    const int64_t middle = INT64_C(1) << 40;
    const tirbi_loop_set *loops = &p->plan->loops;
    tirbi_affine x, y;
    tirbi_reach first, second;
    int64_t between;
    const bool ahead = tirbi_keeps_ahead(a->indices[d], b->indices[d], loops);
    if (loops->n > TIRBI_REACH_DIMENSIONS || sizeof(uintptr_t) < sizeof(int64_t) ||
        !tirbi_affine_number(p->pool, a, loops, &x) || !tirbi_affine_number(p->pool, b, loops, &y) ||
        !tirbi_wrapped_difference(y.start, x.start, &between) || between > middle / 2 || between < -middle / 2)
        return ahead;
    if (!reach_of(p, &x, middle, &first) || !reach_of(p, &y, middle + between, &second))
        return ahead || interleave(loops, &x, &y, between);
    return tirbi_reach_apart(&first, &second, loops->n);
}

/* Whether both accesses stay in one row each, of the dimensions up to that one, in which they are never alike: the
 * machine sees boxes apart, whichever of them comes first, as `a[t % 2]` and `a[(t + 1) % 2]`. */
static bool in_other_rows(const planner *p, const tirbi_place *a, const tirbi_place *b, uint32_t d) {
    for (uint32_t e = 0; e <= d; e++)
        if (tirbi_mentions_loops(a->indices[e], &p->plan->loops) ||
            tirbi_mentions_loops(b->indices[e], &p->plan->loops))
            return false;
    return true;
}

/* Two accesses that the machine lets run side by side. Either they never meet: some index of one is never that of the
 * other. Or they are the same element in every iteration, and different lanes have different elements: some index tells
 * the lane. Where lanes have rows of their own, or nothing but the lane varies, such an index is enough: then only the
 * same lane may have the same element. */
static bool lanes_apart(planner *p, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_loop_set *loops = &p->plan->loops;
    if (a->buffer != b->buffer || a->buffer->overlaps || tirbi_buffer_moves(a->buffer, loops)) return false;
    bool same = true, apart = false, own = false, plain = is_plain(p, a) && is_plain(p, b);
    for (uint32_t d = 0; d < a->ndim; d++) {
        tirbi_affine x, y;
        if (plain && tirbi_never_equal(a->indices[d], b->indices[d], loops) &&
            (machine_tells(p, a, b, d) || in_other_rows(p, a, b, d)))
            return true;
        if (!tirbi_affine_index(p->pool, a, d, loops, &x) || !tirbi_affine_index(p->pool, b, d, loops, &y)) {
            return numbers_apart(p, a, b);
        }
        if (plain && x.start->kind == TIRBI_LX_CONST && y.start->kind == TIRBI_LX_CONST && x.start != y.start &&
            !tirbi_mentions_loops(a->indices[d], loops) && !tirbi_mentions_loops(b->indices[d], loops)) {
            return true;
        }
        bool alone = tells_lane(p, &x, plain);
        bool equal = tirbi_affine_equal(&x, &y, loops->n);
        same = same && equal;
        apart = apart || alone;
        own = own || (alone && equal);
    }
    return (same && apart && steps_tell_lane(p, a)) || (own && plain && (loops->n == 1 || have_rows(p, a, b)));
}

/* Two accesses of different buffers, which may share memory: a plan runs where such buffers begin at the same byte or
 * have none in common, so it is right if both are the same element, counted from the beginning, in every iteration. */
static bool in_step(planner *p, const tirbi_place *a, const tirbi_place *b) {
    tirbi_affine x, y;
    return tirbi_dtypes[a->buffer->root->type].size == tirbi_dtypes[b->buffer->root->type].size &&
           tirbi_affine_number(p->pool, a, &p->plan->loops, &x) &&
           tirbi_affine_number(p->pool, b, &p->plan->loops, &y) && tirbi_affine_equal(&x, &y, p->plan->loops.n);
}

/* Whether the machine finds two accesses apart that are known to be: which go on by the same step, up or down, or in
 * one of the ways that it is asked for else. */
static bool machine_sees(planner *p, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_loop_set *loops = &p->plan->loops;
    tirbi_affine x, y;
    int64_t first, second;
    if (a->strays || b->strays) return false; /* they are known to be apart in iterations that ask for them */
    if (!tirbi_affine_number(p->pool, a, loops, &x) || !tirbi_affine_number(p->pool, b, loops, &y)) return false;
    if (x.coefficient[0] && x.coefficient[0] == y.coefficient[0]) return true;
    return tirbi_affine_constant(&x, 0, &first) && tirbi_affine_constant(&y, 0, &second) &&
           tirbi_magnitude(first) == tirbi_magnitude(second);
}

bool tirbi_plan_independent(planner *p) {
    const tirbi_lvar *lane = p->plan->loops.var[0];
    const bool apart = p->plan->loops.n == 1 && lane->apart && !(lane->forwards && p->own_total > 0);
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        if (!p->accesses[i].write) continue;
        const tirbi_place *w = p->accesses[i].place;
        for (uint32_t j = 0; j < p->n_accesses; j++) {
            const tirbi_place *a = p->accesses[j].place;
            const tirbi_lbuf *x = a->buffer->root, *y = w->buffer->root;
            if (x == y ? !(apart && machine_sees(p, w, a)) && !lanes_apart(p, w, a)
                       : !apart && tirbi_may_meet(x, y) && !in_step(p, w, a)) {
                tirbi_plan_refuse(p, "its iterations may meet in %s", w->buffer->name);
                return false;
            }
        }
    }
    return true;
}
