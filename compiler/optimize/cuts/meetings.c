#include "compiler/optimize/cuts/meetings.h"

#include "compiler/loop/linear.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/cuts/distance.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

/* More conditions than these are not worth being asked. */
enum { MAX_CONDITIONS = 6 };

/* Of iterations that are counted: what magnitudes, and sums of two of them, do not wrap. */
#define FARTHEST (INT64_C(1) << 61)

enum { LOOPS = 2, OUTER = 0, INNER = 1 };
typedef enum part { BEFORE, ALONE, BEHIND, ALL } part;
enum { PARTS = 3 };

/* A loop, and the iteration of it that others meet, counted from 0. */
typedef struct met_loop {
    const tirbi_ls *loop;
    const tirbi_lx *end, *at, *next; /* those that come before it end there; it; the one behind; NULL: none is met */
    const tirbi_lx *there;           /* whether there is such an iteration */
    bool crosses;
} met_loop;

typedef struct cutter {
    tirbi_lx_pool *pool;
    met_loop loops[LOOPS];
    const tirbi_ls *body; /* of the innermost */
} cutter;

/* ---- For which sizes -------------------------------------------------------------------------------------------- */

static const tirbi_lx *not_negative(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_poly *p) {
    return tirbi_lx_with(pool, TIRB_OP_GE, tirbi_steady_value(pool, facts, p, INT64_MAX), 0);
}

static const tirbi_lx *join(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_both(pool, op, a, b) : a ? a : b;
}

/* The condition under which an edge is not there; NULL: none is known. */
static const tirbi_lx *without_edge(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_edge *e) {
    const tirbi_lx *any = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const tirbi_lx *one = e->unless[i] ? not_negative(pool, facts, e->unless[i]) : NULL;
        const tirbi_lx *other = e->provided[i] ? not_negative(pool, facts, e->provided[i]) : NULL;
        if (!one || (e->provided[i] && !other)) continue;
        any = join(pool, TIRB_OP_OR, any, join(pool, TIRB_OP_AND, one, other));
    }
    return any;
}

static bool is_carried(const tirbi_edge *e, uint32_t carrier) { return e->carrier == carrier && e->n_common > carrier; }

/* The condition under which the loop carries no edge; NULL: there is none, or it never carries one, or some iteration
 * reaches the same element twice that others reach once: the machine finds no lanes apart there. */
static const tirbi_lx *without_edges(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_dependences *graph) {
    const tirbi_lx *conditions[MAX_CONDITIONS], *all = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_edges; i++) {
        if (graph->edge[i].kind == TIRBI_SCALAR) continue;
        if (!is_carried(&graph->edge[i], 0)) {
            if (!tirbi_steps_alike(pool, loop, graph, &graph->edge[i])) return NULL;
            continue;
        }
        const tirbi_lx *one = without_edge(pool, graph->facts, &graph->edge[i]);
        uint32_t k = 0;
        while (k < n && conditions[k] != one) k++;
        if (!one || k == MAX_CONDITIONS) return NULL;
        if (k < n) continue;
        conditions[n++] = one;
        all = join(pool, TIRB_OP_AND, all, one);
    }
    return all;
}

/* ---- In which iterations ---------------------------------------------------------------------------------------- */

/* The edge that says where all of those meet that a loop carries, or that none does; false: not in one iteration. What
 * is carried in variables is none of memory. */
static bool find_edge(const tirbi_dependences *graph, uint32_t carrier, bool carried, const tirbi_edge **out) {
    for (uint32_t i = 0; i < graph->n_edges; i++) {
        const tirbi_edge *e = &graph->edge[i], *met = *out;
        if (e->kind == TIRBI_SCALAR || (carried ? !is_carried(e, carrier) : e->carrier < e->n_common || !e->at))
            continue;
        if (!e->at || (met && (met->meets != e->meets || !tirbi_poly_equal(met->at, e->at)))) return false;
        *out = e;
    }
    return true;
}

/* Finds where all that a loop carries meets, if it is in the same iteration; nothing where it carries none. `alike`:
 * then what reaches the same element in one iteration alone, for this cannot be lanes beside others. */
static bool find_meeting(const cutter *c, const tirbi_dependences *graph, uint32_t carrier, bool alike, met_loop *l) {
    const tirbi_edge *met = NULL;
    if (!find_edge(graph, carrier, true, &met) || (!met && alike && !find_edge(graph, carrier, false, &met)))
        return false;
    if (!met) return true;
    const bool is_last =
        met->meets == TIRBI_MEETS_AT && graph->last[carrier] && tirbi_poly_equal(met->at, graph->last[carrier]);
    tirbi_poly at = *met->at;
    l->crosses = met->meets == TIRBI_MEETS_CROSSING;
    for (uint32_t i = 0; i < graph->n_edges && l->crosses; i++) { /* the parts are lanes apart: elsewhere none meets */
        const tirbi_edge *e = &graph->edge[i];
        if (e->kind == TIRBI_SCALAR || is_carried(e, carrier) || (e->at && tirbi_poly_equal(e->at, met->at))) continue;
        if (!tirbi_steps_alike(c->pool, l->loop, graph, e)) return false;
    }
    if (!graph->first[carrier] || !tirbi_poly_add(&at, graph->first[carrier], l->crosses ? -2 : -1)) return false;
    const tirbi_lx *extent = l->loop->as.loop.var->extent, *zero = tirbi_lx_number(c->pool, 0),
                   *one = tirbi_lx_number(c->pool, 1), *two = tirbi_lx_number(c->pool, 2);
    const tirbi_lx *end = tirbi_steady_value(c->pool, graph->facts, &at, FARTHEST),
                   *next = tirbi_lx_add(c->pool, end, one);
    if (l->crosses) { /* of two before half of the sum, or behind it, the sum is never that */
        l->at = tirbi_lx_wide(c->pool, TIRB_OP_FLOORDIV, next, two);
        next = tirbi_lx_add(c->pool, tirbi_lx_wide(c->pool, TIRB_OP_FLOORDIV, end, two), one);
    } else {
        l->at = end;
    }
    l->end = tirbi_lx_wide(c->pool, TIRB_OP_MIN, l->at, extent);
    l->next = is_last ? extent : tirbi_lx_wide(c->pool, TIRB_OP_MAX, next, zero);
    l->there = tirbi_lx_wide(c->pool, TIRB_OP_LT, l->at, extent);
    if (l->at && l->at->lo < 0)
        l->there = tirbi_lx_both(c->pool, TIRB_OP_AND, tirbi_lx_wide(c->pool, TIRB_OP_GE, l->at, zero), l->there);
    if (l->crosses)
        l->there = tirbi_lx_both(c->pool, TIRB_OP_AND, tirbi_lx_wide(c->pool, TIRB_OP_LT, l->at, next), l->there);
    return l->end && l->next && l->there;
}

/* Whether a part of a loop's iterations is not empty for sure. */
static bool has_part(const met_loop *l, part which) {
    if (!l->at || which == ALONE) return which == BEFORE || l->at;
    return which == BEFORE ? !tirbi_lx_is_int(l->at, 0) : l->next != l->loop->as.loop.var->extent;
}

/* A part of a loop's iterations with that body. */
static const tirbi_ls *part_of(const cutter *c, const met_loop *l, part which, const tirbi_ls *body) {
    const tirbi_lvar *old = l->loop->as.loop.var;
    if (l->at && which == ALONE) {
        const tirbi_ls *one = tirbi_iteration_at(c->pool, l->loop, body, l->at);
        return tirbi_new_if(c->pool, l->loop->span, l->there, one, NULL);
    }
    const tirbi_lx *from = l->at && which == BEHIND ? l->next : tirbi_lx_number(c->pool, 0),
                   *to = l->at && which == BEFORE ? l->end : old->extent;
    if (to->lo < -FARTHEST) to = tirbi_lx_wide(c->pool, TIRB_OP_MAX, to, from);
    tirbi_lvar *var = tirbi_part_variable(c->pool, old, from, to);
    if (var) var->apart = l->crosses;
    return tirbi_loop_of(c->pool, l->loop, var, body);
}

/* Whether an edge is met in one iteration, or is not there for some sizes. */
static bool may_be_apart(const tirbi_edge *e) {
    return e->kind == TIRBI_SCALAR || e->carrier == e->n_common || e->at || e->unless[0] || e->unless[1];
}

/* Whether an edge is met in one iteration. */
static bool is_met(const tirbi_edge *e) { return e->at != NULL; }

bool tirbi_find_apart(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_apart *out) {
    cutter c = {.pool = pool, .loops = {{.loop = loop}}, .body = loop->as.loop.body};
    const tirbi_asked asked = {.carriers = 1, .alike = true, .leaves = may_be_apart};
    met_loop *l = &c.loops[0];
    if (loop->as.loop.var->apart || !tirbi_is_plain_loop(loop) || !tirbi_can_resolve(c.body)) return false;
    tirbi_dependences *graph = tirbi_find_dependences(pool, loop, &c.body, 1, &asked);
    if (!graph) return false;
    const bool straight = tirbi_is_made_of(c.body, TIRBI_STRAIGHT);
    *out = (tirbi_apart){.asks = straight ? without_edges(pool, loop, graph) : NULL};
    const bool met = !out->asks && find_meeting(&c, graph, OUTER, true, l), cut = met && l->at;
    tirbi_forget_dependences(pool, graph);
    if (straight && met && !cut) out->asks = tirbi_lx_int(pool, TIRB_BOOL, 1);
    if (out->asks) {
        tirbi_lvar *var = tirbi_variable_like(pool, loop->as.loop.var);
        if (var) var->apart = true;
        out->all = tirbi_loop_of(pool, loop, var, c.body);
        return out->all != NULL;
    }
    if (!cut) return false;
    const tirbi_ls *parts[PARTS];
    uint32_t n = 0;
    for (unsigned which = BEFORE; which < PARTS; which++) {
        if (!has_part(l, which)) continue;
        parts[n] = part_of(&c, l, which, c.body);
        if (which != ALONE) out->most[which == BEHIND] = parts[n];
        if (!parts[n++]) return false;
    }
    out->asks = l->at;
    out->crosses = l->crosses;
    out->cut = tirbi_new_sequence(pool, loop->span, parts, n);
    return out->cut != NULL;
}

/* ---- Nests of rows ---------------------------------------------------------------------------------------------- */

/* The iterations of one part of each loop, with loop `first` around the other. */
static const tirbi_ls *nest_of(const cutter *c, const part which[LOOPS], uint32_t first) {
    const uint32_t other = 1 - first;
    const tirbi_ls *inside = part_of(c, &c->loops[other], which[other], c->body);
    return inside ? part_of(c, &c->loops[first], which[first], inside) : NULL;
}

/* As lanes over the loop that steps from element to element, with the other one inside it: NULL where neither does. */
static const tirbi_ls *nest_of_lanes(const cutter *c, const part which[LOOPS]) {
    for (uint32_t first = LOOPS; first-- > 0;) {
        const tirbi_ls *nest = nest_of(c, which, first);
        if (nest && tirbi_has_lanes(c->pool, nest)) return nest;
    }
    return NULL;
}

/* Rows apart from the one that is met read nothing that another of them writes: each part of their columns can be done
 * for all of them before the next part, and in any order. The row that is met is left to be cut as a loop. */
static const tirbi_ls *all_parts(const cutter *c) {
    const tirbi_ls *parts[PARTS * PARTS];
    uint32_t n = 0;
    for (unsigned row = BEFORE; row < PARTS; row++) {
        if (!has_part(&c->loops[OUTER], row)) continue;
        for (unsigned column = BEFORE; column < PARTS; column++) {
            const part which[LOOPS] = {row, row == ALONE ? ALL : column};
            if (row == ALONE ? column > BEFORE : !has_part(&c->loops[INNER], column)) continue;
            parts[n] = row == ALONE      ? nest_of(c, which, OUTER)
                       : column == ALONE ? nest_of(c, which, INNER)
                                         : nest_of_lanes(c, which);
            if (!parts[n++]) return NULL;
        }
    }
    return tirbi_new_sequence(c->pool, c->loops[OUTER].loop->span, parts, n);
}

const tirbi_ls *tirbi_split_at_meetings(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const uint32_t kinds = TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE);
    const tirbi_asked asked = {.carriers = 3, .leaves = is_met};
    const tirbi_ls *inner = loop->as.loop.body;
    if (inner->kind != TIRBI_LS_LOOP || !tirbi_is_plain_loop(loop) || !tirbi_is_plain_loop(inner)) return NULL;
    const tirbi_loop_set rows = {.var = {loop->as.loop.var}, .n = 1};
    cutter c = {.pool = pool, .loops = {{.loop = loop}, {.loop = inner}}, .body = inner->as.loop.body};
    if (tirbi_mentions_loops(inner->as.loop.var->min, &rows) ||
        tirbi_mentions_loops(inner->as.loop.var->extent, &rows) || !tirbi_is_made_of(c.body, kinds) ||
        !tirbi_cannot_fail(c.body))
        return NULL;
    tirbi_dependences *graph = tirbi_find_dependences(pool, loop, &inner, 1, &asked);
    if (!graph) return NULL;
    const bool found = find_meeting(&c, graph, OUTER, false, &c.loops[OUTER]) &&
                       find_meeting(&c, graph, INNER, false, &c.loops[INNER]);
    tirbi_forget_dependences(pool, graph);
    const met_loop *l = c.loops;
    return found && (l[OUTER].at || l[INNER].at) && !l[OUTER].crosses && !l[INNER].crosses ? all_parts(&c) : NULL;
}
