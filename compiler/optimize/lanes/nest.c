/* Choosing the lane loop of a perfect nest, and moving it.
 *
 * The loops of a rectangular nest around straight-line code may be reordered when every iteration vector of its spatial
 * loops updates elements of its own, as long as the loops of reductions keep their order among themselves: then every
 * element still receives its updates in program order (rule R1). */
#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/statements.h"

/* Iterations of a loop whose lanes say where they load from, in place of those of the innermost one. */
enum { MAX_PLACES = 80, LEAST_GATHERED = 32 };

typedef struct nest {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE];
    tirbi_loop_set loops;
    const tirbi_ls *body;
    tirbi_reached *places; /* what the body reaches: room for MAX_PLACES */
    uint32_t n;
    tirbi_loop_set own; /* variables that the body sets */
    tirbi_loop_set all; /* the nest's loops, and those that the body has */
    bool spatial[TIRBI_MAX_AFFINE];
    uint32_t n_spatial;
    tirbi_ls rebuilt[TIRBI_MAX_AFFINE]; /* the loops of the order that is tried, for as long as it is */
    uint32_t n_rebuilt;
    bool irregular;
    bool fails_alike; /* the order of what may fail tells nothing */
    bool has_locals;  /* variables that the body assigns more than once */
    bool unversioned; /* of buffers that may share memory it is not known how */
} nest;

/* Whether two accesses are the same element in each iteration, or never one: then an order of iterations that is right
 * for one is for both. For buffers that may share memory, that is for those that begin at the same byte or have none in
 * common: in versions alone. */
static bool same_or_apart(const nest *n, const tirbi_place *a, const tirbi_place *b) {
    const tirbi_lbuf *x = a->buffer->root, *y = b->buffer->root;
    if (x == y) return tirbi_same_place(a, b) || tirbi_never_meet(n->pool, a, b, &n->all);
    return !tirbi_may_meet(x, y) ||
           (!n->unversioned && a->flat == b->flat && tirbi_dtypes[x->type].size == tirbi_dtypes[y->type].size);
}

/* Variables that are set are the iteration's own. */
static bool note_set(void *context, const tirbi_ls *s) {
    nest *n = context;
    if (s->kind != TIRBI_LS_SET) return true;
    n->has_locals = n->has_locals || s->as.set.var->kind != TIRBI_LVAR_LET;
    if (tirbi_is_listed(s->as.set.var, n->own.var, n->own.n)) return true;
    if (!s->as.set.declares || n->own.n == TIRBI_MAX_AFFINE) return false;
    n->own.var[n->own.n++] = s->as.set.var;
    return true;
}

/* Stores, variables of the iteration, conditions, and loops of these. */
static void note_body(nest *n) {
    tirbi_accesses all = {.item = n->places,
                          .most = MAX_PLACES,
                          .rules = TIRBI_TAKE_VIEWS,
                          .kinds = TIRBI_NESTS,
                          .loops = &n->all,
                          .context = n,
                          .stmt = note_set};
    n->irregular = !tirbi_find_accesses(&all, n->body);
    n->n = all.n;
}

/* All accesses to written memory must be the same element, and all written buffers be indexed by the same loops. */
static bool reorderable(nest *n) {
    const tirbi_place *first = n->irregular ? NULL : tirbi_first_stored(n->places, n->n);
    if (!first || !tirbi_spatial_loops(n->pool, &n->all, first, n->spatial)) return false;
    for (uint32_t i = 0; i < n->n; i++) {
        const tirbi_place *w = n->places[i].place;
        if (n->places[i].what == TIRBI_LOADS) continue;
        bool spatial[TIRBI_MAX_AFFINE];
        if (tirbi_buffer_moves(w->buffer, &n->own)) return false;
        for (uint32_t d = 0; d < w->ndim; d++) {
            if (tirbi_mentions_loops(w->indices[d], &n->own)) return false;
        }
        if (w->view || w->buffer->overlaps || !tirbi_spatial_loops(n->pool, &n->all, w, spatial) ||
            memcmp(spatial, n->spatial, n->loops.n * sizeof(*spatial)) != 0) {
            return false;
        }
        /* Stores first: of these there are few, and they tell more often. */
        for (uint32_t j = 0; j < 2 * n->n; j++) {
            const tirbi_reached *a = &n->places[j % n->n];
            if ((a->what == TIRBI_LOADS) == (j >= n->n) && !same_or_apart(n, a->place, w)) return false;
        }
    }
    return true;
}

/* What a stride that is not 1 takes: elements of which a vector has several are read and written at once. */
static int cost_of_stride(bool is_known, int64_t stride, bool write) {
    enum { NEAR = 4 };
    const bool is_near = is_known && stride >= -NEAR && stride <= NEAR;
    return write ? (is_near ? 2 : 6) : is_near ? 1 : 4;
}

/* How well a loop suits as lanes: unit strides are good, downwards as well, others are slow, and stores count most. */
static int score(nest *n, uint32_t lane) {
    int total = 0;
    for (uint32_t i = 0; i < n->n; i++) {
        const bool write = n->places[i].what != TIRBI_LOADS;
        const tirbi_place *place = n->places[i].place;
        tirbi_affine form;
        int64_t c;
        if (!tirbi_affine_number(n->pool, place, &n->loops, &form)) {
            if (write) return -1000;
            total -= 2; /* perhaps a gather of whole rows */
            continue;
        }
        bool constant = tirbi_affine_constant(&form, lane, &c);
        if (constant && c == 1)
            total += write ? 6 : 4;
        else if (constant && c == -1)
            total += write ? 3 : 2;
        else if (constant && c == 0)
            total += write ? -1000 : 2;
        else
            total -= cost_of_stride(constant, c, write);
    }
    int64_t extent = n->loops.var[lane]->extent->hi;
    if (extent < 16) total -= 6;
    if (extent < 2) total -= 1000;
    return total;
}

static const tirbi_ls *around(nest *n, uint32_t loop, const tirbi_ls *body) {
    tirbi_ls *fresh = &n->rebuilt[n->n_rebuilt++];
    *fresh = *n->loop[loop];
    fresh->as.loop.body = body;
    return fresh;
}

/* The nest's loops from the lane loop inwards, as new loops around the same body: the lane loop, `inside` of the other
 * spatial loops, those of reductions. The first spatial loops stay outside. */
static const tirbi_ls *rebuild(nest *n, uint32_t lane, uint32_t inside, tirbi_nest *out) {
    const tirbi_ls *body = n->body;
    n->n_rebuilt = 0;
    for (uint32_t i = n->loops.n; i-- > 0;) {
        if (!n->spatial[i]) body = around(n, i, body);
    }
    uint32_t left = inside;
    for (uint32_t i = n->loops.n; i-- > 0;) {
        if (!n->spatial[i] || i == lane) continue;
        if (left == 0) break;
        body = around(n, i, body);
        left--;
    }
    out->n_outer = 0;
    for (uint32_t i = 0, outside = n->n_spatial - 1 - inside; i < n->loops.n && out->n_outer < outside; i++) {
        if (n->spatial[i] && i != lane) out->outer[out->n_outer++] = n->loops.var[i];
    }
    return around(n, lane, body);
}

static bool is_cheap(const tirbi_lane_op *o) {
    switch (o->op) {
    case TIRB_OP_VADD:
    case TIRB_OP_VSUB:
    case TIRB_OP_VMUL:
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA:
    case TIRB_OP_VMIN:
    case TIRB_OP_VMAX:
    case TIRB_OP_VNEG:
        return true;
    case TIRB_OP_VCAST:
        return tirbi_dtype_is_int((tirbi_dtype)o->type) && tirbi_dtype_is_int((tirbi_dtype)o->source);
    default:
        return false;
    }
}

/* About how long an operation that is the same in all lanes takes for a block of them; an entry is ENTRY. Bools from
 * memory are brought to 0 and 1, and lie in strips. */
static uint32_t weight(const tirbi_lane_op *o) {
    const unsigned op = o->op - (unsigned)TIRB_OP_LANE_FORM;
    const bool rounds = op >= TIRB_OP_FLOOR && op <= TIRB_OP_ROUND,
               divides = op >= TIRB_OP_DIV && op <= TIRB_OP_FLOORMOD;
    return divides || (op >= TIRB_OP_SQRT && !rounds)                  ? 16
           : o->source == TIRB_BOOL || tirbi_dtypes[o->type].size == 8 ? 4
                                                                       : 2;
}

/* Whether a plan computes much that is the same in all lanes: outside of the lane loop that is one scalar per row. Next
 * to loads of elements that lanes name, more is little; so it is where rows are short, beside entering a lane loop for
 * each. */
static bool repeats_scalars(const tirbi_lane_plan *plan) {
    enum { SOME = 4, BLOCK = 128, ENTRY = 12 };
    bool same[TIRBI_MAX_LANE_REGS] = {false}, dear = false;
    uint32_t cheap = 0, some = SOME, repeated = 0;
    const int64_t lanes = plan->loops.var[0]->extent->hi;
    for (uint32_t i = 0; i < plan->n_ops; i++) some += plan->ops[i].op == TIRB_OP_VLOADX ? SOME : 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->op == TIRB_OP_VSPLAT) same[o->to] = true;
        if (o->op == TIRB_OP_VLOAD) same[o->to] = !plan->cursors[o->cursor].form.coefficient[0];
        if (!(tirbi_ops[o->op].flags & TIRBI_FLAG_ELEMENTWISE)) continue;
        bool all = true;
        for (uint32_t k = 0; k < tirbi_ops[o->op].arity; k++) all = all && same[o->from[k]];
        same[o->to] = all;
        if (!all || o->op == TIRB_OP_VMOV) continue;
        repeated += weight(o);
        dear = dear || !is_cheap(o) || ++cheap > some;
    }
    return dear && (lanes > BLOCK || repeated > ENTRY);
}

uint32_t tirbi_lane_work(const tirbi_lane_plan *plan) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++)
        if (tirbi_ops[plan->ops[i].op].flags & TIRBI_FLAG_ELEMENTWISE) all += weight(&plan->ops[i]);
    return all;
}

/* Whether a plan comes to all iterations of the nest in the order of the program, or nothing tells. Loops around all
 * that lanes do run around blocks of them, as if the lane loop were inside of these; the others run in each lane. */
static bool may_run(const nest *n, const tirbi_nest *out) {
    const tirbi_loop_set *loops = &out->plan->loops;
    const uint32_t around = tirbi_loops_around(out->plan), all = out->n_outer + loops->n;
    uint32_t next = 0;
    for (uint32_t i = 0; i < all && !n->fails_alike; i++) {
        const uint32_t at = i - out->n_outer; /* of the plan's, of which the lane loop is the first */
        const tirbi_lvar *var = i < out->n_outer ? out->outer[i]
                                : at < around    ? loops->var[at + 1]
                                : at == around   ? loops->var[0]
                                                 : loops->var[at];
        uint32_t place = 0;
        while (place < n->loops.n && n->loops.var[place] != var) place++;
        if (place < next) return false;
        next = place;
    }
    return true;
}

/* Whether all that lanes do is inside the loops around, and some load elements that they name, but none stores to one:
 * then those loops run around blocks, and each of their iterations does all lanes before the next. */
static bool gathers_only(const tirbi_lane_plan *plan) {
    const unsigned what = TIRBI_LANES_MOVE | TIRBI_LANES_COMPUTE | TIRBI_LANES_FAIL | TIRBI_LANES_GATHER;
    return tirbi_loops_around(plan) == plan->loops.n - 1 && tirbi_lanes_only(plan, what) &&
           tirbi_lanes_do(plan, TIRB_OP_VLOADX);
}

/* Plans lanes for a loop, with as many of the other spatial loops inside the lane loop as it can hold: the machine runs
 * them around its blocks, for much less than entering a lane loop each time. `gathers`: they load what they name, and
 * compute. */
static bool plan_lane(nest *n, uint32_t lane, bool gathers, tirbi_nest *out) {
    uint32_t reductions = n->all.n - n->n_spatial, others = n->n_spatial - 1;
    uint32_t room = reductions < TIRBI_MAX_INNER ? TIRBI_MAX_INNER - reductions : 0;
    uint32_t inside = others < room ? others : room;
    for (;;) {
        out->plan = tirbi_plan_rearranged(n->pool, rebuild(n, lane, inside, out), gathers);
        const bool named = !gathers || (out->plan && gathers_only(out->plan) && tirbi_lane_work(out->plan) > 0);
        const bool runs = out->plan && named && may_run(n, out);
        if (runs && (inside == 0 || !repeats_scalars(out->plan))) return true;
        tirbi_drop_plan(n->pool, out->plan);
        out->plan = NULL;
        if (inside-- == 0) return false;
    }
}

/* The innermost loop as lanes with `inside` of the others inside it, in their order. */
static const tirbi_ls *innermost(nest *n, uint32_t inside, tirbi_nest *out) {
    uint32_t lane = n->loops.n - 1;
    const tirbi_ls *body = n->body;
    n->n_rebuilt = 0;
    for (uint32_t i = lane; i-- > lane - inside;) body = around(n, i, body);
    out->n_outer = lane - inside;
    for (uint32_t i = 0; i < out->n_outer; i++) out->outer[i] = n->loops.var[i];
    return around(n, lane, body);
}

/* Lanes over the innermost loop, the others inside it in their order: what the lanes do is apart, as the plan shows, so
 * each of them may do all that it does before the next. For rows that loops reach by number, or again and again. */
static bool plan_columns(nest *n, tirbi_nest *out) {
    if (n->loops.n == 1 || n->loops.n - 1 > TIRBI_MAX_INNER) return false;
    out->plan = tirbi_plan_rearranged(n->pool, innermost(n, n->loops.n - 1, out), false);
    if (out->plan && out->plan->n_rows > 0 && may_run(n, out)) return true;
    tirbi_drop_plan(n->pool, out->plan);
    out->plan = NULL;
    return false;
}

/* Lanes over the innermost loop that load elements of their own, row by row. */
static bool plan_gathers(nest *n, tirbi_nest *out) {
    uint32_t others = n->loops.n - 1, inside = others < TIRBI_MAX_INNER ? others : TIRBI_MAX_INNER;
    if (others == 0) return false;
    out->plan = tirbi_plan_rearranged(n->pool, innermost(n, inside, out), true);
    if (out->plan && gathers_only(out->plan) && !repeats_scalars(out->plan) && may_run(n, out)) return true;
    tirbi_drop_plan(n->pool, out->plan);
    out->plan = NULL;
    return false;
}

/* The loop that suits best of those that were not tried; UINT32_MAX: there is none. */
static uint32_t best_lane(nest *n, const bool *tried, int *best) {
    uint32_t lane = UINT32_MAX;
    *best = -500;
    for (uint32_t i = 0; i < n->loops.n; i++) {
        if (!n->spatial[i] || tried[i]) continue;
        const int s = score(n, i);
        if (s < *best) continue; /* of equals the innermost */
        *best = s;
        lane = i;
    }
    return lane;
}

static bool plan(nest *n, const tirbi_ls *loop, unsigned may, tirbi_nest *out) {
    n->body = tirbi_perfect_nest(loop, TIRBI_MAX_AFFINE, n->loop, &n->loops);
    n->all = n->loops;
    if (n->loops.n == 0) return false;
    note_body(n);
    n->fails_alike = tirbi_fails_alike(n->loop[0]);
    bool gathers = (may & TIRBI_NEST_GATHERS) != 0;
    if (!(may & TIRBI_NEST_INTERCHANGE)) return false;
    if (!reorderable(n)) return plan_columns(n, out) || (gathers && plan_gathers(n, out));
    for (uint32_t i = 0; i < n->loops.n; i++) n->n_spatial += n->spatial[i];
    bool tried[TIRBI_MAX_AFFINE] = {false};
    int best;
    for (;;) {
        const uint32_t lane = best_lane(n, tried, &best);
        if (gathers && best < 0) { /* rather than stores with strides */
            if (score(n, n->loops.n - 1) >= 0 && plan_gathers(n, out)) return true;
            gathers = false;
        }
        if (lane == UINT32_MAX) break;
        tried[lane] = true;
        if (plan_lane(n, lane, false, out)) return true;
    }
    if (plan_columns(n, out)) return true; /* stores to rows by number */
    if (!(may & TIRBI_NEST_GATHERS)) return false;
    for (uint32_t i = 0; i < n->loops.n; i++) tried[i] = n->loops.var[i]->extent->hi < LEAST_GATHERED;
    tried[n->loops.n - 1] = true; /* other forms know more of that one alone */
    for (uint32_t lane; (lane = best_lane(n, tried, &best)) != UINT32_MAX; tried[lane] = true)
        if (plan_lane(n, lane, true, out)) return true;
    return false;
}

bool tirbi_plan_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, unsigned may, tirbi_nest *out) {
    if (!tirbi_arena_may_try(pool->arena)) return false;
    tirbi_reached places[MAX_PLACES];
    nest *n = TIRBI_NEW(pool->arena, nest);
    if (!n) return false;
    n->pool = pool;
    n->places = places;
    const bool planned = plan(n, loop, may, out);
    TIRBI_GIVE_BACK(pool->arena, n);
    return planned;
}

bool tirbi_nest_has_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop, unsigned may) {
    tirbi_nest found;
    if (!tirbi_plan_nest(pool, loop, may, &found)) return false;
    tirbi_drop_plan(pool, found.plan);
    return true;
}

tirbi_nest_cost tirbi_cost_of_nest(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_nest_cost cost = {.outer = 0};
    tirbi_nest found;
    for (; loop && loop->kind == TIRBI_LS_LOOP && !cost.lane; loop = tirbi_loop_inside(loop), cost.outer++) {
        if (!tirbi_plan_nest(pool, loop, TIRBI_NEST_ANY, &found)) continue;
        cost.lane = found.plan->loops.var[0];
        cost.work = tirbi_lane_work(found.plan);
        cost.outer += found.n_outer;
        tirbi_drop_plan(pool, found.plan);
    }
    return cost;
}

bool tirbi_runs_as_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    return tirbi_nest_has_lanes(pool, loop, TIRBI_NEST_ANY) || tirbi_has_lanes(pool, loop);
}

static bool find_free(nest *n, const tirbi_ls *loop, tirbi_free_nest *out) {
    n->body = tirbi_perfect_nest(loop, TIRBI_MAX_AFFINE, n->loop, &n->loops);
    n->all = n->loops;
    if (n->loops.n == 0) return false;
    note_body(n);
    if (n->all.n > n->loops.n || n->has_locals || !tirbi_fails_alike(n->loop[0]) || !reorderable(n)) return false;
    memcpy(out->loops, n->loop, sizeof(out->loops));
    memcpy(out->spatial, n->spatial, sizeof(out->spatial));
    out->n = n->loops.n;
    out->body = n->body;
    return true;
}

bool tirbi_find_free_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_free_nest *out) {
    tirbi_reached places[MAX_PLACES];
    nest *n = TIRBI_NEW(pool->arena, nest);
    if (!n) return false;
    n->pool = pool;
    n->places = places;
    n->unversioned = true;
    const bool found = find_free(n, loop, out);
    TIRBI_GIVE_BACK(pool->arena, n);
    return found;
}

bool tirbi_find_spatial(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_ls *body,
                        bool spatial[TIRBI_MAX_AFFINE]) {
    tirbi_reached places[MAX_PLACES];
    nest *n = TIRBI_NEW(pool->arena, nest);
    if (!n) return false;
    *n = (nest){.pool = pool, .loops = *loops, .all = *loops, .body = body, .places = places, .unversioned = true};
    note_body(n);
    const bool found = reorderable(n);
    if (found) memcpy(spatial, n->spatial, sizeof(n->spatial));
    TIRBI_GIVE_BACK(pool->arena, n);
    return found;
}
