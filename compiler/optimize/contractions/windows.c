/* Two iterations of a nest update the same element where the loops' counters differ by a vector that its indices do not
 * see. Where each sum of loop variables in the indices is of one loop, or of two, these vectors are made of parts that
 * are free of each other: a loop in no index differs by anything; two loops in one sum, p * h + q * k, differ by a
 * multiple of (q, -p); all others do not differ. Which of two such iterations comes first is told by the first part
 * that differs, in the order of the parts' first loops, and by the way that this loop goes. So the loops may stand in
 * any order in which the parts begin in theirs, if a loop that comes to stand before the other of its sum goes
 * backwards where p and q have the same sign: every element receives its updates in program order (rule R1).
 *
 * The loop of the window, which is the shorter one, comes first here, and those of the windows' places are free to be
 * taken in any order inside. */
#include "compiler/optimize/contractions/windows.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"
#include "loader/base/divisor.h"

enum { LONGEST_WINDOW = 1 << 10, FURTHEST_START = 1 << 20 };

typedef enum role { REDUCES, TOLD_APART, PAIRED } role;

typedef struct windows {
    tirbi_lx_pool *pool;
    tirbi_loop_set loops;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE];
    const tirbi_ls *body;
    const tirbi_place *target;
    role role[TIRBI_MAX_AFFINE];
    uint32_t partner[TIRBI_MAX_AFFINE];   /* of PAIRED */
    bool backwards[TIRBI_MAX_AFFINE];     /* PAIRED: it goes so where it stands before its partner, which did before */
    uint32_t order[TIRBI_MAX_AFFINE];     /* the loops as they shall stand */
    uint32_t outside;                     /* so many of these are not free */
    uint32_t last;                        /* the loop with which the last pair begins */
    tirbi_lvar *turned[TIRBI_MAX_AFFINE]; /* the variable of a loop that goes backwards now; else NULL */
    const tirbi_lx *value[TIRBI_MAX_AFFINE]; /* which stands for the loop's own */
} windows;

/* ---- The nest --------------------------------------------------------------------------------------------------- */

/* The perfect nest, but for loops that the program wants on threads: these stay where they are. */
static void collect(windows *w, const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_LOOP && tirbi_is_plain_loop(s) && !s->as.loop.parallel &&
           w->loops.n < TIRBI_MAX_AFFINE) {
        tirbi_lvar *var = s->as.loop.var;
        if (var->below || tirbi_mentions_loops(var->min, &w->loops) || tirbi_mentions_loops(var->extent, &w->loops))
            break;
        w->loop[w->loops.n] = s;
        w->loops.var[w->loops.n++] = var;
        s = s->as.loop.body;
    }
    w->body = s;
}

/* Whether the body changes one element, and reads no other that may change. */
static bool find_target(windows *w) {
    enum { MAX_PLACES = 32 };
    tirbi_reached places[MAX_PLACES];
    tirbi_loop_set sets = {.n = 0};
    tirbi_accesses all = {.item = places, .most = MAX_PLACES, .sets = &sets};
    if ((w->body->kind != TIRBI_LS_STORE && w->body->kind != TIRBI_LS_IF) || !tirbi_find_accesses(&all, w->body) ||
        sets.n > 0)
        return false;
    for (uint32_t i = 0; i < all.n; i++) {
        if (places[i].what != TIRBI_LOADS) w->target = places[i].place;
    }
    if (!w->target) return false;
    const tirbi_lbuf *buffer = w->target->buffer;
    if (buffer->overlaps || buffer->broadcasts || tirbi_buffer_moves(buffer, &w->loops)) return false;
    for (uint32_t i = 0; i < all.n; i++) {
        const tirbi_place *place = places[i].place;
        const bool meets = places[i].what != TIRBI_LOADS || tirbi_may_meet(place->buffer->root, buffer->root);
        if (meets && !tirbi_same_place(place, w->target)) return false;
    }
    return true;
}

/* ---- Which iterations meet --------------------------------------------------------------------------------------- */

/* A loop in an index, and by how much it moves that. */
typedef struct term {
    uint32_t loop;
    int64_t step;
} term;

static int64_t most_iterations(const windows *w, uint32_t loop) {
    const int64_t most = w->loops.var[loop]->extent->hi;
    return most > 1 ? most : 1;
}

/* What the terms of one sum, which no other loops change, say of their loops. */
static bool note_sum(windows *w, const term *terms, uint32_t n) {
    const uint32_t a = terms[0].loop, b = terms[n - 1].loop;
    for (uint32_t i = 0; i < n; i++) {
        if (w->role[terms[i].loop] != REDUCES && (n > 1 || w->role[terms[i].loop] == PAIRED)) return false;
        w->role[terms[i].loop] = TOLD_APART;
    }
    if (n != 2) return n == 1;
    const uint64_t p = tirbi_magnitude(terms[0].step), q = tirbi_magnitude(terms[1].step),
                   common = tirbi_common_divisor(p, q);
    if (q / common >= (uint64_t)most_iterations(w, a) || p / common >= (uint64_t)most_iterations(w, b)) return true;
    w->role[a] = w->role[b] = PAIRED;
    w->partner[a] = b;
    w->partner[b] = a;
    w->backwards[a] = w->backwards[b] = (terms[0].step > 0) == (terms[1].step > 0);
    return true;
}

/* The terms of an index of what is updated, those that move it least first. */
static bool find_terms(windows *w, uint32_t d, term *terms, uint32_t *n) {
    tirbi_affine form;
    *n = 0;
    if (!tirbi_affine_index(w->pool, w->target, d, &w->loops, &form)) return false;
    for (uint32_t i = 0; i < w->loops.n; i++) {
        int64_t step;
        if (!form.coefficient[i]) continue;
        if (!tirbi_affine_constant(&form, i, &step) || step == 0) return false;
        uint32_t at = (*n)++;
        for (; at > 0 && tirbi_magnitude(terms[at - 1].step) > tirbi_magnitude(step); at--) terms[at] = terms[at - 1];
        terms[at] = (term){.loop = i, .step = step};
    }
    return true;
}

/* An index is a sum of sums whose loops are free of each other: the terms from one on add multiples of more than all
 * those before it can differ by. */
static bool note_index(windows *w, uint32_t d) {
    term terms[TIRBI_MAX_AFFINE];
    uint32_t n, first = 0;
    uint64_t reach = 0;
    if (!find_terms(w, d, terms, &n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t common = 0, span;
        for (uint32_t k = i; k < n; k++) common = tirbi_common_divisor(common, tirbi_magnitude(terms[k].step));
        if (i > first && reach < common) {
            if (!note_sum(w, &terms[first], i - first)) return false;
            first = i;
        }
        if (__builtin_mul_overflow(tirbi_magnitude(terms[i].step), (uint64_t)most_iterations(w, terms[i].loop) - 1,
                                   &span) ||
            __builtin_add_overflow(reach, span, &reach))
            reach = UINT64_MAX;
    }
    return n == first || note_sum(w, &terms[first], n - first);
}

static bool find_meetings(windows *w) {
    bool pairs = false;
    for (uint32_t d = 0; d < w->target->ndim; d++) {
        if (!note_index(w, d)) return false;
    }
    for (uint32_t i = 0; i < w->loops.n; i++) pairs = pairs || w->role[i] == PAIRED;
    return pairs;
}

/* ---- The order --------------------------------------------------------------------------------------------------- */

/* Whether a loop may go backwards: what stands for its variable is known not to wrap. */
static bool can_turn(const windows *w, uint32_t loop) {
    const tirbi_lvar *var = w->loops.var[loop];
    return (var->type == TIRB_I32 || var->type == TIRB_I64) && var->min->kind == TIRBI_LX_CONST &&
           var->extent->kind == TIRBI_LX_CONST && var->extent->value <= LONGEST_WINDOW &&
           tirbi_magnitude(var->min->value) <= FURTHEST_START;
}

/* The loop of a pair that shall stand first, of the one that does now. */
static uint32_t leader(const windows *w, uint32_t first) {
    const uint32_t other = w->partner[first];
    return most_iterations(w, other) < most_iterations(w, first) && can_turn(w, other) ? other : first;
}

static bool begins_part(const windows *w, uint32_t i) {
    return w->role[i] == REDUCES || (w->role[i] == PAIRED && i < w->partner[i]);
}

/* What tells iterations apart and stands outside of all others stays there; then as many parts begin as there are up to
 * the last pair. False where that is the order that they have. */
static bool choose_order(windows *w) {
    bool placed[TIRBI_MAX_AFFINE] = {false}, began = false, other = false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->loops.n; i++) {
        if (w->role[i] == PAIRED && begins_part(w, i)) w->last = i;
    }
    for (uint32_t i = 0; i <= w->last; i++) {
        if (began && !begins_part(w, i)) continue;
        began = began || begins_part(w, i);
        const uint32_t next = w->role[i] == PAIRED ? leader(w, i) : i;
        placed[next] = true;
        w->order[n++] = next;
    }
    w->outside = n;
    for (uint32_t i = 0; i < w->loops.n; i++) {
        if (!placed[i]) w->order[n++] = i;
    }
    for (uint32_t i = 0; i < n; i++) other = other || w->order[i] != i;
    return other;
}

/* ---- Whether it gains -------------------------------------------------------------------------------------------- */

enum {
    LEAST_LANES = 8,
    FURTHEST_LANES = 4
}; /* lanes store to every second to fourth element nearly as fast as to all */

/* How far the elements lie apart that lanes along one of the free loops would store to, at least. */
static uint64_t least_step(const windows *w, const tirbi_affine *form, const bool free_loops[TIRBI_MAX_AFFINE]) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < w->loops.n; i++) {
        int64_t step;
        if (!free_loops[i] || w->role[i] == REDUCES || most_iterations(w, i) < LEAST_LANES ||
            !tirbi_affine_constant(form, i, &step))
            continue;
        if (tirbi_magnitude(step) < least) least = tirbi_magnitude(step);
    }
    return least;
}

static bool gains_lanes(windows *w) {
    tirbi_affine form;
    bool before[TIRBI_MAX_AFFINE] = {false}, then[TIRBI_MAX_AFFINE] = {false};
    if (!tirbi_affine_number(w->pool, w->target, &w->loops, &form)) return false;
    for (uint32_t i = w->last + 1; i < w->loops.n; i++) before[i] = true;
    for (uint32_t i = w->outside; i < w->loops.n; i++) then[w->order[i]] = true;
    const uint64_t least = least_step(w, &form, then);
    return least <= FURTHEST_LANES && least < least_step(w, &form, before);
}

/* ---- The new nest ------------------------------------------------------------------------------------------------ */

/* Whether a loop stands before its partner now, against whose way it goes. */
static bool turns(const windows *w, uint32_t loop) {
    return w->role[loop] == PAIRED && !begins_part(w, loop) && leader(w, w->partner[loop]) == loop &&
           w->backwards[loop];
}

/* Gives the loops that go backwards variables of their own. */
static bool turn_loops(windows *w) {
    for (uint32_t i = 0; i < w->loops.n; i++) {
        if (!turns(w, i)) continue;
        const tirbi_lvar *old = w->loops.var[i];
        tirbi_lvar *var = tirbi_variable_like(w->pool, old);
        if (!var) return false;
        const tirbi_lx *counter = tirbi_lx_var(w->pool, var),
                       *ends = tirbi_lx_int(w->pool, old->type, 2 * old->min->value + old->extent->value - 1);
        if (!counter || !ends) return false;
        w->turned[i] = var;
        w->value[i] = tirbi_lx_binary(w->pool, TIRB_OP_SUB, old->type, ends, counter);
        if (!w->value[i]) return false;
    }
    return true;
}

/* The loops from one on in their new order, around the body. */
static const tirbi_ls *nest_of(windows *w, uint32_t first, const tirbi_ls *body) {
    for (uint32_t i = w->loops.n; body && i-- > first;)
        body = tirbi_loop_like(w->pool, w->loop[w->order[i]], w->turned[w->order[i]], body);
    return body;
}

static const tirbi_ls *turn_nest(windows *w) {
    tirbi_contract_plan *plan = TIRBI_NEW(w->pool->arena, tirbi_contract_plan);
    const tirbi_ls *inner = nest_of(w, w->outside, w->body);
    if (!plan || !inner) return NULL;
    const bool gains = tirbi_plan_contraction(w->pool, inner, plan) || gains_lanes(w);
    TIRBI_GIVE_BACK(w->pool->arena, plan);
    if (!gains || !turn_loops(w)) return NULL;
    tirbi_rewrite rewrite = {.pool = w->pool, .kinds = TIRBI_GUARDED_STORES};
    for (uint32_t i = 0; i < w->loops.n; i++)
        if (w->turned[i]) tirbi_bind_variable(&rewrite, w->loops.var[i], w->value[i]);
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, w->body);
    return body ? nest_of(w, 0, body) : NULL;
}

static const tirbi_ls *turn(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    windows *w = TIRBI_NEW(pool->arena, windows);
    if (!w) return NULL;
    w->pool = pool;
    collect(w, loop);
    const bool may = w->loops.n > 1 && find_target(w) && find_meetings(w) && choose_order(w);
    const tirbi_ls *nest = may ? turn_nest(w) : NULL;
    TIRBI_GIVE_BACK(pool->arena, w);
    return nest;
}

static const tirbi_ls *turn_all(void *pool, const tirbi_ls *s) {
    const tirbi_ls *nest = s->kind == TIRBI_LS_LOOP ? turn(pool, s) : NULL;
    return nest ? nest : tirbi_replace_inside(pool, s, turn_all, pool);
}

const tirbi_ls *tirbi_turn_windows(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    return disabled & TIRB_PASS_INTERCHANGE ? body : turn_all(pool, body);
}
