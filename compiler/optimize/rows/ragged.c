/* A loop inside of another one that goes through the range from P[i] to P[i + 1] is short more often than not, and has
 * as many iterations as it happens to have: neither loop makes good lanes. All places of the ranges of many rows do,
 * where the ranges follow each other: each lane finds the row that it is in (vadvance), and what a row sums up is an
 * element that its lanes update in their order. What stands before and behind the inner loop is done for these rows
 * before and after it, which keeps the order of each location's updates where rows, or places, have elements of their
 * own. Variables of a row become elements of a buffer. */
#include "compiler/optimize/rows/ragged.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MAX_PARTS = 8,
    MAX_ITEMS = 16,
    MAX_LETS = 32,
    MAX_LOCALS = 8,
    MAX_INNER = 16,
    MAX_TOUCHED = 64,
    MAX_SIZE = 600,
    ROWS = 1024
};

/* What is done for each row, or for each place of its range. */
typedef struct part {
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n;
    const tirbi_lvar *counter; /* of the loop over the range; NULL: there is none */
    bool from_zero;            /* it counts from 0, not from the range's first place */
    tirbi_span span;
} part;

typedef struct flattener {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_place *starts; /* P[i] */
    part parts[MAX_PARTS];
    uint32_t n_parts;
    struct {
        const tirbi_lvar *var;
        const tirbi_lx *value;
    } lets[MAX_LETS];
    uint32_t n_lets;
    struct {
        const tirbi_lvar *var;
        const tirbi_lx *first; /* what it begins as */
        bool counts;           /* the places of a while loop */
        tirbi_lbuf *buffer;
    } locals[MAX_LOCALS];
    uint32_t n_locals;
    const tirbi_lvar *inner[MAX_INNER]; /* variables that begin in a part */
    uint32_t n_inner;
    tirbi_reached accesses[MAX_TOUCHED]; /* by part */
    uint32_t at;       /* the part that is being gone through */
    tirbi_lvar *place; /* stands for the place in a range, whatever its loop calls it */
    tirbi_lvar *row, *at_place,
        *first_row; /* of a part that is being made: for the loop's variable, for the place; and where rows begin */
    bool failed;
} flattener;

/* ---- Making statements ------------------------------------------------------------------------------------------ */

static tirbi_lvar *new_var(flattener *f, const char *name, tirbi_lvar_kind kind, tirbi_dtype type, int64_t lo,
                           int64_t hi) {
    return tirbi_new_variable(f->pool, kind, name, type, lo, hi, f->loop->span);
}

static const tirbi_ls *set(flattener *f, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(f->pool, f->loop->span, var, value, declares);
}

static const tirbi_ls *sequence(flattener *f, const tirbi_ls *const *items, uint32_t n) {
    return tirbi_new_sequence(f->pool, f->loop->span, items, n);
}

static const tirbi_ls *repeat(flattener *f, const tirbi_lx *condition, const tirbi_ls *body) {
    return tirbi_new_while(f->pool, f->loop->span, condition, body);
}

static const tirbi_ls *loop_over(flattener *f, tirbi_lvar *var, const tirbi_ls *body) {
    return tirbi_new_loop(f->pool, f->loop->span, var, body);
}

static const tirbi_lx *value_of(flattener *f, tirbi_lvar *var) { return tirbi_lx_var(f->pool, var); }
static const tirbi_lx *compute(flattener *f, tirbi_op op, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(f->pool, op, type, a, b);
}

static const tirbi_lx *cast(flattener *f, tirbi_dtype type, const tirbi_lx *x) {
    return x && x->type != type ? tirbi_lx_cast(f->pool, type, x) : x;
}

/* ---- What the loop is ------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace_let(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const flattener *f = rewrite->context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < f->n_lets; i++) {
        if (f->lets[i].var == x->var) return f->lets[i].value;
    }
    return NULL;
}

static const tirbi_lx *without_lets(flattener *f, const tirbi_lx *x) {
    tirbi_rewrite rewrite = {.pool = f->pool, .replace = replace_let, .context = f};
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, x);
    if (!value || value->size > MAX_SIZE) f->failed = true;
    return f->failed ? NULL : value;
}

static bool is_sum_with_one(const tirbi_lx *x, const tirbi_lvar *var) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_ADD) return false;
    return (tirbi_is_var(var, x->args[0]) && tirbi_lx_is_int(x->args[1], 1)) ||
           (tirbi_is_var(var, x->args[1]) && tirbi_lx_is_int(x->args[0], 1));
}

/* Whether x is P[i] (by 0) or P[i + 1] (by 1), where P is one buffer for all ranges. */
static bool is_bound(flattener *f, const tirbi_lx *x, int by) {
    const tirbi_lvar *var = f->loop->as.loop.var;
    if (x->kind != TIRBI_LX_LOAD || x->access->ndim != 1 || x->access->view) return false;
    const tirbi_lbuf *b = x->access->buffer;
    const tirbi_lx *index = tirbi_plan_narrow(x->access->indices[0]), *flat = tirbi_plan_narrow(x->access->flat);
    bool is_plain =
        tirbi_has_whole_extents(b) && !b->fetched && !b->broadcasts && !b->overlaps &&
        (b->type == TIRB_I32 || b->type == TIRB_I64);
    if (!is_plain || flat != index || (by ? !is_sum_with_one(index, var) : !tirbi_is_var(var, index))) return false;
    if (by == 0 && !f->starts) f->starts = x->access;
    return f->starts && f->starts->buffer == b;
}

/* Adds a part over a range; the others are behind it or before it. */
static void add_range(flattener *f, const tirbi_lvar *counter, tirbi_span span, bool from_zero,
                      const tirbi_ls *const *items, uint32_t n) {
    if (f->n_parts == MAX_PARTS || n > MAX_ITEMS ||
        tirbi_dtypes[counter->type].size < tirbi_dtypes[f->starts->buffer->type].size) {
        f->failed = true;
        return;
    }
    part *p = &f->parts[f->n_parts++];
    *p = (part){.n = n, .counter = counter, .from_zero = from_zero, .span = span};
    memcpy(p->items, items, n * sizeof(*items));
}

/* for k in range(P[i + 1] - P[i]), or in range(P[i], P[i + 1]) */
static void read_loop(flattener *f, const tirbi_ls *s) {
    const tirbi_lvar *var = s->as.loop.var;
    const tirbi_lx *first = without_lets(f, var->min), *extent = without_lets(f, var->extent);
    f->failed = f->failed || s->as.loop.step || s->as.loop.blocks || s->as.loop.rows;
    if (f->failed) return;
    first = tirbi_plan_narrow(first);
    extent = tirbi_plan_narrow(extent);
    if (extent->kind == TIRBI_LX_OP && extent->op == TIRB_OP_MAX && tirbi_lx_is_int(extent->args[1], 0))
        extent = tirbi_plan_narrow(extent->args[0]);
    bool from_zero = tirbi_lx_is_int(first, 0);
    if (extent->kind != TIRBI_LX_OP || extent->op != TIRB_OP_SUB ||
        !is_bound(f, tirbi_plan_narrow(extent->args[1]), 0) || !is_bound(f, tirbi_plan_narrow(extent->args[0]), 1) ||
        !(from_zero || is_bound(f, first, 0))) {
        f->failed = true;
        return;
    }
    const tirbi_ls *body = s->as.loop.body;
    if (body->kind == TIRBI_LS_SEQ)
        add_range(f, var, var->span, from_zero, body->as.seq.items, body->as.seq.n);
    else
        add_range(f, var, var->span, from_zero, &body, 1);
}

/* k = P[i]; while k < P[i + 1]: ..; k = k + 1 */
static void read_while(flattener *f, const tirbi_ls *s) {
    const tirbi_ls *body = s->as.while_.body;
    const tirbi_lx *test = without_lets(f, s->as.while_.condition);
    f->failed = f->failed || body->kind != TIRBI_LS_SEQ || body->as.seq.n < 2 || test->kind != TIRBI_LX_OP ||
                (test->op != TIRB_OP_LT && test->op != TIRB_OP_GT);
    if (f->failed) return;
    const tirbi_lx *k = tirbi_plan_narrow(test->args[test->op == TIRB_OP_GT]),
                   *end = tirbi_plan_narrow(test->args[test->op == TIRB_OP_LT]);
    uint32_t last = body->as.seq.n - 1, i = 0;
    const tirbi_ls *step = body->as.seq.items[last];
    while (i < f->n_locals && !tirbi_is_var(f->locals[i].var, k)) i++;
    f->failed = i == f->n_locals || f->locals[i].counts || !f->locals[i].first || step->kind != TIRBI_LS_SET ||
                step->as.set.var != f->locals[i].var || step->as.set.declares ||
                !is_sum_with_one(step->as.set.value, f->locals[i].var) ||
                !is_bound(f, tirbi_plan_narrow(f->locals[i].first), 0) || !is_bound(f, end, 1);
    for (uint32_t j = 0; j < last && !f->failed; j++)
        f->failed = tirbi_may_set(body->as.seq.items[j], f->locals[i].var);
    if (f->failed) return;
    f->locals[i].counts = true;
    add_range(f, f->locals[i].var, s->span, false, body->as.seq.items, last);
}

/* What a variable of the row holds from here on, as far as the statements of the row itself say. */
static void note_value_of(flattener *f, const tirbi_ls *s) {
    for (uint32_t i = 0; i < f->n_locals; i++) {
        if (f->locals[i].var != s->as.set.var) continue;
        if (f->locals[i].counts)
            f->failed = true;
        else
            f->locals[i].first = without_lets(f, s->as.set.value);
        return;
    }
}

static bool is_assigned(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL;
}

/* Whether `next` sets what `s` has set, which nothing has seen. */
static bool sets_anew(const tirbi_ls *s, const tirbi_ls *next) {
    if (s->kind != TIRBI_LS_SET || next->kind != TIRBI_LS_SET || s->as.set.var != next->as.set.var) return false;
    const tirbi_lx *value = s->as.set.value;
    return value->pure && !value->traps && !tirbi_any_expr(next->as.set.value, TIRBI_WALK_INDICES, is_assigned, NULL);
}

/* Statements for each row. Lets are put in their places, where that is the same; other variables are noted. */
static void read_row_item(flattener *f, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SET && s->as.set.declares) {
        tirbi_lvar *var = s->as.set.var;
        const tirbi_lx *value = without_lets(f, s->as.set.value);
        if (f->failed) return;
        if (var->kind == TIRBI_LVAR_LET && !tirbi_any_expr(value, TIRBI_WALK_INDICES, is_assigned, NULL)) {
            if (f->n_lets == MAX_LETS)
                f->failed = true;
            else
                f->lets[f->n_lets].var = var, f->lets[f->n_lets++].value = value;
            return;
        }
        if (f->n_locals == MAX_LOCALS)
            f->failed = true;
        else
            f->locals[f->n_locals].var = var, f->locals[f->n_locals++].first = value;
    } else if (s->kind == TIRBI_LS_SET) {
        note_value_of(f, s);
    }
    part *last = f->n_parts > 0 ? &f->parts[f->n_parts - 1] : NULL;
    if (f->failed || (last && !last->counter && last->n == MAX_ITEMS) ||
        ((!last || last->counter) && f->n_parts == MAX_PARTS)) {
        f->failed = true;
        return;
    }
    if (!last || last->counter) {
        last = &f->parts[f->n_parts++];
        *last = (part){.n = 0};
    }
    if (last->n > 0 && sets_anew(last->items[last->n - 1], s)) last->n--;
    last->items[last->n++] = s;
}

static bool read_body(flattener *f) {
    const tirbi_ls *body = f->loop->as.loop.body;
    uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    for (uint32_t i = 0; i < n && !f->failed; i++) {
        const tirbi_ls *s = body->kind == TIRBI_LS_SEQ ? body->as.seq.items[i] : body;
        switch (s->kind) {
        case TIRBI_LS_LOOP:
            read_loop(f, s);
            break;
        case TIRBI_LS_WHILE:
            read_while(f, s);
            break;
        case TIRBI_LS_SET:
        case TIRBI_LS_STORE:
        case TIRBI_LS_IF:
            read_row_item(f, s);
            break;
        default:
            f->failed = true;
            break;
        }
    }
    return !f->failed && f->starts;
}

/* ---- Rows and places -------------------------------------------------------------------------------------------- */

/* P[i] + k is the place itself. */
static const tirbi_lx *place_of_sum(flattener *f, const part *p, const tirbi_lx *x) {
    if (!p->from_zero || x->kind != TIRBI_LX_OP || x->op != TIRB_OP_ADD || (x->type != TIRB_I32 && x->type != TIRB_I64))
        return NULL;
    for (int k = 0; k < 2; k++) {
        const tirbi_lx *counter = tirbi_plan_narrow(x->args[k]);
        const tirbi_lx *start = tirbi_is_var(p->counter, counter) ? without_lets(f, x->args[1 - k]) : NULL;
        if (start && is_bound(f, tirbi_plan_narrow(start), 0) &&
            tirbi_dtypes[x->type].size >= tirbi_dtypes[f->starts->buffer->type].size) {
            return cast(f, (tirbi_dtype)x->type, value_of(f, f->place));
        }
    }
    return NULL;
}

static const tirbi_lx *name_places(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    flattener *f = rewrite->context;
    const part *p = &f->parts[f->at];
    const tirbi_lx *let = replace_let(rewrite, x);
    if (let) return tirbi_rewrite_value(rewrite, let);
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < f->n_locals; i++) {
        if (f->locals[i].var == x->var && f->locals[i].counts && x->var != p->counter) f->failed = true;
    }
    if (!p->counter) return NULL;
    const tirbi_lx *place = place_of_sum(f, p, x);
    if (place || !tirbi_is_var(p->counter, x)) return place;
    tirbi_dtype type = f->starts->buffer->type, counts = p->counter->type;
    if (!p->from_zero) return cast(f, counts, value_of(f, f->place));
    return cast(f, counts, compute(f, TIRB_OP_SUB, type, value_of(f, f->place), tirbi_lx_load(f->pool, f->starts)));
}

/* Code without lets, in which places have their name; none where conditions ask for first iterations. */
static const tirbi_ls *with_places(flattener *f, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {.pool = f->pool, .replace = name_places, .context = f, .anew = TIRBI_LOOPS_ANEW};
    return tirbi_rewrite_stmt(&rewrite, s);
}

static bool name_all_places(flattener *f) {
    for (f->at = 0; f->at < f->n_parts; f->at++) {
        part *p = &f->parts[f->at];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            const tirbi_ls *s = p->items[i];
            bool counter = false;
            for (uint32_t l = 0; l < f->n_locals && s->kind == TIRBI_LS_SET; l++)
                counter = counter || (f->locals[l].counts && f->locals[l].var == s->as.set.var);
            if (counter && p->counter) return false; /* it may not be where the range begins any more */
            if (counter) continue;
            p->items[kept] = with_places(f, s);
            if (!p->items[kept++] || f->failed) return false;
        }
        p->n = kept;
    }
    return true;
}

/* ---- Whether parts may be done one after another ---------------------------------------------------------------- */

/* What may end the call other than by an index is refused: which of two things does first would change. */
static bool takes_value(void *context, const tirbi_lx *x) {
    (void)context;
    return !(x->kind == TIRBI_LX_OP && (tirbi_ops[x->op].flags & TIRBI_FLAG_TRAP) &&
             tirbi_dtype_is_int((tirbi_dtype)x->optype));
}

static bool is_local(const flattener *f, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < f->n_locals; i++) {
        if (f->locals[i].var == var) return !f->locals[i].counts;
    }
    return false;
}

/* A variable from outside of the loop goes from row to row. */
static bool takes_set(void *context, const tirbi_ls *s) {
    flattener *f = context;
    const tirbi_lvar *var = s->kind == TIRBI_LS_SET ? s->as.set.var : NULL;
    bool known = !var || is_local(f, var);
    for (uint32_t i = 0; i < f->n_inner; i++) known = known || f->inner[i] == var;
    if (known) return true;
    if (!s->as.set.declares || f->n_inner == MAX_INNER) return false;
    f->inner[f->n_inner++] = var;
    return true;
}

/* Whether rows, or places, have elements of their own: an index is the row, or the place, itself. */
static bool has_own(const flattener *f, const tirbi_place *place) {
    if (place->buffer->overlaps || place->buffer->broadcasts) return false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = tirbi_plan_narrow(place->indices[d]);
        if (tirbi_is_var(f->loop->as.loop.var, index) || tirbi_is_var(f->place, index)) return true;
    }
    return false;
}

static bool same_elements(const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->ndim != b->ndim) return false;
    for (uint32_t d = 0; d < a->ndim; d++) {
        if (!tirbi_same_value(a->indices[d], b->indices[d])) return false;
    }
    return true;
}

/* What a part writes no other part accesses, unless they mean elements that are a row's, or a place's, own. Nothing
 * writes where ranges begin, nor what a variable was once loaded from. */
static bool parts_are_free(flattener *f) {
    const tirbi_lbuf *starts = f->starts->buffer;
    tirbi_accesses all = {.item = f->accesses,
                          .most = MAX_TOUCHED,
                          .context = f,
                          .stmt = takes_set,
                          .value = takes_value};
    for (; all.part < f->n_parts; all.part++)
        for (uint32_t i = 0; i < f->parts[all.part].n; i++)
            if (!tirbi_find_accesses(&all, f->parts[all.part].items[i])) return false;
    const uint32_t of_parts = all.n;
    for (uint32_t i = 0; i < f->n_lets; i++)
        if (!tirbi_find_accesses_of(&all, f->lets[i].value)) return false;
    for (uint32_t i = 0; i < of_parts; i++) {
        const tirbi_reached *w = &f->accesses[i];
        if (w->what == TIRBI_LOADS) continue;
        if (tirbi_may_meet(w->place->buffer->root, starts)) return false;
        for (uint32_t j = 0; j < all.n; j++) {
            const tirbi_reached *a = &f->accesses[j];
            if (!tirbi_may_meet(w->place->buffer->root, a->place->buffer->root)) continue;
            if (j >= of_parts) return false;
            if (a->part != w->part && !(has_own(f, w->place) && same_elements(w->place, a->place))) return false;
        }
    }
    return true;
}

/* ---- The parts anew --------------------------------------------------------------------------------------------- */

/* A buffer with an element for each row of a block. */
static const tirbi_ls *make_buffer(flattener *f, uint32_t local) {
    const tirbi_lvar *var = f->locals[local].var;
    f->locals[local].buffer = tirbi_new_row(f->pool, var->name, var->type, tirbi_lx_number(f->pool, ROWS));
    return tirbi_new_alloc(f->pool, f->loop->span, f->locals[local].buffer);
}

/* The element that stands for a variable of the row. */
static const tirbi_place *element_of(flattener *f, uint32_t local) {
    tirbi_dtype type = f->loop->as.loop.var->type;
    const tirbi_lx *number =
        compute(f, TIRB_OP_SUB, type, value_of(f, f->row), cast(f, type, value_of(f, f->first_row)));
    const tirbi_lx *index = tirbi_lx_within(f->pool, cast(f, TIRB_I64, number), 0, ROWS - 1);
    return tirbi_element_at(f->pool, f->locals[local].buffer, index, f->loop->span);
}

/* A statement with the row's own variables, and elements in place of those that are memory. */
static const tirbi_ls *remake(flattener *f, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {.pool = f->pool, .stores = true};
    tirbi_bind_variable(&rewrite, f->loop->as.loop.var, value_of(f, f->row));
    if (f->at_place) tirbi_bind_variable(&rewrite, f->place, value_of(f, f->at_place));
    for (uint32_t i = 0; i < f->n_locals; i++)
        if (!f->locals[i].counts)
            tirbi_bind_variable(&rewrite, f->locals[i].var, tirbi_lx_load(f->pool, element_of(f, i)));
    return tirbi_rewrite_stmt(&rewrite, s);
}

static const tirbi_ls *remake_all(flattener *f, const part *p, const tirbi_ls *const *before, uint32_t n_before) {
    const tirbi_ls *items[MAX_ITEMS + 2];
    for (uint32_t i = 0; i < n_before; i++) items[i] = before[i];
    for (uint32_t i = 0; i < p->n; i++) items[n_before + i] = remake(f, p->items[i]);
    return sequence(f, items, n_before + p->n);
}

static const tirbi_ls *rows_part(flattener *f, const part *p, tirbi_lvar *count) {
    const tirbi_lvar *old = f->loop->as.loop.var;
    tirbi_lvar *var = f->row = tirbi_variable_like(f->pool, f->loop->as.loop.var);
    if (!var) return NULL;
    if (!old->below)
        var->below = tirbi_lx_is_int(old->min, 0) ? old->extent : tirbi_lx_add(f->pool, old->min, old->extent);
    var->min = value_of(f, f->first_row);
    var->extent = value_of(f, count);
    return loop_over(f, var, remake_all(f, p, NULL, 0));
}

/* P[row + by] */
static const tirbi_lx *bound_at(flattener *f, const tirbi_lx *row, int64_t by) {
    tirbi_place *place = TIRBI_NEW(f->pool->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(f->pool->arena, const tirbi_lx *, 1);
    const tirbi_lx *at = by && row ? compute(f, TIRB_OP_ADD, (tirbi_dtype)row->type, row,
                                             tirbi_lx_int(f->pool, (tirbi_dtype)row->type, by))
                                   : row;
    if (!place || !indices || !at) return NULL;
    *place = *f->starts;
    place->indices = indices;
    place->flat = indices[0] = cast(f, TIRB_I64, at);
    return indices[0] ? tirbi_lx_load(f->pool, place) : NULL;
}

/* row = first; for place in range(P[first], P[first + count]): while P[row + 1] <= place: row = row + 1; .. */
static const tirbi_ls *ranges_part(flattener *f, const part *p, tirbi_lvar *count) {
    const tirbi_lvar *old = f->loop->as.loop.var;
    tirbi_dtype type = f->starts->buffer->type;
    const int64_t most = type == TIRB_I32 ? INT32_MAX : INT64_MAX;
    tirbi_lvar *found = new_var(f, "row", TIRBI_LVAR_LOCAL, old->type, old->lo, old->hi);
    tirbi_lvar *begin = new_var(f, "begin", TIRBI_LVAR_LET, TIRB_I64, 0, most),
               *n = new_var(f, "entries", TIRBI_LVAR_LET, TIRB_I64, 0, most);
    tirbi_lvar *at = f->at_place = new_var(f, p->counter->name, TIRBI_LVAR_LOOP, type, 0, most);
    f->row = tirbi_variable_like(f->pool, f->loop->as.loop.var);
    if (!at) return NULL;
    at->span = p->span;
    const tirbi_lx *first = value_of(f, f->first_row), *behind = tirbi_lx_add(f->pool, first, value_of(f, count));
    at->min = value_of(f, begin);
    at->extent = value_of(f, n);
    const tirbi_lx *more = compute(f, TIRB_OP_LE, type, bound_at(f, value_of(f, found), 1), value_of(f, at));
    const tirbi_lx *next = compute(f, TIRB_OP_ADD, old->type, value_of(f, found), tirbi_lx_int(f->pool, old->type, 1));
    const tirbi_ls *head[] = {repeat(f, more, set(f, found, next, false)), set(f, f->row, value_of(f, found), true)};
    const tirbi_ls *loop = loop_over(f, at, remake_all(f, p, head, 2));
    if (!loop || !tirbi_has_lanes_in_order(f->pool, loop)) return NULL;
    const tirbi_ls *items[] = {
        set(f, begin, cast(f, TIRB_I64, bound_at(f, first, 0)), true),
        set(f, n, tirbi_lx_sub(f->pool, cast(f, TIRB_I64, bound_at(f, behind, 0)), value_of(f, begin)), true),
        set(f, found, cast(f, old->type, first), true),
        loop,
    };
    return sequence(f, items, 4);
}

/* Block after block of rows. */
static const tirbi_ls *all_parts(flattener *f) {
    const tirbi_lvar *old = f->loop->as.loop.var;
    const tirbi_ls *items[MAX_PARTS + 3], *all[MAX_LOCALS + 2];
    uint32_t n = 0, n_all = 0;
    for (uint32_t i = 0; i < f->n_locals; i++) {
        if (f->locals[i].counts) continue;
        all[n_all++] = make_buffer(f, i);
    }
    tirbi_lvar *done = new_var(f, "done", TIRBI_LVAR_LOCAL, TIRB_I64, 0, INT64_MAX),
               *count = new_var(f, "count", TIRBI_LVAR_LET, TIRB_I64, 1, ROWS);
    f->first_row = new_var(f, "first", TIRBI_LVAR_LET, TIRB_I64, old->lo, old->hi);
    const tirbi_lx *left = tirbi_lx_sub(f->pool, old->extent, value_of(f, done));
    items[n++] = set(f, f->first_row, tirbi_lx_add(f->pool, old->min, value_of(f, done)), true);
    items[n++] = set(f, count, compute(f, TIRB_OP_MIN, TIRB_I64, left, tirbi_lx_number(f->pool, ROWS)), true);
    for (uint32_t i = 0; i < f->n_parts; i++) {
        const part *p = &f->parts[i];
        if (p->n == 0 && !p->counter) continue;
        items[n] = p->counter ? ranges_part(f, p, count) : rows_part(f, p, count);
        if (!items[n++]) return NULL;
    }
    items[n++] = set(f, done, tirbi_lx_add(f->pool, value_of(f, done), tirbi_lx_number(f->pool, ROWS)), false);
    all[n_all++] = set(f, done, tirbi_lx_number(f->pool, 0), true);
    all[n_all++] = repeat(f, compute(f, TIRB_OP_LT, TIRB_I64, value_of(f, done), old->extent), sequence(f, items, n));
    return sequence(f, all, n_all);
}

/* ---- The check -------------------------------------------------------------------------------------------------- */

/* Ranges follow each other where none ends before it begins; from 0 on, so that no difference of places wraps. */
static bool make_check(flattener *f, tirbi_arranged *out) {
    const tirbi_lvar *old = f->loop->as.loop.var;
    tirbi_lvar *var = tirbi_variable_like(f->pool, f->loop->as.loop.var),
               *found = new_var(f, "sorted", TIRBI_LVAR_LET, TIRB_I64, 0, INT64_MAX);
    const tirbi_lx *row = value_of(f, var);
    /* The loop's own accesses have these indices, which are checked before the lanes. */
    const tirbi_lx *falls =
        compute(f, TIRB_OP_GT, f->starts->buffer->type, tirbi_lx_inside(f->pool, bound_at(f, row, 0)),
                tirbi_lx_inside(f->pool, bound_at(f, row, 1)));
    out->check = tirbi_new_search(f->pool, f->loop->span, var, falls, found);
    if (!out->check) return false;
    const tirbi_lx *first = cast(f, TIRB_I64, bound_at(f, old->min, 0));
    const tirbi_lx *some = compute(f, TIRB_OP_LT, TIRB_I64, tirbi_lx_number(f->pool, 0), old->extent);
    const tirbi_lx *sorted = compute(f, TIRB_OP_EQ, TIRB_I64, value_of(f, found), old->extent);
    const tirbi_lx *natural = compute(f, TIRB_OP_GE, TIRB_I64, first, tirbi_lx_number(f->pool, 0));
    const tirbi_lx *both = tirbi_lx_lazy(f->pool, TIRBI_LX_AND, some, sorted, NULL);
    out->condition = tirbi_lx_lazy(f->pool, TIRBI_LX_AND, both, natural, NULL);
    return out->condition != NULL;
}

/* Whether it is worth looking closer: there is a loop right in the loop, beside other things or alone. */
static bool has_inner_loop(const tirbi_ls *body) {
    bool found = body->kind == TIRBI_LS_LOOP;
    for (uint32_t i = 0; body->kind == TIRBI_LS_SEQ && i < body->as.seq.n; i++) {
        uint8_t kind = body->as.seq.items[i]->kind;
        found = found || kind == TIRBI_LS_LOOP || kind == TIRBI_LS_WHILE;
    }
    return found;
}

bool tirbi_flatten_ranges(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    bool plain = has_inner_loop(loop->as.loop.body) && tirbi_is_plain_loop(loop) && var->min->lo >= 0 &&
                 (var->type == TIRB_I32 || var->type == TIRB_I64);
    flattener *f = plain ? TIRBI_NEW(pool->arena, flattener) : NULL;
    if (!f) return false;
    f->pool = pool;
    f->loop = loop;
    if (!read_body(f)) return false;
    tirbi_dtype type = f->starts->buffer->type;
    f->place = new_var(f, "place", TIRBI_LVAR_LOOP, type, 0, type == TIRB_I32 ? INT32_MAX : INT64_MAX);
    if (!f->place) return false;
    f->place->min = tirbi_lx_number(f->pool, 1); /* so that no index is taken for proven by it */
    f->place->extent = tirbi_lx_number(f->pool, 1);
    if (!f->place->min || !f->place->extent || !name_all_places(f) || !parts_are_free(f) || !make_check(f, out))
        return false;
    out->stmt = all_parts(f);
    return out->stmt != NULL;
}
