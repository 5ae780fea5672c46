#include "compiler/optimize/cuts/meetings.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { LOOPS = 2, OUTER = 0, INNER = 1, BEFORE = 0, ALONE = 1, BEHIND = 2, PARTS = 3 };

typedef struct meetings {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[LOOPS];
    tirbi_loop_set own; /* their variables */
    const tirbi_ls *body;
    const tirbi_place *stored;
    uint32_t dimension[LOOPS];     /* of the stored place: the index that tells the loop's iteration */
    const tirbi_lx *start[LOOPS];  /* that index in the loop's first iteration */
    const tirbi_lx *at[LOOPS];     /* the iteration, counted from 0, whose elements others read, or NULL */
} meetings;

/* ---- What is stored, and what is read --------------------------------------------------------------------------- */

static bool note_stored(void *context, const tirbi_reached *a) {
    meetings *m = context;
    if (a->what == TIRBI_LOADS) return true;
    for (uint32_t d = 0; d < a->place->ndim; d++)
        if (!a->place->indices[d]->pure) return false;
    if (m->stored && !tirbi_same_place(m->stored, a->place)) return false;
    m->stored = a->place;
    return true;
}

/* Straight-line code that stores to one place and cannot fail. */
static bool find_store(meetings *m) {
    const uint32_t kinds = TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE);
    tirbi_accesses all = {.context = m, .access = note_stored, .kinds = kinds};
    return tirbi_find_accesses(&all, m->body) && tirbi_cannot_fail(m->body);
}

/* The index of the stored place that counts a loop's iterations, and nothing else. */
static bool find_dimension(meetings *m, uint32_t loop) {
    for (uint32_t d = 0; d < m->stored->ndim; d++) {
        tirbi_affine form;
        int64_t c;
        if (!tirbi_affine_index(m->pool, m->stored, d, &m->own, &form) || form.coefficient[1 - loop]) continue;
        if (!tirbi_affine_constant(&form, loop, &c) || c != 1) continue;
        m->dimension[loop] = d;
        m->start[loop] = form.start;
        return true;
    }
    return false;
}

/* Each iteration reads its own row and column, or the one row and the one column that stand still. */
static bool read_place(void *context, const tirbi_reached *a) {
    meetings *m = context;
    const tirbi_place *place = a->place;
    if (a->what != TIRBI_LOADS || !tirbi_may_meet(place->buffer->root, m->stored->buffer->root)) return true;
    if (place->buffer != m->stored->buffer) return false;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        const tirbi_lx *index = place->indices[m->dimension[loop]];
        if (index == m->stored->indices[m->dimension[loop]]) continue;
        if (!index->pure || index->traps || tirbi_mentions_loops(index, &m->own)) return false;
        const tirbi_lx *at = tirbi_lx_sub(m->pool, tirbi_lx_cast(m->pool, TIRB_I64, index), m->start[loop]);
        if (!at || (m->at[loop] && m->at[loop] != at)) return false;
        m->at[loop] = at;
    }
    return true;
}

/* ---- The parts -------------------------------------------------------------------------------------------------- */

/* What stands for the loops' variables in a part. */
typedef struct renaming {
    const meetings *m;
    const tirbi_lx *value[LOOPS];
} renaming;

static const tirbi_lx *rename_loops(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const renaming *r = rewrite->context;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        if (x->kind == TIRBI_LX_VAR && x->var == r->m->own.var[loop]) return r->value[loop];
    }
    return NULL;
}

/* The variable of a loop's iterations before or behind the one that is met. */
static tirbi_lvar *part_variable(const meetings *m, uint32_t loop, unsigned part) {
    const tirbi_lvar *old = m->own.var[loop];
    const tirbi_lx *at = m->at[loop], *from = tirbi_lx_number(m->pool, 0), *to = old->extent;
    if (at && part == BEFORE) to = tirbi_lx_wide(m->pool, TIRB_OP_MIN, at, to);
    if (at && part == BEHIND)
        from = tirbi_lx_wide(m->pool, TIRB_OP_MAX, tirbi_lx_add(m->pool, at, tirbi_lx_number(m->pool, 1)), from);
    tirbi_lvar *var = TIRBI_NEW(m->pool->arena, tirbi_lvar);
    if (!var || !from || !to) return NULL;
    *var = *old;
    var->id = 0;
    var->min = tirbi_lx_add(m->pool, old->min, from);
    var->extent = tirbi_lx_sub(m->pool, to, from);
    if (!var->min || !var->extent) return NULL;
    if (var->min->lo > var->lo) var->lo = var->min->lo;
    int64_t last;
    bool fits = !__builtin_add_overflow(var->min->hi, var->extent->hi, &last) && last > INT64_MIN;
    if (fits && last - 1 < var->hi && last - 1 >= var->lo) var->hi = last - 1;
    return var;
}

/* Whether there is an iteration that is met. */
static const tirbi_ls *where_met(const meetings *m, uint32_t loop, const tirbi_ls *inside) {
    tirbi_ls *branch = tirbi_new_stmt(m->pool, TIRBI_LS_IF, m->loop[loop]->span);
    if (!branch || !inside) return NULL;
    const tirbi_lx *at = m->at[loop], *extent = m->own.var[loop]->extent;
    branch->as.if_.condition =
        tirbi_lx_both(m->pool, TIRB_OP_AND, tirbi_lx_wide(m->pool, TIRB_OP_GE, at, tirbi_lx_number(m->pool, 0)),
                      tirbi_lx_wide(m->pool, TIRB_OP_LT, at, extent));
    branch->as.if_.then_case = inside;
    return branch->as.if_.condition ? branch : NULL;
}

/* The iterations of one part of each loop, with loop `first` around the other. */
static const tirbi_ls *nest_of(const meetings *m, const unsigned part[LOOPS], uint32_t first) {
    renaming r = {.m = m};
    tirbi_lvar *var[LOOPS] = {NULL, NULL};
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        const tirbi_lvar *old = m->own.var[loop];
        if (part[loop] == ALONE) {
            r.value[loop] = tirbi_lx_cast(m->pool, old->type, tirbi_lx_add(m->pool, old->min, m->at[loop]));
        } else {
            var[loop] = part_variable(m, loop, part[loop]);
            r.value[loop] = var[loop] ? tirbi_lx_var(m->pool, var[loop]) : NULL;
        }
        if (!r.value[loop]) return NULL;
    }
    tirbi_rewrite rewrite = {.pool = m->pool, .replace = rename_loops, .context = &r};
    const tirbi_ls *inside = tirbi_rewrite_stmt(&rewrite, m->body);
    for (uint32_t i = LOOPS; i-- > 0 && inside;) {
        uint32_t loop = i ^ first;
        tirbi_ls *copy = var[loop] ? TIRBI_NEW(m->pool->arena, tirbi_ls) : NULL;
        if (!var[loop]) continue;
        if (!copy) return NULL;
        *copy = *m->loop[loop];
        copy->as.loop.var = var[loop];
        copy->as.loop.parallel = false; /* the nest itself was asked for chunks */
        copy->as.loop.body = inside;
        inside = copy;
    }
    for (uint32_t loop = LOOPS; loop-- > 0 && inside;) {
        if (part[loop] == ALONE) inside = where_met(m, loop, inside);
    }
    return inside;
}

/* As lanes over the loop that steps from element to element, with the other one inside it: NULL where neither does. */
static const tirbi_ls *nest_of_lanes(const meetings *m, const unsigned part[LOOPS]) {
    for (uint32_t first = LOOPS; first-- > 0;) {
        const tirbi_ls *nest = nest_of(m, part, first);
        if (nest && tirbi_has_lanes(m->pool, nest)) return nest;
    }
    return NULL;
}

/* Rows apart from the one that is met read nothing that another of them writes: each part of their columns can be done
 * for all of them before the next part, and in any order. The row that is met is left to be cut as a loop. */
static const tirbi_ls *all_parts(const meetings *m) {
    const tirbi_ls *parts[PARTS * PARTS];
    uint32_t n = 0;
    for (unsigned row = 0; row < PARTS; row++) {
        if (row != BEFORE && !m->at[OUTER]) continue;
        if (row == ALONE) {
            meetings alone = *m;
            alone.at[INNER] = NULL;
            parts[n] = nest_of(&alone, (const unsigned[]){ALONE, BEFORE}, OUTER);
            if (!parts[n++]) return NULL;
            continue;
        }
        for (unsigned column = 0; column < PARTS; column++) {
            if (column != BEFORE && !m->at[INNER]) continue;
            const unsigned part[LOOPS] = {row, column};
            parts[n] = column == ALONE ? nest_of(m, part, OUTER) : nest_of_lanes(m, part);
            if (!parts[n++]) return NULL;
        }
    }
    return tirbi_new_sequence(m->pool, m->loop[OUTER]->span, parts, n);
}

const tirbi_ls *tirbi_split_at_meetings(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    meetings m = {.pool = pool, .loop = {loop, loop->as.loop.body}};
    if (m.loop[INNER]->kind != TIRBI_LS_LOOP) return NULL;
    m.own = (tirbi_loop_set){.var = {loop->as.loop.var, m.loop[INNER]->as.loop.var}, .n = LOOPS};
    m.body = m.loop[INNER]->as.loop.body;
    for (uint32_t i = 0; i < LOOPS; i++) {
        const tirbi_lvar *var = m.own.var[i];
        if (m.loop[i]->as.loop.step || !tirbi_has_plain_bounds(var) || tirbi_mentions_loops(var->min, &m.own) ||
            tirbi_mentions_loops(var->extent, &m.own)) {
            return NULL;
        }
    }
    if (!find_store(&m) || !m.stored || m.stored->buffer->overlaps || tirbi_buffer_moves(m.stored->buffer, &m.own) ||
        !find_dimension(&m, OUTER) || !find_dimension(&m, INNER) ||
        !tirbi_find_accesses(&(tirbi_accesses){.context = &m, .access = read_place}, m.body)) {
        return NULL;
    }
    return m.at[OUTER] || m.at[INNER] ? all_parts(&m) : NULL;
}
