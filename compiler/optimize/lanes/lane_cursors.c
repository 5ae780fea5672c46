/* Where lanes read and write: places that cursors walk along, checks of indices that are not proven, values that are
 * computed once before the loop, and rows whose numbers memory tells. */
#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

/* ---- Places --------------------------------------------------------------------------------------------------- */

bool tirbi_plan_depends_on_body(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return tirbi_plan_find_var(p, x->var) != NULL;
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_plan_depends_on_body(p, x->args[i])) return true;
    }
    return false;
}

static uint64_t open_loops(const planner *p) {
    uint64_t bits = 1;
    for (uint32_t i = 0; i < p->n_path; i++) bits |= UINT64_C(2) << p->path[i];
    return bits;
}

/* Asks for a check of every index that is not proven; it must be monotonic in each loop. */
static bool check_place(planner *p, const tirbi_place *place) {
    tirbi_lane_plan *plan = p->plan;
    for (const tirbi_place *v = place; v; v = v->view) {
        bool proven = true;
        for (uint32_t d = 0; d < v->ndim; d++) {
            tirbi_affine form;
            int direction;
            if (tirbi_dim_proven(v, d) || tirbi_row_number(v->indices[d])) continue;
            proven = false;
            if (tirbi_plan_depends_on_body(p, v->indices[d])) return false;
            const tirbi_lx *extent = v->buffer->shape[d];
            if (!extent->pure || tirbi_mentions_loops(extent, &plan->loops) || tirbi_plan_depends_on_body(p, extent))
                return false;
            if (!tirbi_affine_index(p->pool, v, d, &plan->loops, &form)) return false;
            for (uint32_t i = 0; i < plan->loops.n; i++) {
                if (!tirbi_affine_direction(&form, i, &direction)) return false;
            }
        }
        if (proven) continue;
        for (uint32_t i = 0; i < plan->n_checks; i++) {
            if (tirbi_same_place(plan->checks[i].place, v) && plan->checks[i].enclosing == open_loops(p))
                proven = true;
        }
        if (proven) continue;
        if (!plan->checks) plan->checks = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lane_check, MAX_CHECKS);
        if (!plan->checks || plan->n_checks == MAX_CHECKS) return false;
        plan->checks[plan->n_checks++] = (tirbi_lane_check){.place = v, .enclosing = open_loops(p)};
    }
    return true;
}

/* Whether all iterations access a place, so that it is known to be in memory before them. */
static bool is_accessed(const planner *p, const tirbi_place *place) {
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        const lane_access *a = &p->accesses[i];
        if ((a->enclosing & ~open_loops(p)) == 0 && tirbi_same_place(a->place, place)) return true;
    }
    return false;
}

const tirbi_place *tirbi_plan_checked(const planner *p, const tirbi_place *place) {
    const tirbi_place *same = place;
    for (const tirbi_place *v = place; v; v = v->view) {
        bool checked = v->view || tirbi_has_whole_extents(v->buffer) || is_accessed(p, place);
        for (uint32_t d = 0; d < v->ndim; d++) checked = checked && tirbi_dim_proven(v, d);
        for (uint32_t i = 0; !checked && i < p->plan->n_checks; i++) {
            const tirbi_lane_check *check = &p->plan->checks[i];
            checked = (check->enclosing & ~open_loops(p)) == 0 && tirbi_same_place(check->place, v);
            if (checked && !place->view) same = check->place;
        }
        if (!checked) return NULL;
    }
    return same;
}

static bool record_access(planner *p, const tirbi_place *place, bool write) {
    const uint64_t enclosing = open_loops(p);
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        lane_access *a = &p->accesses[i];
        if (a->write != write || !tirbi_same_place(a->place, place)) continue;
        if ((enclosing & ~a->enclosing) == 0) a->enclosing = enclosing;
        return true;
    }
    if (p->n_accesses == MAX_ACCESSES) return false;
    p->accesses[p->n_accesses++] = (lane_access){.place = place, .enclosing = enclosing, .write = write};
    return true;
}

/* ---- Values that are the same everywhere ---------------------------------------------------------------------- */

bool tirbi_plan_runs(const planner *p, const tirbi_lvar *var) { return p->plan->whole_nest || var->extent->lo >= 1; }

/* Whether one element, which stands still, may be stored to by an iteration. */
static bool is_stored(const planner *p, const tirbi_place *place) {
    for (uint32_t i = 0; i < p->n_written; i++) {
        const tirbi_place *w = p->written[i];
        if (tirbi_may_meet(w->buffer->root, place->buffer->root) &&
            !tirbi_never_meet(p->pool, place, w, &p->plan->loops)) return true;
    }
    return false;
}

/* Whether a node of a value may be another one in each iteration. */
static bool varies(const void *context, const tirbi_lx *x) {
    planner *p = (planner *)(uintptr_t)context;
    if (x->kind == TIRBI_LX_VAR)
        return tirbi_plan_find_var(p, x->var) || tirbi_plan_is_carried(p, x->var) ||
               tirbi_mentions_loops(x, &p->plan->loops);
    return x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_LOAD && is_stored(p, x->access));
}

/* Whether x can be computed once, before the loop. */
static bool is_uniform(const planner *p, const tirbi_lx *x) {
    return !tirbi_any_expr(x, TIRBI_WALK_INDICES | TIRBI_WALK_VIEWS, varies, p);
}

/* Whether a value may be computed before all that the loop may fail in. */
static bool may_fail_before(const planner *p, const tirbi_lx *x) {
    return p->fails_alike || !tirbi_any_expr(x, TIRBI_WALK_ALL, tirbi_fails_by_itself, NULL);
}

const tirbi_lx *tirbi_plan_uniform(planner *p, const tirbi_lx *x) {
    tirbi_lane_plan *plan = p->plan;
    if (x->pure || !is_uniform(p, x) || (x->traps && (p->n_own > 0 || !may_fail_before(p, x)))) return NULL;
    for (uint32_t i = 0; x->traps && i < p->n_path; i++) {
        if (!tirbi_plan_runs(p, plan->loops.var[p->path[i] + 1])) return NULL;
    }
    for (uint32_t i = 0; i < plan->n_uniforms; i++) {
        const tirbi_lx *known = plan->uniforms[i].value;
        bool same = known == x || (known->kind == TIRBI_LX_LOAD && x->kind == TIRBI_LX_LOAD &&
                                   tirbi_same_place(known->access, x->access));
        if (same) return tirbi_lx_var(p->pool, plan->uniforms[i].var);
    }
    if (plan->n_uniforms == TIRBI_MAX_UNIFORMS) return NULL;
    tirbi_lvar *var = tirbi_variable_for(p->pool, TIRBI_LVAR_LET, "uniform", x, (tirbi_span){0});
    if (!var) return NULL;
    plan->uniforms[plan->n_uniforms++] = (tirbi_lane_uniform){.var = var, .value = x};
    return tirbi_lx_var(p->pool, var);
}

static const tirbi_lx *replace_uniform(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD ? tirbi_plan_uniform(rewrite->context, x) : NULL;
}

/* The place with uniform loads among its indices replaced by variables. */
static const tirbi_place *resolve(planner *p, const tirbi_place *place) {
    if (place->flat->pure) return place;
    tirbi_rewrite rewrite = {.pool = p->pool, .replace = replace_uniform, .context = p};
    return tirbi_rewrite_place(&rewrite, place);
}

static tirbi_step note_written(tirbi_walk *w, const tirbi_ls *s) {
    planner *p = w->context;
    if (s->kind != TIRBI_LS_STORE) return s->kind == TIRBI_LS_TREE ? TIRBI_PAST : TIRBI_INTO;
    if (p->n_written == MAX_WRITTEN)
        tirbi_plan_refuse(p, "its body has more than %d stores", MAX_WRITTEN);
    else
        p->written[p->n_written++] = s->as.store.access;
    return TIRBI_PAST;
}

void tirbi_plan_find_written(planner *p, const tirbi_ls *s) {
    tirbi_walk_stmt(&(tirbi_walk){.context = p, .stmt = note_written}, s);
}

/* ---- Rows by number --------------------------------------------------------------------------------------------- */

/* The variable for a number that loops around everything load anew for each row; NULL when x is no such load. */
static const tirbi_lx *row_number(planner *p, const tirbi_lx *x) {
    tirbi_lane_plan *plan = p->plan;
    tirbi_affine form;
    if (x->kind != TIRBI_LX_LOAD || !plan->whole_nest || p->n_path == 0 || x->access->view) return NULL;
    for (uint32_t i = 0; i < plan->n_rows; i++)
        if (tirbi_same_place(plan->rows[i].place, x->access)) return tirbi_lx_var(p->pool, plan->rows[i].var);
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || is_stored(p, x->access)) return NULL;
    if (plan->n_rows == TIRBI_MAX_LANE_ROWS) return NULL;
    if (!tirbi_affine_number(p->pool, x->access, &plan->loops, &form) || form.coefficient[0]) return NULL;
    tirbi_lvar *var = tirbi_variable_for(p->pool, TIRBI_LVAR_NUMBER, "row", x, (tirbi_span){0});
    uint8_t cursor = var ? tirbi_plan_cursor(p, x->access, (tirbi_dtype)x->type, false) : TIRBI_MAX_CURSORS;
    if (cursor == TIRBI_MAX_CURSORS) return NULL;
    var->min = tirbi_lx_number(p->pool, 0);
    uint8_t loops = 0;
    for (uint32_t k = 1; k < plan->loops.n; k++)
        if (form.coefficient[k]) loops = (uint8_t)k;
    plan->cursors[cursor].level = loops;
    plan->rows[plan->n_rows++] = (tirbi_lane_row){.var = var, .place = x->access, .cursor = cursor, .loops = loops};
    return tirbi_lx_var(p->pool, var);
}

static const tirbi_lx *replace_row(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD ? row_number(rewrite->context, x) : NULL;
}

/* A place one of whose indices is a row's number, which stands for itself in the place that is given back. */
static const tirbi_place *resolve_row(planner *p, const tirbi_place *place, uint32_t *row) {
    tirbi_rewrite rewrite = {.pool = p->pool, .replace = replace_row, .context = p};
    if (place->flat->pure || place->view) return NULL;
    place = tirbi_rewrite_place(&rewrite, place);
    if (!place || !place->flat->pure) return NULL;
    for (uint32_t i = 0; i < p->plan->n_rows; i++) {
        tirbi_loop_set number = {.var = {p->plan->rows[i].var}, .n = 1};
        uint32_t indices = 0;
        for (uint32_t d = 0; d < place->ndim; d++) {
            if (!tirbi_mentions_loops(place->indices[d], &number)) continue;
            if (tirbi_row_number(place->indices[d]) != number.var[0]) return NULL;
            indices++;
        }
        if (indices == 0) continue;
        if (indices > 1 || *row != 0) return NULL;
        *row = i + 1;
    }
    return *row ? place : NULL;
}

/* The elements that a sought place steps over for one more of its number, and how many numbers there are. */
static bool find_seek(planner *p, const tirbi_place *place, tirbi_lane_cursor *cursor) {
    tirbi_lvar *var = p->plan->rows[cursor->row - 1].var;
    tirbi_loop_set loops = p->plan->loops;
    tirbi_affine form;
    if (loops.n == TIRBI_MAX_AFFINE) return false;
    loops.var[loops.n++] = var;
    if (!tirbi_affine_number(p->pool, place, &loops, &form) || !form.coefficient[loops.n - 1]) return false;
    cursor->scale = form.coefficient[loops.n - 1];
    cursor->form = form;
    cursor->form.coefficient[loops.n - 1] = NULL;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (tirbi_row_number(place->indices[d]) == var) cursor->limit = place->buffer->shape[d];
    return cursor->limit && cursor->limit->pure && !cursor->limit->traps &&
           !tirbi_mentions_loops(cursor->limit, &p->plan->loops) && !tirbi_plan_depends_on_body(p, cursor->limit) &&
           !tirbi_mentions_loops(cursor->scale, &p->plan->loops);
}

bool tirbi_plan_rows_fit(planner *p) {
    tirbi_lane_plan *plan = p->plan;
    uint32_t around = 0;
    while (2 * around + 1 < plan->n_ops && plan->ops[around].op == TIRB_OP_INNER &&
           plan->ops[plan->n_ops - 1 - around].op == TIRB_OP_INNER_END)
        around++;
    for (uint32_t i = 0; i < plan->n_rows; i++)
        if (plan->rows[i].loops > around) return false;
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        for (uint32_t j = 0; j < plan->n_cursors; j++) {
            const tirbi_lane_cursor *a = &plan->cursors[i], *b = &plan->cursors[j];
            bool writes = ((a->access | b->access) & TIRBI_WRITE) != 0, sought = a->row != 0 || b->row != 0;
            const tirbi_lbuf *x = a->place->buffer->root, *y = b->place->buffer->root;
            if (i != j && writes && sought && (x == y || tirbi_may_meet(x, y))) return false;
        }
        const tirbi_lane_cursor *sought = &plan->cursors[i];
        for (uint32_t k = 1; sought->row && k < plan->loops.n; k++) { /* one loop moves one of the two */
            if (sought->form.coefficient[k] && plan->cursors[plan->rows[sought->row - 1].cursor].form.coefficient[k])
                return false;
        }
        for (uint32_t r = 0; r < plan->n_rows; r++) {
            const tirbi_lbuf *numbers = plan->cursors[plan->rows[r].cursor].place->buffer->root;
            const tirbi_lbuf *x = plan->cursors[i].place->buffer->root;
            if ((plan->cursors[i].access & TIRBI_WRITE) && (x == numbers || tirbi_may_meet(x, numbers))) return false;
        }
    }
    return true;
}

/* ---- Cursors ---------------------------------------------------------------------------------------------------- */

tirbi_lane_cursor *tirbi_plan_new_cursor(planner *p) {
    tirbi_lane_plan *plan = p->plan;
    if (plan->n_cursors == TIRBI_MAX_CURSORS) {
        tirbi_plan_refuse(p, "it needs more than %d cursors", TIRBI_MAX_CURSORS);
        return NULL;
    }
    if (plan->n_cursors == plan->cursor_capacity) {
        const uint32_t capacity = plan->cursor_capacity ? 2 * plan->cursor_capacity : 4;
        tirbi_lane_cursor *cursors = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lane_cursor, capacity);
        if (!cursors) {
            p->failed = true;
            return NULL;
        }
        if (plan->n_cursors) memcpy(cursors, plan->cursors, plan->n_cursors * sizeof(*cursors));
        tirbi_arena_give_back(p->pool->arena, plan->cursors, plan->cursor_capacity, sizeof(*cursors));
        plan->cursors = cursors;
        plan->cursor_capacity = capacity;
    }
    return &plan->cursors[plan->n_cursors++];
}

uint8_t tirbi_plan_cursor(planner *p, const tirbi_place *place, tirbi_dtype type, bool write) {
    tirbi_lane_plan *plan = p->plan;
    tirbi_lane_cursor fresh = {.type = (uint8_t)type};
    place = resolve(p, place);
    if (!place) {
        p->failed = true;
        return TIRBI_MAX_CURSORS;
    }
    const char *name = place->buffer->name;
    uint32_t row = 0;
    const tirbi_place *by_number = resolve_row(p, place, &row);
    fresh.row = (uint8_t)row;
    if (by_number && find_seek(p, by_number, &fresh)) {
        place = by_number;
    } else {
        fresh.row = 0;
    }
    if (p->failed) return TIRBI_MAX_CURSORS;
    if (tirbi_plan_depends_on_body(p, place->flat) ||
        (fresh.row == 0 && !tirbi_affine_number(p->pool, place, &plan->loops, &fresh.form))) {
        tirbi_plan_refuse(p, "where it accesses %s is not an affine function of the loops", name);
    } else if (write && !fresh.form.coefficient[0]) {
        tirbi_plan_refuse(p, "its iterations store to the same element of %s", name);
    } else if (!check_place(p, place)) {
        tirbi_plan_refuse(p, "an index of %s cannot be checked before the loop", name);
    } else if (!record_access(p, place, write)) {
        tirbi_plan_refuse(p, "it accesses more than %d places", MAX_ACCESSES);
    }
    if (p->failed) return TIRBI_MAX_CURSORS;
    uint8_t level = p->n_path ? (uint8_t)(p->path[p->n_path - 1] + 1) : 0;
    uint8_t access = write ? TIRBI_WRITE : TIRBI_READ;
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        tirbi_lane_cursor *c = &plan->cursors[i];
        if (c->place->buffer->root != place->buffer->root || c->type != type || c->level != level) continue;
        if (c->row != fresh.row || c->scale != fresh.scale) continue;
        if (!tirbi_affine_equal(&c->form, &fresh.form, plan->loops.n)) continue;
        c->access |= access;
        return (uint8_t)i;
    }
    tirbi_lane_cursor *c = tirbi_plan_new_cursor(p);
    if (!c) return TIRBI_MAX_CURSORS;
    fresh.place = place;
    fresh.access = access;
    fresh.level = level;
    *c = fresh;
    return (uint8_t)(plan->n_cursors - 1);
}

bool tirbi_plan_moves_alike(planner *p, const tirbi_place *place) {
    tirbi_affine form;
    place = resolve(p, place);
    return place && !tirbi_plan_depends_on_body(p, place->flat) &&
           tirbi_affine_number(p->pool, place, &p->plan->loops, &form);
}
